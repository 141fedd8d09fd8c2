/* What somebody types, against questions made by hand: near enough to a number, a choice by its
 * letter, its number or its text, forms of a text; numbers drawn afresh and put into texts.
 * Expected values come from lab.h. */
#include <stdlib.h>
#include "runner/lesson/lab.h"
#include "tests/check.h"

static lib_message msg;

static void numbers(void) {
    static const struct {
        double tolerance, truth;
        const char *unit, *typed;
        int want;
    } rows[] = {{0.1, 100, "", "90", 1},
                {0.1, 100, "", "89.9", 0},
                {0.1, 100, "", "110", 1},
                {0.1, 100, "", "110.1", 0},
                {0.1, -100, "", "-90", 1},
                {0.1, -100, "", "-89.9", 0},
                {0.1, -100, "", "100", 0},
                {0.1, 0, "", "0", 1},
                {0.1, 0, "", "0.0001", 0},
                /* exact: a thousand-millionth of it */
                {0, 1e9, "", "1000000001", 1},
                {0, 1e9, "", "1000000002", 0},
                {0, 1e9, "", "999999999", 1},
                {0, 1e9, "", "999999998", 0},
                /* a share is a hundredth of its per cent, on either side */
                {0.1, 0.5, "", "50 %", 1},
                {0.1, 0.5, "", "55 %", 1},
                {0.1, 0.5, "", "56 %", 0},
                {0.1, 0.5, "", "50", 0},
                {0.1, 50, "%", "1/2", 1},
                {0.1, 50, "%", "45 %", 1},
                {0.1, 50, "%", "44 %", 0},
                {0.1, 50, "%", "50", 1},
                {0.1, 50, "%", "0.5", 1},
                {0.1, 0.5, "%", "50 %", 0},
                {0.1, 100, "", " \t100", 1},
                {0.1, 100, "", "", -1},
                {0.1, 100, "", " \t", -1},
                {0.1, 100, "", "many", -1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        lab_question q = {
            .kind = LAB_ANSWER_NUMBER, .tolerance = rows[k].tolerance, .unit = rows[k].unit};
        int choice = 7, got = lab_question_judge(&q, NULL, rows[k].typed, rows[k].truth, &choice);
        check_that(got == rows[k].want && choice == -1, __FILE__, __LINE__, rows[k].typed,
                   "judged otherwise");
        q.kind = LAB_ANSWER_MEASURED; /* the same */
        CHECK_INT(lab_question_judge(&q, NULL, rows[k].typed, rows[k].truth, NULL), rows[k].want);
    }
}

static void choices(void) {
    static const lab_choice of[] = {{.text = {{"{n} sectors", "{n} 个扇区"}}},
                                    {.text = {{"none", "没有"}}, .right = true},
                                    {.text = {{"2", "2"}}}};
    lab_question q = {.kind = LAB_ANSWER_CHOICE, .choices = of, .choice_count = 3, .unit = ""};
    lab_drawn shown = {.count = 1, .p = {{"n", 4}}, .order_count = 3, .order = {2, 0, 1}};
    static const struct {
        const char *typed;
        int plain, shuffled; /* which choice that is; -1: none */
    } rows[] = {
        {"a", 0, 2},    {"b", 1, 0},          {"c", 2, 1},        {"d", -1, -1},
        {"A)", 0, 2},   {" \tC.", 2, 1},      {"Ｂ", 1, 0},       {"1", 0, 2},
        {"3", 2, 1},    {"4", -1, -1},        {"0", -1, -1},      {"2", 2, 2}, /* its text */
        {"ab", -1, -1}, {"选b", 1, 0},        {"选择 c。", 2, 1}, {"选择", -1, -1},
        {"None", 1, 1}, {"没有", 1, 1},       {"`", -1, -1},      {"a1", -1, -1},
        {"/", -1, -1},  {"4 sectors", -1, 0}, {"4个扇区", -1, 0}, {"!", -1, -1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int drawn = 0; drawn < 2; drawn++) {
            int choice = 7, want = drawn ? rows[k].shuffled : rows[k].plain,
                got = lab_question_judge(&q, drawn ? &shown : NULL, rows[k].typed, 0, &choice);
            check_that(choice == want && got == (want < 0 ? -1 : want == 1), __FILE__, __LINE__,
                       rows[k].typed, drawn ? "shuffled" : "plain");
        }
    CHECK_INT(lab_question_judge(&q, NULL, "b", 0, NULL), 1);
    CHECK_INT(lab_question_tries(&q), 2);
    q.choice_count = 2;
    CHECK_INT(lab_question_tries(&q), 1); /* the second would be known */
    q.kind = LAB_ANSWER_NUMBER;
    CHECK_INT(lab_question_tries(&q), 2);
    CHECK(lab_choice_at(NULL, 3) == 3 && lab_choice_at(&shown, 0) == 2 &&
          lab_choice_at(&shown, 2) == 1);
    for (size_t place = 3; place < 6; place++) /* behind the last that is drawn */
        CHECK_INT(lab_choice_at(&shown, place), place);
}

/* Letters, digits and signs of arithmetic count, without case; wide letters, not their punctuation;
 * a letter of full width is the letter. */
static void forms(void) {
    static const char *const accept[] = {"x", "a+b-c*d/e%", "线程束"};
    lab_question q = {.kind = LAB_ANSWER_TEXT, .accept = accept, .accept_count = 3};
    static const struct {
        const char *typed;
        int want;
    } rows[] = {{"X", 1},
                {" x. ", 1},
                {"(x)", 1},
                {"xx", 0},
                {"y", 0},
                {"A + B - C * D / E %", 1},
                {"abcde", 0},
                {"ａ＋ｂ－ｃ＊ｄ／ｅ％", 1},
                {"线程束。", 1},
                {"线程", 0},
                {"x\xe3\x80\x80", 1}, /* U+3000, the first of the wide punctuation */
                {"x\xe3\x80\xbf", 1}, /* U+303F, the last */
                {"x\xe3\x81\x80", 0}, /* U+3040 */
                {"x\xe2\xbf\xbf", 0}, /* U+2FFF */
                {"x\xef\xbc\x81", 1}, /* U+FF01, an exclamation mark of full width */
                {"x\xef\xbd\x9e", 1}, /* U+FF5E, a tilde */
                {"x\xef\xbd\x9f", 0}, /* U+FF5F */
                {"x\xef\xbc\x80", 0}, /* U+FF00 */
                {"x\xc3\xa9", 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        check_that(lab_question_judge(&q, NULL, rows[k].typed, 0, NULL) == rows[k].want, __FILE__,
                   __LINE__, rows[k].typed, "judged otherwise");
    q.accept_count = 2;
    CHECK_INT(lab_question_judge(&q, NULL, "线程束", 0, NULL), 0);
}

static void replies(void) {
    static const char *const block[] = {"block", "a block"};
    static const lab_reply of_numbers[] = {{.number = 64, .text = {{"64", "六"}}},
                                           {.number = 20, .text = {{"20", "二"}}}},
                           of_texts[] = {
                               {.accept = block, .accept_count = 2, .text = {{"b", "块"}}}};
    lab_step s = {.kind = LAB_ASK,
                  .question = {.kind = LAB_ANSWER_NUMBER,
                               .unit = "",
                               .tolerance = 0.1,
                               .replies = of_numbers,
                               .reply_count = 2}};
    CHECK(lab_step_reply(NULL, &s, NULL, "64", &msg) == &of_numbers[0].text);
    CHECK(lab_step_reply(NULL, &s, NULL, "58", &msg) == &of_numbers[0].text);
    CHECK(lab_step_reply(NULL, &s, NULL, "21", &msg) == &of_numbers[1].text);
    CHECK(!lab_step_reply(NULL, &s, NULL, "30", &msg));
    CHECK(!lab_step_reply(NULL, &s, NULL, "many", &msg));
    s.question =
        (lab_question){.kind = LAB_ANSWER_TEXT, .unit = "", .replies = of_texts, .reply_count = 1};
    CHECK(lab_step_reply(NULL, &s, NULL, "A Block!", &msg) == &of_texts[0].text);
    CHECK(!lab_step_reply(NULL, &s, NULL, "lane", &msg));
}

static void texts(void) {
    static const lab_drawn d = {.count = 3, .p = {{"n", 160}, {"b", 0.5}, {"large", 1234567890}}};
    static const struct {
        const char *text, *want;
    } rows[] = {{"{n}{b} {m} {n } {n", "1600.5 {m} {n } {n"},
                {"{large}", "1234567890"},
                {"n } {{n}}", "n } {160}"},
                {"{b} of {n}", "0.5 of 160"},
                {"", ""}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *got = lab_text_fill(rows[k].text, &d);
        CHECK_STR(got, rows[k].want);
        free(got);
        got = lab_text_fill(rows[k].text, NULL);
        CHECK_STR(got, rows[k].text);
        free(got);
    }
}

/* Each value that may be drawn, and no other, is as likely as the next: of 6000 a share of them,
 * give or take five sigma. */
static void draws(void) {
    static const double from[] = {7, 5, 0.5};
    static const struct {
        lab_draw draw;
        double values[4];
        int count;
    } rows[] = {
        {{"n", 1, 4, 1, NULL, 0}, {1, 2, 3, 4}, 4}, {{"n", 2, 8, 3, NULL, 0}, {3, 6}, 2},
        {{"n", 3, 6, 3, NULL, 0}, {3, 6}, 2},       {{"n", -5, -1, 2, NULL, 0}, {-4, -2}, 2},
        {{"n", 9, 9, 1, NULL, 0}, {9}, 1},          {{"n", 0, 0, 1, from, 3}, {7, 5, 0.5}, 3}};
    enum { SEEDS = 6000 };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        lab_step s = {.kind = LAB_ASK, .draws = &rows[k].draw, .draw_count = 1};
        int seen[4] = {0}, others = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            lab_drawn d = {.order_count = 3};
            int i = 0;
            lab_step_draw(&s, seed, &d);
            while (i < rows[k].count && d.p[0].value != rows[k].values[i]) i++;
            if (i < rows[k].count) seen[i]++;
            others +=
                i == rows[k].count || d.count != 1 || d.order_count || strcmp(d.p[0].name, "n");
        }
        CHECK_INT(others, 0);
        double part = 1.0 / rows[k].count, sigma = sqrt(SEEDS * part * (1 - part));
        for (int i = 0; i < rows[k].count; i++) CHECK_NEAR(seen[i], SEEDS * part, 5 * sigma);
    }
    /* eight at most, each by its own name */
    lab_draw many[9];
    for (int i = 0; i < 9; i++) many[i] = (lab_draw){i % 2 ? "a" : "b", 0, 1e9, 1, NULL, 0};
    lab_step s = {.kind = LAB_ASK, .draws = many, .draw_count = 9};
    lab_drawn d;
    lab_step_draw(&s, 1, &d);
    CHECK_INT(d.count, 8);
    CHECK(d.p[0].value == d.p[2].value && d.p[1].value == d.p[7].value &&
          d.p[0].value != d.p[1].value);
    /* only choices of a question change places, and only where the lesson lets them */
    static const lab_choice two[2] = {{.right = true}, {.right = false}};
    s = (lab_step){.kind = LAB_ASK,
                   .question = {.kind = LAB_ANSWER_CHOICE, .choices = two, .choice_count = 2}};
    int turned = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        lab_step_shuffle(&s, seed, &d);
        turned += d.order[0] == 1;
        if (d.order_count != 2 || d.order[0] + d.order[1] != 1) CHECK_INT(seed, -1);
    }
    CHECK(turned > 25 && turned < 75); /* half of them: 50, give or take 5 sigma */
    s.question.ordered = true;
    lab_step_shuffle(&s, 1, &d);
    CHECK_INT(d.order_count, 0);
    s.question.ordered = false, s.kind = LAB_PREDICT;
    lab_step_shuffle(&s, 1, &d);
    CHECK_INT(d.order_count, 0);
    s.kind = LAB_ASK, s.question.kind = LAB_ANSWER_TEXT;
    lab_step_shuffle(&s, 1, &d);
    CHECK_INT(d.order_count, 0);
    CHECK(lab_step_asks(&s));
    s.kind = LAB_PREDICT;
    CHECK(lab_step_asks(&s));
    s.kind = LAB_SHOW;
    CHECK(!lab_step_asks(&s));
    /* FNV-1a of the English text: "a" is af63dc4c8601ec8c, by the function's own table of
     * examples */
    char key[LAB_QUESTION_KEY];
    s.text = (lab_text){{"a", "b"}};
    lab_question_key(&s, key);
    CHECK_STR(key, "af63dc4c8601ec8c");
    s.text = (lab_text){{"", "b"}};
    lab_question_key(&s, key);
    CHECK_STR(key, "cbf29ce484222325");
}

int main(void) {
    numbers();
    choices();
    forms();
    replies();
    texts();
    draws();
    return check_done();
}
