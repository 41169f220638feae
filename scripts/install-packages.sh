#!/bin/sh
# Installs what the program needs from the system, and nothing that is there already.
#
#   scripts/install-packages.sh run     what building and running take
#   scripts/install-packages.sh test    that, and what the tests take
#
# Packages are installed with apt on Debian, Ubuntu and their kin. Elsewhere, and where that fails, what is
# missing is named, and the rest is up to you: it stops only without what a build takes, or all that the
# tests take.
set -eu

mode=${1:-run}

# need PACKAGE WHAT TEST...: the package, and what it is for, unless the test succeeds.
need() {
    package=$1 what=$2
    shift 2
    if ! "$@" >/dev/null 2>&1; then
        echo "missing: $what" >&2
        missing="$missing $package"
    fi
}

has_library() {
    case $libraries in *"$1 "*) return 0 ;; esac
    # Where there is no ldconfig, or where it does not look.
    for folder in /lib /usr/lib /lib64 /usr/lib64 /usr/local/lib; do
        [ -e "$folder/$1" ] && return 0
    done
    return 1
}

has_vulkan_driver() {
    [ -n "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ] && return 0
    for folder in /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d /etc/vulkan/icd.d \
        /run/opengl-driver/share/vulkan/icd.d \
        "${XDG_DATA_HOME:-${HOME:-/root}/.local/share}/vulkan/icd.d"; do
        for driver in "$folder"/*.json; do
            [ -e "$driver" ] && return 0
        done
    done
    return 1
}

# Says what is missing, and puts the packages into $missing, what a build takes into $missing_to_build too.
look() {
    missing=
    libraries=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null) || libraries=
    need gcc "a linker (cc)" command -v cc
    # Only Debian and its kin have it in a package of its own.
    need libc6-dev "the C library's files for linking" test -e /usr/include/stdio.h
    missing_to_build=$missing
    need libvulkan1 "the Vulkan loader (libvulkan.so.1)" has_library libvulkan.so.1
    need mesa-vulkan-drivers "a Vulkan driver" has_vulkan_driver
    need libx11-6 "libX11.so.6" has_library libX11.so.6
    need libx11-xcb1 "libX11-xcb.so.1" has_library libX11-xcb.so.1
    need libxcursor1 "libXcursor.so.1" has_library libXcursor.so.1
    need libxi6 "libXi.so.6" has_library libXi.so.6
    need libxkbcommon0 "libxkbcommon.so.0" has_library libxkbcommon.so.0
    need libxkbcommon-x11-0 "libxkbcommon-x11.so.0" has_library libxkbcommon-x11.so.0
    if [ "$mode" = test ]; then
        need xvfb "Xvfb, the X server that the window's tests run in" command -v Xvfb
        need sway "sway, the Wayland compositor that the window's tests run in" command -v sway
        # The keyboard of those tests, and how root starts sway, whom it refuses.
        need xkb-data "the keymaps of X and Wayland" test -e /usr/share/X11/xkb
        need util-linux "setpriv" command -v setpriv
    fi
}

# Of the first word: CARGO may have arguments. Distributions mostly have one that is too old.
cargo=${CARGO:-cargo}
if ! command -v "${cargo%% *}" >/dev/null; then
    echo "missing: Rust; https://www.rust-lang.org/tools/install says how to install it" >&2
    exit 1
fi
if [ "$(uname -s)" != Linux ]; then
    exit 0
fi
look
if [ -z "$missing" ]; then
    exit 0
fi

if ! command -v apt-get >/dev/null; then
    echo "This is no Debian or Ubuntu: please install the above with your system's packages." >&2
else
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null; then
        as_root=sudo
    else
        # Fails, and that is said.
        as_root=false
    fi
    [ "$as_root" = false ] || echo "installing:$missing" >&2
    # The lists that are there may do, and so may packages that were loaded before.
    $as_root apt-get update -q >&2 || true
    # The list is of words, as it should be.
    # shellcheck disable=SC2086
    if $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $missing >&2; then
        exit 0
    fi
    echo "They could not be installed. As root:  apt-get update; apt-get install$missing" >&2
    look 2>/dev/null
fi

if [ "$mode" = test ] && [ -n "$missing" ]; then
    echo "The tests take all of them." >&2
    exit 1
fi
# Elsewhere the C library's files may lie where only the compiler looks.
if [ -n "$missing_to_build" ] && { command -v apt-get || ! command -v cc; } >/dev/null; then
    echo "Without these nothing is built:$missing_to_build" >&2
    exit 1
fi
echo "Going on without them." >&2
