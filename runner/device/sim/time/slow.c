/* The operands that take the slow path, and its cost: slow.h. */
#include "runner/device/sim/time/slow.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Measured on an H100 with one warp (latency) and with eight warps on a scheduler (slots), for
 * whole warps of operands of each kind, without the cost of the short sequence. Where kinds share
 * instructions, the assembler's output was counted: all pass `entry`; `checks` separates zero,
 * infinity, NaN and subnormal numbers. So a division of zero takes 42 slots and 210 cycles more;
 * one of normal numbers with exponents far apart, 47 and 239. */
struct sim_slow_path {
    uint16_t op;
    uint8_t klass;
    sim_slow_cost entry, checks, special, scaled, operand, result;
};
static const sim_slow_path paths[] = {
    {PTX_OP_div, PTX_CLASS_FDIV, {18, 92}, {18, 92}, {6, 26}, {29, 147}, {16, 38}, {41, 98}},
    {PTX_OP_rcp, PTX_CLASS_FDIV, {12, 70}, {0, 0}, {9, 65}, {46, 137}, {0, 0}, {0, 0}},
    {PTX_OP_sqrt, PTX_CLASS_FDIV, {10, 85}, {0, 0}, {0, 0}, {16, 85}, {0, 0}, {0, 0}},
    {PTX_OP_div, PTX_CLASS_DDIV, {75, 230}, {0, 0}, {12, 50}, {12, 18}, {0, 0}, {22, 60}},
    {PTX_OP_rcp, PTX_CLASS_DDIV, {12, 70}, {0, 0}, {13, 55}, {32, 160}, {0, 0}, {0, 0}},
    {PTX_OP_sqrt, PTX_CLASS_DDIV, {30, 130}, {0, 0}, {6, 20}, {32, 128}, {0, 0}, {0, 0}},
};

/* Other roundings have no short sequence. */
const sim_slow_path *sim_slow_path_of(const ptx_insn *i) {
    if ((i->klass != PTX_CLASS_FDIV && i->klass != PTX_CLASS_DDIV) ||
        i->field[PTX_FIELD_ROUND] != PTX_ROUND_rn)
        return NULL;
    for (unsigned k = 0; k < sizeof paths / sizeof *paths; k++)
        if (paths[k].op == i->op && paths[k].klass == i->klass) return &paths[k];
    return NULL;
}

static void add(sim_slow_cost *to, sim_slow_cost more) {
    to->slots += more.slots;
    to->latency += more.latency;
}

sim_slow_cost sim_slow_cost_of(const sim_slow_path *p, unsigned why) {
    sim_slow_cost c = {0, 0};
    if (!why) return c;
    add(&c, p->entry);
    if (why & (SIM_SLOW_SPECIAL | SIM_SLOW_OPERAND)) add(&c, p->checks);
    if (why & SIM_SLOW_SPECIAL) add(&c, p->special);
    if (why & SIM_SLOW_SCALED) add(&c, p->scaled);
    if (why & SIM_SLOW_OPERAND) add(&c, p->operand);
    if (why & SIM_SLOW_RESULT) add(&c, p->result);
    return c;
}

static bool is_special(double x) {
    return x == 0 || !isfinite(x);
}

/* Exponents as they are stored. For divisions of 32 bits, an H100 was asked for all 256 by 256
 * exponents which of them FCHK sends to the slow path. For the others, the assembler's output has
 * comparisons. */
static unsigned div32(float a, float b) {
    uint32_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    int ea = (int)(x >> 23 & 255), eb = (int)(y >> 23 & 255);
    if (ea >= 25 && ea <= 254 && eb >= 2 && eb <= 251 && ea - eb >= -124 && ea - eb <= 126)
        return 0;
    if (is_special(a) || is_special(b)) return SIM_SLOW_SPECIAL;
    return SIM_SLOW_SCALED | (ea && eb ? 0u : SIM_SLOW_OPERAND) |
           (fabsf(a / b) < FLT_MIN ? SIM_SLOW_RESULT : 0u);
}

static unsigned rcp32(float a) {
    uint32_t x;
    memcpy(&x, &a, sizeof x);
    unsigned e = x >> 23 & 255;
    return e >= 1 && e <= 252 ? 0 : e == 253 || e == 254 ? SIM_SLOW_SCALED : SIM_SLOW_SPECIAL;
}

static unsigned sqrt32(float a) {
    uint32_t x;
    memcpy(&x, &a, sizeof x);
    if (x - 0xd000000u <= 0x727fffffu) return 0;
    return a > 0 ? SIM_SLOW_SCALED : SIM_SLOW_SPECIAL;
}

/* The upper half is treated as a number of 32 bits: that of the dividend, and that of the short
 * sequence's quotient. */
static unsigned div64(double a, double b) {
    uint64_t x, y, z;
    double q = a / b;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    memcpy(&z, &q, sizeof z);
    uint32_t high = (uint32_t)(z >> 32) & 0x7fffffff;
    if ((x >> 52 & 2047) >= 54 && (y >> 52 & 2047) >= 1 && (y >> 52 & 2047) < 2040 &&
        high > 0x100000 && high <= 0x7f800000)
        return 0;
    if (is_special(a) || is_special(b)) return SIM_SLOW_SPECIAL;
    return SIM_SLOW_SCALED | (fabs(q) < DBL_MIN ? SIM_SLOW_RESULT : 0u);
}

static unsigned rcp64(double a) {
    uint64_t x;
    memcpy(&x, &a, sizeof x);
    unsigned e = (unsigned)(x >> 52 & 2047);
    return e >= 1 && e <= 2044 ? 0 : is_special(a) ? SIM_SLOW_SPECIAL : SIM_SLOW_SCALED;
}

static unsigned sqrt64(double a) {
    uint64_t x;
    memcpy(&x, &a, sizeof x);
    unsigned e = (unsigned)(x >> 52); /* with the sign */
    return e >= 53 && e <= 2046 ? 0 : a > 0 && isfinite(a) ? SIM_SLOW_SCALED : SIM_SLOW_SPECIAL;
}

unsigned sim_slow_why(const ptx_insn *i, const void *a, const void *b, uint32_t on) {
    unsigned why = 0;
    for (; on; on &= on - 1) {
        unsigned l = (unsigned)__builtin_ctz(on);
        if (i->klass == PTX_CLASS_FDIV) {
            float x = ((const float *)a)[l];
            why |= i->op == PTX_OP_div   ? div32(x, ((const float *)b)[l])
                   : i->op == PTX_OP_rcp ? rcp32(x)
                                         : sqrt32(x);
        } else {
            double x = ((const double *)a)[l];
            why |= i->op == PTX_OP_div   ? div64(x, ((const double *)b)[l])
                   : i->op == PTX_OP_rcp ? rcp64(x)
                                         : sqrt64(x);
        }
    }
    return why;
}
