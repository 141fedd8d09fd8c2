/* A device pointer used on the host: device addresses are mapped nowhere in this process, so the
 * access faults. The handler notes address and program counter on the control page, which the
 * server reads when the process is gone, then lets the fault take its course. */
#include "runner/cudart/client.h"

#include <elf.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static wire_control *page;
static uint64_t range_low, range_high;
static struct sigaction before[2]; /* SIGSEGV, SIGBUS */

/* Where the program's first byte lies minus its address in the file: 0 for one that is not
 * position-independent. */
uint64_t wl_program_base(void) {
    const Elf64_Phdr *ph = (const Elf64_Phdr *)getauxval(AT_PHDR);
    size_t n = getauxval(AT_PHNUM);
    for (size_t i = 0; ph && i < n; i++)
        if (ph[i].p_type == PT_PHDR) return WL_U64(ph) - ph[i].p_vaddr;
    return 0;
}

static void on_fault(int sig, siginfo_t *info, void *context) {
    uint64_t a = WL_U64(info->si_addr);
    const struct sigaction *old = &before[sig == SIGBUS];
#if defined __x86_64__
    const ucontext_t *u = context;
    uint64_t pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    bool write = u->uc_mcontext.gregs[REG_ERR] & 2;
    /* A non-canonical address faults without saying which; device addresses are canonical. */
#else
    (void)context;
    uint64_t pc = 0;
    bool write = false;
#endif
    if (sig == SIGSEGV && info->si_code == SEGV_ACCERR && wl_touched_want(a)) return;
    if (a >= range_low && a < range_high && !page->fault) {
        page->address = a;
        page->pc = pc;
        page->write = write;
        __atomic_store_n(&page->fault, 1, __ATOMIC_RELEASE);
    }
    /* What would have happened without us: on return the instruction faults again. */
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
    /* A stack of its own for the main thread at least, unless the program has one. */
    if (!sigaltstack(NULL, &have) && have.ss_flags & SS_DISABLE) {
        size_t n = 64 << 10;
        void *m = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        stack_t s = {.ss_sp = m, .ss_size = n};
        if (m != MAP_FAILED) sigaltstack(&s, NULL);
    }
    sigaction(SIGSEGV, &a, &before[0]);
    sigaction(SIGBUS, &a, &before[1]);
}
