/* What the program's own code does with the device's memory: device pointers, which it must not
 * use, and managed memory, which it may use.
 *
 * Device addresses are not mapped in this process, so an access faults. The handler writes address
 * and program counter to the control page, which the server reads after the process has ended, then
 * lets the fault take its course.
 *
 * For managed memory, the kernel tells which pages of this process are mapped (/proc/self/pagemap,
 * "present"). A page that is given up (MADV_DONTNEED; its bytes stay in the memory file) is mapped
 * again at its next use, by this code or by a system call on its behalf. So the mapped pages are
 * those that were used. The kernel maps up to 64 KB around a use at once, which is also the size of
 * a group of pages here.
 *
 *   wl_begin --something ran since?--> wl_touched_say --HostTouched--> server
 *   fault in memory that was kept back --> wl_touched_want --HostWant, fd--> mapped
 *   a reply says that kernels use it --> wl_touched_guard: no access --fault--> wl_touched_want
 *     --HostWant--> page
 *
 * If the kernel does not tell, nothing is reported, and the host counts as one that never waits. */
#include "runner/device/cudart/client.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- managed memory */

enum { PAGE = 4096, GROUP = 64 << 10, PAGES = GROUP / PAGE };
enum { NOT_OPEN = -1, NO_SUCH = -2 };
static int pagemap = NOT_OPEN;
static uint64_t entries[64 * PAGES];
static uint8_t groups[(16ull << 30) / GROUP / 8];

static bool page_present(uint64_t entry) {
    return entry >> 63 || (entry >> 62 & 1); /* present, swapped out */
}

/* Sets the bits of used groups from `first` on, at most `n`. Returns false if the kernel does not
 * tell. */
static bool say_some(const wl_host_block *b, uint64_t first, uint64_t n, bool *any) {
    uint64_t at = b->address + first * GROUP, end = b->address + b->bytes;
    uint64_t pages = n * PAGES, left = (end - at + PAGE - 1) / PAGE;
    if (left < pages) pages = left;
    ssize_t got = pread(pagemap, entries, pages * 8, (off_t)(at / PAGE * 8));
    if (got != (ssize_t)(pages * 8)) return false;
    for (uint64_t g = 0; g * PAGES < pages; g++) {
        bool used = false;
        for (uint64_t i = g * PAGES; i < pages && i < (g + 1) * PAGES; i++)
            used |= page_present(entries[i]);
        if (!used) continue;
        *any = true;
        groups[(first + g) / 8] |= (uint8_t)(1u << (first + g) % 8);
        uint64_t size = end - (at + g * GROUP) < GROUP ? end - (at + g * GROUP) : GROUP;
        madvise(WL_HANDLE(void *, at + g * GROUP), (size + PAGE - 1) / PAGE * PAGE, MADV_DONTNEED);
    }
    return true;
}

static void say_block(const wl_host_block *b) {
    uint64_t n = (b->bytes + GROUP - 1) / GROUP;
    bool any = false;
    if (b->kept || pagemap < 0 || b->address % PAGE || n > sizeof groups * 8) return;
    memset(groups, 0, n / 8 + 1 < sizeof groups ? n / 8 + 1 : sizeof groups);
    for (uint64_t g = 0; g < n; g += sizeof entries / 8 / PAGES)
        if (!say_some(b, g, sizeof entries / 8 / PAGES, &any)) return;
    if (!any) return;
    wl_call c;
    struct wire_in_HostTouched *in =
        wl_begin_locked(&c, WIRE_OP_HostTouched, sizeof(struct wire_in_HostTouched) / 8, 1, 0);
    in->address = b->address;
    wl_span(&c, groups, (n + 7) / 8);
    wl_send(&c);
}

static void open_pagemap(const wl_host_block *b) {
    (void)b;
    if (pagemap != NOT_OPEN) return;
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0 || sysconf(_SC_PAGESIZE) != PAGE) pagemap = NO_SUCH;
}

void wl_touched_say(void) {
    if (!wl_simulated()) return; /* a GPU tracks these pages itself */
    wl_host_each_managed(open_pagemap);
    if (pagemap >= 0) wl_host_each_managed(say_block);
}

static bool guarded; /* managed memory faults until its page has been requested */

static void guard_block(const wl_host_block *b) {
    if (!b->kept)
        mprotect(WL_HANDLE(void *, b->address), b->bytes,
                 guarded ? PROT_NONE : PROT_READ | PROT_WRITE);
}

void wl_touched_guard(bool in_use, bool more) {
    if (guarded == in_use && !(in_use && more)) return;
    guarded = in_use;
    wl_host_each_managed(guard_block);
}

static wire_range held[WIRE_HELD]; /* pages */
static unsigned held_count;

static void held_protect(uint64_t from, uint64_t to, int how) {
    if (from < to) mprotect(WL_HANDLE(void *, from), to - from, how);
}

void wl_held_ask(void) {
    wl_call c;
    wl_begin_locked(&c, WIRE_OP_HostHeld, sizeof(struct wire_in_HostHeld) / 8, 0, 0);
    cudaError_t e = wl_send(&c);
    for (unsigned i = 0; i < held_count; i++)
        held_protect(held[i].from, held[i].to, PROT_READ | PROT_WRITE);
    size_t n = e || !c.spans ? 0 : c.span_bytes[0] / sizeof *held;
    held_count = n < WIRE_HELD ? (unsigned)n : WIRE_HELD;
    if (held_count) memcpy(held, c.span[0], held_count * sizeof *held);
    for (unsigned i = 0; i < held_count; i++) held_protect(held[i].from, held[i].to, PROT_NONE);
}

/* Opens the page of `address` and, of the guarded pages, those that no copy fills. */
static bool held_open(uint64_t address, bool write, uint64_t base, uint64_t bytes) {
    uint64_t low = (base + PAGE - 1) / PAGE * PAGE, high = (base + bytes) / PAGE * PAGE;
    bool there = false;
    for (unsigned i = 0; i < held_count; i++) {
        const wire_range *r = &held[i];
        there |= address >= r->from && address < r->to;
        held_protect(low > r->from ? low : r->from, high < r->to ? high : r->to,
                     PROT_READ | PROT_WRITE);
    }
    return there && !mprotect(WL_HANDLE(void *, address / PAGE * PAGE), PAGE,
                              bytes || write ? PROT_READ | PROT_WRITE : PROT_READ);
}

bool wl_touched_want(uint64_t address, bool write) {
    wl_call c;
    bool there = false;
    if (wl_self()->inside || !wl_lock_connected()) return false;
    struct wire_in_HostWant *in =
        wl_begin_locked(&c, WIRE_OP_HostWant, sizeof(struct wire_in_HostWant) / 8, 0,
                        sizeof(struct wire_out_HostWant) / 8);
    in->address = address, in->write = write;
    cudaError_t e = wl_send(&c);
    uint64_t base = e ? 0 : WL_OUT(&c, HostWant)->base, bytes = e ? 0 : WL_OUT(&c, HostWant)->bytes;
    if (!e) there = held_open(address, write, base, bytes);
    if (!e && !there && c.fd < 0 && !bytes)
        there = !mprotect(WL_HANDLE(void *, address / PAGE * PAGE), PAGE,
                          guarded && !write ? PROT_READ : PROT_READ | PROT_WRITE);
    if (!e && c.fd >= 0) there = wl_host_given(base, bytes, c.fd);
    if (c.fd >= 0) close(c.fd);
    wl_unlock();
    return there;
}

/* ---- device pointers */

static wire_control *page;
static uint64_t range_low, range_high;
static struct sigaction before[2]; /* SIGSEGV, SIGBUS */

/* Returns the place of the program's first byte minus its address in the file; 0 if it is not
 * position-independent. */
uint64_t wl_program_base(void) {
    const Elf64_Phdr *ph = (const Elf64_Phdr *)getauxval(AT_PHDR);
    size_t n = getauxval(AT_PHNUM);
    for (size_t i = 0; ph && i < n; i++)
        if (ph[i].p_type == PT_PHDR) return WL_U64(ph) - ph[i].p_vaddr;
    return 0;
}

#if defined __aarch64__
/* The kernel appends records to the registers; one has the reason (ESR_EL1, whose bit 6 is WnR). */
static bool fault_writes(const ucontext_t *u) {
    const unsigned char *at = u->uc_mcontext.__reserved,
                        *end = at + sizeof u->uc_mcontext.__reserved;
    for (struct _aarch64_ctx head; end - at >= (ptrdiff_t)sizeof(struct esr_context);
         at += head.size) {
        memcpy(&head, at, sizeof head);
        if (head.magic == ESR_MAGIC) {
            struct esr_context why;
            memcpy(&why, at, sizeof why);
            return why.esr >> 6 & 1;
        }
        if (!head.magic || head.size < sizeof head || head.size > (size_t)(end - at)) break;
    }
    return false;
}
#endif

static void on_fault(int sig, siginfo_t *info, void *context) {
    uint64_t a = WL_U64(info->si_addr);
    const struct sigaction *old = &before[sig == SIGBUS];
#if defined __x86_64__
    const ucontext_t *u = context;
    uint64_t pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    bool write = u->uc_mcontext.gregs[REG_ERR] & 2;
    /* A non-canonical address faults without saying which; device addresses are canonical. */
#elif defined __aarch64__
    const ucontext_t *u = context;
    uint64_t pc = u->uc_mcontext.pc;
    bool write = fault_writes(u);
#else
    (void)context;
    uint64_t pc = 0;
    bool write = false;
#endif
    if (sig == SIGSEGV && info->si_code == SEGV_ACCERR && wl_touched_want(a, write)) return;
    if (a >= range_low && a < range_high && !page->fault) {
        page->address = a;
        page->pc = pc;
        page->write = write;
        __atomic_store_n(&page->fault, 1, __ATOMIC_RELEASE);
    }
    /* Does what would have happened without this handler: on return, the instruction faults
     * again. */
    if (old->sa_flags & SA_SIGINFO || (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)) {
        if (old->sa_flags & SA_SIGINFO) old->sa_sigaction(sig, info, context);
        else old->sa_handler(sig);
        return;
    }
    signal(sig, SIG_DFL);
    if (info->si_code <= 0) raise(sig); /* sent by kill(): it would not come again */
}

void wl_fault_install(wire_control *p, uint64_t low, uint64_t high) {
    struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t have;
    page = p;
    page->base = wl_program_base();
    range_low = low, range_high = high;
    sigemptyset(&a.sa_mask);
    /* A stack of its own, at least for the main thread, unless the program has one. */
    if (!sigaltstack(NULL, &have) && have.ss_flags & SS_DISABLE) {
        size_t n = 64 << 10;
        void *m = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        stack_t s = {.ss_sp = m, .ss_size = n};
        if (m != MAP_FAILED) sigaltstack(&s, NULL);
    }
    sigaction(SIGSEGV, &a, &before[0]);
    sigaction(SIGBUS, &a, &before[1]);
}
