/* The question bank: every ask and predict step of every lesson, so that questions can be drawn without
 * opening a lab.
 *
 *   labs --bank_open--> bank --bank_find(filter)--> items (lab, step) --bank_draw(seed)--> some of them, each once
 *
 * Lessons are loaded when one of their questions is wanted, and stay so until bank_close(). */
#ifndef WARPLAB_PRACTICE_BANK_H
#define WARPLAB_PRACTICE_BANK_H

#include "runner/lesson/lab.h"

typedef struct bank bank;
bank *bank_open(const char *root);
void bank_close(bank *b);
int bank_chapters(const bank *b); /* the highest chapter that has a lab */

typedef struct {
    lab *lab; /* the bank's */
    const lab_step *step;
    int index; /* of the step */
} bank_item;

typedef struct {
    int chapter;     /* 0: any */
    const char *lab; /* NULL: any */
    bool alone;      /* only what can be understood with nothing before it */
    /* Only what needs no run of a program; else what needs the student's own file is left out all the same. */
    bool quick;
    bool quizzes; /* questions of quizzes too, which count by themselves */
} bank_filter;

/* In the order of labs and steps; malloc'ed, the caller frees. A lesson that does not load has none. */
size_t bank_find(bank *b, const bank_filter *f, bank_item **out);
/* Whether such a question may be asked by itself: its numbers are its own, and it needs no file of the student's. */
bool bank_asks(const lab *l, const lab_step *s);
/* The question that progress calls so; false: the lesson has none such any more. */
bool bank_get(bank *b, const char *lab, const char *key, bank_item *out);
lab *bank_lab_named(bank *b, const char *lab); /* the bank's; NULL: there is none that loads */
/* Puts `want` of the n items first, by the seed; returns how many that are. */
size_t bank_draw(bank_item *items, size_t n, size_t want, uint64_t seed);

#endif
