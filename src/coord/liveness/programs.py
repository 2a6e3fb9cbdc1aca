"""Programs that are never the worker: they run what others asked for, or outlive all of it."""

from __future__ import annotations

SHELLS = frozenset({
    "sh", "ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh",
    "tcsh", "xonsh", "yash", "zsh",
})  # fmt: skip
# What only runs what others asked for. A list, for no system tells: what is missing is taken for a
# worker, whose claims are shown as ended when it ends.
_RUNNERS = frozenset({
    "chronic", "chroot", "chrt", "doas", "entr", "env", "faketime", "firejail", "bwrap", "flock",
    "gmake", "hatch", "hyperfine", "ionice", "just", "ltrace", "make", "mise", "ninja", "nice",
    "nohup", "nox", "npm", "npx", "parallel", "perf", "pipenv", "pipx", "pkexec", "pnpm", "pnpx",
    "poetry", "prlimit", "rake", "rlwrap", "runuser", "rye", "script", "setarch", "setpriv",
    "setsid", "stdbuf", "strace", "su", "sudo", "systemd-run", "taskset", "time", "timeout", "tox",
    "unbuffer", "unshare", "uv", "uvx", "valgrind", "watch", "xargs", "xvfb-run", "yarn",
})  # fmt: skip
CARRIERS = frozenset({"git", "git-coord"}) | _RUNNERS | SHELLS
# What outlives whatever it starts or takes in: it works on nothing.
SUPERVISORS = frozenset({
    "(sd-pam)", "atd", "catatonit", "containerd-shim", "cron", "crond", "docker-init", "dumb-init",
    "init", "launchd", "runit", "runsv", "s6-supervise", "s6-svscan", "screen",
    "supervisord", "systemd", "tini", "tmux", "tmux: server",
})  # fmt: skip
