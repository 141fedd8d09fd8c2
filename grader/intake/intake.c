/* See intake.h. Twice over what was handed over: once to learn its layout and to decide about each
 * file, once for the bytes of those that are taken. */
#include "grader/intake/intake.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "grader/intake/git.h"
#include "grader/intake/import.h"
#include "grader/intake/roster.h"
#include "grader/intake/tree.h"

enum { METADATA_LIMIT = 64 << 20, GROUP = 16 };

/* Whose it was, and whether anything of theirs was taken. */
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
    char *matched; /* per person */
    seen_student *seen;
    size_t seen_count, seen_room;
    size_t at;              /* the second walk's place in the layout */
    const char *repository; /* the one that is being walked, and its last commit's time */
    int64_t made;
    bool ok;
} intake;

/* ---- names ---- */

bool intake_name_ok(const char *name) {
    size_t n = strlen(name);
    if (!n || n > TREE_NAME || name[0] == '.') return false;
    char *clean = lib_clean(name, n);
    bool ok = clean && !strcmp(clean, name) && !strpbrk(name, "/\\\n\t");
    free(clean);
    return ok;
}

static bool known(const intake_options *o, const char *lab) {
    return intake_name_ok(lab) && (!o->lab_known || o->lab_known(o->user, lab));
}

static bool is_source(const char *file) {
    size_t n = strlen(file);
    return n > 3 && !strcasecmp(file + n - 3, ".cu");
}

/* "Vector_Add (1)" -> "vector-add": small letters, one dash for what parts words, and what browsers,
 * systems and people put behind a name that is taken: " (1)", "-1", " copy". */
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
    if (!is_source(file)) return false;
    layout_put(lab, file, n - 3);
    if (known(o, lab)) return true;
    undisguise(lab, false);
    if (known(o, lab)) return true;
    undisguise(lab, true);
    return known(o, lab);
}

/* ---- the layout ---- */

static bool remember(void *user, const tree_file *f) {
    intake *t = user;
    layout *l = &t->l;
    if (!(l->count & (l->count - 1))) {
        layout_item *more = realloc(l->item, (l->count ? 2 * l->count : 64) * sizeof *more);
        if (!more) return false;
        l->item = more;
    }
    const char *why = NULL;
    size_t n;
    layout_item *i = &l->item[l->count];
    *i = (layout_item){.path = strdup(f->path),
                       .folder = f->folder,
                       .repository = f->repository,
                       .packed = f->packed,
                       .source = !f->folder && is_source(f->path) && !(f->packed && f->problem),
                       .problem = f->problem};
    if (!i->path) return false;
    l->count++;
    /* At most one folder deep: a file of that name further in is a student's. */
    const char *file = layout_file(f->path), *slash = strchr(f->path, '/');
    if (!l->metadata && !f->folder && !f->problem && (!slash || slash + 1 == file))
        for (size_t k = 0; k < importer_count; k++)
            if (importers[k].metadata && !strcmp(importers[k].metadata, file))
                l->metadata = tree_bytes(f, METADATA_LIMIT, &n, &why);
    return true;
}

/* The folder that everything is in, if there is one. */
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
    for (int i = 0; i < LIB_LANGS; i++) t->told->what[i] = t->im->what[i == LIB_ZH];
    return true;
}

/* The path that the importer reads: a course's own layout has no folder around it. */
static const char *path_for(const intake *t, size_t i) {
    bool whole = t->im->find == plain_find;
    return whole ? t->l.item[i].path : layout_path(&t->l, i);
}

/* ---- students ---- */

static void see(intake *t, const char *student, const char *path, bool taken) {
    if (t->seen_count == t->seen_room) {
        t->seen_room = t->seen_room ? 2 * t->seen_room : 64;
        seen_student *more = realloc(t->seen, t->seen_room * sizeof *more);
        if (!more) {
            t->ok = false;
            return;
        }
        t->seen = more;
    }
    seen_student *s = &t->seen[t->seen_count++];
    *s = (seen_student){strdup(student), strdup(path), taken};
    t->ok = t->ok && s->student && s->path;
}

static int by_student(const void *a, const void *b) {
    const seen_student *x = a, *y = b;
    int c = strcmp(x->student, y->student);
    return c ? c : (int)y->taken - (int)x->taken;
}

/* Students of whom nothing was taken are said, each once. */
static void tell_students(intake *t) {
    if (t->seen_count) qsort(t->seen, t->seen_count, sizeof *t->seen, by_student);
    for (size_t i = 0; i < t->seen_count; i++) {
        if (i && !strcmp(t->seen[i].student, t->seen[i - 1].student)) continue;
        char why[300];
        if (t->seen[i].taken) continue;
        SAY(why, "nothing of %s was taken: no file is a lab's", t->seen[i].student);
        t->sink->other(t->sink->user, INTAKE_LEFT, t->seen[i].path, why);
    }
}

static bool has_named(const intake *t, const char *student) {
    for (size_t i = 0; i < t->seen_count; i++)
        if (t->seen[i].taken && !strcmp(t->seen[i].student, student)) return true;
    return false;
}

/* ---- one submission ---- */

/* The roster's name for whoever it is, and what else they are called. */
static void identify(intake *t, found *f, lib_buffer *ids, const char *path) {
    const char *all[] = {f->student, f->id[0], f->id[1], f->id[2]};
    for (size_t i = 0; i < 4; i++)
        if (*all[i]) lib_buffer_printf(ids, "%s\n", all[i]);
    if (!t->has_roster) return;
    bool several;
    const roster_person *p = roster_find(&t->people, all, 4, f->name, &several);
    if (!p) {
        char why[600];
        SAY(why,
            several ? "several people on the roster %s could be %s; graded under that name"
                    : "the roster %s does not name %s; graded under that name",
            t->people.path, *f->name ? f->name : f->student);
        t->told->off_roster++;
        t->sink->other(t->sink->user, INTAKE_LEFT, path, why);
        return;
    }
    t->matched[p - t->people.person] = 1;
    for (unsigned k = 0; k < p->count; k++) lib_buffer_printf(ids, "%s\n", p->id[k]);
    layout_put(f->student, p->student, strlen(p->student));
    if (*p->name) layout_put(f->name, p->name, strlen(p->name));
    if (p->submitted && !f->timed) f->timed = true, f->time = p->time;
}

static bool hand_on(intake *t, found *f, const char *lab, const char *path, const char *data,
                    size_t n, const char *problem) {
    lib_buffer ids = {0};
    identify(t, f, &ids, path);
    bool ok = true;
    if (!intake_name_ok(f->student))
        t->sink->other(t->sink->user, INTAKE_LEFT, path,
                       "the name of the student has characters that are not accepted, or more "
                       "than 100 bytes");
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

/* Which lab a file is for; false: none, and why. */
static bool lab_for(const intake *t, const found *f, char lab[INTAKE_NAME], bool *named,
                    char why[300], bool *ignored) {
    const intake_options *o = t->o;
    *named = intake_lab(o, f->file, lab, ignored);
    why[0] = 0;
    if (*ignored) lib_say(why, 300, "the course says that %s is no submission", f->file);
    else if (!is_source(f->file)) {
        lib_say(why, 300, "not a .cu file");
        *ignored = true;
    }
    if (*why) return false;
    if (o->lab) {
        if (*named && strcmp(lab, o->lab) != 0) {
            lib_say(why, 300, "by its name it is for %s, and --lab says %s", lab, o->lab);
            return false;
        }
        layout_put(lab, o->lab, strlen(o->lab));
        return true;
    }
    if (*named) return true;
    layout_put(lab, f->lab, strlen(f->lab)); /* what the system says it is for */
    if (*lab && known(o, lab)) return true;
    lib_say(why, 300, "there is no lab of the name of %s", f->file);
    return false;
}

/* Which students handed a file of the lab's own name in; the others' only file may have any name. */
static void first_look(intake *t) {
    found f;
    char lab[INTAKE_NAME], why[300];
    bool named, ignored;
    for (size_t i = 0; t->ok && i < t->l.count; i++) {
        const char *path = path_for(t, i);
        if (!path || !t->l.item[i].source || !t->im->find(&t->l, path, 0, &f)) continue;
        if (lab_for(t, &f, lab, &named, why, &ignored) && named)
            see(t, f.student, t->l.item[i].path, true);
    }
}

static bool take_git(intake *t, const layout_item *item, const char *top);

/* What is checked out is as old as its last commit. */
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
    const char *why_not = NULL;
    char lab[INTAKE_NAME], why[300], probe[1200];
    bool named, ignored, taken = false;
    found f;
    size_t n = 0, i = t->at;
    if (i >= l->count || strcmp(l->item[i].path, file->path) != 0) return true; /* it changed */
    t->at++;
    const layout_item *item = &l->item[i];
    const char *path = path_for(t, i), *shown = *item->path ? item->path : layout_file(l->in);
    if (!path) return true;
    if (item->folder) {
        SAY(probe, "%s/?", path);
        if (t->im->find(l, probe, 0, &f)) see(t, f.student, item->path, false);
        if (item->problem) t->sink->other(t->sink->user, INTAKE_LEFT, shown, item->problem);
        if (!item->repository || strchr(path, '/')) return true;
        if (t->o->at) return take_git(t, item, path);
        enter_repository(t, item);
        return true;
    }
    bool by_commit = t->im->is == git_is || t->im->is == classroom_is;
    if (t->o->at && by_commit) return true; /* as it was, not as it is checked out */
    if (item->problem && (item->packed || !item->source)) {
        t->sink->other(t->sink->user, INTAKE_LEFT, shown, item->problem);
        return true;
    }
    if (!t->im->find(l, path, 0, &f)) {
        bool metadata = t->im->metadata && !strcmp(path, t->im->metadata);
        if (!metadata)
            t->sink->other(t->sink->user, item->source ? INTAKE_LEFT : INTAKE_IGNORED, shown,
                           item->source ? "it is not said whose it is" : "not a submission");
        return true;
    }
    if (!lab_for(t, &f, lab, &named, why, &ignored) ||
        (t->o->lab && !named && has_named(t, f.student))) {
        see(t, f.student, item->path, false);
        t->sink->other(t->sink->user, ignored ? INTAKE_IGNORED : INTAKE_LEFT, shown,
                       *why ? why : "a second file beside the one of the lab's name");
        return true;
    }
    char *data = item->problem ? NULL : tree_bytes(file, t->o->source_limit, &n, &why_not);
    bool ok = true;
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
    char path[1200], lab[INTAKE_NAME], why[300];
    bool named, ignored, ok = true;
    found f;
    size_t n = 0;
    lib_message msg = {0};
    SAY(path, "%s/%s", top, file);
    if (!is_source(file) || !t->im->find(&t->l, path, 0, &f)) return true;
    f.timed = true;
    f.time = time;
    if (!lab_for(t, &f, lab, &named, why, &ignored)) {
        t->sink->other(t->sink->user, ignored ? INTAKE_IGNORED : INTAKE_LEFT, path, why);
        return true;
    }
    char *data = git_bytes(repository, commit, file, t->o->source_limit, &n, &msg);
    see(t, f.student, path, true);
    ok = hand_on(t, &f, lab, path, data, n, data ? NULL : "git could not read it");
    free(data);
    return ok;
}

/* With --at the files of a repository are those of that commit. */
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
    if (!files) t->sink->other(t->sink->user, INTAKE_LEFT, item->path, msg.text);
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
        t->has_roster = true;
        if (!(t->matched = calloc(t->people.count + 1, 1))) return false;
    }
    if (!choose(t)) {
        for (size_t i = 0; i < t->l.count; i++)
            if (!t->l.item[i].folder)
                t->sink->other(t->sink->user, INTAKE_LEFT,
                               *t->l.item[i].path ? t->l.item[i].path : layout_file(o->in),
                               t->l.item[i].problem ? t->l.item[i].problem
                                                    : "of no layout that is known");
        return true;
    }
    if (o->lab) first_look(t);
    if (!t->ok || !tree_walk(o->in, take, t, t->msg)) return false;
    tell_students(t);
    for (size_t i = 0; i < t->people.count; i++) t->told->without += !t->matched[i];
    return t->ok;
}

bool intake_read(const intake_options *o, const intake_sink *sink, intake_told *told,
                 lib_message *msg) {
    intake t = {
        .o = o, .sink = sink, .told = told, .msg = msg, .ok = true, .l = {.in = o->in, .o = o}};
    *told = (intake_told){0};
    bool ok = intake_run(&t);
    if (!ok && !msg->text[0]) lib_message_set2(msg, "out of memory", "内存不足");
    forget(&t);
    return ok;
}
