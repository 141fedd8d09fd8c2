/* The modelled timeline (timeline.c): when the program's calls and the device's work would have
 * happened, in microseconds since the client's start. */
#ifndef WARPLAB_DEVICE_TIMELINE_H
#define WARPLAB_DEVICE_TIMELINE_H

#include "runner/device/server/core/server.h"

/* The resources of the device that work uses while it runs. */
enum { DEV_DRAM, DEV_L2, DEV_LINK, DEV_UNITS, DEV_BANDWIDTHS = DEV_UNITS + SIM_UNIT_COUNT };
typedef struct {
    double us;    /* alone on the device */
    double share; /* of the multiprocessors */
    /* of each bandwidth and, from DEV_UNITS on, of each unit: 0 to 1 */
    double used[DEV_BANDWIDTHS];
} dev_demand;

enum { DEV_GRIDS = 128 }; /* that may run at the same time on any device */
typedef struct {
    struct {
        double end, share;
    } running[DEV_GRIDS]; /* those that end last, by their ends */
    unsigned running_count;
    /* how much of each bandwidth is in use from t until the next entry's t; nothing after the
     * last */
    struct dev_level {
        double t, used[DEV_BANDWIDTHS];
    } * levels;
    size_t level_count, level_room;
    double from;     /* earlier entries were dropped: no work begins before this any more */
    double h2d, d2h; /* when the copy engines become free */
    double in, out;  /* the same for the link to other devices, in each direction */
    double tail;     /* when the work of destroyed streams is done */
} dev_engines;
/* A client's timeline: for each thread of the program, its present time, and the time at which it
 * was first seen; all in microseconds. */
typedef struct {
    double *clock, *began; /* by thread; clock < 0: not seen yet */
    unsigned threads;
    double latest; /* of anything so far */
    double called; /* when a thread last made a call, of all that are handled */
    double locked; /* until when the driver allocates or frees for some thread: for one at a time */
    dev_engines engine[DEV_MAX];
} dev_times;

double *dev_clock(dev_client *c, unsigned thread);
void dev_clock_called(dev_client *c, unsigned thread); /* the thread makes a call */
/* Kinds of host calls; their costs are in microseconds. */
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
/* MALLOC, FREE: of device memory */
void dev_spend_memory(dev_call *k, dev_cost what, uint64_t bytes);
/* The remaining part of a kernel's start, as a share of kernel_us, when it follows another in a
 * graph: the device has it ready, and there is no gap before it. host2.cu: 0.99 us for each node of
 * a chain of 32 on an H200 ((38.0 - 14.2) / 24), with kernels that take 2.09 us by themselves. */
#define DEV_GRAPH_START 0.3
void dev_place_kernel(dev_client *c, unsigned device, double after, const dev_demand *d,
                      double *start, double *end);
/* PEER: to another device. */
typedef enum {
    DEV_DIR_H2D,
    DEV_DIR_D2H,
    DEV_DIR_D2D,
    DEV_DIR_H2H,
    DEV_DIR_FILL,
    DEV_DIR_PEER
} dev_direction;
typedef struct {
    dev_direction direction;
    bool pageable, async;
    uint64_t bytes;
    uint64_t sectors;  /* D2D, FILL: of device memory, read and written */
    unsigned from, to; /* PEER: the devices */
    double measured;   /* its time if the device measured it; otherwise 0 */
} dev_move;
void dev_place_copy(dev_client *c, unsigned device, const dev_move *m, double after, double *start,
                    double *end);
/* Order of the default stream: returns when work of s may start. */
double dev_stream_after(dev_client *c, const dev_stream *s, double issued);

#endif
