/* Which works of a lab's call lead to its outputs, so that a goal that asks for at least something is not met
 * by work for show.
 *
 *   in    each launch, copy and memset as it is done: bytes that it read, bytes that it left, and by which of
 *         its instructions (sim_launch.stored)
 *   out   dev_record.idle, dev_record.leading, when the call is over
 *
 * Outputs are what lies in the lab's buffers at the end, what was copied to the host, and what lies in memory
 * that the program's own code can reach. Only while dev_client_lineage() is on, and a launch is watched for
 * races. What is not known counts as leading there. */
#ifndef WARPLAB_DEVICE_LINEAGE_H
#define WARPLAB_DEVICE_LINEAGE_H

#include "runner/device/server/core/concurrent.h"

/* What a launch stored: sim_launch.stored, in no order. */
typedef struct {
    uint64_t from, to;
    uint64_t by; /* a bit for each of its instructions, as in sim_slice.stores */
} dev_stored_run;
typedef struct {
    dev_stored_run *at;
    size_t count, room;
    bool lost; /* too many, or no memory */
} dev_stored;
void dev_stored_add(void *stored, sim_addr from, uint64_t bytes, unsigned store); /* sim_stored */

void dev_lineage_begins(dev_client *c); /* a call does: what was known is forgotten */
bool dev_lineage_on(const dev_client *c);
/* The launch whose record is the next one: `runs` are what it accessed, `stored` what it left,
 * which is freed. acts: it did what is not followed. After it has run, before anything else
 * does. */
void dev_lineage_launch(dev_client *c, unsigned device, const dev_runs *runs, dev_stored *stored,
                        const sim_result *r, bool acts);
/* A copy or memset whose record is the last one. */
void dev_lineage_copy(dev_client *c, dev_op op, const dev_runs *runs);
/* The range goes: what it holds now, the program's own code may have seen. */
void dev_lineage_frees(dev_client *c, const dev_mem *m);
void dev_lineage_settle(dev_client *c); /* the call is over */
void dev_lineage_free(dev_client *c);

#endif
