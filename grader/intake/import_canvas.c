/* Canvas, "Download Submissions": one folder of
 *
 *   doejane_12345_67890_vector-add.cu        NAME_USER_FILE_what the student called it
 *   doejane_LATE_12345_67890_vector-add-1.cu LATE where it was; -1 where they had a file of that name
 *   anon_x1Y2z_67890_vector-add.cu           where marking is anonymous
 *
 * (lib/content_zipper.rb of instructure/canvas-lms: get_filename, add_upload_submission). NAME has
 * letters, digits and underscores, but never _DIGITS_; so the first _DIGITS_DIGITS_ is Canvas's. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "grader/intake/import.h"

/* The next underscore, if letters and digits alone come before it. */
static const char *end_of_word(const char *p) {
    while (isalnum((unsigned char)*p) || (unsigned char)*p >= 0x80) p++;
    return *p == '_' ? p : NULL;
}

bool canvas_find(const layout *l, const char *path, unsigned k, found *f) {
    char top[INTAKE_NAME];
    (void)l;
    if (k) return false;
    layout_component(path, 0, top);
    for (const char *p = top; (p = end_of_word(p)) && *p == '_'; p++) {
        const char *user = p + 1, *file = layout_digits(user, '_'),
                   *rest = file ? layout_digits(file, '_') : NULL;
        bool anonymous = !strncmp(top, "anon_", 5) && p == top + 4;
        if (anonymous) { /* the id has letters, and there is no name */
            file = strchr(user, '_');
            file = file ? file + 1 : NULL;
            rest = file ? layout_digits(file, '_') : NULL;
        }
        if (!rest || !*rest) continue;
        *f = (found){0};
        layout_put(f->student, user, (size_t)(file - 1 - user));
        size_t n = (size_t)(p - top);
        f->late = n > 5 && !memcmp(p - 5, "_LATE", 5);
        if (!anonymous) layout_put(f->name, top, f->late ? n - 5 : n);
        /* Canvas numbers files as they come. */
        f->order = strtoll(file, NULL, 10);
        /* an archive that a student handed in: the file's name is inside */
        const char *inside = layout_file(path);
        layout_put(f->file, inside == path ? rest : inside, strlen(inside == path ? rest : inside));
        return true;
    }
    return false;
}

bool canvas_is(layout *l) {
    return layout_mostly(l, canvas_find);
}
