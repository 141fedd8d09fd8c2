/* What the profiler says below its table: what-if, where the cycles went, advice. Whole texts,
 * worked out by hand from a kernel made by hand. */
#include <stdlib.h>
#include "runner/profile/advice.h"
#include "runner/profile/words.h"
#include "runner/term/text.h"
#include "tests/check.h"

/* What does not fit into 80 columns goes on below, where it began. */
#define UNDER "                                                    "

static char *said;
static char *of(void (*print)(FILE *, const profile_kernel *, lib_lang), const profile_kernel *k,
                lib_lang lang) {
    size_t n;
    free(said);
    FILE *to = open_memstream(&said, &n);
    print(to, k, lang);
    fclose(to);
    return said;
}

static profile_place places[] = {{"/src/a.cu", 15}, {"", 7}, {"b.cu", 2}, {"c.cu", 9}};
/* 100 us, and nothing is to be won; then what a test changes. */
static profile_kernel kernel(double us) {
    profile_kernel k = {.asked_us = us, .places = places, .place_count = 4, .occupancy_pct = 100};
    for (unsigned c = 0; c < SIM_COST_COUNT; c++) k.what_if[c].time_us = us;
    k.achieved_pct = 100, k.launches = 1;
    return k;
}

static void what_if(void) {
    profile_kernel k = kernel(100);
    CHECK_STR(of(profile_print_what_if, &k, LIB_EN),
              "      what if: leaving out any single cost saves at most 2%\n");
    CHECK_STR(of(profile_print_what_if, &k, LIB_ZH),
              "      若去掉某项开销：单独去掉任何一项，最多省下 2%\n");
    k.what_if[SIM_COST_BANKS] =
        (sim_what_if){.time_us = 50, .line_count = 1, .line = {2}, .part = {0.996f}};
    k.what_if[SIM_COST_SECTORS] = (sim_what_if){
        .time_us = 40, .line_count = 4, .line = {0, 1, 2, 3}, .part = {0.5f, 0.3f, 0.1f, 0.1f}};
    k.what_if[SIM_COST_L2] =
        (sim_what_if){.time_us = 80, .line_count = 2, .line = {3, 1}, .part = {0.955f, 0.045f}};
    k.what_if[SIM_COST_LAUNCH].time_us = 98;    /* 1.0204 */
    k.what_if[SIM_COST_BALANCE].time_us = 98.1; /* 1.0194: not worth a line */
    char want[1200];
    snprintf(want, sizeof want,
             "      what if, of 100.00 us        then      saves at most      paid at\n"
             "        %-24s    40.00 us     60.00 us  2.50x  a.cu:15 (50%%), PTX:7 (30%%), b.cu:2 "
             "(10%%)\n"
             "        %-24s    50.00 us     50.00 us  2.00x  b.cu:2\n"
             "        %-24s    80.00 us     20.00 us  1.25x  c.cu:9 (95%%)\n"
             "        %-24s    98.00 us      2.00 us  1.02x\n",
             lib_word(LIB_EN, sim_cost_at(SIM_COST_SECTORS)->title),
             lib_word(LIB_EN, sim_cost_at(SIM_COST_BANKS)->title),
             lib_word(LIB_EN, sim_cost_at(SIM_COST_L2)->title),
             lib_word(LIB_EN, sim_cost_at(SIM_COST_LAUNCH)->title));
    CHECK_STR(of(profile_print_what_if, &k, LIB_EN), want);
    unsigned costs[SIM_COST_COUNT];
    CHECK_INT(profile_costs(&k, 1.25, costs), 3);
    CHECK(costs[0] == SIM_COST_SECTORS && costs[1] == SIM_COST_BANKS && costs[2] == SIM_COST_L2);
    CHECK_INT(profile_costs(&k, 2.51, costs), 0);
    k.asked_us = 0; /* it was not asked */
    CHECK_INT(profile_costs(&k, 1, costs), 0);
    CHECK_STR(of(profile_print_what_if, &k, LIB_EN), "");
}

static void stalls(void) {
    profile_kernel k = kernel(100);
    CHECK_STR(of(profile_print_stalls, &k, LIB_EN), "");
    k.told_us = 200; /* each figure is times its launch's microseconds */
    k.stalls.scheduler_pct[SIM_STALL_LONG_SCOREBOARD] = 60 * 200;
    k.stalls.warp_pct[SIM_STALL_LONG_SCOREBOARD] = 72.25 * 200;
    k.stalls.scheduler_pct[SIM_STALL_WAIT] = k.stalls.warp_pct[SIM_STALL_WAIT] = 0.49 * 200;
    k.stalls.scheduler_pct[SIM_STALL_SELECTED] = 0.5 * 200;
    k.stalls.warp_pct[SIM_STALL_BARRIER] = 0.5 * 200;
    k.stalls.empty_pct = 0.5 * 200;
    sim_line lines[4] = {{.file = "/src/a.cu", .line = 3},
                         {.file = "", .line = 12},
                         {.file = "/src/a.cu", .line = 5},
                         {.file = "/src/a.cu", .line = 6}};
    lines[0].stall_us[SIM_STALL_BARRIER] = 10, lines[0].stall_us[SIM_STALL_WAIT] = 5;
    lines[0].stall_us[SIM_STALL_SELECTED] = 25;
    lines[1].stall_us[SIM_STALL_LONG_SCOREBOARD] = 97, lines[1].stall_us[SIM_STALL_WAIT] = 3;
    lines[2].stall_us[SIM_STALL_WAIT] = 5;
    lines[3].stall_us[SIM_STALL_WAIT] = 2; /* less than a fiftieth of 147: left out */
    k.lines = lines, k.line_count = 4;
    char want[1600];
    const sim_stall_info *selected = sim_stall_at(SIM_STALL_SELECTED),
                         *far = sim_stall_at(SIM_STALL_LONG_SCOREBOARD),
                         *barrier = sim_stall_at(SIM_STALL_BARRIER);
    snprintf(want, sizeof want,
             "      where cycles went       schedulers   warps\n"
             "        %-22s      0.5%%      0.0%%  %s\n        %-22s     60.0%%     72.2%%  %s\n"
             "        %-22s      0.0%%      0.5%%  %s\n        no warp resident            0.5%%  "
             "      -\n"
             "      by source line             time   waits for\n"
             "        PTX:12                     68.0%%  %s 97%%\n"
             "        a.cu:3                     27.2%%  %s 62%%, %s 25%%\n"
             "        a.cu:5                      3.4%%  %s 100%%\n",
             lib_word(LIB_EN, selected->title), "the warp issues an\n" UNDER "instruction",
             lib_word(LIB_EN, far->title), "data from global, local or\n" UNDER "texture memory",
             lib_word(LIB_EN, barrier->title),
             "the other warps of the\n" UNDER "block, at __syncthreads()",
             lib_word(LIB_EN, far->title), lib_word(LIB_EN, selected->title),
             lib_word(LIB_EN, barrier->title),
             lib_word(LIB_EN, sim_stall_at(SIM_STALL_WAIT)->title));
    CHECK_STR(of(profile_print_stalls, &k, LIB_EN), want);
    k.stalls.empty_pct = 0.49 * 200, k.line_count = 0;
    CHECK(!strstr(of(profile_print_stalls, &k, LIB_ZH), "没有驻留"));
    CHECK_CONTAINS(said, "周期分布");
}

/* Padded to `columns` of a terminal, where a letter of Chinese takes two. */
static const char *padded(const char *text, int columns) {
    static char to[8][100];
    static int k;
    char *s = to[k = (k + 1) % 8];
    snprintf(s, sizeof to[0], "%s%*s", text, columns - text_width(text), "");
    return s;
}

/* The same in Chinese; what would take no time at all has no factor. */
static void chinese(void) {
    profile_kernel k = kernel(100);
    k.what_if[SIM_COST_BANKS] =
        (sim_what_if){.time_us = 50, .line_count = 2, .line = {0, 1}, .part = {0.994f, 0.006f}};
    k.what_if[SIM_COST_LATENCY].time_us = 0;
    char want[1600];
    snprintf(want, sizeof want,
             "      若去掉（共 100.00 微秒）      去掉后用时              至多省下  出自\n"
             "        %s     0.00 微秒    100.00 微秒  0.00x\n"
             "        %s    50.00 微秒     50.00 微秒  2.00x  a.cu:15（99%%）\n",
             padded(lib_word(LIB_ZH, sim_cost_at(SIM_COST_LATENCY)->title), 24),
             padded(lib_word(LIB_ZH, sim_cost_at(SIM_COST_BANKS)->title), 24));
    CHECK_STR(of(profile_print_what_if, &k, LIB_ZH), want);
    k.told_us = 2;
    k.stalls.scheduler_pct[SIM_STALL_WAIT] = 25 * 2, k.stalls.warp_pct[SIM_STALL_WAIT] = 0.5 * 2;
    k.stalls.empty_pct = 75 * 2;
    /* ten lines, of which eight are said: those of 10 to 3 us of 55, the longest first */
    sim_line lines[10];
    for (unsigned i = 0; i < 10; i++) {
        lines[i] = (sim_line){.file = "/a-folder/a-name-of-more-than-forty-letters-and-so-cut.cu",
                              .line = i + 1};
        lines[i].stall_us[SIM_STALL_SELECTED] = 0.75f * (float)(i + 1);
        lines[i].stall_us[SIM_STALL_NOT_SELECTED] = 0.25f * (float)(i + 1);
    }
    lines[9].file = "b.cu";
    k.lines = lines, k.line_count = 10;
    const sim_stall_info *wait = sim_stall_at(SIM_STALL_WAIT),
                         *selected = sim_stall_at(SIM_STALL_SELECTED),
                         *not_selected = sim_stall_at(SIM_STALL_NOT_SELECTED);
    int n = snprintf(want, sizeof want,
                     "      周期分布                调度器       warp\n"
                     "        %s     25.0%%      0.5%%  %s\n"
                     "        %s     75.0%%        -\n"
                     "      按源代码行              用时    等什么\n",
                     padded(lib_word(LIB_ZH, wait->title), 22),
                     "等前一条算术指令的结果，几个\n" UNDER "周期", padded("没有驻留的 warp", 22));
    for (int us = 10; us > 2; us--) {
        char place[64];
        if (us == 10) snprintf(place, sizeof place, "%-22s", "b.cu:10");
        else snprintf(place, sizeof place, "a-name-of-more-than-forty-letters-and-so:%d", us);
        n += snprintf(want + n, sizeof want - (size_t)n, "        %s%9.1f%%  %s 75%%，%s 25%%\n",
                      place, 100 * us / 55.0, lib_word(LIB_ZH, selected->title),
                      lib_word(LIB_ZH, not_selected->title));
    }
    CHECK_STR(of(profile_print_stalls, &k, LIB_ZH), want);
    /* no line of which a time is known */
    for (unsigned i = 0; i < 10; i++)
        lines[i].stall_us[SIM_STALL_SELECTED] = lines[i].stall_us[SIM_STALL_NOT_SELECTED] = 0;
    CHECK(!strstr(of(profile_print_stalls, &k, LIB_EN), "by source line"));
}

static void names(const profile_kernel *k, const char *want) {
    profile_advice a[PROFILE_ADVICE];
    char got[100] = "";
    size_t n = profile_advise(k, a);
    for (size_t i = 0; i < n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s ", a[i].name);
    CHECK_STR(got, want);
}

/* By what is saved times the rule's weight; each cost once; a twentieth at least; what a resource
 * is busy with only when it saves a sixth more than the first. */
static void advice(void) {
    profile_kernel k = kernel(105);
    names(&k, "");
    k.what_if[SIM_COST_BANKS].time_us = 100; /* 1.05 */
    names(&k, "banks ");
    k.what_if[SIM_COST_BANKS].time_us = 100.1;
    names(&k, "");
    k.what_if[SIM_COST_SECTORS].time_us = 45;  /* 60 */
    k.what_if[SIM_COST_BANKS].time_us = 55;    /* 50 */
    k.what_if[SIM_COST_BARRIERS].time_us = 47; /* 58: 52.2 */
    names(&k, "sectors banks ");               /* it has no barriers */
    k.counters.barriers = 1;
    names(&k, "sectors barriers banks ");
    k.what_if[SIM_COST_DRAM].time_us = 105 - 68.9;
    names(&k, "sectors barriers banks ");
    k.what_if[SIM_COST_DRAM].time_us = 105 - 69.1; /* 55.28 */
    names(&k, "sectors dram barriers ");
    k.what_if[SIM_COST_DRAM].time_us =
        105 - 76; /* 60.8: the first itself; sectors saves less, but counts whole */
    names(&k, "dram sectors barriers ");
    k = kernel(100);
    k.what_if[SIM_COST_LATENCY].time_us = 50;
    names(&k, "latency ");
    k.occupancy_pct = 49.9;
    names(&k, "occupancy ");
    k.occupancy_pct = 50, k.achieved_pct = 79, k.launches = 2; /* 40 of each launch */
    names(&k, "occupancy ");
    k.achieved_pct = 80;
    names(&k, "latency ");
    /* in words: the text in lines of 72 columns, what is to be won, who pays, which lab */
    k.what_if[SIM_COST_LATENCY] =
        (sim_what_if){.time_us = 40, .line_count = 1, .line = {0}, .part = {0.5f}};
    CHECK_STR(of(profile_print_advice, &k, LIB_EN),
              "      > Each step waits for the one before. Let every thread have several\n"
              "        independent results under way: several elements, or several sums that do\n"
              "        not depend on each other.\n"
              "        (2.50x at most, 60.00 us of 100.00; a.cu:15 (50%); lab ilp)\n");
    for (const char *s = of(profile_print_advice, &k, LIB_ZH); *s; s += strcspn(s, "\n") + 1) {
        int columns = 0;
        for (const char *c = s; *c && *c != '\n'; c++)
            if ((*c & 0xc0) != 0x80) columns += (unsigned char)*c >= 0xe0 ? 2 : 1;
        CHECK(columns <= 8 + 72 + 2); /* a mark may stand behind */
    }
    CHECK_CONTAINS(said, "（至多 2.50 倍，省 60.00 微秒（共 100.00）；a.cu:15（50%）；实验 ilp）");
}

/* Copies are named first where they take longer than all kernels. */
static void copying(void) {
    profile_copying c;
    /* Copies between host and device of 10 + 20.5 us; kernels of 30, to which what stays on the
     * device does not count. */
    dev_record v[] = {
        {.op = DEV_OP_H2D, .start_us = 5, .end_us = 15, .bytes = 1000, .pageable = true},
        {.op = DEV_OP_LAUNCH, .start_us = 20, .end_us = 40, .bytes = 7},
        {.op = DEV_OP_D2D, .start_us = 20, .end_us = 400, .bytes = 7, .pageable = true},
        {.op = DEV_OP_MEMSET, .start_us = 20, .end_us = 400, .bytes = 7},
        {.op = DEV_OP_LAUNCH, .start_us = 50, .end_us = 60},
        {.op = DEV_OP_D2H, .start_us = 60, .end_us = 80.5, .bytes = 234}};
    CHECK(profile_copying_sum(v, 6, &c));
    CHECK(c.us == 30.5 && c.kernels_us == 30 && c.copies == 2 && c.pageable == 1 &&
          c.bytes == 1234);
    v[5].end_us = 80; /* as long is not longer */
    CHECK(!profile_copying_sum(v, 6, &c) && c.us == 30);
    v[5].end_us = 79;
    CHECK(!profile_copying_sum(v, 6, &c) && c.us == 29);
    CHECK(!profile_copying_sum(NULL, 0, &c) && !c.copies);
    c = (profile_copying){
        .us = 12.345, .kernels_us = 2, .copies = 1, .pageable = 1, .bytes = 2500000};
    char *text = lib_words_take(LIB_EN, profile_copying_words(&c));
    CHECK_CONTAINS(text,
                   "12.35 us against 2.00 us (1 copy, 2.5 MB; from or to pageable memory: 1)");
    free(text);
    c.copies = 2, c.us = 12.125;
    text = lib_words_take(LIB_EN, profile_copying_words(&c));
    CHECK_CONTAINS(text, "12.12 us against 2.00 us (2 copies, 2.5 MB;");
    free(text);
    text = lib_words_take(LIB_ZH, profile_copying_words(&c));
    CHECK_CONTAINS(text, "12.12 微秒对 2.00 微秒（2 次，2.5 MB，其中 1 次用的是可分页内存）");
    free(text);
}

int main(void) {
    what_if();
    stalls();
    chinese();
    advice();
    copying();
    free(said);
    return check_done();
}
