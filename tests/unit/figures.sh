#!/bin/bash
# Tests the test: figures.py finds the figure of an H200 that nobody measured, and no other.
cd "$(dirname "$0")/../.." || exit 1
# One that nobody measured is found, one that somebody did is not: 9,141.8 us by page faults, 660.6
# cycles to DRAM.
python3 tests/unit/figures.py "On an H200 it takes 9,142 us, and 661 cycles." >/dev/null && echo "ok measured figures pass" || echo "not ok measured figures pass"
python3 tests/unit/figures.py "On an H200 it takes 9,167 us." >/dev/null && echo "not ok a figure that stands nowhere is found" || echo "ok a figure that stands nowhere is found"
python3 tests/unit/figures.py "It takes 9,167 us on some device." >/dev/null && echo "ok other devices are not looked at" || echo "not ok other devices are not looked at"
