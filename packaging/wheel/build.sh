#!/bin/sh
# Builds the source archive, and from it the wheel: wheel/build.sh OUT
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(cd "$1" && pwd)
python=${PYTHON:-python3}
rm -f "$out"/askance-*.whl "$out"/askance-*[0-9].tar.gz
(cd "$root" && "$python" -m hatchling build -t sdist -d "$out" >/dev/null)
source=$(ls "$out"/askance-*[0-9].tar.gz)
for needed in CHANGELOG.md LICENSE README.md pyproject.toml constraints-hashes.txt; do
    tar -tzf "$source" | grep -q "^[^/]*/$needed\$" || { echo "FAILED - no $needed in it"; exit 1; }
done
"$python" -m pip wheel --quiet --no-deps --wheel-dir "$out" "$source"
wheel=$(ls "$out"/askance-*.whl)
if "$python" -m zipfile -l "$wheel" | grep -E '^(tests|packaging|docs)/'; then
    echo "FAILED - the wheel holds more than the program"
    exit 1
fi
echo "size $(du -k "$source" | cut -f 1) kB $(basename "$source")"
echo "size $(du -k "$wheel" | cut -f 1) kB $(basename "$wheel")"
