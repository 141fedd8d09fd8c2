/* Bytes that move: the one way for a copy and a memset, whoever asked for it: a call, a node of a
 * graph, a kernel. All that is told of one is told here: what the host saw and gave, what it took,
 * sectors, what it may race with. What passes through the program's ordinary memory is
 * place.c's. */
#ifndef WARPLAB_DEVICE_MOVE_H
#define WARPLAB_DEVICE_MOVE_H

#include "runner/device/server/core/client.h"

typedef struct {
    dev_place to, from;                /* from: of a copy */
    const wire_place *to_as, *from_as; /* as they were named; NULL: from is not there */
    uint64_t extent[3];                /* bytes of a row, rows, slices */
    bool async, misdirected;           /* dev_record.misdirected */
    uint64_t caller;                   /* wire_copy's */
    uint32_t value, element;           /* of a memset */
} dev_moving;
/* Executed and logged; `after`, *end: as of dev_work_run(). What a simulated device says of it: an
 * address that is none is SIM_BAD_ADDRESS. */
sim_status dev_move_copy(dev_client *c, dev_stream *s, unsigned device, const dev_moving *m,
                         double after, double *end);
sim_status dev_move_fill(dev_client *c, dev_stream *s, unsigned device, const dev_moving *m,
                         double after, double *end);
/* Into the record, or NULL: what moved of managed memory. */
void dev_move_paged(dev_record *r, const dev_moved *m);

/* A work is about to use [at, at + n) of memory that both sides see: dev_side_before(), and what the
 * program's own code put there is given. */
void dev_move_uses(dev_client *c, uint64_t at, uint64_t n);

#endif
