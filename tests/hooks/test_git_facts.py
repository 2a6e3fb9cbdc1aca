"""What git does that the hooks lean on. A fact that stops holding should fail here, loudly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

TELL = """#!/bin/sh
{ printf '%s' "$(basename "$0")"; printf ' %s' "$@"; printf ' index=%s' "${GIT_INDEX_FILE##*/}"
for name in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD REBASE_HEAD MERGE_MSG SQUASH_MSG \\
	rebase-merge rebase-apply sequencer; do
	# a reftable repository keeps all of these heads but the first among its refs
	{ [ ! -e "$(git rev-parse --git-path $name)" ] && ! git rev-parse -q --verify $name; } \
		>/dev/null || printf ' %s' "$name"
done
echo; } >>"$TOLD"
"""


@pytest.fixture
def told(repo: Repo, tmp_path: Path) -> Repo:
    """A repository whose hooks write down how they were called."""
    spied = repo.with_env(TOLD=str(tmp_path / "told"))
    for event in ("prepare-commit-msg", "commit-msg", "post-rewrite", "post-checkout"):
        path = spied.common(f"hooks/{event}")
        path.write_text(TELL)
        path.chmod(0o755)
    spied.commit("base", {"f": "base\n", "s": "base\n"})
    return spied


@pytest.fixture
def forked(told: Repo) -> Repo:
    """Branches main and side in conflict about s."""
    told.git("checkout", "-q", "-b", "side")
    told.commit("side", {"s": "side\n"})
    told.commit("more", {"more": "side\n"})
    told.git("checkout", "-q", "main")
    told.commit("main", {"s": "main\n"})
    return told


def calls(repo: Repo, command: str, event: str = "prepare-commit-msg") -> list[str]:
    """Run a command and return how `event` was called, without the message file."""
    log = repo.env["TOLD"]
    with open(log, "w", encoding="utf-8"):
        pass
    repo.paste(command)
    with open(log, encoding="utf-8") as file:
        lines = [line.split() for line in file]
    return [" ".join(line[2:]) for line in lines if line[0] == event]


def undone(repo: Repo) -> list[str]:
    """Return git's resolve-undo list."""
    return repo.git("ls-files", "--resolve-undo").splitlines()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git commit -q --allow-empty -m x", "message index=index"),
        ("git commit -q --allow-empty -m x --no-verify", "message index=index"),
        ("echo 1 >f; git commit -qam x", "message index=index.lock"),
        ("git commit -q --amend --no-edit", "commit HEAD index=index"),
        ("git commit -q --amend -m x", "message index=index"),
        ("git commit -q --allow-empty -C HEAD", "commit HEAD index=index"),
        ("git revert --no-edit HEAD", "message index=index MERGE_MSG"),
        ("git cherry-pick other", "message index=index CHERRY_PICK_HEAD MERGE_MSG"),
    ],
)
def test_what_prepare_commit_msg_is_told(told: Repo, command: str, expected: str) -> None:
    """``--amend -m`` says ``message``; a clean revert leaves no REVERT_HEAD."""
    told.git("checkout", "-q", "-b", "other")
    told.commit("other", {"other": "1\n"})
    told.git("checkout", "-q", "main")
    told.commit("main", {"main": "1\n"})

    assert calls(told, command) == [expected]


def test_a_partial_commit_has_a_scratch_index(told: Repo) -> None:
    """Its name is how the gate tells that conflicts are not in it."""
    (line,) = calls(told, "echo 1 >f; git commit -qm x -- f")

    assert line.startswith("message index=next-index-")
    assert line.endswith(".lock")


@pytest.mark.parametrize(
    ("way", "kept"),
    [
        ("git add -A", True),
        ("git checkout --theirs s && git add s", True),
        ("git rm -q --cached s && git add s", True),
        ("git checkout HEAD -- s", True),
        ("git reset -q -- s", True),
        ("git add -A && git reset -q", True),
        ("git add -A && git merge --quit", True),
        ("git add -A && git commit -qm x", True),
        ("git add -A && git merge --abort", False),
        ("git add -A && git reset -q --hard", False),
        ("git add -A && git reset -q --merge", False),
        ("git add -A && git checkout -q -f side", False),
        ("git add -A && git stash -q", False),
    ],
)
def test_when_the_resolve_undo_list_is_kept(forked: Repo, way: str, kept: bool) -> None:
    """It survives every way to stage, and a plain reset; an abort drops it."""
    forked.tried("merge", "side")
    forked.paste(way)

    assert len(undone(forked)) == (3 if kept else 0)


@pytest.mark.parametrize(
    ("way", "kept"),
    [
        ("git merge -q side; git reset -q", False),
        ("git merge -q side; git merge --quit", False),
        ("git merge -q --squash side; git reset -q", False),
        ("git cherry-pick side~1; git cherry-pick --quit", False),
        ("git checkout -q side; git rebase -q main; git rebase --quit", True),
        ("git merge -q --squash side", True),
        ("git cherry-pick -n side~1", True),
    ],
)
def test_when_merge_msg_is_kept(forked: Repo, way: str, kept: bool) -> None:
    """It stands for work that awaits its commit; ``rebase --quit`` leaves it behind."""
    forked.paste(way)

    assert forked.private("MERGE_MSG").exists() == kept


def test_rebase_quit_leaves_rebase_head_behind(forked: Repo) -> None:
    """So that head alone is no sign of a rebase."""
    forked.paste("git checkout -q side; git rebase -q main; git rebase --quit")

    assert forked.tried("rev-parse", "-q", "--verify", "REBASE_HEAD").code == 0
    assert not forked.private("rebase-merge").exists()


def test_a_dropped_commit_is_listed_as_rewritten_to_its_base(forked: Repo) -> None:
    """Git asks no hook when it drops one, and lists it as ``OLD NEW`` all the same."""
    old, base = forked.git("rev-parse", "side~1"), forked.git("rev-parse", "main")
    forked.paste("git checkout -q side; git rebase -q main; git checkout --ours s; git add s")
    path = forked.common("hooks/post-rewrite")
    path.write_text('#!/bin/sh\ncat .git/rebase-merge/rewritten-list - >>"$TOLD.list"\n')
    forked.git("rebase", "--continue")

    with open(forked.env["TOLD"] + ".list", encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines[0] == f"{old} {base}"
    assert lines[: len(lines) // 2] == lines[len(lines) // 2 :]


def test_am_keeps_the_mails_body_beside_its_own_message(told: Repo) -> None:
    """``rebase-apply/msg`` has no trailer of ``am -s``."""
    told.commit("mailed", {"g": "1\n"})
    path = told.common("hooks/applypatch-msg")
    path.write_text('#!/bin/sh\ncp .git/rebase-apply/msg "$TOLD.msg"; cp "$1" "$TOLD.full"\n')
    path.chmod(0o755)
    told.paste(
        "git format-patch -q -1 -o ../mail; git reset -q --hard HEAD~1; git am -q -s ../mail/*"
    )

    with open(told.env["TOLD"] + ".msg", encoding="utf-8") as file:
        assert "Signed-off-by" not in file.read()
    with open(told.env["TOLD"] + ".full", encoding="utf-8") as file:
        assert "Signed-off-by" in file.read()


def test_a_macro_in_info_attributes_is_found_by_a_pathspec(told: Repo) -> None:
    """``:(attr:coord-log)`` sees the macro's own name, whatever it expands to."""
    told.write(".gitattributes", "[attr]coord-log -merge\n*.tsv coord-log\n")
    told.common("info/attributes").write_text("[attr]coord-log merge=coord-log\n")
    told.write("a.tsv", "1\n")
    told.git("add", "-A")

    assert told.git("ls-files", ":(attr:coord-log)") == "a.tsv"
    assert told.git("check-attr", "merge", "a.tsv") == "a.tsv: merge: coord-log"


def test_post_rewrite_and_post_checkout_in_a_rebase(forked: Repo) -> None:
    """One checkout at its start, which is where a missing interpreter is told."""
    forked.paste("git checkout -q side; git rebase -q main; git rebase --abort")
    forked.git("checkout", "-q", "-b", "quiet", "side")
    found = calls(forked, "git rebase -q --force-rebase HEAD~2", "post-checkout")

    assert len(found) == 1
    assert found[0].endswith("rebase-merge")
