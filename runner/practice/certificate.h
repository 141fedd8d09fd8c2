/* A certificate: which labs were passed, with points, speed and day.
 *
 *   progress + lessons --certificate_make--> JSON --certificate_html, certificate_pdf--> a page that has the JSON in it
 *   page --certificate_check--> is it what that JSON makes? is it signed? does the record say the same?
 *
 * The JSON has a digest, which tells slips and edits; with a course's key it has a signature too, which nobody without
 * that key can make. A page is a function of its JSON, so that a page of which a single letter was changed is told. */
#ifndef WARPLAB_PRACTICE_CERTIFICATE_H
#define WARPLAB_PRACTICE_CERTIFICATE_H

#include <jansson.h>
#include "runner/lesson/progress.h"
#include "runner/practice/exam.h"

enum { CERTIFICATE_NAME = 80, CERTIFICATE_BYTES = 4 << 20 };

/* key: NULL for one that is not signed. NULL and *msg: nothing was passed yet. */
json_t *certificate_make(const char *root, progress *p, const char *name, const exam_key *key,
                         lib_lang lang, int64_t now, lib_message *msg);
char *certificate_html(const json_t *c);           /* malloc'ed */
char *certificate_pdf(const json_t *c, size_t *n); /* malloc'ed */

typedef struct {
    bool intact;           /* it is what its JSON makes, and the digest is right */
    bool signed_, key_own; /* it has a signature; which the key at hand made */
    size_t labs,
        in_record; /* how many of its labs this machine's record has passed, with as many points */
    json_t *json;  /* free with json_decref() */
} certificate_checked;
/* False and *msg: it is no certificate at all. key, p: may be NULL. */
bool certificate_check(const char *bytes, size_t n, const exam_key *key, progress *p,
                       certificate_checked *out, lib_message *msg);

#endif
