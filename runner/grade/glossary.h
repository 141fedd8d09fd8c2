/* The words of the field: every counter and figure, and every term that lessons use. One table,
 * glossary.def; the meaning, the unit and the profiler's name of a counter come from its own row
 * (counters.def, derived.def, metrics.def). */
#ifndef WARPLAB_GRADE_GLOSSARY_H
#define WARPLAB_GRADE_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/lang.h"

typedef struct {
    const char *name
        [LIB_LANGS]; /* of a counter: its name as goals have it, and what it is called in Chinese */
    const char *aliases;        /* "a|b": other words for it, in either language; "" */
    const char *doc[LIB_LANGS]; /* one sentence */
    const char *nsight;         /* the profiler's metric or section; "" */
    const char *unit;           /* of a counter; "" */
    const char *lab;            /* that teaches it */
    bool counter;
} glossary_entry;

size_t glossary_count(void);
glossary_entry glossary_at(size_t i);
/* By name or alias in either language, whatever the case, a plural too; then by a title of the
 * pictures `stalls` and `whatif`, which are no rows of the table. False: no such word. */
bool glossary_find(const char *word, glossary_entry *out);
/* A part of a name or an alias. */
bool glossary_holds(const glossary_entry *e, const char *word);

#endif
