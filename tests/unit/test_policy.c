/* A course's rules: what course.json may say, and what lateness, extensions and attempts come to.
 * The moments are by hand: 1790899140 is 2026-10-01 23:59 UTC. */
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "grader/course/policy.h"
#include "grader/intake/when.h"
#include "tests/check.h"
#include "tests/said.h"

enum { HOUR = 3600, DAY = 86400 };
static const int64_t due = 1790899140;
#define DUE "\"deadline\":\"2026-10-01 23:59\""

static policy rules(const char *text) {
    lib_message msg = {0};
    json_error_t error;
    policy p = {0};
    json_t *json = json_loads(text, 0, &error);
    if (!json) printf("# %s: %s\n", text, error.text);
    if (!policy_read(json, &p, &msg)) printf("# %s\n", said(&msg));
    CHECK_STR(said(&msg), "");
    json_decref(json);
    return p;
}

static void fields(void) {
    static const struct {
        const char *text, *part; /* "": taken */
    } rows[] = {
        {"{}", ""},
        {"[]", "expected { ... }, found []"},
        {"{\"title\":\"x\"}", ""},
        {"{\"titel\":\"x\"}", "titel: no such field"},
        {"{\"tit\":\"x\"}", "tit: no such field"},
        {"{\"points\":1}", ""},
        {"{\"points\":0}", "points: expected a number above 0, found 0"},
        {"{\"points\":\"x\"}", "points: expected a number above 0"},
        {"{\"labs\":{\"add\":{\"column\":\"x\"}}}", ""},
        {"{\"labs\":{\"add\":{\"column\":1}}}", "column: expected a text, found 1"},
        {"{\"labs\":{\"add\":{\"column\":\"\"}}}", "column: expected a text, found \"\""},
        {"{\"\":1}", "course.lua: : no such field"},
        {"{\"late\":{\"cut per\":1}}", "late.cut per: no such field"},
        {"{\"attempts\":\"last\"}", ""},
        {"{\"attempts\":\"best\"}", ""},
        {"{\"attempts\":\"first\"}", "attempts: expected \"last\" or \"best\", found \"first\""},
        {"{\"attempts\":1}", "attempts: expected \"last\" or \"best\", found 1"},
        {"{\"deadline\":1}", "deadline: expected a moment"},
        {"{\"timezone\":\"+08:00\"}", ""},
        {"{\"timezone\":\"Mars\"}", "timezone: expected \"UTC\" or an offset"},
        {"{\"timezone\":8}", "timezone: expected \"UTC\" or an offset"},
        {"{\"late\":1}", "late: expected { ... }, found 1"},
        {"{\"late\":{\"cut\":0}}", ""},
        {"{\"late\":{\"cut\":1}}", ""},
        {"{\"late\":{\"cut\":1.01}}", "late.cut: expected a share, 0 to 1, found 1.01"},
        {"{\"late\":{\"cut\":-0.01}}", "late.cut: expected a share, 0 to 1"},
        {"{\"late\":{\"cut\":\"x\"}}", "late.cut: expected a share, 0 to 1"},
        {"{\"late\":{\"most\":1.5}}", "late.most: expected a share, 0 to 1"},
        {"{\"late\":{\"grace\":0}}", ""},
        {"{\"late\":{\"grace\":-1}}", "late.grace: expected a span"},
        {"{\"late\":{\"grace\":\"soon\"}}", "late.grace: expected a span"},
        {"{\"late\":{\"grace\":[]}}", "late.grace: expected a span"},
        {"{\"late\":{\"per\":0}}", "late.per: expected a span above 0, found 0"},
        {"{\"late\":{\"per\":1}}", ""},
        {"{\"late\":{\"last\":\"2 days\"}}", ""},
        {"{\"late\":{\"lost\":\"2 days\"}}", "late.lost: no such field"},
        {"{\"labs\":1}", "labs: expected { [\"LAB\"] = { ... } }, found 1"},
        {"{\"labs\":{\"add\":{\"points\":2}}}", ""},
        {"{\"labs\":{\"add\":{\"point\":2}}}", "labs[\"add\"].point: no such field"},
        {"{\"labs\":{\"add\":{\"late\":{\"cut\":2}}}}", "labs[\"add\"].late.cut: expected a share"},
        {"{\"labs\":{\"add\":1}}", "labs[\"add\"]: expected { ... }"},
        {"{\"extensions\":1}", "extensions: expected { [\"STUDENT\"] = ... }, found 1"},
        {"{\"extensions\":{\"ann\":\"48 h\"}}", ""},
        {"{\"extensions\":{\"ann\":1}}", "extensions[\"ann\"]: expected a span"},
        {"{\"extensions\":{\"ann\":{\"add\":\"x\"}}}", "extensions[\"ann\"].add: expected a span"},
        {"{\"files\":1}", "files: expected { [\"FILE\"] = \"LAB\" or false }, found 1"},
        {"{\"files\":{\"a.cu\":\"add\",\"b.cu\":false}}", ""},
        {"{\"files\":{\"a.cu\":true}}", "a.cu: expected a lab's id, or false"},
        {"{\"files\":{\"a.cu\":1}}", "a.cu: expected a lab's id, or false"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lib_message msg = {0};
        json_error_t error;
        policy p;
        json_t *json = json_loads(rows[i].text, 0, &error);
        bool ok = policy_read(json, &p, &msg);
        check_that(*rows[i].part ? !ok && strstr(said(&msg), rows[i].part) : ok, __FILE__, __LINE__,
                   rows[i].text, ok ? "it is taken" : said(&msg));
        if (ok) policy_free(&p);
        json_decref(json);
    }
    policy p;
    lib_message msg;
    CHECK(policy_read(NULL, &p, &msg) && !p.base.dated && !p.labs);
    policy_free(&p);
}

static store_entry entry(int64_t after) {
    return (store_entry){
        .student = "ann", .lab = "add", .ids = "Ann@x\n77", .timed = true, .time = due + after};
}

/* Late by so much under these rules: which share is taken off; -1: refused. */
static void lateness(void) {
    static const struct {
        const char *late;
        int64_t after;
        bool is_late;
        double cut;
    } rows[] = {
        {"\"cut\":0.1", -1, false, 0},
        {"\"cut\":0.1", 0, false, 0},
        {"\"cut\":0.1", 1, true, 0.1},
        {"\"cut\":0.1", DAY, true, 0.1},
        {"\"cut\":0.1", DAY + 1, true, 0.2},
        {"\"cut\":0.1", 20 * DAY, true, 1},
        {"\"cut\":0.1,\"most\":0.3", 20 * DAY, true, 0.3},
        {"\"cut\":0.1,\"per\":\"1 h\"", HOUR, true, 0.1},
        {"\"cut\":0.1,\"per\":\"1 h\"", HOUR + 1, true, 0.2},
        {"\"cut\":0.1,\"grace\":\"10 min\"", 600, false, 0},
        {"\"cut\":0.1,\"grace\":\"10 min\"", 601, true, 0.1},
        {"\"cut\":0.1,\"last\":\"2 h\"", 2 * HOUR, true, 0.1},
        {"\"cut\":0.1,\"last\":\"2 h\"", 2 * HOUR + 1, true, -1},
        {"\"last\":\"2 h\"", 2 * HOUR, true, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "{" DUE ",\"late\":{%s}}", rows[i].late);
        policy p = rules(text);
        store_entry e = entry(rows[i].after);
        policy_verdict v = policy_judge(&p, &e);
        printf("# %s, %lld s\n", rows[i].late, (long long)rows[i].after);
        CHECK_INT(v.late, rows[i].is_late);
        CHECK_INT(v.refused, rows[i].cut < 0);
        CHECK_NEAR(v.cut, rows[i].cut < 0 ? 1 : rows[i].cut, 1e-12);
        CHECK_NEAR(v.late_s, rows[i].is_late ? (double)rows[i].after : 0, 0);
        CHECK(v.dated && !v.unknown && !v.extended && v.due == due);
        policy_free(&p);
    }
    /* The system says late, and not by how much: one period. */
    policy p = rules("{" DUE ",\"late\":{\"cut\":0.25}}");
    store_entry e = entry(0);
    e.timed = false, e.late = true;
    policy_verdict v = policy_judge(&p, &e);
    CHECK(v.late && v.unknown && v.cut == 0.25 && v.late_s == 0);
    e.late = false;
    v = policy_judge(&p, &e);
    CHECK(!v.late && !v.unknown && v.cut == 0);
    policy_free(&p);
    p = rules("{}"); /* no deadline: nothing is late */
    e = entry(100 * DAY);
    v = policy_judge(&p, &e);
    CHECK(!v.dated && !v.late);
    policy_free(&p);
}

static void extensions(void) {
    static const struct {
        const char *text;
        int64_t due;
        bool dated, extended;
    } rows[] = {
        {"{" DUE "}", 0, true, false},
        {"{" DUE ",\"extensions\":{\"ann\":\"2 h\"}}", 2 * HOUR, true, true},
        {"{" DUE ",\"extensions\":{\"ANN\":\"2 h\"}}", 2 * HOUR, true, true},
        {"{" DUE ",\"extensions\":{\"an\":\"2 h\"}}", 0, true, false},
        {"{" DUE ",\"extensions\":{\"annn\":\"2 h\"}}", 0, true, false},
        {"{" DUE ",\"extensions\":{\"77\":\"2 h\"}}", 2 * HOUR, true, true},
        {"{" DUE ",\"extensions\":{\"ann@X\":\"2 h\"}}", 2 * HOUR, true, true},
        {"{" DUE ",\"extensions\":{\"7\":\"2 h\"}}", 0, true, false},
        {"{" DUE ",\"extensions\":{\"ann\":{\"sub\":\"2 h\"}}}", 0, true, false},
        {"{" DUE ",\"extensions\":{\"ann\":{\"add\":\"2 h\"}}}", 2 * HOUR, true, true},
        {"{" DUE ",\"extensions\":{\"ann\":{\"add\":\"2 h\"},\"77\":\"5 h\"}}", 2 * HOUR, true,
         true},
        {"{" DUE ",\"extensions\":{\"77\":\"5 h\",\"ann\":{\"add\":\"2 h\"}}}", 2 * HOUR, true,
         true},
        {"{" DUE ",\"extensions\":{\"ann\":\"2026-10-02 23:59\"}}", DAY, true, true},
        {"{\"extensions\":{\"ann\":\"2026-10-02 23:59\"}}", DAY, true, true},
        {"{\"extensions\":{\"ann\":\"2 h\"}}", 0, false, true},
        {"{" DUE ",\"labs\":{\"add\":{\"deadline\":\"2026-10-02 23:59\"}}}", DAY, true, false},
        {"{" DUE ",\"labs\":{\"sub\":{\"deadline\":\"2026-10-02 23:59\"}}}", 0, true, false},
        {"{\"timezone\":\"+08:00\"," DUE "}", -8 * HOUR, true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        policy p = rules(rows[i].text);
        store_entry e = entry(0);
        int64_t at = -1;
        bool extended = false;
        printf("# %s\n", rows[i].text);
        CHECK_INT(policy_due(&p, &e, &at, &extended), rows[i].dated);
        if (rows[i].dated) CHECK_INT(at - due, rows[i].due);
        CHECK_INT(extended, rows[i].extended);
        policy_free(&p);
    }
}

/* Two students' attempts at two labs, sorted: who is graded. */
static void attempts(void) {
    static const struct {
        const char *text;
        bool graded[6];
    } rows[] = {
        {"{}", {false, false, true, true, false, true}},
        {"{\"attempts\":\"best\"}", {true, true, true, true, true, true}},
        {"{" DUE ",\"late\":{\"last\":\"1 h\"}}", {false, true, false, true, true, false}},
        {"{\"labs\":{\"sub\":{\"attempts\":\"best\"}}}", {false, false, true, true, true, true}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        policy p = rules(rows[i].text);
        store_entry e[6];
        for (int k = 0; k < 6; k++) e[k] = entry(k == 2 || k == 5 ? DAY : 0);
        e[3].student = "bob", e[4].lab = e[5].lab = "sub";
        store_manifest m = {.entry = e, .count = 6};
        policy_mark(&p, &m);
        for (unsigned k = 0; k < 6; k++) {
            CHECK_INT(e[k].graded, rows[i].graded[k]);
            CHECK_INT(e[k].attempt, k < 3 ? k + 1 : k == 3 ? 1 : k - 3);
            CHECK_INT(e[k].attempts, k < 3 ? 3 : k == 3 ? 1 : 2);
        }
        policy_free(&p);
    }
}

static void words(void) {
    static const struct {
        const char *text, *en, *zh;
        int64_t after;
        unsigned attempt, attempts;
        bool unknown;
    } rows[] = {
        {"{}", "", "", 0, 1, 1, false},
        {"{}", "attempt 2 of 3 (the last counts)", "第 2 次提交，共 3 次（取最后一次）", 0, 2, 3,
         false},
        {"{\"attempts\":\"best\"}", "attempt 1 of 2 (the best counts)",
         "第 1 次提交，共 2 次（取最好的一次）", 0, 1, 2, false},
        {"{" DUE ",\"late\":{\"cut\":0.1}}", "late by 1 h, 10% off", "迟交 1 小时，扣 10%", HOUR, 1,
         1, false},
        {"{" DUE "}", "late by 1 h", "迟交 1 小时", HOUR, 1, 1, false},
        {"{" DUE ",\"late\":{\"last\":\"1 min\"}}", "late by 1 h, too late to count",
         "迟交 1 小时，已过最后期限，不计分", HOUR, 1, 1, false},
        {"{" DUE ",\"late\":{\"cut\":0.1}}",
         "attempt 2 of 2 (the last counts); late by 1 h, 10% off",
         "第 2 次提交，共 2 次（取最后一次）；迟交 1 小时，扣 10%", HOUR, 2, 2, false},
        {"{" DUE ",\"extensions\":{\"ann\":\"1 day\"}}", "extended to 2026-10-02 23:59 +00:00",
         "延期至 2026-10-02 23:59 +00:00", HOUR, 1, 1, false},
        {"{" DUE ",\"extensions\":{\"ann\":\"1 day\"}}",
         "extended to 2026-10-02 23:59 +00:00; late by 1 d",
         "延期至 2026-10-02 23:59 +00:00；迟交 1 天", 2 * DAY, 1, 1, false},
        {"{" DUE ",\"late\":{\"cut\":0.1}}",
         "late (the system says so, and not by how much), 10% off",
         "迟交（系统标记，时长不详），扣 10%", 0, 1, 1, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        policy p = rules(rows[i].text);
        store_entry e = entry(rows[i].after);
        e.attempt = rows[i].attempt, e.attempts = rows[i].attempts;
        if (rows[i].unknown) e.timed = false, e.late = true;
        char *en = policy_said(&p, &e, LIB_EN), *zh = policy_said(&p, &e, LIB_ZH);
        CHECK_STR(en, rows[i].en);
        CHECK_STR(zh, rows[i].zh);
        free(en);
        free(zh);
        policy_free(&p);
    }
}

/* Every field, of the course and of two labs; what a lab does not say is the course's. */
static void whole(void) {
    policy p = rules(
        "{\"title\":\"x\",\"timezone\":\"+08:00\",\"deadline\":\"2026-10-02 07:59\","
        "\"attempts\":\"best\",\"points\":20,"
        "\"late\":{\"grace\":90,\"cut\":0.25,\"per\":\"2 h\",\"most\":0.5,\"last\":\"3 days\"},"
        "\"labs\":{\"add\":{\"deadline\":\"2026-10-03 07:59\",\"attempts\":\"last\","
        "\"points\":1.5,\"column\":\"A\",\"late\":{\"cut\":1}},\"sub\":{}},"
        "\"extensions\":{\"ann\":{\"add\":\"2 h\",\"sub\":\"2026-10-02 07:59\"},"
        "\"bob\":\"1 min\"},\"files\":{\"a.cu\":\"add\",\"b.cu\":false}}");
    CHECK_INT(p.zone, 480);
    CHECK_INT(p.labs, 2);
    const policy_lab of[] = {p.base, policy_for(&p, "add"), policy_for(&p, "sub"),
                             policy_for(&p, "other")};
    static const char *const names[] = {NULL, "add", "sub", NULL};
    for (int i = 0; i < 4; i++) {
        bool own = i == 1;
        CHECK(of[i].dated && of[i].deadline == due + (own ? DAY : 0));
        CHECK_INT(of[i].best, !own);
        CHECK(of[i].points == (own ? 1.5 : 20) && of[i].cut == (own ? 1 : 0.25));
        CHECK(of[i].grace_s == 90 && of[i].per_s == 2 * HOUR && of[i].most == 0.5 &&
              of[i].last_s == 3 * DAY);
        if (own) CHECK_STR(of[i].column, "A");
        else CHECK(!of[i].column);
        if (names[i]) CHECK_STR(of[i].lab, names[i]);
        else CHECK(!of[i].lab);
    }
    CHECK_INT(p.extensions, 3);
    CHECK_STR(p.extension[0].student, "ann");
    CHECK_STR(p.extension[0].lab, "add");
    CHECK(!p.extension[0].dated && p.extension[0].plus_s == 2 * HOUR);
    CHECK(p.extension[1].dated && p.extension[1].until == due);
    CHECK(!strcmp(p.extension[2].student, "bob") && !p.extension[2].lab &&
          p.extension[2].plus_s == 60);
    CHECK_INT(p.files, 2);
    CHECK(!strcmp(p.file[0].file, "a.cu") && !strcmp(p.file[0].lab, "add"));
    CHECK(!strcmp(p.file[1].file, "b.cu") && !*p.file[1].lab);
    policy_free(&p);
    CHECK(!p.json && !p.lab && !p.extension && !p.file && !p.labs);
    p = rules("{}"); /* a course that says nothing: a begun day, all of it at most, no cut */
    CHECK(!p.base.dated && !p.base.best && !p.base.cut && p.base.per_s == DAY && p.base.most == 1 &&
          !p.base.last_s && !p.base.grace_s && !p.base.points && !p.zone);
    policy_free(&p);
}

/* The whole message, in both languages. */
static void messages(void) {
    static const struct {
        const char *text, *en, *zh;
    } rows[] = {
        {"{\"late\":{\"cut\":2}}", "course.lua: late.cut: expected a share, 0 to 1, found 2",
         "course.lua：late.cut：应为：0 到 1 之间的比例，实为：2"},
        {"{\"labs\":{\"add\":{\"late\":{\"per\":0}}}}",
         "course.lua: labs[\"add\"].late.per: expected a span above 0, found 0",
         "course.lua：labs[\"add\"].late.per：应为：大于 0 的时长，实为：0"},
        {"{\"labs\":{\"add\":{\"late\":{}}},\"files\":{\"a\":1}}",
         "course.lua: a: expected a lab's id, or false for what is no submission, found 1",
         "course.lua：a：应为：实验的 id；不是提交的写 false，实为：1"},
        {"{\"extensions\":{\"ann\":{}},\"files\":1}",
         "course.lua: files: expected { [\"FILE\"] = \"LAB\" or false }, found 1",
         "course.lua：files：应为：{ [\"FILE\"] = \"LAB\" 或 false }，实为：1"},
        {"{\"late\":{\"cut\":0.1},\"labs\":1}", /* no longer within late */
         "course.lua: labs: expected { [\"LAB\"] = { ... } }, found 1",
         "course.lua：labs：应为：{ [\"LAB\"] = { ... } }，实为：1"},
        {"{\"late\":{\"x\":1}}",
         "course.lua: late.x: no such field; there are grace cut per most last",
         "course.lua：late.x：没有这个字段；可用的有 grace cut per most last"},
        {"1", "course.lua: : expected { ... }, found 1", "course.lua：：应为：{ ... }，实为：1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lib_message msg = {0};
        policy p;
        json_t *json = json_loads(rows[i].text, JSON_DECODE_ANY, NULL);
        CHECK(!policy_read(json, &p, &msg));
        CHECK_STR(said(&msg), rows[i].en);
        CHECK_STR(said_zh(&msg), rows[i].zh);
        CHECK(!p.json && !p.lab && !p.file);
        json_decref(json);
    }
}

static void loaded(void) {
    static const struct {
        const char *text, *says;
        double points;
    } rows[] = {{NULL, "", 0},
                {"{\"points\":7}", "", 7},
                {"{\n\"points\":}", "course.json, line 2: ", 0},
                {"{\"points\":0}", "course.lua: points: ", 0}};
    char root[] = "/tmp/warplab-policy-XXXXXX";
    if (!CHECK(mkdtemp(root) != NULL)) return;
    int out = open(root, O_RDONLY | O_DIRECTORY);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lib_message msg = {0};
        policy p = {0};
        if (rows[i].text)
            CHECK(store_write(out, "course.json", rows[i].text, strlen(rows[i].text), 0600, &msg));
        CHECK_INT(policy_load(&p, out, NULL, NULL, &msg), !*rows[i].says);
        if (*rows[i].says) CHECK_CONTAINS(said(&msg), rows[i].says);
        else CHECK(p.base.points == rows[i].points && !lib_message_any(&msg));
        policy_free(&p);
    }
    close(out);
    store_remove_tree(AT_FDCWD, root);
}

/* Which source says a lab's deadline and points: course.lua for the lab, course.lua for all, the
 * pack; each as it was kept where a run does not give it. */
static void two_sources(void) {
    static const char pack[] =
        "{\"labs\":{\"add\":{\"deadline\":\"2026-10-02 00:00\",\"points\":50}}}";
    static const struct {
        const char *rules, *pack, *due;
        double points, cut;
    } rows[] = {
        {"{\"timezone\":\"+08:00\",\"late\":{\"cut\":0.1},\"labs\":{\"add\":{\"column\":\"A\"}}}",
         pack, "2026-10-02 00:00 +08:00", 50, 0.1},
        {NULL, NULL, "2026-10-02 00:00 +08:00", 50, 0.1}, /* as kept */
        {NULL, "{\"labs\":{\"add\":{\"points\":60}}}", NULL, 60, 0.1},
        {"{\"deadline\":\"2026-11-01 00:00\"}", pack, "2026-11-01 00:00 +00:00", 50, 0},
        {"{\"labs\":{\"add\":{\"points\":7}}}", NULL, "2026-10-02 00:00 +00:00", 7, 0},
        {"{\"points\":8}", NULL, "2026-10-02 00:00 +00:00", 8, 0},
        {NULL, "{}", NULL, 8, 0},
    };
    char root[] = "/tmp/warplab-policy-XXXXXX";
    if (!CHECK(mkdtemp(root) != NULL)) return;
    int out = open(root, O_RDONLY | O_DIRECTORY);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lib_message msg = {0};
        policy p = {0};
        int64_t want = 0;
        const char *const given[] = {rows[i].rules, rows[i].pack};
        static const char *const kept[] = {"course.json", "pack-rules.json"};
        printf("# row %zu\n", i);
        CHECK(policy_load(&p, out, rows[i].rules, rows[i].pack, &msg));
        policy_lab l = policy_for(&p, "add");
        CHECK_INT(l.dated, rows[i].due != NULL);
        if (rows[i].due) CHECK(when_read(rows[i].due, 0, &want) && l.deadline == want);
        CHECK_NEAR(l.points, rows[i].points, 0);
        CHECK_NEAR(l.cut, rows[i].cut, 1e-9);
        policy_free(&p);
        for (size_t k = 0; k < 2; k++)
            if (given[k]) CHECK(store_write(out, kept[k], given[k], strlen(given[k]), 0600, &msg));
    }
    close(out);
    store_remove_tree(AT_FDCWD, root);
}

int main(void) {
    fields();
    whole();
    messages();
    loaded();
    two_sources();
    lateness();
    extensions();
    attempts();
    words();
    return check_done();
}
