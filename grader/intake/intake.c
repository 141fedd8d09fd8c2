/* See intake.h. Walks twice over what was handed over: first to recognise the layout and to decide
 * about each file, then to read the files that are taken. */
#include "grader/intake/intake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "grader/intake/git.h"
#include "grader/intake/import.h"
#include "grader/intake/roster.h"
#include "grader/intake/tree.h"
#include "words/intake.h"
#include "words/said.h"

enum { METADATA_LIMIT = 64 << 20, GROUP = 16, HELD_LIMIT = 256 << 20 };

/* Collects a submission of several files until it is complete. */
typedef struct {
    char *path; /* the folder */
    char lab[INTAKE_NAME];
    found who;
    struct {
        char name[LIB_PART_NAME];
        char *data;
        size_t n;
    } part[LIB_PARTS];
    size_t parts, size;
    lib_word_id problem;
} folder_work;

/* A student who was seen, and whether anything of the student was taken. */
typedef struct {
    char *student, *path;
    bool taken;
} seen_student;
typedef struct {
    layout l;
    const intake_options *o;
    const intake_sink *sink;
    const importer *im;
    intake_told *told;
    lib_message *msg;
    roster people;
    bool has_roster;
    char *matched; /* one for each person on the roster */
    seen_student *seen;
    size_t seen_count, seen_room;
    folder_work *work;
    size_t works, held;     /* held: bytes in memory, of all works */
    size_t at;              /* index of the second walk's next item */
    const char *repository; /* the current repository; made: the time of its last commit */
    int64_t made;
    bool ok;
} intake;

/* ---- the layout ---- */

static bool remember(void *user, const tree_file *f) {
    intake *t = user;
    layout *l = &t->l;
    if (!lib_grow_one(&l->item, l->count, sizeof *l->item)) return false;
    lib_word_id why = 0;
    size_t n;
    layout_item *i = &l->item[l->count];
    *i = (layout_item){.path = strdup(f->path),
                       .folder = f->folder,
                       .repository = f->repository,
                       .packed = f->packed,
                       .source = !f->folder && layout_source(f->path) && !(f->packed && f->problem),
                       .problem = f->problem};
    if (!i->path) return false;
    l->count++;
    /* At most one folder deep. A file of this name further down is a student's. */
    const char *file = layout_file(f->path), *slash = strchr(f->path, '/');
    if (!l->metadata && !f->folder && !f->problem && (!slash || slash + 1 == file))
        for (size_t k = 0; k < importer_count; k++)
            if (importers[k].metadata && !strcmp(importers[k].metadata, file))
                l->metadata = tree_bytes(f, METADATA_LIMIT, &n, &why);
    return true;
}

/* Finds the folder that contains everything, if there is one. */
static void find_root(layout *l) {
    if (!l->count) return;
    const char *first = l->item[0].path, *slash = strchr(first, '/');
    size_t n = slash ? (size_t)(slash - first) : strlen(first);
    for (size_t i = 0; i < l->count; i++) {
        const char *p = l->item[i].path;
        if (strncmp(p, first, n) != 0 || (p[n] && p[n] != '/')) return;
        if (!p[n] && !l->item[i].folder) return;
    }
    l->root = n + 1;
}

static bool choose(intake *t) {
    for (size_t i = 0; i < importer_count && !t->im; i++) {
        bool asked = t->o->from && !strcmp(t->o->from, importers[i].name);
        if (t->o->from && !asked) continue;
        bool is = importers[i].is(&t->l);
        if (is || asked) t->im = &importers[i];
    }
    if (!t->im) return false;
    t->told->importer = t->im->name;
    t->told->what = t->im->what;
    return true;
}

/* Returns the path for the importer. In a course's own layout it includes the folder around
 * everything. */
static const char *path_for(const intake *t, size_t i) {
    bool whole = t->im->find == plain_find;
    return whole ? t->l.item[i].path : layout_path(&t->l, i);
}

/* ---- students ---- */

static void see(intake *t, const char *student, const char *path, bool taken) {
    if (!lib_grow(&t->seen, &t->seen_room, t->seen_count, sizeof *t->seen, 64)) {
        t->ok = false;
        return;
    }
    seen_student *s = &t->seen[t->seen_count++];
    *s = (seen_student){strdup(student), strdup(path), taken};
    t->ok = t->ok && s->student && s->path;
}

static int by_student(const void *a, const void *b) {
    const seen_student *x = a, *y = b;
    int c = strcmp(x->student, y->student), taken = (int)y->taken - (int)x->taken;
    return c ? c : taken ? taken : strcmp(x->path, y->path); /* a folder before its files */
}

/* Records every student who handed `path` in; `f` is the first of them. */
static void see_all(intake *t, const char *path, found *f, const char *from, bool taken) {
    for (unsigned k = 0; k < GROUP && (!k || t->im->find(&t->l, path, k, f)); k++) {
        const char *all[] = {f->student, f->id[0], f->id[1], f->id[2]};
        bool several;
        const roster_person *p =
            t->has_roster ? roster_find(&t->people, all, 4, f->name, &several) : NULL;
        if (p) t->matched[p - t->people.person] = 1; /* there is something of this student */
        see(t, f->student, from, taken);
    }
}

static bool is_notebook(const char *path) {
    size_t n = strlen(path);
    return n > 6 && !strcasecmp(path + n - 6, ".ipynb");
}

/* Reports students of whom nothing was taken, each once. A notebook tells more than other files. */
static void tell_students(intake *t) {
    if (t->seen_count) qsort(t->seen, t->seen_count, sizeof *t->seen, by_student);
    for (size_t i = 0; i < t->seen_count; i++) {
        if (i && !strcmp(t->seen[i].student, t->seen[i - 1].student)) continue;
        if (t->seen[i].taken) continue;
        const seen_student *of = &t->seen[i];
        size_t k = i;
        while (k < t->seen_count && !strcmp(t->seen[k].student, of->student) &&
               !is_notebook(t->seen[k].path))
            k++;
        if (k < t->seen_count && !strcmp(t->seen[k].student, of->student))
            t->sink->other(t->sink->user, INTAKE_LEFT, t->seen[k].path,
                           w_intake_only_notebook(of->student));
        else
            t->sink->other(t->sink->user, INTAKE_LEFT, of->path,
                           w_intake_nothing_taken(of->student));
    }
}

static bool has_named(const intake *t, const char *student) {
    for (size_t i = 0; i < t->seen_count; i++)
        if (t->seen[i].taken && !strcmp(t->seen[i].student, student)) return true;
    return false;
}

/* ---- one submission ---- */

/* Replaces the student's name by the roster's, and adds the other names. */
static void identify(intake *t, found *f, lib_buffer *ids, const char *path) {
    const char *all[] = {f->student, f->id[0], f->id[1], f->id[2]};
    for (size_t i = 0; i < 4; i++)
        if (*all[i]) lib_buffer_printf(ids, "%s\n", all[i]);
    if (!t->has_roster) return;
    bool several;
    const roster_person *p = roster_find(&t->people, all, 4, f->name, &several);
    if (!p) {
        const char *name = *f->name ? f->name : f->student;
        t->told->off_roster++;
        t->sink->other(t->sink->user, INTAKE_LEFT, path,
                       several ? w_intake_several_on_roster(t->people.path, name, f->student)
                               : w_intake_not_on_roster(t->people.path, name, f->student));
        return;
    }
    t->matched[p - t->people.person] = 1;
    for (unsigned k = 0; k < p->count; k++) lib_buffer_printf(ids, "%s\n", p->id[k]);
    layout_put(f->student, p->student, strlen(p->student));
    if (*p->name) layout_put(f->name, p->name, strlen(p->name));
    if (p->submitted && !f->timed && !t->o->roster_kept) f->timed = true, f->time = p->time;
}

static bool hand_on(intake *t, found *f, const char *lab, const char *path, const char *data,
                    size_t n, lib_word_id problem) {
    lib_buffer ids = {0};
    identify(t, f, &ids, path);
    bool ok = true;
    if (!intake_name_ok(f->student))
        t->sink->other(t->sink->user, INTAKE_LEFT, path, w_intake_student_name_refused());
    else {
        intake_submission s = {.student = f->student,
                               .name = f->name,
                               .lab = lab,
                               .source = path,
                               .ids = ids.s ? ids.s : "",
                               .timed = f->timed,
                               .late = f->late,
                               .time = f->time,
                               .order = f->order,
                               .data = data,
                               .size = n,
                               .problem = problem};
        ok = !ids.failed && t->sink->submission(t->sink->user, &s);
    }
    lib_buffer_free(&ids);
    return ok;
}

/* Finds the lab of a file. Returns false and *why if there is none; *why borrows from `f` and
 * `lab`. */
static bool lab_for(const intake *t, const found *f, char lab[INTAKE_NAME], bool *named,
                    lib_words *why, bool *ignored) {
    const intake_options *o = t->o;
    *named = intake_lab(o, f->file, lab, ignored);
    *why = (lib_words){0};
    if (*ignored) *why = w_intake_no_submission_by_rules(f->file);
    else if (!layout_source(f->file)) {
        *why = w_intake_not_cu_file();
        *ignored = true;
    }
    if (why->id) return false;
    if (o->lab) {
        if (*named && strcmp(lab, o->lab) != 0) {
            *why = w_intake_other_lab(lab, o->lab);
            return false;
        }
        layout_put(lab, o->lab, strlen(o->lab));
        return true;
    }
    if (*named) return true;
    layout_put(lab, f->lab, strlen(f->lab)); /* the lab by the system's data */
    if (*lab && layout_known(o, lab)) return true;
    *why = w_intake_no_lab_of_name(f->file);
    return false;
}

/* Reads NAME of a line `#include "NAME"`, without its folders. Returns false if the line is
 * something else. */
static bool included(const char *line, size_t n, char name[INTAKE_NAME]) {
    const char *p = line, *end = line + n;
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    if (p == end || *p++ != '#') return false;
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    if (end - p < 8 || memcmp(p, "include", 7) != 0) return false;
    const char *open = memchr(p, '"', (size_t)(end - p)),
               *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
    if (!close) return false;
    layout_put(name, open + 1, (size_t)(close - open - 1));
    memmove(name, layout_file(name), strlen(layout_file(name)) + 1);
    return true;
}

/* Reports the student's headers that the student's only file includes, because the file is graded
 * without them. */
static void tell_headers(intake *t, const found *f, const char *data, size_t n) {
    for (const char *p = data, *end = data ? data + n : data; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t length = (size_t)((stop ? stop : end) - p);
        char name[INTAKE_NAME], lab[INTAKE_NAME];
        bool there = included(p, length, name) && lib_part_is_header(name), ignored = false;
        p += length + 1;
        if (there) intake_lab(t->o, name, lab, &ignored);
        for (size_t i = 0; there && !ignored && i < t->l.count; i++) {
            const char *path = t->l.item[i].folder ? NULL : path_for(t, i);
            found g;
            if (path && lib_part_is_header(path) && t->im->find(&t->l, path, 0, &g) &&
                !strcmp(g.file, name) && !strcmp(g.student, f->student))
                t->sink->other(t->sink->user, INTAKE_LEFT, t->l.item[i].path,
                               w_intake_own_header());
        }
    }
}

/* ---- labs of several files ---- */

/* Finds the lab of which this file is one of several: by the name of its folder, or because --lab
 * names such a lab. */
static bool part_of(const intake *t, const char *path, const found *f, char lab[INTAKE_NAME]) {
    const intake_options *o = t->o;
    char top[INTAKE_NAME];
    size_t base = t->im->find == plain_find || t->im->find == canvas_find ? t->l.level : 0;
    if (!layout_source(f->file) && !lib_part_is_header(f->file)) return false;
    layout_lab_folder(&t->l, path, lab);
    /* The student's own folder is not a lab, whatever its name is. */
    if (*lab && layout_component(path, 0, top) >= base + 3) return true;
    if (!o->lab || !o->lab_folder || !o->lab_folder(o->user, o->lab)) return false;
    layout_put(lab, o->lab, strlen(o->lab));
    return true;
}

static folder_work *work_of(intake *t, const found *f, const char *lab, const char *path) {
    size_t n = (size_t)(layout_file(path) - path);
    for (size_t i = t->works; i-- > 0;) {
        folder_work *w = &t->work[i];
        bool same = !strcmp(w->lab, lab) && !strcmp(w->who.student, f->student);
        /* Canvas and Moodle name each file on its own, so each has its own number. */
        if (same && (!n || (strlen(w->path) + 1 == n && !memcmp(w->path, path, n - 1)) ||
                     t->im->is == canvas_is || t->im->is == moodle_is))
            return w;
    }
    if (!lib_grow_one(&t->work, t->works, sizeof *t->work)) return NULL;
    folder_work *w = &t->work[t->works];
    *w = (folder_work){.path = n ? strndup(path, n - 1) : strdup(path), .who = *f};
    layout_put(w->lab, lab, strlen(lab));
    if (!w->path) return NULL;
    t->works++;
    return w;
}

static lib_word_id part_problem(const intake *t, const folder_work *w, const found *f, size_t n) {
    for (size_t i = 0; i < w->parts; i++)
        if (!strcmp(w->part[i].name, f->file)) return W_INTAKE_PART_TWICE;
    if (w->parts == LIB_PARTS) return W_INTAKE_TOO_MANY_PARTS;
    if (w->size + n > t->o->source_limit) return W_INTAKE_PARTS_TOO_LONG;
    if (t->held + n > HELD_LIMIT) return W_INTAKE_TOO_MANY_WORKS;
    return 0;
}

/* Takes ownership of `data`. */
static bool add_part(intake *t, const found *f, const char *lab, const char *path, char *data,
                     size_t n, lib_word_id problem) {
    if (!lib_part_name_ok(f->file)) {
        t->sink->other(t->sink->user, INTAKE_LEFT, path, w_intake_part_name());
        free(data);
        return true;
    }
    folder_work *w = work_of(t, f, lab, path);
    if (w && f->order > w->who.order) w->who.order = f->order;
    if (w && !problem) problem = data ? part_problem(t, w, f, n) : W_INTAKE_PART_NOT_READABLE;
    if (!w || problem) {
        if (w) w->problem = problem;
        free(data);
        return w != NULL;
    }
    SAY(w->part[w->parts].name, "%s", f->file);
    w->part[w->parts].data = data;
    w->part[w->parts++].n = n;
    w->size += n;
    t->held += n;
    return true;
}

static bool hand_on_works(intake *t) {
    bool ok = true;
    for (size_t i = 0; ok && i < t->works; i++) {
        folder_work *w = &t->work[i];
        lib_buffer b = {0};
        size_t order[LIB_PARTS], k;
        for (size_t p = 0; p < w->parts; p++) { /* by name, whatever folder they were in */
            for (k = p; k && strcmp(w->part[order[k - 1]].name, w->part[p].name) > 0; k--)
                order[k] = order[k - 1];
            order[k] = p;
        }
        for (size_t p = 0; p < w->parts; p++)
            lib_parts_add(&b, w->part[order[p]].name, w->part[order[p]].data, w->part[order[p]].n);
        see(t, w->who.student, w->path, true);
        ok = !b.failed &&
             hand_on(t, &w->who, w->lab, w->path, w->problem ? NULL : b.s, b.n, w->problem);
        lib_buffer_free(&b);
    }
    return ok;
}

/* Finds the students who handed in a file with the lab's own name. The only file of any other
 * student may have any name. */
static void first_look(intake *t) {
    found f;
    char lab[INTAKE_NAME];
    lib_words why;
    bool named, ignored;
    for (size_t i = 0; t->ok && i < t->l.count; i++) {
        const char *path = path_for(t, i);
        if (!path || !t->l.item[i].source || !t->im->find(&t->l, path, 0, &f)) continue;
        if (lab_for(t, &f, lab, &named, &why, &ignored) && named)
            see_all(t, path, &f, t->l.item[i].path, true);
    }
}

static bool take_git(intake *t, const layout_item *item, const char *top);

/* The time of a checked-out file is that of the last commit. */
static void enter_repository(intake *t, const layout_item *item) {
    char path[2200], commit[65];
    lib_message ignored;
    t->repository = NULL;
    if (t->im->is != git_is && t->im->is != classroom_is) return;
    SAY(path, "%s/%s", t->l.in, item->path);
    if (git_commit_at(path, NULL, 0, commit, &t->made, &ignored)) t->repository = item->path;
}

static void date_by_repository(const intake *t, const char *path, found *f) {
    size_t n = t->repository ? strlen(t->repository) : 0;
    if (!n || f->timed || strncmp(path, t->repository, n) != 0 || path[n] != '/') return;
    f->timed = true;
    f->time = t->made;
}

/* The second walk. */
static bool take(void *user, const tree_file *file) {
    intake *t = user;
    layout *l = &t->l;
    lib_word_id why_not = 0;
    lib_words why;
    char lab[INTAKE_NAME], probe[1200];
    bool named, ignored, taken = false;
    found f;
    size_t n = 0, i = t->at;
    /* the tree has changed since the first walk */
    if (i >= l->count || strcmp(l->item[i].path, file->path) != 0) return true;
    t->at++;
    const layout_item *item = &l->item[i];
    const char *path = path_for(t, i), *shown = *item->path ? item->path : layout_file(l->in);
    if (!path) return true;
    if (item->folder) {
        SAY(probe, "%s/?", path);
        if (t->im->find(l, probe, 0, &f)) see_all(t, probe, &f, item->path, false);
        if (item->problem)
            t->sink->other(t->sink->user, INTAKE_LEFT, shown, lib_words_of(item->problem));
        if (!item->repository || strchr(path, '/')) return true;
        if (t->o->at) return take_git(t, item, path);
        enter_repository(t, item);
        return true;
    }
    bool by_commit = t->im->is == git_is || t->im->is == classroom_is;
    if (t->o->at && by_commit) return true; /* from the commit, not from the checkout */
    if (item->problem && (item->packed || !item->source)) {
        t->sink->other(t->sink->user, INTAKE_LEFT, shown, lib_words_of(item->problem));
        return true;
    }
    if (!t->im->find(l, path, 0, &f)) {
        bool metadata = t->im->metadata && !strcmp(path, t->im->metadata);
        if (!metadata)
            t->sink->other(t->sink->user, item->source ? INTAKE_LEFT : INTAKE_IGNORED, shown,
                           item->source ? w_intake_nobody_named() : w_intake_not_submission());
        return true;
    }
    if (part_of(t, path, &f, lab)) {
        char *data = item->problem ? NULL : tree_bytes(file, t->o->source_limit, &n, &why_not);
        bool ok = true;
        for (unsigned k = 0; ok && k < GROUP && (!k || t->im->find(l, path, k, &f)); k++) {
            char *own = data ? malloc(n + 1) : NULL;
            if (own) memcpy(own, data, n);
            date_by_repository(t, item->path, &f);
            ok = (own || !data) &&
                 add_part(t, &f, lab, item->path, own, n, item->problem ? item->problem : why_not);
        }
        free(data);
        return ok;
    }
    if (!lab_for(t, &f, lab, &named, &why, &ignored) ||
        (t->o->lab && !named && has_named(t, f.student))) {
        t->sink->other(t->sink->user, ignored ? INTAKE_IGNORED : INTAKE_LEFT, shown,
                       /* borrows from `f`, which stays valid */
                       why.id ? why : w_intake_second_file());
        see_all(t, path, &f, item->path, false);
        return true;
    }
    char *data = item->problem ? NULL : tree_bytes(file, t->o->source_limit, &n, &why_not);
    bool ok = true;
    tell_headers(t, &f, data, n);
    for (unsigned k = 0; ok && k < GROUP && (!k || t->im->find(l, path, k, &f)); k++) {
        see(t, f.student, item->path, true);
        date_by_repository(t, item->path, &f);
        ok = hand_on(t, &f, lab, item->path, data, n, item->problem ? item->problem : why_not);
        taken = true;
    }
    free(data);
    return ok && taken && t->ok;
}

/* ---- repositories ---- */

static bool take_blob(intake *t, const char *repository, const char *commit, int64_t time,
                      const char *top, const char *file) {
    char path[1200], lab[INTAKE_NAME];
    lib_words why;
    bool named, ignored, ok = true;
    found f;
    size_t n = 0;
    lib_message msg = {0};
    SAY(path, "%s/%s", top, file);
    if (!t->im->find(&t->l, path, 0, &f)) return true;
    f.timed = true;
    f.time = time;
    if (part_of(t, path, &f, lab)) {
        char *part = git_bytes(repository, commit, file, t->o->source_limit, &n, &msg);
        return add_part(t, &f, lab, path, part, n, part ? 0 : W_INTAKE_GIT_FILE_NOT_READABLE);
    }
    if (!layout_source(file)) return true;
    if (!lab_for(t, &f, lab, &named, &why, &ignored)) {
        t->sink->other(t->sink->user, ignored ? INTAKE_IGNORED : INTAKE_LEFT, path, why);
        return true;
    }
    char *data = git_bytes(repository, commit, file, t->o->source_limit, &n, &msg);
    see(t, f.student, path, true);
    ok = hand_on(t, &f, lab, path, data, n, data ? 0 : W_INTAKE_GIT_FILE_NOT_READABLE);
    free(data);
    return ok;
}

/* With --at, the files of a repository are those of the given commit. */
static bool take_git(intake *t, const layout_item *item, const char *top) {
    char repository[2200], commit[65];
    int64_t time;
    lib_message msg = {0};
    size_t n = 0;
    SAY(repository, "%s/%s", t->l.in, item->path);
    char *files = git_commit_at(repository, t->o->at, t->o->zone, commit, &time, &msg)
                      ? git_list(repository, commit, &n, &msg)
                      : NULL;
    bool ok = true;
    if (!files) t->sink->other(t->sink->user, INTAKE_LEFT, item->path, lib_message_words(&msg));
    for (size_t i = 0; files && ok && i < n; i += strlen(files + i) + 1)
        ok = take_blob(t, repository, commit, time, top, files + i);
    free(files);
    return ok;
}

/* ---- the whole ---- */

static void forget(intake *t) {
    for (size_t i = 0; i < t->l.count; i++) free(t->l.item[i].path);
    for (size_t i = 0; i < t->seen_count; i++) {
        free(t->seen[i].student);
        free(t->seen[i].path);
    }
    for (size_t i = 0; i < t->works; i++) {
        for (size_t k = 0; k < t->work[i].parts; k++) free(t->work[i].part[k].data);
        free(t->work[i].path);
    }
    free(t->work);
    free(t->l.item);
    free(t->l.metadata);
    free(t->seen);
    free(t->matched);
    roster_free(&t->people);
}

static bool intake_run(intake *t) {
    const intake_options *o = t->o;
    struct stat st;
    if (!tree_walk(o->in, remember, t, t->msg)) return false;
    t->l.archive = !stat(o->in, &st) && S_ISREG(st.st_mode);
    find_root(&t->l);
    if (o->roster) {
        if (!roster_read(o->roster, o->zone, &t->people, t->msg)) return false;
        t->has_roster = t->told->roster = true;
        if (!(t->matched = calloc(t->people.count + 1, 1))) return false;
    }
    if (!choose(t)) {
        for (size_t i = 0; i < t->l.count; i++)
            if (!t->l.item[i].folder)
                t->sink->other(t->sink->user, INTAKE_LEFT,
                               *t->l.item[i].path ? t->l.item[i].path : layout_file(o->in),
                               lib_words_of(t->l.item[i].problem ? t->l.item[i].problem
                                                                 : W_INTAKE_UNKNOWN_LAYOUT));
        return true;
    }
    if (o->lab) first_look(t);
    if (!t->ok || !tree_walk(o->in, take, t, t->msg) || !hand_on_works(t)) return false;
    tell_students(t);
    for (size_t i = 0; i < t->people.count; i++)
        t->told->without += !t->matched[i] && !roster_nobody(&t->people.person[i]);
    return t->ok;
}

bool intake_read(const intake_options *o, const intake_sink *sink, intake_told *told,
                 lib_message *msg) {
    intake t = {
        .o = o, .sink = sink, .told = told, .msg = msg, .ok = true, .l = {.in = o->in, .o = o}};
    *told = (intake_told){0};
    bool ok = intake_run(&t);
    if (!ok && !lib_message_any(msg)) lib_message_set(msg, w_said_out_of_memory());
    forget(&t);
    return ok;
}
