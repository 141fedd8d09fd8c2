/* A certificate: the passed labs with points, speed and day.
 *
 *   progress + lessons --certificate_make--> JSON
 *        --certificate_html, certificate_pdf--> a page that contains the JSON
 *   page --certificate_check--> equal to what its JSON makes? signed? same as the record?
 *
 * The JSON has a digest, which shows errors and edits. With a course's key it also has a signature,
 * which cannot be made without the key. A page is a function of its JSON, so a change of any letter
 * of the page is found. */
#ifndef WARPLAB_PRACTICE_CERTIFICATE_H
#define WARPLAB_PRACTICE_CERTIFICATE_H

#include <jansson.h>
#include "runner/lesson/progress.h"
#include "runner/practice/exam.h"

enum { CERTIFICATE_NAME = 80, CERTIFICATE_BYTES = 4 << 20 };

/* The name of the user's account. */
void certificate_usual_name(char *out, size_t n);
/* key: NULL for an unsigned certificate. Returns NULL and sets *msg if no lab is passed. */
json_t *certificate_make(const char *root, progress *p, const char *name, const exam_key *key,
                         lib_lang lang, int64_t now, lib_message *msg);
char *certificate_html(const json_t *c);           /* malloc'ed */
char *certificate_pdf(const json_t *c, size_t *n); /* malloc'ed */

typedef struct {
    bool intact;           /* the page is what its JSON makes, and the digest is right */
    bool signed_, key_own; /* it has a signature; made with the given key */
    size_t labs,
        in_record; /* labs that this machine's record has as passed, with the same points */
    json_t *json;  /* free with json_decref() */
} certificate_checked;
/* Checks a page. Returns false and sets *msg if it is no certificate. key and p may be NULL. */
bool certificate_check(const char *bytes, size_t n, const exam_key *key, progress *p,
                       certificate_checked *out, lib_message *msg);

#endif
