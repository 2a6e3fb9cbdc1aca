"""Where a board on a git remote is: ``git+`` and what git is given, without a secret.

    git+https://[USER@]HOST[:PORT]/PATH     git+ssh://…, git+http://…; git+git://… has no user
    git+[USER@]HOST:PATH                    by ssh, as git clone takes it
    git+file:///PATH, git+/PATH             on this machine

``git+NAME``, a remote of a clone, is no address: it is resolved when it is chosen. What passes here
is read by git as a URL of that protocol, never as an option, a helper (``ext::``) or a path that is
looked up from somewhere.
"""

from __future__ import annotations

from coord.base.frozen import NamedTuple

SCHEME = "git+"
#: Whom a committed file may suggest: they authenticate whoever pushes, and run nothing here.
SUGGESTED = frozenset({"https", "ssh"})
_USERS = {"https": True, "http": True, "ssh": True, "git": False}  # whether it takes a user
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_NAME = _LETTERS | frozenset("._-")
_LITERAL = frozenset("0123456789abcdefABCDEF:.")
_PORTS = range(1, 1 << 16)
_DIGITS = 5
_LONGEST = 512
_FORMS = (
    "a board on a git remote is named git+https://HOST/PATH, git+ssh://[USER@]HOST/PATH, "
    "git+[USER@]HOST:PATH or git+REMOTE"
)
# Services take these as the user of an https URL, and they open everything.
_TOKENS = ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "ATATT", "ATBB")
_LONGEST_USER = 39  # GitHub's limit; a token in hexadecimal has 40


class Address(NamedTuple):
    """One repository.

    Attributes:
        url: as git is given it.
        protocol: as ``GIT_ALLOW_PROTOCOL`` names it: https, http, ssh, git or file.
        host: whose it is, with the port where one is named; empty on this machine.
        path: of the repository, decoded; on this machine the folder, its links not resolved.
    """

    url: str
    protocol: str
    host: str
    path: str

    @property
    def text(self) -> str:
        """What is chosen and recorded, from which :func:`parsed` reads the same."""
        return f"{SCHEME}{self.url}"

    @property
    def is_local(self) -> bool:
        """Whether it is a folder of this machine, whose git runs as who calls."""
        return self.protocol == "file"


def parsed(text: str) -> Address:
    """Return the repository that a text names.

    Raises:
        ValueError: it names none, or holds what may be a secret; the text is not in the message.
    """
    url = text.removeprefix(SCHEME)
    if url == text or not url or url[0] == "-":
        raise ValueError(_FORMS)
    if len(text) > _LONGEST:
        raise ValueError(f"the URL is longer than {_LONGEST} characters")
    if not url.isprintable():
        raise ValueError("the URL holds control characters, or what no screen shows")
    if url[0] == "/":
        return Address(url, "file", "", _path(url))
    scheme, is_url, rest = url.partition("://")
    if is_url and not {":", "/"} & set(scheme):
        return _of_url(url, scheme, rest)
    return _of_ssh(url)


def name(text: str) -> str:
    """Return the remote that ``git+NAME`` names; empty where the text has another form."""
    found = text.removeprefix(SCHEME)
    is_name = found != text and not {":", "/"} & set(found) and found.isprintable()
    return found if is_name and found[:1] not in {"", "-", "."} else ""


def may_be_token(user: str) -> bool:
    """Tell whether the user of a URL may be a secret."""
    return user.startswith(_TOKENS) or len(user) > _LONGEST_USER


def _of_url(url: str, scheme: str, rest: str) -> Address:
    if any(char in rest for char in "?#"):
        raise ValueError("a URL that is recorded holds no query, where secrets would stand")
    if scheme == "file":
        if rest[:1] != "/":
            raise ValueError("the URL of a folder on this machine is git+file:///PATH")
        return Address(url, "file", "", _path(_decoded(rest)))
    if scheme not in _USERS:
        raise ValueError("its protocol is none of https, http, ssh, git and file")
    server, slash, path = rest.partition("/")
    user, at, host = server.rpartition("@")
    if at and not _USERS[scheme]:
        raise ValueError("git:// asks for no user")
    if at:
        _require_user(user)
    _require_host(host)
    return Address(url, scheme, host, _path(_decoded(slash + path)))


def _of_ssh(url: str) -> Address:
    """Return what ``[USER@]HOST:PATH`` names."""
    server, colon, path = url.partition(":")
    if not colon or "/" in server:
        raise ValueError(f"{_FORMS}; a folder by its whole path")
    user, at, host = server.rpartition("@")
    if at:
        _require_user(user)
    if "@" in path:
        raise ValueError("a URL that is recorded holds no password; an ssh key is asked for none")
    if path[:1] == ":":
        raise ValueError("a helper of git's (NAME::) is no repository")
    if path[:2] == "//":
        raise ValueError("its protocol is none of https, http, ssh, git and file")
    if not _is_name(host):
        raise ValueError("the URL names no host, or no port that can be")
    _path(path)
    return Address(url, "ssh", host, path)


def _require_user(text: str) -> None:
    if ":" in text or "@" in text:
        raise ValueError("a URL that is recorded holds no password; git credential can keep it")
    if may_be_token(text):
        raise ValueError("the user of the URL may be a token; git credential can keep it")
    if not _is_name(text):
        raise ValueError("the user's name has other characters than letters, digits and . _ -")


def _require_host(text: str) -> None:
    host, _, port = text.partition(":")
    if text[:1] == "[":
        literal, closed, port = text[1:].partition("]")
        is_host = bool(closed) and bool(literal) and _LITERAL.issuperset(literal)
        is_host = is_host and port[:1] in {"", ":"}
        has_port, port = bool(port), port[1:]
    else:
        is_host, has_port = _is_name(host), ":" in text
    is_port = port.isascii() and port.isdigit() and len(port) <= _DIGITS and int(port) in _PORTS
    if not is_host or (has_port and not is_port):
        raise ValueError("the URL names no host, or no port that can be")


def _path(text: str) -> str:
    """Return a path as it is, if it names a repository and nothing above or beside it."""
    parts = text.split("/")
    if not any(parts) or ".." in parts:
        raise ValueError("the URL ends in no path of a repository, or in one with ..")
    if next(part for part in parts if part)[0] == "-":
        raise ValueError("the path of the repository begins with a dash")
    return text


def _decoded(path: str) -> str:
    """Return the path of a URL as git takes it.

    Raises:
        ValueError: it hides what may not stand there.
    """
    if "%" not in path:
        return path
    from urllib.parse import unquote  # noqa: PLC0415  # rare, and 5 ms

    found = unquote(path, errors="surrogateescape")
    if any(ord(char) < ord(" ") or char == "\x7f" for char in found):
        raise ValueError("the URL holds control characters, or what no screen shows")
    return found


def _is_name(text: str) -> bool:
    # What begins with a dash would be an option of some command that is handed it.
    return bool(text) and _NAME.issuperset(text) and text[0] != "-"
