"""A repository's address: what it names, and what must never reach git as one."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.remote import address
from coord.remote.address import Address, parsed


@pytest.mark.parametrize(
    ("text", "protocol", "host"),
    [
        ("git+https://git.example.org/team/board.git", "https", "git.example.org"),
        ("git+https://me@git.example.org:8443/board", "https", "git.example.org:8443"),
        ("git+http://127.0.0.1:8080/board.git", "http", "127.0.0.1:8080"),
        ("git+ssh://git@[::1]:2222/srv/board.git", "ssh", "[::1]:2222"),
        ("git+ssh://host/~me/board", "ssh", "host"),
        ("git+git@git.example.org:team/board.git", "ssh", "git.example.org"),
        ("git+host:board", "ssh", "host"),
        ("git+git://10.0.0.1/board.git", "git", "10.0.0.1"),
        ("git+file:///srv/board.git", "file", ""),
        ("git+/srv/a board:1.git", "file", ""),
    ],
)
def test_each_form_says_its_protocol_its_host_and_itself(
    text: str, protocol: str, host: str
) -> None:
    """What is recorded is what was typed, and reads the same again."""
    found = parsed(text)

    assert (found.protocol, found.host, found.text) == (protocol, host, text)
    assert found.is_local == (protocol == "file")
    assert parsed(found.text) == found


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("git+file:///srv/a%20board.git", "/srv/a board.git"),
        ("git+ssh://host/srv/a%20board.git", "/srv/a board.git"),
        ("git+/srv/a%20board.git", "/srv/a%20board.git"),
        ("git+host:a%20board.git", "a%20board.git"),
    ],
)
def test_the_folder_of_a_url_is_what_git_makes_of_it(text: str, path: str) -> None:
    """Git decodes a URL, and takes a path as it is."""
    assert parsed(text).path == path


@pytest.mark.parametrize(
    "text",
    [
        "git+https://me:s3cret@host/p", "git+https://s3cret:@host/p", "git+ssh://me:s3cret@host/p",
        "git+https://s3cret@me@host/p", "git+https://host/p?token=s3cret", "git+https://h/p#s3cret",
        "git+https://ghp_s3cret@github.com/p", "git+https://s3cret" + "0" * 40 + "@host/p",
        "git+git://s3cret@host/p", "https://me:s3cret@host/p", "git+s3cret:me@host:p",
    ],
)  # fmt: skip
def test_what_may_be_a_secret_is_refused_without_showing_it(text: str) -> None:
    """It would stand in a file, in messages and in the list of processes."""
    with pytest.raises(ValueError, match=r"board|URL|user|dash") as raised:
        parsed(text)

    assert "s3cret" not in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "git+--upload-pack=touch x", "git+-x:y", "git+ssh://-oProxyCommand=x/p", "git+-oX=y:p",
        "git+ssh://-u@host/p", "git+-u@host:p", "git+u@-host:p", "git+host:-p", "git+ssh://h/-p",
        "git+/-p", "git+file:///-p", "git+ssh://h/%2Dp", "git+https://h//-p",
    ],
)  # fmt: skip
def test_what_some_command_would_take_for_an_option_is_refused(text: str) -> None:
    """URL, user, host and path are each handed to a command somewhere."""
    with pytest.raises(ValueError, match=r"board|URL|user|dash"):
        parsed(text)


@pytest.mark.parametrize(
    "text",
    [
        "git+ext::sh -c 'touch x'", "git+fd::17", "git+https::x", "git+origin::https://h/p",
        "git+::p", "git+ext://h/p", "git+ftp://h/p", "git+HTTPS://h/p", "git+rsync:p//x",
        "git+ssh+git://h/p", "git+git+ssh://h/p", "git+x-helper://h/p", "git+ext:://h/p",
        "etcd://h/p", "git://h/p", "git+", "local", "",
    ],
)  # fmt: skip
def test_helpers_and_other_protocols_are_refused(text: str) -> None:
    """``ext::`` runs any command, and a remote helper is any program of that name."""
    if text == "git+rsync:p//x":
        assert parsed(text).protocol == "ssh"  # a host that is called so
        return
    with pytest.raises(ValueError, match=r"board|URL|protocol|helper"):
        parsed(text)


@pytest.mark.parametrize(
    "text",
    [
        "git+./board", "git+../board", "git+a/board", "git+.", "git+..", "git+~/board",
        "git+origin", "git+/srv/../etc/x", "git+ssh://h/a/../b", "git+h:../b",
        "git+https://h/a/%2e%2e/b", "git+file:///a/%2e./b", "git+file://h/p", "git+file://",
        "git+/", "git+https://h",
        "git+https://h/", "git+h:", "git+h:/", "git+https:///p", "git+https://h:0/p",
        "git+https://h:99999/p", "git+https://h:x/p", "git+https://h:/p", "git+https://[::1/p",
        "git+https://[]/p", "git+https://[::1]2/p", "git+https://h\\@evil/p", "git+https://h%41/p",
        "git+https://h/a\nb", "git+https://h/a%0ab", "git+/a\x1b[2Jb", "git+/a\u202eb",
        "git+/a\udc80b", "git+https://h/" + "p" * 512,
    ],
)  # fmt: skip
def test_what_names_no_one_repository_is_refused(text: str) -> None:
    """A path that is looked up from somewhere is another one in another worktree."""
    with pytest.raises(ValueError, match=r"board|URL|protocol|user"):
        parsed(text)


_PIECES = st.sampled_from(
    ["git+", "https", "ssh", "git", "file", "ext", "://", ":", "::", "/", "//", "@", "-", "..", ".",
     "~", "%2e", "%00", "[", "]", "host", "u", "p.git", "22", " ", "\n", "\\", "?", "#", "é", "'"]
)  # fmt: skip
_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")


_BEGUN = st.sampled_from(
    ["https://host/", "ssh://u@", "u@host:", "host:", "file:///", "git://host"]
)
_ENDED = st.lists(_PIECES, max_size=9).map("".join)


@given(_ENDED | st.builds(str.__add__, _BEGUN, _ENDED) | st.text(max_size=30))
def test_whatever_passes_reads_the_same_again_and_is_no_option_and_no_helper(rest: str) -> None:
    """As transport.c of git tells them: a helper is letters and ``::``, or a foreign scheme."""
    with contextlib.suppress(ValueError):
        found = parsed(f"git+{rest}")

        assert isinstance(found, Address)
        assert parsed(found.text) == found
        assert found.text == f"git+{rest}"
        assert not _HELPER.match(found.url)
        assert not any(text.startswith("-") for text in (found.url, found.host, found.path))
        assert found.url.isprintable()
        assert ".." not in found.path.split("/")
        assert found.protocol in {"https", "http", "ssh", "git", "file"}
        assert "://" not in found.url or found.url.startswith((f"{found.protocol}://", "/")) or (
            found.protocol == "ssh" and ":" in found.url.partition("://")[0]
        )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("git+origin", "origin"), ("git+my-remote.2", "my-remote.2"), ("git+-x", ""),
        ("git+..", ""), ("git+a/b", ""), ("git+h:p", ""), ("git+https://h/p", ""), ("git+", ""),
        ("origin", ""),
        ("git+a\nb", ""),
    ],
)  # fmt: skip
def test_a_remote_is_told_by_having_neither_slash_nor_colon(text: str, name: str) -> None:
    """It is resolved once, when it is chosen; :func:`parsed` takes none."""
    assert address.name(text) == name
