/* Runs the kernels of h200.def or g80.def on the simulated device and prints modelled beside measured times.
 *
 *   compare DEVICE KERNELS.ptx [LAB[,LAB..]] [--markdown] [--check]
 *
 * --check: exit status 1 if the median error is above a quarter, or two variants of one lab that the hardware
 * tells apart by more than 15% come in the other order (H200); or a time is off by more than a factor of two
 * (G80). Part of make check-model, too slow for make test. */
#include "runner/sim/profile.h"
#include "runner/sim/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const char *lab, *variant, *kernel;
    unsigned grid[3], block[3], shared;
    const char *args;
    double device_us, cold_us, hot_us, warp_inst, dram_read, dram_write, l2_sectors;
} run;

#define RUN(lab, variant, kernel, gx, gy, bx, by, shared, args, us, cold, hot, wi, dr, dw, l2)               \
    {#lab, #variant, #kernel, {gx, gy, 1}, {bx, by, 1}, shared, args, us, cold, hot, wi, dr, dw, l2},
static const run h200[] = {
#include "tests/truth/h200.def"
};
static const run g80[] = {
#include "tests/truth/g80.def"
};

enum { FLOATS = 1 << 26, FLOATS_G80 = 1 << 24, BYTES = 1 << 24 };

typedef struct {
    double modelled;
    bool ran;
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

static sim_addr array(sim_device *d, size_t bytes,
                      int fill) { /* 0: zero, 1: floats as rand() % 1000 / 7, 2: bytes at random */
    sim_addr a = 0;
    if (sim_malloc(d, bytes, &a) != SIM_OK) {
        fprintf(stderr, "compare: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    if (!fill) {
        sim_fill(d, a, 0, 4, bytes / 4);
        return a;
    }
    enum { CHUNK = 1 << 20 };
    unsigned char *part = malloc(CHUNK);
    unsigned long long h = 88172645463325252ull;
    for (size_t at = 0; part && at < bytes; at += CHUNK) {
        size_t n = bytes - at < CHUNK ? bytes - at : CHUNK;
        for (size_t k = 0; k < n; k += fill == 1 ? 4 : 1) {
            h ^= h << 13, h ^= h >> 7, h ^= h << 17;
            float v = (float)(h % 1000) / 7;
            if (fill == 1) memcpy(part + k, &v, 4);
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

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "", *labs = NULL;
    bool markdown = false, check = false, verbose = false;
    for (int k = 3; k < argc; k++) {
        if (!strcmp(argv[k], "--markdown")) markdown = true;
        else if (!strcmp(argv[k], "--check")) check = true;
        else if (!strcmp(argv[k], "--verbose")) verbose = true;
        else labs = argv[k];
    }
    const sim_profile *p = sim_profile_find(device);
    if (!p || argc < 3) {
        fprintf(stderr, "usage: compare h200|g80 KERNELS.ptx [LAB,LAB..] [--markdown] [--check]\n");
        return 2;
    }
    bool old = !strcmp(device, "g80");
    const run *runs = old ? g80 : h200;
    size_t count = old ? sizeof g80 / sizeof *g80 : sizeof h200 / sizeof *h200, len;
    char *ptx = read_file(argv[2], &len);
    sim_options o;
    sim_options_default(&o);
    o.check_race_shared = o.check_uninit = o.count_lines = false;
    sim_message msg;
    sim_device *d = ptx ? sim_device_new(p, &o, &msg) : NULL;
    sim_module *m = d ? sim_module_new(d, ptx, len, NULL, &msg) : NULL;
    if (!m) {
        fprintf(stderr, "compare: %s: %s\n", argv[2], ptx ? msg.text : "cannot be read");
        return 2;
    }
    size_t floats = old ? FLOATS_G80 : FLOATS;
    sim_addr x = array(d, floats * 4, 1), y = array(d, floats * 4, 0), z = old ? y : array(d, floats * 4, 0),
             bytes = array(d, BYTES, 2);
    outcome *got = calloc(count, sizeof *got);
    double *errors = calloc(count, sizeof *errors);
    size_t compared = 0, wrong_order = 0, pairs = 0, far = 0;
    if (markdown)
        printf("| kernel | measured us | modelled us | error | limiter | occupancy %% | DRAM MB, hw | DRAM "
               "MB, sim |\n|---|---:|---:|---:|---|---:|---:|---:|\n");
    for (size_t k = 0; k < count; k++) {
        const run *r = &runs[k];
        if (!wanted(labs, r->lab)) continue;
        sim_kernel *kernel = sim_module_kernel(m, r->kernel);
        const sim_kernel_info *info = kernel ? sim_kernel_get(kernel) : NULL;
        if (!info) {
            printf("%s/%s: the module has no kernel %s\n", r->lab, r->variant, r->kernel);
            far++;
            continue;
        }
        unsigned char params[256] = {0};
        const char *a = r->args;
        for (unsigned q = 0; q < info->param_count; q++) {
            while (*a == ' ') a++;
            uint64_t v = *a == 'x'   ? x
                         : *a == 'y' ? y
                         : *a == 'z' ? z
                         : *a == 'd' ? bytes
                                     : strtoull(a, NULL, 10);
            memcpy(params + info->param_offset[q], &v, info->param_size[q]);
            while (*a && *a != ' ') a++;
        }
        sim_launch l = {.kernel = kernel,
                        .dynamic_shared = r->shared,
                        .params = params,
                        .param_bytes = info->param_bytes};
        memcpy(l.grid, r->grid, sizeof l.grid);
        memcpy(l.block, r->block, sizeof l.block);
        sim_flush_caches(d);
        sim_result res;
        if (sim_run(d, &l, &res, &msg) != SIM_OK) {
            printf("%s/%s: %s %s\n", r->lab, r->variant, sim_status_message(res.status),
                   res.finding_count ? res.findings[0].text : msg.text);
            far++;
            sim_result_free(&res);
            continue;
        }
        double error = r->device_us > 0 ? res.time_us / r->device_us - 1 : 0;
        got[k] = (outcome){res.time_us, true};
        if (r->device_us > 0) errors[compared++] = fabs(error);
        if (old && r->device_us > 0 && (error > 1 || error < -0.5)) far++;
        double dram = (double)(res.counters.dram_read + res.counters.dram_write) / 1e6,
               hw = (r->dram_read + r->dram_write) / 1e6;
        if (markdown)
            printf("| %s %s | %.1f | %.1f | %+.0f%% | %s | %.0f | %.1f | %.1f |\n", r->lab, r->variant,
                   r->device_us, res.time_us, 100 * error, res.limiter, res.achieved_occupancy_pct, hw, dram);
        else
            printf("%-12s %-22s measured %9.2f  modelled %9.2f  %+5.0f%%  %-7s occ %3.0f%%  dram %7.1f/%7.1f "
                   "MB  regs %u  sim %.2fs\n",
                   r->lab, r->variant, r->device_us, res.time_us, 100 * error, res.limiter,
                   res.achieved_occupancy_pct, dram, hw, info->registers, res.host_seconds);
        if (verbose)
            printf("    warp inst %llu (machine %.0f)  l2 sectors %llu (hw %.0f) floor %.2f\n",
                   (unsigned long long)res.counters.warp_inst, r->warp_inst,
                   (unsigned long long)res.counters.l2_sectors, r->l2_sectors, res.time_floor_us);
        fflush(stdout);
        sim_result_free(&res);
    }
    for (size_t k = 0; k < count; k++)
        for (size_t q = k + 1; q < count; q++) {
            if (!got[k].ran || !got[q].ran || strcmp(runs[k].lab, runs[q].lab)) continue;
            double a = runs[k].device_us, b = runs[q].device_us;
            if (a <= 0 || b <= 0 || (a < b ? b / a : a / b) <= 1.15) continue;
            pairs++;
            if ((a < b) == (got[k].modelled < got[q].modelled)) continue;
            wrong_order++;
            printf("%s%s: %s %.1f us, %s %.1f us; modelled %.1f and %.1f\n",
                   markdown ? "\nwrong order: " : "ORDER ", runs[k].lab, runs[k].variant, a, runs[q].variant,
                   b, got[k].modelled, got[q].modelled);
        }
    qsort(errors, compared, sizeof *errors, by_value);
    double median = compared ? errors[compared / 2] : 0, p90 = compared ? errors[compared * 9 / 10] : 0;
    printf("\n%zu kernels: median error %.0f%%, nine of ten within %.0f%%; %zu of %zu pairs in the wrong "
           "order\n",
           compared, 100 * median, 100 * p90, wrong_order, pairs);
    bool bad = wrong_order || far || (!old && median > 0.25);
    free(got);
    free(errors);
    free(ptx);
    sim_module_free(m);
    sim_device_free(d);
    return check && bad ? 1 : 0;
}
