/* `watch`: one frame on a screen of its own, drawn again after each save: the number of passed
 * labs, the verdict, the goals with bars, the first mistake, and what the save changed.
 *
 *   save, key, resize --watch_wait--> measured_check --> grade_result
 *                                           --frame_text--> text --frame_show--> screen
 *
 * Some editors write the file, others rename a new file over it. Therefore the folder is watched,
 * and names are compared. Saves in quick succession count as one. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <termios.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "runner/repl/draw.h"
#include "runner/repl/steps.h"
#include "runner/repl/work.h"
#include "grader/goal/goal.h"
#include "words/repl.h"

enum { SETTLE_MS = 120, WATCH_GOALS = 16, WATCH_LOG = 8 };

typedef enum { WATCH_SAVED, WATCH_KEY, WATCH_RESIZED, WATCH_STOP } watch_event;
typedef struct {
    int fd;
    char name[256]; /* "": any file in the folder */
} watch;

static void watch_free(watch *w) {
    if (!w) return;
    if (w->fd >= 0) close(w->fd);
    free(w);
}

/* Returns NULL if the file system does not report changes. Then only keys work: watch_wait()
 * accepts NULL. */
static watch *watch_new(const char *path, bool whole_folder) {
    const char *slash = strrchr(path, '/');
    if (!slash) return NULL;
    watch *w = calloc(1, sizeof *w);
    if (!w) abort();
    if (!whole_folder) snprintf(w->name, sizeof w->name, "%s", slash + 1);
    char *folder = whole_folder ? strdup(path) : strndup(path, (size_t)(slash - path));
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    bool ok =
        w->fd >= 0 && folder && inotify_add_watch(w->fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO) >= 0;
    free(folder);
    if (ok) return w;
    watch_free(w);
    return NULL;
}

/* Reads all pending events. Returns whether one is about the file. */
static bool watch_saved(watch *w) {
    _Alignas(struct inotify_event) char buf[4096];
    bool hit = false;
    ssize_t n;
    while ((n = read(w->fd, buf, sizeof buf)) > 0)
        for (char *p = buf; p < buf + n;) {
            const struct inotify_event *e = (const struct inotify_event *)p;
            /* An editor's own files are not saves. */
            if (e->len && (w->name[0] ? !strcmp(e->name, w->name) : lib_part_name_ok(e->name)))
                hit = true;
            p += sizeof *e + e->len;
        }
    return hit;
}

/* Written by the handler, polled by the reader, because any thread of the process may get the
 * signal, and at any time. */
static int resize_pipe[2] = {-1, -1};

static void on_resize(int signal) {
    (void)signal;
    int saved = errno;
    (void)!write(resize_pipe[1], "", 1); /* if it is full, the reader wakes anyway */
    errno = saved;
}

/* Waits for a save of the file, a key, a resized terminal or Ctrl-C. */
static watch_event watch_wait(watch *w, char *key) {
    struct termios old, raw;
    bool tty = !tcgetattr(STDIN_FILENO, &old);
    if (tty) {
        raw = old;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw.c_cc[VMIN] = 1;
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    watch_event event = WATCH_STOP;
    bool pending = false;
    while (!lib_cancel_flag) {
        struct pollfd p[3] = {{.fd = STDIN_FILENO, .events = POLLIN},
                              {.fd = w ? w->fd : -1, .events = POLLIN},
                              {.fd = resize_pipe[0], .events = POLLIN}};
        int n = poll(p, 3, pending ? SETTLE_MS : -1);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        if (p[2].revents) {
            char drained[16];
            while (read(resize_pipe[0], drained, sizeof drained) > 0) continue;
            event = WATCH_RESIZED;
            break;
        }
        if (n == 0) {
            event = WATCH_SAVED;
            break;
        }
        if (w && p[1].revents & POLLIN) pending |= watch_saved(w);
        if (p[0].revents) {
            char c;
            if (read(STDIN_FILENO, &c, 1) == 1 && c != 4) {
                *key = c;
                event = WATCH_KEY;
            }
            break;
        }
    }
    if (tty) tcsetattr(STDIN_FILENO, TCSANOW, &old);
    return event;
}

/* ---- the frame ---- */

/* The results of the previous save, to compare with. */
typedef struct {
    bool there;
    double score, time_us, actual[WATCH_GOALS];
    size_t good;
} watch_before;

static size_t cases_good(const grade_result *g) {
    size_t n = 0;
    for (size_t i = 0; i < g->case_count; i++) n += g->cases[i].pass;
    return n;
}

static watch_before before_of(const grade_result *g) {
    watch_before b = {.there = true, .score = g->score, .time_us = g->time_us};
    b.good = cases_good(g);
    for (size_t i = 0; i < g->goal_count && i < WATCH_GOALS; i++) b.actual[i] = g->goals[i].actual;
    return b;
}

static void frame_head(repl *r) {
    enum { CELLS = 20 };
    lab_header *h;
    size_t n = lab_list(r->root, &h), passed = 0;
    for (size_t i = 0; i < n; i++) {
        progress_lab p;
        progress_get(r->progress, h[i].id, &p);
        passed += p.passed;
    }
    free(h);
    text_put(&r->out, TEXT_TITLE, "%s", r->lab->title.text[r->lang]);
    text_put(&r->out, TEXT_DIM, "  %s\n", r->device);
    text_put(&r->out, TEXT_PLAIN, "[");
    for (size_t i = 0; i < CELLS; i++) {
        bool full = n && i < passed * CELLS / n;
        text_put(&r->out, full ? TEXT_GOOD : TEXT_DIM, "%c", full ? '#' : '.');
    }
    text_put(&r->out, TEXT_PLAIN, "] ");
    text_put_words(&r->out, TEXT_DIM, r->lang, w_repl_progress_head(passed, n));
    text_put(&r->out, TEXT_PLAIN, "\n\n");
}

static void frame_goals(repl *r, const grade_result *g) {
    enum { CELLS = 16 };
    for (size_t i = 0; i < g->goal_count; i++) {
        const grade_goal_result *o = &g->goals[i];
        int full = (int)(grade_goal_near(o) * CELLS);
        text_put(&r->out, o->pass ? TEXT_GOOD : TEXT_BAD, "%s [", o->pass ? ":)" : ":(");
        for (int k = 0; k < CELLS; k++)
            text_put(&r->out, k < full ? o->pass ? TEXT_GOOD : TEXT_WARN : TEXT_DIM, "%c",
                     k < full ? '#' : '.');
        text_put(&r->out, o->pass ? TEXT_GOOD : TEXT_BAD, "] ");
        char *what = grade_goal_line(o, r->lang);
        if (grade_goal_correctness(o->goal))
            text_cell_words(&r->out, TEXT_PLAIN, r->out.width - 23, r->lang,
                            w_repl_cases_ok(cases_good(g), g->case_count));
        else text_cell(&r->out, TEXT_PLAIN, r->out.width - 23, "%s", what);
        text_put(&r->out, TEXT_PLAIN, "\n");
        free(what);
    }
}

/* Prints the first mistake, in a few lines. */
static void frame_mistake(repl *r, const grade_result *g) {
    if (!g->build_ok) {
        text_line(&r->out, TEXT_BAD, 0, "%s", lib_word(r->lang, W_REPL_BUILD_FAILED));
        if (g->build_blame)
            text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&g->message));
        if (g->build_log) text_raw(&r->out, g->build_log, strlen(g->build_log), 2, WATCH_LOG);
        return;
    }
    if (lib_message_any(&g->message))
        text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&g->message));
    if (g->verdict == GRADE_ERROR) return;
    if (g->finding_count) {
        char *text = grade_finding_text(&g->findings[measured_first_finding(g)], r->lang);
        text_put(&r->out, TEXT_BAD, "! ");
        text_hang(&r->out, TEXT_PLAIN, 2, "%s", text);
        free(text);
        return;
    }
    for (size_t i = 0; i < g->case_count; i++) {
        const grade_case_result *c = &g->cases[i];
        if (c->pass) continue;
        text_put(&r->out, TEXT_BAD, "! ");
        text_hang_words(&r->out, TEXT_PLAIN, 2, r->lang,
                        c->hidden ? w_repl_case_hidden() : lib_message_words(&c->message));
        if (!c->hidden && c->picture[0]) text_put(&r->out, TEXT_DIM, "  [%s]\n", c->picture);
        return;
    }
    for (size_t i = 0; i < g->goal_count; i++) {
        if (g->goals[i].pass) continue;
        text_put(&r->out, TEXT_WARN, "! ");
        text_hang_words(&r->out, TEXT_PLAIN, 2, r->lang, lib_message_words(&g->goals[i].message));
        return;
    }
}

/* Prints what the last save changed. */
static void frame_change(repl *r, const grade_result *g, const watch_before *b) {
    if (!b->there) return;
    char was[32], is[32];
    size_t told = 0, good = cases_good(g);
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_put(&r->out, TEXT_STRONG, "%s", lib_word(r->lang, W_REPL_WATCH_CHANGE));
    if (g->score != b->score && ++told)
        text_put_words(&r->out, TEXT_PLAIN, r->lang, w_repl_watch_points(b->score, g->score));
    if (good != b->good && ++told)
        text_put_words(&r->out, TEXT_PLAIN, r->lang, w_repl_watch_cases(b->good, good));
    if (g->time_us > 0 && b->time_us > 0 && g->time_us != b->time_us && ++told) {
        text_put_words(
            &r->out, TEXT_PLAIN, r->lang,
            w_repl_watch_time(lib_figure(was, 4, b->time_us), lib_figure(is, 4, g->time_us)));
    }
    for (size_t i = 0; i < g->goal_count && i < WATCH_GOALS && told < 3; i++) {
        const grade_goal_result *o = &g->goals[i];
        if (!grade_goal_counted(o->goal) || o->actual == b->actual[i]) continue;
        /* a program that did not run has no time */
        if (g->time_us <= 0 || b->time_us <= 0) continue;
        told++;
        text_put(&r->out, TEXT_PLAIN, " %s %s -> %s;", o->goal->name,
                 show_number(was, b->actual[i]), show_number(is, o->actual));
    }
    text_put(&r->out, told ? TEXT_PLAIN : TEXT_DIM, "%s\n",
             told ? "" : lib_word(r->lang, W_REPL_WATCH_SAME));
}

typedef enum { VIEW_VERDICT, VIEW_HINT, VIEW_PICTURE } watch_view;

static void frame_text(repl *r, const grade_result *g, const watch_before *b, watch_view view) {
    char nothing[1] = "";
    frame_head(r);
    if (view == VIEW_HINT) repl_hint(r, nothing);
    else if (view == VIEW_PICTURE) repl_show(r, nothing);
    else if (!g) text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_WATCH_NOTHING));
    else {
        bool pass = g->verdict == GRADE_PASS;
        text_words(&r->out, pass ? TEXT_GOOD : TEXT_WARN, 0, r->lang,
                   pass ? w_repl_verdict_pass(g->score, g->max_score)
                        : w_repl_verdict_fail(g->score, g->max_score));
        frame_goals(r, g);
        text_put(&r->out, TEXT_PLAIN, "\n");
        if (!pass) frame_mistake(r, g);
        frame_change(r, g, b);
    }
}

/* Collects all output in a text, and draws it on the screen from the first row to the last but one.
 * The last row is for the status and the keys. */
static void frame_show(repl *r, const grade_result *g, const watch_before *b, watch_view view) {
    char *text = NULL;
    size_t n = 0;
    FILE *screen = r->out.to, *mem = open_memstream(&text, &n);
    if (!mem) return;
    text_out_resize(&r->out);
    int height = r->out.height ? r->out.height : 24;
    r->out.to = mem;
    r->out.height = 0;
    frame_text(r, g, b, view);
    text_put(&r->out, TEXT_PLAIN, "%s", "");
    fclose(mem);
    r->out.to = screen;
    text_out_resize(&r->out);
    fputs("\033[H", screen);
    int row = 1;
    for (const char *s = text; *s && row < height; row++) {
        size_t len = strcspn(s, "\n");
        fprintf(screen, "%.*s\033[K\n", (int)len, s);
        s += len + (s[len] == '\n');
    }
    fputs("\033[J", screen);
    char keys[200];
    snprintf(keys, sizeof keys, "%s", lib_word(r->lang, W_REPL_WATCH_KEYS));
    keys[text_fit(keys, r->out.columns > 1 ? r->out.columns - 1 : 79)] = 0;
    fprintf(screen, "\033[%d;1H%s%s%s", height, text_begin(&r->out, TEXT_DIM), keys,
            text_end(&r->out));
    fflush(screen);
    free(text);
}

/* ---- the command ---- */

typedef struct {
    watch *w;
    watch_before before;
    const grade_result *g;
    watch_view view;
    int hints; /* before the hint that is shown, for drawing it again */
    bool hinted;
    bool passed; /* for the first time while `watch` ran */
} watching;

/* Returns false if it was stopped. */
static bool watch_check(repl *r, watching *t) {
    bool kept, first = !r->state.passed;
    watch_before b = {0};
    if (t->g) b = before_of(t->g);
    const grade_result *g = measured_check(r, false, &kept);
    if (!g) return !lib_cancel_flag;
    if (!kept) {
        check_keep(r, g);
        t->before = b;
    }
    t->g = g;
    t->view = VIEW_VERDICT;
    t->passed |= first && g->verdict == GRADE_PASS;
    return true;
}

/* Returns false to leave. */
static bool watch_key(repl *r, watching *t, char key) {
    switch (key) {
    case 'h':
        t->view = VIEW_HINT;
        t->hints = r->state.hints, t->hinted = r->checked.hinted;
        return true;
    case 'v': t->view = VIEW_PICTURE; return true;
    case 'c':
    case '\n':
    case '\r': return watch_check(r, t);
    case 'n': r->pending = lib_strdup("next"); return false;
    case 'e': r->pending = lib_strdup("edit"); return false;
    case 'q':
    case 3: return false;
    default: t->view = VIEW_VERDICT; return true;
    }
}

static void watch_loop(repl *r, watching *t) {
    bool go_on = watch_check(r, t);
    while (go_on) {
        char key = 0;
        if (t->view == VIEW_PICTURE) text_page_begin(&r->out);
        frame_show(r, t->g, &t->before, t->view);
        switch (watch_wait(t->w, &key)) {
        case WATCH_STOP: go_on = false; break;
        case WATCH_SAVED: go_on = watch_check(r, t); break;
        case WATCH_KEY: go_on = watch_key(r, t, key); break;
        case WATCH_RESIZED: /* the same hint again, not the next */
            if (t->view == VIEW_HINT) r->state.hints = t->hints, r->checked.hinted = t->hinted;
            break;
        }
    }
}

int repl_watch(repl *r, char *argument) {
    (void)argument;
    if (!r->interactive) {
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_NOT_TERMINAL));
        return 1;
    }
    if (!repl_make_file(r)) return 1;
    watching t = {.w = watch_new(r->file, r->lab->grade.file_count > 0)};
    text_words(&r->out, TEXT_STRONG, 0, r->lang, w_repl_watching(r->file));
    if (!t.w) text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_WATCH_KEYS_ONLY));
    bool (*pager)(void *) = r->out.more;
    r->out.more = NULL;                       /* no pager: its keys have other meanings here */
    fputs("\033[?1049h\033[H\033[J", stdout); /* the terminal's alternate screen */
    fflush(stdout);
    struct sigaction act = {.sa_handler = on_resize, .sa_flags = SA_RESTART}, before;
    if (resize_pipe[0] < 0 && pipe2(resize_pipe, O_CLOEXEC | O_NONBLOCK)) abort();
    sigaction(SIGWINCH, &act, &before);
    watch_loop(r, &t);
    sigaction(SIGWINCH, &before, NULL);
    fputs("\033[?1049l", stdout);
    fflush(stdout);
    r->out.more = pager;
    watch_free(t.w);
    lib_cancel_clear();
    text_page_begin(&r->out);
    if (t.g)
        text_words(&r->out, t.g->verdict == GRADE_PASS ? TEXT_GOOD : TEXT_WARN, 0, r->lang,
                   t.g->verdict == GRADE_PASS ? w_repl_verdict_pass(t.g->score, t.g->max_score)
                                              : w_repl_verdict_fail(t.g->score, t.g->max_score));
    if (t.passed) repl_passed(r);
    if (!r->pending) text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_WATCH_END));
    return 0;
}
