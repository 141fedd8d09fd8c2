/* Surfaces, and of textures what test_texture.c has not: channels and whole numbers, gathers,
 * volumes and layers, what a kernel asks about them; each of the host's vector code and of the
 * plain path. Expected values: PTX ISA 9.7.10 and 9.7.11 (suld, sust, sured: x counts bytes; .clamp
 * goes to the nearest place "sized appropriately", .zero gives 0 and stores nothing, .trap ends the
 * launch; tld4: the order of its texels; txq), CUDA C++ Programming Guide, "Texture Fetching": a
 * place that is worked out here in C. */
#include <stdlib.h>
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"

enum { LANES = 8, PITCH = 64, SLICE = 320, ALL = 1024 };

/* A lane has the four words of its row in %r2 .. %r5 (%f2 .. %f5), and what is in %r6 .. %r9 goes
 * out. */
#define HEAD                                                                                       \
    ".version 8.1\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 " \
    "in, .param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .f32 %f<16>;\n.reg .b32 %r<16>;\n.reg .b16 " \
    "%h<8>;\n.reg .b64 %d<12>;\nld.param.u64 %d1, [t];\nld.param.u64 %d2, [in];\nld.param.u64 "    \
    "%d3, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d4, %r1, 16;\nadd.s64 %d2, %d2, "            \
    "%d4;\nadd.s64 %d3, %d3, %d4;\nld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%d2];\nmov.b32 %f2, "   \
    "%r2;\nmov.b32 %f3, %r3;\nmov.b32 %f4, %r4;\nmov.b32 %r6, 0;\nmov.b32 %r7, 0;\nmov.b32 %r8, "  \
    "0;\nmov.b32 %r9, 0;\n"
#define TAIL "st.global.v4.b32 [%d3], {%r6, %r7, %r8, %r9};\nret;\n}\n"

static sim_device *d;
static lib_message msg;
static sim_addr base;
static uint32_t in[LANES][4], out[LANES][4];
static uint8_t memory[ALL]; /* what lies at `base` */

static uint32_t bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static float real(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static sim_status run_handle(const char *body, uint64_t handle) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    if (!m) {
        printf("# %s\n", said(&msg));
        return SIM_BAD_PTX;
    }
    uint64_t p[3] = {handle, 0, 0};
    sim_malloc(d, sizeof in, &p[1]);
    sim_malloc(d, sizeof out, &p[2]);
    sim_write(d, p[1], in, sizeof in);
    sim_launch l = {.kernel = sim_module_kernel(m, "k"),
                    .grid = {1, 1, 1},
                    .block = {LANES, 1, 1},
                    .params = p,
                    .param_bytes = sizeof p};
    sim_result r;
    sim_status s = sim_run(d, &l, &r, &msg);
    sim_read(d, out, p[2], sizeof out);
    sim_result_free(&r);
    sim_free(d, p[1]);
    sim_free(d, p[2]);
    sim_module_free(m);
    return s;
}

static sim_status run(const char *body, const sim_texture *t) {
    uint64_t h = 0;
    if (sim_write(d, base, memory, sizeof memory) || sim_texture_new(d, t, &h)) return SIM_NOMEM;
    sim_status s = run_handle(body, h);
    sim_read(d, memory, base, sizeof memory);
    sim_texture_free(d, h);
    return s;
}

static void fill(void) {
    for (unsigned k = 0; k < ALL; k++) memory[k] = (uint8_t)(k * 37 + k / 256 + 11);
}

/* ---- surfaces ---- */

enum { WIDTH = 8, HEIGHT = 4, DEPTH = 3 };
static sim_texture surface_of(bool layered) {
    return (sim_texture){.base = base,
                         .pitch = PITCH,
                         .slice = SLICE,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .depth = DEPTH,
                         .layered = layered,
                         .surface = true,
                         .channels = 1,
                         .bits = 32,
                         .kind = SIM_TEX_UNSIGNED};
}

/* A layer's index has no sign. */
static const struct {
    const char *name, *at;
    bool array;
    unsigned dims;
} geometries[] = {{"1d", "{%r2}", false, 1},
                  {"2d", "{%r2, %r3}", false, 2},
                  {"3d", "{%r2, %r3, %r4, %r4}", false, 3},
                  {"a1d", "{%r4, %r2}", true, 1},
                  {"a2d", "{%r4, %r2, %r3, %r3}", true, 2}};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries };

/* Offset of `bytes` at a lane's place; -1: outside, where nothing is. */
static int place(unsigned geometry, bool clamp, const uint32_t c[4], unsigned bytes) {
    int64_t v[3] = {(int32_t)c[0], (int32_t)c[1], (int32_t)c[2]};
    const int64_t last[3] = {WIDTH * 4 - (int)bytes, HEIGHT - 1, DEPTH - 1};
    if (geometries[geometry].array) v[2] = c[2];
    else if (geometries[geometry].dims < 3) v[2] = 0;
    if (geometries[geometry].dims < 2) v[1] = 0;
    for (unsigned n = 0; n < 3; n++) {
        if ((v[n] < 0 || v[n] > last[n]) && !clamp) return -1;
        v[n] = v[n] < 0 ? 0 : v[n] > last[n] ? last[n] : v[n];
    }
    return (int)(v[2] * SLICE + v[1] * PITCH + v[0]);
}

static const struct {
    unsigned bytes, vec;
} sizes[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {1, 2}, {2, 2},
             {4, 2}, {8, 2}, {1, 4}, {2, 4}, {4, 4}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Inside, at the last place and one behind it, before each beginning; where all are clamped no two
 * lanes come to one place. */
static void put_places(unsigned total, uint32_t z) {
    const int x[LANES] = {32 - (int)total, 0, -16, 33 - (int)total, 16, 0, 16, 0},
              y[LANES] = {0, 2, 1, 1, 2, -1, 4, 3};
    for (unsigned l = 0; l < LANES; l++)
        in[l][0] = (uint32_t)x[l], in[l][1] = (uint32_t)y[l], in[l][2] = z;
}

static char *registers(unsigned bytes, unsigned vec, unsigned first) {
    static char text[80];
    size_t n = 0;
    for (unsigned k = 0; k < vec; k++)
        n += (size_t)sprintf(text + n, "%s%%%c%u", k ? ", " : "",
                             bytes < 4    ? 'h'
                             : bytes == 4 ? 'r'
                                          : 'd',
                             bytes == 4 ? first + k : 6 - 5 * (bytes < 4) + k);
    return text;
}

/* What lane l stores first, second, ...: words, or halves of 8 bytes. */
static uint32_t stored(unsigned l, unsigned n) {
    return l * 2654435761u + 12345 + n * 0x11111111u;
}

static void test_loads(void) {
    char body[1000], what[64], why[64];
    for (unsigned k = 0; k < SIZES * GEOMETRIES * 8; k++) {
        unsigned g = k / 8 % GEOMETRIES, bytes = sizes[k / 8 / GEOMETRIES].bytes,
                 vec = sizes[k / 8 / GEOMETRIES].vec, total = bytes * vec;
        static const uint32_t layers[4] = {0, DEPTH - 1, DEPTH, UINT32_MAX};
        bool clamp = k & 1;
        fill();
        put_places(total, layers[k / 2 % 4]);
        size_t n = (size_t)snprintf(
            body, sizeof body, "suld.b.%s%s.b%u.%s {%s}, [%%d1, %s];\n", geometries[g].name,
            vec == 4   ? ".v4"
            : vec == 2 ? ".v2"
                       : "",
            8 * bytes, clamp ? "clamp" : "zero", registers(bytes, vec, 6), geometries[g].at);
        for (unsigned e = 0; e < vec && bytes != 4; e++)
            n += (size_t)(bytes < 4 ? sprintf(body + n, "cvt.u32.u16 %%r%u, %%h%u;\n", 6 + e, 1 + e)
                                    : sprintf(body + n, "mov.b64 {%%r%u, %%r%u}, %%d%u;\n",
                                              6 + 2 * e, 7 + 2 * e, 6 + e));
        const sim_texture t = surface_of(geometries[g].array);
        unsigned bad = run(body, &t) ? 99 : 0;
        for (unsigned l = 0; l < LANES; l++) {
            int at = place(g, clamp, in[l], total);
            uint32_t want[4] = {0};
            unsigned each = bytes < 4 ? bytes : 4;
            for (unsigned e = 0; at >= 0 && e < total / each; e++)
                memcpy(&want[e], memory + at + e * each, each);
            bad += memcmp(want, out[l], sizeof want) != 0;
        }
        snprintf(what, sizeof what, "%.40s", body);
        *strchr(what, ' ') = 0;
        snprintf(why, sizeof why, "layer %d: %u lanes differ", (int)in[0][2], bad);
        check_that(!bad, __FILE__, __LINE__, what, why);
    }
}

static void test_stores(void) {
    static uint8_t want[ALL];
    char body[1000], what[64];
    for (unsigned k = 0; k < SIZES * 6; k++) {
        static const unsigned with[3] = {1, 2, 4}; /* by rows: no two lanes in one place */
        unsigned g = with[k % 3], bytes = sizes[k / 6].bytes, vec = sizes[k / 6].vec,
                 total = bytes * vec;
        bool clamp = k / 3 % 2;
        fill();
        memcpy(want, memory, sizeof want);
        put_places(total, k % 2 ? 1 : DEPTH);
        for (unsigned l = 0; l < LANES; l++) {
            int at = place(g, clamp, in[l], total);
            unsigned each = bytes < 4 ? bytes : 4;
            for (unsigned e = 0; at >= 0 && e < total / each; e++) {
                uint32_t v = stored(l, e);
                memcpy(want + at + e * each, &v, each);
            }
        }
        size_t n = (size_t)snprintf(body, sizeof body,
                                    "mad.lo.u32 %%r10, %%r1, 0x9E3779B1, 12345;\nadd.u32 %%r11, "
                                    "%%r10, 0x11111111;\nadd.u32 %%r12, %%r11, 0x11111111;\n"
                                    "add.u32 %%r13, %%r12, 0x11111111;\nmov.b64 %%d6, {%%r10, "
                                    "%%r11};\nmov.b64 %%d7, {%%r12, %%r13};\ncvt.u16.u32 %%h1, "
                                    "%%r10;\ncvt.u16.u32 %%h2, %%r11;\ncvt.u16.u32 %%h3, %%r12;\n"
                                    "cvt.u16.u32 %%h4, %%r13;\n"),
               from = n;
        snprintf(body + n, sizeof body - n, "sust.b.%s%s.b%u.%s [%%d1, %s], {%s};\n",
                 geometries[g].name,
                 vec == 4   ? ".v4"
                 : vec == 2 ? ".v2"
                            : "",
                 8 * bytes, clamp ? "clamp" : "zero", geometries[g].at, registers(bytes, vec, 10));
        const sim_texture t = surface_of(geometries[g].array);
        sim_status s = run(body, &t);
        snprintf(what, sizeof what, "%.40s", body + from);
        *strchr(what, ' ') = 0;
        check_that(s == SIM_OK && !memcmp(want, memory, sizeof want), __FILE__, __LINE__, what,
                   "other bytes");
    }
}

/* The first lane that is outside ends the launch, and says where it was. */
static void test_traps(void) {
    static const struct {
        int x, y, z;
    } rows[] = {{28, 3, 2}, {-4, 3, 2}, {29, 0, 0}, {32, 0, 0}, {0, -1, 0},
                {0, 4, 0},  {0, 3, -1}, {0, 3, 3},  {0, 0, 2}};
    char where[100];
    const sim_texture t = surface_of(false);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        bool inside = !k || k == 8;
        fill();
        for (unsigned l = 0; l < LANES; l++) in[l][0] = 4 * l, in[l][1] = in[l][2] = 0;
        in[5][0] = (uint32_t)rows[k].x, in[5][1] = (uint32_t)rows[k].y,
        in[5][2] = (uint32_t)rows[k].z;
        CHECK_INT(run("suld.b.3d.b32.trap {%r6}, [%d1, {%r2, %r3, %r4, %r4}];\n", &t),
                  inside ? SIM_OK : SIM_ILLEGAL_ADDRESS);
        snprintf(where, sizeof where,
                 "accesses a surface of 8 x 4 x 3 texels outside of it, at %d (bytes), %d, %d",
                 rows[k].x, rows[k].y, rows[k].z);
        if (!inside) CHECK_CONTAINS(said(&msg), where);
    }
}

/* Each lane's word := itself op what the lane gives. */
static void test_reductions(void) {
    static const char *const ops[] = {"add", "min", "max", "and", "or"};
    static const struct {
        const char *type;
        unsigned from, to; /* of ops */
    } types[] = {{"u32", 0, 3}, {"s32", 0, 3}, {"u64", 0, 3}, {"s64", 1, 3}, {"b32", 3, 5}};
    static const int64_t pairs[LANES][2] = {{1, 2},
                                            {2, 1},
                                            {-1, 1},
                                            {1, -1},
                                            {-7, -3},
                                            {INT64_C(1) << 40 | 1, INT64_C(1) << 33 | 9},
                                            {INT32_MIN, INT32_MAX},
                                            {0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff}};
    sim_texture t = surface_of(false);
    t.width = 16, t.height = t.depth = 0;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        for (unsigned o = types[k].from; o < types[k].to; o++) {
            bool sign = *types[k].type == 's';
            unsigned bytes = (unsigned)atoi(types[k].type + 1) / 8;
            char body[200];
            fill();
            for (unsigned l = 0; l < LANES; l++) {
                in[l][0] = bytes * l;
                memcpy(memory + (size_t)bytes * l, &pairs[l][0], bytes);
                memcpy(&in[l][2], &pairs[l][1], 8);
            }
            snprintf(body, sizeof body,
                     "mov.b64 %%d6, {%%r4, %%r5};\nsured.b.%s.1d.%s.trap [%%d1, {%%r2}], %s;\n",
                     ops[o], types[k].type, bytes == 8 ? "%d6" : "%r4");
            CHECK_INT(run(body, &t), SIM_OK);
            unsigned bad = 0;
            for (unsigned l = 0; l < LANES; l++) {
                int64_t a = pairs[l][0], b = pairs[l][1], got = 0;
                if (bytes == 4) a = (int32_t)a, b = (int32_t)b;
                uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
                bool less = sign ? a < b : ua < ub;
                const int64_t want[] = {(int64_t)(ua + ub), less ? a : b, less ? b : a, a & b,
                                        a | b};
                memcpy(&got, memory + (size_t)bytes * l, bytes);
                bad += memcmp(&got, &want[o], bytes) != 0;
            }
            snprintf(body, sizeof body, "sured.b.%s.1d.%s", ops[o], types[k].type);
            check_that(!bad, __FILE__, __LINE__, body, "another word");
        }
}

/* ---- textures ---- */

static sim_texture texture_of(unsigned width, unsigned height, unsigned depth) {
    return (sim_texture){.base = base,
                         .pitch = PITCH,
                         .slice = SLICE,
                         .width = width,
                         .height = height,
                         .depth = depth,
                         .channels = 1,
                         .bits = 32,
                         .kind = SIM_TEX_FLOAT,
                         .address = {SIM_TEX_CLAMP, SIM_TEX_CLAMP, SIM_TEX_CLAMP}};
}

/* Whole numbers keep their sign and channels that are not there are 0; 16-bit floats are floats. */
static void test_channels(void) {
    static const uint8_t channels[] = {1, 2, 4}, wide[] = {8, 16, 32};
    for (unsigned k = 0; k < 3 * 3 * 3; k++) {
        unsigned c = channels[k % 3], w = wide[k / 3 % 3], kind = k / 9, texel = c * w / 8;
        if (kind == SIM_TEX_FLOAT && w == 8) continue;
        sim_texture t = texture_of(PITCH / 16, 2, 0);
        t.channels = (uint8_t)c, t.bits = (uint8_t)w, t.kind = (uint8_t)kind;
        fill();
        for (unsigned h = 0; kind == SIM_TEX_FLOAT && w == 16 && h < ALL / 2; h++) {
            uint16_t half = (uint16_t)((h % 3 ? 0x3c00 : 0xbc00) + h % 1024); /* (1 + h / 1024) */
            memcpy(memory + (size_t)2 * h, &half, 2);
        }
        for (unsigned l = 0; l < LANES; l++)
            in[l][0] = bits((float)(l % 4) + 0.5f), in[l][1] = bits(l < 4 ? 0.5f : 1.5f);
        static const char *const fetch[] = {
            "tex.2d.v4.s32.f32 {%r6, %r7, %r8, %r9}, [%d1, {%f2, %f3}];\n",
            "tex.2d.v4.u32.f32 {%r6, %r7, %r8, %r9}, [%d1, {%f2, %f3}];\n",
            "tex.2d.v4.f32.f32 {%f6, %f7, %f8, %f9}, [%d1, {%f2, %f3}];\nmov.b32 %r6, %f6;\n"
            "mov.b32 %r7, %f7;\nmov.b32 %r8, %f8;\nmov.b32 %r9, %f9;\n"};
        CHECK_INT(run(fetch[kind], &t), SIM_OK);
        unsigned bad = 0;
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned n = 0; n < 4; n++) {
                size_t at = l / 4 * PITCH + l % 4 * texel + n * w / 8;
                uint32_t v = 0;
                if (n < c) memcpy(&v, memory + at, w / 8);
                if (kind == SIM_TEX_SIGNED && w < 32 && v >> (w - 1)) v -= 1u << w;
                if (kind == SIM_TEX_FLOAT && w == 16 && n < c)
                    v = bits((v >> 15 ? -1.0f : 1.0f) * (1 + (float)(at / 2 % 1024) / 1024));
                bad += v != out[l][n];
            }
        char what[64];
        snprintf(what, sizeof what, "%u channels of %u bits, kind %u", c, w, kind);
        check_that(!bad, __FILE__, __LINE__, what, "another value");
    }
}

/* Texel (x, y, z) is 16 z + 4 y + x: between texels the same with what is between them. */
static void put_volume(void) {
    memset(memory, 0, sizeof memory);
    for (unsigned k = 0; k < 4 * 3 * 2; k++) {
        unsigned whole = k / 12 * 16 + k / 4 % 3 * 4 + k % 4;
        float v = (float)whole;
        memcpy(memory + k / 12 * SLICE + k / 4 % 3 * PITCH + k % 4 * 4, &v, 4);
    }
}

#define TO_BITS "mov.b32 %r6, %f6;\nmov.b32 %r7, %f7;\nmov.b32 %r8, %f8;\nmov.b32 %r9, %f9;\n"
static void test_volumes(void) {
    static const struct {
        const char *name, *at;
        unsigned dims;
        bool array;
    } shapes[] = {{"1d", "{%f2}", 1, false},
                  {"2d", "{%f2, %f3}", 2, false},
                  {"3d", "{%f2, %f3, %f4, %f4}", 3, false},
                  {"a1d", "{%r5, %f2}", 1, true},
                  {"a2d", "{%r5, %f2, %f3, %f3}", 2, true}};
    static const float at[LANES][3] = {{0.5f, 0.5f, 0.5f}, {1.75f, 2.25f, 1.25f}, {-1, 1, 1},
                                       {4, 1.5f, 0.25f},   {2.25f, -0.25f, 1.5f}, {3.5f, 3, 0.75f},
                                       {1, 1, -1},         {2.5f, 2, 2}};
    static const uint32_t layer[LANES] = {0, 1, 2, UINT32_MAX, 1, 0, 1, 0};
    for (unsigned k = 0; k < 5 * 3; k++) {
        unsigned s = k / 3;
        /* the nearest texel, linear, and nearest with a border along the last dimension */
        bool linear = k % 3 == 1, border = k % 3 == 2;
        sim_texture t = texture_of(4, shapes[s].dims > 1 ? 3 : 0,
                                   shapes[s].array || shapes[s].dims > 2 ? 2 : 0);
        char body[300];
        const float most[3] = {3, 2, 1};
        unsigned bad = 0;
        t.layered = shapes[s].array, t.linear_filter = linear;
        if (border) t.address[shapes[s].dims - 1] = SIM_TEX_BORDER;
        t.border[0] = -5, t.border[1] = -6;
        put_volume();
        for (unsigned l = 0; l < LANES; l++) {
            for (unsigned n = 0; n < 3; n++) in[l][n] = bits(at[l][n]);
            in[l][3] = layer[l];
        }
        snprintf(body, sizeof body, "tex.%s.v4.f32.f32 {%%f6, %%f7, %%f8, %%f9}, [%%d1, %s];\n%s",
                 shapes[s].name, shapes[s].at, TO_BITS);
        CHECK_INT(run(body, &t), SIM_OK);
        for (unsigned l = 0; l < LANES; l++) {
            float c[3] = {0}, want = 0;
            bool outside = false;
            for (unsigned n = 0; n < shapes[s].dims; n++) {
                c[n] = linear ? at[l][n] - 0.5f : floorf(at[l][n]);
                outside |= border && n == shapes[s].dims - 1 && (c[n] < 0 || c[n] > most[n]);
                c[n] = fminf(fmaxf(c[n], 0), most[n]);
            }
            if (shapes[s].array) c[2] = layer[l] ? 1 : 0;
            want = outside ? -5 : 16 * c[2] + 4 * c[1] + c[0];
            bad += real(out[l][0]) != want || real(out[l][1]) != (outside ? -6 : 0);
        }
        char why[64];
        snprintf(why, sizeof why, "%u lanes; way %u", bad, k % 3);
        check_that(!bad, __FILE__, __LINE__, shapes[s].name, why);
    }
}

/* By whole numbers: no filter, no address mode, and 0 beside the texels. */
static void test_whole_coordinates(void) {
    static const int at[LANES][3] = {{0, 0, 0}, {3, 2, 1},  {4, 0, 0},  {0, 3, 0},
                                     {0, 0, 2}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (unsigned linear = 0; linear < 2; linear++) {
        sim_texture t = texture_of(4, 3, 2);
        t.linear_filter = linear;
        t.border[0] = 9;
        put_volume();
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned n = 0; n < 3; n++) in[l][n] = (uint32_t)at[l][n];
        CHECK_INT(run("tex.3d.v4.f32.s32 {%f6, %f7, %f8, %f9}, [%d1, {%r2, %r3, %r4, "
                      "%r4}];\n" TO_BITS,
                      &t),
                  SIM_OK);
        for (unsigned l = 0; l < LANES; l++)
            CHECK_NEAR(real(out[l][0]), l == 1 ? 16 + 4 * 2 + 3 : 0, 0);
    }
}

/* One component of the four texels around a place: (0,1), (1,1), (1,0), (0,0). */
static void test_gather(void) {
    static const float at[LANES][2] = {{1, 1},     {2, 1},        {1.25f, 1.75f}, {3, 2},
                                       {0.25f, 1}, {3.75f, 2.5f}, {2, 0.25f},     {1.5f, 1.5f}};
    for (unsigned k = 0; k < 8; k++) {
        bool normalized = k & 1;
        unsigned component = k / 2;
        sim_texture t = texture_of(4, 3, 0);
        t.channels = 4, t.normalized_coords = normalized, t.linear_filter = true;
        memset(memory, 0, sizeof memory);
        for (unsigned x = 0; x < 4 * 3 * 4; x++) { /* 100 c + 10 y + x */
            unsigned whole = x % 4 * 100 + x / 16 * 10 + x / 4 % 4;
            float v = (float)whole;
            memcpy(memory + x / 16 * PITCH + x % 16 * 4, &v, 4);
        }
        for (unsigned l = 0; l < LANES; l++) {
            in[l][0] = bits(at[l][0] / (normalized ? 4 : 1));
            in[l][1] = bits(normalized ? at[l][1] * 0.33333334f : at[l][1]);
        }
        char body[300];
        snprintf(body, sizeof body,
                 "tld4.%c.2d.v4.f32.f32 {%%f6, %%f7, %%f8, %%f9}, [%%d1, {%%f2, %%f3}];\n%s",
                 "rgba"[component], TO_BITS);
        CHECK_INT(run(body, &t), SIM_OK);
        unsigned bad = 0;
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned n = 0; n < 4; n++) {
                /* a normalized coordinate has 21 fraction bits (tests/cuda/texture_filter.cu) */
                double row = normalized ? floor((double)real(in[l][1]) * 0x1p21) * 0x1p-21 * 3
                                        : (double)at[l][1];
                float x = floorf(at[l][0] - 0.5f) + (n == 1 || n == 2),
                      y = (float)floor(row - 0.5) + (n < 2);
                x = fminf(fmaxf(x, 0), 3), y = fminf(fmaxf(y, 0), 2);
                bad += real(out[l][n]) != 100 * (float)component + 10 * y + x;
            }
        check_that(!bad, __FILE__, __LINE__, "tld4", body);
    }
}

/* Sectors of 32 bytes that a request looks up, each once for its lanes: in linear memory eight
 * lanes, each sector 32 bytes of a row; in an array four, each 16 bytes of two rows (Tegra X1
 * Technical Reference Manual, "Pixel Memory Formats", block linear). Neighbours, and texels from
 * all over the array. */
static void test_sectors(void) {
    enum { BLOCKS = 48, THREADS = BLOCKS * 32, FAR_W = 72, FAR_H = 200, FAR_D = 3 };
    static const char kernel[] =
        ".version 8.1\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 t, .param "
        ".u64 "
        "in)\n{\n.reg .f32 %f<8>;\n.reg .b32 %r<8>;\n.reg .b64 %d<4>;\nld.param.u64 %d1, "
        "[t];\nld.param.u64 %d2, [in];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 "
        "%r1, %r2, 32, %r1;\nmul.wide.u32 %d3, %r1, 16;\nadd.s64 %d2, %d2, %d3;\nld.global.v4.b32 "
        "{%r1, %r2, %r3, %r4}, [%d2];\n";
    static const struct {
        const char *fetch;
        unsigned channels, dims;
        bool array, blocks;
    } rows[] = {
        {"tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1, %r2}]", 1, 2, false, true},
        {"tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1, %r2}]", 4, 2, false, true},
        {"tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1, %r2}]", 1, 2, false, false},
        {"tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1, %r2}]", 2, 2, false, false},
        {"tex.3d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1, %r2, %r3, %r3}]", 1, 3, false, true},
        {"tex.a2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r3, %r1, %r2, %r2}]", 2, 2, true, true},
        {"tex.a2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r3, %r1, %r2, %r2}]", 1, 2, true,
         false}};
    static uint32_t at[THREADS][4];
    char text[2000];
    sim_addr texels, coordinates;
    sim_malloc(d, FAR_W * 16 * FAR_H * FAR_D, &texels);
    sim_fill(d, texels, 0, 4, FAR_W * 4 * FAR_H * FAR_D);
    sim_malloc(d, sizeof at, &coordinates);
    for (unsigned k = 0; k < 2 * sizeof rows / sizeof *rows; k++) {
        unsigned s = k / 2, texel = 4 * rows[s].channels, each = rows[s].blocks ? 4 : 8, want = 0;
        bool far = k & 1, deep = rows[s].dims > 2 || rows[s].array;
        uint64_t seed = 12345;
        for (unsigned n = 0; n < THREADS; n++)
            for (unsigned c = 0; c < 3; c++) {
                static const unsigned near[3] = {64, 8, 2}, most[3] = {FAR_W, FAR_H, FAR_D};
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                unsigned in_near = near[c] / (c ? 1 : texel);
                /* from afar, only what lies in another group of 64 bytes by 8 rows differs */
                unsigned unit = c == 0 ? 64 / texel : c == 1 ? 8 : 1;
                at[n][c] = (uint32_t)(seed >> 33) % (far ? (most[c] + unit - 1) / unit : in_near) *
                           (far ? unit : 1);
                if (c == 2 && !deep) at[n][c] = 0;
            }
        for (unsigned n = 0; n < THREADS; n++) {
            bool met = false;
            for (unsigned o = n / each * each; o < n; o++)
                met |= at[n][2] == at[o][2] &&
                       (rows[s].blocks ? at[n][0] * texel / 16 == at[o][0] * texel / 16 &&
                                             at[n][1] / 2 == at[o][1] / 2
                                       : at[n][0] * texel / 32 == at[o][0] * texel / 32 &&
                                             at[n][1] == at[o][1]);
            want += !met;
        }
        sim_texture t = texture_of(FAR_W, FAR_H, deep ? FAR_D : 0);
        t.base = texels, t.pitch = FAR_W * texel, t.slice = t.pitch * FAR_H;
        t.channels = (uint8_t)rows[s].channels, t.layered = rows[s].array;
        t.block_linear = rows[s].blocks;
        snprintf(text, sizeof text, "%s%s;\nret;\n}\n", kernel, rows[s].fetch);
        sim_module_options mo = {.ptxas = ""};
        sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
        uint64_t p[2] = {0, coordinates};
        CHECK_INT(sim_texture_new(d, &t, &p[0]), SIM_OK);
        sim_write(d, coordinates, at, sizeof at);
        sim_launch l = {.kernel = sim_module_kernel(m, "k"),
                        .grid = {BLOCKS, 1, 1},
                        .block = {32, 1, 1},
                        .params = p,
                        .param_bytes = sizeof p};
        sim_result r;
        CHECK_INT(sim_run(d, &l, &r, &msg), SIM_OK);
        CHECK_INT(r.counters.tex_requests, BLOCKS);
        CHECK_INT(r.counters.tex_sectors, want);
        sim_result_free(&r);
        sim_module_free(m);
        sim_texture_free(d, p[0]);
    }
    sim_free(d, coordinates);
    sim_free(d, texels);
}

/* ---- what they are ---- */

static void test_queries(void) {
    static const struct {
        const char *query;
        uint32_t want[3]; /* of a volume, of layers, of levels */
    } rows[] = {{"txq.width.b32 %r6, [%d1]", {5, 5, 5}},
                {"txq.height.b32 %r6, [%d1]", {3, 3, 3}},
                {"txq.depth.b32 %r6, [%d1]", {2, 0, 0}},
                {"txq.array_size.b32 %r6, [%d1]", {0, 2, 0}},
                {"txq.normalized_coords.b32 %r6, [%d1]", {0, 1, 1}},
                {"txq.num_mipmap_levels.b32 %r6, [%d1]", {1, 1, 2}},
                {"txq.num_samples.b32 %r6, [%d1]", {1, 1, 1}},
                {"txq.level.width.b32 %r6, [%d1], 0", {5, 5, 5}},
                {"txq.level.width.b32 %r6, [%d1], 1", {5, 5, 2}},
                {"txq.level.width.b32 %r6, [%d1], 2", {5, 5, 2}}, /* there are no more */
                {"txq.level.height.b32 %r6, [%d1], 1", {3, 3, 1}},
                {"suq.width.b32 %r6, [%d1]", {5, 5, 5}},
                {"suq.height.b32 %r6, [%d1]", {3, 3, 3}},
                {"suq.depth.b32 %r6, [%d1]", {2, 0, 0}},
                {"suq.array_size.b32 %r6, [%d1]", {0, 2, 0}},
                {"istypep.texref %p1, %d1; selp.u32 %r6, 1, 0, %p1", {1, 1, 0}},
                {"istypep.samplerref %p1, %d1; selp.u32 %r6, 1, 0, %p1", {0, 0, 0}},
                {"istypep.surfref %p1, %d1; selp.u32 %r6, 1, 0, %p1", {0, 0, 1}}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned n = 0; n < 3; n++) {
            sim_texture t = texture_of(5, 3, n < 2 ? 2 : 0);
            char body[200];
            t.layered = n == 1, t.normalized_coords = n > 0;
            if (n == 2) t.pitch = SIM_TEX_PITCH, t.width = 5, t.levels = 2, t.surface = true;
            if (n == 2) t.slice = 3 * SIM_TEX_PITCH;
            uint64_t h = 0;
            CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
            snprintf(body, sizeof body, "%s;\n", rows[k].query);
            CHECK_INT(run_handle(body, h), SIM_OK);
            unsigned bad = 0;
            for (unsigned l = 0; l < LANES; l++) bad += out[l][0] != rows[k].want[n];
            snprintf(body, sizeof body, "of %u: %u", n, out[0][0]);
            check_that(!bad, __FILE__, __LINE__, rows[k].query, body);
            sim_texture_free(d, h);
        }
    /* of nothing */
    CHECK_INT(run_handle("istypep.texref %p1, %d1;\nselp.u32 %r6, 1, 0, %p1;\n", 12345), SIM_OK);
    CHECK_INT(out[0][0], 0);
    CHECK_INT(run_handle("txq.width.b32 %r6, [%d1];\n", 12345), SIM_ILLEGAL_ADDRESS);
    CHECK_CONTAINS(said(&msg), "uses 0x3039, which is no texture or surface");
}

/* Each part of a description has its bounds. */
static void test_descriptions(void) {
    static const struct {
        sim_texture t;
        bool good;
    } rows[] = {
        {{.width = 1, .channels = 1, .bits = 8, .kind = SIM_TEX_UNSIGNED}, true},
        {{.width = 0, .channels = 1, .bits = 8, .kind = SIM_TEX_UNSIGNED}, false},
        {{.width = 1, .channels = 0, .bits = 8, .kind = SIM_TEX_UNSIGNED}, false},
        {{.width = 1, .channels = 3, .bits = 8, .kind = SIM_TEX_UNSIGNED}, false},
        {{.width = 1, .channels = 4, .bits = 8, .kind = SIM_TEX_UNSIGNED}, true},
        {{.width = 1, .channels = 5, .bits = 8, .kind = SIM_TEX_UNSIGNED}, false},
        {{.width = 1, .channels = 1, .bits = 16, .kind = SIM_TEX_FLOAT}, true},
        {{.width = 1, .channels = 1, .bits = 8, .kind = SIM_TEX_FLOAT}, false},
        {{.width = 1, .channels = 1, .bits = 64, .kind = SIM_TEX_FLOAT}, false},
        {{.width = 1, .channels = 1, .bits = 32, .kind = SIM_TEX_FLOAT + 1}, false},
        {{.width = 256, .channels = 4, .bits = 8, .kind = SIM_TEX_SIGNED}, true},
        {{.width = 257, .channels = 4, .bits = 8, .kind = SIM_TEX_SIGNED}, false},
        {{.width = 1, .height = 1024, .pitch = 1, .channels = 1, .bits = 8}, true},
        {{.width = 1, .height = 1025, .pitch = 1, .channels = 1, .bits = 8}, false},
        {{.width = 1, .height = 1u << 17, .pitch = 0, .channels = 1, .bits = 8}, true},
        {{.width = 1, .height = (1u << 17) + 1, .pitch = 0, .channels = 1, .bits = 8}, false},
        {{.width = 1, .depth = 1024, .slice = 1, .channels = 1, .bits = 8}, true},
        {{.width = 1, .depth = 1025, .slice = 1, .channels = 1, .bits = 8}, false},
        {{.width = 1, .depth = 1u << 17, .slice = 0, .channels = 1, .bits = 8}, true},
        {{.width = 1, .depth = (1u << 17) + 1, .slice = 0, .channels = 1, .bits = 8}, false},
        {{.width = 1, .pitch = 1ull << 32, .channels = 1, .bits = 8}, true},
        {{.width = 1, .pitch = (1ull << 32) + 1, .channels = 1, .bits = 8}, false},
        {{.width = 1, .slice = 1ull << 40, .channels = 1, .bits = 8}, true},
        {{.width = 1, .slice = (1ull << 40) + 1, .channels = 1, .bits = 8}, false},
        {{.width = 1, .levels = SIM_TEX_LEVELS + 1, .channels = 1, .bits = 8}, false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_texture t = rows[k].t;
        uint64_t h = 0;
        t.base = base;
        CHECK_INT(sim_texture_new(d, &t, &h), rows[k].good ? SIM_OK : SIM_BAD_ARGUMENT);
        if (h) sim_texture_free(d, h);
    }
}

int main(void) {
    for (int plain = 0; plain < 2; plain++) {
        sim_options o;
        sim_options_default(&o);
        o.model_time = false;
        if (plain) setenv("WARPLAB_SIM_ISA", "base", 1);
        d = sim_device_new(sim_profile_find("h200"), &o, &msg);
        if (!CHECK(d != NULL)) return check_done();
        sim_malloc(d, ALL, &base);
        test_volumes();
        test_whole_coordinates();
        test_channels();
        test_sectors();
        if (plain) { /* nothing below has vector code */
            test_descriptions();
            test_loads();
            test_stores();
            test_traps();
            test_reductions();
            test_gather();
        }
        sim_free(d, base);
        sim_malloc(d, 8192, &base);
        sim_fill(d, base, 0, 4, 2048);
        if (plain) test_queries();
        sim_device_free(d);
    }
    return check_done();
}
