#!/bin/sh
# Records the first minute of a newcomer with real models, as it ran, in docs/pictures/first-minute.svg:
# first_minute.sh. Needs tmux, asciinema, npx (svg-term-cli), and the starter models in their store.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sample=$here/../app/sample/data
models=${ASKANCE_MODELS_DIR:-$HOME/.local/share/askance/models}
home=$(mktemp -d /tmp/ann.XXXXXX)
trap 'tmux -L minute kill-server 2>/dev/null; rm -rf "$home"' EXIT
cp -r "$sample/mail" "$home/Mail"
cp -r "$sample/calendars" "$home/Calendars"
cp -r "$sample/documents" "$home/Documents"
cast=${CAST:-$home/cast}
askance="env HOME=$home ASKANCE_MODELS_DIR=$models ASKANCE_READING_TIMEZONE=UTC $here/../.venv/bin/askance"
tmux -L minute -f /dev/null new-session -d -x 120 -y 32 \
    "asciinema rec --quiet --overwrite --cols 120 --rows 32 --command '$askance' $cast"

press() { # seconds before, then keys
    sleep "$1"
    shift
    tmux -L minute send-keys "$@"
}
typed() { # as people type
    echo "$1" | sed 's/./&\n/g' | while IFS= read -r letter; do
        [ -z "$letter" ] || tmux -L minute send-keys -l "$letter"
        sleep 0.05
    done
}
seen() { # words that are awaited, up to two minutes
    for _ in $(seq 240); do
        tmux -L minute capture-pane -p | grep -q "$1" && return
        sleep 0.5
    done
    tmux -L minute capture-pane -p
    echo "FAILED - never seen: $1"
    exit 1
}

seen "what may be read"
press 3 Enter
seen "which models"
press 2 Enter
seen "3 of 3"
press 2 Enter
seen "Took"
sleep 4
typed "When and where do I meet Dana Okafor about the lease, and what should I bring?"
press 0.7 Enter
sleep 2
seen "Took .*s; w: how"
sleep 1
for _ in $(seq 240); do
    tmux -L minute capture-pane -p | grep -q "left\|…" || break
    sleep 0.5
done
press 4 Escape
press 1.5 Enter
press 2 j
press 3 M-s
press 4 Escape
press 1 C-q
sleep 2
${SVG_TERM:-npx --yes svg-term-cli} --in "$cast" --out "$here/../docs/pictures/first-minute.svg" --window --no-cursor
