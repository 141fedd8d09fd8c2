/* Catalogues and messages: every row of every language, the forms of arguments, plurals, messages
 * in messages, what is cut and where; files in PO format, right and wrong; messages as bytes, there
 * and back, and of a hostile process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/base/words/check.h"
#include "runner/base/words/po.h"
#include "runner/base/words/table.h"
#include "tests/check.h"
#include "tests/said.h"
#include "words/base.h"
#include "words/catalogue.h"
#include "words/count.h"
#include "words/profile.h"

static char text[8000];

static const char *en(lib_words w) {
    return lib_words_text(text, sizeof text, LIB_EN, w);
}
static const char *zh(lib_words w) {
    return lib_words_text(text, sizeof text, LIB_ZH, w);
}

/* ---- every row ---- */

static lib_message inner;

/* An argument of each type, and a part of its text in every language. */
static const char *sample(lib_arg_type type, long long n, lib_arg_value *v) {
    switch (type) {
    case LIB_ARG_TEXT: v->s = "a text: 100% {}"; return "a text: 100% {}";
    case LIB_ARG_INTEGER: v->i = n; return "";
    case LIB_ARG_REAL: v->r = 7; return "7";
    case LIB_ARG_ERROR: v->i = 99999; return "99999"; /* no errno */
    case LIB_ARG_WORD: v->w = W_BASE_PART_WITHOUT_NAME; return "`// file: ";
    case LIB_ARG_MESSAGE:
        tell(&inner, "an inner message", NULL);
        v->m = lib_message_packed(&inner);
        return "an inner message";
    case LIB_ARG_TEXTS: v->t = (lib_texts){{"a title"}}; return "a title";
    case LIB_ARG_NONE: break;
    }
    return "";
}

static bool row_right(const lib_row *row, lib_lang lang, long long n) {
    lib_words w = {.id = row->id};
    const char *parts[LIB_ARGS] = {NULL};
    for (int i = 0; i < row->n; i++) {
        lib_arg_form form = lib_row_arg_form(&row->args[i]);
        parts[i] = sample(lib_row_type(&form), n, &w.args[i]);
    }
    lib_words_text(text, sizeof text, lang, w);
    bool right = text[0] && strcmp(text, "...") != 0;
    const char *row_text = lib_row_text(lang, row, (unsigned long long)n);
    for (int i = 0; i < row->n; i++) {
        char place[64];
        snprintf(place, sizeof place, "{%s", row->args[i].name);
        if (strstr(row_text, place)) right = right && parts[i] && strstr(text, parts[i]);
        right = right && !strstr(text, place);
    }
    /* as bytes and back it says the same */
    lib_message m = {0};
    char again[8000];
    lib_message_set(&m, w);
    lib_message_text(again, sizeof again, lang, &m);
    right = right && m.id == row->id && !strcmp(again, text);
    if (!right) fprintf(stderr, "%s (%s): %s\n", row->name, lib_lang_name(lang), text);
    return right;
}

static void all_rows(void) {
    size_t wrong = 0, missing = 0, unsorted = 0;
    for (size_t i = 0; i < lib_rows_n; i++) {
        unsorted += i && lib_rows[i - 1].id >= lib_rows[i].id;
        for (int l = 0; l < LIB_LANGS; l++) {
            missing += !lib_languages[l].texts[i];
            for (long long n = 0; n < 3; n++) wrong += !row_right(&lib_rows[i], (lib_lang)l, n);
        }
    }
    CHECK(lib_rows_n > 100);
    CHECK_INT(wrong, 0);
    CHECK_INT(missing, 0);
    CHECK_INT(unsorted, 0);
    CHECK(lib_row_find(0) == NULL && lib_row_find(0x7FFFFFFF) == NULL);
    CHECK_STR(lib_word(LIB_EN, 0), "");
    CHECK_STR(lib_lang_name(LIB_EN), "en");
    CHECK_STR(lib_lang_name(LIB_ZH), "zh");
}

/* ---- forms of arguments: a file over the catalogue writes each as it likes ---- */

static char folder[] = "/tmp/warplab-test-words.XXXXXX";

/* Rows over those of a language. */
static bool over(lib_lang lang, const char *rows, lib_message *msg) {
    char *path = lib_path_join(folder, "x.po"), *po;
    po = lib_format("msgid \"\"\nmsgstr \"Plural-Forms: nplurals=%s;\\n\"\n\n%s",
                    lang == LIB_EN ? "2; plural=(n != 1)" : "1; plural=0", rows);
    bool ok = lib_write_file(path, po, strlen(po), msg) && lib_words_load(lang, path, msg);
    free(path);
    free(po);
    return ok;
}

static void forms(void) {
    lib_message msg = {0};
    CHECK(over(LIB_EN,
               "msgid \"base.too-many-parts\"\nmsgstr "
               "\"{most:d}|{most:u}|{most:x}|{most:07u}|{most:wan}|{{\"\n"
               "msgid \"base.parts-too-long\"\n"
               "msgstr \"{folder:said}|{folder:lines}|{most_mb:.3f}|{most_mb:g}|{most_mb:.2g}|"
               "{most_mb:wan}\"\n",
               &msg));
    CHECK_STR(en(w_base_too_many_parts(586570)), "586,570|586570|0x8f34a|0586570|58.66 \u4e07|{");
    CHECK_STR(en(w_base_too_many_parts(-1234)), "-1,234|-1234|0xfffffffffffffb2e|-001234|-1234 |{");
    CHECK_STR(en(w_base_too_many_parts(999)), "999|999|0x3e7|0000999|999 |{");
    CHECK_STR(
        en(w_base_too_many_parts((long long)(1ULL << 63))),
        "-9,223,372,036,854,775,808|-9223372036854775808|0x8000000000000000|-9223372036854775808|"
        "-9223372036854775808 |{");
    static const struct {
        long long n;
        const char *en, *zh;
    } sizes[] = {{0, "0 bytes", "0 字节"},
                 {1, "1 byte", "1 字节"},
                 {64, "64 bytes", "64 字节"},
                 {9999, "9,999 bytes", "9,999 字节"},
                 {10000, "0.01 MB", "0.01 MB"},
                 {1 << 26, "67.1 MB", "67.1 MB"},
                 {1234567890, "1,235 MB", "1,235 MB"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        CHECK_STR(en(w_profile_size(sizes[i].n)), sizes[i].en);
        CHECK_STR(zh(w_profile_size(sizes[i].n)), sizes[i].zh);
    }
    CHECK_STR(en(w_base_parts_too_long("is locked", 1234567.25)),
              "is locked|is locked|1,234,567.250|1,234,567|1,234,567|123.5 \u4e07");
    CHECK_STR(en(w_base_parts_too_long("a\nb\033\u202e", 0.5)),
              "a b\uFFFD\uFFFD|a\nb\uFFFD\uFFFD|0.500|0.5|0.5|0 ");
    CHECK_STR(en(w_base_parts_too_long("out of memory", 1e6)),
              "out of memory|out of memory|1,000,000.000|1,000,000|1,000,000|100 \u4e07");
    CHECK(over(LIB_ZH, "msgid \"base.not-folder\"\nmsgstr \"[{path:list}]\"\n", &msg));
    CHECK_STR(zh(w_base_not_folder("a\nb\tc\n\033")), "[a\u3001b c\u3001\uFFFD]");
    CHECK_STR(zh(w_base_not_folder("one")), "[one]");
    CHECK_STR(zh(w_base_not_folder("")), "[]");
    CHECK(over(LIB_ZH, "", &msg));
    CHECK_STR(en(w_base_parts_too_long(NULL, 2)), "||2.000|2|2|2 ");
    CHECK(over(LIB_EN, "", &msg)); /* as they were */
    CHECK_STR(en(w_base_too_many_parts(70000)), "more than 70,000 files");
}

static void arguments(void) {
    CHECK_STR(en(w_base_cannot_read("%s%n {path} \\ {{", ENOENT)),
              "cannot read %s%n {path} \\ {{: No such file or directory");
    CHECK_STR(zh(w_base_cannot_read("f", ENOENT)),
              "\u65e0\u6cd5\u8bfb\u53d6 f\uff1a"
              "\u6ca1\u6709\u8fd9\u4e2a\u6587\u4ef6\u6216\u6587\u4ef6\u5939");
    CHECK_STR(zh(w_catalogue_file("x.po", 1234, "a row is there twice")),
              "x.po:1234\uff1a\u540c\u4e00\u4e2a\u6807\u8bc6\u51fa\u73b0\u4e86\u4e24\u6b21\u3002");
    CHECK_STR(zh(w_catalogue_file("x.po", 1, "nobody knows this")),
              "x.po:1\uff1anobody knows this\u3002");
    CHECK_STR(en(lib_words_plain((lib_texts){{"both", "\u90fd"}})), "both");
    CHECK_STR(zh(lib_words_plain((lib_texts){{"both", "\u90fd"}})), "\u90fd");
    CHECK_STR(zh(lib_words_plain((lib_texts){{"English alone"}})), "English alone");
    CHECK_STR(en((lib_words){0}), "");
    CHECK_STR(en((lib_words){.id = 0x7FFFFFFF}), "...");
    char *taken = lib_words_take(LIB_EN, w_base_not_folder("x"));
    CHECK_STR(taken, "x is not a folder");
    free(taken);
    char five[12];
    CHECK_STR(lib_words_text(five, sizeof five, LIB_ZH, w_base_not_folder("x")),
              "x \u4e0d\u662f...");
    CHECK_INT(lib_words_named("base", "No Parts"), W_BASE_NO_PARTS);
    CHECK_INT(lib_words_named("base", "no_parts"), W_BASE_NO_PARTS);
    CHECK_INT(lib_words_named("base", "not-folder"), 0); /* it has an argument */
    CHECK_INT(lib_words_named("base", "nothing"), 0);
    CHECK_INT(lib_words_said("file is not a database"),
              lib_words_named("said", "file-is-not-a-database"));
    CHECK_INT(lib_words_said("is not a database"), 0);
}

/* ---- plurals ---- */

static void plurals(void) {
    static const struct {
        const char *rule;
        unsigned forms;
    } rules[] = {
        {"nplurals=2; plural=(n != 1);", 2},
        {"nplurals=1; plural=0;", 1},
        {" nplurals = 3; plural = n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || "
         "n%100>=20) "
         "? 1 : 2;",
         3},
        {"nplurals=2; plural=n>1", 2},
        {"nplurals=2; plural=!(n==1)", 2},
        {"nplurals=6; plural=n<5?n:5", 6},
        {"", 0},
        {"nplurals=0; plural=0;", 0},
        {"nplurals=7; plural=0;", 0},
        {"nplurals=2; plural=;", 0},
        {"nplurals=2; plural=(n;", 0},
        {"nplurals=2; plural=n n;", 0},
        {"nplurals=2; plural=n/0;", 0},
        {"nplurals=2; plural=n?1;", 0},
        {"nplurals=2; plural=system(n);", 0},
        {"nplurals=2; plural=99999999999;", 0},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        unsigned n = 0;
        CHECK_INT(lib_plural_read(rules[i].rule, &n), rules[i].forms != 0);
        if (rules[i].forms) CHECK_INT(n, rules[i].forms);
    }
    /* A form that is none is the first; parentheses have an end. */
    CHECK_INT(lib_plural_form("nplurals=2; plural=n;", 7), 0);
    char deep[1000] = "nplurals=2; plural=";
    memset(deep + strlen(deep), '(', 900);
    CHECK_INT(lib_plural_form(deep, 7), 0);
    memset(deep + 19, '!', 900);
    CHECK_INT(lib_plural_form(deep, 7), 0);
    static const unsigned russian[][2] = {{0, 2},  {1, 0},  {2, 1},  {4, 1},  {5, 2},
                                          {11, 2}, {12, 2}, {21, 0}, {22, 1}, {111, 2}};
    for (size_t i = 0; i < sizeof russian / sizeof *russian; i++)
        CHECK_INT(lib_plural_form(rules[2].rule, russian[i][0]), russian[i][1]);
    CHECK_INT(lib_plural_form("nplurals=2; plural=n-1==2*3;", 7), 1); /* ranks of operators */
    CHECK_INT(lib_plural_form("nplurals=2; plural=n+1<=7 || n==7;", 7), 1);
    CHECK_STR(en(w_count_warps(0)), "0 warps");
    CHECK_STR(en(w_count_warps(1)), "1 warp");
    CHECK_STR(en(w_count_warps(2000)), "2,000 warps");
    CHECK_STR(zh(w_count_warps(1)), "1 \u4e2a warp");
    lib_message msg = {0};
    CHECK(
        over(LIB_EN, "msgid \"base.too-many-parts\"\nmsgstr \"with {most:@count.warps}\"\n", &msg));
    CHECK_STR(en(w_base_too_many_parts(1)), "with 1 warp");
    CHECK_STR(en(w_base_too_many_parts(3)), "with 3 warps");
    CHECK(over(LIB_EN, "", &msg));
}

/* ---- messages ---- */

static size_t ends_whole(const char *s) {
    size_t n = strlen(s);
    return n > 3 && !strcmp(s + n - 3, "...") ? n : 0;
}

static void messages(void) {
    lib_message m = {0}, outer = {0};
    CHECK(!lib_message_any(&m));
    lib_message_set(NULL, w_base_no_parts());
    lib_message_set(&m, w_base_not_folder("a"));
    CHECK(lib_message_any(&m) && lib_message_is(&m, WITH_BASE_NOT_FOLDER));
    CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &m), "a is not a folder");
    /* A message holds its arguments itself, and one may be made of itself. */
    char name[] = "before";
    lib_message_set(&m, w_base_not_folder(name));
    memcpy(name, "behind", sizeof name);
    lib_message copy = m;
    memset(&m, 0xFF, sizeof m);
    CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &copy), "before is not a folder");
    lib_message_set(&copy, w_base_not_folder((const char *)copy.args));
    CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &copy), "before is not a folder");
    /* nested, and nested once more */
    lib_message_set(&outer, w_catalogue_inner("one", &copy));
    CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &outer), "one: before is not a folder");
    lib_message_set(&outer, w_catalogue_inner("two", &outer));
    CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &outer),
              "two: one: before is not a folder");
    lib_message_set(&m, w_base_no_parts()); /* one without arguments is not nothing */
    lib_message_set(&outer, w_catalogue_inner("in it", &m));
    CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &outer),
              "in it: found no file: a line `// file: NAME` begins each");
    lib_message_set(&outer, w_catalogue_inner("none", NULL));
    CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &outer), "none: ");
    /* Deeper than LIB_WORDS_DEEP: what lies too deep is left out, and nothing else. */
    lib_message_set(&outer, w_base_not_folder("core"));
    for (int i = 0; i < 9; i++) lib_message_set(&outer, w_catalogue_inner("d", &outer));
    lib_message_text(text, sizeof text, LIB_EN, &outer);
    CHECK(!strncmp(text, "d: d: ", 6));
    /* one that is in no catalogue inside one that is */
    lib_message old = {0};
    tell(&old, "old 7", "\u65e7 7");
    lib_message_set(&outer, w_catalogue_inner("new", &old));
    CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &outer), "new: old 7");
    CHECK_STR(lib_message_text(text, sizeof text, LIB_ZH, &outer), "new\uff1a\u65e7 7");
}

static void cuts(void) {
    /* 3-byte characters: each length of what stands before them puts the cut elsewhere. */
    lib_message m = {0}, outer = {0};
    static char lots[6000];
    for (size_t before = 0; before < 3; before++) {
        memset(lots, 'x', before);
        for (size_t i = before; i + 3 < sizeof lots; i += 3) memcpy(lots + i, "\u4e2d", 4);
        lib_message_set(&m, w_base_not_folder(lots));
        lib_words w = lib_message_words(&m);
        size_t n = ends_whole(w.args[0].s);
        CHECK(n > 1000 && n < sizeof m.args && lib_not_utf8(w.args[0].s, n) == 0);
        /* a short one beside a long one stays whole, whichever comes first */
        lib_message_set(&m, w_base_part_not_regular(lots, "short"));
        w = lib_message_words(&m);
        CHECK(ends_whole(w.args[0].s) > 900 && !strcmp(w.args[1].s, "short"));
        lib_message_set(&m, w_base_part_not_regular("short", lots));
        w = lib_message_words(&m);
        CHECK(ends_whole(w.args[1].s) > 900 && !strcmp(w.args[0].s, "short"));
        lib_message_set(&m, w_base_part_not_regular(lots, lots));
        w = lib_message_words(&m);
        CHECK(ends_whole(w.args[0].s) > 450 && ends_whole(w.args[1].s) > 450);
        /* A full message inside another: its text is cut once more. */
        lib_message_set(&outer, w_catalogue_inner(lots, &m));
        lib_message_text(text, sizeof text, LIB_EN, &outer);
        CHECK(strstr(text, "not a regular file") && lib_not_utf8(text, strlen(text)) == 0);
    }
}

/* ---- as bytes ---- */

static void bytes(void) {
    unsigned char wire[2400], bad[2400];
    lib_message m = {0}, back = {0}, nested = {0};
    lib_message_set(&m, w_base_too_long("f", 2.5, 1.25));
    lib_message_set(&nested, w_catalogue_inner("x", &m));
    static const lib_message none;
    const lib_message *all[] = {&m, &nested, &none};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t n = lib_message_write(all[i], wire, sizeof wire);
        CHECK(n && lib_message_read(&back, wire, n));
        CHECK(back.id == all[i]->id && back.used == all[i]->used &&
              !memcmp(back.args, all[i]->args, back.used));
        CHECK_INT(lib_message_write(all[i], wire, n - 1), 0);
        /* shorter, longer, and each byte otherwise: understood or not, never beyond its end */
        for (size_t cut = 0; cut < n; cut++) {
            unsigned char *exact = malloc(cut + 1);
            memcpy(exact, wire, cut);
            CHECK(!lib_message_read(&back, exact, cut) || back.used < all[i]->used || cut < n);
            free(exact);
        }
        for (size_t at = 0; at < n; at++)
            for (int v = 0; v < 256; v += 5) {
                memcpy(bad, wire, n);
                bad[at] = (unsigned char)v;
                lib_message_read(&back, bad, n);
                lib_message_text(text, sizeof text, LIB_ZH, &back);
            }
        memcpy(bad, wire, n);
        bad[n] = 'x';
        CHECK(!lib_message_read(&back, bad, n + 1));
    }
    CHECK(!lib_message_read(&back, "nobody.knows\0abc", 16));
    CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &back),
              "a message of another program was not understood (nobody.knows)");
    CHECK(!lib_message_read(&back, NULL, 0));
}

/* ---- files in PO format ---- */

static void good_po(void) {
    static const char po[] = "# about the file\nmsgid \"\"\nmsgstr \"\"\n\"Language: "
                             "xx\\n\"\n\"Plural-Forms: nplurals=2; plural=n>1;\\n\"\n"
                             "\r\n#. for translators\n#. more\n#: runner/x.c:7\nmsgid "
                             "\"a.b\"\r\nmsgstr \"\"\n  \"one \"\n\t\"t\\\"w\\\\o\\t\\n\"  \n\n"
                             "#, c-format, fuzzy\nmsgid \"c.d\"\nmsgid_plural \"c.ds\"\nmsgstr[0] "
                             "\"x\"\nmsgstr[1] \"y\"\n"
                             "#~ msgid \"old\"\n#~ msgstr \"gone\"\nmsgid \"e.f\"\nmsgstr \"\"";
    lib_po p;
    lib_po_error e;
    CHECK(lib_po_read(&p, po, sizeof po - 1, &e));
    CHECK_INT(p.n, 3);
    CHECK_STR(p.rows[0].id, "a.b");
    CHECK_STR(p.rows[0].form[0], "one t\"w\\o\t\n");
    CHECK_STR(p.rows[0].notes, "for translators\nmore\n");
    CHECK(!p.rows[0].fuzzy && !p.rows[0].plural && lib_row_translated(&p.rows[0]));
    CHECK_INT(p.rows[0].line, 10);
    CHECK(p.rows[1].fuzzy && p.rows[1].plural && p.rows[1].forms == 2);
    CHECK(!lib_row_translated(&p.rows[1]) && !lib_row_translated(&p.rows[2]));
    CHECK_STR(p.rows[1].form[1], "y");
    char *rule = lib_po_header(&p, "Plural-Forms");
    CHECK_STR(rule, "nplurals=2; plural=n>1;");
    free(rule);
    CHECK(!lib_po_header(&p, "Plural"));
    lib_po_free(&p);
}

static void bad_po(void) {
    static const struct {
        const char *po, *what;
        unsigned line;
    } rows[] = {
        {"msgid \"a.b\"\n", "a row has no msgstr", 1},
        {"msgid \"\"\nmsgstr \"x\"\nmsgid \"\"\nmsgstr \"y\"\n", "there are two headers", 4},
        {"\"x\"\n", "a string belongs to nothing", 1},
        {"msgid a.b\n", "a string has to begin", 1},
        {"msgid \"a\\z\"\n", "behind a backslash", 1},
        {"msgid \"a\\", "behind a backslash", 1},
        {"msgid \"a\nmsgstr \"b\"\n", "no closing quotation mark", 1},
        {"msgid \"a\" b\n", "stands behind a string", 1},
        {"msgstr \"a\"\n", "no msgid above", 1},
        {"msgid_plural \"a\"\n", "no msgid above", 1},
        {"msgid \"a\"\nmsgstr[0] \"b\"\n", "no msgid_plural above", 2},
        {"msgid \"a\"\nmsgid_plural \"a\"\nmsgstr \"b\"\n", "needs msgstr[0]", 3},
        {"msgid \"a\"\nmsgid_plural \"a\"\nmsgstr[1] \"b\"\n", "not numbered", 3},
        {"msgid \"a\"\nmsgid_plural \"a\"\nmsgstr[0] \"b\"\nmsgstr[0] \"b\"\n", "not numbered", 4},
        {"msgid \"a\"\nmsgid_plural \"a\"\nmsgstr[x] \"b\"\n", "has no number", 3},
        {"msgid \"a\"\nmsgid_plural \"a\"\nmsgstr[9] \"b\"\n", "too many plural forms", 3},
        {"msgid \"a\"\nmsgstr \"b\"\n\nmsgid \"a\"\nmsgstr \"c\"\n", "a row is there twice", 4},
        {"msgctxt \"a\"\n", "a line begins with neither", 1},
        {"\n\xff\n", "not UTF-8", 2},
        {"# \xed\xa0\x80\n", "not UTF-8", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lib_po p;
        lib_po_error e;
        CHECK(!lib_po_read(&p, rows[i].po, strlen(rows[i].po), &e) && p.n == 0);
        CHECK_CONTAINS(e.what, rows[i].what);
        CHECK_INT(e.line, rows[i].line);
        CHECK(lib_words_said(e.what) != 0); /* it can be said in each language */
    }
    lib_po p;
    lib_po_error e;
    CHECK(!lib_po_read(&p, "# a\0b\n", 6, &e));
    lib_buffer b = {0};
    lib_buffer_puts(&b, "msgid \"a.b\"\nmsgstr \"");
    for (int i = 0; i < LIB_PO_STRING + 1; i++) lib_buffer_puts(&b, "x");
    lib_buffer_puts(&b, "\"\n");
    CHECK(!lib_po_read(&p, b.s, b.n, &e) && strstr(e.what, "too long"));
    lib_buffer_free(&b);
}

/* A file that a translator tries: what is wrong is said with file, line and in the language;
 * nothing is changed. */
static void translator(void) {
    static const struct {
        const char *rows, *what;
    } bad[] = {
        {"msgid \"base.not-folder\"\nmsgstr \"{pfad}\"\n", "English does not have"},
        {"msgid \"base.not-folder\"\nmsgstr \"no\"\n", "is missing"},
        {"msgid \"base.not-folder\"\nmsgstr \"{path:d}\"\n", "another type"},
        {"msgid \"base.not-folder\"\nmsgstr \"{path\"\n", "no closing brace"},
        {"msgid \"base.not-folder\"\nmsgstr \"{path} { }\"\n", "not followed by the name"},
        {"msgid \"base.not-folder\"\nmsgstr \"{path:%n}\"\n", "no form that is known"},
        {"msgid \"base.not-folder\"\nmsgstr \"{path:.2d}\"\n", "no form that is known"},
        {"msgid \"base.not-folder\"\nmsgid_plural \"x\"\nmsgstr[0] \"{path}\"\nmsgstr[1] "
         "\"{path}\"\n",
         "no plural here"},
        {"msgid \"count.warps\"\nmsgstr \"{n}\"\n", "has a plural here"},
        {"msgid \"count.warps\"\nmsgid_plural \"x\"\nmsgstr[0] \"{n}\"\n", "not as many forms"},
    };
    lib_message msg = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!over(LIB_EN, bad[i].rows, &msg));
        CHECK(lib_message_is(&msg, WITH_CATALOGUE_FILE));
        lib_message_text(text, sizeof text, LIB_EN, &msg);
        CHECK_CONTAINS(text, bad[i].what);
        CHECK_CONTAINS(text, "x.po:4: ");
        CHECK_STR(en(w_base_not_folder("x")), "x is not a folder");
    }
    CHECK(over(LIB_EN,
               "#. may leave out: path\nmsgid \"base.not-folder\"\nmsgstr \"no folder\"\n"
               "msgid \"of.another-version\"\nmsgstr \"{x}\"\n",
               &msg));
    CHECK_STR(en(w_base_not_folder("x")), "no folder");
    CHECK_STR(en(w_base_no_parts()), "found no file: a line `// file: NAME` begins each");
    CHECK(!lib_words_load(LIB_EN, "/nonexistent", &msg) &&
          lib_message_is(&msg, WITH_BASE_CANNOT_READ));
    CHECK(over(LIB_EN, "", &msg));
}

int main(void) {
    CHECK(mkdtemp(folder) != NULL);
    all_rows();
    arguments();
    forms();
    plurals();
    messages();
    cuts();
    bytes();
    good_po();
    bad_po();
    translator();
    lib_remove_tree(folder);
    return check_done();
}
