"""Put a fresh screen of branches into merge-order.md: ``python docs/merge_order.py``."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

PAGE = Path(__file__).with_name("merge-order.md")
BEGIN, END = "<!-- screen -->\n", "<!-- end of screen -->\n"
ATTRIBUTES = "[attr]coord-derived -merge\n*.lock coord-derived\n*.json coord-derived\n"
# Branch, worker, what it claims in this order, the files it changes.
BRANCHES = (
    ("feat/fields", "ada-71f0", "schema.json web.lock", "schema.json web.lock"),
    ("feat/parser", "hopper-a71f", "schema.json app.lock", "schema.json errors.json"),
    ("feat/export", "noether-5e11", "errors.json", "export.py"),
    ("feat/red", "mirza-c4d8", "red.lock", "red.lock blue.lock"),
    ("feat/blue", "franklin-18ea", "blue.lock red.lock", "blue.lock red.lock"),
    ("fix/cache", "curie-e902", "", "cache.py"),
    ("feat/theme", "hamilton-f5b1", "theme.lock", "theme.lock"),
)
RUNNING = {"feat/export"}


class Scratch:
    """A repository of a fresh login, below `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            "PATH": f"{sysconfig.get_path('scripts')}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        (folder / "main").mkdir()
        self.run("git init -q -b main")
        self.run("git config user.name Ada")
        self.run("git config user.email ada@example.com")

    def run(self, line: str, where: str = "main") -> str:
        """Run a command line and insist on success; return what it printed."""
        done = subprocess.run(
            line.split(" "),
            cwd=self.folder / where,
            env=self.env,
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout

    def commit(self, files: str, text: str, where: str = "main") -> None:
        """Write each of `files`, and commit."""
        for name in filter(None, files.split(" ")):
            path = self.folder / where / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")
        self.run("git add -A", where)
        self.run("git commit -q --allow-empty -m work", where)


def screen() -> str:
    """Return what ``git coord merge-order`` prints for the branches."""
    with tempfile.TemporaryDirectory(prefix="coord-docs-") as name:
        scratch = Scratch(Path(name))
        (scratch.folder / "main" / ".gitattributes").write_text(ATTRIBUTES)
        scratch.commit("README", "base")
        scratch.run("coord-install")
        for branch, actor, claims, files in BRANCHES:
            home = branch.replace("/", "-")
            scratch.run(f"git coord worktree add ../{home} -b {branch} --actor {actor}")
            for artifact in filter(None, claims.split(" ")):
                scratch.run(f"git coord claim artifact:{artifact}", home)
            if not claims:
                scratch.run(f"git coord claim {home}", home)
            scratch.commit(files, branch, home)
        scratch.run("git coord claim artifact:blue.lock", "feat-red")
        for branch, *_ in BRANCHES:
            if branch not in RUNNING:
                scratch.run("git coord finish", branch.replace("/", "-"))
        scratch.commit("cache.py", "one more thing", "fix-cache")
        scratch.run("git merge -q --squash feat/theme")
        scratch.run("git commit -q -m squashed")
        return f"$ git coord merge-order\n{scratch.run('git coord merge-order')}"


def of_page(text: str) -> str:
    """Return the screen that stands in the page."""
    return text.partition(BEGIN)[2].partition(END)[0].removeprefix("```\n").removesuffix("```\n")


if __name__ == "__main__":
    old = PAGE.read_text(encoding="utf-8")
    before, _, rest = old.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}```\n{screen()}```\n{END}{after}", encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
