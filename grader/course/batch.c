/* The batch: grades each submission once, in its own process. Each record is completely on the disk
 * before the next step.
 *
 *   manifest --entries without a final record--> fork a worker each
 *            --build, grade--> OUT/records/KEY.json --> exit
 *
 * If a worker dies without a record, an infra_error record is written. A worker that is too slow is
 * killed.
 *
 * No state is only in this process. It can be killed at any moment; the next run continues with the
 * same records. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/base/sha256.h"
#include "grader/course/rows.h"
#include "grader/result.h"
#include "grader/json/json.h"
#include "words/course.h"
#include "words/said.h"

enum { MAX_JOBS = 256, EXIT_NO_ROOM = 75 };

typedef struct {
    pid_t pid;
    size_t entry;
    double deadline;
    bool killed;
} worker;

typedef struct {
    grade_batch b; /* the caller's options, with the seed and the secret in use */
    int out, locks[2];
    sigset_t signals; /* the mask before this run, restored in workers */
    store_manifest m;
    intake_told told;
    worker w[MAX_JOBS];
    unsigned jobs, running;
    size_t done, todo; /* submissions that this run grades */
    bool last_round;   /* the round that retries what could not be graded */
    grade_batch_summary *sum;
    lib_message *msg;
    char by_rules[600]; /* how new rules change grades, in lines */
} batch;

static bool mine(const batch *t, size_t i) {
    const grade_batch *b = &t->b;
    const store_entry *e = &t->m.entry[i];
    return e->graded && !e->left_alone && (b->shards < 2 || i % b->shards == b->shard);
}

/* ---- keys ---- */

static void make_key(const grade_batch *b, store_entry *e) {
    lib_sha256 h;
    json_t *why = e->problem ? json_message(e->problem) : NULL;
    char seeds[64], *problem = why ? json_written(why, false) : NULL;
    const char *version = b->lab_version(b->user, e->lab);
    SAY(seeds, "%llu/%llu", (unsigned long long)b->seed, (unsigned long long)b->secret);
    lib_sha256_init(&h);
    lib_sha256_add_text(&h, "warplab record");
    lib_sha256_add_text(&h, e->student);
    lib_sha256_add_text(&h, e->lab);
    lib_sha256_add_text(&h, e->sha);
    lib_sha256_add_text(&h, problem);
    lib_sha256_add_text(&h, version);
    lib_sha256_add_text(&h, GRADE_VERSION);
    lib_sha256_add_text(&h, b->toolchain);
    lib_sha256_add_text(&h, b->device);
    lib_sha256_add_text(&h, seeds);
    lib_sha256_end_hex(&h, e->key);
    free(problem);
    json_decref(why);
}

/* Chooses the secret of this OUT: drawn once, or the first one that was given. Another secret would
 * make every record outdated, so OUT never gets another one. */
static bool keep_secret(batch *t) {
    size_t n;
    char *text = store_read(t->out, "secret", 64, &n), line[32];
    uint64_t kept = text ? strtoull(text, NULL, 10) : 0;
    bool lost = !text && !faccessat(t->out, "secret", F_OK, 0);
    free(text);
    if (lost) { /* another secret would grade everything anew */
        lib_message_set(t->msg, w_course_secret_not_readable(t->b.out));
        return false;
    }
    if (kept && t->b.secret && kept != t->b.secret) {
        lib_message_set(t->msg, w_course_other_secret(t->b.out));
        return false;
    }
    /* the task of a cluster is not given the secret, but must use it */
    if (kept) t->b.secret = kept;
    if (kept || (!t->b.own_secret && !t->b.secret)) return true;
    while (!t->b.secret)
        if (getrandom(&t->b.secret, sizeof t->b.secret, 0) != sizeof t->b.secret) {
            lib_message_set(t->msg, w_course_no_random_numbers(errno));
            return false;
        }
    SAY(line, "%llu\n", (unsigned long long)t->b.secret);
    return t->b.plan_only || store_write(t->out, "secret", line, strlen(line), 0600, t->msg);
}

/* ---- records ---- */

static const char *state_of(const grade_result *r) {
    switch (r->verdict) {
    case GRADE_ERROR: return r->ungradable ? "ungradable" : "infra_error";
    case GRADE_AMBIGUOUS: return "ambiguous";
    case GRADE_SUSPECT: return "suspect";
    default: return "graded";
    }
}

/* A record: its identity first, then the result's own fields. */
static json_t *make_record(const batch *t, const store_entry *e, const char *state,
                           json_t *result) {
    json_t *o = json_object();
    json_object_set_new(o, "record", json_integer(1));
    json_object_set_new(o, "key", json_text(e->key));
    json_object_set_new(o, "student", json_text(e->student));
    json_object_set_new(o, "lab", json_text(e->lab));
    json_object_set_new(o, "state", json_text(state));
    json_object_set_new(o, "submission", json_text(e->sha));
    json_object_set_new(o, "grader", json_text(GRADE_VERSION));
    json_object_set_new(o, "tools", json_text(t->b.toolchain));
    /* the program's output is kept in its own file (save_output) */
    json_object_del(result, "output");
    json_object_update(o, result);
    json_decref(result);
    return o;
}

/* Writes a record, but never replaces a final record by one that is not final. */
static bool save_record(const batch *t, const store_entry *e, json_t *record, lib_message *msg) {
    json_t *old = record_load(t->out, e->key);
    bool keep = old && record_final(old) && !record_final(record),
         ok = !old || record_known(old, e->key, msg);
    json_decref(old);
    if (!keep && ok) {
        char path[96], *text = json_written(record, true);
        SAY(path, "records/%s.json", e->key);
        ok = text && store_write(t->out, path, text, strlen(text), 0600, msg);
        free(text);
    }
    json_decref(record);
    return ok;
}

/* Writes a record without a grading: the file could not be taken in, or a worker died. */
static bool save_problem(const batch *t, const store_entry *e, const char *state, lib_words why,
                         lib_message *msg) {
    json_t *said = json_object();
    char *text = lib_words_take(t->b.lang, why);
    for (int l = 0; l < LIB_LANGS; l++) {
        char *own = lib_words_take((lib_lang)l, why);
        json_set(said, lib_lang_name((lib_lang)l), json_text(own));
        free(own);
    }
    json_t *r = json_pack("{s:i,s:s,s:n,s:i,s:o,s:o,s:o}", "version", 1, "verdict", "error",
                          "score", "max_score", 0, "device", json_text(t->b.device), "message",
                          json_text(text), "messages", said);
    free(text);
    if (!r) {
        lib_message_set(msg, w_said_out_of_memory());
        return false;
    }
    return save_record(t, e, make_record(t, e, state, r), msg);
}

/* ---- the worker ---- */

static void save_output(const batch *t, const store_entry *e, const grade_result *r) {
    char path[96], *clean = r->output_len ? lib_clean(r->output, r->output_len) : NULL;
    lib_message ignored;
    SAY(path, "output/%s.txt", e->key);
    if (clean && *clean) store_write(t->out, path, clean, strlen(clean), 0600, &ignored);
    free(clean);
}

static int worker_main(const batch *t, const store_entry *e) {
    grade_result r = {0};
    lib_message msg = {0};
    char source[4200], folder[4200], name[96];
    SAY(name, "work/%s", e->key);
    SAY(source, "%s/submissions/%s.cu", t->b.out, e->sha);
    SAY(folder, "%s/%s", t->b.out, name);
    store_remove_tree(t->out, name);
    if (!store_folder(t->out, name, &msg)) return EXIT_NO_ROOM;
    bool saved;
    if (t->b.grade(t->b.user, &t->b, e->lab, source, folder, &r, &msg)) {
        const lib_message why = msg;
        saved = save_problem(t, e, "infra_error", lib_message_words(&why), &msg);
    } else if (t->b.cancel && *t->b.cancel && r.verdict == GRADE_ERROR) {
        return 0; /* cancelled: no record, because neither the submission nor the machine failed */
    } else {
        json_t *o = report_object(&r, t->b.lang);
        save_output(t, e, &r);
        saved = o && save_record(t, e, make_record(t, e, state_of(&r), o), &msg);
    }
    store_remove_tree(t->out, name);
    if (saved) return 0;
    lib_words_print(stderr, t->b.lang, lib_message_words(&msg));
    fputc('\n', stderr);
    return EXIT_NO_ROOM;
}

static void batch_unlock(batch *t) {
    for (int i = 0; i < 2; i++) {
        if (t->locks[i] >= 0) close(t->locks[i]);
        t->locks[i] = -1;
    }
}

static bool worker_start(batch *t, size_t i) {
    pid_t parent = getpid(), pid;
    fflush(stdout);
    fflush(stderr);
    pid = fork();
    if (pid < 0) {
        lib_message_set(t->msg, w_course_cannot_start_worker(errno));
        return false;
    }
    if (!pid) {
        setpgid(0, 0);
        batch_unlock(t);
        sigprocmask(SIG_SETMASK, &t->signals, NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(0); /* the parent died before prctl() */
        _exit(worker_main(t, &t->m.entry[i]));
    }
    setpgid(pid, pid);
    t->w[t->running++] =
        (worker){.pid = pid,
                 .entry = i,
                 .deadline = lib_now() + (t->b.worker_limit_s > 0 ? t->b.worker_limit_s : 300)};
    return true;
}

/* ---- the parent ---- */

static void tell(batch *t, const store_entry *e) {
    json_t *r = record_load(t->out, e->key);
    if (!r) return;
    char who[256];
    /* What the second round tries again does not count as done in the first. */
    t->done += t->last_round || strcmp(report_text(r, "state"), "infra_error") != 0;
    store_called(e, who, sizeof who);
    if (t->b.progress)
        t->b.progress(t->b.user, t->done, t->todo, who, e->lab, report_text(r, "state"),
                      report_number(r, "score"), report_number(r, "max_score"),
                      report_said(r, LIB_EN));
    json_decref(r);
}

/* Handles the end of a worker. Returns false if the batch cannot continue. */
static bool worker_finish(batch *t, worker *w, int status) {
    store_entry *e = &t->m.entry[w->entry];
    char name[96];
    bool ok = true;
    SAY(name, "work/%s", e->key);
    kill(-w->pid, SIGKILL); /* kills what the worker left behind */
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_ROOM) {
        lib_message_set(t->msg, w_course_record_not_written(e->student, e->lab, t->b.out));
        ok = false;
    } else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        double limit = t->b.worker_limit_s > 0 ? t->b.worker_limit_s : 300;
        int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        ok = save_problem(t, e, "infra_error",
                          w->killed ? w_course_worker_time_limit(limit)
                          : number  ? w_course_worker_signal(number, strsignal(number))
                                    : w_course_worker_status(WEXITSTATUS(status)),
                          t->msg);
    }
    store_remove_tree(t->out, name);
    if (ok) tell(t, e);
    return ok;
}

static bool is_worker(const batch *t, pid_t pid) {
    for (unsigned i = 0; i < t->running; i++)
        if (t->w[i].pid == pid) return true;
    return false;
}

/* Reaps the processes of a killed worker's sandbox: this process is their parent now, and no other
 * process waits for them. */
static void orphans_reap(const batch *t) {
    siginfo_t ended = {0};
    while (!waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) && ended.si_pid > 0 &&
           !is_worker(t, ended.si_pid)) {
        waitpid(ended.si_pid, NULL, WNOHANG);
        ended.si_pid = 0;
    }
}

static bool workers_reap(batch *t, bool block) {
    for (;;) {
        int status;
        double soonest = lib_now() + 0.2;
        orphans_reap(t);
        for (unsigned i = 0; i < t->running; i++) {
            worker *w = &t->w[i];
            pid_t pid = waitpid(w->pid, &status, WNOHANG);
            if (pid == w->pid) {
                worker ended = *w;
                *w = t->w[--t->running];
                return worker_finish(t, &ended, status);
            }
            if (lib_now() > w->deadline && !w->killed) {
                w->killed = true;
                kill(-w->pid, SIGKILL);
            }
        }
        if (!block || !t->running || (t->b.cancel && *t->b.cancel)) return true;
        /* Sleeps until a child ends (SIGCHLD may be pending already) or the next deadline. */
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGCHLD);
        double left = soonest - lib_now();
        struct timespec ts = {0, (long)((left > 0.001 ? left : 0.001) * 1e9)};
        sigtimedwait(&set, NULL, &ts);
    }
}

static void workers_kill(batch *t) {
    for (unsigned i = 0; i < t->running; i++) kill(-t->w[i].pid, SIGKILL);
    for (unsigned i = 0; i < t->running; i++) waitpid(t->w[i].pid, NULL, 0);
    t->running = 0;
}

/* Grades this shard's entries that have no final record. Entries that cannot be graded get their
 * record here. */
static bool grade_entries(batch *t, bool again) {
    bool ok = true;
    t->last_round = again;
    for (size_t i = 0; ok && i < t->m.count && !(t->b.cancel && *t->b.cancel); i++) {
        store_entry *e = &t->m.entry[i];
        if (!mine(t, i)) continue;
        json_t *old = record_load(t->out, e->key);
        bool final = old && record_final(old),
             retry = old && !strcmp(report_text(old, "state"), "infra_error");
        json_decref(old);
        if (final || (again && !retry)) {
            if (!again) t->sum->skipped++;
            continue;
        }
        bool quiz = t->b.lab_quiz && t->b.lab_quiz(t->b.user, e->lab);
        if (e->problem || quiz || !t->b.lab_version(t->b.user, e->lab)) {
            ok = save_problem(t, e, "ungradable",
                              e->problem ? w_course_not_gradable(e->problem)
                              : quiz     ? w_course_quiz(e->lab)
                                         : w_course_no_lab(e->lab),
                              t->msg);
            if (ok) tell(t, e);
            continue;
        }
        while (ok && t->running >= t->jobs && !(t->b.cancel && *t->b.cancel))
            ok = workers_reap(t, true);
        if (ok && !(t->b.cancel && *t->b.cancel)) ok = worker_start(t, i);
        if (ok) ok = workers_reap(t, false);
    }
    while (ok && t->running && !(t->b.cancel && *t->b.cancel)) ok = workers_reap(t, true);
    if (!ok || (t->b.cancel && *t->b.cancel)) workers_kill(t);
    if (ok && t->b.cancel && *t->b.cancel) {
        lib_message_set(t->msg, w_course_cancelled());
        ok = false;
    }
    return ok;
}

static void count(batch *t) {
    grade_batch_summary *s = t->sum;
    s->refused = t->m.refused_count;
    s->left = t->m.left_count;
    for (size_t i = 0; i < 3 && i < s->left; i++)
        manifest_said(&t->m, t->m.left[i], &s->first_left[i]);
    if (t->told.importer) {
        SAY(s->importer, "%s", t->told.importer);
        s->layout = t->told.what;
    }
    s->off_roster = t->told.off_roster;
    s->without = t->told.without;
    s->roster = t->told.roster;
    for (size_t i = 0; i < t->m.count; i++) s->uncounted += !t->m.entry[i].graded;
    for (size_t i = 0; i < t->m.count; i++) {
        if (!mine(t, i) && !t->m.entry[i].left_alone) continue;
        json_t *r = record_load(t->out, t->m.entry[i].key);
        const char *state = report_text(r, "state");
        s->graded += !strcmp(state, "graded");
        s->ungradable += !strcmp(state, "ungradable");
        s->infra_error += !strcmp(state, "infra_error");
        s->ambiguous += !strcmp(state, "ambiguous");
        s->suspect += !strcmp(state, "suspect");
        json_decref(r);
    }
}

static int take_lock(const batch *t, const char *name, int how) {
    int fd = store_lock(t->out, name, !t->b.plan_only);
    /* A batch that was just killed leaves dying workers, which hold its lock for another moment. */
    for (int tries = 0; fd >= 0 && flock(fd, how | LOCK_NB); tries++) {
        if (errno != EWOULDBLOCK || tries == 60) {
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    }
    return fd;
}

/* Allows one run at a time for a folder. The tasks of a cluster share the folder; each locks its
 * own part. */
static bool lock(batch *t) {
    char name[64];
    bool part = t->b.shards > 1;
    t->locks[0] = take_lock(t, "lock", part ? LOCK_SH : LOCK_EX);
    if (t->locks[0] < 0) {
        /* no run has ever locked it */
        if (t->b.plan_only && faccessat(t->out, "lock", F_OK, 0)) return true;
        lib_message_set(t->msg, w_course_other_batch_at_work(t->b.out));
        return false;
    }
    if (!part) return true;
    SAY(name, "lock.%u", t->b.shard);
    t->locks[1] = take_lock(t, name, LOCK_EX);
    if (t->locks[1] < 0) lib_message_set(t->msg, w_course_part_at_work(t->b.shard, t->b.out));
    return t->locks[1] >= 0;
}

/* Loads the course's rules: those given now, otherwise those kept. */
static bool load_rules(batch *t, policy *p) {
    return policy_load(p, t->out, t->b.rules, t->b.pack_rules, t->msg);
}

static bool keep_text(batch *t, const char *name, const char *text) {
    return !text || store_write(t->out, name, text, strlen(text), 0600, t->msg);
}

/* Keeps what was given, once the rules are known to be right. A plan changes nothing. */
static bool keep_options(batch *t) {
    policy p;
    if (!load_rules(t, &p)) return false;
    policy_free(&p);
    return t->b.plan_only || (keep_text(t, "course.json", t->b.rules) &&
                              keep_text(t, "pack-rules.json", t->b.pack_rules) &&
                              keep_text(t, "settings.json", t->b.settings));
}

/* Returns whether OUT keeps the same text already. */
static bool as_kept(const batch *t, const char *name, const char *text) {
    size_t n;
    char *kept = text ? store_read(t->out, name, (size_t)16 << 20, &n) : NULL;
    bool same = !text || (kept && !strcmp(kept, text));
    free(kept);
    return same;
}

/* Computes a grade in the course's gradebook. */
static bool in_book(const course *c, const course_row *r, double *points) {
    if (!r || !course_score(r, points)) return false;
    double full = policy_for(&c->rules, r->lab).points;
    if (full > 0 && r->most > 0) *points *= full / r->most;
    return true;
}

/* New rules change no record, but they change what records are worth. Lists the grades that will
 * change. */
static void compare_rules(batch *t) {
    enum { SAID_MOST = 3 };
    size_t changed = 0;
    lib_buffer all = {0};
    bool same =
        as_kept(t, "course.json", t->b.rules) && as_kept(t, "pack-rules.json", t->b.pack_rules);
    course old, now;
    lib_message ignored;
    if (same || faccessat(t->out, "manifest.json", F_OK, 0)) return;
    bool ok = course_load(&old, t->b.out, &ignored);
    if (course_load_under(&now, t->b.out, t->b.rules, t->b.pack_rules, &ignored) && ok) {
        for (size_t i = 0; i < now.count; i++) {
            const course_row *r = &now.row[i], *o = course_find(&old, r->student, r->lab);
            double before, after;
            if (!in_book(&old, o, &before) || !in_book(&now, r, &after) ||
                fabs(before - after) < 1e-9)
                continue;
            char from[32], to[32];
            if (changed++ < SAID_MOST)
                lib_buffer_printf(&all, "%.40s %.40s %s -> %s\n", r->student, r->lab,
                                  lib_number(from, before), lib_number(to, after));
        }
        if (changed > SAID_MOST) lib_buffer_puts(&all, "...\n");
        char *lines = lib_buffer_take(&all);
        lib_words_text(t->by_rules, sizeof t->by_rules, t->b.lang,
                       changed ? w_course_rules_change_grades((long long)changed, lines)
                               : w_course_rules_change_nothing());
        free(lines);
    }
    course_free(&now);
    course_free(&old);
}

static bool mark_attempts(batch *t) {
    policy p;
    if (!load_rules(t, &p)) return false;
    policy_mark(&p, &t->m);
    policy_free(&p);
    return true;
}

/* ---- the plan ---- */

/* Everything on which a record depends, except the submission. Kept as OUT/basis.json, so that the
 * next run can say what has changed. */
static json_t *basis_of(const batch *t) {
    json_t *o = json_object(), *labs = json_object();
    lib_sha256 h;
    char seeds[64], hex[65];
    SAY(seeds, "%llu/%llu", (unsigned long long)t->b.seed, (unsigned long long)t->b.secret);
    lib_sha256_init(&h);
    lib_sha256_add_text(&h, seeds);
    lib_sha256_end_hex(&h, hex); /* only a hash: one file with the secret is enough */
    json_object_set_new(o, "grader", json_text(GRADE_VERSION));
    json_object_set_new(o, "toolchain", json_text(t->b.toolchain));
    json_object_set_new(o, "device", json_text(t->b.device));
    json_object_set_new(o, "seeds", json_text(hex));
    for (size_t i = 0; i < t->m.count; i++) {
        const char *lab = t->m.entry[i].lab, *version = t->b.lab_version(t->b.user, lab);
        if (version && !json_object_get(labs, lab))
            json_object_set_new(labs, lab, json_text(version));
    }
    json_object_set_new(o, "labs", labs);
    return o;
}

/* Adds a line about a change if there is room. */
static void changed_line(const batch *t, grade_batch_plan *plan, lib_words words) {
    size_t used = strlen(plan->why);
    char *text = lib_words_take(t->b.lang, words);
    if (*text) lib_say(plan->why + used, sizeof plan->why - used, "%s\n", text);
    free(text);
}

static void compare_basis(const batch *t, const json_t *old, const json_t *now,
                          grade_batch_plan *plan) {
    const char *lab;
    json_t *version;
    static const struct {
        const char *key;
        lib_word_id what;
    } parts[] = {{"grader", W_COURSE_GRADER_VERSION},
                 {"toolchain", W_COURSE_TOOLS},
                 {"device", W_COURSE_DEVICE}};
    for (size_t i = 0; old && i < sizeof parts / sizeof *parts; i++) {
        const char *x = report_text(old, parts[i].key), *y = report_text(now, parts[i].key);
        if (strcmp(x, y) != 0) changed_line(t, plan, w_course_changed(parts[i].what, x, y));
    }
    if (old && strcmp(report_text(old, "seeds"), report_text(now, "seeds")) != 0)
        changed_line(t, plan, w_course_seeds_changed());
    json_object_foreach(json_object_get(old, "labs"), lab, version) {
        json_t *x = json_object_get(json_object_get(now, "labs"), lab);
        if (x && !json_equal(x, version)) changed_line(t, plan, w_course_lab_changed(lab));
    }
}

static bool has_record(const batch *t, const char *key, bool *final) {
    json_t *r = record_load(t->out, key);
    bool there = r != NULL;
    *final = r && record_final(r);
    json_decref(r);
    return there;
}

/* `before` has the entries of the last run. */
static bool make_plan(batch *t, const store_manifest *before, grade_batch_plan *plan) {
    *plan = (grade_batch_plan){0};
    size_t n, k = 0;
    char *text = store_read(t->out, "basis.json", (size_t)16 << 20, &n);
    json_t *old = text ? json_loadb(text, n, 0, NULL) : NULL, *now = basis_of(t);
    free(text);
    compare_basis(t, old, now, plan);
    size_t said = strlen(plan->why);
    if (*t->by_rules) lib_say(plan->why + said, sizeof plan->why - said, "%s\n", t->by_rules);
    for (size_t i = 0; i < t->m.count; i++) {
        store_entry *e = &t->m.entry[i];
        bool final, stale = false;
        /* Both lists have the same order; any attempt of a student will do. */
        while (k < before->count && (strcmp(before->entry[k].lab, e->lab) < 0 ||
                                     (!strcmp(before->entry[k].lab, e->lab) &&
                                      strcmp(before->entry[k].student, e->student) < 0)))
            k++;
        for (size_t j = k; j < before->count && !strcmp(before->entry[j].lab, e->lab) &&
                           !strcmp(before->entry[j].student, e->student);
             j++)
            if (!strcmp(before->entry[j].sha, e->sha) && strcmp(before->entry[j].key, e->key) != 0)
                stale |= has_record(t, before->entry[j].key, &final) && final;
        if (!mine(t, i)) continue;
        bool there = has_record(t, e->key, &final);
        if (t->b.changed_only && !stale && !final) e->left_alone = true;
        else if (final) plan->done++;
        else if (stale) plan->changed++;
        else if (there) plan->again++;
        else plan->fresh++;
    }
    text = json_written(now, true);
    bool ok = t->b.plan_only ||
              (text && store_write(t->out, "basis.json", text, strlen(text), 0600, t->msg));
    free(text);
    json_decref(old);
    json_decref(now);
    return ok;
}

static bool keep_given(batch *t) {
    bool ok = store_folder(t->out, "given", t->msg);
    for (size_t i = 0; ok && t->b.lab_given && i < t->m.count; i++) {
        char path[300];
        const char *lab = t->m.entry[i].lab;
        /* labs are sorted, so equal ones are neighbours */
        if (i && !strcmp(lab, t->m.entry[i - 1].lab)) continue;
        char *text = t->b.lab_given(t->b.user, lab);
        SAY(path, "given/%s.cu", lab);
        ok = !text || store_write(t->out, path, text, strlen(text), 0600, t->msg);
        free(text);
    }
    return ok;
}

/* A repository that was not read to its end says nothing about who handed in what. */
static bool batch_cancelled(const batch *t) {
    if (lib_raised(t->b.cancel)) lib_message_set(t->msg, w_course_cancelled());
    return lib_raised(t->b.cancel);
}

/* Makes the new list and the plan for it. */
static bool batch_plan(batch *t) {
    store_manifest before;
    grade_batch_plan plan;
    bool had = manifest_load(&before, t->out, t->msg), ok = had || !lib_message_any(t->msg);
    if (ok && !had && t->b.again && !t->b.ingest) {
        lib_message_set(t->msg, w_course_nothing_taken_yet(t->b.out));
        ok = false;
    }
    if (ok && t->b.ingest) {
        ok = batch_ingest(&t->b, t->out, &t->m, &t->told, t->msg);
        ok = !batch_cancelled(t) && ok &&
             manifest_merge(&t->m, t->out, t->b.in, t->b.only_lab, t->msg);
    } else if (ok) ok = manifest_load(&t->m, t->out, t->msg);
    ok = ok && mark_attempts(t);
    for (size_t i = 0; ok && i < t->m.count; i++) make_key(&t->b, &t->m.entry[i]);
    ok = ok && make_plan(t, &before, &plan);
    if (ok && t->b.plan) t->b.plan(t->b.user, &plan);
    if (ok && !t->b.plan_only) ok = keep_given(t) && manifest_save(&t->m, t->out, t->msg);
    manifest_free(&before);
    return ok;
}

static bool batch_prepare(batch *t) {
    static const char *const folders[] = {"submissions", "records", "output", "work"};
    for (size_t i = 0; !t->b.plan_only && i < sizeof folders / sizeof *folders; i++)
        if (!store_folder(t->out, folders[i], t->msg)) return false;
    if (!keep_secret(t)) return false;
    if (!t->b.ingest && !t->b.again) {
        if (manifest_load(&t->m, t->out, t->msg)) return true;
        if (!lib_message_any(t->msg)) lib_message_set(t->msg, w_course_nothing_taken_yet(t->b.out));
        return false;
    }
    if (!t->b.plan_only) {
        static const char *const swept[] = {".", "submissions", "records", "output", "reports"};
        for (size_t i = 0; i < sizeof swept / sizeof *swept; i++) store_sweep(t->out, swept[i]);
        store_remove_tree(t->out, "work");
        if (!store_folder(t->out, "work", t->msg)) return false;
    }
    compare_rules(t);
    return keep_options(t) && batch_plan(t);
}

bool grade_batch_known(const char *out, lib_message *msg) {
    return store_known(out, msg);
}

int grade_batch_run(const grade_batch *b, grade_batch_summary *s, lib_message *msg) {
    batch *t = calloc(1, sizeof *t);
    grade_batch_summary none;
    if (!s) s = &none;
    *s = (grade_batch_summary){0};
    *msg = (lib_message){0};
    if (!t) {
        lib_message_set(msg, w_said_out_of_memory());
        return -1;
    }
    *t = (batch){.b = *b, .sum = s, .msg = msg, .out = -1, .locks = {-1, -1}};
    t->jobs = b->jobs ? b->jobs : lib_cores();
    if (t->jobs > MAX_JOBS) t->jobs = MAX_JOBS;
    t->out = store_known(b->out, msg) ? store_open(b->out, msg) : -1;
    int rc = -1;
    /* The parent waits for SIGCHLD with a timeout. Therefore the signal must be blocked, not
     * ignored. */
    sigset_t chld;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, &t->signals);
    if (t->out >= 0 && lock(t) && batch_prepare(t)) {
        size_t own = 0, final = 0;
        for (size_t i = 0; i < t->m.count; i++) {
            bool is = false;
            s->total += mine(t, i) || t->m.entry[i].left_alone;
            if (!mine(t, i)) continue;
            own++;
            has_record(t, t->m.entry[i].key, &is);
            t->todo += !is;
        }
        /* Forking copies the page tables of this process. Without the memory that reading a long
         * list left behind, a submission costs the same time in every batch. */
        malloc_trim(0);
        bool ok = b->ingest_only || b->gather_only || b->plan_only ||
                  (grade_entries(t, false) && grade_entries(t, true));
        count(t);
        for (size_t i = 0; i < t->m.count; i++) {
            bool is = false;
            if (mine(t, i)) has_record(t, t->m.entry[i].key, &is);
            final += is;
        }
        if (ok) rc = final < own ? 1 : 0;
        if (ok && b->reports && !b->ingest_only && !b->plan_only &&
            grade_batch_reports(b->out, b->lang, msg))
            rc = -1;
    }
    sigprocmask(SIG_SETMASK, &t->signals, NULL);
    manifest_free(&t->m);
    batch_unlock(t);
    if (t->out >= 0) close(t->out);
    free(t);
    return rc;
}
