/* The one writer of JSON: texts, numbers, counters and findings, and a whole object as text.
 *
 *   a grading, profile --json, the debugger's protocol, lists of the command line --> here
 *
 * Names, paths and messages come from outside: from file systems, compilers and students' programs.
 * jansson refuses what is not UTF-8, and with it the whole object that it was to stand in. So every
 * such text goes through json_text() or json_exact(), and never by itself into json_string() or the
 * "s" of json_pack(). The room lies on the grader's floor, the lowest on which anything is written
 * as JSON; the simulated device knows none. */
#ifndef WARPLAB_GRADER_JSON_H
#define WARPLAB_GRADER_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"

/* ---- text.c; each is NULL only when memory ran out ---- */

/* A text that people read: lib_clean()'s of it. NULL counts as "". */
json_t *json_text(const char *s);
/* A path, or what a program printed: as it is, control characters too, where it is UTF-8; else as
 * json_text(). */
json_t *json_exact(const char *s);
/* What is said in each language: {"en": ..., "zh": ...}. */
json_t *json_both(lib_words words);
json_t *json_value(double v);     /* a number; NaN and infinities by name */
json_t *json_u64(uint64_t v);     /* a number, or its digits as a text where it fits no int64_t */
json_t *json_address(uint64_t v); /* "0x7f00" */
json_t *json_three(const unsigned v[3]);
/* Takes over `v`; NULL is written as null. */
void json_set(json_t *o, const char *key, json_t *v);
/* The one way JSON is written: the same object gives the same bytes. With `pretty` in lines that
 * end with a newline. malloc'ed. */
char *json_written(const json_t *o, bool pretty);

/* ---- message.c ---- */

/* {"id": "base.cannot-read", "args": {"path": ..., "error": 2}}; {"text": {"en": ...}} of one without a row. */
json_t *json_message(const lib_message *m);
/* Back, whatever `j` holds (NULL too). False: `m` says that it was not understood. */
bool json_read_message(lib_message *m, const json_t *j);

/* ---- device.c ---- */

/* Counters by name; with those that are 0, with derived ratios. */
json_t *json_counters(const sim_counters *c, bool zeros, bool derived);
/* A source line and what was counted there, zeros left out. */
json_t *json_line(const sim_line *l);
/* A finding with all that is known of it (docs/grading.md, "Counters and findings as JSON"). */
json_t *json_finding(const sim_finding *f);

#endif
