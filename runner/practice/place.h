/* Finds the chapter to start with, by questions that show which chapters a student knows.
 *
 *   place_begin --> place_chapter: the chapter to ask about --> place_told(right or wrong) --> ...
 *               --> place_start
 *
 * The belief is a probability for each k, "knows chapters 1 to k and no more". A student who knows
 * a chapter answers its questions with probability PLACE_KNOWN; otherwise with the probability of a
 * guess among the choices, or PLACE_LUCK_NUMBER. Each question is from the chapter that is known
 * with a probability nearest to one half. Ten questions can thereby distinguish ten chapters. */
#ifndef WARPLAB_PRACTICE_PLACE_H
#define WARPLAB_PRACTICE_PLACE_H

#include <stdbool.h>

enum { PLACE_CHAPTERS = 16, PLACE_QUESTIONS = 10 };
#define PLACE_KNOWN       0.85 /* even known things are sometimes answered wrong */
#define PLACE_LUCK_NUMBER 0.1  /* a number or a word by common sense */

typedef struct {
    int chapters;
    double p[PLACE_CHAPTERS + 1];
} place_belief;

/* Starts with the same probability for each k. chapters: 1 to PLACE_CHAPTERS. */
void place_begin(place_belief *b, int chapters);
/* Returns the chapter of the next question. left: remaining questions of each chapter, from index
 * 1; returns 0 if there are none. */
int place_chapter(const place_belief *b, const int *left);
/* Updates the belief. choices: number of choices; 0 for a number or a word. */
void place_told(place_belief *b, int chapter, int choices, bool right);
/* Returns the chapter to start with: the one after the last that is known; chapters + 1 if all are
 * known. */
int place_start(const place_belief *b);

#endif
