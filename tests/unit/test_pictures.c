/* Whole pictures, letter by letter, and the colour of each piece: {g is good, {b bad, {w a warning,
 * {d dim, {s strong, {c code, up to the brace that ends it. Expected texts are laid out by hand
 * from what a picture promises (pictures.h): what a cell stands for, where columns stand, from
 * which figure on a bar is good or bad. */
#include <stdarg.h>
#include <stdlib.h>
#include "tests/check.h"
#include "runner/grade/pictures.h"
#include "runner/device/sim/profile.h"
#include "grader/result.h"

static char *shown;
static size_t shown_len;
static FILE *stream;
static text_out out;
static const char source[] = "__global__ void f()\n    y[i] = 2 * x[i];\n\ty[0] = 1;\n";

static show_place begin(int width, bool colour) {
    if (stream) fclose(stream);
    free(shown);
    shown = NULL;
    stream = open_memstream(&shown, &shown_len);
    out = (text_out){.to = stream, .width = width, .colour = colour};
    return (show_place){.out = &out, .lang = LIB_EN, .source = source, .file = "k.cu"};
}

/* Pieces of one colour beside each other as one, however many were written. */
static void join(char *text) {
    char style = 0, *to = text;
    for (const char *s = text; *s;) {
        if (s[0] == '}' && s[1] == '{' && s[2] == style) s += 3;
        else {
            if (*s == '{') style = s[1];
            *to++ = *s++;
        }
    }
    *to = 0;
}

/* What was drawn, its escapes written as braces. */
static const char *end(void) {
    static char text[20000];
    static const struct {
        const char *escape, *as;
    } styles[] = {{"\033[0m", "}"},     {"\033[1m", "{s"},   {"\033[36m", "{c"},
                  {"\033[1;32m", "{g"}, {"\033[33m", "{w"},  {"\033[2m", "{d"},
                  {"\033[1;31m", "{b"}, {"\033[1;34m", "{t"}};
    size_t n = 0;
    fflush(stream);
    for (const char *s = shown; *s && n < sizeof text - 3;) {
        size_t k = 0;
        while (k < 8 && strncmp(s, styles[k].escape, strlen(styles[k].escape)) != 0) k++;
        if (k == 8) {
            text[n++] = *s++;
            continue;
        }
        n += (size_t)snprintf(text + n, 3, "%s", styles[k].as);
        s += strlen(styles[k].escape);
    }
    text[n] = 0;
    join(text);
    return text;
}

/* The text that is expected, piece by piece. */
static char wanted[20000];
static size_t wanted_n;
__attribute__((format(printf, 1, 2))) static void want(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    wanted_n += (size_t)vsnprintf(wanted + wanted_n, sizeof wanted - wanted_n, format, ap);
    va_end(ap);
}
static void want_many(char c, int n) {
    while (n-- > 0) want("%c", c);
}
static void want_bar(char c, int n, int of) {
    want("[");
    want_many(c, n);
    want_many(' ', of - n);
    want("]");
}
/* A sentence, two columns in, broken at blanks where a line would reach the last column. */
static void want_said(int width, const char *text) {
    while (*text) {
        size_t room = (size_t)(width - 1 - 2), n = strlen(text);
        if (n > room)
            for (n = room; text[n] != ' ';) n--;
        want("  %.*s\n", (int)n, text);
        text += n + (text[n] == ' ');
    }
}
static void check_drawn(const char *what) {
    const char *got = end();
    size_t k = 0;
    char why[200];
    join(wanted);
    while (got[k] && got[k] == wanted[k]) k++;
    snprintf(why, sizeof why, "from letter %zu on: \"%.60s\", want \"%.60s\"", k, got + k,
             wanted + k);
    if (!check_that(!got[k] && !wanted[k], __FILE__, __LINE__, what, why)) printf("%s", got);
    wanted_n = 0;
    wanted[0] = 0;
}
/* The picture begins with what is wanted. */
static void check_begins(const char *what) {
    const char *got = end();
    join(wanted);
    if (!check_that(!strncmp(got, wanted, strlen(wanted)), __FILE__, __LINE__, what, "see below"))
        printf("%s\nwant\n%s\n", got, wanted);
    wanted_n = 0;
    wanted[0] = 0;
}

/* ---- lines of the source ---- */

/* Line 2: 8 sectors for 4 loads of 256 bytes in all; 16 for 4 stores, of which a quarter is used.
 * Line 3: 62.5 %. Behind 63 columns stands the source, up to column 99. */
static void sectors(void) {
    sim_line lines[] = {{.file = "/src/k.cu", .line = 3}, {.file = "/src/k.cu", .line = 2}};
    lines[0].counters =
        (sim_counters){.gst_requests = 2, .gst_sectors = 2, .gst_bytes = 40, .warp_inst = 1};
    lines[1].counters = (sim_counters){.gld_requests = 4,
                                       .gld_sectors = 8,
                                       .gld_bytes = 256,
                                       .gst_requests = 4,
                                       .gst_sectors = 16,
                                       .gst_bytes = 128};
    grade_result r = {.lines = lines, .line_count = 2, .device = "sim:h200"};
    for (int width = 80; width <= 120; width += 20) {
        show_place p = begin(width, false);
        int columns = width == 80 ? 16 : 36;
        show_sectors(&p, &r);
        want(" line       %-41sused\n", "sectors of one request");
        want("    2 load  ");
        want_bar('#', 2, 32);
        want("   2.0    100%%  %-*s\n    2 store ", columns, "y[i] = 2 * x[i];");
        want_bar('-', 4, 32);
        want("   4.0     25%%  %-*s\n    3 store ", columns, "y[i] = 2 * x[i];");
        want_bar('+', 1, 32);
        want("   1.0     62%%  %-*s\n", columns, "y[0] = 1;");
        want_said(width,
                  "One cell is a 32-byte sector: [#] mostly used, [+] partly, [-] hardly (at most "
                  "a quarter of it).");
        check_drawn("sectors");
    }
    show_place p = begin(60, false); /* two blanks, the per cent's and the source are left out */
    r.line_count = 1;
    show_sectors(&p, &r);
    want(" line       %-39sused\n    3 store ", "sectors of one request");
    want_bar('+', 1, 32);
    want("  1.0  62%%\n");
    want_said(60,
              "One cell is a 32-byte sector: [#] mostly used, [+] partly, [-] hardly (at most a "
              "quarter of it).");
    check_drawn("sectors, narrow");
}

static void banks_and_lanes(void) {
    sim_line line = {.file = "/src/k.cu", .line = 2};
    line.counters = (sim_counters){.shared_ld_requests = 2,
                                   .shared_ld_wavefronts = 2,
                                   .shared_st_requests = 2,
                                   .shared_st_wavefronts = 64,
                                   .warp_inst = 1000,
                                   .thread_inst = 20000,
                                   .divergent_branches = 1234};
    grade_result r = {.lines = &line, .line_count = 1, .device = "sim:h200"};
    show_place p = begin(100, false);
    show_banks(&p, &r);
    want(" line       passes of one request\n    2 load  ");
    want_bar('#', 1, 32);
    want("   1.0  %-44s\n    2 store ", "y[i] = 2 * x[i];");
    want_bar('#', 32, 32);
    want("  32.0  %-44s\n", "y[i] = 2 * x[i];");
    want_said(100, "One cell is a pass over the 32 banks: one is ideal for 4-byte words, each "
                   "further one is a conflict.");
    check_drawn("banks");
    p = begin(100, false);
    show_divergence(&p, &r);
    want(" line      instr.    splits  active lanes\n    2       1,000     1,234  ");
    want_bar('#', 10, 16);
    want(" 20.0  %-45s\n", "y[i] = 2 * x[i];");
    want_said(100, "instr.: warp instructions; splits: branches at which a warp's lanes parted; a "
                   "cell is two lanes.");
    check_drawn("divergence");
}

/* Good from three quarters of the bytes on, a warning above one quarter; good below one pass and a
 * half; good from 24 lanes on, a warning from 8. */
static void colours_of_lines(void) {
    static const struct {
        sim_counters c;
        const char *bar;
    } rows[] = {{{.gld_requests = 1, .gld_sectors = 1, .gld_bytes = 24}, "[{g#}{d"},
                {{.gld_requests = 1, .gld_sectors = 1, .gld_bytes = 23}, "[{w+}{d"},
                {{.gld_requests = 1, .gld_sectors = 1, .gld_bytes = 9}, "[{w+}{d"},
                {{.gld_requests = 1, .gld_sectors = 1, .gld_bytes = 8}, "[{b-}{d"},
                {{.shared_ld_requests = 100, .shared_ld_wavefronts = 149}, "[{g#}{d"},
                {{.shared_ld_requests = 100, .shared_ld_wavefronts = 150}, "[{b##}{d"},
                {{.warp_inst = 10, .thread_inst = 240}, "{d         0  }[{g############}{d"},
                {{.warp_inst = 10, .thread_inst = 239, .divergent_branches = 1},
                 "{w         1  }[{w############}{d"},
                {{.warp_inst = 10, .thread_inst = 80}, "[{w####}{d"},
                {{.warp_inst = 10, .thread_inst = 79}, "[{b####}{d"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_line line = {.file = "k.cu", .line = 2, .counters = rows[k].c};
        grade_result r = {.lines = &line, .line_count = 1, .device = "sim:h200"};
        show_place p = begin(100, true);
        if (rows[k].c.gld_requests) show_sectors(&p, &r);
        else if (rows[k].c.shared_ld_requests) show_banks(&p, &r);
        else show_divergence(&p, &r);
        CHECK_CONTAINS(end(), rows[k].bar);
        CHECK_CONTAINS(end(), "{cy[i] = 2 * x[i];}");
    }
}

/* Lines of other files are left out, the sixteen that did most are shown, as the source has
 * them. */
static void which_lines(void) {
    sim_line lines[19];
    for (unsigned i = 0; i < 19; i++)
        lines[i] = (sim_line){.file = i == 18 ? "/other/j.cu" : "/src/k.cu",
                              .line = 18 - i,
                              .counters = {.warp_inst = 100 + i, .thread_inst = 3200}};
    for (size_t n = 15; n <= 19; n++) {
        grade_result r = {.lines = lines, .line_count = n, .device = "sim:h200"};
        show_place p = begin(100, false);
        show_divergence(&p, &r);
        size_t shown_lines = n < 16 ? n : 16, own = n < 18 ? n : 18, at = 0;
        const char *s = strchr(end(), '\n');
        for (unsigned want_line = 19 - (unsigned)own; s && at < shown_lines; at++, want_line++) {
            char begins[8];
            snprintf(begins, sizeof begins, "%5u ", want_line);
            CHECK(!strncmp(s + 1, begins, 6)); /* the lines behind did more */
            s = strchr(s + 1, '\n');
        }
        CHECK(s && !strncmp(s + 1, "  instr.", 8));
    }
    grade_result r = {.lines = lines + 18, .line_count = 1, .device = "sim:h200"};
    show_place p = begin(80, false);
    show_divergence(&p, &r);
    CHECK_STR(end(), "  There is nothing of this kind in the run.\n");
    p = begin(80, false);
    show_sectors(&p, &r);
    CHECK_STR(end(), "  There is nothing of this kind in the run.\n");
    p = begin(80, false);
    show_banks(&p, &r);
    CHECK_STR(end(), "  There is nothing of this kind in the run.\n");
    p = begin(80, false);
    p.file = NULL; /* every line belongs to it */
    show_divergence(&p, &r);
    CHECK_CONTAINS(end(), "    0         118         0  [##############  ] 27.1");
}

/* ---- occupancy ---- */

static void occupancy(void) {
    grade_launch l[] = {{.kernel = "k",
                         .block = {32, 3, 1},
                         .registers = 32,
                         .shared = 1024,
                         .occupancy = {.blocks = 2,
                                       .warps = 6,
                                       .pct = 9.4,
                                       .by_blocks = 32,
                                       .by_warps = 2,
                                       .by_registers = 1000,
                                       .by_shared = 999,
                                       .limiter = "warps"},
                         .achieved_occupancy_pct = 7.4},
                        {.kernel = "k", .block = {32, 1, 1}, .registers = 33}, /* as the first */
                        {.kernel = "k", .block = {1, 1, 1}, .registers = 34}};
    grade_result r = {.launches = l, .launch_count = 3, .device = "sim:h200"};
    static const struct {
        int width, per;
        const char *limit;
    } rows[] = {{71, 2, "<-"}, {72, 1, "<- the limit"}, {100, 1, "<- the limit"}};
    for (int k = 0; k < 3; k++) {
        int width = rows[k].width;
        char key[200];
        show_place p = begin(width, false);
        show_occupancy(&p, &r);
        want_said(width, "k: 32 registers per thread, 1,024 bytes of shared memory, 96 threads per "
                         "block");
        want("  block slots   ");
        want_bar('#', 32, 32);
        want("  32  \n  warp slots    ");
        want_bar('#', 2, 32);
        want("   2  %s\n  registers     ", rows[k].limit);
        want_bar('#', 32, 32);
        want("   -  \n  shared memory ");
        want_bar('#', 32, 32);
        want(" 999  \n");
        /* 2048 threads in 64 slots; a block of six warps has three of them, or every second one */
        want(width < 82 ? "  slots       [" : "  slots         [");
        want(rows[k].per == 1 ? "AAABBB" : "AAB");
        want_many('.', 64 / rows[k].per - (rows[k].per == 1 ? 6 : 3));
        want("]\n");
        snprintf(key, sizeof key,
                 "Bars: how many blocks each resource has room for. Slots: a cell is %d of a "
                 "multiprocessor's warp slots; a letter is a resident block, . is empty.",
                 rows[k].per);
        want_said(width, key);
        want_said(width, "2 blocks, 6 warps resident per multiprocessor: occupancy 9% "
                         "(achieved_occupancy_pct: 7%).");
        /* another shape; nothing is known of it, so there are no slots */
        want_said(width,
                  "k: 34 registers per thread, 0 bytes of shared memory, 1 thread per block");
        static const char *const titles[] = {"block slots", "warp slots", "registers",
                                             "shared memory"};
        for (int i = 0; i < 4; i++) {
            want("  %-14s", titles[i]);
            want_bar('#', 0, 32);
            want("   0  \n");
        }
        want_said(width, "0 blocks, 0 warps resident per multiprocessor: occupancy 0% "
                         "(achieved_occupancy_pct: 0%).");
        check_drawn("occupancy");
    }
    /* blocks in turn good and strong; behind Z comes A */
    r.launch_count = 1;
    l[0].occupancy.blocks = l[0].occupancy.warps = 28;
    show_place p = begin(100, true);
    show_occupancy(&p, &r);
    CHECK_CONTAINS(end(), "[{gA}{sB}{gC}{sD}");
    CHECK_CONTAINS(end(), "{gY}{sZ}{gA}{sB}{d....................................}]\n");
    CHECK_CONTAINS(end(), "[{w##}{d                              }]   2  {w<- the limit}\n");
    CHECK_CONTAINS(end(), "[{g################################}]  32  \n");
    strcpy(r.device, "sim:none"); /* nobody knows how many slots that has */
    p = begin(100, false);
    show_occupancy(&p, &r);
    CHECK(!strstr(end(), "\n  slots"));
    r.launch_count = 0;
    p = begin(80, false);
    show_occupancy(&p, &r);
    CHECK_STR(end(), "  The run gave no figures of its launches.\n");
}

/* ---- roofline ---- */

/* The ticks: the peak, in hundreds, and the powers of ten, each in the row of four tenths of a
 * decade in which it lies. */
static void roofline(void) {
    const sim_profile *f = sim_profile_find("h200");
    double peak = f->rate_fp32 * 64 * f->sms * f->clock_ghz, bw = f->dram_gbs * f->dram_efficiency;
    grade_result r = {.device = "sim:h200",
                      .time_us = 1000,
                      .counters = {.flop_sp = 2000000000, .dram_write = 1000000000}};
    show_place p = begin(80, false);
    show_roofline(&p, &r);
    const char *line = end();
    for (int row = 0; row < 10; row++, line += strcspn(line, "\n") + 1) {
        double above = log10(peak) + 0.1 - 0.4 * row, below = above - 0.4;
        char tick[32] = "", left[16];
        for (int e = 0; e < 10; e++)
            if (e > below && e <= above) show_number(tick, pow(10, e));
        if (!row) show_number(tick, 100 * round(peak / 100));
        snprintf(left, sizeof left, "%9s %c", tick, *tick ? '+' : '|');
        check_that(!strncmp(line, left, 11), __FILE__, __LINE__, left, line);
    }
    /* h200: 66,900 GFLOP/s and some 4,400 GB/s meet at 15 operations a byte, near column 40; the
     * roof falls by a decade in 3.3 octaves, so by a row in 5.3 columns. The run stands at 2, which
     * is 28 columns behind 2^-6. */
    {
        static char picture[10][65];
        for (int row = 0; row < 10; row++) {
            double above = log10(peak) + 0.1 - 0.4 * row, below = above - 0.4;
            for (int c = 0; c < 64; c++) {
                double at = log10(bw) + (c / 4.0 - 6) * log10(2);
                bool flat = at >= log10(peak);
                if (flat) at = log10(peak);
                picture[row][c] = at > below && at <= above ? flat ? '-' : '/' : ' ';
            }
            double run = log10(2000); /* 2e9 operations in a millisecond */
            if (run > below && run <= above) picture[row][28] = '*';
        }
        const char *drawn = end();
        for (int row = 0; row < 10; row++, drawn += strcspn(drawn, "\n") + 1) {
            char got[100];
            snprintf(got, sizeof got, "%.*s", (int)strcspn(drawn, "\n") - 11, drawn + 11);
            CHECK_STR(got, picture[row]);
        }
    }
    want("  GFLOP/s +");
    for (int i = 0; i < 8; i++) want("+-------");
    want("\n           %-8s%-8s%-8s%-8s%-8s%-8s%-8s%-8s\n", "1/64", "1/16", "1/4", "1", "4", "16",
         "64", "256");
    want("           floating-point operations per byte of device memory (log)\n");
    char said[300], number[32];
    snprintf(said, sizeof said,
             "* this run: 2 operations per byte, 2,000 GFLOP/s; its roof there is %s (memory "
             "bandwidth), %.3g%% reached.",
             show_number(number, round(2 * bw)), 100 * 2000 / (2 * bw));
    want_said(80, said);
    want_said(80, "/ the roof of memory bandwidth, - that of arithmetic, * this run; up and to the "
                  "right each step is a factor.");
    CHECK_STR(line, wanted);
    wanted_n = 0;
    /* The roof is written in whole numbers from 100 on; no bytes at all count as one. */
    static const struct {
        double roof;
        const char *text;
    } roofs[] = {{3.25, "3.25"}, {99.96, "99.96"}, {100.4, "100"}, {100.6, "101"}};
    for (size_t k = 0; k < sizeof roofs / sizeof *roofs; k++) {
        char want_text[60];
        r.counters = (sim_counters){.flop_dp = 1000000000000,
                                    .dram_read = (uint64_t)(1e12 * bw / roofs[k].roof)};
        snprintf(want_text, sizeof want_text, "its roof there is %s (memory bandwidth)",
                 roofs[k].text);
        p = begin(120, false);
        show_roofline(&p, &r);
        char flat[4000];
        snprintf(flat, sizeof flat, "%s", end());
        for (char *s = flat; (s = strstr(s, "\n  "));)
            memmove(s + 1, s + 3, strlen(s + 3) + 1), *s = ' ';
        CHECK_CONTAINS(flat, want_text);
    }
    r.counters = (sim_counters){.flop_sp = 640000};
    p = begin(120, false);
    show_roofline(&p, &r);
    snprintf(said, sizeof said, "640,000 operations per byte, 0.64 GFLOP/s; its roof there is %s",
             show_number(number, round(peak)));
    CHECK_CONTAINS(end(), said);
    static const grade_result none[] = {
        {.device = "sim:h200", .time_us = 1},
        {.device = "sim:h200", .counters = {.flop_sp = 1}},
        {.device = "sim:none-such", .time_us = 1, .counters = {.flop_sp = 1}}};
    for (int k = 0; k < 3; k++) {
        p = begin(120, false);
        show_roofline(&p, &none[k]);
        CHECK_STR(end(),
                  "  This run made no operations in single or double precision, which are those "
                  "that the roofline counts: half precision\n  and tensor cores are left out.\n");
    }
}

/* ---- what if ---- */

/* Of 200 us: a fiftieth is worth a row, the largest first, 24 cells for the whole; under the first
 * three stand their lines. */
static void what_if(void) {
    grade_cost costs[SIM_COST_COUNT] = {0};
    costs[SIM_COST_BANKS] = (grade_cost){
        .saves_us = 100, .line_count = 1, .file = {"/src/k.cu"}, .line = {3}, .part = {0.096}};
    costs[SIM_COST_SECTORS].saves_us = 3.99;
    costs[SIM_COST_L2] = (grade_cost){
        .saves_us = 4, .line_count = 1, .file = {"k.cu"}, .line = {2}, .part = {0.996}};
    costs[SIM_COST_DRAM] = (grade_cost){.saves_us = 150,
                                        .line_count = 3,
                                        .file = {"/src/k.cu", NULL, "k.cu"},
                                        .line = {2, 7, 3},
                                        .part = {0.5, 0.3, 0.2}};
    costs[SIM_COST_LOCAL] = (grade_cost){
        .saves_us = 3.999999, .line_count = 1, .file = {"k.cu"}, .line = {2}, .part = {1}};
    costs[SIM_COST_LAUNCH] =
        (grade_cost){.saves_us = 4, .line_count = 1, .file = {"k.cu"}, .line = {2}, .part = {1}};
    grade_result r = {.device = "sim:h200", .costs = costs, .costs_us = 200};
    static const struct {
        double saves;
        const char *title;
        int cells, narrow; /* of what is left: 24 or 12 */
        double then;
        const char *factor;
    } rows[] = {{150, "DRAM bandwidth", 6, 3, 50, "   4.00x"},
                {100, "bank conflicts", 12, 6, 100, "   2.00x"},
                {4, "misses in L2", 24, 12, 196, "   1.02x"}, /* 23.52 cells, 11.76 */
                {4, "starting", 24, 12, 196, "   1.02x"}};
    for (int width = 71; width <= 72; width++) {
        bool narrow = width < 72;
        show_place p = begin(width, false);
        show_what_if(&p, &r);
        want_said(width, "What if? Now 200.00 us; without each cost alone (bar: what is left):");
        for (int k = 0; k < 4; k++) {
            want("  %-*s", narrow ? 20 : 24, rows[k].title);
            want_many('#', narrow ? rows[k].narrow : rows[k].cells);
            want_many('.', narrow ? 12 - rows[k].narrow : 24 - rows[k].cells);
            want(" %9.2f us%s\n", rows[k].then, rows[k].factor);
            if (!k)
                want("       50%%  k.cu:2  %-*s\n       30%%  PTX:7  \n", narrow ? 30 : 50,
                     "y[i] = 2 * x[i];");
            if (k == 2) want("      100%%  k.cu:2  %-*s\n", narrow ? 30 : 50, "y[i] = 2 * x[i];");
        }
        want_said(width, "Gains do not add up: without one cost, the next one shows.");
        check_drawn("what if");
    }
    /* eight rows at most; what saves all leaves nothing, and no factor */
    for (int k = 0; k < SIM_COST_COUNT; k++) costs[k] = (grade_cost){.saves_us = 200 - k};
    show_place p = begin(100, true);
    show_what_if(&p, &r);
    CHECK_CONTAINS(end(), "{sWhat if? Now 200.00 us; ");
    CHECK_CONTAINS(end(),
                   "  uncoalesced access      {d........................}      0.00 us\n  bank "
                   "conflicts          {d.");
    CHECK_CONTAINS(end(), "      1.00 us 200.00x\n");
    CHECK_CONTAINS(end(), "      7.00 us  28.57x\n  {dGains do not add up");
    for (int k = 0; k < SIM_COST_COUNT; k++) costs[k].saves_us = 3.99;
    p = begin(100, false);
    show_what_if(&p, &r);
    CHECK_STR(end(), "  Leaving out any single cost saves at most 2% of the time.\n");
    /* Nothing but the whole: a copy of 100 us, a gap of 100, a kernel of 100. */
    grade_op ops[] = {{DEV_OP_H2D, 1, 0, 100, ""}, {DEV_OP_LAUNCH, 1, 200, 300, "k"}};
    r = (grade_result){.device = "sim:h200", .ops = ops, .op_count = 2, .op_total = 2};
    p = begin(100, false);
    show_what_if(&p, &r);
    want("  The run gave no figures of its launches.\n");
    want("  The call as a whole, 300.00 us from its first copy or kernel to its last:\n");
    want("  %-24s################........    200.00 us   1.50x\n", "copies free");
    want("  %-24s################........    200.00 us   1.50x\n", "copies beside kernels");
    want("  %-24s################........    200.00 us   1.50x\n", "no gaps between them");
    want("  Gains do not add up: without one cost, the next one shows.\n");
    check_drawn("what if, the whole");
}

/* ---- stalls ---- */

/* 100 us, 75 of them at line 3, 23 at line 2; a state or a line of two is worth a row. */
static void stalls(void) {
    sim_line lines[] = {{.file = "/src/k.cu", .line = 2},
                        {.file = "/src/k.cu", .line = 3},
                        {.file = NULL, .line = 9}};
    lines[0].stall_us[SIM_STALL_BARRIER] = 23;
    lines[1].stall_us[SIM_STALL_LONG_SCOREBOARD] = 60, lines[1].stall_us[SIM_STALL_SELECTED] = 13;
    lines[1].stall_us[SIM_STALL_WAIT] = 1, lines[1].stall_us[SIM_STALL_MEMBAR] = 1;
    lines[2].stall_us[SIM_STALL_IMC_MISS] = 2;
    grade_result r = {.lines = lines, .line_count = 3, .device = "sim:h200"};
    for (int width = 71; width <= 72; width++) {
        bool narrow = width < 72;
        static const struct {
            const char *title;
            int cells, narrow;
            double us;
        } states[] = {{"Long Scoreboard", 14, 7, 60}, /* 14.4, 7.2 */
                      {"Barrier", 6, 3, 23},          /* 5.52, 2.76 */
                      {"Selected", 3, 2, 13},         /* 3.12, 1.56 */
                      {"IMC Miss", 0, 0, 2}};         /* 0.48, 0.24 */
        show_place p = begin(width, false);
        show_stalls(&p, &r);
        want("  Where the 100.00 us went, by what warps did or waited for:\n");
        for (int k = 0; k < 4; k++) {
            want("  %-*s", narrow ? 20 : 24, states[k].title);
            want_many('#', narrow ? states[k].narrow : states[k].cells);
            want_many('.', narrow ? 12 - states[k].narrow : 24 - states[k].cells);
            want(" %6.1f%%\n", states[k].us);
        }
        want("  And at which lines:\n");
        want("    75.0%%  k.cu:3  %-*s\n           Long Scoreboard 80%%, Selected 17%%\n",
             narrow ? 30 : 50, "y[0] = 1;");
        want("    23.0%%  k.cu:2  %-*s\n           Barrier 100%%\n", narrow ? 30 : 50,
             "y[i] = 2 * x[i];");
        want("     2.0%%  PTX:9  \n           IMC Miss 100%%\n");
        want_said(width, "A wait is listed at the line that waits, not at the line that it waits "
                         "for. Selected is no wait: an instruction is issued.");
        check_drawn("stalls");
    }
    /* three states of a line, two where it is narrow; six lines, of equal ones those in front
     * first */
    sim_line many[8];
    for (unsigned i = 0; i < 8; i++) {
        many[i] = (sim_line){.file = "k.cu", .line = 10 + i};
        many[i].stall_us[SIM_STALL_WAIT] = 4, many[i].stall_us[SIM_STALL_BARRIER] = 3;
        many[i].stall_us[SIM_STALL_MEMBAR] = 2, many[i].stall_us[SIM_STALL_IMC_MISS] = 1;
    }
    many[7].stall_us[SIM_STALL_WAIT] = 5;
    r = (grade_result){.lines = many, .line_count = 8, .device = "sim:h200"};
    for (int width = 71; width <= 72; width++) {
        char place[20];
        show_place p = begin(width, false);
        show_stalls(&p, &r);
        const char *at = strstr(end(), "And at which lines");
        for (unsigned i = 0; i < 8; i++) {
            static const unsigned order[] = {17, 10, 11, 12, 13, 14};
            snprintf(place, sizeof place, "k.cu:%u ", i < 6 ? order[i] : i + 9);
            const char *next = at ? strstr(at, place) : NULL;
            CHECK((next != NULL) == (i < 6));
            if (next) at = next;
        }
        CHECK_CONTAINS(end(), width == 71 ? "\n           Wait 40%, Barrier 30%\n"
                                          : "\n           Wait 40%, Barrier 30%, Membar 20%\n");
    }
    r.line_count = 0;
    show_place p = begin(80, false);
    show_stalls(&p, &r);
    CHECK_STR(end(), "  There is nothing of this kind in the run.\n");
}

/* ---- timeline ---- */

/* 880 us in 88 cells of 10. */
static void timeline(void) {
    grade_op ops[] = {{DEV_OP_H2D, 1, 1000, 1300, ""},
                      {DEV_OP_LAUNCH, 1, 1300, 1500, "blur"},
                      {DEV_OP_LAUNCH, 2, 1400, 1700, "blur"},
                      {DEV_OP_D2D, 1, 1700, 1750.5, ""}, /* the last cell for its half */
                      {DEV_OP_LAUNCH, 1, 1750, 1800, "sharpen"},
                      {DEV_OP_D2H, 2, 1800, 1880, ""},
                      {DEV_OP_MEMSET, 1, 1880, 1880, ""}}; /* nothing, at the end */
    grade_result r = {.ops = ops, .op_count = 7, .op_total = 8, .device = "sim:h200"};
    static const struct {
        const char *label;
        struct {
            char c;
            int n;
        } runs[6];
        const char *busy;
    } rows[] = {{"copy in", {{'1', 30}, {'.', 58}}, "300"},
                {"copy out", {{'.', 80}, {'2', 8}}, "80"},
                {"on device", {{'.', 70}, {'1', 6}, {'.', 11}, {'1', 1}}, "50.5"},
                {"stream 1", {{'.', 30}, {'A', 20}, {'.', 25}, {'B', 5}, {'.', 8}}, "250"},
                {"stream 2", {{'.', 40}, {'A', 30}, {'.', 18}}, "300"}};
    for (int colour = 0; colour < 2; colour++) {
        show_place p = begin(112, colour);
        show_timeline(&p, &r);
        if (colour) want("{dus}         {d0}%43s{d440}%33s     {d880}{d  us busy}\n", "", "");
        else want("us         0%43s440%33s     880  us busy\n", "", "");
        for (size_t k = 0; k < 5; k++) {
            want("%-11s", rows[k].label);
            for (int i = 0; i < 6 && rows[k].runs[i].n; i++) {
                if (colour) want(rows[k].runs[i].c == '.' ? "{d" : k < 3 ? "{w" : "{g");
                want_many(rows[k].runs[i].c, rows[k].runs[i].n);
                if (colour) want("}");
            }
            want("%9s\n", rows[k].busy);
        }
        if (colour) {
            check_begins("timeline, in colour");
            continue;
        }
        want("  A: blur (2 x), 500 us\n  B: sharpen (1 x), 50 us\n");
        want_said(112, "A letter is a kernel, a digit in a copy's row the stream that copies (a: "
                       "10, b: 11 and so on). One cell is 10 us.");
        want("  The first 7 of 8 copies and kernels are drawn.\n");
        /* 300 + 200 + 300 + 50.5 + 50 + 80; without a pause; 10.2% */
        want_said(112, "Copies and kernels take 980.5 us in all; something runs for 880 us: 100.5 "
                       "us (10%) overlap. At most 2 kernels at a time.");
        check_drawn("timeline");
    }
}

static const char *row_of(const char *label) {
    static char row[200];
    const char *s = strstr(end(), label);
    snprintf(row, sizeof row, "%.*s", s ? (int)strcspn(s, "\n") : 0, s ? s : "");
    return row;
}

static void timeline_limits(void) {
    static const int widths[] = {75, 76, 111, 112}, cells[] = {36, 56, 56, 88};
    grade_op ops[60];
    /* its letters: 26 kernels have one, eight are named */
    for (unsigned i = 0; i < 28; i++) {
        ops[i] = (grade_op){DEV_OP_LAUNCH, 1, 10 * i, 10 * (i + 1), ""};
        snprintf(ops[i].kernel, sizeof ops[i].kernel, "k%u", i);
    }
    grade_result r = {.ops = ops, .op_count = 28, .op_total = 28, .device = "sim:h200"};
    show_place p = begin(80, false);
    show_timeline(&p, &r);
    CHECK_STR(row_of("stream 1"),
              "stream 1   AABBCCDDEEFFGGHHIIJJKKLLMMNNOOPPQQRRSSTTUUVVWWXXYYZZ????      280");
    CHECK_CONTAINS(end(), "  H: k7 (1 x), 10 us\n  A letter is a kernel");
    /* streams of copies: 9, a ... z, and + from 36 on */
    for (unsigned i = 0; i < 56; i++) ops[i] = (grade_op){DEV_OP_D2H, i + 1, i, i + 1, ""};
    r.op_count = r.op_total = 56;
    p = begin(80, false);
    show_timeline(&p, &r);
    CHECK_STR(row_of("copy out"),
              "copy out   123456789abcdefghijklmnopqrstuvwxyz+++++++++++++++++++++       56");
    CHECK_CONTAINS(end(), "At most 0 kernels");
    /* rows of sixteen streams; the streams of one that has none of its own are as they are */
    for (unsigned n = 16; n <= 18; n++) {
        for (unsigned i = 0; i < n; i++) ops[i] = (grade_op){DEV_OP_LAUNCH, 5 * i, 0, 1, "k"};
        r.op_count = r.op_total = n;
        p = begin(80, false);
        show_timeline(&p, &r);
        CHECK(strstr(end(), "stream 15 ") && !strstr(end(), "stream 16 "));
        CHECK((strstr(end(), "not drawn") != NULL) == (n > 16));
        if (n == 17) CHECK_CONTAINS(end(), "\n  1 more stream: not drawn.\n");
        if (n == 18) CHECK_CONTAINS(end(), "\n  2 more streams: not drawn.\n");
    }
    /* pages that come and go are copies; tenths of a microsecond on the axis, and of what is busy
     * below 100 */
    grade_op pages[] = {{DEV_OP_PAGES_IN, 0, 0, 1.26, ""}, {DEV_OP_PAGES_OUT, 0, 0, 1.26, ""}};
    r = (grade_result){.ops = pages, .op_count = 2, .op_total = 2, .device = "sim:h200"};
    for (int k = 0; k < 4; k++) {
        p = begin(widths[k], false);
        show_timeline(&p, &r);
        char want_row[200];
        snprintf(want_row, sizeof want_row, "us         %-*s%-*s%8s  us busy", cells[k] / 2, "0",
                 cells[k] / 2 - 8, "0.6", "1.3");
        CHECK_STR(row_of("us "), want_row);
        wanted_n = 0;
        want("copy in    ");
        want_many('0', cells[k]);
        want("     1.26");
        CHECK_STR(row_of("copy in"), wanted);
        wanted[6] = 'o', wanted[5] = 'o';
        CHECK(strlen(row_of("copy out")) == strlen(wanted));
    }
    pages[0].end_us = pages[1].end_us = 1.36; /* to the nearest tenth: its half is 0.68 */
    p = begin(80, false);
    show_timeline(&p, &r);
    CHECK_STR(row_of("us "),
              "us         0                           0.7                      1.4  us busy");
    wanted_n = 0;
    pages[0].end_us = pages[1].end_us =
        99.96; /* shown as it is, and from 100 on in whole numbers */
    p = begin(80, false);
    show_timeline(&p, &r);
    CHECK_CONTAINS(row_of("copy in"), "    99.96");
    pages[0].end_us = 100.4;
    p = begin(80, false);
    show_timeline(&p, &r);
    CHECK_CONTAINS(row_of("copy in"), "      100");
    /* 100.4 + 99.96, of which 99.96 at the same time: 49.9% */
    CHECK_CONTAINS(end(), "take 200.4 us in all; something runs for 100.4 us:");
    /* what ends as another begins is not at the same time, in whatever order the two were given */
    grade_op after[] = {{DEV_OP_LAUNCH, 2, 10, 20, "b"}, {DEV_OP_LAUNCH, 1, 0, 10, "a"}};
    r = (grade_result){.ops = after, .op_count = 2, .op_total = 2, .device = "sim:h200"};
    for (int k = 0; k < 2; k++) {
        p = begin(200, false);
        show_timeline(&p, &r);
        CHECK_CONTAINS(end(), "take 20 us in all; something runs for 20 us: 0 us (0%) overlap. At "
                              "most 1 kernel at a time.");
        grade_op first = after[0];
        after[0] = after[1], after[1] = first;
    }
    /* one alone: the axis is its own, from its start to its end */
    grade_op alone[] = {{DEV_OP_H2D, 1, 30, 40, ""}};
    r = (grade_result){.ops = alone, .op_count = 1, .op_total = 1, .device = "sim:h200"};
    p = begin(80, false);
    show_timeline(&p, &r);
    CHECK_STR(row_of("us "),
              "us         0                           5                         10  us busy");
    wanted_n = 0;
    want("copy in    ");
    want_many('1', 56);
    want("%9s", "10");
    CHECK_STR(row_of("copy in"), wanted);
    wanted_n = 0;
    /* what took no time at all: in the first cell, and no part of anything overlaps */
    grade_op none[] = {{DEV_OP_MEMSET, 1, 5, 5, ""}, {DEV_OP_LAUNCH, 1, 5, 5, "k"}};
    r = (grade_result){.ops = none, .op_count = 2, .op_total = 2, .device = "sim:h200"};
    p = begin(120, false);
    show_timeline(&p, &r);
    CHECK_CONTAINS(row_of("on device"), "on device  1......");
    CHECK_CONTAINS(row_of("stream 1"), "stream 1   A......");
    CHECK_CONTAINS(end(), "take 0 us in all; something runs for 0 us: 0 us (0%) overlap.");
    r.op_count = 0;
    p = begin(80, false);
    show_timeline(&p, &r);
    CHECK_STR(end(), "  The call gave the device nothing to do.\n");
}

/* ---- calculator ---- */

/* The usual counts, with the launch's own where it belongs; as good as sim_occupancy_get() says:
 * good from 75% on, a warning from 40, "-" where it does not fit. */
static void calculator(void) {
    static const unsigned usual_blocks[] = {32, 64, 128, 192, 256, 384, 512, 768, 1024},
                          usual_counts[] = {16, 24, 32, 40, 48, 64, 80, 96, 128, 168, 255};
    static const struct {
        unsigned block, registers;
        uint64_t shared;
    } own[] = {{256, 64, 0}, {16, 8, 4096}, {1000, 36, 8192}, {2048, 300, 0}, {33, 255, 0}};
    const sim_profile *f = sim_profile_find("h200");
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        for (int near = 0; near < 2; near++) {
            unsigned blocks[10], counts[12], nb = 0, nc = 0;
            for (int i = 0; i < 9; i++) {
                if (own[k].block < usual_blocks[i] && (!i || own[k].block > usual_blocks[i - 1]))
                    blocks[nb++] = own[k].block;
                blocks[nb++] = usual_blocks[i];
            }
            if (own[k].block > 1024) blocks[nb++] = own[k].block;
            for (int i = 0; i < 11; i++) {
                if (own[k].registers < usual_counts[i] &&
                    (!i || own[k].registers > usual_counts[i - 1]))
                    counts[nc++] = own[k].registers;
                counts[nc++] = usual_counts[i];
            }
            if (own[k].registers > 255) counts[nc++] = own[k].registers;
            show_place p = begin(near ? 71 : 100, true);
            show_calculator(&p, "sim:h200", own[k].block, own[k].registers, own[k].shared);
            unsigned long long shared = own[k].shared;
            if (shared < 1000)
                want("  {ssim:h200: occupancy in per cent, %llu bytes of shared memory a block}\n",
                     shared);
            else
                want("  {ssim:h200: occupancy in per cent, %llu,%03llu bytes of shared memory "
                     "a%sblock}\n",
                     shared / 1000, shared % 1000, near ? "}\n  {s" : " ");
            want("{d  registers} {dthreads per block}\n{d%*s}", near ? 8 : 12, " ");
            for (unsigned c = 0; c < nb; c++) want("{d%*u }", near ? 4 : 5, blocks[c]);
            want("\n");
            for (unsigned n = 0; n < nc; n++) {
                want(near ? "{d%6u  }" : "{d%9u   }", counts[n]);
                for (unsigned c = 0; c < nb; c++) {
                    sim_occupancy o = {0};
                    char cell[16] = "-", style = 'd';
                    bool mine = counts[n] == own[k].registers && blocks[c] == own[k].block;
                    if (sim_occupancy_get(f, blocks[c], counts[n], own[k].shared, 0, &o) ==
                            SIM_OK &&
                        o.blocks) {
                        snprintf(cell, sizeof cell, "%.0f", o.pct);
                        style = o.pct >= 75 ? 'g' : o.pct >= 40 ? 'w' : 'b';
                    }
                    want("{s%s}{%c%*s}{s%s}", mine ? "[" : " ", style, near ? 3 : 4, cell,
                         mine ? "]" : " ");
                }
                want("\n");
            }
            check_begins("calculator");
        }
    /* The limits, by the rules of the hardware: 4 blocks of 256 threads have 65536 registers at 64
     * a thread; 32 blocks of a warp; 2 blocks of 1024 threads; 2 of 96 KB. */
    static const struct {
        unsigned block, registers;
        uint64_t shared;
        const char *text;
    } rows[] = {
        {256, 64, 0, "256 threads, 64 registers: 4 blocks resident, 50%; the limit: registers."},
        {32, 16, 0, "32 threads, 16 registers: 32 blocks resident, 50%; the limit: block slots."},
        {1, 16, 0, "1 thread, 16 registers: 32 blocks resident, 50%; the limit: block slots."},
        {1024, 32, 0,
         "1,024 threads, 32 registers: 2 blocks resident, 100%; the limit: warp slots."},
        {256, 32, 98304,
         "256 threads, 32 registers: 2 blocks resident, 25%; the limit: shared memory."}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char said[200];
        show_place p = begin(100, false);
        show_calculator(&p, "sim:h200", rows[k].block, rows[k].registers, rows[k].shared);
        snprintf(said, sizeof said, "\n  [ ] this launch: %s\n  -: such a block does not fit.\n",
                 rows[k].text);
        CHECK_CONTAINS(end(), said);
    }
    show_place p = begin(100, false);
    show_calculator(&p, "sim:h200", 1024, 128, 5);
    CHECK_CONTAINS(end(),
                   "\n  A block of 1,024 threads with 128 registers and 5 bytes does not fit "
                   "on sim:h200.\n  -: such a block does not fit.\n");
    static const struct {
        const char *device;
        unsigned block, registers;
    } none[] = {{"sim:none-such", 32, 32}, {"sim:h200", 0, 32}, {"sim:h200", 32, 0}};
    for (int k = 0; k < 3; k++) {
        p = begin(100, false);
        show_calculator(&p, none[k].device, none[k].block, none[k].registers, 0);
        CHECK_STR(end(), "");
    }
}

/* ---- counters ---- */

/* Names as wide as the longest, at least 20; two numbers of 13 columns, a ratio of 9, the unit
 * where there is room for the longest ("conflicts/request", 17). 32 names: 2 + 32 + 26 + 9 + 2 + 17
 * = 88 columns; closer together 2 + 32 + 22 + 8 + 2 + 17 = 83; below 72 columns names of 28, and
 * fewer by what they stand over, down to 20. */
static void counters(void) {
    static const show_row rows[] = {{"gld_sectors_per_request", 1000, 4000, true, true},
                                    {"shared_ld_conflicts_per_request", 3, 0, true, true},
                                    {"gst_sectors_per_request", 0, 5, false, true},
                                    {"shared_st_conflicts_per_request", 2.5, 0, true, false}};
    static const struct {
        int width, names, number, ratio;
        bool units;
    } at[] = {{88, 32, 13, 9, true},  {87, 32, 11, 8, true},  {83, 32, 11, 8, true},
              {82, 32, 13, 9, false}, {72, 32, 13, 9, false}, {71, 28, 11, 8, false},
              {60, 28, 11, 8, false}, {59, 27, 11, 8, false}, {53, 21, 11, 8, false},
              {52, 28, 11, 8, false}};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        show_place p = begin(at[k].width, false);
        show_counters(&p, rows, 4, (const char *const[]){"mine", "baseline"}, false);
        want("  %-*s%*s%*s%*s%s\n", at[k].names, "counter", at[k].number, "mine", at[k].number,
             "baseline", at[k].ratio, "ratio", at[k].units ? "  unit" : "");
        static const char *const cells[4][4] = {{"1,000", "4,000", "0.25", "sectors/request"},
                                                {"3", "0", "", "conflicts/request"},
                                                {"-", "5", "", "sectors/request"},
                                                {"2.5", "-", "", "conflicts/request"}};
        for (int i = 0; i < 4; i++) {
            char name[40];
            snprintf(name, sizeof name, "%s", rows[i].name);
            if ((int)strlen(name) > at[k].names) strcpy(name + at[k].names - 2, "..");
            want("  %-*s%*s%*s%*s%s%s\n", at[k].names, name, at[k].number, cells[i][0],
                 at[k].number, cells[i][1], at[k].ratio, cells[i][2], at[k].units ? "  " : "",
                 at[k].units ? cells[i][3] : "");
        }
        check_drawn("counters");
    }
    /* one column; the meaning below */
    show_place p = begin(80, false);
    show_counters(&p, rows, 1, (const char *const[]){"mine", NULL}, true);
    want("  %-24s%13s  unit\n  %-24s%13s  sectors/request\n    sectors per request of global "
         "loads: if each lane loads 4 bytes, 4 is ideal\n    and 32 is the worst\n",
         "counter", "mine", "gld_sectors_per_request", "1,000");
    check_drawn("counters, one column");
    /* a long head needs more than ten columns, thirteen at most; short names have 20 and a blank */
    static const show_row of_one[] = {{"kernel_us", 1, 1, true, true}};
    static const struct {
        const char *head;
        int number;
    } heads[] = {
        {"0123456789", 11}, {"0123456789a", 12}, {"0123456789ab", 13}, {"0123456789abc", 13}};
    for (int k = 0; k < 4; k++)
        for (int which = 0; which < 2; which++) {
            p = begin(63, false); /* 2 + 21 + 26 + 8 + 2 + 4 */
            show_counters(
                &p, of_one, 1,
                (const char *const[]){which ? "x" : heads[k].head, which ? heads[k].head : "x"},
                false);
            want("  %-21s%*.13s%*.13s%8s  unit\n  %-21s%*s%*s%8s  us\n", "counter", heads[k].number,
                 which ? "x" : heads[k].head, heads[k].number, which ? heads[k].head : "x", "ratio",
                 "kernel_us", heads[k].number, "1", heads[k].number, "1", "1");
            check_drawn("counters, long heads");
        }
}

/* ---- models ---- */

/* A cell a lane up to 64 of them (32 where it is narrow), else 2, 8 or 32 lanes: all work, some,
 * none. The first row works in lanes 0 to 31, the second in lane 0 and the last. */
static void rounds(void) {
    static const struct {
        int width;
        unsigned lanes;
        const char *first, *second;
    } rows[] = {
        {72, 1, "#  1 of 1 warp", "#  1 of 1 warp"},
        {72, 32, "################################  1 of 1 warp",
         "#..............................#  1 of 1 warp"},
        {72, 33, "################################|.  1 of 2 warps",
         "#...............................|#  2 of 2 warps"},
        {72, 48, "################################|................  1 of 2 warps",
         "#...............................|...............#  2 of 2 warps"},
        {72, 49, "################################|................. 1/2",
         "#...............................|................# 2/2"},
        {72, 64, "################################|................................ 1/2",
         "#...............................|...............................# 2/2"},
        {72, 65, "####|....|.  1 of 3 warps", "+...|....|#  2 of 3 warps"},
        {72, 256, "####|....|....|....|....|....|....|....  1 of 8 warps",
         "+...|....|....|....|....|....|....|...+  2 of 8 warps"},
        {72, 257, "#........  1 of 9 warps", "+.......#  2 of 9 warps"},
        {72, 1024, "#...............................  1 of 32 warps",
         "+..............................+  2 of 32 warps"},
        {71, 32, "################################  1 of 1 warp",
         "#..............................#  1 of 1 warp"},
        {71, 33, "################|. 1/2", "+...............|# 2/2"},
        {71, 64, "################|................ 1/2", "+...............|...............+ 2/2"},
        {71, 65, "####|....|. 1/3", "+...|....|# 2/3"}};
    static bool works[2 * 1024];
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        unsigned lanes = rows[k].lanes;
        memset(works, 0, sizeof works);
        for (unsigned i = 0; i < 32 && i < lanes; i++) works[i] = true;
        works[lanes] = works[2 * lanes - 1] = true;
        show_place p = begin(rows[k].width, false);
        show_rounds(&p, works, lanes, 2);
        want("round 1  %s\nround 2  %s\n  [#] works, + works in part, . is idle; | separates the "
             "warps.\n",
             rows[k].first, rows[k].second);
        check_drawn("rounds");
    }
    memset(works, 0, sizeof works);
    works[8] = true; /* the first lane of the second cell */
    show_place p = begin(72, false);
    show_rounds(&p, works, 65, 1);
    CHECK_CONTAINS(end(), "round 1  .+..|....|.  1 of 3 warps\n");
}

/* Sixteen lanes in three sectors: eight words of the first, one word of the second that two lanes
 * read, three of the third. */
static void lanes_and_banks(void) {
    double address[40];
    for (int i = 0; i < 40; i++) address[i] = -1;
    for (int i = 0; i < 8; i++) address[i] = 4 * i;
    address[8] = address[9] = 4096 + 28;
    for (int i = 12; i < 15; i++) address[i] = 64 + 4 * (i - 11);
    show_place p = begin(80, true);
    show_lanes(&p, address, 16);
    want("  {dlane}    {d0}       {d8}       \n  {dsector}  {sAAAAAAAABB..CCC.}\n\n");
    want("  A[{g########}] B[{w.......#}] C[{w.###....}]\n\n");
    want("  {s13 lanes, 3 sectors: 96 bytes moved, 48 bytes used (50%%).}\n");
    check_begins("models, in colour");
    /* letters: 26 large ones, then small ones; a line of six */
    for (int i = 0; i < 40; i++) address[i] = 32 * i;
    p = begin(80, false);
    show_lanes(&p, address, 40); /* of a warp, which has 32 */
    CHECK_CONTAINS(end(), "  sector  ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef\n\n  A[#.......] B[#.......] "
                          "C[#.......] D[#.......] E[#.......] F[#.......]\n  G[");
    CHECK_CONTAINS(end(),
                   "\n  e[#.......] f[#.......]\n\n  32 lanes, 32 sectors: 1,024 bytes moved, "
                   "128 bytes used (12%).\n");
    p = begin(80, false);
    for (int i = 0; i < 40; i++) address[i] = -1;
    show_lanes(&p, address, 8);
    CHECK_CONTAINS(end(),
                   "  sector  ........\n\n\n  0 lanes, 0 sectors: 0 bytes moved, 0 bytes used "
                   "(0%).\n");
    p = begin(80, false);
    address[0] = 0;
    show_lanes(&p, address, 1);
    CHECK_CONTAINS(end(),
                   "  A[#.......]\n\n  1 lane, 1 sector: 32 bytes moved, 4 bytes used (12%).\n");

    /* how many sectors a line has, and what is said below */
    static const int widths[] = {71, 72, 111, 112}, across[] = {4, 6, 6, 8};
    for (int i = 0; i < 9; i++) address[i] = 32 * i;
    for (int k = 0; k < 4; k++) {
        p = begin(widths[k], false);
        show_lanes(&p, address, 9);
        want("  lane    0       8       \n  sector  ABCDEFGHI\n\n");
        for (int i = 0; i < 9; i++)
            want("%s%c[#.......]%s", i % across[k] ? " " : "  ", 'A' + i,
                 i == 8 || i % across[k] == across[k] - 1 ? "\n" : "");
        want("\n");
        want_said(widths[k], "9 lanes, 9 sectors: 288 bytes moved, 36 bytes used (12%).");
        want_said(widths[k],
                  "Each letter is a sector of 32 bytes; in the brackets [#] is a 4-byte word "
                  "that a lane reads or writes.");
        check_drawn("lanes and their sectors");
    }
    for (int i = 0; i < 9; i++) address[i] = i == 3 ? -1 : i == 8 ? 4 * 31 : 4 * (i + 32);
    p = begin(80, false);
    show_bankmap(&p, address, 9);
    want("  lane    0       8       \n  bank    012.4567V\n\n"
         "  bank    0123456789ABCDEFGHIJKLMNOPQRSTUV\n"
         "  words   111.1111.......................1\n");
    want_said(80, "The fullest bank has 1 different word: 1 pass.");
    want_said(80,
              "Above: the bank of each lane's word, 0 to V. Below: how many different words lie "
              "in each bank; each takes a pass of its own.");
    check_drawn("lanes and their banks");

    /* Of the banks with most words the first three are told; lanes that read one word share its
     * pass. */
    for (int i = 0; i < 40; i++) address[i] = 4 * (i % 8 + 32 * (i / 8 % 2));
    p = begin(80, true);
    show_bankmap(&p, address, 40);
    want("  {dlane}    {d0}       {d8}       {d16}      {d24}      \n");
    want("  {dbank}    {s01234567012345670123456701234567}\n\n");
    want("{s  }{dbank}    {d0123456789ABCDEFGHIJKLMNOPQRSTUV}\n{d  words}   ");
    for (int i = 0; i < 8; i++) want("{b2}");
    for (int i = 8; i < 32; i++) want("{d.}");
    want("\n  bank 0: lanes 0 8 16 24\n  bank 1: lanes 1 9 17 25\n  bank 2: lanes 2 10 18 26\n");
    want("  {sThe fullest bank has 2 different words: 2 passes.}\n");
    check_begins("models, in colour");
    p = begin(80, true);
    for (int i = 0; i < 32; i++) address[i] = 4 * i + 3; /* anywhere in the word */
    show_bankmap(&p, address, 32);
    CHECK_CONTAINS(end(), "{g11111111111111111111111111111111}\n  {sThe fullest bank has 1 "
                          "different word: 1 pass.}\n");
}

int main(void) {
    sectors();
    banks_and_lanes();
    colours_of_lines();
    which_lines();
    occupancy();
    roofline();
    what_if();
    stalls();
    timeline();
    timeline_limits();
    calculator();
    counters();
    rounds();
    lanes_and_banks();
    if (stream) fclose(stream);
    free(shown);
    return check_done();
}
