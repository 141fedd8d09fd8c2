/* See tap.h. A block's lines stay in memory until all of its warps have ended, because the number
 * of a warp's lines precedes them. */
#include "runner/device/sim/tap/tap.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/device/sim/exec/lanes.h"
#include "words/tap.h"

/* Shared by the whole process: N of the next file, and the bytes that all files together may still
 * have. */
static struct {
    const char *folder;
    uint64_t number, bytes;
} into;
enum { MOST_BYTES = 1 << 30 };

void sim_tap_into(const char *folder) {
    into.folder = folder;
    into.number = 1;
    into.bytes = MOST_BYTES;
}

bool sim_tap_wanted(void) {
    return into.folder != NULL;
}

enum { PREDICATES = 7, SOURCES = 4, TEXT = 160, NAME = 24 };

/* A machine instruction: the part of its lines after the mask. */
typedef struct {
    char text[TEXT];
    uint8_t bytes;  /* bytes of a lane, for memory that has an address; 0: none */
    bool copies;    /* its access is asynchronous: the address is the second operand's */
    int64_t offset; /* the offset of that operand */
} tap_insn;

typedef struct {
    lib_buffer lines;
    uint64_t count;
    uint32_t pending,
        mask; /* pending: 1 + the instruction whose addresses are not known yet; 0: none */
} tap_warp;

struct sim_tap {
    sim_tap_about about;
    FILE *to;
    char path[4096];
    uint64_t written;
    lib_word_id failed;
    tap_insn *insns;
    sim_opnd guard[2][PREDICATES]; /* guard predicates: of P, of UP */
    tap_warp *warps;
    unsigned warp_count;
};

/* ---- an instruction's text ---- */

static void append(char text[TEXT], const char *what, unsigned n) {
    size_t used = strlen(text);
    snprintf(text + used, TEXT - used, what, n);
}

static void registers_of(const sass_insn *i, char text[TEXT]) {
    uint8_t source[SOURCES];
    unsigned sources = 0;
    const sass_opnd *to = NULL;
    for (unsigned k = 0; k < i->opnd_count; k++) {
        const sass_opnd *o = &i->opnd[k];
        bool memory = o->kind == SASS_OPND_MEM && o->base.reg != SASS_NONE;
        if (o->kind == SASS_OPND_REG && o->role == SASS_DEF) to = to ? to : o;
        else if ((o->kind == SASS_OPND_REG || memory) && sources < SOURCES)
            source[sources++] = memory ? o->base.reg : o->reg;
    }
    if (to) append(text, "1 R%u ", to->reg);
    else append(text, "0 ", 0);
    size_t used = strlen(text);
    snprintf(text + used, TEXT - used, "%s%s", sass_row_of((sass_op)i->op)->name, i->mods);
    append(text, " %u ", sources);
    for (unsigned k = 0; k < sources; k++) append(text, "R%u ", source[k]);
}

static void describe(const sass_insn *i, tap_insn *to) {
    sass_access access[2];
    unsigned n = sass_accesses(i, access);
    registers_of(i, to->text);
    for (unsigned k = 0; k < n; k++) {
        bool told = access[k].space == SASS_GLOBAL || access[k].space == SASS_SHARED ||
                    access[k].space == SASS_LOCAL || access[k].space == SASS_GENERIC;
        if (!told || (n == 2 && access[k].writes)) continue;
        to->bytes = access[k].bytes;
        to->copies = n == 2;
        to->offset = i->opnd[access[k].opnd].imm;
    }
}

/* ---- the file ---- */

static void tap_fail(sim_tap *t, lib_word_id why) {
    if (!t->failed) t->failed = why;
}

static void written(sim_tap *t, int n) {
    if (n < 0) tap_fail(t, W_TAP_CANNOT_WRITE);
    else t->written += (uint64_t)n;
    if (t->written > into.bytes) tap_fail(t, W_TAP_TOO_LARGE);
}

static void head(sim_tap *t) {
    const sim_tap_about *a = &t->about;
    written(t, fprintf(t->to,
                       "-kernel name = %s\n-kernel id = %llu\n-grid dim = (%u,%u,%u)\n"
                       "-block dim = (%u,%u,%u)\n-shmem = %llu\n-nregs = %u\n-binary version = %u\n"
                       "-cuda stream id = 0\n-shmem base_addr = 0x0000000000000000\n"
                       "-local mem base_addr = 0x0000000000000000\n-nvbit version = none\n"
                       "-accelsim tracer version = 5\n-enable lineinfo = 0\n\n"
                       "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
                       "mem_width [adrrescompress?] [mem_addresses] immediate\n",
                       a->code->name, (unsigned long long)into.number, a->grid[0], a->grid[1],
                       a->grid[2], a->block[0], a->block[1], a->block[2],
                       (unsigned long long)a->shared, a->registers, a->arch));
}

/* Finds the slots of %p0, %h0 and so on, which the text declares. */
static void find_guards(sim_tap *t) {
    const ptx_func *f = t->about.ptx->ptx;
    for (unsigned k = 0; k < 2 * PREDICATES; k++) {
        char name[NAME];
        snprintf(name, sizeof name, "%%%c%u", k < PREDICATES ? 'p' : 'h', k % PREDICATES);
        sim_opnd *to = &t->guard[k / PREDICATES][k % PREDICATES];
        *to = SIM_NO_SLOT;
        for (size_t r = 0; r < f->reg_count; r++)
            if (f->reg_name[r] && !strcmp(f->reg_name[r], name)) *to = t->about.ptx->reg_at[r];
    }
}

static void tap_free(sim_tap *t) {
    for (unsigned k = 0; k < t->warp_count; k++) lib_buffer_free(&t->warps[k].lines);
    free(t->warps);
    free(t->insns);
    free(t);
}

sim_tap *sim_tap_open(const sim_tap_about *about) {
    sim_tap *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->about = *about;
    t->warp_count =
        (about->block[0] * about->block[1] * about->block[2] + SIM_WARP_LANES - 1) / SIM_WARP_LANES;
    t->warps = calloc(t->warp_count + 1, sizeof *t->warps);
    t->insns = calloc(about->code->insn_count + 1, sizeof *t->insns);
    snprintf(t->path, sizeof t->path, "%s/kernel-%llu.traceg", into.folder,
             (unsigned long long)into.number);
    t->to = t->warps && t->insns ? fopen(t->path, "we") : NULL;
    if (!t->to) {
        tap_free(t);
        return NULL;
    }
    for (uint32_t k = 0; k < about->code->insn_count; k++)
        describe(&about->code->insns[k], &t->insns[k]);
    find_guards(t);
    head(t);
    return t;
}

static void add_to_list(sim_tap *t) {
    char path[sizeof t->path];
    snprintf(path, sizeof path, "%s/kernelslist.g", into.folder);
    FILE *list = fopen(path, "ae");
    bool ok = list && fprintf(list, "kernel-%llu.traceg\n", (unsigned long long)into.number) > 0;
    if (list && fclose(list)) ok = false;
    if (!ok) tap_fail(t, W_TAP_CANNOT_WRITE);
}

lib_word_id sim_tap_failed(const sim_tap *t) {
    return t->failed;
}

bool sim_tap_close(sim_tap *t, bool keep) {
    if (fclose(t->to)) tap_fail(t, W_TAP_CANNOT_WRITE);
    if (keep && !t->failed) add_to_list(t);
    bool there = keep && !t->failed;
    if (!there) unlink(t->path);
    into.number += there;
    if (there) into.bytes -= t->written;
    tap_free(t);
    return there;
}

/* ---- lines ---- */

static void put_addresses(lib_buffer *b, uint32_t mask, const uint64_t at[SIM_WARP_LANES]) {
    unsigned first = mask ? (unsigned)__builtin_ctz(mask) : 0,
             count = (unsigned)__builtin_popcount(mask);
    uint64_t run = count < 32 ? ((uint64_t)1 << count) - 1 : UINT32_MAX;
    bool even = count > 1 && (uint64_t)mask >> first == run;
    int64_t step = even ? (int64_t)(at[first + 1] - at[first]) : 0;
    for (unsigned l = first + 1; even && l < first + count; l++)
        even = (int64_t)(at[l] - at[l - 1]) == step;
    if (even && step == (int32_t)step) {
        lib_buffer_printf(b, "1 0x%llx %lld ", (unsigned long long)at[first], (long long)step);
        return;
    }
    lib_buffer_puts(b, "0 ");
    for (uint32_t m = mask; m; m &= m - 1)
        lib_buffer_printf(b, "0x%llx ", (unsigned long long)at[__builtin_ctz(m)]);
}

static void line(sim_tap *t, tap_warp *to, uint32_t insn, uint32_t mask, const uint64_t *at) {
    const tap_insn *i = &t->insns[insn];
    lib_buffer_printf(&to->lines, "%04x %08x %s", t->about.code->insns[insn].address, mask,
                      i->text);
    lib_buffer_printf(&to->lines, "%u ", at ? i->bytes : 0);
    if (at) put_addresses(&to->lines, mask, at);
    lib_buffer_puts(&to->lines, "0\n");
    to->count++;
    if (to->lines.failed) tap_fail(t, W_TAP_NO_MEMORY);
    if (t->written + to->lines.n > into.bytes) tap_fail(t, W_TAP_TOO_LARGE);
}

/* Ends an instruction whose access did not come: all its lanes were off. */
static void finish(sim_tap *t, tap_warp *to) {
    static const uint64_t none[SIM_WARP_LANES];
    if (to->pending) line(t, to, to->pending - 1, 0, none);
    to->pending = 0;
}

static uint32_t lanes_of(const sim_tap *t, const sim_warp *w, const sass_insn *i) {
    if (i->guard == SASS_PT) return i->guard_not ? 0 : w->mask;
    sim_opnd at = t->guard[i->guard_uniform][i->guard % PREDICATES];
    if (at == SIM_NO_SLOT) return w->mask;
    return w->mask & (i->guard_not ? ~PRED(at) : PRED(at));
}

void sim_tap_until(sim_tap *t, const sim_warp *w, uint32_t *at, uint32_t end) {
    const time_machine_map *m = t->about.map;
    tap_warp *to = &t->warps[w->index];
    for (; *at < end && *at < m->pcs; ++*at) {
        if (m->before[*at + 1] == m->before[*at] || t->failed) continue;
        uint32_t insn = m->machine[m->before[*at]],
                 mask = lanes_of(t, w, &t->about.code->insns[insn]);
        finish(t, to);
        if (t->insns[insn].bytes) to->pending = insn + 1, to->mask = mask;
        else line(t, to, insn, mask, NULL);
    }
}

void sim_tap_access(sim_tap *t, const sim_warp *w, const sim_insn *i, uint32_t on) {
    tap_warp *to = &t->warps[w->index];
    uint32_t pc = (uint32_t)(i->ptx - t->about.ptx->ptx->insns);
    if (!to->pending || t->failed || t->about.map->event[pc] != to->pending) return;
    const tap_insn *n = &t->insns[to->pending - 1];
    bool wide =
        n->copies || i->site->space == SIM_SPACE_GLOBAL || i->site->space == SIM_SPACE_GENERIC;
    sim_opnd from = n->copies ? i->b : i->a;
    uint64_t at[SIM_WARP_LANES];
    for (unsigned l = 0; l < SIM_WARP_LANES; l++)
        at[l] = (n->copies ? (uint64_t)n->offset : i->offset) +
                (wide ? LANES(const uint64_t, from)[l] : LANES(const uint32_t, from)[l]);
    line(t, to, to->pending - 1, on, at);
    to->pending = 0;
}

/* ---- blocks ---- */

void sim_tap_begin(sim_tap *t, const sim_block *b) {
    (void)b;
    for (unsigned k = 0; k < t->warp_count; k++) {
        lib_buffer_free(&t->warps[k].lines);
        t->warps[k] = (tap_warp){0};
    }
}

void sim_tap_end(sim_tap *t, const sim_block *b) {
    const unsigned *g = t->about.grid;
    unsigned long long n = b->linear;
    if (t->failed) return;
    written(t, fprintf(t->to, "\n#BEGIN_TB\n\nthread block = %llu,%llu,%llu\n", n % g[0],
                       n / g[0] % g[1], n / g[0] / g[1]));
    for (unsigned k = 0; k < t->warp_count && !t->failed; k++) {
        tap_warp *x = &t->warps[k];
        finish(t, x);
        written(t, fprintf(t->to, "\nwarp = %u\ninsts = %llu\n%s", k, (unsigned long long)x->count,
                           x->lines.s ? x->lines.s : ""));
    }
    written(t, fprintf(t->to, "\n#END_TB\n"));
}
