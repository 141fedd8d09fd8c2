#!/bin/bash
# slow: make test FAST=1 leaves it out
# make deb: lintian has nothing to say, dpkg unpacks it into a root, and it grades from there; make
# source-tarball holds what git knows.
# timeout: 300
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
command -v dpkg-shlibdeps >/dev/null || { skip "make deb (there is no dpkg-dev)"; finish; }
mkdir -p "$T/packages"
LIMIT=120 run env B="$B" setup/pack.sh deb . "$T/packages"
status_is 0 "make deb"
deb=$(echo "$T"/packages/warplab_"$(cat VERSION)"_*.deb)
[ -s "$deb" ] && ok "the package is there" || { not_ok "the package is there"; finish; }
if command -v lintian >/dev/null; then
    is "$(lintian --allow-root --fail-on none "$deb" 2>&1 | head -5)" "" "lintian has nothing to say"
else skip "lintian (there is none)"; fi
dpkg-deb -x "$deb" "$T/root"
is "$(dpkg-deb --fsys-tarfile "$deb" | tar -tvf - | awk '$2 != "root/root"' | head -3)" "" "everything in it is root's"
is "$("$T/root/usr/bin/warplab" --version)" "warplab $(cat VERSION)" "it starts where it was unpacked"
case $(dpkg-deb -f "$deb" Depends) in *bubblewrap*g++*) ok "it asks for bubblewrap and g++" ;; *) not_ok "it asks for bubblewrap and g++" ;; esac
LIMIT=120 run "$T/root/usr/bin/warplab" grade hello "$T/root/usr/share/warplab/answers/hello.cu" --device sim:h200
[ "$status" = 0 ] || case $out in *"no nvcc"*) skip "grading from it (there is no nvcc)"; status=0 ;; esac
status_is 0 "it grades where it was unpacked"
run setup/pack.sh nonsense . "$T/packages"
status_is 2 "a kind of package that there is not"
finish
