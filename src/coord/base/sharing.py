"""What several users of one repository may do to our files: as much as to git's own.

Git gives what it makes in a git dir the permissions that ``core.sharedRepository`` asks for,
whatever the umask (``adjust_shared_perm`` of its path.c), and a config file that it rewrites the
permissions that it had. Hot path: only ``os``.

A *share* is git's own number: 0 leaves the umask's work as it is, a positive one is added to it,
and a negative one replaces it.
"""

from __future__ import annotations

import os

from coord.base import peerfile

_SETGID = 0o2000
_MOST = 1024 * 1024  # bytes of a config file
_OWNER, _GROUP, _ALL = 0o600, 0o660, 0o664
_WORDS = {"": 0, "umask": 0, "group": _GROUP, "all": _ALL, "world": _ALL, "everybody": _ALL,
          "true": _GROUP, "yes": _GROUP, "on": _GROUP, "false": 0, "no": 0, "off": 0}  # fmt: skip
_OLD = {0: 0, 1: _GROUP, 2: _ALL}


def of(common_dir: str) -> int:
    """Return what ``core.sharedRepository`` of a repository asks for; 0 where it cannot be read."""
    try:
        data = peerfile.read(os.path.join(common_dir, "config"), _MOST)
    except OSError:
        return 0
    if b"sharedrepository" not in data.lower():
        return 0
    return parsed(_said(data.decode("utf-8", "replace")))


def parsed(said: str) -> int:
    """Return what a value of ``core.sharedRepository`` asks for; of what git refuses, nothing."""
    if said in _WORDS:
        return _WORDS[said]
    try:
        number = int(said, 8)
    except ValueError:
        return 0
    exactly = -(number & 0o666) if number & _OWNER == _OWNER else 0  # git refuses any other
    return _OLD.get(number, exactly)


def as_config(common_dir: str) -> int:
    """Return what gives a file the permissions of the repository's config.

    For what that file includes: where one can be read and the other not, git itself dies.
    """
    try:
        return -(os.stat(os.path.join(common_dir, "config")).st_mode & 0o666)
    except OSError:
        return 0


def of_folder(common_dir: str) -> int:
    """Return what a folder needs in which a file lies that the repository's config includes."""
    return of(common_dir) or -as_config(common_dir) & 0o444


def of_private(git_dir: str) -> int:
    """Return :func:`of` for the repository of a private git dir."""
    return of(common_dir(git_dir))


def common_dir(git_dir: str) -> str:
    """Return the common git dir of a private one; without a link to another it is that itself."""
    try:
        link = peerfile.read(os.path.join(git_dir, "commondir")).decode(errors="surrogateescape")
    except OSError:
        return git_dir
    return os.path.normpath(os.path.join(git_dir, link.rstrip("\n")))


def private_dirs(common_dir: str) -> list[str]:
    """Return the private git dirs of linked worktrees; of a copied repository its original's too.

    None where their folder may not be read, as git itself lists none then.
    """
    folder = os.path.join(common_dir, "worktrees")
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except OSError:
        return []


def granted(mode: int, share: int) -> int:
    """Return the permissions of a file that the umask has left `mode`; git's calc_shared_perm."""
    bits = abs(share)
    if not mode & 0o200:
        bits &= ~0o222
    if mode & 0o100:
        bits |= (bits & 0o444) >> 2
    return bits if share < 0 else mode | bits


def settle(fd: int, share: int) -> None:
    """Give an open file what `share` grants; where there are no such permissions it is left."""
    if not share:
        return
    there = os.fstat(fd).st_mode & 0o777
    wanted = granted(there, share)
    if wanted != there:
        try:
            os.fchmod(fd, wanted)
        except OSError:
            return


def hand_over(fd: int, folder: str) -> None:
    """Let all who may write in `folder` read and write an open file in it, as far as we can.

    Several users need not say core.sharedRepository: root at work in somebody's repository does
    not, nor who made it with a umask of 002.
    """
    facts, mine = os.stat(folder), os.fstat(fd)
    if (mine.st_uid, mine.st_gid) != (facts.st_uid, facts.st_gid):
        for uid in (facts.st_uid, -1):  # only root gives a file away, and its members to a group
            try:
                os.fchown(fd, uid, facts.st_gid)
                break
            except OSError:
                continue
    settle(fd, (facts.st_mode & 0o222) * 3)


def folder(path: str, share: int) -> None:
    """Make a folder as git makes its own; one that is there stays as it is.

    Raises:
        OSError: the folder above is not there, or may not be written.
    """
    try:
        os.mkdir(path)
    except FileExistsError:
        return
    if not share:
        return
    there = os.stat(path).st_mode & 0o7777
    wanted = granted(there & 0o777, share)
    wanted |= (wanted & 0o444) >> 2 | there & 0o7000
    # Only what core.sharedRepository asks for names the owner's right to write.
    handed_on = bool(abs(share) & 0o200 and wanted & 0o060)
    for mode in (wanted | _SETGID * handed_on, wanted):
        try:
            os.chmod(path, mode)
        except OSError:  # a system on which folders hand their group on, and g+s is root's
            continue
        return


def folders(path: str, share: int) -> None:
    """Make a folder and what it needs above.

    Raises:
        OSError: as :func:`folder`.
    """
    made = []
    while not os.path.isdir(path):
        made.append(path)
        path = os.path.dirname(path)
    for each in reversed(made):
        folder(each, share)


def closed(path: str) -> str | None:
    """Return who has closed `path`, or the nearest folder above that can be seen, and how.

    None where its permissions are not what keeps us out.
    """
    while True:
        try:
            facts = os.stat(path, follow_symlinks=False)
            break
        except PermissionError:
            path = os.path.dirname(path)
        except OSError:
            return None
    me = os.geteuid()
    if me in {0, facts.st_uid}:
        return None
    mode = facts.st_mode & 0o7777
    return f"{path} is {_user(facts.st_uid)}'s, mode {mode:04o}, and you are {_user(me)}"


def _said(text: str) -> str:
    """Return the value in a config file, read as git writes it: the last one counts."""
    found = section = ""
    for raw in text.split("\n"):
        line = raw.strip()
        if line.startswith("["):
            head, _, line = line[1:].partition("]")
            section = head.strip().lower()
        key, equals, value = line.partition("=")
        if section == "core" and key.strip().lower() == "sharedrepository":
            bare = value.partition("#")[0].partition(";")[0].strip().strip('"')
            found = bare.lower() if equals else "group"
    return found


def _user(uid: int) -> str:
    import pwd  # noqa: PLC0415  # only after a failure

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
