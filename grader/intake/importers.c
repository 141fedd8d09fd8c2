/* The layouts, the most specific first. A new layout is a row here and a file with its find(). */
#include <string.h>
#include "runner/base/buffer.h"
#include "grader/intake/import.h"
#include "words/base.h"
#include "words/intake.h"

const importer importers[] = {
    {"gradescope", W_INTAKE_LAYOUT_GRADESCOPE, "submission_metadata.yml", "submission_metadata.yml",
     gradescope_is, gradescope_find},
    {"canvas", W_INTAKE_LAYOUT_CANVAS, "instructure/canvas-lms lib/content_zipper.rb", NULL,
     canvas_is, canvas_find},
    {"moodle", W_INTAKE_LAYOUT_MOODLE, "moodle/moodle mod/assign/classes/downloader.php", NULL,
     moodle_is, moodle_find},
    {"prairielearn", W_INTAKE_LAYOUT_PRAIRIELEARN,
     "PrairieLearn/PrairieLearn instructorAssessmentDownloads.tsx", NULL, prairielearn_is,
     prairielearn_find},
    {"classroom", W_INTAKE_LAYOUT_CLASSROOM, "github/gh-classroom student-repos.go", NULL,
     classroom_is, classroom_find},
    {"git", W_INTAKE_LAYOUT_GIT, "git", NULL, git_is, plain_find},
    {"plain", W_INTAKE_LAYOUT_PLAIN, "a course's own", NULL, plain_is, plain_find},
};
const size_t importer_count = sizeof importers / sizeof *importers;

bool intake_importer_known(const char *name) {
    for (size_t i = 0; i < importer_count; i++)
        if (!strcmp(importers[i].name, name)) return true;
    return false;
}

char *intake_importers(lib_lang lang) {
    lib_buffer b = {0};
    for (size_t i = 0; i < importer_count; i++) {
        if (i) lib_buffer_puts(&b, lib_word(lang, W_BASE_LIST_COMMA));
        lib_words_put(&b, lang, w_intake_importer(importers[i].name, importers[i].what));
    }
    return lib_buffer_take(&b);
}
