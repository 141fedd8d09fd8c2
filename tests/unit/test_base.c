/* The shelf below every layer: messages in two languages, growing text, text cut and cleaned; and the log of
 * gradings that could not be done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/lesson/twins.h"
#include "runner/grade/failures.h"
#include "tests/check.h"

static void messages(void) {
    lib_message m;
    lib_message_set2(&m, "no room for %s: %d", "%s 放不下：%d", "a", 7);
    CHECK_STR(m.text, "no room for a: 7");
    CHECK_STR(m.zh, "a 放不下：7");
    CHECK_STR(lib_message_in(&m, LIB_EN), "no room for a: 7");
    CHECK_STR(lib_message_in(&m, LIB_ZH), "a 放不下：7");
    char en[64], zh[64];
    lib_message_put(&m, en, zh, sizeof en);
    CHECK_STR(en, "no room for a: 7");
    CHECK_STR(zh, "a 放不下：7");
    /* Who speaks English only leaves nothing of the message before. */
    lib_message_set(&m, "broken pipe");
    CHECK_STR(lib_message_in(&m, LIB_ZH), "broken pipe");
    lib_message_put(&m, en, zh, sizeof en);
    CHECK_STR(en, "broken pipe");
    CHECK_STR(zh, "（英文说明）broken pipe");
    lib_message_set(&m, "%s", "");
    lib_message_put(&m, en, zh, sizeof en);
    CHECK_STR(zh, "");
    lib_message_set(NULL, "nobody asked");
    lib_message_set2(NULL, "nobody asked", "没人问");
    /* Cut at a whole character: 341 characters of 3 bytes are 1023. */
    char *many = calloc(1, 3 * 400 + 1);
    for (int i = 0; i < 400; i++) strcat(many + (i ? 3 * (i - 1) : 0), "块");
    lib_message_set(&m, "%s", many);
    CHECK(strlen(m.text) == 1020 + 3 && !strcmp(m.text + 1020, "..."));
    free(many);
}

static void buffers(void) {
    lib_buffer b = {0};
    for (int i = 0; i < 1000; i++) lib_buffer_printf(&b, "%d,", i);
    CHECK(b.n == 10 * 2 + 90 * 3 + 900 * 4 && !strncmp(b.s + b.n - 5, ",999,", 5) && !b.s[b.n]);
    char *s = lib_buffer_take(&b);
    CHECK(s && !b.s && !b.n && !b.failed);
    free(s);
    s = lib_buffer_take(&b);
    CHECK_STR(s, "");
    free(s);
    /* A text that no machine holds fails, and stays so. */
    lib_buffer_puts(&b, "kept");
    lib_buffer_add(&b, "", (size_t)-9);
    CHECK(b.failed && !*b.s);
    lib_buffer_puts(&b, "more");
    CHECK(!*b.s && !lib_buffer_take(&b));
}

static size_t count(const char *text, char c) {
    size_t n = 0;
    for (; text && *text; text++) n += *text == c;
    return n;
}

static void failures(const char *state) {
    char path[300], folder[280];
    snprintf(folder, sizeof folder, "%s/warplab", state);
    snprintf(path, sizeof path, "%s/failures.log", folder);
    size_t n;
    CHECK(!failures_last(3, &n) && n == 0);
    failures_add("vector-add", "sim:h200", "no room\non \x1b[31mthe disk");
    char *text = failures_last(3, &n);
    CHECK(n == 1 && count(text, '\n') == 1);
    CHECK(text && strstr(text, "Z vector-add sim:h200: no room on ") && !strchr(text, '\x1b'));
    CHECK(text && strlen(text) > 20 && text[4] == '-' && text[10] == 'T' && text[19] == 'Z');
    free(text);
    for (int i = 0; i < 5; i++) {
        char why[32];
        snprintf(why, sizeof why, "reason %d", i);
        failures_add("hello", "sim:t4", why);
    }
    text = failures_last(2, &n);
    CHECK(n == 6 && count(text, '\n') == 2 && strstr(text, "reason 3\n") &&
          strstr(text, "reason 4\n"));
    CHECK(text && !strstr(text, "reason 2"));
    free(text);
    /* However much fails: bounded, whole lines, the newest there. */
    char large[900];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = 0;
    for (int i = 0; i < 400; i++) failures_add("hello", "sim:t4", large);
    failures_add("hello", "sim:t4", "the last one");
    struct stat st;
    CHECK(!stat(path, &st) && st.st_size <= 65 << 10 && st.st_size > 20 << 10);
    text = failures_last(1000, &n);
    CHECK(text && n == count(text, '\n') && strstr(text, "the last one\n") && text[4] == '-');
    free(text);
    /* Who is at fault decides. */
    grade_result r = {.verdict = GRADE_FAIL};
    size_t before = n;
    failures_add_result(&r);
    r.verdict = GRADE_ERROR;
    r.ungradable = true;
    failures_add_result(&r);
    free(failures_last(1, &n));
    CHECK(n == before);
    r.ungradable = false;
    strcpy(r.message, "the device is gone");
    failures_add_result(&r);
    text = failures_last(1, &n);
    CHECK(n == before + 1 && text && strstr(text, " ? ?: the device is gone\n"));
    free(text);
    /* A link in its place is not followed. */
    char other[300];
    snprintf(other, sizeof other, "%s/other", state);
    lib_write_file(other, "mine\n", 5, NULL);
    unlink(path);
    CHECK(!symlink(other, path));
    failures_add("hello", "sim:t4", "through a link");
    char *mine = lib_read_file(other, 0, NULL, NULL);
    CHECK_STR(mine, "mine\n");
    free(mine);
}

/* Comments in two languages, one of them left. */
static void twins(void) {
    static const char source[] = "// A file.\n"
                                 "// It adds.\n"
                                 "// zh: 一个文件，\n"
                                 "// zh:做加法。\n"
                                 "int f(void) { // stays\n"
                                 "    // only English\n"
                                 "    int a;\n"
                                 "    // TODO\n"
                                 "    // zh: TODO：你来写\n"
                                 "    char *s = \"// zh: no comment\";\n"
                                 "// alone\n"
                                 "//\n"
                                 "// answer x: TODO\n"
                                 "// How many?\n"
                                 "// zh: 多少？\n"
                                 "}\n// end";
    char *en = twins_in(source, LIB_EN), *zh = twins_in(source, LIB_ZH);
    CHECK_STR(en,
              "// A file.\n// It adds.\nint f(void) { // stays\n    // only English\n    int a;\n"
              "    // TODO\n    char *s = \"// zh: no comment\";\n// alone\n//\n// answer x: TODO\n"
              "// How many?\n}\n// end");
    CHECK_STR(
        zh, "// 一个文件，\n// 做加法。\nint f(void) { // stays\n    // only English\n    int a;\n"
            "    // TODO：你来写\n    char *s = \"// zh: no comment\";\n// alone\n//\n"
            "// answer x: TODO\n// 多少？\n}\n// end");
    CHECK_INT(twins_orphan(source), 0);
    CHECK_INT(twins_orphan("int a;\n// zh: 孤儿\n"), 2);
    CHECK_INT(twins_orphan("// answer a: x\n// zh: 孤儿\n"), 2);
    free(en);
    free(zh);
    en = twins_in("", LIB_EN);
    CHECK_STR(en, "");
    free(en);
}

int main(void) {
    twins();
    char state[] = "/tmp/warplab-base.XXXXXX";
    if (!mkdtemp(state)) return 1;
    setenv("XDG_STATE_HOME", state, 1);
    messages();
    buffers();
    failures(state);
    lib_remove_tree(state);
    return check_done();
}
