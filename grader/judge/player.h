/* One program under grading: the submission or the baseline, as a client of the device. */
#ifndef WARPLAB_GRADER_PLAYER_H
#define WARPLAB_GRADER_PLAYER_H

#include "runner/device/server/device.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"

typedef enum {
    PLAY_OK,
    PLAY_LAUNCH, /* the call returned, and a launch of it failed */
    PLAY_ENDED,  /* the program ended: crash, exit */
    PLAY_TIMEOUT,
    PLAY_PROTOCOL,
    PLAY_CANCELLED,
    PLAY_INFRA /* not the program's fault */
} play_outcome;

typedef struct {
    const grade_host *host;
    dev_session *session;
    const char *path;
    lib_word_id who;          /* what messages call it */
    const grade_lab *forbids; /* whose forbidden names its code may not use; NULL: it may */
    bool forbidden;           /* and it did, in code that it loaded while it ran */
    double limit_s, used_s;   /* of its own time, in all (dev_client_run) */
    /* Simulated instructions (dev_client_allow): of a call at most, of the last one, and of all. */
    uint64_t call_limit, call_work, work_limit, worked;
    dev_client *client; /* NULL: not running */
    grade_child child;
    unsigned starts;
    bool not_started;     /* the last start failed before anything of the program ran */
    bool unproven;        /* nobody will call player_prove() */
    bool lineage;         /* its calls' records tell what leads to the outputs */
    bool replayed;        /* since it started some of its work ran that it did not ask for */
    unsigned host_serial; /* of the buffers whose host memory this process has mapped; 0: none */
    lib_message message;  /* why the last outcome was not OK */
    char *output;
    size_t output_len;
    bool output_cut;
} player;

/* Starts the program, if it does not run, and waits until it is ready for a call. */
play_outcome player_start(player *p);
/* One call of the lab's function, to its end. Host buffers are filled by host_fill(user) before the
 * call can see them; `serial` (not 0) tells the buffers of one case from those of another. */
play_outcome player_call(player *p, const dev_arg *args, size_t n, unsigned serial,
                         void (*host_fill)(void *user, dev_client *c), void *user);
/* The last call's launches once more, on what memory holds now; false: that cannot be
 * (dev_client_replay). */
bool player_replay(player *p);
/* The same without taking times, of whatever the call did (dev_client_prove). */
bool player_prove(player *p);
bool player_prove_same(player *p); /* dev_client_prove_same */
/* Ends it: asked politely when `ask`, so that what it leaks is found, else killed. Findings of its
 * end go into r when not NULL. */
void player_stop(player *p, bool ask, grade_result *r);
void player_drop(player *p); /* it has ended: forgets it */
void player_free(player *p);

#endif
