#!/bin/bash
# An empty Debian, as root: the set-up brings even the compiler, then `make lab` builds and grades.
# timeout: 1500
. "$(dirname "$0")/../lib.sh"
. "$root/tests/install/roots.sh"
roots_ready "an empty root, as root" || finish
roots_make empty ca-certificates apt ccache || finish
roots_project root
begin=$(date +%s)
roots_run root on 'setup/install.sh && make lab'
status_is 0 "set-up and make lab, as root"
[ "$status" = 0 ] || tail -n 6 "$T/err" | sed 's/^/# /'
echo "# set-up and make lab: $(($(date +%s) - begin)) s"
roots_proof root on "an empty root"
finish
