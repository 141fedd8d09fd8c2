/* The glossary: every counter and figure has a row, and so has every word that lessons introduce with its
 * English name in brackets; rows are whole in both languages, name labs that there are, and are found by
 * each of their words. */
#include <dirent.h>
#include <stdlib.h>
#include "grader/figure.h"
#include "runner/device/sim/sim.h"
#include "runner/base/file.h"
#include "runner/grade/glossary.h"
#include "tests/check.h"
#include "words/grade.h"

static void counters(void) {
    glossary_entry e;
    for (size_t i = 0; i < sim_counter_count() + grade_metric_count(); i++) {
        const sim_counter_info *c =
            i < sim_counter_count() ? sim_counter_at(i) : grade_metric_at(i - sim_counter_count());
        bool there = glossary_find(c->name, &e);
        if (!there) printf("# no row for %s\n", c->name);
        CHECK(there && e.counter);
    }
}

static void rows(void) {
    for (size_t i = 0; i < glossary_count(); i++) {
        glossary_entry e = glossary_at(i), found;
        char path[200];
        snprintf(path, sizeof path, "labs/%s.lua", e.lab);
        bool whole = *e.name[LIB_EN] && *e.name[LIB_ZH] && *e.doc[LIB_EN] && *e.doc[LIB_ZH] &&
                     lib_is_file(path);
        if (!whole) printf("# %s (%s)\n", e.name[LIB_EN], e.lab);
        CHECK(whole);
        /* By its own name it is itself that is found, not a row before it. */
        bool own = glossary_find(e.name[LIB_EN], &found) &&
                   !strcmp(found.name[LIB_EN], e.name[LIB_EN]) &&
                   glossary_find(e.name[LIB_ZH], &found);
        if (!own) printf("# %s is found as %s\n", e.name[LIB_EN], found.name[LIB_EN]);
        CHECK(own);
        for (const char *a = e.aliases; *a;) {
            char word[100];
            size_t n = strcspn(a, "|");
            snprintf(word, sizeof word, "%.*s", (int)n, a);
            if (!glossary_find(word, &found)) CHECK(false);
            a += n + (a[n] == '|');
        }
    }
}

/* "存储体（bank）" in a lesson. Returns how many there were. */
static size_t glosses(const char *text, const char *file) {
    size_t n = 0;
    static const char open[] = "（", close[] = "）";
    for (const char *s = text; (s = strstr(s, open));) {
        s += sizeof open - 1;
        size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ -");
        if (len < 3 || strncmp(s + len, close, sizeof close - 1) || s[0] == ' ') continue;
        char word[80];
        snprintf(word, sizeof word, "%.*s", (int)len, s);
        glossary_entry e;
        bool there = glossary_find(word, &e);
        if (!there) printf("# %s introduces \"%s\", which has no row\n", file, word);
        CHECK(there);
        n++;
    }
    return n;
}

static void lessons(void) {
    DIR *d = opendir("labs");
    size_t n = 0;
    CHECK(d != NULL);
    for (struct dirent *f; d && (f = readdir(d));) {
        char path[300];
        size_t len;
        const char *dot = strrchr(f->d_name, '.');
        if (!dot || strcmp(dot, ".lua")) continue;
        snprintf(path, sizeof path, "labs/%s", f->d_name);
        char *text = lib_read_file(path, 1 << 20, &len, NULL);
        if (text) n += glosses(text, f->d_name);
        free(text);
    }
    if (d) closedir(d);
    CHECK(n > 10);
}

static void finding(void) {
    glossary_entry e;
    CHECK(glossary_find("Sectors", &e) && !strcmp(e.name[LIB_EN], "sector"));
    CHECK(glossary_find("扇区", &e) && !strcmp(e.name[LIB_EN], "sector"));
    CHECK(glossary_find("__syncthreads", &e) && !strcmp(e.name[LIB_EN], "barrier"));
    CHECK(!glossary_find("", &e));
    CHECK(!glossary_find("xyzzy", &e));
    CHECK(glossary_find("gld_sectors", &e) &&
          !strcmp(e.nsight, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
}

static void answered(const char *word) {
    glossary_entry e;
    bool there = glossary_find(word, &e) && *e.doc[LIB_EN] && *e.doc[LIB_ZH];
    if (!there) printf("# help does not know \"%s\"\n", word);
    CHECK(there);
}

/* What a picture prints in front of a bar, or above a column: it can be looked up as it stands. */
static void picture_words(void) {
    for (unsigned i = 0; i < SIM_STALL_COUNT; i++) {
        answered(lib_word(LIB_EN, sim_stall_at(i)->title));
        answered(lib_word(LIB_ZH, sim_stall_at(i)->title));
        answered(sim_stall_at(i)->name);
    }
    for (unsigned i = 0; i < SIM_COST_COUNT; i++) {
        answered(lib_word(LIB_EN, sim_cost_at(i)->title));
        answered(lib_word(LIB_ZH, sim_cost_at(i)->title));
    }
    static const char *const limiters[] = {"dram",  "l2",      "l1",    "shared",
                                           "issue", "latency", "launch"};
    for (size_t i = 0; i < sizeof limiters / sizeof *limiters; i++) {
        answered(limiters[i]);
        answered(grade_limiter_word(limiters[i]));
    }
    static const lib_word_id headings[] = {
        W_GRADE_SHOW_SECTORS_USED,  W_GRADE_SHOW_DIV_INST,   W_GRADE_SHOW_DIV_SPLIT,
        W_GRADE_SHOW_DIV_LANES,     W_GRADE_SHOW_OCC_BLOCKS, W_GRADE_SHOW_OCC_WARPS,
        W_GRADE_SHOW_OCC_REGISTERS, W_GRADE_SHOW_OCC_SHARED, W_GRADE_SHOW_TIME_H2D,
        W_GRADE_SHOW_TIME_D2H,      W_GRADE_SHOW_TIME_ON,    W_GRADE_SHOW_TIME_BUSY};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        for (int lang = 0; lang < LIB_LANGS; lang++)
            answered(lib_word((lib_lang)lang, headings[i]));
}

int main(void) {
    counters();
    picture_words();
    rows();
    lessons();
    finding();
    return check_done();
}
