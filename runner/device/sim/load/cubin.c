/* Reads the headers of a cubin: an ELF64 file of machine 190 (EM_CUDA).
 *
 *   section .text.KERNEL         exists; registers in sh_info >> 24 up to ABI 7
 *           .nv.info             per symbol: 0x2f registers, 0x11 frame, 0x12 stack with callees
 *           .nv.info.KERNEL      0x4c barriers
 *           .nv.shared.KERNEL    static shared memory; from sm_90 on its first KiB is the system's
 *           .nv.constant0.KERNEL, .nv.constant3
 *
 * The layout was learnt from what nvcc 13 writes, and is checked against `ptxas -v` in the tests.
 * Nothing in the file is trusted: libelf holds every offset against the length, and what it does not
 * read, attributes, is held against their section's. */
#include <gelf.h>
#include <limits.h>
#include <string.h>
#include "runner/device/sim/load/cubin.h"

enum {
    CUBIN_MACHINE = 190,
    ATTR_FRAME = 0x11,
    ATTR_STACK = 0x12,
    ATTR_REGISTERS = 0x2f,
    ATTR_BARRIERS = 0x4c
};

typedef struct {
    Elf *elf;
    GElf_Ehdr head;
    size_t names; /* index of the section of names */
} file;

/* False: no cubin; nothing is to be closed then. */
static bool file_open(file *f, const void *cubin, size_t len) {
    if (!cubin || elf_version(EV_CURRENT) == EV_NONE) return false;
    f->elf = elf_memory((char *)cubin, len); /* it is only read */
    if (f->elf && gelf_getehdr(f->elf, &f->head) && f->head.e_ident[EI_CLASS] == ELFCLASS64 &&
        f->head.e_machine == CUBIN_MACHINE && f->head.e_shentsize == sizeof(Elf64_Shdr) &&
        !elf_getshdrstrndx(f->elf, &f->names))
        return true;
    elf_end(f->elf);
    return false;
}

/* From ABI 8 on the architecture is in the second byte of e_flags, before in the first. */
static unsigned file_arch(const file *f) {
    return (f->head.e_ident[EI_ABIVERSION] >= 8 ? f->head.e_flags >> 8 : f->head.e_flags) & 0xff;
}

unsigned sim_cubin_arch(const void *cubin, size_t len) {
    file f;
    if (!file_open(&f, cubin, len)) return 0;
    elf_end(f.elf);
    return file_arch(&f);
}

/* Is symbol `index` of the symbol table the function `name`? */
static bool symbol_is(const file *f, Elf_Scn *symbols, uint32_t index, const char *name) {
    GElf_Shdr table;
    GElf_Sym s;
    Elf_Data *data = elf_getdata(symbols, NULL);
    if (index > INT_MAX || !gelf_getsym(data, (int)index, &s) || !gelf_getshdr(symbols, &table))
        return false;
    const char *text = elf_strptr(f->elf, table.sh_link, s.st_name);
    return text && !strcmp(text, name);
}

static uint32_t cubin_word(const uint8_t *at) {
    uint32_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

/* Attributes: format, number, then 16 bits that are the value (formats 1 to 3) or the length of
 * what follows (4). */
static void read_info(const file *f, Elf_Scn *s, Elf_Scn *symbols, const char *kernel,
                      sim_cubin_kernel *out) {
    Elf_Data *data = elf_rawdata(s, NULL);
    if (!data || !data->d_buf) return;
    const uint8_t *at = data->d_buf, *end = at + data->d_size;
    while (end - at >= 4) {
        unsigned format = at[0], attr = at[1], value = at[2] | (unsigned)at[3] << 8;
        at += 4;
        if (format != 4) {
            if (attr == ATTR_BARRIERS && kernel == NULL) out->barriers = value & 0xff;
            continue;
        }
        if ((size_t)(end - at) < value) return;
        if (kernel && value == 8 &&
            (attr == ATTR_REGISTERS || attr == ATTR_FRAME || attr == ATTR_STACK) &&
            symbol_is(f, symbols, cubin_word(at), kernel)) {
            uint32_t n = cubin_word(at + 4);
            if (attr == ATTR_REGISTERS) out->registers = n;
            else if (n != UINT32_MAX && n > out->local)
                out->local = n; /* all ones: not known (recursion) */
        }
        at += value;
    }
}

bool sim_cubin_get(const void *cubin, size_t len, const char *kernel, sim_cubin_kernel *out) {
    file f;
    *out = (sim_cubin_kernel){0};
    if (!file_open(&f, cubin, len)) return false;
    GElf_Shdr h;
    Elf_Scn *s, *symbols = NULL;
    bool found = false;
    for (s = NULL; (s = elf_nextscn(f.elf, s));)
        if (gelf_getshdr(s, &h) && h.sh_type == SHT_SYMTAB) symbols = s;
    for (s = NULL; (s = elf_nextscn(f.elf, s));) {
        const char *name = gelf_getshdr(s, &h) ? elf_strptr(f.elf, f.names, h.sh_name) : NULL;
        if (!name) continue;
        if (!strncmp(name, ".text.", 6) && !strcmp(name + 6, kernel)) {
            found = true;
            if (!out->registers) out->registers = h.sh_info >> 24;
        } else if (!strcmp(name, ".nv.info")) {
            read_info(&f, s, symbols, kernel, out);
        } else if (!strncmp(name, ".nv.info.", 9) && !strcmp(name + 9, kernel)) {
            read_info(&f, s, symbols, NULL, out);
        } else if (!strncmp(name, ".nv.shared.", 11) && !strcmp(name + 11, kernel)) {
            out->shared = file_arch(&f) >= 90 && h.sh_size >= 1024 ? h.sh_size - 1024 : h.sh_size;
        } else if (!strncmp(name, ".nv.constant0.", 14) && !strcmp(name + 14, kernel)) {
            out->const_param = h.sh_size;
        } else if (!strcmp(name, ".nv.constant3")) {
            out->const_user = h.sh_size;
        }
    }
    elf_end(f.elf);
    return found;
}
