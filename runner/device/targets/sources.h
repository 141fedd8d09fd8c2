/* Sources that several figures share. A source that only one file names is in that file's rows.
 *
 * The words of a FIGURE's third argument: MEASURED on such a device, by the program or page that
 * the source names; DOCUMENTED by its maker or published by others; BORROWED(device): the same
 * figure of that device; SCALED(device): borrowed and converted as the source says; ASSUMED: no
 * measurement is known, and the source says what supports the value. */
#ifndef WARPLAB_TARGETS_SOURCES_H
#define WARPLAB_TARGETS_SOURCES_H

#define GUIDE_LIMITS                                                                               \
    "CUDA C++ Programming Guide, \"Technical Specifications per Compute Capability\""
#define GUIDE_RATES    "CUDA C++ Programming Guide, \"Throughput of Native Arithmetic Instructions\""
#define GUIDE_FEATURES "CUDA C++ Programming Guide, \"Feature Support per Compute Capability\""
#define GUIDE_BARRIERS                                                                             \
    "CUDA C++ Programming Guide, \"Synchronization Instruction\": 16 lanes a cycle"
#define GUIDE_LATENCY "CUDA C++ Programming Guide, \"Multiprocessor Level\": 4 cycles"
#define NSIGHT_PIPES                                                                               \
    "Nsight Compute Documentation, \"Pipelines\": FMAHeavy takes HADD2, HMUL2, HFMA2 and IMAD"
#define OCCUPANCY "NVIDIA's cuda_occupancy.h"
#define OPTED     "PTX ISA, wgmma: of compute capability 9.0 alone"

/* measured on one H200 with CUDA 13.0 and driver 580, and on one H100 */
#define MICRO      "tests/truth/micro.cu on one H200: tests/truth/h200.micro.jsonl"
#define PIPES      "tests/truth/pipes.cu on one H200: tests/truth/h200.pipes.txt"
#define MIX        "tests/truth/mix.cu on one H200: tests/truth/h200.mix.txt"
#define LANES      "tests/truth/lanes.cu on one H200: tests/truth/h200.lanes.txt"
#define RARE       "tests/truth/rare.cu on one H200: tests/truth/h200.rare.jsonl"
#define DRIVER     "what driver 580 answers of one H200"
#define HOST_CALLS "tests/truth/host2.cu and micro.cu on one H200's host"
#define ON_H100    "one H100, by the launches of docs/model-tables.md"

/* published measurements */
#define JIA "Jia et al., \"Dissecting the NVidia Turing T4 GPU via Microbenchmarking\" (2019)"
#define LUO                                                                                        \
    "Luo et al., \"Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via "            \
    "Microbenchmarking\" (2024)"

#define HUERTA                                                                                     \
    "Huerta et al., \"Dissecting and Modeling the Architecture of Modern GPU Cores\" (MICRO 2025)"

/* compute capability 1.0 */
#define GUIDE_1_1        "CUDA Programming Guide 1.1, appendix A"
#define GUIDE_1_1_CYCLES "CUDA Programming Guide 1.1, chapter 5"
#define GUIDE_1_1_NONE   "CUDA Programming Guide 1.1 has no such thing"
#define CALCULATOR       "NVIDIA's CUDA Occupancy Calculator"
#define DATA_8800        "GeForce 8800 GTX's data sheet"
#define VOLKOV           "Volkov and Demmel, \"Benchmarking GPUs to Tune Dense Linear Algebra\" (2008)"
#define ABSENT           "the device has no such thing: an estimate of what would stand in for it"
#define HISTORIC         "an estimate; no measurement of the device is known"

/* why a figure comes from another device */
#define UNMEASURED   "not measured on this device"
#define BY_L2        "an atomic takes as long as a load that L2 has, as on the H200"
#define BY_BANDWIDTH "in the ratio of dram_gbs, rounded"
#define EARLIER      "what the H200 was first taken to need; its own figure was measured anew since"
#define ESTIMATE     "an estimate from the H200's; no measurement is known"
#define NO_LINK      "the board's data sheet: no NVLink"

#endif
