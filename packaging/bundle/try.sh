#!/bin/sh
# Installs the bundle in a clean Debian that has Python and no network, and runs it:
# bundle/try.sh OUT
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
out=$(cd "$1" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
sh "$here/clean_root.sh" "$root" python3-venv libgomp1
(cd "$out" && sha256sum --check --quiet askance-*-offline-*.tar.sha256)
tar -xf "$out"/askance-*-offline-*.tar -C "$root/opt"
cp -r "$here/../app/sample/data" "$root/files"
cp "$here/try_commands.sh" "$root"
began=$(date +%s.%N)
ASKANCE_MODELS_DIR=/models sh "$here/in_root.sh" "$root" sh -c "sh /opt/askance-*/install.sh /usr/local"
echo "ok $(echo "$began $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }') install.sh"
echo "size $(du -sm "$root/usr/local/lib/askance" | cut -f 1) MB installed"
sh "$here/in_root.sh" "$root" sh /try_commands.sh /files
# A byte that changed is noticed before anything is installed.
printf x >>"$(ls "$root"/opt/askance-*/wheels/click-*.whl)"
if sh "$here/in_root.sh" "$root" sh -c "sh /opt/askance-*/install.sh /tmp/again" >/dev/null 2>&1; then
    echo "FAILED - a damaged bundle was installed"
    exit 1
fi
echo "ok 0 a damaged bundle is refused"
