#!/bin/sh
# Prints the path of a Python 3.13, Lambda's version: the one on the PATH, one of pyenv's, or one
# that uv brings. Usage: python313.sh UV
set -eu

is_it() { [ -x "$1" ] && "$1" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' 2>/dev/null; }

for python in \
    "$(command -v python3.13 || true)" \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.13*/bin/python3.13
do
    if is_it "$python"; then
        echo "$python"
        exit 0
    fi
done
"$1" python install --quiet --no-bin 3.13 ||
    { echo "Python 3.13, Lambda's version, is needed on the PATH and could not be brought" >&2; exit 1; }
"$1" python find --managed-python 3.13
