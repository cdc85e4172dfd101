#!/bin/sh
# Builds a folder that starts without Python, and an archive of it: folder/build.sh OUT HOUSE
# HOUSE is a folder of wheels (wheelhouse.py). It runs on systems as new as this one, or newer.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$1" && pwd)
house=$(cd "$2" && pwd)
python=${PYTHON:-python3}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../../pyproject.toml" | head -n 1)
name=askance-$version-$(uname -s | tr A-Z a-z)-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    -c "$here/../../constraints.txt" pyinstaller
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-index \
    --find-links "$house" 'askance[history]'
# Away from the checkout, whose packages have the same names.
cd "$work"
"$work/venv/bin/pyinstaller" --noconfirm --log-level ERROR --distpath "$work/dist" \
    --workpath "$work/build" "$here/askance.spec"
mv "$work/dist/askance" "$work/dist/$name"
if find "$work/dist" | grep -E 'libreadline|libgdbm|libdb-'; then
    echo "FAILED - a library under the GPL came in"
    exit 1
fi
cp "$here/../../LICENSE" "$here/../../docs/licences.md" "$work/dist/$name"
find /usr/share/doc/libpython3*-minimal/copyright "$("$python" -c 'import os; print(os.__file__)' |
    sed 's/os.py$/LICENSE.txt/')" -exec cp {} "$work/dist/$name/LICENSE.python" \; 2>/dev/null || :
tar -czf "$out/$name.tar.gz" -C "$work/dist" "$name"
echo "size $(du -m "$out/$name.tar.gz" | cut -f 1) MB $name.tar.gz"
echo "size $(du -sm "$work/dist/$name" | cut -f 1) MB unpacked"
