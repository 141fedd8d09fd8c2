#!/bin/bash
# timeout: 400
# CUDA programs, each with its expected output inside, compiled by nvcc and run on the simulated
# device through our client library.
#
#   tests/cuda/run.sh [NAME...]           B=build FAST=1 as for tests/run
#   NATIVE=1 tests/cuda/run.sh [NAME...]  on a real GPU with the vendor's library; programs marked "sim only" are left out
#   DEVICE=gpu:0 tests/cuda/run.sh        through our client library on a GPU; the same programs are left out, and those of several devices
#   RUN=NAME ...                          the results' files have names of their own, so that two runs may go at once (rewrite.sh)
#   BUILD_ONLY=1 ...                      compile for the vendor's library, put the programs into $B/cuda-native, run nothing
#
# In a program: "// expect: LINE" each line of stdout, in order; "// flags: ..." for nvcc, further
# units (tests/cuda/units) among them; "// arch: sm_80" (sm_75 if absent, nothing beside -gencode);
# "// std: c++17" where c++14, whose headers nvcc reads in two thirds of the time, does not do; "//
# device: ..." (sim:h200); "// status: N" the exit status (0); "// stderr: TEXT" some line of stderr
# holds it; "// fast" is part of FAST=1; "// sim only" cannot be asked of a real GPU; "// gpu limit:
# WHY" runs there natively, not through our library (docs/grading.md names why). All checks of the
# simulated device are on: "// finding: KIND" says what it must find, and it may find nothing else
# (but leaks: many programs leave the freeing to their end; and failed calls, which many make on
# purpose: their own program is failed_calls). "// default checks" leaves the check of races in
# global memory off, which makes large kernels slow. "// alone: WHY" keeps a program out of those
# that are compiled together (tests/programs.py), where names of kernels and variables get longer.
cd "$(dirname "$0")/../.." || exit 1
. tests/nvcc.sh
export nvcc
exec tests/programs.py cuda "$@"
