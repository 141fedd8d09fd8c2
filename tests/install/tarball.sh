#!/bin/bash
# make tarball: unpacked by an account without root in a root with g++ and python3 and nothing else
# of what Warplab needs, it runs in place, with its own bubblewrap; nvcc comes from what make fetch
# brought, without a network.
# timeout: 1500
. "$(dirname "$0")/../lib.sh"
. "$root/tests/install/roots.sh"
roots_ready "the tarball" || finish
[ -d "$root/.fetch/wheels" ] || { skip "the tarball (make fetch first)"; finish; }
cd "$root" || exit 1
LIMIT=900 run make -s B="$B" tarball
status_is 0 "make tarball"
tarball=$(echo "$B/warplab-$(cat VERSION)-linux-"*.tar.xz)
[ -s "$tarball" ] && ok "the tarball is there" || { not_ok "the tarball is there ($(cut_text))"; finish; }
roots_make user gcc g++ make python3-venv python3 ca-certificates apt ccache dpkg-dev || finish
mkdir -p "$R$root"
cp "$tarball" "$R/home/ada/"
cp -r .fetch/wheels "$R/home/ada/wheels"
chown -R 1000:1000 "$R/home/ada"
roots_run ada off 'cd && tar xf warplab-*.tar.xz && rm warplab-*.tar.xz && mv warplab-* here && mkdir here/.fetch && mv wheels here/.fetch/ && here/warplab --version && here/setup/nvcc.sh'
has "warplab $(cat VERSION)" "it starts where it was unpacked"
status_is 0 "its script brings nvcc, from .fetch"
roots_run ada off '! command -v bwrap && ~/here/warplab doctor'
has "here/bwrap" "doctor: the sandbox is the one that it brings"
lacks "NOT in force" "doctor: every limit holds"
roots_run ada off 'cd ~/here && ./warplab grade hello labs/hello.cu --device sim:h200'
status_is 1 "the tarball: the skeleton fails"
roots_run ada off 'mv ~/here ~/"an other place" && cd / && ~/"an other place"/warplab grade hello ~/"an other place"/answers/hello.cu --device sim:h200'
status_is 0 "the tarball, moved: the answer passes, in the sandbox"
echo "# tarball: $(du -k "$tarball" | cut -f1) kB"
finish
