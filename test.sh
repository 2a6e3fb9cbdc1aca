#!/bin/sh
# Run the whole test suite in .venv, which is made here; arguments go to pytest.
cd "$(dirname "$0")" || exit 3
coord_extras=test
. tests/venv.sh
exec python -m pytest -n auto "$@"
