/* Numbers as people type them at a question: expressions, full width, units, Chinese, and what is
 * said of what cannot be read. The values are arithmetic done by hand. */
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
        {"64. 。", "", 64},
        {"\t5\t", "", 5},
        {"（１＋２）", "", 3},
        {"6·7", "", 42},
        {"6✕7", "", 42},
        {"6÷4", "", 1.5},
        {"9−2", "", 7},
        {"9–2", "", 7},
        {"9加2减1", "", 10},
        {"1、024", "", 1024},
        {"1_024", "", 1024},
        {"1'024", "", 1024},
        {"1 0 2 4", "", 1024},
        {"2百", "", 200},
        {"2千", "", 2000},
        {"5十", "", 50},
        {"1.5万", "", 15000},
        {"2千万", "", 2e7},
        {"3亿", "", 3e8},
        {"十", "", 10},
        {"一百零五", "", 105},
        {"二万三千四百五十六", "", 23456},
        {"三千万", "", 3e7},
        {"三万万", "", 3e8},
        {"一亿二千万", "", 1.2e8},
        {"一亿零三万五", "", 100030005},
        {"七八九", "", 789},
        {"百分之百", "%", 100},
        {"三分之二", "", 2.0 / 3},
        {"五除以二", "", 2.5},
        {"7-2-1", "", 4},
        {"6 / 3 / 2", "", 1},
        {"-(-3)", "", 3},
        {"--3", "", 3},
        {"-+3", "", -3},
        {"-2^2", "", 4},
        {"2^-1", "", 0.5},
        {"8/blocks", "", 8},
        {"1 = 2 = 3", "", 3},
        {"2 kb", "bytes", 2048},
        {"1 kib", "b", 1024},
        {"1 mb", "b", 1048576},
        {"2 MiB", "KB", 2048},
        {"1 GB", "mb", 1024},
        {"1 gib", "byte", 1073741824},
        {"7 字节", "b", 7},
        {"2 GB / s", "GB/s", 2},
        {"3 s", "ms", 3000},
        {"2 秒", "s", 2},
        {"1 毫秒", "ns", 1e6},
        {"5 ns", "us", 0.005},
        {"5 纳秒", "ns", 5},
        {"4 µs", "ns", 4000},
        {"4 μs", "微秒", 4},
        {"25 percent", "%", 25},
        {"2 seconds", "ms", 2000},
        {"1 millisecond", "us", 1000},
        {"3 microseconds", "微秒", 3},
        {"2 ** 3", "", 8},
        {"0/5", "", 0},
        {"5*0", "", 0},
        {"2.1 million", "", 2.1e6},
        {"2.1M", "", 2.1e6},
        {"2.1 M", "", 2.1e6},
        {"2,100,000", "", 2.1e6},
        {"2.1e6", "", 2.1e6},
        {"2.1 百万", "", 2.1e6},
        {"2.1百万", "", 2.1e6},
        {"2.1 万", "", 21000},
        {"2.1 亿", "", 2.1e8},
        {"2.1 billion bytes", "bytes", 2.1e9},
        {"2 million / 4", "", 5e5},
        {"16 Mi", "", 16777216},
        {"16k", "", 16000},
        {"2.1 million sectors", "", 2.1e6},
        {"210 万次", "", 2.1e6},
        {"12 个扇区", "", 12},
        {"4 sectors per request", "", 4},
        {"4 字节", "", 4},
        {"3 x", "x", 3},
        {"十万", "", 1e5},
        {"一百万", "", 1e6},
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
        {"", "", TEXT_NUMBER_NONE, NULL},
        {"  ", "", TEXT_NUMBER_NONE, NULL},
        {"zzz", "", TEXT_NUMBER_NONE, NULL},
        {"nan", "", TEXT_NUMBER_NONE, NULL},
        {"8*", "", TEXT_NUMBER_OPERAND, ""},
        {"8*/2", "", TEXT_NUMBER_OPERAND, "/2"},
        {"(8+2", "", TEXT_NUMBER_PAREN, ""},
        {"8+2)", "", TEXT_NUMBER_PAREN, ")"},
        {"5/0", "", TEXT_NUMBER_ZERO, NULL},
        {"5/(3-3)", "", TEXT_NUMBER_ZERO, NULL},
        {"3e-", "", TEXT_NUMBER_WORD, NULL},
        {"8*blocks", "", TEXT_NUMBER_WORD, "blocks"},
        {"3 4x!", "", TEXT_NUMBER_WORD, "!"},
        {"10^400", "", TEXT_NUMBER_BIG, NULL},
        {"2 ms", "bytes", TEXT_NUMBER_UNIT, NULL},
        {"16k", "bytes", TEXT_NUMBER_UNIT, "k"}, /* a thousand or 1024? */
        {"16 M", "KB", TEXT_NUMBER_UNIT, "M"},
        {"3 ms", "blocks", TEXT_NUMBER_UNIT, "ms"},
        {"4 KB", "", TEXT_NUMBER_UNIT, "KB"}, /* 4 or 4096? */
        {"2.1 zillion", "", TEXT_NUMBER_WORD, "zillion"},
        {"2.1 million foos", "", TEXT_NUMBER_WORD, "foos"},
        {"2.1 亿兆", "", TEXT_NUMBER_WORD, "兆"},
        {"2.1m", "", TEXT_NUMBER_WORD, "m"},
        {"2.1 millionth", "", TEXT_NUMBER_WORD, "millionth"},
        {"12 sectors and 3", "", TEXT_NUMBER_WORD, "and 3"},
        {"1 az", "", TEXT_NUMBER_WORD, "az"},
        {"1\xc2\x80", "", TEXT_NUMBER_WORD, "\xc2\x80"},
        {"1\xef\xbd\x9f", "", TEXT_NUMBER_WORD, "\xef\xbd\x9f"},
        {"8/a", "", TEXT_NUMBER_WORD, "a"},
        {"1g", "bytes", TEXT_NUMBER_UNIT, "g"},
        {"零分之一", "", TEXT_NUMBER_ZERO, NULL},
        {"1 aaaaaaaaaaaaaaaaab", "", TEXT_NUMBER_WORD, "aaaaaaaaaaaaaaaaab"},
        {"1.2.3", "", TEXT_NUMBER_WORD, NULL},
        {"2 *", "", TEXT_NUMBER_OPERAND, ""},
        {"()", "", TEXT_NUMBER_OPERAND, ")"},
        {"2 ^", "", TEXT_NUMBER_OPERAND, ""},
        {"2 + x", "", TEXT_NUMBER_WORD, "x"},
        {"2 8)", "", TEXT_NUMBER_PAREN, ")"},
        {"-10^301", "", TEXT_NUMBER_BIG, NULL},
        {"=", "", TEXT_NUMBER_NONE, NULL},
        {"1！", "", TEXT_NUMBER_WORD, "!"}, /* U+FF01 and U+FF5E, the ends of full width */
        {"1～", "", TEXT_NUMBER_WORD, "~"},
        {"1\xef\xbc\x80"
         "2",
         "", TEXT_NUMBER_WORD,
         "\xef\xbc\x80"
         "2"}, /* U+FF00 is no blank */
        {"1e3e2", "", TEXT_NUMBER_WORD, "e2"},
        {"1..5", "", TEXT_NUMBER_WORD, ""},
        {"1+.x", "", TEXT_NUMBER_WORD, ".x"},
        {"1+^2", "", TEXT_NUMBER_OPERAND, "^2"},
        {"2*字", "", TEXT_NUMBER_WORD, "字"},
        {"0^-1", "", TEXT_NUMBER_BIG, NULL}, /* no finite value, and none at all */
        {"(-8)^0.5", "", TEXT_NUMBER_BIG, NULL},
        {"1@", "", TEXT_NUMBER_WORD, "@"}, /* the neighbours of letters in ASCII */
        {"1[", "", TEXT_NUMBER_WORD, "["},
        {"1`", "", TEXT_NUMBER_WORD, "`"},
        {"1{", "", TEXT_NUMBER_WORD, "{"},
        {"1\x7f", "", TEXT_NUMBER_WORD, "\x7f"},
        {"2*\xc2\x80", "", TEXT_NUMBER_WORD,
         "\xc2\x80"}, /* as typed, at the ends of UTF-8's lengths */
        {"2*\xdf\xbf", "", TEXT_NUMBER_WORD, "\xdf\xbf"},
        {"2*\xe0\xa0\x80", "", TEXT_NUMBER_WORD, "\xe0\xa0\x80"},
        {"2*\xef\xbf\xbf", "", TEXT_NUMBER_WORD, "\xef\xbf\xbf"},
        {"2*\xf0\x90\x80\x80", "", TEXT_NUMBER_WORD, "\xf0\x90\x80\x80"},
        {"2*\xf3\x96\xa5\xba", "", TEXT_NUMBER_WORD, "\xf3\x96\xa5\xba"},
        {"2*\xf4\x8f\xbf\xbf", "", TEXT_NUMBER_WORD, "\xf4\x8f\xbf\xbf"},
        {"2*\xe6\xa5\xba", "", TEXT_NUMBER_WORD, "\xe6\xa5\xba"},
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

/* The last that is read, and the first that is too much: 16 deep, 128 characters, 63 digits,
 * 1e300. */
static void limits(void) {
    text_number n;
    for (int deep = 16; deep <= 17; deep++) {
        char text[100];
        snprintf(text, sizeof text, "%.*s2%.*s", deep, "((((((((((((((((((((", deep,
                 "))))))))))))))))))))");
        CHECK_INT(text_number_read(text, "", &n), deep == 16 ? TEXT_NUMBER_OK : TEXT_NUMBER_BIG);
        text[0] = '1', text[1] = 0;
        for (int i = 0; i < deep; i++) strcat(text, "^1");
        CHECK_INT(text_number_read(text, "", &n), deep == 16 ? TEXT_NUMBER_OK : TEXT_NUMBER_BIG);
    }
    /* What is closed counts no more. */
    char row[129] = "0";
    for (int i = 0; i < 20; i++) strcat(row, "+(1)");
    for (int i = 0; i < 10; i++) strcat(row, "+1^1");
    CHECK_INT(text_number_read(row, "", &n), TEXT_NUMBER_OK);
    CHECK_NEAR(n.value, 30, 0);
    for (int length = 128; length <= 129; length++) {
        char text[140];
        memset(text, ' ', sizeof text);
        text[0] = '7', text[length] = 0;
        CHECK_INT(text_number_read(text, "", &n), length == 128 ? TEXT_NUMBER_OK : TEXT_NUMBER_BIG);
    }
    for (int digits = 63; digits <= 64; digits++) {
        char text[80];
        memset(text, '0', sizeof text);
        text[digits - 1] = '7', text[digits] = 0;
        CHECK_INT(text_number_read(text, "", &n), digits == 63 ? TEXT_NUMBER_OK : TEXT_NUMBER_BIG);
        if (digits == 63) CHECK_NEAR(n.value, 7, 0);
    }
    CHECK_INT(text_number_read("1e300", "", &n), TEXT_NUMBER_OK);
    CHECK_INT(text_number_read("2e300", "", &n), TEXT_NUMBER_BIG);
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
    static const struct {
        const char *typed;
        bool share, percent;
    } rows[] = {{"0", false, false},         {"0.5", true, false},       {"1", true, false},
                {"1.5", false, false},       {"-0.5", false, false},     {"6/3", true, false},
                {"四分之三", true, false},   {"3 percent", false, true}, {"50%", false, true},
                {"3 percents", false, true}, {"3 percen", false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# %s\n", rows[i].typed);
        text_number_read(rows[i].typed, "%", &n);
        CHECK_INT(n.share, rows[i].share);
        CHECK_INT(n.percent, rows[i].percent);
    }
}

int main(void) {
    reads();
    refuses();
    limits();
    says_how_it_was_meant();
    return check_done();
}
