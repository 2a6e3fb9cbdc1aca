"""Repositories with one fault each, made by sh and git alone, and what a person then asks.

All start from one world: ``r`` with a log, a changelog, a derived and a write-once file, pushed to
``o.git``; and ``w``, a pinned linked worktree.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_WORLD = r"""
git init -q --bare o.git; git init -q r; cd r; git commit -q --allow-empty -m start
coord-install
printf 'amber\nbasalt\n' >LOG; echo flint >in; cp in out; mkdir once; echo garnet >once/1
printf '# Changes\n\n## Unreleased\n\n- fluorite\n\n## 1.0\n\n- obsidian\n' >CHANGES.md
git coord track log LOG; git coord track changelog CHANGES.md; git coord track once 'once/*'
git coord track derived out --regenerate 'cp in out' --input in
git add .; git commit -qm guard; git remote add origin ../o.git; git push -q -u origin main
git worktree add -q -b w ../w
"""
# `raw` is git in a clone without the toolkit; `sides A B` ends on main, beside `side`.
_WORDS = r"""
cd r; raw() { git -c core.hooksPath=/dev/null "$@"; }
sides() { git checkout -q -b side; eval "$1"; raw add .; raw commit -qm side
	git checkout -q main; eval "$2"; raw add .; raw commit -qm mine; }
both_made() { sides 'echo agate >>in; cp in out' 'sed -i 1imarl in; cp in out'; }
"""
DOCTOR = "git coord doctor"
CHECK = "git coord check"
ALL = "git coord check $(git rev-list --max-parents=0 HEAD | tail -1)..HEAD"
MERGE = "git merge -q side || git commit -qam merged"
COMMIT = "git commit -qam x"


class Patient(NamedTuple):
    """A fault, and the command whose answer says what to do about it.

    Attributes:
        fault: what makes it, in sh, out of the world.
        ask: asked until it is content.
        place: the folder where it is asked.
    """

    fault: str
    ask: str = DOCTOR
    place: str = "r"


PATIENTS: dict[str, Patient] = {
    # Merges, picks and rebases that a driver refuses.
    "both regenerated": Patient("both_made", MERGE),
    "both regenerated, left to the doctor": Patient("both_made; git merge -q side"),
    "both regenerated, picked": Patient(
        "both_made", "git cherry-pick side || git cherry-pick --continue"
    ),
    "both regenerated, rebased": Patient(
        "both_made", "git rebase -q side || git rebase --continue"
    ),
    "both regenerated, cut off": Patient(
        "both_made; git merge -q side; rm .git/MERGE_HEAD .git/MERGE_MSG"
    ),
    "sides renormalised": Patient(
        'printf \'printf "[%%s]\\\\r\\\\n" "$(paste -sd, in)" >out\n\' >mk; git coord untrack out;'
        "git coord track derived out --regenerate 'sh mk' --input in; sh mk; git add .;"
        "raw commit -qm mk; sides 'echo agate >>in; sh mk' 'sed -i 1imarl in; sh mk;"
        'sed -i "1i out text" .gitattributes; git add --renormalize .\'; '
        "git config merge.renormalize true",
        MERGE,
    ),
    "trailers of the user": Patient(
        "git config trailer.sign.key 'Signed-off-by: '; git config trailer.sign.command "
        "'echo Ada'; git config trailer.separators '=:'; both_made; git merge -q side",
        COMMIT,
    ),
    "a producer that a peer changed": Patient(
        "sed -i 's/cp in out/cp in out; true/' .coord.toml; raw commit -qam p; both_made", MERGE
    ),
    "a log that both rewrote": Patient(
        "sides 'printf \"AMBER\nbasalt\nslate\n\" >LOG' 'printf \"amber\nBASALT\nmica\n\" >LOG'",
        MERGE,
    ),
    "a log with NUL bytes": Patient(
        "sides 'printf \"slate\\0\n\" >>LOG' 'printf \"mica\\0\n\" >>LOG'", MERGE
    ),
    "a log in a stash that conflicts": Patient(
        "sed -i s/amber/AMBER/ LOG; git stash -q; echo mica >>LOG; git commit -qam m;git stash pop",
        "git add -A; git commit -qm x",
    ),
    "a log begun on both sides": Patient(
        "git coord track log NEW; raw add .; raw commit -qm t;"
        "sides 'printf \"# side\nslate\n\" >NEW' 'printf \"# main\nmica\n\" >NEW'",
        MERGE,
    ),
    "a changelog that both changed": Patient(
        "sides 'sed -i s/fluorite/Fluorite/ CHANGES.md' 'sed -i s/fluorite/FLUORITE/ CHANGES.md'",
        MERGE,
    ),
    "a write-once file claimed twice": Patient(
        "sides 'echo slate >once/2' 'echo mica >once/2'", MERGE
    ),
    "refusals that cannot be read": Patient(
        "both_made; git merge -q side; mkdir .git/coord-refused/99; mkfifo .git/coord-refused/98"
    ),
    # Commits that the gate refuses.
    "a log declared in a nested file": Patient(
        "mkdir p; printf 'pearl\nquartz\n' >p/N; echo 'N coord-log' >p/.gitattributes; raw add .;"
        "raw commit -qm n; git push -q; sed -i 1d p/N",
        COMMIT,
    ),
    "a log rewritten": Patient("sed -i s/amber/AMBER/ LOG", COMMIT),
    "a log emptied": Patient(": >LOG", COMMIT),
    "a log removed": Patient("git rm -q LOG", "git commit -qm x"),
    "a log removed, asked before": Patient("git rm -q LOG", "git coord check --tree"),
    "a log that both rewrote, asked before": Patient(
        "sides 'sed -i s/amber/AMBER/ LOG' 'sed -i s/basalt/BASALT/ LOG'; git merge -q side",
        "git coord check --tree",
    ),
    "a record that quotes a conflict": Patient(
        "printf '<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n' >>LOG", COMMIT
    ),
    "a record that quotes a conflict, asked before": Patient(
        "printf '<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n' >>LOG",
        "git coord check --tree",
    ),
    "a write-once file changed": Patient("echo heron >once/1", COMMIT),
    # Commits that met neither hook nor driver.
    "a log newest first, turned over": Patient(
        "printf '2026-01-02T00:00Z amber\n2026-01-01T00:00Z basalt\n' >LOG; raw commit -qam base;"
        "sides 'sed -i \"1i 2026-01-03T00:00Z slate\" LOG' "
        "'sed -i \"1i 2026-01-04T00:00Z mica\" LOG'; git merge -q side",
        ALL,
    ),
    "a conflict committed": Patient(
        "printf '<<<<<<< a\namber\n=======\nambra\n>>>>>>> b\nbasalt\n' >LOG; raw commit -qam c",
        CHECK,
    ),
    "a log that lost records in a merge": Patient(
        "sides 'echo slate >>LOG' 'echo mica >>LOG'; git merge -q -s ours side", CHECK
    ),
    "a write-once file changed and committed": Patient(
        "echo heron >once/1; raw commit -qam x", CHECK
    ),
    "markers in a derived file": Patient(
        "both_made; git merge -q side; printf 'marl\nflint\nagate\n' >in; "
        "printf '<<<<<<< HEAD\nmarl\nflint\n=======\nflint\nagate\n>>>>>>> side\n' >out;"
        "git add .; raw commit -qm m",
        CHECK,
    ),
    # Who a commit is by.
    "a commit of another author": Patient(
        "cd ../w; git config notes.rewriteRef 'refs/notes/*'; GIT_AUTHOR_NAME=root git commit -q "
        "--allow-empty -m x; git notes add -m reviewed",
        "git coord check main..w",
        "w",
    ),
    "a commit of another author, pushed": Patient(
        "cd ../w; git config notes.rewriteRef 'refs/notes/*'; GIT_AUTHOR_NAME=root git commit -q "
        "--allow-empty -m x; git notes add -m reviewed",
        "git push -q origin w",
        "w",
    ),
    "a commit of another author, published": Patient(
        "cd ../w; GIT_AUTHOR_NAME=root git commit -q --allow-empty -m x; git push -q origin w;"
        "git fetch -q",
        "git coord check main..w",
        "w",
    ),
    "a peer's commit, taken over by commit -C": Patient(
        "git clone -q ../o.git ../bob; (cd ../bob; git config user.name Bob; git config user.email "
        "b@x; git checkout -q -b bob; echo b >b; git add b; git commit -qm b; "
        "git push -q origin bob); git fetch -q; cd ../w; git cherry-pick -n origin/bob;"
        "git commit -q -C origin/bob;"
        "GIT_AUTHOR_NAME=root git commit -q --allow-empty -m mine",
        "git coord check main..w",
        "w",
    ),
    "a rebase under way": Patient(
        "cd ../w; GIT_AUTHOR_NAME=root git commit -q --allow-empty -m x; echo a >a; git add a;"
        "git commit -qm a; GIT_SEQUENCE_EDITOR='sed -i s/^pick/edit/' git rebase -q -i HEAD~1",
        "git coord reauthor HEAD~1",
        "w",
    ),
    # What doctor finds.
    "no reflogs": Patient(
        "git config core.logAllRefUpdates false; git worktree add -q ../x -b x", place="x"
    ),
    "an alias among the identities": Patient(
        "printf '[alias]\n\tx = !true\n' >>.git/coord/identities"
    ),
    "a pin that is damaged": Patient("echo '<<<' >.git/worktrees/w/coord-identity.toml"),
    "a foreign hook beside ours": Patient(
        "coord-install --uninstall; printf '#!/bin/sh\nexit 1\n' >.git/hooks/pre-push;"
        "chmod +x .git/hooks/pre-push; coord-install; rm .git/hooks/pre-commit",
    ),
    "hooks behind a link": Patient(
        "coord-install --uninstall; mkdir githooks; rm -rf .git/hooks;"
        "ln -s ../githooks .git/hooks; printf '#!/bin/sh\n' >githooks/commit-msg;"
        "chmod +x githooks/commit-msg; git add .;"
        "git commit -qm hooks",
        "coord-install",
    ),
    "a config that is no TOML": Patient("printf 'x = [[[[\n' >>.coord.toml", COMMIT),
    "a worktree copied with its pin": Patient(
        "git worktree add -q ../x -b x; cp .git/worktrees/w/coord* .git/worktrees/x/",
    ),
    "an unpinned worktree": Patient(
        "git worktree add -q ../x -b x; rm .git/worktrees/x/coord*; git -C ../w coord claim x",
    ),
    "an identity for all": Patient("git config user.email search@agents"),
    "an author in the config of a worktree": Patient(
        "git config extensions.worktreeConfig true; git -C ../w config --worktree author.email z@z"
    ),
    "a hooks path that leads nowhere": Patient("git config core.hooksPath .git/none"),
    "a hooks path of its own": Patient("git config core.hooksPath .h; mkdir .h; coord-install"),
    "a bare main worktree": Patient("git config core.bare true", place="w"),
    "a guard that was overridden": Patient("echo 'LOG merge=union' >>.git/info/attributes"),
    "macros that are gone": Patient("sed -i /attr/d .gitattributes; raw commit -qam x"),
    "a launcher that is gone": Patient("rm .git/hooks/coord/launch"),
    "our hooks and config removed": Patient(
        "rm .git/hooks/commit-msg .git/hooks/pre-push .git/hooks/coord/config"
    ),
    "a declaration that was not installed": Patient("echo 'N coord-log' >>.gitattributes"),
    "a lock that was left": Patient("touch -d '2 hours ago' .git/index.lock"),
    "a log that moved, in a clone that guards where it was": Patient(
        "git clone -q . ../c; (cd ../c; coord-install --trust); mkdir doc; git mv LOG doc/LOG;"
        "git coord track log doc/LOG; git coord untrack LOG; git add .; git commit -qm move;"
        "git -C ../c pull -q",
        place="c",
    ),
    "a sign of life that leads elsewhere": Patient(
        "echo precious >../precious; ln -sf ../../precious .git/coord-seen;"
        "rm .git/hooks/coord/alias",
    ),
    "a declaration too deep to read": Patient(
        "printf 'x = ' >>.coord.toml; head -c 3000 /dev/zero | tr '\\0' '[' >>.coord.toml", COMMIT
    ),
    "an author copied into the config of all": Patient(
        "git config -f .git/config user.name w-1234; git config -f .git/config user.email "
        "ada+w-1234@example.com; git config -f .git/config author.email ada+w-1234@example.com"
    ),
    "a worktree moved by hand": Patient("mv ../w ../v", place="v"),
    "a worktree whose link is damaged": Patient("echo 'gitdir: /nowhere' >../w/.git"),
    "files that lie nowhere": Patient("git config core.worktree ../../nowhere"),
    "files that lie nowhere, asked from beside": Patient(
        "git config core.worktree ../../nowhere", place="w"
    ),
    "a later version of the config": Patient("printf '[novel]\n' >>.coord.toml"),
    "a derived file without a producer": Patient(
        "echo x >other; echo 'other coord-derived' >>.gitattributes; git add .; raw commit -qm d;"
        "coord-install"
    ),
    "a changelog declared as a log": Patient(
        "git coord untrack CHANGES.md; git coord track log CHANGES.md; git add .; git commit -qm l"
    ),
    "a guard that no branch declares": Patient(
        "git coord track log N; git checkout -q .gitattributes .coord.toml"
    ),
    "a derived file outside of a sparse checkout": Patient(
        "mkdir a; echo id >a/out; "
        "git coord track derived a/out --regenerate 'cp in a/out' --input in; git add .;"
        "git commit -qm a; git sparse-checkout set --no-cone /in /out"
    ),
    # What stands in the way of a verb.
    "a file in the way of ids": Patient(
        "mkdir coordination; echo jasper >coordination/ids", "git coord id next adr"
    ),
    "a link in the way of attributes": Patient(
        "mv .gitattributes ../ga; ln -s ../ga .gitattributes", "git coord track log X"
    ),
    "a ledger that is another file": Patient(
        "mkdir coordination; echo jasper >coordination/moves.tsv; git add .; git commit -qm l",
        "coord-install --fleet",
    ),
}


def world(folder: Path, env: Mapping[str, str]) -> None:
    """Make the world in `folder`."""
    folder.mkdir()
    subprocess.run(["sh", "-e", "-c", _WORLD], cwd=folder, env=env, check=True, capture_output=True)


def fall_ill(well: Path, folder: Path, env: Mapping[str, str], name: str) -> None:
    """Copy the world `well` to `folder`, and make the patient `name` of it."""
    subprocess.run(["cp", "-a", well, folder], check=True)
    # The two places where git writes down a path.
    (folder / "w/.git").write_text(f"gitdir: {folder}/r/.git/worktrees/w\n")
    (folder / "r/.git/worktrees/w/gitdir").write_text(f"{folder}/w/.git\n")
    script = _WORDS + PATIENTS[name].fault
    subprocess.run(
        ["sh", "-c", script], cwd=folder, env={**os.environ, **env}, check=False,
        capture_output=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
