/* Runs the kernels of h200.def and the other tables on the simulated device and holds its time and
 * counters against what was measured.
 *
 *   compare TABLE KERNELS.ptx [LAB[,LAB..]] [--markdown FILE] [--what-if FILE] [--machine CUBIN SASS]
 *
 * --machine: timed by machine code, and what nvdisasm -c -gi -gp -hex wrote of it; says which rows are not.
 *
 *   rows of *.def --sim_run(), caches empty--> outcomes
 *                 --per kernel--> table on stdout, Markdown into FILE
 *                 --all---------> medians, misses, pairs in the wrong order
 *
 * Exit status 1 when something is further off than it may be (the enum below), 2 when it could not
 * run. `tests/truth/run`, `make model`. */
#include "runner/base/message.h"
#include "runner/device/server/device.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/said.h"

typedef struct {
    const char *lab, *variant, *kernel;
    unsigned grid[3], block[3], shared;
    const char *args;
    double device_us, cold_us, hot_us, warp_inst, dram_read, dram_write, l2_sectors;
    double gld_requests, gld_sectors, gst_requests, gst_sectors, shared_ld_conflicts,
        shared_st_conflicts, tex_sectors, tex_hits;
} row;

#define RUN(lab, variant, kernel, gx, gy, bx, by, shared, args, us, cold, hot, wi, dr, dw, l2, lr, \
            ls, sr, ss, lc, ...)                                                                   \
    {#lab, #variant, #kernel, {gx, gy, 1}, {bx, by, 1}, shared, args, us, cold, hot,               \
     wi,   dr,       dw,      l2,          lr,          ls,     sr,   ss, lc,   __VA_ARGS__},
static const row h200[] = {
#include "tests/truth/h200.def"
};
static const row products[] = {
#include "tests/truth/products.def"
};
static const row held_out[] = {
#include "tests/truth/held_out.def"
};
static const row h100[] = {
#include "tests/truth/h100.def"
};
static const row fields[] = {
#include "tests/truth/fields.def"
};
static const row trades[] = {
#include "tests/truth/trades.def"
};
static const row pairs[] = {
#include "tests/truth/pairs.def"
};
static const row crafts[] = {
#include "tests/truth/crafts.def"
};
static const row arts[] = {
#include "tests/truth/arts.def"
};
static const row fresh[] = {
#include "tests/truth/fresh.def"
};
static const row kinds[] = {
#include "tests/truth/kinds.def"
};
static const row spaces[] = {
#include "tests/truth/spaces.def"
};
static const row g80[] = {
#include "tests/truth/g80.def"
};
static const row a100[] = {
#include "tests/truth/a100.def"
};
static const row rtx4090[] = {
#include "tests/truth/rtx4090.def"
};
static const row t4[] = {
#include "tests/truth/t4.def"
};

/* A table, the profile it runs on, and how large the arrays are that its rows name. `counters`: a
 * profiler measured them too. `published`: by others, so it is told and not held, and z is an array
 * of its own as where counters are. `clock_ghz`: at which the multiprocessors ran; 0: the
 * profile's. */
typedef struct {
    const char *name, *profile;
    const row *rows;
    size_t count, floats, bytes;
    bool counters;
    double median_at_most, each_at_most, speedup_at_most; /* factors of the time; 0: not held */
    bool published;
    double clock_ghz;
    bool
        random; /* accesses depend on random bytes, which are others here: their counts are told, not held */
} table;
#define TABLE(name, profile, floats, bytes, counters, median, each, speedup)                       \
    {                                                                                              \
#name, #profile, name, sizeof name / sizeof *name, floats, bytes, counters, median, each,  \
            speedup, false, 0, false                                                               \
    }
#define RANDOM(name, profile, median, speedup)                                                     \
    {                                                                                              \
#name, #profile, name, sizeof name / sizeof *name, 1 << 26, 1 << 24, true, median, 2,      \
            speedup, false, 0, true                                                                \
    }
#define PUBLISHED(name, floats, clock)                                                             \
    {                                                                                              \
#name, #name, name, sizeof name / sizeof *name, floats, 1 << 12, false, 0, 0, 0, true,     \
            clock, false                                                                           \
    }
static const table tables[] = {
    TABLE(h200, h200, 1 << 26, 1 << 24, true, 1.08, 2, 1.1),
    TABLE(held_out, h200, 1 << 26, 1 << 24, true, 1.08, 2, 1.1),
    TABLE(h100, h100, 1 << 26, 1 << 24, true, 1.1, 2, 1.1),
    TABLE(fields, h200, 1 << 26, 1 << 24, true, 1.08, 2, 1.1),
    TABLE(trades, h200, 1 << 26, 1 << 24, true, 1.08, 2, 0), /* four pairs are told apart */
    TABLE(pairs, h200, 1 << 26, 1 << 24, true, 1.08, 2, 1.1),
    RANDOM(crafts, h100, 1.1, 0),
    RANDOM(arts, h200, 1.1, 1.1),
    RANDOM(fresh, h200, 1.08, 1.1),
    RANDOM(kinds, h200, 1.1, 0),
    TABLE(spaces, h200, 1 << 24, 1 << 12, true, 1.08, 2, 1.1),
    TABLE(products, h200, 1 << 23, 1 << 12, true, 1.25, 0, 0),
    TABLE(g80, g80, 1 << 24, 1 << 12, false, 0, 2, 0),
    PUBLISHED(a100, 1 << 25, 0),
    PUBLISHED(rtx4090, 1 << 25, 0),
    PUBLISHED(t4, 1 << 22, 0.585),
};

/* Pairs that the hardware tells apart by more than this must come in its order. */
#define APART 1.15
/* Conflicts: this share of the hardware's, beyond its arbitration noise as a share of the requests:
 * the H200 shows up to 12.4% (matmul_512 coarse2) where the access pattern causes none. */
#define CONFLICTS 0.03
#define NOISE     0.125
/* DRAM and L2 traffic: the median. A launch that moves less than SMALL bytes to DRAM measures other
 * things. */
#define TRAFFIC 0.15
#define SMALL   1e6

/* Whose counters are known not to be the PTX's, by name: told, not held. The assembler joins loads
 * of shared memory into wide ones, which have fewer conflicts, and makes a loop of an addition of
 * floats there, which has more; it rounds a rotation's places once where the PTX rounds twice (6 of
 * 8 million sectors), and a texture's sectors are 4% more there; why `sparse vector` has more
 * requests is not known. Where what is accessed depends on random bytes (curve, life, rank, visit,
 * probe) or on who is first (keep, runs), other numbers came out there. Conflicts of fourier,
 * wavelet, group, decimate, factor and falls are further off; of these wavelet's and decimate's
 * joined loads were seen in the assembler's output, the others' reasons were not looked for. */
static bool is_known(const row *r) {
    static const struct {
        const char *lab, *variant; /* NULL: any */
    } known[] = {{"scan", "tree"},    {"sum", "block_atomic"}, {"product", "registers"},
                 {"sort", "bitonic"}, {"sparse", "vector"},    {"tex_rot45", NULL},
                 {"curve", NULL},     {"life", "bytes"},       {"rank", "pull"},
                 {"visit", NULL},     {"keep", NULL},          {"probe", NULL},
                 {"runs", NULL},      {"fourier", "shared"},   {"wavelet", NULL},
                 {"group", NULL},     {"decimate", "shared"},  {"factor", NULL},
                 {"falls", NULL}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(r->lab, known[k].lab) &&
            (!known[k].variant || !strcmp(r->variant, known[k].variant)))
            return true;
    return false;
}

/* Kernels that differ in one cost (whatif.def): of those the median error of what-if is held. */
typedef struct {
    const char *table, *lab, *with, *without;
    sim_cost cost;
} what_if_pair;
static const what_if_pair what_if_pairs[] = {
#define PAIR(table, lab, with, without, cost) {#table, #lab, #with, #without, SIM_COST_##cost},
#include "tests/truth/whatif.def"
#undef PAIR
};
#define WHAT_IF 0.25

typedef struct {
    bool ran, asked;
    double us, occupancy, without[SIM_COST_COUNT];
    char limiter[16];
    sim_counters c;
} outcome;

static char *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    *n = text ? fread(text, 1, (size_t)size, f) : 0;
    if (text) text[*n] = 0;
    fclose(f);
    return text;
}

enum { ZERO, FLOATS, BYTES }; /* what an array holds: floats as rand() % 1000 / 7, random bytes */
static sim_addr array(sim_device *d, size_t bytes, int fill) {
    sim_addr a = 0;
    if (sim_malloc(d, bytes, &a) != SIM_OK) {
        fprintf(stderr, "compare: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    if (fill == ZERO) {
        sim_fill(d, a, 0, 4, bytes / 4);
        return a;
    }
    enum { CHUNK = 1 << 20 };
    unsigned char *part = malloc(CHUNK);
    unsigned long long h = 88172645463325252ull;
    for (size_t at = 0; part && at < bytes; at += CHUNK) {
        size_t n = bytes - at < CHUNK ? bytes - at : CHUNK;
        for (size_t k = 0; k < n; k += fill == FLOATS ? 4 : 1) {
            h ^= h << 13, h ^= h >> 7, h ^= h << 17;
            float v = (float)(h % 1000) / 7;
            if (fill == FLOATS) memcpy(part + k, &v, 4);
            else part[k] = (unsigned char)(h >> 20);
        }
        sim_write(d, a + at, part, n);
    }
    free(part);
    return a;
}

static bool wanted(const char *labs, const char *lab) {
    if (!labs) return true;
    size_t n = strlen(lab);
    for (const char *p = labs; (p = strstr(p, lab)); p += n)
        if ((p == labs || p[-1] == ',') && (p[n] == ',' || !p[n])) return true;
    return false;
}

typedef struct {
    sim_device *device;
    sim_module *module;
    sim_addr x, y, z, d;
    uint64_t texture[3];
    size_t floats;
} bench;

/* What rows call p, q and r: SIDE x SIDE of x's floats as an array, as linear memory, and the array
 * filtered. */
static bool make_textures(bench *b) {
    enum { SIDE = 2048 };
    for (int k = 0; k < 3; k++) {
        sim_texture t = {.base = b->x,
                         .width = k == 1 ? SIDE * SIDE : SIDE,
                         .height = k == 1 ? 0 : SIDE,
                         .pitch = k == 1 ? SIDE * SIDE * 4 : SIDE * 4,
                         .channels = 1,
                         .bits = 32,
                         .kind = SIM_TEX_FLOAT,
                         .block_linear = k != 1,
                         .linear_filter = k == 2,
                         .address = {SIM_TEX_BORDER, SIM_TEX_BORDER, SIM_TEX_BORDER}};
        if (b->floats < SIDE * SIDE) return true;
        if (sim_texture_new(b->device, &t, &b->texture[k]) != SIM_OK) return false;
    }
    return true;
}

/* Runs one row. False and a line when it does not run. */
static bool run_row(const bench *b, const row *r, outcome *out) {
    sim_kernel *kernel = sim_module_kernel(b->module, r->kernel);
    const sim_kernel_info *info = kernel ? sim_kernel_get(kernel) : NULL;
    if (!info) {
        printf("%s %s: the module has no kernel %s\n", r->lab, r->variant, r->kernel);
        return false;
    }
    unsigned char params[256] = {0};
    const char *a = r->args;
    for (unsigned q = 0; q < info->param_count; q++) {
        while (*a == ' ') a++;
        uint64_t v = *a >= 'p' && *a <= 'r' ? b->texture[*a - 'p']
                     : *a == 'x'            ? b->x
                     : *a == 'y'            ? b->y
                     : *a == 'z'            ? b->z
                     : *a == 'd'            ? b->d
                                            : strtoull(a, NULL, 10);
        memcpy(params + info->param_offset[q], &v, info->param_size[q]);
        while (*a && *a != ' ') a++;
    }
    sim_launch l = {.kernel = kernel,
                    .dynamic_shared = r->shared,
                    .params = params,
                    .param_bytes = info->param_bytes};
    sim_kernel_set_max_dynamic_shared(kernel, r->shared);
    memcpy(l.grid, r->grid, sizeof l.grid);
    memcpy(l.block, r->block, sizeof l.block);
    sim_fill(b->device, b->y, 0, 4, b->floats);
    sim_fill(b->device, b->z, 0, 4, b->floats);
    sim_flush_caches(b->device, 0);
    sim_result res;
    lib_message msg = {0};
    if (sim_run(b->device, &l, &res, &msg) == SIM_OK) {
        *out = (outcome){.ran = true, .us = res.time_us, .occupancy = res.achieved_occupancy_pct};
        snprintf(out->limiter, sizeof out->limiter, "%s", res.limiter);
        out->c = res.counters;
        out->asked = res.what_if != NULL;
        if (res.machine_refusal)
            printf("%s %s: by counters: %s\n", r->lab, r->variant, said(res.machine_refusal));
        for (unsigned k = 0; out->asked && k < SIM_COST_COUNT; k++)
            out->without[k] = res.what_if[k].time_us;
    } else {
        printf("%s %s: %s %s\n", r->lab, r->variant, sim_status_message(res.status),
               said(res.finding_count ? &res.findings[0].said : &msg));
    }
    sim_result_free(&res);
    return out->ran;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
/* Sorts v. */
static double at_share(double *v, size_t n, double share) {
    qsort(v, n, sizeof *v, by_value);
    return n ? v[(size_t)((double)(n - 1) * share + 0.5)] : 0;
}

static double off(double modelled, double measured) {
    return measured > 0 ? modelled / measured - 1 : 0;
}

/* One kind of extra pass over the banks: within what is allowed of the hardware's. */
static bool conflicts_ok(double sim, double hw, double requests) {
    return fabs(sim - hw) <= CONFLICTS * hw + NOISE * requests;
}

typedef struct {
    size_t not_run, counts, conflicts, known, far, pairs, wrong;
    size_t times, drams, l2s, speeds;
    double *time, *dram, *l2, *speed; /* errors */
} tally;

/* Measured below 0: not compared. */
static bool counts_as(uint64_t sim, double hw, double apart) {
    return hw < 0 || fabs((double)sim - hw) <= apart * hw;
}

static void put_row(const table *t, const row *r, const outcome *o, tally *sum, FILE *md) {
    double error = off(o->us, r->device_us);
    const sim_counters *c = &o->c;
    sum->time[sum->times++] = fabs(error);
    double factor = error < 0 ? 1 / (1 + error) : 1 + error;
    if (t->each_at_most > 0 && factor > t->each_at_most) sum->far++;
    printf("%-12s %-24s %9.2f %9.2f %+5.0f%%  %-8s", r->lab, r->variant, r->device_us, o->us,
           100 * error, o->limiter);
    if (md)
        fprintf(md, "| %s %s | %.1f | %.1f | %+.0f%% | %s | %.0f |", r->lab, r->variant,
                r->device_us, o->us, 100 * error, o->limiter, o->occupancy);
    if (t->counters) {
        double dram = (double)(c->dram_read + c->dram_write), hw = r->dram_read + r->dram_write,
               l2 = (double)c->l2_sectors, ld = (double)c->shared_ld_conflicts,
               st = (double)c->shared_st_conflicts;
        double apart = 0; /* equal, or said so */
        bool counts = counts_as(c->gld_requests, r->gld_requests, apart) &&
                      counts_as(c->gld_sectors, r->gld_sectors, apart) &&
                      counts_as(c->tex_sectors, r->tex_sectors, 0) &&
                      (double)c->gst_requests == r->gst_requests &&
                      (double)c->gst_sectors == r->gst_sectors;
        bool conflicts = conflicts_ok(ld, r->shared_ld_conflicts, (double)c->shared_ld_requests) &&
                         conflicts_ok(st, r->shared_st_conflicts, (double)c->shared_st_requests);
        if (is_known(r)) sum->known += !counts || !conflicts;
        else sum->counts += !counts, sum->conflicts += !conflicts;
        if (hw >= SMALL) sum->dram[sum->drams++] = fabs(off(dram, hw));
        if (r->l2_sectors > 0) sum->l2[sum->l2s++] = fabs(off(l2, r->l2_sectors));
        printf(" %-6s %10.0f/%-10.0f %-6s DRAM %6.1f/%-6.1f MB  L2 %8.0f/%-8.0f k",
               counts ? "exact" : "OTHER", ld + st, r->shared_ld_conflicts + r->shared_st_conflicts,
               conflicts ? "" : "FAR", dram / 1e6, hw / 1e6, l2 / 1e3, r->l2_sectors / 1e3);
        if (md)
            fprintf(md, " %s | %.0f / %.0f%s | %.1f / %.1f | %.0f / %.0f |",
                    counts ? "exact" : "**other**", (ld + st) / 1e3,
                    (r->shared_ld_conflicts + r->shared_st_conflicts) / 1e3,
                    conflicts ? "" : " **far**", dram / 1e6, hw / 1e6, l2 / 1e3,
                    r->l2_sectors / 1e3);
        if (r->tex_sectors > 0)
            printf("\n    texture sectors %llu, measured %.0f; hits %llu, measured %.0f",
                   (unsigned long long)c->tex_sectors, r->tex_sectors,
                   (unsigned long long)c->tex_hits, r->tex_hits);
        if (!counts)
            printf("\n    loads %llu requests %llu sectors, measured %.0f and %.0f; stores %llu "
                   "and %llu, "
                   "measured %.0f and %.0f",
                   (unsigned long long)c->gld_requests, (unsigned long long)c->gld_sectors,
                   r->gld_requests, r->gld_sectors, (unsigned long long)c->gst_requests,
                   (unsigned long long)c->gst_sectors, r->gst_requests, r->gst_sectors);
        if (!conflicts)
            printf("\n    conflicts of loads %.0f, measured %.0f of %llu requests; of stores %.0f, "
                   "measured "
                   "%.0f of %llu",
                   ld, r->shared_ld_conflicts, (unsigned long long)c->shared_ld_requests, st,
                   r->shared_st_conflicts, (unsigned long long)c->shared_st_requests);
    }
    printf("\n");
    if (md) fprintf(md, "\n");
    fflush(stdout);
}

static void put_pairs(const table *t, const outcome *got, tally *sum, FILE *md) {
    for (size_t k = 0; k < t->count; k++)
        for (size_t q = k + 1; q < t->count; q++) {
            const row *a = &t->rows[k], *b = &t->rows[q];
            if (!got[k].ran || !got[q].ran || strcmp(a->lab, b->lab)) continue;
            double x = a->device_us, y = b->device_us;
            if ((x < y ? y / x : x / y) <= APART) continue;
            sum->pairs++;
            double ratio = got[k].us / got[q].us;
            sum->speed[sum->speeds++] = fabs(x > y ? off(ratio, x / y) : off(1 / ratio, y / x));
            if ((x < y) == (got[k].us < got[q].us)) continue;
            sum->wrong++;
            for (int to = 0; to < 2; to++) {
                FILE *f = to ? md : stdout;
                if (f)
                    fprintf(f,
                            "\nwrong order: %s %s measured %.1f us, %s %.1f us; modelled %.1f and "
                            "%.1f us\n",
                            a->lab, a->variant, x, b->variant, y, got[k].us, got[q].us);
            }
        }
}

/* Prints one figure and whether it is as good as it must be; returns whether it is not. */
static bool hold(const char *what, bool good) {
    printf("%-9s %s\n", good ? "ok" : "MISSED", what);
    return !good;
}

static bool counts_hold(const table *t, const char *what, bool good) {
    if (!t->random || good) return hold(what, good);
    printf("%-9s %s\n", "told", what);
    return false;
}

static bool verdict(const table *t, tally *sum, FILE *md) {
    char line[256];
    bool bad = false;
    double median = at_share(sum->time, sum->times, 0.5),
           p90 = at_share(sum->time, sum->times, 0.9);
    printf("\n");
    snprintf(line, sizeof line, "time: median error %.0f%%, nine of ten within %.0f%%, %zu kernels",
             100 * median, 100 * p90, sum->times);
    bad |= hold(line, t->median_at_most <= 0 || 1 + median <= t->median_at_most);
    if (md)
        fprintf(md, "\n%zu kernels: median error %.0f%%, nine of ten within %.0f%%", sum->times,
                100 * median, 100 * p90);
    if (t->each_at_most > 0) {
        snprintf(line, sizeof line, "further off than a factor of %g: %zu", t->each_at_most,
                 sum->far);
        bad |= hold(line, !sum->far);
    }
    snprintf(line, sizeof line, "pairs in the wrong order: %zu of %zu", sum->wrong, sum->pairs);
    bad |= hold(line, !sum->wrong || t->published);
    double speedup = at_share(sum->speed, sum->speeds, 0.5);
    snprintf(line, sizeof line, "speedups of these pairs: median error %.0f%%", 100 * speedup);
    bad |= hold(line, t->speedup_at_most <= 0 || 1 + speedup <= t->speedup_at_most);
    if (md) fprintf(md, "; %zu of %zu pairs in the wrong order", sum->wrong, sum->pairs);
    if (t->counters) {
        double dram = at_share(sum->dram, sum->drams, 0.5), l2 = at_share(sum->l2, sum->l2s, 0.5);
        snprintf(line, sizeof line, "global requests or sectors not as measured: %zu", sum->counts);
        bad |= counts_hold(t, line, !sum->counts);
        snprintf(line, sizeof line, "bank conflicts further off than %g%% beyond the noise: %zu",
                 100 * CONFLICTS, sum->conflicts);
        bad |= counts_hold(t, line, !sum->conflicts);
        if (sum->known) printf("          known not to be as measured: %zu\n", sum->known);
        snprintf(line, sizeof line, "DRAM bytes: median error %.1f%%, worst %.0f%%, %zu kernels",
                 100 * dram, 100 * at_share(sum->dram, sum->drams, 1), sum->drams);
        bad |= hold(line, dram <= TRAFFIC);
        snprintf(line, sizeof line, "L2 sectors: median error %.1f%%, worst %.0f%%, %zu kernels",
                 100 * l2, 100 * at_share(sum->l2, sum->l2s, 1), sum->l2s);
        bad |= hold(line, l2 <= TRAFFIC);
        if (md)
            fprintf(
                md,
                ".\nRequests and sectors other than measured: %zu;\nbank conflicts further off "
                "than %g%% "
                "beyond the noise: %zu; for reasons that are known: %zu;\nDRAM bytes: median error "
                "%.1f%%; L2 sectors: %.1f%%",
                sum->counts, 100 * CONFLICTS, sum->conflicts, sum->known, 100 * dram, 100 * l2);
    }
    if (md) fprintf(md, ".\n");
    return bad || sum->not_run;
}

static const row *row_of(const table *t, const outcome *got, const what_if_pair *p,
                         const char *variant, const outcome **out) {
    for (size_t k = 0; k < t->count; k++)
        if (!strcmp(t->rows[k].lab, p->lab) && !strcmp(t->rows[k].variant, variant) && got[k].ran) {
            *out = &got[k];
            return &t->rows[k];
        }
    return NULL;
}

/* What-if on a kernel with a cost beside the kernel without it: as modelled, and, the gain alone,
 * as measured. Returns whether the median is too far off. */
static bool put_what_if(const table *t, const outcome *got, FILE *md) {
    enum { PAIRS = sizeof what_if_pairs / sizeof *what_if_pairs };
    double errors[PAIRS], gains[PAIRS];
    size_t n = 0;
    fprintf(md, "| kernel | cost | modelled us | without it, us | kernel without, us | error | "
                "gain, foretold "
                "| gain, measured |\n|---|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t k = 0; k < PAIRS; k++) {
        const what_if_pair *p = &what_if_pairs[k];
        const outcome *a = NULL, *b = NULL;
        if (strcmp(p->table, t->name)) continue;
        const row *x = row_of(t, got, p, p->with, &a), *y = row_of(t, got, p, p->without, &b);
        if (!x || !y || !a->asked) continue;
        double told = a->without[p->cost], gain = a->us / told,
               measured = x->device_us / y->device_us;
        errors[n] = fabs(off(told, b->us));
        gains[n++] = fabs(off(gain, measured));
        fprintf(md, "| %s %s, %s | %s | %.1f | %.1f | %.1f | %+.0f%% | %.2fx | %.2fx |\n", p->lab,
                p->with, p->without, lib_word(LIB_EN, sim_cost_at(p->cost)->title), a->us, told,
                b->us, 100 * off(told, b->us), gain, measured);
    }
    double median = at_share(errors, n, 0.5), hardware = at_share(gains, n, 0.5);
    fprintf(md,
            "\n%zu pairs: median error %.0f%% against the modelled kernel, %.0f%% against the "
            "measured gain.\n",
            n, 100 * median, 100 * hardware);
    char line[128];
    snprintf(line, sizeof line, "what if: %zu pairs, median error %.0f%%, of measured gains %.0f%%",
             n, 100 * median, 100 * hardware);
    /* of kernels held out, the gain is told and not held: docs/model-tables.md says where it
     * misleads */
    bool near = strcmp(t->name, "h200") != 0 || hardware <= WHAT_IF;
    return hold(line, n > 0 && median <= WHAT_IF && near);
}

int main(int argc, char **argv) {
    const char *labs = NULL, *file = NULL, *asked = NULL, *cubin = NULL, *sass = NULL;
    for (int k = 3; k < argc; k++) {
        if (!strcmp(argv[k], "--markdown") && k + 1 < argc) file = argv[++k];
        else if (!strcmp(argv[k], "--what-if") && k + 1 < argc) asked = argv[++k];
        else if (!strcmp(argv[k], "--machine") && k + 2 < argc) cubin = argv[++k], sass = argv[++k];
        else labs = argv[k];
    }
    const table *t = NULL;
    for (size_t k = 0; argc > 1 && k < sizeof tables / sizeof *tables; k++)
        if (!strcmp(tables[k].name, argv[1])) t = &tables[k];
    if (!t || argc < 3) {
        fprintf(stderr, "usage: compare TABLE KERNELS.ptx [LAB,LAB..] [--markdown FILE] "
                        "[--what-if FILE] [--machine CUBIN SASS]\nTABLE:");
        for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
            fprintf(stderr, " %s", tables[k].name);
        fprintf(stderr, "\n");
        return 2;
    }
    size_t len = 0;
    char *ptx = read_file(argv[2], &len);
    sim_options o;
    sim_options_default(&o);
    o.run_command = dev_run_command;
    o.check_race_shared = o.check_uninit = o.count_lines = false;
    o.what_if = o.count_lines = asked != NULL;
    o.machine_code = sass != NULL;
    lib_message msg;
    bench b = {.floats = t->floats};
    sim_profile profile = *sim_profile_find(t->profile);
    if (t->clock_ghz > 0) profile.clock_ghz = t->clock_ghz;
    if (ptx) b.device = sim_device_new(&profile, &o, &msg);
    sim_module_options mo = {0};
    char *code = cubin ? read_file(cubin, &mo.cubin_len) : NULL,
         *text = sass ? read_file(sass, &mo.machine_code_len) : NULL;
    mo.cubin = code, mo.machine_code = text;
    if (b.device) b.module = sim_module_new(b.device, ptx, len, &mo, &msg);
    if (!b.module) {
        fprintf(stderr, "compare: %s: %s\n", argv[2], ptx ? said(&msg) : "cannot be read");
        return 2;
    }
    FILE *md = file ? fopen(file, "w") : NULL;
    if (file && !md) {
        fprintf(stderr, "compare: %s: cannot be written\n", file);
        return 2;
    }
    b.x = array(b.device, t->floats * 4, FLOATS);
    b.y = array(b.device, t->floats * 4, ZERO);
    b.z = t->counters || t->published ? array(b.device, t->floats * 4, ZERO) : b.y;
    b.d = array(b.device, t->bytes, BYTES);
    if (!make_textures(&b)) {
        fprintf(stderr, "compare: a texture cannot be made\n");
        return 2;
    }
    outcome *got = calloc(t->count, sizeof *got);
    tally sum = {.time = calloc(t->count, sizeof(double)),
                 .dram = calloc(t->count, sizeof(double)),
                 .l2 = calloc(t->count, sizeof(double)),
                 .speed = calloc(t->count * t->count, sizeof(double))};
    printf("%-37s %9s %9s %6s  %-8s%s\n", "kernel", "measured", "modelled us", "error", "limiter",
           t->counters ? " counts bank conflicts, simulated/measured" : "");
    if (md)
        fprintf(md,
                "| kernel | measured us | modelled us | error | limiter | occupancy %% |%s\n"
                "|---|---:|---:|---:|---|---:|%s\n",
                t->counters ? " requests, sectors | conflicts, k | DRAM, MB | L2, k sectors |" : "",
                t->counters ? "---|---:|---:|---:|" : "");
    for (size_t k = 0; k < t->count; k++) {
        if (!wanted(labs, t->rows[k].lab)) continue;
        if (run_row(&b, &t->rows[k], &got[k])) put_row(t, &t->rows[k], &got[k], &sum, md);
        else sum.not_run++;
    }
    put_pairs(t, got, &sum, md);
    bool bad = verdict(t, &sum, md);
    FILE *answers = asked ? fopen(asked, "w") : NULL;
    if (answers) bad |= put_what_if(t, got, answers), fclose(answers);
    if (md) fclose(md);
    free(got);
    free(sum.time);
    free(sum.dram);
    free(sum.l2);
    free(sum.speed);
    free(ptx), free(code), free(text);
    sim_module_free(b.module);
    sim_device_free(b.device);
    return bad;
}
