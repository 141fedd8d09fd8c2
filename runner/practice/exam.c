/* See exam.h. */
#include "runner/practice/exam.h"
#include "grader/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "grader/intake/when.h"
#include "grader/json/json.h"
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "runner/base/sha256.h"
#include "words/practice.h"

/* ---- the course's key ---- */

enum { KEY_LEAST = 16, KEY_DRAWN = 32 };

bool exam_key_read(const char *path, exam_key *k, lib_message *msg) {
    char *text = lib_read_file(path, sizeof k->bytes, &k->n, msg);
    if (!text) return false;
    while (k->n && (text[k->n - 1] == '\n' || text[k->n - 1] == '\r')) k->n--;
    bool ok = k->n >= KEY_LEAST;
    memcpy(k->bytes, text, k->n);
    free(text);
    if (!ok) lib_message_set(msg, w_practice_key_too_short(path, KEY_LEAST, k->n));
    return ok;
}

static bool random_hex(char *hex, size_t bytes, lib_message *msg) {
    unsigned char b[KEY_DRAWN];
    if (getrandom(b, bytes, 0) != (ssize_t)bytes) {
        lib_message_set(msg, w_practice_no_random_numbers(errno));
        return false;
    }
    for (size_t i = 0; i < bytes; i++) snprintf(hex + 2 * i, 3, "%02x", b[i]);
    return true;
}

bool exam_key_make(const char *path, lib_message *msg) {
    char hex[2 * KEY_DRAWN + 2];
    if (!random_hex(hex, KEY_DRAWN, msg)) return false;
    memcpy(hex + 2 * KEY_DRAWN, "\n", 2);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = fd >= 0 && lib_write_all(fd, hex, 2 * KEY_DRAWN + 1) && !fsync(fd);
    if (!ok) lib_message_set(msg, w_practice_cannot_write(path, errno));
    if (fd >= 0) close(fd);
    return ok;
}

/* ---- signatures ---- */

/* Signs the object without its "mac", as text that does not depend on the order of fields. */
static void mac_of(const json_t *object, const void *key, size_t n, char hex[EXAM_HEX]) {
    json_t *bare = json_copy((json_t *)(uintptr_t)object);
    json_object_del(bare, "mac");
    char *text = json_dumps(bare, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(bare);
    if (!text) abort();
    lib_hmac_hex(key, n, text, strlen(text), hex);
    free(text);
}

static bool mac_right(const json_t *object, const void *key, size_t n) {
    char hex[EXAM_HEX];
    const char *said = json_string_value(json_object_get(object, "mac"));
    if (!said) return false;
    mac_of(object, key, n, hex);
    return lib_same_hex(hex, said);
}

static const char *text_of(const json_t *object, const char *name) {
    const char *s = json_string_value(json_object_get(object, name));
    return s ? s : "";
}

/* Derives what only this student's ticket has: `what` is "seed" or "sign". */
static void secret_of(const json_t *ticket, const exam_key *k, const char *what,
                      char hex[EXAM_HEX]) {
    char label[400];
    snprintf(label, sizeof label, "warplab exam %s\n%s\n%s\n%s", what,
             text_of(json_object_get(ticket, "exam"), "id"), text_of(ticket, "student"),
             text_of(ticket, "nonce"));
    lib_hmac_hex(k->bytes, k->n, label, strlen(label), hex);
}

/* Returns the ticket without its key, for a record. */
static json_t *public_ticket(const json_t *ticket) {
    json_t *t = json_copy((json_t *)(uintptr_t)ticket);
    json_object_del(t, "sign");
    return t;
}

bool exam_ticket_ours(const json_t *ticket, const exam_key *k) {
    json_t *t = public_ticket(ticket);
    bool ours = mac_right(t, k->bytes, k->n);
    json_decref(t);
    return ours;
}

/* ---- the fields of exam.lua ---- */

static bool wrong_field(lib_message *msg, const char *field, lib_word_id expected) {
    lib_message_set(msg, w_practice_exam_expected(field, expected));
    return false;
}

static bool plain_id(const char *s) {
    size_t n = strlen(s);
    for (size_t i = 0; i < n; i++)
        if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
              (s[i] >= '0' && s[i] <= '9') || (i && strchr("-_.@", s[i]))))
            return false;
    return n > 0 && n <= EXAM_ID;
}

static bool whole_between(const json_t *v, int lo, int hi) {
    double d = json_number_value(v);
    return json_is_number(v) && d >= lo && d <= hi && d == floor(d);
}

static bool points_ok(const json_t *row, double *points) {
    const json_t *v = json_object_get(row, "points");
    if (v) *points = json_number_value(v);
    return !v || (json_is_number(v) && *points > 0 && *points <= 1000);
}

static bool moment(const json_t *spec, const char *name, int zone, int64_t *at, lib_message *msg) {
    const json_t *v = json_object_get(spec, name);
    if (!v || (json_is_string(v) && when_read(json_string_value(v), zone, at))) return true;
    return wrong_field(msg, name, W_PRACTICE_EXAM_MOMENT);
}

static bool read_spec(const json_t *spec, exam *e, lib_message *msg) {
    static const char names[] = " id title minutes opens closes timezone questions labs ";
    const char *name;
    json_t *v;
    int zone = 0;
    json_object_foreach((json_t *)(uintptr_t)spec, name, v) {
        char word[40];
        snprintf(word, sizeof word, " %.36s ", name);
        if (strstr(names, word)) continue;
        lib_message_set(msg, w_practice_exam_no_field(name, names + 1));
        return false;
    }
    const json_t *title = json_object_get(spec, "title"),
                 *minutes = json_object_get(spec, "minutes"),
                 *timezone = json_object_get(spec, "timezone");
    if (!plain_id(text_of(spec, "id"))) return wrong_field(msg, "id", W_PRACTICE_EXAM_ID);
    if (!*text_of(title, "en") || !*text_of(title, "zh"))
        return wrong_field(msg, "title", W_PRACTICE_EXAM_TITLE);
    if (!whole_between(minutes, 1, 24 * 60))
        return wrong_field(msg, "minutes", W_PRACTICE_EXAM_MINUTES);
    if (timezone && !when_zone(text_of(spec, "timezone"), &zone))
        return wrong_field(msg, "timezone", W_PRACTICE_EXAM_TIMEZONE);
    if (!moment(spec, "opens", zone, &e->opens, msg) ||
        !moment(spec, "closes", zone, &e->closes, msg))
        return false;
    SAY(e->id, "%s", text_of(spec, "id"));
    for (int l = 0; l < LIB_LANGS; l++)
        SAY(e->title[l], "%.190s", text_of(title, lib_lang_name((lib_lang)l)));
    e->minutes = json_number_value(minutes);
    return true;
}

/* ---- the draw ---- */

static bool taken(const exam *e, const bank_item *at) {
    for (size_t i = 0; i < e->question_count; i++)
        if (e->question[i].at.step == at->step) return true;
    return false;
}

static void take(exam *e, const bank_item *at, double points, uint64_t seed) {
    exam_question *q = &e->question[e->question_count];
    *q = (exam_question){.at = *at, .points = points};
    q->seed = seed + 1000003 * ++e->question_count;
    lab_question_key(at->step, q->key);
}

/* { chapter = 3, count = 4 }, { lab = "reduce", count = 2 }, { lab = "reduce", step = 4 } */
static bool draw_row(const json_t *row, bank *b, exam *e, uint64_t seed, lib_message *msg) {
    const json_t *chapter = json_object_get(row, "chapter"), *step = json_object_get(row, "step"),
                 *count = json_object_get(row, "count");
    const char *id = json_string_value(json_object_get(row, "lab"));
    double points = 1;
    if (!json_is_object(row) || !chapter == !id || (chapter && !whole_between(chapter, 1, 99)) ||
        (step && (!id || count || !whole_between(step, 1, 999))) ||
        (count && !whole_between(count, 1, EXAM_QUESTIONS)) || !points_ok(row, &points))
        return wrong_field(msg, "questions", W_PRACTICE_EXAM_ROWS);
    bank_filter f = {.chapter = chapter ? (int)json_number_value(chapter) : 0,
                     .lab = id,
                     .alone = !id,
                     .quick = true,
                     .quizzes = true};
    bank_item *items;
    size_t n = bank_find(b, &f, &items), free_count = 0,
           want = count ? (size_t)json_number_value(count) : 1;
    for (size_t i = 0; i < n; i++)
        if (!taken(e, &items[i]) && (!step || items[i].index + 1 == (int)json_number_value(step)))
            items[free_count++] = items[i];
    bool ok = free_count >= want && e->question_count + want <= EXAM_QUESTIONS;
    if (ok) bank_draw(items, free_count, want, seed + e->question_count);
    for (size_t i = 0; ok && i < want; i++) take(e, &items[i], points, seed);
    free(items);
    if (!ok && id)
        lib_message_set(msg, w_practice_exam_few_of_lab(id, (long long)free_count, (long long)want,
                                                        EXAM_QUESTIONS));
    else if (!ok)
        lib_message_set(msg, w_practice_exam_few_of_chapter(f.chapter, (long long)free_count,
                                                            (long long)want, EXAM_QUESTIONS));
    return ok;
}

static double all_points(const grade_lab *l) {
    double sum = 0;
    for (size_t i = 0; i < l->goal_count; i++) sum += l->goals[i].points;
    return sum;
}

static bool draw_labs(const json_t *labs, bank *b, exam *e, lib_message *msg) {
    for (size_t i = 0; i < json_array_size(labs); i++) {
        const json_t *row = json_array_get(labs, i);
        const char *id = json_is_string(row) ? json_string_value(row)
                                             : json_string_value(json_object_get(row, "lab"));
        exam_lab *l = &e->lab[e->lab_count];
        lab *there = id && e->lab_count < EXAM_LABS ? bank_lab_named(b, id) : NULL;
        bool ok = there && !there->quiz && there->grade.entry && !there->grade.file_count;
        if (ok) l->points = all_points(&there->grade);
        if (!ok || !points_ok(row, &l->points)) {
            lib_message_set(msg, w_practice_exam_lab_expected(id ? id : "?", EXAM_LABS));
            return false;
        }
        SAY(l->lab, "%s", id);
        SAY(l->file, "%s", id);
        for (char *c = l->file; *c; c++)
            if (*c == '/') *c = '-';
        e->lab_count++;
    }
    return true;
}

static bool draw_all(const json_t *spec, bank *b, exam *e, uint64_t seed, lib_message *msg) {
    const json_t *rows = json_object_get(spec, "questions"), *labs = json_object_get(spec, "labs");
    if ((rows && !json_is_array(rows)) || (labs && !json_is_array(labs)))
        return wrong_field(msg, "questions, labs", W_PRACTICE_EXAM_LISTS);
    /* First draw the most specific rows: then the draw of a chapter takes nothing that another row
     * needs. */
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < json_array_size(rows); i++) {
            const json_t *row = json_array_get(rows, i);
            int its = json_object_get(row, "step") ? 0 : json_object_get(row, "lab") ? 1 : 2;
            if (its == pass && !draw_row(row, b, e, seed, msg)) return false;
        }
    if (!draw_labs(labs, b, e, msg)) return false;
    return e->question_count + e->lab_count > 0 ||
           wrong_field(msg, "questions, labs", W_PRACTICE_EXAM_AT_LEAST_ONE);
}

/* ---- tickets ---- */

char *exam_ticket(const char *spec, const char *student, const exam_key *k, int64_t now,
                  lib_message *msg) {
    char nonce[EXAM_HEX], hex[EXAM_HEX];
    exam *e = calloc(1, sizeof *e);
    json_t *s = json_loads(spec, 0, NULL);
    char *text = NULL;
    if (!e) abort();
    if (!plain_id(student)) {
        lib_message_set(msg, w_practice_student_id_expected(EXAM_ID, student));
    } else if (s && read_spec(s, e, msg) && random_hex(nonce, 16, msg)) {
        json_t *t =
            json_pack("{s:s, s:i, s:O, s:s, s:I, s:s}", "warplab", "exam-ticket", "version", 1,
                      "exam", s, "student", student, "issued", (json_int_t)now, "nonce", nonce);
        secret_of(t, k, "seed", hex);
        json_object_set_new(t, "seed", json_string(hex));
        mac_of(t, k->bytes, k->n, hex);
        json_object_set_new(t, "mac", json_string(hex));
        secret_of(t, k, "sign", hex);
        json_object_set_new(t, "sign", json_string(hex));
        text = exam_text(t);
        json_decref(t);
    }
    json_decref(s);
    free(e);
    return text;
}

bool exam_open(const json_t *ticket, bank *b, exam *e, lib_message *msg) {
    *e = (exam){0};
    const char *student = text_of(ticket, "student"), *nonce = text_of(ticket, "nonce"),
               *seed = text_of(ticket, "seed");
    if (strcmp(text_of(ticket, "warplab"), "exam-ticket") != 0 || !plain_id(student) ||
        strlen(nonce) != 32 || strlen(seed) != 64 || strspn(nonce, "0123456789abcdef") != 32 ||
        strspn(seed, "0123456789abcdef") != 64) {
        lib_message_set(msg, w_practice_no_ticket());
        return false;
    }
    SAY(e->student, "%s", student);
    SAY(e->nonce, "%s", nonce);
    const json_t *spec = json_object_get(ticket, "exam");
    char first[17];
    snprintf(first, sizeof first, "%.16s", seed);
    return read_spec(spec, e, msg) && draw_all(spec, b, e, strtoull(first, NULL, 16), msg);
}

void exam_moment(int64_t at, char *out, size_t n) {
    when_write(at, 0, out, n);
}

/* ---- records ---- */

json_t *exam_record(const json_t *ticket, int64_t now, lib_message *msg) {
    char session[EXAM_HEX];
    if (!random_hex(session, 16, msg)) return NULL;
    return json_pack("{s:s, s:i, s:o, s:s, s:I, s:[], s:{}, s:b}", "warplab", "exam-record",
                     "version", 1, "ticket", public_ticket(ticket), "session", session, "started",
                     (json_int_t)now, "answers", "files", "ended", 0);
}

static json_t *answer_row(const json_t *record, const exam *e, size_t question) {
    const json_t *all = json_object_get(record, "answers");
    const exam_question *q = &e->question[question];
    for (size_t i = 0; i < json_array_size(all); i++) {
        json_t *row = json_array_get(all, i);
        if (!strcmp(text_of(row, "key"), q->key) && !strcmp(text_of(row, "lab"), q->at.lab->id))
            return row;
    }
    return NULL;
}

const char *exam_answered(const json_t *record, const exam *e, size_t question) {
    return json_string_value(json_object_get(answer_row(record, e, question), "answer"));
}

bool exam_answer(json_t *record, const exam *e, size_t question, const char *answer, double at_s) {
    if (question >= e->question_count || answer_row(record, e, question)) return false;
    const exam_question *q = &e->question[question];
    char text[EXAM_ANSWER + 1], *clean = lib_clean(answer, strlen(answer));
    SAY(text, "%s", clean ? clean : "");
    free(clean);
    json_t *row = json_pack("{s:s, s:s, s:s, s:I}", "lab", q->at.lab->id, "key", q->key, "answer",
                            text, "at_ms", (json_int_t)(at_s * 1000));
    return row && !json_array_append_new(json_object_get(record, "answers"), row);
}

void exam_file(json_t *record, const char *id, const char *source, double at_s) {
    json_t *row =
        json_pack("{s:o, s:I}", "source", json_text(source), "at_ms", (json_int_t)(at_s * 1000));
    if (row) json_object_set_new(json_object_get(record, "files"), id, row);
}

/* The key is the ticket's own, as text. */
void exam_sign(json_t *record, const json_t *ticket) {
    char hex[EXAM_HEX];
    const char *key = text_of(ticket, "sign");
    mac_of(record, key, strlen(key), hex);
    json_object_set_new(record, "mac", json_string(hex));
}

char *exam_text(const json_t *json) {
    char *text = json_dumps(json, JSON_INDENT(1) | JSON_SORT_KEYS);
    if (!text) abort();
    return text;
}

json_t *exam_read(const char *path, const char *kind, lib_message *msg) {
    size_t n;
    char *text = lib_read_file(path, EXAM_BYTES, &n, msg);
    json_t *j = text ? json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL) : NULL;
    bool is = json_is_object(j) && !strcmp(text_of(j, "warplab"), kind);
    if (text && !is) lib_message_set(msg, w_practice_other_kind(path, kind));
    free(text);
    if (is) return j;
    json_decref(j);
    return NULL;
}

/* ---- judging ---- */

static double at_of(const json_t *row) {
    const json_t *v = json_object_get(row, "at_ms");
    return json_is_integer(v) ? (double)json_integer_value(v) / 1000 : -1;
}

double exam_elapsed(const json_t *record) {
    double most = 0;
    const json_t *all = json_object_get(record, "answers");
    const char *name;
    json_t *row;
    for (size_t i = 0; i < json_array_size(all); i++)
        most = fmax(most, at_of(json_array_get(all, i)));
    json_object_foreach(json_object_get(record, "files"), name, row) most = fmax(most, at_of(row));
    return most;
}

static bool in_time(const json_t *row, const exam *e) {
    double at = at_of(row);
    return at >= 0 && at <= e->minutes * 60 + EXAM_GRACE_S;
}

#define EXAM_YEAR_9999 253402300799 /* its last second */
/* Checks that the exam began within its window, and that the answers are in the order of their
 * times. */
static bool times_can_be(const json_t *record, const exam *e) {
    const json_t *started = json_object_get(record, "started"),
                 *all = json_object_get(record, "answers");
    int64_t begun = json_integer_value(started),
            issued =
                json_integer_value(json_object_get(json_object_get(record, "ticket"), "issued"));
    double last = 0;
    if (!json_is_integer(started) || begun < 0 || begun > EXAM_YEAR_9999 || begun + 60 < issued ||
        (e->opens && begun + 60 < e->opens) || (e->closes && begun > e->closes))
        return false;
    for (size_t i = 0; i < json_array_size(all); i++) {
        double at = at_of(json_array_get(all, i));
        if (!(at >= last)) return false;
        last = at;
    }
    return true;
}

/* Checks that each answer is to a question of this exam, and that no question has two. */
static bool same_questions(const json_t *record, const exam *e) {
    size_t known = 0;
    for (size_t i = 0; i < e->question_count; i++) known += answer_row(record, e, i) != NULL;
    return known == json_array_size(json_object_get(record, "answers"));
}

static bool right_answer(const exam_question *q, const char *answer) {
    lab_drawn d;
    lib_message msg;
    double truth = 0;
    lab_step_draw(q->at.step, q->seed, &d);
    lab_step_shuffle(q->at.step, q->seed, &d);
    if (q->at.step->question.kind == LAB_ANSWER_NUMBER &&
        !lab_step_number(q->at.lab, q->at.step, &d, &truth, &msg))
        return false;
    return lab_question_judge(&q->at.step->question, &d, answer, truth, NULL) == 1;
}

void exam_judge(const json_t *record, const exam *e, const exam_key *k, exam_result *r) {
    char sign[EXAM_HEX];
    const json_t *ticket = json_object_get(record, "ticket");
    *r = (exam_result){.ended = json_is_true(json_object_get(record, "ended"))};
    for (size_t i = 0; i < e->question_count; i++) r->max += e->question[i].points;
    secret_of(ticket, k, "sign", sign);
    r->state = !exam_ticket_ours(ticket, k)             ? EXAM_FORGED_TICKET
               : !mac_right(record, sign, strlen(sign)) ? EXAM_CHANGED
               : !same_questions(record, e)             ? EXAM_OTHER
               : !times_can_be(record, e)               ? EXAM_CLOCK
                                                        : EXAM_GOOD;
    for (size_t i = 0; r->state == EXAM_GOOD && i < e->question_count; i++) {
        const json_t *row = answer_row(record, e, i);
        if (!row) r->open++;
        else if (!in_time(row, e)) r->late++;
        else if (!right_answer(&e->question[i], text_of(row, "answer"))) r->wrong++;
        else r->right++, r->points += e->question[i].points;
    }
}

const char *exam_source(const json_t *record, const exam *e, const char *id) {
    const json_t *row = json_object_get(json_object_get(record, "files"), id);
    return row && in_time(row, e) ? json_string_value(json_object_get(row, "source")) : NULL;
}
