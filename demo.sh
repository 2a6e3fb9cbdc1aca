#!/bin/sh
# Show the main job on a scratch repository, or on a clone of the repository given as argument.
# Everything happens in a new temporary folder, which is removed at the end.
if [ $# -eq 1 ] && [ -d "$1" ]; then
	set -- "$(cd -- "$1" && pwd)" # its name, from where it was typed
fi
cd "$(dirname "$0")" || exit 3
coord_extras=${coord_extras-}
. tests/venv.sh
exec sh docs/demo.sh "$@"
