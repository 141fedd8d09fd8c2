/* Merges a run's list with that of the folder. Thereby grades stay if an input folder is gone, and
 * work that could not be assigned is not forgotten.
 *
 *   what this run took in + OUT/manifest.json --manifest_merge()--> the list as it is now
 *
 * For each line that is left over, the list keeps the input from which it came, and the labs of
 * this input:
 *   left_from: { LINE: { in: PATH, labs: [ LAB, ... ] } } */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/say.h"
#include "grader/course/store.h"
#include "grader/json/json.h"
#include "words/intake.h"

/* For bsearch() in a sorted list: finds any attempt of the student at the lab. */
static int same_work(const void *a, const void *b) {
    const store_entry *x = a, *y = b;
    int c = strcmp(x->lab, y->lab);
    return c ? c : strcmp(x->student, y->student);
}

static bool called(const store_entry *e, const char *name) {
    size_t n = strlen(name);
    for (const char *p = e->ids; *p;) {
        size_t k = strcspn(p, "\n");
        if (k == n && !strncmp(p, name, n)) return true;
        p += k + (p[k] == '\n');
    }
    return false;
}

/* Returns whether this run has the same file of the same person under another name, because a
 * roster was given since. */
static bool renamed(const store_manifest *m, size_t fresh, const store_entry *o) {
    for (size_t i = 0; i < fresh; i++) {
        const store_entry *e = &m->entry[i];
        if (!strcmp(e->sha, o->sha) && !strcmp(e->lab, o->lab) && !strcmp(e->source, o->source) &&
            called(e, o->student))
            return true;
    }
    return false;
}

/* Keeps the time of handing in that an earlier worksheet gave, if this run has none. */
static void keep_time(store_manifest *m, size_t fresh, const store_entry *o) {
    for (size_t i = 0; o->timed && *o->sha && i < fresh; i++) {
        store_entry *e = &m->entry[i];
        if (e->timed || same_work(e, o) || strcmp(e->sha, o->sha) || strcmp(e->source, o->source))
            continue;
        e->timed = true;
        e->time = o->time;
    }
}

static bool has_text(const json_t *list, const char *text) {
    size_t i;
    const json_t *x;
    json_array_foreach(list, i, x) if (!strcmp(json_string_value(x), text)) return true;
    return false;
}

/* Describes where this run's lines come from. */
static json_t *origin_of(const store_manifest *m, const char *in, const char *lab) {
    char *path = realpath(in, NULL);
    json_t *o = json_object(), *labs = json_array();
    if (lab) json_array_append_new(labs, json_text(lab));
    for (size_t i = 0; i < m->count; i++)
        if (!has_text(labs, m->entry[i].lab))
            json_array_append_new(labs, json_text(m->entry[i].lab));
    json_object_set_new(o, "in", json_text(path ? path : in));
    json_object_set_new(o, "labs", labs);
    free(path);
    return o;
}

/* Returns whether both inputs had a lab in common. If the labs of one are unknown, they may
 * have. */
static bool related(const json_t *x, const json_t *y) {
    const json_t *a = json_object_get(x, "labs"), *b = json_object_get(y, "labs"), *lab;
    size_t i;
    if (!json_array_size(a) || !json_array_size(b)) return true;
    json_array_foreach(a, i, lab) if (has_text(b, json_string_value(lab))) return true;
    return false;
}

static bool is_of(const char *line, const char *path, size_t n) {
    return !strncmp(line, path, n) && !strncmp(line + n, ": ", 2);
}

static bool among(char *const *lines, size_t count, const char *path, size_t n) {
    for (size_t i = 0; i < count; i++)
        if (is_of(lines[i], path, n)) return true;
    return false;
}

/* Returns whether this run found the same path. */
static bool come_upon(const store_manifest *m, size_t fresh, const char *line) {
    const char *colon = strstr(line, ": ");
    size_t n = colon ? (size_t)(colon - line) : strlen(line);
    for (size_t i = 0; i < fresh; i++)
        if (is_of(line, m->entry[i].source, strlen(m->entry[i].source))) return true;
    return among(m->left, m->left_count, line, n) || among(m->refused, m->refused_count, line, n);
}

/* Returns the student of a line that says that nothing was taken; NULL for any other line. */
static const char *nothing_of(const store_manifest *m, const char *line) {
    const json_t *said = json_object_get(m->reasons, line),
                 *why = json_object_get(json_object_get(said, "args"), "why");
    if (strcmp(report_text(why, "id"), lib_words_name(WITH_INTAKE_NOTHING_TAKEN)) != 0) return NULL;
    return report_text(json_object_get(why, "args"), "student");
}

/* Returns whether a file was taken since a line such as "nothing of 106 was taken", for a lab of
 * the line's input. */
static bool taken_since(const store_manifest *m, const char *student, const json_t *from) {
    const json_t *labs = json_object_get(from, "labs");
    for (size_t i = 0; student && i < m->count; i++) {
        const store_entry *e = &m->entry[i];
        if ((!json_array_size(labs) || has_text(labs, e->lab)) && called(e, student)) return true;
    }
    return false;
}

/* A line that was left over stays until its file is placed, or until the same input is taken in
 * again. */
static void keep_left(store_manifest *m, size_t fresh, const store_manifest *old,
                      const json_t *now) {
    size_t lines = m->left_count;
    store_manifest seen = *m; /* only the lines of this run */
    json_t *from = json_object();
    for (size_t i = 0; i < lines; i++) json_object_set(from, m->left[i], (json_t *)now);
    for (size_t i = 0; i < old->left_count; i++) {
        const char *line = old->left[i];
        json_t *o = json_object_get(old->left_from, line);
        bool again = o && !strcmp(report_text(o, "in"), report_text(now, "in"));
        if ((related(o, now) && (again || come_upon(&seen, fresh, line))) ||
            taken_since(m, nothing_of(old, line), o) || json_object_get(from, line))
            continue;
        manifest_leave_line(m, old, line);
        seen.left = m->left; /* the array may have moved; the count stays that of this run */
        if (o) json_object_set(from, line, o);
    }
    json_decref(m->left_from);
    m->left_from = from;
}

bool manifest_merge(store_manifest *m, int out, const char *in, const char *lab, lib_message *msg) {
    store_manifest old;
    bool ok = manifest_load(&old, out, msg) || !lib_message_any(msg);
    size_t fresh = m->count;
    json_t *now = origin_of(m, in, lab);
    for (size_t i = 0; ok && i < old.count; i++) {
        store_entry *o = &old.entry[i];
        if (fresh && bsearch(o, m->entry, fresh, sizeof *o, same_work)) {
            keep_time(m, fresh, o);
            continue;
        }
        if (renamed(m, fresh, o)) continue;
        store_entry *e = manifest_add(m, o->student, o->lab, o->source);
        ok = e != NULL;
        if (!ok) continue;
        store_entry fresh_one = *e;
        *e = *o; /* takes over the texts; the old list frees those of the new entry */
        *o = fresh_one;
    }
    if (ok) keep_left(m, fresh, &old, now);
    json_decref(now);
    manifest_free(&old);
    manifest_sort(m);
    return ok;
}
