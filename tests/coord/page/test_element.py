"""Elements: what anybody wrote is text on the page, and nothing else."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from coord.base.names import shown
from coord.page.element import element, html

HOSTILE = (
    '</style></title><script>alert(1)</script><img src=x onerror="alert(1)">&lt;\u202e\x1b]0;x\x07'
)


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text() | st.just(HOSTILE))
def test_any_text_and_attribute_is_one_element_as_it_is_shown_elsewhere(text: str) -> None:
    """A parser finds the one element again; what acts on a terminal is escaped here too."""
    seen = _Seen()
    seen.feed(html(element("p", text, title=text)).removeprefix("<!doctype html>\n").rstrip("\n"))
    seen.close()

    assert seen.tags == ["p"]
    assert seen.attributes == [("title", shown(text))]
    assert seen.text == shown(text)


def test_text_after_a_child_stays_after_it() -> None:
    """Texts and children keep their order."""
    made = html(element("p", "a", "b", element("b", "c"), "d", "e"))

    assert made == "<!doctype html>\n<p>ab<b>c</b>de</p>\n"
