#!/bin/sh
# Installs what the program needs from the system, and nothing that is there already.
#
#   scripts/install-packages.sh run     what building and running take
#   scripts/install-packages.sh test    that, and what the tests take
#
# Packages are installed with apt on Debian, Ubuntu and their kin. Elsewhere what is missing is
# named, and the rest is up to you.
set -eu

missing=

# need PACKAGE WHAT TEST...: the package, and what it is for, unless the test succeeds.
need() {
    package=$1 what=$2
    shift 2
    if ! "$@" >/dev/null 2>&1; then
        echo "missing: $what" >&2
        missing="$missing $package"
    fi
}

libraries=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p)

has_library() {
    case $libraries in *"$1 "*) ;; *) return 1 ;; esac
}

has_vulkan_driver() {
    for folder in /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d /etc/vulkan/icd.d \
        "${XDG_DATA_HOME:-${HOME:-/root}/.local/share}/vulkan/icd.d"; do
        for driver in "$folder"/*.json; do
            [ -e "$driver" ] && return 0
        done
    done
    return 1
}

if [ "$(uname -s)" != Linux ]; then
    exit 0
fi

need gcc "a linker (cc)" command -v cc
need libc6-dev "the C library's files for linking" test -e /usr/include/stdio.h
need libvulkan1 "the Vulkan loader (libvulkan.so.1)" has_library libvulkan.so.1
need mesa-vulkan-drivers "a Vulkan driver" has_vulkan_driver
need libx11-6 "libX11.so.6" has_library libX11.so.6
need libx11-xcb1 "libX11-xcb.so.1" has_library libX11-xcb.so.1
need libxcursor1 "libXcursor.so.1" has_library libXcursor.so.1
need libxi6 "libXi.so.6" has_library libXi.so.6
need libxkbcommon0 "libxkbcommon.so.0" has_library libxkbcommon.so.0
need libxkbcommon-x11-0 "libxkbcommon-x11.so.0" has_library libxkbcommon-x11.so.0
if [ "${1:-run}" = test ]; then
    need xvfb "Xvfb, the X server that the window's tests run in" command -v Xvfb
    need sway "sway, the Wayland compositor that the window's tests run in" command -v sway
    # The keyboard of those tests, and how root starts sway, whom it refuses.
    need xkb-data "the keymaps of X and Wayland" test -e /usr/share/X11/xkb
    need util-linux "setpriv" command -v setpriv
fi

if [ -z "$missing" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "This is no Debian or Ubuntu: please install the above with your system's packages." >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null; then
    as_root=sudo
else
    echo "Please run this as root:  apt-get install$missing" >&2
    exit 1
fi
echo "installing:$missing" >&2
$as_root apt-get update -q
# The list is of words, as it should be.
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $missing
