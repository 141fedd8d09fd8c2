/* Where to start: which chapters somebody knows, by questions of theirs.
 *
 *   place_begin --> place_chapter: of which chapter to ask --> place_told(right or wrong) --> ... --> place_start
 *
 * The belief is a probability for each k, "knows chapters 1 to k and no more". Who knows a chapter answers a
 * question of it with PLACE_KNOWN; who does not has `luck`: a guess among the choices, or little for a number. Each
 * question is asked where the belief is halved best, so that ten tell ten chapters apart. */
#ifndef WARPLAB_PRACTICE_PLACE_H
#define WARPLAB_PRACTICE_PLACE_H

#include <stdbool.h>

enum { PLACE_CHAPTERS = 16, PLACE_QUESTIONS = 10 };
#define PLACE_KNOWN       0.85 /* even what is known is answered wrong now and then */
#define PLACE_LUCK_NUMBER 0.1  /* a number or a word by good sense alone */

typedef struct {
    int chapters;
    double p[PLACE_CHAPTERS + 1];
} place_belief;

void place_begin(place_belief *b, int chapters);
/* asked: how many questions of each chapter are left (index 1 on); 0: none to ask. */
int place_chapter(const place_belief *b, const int *left);
/* choices: of the question, 0 for a number or a word. */
void place_told(place_belief *b, int chapter, int choices, bool right);
/* The chapter to begin with: behind the last that is known; chapters + 1 when all are. */
int place_start(const place_belief *b);

#endif
