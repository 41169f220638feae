#!/bin/sh
# Installs Mapscope from the folder of this script, or uninstalls it.
#
#   ./install.sh                        for the current user, into ~/.local
#   sudo ./install.sh --prefix /usr/local
#   ./install.sh --uninstall [--prefix DIR]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
prefix=${HOME:-/root}/.local
action=install

usage() {
    sed -n '2,6s/^# \{0,1\}//p' "$0"
}

while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ $# -ge 2 ] || { usage >&2; exit 2; }
            prefix=$2
            shift ;;
        --prefix=*) prefix=${1#*=} ;;
        --uninstall) action=uninstall ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done
case $prefix in /*) ;; *) prefix=$(pwd)/$prefix ;; esac
# The list of created folders has one path per line.
case $prefix in
    *'
'*) echo "The prefix contains a line break." >&2; exit 2 ;;
esac

# Prints the paths of the files, relative to the prefix.
files() {
    (cd "$here" && find bin share -type f | LC_ALL=C sort)
}

# Updates the databases of desktops, if their tools are installed.
refresh() {
    if command -v update-mime-database >/dev/null && [ -d "$prefix/share/mime/packages" ]; then
        # It prints many warnings for prefixes outside the search path.
        update-mime-database "$prefix/share/mime" >/dev/null 2>&1 || true
    fi
    if command -v update-desktop-database >/dev/null && [ -d "$prefix/share/applications" ]; then
        update-desktop-database -q "$prefix/share/applications"
    fi
    # Without a cache, desktops find icons by name.
    if command -v gtk-update-icon-cache >/dev/null && [ -e "$prefix/share/icons/hicolor/icon-theme.cache" ]; then
        gtk-update-icon-cache -q -f -t "$prefix/share/icons/hicolor"
    fi
}

# The folders that the installation created; uninstalling removes them if they are empty.
made=$prefix/share/doc/mapscope/made-folders

# make DIR: creates a folder with its parents, and records those that did not exist.
make() {
    [ -d "$1" ] && return
    make "$(dirname "$1")"
    mkdir "$1"
    new="$1
$new"
}

# Succeeds if a folder is empty.
is_empty() {
    [ -d "$1" ] && [ -z "$(ls -A "$1")" ]
}

case $action in
    install)
        new=
        for folder in share/doc/mapscope $(files | sed 's|/[^/]*$||' | sort -u); do
            make "$prefix/$folder"
        done
        # A repeated installation creates no folders.
        if [ -n "$new" ]; then
            printf '%s' "$new" >>"$made"
        fi
        files | while IFS= read -r file; do
            mode=644
            case $file in bin/*) mode=755 ;; esac
            # Replace the file instead of overwriting it, because the program may be running.
            rm -f "$prefix/$file"
            cp "$here/$file" "$prefix/$file"
            chmod "$mode" "$prefix/$file"
        done
        refresh
        echo "Mapscope is in $prefix/bin."
        case :$PATH: in
            *":$prefix/bin:"*) ;;
            *) echo "Add it to PATH, or desktops and shells will not find it." ;;
        esac
        # zsh is the only shell that searches only the prefix of the system.
        if [ "$prefix" != /usr/local ] && command -v zsh >/dev/null; then
            echo "For completions in zsh, add $prefix/share/zsh/site-functions to fpath."
        fi ;;
    uninstall)
        files | while IFS= read -r file; do
            rm -f "$prefix/$file"
        done
        refresh
        # Remove the databases that were generated only from our files.
        if is_empty "$prefix/share/mime/packages"; then
            for cache in aliases generic-icons globs globs2 icons magic mime.cache subclasses \
                treemagic types version XMLnamespaces; do
                rm -f "$prefix/share/mime/$cache"
            done
        fi
        if [ "$(ls -A "$prefix/share/applications" 2>/dev/null)" = mimeinfo.cache ]; then
            rm -f "$prefix/share/applications/mimeinfo.cache"
        fi
        folders=
        if [ -e "$made" ]; then
            folders=$(LC_ALL=C sort -ru "$made")
            rm -f "$made"
        fi
        if is_empty "$prefix/share/mime/application"; then
            rmdir "$prefix/share/mime/application"
        fi
        # Deepest folders first.
        printf '%s\n' "$folders" | while IFS= read -r folder; do
            if is_empty "$folder"; then
                rmdir "$folder"
            fi
        done
        echo "Mapscope is removed from $prefix." ;;
esac
