/* The one writer of JSON. Names and paths that are not UTF-8 come whole but for their bytes, in a
 * line of `profile --json` as in a grading's report, and the two say a finding in the same fields.
 * What stands for a byte that is no UTF-8 is U+FFFD (docs/grading.md). */
#include <errno.h>
#include <stdlib.h>
#include "tests/check.h"
#include "tests/said.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/report.h"
#include "grader/result.h"
#include "grader/judge/result_fill.h"
#include "grader/json/json.h"
#include "runner/profile/report.h"
#include "words/base.h"
#include "words/catalogue.h"
#include "words/repl.h"

#define BYTE "\xef\xbf\xbd"

static void check_json(json_t *got, const char *want) {
    char *text = json_dumps(got, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    CHECK_STR(text, want);
    free(text);
    json_decref(got);
}

static void values(void) {
    check_json(json_text("\xe4\xb8\xad k\xe9\x01\r"), "\"\xe4\xb8\xad k" BYTE BYTE "\"");
    check_json(json_text(NULL), "\"\"");
    check_json(json_exact("\x1b[31m\r"), "\"\\u001B[31m\\r\"");
    check_json(json_exact("k\xe9\r"), "\"k" BYTE "\"");
    check_json(json_exact(NULL), "\"\"");
    check_json(json_both(lib_words_plain((lib_texts){{"a\xff"}})),
               "{\"en\":\"a" BYTE "\",\"zh\":\"a" BYTE "\"}");
    check_json(json_value(NAN), "\"NaN\"");
    check_json(json_value(-INFINITY), "\"-infinity\"");
    check_json(json_value(3), "3");
    check_json(json_value(0.5), "0.5");
    check_json(json_u64(UINT64_MAX), "\"18446744073709551615\"");
    check_json(json_u64(INT64_MAX), "9223372036854775807");
    check_json(json_address(0x7f00), "\"0x7f00\"");
}

static void counters(void) {
    sim_counters c = {.warp_inst = 5, .gld_requests = 2, .gld_sectors = 8};
    check_json(json_counters(&c, false, false),
               "{\"warp_inst\":5,\"gld_requests\":2,\"gld_sectors\":8}");
    json_t *all = json_counters(&c, true, true), *some = json_counters(&c, false, true);
    CHECK_INT(json_object_size(all), sim_counter_count());
    CHECK_INT(json_integer_value(json_object_get(all, "gld_sectors_per_request")), 4);
    CHECK_INT(json_integer_value(json_object_get(some, "gld_sectors_per_request")), 4);
    CHECK(json_object_get(all, "gst_requests") && !json_object_get(some, "gst_requests"));
    CHECK(json_object_get(all, "gst_sectors_per_request") &&
          !json_object_get(some, "gst_sectors_per_request"));
    json_decref(all);
    json_decref(some);
}

/* ---- names that are not UTF-8 ---- */

static sim_finding oob(void) {
    sim_finding f = {.kind = SIM_FIND_OOB,
                     .count = 2,
                     .kernel = "\xe9t\xe9",
                     .block = {1, 0, 0},
                     .thread = {31, 0, 0},
                     .file = "/src/k\xe9.cu",
                     .line = 3,
                     .space = "global",
                     .bytes = 4,
                     .address = 0x280,
                     .alloc_base = 0x200,
                     .alloc_size = 128,
                     .alloc_name = "p\xff",
                     .other_file = ""};
    tell(&f.said, "k\xe9.cu:3: out of bounds", NULL);
    return f;
}
static const char oob_json[] =
    "{\"kind\":\"oob\",\"text\":\"k" BYTE ".cu:3: out of bounds\",\"count\":2,"
    "\"kernel\":\"" BYTE "t" BYTE "\",\"block\":[1,0,0],\"thread\":[31,0,0],"
    "\"file\":\"/src/k" BYTE ".cu\",\"line\":3,\"space\":\"global\",\"write\":false,"
    "\"access\":\"read\",\"bytes\":4,\"address\":\"0x280\",\"alloc\":\"p" BYTE "\","
    "\"allocation\":{\"base\":\"0x200\",\"bytes\":128,\"name\":\"p" BYTE "\"}}";

/* The only finding of a launch or a report; its texts are test_finding's. */
static void check_finding(const json_t *of) {
    json_t *all = json_object_get(of, "findings"), *f = json_array_get(all, 0);
    CHECK_INT(json_array_size(all), 1);
    CHECK_STR(json_string_value(json_object_get(json_object_get(f, "texts"), "en")),
              "k" BYTE ".cu:3: out of bounds");
    json_object_del(f, "texts");
    check_json(json_incref(f), oob_json);
}

static void a_profile(void) {
    char *text = NULL;
    size_t n = 0;
    sim_finding found = oob();
    sim_line line = {.file = "/src/k\xe9.cu", .line = 3, .counters = {.gld_requests = 1}};
    sim_result result = {.status = SIM_OK,
                         .time_us = 2,
                         .limiter = "dram",
                         .lines = &line,
                         .line_count = 1,
                         .findings = &found,
                         .finding_count = 1};
    dev_record launch = {.op = DEV_OP_LAUNCH,
                         .kernel = "\xe9t\xe9",
                         .grid = {2, 1, 1},
                         .block = {32, 1, 1},
                         .result = &result};
    lib_message msg;
    dev_options options;
    dev_options_default(&options);
    profile_report r = {.device = "sim:h200", .json = open_memstream(&text, &n)};
    r.session = dev_session_new(&options, &msg);
    profile_on_launch(&r, &launch);
    CHECK(profile_close(&r, &msg));
    dev_session_free(r.session);
    json_t *o = json_loads(text, 0, NULL);
    CHECK_STR(json_string_value(json_object_get(o, "kernel")), BYTE "t" BYTE);
    check_finding(o);
    json_t *lines = json_object_get(o, "lines");
    check_json(json_incref(json_array_get(lines, 0)),
               "{\"file\":\"/src/k" BYTE ".cu\",\"line\":3,\"gld_requests\":1,\"stall_us\":{}}");
    json_decref(o);
    free(text);
}

static void a_report(void) {
    static const grade_lab lab = {.id = "a-lab"};
    grade_options options = {.device = "sim:h200"};
    grade_result r = {0};
    sim_finding found = oob();
    grade_result_init(&r, &lab, &options);
    result_add_findings(&r, &found, 1);
    r.finding_public = 1;
    r.launches = calloc(1, sizeof *r.launches);
    r.launches[0] = (grade_launch){.kernel = "\xe9t\xe9"};
    r.launch_count = 1;
    char *text = grade_report(&r, GRADE_REPORT_JSON, LIB_EN);
    json_t *o = text ? json_loads(text, 0, NULL) : NULL;
    CHECK(o != NULL);
    check_finding(o);
    const json_t *launch = json_array_get(json_object_get(o, "launches"), 0);
    CHECK_STR(json_string_value(json_object_get(launch, "kernel")), BYTE "t" BYTE);
    json_decref(o);
    free(text);
    grade_result_free(&r);
}

/* A message there and back: the same row with the same arguments, and what is none is said to be
 * none. */
static void message_back(const lib_message *m) {
    json_t *j = json_message(m);
    char *written = json_written(j, false);
    json_t *read = json_loads(written, 0, NULL);
    lib_message back = {0};
    CHECK(json_read_message(&back, read));
    CHECK_INT(back.id, m->id);
    CHECK(back.used == m->used && !memcmp(back.args, m->args, m->used));
    json_decref(read);
    json_decref(j);
    free(written);
}

static void messages(void) {
    lib_message m = {0}, outer = {0}, back = {0};
    message_back(&m);
    lib_message_set(&m, w_base_cannot_read("a \"b\"\n{x}", ENOENT));
    json_t *j = json_message(&m);
    char *written = json_written(j, false);
    CHECK_STR(
        written,
        "{\"id\":\"base.cannot-read\",\"args\":{\"path\":\"a \\\"b\\\"\\n{x}\",\"error\":2}}");
    free(written);
    json_decref(j);
    message_back(&m);
    lib_message_set(&outer, w_catalogue_inner("x", &m));
    message_back(&outer);
    lib_message_set(&m, w_base_no_parts());
    lib_message_set(&outer, w_catalogue_inner("x", &m));
    message_back(&outer);
    lib_message_set(&m, w_base_too_long("f", 0.1, 1e30));
    message_back(&m);
    lib_message_set(&m, w_repl_diff_none(W_REPL_DIFF_ANSWER));
    message_back(&m);
    lib_message_set(&m, lib_words_plain((lib_texts){{"one", "\u4e00"}}));
    message_back(&m);
    static const char *const none[] = {
        "[]",
        "3",
        "null",
        "{\"id\": 3}",
        "{\"id\": \"base.nothing\"}",
        "{\"id\": \"base.cannot-read\"}",
        "{\"id\": \"base.cannot-read\", \"args\": {\"path\": 7, \"error\": 2}}",
        "{\"id\": \"base.cannot-read\", \"args\": {\"path\": \"x\", \"error\": \"2\"}}",
        "{\"id\": \"repl.diff-none\", \"args\": {\"title\": \"base.cannot-read\"}}",
        "{\"id\": \"catalogue.inner\", \"args\": {\"what\": \"x\", \"why\": []}}",
        "{\"text\": 3}"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        json_t *read = json_loads(none[i], JSON_DECODE_ANY, NULL);
        CHECK(!json_read_message(&back, read) &&
              lib_message_is(&back, WITH_CATALOGUE_NOT_UNDERSTOOD));
        json_decref(read);
    }
    CHECK(!json_read_message(&back, NULL));
}

int main(void) {
    messages();
    values();
    counters();
    a_profile();
    a_report();
    return check_done();
}
