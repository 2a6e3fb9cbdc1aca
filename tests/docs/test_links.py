"""Every link of the documents leads somewhere: to a tracked file, to a heading of it."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parent.parent.parent
_FENCE = re.compile(r"^(```+|~~~+).*?^\1", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
_ELSEWHERE = re.compile(r"[a-z]+:")


@cache
def tracked() -> frozenset[Path]:
    """Return all files of the repository, and the folders they are in."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    files = {ROOT / name for name in done.stdout.decode().split("\0") if name}
    return frozenset(files | {folder for file in files for folder in file.parents})


def prose(page: Path) -> str:
    """Return a page without what stands in code."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return re.sub(r"``.+?``|`[^`\n]+`", lambda found: re.sub(r"[\[\]<>]", "", found[0]), text)


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#{1,6} +(.*?)\s*$", prose(page), re.MULTILINE)
    slugs = [re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings]
    seen: Counter[str] = Counter()
    found = set()
    for slug in slugs:
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return frozenset(found)


def broken(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere."""
    found = []
    for link in (one or two for one, two in _LINK.findall(prose(page))):
        path, _, anchor = link.partition("#")
        target = (page.parent / unquote(path)).resolve() if path else page
        if _ELSEWHERE.match(link):
            continue
        if target not in tracked() or (anchor and anchor not in anchors(target)):
            found.append(link)
    return found


PAGES = sorted(path for path in tracked() if path.suffix == ".md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_link_of_the_page_is_broken(page: Path) -> None:
    """Neither of the file nor of the heading; nothing is asked of a network."""
    assert broken(page) == []


def test_a_broken_link_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is not there, an anchor that is not; code is no link."""
    page = tmp_path / "a.md"
    page.write_text(
        "# One `two`-three!\n\n[a](b.md) [b](a.md#none) [c](#one-two-three) `[d](e)` [f](https://g)\n"
        '```\n[h](i)\n```\n<img src="j.png">\n'
    )
    monkeypatch.setattr(f"{__name__}.tracked", lambda: frozenset({page}))

    assert broken(page) == ["b.md", "a.md#none", "j.png"]


def test_every_page_is_reached_from_the_readme() -> None:
    """A page that nobody finds is read by nobody."""
    linked = {
        (ROOT / link.partition("#")[0]).resolve()
        for link, _ in _LINK.findall(prose(ROOT / "README.md"))
    }

    assert [page for page in PAGES if page.parent == ROOT / "docs" and page not in linked] == []
