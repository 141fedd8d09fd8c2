/* Numbers as people type them at a question: expressions, full width, units, Chinese, and what is said of
 * what cannot be read. The values are arithmetic done by hand. */
#include <math.h>
#include "runner/term/number.h"
#include "tests/check.h"

static void reads(void) {
    static const struct {
        const char *typed, *unit;
        double value;
    } rows[] = {
        {"8*128+80", "", 1104},
        {"８＊１２８＋８０", "", 1104},
        {"8 × 128 + 80。", "", 1104},
        {"(7 + 1) * -2", "", -16},
        {"2 + 3 * 4", "", 14},
        {"2^3^2", "", 512},
        {"2**10", "", 1024},
        {"1,024", "", 1024},
        {"1 024", "", 1024},
        {"１，０２４", "", 1024},
        {"1e3", "", 1000},
        {"2e-3", "", 0.002},
        {"2E+3", "", 2000},
        {"12e02 - 1", "", 1199},
        {"3e1+4", "", 34},
        {".5", "", 0.5},
        {"1/32", "%", 0.03125},
        {"4 sectors/request", "sectors/request", 4},
        {"12个", "", 12},
        {"80块", "blocks", 80},
        {"10*8 个线程", "threads", 80},
        {"4 KB", "bytes", 4096},
        {"4096 bytes", "KB", 4},
        {"2.5 ms", "us", 2500},
        {"3 微秒", "us", 3},
        {"三十二", "", 32},
        {"一千零二十四", "", 1024},
        {"二〇四八", "", 2048},
        {"十六", "", 16},
        {"三万两千", "", 32000},
        {"3万", "", 30000},
        {"四分之三", "", 0.75},
        {"百分之三", "%", 3},
        {"8*8 = 64", "", 64},
        {"6 除以 4", "", 1.5},
        {"6乘7", "", 42},
        {"64.", "", 64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_number n;
        text_number_wrong w = text_number_read(rows[i].typed, rows[i].unit, &n);
        if (w || fabs(n.value - rows[i].value) > 1e-12 * fabs(rows[i].value))
            printf("# %s\n", rows[i].typed);
        CHECK_INT(w, TEXT_NUMBER_OK);
        CHECK_NEAR(n.value, rows[i].value, 1e-12 * fabs(rows[i].value));
    }
}

static void refuses(void) {
    static const struct {
        const char *typed, *unit;
        text_number_wrong wrong;
        const char *at;
    } rows[] = {
        {"", "", TEXT_NUMBER_NONE, NULL},          {"  ", "", TEXT_NUMBER_NONE, NULL},
        {"zzz", "", TEXT_NUMBER_NONE, NULL},       {"nan", "", TEXT_NUMBER_NONE, NULL},
        {"8*", "", TEXT_NUMBER_OPERAND, ""},       {"8*/2", "", TEXT_NUMBER_OPERAND, "/2"},
        {"(8+2", "", TEXT_NUMBER_PAREN, ""},       {"8+2)", "", TEXT_NUMBER_PAREN, ")"},
        {"5/0", "", TEXT_NUMBER_ZERO, NULL},       {"5/(3-3)", "", TEXT_NUMBER_ZERO, NULL},
        {"3e-", "", TEXT_NUMBER_WORD, NULL},       {"8*blocks", "", TEXT_NUMBER_WORD, "blocks"},
        {"3 4x!", "", TEXT_NUMBER_WORD, "!"},      {"10^400", "", TEXT_NUMBER_BIG, NULL},
        {"2 ms", "bytes", TEXT_NUMBER_UNIT, NULL}, {"16k", "", TEXT_NUMBER_UNIT, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_number n;
        text_number_wrong w = text_number_read(rows[i].typed, rows[i].unit, &n);
        if (w != rows[i].wrong) printf("# %s\n", rows[i].typed);
        CHECK_INT(w, rows[i].wrong);
        if (rows[i].at) CHECK_STR(n.at, rows[i].at);
    }
    char deep[400], wide[400];
    text_number n;
    for (int i = 0; i < 399; i++) deep[i] = '(', wide[i] = '9';
    deep[399] = wide[399] = 0;
    deep[100] = 0;
    CHECK_INT(text_number_read(deep, "", &n), TEXT_NUMBER_BIG);
    CHECK_INT(text_number_read(wide, "", &n), TEXT_NUMBER_BIG);
    CHECK_INT(text_number_read("\xff\xfe\x80", "", &n), TEXT_NUMBER_NONE);
}

static void says_how_it_was_meant(void) {
    text_number n;
    text_number_read("25 %", "%", &n);
    CHECK(n.percent && !n.share);
    text_number_read("百分之三", "%", &n);
    CHECK(n.percent);
    text_number_read("1/4", "%", &n);
    CHECK(n.share && !n.percent);
    text_number_read("8*4", "%", &n);
    CHECK(!n.share);
}

int main(void) {
    reads();
    refuses();
    says_how_it_was_meant();
    return check_done();
}
