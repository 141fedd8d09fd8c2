#!/bin/bash
# timeout: 300
# tests/programs on the simulated device.
exec "$(dirname "$0")/../programs/run"
