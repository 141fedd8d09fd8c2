/* What `warplab profile` says: a line of JSON for each launch, and a table of kernels with findings
 * at the end. */
#ifndef WARPLAB_PROFILE_REPORT_H
#define WARPLAB_PROFILE_REPORT_H

#include <stdio.h>
#include "runner/base/lang.h"
#include "runner/base/message.h"
#include "runner/device/server/device.h"

typedef struct {
    char *file;
    unsigned line;
} profile_place;

/* One kernel with one launch configuration, summed over its launches. */
typedef struct {
    char *kernel;
    unsigned grid[3], block[3], registers;
    uint64_t launches, failed;
    sim_counters counters;
    double time_us, occupancy_pct, achieved_pct;
    const char *limiter;
    const lib_message *by_ptx_why; /* sim_result.machine_refusal of its last launch */
    bool untraced;   /* some launch is not in the report's sass_trace: that was said */
    sim_line *lines; /* summed by file and line; file strings are copies */
    size_t line_count;
    sim_occupancy occupancy;
    uint64_t shared;   /* bytes per block */
    sim_stalls stalls; /* each figure times its launch's microseconds; told_us: those of all such */
    double told_us;
    /* of the launch for which it was asked, which took asked_us; 0: of none. Lines are places */
    sim_what_if what_if[SIM_COST_COUNT];
    double asked_us;
    profile_place *places;
    size_t place_count;
    /* mangled name and how often each instruction was executed, where that is asked for (code.c) */
    char *name;
    sim_ptx_count *ptx;
    size_t ptx_count;
    char **files; /* which rows of ptx name */
    size_t file_count;
} profile_kernel;

/* A launch that a GPU ran, kept until the simulated device has counted it. */
typedef struct {
    char *kernel;
    unsigned grid[3], block[3];
    double time_us, start_us, end_us;
    sim_status status;
} profile_measured;

typedef struct {
    const char *device;
    bool lines;      /* also show each kernel's counters by source line */
    bool no_what_if; /* nothing is asked: no advice, a little less time */
    bool
        no_races; /* races in global memory are not looked for, which costs one to three times as much as running */
    bool ptx, sass;      /* and each line's instructions: PTX with counts, machine code */
    const char *program; /* the program's file, in which they are; and for which devices */
    unsigned arch;
    struct listing_code *code; /* once somebody looked; no_code: it cannot be had */
    bool no_code;
    bool what_if, where; /* and what each cost is worth; where cycles went */
    lib_lang lang;
    int width; /* of the terminal that the report goes to; 0: no terminal */
    const char *trace, *page, *against; /* files to write, NULL: none; another run's JSON */
    const char *sass_trace;             /* a folder; NULL: none */
    bool files_failed;
    dev_client *client; /* set before the first launch */
    dev_session *session;
    /* Of the run on a GPU, whose timeline is shown then; NULL: there was none. */
    dev_client *measured_client;
    dev_session *measured_session;
    FILE *json; /* NULL: none */
    bool json_is_stdout, json_failed;
    const char *json_path;
    profile_kernel *kernels;
    size_t kernel_count;
    size_t printed; /* of the device's printf, already passed on */
    uint64_t launches;
    /* On a GPU: its launches, to which the simulated device's counters are put. */
    bool measuring; /* the program runs on the GPU: launches are kept */
    bool again;     /* it runs again for its counters: what it prints was shown already */
    profile_measured *measured;
    size_t measured_count, next;
    const char *counters_from; /* "sim:h200"; NULL: the device's own counters */
    const char *measured_on;   /* "gpu:0" */
    struct json_t *hardware;   /* ncu's launches in order; NULL: none */
} profile_report;

/* What the run did, on the timeline that is shown. */
static inline size_t profile_records(const profile_report *r, const dev_record **records) {
    const dev_client *c = r->measured_client ? r->measured_client : r->client;
    *records = NULL;
    return c ? dev_client_log(c, records) : 0;
}
/* The launches that were measured but not counted (the second run did fewer, or there was none). */
void profile_uncounted(profile_report *r);
bool profile_open(profile_report *r, const char *json_path, lib_message *msg);
/* A line of --json; takes over `o`. Nothing where no JSON is written, or could not be. */
void profile_json_line(profile_report *r, struct json_t *o);
void profile_on_launch(void *report, const dev_record *record);
/* The program has ended: the rest of its device printf, the table, the findings. */
void profile_finish(profile_report *r);
/* False and *msg when the JSON could not be written whole. */
bool profile_close(profile_report *r, lib_message *msg);

#endif
