/* Reads from a program's ELF headers which CUDA runtime it loads: only a program that loads
 * libcudart.so.13 can get a device of ours. */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/build/build.h"
#include "runner/device/sim/sim.h"
#include "words/build.h"

/* Returns the bytes at an address that the loader maps; NULL: the file has none there, or fewer. */
static Elf_Data *program_bytes(Elf *e, uint64_t address, uint64_t n) {
    GElf_Phdr p;
    for (int i = 0; gelf_getphdr(e, i, &p); i++)
        if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
            return elf_getdata_rawchunk(e, (int64_t)(p.p_offset + (address - p.p_vaddr)), n,
                                        ELF_T_BYTE);
    return NULL;
}

static Elf_Scn *program_section(Elf *e, const char *name) {
    size_t names;
    GElf_Shdr h;
    Elf_Scn *s = NULL;
    if (elf_getshdrstrndx(e, &names)) return NULL;
    while ((s = elf_nextscn(e, s))) {
        const char *own = gelf_getshdr(s, &h) ? elf_strptr(e, names, h.sh_name) : NULL;
        if (own && !strcmp(own, name)) return s;
    }
    return NULL;
}

/* Returns the value of the first entry with the tag; 0: none. */
static uint64_t program_tag(Elf_Data *dynamic, int64_t tag) {
    GElf_Dyn d;
    for (int i = 0; gelf_getdyn(dynamic, i, &d) && d.d_tag != DT_NULL; i++)
        if (d.d_tag == tag) return d.d_un.d_val;
    return 0;
}

/* The architecture of this machine. */
#if defined(__aarch64__)
enum { ELF_MACHINE = EM_AARCH64 };
#else
enum { ELF_MACHINE = EM_X86_64 };
#endif

static build_elf program_runtime(Elf *e, char *needed, size_t size) {
    GElf_Ehdr h;
    GElf_Phdr p;
    GElf_Dyn d;
    size_t headers;
    Elf_Data *dynamic = NULL;
    if (!gelf_getehdr(e, &h) || h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != ELF_MACHINE ||
        (h.e_type != ET_EXEC && h.e_type != ET_DYN) || elf_getphdrnum(e, &headers))
        return BUILD_ELF_NOT_A_PROGRAM;
    for (int i = 0; (size_t)i < headers; i++) {
        if (!gelf_getphdr(e, i, &p)) return BUILD_ELF_NOT_A_PROGRAM;
        if (p.p_type == PT_DYNAMIC)
            dynamic = elf_getdata_rawchunk(e, (int64_t)p.p_offset, p.p_filesz, ELF_T_DYN);
    }
    bool driver = false; /* the driver API, which our libcudart.so.13 provides, too */
    build_elf found =
        program_section(e, ".nv_fatbin") ? BUILD_ELF_STATIC_CUDART : BUILD_ELF_NO_CUDA;
    Elf_Data *strings =
        program_bytes(e, program_tag(dynamic, DT_STRTAB), program_tag(dynamic, DT_STRSZ));
    if (!strings) return found;
    for (int i = 0; gelf_getdyn(dynamic, i, &d) && d.d_tag != DT_NULL; i++) {
        if (d.d_tag != DT_NEEDED || d.d_un.d_val >= strings->d_size) continue;
        const char *name = (const char *)strings->d_buf + d.d_un.d_val;
        size_t n = strnlen(name, strings->d_size - d.d_un.d_val);
        driver |= n == 12 && !memcmp(name, "libcuda.so.1", 12);
        if (n < 12 || memcmp(name, "libcudart.so", 12)) continue;
        snprintf(needed, size, "%.*s", (int)(n < 200 ? n : 200), name);
        return n == 15 && !memcmp(name, "libcudart.so.13", 15) ? BUILD_ELF_SHARED_CUDART
                                                               : BUILD_ELF_OTHER_CUDART;
    }
    return driver && found == BUILD_ELF_NO_CUDA ? BUILD_ELF_SHARED_CUDART : found;
}

char *build_elf_section(const char *path, const char *name, size_t *n, lib_message *msg) {
    char *file = lib_read_file(path, 0, n, msg), *bytes = NULL;
    if (!file) return NULL;
    elf_version(EV_CURRENT);
    Elf *e = elf_memory(file, *n);
    Elf_Scn *s = e ? program_section(e, name) : NULL;
    Elf_Data *data = s ? elf_rawdata(s, NULL) : NULL;
    *n = 0;
    if (data && data->d_buf) {
        bytes = malloc(data->d_size + 1);
        if (bytes) memcpy(bytes, data->d_buf, data->d_size), *n = data->d_size;
    } else lib_message_set(msg, w_build_no_section(path, name));
    elf_end(e);
    free(file);
    return bytes;
}

bool build_code_next(build_code *c, unsigned arch, const volatile int *cancel, char **ptx,
                     size_t *ptx_len, void **cubin, size_t *cubin_len) {
    enum { HEADER = 16, MOST = 1 << 16 }; /* the size of what follows is at byte 8 (fatbin.c) */
    lib_message ignored;
    while (c->at + HEADER <= c->n && !c->too_much && !lib_raised(cancel)) {
        const char *at = c->bytes + c->at;
        uint64_t size, room = c->n - c->at - HEADER;
        memcpy(&size, at + 8, sizeof size);
        if (size > room) size = room;
        c->at += (HEADER + size + 7) & ~(uint64_t)7;
        sim_status s =
            sim_fatbin_extract(at, HEADER + size, arch, ptx, ptx_len, cubin, cubin_len, &ignored);
        c->unpacked += *ptx_len + *cubin_len;
        c->too_much = c->unpacked > BUILD_CODE_BYTES || ++c->count > MOST;
        if (!s && *ptx && !c->too_much) return true;
        free(*ptx);
        free(*cubin);
    }
    return false;
}

build_elf build_elf_check(const char *path, char *needed, size_t n) {
    if (n) *needed = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    build_elf result = BUILD_ELF_NOT_A_PROGRAM;
    elf_version(EV_CURRENT);
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
        Elf *e = elf_begin(fd, ELF_C_READ, NULL);
        result = program_runtime(e, needed, n);
        elf_end(e);
    }
    if (fd >= 0) close(fd);
    return result;
}
