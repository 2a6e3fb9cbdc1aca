"""What verbs cost on a board on a server, counted in requests, in a story of two clones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple, Protocol

from harness.board import worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


class Counts(Protocol):
    """A server, or what stands before it, that tells which requests came."""

    @property
    def asked(self) -> list[str]:
        """All of them, in order."""


def clone_of(repo: Repo, path: Path, actor: str, url: str, rate: int | None = None) -> Repo:
    """Return a worktree of a worker in an installed clone of `repo`, whose board is at `url`."""
    repo.git("clone", "-q", str(repo.path), str(path))
    made = repo.at(path)
    assert made.started("coord-install").code == 0
    pushes = () if rate is None else ("--pushes-a-minute", str(rate))
    assert made.coord("store", "use", url, *pushes).code == 0
    return worker(made, path.with_name(f"{path.name}-{actor}"), f"work-{actor}", actor)


def ran(repo: Repo, *words: str) -> str:
    """Run ``git coord WORDS``, insist that it succeeds, return what it prints."""
    done = repo.coord(*words)
    assert done.code == 0, f"{words}: {done.code}\n{done.out}\n{done.err}"
    return done.out


class Cost(NamedTuple):
    """A verb in a situation: how many requests it took, and which."""

    verb: str
    requests: int
    paths: tuple[str, ...]


class Story:
    """Runs commands one after the other, and counts what each asks the server."""

    def __init__(self, proxy: Counts) -> None:
        self._proxy = proxy
        self.costs: list[Cost] = []

    def tell(self, what: str, repo: Repo, *words: str) -> str:
        """Run ``git coord WORDS`` and note its cost as that of `what`, if it is named."""
        begun = len(self._proxy.asked)
        out = ran(repo, *words)
        paths = tuple(self._proxy.asked[begun:])
        if what:
            self.costs.append(Cost(what, len(paths), paths))
        return out


def told(ann: Repo, bob: Repo, proxy: Counts) -> list[Cost]:
    """Return what each verb costs two workers who are on the roll, and have no news.

    Each comes to a copy that lacks what the other has written since.
    """
    story = Story(proxy)
    for one in (ann, bob, ann):
        story.tell("", one, "board")
    story.tell("claim, free", ann, "claim", "task:1")
    story.tell("claim, one's own", ann, "claim", "task:1")
    story.tell("board", bob, "board")
    story.tell("claim, held", bob, "claim", "task:1")
    story.tell("", ann, "claim", "task:2")
    story.tell("claim, held since the last look", bob, "claim", "task:2")
    story.tell("wake", bob, "wake")
    story.tell("send", ann, "send", "help", "bob", "look here")
    story.tell("inbox, one message", bob, "inbox")
    story.tell("inbox, nothing new", bob, "inbox")
    story.tell("release, to an heir", ann, "release", "task:1")
    story.tell("board, with news", bob, "board")
    story.tell("release, to nobody", bob, "release", "task:1")
    story.tell("handoff", ann, "handoff", "bob", "--scope", "task:2")
    offer = json.loads(story.tell("", bob, "inbox", "--json"))["messages"][0]["id"]
    story.tell("ack", bob, "ack", offer)
    story.tell("", ann, "board")
    story.tell("finish", ann, "finish")
    story.tell("run -- true", bob, "run", "task:3", "--", "true")
    return story.costs
