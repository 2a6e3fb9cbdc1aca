"""The remote of a clone that is named in place of a URL: ``git+NAME``."""

from __future__ import annotations

from coord.remote import address
from coord.repo import git


def resolved(text: str, cwd: str) -> str:
    """Return a text with the push URL of the remote that it names in its place; any other as it is.

    As git pushes there: ``pushurl`` and ``url.….pushInsteadOf`` count.

    Raises:
        ValueError: a clone has no remote of that name.
    """
    name = address.name(text)
    if not name:
        return text
    done = git.ask("remote", "get-url", "--push", "--", name, cwd=cwd)
    if done.code or not done.text:
        raise ValueError("it is no URL, and this clone has no remote of that name")
    return f"{address.SCHEME}{done.text}"


def naming(url: str, cwd: str) -> str:
    """Return the first remote of a clone that is at a URL of git's to push to; empty if none is."""
    for name in git.ask("remote", cwd=cwd).text.split("\n"):
        urls = git.ask("remote", "get-url", "--push", "--all", "--", name, cwd=cwd).text.split("\n")
        if name and url in urls:
            return name
    return ""
