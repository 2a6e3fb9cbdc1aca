#!/bin/sh
# Run the whole test suite in .venv, which is made here; arguments go to pytest.
cd "$(dirname "$0")" || exit 3
coord_extras=${coord_extras:-test}
. tests/venv.sh
# Twice as many as there are processors: a test mostly waits for the git that it has started.
exec python -m pytest -n "$(($(getconf _NPROCESSORS_ONLN) * 2))" "$@"
