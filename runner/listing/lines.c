/* Puts PTX with its counts and machine code together by source line. Finds out what happened to
 * each line on the way, from the numbers of accesses, operations and branches before and after. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/listing/parts.h"
#include "words/listing.h"

/* ---- lines ---- */

static const char *file_name(const char *file, size_t n, size_t *len) {
    const char *slash = memrchr(file, '/', n), *name = slash ? slash + 1 : file;
    *len = n - (size_t)(name - file);
    return name;
}

typedef struct {
    listing *l;
    const listing_kernel *of;
    size_t row; /* of its machine code */
    listing_source *source;
    void *user;
    /* index of the last line found: consecutive instructions often have the same line */
    size_t last;
} joining;

static bool same_place(const listing_line *x, const char *name, size_t n, unsigned line) {
    return x->line == line && strlen(x->file) == n && !memcmp(x->file, name, n);
}

/* Finds a line by its number and the file's name without folders. */
static listing_line *line_of(joining *j, const char *file, size_t n, unsigned line) {
    size_t len;
    const char *name = file_name(file, n, &len);
    listing *l = j->l;
    if (!line) len = 0;
    if (j->last < l->line_count && same_place(&l->lines[j->last], name, len, line))
        return &l->lines[j->last];
    for (size_t i = 0; i < l->line_count; i++)
        if (same_place(&l->lines[i], name, len, line)) return &l->lines[j->last = i];
    if (!lib_grow_one(&l->lines, l->line_count, sizeof *l->lines)) abort();
    char *whole = lib_format("%.*s", (int)n, file),
         *text = line && j->source ? j->source(j->user, whole, line) : NULL;
    free(whole);
    j->last = l->line_count++;
    l->lines[j->last] = (listing_line){.file = lib_format("%.*s", (int)len, name),
                                       .line = line,
                                       .source = text ? text : lib_strdup("")};
    return &l->lines[j->last];
}

static void add_ptx(joining *j, const listing_unit *u, const sim_ptx_count *c) {
    listing_line *to = line_of(j, c->file, strlen(c->file), c->line);
    const char *s =
        c->ptx_line && c->ptx_line <= u->ptx_line_count ? u->ptx_lines[c->ptx_line - 1] : "";
    s += strspn(s, " \t");
    size_t n = strcspn(s, "\n;");
    char *text = lib_format("%.*s", (int)n, s);
    for (char *t = text; *t; t++)
        if (*t == '\t' || *t == '\r') *t = ' ';
    if (!lib_grow_one(&to->ptx, to->ptx_count, sizeof *to->ptx)) abort();
    to->ptx[to->ptx_count++] = (listing_ptx){text, c->warps, c->lanes};
    j->l->ptx_count++;
}

static void add_machine(void *user, const char *file, size_t n, unsigned line, unsigned at,
                        const char *text) {
    joining *j = user;
    listing_line *to = line_of(j, file, n, line);
    if (!lib_grow_one(&to->machine, to->machine_count, sizeof *to->machine)) abort();
    listing_machine *m = &to->machine[to->machine_count++];
    *m = (listing_machine){.at = at, .text = lib_strdup(text)};
    while (j->row < j->of->machine_count && j->of->machine[j->row].at < at) j->row++;
    if (j->row < j->of->machine_count && j->of->machine[j->row].at == at) {
        m->warps = j->of->machine[j->row].warps;
        memcpy(m->cycles, j->of->machine[j->row].cycles, sizeof m->cycles);
    }
    j->l->machine_count++;
}

static int by_place(const void *a, const void *b) {
    const listing_line *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

/* ---- what was done to a line ---- */

typedef struct {
    unsigned accesses, bytes; /* global and shared memory */
    unsigned operations;      /* single precision */
    unsigned sequences;       /* divisions and others that the assembler expands */
    unsigned branches;        /* with a predicate */
    unsigned exits, predicated;
} tally;

/* ".v4.f32" -> 16 */
static unsigned ptx_bytes(const char *s, size_t n) {
    unsigned vector = 1, bits = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        if (s[i] != '.') continue;
        if (s[i + 1] == 'v' && isdigit((unsigned char)s[i + 2]))
            vector = (unsigned)strtoul(s + i + 2, NULL, 10);
        else if (strchr("busf", s[i + 1]) && isdigit((unsigned char)s[i + 2]))
            bits = (unsigned)strtoul(s + i + 2, NULL, 10);
    }
    return vector * bits / 8;
}

static void tally_ptx(tally *t, const char *s) {
    bool guarded = *s == '@';
    if (guarded) s += strcspn(s, " "), s += strspn(s, " ");
    size_t n = strcspn(s, " ");
    if (!strncmp(s, "bra", 3)) t->branches += guarded;
    if (!strncmp(s, "ld.global", 9) || !strncmp(s, "st.global", 9) || !strncmp(s, "ld.shared", 9) ||
        !strncmp(s, "st.shared", 9)) {
        t->accesses++;
        t->bytes += ptx_bytes(s, n);
    }
    static const char *const operations[] = {"add", "sub", "mul", "fma", "mad"},
                             *const sequences[] = {"div", "rem", "rcp", "sqrt", "rsqrt", "ex2",
                                                   "lg2", "sin", "cos", "tanh", "call"};
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        t->sequences += !strncmp(s, sequences[i], strlen(sequences[i]));
    bool single = n > 4 && !strncmp(s + n - 4, ".f32", 4);
    for (size_t i = 0; single && i < sizeof operations / sizeof *operations; i++)
        t->operations += !strncmp(s, operations[i], 3);
}

/* "LDG.E.128.CONSTANT" -> 16 */
static unsigned machine_bytes(const char *s, size_t n) {
    for (size_t i = 0; i + 2 < n; i++) {
        if (s[i] != '.') continue;
        if (!strncmp(s + i, ".128", 4)) return 16;
        if (!strncmp(s + i, ".64", 3)) return 8;
        if (!strncmp(s + i, ".U16", 4) || !strncmp(s + i, ".S16", 4)) return 2;
        if (!strncmp(s + i, ".U8", 3) || !strncmp(s + i, ".S8", 3)) return 1;
    }
    return 4;
}

static void tally_machine(tally *t, const char *s) {
    bool guarded = *s == '@';
    if (guarded) s += strcspn(s, " "), s += strspn(s, " ");
    size_t n = strcspn(s, " ");
    if (!strncmp(s, "BRA", 3)) t->branches += guarded;
    else if (!strncmp(s, "EXIT", 4)) t->exits += guarded;
    else t->predicated += guarded;
    if (n >= 3 && (!strncmp(s, "LDG", 3) || !strncmp(s, "STG", 3) || !strncmp(s, "LDS", 3) ||
                   !strncmp(s, "STS", 3))) {
        t->accesses++;
        t->bytes += machine_bytes(s, n);
    }
    t->operations +=
        n >= 4 && (!strncmp(s, "FADD", 4) || !strncmp(s, "FMUL", 4) || !strncmp(s, "FFMA", 4));
}

static void note(listing_line *x, listing_note_kind kind, unsigned before, unsigned after) {
    if (x->note_count < LISTING_LINE_NOTES)
        x->notes[x->note_count++] = (listing_note){kind, before, after};
}

/* Counts the elements that the source line names. */
static unsigned brackets(const char *s) {
    unsigned n = 0;
    for (; *s && strncmp(s, "//", 2) != 0; s++) n += *s == '[';
    return n;
}

static void note_line(listing_line *x, bool machine) {
    tally p = {0}, m = {0};
    for (size_t i = 0; i < x->ptx_count; i++) tally_ptx(&p, x->ptx[i].text);
    for (size_t i = 0; i < x->machine_count; i++) tally_machine(&m, x->machine[i].text);
    unsigned written = brackets(x->source);
    if (written && p.accesses >= 2 * written) note(x, LISTING_BY_NVCC, written, p.accesses);
    if (!machine || !x->ptx_count || !x->line) return;
    if (!x->machine_count) {
        note(x, LISTING_GONE, (unsigned)x->ptx_count, 0);
        return;
    }
    bool gone = p.branches && !m.branches;
    if (gone && m.exits) note(x, LISTING_EXIT, 0, 0);
    if (gone && (m.predicated || !m.exits)) note(x, LISTING_PREDICATED, 0, 0);
    if (p.accesses && m.bytes >= 2 * p.bytes && m.accesses > p.accesses)
        note(x, LISTING_UNROLLED, p.accesses, m.accesses);
    else if (!p.accesses && !p.sequences && p.operations && m.operations >= 2 * p.operations)
        note(x, LISTING_UNROLLED, p.operations, m.operations);
    else if (m.accesses < p.accesses)
        note(x, m.bytes >= p.bytes ? LISTING_JOINED : LISTING_FEWER, p.accesses, m.accesses);
}

/* ---- all ---- */

unsigned listing_waits(const listing_machine *m, listing_wait to[SIM_STALL_COUNT], double *sum) {
    unsigned n = 0;
    *sum = 0;
    for (unsigned k = 0; m->warps && k < SIM_STALL_COUNT; k++) {
        double cycles = m->cycles[k] / (double)m->warps;
        if (k == SIM_STALL_SELECTED || k == SIM_STALL_WAIT) continue;
        *sum += cycles;
        if (cycles < 0.5) continue;
        unsigned at = n++;
        for (; at && to[at - 1].cycles < cycles; at--) to[at] = to[at - 1];
        to[at] = (listing_wait){(sim_stall)k, cycles};
    }
    return n;
}

listing *listing_of(const listing_code *c, const listing_kernel *k, listing_source *source,
                    void *user) {
    const listing_unit *u = listing_unit_of(c, k->name);
    if (!u) return NULL;
    listing *l = lib_malloc(sizeof *l);
    *l = (listing){.kernel = lib_strdup(k->kernel), .arch = c->arch};
    joining j = {.l = l, .of = k, .source = source, .user = user};
    for (size_t i = 0; i < k->ptx_count; i++) add_ptx(&j, u, &k->ptx[i]);
    listing_each(u->machine, k->name, add_machine, &j);
    l->counted = k->machine && l->machine_count > 0;
    if (l->machine_count && !k->machine)
        lib_message_set(&l->why, k->machine_why      ? lib_message_words(k->machine_why)
                                 : sim_machine_off() ? w_listing_machine_off()
                                                     : w_listing_machine_none());
    if (l->line_count) qsort(l->lines, l->line_count, sizeof *l->lines, by_place);
    for (size_t i = 0; i < l->line_count; i++) note_line(&l->lines[i], l->machine_count > 0);
    return l;
}

void listing_free(listing *l) {
    if (!l) return;
    for (size_t i = 0; i < l->line_count; i++) {
        listing_line *x = &l->lines[i];
        for (size_t k = 0; k < x->ptx_count; k++) free(x->ptx[k].text);
        for (size_t k = 0; k < x->machine_count; k++) free(x->machine[k].text);
        free(x->ptx);
        free(x->machine);
        free(x->file);
        free(x->source);
    }
    free(l->lines);
    free(l->kernel);
    free(l);
}

void listing_add(sim_ptx_count *to, size_t n, const sim_ptx_count *from, size_t count) {
    if (n != count) return;
    for (size_t i = 0; i < n; i++) {
        if (to[i].ptx_line != from[i].ptx_line) return;
        to[i].warps += from[i].warps;
        to[i].lanes += from[i].lanes;
    }
}
