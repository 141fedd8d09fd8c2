/* Registers, spills, shared and local memory of each kernel, as the vendor's assembler allocates
 * them.
 *
 *   PTX text --ptxas -v (no shell; bounded time, memory and output)--> its report
 *            --parse--> a row a kernel, kept by content
 *
 * Where there is no ptxas, sim_resources_estimate() counts live registers instead;
 * sim_resource.exact says which it was. */
#ifndef WARPLAB_RESOURCES_H
#define WARPLAB_RESOURCES_H

#include "runner/base/message.h"
#include "runner/sim/profile.h"
#include "runner/sim/ptx/ptx.h"
#include "runner/sim/sim.h"

typedef struct {
    char *name; /* mangled; owned by the table */
    unsigned registers, barriers;
    unsigned spill_stores, spill_loads; /* bytes, static */
    uint64_t stack, shared, constant;   /* bytes; constant: of all banks */
    bool exact;
} sim_resource;

typedef struct sim_resource_cache sim_resource_cache;
sim_resource_cache *sim_resource_cache_new(void);
void sim_resource_cache_free(sim_resource_cache *c);

/* The row of a kernel of this PTX assembled for p->compile_arch; a module is assembled once and
 * remembered by its content. NULL and *msg when ptxas is missing or refuses (a later call does not
 * run it again). ptxas: path, NULL: looked up on PATH and in the toolkit's usual folders, "": never
 * run. Thread-safe; the row lives as long as the cache. */
const sim_resource *sim_resources_get(sim_resource_cache *c, const sim_profile *p, const char *ptx,
                                      size_t len, const char *kernel, const char *ptxas,
                                      lib_message *msg);
/* Without the assembler: registers from the most values alive at once, memory as declared. exact is
 * false, name NULL. */
sim_resource sim_resources_estimate(const ptx_func *f);
/* What a launch of `threads` allocates on this profile. Compute capability 1.x: two thirds of the
 * modern assembler's count, since addresses had 32 bits and no register was set aside for calls,
 * and no more than lets one block fit, as the compiler of its day would have seen to. Elsewhere the
 * count itself. */
unsigned sim_resources_registers(const sim_profile *p, unsigned registers, unsigned threads);

/* The assembler's report in `text`, for tests: appends rows, returns their number. */
size_t sim_resources_parse(const char *text, sim_resource **rows, size_t *count);

#endif
