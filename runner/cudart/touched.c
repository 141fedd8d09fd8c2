/* What the program's own code does with managed memory, which no device sees.
 *
 * The kernel tells which pages of this process are mapped (/proc/self/pagemap, "present"). A page
 * that is given up (MADV_DONTNEED; its bytes stay in the memory file) is mapped again when it is
 * next used, by this code or by a system call on its behalf, so what is mapped is what was used.
 * The kernel maps up to 64 KB around a use at once, which is a group of pages here too.
 *
 *   wl_begin --something ran since?--> wl_touched_say --HostTouched--> server
 *   fault in memory that was kept back --fault.c--> wl_touched_want --HostWant, fd--> mapped
 *
 * Where the kernel does not tell, nothing is said, and the host counts as one that never waits. */
#include "runner/cudart/client.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, GROUP = 64 << 10, PAGES = GROUP / PAGE };
enum { NOT_OPEN = -1, NO_SUCH = -2 };
static int pagemap = NOT_OPEN;
static uint64_t entries[64 * PAGES];
static uint8_t groups[(16ull << 30) / GROUP / 8];

static bool page_present(uint64_t entry) {
    return entry >> 63 || (entry >> 62 & 1); /* present, swapped out */
}

/* Sets the bits of the groups from `first` on that were used, `n` of them at most; false: the kernel
 * does not tell. */
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
    if (!wl_simulated()) return; /* a GPU has these pages itself */
    wl_host_each_managed(open_pagemap);
    if (pagemap >= 0) wl_host_each_managed(say_block);
}

bool wl_touched_want(uint64_t address) {
    wl_call c;
    bool there = false;
    if (wl_self()->inside || !wl_lock_connected()) return false;
    struct wire_in_HostWant *in =
        wl_begin_locked(&c, WIRE_OP_HostWant, sizeof(struct wire_in_HostWant) / 8, 0,
                        sizeof(struct wire_out_HostWant) / 8);
    in->address = address;
    cudaError_t e = wl_send(&c);
    if (!e && c.fd >= 0)
        there = wl_host_given(WL_OUT(&c, HostWant)->base, WL_OUT(&c, HostWant)->bytes, c.fd);
    if (c.fd >= 0) close(c.fd);
    wl_unlock();
    return there;
}
