#!/bin/bash
# timeout: 300
# The programs of tests/cuda once more, without the decoder's rewriting and in the plainest
# instruction set, and some as machine code: what they print, and what is found, is what run.sh
# expects of them. FAST=1: only a few; every third of them unless FULL=1 asks for all. Random
# programs are in tests/unit/test_rewrite.c.
cd "$(dirname "$0")/../.." || exit 1
of_the_host="host_habits|launch_many|graph_conditional_endless" # much time, and the same few instructions again and again
few="vector_add matmul_tiled float_math integer_math warp_shuffle recursion"
all=${FAST:+$few} status=0
[ -n "$FAST$FULL" ] || all="$few $(printf '%s\n' tests/cuda/*.cu | awk 'NR % 3 == 1' | xargs -n 1 basename -s .cu | grep -vxE "$of_the_host" | grep -vxF "${few// /$'\n'}" | tr '\n' ' ')"
export FAST='' # run.sh's own few are others
# shellcheck disable=SC2086
WARPLAB_SIM_REWRITE=off WARPLAB_SIM_ISA=base WARPLAB_SIM_NATIVE=off RUN=-plain tests/cuda/run.sh $all || status=1
# shellcheck disable=SC2086
WARPLAB_SIM_NATIVE=now RUN=-compiled tests/cuda/run.sh $few || status=1
exit $status
