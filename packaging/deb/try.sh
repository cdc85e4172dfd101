#!/bin/sh
# Installs the package in a clean Debian with apt, runs it without a network, and removes it:
# deb/try.sh OUT
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
out=$(cd "$1" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
sh "$here/clean_root.sh" "$root" python3
cp "$out"/askance_*.deb "$root/askance.deb"
cp -r "$here/../app/sample/data" "$root/files"
cp "$here/try_commands.sh" "$root"
if [ -n "${MODEL:-}" ]; then
    mkdir -p "$root/models"
    cp -rL "${ASKANCE_MODELS_DIR:-$HOME/.local/share/askance/models}/$MODEL" "$root/models"
fi
began=$(date +%s.%N)
chroot "$root" apt-get -qq install --yes --no-install-recommends /askance.deb >/dev/null
echo "ok $(echo "$began $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }') apt install"
echo "size $(du -sm "$root/opt/askance" | cut -f 1) MB installed"
ASKANCE_MODELS_DIR=/models sh "$here/in_root.sh" "$root" sh /try_commands.sh /files
chroot "$root" dpkg --purge askance >/dev/null
left=$(find "$root/opt/askance" "$root/usr/bin/askance" 2>/dev/null | head -n 5)
[ -z "$left" ] || { echo "FAILED - left behind: $left"; exit 1; }
echo "ok 0 purge leaves nothing"
