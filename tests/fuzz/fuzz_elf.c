/* Fuzzes the reader of a program's headers: any bytes as a file must be one of the kinds that there
 * are, and a section of theirs lies inside the file. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/build/build.h"

int fuzz_elf(const uint8_t *data, size_t size);

static char elf_root[] = "/dev/shm/warplab-fuzz.XXXXXX", elf_path[64];

static void elf_root_gone(void) {
    lib_remove_tree(elf_root);
}

int fuzz_elf(const uint8_t *data, size_t size) {
    if (!*elf_path) {
        if (!mkdtemp(elf_root)) abort();
        atexit(elf_root_gone);
        snprintf(elf_path, sizeof elf_path, "%s/program", elf_root);
    }
    int fd = open(elf_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    close(fd);
    char needed[256];
    build_elf kind = build_elf_check(elf_path, needed, sizeof needed);
    if (kind < BUILD_ELF_SHARED_CUDART || kind > BUILD_ELF_NOT_A_PROGRAM) abort();
    if (kind == BUILD_ELF_OTHER_CUDART && !*needed) abort();
    lib_message msg = {0};
    size_t n = 0;
    char *section = build_elf_section(elf_path, ".nv_fatbin", &n, &msg);
    if (section ? n > size : !lib_message_any(&msg)) abort();
    unsigned sum = 0;
    for (size_t i = 0; section && i < n; i++) sum += (unsigned char)section[i];
    free(section);
    return sum == 1u << 31;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_elf(data, size);
}
#endif
