/* Reports: fields, formats, escaping of hostile text, the same bytes twice. The result is made by
 * hand; expectations come from the formats' own documentation. */
#include <jansson.h>
#include <stdlib.h>
#include "grader/judge/result_fill.h"
#include "grader/report/model.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/report.h"
#include "grader/result.h"
#include "runner/base/say.h"
#include "tests/check.h"
#include "tests/said.h"

static const char hostile[] = "<script>alert(\"x\")</script> & 'q' ]]> \x01\x1b[31m \xff\xfe "
                              "\xed\xa0\x80 \xc0\xaf \xf4\x90\x80\x80 "
                              "\xe4\xbd\xa0\xe5\xa5\xbd \xef\xbf\xbf {\"scores\":{}}";

static grade_goal goals[] = {
    {.kind = GRADE_GOAL_CORRECT, .points = 4},
    {.kind = GRADE_GOAL_COUNTER,
     .name = "gld_sectors",
     .relation = GRADE_LE,
     .threshold = 400,
     .points = 3},
    {.kind = GRADE_GOAL_COUNTER,
     .name = "gld_sectors",
     .relation = GRADE_GE,
     .threshold = 1,
     .points = 1},
    {.kind = GRADE_GOAL_SPEEDUP, .relation = GRADE_GE, .threshold = 1.5, .points = 2},
};
static const grade_lab lab = {.id = "vector-add",
                              .title = {"Add <two> vectors", "向量相加"},
                              .goals = goals,
                              .goal_count = 4};

static grade_param p0[] = {{"n", 1003}}, p1[] = {{"n", 77}};

static grade_param *params(const grade_param *from) {
    grade_param *p = malloc(sizeof *p);
    *p = (grade_param){strdup(from->name), from->value};
    return p;
}

static void make(grade_result *r) {
    grade_options o = {.device = "sim:h200", .seed = 42, .secret = UINT64_MAX};
    grade_result_init(r, &lab, &o);
    r->cases = calloc(2, sizeof *r->cases);
    r->case_count = 2;
    r->cases[0] = (grade_case_result){
        .params = params(p0), .param_count = 1, .pass = true, .timed = true, .max_error = 0};
    r->cases[1] = (grade_case_result){.params = params(p1),
                                      .param_count = 1,
                                      .hidden = true,
                                      .has_mismatch = true,
                                      .mismatch_arg = "c",
                                      .index = 76,
                                      .expected = 1.5,
                                      .actual = NAN,
                                      .wrong = 1,
                                      .total = 77,
                                      .max_error = INFINITY,
                                      .picture = "...#"};
    tell(&r->cases[1].message, "n = 77: c[76] should be 1.5", "n = 77：c[76] 应为 1.5");
    r->goals[0].pass = false;
    lib_message_set(&r->goals[0].message, lib_words_plain((lib_texts){{hostile, "中文"}}));
    r->goals[1] = (grade_goal_result){
        .goal = &goals[1], .pass = true, .expected = 400, .actual = 400, .points = 3};
    r->goals[2] = (grade_goal_result){
        .goal = &goals[2], .pass = true, .expected = 1, .actual = 400, .points = 1};
    r->goals[3] = (grade_goal_result){
        .goal = &goals[3], .pass = false, .expected = 1.5, .actual = 1.25, .points = 1.33};
    r->score = 5.33;
    r->max_score = 10;
    r->time_us = 12.5;
    r->baseline_us = 15.625;
    r->speedup = 1.25;
    r->replayed = true;
    r->counters.gld_sectors = 400;
    r->counters.gst_requests = 65536;
    r->counters.branches = 1262144;
    r->counters.warp_inst = 4096;
    r->counters.flop_sp = 163082; /* 0.000163082 and 12544.77 an operation's byte */
    r->counters.gld_bytes = 1000000000;
    r->counters.dram_read = 13;
    r->counters.gld_requests = 100;
    sim_finding f = {.kind = SIM_FIND_OOB,
                     .count = 3,
                     .kernel = "add",
                     .file = "x.cu",
                     .line = 12,
                     .space = "global",
                     .alloc_name = "c",
                     .other_file = ""};
    char text[600];
    SAY(text, "out of bounds %s", hostile);
    tell(&f.said, text, text);
    result_add_findings(r, &f, 1);
    result_add_findings(r, &f, 1);
    r->finding_public = 1;
    r->output = strdup(hostile);
    r->output_len = strlen(hostile);
    r->build_log = strdup(hostile);
}

static json_t *parse(char *text) {
    json_error_t e;
    json_t *o = text ? json_loads(text, 0, &e) : NULL;
    if (!o) printf("# %s\n", text ? e.text : "NULL");
    free(text);
    return o;
}
static const char *str(const json_t *o, const char *k) {
    return json_string_value(json_object_get(o, k));
}
static double num(const json_t *o, const char *k) {
    return json_number_value(json_object_get(o, k));
}
static const json_t *at(const json_t *o, const char *k, size_t i) {
    return json_array_get(json_object_get(o, k), i);
}

static void as_json(grade_result *r) {
    char *a = grade_report(r, GRADE_REPORT_JSON, LIB_EN),
         *b = grade_report(r, GRADE_REPORT_JSON, LIB_EN);
    CHECK_STR(a, b);
    CHECK(a && a[strlen(a) - 1] == '\n');
    static const char *const order[] = {
        "\"version\"", "\"lab\"",         "\"verdict\"", "\"score\"",    "\"max_score\"",
        "\"device\"",  "\"seed\"",        "\"build\"",   "\"cases\"",    "\"goals\"",
        "\"time_us\"", "\"baseline_us\"", "\"speedup\"", "\"findings\"", "\"toolchain\""};
    const char *from = a;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const char *next = from ? strstr(from, order[i]) : NULL;
        CHECK(next != NULL);
        if (next) from = next;
    }
    free(b);
    json_t *o = parse(a);
    CHECK_NEAR(num(o, "version"), 1, 0);
    CHECK_STR(str(o, "lab"), "vector-add");
    CHECK_STR(str(o, "verdict"), "fail");
    CHECK_NEAR(num(o, "score"), 5.33, 1e-12);
    CHECK_NEAR(num(o, "seed"), 42, 0);
    CHECK_STR(str(o, "secret_seed"), "18446744073709551615");
    CHECK_STR(str(o, "timing"), "replayed");
    CHECK(json_is_null(json_object_get(at(o, "cases", 0), "mismatch")));
    const json_t *m = json_object_get(at(o, "cases", 1), "mismatch");
    CHECK_NEAR(num(m, "index"), 76, 0);
    CHECK_STR(str(m, "actual"), "NaN");
    CHECK_STR(str(at(o, "cases", 1), "max_error"), "infinity");
    CHECK_NEAR(num(json_object_get(at(o, "cases", 1), "args"), "n"), 77, 0);
    CHECK_STR(str(at(o, "goals", 1), "kind"), "counter");
    CHECK_STR(str(at(o, "goals", 1), "name"), "gld_sectors");
    CHECK_NEAR(num(at(o, "findings", 0), "count"), 6, 0);
    CHECK_INT(json_array_size(json_object_get(o, "findings")), 1);
    CHECK_STR(str(at(o, "findings", 0), "kind"), "oob");
    CHECK_NEAR(num(json_object_get(o, "counters"), "gld_sectors_per_request"), 4, 0);
    const char *text = str(at(o, "goals", 0), "message");
    CHECK_CONTAINS(text, "<script>");
    CHECK_CONTAINS(text, "你好");
    CHECK_CONTAINS(text, "\xEF\xBF\xBD");
    CHECK(text && !strchr(text, 1) && !strchr(text, 27) && !strchr(text, 0xff));
    json_decref(o);
    o = parse(grade_report(r, GRADE_REPORT_JSON, LIB_ZH));
    CHECK_STR(str(at(o, "goals", 0), "message"), "中文");
    CHECK_STR(str(o, "title"), "向量相加");
    json_decref(o);
}

static void check_dump(const json_t *o, const char *want) {
    char *got = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12));
    CHECK_STR(got, want);
    free(got);
}

/* Each part of the record, field by field, of values that differ. */
static void parts_of_json(void) {
    sim_finding race = {.kind = SIM_FIND_RACE,
                        .count = 2,
                        .kernel = "k",
                        .block = {1, 2, 3},
                        .thread = {4, 5, 6},
                        .file = "x.cu",
                        .line = 12,
                        .space = "shared",
                        .write = true,
                        .bytes = 4,
                        .alloc_name = "c",
                        .other_thread = {7, 8, 9},
                        .other_file = "y.cu",
                        .other_line = 10};
    grade_result r;
    make(&r);
    tell(&race.said, "R", "R");
    result_add_findings(&r, &race, 1); /* behind those that are public */
    r.launches = calloc(1, sizeof *r.launches);
    r.launch_count = 1;
    r.launches[0] = (grade_launch){.kernel = "k",
                                   .grid = {1, 2, 3},
                                   .block = {4, 5, 6},
                                   .registers = 40,
                                   .shared = 1024,
                                   .occupancy = {.pct = 75},
                                   .achieved_occupancy_pct = 62.5,
                                   .time_us = 2.5,
                                   .limiter = "dram"};
    r.lines = calloc(1, sizeof *r.lines);
    r.line_count = 1;
    r.lines[0] =
        (sim_line){.file = "a.cu", .line = 7, .counters = {.warp_inst = 5, .gst_sectors = 2}};
    r.has_gpu = true;
    r.gpu = (dev_gpu_state){.name = "G",
                            .uuid = "U",
                            .driver = "D",
                            .copy_gbs = 4000.5,
                            .launch_us = 2.25,
                            .clocks_known = true,
                            .sm_mhz = 1980,
                            .memory_mhz = 2619,
                            .temperature_c = 40,
                            .power_w = 350.5};
    r.throttle = 0x2C;
    r.samples = 12;
    r.time_lo = 12.25, r.time_hi = 12.75;
    r.ci_lo = 1.125, r.ci_hi = 1.375;
    SAY(r.counters_from, "sim:h200");
    r.modelled_us = 11.5, r.modelled_speedup = 1.75;
    json_t *o = parse(grade_report(&r, GRADE_REPORT_JSON, LIB_EN));
    check_dump(at(o, "cases", 0),
               "{\"args\":{\"n\":1003},\"pass\":true,\"hidden\":false,\"timed\":true,"
               "\"max_error\":0,\"mismatch\":null,\"message\":\"\",\"messages\":{\"en\":\"\","
               "\"zh\":\"\"}}");
    check_dump(
        at(o, "cases", 1),
        "{\"args\":{\"n\":77},\"pass\":false,\"hidden\":true,\"timed\":false,"
        "\"max_error\":\"infinity\",\"mismatch\":{\"arg\":\"c\",\"index\":76,\"expected\":1.5,"
        "\"actual\":\"NaN\",\"wrong\":1,\"total\":77,\"picture\":\"...#\"},"
        "\"message\":\"n = 77: c[76] should be 1.5\",\"messages\":{"
        "\"en\":\"n = 77: c[76] should be 1.5\",\"zh\":\"n = 77：c[76] 应为 1.5\"}}");
    check_dump(at(o, "goals", 1),
               "{\"name\":\"gld_sectors\",\"kind\":\"counter\",\"pass\":true,\"relation\":\"<=\","
               "\"expected\":400,\"actual\":400,\"points\":3,\"max_points\":3,\"message\":\"\","
               "\"messages\":{\"en\":\"\",\"zh\":\"\"}}");
    check_dump(at(o, "goals", 3),
               "{\"name\":\"speedup\",\"kind\":\"speedup\",\"pass\":false,\"relation\":\">=\","
               "\"expected\":1.5,\"actual\":1.25,\"points\":1.33,\"max_points\":2,\"message\":\"\","
               "\"messages\":{\"en\":\"\",\"zh\":\"\"}}");
    json_t *f = json_array_get(json_object_get(o, "findings"), 1);
    json_object_del(f, "texts"); /* test_finding's */
    check_dump(f, "{\"kind\":\"race\",\"text\":\"R\",\"count\":2,\"kernel\":\"k\","
                  "\"block\":[1,2,3],\"thread\":[4,5,6],\"file\":\"x.cu\",\"line\":12,"
                  "\"space\":\"shared\",\"write\":true,\"access\":\"write\",\"bytes\":4,"
                  "\"alloc\":\"c\",\"other\":{\"thread\":[7,8,9],\"file\":\"y.cu\",\"line\":10,"
                  "\"access\":\"read\"},\"other_file\":\"y.cu\",\"other_line\":10,"
                  "\"other_thread\":[7,8,9],\"hidden\":true}");
    const json_t *alone = at(o, "findings", 0);
    CHECK(!json_object_get(alone, "hidden") && !json_object_get(alone, "other_file"));
    check_dump(json_object_get(o, "launches"),
               "[{\"kernel\":\"k\",\"grid\":[1,2,3],\"block\":[4,5,6],\"registers\":40,"
               "\"shared\":1024,\"time_us\":2.5,\"limiter\":\"dram\",\"occupancy_pct\":75,"
               "\"achieved_occupancy_pct\":62.5}]");
    check_dump(json_object_get(o, "lines"),
               "[{\"file\":\"a.cu\",\"line\":7,\"warp_inst\":5,\"gst_sectors\":2}]");
    check_dump(
        json_object_get(o, "gpu"),
        "{\"name\":\"G\",\"uuid\":\"U\",\"driver\":\"D\",\"copy_gbs\":4000.5,\"launch_us\":2.25,"
        "\"samples\":12,\"time_interval\":[12.25,12.75],\"clocks\":{\"sm_mhz\":1980,"
        "\"memory_mhz\":2619,\"throttle_reasons\":\"0x2c\",\"power_w\":350.5,"
        "\"temperature_c\":40}}");
    check_dump(json_object_get(o, "speedup_interval"), "[1.125,1.375]");
    CHECK_STR(str(o, "counters_from"), "sim:h200");
    CHECK_NEAR(num(o, "modelled_us"), 11.5, 0);
    CHECK_NEAR(num(o, "modelled_speedup"), 1.75, 0);
    json_decref(o);
    r.gpu.clocks_known = false;
    o = parse(grade_report(&r, GRADE_REPORT_JSON, LIB_EN));
    CHECK(json_is_null(json_object_get(json_object_get(o, "gpu"), "clocks")));
    json_decref(o);
    grade_result_free(&r);
}

/* What stands in it only where there is something to say, and how its time was taken: of what took
 * no time and launched nothing there are no counters. */
static void optional_fields(void) {
    static const char *const optional[] = {
        "asked_device",     "secret_seed", "message_hidden", "counters_from",     "gpu",
        "speedup_interval", "ungradable",  "counters",       "baseline_counters", "output"};
    enum { OPTIONAL = sizeof optional / sizeof *optional };
    static const struct {
        const char *asked, *message, *output, *timing;
        double time_us;
        size_t launches;
        bool hidden, ungradable, replayed, there[OPTIONAL];
    } rows[] = {
        {"", "", "", "none", .replayed = true},
        {"sim:h200", "", "", "called", .time_us = 0.5, .there = {[7] = true, [8] = true}},
        {"gpu:0", "", "", "replayed", .launches = 1, .replayed = true,
         .there = {[0] = true, [7] = true, [8] = true}},
        {"", "", "o", "none", .hidden = true, .ungradable = true,
         .there = {[6] = true, [9] = true}},
        {"", "m", "", "none", .hidden = true, .there = {[2] = true}},
        {"", "m", "", "none", .there = {false}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        grade_result r;
        grade_options o = {.device = "sim:h200"};
        grade_result_init(&r, &lab, &o);
        SAY(r.device, "sim:h200");
        SAY(r.asked_device, "%s", rows[i].asked);
        lib_message_set(&r.message, lib_words_plain((lib_texts){{rows[i].message}}));
        r.message_hidden = rows[i].hidden;
        r.ungradable = rows[i].ungradable;
        r.time_us = rows[i].time_us;
        r.replayed = rows[i].replayed;
        r.launch_count = rows[i].launches;
        r.launches = calloc(1, sizeof *r.launches);
        r.output = strdup(rows[i].output);
        r.output_len = strlen(rows[i].output);
        json_t *j = parse(grade_report(&r, GRADE_REPORT_JSON, LIB_EN));
        printf("# record %zu\n", i);
        CHECK_STR(str(j, "timing"), rows[i].timing);
        for (size_t k = 0; k < OPTIONAL; k++)
            if (!CHECK((json_object_get(j, optional[k]) != NULL) == rows[i].there[k]))
                printf("# %s\n", optional[k]);
        json_decref(j);
        grade_result_free(&r);
    }
}

/* Every '<' begins one of the elements the report itself writes; '&' is an entity. */
static int only_tags(const char *s, const char *const *names) {
    static const char *const entities[] = {"lt;",    "gt;",    "amp;",   "quot;",  "#", "middot;",
                                           "times;", "ndash;", "check;", "cross;", NULL};
    for (; *s; s++) {
        if (*s != '<' && *s != '&') continue;
        const char *const *known = *s == '&' ? entities : names;
        const char *t = s[1] == '/' ? s + 2 : s + 1;
        while (*known && strncmp(t, *known, strlen(*known)) != 0) known++;
        if (!*known) return 0;
    }
    return 1;
}

static void as_junit(grade_result *r) {
    static const char *const tags[] = {"?xml",    "testsuites", "testsuite",  "testcase",
                                       "failure", "error",      "system-err", NULL};
    char *x = grade_report(r, GRADE_REPORT_JUNIT, LIB_EN);
    CHECK(x && only_tags(x, tags));
    CHECK_CONTAINS(x, "<testsuite name=\"vector-add\" tests=\"4\" failures=\"2\" errors=\"0\">");
    CHECK_CONTAINS(x, "name=\"Counter: gld_sectors &lt;= 400\"");
    CHECK_CONTAINS(x, "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;q&#39; ]]&gt;");
    free(x);
    r->verdict = GRADE_ERROR;
    x = grade_report(r, GRADE_REPORT_JUNIT, LIB_EN);
    CHECK_CONTAINS(x, "failures=\"0\" errors=\"4\"");
    free(x);
    r->verdict = GRADE_SUSPECT;
    x = grade_report(r, GRADE_REPORT_JUNIT, LIB_EN);
    CHECK_CONTAINS(x, "tests=\"5\" failures=\"2\" errors=\"1\"");
    free(x);
    r->verdict = GRADE_FAIL;
}

static void as_gradescope(grade_result *r) {
    char *text = grade_report(r, GRADE_REPORT_GRADESCOPE, LIB_EN);
    json_t *o = parse(text);
    CHECK_NEAR(num(o, "score"), 5.33, 1e-9);
    const json_t *t = at(o, "tests", 0);
    CHECK_STR(str(t, "name"), "Correct");
    CHECK_STR(str(t, "status"), "failed");
    CHECK_NEAR(num(t, "max_score"), 4, 0);
    CHECK_STR(str(t, "visibility"), "visible");
    CHECK_CONTAINS(str(o, "output"), "0 of 1 hidden cases pass.");
    /* what the hidden case was stands only where instructors look */
    size_t i;
    const json_t *x;
    int seen = 0;
    json_array_foreach(json_object_get(o, "tests"), i, x) {
        if (!strstr(str(x, "output"), "n = 77")) continue;
        seen++;
        CHECK_STR(str(x, "visibility"), "hidden");
    }
    CHECK_INT(seen, 1);
    CHECK(!strstr(str(o, "output"), "n = 77"));
    json_decref(o);
    r->verdict = GRADE_ERROR;
    o = parse(grade_report(r, GRADE_REPORT_GRADESCOPE, LIB_EN));
    CHECK(!json_object_get(o, "score") && !json_object_get(o, "tests") &&
          str(o, "output")); /* a failure of the autograder, never a zero */
    json_decref(o);
    r->verdict = GRADE_FAIL;
}

static void as_prairielearn(grade_result *r) {
    json_t *o = parse(grade_report(r, GRADE_REPORT_PRAIRIELEARN, LIB_EN));
    CHECK_NEAR(num(o, "score"), 0.533, 1e-9);
    CHECK(json_is_true(json_object_get(o, "gradable")));
    CHECK_NEAR(num(at(o, "tests", 3), "points"), 1.33, 1e-9);
    CHECK_NEAR(num(at(o, "tests", 3), "max_points"), 2, 1e-9);
    json_decref(o);
    r->verdict = GRADE_ERROR;
    o = parse(grade_report(r, GRADE_REPORT_PRAIRIELEARN, LIB_EN));
    CHECK(json_is_false(json_object_get(o, "gradable")) && !json_object_get(o, "score"));
    CHECK_INT(json_array_size(json_object_get(o, "format_errors")), 1);
    json_decref(o);
    r->verdict = GRADE_FAIL;
}

static size_t decode64(const char *s, char *out) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    unsigned v = 0, bits = 0;
    for (; *s && *s != '='; s++) {
        v = v << 6 | (unsigned)(strchr(digit, *s) - digit);
        if ((bits += 6) >= 8) out[n++] = (char)(v >> (bits -= 8) & 255);
    }
    out[n] = 0;
    return n;
}

static void as_classroom(grade_result *r) {
    char *coded = grade_report(r, GRADE_REPORT_CLASSROOM, LIB_EN),
         *plain = malloc(strlen(coded) + 1);
    CHECK_INT(strlen(coded) % 4, 0);
    decode64(coded, plain);
    json_t *o = parse(plain);
    CHECK_NEAR(num(o, "version"), 1, 0);
    CHECK_STR(str(o, "status"), "fail");
    CHECK_NEAR(num(o, "max_score"), 10, 0);
    CHECK_STR(str(at(o, "tests", 1), "status"), "pass");
    CHECK_NEAR(num(at(o, "tests", 0), "line_no"), 12, 0);
    json_decref(o);
    free(coded);
}

static void as_autolab(grade_result *r) {
    char *text = grade_report(r, GRADE_REPORT_AUTOLAB, LIB_EN);
    size_t n = strlen(text);
    CHECK(n && text[n - 1] == '\n');
    text[n - 1] = 0;
    char *last = strrchr(text, '\n');
    json_t *o = parse(strdup(last + 1));
    const json_t *s = json_object_get(o, "scores");
    CHECK_NEAR(num(s, "correct"), 0, 0);
    CHECK_NEAR(num(s, "gld_sectors"), 3, 0);
    CHECK_NEAR(num(s, "gld_sectors_2"), 1, 0);
    CHECK_INT(json_object_size(s), 4);
    json_decref(o);
    *last = 0;
    CHECK(!strstr(text, "\n{")); /* the submission's text cannot look like the line of scores */
    free(text);
    r->verdict = GRADE_ERROR;
    text = grade_report(r, GRADE_REPORT_AUTOLAB, LIB_EN);
    last = strstr(text, "\n{");
    o = parse(strdup(last ? last + 1 : "{}"));
    s = json_object_get(o, "scores");
    CHECK_INT(json_object_size(s), 4); /* nulls: without them Autolab would write 0 */
    CHECK(json_is_null(json_object_get(s, "correct")) && !json_object_get(o, "scoreboard"));
    json_decref(o);
    free(text);
    r->verdict = GRADE_FAIL;
}

static void as_html(grade_result *r) {
    static const char *const tags[] = {"!doctype", "html", "head", "meta", "title", "style",
                                       "body",     "h1",   "h2",   "p",    "span",  "table",
                                       "tr",       "td",   "th",   "pre",  "code",  "svg",
                                       "rect",     "line", "text", "div",  NULL};
    char *page = grade_report(r, GRADE_REPORT_STUDENT_HTML, LIB_EN),
         *all = grade_report(r, GRADE_REPORT_HTML, LIB_ZH);
    CHECK(only_tags(page, tags) && only_tags(all, tags));
    CHECK(!strstr(page, "http:") && !strstr(page, "https:") && !strstr(page, "<script"));
    CHECK_CONTAINS(page, "Content-Security-Policy");
    CHECK(!strstr(page, "= 77") && !strstr(page, "c[76]"));
    CHECK_CONTAINS(page, "0 of 1 hidden cases pass.");
    CHECK_CONTAINS(all, "n = 77");
    CHECK_CONTAINS(all, "未通过");
    CHECK_CONTAINS(page, "title=\"32-byte sectors that global loads touch\"");
    CHECK_CONTAINS(all, "title=\"全局读取触及的 32 字节扇区\"");
    /* Four digits of what is not whole, all of what is, in groups from five on. */
    CHECK_CONTAINS(page, "<td class=\"n\">0.0001631</td>");
    CHECK_CONTAINS(page, "<td class=\"n\">65,536</td>");
    CHECK_CONTAINS(page, "<td class=\"n\">1,262,144</td>");
    CHECK_CONTAINS(page, "<td class=\"n\">12,545</td>");
    CHECK_CONTAINS(page, "<td class=\"n\">4,096</td>");
    FILE *f = getenv("TEST_REPORT_HTML") ? fopen(getenv("TEST_REPORT_HTML"), "w") : NULL;
    if (f) fputs(page, f), fclose(f);
    free(page);
    free(all);
}

/* Everything that a hidden case can make a program choose holds the canary; no student's report may
 * hold it, whatever the verdict. Instructors see all of it. */
#define CANARY "canary-7319"
static void hidden_canary(grade_verdict verdict) {
    grade_result r;
    make(&r);
    free(r.output);
    r.output = strdup(CANARY " printed");
    r.output_len = strlen(r.output);
    r.verdict = verdict;
    lib_message_set(&r.message, lib_words_plain((lib_texts){
                                    {CANARY " ended by signal 43", CANARY " 被信号 43 终止"}}));
    r.message_hidden = true;
    grade_case_result *c = &r.cases[1];
    c->params[0].value = 731973197319;
    c->mismatch_arg = CANARY;
    c->index = c->wrong = c->total = 731973197319;
    c->expected = c->actual = c->max_error = 731973197319;
    SAY(c->picture, CANARY);
    lib_message_set(&c->message, lib_words_plain((lib_texts){{CANARY, CANARY}}));
    for (size_t i = 0; i < r.goal_count; i++)
        lib_message_set(&r.goals[i].message, grade_result_said(&r));
    r.finding_public = r.finding_count;
    r.findings[0].count = 731973197319;
    static const sim_finding_kind kind[] = {SIM_FIND_RACE, SIM_FIND_MISALIGNED};
    for (unsigned i = 0; i < 2; i++) {
        sim_finding f = {.kind = kind[i],
                         .count = 7319,
                         .kernel = CANARY,
                         .file = CANARY,
                         .line = 731973,
                         .space = CANARY,
                         .alloc_name = CANARY,
                         .other_file = CANARY,
                         .other_line = 731973};
        tell(&f.said, CANARY, CANARY);
        result_add_findings(&r, &f, 1);
    }
    json_t *whole = parse(grade_report(&r, GRADE_REPORT_JSON, LIB_EN));
    for (unsigned f = 0; f < GRADE_REPORT_FORMATS; f++)
        for (int lang = 0; grade_report_at(f)->reader != GRADE_FOR_TEACHER && lang < LIB_LANGS;
             lang++) {
            char *text = report_write(f, whole, (lib_lang)lang), *plain = text;
            if (f == GRADE_REPORT_CLASSROOM) {
                plain = malloc(strlen(text) + 1);
                decode64(text, plain);
                free(text);
            }
            json_t *o = f == GRADE_REPORT_GRADESCOPE ? parse(plain) : NULL, *tests;
            if (o && (tests = json_object_get(o, "tests"))) {
                /* The one that Gradescope shows to instructors: it is there, and goes before the
                 * rest is looked at. */
                size_t last = json_array_size(tests) - 1;
                CHECK_STR(str(json_array_get(tests, last), "visibility"), "hidden");
                CHECK_CONTAINS(str(json_array_get(tests, last), "output"), CANARY);
                json_array_remove(tests, last);
            }
            if (f == GRADE_REPORT_GRADESCOPE)
                plain = o ? json_dumps(o, 0) : NULL; /* parse() freed it */
            json_decref(o);
            CHECK(plain && *plain);
            CHECK(plain && !strstr(plain, "7319"));
            CHECK(plain && !strstr(plain, "misaligned"));
            free(plain);
        }
    char *page = report_write(GRADE_REPORT_HTML, whole, LIB_ZH);
    CHECK_CONTAINS(page, CANARY " 被信号 43 终止");
    CHECK_CONTAINS(page, CANARY " printed");
    CHECK_CONTAINS(page, "misaligned");
    free(page);
    json_decref(whole);
    grade_result_free(&r);
}

/* What could not be graded has no number anywhere that somebody could add up. */
static void no_silent_zero(void) {
    grade_result r;
    make(&r);
    r.verdict = GRADE_ERROR;
    r.score = 0;
    char *coded = grade_report(&r, GRADE_REPORT_CLASSROOM, LIB_EN),
         *plain = malloc(strlen(coded) + 1);
    decode64(coded, plain);
    json_t *o = parse(plain), *whole = parse(grade_report(&r, GRADE_REPORT_JSON, LIB_EN));
    CHECK_STR(str(o, "status"), "error");
    CHECK_NEAR(num(o, "max_score"), 0, 0); /* the reporter leaves such a runner out */
    size_t i;
    const json_t *t;
    json_array_foreach(json_object_get(o, "tests"), i, t) {
        CHECK_STR(str(t, "status"), "error");
        CHECK(!json_object_get(t, "score") && !json_object_get(t, "max_score"));
    }
    CHECK_INT(i, 4);
    CHECK(json_is_null(json_object_get(whole, "score")));
    json_array_foreach(json_object_get(whole, "goals"), i, t)
        CHECK(json_is_null(json_object_get(t, "points")));
    char *text = grade_report(&r, GRADE_REPORT_AUTOLAB, LIB_EN);
    CHECK(!strstr(text, "0 / "));
    free(text);
    free(coded);
    json_decref(o);
    json_decref(whole);
    grade_result_free(&r);
}

static void failed_build(void) {
    grade_result r;
    grade_options o = {.device = "sim:h200"};
    grade_result_init(&r, &lab, &o);
    grade_result_fail(&r,
                      lib_words_plain((lib_texts){{"the file does not compile", "文件无法编译"}}),
                      "x.cu(3): error: expected a \";\"");
    json_t *j = parse(grade_report(&r, GRADE_REPORT_JSON, LIB_EN));
    CHECK(json_is_false(json_object_get(json_object_get(j, "build"), "ok")));
    CHECK_STR(str(json_object_get(j, "build"), "log"), "x.cu(3): error: expected a \";\"");
    CHECK_STR(str(j, "verdict"), "fail");
    CHECK_NEAR(num(j, "max_score"), 10, 0);
    json_decref(j);
    /* without hidden cases or a course's rules: what was said, and no empty line for them */
    j = parse(grade_report(&r, GRADE_REPORT_GRADESCOPE, LIB_EN));
    CHECK_STR(str(j, "output"), "vector-add Add <two> vectors: fail\nthe file does not compile\n"
                                "x.cu(3): error: expected a \";\"\n");
    json_decref(j);
    grade_result_free(&r);
}

int main(void) {
    grade_result r;
    make(&r);
    as_json(&r);
    parts_of_json();
    optional_fields();
    as_junit(&r);
    as_gradescope(&r);
    as_prairielearn(&r);
    as_classroom(&r);
    as_autolab(&r);
    as_html(&r);
    failed_build();
    for (int v = GRADE_PASS; v <= GRADE_SUSPECT; v++) hidden_canary((grade_verdict)v);
    no_silent_zero();
    grade_result_free(&r);
    char cut[12];
    lib_say(cut, sizeof cut, "%s", "向量相加向量");
    CHECK_STR(cut, "向量...");
    return check_done();
}
