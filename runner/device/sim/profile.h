/* The profile of a device: all that a rule of the hardware needs, so that code tests a fact and
 * never a version number. runner/device/targets/ states the facts: fields.def lists each member
 * with its unit and meaning, boards.def the devices. docs/model.md tells how the model of time uses
 * them. */
#ifndef WARPLAB_PROFILE_H
#define WARPLAB_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_SIZES = 12 }; /* numbers of a list; the first 0 after the first number ends it */

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
    unsigned values; /* 1, except for a list */
    sim_figure_origin origin;
    const char *from; /* the device from which the figure is borrowed; otherwise NULL */
    bool scaled;      /* borrowed, and converted as `source` says */
    const char *source;
} sim_figure;

/* Figures come in the order of fields.def; `i` is less than the count. SIM_UNSTATED, with a NULL
 * source: no file of the board states the figure, or `p` is not in the table. */
size_t sim_figure_count(void);
sim_figure sim_figure_at(const struct sim_profile *p, size_t i);

/* The part of the link's bandwidth for copies that kernels reach when they use memory on the
 * host. */
#define SIM_LINK_SHARE 0.76

/* Returns the bytes of its array that shared memory takes for a kernel that prefers `percent` of
 * the maximum (0 to 100), as cuda_occupancy.h computes it: the smallest carve-out that has this
 * many bytes and holds one block (shared: the bytes that a block asks for, without the reserved
 * part). */
uint64_t sim_profile_carveout(const struct sim_profile *p, unsigned percent, uint64_t shared);
/* The same for a launch. The preference covers what the blocks ask for; the reserved bytes are
 * added to it. Without shared memory, only the preference counts. On an H200 this gives the L1 that
 * kernels with 0 to 40,000 bytes find, at 0 to 100 per cent. */
uint64_t sim_profile_launch_carveout(const struct sim_profile *p, unsigned percent,
                                     uint64_t shared);
/* Returns the bytes of L1 data cache that a kernel finds: the array less `carveout`. If `carveout`
 * is 0: less the smallest carve-out that holds the shared memory of its resident blocks. Returns 0
 * where global loads bypass L1. */
uint64_t sim_profile_l1(const struct sim_profile *p, uint64_t shared, unsigned resident_blocks,
                        uint64_t carveout);
/* Returns how many clusters of `size` blocks are resident at once if a multiprocessor holds
 * `resident` blocks. All blocks of a cluster are in one group of multiprocessors. */
unsigned sim_profile_clusters(const struct sim_profile *p, unsigned resident, unsigned size);

#endif
