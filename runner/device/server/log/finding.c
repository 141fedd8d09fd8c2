/* Findings: a site once, with a count. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/log.h"
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/device/server/core/memory.h"

#include <stdio.h>

static bool finding_same(const sim_finding *a, const sim_finding *b) {
    return a->kind == b->kind && a->line == b->line && a->other_line == b->other_line &&
           a->write == b->write && a->kernel == b->kernel && a->file == b->file &&
           a->space == b->space &&
           (a->line || a->kind == SIM_FIND_LEAK ? a->alloc_name == b->alloc_name : true) &&
           (a->kind != SIM_FIND_LEAK || a->alloc_size == b->alloc_size) &&
           (a->kind != SIM_FIND_CALL || !strcmp(a->text, b->text));
}

/* The English text names who failed; in Chinese that is said here. */
static void assertion_said(lib_message *m, const sim_finding *f) {
    static const char mark[] = "fails the assertion ";
    const char *at = strstr(f->text, mark), *what = at ? at + sizeof mark - 1 : f->text,
               *in = strstr(what, "` in "), *place = in ? strrchr(in, '(') : NULL;
    char zh[560];
    SAY(zh, "%.*s%s核函数 %.100s，块 (%u,%u,%u)，线程 (%u,%u,%u)：%.*s",
        place ? (int)strcspn(place + 1, ")") : 0, place ? place + 1 : "", place ? "：" : "",
        f->kernel ? f->kernel : "?", f->block[0], f->block[1], f->block[2], f->thread[0],
        f->thread[1], f->thread[2], place ? (int)(in + 1 - what) : 300, what);
    lib_message_set2(m, "Assertion failed: %.480s%.0s", "%.0s断言失败：%s", f->text, zh);
}

/* A null pointer is mostly what an allocation has left that failed before. */
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
    /* The runtime prints failed assertions to the program's stderr. */
    if (f->kind == SIM_FIND_ASSERT && !c->wire.notice.text[0]) assertion_said(&c->wire.notice, f);
    sim_finding n = *f;
    n.kernel = dev_intern(c, f->kernel), n.file = dev_intern(c, f->file),
    n.space = dev_intern(c, f->space);
    n.alloc_name = dev_intern(c, f->alloc_name), n.other_file = dev_intern(c, f->other_file);
    n.other_kernel = dev_intern(c, f->other_kernel), n.zh = dev_intern(c, f->zh);
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
    g->findings[g->finding_count++] = n;
}

static bool freed_by_program(const dev_mem *m) {
    return m->kind == DEV_MEM_DEVICE || m->kind == DEV_MEM_POOL || m->kind == DEV_MEM_MANAGED;
}

/* A program that a fault ended could not free anything: that is one line, not one for each site. */
static bool leaks_of_fault(dev_client *c) {
    bool fault = c->process.host_fault;
    unsigned long long n = 0, bytes = 0;
    char zh[200];
    for (unsigned d = 0; d < c->s->count; d++) fault |= c->context[d].fault != cudaSuccess;
    if (!fault) return false;
    for (size_t i = 0; i < c->memory.count; i++)
        if (freed_by_program(&c->memory.ranges[i])) n++, bytes += c->memory.ranges[i].bytes;
    if (!n) return true;
    sim_finding f = {.kind = SIM_FIND_LEAK, .count = 1, .alloc_size = bytes, .zh = zh};
    snprintf(f.text, sizeof f.text,
             "%llu allocation%s of device memory (%llu bytes) %s not freed, because the "
             "program ended with a fault",
             n, n == 1 ? "" : "s", bytes, n == 1 ? "was" : "were");
    SAY(zh, "因为程序以错误结束，%llu 次分配的设备内存（共 %llu 字节）没有释放", n, bytes);
    dev_log_finding(c, &f);
    return true;
}

/* Device memory that the program never freed, when it is gone. */
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

/* What the client's fault handler left on the control page. */
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
