"""Words of servers that no test has here: a disk that is full, services, hooks that talk."""

from __future__ import annotations

import pytest

from coord.base.failures import Absent, Denied, Failure, Lost, Unfit
from coord.remote import words
from coord.remote.session import Done

# As git 2.39 said them of a full tmpfs, a read-only one, and one of another user.
_FULL = "remote: fatal: unable to write loose object file: No space left on device        \n"
_UNPACK = "error: remote unpack failed: unpack-objects abnormal exit\n"
_REF = "remote: error: cannot update ref 'refs/coord/board': couldn't write '/b/x.lock'   \n"
_FOLDER = "error: remote unpack failed: unable to create temporary object directory\n"
_RACE = "[remote rejected] (failed to update ref)"
_UNPACKED = "[remote rejected] (unpacker error)"
_LOCK = "remote: error: cannot lock ref 'refs/coord/board': "
_SENT = "18:00:00.1 run-command.c:655 trace: run_command: git pack-objects --stdout\n"
_BEGUN = "18:00:00.1 git.c:460 trace: built-in: git push\n"
_HUNG_UP = "fatal: the remote end hung up unexpectedly\n"


@pytest.mark.parametrize(
    ("summary", "said", "kind"),
    [
        (_UNPACKED, _FULL + _UNPACK, Absent),
        (_UNPACKED, _UNPACK, Absent),
        (_UNPACKED, _FOLDER, Denied),
        (_RACE, _REF, Absent),
        (_RACE, f"{_LOCK}unable to create directory for x", Denied),
        (_RACE, f"{_LOCK}is at 12 but expected 34", None),
        (_RACE, "", None),
        ("[remote rejected] (incorrect old value provided)", "", None),
        (_RACE, "remote: no permission to deploy", None),
        ("[remote rejected] (protected branch hook declined)", "", Unfit),
        ("[remote rejected] (TF401027: You need the 'X' permission)", "", Denied),
        ("[remote rejected] (Internal Server Error)", "", Lost),
        ("[remote failure] (remote failed to report status)", "", Lost),
        ("[rejected] (stale info)", "", None),
        ("", _SENT + _HUNG_UP, Lost),
        ("", _SENT + "remote: hook: RPC failed; HTTP 403\n" + _HUNG_UP, Lost),
        ("", _SENT + "error: RPC failed; HTTP 403 curl 22 …\n" + _HUNG_UP, Denied),
        ("", _BEGUN + _HUNG_UP, Absent),
        ("", _HUNG_UP, Lost),  # no trace: nobody knows how far it came
        ("", _BEGUN + "git@github.com: Permission denied (publickey).\n", Denied),
        ("", _BEGUN + "ERROR: Repository not found.\n", Unfit),
        ("", _BEGUN + "fatal: unable to access 'https://ssl_x/': Could not resolve\n", Absent),
        ("", _BEGUN + "fatal: unable to access 'x': SSL certificate problem: expired\n", Unfit),
    ],
)  # fmt: skip
def test_a_push_that_was_not_accepted(summary: str, said: str, kind: type[Failure] | None) -> None:
    """None says that another commit stands there, Lost that this one may."""
    found = words.of_push(summary, Done(1, b"", said.encode()), "git+x")

    assert (None if found is None else type(found)) is kind


@pytest.mark.parametrize(("said", "kind"), [(_SENT, Lost), (_BEGUN, Absent), ("", Lost)])
def test_a_push_whose_time_is_over(said: str, kind: type[Failure]) -> None:
    """What had not begun to be sent was not done."""
    assert type(words.of_push("", Done(None, b"", said.encode()), "git+x")) is kind


def test_more_words_than_are_kept_tell_nothing_of_how_far_it_came() -> None:
    """The line that would tell may be among those that are missing."""
    found = words.of_push("", Done(128, b"", _BEGUN.encode() + b"x" * (1 << 17)), "git+x")

    assert type(found) is Lost


def test_a_reason_is_one_line_without_what_says_nothing_and_without_a_login() -> None:
    """It is shown among our own words."""
    said = (
        f"{_BEGUN}remote: come\rback\x1b[2J later        \nhint: never\n"
        "fatal: unable to access 'https://me:s3cret@h/x': no\n"
        "fatal: Could not read from remote repository.\n"
    )

    found = words.of_fetch(Done(128, b"", said.encode()), "git+x")

    assert found.why == "come; back\x1b[2J later; unable to access 'https://…@h/x': no"
