# shellcheck shell=sh
# What setup's scripts ask of apt-get without root; read by a shell.

# apt_sources deb|deb-src FOLDER: the machine's own sources in FOLDER, as those of that type.
apt_sources() {
    mkdir -p "$2"
    for apt_file in /etc/apt/sources.list.d/*.sources; do
        [ -f "$apt_file" ] && sed "s/^Types:.*/Types: $1/" "$apt_file" >"$2/${apt_file##*/}"
    done
    for apt_file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        apt_name=${apt_file##*/}
        [ -f "$apt_file" ] && sed -n "s/^deb /$1 /p" "$apt_file" >"$2/from-${apt_name%.list}.list"
    done
    return 0
}

# apt_ STATE PARTS COMMAND...: apt-get with lists and downloads in STATE and the sources of PARTS;
# what is installed is the machine's.
apt_() {
    apt_state=$1 apt_parts=$2
    shift 2
    mkdir -p "$apt_state/lists/partial" "$apt_state/cache/archives/partial"
    # Started by root, apt-get would hand the download to a user that may not write here.
    apt-get -q -o Dir::State::lists="$apt_state/lists" -o Dir::Cache="$apt_state/cache" -o Dir::Etc::sourcelist=/dev/null \
        -o Dir::Etc::sourceparts="$apt_parts" -o Debug::NoLocking=1 -o APT::Sandbox::User=root "$@"
}

# apt_fetched STATE: the packages that make fetch brought, as the only source, with lists in STATE;
# false where there are none.
apt_fetched() {
    [ -f .fetch/debs/Packages ] || return 1
    rm -rf "$1"
    mkdir -p "$1/parts"
    echo "deb [trusted=yes] file:$PWD/.fetch/debs ./" >"$1/parts/fetched.list"
    apt_ "$1" "$1/parts" update >"$1/log" 2>&1
}
