/* The line that says what runs, how far it is, how long it has been running, and how to stop it. A
 * thread updates it once a second while the grader is busy. Nothing else may be printed between
 * status_begin() and status_end().
 *
 *   status_stage("running"), status_case(2, 7) --> "running ... case 3 of 7, 12 s; Ctrl-C stops" */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/clock.h"
#include "runner/repl/prompt.h"
#include "words/repl.h"

struct repl_status {
    repl *r;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool over, threaded;
    char what[96];
    size_t done, total;
    double began;
    int width;
};

static void status_draw(struct repl_status *s) {
    repl *r = s->r;
    char line[400] = "", of[96];
    double passed = lib_now() - s->began;
    snprintf(line, sizeof line, "%s ...", s->what);
    if (s->total > 1) {
        lib_words_text(of, sizeof of, r->lang, w_repl_status_case(s->done + 1, s->total));
        snprintf(line + strlen(line), sizeof line - strlen(line), " %s", of);
    }
    if (passed >= 1) {
        lib_words_text(of, sizeof of, r->lang, w_repl_status_time(passed));
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s",
                 s->total > 1 ? lib_word(r->lang, W_REPL_STATUS_COMMA) : " ", of);
    }
    line[text_fit(line, s->width - 1)] = 0;
    fprintf(stdout, "\r\033[K%s%s%s", text_begin(&r->out, TEXT_DIM), line, text_end(&r->out));
    fflush(stdout);
}

static void *status_thread(void *user) {
    struct repl_status *s = user;
    pthread_mutex_lock(&s->lock);
    while (!s->over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&s->change, &s->lock, &until);
        if (!s->over && s->what[0]) status_draw(s);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

void status_begin(repl *r) {
    if (!r->interactive || r->status) return;
    struct repl_status *s = calloc(1, sizeof *s);
    if (!s) abort();
    *s = (struct repl_status){.r = r, .began = lib_now(), .width = r->out.columns};
    if (s->width < 20) s->width = 80;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->change, NULL);
    s->threaded = !pthread_create(&s->thread, NULL, status_thread, s);
    r->status = s;
}

void status_stage(repl *r, const char *what) {
    struct repl_status *s = r->status;
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    snprintf(s->what, sizeof s->what, "%s", what);
    s->done = s->total = 0;
    status_draw(s);
    pthread_mutex_unlock(&s->lock);
}

void status_case(repl *r, size_t done, size_t total) {
    struct repl_status *s = r->status;
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->done = done;
    s->total = total;
    status_draw(s);
    pthread_mutex_unlock(&s->lock);
}

void status_end(repl *r) {
    struct repl_status *s = r->status;
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->over = true;
    pthread_cond_signal(&s->change);
    pthread_mutex_unlock(&s->lock);
    if (s->threaded) pthread_join(s->thread, NULL);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->change);
    r->status = NULL;
    free(s);
    fprintf(stdout, "\r\033[K");
    fflush(stdout);
}
