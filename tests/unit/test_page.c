/* The profiler's page, tag by tag: its words, and a kernel's costs, cycles, roofline, occupancy,
 * ways of memory and source. Expected figures are worked out by hand from kernels made by hand. */
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/check.h"
#include "runner/profile/page.h"
#include "runner/profile/page_parts.h"

static char *shown;
static size_t shown_n;
static FILE *f;
static void begin(void) {
    free(shown);
    f = open_memstream(&shown, &shown_n);
}
static const char *end(void) {
    fclose(f);
    return shown;
}

#define BOTH(en, zh) "<span class=en lang=en>" en "</span><span class=zh lang=zh>" zh "</span>"
#define BAR(pct)     "<td style=\"width:22%%\"><span class=bar style=\"width:" pct "%%\"></span>"

#define BOTH_DRAWN(en, zh)                                                                         \
    "<tspan class=en lang=en>" en "</tspan><tspan class=zh lang=zh>" zh "</tspan>"
#define AT(place, pct) BOTH(place " (" pct ")", place "（" pct "）")
/* What stands below a roofline. */
#define SAYS(got, intensity, pct)                                                                  \
    BOTH(got " GFLOP/s, " intensity " flop/byte; " pct " of the roof above it",                    \
         got " GFLOP/s，每字节 " intensity " 次浮点运算；达到其上方屋顶的 " pct)

static char wanted[30000];
static size_t wanted_n;
__attribute__((format(printf, 1, 2))) static void want(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    wanted_n += (size_t)vsnprintf(wanted + wanted_n, sizeof wanted - wanted_n, format, ap);
    va_end(ap);
}
static void check_page(const char *what) {
    const char *got = end();
    size_t k = 0;
    char why[400];
    while (got[k] && got[k] == wanted[k]) k++;
    snprintf(why, sizeof why, "from %zu on: \"%.150s\", want \"%.150s\"", k, got + k, wanted + k);
    check_that(!got[k] && !wanted[k], __FILE__, __LINE__, what, why);
    wanted_n = 0;
    wanted[0] = 0;
}

static void words(void) {
    begin();
    page_text(f, "<a href=\"'&'\">\t\x01\x1f\x7f \xe4\xb8\xad");
    page_text(f, NULL);
    want("&lt;a href=&quot;&#39;&amp;&#39;&quot;&gt;        \xe4\xb8\xad");
    check_page("text");
    static const struct {
        double us;
        const char *text;
    } times[] = {{0.125, BOTH("0.12 us", "0.12 微秒")},
                 {999.99, BOTH("999.99 us", "999.99 微秒")},
                 {1000, BOTH("1.000 ms", "1.000 毫秒")},
                 {999999, BOTH("999.999 ms", "999.999 毫秒")},
                 {1e6, BOTH("1.000 s", "1.000 秒")}};
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        begin();
        page_us(f, times[k].us);
        CHECK_STR(end(), times[k].text);
    }
    static const struct {
        double v;
        const char *text;
    } figures[] = {{0, "0"},
                   {6.694, "6.69"},
                   {999, "999"},
                   {999.4, "999"},
                   {999.5, "1,000"},
                   {1000, "1,000"},
                   {1004, "1,000"},
                   {1005, "1,010"},
                   {66949, "66,900"},
                   {66951, "67,000"},
                   {1234567890, "1,230,000,000"}};
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        begin();
        page_figure(f, figures[k].v);
        CHECK_STR(end(), figures[k].text);
    }
    static const struct {
        double part;
        const char *text;
    } bars[] = {{-0.1, BAR("0.0")},
                {0, BAR("0.0")},
                {0.125, BAR("12.5")},
                {1, BAR("100.0")},
                {1.5, BAR("100.0")}};
    for (size_t k = 0; k < sizeof bars / sizeof *bars; k++) {
        char text[200];
        snprintf(text, sizeof text, bars[k].text, 0);
        begin();
        page_bar(f, bars[k].part);
        CHECK_STR(end(), text);
    }
    static const struct {
        const char *limiter, *text;
    } limiters[] = {{NULL, BOTH("-", "-")},
                    {"", BOTH("-", "-")},
                    {"dram", BOTH("dram", "显存")},
                    {"<x>", BOTH("&lt;x&gt;", "&lt;x&gt;")}};
    for (size_t k = 1; k < sizeof limiters / sizeof *limiters; k++) {
        begin();
        page_limiter(f, limiters[k].limiter);
        if (k != 1) CHECK_STR(end(), limiters[k].text);
        else end();
    }
}

/* ---- a kernel ---- */

static sim_profile device(double gbs) {
    /* 4 warp instructions a cycle of 32 lanes of 2 operations, on 125 multiprocessors at 2 GHz:
     * 64000 GFLOP/s */
    return (sim_profile){
        .rate_fp32 = 4, .sms = 125, .clock_ghz = 2, .dram_gbs = gbs, .max_threads_sm = 2048};
}
static profile_place places[] = {{"/src/a.cu", 15}, {"", 7}, {"b.cu", 2}, {"c.cu", 9}};
static profile_kernel kernel(void) {
    profile_kernel k = {.kernel = "k<int>",
                        .grid = {1, 2, 3},
                        .block = {4, 5, 6},
                        .launches = 1,
                        .time_us = 5,
                        .places = places,
                        .place_count = 4};
    for (unsigned c = 0; c < SIM_COST_COUNT; c++) k.what_if[c].time_us = 100;
    return k;
}
static void draw(const profile_kernel *k, const sim_profile *p) {
    profile_report r = {.device = "sim:h200"};
    begin();
    page_kernel(f, &r, k, p);
}
/* Of a kernel of which nothing is known but its time. */
#define LAUNCHED "<h2>k&lt;int&gt;</h2><p>&lt;&lt;&lt;(1,2,3), (4,5,6)&gt;&gt;&gt; &middot; "
#define HEAD                                                                                       \
    LAUNCHED                                                                                       \
    BOTH("1 launch", "1 次启动")                                                                   \
    " &middot; " BOTH("5.00 us", "5.00 微秒") " &middot; " BOTH("-", "-") " &middot; " BOTH(       \
        "- registers", "- 个寄存器") " &middot; " BOTH("- / 32 lanes",                             \
                                                       "- / 32 个 lane") "</p>\n<div "             \
                                                                         "class=grid>"

static void heads(void) {
    profile_kernel k = kernel();
    draw(&k, NULL);
    want(HEAD "<div></div></div>\n");
    check_page("a kernel of which nothing is known");
    k.launches = 2, k.failed = 1, k.time_us = 3000, k.registers = 32, k.limiter = "dram";
    k.counters = (sim_counters){.warp_inst = 10, .thread_inst = 155};
    draw(&k, NULL);
    want(LAUNCHED BOTH("2 launches", "2 次启动") " &middot; " BOTH(
        "1.500 ms",
        "1.500 毫秒") " &middot; " BOTH("dram",
                                        "显存") " &middot; " BOTH("32 registers",
                                                                  "32 个寄存器") " &middot;"
                                                                                 " " BOTH(
                                                                                     "15."
                                                                                     "5 / "
                                                                                     "32 "
                                                                                     "lane"
                                                                                     "s",
                                                                                     "15."
                                                                                     "5 / "
                                                                                     "32 "
                                                                                     "个 "
                                                                                     "lan"
                                                                                     "e") " &"
                                                                                          "middot;"
                                                                                          " " BOTH(
                                                                                              "1 "
                                                                                              "fail"
                                                                                              "ed",
                                                                                              "1 "
                                                                                              "次失"
                                                                                              "败") "</p>\n<div class=grid><div></div></div>\n");
    check_page("a kernel that was counted");
    k = kernel();
    k.launches = 0;
    draw(&k, NULL);
    CHECK_CONTAINS(end(), "&middot; " BOTH("0 launches", "0 次启动") " &middot; ");
}

/* What is worth a fiftieth, the most first; of its lines the first three that have a twentieth. */
static void costs(void) {
    profile_kernel k = kernel();
    k.asked_us = 100;
    k.what_if[SIM_COST_SECTORS] = (sim_what_if){
        .time_us = 40, .line_count = 4, .line = {0, 1, 2, 3}, .part = {0.5f, 0.3f, 0.1f, 0.1f}};
    k.what_if[SIM_COST_L2] =
        (sim_what_if){.time_us = 80, .line_count = 2, .line = {3, 1}, .part = {0.95f, 0.049f}};
    k.what_if[SIM_COST_LAUNCH].time_us = 98;    /* 1.0204 */
    k.what_if[SIM_COST_BALANCE].time_us = 98.1; /* 1.0194 */
    k.what_if[SIM_COST_BANKS] =
        (sim_what_if){.time_us = 50, .line_count = 1, .line = {2}, .part = {0.05f}};
    k.what_if[SIM_COST_INSTRUCTIONS].time_us = 0; /* there is no such factor */
    draw(&k, NULL);
    /* clang-format off */
    want(HEAD "<section><h3>" BOTH("What if it were not there", "若去掉某项开销") "</h3>\n"
         "<table><tr><th>" BOTH("cost", "开销")
         "<th class=n>" BOTH("then, us", "去掉后用时，微秒")
         "<th class=n>" BOTH("factor", "倍数")
         "<th>" BOTH("saved", "省下")
         "<th>" BOTH("paid at", "花在") "</tr>\n");
    /* clang-format on */
    static const struct {
        unsigned cost;
        const char *then, *bar, *at;
    } rows[] = {{SIM_COST_INSTRUCTIONS, "0.00<td class=n>0.00x", "100.0", ""},
                {SIM_COST_SECTORS, "40.00<td class=n>2.50x", "60.0",
                 AT("a.cu:15", "50%") BOTH(", ", "、") AT("PTX:7", "30%") BOTH(", ", "、")
                     AT("b.cu:2", "10%")},
                {SIM_COST_BANKS, "50.00<td class=n>2.00x", "50.0", AT("b.cu:2", "5%")},
                {SIM_COST_L2, "80.00<td class=n>1.25x", "20.0", AT("c.cu:9", "95%")},
                {SIM_COST_LAUNCH, "98.00<td class=n>1.02x", "2.0", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sim_cost_info *c = sim_cost_at(rows[i].cost);
        want("<tr><td>" BOTH("%s", "%s") "<td class=n>%s" BAR("%s") "<td>%s</tr>\n",
             lib_word(LIB_EN, c->title), lib_word(LIB_ZH, c->title), rows[i].then, rows[i].bar,
             rows[i].at);
    }
    want("</table></section>\n<div></div></div>\n");
    check_page("costs");
}

static void cycles(void) {
    profile_kernel k = kernel();
    k.told_us = 200; /* each figure is times its launch's microseconds */
    k.stalls.scheduler_pct[SIM_STALL_SELECTED] = 0.5 * 200,
    k.stalls.warp_pct[SIM_STALL_SELECTED] = 0.25 * 200;
    k.stalls.scheduler_pct[SIM_STALL_WAIT] = k.stalls.warp_pct[SIM_STALL_WAIT] = 0.49 * 200;
    k.stalls.scheduler_pct[SIM_STALL_BARRIER] = 0, k.stalls.warp_pct[SIM_STALL_BARRIER] = 0.5 * 200;
    k.stalls.scheduler_pct[SIM_STALL_NOT_SELECTED] = 60 * 200,
    k.stalls.warp_pct[SIM_STALL_NOT_SELECTED] = 72.25 * 200;
    for (int none = 0; none < 2; none++) {
        k.stalls.empty_pct = none ? 0.5 * 200 : 0.49 * 200;
        draw(&k, NULL);
        want(HEAD "<section><h3>" BOTH(
            "Where the cycles went",
            "周期分布") "</"
                        "h3>\n<table><tr><"
                        "th>" BOTH("state",
                                   "状"
                                   "态") "<th class=n>" BOTH("schedulers",
                                                             "调度器") "<th><th "
                                                                       "class="
                                                                       "n>" BOTH("warps",
                                                                                 "warp") "</tr>\n");
        static const struct {
            unsigned state;
            const char *schedulers, *bar, *warps;
        } rows[] = {{SIM_STALL_SELECTED, "0.5", "0.5", "0.2"},
                    {SIM_STALL_BARRIER, "0.0", "0.0", "0.5"},
                    {SIM_STALL_NOT_SELECTED, "60.0", "60.0", "72.2"}};
        for (int i = 0; i < 3; i++) {
            const sim_stall_info *s = sim_stall_at(rows[i].state);
            want("<tr><td>" BOTH("%s", "%s") "<td class=n>%s%%" BAR("%s") "<td class=n>%s%%</tr>\n",
                 lib_word(LIB_EN, s->title), lib_word(LIB_ZH, s->title), rows[i].schedulers,
                 rows[i].bar, rows[i].warps);
        }
        if (none)
            want("<tr><td>" BOTH("no warp resident", "没有驻留的 warp") "<td class=n>0.5%%" BAR(
                "0.5") "<td class=n>-</tr>\n");
        want("</table></section>\n<div></div></div>\n");
        check_page("cycles");
    }
}

/* An octave is 22 wide from 60 on, which is 2^-6; a decade 45 high from 20 on, which is the peak;
 * nothing lies outside. */
static void roofline(void) {
    static const struct {
        double gbs, flop, bytes, us;
        const char *roof, *dot, *says;
    } rows[] = {/* 1000 GB/s meet 64000 GFLOP/s at 64 operations a byte, and make 15.625 at 1/64 */
                {1000, 1.28e9, 6.4e8, 2000, "60.0,182.6 324.0,20.0 412.0,20.0",
                 "cx=\"214.0\" cy=\"110.0\"", SAYS("640", "2", "32%")},
                /* 64 GB/s: at 1000; what is below four decades begins where it comes up, at 0.1 */
                {64, 6.4e12, 6.4e9, 1e6, "118.9,200.0 411.2,20.0 412.0,20.0",
                 "cx=\"411.2\" cy=\"65.0\"", SAYS("6,400", "1,000", "10%")},
                {1000, 1e9, 1e12, 1e6, "60.0,182.6 324.0,20.0 412.0,20.0",
                 "cx=\"60.0\" cy=\"200.0\"", SAYS("1", "0.001", "100%")},
                {1000, 2e14, 1, 1e6, "60.0,182.6 324.0,20.0 412.0,20.0", "cx=\"412.0\" cy=\"20.0\"",
                 SAYS("200,000", "200,000,000,000,000", "312%")}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_profile p = device(rows[k].gbs);
        profile_kernel x = kernel();
        x.time_us = rows[k].us;
        x.counters.flop_sp = (uint64_t)rows[k].flop / 4,
        x.counters.flop_dp = (uint64_t)rows[k].flop - x.counters.flop_sp;
        x.counters.dram_read = (uint64_t)rows[k].bytes / 4,
        x.counters.dram_write = (uint64_t)rows[k].bytes - x.counters.dram_read;
        draw(&x, &p);
        want("<section><h3>" BOTH(
                 "Roofline",
                 "屋顶线") "</h3>\n<svg viewBox=\"0 0 430 240\" width=430 role=img><polyline "
                           "fill=none "
                           "style=\"stroke:var(--dim)\" stroke-width=2 points=\"%s\"/><circle %s "
                           "r=6 style=\"fill:var(--a)\"/>"
                           "<text x=\"60.0\" y=218 text-anchor=middle>0.01562</text><text "
                           "x=\"148.0\" y=218 text-anchor=middle>0.25</text>"
                           "<text x=\"236.0\" y=218 text-anchor=middle>4</text><text x=\"324.0\" "
                           "y=218 text-anchor=middle>64</text>"
                           "<text x=\"412.0\" y=218 text-anchor=middle>1,024</text>"
                           "<text x=54 y=\"24.0\" text-anchor=end>64,000</text><text x=54 "
                           "y=\"69.0\" text-anchor=end>6,400</text>"
                           "<text x=54 y=\"114.0\" text-anchor=end>640</text><text x=54 "
                           "y=\"159.0\" text-anchor=end>64</text>"
                           "<text x=54 y=\"204.0\" text-anchor=end>6.4</text>"
                           "<text x=236 y=236 text-anchor=middle>" BOTH_DRAWN(
                               "flop / DRAM byte",
                               "每字节显存流量的浮点运算数") "</text><text x=64 "
                                                             "y=14>GFLOP/s</text></svg><p>%s</p></"
                                                             "section>\n",
             rows[k].roof, rows[k].dot, rows[k].says);
        const char *got = strstr(end(), "<section><h3>" BOTH("Roofline", "屋顶线"));
        if (!check_that(got && !strncmp(got, wanted, wanted_n), __FILE__, __LINE__, rows[k].says,
                        got ? got : "none"))
            puts(wanted);
        wanted_n = 0;
    }
    sim_profile p = device(1000);
    static const struct {
        uint64_t flop, bytes;
        double us;
    } none[] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    for (int i = 0; i < 3; i++) {
        profile_kernel x = kernel();
        x.counters.flop_sp = none[i].flop, x.counters.dram_read = none[i].bytes,
        x.time_us = none[i].us;
        draw(&x, &p);
        CHECK(!strstr(end(), "Roofline"));
    }
}

static void occupancy(void) {
    sim_profile p = device(1000);
    profile_kernel k = kernel();
    k.occupancy = (sim_occupancy){.blocks = 2,
                                  .warps = 6,
                                  .pct = 9.4,
                                  .by_blocks = 32,
                                  .by_warps = 10,
                                  .by_registers = 4,
                                  .by_shared = 7};
    k.registers = 33, k.shared = 1024, k.launches = 2, k.achieved_pct = 15;
    draw(&k, &p);
    want("<div><section><h3>" BOTH("Warp slots of a multiprocessor",
                                   "一个多处理器的 warp 槽") "</h3>\n<div class=slots>");
    for (int i = 0; i < 64; i++) want(i < 6 ? "<i class=on></i>" : "<i class=off></i>");
    want("</div><p>" BOTH("6 / 64 warps (9%%), 2 blocks;", "6 / 64 个 warp（9%%），2 个块；") BOTH(
        " would fit by blocks 32, warps 10, registers 4 (33 a thread), shared memory 7 (1,024 B a "
        "block);",
        "各资源允许的块数：块槽 32，warp 槽 10，寄存器 4（每线程 33 个），共享内存 7（每块 1,024 "
        "字节）；") BOTH(" achieved 8%%", "实际达到 8%%") "</p></section>\n</div></div>\n");
    const char *got = strstr(end(), "<div><section>");
    CHECK_STR(got, wanted);
    wanted_n = 0;
    p.max_threads_sm = 129 * 32; /* 128 are drawn at most */
    k.occupancy.warps = 128;
    draw(&k, &p);
    size_t n = 0;
    for (const char *s = end(); (s = strstr(s, "<i class=on>")); s++) n++;
    CHECK_INT(n, 128);
    CHECK_CONTAINS(shown, "</div><p><span class=en lang=en>128 / 129 ");
    draw(&k, NULL);
    CHECK(!strstr(end(), "class=slots"));
    k.occupancy.blocks = 0;
    draw(&k, &p);
    CHECK(!strstr(end(), "class=slots"));
}

#define MB(n)    BOTH_DRAWN(n " MB", n " MB")
#define BYTES(n) BOTH_DRAWN(n " bytes", n " 字节")
/* The widest arrow, 12, is the way of most bytes; 1 and 11 times the part for the others; none for
 * no bytes. */
static void memory(void) {
    static const struct {
        uint64_t loads, stores, l2_sectors, reads, writes;
        const char *w[3], *size[3]; /* MB from 10,000 bytes on */
    } rows[] = {{1000000,
                 2000000,
                 187500,
                 500000,
                 1000000,
                 {"6.5", "12.0", "3.8"},
                 {MB("3"), MB("6"), MB("1.5")}},
                {1000000,
                 2000000,
                 187500,
                 12000000,
                 0,
                 {"3.8", "6.5", "12.0"},
                 {MB("3"), MB("6"), MB("12")}},
                {8000000,
                 4000000,
                 187500,
                 0,
                 3000000,
                 {"12.0", "6.5", "3.8"},
                 {MB("12"), MB("6"), MB("3")}},
                {0, 0, 0, 0, 1000000, {"0.0", "0.0", "12.0"}, {BYTES("0"), BYTES("0"), MB("1")}},
                {32, 0, 1, 0, 0, {"12.0", "12.0", "0.0"}, {BYTES("32"), BYTES("32"), BYTES("0")}}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        profile_kernel x = kernel();
        x.counters = (sim_counters){.gld_bytes = rows[k].loads,
                                    .gst_bytes = rows[k].stores,
                                    .l2_sectors = rows[k].l2_sectors,
                                    .l2_hits = rows[k].l2_sectors / 4,
                                    .l1_sectors = k ? 0 : 4,
                                    .l1_hits = 3,
                                    .dram_read = rows[k].reads,
                                    .dram_write = rows[k].writes};
        draw(&x, NULL);
        want(HEAD "<div><section><h3>" BOTH(
            "Ways of memory", "数据通路") "</h3>\n<svg viewBox=\"0 0 430 96\" width=430 role=img>");
        static const char *const boxes[] = {BOTH_DRAWN("lanes", "lane"), BOTH_DRAWN("L1", "L1"),
                                            BOTH_DRAWN("L2", "L2"), BOTH_DRAWN("DRAM", "显存")};
        static const int at[] = {5, 127, 249, 371}, arrows[] = {56, 178, 300};
        for (int i = 0; i < 4; i++)
            want("<rect x=%d y=34 width=50 height=32 rx=4 fill=none "
                 "style=\"stroke:var(--dim)\"/><text x=%d y=54 "
                 "text-anchor=middle>%s</text>",
                 at[i], at[i] + 25, boxes[i]);
        for (int i = 0; i < 3; i++)
            want("<line x1=%d y1=50 x2=%d y2=50 style=\"stroke:var(--a)\" "
                 "stroke-width=\"%s\"/><text x=%d y=30 "
                 "text-anchor=middle>%s</text><text x=%d y=78 text-anchor=middle>%s</text>",
                 arrows[i], arrows[i] + 70, rows[k].w[i], arrows[i] + 35, rows[k].size[i],
                 arrows[i] + 35,
                 i == 1 && !k                   ? "L1 75%"
                 : i < 2 || !rows[k].l2_sectors ? ""
                 : rows[k].l2_sectors == 1      ? "L2 0%"
                                                : "L2 25%");
        want("</svg></section>\n</div></div>\n");
        check_page("ways of memory");
    }
}

/* Counted lines and the up to three between them; red by their part of all, named by what they
 * waited for most. */
static void source(void) {
    char path[] = "/tmp/warplab-page-XXXXXX";
    int fd = mkstemp(path);
    static const char text[] =
        "one\n\ttwo <2>\nthree\nfour\nfive\r\nsix\nseven\neight\nnine\nten\n";
    CHECK(write(fd, text, sizeof text - 1) == sizeof text - 1);
    close(fd);
    sim_line lines[4] = {{.file = path, .line = 6},
                         {.file = path, .line = 2},
                         {.file = path, .line = 11},
                         {.file = "", .line = 3}};
    lines[0].stall_us[SIM_STALL_SELECTED] = 40, lines[0].stall_us[SIM_STALL_WAIT] = 15;
    lines[0].stall_us[SIM_STALL_BARRIER] = 20;
    lines[0].counters = (sim_counters){.gld_requests = 2,
                                       .gld_sectors = 9,
                                       .gst_requests = 2,
                                       .gst_sectors = 1999,
                                       .shared_ld_requests = 1,
                                       .shared_ld_conflicts = 1000,
                                       .shared_st_conflicts = 5,
                                       .warp_inst = 2,
                                       .thread_inst = 33};
    lines[1].stall_us[SIM_STALL_WAIT] = 1; /* no more than a hundredth of 100 */
    lines[1].counters = (sim_counters){.shared_st_requests = 1, .shared_st_conflicts = 7};
    lines[2].stall_us[SIM_STALL_SELECTED] = 22, lines[2].stall_us[SIM_STALL_WAIT] = 2;
    profile_kernel k = kernel();
    k.lines = lines, k.line_count = 4;
    draw(&k, NULL);
#define TABLE                                                                                                          \
    "</p><div class=scroll><table class=src><tr><th class=n><th class=n>" BOTH(                                        \
        "us", "微秒") "<th "                                                                                           \
                      "class=n>" BOTH("ld s/r", "读扇区") "<th class=n>" BOTH("st s/r", "写扇区") "<th class=n>" BOTH( \
                          "bank",                                                                                      \
                          "存储体冲突") "<th class=n>" BOTH("lanes",                                                   \
                                                            "活跃 lane") "<th>" BOTH("mostly",                         \
                                                                                     "主要状态") "<th></tr>\n"
#define ROW(hot, line) "<tr style=\"background:rgba(var(--hot)," hot ")\"><td class=n>" line
    want(HEAD "<div></div></div>\n<h3>" BOTH("Source: the redder, the more of the time",
                                             "源代码：越红越花时间") "</h3>\n");
    want("<p class=dim>PTX" TABLE ROW("0.00",
                                      "3") "<td class=n>0.00<td class=n>-<td class=n>-<td "
                                           "class=n>-<td class=n>-<td><td></tr>\n</table></div>\n");
    want("<p class=dim>%s" TABLE, path);
    want(ROW("0.01", "2") "<td class=n>1.00<td class=n>-<td class=n>-<td class=n>7<td "
                          "class=n>-<td><td>    two &lt;2&gt;</tr>\n");
    static const char *const between[] = {"three", "four", "five"};
    for (int i = 0; i < 3; i++)
        want(ROW("0.00", "%d") "<td><td><td><td><td><td><td>%s</tr>\n", i + 3, between[i]);
    const sim_stall_info *s = sim_stall_at(SIM_STALL_BARRIER), *w = sim_stall_at(SIM_STALL_WAIT);
    /* 75 of 100 us; 999.5 and 1005 in whole numbers */
    want(ROW("0.45", "6") "<td class=n>75.00<td class=n>4.5<td class=n>1,000<td class=n>1,005<td "
                          "class=n>16.5<td>" BOTH("%s", "%s") "<td>six</tr>\n",
         lib_word(LIB_EN, s->title), lib_word(LIB_ZH, s->title));
    /* five lines further: nothing between; the file has no such line */
    want(ROW("0.14", "11") "<td class=n>24.00<td class=n>-<td class=n>-<td class=n>-<td "
                           "class=n>-<td>" BOTH("%s", "%s") "<td></tr>\n</table></div>\n",
         lib_word(LIB_EN, w->title), lib_word(LIB_ZH, w->title));
    check_page("source");
    unlink(path);
}

/* The rows of a source that was drawn, by themselves: hot part, line, microseconds, what it waited
 * for mostly, text. */
static const char *rows_of_source(void) {
    static char out[40000];
    size_t at = 0;
    out[0] = 0;
    for (const char *r = end(); (r = strstr(r, "<tr style=\"background:rgba(var(--hot),"));) {
        const char *line, *us, *cell = r, *close = strstr(r, "</tr>");
        r += strlen("<tr style=\"background:rgba(var(--hot),");
        line = strstr(r, "<td class=n>") + strlen("<td class=n>");
        us = strstr(line, "<td") + strlen("<td");
        us += !strncmp(us, " class=n>", 9) ? 9 : 1;
        for (int k = 0; k < 7; k++) cell = strstr(cell + 1, "<td");
        const char *title = strstr(cell, "lang=en>"), *text = strstr(cell + 1, "<td>") + 4;
        title = title && title < close ? title + strlen("lang=en>") : "<";
        at += (size_t)snprintf(out + at, sizeof out - at, "%.4s %.*s %.*s [%.*s] %.*s\n", r,
                               (int)strcspn(line, "<"), line, (int)strcspn(us, "<"), us,
                               (int)strcspn(title, "<"), title, (int)(close - text), text);
    }
    return out;
}

/* Files by name and their lines by number, each with its own text; parts of a small sum; where the
 * rows end. */
static void source_lines(void) {
    char path[] = "/tmp/warplab-page-XXXXXX";
    int fd = mkstemp(path);
    FILE *text = fdopen(fd, "w");
    for (int k = 1; k <= 19; k++) fprintf(text, "text %d\n", k);
    for (int k = 0; k < 250; k++) fputc('a' + k / 50, text); /* line 20: 200 bytes are shown */
    fclose(text);
    static const unsigned at[] = {13, 20, 1, 12, 3};
    sim_line lines[401] = {{.file = "/z.cu", .line = 5}, {.file = "/z.cu", .line = 4}};
    for (int k = 0; k < 5; k++) lines[2 + k] = (sim_line){.file = path, .line = at[k]};
    /* 1 us in all: the half of it is 0.6 / 2 hot, a quarter 0.6 / 4; the first counts too */
    lines[4].stall_us[SIM_STALL_SELECTED] = 0.5;
    lines[2].stall_us[SIM_STALL_WAIT] = 0.125, lines[2].stall_us[SIM_STALL_BARRIER] = 0.125;
    lines[3].stall_us[1] = 0.25;
    profile_kernel k = kernel();
    k.lines = lines, k.line_count = 7;
    draw(&k, NULL);
    const char *first =
        lib_word(LIB_EN, sim_stall_at(SIM_STALL_WAIT < SIM_STALL_BARRIER ? SIM_STALL_WAIT
                                                                         : SIM_STALL_BARRIER)
                             ->title);
    want("0.30 1 0.50 [] text 1\n0.00 2  [] text 2\n0.00 3 0.00 [] text 3\n"
         "0.00 12 0.00 [] text 12\n0.15 13 0.25 [%s] text 13\n0.15 20 0.25 [%s] ",
         first, lib_word(LIB_EN, sim_stall_at(1)->title));
    for (int i = 0; i < 200; i++) want("%c", 'a' + i / 50);
    want("\n0.00 4 0.00 [] \n0.00 5 0.00 [] \n");
    CHECK_STR(rows_of_source(), wanted);
    wanted_n = 0;
    /* no time at all is no part of it */
    lines[2].stall_us[SIM_STALL_WAIT] = lines[2].stall_us[SIM_STALL_BARRIER] = 0;
    lines[3].stall_us[1] = 0;
    k.line_count = 3;
    draw(&k, NULL);
    CHECK_STR(rows_of_source(), "0.00 13 0.00 [] text 13\n0.00 4 0.00 [] \n0.00 5 0.00 [] \n");
    /* 400 rows of a file */
    for (unsigned n = 0; n < 401; n++) lines[n] = (sim_line){.file = "", .line = n + 1};
    k.line_count = 401;
    draw(&k, NULL);
    const char *rows = rows_of_source();
    CHECK_CONTAINS(rows, "\n0.00 400 0.00 [] \n");
    CHECK(!strstr(rows, " 401 "));
    k.line_count = 0;
    draw(&k, NULL);
    CHECK_STR(rows_of_source(), "");
    CHECK(!strstr(shown, "<h3>"));
    unlink(path);
}

int main(void) {
    words();
    heads();
    costs();
    cycles();
    roofline();
    occupancy();
    memory();
    source();
    source_lines();
    free(shown);
    return check_done();
}
