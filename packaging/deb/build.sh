#!/bin/sh
# Builds a Debian package with a private environment below /opt/askance: deb/build.sh OUT HOUSE
# HOUSE is a folder of wheels (wheelhouse.py) for the Python of the Debian that it is meant for.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
packaging=$(dirname "$here")
out=$(cd "$1" && pwd)
house=$(cd "$2" && pwd)
python=${PYTHON:-python3}
series=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$packaging/../pyproject.toml" | head -n 1)
machine=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
site=$work/opt/askance/lib/python$series/site-packages
mkdir -p "$site" "$work/opt/askance/bin" "$work/usr/bin" "$work/DEBIAN" \
    "$work/usr/share/applications" "$work/usr/share/man/man1" "$work/usr/share/doc/askance" \
    "$work/usr/share/bash-completion/completions" "$work/usr/share/zsh/vendor-completions" \
    "$work/usr/share/fish/vendor_completions.d"

"$python" -m pip install --quiet --no-index --no-compile --disable-pip-version-check \
    --find-links "$house" --target "$site" 'askance[history]'
rm -rf "$site/bin"
ln -s "/usr/bin/python$series" "$work/opt/askance/bin/python3"
printf 'home = /usr/bin\ninclude-system-site-packages = false\nversion = %s\n' "$series" \
    >"$work/opt/askance/pyvenv.cfg"
printf '#!/opt/askance/bin/python3 -I\nimport sys\n\nfrom app.main import run\n\nsys.exit(run())\n' \
    >"$work/usr/bin/askance"
chmod 755 "$work/usr/bin/askance"

"$python" "$packaging/man.py" "$work/usr/share/man/man1/askance.1"
gzip -9n "$work/usr/share/man/man1/askance.1"
complete() { "$python" -c "from app.main import run; run()" completions "$1"; }
complete bash >"$work/usr/share/bash-completion/completions/askance"
complete zsh >"$work/usr/share/zsh/vendor-completions/_askance"
complete fish >"$work/usr/share/fish/vendor_completions.d/askance.fish"
cp "$packaging"/desktop/*.desktop "$work/usr/share/applications"
cp "$packaging/../LICENSE" "$work/usr/share/doc/askance/copyright"
for script in postinst prerm; do
    install -m 755 "$here/$script" "$work/DEBIAN"
done
size=$(du -sk "$work" | cut -f 1)
next=${series%.*}.$((${series#*.} + 1))
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$machine/; s/@SIZE@/$size/" \
    -e "s/@PYTHON@/$series/; s/@NEXT@/$next/" "$here/control.in" >"$work/DEBIAN/control"
dpkg-deb --root-owner-group -Zzstd -z3 --build "$work" "$out" >/dev/null
echo "size $(du -m "$out"/askance_*.deb | cut -f 1) MB $(basename "$out"/askance_*.deb)"
