"""The site: ``sphinx-build -c docs/site -W . build/site``, with the packages of the extra ``site``.

The pages are those of the repository, and the README is the first. What leads through them is made
of its table of readers; a link or an anchor that leads nowhere fails the build.
"""

from __future__ import annotations

import re
import shutil
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

project = "git-coord"
version = release = metadata.version("git-coord")
extensions = ["myst_parser"]
root_doc = "README"
pages = ["README.md", "CONTRIBUTING.md", "CHANGES.md"]
include_patterns = [*pages, "docs/*.md", "tests/cases/README.md"]
exclude_patterns = [".*", "build", "bench", "src"]
myst_heading_anchors = 4
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "furo"
html_title = project
html_copy_source = False
_LINK = re.compile(r"\[[^\]]+\]\(([\w/.-]+)\.md\)")


def trees(readme: str) -> Iterator[str]:
    """Yield a table of contents for each reader that the README names."""
    for line in readme.partition("## Where to read on")[2].splitlines():
        pages = _LINK.findall(line)
        if line.startswith("| ") and pages:
            who = line.split("|")[1].strip()
            yield "\n".join([f"```{{toctree}}\n:hidden:\n:caption: You {who}\n", *pages, "```\n"])


def setup(app: Sphinx) -> None:
    """Lead through the pages, and bring the pictures that only HTML in a page names."""
    app.connect("source-read", _lead)
    app.connect("build-finished", _bring)


def _lead(_app: Sphinx, name: str, source: list[str]) -> None:
    if name == root_doc:
        also = "```{toctree}\n:hidden:\n\nCHANGES\n```\n"
        source[0] = "\n".join([source[0], *trees(source[0]), also])


def _bring(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        pictures = Path("docs", "pictures")
        shutil.copy(app.outdir / f"{root_doc}.html", app.outdir / "index.html")
        shutil.copytree(app.srcdir / pictures, app.outdir / pictures, dirs_exist_ok=True)
