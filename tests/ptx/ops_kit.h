/* The instruction conformance kit: ops.txt names instructions, this makes a kernel and inputs of
 * each, for the simulated device (tests/unit/test_exec_ops.c) and for a real GPU (ops_gpu.c), whose
 * outputs are the expected ones (ops.expected.zst).
 *
 *   line of ops.txt:  TEXT ; types of the results ; types of the sources [; tolerance]
 *   TEXT              without operands gets them in order: "add.s32" is "add.s32 %d0, %s0, %s1;"
 *   types             u8..s64 f32 f64 f16 bf16 f16x2 bf16x2 pred
 *                     shift: a u32 around the widths; lane: 0..31; small: -9..9; angle: |x| <= pi
 *                     halves: four f16 that are whole numbers from -9 to 9, in 64 bits
 *
 * Each kernel has OPS_LANES threads; thread i reads its sources from 4 words of 64 bits and writes
 * 2. */
#ifndef OPS_KIT_H
#define OPS_KIT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPS_LANES = 256, OPS_SRC = 4, OPS_DST = 2, OPS_MAX = 8192 };
typedef struct {
    char text[640], tolerance[16];
    char dst[OPS_DST][8], src[OPS_SRC][8];
    int ndst, nsrc, line;
} ops_op;

static int ops_words(char *s, char to[][8], int max) {
    int n = 0;
    for (char *p = strtok(s, " "); p && n < max; p = strtok(NULL, " "))
        snprintf(to[n++], 8, "%s", p);
    return n;
}

/* Reads ops.txt; returns how many there are, or -1. The caller frees *ops. */
__attribute__((unused)) static int ops_read(const char *path, ops_op **ops) {
    FILE *f = fopen(path, "r");
    char line[1024];
    int n = 0;
    *ops = f ? calloc(OPS_MAX, sizeof **ops) : NULL;
    if (!*ops) {
        if (f) fclose(f);
        return -1;
    }
    for (int at = 1; fgets(line, sizeof line, f) && n < OPS_MAX; at++) {
        char *part[4] = {line, NULL, NULL, NULL};
        ops_op *o = &(*ops)[n];
        line[strcspn(line, "\n")] = 0;
        if (!*line || *line == '#') continue;
        char *end = *line == '{' ? strstr(line, ";};") : NULL; /* several instructions in braces */
        int k = 1;
        for (char *p = end ? end + 2 : line; *p && k < 4; p++) {
            if (*p != ';') continue;
            *p = 0;
            part[k++] = p + 1;
        }
        if (k < 3) continue;
        snprintf(o->text, sizeof o->text, "%s", part[0]);
        o->ndst = ops_words(part[1], o->dst, OPS_DST);
        o->nsrc = ops_words(part[2], o->src, OPS_SRC);
        snprintf(o->tolerance, sizeof o->tolerance, "%s", part[3] ? part[3] : "");
        o->line = at;
        n++;
    }
    fclose(f);
    return n;
}

/* ---- the kernel ---- */

static int ops_is(const char *t, const char *list) {
    const char *p = strstr(list, t);
    size_t n = strlen(t);
    return p && (p == list || p[-1] == ' ') && (!p[n] || p[n] == ' ');
}
static const char *ops_reg(const char *t) {
    if (!strcmp(t, "pred")) return "pred";
    if (ops_is(t, "u8 s8 u16 s16 f16 bf16")) return "b16";
    if (ops_is(t, "u64 s64 halves")) return "b64";
    if (!strcmp(t, "f64")) return "f64";
    if (ops_is(t, "f32 angle")) return "f32";
    return "b32";
}

static void ops_kernel(const ops_op *o, char *buf, size_t n) {
    size_t k = 0;
#define PUT(...) k += (size_t)snprintf(buf + k, n > k ? n - k : 0, __VA_ARGS__)
    PUT(".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry op(.param .u64 in, .param "
        ".u64 "
        "out)\n{\n"
        ".reg .b64 %%in, %%out;\n.reg .b32 %%t, %%w;\n.reg .b64 %%x;\n");
    for (int i = 0; i < o->ndst; i++) PUT(".reg .%s %%d%d;\n", ops_reg(o->dst[i]), i);
    for (int i = 0; i < o->nsrc; i++) PUT(".reg .%s %%s%d;\n", ops_reg(o->src[i]), i);
    PUT("mov.u32 %%t, %%tid.x;\nld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\n"
        "mad.wide.u32 %%in, %%t, 32, %%in;\nmad.wide.u32 %%out, %%t, 16, %%out;\n");
    for (int i = 0; i < o->nsrc; i++) {
        const char *t = o->src[i];
        if (!strcmp(t, "pred"))
            PUT("ld.global.u32 %%w, [%%in+%d];\nsetp.ne.u32 %%s%d, %%w, 0;\n", 8 * i, i);
        else if (ops_is(t, "u8 s8")) PUT("ld.global.%s %%s%d, [%%in+%d];\n", t, i, 8 * i);
        else PUT("ld.global.%s %%s%d, [%%in+%d];\n", ops_reg(t), i, 8 * i);
    }
    if (strchr(o->text, '%')) {
        PUT("%s%s\n", o->text, *o->text == '{' ? "" : ";");
    } else {
        PUT("%s %%d0", o->text);
        for (int i = 0; i < o->nsrc; i++) PUT(", %%s%d", i);
        PUT(";\n");
    }
    for (int i = 0; i < o->ndst; i++) {
        if (!strcmp(o->dst[i], "pred"))
            PUT("selp.u32 %%w, 1, 0, %%d%d;\nst.global.u32 [%%out+%d], %%w;\n", i, 8 * i);
        else PUT("st.global.%s [%%out+%d], %%d%d;\n", ops_reg(o->dst[i]), 8 * i, i);
    }
    PUT("ret;\n}\n");
#undef PUT
}

/* ---- inputs: edge values first, then random ones ---- */

static uint64_t ops_random(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}
static uint32_t ops_f32(uint64_t *s) {
    static const uint32_t edge[] = {
        0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
        0xffc12345, 0x7f800001, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x807fffff,
        0x7f7fffff, 0xff7fffff, 0x3f000000, 0x3fc00000, 0x40200000, 0xbf000000, 0x4b000000,
        0x4b800001, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000,
        0x3effffff, 0x477fe000, 0x477ff000, 0x33000001, 0x38800000, 0x387fc000, 0x42fe0000,
        0x437f8000, 0x7e800000, 0x7f000000, 0x3fffffff, 0x34000000};
    uint64_t r = ops_random(s);
    switch (r >> 60 & 3) {
    case 0: return edge[(r >> 20) % (sizeof edge / sizeof *edge)];
    case 1: return (uint32_t)r; /* any bits */
    case 2:
        return ((uint32_t)r & 0x807fffff) |
               (uint32_t)(0x3f800000 + ((int32_t)(r >> 40 & 31) - 16) * 0x800000); /* near 1 */
    default:
        return ((uint32_t)r & 0x80000000) | (0x3f800000 + (uint32_t)((r >> 40 & 3)) * 0x800000) |
               ((uint32_t)(r >> 50 & 7) << 20);
    }
}
static uint64_t ops_f64(uint64_t *s) {
    static const uint64_t edge[] = {0,
                                    1ull << 63,
                                    0x3ff0000000000000,
                                    0xbff0000000000000,
                                    0x7ff0000000000000,
                                    0xfff0000000000000,
                                    0x7ff8000000000000,
                                    1,
                                    0x000fffffffffffff,
                                    0x0010000000000000,
                                    0x7fefffffffffffff,
                                    0xffefffffffffffff,
                                    0x3fe0000000000000,
                                    0x3ff8000000000000,
                                    0x4004000000000000,
                                    0x41e0000000000000,
                                    0xc1e0000000000000,
                                    0x41efffffffe00000,
                                    0x43e0000000000000,
                                    0xc3e0000000000000,
                                    0x43f0000000000000,
                                    0x47efffffe0000000,
                                    0x47effffff0000000,
                                    0x380fffffffffffff,
                                    0x36a0000000000001,
                                    0x3fdfffffffffffff,
                                    0x40effc0000000000,
                                    0x3690000000000000,
                                    0x3f10000000000000,
                                    0x8010000000000000};
    uint64_t r = ops_random(s), q = ops_random(s);
    switch (r >> 60 & 3) {
    case 0: return edge[(r >> 20) % (sizeof edge / sizeof *edge)];
    case 1: return ((q & 0x7ff0000000000000) == 0x7ff0000000000000) ? q ^ 0x1000000000000000 : q;
    case 2:
        return (q & 0x800fffffffffffff) | (0x3ff0000000000000 + (((int64_t)(r >> 40 & 63) - 32) *
                                                                 0x10000000000000)); /* near 1 */
    default:
        return (q & 0x8000000000000000) | (0x3ff0000000000000 + ((r >> 40 & 3) << 52)) |
               (r >> 50 & 7) << 49;
    }
}
static uint16_t ops_f16(uint64_t *s, int bf) {
    static const uint16_t half[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00,
                                    0x7e00, 1,      0x03ff, 0x0400, 0x7bff, 0xfbff,
                                    0x3800, 0x3e00, 0x4100, 0x8001, 0x3555, 0x5640},
                          brain[] = {0,      0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80,
                                     0x7fc0, 1,      0x007f, 0x0080, 0x7f7f, 0xff7f,
                                     0x3f00, 0x3fc0, 0x4020, 0x8001, 0x3eab, 0x42c8};
    uint64_t r = ops_random(s);
    if (r >> 61 & 1) return bf ? brain[r % 18] : half[r % 18];
    if (r >> 62 & 1) return (uint16_t)r;
    return (uint16_t)((r & (bf ? 0x807f : 0x83ff)) |
                      (bf ? 0x3f80 + ((r >> 40 & 7) << 7) - (3 << 7)
                          : 0x3c00 + ((r >> 40 & 7) << 10) - (3 << 10)));
}
static uint64_t ops_int(uint64_t *s, unsigned bits) {
    uint64_t r = ops_random(s), q = ops_random(s), v;
    switch (r >> 61 & 3) {
    case 0: { /* around the borders of the type */
        int64_t d = (int64_t)(r & 3) - 1;
        unsigned k = r >> 10 & 3;
        v = (uint64_t)d + (k == 1                 ? 1ull << (bits - 1)
                           : k == 2               ? ~0ull
                           : k == 3 && bits == 64 ? 1ull << 32
                                                  : 0);
        break;
    }
    case 1: v = q >> (r & 63); break;
    case 2: v = (uint64_t)(int64_t)(int8_t)q; break;
    default: v = q; break;
    }
    return bits == 64 ? v : v & ((1ull << bits) - 1);
}

static uint64_t ops_value(const char *t, uint64_t *s) {
    if (!strcmp(t, "f32")) return ops_f32(s);
    if (!strcmp(t, "f64")) return ops_f64(s);
    if (!strcmp(t, "f16")) return ops_f16(s, 0);
    if (!strcmp(t, "bf16")) return ops_f16(s, 1);
    if (!strcmp(t, "f16x2")) return ops_f16(s, 0) | (uint64_t)ops_f16(s, 0) << 16;
    if (!strcmp(t, "bf16x2")) return ops_f16(s, 1) | (uint64_t)ops_f16(s, 1) << 16;
    if (!strcmp(t, "pred")) return ops_random(s) >> 40 & 1;
    if (!strcmp(t, "shift")) {
        uint64_t r = ops_random(s);
        return (r >> 50 & 7) == 0 ? (r & 0xffffffff) : r % 70;
    }
    if (!strcmp(t, "lane")) return ops_random(s) >> 20 & 31;
    if (!strcmp(t, "small")) return (uint32_t)((int32_t)(ops_random(s) % 19) - 9);
    if (!strcmp(t, "halves")) {
        static const uint16_t whole[] = {0,      0x3c00, 0x4000, 0x4200, 0x4400,
                                         0x4500, 0x4600, 0x4700, 0x4800, 0x4880};
        uint64_t r = ops_random(s), v = 0;
        for (int i = 0; i < 4; i++, r >>= 16) v = v << 16 | whole[(r & 0x7fff) % 10] | (r & 0x8000);
        return v;
    }
    if (!strcmp(t, "angle")) {
        float x = ((float)(ops_random(s) >> 40) / 16777216.0f * 2.0f - 1.0f) * 3.1415927f;
        uint32_t b;
        memcpy(&b, &x, 4);
        return b;
    }
    return ops_int(s, (unsigned)atoi(t + 1));
}

__attribute__((unused)) static void ops_inputs(const ops_op *o, uint64_t in[OPS_LANES][OPS_SRC]) {
    uint64_t s = 0x9e3779b97f4a7c15ull;
    for (const char *p = o->text; *p; p++) s = (s ^ (uint8_t)*p) * 0x100000001b3ull + 1;
    memset(in, 0, OPS_LANES * sizeof *in);
    for (int l = 0; l < OPS_LANES; l++)
        for (int k = 0; k < o->nsrc; k++) in[l][k] = ops_value(o->src[k], &s);
}

#endif
