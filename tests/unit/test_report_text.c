/* Reports as whole texts, of a record written by hand: each page, table, number and bar. Bars are
 * parts of the largest value: 160 units wide beside each other, 100 in rows, 135 high in
 * columns. */
#include <jansson.h>
#include <stdlib.h>
#include "grader/report/formats.h"
#include "grader/report/html.h"
#include "grader/result.h"
#include "grader/json/json.h"
#include "runner/base/say.h"
#include "tests/check.h"

static const char record[] =
    "{\"student\":\"ann\",\"lab\":\"add\",\"title\":\"Add\",\"verdict\":\"fail\",\"score\":5.5,"
    "\"max_score\":10,"
    "\"device\":\"sim:h200\",\"messages\":{\"en\":\"M\",\"zh\":\"消息\"},\"build\":{\"log\":\"warn "
    "<1>\\nnext\"},"
    "\"cases\":[{\"args\":{\"n\":1003,\"m\":0.5},\"pass\":true,\"timed\":true},"
    "{\"args\":{\"n\":2},\"pass\":false,\"mismatch\":{\"picture\":\"..#\"},\"messages\":{\"en\":"
    "\"bad\",\"zh\":\"坏\"}},"
    "{\"args\":{\"n\":7},\"pass\":true,\"hidden\":true},{\"args\":{\"n\":8},\"pass\":true,"
    "\"hidden\":true},"
    "{\"args\":{\"n\":9},\"pass\":false,\"hidden\":true,\"mismatch\":{\"picture\":\"#\"},"
    "\"message\":\"h\"}],"
    "\"goals\":[{\"kind\":\"correct\",\"name\":\"correct\",\"pass\":false,\"points\":0,\"max_"
    "points\":4,"
    "\"expected\":1,\"actual\":0.5,\"message\":\"g1\"},"
    "{\"kind\":\"counter\",\"name\":\"x\",\"relation\":\"<=\",\"expected\":4,\"actual\":3,\"pass\":"
    "true,"
    "\"points\":5.5,\"max_points\":6,\"message\":\"g2\"}],"
    "\"time_us\":12.5,\"baseline_us\":25,\"speedup\":2,"
    "\"findings\":[{\"kind\":\"oob\",\"text\":\"T\",\"texts\":{\"zh\":\"越界\"},\"count\":3,"
    "\"line\":7},"
    "{\"kind\":\"race\",\"text\":\"R\",\"hidden\":true,\"count\":1}],"
    "\"launches\":[{\"kernel\":\"k\",\"grid\":[1,2,3],\"block\":[4,5,6],\"time_us\":2.5,"
    "\"limiter\":\"dram\","
    "\"registers\":40,\"occupancy_pct\":75}],"
    "\"counters\":{\"gld_sectors\":10,\"gst_sectors\":3,\"local_ld_sectors\":-1,\"branches\":0},"
    "\"baseline_counters\":{"
    "\"gld_sectors\":40},"
    "\"lines\":[{\"file\":\"a.cu\",\"line\":3,\"warp_inst\":5,\"gld_sectors\":1,\"gst_sectors\":2,"
    "\"shared_ld_conflicts\":3,\"shared_st_conflicts\":4,\"divergent_branches\":6},"
    "{\"file\":\"a.cu\",\"line\":2,\"warp_inst\":50},{\"file\":\"a.cu\",\"line\":1,\"warp_inst\":5}"
    "],"
    "\"output\":\"printed\",\"toolchain\":{\"nvcc\":\"13\",\"arch\":\"sm_90\"},\"sandbox\":"
    "\"bwrap\","
    "\"timing\":\"replayed\",\"course\":{\"messages\":{\"en\":\"late\",\"zh\":\"迟\"},\"cut\":20,"
    "\"earned\":8,"
    "\"score\":6.4}}";

static json_t *parse(const char *text) {
    json_error_t e;
    json_t *o = json_loads(text, 0, &e);
    if (!o) printf("# %s\n", e.text);
    return o;
}

static const char *body(const char *page) {
    const char *b = page ? strstr(page, "<body>\n") : NULL;
    return b ? b + strlen("<body>\n") : "";
}

#define PAIR(mine, base)                                                                           \
    "<td><svg viewBox=\"0 0 160 16\" width=\"160\" role=\"img\" aria-hidden=\"true\"><rect "       \
    "x=\"0\" "                                                                                     \
    "y=\"1\" width=\"" mine "\" height=\"6\" fill=\"var(--mine)\"/><rect x=\"0\" y=\"9\" "         \
    "width=\"" base "\" height=\"6\" fill=\"var(--base)\"/></svg></td>"
#define N(v)     "<td class=\"n\">" v "</td>"
#define TH(name) "<th class=\"n\">" name "</th>"
#define TABLE    "<div class=\"scroll\"><table>"

/* clang-format off */ /* lines of the page, as they are */
static const char instructors[] =
    "<h1>Add</h1>\n<p class=\"dim\">ann &middot; add &middot; sim:h200</p>\n"
    "<p><span class=\"badge fail\">not passed</span> <span class=\"score\">5.5</span> / 10</p>\n"
    "<p><strong>late: 8 earned, 6.4 counted</strong></p>\n<p>M</p>\n"
    "<h2>The compiler&#39;s messages</h2>\n<pre>warn &lt;1&gt;\nnext</pre>\n"
    "<h2>Goals</h2>\n"
    TABLE "<tr><th></th><th>Goal</th>" TH("Points") "<th>What was found</th></tr>\n"
    "<tr><td class=\"no\">&cross;</td><td>Correct</td>" N("0 / 4") "<td>g1</td></tr>\n"
    "<tr><td class=\"ok\">&check;</td><td>Counter: x &lt;= 4</td>" N("5.5 / 6") "<td>g2</td></tr>\n"
    "</table></div>\n"
    "<h2>Cases</h2>\n" TABLE "\n"
    "<tr><td class=\"ok\">&check;</td><td><code>n = 1003, m = 0.5</code> timed</td><td></td></tr>\n"
    "<tr><td class=\"no\">&cross;</td><td><code>n = 2</code></td>"
    "<td>bad<pre class=\"cells\">..#</pre></td></tr>\n"
    "<tr><td class=\"ok\">&check;</td><td><code>n = 7</code> hidden</td><td></td></tr>\n"
    "<tr><td class=\"ok\">&check;</td><td><code>n = 8</code> hidden</td><td></td></tr>\n"
    "<tr><td class=\"no\">&cross;</td><td><code>n = 9</code> hidden</td>"
    "<td>h<pre class=\"cells\">#</pre></td></tr>\n"
    "</table></div>\n"
    "<p class=\"dim\">The pictures show an output from first to last: . right, # wrong, "
    "digits tenths wrong (0: fewer than one), ? never written</p>\n"
    "<p>2 of 3 hidden cases pass.</p>\n"
    "<h2>Memory errors and races</h2>\n"
    "<p><code>oob</code> T <span class=\"dim\">&times;3</span></p>\n<p><code>race</code> R</p>\n"
    "<h2>Launches of the timed case</h2>\n"
    "<table><tr><td>Time, us</td>" N("12.5") "<td>baseline</td>" N("25") "<td>speed-up</td>"
    N("2") PAIR("80.0", "160.0") "</tr></table>\n"
    TABLE "<tr><th>Kernel</th><th>Grid</th><th>Block</th>" TH("us") "<th>Limited by</th>"
    TH("Registers") TH("Occupancy %") "</tr>\n"
    "<tr><td>k</td><td>1&times;2&times;3</td><td>4&times;5&times;6</td>" N("2.5") "<td>dram</td>" N("40") N("75") "</tr>\n"
    "</table></div>\n"
    "<h2>Counters of the timed case</h2>\n"
    TABLE "<tr><th>Counter</th>" TH("This submission") TH("Baseline")
    "<th>blue: this submission, grey: baseline</th></tr>\n"
    "<tr><td title=\"32-byte sectors that global loads touch\"><code>gld_sectors</code></td>"
    N("10") N("40") PAIR("40.0", "160.0") "</tr>\n"
    "<tr><td title=\"32-byte sectors that global stores touch\"><code>gst_sectors</code></td>"
    N("3") N("0") PAIR("160.0", "0.0") "</tr>\n"
    "<tr><td title=\"32-byte sectors that local loads touch\"><code>local_ld_sectors</code></td>"
    N("-1") N("0") "<td></td></tr>\n" /* what is not 0 stands there, whatever it is */
    "</table></div>\n"
    "<h2>Lines that execute most instructions</h2>\n"
    TABLE "<tr><th>Line</th>" TH("warp_inst") TH("gld_sectors") TH("gst_sectors")
    TH("bank conflicts") TH("divergent_branches") "</tr>\n"
    "<tr><td>a.cu:2</td>" N("50") N("0") N("0") N("0") N("0") "</tr>\n"
    "<tr><td>a.cu:1</td>" N("5") N("0") N("0") N("0") N("0") "</tr>\n"
    "<tr><td>a.cu:3</td>" N("5") N("1") N("2") N("7") N("6") "</tr>\n"
    "</table></div>\n"
    "<h2>What the program printed</h2>\n<pre>printed</pre>\n"
    "<p class=\"dim\">13 sm_90 &middot; bwrap &middot; timed by replaying the launches on fresh inputs</p>\n"
    "</body>\n</html>\n";
/* clang-format on */

static void instructor_page(void) {
    json_t *o = parse(record);
    char *page = report_write(GRADE_REPORT_HTML, o, LIB_EN);
    const char *want = instructors;
    CHECK_CONTAINS(page, "<html lang=\"en\">");
    CHECK_CONTAINS(page, "<title>ann add</title>");
    const char *got = body(page);
    size_t same = 0;
    while (want[same] && want[same] == got[same]) same++;
    if (want[same] || got[same]) printf("# from here: %.200s\n", got + same);
    CHECK(!strcmp(got, want));
    free(page);
    page = report_write(GRADE_REPORT_HTML, o, LIB_ZH);
    CHECK_CONTAINS(page, "<html lang=\"zh-CN\">");
    CHECK_CONTAINS(page, "<span class=\"badge fail\">未通过</span>");
    CHECK_CONTAINS(page, "<strong>迟：得 8 分，计 6.4 分</strong></p>\n<p>消息</p>");
    CHECK_CONTAINS(page, "<td>坏<pre");
    CHECK_CONTAINS(page, "<p>3 个隐藏用例中有 2 个通过。</p>");
    CHECK_CONTAINS(page, "<code>oob</code> 越界 <span");
    CHECK_CONTAINS(page, "<code>race</code> R</p>"); /* an older record */
    free(page);
    /* Of 21 lines 20 are shown; those that cost the same stand in their order. */
    json_t *lines = json_object_get(o, "lines");
    for (int line = 50; json_array_size(lines) < 21; line--)
        json_array_append_new(lines, json_pack("{s:s,s:i}", "file", "b.cu", "line", line));
    page = report_write(GRADE_REPORT_HTML, o, LIB_EN);
    const char *p = page;
    for (int line = 33; line <= 50; line++) { /* 50 to 33 were added */
        char text[20];
        SAY(text, "b.cu:%d<", line);
        const char *next = p ? strstr(p, text) : NULL;
        CHECK((next != NULL) == (line < 50));
        if (next) p = next;
    }
    free(page);
    json_decref(o);
}

/* What has not got a score, and of which nothing is known. */
static void bare_page(void) {
    json_t *o = parse("{\"lab\":\"add\",\"verdict\":\"error\",\"device\":\"d\",\"goals\":[{"
                      "\"kind\":\"correct\"}],"
                      "\"timing\":\"called\"}");
    char *page = report_write(GRADE_REPORT_HTML, o, LIB_EN);
    CHECK_STR(body(page),
              "<h1>add</h1>\n<p class=\"dim\">add &middot; d</p>\n"
              "<p><span class=\"badge error\">could not be graded</span></p>\n"
              "<h2>Goals</h2>\n" TABLE "<tr><th></th><th>Goal</th>" TH(
                  "Points") "<th>What was found</th></tr>\n"
                            "<tr><td class=\"no\">&cross;</td><td>Correct</td>" N(
                                "&ndash;") "<td></td></tr>\n</table></div>\n"
                                           "<p class=\"dim\">  &middot; timed by calling the "
                                           "function again</p>\n</body>\n</html>\n");
    free(page);
    json_decref(o);
}

/* ---- what a student sees */

/* Of a hidden case its verdict and the kind of its mistake, of hidden findings the kind of the
 * first; no count where there are hidden cases; what was measured unless every case is hidden. */
static void students_view(void) {
    static const struct {
        const char *record, *view, *details;
    } rows[] = {
        {"{}",
         "{\"cases\":[],\"findings\":[],\"message\":\"\",\"messages\":{\"en\":\"\",\"zh\":\"\"}}",
         ""},
        /* nothing hidden: all but what has no name there */
        {"{\"lab\":\"add\",\"secret_seed\":5,\"output\":\"o\",\"launches\":[1],"
         "\"cases\":[{\"pass\":false,\"args\":{\"n\":1}}],"
         "\"findings\":[{\"kind\":\"oob\",\"text\":\"T\",\"count\":3}],\"message\":\"m\"}",
         "{\"lab\":\"add\",\"launches\":[1],\"cases\":[{\"pass\":false,\"args\":{\"n\":1}}],"
         "\"findings\":[{\"kind\":\"oob\",\"text\":\"T\",\"count\":3}],"
         "\"message\":\"m\",\"messages\":{\"en\":\"m\",\"zh\":\"m\"}}",
         ""},
        {"{\"lines\":[2],\"cases\":[{\"pass\":true,\"args\":{\"n\":1}},"
         "{\"hidden\":true,\"pass\":true,\"args\":{\"n\":2}},"
         "{\"hidden\":true,\"pass\":false,\"mismatch\":{\"picture\":\"..#\"},\"message\":\"w\"},"
         "{\"hidden\":true,\"pass\":false,\"mismatch\":null,\"message\":\"e\"}],"
         "\"findings\":[{\"kind\":\"oob\",\"text\":\"T\",\"count\":3},"
         "{\"kind\":\"race\",\"text\":\"R\",\"hidden\":true,\"count\":1},"
         "{\"kind\":\"leak\",\"text\":\"L\",\"hidden\":true,\"count\":1},"
         "{\"kind\":\"oob\",\"text\":\"U\",\"count\":2}]}",
         "{\"lines\":[2],\"cases\":[{\"pass\":true,\"args\":{\"n\":1}},"
         "{\"hidden\":true,\"pass\":true,\"message\":\"\",\"messages\":{\"en\":\"\",\"zh\":\"\"}},"
         "{\"hidden\":true,\"pass\":false,\"message\":\"a wrong output\","
         "\"messages\":{\"en\":\"a wrong output\",\"zh\":\"输出错误\"}},"
         "{\"hidden\":true,\"pass\":false,\"message\":\"the program did not end normally\","
         "\"messages\":{\"en\":\"the program did not end normally\",\"zh\":\"程序没有正常结束\"}}],"
         "\"findings\":[{\"kind\":\"oob\",\"text\":\"T\"},{\"kind\":\"race\",\"hidden\":true},"
         "{\"kind\":\"oob\",\"text\":\"U\"}],"
         "\"message\":\"\",\"messages\":{\"en\":\"\",\"zh\":\"\"}}",
         "w\n  [..#]\ne\nrace: R\nleak: L\n"},
        {"{\"lines\":[2],\"counters\":{},\"cases\":[{\"hidden\":true,\"pass\":true}]}",
         "{\"cases\":[{\"hidden\":true,\"pass\":true,\"message\":\"\",\"messages\":{\"en\":\"\","
         "\"zh\":\"\"}}],\"findings\":[],\"message\":\"\",\"messages\":{\"en\":\"\",\"zh\":\"\"}}",
         ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *o = parse(rows[i].record), *view = report_student(o);
        char *got = json_written(view, false), *details = report_hidden_details(o, LIB_EN);
        printf("# view %zu\n", i);
        CHECK_STR(got, rows[i].view);
        CHECK_STR(details, rows[i].details);
        free(got), free(details);
        json_decref(o), json_decref(view);
    }
    /* A message that came about in a hidden case is not theirs. */
    static const char *const verdicts[] = {"fail", "error"};
    for (size_t i = 0; i < 2; i++) {
        json_t *o = json_pack("{s:s,s:s,s:b}", "verdict", verdicts[i], "message", "canary",
                              "message_hidden", 1),
               *view = report_student(o);
        char *details = report_hidden_details(o, LIB_EN);
        CHECK_STR(report_said(view, LIB_EN), lib_word(LIB_EN, grade_hidden_message(i)));
        CHECK_STR(report_said(view, LIB_ZH), lib_word(LIB_ZH, grade_hidden_message(i)));
        CHECK_STR(details, "canary\n");
        free(details);
        json_decref(o), json_decref(view);
    }
}

/* ---- what courses' systems read */

static void formats(void) {
    json_t *o = parse(record);
    char *text = report_write(GRADE_REPORT_JUNIT, o, LIB_EN);
    CHECK_STR(text,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<testsuites tests=\"2\" failures=\"1\" errors=\"0\">\n"
              "  <testsuite name=\"add\" tests=\"2\" failures=\"1\" errors=\"0\">\n"
              "    <properties><property name=\"course\" value=\"late: 8 earned, 6.4 "
              "counted\"/></properties>\n"
              "    <testcase classname=\"add\" name=\"Correct\">\n"
              "      <failure message=\"g1\"></failure>\n    </testcase>\n"
              "    <testcase classname=\"add\" name=\"Counter: x &lt;= 4\">\n    </testcase>\n"
              "    <system-err>warn &lt;1&gt;\nnext</system-err>\n  </testsuite>\n</testsuites>\n");
    free(text);
    text = report_write(GRADE_REPORT_AUTOLAB, o, LIB_EN);
    CHECK_STR(
        text,
        "add: fail\n  M\n  warn <1>\n  next\nCorrect: 0 / 4\n  g1\nCounter: x <= 4: 5.5 / 6\n  g2\n"
        "2 of 3 hidden cases pass.\n"
        "{\"scores\":{\"correct\":0,\"x\":5.5},\"scoreboard\":[5.5,2]}\n");
    free(text);
    static const struct {
        grade_report_format format;
        const char *json;
    } rows[] = {
        {GRADE_REPORT_GRADESCOPE,
         "{\"score\":5.5,\"output\":\"add Add: fail\\nM\\nwarn <1>\\nnext\\n2 of 3 hidden cases "
         "pass.\\n"
         "late: 8 earned, 6.4 counted\\n\",\"output_format\":\"text\",\"visibility\":\"visible\","
         "\"stdout_visibility\":\"hidden\",\"tests\":["
         "{\"name\":\"Correct\",\"number\":\"1\",\"status\":\"failed\",\"output\":\"g1\\n\\nbad\\n "
         " [..#]\\noob: T\\n"
         "race: seen in a hidden "
         "case\\n\",\"output_format\":\"text\",\"visibility\":\"visible\",\"score\":0,"
         "\"max_score\":4,\"tags\":[\"correct\"],\"extra_data\":{\"expected\":1,\"actual\":0.5}},"
         "{\"name\":\"Counter: x <= 4\",\"number\":\"2\",\"status\":\"passed\",\"output\":\"g2\","
         "\"output_format\":\"text\",\"visibility\":\"visible\",\"score\":5.5,\"max_score\":6,"
         "\"tags\":[\"counter\"],"
         "\"extra_data\":{\"expected\":4,\"actual\":3}},"
         "{\"name\":\"Hidden cases (instructors only)\",\"number\":\"3\",\"output\":\"h\\n  "
         "[#]\\nrace: R\\n\","
         "\"output_format\":\"text\",\"visibility\":\"hidden\"}]}"},
        {GRADE_REPORT_PRAIRIELEARN,
         "{\"gradable\":true,\"score\":0.55,\"message\":\"M\",\"output\":\"warn "
         "<1>\\nnext\",\"tests\":["
         "{\"name\":\"Correct\",\"description\":\"Add\",\"points\":0,\"max_points\":4,\"message\":"
         "\"g1\","
         "\"output\":\"2 of 3 hidden cases pass.\"},"
         "{\"name\":\"Counter: x <= "
         "4\",\"description\":\"Add\",\"points\":5.5,\"max_points\":6,\"message\":\"g2\","
         "\"output\":\"\"}]}"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text = report_write(rows[i].format, o, LIB_EN);
        json_t *want = parse(rows[i].json), *got = parse(text);
        char *a = json_dumps(got, JSON_COMPACT | JSON_SORT_KEYS),
             *b = json_dumps(want, JSON_COMPACT | JSON_SORT_KEYS);
        CHECK_STR(a, b);
        CHECK(text[strlen(text) - 1] == '\n');
        free(a), free(b), free(text);
        json_decref(want), json_decref(got);
    }
    /* Who passed stands on the board, with a speed-up only. */
    json_object_set_new(o, "verdict", json_string("pass"));
    for (int speedup = 0; speedup < 2; speedup++) {
        json_object_set_new(o, "speedup", json_integer(speedup));
        text = report_write(GRADE_REPORT_GRADESCOPE, o, LIB_EN);
        json_t *got = parse(text), *board = json_object_get(got, "leaderboard");
        CHECK_INT(json_array_size(board), speedup);
        if (speedup)
            CHECK_INT(json_integer_value(json_object_get(json_array_get(board, 0), "value")), 1);
        json_decref(got);
        free(text);
    }
    /* A share of the points from 0 to 1. */
    static const double scores[][3] = {{-1, 10, 0}, {0, 10, 0}, {10, 10, 1},
                                       {11, 10, 1}, {5, 0, 0},  {2.5, 10, 0.25}};
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
        json_object_set_new(o, "score", json_real(scores[i][0]));
        json_object_set_new(o, "max_score", json_real(scores[i][1]));
        text = report_write(GRADE_REPORT_PRAIRIELEARN, o, LIB_EN);
        json_t *got = parse(text);
        CHECK_NEAR(json_number_value(json_object_get(got, "score")), scores[i][2], 0);
        json_decref(got);
        free(text);
    }
    json_decref(o);
}

/* ---- reading */

static void titles(void) {
    static const struct {
        const char *goal, *en, *zh;
    } rows[] = {{"{\"kind\":\"correct\"}", "Correct", "正确性"},
                {"{\"kind\":\"counter\",\"name\":\"x\",\"relation\":\">\",\"expected\":0.5}",
                 "Counter: x > 0.5", "计数器：x > 0.5"},
                {"{\"kind\":\"answer\",\"name\":\"a\"}", "Answer: a", "答案：a"},
                {"{\"kind\":\"answers\",\"name\":\"a\"}", "Questions", "提问"},
                {"{\"kind\":\"speedup\",\"expected\":1.5}", "Speed-up >= 1.5", "加速比 >= 1.5"},
                {"{\"kind\":\"fraction\",\"name\":\"fp32\",\"expected\":0.25}",
                 "Fraction of the FP32 peak >= 25%", "单精度峰值比例 >= 25%"},
                {"{\"kind\":\"fraction\",\"name\":\"copy\",\"expected\":0.5}",
                 "Fraction of the copy bandwidth >= 50%", "拷贝带宽比例 >= 50%"},
                {"{\"kind\":\"tiers\",\"name\":\"copy\",\"expected\":0.45}",
                 "Fraction of the copy bandwidth, in tiers from 45%",
                 "拷贝带宽比例（分级，45% 起）"},
                {"{\"kind\":\"tiers\",\"name\":\"fp32\",\"expected\":0.15}",
                 "Fraction of the FP32 peak, in tiers from 15%", "单精度峰值比例（分级，15% 起）"},
                {"{\"kind\":\"other\",\"name\":\"o\"}", "o", "o"},
                {"{}", "", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *g = parse(rows[i].goal);
        char *en = report_goal_title(g, LIB_EN), *zh = report_goal_title(g, LIB_ZH);
        CHECK_STR(en, rows[i].en);
        CHECK_STR(zh, rows[i].zh);
        free(en), free(zh);
        json_decref(g);
    }
    static const struct {
        const char *object, *en, *zh;
    } courses[] = {
        {"{\"course\":{\"messages\":{\"en\":\"late\",\"zh\":\"迟\"},\"cut\":0,\"earned\":8,"
         "\"score\":8}}",
         "late", "迟"},
        {"{\"course\":{\"messages\":{\"en\":\"late\"},\"cut\":1,\"earned\":0,\"score\":0}}",
         "late: 0 earned, 0 counted", "：得 0 分，计 0 分"},
        {"{\"course\":{\"messages\":{\"en\":\"late\"},\"cut\":1,\"earned\":null}}", "late", ""},
        {"{}", "", ""}};
    for (size_t i = 0; i < sizeof courses / sizeof *courses; i++) {
        json_t *o = parse(courses[i].object);
        char *en = report_course(o, LIB_EN), *zh = report_course(o, LIB_ZH);
        CHECK_STR(en, courses[i].en);
        CHECK_STR(zh, courses[i].zh);
        free(en), free(zh);
        json_decref(o);
    }
    json_t *o = parse("{\"a\":\"NaN\",\"b\":\"infinity\",\"c\":\"-infinity\",\"d\":"
                      "\"18446744073709551615\",\"e\":2.5,"
                      "\"f\":3,\"g\":true,\"h\":1}");
    CHECK(isnan(report_number(o, "a")));
    CHECK(report_number(o, "b") == INFINITY && report_number(o, "c") == -INFINITY);
    CHECK(report_number(o, "d") == 0x1p64 && report_number(o, "e") == 2.5 &&
          report_number(o, "f") == 3);
    CHECK(report_number(o, "g") == 0 && report_number(o, "none") == 0);
    CHECK(report_true(o, "g") && !report_true(o, "h") && !report_true(o, "none"));
    CHECK_STR(report_text(o, "e"), "");
    CHECK_STR(report_finding(o, LIB_EN), "seen in a hidden case");
    CHECK_STR(report_finding(o, LIB_ZH), "在隐藏用例中出现");
    char *none = report_hidden(o, LIB_EN);
    CHECK_STR(none, "");
    free(none);
    json_decref(o);
    static const struct {
        double v;
        const char *text;
    } values[] = {{NAN, "\"NaN\""},
                  {INFINITY, "\"infinity\""},
                  {-INFINITY, "\"-infinity\""},
                  {0, "0"},
                  {-2, "-2"},
                  {0.5, "0.5"},
                  {0x1p53 - 1, "9007199254740991"},
                  {0x1p53, "9.00719925474e15"},
                  {1.0 / 3, "0.333333333333"}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        json_t *v = json_pack("[o]", json_value(values[i].v));
        char *text = json_written(v, false), want[60];
        SAY(want, "[%s]", values[i].text);
        CHECK_STR(text, want);
        free(text);
        text = json_written(v, true);
        SAY(want, "[\n  %s\n]\n", values[i].text);
        CHECK_STR(text, want);
        free(text);
        json_decref(v);
    }
}

/* ---- the pages' parts */

static const char *taken(lib_buffer *b) {
    static char *text;
    free(text);
    return text = lib_buffer_take(b);
}

static void parts(void) {
    static const struct {
        double v;
        const char *shown;
    } numbers[] = {{0, "0"},
                   {9999, "9,999"},
                   {10000, "10,000"},
                   {-9999, "-9,999"},
                   {-10000, "-10,000"},
                   {123456, "123,456"},
                   {1234567, "1,234,567"},
                   {0.123456, "0.1235"},
                   {999.96, "1,000"},
                   {999.4, "999.4"},
                   {1000.4, "1,000"},
                   {1000.6, "1,001"},
                   {99999.6, "100,000"},
                   {-1000.6, "-1,001"},
                   {1e15, "1e+15"},
                   {1.5e-9, "1.5e-09"},
                   {NAN, "NaN"},
                   {INFINITY, "infinity"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        lib_buffer b = {0};
        char want[80];
        html_number(&b, numbers[i].v);
        SAY(want, "<td class=\"n\">%s</td>", numbers[i].shown);
        CHECK_STR(taken(&b), want);
    }
    static const struct {
        const char *text, *shown;
    } said[] = {{"", ""},
                {"a `b < c` d", "a <code>b &lt; c</code> d"},
                {"`x`", "<code>x</code>"},
                {"one ` alone", "one ` alone"},
                {"`a` and ` alone", "<code>a</code> and ` alone"}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        lib_buffer b = {0};
        lib_buffer_puts(&b, "");
        html_said(&b, said[i].text);
        CHECK_STR(taken(&b), said[i].shown);
    }
    static const struct {
        double mine, base;
        const char *shown;
    } pairs[] = {{1, 4, PAIR("40.0", "160.0")},
                 {4, 1, PAIR("160.0", "40.0")},
                 {0, 0, PAIR("0.0", "0.0")},
                 {1e-9, 4, PAIR("1.0", "160.0")},
                 {4, 1e-9, PAIR("160.0", "1.0")},
                 {0, 4, PAIR("0.0", "160.0")},
                 {4, 0, PAIR("160.0", "0.0")},
                 {-1, 4, "<td></td>"},
                 {4, -1, "<td></td>"},
                 {NAN, 1, "<td></td>"},
                 {1, INFINITY, "<td></td>"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        lib_buffer b = {0};
        html_pair(&b, pairs[i].mine, pairs[i].base);
        CHECK_STR(taken(&b), pairs[i].shown);
    }
    /* Columns: of 560 units each has its part, 8 tenths of it filled. */
    const html_bar bars[] = {{.label = "a<", .value = 2},
                             {.label = "b", .value = 0, .note = "none"}};
    lib_buffer b = {0};
    html_columns(&b, "t&", bars, 2);
    CHECK_STR(taken(&b),
              "<svg viewBox=\"0 0 600 200\" width=\"600\" role=\"img\" aria-label=\"t&amp;\"><line "
              "x1=\"20\" y1=\"170\" "
              "x2=\"580\" y2=\"170\" stroke=\"var(--line)\"/>"
              "<rect x=\"48.0\" y=\"35.0\" width=\"224.0\" height=\"135.0\" rx=\"2\" "
              "fill=\"var(--mine)\"/>"
              "<text x=\"160.0\" y=\"29.0\" text-anchor=\"middle\">2</text>"
              "<text x=\"160.0\" y=\"187.0\" text-anchor=\"middle\" class=\"d\">a&lt;</text>"
              "<rect x=\"328.0\" y=\"170.0\" width=\"224.0\" height=\"0.0\" rx=\"2\" "
              "fill=\"var(--mine)\"/>"
              "<text x=\"440.0\" y=\"164.0\" text-anchor=\"middle\"></text>"
              "<text x=\"440.0\" y=\"187.0\" text-anchor=\"middle\" class=\"d\">b</text></svg>\n");
#define ROW(label, width, note)                                                                    \
    "<tr><td>" label "</td><td class=\"bar\"><svg viewBox=\"0 0 100 14\" "                         \
    "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect x=\"0\" y=\"0\" width=\"" width       \
    "\" height=\"14\" fill=\"var(--mine)\"/></svg></td><td class=\"n dim\">" note "</td></tr>\n"
    b = (lib_buffer){0};
    html_rows(&b, "t", bars, 2, 0);
    CHECK_STR(taken(&b), "<table class=\"bars\" aria-label=\"t\">\n" ROW("a&lt;", "100.0", "2")
                             ROW("b", "0.0", "none") "</table>\n");
    b = (lib_buffer){0};
    html_rows(&b, "t", bars, 1, 8);
    CHECK_STR(taken(&b),
              "<table class=\"bars\" aria-label=\"t\">\n" ROW("a&lt;", "25.0", "2") "</table>\n");
    const html_bar odd[] = {
        {.label = "n", .value = NAN}, {.label = "m", .value = -1}, {.label = "h", .value = 0.5}};
    b = (lib_buffer){0};
    html_rows(&b, "t", odd, 3, 0);
    CHECK_STR(taken(&b), "<table class=\"bars\" aria-label=\"t\">\n" ROW("n", "0.0", "NaN")
                             ROW("m", "0.0", "-1") ROW("h", "100.0", "0.5") "</table>\n");
    b = (lib_buffer){0};
    html_badge(&b, LIB_ZH, "missing");
    html_badge(&b, LIB_EN, "<x>");
    CHECK_STR(taken(&b), "<span class=\"badge missing\">尚未评分</span><span class=\"badge "
                         "other\">&lt;x&gt;</span>");
}

int main(void) {
    instructor_page();
    bare_page();
    students_view();
    formats();
    titles();
    parts();
    return check_done();
}
