/* The cubin reader on files put together here from the layout that cubin.c describes: every section
 * and attribute that counts, the same under a name that differs by a letter, each boundary, each
 * kind of damage. What nvcc made is in test_fatbin.c. */
#include <elf.h>
#include <stdlib.h>
#include "runner/device/sim/load/cubin.h"
#include "tests/check.h"

enum { FRAME = 0x11, STACK = 0x12, REGISTERS = 0x2f, BARRIERS = 0x4c, ABI = 7 };
enum { NAMES = 1, STRINGS, SYMBOLS, FIRST }; /* sections */
enum { K = 1, OTHER = 2, NAMELESS = 3, SYMBOL_COUNT };

typedef struct {
    const char *name;
    unsigned size, info; /* of the section; sh_info */
    const char *bytes;   /* NULL: zeros */
} part;

typedef struct {
    uint8_t data[1 << 14];
    size_t len;
} file;

static void put(file *f, const void *bytes, size_t n) {
    if (bytes) memcpy(f->data + f->len, bytes, n);
    else memset(f->data + f->len, 0, n);
    f->len += n;
}

/* Header, sections' bytes, names last but for the table of sections, which ends the file. */
static void build(file *f, unsigned arch, unsigned abi, const part *parts, unsigned count) {
    static const char strings[] = "\0k\0other";
    Elf64_Ehdr head = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_version = EV_CURRENT,
        .e_machine = 190,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (uint16_t)(FIRST + count),
        .e_shstrndx = NAMES,
        .e_flags = abi >= 8 ? arch << 8 : arch};
    head.e_ident[EI_ABIVERSION] = (uint8_t)abi;
    Elf64_Shdr s[20] = {{0}};
    Elf64_Sym symbols[SYMBOL_COUNT] = {[K] = {.st_name = 1},
                                       [OTHER] = {.st_name = 3,
                                                  .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT),
                                                  .st_value = 8,
                                                  .st_size = 4},
                                       [NAMELESS] = {.st_name = sizeof strings}};
    for (unsigned k = 0; k < count; k++) /* where `other` lies */
        if (!strcmp(parts[k].name, ".nv.constant3"))
            symbols[OTHER].st_shndx = (uint16_t)(FIRST + k);
    char names[600] = "";
    size_t named = 1;
    f->len = 0;
    put(f, &head, sizeof head);
    s[STRINGS].sh_type = s[NAMES].sh_type = SHT_STRTAB;
    s[STRINGS].sh_offset = f->len, s[STRINGS].sh_size = sizeof strings;
    put(f, strings, sizeof strings);
    s[SYMBOLS].sh_type = SHT_SYMTAB, s[SYMBOLS].sh_link = STRINGS;
    s[SYMBOLS].sh_entsize = sizeof *symbols;
    s[SYMBOLS].sh_offset = f->len, s[SYMBOLS].sh_size = sizeof symbols;
    put(f, symbols, sizeof symbols);
    for (unsigned k = 0; k < count; k++) {
        Elf64_Shdr *x = &s[FIRST + k];
        x->sh_type = SHT_PROGBITS, x->sh_offset = f->len, x->sh_size = parts[k].size;
        if (!strncmp(parts[k].name, ".rela", 5))
            x->sh_type = SHT_RELA, x->sh_entsize = sizeof(Elf64_Rela), x->sh_link = SYMBOLS;
        else if (!strncmp(parts[k].name, ".rel", 4))
            x->sh_type = SHT_REL, x->sh_entsize = sizeof(Elf64_Rel), x->sh_link = SYMBOLS;
        x->sh_info = parts[k].info, x->sh_name = (Elf64_Word)named;
        named += (size_t)snprintf(names + named, sizeof names - named, "%s", parts[k].name) + 1;
        put(f, parts[k].bytes, parts[k].size);
    }
    s[NAMES].sh_offset = f->len, s[NAMES].sh_size = named;
    put(f, names, named);
    head.e_shoff = f->len;
    put(f, s, (FIRST + count) * sizeof *s);
    memcpy(f->data, &head, sizeof head);
}

/* Reads a copy that ends where the file does, so that whoever reads on is found out. */
static bool get(const file *f, size_t len, sim_cubin_kernel *out) {
    uint8_t *copy = malloc(len ? len : 1);
    memcpy(copy, f->data, len);
    memset(out, 0xee, sizeof *out);
    bool found = sim_cubin_get(copy, len, "k", out);
    free(copy);
    return found;
}

static void is(int line, const char *what, const sim_cubin_kernel *got,
               const sim_cubin_kernel *want) {
    char why[200];
    snprintf(why, sizeof why,
             "registers %u, barriers %u, shared %llu, local %llu, constants %llu and %llu",
             got->registers, got->barriers, (unsigned long long)got->shared,
             (unsigned long long)got->local, (unsigned long long)got->const_param,
             (unsigned long long)got->const_user);
    check_that(got->registers == want->registers && got->barriers == want->barriers &&
                   got->shared == want->shared && got->local == want->local &&
                   got->const_param == want->const_param && got->const_user == want->const_user,
               __FILE__, line, what, why);
}
#define IS(what, got, ...) is(__LINE__, what, got, &(const sim_cubin_kernel){__VA_ARGS__})

/* An attribute of eight bytes: a symbol, a value below 256. */
#define ATTR(attr, symbol, value) "\x04" attr "\x08\0" symbol "\0\0\0" value "\0\0\0"
#define SIZE(text)                sizeof(text) - 1, 0, text

#define WHOLE_INFO ATTR("\x2f", "\1", "\x20") ATTR("\x11", "\1", "\x10") ATTR("\x12", "\1", "\x40")
static const part whole[] = {
    {".text.k", 8, 24u << 24, NULL},          {".nv.info", SIZE(WHOLE_INFO)},
    {".nv.info.k", SIZE("\x03\x4c\x05\x01")}, {".nv.shared.k", 1280, 0, NULL},
    {".nv.constant0.k", 368, 0, NULL},        {".nv.constant3", 100, 0, NULL}};
enum { WHOLE = sizeof whole / sizeof *whole };

/* All of it; each section under a name with one letter changed is as good as none. */
static void sections(void) {
    static file f;
    sim_cubin_kernel k;
    build(&f, 90, ABI, whole, WHOLE);
    CHECK(get(&f, f.len, &k));
    IS("whole", &k, 32, 5, 256, 64, 368, 100);
    CHECK(!sim_cubin_get(f.data, f.len, "", &k));
    IS("no name", &k, 0, 0, 0, 0, 0, 100);
    for (unsigned n = 0; n < WHOLE; n++)
        for (size_t at = 0; at <= strlen(whole[n].name); at++) {
            part parts[WHOLE];
            char name[40];
            memcpy(parts, whole, sizeof parts);
            snprintf(name, sizeof name, "%s%s", whole[n].name,
                     at < strlen(whole[n].name) ? "" : "x");
            if (at < strlen(whole[n].name)) name[at] = (char)(name[at] + 1);
            parts[n].name = name;
            sim_cubin_kernel want = {32, 5, 256, 64, 368, 100};
            switch (n) {
            case 1: want.registers = 24, want.local = 0; break; /* as the text's section says */
            case 2: want.barriers = 0; break;
            case 3: want.shared = 0; break;
            case 4: want.const_param = 0; break;
            case 5: want.const_user = 0; break;
            }
            build(&f, 90, ABI, parts, WHOLE);
            CHECK_INT(get(&f, f.len, &k), n != 0);
            is(__LINE__, name, &k, &want);
        }
}

/* A parameter's number and place, of two bytes each, between an index and its size. */
#define PARAM(number, place) "\x04\x17\x0c\0\0\0\0\0" number "\0" place "\0\0\xf0\x11\0"

static void params(void) {
    static file f;
    uint32_t at[2] = {99, 99}, bytes = 99;
    part parts[] = {{".text.k", 8, 24u << 24, NULL},
                    {".nv.info.k", SIZE(PARAM("\1", "\x70") "\x03\x1b\xff\0" PARAM(
                                       "\0", "\x08") "\x04\x0a\x08\0\x22\0\0\0\x10\x02\xf4\0")}};
    build(&f, 90, ABI, parts, 2);
    CHECK(sim_cubin_params(f.data, f.len, "k", at, 2, &bytes));
    CHECK(at[0] == 8 && at[1] == 0x70 && bytes == 0xf4);
    CHECK(!sim_cubin_params(f.data, f.len, "k", at, 3, &bytes)); /* one is not told */
    CHECK(!sim_cubin_params(f.data, f.len, "K", at, 2, &bytes));
    CHECK(!sim_cubin_params(f.data, 40, "k", at, 2, &bytes));
    parts[1].size -= 20; /* ends within the second */
    build(&f, 90, ABI, parts, 2);
    CHECK(!sim_cubin_params(f.data, f.len, "k", at, 2, &bytes));
}

/* A relocation of 16 bytes: place, type, symbol; of 24: and what is added; all below 256. */
#define IN_PLACE(at, type, symbol)         at "\0\0\0\0\0\0\0" type "\0\0\0" symbol "\0\0\0"
#define RELOCATION(at, type, symbol, more) IN_PLACE(at, type, symbol) more "\0\0\0\0\0\0\0"

static bool bank(const file *f, size_t len, unsigned number, sim_cubin_bank *b) {
    uint8_t *copy = malloc(len ? len : 1);
    memcpy(copy, f->data, len);
    bool ok = sim_cubin_bank_get(copy, len, "k", number, b);
    free(copy);
    return ok;
}

/* What kernels read as c[2], c[3] and c[4]. */
static void banks(void) {
    static file f;
    sim_cubin_bank b;
    const part parts[] = {{".text.k", 8, 24u << 24, NULL},
                          {".nv.constant3", SIZE("0123456789ab")},
                          {".nv.constant2.k", SIZE("own")},
                          {".nv.constant2.other", SIZE("others")},
                          {".nv.constant4", 16, 0, NULL},
                          {".rela.nv.constant4", SIZE(RELOCATION("\x08", "\2", "\2", "\x10"))}};
    build(&f, 90, ABI, parts, sizeof parts / sizeof *parts);
    CHECK(bank(&f, f.len, 2, &b) && b.size == 3 && !memcmp(b.bytes, "own", 3) && !b.name_count);
    sim_cubin_bank_free(&b);
    if (CHECK(bank(&f, f.len, 3, &b) && b.name_count == 1)) {
        CHECK(b.size == 12 && !memcmp(b.bytes, "0123456789ab", 12));
        CHECK(!strcmp(b.names->name, "other") && b.names->at == 8 && b.names->bytes == 4);
        CHECK(!b.names->address);
    }
    sim_cubin_bank_free(&b);
    if (CHECK(bank(&f, f.len, 4, &b) && b.size == 16 && b.name_count == 1))
        CHECK(b.names->address && !b.names->function && b.names->at == 8 && b.names->addend == 16 &&
              !strcmp(b.names->name, "other"));
    sim_cubin_bank_free(&b);
    CHECK(bank(&f, f.len, 5, &b) && !b.bytes && !b.size); /* there is none */
    for (size_t n = 0; n < f.len; n += 7)                 /* cut off */
        if (bank(&f, n, 4, &b)) sim_cubin_bank_free(&b);
    /* a function's address; what is added lies in the place itself */
    static const part function[] = {
        {".nv.constant4", 16, 0, NULL},
        {".rela.nv.constant4", SIZE(RELOCATION("\x08", "\2", "\1", "\x10"))}};
    build(&f, 90, ABI, function, 2);
    if (CHECK(bank(&f, f.len, 4, &b) && b.name_count == 1))
        CHECK(b.names->function && b.names->at == 8 && !strcmp(b.names->name, "k"));
    sim_cubin_bank_free(&b);
    static const part in_place[] = {{".nv.constant4", SIZE("01234567\x20\0\0\0\0\0\0\0")},
                                    {".rel.nv.constant4", SIZE(IN_PLACE("\x08", "\2", "\2"))}};
    build(&f, 75, ABI, in_place, 2);
    if (CHECK(bank(&f, f.len, 4, &b) && b.name_count == 1))
        CHECK(b.names->address && b.names->at == 8 && b.names->addend == 32 &&
              !strcmp(b.names->name, "other"));
    sim_cubin_bank_free(&b);
    for (size_t n = 0; n < f.len; n += 7) /* cut off */
        if (bank(&f, n, 4, &b)) sim_cubin_bank_free(&b);
    /* the variable, or the place of an address, lies outside; another type; no such symbol */
    static const part wrong[][2] = {
        {{".nv.constant3", 11, 0, NULL}, {".x", 1, 0, NULL}},
        {{".nv.constant4", 15, 0, NULL},
         {".rela.nv.constant4", SIZE(RELOCATION("\x08", "\2", "\2", "\x10"))}},
        {{".nv.constant4", 16, 0, NULL},
         {".rela.nv.constant4", SIZE(RELOCATION("\x08", "\3", "\2", "\x10"))}},
        {{".nv.constant4", 16, 0, NULL},
         {".rela.nv.constant4", SIZE(RELOCATION("\x08", "\2", "\x09", "\x10"))}}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        build(&f, 90, ABI, wrong[k], 2);
        CHECK(!bank(&f, f.len, k ? 4 : 3, &b) && !b.bytes && !b.names);
    }
}

/* Attributes of the kernel's symbol, whichever section comes first. */
static void attributes(void) {
    static file f;
    sim_cubin_kernel k;
    static const struct {
        part info;
        unsigned registers, local;
    } rows[] = {
        {{".nv.info", SIZE("")}, 24, 0},
        {{".nv.info", SIZE(ATTR("\x2f", "\1", "\x28"))}, 40, 0},
        {{".nv.info", SIZE(ATTR("\x2f", "\2", "\x28"))}, 24, 0}, /* another's */
        {{".nv.info", SIZE(ATTR("\x2f", "\3", "\x28"))}, 24, 0}, /* its name lies outside */
        {{".nv.info", SIZE(ATTR("\x2f", "\4", "\x28"))}, 24, 0}, /* there is no such symbol */
        {{".nv.info", SIZE(ATTR("\x11", "\1", "\x28"))}, 24, 40},
        {{".nv.info", SIZE(ATTR("\x12", "\1", "\x28"))}, 24, 40},
        {{".nv.info", SIZE(ATTR("\x12", "\1", "\x28") ATTR("\x11", "\1", "\x27"))}, 24, 40},
        {{".nv.info", SIZE(ATTR("\x11", "\1", "\x27") ATTR("\x12", "\1", "\x28"))}, 24, 40},
        {{".nv.info", SIZE(ATTR("\x12", "\2", "\x28") ATTR("\x11", "\1", "\x27"))}, 24, 39},
        {{".nv.info", SIZE("\x04\x12\x08\0\1\0\0\0\xff\xff\xff\xff")}, 24, 0}, /* not known */
        {{".nv.info", SIZE("\x04\x12\x08\0\1\0\0\0\xfe\xff\xff\xff")}, 24, 0xfffffffe},
        {{".nv.info", SIZE(ATTR("\x10", "\1", "\x28") ATTR("\x13", "\1", "\x28")
                               ATTR("\x2e", "\1", "\x28") ATTR("\x30", "\1", "\x28"))},
         24,
         0},
        /* what is of another length or format is passed over */
        {{".nv.info", SIZE("\x04\x2f\x04\0\1\0\0\0" ATTR("\x11", "\1", "\x10"))}, 24, 16},
        {{".nv.info", SIZE("\x04\x2f\x09\0\1\0\0\0\x28\0\0\0\0" ATTR("\x11", "\1", "\x10"))},
         24,
         16},
        {{".nv.info", SIZE("\x04\x2f\0\0" ATTR("\x11", "\1", "\x10"))}, 24, 16},
        {{".nv.info", SIZE("\x03\x2f\x08\0" ATTR("\x11", "\1", "\x10"))}, 24, 16},
        {{".nv.info", SIZE("\x03\x4c\x09\0" ATTR("\x2f", "\1", "\x10"))}, 16, 0}, /* not here */
        /* 259 bytes long, and too long by one: nothing behind it is read */
        {{".nv.info", SIZE(ATTR("\x11", "\1", "\x10") "\x04\x77\x03\1" ATTR("\x2f", "\1", "\x28"))},
         24,
         16},
        {{".nv.info", SIZE("\x04\x77\x0c\0" ATTR("\x2f", "\1", "\x28"))}, 24, 0},
        {{".nv.info", SIZE("\x04\x77\x0d\0" ATTR("\x2f", "\1", "\x28"))}, 24, 0},
        {{".nv.info", SIZE(ATTR("\x2f", "\1", "\x28") "\x04\x2f\x08")}, 40, 0},
        {{".nv.info", 11, 0, ATTR("\x2f", "\1", "\x28")}, 24, 0}, /* cut off */
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (unsigned order = 0; order < 2; order++) {
            part parts[2] = {rows[r].info, rows[r].info};
            char what[60];
            parts[order] = whole[0];
            snprintf(what, sizeof what, "attributes %zu, order %u", r, order);
            build(&f, 90, ABI, parts, 2);
            CHECK(get(&f, f.len, &k));
            is(__LINE__, what, &k,
               &(sim_cubin_kernel){.registers = rows[r].registers, .local = rows[r].local});
        }
    /* of the kernel's own section, its barriers alone: the low byte of an attribute that is its
     * value */
    static const struct {
        part info;
        unsigned barriers;
    } own[] = {{{".nv.info.k", SIZE("\x03\x4c\x10\0")}, 16},
               {{".nv.info.k", SIZE("\x02\x4c\xff\x02")}, 255},
               {{".nv.info.k", SIZE("\x01\x4c\x01\x02\x03\x01\x09\0")}, 1},
               {{".nv.info.k", SIZE("\x03\x4b\x10\0\x03\x4d\x11\0")}, 0},
               {{".nv.info.k", SIZE("\x04\x4c\x04\0\x03\x4c\x09\0\x03\x4c\x02\0")}, 2},
               {{".nv.info.k", SIZE(WHOLE_INFO)}, 0}};
    for (size_t r = 0; r < sizeof own / sizeof *own; r++) {
        const part parts[2] = {whole[0], own[r].info};
        build(&f, 90, ABI, parts, 2);
        CHECK(get(&f, f.len, &k));
        IS("of its own", &k, .registers = 24, .barriers = own[r].barriers);
    }
}

/* From sm_90 on the first KiB of shared memory is the system's. Which architecture it is stands in
 * one byte of the flags or the other. */
static void architectures(void) {
    static file f;
    sim_cubin_kernel k;
    static const struct {
        unsigned arch, size, shared;
    } rows[] = {{90, 1280, 256},  {90, 1025, 1},    {90, 1024, 0}, {90, 1023, 1023}, {90, 0, 0},
                {89, 1280, 1280}, {80, 1024, 1024}, {91, 1025, 1}, {120, 3000, 1976}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (unsigned abi = 6; abi <= 9; abi++) {
            const part parts[2] = {whole[0], {".nv.shared.k", rows[r].size, 0, NULL}};
            build(&f, rows[r].arch, abi, parts, 2);
            CHECK_INT(sim_cubin_arch(f.data, f.len), rows[r].arch);
            CHECK(get(&f, f.len, &k));
            IS("shared memory", &k, .registers = 24, .shared = rows[r].shared);
        }
}

/* One number of the header or of a section changed, and what is still found: -1: the file is
 * none. */
static void damage(void) {
    static file f;
    sim_cubin_kernel k;
    build(&f, 90, ABI, whole, WHOLE);
    Elf64_Ehdr head;
    memcpy(&head, f.data, sizeof head);
    size_t table = head.e_shoff;
#define HEAD(field)       offsetof(Elf64_Ehdr, field), sizeof head.field
#define SECTION(n, field) table + (n) * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, field), 8
    const struct {
        const char *what;
        size_t at, bytes;
        uint64_t value;
        int found;
    } rows[] = {
        {"magic", 3, 1, 'G', -1},
        {"32 bits", EI_CLASS, 1, ELFCLASS32, -1},
        {"machine", HEAD(e_machine), 189, -1},
        {"machine", HEAD(e_machine), 191, -1},
        {"size of a section", HEAD(e_shentsize), 63, -1},
        {"size of a section", HEAD(e_shentsize), 65, -1},
        {"names in the last one", HEAD(e_shstrndx), FIRST + WHOLE - 1, false},
        {"names in none", HEAD(e_shstrndx), FIRST + WHOLE, false},
        {"no sections", HEAD(e_shnum), 0, false},
        {"the names alone", HEAD(e_shnum), NAMES + 1, false},
        {"sections behind the end", HEAD(e_shoff), f.len, false},
        {"sections far behind it", HEAD(e_shoff), UINT64_MAX - 63, false},
        {"names behind the end", SECTION(NAMES, sh_offset), f.len, false},
        {"names that wrap", SECTION(NAMES, sh_size), UINT64_MAX, false},
        {"strings behind the end", SECTION(STRINGS, sh_offset), f.len, true},
        {"symbols behind the end", SECTION(SYMBOLS, sh_offset), f.len, true},
        {"no symbols", SECTION(SYMBOLS, sh_size), 0, true},
        {"half of a symbol", SECTION(SYMBOLS, sh_size), 2 * sizeof(Elf64_Sym) - 1, true},
        {"attributes behind the end", SECTION(FIRST + 1, sh_offset), f.len, true},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        build(&f, 90, ABI, whole, WHOLE);
        memcpy(f.data + rows[r].at, &rows[r].value, rows[r].bytes);
        CHECK_INT(sim_cubin_arch(f.data, f.len), rows[r].found < 0 ? 0 : 90);
        CHECK_INT(get(&f, f.len, &k), rows[r].found > 0);
        if (rows[r].found <= 0) IS(rows[r].what, &k, 0);
        else IS(rows[r].what, &k, 24, 5, 256, 0, 368, 100); /* the symbol is not known */
    }
    /* just as much as is needed */
    build(&f, 90, ABI, whole, WHOLE);
    uint64_t enough = 2 * sizeof(Elf64_Sym);
    memcpy(f.data + table + SYMBOLS * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size), &enough,
           8);
    CHECK(get(&f, f.len, &k));
    IS("two symbols", &k, 32, 5, 256, 64, 368, 100);
    /* a file that ends before its table of sections does has none, wherever it ends */
    for (unsigned n = 0; n < FIRST + WHOLE; n++)
        for (unsigned less = 0; less < 2; less++) {
            build(&f, 90, ABI, whole, WHOLE);
            size_t len = table + (n + 1) * sizeof(Elf64_Shdr) - 1 - 62 * less;
            CHECK_INT(sim_cubin_arch(f.data, len), 90);
            CHECK(!get(&f, len, &k));
            IS("cut off", &k, 0);
        }
    CHECK_INT(sim_cubin_arch(f.data, sizeof head), 90);
    CHECK_INT(sim_cubin_arch(f.data, sizeof head - 1), 0);
    CHECK_INT(sim_cubin_arch(NULL, f.len), 0);
}

/* The note that says with which command line a tool made the file: its strings, where it says they
 * are, and each boundary. */
static void notes(void) {
#define NOTE(tool, line, strings)                                                                  \
    "\x04\0\0\0\x24\0\0\0\0\0\0\0NV\0\0"                                                           \
    "\2\0\0\0\0\0\0\0" tool "\0\0\0\0\0\0\0\0\0\0\0" line "\0\0\0" strings
    static const struct {
        const char *bytes;
        unsigned size;
        const char *command; /* NULL: none */
    } rows[] = {
#define ROW(command, ...) {__VA_ARGS__, sizeof(__VA_ARGS__) - 1, command}
        ROW("-O1", NOTE("\1", "\7", "\0ptxas\0-O1\0\0")),
        ROW("", NOTE("\1", "\6", "\0ptxas\0-O1\0\0")),
        ROW(NULL, NOTE("\2", "\7", "\0ptxas\0-O1\0\0")),   /* another tool */
        ROW(NULL, NOTE("\x0c", "\7", "\0ptxas\0-O1\0\0")), /* behind the strings */
        ROW(NULL, NOTE("\1", "\x0c", "\0ptxas\0-O1\0\0")),
        ROW(NULL, NOTE("\1", "\7", "\0ptxas\0-O1!!")), /* no end */
        ROW("-O2", NOTE("\1", "\7", "\0nvlnk\0-O1\0\0") NOTE("\1", "\7", "\0ptxas\0-O2\0\0")),
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static file f;
        char command[8] = "x";
        part parts[] = {{".note.nv.tkinfo", rows[i].size, 0, rows[i].bytes}};
        printf("# note %zu\n", i);
        build(&f, 90, ABI, parts, 1);
        CHECK_INT(sim_cubin_command(f.data, f.len, command, sizeof command), !!rows[i].command);
        CHECK_STR(command, rows[i].command ? rows[i].command : "");
        for (unsigned n = 0; n < rows[i].size && rows[i].command; n++) { /* cut short */
            parts[0].size = n;
            build(&f, 90, ABI, parts, 1);
            if (n < rows[0].size) CHECK(!sim_cubin_command(f.data, f.len, command, sizeof command));
        }
        parts[0] = (part){".note.nv.tkinfx", rows[i].size, 0, rows[i].bytes};
        build(&f, 90, ABI, parts, 1);
        CHECK(!sim_cubin_command(f.data, f.len, command, sizeof command));
    }
}

int main(void) {
    notes();
    sections();
    attributes();
    params();
    banks();
    architectures();
    damage();
    return check_done();
}
