#!/bin/sh
# Builds the Debian package from programs and pages that are built already:
#   build.sh PROGRAMS PAGES PRACTICE OUTPUT
# `make deb` calls it. It needs dpkg-deb, and neither root nor a container.
set -eu

programs=$1 pages=$2 practice=$3 output=$4
vm=$(cd "$(dirname "$0")/.." && pwd)
checkout=$(cd "$vm/../.." && pwd)

for program in sukoon services checker; do
    [ -x "$programs/$program" ] || { echo "the program $program has not been built" >&2; exit 1; }
done
[ -f "$pages/index.html" ] && [ -f "$(dirname "$pages")/dist-server/template.html" ] || { echo "the pages have not been built" >&2; exit 1; }

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$checkout/Cargo.toml" | head -n 1)
# The time of the last change orders packages of one version; a tree without git has none.
changed=$(git -C "$checkout" log -1 --format=%cd --date=format:%Y%m%d%H%M%S 2>/dev/null || echo 0)
architecture=$(dpkg --print-architecture)
major=${POSTGRES_MAJOR:-$(apt-cache depends postgresql 2>/dev/null |
    sed -n 's/^ *Depends: postgresql-\([0-9][0-9]*\)$/\1/p' | head -n 1)}
major=${major:-15}
# The newest function of the C library that a program uses says which library it needs.
libc=$(for program in sukoon services checker; do
    grep -ao 'GLIBC_2\.[0-9][0-9]*' "$programs/$program"
done | sed 's/GLIBC_//' | sort -Vu | tail -n 1)

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
umask 022
# Files get the time of the last change, so that the same sources give the same package.
export SOURCE_DATE_EPOCH=$(git -C "$checkout" log -1 --format=%ct 2>/dev/null || echo 0)

install -d "$root/DEBIAN" "$root/usr/bin" "$root/usr/lib/sukoon" "$root/usr/share/sukoon" \
    "$root/usr/share/doc/sukoon" "$root/lib/systemd/system" \
    "$root/usr/lib/sysusers.d" "$root/usr/lib/tmpfiles.d"
for program in sukoon services checker; do
    install -m 755 "$programs/$program" "$root/usr/lib/sukoon/$program"
done
ln -s ../lib/sukoon/sukoon "$root/usr/bin/sukoon"
cp -R "$pages" "$root/usr/share/sukoon/web"
cp -RL "$practice" "$root/usr/share/sukoon/practice"
# What renders the pages of other words of the practice, where Node.js is installed.
renderer=$(dirname "$pages")/dist-server
install -d "$root/usr/share/sukoon/renderer"
cp -R "$renderer" "$root/usr/share/sukoon/renderer/dist-server"
cp "$vm/README.md" "$checkout/LICENSE" "$root/usr/share/doc/sukoon/"
# What alarms lead to, and the operators' other pages. They lie beside the pages of the site, because a
# small image of Debian leaves /usr/share/doc out.
install -d "$root/usr/share/sukoon/docs"
cp "$checkout"/docs/*.md "$checkout/docs/stored.csv" "$root/usr/share/sukoon/docs/"
cp "$vm/README.md" "$root/usr/share/sukoon/docs/SERVER.md"
install -m 644 "$vm/debian/sysusers.conf" "$root/usr/lib/sysusers.d/sukoon.conf"
install -m 644 "$vm/debian/tmpfiles.conf" "$root/usr/lib/tmpfiles.d/sukoon.conf"
for unit in "$vm"/systemd/*; do
    name=$(basename "$unit")
    if [ -d "$unit" ]; then
        cp -R "$unit" "$root/lib/systemd/system/$name"
    else
        sed "s#@POSTGRES@#/usr/lib/postgresql/$major/bin#g" "$unit" > "$root/lib/systemd/system/$name"
    fi
done
chmod -R u=rwX,go=rX "$root/usr" "$root/lib"

sed -e "s/@VERSION@/$version+$changed/" -e "s/@ARCHITECTURE@/$architecture/" \
    -e "s/@LIBC@/$libc/" -e "s/@POSTGRES_MAJOR@/$major/" \
    "$vm/debian/control.in" > "$root/DEBIAN/control"
for script in postinst prerm postrm; do
    install -m 755 "$vm/debian/$script" "$root/DEBIAN/$script"
done
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$output"
dpkg-deb --root-owner-group --build "$root" "$output/sukoon_$version+${changed}_$architecture.deb"
