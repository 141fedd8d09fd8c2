/* The session that the REPL's files share, and its commands. Each command is int repl_NAME(repl *r, char *argument): 0, or 1 when
 * it failed (the exit status of a script). */
#ifndef WARPLAB_REPL_SESSION_H
#define WARPLAB_REPL_SESSION_H

#include "runner/base/paths.h"
#include "runner/term/i18n.h"
#include "runner/term/text.h"
#include "runner/grade/grading.h"
#include "runner/grade/pictures.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/measure.h"
#include "runner/lesson/progress.h"
#include "runner/repl/repl.h"
#include "grader/result.h"

enum { REPL_CACHE = 6 };

/* A run whose counters something was drawn from: kept, so that a picture of an unchanged file costs
 * nothing. */
typedef struct {
    char key[256]; /* device, and a hash of the file and case; "": free */
    measure m;
    grade_result result;
    char *program; /* its path, where somebody asked for its instructions; else NULL */
    uint64_t used;
} repl_cached;

/* The last grading of the student's file. */
typedef struct {
    char key[160]; /* device, and a hash of the file; "": there is none */
    grade_result result;
} repl_checked;

/* Where a question is asked: what may be typed in its place, and what a wrong answer is told. */
typedef enum { ASK_LESSON, ASK_PRACTICE, ASK_EXAM } repl_asking;

struct repl_status; /* status.c */

typedef struct repl {
    const repl_options *options;
    const lib_paths *paths;
    const char *root;
    text_out out;
    lib_lang lang;
    progress *progress;
    char device[64];
    bool interactive; /* stdin and stdout are terminals */
    bool quit, failed, praise;
    bool ask_costs, ask_ptx; /* the next measured run is asked what if; for its instructions */
    lab *lab;                /* held; NULL: none is open */
    progress_lab state;      /* of it */
    char file[600];          /* the student's copy: a file, or a folder of the lab's files */
    int step;
    uint64_t seed, draw_seed; /* of the session; of the step on show */
    lab_drawn drawn;
    uint64_t group_seed[LAB_GROUPS + 1]; /* of the open lab's groups of steps; 0: not drawn yet */
    bool insisted;                       /* `next` was typed at an unpassed exercise */
    repl_cached cache[REPL_CACHE];
    uint64_t clock;
    repl_checked checked;
    repl_asking asking;
    char *pending; /* a command typed where an answer was asked for */
    /* Obeys a line as the prompt does. */
    int (*obey)(struct repl *r, char *line);
    struct repl_status *status; /* of what runs, or NULL */
    char transcript[600];       /* where it goes, "": nowhere */
    bool leaving;               /* `q` was typed once */
    bool fresh;                 /* nothing was done before this session */
    char usual_device[64];      /* this machine's default */
} repl;

/* What a command needs to have: a lab that is open; the student's file, which a quiz has not; a
 * program, which a sheet of answers is not. */
typedef enum { NEEDS_NOTHING, NEEDS_LAB, NEEDS_FILE, NEEDS_PROGRAM } repl_needs;

#define RCMD(NAME, name, key, function, ...) int function(repl *r, char *argument);
#include "runner/repl/repl_commands.def"
#undef RCMD

#endif
