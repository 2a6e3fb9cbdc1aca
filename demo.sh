#!/bin/sh
# Show the main job on a scratch repository, or on a clone of the repository given as argument.
# Everything happens in a new temporary folder, which is removed at the end.
cd "$(dirname "$0")" || exit 3
coord_extras=${coord_extras-}
. tests/venv.sh
exec sh docs/demo.sh "$@"
