/* What the readers of layouts share: paths and their components, and the lab of a file, even if a
 * student varied its name. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "runner/base/say.h"
#include "grader/intake/import.h"
#include "grader/intake/tree.h"

const char *layout_path(const layout *l, size_t i) {
    const char *path = l->item[i].path;
    if (!l->root) return path;
    return strlen(path) > l->root ? path + l->root : NULL;
}

unsigned layout_component(const char *path, unsigned level, char out[INTAKE_NAME]) {
    unsigned depth = 0;
    out[0] = 0;
    for (const char *p = path; *p; depth++) {
        size_t n = strcspn(p, "/");
        if (depth == level) layout_put(out, p, n);
        p += n + (p[n] == '/');
    }
    return depth;
}

const char *layout_file(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void layout_lab_folder(const layout *l, const char *path, char lab[INTAKE_NAME]) {
    unsigned depth = layout_component(path, 0, lab);
    lab[0] = 0;
    if (depth < 2 || !l->o->lab_folder) return;
    layout_component(path, depth - 2, lab);
    if (!intake_name_ok(lab) || !l->o->lab_folder(l->o->user, lab)) lab[0] = 0;
}

/* A text that is too long becomes empty, which is never an accepted name. */
void layout_put(char out[INTAKE_NAME], const char *text, size_t n) {
    if (n >= INTAKE_NAME) n = 0;
    memmove(out, text, n);
    out[n] = 0;
}

const char *layout_digits(const char *p, char end) {
    const char *q = p;
    while (isdigit((unsigned char)*q)) q++;
    return q > p && q - p < 19 && *q == end ? q + 1 : NULL;
}

bool layout_mostly(layout *l, bool (*find)(const layout *, const char *, unsigned, found *)) {
    size_t all = 0, hits = 0;
    found f;
    for (size_t i = 0; i < l->count; i++) {
        const char *path = layout_path(l, i);
        if (!path || l->item[i].folder) continue;
        all++;
        hits += find(l, path, 0, &f);
    }
    return hits && 2 * hits >= all;
}

bool intake_name_ok(const char *name) {
    size_t n = strlen(name);
    if (!n || n > TREE_NAME || name[0] == '.') return false;
    char *clean = lib_clean(name, n);
    bool ok = clean && !strcmp(clean, name) && !strpbrk(name, "/\\\n\t");
    free(clean);
    return ok;
}

bool layout_known(const intake_options *o, const char *lab) {
    return intake_name_ok(lab) && (!o->lab_known || o->lab_known(o->user, lab));
}

bool layout_source(const char *file) {
    size_t n = strlen(file);
    return n > 3 && !strcasecmp(file + n - 3, ".cu");
}

/* "Vector_Add (1)" -> "vector-add": makes letters small, puts one dash between words, and removes
 * what browsers, systems and people add to a name that exists: " (1)", "-1", " copy". */
static void undisguise(char *name, bool number) {
    char *close = strrchr(name, ')'), *open = strrchr(name, '(');
    if (close && !close[1] && open && open > name && layout_digits(open + 1, ')')) *open = 0;
    size_t n = 0;
    for (char *p = name; *p; p++) {
        bool part = strchr("_ .-", *p);
        if (!part) name[n++] = (char)tolower((unsigned char)*p);
        else if (n && name[n - 1] != '-') name[n++] = '-';
    }
    while (n && name[n - 1] == '-') n--;
    name[n] = 0;
    if (n > 5 && !strcmp(name + n - 5, "-copy")) name[n -= 5] = 0;
    size_t digits = n;
    while (number && digits && isdigit((unsigned char)name[digits - 1])) digits--;
    if (digits < n && digits > 1 && name[digits - 1] == '-') name[digits - 1] = 0;
}

bool intake_lab(const intake_options *o, const char *file, char lab[INTAKE_NAME], bool *ignored) {
    size_t n = strlen(file);
    *ignored = false;
    for (size_t i = 0; i < o->files; i++) {
        size_t k = strlen(o->file[i].file);
        bool whole = !strcasecmp(file, o->file[i].file),
             stem = n == k + 3 && !strncasecmp(file, o->file[i].file, k);
        if (!whole && !stem) continue;
        *ignored = !*o->file[i].lab;
        layout_put(lab, o->file[i].lab, strlen(o->file[i].lab));
        return !*ignored;
    }
    if (!layout_source(file)) return false;
    layout_put(lab, file, n - 3);
    if (layout_known(o, lab)) return true;
    undisguise(lab, false);
    if (layout_known(o, lab)) return true;
    undisguise(lab, true);
    return layout_known(o, lab);
}
