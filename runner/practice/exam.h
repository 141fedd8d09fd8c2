/* An exam: the ticket that a student gets, the questions that it draws, the record that comes back.
 *
 *   exam.lua + the course's key + a student --exam_ticket--> ticket (JSON): seed, a key of its own, the course's signature
 *   ticket --exam_open--> the questions and labs of just this student
 *   answers and files --exam_sign, with the ticket's key--> record (JSON) --exam_judge, with the course's key--> points
 *
 * What the signatures are worth. A ticket's seed and key are made of the course's key, so nobody without that makes or
 * changes a ticket, and a record that was changed after it was signed is told. The ticket's key lies on the student's
 * machine, so whoever takes the program apart can sign what they like for themselves, never for somebody else. Therefore
 * no score is in a record: it holds answers and files, which the course's side judges anew. What it cannot know of an
 * exam on the student's own machine is the time, and that it was begun only once. */
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
#define EXAM_GRACE_S 5.0 /* an answer that was on its way when the clock ran out */

/* ---- the course's key ---- */

typedef struct {
    unsigned char bytes[256];
    size_t n;
} exam_key;
bool exam_key_read(const char *path, exam_key *k, lib_message *msg);
/* A new one of 32 random bytes, readable by its owner alone; never over one that is there. */
bool exam_key_make(const char *path, lib_message *msg);

/* ---- tickets ---- */

/* spec: what exam.lua says, as JSON. malloc'ed text; NULL and *msg. */
char *exam_ticket(const char *spec, const char *student, const exam_key *k, int64_t now,
                  lib_message *msg);
bool exam_ticket_ours(const json_t *ticket, const exam_key *k);

typedef struct {
    bank_item at;
    uint64_t seed;
    double points;
    char key[LAB_QUESTION_KEY];
} exam_question;
typedef struct {
    char lab[LAB_ID_MAX], file[LAB_ID_MAX]; /* file: its name as one of a file, less .cu */
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
/* Reads the ticket and draws its questions; the items are the bank's. False and *msg: the ticket is none, or the lessons
 * here have not what it asks for. */
bool exam_open(const json_t *ticket, bank *b, exam *e, lib_message *msg);

void exam_moment(int64_t at, char *out, size_t n); /* for a person, in UTC */

/* ---- records ---- */

/* ticket: with its key, which is left out. */
json_t *exam_record(const json_t *ticket, int64_t now, lib_message *msg);
/* at_s: since the beginning. False: that question has its answer, or there is none such. */
bool exam_answer(json_t *record, const exam *e, size_t question, const char *answer, double at_s);
const char *exam_answered(const json_t *record, const exam *e, size_t question); /* NULL: open */
/* The file of the lab `id` as it is now; the last one counts. */
void exam_file(json_t *record, const char *id, const char *source, double at_s);
/* Signs it as it is. */
void exam_sign(json_t *record, const json_t *ticket);
char *exam_text(const json_t *json); /* malloc'ed */
/* A ticket or record of at most EXAM_BYTES. NULL and *msg. */
json_t *exam_read(const char *path, const char *kind, lib_message *msg);

/* ---- judged ---- */

typedef enum {
    EXAM_GOOD,
    EXAM_FORGED_TICKET, /* not of this course's key */
    EXAM_CHANGED,       /* not as it was signed */
    EXAM_OTHER,         /* other lessons than here: the questions are not those */
    EXAM_CLOCK          /* its times cannot be */
} exam_state;
typedef struct {
    exam_state state;
    double points, max;              /* of the questions */
    size_t right, wrong, open, late; /* late: answered after the clock; not counted */
    bool ended;
} exam_result;
/* Fills *r; what is not GOOD has no points. The labs' files are left to whoever can run them. */
void exam_judge(const json_t *record, const exam *e, const exam_key *k, exam_result *r);
/* The file of the lab `id` that was in time; NULL: none. */
const char *exam_source(const json_t *record, const exam *e, const char *id);
double exam_elapsed(const json_t *record); /* by the last thing that was done */

#endif
