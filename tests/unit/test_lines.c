/* runner/device/server/log/lines.h: this program's own tables say on which line a call stands; any
 * other bytes say nothing and do no harm. */
#include "tests/check.h"
#include "runner/base/file.h"
#include "runner/device/server/log/lines.h"
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t base;
static int first_object(struct dl_phdr_info *i, size_t n, void *user) {
    (void)n, (void)user;
    base = i->dlpi_addr;
    return 1;
}

/* Where it was called, in the program's file. */
__attribute__((noinline)) static uint64_t caller(void) {
    __asm__ volatile("" ::: "memory"); /* each call is made */
    return (uint64_t)(uintptr_t)__builtin_return_address(0) - 1 - base;
}

static bool any_file(const char *file) {
    return *file != 0;
}
static bool no_file(const char *file) {
    (void)file;
    return false;
}

static void own_lines(const dev_lines *l) {
    char file[256];
    unsigned line = 0, want[2] = {__LINE__ + 1, __LINE__ + 2};
    uint64_t a = caller();
    uint64_t b = caller();
    CHECK(dev_lines_at(l, a, any_file, file, sizeof file, &line));
    CHECK_INT(line, want[0]);
    CHECK(strstr(file, "test_lines.c") != NULL);
    CHECK(dev_lines_at(l, b, any_file, file, sizeof file, &line));
    CHECK_INT(line, want[1]);
    char cut[6];
    CHECK(dev_lines_at(l, b, any_file, cut, sizeof cut, &line) && strlen(cut) == 5);
    CHECK(!dev_lines_at(l, b, no_file, file, sizeof file, &line));
    CHECK(!dev_lines_at(l, 1, any_file, file, sizeof file, &line));
    CHECK(!dev_lines_at(l, UINT64_MAX, any_file, file, sizeof file, &line));
}

/* What a file says of an address, or that it is none. */
static void asked(const char *path, uint64_t address) {
    char file[64];
    unsigned line;
    dev_lines *l = dev_lines_new(path);
    if (l) dev_lines_at(l, address, any_file, file, sizeof file, &line);
    dev_lines_free(l);
}

static void hostile(const char *own) {
    char path[] = "/tmp/lines-XXXXXX";
    lib_message msg;
    size_t n;
    char *bytes = lib_read_file(own, 0, &n, &msg);
    int fd = mkstemp(path);
    CHECK(bytes && fd >= 0);
    CHECK(!dev_lines_new("/nowhere"));
    CHECK(!dev_lines_new("/"));
    for (size_t cut = 0; bytes && cut < n; cut += n / 40 + 1) {
        CHECK(!ftruncate(fd, 0) && pwrite(fd, bytes, cut, 0) == (ssize_t)cut);
        asked(path, caller());
    }
    srand(7);
    for (int round = 0; bytes && n && round < 200; round++) {
        for (int k = 0; k < 200; k++) {
            size_t at = k % 4 ? (size_t)rand() % n : (size_t)rand() % 64;
            if (at < 16) continue; /* it stays an ELF file */
            bytes[at] = (char)rand();
        }
        CHECK(pwrite(fd, bytes, n, 0) == (ssize_t)n);
        asked(path, caller());
    }
    free(bytes);
    close(fd);
    unlink(path);
}

int main(void) {
    dl_iterate_phdr(first_object, NULL);
    dev_lines *l = dev_lines_new("/proc/self/exe");
    CHECK(l);
    if (l) own_lines(l);
    dev_lines_free(l);
    hostile("/proc/self/exe");
    return check_done();
}
