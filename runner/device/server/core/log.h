/* The log: what a client did, when on the timeline, with which counters and findings; and replay.
 *
 *   in    work/ and calls/: a record for each thing done; device printf; findings;
 *         the works of a lab's call, in the order they ran
 *   out   device.h: dev_client_log(), dev_client_findings(), dev_client_replay() ...
 *
 *   log.c      records, results, printed text
 *   finding.c  findings of launches and of the host side
 *   failed.c   calls and launches that failed, as findings
 *   lines.c    which line of its source the program was at
 *   hostflow.c what a call let the host see of the device, and gave the device afterwards
 *   timeline.c when it would have been (timeline.h)
 *   work/replay.c   the works of a call, kept and run again */
#ifndef WARPLAB_DEVICE_LOG_H
#define WARPLAB_DEVICE_LOG_H

#include "runner/base/buffer.h"
#include "runner/device/cudart/api.h"
#include "runner/device/server/core/server.h"

enum {
    DEV_FINDINGS = 4096,
    DEV_UNSUPPORTED = 256,
    DEV_ARGS = 64 /* of a lab's function */
};

typedef struct dev_lines dev_lines; /* lines.h */

typedef struct {
    dev_work *work;
    dev_stream *stream;
    double issued;
    size_t record; /* index of its record, SIZE_MAX: none */
} dev_kept;
typedef struct {
    dev_flow flow;    /* so far */
    uint64_t pending; /* bytes seen since something was given */
    uint64_t timed;   /* times asked for since then */
    dev_passage saw;
    struct {
        uint64_t base, bytes;
    } put[DEV_ARGS]; /* into the lab's buffers, from the host */
    size_t puts;
} dev_hostflow;
typedef struct {
    dev_record *records;
    sim_result **results; /* of each record, or NULL */
    size_t count, record_room, result_room;
    uint64_t result_bytes;
    uint64_t dropped;
    dev_kept *works;
    size_t work_count, work_room;
    uint64_t work_bytes;
    dev_stream *gone; /* destroyed streams of these works */
    dev_hostflow hostflow;
    struct {
        bool there;
        unsigned thread;
        cudaError_t error;
        lib_message text;
        const char *kernel;
    } why; /* of the last call that failed, until the program says which entry point it was */
    bool overflow, freed;
    bool read_back; /* copied to the host */
    bool once;      /* host memory, a host function or a graph */
    sim_finding *findings;
    size_t finding_count, finding_room;
    lib_buffer printed;
    size_t delivered; /* of it */
    bool print_full;
    const char *unsupported[DEV_UNSUPPORTED];
    size_t unsupported_count;
    bool in_call; /* a lab's function has been called: its works are kept */
    bool replaying;
    bool follows;                     /* and other nodes come before it */
    bool in_graph;                    /* what is logged now is done by a node of a graph */
    size_t replay_record, replay_end; /* of the work that runs again: its record, the next work's */
    void (*on_launch)(void *user, const dev_record *r); /* dev_client_on_launch() */
    void *on_launch_user;
} dev_log_state;

/* ---- log.c */
dev_record *dev_log(dev_client *c, dev_op op, unsigned device, const dev_stream *s, double start,
                    double end, uint64_t bytes, sim_status status);
/* Takes the result over. */
void dev_log_launch(dev_client *c, dev_record *r, const dev_work *w, sim_result *result);
dev_record *dev_log_call(dev_call *k, dev_op op, uint64_t bytes, cudaError_t e); /* a host call */
/* The same for an allocation or a free; `call`: the runtime's name of it, static. */
dev_record *dev_log_memory(dev_call *k, dev_op op, const char *call, uint64_t bytes, cudaError_t e);
void dev_log_print(void *client, const char *text, size_t n);
bool dev_log_sees_host(const dev_client *c); /* memory that both sides see */
void dev_log_lost(dev_client *c);            /* something was done that no record tells of */
bool dev_log_on_device(dev_op op);           /* takes the device's time */
void dev_log_clear(dev_client *c);
void dev_log_free(dev_client *c);

/* ---- finding.c */
void dev_log_finding(dev_client *c, const sim_finding *f);
void dev_log_leaks(dev_client *c);
void dev_log_fault(dev_client *c);

/* ---- failed.c */
void dev_log_failing(dev_call *k, cudaError_t e); /* a handler has answered with an error */
/* Entry point `name` of the program fails with e. callers: where the program called it (CallFailed). */
void dev_log_failed(dev_call *k, const char *name, cudaError_t e, const uint64_t *callers,
                    size_t n);
/* ---- lines.c */
/* The line of the program's own source that the first of n addresses of its file came from; false: not known. */
bool dev_log_line(dev_client *c, const uint64_t *address, size_t n, char *file, size_t bytes,
                  unsigned *line);

/* ---- hostflow.c: nothing is noted outside a lab's call, nor in a replay */
void dev_flow_begins(dev_client *c);
void dev_flow_saw(dev_client *c, dev_op op, uint64_t bytes, const char *kernel);
void dev_flow_timed(dev_client *c); /* the host heard how long something took */
void dev_flow_gave(dev_client *c, dev_op op, uint64_t bytes, const char *kernel);
/* n bytes from the host go to address `to`; data: what they are, NULL: not known. */
void dev_flow_put(dev_client *c, uint64_t to, const void *data, uint64_t n);

/* ---- replay.c */
void dev_replay_begins(dev_client *c); /* a lab's function is called: forgets what was kept */
void dev_replay_keep(dev_client *c, dev_stream *s, const dev_work *w, double issued);
/* A destroyed stream stays for the replay of what ran in it: true, it is the log's now; false: it had
 * nothing that is kept. */
bool dev_replay_adopt_stream(dev_client *c, dev_stream *s);
void dev_replay_free(dev_client *c);

#endif
