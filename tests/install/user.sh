#!/bin/bash
# An account without root and without sudo, on a machine with a compiler and nothing else of what is
# needed: `make lab` brings the rest, and the sandbox works by user namespaces. Where these are off,
# doctor says so and what others wrote is not graded.
# timeout: 1500
. "$(dirname "$0")/../lib.sh"
. "$root/tests/install/roots.sh"
roots_ready "an account without root" || finish
roots_make user gcc g++ make python3-venv python3 ca-certificates apt ccache dpkg-dev || finish
roots_project ada
begin=$(date +%s)
roots_run ada on 'make lab'
status_is 0 "make lab, without root"
[ "$status" = 0 ] || tail -n 6 "$T/err" | sed 's/^/# /'
echo "# make lab: $(($(date +%s) - begin)) s"
is "$(stat -c %u "$R$root/.toolchain/root" 2>/dev/null)" 1000 "it was this account that unpacked"
roots_run ada on 'command -v bwrap; setup/install.sh; build/warplab doctor'
has ".toolchain/bwrap" "doctor: the sandbox is the one that was unpacked"
lacks "NOT in force" "doctor: every limit holds"
roots_proof ada on "without root"
roots_run ada on 'WARPLAB_NO_SANDBOX=1 build/warplab grade hello answers/hello.cu --device sim:h200'
status_is 3 "without a sandbox: not graded"
echo "# unpacked: $(du -sm "$R$root/.toolchain/root" | cut -f1) MB, nvcc: $(du -sm "$R$root/.toolchain/nvidia" | cut -f1) MB"
finish
