/* A student's overview: `home`, `progress`, notes and bookmarks, and the tour at the first
 * start. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "runner/lesson/catalog.h"
#include "runner/practice/certificate.h"
#include "runner/repl/prompt.h"
#include "runner/repl/steps.h"
#include "runner/repl/work.h"
#include "words/repl.h"

enum { BAR = 40, CHAPTER_BAR = 10, NARROW_BAR = 5, LATEST = 5 };

/* ---- home ---- */

static void put_bar(repl *r, size_t done, size_t total, size_t width) {
    size_t cells = total ? done * width / total : 0;
    text_put(&r->out, TEXT_PLAIN, "[");
    for (size_t i = 0; i < width; i++)
        text_put(&r->out, i < cells ? TEXT_GOOD : TEXT_DIM, "%c", i < cells ? '#' : '.');
    text_put(&r->out, TEXT_PLAIN, "]");
}

static const char *time_left(repl *r, int minutes, char *out, size_t n) {
    if (minutes >= 60)
        lib_words_text(out, n, r->lang, w_repl_home_hours(minutes / 60, minutes % 60));
    else lib_words_text(out, n, r->lang, w_repl_home_minutes(minutes));
    return out;
}

typedef struct {
    size_t labs, passed;
    int minutes; /* of the labs that are not passed */
} home_sum;

/* Returns whether a lab is in the group of `like`: its chapter, or its pack. NULL: every lab is. */
static bool home_group(const lab_header *a, const lab_header *like) {
    return !strcmp(a->pack, like->pack) && (*a->pack || a->chapter == like->chapter);
}

static home_sum sum_of(repl *r, const lab_header *h, size_t n, const lab_header *like) {
    home_sum s = {0};
    for (size_t i = 0; i < n; i++) {
        if (like && !home_group(&h[i], like)) continue;
        progress_lab p;
        progress_get(r->progress, h[i].id, &p);
        s.labs++;
        s.passed += p.passed;
        if (!p.passed) s.minutes += h[i].minutes;
    }
    return s;
}

static void home_place(repl *r) {
    if (!r->lab) {
        text_line(&r->out, TEXT_STRONG, 0, "%s", lib_word(r->lang, W_REPL_HOME_NOWHERE));
    } else {
        text_words(&r->out, TEXT_PLAIN, 0, r->lang,
                   w_repl_home_here(r->lab->chapter, lab_chapter_title(r->lang, r->lab->chapter),
                                    r->lab->id, r->step + 1, r->lab->step_count));
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_HOME_GO_ON));
    }
    text_words(&r->out, TEXT_DIM, 0, r->lang, w_repl_home_device(r->device));
}

static void home_chapters(repl *r, const lab_header *h, size_t n) {
    enum { NUMBER = 5, NAME = 27, COUNT = 8 };
    const int bar = r->out.width < 66 ? NARROW_BAR : CHAPTER_BAR,
              room = r->out.width - NUMBER - NAME - bar - 2 - COUNT;
    char left[64];
    home_sum all = sum_of(r, h, n, NULL);
    text_put(&r->out, TEXT_PLAIN, "\n");
    put_bar(r, all.passed, all.labs, BAR);
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_words(&r->out, TEXT_STRONG, 0, r->lang,
               w_repl_home_sum(all.passed, all.labs, time_left(r, all.minutes, left, sizeof left)));
    for (size_t i = 0; i < n; i++) {
        if (i && home_group(&h[i], &h[i - 1])) continue;
        home_sum s = sum_of(r, h, n, &h[i]);
        if (*h[i].pack) text_put(&r->out, TEXT_PLAIN, "  +  ");
        else text_put(&r->out, TEXT_PLAIN, "%3d  ", h[i].chapter);
        text_cell(&r->out, TEXT_PLAIN, NAME, "%s",
                  *h[i].pack ? h[i].pack_title[r->lang] : lab_chapter_title(r->lang, h[i].chapter));
        put_bar(r, s.passed, s.labs, bar);
        text_put(&r->out, TEXT_PLAIN, " %2zu/%zu%s", s.passed, s.labs, s.labs < 10 ? "   " : "  ");
        const char *time = s.minutes ? time_left(r, s.minutes, left, sizeof left)
                                     : lib_word(r->lang, W_REPL_HOME_DONE);
        text_cell(&r->out, s.minutes ? TEXT_DIM : TEXT_GOOD,
                  text_width(time) < room ? text_width(time) : room, "%s", time);
        text_put(&r->out, TEXT_PLAIN, "\n");
    }
}

static int latest_first(const void *a, const void *b) {
    const progress_lab *x = a, *y = b;
    return (x->passed_at < y->passed_at) - (x->passed_at > y->passed_at);
}

static void home_row(repl *r, const char *id) {
    text_put(&r->out, TEXT_PLAIN, "  ");
    text_cell(&r->out, TEXT_CODE, 20, "%s", id);
}

/* Prints two columns after a row's points. If these are too narrow, the text continues below. */
static void home_best(repl *r, const char *time, const char *factor) {
    enum { BEFORE = 30, TIME = 24 };
    if (!*factor || BEFORE + TIME + 1 + text_width(factor) < r->out.width) {
        text_cell(&r->out, TEXT_PLAIN, TIME, "%s", time);
        text_put(&r->out, TEXT_DIM, " %s\n", factor);
    } else
        text_hang(&r->out, TEXT_PLAIN, BEFORE, "%s%s%s", time,
                  *time && *factor ? lib_word(r->lang, W_REPL_STATUS_COMMA) : "", factor);
}

static void home_labs(repl *r) {
    progress_lab *all;
    size_t n = progress_all(r->progress, &all), begun = 0, passed = 0;
    if (n) qsort(all, n, sizeof *all, latest_first);
    for (size_t i = 0; i < n && passed < LATEST; i++) {
        if (!all[i].passed || !lab_exists(r->root, all[i].lab)) continue;
        if (!passed++)
            text_line(&r->out, TEXT_STRONG, 0, "\n%s", lib_word(r->lang, W_REPL_HOME_BEST));
        char time[96] = "", factor[64] = "";
        progress_rung best = {.speedup = all[i].best_speedup};
        if (progress_best(r->progress, &all[i], r->device, &best))
            lib_words_text(time, sizeof time, r->lang,
                           w_repl_home_best_time(best.time_us, r->device));
        if (best.speedup > 0)
            lib_words_text(factor, sizeof factor, r->lang, w_repl_home_best_factor(best.speedup));
        home_row(r, all[i].lab);
        text_put(&r->out, TEXT_PLAIN, "%3g/%-4g", all[i].best_score, all[i].max_score);
        home_best(r, time, factor);
    }
    for (size_t i = 0; i < n && begun < LATEST; i++) {
        if (all[i].passed || !all[i].started || !lab_exists(r->root, all[i].lab)) continue;
        if (!begun++)
            text_line(&r->out, TEXT_STRONG, 0, "\n%s", lib_word(r->lang, W_REPL_HOME_BEGUN));
        home_row(r, all[i].lab);
        text_put_words(&r->out, TEXT_DIM, r->lang, w_repl_home_at_step(all[i].step + 1));
        text_put(&r->out, TEXT_PLAIN, "\n");
    }
    free(all);
}

int repl_home(repl *r, char *argument) {
    (void)argument;
    lab_header *h;
    size_t n = lab_list(r->root, &h);
    char next[LAB_ID_MAX];
    lab_list_next(r->root, r->progress, r->lab ? r->lab->id : NULL, next, sizeof next);
    home_place(r);
    home_chapters(r, h, n);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(h[i].id, next))
            text_words(&r->out, TEXT_PLAIN, 0, r->lang,
                       w_repl_home_next(next, h[i].title[r->lang], h[i].minutes));
    size_t due = practice_due(r);
    if (due) text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_home_due(due));
    home_labs(r);
    free(h);
    return 0;
}

/* ---- progress ---- */

static void progress_row(repl *r, const progress_lab *p) {
    char what[128], checks[48], hints[48], time[96] = "";
    progress_rung best;
    if (p->passed)
        lib_words_text(what, sizeof what, r->lang,
                       w_repl_progress_passed(p->best_score, p->max_score));
    else if (!p->checks)
        lib_words_text(what, sizeof what, r->lang, w_repl_progress_at(p->step + 1));
    else
        lib_words_text(what, sizeof what, r->lang,
                       w_repl_progress_begun(p->step + 1, p->best_score, p->max_score));
    if (progress_best(r->progress, p, r->device, &best))
        lib_words_text(time, sizeof time, r->lang, w_repl_progress_time(best.time_us));
    lib_words_text(checks, sizeof checks, r->lang, w_repl_checks(p->checks));
    lib_words_text(hints, sizeof hints, r->lang,
                   p->hints ? w_repl_hints(p->hints) : w_repl_hints_0());
    strncat(what, time, sizeof what - strlen(what) - 1);
    home_row(r, p->lab);
    text_put(&r->out, TEXT_PLAIN, " ");
    text_hang_words(
        &r->out, TEXT_PLAIN, 23, r->lang,
        w_repl_progress_row(what, checks, hints,
                            p->answer_seen ? lib_word(r->lang, W_REPL_PROGRESS_ANSWER) : ""));
}

int repl_progress(repl *r, char *argument) {
    (void)argument;
    lab_header *h;
    size_t n = lab_list(r->root, &h);
    home_sum all = sum_of(r, h, n, NULL);
    text_words(&r->out, TEXT_STRONG, 0, r->lang, w_repl_progress_head(all.passed, all.labs));
    put_bar(r, all.passed, all.labs, BAR);
    text_put(&r->out, TEXT_PLAIN, "\n");
    for (size_t i = 0; i < n; i++) {
        progress_lab p;
        progress_get(r->progress, h[i].id, &p);
        if (p.started || p.passed) progress_row(r, &p);
    }
    free(h);
    practice_guesses(r);
    return 0;
}

/* ---- notes ---- */

static void notes_show(repl *r) {
    progress_note *v;
    size_t n = progress_notes(r->progress, &v);
    if (!n) text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_NOTE_NONE));
    for (size_t i = 0; i < n; i++) {
        char where[96];
        snprintf(where, sizeof where, "%s %d", v[i].lab, v[i].step + 1);
        text_put(&r->out, TEXT_PLAIN, "%3zu  ", i + 1);
        text_cell(&r->out, TEXT_CODE, 24, "%s", where);
        text_put(&r->out, TEXT_PLAIN, " ");
        text_hang(&r->out, v[i].text[0] ? TEXT_PLAIN : TEXT_DIM, 30, "%s",
                  v[i].text[0] ? v[i].text : lib_word(r->lang, W_REPL_NOTE_MARK));
    }
    if (n) text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_NOTE_HOW));
    free(v);
}

/* Finds the note with this number in the list. Returns false if there is none; that was printed. */
static bool note_at(repl *r, const char *number, progress_note *out) {
    char *end;
    progress_note *v;
    size_t n = progress_notes(r->progress, &v);
    long k = strtol(number, &end, 10);
    bool there = !*end && k >= 1 && (size_t)k <= n;
    if (there) *out = v[k - 1];
    else text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_note_which(number, n));
    free(v);
    return there;
}

static int note_go(repl *r, const char *number) {
    progress_note note;
    char step[16];
    if (!note_at(r, number, &note)) return 1;
    if ((!r->lab || strcmp(r->lab->id, note.lab) != 0) && !repl_open(r, note.lab)) return 1;
    snprintf(step, sizeof step, "%d", note.step + 1);
    return repl_read(r, step);
}

static int note_keep(repl *r, const char *text) {
    if (!r->lab) {
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_NO_LAB_OPEN));
        return 1;
    }
    if (!progress_note_add(r->progress, r->lab->id, r->step, text)) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_note_full(PROGRESS_NOTES));
        return 1;
    }
    text_words(&r->out, TEXT_DIM, 0, r->lang, w_repl_note_kept(r->lab->id, r->step + 1));
    return 0;
}

int repl_note(repl *r, char *argument) {
    progress_note note;
    if (!*argument) {
        notes_show(r);
        return 0;
    }
    if (!strncmp(argument, "drop ", 5)) {
        if (!note_at(r, argument + 5, &note)) return 1;
        progress_note_drop(r->progress, note.id);
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_NOTE_DROPPED));
        return 0;
    }
    if (argument[strspn(argument, "0123456789")]) return note_keep(r, argument);
    return note_go(r, argument);
}

/* A second bookmark at the same step removes the first. */
int repl_mark(repl *r, char *argument) {
    (void)argument;
    progress_note *v;
    size_t n = progress_notes(r->progress, &v);
    for (size_t i = 0; i < n; i++)
        if (!v[i].text[0] && v[i].step == r->step && !strcmp(v[i].lab, r->lab->id)) {
            progress_note_drop(r->progress, v[i].id);
            text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_NOTE_DROPPED));
            free(v);
            return 0;
        }
    free(v);
    return note_keep(r, "");
}

/* ---- the certificate ---- */

int repl_certificate(repl *r, char *argument) {
    lib_message msg = {0};
    char name[128], page[700], pdf[700];
    certificate_usual_name(name, sizeof name);
    json_t *c = certificate_make(r->root, r->progress, *argument ? argument : name, NULL, r->lang,
                                 (int64_t)time(NULL), &msg);
    if (!c) {
        text_words(&r->out, TEXT_PLAIN, 0, r->lang, lib_message_words(&msg));
        return 1;
    }
    size_t n = 0;
    char *html = certificate_html(c), *printed = certificate_pdf(c, &n);
    lib_say(page, sizeof page, "%s/certificate.html", r->paths->work);
    lib_say(pdf, sizeof pdf, "%s/certificate.pdf", r->paths->work);
    bool ok =
        lib_write_file(page, html, strlen(html), &msg) && lib_write_file(pdf, printed, n, &msg);
    if (ok) text_words(&r->out, TEXT_GOOD, 0, r->lang, w_repl_certificate(page, pdf));
    else text_words(&r->out, TEXT_WARN, 0, r->lang, lib_message_words(&msg));
    free(html);
    free(printed);
    json_decref(c);
    return !ok;
}

/* ---- the tour ---- */

enum { TOUR_PAGES = 4, TOUR_LANES = 16 };
typedef enum { TOUR_ON, TOUR_EDITED, TOUR_LEFT } tour_key;

static tour_key tour_wait(repl *r, int page) {
    char prompt[96];
    lib_words_text(prompt, sizeof prompt, r->lang, w_repl_tour_prompt(page, TOUR_PAGES));
    char *line = repl_line(r, prompt, false, NULL);
    if (!line) return TOUR_LEFT;
    command_plain(line);
    const command *c = command_exact(line);
    const char *name = c ? c->name : "next";
    tour_key key = !strcmp(name, "edit")   ? TOUR_EDITED
                   : !strcmp(name, "next") ? TOUR_ON
                                           : TOUR_LEFT;
    if (key == TOUR_LEFT && strcmp(name, "quit") != 0) r->pending = line;
    else free(line);
    return key;
}

static void tour_picture(repl *r) {
    double address[TOUR_LANES];
    show_place p = {.out = &r->out, .lang = r->lang};
    for (int i = 0; i < TOUR_LANES; i++) address[i] = 8 * i;
    show_lanes(&p, address, TOUR_LANES);
}

int repl_tour(repl *r, char *argument) {
    (void)argument;
    char nothing[1] = "";
    if (!r->interactive) {
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_NOT_TERMINAL));
        return 1;
    }
    r->fresh = false;
    text_say(&r->out, lib_word(r->lang, W_REPL_TOUR_1), 0);
    if (tour_wait(r, 1) == TOUR_LEFT) return 0;
    text_say(&r->out, lib_word(r->lang, W_REPL_TOUR_2), 0);
    text_put(&r->out, TEXT_PLAIN, "\n");
    tour_picture(r);
    if (tour_wait(r, 2) == TOUR_LEFT) return 0;
    if (!repl_open(r, "hello") || !repl_make_file(r)) return 1;
    r->state.started = true;
    step_save(r);
    text_say(&r->out, lib_word(r->lang, W_REPL_TOUR_3), 0);
    text_line(&r->out, TEXT_CODE, 2, "%s", r->file);
    text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_TOUR_EDIT));
    tour_key key;
    while ((key = tour_wait(r, 3)) == TOUR_EDITED) repl_edit(r, nothing);
    if (key == TOUR_LEFT) return 0;
    text_say(&r->out, lib_word(r->lang, W_REPL_TOUR_4), 0);
    text_put(&r->out, TEXT_PLAIN, "\n");
    repl_check(r, nothing);
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_say(&r->out, lib_word(r->lang, W_REPL_TOUR_END), 0);
    return 0;
}
