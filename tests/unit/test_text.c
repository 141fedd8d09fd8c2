/* Wrapping with wide characters, markup, untrusted bytes, and the translations' formats. */
#include <stdlib.h>
#include "runner/base/word.h"
#include "grader/figure.h"
#include "grader/result.h"
#include "tests/check.h"
#include "runner/grade/pictures.h"
#include "runner/term/i18n.h"
#include "runner/term/text.h"

static char *shown;
static size_t shown_len;

static text_out begin(int width) {
    static FILE *f;
    if (f) fclose(f);
    free(shown);
    shown = NULL;
    f = open_memstream(&shown, &shown_len);
    return (text_out){.to = f, .width = width};
}
static const char *end(text_out *o) {
    fflush(o->to);
    return shown;
}

/* No line of the text is wider than its terminal. */
static bool fits(const char *s, int width) {
    for (; *s; s += strcspn(s, "\n") + (s[strcspn(s, "\n")] == '\n'))
        if (text_width_n(s, strcspn(s, "\n")) > width) return false;
    return true;
}

static void widths(void) {
    CHECK_INT(text_width("abc"), 3);
    CHECK_INT(text_width("合并访问"), 8);
    CHECK_INT(text_width("a，b"), 4);
    CHECK_INT(text_width("e\xcc\x81"), 1); /* e and a combining accent */
    CHECK_INT(text_fit("合并访问", 5),
              6); /* two characters of three bytes: a third would need column 6 */
    CHECK_INT(text_fit("abcdef", 4), 4);
    uint32_t cp;
    CHECK_INT(text_decode("\xe5\x90\x88", 3, &cp), 3);
    CHECK_INT(cp, 0x5408);
    CHECK_INT(text_decode("\xe5\x90", 2, &cp), 1); /* cut short */
    CHECK_INT(cp, 0xfffd);
    CHECK_INT(text_decode("\xed\xa0\x80", 3, &cp), 1); /* a surrogate */
    CHECK_INT(text_decode("\xc0\xaf", 2, &cp), 1);     /* overlong */
    CHECK_INT(text_decode("\xf5\x80\x80\x80", 4, &cp), 1);
}

static void wrapping(void) {
    text_out o = begin(40);
    text_say(&o, "one two three four five six seven eight nine ten eleven twelve", 0);
    CHECK_STR(end(&o), "one two three four five six seven eight\nnine ten eleven twelve\n");

    /* A soft line break is a blank between words and nothing between Chinese characters. */
    o = begin(40);
    text_say(&o, "first\nsecond\n\n第一行\n第二行", 0);
    CHECK_STR(end(&o), "first second\n\n第一行第二行\n");

    static const char *const soft[][2] = {
        {"a.\nb", "a. b\n"},      {"a,\n中", "a, 中\n"}, {"中.\n文", "中. 文\n"},
        {"中\n，文", "中，文\n"}, {"中\n.a", "中.a\n"},  {"中\na", "中 a\n"},
        {"a\n中", "a 中\n"},      {"中 文", "中 文\n"},  {"中\n*文*", "中文\n"},
        {"。\na", "。a\n"},       {"。 a", "。 a\n"},    {"中\n*", "中 *\n"}};
    for (size_t i = 0; i < sizeof soft / sizeof *soft; i++) {
        o = begin(40);
        text_say(&o, soft[i][0], 0);
        CHECK_STR(end(&o), soft[i][1]);
    }

    /* Nor behind full-width punctuation, nor before *strong* Chinese. */
    o = begin(40);
    text_say(&o, "内存。\n`x` 是\n*数组*，\nn 个", 0);
    CHECK_STR(end(&o), "内存。`x` 是数组，n 个\n");

    /* 19 wide characters fill 38 of 39 columns; the comma may not begin the next line, so its
     * character moves along. */
    o = begin(40);
    text_say(&o, "一二三四五六七八九十一二三四五六七八九，一二三", 0);
    CHECK_STR(end(&o), "一二三四五六七八九十一二三四五六七八\n九，一二三\n");

    /* A number stays with its unit. */
    o = begin(40);
    text_say(&o, "一二三四五六七八九十一二三四五六提示 1 条", 0);
    CHECK_STR(end(&o), "一二三四五六七八九十一二三四五六提示\n1 条\n");

    o = begin(40);
    text_say(&o, "- an item that is longer than the line and goes on\n- the next", 2);
    CHECK_STR(end(&o), "  - an item that is longer than the\n    line and goes on\n  - the next\n");

    o = begin(40);
    text_say(&o, "Code:\n\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n\nafter", 0);
    CHECK_STR(end(&o),
              "Code:\n\n    int i = blockIdx.x * blockDim.x +\n        threadIdx.x;\n\nafter\n");

    o = begin(40);
    text_say(&o,
             "*strong* but 2 * 3 * 4 and `a * b` stay; a "
             "word_of_60_columns_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx is cut",
             0);
    CHECK(fits(end(&o), 40));
    CHECK_CONTAINS(shown, "strong but 2 * 3 * 4 and `a * b`");

    o = begin(40);
    o.colour = true;
    text_say(&o, "a `code` b", 0);
    CHECK_STR(end(&o), "a \033[36mcode\033[0m b\n");
}

#define REPLACED "\xEF\xBF\xBD"
static void untrusted(void) {
    text_out o = begin(80);
    text_put(&o, TEXT_PLAIN, "%s\n", "a\033[2Jb\rc\x7f\xc2\x9b");
    CHECK_STR(end(&o), "a" REPLACED "[2Jbc" REPLACED REPLACED "\n");
    o = begin(80);
    text_raw(&o, "1\n2\n3\n4\n5\n6\n", 12, 2, 4);
    CHECK_STR(end(&o), "  1\n  2\n  ... 2 ...\n  5\n  6\n");
    o = begin(80);
    text_cell(&o, TEXT_PLAIN, 8, "%s", "中文字符太长");
    text_cell(&o, TEXT_PLAIN, 6, "%s", "ab");
    text_cell(&o, TEXT_PLAIN, -6, "%s", "中");
    CHECK_STR(end(&o), "中文字..ab        中");
}

/* Control characters, C0 but tabs and line ends, DEL, and C1, two bytes in UTF-8, what is no UTF-8
 * and marks of direction become U+FFFD, a carriage return nothing; their neighbours stay. */
static void control_characters(void) {
    static const char *const rows[][2] = {{"\x01", REPLACED},
                                          {"\x08", REPLACED},
                                          {"\t", "\t"},
                                          {"\n", "\n"},
                                          {"\x0b", REPLACED},
                                          {"\x1f", REPLACED},
                                          {" ", " "},
                                          {"~", "~"},
                                          {"\x7f", REPLACED},
                                          {"\xc2\x80", REPLACED},
                                          {"\xc2\x9f", REPLACED},
                                          {"\xc2\xa0", "\xc2\xa0"},
                                          {"\xc3\x9b", "\xc3\x9b"},
                                          {"\xc1\x9b", REPLACED REPLACED},
                                          {"\xe2\x80\xae", REPLACED},
                                          {"\r", ""},
                                          {"a\xc2", "a" REPLACED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_out o = begin(80);
        text_put(&o, TEXT_PLAIN, "%s", rows[i][0]);
        CHECK_STR(end(&o), rows[i][1]);
    }
}

/* What a program printed, cut in the middle: of an odd number of lines the head has one more. */
static void raw(void) {
    static const struct {
        const char *text;
        int indent, max;
        const char *shown;
    } rows[] = {
        {"", 2, 4, ""},
        {"a\tb\tc", 1, 9, " a b c\n"},
        {"中\t文\n", 0, 1, "中 文\n"},
        {"1\n2\n3", 0, 3, "1\n2\n3\n"},
        {"1\n2\n3", 0, 2, "1\n... 1 ...\n3\n"},
        {"1\n2\n3\n", 0, 2, "1\n... 1 ...\n3\n"},
        {"1\n2\n3\n4\n5\n6\n", 1, 3, " 1\n 2\n ... 3 ...\n 6\n"},
        {"1\n2\n3\n4\n5\n6", 0, 5, "1\n2\n3\n... 1 ...\n5\n6\n"},
        {"\n\n", 0, 1, "\n... 1 ...\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_out o = begin(80);
        text_raw(&o, rows[i].text, strlen(rows[i].text), rows[i].indent, rows[i].max);
        CHECK_STR(end(&o), rows[i].shown);
    }
    /* A line's first 4096 bytes, and its end. */
    static char line[4100];
    memset(line, 'x', sizeof line);
    for (size_t n = 4095; n <= 4097; n++) {
        text_out o = begin(80);
        text_raw(&o, line, n, 0, 1);
        CHECK_INT(strlen(end(&o)), (n < 4096 ? n : 4096) + 1);
    }
}

/* What is wider than the terminal goes on below, at a blank or beside a wide character, a word
 * never. */
static void raw_breaks(void) {
    static const struct {
        const char *text;
        int indent;
        const char *shown;
    } rows[] = {
        {"12345678901234567890", 0, "12345678901234567890\n"},
        {"1234567890 123456789 ab", 0, "1234567890 123456789\n  ab\n"},
        {"was declared but never referenced x", 2,
         "  was declared but\n    never referenced\n    x\n"},
        {"123456789012345678901234 ab", 0, "123456789012345678901234 ab\n"},
        {"ab 123456789012345678901234", 0, "ab\n  123456789012345678901234\n"},
        {"    ^^^^^^^^^^^^^^^^^^^^^^", 0, "    ^^^^^^^^^^^^^^^^^^^^^^\n"},
        {"1234567890 1234                   ", 0, "1234567890 1234\n"},
        {"中文中文中文 中文中文中文", 0, "中文中文中文 中文中\n  文中文\n"},
        {"中文中文中文中文中文，文", 0,
         "中文中文中文中文中\n  文，文\n"}, /* no comma begins a line */
        {"  // 中文中文中文中文中文", 0, "  // 中文中文中文中\n    文中文\n"},
        {"x 中文中文abc[d][e]", 0, "x 中文中文abc[d][e]\n"},
        {"xyz 中文中文abc[d][e]", 0, "xyz 中文中文\n  abc[d][e]\n"}, /* nor is code cut */
        {"             12345678 9", 0,
         "          12345678 9\n"}, /* its words begin in the left half */
        {"               1234 5", 0, "          1234 5\n"},
        {"               1234", 0, "               1234\n"},
        {"a b\nc d", 0, "a b\nc d\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_out o = begin(20);
        text_raw(&o, rows[i].text, strlen(rows[i].text), rows[i].indent, 9);
        CHECK_STR(end(&o), rows[i].shown);
    }
}

static void cells(void) {
    static const struct {
        const char *text;
        int columns;
        const char *shown;
    } rows[] = {{"abcdef", 6, "abcdef"},
                {"abcdef", 7, "abcdef "},
                {"abcdef", 5, "abc.."},
                {"abcdef", -7, " abcdef"},
                {"abcdef", -5, "abc.."},
                {"中文字", 6, "中文字"},
                {"中文字", 5, "中.. "},
                {"a", 32, "a                               "},
                {"a", 33, "a                                "},
                {"a", 34, "a                                 "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_out o = begin(80);
        text_cell(&o, TEXT_PLAIN, rows[i].columns, "%s", rows[i].text);
        CHECK_STR(end(&o), rows[i].shown);
        CHECK_INT(text_width(shown), abs(rows[i].columns));
    }
}

/* UTF-8 (RFC 3629): the first and the last of each length, and what is none. */
static void decoding(void) {
    static const struct {
        const char *s;
        size_t n, len;
        uint32_t cp;
    } rows[] = {{"\x7f", 1, 1, 0x7f},
                {"\xc2\x80", 2, 2, 0x80},
                {"\xdf\xbf", 2, 2, 0x7ff},
                {"\xe0\xa0\x80", 3, 3, 0x800},
                {"\xed\x9f\xbf", 3, 3, 0xd7ff},
                {"\xee\x80\x80", 3, 3, 0xe000},
                {"\xef\xbf\xbf", 3, 3, 0xffff},
                {"\xf0\x90\x80\x80", 4, 4, 0x10000},
                {"\xf3\xbf\xbf\xbf", 4, 4, 0xfffff},
                {"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
                {"\xc2\x80", 1, 1, 0xfffd},
                {"\xf0\x90\x80\x80", 3, 1, 0xfffd},
                {"\x80", 1, 1, 0xfffd},
                {"\xbf\xbf", 2, 1, 0xfffd},
                {"\xc1\xbf", 2, 1, 0xfffd},
                {"\xc2\x7f", 2, 1, 0xfffd},
                {"\xc2\xc0", 2, 1, 0xfffd},
                {"\xe0\x9f\xbf", 3, 1, 0xfffd},
                {"\xe4\xb8\x41", 3, 1, 0xfffd},
                {"\xed\xbf\xbf", 3, 1, 0xfffd},
                {"\xf0\x8f\xbf\xbf", 4, 1, 0xfffd},
                {"\xf4\x90\x80\x80", 4, 1, 0xfffd},
                {"\xf8\x80\x80\x80", 4, 1, 0xfffd}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t cp = 0;
        CHECK_INT(text_decode(rows[i].s, rows[i].n, &cp), rows[i].len);
        CHECK_INT(cp, rows[i].cp);
    }
}

static int width_of(uint32_t cp) {
    char s[5] = "";
    if (cp < 0x800) snprintf(s, sizeof s, "%c%c", 0xc0 | cp >> 6, 0x80 | (cp & 0x3f));
    else if (cp < 0x10000)
        snprintf(s, sizeof s, "%c%c%c", 0xe0 | cp >> 12, 0x80 | (cp >> 6 & 0x3f),
                 0x80 | (cp & 0x3f));
    else
        snprintf(s, sizeof s, "%c%c%c%c", 0xf0 | cp >> 18, 0x80 | (cp >> 12 & 0x3f),
                 0x80 | (cp >> 6 & 0x3f), 0x80 | (cp & 0x3f));
    return text_width(s);
}

/* EastAsianWidth.txt of Unicode 14 (W and F: 2; A as N: 1), and marks and format characters of
 * UnicodeData.txt (0): the first and last assigned characters of blocks and their neighbours. Of
 * symbols, dingbats and transport all: what emoji-data.txt calls Emoji_Presentation is W there. */
static void blocks(void) {
    static const struct {
        uint32_t lo, hi;
        int width;
    } rows[] = {
        {0xa1, 0xa8, 1},       {0xb1, 0xb7, 1},       {0x2ff, 0x2ff, 1},     {0x300, 0x36f, 0},
        {0x370, 0x370, 1},     {0x10ff, 0x10ff, 1},   {0x1100, 0x115f, 2},   {0x200a, 0x200a, 1},
        {0x200b, 0x200f, 0},   {0x2010, 0x2029, 1},   {0x202a, 0x202e, 0},   {0x202f, 0x205f, 1},
        {0x2060, 0x2064, 0},   {0x20d0, 0x20f0, 0},   {0x2100, 0x2100, 1},   {0x2190, 0x2199, 1},
        {0x231a, 0x231b, 2},   {0x2500, 0x257f, 1},   {0x25a0, 0x25cf, 1},   {0x25fd, 0x25fe, 2},
        {0x2600, 0x2613, 1},   {0x2614, 0x2615, 2},   {0x2616, 0x2647, 1},   {0x2648, 0x2653, 2},
        {0x2654, 0x267e, 1},   {0x267f, 0x267f, 2},   {0x2680, 0x2692, 1},   {0x2693, 0x2693, 2},
        {0x2694, 0x26a0, 1},   {0x26a1, 0x26a1, 2},   {0x26a2, 0x26a9, 1},   {0x26aa, 0x26ab, 2},
        {0x26ac, 0x26bc, 1},   {0x26bd, 0x26be, 2},   {0x26bf, 0x26c3, 1},   {0x26c4, 0x26c5, 2},
        {0x26c6, 0x26cd, 1},   {0x26ce, 0x26ce, 2},   {0x26cf, 0x26d3, 1},   {0x26d4, 0x26d4, 2},
        {0x26d5, 0x26e9, 1},   {0x26ea, 0x26ea, 2},   {0x26eb, 0x26f1, 1},   {0x26f2, 0x26f3, 2},
        {0x26f4, 0x26f4, 1},   {0x26f5, 0x26f5, 2},   {0x26f6, 0x26f9, 1},   {0x26fa, 0x26fa, 2},
        {0x26fb, 0x26fc, 1},   {0x26fd, 0x26fd, 2},   {0x26fe, 0x2704, 1},   {0x2705, 0x2705, 2},
        {0x2706, 0x2709, 1},   {0x270a, 0x270b, 2},   {0x270c, 0x2727, 1},   {0x2728, 0x2728, 2},
        {0x2729, 0x274b, 1},   {0x274c, 0x274c, 2},   {0x274d, 0x274d, 1},   {0x274e, 0x274e, 2},
        {0x274f, 0x2752, 1},   {0x2753, 0x2755, 2},   {0x2756, 0x2756, 1},   {0x2757, 0x2757, 2},
        {0x2758, 0x2794, 1},   {0x2795, 0x2797, 2},   {0x2798, 0x27af, 1},   {0x27b0, 0x27b0, 2},
        {0x27b1, 0x27be, 1},   {0x27bf, 0x27bf, 2},   {0x27c0, 0x27ff, 1},   {0x2e80, 0x2e99, 2},
        {0x3000, 0x3029, 2},   {0x302a, 0x302d, 0},   {0x302e, 0x303e, 2},   {0x303f, 0x303f, 1},
        {0x3041, 0x3096, 2},   {0x33ff, 0x33ff, 2},   {0x3400, 0x4dbf, 2},   {0x4e00, 0x9fff, 2},
        {0xa000, 0xa48c, 2},   {0xa490, 0xa4c6, 2},   {0xa4d0, 0xa4ff, 1},   {0xac00, 0xd7a3, 2},
        {0xf900, 0xfa6d, 2},   {0xfb00, 0xfb06, 1},   {0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe52, 2},
        {0xfe54, 0xfe66, 2},   {0xfe68, 0xfe6b, 2},   {0xfe70, 0xfe74, 1},   {0xfeff, 0xfeff, 0},
        {0xff01, 0xff60, 2},   {0xff61, 0xffbe, 1},   {0xffe0, 0xffe6, 2},   {0xffe8, 0xffee, 1},
        {0x1f300, 0x1f320, 2}, {0x1f321, 0x1f32c, 1}, {0x1f600, 0x1f64f, 2}, {0x1f650, 0x1f67f, 1},
        {0x1f680, 0x1f6c5, 2}, {0x1f6c6, 0x1f6cb, 1}, {0x1f6cc, 0x1f6cc, 2}, {0x1f6cd, 0x1f6cf, 1},
        {0x1f6d0, 0x1f6d2, 2}, {0x1f6d3, 0x1f6d4, 1}, {0x1f6d5, 0x1f6d7, 2}, {0x1f6dd, 0x1f6df, 2},
        {0x1f6e0, 0x1f6ea, 1}, {0x1f6eb, 0x1f6ec, 2}, {0x1f6f0, 0x1f6f3, 1}, {0x1f6f4, 0x1f6fc, 2},
        {0x1f900, 0x1f90b, 1}, {0x1f90c, 0x1f93a, 2}, {0x1f9ff, 0x1f9ff, 2}, {0x1fa00, 0x1fa53, 1},
        {0x1fa70, 0x1fa74, 2}, {0x20000, 0x2a6df, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t c = rows[i].lo; c <= rows[i].hi; c++)
            if (width_of(c) != rows[i].width) {
                printf("U+%04X\n", c);
                CHECK_INT(width_of(c), rows[i].width);
            }
}

/* Sequences of emoji-sequences.txt and emoji-zwj-sequences.txt are one character of two columns,
 * and are not parted. Joiners in Persian join nothing that is wide. */
static void sequences(void) {
    static const struct {
        const char *s;
        int columns, clusters;
    } rows[] = {{"\U0001F469\u200D\U0001F4BB", 2, 1},
                {"\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466", 2, 1},
                {"\U0001F44D\U0001F3FD", 2, 1},
                {"\U0001F469\U0001F3FD\u200D\U0001F52C", 2, 1},
                {"1\uFE0F\u20E3", 2, 1},
                {"\u2764\uFE0F", 2, 1},
                {"\u2764", 1, 1},
                {"\U0001F468\u200D", 2, 1},
                {"\U0001F1E8\U0001F1F3", 2, 0},
                {"e\u0301\u0323", 1, 1},
                {"\u0301", 0, 1},
                {"\uFE0F", 0, 1},
                {"\u1112\u1161\u11AB", 2, 1},
                {"\u0645\u06CC\u200D\u062E", 3, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int clusters = 0, w;
        CHECK_INT(text_width(rows[i].s), rows[i].columns);
        for (size_t at = 0, n = strlen(rows[i].s); at < n; clusters++)
            at += text_cluster(rows[i].s + at, n - at, &w);
        if (rows[i].clusters) CHECK_INT(clusters, rows[i].clusters);
    }
    CHECK_INT(text_fit("a\U0001F469\u200D\U0001F4BBb", 2), 1);
    CHECK_INT(text_fit("a\U0001F469\u200D\U0001F4BBb", 3), 12);
}

/* 1 and 19 wide characters fill the 39 columns. What closes may not begin the next line and takes
 * the character before it along; what opens may not end a line and goes itself; what is both, or
 * may be, goes with both. Classes of LineBreak.txt: CL, CP, EX, IS, SY, NS, BA, HY, IN, PO close,
 * OP and PR open, QU is both but for the Chinese quotation marks. */
#define X8      "xxxxxxxx"
#define WIDE_17 "一一一一一一一一一一一一一一一一一"
static void punctuation(void) {
    static const struct {
        const char *s;
        bool no_start, no_end;
    } rows[] = {
        {"、", true, false},  {"。", true, false},  {"〃", false, false}, {"〉", true, false},
        {"《", false, true},  {"》", true, false},  {"「", false, true},  {"」", true, false},
        {"『", false, true},  {"』", true, false},  {"【", false, true},  {"】", true, false},
        {"〒", false, false}, {"！", true, false},  {"＂", false, false}, {"＄", false, true},
        {"％", true, false},  {"＆", false, false}, {"＇", false, false}, {"（", false, true},
        {"）", true, false},  {"＋", false, false}, {"，", true, false},  {"－", false, false},
        {"．", true, false},  {"／", false, false}, {"９", false, false}, {"：", true, false},
        {"；", true, false},  {"＜", false, false}, {"＞", false, false}, {"？", true, false},
        {"＠", false, false}, {"‗", false, false},  {"‘", false, true},   {"’", true, false},
        {"‚", false, true},   {"‛", true, true},    {"“", false, true},   {"”", true, false},
        {"„", false, true},   {"‥", true, false},   {"…", true, false},   {"‧", true, false},
        {"!", true, false},   {"\"", true, true},   {"$", false, true},   {"%", true, false},
        {"&", false, false},  {"'", true, true},    {"(", false, true},   {")", true, false},
        {"+", false, true},   {",", true, false},   {"-", true, false},   {".", true, false},
        {"/", true, false},   {"9", false, false},  {":", true, false},   {";", true, false},
        {"<", false, false},  {">", false, false},  {"?", true, false},   {"@", false, false},
        {"Z", false, false},  {"[", false, true},   {"\\", false, true},  {"]", true, false},
        {"^", false, false},  {"|", true, false},   {"}", true, false},   {"~", false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *p = rows[i].s;
        bool start = !rows[i].no_start, both = !start && rows[i].no_end;
        char text[200], want[200];
        snprintf(text, sizeof text, "a" WIDE_17 "一一%s一", p);
        snprintf(want, sizeof want, "a" WIDE_17 "一%s一%s%s一\n", start ? "" : "\n",
                 start ? "\n" : "", p);
        text_out o = begin(40);
        text_say(&o, text, 0);
        CHECK_STR(end(&o), want);
        const char *before = text_width(p) == 2 ? "a" : "ab"; /* and the line is full behind it */
        snprintf(text, sizeof text, "%s" WIDE_17 "一%s一一", before, p);
        snprintf(want, sizeof want, "%s" WIDE_17 "%s一%s%s%s一一\n", before, both ? "\n" : "",
                 rows[i].no_end && !both ? "\n" : "", p, rows[i].no_end ? "" : "\n");
        o = begin(40);
        text_say(&o, text, 0);
        CHECK_STR(end(&o), want);
    }
}

/* What UAX 14 does not decide: names and options are whole, code is broken at blanks, a quotation
 * mark is Chinese beside Chinese, and a word that fills a line takes no punctuation to the next. */
static void kept_whole(void) {
    static const char *const rows[][2] = {
        {"one two three four five six --no-sandbox", "one two three four five six\n--no-sandbox\n"},
        {"one two three four five six runner/term/text.c",
         "one two three four five six\nrunner/term/text.c\n"},
        {"one two three four five sixths, /runner/term/text.c",
         "one two three four five sixths,\n/runner/term/text.c\n"},
        {WIDE_17 "：/runner/term/text.c", WIDE_17 "：\n/runner/term/text.c\n"},
        {"one two three four five six `a-b/c?d:e+f-g`",
         "one two three four five six\n`a-b/c?d:e+f-g`\n"},
        {"one two three four five `sixes1 + b[1] / c`",
         "one two three four five `sixes1 + b[1]\n/ c`\n"},
        {"one two three four five (sixes + b[1] / c)",
         "one two three four five (sixes + b[1] /\nc)\n"},
        {"one two three four five six seve / eight", "one two three four five six seve /\neight\n"},
        {"one two three four five six sevens / ate", "one two three four five six sevens /\nate\n"},
        {"one two three four five six sevensiess / ate",
         "one two three four five six\nsevensiess / ate\n"},
        {WIDE_17 "一`a-b/c`", WIDE_17 "一\n`a-b/c`\n"},
        {WIDE_17 "一一“一”", WIDE_17 "一一\n“一”\n"},
        {"a" WIDE_17 "一一“一”", "a" WIDE_17 "一一\n“一”\n"},
        {X8 X8 X8 X8 "xxxxxxx，一", X8 X8 X8 X8 "xxxxxx\nx，一\n"},
        {WIDE_17 "一一\U0001F680一", WIDE_17 "一一\n\U0001F680一\n"},
        {WIDE_17 "一一\U0001F469\u200D\U0001F4BB", WIDE_17 "一一\n\U0001F469\u200D\U0001F4BB\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_out o = begin(40);
        text_say(&o, rows[i][0], 0);
        CHECK_STR(end(&o), rows[i][1]);
    }
}

/* A line as it stands has all of the columns, further lines stand 4 further in than its text, and
 * at least 8 columns are left however far in it begins. */
static void verbatim(void) {
    static const struct {
        const char *text;
        int indent;
        const char *shown;
    } rows[] = {
        {"    " X8 X8 X8 X8 "xxxx", 0, "    " X8 X8 X8 X8 "xxxx\n"},
        {"    " X8 X8 X8 X8 "xxxxy", 0, "    " X8 X8 X8 X8 "xxxx\n        y\n"},
        {"    " X8 X8 X8 X8 "xxxx" X8 X8 X8 X8 "yz", 0,
         "    " X8 X8 X8 X8 "xxxx\n        " X8 X8 X8 X8 "\n        yz\n"},
        {"    " X8 X8 X8 X8 "xx  y", 2, "      " X8 X8 X8 X8 "xx\n          y\n"},
        {"    a " X8 X8 X8 X8 "xxx   y", 0, "    a\n        " X8 X8 X8 X8 "\n        xxx   y\n"},
        {"      " X8 X8 X8 X8 "x y", 2, "        " X8 X8 X8 X8 "\n            x y\n"},
        {"    abcdefgh\n    ab", 36,
         "                                        abcd\n"
         "                                            efgh\n"
         "                                        ab\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_out o = begin(40);
        text_say(&o, rows[i].text, rows[i].indent);
        CHECK_STR(end(&o), rows[i].shown);
    }
}

/* Paragraphs of one style, with what hangs behind 10 columns: of 40 columns the last stays free. */
static void lines(void) {
    text_out o = begin(40);
    text_line(&o, TEXT_PLAIN, 2, "%s", "a\n\nb\n");
    text_line(&o, TEXT_PLAIN, 2, "%s", "");
    CHECK_STR(end(&o), "  a\n\n  b\n\n");
    o = begin(40);
    text_put(&o, TEXT_PLAIN, "0123456789");
    text_hang(&o, TEXT_PLAIN, 10, "aaaaaaaaaa bbbbbbbbbb ccccccc");
    text_put(&o, TEXT_PLAIN, "0123456789");
    text_hang(&o, TEXT_PLAIN, 10, "aaaaaaaaaa bbbbbbbbbb cccccccc");
    CHECK_STR(end(&o), "0123456789aaaaaaaaaa bbbbbbbbbb ccccccc\n"
                       "0123456789aaaaaaaaaa bbbbbbbbbb\n          cccccccc\n");
    /* Longer than a line: cut where the line is full. */
    o = begin(40);
    text_say(&o, X8 X8 X8 X8 "xxxxxxxy", 0);
    CHECK_STR(end(&o), X8 X8 X8 X8 "xxxxxxx\ny\n");
    /* Stars that are no markup, and those that are. */
    static const struct {
        const char *text, *shown;
    } rows[] = {{"*a*", "\033[1ma\033[0m\n"},
                {"(*ab*) c", "(\033[1mab\033[0m) c\n"},
                {"x*a*", "x*a*\n"},
                {"* a*", "* a*\n"},
                {"*a *", "*a *\n"},
                {"*a", "*a\n"},
                {"*", "*\n"},
                {"`*a*` b", "\033[36m*a*\033[0m b\n"},
                {"a\tb  c", "a b c\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        o = begin(40);
        o.colour = true;
        char *plain = NULL;
        size_t n;
        o.transcript = open_memstream(&plain, &n);
        text_say(&o, rows[i].text, 0);
        CHECK_STR(end(&o), rows[i].shown);
        fclose(o.transcript);
        CHECK(plain && !strchr(plain, '\033') && plain[strlen(plain) - 1] == '\n');
        free(plain);
    }
}

/* COLUMNS where there is no terminal; what is said stays within 40 to 120 of them. */
static void resized(void) {
    static const struct {
        const char *env;
        int columns, width;
    } rows[] = {{NULL, 80, 80}, {"", 80, 80},      {"x", 80, 80},     {"0", 80, 80},
                {"-5", 80, 80}, {"1", 1, 40},      {"39", 39, 40},    {"40", 40, 40},
                {"41", 41, 41}, {"119", 119, 119}, {"120", 120, 120}, {"121", 121, 120}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].env) setenv("COLUMNS", rows[i].env, 1);
        else unsetenv("COLUMNS");
        text_out o = begin(80);
        text_out_resize(&o);
        CHECK_INT(o.columns, rows[i].columns);
        CHECK_INT(o.width, rows[i].width);
        CHECK_INT(o.height, 0);
    }
    unsetenv("COLUMNS");
}

static bool stop(void *user) {
    ++*(int *)user;
    return false;
}
static void pages(void) {
    text_out o = begin(80);
    int asked = 0;
    o.height = 10;
    o.more = stop;
    o.more_user = &asked;
    for (int i = 0; i < 50; i++) text_put(&o, TEXT_PLAIN, "%d\n", i);
    CHECK_STR(end(&o), "0\n1\n2\n3\n4\n5\n6\n7\n8\n");
    CHECK_INT(asked, 1);
    text_page_begin(&o);
    text_put(&o, TEXT_PLAIN, "again\n");
    CHECK_CONTAINS(end(&o), "again");
    /* 3 rows a page: a line that is wider than the terminal's 10 columns takes two. */
    o = begin(80);
    o.height = 4;
    o.columns = 10;
    o.more = stop;
    o.more_user = &asked;
    text_put(&o, TEXT_PLAIN, "0123456789\n0123456789a\nb\n");
    CHECK_STR(end(&o), "0123456789\n0123456789a\n");
    CHECK_INT(asked, 2);
    o = begin(80);
    o.height = 4;
    o.columns = 10;
    o.more = stop;
    o.more_user = &asked;
    text_put(&o, TEXT_PLAIN, "\n0123456789\n\n");
    CHECK_STR(end(&o), "\n0123456789\n\n"); /* a page that just fits needs no key */
    CHECK_INT(asked, 2);
}

static void translations(void) {
    CHECK_STR(grade_meaning("gld_sectors", LIB_ZH), "全局读取触及的 32 字节扇区");
    for (size_t i = 0; i < sim_counter_count() + grade_metric_count(); i++) {
        const char *name = i < sim_counter_count() ? sim_counter_at(i)->name
                                                   : grade_metric_at(i - sim_counter_count())->name;
        if (!strcmp(grade_meaning(name, LIB_ZH), grade_meaning(name, LIB_EN)))
            CHECK_STR(name, "a counter with a Chinese text");
        const char *unit = i < sim_counter_count() ? sim_counter_at(i)->unit
                                                   : grade_metric_at(i - sim_counter_count())->unit;
        if (*unit && strcmp(unit, "%") != 0 && !strcmp(grade_unit_word(unit, LIB_ZH, true), unit))
            CHECK_STR(unit, "a unit with a Chinese word");
    }
    CHECK_STR(grade_meaning("gld_sectors", LIB_EN), "32-byte sectors that global loads touch");
    CHECK_INT(lib_distance("chekc", "check"), 1);
    CHECK_INT(lib_distance("kitten", "sitting"), 3);
    CHECK_INT(lib_distance("", "abc"), 3);
}

int main(void) {
    widths();
    wrapping();
    untrusted();
    control_characters();
    raw();
    raw_breaks();
    cells();
    decoding();
    blocks();
    sequences();
    punctuation();
    kept_whole();
    verbatim();
    lines();
    resized();
    pages();
    translations();
    return check_done();
}
