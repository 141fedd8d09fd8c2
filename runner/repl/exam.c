/* `exam TICKET`: an exam at the prompt (practice/exam.h explains tickets and records).
 *
 *   ticket --exam_open--> questions, labs
 *   each answer --exam_answer, exam_sign--> record, written at once
 *
 * The record is beside the progress; a copy to hand in is beside the student's files. The time used
 * is the larger one of the wall clock and the machine's own clock, so that setting one of them back
 * gains nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/practice/exam.h"
#include "runner/repl/prompt.h"
#include "runner/repl/steps.h"
#include "runner/repl/work.h"
#include "words/repl.h"

typedef struct {
    repl *r;
    bank *b;
    exam *e;
    json_t *ticket, *record;
    const char *ticket_path;
    char path[700], hand_in[700];
    bool over; /* handed in, or out of time */
} sitting;

/* ---- the clock ---- */

static double machine_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void boot_id(char out[64]) {
    size_t n = 0;
    char *text = lib_read_file("/proc/sys/kernel/random/boot_id", 4096, &n, NULL);
    snprintf(out, 64, "%.36s", text ? text : "");
    free(text);
}

static double exam_now(const sitting *s) {
    char id[64];
    const char *was = json_string_value(json_object_get(s->record, "boot"));
    double wall =
        (double)time(NULL) - (double)json_integer_value(json_object_get(s->record, "started"));
    boot_id(id);
    double passed = fmax(wall, exam_elapsed(s->record));
    if (was && *was && !strcmp(was, id))
        passed = fmax(passed,
                      machine_clock() -
                          (double)json_integer_value(json_object_get(s->record, "boot_ms")) / 1000);
    return passed;
}

static bool time_over(const sitting *s) {
    return exam_now(s) > s->e->minutes * 60;
}

static int minutes_left(const sitting *s) {
    double left = s->e->minutes * 60 - exam_now(s);
    return left > 0 ? (int)ceil(left / 60) : 0;
}

/* ---- the record ---- */

static bool exam_save(sitting *s) {
    repl *r = s->r;
    lib_message msg = {0};
    exam_sign(s->record, s->ticket);
    char *text = exam_text(s->record);
    size_t n = strlen(text);
    bool ok = lib_write_file(s->path, text, n, &msg) && lib_write_file(s->hand_in, text, n, &msg);
    free(text);
    if (!ok) text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
    return ok;
}

/* Takes the labs' files as they are now. When the time is over, only files that were saved before
 * are taken. */
static void take_files(sitting *s) {
    double at = exam_now(s), limit = s->e->minutes * 60;
    int64_t started = json_integer_value(json_object_get(s->record, "started"));
    for (size_t i = 0; i < s->e->lab_count; i++) {
        char path[900];
        struct stat st;
        size_t n;
        snprintf(path, sizeof path, "%s/exam-%s/%s.cu", s->r->paths->work, s->e->id,
                 s->e->lab[i].file);
        if (stat(path, &st) || (at > limit && (double)(st.st_mtime - started) > limit)) continue;
        char *text = lib_read_file(path, EXAM_SOURCE, &n, NULL);
        if (text) exam_file(s->record, s->e->lab[i].lab, text, fmin(at, limit));
        free(text);
    }
}

static void hand_in(sitting *s) {
    repl *r = s->r;
    take_files(s);
    json_object_set_new(s->record, "ended", json_true());
    s->over = true;
    if (exam_save(s)) text_words(&r->out, TEXT_STRONG, 0, r->lang, w_repl_exam_hand_in(s->hand_in));
}

/* ---- the labs' files ---- */

static bool lab_file(sitting *s, size_t i) {
    repl *r = s->r;
    practice_take(r, bank_lab_named(s->b, s->e->lab[i].lab));
    r->step = 0;
    snprintf(r->file, sizeof r->file, "%.400s/exam-%s/%s.cu", r->paths->work, s->e->id,
             s->e->lab[i].file);
    return r->lab && (lib_is_file(r->file) || repl_make_file(r));
}

static void edit_lab(sitting *s, const char *name) {
    char nothing[1] = "";
    for (size_t i = 0; i < s->e->lab_count; i++)
        if (!strcmp(s->e->lab[i].lab, name) || (!*name && s->e->lab_count == 1)) {
            if (lab_file(s, i)) repl_edit(s->r, nothing);
            return;
        }
    text_words(&s->r->out, TEXT_WARN, 0, s->r->lang, w_repl_exam_no_lab(name));
}

/* ---- questions ---- */

static size_t count_open(const sitting *s) {
    size_t n = 0;
    for (size_t i = 0; i < s->e->question_count; i++) n += !exam_answered(s->record, s->e, i);
    return n;
}

/* Returns false if the exam was paused. */
static bool one_question(sitting *s, size_t i) {
    repl *r = s->r;
    const exam_question *q = &s->e->question[i];
    question_outcome how;
    text_page_begin(&r->out);
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_words(&r->out, TEXT_DIM, 0, r->lang,
               w_repl_exam_question(i + 1, s->e->question_count, minutes_left(s)));
    practice_show(r, &q->at, q->seed);
    char *line = question_answer(r, q->at.step, &how);
    if (!line) return how == QUESTION_OPEN;
    if (time_over(s)) {
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_EXAM_LATE));
    } else if (exam_answer(s->record, s->e, i, line, exam_now(s)) && exam_save(s)) {
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_EXAM_KEPT));
    }
    free(line);
    return true;
}

static bool all_open(sitting *s) {
    for (size_t i = 0; i < s->e->question_count && !time_over(s); i++)
        if (!exam_answered(s->record, s->e, i) && !one_question(s, i)) return false;
    return true;
}

/* ---- the sitting ---- */

static void say_state(sitting *s) {
    repl *r = s->r;
    size_t n = s->e->question_count;
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_words(&r->out, TEXT_STRONG, 0, r->lang,
               w_repl_exam_state(n - count_open(s), n, minutes_left(s)));
    for (size_t i = 0; i < s->e->lab_count; i++)
        if (lab_file(s, i))
            text_words(&r->out, TEXT_PLAIN, 2, r->lang, w_repl_exam_lab(s->e->lab[i].lab, r->file));
    text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_EXAM_HOW));
}

/* Handles what is typed between the questions. Returns false if the exam was paused. */
static bool exam_command(sitting *s, char *line) {
    repl *r = s->r;
    command_plain(line);
    char *word = strtok(line, " \t"), *rest = word ? strtok(NULL, " \t") : NULL;
    if (!word || !strcmp(word, "home")) return true;
    if (!strcmp(word, "q") || !strcmp(word, "quit")) return false;
    if (!strcmp(word, "n") || !strcmp(word, "next")) return all_open(s);
    if (!strcmp(word, "e") || !strcmp(word, "edit")) {
        edit_lab(s, rest ? rest : "");
    } else if (command_is(W_REPL_EXAM_DONE_WORDS, word)) {
        char *sure = lib_words_take(r->lang, w_repl_exam_sure(count_open(s)));
        if (repl_yes(r, sure) && !time_over(s)) hand_in(s);
        free(sure);
    } else {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_exam_what(word));
    }
    return true;
}

static void sit(sitting *s) {
    repl *r = s->r;
    bool on = all_open(s);
    while (on && !s->over && !time_over(s) && !r->quit) {
        take_files(s);
        if (!exam_save(s)) break;
        say_state(s);
        char *prompt = lib_words_take(r->lang, w_repl_exam_prompt(s->e->id));
        char *line = repl_line(r, prompt, false, NULL);
        free(prompt);
        on = line && (time_over(s) || exam_command(s, line));
        free(line);
    }
    if (!s->over && time_over(s)) {
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_EXAM_OVER));
        hand_in(s);
    }
    if (!s->over) text_words(&r->out, TEXT_STRONG, 0, r->lang, w_repl_exam_paused(s->ticket_path));
}

/* ---- starting and continuing ---- */

static bool window_open(sitting *s) {
    repl *r = s->r;
    char at[64];
    int64_t now = (int64_t)time(NULL);
    bool early = s->e->opens && now < s->e->opens, late = s->e->closes && now > s->e->closes;
    if (!early && !late) return true;
    exam_moment(early ? s->e->opens : s->e->closes, at, sizeof at);
    text_words(&r->out, TEXT_WARN, 0, r->lang,
               early ? w_repl_exam_early(at) : w_repl_exam_too_late(at));
    return false;
}

static bool exam_begin(sitting *s, const char *setting) {
    repl *r = s->r;
    char boot[64], began[32];
    lib_message msg = {0};
    if (!window_open(s)) return false;
    text_line(&r->out, TEXT_TITLE, 0, "%s", s->e->title[r->lang]);
    text_words(&r->out, TEXT_PLAIN, 0, r->lang,
               w_repl_exam_is(s->e->question_count, s->e->lab_count, s->e->minutes));
    if (!repl_yes(r, lib_word(r->lang, W_REPL_EXAM_BEGIN))) return false;
    s->record = exam_record(s->ticket, (int64_t)time(NULL), &msg);
    if (!s->record) {
        text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
        return false;
    }
    boot_id(boot);
    json_object_set_new(s->record, "boot", json_string(boot));
    json_object_set_new(s->record, "boot_ms", json_integer((json_int_t)(machine_clock() * 1000)));
    json_object_set_new(s->record, "program", json_string(lib_version()));
    snprintf(began, sizeof began, "%lld", (long long)time(NULL));
    progress_set(r->progress, setting, began);
    return exam_save(s);
}

/* Returns false if it cannot; the reason was printed. */
static bool exam_resume(sitting *s, const char *setting) {
    repl *r = s->r;
    lib_message msg = {0};
    char began[32];
    progress_setting(r->progress, setting, began, sizeof began);
    if (!lib_is_file(s->path)) {
        if (!began[0]) return exam_begin(s, setting);
        text_words(&r->out, TEXT_BAD, 0, r->lang, w_repl_exam_gone(s->path));
        return false;
    }
    s->record = exam_read(s->path, "exam-record", &msg);
    if (!s->record) {
        text_words(&r->out, TEXT_BAD, 0, r->lang, w_repl_exam_broken(&msg));
        return false;
    }
    if (json_is_true(json_object_get(s->record, "ended"))) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_exam_taken(s->hand_in));
        return false;
    }
    text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_EXAM_RESUMED));
    return true;
}

static bool exam_places(sitting *s) {
    lib_message msg = {0};
    repl *r = s->r;
    char folder[600];
    snprintf(folder, sizeof folder, "%.500s/exams", r->paths->data);
    snprintf(s->path, sizeof s->path, "%s/%s-%.16s.json", folder, s->e->id, s->e->nonce);
    snprintf(s->hand_in, sizeof s->hand_in, "%.500s/exam-%s-%s.json", r->paths->work, s->e->id,
             s->e->student);
    if (lib_make_folders(folder, &msg) && lib_make_folders(r->paths->work, &msg)) {
        snprintf(folder, sizeof folder, "%.500s/exam-%s", r->paths->work, s->e->id);
        if (!s->e->lab_count || lib_make_folders(folder, &msg)) return true;
    }
    text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
    return false;
}

int repl_exam(repl *r, char *argument) {
    lib_message msg = {0};
    char setting[64];
    sitting s = {.r = r, .ticket_path = argument};
    if (!*argument) {
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_EXAM_WHICH));
        return 1;
    }
    s.ticket = exam_read(argument, "exam-ticket", &msg);
    s.b = bank_open(r->root);
    s.e = lib_malloc(sizeof *s.e);
    bool ok = s.ticket && exam_open(s.ticket, s.b, s.e, &msg);
    if (!ok) text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
    snprintf(setting, sizeof setting, "exam %.32s", ok ? s.e->nonce : "");
    if (ok) ok = exam_places(&s) && exam_resume(&s, setting);
    if (ok) {
        repl *aside = practice_begin(r, ASK_EXAM);
        sit(&s);
        practice_end(r, aside);
    }
    json_decref(s.record);
    json_decref(s.ticket);
    free(s.e);
    bank_close(s.b);
    return !ok;
}
