/* .section (PTX ISA 11.5.3): data for debuggers. debug/dwarf_text.c reads them on demand; here they
 * are only checked against the grammar:
 *
 *   .section .name { lines }     a line is LABEL: or .b8, .b16, .b32 or .b64 and integers,
 *                                separated by commas; .b32 and .b64 also take LABEL,
 *                                LABEL+integer or LABEL-LABEL. A label may be a section's name,
 *                                and need not exist. */
#include "runner/device/sim/lex/lex.h"
#include "runner/device/sim/parse/decl.h"

/* Ranges of numbers. The assembler cuts a number of more than 32 bits in a .b32. */
static const struct {
    const char *word, *says;
    uint64_t least, most; /* for negative numbers, the magnitude */
    bool labels;
} section_data[] = {{"b8", "from -128 to 255", 128, 255, false},
                    {"b16", "from -32768 to 65535", 32768, 65535, false},
                    {"b32", "at least -2147483648", 1ull << 31, UINT64_MAX, true},
                    {"b64", "at least -9223372036854775808", 1ull << 63, UINT64_MAX, true}};
enum { SECTION_KINDS = sizeof section_data / sizeof *section_data };

/* Returns the kind of the token; SECTION_KINDS: none. */
static unsigned section_kind(const ptx_parser *p) {
    unsigned k = 0;
    while (k < SECTION_KINDS && !ptx_is_dot(p, section_data[k].word)) k++;
    return k;
}

static void section_integer(ptx_parser *p, unsigned kind, bool first) {
    char found[80];
    ptx_token at = p->tok;
    bool minus = ptx_accept(p, '-');
    if (p->tok.kind != PTX_TOK_INT)
        ptx_fail(p, &p->tok, "expected an integer%s, found %s",
                 first && section_data[kind].labels && !minus ? " or a label" : "",
                 ptx_describe(&p->tok, found, sizeof found));
    if (p->tok.value > (minus ? section_data[kind].least : section_data[kind].most))
        ptx_fail(p, &at, "a .%s must be %s", section_data[kind].word, section_data[kind].says);
    ptx_next(p);
}

static void section_label(ptx_parser *p, unsigned kind) {
    if (!section_data[kind].labels)
        ptx_fail(p, &p->tok, "a label needs .b32 or .b64, not .%s", section_data[kind].word);
    ptx_next(p);
    if (ptx_accept(p, '+')) ptx_expect_int(p, "the offset from a label", UINT64_MAX);
    else if (ptx_accept(p, '-')) (void)ptx_expect_name(p, "a label to subtract");
}

static void section_line(ptx_parser *p) {
    char found[80];
    unsigned kind = section_kind(p);
    if (p->tok.kind == PTX_TOK_NAME) {
        ptx_next(p);
        ptx_expect(p, ':', "after a label");
        return;
    }
    if (kind == SECTION_KINDS)
        ptx_fail(p, &p->tok, "a .section has .b8, .b16, .b32, .b64 and labels, not %s",
                 ptx_describe(&p->tok, found, sizeof found));
    ptx_next(p);
    if (p->tok.kind == PTX_TOK_NAME ||
        (p->tok.kind == PTX_TOK_DOT && section_kind(p) == SECTION_KINDS)) {
        section_label(p, kind);
        return;
    }
    section_integer(p, kind, true);
    while (ptx_accept(p, ',')) section_integer(p, kind, false);
}

void ptx_parse_section(ptx_parser *p) {
    char found[80];
    ptx_token at = p->tok;
    ptx_next(p);
    if (p->tok.kind != PTX_TOK_DOT)
        ptx_fail(p, &p->tok, "expected a name such as .debug_info, found %s",
                 ptx_describe(&p->tok, found, sizeof found));
    ptx_next(p);
    if (!ptx_accept(p, '{')) ptx_fail(p, &at, "this .section has no '{'");
    while (!ptx_accept(p, '}')) {
        if (p->tok.kind == PTX_TOK_END) ptx_fail(p, &at, "this .section has no '}' at its end");
        section_line(p);
    }
}
