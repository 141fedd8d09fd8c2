/* Threads of the program take turns: the thread that is first on the modelled timeline calls first,
 * whatever the machine's scheduler does. So work reaches the device in the same order, and takes
 * the same time, in each run.
 *
 *   pthread_create, thrd_create --> a host_thread, which begins where its creator is
 *   wl_begin --wl_turn_take--> waits until no other thread can call before --Thread--> server
 *   wl_end   --wl_turn_end---Thread--> where this thread is now
 *   pthread_join, thrd_join --> goes on no earlier than the thread that was joined ended
 *
 * A thread that waits for others (for a mutex, a condition, or a flag that it polls) cannot call
 * before them. The kernel tells which threads sleep (/proc/self/task). A thread that computes for
 * long counts as one that polls. Other threads do not wait for such a thread, and it goes on no
 * earlier than the calls that they made meanwhile. Everything here is under the connection's
 * lock. */
#include "runner/device/cudart/client.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_NS = 1000000,   /* interval between checks of threads that have not come yet */
    ASLEEP_NS = 5000000, /* asleep for this long: it waits for another thread */
    /* ran for this long without a call: it polls; half of it each further time */
    POLLS_NS = 50000000,
    NAPS = 64,         /* fell asleep this often without a call: the same */
    NOTHING_NS = 1000, /* a call that takes no time on the timeline counts this much in turns */
    FOREVER_NS = 2000000000 /* after this time, no thread waits for it any more */
};

/* A thread of the program. */
typedef struct host_thread {
    pthread_t id;
    pid_t tid;            /* 0: it does not run yet */
    unsigned order;       /* order of creation: of two at the same time, the older calls first */
    uint64_t clock, turn; /* on the timeline, in ns: after its last call; for the order of turns */
    bool told, ended, inside; /* the server knows it; it has ended; it is in a call */
    bool at_gate, passed; /* it waits for its turn; others that came later have called before it */
    bool at_lock;         /* it waits for the connection's lock; atomic */
    const struct host_thread *joins; /* it waits for this one's end */
    int64_t spent;                   /* wl_thread's, at its end */
    struct {                         /* since its last call: checked by threads that wait for it */
        bool on;
        int64_t from, asleep, cpu, patience;
        unsigned long switches, naps;
    } look;
    void *(*run)(void *);
    int (*run_c11)(void *);
    void *arg;
    struct host_thread *next;
} host_thread;

static struct {
    host_thread *first;
    unsigned created;
    pthread_cond_t moved; /* a thread came, called or ended */
    pthread_once_t once;
    pthread_key_t key; /* its destructor reports that a thread has ended */
} all = {.moved = PTHREAD_COND_INITIALIZER, .once = PTHREAD_ONCE_INIT};
static __thread host_thread *me;

static int64_t now_ns(clockid_t id) {
    struct timespec t = {0};
    return wl_clock_real(id, &t) ? 0 : (int64_t)t.tv_sec * WL_NS + t.tv_nsec;
}

/* Asks where the calling thread is on the timeline; it continues no earlier than `after`. *late: by
 * how much a thread that it creates takes its turns later; may be NULL. */
static uint64_t turn_ask(uint64_t after, uint64_t *late) {
    wl_call c;
    struct wire_in_Thread *in =
        wl_begin_locked(&c, WIRE_OP_Thread, sizeof(struct wire_in_Thread) / 8, 0,
                        sizeof(struct wire_out_Thread) / 8);
    in->after = after;
    if (wl_send(&c)) return after;
    if (late) *late = WL_OUT(&c, Thread)->late;
    return WL_OUT(&c, Thread)->ns;
}

static host_thread *thread_new(void) {
    host_thread *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->order = all.created++;
    t->look.patience = POLLS_NS;
    t->next = all.first;
    return all.first = t;
}

static void thread_drop(const host_thread *t) {
    for (host_thread **p = &all.first; *p; p = &(*p)->next) {
        if (*p != t) continue;
        host_thread *gone = *p;
        *p = gone->next;
        free(gone);
        return;
    }
}

static host_thread *thread_self(void) {
    if (me || !(me = thread_new())) return me;
    me->id = pthread_self();
    me->tid = gettid();
    return me;
}

/* ---- who can call first */

static bool turn_before(uint64_t turn, unsigned order, const host_thread *t) {
    return turn < t->turn || (turn == t->turn && order < t->order);
}

/* "State: S" and "voluntary_ctxt_switches:        7" of a thread. Returns false if the kernel does
 * not tell. */
static bool thread_state(pid_t tid, char *state, unsigned long *switches) {
    char name[64], text[4096];
    snprintf(name, sizeof name, "/proc/self/task/%d/status", (int)tid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (n <= 0) return false;
    text[n] = 0;
    const char *s = strstr(text, "\nState:"), *v = strstr(text, "\nvoluntary_ctxt_switches:");
    if (!s || !v) return false;
    s += strlen("\nState:");
    *state = s[strspn(s, " \t")];
    *switches = strtoul(v + strlen("\nvoluntary_ctxt_switches:"), NULL, 10);
    return true;
}

/* Returns whether t, which runs its own code, is not expected to call before others. */
static bool thread_waits(host_thread *t) {
    char state = 'R';
    unsigned long switches = 0;
    int64_t now = now_ns(CLOCK_MONOTONIC);
    pid_t tid = __atomic_load_n(&t->tid, __ATOMIC_ACQUIRE);
    if (tid && !thread_state(tid, &state, &switches)) return true;
    /* the kernel's number for a thread's CPU clock, as in pthread_getcpuclockid() */
    int64_t cpu = tid ? now_ns((clockid_t)(~(unsigned)tid << 3 | 6)) : 0;
    if (!t->look.on) {
        t->look.on = true;
        t->look.from = t->look.asleep = now;
        t->look.cpu = cpu, t->look.switches = switches, t->look.naps = 0;
    }
    if (state != 'S') t->look.asleep = now;
    if (switches != t->look.switches) t->look.naps++, t->look.asleep = now;
    t->look.switches = switches;
    if (state == 'S' && now - t->look.asleep >= ASLEEP_NS) return true;
    if (cpu - t->look.cpu < t->look.patience && t->look.naps < NAPS &&
        now - t->look.from < FOREVER_NS)
        return false;
    if (t->look.patience > LOOK_NS) t->look.patience /= 2;
    return true;
}

/* Returns whether the calling thread must wait for t. */
static bool turn_waits_for(host_thread *t) {
    if (t == me || t->ended || t->inside || t->passed) return false;
    if (t->joins) {
        uint64_t turn = t->joins->turn > t->turn ? t->joins->turn : t->turn;
        return t->joins->ended && turn_before(turn, t->order, me);
    }
    bool comes = t->at_gate || __atomic_load_n(&t->at_lock, __ATOMIC_ACQUIRE);
    return turn_before(t->turn, t->order, me) && (comes || !thread_waits(t));
}

static bool turn_is_mine(void) {
    bool mine = true;
    for (host_thread *t = all.first; t; t = t->next) mine = !turn_waits_for(t) && mine;
    for (host_thread *t = all.first; t && mine; t = t->next)
        if (t != me && !t->at_gate && !t->inside && !t->joins && !t->ended &&
            turn_before(t->turn, t->order, me))
            t->passed = true;
    return mine;
}

static bool turn_alone(void) {
    for (const host_thread *t = all.first; t; t = t->next)
        if (t != me && !t->ended) return false;
    return true;
}

void wl_turn_lock(pthread_mutex_t *lock) {
    if (me) __atomic_store_n(&me->at_lock, true, __ATOMIC_RELEASE);
    pthread_mutex_lock(lock);
    if (!me) return;
    me->look.on = false;
    __atomic_store_n(&me->at_lock, false, __ATOMIC_RELEASE);
}

void wl_turn_take(pthread_mutex_t *lock) {
    if (turn_alone() || !thread_self()) return;
    me->at_gate = true;
    me->passed = me->look.on = me->ended = false;
    pthread_cond_broadcast(&all.moved);
    while (!turn_is_mine()) {
        struct timespec t;
        wl_clock_real(CLOCK_REALTIME, &t);
        t.tv_nsec += LOOK_NS;
        if (t.tv_nsec >= WL_NS) t.tv_nsec -= WL_NS, t.tv_sec++;
        pthread_cond_timedwait(&all.moved, lock, &t);
    }
    me->at_gate = false;
    me->inside = true;
    /* the server forgets nothing, so it only needs to hear what it cannot know */
    if (!me->told) turn_ask(me->clock, NULL);
    me->told = true;
}

void wl_turn_end(void) {
    if (!me || !me->inside) return;
    me->inside = false;
    me->clock = turn_ask(0, NULL);
    me->turn = me->clock > me->turn ? me->clock : me->turn + NOTHING_NS;
    for (host_thread *t = all.first; t; t = t->next) {
        if (!t->passed || t->clock >= me->clock) continue;
        t->clock = me->clock;
        if (t->turn < me->clock) t->turn = me->clock;
        t->told = false;
    }
    pthread_cond_broadcast(&all.moved);
}

/* ---- threads begin and end */

static void thread_end(void *thread) {
    host_thread *t = thread;
    if (!wl_lock_threads()) return;
    t->spent = wl_self()->spent;
    t->ended = true;
    pthread_cond_broadcast(&all.moved);
    wl_unlock();
}

static void make_key(void) {
    pthread_key_create(&all.key, thread_end);
}

static void thread_begin(host_thread *t) {
    me = t;
    __atomic_store_n(&t->tid, gettid(), __ATOMIC_RELEASE);
    pthread_setspecific(all.key, t);
}
static void *thread_run(void *thread) {
    host_thread *t = thread;
    thread_begin(t);
    return t->run(t->arg);
}
static int thread_run_c11(void *thread) {
    host_thread *t = thread;
    thread_begin(t);
    return t->run_c11(t->arg);
}

/* The caller is about to create a thread; NULL: it is not tracked. */
static host_thread *thread_created(void *arg) {
    pthread_once(&all.once, make_key);
    if (!wl_lock_threads()) return NULL;
    bool connected = wl_connected();
    host_thread *creator = thread_self(), *t = NULL;
    uint64_t late = 0;
    if (creator && connected && (creator->told || turn_alone())) {
        creator->clock = turn_ask(0, &late);
        if (creator->clock > creator->turn) creator->turn = creator->clock;
    }
    if (creator && (t = thread_new())) {
        t->arg = arg;
        t->clock = creator->clock, t->turn = creator->turn + late;
    }
    wl_unlock();
    return t;
}

/* It was created (rc 0), or not. */
static int thread_is(host_thread *t, const pthread_t *id, int rc) {
    if (!t || !wl_lock_threads()) return rc;
    for (host_thread *o = all.first, *next; !rc && o; o = next) {
        next = o->next; /* the earlier thread with this id was joined or detached */
        if (o != t && o->ended && o->order < t->order && pthread_equal(o->id, *id)) thread_drop(o);
    }
    if (rc) thread_drop(t);
    else t->id = *id;
    wl_unlock();
    return rc;
}

static host_thread *thread_joins(pthread_t id) {
    host_thread *t = NULL;
    if (!wl_lock_threads()) return NULL;
    if (thread_self())
        for (host_thread *o = all.first; o; o = o->next)
            if (o != me && pthread_equal(o->id, id)) t = o;
    if (t) me->joins = t;
    pthread_cond_broadcast(&all.moved);
    wl_unlock();
    return t;
}

static void thread_joined(host_thread *t, bool over, int64_t began) {
    if (!t || !wl_lock_threads()) return;
    int64_t waited = now_ns(CLOCK_MONOTONIC) - began;
    me->joins = NULL;
    if (over) {
        /* the time that the thread spent in our calls is not the caller's (clock.c) */
        wl_self()->spent += t->spent < waited ? t->spent : waited;
        if (t->turn > me->turn) me->turn = t->turn;
        if (t->clock > me->clock) me->clock = t->clock, me->told = false;
        thread_drop(t);
    }
    pthread_cond_broadcast(&all.moved);
    wl_unlock();
}

/* ---- replacements of libc's functions, found first in the order of lookup */

/* A program that is linked only with libcuda.so.1 has libc in front of this library. Then no next
 * function exists, and libc's functions are the default ones. */
static void *libc_function(const char *name) {
    void *next = dlsym(RTLD_NEXT, name);
    return next ? next : dlsym(RTLD_DEFAULT, name);
}
#define LIBC(name) ((__typeof__(name) *)(uintptr_t)libc_function(#name))

int wl_thread_start(void *(*run)(void *)) {
    pthread_t t;
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    int rc = LIBC(pthread_create)(&t, &a, run, NULL);
    pthread_attr_destroy(&a);
    return rc;
}

/* ThreadSanitizer replaces these functions, and expects to be the only one. */
#ifndef __SANITIZE_THREAD__

WL_EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *a, void *(*run)(void *),
                             void *arg);
int pthread_create(pthread_t *id, const pthread_attr_t *a, void *(*run)(void *), void *arg) {
    host_thread *t = thread_created(arg);
    if (!t) return LIBC(pthread_create)(id, a, run, arg);
    t->run = run;
    return thread_is(t, id, LIBC(pthread_create)(id, a, thread_run, t));
}

WL_EXPORT int pthread_join(pthread_t id, void **result);
int pthread_join(pthread_t id, void **result) {
    int64_t began = now_ns(CLOCK_MONOTONIC);
    host_thread *t = thread_joins(id);
    int rc = LIBC(pthread_join)(id, result);
    thread_joined(t, !rc, began);
    return rc;
}

/* glibc's functions call its own pthread functions directly. */
WL_EXPORT int thrd_create(thrd_t *id, thrd_start_t run, void *arg);
int thrd_create(thrd_t *id, thrd_start_t run, void *arg) {
    host_thread *t = thread_created(arg);
    if (!t) return LIBC(thrd_create)(id, run, arg);
    t->run_c11 = run;
    return thread_is(t, id, LIBC(thrd_create)(id, thread_run_c11, t));
}

WL_EXPORT int thrd_join(thrd_t id, int *result);
int thrd_join(thrd_t id, int *result) {
    int64_t began = now_ns(CLOCK_MONOTONIC);
    host_thread *t = thread_joins(id);
    int rc = LIBC(thrd_join)(id, result);
    thread_joined(t, rc == thrd_success, began);
    return rc;
}

#endif
