"""The page of the board in a real Chromium: inert, readable, and reached by a keyboard.

With COORD_PICTURES=docs/pictures the pictures of the documents are made anew.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from harness import Repo, clean_environment
from harness.board import worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page, ViewportSize

HOSTILE = (
    "</title></style><script>document.title='hit'</script>"
    "<img src='file:///etc/passwd' onerror=\"document.title='hit'\"><a href='javascript:alert(1)'>"
)
# A browser that looks nothing up and starts nothing of its own; as root it has no sandbox.
_SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_WIDTHS = (390, 1280, 3840)
# The lowest contrast of a text to the ground it is painted on, by the formula of WCAG 2.
_CONTRAST = """() => {
  const part = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
  const ground = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor; if (c !== 'rgba(0, 0, 0, 0)') return c; } };
  return Math.min(...[...document.querySelectorAll('body *:not(svg *)')]
    .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
    .map(e => { const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }));
}"""


_REACHED = "document.activeElement.hash || document.activeElement.className"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without a screen."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("there is no chromium here")
    with sync_playwright() as tool:
        started = tool.chromium.launch(executable_path=found, args=_SWITCHES)
        yield started
        started.close()


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a repository where four are at work."""
    folder = tmp_path_factory.mktemp("busy")
    (folder / "home").mkdir()
    (folder / "home" / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = a@example.com\n")
    repo = Repo.init(folder / "shop", clean_environment(folder / "home"))
    repo.commit("start", {"app.py": "a\n", "schema.json": "{}\n"})
    names = {"colour": "2dbe", "price": "aca1", "search": "a9c4", "size": "a800"}
    made = (worker(repo, folder / one, f"feat/{one}", f"{one}-{end}") for one, end in names.items())
    _work(*made)
    done = repo.coord("board", "--html", str(folder / "board.html"))
    assert done.code == 0, done.err
    return folder / "board.html"


def _work(colour: Repo, price: Repo, search: Repo, size: Repo) -> None:
    for who, text in ((colour, "c"), (size, "s")):
        who.commit(text, {"app.py": f"{text}\n"})
    schema = "artifact:schema.json"
    colour.coord("claim", schema, "branch:feat/colour", "--intent", "A colour for each product")
    size.coord("claim", schema, "branch:feat/size")
    price.coord("claim", schema, "task:pay/stripe", "--intent", "Prices with tax")
    search.coord("claim", "task:pay/stripe", "branch:feat/search")
    colour.coord("finish")
    for kind, said in (("new", "Product pages"), ("improve", "Search is twice as fast")):
        assert price.coord("ship", kind, said).code == 0


def _opened(browser: Browser, path: Path, wide: int, scheme: str) -> tuple[Page, list[str]]:
    view: ViewportSize = {"width": wide, "height": 900}
    page = browser.new_page(viewport=view, color_scheme="dark" if scheme == "dark" else "light")
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.on("dialog", lambda one: asked.append(one.message))
    page.goto(path.as_uri())
    return page, asked


def test_nothing_that_a_worker_wrote_acts_and_nothing_is_loaded(
    browser: Browser, repo: Repo, tmp_path: Path
) -> None:
    """Intent, reason of a pause, branch and path, as hostile as git and the board let them be."""
    one = worker(repo, tmp_path / "one", "feat/<b>bold", "one-0001")
    one.commit("x", {"<script>x.py": "x\n"})
    one.coord("claim", "x", "--intent", HOSTILE)
    one.coord("pause", "--reason", HOSTILE)
    one.coord("announce", "--path", "<script>x.py", "--intent", HOSTILE)
    assert repo.coord("board", "--html", str(tmp_path / "b.html")).code == 0

    page, asked = _opened(browser, tmp_path / "b.html", 1280, "light")

    assert page.title() == "repo: the board"
    assert asked == [(tmp_path / "b.html").as_uri()]
    assert page.locator("script, img, body style").count() == 0
    assert HOSTILE in page.locator("blockquote").first.inner_text()
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("wide", _WIDTHS)
def test_the_page_fits_and_is_readable_at_every_width_by_day_and_night(
    browser: Browser, busy: Path, wide: int, scheme: str
) -> None:
    """A phone, a desk and a wall: nothing sticks out, and every text has the contrast it needs."""
    page, _ = _opened(browser, busy, wide, scheme)

    assert page.evaluate("document.documentElement.scrollWidth") == wide
    assert page.evaluate(_CONTRAST) >= 4.5
    _pictured(page, wide, scheme)
    page.close()


def test_a_keyboard_reaches_every_section_and_the_wide_drawing(
    browser: Browser, busy: Path
) -> None:
    """By the links at the top, then the region that scrolls."""
    page, _ = _opened(browser, busy, 390, "light")
    reached = []
    for _ in range(8):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.hash || document.activeElement.className")
        )
    links = page.locator("nav a").evaluate_all("all => all.map(one => one.hash)")

    assert reached[:6] == links
    assert "scroll" in reached
    assert all(page.locator(f"section{link}").count() == 1 for link in links)
    page.close()


def _pictured(page: Page, wide: int, scheme: str) -> None:
    folder = os.environ.get("COORD_PICTURES")
    if folder is not None:
        name = f"board-{wide}{'-dark' if scheme == 'dark' else ''}.png"
        page.screenshot(path=Path(folder) / name, full_page=True)
