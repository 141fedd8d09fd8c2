/* What launches must do beyond arithmetic: waiting, diverging, calling, printing, failing. The
 * kernels are tests/ptx/behave.cu; what is expected is computed here in plain C, or follows from
 * CUDA's rules as the comments say. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/sim.h"
#include <stdint.h>
#include <stdlib.h>

static sim_device *d;
static sim_module *mod;
static sim_result r;
static lib_message msg;
static char printed[1 << 16];
static size_t printed_len;
static volatile int cancel;

static size_t print_room = SIZE_MAX; /* bytes that print() takes */
static bool print(void *user, const char *text, size_t n) {
    (void)user;
    if (printed_len + n >= sizeof printed) n = sizeof printed - 1 - printed_len;
    memcpy(printed + printed_len, text, n);
    printed[printed_len += n] = 0;
    return printed_len < print_room;
}

static char *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *p = malloc(1 << 20);
    *n = f && p ? fread(p, 1, 1 << 20, f) : 0;
    if (f) fclose(f);
    return p;
}

static bool check_global; /* sim_options.check_race_global */
static void open_device(unsigned threads, uint64_t budget) {
    size_t n;
    char *text = read_file("tests/ptx/behave.ptx", &n);
    sim_options o;
    sim_module_options mo = {.ptxas = ""};
    sim_options_default(&o);
    o.threads = threads;
    o.inst_budget = budget;
    o.check_race_global = check_global;
    d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    mod = d ? sim_module_new(d, text, n, &mo, &msg) : NULL;
    if (!mod) printf("# %s\n", said(&msg));
    free(text);
}
static void close_device(void) {
    sim_module_free(mod);
    sim_device_free(d);
}

static sim_addr buffer(size_t n) {
    sim_addr a = 0;
    sim_malloc(d, n, &a);
    sim_fill(d, a, 0, 1, n);
    return a;
}

/* Launches and leaves the result in r; up to 4 parameters of 8 bytes. */
static sim_status launch(const char *name, unsigned grid, unsigned block, const uint64_t *params,
                         size_t bytes) {
    sim_kernel *k = sim_module_kernel(mod, name);
    static bool used;
    if (used) sim_result_free(&r);
    used = true;
    memset(&r, 0, sizeof r);
    printed[printed_len = 0] = 0;
    if (!k) {
        printf("# no kernel %s\n", name);
        return SIM_NOT_FOUND;
    }
    sim_launch l = {.kernel = k,
                    .grid = {grid, 1, 1},
                    .block = {block, 1, 1},
                    .params = params,
                    .param_bytes = bytes,
                    .print = print,
                    .cancel = &cancel,
                    .cooperative = !strcmp(name, "grid_barrier")};
    sim_status s = sim_run(d, &l, &r, &msg);
    for (size_t i = 0; i < r.finding_count; i++)
        printf("# %s: %s\n", name, said(&r.findings[i].said));
    if (s != SIM_OK) printf("# %s: %s: %s\n", name, sim_status_name(s), said(&msg));
    return s;
}
static int ints[1 << 16];
static void get(sim_addr a, size_t n) {
    sim_read(d, ints, a, n * 4);
}
static int count_bad(const int *want, size_t n) {
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        if (ints[i] != want[i] && !bad) printf("# [%zu] is %d, want %d\n", i, ints[i], want[i]);
        bad += ints[i] != want[i];
    }
    return bad;
}
static int want[1 << 16];
static bool found(sim_finding_kind k) {
    for (size_t i = 0; i < r.finding_count; i++)
        if (r.findings[i].kind == k) return true;
    return false;
}

static void test_waiting(void) {
    sim_addr a = buffer(4096), b = buffer(1 << 16), c = buffer(1 << 16);
    const char *locks[] = {"spin_lock", "spin_lock_plain", "spin_lock_call"};
    for (int k = 0; k < 3; k++) {
        sim_fill(d, a, 0, 1, 8);
        CHECK_INT(launch(locks[k], 4, 96, (uint64_t[]){a, a + 4}, 16), SIM_OK);
        get(a, 2);
        CHECK_INT(ints[0], 0);
        CHECK_INT(ints[1], 4 * 96);
    }
    CHECK_INT(launch("producer_consumer", 1, 32, (uint64_t[]){a}, 8), SIM_OK);
    get(a, 1);
    CHECK_INT(ints[0], 42);
    sim_fill(d, a, 0, 1, 16);
    CHECK_INT(launch("ping_pong", 1, 2, (uint64_t[]){a, a + 8}, 16), SIM_OK);
    get(a, 4);
    CHECK_INT(ints[2], 31 * 32 / 2);
    CHECK_INT(ints[3], 31 * 32 / 2);
    sim_fill(d, a, 0, 1, 16);
    CHECK_INT(launch("waits_weak", 1, 2, (uint64_t[]){a, a + 8}, 16), SIM_OK);
    get(a, 4);
    CHECK_INT(ints[2], 5);
    sim_fill(d, a, 0, 1, 8);
    CHECK_INT(launch("block_waits", 50, 64, (uint64_t[]){a, b}, 16), SIM_OK);
    get(b, 1);
    CHECK_INT(ints[0], 7);
    enum { BLOCKS = 20, THREADS = 64, N = BLOCKS * THREADS };
    CHECK_INT(launch("grid_barrier", BLOCKS, THREADS, (uint64_t[]){b, c, N}, 20), SIM_OK);
    for (int i = 0; i < N; i++) want[i] = (i + 2 * THREADS) % N;
    get(c, N);
    CHECK_INT(count_bad(want, N), 0);
    CHECK_INT(r.finding_count, 0);
}

/* Loops that nothing ends are told from loops that take long, at once, with who waits where. */
static void test_endless_waits(void) {
    sim_addr a = buffer(4096);
    CHECK_INT(launch("never_set", 3, 64, (uint64_t[]){a}, 8), SIM_DEADLOCK);
    CHECK(found(SIM_FIND_DEADLOCK));
    CHECK(r.host_seconds < 5);
    CHECK_INT(launch("never_set_half", 2, 64, (uint64_t[]){a}, 8), SIM_DEADLOCK);
    CHECK(r.finding_count == 1 && r.findings[0].line && r.findings[0].other_line &&
          strstr(said(&r.findings[0].said), "32 wait at"));
    CHECK_INT(launch("crossed_locks", 1, 64, (uint64_t[]){a}, 8), SIM_DEADLOCK);
    CHECK(r.finding_count == 1 &&
          strstr(said(&r.findings[0].said), "2 threads of the block go round such loops"));
    sim_fill(d, a, 0, 1, 8);
    enum { TIMES = 300000 };
    CHECK_INT(launch("gives_up", 2, 32, (uint64_t[]){a, TIMES, a + 8}, 24), SIM_OK);
    get(a + 8, 1);
    CHECK_INT(ints[0], TIMES);
    CHECK_INT(launch("waits_clock", 1, 32, (uint64_t[]){a + 8, 3000000}, 16), SIM_OK);
    CHECK(r.finding_count == 0);
}

/* A volatile flag with fences orders what it guards, without them it does not; two volatile
 * accesses are no race, but a warp that counts on running in step has one. */
static void test_flags(void) {
    sim_addr a = buffer(4096), data = buffer(64);
    struct {
        const char *kernel;
        unsigned grid, block;
        bool race;
    } row[] = {{"flag_fenced", 1, 64, false},
               {"flag_fenced", 2, 32, false},
               {"flag_bare", 1, 64, true},
               {"flag_bare", 2, 32, true}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        sim_fill(d, a, 0, 1, 16);
        sim_fill(d, data, 0, 1, 64);
        CHECK_INT(
            launch(row[k].kernel, row[k].grid, row[k].block, (uint64_t[]){a, data, a + 8}, 24),
            SIM_OK);
        CHECK_INT(found(SIM_FIND_RACE), row[k].race);
        get(a, 4);
        CHECK_INT(ints[2], 7 * (1 + 2 + 3 + 4 + 5 + 6));
    }
    for (uint64_t fence = 0; fence < 2; fence++) {
        CHECK_INT(launch("flag_shared", 1, 64, (uint64_t[]){a + 8, fence}, 12), SIM_OK);
        CHECK_INT(found(SIM_FIND_RACE), !fence);
    }
    CHECK_INT(launch("warp_volatile", 1, 32, (uint64_t[]){a}, 8), SIM_OK);
    CHECK(found(SIM_FIND_RACE));
}

static void test_barriers(void) {
    sim_addr a = buffer(4096);
    CHECK_INT(launch("half_barrier", 1, 128, (uint64_t[]){a}, 8), SIM_DEADLOCK);
    CHECK(found(SIM_FIND_BARRIER));
    CHECK_CONTAINS(r.finding_count ? said(&r.findings[0].said) : "", "48 of 128 threads");
    /* every thread is at a barrier, but not at the same one: undefined in CUDA, works on
     * hardware */
    CHECK_INT(launch("two_barriers", 1, 64, (uint64_t[]){a}, 8), SIM_OK);
    CHECK(found(SIM_FIND_BARRIER));
    if (CHECK(r.finding_count == 1)) { /* the first of each warp */
        CHECK_INT(r.findings[0].thread[0], 0);
        CHECK_INT(r.findings[0].line, 168);
        CHECK_INT(r.findings[0].other_thread[0], 32);
        CHECK_INT(r.findings[0].other_line, 171);
    }
    /* who has exited is not waited for: right since compute capability 7.0 (before:
     * find_barrier.cu) */
    CHECK_INT(launch("early_exit", 1, 64, (uint64_t[]){a, 40}, 12), SIM_OK);
    CHECK_INT(r.finding_count, 0);
    CHECK_INT(launch("early_exit", 1, 64, (uint64_t[]){a, 64}, 12), SIM_OK);
    CHECK_INT(r.finding_count, 0);
    CHECK_INT(launch("never_together", 1, 32, (uint64_t[]){a}, 8), SIM_DEADLOCK);
    CHECK(found(SIM_FIND_BARRIER) || found(SIM_FIND_DEADLOCK));
    CHECK_INT(launch("counted", 1, 100, (uint64_t[]){a, 37}, 12), SIM_OK);
    for (int i = 0; i < 100; i++) want[i] = 37 * 4 + 0 + 1;
    get(a, 100);
    CHECK_INT(count_bad(want, 100), 0);
    CHECK_INT(launch("counted", 1, 100, (uint64_t[]){a, 100}, 12), SIM_OK);
    for (int i = 0; i < 100; i++) want[i] = 100 * 4 + 2 + 0;
    get(a, 100);
    CHECK_INT(count_bad(want, 100), 0);
    CHECK_INT(launch("named", 1, 64, (uint64_t[]){a}, 8), SIM_OK);
    for (int l = 0; l < 32; l++) want[l] = 600 + 4 * (31 - l);
    get(a, 32);
    CHECK_INT(count_bad(want, 32), 0);
    CHECK_INT(r.finding_count, 0);
}

static void test_shuffles(void) {
    sim_addr a = buffer(4096), b = buffer(4096);
    int in[64];
    for (int i = 0; i < 64; i++) in[i] = i * i;
    sim_write(d, a, in, sizeof in);
    CHECK_INT(launch("tiles", 1, 64, (uint64_t[]){a, b}, 16), SIM_OK);
    for (int i = 0; i < 64; i++) {
        want[i] = 0;
        for (int k = 0; k < 8; k++) want[i] += in[i / 8 * 8 + k];
        if (i % 16 < 8) want[i] *= 2;
    }
    get(b, 64);
    CHECK_INT(count_bad(want, 64), 0);
    CHECK_INT(launch("apart", 1, 32, (uint64_t[]){b}, 8), SIM_OK);
    for (int l = 0; l < 32; l++) {
        int s = 31 - l;
        want[l] = (s < 16 ? s * 2 : s * 3) + (l < 16 ? 1000 : 2000);
    }
    get(b, 32);
    CHECK_INT(count_bad(want, 32), 0);
    sim_fill(d, a, 0, 1, 4);
    CHECK_INT(launch("aggregated", 1, 96, (uint64_t[]){a, b}, 16), SIM_OK);
    get(a, 1);
    CHECK_INT(ints[0], 32);
    get(b, 96);
    int seen[96] = {0}, twice = 0;
    for (int i = 0; i < 96; i += 3) twice += seen[ints[i]]++ > 0;
    CHECK_INT(twice, 0);
}

static void test_divergence(void) {
    sim_addr a = buffer(4096), b = buffer(4096);
    CHECK_INT(launch("loops", 1, 32, (uint64_t[]){a}, 8), SIM_OK);
    for (int l = 0; l < 32; l++) {
        unsigned s = 0;
        for (int i = 0; i < l; i++) s = s * 3 + (unsigned)i;
        want[l] = (int)s;
    }
    get(a, 32);
    CHECK_INT(count_bad(want, 32), 0);
    /* the warp goes round as often as its busiest lane: the branch back splits it 30 times and once
     * more at the entry, where lane 0 does not go in */
    CHECK_INT(r.counters.divergent_branches, 31);
    uint64_t once = r.counters.warp_inst;
    CHECK(once < 31 * 8 + 30);
    CHECK_INT(launch("nested", 1, 64, (uint64_t[]){a, 50}, 12), SIM_OK);
    for (int t = 0; t < 64; t++) {
        int s = 0;
        for (int i = 0; i < 50; i++) {
            if ((t + i) % 3 == 0) {
                for (int j = 0; j < t % 5; j++) s += i * j;
            } else if ((t + i) % 3 == 1) {
                s ^= i;
                if (s & 1) continue;
            }
            s += 1;
            if (s > 5000) break;
        }
        want[t] = s;
    }
    get(a, 64);
    CHECK_INT(count_bad(want, 64), 0);
    int in[64];
    for (int i = 0; i < 64; i++) in[i] = (i * 5 + 3) % 10;
    sim_write(d, b, in, sizeof in);
    CHECK_INT(launch("cases", 1, 64, (uint64_t[]){a, b}, 16), SIM_OK);
    for (int t = 0; t < 64; t++) {
        const int c[] = {in[t] + t * 3,
                         t ^ 77,
                         __builtin_popcount((unsigned)t),
                         t * t,
                         t / 3 + 5,
                         -7,
                         t % 7,
                         t ? __builtin_clz((unsigned)t) : 32};
        want[t] = in[t] < 8 ? c[in[t]] : -1;
    }
    get(a, 64);
    CHECK_INT(count_bad(want, 64), 0);
}

typedef struct {
    int v[10];
    double d;
} big;

static int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void test_calls(void) {
    sim_addr a = buffer(1 << 16);
    CHECK_INT(launch("recursion", 2, 64, (uint64_t[]){a}, 8), SIM_OK);
    for (int t = 0; t < 64; t++) want[t] = fib(t % 12);
    get(a, 64);
    CHECK_INT(count_bad(want, 64), 0);
    CHECK_INT(launch("endless_recursion", 1, 32, (uint64_t[]){a}, 8), SIM_ILLEGAL_ADDRESS);
    CHECK(found(SIM_FIND_STACK));
    CHECK_INT(launch("pointers", 1, 64, (uint64_t[]){a}, 8), SIM_OK);
    get(a, 64);
    float f[64];
    memcpy(f, ints, sizeof f);
    int bad = 0;
    for (int t = 0; t < 64; t++)
        bad += f[t] != (t % 3 == 0   ? (float)t + 2.5f
                        : t % 3 == 1 ? (float)t * 2.5f
                                     : (float)t - 2.5f);
    CHECK_INT(bad, 0);
    struct {
        sim_addr out;
        big b;
    } p = {a, {{0}, 100.5}};
    for (int i = 0; i < 10; i++) p.b.v[i] = 100 + 7 * i;
    CHECK_INT(launch("structs", 1, 40, (void *)&p, sizeof p), SIM_OK);
    for (int t = 0; t < 40; t++) {
        int i = t % 10, v = p.b.v[i] * t + i;
        want[t] = v * 2 + i + (int)(100.5 * 0.25);
    }
    get(a, 40);
    CHECK_INT(count_bad(want, 40), 0);
    CHECK_INT(launch("indexed_param", 1, 40, (void *)&p, sizeof p), SIM_OK);
    for (int t = 0; t < 40; t++) want[t] = p.b.v[t % 10];
    get(a, 40);
    CHECK_INT(count_bad(want, 40), 0);
    CHECK_INT(launch("local_array", 1, 64, (uint64_t[]){a, 40}, 12), SIM_OK);
    for (int t = 0; t < 64; t++) {
        int x[16], s = 0;
        for (int i = 0; i < 16; i++) x[i] = t * i;
        for (int i = 0; i < 40; i++) x[(i * 7 + t) & 15] += x[(i * 3) & 15];
        for (int i = 0; i < 16; i++) s += x[i] * (i + 1);
        want[t] = s;
    }
    get(a, 64);
    CHECK_INT(count_bad(want, 64), 0);
    CHECK(r.counters.local_ld_requests > 0 && r.counters.local_st_requests > 0);
    CHECK_INT(launch("variables", 1, 32, (uint64_t[]){a}, 8), SIM_OK);
    for (int t = 0; t < 32; t++) want[t] = (const int[]){3, 1, 4, 1}[t % 4] + 5;
    get(a, 32);
    CHECK_INT(count_bad(want, 32), 0);
    sim_addr at;
    uint64_t n;
    int v = 0;
    CHECK_INT(sim_module_symbol(mod, "counter", &at, &n), SIM_OK);
    CHECK_INT(n, 4);
    sim_read(d, &v, at, 4);
    CHECK_INT(v, 9);
    sim_module_reset(mod);
    sim_read(d, &v, at, 4);
    CHECK_INT(v, 5);
}

static void test_runtime(void) {
    sim_addr a = buffer(4096), s = buffer(16);
    sim_write(d, s, "hello", 6);
    CHECK_INT(launch("prints", 1, 32, (uint64_t[]){s}, 8), SIM_OK);
    char line[400];
    snprintf(line, sizeof line, "%d %5.2f|%-6s|%c|%lld|%x|%%|%5u|%s|%08.3e|%+d|%p|%d\nt0\nt1\n", -5,
             3.14159, "ab", 'z', 1ll << 40, 255, 42u, "hello", 12345.678, 7, (void *)0x1234, 300);
    CHECK_STR(printed, line);
    CHECK_INT(launch("hostile_print", 1, 1, NULL, 0), SIM_OK);
    CHECK(printed_len < 1000);
    CHECK_INT(launch("asserts", 2, 64, (uint64_t[]){50}, 4), SIM_ASSERT);
    CHECK(found(SIM_FIND_ASSERT));
    CHECK_CONTAINS(r.finding_count ? said(&r.findings[0].said) : "", "too many");
    CHECK_INT(launch("list", 2, 64, (uint64_t[]){a}, 8), SIM_OK);
    for (int t = 0; t < 64; t++) {
        int v = 0;
        for (int i = 4; i >= 0; i--) v = v * 3 + t * 10 + i;
        want[t] = v;
    }
    get(a, 64);
    CHECK_INT(count_bad(want, 64), 0);
    CHECK_INT(launch("bad_free", 1, 1, (uint64_t[]){a}, 8), SIM_TRAP);
}

/* ---- printf: what libc prints for the same format and argument; what it returns, CUDA's guide
 * says ---- */

static const char says[] =
    ".version 8.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".visible .entry say(.param .u64 f, .param .u64 a, .param .u64 out) {\n"
    ".reg .b64 %rd<4>; .reg .b32 %r<2>;\n"
    "ld.param.u64 %rd1, [f]; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [out];\n"
    "{ .param .b64 p0; .param .b64 p1; .param .b32 ret; st.param.b64 [p0], %rd1;\n"
    "st.param.b64 [p1], %rd2; call.uni (ret), vprintf, (p0, p1); ld.param.b32 %r1, [ret]; }\n"
    "st.global.u32 [%rd3], %r1; ret; }\n";
static sim_addr say_format, say_args, say_out;

/* Prints with these arguments, as they lie in memory; what vprintf returned. */
static int say(const char *format, const void *args, size_t n) {
    int used = -99;
    sim_write(d, say_format, format, strlen(format) + 1);
    if (n) sim_write(d, say_args, args, n);
    CHECK_INT(launch("say", 1, 1, (uint64_t[]){say_format, say_args, say_out}, 24), SIM_OK);
    sim_read(d, &used, say_out, sizeof used);
    return used;
}
static void prints(const char *format, const char *want_text, const void *args, size_t n,
                   int used) {
    int got = say(format, args, n);
    check_that(!strcmp(printed, want_text), __FILE__, __LINE__, format, printed);
    CHECK_INT(got, used);
}

static void test_printf(void) {
    static const char *const of_int[] = {"%d",   "%i",    "%u",  "%x",     "%X",     "%o",
                                         "%#x",  "%#o",   "% d", "%+d",    "%05d",   "%-7d|",
                                         "%.3d", "%9.4d", "%7u", "<%11d>", "%-12i|", "%%%d%%"},
                             *const of_long[] = {"%ld",  "%lld",  "%lu",    "%llu", "%llx",
                                                 "%lX",  "%zu",   "%jd",    "%td",  "%lo",
                                                 "%lli", "%21ld", "%-21lu|"},
                             *const of_double[] = {"%f",       "%F",  "%e",    "%E",     "%g",
                                                   "%G",       "%a",  "%A",    "%.0f",   "%10.3f",
                                                   "%-12.2e|", "%#g", "%+.1f", "% 9.2f", "%012.4f"},
                             *const of_text[] = {"%s", "%.2s", "%7s|", "%-7s|", "[%5.3s]"};
    static const int of_ints[] = {0, 1, -5, 42, 2147483647, -2147483647 - 1};
    static const long long of_longs[] = {0, -1, 1ll << 40, -(1ll << 40), INT64_MAX, INT64_MIN};
    static const double of_doubles[] = {0, -0.0, 1, -2.5, 3.14159265358979, 1e300, 1e-7, 123456789};
    char text[4096];
    sim_module *keep = mod;
    sim_module_options mo = {.ptxas = ""};
    mod = sim_module_new(d, says, strlen(says), &mo, &msg);
    CHECK_STR(mod ? "" : said(&msg), "");
    say_format = buffer(8192), say_args = buffer(1024), say_out = buffer(8);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    for (size_t k = 0; k < sizeof of_int / sizeof *of_int; k++)
        for (size_t v = 0; v < sizeof of_ints / sizeof *of_ints; v++) {
            snprintf(text, sizeof text, of_int[k], of_ints[v]);
            prints(of_int[k], text, &of_ints[v], 4, 1);
        }
    for (size_t k = 0; k < sizeof of_long / sizeof *of_long; k++)
        for (size_t v = 0; v < sizeof of_longs / sizeof *of_longs; v++) {
            snprintf(text, sizeof text, of_long[k], of_longs[v]);
            prints(of_long[k], text, &of_longs[v], 8, 1);
        }
    for (size_t k = 0; k < sizeof of_double / sizeof *of_double; k++)
        for (size_t v = 0; v < sizeof of_doubles / sizeof *of_doubles; v++) {
            snprintf(text, sizeof text, of_double[k], of_doubles[v]);
            prints(of_double[k], text, &of_doubles[v], 8, 1);
        }
    sim_addr word = buffer(8192), none = 0;
    sim_write(d, word, "warp", 5);
    for (size_t k = 0; k < sizeof of_text / sizeof *of_text; k++) {
        snprintf(text, sizeof text, of_text[k], "warp");
        prints(of_text[k], text, &word, 8, 1);
    }
#pragma GCC diagnostic pop
    prints("%s", "(null)", &none, 8, 1);
    prints("%p", "(nil)", &none, 8, 1);
    snprintf(text, sizeof text, "%p", (void *)word);
    prints("%p", text, &word, 8, 1);
    prints("%c%c", "ok", (int[]){'o', 'k'}, 8, 2);
    prints("100%%", "100%", NULL, 0, 0);
    prints("plain", "plain", NULL, 0, 0);
    /* a width or precision from the arguments */
    prints("%*d|", "    42|", (int[]){6, 42}, 8, 2);
    prints("%-*d|", "42    |", (int[]){6, 42}, 8, 2);
    prints("%*d|", "42    |", (int[]){-6, 42}, 8, 2);
    struct {
        int digits, gap;
        double v;
    } rounded = {2, 0, 3.14159};
    prints("%.*f", "3.14", &rounded, 16, 2);
    /* each argument is aligned to its own size */
    struct {
        int a, gap;
        long long b;
        int c, gap2;
        double e;
        int f;
    } mixed = {1, 0, 2, 3, 0, 4.5, 6};
    prints("%d %lld %d %.1f %d", "1 2 3 4.5 6", &mixed, sizeof mixed, 5);
    /* at most 32 arguments; a specifier beyond them is output as it is */
    int many[33];
    char format[256] = "", all[256] = "";
    for (int k = 0; k < 33; k++) {
        many[k] = k;
        strcat(format, "%d ");
        snprintf(all + strlen(all), sizeof all - strlen(all), k < 32 ? "%d " : "%%d ", k);
    }
    say(format, many, sizeof many);
    CHECK_STR(printed, all);
    /* nothing is written through an argument, and what no conversion is stays */
    prints("a%nb", "a%nb", &word, 8, 0);
    prints("50%", "50%", NULL, 0, 0);
    prints("%y", "%y", NULL, 0, 0);
    say("%999d", &many[1], 4);
    CHECK_INT(printed_len, 999);
    say("%1000d", &many[1], 4);
    CHECK_INT(printed_len, 6); /* nobody can read that */
    /* 38 flags are read; a longer specifier stays, and takes no arguments */
    static const char plus[] = "+++++++++++++++++++++++++++++++++++++++";
    snprintf(format, sizeof format, "%%%.38sd|", plus);
    prints(format, "+1|", &many[1], 4, 1);
    snprintf(format, sizeof format, "%%%.39sd|", plus);
    prints(format, format, &many[1], 4, 0);
    snprintf(format, sizeof format, "%%%.39s*d|", plus);
    prints(format, format, &many[1], 8, 0);
    memset(text, 'w', sizeof text);
    sim_write(d, word, text, 4000);
    say("%s", &word, 8);
    CHECK_INT(printed_len, 4000);
    /* a string that does not lie in memory */
    sim_addr wild = 0x1000;
    say("%s", &wild, 8);
    CHECK_CONTAINS(printed, "(bad string)");
    CHECK_INT(launch("say", 1, 1, (uint64_t[]){0, say_args, say_out}, 24), SIM_OK);
    int used = 0;
    sim_read(d, &used, say_out, sizeof used);
    CHECK_INT(used, -1);
    /* A launch of 2000 blocks whose owner takes no text after the first block's: nothing follows,
     * and every call still returns how many arguments it has. */
    print_room = 1;
    sim_write(d, say_format, "%*d %s\n", 8);
    sim_write(d, say_args, (uint64_t[]){4 | (uint64_t)7 << 32, word}, 16);
    CHECK_INT(launch("say", 2000, 32, (uint64_t[]){say_format, say_args, say_out}, 24), SIM_OK);
    sim_read(d, &used, say_out, sizeof used);
    CHECK_INT(used, 3);
    CHECK(!strncmp(printed, "   7 www", 8));
    CHECK_INT(printed_len, sizeof printed - 1); /* 32 lines of 4006 bytes, as many as fit */
    print_room = SIZE_MAX;
    sim_module_free(mod);
    mod = keep;
}

static void test_failing(void) {
    sim_addr a = buffer(256);
    CHECK_INT(launch("out_of_bounds", 3, 32, (uint64_t[]){a, 40}, 12), SIM_ILLEGAL_ADDRESS);
    CHECK(found(SIM_FIND_OOB));
    if (r.finding_count) {
        CHECK_STR(r.findings[0].file, "behave.cu");
        CHECK_INT(r.findings[0].block[0], 0);
        CHECK_INT(r.findings[0].thread[0], 24); /* 40 + 24 = 64 ints = 256 bytes */
        CHECK(r.findings[0].write);
    }
    CHECK_INT(launch("misaligned", 1, 32, (uint64_t[]){a}, 8), SIM_MISALIGNED);
    CHECK(found(SIM_FIND_MISALIGNED));
    CHECK_INT(launch("traps", 1, 32, (uint64_t[]){a}, 8), SIM_TRAP);
    CHECK(found(SIM_FIND_TRAP));
    CHECK_INT(launch("endless", 1, 32, (uint64_t[]){a}, 8), SIM_BUDGET);
    CHECK(found(SIM_FIND_BUDGET));
    if (r.finding_count) CHECK(r.findings[0].line > 0);
    cancel = 1;
    CHECK_INT(launch("endless", 1, 32, (uint64_t[]){a}, 8), SIM_CANCELLED);
    cancel = 0;
    CHECK_INT(launch("waits_clock", 1, 32, (uint64_t[]){a, 20000}, 16), SIM_OK);
    get(a, 64);
    CHECK(ints[0] >= 20000 && ints[0] < 40000);
}

static void test_configuration(void) {
    sim_addr a = buffer(1 << 16);
    uint64_t p[] = {a};
    sim_kernel *k = sim_module_kernel(mod, "where");
    sim_launch l = {
        .kernel = k, .grid = {2, 3, 2}, .block = {5, 4, 3}, .params = p, .param_bytes = 8};
    sim_result_free(&r);
    CHECK_INT(sim_run(d, &l, &r, &msg), SIM_OK);
    get(a, 12 * 60 * 4);
    int bad = 0;
    for (int b = 0; b < 12; b++)
        for (int t = 0; t < 60; t++) {
            const int *o = &ints[(b * 60 + t) * 4];
            bad += o[0] != t || o[1] != t % 32 + 100 * (t / 32) ||
                   (unsigned)o[2] != (1u << t % 32) - 1 ||
                   o[3] != (t % 5 | t / 5 % 4 << 8 | t / 20 << 16);
        }
    CHECK_INT(bad, 0);
    static const struct {
        unsigned grid[3], block[3];
        uint64_t shared;
        sim_status want;
    } no[] = {{{0, 1, 1}, {1, 1, 1}, 0, SIM_BAD_LAUNCH},
              {{1, 65536, 1}, {1, 1, 1}, 0, SIM_BAD_LAUNCH},
              {{1, 1, 1}, {1025, 1, 1}, 0, SIM_BAD_LAUNCH},
              {{1, 1, 1}, {1, 1, 65}, 0, SIM_BAD_LAUNCH},
              {{1, 1, 1}, {32, 64, 1}, 0, SIM_BAD_LAUNCH},
              {{1, 1, 1}, {32, 1, 1}, 1 << 20, SIM_BAD_ARGUMENT}};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        memcpy(l.grid, no[i].grid, sizeof l.grid);
        memcpy(l.block, no[i].block, sizeof l.block);
        l.dynamic_shared = no[i].shared;
        sim_result bad_r;
        CHECK_INT(sim_run(d, &l, &bad_r, &msg), no[i].want);
        CHECK(lib_message_any(&msg));
        sim_result_free(&bad_r);
    }
}

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" (9.0): the last
 * launch that is taken, the first that is not. */
static void test_launch_limits(void) {
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry e(.param .b64 p) { ret; }\n"
        ".visible .entry m() .maxntid 128, 1, 1 { ret; }\n"
        ".visible .entry q() .reqntid 32, 2 { ret; }\n"
        ".visible .entry s() { .shared .align 4 .b8 x[1024]; .reg .b32 %r<2>; mov.u32 %r1, x;\n"
        "st.shared.b32 [%r1], %r1; ret; }\n";
    static const struct {
        const char *kernel;
        unsigned grid[3], block[3];
        uint64_t shared;
        size_t params;
        bool cooperative;
        sim_status want;
    } rows[] = {
        {"e", {1, 1, 1}, {1, 1, 1}, 0, 8, false, SIM_OK},
        {"e", {1, 1, 1}, {1, 1, 1}, 0, 7, false, SIM_BAD_ARGUMENT},
        {"e", {1, 65535, 1}, {1, 1, 1}, 0, 8, false, SIM_OK},
        {"e", {1, 65536, 1}, {1, 1, 1}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {1, 1, 65535}, {1, 1, 1}, 0, 8, false, SIM_OK},
        {"e", {1, 1, 65536}, {1, 1, 1}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {65536, 1, 1}, {1, 1, 1}, 0, 8, false, SIM_OK},
        {"e", {2147483648u, 1, 1}, {1, 1, 1}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {1, 0, 1}, {1, 1, 1}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {1, 1, 0}, {1, 1, 1}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {1, 1, 1}, {0, 1, 1}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {1, 1, 1}, {1, 0, 1}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {1, 1, 1}, {1, 1, 0}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {1, 1, 1}, {1024, 1, 1}, 0, 8, false, SIM_OK},
        {"e", {1, 1, 1}, {1025, 1, 1}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {1, 1, 1}, {1, 1024, 1}, 0, 8, false, SIM_OK},
        {"e", {1, 1, 1}, {1, 1025, 1}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {1, 1, 1}, {1, 1, 64}, 0, 8, false, SIM_OK},
        {"e", {1, 1, 1}, {1, 1, 65}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {1, 1, 1}, {32, 32, 1}, 0, 8, false, SIM_OK},
        {"e", {1, 1, 1}, {33, 32, 1}, 0, 8, false, SIM_BAD_LAUNCH},
        {"e", {1, 1, 1}, {32, 1, 1}, 49152, 8, false, SIM_OK},
        {"e", {1, 1, 1}, {32, 1, 1}, 49153, 8, false, SIM_BAD_ARGUMENT},
        {"s", {1, 1, 1}, {32, 1, 1}, 48128, 0, false, SIM_OK},
        {"s", {1, 1, 1}, {32, 1, 1}, 48129, 0, false, SIM_BAD_ARGUMENT},
        {"m", {1, 1, 1}, {128, 1, 1}, 0, 0, false, SIM_OK},
        {"m", {1, 1, 1}, {64, 2, 1}, 0, 0, false, SIM_OK},
        {"m", {1, 1, 1}, {129, 1, 1}, 0, 0, false, SIM_TOO_MANY_RESOURCES},
        {"q", {1, 1, 1}, {32, 2, 1}, 0, 0, false, SIM_OK},
        {"q", {1, 1, 1}, {32, 1, 1}, 0, 0, false, SIM_BAD_LAUNCH},
        {"q", {1, 1, 1}, {64, 1, 1}, 0, 0, false, SIM_BAD_LAUNCH},
        {"q", {1, 1, 1}, {16, 2, 2}, 0, 0, false, SIM_BAD_LAUNCH},
        /* two blocks of 1024 threads on each of 132 multiprocessors */
        {"e", {264, 1, 1}, {1024, 1, 1}, 0, 8, true, SIM_OK},
        {"e", {265, 1, 1}, {1024, 1, 1}, 0, 8, true, SIM_TOO_MANY_RESOURCES},
        {"e", {265, 1, 1}, {1024, 1, 1}, 0, 8, false, SIM_OK},
    };
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    CHECK_STR(m ? "" : said(&msg), "");
    uint64_t param = 0;
    /* and what is said of it, by the row's place among those that are refused */
    static const char *const words[] = {
        "e takes 8 bytes of parameters, 7 were given",
        "the grid's y dimension is 65,536; it must be 1 to 65,535",
        "the grid's z dimension is 65,536; it must be 1 to 65,535",
        "the grid's x dimension is 2,147,483,648; it must be 1 to 2,147,483,647",
        "the grid's y dimension is 0; it must be 1 to 65,535",
        "the grid's z dimension is 0; it must be 1 to 65,535",
        "the block's x dimension is 0; it must be 1 to 1,024",
        "the block's y dimension is 0; it must be 1 to 1,024",
        "the block's z dimension is 0; it must be 1 to 64",
        "the block's x dimension is 1,025; it must be 1 to 1,024",
        "the block's y dimension is 1,025; it must be 1 to 1,024",
        "the block's z dimension is 65; it must be 1 to 64",
        "a block of 1,056 threads; NVIDIA H200 takes at most 1,024",
        ("49,153 bytes of dynamic shared memory; e may use 49,152 (raise it with "
         "cudaFuncSetAttribute)"),
        ("48,129 bytes of dynamic shared memory; s may use 48,128 (raise it with "
         "cudaFuncSetAttribute)"),
        "a block of 129 threads; m takes at most 128",
        "q must be launched with blocks of 32 x 2 x 1",
        "q must be launched with blocks of 32 x 2 x 1",
        "q must be launched with blocks of 32 x 2 x 1",
        "a cooperative launch of 265 blocks; at most 2 x 132 can be resident at once"};
    size_t refused = 0;
    for (size_t i = 0; m && i < sizeof rows / sizeof *rows; i++) {
        char what[100];
        sim_launch l = {.kernel = sim_module_kernel(m, rows[i].kernel),
                        .params = &param,
                        .param_bytes = rows[i].params,
                        .dynamic_shared = rows[i].shared,
                        .cooperative = rows[i].cooperative};
        memcpy(l.grid, rows[i].grid, sizeof l.grid);
        memcpy(l.block, rows[i].block, sizeof l.block);
        sim_result one = {0};
        sim_status got = sim_run(d, &l, &one, &msg);
        snprintf(what, sizeof what, "%s %u %u %u, %u %u %u, %llu", rows[i].kernel, l.grid[0],
                 l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2],
                 (unsigned long long)rows[i].shared);
        check_that(got == rows[i].want, __FILE__, __LINE__, what, sim_status_name(got));
        CHECK_STR(said(&msg), rows[i].want == SIM_OK ? "" : words[refused++]);
        sim_result_free(&one);
    }
    CHECK_INT(refused, sizeof words / sizeof *words);
    sim_module_free(m);
}

/* A plain load that guesses what an atomicCAS on the same word will find is no race with it; of
 * another word, or with nothing of the kind behind it, it is. */
static void test_guesses(void) {
    static const struct {
        const char *load, *cas; /* %rd1: x, and x + 8 behind it; %rd2: another array */
        bool race;
    } rows[] = {
        {"[%rd1]", "atom.global.cas.b32 %r2, [%rd1], %r1, %r3;", false},
        {"[%rd1]", "atom.global.cas.b32 %r2, [%rd2], %r1, %r3;", true},
        {"[%rd1]", "atom.global.add.u32 %r2, [%rd1], %r3;", true},
        {"[%rd1+8]", "atom.global.cas.b32 %r2, [%rd1+8], %r1, %r3;", false},
        {"[%rd1+8]", "add.s64 %rd3, %rd1, 8; atom.global.cas.b32 %r2, [%rd3], %r1, %r3;", false},
        {"[%rd1+8]", "add.s64 %rd3, %rd1, 8; atom.global.cas.b32 %r2, [%rd3+4], %r1, %r3;", true},
        {"[%rd1+8]", "add.s64 %rd3, %rd1, 4; atom.global.cas.b32 %r2, [%rd3], %r1, %r3;", true},
        {"[%rd1+8]", "add.s64 %rd3, %rd2, 8; atom.global.cas.b32 %r2, [%rd3], %r1, %r3;", true},
        {"[%rd1+8]", "add.s64 %rd3, %rd1, 8; atom.global.cas.b32 %r2, [%rd2], %r1, %r3;", true},
    };
    sim_module_options mo = {.ptxas = ""};
    sim_addr x = buffer(256), y = buffer(256);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1400];
        /* Block 1 writes atomically where block 0 loads, whatever comes behind that load. */
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_80\n.address_size 64\n"
                 ".visible .entry k(.param .u64 x, .param .u64 y) {\n"
                 ".reg .pred %%p1; .reg .b32 %%r<6>; .reg .b64 %%rd<6>;\n"
                 "ld.param.u64 %%rd1, [x]; ld.param.u64 %%rd2, [y]; mov.u32 %%r3, %%ctaid.x;\n"
                 "setp.ne.u32 %%p1, %%r3, 0; @%%p1 bra OTHER;\n"
                 "ld.global.u32 %%r1, %s; %s ret;\n"
                 "OTHER: atom.global.add.u32 %%r2, [%%rd1], 1; atom.global.add.u32 %%r2, "
                 "[%%rd1+8], 1; ret;\n}\n",
                 rows[i].load, rows[i].cas);
        sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
        CHECK_STR(m ? "" : said(&msg), "");
        sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                        .grid = {2, 1, 1},
                        .block = {1, 1, 1},
                        .params = (uint64_t[]){x, y},
                        .param_bytes = 16};
        sim_result one = {0};
        if (m) CHECK_INT(sim_run(d, &l, &one, &msg), SIM_OK);
        bool race = false;
        for (size_t k = 0; k < one.finding_count; k++)
            race |= one.findings[k].kind == SIM_FIND_RACE;
        check_that(race == rows[i].race, __FILE__, __LINE__, rows[i].cas, race ? "a race" : "none");
        sim_result_free(&one);
        sim_module_free(m);
    }
}

/* The same launch on 1 to 4 workers gives the same bits, counters and findings. */
static void test_determinism(void) {
    float first = 0;
    int order[500];
    uint64_t l2 = 0;
    for (unsigned threads = 1; threads <= 4; threads++) {
        open_device(threads, 0);
        enum { N = 100000 };
        sim_addr s = buffer(4), x = buffer(4 * N), o = buffer(4 * 500);
        float *v = malloc(4 * N), sum;
        for (int i = 0; i < N; i++) v[i] = (float)((i * 7919) % 1000) * 0.37f;
        sim_write(d, x, v, 4 * N);
        free(v);
        CHECK_INT(launch("float_sum", (N + 255) / 256, 256, (uint64_t[]){s, x, N}, 20), SIM_OK);
        sim_read(d, &sum, s, 4);
        if (threads == 1) first = sum, l2 = r.counters.l2_sectors;
        CHECK(sum == first && sum > 0);
        CHECK_INT(r.counters.l2_sectors, l2);
        sim_fill(d, s, 0, 1, 4);
        CHECK_INT(launch("ticket", 500, 32, (uint64_t[]){s, o}, 16), SIM_OK);
        sim_read(d, order, o, sizeof order);
        int bad = 0;
        for (int i = 0; i < 500; i++) bad += order[i] != i;
        CHECK_INT(bad, 0);
        CHECK_INT(launch("out_of_bounds", 40, 32, (uint64_t[]){s, 0}, 12), SIM_ILLEGAL_ADDRESS);
        CHECK(r.finding_count == 1 && r.findings[0].block[0] == 0);
        close_device();
    }
}

int main(void) {
    open_device(2, 20000000);
    CHECK(mod != NULL);
    if (!mod) return check_done();
    test_waiting();
    test_barriers();
    test_shuffles();
    test_divergence();
    test_calls();
    test_runtime();
    test_printf();
    test_failing();
    test_configuration();
    test_launch_limits();
    close_device();
    check_global = true;
    open_device(2, (uint64_t)1 << 32);
    test_endless_waits();
    test_flags();
    test_guesses();
    close_device();
    check_global = false;
    test_determinism();
    sim_result_free(&r);
    return check_done();
}
