/* Canvas, "Download Submissions": one folder of
 *
 *   doejane_12345_67890_vector-add.cu        NAME_USER_FILE_(the student's file name)
 *   doejane_LATE_12345_67890_vector-add-1.cu LATE if late; -1: not the first file of this name
 *   anon_x1Y2z_67890_vector-add.cu           with anonymous marking
 *
 * (lib/content_zipper.rb of instructure/canvas-lms: get_filename, add_upload_submission). NAME has
 * letters, digits and underscores, but never _DIGITS_. Therefore the first _DIGITS_DIGITS_ is
 * Canvas's.
 *
 * A download belongs to one assignment. A folder of several downloads, each still in its archive,
 * is accepted, too; layout.level is then 1. Each archive must be Canvas's. Otherwise, in a folder
 * of students' archives, a student could hand in as somebody else by naming files like Canvas. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "grader/intake/import.h"
#include "grader/intake/tree.h"

/* Returns the next underscore if only letters and digits precede it. */
static const char *end_of_word(const char *p) {
    while (isalnum((unsigned char)*p) || (unsigned char)*p >= 0x80) p++;
    return *p == '_' ? p : NULL;
}

bool canvas_find(const layout *l, const char *path, unsigned k, found *f) {
    char top[INTAKE_NAME];
    if (k) return false;
    unsigned depth = layout_component(path, (unsigned)l->level, top);
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
        /* Canvas numbers files in the order in which they arrive. */
        f->order = strtoll(file, NULL, 10);
        /* the student handed in an archive: the file's name is inside */
        const char *given = depth > l->level + 1 ? layout_file(path) : rest;
        layout_put(f->file, given, strlen(given));
        return true;
    }
    return false;
}

/* Checks an archive that was handed over. It contains the items from i to before *end. */
static bool archive_of_canvas(const layout *l, size_t i, size_t *end) {
    const char *top = layout_path(l, i);
    size_t n = strlen(top), all = 0, hits = 0, k;
    found f;
    for (k = i + 1; k < l->count; k++) {
        const char *path = layout_path(l, k);
        if (!path || strncmp(path, top, n) != 0 || path[n] != '/') break;
        if (l->item[k].folder) continue;
        all++;
        hits += canvas_find(l, path, 0, &f);
    }
    *end = k;
    return hits && 2 * hits >= all;
}

/* Returns whether there are at least two archives, all of them Canvas's, and nothing else that
 * could be a student's work. */
static bool several_downloads(const layout *l) {
    size_t archives = 0, end;
    for (size_t i = 0; i < l->count; i = end) {
        const char *path = layout_path(l, i);
        end = i + 1;
        if (!path || (!l->item[i].folder && !l->item[i].source)) continue;
        if (!l->item[i].folder || !tree_is_archive(path) || !archive_of_canvas(l, i, &end))
            return false;
        archives++;
    }
    return archives > 1;
}

bool canvas_is(layout *l) {
    if (layout_mostly(l, canvas_find)) return true;
    l->level = 1;
    if (several_downloads(l)) return true;
    l->level = 0;
    return false;
}
