/* Figures of a call, from records made by hand whose values can be read off. */
#include "grader/judge/metrics.h"
#include "../check.h"

static double value(const char *name, const dev_record *r, size_t n, double busy) {
    grade_goal g = {.kind = GRADE_GOAL_COUNTER, .name = name, .relation = GRADE_LE};
    grade_call_log log = {.records = r, .count = n, .busy_us = busy, .elapsed_us = 100};
    double v = -1;
    CHECK(grade_metric(&g, &log, &v) == METRIC_OK);
    return v;
}

/* Two streams: a copy 0..10, a kernel 5..15 beside it, a kernel 10..20, one 20..30 right behind. */
static void overlap(void) {
    static const dev_record r[] = {
        {.op = DEV_OP_H2D, .start_us = 0, .end_us = 10, .bytes = 4096, .pageable = true},
        {.op = DEV_OP_LAUNCH, .start_us = 5, .end_us = 15},
        {.op = DEV_OP_LAUNCH, .start_us = 10, .end_us = 20},
        {.op = DEV_OP_LAUNCH, .start_us = 20, .end_us = 30},
        {.op = DEV_OP_SYNC, .start_us = 30, .end_us = 30},
        {.op = DEV_OP_D2H, .start_us = 40, .end_us = 50, .bytes = 1000},
    };
    size_t n = sizeof r / sizeof *r;
    double busy = 40;                                      /* 0..30 and 40..50 */
    CHECK_NEAR(value("overlap_us", r, n, busy), 10, 1e-9); /* 50 of work in 40 */
    CHECK_NEAR(value("overlap_pct", r, n, busy), 20, 1e-9);
    CHECK_NEAR(value("kernels_at_once", r, n, busy), 2, 0);
    CHECK_NEAR(value("pageable_bytes", r, n, busy), 4096, 0);
    CHECK_NEAR(value("link_bytes", r, n, busy), 5096, 0);
    CHECK_NEAR(value("overlap_us", r + 5, 1, 10), 0, 0);
    CHECK_NEAR(value("kernels_at_once", r + 5, 1, 10), 0, 0);
}

static void calls(void) {
    sim_result host = {.link_bytes = 640};
    const dev_record r[] = {
        {.op = DEV_OP_MALLOC, .bytes = 8},
        {.op = DEV_OP_MALLOC, .bytes = 8, .pooled = true},
        {.op = DEV_OP_MALLOC, .bytes = 8, .pooled = true},
        {.op = DEV_OP_FREE, .bytes = 8, .pooled = true},
        {.op = DEV_OP_FREE, .bytes = 8},
        {.op = DEV_OP_LAUNCH, .end_us = 1, .result = &host},
        {.op = DEV_OP_GRAPH},
        {.op = DEV_OP_LAUNCH, .end_us = 1, .in_graph = true},
        {.op = DEV_OP_LAUNCH, .end_us = 1, .in_graph = true},
    };
    size_t n = sizeof r / sizeof *r;
    CHECK_NEAR(value("mallocs", r, n, 1), 1, 0);
    CHECK_NEAR(value("pool_allocs", r, n, 1), 2, 0);
    CHECK_NEAR(value("frees", r, n, 1), 1, 0);
    CHECK_NEAR(value("launches", r, n, 1), 3, 0);
    CHECK_NEAR(value("launch_calls", r, n, 1), 2, 0); /* one launch, one graph */
    CHECK_NEAR(value("link_bytes", r, n, 1), 640, 0);
}

int main(void) {
    overlap();
    calls();
    return check_done();
}
