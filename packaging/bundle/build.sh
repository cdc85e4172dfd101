#!/bin/sh
# Makes one archive that installs Askance where there is no internet:
# bundle/build.sh OUT HOUSE [MODEL_ID…]. HOUSE is a folder of wheels (wheelhouse.py --gpu …); the
# models are those of the store, each in its folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$1" && pwd)
house=$(cd "$2" && pwd)
shift 2
models=${ASKANCE_MODELS_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/askance/models}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../../pyproject.toml" | head -n 1)
name=askance-$version-offline-$(uname -s | tr A-Z a-z)-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bundle=$work/$name
mkdir -p "$bundle/wheels" "$bundle/models"
cp "$house"/*.whl "$bundle/wheels"
cp "$here/install.sh" "$here/../../LICENSE" "$bundle"
for id in "$@"; do
    mkdir "$bundle/models/$id"
    find "$models/$id" -maxdepth 1 -type f ! -name '.*' -exec cp {} "$bundle/models/$id" \;
done
# A build for this processor needs the instructions that it has.
if [ "${CPU:-native}" = native ] && [ -r /proc/cpuinfo ]; then
    grep -m 1 '^flags' /proc/cpuinfo | tr ' ' '\n' |
        grep -E '^(avx|avx2|fma|f16c|bmi2|avx512.*|avx_vnni|amx_.*)$' >"$bundle/cpu-flags" || :
fi
(cd "$bundle" && find . -type f ! -name SHA256SUMS -exec sha256sum {} + >SHA256SUMS)
tar -cf "$out/$name.tar" -C "$work" "$name"
(cd "$out" && sha256sum "$name.tar" >"$name.tar.sha256")
echo "size $(du -m "$out/$name.tar" | cut -f 1) MB $name.tar"
