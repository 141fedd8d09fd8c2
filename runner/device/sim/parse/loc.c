/* Source positions: .file, .loc with its inlined_at chain (PTX ISA 11.3), and what they mean for a
 * student.
 *
 *   .loc --> ptx_loc, each different one once (a hash table in loc_slots)
 *        --> index in the instructions that follow
 *
 * nvcc writes .file at the end, so a position keeps its file's number until then. inlined_at names
 * a call site by file, line and column. It means the latest position of the same function with
 * these three; that position's own inlined_at leads further outwards. So an index always points at
 * a lower one, and the chain ends. */
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/parse/decl.h"
#include "runner/device/sim/lex/lex.h"

void ptx_start_locs(ptx_parser *p) {
    ptx_push(p, &p->locs, sizeof(ptx_loc)); /* locs[0]: no location */
    *(uint32_t *)ptx_push(p, &p->loc_files, sizeof(uint32_t)) = UINT32_MAX;
}

/* nvcc writes a byte that is not ASCII as \345. Returns 0 if there is no such byte here; control
 * characters stay as they are written. */
static char octal_byte(const char *at, uint32_t left) {
    if (left < 4 || at[0] != '\\' || at[1] < '2' || at[1] > '3') return 0;
    for (int k = 2; k < 4; k++)
        if (at[k] < '0' || at[k] > '7') return 0;
    return (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
}

void ptx_parse_file(ptx_parser *p) {
    ptx_next(p);
    uint64_t n = ptx_expect_int(p, "the number of a .file", PTX_MAX_FILES);
    if (p->tok.kind != PTX_TOK_STRING)
        ptx_fail(p, &p->tok, "expected the name of the file in quotes");
    char *name = ptx_get(p, p->tok.len);
    size_t len = 0;
    for (uint32_t i = 1; i + 1 < p->tok.len; i++) {
        char c = p->tok.at[i], byte = octal_byte(p->tok.at + i, p->tok.len - 1 - i);
        if (byte) c = byte, i += 3;
        else if (c == '\\' && i + 2 < p->tok.len &&
                 (p->tok.at[i + 1] == '\\' || p->tok.at[i + 1] == '"'))
            c = p->tok.at[++i];
        name[len++] = c;
    }
    while (p->files.count <= n) ptx_push_pointer(p, &p->files, NULL);
    ((const char **)p->files.data)[n] = name;
    ptx_next(p);
    if (ptx_accept(p, ',')) { /* timestamp, size */
        ptx_expect_int(p, "a time", UINT64_MAX);
        if (ptx_accept(p, ',')) ptx_expect_int(p, "a size", UINT64_MAX);
    }
}

typedef struct {
    uint32_t loc, last,
        epoch; /* `last`: latest position with the same file, line and column in function `epoch` */
} loc_slot;

static uint32_t loc_hash(const ptx_parser *p, uint32_t file, uint32_t line, uint32_t column,
                         uint32_t inlined) {
    uint64_t h = (((uint64_t)file << 32 | line) + p->hash_seed) * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 29) ^ ((uint64_t)inlined << 20 | column)) * 0xBF58476D1CE4E5B9u;
    return (uint32_t)(h >> 32);
}

static void loc_rehash(ptx_parser *p, size_t cap) {
    loc_slot *old = p->loc_slots.data;
    size_t old_cap = p->loc_slots.cap;
    loc_slot *new = calloc(cap, sizeof *new);
    if (!new) ptx_fail_memory(p);
    const ptx_loc *locs = p->locs.data;
    const uint32_t *file = p->loc_files.data;
    for (size_t i = 0; i < old_cap; i++) {
        if (!old[i].loc) continue;
        const ptx_loc *l = &locs[old[i].loc];
        bool place_only = old[i].last != 0;
        uint32_t h = loc_hash(p, file[old[i].loc], l->line, l->column,
                              place_only ? UINT32_MAX : l->inlined_at);
        while (new[h & (cap - 1)].loc) h++;
        new[h & (cap - 1)] = old[i];
    }
    free(old);
    p->loc_slots.data = new;
    p->loc_slots.cap = cap;
}

/* Returns the slot of a position. inlined UINT32_MAX: any position at this place, wherever it is
 * inlined. A new slot has .loc 0. */
static loc_slot *loc_find(ptx_parser *p, uint32_t file, uint32_t line, uint32_t column,
                          uint32_t inlined) {
    if (p->loc_slots.count * 2 >= p->loc_slots.cap)
        loc_rehash(p, p->loc_slots.cap ? p->loc_slots.cap * 2 : 256);
    loc_slot *slots = p->loc_slots.data;
    const ptx_loc *locs = p->locs.data;
    const uint32_t *files = p->loc_files.data;
    for (uint32_t h = loc_hash(p, file, line, column, inlined);; h++) {
        loc_slot *s = &slots[h & (p->loc_slots.cap - 1)];
        if (!s->loc) return s;
        const ptx_loc *l = &locs[s->loc];
        if ((s->last != 0) == (inlined == UINT32_MAX) && files[s->loc] == file && l->line == line &&
            l->column == column && (inlined == UINT32_MAX || l->inlined_at == inlined))
            return s;
    }
}

static uint32_t loc_intern(ptx_parser *p, uint32_t file, uint32_t line, uint32_t column,
                           uint32_t inlined) {
    loc_slot *s = loc_find(p, file, line, column, inlined);
    if (!s->loc) {
        s->loc = (uint32_t)p->locs.count;
        p->loc_slots.count++;
        *(ptx_loc *)ptx_push(p, &p->locs, sizeof(ptx_loc)) =
            (ptx_loc){.line = line, .column = column, .inlined_at = inlined};
        *(uint32_t *)ptx_push(p, &p->loc_files, sizeof file) = file;
    }
    uint32_t loc = s->loc;
    loc_slot *latest = loc_find(p, file, line, column, UINT32_MAX);
    if (!latest->loc) latest->loc = loc, p->loc_slots.count++;
    latest->last = loc;
    latest->epoch = p->loc_epoch;
    return loc;
}

/* .loc 1 23 30, function_name $L__info_string0 + 4, inlined_at 1 24 30 */
void ptx_parse_loc(ptx_parser *p) {
    ptx_next(p);
    uint32_t at[3], call[3], inlined = 0;
    for (int i = 0; i < 3; i++)
        at[i] = (uint32_t)ptx_expect_int(p, "file, line and column of a .loc",
                                         i ? UINT32_MAX : PTX_MAX_FILES);
    while (ptx_accept(p, ',')) {
        ptx_token t = p->tok;
        ptx_name *n = ptx_expect_name(p, "function_name or inlined_at");
        if (!strcmp(n->text, "function_name")) {
            ptx_expect_name(p, "the label of the function's name");
            if (ptx_accept(p, '+')) ptx_expect_int(p, "an offset", UINT64_MAX);
        } else if (!strcmp(n->text, "inlined_at")) {
            for (int i = 0; i < 3; i++)
                call[i] = (uint32_t)ptx_expect_int(p, "file, line and column of inlined_at",
                                                   i ? UINT32_MAX : PTX_MAX_FILES);
            loc_slot *s = loc_find(p, call[0], call[1], call[2], UINT32_MAX);
            inlined = s->loc && s->epoch == p->loc_epoch
                          ? s->last
                          : loc_intern(p, call[0], call[1], call[2], 0);
        } else {
            ptx_fail(p, &t, "expected function_name or inlined_at, found '%s'", n->text);
        }
    }
    p->loc = loc_intern(p, at[0], at[1], at[2], inlined);
}

void ptx_finish_locs(ptx_parser *p) {
    ptx_loc *locs = p->locs.data;
    const uint32_t *file = p->loc_files.data;
    const char **names = p->files.data;
    for (size_t i = 0; i < p->locs.count; i++) {
        const char *name = file[i] < p->files.count ? names[file[i]] : NULL;
        locs[i].file = name ? name : "";
        locs[i].outer = locs[i].inlined_at ? locs[locs[i].inlined_at].outer : (uint32_t)i;
    }
    p->module->locs = ptx_keep(p, &p->locs, sizeof *locs);
    p->module->loc_count = p->locs.count;
}
