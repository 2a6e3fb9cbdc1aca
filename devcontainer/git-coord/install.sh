#!/bin/sh
# The feature, as the builder of a container runs it: as root, with the options as SOURCE and INSTALL.
# A virtual environment of its own, and the two commands of it on everybody's PATH.
set -eu
prefix=${PREFIX-/usr/local}
home=$prefix/share/git-coord

runs() { python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

if ! runs || ! command -v git >/dev/null; then
	if command -v apt-get >/dev/null; then
		apt-get -qq update && apt-get -qq -y install --no-install-recommends git python3 python3-venv >/dev/null
	fi
	runs || {
		echo "git-coord: needs Python 3.11 or later with its venv module, as python3; here: $(python3 --version 2>&1 || echo none)" >&2
		exit 3
	}
fi

python3 -m venv --clear "$home"
"$home/bin/python" -m pip install --quiet --disable-pip-version-check "${SOURCE:-git-coord}"
mkdir -p "$prefix/bin"
ln -sf "$home/bin/git-coord" "$home/bin/coord-install" "$prefix/bin/"
cat >"$prefix/bin/git-coord-created" <<CREATED
#!/bin/sh
# Called once in the workspace of a new container, by whoever works there.
[ '${INSTALL:-true}' = true ] || exit 0
git rev-parse --git-dir >/dev/null 2>&1 || exit 0
exec coord-install
CREATED
chmod 755 "$prefix/bin/git-coord-created"
