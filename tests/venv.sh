# Sourced by demo.sh, test.sh and .ci/run from the top of the checkout: makes .venv once and again
# whenever the list of modules or the packaging changes, and puts it first on PATH.
# Usage: coord_extras=EXTRA[,EXTRA]; . tests/venv.sh   (dash hands no arguments to a sourced file)
# shellcheck shell=sh
# shellcheck disable=SC2154 # the caller sets coord_extras

coord_want="$coord_extras $(git ls-files -co --exclude-standard '*.py' 'hooks/sh' 'drivers/sh' '*/schemas/*.json' '*/page.css' pyproject.toml | LC_ALL=C sort | cksum) $(cksum <pyproject.toml) $(pwd)"
if [ "$(cat .venv/coord-stamp 2>/dev/null)" != "$coord_want" ]; then
	[ -x .venv/bin/python ] || python3 -m venv .venv || {
		echo "this needs python3 with its venv module (Debian: python3-venv)" >&2
		exit 3
	}
	# Strict editable: the default finder costs 10 ms at every start and hides packages from mypy.
	# Its link farm is made anew, or modules that are gone would still be importable.
	rm -rf build/__editable__*
	.venv/bin/pip install --quiet --disable-pip-version-check \
		--editable ".[$coord_extras]" --config-settings editable_mode=strict || exit 3
	printf '%s' "$coord_want" >.venv/coord-stamp
fi
PATH=$PWD/.venv/bin:$PATH
export PATH
