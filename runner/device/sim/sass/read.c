/* Reads the text, line by line:
 *
 *   .target sm_90                            the architecture
 *   .section .text._Z1kPf,..                 a function begins
 *   _Z1kPf:  .L_x_1:                         labels
 *   //## File "a.cu", line 2                 the place of the next instructions; with "inlined at"
 *                                            the next such line is that place; in
 *                                            ".nv_debug_ptx_txt": the line of the PTX
 *   [10] @P0 LDG.E R3, desc[..][R2.64] ; [c] an instruction: its address, and the lower 64 bits of
 *                                            its encoding, both as comments
 *   [c]                                      the upper 64 bits
 *
 * Other directives are skipped. Labels are looked up at the end, because jumps may go forward. */
#include "runner/device/sim/sass/internal.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "words/sass.h"

enum { MOST_BYTES = 64 << 20, MOST_INSNS = 1 << 22, MOST_LINE = 1 << 16, INSN_BYTES = 16 };

/* ---- control fields ---- */

static int8_t barrier(uint64_t field) {
    return (field & 7) == 7 ? -1 : (int8_t)(field & 7);
}

sass_control sass_control_of(const uint64_t code[2]) {
    uint64_t c = code[1] >> 41;
    return (sass_control){.stall = c & 15,
                          .yield = !(c >> 4 & 1),
                          .write_barrier = barrier(c >> 5),
                          .read_barrier = barrier(c >> 8),
                          .wait = c >> 11 & 63,
                          .reuse = c >> 17 & 15};
}

/* ---- lines ---- */

static bool next_line(sass_reader *r, sass_text *line) {
    if (r->failed || r->rest.s >= r->rest.end) return false;
    const char *end = memchr(r->rest.s, '\n', (size_t)(r->rest.end - r->rest.s));
    *line = (sass_text){r->rest.s, end ? end : r->rest.end};
    r->rest.s = end ? end + 1 : r->rest.end;
    r->line++;
    if (line->end - line->s <= MOST_LINE) return true;
    return sass_fail(r, *line, w_sass_line_too_long);
}

/* Takes the text up to a character and skips the character. Returns false if it is not there. */
static bool take_to(sass_text *t, char c, sass_text *out) {
    const char *end = memchr(t->s, c, (size_t)(t->end - t->s));
    if (!end) return false;
    *out = (sass_text){t->s, end};
    t->s = end + 1;
    return true;
}

static uint32_t take_decimal(sass_text *t) {
    uint32_t n = 0;
    while (t->s < t->end && isdigit((unsigned char)*t->s) && n < 100000000)
        n = n * 10 + (uint32_t)(*t->s++ - '0');
    return n;
}

/* ---- functions and labels ---- */

static sass_func *now(sass_reader *r) {
    return r->m->func_count ? &r->m->funcs[r->m->func_count - 1] : NULL;
}

/* Moves the function's data into the module's memory. */
static bool end_function(sass_reader *r) {
    sass_func *f = now(r);
    if (!f || f->insns) return true;
    f->insns = ptx_arena_get(r->arena, (f->insn_count + 1) * sizeof *f->insns);
    if (!f->insns) return sass_no_memory(r);
    if (f->insn_count) memcpy(f->insns, r->insns, f->insn_count * sizeof *f->insns);
    return true;
}

static bool begin_function(sass_reader *r, sass_text name) {
    if (!end_function(r)) return false;
    if (!lib_grow(&r->m->funcs, &r->func_room, r->m->func_count, sizeof *r->m->funcs, 8))
        return sass_no_memory(r);
    const char *kept = sass_keep(r, name);
    if (!kept) return false;
    r->m->funcs[r->m->func_count++] = (sass_func){.name = kept};
    r->place = r->ptx_line = 0;
    r->inlined = false;
    return true;
}

static bool read_section(sass_reader *r, sass_text t) {
    sass_text name;
    t = sass_skip(t);
    if (!take_to(&t, ',', &name)) return sass_fail(r, t, w_sass_no_such_section);
    return !sass_eat(&name, ".text.") || begin_function(r, name);
}

static bool add_label(sass_reader *r, sass_text name) {
    const sass_func *f = now(r);
    if (!f) return true;
    if (!lib_grow(&r->m->labels, &r->label_room, r->m->label_count, sizeof *r->m->labels, 64))
        return sass_no_memory(r);
    r->m->labels[r->m->label_count++] =
        (sass_label){.name = sass_keep(r, name), .func = r->m->func_count - 1, .at = f->insn_count};
    return !r->failed;
}

static bool read_target(sass_reader *r, sass_text t) {
    t = sass_skip(t);
    if (sass_eat(&t, "sm_")) r->m->arch = take_decimal(&t);
    return true;
}

/* ---- places ---- */

static uint32_t add_place(sass_reader *r, sass_text file, uint32_t line) {
    if (!lib_grow(&r->m->places, &r->place_room, r->m->place_count, sizeof *r->m->places, 64)) {
        sass_no_memory(r);
        return 0;
    }
    r->m->places[r->m->place_count] = (sass_place){.file = sass_keep(r, file), .line = line};
    return r->m->place_count++;
}

static bool take_place(sass_text *t, sass_text *file, uint32_t *line) {
    if (!take_to(t, '"', file) || !sass_eat(t, ", line ")) return false;
    *line = take_decimal(t);
    return true;
}

/* What nvdisasm -gp calls the PTX that is kept in the cubin. */
static bool is_ptx(sass_text file) {
    static const char name[] = ".nv_debug_ptx_txt";
    return file.end - file.s == sizeof name - 1 && !memcmp(file.s, name, sizeof name - 1);
}

/* A line with "inlined at" is followed by the line of that place, which may itself be inlined. */
static bool read_place(sass_reader *r, sass_text t) {
    sass_text file;
    uint32_t line;
    if (!take_place(&t, &file, &line)) return true; /* a remark of another kind */
    if (is_ptx(file)) {
        r->ptx_line = line;
        return true;
    }
    uint32_t place = add_place(r, file, line);
    if (!r->inlined) r->place = place;
    else r->m->places[place - 1].at = place;
    r->inlined = sass_eat(&t, " inlined at ");
    return !r->failed;
}

/* ---- instructions ---- */

/* A comment with a number of at most that many digits. */
static bool take_comment(sass_text *t, const char *open, uint64_t *value) {
    *t = sass_skip(*t);
    if (!sass_eat(t, open)) return false;
    *value = 0;
    unsigned n = 0;
    for (; t->s < t->end && isxdigit((unsigned char)*t->s) && n < 16; t->s++, n++) {
        char c = (char)tolower((unsigned char)*t->s);
        *value = *value << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    while (t->s < t->end && *t->s == ' ') t->s++;
    return n && sass_eat(t, "*/");
}

static bool take_guard(sass_reader *r, sass_text *t, sass_insn *i) {
    i->guard = SASS_PT;
    if (!sass_eat(t, "@")) return true;
    i->guard_not = sass_eat(t, "!");
    i->guard_uniform = sass_eat(t, "U");
    if (sass_eat(t, "PT")) return true;
    if (sass_eat(t, "P") && t->s < t->end && *t->s >= '0' && *t->s < '0' + SASS_PT) {
        i->guard = (uint8_t)(*t->s++ - '0');
        return true;
    }
    return sass_fail(r, *t, w_sass_predicate_expected);
}

static bool take_opcode(sass_reader *r, sass_text *t, sass_insn *i) {
    sass_text name = {t->s, t->s}, mods;
    while (name.end < t->end && (isalnum((unsigned char)*name.end) || *name.end == '_')) name.end++;
    mods = (sass_text){name.end, name.end};
    while (mods.end < t->end &&
           (isalnum((unsigned char)*mods.end) || *mods.end == '_' || *mods.end == '.'))
        mods.end++;
    t->s = mods.end;
    unsigned op = sass_op_named(&r->ops, name);
    if (op == SASS_OP_COUNT) return sass_fail(r, name, w_sass_no_such_opcode);
    i->op = (uint16_t)op;
    i->mods = mods.s == mods.end ? "" : sass_keep(r, mods);
    return i->mods != NULL;
}

static bool add_jump(sass_reader *r, sass_text name) {
    if (!lib_grow(&r->jumps, &r->jump_room, r->jump_count, sizeof *r->jumps, 16))
        return sass_no_memory(r);
    r->jumps[r->jump_count++] =
        (sass_jump){r->m->func_count - 1, now(r)->insn_count, {name.s, name.end}};
    return true;
}

/* (*"BRANCH_TARGETS .L_x_1,.L_x_2"*), or a remark of another kind. */
static bool take_remark(sass_reader *r, sass_text *t, sass_insn *i) {
    *t = sass_skip(*t);
    if (!sass_eat(t, "(*\"")) return true;
    sass_text all, name;
    if (!take_to(t, '"', &all) || !sass_eat(t, "*)"))
        return sass_fail(r, *t, w_sass_remark_end_expected);
    if (!sass_eat(&all, "BRANCH_TARGETS ")) return true;
    while (all.s < all.end) {
        if (!take_to(&all, ',', &name)) {
            name = all;
            all.s = all.end;
        }
        if (!add_jump(r, name)) return false;
        i->target_count++;
    }
    return true;
}

/* Fills immediates with the 32 bits of the encoding; a pair of halves has the first half in the
 * upper bits. */
static void fill_floats(sass_insn *i) {
    uint32_t bits = (uint32_t)(i->code[0] >> 32);
    for (unsigned k = 0; k < i->opnd_count; k++) {
        if (i->opnd[k].kind != SASS_OPND_FLOAT) continue;
        if (k + 1 < i->opnd_count && i->opnd[k + 1].kind == SASS_OPND_FLOAT) {
            i->opnd[k].imm = bits >> 16;
            i->opnd[++k].imm = bits & 0xffff;
        } else i->opnd[k].imm = bits;
    }
}

static bool fit(sass_reader *r, sass_insn *i, sass_text all) {
    sass_text word;
    switch (sass_fit_form(&r->ops, i, &word)) {
    case SASS_FITS: return true;
    case SASS_BAD_MODIFIER: {
        char both[160];
        snprintf(both, sizeof both, "%s.%.*s", sass_row_of(i->op)->name, (int)(word.end - word.s),
                 word.s);
        return sass_fail(r, (sass_text){both, both + strlen(both)}, w_sass_no_such_modifier);
    }
    default: return sass_fail(r, all, w_sass_no_form_fits);
    }
}

static bool take_instruction(sass_reader *r, sass_text *t, sass_insn *i) {
    sass_text all = *t;
    if (!take_guard(r, t, i)) return false;
    *t = sass_skip(*t);
    if (!take_opcode(r, t, i) || !sass_operands(r, i, t)) return false;
    sass_text own = {all.s, t->s};
    while (own.end > own.s && own.end[-1] == ' ') own.end--;
    if (!take_remark(r, t, i) || !(i->text = sass_keep(r, own))) return false;
    all.end = t->s;
    *t = sass_skip(*t);
    if (!sass_eat(t, ";")) return sass_fail(r, *t, w_sass_semicolon_expected);
    return fit(r, i, all);
}

static bool take_encoding(sass_reader *r, sass_text *t, sass_insn *i) {
    sass_text second = {0};
    if (take_comment(t, "/* 0x", &i->code[0]) && next_line(r, &second) &&
        take_comment(&second, "/* 0x", &i->code[1])) {
        i->control = sass_control_of(i->code);
        fill_floats(i);
        return true;
    }
    return sass_fail(r, second.s ? second : *t, w_sass_encoding_expected);
}

/* Reads an instruction, from the comment with its address on. */
static bool read_instruction(sass_reader *r, sass_text t) {
    uint64_t address;
    sass_func *f = now(r);
    sass_insn i = {.place = r->place, .ptx_line = r->ptx_line};
    if (!take_comment(&t, "/*", &address)) return sass_fail(r, t, w_sass_address_expected);
    if (!f || f->insns || address != (uint64_t)f->insn_count * INSN_BYTES ||
        f->insn_count == MOST_INSNS)
        return sass_fail(r, t, w_sass_address_not_next);
    i.address = (uint32_t)address;
    t = sass_skip(t);
    if (!take_instruction(r, &t, &i) || !take_encoding(r, &t, &i)) return false;
    if (!lib_grow(&r->insns, &r->insn_room, f->insn_count, sizeof *r->insns, 256))
        return sass_no_memory(r);
    r->insns[f->insn_count++] = i;
    r->inlined = false;
    return true;
}

static bool read_line(sass_reader *r, sass_text line) {
    sass_text t = sass_skip(line);
    while (t.end > t.s && isspace((unsigned char)t.end[-1])) t.end--;
    if (t.s == t.end) return true;
    if (sass_eat(&t, "//## File \"")) return read_place(r, t);
    if (sass_eat(&t, "//")) return true;
    if (t.end - t.s > 2 && t.s[0] == '/' && t.s[1] == '*') return read_instruction(r, t);
    if (t.s == line.s && t.end[-1] == ':') return add_label(r, (sass_text){t.s, t.end - 1});
    if (sass_eat(&t, ".section\t")) return read_section(r, t);
    if (sass_eat(&t, ".target\t")) return read_target(r, t);
    if (*t.s == '.') return true;
    return sass_fail(r, t, w_sass_instruction_expected);
}

/* ---- labels ---- */

static int label_order(const void *a, const void *b) {
    const sass_label *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    if (c) return c;
    return x->func != y->func ? (x->func < y->func ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

static const sass_label *find_label(const sass_module *m, const char *name, size_t n) {
    for (size_t low = 0, high = m->label_count; low < high;) {
        size_t mid = (low + high) / 2;
        int c = strncmp(m->labels[mid].name, name, n);
        if (!c && m->labels[mid].name[n]) c = 1;
        if (!c) return &m->labels[mid];
        if (c > 0) high = mid;
        else low = mid + 1;
    }
    return NULL;
}

static bool no_label(sass_reader *r, const char *name) {
    return sass_fail(r, (sass_text){name, name + strlen(name)}, w_sass_no_such_label);
}

/* A jump's label must be an instruction of its own function; other labels may be anywhere. */
static bool resolve(sass_reader *r, uint32_t func, const sass_insn *i, sass_opnd *o) {
    const sass_label *l = find_label(r->m, o->text, strlen(o->text));
    o->func = l ? l->func : SASS_ELSEWHERE;
    o->target = l ? l->at : 0;
    unsigned klass = sass_row_of(i->op)->klass;
    if (klass != SASS_BRANCH && klass != SASS_CONVERGE) return true;
    return (l && l->func == func && l->at < r->m->funcs[func].insn_count) || no_label(r, o->text);
}

static bool resolve_jumps(sass_reader *r) {
    for (size_t k = 0; k < r->jump_count;) {
        const sass_jump *j = &r->jumps[k];
        sass_func *f = &r->m->funcs[j->func];
        sass_insn *i = &f->insns[j->insn];
        uint32_t *to = ptx_arena_get(r->arena, i->target_count * sizeof *to);
        if (!to) return sass_no_memory(r);
        for (uint32_t n = 0; n < i->target_count; n++, k++) {
            sass_text name = r->jumps[k].name;
            const sass_label *l = find_label(r->m, name.s, (size_t)(name.end - name.s));
            if (!l || l->func != j->func || l->at >= f->insn_count) {
                const char *kept = sass_keep(r, name);
                return kept && no_label(r, kept);
            }
            to[n] = l->at;
        }
        i->targets = to;
        if (sass_row_of(i->op)->klass != SASS_INDIRECT) i->target_count = 0;
    }
    return true;
}

static bool resolve_all(sass_reader *r) {
    sass_module *m = r->m;
    if (m->label_count) qsort(m->labels, m->label_count, sizeof *m->labels, label_order);
    for (uint32_t k = 0; k < m->func_count; k++)
        for (uint32_t n = 0; n < m->funcs[k].insn_count; n++) {
            sass_insn *i = &m->funcs[k].insns[n];
            for (unsigned o = 0; o < i->opnd_count; o++)
                if (i->opnd[o].kind == SASS_OPND_LABEL && !resolve(r, k, i, &i->opnd[o]))
                    return false;
        }
    return resolve_jumps(r);
}

/* ---- the module ---- */

static bool read_all(sass_reader *r) {
    sass_text line;
    add_place(r, (sass_text){"", ""}, 0);
    while (next_line(r, &line))
        if (!read_line(r, line)) return false;
    if (r->failed || !end_function(r) || !resolve_all(r)) return false;
    for (uint32_t k = 0; k < r->m->func_count; k++)
        if (!sass_blocks(r->arena, &r->m->funcs[k])) return sass_no_memory(r);
    return true;
}

sass_module *sass_read(const char *text, size_t len, lib_message *msg) {
    sass_reader r = {.rest = {text, text + len}, .msg = msg};
    r.m = calloc(1, sizeof *r.m);
    r.arena = ptx_arena_new();
    if (r.m) r.m->arena = r.arena;
    bool ok = r.m && r.arena ? true : sass_no_memory(&r);
    if (ok && len > MOST_BYTES) lib_message_set(msg, w_sass_too_long(r.line)), ok = false;
    if (ok) {
        sass_ops_prepare(&r.ops);
        ok = read_all(&r);
    }
    free(r.insns);
    free(r.jumps);
    if (ok) return r.m;
    sass_free(r.m);
    return NULL;
}

void sass_free(sass_module *m) {
    if (!m) return;
    ptx_arena_free(m->arena);
    free(m->funcs);
    free(m->labels);
    free(m->places);
    free(m);
}

const sass_func *sass_find(const sass_module *m, const char *name) {
    for (uint32_t k = 0; k < m->func_count; k++)
        if (!strcmp(m->funcs[k].name, name)) return &m->funcs[k];
    return NULL;
}
