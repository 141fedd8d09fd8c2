/* Reads the headers of a cubin: an ELF64 file of machine 190 (EM_CUDA).
 *
 *   section .text.KERNEL         exists; registers in sh_info >> 24 up to ABI 7
 *           .nv.info             per symbol: 0x2f registers, 0x11 frame, 0x12 stack with callees
 *           .nv.info.KERNEL      0x4c barriers
 *           .nv.shared.KERNEL    static shared memory; from sm_90 on its first KiB is the system's
 *           .nv.constant0.KERNEL, .nv.constant3
 *
 * The layout was learnt from what nvcc 13 writes, and is checked against `ptxas -v` in the tests.
 * Nothing in the file is trusted: every offset is held against the length before it is used. */
#include <elf.h>
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
    const uint8_t *data;
    size_t len;
    Elf64_Ehdr head;
    Elf64_Shdr names; /* section of section names */
} elf;

static bool in_file(const elf *e, uint64_t offset, uint64_t size) {
    return offset <= e->len && size <= e->len - offset;
}

static bool section(const elf *e, unsigned i, Elf64_Shdr *out) {
    uint64_t at = e->head.e_shoff + (uint64_t)i * sizeof *out;
    if (i >= e->head.e_shnum || e->head.e_shoff > e->len || !in_file(e, at, sizeof *out))
        return false;
    memcpy(out, e->data + at, sizeof *out);
    return true;
}

/* The string at `offset` of a string section, or NULL when it does not end inside. */
static const char *string(const elf *e, const Elf64_Shdr *s, uint64_t offset) {
    if (!in_file(e, s->sh_offset, s->sh_size) || offset >= s->sh_size) return NULL;
    const char *text = (const char *)e->data + s->sh_offset + offset;
    return memchr(text, 0, s->sh_size - offset) ? text : NULL;
}

static bool open_elf(elf *e, const void *cubin, size_t len) {
    *e = (elf){.data = cubin, .len = len};
    if (!cubin || len < sizeof e->head) return false;
    memcpy(&e->head, cubin, sizeof e->head);
    if (memcmp(e->head.e_ident, ELFMAG, SELFMAG) || e->head.e_ident[EI_CLASS] != ELFCLASS64 ||
        e->head.e_machine != CUBIN_MACHINE || e->head.e_shentsize != sizeof(Elf64_Shdr))
        return false;
    return section(e, e->head.e_shstrndx, &e->names);
}

unsigned sim_cubin_arch(const void *cubin, size_t len) {
    elf e;
    if (!open_elf(&e, cubin, len)) return 0;
    /* From ABI 8 on the architecture is in the second byte of e_flags, before in the first. */
    unsigned now = e.head.e_flags >> 8 & 0xff, before = e.head.e_flags & 0xff;
    return e.head.e_ident[EI_ABIVERSION] >= 8 ? now : before;
}

/* Is symbol `index` of the symbol table the function `name`? */
static bool symbol_is(const elf *e, const Elf64_Shdr *symbols, uint32_t index, const char *name) {
    Elf64_Sym s;
    Elf64_Shdr strings;
    uint64_t at = (uint64_t)index * sizeof s;
    if (at + sizeof s > symbols->sh_size || !in_file(e, symbols->sh_offset, symbols->sh_size))
        return false;
    memcpy(&s, e->data + symbols->sh_offset + at, sizeof s);
    if (!section(e, symbols->sh_link, &strings)) return false;
    const char *text = string(e, &strings, s.st_name);
    return text && !strcmp(text, name);
}

static uint32_t cubin_word(const uint8_t *at) {
    uint32_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

/* Attributes: format, number, then 16 bits that are the value (formats 1 to 3) or the length of
 * what follows (4). */
static void read_info(const elf *e, const Elf64_Shdr *s, const Elf64_Shdr *symbols,
                      const char *kernel, sim_cubin_kernel *out) {
    if (!in_file(e, s->sh_offset, s->sh_size)) return;
    const uint8_t *at = e->data + s->sh_offset, *end = at + s->sh_size;
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
            symbol_is(e, symbols, cubin_word(at), kernel)) {
            uint32_t n = cubin_word(at + 4);
            if (attr == ATTR_REGISTERS) out->registers = n;
            else if (n != UINT32_MAX && n > out->local)
                out->local = n; /* all ones: not known (recursion) */
        }
        at += value;
    }
}

bool sim_cubin_get(const void *cubin, size_t len, const char *kernel, sim_cubin_kernel *out) {
    elf e;
    *out = (sim_cubin_kernel){0};
    if (!open_elf(&e, cubin, len)) return false;
    unsigned arch = sim_cubin_arch(cubin, len);
    Elf64_Shdr s, symbols = {0};
    bool found = false;
    for (unsigned i = 0; i < e.head.e_shnum && section(&e, i, &s); i++)
        if (s.sh_type == SHT_SYMTAB) symbols = s;
    for (unsigned i = 0; i < e.head.e_shnum && section(&e, i, &s); i++) {
        const char *name = string(&e, &e.names, s.sh_name);
        if (!name) continue;
        if (!strncmp(name, ".text.", 6) && !strcmp(name + 6, kernel)) {
            found = true;
            if (!out->registers) out->registers = s.sh_info >> 24;
        } else if (!strcmp(name, ".nv.info")) {
            read_info(&e, &s, &symbols, kernel, out);
        } else if (!strncmp(name, ".nv.info.", 9) && !strcmp(name + 9, kernel)) {
            read_info(&e, &s, &symbols, NULL, out);
        } else if (!strncmp(name, ".nv.shared.", 11) && !strcmp(name + 11, kernel)) {
            out->shared = arch >= 90 && s.sh_size >= 1024 ? s.sh_size - 1024 : s.sh_size;
        } else if (!strncmp(name, ".nv.constant0.", 14) && !strcmp(name + 14, kernel)) {
            out->const_param = s.sh_size;
        } else if (!strcmp(name, ".nv.constant3")) {
            out->const_user = s.sh_size;
        }
    }
    return found;
}
