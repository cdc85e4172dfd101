#!/bin/sh
# Installs Askance from this folder, without a network: sh install.sh [PREFIX]
# PREFIX is ~/.local where none is given: the program goes to PREFIX/lib/askance, its command to
# PREFIX/bin, the models to the folder where Askance looks for them. PYTHON names another Python.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=${1:-$HOME/.local}
python=${PYTHON:-python3}
models=${ASKANCE_MODELS_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/askance/models}

stop() {
    echo "Not installed: $1" >&2
    exit 1
}

command -v "$python" >/dev/null || stop "there is no $python; set PYTHON to one of 3.11 or later."
echo "Checking the files of the bundle"
(cd "$here" && sha256sum --check --quiet SHA256SUMS) || stop "the bundle is damaged; copy it again."
if [ -r "$here/cpu-flags" ] && [ -r /proc/cpuinfo ]; then
    here_flags=" $(grep -m 1 '^flags' /proc/cpuinfo) "
    for flag in $(cat "$here/cpu-flags"); do
        case "$here_flags" in
            *" $flag "*) ;;
            *) stop "this processor lacks $flag, for which the bundle was built; build it with --cpu portable." ;;
        esac
    done
fi
"$python" -m venv "$prefix/lib/askance" || stop "on Debian: apt install python3-venv."
"$prefix/lib/askance/bin/python" -m pip install --quiet --no-index --no-cache-dir \
    --disable-pip-version-check --find-links "$here/wheels" --upgrade 'askance[history]' ||
    stop "the wheels are for another Python or another machine than $("$python" -VV)."
mkdir -p "$prefix/bin"
ln -sf "$prefix/lib/askance/bin/askance" "$prefix/bin/askance"
for model in "$here"/models/*/; do
    [ -d "$model" ] || continue
    mkdir -p -m 700 "$models/$(basename "$model")"
    cp "$model"* "$models/$(basename "$model")"
done
echo "Installed: $prefix/bin/askance. What works here: askance doctor"
