/* The session that the REPL's files share, and its commands. Each command is int repl_NAME(repl *r,
 * char *argument). It returns 0, or 1 if it failed (the exit status of a script). */
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

/* A run from whose counters something was drawn. It is kept, so that another picture of the same
 * file needs no run. */
typedef struct {
    char key[256]; /* device, and a hash of file and case; "": free */
    measure m;
    grade_result result;
    char *program; /* the program's path if its instructions are wanted; otherwise NULL */
    uint64_t used;
} repl_cached;

/* The last grading of the student's file. */
typedef struct {
    char key[160]; /* device, and a hash of the file; "": no grading */
    grade_result result;
    bool hinted; /* a hint about what it found was shown */
} repl_checked;

/* Where a question is asked. This decides what may be typed instead, and what follows a wrong
 * answer. */
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
    /* for the next measured run: fill in costs; instructions; with those, machine code */
    bool ask_costs, ask_ptx, ask_machine;
    lab *lab;           /* held (lab_hold); NULL: no open lab */
    progress_lab state; /* of the open lab */
    char file[600];     /* the student's file, or the folder of the lab's files */
    int step;
    uint64_t seed, draw_seed; /* of the session; of the shown step */
    lab_drawn drawn;
    uint64_t group_seed[LAB_GROUPS + 1]; /* per group of steps of the open lab; 0: not drawn yet */
    bool insisted;                       /* `next` was typed at an exercise that is not passed */
    repl_cached cache[REPL_CACHE];
    uint64_t clock;
    repl_checked checked;
    repl_asking asking;
    char *pending; /* a command that was typed instead of an answer */
    /* Obeys a line, as the prompt does. */
    int (*obey)(struct repl *r, char *line);
    struct repl_status *status; /* status of the current run, or NULL */
    char transcript[600];       /* path of the transcript; "": none */
    bool leaving;               /* `q` was typed once */
    bool fresh;                 /* the student had done nothing before this session */
    char usual_device[64];      /* this machine's default */
} repl;

/* What a command needs: an open lab; the student's file, which a quiz lacks; a program, which a
 * sheet of answers is not. */
typedef enum { NEEDS_NOTHING, NEEDS_LAB, NEEDS_FILE, NEEDS_PROGRAM } repl_needs;

#define RCMD(NAME, name, key, function, ...) int function(repl *r, char *argument);
#include "runner/repl/repl_commands.def"
#undef RCMD

#endif
