"""Where the package lives: the launcher, the alias, and the command that repairs both."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import coord
from coord.base import command
from coord.base.errors import Environment
from coord.installer import launcher, survey
from harness import system_path

if TYPE_CHECKING:
    from harness import Repo


def bare_shell(repo: Repo) -> Repo:
    """Return the repository as a shell outside of any virtualenv sees it."""
    return repo.with_env(PATH=system_path())


def test_the_alias_needs_no_virtualenv(installed: Repo, tmp_path: Path) -> None:
    """In the main worktree, a linked one, a subdirectory, and from a bare PATH."""
    side = bare_shell(installed).worktree(tmp_path / "si de", "side")
    (side.path / "sub" / "deep").mkdir(parents=True)

    for where in (bare_shell(installed), side, side.at(side.path / "sub" / "deep")):
        answer = where.coord("whoami", "--json")
        assert answer.code == 0, answer.err
        assert json.loads(answer.out)["worktree"] == where.git("rev-parse", "--show-toplevel")


def test_the_alias_hands_arguments_and_status_on(installed: Repo) -> None:
    """Blanks, quotes and backslashes in them; exit 2 stays exit 2."""
    odd = "a 'b' \"c\" $d \\e `f` *"
    shell = bare_shell(installed)

    done = shell.coord("track", "log", odd)

    assert done.out.startswith(f"{odd}: log")
    assert shell.coord("--nonsense").code == 2
    assert shell.coord("untrack", "no such pattern").code == 1


def test_the_alias_acts_in_the_users_folder(installed: Repo, tmp_path: Path) -> None:
    """`git coord worktree add ../x` means what was typed there."""
    folder = installed.path / "sub"
    folder.mkdir()

    done = bare_shell(installed).at(folder).coord("worktree", "add", "../../side", "-b", "side")

    assert done.code == 0, done.err
    assert (tmp_path / "side" / "README").exists()


def test_the_alias_imports_nothing_of_the_repository(installed: Repo) -> None:
    """A tracked json.py, or a PYTHONPATH that leads here, is not run."""
    for name in ("json.py", "coord.py", "click.py"):
        installed.write(name, "raise SystemExit('imported from the repository')\n")
    shell = bare_shell(installed).with_env(PYTHONPATH=str(installed.path))

    assert shell.coord("whoami").code == 0


def broken(repo: Repo, **changes: str) -> None:
    """Write other words into the launcher, as if what they name had gone."""
    launch = repo.common("hooks/coord/launch")
    lines = launch.read_text().splitlines(keepends=True)
    for name, word in changes.items():
        lines = [f"{name}='{word}'\n" if line.startswith(f"{name}=") else line for line in lines]
    launch.write_text("".join(lines))


@pytest.mark.parametrize("gone", ["coord_cli", "coord_lib"])
def test_an_alias_without_interpreter_or_package_names_the_repair(
    installed: Repo, gone: str
) -> None:
    """Three lines, exit 3, one command."""
    broken(installed, **{gone: "/nowhere"}, coord_repair="coord-install")

    done = bare_shell(installed).coord("whoami")

    assert (done.code, done.refusal.rule) == (3, "launcher-broken")
    assert installed.paste(done.refusal.run).code == 0
    assert bare_shell(installed).coord("whoami").code == 0


def test_an_alias_without_its_launcher_says_so(installed: Repo) -> None:
    """Deleted by hand: an install brings it back."""
    installed.common("hooks/coord/launch").unlink()

    done = bare_shell(installed).coord("whoami")

    assert (done.code, done.refusal.rule) == (3, "launcher-broken")
    assert installed.paste(done.refusal.run).code == 0


@pytest.mark.parametrize("asker", ["alias", "hook", "driver"])
def test_a_checkout_that_is_gone_is_what_has_to_come_back(
    installed: Repo, tmp_path: Path, asker: str
) -> None:
    """Pip calls a missing folder an invalid requirement; with the folder the command works."""
    source = tmp_path / "the check'out"
    home = launcher.Home("/nowhere", "/nowhere", "/nowhere", "coord-install", str(source))
    assert installed.coord("track", "log", "x.log").code == 0
    installed.commit("base", {".gitattributes": installed.read(".gitattributes"), "x.log": "1\n"})
    installed.git("branch", "side")
    installed.commit("ours", {"x.log": "1\n2\n"})
    installed.git("switch", "-q", "side")
    installed.commit("theirs", {"x.log": "1\n3\n"})
    installed.common("hooks/coord/launch").write_bytes(launcher.text(home))
    commands = {
        "alias": ("coord", "whoami"),
        "hook": ("worktree", "add", "-q", str(tmp_path / "w")),
        "driver": ("merge", "main"),
    }

    said = bare_shell(installed).run("git", *commands[asker]).refusal

    assert f"bring back {source} first" in said.why
    assert installed.paste(said.run).code != 0
    source.mkdir()
    assert installed.paste(said.run).code == 0
    assert installed.coord("whoami").code == 0


def test_words_of_the_launcher_are_taken_as_they_are(env: dict[str, str]) -> None:
    """A folder may be called anything; nothing of it is run."""
    odd = "/a b/'; touch x; '/$HOME/`id`/\n\\"
    home = launcher.Home(odd, odd, odd, odd, odd)

    text = (
        launcher.text(home)
        + b'printf %s "$coord_python$coord_lib$coord_cli${coord_repair##* && }$coord_source"'
    )
    done = subprocess.run(["sh"], input=text, capture_output=True, env=env, check=True)

    assert done.stdout.decode() == odd * 5


def test_the_base_interpreter_is_no_link_and_no_virtualenv() -> None:
    """A shim costs 57 ms a call, and a virtualenv may be removed."""
    home = launcher.find()

    assert os.path.realpath(home.python) == home.python
    assert not (Path(home.python).parent.parent / "pyvenv.cfg").exists()
    launcher.verify(home)


def test_the_package_is_found_beside_its_parts() -> None:
    """One folder on the path is enough for hooks and drivers."""
    home = launcher.find()

    for part in ("hooks", "drivers", "installer"):
        assert (Path(home.lib) / "coord" / part / "__init__.py").exists()


def test_a_scattered_package_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lenient editable installs join the parts by an import hook that hooks do not have."""
    monkeypatch.setattr(coord, "__file__", str(tmp_path / "src" / "coord" / "__init__.py"))

    with pytest.raises(Environment) as refused:
        launcher.find()

    assert refused.value.rule == "package-scattered"
    assert "install" in refused.value.run


def test_the_command_that_brings_the_package_back_keeps_the_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pasted, it installs what was asked for."""
    monkeypatch.setattr(coord, "__file__", str(tmp_path / "src" / "coord" / "__init__.py"))

    with pytest.raises(Environment) as refused:
        survey.started(command.install("--fleet", "--trust"))

    assert refused.value.run.endswith(" -m coord.installer --fleet --trust")


def test_an_interpreter_that_does_not_start_is_refused(tmp_path: Path) -> None:
    """Before anything is written."""
    home = launcher.find()

    with pytest.raises(Environment) as refused:
        launcher.verify(launcher.Home("/nowhere", home.lib, home.cli, ""))
    assert refused.value.rule == "launcher-broken"
    with pytest.raises(Environment) as refused:
        launcher.verify(launcher.Home(home.python, str(tmp_path), home.cli, ""))
    assert "coord" in refused.value.why


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        ({}, f"git-coord=={coord.VERSION}"),
        ({"url": "file:///a%20b", "dir_info": {}}, "'/a b'"),
        (
            {"url": "file:///src", "dir_info": {"editable": True}},
            "-C editable_mode=strict -e /src",
        ),
        ({"url": "https://x/y.whl", "archive_info": {}}, "'git-coord @ https://x/y.whl'"),
        (
            {"url": "https://x/y", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "'git-coord @ git+https://x/y@abc'",
        ),
    ],
)
def test_the_repair_installs_from_where_it_came(origin: dict[str, object], words: str) -> None:
    """PEP 610 says where; without it, this version from the index."""
    assert launcher._requirement(origin) == words


def repacked(name: str, folder: Path) -> None:
    """Make a wheel of an installed distribution again: the repair must need no network here."""
    import zipfile  # noqa: PLC0415

    found = metadata.distribution(name)
    tags = [line for line in (found.read_text("WHEEL") or "").splitlines() if "Tag: " in line]
    tag = tags[0].partition(": ")[2]
    stem = f"{name.replace('-', '_')}-{found.version}"
    with zipfile.ZipFile(folder / f"{stem}-{tag}.whl", "w") as wheel:
        for file in found.files or ():
            if not str(file).startswith("..") and not str(file).endswith((".pyc", "RECORD")):
                wheel.write(str(file.locate()), str(file))
        wheel.writestr(f"{stem}.dist-info/RECORD", "")


def product_wheel(folder: Path) -> Path:
    """Make a wheel of the package under test, whichever way it is installed."""
    import zipfile  # noqa: PLC0415

    stem = f"git_coord-{coord.VERSION}"
    path = folder / f"{stem}-py3-none-any.whl"
    home = Path(launcher.find().lib)
    with zipfile.ZipFile(path, "w") as wheel:
        for root, folders, files in os.walk(home / "coord", followlinks=True):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in files:
                file = Path(root) / name
                wheel.write(file, str(file.relative_to(home)))
        wheel.writestr(
            f"{stem}.dist-info/METADATA",
            f"Metadata-Version: 2.1\nName: git-coord\nVersion: {coord.VERSION}\n"
            "Requires-Dist: click\nRequires-Dist: pygit2\nRequires-Dist: tomli-w\n",
        )
        wheel.writestr(
            f"{stem}.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr(
            f"{stem}.dist-info/entry_points.txt",
            "[console_scripts]\ncoord-install = coord.installer.cli:run\n"
            "git-coord = coord.cli.main:run\n",
        )
        wheel.writestr(f"{stem}.dist-info/RECORD", "")
    return path


@pytest.mark.slow
def test_the_repair_brings_a_broken_virtualenv_back(repo: Repo, tmp_path: Path) -> None:
    """Its interpreter was upgraded away and the package is gone: the printed line mends both."""
    house = tmp_path / "wheels"
    house.mkdir()
    for name in ("click", "pygit2", "cffi", "pycparser", "tomli_w"):
        repacked(name, house)
    wheel = product_wheel(house)
    venv = tmp_path / "virtual env"
    offline = repo.with_env(
        PATH=system_path(),
        PIP_NO_INDEX="1",
        PIP_FIND_LINKS=house.as_uri(),
        PIP_DISABLE_PIP_VERSION_CHECK="1",
    )
    base = getattr(sys, "_base_executable", sys.executable)
    assert offline.run(base, "-m", "venv", str(venv)).code == 0
    made = offline.run(f"{venv}/bin/python", "-m", "pip", "install", "-q", str(wheel))
    assert made.code == 0, made.err
    assert offline.run(f"{venv}/bin/coord-install").code == 0

    for link in (venv / "bin").glob("python*"):
        link.unlink()
        link.symlink_to("/nowhere/python")
    shutil.rmtree(next((venv / "lib").glob("python*/site-packages/coord")))

    done = offline.coord("whoami")
    pasted = offline.paste(done.refusal.run)

    assert (done.code, done.refusal.rule) == (3, "launcher-broken")
    assert pasted.code == 0, pasted.err
    assert offline.coord("whoami").code == 0
    assert offline.run(f"{venv}/bin/coord-install", "--check").code == 0


@pytest.mark.parametrize("asked", [("coord", "--help"), ("help", "coord")])
def test_git_prints_of_the_alias_first_what_a_person_may_do_next(
    installed: Repo, asked: tuple[str, str]
) -> None:
    """Without a ``git-coord`` on PATH git shows the alias; the verbs have help of their own."""
    shell = bare_shell(installed)

    said = shell.run("git", *asked).out

    assert said.startswith("'coord' is aliased to '!: git coord -h lists the verbs, ")
    assert "git coord VERB --help explains one" in said
    assert "\n" not in said.rstrip("\n")
    assert shell.run("git", "coord", "-h").out.startswith("Usage: git coord ")
    assert shell.run("git", "coord", "claim", "--help").out.startswith("Usage: git coord claim ")


def test_an_alias_whose_file_is_gone_names_the_install(installed: Repo) -> None:
    """``.`` of a missing file would end the shell with 2, which is wrong usage, and no command."""
    installed.common("hooks/coord/alias").unlink()

    done = bare_shell(installed).run("git", "coord", "board")

    assert (done.code, done.refusal.rule) == (3, "launcher-broken")
    assert installed.paste(done.refusal.run).code == 0
    assert installed.coord("board").code == 0
