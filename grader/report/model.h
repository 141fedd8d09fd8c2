/* Reports. The JSON object is the model: every other report is made from it, so that reports of a
 * course can be rebuilt from the records of a batch without grading anything again.
 *
 *   grade_result --report_json.c--> json_t --------------------------------------> instructor's page
 *                                      +--student.c--> what a student may know --> every other text
 *
 * student.c is the one place where what happened in hidden cases is left out. */
#ifndef WARPLAB_GRADER_REPORT_H
#define WARPLAB_GRADER_REPORT_H

#include <jansson.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "grader/result.h"

/* NULL only when memory ran out. */
json_t *report_object(const grade_result *r, lib_lang lang);

/* Reading a report or record back: hostile or old, any field may be missing or of another type. */
const char *report_text(const json_t *o, const char *key); /* "" when there is none */
double report_number(const json_t *o, const char *key); /* 0; "NaN" and "infinity" are understood */
bool report_true(const json_t *o, const char *key);
const char *report_said(const json_t *o, lib_lang lang); /* messages.LANG, else message */
/* "Counter: gld_sectors <= 4"; malloc'ed */
char *report_goal_title(const json_t *goal, lib_lang lang);
bool report_ungraded(const json_t *o); /* verdict error: no score may be shown */
/* What a student may know of hidden cases: "4 of 6 hidden cases pass"; "" without hidden cases.
 * malloc'ed */
char *report_hidden(const json_t *o, lib_lang lang);

/* What the course's rules made of it: attempt, lateness, what was earned and what counts; "" where
 * they had nothing to say. malloc'ed */
char *report_course(const json_t *o, lib_lang lang);

/* A finding's text; a student's hidden one has none: "seen in a hidden case". */
const char *report_finding(const json_t *finding, lib_lang lang);

/* The formats that students read. */
typedef enum {
    REPORT_JUNIT,
    REPORT_GRADESCOPE,
    REPORT_PRAIRIELEARN,
    REPORT_CLASSROOM,
    REPORT_AUTOLAB,
    REPORT_STUDENT_HTML,
    REPORT_FORMATS
} report_format;
/* One of them, from a result's or record's whole object; malloc'ed. */
char *report_write(report_format f, const json_t *o, lib_lang lang);
/* the instructor's page, with all that is known of hidden cases */
char *report_instructor(const json_t *o, lib_lang lang);

#endif
