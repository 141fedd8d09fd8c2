/* Findings: each site once, with a count. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/log.h"
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/device/server/core/memory.h"
#include "words/finding.h"
#include "words/server.h"

#include <stdio.h>
#include <stdlib.h>

static bool finding_same(const sim_finding *a, const sim_finding *b) {
    return a->kind == b->kind && a->line == b->line && a->other_line == b->other_line &&
           a->write == b->write && a->kernel == b->kernel && a->file == b->file &&
           a->space == b->space &&
           (a->line || a->kind == SIM_FIND_LEAK ? a->alloc_name == b->alloc_name : true) &&
           (a->kind != SIM_FIND_LEAK || a->alloc_size == b->alloc_size) &&
           (a->kind != SIM_FIND_CALL || lib_message_same(&a->said, &b->said));
}

enum { NULL_PAGE = 4096 }; /* an address below is a null pointer, perhaps with an offset */

void dev_log_finding(dev_client *c, const sim_finding *f) {
    dev_log_state *g = &c->log;
    if (f->kind == SIM_FIND_ASSERT && !lib_message_any(&c->wire.notice))
        lib_message_set(&c->wire.notice, w_server_assertion_failed(&f->said));
    sim_finding n = *f;
    n.kernel = dev_intern(c, f->kernel), n.file = dev_intern(c, f->file),
    n.space = dev_intern(c, f->space);
    n.alloc_name = dev_intern(c, f->alloc_name), n.other_file = dev_intern(c, f->other_file);
    n.other_kernel = dev_intern(c, f->other_kernel);
    if (f->kind == SIM_FIND_OOB && f->address < NULL_PAGE &&
        !strcmp(f->space ? f->space : "", "global"))
        if (g->allocation_failed) lib_message_set(&n.said, w_finding_after_failed(&f->said));
    for (size_t i = 0; i < g->finding_count; i++)
        if (finding_same(&g->findings[i], &n)) {
            g->findings[i].count += n.count;
            return;
        }
    if (g->finding_count >= DEV_FINDINGS) return;
    if (!lib_grow(&g->findings, &g->finding_room, g->finding_count, sizeof n, 1)) return;
    g->findings[g->finding_count++] = n;
}

void dev_log_said(dev_client *c, sim_finding *f, lib_words words) {
    lib_message_set(&f->said, words);
    dev_log_finding(c, f);
}

void dev_log_said_at(dev_client *c, sim_finding *f, const uint64_t *callers, size_t n,
                     const lib_message *what) {
    char file[256] = "";
    if (!n || !dev_log_line(c, callers, n, file, sizeof file, &f->line)) {
        dev_log_said(c, f, lib_message_words(what));
        return;
    }
    const char *slash = strrchr(file, '/');
    f->file = file;
    dev_log_said(c, f, w_server_at(slash ? slash + 1 : file, f->line, what));
}

void dev_log_findings_free(dev_log_state *g) {
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
        dev_log_said(c, &f,
                     w_server_leak((long long)m->bytes, m->kind == DEV_MEM_DEVICE ? "cudaMalloc"
                                                        : m->kind == DEV_MEM_POOL
                                                            ? "cudaMallocAsync"
                                                            : "cudaMallocManaged"));
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
    lib_message where, what;
    if (m)
        lib_message_set(&where, w_server_host_deref_in((long long)(page.address - m->base),
                                                       (long long)m->bytes));
    else lib_message_set(&where, w_server_host_deref_nowhere());
    lib_message_set(&what,
                    w_server_host_deref(page.write ? W_SERVER_HOST_WROTE : W_SERVER_HOST_READ,
                                        (long long)page.address, &where, (long long)at));
    dev_log_said_at(c, &f, &at, 1, &what);
}

bool dev_client_fault(const dev_client *c, uint64_t *pc, uint64_t *base) {
    if (c->process.host_fault) *pc = c->process.fault_pc, *base = c->process.fault_base;
    return c->process.host_fault;
}

size_t dev_client_findings(const dev_client *c, const sim_finding **f) {
    *f = c->log.findings;
    return c->log.finding_count;
}
