"""Where parts of the git dir cannot be written: sandboxes of agents, full disks, other owners."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.grounds import script
from harness.repo import NAME, Done, Repo
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

READING = ("whoami", "board", "log x", "check HEAD")
WRITING = ("claim x", "release", "sign-off", "pin --replace", "track log other.tsv", "regenerate",
           "resolve schema.json --take ours --reason x")  # fmt: skip


@pytest.fixture
def refused(installed: Repo, tmp_path: Path) -> Repo:
    """A pinned worktree in the middle of a merge whose derived file was refused."""
    tree = installed.worktree(tmp_path / "tree", "tree")
    tree.coord("track", "derived", "schema.json", "--regenerate", "echo made >schema.json")
    tree.git("add", "-A")
    tree.commit("base", {"schema.json": "0\n"})
    tree.git("branch", "other")
    tree.commit("ours", {"schema.json": "1\n"})
    tree.git("switch", "-q", "other")
    tree.commit("theirs", {"schema.json": "2\n"})
    tree.git("switch", "-q", "tree")
    assert tree.tried("merge", "other").refusal.rule == "derived-two-sided"
    return tree


def inside(
    repo: Repo, *commands: str, locked: Sequence[Path], free: Sequence[Path] = ()
) -> list[Done]:
    """Run shell commands where `locked` is read-only but for what is `free`, as in a sandbox."""
    mounts = [f"mount --bind {quoted} {quoted}" for quoted in map(quote, (*locked, *free))]
    mounts += [f"mount -o remount,ro,bind {quote(path)}" for path in locked]
    return _apart(repo, mounts, commands)


def _apart(repo: Repo, mounts: Sequence[str], commands: Sequence[str]) -> list[Done]:
    """Run commands after `mounts` in a mount namespace of their own; skip where that is denied."""
    made = " && ".join(mounts)
    if repo.run("unshare", "-rm", "sh", "-c", made).code:
        pytest.skip("mounting is not allowed here")
    lines = []
    for number, command in enumerate(commands):
        out = quote(repo.path.parent / f"said-{number}")
        lines.append(f"({command}) >{out}.out 2>{out}.err; echo $? >{out}.code")
    repo.run("unshare", "-rm", "sh", "-c", f"{made} && cd {quote(repo.path)} && {'; '.join(lines)}")
    return [_read(repo.path.parent / f"said-{number}") for number in range(len(commands))]


def _read(said: Path) -> Done:
    code, out, err = (
        said.with_name(f"{said.name}.{end}").read_text() for end in ("code", "out", "err")
    )
    return Done(int(code), out, err)


def quote(path: Path) -> str:
    """Return a path as a word of the shell."""
    return shlex.quote(str(path))


def test_a_read_only_common_dir_is_read_and_named(refused: Repo) -> None:
    """The worktree is writable, the git dir is not: what only looks works, the rest exits 3."""
    common = refused.common()
    before = snapshot(common), snapshot(refused.path)
    verbs = [f"git coord {verb}" for verb in (*READING, *WRITING)]

    answers = dict(zip(verbs, inside(refused, *verbs, locked=[common]), strict=True))

    assert (snapshot(common), snapshot(refused.path)) == before
    for verb in READING[:3]:
        assert answers[f"git coord {verb}"].code == 0, answers[f"git coord {verb}"].err
    assert answers["git coord check HEAD"].code in {0, 1}
    for verb in WRITING:
        done = answers[f"git coord {verb}"]
        assert (done.code, done.refusal.rule) == (3, "not-writable"), done.err
        assert str(common) in done.err
        assert "writable roots" in done.refusal.why
    told = answers["git coord claim x"].refusal.run
    assert refused.paste(told).out.strip() == str(common)


def test_what_only_looks_works_on_a_read_only_board_and_a_wait_ends(
    installed: Repo, tmp_path: Path
) -> None:
    """It has no lock there, and for want of one it began anew whenever its time was up."""
    tree, other = (installed.worktree(tmp_path / name, name) for name in ("tree", "other"))
    assert other.coord("claim", "x").code == 0
    assert tree.coord("whoami").code == 0
    looking = ("list", "show", "inbox", "overlap", "merge-order", "mirror", "lanes", "id check",
               "wake --no-stagger", "put-down --list", "ship fix x")  # fmt: skip
    wait = "timeout 20 git coord wait x --timeout 1s"
    commands = (wait, *(f"git coord {verb}" for verb in looking))

    waited, *looked = inside(tree, *commands, locked=[tree.common()])

    assert (waited.code, waited.refusal.rule) == (1, "still-held")
    assert [done.code for done in looked] == [0] * len(looking), looked


def test_what_rewrites_or_adds_is_named_too(installed: Repo, tmp_path: Path) -> None:
    """``reauthor`` writes objects itself; ``worktree add`` and the installer write all over."""
    tree = installed.worktree(tmp_path / "tree", "tree")
    wrong = tree.with_env(GIT_AUTHOR_NAME="root").commit("wrong")
    common = tree.common()
    before = snapshot(common)
    commands = (f"git coord reauthor {wrong}", "git coord worktree add ../more -b more",
                f"{script('coord-install')} --uninstall")  # fmt: skip

    for done in inside(tree, *commands, locked=[common]):
        assert (done.code, done.refusal.rule) == (3, "not-writable"), done.err
        assert str(common) in done.err

    assert snapshot(common) == before
    assert not (tmp_path / "more").exists()


def test_hooks_and_config_may_be_read_only(refused: Repo) -> None:
    """As Claude Code and Codex protect them: all work goes on."""
    verbs = [f"git coord {verb}" for verb in (*READING[:3], *WRITING[:-2], "doctor", "regenerate")]
    commit = "git commit -q --no-edit"

    answers = inside(
        refused, *verbs, commit, locked=[refused.common("hooks"), refused.common("config")]
    )

    assert [done.code for done in answers] == [0] * (len(verbs) - 2) + [1, 0, 0], answers
    assert answers[-3].out.count("refusal-pending") == 1


def test_only_this_worktrees_own_parts_are_writable(refused: Repo) -> None:
    """Objects, refs and the private dir: commits and their guards work, the board says no."""
    common = refused.common()
    free = [common / name for name in ("objects", "refs", "logs", "worktrees")]
    commands = ("git commit -q -a --no-edit", "git coord claim x", "git coord regenerate",
                "git commit -q --no-edit", "git coord sign-off")  # fmt: skip

    swallowed, claim, regenerated, committed, left = inside(
        refused, *commands, locked=[common], free=free
    )

    assert (swallowed.code, swallowed.refusal.rule) == (1, "refusal-pending")
    assert (claim.code, claim.refusal.rule) == (3, "not-writable")
    assert (regenerated.code, committed.code) == (0, 0), regenerated.err + committed.err
    assert left.code == 0, left.err
    assert refused.git("show", "HEAD:schema.json") == "made"


def test_a_full_disk_changes_nothing(installed: Repo, tmp_path: Path) -> None:
    """Nothing is half written, nothing is lost, and each verb says that there is no room."""
    assert installed.coord("pin", "--self").code == 0
    wrong = installed.with_env(GIT_AUTHOR_NAME="root").commit("wrong")
    (tmp_path / "small").mkdir()
    small, keep = quote(tmp_path / "small"), quote(tmp_path / "state")
    signs = "! -name coord-seen ! -path '*/coord-sessions/*'"
    litter = "! -name full ! -name '*.lock' ! -name 'tmp_obj_*'"  # ours above, and what git leaves
    state = f"find . -type f {signs} {litter} | sort | xargs sha1sum"
    verbs = ("claim x", "pin --replace", "pin --self --replace", "track log other.tsv",
             f"reauthor {wrong}", "worktree add ../more -b more")  # fmt: skip
    mounts, kept = [f"mount -t tmpfs -o size=2m none {small}"], "git coord clone-id keep"
    commands = [
        f"cp -a . {small} && cd {small} && {kept} && {state} >{keep}.0 && cat /dev/zero >full",
        *(f"cd {small} && git coord {verb}" for verb in verbs),
        f"cd {small} && {state} >{keep}.1 && rm full && git coord claim x && git coord doctor",
    ]

    _, *answers, freed = _apart(installed, mounts, commands)

    for done in answers:
        assert done.code == 3, done
        # The last two are git's own, of objects and of a reftable.
        words = ("No space left", "no room", "couldn't write", "I/O error")
        assert any(word in done.err for word in words), done.err
    assert (tmp_path / "state.1").read_text() == (tmp_path / "state.0").read_text()
    assert freed.code == 0, freed.out + freed.err


def test_objects_that_cannot_be_written_are_named_as_such(refused: Repo) -> None:
    """With an index of its own git gets further, and names no file; nothing is settled."""
    common = refused.common()

    (done,) = inside(refused, "git coord regenerate", locked=[common], free=[common / "worktrees"])

    assert (done.code, done.refusal.rule) == (3, "not-writable"), done.err
    assert refused.paste(done.refusal.run).out.strip() == str(common)


def test_a_full_disk_is_no_sandbox(installed: Repo, tmp_path: Path) -> None:
    """An unpinned worker's first command has to write who that is."""
    (tmp_path / "small").mkdir()
    small = quote(tmp_path / "small")
    verbs = ("claim x", "announce --intent x", "pin --self", "pause --reason x", "id next HW",
             "track log x.tsv")  # fmt: skip
    commands = [
        f"cp -a . {small} && cd {small} && cat /dev/zero >full",
        *(f"cd {small} && git coord {verb}" for verb in verbs),
    ]

    _, *answers = _apart(installed, [f"mount -t tmpfs -o size=2m none {small}"], commands)

    for done in answers:
        assert (done.code, done.refusal.rule) == (3, "disk-full"), done
        assert done.refusal.run.startswith(f"df -h {small}")  # mounted for these commands alone


@pytest.fixture
def roots(env: dict[str, str]) -> Iterator[Repo]:
    """A repository of root's where another user can look, pinned and with a board."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can be somebody else")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: S103  # the point of it
        repo = Repo.init(Path(folder) / "repo", env)
        repo.commit("start", {"README": "start\n"})
        repo.install()
        repo.coord("pin", "--self")
        repo.coord("claim", "x")
        yield repo


def as_nobody(repo: Repo, command: str) -> Done:
    """Run a shell line as another user, with a home of that user's own."""
    home = repo.path.parent / "home"
    if not home.exists():
        home.mkdir()
        (home / ".gitconfig").write_text(f"[user]\n\tname = {NAME}\n\temail = n@example.com\n")
        for path in (home, home / ".gitconfig"):
            os.chown(path, 65534, 65534)
    other, to = repo.with_env(HOME=str(home)), ("setpriv", "--reuid=65534", "--regid=65534")
    # An interpreter that root keeps at home is read by a power that lets nobody write.
    reading = ("--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search")
    for powers in ((), reading):
        # By a shell: the exec of setpriv itself still has the powers of root.
        by = (*to, "--clear-groups", *powers, "sh", "-c")
        if other.run(*by, f"{script('git-coord')} --version").code == 0:
            return other.run(*by, command)
    pytest.skip("the other user cannot reach this package")


@pytest.mark.parametrize("verb", ["git coord whoami", "git coord doctor", "coord-install"])
def test_a_repository_of_another_owner_is_named_in_gits_words(roots: Repo, verb: str) -> None:
    """Dubious ownership is git's own refusal; its command is the one that is printed."""
    # git-coord by its path: git reads no alias of a repository that it does not trust.
    done = as_nobody(roots, verb.replace("git coord", script("git-coord")))

    assert (done.code, done.refusal.rule) == (3, "repository-unreadable"), done.err
    assert "dubious ownership" in done.refusal.why
    assert done.refusal.run == f"git config --global --add safe.directory {roots.path}"
    assert as_nobody(roots, done.refusal.run).code == 0
    assert "repository-unreadable" not in as_nobody(roots, verb).err


def test_another_users_trusted_repository_can_be_read_and_not_written(roots: Repo) -> None:
    """Permissions say no as a read-only disk does."""
    as_nobody(roots, f"git config --global --add safe.directory {roots.path}")
    before = snapshot(roots.common())

    for verb in ("whoami", "board", "log x"):
        assert as_nobody(roots, f"git coord {verb}").code == 0
    for verb in ("claim y", "pin --replace", "track log x.tsv", "worktree add ../more -b more"):
        done = as_nobody(roots, f"git coord {verb}")
        assert done.code == 3, done.err
        assert done.refusal.rule in {"not-writable", "not-permitted"}, done.err
    assert as_nobody(roots, "coord-install --uninstall --purge").refusal.rule == "not-writable"
    assert "not-writable" in as_nobody(roots, "git coord doctor").out

    assert snapshot(roots.common()) == before
