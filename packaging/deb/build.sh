#!/bin/sh
# Builds build/forkd_VERSION_ARCH.deb from the jars Maven made; called by Maven: ./mvnw -Pdeb package
# The agent in it is of the machine it was built on.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
version=$1
arch=$(dpkg --print-architecture)
jars=$root/cli/target
out=$root/build
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 0755 "$work"
home=$work/usr/share/forkd
mkdir -p "$home/lib" "$home/packaging" "$work/usr/bin" "$work/usr/lib/systemd/system" "$work/etc/forkd" "$work/usr/share/doc/forkd" "$work/DEBIAN" "$out"
cp "$jars"/lib/*.jar "$jars/forkd-cli-$version.jar" "$home/lib/"
cp "$root/forkd" "$home/forkd"
for part in find-jdk.sh aot.sh packages.sh packages-run daemon.sh; do cp "$root/packaging/$part" "$home/packaging/$part"; done
cp -r "$root/recipes" "$home/recipes"
ln -s ../share/forkd/forkd "$work/usr/bin/forkd"
cp "$root/packaging/systemd/forkd.service" "$work/usr/lib/systemd/system/"
cp "$root/packaging/deb/daemon.toml" "$work/etc/forkd/daemon.toml"
cp "$root"/docs/*.md "$root/README.md" "$root/CHANGELOG.md" "$work/usr/share/doc/forkd/"
for script in postinst prerm postrm; do install -m 0755 "$root/packaging/deb/$script" "$work/DEBIAN/$script"; done
echo /etc/forkd/daemon.toml >"$work/DEBIAN/conffiles"
size=$(du -sk "$work" | cut -f1)
sed -e "s/@VERSION@/$version/" -e "s/@SIZE@/$size/" -e "s/@ARCH@/$arch/" "$root/packaging/deb/control" >"$work/DEBIAN/control"
find "$work" -type d -exec chmod 0755 {} +
find "$home" "$work/usr/share/doc" "$work/etc" "$work/usr/lib" -type f -exec chmod 0644 {} +
chmod 0755 "$home/forkd" "$home/packaging/daemon.sh"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date +%s)} dpkg-deb --root-owner-group -Zxz -z1 --build "$work" "$out/forkd_${version}_$arch.deb" >/dev/null
echo "built $out/forkd_${version}_$arch.deb"
