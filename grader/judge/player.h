/* One program in a grading, the submission or the baseline, as a client of the device. */
#ifndef WARPLAB_GRADER_PLAYER_H
#define WARPLAB_GRADER_PLAYER_H

#include "runner/device/server/device.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"

typedef enum {
    PLAY_OK,
    PLAY_LAUNCH,  /* the call returned, but one of its launches failed */
    PLAY_ENDED,   /* the program ended: crash or exit */
    PLAY_TIMEOUT, /* it would not end, or did more than is recorded */
    PLAY_PROTOCOL,
    PLAY_CANCELLED,
    PLAY_INFRA /* not the program's fault */
} play_outcome;

typedef struct {
    const grade_host *host;
    dev_session *session;
    const char *path;
    lib_word_id who; /* its name in messages */
    /* the lab whose forbidden names its code may not use; NULL: nothing is forbidden */
    const grade_lab *forbids;
    const void *code; /* then it loads only this (grade_options.code) */
    size_t code_bytes;
    bool forbidden;         /* it loaded what is not allowed */
    double limit_s, used_s; /* of its own time, over all calls (dev_client_run) */
    /* Simulated instructions (dev_client_allow): limit of a call, those of the last call, limit of
     * all calls, those of all calls. */
    uint64_t call_limit, call_work, work_limit, worked;
    dev_client *client; /* NULL: not running */
    grade_child child;
    unsigned starts;
    bool not_started;     /* the last start failed before the program ran */
    bool early;           /* it gave the device work before its first call */
    uint64_t over_memory; /* it was ended because it used more than this many bytes; 0: no */
    bool unproven;        /* player_prove() will not be called */
    bool lineage;         /* the records of its calls say which work leads to the outputs */
    bool draws;           /* the turns of its threads are drawn: its calls have no times */
    bool compares;        /* a goal compares two of its kernels */
    bool replayed;        /* since its start it has run work that it did not ask for */
    unsigned host_serial; /* the buffers whose host memory the process has mapped; 0: none */
    lib_message message;  /* why the last outcome was not PLAY_OK */
    char *output;
    size_t output_len;
    bool output_cut;
} player;

/* Starts the program if it is not running, and waits until it is ready for a call. */
play_outcome player_start(player *p);
/* Calls the lab's function and waits for its end. host_fill(user) fills host buffers before the
 * call can see them. `serial` (not 0) identifies the buffers of a case. */
play_outcome player_call(player *p, const dev_arg *args, size_t n, unsigned serial,
                         void (*host_fill)(void *user, dev_client *c), void *user);
/* Repeats the last call's launches with the present contents of memory. Returns false if that is
 * not possible (dev_client_replay). */
bool player_replay(player *p);
/* Repeats them without taking times, whatever the call did (dev_client_prove). */
bool player_prove(player *p);
bool player_prove_same(player *p); /* dev_client_prove_same */
/* What a call may do at most, after one that did more than is recorded. */
lib_words player_did_too_much(const player *p);
/* Ends the program. With `ask`, lets it exit, so that its leaks are found; otherwise kills it. Adds
 * the findings of its end to r if r is not NULL. */
void player_stop(player *p, bool ask, grade_result *r);
void player_drop(player *p); /* forget a program that has ended */
void player_free(player *p);

#endif
