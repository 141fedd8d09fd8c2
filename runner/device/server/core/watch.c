/* The watchdog: a thread that sets c->limits.stop if the deadline passes or the session is
 * cancelled while a launch runs. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/watch.h"
#include "runner/base/cancel.h"
#include "runner/base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct dev_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool quit, active;
    double deadline;
    const volatile int *cancel;
    volatile int *stop;
};

static void *watch_loop(void *arg) {
    struct dev_watch *w = arg;
    pthread_mutex_lock(&w->lock);
    while (!w->quit) {
        if (!w->active) {
            pthread_cond_wait(&w->wake, &w->lock);
            continue;
        }
        if (lib_now() >= w->deadline || lib_raised(w->cancel))
            __atomic_store_n(w->stop, 1, __ATOMIC_RELAXED);
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        t.tv_nsec += 20000000;
        if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&w->wake, &w->lock, &t);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* During dev_client_run(): a deadline; otherwise 0. */
void dev_watch_start(dev_client *c, double deadline) {
    struct dev_watch *w = c->limits.watch;
    if (!w) {
        pthread_condattr_t a;
        if (!deadline || !(w = calloc(1, sizeof *w))) return;
        pthread_condattr_init(&a);
        pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
        pthread_cond_init(&w->wake, &a);
        pthread_condattr_destroy(&a);
        pthread_mutex_init(&w->lock, NULL);
        w->cancel = c->s->opt.cancel;
        w->stop = &c->limits.stop;
        if (pthread_create(&w->thread, NULL, watch_loop, w)) {
            free(w);
            return;
        }
        c->limits.watch = w;
    }
    pthread_mutex_lock(&w->lock);
    w->deadline = deadline;
    w->active = deadline > 0;
    if (w->active) pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

void dev_watch_move(dev_client *c, double deadline) {
    struct dev_watch *w = c->limits.watch;
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->deadline = deadline;
    pthread_mutex_unlock(&w->lock);
}

void dev_watch_free(dev_client *c) {
    struct dev_watch *w = c->limits.watch;
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->quit = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->wake);
    free(w);
    c->limits.watch = NULL;
}
