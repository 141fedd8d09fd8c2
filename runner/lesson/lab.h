/* A lab in the runner: what a lesson file (labs/ID.lua) declares, checked and ready to show, grade
 * and prove.
 *
 *   labs/ID.lua --lua_lesson.c: restricted Lua--> Lua table
 *               --lua_lab.c, lua_grade.c, lua_steps.c: fields, types, both languages--> struct lab
 *
 * A lab owns its Lua state, because drawn numbers, answers and models of pictures may be Lua
 * functions. Only the functions below call into it. They never raise a Lua error, and never run
 * longer than a lesson may. Texts are UTF-8 in two languages: text[LIB_EN], text[LIB_ZH]. They may
 * contain light markup: `code`, *strong*, paragraphs separated by an empty line, and verbatim lines
 * that begin with four spaces. {name} stands for a drawn number. */
#ifndef WARPLAB_LAB_H
#define WARPLAB_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "runner/base/message.h"
#include "grader/lab.h"

enum {
    LAB_HINTS = 3,
    LAB_ID_MAX = 64,
    LAB_PACK_MAX = 25,
    LAB_CHOICES = 9,
    LAB_REPLIES = 8,
    LAB_GROUPS = 32
};

typedef struct {
    const char *text[LIB_LANGS];
} lab_text;

/* ---- questions ---- */

typedef enum {
    LAB_OF_MINE,
    LAB_OF_BASELINE,
    LAB_OF_ANSWER,
    LAB_OF_SKELETON,
    LAB_OF_FILE
} lab_source;

/* A program of the lesson's own: kernels/NAME.cu, with its own entry. */
typedef struct lab_program {
    grade_lab lab;        /* entry and arguments; no cases, no goals */
    const char *baseline; /* "kernels/NAME.cu" to compare with; NULL: itself */
    struct lab_program *next;
} lab_program;

/* What a question, a prediction or a picture measures: a program on a case. */
typedef struct {
    lab_source of;
    const char *file; /* LAB_OF_FILE: "kernels/NAME.cu", with the lab's entry */
    /* The case's parameters (a table, or a function of the drawn numbers); 0: the timed case. */
    int params_ref;
    const char *counter;        /* name of a counter or derived ratio */
    const char *device;         /* "sim:g80"; NULL: the student's */
    const lab_program *program; /* NULL: the lab's entry and arguments */
} lab_measure;

typedef struct {
    lab_text text, because; /* because: said after this choice was taken */
    bool right;
    bool fixed; /* stays where the lesson put it */
} lab_choice;

/* The reply to a particular wrong answer. */
typedef struct {
    double number; /* if ref is 0 and accept is empty */
    int ref;       /* a function of the drawn numbers */
    const char *const *accept;
    size_t accept_count; /* for an answer in words: its forms */
    lab_text text;
} lab_reply;

typedef enum {
    LAB_ANSWER_CHOICE,
    LAB_ANSWER_NUMBER,
    LAB_ANSWER_TEXT,
    LAB_ANSWER_MEASURED
} lab_answer_kind;

typedef struct {
    const char *name;
    /* a whole number in lo..hi that is a multiple of `multiple`; or one of `from` */
    double lo, hi, multiple;
    const double *from;
    size_t from_count;
} lab_draw;

typedef struct {
    lab_answer_kind kind;
    const lab_choice *choices;
    size_t choice_count;
    const char *const *accept;
    /* TEXT: accepted forms, compared without regard to case, spaces and punctuation */
    size_t accept_count;
    double number;       /* NUMBER, if answer_ref is 0 */
    int answer_ref;      /* NUMBER: a function of the drawn numbers */
    lab_measure measure; /* MEASURED, and every prediction */
    double tolerance;    /* relative for numbers; 0: exact */
    const char *unit;    /* shown after the number; may be "" */
    lab_text because;    /* said after the answer, right or wrong */
    bool ordered;        /* choices stay in the lesson's order */
    const lab_reply *replies;
    size_t reply_count;
} lab_question;

/* ---- pictures ---- */

typedef enum {
    LAB_PIC_SECTORS,    /* measured: sectors per request and their used bytes, per source line */
    LAB_PIC_BANKS,      /* measured: wavefronts per shared-memory request, per source line */
    LAB_PIC_DIVERGENCE, /* measured: active lanes, per source line */
    LAB_PIC_OCCUPANCY,  /* measured: what limits resident blocks */
    LAB_PIC_ROOFLINE,   /* measured: operations per byte, and the device's limits */
    LAB_PIC_TIMELINE,   /* measured: copies and streams over time */
    LAB_PIC_WHATIF,     /* measured: the time without each of its costs */
    LAB_PIC_STALLS,     /* measured: what warps waited for, and at which lines */
    LAB_PIC_CALCULATOR, /* occupancy for block sizes and registers; measured unless given */
    LAB_PIC_COUNTERS,   /* measured: a table of counters, the student's beside another program's */
    LAB_PIC_LANES,      /* model: address(lane) in bytes -> lanes against sectors */
    LAB_PIC_BANKMAP,    /* model: address(lane) in bytes -> lanes against banks */
    LAB_PIC_ROUNDS,     /* model: active(thread, round) -> which lanes work in which round */
    LAB_PIC_COUNT
} lab_picture;
extern const char *const lab_picture_name[LAB_PIC_COUNT];

typedef struct {
    lab_picture picture;
    lab_measure measure, beside; /* beside: COUNTERS only */
    bool has_beside;
    const char *const *counters;
    size_t counter_count;
    unsigned registers, shared, block; /* CALCULATOR: given, not measured, if registers > 0 */
    int model_ref;                     /* LANES, BANKMAP, ROUNDS */
    unsigned lanes, rounds;            /* of the model */
} lab_show;

/* ---- steps ---- */

typedef enum { LAB_SAY, LAB_ASK, LAB_PREDICT, LAB_SHOW, LAB_EXERCISE, LAB_COMPARE } lab_step_kind;
extern const char *const lab_step_name[6];

typedef struct {
    lab_step_kind kind;
    unsigned line; /* in the lesson file */
    uint64_t hash; /* of its fields, without texts and functions */
    lab_text text;
    const lab_draw *draws;
    size_t draw_count;
    unsigned group;             /* steps of a group show the same drawn numbers; 0: no group */
    lab_question question;      /* ASK, PREDICT */
    bool alone;                 /* ASK: can be understood without the steps before it */
    lab_show show;              /* SHOW, and COMPARE (as COUNTERS) */
    const char *const *teaches; /* facts; they are also in the lab's list */
    size_t teach_count;
} lab_step;

/* A fact of labs/facts.txt, and the parts of the lesson that teach it. */
typedef struct {
    const char *fact, *where; /* "ask show after" */
} lab_taught;

/* Where `debug` starts, and what it says there. */
typedef struct {
    /* number of the public case; 0: the lesson says nothing about debugging */
    size_t number;
    /* texts: stops at the first line that has the first text found in the file */
    const char *const *at;
    size_t at_count; /* 0: stops at the first finding */
    lab_text text;
} lab_debug;

typedef struct lab_state lab_state; /* the Lua state and the arena of the texts */

/* The languages of a lesson: both, or the only one of its pack. */
typedef enum { LAB_BOTH, LAB_ONLY_EN, LAB_ONLY_ZH } lab_only;

typedef struct lab {
    char id[LAB_ID_MAX]; /* PACK/LAB for a lab of a pack */
    lab_text title;
    lab_only only; /* a missing text of the other language is the same as this one */
    int chapter;
    int minutes;
    const char *const *needs;
    size_t need_count;
    const char *source; /* source of the lesson's facts, or "" */
    const lab_taught *taught;
    size_t taught_count; /* sorted by fact */
    const lab_step *steps;
    size_t step_count;
    lab_text hints[LAB_HINTS];
    /* the goal for which a hint is, by name; NULL: for the whole */
    const char *hint_goal[LAB_HINTS];
    lab_debug debug;
    lab_text after, more; /* after passing: the explanation, and "try this" */
    grade_lab grade;      /* for the grader; points into this lab */
    /* Its questions at the prompt are scored; there is no exercise and no file. Its only goal is
     * `answers`. */
    bool quiz;
    const lab_measure *asked; /* per goal: what its answer is measured on */
    lab_program *programs;    /* of all its measurements */
    uint64_t hash;            /* of everything for the grader, without texts and steps */
    /* files, absolute */
    char root[512]; /* contains labs/, kernels/, answers/: Warplab's folder or the pack's */
    char lesson_path[512], skeleton_path[512], baseline_path[512], answer_path[512], traps_dir[512];
    lab_state *state;
    struct timespec written; /* when the file was last written, at the time of reading */
    unsigned holds;          /* owners besides the first (lab_hold) */
} lab;

/* What a list shows. It is read without checking the rest of the file. */
typedef struct {
    char id[LAB_ID_MAX];
    char pack[LAB_PACK_MAX]; /* "": built in */
    char pack_title[LIB_LANGS][96];
    size_t place; /* in its pack */
    char title[LIB_LANGS][96];
    int chapter, minutes;
    char needs[8][LAB_ID_MAX];
    size_t need_count;
    double points;
    bool quiz;
    bool folder; /* a submission has several files */
    bool broken; /* the file does not load, because of `why` */
    lib_message why;
} lab_header;

/* Loads a lab. root: the folder that contains labs/, kernels/ and answers/. Returns NULL and sets
 * *msg ("labs/ID.lua:12: expected ..., found ...") on failure. Free with lab_free(). */
lab *lab_load(const char *root, const char *id, lib_message *msg);
/* Loads a lab of a pack that is not installed. `folder` contains pack.lua. */
lab *lab_load_from(const char *folder, const char *pack, const char *id, lib_message *msg);
/* Adds an owner and returns l. The lab lives until each owner has called lab_free(). */
lab *lab_hold(lab *l);
void lab_free(lab *l);
/* Returns whether the lesson's file was written since it was read. True only once for each
 * change. */
bool lab_changed(lab *l);
/* The key of a question in the student's progress. It changes only if the question's English text
 * changes. */
enum { LAB_QUESTION_KEY = 17 };
void lab_question_key(const lab_step *s, char key[LAB_QUESTION_KEY]);
bool lab_step_asks(const lab_step *s); /* ask, predict */
/* Lists all labs under root, sorted by chapter, then by needs, then by id; after them those of the
 * packs, each in its own order. Returns their number. *out is malloc'ed, and the caller frees
 * it. */
size_t lab_list(const char *root, lab_header **out);
/* Finds the lab that the user means: ID, PACK/LAB, LAB if only one pack has such a lab and Warplab
 * has none, or a title in any language. Returns the id, malloc'ed; or NULL and *msg with
 * suggestions. */
char *lab_find(const char *root, const char *typed, lib_message *msg);
/* Returns whether labs/ID.lua exists. */
bool lab_exists(const char *root, const char *id);
/* Writes up to three ids similar to a mistyped one, one per line; "" if there are none. */
void lab_suggest(const char *root, const char *id, char *out, size_t n);

/* Numbers drawn for one showing of a step. The same seed draws the same numbers. */
enum { LAB_DRAWS = 8 };
typedef struct {
    size_t count;
    grade_param p[LAB_DRAWS];
    /* Which choice is at each place; 0: in the lesson's order. */
    size_t order_count;
    unsigned char order[LAB_CHOICES];
} lab_drawn;
/* Draws the numbers of a step. */
void lab_step_draw(const lab_step *s, uint64_t seed, lab_drawn *out);
/* Draws the order of the choices for one showing. Fixed choices keep their place. */
void lab_step_shuffle(const lab_step *s, uint64_t seed, lab_drawn *out);
/* Returns the index of the choice at a place. */
size_t lab_choice_at(const lab_drawn *d, size_t place);
/* Returns how many tries a student has. With two choices it is one: the second try would need no
 * thought. */
int lab_question_tries(const lab_question *q);
/* The text with {name} replaced; malloc'ed, the caller frees. */
char *lab_text_fill(const char *text, const lab_drawn *d);
/* Computes the right number of a NUMBER question. Returns false and sets *msg if the lesson's
 * function fails. */
bool lab_step_number(lab *l, const lab_step *s, const lab_drawn *d, double *out, lib_message *msg);
/* Calls a function of the lesson with the drawn numbers. Returns false and sets *msg if it
 * fails. */
bool lab_number_of(lab *l, int ref, const lab_drawn *d, double *out, lib_message *msg);
/* Computes the parameters, at most `max`, of the case to measure. *n 0 means the timed case. */
bool lab_measure_params(lab *l, const lab_measure *m, const lab_drawn *d, grade_param *out,
                        size_t max, size_t *n, lib_message *msg);
/* Calls a model's function. For LANES and BANKMAP, *out is an address in bytes, negative for an
 * inactive lane; for ROUNDS, 1 or 0. */
bool lab_show_model(lab *l, const lab_show *s, const lab_drawn *d, unsigned i, unsigned j,
                    double *out, lib_message *msg);
/* Judges an answer. `truth` is the right number for NUMBER, MEASURED and predictions. *choice is
 * set for choices: an index, or -1 if the answer was not understood. Letters mean the places in d
 * (NULL: the lesson's order). Returns 1: right, 0: wrong, -1: not understood. */
int lab_question_judge(const lab_question *q, const lab_drawn *d, const char *answer, double truth,
                       int *choice);
/* Returns the lesson's reply to this wrong answer, or NULL. If *msg is not empty, the lesson's
 * function failed. */
const lab_text *lab_step_reply(lab *l, const lab_step *s, const lab_drawn *d, const char *answer,
                               lib_message *msg);

#endif
