#!/bin/sh
# What first_answer.sh times inside the root. Each line: seconds since the beginning, what was reached.
set -eu
cd /root/askance
if [ "$TOOL" = uv ] && [ ! -x /root/uv/bin/uv ]; then # Debian has no package of it
    python3 -m venv /root/uv
    /root/uv/bin/pip install --quiet uv
fi
PATH=/root/uv/bin:$PATH
pipx uninstall askance >/dev/null 2>&1 || :
[ "$TOOL" != uv ] || uv tool uninstall askance >/dev/null 2>&1 || :
rm -rf /root/.local/share/askance /root/.config/askance
began=$(date +%s.%N)
reached() {
    echo "$began $(date +%s.%N)" | awk -v what="$1" '{ printf "%6.1f s  %s\n", $2 - $1, what }'
}
must() { # the command; its words are shown only if it fails
    "$@" >/root/said 2>&1 || { echo "FAILED - $*"; tail -n 30 /root/said; exit 1; }
}
case "$TOOL" in
    pipx) must pipx install . ;;
    uv) must uv tool install . ;;
esac
reached "installed by $TOOL, $(python3 --version)"
files=$(askance demo --folder)
must askance search "signed lease form" "$files"
reached "first ranked result"
must askance models pull
reached "starter models are there"
must askance ask "How much is the lease a month?" "$files"
reached "first answer"
