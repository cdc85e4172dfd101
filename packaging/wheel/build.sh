#!/bin/sh
# Builds the wheel and the source archive: wheel/build.sh OUT
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
${PYTHON:-python3} -m pip wheel --quiet --no-deps --wheel-dir "$out" "$root"
ls "$out"/askance-*.whl
