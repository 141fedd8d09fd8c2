/* An exam: the ticket that a student gets, the questions drawn from it, the record that comes back.
 *
 *   exam.lua + the course's key + a student --exam_ticket--> ticket (JSON): seed, its own key,
 *                                                                 the course's signature
 *   ticket --exam_open--> the questions and labs of this student
 *   answers and files --exam_sign, with the ticket's key--> record (JSON)
 *   record --exam_judge, with the course's key--> points
 *
 * What the signatures are worth: a ticket's seed and key are derived from the course's key.
 * Therefore nobody without this key can make or change a ticket, and a record that was changed
 * after signing is detected. But the ticket's key is on the student's machine. A student who takes
 * the program apart can sign anything as this student, but not as another. Therefore a record has
 * no score: it contains answers and files, which the course judges again. For an exam on the
 * student's own machine, the course cannot know the time, nor whether the exam was begun only
 * once. */
#ifndef WARPLAB_PRACTICE_EXAM_H
#define WARPLAB_PRACTICE_EXAM_H

#include <jansson.h>
#include "runner/base/message.h"
#include "runner/practice/bank.h"

enum {
    EXAM_QUESTIONS = 60,
    EXAM_LABS = 8,
    EXAM_BYTES = 4 << 20, /* of a ticket or a record */
    EXAM_SOURCE = 256 << 10,
    EXAM_ANSWER = 200,
    EXAM_ID = 48,
    EXAM_HEX = 65
};
#define EXAM_GRACE_S 5.0 /* for an answer given just before the end */

/* ---- the course's key ---- */

typedef struct {
    unsigned char bytes[256];
    size_t n;
} exam_key;
/* Reads a key. Returns false and sets *msg if it cannot be read or is too short. */
bool exam_key_read(const char *path, exam_key *k, lib_message *msg);
/* Makes a new key of 32 random bytes that only its owner can read. Never replaces an existing
 * file. */
bool exam_key_make(const char *path, lib_message *msg);

/* ---- tickets ---- */

/* Makes a ticket. spec: the contents of exam.lua as JSON. Returns malloc'ed text; NULL and *msg on
 * an error. */
char *exam_ticket(const char *spec, const char *student, const exam_key *k, int64_t now,
                  lib_message *msg);
/* Returns whether the ticket was made with this key. */
bool exam_ticket_ours(const json_t *ticket, const exam_key *k);

typedef struct {
    bank_item at;
    uint64_t seed;
    double points;
    char key[LAB_QUESTION_KEY];
} exam_question;
typedef struct {
    char lab[LAB_ID_MAX], file[LAB_ID_MAX]; /* file: the lab's name as a file name, without .cu */
    double points;
} exam_lab;
typedef struct {
    char id[EXAM_ID + 1], student[EXAM_ID + 1], title[LIB_LANGS][200];
    char nonce[EXAM_HEX];
    double minutes;
    int64_t opens, closes; /* 0: any time */
    exam_question question[EXAM_QUESTIONS];
    size_t question_count;
    exam_lab lab[EXAM_LABS];
    size_t lab_count;
} exam;
/* Reads a ticket and draws its questions; the bank owns the items. Returns false and sets *msg if
 * it is no ticket, or if the lessons here lack what it asks for. */
bool exam_open(const json_t *ticket, bank *b, exam *e, lib_message *msg);

void exam_moment(int64_t at, char *out, size_t n); /* writes a time in UTC, for people */

/* ---- records ---- */

/* Makes a record. ticket: with its key, which is left out. */
json_t *exam_record(const json_t *ticket, int64_t now, lib_message *msg);
/* Adds an answer. at_s: seconds since the beginning. Returns false if the question is answered or
 * does not exist. */
bool exam_answer(json_t *record, const exam *e, size_t question, const char *answer, double at_s);
/* NULL: not answered */
const char *exam_answered(const json_t *record, const exam *e, size_t question);
/* Sets the file of the lab `id`; the last one counts. */
void exam_file(json_t *record, const char *id, const char *source, double at_s);
/* Signs the record as it is. */
void exam_sign(json_t *record, const json_t *ticket);
char *exam_text(const json_t *json); /* malloc'ed */
/* Reads a ticket or record of at most EXAM_BYTES. Returns NULL and sets *msg on an error. */
json_t *exam_read(const char *path, const char *kind, lib_message *msg);

/* ---- judging ---- */

typedef enum {
    EXAM_GOOD,
    EXAM_FORGED_TICKET, /* not made with this course's key */
    EXAM_CHANGED,       /* changed after signing */
    EXAM_OTHER,         /* the questions here differ: other lessons */
    EXAM_CLOCK          /* its times are impossible */
} exam_state;
typedef struct {
    exam_state state;
    double points, max;              /* of the questions */
    size_t right, wrong, open, late; /* late: answered after the end; not counted */
    bool ended;
} exam_result;
/* Judges the answers and fills *r. Only EXAM_GOOD has points. The caller grades the labs' files. */
void exam_judge(const json_t *record, const exam *e, const exam_key *k, exam_result *r);
/* Returns the file of the lab `id` if it was in time; otherwise NULL. */
const char *exam_source(const json_t *record, const exam *e, const char *id);
double exam_elapsed(const json_t *record); /* time of the last action, in seconds */

#endif
