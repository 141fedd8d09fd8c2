/* Registers, spills, shared and local memory of each kernel, as the vendor's assembler allocates
 * them.
 *
 *   PTX text --ptxas -v, by the device's runner of commands--> its report --parse--> a row a kernel, kept by content
 *
 * Where there is no ptxas, sim_resources_estimate() counts live registers instead;
 * sim_resource.exact says which it was. */
#ifndef WARPLAB_RESOURCES_H
#define WARPLAB_RESOURCES_H

#include "runner/device/sim/profile.h"
#include "runner/device/sim/ptx/ptx.h"
#include "runner/device/sim/sim.h"

typedef struct {
    char *name; /* mangled; owned by the table */
    unsigned registers, barriers;
    unsigned spill_stores, spill_loads; /* bytes, static */
    uint64_t stack, shared;             /* bytes */
    bool exact;
} sim_resource;

typedef struct sim_resource_cache sim_resource_cache;
/* run NULL: there is no assembler. NULL: out of memory. */
sim_resource_cache *sim_resource_cache_new(sim_run_command *run, void *user);
void sim_resource_cache_free(sim_resource_cache *c);

/* The row of a kernel of this PTX assembled for p->compile_arch; a module is assembled once and
 * remembered by its content. NULL and *msg when ptxas is missing or refuses (a later call does not
 * run it again). ptxas: path, NULL: the runner looks it up, "": never run. It is ended soon after
 * *stop, which may be NULL, becomes nonzero. Thread-safe; the row lives as long as the cache. */
const sim_resource *sim_resources_get(sim_resource_cache *c, const sim_profile *p, const char *ptx,
                                      size_t len, const char *kernel, const char *ptxas,
                                      const volatile int *stop, lib_message *msg);
/* The same of all kernels, in the order of their names, and one of them by its name: NULL where there is none. */
const sim_resource *sim_resources_rows(sim_resource_cache *c, const sim_profile *p, const char *ptx,
                                       size_t len, const char *ptxas, const volatile int *stop,
                                       size_t *count);
const sim_resource *sim_resources_row(const sim_resource *rows, size_t count, const char *kernel);
/* estimate.c. Without the assembler: registers from the most values alive at once, memory as
 * declared. exact is false, name NULL. */
sim_resource sim_resources_estimate(const ptx_func *f);
/* By register, f->reg_count of them: the first and the last instruction between which its value is needed; it lives from
 * its first to its last mention, and through a whole loop that it enters or leaves. first UINT32_MAX: never named. false:
 * out of memory. */
typedef struct {
    uint32_t first, last;
} sim_resource_span;
bool sim_resources_spans(const ptx_func *f, sim_resource_span *live);
/* The assembler's report in `text`, for tests: appends rows, returns their number. */
size_t sim_resources_parse(const char *text, sim_resource **rows, size_t *count);

#endif
