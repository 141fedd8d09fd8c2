#!/bin/sh
# make fetch: everything that a later `make lab` and `make test` need, into .fetch/, so that both
# work without a network. Carry the folder along (or `make tarball`, which takes it in).
#
#   .fetch/wheels   NVIDIA's compiler, as setup/toolchain.txt pins it, for this processor
#   .fetch/debs     Debian's packages with all that they need and an empty system lacks, for this release
set -eu
umask 022
cd "$(dirname "$0")/.."
say() { printf 'warplab: %s\n' "$*" >&2; }
mkdir -p .fetch/wheels
python=python3
if ! python3 -m pip --version >/dev/null 2>&1; then
    mkdir -p .toolchain
    [ -x .toolchain/venv/bin/python3 ] || python3 -m venv .toolchain/venv || { say "python3 has neither pip nor venv (Debian: apt-get install python3-venv)"; exit 1; }
    python=.toolchain/venv/bin/python3
fi
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes --dest .fetch/wheels -r setup/toolchain.txt ||
    { say "pip could not fetch NVIDIA's wheels (no network, no space, or none for this machine)"; exit 1; }

if command -v apt-get >/dev/null; then
    . setup/apt.sh
    packages=$(sed -n '/^\[build\]/,/^\[check\]/p' setup/packages.txt | sed -nE 's/^[^#[][^|]*\| ([^ ]+) .*/\1/p' | sort -u)
    rm -rf .fetch/debs .fetch/apt
    mkdir -p .fetch/debs .fetch/apt
    # As if nothing were installed: what one machine has, another lacks.
    : >.fetch/apt/status
    work=$PWD/.fetch/apt
    apt_sources deb "$work/parts"
    # shellcheck disable=SC2086 # words, on purpose
    {
        apt_ "$work" "$work/parts" update >"$work/log" 2>&1 &&
            list=$(apt_ "$work" "$work/parts" -o Dir::State::status="$work/status" -s --no-install-recommends install $packages python3-venv ca-certificates 2>"$work/log" |
                sed -n 's/^Inst \([^ ]*\).*/\1/p') && [ -n "$list" ] &&
            (cd .fetch/debs && apt_ "$work" "$work/parts" download $list >"$work/log" 2>&1)
    } || { say "apt-get could not fetch Debian's packages: $(tail -n 1 "$work/log")"; exit 1; }
    rm -rf .fetch/apt
    # The index that makes a repository of them.
    for deb in .fetch/debs/*.deb; do
        dpkg-deb -f "$deb"
        echo "Filename: ./${deb##*/}"
        echo "Size: $(wc -c <"$deb")"
        echo "SHA256: $(sha256sum "$deb" | cut -d' ' -f1)"
        echo
    done >.fetch/debs/Packages
fi
say "fetched: $(du -sm .fetch/wheels | cut -f1) MB of wheels, $(du -sm .fetch/debs 2>/dev/null | cut -f1) MB of packages, into .fetch/"
