/* What a student has done, in SQLite under XDG_DATA_HOME/warplab/progress.db. A disk that is full
 * or read-only costs the record, never the session: the first failure is said once
 * (progress_warning), and everything goes on in memory. */
#ifndef WARPLAB_PROGRESS_H
#define WARPLAB_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/lang.h"

typedef struct progress progress;

typedef struct {
    char lab[64];
    int step; /* where the student is: 0 is the first step */
    bool started, passed;
    bool answer_seen;
    int hints; /* how many of the three were shown */
    double best_score, max_score;
    double best_speedup;
    int checks;                    /* how often it was graded */
    int right, wrong;              /* questions */
    int64_t started_at, passed_at; /* Unix seconds, 0: not yet */
} progress_lab;

/* Never NULL short of memory: with no usable file it keeps things in memory. path NULL: the XDG
 * place. An older version's file is brought up to date, the old one kept as PATH.formN; a newer version's is
 * left as it is. */
progress *progress_open(const char *path);
void progress_close(progress *p);
/* A failure not told yet, or NULL; each is told once. */
const char *progress_warning(progress *p, lib_lang lang);
/* zeroed when nothing is known */
void progress_get(progress *p, const char *lab, progress_lab *out);
void progress_put(progress *p, const progress_lab *l);
void progress_forget(progress *p, const char *lab); /* its questions too */

/* A version of the student's own that was right, as it was when it was checked. `text` is the file's
 * hash: the same text on the same device is the same rung. */
enum { PROGRESS_RUNGS = 100 };
typedef struct {
    char device[64], text[65], limiter[16];
    char counters
        [512]; /* "gld_sectors=1024 barriers=64": what the ladder compares; "" of old rungs */
    double time_us, speedup, score;
    int64_t at;
} progress_rung;
void progress_rung_add(progress *p, const char *lab, const progress_rung *r);
/* The last PROGRESS_RUNGS of them, oldest first; malloc'ed, the caller frees. */
size_t progress_rungs(progress *p, const char *lab, const char *device, progress_rung **out);
/* The best attempt on that device: of those with the most points, and no faster than any that passed, the fastest.
 * False: there is none. */
bool progress_best(progress *p, const progress_lab *l, const char *device, progress_rung *out);

/* How a question was answered. Only the first try counts for a quiz; it stays the first until
 * progress_questions_forget(). */
typedef struct {
    int tries;
    bool first, right; /* right at the first try; right at some try */
} progress_question;
void progress_question_get(progress *p, const char *lab, const char *key, progress_question *out);
void progress_question_add(progress *p, const char *lab, const char *key, bool right);
void progress_questions_forget(progress *p, const char *lab);
/* ---- practice ---- */

/* When a question comes back, by spaced repetition (practice/review.h). */
typedef struct {
    char lab[64], key[24];
    int box, lapses;   /* how far up it is; how often it was missed */
    int64_t seen, due; /* Unix seconds */
} progress_card;
/* False: there is none. */
bool progress_card_get(progress *p, const char *lab, const char *key, progress_card *out);
void progress_card_put(progress *p, const progress_card *c);
/* Those that are due by then, the longest due first; malloc'ed, the caller frees. */
size_t progress_cards(progress *p, int64_t by, progress_card **out);

/* What was predicted, and what was measured. */
enum { PROGRESS_GUESSES = 200 };
typedef struct {
    double said, truth;
    bool hit; /* within the question's tolerance */
    int64_t at;
} progress_guess;
void progress_guess_add(progress *p, const char *lab, const char *key, const progress_guess *g);
/* The last PROGRESS_GUESSES of them, oldest first; malloc'ed, the caller frees. */
size_t progress_guesses(progress *p, progress_guess **out);

/* ---- notes ---- */

/* At a step of a lab; a bookmark is a note without a text. */
enum { PROGRESS_NOTE = 400, PROGRESS_NOTES = 500 };
typedef struct {
    int64_t id, at;
    char lab[64], text[PROGRESS_NOTE + 1];
    int step;
} progress_note;
/* False: there are PROGRESS_NOTES already. */
bool progress_note_add(progress *p, const char *lab, int step, const char *text);
void progress_note_drop(progress *p, int64_t id);
/* Oldest first; malloc'ed, the caller frees. */
size_t progress_notes(progress *p, progress_note **out);

size_t progress_all(progress *p, progress_lab **out); /* malloc'ed, the caller frees */
/* Settings that last: "lang", "device", "current", "praise". "" when not set. */
void progress_setting(progress *p, const char *key, char *value, size_t n);
void progress_set(progress *p, const char *key, const char *value);

#endif
