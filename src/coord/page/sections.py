"""The sections of the page, each from the document that its verb answers with ``--json``."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from coord.page import waits, when
from coord.page.element import element
from coord.stores import scopes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from xml.etree.ElementTree import Element

    from coord.documents.board import ClaimantDocument, MemberDocument, RowDocument
    from coord.documents.ledgers import MoveDocument
    from coord.documents.merge_order import EntryDocument, MergeOrderDocument
    from coord.documents.overlaps import ContactDocument, OverlapDocument
    from coord.page.element import Child

_DAYS = 30
_HOW = {"held": " holds it, for ", "waiting": " waits, for ", "dead": " waited; ended, "}
# For an artifact nobody has to wait.
_MERGED = {**_HOW, "waiting": " is merged later, for "}
_LAST = 12


class Section(NamedTuple):
    """A part of the page.

    Attributes:
        anchor: its name in links.
        title: its heading.
        number: what stands behind the heading.
        body: what is in it; nothing for a section that has nothing to show.
        empty: what is said then.
    """

    anchor: str
    title: str
    number: int
    body: list[Element]
    empty: str


def people(members: Sequence[MemberDocument], now: float, what: str) -> Section:
    """Return who is here; `what` is what there was of each so long ago."""
    body = [element("ul", *(_person(one, now, what) for one in members), class_="cards")]
    return Section("who", "Who is here", len(members), body, "Nobody has worked here yet.")


def claims(rows: Sequence[RowDocument], now: float | None) -> Section:
    """Return what is held, and the line for it; without `now`, since when by whose clock."""
    taken = [row for row in rows if row["claimants"]]
    body = [element("ul", *(_claim(row, now) for row in taken), class_="cards wide")]
    return Section("claims", "Claims", len(taken), body, "Nothing is claimed.")


def lines(rows: Sequence[RowDocument]) -> Section:
    """Return who waits on whom."""
    found = waits.graph(rows)
    body = [_scrolled(waits.drawn(found))] if found.waits else []
    if more := found.total - len(found.waits):
        body.append(element("p", f"and {more} more", class_="note"))
    return Section("waits", "Who waits on whom", found.total, body, "Nobody waits.")


def order(found: MergeOrderDocument) -> Section:
    """Return in which order branches are merged."""
    entries = found["order"]
    body = [
        element("p", f"into {found['onto']}", class_="note"),
        element("ol", *map(_branch, entries), class_="order"),
        *(_circle(one) for one in found["cycles"]),
    ]
    return Section("order", "Merge order", len(entries), body, "No branch is claimed for.")


def meetings(found: OverlapDocument) -> Section:
    """Return where branches meet: what they have changed, and what they mean to."""
    rows = [_contact(one) for one in found["actual"] if _unsettled(one)]
    for one in found["declared"]:
        who = " × ".join(each["branch"] or each["scope"] for each in one["claims"])
        paths = [*one["files"], *(" ~ ".join(pair) for pair in one["globs"])]
        rows.append(_met(who, "declared", paths))
    body = [element("ul", *rows, class_="cards wide")]
    return Section("meet", "Where branches meet", len(rows), body, "No two branches meet.")


def shipped(moves: Sequence[MoveDocument], now: float) -> Section:
    """Return what was shipped, a bar for each of the last thirty days, and the last of it."""
    last = [element("ul", *(_move(one, now) for one in moves[:_LAST]), class_="moves")]
    bars = [
        element("p", f"a bar a day, the last {_DAYS} days", class_="note"),
        element("div", *_bars(moves, now), class_="bars", aria_hidden="true"),
    ]
    return Section("shipped", "Shipped", len(moves), [*bars, *last], "Nothing was shipped yet.")


def _scrolled(drawing: Element) -> Element:
    """Return a drawing that is wider than some screens, within reach of a keyboard."""
    named = {"tabindex": "0", "role": "region", "aria_label": "drawing of the waits"}
    return element("div", drawing, class_="scroll", **named)


def _person(one: MemberDocument, now: float, what: str) -> Element:
    said = [element("span", "branch ", element("code", one["branch"] or "none"))]
    if one["worktree"]:
        folder = os.path.basename(one["worktree"])
        said.append(element("span", "in ", element("code", folder, title=one["worktree"])))
    seen = element("span", f"{what} ", when.age(one["last_seen"], now), " ago")
    state = one["liveness"] or "unknown"
    return element(
        "li",
        element("h3", one["actor"], " ", _badge(state)),
        *said,
        *([seen] if one["last_seen"] else []),
        *([element("span", one["why"])] if one["why"] else []),
        class_=f"card {state}",
    )


def _claim(row: RowDocument, now: float | None) -> Element:
    badges = [
        *(["contested"] if row["state"] == "contested" else []),
        *(["paused"] if row["paused"] else []),
        *(["finished"] if row["finished_at"] else []),
        *([row["liveness"] or "unknown"] if row["stale"] and not row["finished_at"] else []),
    ]
    renamed = [f"now {row['renamed']}"] if row["renamed"] else []
    holder = row["holder"]
    is_order = scopes.orders_merges(row["scope"]) and not row["claimants"][0]["run"]
    how = _MERGED if is_order else _HOW
    if now is None:
        how = {state: said.replace(", for ", ", since ") for state, said in how.items()}
    intent = holder["intent"] if holder else None
    return element(
        "li",
        element(
            "h3",
            element("code", row["scope"]),
            *(part for one in (*badges, *renamed) for part in _and(one)),
        ),
        *([element("blockquote", intent)] if intent else []),
        *([element("blockquote", row["paused_why"])] if row["paused_why"] else []),
        element("ol", *(_claimant(one, now, how) for one in row["claimants"])),
        class_=f"card {badges[0] if badges else 'held'}",
    )


def _and(badge: str) -> tuple[str, Element]:
    return " ", _badge(badge)


def _claimant(one: ClaimantDocument, now: float | None, how: Mapping[str, str]) -> Element:
    branch: list[Child] = [" on ", element("code", one["branch"])] if one["branch"] else []
    branch += [", was ", element("code", one["was"])] if one["was"] else []
    branch += [" runs ", element("code", one["run"])] if one["run"] else []
    age = when.age(one["since"], now)
    return element("li", element("b", one["actor"]), *branch, how[one["state"]], age)


def _branch(one: EntryDocument) -> Element:
    facts = [
        *([f"after {', '.join(one['waits_on'])}"] if one["waits_on"] else []),
        *([f"artifacts {', '.join(one['footprint'])}"] if one["footprint"] else []),
        *([f"undeclared: {', '.join(one['undeclared'])}"] if one["undeclared"] else []),
        *(["changed since it was finished"] if one["changed_since_finish"] else []),
        *([f"was {', '.join(one['was'])}"] if one["was"] else []),
        *([_missing(one)] if not one["exists"] else []),
    ]
    return element(
        "li",
        element("code", one["branch"]),
        " ",
        _badge(one["state"]),
        element("span", one["actor"], class_="by"),
        *(element("span", fact) for fact in facts),
    )


def _missing(one: EntryDocument) -> str:
    """Return what became of a branch of whose name there is none."""
    if one["under"]:
        return f"its commits are in {', '.join(one['under'])}"
    return "all of it has landed" if one["state"] == "landed" else "no such branch here"


def _circle(branches: Iterable[str]) -> Element:
    return element("p", f"wait on each other: {', '.join(branches)}", class_="alarm")


def _contact(one: ContactDocument) -> Element:
    return _met(" × ".join(one["branches"]), "changed", _unsettled(one))


def _unsettled(one: ContactDocument) -> list[str]:
    """Return the files that a merge would not settle by itself."""
    return [file["path"] for file in one["files"] if file["regions"] != []]


def _met(who: str, how: str, paths: Sequence[str]) -> Element:
    first = [element("li", element("code", path)) for path in paths[:_LAST]]
    more = [element("li", f"and {len(paths) - _LAST} more")] if len(paths) > _LAST else []
    return element(
        "li", element("h3", who, " ", _badge(how)), element("ul", *first, *more), class_="card"
    )


def _bars(moves: Sequence[MoveDocument], now: float) -> list[Element]:
    days = [when.told(now - 86400 * back)[:10] for back in reversed(range(_DAYS))]
    counts = Counter(one["at"][:10] for one in moves)
    most = max([counts[day] for day in days] + [1])
    return [
        element(
            "i",
            style=f"height:{100 * counts[day] // most}%",
            title=f"{day}: {counts[day]}",
            class_="some" if counts[day] else "none",
        )
        for day in days
    ]


def _move(one: MoveDocument, now: float) -> Element:
    kind: list[Child] = [_badge(one["kind"]), " "] if one["kind"] else []
    said = one["summary"] or one["scope"] or ""
    by = element("span", one["actor"] or "–", ", ", when.age(one["at"], now), " ago", class_="by")
    return element("li", *kind, said, by)


def _badge(text: str) -> Element:
    return element("span", text, class_=f"badge {text.split(maxsplit=1)[0]}")
