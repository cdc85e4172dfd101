#!/bin/sh
# Runs the folder in a clean Debian that has neither Python nor a network: folder/try.sh OUT
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
out=$(cd "$1" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
sh "$here/clean_root.sh" "$root"
if [ -n "$(find "$root/usr/bin" -name 'python*')" ]; then
    echo "FAILED - the clean root has a Python"
    exit 1
fi
mkdir "$root/opt/askance"
tar -xzf "$out"/askance-*-linux-*.tar.gz -C "$root/opt/askance" --strip-components 1
cp -r "$here/../app/sample/data" "$root/files"
cp "$here/try_commands.sh" "$root"
if [ -n "${MODEL:-}" ]; then
    mkdir -p "$root/models"
    cp -rL "${ASKANCE_MODELS_DIR:-$HOME/.local/share/askance/models}/$MODEL" "$root/models"
fi
ASKANCE_MODELS_DIR=/models sh "$here/in_root.sh" "$root" sh /try_commands.sh /files /opt/askance/askance
