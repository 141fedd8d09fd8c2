/* A certificate as a page and as a PDF, byte for byte, and what checking one says. Expected texts
 * are laid out by hand; the widths of letters are those of Adobe's metrics of Helvetica, in
 * thousandths, and places are points on A4 from the lower left. */
#include <stdlib.h>
#include <sys/stat.h>
#include "tests/check.h"
#include "tests/said.h"
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/lesson/catalog.h"
#include "runner/practice/certificate.h"
#include "runner/practice/pdf.h"

/* ---- PDF ---- */

/* The objects in the order of the file, each from "N 0 obj" to "endobj", and the table that finds
 * them. */
typedef struct {
    lib_buffer b;
    size_t at[80];
} made;
static void object(made *m, int number, const char *text) {
    m->at[number] = m->b.n;
    lib_buffer_printf(&m->b, "%d 0 obj\n%s\nendobj\n", number, text);
}
static void stream(made *m, int number, const char *more, const char *data) {
    m->at[number] = m->b.n;
    lib_buffer_printf(&m->b, "%d 0 obj\n<< %s/Length %zu >>\nstream\n%s\nendstream\nendobj\n",
                      number, more, strlen(data), data);
}

static void check_pdf(pdf *p, const char *title, const char *name, const char *spec_name,
                      const char *data, int pages, const char *const *page) {
    made m = {0};
    char text[1000];
    lib_buffer_puts(&m.b, "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n");
    snprintf(text, sizeof text, "<< /Type /Catalog /Pages 2 0 R%s%s%s >>",
             name ? " /Names << /EmbeddedFiles << /Names [" : "", name ? name : "",
             name ? " 10 0 R] >> >>" : "");
    object(&m, 1, text);
    snprintf(text, sizeof text, "<< /Title %s >>", title);
    object(&m, 3, text);
    object(&m, 4,
           "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
    object(
        &m, 5,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>");
    object(&m, 6,
           "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UTF16-H "
           "/DescendantFonts [7 0 R] >>");
    object(&m, 7,
           "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << "
           "/Registry (Adobe) /Ordering (GB1) /Supplement 4 >> /FontDescriptor 8 0 R /DW 1000 /W "
           "[1 95 500] >>");
    object(&m, 8,
           "<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 "
           "880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>");
    stream(&m, 9, "/Type /EmbeddedFile /Subtype /application#2Fjson ", data);
    snprintf(text, sizeof text, "<< /Type /Filespec /F %s /EF << /F 9 0 R >> >>", spec_name);
    object(&m, 10, text);
    int n = snprintf(text, sizeof text, "<< /Type /Pages /Count %d /Kids [", pages);
    for (int i = 0; i < pages; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%d 0 R", i ? " " : "", 11 + 2 * i);
    snprintf(text + n, sizeof text - (size_t)n, "] >>");
    object(&m, 2, text);
    for (int i = 0; i < pages; i++) {
        snprintf(text, sizeof text,
                 "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources "
                 "<< /Font << /F1 4 0 R /F2 5 0 R /F3 6 0 R >> >> >>",
                 12 + 2 * i);
        object(&m, 11 + 2 * i, text);
        stream(&m, 12 + 2 * i, "", page[i]);
    }
    size_t table = m.b.n;
    lib_buffer_printf(&m.b, "xref\n0 %d\n0000000000 65535 f \n", 11 + 2 * pages);
    for (int i = 1; i < 11 + 2 * pages; i++) lib_buffer_printf(&m.b, "%010zu 00000 n \n", m.at[i]);
    lib_buffer_printf(&m.b,
                      "trailer\n<< /Size %d /Root 1 0 R /Info 3 0 R >>\nstartxref\n%zu\n%%%%EOF\n",
                      11 + 2 * pages, table);
    size_t got_n, k = 0;
    char *got = pdf_end(p, &got_n), why[300];
    while (k < got_n && k < m.b.n && got[k] == m.b.s[k]) k++;
    snprintf(why, sizeof why, "%zu of %zu bytes; from %zu on \"%.80s\", want \"%.80s\"", got_n,
             m.b.n, k, got + k, m.b.s + k);
    check_that(got_n == m.b.n && k == got_n, __FILE__, __LINE__, title, why);
    free(got);
    lib_buffer_free(&m.b);
}

static void pdfs(void) {
    pdf *p = pdf_new("T (1)");
    pdf_text(p, 1, 2, 3, false, "no page yet");
    pdf_line(p, 1, 2, 3, 4);
    check_pdf(p, "(T \\(1\\))", NULL, "(nothing)", "", 0, NULL);

    /* M 833, i 222, x 500, blank 278: 18.33 points of ten; a letter of the other font is as wide as
     * it is high. */
    p = pdf_new("\xe4\xb8\xad\xf0\x9f\x98\x80"); /* above FFFF: two halves, D83D and DE00 */
    CHECK(pdf_page(p));
    pdf_text(p, 60, 700.126, 10, false, "Mix \xe4\xb8\xad\\(~)\x1f");
    pdf_text(p, 60, 600, 12.5, true, "b");
    pdf_line(p, 1, 2.25, 3, 4);
    CHECK(pdf_page(p));
    pdf_text_right(p, 100, 50, 20, "i\xe4\xb8\xad"); /* 4.44 + 20 */
    pdf_text_right(p, 100, 40, 20, "");
    pdf_attach(p, "f.json", "{}", 2);
    pdf_attach(p, "g.json", "[]", 2); /* at most one */
    check_pdf(
        p, "<FEFF4E2DD83DDE00>", "(f.json)", "(f.json)", "{}", 2,
        (const char *const[]){
            "BT /F1 10.0 Tf 60.00 700.13 Td (Mix ) Tj ET\n"
            "BT /F3 10.0 Tf 78.33 700.13 Td <4E2D> Tj ET\n"
            "BT /F1 10.0 Tf 88.33 700.13 Td (\\\\\\(~\\)) Tj ET\n"
            /* 278 + 333 + 584 + 333 */
            "BT /F3 10.0 Tf 103.61 700.13 Td <001F> Tj ET\n"
            "BT /F2 12.5 Tf 60.00 600.00 Td (b) Tj ET\n"
            "0.5 w 1.0 2.2 m 3.0 4.0 l S\n",
            "BT /F1 20.0 Tf 75.56 50.00 Td (i) Tj ET\nBT /F3 20.0 Tf 80.00 50.00 Td <4E2D> Tj "
            "ET\n"});

    static const char *texts[PDF_PAGES];
    p = pdf_new("t");
    for (int i = 0; i < PDF_PAGES; i++) {
        CHECK(pdf_page(p));
        pdf_line(p, 1, 1, 1, 1);
        texts[i] = "0.5 w 1.0 1.0 m 1.0 1.0 l S\n";
    }
    CHECK(!pdf_page(p)); /* and nothing more is drawn */
    pdf_line(p, 2, 2, 2, 2);
    pdf_text(p, 2, 2, 2, true, "x");
    check_pdf(p, "(t)", NULL, "(nothing)", "", PDF_PAGES, texts);
}

/* Each letter's width: where what follows it begins. */
static void widths(void) {
    static const struct {
        int width;
        const char *letters;
    } groups[] = {{191, "'"},
                  {222, "ijl"},
                  {260, "|"},
                  {278, " !,./:;I[]\\ft"},
                  {333, "()-r`"},
                  {334, "{}"},
                  {355, "\""},
                  {389, "*"},
                  {469, "^"},
                  {500, "Jcksvxyz"},
                  {556, "#$0123456789?L_abdeghnopqu"},
                  {584, "+<=>~"},
                  {611, "FTZ"},
                  {667, "&ABEKPSVXY"},
                  {722, "CDHNRUw"},
                  {778, "GOQ"},
                  {833, "Mm"},
                  {889, "%"},
                  {944, "W"},
                  {1015, "@"}};
    size_t letters = 0;
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        for (const char *s = groups[k].letters; *s; s++, letters++) {
            char text[8], want[60];
            size_t n;
            pdf *p = pdf_new("t");
            pdf_page(p);
            snprintf(text, sizeof text, "%c\xe4\xb8\xad", *s);
            pdf_text(p, 0, 0, 1000, false, text);
            char *bytes = pdf_end(p, &n);
            snprintf(want, sizeof want, "BT /F3 1000.0 Tf %d.00 0.00 Td ", groups[k].width);
            check_that(memmem(bytes, n, want, strlen(want)) != NULL, __FILE__, __LINE__, text,
                       want);
            free(bytes);
        }
    CHECK_INT(letters, 0x7e - 0x20 + 1);
}

/* ---- the certificate ---- */

static json_t *lab_row(const char *title, int chapter, double points, double max, double speedup,
                       double us, const char *day) {
    return json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:s}", "lab", title, "title", title,
                     "chapter", chapter, "points", points, "max", max, "speedup", speedup, "us", us,
                     "day", day);
}
static json_t *certificate(const char *lang, int minutes, json_t *labs) {
    return json_pack("{s:s, s:i, s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:f, s:s, s:o}", "warplab",
                     "certificate", "version", 1, "lang", lang, "name", "A & \"B\"", "day",
                     "2026-01-02", "passed", 3, "of", 5, "minutes", minutes, "points", 10.5, "max",
                     12.0, "digest", "d1", "labs", labs);
}
static json_t *three(void) {
    return json_pack("[o, o, o]", lab_row("T<1>", 1, 4.5, 5, 0, 0, "-"),
                     lab_row("Two", 1, 3, 3, 2.5, 12.3456, "2026-01-01"),
                     lab_row("Three", 2, 3, 4, 0.5, 0.25, "2025-12-31"));
}

static void html(void) {
    json_t *c = certificate("en", 125, three());
    char *got = certificate_html(c), want[6000], *json = exam_text(c),
         *rest = strstr(got, "</style>");
    static const char before[] =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>Warplab: certificate</title><style>body{";
    CHECK(!strncmp(got, before, strlen(before)));
    lib_buffer b = {0};
    for (const char *s = json; *s; s++) /* nothing in it ends the element */
        if (*s == '<') lib_buffer_puts(&b, "\\u003c");
        else lib_buffer_add(&b, s, 1);
    snprintf(want, sizeof want,
             "</style></head><body>\n<h1>Warplab: certificate</h1><p class=\"name\">A &amp; "
             "&quot;B&quot;</p><p>passed 3 of 5 labs with 10.5 of 12 points: about 2 h 05 min of "
             "CUDA performance.</p><h2>%s</h2>\n<table><tr><th>lab</th><th>points</th><th>baseline"
             "</th><th>us</th><th>day</th></tr>\n"
             "<tr><td>T&lt;1&gt;</td><td>4.5/5</td><td></td><td></td><td>-</td></tr>\n"
             "<tr><td>Two</td><td>3/3</td><td>2.5x</td><td>12.35</td><td>2026-01-01</td></tr>\n"
             "</table>\n<h2>%s</h2>\n<table><tr><th>lab</th><th>points</th><th>baseline</th><th>us"
             "</th><th>day</th></tr>\n"
             "<tr><td>Three</td><td>3/4</td><td>0.5x</td><td>0.25</td><td>2025-12-31</td></tr>\n"
             "</table>\n<p class=\"proof\">2026-01-02<br>Made by the student's own program, not "
             "signed: <code>warplab certificate --verify FILE</code> checks it against their "
             "record.<br>d1</p>"
             "\n<script type=\"application/json\" id=\"certificate\">%s</script>\n</body></html>\n",
             lab_chapter_title(LIB_EN, 1), lab_chapter_title(LIB_EN, 2), b.s);
    CHECK_STR(rest, want);
    CHECK(strcmp(lab_chapter_title(LIB_EN, 1), lab_chapter_title(LIB_EN, 2)) != 0);
    lib_buffer_free(&b);
    free(got);
    free(json);
    json_decref(c);
    static const struct {
        int minutes;
        const char *text;
    } times[] = {{0, "about 0 h 00 min"}, {59, "about 0 h 59 min"}, {60, "about 1 h 00 min"}};
    for (int k = 0; k < 3; k++) {
        c = certificate("en", times[k].minutes, json_array());
        json_object_set_new(c, "mac", json_string("m"));
        got = certificate_html(c);
        CHECK_CONTAINS(got, times[k].text);
        CHECK_CONTAINS(got, "<br>Signed with the course's key: ");
        CHECK(!strstr(got, "table>"));
        free(got);
        json_decref(c);
    }
    /* A file of anybody's: counts beyond all labs and times, and below none. */
    static const struct {
        double of, minutes;
        const char *text;
    } odd[] = {
        {22222222264, 61,
         "passed 3 of 1,000,000,000 labs with 10.5 of 12 points: about 1 h 01 min"},
        {-1e300, 1e300, "passed 3 of 0 labs with 10.5 of 12 points: about 16,666,666 h 40 min"},
        {4.9, -5, "passed 3 of 4 labs with 10.5 of 12 points: about 0 h 00 min"}};
    for (int k = 0; k < 3; k++) {
        c = certificate("en", 0, three());
        json_object_set_new(c, "of", json_real(odd[k].of));
        json_object_set_new(c, "minutes", json_real(odd[k].minutes));
        got = certificate_html(c);
        CHECK_CONTAINS(got, odd[k].text);
        free(got);
        json_decref(c);
    }
    c = certificate("zh", 125, three());
    got = certificate_html(c);
    CHECK_CONTAINS(got, "<html lang=\"zh-Hans\">");
    CHECK_CONTAINS(got, "通过 3 / 5 个实验，得 10.5 / 12 分；约 2 小时 05 分钟的 CUDA 性能学习。");
    free(got);
    json_decref(c);
}

/* The drawing of the PDF's page `number` from 0; "" where there is none. */
static const char *page_of(const char *bytes, size_t n, int number) {
    static char text[60000];
    char open[32];
    snprintf(open, sizeof open, "\n%d 0 obj\n<< /Length ", 12 + 2 * number);
    const char *at = memmem(bytes, n, open, strlen(open));
    size_t size = at ? strtoul(at + strlen(open), NULL, 10) : 0;
    at = at ? strstr(at, "stream\n") + 7 : "";
    snprintf(text, sizeof text, "%.*s", (int)size, at);
    return text;
}

/* Columns end at 350, 410, 470 and 535; the first row of a chapter 45 points below the one
 * before. */
static void drawn(void) {
    json_t *c = certificate("en", 125, three());
    size_t n;
    char *bytes = certificate_pdf(c, &n), want[6000], *json = exam_text(c);
#define HEADS(y)                                                                                   \
    "BT /F1 9.0 Tf 60.00 " y " Td (lab) Tj ET\n"                                                   \
    "BT /F1 9.0 Tf 325.99 " y " Td (points) Tj ET\n"   /* 2668 */                                  \
    "BT /F1 9.0 Tf 376.48 " y " Td (baseline) Tj ET\n" /* 3724 */                                  \
    "BT /F1 9.0 Tf 460.50 " y " Td (us) Tj ET\n"       /* 1056 */                                  \
    "BT /F1 9.0 Tf 520.49 " y " Td (day) Tj ET\n"      /* 1612 */
    snprintf(want, sizeof want,
             "BT /F2 22.0 Tf 60.00 772.00 Td (Warplab: certificate) Tj ET\n"
             "BT /F1 16.0 Tf 60.00 736.00 Td (A & \"B\") Tj ET\n"
             "BT /F1 11.0 Tf 60.00 712.00 Td (passed 3 of 5 labs with 10.5 of 12 points: about 2 h "
             "05 min of CUDA performance.) Tj ET\n"
             "BT /F2 11.0 Tf 60.00 681.00 Td (%s) Tj ET\n"
             "0.5 w 60.0 677.0 m 535.0 677.0 l S\n" HEADS(
                 "666.00") "BT /F1 10.0 Tf 60.00 651.00 Td (T<1>) Tj ET\n"
                           "BT /F1 10.0 Tf 327.76 651.00 Td (4.5/5) Tj ET\n" /* 2224 */
                           "BT /F1 10.0 Tf 531.67 651.00 Td (-) Tj ET\n"     /* 333 */
                           "BT /F1 10.0 Tf 60.00 636.00 Td (Two) Tj ET\n"
                           "BT /F1 10.0 Tf 336.10 636.00 Td (3/3) Tj ET\n"        /* 1390 */
                           "BT /F1 10.0 Tf 391.10 636.00 Td (2.5x) Tj ET\n"       /* 1890 */
                           "BT /F1 10.0 Tf 444.98 636.00 Td (12.35) Tj ET\n"      /* 2502 */
                           "BT /F1 10.0 Tf 483.86 636.00 Td (2026-01-01) Tj ET\n" /* 5114 */
                           "BT /F2 11.0 Tf 60.00 606.00 Td (%s) Tj ET\n"
                           "0.5 w 60.0 602.0 m 535.0 602.0 l S\n" HEADS(
                               "591.00") "BT /F1 10.0 Tf 60.00 576.00 Td (Three) Tj ET\n"
                                         "BT /F1 10.0 Tf 336.10 576.00 Td (3/4) Tj ET\n"
                                         "BT /F1 10.0 Tf 391.10 576.00 Td (0.5x) Tj ET\n"
                                         "BT /F1 10.0 Tf 450.54 576.00 Td (0.25) Tj ET\n" /* 1946 */
                                         "BT /F1 10.0 Tf 483.86 576.00 Td (2025-12-31) Tj ET\n"
                                         "BT /F1 9.0 Tf 60.00 546.00 Td (2026-01-02) Tj ET\n"
                                         "BT /F1 9.0 Tf 60.00 531.00 Td (Made by the student's own "
                                         "program, not signed: "
                                         "warplab certificate --verify FILE checks it against "
                                         "their record.) Tj ET\n"
                                         "BT /F1 8.0 Tf 60.00 516.00 Td (d1) Tj ET\n",
             lab_chapter_title(LIB_EN, 1), lab_chapter_title(LIB_EN, 2));
    CHECK_STR(page_of(bytes, n, 0), want);
    CHECK(memmem(bytes, n, "/Names [(certificate.json) 10 0 R]", 34));
    CHECK(memmem(bytes, n, json, strlen(json)));
    free(json);
    free(bytes);
    json_decref(c);
}

/* Rows stand 15 points apart down to 90, from 651 on the first page and 772 on others: 38 and 46 of
 * them. What is below them needs 45 points above 60; a chapter begins where at least five rows have
 * room. */
static void pages(void) {
    static const struct {
        int labs, of_second; /* of the chapter that follows */
        int pages, on;       /* page `on` has `what` at height `at` */
        const char *at, *what;
    } rows[] = {{36, 0, 1, 0, "66.00", "d1"},
                {37, 0, 2, 1, "727.00", "d1"},
                {38, 0, 2, 0, "96.00", "L37"},
                {39, 0, 2, 1, "772.00", "L38"},
                {38 + 46, 0, 3, 1, "97.00", "L83"},
                {38 + 46, 0, 3, 2, "727.00", "d1"},
                {38 + 47, 0, 3, 2, "772.00", "L84"},
                {34, 1, 2, 0, "96.00", "L34"},
                {35, 1, 2, 1, "727.00", "L35"},
                {38 + 31 * 46, 0, 32, 31, "97.00", "L1463"},
                {39 + 31 * 46, 0, 32, 31, "97.00", "L1463"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        json_t *labs = json_array();
        for (int i = 0; i < rows[k].labs + rows[k].of_second; i++) {
            char name[16];
            snprintf(name, sizeof name, "L%d", i);
            json_array_append_new(labs, lab_row(name, 1 + (i >= rows[k].labs), 1, 1, 0, 0, "-"));
        }
        json_t *c = certificate("en", 1, labs);
        size_t n;
        char *bytes = certificate_pdf(c, &n), count[40], want[80];
        snprintf(count, sizeof count, "/Type /Pages /Count %d ", rows[k].pages);
        snprintf(want, sizeof want, " %s Td (%s) Tj ET\n", rows[k].at, rows[k].what);
        check_that(memmem(bytes, n, count, strlen(count)) != NULL, __FILE__, __LINE__, want, count);
        CHECK_CONTAINS(page_of(bytes, n, rows[k].on), want);
        free(bytes);
        json_decref(c);
    }
}

/* ---- made and checked ---- */

static char root[64];
static void put_lab(const char *id, int chapter, int minutes) {
    char path[128];
    snprintf(path, sizeof path, "%s/labs/%s.lua", root, id);
    FILE *f = fopen(path, "w");
    fprintf(
        f,
        "return lab {\n  id = \"%s\", title = { en = \"Lab %s\", zh = \"实验 %s\" }, chapter = "
        "%d, minutes = %d,\n  entry = \"void f(float *c, int n)\",\n  args = { c = "
        "output(\"n\") },\n  cases = { { n = 10, timed = true } },\n  goals = { correct { "
        "points = 4 } },\n  hints = { { en = \"a\", zh = \"a\" }, { en = \"a\", zh = \"a\" }, { "
        "en = \"a\", zh = \"a\" } },\n  after = { en = \"a\", zh = \"a\" }, more = { en = "
        "\"a\", zh = \"a\" },\n  steps = { exercise { en = \"a\", zh = \"a\" } },\n}\n",
        id, id, id, chapter, minutes);
    fclose(f);
}

static void made_and_checked(void) {
    char path[128];
    lib_message msg = {0};
    exam_key key = {.bytes = "0123456789abcdef", .n = 16},
             other = {.bytes = "0123456789abcdeg", .n = 16};
    snprintf(root, sizeof root, "/tmp/warplab-certificate-XXXXXX");
    if (!mkdtemp(root)) exit(1);
    setenv("XDG_DATA_HOME", root, 1);
    snprintf(path, sizeof path, "%s/labs", root);
    mkdir(path, 0700);
    put_lab("one", 1, 50), put_lab("two", 1, 75), put_lab("three", 2, 600);
    snprintf(path, sizeof path, "%s/p.db", root);
    progress *p = progress_open(path);
    CHECK(!certificate_make(root, p, "x", NULL, LIB_EN, 1, &msg));
    CHECK_STR(said(&msg), "no lab was passed yet: there is nothing to certify");
    progress_put(p, &(progress_lab){.lab = "one",
                                    .passed = true,
                                    .best_score = 3,
                                    .max_score = 4,
                                    .best_speedup = 2.5,
                                    .hints = 2,
                                    .answer_seen = true,
                                    .passed_at = 86400}); /* the second day of 1970 */
    progress_put(
        p, &(progress_lab){
               .lab = "two", .passed = true, .best_score = 4, .max_score = 4, .passed_at = 86399});
    progress_put(p,
                 &(progress_lab){.lab = "three", .started = true, .best_score = 1, .max_score = 9});
    /* The fastest missed a goal, another was faster than any that passed: neither is certified. */
    static const struct {
        double us, speedup, score;
    } tries[] = {{9, 2, 3}, {5, 2.1, 1}, {7, 2.5, 3}, {4, 3.5, 3}, {8, 2.25, 3}};
    for (int i = 0; i < 5; i++) {
        progress_rung r = {.device = "sim:h200",
                           .time_us = tries[i].us,
                           .speedup = tries[i].speedup,
                           .score = tries[i].score,
                           .at = 1};
        snprintf(r.text, sizeof r.text, "%d", i);
        progress_rung_add(p, "one", &r);
        snprintf(r.device, sizeof r.device, "sim:t4");
        r.time_us = 1;
        progress_rung_add(p, "one", &r);
    }
    for (int pass = 0; pass < 2; pass++) {
        json_t *c = certificate_make(root, p, " A\tb\nc\x1b", pass ? &key : NULL,
                                     pass ? LIB_ZH : LIB_EN, 86400 * 365, &msg);
        CHECK_STR(json_string_value(json_object_get(c, "name")), " A b c\xef\xbf\xbd");
        CHECK_STR(json_string_value(json_object_get(c, "day")), "1971-01-01");
        CHECK_STR(json_string_value(json_object_get(c, "lang")), pass ? "zh" : "en");
        static const struct {
            const char *name;
            double v;
        } numbers[] = {{"version", 1},   {"passed", 2}, {"of", 3},
                       {"minutes", 125}, {"points", 7}, {"max", 8}};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            CHECK_NEAR(json_number_value(json_object_get(c, numbers[i].name)), numbers[i].v, 0);
        CHECK((json_object_get(c, "mac") != NULL) == pass);
        json_t *labs = json_object_get(c, "labs");
        CHECK_INT(json_array_size(labs), 2);
        json_t *want = json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:s, s:s, s:i, s:b}", "lab",
                                 "one", "title", pass ? "实验 one" : "Lab one", "chapter", 1,
                                 "points", 3.0, "max", 4.0, "speedup", 2.5, "us", 7.0, "device",
                                 "sim:h200", "day", "1970-01-02", "hints", 2, "answer_seen", 1);
        size_t which =
            strcmp(json_string_value(json_object_get(json_array_get(labs, 0), "lab")), "one") != 0;
        CHECK(json_equal(json_array_get(labs, which), want));
        json_t *two = json_array_get(labs, !which);
        CHECK_STR(json_string_value(json_object_get(two, "day")), "1970-01-01");
        CHECK(!*json_string_value(json_object_get(two, "device")) &&
              json_number_value(json_object_get(two, "us")) == 0);
        json_decref(want);
        for (int form = 0; form < 2; form++) {
            size_t n;
            char *bytes = form ? certificate_pdf(c, &n) : certificate_html(c);
            if (!form) n = strlen(bytes);
            certificate_checked got;
            CHECK(certificate_check(bytes, n, pass ? &key : NULL, p, &got, &msg));
            CHECK(got.intact && got.signed_ == pass && got.key_own == pass);
            CHECK(got.labs == 2 && got.in_record == 2 && json_equal(got.json, c));
            json_decref(got.json);
            CHECK(certificate_check(bytes, n, &other, NULL, &got, &msg));
            CHECK(got.intact && !got.key_own && got.labs == 2 && !got.in_record);
            json_decref(got.json);
            /* a letter of the page, or one more behind it, and it is not what its JSON makes */
            bytes[form ? n - 2 : 2] ^= 1;
            CHECK(certificate_check(bytes, n, NULL, p, &got, &msg) && !got.intact);
            json_decref(got.json);
            bytes[form ? n - 2 : 2] ^= 1;
            CHECK(certificate_check(bytes, n - 1, NULL, p, &got, &msg) && !got.intact);
            json_decref(got.json);
            free(bytes);
        }
        /* more points: the digest tells, the record has fewer, and so with the factor */
        static const char *const fields[] = {"points", "speedup"};
        for (int i = 0; i < 2; i++) {
            json_t *row = json_array_get(labs, which);
            double was = json_number_value(json_object_get(row, fields[i]));
            for (int more = 0; more < 2; more++) {
                certificate_checked got;
                json_object_set_new(row, fields[i], json_real(was + (more ? 0.5 : -0.5)));
                char *bytes = certificate_html(c);
                CHECK(certificate_check(bytes, strlen(bytes), pass ? &key : NULL, p, &got, &msg));
                CHECK(!got.intact && !got.key_own && got.in_record == (more ? 1 : 2));
                json_decref(got.json);
                free(bytes);
            }
            json_object_set_new(row, fields[i], json_real(was));
        }
        json_decref(c);
    }
    char longer[100]; /* of a name 80 bytes */
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    json_t *c = certificate_make(root, p, longer, NULL, LIB_EN, 0, &msg);
    CHECK_INT(strlen(json_string_value(json_object_get(c, "name"))), 80);
    CHECK_STR(json_string_value(json_object_get(c, "day")), "-");
    json_decref(c);
    progress_close(p);
    static const char *const none[] = {
        "",
        "%PDF-",
        "%PDF-1.4\n/Type /EmbeddedFile stream\n{}\nendstream",
        "<script type=\"application/json\" id=\"certificate\">[]</script>",
        "<script type=\"application/json\" "
        "id=\"certificate\">{\"warplab\":\"certificate\"}</script>",
        "<script type=\"application/json\" "
        "id=\"certificate\">{\"warplab\":\"x\",\"labs\":[]}</script>",
        "<script type=\"application/json\" "
        "id=\"certificate\">{\"warplab\":\"certificate\",\"labs\":[]}"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        certificate_checked got;
        CHECK(!certificate_check(none[k], strlen(none[k]), NULL, NULL, &got, &msg));
        CHECK_CONTAINS(said(&msg), "this is no certificate of Warplab's");
    }
    lib_remove_tree(root);
}

int main(void) {
    pdfs();
    widths();
    html();
    drawn();
    pages();
    made_and_checked();
    return check_done();
}
