/* What kernels are decoded to, whole: each step with its operands, each memory site, each segment,
 * the layout of frames, parameters and shared memory, as machine/image.h and the handlers' comments
 * describe them.
 *
 * What is expected is derived by hand, not taken from output: from the PTX text by the rules below,
 * the headers (image.h, state.h, call.h, access.h, memory.h, ptx.h), the tables (ops.def, mods.def,
 * lane/) and the PTX ISA; refusals are in the decoder's own words. Where the rules leave two ways
 * open, either will do (or); where they leave it to the decoder which steps make a result, the
 * steps are executed and the registers compared (values).
 *
 * How a line is read; what is 0 is left out:
 *
 *   ld.b64           the row of the handlers' tables; *: a handler of decode's own; end: of a
 *                    segment, without one
 *   d= a= b= c= e=   operands: %r1 a register's slot (%q1^: the high half of it), carry, sink,
 *                    t0 t1 temporaries as lines come to them; 0x7 a constant of 32 bits or a
 *                    predicate, 0x7L one of 64; [8:4] parameter bytes (s: sign-extended); ntid.x;
 *                    shared+4 in a cluster; - none. e= is a mask of lanes: none in the text, the
 *                    whole warp
 *   imm= +0x8        as the handler's comment says (modes count from 1 in the order of mods.def),
 *                    and an offset
 *   (global ld 4x2/8 sext): %r1, %r2    a site: elements, bytes of a register, SIM_SITE_ flags;
 *                                       their registers
 *   slots=12         kinds of d, a, b, c and (and=) of a second result, from the low end: 1
 *                    predicate, 2 of 32 bits, 3 of 64
 *   @!%p1 #2         its guard, the number under which its lanes are counted: once an instruction
 *
 * Frames: 64 bytes for the carry, 256 for the sink, then registers in the order in which the text
 * names them. Variables of shared memory lie in the order in which the code names them, each
 * aligned. zero carry:64: a slot that starts as zero, and its bytes; unset %r1:4: a register that
 * may be read before it is set, and the bytes of its type (0: a predicate). */
#include "check.h"
#include "tests/said.h"
#include "runner/base/message.h"
#include "runner/device/sim/decode/decode.h"
#include "runner/device/sim/exec/exec.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/module/module.h"
#include "runner/device/sim/special/call.h"
#include <stdarg.h>
#include <stdlib.h>

static sim_device *d;
static char out[1 << 14];
static size_t len;
static uint32_t temps[16]; /* temporaries said so far: their places */
static unsigned temp_count;

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    len += (size_t)vsnprintf(out + len, sizeof out - len, fmt, ap);
    va_end(ap);
}

/* ---- one step ---- */

/* In the order of the enumeration in machine/image.h. */
/* clang-format off */
static const char *const block_slots[SIM_BS_COUNT] = {
    "ntid.x", "ntid.y", "ntid.z", "nctaid.x", "nctaid.y", "nctaid.z", "ctaid.x", "ctaid.y",
    "ctaid.z", "laneid", "nwarpid", "smid", "nsmid", "lanemask_eq", "lanemask_le", "lanemask_lt",
    "lanemask_ge", "lanemask_gt", "dynamic_smem", "total_smem", "aggr_smem", "reserved.begin",
    "reserved.end", "reserved.cap", "reserved.1",
    "envreg1", "envreg2", "gridid", "gridid.high",
    "clusterid.x", "clusterid.y", "clusterid.z", "nclusterid.x", "nclusterid.y", "nclusterid.z",
    "cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z", "cluster_nctaid.x",
    "cluster_nctaid.y", "cluster_nctaid.z", "cluster_ctarank", "cluster_nctarank",
    "explicit_cluster",
};
/* clang-format on */

/* The end of the registers in a frame: where temporaries begin. */
static uint32_t registers_end(const sim_func *f) {
    uint32_t end = 64 + 256; /* the carry and the sink are first */
    for (size_t r = 0; r < f->ptx->reg_count; r++) {
        unsigned type = f->ptx->reg_type[r], size = ptx_type_size(type);
        uint32_t bytes = type == PTX_PRED ? 64 : size > 4 ? 32 * size : 128;
        if ((f->reg_at[r] & 3) == SIM_BASE_REGS && (f->reg_at[r] >> 2) + bytes > end)
            end = (f->reg_at[r] >> 2) + bytes;
    }
    return end;
}

static void say_register(const sim_func *f, uint32_t at) {
    for (size_t r = 0; r < f->ptx->reg_count; r++) {
        if ((f->reg_at[r] & 3) != SIM_BASE_REGS) continue;
        if (f->reg_at[r] >> 2 == at) say("%s", f->ptx->reg_name[r]);
        else if (ptx_type_size(f->ptx->reg_type[r]) == 16 && (f->reg_at[r] >> 2) + 256 == at)
            say("%s^", f->ptx->reg_name[r]);
        else continue;
        return;
    }
    if (at < 320 || at < registers_end(f)) {
        say(at == 0 ? "carry" : at == 64 ? "sink" : "?%u", at);
        return;
    }
    unsigned k = 0;
    while (k < temp_count && temps[k] != at) k++;
    if (k == temp_count && k < 16) temps[temp_count++] = at;
    say("t%u", k);
}

/* All lanes have it. */
static void say_constant(const sim_image *im, uint32_t at) {
    uint32_t w[64] = {0};
    size_t n = im->pool_bytes - at < sizeof w ? im->pool_bytes - at : sizeof w;
    memcpy(w, im->pool + at, n);
    bool narrow = true, wide = n == sizeof w;
    for (unsigned k = 0; k < 16; k++) narrow &= w[k] == w[0];
    for (unsigned k = 0; k < 32; k++) wide &= w[2 * k] == w[0] && w[2 * k + 1] == w[1];
    if (narrow) say("0x%x", w[0]);
    else if (wide) say("0x%llxL", (unsigned long long)w[1] << 32 | w[0]);
    else say("?");
}

static void say_block(const sim_image *im, uint32_t at) {
    if (at < SIM_BS_COUNT * 128) {
        const char *name = at % 128 ? NULL : block_slots[at / 128];
        say("%s", name ? name : "?");
        return;
    }
    for (size_t k = 0; k < im->param_count; k++)
        if (im->params[k].at == at) {
            say("[%u:%u%s]", im->params[k].offset, im->params[k].bytes,
                im->params[k].sext ? "s" : "");
            return;
        }
    for (size_t k = 0; k < im->shared_slot_count; k++)
        if (im->shared_slots[k].at == at) {
            say("shared+%llu", (unsigned long long)im->shared_slots[k].address);
            return;
        }
    say("?");
}

static void say_operand(const sim_func *f, sim_opnd o) {
    static const char *const warp[] = {"tid.x", "tid.y", "tid.z", "warpid"};
    if (o == SIM_NO_SLOT) say("-");
    else if ((o & 3) == SIM_BASE_REGS) say_register(f, o >> 2);
    else if ((o & 3) == SIM_BASE_POOL) say_constant(f->image, o >> 2);
    else if ((o & 3) == SIM_BASE_BLOCK) say_block(f->image, o >> 2);
    else say("%s", (o >> 2) % 128 || o >> 2 >= 512 ? "?" : warp[o >> 9]);
}

static void say_site(const sim_site *s) {
    static const char *const spaces[] = {"generic", "global", "shared", "local", "const"},
                             *const kinds[] = {"ld", "st", "atom", "tex"},
                             *const flags[] = {"sext",     "L2",      "strong",
                                               "acquire",  "release", "no_init",
                                               "volatile", "cluster", "bulk"};
    say(" (%s %s %ux%u/%u", spaces[s->space], kinds[s->kind], s->elem, s->vec, s->reg);
    for (unsigned k = 0; k < 9; k++)
        if (s->flags >> k & 1) say(" %s", flags[k]);
    say(")");
}

static void say_list(const sim_func *f, const char *name, const sim_opnd *o, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        say("%s", k ? ", " : name);
        say_operand(f, o[k]);
    }
}

/* ---- whole modules: frames, calls, shared memory ---- */

static void say_call(const sim_func *f, const ptx_insn *p, const sim_call_info *c) {
    static const char *const areas[] = {"call", "param", "ret", "kernel"};
    for (unsigned k = 0; k < p->nopnds; k++)
        if (p->opnd[k].kind == PTX_OPND_FUNC && c->callee && c->callee->ptx != p->opnd[k].func)
            say(" callee?");
    for (unsigned n = 0; n < c->nargs + c->nrets; n++) {
        const sim_call_opnd *o = n < c->nargs ? &c->args[n] : &c->rets[n - c->nargs];
        say("%s", n == c->nargs ? " ->" : "");
        if (o->area == SIM_CALL_VALUE) {
            say(" ");
            say_operand(f, o->value);
            say(":%u", o->bytes);
        } else say(" %s+%u:%u", areas[o->area], o->at, o->bytes);
    }
}
static void say_insn(const sim_func *f, const sim_insn *i) {
    bool guarded = i->inner[0] != NULL;
    sim_exec_fn *const *fn = guarded ? i->inner : i->fn;
    unsigned family;
    size_t at;
    const sim_exec_row *r = fn[0] ? sim_exec_row_of(d->isa, fn[0], &family, &at) : NULL;
    if (r)
        say("%s%s%s", ptx_op_get(r->op)->mnemonic, r->t0 ? ptx_type_text(r->t0) : "",
            r->t1 ? ptx_type_text(r->t1) : "");
    else say(fn[0] ? "*" : "end");
    if (r && (fn[0] != r->fn[0] || fn[1] != r->fn[1])) say("?");
    /* a parameter's load or store in a function: b, c and e are numbers */
    bool area = !r && fn[0] && i->ptx->space == PTX_SPACE_PARAM &&
                (i->ptx->op == PTX_OP_ld || i->ptx->op == PTX_OP_st);
    const sim_opnd o[] = {i->d, i->a, i->b, i->c, i->e};
    for (unsigned k = 0; k < (area ? 2 : 5); k++) {
        if (!o[k]) continue;
        say(" %c=", "dabce"[k]);
        say_operand(f, o[k]);
    }
    static const char *const areas[] = {"call", "param", "ret"};
    if (area) say(" %s%s /%u", areas[i->b], i->c ? " sext" : "", i->e);
    if (i->imm) say(" imm=%u", i->imm);
    if (i->slots) { /* of d, a, b, c, and of the second destination in `offset` */
        say(" slots=%x", i->slots);
        if (i->slots >> 16) say(" and="), say_operand(f, (sim_opnd)i->offset);
    } else if (i->offset == SIM_NO_SLOT) say(" +none");
    else if (i->offset - d->param_block < 4096)
        say(" +params+%u", (unsigned)(i->offset - d->param_block));
    else if (i->offset) say(" +0x%llx", (unsigned long long)i->offset);
    if (i->site) say_site(i->site);
    if (i->site && (i->site->ptx_line != i->ptx->ptx_line || i->site->loc != i->ptx->loc)) say("?");
    if (i->site && i->aux && i->site->kind == SIM_ACCESS_ATOM) {
        const sim_atom_info *a = i->aux;
        static const char *const ops[] = {[PTX_ATOM_add] = "add",
                                          [PTX_ATOM_min] = "min",
                                          [PTX_ATOM_cas] = "cas",
                                          [PTX_ATOM_exch] = "exch"};
        say(" %s%s %ux%u", ops[a->op], ptx_type_text(a->type), a->bytes, a->vec);
        say_list(f, " b: ", a->b, a->vec);
        say_list(f, " d: ", a->d, a->vec);
    } else if (i->site && i->aux) say_list(f, ": ", i->aux, i->site->vec);
    if (i->guard_xor || i->guard) {
        say(" @%s", i->guard_xor ? "!" : "");
        say_operand(f, i->guard);
    }
    if (i->ptx && i->ptx->op == PTX_OP_call) say_call(f, i->ptx, i->aux);
    if (i->guard_id) say(" #%u", i->guard_id);
    if (i->guard_id && f->guard_of[i->ptx - f->ptx->insns] != i->guard_id) say("?");
    say("\n");
}

/* ---- segments ---- */

/* Lanes may go on at `next`: not behind a jump or an end that is for all of them. */
static bool goes_on(const sim_seg *s) {
    return s->guarded || (s->end != SIM_END_BRA && s->end != SIM_END_BRX && s->end != SIM_END_RET &&
                          s->end != SIM_END_EXIT && s->end != SIM_END_TRAP);
}
/* A loop of one segment whose lanes never wait for others goes round by itself. */
static bool goes_round(const sim_func *f, const sim_seg *s) {
    return s->end == SIM_END_CBRA && &f->segs[s->target] == s && s->guarded && !s->spin;
}
/* ptx.h: all but branches that go back lead on in the order. */
static bool in_order(const sim_func *f) {
    for (uint32_t k = 0; k < f->seg_count; k++) {
        const sim_seg *s = &f->segs[k];
        for (uint32_t j = 0; j < k; j++)
            if (f->segs[j].order == s->order) return false;
        bool jumps = s->end == SIM_END_BRA || s->end == SIM_END_CBRA;
        if (s->round != goes_round(f, s) || s->order >= f->seg_count ||
            (goes_on(s) && f->segs[s->next].order <= s->order) ||
            (jumps && (f->segs[s->target].order <= s->order) != s->back))
            return false;
    }
    return true;
}

static void say_segments(const sim_func *f) {
    static const char *const ends[] = {"fall", "bra", "cbra",    "brx",  "call",  "ret", "exit",
                                       "trap", "bar", "cluster", "sync", "yield", "poll"};
    for (uint32_t k = 0; k < f->seg_count; k++) {
        const sim_seg *s = &f->segs[k];
        say("%u: %u+%u of %u+%u %s", k, s->first, s->count, s->ptx_first, s->ptx_count,
            ends[s->end]);
        if (goes_on(s)) say(" next %u", s->next);
        if (s->end == SIM_END_BRA || s->end == SIM_END_CBRA) say(" target %u", s->target);
        if (s->end == SIM_END_BRX) {
            const sim_targets *t = f->insns[s->first + s->count].aux;
            for (uint32_t i = 0; i < t->count; i++) say(" [%u]", t->seg[i]);
        }
        /* only of branches that some lanes may take (run/count.c) */
        bool machine = s->machine && s->end == SIM_END_CBRA;
        say("%s%s%s%s%s%s\n", s->guarded ? " guarded" : "", s->spin ? " spin" : "",
            s->polls ? " polls" : "", s->back ? " back" : "", s->acts ? " acts" : "",
            machine ? " machine" : "");
    }
    if (!in_order(f)) say("order?\n");
}

/* ---- what steps make of registers ---- */

/* At first register n holds n times a pattern of its type in lanes 0, 2, ..., the pattern itself in
 * the others; %d6 addresses. */
static uint64_t first_value(const char *name, unsigned lane, bool high) {
    static const uint64_t addresses[8] = {SIM_DEV_BASE(0) + 64,
                                          SIM_SHARED_WINDOW + 8,
                                          SIM_SHARED_WINDOW + 8 + (1u << SIM_RANK_SHIFT),
                                          SIM_LOCAL_WINDOW + 8,
                                          SIM_CONST_WINDOW(0) + 0x100000,
                                          4096,
                                          SIM_DEV_BASE(0) + 128,
                                          4104};
    uint64_t n = lane % 2 ? 1 : strtoull(name + 2, NULL, 10);
    float single = (float)n;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    switch (name[1]) {
    case 'h': return n * 0x0123;
    case 'r': return n * 0x01234567;
    case 'f': return bits;
    case 'd': return strcmp(name, "%d6") ? n * 0x0123456789abcdef : addresses[lane % 8];
    default: return n * (high ? 0x1122334455667788 : 0x0123456789abcdef);
    }
}
static const uint32_t first_predicates[] = {0, 0xffff0000, 0xff00ff00, 0xf0f0f0f0, 0xcccccccc};

/* " %r1=VALUE:LANES,VALUE:LANES" in the order of their first lanes; without lanes: of all. */
static void say_lanes(const char *name, const uint64_t *v) {
    say(" %s", name);
    for (uint32_t left = SIM_ALL_LANES; left;) {
        uint64_t first = v[__builtin_ctz(left)];
        uint32_t same = 0;
        for (unsigned l = 0; l < 32; l++) same |= (uint32_t)(v[l] == first) << l;
        say("%s%llx", left == SIM_ALL_LANES ? "=" : ",", (unsigned long long)first);
        if (same != SIM_ALL_LANES) say(":%08x", same);
        left &= ~same;
    }
}
/* Executes the steps, as block 0 of a cluster of two would; says what registers they changed. */
static void say_values(const sim_func *f) {
    static uint8_t frame[1 << 14] __attribute__((aligned(64)));
    static uint64_t guards[16];
    static sim_cluster pair = {.size = 2};
    static sim_run_state run;
    static sim_block block = {.cluster = &pair, .run = &run};
    static sim_worker worker = {.guards = guards};
    sim_warp w = {.base = {frame, f->image->pool}, .mask = SIM_ALL_LANES, .live = SIM_ALL_LANES};
    w.block = &block, w.worker = &worker, run.device = d;
    if (f->frame_bytes > sizeof frame) {
        say("frame?");
        return;
    }
    memset(frame, 0xa5, sizeof frame);
    for (unsigned pass = 0; pass < 2; pass++) { /* registers are filled; then they are read */
        for (uint32_t i = 0; pass && i + 2 < f->insn_count; i++)
            f->insns[i].fn[0](&w, &f->insns[i]);
        for (size_t r = 0; r < f->ptx->reg_count; r++) {
            const char *name = f->ptx->reg_name[r];
            uint8_t *at = frame + (f->reg_at[r] >> 2);
            if ((f->reg_at[r] & 3) != SIM_BASE_REGS) continue;
            if (name[1] == 'p') {
                uint32_t first = first_predicates[name[2] - '0'], now;
                memcpy(&now, at, 4);
                if (!pass) memcpy(at, &first, 4);
                else if (now != first) say(" %s=%x", name, now);
                continue;
            }
            size_t bytes = ptx_type_size(f->ptx->reg_type[r]), lane = bytes > 4 ? 8 : 4;
            for (unsigned half = 0; half < (bytes == 16 ? 2 : 1); half++) {
                uint64_t v[32] = {0};
                bool changed = false;
                for (unsigned l = 0; l < 32; l++) {
                    uint64_t first = first_value(name, l, half);
                    uint8_t *p = at + 256 * half + lane * l;
                    if (!pass) memcpy(p, &first, lane);
                    memcpy(&v[l], p, bytes < 8 ? bytes : 8);
                    changed |= v[l] != first;
                }
                char half_name[16];
                snprintf(half_name, sizeof half_name, "%s%s", name, half ? "^" : "");
                if (changed) say_lanes(half_name, v);
            }
        }
    }
}

/* ---- kernels of a few lines ---- */

static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".global .align 16 .b8 g[64];\n"
    ".func (.param .b32 r) fn(.param .b64 a) { ret; }\n"
    ".entry k(.param .u64 pa, .param .u32 pb, .param .s8 pc, .param .align 16 .b8 pd[32]) {\n"
    ".reg .pred %p<5>; .reg .b16 %h<5>; .reg .b32 %r<12>; .reg .b64 %d<7>; .reg .b128 %q<4>;\n"
    ".reg .f32 %f<9>; .reg .f64 %e<3>;\n"
    ".shared .align 8 .b8 s[24]; .shared .b32 s2; .local .align 4 .b8 l[20];\n";

enum { STEPS = 1, SEGMENTS = 2, CLUSTERED = 4, VALUES = 8, OLD = 16 };
/* The text of kernel k, decoded; or why it is not. */
static const char *decoded(const char *body, unsigned what) {
    static char text[1 << 14];
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    snprintf(text, sizeof text, "%s%s\nret; }\n", head, body);
    static const char old[] = ".version 6.3\n.target sm_62 \n";
    if (what & OLD) memcpy(text, old, sizeof old - 1); /* as long as the head's */
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    sim_kernel *k = m ? sim_module_kernel(m, "k") : NULL;
    const sim_image *im = !k                 ? NULL
                          : what & CLUSTERED ? sim_kernel_cluster_image(k, &msg)
                                             : sim_kernel_image(k, &msg);
    len = 0, out[0] = 0, temp_count = 0;
    const sim_func *f = im ? &im->funcs[0] : NULL;
    /* but for the return and the one behind it */
    for (uint32_t i = 0; f && what & STEPS && i + 2 < f->insn_count; i++) say_insn(f, &f->insns[i]);
    if (f && what & SEGMENTS) say_segments(f);
    if (f && what & VALUES) say_values(f);
    if (!f) say("%s", said(&msg));
    sim_module_free(m);
    return out;
}

typedef struct {
    const char *body, *want;
} row;
/* want: one text, or some with lines "or" between them. */
static bool says(const char *want, const char *got) {
    size_t n = strlen(got);
    while (strncmp(want, got, n) || (want[n] && strncmp(want + n, "or\n", 3))) {
        want = strstr(want, "\nor\n");
        if (!want) return false;
        want += 4;
    }
    return true;
}
static void hold(const row *rows, size_t n, unsigned what) {
    for (size_t k = 0; k < n; k++) {
        const char *got = decoded(rows[k].body, what);
        check_that(says(rows[k].want, got), __FILE__, __LINE__, rows[k].body, got);
    }
}
#define HOLD(rows, what) hold(rows, sizeof(rows) / sizeof *(rows), what)

static void loads(void) {
    static const row rows[] = {
        {"ld.global.u32 %r1, [%d1+8];", "ld.b64 d=%r1 a=%d1 +0x8 (global ld 4x1/4)\n"},
        {"ld.u16 %h1, [%d1];", "ld.b64 d=%h1 a=%d1 (generic ld 2x1/4)\n"},
        {"ld.global.b64 %d2, [%d1];", "ld.b64 d=%d2 a=%d1 (global ld 8x1/8)\n"},
        {"ld.global.b128 %q1, [%d1];", "ld.b64 d=sink a=%d1 (global ld 8x2/8): %q1, %q1^\n"},
        /* signed ones narrower than their register are extended; the register's width counts */
        {"ld.global.s8 %r1, [%d1];", "ld.b64 d=%r1 a=%d1 (global ld 1x1/4 sext)\n"},
        {"ld.global.s16 %h1, [%d1];", "ld.b64 d=%h1 a=%d1 (global ld 2x1/4 sext)\n"},
        {"ld.global.s32 %d2, [%d1];", "ld.b64 d=%d2 a=%d1 (global ld 4x1/8 sext)\n"},
        {"ld.global.u8 %d2, [%d1];", "ld.b64 d=%d2 a=%d1 (global ld 1x1/8)\n"},
        {"ld.global.s64 %d2, [%d1];", "ld.b64 d=%d2 a=%d1 (global ld 8x1/8)\n"},
        /* vectors, with lists of registers */
        {"ld.global.v4.f32 {%f1, _, %f3, %f4}, [%d1+16];",
         "ld.b64 d=sink a=%d1 +0x10 (global ld 4x4/4): %f1, -, %f3, %f4\n"},
        {"ld.global.v2.u64 {_, %d2}, [%d1];", "ld.b64 d=sink a=%d1 (global ld 8x2/8): -, %d2\n"},
        {"ld.global.v2.b8 {%h1, %h2}, [%d1];", "ld.b64 d=sink a=%d1 (global ld 1x2/4): %h1, %h2\n"},
        {"ld.global.v2.u32 {%r1, %d2}, [%d1];",
         "ld.b64 d=sink a=%d1 (global ld 4x2/8): t0, %d2\ncvt.u32.u64 d=%r1 a=t0\n"},
        /* spaces of 32 bits, variables, constants */
        {"ld.shared.u32 %r1, [%r2+4];", "ld.b32 d=%r1 a=%r2 +0x4 (shared ld 4x1/4)\n"},
        {"ld.shared.u32 %r1, [%d2];",
         "cvt.u32.u64 d=t0 a=%d2\nld.b32 d=%r1 a=t0 (shared ld 4x1/4)\n"},
        {"ld.shared.u32 %r1, [s2];", "ld.b32 d=%r1 a=0x0 (shared ld 4x1/4)\n"},
        {"ld.shared.u32 %r1, [s+20];", "ld.b32 d=%r1 a=0x14 (shared ld 4x1/4)\n"},
        {"ld.shared.u32 %r1, [64];", "ld.b32 d=%r1 a=0x40 (shared ld 4x1/4)\n"},
        {"ld.global.u32 %r1, [1234];", "ld.b64 d=%r1 a=0x4d2L (global ld 4x1/4)\n"},
        {"ld.local.u32 %r1, [l+4];", "ld.b32 d=%r1 a=0x4 (local ld 4x1/4)\n"},
        {"ld.u32 %r1, [s+4];", "ld.b64 d=%r1 a=0x4L +0x2f0000000000 (generic ld 4x1/4)\n"},
        {"ld.u32 %r1, [l+8];", "ld.b64 d=%r1 a=0x8L +0x2f0100000000 (generic ld 4x1/4)\n"},
        {"ld.const.u32 %r1, [%d1+4];", "ld.b64 d=%r1 a=%d1 +0x4 (const ld 4x1/4)\n"},
        {"ld.param.u32 %r1, [%d1+4];", "ld.b64 d=%r1 a=%d1 +params+4 (const ld 4x1/4)\n"},
        /* orders and caches */
        {"ld.volatile.global.u32 %r1, [%d1];",
         "ld.b64 d=%r1 a=%d1 (global ld 4x1/4 L2 volatile)\n"},
        {"ld.relaxed.gpu.global.u32 %r1, [%d1];",
         "ld.b64 d=%r1 a=%d1 (global ld 4x1/4 L2 strong)\n"},
        {"ld.acquire.sys.u64 %d2, [%d1];",
         "ld.b64 d=%d2 a=%d1 (generic ld 8x1/8 L2 strong acquire)\n"},
        {"ld.global.cg.u32 %r1, [%d1];", "ld.b64 d=%r1 a=%d1 (global ld 4x1/4 L2)\n"},
        {"ld.global.cv.u32 %r1, [%d1];", "ld.b64 d=%r1 a=%d1 (global ld 4x1/4 L2)\n"},
        {"ld.global.ca.u32 %r1, [%d1];", "ld.b64 d=%r1 a=%d1 (global ld 4x1/4)\n"},
        {"ld.global.cs.u32 %r1, [%d1];", "ld.b64 d=%r1 a=%d1 (global ld 4x1/4)\n"},
        {"ld.shared::cluster.u32 %r1, [%r2];", "ld.b32 d=%r1 a=%r2 (shared ld 4x1/4 cluster)\n"},
        {"ld.shared::cta.u32 %r1, [%r2];", "ld.b32 d=%r1 a=%r2 (shared ld 4x1/4)\n"},
    };
    HOLD(rows, STEPS);
}
static void stores(void) {
    static const row rows[] = {
        {"st.global.u32 [%d1+4], %r1;", "st.b64 a=%d1 b=%r1 +0x4 (global st 4x1/4)\n"},
        {"st.global.u8 [%d1], %r1;", "st.b64 a=%d1 b=%r1 (global st 1x1/4)\n"},
        {"st.global.u8 [%d1], %d2;", "st.b64 a=%d1 b=%d2 (global st 1x1/8)\n"},
        {"st.global.s16 [%d1], %h1;", "st.b64 a=%d1 b=%h1 (global st 2x1/4)\n"},
        {"st.u64 [%d1], %d2;", "st.b64 a=%d1 b=%d2 (generic st 8x1/8)\n"},
        {"st.global.b128 [%d1], %q1;", "st.b64 a=%d1 (global st 8x2/8): %q1, %q1^\n"},
        {"st.global.v2.b32 [%d1], {%r1, 7};", "st.b64 a=%d1 (global st 4x2/4): %r1, 0x7\n"},
        {"st.global.v4.f32 [%d1], {%f1, %f2, %f3, %f4};",
         "st.b64 a=%d1 (global st 4x4/4): %f1, %f2, %f3, %f4\n"},
        {"st.global.v2.u32 [%d1], {%r1, %d2};",
         "cvt.u64.u32 d=t0 a=%r1\nst.b64 a=%d1 (global st 4x2/8): t0, %d2\n"},
        {"st.global.u32 [%d1], -1;", "st.b64 a=%d1 b=0xffffffff (global st 4x1/4)\n"},
        {"st.global.u16 [%d1], -1;", "st.b64 a=%d1 b=0xffff (global st 2x1/4)\n"},
        {"st.global.u8 [%d1], -1;", "st.b64 a=%d1 b=0xff (global st 1x1/4)\n"},
        {"st.global.u64 [%d1], 5;", "st.b64 a=%d1 b=0x5L (global st 8x1/8)\n"},
        {"st.shared.u32 [s2], %r1;", "st.b32 a=0x0 b=%r1 (shared st 4x1/4)\n"},
        {"st.local.u32 [%r2], %r1;", "st.b32 a=%r2 b=%r1 (local st 4x1/4)\n"},
        {"st.release.gpu.global.u32 [%d1], %r1;",
         "st.b64 a=%d1 b=%r1 (global st 4x1/4 strong release)\n"},
        {"st.relaxed.gpu.global.u32 [%d1], %r1;",
         "st.b64 a=%d1 b=%r1 (global st 4x1/4 L2 strong)\n"},
        {"st.volatile.global.u32 [%d1], %r1;",
         "st.b64 a=%d1 b=%r1 (global st 4x1/4 L2 volatile)\n"},
        {"st.global.cg.u32 [%d1], %r1;", "st.b64 a=%d1 b=%r1 (global st 4x1/4 L2)\n"},
        {"st.global.wt.u32 [%d1], %r1;", "st.b64 a=%d1 b=%r1 (global st 4x1/4)\n"},
    };
    HOLD(rows, STEPS);
}
static void atomics(void) {
    static const row rows[] = {
        {"atom.global.add.u32 %r1, [%d1+4], %r2;",
         "atom.b64 a=%d1 +0x4 (global atom 4x1/4) add.u32 4x1 b: %r2 d: %r1\n"},
        {"atom.shared.min.s64 %d2, [%r1], %d3;",
         "atom.b32 a=%r1 (shared atom 8x1/8) min.s64 8x1 b: %d3 d: %d2\n"},
        {"atom.global.cas.b32 %r1, [%d1], %r2, %r3;",
         "atom.b64 a=%d1 c=%r3 (global atom 4x1/4 acquire) cas.b32 4x1 b: %r2 d: %r1\n"},
        {"atom.global.cas.b16 %h1, [%d1], %h2, %h3;",
         "atom.b64 a=%d1 c=%h3 (global atom 2x1/4 acquire) cas.b16 2x1 b: %h2 d: %h1\n"},
        {"atom.exch.b64 _, [%d1], %d2;",
         "atom.b64 a=%d1 (generic atom 8x1/8 acquire release no_init) exch.b64 8x1 b: %d2 d: -\n"},
        {"atom.global.cas.b128 %q1, [%d1], %q2, %q3;",
         "atom.b64 a=%d1 c=%q3 (global atom 8x2/8 acquire) cas.b128 16x1 b: %q2 d: %q1\n"},
        {"atom.global.v2.f32.add {%f1, _}, [%d1], {%f3, %f4};",
         "atom.b64 a=%d1 (global atom 4x2/4) add.f32 4x2 b: %f3, %f4 d: %f1, -\n"},
        {"atom.global.v2.f32.add _, [%d1], {%f3, %f4};",
         "atom.b64 a=%d1 (global atom 4x2/4) add.f32 4x2 b: %f3, %f4 d: -, -\n"},
        {"red.global.add.f64 [%d1], %e1;",
         "atom.b64 a=%d1 (global atom 8x1/8) add.f64 8x1 b: %e1 d: -\n"},
        {"red.shared.add.u32 [s+8], 3;",
         "atom.b32 a=0x8 (shared atom 4x1/4) add.u32 4x1 b: 0x3 d: -\n"},
        {"atom.relaxed.gpu.global.add.u32 %r1, [%d1], 1;",
         "atom.b64 a=%d1 (global atom 4x1/4 L2 strong) add.u32 4x1 b: 0x1 d: %r1\n"},
        {"atom.acquire.gpu.global.add.u32 %r1, [%d1], 1;",
         "atom.b64 a=%d1 (global atom 4x1/4 L2 strong acquire) add.u32 4x1 b: 0x1 d: %r1\n"},
        {"atom.release.gpu.global.add.u32 %r1, [%d1], 1;",
         "atom.b64 a=%d1 (global atom 4x1/4 strong release) add.u32 4x1 b: 0x1 d: %r1\n"},
        {"atom.acq_rel.gpu.global.add.u32 %r1, [%d1], 1;",
         "atom.b64 a=%d1 (global atom 4x1/4 strong acquire release) add.u32 4x1 b: 0x1 d: %r1\n"},
        {"atom.relaxed.gpu.global.cas.b32 %r1, [%d1], 1, 2;",
         "atom.b64 a=%d1 c=0x2 (global atom 4x1/4 L2 strong acquire) cas.b32 4x1 b: 0x1 d: %r1\n"},
    };
    HOLD(rows, STEPS);
}
static void warps(void) {
    static const row rows[] = {
        {"shfl.sync.up.b32 %r1|%p1, %r2, %r3, 0, %r4;",
         "* d=%r1 a=%r2 b=%r3 c=0x0 e=%r4 imm=1 slots=12222 and=%p1\n"},
        {"shfl.sync.down.b32 %r1, %r2, 5, 31, -1;",
         "* d=%r1 a=%r2 b=0x5 c=0x1f e=0xffffffff imm=2 slots=2222\n"},
        {"vote.sync.all.pred %p1, %p2, %r1;", "* d=%p1 a=%p2 e=%r1 imm=1 slots=11\n"},
        {"vote.sync.any.pred %p1, !%p2, -1;",
         "not.pred d=t0 a=%p2\n* d=%p1 a=t0 e=0xffffffff imm=2 slots=11\n"},
        {"vote.sync.ballot.b32 %r1, %p2, %r2;", "* d=%r1 a=%p2 e=%r2 imm=4 slots=12\n"},
        {"match.any.sync.b32 %r1, %r2, %r3;", "* d=%r1 a=%r2 e=%r3 slots=22\n"},
        {"match.any.sync.b64 %r1, %d2, %r3;", "* d=%r1 a=%d2 e=%r3 slots=32\n"},
        {"match.all.sync.b32 %r1|%p1, %r2, %r3;", "* d=%r1 a=%r2 e=%r3 slots=10022 and=%p1\n"},
        {"match.all.sync.b64 %r1, %d2, %r3;", "* d=%r1 a=%d2 e=%r3 slots=32\n"},
        {"redux.sync.add.u32 %r1, %r2, %r3;", "* d=%r1 a=%r2 e=%r3 imm=1 slots=22\n"},
        {"redux.sync.min.s32 %r1, %r2, -1;", "* d=%r1 a=%r2 e=0xffffffff imm=258 slots=22\n"},
        {"redux.sync.xor.b32 %r1, %r2, -1;", "* d=%r1 a=%r2 e=0xffffffff imm=10 slots=22\n"},
        {"elect.sync %r1|%p1, %r2;", "* d=%r1 e=%r2 slots=10002 and=%p1\n"},
        {"elect.sync _|%p1, -1;", "* d=sink e=0xffffffff slots=10002 and=%p1\n"},
        {"activemask.b32 %r1;", "* d=%r1\n"},
        {"setmaxnreg.inc.sync.aligned.u32 64; setmaxnreg.dec.sync.aligned.u32 24;",
         "* e=0xffffffff\n* e=0xffffffff\n"},
        {"bar.warp.sync %r1;", "* e=%r1\n"},
        {"bar.sync 0;", "end a=0x0 b=- imm=16\n"},
        {"bar.cta.sync %r1, 64;", "end a=%r1 b=0x40 imm=16\n"},
        {"barrier.sync 1, 64;", "end a=0x1 b=0x40\n"},
        {"barrier.sync.aligned 1;", "end a=0x1 b=- imm=16\n"},
        {"barrier.cta.sync 1;", "end a=0x1 b=-\n"},
        {"bar.arrive 2, %r1;", "end a=0x2 b=%r1 imm=17\n"},
        {"bar.cta.arrive 2, 32;", "end a=0x2 b=0x20 imm=17\n"},
        {"barrier.arrive 2, 96;", "end a=0x2 b=0x60 imm=1\n"},
        {"barrier.cta.arrive.aligned 2, 96;", "end a=0x2 b=0x60 imm=17\n"},
        {"bar.red.popc.u32 %r1, 1, 64, %p1;", "end d=%r1 a=0x1 b=0x40 c=%p1 imm=18\n"},
        {"bar.red.and.pred %p2, 1, %p1;", "end d=%p2 a=0x1 b=- c=%p1 imm=19\n"},
        {"bar.cta.red.or.pred %p2, %r1, 32, !%p1;",
         "not.pred d=t0 a=%p1\nend d=%p2 a=%r1 b=0x20 c=t0 imm=20\n"},
        {"barrier.red.popc.u32 %r1, 1, %p1;", "end d=%r1 a=0x1 b=- c=%p1 imm=2\n"},
        {"barrier.cta.red.and.aligned.pred %p2, 1, 64, %p1;",
         "end d=%p2 a=0x1 b=0x40 c=%p1 imm=19\n"},
        {"barrier.cluster.arrive;", "end\n"},
        {"barrier.cluster.wait;", "end imm=1\n"},
    };
    HOLD(rows, STEPS);
    /* without .sync until PTX 6.4, or before sm_70 */
    static const row old[] = {
        {"shfl.bfly.b32 %r1, %r2, 1, 31;",
         "* d=%r1 a=%r2 b=0x1 c=0x1f e=0xffffffff imm=3 slots=2222\n"},
        {"shfl.idx.b32 %r1|%p1, %r2, 1, 31;",
         "* d=%r1 a=%r2 b=0x1 c=0x1f e=0xffffffff imm=4 slots=12222 and=%p1\n"},
        {"vote.uni.pred %p1, %p2;", "* d=%p1 a=%p2 e=0xffffffff imm=3 slots=11\n"},
    };
    HOLD(old, STEPS | OLD);
}
static void arith(void) {
    static const row rows[] = {
        {"add.u32 %r1, %r2, -1;", "add.b32 d=%r1 a=%r2 b=0xffffffff\n"},
        {"@%p1 add.u32 %r1, %r2, 1;", "add.b32 d=%r1 a=%r2 b=0x1 @%p1 #1\n"},
        {"@!%p1 add.u32 %r1, %r2, 1; @%p2 add.u32 %r1, %r2, 1;",
         "add.b32 d=%r1 a=%r2 b=0x1 @!%p1 #1\nadd.b32 d=%r1 a=%r2 b=0x1 @%p2 #2\n"},
        {"@%p1 ld.global.v2.u32 {%r1, %d2}, [%d1];",
         "ld.b64 d=sink a=%d1 (global ld 4x2/8): t0, %d2 @%p1\ncvt.u32.u64 d=%r1 a=t0 @%p1 #1\nor\n"
         "ld.b64 d=sink a=%d1 (global ld 4x2/8): t0, %d2 @%p1 #1\ncvt.u32.u64 d=%r1 a=t0 @%p1\n"},
        {"setp.lt.u32 %p1, %r1, %r2;", "setp.u32 d=%p1 a=%r1 b=%r2\n"},
        /* of both results, each is made and goes where it belongs: the sources may be what they are
         * written to */
        {"setp.lt.u32 %p1|%p2, %r1, %r2;", "setp.u32 d=t0 a=%r1 b=%r2\nnot.pred d=t1 "
                                           "a=t0\nmov.pred d=%p1 a=t0\nmov.pred d=%p2 a=t1\n"},
        {"lop3.b32 %r1, %r2, %r3, %r4, 0xe8;", "lop3.b32 d=%r1 a=%r2 b=%r3 c=%r4 imm=232\n"},
        {"mov.u32 %r1, %r2; mov.u32 %r1, %r3;", "mov.b32 d=%r1 a=%r2\nmov.b32 d=%r1 a=%r3\n"},
        {"mov.pred %p1, %p2; mov.pred %p1, %p3;", "mov.pred d=%p1 a=%p2\nmov.pred d=%p1 a=%p3\n"},
        {"mov.u32 %r1, %clock;", "* d=t0 imm=1\nmov.b32 d=%r1 a=t0\nor\n* d=%r1 imm=1\n"},
        {"mov.u64 %d1, %clock64;", "* d=t0 imm=1\nmov.b64 d=%d1 a=t0\nor\n* d=%d1 imm=1\n"},
        {"cvta.shared.u64 %d1, %d2;", "add.b64 d=%d1 a=%d2 b=0x2f0000000000L\n"},
        {"cvta.to.shared.u64 %d1, %d2;", "add.b64 d=%d1 a=%d2 b=0xffffd10000000000L\nor\n"
                                         "sub.b64 d=%d1 a=%d2 b=0x2f0000000000L\n"},
        {"cvta.local.u64 %d1, %d2;", "add.b64 d=%d1 a=%d2 b=0x2f0100000000L\n"},
        {"cvta.to.global.u64 %d1, %d2; cvta.to.global.u64 %d1, %d3;",
         "mov.b64 d=%d1 a=%d2\nmov.b64 d=%d1 a=%d3\n"},
        {"mapa.shared::cluster.u32 %r1, %r2, %r3;", "* d=%r1 a=%r2 b=%r3\n"},
        {"mapa.u64 %d1, %d2, %r3;", "* d=%d1 a=%d2 b=%r3 +0x2f0000000000\n"},
        {"mapa.shared::cluster.u64 %d1, %d2, %r3;", "* d=%d1 a=%d2 b=%r3\n"},
        {"getctarank.shared::cluster.u32 %r1, %r2;", "* d=%r1 a=%r2\n"},
        {"getctarank.u64 %r1, %d2;", "* d=%r1 a=%d2\n"},
        {"shl.b16 %h1, %h2, 70000;", "shl.b16 d=%h1 a=%h2 b=0x11170\n"},
    };
    HOLD(rows, STEPS);
}
static void values(void) {
    static const row rows[] = {
        {"setp.lt.u32 %p1|%p2, %r2, 0x2000000;", " %p1=aaaaaaaa %p2=55555555"},
        {"setp.eq.and.s64 %p1, %d1, %d2, %p3;", " %p1=a0a0a0a0"},
        {"setp.eq.or.f32 %p1|_, %f1, %f2, !%p3;", " %p1=afafafaf"},
        /* the predicate is one of the results */
        {"setp.ne.xor.b16 %p1|%p2, %h1, %h2, %p1;", " %p1=aaaa5555 %p2=5555aaaa"},
        {"setp.ne.xor.b16 %p2|%p1, %h1, %h2, %p1;", " %p2=aaaa5555 %p1=5555aaaa"},
        {"set.lt.u32.f32 %r1, %f1, %f2;", " %r1=ffffffff:55555555,0:aaaaaaaa"},
        {"set.lt.f32.s32 %f1, %r1, %r2;", " %f1=3f800000:55555555,0:aaaaaaaa"},
        {"set.ge.and.s32.u64 %r1, %d1, %d2, %p1;", " %r1=0:5555ffff,ffffffff:aaaa0000"},
        {"lop3.or.b32 %r1|%p1, %r2, %r3, 1, 0x80, %p2;", " %r1=0:55555555,1:aaaaaaaa %p1=ffaaffaa"},
        {"lop3.and.b32 _|%p1, %r2, %r3, 1, 0x80, !%p2;", " %p1=aa00aa"},
        {"mov.b32 %r1, {%h2, %h3};", " %r1=3690246:55555555,1230123:aaaaaaaa"},
        {"mov.b64 %d1, {%r2, %r3};", " %d1=369d03502468ace:55555555,123456701234567:aaaaaaaa"},
        {"mov.b64 %d1, {%h1, %h2, %h3, 4};", " %d1=4036902460123:55555555,4012301230123:aaaaaaaa"},
        {"mov.b128 %q1, {%d2, %d3};", " %q1=2468acf13579bde:55555555,123456789abcdef:aaaaaaaa "
                                      "%q1^=369d0369d0369cd:55555555,123456789abcdef:aaaaaaaa"},
        {"mov.b32 {%h1, %h2}, %r3;",
         " %h1=d035:55555555,4567:aaaaaaaa %h2=369:55555555,123:aaaaaaaa"},
        {"mov.b64 {_, %r2}, %d3;", " %r2=369d036:55555555,1234567:aaaaaaaa"},
        {"mov.b64 {%r1, %r2}, 0x100000002;", " %r1=2 %r2=1"},
        {"mov.b128 {%d1, %d2}, %q2;", " %d1=2468acf13579bde:55555555,123456789abcdef:aaaaaaaa "
                                      "%d2=22446688aaccef10:55555555,1122334455667788:aaaaaaaa"},
        {"mov.b128 %q1, %q2;", " %q1=2468acf13579bde:55555555,123456789abcdef:aaaaaaaa "
                               "%q1^=22446688aaccef10:55555555,1122334455667788:aaaaaaaa"},
        /* a second result is a writing too: %p2 is no copy of %p3 */
        {"setp.eq.u32 %p3, %r1, 1; setp.lt.u32 %p1|%p2, %r1, 5; @%p2 add.u32 %r2, %r1, 1; "
         "mov.pred %p2, %p3; @%p2 add.u32 %r3, %r1, 2;",
         " %p3=0 %p1=0 %p2=0 %r2=1234568"},
        /* memory.h: where a launch's parameters lie; PTX ISA 6.4.1.1: it lies in that of global
         * memory */
        {"cvta.param.u64 %d1, 8; isspacep.param %p1, %d1; isspacep.global %p2, %d1; isspacep.const "
         "%p3, %d1;",
         " %d1=2f1000000008 %p1=ffffffff %p2=ffffffff %p3=0"},
        {"isspacep.global %p1, %d6;", " %p1=e1e1e1e1"},
        {"isspacep.const %p1, %d6;", " %p1=10101010"},
        {"isspacep.local %p1, %d6;", " %p1=8080808"},
        {"isspacep.shared %p1, %d6;", " %p1=2020202"},
        {"isspacep.shared::cluster %p1, %d6;", " %p1=6060606"},
    };
    HOLD(rows, VALUES);
    /* what a policy is, nobody says: one constant for all lanes */
    CHECK(!strncmp(decoded("createpolicy.fractional.L2::evict_last.b64 %d1, 1.0;", STEPS),
                   "mov.b64 d=%d1 a=0x", 18));
}
/* A load is taken for the guess of an atom.cas of the same address, up to 63 instructions behind
 * it. */
static void guesses(void) {
#define NEXT8(x) x x x x x x x x
#define ONE      "add.u32 %r9, %r9, 1; "
#define CAS      "atom.global.cas.b32 %r2, [%d1+8], %r1, %r3;"
    static const struct {
        const char *behind;
        bool strong;
    } rows[] = {
        {CAS, true},
        {"", false},
        {ONE CAS, true},
        {"atom.cas.b32 %r2, [%d1+8], %r1, %r3;", true},
        {"atom.global.cas.b32 %r2, [%d1+4], %r1, %r3;", false},
        {"atom.global.cas.b32 %r2, [%d2+8], %r1, %r3;", false},
        {"atom.global.cas.b32 %r2, [g+8], %r1, %r3;", false},
        {"atom.global.exch.b32 %r2, [%d1+8], %r1;", false},
        {"atom.global.cas.b32 %r2, [%d1+4], %r1, %r3; " CAS, true},
        {"add.s64 %d2, %d1, 8; atom.global.cas.b32 %r2, [%d2], %r1, %r3;", true},
        {"add.s64 %d2, %d1, 8; atom.global.cas.b32 %r2, [%d2+4], %r1, %r3;", false},
        {"add.s64 %d2, %d1, 4; atom.global.cas.b32 %r2, [%d2], %r1, %r3;", false},
        {"add.s64 %d2, %d3, 8; atom.global.cas.b32 %r2, [%d2], %r1, %r3;", false},
        {"add.s64 %d2, %d1, %d3; atom.global.cas.b32 %r2, [%d2], %r1, %r3;", false},
        {"add.s64 %d2, %d1, 8; atom.global.cas.b32 %r2, [%d4], %r1, %r3;", false},
        {"sub.s64 %d2, %d1, 8; atom.global.cas.b32 %r2, [%d2], %r1, %r3;", false},
        /* 62 and 63 instructions in between */
        {NEXT8(ONE ONE ONE ONE ONE ONE ONE) ONE ONE ONE ONE ONE ONE CAS, true},
        {NEXT8(ONE ONE ONE ONE ONE ONE ONE) ONE ONE ONE ONE ONE ONE ONE CAS, false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[4000], *end;
        snprintf(text, sizeof text, "ld.global.u32 %%r1, [%%d1+8]; %s", rows[k].behind);
        decoded(text, STEPS);
        end = strchr(out, '\n');
        if (end) *end = 0;
        check_that(!strcmp(out, rows[k].strong ? "ld.b64 d=%r1 a=%d1 +0x8 (global ld 4x1/4 strong)"
                                               : "ld.b64 d=%r1 a=%d1 +0x8 (global ld 4x1/4)"),
                   __FILE__, __LINE__, rows[k].behind, out);
    }
}
static void copies(void) {
    static const row rows[] = {
        {"add.u32 %r1, %r9, 1; mov.u32 %r2, %r1; add.u32 %r3, %r2, 2;",
         "add.b32 d=%r1 a=%r9 b=0x1\nadd.b32 d=%r3 a=%r1 b=0x2\n"},
        {"add.u32 %r1, %r9, 1; mov.u32 %r2, %r1; mov.u32 %r3, %r2; mov.b32 %f1, %r3; add.u32 %r4, "
         "%r3, %r2; mov.b32 %r5, %f1; not.b32 %r6, %r5;",
         "add.b32 d=%r1 a=%r9 b=0x1\nadd.b32 d=%r4 a=%r1 b=%r1\nnot.b32 d=%r6 a=%r1\n"},
        {"mov.u32 %r1, %r9; add.u32 %r3, %r1, 2;",
         "mov.b32 d=%r1 a=%r9\nadd.b32 d=%r3 a=%r1 b=0x2\n"},
        {"add.u32 %r9, %r9, 1; mov.u32 %r1, %r9; add.u32 %r9, %r9, 1; add.u32 %r3, %r1, 2;",
         "add.b32 d=%r9 a=%r9 b=0x1\nmov.b32 d=%r1 a=%r9\nadd.b32 d=%r9 a=%r9 b=0x1\nadd.b32 d=%r3 "
         "a=%r1 b=0x2\n"},
        {"mov.u32 %r1, 5; add.u32 %r2, %r1, %r9;", "add.b32 d=%r2 a=0x5 b=%r9\n"},
        {"mov.f64 %e1, 0d3FF0000000000000; neg.f64 %e2, %e1;",
         "neg.f64 d=%e2 a=0x3ff0000000000000L\n"},
        {"mov.u16 %h1, -1; not.b16 %h2, %h1;", "not.b16 d=%h2 a=0xffff\n"},
        {"mov.u32 %r1, %tid.x; add.u32 %r2, %r1, %r9;", "add.b32 d=%r2 a=tid.x b=%r9\n"},
        {"mov.u32 %r1, %laneid; mov.u32 %r1, %tid.y; add.u32 %r2, %r1, %r9;",
         "mov.b32 d=%r1 a=laneid\nmov.b32 d=%r1 a=tid.y\nadd.b32 d=%r2 a=%r1 b=%r9\n"},
        {"mov.u32 %r1, s2; add.u32 %r2, %r1, 1; mov.u32 %r3, s+4; not.b32 %r4, %r3;",
         "add.b32 d=%r2 a=0x0 b=0x1\nnot.b32 d=%r4 a=0xc\n"},
        {"mov.u64 %d1, l; add.u64 %d2, %d1, 1;", "add.b64 d=%d2 a=0x0 b=0x1L\n"},
        {"@%p1 mov.u32 %r1, 5; add.u32 %r2, %r1, %r9;",
         "mov.b32 d=%r1 a=0x5 @%p1 #1\nadd.b32 d=%r2 a=%r1 b=%r9\n"},
        {"add.u32 %r2, %r1, 1; mov.u32 %r1, 5; add.u32 %r3, %r1, 2;",
         "add.b32 d=%r2 a=%r1 b=0x1\nmov.b32 d=%r1 a=0x5\nadd.b32 d=%r3 a=%r1 b=0x2\n"},
        {"setp.eq.u32 %p1, %r9, 1; mov.pred %p2, %p1; @%p2 add.u32 %r1, %r9, 1;",
         "setp.b32 d=%p1 a=%r9 b=0x1\nadd.b32 d=%r1 a=%r9 b=0x1 @%p1 #1\n"},
        {"setp.eq.u32 %p1, %r9, 1; mov.pred %p2, !%p1; @%p2 add.u32 %r1, %r9, 1;",
         "setp.b32 d=%p1 a=%r9 b=0x1\nnot.pred d=t0 a=%p1\nmov.pred d=%p2 a=t0\nadd.b32 d=%r1 "
         "a=%r9 b=0x1 @%p2 #1\n"},
        /* parameters: pa at 0, pb at 8, pc at 12, pd at 16 */
        {"ld.param.u64 %d1, [pa]; not.b64 %d2, %d1;", "not.b64 d=%d2 a=[0:8]\n"},
        {"ld.param.u32 %r1, [pb]; not.b32 %r2, %r1; ld.param.b32 %r3, [pb]; not.b32 %r4, %r3;",
         "not.b32 d=%r2 a=[8:4]\nnot.b32 d=%r4 a=[8:4]\n"},
        {"ld.param.s8 %r1, [pc]; not.b32 %r2, %r1; ld.param.u8 %r3, [pc]; not.b32 %r4, %r3;",
         "not.b32 d=%r2 a=[12:1s]\nnot.b32 d=%r4 a=[12:1]\n"},
        {"ld.param.u16 %h1, [pd+4]; not.b16 %h2, %h1; ld.param.s16 %h3, [pd+30]; not.b16 %h4, %h3;",
         "not.b16 d=%h2 a=[20:2]\nnot.b16 d=%h4 a=[46:2s]\n"},
        {"ld.param.u64 %d1, [pd+24]; not.b64 %d2, %d1;", "not.b64 d=%d2 a=[40:8]\n"},
        {"ld.param.u32 %d1, [pb];", "mov.b32 d=t0 a=[8:4]\ncvt.u64.u32 d=%d1 a=t0\n"},
        {"ld.param.s32 %d1, [pb];", "mov.b32 d=t0 a=[8:4]\ncvt.s64.s32 d=%d1 a=t0\n"},
        {"ld.param.v2.u32 {%r1, %r2}, [pd+8];", "mov.b32 d=%r1 a=[24:4]\nmov.b32 d=%r2 a=[28:4]\n"},
        {"ld.param.v2.u32 {%r1, _}, [pd+8];", "mov.b32 d=%r1 a=[24:4]\n"},
        {"@%p1 ld.param.u32 %r1, [pb];", "mov.b32 d=%r1 a=[8:4] @%p1 #1\n"},
        /* addresses */
        {"add.u64 %d1, %d6, 1; cvta.to.global.u64 %d2, %d1; not.b64 %d3, %d2;",
         "add.b64 d=%d1 a=%d6 b=0x1L\nnot.b64 d=%d3 a=%d1\n"},
        {"add.u64 %d1, %d6, 1; cvta.shared.u64 %d2, %d1; not.b64 %d3, %d2;",
         "add.b64 d=%d1 a=%d6 b=0x1L\nadd.b64 d=%d2 a=%d1 b=0x2f0000000000L\nnot.b64 d=%d3 "
         "a=%d2\n"},
        {"cvta.shared.u64 %d2, s; not.b64 %d3, %d2;", "not.b64 d=%d3 a=0x2f0000000000L\n"},
        {"cvta.local.u64 %d2, l+4; not.b64 %d3, %d2;", "not.b64 d=%d3 a=0x2f0100000004L\n"},
        /* of a loop: the copy is read after the original has gone on, or before */
        {"bra IN; L: add.u32 %r1, %r1, 1; add.u32 %r3, %r2, 1; @%p1 bra OUT; IN: mov.u32 %r2, %r1; "
         "bra L; OUT:",
         "end\nadd.b32 d=%r1 a=%r1 b=0x1\nadd.b32 d=%r3 a=%r2 b=0x1\nend @%p1\nmov.b32 d=%r2 "
         "a=%r1\nend\n"},
        {"not.b32 %r4, %r1; bra IN; L: add.u32 %r3, %r2, 1; add.u32 %r1, %r1, 1; @%p1 bra OUT; IN: "
         "mov.u32 %r2, %r1; bra L; OUT:",
         "not.b32 d=%r4 a=%r1\nend\nadd.b32 d=%r3 a=%r1 b=0x1\nadd.b32 d=%r1 a=%r1 b=0x1\nend "
         "@%p1\nend\n"},
    };
    HOLD(rows, STEPS);
}
static void special_registers(void) {
    static const char *const dims[] = {"x", "y", "z"};
    static const struct {
        const char *name, *alone, *clustered;
        bool three;
    } regs[] = {
        /* clang-format off */
        {"tid", "tid", "tid", true}, {"ntid", "ntid", "ntid", true},
        {"ctaid", "ctaid", "ctaid", true}, {"nctaid", "nctaid", "nctaid", true},
        {"clusterid", "ctaid", "clusterid", true}, {"nclusterid", "nctaid", "nclusterid", true},
        {"cluster_ctaid", "0x0", "cluster_ctaid", true},
        {"cluster_nctaid", "0x1", "cluster_nctaid", true},
        {"cluster_ctarank", "0x0", "cluster_ctarank", false},
        {"cluster_nctarank", "0x1", "cluster_nctarank", false},
        {"laneid", "laneid", "laneid", false}, {"warpid", "warpid", "warpid", false},
        {"nwarpid", "nwarpid", "nwarpid", false}, {"smid", "smid", "smid", false},
        {"nsmid", "nsmid", "nsmid", false}, {"lanemask_eq", "lanemask_eq", "lanemask_eq", false},
        {"lanemask_le", "lanemask_le", "lanemask_le", false},
        {"lanemask_lt", "lanemask_lt", "lanemask_lt", false},
        {"lanemask_ge", "lanemask_ge", "lanemask_ge", false},
        {"lanemask_gt", "lanemask_gt", "lanemask_gt", false},
        {"dynamic_smem_size", "dynamic_smem", "dynamic_smem", false},
        {"total_smem_size", "total_smem", "total_smem", false},
        {"aggr_smem_size", "aggr_smem", "aggr_smem", false},
        {"envreg1", "envreg1", "envreg1", false}, {"envreg2", "envreg2", "envreg2", false},
        {"envreg3", "0x0", "0x0", false},
    }; /* clang-format on */
    for (size_t k = 0; k < sizeof regs / sizeof *regs; k++)
        for (unsigned n = 0; n < (regs[k].three ? 6 : 2); n++) {
            char body[100], want[100];
            const char *at = n % 2 ? regs[k].clustered : regs[k].alone,
                       *dim = regs[k].three ? dims[n / 2] : "";
            bool number = at[0] == '0';
            snprintf(body, sizeof body, "mov.u32 %%r1, %%%s%s%s; not.b32 %%r2, %%r1;", regs[k].name,
                     *dim ? "." : "", dim);
            snprintf(want, sizeof want, "not.b32 d=%%r2 a=%s%s%s\n", at, *dim && !number ? "." : "",
                     number ? "" : dim);
            const row one = {body, want};
            hold(&one, 1, STEPS | (n % 2 ? CLUSTERED : 0));
        }
    static const row wide[] = {
        {"cvt.u32.u64 %r1, %clock64;", "* d=t0 imm=1\ncvt.u32.u64 d=%r1 a=t0\n"},
        {"cvt.u64.u32 %d1, %laneid;", "cvt.u64.u32 d=%d1 a=laneid\n"},
    };
    HOLD(wide, STEPS);
    static const row shared[] = {
        {"ld.global.u32 %r1, [1234]; ld.u32 %r1, [16];",
         "ld.b64 d=%r1 a=0x4d2L (global ld 4x1/4)\nld.b64 d=%r1 a=0x10L (generic ld 4x1/4)\n"},
        {"ld.shared.u32 %r1, [s+20]; ld.u32 %r2, [s+4]; mov.u32 %r3, s+20; not.b32 %r4, %r3; "
         "mov.u64 %d1, s+20; not.b64 %d2, %d1; ld.shared.u32 %r1, [64]; ld.shared.u32 %r1, [%r2];",
         "ld.b32 d=%r1 a=shared+20 (shared ld 4x1/4)\nld.b64 d=%r2 a=shared+4 +0x2f0000000000 "
         "(generic ld 4x1/4)\nnot.b32 d=%r4 a=shared+20\nnot.b64 d=%d2 a=shared+20\nld.b32 d=%r1 "
         "a=shared+64 (shared ld 4x1/4)\nld.b32 d=%r1 a=%r2 (shared ld 4x1/4)\n"},
    };
    HOLD(shared, STEPS | CLUSTERED);
}
static void segments(void) {
    static const row rows[] = {
        {"add.u32 %r1, %r1, 1;", "0: 0+1 of 0+2 ret\n1: 2+0 of 2+0 ret\n"},
        {"", "0: 0+0 of 0+1 ret\n1: 1+0 of 1+0 ret\n"},
        {"@%p1 exit; add.u32 %r1, %r1, 1;",
         "0: 0+0 of 0+1 exit next 1 guarded\n1: 1+1 of 1+2 ret\n2: 3+0 of 3+0 ret\n"},
        {"add.u32 %r1, %r1, 1; bar.sync 0; add.u32 %r1, %r1, 1; shfl.sync.idx.b32 %r1, %r1, 0, 31, "
         "-1;",
         "0: 0+1 of 0+2 bar next 1\n1: 2+1 of 2+2 sync next 2\n2: 4+0 of 4+1 ret\n3: 5+0 of 5+0 "
         "ret\n"},
        {"@%p1 bra J; add.u32 %r1, %r1, 1; J: add.u32 %r1, %r1, 2;",
         "0: 0+0 of 0+1 cbra next 1 target 2 guarded\n1: 1+1 of 1+1 fall next 2\n2: 2+1 of 2+2 "
         "ret\n3: 4+0 of 4+0 ret\n"},
        {"@%p1 bra E; add.u32 %r1, %r1, 1; bra J; E: add.u32 %r1, %r1, 2; J: st.global.u32 [%d1], "
         "%r1;",
         "0: 0+0 of 0+1 cbra next 1 target 2 guarded machine\n1: 1+1 of 1+2 bra target 3\n2: 3+1 "
         "of 3+1 fall next 3\n3: 4+1 of 4+2 ret acts\n4: 6+0 of 6+0 ret\n"},
        {"L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;",
         "0: 0+2 of 0+3 cbra next 1 target 0 guarded back machine\n1: 3+0 of 3+1 ret\n2: 4+0 of "
         "4+0 ret\n"},
        {"L: ld.volatile.global.u32 %r1, [%d1]; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;",
         "0: 0+2 of 0+3 cbra next 1 target 0 guarded spin polls back machine\n1: 3+0 of 3+1 "
         "ret\n2: 4+0 of 4+0 ret\n"},
        {"L: nanosleep.u32 5; bra L;", "0: 0+0 of 0+1 yield next 1\n1: 1+0 of 1+1 bra target 0 "
                                       "spin back\n2: 2+0 of 2+1 ret\n3: 3+0 of 3+0 ret\n"},
        {".param .b64 x; .param .b32 y; st.param.b64 [x], %d1; call (y), fn, (x); ld.param.b32 "
         "%r1, [y];",
         "0: 0+1 of 0+2 call next 1\n1: 2+1 of 2+2 ret\n2: 4+0 of 4+0 ret\n"},
        {"@%p1 trap; T: .branchtargets A, B; brx.idx %r1, T; A: add.u32 %r1, %r1, 1; B: "
         "st.global.u32 [%d1], %r1;",
         "0: 0+0 of 0+1 trap next 1 guarded\n1: 1+0 of 1+1 brx [2] [3]\n2: 2+1 of 2+1 fall next "
         "3\n3: 3+1 of 3+2 ret acts\n4: 5+0 of 5+0 ret\n"},
        {"add.u32 %r1, %r1, 1; st.shared.u32 [%r1], %r1; add.u32 %r1, %r1, 1;",
         "0: 0+3 of 0+4 ret acts\n1: 4+0 of 4+0 ret\n"},
        {"atom.global.add.u32 %r1, [%d1], 1; ld.global.u32 %r1, [%d1];",
         "0: 0+2 of 0+3 ret\n1: 3+0 of 3+0 ret\n"},
        {"cvt.u64.u32 %d1, %clock; add.u32 %r1, %r1, 1;",
         "0: 0+3 of 0+3 ret acts\n1: 4+0 of 3+0 ret\n"},
        {"mov.u32 %r1, %clock; add.u32 %r1, %r1, 1;",
         "0: 0+3 of 0+3 ret acts\n1: 4+0 of 3+0 ret\nor\n0: 0+2 of 0+3 ret acts\n1: 3+0 of 3+0 "
         "ret\n"},
        {"mov.u32 %r1, %tid.x; cvt.u64.u32 %d1, %r1;", "0: 0+1 of 0+3 ret\n1: 2+0 of 3+0 ret\n"},
        {"mbarrier.arrive.shared.b64 _, [%r1];", "0: 0+1 of 0+2 ret acts\n1: 2+0 of 2+0 ret\n"},
        {"mbarrier.test_wait.shared.b64 %p1, [%r1], %d1;",
         "0: 0+1 of 0+2 ret\n1: 2+0 of 2+0 ret\n"},
        {"mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;",
         "0: 0+0 of 0+1 poll next 1\n1: 1+0 of 1+1 ret\n2: 2+0 of 2+0 ret\n"},
        {"cp.async.commit_group;", "0: 0+1 of 0+2 ret acts\n1: 2+0 of 2+0 ret\n"},
        {"barrier.cluster.arrive; barrier.cluster.wait;",
         "0: 0+0 of 0+1 cluster next 1\n1: 1+0 of 1+1 cluster next 2\n2: 2+0 of 2+1 ret\n3: 3+0 of "
         "3+0 ret\n"},
    };
    HOLD(rows, SEGMENTS);
}
static void refused(void) {
    static const row rows[] = {
        {"ld.param.b128 %q1, [pd];",
         "PTX line 10: parameters of 128 bits are not supported (ld.param.b128 %q1, [pd];)"},
        {"ld.param.u64 %d1, [pd+25];",
         "PTX line 10: this reads past the kernel's parameters (ld.param.u64 %d1, [pd+25];)"},
        /* before the first parameter: an offset below 0 does not wrap; of a register written twice,
         * too */
        {"ld.param.u64 %d1, [pa-1];",
         "PTX line 10: this reads past the kernel's parameters (ld.param.u64 %d1, [pa+-1];)"},
        {"ld.param.u64 %d1, [pa-4]; mov.u64 %d1, 1;",
         "PTX line 10: this reaches past the end of parameter pa (ld.param.u64 %d1, [pa+-4];)"},
        {"ld.param.u32 %d1, [pb+1];",
         "PTX line 10: this reaches past the end of parameter pb (ld.param.u32 %d1, [pb+1];)"},
        {"ld.param.v4.u32 {%r1, %r2, %r3, %r4}, [pd+20];",
         "PTX line 10: this reaches past the end of parameter pd (ld.param.v4.u32 {%r1, %r2, %r3, "
         "%r4}, [pd+20];)"},
        {"st.param.u32 [pb], %r1;",
         "PTX line 10: a kernel cannot write its parameters (st.param.u32 [pb], %r1;)"},
        {"st.param.u32 [%d1], %r1;", "PTX line 10: stores to parameters by address are not "
                                     "supported (st.param.u32 [%d1], %r1;)"},
        {"redux.sync.min.f32 %f1, %f2, -1;",
         "PTX line 10, column 1: 'redux.sync.f32' needs a target such as sm_100a\n"
         "    redux.sync.min.f32 %f1, %f2, -1;\n    ^"},
        {"multimem.red.relaxed.gpu.global.add.u32 [%d1], %r1;",
         "PTX line 10: the simulated device does not execute multimem yet (multimem.u32 [%d1], "
         "%r1;)"},
        {"st.global.b128 [%d1], 5;",
         "PTX line 10: a constant where a 128-bit register is wanted (st.global.b128 [%d1], 5;)"},
    };
    HOLD(rows, STEPS);
}
static void say_frame(const sim_func *f) {
    temp_count = 0;
    say("%s: call %u x %u, param %u x %u, ret %u x %u, %u bytes; zero", f->ptx->name, f->call_at,
        f->call_bytes, f->param_at, f->param_bytes, f->ret_at, f->ret_bytes, f->frame_bytes);
    for (uint32_t k = 0; k < f->zero_count; k++) {
        say(" ");
        say_register(f, f->zero[2 * k]);
        say(":%u", f->zero[2 * k + 1]);
    }
    for (uint32_t k = 0; k < f->unset_count; k++) {
        say(k ? " " : ", unset ");
        say_register(f, f->unset[2 * k]);
        say(":%u", f->unset[2 * k + 1]);
    }
    say("; pc %u, segments %u to %u", f->pc_base, f->segs[0].id, f->segs[f->seg_count - 1].id);
    say("\n");
}
static void say_image(const sim_image *im) {
    say("shared %u", im->static_shared);
    if (im->uses_dynamic_shared) say(" dynamic");
    for (size_t k = 0; k < im->shared_count; k++)
        say(" %s@%u", im->shared_vars[k]->name, im->shared_at[k]);
    say(", local %u of %u%s%s%s%s%s\n", im->local_bytes, sim_local_limit(im, 0),
        im->byte_shadow ? ", bytes" : "", im->has_calls ? ", calls" : "",
        im->serial ? ", serial" : "", im->launches ? ", launches" : "",
        im->cluster_barrier ? ", cluster" : "");
}

static void modules(void) {
    static const row rows[] = {
        /* Of the kernel: 128 bytes for %r1 behind 320; x at 0, z at 16, y at 36 of a lane's 40
         * bytes, which are made 48; a frame is a multiple of 64. */
        {".func (.param .b32 r) fn(.param .b64 a, .param .align 16 .b8 b[20]) {\n"
         ".reg .b32 %r<3>; .reg .b64 %d<2>; .local .align 8 .b8 l[20];\n"
         "ld.param.u32 %r1, [a+4]; ld.param.s8 %r2, [b+3]; ld.param.u16 %r2, [b+18]; ld.param.u64 "
         "%d1, [a];\n"
         "ld.param.s32 %d1, [b]; ld.param.v2.u32 {%r1, _}, [b+8]; ld.param.v2.u32 {_, %r2}, "
         "[b+12];\n"
         "st.param.b32 [r], %r1; st.param.b8 [r+3], %d1; st.param.b32 [r], 7; st.param.v2.b16 [r], "
         "{%r1, %r2};\n"
         "ld.local.u32 %r1, [l+4]; ret; }\n"
         ".entry k(.param .u64 pa) { .reg .b32 %r<2>; .reg .b64 %d<2>; .local .b8 m[17];\n"
         "{ .param .b64 x; .param .align 16 .b8 z[20]; .param .b32 y; ld.param.u64 %d1, [pa]; "
         "st.param.b64 [x], %d1; st.param.b32 [z+16], %r1;\n"
         "call (y), fn, (x, z); ld.param.b32 %r1, [y]; call (y), fn, (pa, z); }\n ret; }\n",
         "shared 0, local 32 of 80, calls\n"
         "k: call 448 x 48, param 1984 x 0, ret 1984 x 0, 1984 bytes; zero carry:64, unset "
         "%r1:4; pc 13, segments 0 to 3\n"
         "* a=[0:8] call /8 imm=8\n"
         "* a=%r1 call /4 imm=4 +0x20\n"
         "end call+0:8 call+16:20 -> call+36:4\n"
         "* d=%r1 call /4 imm=4 +0x24\n"
         "end kernel+0:8 call+16:20 -> call+36:4\n"
         "fn: call 960 x 0, param 960 x 48, ret 2496 x 16, 3008 bytes; zero carry:64; pc 0, "
         "segments 4 to 5\n"
         "* d=%r1 param /4 imm=4 +0x4\n"
         "* d=%r2 param sext /4 imm=1 +0x13\n"
         "* d=%r2 param /4 imm=2 +0x22\n"
         "* d=%d1 param /8 imm=8\n"
         "* d=%d1 param sext /8 imm=4 +0x10\n"
         "* d=%r1 param /4 imm=4 +0x18\n"
         "* d=%r2 param /4 imm=4 +0x20\n"
         "* a=%r1 ret /4 imm=4\n"
         "* a=%d1 ret /8 imm=1 +0x3\n"
         "* a=0x7 ret /4 imm=4\n"
         "* a=%r1 ret /4 imm=2\n"
         "* a=%r2 ret /4 imm=2 +0x2\n"
         "* d=t0 +0x4\n"
         "ld.b32 d=%r1 a=t0 (local ld 4x1/4)\n"},
        {".extern .shared .align 32 .b8 dyn[]; .shared .b8 a[3]; .shared .align 16 .b8 b[20]; "
         ".shared .b16 c;\n"
         ".entry k() { .reg .b32 %r<3>; ld.shared.u32 %r1, [dyn+4]; ld.shared.u32 %r1, [c]; "
         "ld.shared.u32 %r1, [b]; ld.shared.u32 %r1, [a]; ret; }\n",
         "shared 64 dynamic c@0 b@16 a@36 dyn@64, local 0 of 0\n"},
        {".extern .shared .align 64 .b8 more[]; .extern .shared .align 4 .b8 dyn[]; .shared .b8 "
         "a[33];\n"
         ".entry k() { .reg .b32 %r<3>; mov.u32 %r1, dyn; mov.u32 %r1, more; mov.u32 %r1, a; ret; "
         "}\n",
         "shared 64 dynamic a@0 dyn@48 more@64, local 0 of 0\n"},
        /* What is declared is there, used or not; an extern array that nobody uses ends it too. */
        {".extern .shared .align 64 .b8 more[]; .extern .shared .align 4 .b8 dyn[];\n"
         ".entry k() { .reg .b32 %r<3>; .shared .b8 own[5]; mov.u32 %r1, dyn; ret; }\n",
         "shared 64 dynamic dyn@16, local 0 of 0\n"},
        {".extern .shared .align 4 .b8 dyn[]; .entry k() { .shared .b8 own[5]; ret; }\n",
         "shared 16, local 0 of 0\n"},
        {".extern .shared .align 64 .b8 dyn[]; .entry k() { .reg .b32 %r<3>; mov.u32 %r1, dyn; "
         "ret; }\n",
         "shared 0 dynamic dyn@0, local 0 of 0\n"},
        {".entry k() { .shared .b8 own[5]; ret; }\n", "shared 5, local 0 of 0\n"},
        {".entry k() { .reg .b32 %r<3>; .reg .b64 %d<2>; ld.shared.u16 %r1, [%r2]; ret; }\n",
         "shared 0, local 0 of 0, bytes\n"},
        {".entry k() { .reg .b32 %r<3>; .reg .b64 %d<2>; ld.u8 %r1, [%d1]; ret; }\n",
         "shared 0, local 0 of 0, bytes\n"},
        {".entry k() { .reg .b32 %r<3>; .reg .b64 %d<2>; ld.global.u8 %r1, [%d1]; ld.shared.u32 "
         "%r1, [%r2]; ld.u32 %r1, [%d1]; ret; }\n",
         "shared 0, local 0 of 0\n"},
        {".entry k() { .reg .b32 %r<3>; .reg .b64 %d<2>; atom.global.add.u32 %r1, [%d1], 1; ret; "
         "}\n",
         "shared 0, local 0 of 0\n"},
        {".entry k() { .reg .b32 %r<3>; .reg .b64 %d<2>; atom.global.add.u32 %r1, [%d1], 1; "
         "st.global.u32 [%d1], %r1; ret; }\n",
         "shared 0, local 0 of 0, serial\n"},
        {".entry k() { .reg .b32 %r<3>; .reg .b64 %d<2>; .reg .pred %p<2>; L: "
         "ld.volatile.global.u32 %r1, [%d1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret; }\n",
         "shared 0, local 0 of 0, serial\n"},
        {".entry k() { barrier.cluster.arrive; barrier.cluster.wait; ret; }\n",
         "shared 0, local 0 of 0, cluster\n"},
        {".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func (.param .b32 r) "
         "vprintf(.param .b64 f, .param .b64 a);\n"
         ".entry k() { .reg .b64 %d<2>; { .param .b64 n; .param .b64 r; call (r), malloc, (n); }\n "
         "ret; }\n",
         "shared 0, local 0 of 0, calls, serial\n"
         "k: call 320 x 16, param 832 x 0, ret 832 x 0, 832 bytes; zero carry:64; pc 0, segments 0 "
         "to 2\n"
         "end call+0:8 -> call+8:8\n"},
        {".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
         ".entry k() { .reg .b64 %d<2>; { .param .b64 n; .param .b32 r; call (r), vprintf, (n, n); "
         "}\n ret; }\n",
         "shared 0, local 0 of 0, calls\n"
         "k: call 320 x 16, param 832 x 0, ret 832 x 0, 832 bytes; zero carry:64; pc 0, segments 0 "
         "to 2\n"
         "end call+0:8 call+0:8 -> call+8:4\n"},
        /* the deepest chain: 32 of k, then 16 and a link of 16 each for h and g; not 32 and a link
         * of f */
        {".func h() { .local .b8 l[1]; .reg .b32 %r<2>; ld.local.u32 %r1, [l]; ret; }\n.func g() { "
         ".local .b8 l[16]; call h; call h; ret; }\n.func f() { .local .b8 l[24]; ret; }\n"
         ".entry k() { .local .b8 l[20]; call g; call f; ret; }\n",
         "shared 0, local 32 of 96, calls\n"
         "k: call 320 x 0, param 320 x 0, ret 320 x 0, 320 bytes; zero carry:64; pc 6, segments 0 "
         "to 3\n"
         "end\n"
         "end\n"
         "g: call 320 x 0, param 320 x 0, ret 320 x 0, 320 bytes; zero carry:64; pc 2, segments 4 "
         "to 7\n"
         "end\n"
         "end\n"
         "f: call 320 x 0, param 320 x 0, ret 320 x 0, 320 bytes; zero carry:64; pc 5, segments 8 "
         "to 9\n"
         "h: call 576 x 0, param 576 x 0, ret 576 x 0, 576 bytes; zero carry:64; pc 0, segments 10 "
         "to 11\n"
         "* d=t0\n"
         "ld.b32 d=%r1 a=t0 (local ld 4x1/4)\n"},
        {".func f();\n.func g() { .local .b8 l[16]; call f; ret; }\n.func f() { .local .b8 l[40]; "
         "call g; ret; }\n"
         ".entry k() { .local .b8 l[20]; call g; ret; }\n",
         "shared 0, local 32 of 32, calls\n"
         "k: call 320 x 0, param 320 x 0, ret 320 x 0, 320 bytes; zero carry:64; pc 4, segments 0 "
         "to 2\n"
         "end\n"
         "g: call 320 x 0, param 320 x 0, ret 320 x 0, 320 bytes; zero carry:64; pc 2, segments 3 "
         "to 5\n"
         "end\n"
         "f: call 320 x 0, param 320 x 0, ret 320 x 0, 320 bytes; zero carry:64; pc 0, segments 6 "
         "to 8\n"
         "end\n"},
        /* a copy of a variable's address is that address, in functions too: no step, no slot for
         * %r1 */
        {".shared .b32 sh[2];\n.func f() { .reg .b32 %r<3>; mov.u32 %r1, sh; ld.shared.u32 %r2, "
         "[%r1+4]; ret; }\n.entry k() { call f; ret; }\n",
         "shared 8 sh@0, local 0 of 16, calls\n"
         "k: call 320 x 0, param 320 x 0, ret 320 x 0, 320 bytes; zero carry:64; pc 3, segments 0 "
         "to 2\n"
         "end\n"
         "f: call 448 x 0, param 448 x 0, ret 448 x 0, 448 bytes; zero carry:64; pc 0, segments 3 "
         "to 4\n"
         "ld.b32 d=%r2 a=0x0 +0x4 (shared ld 4x1/4)\n"},
        /* registers as parameters: loaded first, stored before the return: five instructions */
        {".func (.reg .b32 y) f(.reg .b64 a, .reg .b32 b) { mov.u32 y, b; ret; }\n.entry k() { "
         ".reg .b64 %d<2>; .reg .b32 %r<3>; call (%r1), f, (%d1, 5); ret; }\n",
         "shared 0, local 0 of 16, calls\n"
         "k: call 704 x 0, param 704 x 0, ret 704 x 0, 704 bytes; zero carry:64, unset %d1:8; "
         "pc 5, segments 0 to 2\n"
         "end %d1:8 0x5:4 -> %r1:4\n"
         "f: call 704 x 0, param 704 x 16, ret 1216 x 16, 1728 bytes; zero carry:64; pc 0, "
         "segments 3 to 4\n"
         "* d=a param /8 imm=8\n"
         "* d=b param /4 imm=4 +0x8\n"
         "* a=b ret /4 imm=4\n"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        static char text[1 << 13];
        lib_message msg = {0};
        sim_module_options mo = {.ptxas = ""};
        snprintf(text, sizeof text, ".version 9.0\n.target sm_90a\n.address_size 64\n%s",
                 rows[k].body);
        sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
        sim_kernel *kernel = m ? sim_module_kernel(m, "k") : NULL;
        const sim_image *im = kernel ? sim_kernel_image(kernel, &msg) : NULL;
        len = 0, out[0] = 0;
        if (im) say_image(im);
        else say("%s", said(&msg));
        for (size_t n = 0; im && im->has_calls && n < im->func_count; n++) {
            const sim_func *f = &im->funcs[n];
            say_frame(f);
            for (uint32_t i = 0; i + 2 < f->insn_count; i++) say_insn(f, &f->insns[i]);
        }
        char name[16];
        snprintf(name, sizeof name, "module %zu", k);
        check_that(!strcmp(out, rows[k].want), __FILE__, __LINE__, name, out);
        sim_module_free(m);
    }
}

int main(void) {
    lib_message msg = {0};
    sim_options o;
    sim_options_default(&o);
    o.threads = 1;
    d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    if (!CHECK(d != NULL)) return check_done();
    loads();
    stores();
    atomics();
    warps();
    arith();
    values();
    guesses();
    copies();
    special_registers();
    segments();
    refused();
    modules();
    sim_device_free(d);
    return check_done();
}
