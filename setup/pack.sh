#!/bin/sh
# Packages, from what was built.
#
#   setup/pack.sh tarball PORTABLE OUT    OUT/warplab-VERSION-linux-PROCESSOR.tar.xz: runs where it is unpacked
#   setup/pack.sh source . OUT            OUT/warplab-VERSION.tar.xz: what git knows, and .fetch/ where there is one
#   B=build setup/pack.sh deb . OUT       OUT/warplab_VERSION_PROCESSOR.deb: for the release that it is built on
set -eu
umask 022
cd "$(dirname "$0")/.."
say() { printf 'warplab: %s\n' "$*" >&2; }
version=$(cat VERSION)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kind=${1-} from=${2-} out=${3-}
[ $# = 3 ] || kind=none
# The same bytes for the same commit: names in order, nobody's, of the commit's time.
when=$(git log -1 --format=%ct 2>/dev/null || date +%s)
tar_() { tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$when" --mode=go=rX,u+rw "$@"; }

maintainer="${DEBFULLNAME:-The Warplab authors} <${DEBEMAIL:-warplab@users.noreply.github.com}>"
deb() {
    root=$work/root
    B=${B:-build} PREFIX=/usr DESTDIR=$root ZSHDIR=/usr/share/zsh/vendor-completions setup/put.sh install
    rm "$root/usr/share/doc/warplab/LICENSE" "$root/usr/share/warplab/MANIFEST" # dpkg has a list of its own
    printf 'warplab (%s) unstable; urgency=medium\n\n  * What is new is in CHANGELOG.md.\n\n -- %s  %s\n' "$version" "$maintainer" "$(date -R -u -d "@$when")" |
        gzip -9n >"$root/usr/share/doc/warplab/changelog.gz"
    {
        echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
        echo 'Upstream-Name: warplab'
        echo
        echo 'Files: *'
        sed -n 's/^Copyright (c)/Copyright:/p' LICENSE | head -n 1
        echo 'License: Expat'
        sed '1,/^Copyright/d; /./,$!d; s/^$/./; s/^/ /' LICENSE
    } >"$root/usr/share/doc/warplab/copyright"
    # libcuda.so.1 is a name for libcudart.so.13 and has no code that could call libc.
    mkdir -p "$root/usr/share/lintian/overrides"
    echo 'warplab: library-not-linked-against-libc [usr/lib/warplab/libcuda.so.1]' >"$root/usr/share/lintian/overrides/warplab"
    find "$root/usr/share/man" -type f -exec gzip -9n {} +
    find "$root/usr/lib/warplab" -type f -exec strip --strip-unneeded --remove-section=.comment --remove-section=.note {} +
    find "$root" -type d -exec chmod 755 {} +
    # Which packages its libraries are in, as dpkg knows them here.
    mkdir -p "$work/debian" "$root/DEBIAN"
    printf 'Source: warplab\n\nPackage: warplab\nArchitecture: any\n' >"$work/debian/control"
    depends=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/lib/warplab/warplab" "$root/usr/lib/warplab/warplab-gpu" "$root/usr/lib/warplab/warplab-init" \
        "$root/usr/lib/warplab/libcudart.so.13" 2>"$work/log" | sed -n 's/^shlibs:Depends=//p')
    [ -n "$depends" ] || { say "dpkg-shlibdeps (Debian: apt-get install dpkg-dev) says: $(tail -n 1 "$work/log")"; exit 1; }
    cat >"$root/DEBIAN/control" <<EOD
Package: warplab
Version: $version
Section: education
Priority: optional
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Installed-Size: $(du -sk "$root" | cut -f1)
Depends: $depends, bubblewrap, g++, python3
Recommends: nvidia-cuda-toolkit, python3-venv
Description: interactive terminal lab that teaches CUDA performance
 Lessons in a terminal: the student reads, predicts, edits a .cu file, and
 Warplab compiles it with nvcc, runs it, and grades correctness, hardware
 counters and speed. No GPU is needed: a simulated device executes the
 program's PTX, counts what a profiler counts and models the time.
 .
 Where there is no nvcc, /usr/share/warplab/setup/nvcc.sh brings NVIDIA's own
 into a user's folder.
EOD
    (cd "$root" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k 2 >DEBIAN/md5sums)
    SOURCE_DATE_EPOCH=$when dpkg-deb --root-owner-group -Zxz --build "$root" "$out/warplab_${version}_$(dpkg --print-architecture).deb" >/dev/null
    say "$out/warplab_${version}_$(dpkg --print-architecture).deb: $(du -k "$out"/warplab_"${version}"_*.deb | cut -f1 | head -n 1) kB"
}

case $kind in
tarball)
    name=warplab-$version-linux-$(uname -m)
    mkdir "$work/$name"
    cp -r "$from"/. "$work/$name/"
    tar_ -C "$work" -cf - "$name" | xz -T0 -6 >"$out/$name.tar.xz"
    say "$out/$name.tar.xz: $(du -k "$out/$name.tar.xz" | cut -f1) kB"
    ;;
source)
    name=warplab-$version
    mkdir "$work/$name"
    git ls-files -z | tar --null -T - -cf - | tar -C "$work/$name" -xf -
    [ ! -d .fetch ] || cp -r .fetch "$work/$name/"
    tar_ -C "$work" -cf - "$name" | xz -T0 -1 >"$out/$name.tar.xz"
    say "$out/$name.tar.xz: $(du -k "$out/$name.tar.xz" | cut -f1) kB$([ ! -d .fetch ] || echo ', with what make fetch brought')"
    ;;
deb) deb ;;
*) say "setup/pack.sh: expected tarball, source or deb, a folder and where to; found $*"; exit 2 ;;
esac
