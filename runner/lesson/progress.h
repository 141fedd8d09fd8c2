/* What a student has done, in SQLite under XDG_DATA_HOME/warplab/progress.db. If the disk is full
 * or read-only, the record is lost, but never the session: progress_warning() reports the first
 * failure once, and everything continues in memory. */
#ifndef WARPLAB_PROGRESS_H
#define WARPLAB_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/lang.h"

typedef struct progress progress;

typedef struct {
    char lab[64];
    int step; /* the student's step; 0 is the first */
    bool started, passed;
    bool answer_seen;
    int hints; /* how many of the hints were shown */
    double best_score, max_score;
    double best_speedup;
    int checks;                    /* how often the lab was graded */
    int right, wrong;              /* questions */
    int64_t started_at, passed_at; /* Unix seconds; 0: not yet */
} progress_lab;

/* Opens the file; path NULL: the one under XDG_DATA_HOME. Never returns NULL; without a usable file
 * everything is in memory. An older version's file is converted, and the old file kept as
 * PATH.formN. A newer version's file is not changed. */
progress *progress_open(const char *path);
void progress_close(progress *p);
/* Returns a failure that was not reported yet, or NULL. Reports each failure once. */
const char *progress_warning(progress *p, lib_lang lang);
/* Zeroes *out if nothing is known. */
void progress_get(progress *p, const char *lab, progress_lab *out);
void progress_put(progress *p, const progress_lab *l);
void progress_forget(progress *p, const char *lab); /* its questions, too */

/* A right version of the student's file, as it was checked. `text` is the file's hash: the same
 * text on the same device is the same rung of the ladder. */
enum { PROGRESS_RUNGS = 100 };
typedef struct {
    char device[64], text[65], limiter[16];
    char counters
        [512]; /* "gld_sectors=1024 barriers=64": what the ladder compares; "" of old rungs */
    double time_us, speedup, score;
    int64_t at;
} progress_rung;
void progress_rung_add(progress *p, const char *lab, const progress_rung *r);
/* Returns the last PROGRESS_RUNGS, oldest first; malloc'ed, the caller frees them. */
size_t progress_rungs(progress *p, const char *lab, const char *device, progress_rung **out);
/* Finds the best attempt on this device: of those with the most points, the fastest. If the lab is
 * passed, attempts faster than the best passed one do not count. Returns false if there is none. */
bool progress_best(progress *p, const progress_lab *l, const char *device, progress_rung *out);

/* How a question was answered. Only the first try counts for a quiz. It stays the first until
 * progress_questions_forget(). */
typedef struct {
    int tries;
    bool first, right; /* right at the first try; right at some try */
} progress_question;
void progress_question_get(progress *p, const char *lab, const char *key, progress_question *out);
/* Records one try. */
void progress_question_add(progress *p, const char *lab, const char *key, bool right);
void progress_questions_forget(progress *p, const char *lab);
/* ---- practice ---- */

/* When a question is asked again, by spaced repetition (practice/review.h). */
typedef struct {
    char lab[64], key[24];
    int box, lapses;   /* the box it is in; how often it was answered wrong */
    int64_t seen, due; /* Unix seconds */
} progress_card;
/* Returns false if there is none. */
bool progress_card_get(progress *p, const char *lab, const char *key, progress_card *out);
void progress_card_put(progress *p, const progress_card *c);
/* Returns the cards that are due at time `by`, the longest due first; malloc'ed, the caller frees
 * them. */
size_t progress_cards(progress *p, int64_t by, progress_card **out);

/* A prediction and the measured value. */
enum { PROGRESS_GUESSES = 200 };
typedef struct {
    double said, truth;
    bool hit; /* within the question's tolerance */
    int64_t at;
} progress_guess;
void progress_guess_add(progress *p, const char *lab, const char *key, const progress_guess *g);
/* Returns the last PROGRESS_GUESSES, oldest first; malloc'ed, the caller frees them. */
size_t progress_guesses(progress *p, progress_guess **out);

/* ---- notes ---- */

/* A note at a step of a lab. A bookmark is a note without text. */
enum { PROGRESS_NOTE = 400, PROGRESS_NOTES = 500 };
typedef struct {
    int64_t id, at;
    char lab[64], text[PROGRESS_NOTE + 1];
    int step;
} progress_note;
/* Returns false if there are PROGRESS_NOTES already. */
bool progress_note_add(progress *p, const char *lab, int step, const char *text);
void progress_note_drop(progress *p, int64_t id);
/* Returns all notes, oldest first; malloc'ed, the caller frees them. */
size_t progress_notes(progress *p, progress_note **out);

size_t progress_all(progress *p, progress_lab **out); /* malloc'ed, the caller frees */
/* Settings: "lang", "device", "current", "praise". "" if not set. */
void progress_setting(progress *p, const char *key, char *value, size_t n);
void progress_set(progress *p, const char *key, const char *value);

#endif
