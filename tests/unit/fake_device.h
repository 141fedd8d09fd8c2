/* A device layer for the grader's own tests: a "program" is a C function that works on the buffers
 * it is given and says what it launched. Memory is the host's; times and counters are whatever the
 * function logs. Include in one test program: its definitions stand in for the device library's. */
#ifndef WARPLAB_FAKE_DEVICE_H
#define WARPLAB_FAKE_DEVICE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "grader/grade.h"
#include "tests/said.h"

enum { FAKE_POISON = 0xCD, FAKE_LOG = 64 };

typedef struct fake_program fake_program;
struct dev_client {
    const fake_program *program;
    dev_record log[FAKE_LOG];
    sim_result results[FAKE_LOG];
    sim_finding findings[8];
    size_t count, finding_count;
    double clock;
    dev_arg args[16];
    size_t arg_count;
    unsigned calls; /* made so far */
    bool called, finishing, read_back, replaying;
    /* what it says of the call's data flow */
    bool incomplete;
    dev_flow flow;
    uint64_t put;
    /* for the function: what its own memory holds */
    bool spoiled;
    uint64_t allowed, worked; /* instructions of the last call */
    /* what is asked about device code that the function loads; NULL: nothing is */
    bool (*may_load)(void *user, const void *fatbin, size_t n, unsigned arch);
    void *may_load_user;
    dev_event next; /* what the function makes dev_client_run return; DEV_READY is the default */
    const char *unsupported, *unsupported_call;
};
typedef void (*fake_fn)(dev_client *c, const dev_arg *args);
struct fake_program {
    fake_fn fn;
    fake_fn replay; /* NULL: fn; what the recorded launches do on fresh inputs */
    bool no_replay;
    dev_event at_start; /* DEV_READY, or how it fails before main's loop */
    int status;         /* wait status once it is gone */
};

/* programs[0] is the submission, [1] the baseline */
static fake_program fake_programs[2];
/* the client that holds all of the device's memory */
static const dev_client *fake_taken_by;
/* what the device says that it is; NULL: nothing */
static const sim_profile *fake_profile;
/* the simulated device behind it; NULL: none */
static sim_device *fake_sim;
/* what its GPU says of itself, at the first question, at the second, ...; NULL: it is a simulated
 * one */
static const dev_gpu_state *fake_gpu;
static unsigned fake_gpu_asked;
static int fake_running, fake_started, fake_session_fails, fake_allocations;

/* What was asked of dev_alloc(), in order, and how much of it was held then. */
typedef struct {
    uint64_t bytes;
    int held;
} fake_ask;
static fake_ask fake_asks[64];
static size_t fake_asked;
static uint64_t fake_reserved; /* what was set aside last */

static inline void *fake_ptr(const dev_arg *a) {
    return (void *)(uintptr_t)a->v.addr;
}

/* What the function says it did. */
static inline dev_record *fake_record(dev_client *c, dev_op op, double us, uint64_t bytes) {
    dev_record *r = &c->log[c->count];
    memset(r, 0, sizeof *r);
    *r = (dev_record){
        .op = op, .start_us = c->clock, .end_us = c->clock + us, .bytes = bytes, .status = SIM_OK};
    c->clock += us;
    c->count++;
    return r;
}
static inline sim_result *fake_launch(dev_client *c, const char *kernel, double us) {
    dev_record *r = fake_record(c, DEV_OP_LAUNCH, us, 0);
    sim_result *s = &c->results[c->count - 1];
    memset(s, 0, sizeof *s);
    s->time_us = us;
    s->limiter = "dram";
    r->kernel = kernel;
    r->grid[0] = r->grid[1] = r->grid[2] = r->block[1] = r->block[2] = 1;
    r->block[0] = 256;
    r->result = s;
    return s;
}
static inline sim_finding *fake_find(dev_client *c, sim_finding_kind kind, const char *text) {
    sim_finding *f = &c->findings[c->finding_count++];
    *f = (sim_finding){.kind = kind,
                       .count = 1,
                       .kernel = "k",
                       .file = "x.cu",
                       .line = 7,
                       .space = "global",
                       .alloc_name = "b",
                       .other_file = ""};
    tell(&f->said, text, NULL);
    return f;
}

/* ---- device.h ---- */
struct dev_session {
    char name[64];
};
dev_session *dev_session_new(const dev_options *o, lib_message *msg) {
    if (fake_session_fails) {
        tell(msg, "no such device", NULL);
        return NULL;
    }
    dev_session *s = calloc(1, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", o->device);
    return s;
}
void dev_session_free(dev_session *s) {
    free(s);
}
const char *dev_session_name(const dev_session *s, unsigned device) {
    return device ? NULL : s->name;
}
sim_device *dev_session_sim(dev_session *s, unsigned device) {
    (void)s;
    return device ? NULL : fake_sim;
}
const sim_profile *dev_session_profile(const dev_session *s, unsigned device) {
    (void)s;
    return device ? NULL : fake_profile;
}
bool dev_session_gpu(dev_session *s, unsigned device, dev_gpu_state *state) {
    (void)s;
    if (device || !fake_gpu) return false;
    *state = fake_gpu[fake_gpu_asked++];
    return true;
}
bool dev_client_lost(const dev_client *c) {
    (void)c;
    return false;
}
sim_status dev_alloc(dev_session *s, uint64_t bytes, const char *name, uint64_t *addr) {
    (void)s, (void)name;
    if (fake_asked < sizeof fake_asks / sizeof *fake_asks)
        fake_asks[fake_asked++] = (fake_ask){bytes, fake_allocations};
    fake_allocations++;
    *addr = (uint64_t)(uintptr_t)malloc(bytes);
    return SIM_OK;
}
void dev_reserve(dev_session *s, uint64_t bytes) {
    (void)s;
    fake_reserved = bytes;
}
sim_status dev_free(dev_session *s, uint64_t addr) {
    (void)s;
    fake_allocations--;
    free((void *)(uintptr_t)addr);
    return SIM_OK;
}
sim_status dev_write(dev_session *s, uint64_t addr, const void *from, uint64_t n) {
    (void)s;
    memcpy((void *)(uintptr_t)addr, from, n);
    return SIM_OK;
}
sim_status dev_read(dev_session *s, void *to, uint64_t addr, uint64_t n) {
    (void)s;
    memcpy(to, (void *)(uintptr_t)addr, n);
    return SIM_OK;
}
sim_status dev_poison(dev_session *s, uint64_t addr, uint64_t n) {
    (void)s;
    memset((void *)(uintptr_t)addr, FAKE_POISON, n);
    return SIM_OK;
}
/* F: a flush, R: a replay, C: a call; what came last, at the end */
static char fake_trail[256];
static inline void fake_step(char what) {
    size_t n = strlen(fake_trail);
    if (n + 1 < sizeof fake_trail) fake_trail[n] = what;
}
void dev_flush(dev_session *s) {
    (void)s;
    fake_step('F');
}
dev_client *dev_client_new(dev_session *s, int fd, lib_message *msg) {
    (void)s, (void)msg;
    dev_client *c = calloc(1, sizeof *c);
    c->program = &fake_programs[fd];
    c->next = c->program->at_start;
    return c;
}
void dev_client_free(dev_client *c) {
    if (c == fake_taken_by) fake_taken_by = NULL;
    free(c);
}
double dev_client_spent_s(const dev_client *c) {
    return c->calls;
}
void dev_client_allow(dev_client *c, uint64_t inst) {
    c->allowed = inst;
}
uint64_t dev_client_work(const dev_client *c) {
    return c->worked;
}
dev_event dev_client_run(dev_client *c, double timeout, lib_message *msg) {
    (void)timeout;
    tell(msg, "message of 3 bytes", NULL);
    if (c->finishing) return DEV_CLOSED;
    if (!c->called) return c->next;
    c->called = false;
    c->program->fn(c, c->args);
    return c->next;
}
sim_status dev_client_call(dev_client *c, const dev_arg *args, size_t n) {
    if (n) memcpy(c->args, args, n * sizeof *args);
    c->arg_count = n;
    c->called = true;
    c->calls++;
    fake_step('C');
    return SIM_OK;
}
void dev_client_finish(dev_client *c) {
    c->finishing = true;
}
void *dev_client_host(const dev_client *c, size_t i) {
    (void)c, (void)i;
    return NULL;
}
size_t dev_client_log(const dev_client *c, const dev_record **records) {
    *records = c->log;
    return c->count;
}
size_t dev_client_proof(const dev_client *c, const dev_record **records) {
    return dev_client_log(c, records);
}
void dev_client_code(dev_client *c,
                     bool (*allowed)(void *user, const void *fatbin, size_t n, unsigned arch),
                     void *user) {
    c->may_load = allowed, c->may_load_user = user;
}
void dev_client_mark(dev_client *c) {
    c->count = c->finding_count = 0;
    c->read_back = c->incomplete = false;
    c->flow = (dev_flow){0};
    c->put = 0;
    c->clock = 0;
}
uint64_t dev_client_unrecorded(const dev_client *c) {
    (void)c;
    return 0;
}
double dev_client_busy_us(const dev_client *c) {
    double us = 0;
    for (size_t i = 0; i < c->count; i++) us += c->log[i].end_us - c->log[i].start_us;
    return us;
}
double dev_client_elapsed_us(const dev_client *c) {
    return dev_client_busy_us(c) + 100;
}
bool dev_client_freed(const dev_client *c) {
    (void)c;
    return false;
}
bool dev_client_read_back(const dev_client *c) {
    return c->read_back;
}
void dev_client_flow(const dev_client *c, dev_flow *f) {
    *f = c->flow;
    f->complete = !c->incomplete;
    f->room = 100000, f->room_bytes = 3 << 20;
    if (!f->saw.kernel) f->saw.kernel = "";
    if (!f->gave.kernel) f->gave.kernel = "";
}
uint64_t dev_client_put(const dev_client *c, uint64_t addr) {
    (void)addr;
    return c->put;
}
const char *dev_client_undelivered(const dev_client *c, size_t *n) {
    (void)c;
    *n = 0;
    return "";
}
size_t dev_client_findings(const dev_client *c, const sim_finding **f) {
    *f = c->findings;
    return c->finding_count;
}
size_t dev_client_unsupported(const dev_client *c, const lib_message *const **lines) {
    static const lib_message *line;
    *lines = &line;
    return c->unsupported ? 1 : 0;
}
const char *dev_client_unsupported_call(const dev_client *c) {
    return c->unsupported_call;
}
sim_status dev_client_replay(dev_client *c) {
    fake_step('R');
    if (c->program->no_replay) return SIM_UNSUPPORTED;
    c->count = c->finding_count = 0;
    c->clock = 0;
    c->replaying = true;
    (c->program->replay ? c->program->replay : c->program->fn)(c, c->args);
    c->replaying = false;
    return SIM_OK;
}

bool dev_client_host_kept(const dev_client *c, size_t i) {
    (void)c, (void)i;
    return true;
}
uint64_t dev_client_computed(const dev_client *c, const dev_bytes *known, size_t count) {
    (void)c, (void)known, (void)count;
    return 0;
}
uint64_t dev_client_gave(const dev_client *c, const void *bytes, uint64_t n) {
    (void)c, (void)bytes;
    return n / 4; /* all of it */
}
const void *dev_client_left(const dev_client *c, size_t i) {
    (void)c, (void)i;
    return NULL;
}
void dev_client_program(dev_client *c, const char *path) {
    (void)c, (void)path;
}

sim_status dev_client_prove(dev_client *c) {
    return dev_client_replay(c);
}
sim_status dev_client_prove_same(dev_client *c) {
    return dev_client_replay(c);
}
void dev_client_lineage(dev_client *c, bool given) {
    (void)c, (void)given;
}
uint64_t dev_client_variables(const dev_client *c) {
    (void)c;
    return 0;
}
uint64_t dev_client_given(const dev_client *c, uint64_t to, uint64_t not_to) {
    (void)c, (void)to, (void)not_to;
    return 0;
}
void dev_client_spoil(dev_client *c, bool (*of)(const void *user, const char *kernel),
                      const void *user) {
    (void)c, (void)of, (void)user;
}
void dev_client_unproven(dev_client *c) {
    (void)c;
}
void dev_client_draw_threads(dev_client *c, bool on) {
    (void)c, (void)on;
}

/* ---- the host ---- */
static int fake_spawn(void *user, const char *path, grade_child *child, lib_message *msg) {
    (void)user, (void)msg;
    int i = !strcmp(path, "baseline");
    fake_running++;
    fake_started += !i;
    *child = (grade_child){.pid = 100 + i, .fd = i, .out_fd = -1};
    return 0;
}
static int fake_reap(void *user, grade_child *child, bool kill_it, char **output, size_t *n) {
    (void)user;
    fake_running--;
    if (output) *output = strdup("hello\n");
    if (n) *n = 6;
    return kill_it ? 9 : fake_programs[child->fd].status;
}
static const grade_host fake_host = {fake_spawn, fake_reap, NULL};

#endif
