"""This machine as records know it: its host, this boot, our namespaces, whose ``/proc`` it is.

Two processes can be compared where all of these are one: pids count in a pid namespace, start times
in a time namespace, both in a boot. Hot path: a few links of ``/proc`` are read, once.
"""

from __future__ import annotations

import functools
import os
import time

# PROC_TIME_INIT_INO of the kernel: there the time since boot is what it is everywhere.
_INITIAL_TIME = "time:[4026531834]"
_INITIAL_PID = "pid:[4026531836]"
_ID = "/proc/sys/kernel/random/boot_id"


def host() -> str:
    """Return the name of this machine."""
    return os.uname().nodename


@functools.cache
def boot() -> str:
    """Return what numbers of processes are relative to: this boot, and our namespaces.

    Empty where it cannot be told (no ``/proc``, or one in which we do not occur): nothing is equal
    to that. Records of versions before name no time namespace, and so are equal to nothing either.
    """
    boot_id = _boot_id()
    if not os.path.isdir("/proc"):  # macOS and the BSDs have neither
        return boot_id
    pid, times = _namespace("pid"), _namespace("time") or "time:-"
    return f"{boot_id} {pid} {times}" if boot_id and pid else ""


def boot_id_of(recorded: str) -> str:
    """Return the boot itself in what :func:`boot` returned for a record."""
    return recorded.partition(" ")[0]


def uptime() -> tuple[str, float]:
    """Return a clock that nobody sets: which one it is, and what it shows, in seconds.

    Of two readings of one of these clocks, at least so much time as they differ has passed. It goes
    on while the machine sleeps, where there is such a clock. Processes in other pid namespaces of
    one boot have the same; where a boot cannot be told from others, a machine by its name.
    """
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    shows = time.monotonic() if clock is None else time.clock_gettime(clock)
    boot_id, _, names = boot().partition(" ")
    return f"{boot_id} {names.rpartition(' ')[2]}".strip() or host(), shows


@functools.cache
def proc_is_ours() -> bool:
    """Tell whether numbers in ``/proc`` are those of our own pid namespace.

    A container may see the host's, and a sandbox may hide behind one that is none: only a process
    that has one number, its own, has them in common (``readlink /proc/self`` can agree by chance).
    """
    try:
        with open("/proc/self/status", "rb") as file:
            for line in file:
                if line.startswith(b"NSpid:"):
                    return line.split()[1:] == [b"%d" % os.getpid()]
    except OSError:
        pass
    return False


def has_initial_time() -> bool:
    """Tell whether the time since boot is not shifted for us (``unshare --time``)."""
    return _namespace("time") in {"", _INITIAL_TIME}


def has_initial_pids() -> bool:
    """Tell whether pid 1 is the machine's own first process."""
    return _namespace("pid") == _INITIAL_PID


def booted() -> float | None:
    """Return when this machine was started, in seconds by its clock; None where it cannot be told.

    It moves with the clock when that is stepped.
    """
    try:
        with open("/proc/stat", "rb") as file:
            for line in file:
                if line.startswith(b"btime "):
                    return float(line.split()[1])
    except (OSError, ValueError):
        pass
    return None


def _boot_id() -> str:
    try:
        with open(_ID, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        if os.path.isdir("/proc"):
            return ""
    from coord.liveness import withoutproc  # noqa: PLC0415  # only where there is no /proc

    return withoutproc.boot()


def _namespace(kind: str) -> str:
    try:
        return os.readlink(f"/proc/self/ns/{kind}")
    except OSError:
        return ""
