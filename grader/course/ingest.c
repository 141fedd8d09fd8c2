/* Takes submissions in: what grader/intake finds goes into the manifest and OUT/submissions, each
 * file once, read-only, named by its hash. This file limits sizes and counts. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/base/sha256.h"
#include "grader/course/policy.h"
#include "words/course.h"
#include "words/intake.h"
#include "words/said.h"

typedef struct {
    const grade_batch *b;
    int out;
    store_manifest *m;
    lib_message *msg;
    uint64_t total, files;
    bool full; /* a limit of the whole batch was reached */
} ingest;

static uint64_t source_limit(const grade_batch *b) {
    return b->source_limit ? b->source_limit : (uint64_t)1 << 20;
}

bool ingest_take(const grade_batch *b, int out, store_entry *e, const char *data, size_t n,
                 lib_message *msg) {
    char path[96];
    lib_sha256 h;
    e->size = n;
    if (n > source_limit(b))
        return store_problem(e, w_course_submission_too_long((long long)source_limit(b)));
    lib_sha256_init(&h);
    lib_sha256_add(&h, data, n);
    lib_sha256_end_hex(&h, e->sha);
    SAY(path, "submissions/%s.cu", e->sha);
    struct stat st;
    if (!fstatat(out, path, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
        (uint64_t)st.st_size == n)
        return true;
    return store_write(out, path, data, n, 0400, msg);
}

static bool within_limits(ingest *t, uint64_t size, const char *path) {
    uint64_t total = t->b->total_limit ? t->b->total_limit : (uint64_t)4 << 30,
             count = t->b->count_limit ? t->b->count_limit : 100000;
    if (t->full) return false;
    t->files++;
    t->total += size;
    if (t->files <= count && t->total <= total) return true;
    t->full = true;
    manifest_leave(t->m, path, w_course_batch_full());
    return false;
}

static bool ingest_keep(char **field, const char *text) {
    free(*field);
    return (*field = strdup(text)) != NULL;
}

static bool on_submission(void *user, const intake_submission *s) {
    ingest *t = user;
    if (!within_limits(t, s->size, s->source)) return true;
    store_entry *e = manifest_add(t->m, s->student, s->lab, s->source);
    if (!e || !ingest_keep(&e->name, s->name) || !ingest_keep(&e->ids, s->ids)) {
        lib_message_set(t->msg, w_said_out_of_memory());
        return false;
    }
    e->timed = s->timed;
    e->late = s->late;
    e->time = s->time;
    e->order = s->order;
    e->graded = true;
    if (s->data) return ingest_take(t->b, t->out, e, s->data, s->size, t->msg);
    return store_problem(e, lib_words_of(s->problem ? s->problem : W_INTAKE_FILE_NOT_READABLE));
}

static void on_other(void *user, intake_kind kind, const char *path, lib_words why) {
    ingest *t = user;
    if (kind == INTAKE_LEFT) manifest_leave(t->m, path, why);
    else manifest_refuse(t->m, path, why);
}

static bool lab_known(void *user, const char *lab) {
    const grade_batch *b = user;
    return !b->lab_version || b->lab_version(b->user, lab);
}

static bool lab_folder(void *user, const char *lab) {
    const grade_batch *b = user;
    return b->lab_folder && b->lab_folder(b->user, lab);
}

static const char kept_roster[] = "roster.csv";

/* Finds the given roster or the kept one; "": none. */
static bool find_roster(const grade_batch *b, int out, char path[4200]) {
    struct stat st;
    bool kept =
        !b->roster && !fstatat(out, kept_roster, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
    lib_say(path, 4200, "%s%s%s",
            b->roster ? b->roster
            : kept    ? b->out
                      : "",
            kept ? "/" : "", kept ? kept_roster : "");
    return kept;
}

static bool keep_roster(const char *path, int out, lib_message *msg) {
    size_t n;
    char *text = lib_read_file(path, (size_t)64 << 20, &n, msg);
    bool ok = text && store_write(out, kept_roster, text, n, 0600, msg);
    free(text);
    return ok;
}

bool batch_ingest(const grade_batch *b, int out, store_manifest *m, intake_told *told,
                  lib_message *msg) {
    ingest t = {.b = b, .out = out, .m = m, .msg = msg};
    intake_sink sink = {on_submission, on_other, &t};
    policy p;
    char roster[4200];
    bool kept = find_roster(b, out, roster);
    if (!policy_load(&p, out, b->rules, b->pack_rules, msg)) return false;
    intake_options o = {.in = b->in,
                        .from = b->from,
                        .lab = b->only_lab,
                        .roster = *roster ? roster : NULL,
                        .roster_kept = kept,
                        .at = b->at,
                        .prefix = b->prefix,
                        .zone = p.zone,
                        .file = p.file,
                        .files = p.files,
                        .source_limit = source_limit(b),
                        .lab_known = lab_known,
                        .lab_folder = lab_folder,
                        .user = (void *)b};
    bool ok = intake_read(&o, &sink, told, msg) &&
              (!b->roster || b->plan_only || keep_roster(roster, out, msg));
    policy_free(&p);
    manifest_sort(m);
    return ok;
}
