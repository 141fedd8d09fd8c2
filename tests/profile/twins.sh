#!/bin/bash
# slow
# timeout: 400
# A sample of `make twins`: machine code and PTX of some programs, labs and generated kernels leave
# the same bytes.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
[ -x "$B/tests/test_twins" ] || { not_ok "build/tests/test_twins is not built (make unit)"; finish; }
B=$B exec tests/twins.py --sample
