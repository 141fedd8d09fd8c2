/* What-if for a whole run: its copies, and the times in which the device was idle.
 *
 *   operations --edges in order of time--> how long only copies run, something runs, nothing runs
 *     --> dev_whole */
#include "runner/device/server/device.h"
#include "words/server.h"

#include <math.h>
#include <stdlib.h>

typedef enum { WAY_IN, WAY_OUT, WAY_WORK, WAYS } way;

static bool way_of(dev_op op, way *w) {
    switch (op) {
    case DEV_OP_H2D:
    case DEV_OP_PAGES_IN: *w = WAY_IN; return true;
    case DEV_OP_D2H:
    case DEV_OP_PAGES_OUT: *w = WAY_OUT; return true;
    case DEV_OP_LAUNCH:
    case DEV_OP_D2D:
    case DEV_OP_MEMSET: *w = WAY_WORK; return true;
    default: return false;
    }
}

typedef struct {
    double at;
    way w;
    int by; /* +1 begins, -1 ends */
} way_edge;

static int edge_order(const void *a, const void *b) {
    double x = ((const way_edge *)a)->at, y = ((const way_edge *)b)->at;
    return (x > y) - (x < y);
}

void dev_whole_of(const dev_span *v, size_t n, dev_whole *out) {
    *out = (dev_whole){0};
    way_edge *e = calloc(2 * n + 1, sizeof *e);
    size_t count = 0;
    way w;
    for (size_t i = 0; e && i < n; i++) {
        if (v[i].end_us <= v[i].start_us || !way_of(v[i].op, &w)) continue;
        e[count++] = (way_edge){v[i].start_us, w, 1};
        e[count++] = (way_edge){v[i].end_us, w, -1};
        out->copies += w != WAY_WORK;
    }
    if (count) {
        qsort(e, count, sizeof *e, edge_order);
        out->us = e[count - 1].at - e[0].at;
    }
    double busy[WAYS] = {0}, any = 0, alone = 0;
    int runs[WAYS] = {0};
    for (size_t i = 0; i < count; i++) {
        double d = i ? e[i].at - e[i - 1].at : 0;
        bool copies = runs[WAY_IN] || runs[WAY_OUT];
        for (unsigned k = 0; k < WAYS; k++)
            if (runs[k]) busy[k] += d;
        if (copies || runs[WAY_WORK]) any += d;
        if (copies && !runs[WAY_WORK]) alone += d;
        runs[e[i].w] += e[i].by;
    }
    free(e);
    out->then_us[DEV_IF_NO_COPIES] = out->us - alone;
    out->then_us[DEV_IF_OVERLAP] =
        out->us - any + fmax(busy[WAY_WORK], fmax(busy[WAY_IN], busy[WAY_OUT]));
    out->then_us[DEV_IF_NO_GAPS] = any;
}

lib_word_id dev_whole_title(unsigned row) {
    static const lib_word_id titles[DEV_IF_COUNT] = {[DEV_IF_NO_COPIES] = W_SERVER_WHOLE_NO_COPIES,
                                                     [DEV_IF_OVERLAP] = W_SERVER_WHOLE_OVERLAP,
                                                     [DEV_IF_NO_GAPS] = W_SERVER_WHOLE_NO_GAPS};
    return titles[row];
}
