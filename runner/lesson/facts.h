/* What the curriculum has to teach, so that a machine can say whether it does: labs/facts.txt holds
 * the facts, a lesson's `teaches` names those it teaches and where.
 *
 *   # chapter 1
 *   KEY | where it comes from | the fact, in a line */
#ifndef WARPLAB_FACTS_H
#define WARPLAB_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"

typedef struct {
    int chapter;
    const char *key, *source, *text; /* point into the list's memory */
} lab_fact;
typedef struct {
    lab_fact *v;
    size_t n;
    char *memory;
} lab_facts;

/* False and *msg ("labs/facts.txt:12: ...") when the file cannot be read or a line is wrong; a file
 * that is not there holds no facts. Free with lab_facts_free() either way. */
bool lab_facts_read(const char *root, lab_facts *f, lib_message *msg);
void lab_facts_free(lab_facts *f);
const lab_fact *lab_facts_find(const lab_facts *f, const char *key);

#endif
