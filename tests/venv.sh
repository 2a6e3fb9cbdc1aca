# Sourced by demo.sh, test.sh and .ci/run from the top of the checkout: makes .venv once and again
# whenever the list of modules or the packaging changes, and puts it first on PATH.
# Usage: coord_extras=[EXTRA,…]; . tests/venv.sh   (dash hands no arguments to a sourced file)
# shellcheck shell=sh
# shellcheck disable=SC2154 # the caller sets coord_extras

# True for an interpreter that can run the product. pip finds that out itself, but after minutes of
# trying older releases of everything else, and without a word.
coord_runs() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# True for a .venv that can install something. One that was begun without the system's package
# python3-venv has no pip, and one whose interpreter was upgraded away has a dangling link.
coord_usable() { coord_runs .venv/bin/python && .venv/bin/python -m pip --version; } >/dev/null 2>&1

# Make .venv, or what is left of one anew; one that only lacks pip may be somebody's: it gets pip.
coord_venv() {
	coord_usable && return
	coord_runs .venv/bin/python && .venv/bin/python -m ensurepip >/dev/null 2>&1 && coord_usable && return
	for coord_python in python3 python3.14 python3.13 python3.12 python3.11; do
		coord_runs "$coord_python" || continue
		"$coord_python" -m venv --clear .venv >/dev/null && return
		echo "this needs python3 with its venv module (Debian: python3-venv)" >&2
		return 3
	done
	echo "this needs Python 3.11 or later, named python3 or python3.N on PATH; python3 here: $({ command -v python3 >/dev/null && python3 --version 2>&1; } || echo none)" >&2
	return 3
}

# Print the words of $1 and $2, lists with commas, each once: extras that are here stay installed.
coord_union() { printf '%s\n' "$1,$2" | tr ',' '\n' | LC_ALL=C sort -u | sed '/^$/d' | paste -sd, -; }

coord_had=$(sed -n 's/^extras //p' .venv/coord-stamp 2>/dev/null || true)
coord_extras=$(coord_union "$coord_extras" "$coord_had")
coord_want="extras $coord_extras
$(git ls-files -co --exclude-standard '*.py' 'hooks/sh' 'drivers/sh' '*/schemas/*.json' '*/page.css' '*/completion.*' '*/cli/agents.md' pyproject.toml | LC_ALL=C sort | cksum) $(cksum <pyproject.toml) $(pwd)"
if [ ! -x .venv/bin/python ] || [ "$(cat .venv/coord-stamp 2>/dev/null)" != "$coord_want" ]; then
	coord_venv || exit 3
	echo "installing git-coord${coord_extras:+ and what its tests need} into .venv; the first time this takes a while" >&2
	# Strict editable: the default finder costs 10 ms at every start and hides packages from mypy.
	# Its link farm is made anew, or modules that are gone would still be importable.
	rm -rf build/__editable__*
	.venv/bin/python -m pip install --quiet --disable-pip-version-check \
		--editable ".${coord_extras:+[$coord_extras]}" --config-settings editable_mode=strict || exit 3
	printf '%s' "$coord_want" >.venv/coord-stamp
fi
PATH=$PWD/.venv/bin:$PATH
export PATH
