#!/bin/sh
# Makes a Debian with nothing but its base in FOLDER, for the tries: clean_root.sh FOLDER [PACKAGE…]
# SUITE names another Debian than bookworm. CLEAN_ROOT names a root that is copied instead of being
# fetched anew. Needs root and debootstrap.
set -eu
folder=$1
shift
if [ -n "${CLEAN_ROOT:-}" ]; then
    mkdir -p "$folder"
    cp -a "$CLEAN_ROOT/." "$folder"
else
    debootstrap --variant=minbase "${SUITE:-bookworm}" "$folder" >/dev/null
fi
if [ $# -gt 0 ]; then
    cp /etc/resolv.conf "$folder/etc/"
    chroot "$folder" apt-get -qq update
    DEBIAN_FRONTEND=noninteractive chroot "$folder" \
        apt-get -qq install --no-install-recommends --yes "$@" >/dev/null
fi
