#!/bin/sh
# Installs the wheel with pipx and with uv, each into a home of its own, and runs it:
# wheel/try.sh OUT HOUSE. HOUSE is a folder of wheels (wheelhouse.py); nothing else is asked for.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
out=$(cd "$1" && pwd)
house=$(cd "$2" && pwd)
python=${PYTHON:-python3}
wheel=$(ls "$out"/askance-*.whl)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_NO_INDEX=1 PIP_FIND_LINKS="$house" UV_OFFLINE=1 UV_NO_INDEX=1 UV_FIND_LINKS="$house"
export PIPX_HOME="$work/pipx" PIPX_BIN_DIR="$work/bin" PIPX_DEFAULT_PYTHON=$(command -v "$python")
export UV_TOOL_DIR="$work/uv" UV_TOOL_BIN_DIR="$work/uvbin" UV_CACHE_DIR="$work/cache"
unset PIP_CONFIG_FILE || :

timed() { # a name, then the command
    name=$1
    shift
    began=$(date +%s.%N)
    "$@" >"$work/said" 2>&1 || { echo "FAILED - $name"; tail -n 20 "$work/said"; exit 1; }
    echo "ok $(echo "$began $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }') $name"
}

timed "pipx install" "$python" -m pipx install "$wheel"
sh "$here/try_commands.sh" "$here/../app/sample/data" "$work/bin/askance"
echo "size $(du -sm "$work/pipx/venvs/askance" | cut -f 1) MB installed by pipx"
timed "uv tool install" "$python" -m uv tool install --python "$PIPX_DEFAULT_PYTHON" "$wheel"
MODEL= sh "$here/try_commands.sh" "$here/../app/sample/data" "$work/uvbin/askance"
echo "size $(du -sm "$work/uv/askance" | cut -f 1) MB installed by uv"
