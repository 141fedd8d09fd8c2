/* The modelled timeline (timeline.c): when the program's calls and the device's work would have
 * happened, in microseconds since the client came. */
#ifndef WARPLAB_DEVICE_TIMELINE_H
#define WARPLAB_DEVICE_TIMELINE_H

#include "runner/device/server/core/server.h"

/* What work asks of the device while it runs. */
enum { DEV_DRAM, DEV_L2, DEV_LINK, DEV_UNITS, DEV_BANDWIDTHS = DEV_UNITS + SIM_UNIT_COUNT };
typedef struct {
    double us;                   /* alone */
    double share;                /* of the multiprocessors */
    double used[DEV_BANDWIDTHS]; /* of each bandwidth and, from DEV_UNITS on, unit: 0 to 1 */
} dev_demand;

enum { DEV_GRIDS = 128 }; /* that run at once, on any device at most */
typedef struct {
    struct {
        double end, share;
    } running[DEV_GRIDS]; /* the ones that end last, by their ends */
    unsigned running_count;
    /* how much of each bandwidth is in use from t until the next one's t; nothing after the last */
    struct dev_level {
        double t, used[DEV_BANDWIDTHS];
    } * levels;
    size_t level_count, level_room;
    double from;     /* what was before is forgotten: nothing begins there any more */
    double h2d, d2h; /* when the copy engines are free */
    double in, out;  /* the same of the link to other devices, each way */
    double tail;     /* when the work of destroyed streams is done */
} dev_engines;
/* A client's timeline: of a thread of the program, where it is, and where it was first heard of; all
 * in microseconds. */
typedef struct {
    double *clock, *began; /* by thread; clock < 0: not heard of */
    unsigned threads;
    double latest; /* of anything so far */
    double called; /* when a thread last made a call, of all that are handled */
    double locked; /* until when the driver allocates or frees for some thread: for one at a time */
    dev_engines engine[DEV_MAX];
} dev_times;

double *dev_clock(dev_client *c, unsigned thread);
void dev_clock_called(dev_client *c, unsigned thread); /* it makes a call */
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
void dev_spend_memory(dev_call *k, dev_cost what,
                      uint64_t bytes); /* MALLOC, FREE of device memory */
/* What is left of a kernel's start, as a share of kernel_us, where it follows another in a graph: the
 * device has it ready, and no gap comes before it. host2.cu: 0.99 us a node of a chain of 32 on an H200
 * ((38.0 - 14.2) / 24), of kernels that take 2.09 us by themselves. */
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
    double measured;   /* its time where the device measured it, else 0 */
} dev_move;
void dev_place_copy(dev_client *c, unsigned device, const dev_move *m, double after, double *start,
                    double *end);
/* Order of the default stream: when work of s may start. */
double dev_stream_after(dev_client *c, const dev_stream *s, double issued);

#endif
