/* What a client makes the server hold: device memory, page-locked and managed memory, modules,
 * handles and their objects. All are counted in one number, so that no kind can evade the limit of
 * another.
 *
 *   in    the size of each, when it is made and when it is freed
 *   out   whether it may be made; if not, the call returns cudaErrorMemoryAllocation */
#ifndef WARPLAB_DEVICE_BUDGET_H
#define WARPLAB_DEVICE_BUDGET_H

#include "runner/device/server/core/server.h"

/* Limits for work that waits for host functions and for graphs; for what replay() keeps; and for
 * counters of lines in the log: for each at most this many bytes, and an eighth of what the client
 * may hold (dev_part_limit). */
#define DEV_PART_BYTES ((uint64_t)256 << 20)

/* In bytes of the server's memory. */
typedef struct {
    uint64_t held, limit;
    uint64_t queued; /* by waiting work and by graphs; not included in held */
} dev_budget;
uint64_t dev_part_limit(const dev_client *c);
uint64_t dev_hold_limit(const dev_session *s); /* of a client that starts now */
uint64_t dev_hold_room(const dev_client *c);   /* bytes that it may still take */
bool dev_hold(dev_client *c, uint64_t bytes);  /* returns false if that is too much */
void dev_let_go(dev_client *c, uint64_t bytes);
/* Returns what n bytes of a device's memory count. */
uint64_t dev_hold_device(const dev_client *c, unsigned device, uint64_t n);

#endif
