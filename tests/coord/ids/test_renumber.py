"""``id renumber``: one of two claims gets a number of its own, and nobody's claim is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.board import answer
from harness.ids import claim, clone_of, contested, guard, path, taken

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness import Done, Repo

EARLY, LATE = "2026-01-01T00:00:00.000000Z", "2026-01-02T00:00:00.000000Z"
SETTLED = "--format=%(trailers:key=Coord-Resolved,valueonly)"
UNHOOKED = ("-c", "core.hooksPath=/dev/null")


def forked(repo: Repo, ours: str, theirs: str, name: str = path(1)) -> Repo:
    """Let ``main`` and ``side`` claim one path; main is checked out."""
    guard(repo)
    repo.git("switch", "-q", "-c", "side")
    repo.commit("side", {name: theirs})
    repo.git("switch", "-q", "main")
    repo.commit("main", {name: ours})
    return repo


def pasted(repo: Repo, done: Done) -> Done:
    """Paste the command of a refusal, and insist that nothing is unmerged after it."""
    assert done.code, done
    cured = repo.paste(done.refusal.run)
    assert cured.code == 0, cured.err
    assert repo.git("ls-files", "-u") == ""
    return cured


@pytest.mark.parametrize(
    ("ours", "theirs", "keeps"),
    [(EARLY, LATE, "ada"), (LATE, EARLY, "lin"), ("", "", "lin"), (EARLY, EARLY, "lin")],
)
def test_in_a_merge_the_younger_claim_moves(
    installed: Repo, ours: str, theirs: str, keeps: str
) -> None:
    """Without dates this branch's; the commit says so, and every check is quiet."""
    forked(installed, claim(1, "ada", ours), claim(1, "lin", theirs))
    pasted(installed, installed.tried("merge", "side"))
    installed.git("commit", "-q", "--no-edit")
    mover = {"ada": "lin", "lin": "ada"}[keeps]

    assert f'actor = "{keeps}"' in installed.read(path(1))
    moved = claim(1, mover, {"lin": theirs, "ada": ours}[mover])
    assert installed.read(path(2)) == moved.replace("HW-0001", "HW-0002")
    said = installed.git("log", "-1", SETTLED)
    assert said == f"{path(1)} the claim of {mover} is HW-0002 now\n"
    assert installed.git("status", "--porcelain") == ""
    assert contested(installed) == []
    assert installed.coord("check", "HEAD").code == 0


def test_two_clones_that_merge_each_other_come_to_one_result(
    installed: Repo, tmp_path: Path
) -> None:
    """The same bytes under the same names, so that these merge again without a word."""
    forked(installed, claim(1, "ada", EARLY), claim(1, "lin", LATE))
    other = clone_of(installed, tmp_path / "clone")
    other.git("switch", "-q", "side")
    for there, branch in ((installed, "side"), (other, "origin/main")):
        pasted(there, there.tried("merge", branch))
        there.git("commit", "-q", "--no-edit")

    assert installed.git("rev-parse", "HEAD^{tree}") == other.git("rev-parse", "HEAD^{tree}")
    other.git("pull", "-q", "--no-edit", "--no-rebase", "origin", "main")
    assert contested(other) == []
    assert other.coord("check", "HEAD").code == 0


def rebase(repo: Repo) -> str:
    """Put main's commit on side, which has the path already."""
    pasted(repo, repo.tried("rebase", "side"))
    repo.git("rebase", "--continue")
    return "ada"


def cherry_pick(repo: Repo) -> str:
    """Bring side's commit."""
    pasted(repo, repo.tried("cherry-pick", "side"))
    repo.git("cherry-pick", "--continue")
    return "lin"


def squash(repo: Repo) -> str:
    """Bring side's changes, with no second parent."""
    pasted(repo, repo.tried("merge", "--squash", "side"))
    repo.git("commit", "-q", "-m", "squashed")
    return "lin"


def mailed(repo: Repo) -> str:
    """Bring side's commit by mail."""
    patch = repo.git("format-patch", "-1", "--stdout", "side") + "\n"
    pasted(repo, repo.tried("am", "-3", stdin=patch))
    repo.git("am", "--continue")
    return "lin"


def popped(repo: Repo) -> str:
    """Bring side's file out of the stash."""
    repo.git("switch", "-q", "--detach", "main~1")
    repo.git("checkout", "-q", "side", "--", ".")
    repo.git("stash", "push", "-q")
    repo.git("switch", "-q", "main")
    pasted(repo, repo.tried("stash", "pop"))
    repo.git("commit", "-q", "-m", "popped")
    return "lin"


@pytest.mark.parametrize("operation", [rebase, cherry_pick, squash, mailed, popped])
def test_what_is_brought_onto_a_history_moves(
    installed: Repo, operation: Callable[[Repo], str]
) -> None:
    """HEAD has the path already, and no commit of its history may change it; dates do not count."""
    forked(installed, claim(1, "ada", EARLY), claim(1, "lin", LATE))
    moved = operation(installed)

    assert f'actor = "{moved}"' in installed.read(path(2))
    assert f'actor = "{ {"ada": "lin", "lin": "ada"}[moved] }"' in installed.read(path(1))
    assert installed.git("diff", "--name-status", "HEAD~1", "HEAD") == f"A\t{path(2)}"
    assert installed.coord("check", "HEAD").code == 0


def test_a_conflict_that_no_driver_saw_is_settled_too(repo: Repo) -> None:
    """A clone without the drivers stops by `-merge`; the commit bears the reason once installed."""
    repo.install()
    forked(repo, claim(1, "ada"), claim(1, "lin"))
    attributes = repo.common("info/attributes")
    kept = attributes.read_text()
    attributes.write_text("")
    assert repo.tried("merge", "side").code == 1
    attributes.write_text(kept)

    assert repo.coord("id", "renumber", path(1)).code == 0
    repo.git("commit", "-q", "--no-edit")
    assert repo.git("log", "-1", SETTLED).startswith(path(1))


def test_a_version_that_both_sides_changed_gets_a_nonce_of_its_own(installed: Repo) -> None:
    """Two versions of one claim are two claims from now on."""
    guard(installed)
    installed.commit("claim", {path(1): claim(1, "ada")})
    installed.git("branch", "side")
    for branch in ("main", "side"):
        installed.git("switch", "-q", branch)
        installed.write(path(1), claim(1, "ada") + f'note = "{branch}"\n')
        installed.git(*UNHOOKED, "commit", "-qam", branch)
    done = installed.tried("merge", "main")
    assert done.refusal.rule == "once-changed"
    pasted(installed, done)
    installed.git("commit", "-q", "--no-edit")

    assert 'note = "main"' in installed.read(path(1))
    assert 'note = "side"' in installed.read(path(2))
    assert contested(installed) == []


def test_a_claim_that_a_merge_dropped_is_brought_back(installed: Repo) -> None:
    """The server kept one of two; the other gets a number, and the path stays as it is."""
    forked(installed, claim(1, "ada"), claim(1, "lin"))
    installed.tried("merge", "side")
    installed.git("checkout", "--ours", "--", path(1))
    installed.git("add", "-A")
    installed.git("clean", "-fdq")
    tree = installed.git("write-tree")
    both = ("-p", "main", "-p", "side")
    installed.git("reset", "-q", "--hard", installed.git("commit-tree", tree, *both, "-m", "merge"))
    [problem] = answer(installed, "check", "HEAD", code=1)["problems"]
    assert problem["rule"] == "id-taken"

    assert installed.paste(problem["run"]).code == 0
    installed.git("commit", "-q", "-m", "renumbered")
    assert 'actor = "ada"' in installed.read(path(1))
    assert 'actor = "lin"' in installed.read(path(2))
    assert installed.coord("check", "HEAD").code == 0
    assert contested(installed) == []


def test_a_claim_made_twice_with_the_same_bytes_becomes_two(installed: Repo) -> None:
    """Git merged them without a word; each gets a file, the new one a nonce."""
    guard(installed)
    text = claim(1, "team", nonce=None)
    installed.git("switch", "-q", "-c", "side")
    installed.with_env(GIT_AUTHOR_DATE="1700000000 +0000").commit("side", {path(1): text})
    installed.git("switch", "-q", "main")
    installed.commit("main", {path(1): text})
    installed.git("merge", "-q", "--no-edit", "side")
    [problem] = answer(installed, "check", "HEAD", code=1)["problems"]
    assert contested(installed) != []

    assert installed.paste(problem["run"]).code == 0
    installed.git("commit", "-q", "-m", "renumbered")
    assert installed.read(path(1)) == text
    assert "nonce" in installed.read(path(2))
    assert installed.coord("check", "HEAD").code == 0
    assert contested(installed) == []


def test_what_only_another_branch_contests_moves(installed: Repo) -> None:
    """Before any merge; the commit gate and the checks know why the file went."""
    forked(installed, claim(1, "ada"), claim(1, "lin"))
    assert installed.coord("id", "renumber", path(1)).code == 0
    assert contested(installed) == []
    installed.git("commit", "-q", "-m", "renumbered")

    assert installed.git("log", "-1", SETTLED).endswith(" the claim of ada is HW-0002 now\n")
    assert installed.coord("check", "HEAD").code == 0
    installed.git("merge", "-q", "--no-edit", "side")
    assert 'actor = "lin"' in installed.read(path(1))
    assert contested(installed) == []


def test_an_uncommitted_claim_moves_without_a_trace(installed: Repo) -> None:
    """The index forgets the old name."""
    guard(installed)
    assert taken(installed) == "HW-0001"
    found = answer(installed, "id", "renumber", path(1))

    assert found == {
        "schema": 1,
        "path": path(1),
        "kept": None,
        "id": "HW-0002",
        "new_path": path(2),
        "moved": "main",
    }
    assert installed.git("diff", "--cached", "--name-only") == path(2)
    assert not (installed.path / path(1)).exists()
    installed.git("commit", "-q", "-m", "claim")
    assert installed.git("log", "-1", SETTLED) == ""


@pytest.mark.parametrize("where", ["head", "branch", "elsewhere"])
def test_a_claim_that_nothing_disputes_stays(installed: Repo, where: str) -> None:
    """Somebody else's, or one's own that others have: exit 1, and nothing is changed."""
    guard(installed)
    assert installed.coord("track", "once", "adr/**").code == 0
    name, text = path(1), claim(1, "lin")
    if where == "branch":
        taken(installed)
        text = installed.read(path(1))
    if where == "elsewhere":
        name = "adr/0007-why.md"
    installed.commit("claim", {name: text})
    if where == "branch":
        installed.git("branch", "published")
    before = installed.git("status", "--porcelain")
    done = installed.coord("id", "renumber", name)

    assert (done.code, done.refusal.rule) == (1, "nothing-refused")
    assert "git coord id list" in done.refusal.why
    assert installed.git("status", "--porcelain") == before
    assert installed.paste(done.refusal.run).code == 0
    assert not installed.common("coord/board/ids").exists() or where == "branch"


def test_ones_own_claim_that_nobody_else_has_moves(installed: Repo) -> None:
    """Committed here, on no other branch."""
    guard(installed)
    taken(installed)
    installed.git("commit", "-q", "-m", "claim")

    assert answer(installed, "id", "renumber", path(1))["new_path"] == path(2)
    installed.git("commit", "-q", "-m", "renumbered")
    assert installed.coord("check", "HEAD").code == 0


def test_it_is_not_renumbered_twice(installed: Repo) -> None:
    """After a conflict, and without one: exit 1, and the printed command works."""
    forked(installed, claim(1, "ada", LATE), claim(1, "lin", EARLY))
    assert installed.coord("id", "renumber", path(1)).code == 0
    done = installed.coord("id", "renumber", path(1))
    assert (done.code, done.refusal.rule) == (1, "nothing-refused")
    assert installed.paste(done.refusal.run).code == 0
    assert installed.git("diff", "HEAD", "--", path(1)) == ""
    installed.git("reset", "-q", "--hard")

    pasted(installed, installed.tried("merge", "side"))
    staged = installed.git("status", "--porcelain")
    done = installed.coord("id", "renumber", path(1))
    assert (done.code, done.refusal.rule) == (1, "nothing-refused")
    assert installed.paste(done.refusal.run).code == 0
    assert installed.git("status", "--porcelain") == staged


def test_a_copied_file_gets_a_nonce_and_a_wrong_name_its_own(installed: Repo) -> None:
    """What `check` finds in one tree."""
    guard(installed)
    installed.commit("one", {path(1): claim(1, "ada"), path(2): claim(1, "ada")})
    [problem] = answer(installed, "check", "--tree", code=1)["problems"][:1]

    assert installed.paste(problem["run"]).code == 0
    installed.git("commit", "-q", "-m", "renumbered")
    assert answer(installed, "check", "--tree")["problems"] == []
    assert 'id = "HW-0003"' in installed.read(path(3))


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("adr/0007-why.md", "adr/0008-why.md"),
        ("adr/claim", "adr/claim-2"),
        ("12.once", "13.once"),
        ("it's $(x) 3.md", "it's $(x) 4.md"),
        ("-new\nline", "-new\nline-2"),
    ],
)
def test_write_once_files_elsewhere_are_numbered_as_they_look(
    installed: Repo, name: str, new: str
) -> None:
    """The content is a document, and only its own name for itself is changed."""
    for pattern in ("adr/**", "*.once", "it*", "-new*"):
        assert installed.coord("track", "once", "--", pattern).code == 0
    forked(installed, "ada\n", "lin\nid: 7\n", name)
    installed.git("switch", "-q", "side")
    pasted(installed, installed.tried("merge", "main"))
    installed.git("commit", "-q", "--no-edit")

    assert installed.read(name) == "ada\n"
    assert installed.read(new) == "lin\nid: 7\n"


def test_the_number_is_free_in_every_branch(installed: Repo) -> None:
    """Also the one after, if a branch nobody has merged holds it."""
    forked(installed, claim(1, "ada"), claim(1, "lin"))
    installed.git("switch", "-q", "-c", "third")
    installed.commit("third", {path(2): claim(2, "eve")})
    installed.git("switch", "-q", "main")
    pasted(installed, installed.tried("merge", "side"))

    assert (installed.path / path(3)).exists()


def test_a_path_that_only_one_side_has_is_no_two_claims(installed: Repo) -> None:
    """Exit 1; the printed command keeps it."""
    guard(installed)
    installed.commit("claim", {path(1): claim(1, "ada")})
    installed.git("branch", "side")
    installed.write(path(1), claim(1, "ada") + "more\n")
    installed.git(*UNHOOKED, "commit", "-qam", "changed")
    installed.git("switch", "-q", "side")
    installed.git("rm", "-q", path(1))
    installed.git(*UNHOOKED, "commit", "-qm", "deleted")
    installed.tried("merge", "main")
    done = installed.coord("id", "renumber", path(1))

    assert (done.code, done.refusal.rule) == (1, "nothing-refused")
    assert installed.paste(done.refusal.run).code == 0
    assert installed.git("ls-files", "-u") == ""


def test_what_is_no_claim_is_refused(installed: Repo) -> None:
    """A log, a file like any other, and what git does not know; nothing is touched."""
    guard(installed)
    assert installed.coord("track", "log", "*.tsv").code == 0
    installed.commit("log", {"x.tsv": "1\n", "src/a/m1.py": "pass\n"})
    before = installed.git("status", "--porcelain")
    names = (("x.tsv", "not-once"), ("src/a/m1.py", "not-once"), ("nowhere", "path-unknown"))
    for name, rule in names:
        done = installed.coord("id", "renumber", name)
        assert (done.code, done.refusal.rule) == (1 if rule == "not-once" else 2, rule)
        assert installed.paste(done.refusal.run).code == 0
    assert installed.git("status", "--porcelain") == before


def test_a_clone_without_the_drivers_knows_what_is_written_once(repo: Repo) -> None:
    """By the attribute, wherever the file is; and below the folder of identifiers by that alone."""
    repo.commit("ids", {"a/N-1": "one\n", path(1): claim(1, "ada"), "b/N-1": "one\n"})
    repo.commit("once", {".gitattributes": "[attr]coord-once -merge\na/** coord-once\n"})

    done = [repo.coord("id", "renumber", name) for name in ("a/N-1", path(1), "b/N-1")]

    assert done[0].code == 0, done[0].err
    # Ada's claim is known for one, and nobody disputes it.
    assert [one.refusal.rule for one in done[1:]] == ["nothing-refused", "not-once"]


def test_from_a_linked_worktree_and_a_subfolder(installed: Repo, tmp_path: Path) -> None:
    """The path as the driver printed it counts from the top level."""
    forked(installed, claim(1, "ada"), claim(1, "lin"))
    side = tmp_path / "side"
    installed.git("worktree", "add", "-q", str(side), "side")
    there = installed.at(side)
    done = there.tried("merge", "main")
    cured = there.at(side / "coordination").paste(done.refusal.run)

    assert cured.code == 0, cured.err
    assert cured.out.splitlines() == [f"lin has {path(2)} now", f"{path(1)} is ada’s"]
