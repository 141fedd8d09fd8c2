#!/bin/bash
# What make fetch brought is enough: in a root with a compiler and nothing else, in a namespace
# without a network, `make lab` installs, builds and grades, and `make test` passes.
# timeout: 3600
. "$(dirname "$0")/../lib.sh"
. "$root/tests/install/roots.sh"
roots_ready "a machine without a network" || finish
[ -s "$root/.fetch/debs/Packages" ] || { skip "a machine without a network (make fetch first)"; finish; }
roots_make user gcc g++ make python3-venv python3 ca-certificates apt ccache dpkg-dev || finish
roots_project root
cp -r "$root/.fetch" "$R$root/"
roots_run root off 'ls /sys/class/net; (exec 3<>/dev/tcp/1.1.1.1/53) 2>&1'
[ "$status" != 0 ] && ok "there is no network" || not_ok "there is no network ($(cut_text))"
begin=$(date +%s)
roots_run root off 'make lab'
status_is 0 "make lab, without a network"
[ "$status" = 0 ] || tail -n 6 "$T/err" | sed 's/^/# /'
echo "# make lab: $(($(date +%s) - begin)) s"
roots_proof root off "without a network"
begin=$(date +%s)
roots_run root off 'make test FAST=1'
status_is 0 "make test FAST=1, without a network"
has " passed, 0 failed" "without a network: no test fails"
echo "# make test FAST=1: $(tail -n 1 "$T/out"), $(($(date +%s) - begin)) s"
grep -aE ' FAILED|^    ' "$T/out" | cut -c1-300 | head -n 80 | sed 's/^/# /'
finish
