/* A lab as the runner holds it: what a lesson file (labs/ID.lua) declares, checked and ready to
 * show, grade and prove.
 *
 *   labs/ID.lua --lua_lesson.c: restricted Lua--> Lua table
 *               --lua_lab.c, lua_grade.c, lua_steps.c: fields, types, both languages--> struct lab
 *
 * A lab owns its Lua state, because numbers drawn afresh, answers and models of pictures may be Lua
 * functions; every call into it goes through the functions below, which never raise a Lua error and
 * never run longer than a lesson may. Texts are UTF-8 in two languages: text[LIB_EN],
 * text[LIB_ZH]; light markup (`code`, *strong*, paragraphs parted by an empty line, lines that
 * start with four spaces stand as they are); {name} stands for a number drawn afresh. */
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

/* A program of the lesson's own, kernels/NAME.cu with an entry that is not the lab's. */
typedef struct lab_program {
    grade_lab lab;        /* entry and arguments; no cases, no goals */
    const char *baseline; /* "kernels/NAME.cu" to compare with, or NULL: itself */
    struct lab_program *next;
} lab_program;

/* A launch that a question, a prediction or a picture is about: which program, and on which
 * case. */
typedef struct {
    lab_source of;
    const char *file; /* LAB_OF_FILE: "kernels/NAME.cu", with the lab's entry */
    /* the case's parameters (a table, or a function of the drawn numbers), or 0: the timed case */
    int params_ref;
    const char *counter;        /* name of a counter or derived ratio */
    const char *device;         /* "sim:g80"; NULL: the student's */
    const lab_program *program; /* NULL: the lab's entry and arguments */
} lab_measure;

typedef struct {
    lab_text text, because; /* because: said once this choice was taken */
    bool right;
    bool fixed; /* stands where the lesson put it */
} lab_choice;

/* What is said to one wrong answer in particular. */
typedef struct {
    double number; /* when ref is 0 and there is no form */
    int ref;       /* a function of the drawn numbers */
    const char *const *accept;
    size_t accept_count; /* of a text: its forms */
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
    /* whole numbers lo..hi that are multiples of `multiple`; or one of `from` */
    double lo, hi, multiple;
    const double *from;
    size_t from_count;
} lab_draw;

typedef struct {
    lab_answer_kind kind;
    const lab_choice *choices;
    size_t choice_count;
    const char *const *accept;
    size_t accept_count; /* TEXT: accepted forms, compared without case, spaces and punctuation */
    double number;       /* NUMBER, when answer_ref is 0 */
    int answer_ref;      /* NUMBER: a function of the drawn numbers */
    lab_measure measure; /* MEASURED, and every prediction */
    double tolerance;    /* relative for numbers; 0: exact */
    const char *unit;    /* "" or shown behind the number */
    lab_text because;    /* said after the answer, right or wrong */
    bool ordered;        /* choices stand as the lesson has them */
    const lab_reply *replies;
    size_t reply_count;
} lab_question;

/* ---- pictures ---- */

typedef enum {
    LAB_PIC_SECTORS,    /* measured: sectors per request and the bytes used in them, line by line */
    LAB_PIC_BANKS,      /* measured: wavefronts per shared request, line by line */
    LAB_PIC_DIVERGENCE, /* measured: active lanes, line by line in the order of the source */
    LAB_PIC_OCCUPANCY,  /* measured: what limits resident blocks */
    LAB_PIC_ROOFLINE,   /* measured: operations per byte against the device's roofs */
    LAB_PIC_TIMELINE,   /* measured: copies and streams against time */
    LAB_PIC_WHATIF,     /* measured: what is left of the time without each of its costs */
    LAB_PIC_STALLS,     /* measured: what warps waited for, and at which lines */
    LAB_PIC_CALCULATOR, /* occupancy over block size and registers; measured unless given */
    LAB_PIC_COUNTERS,   /* measured: a table of named counters, mine beside another program's */
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
    unsigned registers, shared, block; /* CALCULATOR: given, not measured, when registers > 0 */
    int model_ref;                     /* LANES, BANKMAP, ROUNDS */
    unsigned lanes, rounds;            /* of the model */
} lab_show;

/* ---- steps ---- */

typedef enum { LAB_SAY, LAB_ASK, LAB_PREDICT, LAB_SHOW, LAB_EXERCISE, LAB_COMPARE } lab_step_kind;
extern const char *const lab_step_name[6];

typedef struct {
    lab_step_kind kind;
    unsigned line; /* in the lesson file */
    uint64_t hash; /* of its fields, texts and functions left out */
    lab_text text;
    const lab_draw *draws;
    size_t draw_count;
    unsigned group;             /* steps of one group speak of the same numbers; 0: of its own */
    lab_question question;      /* ASK, PREDICT */
    bool alone;                 /* ASK: can be understood with nothing before it */
    lab_show show;              /* SHOW, and COMPARE (as COUNTERS) */
    const char *const *teaches; /* facts; they are in the lab's list too */
    size_t teach_count;
} lab_step;

/* A fact of labs/facts.txt and the parts of the lesson that teach it. */
typedef struct {
    const char *fact, *where; /* "ask show after" */
} lab_taught;

/* Where `debug` opens, and what is said there. */
typedef struct {
    size_t number;         /* of the public case; 0: the lesson says nothing of all this */
    const char *const *at; /* texts: the first line with the first of them that the file has */
    size_t at_count;       /* 0: it stops at the first finding */
    lab_text text;
} lab_debug;

typedef struct lab_state lab_state; /* the Lua state and the arena of the texts */

/* Languages of a lesson: both, or the one that its pack says. */
typedef enum { LAB_BOTH, LAB_ONLY_EN, LAB_ONLY_ZH } lab_only;

typedef struct lab {
    char id[LAB_ID_MAX]; /* PACK/LAB when it is a pack's */
    lab_text title;
    lab_only only; /* a text that the other language has not is this one's */
    int chapter;
    int minutes;
    const char *const *needs;
    size_t need_count;
    const char *source; /* where the lesson's facts come from, or "" */
    const lab_taught *taught;
    size_t taught_count; /* sorted by fact */
    const lab_step *steps;
    size_t step_count;
    lab_text hints[LAB_HINTS];
    const char *hint_goal[LAB_HINTS]; /* the goal that a hint is about, by name; NULL: the whole */
    lab_debug debug;
    lab_text after, more; /* once passed: the explanation, and "try this" */
    grade_lab grade;      /* what the grader asks; points into this lab */
    /* Scored by its questions at the prompt: no exercise, no file. Its only goal is `answers`. */
    bool quiz;
    const lab_measure *asked; /* for each goal, what its answer is measured on */
    lab_program *programs;    /* of all its measures */
    uint64_t hash;            /* of all that the grader asks: everything but texts and steps */
    /* files, absolute */
    char root[512]; /* holds labs/, kernels/, answers/: Warplab's folder or the pack's */
    char lesson_path[512], skeleton_path[512], baseline_path[512], answer_path[512], traps_dir[512];
    lab_state *state;
    struct timespec written; /* when its file was last written, as it was read */
    unsigned holds;          /* owners besides the first */
} lab;

/* What a list shows: read without checking the rest of the file. */
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
    bool broken; /* the file does not load: `why` says so */
    lib_message why;
} lab_header;

/* root: the folder that holds labs/, kernels/ and answers/. NULL and *msg ("labs/ID.lua:12:
 * expected ..., found ...") on failure. */
lab *lab_load(const char *root, const char *id, lib_message *msg);
/* A lab of a pack that is not installed: `folder` holds pack.lua. */
lab *lab_load_from(const char *folder, const char *pack, const char *id, lib_message *msg);
/* One more owner: the lab lives until each owner has called lab_free(). Returns it. */
lab *lab_hold(lab *l);
void lab_free(lab *l);
/* Was the lesson's file written since it was read? True once for each change. */
bool lab_changed(lab *l);
/* What progress calls a question: the same as long as its English text is. */
enum { LAB_QUESTION_KEY = 17 };
void lab_question_key(const lab_step *s, char key[LAB_QUESTION_KEY]);
bool lab_step_asks(const lab_step *s); /* ask, predict */
/* Every lab under root, sorted by chapter, then by what needs what, then by id; behind them those of the
 * packs, pack by pack, in its order. malloc'ed; the caller frees. */
size_t lab_list(const char *root, lab_header **out);
/* The lab that somebody means: ID, PACK/LAB, LAB when just one pack has such a lab and Warplab has none, or its title
 * in any language; malloc'ed id. NULL and *msg, with what there is. */
char *lab_find(const char *root, const char *typed, lib_message *msg);
/* True when labs/ID.lua is there. */
bool lab_exists(const char *root, const char *id);
/* Up to three ids close to a mistyped one, a line each; "" when none is. */
void lab_suggest(const char *root, const char *id, char *out, size_t n);

/* Numbers drawn for one showing of a step: the same seed draws the same numbers. */
enum { LAB_DRAWS = 8 };
typedef struct {
    size_t count;
    grade_param p[LAB_DRAWS];
    /* 0: choices stand as the lesson has them; else which of them stands at each place */
    size_t order_count;
    unsigned char order[LAB_CHOICES];
} lab_drawn;
void lab_step_draw(const lab_step *s, uint64_t seed, lab_drawn *out);
/* The choices for one showing: those that are not fixed change places. */
void lab_step_shuffle(const lab_step *s, uint64_t seed, lab_drawn *out);
/* The choice (index) that stands at a place. */
size_t lab_choice_at(const lab_drawn *d, size_t place);
/* How many tries a person has: with two choices the second would tell nothing. */
int lab_question_tries(const lab_question *q);
/* The text with {name} replaced; malloc'ed, the caller frees. */
char *lab_text_fill(const char *text, const lab_drawn *d);
/* The accepted number of a NUMBER question. False and *msg: the lesson's function failed. */
bool lab_step_number(lab *l, const lab_step *s, const lab_drawn *d, double *out, lib_message *msg);
/* What a function of the lesson gives for the drawn numbers. */
bool lab_number_of(lab *l, int ref, const lab_drawn *d, double *out, lib_message *msg);
/* The case a measure is taken on: up to `max` parameters; 0 of them means the timed case. */
bool lab_measure_params(lab *l, const lab_measure *m, const lab_drawn *d, grade_param *out,
                        size_t max, size_t *n, lib_message *msg);
/* A model picture's function: LANES, BANKMAP: out = address in bytes (negative: the lane is
 * inactive); ROUNDS: 1 or 0. */
bool lab_show_model(lab *l, const lab_show *s, const lab_drawn *d, unsigned i, unsigned j,
                    double *out, lib_message *msg);
/* Is `answer` right? `truth`: the number for NUMBER, MEASURED and predictions. *choice is set for
 * choices (index, -1: not understood); letters are those of the places in d (NULL: as the lesson has
 * them). Returns 1 right, 0 wrong, -1 not understood. */
int lab_question_judge(const lab_question *q, const lab_drawn *d, const char *answer, double truth,
                       int *choice);
/* What the lesson says to this wrong answer, or NULL. *msg, when not empty: its function failed. */
const lab_text *lab_step_reply(lab *l, const lab_step *s, const lab_drawn *d, const char *answer,
                               lib_message *msg);

#endif
