/* A grading on a GPU, explained by one on the simulated device: the GPU gives outputs and times,
 * the simulated device what no GPU says by itself (counters, findings, lines). Goals of counters
 * are judged there. */
#include <stdlib.h>
#include <string.h>
#include "grader/judge/internal.h"

void result_explain(grade_result *r, const grade_result *by) {
    SAY(r->counters_from, "%s", by->device);
    r->counters = by->counters;
    r->baseline_counters = by->baseline_counters;
    r->modelled_us = by->time_us;
    r->modelled_speedup = by->speedup;
    r->floor_us = by->floor_us;
    result_add_findings(r, by->findings, by->finding_count);
    sim_line *lines = calloc(by->line_count + 1, sizeof *lines);
    if (lines) {
        free(r->lines);
        r->lines = lines;
        r->line_count = by->line_count;
        for (size_t i = 0; i < by->line_count; i++)
            lines[i] = (sim_line){result_string(r, by->lines[i].file), by->lines[i].line,
                                  by->lines[i].counters};
    }
    /* Occupancy and limiter of each launch; its time stays the measured one. */
    if (r->launch_count != by->launch_count) return;
    for (size_t i = 0; i < r->launch_count; i++) {
        grade_launch *l = &r->launches[i];
        l->achieved_occupancy_pct = by->launches[i].achieved_occupancy_pct;
        memcpy(l->limiter, by->launches[i].limiter, sizeof l->limiter);
    }
}
