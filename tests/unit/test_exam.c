/* Exams: what exam.lua may say, which questions a ticket draws, how a record is judged. Labs of its
 * own, whose answers are 7; expected figures are those of exam.h: an answer counts up to five
 * seconds after the clock, a key has sixteen bytes and more. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/check.h"
#include "tests/said.h"
#include "runner/base/file.h"
#include "runner/base/sha256.h"
#include "runner/practice/exam.h"

static char root[64];
static const exam_key own = {.bytes = "0123456789abcdef", .n = 16},
                      other = {.bytes = "0123456789abcdeg", .n = 16};
enum { NOW = 1790000000 };

/* A lab of `alone` questions that can be understood by themselves, and one that cannot. */
static void put_lab(const char *id, int chapter, int alone, const char *more) {
    char path[128];
    snprintf(path, sizeof path, "%s/labs/%s.lua", root, id);
    FILE *f = fopen(path, "w");
    fprintf(
        f,
        "return lab {\n  id = \"%s\", title = { en = \"a\", zh = \"a\" }, chapter = %d, "
        "minutes = 5,\n  entry = \"void f(float *c, int n)\",\n  args = { c = output(\"n\") },\n"
        "  cases = { { n = 10, timed = true } },\n  goals = { correct { points = 4 }, speedup(2) "
        "{ points = 6 } },\n  hints = { { en = \"a\", zh = \"a\" }, { en = \"a\", zh = \"a\" }, "
        "{ en = \"a\", zh = \"a\" } },\n  after = { en = \"a\", zh = \"a\" }, more = { en = "
        "\"a\", zh = \"a\" },%s\n  steps = { exercise { en = \"a\", zh = \"a\" },\n",
        id, chapter, more);
    for (int i = 0; i <= alone; i++)
        fprintf(f, "    ask { en = \"%s %d\", zh = \"a\", answer = 7%s },\n", id, i,
                i < alone ? ", alone = true" : "");
    fputs("  },\n}\n", f);
    fclose(f);
}

static const char before[] =
    "{\"id\":\"mid\",\"title\":{\"en\":\"Middle\",\"zh\":\"期中\"},\"minutes\":30";
/* The ticket of an exam that says this too; NULL and *msg. */
static json_t *ticket_of(const char *more, lib_message *msg) {
    char spec[4000];
    snprintf(spec, sizeof spec, "%s%s}", before, more);
    char *text = exam_ticket(spec, "ada", &own, NOW, msg);
    json_t *t = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return t;
}

typedef struct {
    const char *more, *part; /* "": it is taken */
} row;

static void specs(bank *b) {
    static const row rows[] = {
        {",\"questions\":[{\"chapter\":1}]", ""},
        {"", "exam.lua: questions, labs: expected at least one of either"},
        {",\"qestions\":[]", "exam.lua: qestions: no such field; there are id title minutes opens"},
        {",\"labs\":[\"one\"],\"id\":\"\"", "exam.lua: id: expected a name"},
        {",\"labs\":[\"one\"],\"id\":\"-a\"", "exam.lua: id: expected a name"},
        {",\"labs\":[\"one\"],\"id\":\"a b\"", "exam.lua: id: expected a name"},
        {",\"labs\":[\"one\"],\"id\":\"aA0-_.@zZ9\"", ""},
        {",\"labs\":[\"one\"],\"id\":\"012345678901234567890123456789012345678901234567\"", ""},
        {",\"labs\":[\"one\"],\"id\":\"0123456789012345678901234567890123456789012345678\"",
         "exam.lua: id: expected a name"},
        {",\"labs\":[\"one\"],\"title\":{\"en\":\"x\"}", "exam.lua: title: expected"},
        {",\"labs\":[\"one\"],\"title\":{\"zh\":\"x\"}", "exam.lua: title: expected"},
        {",\"labs\":[\"one\"],\"minutes\":0", "exam.lua: minutes: expected a whole number"},
        {",\"labs\":[\"one\"],\"minutes\":1", ""},
        {",\"labs\":[\"one\"],\"minutes\":1440", ""},
        {",\"labs\":[\"one\"],\"minutes\":1441", "exam.lua: minutes: expected a whole number"},
        {",\"labs\":[\"one\"],\"minutes\":1.5", "exam.lua: minutes: expected a whole number"},
        {",\"labs\":[\"one\"],\"minutes\":\"30\"", "exam.lua: minutes: expected a whole number"},
        {",\"labs\":[\"one\"],\"timezone\":\"+25\"", "exam.lua: timezone: expected"},
        {",\"labs\":[\"one\"],\"opens\":\"soon\"", "exam.lua: opens: expected a moment"},
        {",\"labs\":[\"one\"],\"opens\":5", "exam.lua: opens: expected a moment"},
        {",\"labs\":[\"one\"],\"closes\":\"soon\"", "exam.lua: closes: expected a moment"},
        {",\"questions\":{}", "exam.lua: questions, labs: expected lists"},
        {",\"labs\":{}", "exam.lua: questions, labs: expected lists"},
        {",\"questions\":[3]", "questions: expected rows such as"},
        {",\"questions\":[{}]", "questions: expected rows such as"},
        {",\"questions\":[{\"chapter\":1,\"lab\":\"one\"}]", "questions: expected rows such as"},
        {",\"questions\":[{\"chapter\":0}]", "questions: expected rows such as"},
        {",\"questions\":[{\"chapter\":99}]", "questions: chapter 99 has 0 that can be asked"},
        {",\"questions\":[{\"chapter\":100}]", "questions: expected rows such as"},
        {",\"questions\":[{\"chapter\":1,\"count\":0}]", "questions: expected rows such as"},
        {",\"questions\":[{\"chapter\":2,\"count\":1}]", ""},
        {",\"questions\":[{\"chapter\":2,\"count\":60}]", ""},
        {",\"questions\":[{\"chapter\":2,\"count\":61}]", "questions: expected rows such as"},
        {",\"questions\":[{\"chapter\":2,\"count\":60},{\"lab\":\"one\"}]",
         "questions: chapter 2 has 62 that can be asked by themselves and are not taken yet, 60 "
         "are asked for (60 in all"},
        {",\"questions\":[{\"chapter\":1,\"step\":2}]", "questions: expected rows such as"},
        {",\"questions\":[{\"lab\":\"one\",\"step\":0}]", "questions: expected rows such as"},
        {",\"questions\":[{\"lab\":\"one\",\"step\":2,\"count\":1}]",
         "questions: expected rows such as"},
        {",\"questions\":[{\"lab\":\"one\",\"step\":1}]", "questions: one has 0 that can be asked"},
        {",\"questions\":[{\"lab\":\"one\",\"step\":2}]", ""},
        {",\"questions\":[{\"lab\":\"two\",\"step\":64}]", ""},
        {",\"questions\":[{\"lab\":\"one\",\"step\":5}]", ""}, /* it need not stand alone */
        {",\"questions\":[{\"lab\":\"one\",\"step\":6}]", "questions: one has 0 that can be asked"},
        {",\"questions\":[{\"lab\":\"one\",\"step\":2},{\"lab\":\"one\",\"step\":2}]",
         "questions: one has 0 that"},
        {",\"questions\":[{\"lab\":\"one\",\"step\":1000}]", "questions: expected rows such as"},
        {",\"questions\":[{\"lab\":\"one\",\"count\":4}]", ""},
        {",\"questions\":[{\"lab\":\"one\",\"count\":5}]",
         "questions: one has 4 that can be asked"},
        {",\"questions\":[{\"chapter\":1,\"count\":3}]", ""},
        {",\"questions\":[{\"chapter\":1,\"count\":4}]",
         "questions: chapter 1 has 3 that can be asked"},
        {",\"questions\":[{\"lab\":\"one\",\"points\":0}]", "questions: expected rows such as"},
        {",\"questions\":[{\"lab\":\"one\",\"points\":0.5}]", ""},
        {",\"questions\":[{\"lab\":\"one\",\"points\":1000}]", ""},
        {",\"questions\":[{\"lab\":\"one\",\"points\":1001}]", "questions: expected rows such as"},
        {",\"questions\":[{\"lab\":\"one\",\"points\":\"3\"}]", "questions: expected rows such as"},
        {",\"labs\":[\"none\"]", "labs: `none`: expected a lab with one program file"},
        {",\"labs\":[\"files\"]", "labs: `files`: expected a lab with one program file"},
        {",\"labs\":[3]", "labs: `?`: expected a lab with one program file"},
        {",\"labs\":[{\"lab\":\"one\",\"points\":0}]",
         "labs: `one`: expected a lab with one program file"},
        {",\"labs\":[\"one\",\"one\",\"one\",\"one\",\"one\",\"one\",\"one\",\"one\"]", ""},
        {",\"labs\":[\"one\",\"one\",\"one\",\"one\",\"one\",\"one\",\"one\",\"one\",\"one\"]",
         "labs: `one`: expected a lab with one program file"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        lib_message msg = {0};
        static exam e;
        json_t *t = ticket_of(rows[k].more, &msg);
        bool ok = t && exam_open(t, b, &e, &msg);
        check_that(*rows[k].part ? !ok && strstr(said(&msg), rows[k].part) : ok, __FILE__, __LINE__,
                   rows[k].more, ok ? "it is taken" : said(&msg));
        json_decref(t);
    }
}

static void tickets(bank *b) {
    static exam e;
    lib_message msg = {0};
    /* moments are UTC's where no timezone is said; without them it is open at any */
    json_t *t = ticket_of(",\"opens\":\"2026-12-01 09:00\",\"closes\":\"2026-12-01 "
                          "11:00:00\",\"labs\":[\"one\"]",
                          &msg);
    CHECK(t && exam_open(t, b, &e, &msg) && e.opens == 1796115600 && e.closes == 1796122800);
    CHECK(!e.question_count && e.lab_count == 1 && e.lab[0].points == 10);
    CHECK_INT(json_integer_value(json_object_get(t, "version")), 1);
    CHECK_INT(json_object_size(t),
              9); /* what it is, version, exam, student, issued, nonce, seed, mac, sign */
    json_decref(t);
    t = ticket_of(",\"labs\":[\"one\"]", &msg);
    CHECK(t && exam_open(t, b, &e, &msg) && !e.opens && !e.closes);
    json_decref(t);
    t = ticket_of(
        ",\"opens\":\"2026-12-01 09:00\",\"closes\":\"2026-12-01 11:00\",\"timezone\":\"+08:00\","
        "\"questions\":[{\"chapter\":1,\"count\":2},{\"lab\":\"one\"},{\"lab\":\"one\",\"step\":5,"
        "\"points\":2.5}],"
        "\"labs\":[\"two\",{\"lab\":\"one\",\"points\":20}]",
        &msg);
    CHECK(t && exam_open(t, b, &e, &msg));
    if (!t) return;
    CHECK_STR(e.id, "mid");
    CHECK_STR(e.student, "ada");
    CHECK_STR(e.title[LIB_EN], "Middle");
    CHECK_STR(e.title[LIB_ZH], "期中");
    CHECK(e.minutes == 30 && e.opens == 1796115600 - 8 * 3600 && e.closes == 1796115600 - 6 * 3600);
    CHECK_INT(json_integer_value(json_object_get(t, "issued")), NOW);
    /* What is named most closely first, each question once; a seed for each. */
    const char *seed = json_string_value(json_object_get(t, "seed"));
    char first[17];
    snprintf(first, sizeof first, "%.16s", seed);
    CHECK_INT(e.question_count, 4);
    CHECK(e.question[0].at.index == 4 && e.question[0].points == 2.5 && e.question[1].points == 1);
    for (size_t i = 0; i < e.question_count; i++) {
        char key[LAB_QUESTION_KEY];
        lab_question_key(e.question[i].at.step, key);
        CHECK_STR(e.question[i].key, key);
        CHECK(e.question[i].seed == strtoull(first, NULL, 16) + 1000003 * (i + 1));
        for (size_t k = 0; k < i; k++) CHECK(e.question[k].at.step != e.question[i].at.step);
        CHECK(i < 1 || e.question[i].at.step->alone);
    }
    CHECK(e.lab_count == 2 && e.lab[0].points == 10 && e.lab[1].points == 20);
    CHECK_STR(e.lab[0].lab, "two");
    CHECK_STR(e.lab[1].file, "one");
    /* Its secrets are made of the course's key; the signature is over all but itself and the
     * ticket's own key. */
    static const char *const what[] = {"seed", "sign"};
    for (int i = 0; i < 2; i++) {
        char label[300], hex[EXAM_HEX];
        snprintf(label, sizeof label, "warplab exam %s\nmid\nada\n%s", what[i],
                 json_string_value(json_object_get(t, "nonce")));
        lib_hmac_hex(own.bytes, own.n, label, strlen(label), hex);
        CHECK_STR(json_string_value(json_object_get(t, what[i])), hex);
    }
    CHECK(exam_ticket_ours(t, &own) && !exam_ticket_ours(t, &other));
    json_object_set_new(t, "issued", json_integer(NOW + 1));
    CHECK(!exam_ticket_ours(t, &own));
    static const struct {
        const char *field, *value;
    } wrong[] = {{"warplab", "exam-record"},
                 {"student", "-"},
                 {"nonce", "0123456789abcdef0123456789abcde"},
                 {"nonce", "0123456789abcdef0123456789abcdeg"},
                 {"nonce", "0123456789abcdef0123456789abcdef0"},
                 {"seed", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"},
                 {"seed", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdeg"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        json_t *bad = json_copy(t);
        json_object_set_new(bad, wrong[k].field, json_string(wrong[k].value));
        CHECK(!exam_open(bad, b, &e, &msg));
        CHECK_STR(said(&msg), "this is no ticket of an exam");
        json_decref(bad);
    }
    json_decref(t);
    static const char *const students[] = {"", "-a", "a b",
                                           "0123456789012345678901234567890123456789012345678"};
    for (int i = 0; i < 4; i++) {
        char spec[200];
        snprintf(spec, sizeof spec, "%s}", before);
        CHECK(!exam_ticket(spec, students[i], &own, NOW, &msg));
        CHECK_CONTAINS(said(&msg),
                       "--student: expected letters, digits and - _ . @, at most 48 of them");
    }
}

/* A ticket draws the same questions each time, and no two tickets the same: ten of 62. */
static void drawn(bank *b) {
    static exam e[2], again;
    lib_message msg = {0};
    int same = 0;
    for (int i = 0; i < 2; i++) {
        json_t *t = ticket_of(",\"questions\":[{\"chapter\":2,\"count\":10}]", &msg);
        CHECK(t && exam_open(t, b, &e[i], &msg) && exam_open(t, b, &again, &msg));
        CHECK_INT(e[i].question_count, 10);
        for (size_t k = 0; k < 10; k++) {
            CHECK(e[i].question[k].at.step == again.question[k].at.step);
            same += i && e[0].question[k].at.step == e[1].question[k].at.step;
        }
        json_decref(t);
    }
    CHECK(same < 8);
}

/* ---- records ---- */

static exam opened;
/* A record of right answers to both questions, at 10 s and `at_s`. */
static json_t *record_of(const json_t *t, double at_s) {
    lib_message msg;
    json_t *r = exam_record(t, NOW + 100, &msg);
    CHECK(exam_answer(r, &opened, 0, "7", 10));
    CHECK(exam_answer(r, &opened, 1, " 7 ", at_s));
    return r;
}
static exam_result judged(json_t *r, const json_t *t, const exam_key *k) {
    exam_result got;
    exam_sign(r, t);
    exam_judge(r, &opened, k, &got);
    return got;
}

static void records(bank *b) {
    lib_message msg = {0};
    json_t *t = ticket_of(
        ",\"questions\":[{\"lab\":\"one\",\"step\":2,\"points\":2},{\"lab\":\"one\",\"step\":3},"
        "{\"lab\":\"one\",\"step\":4,\"points\":4}]",
        &msg);
    CHECK(t && exam_open(t, b, &opened, &msg));
    if (!t) return;
    /* half an hour and five seconds; what is late does not count */
    static const struct {
        double at_s;
        double points;
        size_t right, late;
    } times[] = {{10, 3, 2, 0}, {1805, 3, 2, 0}, {1805.001, 2, 1, 1}};
    for (int k = 0; k < 3; k++) {
        json_t *r = record_of(t, times[k].at_s);
        CHECK(!exam_answered(r, &opened, 2));
        CHECK_STR(exam_answered(r, &opened, 0), "7");
        CHECK(!exam_answer(r, &opened, 0, "8", 20)); /* it has its answer */
        CHECK(!exam_answer(r, &opened, 3, "8", 20)); /* there is none such */
        exam_result got = judged(r, t, &own);
        CHECK(got.state == EXAM_GOOD && got.points == times[k].points && got.max == 7 &&
              !got.ended);
        CHECK(got.right == times[k].right && got.late == times[k].late && got.open == 1 &&
              !got.wrong);
        CHECK_NEAR(exam_elapsed(r), times[k].at_s, 1e-9);
        json_decref(r);
    }
    json_t *r = record_of(t, 20);
    CHECK(exam_answer(r, &opened, 2, "8", 20.5));
    json_object_set_new(r, "ended", json_true());
    exam_result got = judged(r, t, &own);
    CHECK(got.state == EXAM_GOOD && got.points == 3 && got.right == 2 && got.wrong == 1 &&
          !got.open && got.ended);
    got = judged(r, t, &other);
    CHECK(got.state == EXAM_FORGED_TICKET && got.points == 0 && got.max == 7 && !got.right &&
          !got.open);
    got = judged(r, t, &own);
    json_object_set_new(json_array_get(json_object_get(r, "answers"), 2), "answer",
                        json_string("7"));
    exam_judge(r, &opened, &own, &got);
    CHECK(got.state == EXAM_CHANGED && got.points == 0);
    json_object_set_new(json_array_get(json_object_get(r, "answers"), 2), "key",
                        json_string("0123456789abcdef"));
    CHECK(judged(r, t, &own).state == EXAM_OTHER);
    json_decref(r);
    /* in the order of their times, none before the beginning */
    static const double orders[][2] = {{10, 0}, {9.999, 1}, {-1, 1}};
    for (int k = 0; k < 3; k++) {
        r = record_of(t, orders[k][0]);
        CHECK(judged(r, t, &own).state == (orders[k][1] > 0 ? EXAM_CLOCK : EXAM_GOOD));
        json_decref(r);
    }
    /* begun a minute before the ticket at the earliest; in the window, if there is one */
    static const struct {
        json_int_t started;
        int64_t opens, closes;
        bool good;
    } begun[] = {{NOW - 60, 0, 0, true},      {NOW - 61, 0, 0, false},  {253402300799, 0, 0, true},
                 {253402300800, 0, 0, false}, {NOW, NOW + 60, 0, true}, {NOW, NOW + 61, 0, false},
                 {NOW, 0, NOW, true},         {NOW, 0, NOW - 1, false}};
    for (size_t k = 0; k < sizeof begun / sizeof *begun; k++) {
        r = record_of(t, 20);
        json_object_set_new(r, "started", json_integer(begun[k].started));
        opened.opens = begun[k].opens, opened.closes = begun[k].closes;
        CHECK(judged(r, t, &own).state == (begun[k].good ? EXAM_GOOD : EXAM_CLOCK));
        json_decref(r);
    }
    opened.opens = opened.closes = 0;
    /* not before 1970, and at moments that are whole numbers */
    json_t *old = json_copy(t);
    json_object_set_new(old, "issued", json_integer(0));
    for (int k = -1; k < 2; k++) {
        char hex[EXAM_HEX];
        json_t *bare = json_copy(old); /* signed anew, as the course would */
        json_object_del(bare, "sign");
        json_object_del(bare, "mac");
        char *text = json_dumps(bare, JSON_COMPACT | JSON_SORT_KEYS);
        lib_hmac_hex(own.bytes, own.n, text, strlen(text), hex);
        json_object_set_new(old, "mac", json_string(hex));
        free(text);
        json_decref(bare);
        r = record_of(old, 20);
        json_object_set_new(r, "started", json_integer(k));
        CHECK(judged(r, old, &own).state == (k < 0 ? EXAM_CLOCK : EXAM_GOOD));
        json_object_set_new(r, "started", json_real(1));
        CHECK(judged(r, old, &own).state == EXAM_CLOCK);
        json_decref(r);
    }
    json_decref(old);
    r = record_of(t, 20);
    json_object_set_new(json_array_get(json_object_get(r, "answers"), 1), "at_ms",
                        json_real(20000));
    CHECK(judged(r, t, &own).state == EXAM_CLOCK);
    CHECK_NEAR(exam_elapsed(r), 10, 0);
    json_decref(r);
    /* a record as it begins, and a row of it */
    r = record_of(t, 20.0625);
    CHECK_STR(json_string_value(json_object_get(r, "warplab")), "exam-record");
    CHECK_INT(json_integer_value(json_object_get(r, "version")), 1);
    CHECK_INT(json_integer_value(json_object_get(r, "started")), NOW + 100);
    CHECK(json_is_false(json_object_get(r, "ended")));
    CHECK_INT(strlen(json_string_value(json_object_get(r, "session"))), 32);
    char *whole = json_dumps(json_array_get(json_object_get(r, "answers"), 1),
                             JSON_COMPACT | JSON_SORT_KEYS),
         want[200];
    snprintf(want, sizeof want,
             "{\"answer\":\" 7 \",\"at_ms\":20062,\"key\":\"%s\",\"lab\":\"one\"}",
             opened.question[1].key);
    CHECK_STR(whole, want);
    free(whole);
    /* a file counts from the beginning on */
    exam_file(r, "one", "early", -1);
    CHECK(!exam_source(r, &opened, "one"));
    exam_file(r, "one", "first", 0);
    CHECK_STR(exam_source(r, &opened, "one"), "first");
    json_decref(r);
    /* files: the last one counts, in time alone; times are kept in thousandths */
    r = record_of(t, 20);
    CHECK(!exam_source(r, &opened, "one"));
    exam_file(r, "one", "first", 30);
    exam_file(r, "one", "sec\x01ond", 1805);
    CHECK_STR(exam_source(r, &opened, "one"), "sec\xef\xbf\xbdond");
    CHECK_NEAR(exam_elapsed(r), 1805, 0);
    exam_file(r, "one", "third", 1805.0015);
    CHECK(!exam_source(r, &opened, "one"));
    CHECK_NEAR(exam_elapsed(r), 1805.001, 1e-9);
    CHECK(!json_object_get(json_object_get(r, "ticket"), "sign"));
    json_decref(r);
    /* of an answer 200 letters */
    char longer[300];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    r = exam_record(t, NOW, &msg);
    CHECK(exam_elapsed(r) == 0 && exam_answer(r, &opened, 0, longer, 1));
    CHECK_INT(strlen(exam_answered(r, &opened, 0)), 200);
    json_decref(r);
    json_decref(t);
}

static void keys(void) {
    char path[128];
    static const struct {
        const char *text;
        size_t n; /* 0: it is refused */
    } rows[] = {{"0123456789abcde", 0},
                {"0123456789abcde\n", 0},
                {"0123456789abcdef", 16},
                {"0123456789abcdef\r\n\n", 16},
                {"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        exam_key key = {0};
        lib_message msg = {0};
        snprintf(path, sizeof path, "%s/key", root);
        FILE *f = fopen(path, "w");
        fputs(rows[k].text, f);
        fclose(f);
        CHECK(exam_key_read(path, &key, &msg) == (rows[k].n > 0));
        if (rows[k].n) CHECK(key.n == rows[k].n && !memcmp(key.bytes, rows[k].text, key.n));
        else CHECK_CONTAINS(said(&msg), "a key has at least 16 bytes, this one ");
    }
    lib_message msg = {0};
    exam_key key, second;
    CHECK(!exam_key_make(path, &msg)); /* never over one that is there */
    CHECK_CONTAINS(said(&msg), "cannot write ");
    unlink(path);
    CHECK(exam_key_make(path, &msg) && exam_key_read(path, &key, &msg));
    CHECK(key.n == 64 && strspn((const char *)key.bytes, "0123456789abcdef") >= 64);
    struct stat st;
    CHECK(!stat(path, &st) && (st.st_mode & 0777) == 0600 && st.st_size == 65);
    unlink(path);
    CHECK(exam_key_make(path, &msg) && exam_key_read(path, &second, &msg) &&
          memcmp(key.bytes, second.bytes, 64) != 0);
}

int main(void) {
    char path[128];
    snprintf(root, sizeof root, "/tmp/warplab-exam-XXXXXX");
    if (!mkdtemp(root)) return 1;
    setenv("XDG_DATA_HOME", root, 1);
    snprintf(path, sizeof path, "%s/labs", root);
    mkdir(path, 0700);
    put_lab("one", 1, 3, "");
    put_lab("two", 2, 62, "");
    put_lab("files", 3, 1, " files = { \"a.cu\", \"b.cu\" },");
    bank *b = bank_open(root);
    specs(b);
    tickets(b);
    drawn(b);
    records(b);
    keys();
    bank_close(b);
    lib_remove_tree(root);
    return check_done();
}
