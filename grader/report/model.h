/* Reports. The JSON object is the model: every other report is made from it, so that reports of a
 * course can be rebuilt from the records of a batch without grading anything again.
 *
 *   grade_result --report_json.c--> json_t -----------------------------> what teachers read
 *                                      +--student.c--> what a student may know --> the rest
 *
 * student.c is the one place where what happened in hidden cases is left out. */
#ifndef WARPLAB_GRADER_REPORT_H
#define WARPLAB_GRADER_REPORT_H

#include <jansson.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "grader/report.h"
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
bool report_correctness(const json_t *goal); /* it asks for right outputs */
bool report_ungraded(const json_t *o);       /* verdict error: no score may be shown */
/* A verdict ("fail"), or a state of a course's record ("infra_error", "missing"), as a person is told it.
 * One that is not known is 0, and stays as it is. */
lib_word_id report_verdict_word(const char *verdict);
const char *report_verdict(const char *verdict, lib_lang lang);
/* What a student may know of hidden cases: "4 of 6 hidden cases pass"; "" without hidden cases.
 * malloc'ed */
char *report_hidden(const json_t *o, lib_lang lang);

/* What the course's rules made of it: attempt, lateness, what was earned and what counts; "" where
 * they had nothing to say. malloc'ed */
char *report_course(const json_t *o, lib_lang lang);

/* A finding's text; a student's hidden one has none: "seen in a hidden case". */
const char *report_finding(const json_t *finding, lib_lang lang);

/* One of the formats (grader/report.h), from a result's or record's whole object: what its reader may
 * not know is left out here. malloc'ed. */
char *report_write(grade_report_format f, const json_t *o, lib_lang lang);

#endif
