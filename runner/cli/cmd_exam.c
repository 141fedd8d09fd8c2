/* `warplab exam`: makes a course's key and tickets. `warplab grade exam`: grades the records
 * (practice/exam.h).
 *
 *   records --exam_judge--> points of questions
 *           their files --lab_grade--> points of labs  --> one line and one JSON object each */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/scratch.h"
#include "runner/base/sha256.h"
#include "runner/grade/grading.h"
#include "runner/lesson/measure.h"
#include "runner/practice/exam.h"
#include "runner/course/course_file.h"
#include "runner/cli/cli.h"
#include "grader/result.h"
#include "words/cli.h"

/* ---- key and tickets ---- */

/* The questions are drawn now, so that errors are found before a ticket is handed out. */
static bool write_ticket(const char *spec, const char *student, const exam_key *k, bank *b,
                         const char *folder, lib_message *msg) {
    char *text = exam_ticket(spec, student, k, (int64_t)time(NULL), msg);
    if (!text) return false;
    json_t *ticket = json_loads(text, 0, NULL);
    exam *e = lib_malloc(sizeof *e);
    char *path = lib_format("%s/%s.ticket.json", folder, student);
    bool ok = exam_open(ticket, b, e, msg) && lib_make_folders(folder, msg) &&
              lib_write_file(path, text, strlen(text), msg);
    if (ok) lib_print(stdout, "%s\n", path);
    free(path);
    free(e);
    json_decref(ticket);
    free(text);
    return ok;
}

static int make_tickets(char **argv, int argc, const char *key, const char *out) {
    lib_message msg = {0};
    exam_key k;
    const lib_paths *p = lib_paths_get(&msg);
    char *spec = p && exam_key_read(key, &k, &msg) ? course_file_read(argv[2], "exam", &msg) : NULL;
    bank *b = spec ? bank_open(p->root) : NULL;
    bool ok = spec != NULL;
    for (int i = 3; ok && i < argc; i++) ok = write_ticket(spec, argv[i], &k, b, out, &msg);
    bank_close(b);
    free(spec);
    return ok ? CLI_PASSED : cli_say(CLI_ERROR, &msg);
}

int cmd_exam(int argc, char **argv) {
    const char *key = NULL, *out = ".";
    const cli_option options[] = {
        {.name = "key", .value = &key}, {.name = "out", .value = &out}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    lib_message msg = {0};
    if (status >= 0) return status;
    if (argc == 3 && !strcmp(argv[1], "key"))
        return exam_key_make(argv[2], &msg) ? CLI_PASSED : cli_say(CLI_ERROR, &msg);
    if (argc >= 4 && !strcmp(argv[1], "make") && key) return make_tickets(argv, argc, key, out);
    return cli_fail(CLI_USAGE, w_cli_usage_exam());
}

/* ---- grading ---- */

typedef struct {
    const char *path;
    json_t *record, *told; /* told: the report about it */
    exam *e;
    exam_result result;
    const char *state;
    double points, max;
    bool failed; /* a lab could not be graded */
} sat;

typedef struct {
    const lib_paths *paths;
    bank *b;
    exam_key key;
    const char *device;
    sandbox_mode mode;
    uint64_t seed;
} exam_room;

static const struct {
    const char *name;
    lib_word_id why; /* why it does not count; id 0 if it does */
} states[] = {[EXAM_GOOD] = {"good", 0},
              [EXAM_FORGED_TICKET] = {"forged", W_CLI_EXAM_FORGED},
              [EXAM_CHANGED] = {"changed", W_CLI_EXAM_CHANGED},
              [EXAM_OTHER] = {"other", W_CLI_EXAM_OTHER},
              [EXAM_CLOCK] = {"clock", W_CLI_EXAM_CLOCK}};

static json_t *labs_graded(exam_room *room, sat *s) {
    json_t *all = json_array();
    for (size_t i = 0; i < s->e->lab_count && !lib_cancel_flag; i++) {
        const exam_lab *el = &s->e->lab[i];
        const char *source = exam_source(s->record, s->e, el->lab);
        double points = 0;
        const char *verdict = "none";
        lib_message msg = {0};
        lib_scratch scratch = {0};
        s->max += el->points;
        if (source && lib_scratch_make(&scratch, room->paths->cache, &msg)) {
            char *path = lib_format("%s/%s.cu", scratch.path, el->file);
            lab *l = lab_load(room->paths->root, el->lab, &msg);
            grade_result r;
            grading_options o;
            grading_options_init(&o);
            o.device = room->device;
            o.secret = room->seed;
            o.mode = room->mode;
            if (l && lib_write_file(path, source, strlen(source), &msg)) {
                grade_verdict v = lab_grade(l, path, &o, &r);
                verdict = grade_verdict_name(v);
                if (v == GRADE_PASS || v == GRADE_FAIL)
                    points = r.max_score > 0 ? r.score / r.max_score * el->points : 0;
                else s->failed = true;
                grade_result_free(&r);
            } else {
                s->failed = true;
            }
            lab_free(l);
            free(path);
        } else if (source) {
            s->failed = true;
        }
        lib_scratch_remove(&scratch);
        s->points += points;
        json_array_append_new(all, json_pack("{s:s, s:s, s:f, s:f}", "lab", el->lab, "verdict",
                                             verdict, "points", points, "max", el->points));
    }
    return all;
}

static const char *in_record(const sat *s, const char *name) {
    const char *v = json_string_value(json_object_get(s->record, name));
    return v ? v : "";
}

/* Returns whether one student's exam was taken in two different sessions. Neither counts until a
 * person has looked. */
static bool opened_twice(const sat *all, size_t n, const sat *s) {
    for (size_t i = 0; i < n; i++)
        if (&all[i] != s && all[i].e && all[i].state && !strcmp(all[i].state, "good") &&
            !strcmp(all[i].e->id, s->e->id) && !strcmp(all[i].e->student, s->e->student) &&
            strcmp(in_record(&all[i], "session"), in_record(s, "session")) != 0)
            return true;
    return false;
}

static bool exam_load(exam_room *room, sat *s) {
    lib_message msg = {0};
    s->record = exam_read(s->path, "exam-record", &msg);
    s->e = lib_malloc(sizeof *s->e);
    if (s->record && exam_open(json_object_get(s->record, "ticket"), room->b, s->e, &msg)) {
        exam_judge(s->record, s->e, &room->key, &s->result);
        s->state = states[s->result.state].name;
        return true;
    }
    cli_fail(CLI_ERROR, w_cli_about(s->path, &msg));
    free(s->e);
    s->e = NULL;
    return false;
}

static void exam_say(const sat *s, lib_word_id why, lib_lang lang) {
    const exam_result *r = &s->result;
    if (why) {
        lib_words_print(stdout, lang, w_cli_exam_not_counted(s->e->id, s->e->student, why));
    } else {
        lib_words_print(stdout, lang,
                        w_cli_exam_result(s->e->id, s->e->student, s->points, s->max, r->right,
                                          r->wrong, r->open, r->late));
        if (!r->ended) lib_words_print(stdout, lang, w_cli_exam_not_handed_in());
        if (s->failed) lib_words_print(stdout, lang, w_cli_exam_lab_failed());
    }
    puts("");
}

static json_t *exam_json(sat *s, const char *why, json_t *labs) {
    const exam_result *r = &s->result;
    bool counts = !*why && !s->failed;
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:f, s:i, s:i, s:i, s:i, s:b, s:f, s:I, s:o}",
                     "exam", s->e->id, "student", s->e->student, "state", s->state, "why", why,
                     "points", counts ? json_real(s->points) : json_null(), "max", s->max, "right",
                     (int)r->right, "wrong", (int)r->wrong, "open", (int)r->open, "late",
                     (int)r->late, "handed_in", r->ended, "seconds", exam_elapsed(s->record),
                     "started", json_integer_value(json_object_get(s->record, "started")), "labs",
                     labs);
}

/* Returns 0, or 3 if one of them does not count. */
static int grade_all(exam_room *room, sat *all, size_t n, const char *json, lib_lang lang) {
    json_t *out = json_array();
    int status = CLI_PASSED;
    lib_message msg = {0};
    for (size_t i = 0; i < n; i++)
        if (!exam_load(room, &all[i])) status = CLI_ERROR;
    for (size_t i = 0; i < n && !lib_cancel_flag; i++) {
        sat *s = &all[i];
        if (!s->e) continue;
        lib_word_id why = states[s->result.state].why;
        bool twice = s->result.state == EXAM_GOOD && opened_twice(all, n, s);
        if (twice) why = W_CLI_EXAM_TWICE;
        s->points = s->result.points;
        s->max = s->result.max;
        json_t *labs = why ? json_array() : labs_graded(room, s);
        if (why || s->failed) status = CLI_ERROR;
        exam_say(s, why, lang);
        json_t *o = exam_json(s, lib_word(lang, why), labs);
        if (twice) json_object_set_new(o, "state", json_string("twice"));
        json_array_append_new(out, o);
    }
    char *text = exam_text(out);
    if (json && !lib_write_file(json, text, strlen(text), &msg)) status = cli_say(CLI_ERROR, &msg);
    free(text);
    json_decref(out);
    return lib_cancel_flag ? CLI_ERROR : status;
}

int cmd_grade_exam(int argc, char **argv) {
    const char *key = NULL, *json = NULL, *device = NULL;
    lib_lang lang;
    bool no_sandbox = false;
    const cli_option options[] = {
        {.name = "key", .value = &key},       {.name = "json", .value = &json},
        {.name = "device", .value = &device}, {.name = "no-sandbox", .flag = &no_sandbox},
        {.name = "lang", .lang = &lang},      {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    lib_message msg = {0};
    if (status >= 0) return status;
    if (argc < 2 || !key) return cli_fail(CLI_USAGE, w_cli_usage_grade_exam());
    exam_room room = {.device = device, .mode = no_sandbox ? SANDBOX_NONE : SANDBOX_REQUIRED};
    room.paths = lib_paths_get(&msg);
    if (!room.paths || !exam_key_read(key, &room.key, &msg)) return cli_say(CLI_ERROR, &msg);
    unsigned char hidden[32]; /* seed of cases that no student knows */
    lib_hmac(room.key.bytes, room.key.n, "hidden cases", 12, hidden);
    memcpy(&room.seed, hidden, sizeof room.seed);
    room.b = bank_open(room.paths->root);
    size_t n = (size_t)argc - 1;
    sat *all = calloc(n, sizeof *all);
    if (!all) abort();
    for (size_t i = 0; i < n; i++) all[i].path = argv[i + 1];
    status = grade_all(&room, all, n, json, lang);
    for (size_t i = 0; i < n; i++) {
        json_decref(all[i].record);
        free(all[i].e);
    }
    free(all);
    bank_close(room.b);
    return status;
}
