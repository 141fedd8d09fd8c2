#!/bin/bash
# Gradescope runs this once, as root, when it makes the autograder's image.
set -e
A=${AUTOGRADER:-/autograder}
# shellcheck disable=SC1091 # config lies beside it in the zip
. "$A/source/config"
apt-get update
apt-get install -y --no-install-recommends ca-certificates git make
mkdir -p "$A/warplab"
if [ -f "$A/source/warplab.tar.gz" ]; then
    tar -xzf "$A/source/warplab.tar.gz" -C "$A/warplab"
else
    git clone --depth 1 "${REPOSITORY:?set REPOSITORY in config, or put warplab.tar.gz into the zip}" "$A/warplab"
fi
make -C "$A/warplab" setup
make -C "$A/warplab" -j"$(nproc)" build
# Compiles the baseline, so that the first student does not wait for it, and shows in the build's
# log what works here.
"$A/warplab/build/warplab" doctor || true
