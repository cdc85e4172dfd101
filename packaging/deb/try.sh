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
if ! man_says=$(gzip -dc "$root/usr/share/man/man1/askance.1.gz" | head -n 3) ||
    ! echo "$man_says" | grep -q askance; then
    echo "FAILED - the man page is not there"
    exit 1
fi
if command -v desktop-file-validate >/dev/null; then
    desktop-file-validate "$root"/usr/share/applications/askance*.desktop
fi
chroot "$root" dpkg --purge askance >/dev/null
# What the person has, the models and apt's own notes stay.
left=$(find "$root" -xdev -path '*askance*' ! -path "$root/askance.deb" ! -path "$root/files*" \
    ! -path "$root/models*" ! -path "$root/var/log/*" ! -path "$root/var/lib/apt/*" | head -n 5)
[ -z "$left" ] || { echo "FAILED - left behind: $left"; exit 1; }
echo "ok 0 purge leaves nothing"
