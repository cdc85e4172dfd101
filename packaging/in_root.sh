#!/bin/sh
# Runs a command inside a clean root without any network: in_root.sh FOLDER COMMAND…
# It has /proc and /dev and a small environment; MODEL, VERSION and ASKANCE_MODELS_DIR pass.
set -eu
folder=$1
shift
exec unshare --net --mount --pid --fork sh -c '
    folder=$1; shift
    mount -t proc proc "$folder/proc" && mount --bind /dev "$folder/dev"
    exec chroot "$folder" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root \
        LANG=C.UTF-8 MODEL="${MODEL:-}" VERSION="${VERSION:-}" \
        ASKANCE_MODELS_DIR="${ASKANCE_MODELS_DIR:-/models}" "$@"
' sh "$folder" "$@"
