/* Texture fetches by the vector code of each of the host's instruction sets (texture_path.inc) give
 * the bits and the counters of the plain path (texture.c), which WARPLAB_SIM_ISA=base runs: one and
 * two dimensions, layered and not, every address mode, filtered and not, coordinates inside, far
 * outside, infinite and NaN, some lanes idle. What those values must be is test_texture.c's. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/isa.h"
#include "runner/device/sim/sim.h"
#include <stdbool.h>
#include <stdlib.h>

enum { THREADS = 64, ROUNDS = 48, BYTES = 1 << 16 };

static uint64_t random_bits(void) {
    static uint64_t s;
    s = s * 6364136223846793005u + 1442695040888963407u;
    return s >> 33;
}

typedef struct {
    sim_texture t;
    uint32_t coord[THREADS][4];
    bool idle; /* every third thread */
} round_of;
static round_of rounds[ROUNDS];
static uint32_t texels[BYTES / 4];

/* Coordinates: layer, x, y; as numbers of the type that the instruction takes. */
static void draw(bool whole, bool array) {
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e-30f, -0.0f, 16777216.5f, 0.5f};
    for (unsigned i = 0; i < BYTES / 4; i++) {
        float x = (float)(int)(random_bits() % 20001 - 10000) / 64;
        memcpy(&texels[i], &x, 4);
        if (random_bits() % 200 == 0) texels[i] = (uint32_t)(random_bits() << 7); /* any bits */
    }
    for (unsigned r = 0; r < ROUNDS; r++) {
        static const uint8_t channels[3] = {1, 2, 4};
        unsigned c = channels[random_bits() % 3], w = 1 + (unsigned)random_bits() % 40,
                 h = 1 + (unsigned)random_bits() % 30, layers = array ? 1 + r % 3 : 0;
        sim_texture *t = &rounds[r].t;
        *t = (sim_texture){.width = w,
                           .height = h,
                           .depth = layers,
                           .layered = array,
                           .channels = (uint8_t)c,
                           .bits = 32,
                           .kind = SIM_TEX_FLOAT,
                           .block_linear = r % 3 != 0,
                           .linear_filter = random_bits() % 2,
                           .normalized_coords = random_bits() % 2,
                           .border = {1.5f, -2, 0.25f, 7}};
        t->pitch = (uint64_t)w * c * 4 + random_bits() % 2 * 64;
        t->slice = t->pitch * h;
        for (unsigned n = 0; n < 3; n++) t->address[n] = (uint8_t)(random_bits() % 4);
        rounds[r].idle = random_bits() % 3 == 0;
        for (unsigned l = 0; l < THREADS; l++) {
            uint32_t *to = rounds[r].coord[l];
            unsigned n = 0;
            if (array) to[n++] = (uint32_t)random_bits() % 5;
            for (unsigned d = 0; d < 2; d++, n++) {
                float x = (float)((int)(random_bits() % 4096) - 1024) / 32;
                if (r % 4 == 1) x = (float)l + 0.5f * (float)d;
                if (t->normalized_coords && !whole) x /= (float)(d ? h : w);
                if (random_bits() % 16 == 0) x = odd[random_bits() % 8];
                int32_t i = x == x && fabsf(x) < 1e6f ? (int32_t)x : INT32_MIN;
                if (whole) memcpy(&to[n], &i, 4);
                else memcpy(&to[n], &x, 4);
            }
        }
    }
}

typedef struct {
    uint32_t out[THREADS][4];
    sim_counters counters;
} result_of;
static result_of results[SIM_ISA_COUNT][ROUNDS];

static bool run(sim_isa s, const char *geometry, const char *type, bool races) {
    char ptx[2048];
    lib_message msg = {0};
    sim_options o;
    unsigned array = *geometry == 'a', dims = strchr(geometry, '2') ? 2 : 1;
    static const char *const vectors[2][2] = {{"%r4", "{%r4, %r5}"},
                                              {"{%r4, %r5}", "{%r4, %r5, %r6, %r6}"}};
    snprintf(ptx, sizeof ptx,
             ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 t, "
             ".param .u64 in, .param .u64 out, .param .u32 idle)\n{\n.reg .pred %%p<3>;\n.reg .b32 "
             "%%r<16>;\n.reg .b64 %%d<8>;\nld.param.u64 %%d1, [t];\nld.param.u64 %%d2, "
             "[in];\nld.param.u64 %%d3, [out];\nld.param.u32 %%r1, [idle];\nmov.u32 %%r2, "
             "%%tid.x;\nmul.wide.u32 %%d4, %%r2, 16;\nadd.u64 %%d2, %%d2, %%d4;\nadd.u64 %%d3, "
             "%%d3, %%d4;\nld.global.v4.b32 {%%r4, %%r5, %%r6, %%r7}, [%%d2];\nrem.u32 %%r3, "
             "%%r2, 3;\nmul.lo.u32 %%r3, %%r3, %%r1;\nsetp.eq.u32 %%p1, %%r3, 2;\n@%%p1 bra "
             "END;\ntex.%s.v4.f32.%s {%%r5, %%r9, %%r4, %%r11}, [%%d1, %s];\nst.global.v4.b32 "
             "[%%d3], {%%r5, %%r9, %%r4, %%r11};\nEND: ret;\n}\n",
             geometry, type, vectors[array][dims - 1]);
    setenv("WARPLAB_SIM_ISA", sim_isa_name(s), 1);
    sim_options_default(&o);
    o.threads = 1;
    o.check_race_global = races;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = d ? sim_module_new(d, ptx, strlen(ptx), &mo, &msg) : NULL;
    struct {
        uint64_t t, in, out;
        uint32_t idle;
    } p;
    sim_addr base;
    bool ok = m && !sim_malloc(d, BYTES, &base) && !sim_malloc(d, sizeof rounds[0].coord, &p.in) &&
              !sim_malloc(d, sizeof results[0][0].out, &p.out) &&
              !sim_write(d, base, texels, BYTES);
    for (unsigned r = 0; ok && r < ROUNDS; r++) {
        sim_texture t = rounds[r].t;
        sim_result result;
        result_of *to = &results[s][r];
        t.base = base + 512 * (r % 2);
        p.idle = rounds[r].idle;
        sim_launch l = {.kernel = sim_module_kernel(m, "k"),
                        .grid = {1, 1, 1},
                        .block = {THREADS, 1, 1},
                        .params = &p,
                        .param_bytes = 28};
        ok = !sim_texture_new(d, &t, &p.t) &&
             !sim_write(d, p.in, rounds[r].coord, sizeof rounds[r].coord) &&
             !sim_fill(d, p.out, 0, 4, THREADS * 4) && sim_run(d, &l, &result, &msg) == SIM_OK &&
             !sim_read(d, to->out, p.out, sizeof to->out);
        to->counters = result.counters;
        sim_result_free(&result);
        sim_texture_free(d, p.t);
    }
    if (!ok) printf("# %s\n%s", said(&msg), ptx);
    sim_module_free(m);
    sim_device_free(d);
    return ok;
}

int main(void) {
    static const char *const geometries[] = {"1d", "2d", "a1d", "a2d"};
    for (unsigned x = 0; x < 16; x++) {
        const char *geometry = geometries[x / 4], *type = x % 2 ? "s32" : "f32";
        bool races = x & 2;
        draw(x % 2, *geometry == 'a');
        bool ok = run(SIM_ISA_base, geometry, type, races);
        for (int s = SIM_ISA_base + 1; s < SIM_ISA_COUNT; s++) {
            if (!sim_isa_runs((sim_isa)s)) continue;
            unsigned values = 0, counters = 0;
            ok = ok && run((sim_isa)s, geometry, type, races);
            for (unsigned r = 0; ok && r < ROUNDS; r++) {
                const result_of *a = &results[SIM_ISA_base][r], *b = &results[s][r];
                values += memcmp(a->out, b->out, sizeof a->out) != 0;
                counters += memcmp(&a->counters, &b->counters, sizeof a->counters) != 0;
            }
            char what[80], why[100];
            snprintf(what, sizeof what, "tex.%s.%s%s, %s", geometry, type, races ? ", watched" : "",
                     sim_isa_name((sim_isa)s));
            snprintf(why, sizeof why,
                     ok ? "%u rounds give other bits, %u other counts" : "does not run", values,
                     counters);
            check_that(ok && !values && !counters, __FILE__, __LINE__, what, why);
        }
    }
    if (check_count) return check_done();
    printf("skip textures by each instruction set (this processor has the base path alone)\n");
    return 0;
}
