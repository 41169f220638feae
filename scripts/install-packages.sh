#!/bin/sh
# Installs the system packages that the program needs, unless they are already present.
#
#   scripts/install-packages.sh run     packages for building and running
#   scripts/install-packages.sh test    also packages for the tests
#
# Packages are installed with apt on Debian, Ubuntu and derivatives. On other systems, or if apt fails, the
# script lists what is missing. It fails only if something is missing that a build needs or, with `test`,
# anything at all.
set -eu

mode=${1:-run}

# need PACKAGE WHAT TEST...: reports WHAT and adds PACKAGE to $missing unless TEST succeeds.
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
    # ldconfig may be missing, or may not search all of these folders.
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

# Reports what is missing. Sets $missing to the packages, and $missing_to_build to those that a build needs.
look() {
    missing=
    libraries=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null) || libraries=
    need gcc "a linker (cc)" command -v cc
    # Only Debian and derivatives have a separate package for it.
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
        # The keyboard of those tests, and a way for root to start sway, which refuses to run as root.
        need xkb-data "the keymaps of X and Wayland" test -e /usr/share/X11/xkb
        need util-linux "setpriv" command -v setpriv
    fi
}

# Only the first word, because CARGO may have arguments. Rust is not installed with apt, because the packages
# of most distributions are too old.
cargo=${CARGO:-cargo}
if ! command -v "${cargo%% *}" >/dev/null; then
    echo "missing: Rust; see https://www.rust-lang.org/tools/install" >&2
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
    echo "apt-get not found: install the packages above with your system's package manager." >&2
else
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null; then
        as_root=sudo
    else
        # Without root the installation fails and is reported.
        as_root=false
    fi
    [ "$as_root" = false ] || echo "installing:$missing" >&2
    # Existing package lists or downloaded packages may be sufficient.
    $as_root apt-get update -q >&2 || true
    # $missing is meant to be split into words.
    # shellcheck disable=SC2086
    if $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $missing >&2; then
        exit 0
    fi
    echo "The packages could not be installed. Run as root:  apt-get update; apt-get install$missing" >&2
    look 2>/dev/null
fi

if [ "$mode" = test ] && [ -n "$missing" ]; then
    echo "The tests need all of them." >&2
    exit 1
fi
# On other systems, only the compiler may know where the C library's files are.
if [ -n "$missing_to_build" ] && { command -v apt-get || ! command -v cc; } >/dev/null; then
    echo "Building needs these packages:$missing_to_build" >&2
    exit 1
fi
echo "Continuing without them." >&2
