/* Which CUDA runtime a program loads, read from its ELF headers: only one that loads
 * libcudart.so.13 can be given a device of ours. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/build/build.h"

typedef struct {
    const uint8_t *bytes;
    size_t n;
} file_view;

/* n bytes at offset, or NULL when the file is shorter. */
static const void *at(const file_view *f, uint64_t offset, uint64_t n) {
    return offset <= f->n && n <= f->n - offset ? f->bytes + offset : NULL;
}

static bool to_offset(const file_view *f, const Elf64_Ehdr *h, uint64_t address, uint64_t *offset) {
    for (unsigned i = 0; i < h->e_phnum; i++) {
        Elf64_Phdr p;
        const void *raw = at(f, h->e_phoff + (uint64_t)i * sizeof p, sizeof p);
        if (!raw) return false;
        memcpy(&p, raw, sizeof p);
        if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz) {
            *offset = p.p_offset + (address - p.p_vaddr);
            return true;
        }
    }
    return false;
}

static bool find_section(const file_view *f, const Elf64_Ehdr *h, const char *name,
                         Elf64_Shdr *found) {
    Elf64_Shdr names, s;
    const void *raw = at(f, h->e_shoff + (uint64_t)h->e_shstrndx * sizeof s, sizeof s);
    if (!raw || !h->e_shoff) return false;
    memcpy(&names, raw, sizeof names);
    for (unsigned i = 0; i < h->e_shnum; i++) {
        raw = at(f, h->e_shoff + (uint64_t)i * sizeof s, sizeof s);
        if (!raw) return false;
        memcpy(&s, raw, sizeof s);
        const char *text = at(f, names.sh_offset + s.sh_name, strlen(name) + 1);
        if (s.sh_name < names.sh_size && text && !memcmp(text, name, strlen(name) + 1)) {
            *found = s;
            return true;
        }
    }
    return false;
}

/* What this machine runs. */
#if defined(__aarch64__)
enum { ELF_MACHINE = EM_AARCH64 };
#else
enum { ELF_MACHINE = EM_X86_64 };
#endif

static build_elf elf_kind(const file_view *f, char *needed, size_t size) {
    Elf64_Ehdr h;
    const void *raw = at(f, 0, sizeof h);
    if (!raw) return BUILD_ELF_NOT_A_PROGRAM;
    memcpy(&h, raw, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_machine != ELF_MACHINE || (h.e_type != ET_EXEC && h.e_type != ET_DYN))
        return BUILD_ELF_NOT_A_PROGRAM;
    Elf64_Shdr section;
    build_elf found =
        find_section(f, &h, ".nv_fatbin", &section) ? BUILD_ELF_STATIC_CUDART : BUILD_ELF_NO_CUDA;
    Elf64_Phdr p, dynamic = {0};
    for (unsigned i = 0; i < h.e_phnum; i++) {
        raw = at(f, h.e_phoff + (uint64_t)i * sizeof p, sizeof p);
        if (!raw) return BUILD_ELF_NOT_A_PROGRAM;
        memcpy(&p, raw, sizeof p);
        if (p.p_type == PT_DYNAMIC) dynamic = p;
    }
    uint64_t strings = 0, string_bytes = 0;
    bool driver = false; /* the driver API, which our libcudart.so.13 has too */
    size_t count = dynamic.p_filesz / sizeof(Elf64_Dyn);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            Elf64_Dyn d;
            raw = at(f, dynamic.p_offset + i * sizeof d, sizeof d);
            if (!raw) return found;
            memcpy(&d, raw, sizeof d);
            if (d.d_tag == DT_NULL) break;
            if (pass == 0 && d.d_tag == DT_STRTAB && !to_offset(f, &h, d.d_un.d_ptr, &strings))
                return found;
            if (pass == 0 && d.d_tag == DT_STRSZ) string_bytes = d.d_un.d_val;
            if (pass == 0 || d.d_tag != DT_NEEDED || d.d_un.d_val >= string_bytes) continue;
            const char *table = at(f, strings, string_bytes);
            if (!table) return found;
            const char *name = table + d.d_un.d_val;
            size_t n = strnlen(name, string_bytes - d.d_un.d_val);
            driver |= n == 12 && !memcmp(name, "libcuda.so.1", 12);
            if (n < 12 || memcmp(name, "libcudart.so", 12)) continue;
            snprintf(needed, size, "%.*s", (int)(n < 200 ? n : 200), name);
            return n == 15 && !memcmp(name, "libcudart.so.13", 15) ? BUILD_ELF_SHARED_CUDART
                                                                   : BUILD_ELF_OTHER_CUDART;
        }
    }
    return driver && found == BUILD_ELF_NO_CUDA ? BUILD_ELF_SHARED_CUDART : found;
}

char *build_elf_section(const char *path, const char *name, size_t *n, lib_message *msg) {
    char *file = lib_read_file(path, 0, n, msg), *bytes = NULL;
    if (!file) return NULL;
    file_view f = {(const uint8_t *)file, *n};
    Elf64_Ehdr h;
    Elf64_Shdr s;
    const void *raw = at(&f, 0, sizeof h);
    *n = 0;
    if (raw) memcpy(&h, raw, sizeof h);
    if (raw && find_section(&f, &h, name, &s) && (raw = at(&f, s.sh_offset, s.sh_size))) {
        bytes = malloc(s.sh_size + 1);
        if (bytes) memcpy(bytes, raw, s.sh_size), *n = s.sh_size;
    } else lib_message_set2(msg, "%s has no section %s", "%s 没有 %s 段", path, name);
    free(file);
    return bytes;
}

build_elf build_elf_check(const char *path, char *needed, size_t n) {
    if (n) *needed = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    build_elf result = BUILD_ELF_NOT_A_PROGRAM;
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            result = elf_kind(&(file_view){map, (size_t)st.st_size}, needed, n);
            munmap(map, (size_t)st.st_size);
        }
    }
    if (fd >= 0) close(fd);
    return result;
}
