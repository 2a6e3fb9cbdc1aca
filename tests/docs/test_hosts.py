"""The pages for several hosts are played on three machines of one network."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"
HOSTS = runpy.run_path(str(DOCS / "hosts.py"))


@pytest.mark.parametrize("page", HOSTS["PAGES"], ids=lambda page: page.stem)
def test_the_page_is_what_the_machines_say(tmp_path: Path, env: dict[str, str], page: Path) -> None:
    """From nothing to a board of two hosts, and what is said while the network is cut."""
    if page.stem == "hosts" and not shutil.which("etcd"):
        pytest.skip("etcd is not installed")
    text = page.read_text(encoding="utf-8")

    try:
        played = HOSTS["played"](text, tmp_path, env)
    except OSError:
        pytest.skip("no networks can be made here")

    normalised = HOSTS["REPLAY"]["normalised"]
    assert played != text
    assert normalised(played) == normalised(text)
