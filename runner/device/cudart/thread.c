/* The calling thread: its number, its last error, and the time that it spends inside our calls, in
 * real time and CPU time, which clock.c subtracts.
 *
 *   entry point --wl_result(error)--> the thread's last error; CallFailed--> server/log/failed.c
 *
 * The entry point's name is that of the outermost function of this library on the stack. Therefore
 * this library is compiled without sibling calls. */
#include "runner/device/cudart/client.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __thread wl_thread self;
static unsigned thread_count;

wl_thread *wl_self(void) {
    if (!self.known) {
        self.number = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED) & 0xffff;
        self.known = true;
    }
    return &self;
}

bool wl_in_service(void) {
    return self.in_service;
}

/* ---- a failed call is reported to the server, whether or not the program looks at it */

enum { FRAMES = 16 };

/* "cudaMalloc"; "" if the stack does not tell. Entry points of per-thread default streams get the
 * name in the program's source. callers: where the program called it, as places in the program's
 * file, from the inside out. Returns how many. */
static size_t entry_name(char *to, size_t n, uint64_t callers[FRAMES]) {
    void *at[FRAMES];
    Dl_info own, i;
    int frames = backtrace(at, FRAMES);
    size_t outside = 0;
    uint64_t base = wl_program_base();
    *to = 0;
    if (!dladdr((void *)(uintptr_t)wl_result, &own)) return 0;
    for (int k = 0; k < frames; k++) {
        if (!dladdr((char *)at[k] - 1, &i) || i.dli_fbase != own.dli_fbase) {
            if (*to) callers[outside++] = WL_U64(at[k]) - 1 - base;
            continue;
        }
        if (outside) break; /* the program called back */
        if (!i.dli_sname) continue;
        const char *name = i.dli_sname + 2 * !strncmp(i.dli_sname, "__cuda", 6);
        size_t length = strlen(name);
        const char *tail = length > 5 ? name + length - 5 : name;
        if (!strcmp(tail, "_ptsz") || !strcmp(tail, "_ptds")) length -= 5;
        if (length >= n) length = n - 1;
        memcpy(to, name, length);
        to[length] = 0;
    }
    if (wl_self()->launched_from) {
        callers[0] = wl_self()->launched_from - 1 - base;
        return 1;
    }
    return outside;
}

/* Errors that are answers. Unsupported calls have a line of their own, and a broken context has the
 * finding of the kernel that broke it. */
static bool an_answer(cudaError_t e) {
    return e == cudaErrorNotReady || e == cudaErrorNotSupported ||
           e == cudaErrorPeerAccessAlreadyEnabled || e == cudaErrorPeerAccessNotEnabled ||
           e == wl_broken(wl_self()->device);
}

static void failed(cudaError_t e) {
    char name[64];
    uint64_t callers[FRAMES];
    wl_call c;
    wl_thread *t = wl_self();
    bool refused = t->has_refused;
    t->has_refused = false;
    if (an_answer(e) || wl_in_service() || wl_connect()) return;
    size_t n = entry_name(name, sizeof name, callers);
    struct wire_in_CallFailed *in = WL_BEGIN(&c, CallFailed, 0);
    in->error = WL_U64(e);
    wl_span(&c, name, strlen(name));
    wl_span(&c, &t->refused, refused ? sizeof t->refused : 0);
    wl_span(&c, callers, n * sizeof *callers);
    wl_send(&c);
    wl_end(&c);
}

__attribute__((noinline)) cudaError_t wl_result(cudaError_t e) {
    if (!e) return e;
    wl_self()->last = e;
    failed(e);
    return e;
}

/* ---- time spent inside */

int wl_clock_real(int id, struct timespec *t) {
    return (int)syscall(SYS_clock_gettime, id, t);
}

static int64_t spent_ns(int id) {
    struct timespec t = {0};
    wl_clock_real(id, &t);
    return (int64_t)t.tv_sec * WL_NS + t.tv_nsec;
}

void wl_clock_enter(void) {
    wl_thread *t = wl_self();
    if (t->inside++) return;
    t->entered = spent_ns(CLOCK_MONOTONIC);
    t->entered_busy = spent_ns(CLOCK_THREAD_CPUTIME_ID);
}
void wl_clock_leave(void) {
    wl_thread *t = wl_self();
    if (--t->inside) return;
    t->spent_busy += spent_ns(CLOCK_THREAD_CPUTIME_ID) - t->entered_busy;
    t->spent += spent_ns(CLOCK_MONOTONIC) - t->entered; /* last, because asking takes time, too */
}
