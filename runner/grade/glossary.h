/* The terms of the field: all counters and figures, all terms of lessons, and all titles of the
 * pictures `stalls` and `whatif`. glossary.def lists the terms; the catalogue has their names and
 * meanings. Meaning, unit and profiler's name of a counter are in its own row (counters.def,
 * derived.def, metrics.def). A test checks that the glossary has every name that a picture or table
 * prints (rows "ROOM.name-...", "ROOM.column-..."). */
#ifndef WARPLAB_GRADE_GLOSSARY_H
#define WARPLAB_GRADE_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/lang.h"

enum { GLOSSARY_NAME = 80, GLOSSARY_DOC = 600 };

typedef struct {
    /* in English, a counter's name is the one that goals use */
    char name[LIB_LANGS][GLOSSARY_NAME];
    const char *names[LIB_LANGS];      /* "a|b": the name and its synonyms */
    char doc[LIB_LANGS][GLOSSARY_DOC]; /* one sentence */
    const char *nsight;                /* the profiler's metric or section, or "" */
    const char *unit;                  /* of a counter, or "" */
    const char *lab;                   /* the lab that teaches it */
    bool counter;
} glossary_entry;

size_t glossary_count(void);
glossary_entry glossary_at(size_t i);
/* Finds a word in any language, ignoring case: a name, a synonym, a plural; otherwise a title in
 * the pictures `stalls` and `whatif`, which have no row in the table. Returns false if there is
 * none. */
bool glossary_find(const char *word, glossary_entry *out);
/* Returns whether `word` is a part of the entry's name or of a synonym. */
bool glossary_holds(const glossary_entry *e, const char *word);

#endif
