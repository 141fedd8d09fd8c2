/* The words of the field: every counter and figure, every term that lessons use, and every title of the
 * pictures `stalls` and `whatif`. Which there are is in glossary.def, what they are called and mean in the
 * catalogue; the meaning, the unit and the profiler's name of a counter come from its own row
 * (counters.def, derived.def, metrics.def). A test holds that it knows each name that a picture or a
 * table prints, the rows "ROOM.name-...", "ROOM.column-..." and so on. */
#ifndef WARPLAB_GRADE_GLOSSARY_H
#define WARPLAB_GRADE_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/lang.h"

enum { GLOSSARY_NAME = 80, GLOSSARY_DOC = 400 };

typedef struct {
    char name[LIB_LANGS][GLOSSARY_NAME]; /* a counter's in English is what goals call it */
    const char *names[LIB_LANGS];        /* "a|b": the name, and other words for it */
    char doc[LIB_LANGS][GLOSSARY_DOC];   /* one sentence */
    const char *nsight;                  /* the profiler's metric or section; "" */
    const char *unit;                    /* of a counter; "" */
    const char *lab;                     /* that teaches it */
    bool counter;
} glossary_entry;

size_t glossary_count(void);
glossary_entry glossary_at(size_t i);
/* By name or another word for it in any language, whatever the case, a plural too; then by a title of
 * the pictures `stalls` and `whatif`, which are no rows of the table. False: no such word. */
bool glossary_find(const char *word, glossary_entry *out);
/* A part of a name, or of another word for it. */
bool glossary_holds(const glossary_entry *e, const char *word);

#endif
