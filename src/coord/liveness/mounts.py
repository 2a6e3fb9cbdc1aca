"""What is mounted where we look: whether a file lies on this machine's own disk, or is covered."""

from __future__ import annotations

import os

# A lock or a time stamp there is this kernel's own; an overlay's may be another file's, a network's
# another machine's.
_LOCAL = frozenset({"btrfs", "ext2", "ext3", "ext4", "f2fs", "tmpfs", "xfs", "zfs"})
# They make up the numbers of files anew, when one is looked at again or the disk is mounted.
_NUMBERS_MADE_UP = ("9p", "cifs", "drvfs", "exfat", "fuse", "msdos", "smb3", "vboxsf", "vfat",
                    "virtiofs")  # fmt: skip
OVERLAY = "overlay"
_TABLE = "/proc/self/mountinfo"
_ESCAPES = (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\"))


def is_local(path: str) -> bool:
    """Tell whether `path` is proved to lie on a disk of this machine."""
    return kind(path) in _LOCAL


def kind(path: str) -> str:
    """Return the kind of file system that `path` lies on, empty where it cannot be told."""
    inside = os.path.realpath(path)
    last = ""
    for point, found in _mounts():  # the last one there covers the others
        if inside == point or inside.startswith(point.rstrip("/") + "/"):
            last = found
    return last


def keeps_numbers(kind: str) -> bool:
    """Tell whether a file of such a file system has one inode for as long as it is there."""
    return not kind.startswith(_NUMBERS_MADE_UP)


def may_cover(folder: str) -> bool:
    """Tell whether something may be mounted below `folder`, so that what is there is not seen."""
    below = os.path.realpath(folder).rstrip("/") + "/"
    if not os.path.isdir("/proc"):  # macOS and the BSDs: nothing is mounted for one process only
        return os.path.ismount(os.path.join(folder, "worktrees"))
    found = _mounts()
    return not found or any(point.startswith(below) for point, _ in found)


def _mounts() -> list[tuple[str, str]]:
    """Return mount points with their file systems, in the order of mounting; none where hidden."""
    try:
        with open(_TABLE, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split(" ") for line in file]
    except OSError:
        return []
    return [(_plain(words[4]), words[words.index("-") + 1]) for words in lines if "-" in words]


def _plain(escaped: str) -> str:
    for code, char in _ESCAPES:
        escaped = escaped.replace(code, char)
    return escaped
