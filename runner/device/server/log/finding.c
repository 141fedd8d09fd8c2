/* Findings: each site once, with a count. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/log.h"
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/device/server/core/memory.h"
#include "words/server.h"

#include <stdio.h>
#include <stdlib.h>

static bool finding_same(const sim_finding *a, const sim_finding *b) {
    return a->kind == b->kind && a->line == b->line && a->other_line == b->other_line &&
           a->write == b->write && a->kernel == b->kernel && a->file == b->file &&
           a->space == b->space &&
           (a->line || a->kind == SIM_FIND_LEAK ? a->alloc_name == b->alloc_name : true) &&
           (a->kind != SIM_FIND_LEAK || a->alloc_size == b->alloc_size) &&
           (a->kind != SIM_FIND_CALL || !strcmp(a->text, b->text));
}

/* The runtime prints failed assertions to the program's stderr: the text says what failed, and
 * where. */
static void assertion_said(lib_message *m, const sim_finding *f) {
    static const char mark[] = "fails the assertion ";
    const char *at = strstr(f->text, mark), *what = at ? at + sizeof mark - 1 : "",
               *in = strstr(what, "` in "), *place = in ? strrchr(in, '(') : NULL;
    if (!place) {
        lib_message_set(m, w_server_assertion_failed_told(f->text));
        return;
    }
    char assertion[512], function[512], where[512], block[40], thread[40];
    SAY(assertion, "%.*s", (int)(in + 1 - what), what);
    SAY(function, "%.*s", (int)(place - in - 6), in + 5);
    SAY(where, "%.*s", (int)strcspn(place + 1, ")"), place + 1);
    SAY(block, "(%u,%u,%u)", f->block[0], f->block[1], f->block[2]);
    SAY(thread, "(%u,%u,%u)", f->thread[0], f->thread[1], f->thread[2]);
    lib_message_set(
        m, w_server_assertion_failed(where, thread, block, f->kernel, assertion, function));
}

/* A null pointer is mostly the result of an allocation that failed before. */
enum { NULL_PAGE = 4096 };
static void null_explained(const dev_log_state *g, sim_finding *n) {
    size_t have = strlen(n->text);
    for (size_t i = 0; i < g->finding_count; i++) {
        const sim_finding *f = &g->findings[i];
        if (f->kind != SIM_FIND_CALL || !strstr(f->text, "cudaErrorMemoryAllocation")) continue;
        snprintf(n->text + have, sizeof n->text - have,
                 ": a consequence of the allocation that failed before");
        return;
    }
}

void dev_log_finding(dev_client *c, const sim_finding *f) {
    dev_log_state *g = &c->log;
    if (f->kind == SIM_FIND_ASSERT && !lib_message_any(&c->wire.notice))
        assertion_said(&c->wire.notice, f);
    sim_finding n = *f;
    n.kernel = dev_intern(c, f->kernel), n.file = dev_intern(c, f->file),
    n.space = dev_intern(c, f->space);
    n.alloc_name = dev_intern(c, f->alloc_name), n.other_file = dev_intern(c, f->other_file);
    n.other_kernel = dev_intern(c, f->other_kernel);
    if (f->kind == SIM_FIND_OOB && f->address < NULL_PAGE &&
        !strcmp(f->space ? f->space : "", "global"))
        null_explained(g, &n);
    for (size_t i = 0; i < g->finding_count; i++)
        if (finding_same(&g->findings[i], &n)) {
            g->findings[i].count += n.count;
            return;
        }
    if (g->finding_count >= DEV_FINDINGS) return;
    if (!lib_grow(&g->findings, &g->finding_room, g->finding_count, sizeof n, 1)) return;
    if (f->said && (n.said = malloc(sizeof *n.said))) *n.said = *f->said;
    g->findings[g->finding_count++] = n;
}

void dev_log_said(dev_client *c, sim_finding *f, lib_words words) {
    lib_message m;
    lib_message_set(&m, words);
    lib_message_text(f->text, sizeof f->text, LIB_EN, &m);
    f->said = &m;
    dev_log_finding(c, f);
    f->said = NULL;
}

void dev_log_findings_free(dev_log_state *g) {
    for (size_t i = 0; i < g->finding_count; i++) free(g->findings[i].said);
    free(g->findings);
    g->findings = NULL, g->finding_count = g->finding_room = 0;
}

static bool freed_by_program(const dev_mem *m) {
    return m->kind == DEV_MEM_DEVICE || m->kind == DEV_MEM_POOL || m->kind == DEV_MEM_MANAGED;
}

/* A program that ended by a fault could not free anything: then there is one line, not one for each
 * site. */
static bool leaks_of_fault(dev_client *c) {
    bool fault = c->process.host_fault;
    unsigned long long n = 0, bytes = 0;
    for (unsigned d = 0; d < c->s->count; d++) fault |= c->context[d].fault != cudaSuccess;
    if (!fault) return false;
    for (size_t i = 0; i < c->memory.count; i++)
        if (freed_by_program(&c->memory.ranges[i])) n++, bytes += c->memory.ranges[i].bytes;
    if (!n) return true;
    sim_finding f = {.kind = SIM_FIND_LEAK, .count = 1, .alloc_size = bytes};
    dev_log_said(c, &f, w_server_leaks_of_fault((long long)n, (long long)bytes));
    return true;
}

/* Reports device memory that the program never freed, after the program has ended. */
void dev_log_leaks(dev_client *c) {
    if (leaks_of_fault(c)) return;
    for (size_t i = 0; i < c->memory.count; i++) {
        const dev_mem *m = &c->memory.ranges[i];
        if (!freed_by_program(m)) continue;
        sim_finding f = {.kind = SIM_FIND_LEAK,
                         .count = 1,
                         .address = m->base,
                         .alloc_base = m->base,
                         .alloc_size = m->bytes};
        snprintf(f.text, sizeof f.text,
                 "%llu bytes of device memory allocated with %s were never freed",
                 (unsigned long long)m->bytes,
                 m->kind == DEV_MEM_DEVICE ? "cudaMalloc"
                 : m->kind == DEV_MEM_POOL ? "cudaMallocAsync"
                                           : "cudaMallocManaged");
        dev_log_finding(c, &f);
    }
}

/* Reports what the client's fault handler left on the control page. */
void dev_log_fault(dev_client *c) {
    if (!c->process.control || !__atomic_load_n(&c->process.control->fault, __ATOMIC_ACQUIRE))
        return;
    wire_control page = *(volatile wire_control *)c->process.control;
    c->process.control->fault = 0;
    sim_finding f = {
        .kind = SIM_FIND_HOST_DEREF, .count = 1, .write = page.write != 0, .address = page.address};
    const dev_mem *m = dev_mem_find(c, page.address);
    if (m) f.alloc_base = m->base, f.alloc_size = m->bytes;
    c->process.host_fault = true;
    c->process.fault_pc = page.pc, c->process.fault_base = page.base;
    uint64_t at = page.pc - page.base;
    char file[256], place[160] = "";
    if (dev_log_line(c, &at, 1, file, sizeof file, &f.line)) {
        const char *slash = strrchr(file, '/');
        f.file = file;
        SAY(place, "%s:%u: ", slash ? slash + 1 : file, f.line);
    }
    size_t n =
        (size_t)snprintf(f.text, sizeof f.text, "%shost code %s device memory at 0x%llx", place,
                         page.write ? "wrote" : "read", (unsigned long long)page.address);
    if (m)
        n += (size_t)snprintf(
            f.text + n, sizeof f.text - n, ", byte %llu of an allocation of %llu bytes",
            (unsigned long long)(page.address - m->base), (unsigned long long)m->bytes);
    else n += (size_t)snprintf(f.text + n, sizeof f.text - n, ", which is in no live allocation");
    snprintf(f.text + n, sizeof f.text - n,
             " (program counter 0x%llx); copy it with cudaMemcpy first",
             (unsigned long long)(page.pc - page.base));
    dev_log_finding(c, &f);
}

bool dev_client_fault(const dev_client *c, uint64_t *pc, uint64_t *base) {
    if (c->process.host_fault) *pc = c->process.fault_pc, *base = c->process.fault_base;
    return c->process.host_fault;
}

size_t dev_client_findings(const dev_client *c, const sim_finding **f) {
    *f = c->log.findings;
    return c->log.finding_count;
}
