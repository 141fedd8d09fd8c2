/* What a client makes the server hold: device memory, page-locked and managed memory, modules,
 * handles and what they stand for. One number, so that no kind is a way round the others.
 *
 *   in    what each of them takes, when it is made and when it goes
 *   out   whether it may be made: else the call answers cudaErrorMemoryAllocation */
#ifndef WARPLAB_DEVICE_BUDGET_H
#define WARPLAB_DEVICE_BUDGET_H

#include "runner/device/server/core/server.h"

/* Work waiting for host functions and graphs; what replay() keeps; counters of lines in the log: each
 * at most this many bytes, and an eighth of what the client may hold (dev_part_limit). */
#define DEV_PART_BYTES ((uint64_t)256 << 20)

/* Bytes of the server's memory. */
typedef struct {
    uint64_t held, limit;
    uint64_t queued; /* by work that waits and by graphs; held does not count it */
} dev_budget;
uint64_t dev_part_limit(const dev_client *c);
uint64_t dev_hold_limit(const dev_session *s); /* of a client that comes now */
uint64_t dev_hold_room(const dev_client *c);   /* bytes that it may take yet */
bool dev_hold(dev_client *c, uint64_t bytes);  /* false: not so much more */
void dev_let_go(dev_client *c, uint64_t bytes);
/* What n bytes of a device's memory count for. */
uint64_t dev_hold_device(const dev_client *c, unsigned device, uint64_t n);

#endif
