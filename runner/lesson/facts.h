/* The facts that the curriculum must teach. labs/facts.txt lists them, and a lesson's `teaches`
 * names those it teaches and where. Thereby a program can check that each fact is taught.
 *
 *   # chapter 1
 *   KEY | source | the fact, in one line */
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

/* Reads labs/facts.txt. A missing file has no facts. Returns false and sets *msg
 * ("labs/facts.txt:12: ...") if the file cannot be read or a line is wrong. Free with
 * lab_facts_free() in either case. */
bool lab_facts_read(const char *root, lab_facts *f, lib_message *msg);
void lab_facts_free(lab_facts *f);
const lab_fact *lab_facts_find(const lab_facts *f, const char *key); /* NULL: there is none */

#endif
