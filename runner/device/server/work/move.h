/* Moves bytes: the only way for a copy and a memset, whether a call, a node of a graph or a kernel
 * asked for it. Everything about it is reported here: what the host saw and gave, its duration,
 * sectors, possible races. place.c handles the program's ordinary memory. */
#ifndef WARPLAB_DEVICE_MOVE_H
#define WARPLAB_DEVICE_MOVE_H

#include "runner/device/server/core/client.h"

typedef struct {
    dev_place to, from;                /* from: only for a copy */
    const wire_place *to_as, *from_as; /* as they were named; NULL: there is no `from` */
    uint64_t extent[3];                /* bytes of a row, rows, slices */
    bool async, misdirected;           /* dev_record.misdirected */
    uint64_t caller;                   /* as in wire_copy */
    uint32_t value, element;           /* for a memset */
} dev_moving;
/* Executes and logs it; `after`, *end: as in dev_work_run(). Returns the simulated device's status:
 * SIM_BAD_ADDRESS for an invalid address. */
sim_status dev_move_copy(dev_client *c, dev_stream *s, unsigned device, const dev_moving *m,
                         double after, double *end);
sim_status dev_move_fill(dev_client *c, dev_stream *s, unsigned device, const dev_moving *m,
                         double after, double *end);
/* Adds what moved of managed memory to the record, which may be NULL. */
void dev_move_paged(dev_record *r, const dev_moved *m);

/* A work is about to use [at, at + n) of memory that both sides see: dev_side_before(); what the
 * program's own code put there counts as given. */
void dev_move_uses(dev_client *c, uint64_t at, uint64_t n);

#endif
