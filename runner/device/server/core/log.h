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
 *   words.c    which words the device gave the host
 *   timeline.c when it would have been (timeline.h)
 *   work/keep.c     the works of a call; work/replay.c: run again
 *   memory/rewind.c   on memory as it was when the call began
 *   memory/lineage.c   which works lead to the outputs (lineage.h)
 *   memory/side.c   what the program's own code left in memory that both sides see */
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
typedef struct dev_words dev_words; /* words.c */

typedef struct {
    dev_work *work;
    dev_stream *stream;
    double issued;
    uint64_t began_ns; /* on the host's clock, for %globaltimer */
    size_t record;     /* index of its record, SIZE_MAX: none */
} dev_kept;
/* Memory that both sides see, in a copy of the server's alone while a replay runs. */
typedef struct {
    uint64_t base;
    void *copy, *was; /* was: where its bytes lie else */
    bool dead;        /* the call freed it */
} dev_private;
/* Bytes that the program's own code wrote into memory that both sides see, before a work used
 * it. */
typedef struct {
    size_t work; /* index of that work */
    uint64_t at, bytes;
    size_t data; /* where they lie in the tape */
} dev_patch;
typedef struct {
    dev_flow flow;    /* so far */
    uint64_t pending; /* bytes seen since something was given */
    uint64_t counted; /* of them, in flow.all already */
    uint64_t timed;   /* times asked for since then */
    dev_passage saw;
    struct {
        uint64_t base, bytes;
        bool filled; /* by copies all of whose bytes are `value`, which do not count */
        uint8_t value;
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
    struct dev_lineage *lineage; /* lineage.h; NULL: nobody asks */
    dev_words *words;            /* NULL: none yet in this call */
    struct {
        bool there;
        unsigned thread;
        cudaError_t error;
        lib_message text;
        const char *kernel;
    } why; /* of the last call that failed, until the program says which entry point it was */
    bool overflow;
    bool freed;     /* something that no replay can have back */
    bool read_back; /* copied to the host */
    bool once;      /* host memory, a host function or a graph: no time is taken of a replay */
    bool unproven;  /* the host gave more than is kept: no proof */
    dev_mem *dead;  /* ranges that the call freed */
    size_t dead_count, dead_room;
    dev_patch *patches; /* by work */
    size_t patch_count, patch_room;
    lib_buffer tape;
    dev_private *own;
    size_t own_count, own_room;
    uint64_t own_bytes; /* what the replay under way takes */
    bool tape_off;      /* nobody will ask for a proof */
    sim_finding *findings;
    size_t finding_count, finding_room;
    lib_buffer printed;
    size_t delivered; /* of it */
    bool print_full;
    lib_message *unsupported[DEV_UNSUPPORTED];
    size_t unsupported_count;
    const char
        *unsupported_call; /* the first function of the runtime among them, by our own name; NULL */
    bool in_call;          /* a lab's function has been called: its works are kept */
    bool replaying;
    bool same;                    /* a proof on the call's own data */
    uint64_t work_ns, replay_ns;  /* when the work under way began: at first, and in this replay */
    uint64_t grids, grids_before; /* grids that have run; of them before the call */
    bool follows;                 /* and other nodes come before it */
    bool in_graph;                /* what is logged now is done by a node of a graph */
    size_t replay_record, replay_end; /* of the work that runs again: its record, the next work's */
    bool proving;                     /* it is a proof: */
    dev_record *proof;                /* its launches, whose results are theirs, without lines */
    size_t proof_count, proof_room;
    void (*on_launch)(void *user, const dev_record *r); /* dev_client_on_launch() */
    void *on_launch_user;
} dev_log_state;

/* ---- log.c */
dev_record *dev_log(dev_client *c, dev_op op, unsigned device, const dev_stream *s, double start,
                    double end, uint64_t bytes, sim_status status);
/* Takes the result over. */
void dev_log_launch(dev_client *c, dev_record *r, const dev_work *w, sim_result *result,
                    bool gives);
dev_record *dev_log_call(dev_call *k, dev_op op, uint64_t bytes, cudaError_t e); /* a host call */
/* The same for an allocation or a free; `call`: the runtime's name of it, static. */
dev_record *dev_log_memory(dev_call *k, dev_op op, const char *call, uint64_t bytes, cudaError_t e);
void dev_log_print(void *client, const char *text, size_t n);
bool dev_log_sees_host(const dev_client *c); /* memory that both sides see */
void dev_log_lost(dev_client *c);            /* something was done that no record tells of */
bool dev_log_on_device(dev_op op);           /* takes the device's time */
void dev_log_clear(dev_client *c);
void dev_log_clear_proof(dev_client *c);
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

/* ---- finding.c */
/* f with its text and what is said of it: the row's. */
void dev_log_said(dev_client *c, sim_finding *f, lib_words words);
void dev_log_findings_free(dev_log_state *g);

/* ---- hostflow.c: nothing is noted outside a lab's call, nor in a replay */
void dev_flow_begins(dev_client *c);
void dev_flow_saw(dev_client *c, dev_op op, uint64_t bytes, const char *kernel);
void dev_flow_timed(dev_client *c); /* the host heard how long something took */
void dev_flow_gave(dev_client *c, dev_op op, uint64_t bytes, const char *kernel);
/* The launch that was seen last may have been answered while it ran. */
void dev_flow_within(dev_client *c, const char *kernel);
/* n bytes of the host's own go to address `to`; data: what they are (no process can change them),
 * NULL: not one value. */
void dev_flow_put(dev_client *c, uint64_t to, const void *data, uint64_t n);

/* ---- words.c: for dev_client_gave(); nothing outside a lab's call that has buffers on the host */
bool dev_words_wanted(dev_client *c);
/* The host got these bytes of a device; the host gave them. No process can change them. */
void dev_words_seen(dev_client *c, const void *bytes, uint64_t n);
void dev_words_given(dev_client *c, const void *bytes, uint64_t n);
/* What lies at `at` in memory that both sides see: of a device, or (all false) what of it is not known
 * to be the host's. */
void dev_words_left(dev_client *c, uint64_t at, uint64_t n, bool all);
void dev_words_forget(dev_client *c);

/* ---- rewind.c: none of it does anything on a GPU */
bool dev_rewind_new(dev_client *c); /* false: no memory */
void dev_rewind_free(dev_client *c);
void dev_rewind_turn(dev_client *c, bool begins); /* what is allocated meanwhile is the client's */
void dev_rewind_mark(dev_client *c);              /* a call begins */
void dev_rewind_forget(dev_client *c);            /* no replay will go back to the mark any more */
/* All is as it was at the mark; with `host` memory that both sides see too, in copies that no
 * process has. False: that cannot be. dev_rewind_done() after the replay. */
bool dev_rewind_back(dev_client *c, bool host);
void dev_rewind_done(dev_client *c);
/* Does memory that both sides see hold what the call's works left there? Before dev_rewind_done(). */
bool dev_rewind_same(const dev_client *c);

/* ---- replay.c */
void dev_replay_begins(dev_client *c); /* a lab's function is called: forgets what was kept */
void dev_replay_keep(dev_client *c, dev_stream *s, const dev_work *w, double issued);
/* A destroyed stream stays for the replay of what ran in it: true, it is the log's now; false: it had
 * nothing that is kept. */
bool dev_replay_adopt_stream(dev_client *c, dev_stream *s);
/* Bytes that a copy takes from the program's own memory or, with `got`, brings there: [offset, offset + n)
 * of it. */
void dev_replay_keep_bytes(dev_client *c, bool got, const wire_copy *w, uint64_t offset,
                           const void *data, uint64_t n);
void dev_replay_free(dev_client *c);

#endif
