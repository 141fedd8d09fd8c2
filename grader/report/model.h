/* The data behind the reports. All reports are made from one JSON object. Therefore the reports of
 * a course can be rebuilt from the records of a batch without grading again.
 *
 *   grade_result --report_json.c--> json_t -----------------------------> what teachers read
 *                                      +--student.c--> what a student may know --> the rest
 *
 * student.c is the only place that removes what happened in hidden cases. */
#ifndef WARPLAB_GRADER_REPORT_H
#define WARPLAB_GRADER_REPORT_H

#include <jansson.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "grader/report.h"
#include "grader/result.h"

/* Makes the object. NULL only if memory ran out. */
json_t *report_object(const grade_result *r, lib_lang lang);

/* These read a report or record, which may be hostile or old: any field may be missing or have
 * another type. */
const char *report_text(const json_t *o, const char *key); /* "" if there is none */
/* 0 if there is none; understands "NaN" and "infinity" */
double report_number(const json_t *o, const char *key);
bool report_true(const json_t *o, const char *key);
const char *report_said(const json_t *o, lib_lang lang); /* messages.LANG, else message */
/* "Counter: gld_sectors <= 4"; malloc'ed */
char *report_goal_title(const json_t *goal, lib_lang lang);
bool report_correctness(const json_t *goal); /* it asks for right outputs */
bool report_ungraded(const json_t *o);       /* verdict error: no score may be shown */
/* The word for a verdict ("fail") or for the state of a record ("infra_error", "missing"). For an
 * unknown one, the first function returns 0 and the second returns it unchanged. */
lib_word_id report_verdict_word(const char *verdict);
const char *report_verdict(const char *verdict, lib_lang lang);
/* The student's summary of hidden cases: "4 of 6 hidden cases pass"; "" if there are none.
 * malloc'ed. */
char *report_hidden(const json_t *o, lib_lang lang);

/* What the course's rules decided: attempt, lateness, points earned and points that count; "" if
 * nothing. malloc'ed. */
char *report_course(const json_t *o, lib_lang lang);

/* A finding's text; for a student and a hidden finding "seen in a hidden case". */
const char *report_finding(const json_t *finding, lib_lang lang);

/* Writes one of the formats (grader/report.h) from the whole object of a result or record. Removes
 * what its reader may not know. malloc'ed. */
char *report_write(grade_report_format f, const json_t *o, lib_lang lang);

#endif
