/* What the REPL's files share. Each command is int repl_NAME(repl *r, char *argument): 0, or 1 when
 * it failed (the exit status of a script). */
#ifndef WARPLAB_REPL_INTERNAL_H
#define WARPLAB_REPL_INTERNAL_H

#include "runner/base/paths.h"
#include "runner/repl/repl.h"
#include "runner/grade/grading.h"
#include "runner/term/i18n.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/measure.h"
#include "runner/lesson/progress.h"
#include "runner/grade/pictures.h"
#include "runner/term/text.h"

enum { REPL_CACHE = 6 };

/* A run whose counters something was drawn from: kept, so that a picture of an unchanged file costs
 * nothing. */
typedef struct {
    char key[256]; /* device, and a hash of the file, case and counters; "": free */
    measure m;
    grade_result result;
    uint64_t used;
} repl_cached;

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
    lab *lab;           /* NULL: none is open */
    progress_lab state; /* of it */
    char file[600];     /* the student's copy */
    int step;
    uint64_t seed, draw_seed; /* of the session; of the step on show */
    lab_drawn drawn;
    bool insisted; /* `next` was typed at an unpassed exercise */
    repl_cached cache[REPL_CACHE];
    uint64_t clock;
    char *pending; /* a command typed where an answer was asked for */
    bool status;   /* a status line stands on the screen */
} repl;

#define T(id) i18n(r->lang, MSG_##id)

#define RCMD(name, key, function, arguments, lab, en, zh) int function(repl *r, char *argument);
#include "runner/repl/repl_commands.def"
#undef RCMD

/* repl.c */
/* One line from the person; NULL at the end of input or, with *interrupted, after Ctrl-C.
 * malloc'ed. add: keep it in the history. */
char *repl_line(repl *r, const char *prompt, bool add, bool *interrupted);
bool repl_is_command(const char *line);       /* its first word is a command's whole name */
bool repl_yes(repl *r, const char *question); /* y/n; no when nobody can be asked */
void repl_warnings(repl *r);
bool repl_open(repl *r, const char *id); /* loads a lab and makes it current */

/* repl_lesson.c */
void repl_show_step(repl *r, bool fresh);
void repl_passed(repl *r);

/* repl_work.c */
bool repl_make_file(repl *r);
int repl_show_diff(repl *r, const char *path, const char *title);

/* repl_run.c */
/* Runs what `m` says and leaves one value per counter in the cached result's goals, in order. NULL:
 * it said why. */
const repl_cached *repl_measure(repl *r, const lab_measure *m, const lab_drawn *d,
                                const char *const *counters, size_t n);
void repl_cache_clear(repl *r);
int repl_draw(repl *r, const lab_show *s, const lab_drawn *d);
void repl_status(repl *r, const char *what); /* NULL takes it off */

/* complete.c */
void complete_install(repl *r);

/* watch.c */
typedef enum { WATCH_SAVED, WATCH_KEY, WATCH_STOP } watch_event;
typedef struct watch watch;
/* NULL when the file system cannot tell (then only keys work): watch_wait() takes NULL. */
watch *watch_new(const char *path);
void watch_free(watch *w);
/* Waits for a save of the file, a key or Ctrl-C. */
watch_event watch_wait(watch *w, char *key);

/* diff.c */
typedef struct {
    char mark;        /* ' ', '-', '+', '@' */
    const char *text; /* not NUL-terminated: n bytes */
    size_t n;
    int line; /* in the new text, of ' ' and '+' */
} diff_line;
/* The lines of a and b with three lines around each change; malloc'ed, the caller frees. Points
 * into a and b. */
size_t diff_lines(const char *a, const char *b, diff_line **out);

#endif
