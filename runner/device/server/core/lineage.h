/* Finds out which works of a lab's call lead to its outputs, so that a goal with a minimum is not
 * met by work that has no effect.
 *
 *   in    each launch, copy and memset when it is done: bytes that it read, bytes that it wrote,
 *         and by which of its instructions (sim_launch.stored)
 *         each allocation, and each move of managed memory that is none of these
 *   out   dev_record.idle, dev_record.leading, dev_record.fed_by, dev_record.unused,
 *         dev_client_variables(), when the call is over
 *
 * Outputs are the final contents of the lab's buffers, what was copied to the host, and memory that
 * the program's own code can reach. This works only while dev_client_lineage() is on and a launch
 * is watched for races. Anything unknown counts as leading to the outputs. */
#ifndef WARPLAB_DEVICE_LINEAGE_H
#define WARPLAB_DEVICE_LINEAGE_H

#include "runner/device/server/core/concurrent.h"

/* The stores of a launch: sim_launch.stored, in no order. */
typedef struct {
    uint64_t from, to;
    uint64_t by; /* one bit for each of its instructions, as in sim_slice.stores */
} dev_stored_run;
typedef struct {
    dev_stored_run *at;
    size_t count, room;
    bool lost; /* too many, or memory is out */
} dev_stored;
void dev_stored_add(void *stored, sim_addr from, uint64_t bytes, unsigned store); /* sim_stored */

void dev_lineage_begins(dev_client *c); /* a call begins: earlier knowledge is dropped */
bool dev_lineage_on(const dev_client *c);
/* For dev_client_spoil(): changes what the launch has stored. Call it before
 * dev_lineage_launch(). */
void dev_lineage_spoil(dev_client *c, unsigned device, const char *kernel,
                       const dev_stored *stored);
/* The launch that gets the next record: `runs` are its accesses, `stored` its stores, which are
 * freed; r's slices are taken over. acts: it did something that is not followed. Call it after the
 * launch has run, before anything else happens. */
void dev_lineage_launch(dev_client *c, unsigned device, const dev_runs *runs, dev_stored *stored,
                        sim_result *r, bool acts);
/* A copy or memset with the last record. */
void dev_lineage_copy(dev_client *c, unsigned device, dev_op op, const dev_runs *runs);
/* The last record allocated memory at `base`; the next record moves bytes of managed memory that
 * begins there. */
void dev_lineage_made(dev_client *c, uint64_t base);
void dev_lineage_moved(dev_client *c, uint64_t base, uint64_t bytes);
/* The range is freed: the program's own code may have seen its present contents. */
void dev_lineage_frees(dev_client *c, const dev_mem *m);
void dev_lineage_settle(dev_client *c); /* the call is over */
void dev_lineage_free(dev_client *c);

#endif
