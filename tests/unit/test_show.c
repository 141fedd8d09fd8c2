/* Pictures: what they say, that they fit 80 columns in both languages, and that colour adds nothing
 * but escapes. Expected values are worked out by hand from the hardware's rules (32-byte sectors,
 * 32 banks), not copied from output. */
#include <math.h>
#include <stdlib.h>
#include "tests/check.h"
#include "runner/grade/pictures.h"
#include "runner/grade/svg.h"
#include "runner/device/sim/profile.h"
#include "grader/result.h"

static char *shown;
static size_t shown_len;
static FILE *stream;

static show_place begin(text_out *o, lib_lang lang) {
    if (stream) fclose(stream);
    free(shown);
    shown = NULL;
    stream = open_memstream(&shown, &shown_len);
    *o = (text_out){.to = stream, .width = 80};
    return (show_place){.out = o,
                        .lang = lang,
                        .source = "line one\n    if (i < n) y[i] = a * "
                                  "x[i];\n中文注释：这一行很长很长很长很长很长很长很长很长很长\n",
                        .file = "k.cu"};
}
static const char *end(void) {
    fflush(stream);
    for (const char *s = shown; *s; s += strcspn(s, "\n") + (s[strcspn(s, "\n")] == '\n'))
        if (text_width_n(s, strcspn(s, "\n")) > 80) {
            printf("not ok too wide: %.*s\n", (int)strcspn(s, "\n"), s);
            check_failures++;
        }
    return shown;
}

static void numbers(void) {
    char b[32];
    CHECK_STR(show_number(b, 1234567), "1,234,567");
    CHECK_STR(show_number(b, 999), "999");
    CHECK_STR(show_number(b, -1000), "-1,000");
    CHECK_STR(show_number(b, 3.14159), "3.142");
    CHECK_STR(show_number(b, 0), "0");
}

static void models(lib_lang lang) {
    text_out o;
    show_place p = begin(&o, lang);
    double address[32];
    for (int i = 0; i < 32; i++) address[i] = 4 * i;
    show_lanes(&p, address, 32);
    CHECK_CONTAINS(end(), "AAAAAAAABBBBBBBBCCCCCCCCDDDDDDDD");
    CHECK_CONTAINS(shown, "A[########] B[########] C[########] D[########]");
    CHECK_CONTAINS(shown, lang ? "32 个 lane，4 个扇区：搬运 128 字节，用到 128 字节（100%）"
                               : "32 lanes, 4 sectors: 128 bytes moved, 128 bytes used (100%)");

    p = begin(&o, lang);
    for (int i = 0; i < 32; i++) address[i] = 64 * i; /* every lane a sector of its own */
    show_lanes(&p, address, 32);
    CHECK_CONTAINS(end(), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef");
    CHECK_CONTAINS(shown, "f[#.......]");
    CHECK_CONTAINS(shown, "1,024");

    p = begin(&o, lang);
    for (int i = 0; i < 32; i++)
        address[i] = i < 11 ? 4 * (992 + i)
                            : -1; /* the last warp of 1003 elements: 44 bytes in two sectors */
    show_lanes(&p, address, 32);
    CHECK_CONTAINS(end(), "AAAAAAAABBB.....................");
    CHECK_CONTAINS(shown, "B[###.....]");

    /* Banks: a stride of 2 words puts two lanes on each of 16 banks; all on one word is a
     * broadcast. */
    p = begin(&o, lang);
    for (int i = 0; i < 32; i++) address[i] = 8 * i;
    show_bankmap(&p, address, 32);
    CHECK_CONTAINS(end(), "02468ACEGIKMOQSU02468ACEGIKMOQSU");
    CHECK_CONTAINS(shown, "2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.");
    p = begin(&o, lang);
    for (int i = 0; i < 32; i++) address[i] = 128;
    show_bankmap(&p, address, 32);
    CHECK_CONTAINS(end(), "1...............................");

    bool works[2 * 64];
    for (int r = 0; r < 2; r++)
        for (int t = 0; t < 64; t++) works[r * 64 + t] = r ? t < 16 : t % 2 == 0;
    p = begin(&o, lang);
    show_rounds(&p, works, 64, 2);
    CHECK_CONTAINS(end(), "#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.|#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#. 2/2");
    CHECK_CONTAINS(shown, "################................|................................ 1/2");
    CHECK_CONTAINS(shown, lang ? "第 2 轮" : "round 2");
}

static void measured(lib_lang lang) {
    text_out o;
    show_place p = begin(&o, lang);
    /* 1000 requests: loads scattered (32 sectors, 4 bytes of each), stores side by side; the line
     * ran twice, in two launches. */
    sim_line lines[3] = {{.file = "/src/k.cu", .line = 2},
                         {.file = "/src/k.cu", .line = 2},
                         {.file = "/usr/include/other.h", .line = 3}};
    for (int i = 0; i < 2; i++)
        lines[i].counters = (sim_counters){.warp_inst = 1000,
                                           .thread_inst = 16000,
                                           .divergent_branches = 20,
                                           .branches = 100,
                                           .gld_requests = 500,
                                           .gld_sectors = 16000,
                                           .gld_bytes = 64000,
                                           .gst_requests = 500,
                                           .gst_sectors = 2000,
                                           .gst_bytes = 64000,
                                           .shared_ld_requests = 10,
                                           .shared_ld_wavefronts = 80};
    lines[2].counters =
        (sim_counters){.warp_inst = 7, .thread_inst = 7, .gld_requests = 7, .gld_sectors = 7};
    grade_result r = {.lines = lines, .line_count = 3, .device = "sim:h200", .time_us = 100};
    show_sectors(&p, &r);
    CHECK_CONTAINS(end(), "[--------------------------------]  32.0     12%");
    CHECK_CONTAINS(shown, "[####                            ]   4.0    100%");
    CHECK_CONTAINS(shown, "if (i < n)");
    CHECK(!strstr(shown, "    3 ")); /* a header's line is not the student's */

    p = begin(&o, lang);
    show_divergence(&p, &r);
    CHECK_CONTAINS(end(), "    2       2,000        40  [########        ] 16.0");
    p = begin(&o, lang);
    show_banks(&p, &r);
    CHECK_CONTAINS(end(), "[########                        ]   8.0");

    p = begin(&o, lang);
    show_row rows[2] = {
        {.name = "gld_sectors", .mine = 1000, .beside = 4000, .has_mine = true, .has_beside = true},
        {.name = "gld_sectors_per_request", .mine = 4, .has_mine = true}};
    show_counters(&p, rows, 2, (const char *const[]){"mine", "base"}, true);
    CHECK_CONTAINS(end(), "0.25");
    CHECK_CONTAINS(shown, "1,000");

    p = begin(&o, lang);
    grade_launch l = {.kernel = "k",
                      .grid = {1, 1, 1},
                      .block = {256, 1, 1},
                      .registers = 32,
                      .shared = 0,
                      .occupancy = {.blocks = 8,
                                    .warps = 64,
                                    .pct = 100,
                                    .by_blocks = 32,
                                    .by_warps = 8,
                                    .by_registers = 8,
                                    .by_shared = 1000,
                                    .limiter = "warps"},
                      .achieved_occupancy_pct = 90};
    r.launches = &l;
    r.launch_count = 1;
    show_occupancy(&p, &r);
    CHECK_CONTAINS(end(), "[########                        ]   8  <-");
    CHECK_CONTAINS(shown, "100%");

    /* 2 Gflop and 1 GB in 1 ms: 2 operations per byte at 2000 GFLOP/s. */
    p = begin(&o, lang);
    r.counters = (sim_counters){.flop_sp = 2000000000, .dram_read = 1000000000};
    r.time_us = 1000;
    show_roofline(&p, &r);
    CHECK_CONTAINS(end(), "*");
    CHECK_CONTAINS(shown, "2,000 GFLOP/s");
    CHECK_CONTAINS(shown, lang ? "显存带宽" : "memory bandwidth");
    /* Below 100 as it is, from there on in whole numbers: floating-point operations of 1 ms over
     * 1e6; above it 2 operations a byte at the bandwidth of the device. */
    static const struct {
        double gflops;
        const char *text;
    } speeds[] = {{99.96, "99.96"}, {100, "100"},      {100.4, "100"},
                  {100.6, "101"},   {1234.5, "1,235"}, {3.25, "3.25"}};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
        p = begin(&o, lang);
        r.counters.flop_sp = (uint64_t)(speeds[k].gflops * 1e6 / 4);
        r.counters.flop_dp = 3 * r.counters.flop_sp;
        r.counters.dram_read = (uint64_t)(speeds[k].gflops * 1e6 / 8);
        r.counters.dram_write = 3 * r.counters.dram_read;
        show_roofline(&p, &r);
        char says[60];
        snprintf(says, sizeof says, "%s%s GFLOP/s%s", lang ? "，" : ", ", speeds[k].text,
                 lang ? "；" : "; its");
        CHECK_CONTAINS(end(), says);
    }
    p = begin(&o, lang);
    r.counters.flop_sp = r.counters.flop_dp = 0;
    show_roofline(&p, &r);
    CHECK(!strchr(end(), '*'));
    r.counters.dram_write = 0;

    p = begin(&o, lang);
    r.line_count = 0;
    show_sectors(&p, &r);
    CHECK(strlen(end()) > 10);
}

/* The row of a picture that begins with `label`; "" when there is none. */
static const char *row(const char *label) {
    static char line[200];
    line[0] = 0;
    for (const char *s = shown; *s; s += strcspn(s, "\n") + (s[strcspn(s, "\n")] == '\n'))
        if (!strncmp(s, label, strlen(label)))
            snprintf(line, sizeof line, "%.*s", (int)strcspn(s, "\n"), s);
    return line;
}

/* Two streams: each copies in for 140 us, computes for 140 us, copies out for 140 us, the second
 * one a copy later. 560 us, so a cell is 10 us: three thirds of 14 cells, and one of rest. */
static void timeline(lib_lang lang) {
    text_out o;
    show_place p = begin(&o, lang);
    grade_op ops[] = {
        {DEV_OP_H2D, 1, 1000, 1140, ""},        {DEV_OP_H2D, 2, 1140, 1280, ""},
        {DEV_OP_LAUNCH, 1, 1140, 1280, "blur"}, {DEV_OP_LAUNCH, 2, 1280, 1420, "sharpen"},
        {DEV_OP_D2H, 1, 1280, 1420, ""},        {DEV_OP_D2H, 2, 1420, 1560, ""},
    };
    grade_result r = {.ops = ops, .op_count = 6, .op_total = 6, .device = "sim:h200"};
    show_timeline(&p, &r);
    end();
    CHECK_CONTAINS(row(lang ? "拷入" : "copy in"),
                   " 1111111111111122222222222222............................      280");
    CHECK_CONTAINS(row(lang ? "拷出" : "copy out"),
                   " ............................1111111111111122222222222222      280");
    CHECK_CONTAINS(row(lang ? "流 1" : "stream 1"),
                   " ..............AAAAAAAAAAAAAA............................      140");
    CHECK_CONTAINS(row(lang ? "流 2" : "stream 2"),
                   " ............................BBBBBBBBBBBBBB..............      140");
    CHECK_CONTAINS(shown, lang ? "A：blur" : "A: blur");
    CHECK_CONTAINS(shown, lang ? "B：sharpen" : "B: sharpen");
    /* 6 x 140 = 840 us of work in 560 us: 280 us, a third, overlap. */
    CHECK_CONTAINS(shown, lang ? "合计 840 微秒" : "take 840 us in all");
    CHECK_CONTAINS(shown, lang ? "（33%）" : "(33%)");
    CHECK_CONTAINS(shown, lang ? "最多 1 个" : "most 1 kernel at a time");

    /* Twenty streams at once: sixteen rows, the rest is counted. A single instant is seen. */
    grade_op many[21];
    for (unsigned i = 0; i < 20; i++) many[i] = (grade_op){DEV_OP_LAUNCH, i, 0, 100, "k"};
    many[20] = (grade_op){DEV_OP_MEMSET, 12, 99.999, 100, ""};
    r = (grade_result){.ops = many, .op_count = 21, .op_total = 5000, .device = "sim:h200"};
    p = begin(&o, lang);
    show_timeline(&p, &r);
    end();
    CHECK(row(lang ? "流 15" : "stream 15")[0] && !row(lang ? "流 16" : "stream 16")[0]);
    CHECK_CONTAINS(shown, lang ? "还有 4 个流" : "4 more streams");
    CHECK_CONTAINS(shown, lang ? "最多 20 个" : "most 20 kernels");
    CHECK_CONTAINS(row(lang ? "设备内" : "on device"), ".......c"); /* 12, counted as in base 36 */
    CHECK_CONTAINS(shown, lang ? "前 21 次" : "first 21 of 5,000");

    /* What the program made before does not count: the call's first stream is 1. */
    grade_op late[] = {{DEV_OP_H2D, 40, 0, 100, ""},
                       {DEV_OP_LAUNCH, 18, 0, 100, "k"},
                       {DEV_OP_LAUNCH, 0, 0, 100, "k"}};
    r = (grade_result){.ops = late, .op_count = 3, .op_total = 3, .device = "sim:h200"};
    p = begin(&o, lang);
    show_timeline(&p, &r);
    end();
    CHECK_CONTAINS(row(lang ? "拷入" : "copy in"), "2222");
    CHECK(row(lang ? "流 0" : "stream 0")[0] && row(lang ? "流 1" : "stream 1")[0]);
    CHECK(!row(lang ? "流 2" : "stream 2")[0] && !row(lang ? "流 18" : "stream 18")[0]);
    CHECK(late[0].stream == 40);

    /* From the first beginning to the last end, whoever comes first in the log: 300 us. */
    grade_op two[] = {{DEV_OP_LAUNCH, 1, 100, 200, "k"}, {DEV_OP_LAUNCH, 2, 0, 300, "k"}};
    r = (grade_result){.ops = two, .op_count = 2, .op_total = 2, .device = "sim:h200"};
    p = begin(&o, lang);
    show_timeline(&p, &r);
    end();
    CHECK_CONTAINS(row("us"), " 150 ");
    CHECK_CONTAINS(row("us"), " 300 ");

    r.op_count = 0;
    p = begin(&o, lang);
    show_timeline(&p, &r);
    CHECK(strlen(end()) > 10);
    CHECK(!strchr(shown, 'A'));
}

/* An H200's multiprocessor: 2048 threads, 32 blocks, 65536 registers, 228 KB of shared memory. 64
 * registers: 65536 / (64 * 256) = 4 blocks of 8 warps, half of 64. 32 threads a block: 32 blocks,
 * half of the warps at any count of registers that lets them; 192: 10 blocks, 60 of 64 warps. */
static void calculator(lib_lang lang) {
    text_out o;
    show_place p = begin(&o, lang);
    show_calculator(&p, "sim:h200", 256, 64, 0);
    end();
    CHECK_CONTAINS(row("       64"), "[  50]");
    CHECK_CONTAINS(row("       32"), "   50   100   100    94   100    94   100    75   100");
    CHECK_CONTAINS(row("      255"), "   -");
    CHECK_CONTAINS(shown, lang ? "驻留 4 个块，50%" : "4 blocks resident, 50%");
    /* 96 KB a block: two fit into 228 KB. A count that is not on the axis gets a row of its own. */
    p = begin(&o, lang);
    show_calculator(&p, "sim:h200", 1000, 36, 96 << 10);
    end();
    CHECK_CONTAINS(row("       36"), "[");
    CHECK_CONTAINS(shown, " 1000 ");
    /* 200 KB a block: one fits. */
    p = begin(&o, lang);
    show_calculator(&p, "sim:h200", 256, 32, 200 << 10);
    end();
    CHECK_CONTAINS(shown, lang ? "驻留 1 个块，" : ": 1 block resident, ");
    /* A G80 has no block of 1024 threads. */
    p = begin(&o, lang);
    show_calculator(&p, "sim:g80", 256, 10, 0);
    end();
    CHECK(!strstr(shown, " 1024 "));
    p = begin(&o, lang);
    show_calculator(&p, "sim:h200", 1024, 128, 0);
    end();
    CHECK_CONTAINS(shown, lang ? "每块 1,024 个线程、每线程" : "does not fit");
}

/* ---- cell by cell ---- */

static void expect_row(const char *text) {
    char line[220];
    snprintf(line, sizeof line, "%s\n", text);
    CHECK_CONTAINS(shown, line);
}
static const char *cells(char c, int n, int of) {
    static char s[80];
    memset(s, ' ', sizeof s);
    memset(s, c, (size_t)n);
    s[of] = 0;
    return s;
}

/* Bars are rounded to cells, at least one and at most all of them; what is used of the sectors is
 * #, + or - from three quarters and above one. */
static void bars(void) {
    static const struct {
        unsigned requests, sectors, bytes;
        char c;
        int n;
        const char *per, *used;
    } rows[] = {{4, 10, 240, '#', 3, "  2.5", "   75"},     {4, 10, 239, '+', 3, "  2.5", "   75"},
                {4, 10, 81, '+', 3, "  2.5", "   25"},      {4, 10, 80, '-', 3, "  2.5", "   25"},
                {100, 240, 7680, '#', 2, "  2.4", "  100"}, {10, 1, 64, '#', 1, "  0.1", "  100"},
                {10, 400, 1280, '-', 32, " 40.0", "   10"}, {7, 0, 0, '-', 0, "  0.0", "    0"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int store = 0; store < 2; store++) {
            text_out o;
            char want[200];
            show_place p = begin(&o, LIB_EN);
            sim_line line = {.file = "k.cu", .line = 12};
            if (store)
                line.counters.gst_requests = rows[k].requests,
                line.counters.gst_sectors = rows[k].sectors,
                line.counters.gst_bytes = rows[k].bytes;
            else
                line.counters.gld_requests = rows[k].requests,
                line.counters.gld_sectors = rows[k].sectors,
                line.counters.gld_bytes = rows[k].bytes;
            grade_result r = {.lines = &line, .line_count = 1, .device = "sim:h200"};
            show_sectors(&p, &r);
            end();
            snprintf(want, sizeof want, "   12 %s [%s] %s  %s%%  ", store ? "store" : "load ",
                     cells(rows[k].c, rows[k].n, 32), rows[k].per, rows[k].used);
            expect_row(want);
            p = begin(&o, LIB_EN); /* with 71 columns two blanks and the source are left out */
            o.width = 71;
            show_sectors(&p, &r);
            end();
            snprintf(want, sizeof want, "   12 %s [%s] %s%s%%", store ? "store" : "load ",
                     cells(rows[k].c, rows[k].n, 32), rows[k].per + 1, rows[k].used + 1);
            expect_row(want);
        }
    /* passes over the banks, and lanes that were on, two a cell */
    static const struct {
        unsigned requests, passes;
        int n;
        const char *per;
    } banks[] = {{4, 10, 3, "  2.5"}, {100, 149, 1, "  1.5"}, {1, 40, 32, " 40.0"}};
    for (size_t k = 0; k < sizeof banks / sizeof *banks; k++) {
        text_out o;
        char want[200];
        show_place p = begin(&o, LIB_EN);
        sim_line line = {.file = "k.cu",
                         .line = 12345,
                         .counters = {.shared_st_requests = banks[k].requests,
                                      .shared_st_wavefronts = banks[k].passes}};
        grade_result r = {.lines = &line, .line_count = 1, .device = "sim:h200"};
        show_banks(&p, &r);
        end();
        snprintf(want, sizeof want, "12345 store [%s] %s  ", cells('#', banks[k].n, 32),
                 banks[k].per);
        expect_row(want);
    }
    static const struct {
        unsigned warps, threads, splits;
        const char *text;
    } lanes[] = {{1000, 5000, 0, "    9       1,000         0  [###             ]  5.0  "},
                 {2, 64, 1000, "    9           2     1,000  [################] 32.0  "},
                 {1000, 1000, 7, "    9       1,000         7  [#               ]  1.0  "}};
    for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
        text_out o;
        show_place p = begin(&o, LIB_EN);
        sim_line line = {.file = "k.cu",
                         .line = 9,
                         .counters = {.warp_inst = lanes[k].warps,
                                      .thread_inst = lanes[k].threads,
                                      .divergent_branches = lanes[k].splits}};
        grade_result r = {.lines = &line, .line_count = 1, .device = "sim:h200"};
        show_divergence(&p, &r);
        end();
        expect_row(lanes[k].text);
    }
}

/* Addresses of lanes, worked out by hand. */
static void maps(void) {
    text_out o;
    show_place p = begin(&o, LIB_EN);
    double address[32];
    /* 12 bytes apart: three words a sector, or two, over and over every three sectors */
    for (int i = 0; i < 32; i++) address[i] = 12 * i;
    show_lanes(&p, address, 32);
    end();
    expect_row("  lane    0       8       16      24      ");
    expect_row("  sector  AAABBBCCDDDEEEFFGGGHHHIIJJJKKKLL");
    expect_row("  A[#..#..#.] B[.#..#..#] C[..#..#..] D[#..#..#.] E[.#..#..#] F[..#..#..]");
    expect_row("  G[#..#..#.] H[.#..#..#] I[..#..#..] J[#..#..#.] K[.#..#..#] L[..#..#..]");
    CHECK_CONTAINS(shown, "32 lanes, 12 sectors: 384 bytes moved, 128 bytes used (33%)");
    for (int width = 71; width <= 112; width += 41) { /* four or eight beside each other */
        p = begin(&o, LIB_EN);
        o.width = width;
        show_lanes(&p, address, 20);
        fflush(stream);
        expect_row(width == 71 ? "  E[.#..#..#] F[..#..#..] G[#..#..#.] H[.#......]"
                               : "  A[#..#..#.] B[.#..#..#] C[..#..#..] D[#..#..#.] E[.#..#..#] "
                                 "F[..#..#..] G[#..#..#.] H[.#......]");
    }
    /* three words of bank 0, two of bank 31, one word of bank 7 for two lanes, one lane that is
     * off */
    p = begin(&o, LIB_EN);
    for (int i = 0; i < 32; i++) address[i] = 4 * i;
    address[1] = 128, address[2] = 256, address[30] = 4 * 63, address[8] = 4 * 7, address[5] = -1;
    show_bankmap(&p, address, 32);
    end();
    expect_row("  bank    00034.6779ABCDEFGHIJKLMNOPQRSTVV");
    expect_row("  bank    0123456789ABCDEFGHIJKLMNOPQRSTUV");
    expect_row("  words   3..11.11.111111111111111111111.2");
    expect_row("  bank 0: lanes 0 1 2");
    CHECK(!strstr(shown, "bank 31:")); /* the fullest alone */
    CHECK_CONTAINS(shown, "3 ");
    /* slots of warps: two blocks of three; two slots a cell where it is narrow */
    grade_launch l = {.kernel = "k",
                      .block = {96, 1, 1},
                      .occupancy = {.blocks = 2, .warps = 6, .pct = 9.375, .limiter = "shared"}};
    grade_result r = {.launches = &l, .launch_count = 1, .device = "sim:h200"};
    p = begin(&o, LIB_EN);
    show_occupancy(&p, &r);
    end();
    CHECK_CONTAINS(shown, "[AAABBB..........................................................]\n");
    p = begin(&o, LIB_EN);
    o.width = 71;
    show_occupancy(&p, &r);
    end();
    CHECK_CONTAINS(shown, "[AAB.............................]\n");
}

/* The roof at each column, a point of it in the row in which it lies: four tenths of a decade each,
 * from a tenth above the peak down; operations per byte from 1/64 on, doubling every 2, 4 or 6
 * columns. */
static void roof(void) {
    static const char *const devices[] = {"h200", "t4"};
    static const int widths[] = {71, 72, 111, 112}, octaves[] = {2, 4, 4, 6};
    static const struct {
        double flops, bytes, us;
    } runs[] = {
        {2e9, 1e9, 1000}, {3e9, 1e10, 20000}, {6e10, 1e8, 1500}, {1, 1e12, 1e6}, {1e12, 1, 1e5}};
    for (size_t d = 0; d < 2; d++)
        for (size_t w = 0; w < 4; w++)
            for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
                const sim_profile *f = sim_profile_find(devices[d]);
                double peak = f->rate_fp32 * 64 * f->sms * f->clock_ghz,
                       bw = f->dram_gbs * f->dram_efficiency;
                int octave = octaves[w], columns = 16 * octave, bad = 0, stars = 0;
                text_out o;
                show_place p = begin(&o, LIB_EN);
                grade_result r = {.time_us = runs[k].us,
                                  .counters = {.flop_sp = (uint64_t)runs[k].flops,
                                               .dram_read = (uint64_t)runs[k].bytes}};
                snprintf(r.device, sizeof r.device, "sim:%s", devices[d]);
                o.width = widths[w];
                show_roofline(&p, &r);
                fflush(stream);
                double x = log2(runs[k].flops / runs[k].bytes),
                       y = runs[k].flops / runs[k].us / 1e3;
                int mx = (int)floor((x + 6) * octave + 0.5),
                    my = (int)floor((log10(peak) + 0.1 - log10(y)) / 0.4);
                if (mx < 0) mx = 0;
                if (mx >= columns) mx = columns - 1;
                if (my > 9) my = 9;
                const char *line = shown;
                for (int row = 0; row < 10; row++, line += strcspn(line, "\n") + 1)
                    for (int c = 0; c < columns; c++) {
                        double at = fmin(peak, bw * pow(2, -6 + c / (double)octave)),
                               down = (log10(peak) + 0.1 - log10(at)) / 0.4;
                        char want = (int)floor(down) != row ? ' ' : at < peak ? '/' : '-';
                        if (row == my && c == mx) want = '*', stars++;
                        /* on the border of two rows either will do */
                        bool border = fabs(down - floor(down + 0.5)) < 1e-6;
                        char got = strcspn(line, "\n") > (size_t)(11 + c) ? line[11 + c] : ' ';
                        bad += got != want && !border;
                    }
                char why[100];
                snprintf(why, sizeof why, "%s, width %d, run %zu: %d cells, %d stars", devices[d],
                         widths[w], k, bad, stars);
                check_that(!bad && stars <= 1, __FILE__, __LINE__, "roofline", why);
                char axis[120];
                if (octave == 2) /* no two numbers touch */
                    strcpy(axis, "           1/64    1/4     4       64      ");
                else
                    snprintf(axis, sizeof axis, "           %-*s%-*s%-*s%-*s%-*s%-*s%-*s%-*s",
                             2 * octave, "1/64", 2 * octave, "1/16", 2 * octave, "1/4", 2 * octave,
                             "1", 2 * octave, "4", 2 * octave, "16", 2 * octave, "64", 2 * octave,
                             "256");
                expect_row(axis);
            }
}

/* Without its escapes, a coloured picture is the plain one. */
static void colours(void) {
    text_out o;
    show_place p = begin(&o, LIB_EN);
    double address[32];
    for (int i = 0; i < 32; i++) address[i] = 12 * i;
    show_lanes(&p, address, 32);
    char *plain = strdup(end());
    p = begin(&o, LIB_EN);
    o.colour = true;
    show_lanes(&p, address, 32);
    fflush(stream);
    char *out = calloc(1, strlen(shown) + 1);
    size_t n = 0;
    for (const char *s = shown; *s;) {
        if (*s == '\033') s += strcspn(s, "m") + 1;
        else out[n++] = *s++;
    }
    CHECK(strlen(shown) > strlen(plain));
    CHECK_STR(out, plain);
    free(out);
    free(plain);
}

/* ---- every picture at every width ---- */

static sim_line some_lines[2];
static grade_op some_ops[3];
static grade_cost some_costs[SIM_COST_COUNT];
static grade_launch some_launch;

/* A run that every picture has something to show of. */
static grade_result some_run(void) {
    some_lines[0] = (sim_line){.file = "/src/k.cu", .line = 2};
    some_lines[1] = (sim_line){.file = "/src/k.cu", .line = 3};
    for (int i = 0; i < 2; i++)
        some_lines[i].counters = (sim_counters){.warp_inst = 123456789,
                                                .thread_inst = 2000000000,
                                                .divergent_branches = 4000000,
                                                .gld_requests = 1000,
                                                .gld_sectors = 32000,
                                                .gld_bytes = 128000,
                                                .gst_requests = 1000,
                                                .gst_sectors = 4000,
                                                .gst_bytes = 128000,
                                                .shared_ld_requests = 10,
                                                .shared_ld_wavefronts = 320,
                                                .shared_st_requests = 10,
                                                .shared_st_wavefronts = 10};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < SIM_STALL_COUNT; k++) some_lines[i].stall_us[k] = (float)(10 * i + k);
    some_ops[0] = (grade_op){DEV_OP_H2D, 1, 0, 1400, ""};
    some_ops[1] = (grade_op){DEV_OP_LAUNCH, 1, 1400, 2800, "a_kernel_with_quite_a_long_name"};
    some_ops[2] = (grade_op){DEV_OP_D2H, 12, 2800, 4200, ""};
    some_launch = (grade_launch){.kernel = "a_kernel_with_quite_a_long_name",
                                 .grid = {4096, 1, 1},
                                 .block = {192, 1, 1},
                                 .registers = 128,
                                 .shared = 49152,
                                 .occupancy = {.blocks = 2,
                                               .warps = 12,
                                               .pct = 18.75,
                                               .by_blocks = 32,
                                               .by_warps = 10,
                                               .by_registers = 2,
                                               .by_shared = 4,
                                               .limiter = "registers"},
                                 .achieved_occupancy_pct = 17};
    for (int i = 0; i < SIM_COST_COUNT; i++)
        some_costs[i] = (grade_cost){.saves_us = 100 + i,
                                     .line_count = 1,
                                     .file = {"/src/k.cu"},
                                     .line = {2},
                                     .part = {0.5}};
    return (grade_result){.lines = some_lines,
                          .line_count = 2,
                          .device = "sim:h200",
                          .time_us = 1000,
                          .counters = {.flop_sp = 2000000000, .dram_read = 1000000000},
                          .launches = &some_launch,
                          .launch_count = 1,
                          .ops = some_ops,
                          .op_count = 3,
                          .op_total = 3,
                          .costs = some_costs,
                          .costs_us = 1000};
}

static void some_models(const show_place *p, int which) {
    double address[32];
    static bool works[8 * 1024];
    for (int i = 0; i < 32; i++) address[i] = which == 1 ? 64 * i : 128 * i;
    for (int i = 0; i < 8 * 1024; i++) works[i] = i % 3 == 0;
    if (which == 0) show_bankmap(p, address, 32);
    else if (which == 1) show_lanes(p, address, 32);
    else show_rounds(p, works, which == 2 ? 32 : which == 3 ? 64 : which == 4 ? 256 : 1024, 8);
}

enum { PICTURES = 17 };
static void picture(const show_place *p, int k) {
    static void (*const of_runs[])(const show_place *, const grade_result *) = {
        show_sectors,  show_banks,    show_divergence, show_occupancy,
        show_roofline, show_timeline, show_what_if,    show_stalls};
    grade_result r = some_run();
    show_row rows[2] = {{.name = "gld_sectors_per_request",
                         .mine = 123456789,
                         .beside = 1234567,
                         .has_mine = true,
                         .has_beside = true},
                        {.name = "shared_ld_conflicts_per_request",
                         .mine = 0.123456,
                         .beside = 31.5,
                         .has_mine = true,
                         .has_beside = true}};
    /* as long as leaves a unit just no room at 80 columns */
    show_row units[2] = {{.name = "gld_sectors_per_request",
                          .mine = 1,
                          .beside = 2,
                          .has_mine = true,
                          .has_beside = true},
                         {.name = "divergent_branches_machine", .mine = 3, .has_mine = true}};
    if (k < 8) of_runs[k](p, &r);
    else if (k == 8) show_calculator(p, "sim:h200", 1000, 36, 96 << 10);
    else if (k == 9) show_counters(p, rows, 2, (const char *const[]){"mine", "baseline"}, true);
    else if (k == 10) show_counters(p, units, 2, (const char *const[]){"mine", "baseline"}, false);
    else some_models(p, k - 11);
}

static char *without_escapes(const char *s) {
    char *out = calloc(1, strlen(s) + 1);
    if (!out) abort();
    for (size_t n = 0; *s;) {
        if (*s == '\033') s += strcspn(s, "m") + 1;
        else out[n++] = *s++;
    }
    return out;
}

static int widest(const char *s) {
    int most = 0;
    for (; *s; s += strcspn(s, "\n") + (s[strcspn(s, "\n")] == '\n')) {
        int w = text_width_n(s, strcspn(s, "\n"));
        if (w > most) most = w;
    }
    return most;
}

static size_t count_of(const char *s, const char *what) {
    size_t n = 0;
    for (; (s = strstr(s, what)); s += strlen(what)) n++;
    return n;
}

/* The cells that are filled: each # in green, yellow or red, and + and - where such a colour begins
 * behind a bracket; in a dim legend each [#], [+] and [-]. */
static size_t boxes_of(const char *s) {
    size_t n = 0;
    for (const char *e = s; (e = strchr(e, '\033'));) {
        bool colour = !strncmp(e, "\033[1;32m", 7) || !strncmp(e, "\033[1;31m", 7) ||
                      !strncmp(e, "\033[33m", 5),
             dim = !strncmp(e, "\033[2m", 4), bar = e > s && e[-1] == '[';
        for (e += strcspn(e, "m") + 1; *e && *e != '\033'; e++)
            n += (colour && (*e == '#' || (bar && (*e == '+' || *e == '-')))) ||
                 (dim && *e == '[' && strchr("#+-", e[1]) && e[2] == ']');
    }
    return n;
}

/* Elements end, a quotation mark ends, and no letter of a picture is taken for markup. */
static void check_page(const char *coloured, int k) {
    char *page = svg_page(coloured, "a < b & \"c\"", LIB_EN), label[32];
    static const char *const elements[] = {"svg", "text", "title", "pre", "style"};
    snprintf(label, sizeof label, "page of picture %d", k);
    bool ok = !strstr(page, "a < b") && !strchr(page, '\033');
    for (int i = 0; i < 5; i++) {
        char open[16], close[16];
        snprintf(open, sizeof open, "<%s", elements[i]);
        snprintf(close, sizeof close, "</%s>", elements[i]);
        ok &= count_of(page, open) == count_of(page, close);
    }
    ok &= count_of(page, "\"") % 2 == 0 && !strstr(page, "http-equiv") && !strstr(page, "src=");
    ok &= count_of(page, "<rect") - count_of(page, " rx=") == boxes_of(coloured);
    check_that(ok, __FILE__, __LINE__, label, "it is not well formed");
    free(page);
}

/* Letters beside emptiness are drawn, a number is written; a slope ends where its level begins. */
static void drawn(void) {
    char *svg = svg_picture("k  \033[1;32mAAB\033[0m\033[2m....\033[0m 12\n"
                            "10 \033[1mregisters\033[0m a thread\n"
                            "n  \033[33m000\033[0m us\n"
                            "\033[2m|\033[0m  ////-----\n"
                            "[\033[1;31mCC\033[0m] \033[33m*\033[0m 3 * 4 - 1",
                            "t");
    CHECK(count_of(svg, "<rect") == 3 && count_of(svg, ">A<") == 1 && count_of(svg, ">C<") == 1);
    CHECK_CONTAINS(svg, ">000<");
    CHECK_CONTAINS(svg, ">registers<");
    CHECK_CONTAINS(svg, ">3 * 4 - 1<");
    CHECK(count_of(svg, "<circle") == 1 && count_of(svg, "<line") == 3);
    double at[4] = {0}, on[4] = {0};
    char *slope = strstr(svg, "<line x1"), *level = slope ? strstr(slope + 1, "<line x1") : NULL;
    CHECK(level && sscanf(slope, "<line x1=\"%lf\" y1=\"%lf\" x2=\"%lf\" y2=\"%lf\"", at, at + 1,
                          at + 2, at + 3) == 4);
    CHECK(level && sscanf(level, "<line x1=\"%lf\" y1=\"%lf\" x2=\"%lf\" y2=\"%lf\"", on, on + 1,
                          on + 2, on + 3) == 4);
    CHECK(at[1] > at[3] && at[2] == on[0] && at[3] == on[1] && on[1] == on[3]);
    free(svg);
}

/* Whether the last line, which is the legend's, stands two columns in. */
static bool stands_in(const char *s) {
    size_t n = strlen(s);
    while (n > 1 && s[n - 2] != '\n') n--;
    return n && !strncmp(s + n - 1, "  ", 2);
}

static void all_widths(void) {
    static const int widths[] = {60, 80, 120};
    for (int lang = 0; lang < LIB_LANGS; lang++)
        for (int w = 0; w < 3; w++)
            for (int k = 0; k < PICTURES; k++) {
                char label[64], why[128], *plain;
                text_out o;
                show_place p = begin(&o, (lib_lang)lang);
                o.width = widths[w];
                picture(&p, k);
                fflush(stream);
                plain = strdup(shown);
                p = begin(&o, (lib_lang)lang);
                o.width = widths[w];
                o.colour = true;
                picture(&p, k);
                fflush(stream);
                char *bare = without_escapes(shown);
                snprintf(label, sizeof label, "picture %d at %d columns, %s", k, widths[w],
                         lang ? "zh" : "en");
                snprintf(why, sizeof why, "%d columns, %zu bytes", widest(plain), strlen(plain));
                if (!check_that(widest(plain) <= widths[w] && strlen(plain) > 100 &&
                                    !strcmp(bare, plain) && (widths[w] < 80 || stands_in(plain)),
                                __FILE__, __LINE__, label, why))
                    fputs(plain, stdout);
                check_page(shown, k);
                free(bare);
                free(plain);
            }
}

/* What the pictures say that they did not: slots by block, banks by lane, ticks that are powers of
 * ten. */
static void said(void) {
    text_out o;
    show_place p = begin(&o, LIB_EN);
    grade_result r = some_run();
    show_occupancy(&p, &r);
    /* Two blocks of six warps in 64 slots. */
    CHECK_CONTAINS(end(), "[AAAAAABBBBBB....................................................]");
    CHECK_CONTAINS(shown, "\n  Bars: how many blocks");
    p = begin(&o, LIB_EN);
    double address[32];
    for (int i = 0; i < 32; i++) address[i] = 64 * i; /* word 16 i: banks 0 and 16 */
    show_bankmap(&p, address, 32);
    CHECK_CONTAINS(end(), "bank 0: lanes 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30");
    CHECK_CONTAINS(shown, "bank 16: lanes 1 3 5 7 9");
    p = begin(&o, LIB_EN);
    o.width = 120;
    picture(&p, 9);
    fflush(stream);
    CHECK_CONTAINS(shown, "   1,234,567      100  sectors/request\n");
    p = begin(&o, LIB_EN);
    show_roofline(&p, &r);
    CHECK_CONTAINS(end(), "   10,000 +");
    CHECK_CONTAINS(shown, "      100 +");
    CHECK(!strstr(shown, "e+"));
}

/* Under each of the three largest costs stand its two lines, each if it has at least a tenth of
 * it. */
static void lines_of_costs(void) {
    static const struct {
        double part[2];
        unsigned count;
        size_t lines;
    } rows[] = {{{0.5, 0.3}, 2, 2}, {{0.9, 0.1}, 2, 2}, {{0.9, 0.09}, 2, 1}, {{0.1, 0}, 1, 1},
                {{0.09, 0}, 1, 0},  {{0.5, 0.3}, 1, 1}, {{0.5, 0}, 0, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        text_out o;
        show_place p = begin(&o, LIB_EN);
        grade_result r = some_run();
        for (int i = 0; i < SIM_COST_COUNT; i++) {
            some_costs[i].line_count = rows[k].count;
            some_costs[i].file[1] = "/src/k.cu", some_costs[i].line[1] = 3;
            for (int x = 0; x < 2; x++) some_costs[i].part[x] = rows[k].part[x];
        }
        show_what_if(&p, &r);
        CHECK_INT(count_of(end(), "k.cu:"), 3 * rows[k].lines);
        CHECK_INT(count_of(shown, "k.cu:2 "), rows[k].lines ? 3 : 0);
    }
}

/* 100 us: line 3 has 75 of them, 60 waiting for memory and 15 issuing; line 2 has 24, all at the
 * barrier; line 9 has 1, which is no row. */
static void stalls(lib_lang lang) {
    sim_line lines[3] = {{.file = "/src/k.cu", .line = 2},
                         {.file = "/src/k.cu", .line = 3},
                         {.file = "/src/k.cu", .line = 9}};
    lines[0].stall_us[SIM_STALL_BARRIER] = 24;
    lines[1].stall_us[SIM_STALL_LONG_SCOREBOARD] = 60, lines[1].stall_us[SIM_STALL_SELECTED] = 15;
    lines[2].stall_us[SIM_STALL_WAIT] = 1;
    grade_result r = {.lines = lines, .line_count = 3, .device = "sim:h200"};
    text_out o;
    show_place p = begin(&o, lang);
    show_stalls(&p, &r);
    end();
    CHECK_CONTAINS(shown, "100.00");
    CHECK_CONTAINS(row(lang ? "  等全局访存" : "  Long Scoreboard"), "##############.......... ");
    CHECK_CONTAINS(row(lang ? "  等全局访存" : "  Long Scoreboard"), "  60.0%");
    CHECK_CONTAINS(row(lang ? "  等屏障" : "  Barrier"), "  24.0%");
    CHECK_CONTAINS(shown, lang ? "75.0%  k.cu:3" : "75.0%  k.cu:3");
    CHECK_CONTAINS(shown, lang ? "等全局访存 80%、发射 20%" : "Long Scoreboard 80%, Selected 20%");
    CHECK_CONTAINS(shown, "24.0%  k.cu:2");
    CHECK(strstr(shown, "k.cu:3") < strstr(shown, "k.cu:2") && !strstr(shown, "k.cu:9"));
    r.line_count = 0;
    p = begin(&o, lang);
    show_stalls(&p, &r);
    CHECK(strlen(end()) > 10);
}

/* A copy in of 140 us, a kernel of 140, a copy out of 140, and 80 in which nothing happens: 500 us.
 * Without copies 220 are left; beside each other copies and kernel take 140, and the gap stays;
 * without the gap it is 420. */
static void what_if_whole(lib_lang lang) {
    grade_op ops[] = {{DEV_OP_H2D, 1, 1000, 1140, ""},
                      {DEV_OP_LAUNCH, 1, 1140, 1280, "k"},
                      {DEV_OP_D2H, 1, 1360, 1500, ""},
                      {DEV_OP_SYNC, 1, 0, 9000, ""}};
    grade_result r = {.ops = ops, .op_count = 4, .op_total = 4, .device = "sim:h200"};
    text_out o;
    show_place p = begin(&o, lang);
    show_what_if(&p, &r);
    end();
    CHECK_CONTAINS(shown, "500.00");
    CHECK_CONTAINS(row(lang ? "  拷贝不花时间" : "  copies free"), "220.00");
    CHECK_CONTAINS(row(lang ? "  拷贝不花时间" : "  copies free"), "2.27x");
    CHECK_CONTAINS(row(lang ? "  拷贝与核函数重叠" : "  copies beside kernels"), "220.00");
    CHECK_CONTAINS(row(lang ? "  操作之间没有空档" : "  no gaps"), "420.00");
    r.op_count = 3; /* they overlap already: only the gap is left to be won */
    ops[0] = (grade_op){DEV_OP_H2D, 1, 1000, 1400, ""}, ops[1].start_us = 1000,
    ops[1].end_us = 1400;
    ops[2] = (grade_op){DEV_OP_LAUNCH, 1, 1480, 1500, "k"};
    p = begin(&o, lang);
    show_what_if(&p, &r);
    end();
    CHECK(!row(lang ? "  拷贝不花时间" : "  copies free")[0]);
    CHECK(!row(lang ? "  拷贝与核函数重叠" : "  copies beside kernels")[0]);
    CHECK_CONTAINS(row(lang ? "  操作之间没有空档" : "  no gaps"), "420.00");
}

int main(void) {
    numbers();
    for (int lang = 0; lang < LIB_LANGS; lang++) {
        models((lib_lang)lang);
        measured((lib_lang)lang);
        timeline((lib_lang)lang);
        calculator((lib_lang)lang);
        stalls((lib_lang)lang);
        what_if_whole((lib_lang)lang);
    }
    bars();
    maps();
    roof();
    colours();
    all_widths();
    drawn();
    said();
    lines_of_costs();
    if (stream) fclose(stream);
    free(shown);
    return check_done();
}
