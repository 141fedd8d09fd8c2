/* DWARF in the text of a PTX module: sections, labels, each form, entries and their places,
 * locations; then what types and values come to as text. Bytes, forms and attributes are those of
 * the DWARF 2 specification; the module is written here. */
#include <stdarg.h>
#include <stdlib.h>
#include "runner/base/message.h"
#include "runner/device/sim/debug/debug_internal.h"
#include "tests/check.h"
#include "tests/said.h"

/* ---- sections as text ---- */

typedef struct {
    char text[24000];
    size_t n, bytes;
} section;
static section info, abbrev, loc;
static size_t unit_at, length_at; /* of the unit that is written: its offset, its length's digits */

static void put(section *s, unsigned bits, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void put(section *s, unsigned bits, const char *fmt, ...) {
    va_list ap;
    s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n, ".b%u ", bits);
    va_start(ap, fmt);
    s->n += (size_t)vsnprintf(s->text + s->n, sizeof s->text - s->n, fmt, ap);
    va_end(ap);
    s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n, "\n");
    s->bytes += bits / 8;
}
static void put_number(section *s, unsigned bits, unsigned long long v) {
    put(s, bits, "%llu", v);
}
static void put_bytes(section *s, const char *bytes, size_t n) {
    for (size_t k = 0; k < n; k++) put_number(s, 8, (uint8_t)bytes[k]);
}
static void put_name(const char *name) {
    put_bytes(&info, name, strlen(name) + 1);
}

static void unit_begin(unsigned version, unsigned long long abbrev_offset, unsigned address) {
    unit_at = info.bytes;
    length_at = info.n + strlen(".b32 ");
    put(&info, 32, "%010u", 0);
    put_number(&info, 16, version);
    put_number(&info, 32, abbrev_offset);
    put_number(&info, 8, address);
}
static void unit_end(void) {
    char digits[11];
    snprintf(digits, sizeof digits, "%-10zu", info.bytes - unit_at - 4);
    memcpy(info.text + length_at, digits, 10);
}

/* An abbreviation: pairs of an attribute and its form, each below 128, up to 0, 0. */
static void abbreviate(unsigned code, unsigned tag, bool children, const char *pairs, size_t n) {
    put_number(&abbrev, 8, code);
    put_number(&abbrev, 8, tag);
    put_number(&abbrev, 8, children);
    put_bytes(&abbrev, pairs, n - 1); /* a string's own NUL is not */
    put_number(&abbrev, 16, 0);
}
#define ABBREVIATE(code, tag, children, pairs) abbreviate(code, tag, children, pairs, sizeof pairs)

static void start(void) {
    memset(&info, 0, sizeof info);
    memset(&abbrev, 0, sizeof abbrev);
    memset(&loc, 0, sizeof loc);
}

/* Code before and behind the sections, whose labels have lines as well. */
static char *module_text(const char *before, const char *behind) {
    static char text[80000];
    snprintf(text, sizeof text,
             "%s\t.section\t.debug_abbrev {\n%s}\n.section .debug_info\n{\n%s\t}\n"
             ".section .debug_str {\n.b8 1\n}\n\t.section\t.debug_loc\n\t{\n%s\t}\n%s",
             before, abbrev.text, info.text, loc.text, behind);
    return text;
}
static dwarf *module(const char *before, const char *behind) {
    const char *text = module_text(before, behind);
    return dwarf_new(text, strlen(text));
}

/* ---- text ---- */

static void test_text(void) {
    static const char text[] =
        "$first:\n"                   /* line 1 */
        "\t.section\t.debug_info {\n" /* 2 */
        ".b8 1, 0x2,\t255 // 9, 9\n"  /* 3: bytes 0 to 2 */
        ".b16 258\n"                  /* 4: 3, 4 */
        "  .b32 -1\r\n"               /* 5: 5 to 8 */
        ".b64 sym+8\n"                /* 6: 9 to 16 */
        ".b32 sym-4, $a.b, 0xAbC\n"   /* 7: 17, 21, 25 to 28 */
        ".b8 300, 0x, 7\n"            /* 8: 29: 44; 0; x; 7 */
        "$inside: .b8 5\n"            /* 9 */
        ".b16 $inside - $zero $zero: .b8 6 .b16 $zero + 1 .b8 017, 0b11, 1U, - 1,\n4\n" /* 10, 11 */
        "}\n"                                                                           /* 12 */
        "  $second: ret;\n"                                                             /* 13 */
        "$none ;\n"                                                                     /* 14 */
        ".section .debug_infos {\n.b8 9\n}\n"   /* 15 to 17 */
        ".section .debug_abbrev\n{\n.b8 7\n}\n" /* 18 to 21 */
        "$x1:\n"                                /* 22 */
        ".section .debug_loc {\n.b8 3\n.b8 4";  /* 23 to 25 */
    static const uint8_t want[] = {1, 2, 255, 2,    1,    255, 255,  255, 255, 8,   0,
                                   0, 0, 0,   0,    0,    0,   0xfc, 255, 255, 255, 0,
                                   0, 0, 0,   0xbc, 0x0a, 0,   0,    44,  0};
    dwarf_text t = {0};
    dwarf_text_read(&t, text, sizeof text - 1);
    CHECK(!t.failed);
    const dwarf_section *s = &t.section[DWARF_INFO];
    CHECK(s->n >= sizeof want && !memcmp(s->bytes, want, sizeof want));
    /* behind labels: 5; $inside - $zero, which is 3 bytes on; 6; $zero + 1; numbers of each kind */
    size_t at = s->n - 12;
    const uint8_t last[12] = {7, 5, 0xfd, 0xff, 6, (uint8_t)(at + 4 + 1), 0, 15, 3, 1, 0xff, 4};
    CHECK(!memcmp(s->bytes + at, last, sizeof last));
    CHECK(!dwarf_text_symbol(&t, DWARF_INFO, at + 2, &(uint64_t){0})); /* a number by now */
    CHECK_STR(dwarf_text_symbol(&t, DWARF_INFO, at + 5, &(uint64_t){0}), "$zero");
    CHECK(t.section[DWARF_ABBREV].n == 1 && t.section[DWARF_ABBREV].bytes[0] == 7);
    CHECK(t.section[DWARF_LOC].n == 2 && t.section[DWARF_LOC].bytes[0] == 3 &&
          t.section[DWARF_LOC].bytes[1] == 4);
    static const struct {
        size_t at;
        const char *name;
        int64_t addend;
    } symbols[] = {{0, NULL, 0},    {8, NULL, 0},  {9, "sym", 8},   {10, NULL, 0},
                   {17, "sym", -4}, {20, NULL, 0}, {21, "$a.b", 0}, {22, NULL, 0}};
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++) {
        uint64_t addend = 99;
        const char *name = dwarf_text_symbol(&t, DWARF_INFO, symbols[k].at, &addend);
        if (!symbols[k].name) CHECK(!name && addend == 99);
        else {
            CHECK_STR(name, symbols[k].name);
            /* a word has 32 bits of it, and the addend all */
            CHECK_INT((int64_t)addend, symbols[k].addend);
        }
    }
    CHECK(!dwarf_text_symbol(&t, DWARF_LOC, 0, &(uint64_t){0}));
    static const struct {
        const char *name;
        unsigned line;
    } labels[] = {{"$first", 1},  {"$second", 13}, {"$x1", 22},    {"$none", 0},
                  {"$inside", 0}, {"$", 0},        {"$firsts", 0}, {"$zzz", 0}};
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
        CHECK_INT(dwarf_text_line(&t, labels[k].name), labels[k].line);
    dwarf_text_free(&t);
}

/* ---- forms ---- */

/* DW_FORM_*; the number that its bytes are, without a sign and with. In an entry between two
 * others: so many bytes have to be read. */
static void test_forms(void) {
    static const struct {
        unsigned form;
        const char *bytes;
        size_t n;
        uint64_t u;
        int64_t i;
    } rows[] = {
#define BYTES(s) s, sizeof s - 1
        {0x01, BYTES("\x11\x22\x33\x44\x55\x66\x77\x08"), 0x0877665544332211, 0x0877665544332211},
        {0x07, BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"), UINT64_MAX, -1},
        {0x06, BYTES("\x78\x56\x34\x92"), 0x92345678, 0x92345678},
        {0x05, BYTES("\x34\x92"), 0x9234, 0x9234},
        {0x0b, BYTES("\xfe"), 0xfe, 0xfe},
        {0x0c, BYTES("\x01"), 1, 1},
        {0x0d, BYTES("\x3f"), 63, 63},
        {0x0d, BYTES("\x40"), (uint64_t)-64, -64},
        {0x0d, BYTES("\x7f"), UINT64_MAX, -1},
        {0x0d, BYTES("\xff\x00"), 127, 127},
        {0x0d, BYTES("\x80\x7f"), (uint64_t)-128, -128},
        {0x0d, BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), 1ull << 63, INT64_MIN},
        {0x0d, BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00"), INT64_MAX, INT64_MAX},
        {0x0f, BYTES("\x7f"), 127, 127},
        {0x0f, BYTES("\x80\x01"), 128, 128},
        {0x0f, BYTES("\xe5\x8e\x26"), 624485, 624485}, /* the specification's example */
        {0x0f, BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), UINT64_MAX, -1},
        {0x0f, BYTES("\x85\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), 5, 5}, /* 70 bits on: lost */
        {0x0e, BYTES("\x01\x02\x00\x00"), 0x201, 0x201},
        {0x10, BYTES("\x01\x02\x03\x00"), 0x30201, 0x30201},
        {0x11, BYTES("\x09"), 9, 9},
        {0x12, BYTES("\x09\x01"), 0x109, 0x109},
        {0x13, BYTES("\x09\x01\x00\x00"), 0x109, 0x109},
        {0x14, BYTES("\x09\x01\x00\x00\x00\x00\x00\x00"), 0x109, 0x109},
        {0x15, BYTES("\x89\x01"), 137, 137},
        {0x08, BYTES("abc\0"), 0, 0},
        {0x0a, BYTES("\x02\x01\x01"), 0, 0},
        {0x0a, BYTES("\x00"), 0, 0},
        {0x03, BYTES("\x02\x00\x01\x01"), 0, 0},
        {0x04, BYTES("\x01\x00\x00\x00\x01"), 0, 0},
        {0x09, BYTES("\x02\x01\x01"), 0, 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        start();
        /* only two zeros end an abbreviation: an attribute of no name has its form's bytes */
        char pairs[] = {0x1c, (char)rows[k].form, 0, 0x0b, 0x0b, (char)rows[k].form, 0x03, 0x08, 0};
        ABBREVIATE(2, DW_TAG_variable, false, pairs); /* its value, nothing, its size, its name */
        ABBREVIATE(1, DW_TAG_compile_unit, true, "\x03\x08");
        unit_begin(2, 0, 8);
        put_number(&info, 8, 1);
        put_name("unit");
        for (int twice = 0; twice < 2; twice++) {
            put_number(&info, 8, 2);
            put_bytes(&info, rows[k].bytes, rows[k].n);
            put_number(&info, 8, 99);
            put_bytes(&info, rows[k].bytes, rows[k].n);
            put_name(twice ? "second" : "first");
        }
        put_number(&info, 8, 0);
        unit_end();
        dwarf *d = module("", "");
        CHECK_INT(d->count, 3);
        for (size_t o = 1; o < d->count; o++) {
            CHECK_STR(d->dies[o].name, o == 1 ? "first" : "second");
            CHECK_INT(d->dies[o].size, rows[k].u);
            CHECK_INT(d->dies[o].value, rows[k].i);
        }
        dwarf_free(d);
    }
    /* of a later DWARF, a string without an end, a block that is longer than its unit: what is
     * behind cannot be found */
    static const struct {
        unsigned form;
        const char *bytes;
        size_t n;
    } wrong[] = {{0x16, BYTES("\x05\x01")}, {0x08, BYTES("ab")}, {0x0a, BYTES("\x03\x01\x01")}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        start();
        char pairs[] = {0x1c, (char)wrong[k].form, 0};
        ABBREVIATE(1, DW_TAG_variable, false, pairs);
        unit_begin(2, 0, 8);
        put_number(&info, 8, 1);
        put_bytes(&info, wrong[k].bytes, wrong[k].n);
        unit_end();
        dwarf *d = module("", "");
        CHECK_INT(d->count, 1);
        CHECK_INT(d->dies[0].value, 0);
        dwarf_free(d);
    }
    /* numbers end where their bytes end */
    const uint8_t cut[] = {0x80, 0x81};
    const uint8_t *p = cut;
    CHECK_INT(dwarf_uleb(&p, cut + 2), 128);
    CHECK(p == cut + 2);
    CHECK_INT(dwarf_uleb(&p, cut + 2), 0);
}

/* ---- headers ---- */

/* How many entries are read of two units, the first with this header. */
static size_t read_units(unsigned version, unsigned long long abbrev_offset, unsigned address,
                         const char *length) {
    start();
    ABBREVIATE(7, DW_TAG_variable, false, "\x03\x08");
    for (int u = 0; u < 2; u++) {
        if (u) unit_begin(2, 0, 8);
        else unit_begin(version, abbrev_offset, address);
        put_number(&info, 8, 7);
        put_name("x");
        unit_end();
        if (!u && length) memcpy(info.text + length_at, length, 10);
    }
    dwarf *d = module("", "");
    size_t n = d->count;
    dwarf_free(d);
    return n;
}

static void test_headers(void) {
    static const struct {
        unsigned version, abbrev, address;
        const char *length; /* NULL: the right one, 10 */
        size_t count;
    } rows[] = {{2, 0, 8, NULL, 2},         {3, 0, 8, NULL, 2}, {4, 0, 8, NULL, 2},
                {1, 0, 8, NULL, 0},         {5, 0, 8, NULL, 0}, {2, 0, 4, NULL, 0},
                {2, 7, 8, NULL, 0},          /* the abbreviations have 7 bytes */
                {2, 6, 8, NULL, 0},          /* an end, and none */
                {2, 0, 8, "9         ", 1},  /* the name has no end */
                {2, 0, 8, "0000000007", 0},  /* no entries, and then no header */
                {2, 0, 8, "4294967295", 1}}; /* up to the end: the second header is no entry */
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        CHECK_INT(read_units(rows[k].version, rows[k].abbrev, rows[k].address, rows[k].length),
                  rows[k].count);
}

/* ---- entries ---- */

enum {
    UNIT = 1,
    BASE,
    POINTER,
    CONST,
    STRUCT,
    MEMBER,
    ARRAY,
    SUBRANGE,
    BOUND,
    FUNCTION,
    PLACED,
    LISTED,
    ENUM,
    ENUMERATOR,
    BLOCK,
    REFERENCE,
    VOLATILE,
    TYPEDEF,
    UNION,
    BASE_CLASS,
    COPY,
    BARE_POINTER,
    NAMELESS,
    INLINED
};

/* What nvcc writes, and forms that others would. */
static void put_abbreviations(void) {
    ABBREVIATE(UNIT, DW_TAG_compile_unit, true, "\x03\x08");
    ABBREVIATE(BASE, DW_TAG_base_type, false,
               "\x03\x08\x3e\x0b\x0b\x0b");                               /* name, encoding, size */
    ABBREVIATE(POINTER, DW_TAG_pointer_type, false, "\x49\x13");          /* type: ref4 */
    ABBREVIATE(CONST, DW_TAG_const_type, false, "\x49\x12");              /* ref2 */
    ABBREVIATE(STRUCT, DW_TAG_structure_type, true, "\x03\x08\x0b\x05");  /* size: data2 */
    ABBREVIATE(MEMBER, DW_TAG_member, false, "\x03\x08\x49\x13\x38\x0a"); /* at: a block */
    ABBREVIATE(ARRAY, DW_TAG_array_type, true, "\x49\x13");
    ABBREVIATE(SUBRANGE, DW_TAG_subrange_type, false, "\x37\x0b"); /* count */
    ABBREVIATE(BOUND, DW_TAG_subrange_type, false, "\x2f\x0f");    /* upper bound */
    ABBREVIATE(FUNCTION, DW_TAG_subprogram, true, "\x03\x08\x11\x01\x12\x01");
    ABBREVIATE(PLACED, DW_TAG_variable, false, "\x03\x08\x49\x13\x02\x0a\x33\x0b");
    ABBREVIATE(LISTED, DW_TAG_formal_parameter, false, "\x03\x08\x49\x13\x02\x06");
    ABBREVIATE(ENUM, DW_TAG_enumeration_type, true, "\x03\x08\x0b\x0b");
    ABBREVIATE(ENUMERATOR, DW_TAG_enumerator, false, "\x03\x08\x1c\x0d");
    ABBREVIATE(BLOCK, DW_TAG_lexical_block, true, "\x11\x01\x12\x01");
    ABBREVIATE(REFERENCE, DW_TAG_reference_type, false, "\x49\x14"); /* ref8 */
    ABBREVIATE(VOLATILE, DW_TAG_volatile_type, false, "\x49\x11");   /* ref1 */
    ABBREVIATE(TYPEDEF, DW_TAG_typedef, false, "\x03\x08\x49\x15");  /* ref_udata */
    ABBREVIATE(UNION, DW_TAG_union_type, true, "\x03\x08\x0b\x0b");
    ABBREVIATE(BASE_CLASS, DW_TAG_inheritance, false, "\x49\x10\x38\x0f"); /* ref_addr; at: udata */
    ABBREVIATE(COPY, DW_TAG_variable, false, "\x31\x13\x3c\x0c"); /* of another; a declaration */
    ABBREVIATE(BARE_POINTER, DW_TAG_pointer_type, false, "");
    ABBREVIATE(NAMELESS, DW_TAG_structure_type, true, "\x0b\x0b");
    ABBREVIATE(INLINED, DW_TAG_inlined_subroutine, true, "\x11\x01\x12\x01");
}

static size_t here(void) { /* as units count */
    return info.bytes - unit_at;
}
static size_t open_named(unsigned code, const char *name) {
    size_t at = here();
    put_number(&info, 8, code);
    put_name(name);
    return at;
}
static size_t open_typed(unsigned code, unsigned bits, size_t type) {
    size_t at = here();
    put_number(&info, 8, code);
    put_number(&info, bits, type);
    return at;
}
static void close_children(void) {
    put_number(&info, 8, 0);
}
static size_t base(const char *name, unsigned encoding, unsigned size) {
    size_t at = open_named(BASE, name);
    put_number(&info, 8, encoding);
    put_number(&info, 8, size);
    return at;
}
static void member(const char *name, size_t type, unsigned offset) {
    open_named(MEMBER, name);
    put_number(&info, 32, type);
    put_number(&info, 8, 2);
    put_number(&info, 8, 0x23); /* DW_OP_plus_uconst */
    put_number(&info, 8, offset);
}

static void test_entries(void) {
    start();
    put_abbreviations();
    unit_begin(2, 0, 8);
    open_named(UNIT, "a");           /* 0 */
    size_t ints = base("int", 5, 4); /* 1 */
    open_typed(POINTER, 32, ints);   /* 2 */
    close_children();
    unit_end();
    unit_begin(2, 0, 8);
    open_named(UNIT, "b");                                   /* 3 */
    size_t floats = base("float", 4, 4);                     /* 4 */
    size_t rows = open_typed(ARRAY, 32, floats);             /* 5 */
    put_number(&info, 8, SUBRANGE), put_number(&info, 8, 3); /* 6 */
    put_number(&info, 8, BOUND), put_number(&info, 8, 4);    /* 7: 0 to 4 */
    close_children();
    size_t pair = open_named(STRUCT, "pair"); /* 8 */
    put_number(&info, 16, 300);
    member("x", rows, 8);             /* 9 */
    put_number(&info, 8, BASE_CLASS); /* 10: counted from the section's beginning */
    put_number(&info, 32, unit_at + pair);
    put_number(&info, 8, 12);
    close_children();
    open_named(FUNCTION, "f"); /* 11 */
    put(&info, 64, "$f_begin"), put(&info, 64, "$f_end");
    put_number(&info, 8, BLOCK); /* 12 */
    put(&info, 64, "$b_begin"), put(&info, 64, "$b_end");
    size_t placed = open_named(PLACED, "v"); /* 13 */
    put_number(&info, 32, floats);
    put_number(&info, 8, 2);
    put_bytes(&info, "\x90\x05", 2);
    put_number(&info, 8, DWARF_IN_REGISTER);
    close_children();
    put_number(&info, 8, COPY); /* 14 */
    put_number(&info, 32, placed);
    put_number(&info, 8, 1);
    open_named(LISTED, "l"); /* 15: its type is nowhere */
    put_number(&info, 32, floats + 1);
    put_number(&info, 32, 0x1234);
    close_children();
    open_named(FUNCTION, "declared"); /* 16 */
    put(&info, 64, "$nowhere"), put(&info, 64, "$f_end");
    close_children();
    close_children();
    unit_end();
    dwarf *d = module("$f_begin:\n$b_begin:\n\n$b_end:\n$f_end:\n", "");
    static const struct {
        unsigned tag;
        uint32_t parent, end, type;
        const char *name;
        uint64_t size, count, member;
        uint32_t low, high;
    } want[] = {
#define N DWARF_NONE
        {DW_TAG_compile_unit, N, 3, N, "a", 0, 0, 0, 0, 0},
        {DW_TAG_base_type, 0, 2, N, "int", 4, 0, 0, 0, 0},
        {DW_TAG_pointer_type, 0, 3, 1, "", 0, 0, 0, 0, 0},
        {DW_TAG_compile_unit, N, 17, N, "b", 0, 0, 0, 0, 0},
        {DW_TAG_base_type, 3, 5, N, "float", 4, 0, 0, 0, 0},
        {DW_TAG_array_type, 3, 8, 4, "", 0, 0, 0, 0, 0},
        {DW_TAG_subrange_type, 5, 7, N, "", 0, 3, 0, 0, 0},
        {DW_TAG_subrange_type, 5, 8, N, "", 0, 5, 0, 0, 0},
        {DW_TAG_structure_type, 3, 11, N, "pair", 300, 0, 0, 0, 0},
        {DW_TAG_member, 8, 10, 5, "x", 0, 0, 8, 0, 0},
        {DW_TAG_inheritance, 8, 11, 8, "", 0, 0, 12, 0, 0},
        {DW_TAG_subprogram, 3, 16, N, "f", 0, 0, 0, 1, 5},
        {DW_TAG_lexical_block, 11, 14, N, "", 0, 0, 0, 2, 4},
        {DW_TAG_variable, 12, 14, 4, "v", 0, 0, 0, 0, 0},
        {DW_TAG_variable, 11, 15, 4, "v", 0, 0, 0, 0, 0}, /* what it is a copy of says it */
        {DW_TAG_formal_parameter, 11, 16, N, "l", 0, 0, 0, 0, 0},
        {DW_TAG_subprogram, 3, 17, N, "declared", 0, 0, 0, 0, 5},
    };
    size_t n = sizeof want / sizeof *want;
    CHECK_INT(d->count, n);
    for (size_t k = 0; k < n && k < d->count; k++) {
        const dwarf_die *o = &d->dies[k];
        char why[200];
        snprintf(why, sizeof why,
                 "entry %zu: tag %u, parent %d, end %u, type %d, \"%s\", size %llu, count %llu, "
                 "member %llu, lines %u to %u",
                 k, o->tag, (int)o->parent, o->end, (int)o->type, o->name,
                 (unsigned long long)o->size, (unsigned long long)o->count,
                 (unsigned long long)o->member, o->low, o->high);
        check_that(o->tag == want[k].tag && o->parent == want[k].parent && o->end == want[k].end &&
                       o->type == want[k].type && !strcmp(o->name, want[k].name) &&
                       o->size == want[k].size && o->count == want[k].count &&
                       o->member == want[k].member && o->low == want[k].low &&
                       o->high == want[k].high,
                   __FILE__, __LINE__, "an entry", why);
        CHECK_INT(o->encoding, k == 1 ? 5 : k == 4 ? 4 : 0);
        CHECK_INT(o->origin, k == 14 ? 13 : N);
        CHECK_INT(o->declared, k == 14);
        CHECK_INT(o->space, k == 13 ? DWARF_IN_REGISTER : 0);
        CHECK_INT(o->has_location, k == 13 || k == 15);
        CHECK_INT(o->location_list, k == 15);
    }
    CHECK_INT(d->dies[15].location, 0x1234);
    CHECK_INT(d->dies[13].location_bytes, 2);
    /* a place that does not change is in .debug_info */
    size_t bytes = 0, at = 0;
    dwarf_section_id in = DWARF_LOC;
    const uint8_t *p = dwarf_location(d, &d->dies[13], 2, &bytes, &in, &at);
    CHECK(p && bytes == 2 && in == DWARF_INFO && p[0] == 0x90 && p[1] == 5);
    CHECK(p == d->text.section[DWARF_INFO].bytes + at);
    CHECK(!dwarf_location(d, &d->dies[14], 2, &bytes, &in, &at)); /* it has none */
    /* functions have the lines from their first label on, up to their last */
    CHECK_INT(d->function_count, 1);
    static const uint32_t at_line[] = {N, 11, 11, 11, 11, N, N};
    for (uint32_t line = 0; line < 7; line++) CHECK_INT(dwarf_function_at(d, line), at_line[line]);
    dwarf_free(d);
}

/* ---- locations ---- */

static void range(const char *from, const char *to, const char *bytes, size_t n) {
    put(&loc, 64, "%s", from);
    put(&loc, 64, "%s", to);
    put_number(&loc, 16, n);
    put_bytes(&loc, bytes, n);
}

static void test_locations(void) {
    start();
    put_abbreviations();
    put_number(&loc, 8, 99); /* another list's end */
    range("$one", "$three", "\x90\x01", 2);
    range("0x3", "6", "\x90\x02\x03", 3); /* a number is a line itself */
    range("$six", "$nine", "\x90", 1);
    range("0", "0", "", 0); /* the end: what is behind is another's */
    range("$nine", "$ten", "\x91", 1);
    unit_begin(2, 0, 8);
    open_named(LISTED, "v");
    put_number(&info, 32, 0), put_number(&info, 32, 1);
    open_named(LISTED, "w"); /* its last entry is longer than the section */
    put_number(&info, 32, 0), put_number(&info, 32, loc.bytes - 19);
    unit_end();
    dwarf *d = module("$one:\n\n$three:\n\n\n$six:\n\n\n$nine:\n$ten:\n", "");
    CHECK_INT(d->count, 2);
    static const struct {
        size_t n, at; /* 0: nowhere */
    } want[] = {{0, 0},  {2, 19}, {2, 19}, {3, 39}, {3, 39}, {3, 39},
                {1, 60}, {1, 60}, {1, 60}, {0, 0},  {0, 0}};
    for (uint32_t line = 0; line < 11; line++) {
        size_t n = 0, at = 0;
        dwarf_section_id in = DWARF_INFO;
        const uint8_t *p = dwarf_location(d, &d->dies[0], line, &n, &in, &at);
        CHECK_INT(n, want[line].n);
        CHECK_INT(at, want[line].at);
        CHECK(!p == !n && (!p || (in == DWARF_LOC && p == d->text.section[DWARF_LOC].bytes + at)));
    }
    size_t n = 0, at = 0;
    dwarf_section_id in = DWARF_INFO;
    CHECK(dwarf_location(d, &d->dies[1], 9, &n, &in, &at) && n == 1);
    d->text.section[DWARF_LOC].n--;
    CHECK(!dwarf_location(d, &d->dies[1], 9, &n, &in, &at));
    dwarf_free(d);
}

/* ---- types and values ---- */

/* The entry at an offset of the only unit. */
static uint32_t entry(const dwarf *d, size_t offset) {
    for (size_t k = 0; k < d->count; k++)
        if (d->dies[k].offset == offset) return (uint32_t)k;
    CHECK(!"an entry");
    return 0;
}

static void look_value(sim_debug *d, sim_device *device, sim_addr at, size_t type, unsigned stars,
                       const void *bytes, size_t n, const char *want, const char *want_type) {
    char text[600], cut[600];
    sim_value v;
    uint32_t k = entry(d->dwarf, type);
    CHECK_INT(debug_type_bytes(d->dwarf, k, stars), n);
    CHECK_INT(sim_write(device, at, bytes, n), SIM_OK);
    CHECK(debug_value_at(d, 0, at, k, stars, &v));
    CHECK(v.address == at && v.bytes == n && v.type == (int32_t)k && v.stars == stars);
    sim_debug_value_text(d, 0, &v, text, sizeof text);
    CHECK_STR(text, want);
    sim_debug_type_text(d, &v, text, sizeof text);
    CHECK_STR(text, want_type);
    /* as much as fits, always with its NUL */
    for (size_t room = 1; room < strlen(want) + 3; room++) {
        memset(cut, '#', sizeof cut);
        sim_debug_value_text(d, 0, &v, cut, room);
        if (!CHECK(cut[room] == '#' && strlen(cut) < room && !strncmp(cut, want, strlen(cut))))
            break;
    }
}

static size_t wrapper(const char *name, size_t type, unsigned bytes) {
    size_t at = open_named(STRUCT, name);
    put_number(&info, 16, bytes);
    member("a", type, 0);
    close_children();
    return at;
}
static size_t array(size_t type, unsigned n, unsigned rows) {
    size_t at = open_typed(ARRAY, 32, type);
    if (rows) put_number(&info, 8, SUBRANGE), put_number(&info, 8, rows);
    put_number(&info, 8, SUBRANGE), put_number(&info, 8, n);
    close_children();
    return at;
}

static void each_name(void *user, const char *name, const sim_value *v) {
    char *all = user;
    size_t n = strlen(all);
    snprintf(all + n, 200 - n, "%s@%llu ", name, (unsigned long long)v->address % 1000);
}
static const char *parts_of(sim_debug *d, const sim_value *v, size_t first, size_t most,
                            size_t *n) {
    static char all[200];
    all[0] = 0;
    *n = sim_debug_parts(d, 0, v, first, most, each_name, all);
    return all;
}

static void test_values(void) {
    start();
    put_abbreviations();
    unit_begin(2, 0, 8);
    size_t ints = base("int", 5, 4), unsigneds = base("unsigned int", 7, 4),
           chars = base("signed char", 6, 1), bytes = base("unsigned char", 8, 1),
           bools = base("bool", 2, 1), shorts = base("short", 5, 2), longs = base("long", 5, 8),
           floats = base("float", 4, 4), doubles = base("double", 4, 8),
           threes = base("three", 5, 3), halves = base("half", 4, 2), wide = base("wide", 5, 9);
    size_t const_int = open_typed(CONST, 16, ints), pointer = open_typed(POINTER, 32, const_int),
           constant_pointer = open_typed(CONST, 16, pointer),
           reference = open_typed(REFERENCE, 64, ints), fickle = open_typed(VOLATILE, 8, ints);
    size_t real = open_named(TYPEDEF, "real");
    put_number(&info, 8, 0x80 | (doubles & 127)), put_number(&info, 8, doubles >> 7);
    size_t itself = open_typed(POINTER, 32, here()), nothing = here();
    put_number(&info, 8, BARE_POINTER);
    size_t colour = open_named(ENUM, "colour");
    put_number(&info, 8, 4);
    open_named(ENUMERATOR, "RED"), put_number(&info, 8, 0);
    open_named(ENUMERATOR, "BLUE"), put_number(&info, 8, 0x7f); /* -1 */
    close_children();
    size_t grid = array(floats, 2, 3), all = array(bytes, 32, 0), more = array(bytes, 33, 0);
    size_t pair = open_named(STRUCT, "pair");
    put_number(&info, 16, 8);
    member("x", shorts, 0), member("n", floats, 4);
    close_children();
    size_t derived = open_named(STRUCT, "derived");
    put_number(&info, 16, 16);
    put_number(&info, 8, BASE_CLASS), put_number(&info, 32, pair), put_number(&info, 8, 0);
    member("c", bools, 8), member("to", pointer, 8);
    close_children();
    size_t either = open_named(UNION, "either");
    put_number(&info, 8, 4);
    member("i", ints, 0), member("f", floats, 0);
    close_children();
    size_t nameless = here();
    put_number(&info, 8, NAMELESS), put_number(&info, 8, 4);
    member("i", ints, 0);
    close_children();
    size_t deep[5] = {ints};
    static const char *const names[] = {"", "one", "two", "three", "four"};
    for (unsigned k = 1; k < 5; k++) deep[k] = wrapper(names[k], deep[k - 1], 4);
    size_t deepest = wrapper("five", deep[4], 4);
    unit_end();

    lib_message msg;
    sim_options o;
    sim_options_default(&o);
    sim_device *device = sim_device_new(sim_profile_find("h200"), &o, &msg);
    sim_addr at = 0;
    sim_debug *d = sim_debug_new(NULL, NULL);
    if (!CHECK(device && d) || !CHECK(!sim_malloc(device, 64, &at))) return;
    d->device = device;
    d->dwarf = module("", "");
#define LOOK(type, stars, ctype, text, type_name, ...)                                             \
    look_value(d, device, at, type, stars, (const ctype[]){__VA_ARGS__},                           \
               sizeof((const ctype[]){__VA_ARGS__}), text, type_name)
    LOOK(ints, 0, int, "-5", "int", -5);
    LOOK(unsigneds, 0, unsigned, "4000000000", "unsigned int", 4000000000);
    LOOK(chars, 0, uint8_t, "-1", "signed char", 255);
    LOOK(chars, 0, uint8_t, "127", "signed char", 127);
    LOOK(bytes, 0, uint8_t, "255", "unsigned char", 255);
    LOOK(bools, 0, uint8_t, "true", "bool", 2);
    LOOK(bools, 0, uint8_t, "false", "bool", 0);
    LOOK(shorts, 0, int16_t, "-32768", "short", INT16_MIN);
    LOOK(longs, 0, int64_t, "-9223372036854775808", "long", INT64_MIN);
    LOOK(threes, 0, uint8_t, "-8388608", "three", 0, 0, 0x80);
    LOOK(floats, 0, float, "0.1", "float", 0.1f);
    LOOK(floats, 0, float, "0.33333334", "float", 1.0f / 3);
    LOOK(floats, 0, float, "-0", "float", -0.0f);
    LOOK(floats, 0, float, "999999936", "float", 999999936);
    LOOK(floats, 0, float, "1e+09", "float", 1e9f); /* whole, but long */
    LOOK(floats, 0, float, "inf", "float", INFINITY);
    LOOK(floats, 0, float, "109.488625", "float", 0x1.b5f45ap+6f); /* all nine digits */
    LOOK(floats, 0, float, "7.00649e-45", "float",
         5 * 0x1p-149f); /* five would do, seven say more */
    LOOK(floats, 0, float, "-1e+09", "float", -1e9f);
    LOOK(floats, 0, float, "-999999936", "float", -999999936);
    LOOK(doubles, 0, double, "0.1", "double", 0.1);
    LOOK(doubles, 0, double, "0.3333333333333333", "double", 1.0 / 3);
    LOOK(doubles, 0, double, "0.1234567", "double", 0.1234567);
    LOOK(doubles, 0, double, "0.30000000000000004", "double", 0.1 + 0.2);
    LOOK(real, 0, double, "2.5", "real", 2.5);
    LOOK(const_int, 0, int, "7", "const int", 7);
    LOOK(fickle, 0, int, "7", "int", 7);
    LOOK(pointer, 0, uint64_t, "0x1f", "const int *", 0x1f);
    LOOK(constant_pointer, 0, uint64_t, "0x1f", "const int *const", 0x1f);
    LOOK(reference, 0, uint64_t, "0x20", "int &", 0x20);
    LOOK(nothing, 0, uint64_t, "0x0", "void *", 0);
    LOOK(ints, 1, uint64_t, "0xff", "int *", 0xff);
    LOOK(ints, 3, uint64_t, "0xff", "int ***", 0xff);
    LOOK(colour, 0, int, "RED", "colour", 0);
    LOOK(colour, 0, int, "BLUE", "colour", -1);
    LOOK(colour, 0, int, "1", "colour", 1);
    LOOK(grid, 0, float, "{0, 1, 2, 3, 4, 5.5}", "float[3][2]", 0, 1, 2, 3, 4, 5.5f);
#define FOUR        "0, 0, 0, 0, "
#define ALL_BUT_ONE FOUR FOUR FOUR FOUR FOUR FOUR FOUR "0, 0, 0, "
    LOOK(all, 0, uint8_t, "{" ALL_BUT_ONE "9}", "unsigned char[32]", [31] = 9);
    LOOK(more, 0, uint8_t, "{" ALL_BUT_ONE "9, ...}", "unsigned char[33]", [31] = 9, [32] = 8);
    LOOK(pair, 0, uint8_t, "{x = -2, n = 1.5}", "pair", 0xfe, 0xff, 1, 1, 0, 0, 0xc0, 0x3f);
    LOOK(derived, 0, uint8_t, "{<base> = {x = 1, n = 1.5}, c = true, to = 0x1}", "derived", 1, 0, 1,
         1, 0, 0, 0xc0, 0x3f, 1, 0, 0, 0, 0, 0, 0, 0);
    LOOK(either, 0, float, "{i = 1069547520, f = 1.5}", "either", 1.5f); /* 0x3fc00000 */
    LOOK(nameless, 0, int, "{i = 3}", "?", 3);
    LOOK(deep[4], 0, int, "{a = {a = {a = {a = 7}}}}", "four", 7);
    LOOK(deepest, 0, int, "{a = {a = {a = {a = {...}}}}}", "five", 7);

    /* parts from one on, up to so many; how many there are, or that there are more */
    sim_value v;
    size_t n, place = (size_t)(at % 1000);
    char want[100];
    CHECK(debug_value_at(d, 0, at, entry(d->dwarf, derived), 0, &v));
    snprintf(want, sizeof want, "<base>@%zu c@%zu to@%zu ", place, place + 8, place + 8);
    CHECK_STR(parts_of(d, &v, 0, 3, &n), want);
    CHECK_INT(n, 3);
    snprintf(want, sizeof want, "c@%zu ", place + 8);
    CHECK_STR(parts_of(d, &v, 1, 1, &n), want);
    CHECK_INT(n, 3);
    CHECK_STR(parts_of(d, &v, 3, 9, &n), "");
    CHECK_INT(n, 3);
    CHECK_STR(parts_of(d, &v, 0, 0, &n), "");
    CHECK(n > 0);
    CHECK(debug_value_at(d, 0, at, entry(d->dwarf, grid), 0, &v));
    snprintf(want, sizeof want, "[4]@%zu [5]@%zu ", place + 16, place + 20);
    CHECK_STR(parts_of(d, &v, 4, 9, &n), want);
    CHECK_INT(n, 6);
    snprintf(want, sizeof want, "[4]@%zu ", place + 16);
    CHECK_STR(parts_of(d, &v, 4, 1, &n), want);
    CHECK_STR(parts_of(d, &v, 6, 1, &n), "");
    CHECK(debug_value_at(d, 0, at, entry(d->dwarf, ints), 0, &v));
    CHECK_STR(parts_of(d, &v, 0, 9, &n), ""); /* a number has none */
    CHECK_INT(n, 0);

    /* what is true, as in C; what has no scalar's size has no value */
    static const struct {
        double f;
        bool yes;
    } truths[] = {{0, false}, {-0.0, false}, {0.25, true}};
    for (size_t k = 0; k < 3; k++) {
        v = (sim_value){.kind = SIM_VALUE_FLOAT, .bytes = 8, .v.f = truths[k].f};
        CHECK_INT(debug_value_true(&v), truths[k].yes);
    }
    v = (sim_value){.kind = SIM_VALUE_UINT, .bytes = 8, .v.u = 0};
    CHECK(!debug_value_true(&v));
    v.v.u = 1ull << 40;
    CHECK(debug_value_true(&v));
    CHECK(!debug_value_at(d, 0, at, entry(d->dwarf, halves), 0, &v));
    CHECK(debug_value_at(d, 0, at, entry(d->dwarf, wide), 0, &v) && v.kind == SIM_VALUE_OTHER);
    CHECK(!debug_value_at(d, 0, at + 62, entry(d->dwarf, ints), 0, &v)); /* beyond its end */
    CHECK(debug_value_of_bits(d, 0xfffffff9ffffffff, entry(d->dwarf, ints), &v) && v.v.i == -1);
    CHECK(!debug_value_of_bits(d, 0, entry(d->dwarf, pair), &v)); /* no register holds it */
    /* qualifiers are looked through, but not round in a circle */
    CHECK_INT(debug_type_strip(d->dwarf, entry(d->dwarf, real)), entry(d->dwarf, doubles));
    CHECK_INT(debug_type_strip(d->dwarf, entry(d->dwarf, constant_pointer)),
              entry(d->dwarf, pointer));
    d->dwarf->dies[entry(d->dwarf, fickle)].type = entry(d->dwarf, fickle);
    CHECK_INT(debug_type_strip(d->dwarf, entry(d->dwarf, fickle)), DWARF_NONE);
    CHECK(!debug_value_at(d, 0, at, entry(d->dwarf, fickle), 0, &v));
    char text[200];
    v.type = (int32_t)entry(d->dwarf, itself), v.stars = 0;
    sim_debug_type_text(d, &v, text, sizeof text); /* sixteen levels, and then it is enough */
    CHECK(!strncmp(text, "void * *", 8));
    CHECK_INT(strlen(text), 4 + 2 * 17);
    const struct {
        size_t type, of;
        const char *begins;
        size_t length;
    } circles[] = {{const_int, const_int, "const const ", 17 * 6 + 4},
                   {fickle, fickle, "void", 4},
                   {all, all, "void[32][32]", 4 + 17 * 4},
                   /* by turns: a const pointer, nine times, and what it points to, eight times */
                   {pointer, constant_pointer, "voidconst *const *const", 4 + 9 * 5 + 8 * 2}};
    for (size_t k = 0; k < sizeof circles / sizeof *circles; k++) {
        d->dwarf->dies[entry(d->dwarf, circles[k].type)].type = entry(d->dwarf, circles[k].of);
        v.type = (int32_t)entry(d->dwarf, circles[k].of);
        sim_debug_type_text(d, &v, text, sizeof text);
        CHECK(!strncmp(text, circles[k].begins, strlen(circles[k].begins)));
        CHECK_INT(strlen(text), circles[k].length);
    }
    CHECK_INT(debug_type_bytes(d->dwarf, entry(d->dwarf, all), 0), 0); /* no array holds itself */
    sim_debug_free(d);
    sim_device_free(device);
}

/* ---- a launch: variables in all memories, and who writes what ---- */

/* Lines of the source are numbered here, each an instruction that writes but 8. p is true in thread
 * 3 alone. */
static const char kernel[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".global .align 16 .b8 counter[64] = {5, 0, 0, 0, 6};\n"
    ".const .align 4 .u32 fixed = 9;\n"
    ".visible .entry k(.param .u32 k_n) {\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n"
    ".reg .f32 %f<2>; .reg .f64 %fd<2>; .reg .b16 %h<2>; .reg .s32 %s<2>; .reg .u32 %u<2>;\n"
    ".shared .align 16 .b8 sh[32];\n"
    ".local .align 4 .b8 lo[8];\n"
    "$begin:\n"
    ".loc 1 1 1\nld.param.u32 %r1, [k_n]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 3;\n"
    "mov.u64 %rd1, counter; mov.u64 %rd2, 1; mov.u32 %r4, sh;\n"
    "mov.f32 %f1, 0f3DCCCCCD; mov.f64 %fd1, 0d3FB999999999999A; mov.b16 %h1, -2;\n" /* 0.1 */
    "mov.u32 %r6, -5; mov.s32 %s1, -6; mov.u32 %u1, -7; mov.u64 %rd3, -8;\n"
    "st.global.u32 [counter+4], %r1;\n"
    ".loc 1 2 1\n@%p1 st.global.v2.u32 [counter+8], {%r1, %r2};\n"
    ".loc 1 3 1\n@!%p1 st.global.u8 [%rd1+16], %r1;\n"
    ".loc 1 4 1\n@%p1 atom.global.add.u32 %r3, [%rd1+20], 1;\n"
    ".loc 1 5 1\n@%p1 red.global.add.u64 [%rd1+24], %rd2;\n"
    ".loc 1 6 1\n@%p1 cp.async.ca.shared.global [sh+16], [%rd1], 8;\n"
    "@%p1 cp.async.wait_all;\n"
    ".loc 1 7 1\nst.shared.u16 [%r4+6], 77; st.local.u32 [lo+4], %r2;\n"
    ".loc 1 8 1\n"
    "$inside:\nadd.u32 %r5, %r2, 1000;\n"
    "$outside:\n"
    ".loc 1 9 1\n@%p1 st.shared.u8 [1], 78;\n"
    "$end:\nret;\n}\n.file 1 \"/x/k.cu\"\n";

static void place(const char *name, size_t type, const char *symbol, unsigned more,
                  unsigned space) {
    open_named(PLACED, name);
    put_number(&info, 32, type);
    put_number(&info, 8, more ? 11 : 9);
    put_number(&info, 8, 0x03); /* DW_OP_addr */
    put(&info, 64, "%s", symbol);
    if (more) put_number(&info, 8, 0x23), put_number(&info, 8, more);
    put_number(&info, 8, space);
}
/* DW_OP_regx of %rN; with another byte it is no place that is known. */
static void place_register(const char *name, size_t type, char digit, bool wrong) {
    uint64_t code = 0x257200u | (uint8_t)digit; /* '%', 'r', '2' */
    open_named(PLACED, name);
    put_number(&info, 32, type);
    put_number(&info, 8, wrong ? 6 : 5);
    put_number(&info, 8, 0x90);
    for (unsigned k = 0; k < 4; k++)
        put_number(&info, 8, (code >> 7 * k & 127) | (k < 3 ? 128 : 0));
    if (wrong) put_number(&info, 8, 0);
    put_number(&info, 8, DWARF_IN_REGISTER);
}

static void put_program(void) {
    start();
    put_abbreviations();
    unit_begin(2, 0, 8);
    open_named(UNIT, "k.cu");
    size_t ints = base("int", 5, 4), words = array(ints, 16, 0), few = array(ints, 8, 0),
           two = array(ints, 2, 0);
    place("counter", words, "counter", 0, DWARF_IN_GLOBAL);
    place("fixed", ints, "fixed", 0, DWARF_IN_CONST);
    place("second", ints, "counter+4", 0, DWARF_IN_GLOBAL);
    place("third", ints, "counter", 8, DWARF_IN_GLOBAL);
    place("gone", ints, "nobody", 0, DWARF_IN_GLOBAL);
    place("lost", words, "nobody", 0, DWARF_IN_GLOBAL); /* nor has an array one */
    open_named(FUNCTION, "k");
    put(&info, 64, "$begin"), put(&info, 64, "$end");
    place("n", ints, "k_n", 0, DWARF_IN_PARAM);
    place("sh", few, "sh", 0, DWARF_IN_SHARED);
    place("lo", two, "lo", 0, DWARF_IN_LOCAL);
    place_register("tid", ints, '2', false);
    place_register("five", ints, '2', true);
    place_register("none", ints, '8', false); /* the kernel has no such register */
    put_number(&info, 8, BLOCK);
    put(&info, 64, "$inside"), put(&info, 64, "$outside");
    place_register("tid", ints, '1', false); /* hides the other */
    place_register("deep", ints, '1', false);
    put_number(&info, 8, BLOCK);
    put(&info, 64, "$inside"), put(&info, 64, "$outside");
    place_register("deep", ints, '2', false); /* the innermost is meant, */
    place_register("late", ints, '2', false);
    close_children();
    place_register("late", ints, '1', false); /* in whichever order they stand */
    close_children();
    put_number(&info, 8, INLINED); /* a function's variables, where its code is */
    put(&info, 64, "$inside"), put(&info, 64, "$outside");
    place_register("copied", ints, '1', false);
    close_children();
    open_named(STRUCT, "local"); /* a type's own variable is none of the function */
    put_number(&info, 16, 4);
    place_register("part", ints, '1', false);
    close_children();
    close_children();
    close_children();
    unit_end();
}

static double number(sim_debug *d, int lane, const char *text) {
    sim_value v;
    lib_message m = {0};
    if (!sim_debug_eval(d, lane, text, &v, &m)) return -12345;
    return v.kind == SIM_VALUE_FLOAT ? v.v.f : (double)v.v.i;
}
static sim_addr address(sim_debug *d, const char *text) {
    sim_value v;
    lib_message m = {0};
    return sim_debug_eval(d, -1, text, &v, &m) ? v.address : 0;
}

typedef struct {
    int at;
    sim_addr counter, sh, lo;
} walk;

static void join(void *user, const char *name, const sim_value *v) {
    char *all = user;
    size_t n = strlen(all);
    snprintf(all + n, 200 - n, "%s%s ", name, v ? "" : "?");
}

static void join_register(void *user, const char *name, const char *type, const char *value) {
    char *all = user;
    size_t n = strlen(all);
    snprintf(all + n, 600 - n, "%s %s %s|", name, type, value);
}

/* Registers by their types, of the lane that is looked at; those that nothing writes are not
 * there. */
static void look_registers(sim_debug *d) {
    /* in the order in which they are met */
    static const char *const rows[] = {"%r1 .b32 0x7 7|%r2 .b32 0x3 3|%p1 .pred true|%rd1 .b64 0x",
                                       "|%rd2 .b64 0x1|%r4 .b32 0x0 0|%f1 .f32 0.100000001|"
                                       "%fd1 .f64 0.10000000000000001|%h1 .b16 0xfffe 65534|"
                                       "%r6 .b32 0xfffffffb -5|%s1 .s32 0xfffffffa -6|"
                                       "%u1 .u32 0xfffffff9 -7|%rd3 .b64 0xfffffffffffffff8|%r3 ",
                                       "|%r5 .b32 0x3eb 1003|"};
    char all[600] = "";
    lib_message m;
    sim_debug_each_register(d, join_register, all);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) CHECK_CONTAINS(all, rows[k]);
    CHECK(sim_debug_focus_lane(d, 0, 5, &m));
    all[0] = 0;
    sim_debug_each_register(d, join_register, all);
    CHECK_CONTAINS(all, "%r2 .b32 0x5 5|");
    CHECK_CONTAINS(all, "%p1 .pred false|");
    CHECK(sim_debug_focus_lane(d, 0, 3, &m));
    static const struct {
        const char *text;
        int lane;
        double want;
    } values[] = {{"%r1", -1, 7},          {"%r2", -1, 3},   {"%r2", 31, 31},   {"%r6", -1, -5},
                  {"%s1", -1, -6},         {"%p1", -1, 1},   {"%p1", 0, 0},     {"%p1", 31, 0},
                  {"%f1", -1, 0.1f},       {"%fd1", 9, 0.1}, {"%h1", 9, 65534}, {"%rd2", 0, 1},
                  {"%rd3 >> 60", 0, 15}, /* of no sign */
                  {"%u1", 0, 4294967289.0}};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        CHECK_NEAR(number(d, values[k].lane, values[k].text), values[k].want, 0);
}

static void look_variables(sim_debug *d) {
    CHECK(number(d, -1, "counter[0]") == 5 && number(d, -1, "second") == 7);
    CHECK(number(d, -1, "third") == 7 && number(d, -1, "counter[3]") == 3);
    CHECK(number(d, -1, "fixed") == 9 && number(d, -1, "n") == 7);
    CHECK(number(d, -1, "gone") == -12345 && number(d, -1, "five") == -12345);
    CHECK(number(d, -1, "none") == -12345 && number(d, -1, "nobody") == -12345);
    CHECK(number(d, -1, "lo[1]") == 3 && number(d, 0, "lo[1]") == 0 &&
          number(d, 31, "lo[1]") == 31);
    CHECK(number(d, -1, "lost == lost") == -12345 && !address(d, "lost"));
    look_registers(d);
    CHECK(number(d, -1, "sh[1]") == 77 * 65536);
    /* a lane's own local memory by its address: the focus's, or a lane's */
    static const int lanes[] = {-1, 0, 1, 31};
    for (size_t k = 0; k < 4; k++) {
        int tid = -1;
        CHECK(sim_debug_read(d, lanes[k], address(d, "lo[1]"), &tid, sizeof tid));
        CHECK_INT(tid, lanes[k] < 0 ? 3 : lanes[k]);
        sim_value lo;
        lib_message m = {0};
        char text[40], want[20];
        CHECK(sim_debug_eval(d, lanes[k], "lo", &lo, &m));
        sim_debug_value_text(d, lanes[k], &lo, text, sizeof text);
        snprintf(want, sizeof want, ", %d}", tid);
        CHECK_CONTAINS(text, want);
    }
    static const struct {
        sim_vars which;
        const char *names;
    } rows[] = {{SIM_VARS_PARAMETERS, ""},
                {SIM_VARS_LOCALS, "n lo tid five? none? "},
                {SIM_VARS_SHARED, "sh "},
                {SIM_VARS_GLOBALS, "counter fixed second third "}};
    for (size_t k = 0; k < 4; k++) {
        char all[200] = "";
        sim_debug_each_variable(d, rows[k].which, join, all);
        CHECK_STR(all, rows[k].names);
    }
}

/* Who wrote each byte of a piece: rows from a byte on, up to the next row's. */
typedef struct {
    unsigned from, line, thread; /* line 0: nobody */
} wrote;
static void look_writers(sim_debug *d, sim_addr from, unsigned n, uint64_t block,
                         const wrote *rows) {
    for (unsigned k = 0, row = 0; k < n; k++) {
        sim_writer w;
        if (rows[row + 1].from == k && k) row++;
        bool any = sim_debug_writer(d, from + k, &w);
        char why[100];
        snprintf(why, sizeof why, "byte %u: line %u, block %llu, thread %u", k, w.line,
                 (unsigned long long)w.block, w.thread);
        check_that(any == (rows[row].line != 0) && w.line == rows[row].line &&
                       (!any || (w.block == block && w.thread == rows[row].thread)),
                   __FILE__, __LINE__, "who wrote a byte", why);
    }
    sim_writer w;
    CHECK(!sim_debug_writer(d, from - 1, &w) && !sim_debug_writer(d, from + n, &w));
}

static void on_launch(void *user, sim_debug *d, const sim_stop *stop) {
    walk *s = user;
    sim_place p;
    switch (s->at++) {
    case 0: /* line 9 in thread 3 of block 1 */
        CHECK_INT(stop->reason, SIM_STOP_BREAK);
        CHECK(sim_debug_frame(d, 0, &p) && p.line == 9 && p.block[0] == 1 && p.thread[0] == 3);
        CHECK(number(d, -1, "tid") == 3 && number(d, 5, "tid") == 5);
        look_variables(d);
        s->counter = address(d, "counter"), s->sh = address(d, "sh"), s->lo = address(d, "lo");
        CHECK(s->counter && s->lo == SIM_LOCAL_WINDOW && s->sh == SIM_SHARED_WINDOW);
        CHECK(!sim_debug_record(d, s->counter, 0) &&
              !sim_debug_record(d, s->counter, (1 << 20) + 1));
        CHECK(!sim_debug_record(d, UINT64_MAX, 2));
        CHECK(sim_debug_record(d, s->counter, 48));
        break;
    case 1:
        CHECK_INT(stop->reason, SIM_STOP_RECORDED);
        CHECK(sim_debug_frame(d, 0, &p) && p.line == 9 && p.thread[0] == 3);
        static const wrote global[] = {{0, 0, 0},  {4, 1, 31}, {8, 2, 3},  {16, 3, 31}, {17, 0, 0},
                                       {20, 4, 3}, {24, 5, 3}, {32, 0, 0}, {99, 0, 0}};
        look_writers(d, s->counter, 48, 1, global);
        CHECK(sim_debug_record(d, s->sh, 32));
        break;
    case 2:;
        static const wrote shared[] = {{0, 0, 0},  {6, 7, 31}, {8, 0, 0},
                                       {16, 6, 3}, {24, 0, 0}, {99, 0, 0}};
        look_writers(d, s->sh, 32, 1, shared);
        CHECK(sim_debug_record(d, s->lo + 1, 7));
        break;
    case 3:;
        static const wrote local[] = {{0, 0, 0}, {3, 7, 3}, {99, 0, 0}};
        look_writers(d, s->lo + 1, 7, 1, local);
        sim_debug_go(d, SIM_GO_REVERSE_STEP);
        break;
    case 4: /* in the block of line 8 another variable has the name */
        CHECK(sim_debug_frame(d, 0, &p) && p.line == 8);
        CHECK(number(d, -1, "tid") == 7);
        CHECK(number(d, -1, "deep") == 3 && number(d, -1, "late") == 3);
        CHECK(number(d, -1, "copied") == 7 && number(d, -1, "part") == -12345);
        char all[200] = "";
        sim_debug_each_variable(d, SIM_VARS_LOCALS, join, all); /* what is hidden is not there */
        CHECK_STR(all, "n lo five? none? tid deep late copied ");
        sim_debug_go(d, SIM_GO_RESTART);
        break;
    default: sim_debug_go(d, SIM_GO_FREE); break;
    }
}

/* Each byte that is watched: before which line it stops first, in which thread; 0: it never
 * does. */
static const struct {
    const char *watch;
    unsigned line, thread;
} watches[] = {
    {"((char *)counter)[3]", 0, 0},  {"((char *)counter)[4]", 1, 0},
    {"((char *)counter)[7]", 1, 0},  {"((char *)counter)[8]", 2, 3},
    {"((char *)counter)[15]", 2, 3}, {"((char *)counter)[16]", 3, 0},
    {"((char *)counter)[17]", 0, 0}, {"counter[5]", 4, 3},
    {"((char *)counter)[24]", 5, 3}, {"((char *)counter)[31]", 5, 3},
    {"((char *)counter)[32]", 0, 0}, {"counter", 1, 0},
    {"((char *)sh)[6]", 7, 0},       {"((char *)sh)[5]", 0, 0},
    {"((char *)sh)[23]", 6, 3},      {"((char *)sh)[24]", 0, 0},
    {"((char *)sh)[1]", 9, 3},       {"((char *)sh)[0]", 0, 0},
    {"((char *)lo)[3]", 0, 0},       {"lo[1]", 7, 0},
};

typedef struct {
    size_t row;
    int at;
    unsigned line, thread;
} watched;
static void on_watch(void *user, sim_debug *d, const sim_stop *stop) {
    watched *s = user;
    sim_place p;
    lib_message m;
    if (!s->at++) {
        CHECK_INT(stop->reason, SIM_STOP_LAUNCH);
        CHECK(sim_debug_watch(d, watches[s->row].watch, NULL, &m));
    } else {
        if (stop->reason == SIM_STOP_WATCH && sim_debug_frame(d, 0, &p))
            s->line = p.line, s->thread = p.thread[0];
        sim_debug_go(d, SIM_GO_FREE);
    }
}

static bool launch(sim_debug *g, unsigned blocks) {
    lib_message m = {0};
    sim_options o;
    sim_options_default(&o);
    o.debug = g;
    sim_device *device = sim_device_new(sim_profile_find("h200"), &o, &m);
    const char *text = module_text(kernel, "");
    sim_module_options mo = {.ptxas = ""};
    sim_module *mod = device ? sim_module_new(device, text, strlen(text), &mo, &m) : NULL;
    unsigned n = 7;
    sim_result r = {0};
    sim_launch l = {.kernel = mod ? sim_module_kernel(mod, "k") : NULL,
                    .grid = {blocks, 1, 1},
                    .block = {32, 1, 1},
                    .params = &n,
                    .param_bytes = sizeof n};
    bool ok = CHECK(l.kernel) && CHECK(!sim_run(device, &l, &r, &m));
    if (!ok) printf("# %s\n", said(&m));
    sim_result_free(&r);
    sim_module_free(mod);
    sim_device_free(device);
    return ok;
}

static void test_launch(void) {
    put_program();
    walk s = {0};
    lib_message m;
    sim_debug *d = sim_debug_new(on_launch, &s);
    CHECK(sim_debug_break(d, "9", "blockIdx.x == 1 && tid == 3", &m));
    launch(d, 3);
    CHECK_INT(s.at, 6);
    sim_debug_free(d);
    for (size_t k = 0; k < sizeof watches / sizeof *watches; k++) {
        watched w = {.row = k};
        d = sim_debug_new(on_watch, &w);
        sim_debug_stop_at(d, true, false);
        launch(d, 1);
        char why[60];
        snprintf(why, sizeof why, "line %u, thread %u", w.line, w.thread);
        check_that(w.line == watches[k].line && w.thread == watches[k].thread, __FILE__, __LINE__,
                   watches[k].watch, why);
        sim_debug_free(d);
    }
}

int main(void) {
    test_text();
    test_forms();
    test_headers();
    test_entries();
    test_locations();
    test_values();
    test_launch();
    return check_done();
}
