/* Textures and surfaces read and written by kernels. Expected values: the CUDA C++ Programming
 * Guide, "Texture Fetching": the nearest texel is floor(x), linear filtering weighs texels around x
 * - 0.5, addresses clamp, wrap, mirror or give the border. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/sim.h"
#include <stdlib.h>

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 " \
    "in, "                                                                                         \
    ".param .u64 out)\n{\n"                                                                        \
    ".reg .f32 %f<8>;\n.reg .b32 %r<8>;\n.reg .b16 %h<8>;\n.reg .b64 %rd<8>;\n"                    \
    "ld.param.u64 %rd1, [t];\nld.param.u64 %rd2, [in];\nld.param.u64 %rd3, [out];\nmov.u32 %r1, "  \
    "%tid.x;\n"                                                                                    \
    "mul.wide.u32 %rd4, %r1, 8;\nadd.s64 %rd5, %rd2, %rd4;\nmul.wide.u32 %rd4, %r1, 4;\nadd.s64 "  \
    "%rd6, "                                                                                       \
    "%rd3, %rd4;\n"                                                                                \
    "ld.global.v2.f32 {%f1, %f2}, [%rd5];\n"
#define TAIL "st.global.f32 [%rd6], %f3;\nret;\n}\n"

static sim_device *d;
static lib_message msg;
enum { LANES = 8, W = 4, H = 3 };
static float in[LANES][2], out[LANES];

static sim_counters counted; /* by the last run */
static size_t found;         /* in the last run */
static sim_finding_kind found_first;

static sim_status run(const char *body, uint64_t handle) {
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
    if (s != SIM_OK) printf("# %s: %s\n", sim_status_name(s), said(&msg));
    sim_read(d, out, p[2], sizeof out);
    if (s == SIM_OK && strstr(body, "tex.")) CHECK_INT(r.counters.tex_requests, 1);
    counted = r.counters;
    found = r.finding_count;
    found_first = found ? r.findings[0].kind : SIM_FIND_TRAP;
    sim_result_free(&r);
    sim_free(d, p[1]);
    sim_free(d, p[2]);
    sim_module_free(m);
    return s;
}

/* Sectors of 32 bytes that eight lanes touch, along a row and down a column of 16 x 16 floats: in
 * linear memory a sector is eight floats of a row; in an array four by two (Tegra X1 Technical
 * Reference Manual, block linear), looked up for each four lanes. */
static void test_sectors(void) {
    static const char one[] = "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];\n";
    enum { SIDE = 16 };
    static const unsigned want[2][2] = {{1, 8}, {2, 4}}; /* linear, array; row, column */
    sim_addr base;
    sim_malloc(d, SIDE * SIDE * 4, &base);
    sim_fill(d, base, 0, 4, SIDE * SIDE);
    for (int array = 0; array < 2; array++) {
        sim_texture t = {.base = base,
                         .pitch = SIDE * 4,
                         .width = SIDE,
                         .height = SIDE,
                         .channels = 1,
                         .bits = 32,
                         .kind = SIM_TEX_FLOAT,
                         .block_linear = array,
                         .address = {SIM_TEX_CLAMP, SIM_TEX_CLAMP, SIM_TEX_CLAMP}};
        uint64_t h = 0;
        CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
        for (int column = 0; column < 2; column++) {
            for (int l = 0; l < LANES; l++) {
                in[l][column] = (float)l + 0.5f;
                in[l][!column] = 0.5f;
            }
            CHECK_INT(run(one, h), SIM_OK);
            CHECK_INT(counted.tex_sectors, want[array][column]);
            CHECK_INT(counted.tex_hits, 0);
        }
        /* mixing four texels around (1, 1): all of them count, here in the one sector of an
         * array */
        sim_texture_free(d, h);
        t.linear_filter = true;
        CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
        for (int l = 0; l < LANES; l++) in[l][0] = in[l][1] = 1;
        CHECK_INT(run(one, h), SIM_OK);
        CHECK_INT(counted.tex_sectors, 4 * (array ? 1 : 2)); /* pairs of lanes */
        CHECK_INT(counted.tex_hits, 3 * (array ? 1 : 2));
        sim_texture_free(d, h);
    }
    sim_free(d, base);
}

/* Gradients, and what a kernel is told of the levels: t is that of test_levels(). */
static void test_gradients(sim_texture t) {
    /* gradients along x by x and along y by y, in coordinates: %f2 and half of it */
    static const char gradient[] =
        "mov.f32 %f7, 0f00000000;\nmov.f32 %f4, 0f3f000000;\nmul.f32 %f5, %f2, %f4;\n"
        "tex.grad.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f1}], {%f2, %f7}, {%f7, "
        "%f5};\n";
    uint64_t h = 0;
    /* x moves 8 texels for a whole coordinate, y 4: x is the longer gradient, of 1, 2, 4, 8
     * texels */
    t.level_bias = t.level_min = 0, t.level_max = 9;
    CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
    for (int l = 0; l < LANES; l++) in[l][1] = (float)(1 << l % 5) / 8 / (l < 5 ? 1.0f : 16.0f);
    CHECK_INT(run(gradient, h), SIM_OK);
    for (int l = 0; l < LANES; l++) CHECK_NEAR(out[l], l < 5 ? 10 * (l < 3 ? l + 1 : 4) : 10, 0);
    /* 3 texels along x and 4 along y reach 4 + 11/32 * 3 = 5.03, as an H200 has it, by either
     * gradient: in 1/256 of a level 2 * 256 + 85, since log2 of 1.2598, which is as far as 8 bits
     * of it tell, is 85.3 */
    for (int second = 0; second < 2; second++) {
        char body[300];
        snprintf(body, sizeof body,
                 "mov.f32 %%f7, 0f00000000;\nmov.f32 %%f4, 0f3EC00000;\nmov.f32 %%f5, 0f3F800000;\n"
                 "tex.grad.2d.v4.f32.f32 {%%f3, %%f4, %%f5, %%f6}, [%%rd1, {%%f1, %%f1}], %s;\n",
                 second ? "{%f7, %f7}, {%f4, %f5}" : "{%f4, %f5}, {%f7, %f7}");
        CHECK_INT(run(body, h), SIM_OK);
        for (int l = 0; l < LANES; l++) CHECK_NEAR(out[l], 10 + 10 * 597 / 256.0, 0);
    }
    CHECK_INT(run("txq.num_mipmap_levels.b32 %r2, [%rd1];\ntxq.level.width.b32 %r3, [%rd1], 1;\n"
                  "txq.level.height.b32 %r4, [%rd1], 2;\nmad.lo.s32 %r2, %r2, 100, %r3;\n"
                  "mad.lo.s32 %r2, %r2, 10, %r4;\ncvt.rn.f32.u32 %f3, %r2;\n",
                  h),
              SIM_OK);
    CHECK_NEAR(out[0], (4 * 100 + 4) * 10 + 1, 0);
    sim_texture_free(d, h);
    t.levels = 5; /* behind the allocation */
    CHECK_INT(sim_texture_new(d, &t, &h), SIM_BAD_ARGUMENT);
    t.levels = SIM_TEX_LEVELS + 1;
    CHECK_INT(sim_texture_new(d, &t, &h), SIM_BAD_ARGUMENT);
    /* an offset would change what is read */
    CHECK_INT(run("tex.level.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f1}], %f2, {%r1, "
                  "%r1};\n",
                  h),
              SIM_UNSUPPORTED);
    CHECK_CONTAINS(said(&msg), "texture offsets");
}

/* A mipmapped array of 8 x 4 floats whose level k holds 10 * (k + 1) everywhere: which level is
 * read (CUDA Runtime API, cudaTextureDesc: bias added, then clamped; the nearest one, or two
 * mixed), and what a kernel is told of the levels. */
static void test_levels(void) {
    static const char level[] =
        "tex.level.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f1}], %f2;\n";
    static const float asked[LANES] = {0, 0.25f, 0.5f, 1.25f, 2, 2.75f, 7, -3};
    static const float mixed[LANES] = {10, 12.5f, 15, 22.5f, 30, 37.5f, 40, 10},
                       nearest[LANES] = {10, 10, 20, 20, 30, 40, 40, 10};
    sim_addr base;
    sim_texture t = {.pitch = SIM_TEX_PITCH,
                     .slice = 4 * SIM_TEX_PITCH,
                     .width = 8,
                     .height = 4,
                     .channels = 1,
                     .bits = 32,
                     .kind = SIM_TEX_FLOAT,
                     .block_linear = true,
                     .normalized_coords = true,
                     .levels = 4,
                     .level_max = 9},
                at;
    CHECK_INT(sim_texture_bytes(&t), (4 + 2 + 1) * SIM_TEX_PITCH + 4); /* and 1 texel */
    sim_malloc(d, sim_texture_bytes(&t), &base);
    t.base = base;
    for (unsigned k = 0; k < 4; k++) {
        sim_texture_level(&t, k, &at);
        CHECK_INT(at.width, 8u >> k);
        CHECK_INT(at.height, k < 3 ? 4u >> k : 1);
        for (unsigned y = 0; y < at.height; y++)
            for (unsigned x = 0; x < at.width; x++) {
                float v = 10.0f * (float)(k + 1);
                CHECK_INT(sim_write(d, at.base + y * at.pitch + x * 4, &v, 4), SIM_OK);
            }
    }
    /* in 1/256: the rest is cut off, as an H200 does; then the nearest level, of two as near the
     * upper one */
    static const float parts[LANES] = {0.4f, 0.5f, 127.25f, 127.5f, 128, 383, 384, 511.75f},
                       whole_parts[LANES] = {0, 0, 127, 127, 128, 383, 384, 511};
    uint64_t h = 0;
    for (int l = 0; l < LANES; l++) in[l][0] = 0.5f;
    for (int mix = 0; mix < 2; mix++) {
        t.linear_levels = mix;
        CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
        for (int l = 0; l < LANES; l++) in[l][1] = asked[l];
        CHECK_INT(run(level, h), SIM_OK);
        for (int l = 0; l < LANES; l++) CHECK_NEAR(out[l], mix ? mixed[l] : nearest[l], 0);
        for (int l = 0; l < LANES; l++) in[l][1] = parts[l] / 256;
        CHECK_INT(run(level, h), SIM_OK);
        for (int l = 0; l < LANES; l++)
            CHECK_NEAR(out[l],
                       10 + 10 * (mix ? whole_parts[l] / 256 : floorf(whole_parts[l] / 256 + 0.5f)),
                       0);
        sim_texture_free(d, h);
    }
    /* by whole coordinates the level is a whole number, too */
    static const int32_t whole[LANES] = {0, 1, 2, 3, 4, 100, -1, INT32_MIN};
    CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
    for (int l = 0; l < LANES; l++) memcpy(&in[l][1], &whole[l], 4);
    CHECK_INT(run("mov.b32 %r2, %f2;\nmov.u32 %r3, 0;\n"
                  "tex.level.2d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [%rd1, {%r3, %r3}], %r2;\n",
                  h),
              SIM_OK);
    for (int l = 0; l < LANES; l++)
        CHECK_NEAR(out[l], 10 + 10 * (whole[l] < 0 ? 0 : whole[l] > 3 ? 3 : whole[l]), 0);
    sim_texture_free(d, h);
    for (int l = 0; l < LANES; l++) in[l][1] = asked[l];
    t.level_bias = 0.5f, t.level_min = 1, t.level_max = 2.25f;
    CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
    CHECK_INT(run(level, h), SIM_OK);
    for (int l = 0; l < LANES; l++) {
        float want = asked[l] + 0.5f;
        want = want < 1 ? 1 : want > 2.25f ? 2.25f : want;
        CHECK_NEAR(out[l], 10 + 10 * want, 0);
    }
    sim_texture_free(d, h);

    test_gradients(t);
    sim_free(d, base);
}

/* Where levels lie, and how large they are: halved and rounded down, one at least; layers stay as
 * many; rows SIM_TEX_PITCH = 512 bytes apart or a multiple of it; a level behind the whole of the
 * one before. */
static void test_places(void) {
    static const struct {
        uint32_t size[3], texel; /* texel: bytes */
        bool layered, cubemap;
        struct {
            uint32_t size[3];
            uint64_t from, pitch, slice;
        } level[4];
        uint64_t bytes[4]; /* of so many levels */
    } rows[] = {{{130, 5, 3},
                 4,
                 false,
                 false,
                 {{{130, 5, 3}, 0, 1024, 5120},
                  {{65, 2, 1}, 15360, 512, 1024},
                  {{32, 1, 1}, 16384, 512, 512},
                  {{16, 1, 1}, 16896, 512, 512}},
                 {2 * 5120 + 4 * 1024 + 520, 15360 + 512 + 260, 16384 + 128, 16896 + 64}},
                {{129, 3, 2},
                 4,
                 true,
                 false,
                 {{{129, 3, 2}, 0, 1024, 3072},
                  {{64, 1, 2}, 6144, 512, 512},
                  {{32, 1, 2}, 7168, 512, 512},
                  {{16, 1, 2}, 8192, 512, 512}},
                 {3072 + 2 * 1024 + 516, 6144 + 512 + 256, 7168 + 512 + 128, 8192 + 512 + 64}},
                {{64, 64, 6},
                 8,
                 false,
                 true,
                 {{{64, 64, 6}, 0, 512, 32768},
                  {{32, 32, 6}, 196608, 512, 16384},
                  {{16, 16, 6}, 294912, 512, 8192},
                  {{8, 8, 6}, 344064, 512, 4096}},
                 {5 * 32768 + 64 * 512, 196608 + 5 * 16384 + 31 * 512 + 256,
                  294912 + 5 * 8192 + 15 * 512 + 128, 344064 + 5 * 4096 + 7 * 512 + 64}},
                {{9, 0, 0},
                 1,
                 false,
                 false,
                 {{{9, 0, 0}, 0, 512, 512},
                  {{4, 0, 0}, 512, 512, 512},
                  {{2, 0, 0}, 1024, 512, 512},
                  {{1, 0, 0}, 1536, 512, 512}},
                 {9, 512 + 4, 1024 + 2, 1536 + 1}}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_texture t = {.base = 4096,
                         .pitch = rows[k].level[0].pitch,
                         .slice = rows[k].level[0].slice,
                         .width = rows[k].size[0],
                         .height = rows[k].size[1],
                         .depth = rows[k].size[2],
                         .layered = rows[k].layered,
                         .cubemap = rows[k].cubemap,
                         .channels = rows[k].texel == 8 ? 4 : 1,
                         .bits = rows[k].texel == 8 ? 16 : (uint8_t)(8 * rows[k].texel)},
                    at;
        for (unsigned n = 0; n < 4; n++) {
            sim_texture_level(&t, n, &at);
            const uint32_t *size = rows[k].level[n].size;
            CHECK(at.width == size[0] && at.height == size[1] && at.depth == size[2]);
            CHECK_INT(at.base, 4096 + rows[k].level[n].from);
            CHECK_INT(at.pitch, rows[k].level[n].pitch);
            CHECK_INT(at.slice, rows[k].level[n].slice);
            CHECK_INT(at.levels, 0);
            t.levels = (uint8_t)(n + 1);
            CHECK_INT(sim_texture_bytes(&t), rows[k].bytes[n]);
        }
    }
}

static float texel[H][W];
static float at(int x, int y) {
    return texel[y < 0 ? 0 : y >= H ? H - 1 : y][x < 0 ? 0 : x >= W ? W - 1 : x];
}

/* cudaReadModeNormalizedFloat: all of an integer's range as 0 to 1, or as -1 to 1, of which the
 * lowest two are both -1. */
static void test_normalized(void) {
    static const char one[] = "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];\n";
    static const struct {
        unsigned bits;
        bool sign;
        int texel[LANES];
    } rows[] = {{8, true, {-128, -127, -126, -1, 0, 1, 64, 127}},
                {8, false, {0, 1, 127, 128, 200, 253, 254, 255}},
                {16, true, {-32768, -32767, -32766, -1, 0, 1, 16384, 32767}},
                {16, false, {0, 1, 255, 256, 32767, 32768, 65534, 65535}}};
    sim_addr base;
    sim_malloc(d, 512, &base);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint8_t bytes[32] = {0};
        unsigned size = rows[k].bits / 8;
        for (unsigned l = 0; l < LANES; l++) {
            memcpy(bytes + l * size, &rows[k].texel[l], size);
            in[l][0] = (float)l + 0.5f, in[l][1] = 0.5f;
        }
        sim_write(d, base, bytes, sizeof bytes);
        sim_texture t = {.base = base,
                         .pitch = 32,
                         .width = LANES,
                         .height = 1,
                         .channels = 1,
                         .bits = (uint8_t)rows[k].bits,
                         .kind = rows[k].sign ? SIM_TEX_SIGNED : SIM_TEX_UNSIGNED,
                         .normalized_float = true,
                         .address = {SIM_TEX_CLAMP, SIM_TEX_CLAMP, SIM_TEX_CLAMP}};
        uint64_t h = 0;
        CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
        CHECK_INT(run(one, h), SIM_OK);
        double most = ldexp(1, (int)rows[k].bits - rows[k].sign) - 1;
        for (unsigned l = 0; l < LANES; l++)
            CHECK_NEAR(out[l], fmax(rows[k].texel[l] / most, -1), 1e-7);
        CHECK(out[LANES - 1] == 1 && (!rows[k].sign || (out[0] == -1 && out[1] == -1)));
        sim_texture_free(d, h);
    }
    sim_free(d, base);
}

/* Textures of integers: their bits are not touched, also where they would be a signalling NaN.
 * Outside are the border's bits for coordinates, and 0 for indices. */
static void test_integers(void) {
    static const struct {
        const char *fetch;
        float first; /* the lanes' coordinate is this plus the lane */
        bool whole;
    } ways[] = {{"tex.1d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%rd1, {%f1}];\nmov.b32 %f3, %r2;\n",
                 0.5f, false},
                {"tex.2d.v4.s32.f32 {%r2, %r3, %r4, %r5}, [%rd1, {%f1, %f2}];\nmov.b32 %f3, %r2;\n",
                 -1.5f, false},
                {"mov.b32 %r6, %f1;\ntex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r6}];\n"
                 "mov.b32 %f3, %r2;\n",
                 -2, true}};
    const uint32_t row[LANES] = {0x7f800001, 0xffa00000, 0,          0x80000000,
                                 7,          0xffffffff, 0x7fc00000, 1},
                   border = 0x7f900009;
    sim_addr base;
    sim_malloc(d, sizeof row, &base);
    sim_write(d, base, row, sizeof row);
    for (size_t k = 0; k < 2 * sizeof ways / sizeof *ways; k++) {
        sim_texture t = {.base = base,
                         .pitch = sizeof row,
                         .width = LANES,
                         .height = 1,
                         .channels = 1,
                         .bits = 32,
                         .kind = k % 2 ? SIM_TEX_SIGNED : SIM_TEX_UNSIGNED,
                         .address = {SIM_TEX_BORDER, SIM_TEX_BORDER, SIM_TEX_BORDER}};
        uint64_t h = 0;
        memcpy(&t.border[0], &border, sizeof border);
        CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
        for (int l = 0; l < LANES; l++) {
            int at = (int)ways[k / 2].first + l;
            in[l][0] = ways[k / 2].first + (float)l, in[l][1] = 0.5f;
            if (ways[k / 2].whole) memcpy(&in[l][0], &at, sizeof at);
        }
        CHECK_INT(run(ways[k / 2].fetch, h), SIM_OK);
        for (int l = 0; l < LANES; l++) {
            int at = (int)floorf(ways[k / 2].first) + l;
            uint32_t bits;
            memcpy(&bits, &out[l], sizeof bits);
            CHECK_INT(bits, at >= 0 && at < LANES ? row[at] : ways[k / 2].whole ? 0 : border);
        }
        sim_texture_free(d, h);
    }
    sim_free(d, base);
}

/* Textures read memory as loads do: what nobody has written is told, what was freed ends the
 * launch, also where lanes before it read what is there. */
static void test_memory(void) {
    static const char one[] = "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];\n";
    sim_addr base;
    sim_texture t = {.pitch = 128,
                     .width = 32,
                     .height = 4,
                     .channels = 1,
                     .bits = 32,
                     .kind = SIM_TEX_FLOAT,
                     .address = {SIM_TEX_CLAMP, SIM_TEX_CLAMP, SIM_TEX_CLAMP}};
    float row[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint64_t h = 0;
    sim_malloc(d, 512, &base);
    sim_poison(d, base, 512);
    sim_write(d, base, row, sizeof row);
    t.base = base;
    CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
    for (int unwritten = 0; unwritten < 2; unwritten++) {
        for (int l = 0; l < LANES; l++) in[l][0] = (float)(l + unwritten) + 0.5f, in[l][1] = 0.5f;
        CHECK_INT(run(one, h), SIM_OK);
        CHECK_INT(found, unwritten); /* texel 8 */
        if (unwritten) CHECK_INT(found_first, SIM_FIND_UNINIT);
        for (int l = 0; l < LANES - unwritten; l++) CHECK_NEAR(out[l], l + unwritten, 0);
    }
    sim_free(d, base);
    CHECK_INT(run(one, h), SIM_ILLEGAL_ADDRESS);
    sim_texture_free(d, h);
}

/* Cubemaps (CUDA C++ Programming Guide, "Cubemap Textures"): the coordinate of the greatest
 * magnitude picks the face, the two others over it, from -1 to 1, the place in it. */
static void test_cube(void) {
    enum { SIDE = 4 };
    static const struct {
        int m, m_sign, s, s_sign, t, t_sign;
    } faces[6] = {{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
                  {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1}};
    static const float depth[] = {2, -2, 0.95f, -0.95f, 0.3f, -0.4f},
                       plane[LANES][2] = {{1, 0.2f},     {-0.9f, 0.6f}, {0.2f, 0.9f}, {0.6f, -0.8f},
                                          {0.7f, -0.3f}, {-0.7f, 0.3f}, {3, -2.6f},   {-2.6f, 3}};
    float texels[6][SIDE][SIDE];
    sim_addr base;
    uint64_t h = 0;
    for (int f = 0; f < 6; f++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) texels[f][y][x] = (float)(100 * f + 10 * y + x);
    sim_malloc(d, sizeof texels, &base);
    sim_write(d, base, texels, sizeof texels);
    sim_texture t = {.base = base,
                     .pitch = SIDE * 4,
                     .slice = SIDE * SIDE * 4,
                     .width = SIDE,
                     .height = SIDE,
                     .depth = 6,
                     .layered = true,
                     .channels = 1,
                     .bits = 32,
                     .kind = SIM_TEX_FLOAT,
                     .normalized_coords = true};
    CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
    memcpy(in, plane, sizeof in);
    for (size_t k = 0; k < sizeof depth / sizeof *depth; k++) {
        char body[200];
        uint32_t bits;
        memcpy(&bits, &depth[k], 4);
        snprintf(
            body, sizeof body,
            "mov.f32 %%f7, 0f%08x;\ntex.cube.v4.f32.f32 {%%f3, %%f4, %%f5, %%f6}, [%%rd1, {%%f1, "
            "%%f2, %%f7, %%f7}];\n",
            bits);
        CHECK_INT(run(body, h), SIM_OK);
        for (int l = 0; l < LANES; l++) {
            double c[3] = {(double)plane[l][0], (double)plane[l][1], (double)depth[k]};
            int f = 0;
            for (int n = 1; n < 6; n++)
                if (c[faces[n].m] * faces[n].m_sign > c[faces[f].m] * faces[f].m_sign) f = n;
            double m = fabs(c[faces[f].m]);
            int x = (int)((c[faces[f].s] * faces[f].s_sign / m + 1) / 2 * SIDE),
                y = (int)((c[faces[f].t] * faces[f].t_sign / m + 1) / 2 * SIDE);
            CHECK_NEAR(out[l], 100 * f + 10 * y + x, 0);
        }
    }
    sim_texture_free(d, h);
    sim_free(d, base);
}

/* Each lane reads the texture that its own handle names; what a lane that is off would name is
 * nothing to the others. */
static void test_two_textures(void) {
    enum { SIDE = 8 };
    static const struct {
        const char *what, *off; /* off: lanes from this one on fetch nothing; NULL: none */
        unsigned second[LANES]; /* which of the two */
        unsigned on;
    } rows[] = {{"one for all", NULL, {1, 1, 1, 1, 1, 1, 1, 1}, LANES},
                {"in turn", NULL, {0, 1, 0, 1, 0, 1, 0, 1}, LANES},
                {"the first lane's own", NULL, {1, 0, 0, 0, 0, 0, 0, 0}, LANES},
                {"the last lane's own", NULL, {0, 0, 0, 0, 0, 0, 0, 1}, LANES},
                {"of lanes that are off", "5", {0, 0, 0, 0, 0, 1, 1, 1}, 5},
                {"of the last that is on", "5", {0, 0, 0, 0, 1, 1, 1, 1}, 5}};
    uint64_t h[2];
    sim_addr base[2];
    for (unsigned k = 0; k < 2; k++) {
        float values[SIDE];
        for (unsigned x = 0; x < SIDE; x++) values[x] = (float)(100 * (k + 1) + x);
        sim_malloc(d, sizeof values, &base[k]);
        sim_write(d, base[k], values, sizeof values);
        sim_texture t = {.base = base[k],
                         .pitch = sizeof values,
                         .width = SIDE,
                         .height = 1,
                         .channels = 1,
                         .bits = 32,
                         .kind = SIM_TEX_FLOAT,
                         .address = {SIM_TEX_CLAMP, SIM_TEX_CLAMP, SIM_TEX_CLAMP}};
        CHECK_INT(sim_texture_new(d, &t, &h[k]), SIM_OK);
    }
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char body[400];
        for (unsigned l = 0; l < LANES; l++) memcpy(in[l], &h[rows[r].second[l]], sizeof in[l]);
        snprintf(body, sizeof body,
                 ".reg .pred %%p;\nmov.b64 %%rd1, {%%f1, %%f2};\ncvt.rn.f32.u32 %%f1, %%r1;\n"
                 "mov.f32 %%f3, 0fBF800000;\nsetp.ge.u32 %%p, %%r1, %s;\n@%%p bra OFF;\n"
                 "tex.1d.v4.f32.f32 {%%f3, %%f4, %%f5, %%f6}, [%%rd1, {%%f1}];\nOFF:\n",
                 rows[r].off ? rows[r].off : "99");
        CHECK_INT(run(body, 0), SIM_OK);
        for (unsigned l = 0; l < LANES; l++) {
            float want = l < rows[r].on ? (float)(100 * (rows[r].second[l] + 1) + l) : -1;
            check_that(out[l] == want, __FILE__, __LINE__, rows[r].what, "another texture's texel");
        }
    }
    for (unsigned k = 0; k < 2; k++) {
        sim_texture_free(d, h[k]);
        sim_free(d, base[k]);
    }
}

/* Handles are those that were given: none before, none behind, none twice. */
static void test_handles(void) {
    lib_message m = {0};
    sim_options o;
    sim_options_default(&o);
    o.threads = 1;
    sim_device *own = sim_device_new(sim_profile_find("h200"), &o, &m);
    sim_addr base;
    uint64_t h[17];
    CHECK_INT(sim_malloc(own, 1024, &base), SIM_OK);
    sim_texture t = {
        .base = base, .width = 16, .channels = 1, .bits = 32, .kind = SIM_TEX_FLOAT, .pitch = 64};
    for (unsigned k = 0; k < 17; k++) {
        CHECK_INT(sim_texture_new(own, &t, &h[k]), SIM_OK);
        for (unsigned i = 1; i < 64; i++) /* the next ones are not there yet */
            if (sim_texture_free(own, h[k] + i) != SIM_BAD_ARGUMENT) CHECK(!"a handle of nobody");
        for (unsigned i = 0; i < k; i++) CHECK(h[i] != h[k]);
    }
    CHECK_INT(sim_texture_free(own, 0), SIM_BAD_ARGUMENT);
    CHECK_INT(sim_texture_free(own, h[0] - 1), SIM_BAD_ARGUMENT);
    for (unsigned k = 0; k < 17; k++) {
        CHECK_INT(sim_texture_free(own, h[k]), SIM_OK);
        CHECK_INT(sim_texture_free(own, h[k]), SIM_BAD_ARGUMENT);
    }
    sim_device_free(own);
}

int main(void) {
    test_handles();
    sim_options o;
    sim_options_default(&o);
    o.model_time = false;
    d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    CHECK(d != NULL);
    if (!d) return check_done();
    test_sectors();
    test_levels();
    test_places();
    test_normalized();
    test_integers();
    test_memory();
    test_two_textures();
    test_cube();
    sim_addr base;
    sim_malloc(d, H * 64, &base);
    sim_fill(d, base, 0, 4, H * 16);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) texel[y][x] = (float)(10 * y + x * x);
        sim_write(d, base + 64 * (uint64_t)y, texel[y], sizeof texel[y]);
    }
    sim_texture t = {.base = base,
                     .pitch = 64,
                     .width = W,
                     .height = H,
                     .channels = 1,
                     .bits = 32,
                     .kind = SIM_TEX_FLOAT,
                     .address = {SIM_TEX_CLAMP, SIM_TEX_CLAMP, SIM_TEX_CLAMP}};
    uint64_t h = 0;
    CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
    CHECK(h != 0);
    const float points[LANES][2] = {{0.5f, 0.5f}, {1.25f, 2.9f}, {3.99f, 1},     {-5, 1.5f},
                                    {100, 100},   {2, 2},        {1.75f, 0.25f}, {2.5f, 1.5f}};
    memcpy(in, points, sizeof in);
    const char *fetch = "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];\n";
    CHECK_INT(run(fetch, h), SIM_OK);
    for (int i = 0; i < LANES; i++)
        CHECK_NEAR(out[i], at((int)floorf(in[i][0]), (int)floorf(in[i][1])), 0);
    sim_texture_free(d, h);

    t.linear_filter = true;
    CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
    CHECK_INT(run(fetch, h), SIM_OK);
    for (int i = 0; i < LANES; i++) {
        float x = in[i][0] - 0.5f, y = in[i][1] - 0.5f, fx = floorf(x), fy = floorf(y), a = x - fx,
              b = y - fy;
        int ix = (int)fx, iy = (int)fy;
        float want = (1 - a) * (1 - b) * at(ix, iy) + a * (1 - b) * at(ix + 1, iy) +
                     (1 - a) * b * at(ix, iy + 1) + a * b * at(ix + 1, iy + 1);
        CHECK_NEAR(out[i], want,
                   0.2); /* weights have 8 bits: texels differ by at most 20 here, twice 20 / 256 */
    }
    sim_texture_free(d, h);

    /* wrap and mirror want normalised coordinates: texel floor(x * 4) mod 4, and back and forth */
    t.linear_filter = false;
    t.normalized_coords = true;
    for (int mirror = 0; mirror < 2; mirror++) {
        t.address[0] = mirror ? SIM_TEX_MIRROR : SIM_TEX_WRAP;
        CHECK_INT(sim_texture_new(d, &t, &h), SIM_OK);
        for (int i = 0; i < LANES; i++) in[i][0] = (float)(i - 3) * 0.75f + 0.125f, in[i][1] = 0.1f;
        CHECK_INT(run(fetch, h), SIM_OK);
        for (int i = 0; i < LANES; i++) {
            int x = (int)floorf(in[i][0] * W), period = mirror ? 2 * W : W,
                m = ((x % period) + period) % period;
            CHECK_NEAR(out[i], at(m < W ? m : 2 * W - 1 - m, 0), 0);
        }
        sim_texture_free(d, h);
    }

    /* bytes as normalised floats: 255 is 1 */
    sim_texture bytes = {.base = base,
                         .pitch = 64,
                         .width = 8,
                         .height = 1,
                         .channels = 1,
                         .bits = 8,
                         .kind = SIM_TEX_UNSIGNED,
                         .address = {SIM_TEX_BORDER, SIM_TEX_BORDER, SIM_TEX_BORDER},
                         .normalized_float = true,
                         .border = {7}};
    const unsigned char level[8] = {0, 51, 102, 153, 204, 255, 1, 2};
    sim_write(d, base, level, sizeof level);
    CHECK_INT(sim_texture_new(d, &bytes, &h), SIM_OK);
    for (int i = 0; i < LANES; i++) in[i][0] = (float)i - 1.5f, in[i][1] = 0.5f;
    CHECK_INT(run(fetch, h), SIM_OK);
    for (int i = 0; i < LANES; i++) CHECK_NEAR(out[i], i < 2 ? 1.0 : level[i - 2] / 255.0, 1e-6);
    sim_texture_free(d, h);

    /* a surface: x counts bytes; outside of it the launch ends */
    sim_texture surface = {.base = base,
                           .pitch = 64,
                           .width = LANES,
                           .height = 2,
                           .channels = 1,
                           .bits = 32,
                           .kind = SIM_TEX_FLOAT,
                           .surface = true};
    CHECK_INT(sim_texture_new(d, &surface, &h), SIM_OK);
    CHECK_INT(
        run("shl.b32 %r2, %r1, 2;\nmov.u32 %r3, 1;\ncvt.rn.f32.u32 %f4, %r1;\nmov.b32 %r4, %f4;\n"
            "sust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r4};\nsuld.b.2d.b32.trap {%r5}, [%rd1, {%r2, "
            "%r3}];\nmov.b32 %f3, %r5;\n",
            h),
        SIM_OK);
    float row[LANES];
    sim_read(d, row, base + 64, sizeof row);
    for (int i = 0; i < LANES; i++) CHECK(row[i] == (float)i && out[i] == (float)i);
    CHECK_INT(run("mov.u32 %r2, 4;\nmov.u32 %r3, 5;\nmov.f32 %f3, 0f00000000;\nmov.u32 %r4, "
                  "1;\nsust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r4};\n",
                  h),
              SIM_ILLEGAL_ADDRESS);
    CHECK_CONTAINS(said(&msg), "outside");
    CHECK_INT(run(fetch, 12345), SIM_ILLEGAL_ADDRESS);
    CHECK_CONTAINS(said(&msg), "no texture");
    sim_texture_free(d, h);
    CHECK_INT(sim_texture_free(d, h), SIM_BAD_ARGUMENT);

    for (uint32_t rows = H - 1; rows < H + 2; rows++) { /* its last row lies in the allocation */
        t.height = rows;
        sim_status fits = sim_texture_new(d, &t, &h);
        CHECK_INT(fits, rows <= H ? SIM_OK : SIM_BAD_ARGUMENT);
        if (fits == SIM_OK) sim_texture_free(d, h);
    }
    t.height = H;
    t.width = 1000; /* past the allocation */
    t.pitch = 1 << 20;
    CHECK_INT(sim_texture_new(d, &t, &h), SIM_BAD_ARGUMENT);
    sim_device_free(d);
    return check_done();
}
