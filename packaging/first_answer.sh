#!/bin/sh
# Times the way of a new user in a Debian with nothing but its base, from a checkout to the first
# ranked result and the first answer: first_answer.sh FOLDER [bookworm|trixie] [pipx|uv].
# FOLDER becomes the root, and is kept: a second call finds it there. SEEN names folders of this
# machine that the root sees too, such as a package index on disk. Needs root and debootstrap.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
suite=${2:-bookworm}
tool=${3:-pipx}
if [ ! -d "$folder/usr" ]; then
    SUITE=$suite sh "$here/clean_root.sh" "$folder" ca-certificates python3-venv pipx build-essential
fi
rm -rf "$folder/root/askance" "$folder/root/said"
git clone --quiet "$here/.." "$folder/root/askance"
cp "$here/first_answer_inside.sh" "$folder/root"
for seen in /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
    [ ! -f "$seen" ] || cp "$seen" "$folder$seen"
done
exec unshare --mount --pid --fork sh -c '
    folder=$1 tool=$2
    mount -t proc proc "$folder/proc" && mount --bind /dev "$folder/dev"
    for seen in ${SEEN:-}; do mkdir -p "$folder$seen" && mount --bind "$seen" "$folder$seen"; done
    for name in $(env | cut -d = -f 1 | grep -E "^(PIP|UV)_"); do
        eval "value=\$$name"; set -- "$@" "$name=$value"
    done
    shift 2
    exec chroot "$folder" /usr/bin/env -i PATH=/root/.local/bin:/usr/local/bin:/usr/bin:/bin HOME=/root \
        LANG=C.UTF-8 TOOL="$tool" "$@" sh /root/first_answer_inside.sh
' sh "$folder" "$tool"
