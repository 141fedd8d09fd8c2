/* What a device profile holds: all that a rule of the hardware needs, so that code tests a fact and
 * never a version number. runner/device/targets/ states the facts: fields.def each member with unit
 * and meaning, boards.def the devices. docs/model.md tells what the model of time does with them. */
#ifndef WARPLAB_PROFILE_H
#define WARPLAB_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_SIZES = 12 }; /* of a list, which ends with the first 0 that is not its first number */

struct sim_profile {
    const char *name;         /* "h200" */
    const char *marketing;    /* "NVIDIA H200" */
    const char *architecture; /* "sm_90" */
#define SIM_FIELD_COUNT(name)            unsigned name;
#define SIM_FIELD_BYTES(name)            uint64_t name;
#define SIM_FIELD_REAL(name)             double name;
#define SIM_FIELD_FLAG(name)             bool name;
#define SIM_FIELD_SIZES(name)            uint16_t name[SIM_SIZES];
#define FIELD(type, name, unit, meaning) SIM_FIELD_##type(name)
#include "runner/device/targets/fields.def"
#undef FIELD
};

/* One figure of a profile, and how it is known. */
typedef enum { SIM_COUNT, SIM_BYTES, SIM_REAL, SIM_FLAG, SIM_SIZES_KB } sim_figure_type;
typedef enum {
    SIM_UNSTATED,
    SIM_MEASURED,
    SIM_DOCUMENTED,
    SIM_BORROWED,
    SIM_ASSUMED
} sim_figure_origin;
typedef struct {
    const char *name, *unit, *meaning;
    sim_figure_type type;
    double value[SIM_SIZES];
    unsigned values; /* 1, but for a list */
    sim_figure_origin origin;
    const char *from; /* borrowed: the device; else NULL */
    bool scaled;      /* borrowed, and converted as the source says */
    const char *source;
} sim_figure;

/* Figures come in the order of fields.def; `i` is less than the count. SIM_UNSTATED, with a NULL
 * source, where no file of the board states the figure, or `p` is no row of the table. */
size_t sim_figure_count(void);
sim_figure sim_figure_at(const struct sim_profile *p, size_t i);

/* Of the link's bandwidth for copies what kernels reach that use memory on the host. */
#define SIM_LINK_SHARE 0.76

/* Bytes that shared memory takes of its array for a kernel that prefers `percent` of the most (0 to
 * 100), as cuda_occupancy.h counts with: the smallest carve-out of as many, and one that holds a
 * block (shared: bytes of it as asked for, without the reserved part). */
uint64_t sim_profile_carveout(const struct sim_profile *p, unsigned percent, uint64_t shared);
/* The same for a launch: the preference is for what blocks asked for, and what is reserved with them
 * comes on top; without shared memory it is the preference alone. So the L1 that kernels with 0 to
 * 40,000 bytes find on an H200, at 0 to 100 per cent. */
uint64_t sim_profile_launch_carveout(const struct sim_profile *p, unsigned percent,
                                     uint64_t shared);
/* Bytes of L1 data cache that a kernel finds: the array less `carveout`, or, where that is 0, less
 * the smallest carve-out that holds its resident blocks' shared memory. 0 where global loads bypass
 * L1. */
uint64_t sim_profile_l1(const struct sim_profile *p, uint64_t shared, unsigned resident_blocks,
                        uint64_t carveout);

#endif
