"""Put a fresh transcript of the demo into docs/tutorial.md: ``python docs/transcript.py``."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- transcript -->\n", "<!-- end of transcript -->\n"
FIRST, LAST = "== two workers", "== uninstall"


def shown(output: str) -> str:
    """Return the part of the demo's output that the tutorial shows."""
    return output[output.index(FIRST) : output.index(LAST)].strip() + "\n"


def of_page(page: str) -> str:
    """Return the transcript that stands in a page."""
    return page.partition(BEGIN)[2].partition(END)[0].removeprefix("```\n").removesuffix("```\n")


def normalised(text: str) -> str:
    """Return a transcript without what differs from run to run: ids, suffixes, times."""
    text = re.sub(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b", "UUID", text)
    text = re.sub(r"\b\d{8}T\d{6}\.\d{6}Z\b", "TIME", text)
    text = re.sub(r"(?<=HEAD is now at )[0-9a-f]{7,}", "COMMIT", text)
    text = re.sub(r"\b(?=[0-9a-f]*\d)(?:[0-9a-f]{40}|[0-9a-f]{12})\b", "COMMIT", text)
    return re.sub(r"(?<=[a-z])-[0-9a-f]{4}\b", "-XXXX", text)


if __name__ == "__main__":
    done = subprocess.run(
        ["sh", str(ROOT / "docs" / "demo.sh")], capture_output=True, check=True, text=True
    )
    page = ROOT / "docs" / "tutorial.md"
    old = page.read_text(encoding="utf-8")
    before, _, rest = old.partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}```\n{shown(done.stdout)}```\n{END}{after}", encoding="utf-8")
    sys.stdout.write(f"{page}\n")
