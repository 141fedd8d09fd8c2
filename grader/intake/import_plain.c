/* A course's own layout, without a system:
 *
 *   STUDENT/LAB.cu   STUDENT/attempt2/LAB.cu   STUDENT/2026-10-01T23-58/LAB.cu   STUDENT.zip
 *
 * In a folder, the outermost folder or archive is the student. In an archive of a whole course, the
 * student is the folder at the level of the shallowest submission. A folder inside it still belongs
 * to this student. Folders whose names mean attempts are not students. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "grader/intake/import.h"
#include "grader/intake/tree.h"
#include "grader/intake/when.h"
#include "words/intake.h"

/* "attempt2", "Attempt 2", "submission_3", "try-1", "v4", "2", the word in another language, or a
 * time, with - where file systems allow no colon. */
static bool is_attempt(const char *name, int zone, found *f) {
    static const char *const words[] = {"attempt", "submission", "version", "try", "v", ""};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (strncasecmp(name, words[i], n) != 0) continue;
        const char *p = name + n + strspn(name + n, n ? " _-" : "");
        size_t digits = strspn(p, "0123456789");
        if (digits && digits < 6 && !p[digits]) {
            f->order = strtoll(p, NULL, 10) + 1; /* 0 means unknown */
            return true;
        }
    }
    char text[INTAKE_NAME];
    long long n = strtoll(name + strcspn(name, "0123456789"), NULL, 10);
    for (int l = 0; n < 100000 && l < 2 * LIB_LANGS; l++) {
        lib_words called = l % 2 ? w_intake_attempt_short(n) : w_intake_attempt(n);
        if (strcasecmp(lib_words_text(text, sizeof text, (lib_lang)(l / 2), called), name) != 0)
            continue;
        f->order = n + 1;
        return true;
    }
    layout_put(text, name, strlen(name));
    if (strlen(text) > 13 && strchr("T_ ", text[10])) {
        text[10] = 'T';
        for (size_t i = 11; i < 17 && text[i]; i++)
            if (text[i] == '-' || text[i] == '_' || text[i] == '.') text[i] = ':';
    }
    f->timed = isdigit((unsigned char)*text) && when_read(text, zone, &f->time);
    return f->timed;
}

/* Returns the depth of a submission. For several files it is that of their folder. */
static size_t depth_of(const layout *l, const char *path) {
    char lab[INTAKE_NAME];
    unsigned depth = layout_component(path, 0, lab);
    layout_lab_folder(l, path, lab);
    return *lab ? depth - 1 : depth;
}

bool plain_is(layout *l) {
    char name[INTAKE_NAME];
    found f = {0};
    size_t least = SIZE_MAX;
    l->level = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!l->item[i].source) continue;
        size_t depth = depth_of(l, l->item[i].path);
        if (depth >= 2 && depth - 2 < least) least = depth - 2;
    }
    if (least == SIZE_MAX) return false;
    if (!l->archive) return true;
    for (l->level = least; l->level; l->level--) {
        bool attempts = true;
        for (size_t i = 0; attempts && i < l->count; i++)
            if (l->item[i].source && depth_of(l, l->item[i].path) >= l->level + 2) {
                layout_component(l->item[i].path, (unsigned)l->level, name);
                attempts = is_attempt(name, 0, &f);
            }
        if (!attempts) break;
    }
    return true;
}

/* `path` is the complete path, because a folder around everything may be the student's. */
bool plain_find(const layout *l, const char *path, unsigned k, found *f) {
    char name[INTAKE_NAME];
    unsigned depth = layout_component(path, (unsigned)l->level, name);
    const char *file = layout_file(path);
    *f = (found){0};
    if (k || depth < l->level + 2) return false;
    tree_strip(name);
    layout_put(f->student, name, strlen(name));
    for (unsigned i = (unsigned)l->level + 1; i + 1 < depth; i++) {
        layout_component(path, i, name);
        tree_strip(name);
        if (is_attempt(name, l->o->zone, f)) break;
    }
    layout_put(f->file, file, strlen(file));
    return true;
}
