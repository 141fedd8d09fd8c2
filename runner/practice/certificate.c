/* See certificate.h. */
#include "runner/practice/certificate.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/base/sha256.h"
#include "runner/lesson/catalog.h"
#include "runner/practice/pdf.h"
#include "runner/term/i18n.h"
#include "grader/json/json.h"
#include "words/practice.h"
#include "words/term.h"

/* ---- its contents ---- */

/* Finds time and factor of one attempt. Returns false if none was recorded on the current
 * device. */
static bool best_attempt(progress *p, const progress_lab *was, progress_rung *out) {
    char name[64];
    progress_setting(p, "device", name, sizeof name);
    return progress_best(p, was, name[0] ? name : "sim:h200", out);
}

static void day_of(int64_t at, char out[32]) {
    struct tm tm;
    time_t t = (time_t)at;
    if (!at || !gmtime_r(&t, &tm) || !strftime(out, 32, "%Y-%m-%d", &tm)) snprintf(out, 32, "-");
}

static json_t *certificate_lab(progress *p, const lab_header *h, const progress_lab *was,
                               lib_lang lang) {
    char day[32];
    progress_rung best = {.speedup = was->best_speedup};
    best_attempt(p, was, &best);
    day_of(was->passed_at, day);
    return json_pack("{s:s, s:o, s:i, s:f, s:f, s:f, s:f, s:o, s:s, s:i, s:b}", "lab", h->id,
                     "title", json_text(h->title[lang]), "chapter", h->chapter, "points",
                     was->best_score, "max", was->max_score, "speedup", best.speedup, "us",
                     best.time_us, "device", json_text(best.device), "day", day, "hints",
                     was->hints, "answer_seen", was->answer_seen);
}

/* Returns the text without digest and signature, in an order that does not depend on its writer. */
static char *bare_text(const json_t *c) {
    json_t *bare = json_copy((json_t *)(uintptr_t)c);
    json_object_del(bare, "digest");
    json_object_del(bare, "mac");
    char *text = json_dumps(bare, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(bare);
    if (!text) abort();
    return text;
}

static void digest_of(const char *text, char hex[EXAM_HEX]) {
    lib_sha256 s;
    lib_sha256_init(&s);
    lib_sha256_add(&s, text, strlen(text));
    lib_sha256_end_hex(&s, hex);
}

static void certificate_sign(json_t *c, const exam_key *key) {
    char hex[EXAM_HEX], *text = bare_text(c);
    digest_of(text, hex);
    json_object_set_new(c, "digest", json_string(hex));
    if (key) {
        lib_hmac_hex(key->bytes, key->n, text, strlen(text), hex);
        json_object_set_new(c, "mac", json_string(hex));
    }
    free(text);
}

void certificate_usual_name(char *out, size_t n) {
    const struct passwd *p = getpwuid(getuid());
    const char *full = p && p->pw_gecos && *p->pw_gecos ? p->pw_gecos : p ? p->pw_name : "?";
    lib_say(out, n, "%.*s", (int)strcspn(full, ","), full);
}

json_t *certificate_make(const char *root, progress *p, const char *name, const exam_key *key,
                         lib_lang lang, int64_t now, lib_message *msg) {
    lab_header *h;
    size_t n = lab_list(root, &h), passed = 0;
    int minutes = 0;
    double points = 0, most = 0;
    char made[32], who[CERTIFICATE_NAME + 1], *clean = lib_clean(name, strlen(name));
    SAY(who, "%s", clean ? clean : "");
    for (char *s = who; *s; s++)
        if (*s == '\n' || *s == '\t') *s = ' ';
    free(clean);
    json_t *labs = json_array();
    for (size_t i = 0; i < n; i++) {
        progress_lab was;
        progress_get(p, h[i].id, &was);
        if (!was.passed || h[i].broken) continue;
        json_array_append_new(labs, certificate_lab(p, &h[i], &was, lang));
        passed++, minutes += h[i].minutes, points += was.best_score, most += was.max_score;
    }
    free(h);
    if (!passed) {
        lib_message_set(msg, w_practice_nothing_to_certify());
        json_decref(labs);
        return NULL;
    }
    day_of(now, made);
    json_t *c = json_pack("{s:s, s:i, s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:f, s:o}", "warplab",
                          "certificate", "version", 1, "lang", i18n_name(lang), "name", who, "day",
                          made, "passed", (int)passed, "of", (int)n, "minutes", minutes, "points",
                          points, "max", most, "labs", labs);
    if (!c) abort();
    certificate_sign(c, key);
    return c;
}

/* ---- reading it back ---- */

static const char *certificate_text(const json_t *o, const char *name) {
    const char *s = json_string_value(json_object_get(o, name));
    return s ? s : "";
}

static double certificate_number(const json_t *o, const char *name) {
    return json_number_value(json_object_get(o, name));
}

/* Reads a count. The file may contain any number. */
static int certificate_count(const json_t *o, const char *name) {
    enum { MOST = 1000000000 };
    double v = certificate_number(o, name);
    return v >= MOST ? MOST : v > 0 ? (int)v : 0;
}

static lib_lang lang_of(const json_t *c) {
    return !strcmp(certificate_text(c, "lang"), "zh") ? LIB_ZH : LIB_EN;
}

typedef struct {
    char points[32], speed[32], us[48];
} certificate_row;

static certificate_row row_of(const json_t *l) {
    certificate_row r = {.speed = "", .us = ""};
    char number[32];
    double factor = certificate_number(l, "speedup"), us = certificate_number(l, "us");
    snprintf(r.points, sizeof r.points, "%g/%g", certificate_number(l, "points"),
             certificate_number(l, "max"));
    if (factor > 0) snprintf(r.speed, sizeof r.speed, "%sx", lib_figure(number, 3, factor));
    if (us > 0) snprintf(r.us, sizeof r.us, "%s", lib_figure(number, 4, us));
    return r;
}

static char *sum_line(const json_t *c) {
    int minutes = certificate_count(c, "minutes");
    return lib_words_take(
        lang_of(c), w_practice_cert_sum(certificate_count(c, "passed"), certificate_count(c, "of"),
                                        certificate_number(c, "points"),
                                        certificate_number(c, "max"), minutes / 60, minutes % 60));
}

static const char *proof_line(const json_t *c) {
    return json_object_get(c, "mac") ? lib_word(lang_of(c), W_PRACTICE_CERT_SIGNED)
                                     : lib_word(lang_of(c), W_PRACTICE_CERT_UNSIGNED);
}

/* ---- HTML ---- */

static void escaped(lib_buffer *b, const char *text) {
    for (; *text; text++) {
        const char *as = *text == '<'   ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '&' ? "&amp;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
        if (as) lib_buffer_puts(b, as);
        else lib_buffer_add(b, text, 1);
    }
}

/* Adds a text of ours; text in backticks becomes a `code` element on a page, or loses its
 * backticks. */
static void coded(lib_buffer *b, const char *text, bool page) {
    for (bool code = false; *text; code = !code) {
        size_t n = strcspn(text, "`");
        char *part = lib_format("%.*s", (int)n, text);
        if (page) escaped(b, part);
        else lib_buffer_puts(b, part);
        free(part);
        text += n;
        if (!*text) return;
        if (page) lib_buffer_puts(b, code ? "</code>" : "<code>");
        text++;
    }
}

static void tag(lib_buffer *b, const char *name, const char *text) {
    lib_buffer_printf(b, "<%s>", name);
    escaped(b, text);
    lib_buffer_printf(b, "</%.*s>", (int)strcspn(name, " "), name);
}

/* Encloses a page's JSON. The JSON has no <, so nothing in it can end the element. */
static const char html_open[] = "<script type=\"application/json\" id=\"certificate\">",
                  html_close[] = "</script>";

static void put_json(lib_buffer *b, const json_t *c) {
    char *text = exam_text(c);
    lib_buffer_puts(b, html_open);
    for (const char *s = text; *s; s++) {
        if (*s == '<') lib_buffer_puts(b, "\\u003c");
        else lib_buffer_add(b, s, 1);
    }
    lib_buffer_puts(b, html_close);
    free(text);
}

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 "
    "1em;color:#222;background:#fff}"
    "h1{font-weight:600;margin:0}h2{font-size:1em;margin:1.6em 0 .3em;border-bottom:1px solid #999}"
    ".name{font-size:1.6em;margin:.6em 0 .2em}table{border-collapse:collapse;width:100%}"
    "th,td{text-align:right;padding:.1em .4em;font-variant-numeric:tabular-nums}"
    "th:first-child,td:first-child{text-align:left}th{font-weight:400;color:#666}"
    ".proof{color:#666;font-size:.85em;margin-top:2em;overflow-wrap:anywhere}"
    "@page{size:A4;margin:18mm}@media print{body{margin:0;max-width:none}tr{break-inside:avoid}}";

static void html_table(lib_buffer *b, const json_t *c) {
    const json_t *labs = json_object_get(c, "labs");
    int chapter = -1;
    for (size_t i = 0; i < json_array_size(labs); i++) {
        const json_t *l = json_array_get(labs, i);
        certificate_row r = row_of(l);
        if (certificate_count(l, "chapter") != chapter) {
            if (i) lib_buffer_puts(b, "</table>\n");
            chapter = certificate_count(l, "chapter");
            tag(b, "h2", lab_chapter_title(lang_of(c), chapter));
            lib_buffer_puts(b, "\n<table><tr>");
            const char *heads[] = {lib_word(lang_of(c), W_PRACTICE_CERT_LAB),
                                   lib_word(lang_of(c), W_PRACTICE_CERT_POINTS),
                                   lib_word(lang_of(c), W_PRACTICE_CERT_SPEED),
                                   lib_word(lang_of(c), W_PRACTICE_CERT_TIME),
                                   lib_word(lang_of(c), W_PRACTICE_CERT_DAY)};
            for (int k = 0; k < 5; k++) tag(b, "th", heads[k]);
            lib_buffer_puts(b, "</tr>\n");
        }
        const char *cells[] = {certificate_text(l, "title"), r.points, r.speed, r.us,
                               certificate_text(l, "day")};
        lib_buffer_puts(b, "<tr>");
        for (int k = 0; k < 5; k++) tag(b, "td", cells[k]);
        lib_buffer_puts(b, "</tr>\n");
    }
    if (chapter >= 0) lib_buffer_puts(b, "</table>\n");
}

char *certificate_html(const json_t *c) {
    lib_buffer b = {0};
    char *sum = sum_line(c);
    lib_buffer_printf(&b,
                      "<!doctype html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\"><meta "
                      "name=\"viewport\" content=\"width=device-width\">",
                      lib_word(lang_of(c), W_TERM_HTML_LANG));
    tag(&b, "title", lib_word(lang_of(c), W_PRACTICE_CERT_TITLE));
    lib_buffer_printf(&b, "<style>%s</style></head><body>\n", style);
    tag(&b, "h1", lib_word(lang_of(c), W_PRACTICE_CERT_TITLE));
    tag(&b, "p class=\"name\"", certificate_text(c, "name"));
    tag(&b, "p", sum);
    html_table(&b, c);
    lib_buffer_puts(&b, "<p class=\"proof\">");
    escaped(&b, certificate_text(c, "day"));
    lib_buffer_puts(&b, "<br>");
    coded(&b, proof_line(c), true);
    lib_buffer_puts(&b, "<br>");
    escaped(&b, certificate_text(c, "digest"));
    lib_buffer_puts(&b, "</p>\n");
    put_json(&b, c);
    lib_buffer_puts(&b, "\n</body></html>\n");
    free(sum);
    return lib_buffer_take(&b);
}

/* ---- PDF ---- */

enum { LEFT = 60, RIGHT = PDF_WIDTH - 60, TOP = PDF_HEIGHT - 70, BOTTOM = 60, ROW = 15 };
static const int pdf_columns[] = {350, 410, 470, RIGHT};

static void pdf_heads(pdf *p, const json_t *c, double y) {
    const char *heads[] = {
        lib_word(lang_of(c), W_PRACTICE_CERT_POINTS), lib_word(lang_of(c), W_PRACTICE_CERT_SPEED),
        lib_word(lang_of(c), W_PRACTICE_CERT_TIME), lib_word(lang_of(c), W_PRACTICE_CERT_DAY)};
    pdf_text(p, LEFT, y, 9, false, lib_word(lang_of(c), W_PRACTICE_CERT_LAB));
    for (int k = 0; k < 4; k++) pdf_text_right(p, pdf_columns[k], y, 9, heads[k]);
}

static double pdf_labs(pdf *p, const json_t *c, double y) {
    const json_t *labs = json_object_get(c, "labs");
    int chapter = -1;
    for (size_t i = 0; i < json_array_size(labs); i++) {
        const json_t *l = json_array_get(labs, i);
        certificate_row r = row_of(l);
        bool new_chapter = certificate_count(l, "chapter") != chapter;
        if (y < BOTTOM + (new_chapter ? 5 : 2) * ROW) {
            if (!pdf_page(p)) return y;
            y = TOP;
        }
        if (new_chapter) {
            chapter = certificate_count(l, "chapter");
            y -= ROW;
            pdf_text(p, LEFT, y, 11, true, lab_chapter_title(lang_of(c), chapter));
            pdf_line(p, LEFT, y - 4, RIGHT, y - 4);
            y -= ROW;
            pdf_heads(p, c, y);
            y -= ROW;
        }
        const char *cells[] = {r.points, r.speed, r.us, certificate_text(l, "day")};
        pdf_text(p, LEFT, y, 10, false, certificate_text(l, "title"));
        for (int k = 0; k < 4; k++) pdf_text_right(p, pdf_columns[k], y, 10, cells[k]);
        y -= ROW;
    }
    return y;
}

char *certificate_pdf(const json_t *c, size_t *n) {
    pdf *p = pdf_new(lib_word(lang_of(c), W_PRACTICE_CERT_TITLE));
    char *sum = sum_line(c), *json = exam_text(c);
    pdf_page(p);
    pdf_text(p, LEFT, TOP, 22, true, lib_word(lang_of(c), W_PRACTICE_CERT_TITLE));
    pdf_text(p, LEFT, TOP - 36, 16, false, certificate_text(c, "name"));
    pdf_text(p, LEFT, TOP - 60, 11, false, sum);
    double y = pdf_labs(p, c, TOP - 76);
    if (y < BOTTOM + 3 * ROW && pdf_page(p)) y = TOP;
    pdf_text(p, LEFT, y - ROW, 9, false, certificate_text(c, "day"));
    lib_buffer proof = {0};
    coded(&proof, proof_line(c), false);
    pdf_text(p, LEFT, y - 2 * ROW, 9, false, proof.s);
    lib_buffer_free(&proof);
    pdf_text(p, LEFT, y - 3 * ROW, 8, false, certificate_text(c, "digest"));
    pdf_attach(p, "certificate.json", json, strlen(json));
    free(sum);
    free(json);
    return pdf_end(p, n);
}

/* ---- checking ---- */

/* Reads the JSON between two marks of the file. */
static json_t *json_between(const char *bytes, size_t n, const char *open, const char *close) {
    const char *from = memmem(bytes, n, open, strlen(open));
    if (!from) return NULL;
    from += strlen(open);
    const char *to = memmem(from, n - (size_t)(from - bytes), close, strlen(close));
    return to ? json_loadb(from, (size_t)(to - from), JSON_REJECT_DUPLICATES, NULL) : NULL;
}

static json_t *json_of_pdf(const char *bytes, size_t n) {
    const char *file = memmem(bytes, n, "/Type /EmbeddedFile", 19);
    return file ? json_between(file, n - (size_t)(file - bytes), "stream\n", "\nendstream") : NULL;
}

static bool same_page(const char *bytes, size_t n, const json_t *c, bool is_pdf) {
    size_t made_n = 0;
    char *made = is_pdf ? certificate_pdf(c, &made_n) : certificate_html(c);
    if (!is_pdf) made_n = strlen(made);
    bool same = made_n == n && !memcmp(made, bytes, n);
    free(made);
    return same;
}

static void against_record(const json_t *c, progress *p, certificate_checked *out) {
    const json_t *labs = json_object_get(c, "labs");
    out->labs = json_array_size(labs);
    for (size_t i = 0; p && i < out->labs; i++) {
        const json_t *l = json_array_get(labs, i);
        progress_lab was;
        char id[LAB_ID_MAX];
        snprintf(id, sizeof id, "%s", certificate_text(l, "lab"));
        progress_get(p, id, &was);
        out->in_record += was.passed && was.best_score >= certificate_number(l, "points") &&
                          was.best_speedup >= certificate_number(l, "speedup");
    }
}

bool certificate_check(const char *bytes, size_t n, const exam_key *key, progress *p,
                       certificate_checked *out, lib_message *msg) {
    *out = (certificate_checked){0};
    bool is_pdf = n > 5 && !memcmp(bytes, "%PDF-", 5);
    json_t *c = is_pdf ? json_of_pdf(bytes, n) : json_between(bytes, n, html_open, html_close);
    if (!json_is_object(c) || strcmp(certificate_text(c, "warplab"), "certificate") != 0 ||
        !json_is_array(json_object_get(c, "labs"))) {
        lib_message_set(msg, w_practice_no_certificate());
        json_decref(c);
        return false;
    }
    char hex[EXAM_HEX], *text = bare_text(c);
    digest_of(text, hex);
    out->json = c;
    out->intact =
        lib_same_hex(hex, certificate_text(c, "digest")) && same_page(bytes, n, c, is_pdf);
    out->signed_ = json_object_get(c, "mac") != NULL;
    if (key) {
        lib_hmac_hex(key->bytes, key->n, text, strlen(text), hex);
        out->key_own = lib_same_hex(hex, certificate_text(c, "mac"));
    }
    free(text);
    against_record(c, p, out);
    return true;
}
