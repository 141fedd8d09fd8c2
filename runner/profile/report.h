/* What `warplab profile` prints: a line of JSON for each launch, and at the end a table of kernels
 * with findings. */
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

/* A kernel with one launch configuration, summed over its launches. */
typedef struct {
    char *kernel;
    unsigned grid[3], block[3], registers;
    uint64_t launches, failed;
    sim_counters counters;
    double time_us, occupancy_pct, achieved_pct;
    const char *limiter;
    const lib_message *by_counters_why; /* sim_result.machine_refusal of its last launch */
    bool untraced;   /* a launch is missing in the report's sass_trace; this was reported */
    sim_line *lines; /* summed by file and line; the file names are copies */
    size_t line_count;
    sim_occupancy occupancy;
    uint64_t shared;   /* bytes per block */
    sim_stalls stalls; /* each figure x its launch's microseconds; told_us: their sum */
    double told_us;
    /* What-if of the launch that was asked, which took asked_us; 0: none was. Line numbers are
     * indices of places. */
    sim_what_if what_if[SIM_COST_COUNT];
    double asked_us;
    profile_place *places;
    size_t place_count;
    /* With --ptx or --sass (code.c): the mangled name, and the number of executions of each
     * instruction. */
    char *name;
    sim_ptx_count *ptx;
    size_t ptx_count;
    sim_machine_count *machine; /* NULL: not known */
    size_t machine_count;
    char **files; /* the file names in ptx */
    size_t file_count;
} profile_kernel;

/* A launch on a GPU, kept until the simulated device has counted it. */
typedef struct {
    char *kernel;
    unsigned grid[3], block[3];
    double time_us, start_us, end_us;
    sim_status status;
} profile_measured;

typedef struct {
    const char *device;
    bool lines;      /* also print each kernel's counters by source line */
    bool no_what_if; /* no what-if: no advice, and a little less time */
    /* do not look for races in global memory; the search takes one to three times the run's time */
    bool no_races;
    bool ptx, sass;      /* also print each line's instructions: PTX with counts, machine code */
    const char *program; /* the file that contains them; arch: the devices for which they are */
    unsigned arch;
    struct listing_code *code; /* once it was needed; no_code: it cannot be read */
    bool no_code;
    bool what_if, where; /* also print the value of each cost; where cycles went */
    lib_lang lang;
    int width; /* of the terminal to which the report goes; 0: no terminal */
    const char *trace, *page, *against; /* files to write, NULL: none; JSON of another run */
    const char *sass_trace;             /* a folder; NULL: none */
    bool files_failed;
    dev_client *client; /* set before the first launch */
    dev_session *session;
    /* The run on a GPU; its timeline is then shown. NULL: there was none. */
    dev_client *measured_client;
    dev_session *measured_session;
    FILE *json; /* NULL: none */
    bool json_is_stdout, json_failed;
    const char *json_path;
    profile_kernel *kernels;
    size_t kernel_count;
    size_t printed; /* bytes of the device's printf that were printed already */
    uint64_t launches;
    /* On a GPU: its launches, which get the simulated device's counters. */
    bool measuring; /* the program runs on the GPU: keep its launches */
    bool again;     /* it runs again for its counters; its output was shown already */
    profile_measured *measured;
    size_t measured_count, next;
    const char *counters_from; /* "sim:h200"; NULL: the device's own counters */
    const char *measured_on;   /* "gpu:0" */
    struct json_t *hardware;   /* ncu's launches in order; NULL: none */
} profile_report;

/* Returns the records for the timeline. */
static inline size_t profile_records(const profile_report *r, const dev_record **records) {
    const dev_client *c = r->measured_client ? r->measured_client : r->client;
    *records = NULL;
    return c ? dev_client_log(c, records) : 0;
}
/* Reports launches that were measured but not counted (the second run made fewer, or there was
 * none). */
void profile_uncounted(profile_report *r);
/* Opens the file of --json; "-" is stdout. Returns false and sets *msg on an error. */
bool profile_open(profile_report *r, const char *json_path, lib_message *msg);
/* Writes a line of --json, if there is one. Takes ownership of `o`. */
void profile_json_line(profile_report *r, struct json_t *o);
/* For dev_client_on_launch(): adds a launch to the report and writes its line of JSON. */
void profile_on_launch(void *report, const dev_record *record);
/* Call it after the program's end: prints the rest of its device printf, the table and the
 * findings. */
void profile_finish(profile_report *r);
/* Returns false and sets *msg if the JSON could not be written completely. */
bool profile_close(profile_report *r, lib_message *msg);

#endif
