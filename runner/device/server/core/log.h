/* The log: what a client did, when on the timeline, with which counters and findings; and replay.
 *
 *   in    work/ and calls/: a record for each thing done; device printf; findings;
 *         the works of a lab's call, in the order they ran
 *   out   device.h: dev_client_log(), dev_client_findings(), dev_client_replay() ...
 *
 *   log.c      records, results, printed text
 *   finding.c  findings of launches and of the host side
 *   failed.c   calls and launches that failed, as findings
 *   lines.c    the line of the program's source
 *   hostflow.c what a call let the host see of the device, and gave the device afterwards
 *   words.c    words that the device gave the host
 *   timeline.c when it would have happened (timeline.h)
 *   work/keep.c     the works of a call; work/replay.c: runs them again
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
    DEV_ARGS = 64 /* arguments of a lab's function */
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
/* Memory that both sides see, replaced by a private copy of the server while a replay runs. */
typedef struct {
    uint64_t base;
    void *copy, *was; /* was: the usual place of its bytes */
    bool dead;        /* the call freed it */
} dev_private;
/* Bytes that the program's own code wrote into memory that both sides see, before a work used
 * it. */
typedef struct {
    size_t work; /* index of that work */
    uint64_t at, bytes;
    size_t data; /* their place in the tape */
} dev_patch;
typedef struct {
    dev_flow flow;    /* so far */
    uint64_t pending; /* bytes seen since the host last gave something */
    uint64_t counted; /* those of them that flow.all already has */
    uint64_t timed;   /* how often times were asked for since then */
    dev_passage saw;
    struct {
        uint64_t base, bytes;
        bool filled; /* with `value`, by memsets or copies; these do not count */
        uint32_t value;
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
    struct dev_lineage *lineage; /* lineage.h; NULL: not wanted */
    dev_words *words;            /* NULL: none in this call so far */
    struct {
        bool there;
        unsigned thread;
        cudaError_t error;
        lib_message text;
        const char *kernel;
    } why; /* of the last call that failed, until the program names its entry point */
    bool overflow;
    bool freed;     /* something that a replay cannot restore */
    bool read_back; /* copied to the host */
    bool once;     /* host memory, a host function or a graph: the times of a replay are not used */
    bool unproven; /* the host gave more than is kept: no proof */
    dev_mem *dead; /* ranges that the call freed */
    size_t dead_count, dead_room;
    dev_patch *patches; /* by work */
    size_t patch_count, patch_room;
    lib_buffer tape;
    dev_private *own;
    size_t own_count, own_room;
    uint64_t own_bytes; /* memory that the present replay takes */
    bool tape_off;      /* no proof will be asked for */
    sim_finding *findings;
    size_t finding_count, finding_room;
    /* a call failed for want of memory: null pointers are mostly its result */
    bool allocation_failed;
    lib_buffer printed;
    size_t delivered; /* the part of it that was delivered */
    bool print_full;
    lib_message *unsupported[DEV_UNSUPPORTED];
    size_t unsupported_count;
    /* the first function of the runtime among them, by our own name; NULL */
    const char *unsupported_call;
    bool threads_drawn; /* dev_client_draw_threads() */
    uint64_t threads;   /* for which it was drawn so far */
    bool in_call;       /* a lab's function has been called: its works are kept */
    bool replaying;
    bool same;                    /* a proof on the call's own data */
    uint64_t work_ns, replay_ns;  /* when the present work began: originally, and in this replay */
    uint64_t grids, grids_before; /* grids that have run; those before the call */
    bool follows;                 /* and other nodes come before it */
    bool in_graph;                /* a node of a graph does what is logged now */
    /* of the work that is replayed: its record, the next work's */
    size_t replay_record, replay_end;
    bool proving;      /* the replay is a proof: */
    dev_record *proof; /* its launches, which own their results, without lines */
    size_t proof_count, proof_room;
    void (*on_launch)(void *user, const dev_record *r); /* dev_client_on_launch() */
    void *on_launch_user;
    bool (*spoil)(const void *user, const char *kernel); /* dev_client_spoil() */
    const void *spoil_user;
} dev_log_state;

/* ---- log.c */
dev_record *dev_log(dev_client *c, dev_op op, unsigned device, const dev_stream *s, double start,
                    double end, uint64_t bytes, sim_status status);
/* Takes ownership of the result. */
void dev_log_launch(dev_client *c, dev_record *r, const dev_work *w, sim_result *result,
                    bool gives);
/* a call of the host */
dev_record *dev_log_call(dev_call *k, dev_op op, uint64_t bytes, cudaError_t e);
/* The same for an allocation or a free of what begins at `base`; `call`: its name in the runtime,
 * static. */
dev_record *dev_log_memory(dev_call *k, dev_op op, const char *call, uint64_t base, uint64_t bytes,
                           cudaError_t e);
/* Keeps what a launch prints. Returns false if the client's output is full, or if the launch runs
 * again and has printed before: more text would be dropped. */
bool dev_log_print(void *client, const char *text, size_t n);
bool dev_log_sees_host(const dev_client *c); /* memory that both sides see */
void dev_log_lost(dev_client *c);            /* something was done that has no record */
bool dev_log_on_device(dev_op op);           /* whether it takes time on the device */
void dev_log_clear(dev_client *c);
void dev_log_clear_proof(dev_client *c);
void dev_log_free(dev_client *c);

/* ---- finding.c */
void dev_log_finding(dev_client *c, const sim_finding *f);
void dev_log_leaks(dev_client *c);
void dev_log_fault(dev_client *c);

/* ---- failed.c */
void dev_log_failing(dev_call *k, cudaError_t e); /* a handler returned an error */
/* Entry point `name` of the program fails with e. callers: where the program called it
 * (CallFailed). */
void dev_log_failed(dev_call *k, const char *name, cudaError_t e, const uint64_t *callers,
                    size_t n);
/* ---- lines.c */
/* Finds the line of the program's own source for the first of n addresses of its file that has one.
 * Returns false if unknown. */
bool dev_log_line(dev_client *c, const uint64_t *address, size_t n, char *file, size_t bytes,
                  unsigned *line);

/* ---- finding.c */
/* Adds f with its text, in the row's words. */
void dev_log_said(dev_client *c, sim_finding *f, lib_words words);
/* The same, in the source line of the first of the n callers that has one, if any has. */
void dev_log_said_at(dev_client *c, sim_finding *f, const uint64_t *callers, size_t n,
                     const lib_message *what);
void dev_log_findings_free(dev_log_state *g);

/* ---- hostflow.c: records nothing outside a lab's call, or in a replay */
void dev_flow_begins(dev_client *c);
void dev_flow_saw(dev_client *c, dev_op op, uint64_t bytes, const char *kernel);
void dev_flow_timed(dev_client *c); /* the host learnt how long something took */
void dev_flow_gave(dev_client *c, dev_op op, uint64_t bytes, const char *kernel);
/* The launch that was seen last may have been answered while it ran. */
void dev_flow_within(dev_client *c, const char *kernel);
/* n bytes of the host go to address `to`; dev_flow_filled(): `value`, again and again. */
void dev_flow_put(dev_client *c, uint64_t to, uint64_t n);
void dev_flow_filled(dev_client *c, uint64_t to, uint32_t value, uint64_t n);

/* ---- words.c: for dev_client_gave(); does nothing outside a lab's call that has buffers on the
 * host */
bool dev_words_wanted(dev_client *c);
/* The host got these bytes from a device; the host gave these bytes. No process can change them. */
void dev_words_seen(dev_client *c, const void *bytes, uint64_t n);
void dev_words_given(dev_client *c, const void *bytes, uint64_t n);
/* A copy to a device reads these bytes of page-locked memory. */
void dev_words_sent(dev_client *c, uint64_t at, uint64_t n);
void dev_words_passed(dev_client *c, const void *params, uint64_t n); /* to a kernel */
/* The bytes at `at` in memory that both sides see come from a device. all false: except those known
 * to be the host's. */
void dev_words_left(dev_client *c, uint64_t at, uint64_t n, bool all);
void dev_words_forget(dev_client *c);

/* ---- rewind.c: does nothing on a GPU */
bool dev_rewind_new(dev_client *c); /* returns false if memory is out */
void dev_rewind_free(dev_client *c);
void dev_rewind_turn(dev_client *c, bool begins); /* allocations meanwhile belong to the client */
void dev_rewind_mark(dev_client *c);              /* a call begins */
void dev_rewind_forget(dev_client *c);            /* no replay will go back to the mark any more */
/* Puts all memory back as it was at the mark; with `host` also memory that both sides see, in
 * copies that no process can reach. Returns false if that is impossible. Call dev_rewind_done()
 * after the replay. */
bool dev_rewind_back(dev_client *c, bool host);
void dev_rewind_done(dev_client *c);
/* Returns whether memory that both sides see has the contents that the call's works left there.
 * Call it before dev_rewind_done(). */
bool dev_rewind_same(const dev_client *c);

/* ---- replay.c */
void dev_replay_begins(dev_client *c); /* a lab's function is called: drops what was kept */
void dev_replay_keep(dev_client *c, dev_stream *s, const dev_work *w, double issued);
/* Keeps a destroyed stream for the replay of its work. Returns true if the log has taken it over;
 * false: it has no work that is kept. */
bool dev_replay_adopt_stream(dev_client *c, dev_stream *s);
/* Bytes [offset, offset + n) of a copy from the program's own memory or, with `got`, to it. */
void dev_replay_keep_bytes(dev_client *c, bool got, const wire_copy *w, uint64_t offset,
                           const void *data, uint64_t n);
void dev_replay_free(dev_client *c);

#endif
