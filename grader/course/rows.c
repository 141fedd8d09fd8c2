/* Reads a whole grading from OUT/manifest.json and OUT/records. */
#include "grader/course/rows.h"
#include "grader/json/json.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "runner/base/order.h"
#include "words/course.h"

static bool has_score(const json_t *r) {
    return r && record_final(r) && strcmp(report_text(r, "state"), "ungradable") != 0;
}

static int by_person(const void *a, const void *b) {
    const course_row *x = *(const course_row *const *)a, *y = *(const course_row *const *)b;
    int c = strcmp(x->student, y->student);
    return c ? c : strcmp(x->lab, y->lab);
}

/* Returns the index of the first row not before this student and lab. */
static size_t rows_place(const course *c, const char *student, const char *lab) {
    const course_row asked = {.student = student, .lab = lab}, *p = &asked;
    size_t lo = 0, hi = c->count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (by_person(&c->by_student[mid], &p) < 0) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

const course_row *course_first(const course *c, const char *student) {
    size_t i = rows_place(c, student, "");
    return i < c->count && !strcmp(c->by_student[i]->student, student) ? c->by_student[i] : NULL;
}

const course_row *course_find(const course *c, const char *student, const char *lab) {
    size_t i = rows_place(c, student, lab);
    if (i == c->count || strcmp(c->by_student[i]->student, student) != 0) return NULL;
    return !strcmp(c->by_student[i]->lab, lab) ? c->by_student[i] : NULL;
}

/* Takes the old record with the smallest key. Any choice that is independent of the folder's order
 * will do. */
static void take_older(course_row *row, json_t *r, const char *key) {
    if ((row->record && !row->older && record_final(row->record)) ||
        strcmp(row->sha, report_text(r, "submission")) != 0 ||
        (row->older && strcmp(report_text(row->record, "key"), key) < 0))
        return;
    json_decref(row->record);
    row->record = json_incref(r);
    row->older = true;
}

/* If a row has no final record, takes a record of the same file under another key (another
 * toolchain or seed). The old grade stands until the new one exists. */
static void fill_from_older(course *c, int out) {
    bool wanted = false;
    const char **keys = malloc((c->count + 1) * sizeof *keys);
    for (size_t i = 0; keys && i < c->count; i++) {
        wanted = wanted || !c->row[i].record || !record_final(c->row[i].record);
        keys[i] = c->row[i].key;
    }
    if (!wanted) {
        free(keys);
        return;
    }
    qsort(keys, c->count, sizeof *keys, lib_by_text);
    int fd = openat(out, "records", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *e;
    while (d && (e = readdir(d))) {
        char key[65], *p = key;
        if (strlen(e->d_name) != 69 || strcmp(e->d_name + 64, ".json") != 0) continue;
        memcpy(key, e->d_name, 64);
        key[64] = 0;
        if (bsearch(&p, keys, c->count, sizeof *keys, lib_by_text)) continue;
        json_t *r = record_load(out, key);
        const course_row *of =
            r && has_score(r) ? course_find(c, report_text(r, "student"), report_text(r, "lab"))
                              : NULL;
        if (of) take_older(&c->row[of - c->row], r, key);
        json_decref(r);
    }
    if (d) closedir(d);
    else if (fd >= 0) close(fd);
    free(keys);
}

static size_t distinct(char **names, size_t n) {
    size_t k = 0;
    if (n) qsort(names, n, sizeof *names, lib_by_text);
    for (size_t i = 0; i < n; i++)
        if (!k || strcmp(names[k - 1], names[i]) != 0) names[k++] = names[i];
    return k;
}

static bool same_row(const store_entry *x, const store_entry *y) {
    return !strcmp(x->lab, y->lab) && !strcmp(x->student, y->student);
}

course_row course_attempt(const course *c, int out, const store_entry *e) {
    return (course_row){.student = e->student,
                        .lab = e->lab,
                        .sha = e->sha,
                        .key = e->key,
                        .entry = e,
                        .when = policy_judge(&c->rules, e),
                        .record = record_load(out, e->key)};
}

/* Chooses the graded attempt that is worth most; the later one of equals. An attempt without a
 * score does not replace one that has a score. */
static void choose_attempt(const course *c, int out, const store_entry *e, size_t n,
                           course_row *best) {
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        double mine, top;
        if (!e[i].graded) continue;
        course_row r = course_attempt(c, out, &e[i]);
        bool scored = course_score(&r, &mine), unsettled = any && best->unsettled;
        unsettled |= any && scored != course_score(best, &top);
        bool better = !any || (scored && (!course_score(best, &top) || mine >= top));
        if (better) {
            if (any) json_decref(best->record);
            *best = r;
        } else json_decref(r.record);
        best->unsettled = unsettled;
        any = true;
    }
}

/* The rows of a lab are neighbours. */
static void full_marks(course *c) {
    for (size_t i = 0, e; i < c->count; i = e) {
        double most = 0;
        for (e = i; e < c->count && !strcmp(c->row[e].lab, c->row[i].lab); e++)
            if (c->row[e].record && report_number(c->row[e].record, "max_score") > most)
                most = report_number(c->row[e].record, "max_score");
        for (size_t k = i; k < e; k++) c->row[k].most = most;
    }
}

bool course_load(course *c, const char *out, lib_message *msg) {
    return course_load_under(c, out, NULL, NULL, msg);
}

bool course_load_under(course *c, const char *out, const char *rules, const char *pack,
                       lib_message *msg) {
    *c = (course){0};
    int fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        lib_message_set(msg, w_course_cannot_open_grading(out));
        return false;
    }
    bool ok = manifest_load(&c->m, fd, msg);
    if (!ok && !lib_message_any(msg)) lib_message_set(msg, w_course_not_grading_folder(out));
    ok = ok && policy_load(&c->rules, fd, rules, pack, msg);
    size_t n = c->m.count;
    c->row = calloc(n + 1, sizeof *c->row);
    c->lab = calloc(n + 1, sizeof *c->lab);
    c->student = calloc(n + 1, sizeof *c->student);
    c->by_student = calloc(n + 1, sizeof *c->by_student);
    ok = ok && c->row && c->lab && c->student && c->by_student;
    /* The rules may have changed since the list was written. */
    if (ok) policy_mark(&c->rules, &c->m);
    for (size_t i = 0, k; ok && i < n; i += k) {
        for (k = 1; i + k < n && same_row(&c->m.entry[i], &c->m.entry[i + k]);) k++;
        course_row *r = &c->row[c->count];
        choose_attempt(c, fd, &c->m.entry[i], k, r);
        c->lab[c->count] = c->m.entry[i].lab;
        c->student[c->count++] = c->m.entry[i].student;
    }
    if (ok) {
        n = c->count;
        for (size_t i = 0; i < n; i++) c->by_student[i] = &c->row[i];
        if (n) qsort(c->by_student, n, sizeof *c->by_student, by_person);
        fill_from_older(c, fd);
        full_marks(c);
        c->labs = distinct(c->lab, n);
        c->students = distinct(c->student, n);
    }
    close(fd);
    return ok;
}

void course_free(course *c) {
    for (size_t i = 0; i < c->count; i++) json_decref(c->row[i].record);
    free(c->row);
    free(c->by_student);
    free(c->lab);
    free(c->student);
    manifest_free(&c->m);
    policy_free(&c->rules);
    *c = (course){0};
}

const char *course_state(const course_row *r) {
    return r && r->record ? report_text(r->record, "state") : "missing";
}

const char *course_verdict(const course_row *r) {
    const char *state = course_state(r);
    return strcmp(state, "graded") != 0 ? state : report_text(r->record, "verdict");
}

bool course_earned(const course_row *r, double *score) {
    *score = 0;
    if (!r || !has_score(r->record)) return false;
    *score = report_number(r->record, "score");
    return true;
}

bool course_score(const course_row *r, double *score) {
    if (!course_earned(r, score)) return false;
    *score *= 1 - r->when.cut;
    /* Rounds, because shares of points can leave meaningless digits. */
    *score = round(*score * 1e6) / 1e6;
    return true;
}

json_t *course_record(const course *c, const course_row *r) {
    if (!r->record) return NULL;
    double score, earned;
    bool scored = course_score(r, &score) && course_earned(r, &earned);
    json_t *o = json_copy(r->record), *x = json_object(), *messages = json_object();
    bool said = r->unsettled;
    for (int l = 0; l < LIB_LANGS; l++) {
        char *text = policy_said(&c->rules, r->entry, (lib_lang)l);
        said = said || (text && *text);
        json_set(messages, lib_lang_name((lib_lang)l), json_text(text));
        free(text);
    }
    json_object_set_new(x, "attempt", json_integer(r->entry->attempt));
    json_object_set_new(x, "attempts", json_integer(r->entry->attempts));
    if (r->entry->timed) json_object_set_new(x, "time", json_integer(r->entry->time));
    if (r->when.dated) json_object_set_new(x, "due", json_integer(r->when.due));
    if (r->when.late) json_object_set_new(x, "late_s", json_value(r->when.late_s));
    json_object_set_new(x, "cut", json_value(r->when.cut));
    json_object_set_new(x, "earned", scored ? json_value(earned) : json_null());
    json_object_set_new(x, "score", scored ? json_value(score) : json_null());
    json_object_set_new(x, "messages", messages);
    if (said) {
        json_object_set_new(o, "course", x);
        if (scored) json_object_set_new(o, "score", json_value(score));
    } else json_decref(x);
    return o;
}

/* Returns whether `name` is another name of the entry. `loose`: the part before an address's @ is
 * enough. */
static bool goes_by(const store_entry *e, const char *name, bool loose) {
    size_t n = strlen(name);
    for (const char *p = e->ids; *p;) {
        size_t k = strcspn(p, "\n"), at = strcspn(p, "@\n");
        if ((k == n || (loose && p[at] == '@' && at == n)) && !strncasecmp(p, name, n)) return true;
        p += k + (p[k] == '\n');
    }
    return loose && !strcasecmp(e->name, name);
}

const char *course_who(const course *c, const char *name, bool *several) {
    const char *who = NULL;
    *several = false;
    if (!*name) return NULL;
    for (size_t i = 0; i < c->count; i++)
        if (!strcasecmp(c->row[i].student, name)) return c->row[i].student;
    for (int loose = 0; loose < 2 && !who; loose++)
        for (size_t i = 0; i < c->count; i++) {
            const char *student = c->row[i].student;
            if (!goes_by(c->row[i].entry, name, loose)) continue;
            *several = *several || (who && strcmp(who, student) != 0);
            who = student;
        }
    return *several ? NULL : who;
}
