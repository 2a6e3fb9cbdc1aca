"""Derived files on real histories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.check import commands
from harness.check import branch, found, problems, server_merge

if TYPE_CHECKING:
    from harness import Repo

STALE = [("derived-stale", "schema.json")]
MIXED = [("derived-two-sided", "schema.json")]


def test_an_artifact_made_anew_with_its_inputs_is_fresh(guarded: Repo) -> None:
    """Together, or in a later commit."""
    guarded.commit("both", {"src/a.proto": "A\n", "schema.json": "A\nb\n"})
    assert not problems(guarded)
    guarded.commit("input", {"src/a.proto": "AA\n"})
    guarded.commit("artifact", {"schema.json": "AA\nb\n"})
    assert not problems(guarded)


def test_an_input_that_changed_later_is_named(guarded: Repo) -> None:
    """With the commit since which the artifact is stale, not the last one."""
    bad = guarded.commit("input", {"src/a.proto": "A\n"})
    guarded.commit("another", {"src/b.proto": "B\n"})

    [problem] = problems(guarded)

    assert (problem.rule, problem.path, problem.commit) == ("derived-stale", "schema.json", bad)
    assert problem.message == "older than its input src/a.proto"


@pytest.mark.parametrize("change", ["add", "delete", "rename"])
def test_an_input_added_deleted_or_renamed_counts(guarded: Repo, change: str) -> None:
    """The set of inputs is an input."""
    if change == "add":
        guarded.commit("add", {"src/deep/c.proto": "c\n"})
    elif change == "delete":
        guarded.git("rm", "-q", "src/b.proto")
        guarded.commit("delete")
    else:
        guarded.git("mv", "src/b.proto", "src/c.proto")
        guarded.commit("rename")

    assert found(guarded) == STALE


def test_other_files_are_no_inputs(guarded: Repo) -> None:
    """Pathspecs are matched by git."""
    guarded.commit("other", {"src/a.txt": "A\n", "other/a.proto": "A\n"})

    assert not problems(guarded)


def test_the_printed_command_makes_it_fresh(guarded: Repo) -> None:
    """Also when the producer changes no byte: the commit vouches for it."""
    guarded.install()
    guarded.commit("an empty input", {"src/c.proto": ""})
    [problem] = problems(guarded)

    assert guarded.paste(problem.run).code == 0

    assert not problems(guarded)
    assert guarded.git("log", "-1", "--format=%(trailers:key=Coord-Resolved,valueonly)").startswith(
        "schema.json"
    )


@pytest.mark.parametrize("change", ["", "A\n"])
def test_the_printed_command_commits_nothing_else_that_is_staged(
    guarded: Repo, change: str
) -> None:
    """Whether the artifact changes or not, and from a subfolder."""
    guarded.install()
    guarded.commit("input", {"src/c.proto": change})
    guarded.write("other", "staged\n")
    guarded.git("add", "other")
    [problem] = problems(guarded)

    assert guarded.paste(f"cd src && {problem.run}").code == 0

    assert not problems(guarded)
    assert guarded.git("diff", "--cached", "--name-only") == "other"
    assert "other" not in guarded.git("show", "--name-only", "--format=", "HEAD")


def test_an_artifact_whose_name_is_a_glob_is_committed_alone(guarded: Repo) -> None:
    """To git ``*.json`` would be the other one too."""
    guarded.install()
    for name in ("*.json", "b.json"):
        guarded.write(name, "old\n")
    guarded.git("add", ".")
    guarded.git("commit", "-q", "-m", "two")
    guarded.write("b.json", "staged\n")
    guarded.git("add", "b.json")
    guarded.write("*.json", "new\n")

    assert guarded.paste(commands.regenerate_all([b"*.json"]).partition(" && ")[2]).code == 0

    assert guarded.git("show", "--name-only", "--format=", "HEAD") == "*.json"


def test_within_a_merge_the_merge_takes_the_artifact_along(guarded: Repo) -> None:
    """There git refuses a commit of single paths."""
    guarded.install()
    guarded.commit("input", {"src/a.proto": "A\n"})
    branch(guarded, "side", "else", {"other": "o\n"})
    guarded.git("merge", "-q", "--no-ff", "--no-commit", "side")
    [problem] = problems(guarded)

    assert guarded.paste(f"{problem.run} && git commit -q --no-edit").code == 0

    assert not problems(guarded)


def test_inputs_of_both_sides_and_one_sides_artifact_are_stale(guarded: Repo) -> None:
    """Git merges that without a conflict: each file changed on one side only."""
    branch(guarded, "side", "input", {"src/b.proto": "B\n"})
    guarded.commit("both", {"src/a.proto": "A\n", "schema.json": "A\nb\n"})
    guarded.git("merge", "-q", "--no-edit", "side")
    guarded.commit("unrelated", {"x": "x"})
    assert found(guarded) == STALE

    guarded.commit("made", {"schema.json": "A\nB\n"})

    assert not problems(guarded)


def test_a_merge_that_keeps_one_of_two_artifacts_is_stale(guarded: Repo) -> None:
    """Both regenerated; a person took theirs, or ours."""
    branch(guarded, "side", "side", {"src/b.proto": "B\n", "schema.json": "a\nB\n"})
    guarded.commit("main", {"src/a.proto": "A\n", "schema.json": "A\nb\n"})
    made = server_merge(guarded, "side", {"schema.json": "A\nb\n"})

    [problem] = problems(guarded)

    assert (problem.rule, problem.commit) == ("derived-stale", made)


def test_a_side_kept_with_other_line_ends_is_stale(guarded: Repo) -> None:
    """As ``merge.renormalize`` leaves it: the blob is no parent's, the text is one's."""
    branch(guarded, "side", "side", {"src/b.proto": "B\n", "schema.json": b"a\r\nB\r\n"})
    guarded.commit("main", {"src/a.proto": "A\n", "schema.json": "A\nb\n"})
    server_merge(guarded, "side", {"schema.json": "a\nB\n"})

    assert found(guarded) == STALE


def test_identical_artifacts_of_different_inputs_are_stale(guarded: Repo) -> None:
    """Both sides made the same bytes, so git asks nobody."""
    branch(guarded, "side", "side", {"src/b.proto": "B\n", "schema.json": "same\n"})
    guarded.commit("main", {"src/a.proto": "A\n", "schema.json": "same\n"})
    guarded.git("merge", "-q", "--no-edit", "side")

    assert found(guarded) == STALE


def test_a_merge_that_brings_both_from_one_side_is_fresh(guarded: Repo) -> None:
    """Inputs and artifact are that side's."""
    branch(guarded, "side", "side", {"src/b.proto": "B\n", "schema.json": "a\nB\n"})
    guarded.commit("elsewhere", {"x": "x"})
    guarded.git("merge", "-q", "--no-edit", "side")

    assert not problems(guarded)


def test_a_merge_that_makes_it_anew_is_fresh(guarded: Repo) -> None:
    """What a resolved refusal leaves."""
    branch(guarded, "side", "side", {"src/b.proto": "B\n", "schema.json": "a\nB\n"})
    guarded.commit("main", {"src/a.proto": "A\n", "schema.json": "A\nb\n"})
    server_merge(guarded, "side", {"schema.json": "A\nB\n"})
    assert not problems(guarded)


@pytest.mark.parametrize("strategy", ["octopus", "resolve"])
def test_a_text_merge_of_two_artifacts_is_named(guarded: Repo, strategy: str) -> None:
    """No driver is called by either strategy, and far-apart lines merge without a conflict."""
    lines = [f"{number}\n" for number in range(9)]
    guarded.commit("made", {"src/a.proto": "0\n", "schema.json": "".join(lines)})
    top, end = ["x\n", *lines[1:]], [*lines[:-1], "y\n"]
    branch(guarded, "first", "first", {"src/a.proto": "1\n", "schema.json": "".join(top)})
    branch(guarded, "second", "second", {"src/b.proto": "2\n", "schema.json": "".join(end)})
    guarded.git("checkout", "-q", "first" if strategy == "resolve" else "main")
    guarded.commit("elsewhere", {"x": "x"})
    others = ["second"] if strategy == "resolve" else ["first", "second"]
    guarded.git("merge", "-q", "--no-edit", "-s", strategy, *others)

    assert found(guarded) == MIXED


def test_without_declared_inputs_a_dropped_side_is_named(guarded: Repo) -> None:
    """Nobody can tell what it is made from, but two results cannot both be gone."""
    guarded.commit("no inputs", {".coord.toml": '[derived."schema.json"]\nregenerate = "true"\n'})
    branch(guarded, "side", "side", {"schema.json": "side\n"})
    guarded.commit("main", {"schema.json": "main\n"})
    made = server_merge(guarded, "side", {"schema.json": "main\n"})

    [problem] = problems(guarded)

    assert (problem.rule, problem.commit) == ("derived-two-sided", made)
    assert found(guarded, "side..HEAD") == MIXED


def test_without_declared_inputs_one_sides_change_is_taken(guarded: Repo) -> None:
    """Nothing was dropped."""
    guarded.commit("no inputs", {".coord.toml": '[derived."schema.json"]\nregenerate = "true"\n'})
    branch(guarded, "side", "side", {"schema.json": "side\n"})
    guarded.commit("main", {"x": "x"})
    guarded.git("merge", "-q", "--no-edit", "side")

    assert not problems(guarded)


def test_one_producer_of_many_files_is_one_unit(guarded: Repo) -> None:
    """A change of one input alters some of its files, and the others are fresh as well."""
    declared = (
        '[derived."gen/*"]\nregenerate = "make gen"\ninputs = ["src/*.proto"]\n'
        '[derived."schema.json"]\nregenerate = "true"\n'
    )
    attributes = guarded.read(".gitattributes") + "gen/* coord-derived\n"
    files = {".coord.toml": declared, ".gitattributes": attributes, "gen/a": "a", "gen/b": "b"}
    guarded.commit("many", files)
    guarded.commit("one", {"src/a.proto": "A\n", "gen/a": "A"})
    assert not problems(guarded)

    guarded.commit("none", {"src/a.proto": "AA\n"})

    assert [each.path for each in problems(guarded)] == ["gen/a"]


def test_a_trailer_vouches_for_what_the_producer_did_not_change(guarded: Repo) -> None:
    """In the same commit, or in a later one."""
    guarded.commit("input\n\nCoord-Resolved: schema.json unchanged", {"src/a.proto": "A\n"})
    assert not problems(guarded)
    guarded.commit("input", {"src/a.proto": "AA\n"})
    guarded.commit("vouch\n\nCoord-Resolved: schema.json unchanged")
    assert not problems(guarded)


def test_what_was_stale_before_the_range_is_not_judged_again(guarded: Repo) -> None:
    """A range answers for its own commits."""
    guarded.commit("input", {"src/a.proto": "A\n"})
    guarded.commit("later", {"x": "x"})

    assert not problems(guarded, "HEAD^..HEAD")


def test_an_artifact_that_is_gone_is_not_judged(guarded: Repo) -> None:
    """Not checked in any more."""
    guarded.git("rm", "-q", "schema.json")
    guarded.commit("gone", {"src/a.proto": "A\n"})

    assert not problems(guarded)


CONFLICT = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> side\n"


def two(guarded: Repo, ours: str, theirs: str, merged: str) -> str:
    """Merge two commits that both made the artifact; return the merge."""
    branch(guarded, "side", "side", {"src/a.proto": "A\n", "schema.json": theirs})
    guarded.commit("main", {"src/b.proto": "B\n", "schema.json": ours})
    server_merge(guarded, "side", {"schema.json": merged})
    return guarded.git("rev-parse", "HEAD")


def test_a_conflict_that_was_committed_is_named_until_it_is_gone(guarded: Repo) -> None:
    """Whatever is changed beside it, and in whatever commit it came."""
    bad = guarded.commit("popped", {"schema.json": f"a\nb\n{CONFLICT}", "src/a.proto": "A\n"})
    guarded.commit("more", {"schema.json": f"A\nb\n{CONFLICT}"})
    [problem] = problems(guarded)
    assert (problem.rule, problem.path, problem.commit) == ("conflict-markers", "schema.json", bad)
    assert problem.message == "conflict markers were committed, from line 3 on"

    guarded.commit("made", {"schema.json": "A\nb\n"})
    assert not problems(guarded)


def test_the_command_for_a_conflict_makes_the_artifact_anew(guarded: Repo) -> None:
    """In a merge that holds both sides between markers."""
    guarded.install()
    guarded.git("checkout", "-q", ".")
    two(guarded, "a\nB\n", "A\nb\n", CONFLICT)
    [problem] = problems(guarded)
    assert problem.rule == "conflict-markers"

    done = guarded.paste(problem.run)

    assert done.code == 0, done.err
    assert guarded.read("schema.json") == "A\nB\n"
    assert not problems(guarded)


def test_a_quoted_conflict_of_a_parent_is_no_fault(guarded: Repo) -> None:
    """It stood there before, or came with a reason."""
    base = guarded.commit("quotes", {"schema.json": f"a\nb\n{CONFLICT}"})
    guarded.commit("more", {"schema.json": f"A\nb\n{CONFLICT}", "src/a.proto": "A\n"})
    assert not problems(guarded, f"{base}..HEAD")

    said = "quotes\n\nCoord-Resolved: schema.json it quotes a conflict"
    guarded.commit(said, {"schema.json": f"A\nb\n{CONFLICT}{CONFLICT.replace('b', 'c')}"})
    assert not problems(guarded, f"{base}..HEAD")


@pytest.mark.parametrize(
    "row",
    ["x\na\nx\nb\n", "x\nb\nx\na\n", "x\na\n=======\nx\nb\n", "x\r\na\r\n\r\nx\r\nb\r\n"],
    ids=["ours first", "theirs first", "a marker left", "other line ends"],
)
def test_both_versions_one_after_the_other_are_not_made(guarded: Repo, row: str) -> None:
    """What both have stands there twice, as no producer would make it."""
    bad = two(guarded, "x\na\n", "x\nb\n", row)
    [problem] = problems(guarded)

    assert (problem.rule, problem.path, problem.commit) == ("derived-two-sided", "schema.json", bad)
    assert problem.message == "the merge holds the sides' versions one after the other"


def test_a_producer_may_put_one_side_after_the_other(guarded: Repo) -> None:
    """Where they share no line: it joins the parts, of which each side brought one."""
    two(guarded, "new of ours\n", "new of theirs\n", "new of ours\nnew of theirs\n")

    assert not problems(guarded)
