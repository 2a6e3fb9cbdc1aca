"""Each printed command, pasted in the repository of its fault: all is kept, and doctor is green."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from harness import Repo, clean_environment
from harness.inventory import lost, taken
from harness.kills import Stage, at_random
from harness.patients import ALL, CHECK, DOCTOR, PATIENTS, fall_ill, world
from harness.repo import EMAIL, NAME

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harness import Done

#: COORD_REPAIRS=each takes those too of which the rule and the command are another's, each to be
#: mended, and each that is killed (.ci/full).
EACH = os.environ.get("COORD_REPAIRS") == "each"
ALIKE = {
    "both regenerated, left to the doctor",
    "trailers of the user",
    "a log with NUL bytes",
    "a log rewritten",
    "a log emptied",
    "a commit of another author, pushed",
    "a hooks path of its own",
    "our hooks and config removed",
    "a declaration that was not installed",
    "files that lie nowhere",
    "a file in the way of ids",
    "a ledger that is another file",
    "a link in the way of attributes",
    "both regenerated, picked",
    "a later version of the config",
    "a derived file outside of a sparse checkout",
    "a changelog declared as a log",
    "both regenerated, cut off",
    "sides renormalised",
    "a log declared in a nested file",
    "a log begun on both sides",
    "a log that both rewrote, asked before",
    "a record that quotes a conflict",
    "a log newest first, turned over",
    "a peer's commit, taken over by commit -C",
    "an unpinned worktree",
    "an author in the config of a worktree",
    "a declaration too deep to read",
}
assert ALIKE.issubset(PATIENTS)
MENDED = (
    "both regenerated, left to the doctor",
    "a log newest first, turned over",
    "a log that lost records in a merge",
    "a peer's commit, taken over by commit -C",
    "a rebase under way",
    "a config that is no TOML",
)
KILLED = ("a conflict committed", "a commit of another author")
MENDING = (
    "git coord check --mend",
    ALL.replace("check", "check --mend"),
    "git -C ../w coord reauthor --outgoing",
)
WORDS = (DOCTOR, CHECK)  # which any shell takes as they are
ROUNDS = 3
# What a settled file no longer has is what marked it as unsettled.
_MARKERS = re.compile(r"<{7} .*|={7}|>{7} .*")
# A person takes out the line that the editor was opened at, or else what marks a conflict; what was
# there is put aside.
_HAND = r"""#!/bin/sh
for file; do :; done
mkdir -p "$ASIDE"; cp "$file" "$ASIDE/$$"; echo "by hand: $file"
case $1 in
+*) sed -i -e "${1#+}d" -e '/\[\[\[\[/d' "$file" ;;
*) sed -i -e '/^<<<<<<</d' -e '/^=======$/d' -e '/^>>>>>>>/d' -e '/\[\[\[\[/d' "$file" ;;
esac
"""


@pytest.fixture(scope="module")
def well(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, str]]:
    """The folder of the world before any fault, and the environment of who lives there."""
    folder = tmp_path_factory.mktemp("repairs")
    home = folder / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        f"[user]\n\tname = {NAME}\n\temail = {EMAIL}\n[init]\n\tdefaultBranch = main\n"
    )
    hand = folder / "hand"
    hand.write_text(_HAND)
    hand.chmod(0o755)
    env = clean_environment(home, EDITOR=str(hand), PRODUCER="cp in out")
    world(folder / "well", env)
    return folder / "well", env


def printed(done: Done) -> list[str]:
    """Return the commands that were printed, each once."""
    return list(dict.fromkeys(re.findall(r"(?m)^ *run: (.*)$", done.out + done.err)))


def told(command: str, done: Done) -> str:
    """Return all that a person has seen of a command."""
    return f"$ {command}\n{done.out}{done.err}"


def follow(here: Repo, command: str) -> str:
    """Paste a command, and what a refusal of it prints; return all that was said.

    It works at once, but where a person has to join two texts first, or to accept a producer, and
    where a git that was killed has left its lock.
    """
    done = here.paste(command)
    said = told(command, done)
    if done.code:
        locked = "coord: locked:" in done.err
        assert locked or "joined by hand" in command or "regenerate" in command, said
        (again,) = printed(done)
        joins = again.startswith("git show :")  # to its end, where no record says the order
        again += f" >>{again.rpartition(':')[2]}" if joins else ""
        done = here.paste(again)
        said += told(again, done)
        if locked or joins:
            done = here.paste(command)
            said += told(command, done)
    assert done.code == 0, said
    return said


def cure(here: Repo, ask: str) -> str:
    """Ask and do what is printed until nothing is; return all that was said."""
    said = ""
    for _ in range(ROUNDS):
        done = here.started(*ask.split()) if ask in WORDS else here.paste(ask)
        said += told(ask, done)
        if not printed(done):
            assert ask != DOCTOR or done.code == 0
            return said
        said += "".join(follow(here, command) for command in printed(done))
    raise AssertionError(f"still asked for after {ROUNDS} rounds:\n{said}")


def ill(name: str, well: tuple[Path, Mapping[str, str]], folder: Path) -> dict[str, str]:
    """Make the patient `name` in `folder`, and return the environment of who lives there."""
    env = {**well[1], "ASIDE": str(folder / "aside")}
    fall_ill(well[0], folder, env, name)
    return env


def kept(before: Mapping[str, str], folder: Path, env: Mapping[str, str], said: str) -> bool:
    """Insist that nothing is gone but what was named."""
    gone = lost(before, taken(folder, env), said)
    assert {line: at for line, at in gone.items() if not _MARKERS.fullmatch(line)} == {}, said
    return True


@pytest.mark.parametrize("name", [name for name in PATIENTS if EACH or name not in ALIKE])
def test_a_repair_takes_nothing_away_that_it_does_not_name(
    name: str, well: tuple[Path, Mapping[str, str]], tmp_path: Path
) -> None:
    """From the first symptom to a green doctor, also where a command leads to the next."""
    folder = tmp_path / "live"
    env = ill(name, well, folder)
    patient = PATIENTS[name]
    before = taken(folder, env)

    here = Repo(folder / patient.place, env)
    said = cure(here, patient.ask)
    if patient.ask != DOCTOR:
        said += cure(here, DOCTOR)

    assert re.search(r"(?m)^ +run: ", said)
    assert kept(before, folder, env, said)


@pytest.mark.parametrize("name", PATIENTS if EACH else MENDED)
def test_what_mends_history_takes_nothing_away_whatever_the_fault(
    name: str, well: tuple[Path, Mapping[str, str]], tmp_path: Path
) -> None:
    """Asked for by nobody, in the middle of a merge or with a config that is no TOML."""
    folder = tmp_path / "live"
    env = ill(name, well, folder)
    before = taken(folder, env)

    said = ""
    for command in MENDING:
        done = Repo(folder / "r", env).paste(command)
        said += told(command, done)

    assert "internal-error" not in said
    assert kept(before, folder, env, said)


@pytest.mark.parametrize("name", KILLED if EACH else KILLED[:1])
def test_a_repair_that_is_killed_is_run_again(
    name: str, well: tuple[Path, Mapping[str, str]], tmp_path: Path
) -> None:
    """Whatever it had done by then."""
    folder = tmp_path / "live"
    env = ill(name, well, folder)
    patient = PATIENTS[name]
    here = Repo(folder / patient.place, env)
    (command,) = printed(here.paste(patient.ask))
    before = taken(folder, env)

    for _ in at_random(here, command, Stage(folder)):
        assert kept(before, folder, env, "")
        assert kept(before, folder, env, cure(here, patient.ask) + cure(here, DOCTOR))
