/* The glossary: every counter and figure has a row, and so has every word that lessons introduce
 * with its English name in brackets; rows are whole in both languages, name labs that there are,
 * and are found by each of their words. */
#include <dirent.h>
#include <stdlib.h>
#include "grader/figure.h"
#include "runner/device/sim/sim.h"
#include "runner/base/file.h"
#include "runner/base/word.h"
#include "runner/base/words/table.h"
#include "runner/device/server/device.h"
#include "runner/grade/glossary.h"
#include "tests/check.h"

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
        size_t n;
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
        for (int lang = 0; lang < LIB_LANGS; lang++)
            for (const char *list = e.names[lang], *a; (a = lib_next_word(&list, &n));) {
                char word[100];
                snprintf(word, sizeof word, "%.*s", (int)n, a);
                if (!glossary_find(word, &found)) CHECK(false);
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

/* In both languages a sentence, and a lab that there is. */
static void answered(const char *word) {
    glossary_entry e;
    char path[200] = "";
    bool there = glossary_find(word, &e) && *e.doc[LIB_EN] && *e.doc[LIB_ZH];
    if (there) snprintf(path, sizeof path, "labs/%s.lua", e.lab);
    if (!there || !lib_is_file(path)) printf("# help does not know \"%s\"\n", word);
    CHECK(there && lib_is_file(path));
}

/* Up to what parts a name from its unit or its explanation: "time, us", "bus (us)", in Chinese
 * too. */
static void answered_name(const char *word) {
    static const char *const behind[] = {", ", "\uff0c", "\uff08", "\uff1a"};
    size_t n = strlen(word);
    glossary_entry e;
    if (glossary_find(word, &e)) {
        answered(word);
        return;
    }
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        const char *at = strstr(word, behind[i]);
        if (at && (size_t)(at - word) < n) n = (size_t)(at - word);
    }
    char name[200];
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    answered(name);
}

/* Rows that a picture, a page or a table prints as a name: above a column, before a bar, in a box.
 * By the beginning of the id, so that a new one is held to it too. */
static const char *const names[] = {
    "profile.column-",       "profile.head-",     "profile.box-",     "profile.track-",
    "profile.limit-",        "profile.title-",    "grade.name-",      "repl.ladder-column-",
    "listing.column-",       "profile.measured",  "profile.modelled", "profile.no-warp-",
    "report.column-limiter", "report.row-speedup"};

static void headings(void) {
    size_t seen[sizeof names / sizeof *names] = {0};
    for (size_t i = 0; i < lib_rows_n; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const lib_row *r = &lib_rows[i];
            if (strncmp(r->name, names[k], strlen(names[k])) != 0 || r->n) continue;
            seen[k]++;
            for (int lang = 0; lang < LIB_LANGS; lang++)
                answered_name(lib_word((lib_lang)lang, r->id));
        }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (!seen[k]) printf("# no row begins with %s\n", names[k]);
        CHECK(seen[k] > 0);
    }
}

/* What tables have names for. */
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
    for (unsigned i = 0; i < DEV_IF_COUNT; i++)
        for (int lang = 0; lang < LIB_LANGS; lang++)
            answered(lib_word((lib_lang)lang, dev_whole_title(i)));
    static const char *const limiters[] = {"dram",  "l2",      "l1",    "shared",
                                           "issue", "latency", "launch"};
    for (size_t i = 0; i < sizeof limiters / sizeof *limiters; i++) {
        for (int l = 0; l < LIB_LANGS; l++) answered(grade_limiter_word(limiters[i], (lib_lang)l));
    }
}

int main(void) {
    counters();
    picture_words();
    headings();
    rows();
    lessons();
    finding();
    return check_done();
}
