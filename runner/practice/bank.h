/* The question bank: all questions and predictions of all lessons, so that questions can be drawn
 * without opening a lab.
 *
 *   labs --bank_open--> bank --bank_find(filter)--> items (lab, step)
 *        --bank_draw(seed)--> some of them, each once
 *
 * A lesson is loaded when one of its questions is needed, and stays loaded until bank_close(). */
#ifndef WARPLAB_PRACTICE_BANK_H
#define WARPLAB_PRACTICE_BANK_H

#include "runner/lesson/lab.h"

typedef struct bank bank;
/* root: as in lab_list(); it must exist until bank_close(). */
bank *bank_open(const char *root);
void bank_close(bank *b);
int bank_chapters(const bank *b); /* the highest chapter that has a lab */

typedef struct {
    lab *lab; /* owned by the bank */
    const lab_step *step;
    int index; /* of the step */
} bank_item;

typedef struct {
    int chapter;     /* 0: any */
    const char *lab; /* NULL: any */
    bool alone;      /* only questions that can be understood without the steps before them */
    /* Only questions without a run of a program. Otherwise questions about the student's file are
     * left out nevertheless. */
    bool quick;
    bool quizzes; /* also questions of quizzes */
} bank_filter;

/* Finds questions, in the order of labs and steps. Returns their number; *out is malloc'ed, and the
 * caller frees it. A lesson that does not load has no questions. */
size_t bank_find(bank *b, const bank_filter *f, bank_item **out);
/* Returns whether a question may be asked on its own: it needs no numbers of an earlier step and no
 * file of the student. */
bool bank_asks(const lab *l, const lab_step *s);
/* Finds a question by its key in the progress. Returns false if the lesson no longer has it. */
bool bank_get(bank *b, const char *lab, const char *key, bank_item *out);
/* owned by the bank; NULL: there is none, or it does not load */
lab *bank_lab_named(bank *b, const char *lab);
/* Puts `want` of the n items first, chosen by the seed. Returns their number, which is less if n
 * is. */
size_t bank_draw(bank_item *items, size_t n, size_t want, uint64_t seed);

#endif
