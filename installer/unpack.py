"""The first thing that the one file runs: on any Python 3, so that an old one is told.

It makes a virtual environment without pip in the user's data folder, puts the packages there, keeps
itself beside them for the repair command, and hands over to ``coord-install``.
"""

import os
import shutil
import subprocess
import sys
import zipfile

FOLDER = "git-coord"
NEEDED = (3, 11)


def unpack(archive: str, home: str) -> None:
    """Fill the environment `home` from `archive`; an older one is replaced once this is whole."""
    fresh = home + ".new"
    shutil.rmtree(fresh, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", fresh], check=True)
    site = os.path.join(fresh, "lib", "python%d.%d" % sys.version_info[:2], "site-packages")
    with zipfile.ZipFile(archive) as file:
        for name in file.namelist():
            if name.startswith("site/"):
                target = os.path.join(site, *name.split("/")[1:])
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "wb") as out:
                    out.write(file.read(name))
    shutil.copyfile(archive, os.path.join(fresh, "git-coord.pyz"))
    for name, module in (("git-coord", "coord"), ("coord-install", "coord.installer")):
        script = os.path.join(fresh, "bin", name)
        with open(script, "w") as out:
            out.write('#!/bin/sh\nexec "${0%%/*}/python" -P -m %s "$@"\n' % module)
        os.chmod(script, 0o755)
    shutil.rmtree(home, ignore_errors=True)
    os.rename(fresh, home)


def main() -> None:
    """Unpack, and become ``coord-install`` with the options given."""
    if sys.version_info < NEEDED:
        found = "%d.%d" % sys.version_info[:2]
        sys.exit(
            "git-coord needs Python 3.11 or later, and this is %s: %s" % (found, sys.executable)
        )
    archive = os.path.abspath(sys.argv[0])
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    home = os.path.join(data, FOLDER)
    unpack(archive, home)
    print("unpacked into %s" % home, file=sys.stderr)
    python = os.path.join(home, "bin", "python")
    os.execv(python, [python, "-P", "-m", "coord.installer", *sys.argv[1:]])


main()
