/* PrairieLearn, an assessment's *_all_files.zip, *_final_files.zip and *_best_files.zip:
 *
 *   Homework1/jane@uni.example_1_gpu/vector-add_1_3_70012_vector-add.cu
 *             UID INSTANCE QID VARIANT NUMBER SUBMISSION FILE
 *
 * (apps/prairielearn/src/pages/instructorAssessmentDownloads/instructorAssessmentDownloads.tsx of
 * PrairieLearn/PrairieLearn: extractFilesForSubmissions). The name of a question may contain
 * slashes, which become folders. A UID is an e-mail address, whose host has no underscore.
 * SUBMISSION grows with time. */
#include <stdlib.h>
#include <string.h>
#include "grader/intake/import.h"

/* Returns what follows "_VARIANT_NUMBER_SUBMISSION_" at p, or NULL. */
static const char *three(const char *p, const char **submission) {
    const char *number = *p == '_' ? layout_digits(p + 1, '_') : NULL;
    *submission = number ? layout_digits(number, '_') : NULL;
    return *submission ? layout_digits(*submission, '_') : NULL;
}

bool prairielearn_find(const layout *l, const char *path, unsigned k, found *f) {
    const char *at = strchr(path, '@'), *end = at ? strchr(at, '_') : NULL, *submission,
               *qid = end ? layout_digits(end + 1, '_') : NULL, *slash = strchr(path, '/');
    (void)l;
    if (k || !qid || at == path || (slash && slash < qid)) return false;
    for (const char *p = strchr(qid, '_'); p; p = strchr(p + 1, '_')) {
        const char *file = three(p, &submission);
        if (!file || !*file) continue;
        *f = (found){0};
        layout_put(f->student, path, (size_t)(end - path));
        f->order = strtoll(submission, NULL, 10);
        const char *name = layout_file(file), *base = qid;
        for (const char *s = qid; s < p; s++)
            if (*s == '/') base = s + 1;
        layout_put(f->lab, base, (size_t)(p - base));
        layout_put(f->file, name, strlen(name));
        return true;
    }
    return false;
}

bool prairielearn_is(layout *l) {
    return layout_mostly(l, prairielearn_find);
}
