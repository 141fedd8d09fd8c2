/* slow: ptxas and nvdisasm read each of its loops */
/* timeout: 200 (so that it begins early: one process, which nothing runs beside at the end) */
/* The model of time against an H200: loops of a few instructions that ptxas assembled, whose
 * accesses are written by hand, with the cycles and bandwidths that the hardware gave
 * (tests/truth/micro.cu and the microbenchmarks it grew from; clock 1.98 GHz). Nothing here was
 * taken from the model's own output. */
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/time/spread.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/time/time_internal.h"
#include "assembled_fixture.h"
#include <ctype.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { MAX_EVENTS = 256 };

/* A kernel that goes `rounds` times round a loop around the body. */
typedef struct {
    const char *body; /* PTX, an instruction a line; its registers come from memory and go there */
    unsigned copies;  /* of the body in the loop; 0: 1 */
    unsigned rounds, blocks, threads;
    unsigned shared_kb;            /* per block: limits what is resident */
    const sim_trace_event *events; /* of the body's accesses and barriers, in the text's order */
    unsigned event_count;
    bool one_slice;                         /* its atomics all go to one slice of the L2 */
    double dram_read_per_event, dram_write; /* bytes; written in all */
    const char *profile;
    sim_counters also;  /* what the launch counted besides */
    float lanes;        /* active part of 32 in the loop; 0: not known */
    double worst;       /* the busiest multiprocessor's share of the work, 1: all have the same */
    double atom_passes; /* of atomics in L2, of all blocks */
    unsigned middle;    /* times as many rounds of the sampled blocks after the first wave; 0: 1 */
    unsigned *length;   /* not NULL: the loop's machine instructions */
    double *without;    /* not NULL: SIM_COST_COUNT times, each without that cost */
} script;

/* Nothing is lost and nothing counted twice: the states of warps, the cycles of schedulers, and
 * both by instruction. */
static void adds_up(const time_result *r, const time_places *p, const char *body) {
    double warps = 0, schedulers = r->stalls.empty_pct, by_pc[SIM_STALL_COUNT] = {0}, all = 0;
    for (unsigned k = 0; k < SIM_STALL_COUNT; k++) {
        warps += r->stalls.warp_pct[k], schedulers += r->stalls.scheduler_pct[k];
        for (uint32_t pc = 0; pc < p->count; pc++)
            by_pc[k] += p->stall[(size_t)pc * SIM_STALL_COUNT + k];
        all += by_pc[k];
    }
    check_that(fabs(warps - 100) < 1e-6, __FILE__, __LINE__, "states of warps add up", body);
    check_that(fabs(schedulers - 100) < 1e-6, __FILE__, __LINE__, "schedulers' cycles add up",
               body);
    for (unsigned k = 0; k < SIM_STALL_COUNT; k++)
        check_that(fabs(100 * by_pc[k] / all - r->stalls.warp_pct[k]) < 1e-6, __FILE__, __LINE__,
                   sim_stall_at(k)->name, "by instruction and in all");
}

static void ask(const script *s, const sim_profile *p, const time_code *code, const sim_trace *t,
                const time_launch *l, const sim_counters *c, const sim_occupancy *occ,
                const time_places *places, const time_result *r) {
    static float lanes[4096];
    for (uint32_t pc = 0; pc < code->op_count; pc++) lanes[pc] = s->lanes;
    sim_what_if *all = time_what_if(&(time_question){.profile = p,
                                                     .code = code,
                                                     .trace = t,
                                                     .launch = l,
                                                     .counters = c,
                                                     .occupancy = occ,
                                                     .lanes = s->lanes > 0 ? lanes : NULL,
                                                     .places = places,
                                                     .time_us = r->time_us});
    CHECK(all != NULL);
    for (unsigned k = 0; all && k < SIM_COST_COUNT; k++) s->without[k] = all[k].time_us;
    free(all);
}

/* ---- the loop, assembled ---- */

/* Appends a line for each register that the body names. Those from CONSTANTS on are parameters of
 * the kernel, the others each lane loads and stores. */
enum { CONSTANTS = 40, REGISTERS = 64 };
static size_t each_register(char *to, size_t room, const char *body, bool before) {
    static const struct {
        char letter;
        const char *type;
    } kinds[] = {{'r', "u32"}, {'f', "f32"}, {'d', "u64"}, {'g', "f64"}, {'h', "u16"}};
    size_t at = 0;
    unsigned word = 0;
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned n = 0; n < REGISTERS; n++) {
            char name[8];
            const char *type = kinds[k].type, *found = body;
            size_t len = (size_t)snprintf(name, sizeof name, "%%%c%u", kinds[k].letter, n);
            while ((found = strstr(found, name)) && isdigit(found[len])) found++;
            if (!found) continue;
            if (n < CONSTANTS && before)
                at += (size_t)snprintf(to + at, room - at, "ld.volatile.global.%s %s,[%%d0+%u];\n",
                                       type, name, 8 * word);
            else if (n < CONSTANTS)
                at += (size_t)snprintf(to + at, room - at, "st.volatile.global.%s [%%d0+%u],%s;\n",
                                       type, 8 * word, name);
            else if (before)
                at += (size_t)snprintf(to + at, room - at, "ld.param.%s %s,[c+%u];\n", type, name,
                                       8 * word);
            word++;
        }
    return at;
}

/* A body that ends with "ret;" is the whole kernel. */
static bool is_whole(const char *body) {
    return strstr(body, "ret;") != NULL;
}

/* All of a kernel but its name. */
static void write_kernel(char *to, size_t room, const script *s) {
    size_t at = (size_t)snprintf(
        to, room,
        "(.param .u64 a, .param .u64 b, .param .u32 n, .param .align 8 .b8 c[256]){\n.reg .pred "
        "%%p<4>; .reg .b32 %%r<64>; .reg .f32 %%f<64>; .reg .b64 %%d<64>; "
        ".reg .f64 %%g<64>; .reg .b16 %%h<64>;\n");
    if (is_whole(s->body)) {
        snprintf(to + at, room - at, "%s\n}\n", s->body);
        return;
    }
    at += (size_t)snprintf(to + at, room - at,
                           "ld.param.u64 %%d0,[a];\nmov.u32 %%r0,%%tid.x;\nmad.wide.u32 "
                           "%%d0,%%r0,512,%%d0;\nld.param.u32 %%r0,[n];\n");
    at += each_register(to + at, room - at, s->body, true);
    at += (size_t)snprintf(to + at, room - at, "L:\n.pragma \"nounroll\";\n");
    for (unsigned k = 0; !k || k < s->copies; k++)
        at += (size_t)snprintf(to + at, room - at, "%s\n", s->body);
    at += (size_t)snprintf(to + at, room - at,
                           "add.s32 %%r0,%%r0,-1;\nsetp.ne.s32 %%p0,%%r0,0;\n@%%p0 bra L;\n");
    at += each_register(to + at, room - at, s->body, false);
    snprintf(to + at, room - at, "ret;\n}\n");
}

/* nvdisasm takes a third of a second to start, so a process of its own first writes down the
 * kernels of all checks, and an architecture's are assembled as one module. */
enum { KERNELS = 512, TEXT = 32768 };
static struct {
    char *text;
    unsigned arch, module;
} kernels[KERNELS];
static struct {
    unsigned arch, count;
    lib_buffer ptx;
    sass_module *code; /* NULL: not assembled yet */
} modules[16];
static unsigned kernel_count, module_count;
static FILE *gathered; /* not NULL: run() only writes down */

/* A kernel's index; one that is new is added to its architecture's module. */
static unsigned kernel_index(const char *text, unsigned arch) {
    unsigned k = 0, m = 0;
    while (k < kernel_count && (kernels[k].arch != arch || strcmp(kernels[k].text, text))) k++;
    if (k < kernel_count) return k;
    while (m < module_count && (modules[m].arch != arch || modules[m].code)) m++;
    if (k == KERNELS || m == sizeof modules / sizeof *modules) {
        CHECK(!"room for kernels");
        exit(1);
    }
    if (m == module_count) {
        module_count++;
        modules[m].arch = arch;
        lib_buffer_printf(&modules[m].ptx, ".version 8.0\n.target sm_%u\n.address_size 64\n", arch);
    }
    lib_buffer_printf(&modules[m].ptx, ".visible .entry k%u%s", kernel_count, text);
    kernels[kernel_count].text = lib_strdup(text);
    kernels[kernel_count].arch = arch;
    kernels[kernel_count].module = m;
    return kernel_count++;
}

static const sass_func *machine_code(const char *text, unsigned arch) {
    unsigned k = kernel_index(text, arch), m = kernels[k].module;
    char name[16];
    lib_message msg = {0};
    snprintf(name, sizeof name, "k%u", k);
    if (!modules[m].code) {
        assembled a = assembled_of(modules[m].ptx.s, arch);
        modules[m].code = sass_read(a.text, a.text_len, &msg);
        assembled_free(&a);
        if (!modules[m].code) printf("# %s\n", said(&msg));
    }
    return modules[m].code ? sass_find(modules[m].code, name) : NULL;
}

/* Runs the checks in a process of its own, where run() has no results, for their kernels. */
static void gather(void (*checks)(void)) {
    int ends[2];
    static char text[TEXT];
    fflush(stdout);
    CHECK(!pipe(ends));
    pid_t pid = fork();
    if (!pid) {
        alarm(20);
        gathered = fdopen(ends[1], "w");
        if (gathered && freopen("/dev/null", "w", stdout)) checks();
        if (gathered) fflush(gathered);
        _exit(0);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    unsigned arch, len;
    while (from && fscanf(from, "%u %u%*1[\n]", &arch, &len) == 2 && len < TEXT &&
           fread(text, 1, len, from) == len) {
        text[len] = 0;
        kernel_index(text, arch);
    }
    if (from) fclose(from);
    CHECK(pid > 0 && waitpid(pid, NULL, 0) == pid);
}

static void free_kernels(void) {
    for (unsigned k = 0; k < kernel_count; k++) free(kernels[k].text);
    for (unsigned m = 0; m < module_count; m++) {
        lib_buffer_free(&modules[m].ptx);
        sass_free(modules[m].code);
    }
}

/* The kinds of the body's accesses and barriers, in the text's order. */
static unsigned body_kinds(const char *body, time_kind kinds[MAX_EVENTS]) {
    static const struct {
        const char *word;
        time_kind kind;
    } rows[] = {{"ld.", TIME_LOAD},
                {"st.", TIME_STORE},
                {"red.", TIME_ATOM},
                {"atom.", TIME_ATOM},
                {"bar.", TIME_BARRIER}};
    unsigned n = 0;
    for (const char *line = body; line; line = strchr(line, '\n')) {
        line += strspn(line, " \n");
        for (unsigned k = 0; k < sizeof rows / sizeof *rows && n < MAX_EVENTS; k++)
            if (!strncmp(line, rows[k].word, strlen(rows[k].word)) && strncmp(line, "ld.param", 8))
                kinds[n++] = rows[k].kind;
    }
    return n;
}

/* The machine code's loop, and which of its instructions has which of the body's events. */
typedef struct {
    uint32_t first, last, exit;
    unsigned count;
    uint16_t at[MAX_EVENTS], event[MAX_EVENTS];
} loop;

static bool find_loop(const script *s, const sass_func *f, const time_code *code, loop *l) {
    time_kind kinds[MAX_EVENTS];
    unsigned n = body_kinds(s->body, kinds), copies = s->copies ? s->copies : 1;
    bool used[MAX_EVENTS] = {0};
    *l = (loop){0};
    for (uint32_t k = 0; k < f->insn_count && !l->exit; k++) {
        const sass_opnd *to = f->insns[k].op == SASS_OP_BRA ? sass_target(&f->insns[k]) : NULL;
        if (to && to->target < k && !l->last) l->first = to->target, l->last = k;
        if (code->ops[k].kind == TIME_EXIT && (l->last || is_whole(s->body))) l->exit = k;
    }
    if (is_whole(s->body)) l->last = l->exit ? l->exit - 1 : 0;
    if (!l->exit || n != s->event_count || n * copies > MAX_EVENTS) return false;
    for (uint32_t k = l->first; k <= l->last; k++)
        for (unsigned e = 0; e < n * copies && code->ops[k].flags & TIME_EVENT; e++) {
            if (kinds[e % n] != code->ops[k].kind || used[e]) continue;
            used[e] = true;
            l->at[l->count] = (uint16_t)k, l->event[l->count++] = (uint16_t)(e % n);
            break;
        }
    return l->count == n * copies;
}

/* Behind `at`: over a call of a slow path, which no value here takes. */
static uint32_t next_of(const sass_func *f, uint32_t at) {
    const sass_opnd *to = f->insns[at].op == SASS_OP_BRA ? sass_target(&f->insns[at]) : NULL;
    for (uint32_t k = at + 1; to && k < to->target; k++)
        if (f->insns[k].op == SASS_OP_CALL) return to->target;
    return at + 1;
}

static void record(const script *s, const sass_func *f, const loop *l, sim_trace_warp *w,
                   unsigned rounds) {
    for (unsigned r = 0; r < rounds; r++) {
        for (uint32_t k = l->first, next; k <= l->last; k = next) {
            next = next_of(f, k);
            sim_trace_steps(w, k, 1);
        }
        for (unsigned e = 0; e < l->count; e++) {
            sim_trace_event ev = s->events[l->event[e]];
            ev.pc_low = l->at[e];
            sim_trace_event_add(w, ev);
        }
    }
    sim_trace_steps(w, l->exit, 1);
}

static time_result run(const script *s, double *cycles) {
    char text[TEXT];
    const sim_profile *p = sim_profile_find(s->profile ? s->profile : "h200");
    unsigned arch = p->compile_arch, warps = (s->threads + 31) / 32;
    time_result out = {0};
    loop l = {0};
    write_kernel(text, sizeof text, s);
    if (gathered) {
        fprintf(gathered, "%u %zu\n%s", arch, strlen(text), text);
        if (s->length) *s->length = 1;
        for (unsigned k = 0; s->without && k < SIM_COST_COUNT; k++) s->without[k] = 0;
        if (cycles) *cycles = 0;
        return out;
    }
    const sass_func *f = machine_code(text, arch);
    time_code *code = f ? time_code_machine(p, f) : NULL;
    bool found = code && find_loop(s, f, code, &l);
    if (!found) {
        printf("# %s\n", text);
        CHECK(found);
        exit(1);
    }
    sim_occupancy occ;
    sim_occupancy_get(p, s->threads, 16, s->shared_kb * 1024u, 0, &occ);
    sim_trace *t = sim_trace_new(p, s->blocks, warps, occ.blocks, 0);
    for (unsigned b = 0; b < t->block_count; b++) {
        sim_trace_block *blk = sim_trace_block_begin(t, t->blocks[b].block);
        unsigned times = b >= t->first_count && s->middle ? s->middle : 1;
        for (unsigned w = 0; w < warps; w++) record(s, f, &l, &blk->warps[w], s->rounds * times);
        sim_trace_finish(blk);
    }
    t->slice_ops[0] = s->one_slice;
    sim_counters c = s->also;
    if (s->length) *s->length = l.last - l.first + 1;
    c.warp_inst = (uint64_t)s->blocks * warps * ((l.last - l.first + 1) * s->rounds + 1);
    c.dram_read = (uint64_t)(s->dram_read_per_event * l.count * s->rounds * warps * s->blocks);
    c.dram_write = (uint64_t)s->dram_write;
    c.gst_sectors = (uint64_t)(s->dram_write / 32);
    time_launch tl = {.grid_blocks = s->blocks,
                      .threads = s->threads,
                      .worst = s->worst,
                      .atom_passes = s->atom_passes};
    time_places *places = time_places_new(code);
    time_model(p, code, t, &tl, &c, &occ, places, &out);
    if (out.achieved_occupancy_pct > occ.pct || out.achieved_occupancy_pct <= 0) CHECK(false);
    adds_up(&out, places, s->body);
    if (s->without) ask(s, p, code, t, &tl, &c, &occ, places, &out);
    time_places_free(places);
    if (cycles) *cycles = (out.time_us - p->kernel_us) * p->clock_ghz * 1e3;
    sim_trace_free(t);
    time_code_free(code);
    return out;
}

static void within(const char *what, double got, double want, double part) {
    char why[160];
    snprintf(why, sizeof why, "got %.4g, hardware %.4g, allowed %.0f%%", got, want, part * 100);
    check_that(fabs(got - want) <= part * want, __FILE__, __LINE__, what, why);
    printf("#   %-44s %10.4g  hardware %10.4g  %+.0f%%\n", what, got, want,
           100 * (got - want) / want);
}

/* ---- arithmetic: latency of one chain in one warp, rate of 32 warps of 8 chains ---- */

static void arithmetic(void) {
    static const struct {
        const char *name, *op;  /* %s: chain's register number */
        double latency, cycles; /* of an H200: cycles (0: not compared), cycles per warp and
                                 * scheduler */
    } ops[] = {
        {"add.f32", "add.f32 %%f%u,%%f%u,%%f40;", 3.98, 1.107},
        {"fma.f32", "fma.rn.f32 %%f%u,%%f%u,%%f40,%%f40;", 3.98, 1.109},
        {"min.f32", "min.f32 %%f%u,%%f%u,%%f40;", 4.0, 2.089},
        {"mul.lo.s32", "mul.lo.s32 %%r%u,%%r%u,%%r40;", 3.98, 2.01},
        {"mad.lo.s32", "mad.lo.s32 %%r%u,%%r%u,%%r40,%%r40;", 3.98, 2.017},
        {"mul.hi.u32", "mul.hi.u32 %%r%u,%%r%u,%%r40;", 8.94, 4.013},
        {"shf.l", "shf.l.wrap.b32 %%r%u,%%r%u,%%r40,5;", 4.0, 2.079},
        {"prmt", "prmt.b32 %%r%u,%%r%u,%%r40,0x1032;", 4.0, 2.077},
        {"popc", "popc.b32 %%r%u,%%r%u;", 16.88, 8.009},
        {"add.s64", "add.s64 %%d%u,%%d%u,%%d40;", 4.05, 3.078},
        {"mul.lo.s64", "mul.lo.s64 %%d%u,%%d%u,%%d40;", 16.98, 8.096},
        {"fma.f64", "fma.rn.f64 %%g%u,%%g%u,%%g14,%%g14;", 7.95, 2.023},
        {"ex2.ftz", "ex2.approx.ftz.f32 %%f%u,%%f%u;", 16.88, 8.009},
        {"sin", "sin.approx.f32 %%f%u,%%f%u;", 22.87, 8.053},
        {"rsqrt", "rsqrt.approx.f32 %%f%u,%%f%u;", 38.98, 8.053},
        {"sqrt.rn", "sqrt.rn.f32 %%f%u,%%f%u;", 55.27, 11.52},
        {"rcp.rn", "rcp.rn.f32 %%f%u,%%f%u;", 76.52, 12.56},
        /* the latency of FCHK is not known: of the 82.1 cycles the model has 49 */
        {"div.rn", "div.rn.f32 %%f%u,%%f%u,%%f40;", 0, 17.24},
        {"div.u32", "div.u32 %%r%u,%%r%u,7;", 58.96, 12.14},
        {"rem.u32", "rem.u32 %%r%u,%%r%u,7;", 56.97, 10.8},
        {"div.s32", "div.s32 %%r%u,%%r%u,7;", 66.42, 17.21},
        {"rem.s32", "rem.s32 %%r%u,%%r%u,7;", 66.48, 14.88},
        {"div.f64", "div.rn.f64 %%g%u,%%g%u,%%g14;", 132.3, 25.64},
        {"shfl", "shfl.sync.up.b32 %%r%u,%%r%u,1,0,-1;", 23.84, 4.021},
    };
    for (unsigned k = 0; k < sizeof ops / sizeof *ops; k++) {
        char body[4096], name[64];
        int at = 0;
        for (unsigned r = 0; r < 32; r++)
            at += snprintf(body + at, sizeof body - (size_t)at, ops[k].op, 1, 1), body[at++] = '\n';
        body[at] = 0;
        double cycles;
        run(&(script){.body = body, .rounds = 64, .blocks = 1, .threads = 32}, &cycles);
        snprintf(name, sizeof name, "%s latency", ops[k].name);
        if (ops[k].latency > 0) within(name, cycles / (32 * 64), ops[k].latency, 0.3);
        at = 0;
        for (unsigned r = 0; r < 32; r++)
            at += snprintf(body + at, sizeof body - (size_t)at, ops[k].op, 1 + r % 8, 1 + r % 8),
                body[at++] = '\n';
        body[at] = 0;
        run(&(script){.body = body, .rounds = 64, .blocks = 132, .threads = 1024}, &cycles);
        snprintf(name, sizeof name, "%s rate", ops[k].name);
        within(name, cycles / (32 * 64 * 8), ops[k].cycles, 0.25);
    }
}

/* There and back again, in a chain: cvt_* of tests/truth/h200.micro.jsonl. Each way costs its own,
 * so that what these allow is less than a cycle and a half of either. */
static void conversions(void) {
    static const struct {
        const char *name, *there, *back;
        double latency;
    } rows[] = {
        {"float, int, float", "cvt.rzi.s32.f32 %r1,%f1;", "cvt.rn.f32.s32 %f1,%r1;", 22.977},
        {"float, double, float", "cvt.f64.f32 %g1,%f1;", "cvt.rn.f32.f64 %f1,%g1;", 35.984},
        {"float, half, float", "cvt.rn.f16.f32 %h1,%f1;", "cvt.f32.f16 %f1,%h1;", 9.9844},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[2048];
        int at = 0;
        for (unsigned r = 0; r < 16; r++)
            at += snprintf(body + at, sizeof body - (size_t)at, "%s\n%s\n", rows[k].there,
                           rows[k].back);
        double cycles;
        run(&(script){.body = body, .rounds = 64, .blocks = 1, .threads = 32}, &cycles);
        within(rows[k].name, cycles / (16 * 64), rows[k].latency, 0.06);
    }
}

/* ---- memory ---- */

#define LOAD_EVENT                                                                                 \
    {                                                                                              \
        .space = PTX_SPACE_GLOBAL, .lanes = 32, .bytes_lane = 4, .passes = 1, .lines = 1,          \
        .sectors = 4, .stream_n = 1, .l2_sectors = 4, .misses = 4                                  \
    }

/* A chain by an index: of 64 bits in global memory, of 32 in shared memory. */
static void latency_of_loads(void) {
    static const struct {
        const char *name;
        double want;
        uint8_t space, sent, hit;
    } rows[] = {{"load, L1 has it", 42.85, PTX_SPACE_GLOBAL, 0, 0},
                {"load, L2 has it", 287.7, PTX_SPACE_GLOBAL, 1, 1},
                {"load, from DRAM", 660.6, PTX_SPACE_GLOBAL, 1, 0},
                {"load, shared", 29.07, PTX_SPACE_SHARED, 0, 0}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_trace_event e = {.space = rows[k].space,
                             .lanes = 1,
                             .bytes_lane = 4,
                             .passes = 1,
                             .sectors = 1,
                             .l1_hits = !rows[k].sent,
                             .lines = 1,
                             .stream_n = rows[k].sent,
                             .l2_sectors = rows[k].sent,
                             .misses = rows[k].sent && !rows[k].hit};
        bool shared = rows[k].space == PTX_SPACE_SHARED;
        double cycles;
        run(&(script){.body = shared ? "mad.lo.u32 %r2,%r1,4,%r40;\nld.shared.u32 %r1,[%r2];"
                                     : "shl.b64 %d2,%d1,3;\nadd.s64 %d3,%d40,%d2;\nld.global.u64 "
                                       "%d1,[%d3];",
                      .copies = 20,
                      .rounds = 100,
                      .blocks = 1,
                      .threads = 32,
                      .events = &e,
                      .event_count = 1,
                      .dram_read_per_event = rows[k].sent && !rows[k].hit ? 64 : 0},
            &cycles);
        within(rows[k].name, cycles / 2000, rows[k].want, 0.1);
    }
}

/* Bandwidth by bytes in flight: blocks of an SM, threads, independent loads of each. */
static void streaming(void) {
    static const struct {
        unsigned blocks, threads, ilp;
        double gbs;
    } rows[] = {{1, 64, 1, 91.84},  {1, 64, 2, 162.2}, {1, 64, 4, 300.2}, {1, 256, 1, 375.4},
                {1, 256, 2, 655.2}, {1, 256, 4, 1150}, {2, 64, 1, 184.3}, {2, 64, 4, 599.5},
                {2, 256, 1, 736.4}, {2, 256, 4, 2145}, {4, 64, 1, 375.6}, {4, 256, 1, 1421},
                {4, 256, 2, 2327},  {4, 256, 4, 3478}, {8, 64, 1, 739.4}, {8, 64, 4, 2146},
                {8, 256, 1, 2573},  {8, 256, 2, 3666}, {8, 256, 4, 4274}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        /* As nvcc makes it of s += p[i] + p[i + st] ..: a sum in 64 bits for each address, loads,
         * sums. */
        char body[2048], name[80];
        int at = 0;
        for (unsigned j = 0; j < rows[k].ilp; j++) {
            at +=
                snprintf(body + at, sizeof body - (size_t)at,
                         " mul.wide.u32 %%d%u,%%r1,4;\n add.s64 %%d%u,%%d1,%%d%u;\n ld.global.f32 "
                         "%%f%u,[%%d%u];\n add.s32 %%r1,%%r1,%%r2;\n",
                         10 + j, 20 + j, 10 + j, 1 + j, 20 + j);
        }
        for (unsigned j = 0; j < rows[k].ilp; j++)
            at += snprintf(body + at, sizeof body - (size_t)at, " add.f32 %%f20,%%f20,%%f%u;\n",
                           1 + j);
        sim_trace_event e[4] = {LOAD_EVENT, LOAD_EVENT, LOAD_EVENT, LOAD_EVENT};
        unsigned rounds = 200;
        time_result r = run(&(script){.body = body,
                                      .rounds = rounds,
                                      .blocks = 132 * rows[k].blocks,
                                      .threads = rows[k].threads,
                                      .events = e,
                                      .event_count = rows[k].ilp,
                                      .dram_read_per_event = 128},
                            NULL);
        double bytes = 132.0 * rows[k].blocks * rows[k].threads * 4 * rows[k].ilp * rounds;
        snprintf(name, sizeof name, "DRAM read, %u x %u threads, %u loads, GB/s", rows[k].blocks,
                 rows[k].threads, rows[k].ilp);
        within(name, bytes / (r.time_us * 1e3), rows[k].gbs, 0.25);
        if (rows[k].gbs > 4000) CHECK_STR(r.limiter, "dram");
        if (rows[k].gbs < 500) CHECK_STR(r.limiter, "latency");
    }
}

/* A G80, whose memory has no cache before it: 12 MB read and written in 356 us by half warps that
 * read whole stretches of 64 bytes (tests/truth/g80.def). */
static void whole_stretches(void) {
    sim_trace_event e = {.space = PTX_SPACE_GLOBAL,
                         .lanes = 32,
                         .bytes_lane = 4,
                         .passes = 2,
                         .lines = 2,
                         .sectors = 4,
                         .stream_n = 2,
                         .l2_sectors = 4,
                         .misses = 4};
    time_result r =
        run(&(script){.body = " ld.global.f32 %f1,[%d1];\n add.f32 %f1,%f1,%f2;\n st.global.f32 "
                              "[%d1],%f1;",
                      .rounds = 32,
                      .blocks = 384,
                      .threads = 256,
                      .events = (sim_trace_event[]){e, e},
                      .event_count = 2,
                      .dram_read_per_event = 64,
                      .dram_write = 12288.0 * 1024,
                      .profile = "g80"},
            NULL);
    within("G80, 12 MB read and written, us", r.time_us, 356, 0.15);
}

/* A sum's loop: one load is under way at a time, or four. */
static void short_loops(void) {
    static const struct {
        const char *name, *body;
        unsigned loads;
        double want; /* 288 cycles to L2, 4 for each addition, 10 for the branch */
    } rows[] = {{"a sum's loop, a load",
                 "ld.global.f32 %f1,[%d1];\nadd.f32 %f9,%f9,%f1;\nadd.s64 %d1,%d1,128;", 1, 302},
                {"a sum's loop, four loads",
                 "ld.global.f32 %f1,[%d1];\nld.global.f32 %f2,[%d1+128];\n"
                 "ld.global.f32 %f3,[%d1+256];\nld.global.f32 %f4,[%d1+384];\n"
                 "add.f32 %f9,%f9,%f1;\nadd.f32 %f9,%f9,%f2;\nadd.f32 %f9,%f9,%f3;\n"
                 "add.f32 %f9,%f9,%f4;\nadd.s64 %d1,%d1,512;",
                 4, 314}};
    sim_trace_event e = LOAD_EVENT;
    e.misses = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double cycles;
        run(&(script){.body = rows[k].body,
                      .rounds = 1000,
                      .blocks = 1,
                      .threads = 32,
                      .events = (sim_trace_event[]){e, e, e, e},
                      .event_count = rows[k].loads},
            &cycles);
        within(rows[k].name, cycles / 1000, rows[k].want, 0.15);
    }
}

static void caches(void) {
    static const struct {
        const char *name;
        double sectors_ns;
        uint16_t passes, sectors;
        uint8_t mask, n, hit, bytes;
        const char *limiter;
    } rows[] = {{"L2 read, whole lines, sectors/ns", 250, 1, 4, 15, 1, 15, 4,
                 "l2"}, /* 8,000 GB/s from 32 MB */
                {"L2 read, a sector a line, sectors/ns", 151.8, 1, 1, 1, 1, 1, 4, "l2"}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_trace_event e[4];
        for (unsigned j = 0; j < 4; j++)
            e[j] = (sim_trace_event){.space = PTX_SPACE_GLOBAL,
                                     .lanes = 32,
                                     .bytes_lane = rows[k].bytes,
                                     .passes = rows[k].passes,
                                     .sectors = rows[k].sectors,
                                     .lines = 1,
                                     .stream_n = rows[k].n,
                                     .l2_sectors = rows[k].sectors};
        unsigned rounds = 400;
        time_result r = run(
            &(script){
                .body = " ld.global.f32 %f1,[%d1];\n ld.global.f32 %f2,[%d1+128];\n "
                        "ld.global.f32 %f3,[%d1+256];\n ld.global.f32 %f4,[%d1+384];\n "
                        "add.f32 %f9,%f9,%f1;\n add.f32 %f9,%f9,%f2;\n add.f32 %f9,%f9,%f3;\n "
                        "add.f32 %f9,%f9,%f4;\n add.s64 %d1,%d1,%d2;",
                .rounds = rounds,
                .blocks = 132 * 8,
                .threads = 256,
                .events = e,
                .event_count = 4,
            },
            NULL);
        within(rows[k].name, 132.0 * 8 * 8 * rounds * 4 * rows[k].sectors / (r.time_us * 1e3),
               rows[k].sectors_ns, 0.25);
        CHECK_STR(r.limiter, rows[k].limiter);
    }
    /* 16 bytes a lane that L1 has: 117.4 bytes per SM and cycle. */
    sim_trace_event l1 = {.space = PTX_SPACE_GLOBAL,
                          .lanes = 32,
                          .bytes_lane = 16,
                          .passes = 1,
                          .lines = 4,
                          .sectors = 16,
                          .l1_hits = 16};
    double cycles;
    run(&(script){.body = " ld.global.v4.f32 {%f1,%f2,%f3,%f4},[%d1];\n add.f32 %f9,%f9,%f1;\n "
                          "add.f32 %f9,%f9,%f2;\n add.f32 %f9,%f9,%f3;\n add.f32 %f9,%f9,%f4;\n "
                          "add.s64 %d1,%d1,%d2;",
                  .copies = 4,
                  .rounds = 250,
                  .blocks = 132 * 4,
                  .threads = 512,
                  .events = &l1,
                  .event_count = 1},
        &cycles);
    within("L1 read, bytes per SM and cycle", 4.0 * 512 * 16 * 1000 / cycles, 117.4, 0.15);
}

/* Sectors of which a store writes a part: L2 takes so many, whatever lines they lie in. One word in
 * each of 32 sectors at random (h200.micro.jsonl, scatter_16MB); 30 sectors of 22 lines, as
 * local_indexed of held_out.cu has them: 31.7 million, by its arithmetic, in 438.6 us. */
static void stores(void) {
    static const struct {
        const char *name, *body;
        uint8_t space;
        uint16_t lines, sectors;
        double sectors_ns;
    } rows[] = {
        {"L2, a word of a sector, sectors/ns", " st.global.u32 [%d1],%r1;\n add.s64 %d1,%d1,%d2;",
         PTX_SPACE_GLOBAL, 32, 32, 72.867},
        {"L2, local memory by lanes, sectors/ns", " st.local.u32 [%d1],%r1;\n add.s64 %d1,%d1,%d2;",
         PTX_SPACE_LOCAL, 22, 30, 72.35}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_trace_event e = {.space = rows[k].space,
                             .lanes = 32,
                             .bytes_lane = 4,
                             .passes = 1,
                             .lines = rows[k].lines,
                             .sectors = rows[k].sectors,
                             .parts = rows[k].sectors,
                             .stream_n = rows[k].lines,
                             .l2_sectors = rows[k].sectors};
        unsigned rounds = 256;
        time_result r = run(&(script){.body = rows[k].body,
                                      .rounds = rounds,
                                      .blocks = 1024,
                                      .threads = 128,
                                      .events = &e,
                                      .event_count = 1},
                            NULL);
        within(rows[k].name, 1024.0 * 4 * rounds * rows[k].sectors / (r.time_us * 1e3),
               rows[k].sectors_ns, 0.1);
        CHECK_STR(r.limiter, "l2");
    }
}

/* ---- where the cycles go ---- */

/* From the hardware's latencies and rates alone: how much of its time a warp must spend how. */
static void stalls(void) {
    sim_trace_event global = {.space = PTX_SPACE_GLOBAL,
                              .lanes = 1,
                              .bytes_lane = 4,
                              .passes = 1,
                              .sectors = 1,
                              .lines = 1,
                              .stream_n = 1,
                              .l2_sectors = 1};
    sim_trace_event shared = {.space = PTX_SPACE_SHARED, .lanes = 32, .bytes_lane = 4, .passes = 1};
    sim_trace_event conflict = {
        .space = PTX_SPACE_SHARED, .lanes = 32, .bytes_lane = 4, .passes = 32};
    sim_trace_event bar = {.space = 0}, none = {.space = 0};
    const struct {
        const char *name, *body;
        const sim_trace_event *event;
        unsigned threads, blocks;
        sim_stall state;
        double least; /* percent of the warps' time */
    } rows[] = {
        /* one of 4 cycles issues */
        {"chain of sums", " add.f32 %f1,%f1,%f40;", &none, 32, 1, SIM_STALL_WAIT, 70},
        /* 16.9 cycles, of which MUFU's stall count takes 8 */
        {"chain of ex2", " ex2.approx.ftz.f32 %f1,%f1;", &none, 32, 1, SIM_STALL_SHORT_SCOREBOARD,
         50},
        {"chain of loads", " ld.global.u64 %d1,[%d1];", &global, 32, 1, SIM_STALL_LONG_SCOREBOARD,
         95},
        /* 23 cycles, of which the stall count of LDS takes 4 */
        {"chain of shared loads", " ld.shared.u32 %r1,[%r1];", &shared, 32, 1,
         SIM_STALL_SHORT_SCOREBOARD, 80},
        {"barriers", " bar.sync 0;", &bar, 1024, 1, SIM_STALL_BARRIER, 90},
        /* 16 warps a scheduler want the FMA pipe, which takes one a cycle */
        {"sums of 64 warps",
         " add.f32 %f1,%f1,%f40;\n add.f32 %f2,%f2,%f40;\n add.f32 "
         "%f3,%f3,%f40;\n add.f32 %f4,%f4,%f40;",
         &none, 1024, 264, SIM_STALL_NOT_SELECTED, 60},
        /* stores of 32 passes from 32 warps: the queue is always full */
        {"conflicts", " st.shared.u32 [%r1],%r2;\n add.s32 %r1,%r1,%r3;", &conflict, 1024, 132,
         SIM_STALL_MIO_THROTTLE, 85},
        {"fences", " membar.gl;", &none, 32, 1, SIM_STALL_MEMBAR, 95},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        time_result r = run(&(script){.body = rows[k].body,
                                      .copies = 100,
                                      .rounds = 20,
                                      .blocks = rows[k].blocks,
                                      .threads = rows[k].threads,
                                      .events = rows[k].event,
                                      .event_count = rows[k].event != &none},
                            NULL);
        char got[80];
        snprintf(got, sizeof got, "%s %.1f%%, at least %.0f%%", sim_stall_at(rows[k].state)->name,
                 r.stalls.warp_pct[rows[k].state], rows[k].least);
        check_that(r.stalls.warp_pct[rows[k].state] >= rows[k].least, __FILE__, __LINE__,
                   rows[k].name, got);
        printf("#   %-24s %s\n", rows[k].name, got);
    }
}

/* ---- what if ---- */

/* Without a cost, a launch takes what one that never had it takes: the same kernel over other
 * addresses. */
static void what_if(void) {
    static const sim_trace_event
        strided = {.space = PTX_SPACE_GLOBAL,
                   .lanes = 32,
                   .bytes_lane = 4,
                   .passes = 32,
                   .lines = 32,
                   .sectors = 32,
                   .stream_n = 32,
                   .l2_sectors = 32,
                   .misses = 32},
        whole = LOAD_EVENT,
        found = {.space = PTX_SPACE_GLOBAL,
                 .lanes = 32,
                 .bytes_lane = 4,
                 .passes = 1,
                 .lines = 1,
                 .sectors = 4,
                 .l1_hits = 4},
        in_l2 = {.space = PTX_SPACE_GLOBAL,
                 .lanes = 32,
                 .bytes_lane = 4,
                 .passes = 1,
                 .lines = 1,
                 .sectors = 4,
                 .stream_n = 1,
                 .l2_sectors = 4},
        conflict = {.space = PTX_SPACE_SHARED, .lanes = 32, .bytes_lane = 4, .passes = 32},
        straight = {.space = PTX_SPACE_SHARED, .lanes = 32, .bytes_lane = 4, .passes = 1},
        together = {
            .space = PTX_SPACE_SHARED, .lanes = 32, .bytes_lane = 4, .passes = 32, .distinct = 1};
    static const char load[] = " ld.global.f32 %f1,[%d1];\n add.f32 %f9,%f9,%f1;\n "
                               "add.s64 %d1,%d1,%d2;",
                      store[] = " st.shared.u32 [%r1],%r2;\n add.s32 %r2,%r2,%r3;",
                      atom[] = " atom.shared.add.u32 %r4,[%r1],%r2;\n add.s32 %r2,%r2,%r4;";
    enum { ASKED = 1056 * 8 * 100 * 32 }; /* blocks, warps, rounds, sectors of a strided load */
    const struct {
        const char *name, *body;
        sim_cost cost;
        const sim_trace_event *with, *without;
        double dram_with, dram_without; /* bytes of each event */
        sim_counters counters;
    } rows[] = {
        {"sectors", load, SIM_COST_SECTORS, &strided, &whole, 1024, 128, {.gld_sectors = ASKED}},
        /* a lone sector brings its neighbour: 64 bytes, of which nothing is left either */
        {"lone sectors",
         load,
         SIM_COST_SECTORS,
         &strided,
         &whole,
         2048,
         128,
         {.gld_sectors = ASKED}},
        {"L1", load, SIM_COST_L1, &whole, &found, 128, 0, {0}},
        {"L2", load, SIM_COST_L2, &whole, &in_l2, 128, 0, {0}},
        {"banks",
         store,
         SIM_COST_BANKS,
         &conflict,
         &straight,
         0,
         0,
         {.shared_st_conflicts = 31, .shared_st_wavefronts = 32}},
        {"atomics",
         atom,
         SIM_COST_ATOMICS,
         &together,
         &straight,
         0,
         0,
         {.atom_shared_requests = 1, .atom_shared_serialised = 32}},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        double without[SIM_COST_COUNT] = {0};
        script s = {.body = rows[k].body,
                    .rounds = 100,
                    .blocks = 1056,
                    .threads = 256,
                    .events = rows[k].with,
                    .event_count = 1,
                    .dram_read_per_event = rows[k].dram_with,
                    .also = rows[k].counters,
                    .without = without};
        double before = run(&s, NULL).time_us;
        s.events = rows[k].without, s.without = NULL, s.also = (sim_counters){0};
        s.dram_read_per_event = rows[k].dram_without;
        double after = run(&s, NULL).time_us, got = without[rows[k].cost];
        char why[120];
        snprintf(why, sizeof why, "%.2f us, without %.2f; one without takes %.2f", before, got,
                 after);
        printf("#   what if %-10s %s\n", rows[k].name, why);
        check_that(before > 1.2 * after && fabs(got - after) <= 1e-6 * after, __FILE__, __LINE__,
                   rows[k].name, why);
        for (unsigned c = 0; c < SIM_COST_COUNT; c++) /* nothing else is slower than it was */
            CHECK(without[c] > 0 && without[c] <= before);
    }
    /* Half the lanes on: packed, half the warps do it, so half the issue slots are taken. */
    static const char sums[] = " add.f32 %f1,%f1,%f40;\n add.f32 %f2,%f2,%f40;\n add.f32 "
                               "%f3,%f3,%f40;\n add.f32 %f4,%f4,%f40;";
    double without[SIM_COST_COUNT], full = 0;
    script s = {.body = sums,
                .rounds = 400,
                .blocks = 1056,
                .threads = 1024,
                .lanes = 0.5f,
                .without = without};
    double before = run(&s, &full).time_us, fixed = sim_profile_find("h200")->kernel_us,
           got = (without[SIM_COST_DIVERGENCE] - fixed) / (before - fixed);
    char why[80];
    snprintf(why, sizeof why, "%.2f of the time, half the lanes were idle", got);
    check_that(fabs(got - 0.5) < 0.05, __FILE__, __LINE__, "divergence", why);
    s.lanes = 0;
    run(&s, NULL);
    CHECK(without[SIM_COST_DIVERGENCE] == before); /* nothing known of lanes: nothing promised */
}

/* ---- barriers, atomics, blocks ---- */

static void barriers(void) {
    static const struct {
        unsigned threads;
        double want;
    } rows[] = {{32, 13.98}, {64, 15.97}, {128, 19.93}, {256, 27.94}, {512, 43.89}, {1024, 75.97}};
    sim_trace_event e = {.space = 0};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        double cycles;
        char name[64];
        run(&(script){.body = " bar.sync 0;",
                      .copies = 20,
                      .rounds = 50,
                      .blocks = 1,
                      .threads = rows[k].threads,
                      .events = &e,
                      .event_count = 1},
            &cycles);
        snprintf(name, sizeof name, "barrier of %u threads", rows[k].threads);
        within(name, cycles / 1000, rows[k].want, 0.15);
    }
    double cycles;
    run(&(script){.body = " bar.sync 0;",
                  .copies = 20,
                  .rounds = 25,
                  .blocks = 132 * 8,
                  .threads = 256,
                  .events = &e,
                  .event_count = 1},
        &cycles);
    within("barriers, warps per SM and cycle", 500.0 * 64 / cycles, 0.4085, 0.25);
}

static void atomics(void) {
    static const struct {
        const char *name, *body;
        unsigned passes;
        double want; /* cycles per warp and SM */
    } rows[] = {{"shared +1, distinct", " red.shared.add.u32 [%r1],1;", 1, 2.36},
                {"shared +1, one address", " red.shared.add.u32 [%r1],1;", 32, 2.36},
                {"shared +value, distinct", " red.shared.add.u32 [%r1],%r2;", 1, 2.99},
                {"shared +value, 4 lanes an address", " red.shared.add.u32 [%r1],%r2;", 4, 4.06},
                {"shared +value, 16 lanes an address", " red.shared.add.u32 [%r1],%r2;", 16, 16.02},
                {"shared +value, one address", " red.shared.add.u32 [%r1],%r2;", 32, 31.95},
                {"shared +value, result, distinct",
                 " atom.shared.add.u32 %r4,[%r1],%r2;\n add.s32 %r3,%r3,%r4;", 1, 3.267}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_trace_event e = {.space = PTX_SPACE_SHARED,
                             .lanes = 32,
                             .bytes_lane = 4,
                             .passes = (uint16_t)rows[k].passes};
        double cycles;
        run(&(script){.body = rows[k].body,
                      .copies = 20,
                      .rounds = 25,
                      .blocks = 132,
                      .threads = 1024,
                      .events = &e,
                      .event_count = 1},
            &cycles);
        within(rows[k].name, cycles / (500.0 * 32), rows[k].want, 0.05);
    }
    /* One address of global memory, not known to be one: 1.362 lanes/ns; a sector's eight words,
     * four lanes each: 13.3. */
    static const struct {
        const char *name;
        unsigned passes;
        double want;
        uint8_t sectors;
    } global[] = {{"global, one address, lanes/ns", 32, 1.362, 1},
                  {"global, one sector, lanes/ns", 4, 13.34, 1},
                  {"global, one line, lanes/ns", 1, 12.32, 4}};
    for (unsigned k = 0; k < sizeof global / sizeof *global; k++) {
        sim_trace_event e = {.space = PTX_SPACE_GLOBAL,
                             .lanes = 32,
                             .bytes_lane = 4,
                             .passes = (uint16_t)global[k].passes,
                             .lines = 1,
                             .sectors = global[k].sectors,
                             .stream_n = 1,
                             .l2_sectors = global[k].sectors};
        time_result r = run(&(script){.body = " red.global.add.u32 [%d1],%r1;",
                                      .rounds = 64,
                                      .blocks = 132 * 4,
                                      .threads = 512,
                                      .events = &e,
                                      .event_count = 1,
                                      .one_slice = true},
                            NULL);
        within(global[k].name, 132.0 * 4 * 512 * 64 / (r.time_us * 1e3), global[k].want, 0.3);
        CHECK_STR(r.limiter, "l2");
    }
}

/* Loads and additions at random words of 4 MB go one way to L2 (h200.mem.jsonl, mix_l1_a1 and
 * mix_l2_a1, without the time of the events). */
static void beside_loads(void) {
    static const struct {
        const char *name, *body;
        unsigned loads;
        double want;
    } rows[] = {{"a load and an addition, us",
                 " ld.global.u32 %r1,[%d1];\n red.global.add.u32 [%d2],%r3;\n"
                 " add.s32 %r4,%r4,%r1;\n add.s64 %d1,%d1,%d2;",
                 1, 70.9},
                {"two loads and an addition, us",
                 " ld.global.u32 %r1,[%d1];\n ld.global.u32 %r2,[%d1+128];\n"
                 " red.global.add.u32 [%d2],%r3;\n add.s32 %r4,%r4,%r1;\n"
                 " add.s32 %r4,%r4,%r2;\n add.s64 %d1,%d1,%d2;",
                 2, 97.5}};
    sim_trace_event e = {.space = PTX_SPACE_GLOBAL,
                         .lanes = 32,
                         .bytes_lane = 4,
                         .passes = 1,
                         .lines = 32,
                         .sectors = 32,
                         .stream_n = 32,
                         .l2_sectors = 32};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        time_result r = run(&(script){.body = rows[k].body,
                                      .rounds = 16,
                                      .blocks = 132 * 8,
                                      .threads = 256,
                                      .events = (sim_trace_event[]){e, e, e},
                                      .event_count = rows[k].loads + 1},
                            NULL);
        within(rows[k].name, r.time_us, rows[k].want, 0.1);
        CHECK_STR(r.limiter, "l2");
    }
}

/* A multiprocessor of an H200 serves 128 bytes of shared memory a cycle, one pass of a warp: 132 of
 * them at 1.98 GHz take a millisecond for 261.36 million passes. Where the sampled blocks have none
 * of them a launch takes as long as the passes that its conflicts counted, however it is
 * replayed. */
static void passes(void) {
    static const struct {
        const char *name;
        double ld, st, want;
        unsigned blocks;
    } rows[] = {{"conflicts of loads, all multiprocessors, us", 261.36e6, 0, 1000, 132 * 8},
                {"conflicts of stores, all multiprocessors, us", 0, 261.36e6, 1000, 132 * 8},
                {"conflicts of both, all multiprocessors, us", 130.68e6, 130.68e6, 1000, 132 * 8},
                {"conflicts on half of them, us", 261.36e6, 0, 2000, 66}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        time_result r = run(&(script){.body = " add.s32 %r1,%r1,1;",
                                      .rounds = 4,
                                      .blocks = rows[k].blocks,
                                      .threads = 256,
                                      .also = {.shared_ld_conflicts = (uint64_t)rows[k].ld,
                                               .shared_st_conflicts = (uint64_t)rows[k].st}},
                            NULL);
        within(rows[k].name, r.time_us, rows[k].want, 0.01);
        CHECK(r.time_floor_us < 100); /* a device may have fewer: nobody is suspect for it */
    }
}

static void blocks(void) {
    static const struct {
        unsigned grid;
        double us;
    } rows[] = {{13200, 13.41 - 4.2},
                {132000, 84.96 - 4.2},
                {1320000, 801 - 4.2}}; /* less what an empty kernel takes between two events */
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        char name[64];
        time_result r = run(
            &(script){.body = "ret;", .rounds = 1, .blocks = rows[k].grid, .threads = 256}, NULL);
        snprintf(name, sizeof name, "%u empty blocks, us", rows[k].grid);
        within(name, r.time_us, rows[k].us, 0.15);
        CHECK_STR(r.limiter, "launch");
    }
    /* One load, one sum, one store a thread, 64 Mi of them, by block size: ns a block. */
    static const struct {
        unsigned threads;
        double ns;
    } life[] = {{128, 0.618}, {256, 0.787}, {512, 1.721}, {1024, 3.83}};
    for (unsigned k = 0; k < sizeof life / sizeof *life; k++) {
        sim_trace_event e[2] = {LOAD_EVENT, LOAD_EVENT};
        char name[64];
        unsigned grid = (1u << 26) / life[k].threads;
        time_result r =
            run(&(script){.body = " ld.param.u64 %d1,[a];\n ld.param.u64 %d2,[b];\n mov.u32 "
                                  "%r1,%tid.x;\n mov.u32 %r2,%ctaid.x;\n mov.u32 %r3,%ntid.x;\n "
                                  "mad.lo.s32 %r4,%r2,%r3,%r1;\n mul.wide.s32 %d3,%r4,4;\n "
                                  "add.s64 %d4,%d1,%d3;\n ld.global.f32 %f1,[%d4];\n "
                                  "add.f32 %f2,%f1,0f3f800000;\n add.s64 %d5,%d2,%d3;\n "
                                  "st.global.f32 [%d5],%f2;\n ret;",
                          .rounds = 1,
                          .blocks = grid,
                          .threads = life[k].threads,
                          .events = e,
                          .event_count = 2,
                          .dram_read_per_event = 64,
                          .dram_write = 4.0 * (1u << 26)},
                NULL);
        snprintf(name, sizeof name, "a load and a store, blocks of %u, ns", life[k].threads);
        within(name, r.time_us * 1e3 / grid, life[k].ns, 0.25);
    }
    sim_occupancy occ;
    sim_occupancy_get(sim_profile_find("h200"), 256, 16, 0, 0, &occ);
    time_result r;
    sim_counters c = {.warp_inst = 1000};
    time_model(sim_profile_find("h200"), NULL, NULL,
               &(time_launch){.grid_blocks = 10, .threads = 256}, &c, &occ, NULL,
               &r); /* without a trace */
    CHECK(r.time_us > 1 && r.time_us < 10);
    time_model(sim_profile_find("h200"), NULL, NULL,
               &(time_launch){.grid_blocks = 0, .threads = 256}, &c, &occ, NULL, &r);
    CHECK(r.time_us == 0);
}

/* Four multiprocessors that hold one block each, by hand. */
static void spread(void) {
    static const uint64_t one_wave[] = {2, 6, 4, 4}, two[] = {5, 1, 1, 1, 3, 3, 3},
                          even[] = {7, 7, 7, 7, 7, 7};
    const struct {
        const uint64_t *work;
        unsigned count;
        double worst;
    } cases[] = {{one_wave, 4, 3},             /* 6, over the first one's 2 */
                 {one_wave, 1, 1},             /* one block, on the first */
                 {two, 7, 5.0 / (17.0 / 4)},   /* the three that waited go to those with 1 */
                 {even, 6, 14.0 / (42.0 / 4)}, /* two of the four have two blocks */
                 {NULL, 0, 1}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        sim_spread s;
        sim_spread_begin(&s, 4, 1);
        for (unsigned i = 0; i < cases[k].count; i++) sim_spread_block(&s, cases[k].work[i]);
        CHECK_NEAR(sim_spread_worst(&s), cases[k].worst, 1e-12);
    }
    sim_spread many;
    sim_spread_begin(&many, 1000, 1); /* more multiprocessors than it knows */
    sim_spread_block(&many, 5);
    CHECK(sim_spread_worst(&many) == 1);
}

/* Blocks of unequal work: the busiest multiprocessor's pace is the launch's, unless all of them
 * wait for the L2 or DRAM, which does not serve it later than others. */
static void uneven(void) {
    static const struct {
        const char *body;
        unsigned sectors;
        double dram, more; /* bytes an event; how much longer with a busiest of 1.5 */
    } rows[] = {
        {" ld.global.f32 %f1,[%d1];\n add.s64 %d1,%d1,%d2;\n fma.rn.f32 %f2,%f1,%f2,%f3;\n "
         "fma.rn.f32 "
         "%f2,%f2,%f2,%f3;\n fma.rn.f32 %f2,%f2,%f2,%f3;\n fma.rn.f32 "
         "%f2,%f2,%f2,%f3;\n sqrt.approx.f32 %f2,%f2;\n sqrt.approx.f32 %f2,%f2;\n "
         "sqrt.approx.f32 %f2,%f2;\n sqrt.approx.f32 %f2,%f2;",
         1, 0, 1.5},
        {" ld.global.f32 %f1,[%d1];\n add.s64 %d1,%d1,%d2;\n add.f32 %f2,%f2,%f1;", 4, 0, 1},
        {" ld.global.f32 %f1,[%d1];\n add.s64 %d1,%d1,%d2;\n add.f32 %f2,%f2,%f1;", 4, 128, 1}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_trace_event e = {.space = PTX_SPACE_GLOBAL,
                             .lanes = 32,
                             .bytes_lane = 4,
                             .passes = 1,
                             .lines = 1,
                             .sectors = (uint16_t)rows[k].sectors,
                             .stream_n = 1,
                             .l2_sectors = (uint16_t)rows[k].sectors};
        script s = {.body = rows[k].body,
                    .rounds = 256,
                    .blocks = 132 * 8,
                    .threads = 256,
                    .events = &e,
                    .event_count = 1,
                    .dram_read_per_event = rows[k].dram};
        double even, apart;
        run(&s, &even);
        s.worst = 1.5;
        run(&s, &apart);
        CHECK_NEAR(apart / even, rows[k].more, 0.01);
    }
}

/* Sampled blocks of the middle that do three times what the launch's blocks do on average: the
 * launch issues no more for that. */
static void not_like_the_sample(void) {
    script s = {.body = "add.f32 %f1,%f1,%f8;\nadd.f32 %f2,%f2,%f8;\nadd.f32 %f3,%f3,%f8;",
                .rounds = 200,
                .blocks = 132 * 8 * 4,
                .threads = 256};
    double even, apart;
    run(&s, &even);
    s.middle = 3;
    run(&s, &apart);
    printf("# %.0f cycles, with an uneven sample %.0f\n", even, apart);
    CHECK_NEAR(apart / even, 1, 0.05);
}

/* What the sampled blocks do not show: atomics that others have, which the busiest slice of L2
 * takes one after another, in 0.87 of a lone sector's time at least (docs/model-tables.md); and
 * work of a multiprocessor that has more to issue than DRAM lets the others do. A block of 32 warps
 * adds 100 times in each of 100 rounds, on four schedulers; the busiest multiprocessor has 50 times
 * as many slots. */
static void not_sampled(void) {
    const sim_profile *p = sim_profile_find("h200");
    static const sim_trace_event load[] = {{.space = PTX_SPACE_GLOBAL,
                                            .lanes = 32,
                                            .bytes_lane = 4,
                                            .passes = 1,
                                            .lines = 32,
                                            .sectors = 32,
                                            .stream_n = 32,
                                            .l2_sectors = 32,
                                            .misses = 32}};
    char body[4096];
    size_t n = (size_t)snprintf(body, sizeof body,
                                "ld.global.f32 %%f1,[%%d1];\nadd.s64 %%d1,%%d1,%%d2;\n");
    script s = {.body = "add.f32 %f1,%f1,%f3;",
                .rounds = 100,
                .blocks = 132,
                .threads = 32,
                .one_slice = true,
                .atom_passes = 3e6,
                .worst = 1};
    CHECK_NEAR(run(&s, NULL).time_us, p->kernel_us + 0.87 * 3e6 * p->atom_global_ns * 1e-3, 1e-6);
    for (unsigned k = 0; k < 100; k++)
        n += (size_t)snprintf(body + n, sizeof body - n, "add.f32 %%f2,%%f2,%%f%u;\n", k ? 4 : 1);
    double cycles, bound;
    unsigned length = 0;
    s = (script){.body = body,
                 .rounds = 100,
                 .blocks = 132,
                 .threads = 1024,
                 .events = load,
                 .length = &length,
                 .event_count = 1,
                 .dram_read_per_event = 1024,
                 .worst = 1};
    CHECK_STR(run(&s, &bound).limiter, "dram");
    s.worst = 50;
    run(&s, &cycles);
    double slots = 100.0 * length * 32 / p->schedulers;
    CHECK(length > 100 && bound > slots && bound < 50 * slots);
    within("the busiest issues", cycles, 50 * slots, 0.01);
}

static void checks(void) {
    not_sampled();
    spread();
    arithmetic();
    conversions();
    latency_of_loads();
    streaming();
    whole_stretches();
    short_loops();
    caches();
    stores();
    stalls();
    what_if();
    barriers();
    atomics();
    beside_loads();
    passes();
    blocks();
    uneven();
    not_like_the_sample();
}

int main(void) {
    if (!assembled_here("the model of time")) return 0;
    gather(checks);
    checks();
    free_kernels();
    return check_done();
}
