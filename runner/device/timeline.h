/* The modelled timeline (timeline.c): when the program's calls and the device's work would have
 * happened, in microseconds since the client came. */
#ifndef WARPLAB_DEVICE_TIMELINE_H
#define WARPLAB_DEVICE_TIMELINE_H

#include "runner/device/device.h"

typedef struct dev_call dev_call;
typedef struct dev_stream dev_stream;

typedef struct {
    struct {
        double start, end, share;
    } kernels[64]; /* the last ones */
    unsigned next;
    double h2d, d2h; /* when the copy engines are free */
    double tail;     /* when the work of destroyed streams is done */
} dev_engines;

double *dev_clock(dev_client *c, unsigned thread);
/* What a host call costs, in microseconds. */
typedef enum {
    DEV_COST_LAUNCH,
    DEV_COST_ASYNC,
    DEV_COST_SYNC,
    DEV_COST_MALLOC,
    DEV_COST_FREE,
    DEV_COST_POOL,
    DEV_COST_EVENT,
    DEV_COST_GRAPH
} dev_cost;
void dev_spend(dev_call *k, dev_cost what);
void dev_place_kernel(dev_client *c, unsigned device, double after, double us, double share,
                      double *start, double *end);
typedef enum { DEV_DIR_H2D, DEV_DIR_D2H, DEV_DIR_D2D, DEV_DIR_H2H, DEV_DIR_FILL } dev_direction;
/* measured: its time where the device measured it, else 0. */
void dev_place_copy(dev_client *c, unsigned device, dev_direction d, bool pageable, bool async,
                    uint64_t bytes, double measured, double after, double *start, double *end);
/* Order of the default stream: when work of s may start. */
double dev_stream_after(dev_client *c, const dev_stream *s, double issued);

#endif
