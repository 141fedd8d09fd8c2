/* Threads that a device keeps for its launches. The caller of sim_pool_run() is one of the workers.
 * The others sleep between launches. */
#include "runner/device/sim/run/pool.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct sim_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    pthread_t *threads;
    unsigned count, started; /* threads besides the caller; started when first needed */
    unsigned wanted, next, running;
    uint64_t round;
    void (*fn)(void *arg, unsigned index);
    void *arg;
    bool quit;
};

static void *pool_work(void *p) {
    sim_pool *s = p;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->quit && s->next >= s->wanted) pthread_cond_wait(&s->wake, &s->lock);
        if (s->quit) break;
        unsigned index = s->next++;
        pthread_mutex_unlock(&s->lock);
        s->fn(s->arg, index);
        pthread_mutex_lock(&s->lock);
        if (--s->running == 0) pthread_cond_signal(&s->done);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

sim_pool *sim_pool_new(unsigned threads) {
    sim_pool *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->count = threads ? threads - 1 : 0;
    s->threads = calloc(s->count + 1, sizeof *s->threads);
    if (!s->threads) {
        free(s);
        return NULL;
    }
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    pthread_cond_init(&s->done, NULL);
    return s;
}

void sim_pool_free(sim_pool *s) {
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->quit = true;
    pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    for (unsigned k = 0; k < s->started; k++) pthread_join(s->threads[k], NULL);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->wake);
    pthread_cond_destroy(&s->done);
    free(s->threads);
    free(s);
}

unsigned sim_pool_size(const sim_pool *s) {
    return s->count + 1;
}

unsigned sim_pool_start(sim_pool *s, unsigned n) {
    if (n > s->count + 1) n = s->count + 1;
    while (s->started + 1 < n) {
        if (pthread_create(&s->threads[s->started], NULL, pool_work, s)) break;
        s->started++;
    }
    return s->started + 1 < n ? s->started + 1 : n;
}

void sim_pool_run(sim_pool *s, unsigned n, void (*fn)(void *arg, unsigned index), void *arg) {
    if (n > 1) {
        pthread_mutex_lock(&s->lock);
        s->fn = fn;
        s->arg = arg;
        s->next = 1;
        s->wanted = n;
        s->running = n - 1;
        pthread_cond_broadcast(&s->wake);
        pthread_mutex_unlock(&s->lock);
    }
    fn(arg, 0);
    if (n > 1) {
        pthread_mutex_lock(&s->lock);
        while (s->running) pthread_cond_wait(&s->done, &s->lock);
        s->wanted = 0;
        pthread_mutex_unlock(&s->lock);
    }
}
