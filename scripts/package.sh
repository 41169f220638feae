#!/bin/sh
# Builds the packages in target/package: a .deb, and a tarball with an installer. With PUBLISH=1 it fails
# unless Cargo.toml names the publisher.
#
# Builds of one commit are reproducible: file times are the time of the commit.
set -eu
cd "$(dirname "$0")/.."

CARGO=${CARGO:-cargo}
# The target folder of cargo, as an absolute path.
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$(pwd)/$target ;; esac
out=$target/package
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
arch=$(uname -m)
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
fi
export SOURCE_DATE_EPOCH
umask 022

# MAPSCOPE_BINARIES: a folder with prebuilt copies of both programs.
programs=${MAPSCOPE_BINARIES:-$out/programs}
rm -rf "$out"
mkdir -p "$out"
stage=$out/mapscope-$version-linux-$arch
if [ -z "${MAPSCOPE_BINARIES:-}" ]; then
    # This program has no window and no graphics, so it builds quickly and reports errors early.
    $CARGO build --release --locked -p mapscope-package
    mkdir "$programs"
    cp "$target/release/make-package-files" "$programs"
fi
publisher=$("$programs/make-package-files" ${PUBLISH:+--publish} "$stage")
if [ -z "${MAPSCOPE_BINARIES:-}" ]; then
    $CARGO build --profile dist --locked -p mapscope
    cp "$target/dist/mapscope" "$programs"
fi
install -D -m 755 "$programs/mapscope" "$stage/bin/mapscope"
strip --remove-section=.comment "$stage/bin/mapscope"
doc=$stage/share/doc/mapscope
cp packaging/install.sh "$stage"
gzip -9n "$doc/changelog" "$doc/THIRD-PARTY.txt" "$stage"/share/man/man1/*.1

# sorted DIR: writes a reproducible archive of DIR to standard output.
sorted() {
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        -C "$(dirname "$1")" -c "$(basename "$1")"
}
sorted "$stage" | gzip -9n >"$stage.tar.gz"
echo "$stage.tar.gz"

if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
    echo "No .deb was built: dpkg-deb and dpkg-shlibdeps not found (package dpkg-dev)." >&2
    exit 0
fi
deb=$out/deb
mkdir -p "$deb/DEBIAN" "$deb/usr"
cp -R "$stage/bin" "$stage/share" "$deb/usr"
# Debian's zsh searches this folder.
mv "$deb/usr/share/zsh/site-functions" "$deb/usr/share/zsh/vendor-completions"
doc=$deb/usr/share/doc/mapscope
# Debian has one file for both licences and its own changelog. The documents link to each other and are for
# builders only.
rm -r "$doc/README.md" "$doc/CHANGELOG.md" "$doc/LICENSE-MIT" "$doc/LICENSE-APACHE" "$doc/docs"
{
    cat <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Mapscope
Comment: THIRD-PARTY.txt.gz has the licences of the libraries and fonts that are part
 of the program.

Files: *
Copyright: $(sed -n 's/^Copyright (c) //p' LICENSE-MIT)
License: Expat or Apache-2.0

License: Expat
END
    sed -n '/^Permission/,$s/^\(.*\)$/ \1/p' LICENSE-MIT | sed 's/^ $/ ./'
    cat <<END

License: Apache-2.0
 On Debian systems, the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
END
} >"$doc/copyright"
# Linked libraries, as dpkg knows them; libraries that are loaded at start are added below.
mkdir -p "$out/shlibs/debian"
: >"$out/shlibs/debian/control"
(cd "$out/shlibs" && dpkg-shlibdeps -O "$deb/usr/bin/mapscope") >"$out/depends"
linked=$(sed -n 's/^shlibs:Depends=//p' "$out/depends")
rm -r "$out/shlibs" "$out/depends"
cat >"$deb/DEBIAN/control" <<END
Package: mapscope
Version: $version
Section: graphics
Priority: optional
Architecture: $(dpkg --print-architecture)
$publisher
Installed-Size: $(du -k -s "$deb/usr" | cut -f1)
Depends: $linked, libvulkan1, libwayland-client0, libx11-6, libx11-xcb1, libxcursor1, libxi6, libxkbcommon0, libxkbcommon-x11-0
Recommends: mesa-vulkan-drivers | vulkan-icd
Suggests: libegl1, xdg-desktop-portal
Description: viewer of game terrain, scenes, models and maps
 Mapscope shows files of games as the games show them, in a window on which
 they are dropped: terrain, models and scenes of the Permafrost Engine, levels
 of PlatinumSrc, and 2D maps of ika and the PixelPerfectEngine. Any tile, cube
 or triangle can be pointed at, and every problem in a file is listed with its
 place.
 .
 The commands info, check and render do the same without a window.
END
(cd "$deb" && find usr -type f | LC_ALL=C sort | xargs -d '\n' md5sum >DEBIAN/md5sums)
find "$deb" -depth -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
package=$out/mapscope_${version}_$(dpkg --print-architecture).deb
dpkg-deb --root-owner-group -Zxz --build "$deb" "$package" >/dev/null
echo "$package"
