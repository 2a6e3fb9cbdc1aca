"""The feature for development containers; tests/test_installs.py installs the wheel by it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

FEATURE = Path(__file__).parent.parent.parent / "devcontainer" / "git-coord"
_PYTHON = """#!/bin/sh
case "$1 $2 $3" in
"--version  ") echo "Python 3.$MINOR.1" ;;
"-c "*) [ "$MINOR" -gt 10 ] ;;
"-m venv "*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
*) echo "$*" >"$PREFIX/pip" ;;
esac
"""


def _built(tmp_path: Path, env: dict[str, str], minor: int, **options: str) -> tuple[int, str]:
    """Run the feature's script below a prefix, with a Python that is a stub of that version."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (("python3", _PYTHON), ("apt-get", "#!/bin/sh\nexit 100\n")):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    (tmp_path / "usr").mkdir()
    given = {"PATH": f"{tools}:{env['PATH']}", "PREFIX": str(tmp_path / "usr"), "MINOR": str(minor)}
    done = subprocess.run(
        ["sh", str(FEATURE / "install.sh")],
        env=env | given | options,
        capture_output=True,
        check=False,
        text=True,
    )
    return done.returncode, done.stderr


def test_a_python_that_is_too_old_is_told_in_one_line(tmp_path: Path, env: dict[str, str]) -> None:
    """The container is not built with half of it."""
    code, said = _built(tmp_path, env, 9)

    assert (code != 0, said.count("\n")) == (True, 1)
    assert "needs Python 3.11 or later" in said
    assert "Python 3.9.1" in said


@pytest.mark.parametrize("wanted", ["true", "false"])
def test_the_options_reach_pip_and_the_workspace(
    tmp_path: Path, env: dict[str, str], wanted: str
) -> None:
    """The builder hands them on as variables; outside of a repository nothing is done."""
    assert _built(tmp_path, env, 11, SOURCE="git-coord==1.2", INSTALL=wanted) == (0, "")

    created = tmp_path / "usr" / "bin" / "git-coord-created"
    bin_dir = tmp_path / "usr" / "share" / "git-coord" / "bin"
    (bin_dir / "coord-install").write_text("#!/bin/sh\necho installed\n")
    (bin_dir / "coord-install").chmod(0o755)
    path = {"PATH": f"{created.parent}:{env['PATH']}"}
    repo = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(repo)], env=env, check=True)
    said = [
        subprocess.run([created], cwd=cwd, env=env | path, capture_output=True, check=True).stdout
        for cwd in (tmp_path, repo)
    ]

    assert (tmp_path / "usr" / "pip").read_text().endswith(" git-coord==1.2\n")
    assert said == [b"", b"installed\n" if wanted == "true" else b""]


def test_the_declaration_names_what_the_script_reads_and_makes() -> None:
    """Each option is a variable of the script, and the command is one that it writes."""
    declared = json.loads((FEATURE / "devcontainer-feature.json").read_text())
    script = (FEATURE / "install.sh").read_text()

    assert declared["id"] == FEATURE.name
    assert all(f"${{{name.upper()}:-" in script for name in declared["options"])
    assert f"/bin/{declared['postCreateCommand']}" in script
