/* Reads a cubin: an ELF64 file of machine 190 (EM_CUDA).
 *
 *   section .text.KERNEL         exists; registers in sh_info >> 24 up to ABI 7
 *           .nv.info             per symbol: 0x2f registers, 0x11 frame, 0x12 stack with callees
 *           .nv.info.KERNEL      0x4c barriers; 0x0a place and bytes of all parameters, 0x17 number
 *                                and place of one
 *           .nv.shared.KERNEL    static shared memory; from sm_90 on its first KiB is the system's
 *           .nv.constant0.KERNEL, .nv.constant3
 *           .note.nv.tkinfo      the tool that made it, and its command line
 *           .nv.constant2.KERNEL, .nv.constant4
 *                                ptxas's own constants; addresses, by .rela.nv.constant4
 *
 * The layout was found from the output of nvcc 13; the tests compare it with `ptxas -v`. Nothing in
 * the file is trusted: libelf checks every offset against the length. Attributes, which libelf does
 * not read, are checked against the length of their section. */
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/device/sim/load/cubin.h"

enum {
    CUBIN_MACHINE = 190,
    ATTR_PARAMS = 0x0a,
    ATTR_FRAME = 0x11,
    ATTR_STACK = 0x12,
    ATTR_PARAM = 0x17,
    ATTR_REGISTERS = 0x2f,
    ATTR_BARRIERS = 0x4c,
    RELOC_ADDRESS = 2 /* of 64 bits */
};

typedef struct {
    Elf *elf;
    GElf_Ehdr head;
    size_t names; /* index of the section with the names */
} file;

/* Returns false if it is not a cubin; then nothing must be closed. */
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

/* From ABI 8 on, the architecture is in the second byte of e_flags; before, in the first. */
static unsigned file_arch(const file *f) {
    return (f->head.e_ident[EI_ABIVERSION] >= 8 ? f->head.e_flags >> 8 : f->head.e_flags) & 0xff;
}

unsigned sim_cubin_arch(const void *cubin, size_t len) {
    file f;
    if (!file_open(&f, cubin, len)) return 0;
    elf_end(f.elf);
    return file_arch(&f);
}

/* Returns whether symbol `index` of the symbol table is the function `name`. */
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

/* An attribute: format, number, then 16 bits, which are the value (formats 1 to 3) or the length of
 * the data that follow (4). */
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
            /* all ones: unknown (recursion) */
            else if (n != UINT32_MAX && n > out->local) out->local = n;
        }
        at += value;
    }
}

/* Reads the places of parameters from .nv.info.KERNEL. Returns how many it has read. */
static unsigned read_params(Elf_Scn *s, uint32_t *place, unsigned count, uint32_t *bytes) {
    Elf_Data *data = elf_rawdata(s, NULL);
    if (!data || !data->d_buf) return 0;
    const uint8_t *at = data->d_buf, *end = at + data->d_size;
    unsigned found = 0;
    while (end - at >= 4) {
        unsigned format = at[0], attr = at[1], value = at[2] | (unsigned)at[3] << 8;
        at += 4;
        if (format != 4) continue;
        if ((size_t)(end - at) < value) break;
        if (attr == ATTR_PARAMS && value == 8) *bytes = cubin_word(at + 4) >> 16;
        if (attr == ATTR_PARAM && value == 12) {
            uint32_t w = cubin_word(at + 4);
            if ((w & 0xffff) < count) place[w & 0xffff] = w >> 16, found++;
        }
        at += value;
    }
    return found;
}

bool sim_cubin_params(const void *cubin, size_t len, const char *kernel, uint32_t *at,
                      unsigned count, uint32_t *bytes) {
    file f;
    GElf_Shdr h;
    unsigned found = 0;
    *bytes = 0;
    if (!file_open(&f, cubin, len)) return false;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(f.elf, s));) {
        const char *name = gelf_getshdr(s, &h) ? elf_strptr(f.elf, f.names, h.sh_name) : NULL;
        if (name && !strncmp(name, ".nv.info.", 9) && !strcmp(name + 9, kernel))
            found = read_params(s, at, count, bytes);
    }
    elf_end(f.elf);
    return found == count;
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

/* ---- how it was made ---- */

/* The notes of a section: lengths of name and description, a type, and both, padded to 4. The
 * description: 6 words, of which [2] and [5] say where the tool's name and its command line begin,
 * in the strings behind them. */
static bool note_command(const uint8_t *at, size_t left, char *to, size_t n) {
    enum { HEAD = 12, WORDS = 24, TOOL = 2, COMMAND = 5 };
    static const char tool[] = "ptxas";
    while (left > HEAD) {
        uint64_t named = (uint64_t)(cubin_word(at) + UINT64_C(3)) & ~UINT64_C(3),
                 bytes = (uint64_t)(cubin_word(at + 4) + UINT64_C(3)) & ~UINT64_C(3);
        if (named > left - HEAD || bytes > left - HEAD - named) return false;
        const uint8_t *words = at + HEAD + named;
        const char *strings = (const char *)words + WORDS;
        if (bytes > WORDS && !strings[bytes - WORDS - 1]) {
            uint32_t name = cubin_word(words + 4 * TOOL), line = cubin_word(words + 4 * COMMAND);
            if (name < bytes - WORDS && line < bytes - WORDS && !strcmp(strings + name, tool)) {
                snprintf(to, n, "%s", strings + line);
                return true;
            }
        }
        at += HEAD + named + bytes, left -= HEAD + named + bytes;
    }
    return false;
}

static Elf_Scn *section_named(const file *f, const char *name, GElf_Shdr *h) {
    for (Elf_Scn *s = NULL; (s = elf_nextscn(f->elf, s));) {
        const char *its = gelf_getshdr(s, h) ? elf_strptr(f->elf, f->names, h->sh_name) : NULL;
        if (its && !strcmp(its, name)) return s;
    }
    return NULL;
}

bool sim_cubin_command(const void *cubin, size_t len, char *to, size_t n) {
    file f;
    GElf_Shdr h;
    *to = 0;
    if (!file_open(&f, cubin, len)) return false;
    Elf_Scn *s = section_named(&f, ".note.nv.tkinfo", &h);
    Elf_Data *data = s && h.sh_type != SHT_NOBITS ? elf_rawdata(s, NULL) : NULL;
    bool found = data && data->d_buf && note_command(data->d_buf, data->d_size, to, n);
    elf_end(f.elf);
    return found;
}

/* ---- banks of constants ---- */

void sim_cubin_bank_free(sim_cubin_bank *b) {
    for (size_t k = 0; k < b->name_count; k++) free(b->names[k].name);
    free(b->names);
    free(b->bytes);
    *b = (sim_cubin_bank){0};
}

static bool add_name(sim_cubin_bank *b, const char *name, sim_cubin_name n) {
    n.name = name && *name ? strdup(name) : NULL;
    if (!n.name || !lib_grow_one(&b->names, b->name_count, sizeof *b->names)) {
        free(n.name);
        return false;
    }
    b->names[b->name_count++] = n;
    return true;
}

/* Adds the variables that are in the section. */
static bool add_variables(const file *f, Elf_Scn *symbols, size_t section, sim_cubin_bank *b) {
    GElf_Shdr table;
    GElf_Sym s;
    if (!symbols || !gelf_getshdr(symbols, &table)) return true;
    Elf_Data *data = elf_getdata(symbols, NULL);
    for (int k = 0; gelf_getsym(data, k, &s); k++) {
        if (s.st_shndx != section || GELF_ST_TYPE(s.st_info) != STT_OBJECT) continue;
        if (s.st_value > b->size || s.st_size > b->size - s.st_value) return false;
        if (!add_name(b, elf_strptr(f->elf, table.sh_link, s.st_name),
                      (sim_cubin_name){.at = s.st_value, .bytes = s.st_size}))
            return false;
    }
    return true;
}

/* The addend, added to the symbol's address, is in the relocation table (.rela) or, up to sm_75, at
 * the relocated place itself (.rel). */
static bool next_relocation(Elf_Data *data, int k, const sim_cubin_bank *b, GElf_Rela *to) {
    GElf_Rel r;
    if (data->d_type == ELF_T_RELA) return gelf_getrela(data, k, to) != NULL;
    if (!gelf_getrel(data, k, &r)) return false;
    *to = (GElf_Rela){.r_offset = r.r_offset, .r_info = r.r_info};
    if (b->size >= 8 && r.r_offset <= b->size - 8) memcpy(&to->r_addend, b->bytes + r.r_offset, 8);
    return true;
}

/* Adds the addresses that the bank holds. */
static bool add_addresses(const file *f, Elf_Scn *symbols, Elf_Scn *relocations,
                          sim_cubin_bank *b) {
    GElf_Shdr table;
    GElf_Rela r;
    GElf_Sym s;
    if (!symbols || !gelf_getshdr(symbols, &table)) return false;
    Elf_Data *data = elf_getdata(relocations, NULL), *names = elf_getdata(symbols, NULL);
    for (int k = 0; data && next_relocation(data, k, b, &r); k++) {
        if (GELF_R_TYPE(r.r_info) != RELOC_ADDRESS || b->size < 8 || r.r_offset > b->size - 8 ||
            GELF_R_SYM(r.r_info) > INT_MAX || !gelf_getsym(names, (int)GELF_R_SYM(r.r_info), &s))
            return false;
        sim_cubin_name n = {.at = r.r_offset, .bytes = 8, .addend = r.r_addend, .address = true};
        n.function = GELF_ST_TYPE(s.st_info) != STT_OBJECT;
        if (!add_name(b, elf_strptr(f->elf, table.sh_link, s.st_name), n)) return false;
    }
    return true;
}

static bool read_bank(const file *f, Elf_Scn *s, const GElf_Shdr *h, const char *name,
                      sim_cubin_bank *b) {
    GElf_Shdr x;
    Elf_Scn *symbols = NULL;
    char relocations[512];
    Elf_Data *data = elf_rawdata(s, NULL);
    b->size = h->sh_size;
    if (b->size > UINT16_MAX + 1u) return false;
    b->bytes = calloc(b->size + 1, 1);
    if (!b->bytes) return false;
    if (h->sh_type != SHT_NOBITS && data && data->d_buf && data->d_size == b->size)
        memcpy(b->bytes, data->d_buf, b->size);
    for (Elf_Scn *t = NULL; (t = elf_nextscn(f->elf, t));)
        if (gelf_getshdr(t, &x) && x.sh_type == SHT_SYMTAB) symbols = t;
    snprintf(relocations, sizeof relocations, ".rela%s", name);
    Elf_Scn *r = section_named(f, relocations, &x);
    snprintf(relocations, sizeof relocations, ".rel%s", name);
    if (!r) r = section_named(f, relocations, &x);
    return add_variables(f, symbols, elf_ndxscn(s), b) &&
           (!r || !x.sh_size || add_addresses(f, symbols, r, b));
}

bool sim_cubin_bank_get(const void *cubin, size_t len, const char *kernel, unsigned bank,
                        sim_cubin_bank *out) {
    file f;
    GElf_Shdr h;
    char name[480];
    *out = (sim_cubin_bank){0};
    if (!file_open(&f, cubin, len)) return false;
    snprintf(name, sizeof name, ".nv.constant%u.%s", bank, kernel);
    Elf_Scn *s = section_named(&f, name, &h);
    if (!s) {
        snprintf(name, sizeof name, ".nv.constant%u", bank);
        s = section_named(&f, name, &h);
    }
    bool ok = !s || read_bank(&f, s, &h, name, out);
    elf_end(f.elf);
    if (!ok) sim_cubin_bank_free(out);
    return ok;
}
