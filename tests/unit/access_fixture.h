/* A launch of one block without an executor: what the tests of the access layer share. */
#ifndef WARPLAB_ACCESS_FIXTURE_H
#define WARPLAB_ACCESS_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/access/access_internal.h"

typedef struct {
    const sim_profile *profile;
    sim_options options;
    sim_memory *memory;
    sim_caches *caches;
    sim_findings *findings;
    sim_access_launch *launch;
    sim_access *access;
    sim_block_mem *block;
    sim_finding *found;
    size_t found_count;
    sim_site sites[64];
    uint32_t site_count, site_states;
    unsigned block_dim[3], grid_dim[3];
    uint32_t shared_bytes, local_bytes;
    bool byte_shadow;
    uint64_t late; /* as sim_access_config */
} fixture;

/* Whose compiled paths the sites take; below 0: the best that the host has. */
static int fixture_isa = -1;

/* Lines of a made-up source: loc is the line. */
static inline void fixture_source(const struct ptx_module *m, uint32_t loc, uint32_t ptx_line,
                                  const char **file, unsigned *line) {
    (void)m, (void)ptx_line;
    *file = loc ? "kernels/test.cu" : "";
    *line = loc;
}

static inline fixture *fixture_new(const char *profile) {
    fixture *f = calloc(1, sizeof *f);
    lib_message msg;
    f->profile = sim_profile_find(profile);
    f->options =
        (sim_options){.check_race_shared = true, .check_uninit = true, .deterministic = true};
    f->memory = sim_memory_new(1ull << 32, 0, true, &msg);
    f->caches = sim_caches_new(f->profile, sim_isa_best());
    f->block_dim[0] = 256;
    f->block_dim[1] = f->block_dim[2] = f->grid_dim[0] = f->grid_dim[1] = f->grid_dim[2] = 1;
    f->shared_bytes = 16384;
    f->local_bytes = 256;
    if (!f->profile || !f->memory || !f->caches) abort();
    return f;
}

/* Adds a site; the pointer stays good. `line`: its source line. */
static inline sim_site *fixture_site(fixture *f, sim_space space, sim_access_kind kind,
                                     unsigned elem, unsigned vec, unsigned line) {
    sim_site *s = &f->sites[f->site_count++];
    *s = (sim_site){.loc = line,
                    .ptx_line = 1000 + line,
                    .space = (uint8_t)space,
                    .kind = (uint8_t)kind,
                    .elem = (uint8_t)elem,
                    .vec = (uint8_t)vec,
                    .reg = elem == 8 ? 8 : 4};
    sim_isa isa = fixture_isa < 0 ? sim_isa_best() : (sim_isa)fixture_isa;
    if (!sim_site_bind(s, isa, &f->site_states)) abort();
    return s;
}

static inline void fixture_start(fixture *f) {
    sim_findings_config fc = {.kernel = "k",
                              .grid = {f->grid_dim[0], f->grid_dim[1], f->grid_dim[2]},
                              .block = {f->block_dim[0], f->block_dim[1], f->block_dim[2]},
                              .source = fixture_source,
                              .memory = f->memory};
    f->findings = sim_findings_new(&fc);
    sim_access_config c = {.profile = f->profile,
                           .options = &f->options,
                           .memory = f->memory,
                           .caches = f->caches,
                           .findings = f->findings,
                           .site_states = f->site_states,
                           .block = {f->block_dim[0], f->block_dim[1], f->block_dim[2]},
                           .grid_blocks =
                               (uint64_t)f->grid_dim[0] * f->grid_dim[1] * f->grid_dim[2],
                           .shared_bytes = f->shared_bytes,
                           .local_bytes = f->local_bytes,
                           .byte_shadow = f->byte_shadow,
                           .late = f->late,
                           .resident_blocks = 1};
    f->launch = sim_access_launch_new(&c);
    f->access = sim_access_new(f->launch);
    f->block = sim_block_mem_new(f->launch);
    if (!f->findings || !f->launch || !f->access || !f->block) abort();
    sim_block_begin(f->block, 0);
    sim_access_enter(f->access, f->block, 0);
}

/* Counters of the sites so far, without L2. */
static inline sim_counters fixture_counters(const fixture *f) {
    sim_counters c = {0};
    for (uint32_t i = 0; i < f->site_count; i++) sim_access_count(f->access, &f->sites[i], &c);
    return c;
}

/* Ends the launch; findings are in f->found. The memory and the sites stay for another start. */
static inline void fixture_end(fixture *f) {
    sim_block_end(f->block);
    sim_block_commit(f->block);
    sim_access_free(f->access);
    sim_block_mem_free(f->block);
    sim_access_launch_free(f->launch);
    free(f->found);
    f->found = sim_findings_take(f->findings, UINT64_MAX, &f->found_count);
    sim_findings_free(f->findings);
    sim_memory_settle(f->memory);
    f->access = NULL;
    f->block = NULL;
    f->launch = NULL;
    f->findings = NULL;
}

static inline void fixture_free(fixture *f) {
    free(f->found);
    sim_caches_free(f->caches);
    sim_memory_free(f->memory);
    free(f);
}

/* A small generator of our own: the same numbers everywhere. */
static inline uint32_t fixture_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

#endif
