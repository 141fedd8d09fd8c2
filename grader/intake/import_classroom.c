/* GitHub Classroom, `gh classroom clone student-repos`:
 *
 *  vector-add-submissions/vector-add-janedoe/vector-add.cu  ASSIGNMENT-submissions/ASSIGNMENT-LOGIN
 *
 * (cmd/gh-classroom/clone/student-repos/student-repos.go of github/gh-classroom). If the folder
 * around the repositories has another name, ASSIGNMENT- is the common beginning of all
 * repositories, up to a dash. If the logins have a common beginning, too, the user gives --prefix.
 * Plain git repositories, one folder per student, belong to the importer "git". */
#include <string.h>
#include "grader/intake/import.h"

/* Finds the top folder that is item i or contains it. */
static bool in_top(const layout *l, size_t i, char name[INTAKE_NAME]) {
    const char *path = layout_path(l, i);
    return path && *path && layout_component(path, 0, name) >= (l->item[i].folder ? 1 : 2);
}

static bool is_top(const layout *l, size_t i, char name[INTAKE_NAME]) {
    return in_top(l, i, name) && l->item[i].folder && !strchr(layout_path(l, i), '/');
}

static bool all_begin(const layout *l, const char *prefix) {
    char name[INTAKE_NAME];
    size_t n = strlen(prefix), count = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!in_top(l, i, name)) continue;
        if (strncmp(name, prefix, n) != 0 || !name[n]) return false;
        count++;
    }
    return count > 0;
}

/* ".../vector-add-submissions" -> "vector-add-" */
static bool from_folder(layout *l) {
    static const char end[] = "-submissions";
    char path[INTAKE_NAME], *name = path;
    size_t n = l->root ? l->root - 1 : strlen(l->in);
    const char *whole = l->root ? l->item[0].path : l->in;
    while (n && whole[n - 1] == '/') n--;
    size_t from = n;
    while (from && whole[from - 1] != '/') from--;
    layout_put(path, whole + from, n - from);
    n = strlen(name);
    if (n < sizeof end || strcmp(name + n - (sizeof end - 1), end) != 0) return false;
    name[n - (sizeof end - 1) + 1] = 0; /* keeps the dash */
    layout_put(l->prefix, name, strlen(name));
    return true;
}

/* Takes the common beginning of all names, up to its last dash. */
static bool from_names(layout *l) {
    char name[INTAKE_NAME], first[INTAKE_NAME] = "";
    size_t count = 0;
    for (size_t i = 0; i < l->count; i++) {
        size_t n = 0;
        if (!is_top(l, i, name)) continue;
        if (!count++) layout_put(first, name, strlen(name));
        while (first[n] && first[n] == name[n]) n++;
        first[n] = 0;
    }
    char *dash = strrchr(first, '-');
    if (count < 2 || !dash) return false;
    dash[1] = 0;
    layout_put(l->prefix, first, strlen(first));
    return true;
}

static size_t repositories(const layout *l, size_t *folders) {
    char name[INTAKE_NAME];
    size_t n = 0;
    *folders = 0;
    for (size_t i = 0; i < l->count; i++)
        if (is_top(l, i, name)) n += l->item[i].repository, ++*folders;
    return n;
}

bool classroom_is(layout *l) {
    size_t folders, repos = repositories(l, &folders);
    if (l->o->prefix) layout_put(l->prefix, l->o->prefix, strlen(l->o->prefix));
    else if (!from_folder(l) && (!repos || repos < folders || !from_names(l))) return false;
    return all_begin(l, l->prefix);
}

bool classroom_find(const layout *l, const char *path, unsigned k, found *f) {
    char top[INTAKE_NAME];
    size_t n = strlen(l->prefix);
    const char *file = layout_file(path);
    *f = (found){0};
    if (k || layout_component(path, 0, top) < 2 || strncmp(top, l->prefix, n) != 0 || !top[n])
        return false;
    layout_put(f->student, top + n, strlen(top + n));
    layout_put(f->lab, top, n ? n - 1 : 0);
    layout_put(f->file, file, strlen(file));
    return true;
}

bool git_is(layout *l) {
    size_t folders, repos = repositories(l, &folders);
    return repos && repos == folders && plain_is(l);
}
