/* The only code that writes JSON: texts, numbers, counters and findings, and whole objects as text.
 *
 *   a grading, profile --json, the debugger's protocol, lists of the command line --> here
 *
 * Names, paths and messages come from outside: from file systems, compilers and students' programs.
 * jansson rejects a text that is not UTF-8, and with it the whole object that would contain it.
 * Therefore all such texts must go through json_text() or json_exact(), never directly into
 * json_string() or the "s" of json_pack(). The room is on the grader's floor because this is the
 * lowest floor that writes JSON; the simulated device writes none. */
#ifndef WARPLAB_GRADER_JSON_H
#define WARPLAB_GRADER_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"

/* ---- text.c; each function returns NULL only if memory ran out ---- */

/* A text for people, cleaned by lib_clean(). NULL counts as "". */
json_t *json_text(const char *s);
/* A path or a program's output, unchanged (with control characters) if it is UTF-8; otherwise as
 * json_text() makes it. */
json_t *json_exact(const char *s);
/* The words in each language: {"en": ..., "zh": ...}. */
json_t *json_both(lib_words words);
json_t *json_value(double v);     /* a number; NaN and infinities as their names */
json_t *json_u64(uint64_t v);     /* a number; as digits in a text if it exceeds int64_t */
json_t *json_address(uint64_t v); /* "0x7f00" */
json_t *json_three(const unsigned v[3]);
/* Takes over `v`; NULL is written as null. */
void json_set(json_t *o, const char *key, json_t *v);
/* Writes an object. The same object always gives the same bytes. `pretty` writes lines, with a
 * newline at the end. malloc'ed. */
char *json_written(const json_t *o, bool pretty);

/* ---- message.c ---- */

/* {"id": "base.cannot-read", "args": {"path": ..., "error": 2}}; or {"text": {"en": ...}} if the
 * message has no row in the catalogue. */
json_t *json_message(const lib_message *m);
/* The reverse, for any `j` (also NULL). Returns false if `j` is not a message; `m` then says so. */
bool json_read_message(lib_message *m, const json_t *j);

/* ---- device.c ---- */

/* Counters by name; optionally with zeros and with derived ratios. */
json_t *json_counters(const sim_counters *c, bool zeros, bool derived);
/* A source line with its counters, without zeros. */
json_t *json_line(const sim_line *l);
/* A finding with all its fields (docs/grading.md, "Counters and findings as JSON"). */
json_t *json_finding(const sim_finding *f);

#endif
