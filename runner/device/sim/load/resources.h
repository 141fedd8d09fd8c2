/* Registers, spills, shared and local memory of each kernel, as the vendor's assembler allocates
 * them.
 *
 *   PTX text --ptxas -v, by the device's run_command--> its report --parse-->
 *     one row a kernel, kept by content
 *
 * Without ptxas nothing is known; sim_resource.exact is false then. */
#ifndef WARPLAB_RESOURCES_H
#define WARPLAB_RESOURCES_H

#include "runner/device/sim/profile.h"
#include "runner/device/sim/ptx/ptx.h"
#include "runner/device/sim/sim.h"

typedef struct {
    char *name;                         /* mangled; owned by the table */
    unsigned registers, barriers;       /* 0 for a function that kernels call */
    unsigned spill_stores, spill_loads; /* bytes, static */
    uint64_t stack, shared;             /* bytes */
    bool exact;
} sim_resource;

/* How the assembler is asked. */
typedef struct {
    const char *path;   /* NULL: the command runner looks it up; "": it is never run */
    unsigned registers; /* -maxrregcount; 0: no limit */
    char level;         /* -O: '0' to '3'; 0: its default */
} sim_ptxas;
/* Reads the flags that decide about registers from the command line with which the machine code of
 * the same PTX was made (sim_cubin_command()). Others do not matter here, or nvcc adds them. */
void sim_ptxas_flags(sim_ptxas *p, const char *command);

typedef struct sim_resource_cache sim_resource_cache;
/* run NULL: there is no assembler. Returns NULL if memory is out. */
sim_resource_cache *sim_resource_cache_new(sim_run_command *run, void *user);
void sim_resource_cache_free(sim_resource_cache *c);

/* Returns the row of a kernel of this PTX, assembled for p->compile_arch. A module is assembled
 * once and remembered by its content and the flags. Returns NULL and sets *msg if ptxas is missing
 * or refuses; a later call does not run it again. ptxas NULL: looked up, without flags. It ends
 * soon after *stop (may be NULL) becomes nonzero. Thread-safe; the row lives as long as the
 * cache. */
const sim_resource *sim_resources_get(sim_resource_cache *c, const sim_profile *p, const char *ptx,
                                      size_t len, const char *kernel, const sim_ptxas *ptxas,
                                      const volatile int *stop, lib_message *msg);
/* The same for all kernels and the functions that they call, in the order of their names. The other
 * function finds one of them by its name; NULL: none. */
const sim_resource *sim_resources_rows(sim_resource_cache *c, const sim_profile *p, const char *ptx,
                                       size_t len, const sim_ptxas *ptxas, const volatile int *stop,
                                       size_t *count);
const sim_resource *sim_resources_row(const sim_resource *rows, size_t count, const char *kernel);
/* For tests. Parses the assembler's report in `text`: appends rows, returns their number. */
size_t sim_resources_parse(const char *text, sim_resource **rows, size_t *count);

#endif
