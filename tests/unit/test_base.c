/* The shelf below every layer: cores; messages in two languages, growing text, text cut and
 * cleaned; and the log of gradings that could not be done. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/scratch.h"
#include "runner/base/say.h"
#include "runner/lesson/twins.h"
#include "runner/grade/failures.h"
#include "grader/result.h"
#include "tests/check.h"
#include "tests/said.h"

/* A job that may use one core of the machine is told one: sched_setaffinity(2). */
static void cores(void) {
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all)) return; /* more than a set's 1024 */
    CHECK(lib_cores() == (unsigned)CPU_COUNT(&all));
    for (unsigned k = 0; k < CPU_SETSIZE && !CPU_COUNT(&one); k++)
        if (CPU_ISSET(k, &all)) CPU_SET(k, &one);
    CHECK(!sched_setaffinity(0, sizeof one, &one) && lib_cores() == 1);
    CHECK(!sched_setaffinity(0, sizeof all, &all) && lib_cores() == (unsigned)CPU_COUNT(&all));
}

static void messages(void) {
    lib_message m;
    tell(&m, "no room", "放不下");
    CHECK_STR(said(&m), "no room");
    CHECK_STR(said_zh(&m), "放不下");
    /* Who speaks English only leaves nothing of the message before. */
    tell(&m, "broken pipe", NULL);
    CHECK_STR(said_zh(&m), "broken pipe");
    CHECK(lib_message_any(&m));
    tell(&m, "", NULL);
    CHECK(!lib_message_any(&m));
    CHECK_STR(said(&m), "");
    tell(NULL, "nobody asked", "没人问");
    /* Cut at a whole character, with what tells so behind it. */
    char *many = calloc(1, 3 * 400 + 1);
    for (int i = 0; i < 400; i++) strcat(many + (i ? 3 * (i - 1) : 0), "块");
    tell(&m, many, NULL);
    const char *cut = said(&m);
    size_t n = strlen(cut);
    CHECK(n > 1000 && n < sizeof m.args && n % 3 == 0 && !memcmp(cut, many, n - 3) &&
          !strcmp(cut + n - 3, "..."));
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
    lib_message_set(&r.message, lib_words_plain((lib_texts){{"the device is gone"}}));
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
    /* Behind code: one line below it. What stands in a string is no comment. */
    static const char noted[] = "int n = 4; // floats\n"
                                "// zh: float 的个数\n"
                                "    char *s = \"// a\", c = '\"'; // \"b\"\n"
                                "    // zh: 乙\n"
                                "int last; // one\n"
                                "// two\n"
                                "// zh: 二";
    char *one = twins_in(noted, LIB_EN), *two = twins_in(noted, LIB_ZH);
    CHECK_STR(one, "int n = 4; // floats\n    char *s = \"// a\", c = '\"'; // \"b\"\n"
                   "int last; // one\n// two\n");
    CHECK_STR(two, "int n = 4; // float 的个数\n    char *s = \"// a\", c = '\"'; // 乙\n"
                   "int last; // one\n// 二");
    CHECK_INT(twins_orphan(noted), 0);
    CHECK_INT(twins_orphan("char *s = \"// a\";\n// zh: 孤儿\n"), 2);
    free(one);
    free(two);
    CHECK_INT(twins_orphan(source), 0);
    CHECK_INT(twins_orphan("int a;\n// zh: 孤儿\n"), 2);
    CHECK_INT(twins_orphan("// answer a: x\n// zh: 孤儿\n"), 2);
    /* text that sorts before // is code as well; half a mark is none */
    CHECK_INT(twins_orphan("#define N 1\n// zh: 孤儿\n"), 2);
    CHECK_INT(twins_orphan("/\n// zh: 孤儿\n"), 2);
    CHECK_INT(twins_orphan("\n\n  // zh: 孤儿\n"), 3);
    free(en);
    free(zh);
    /* all of a comment's paragraphs have their Chinese in the lines below; what the grader reads
     * stays */
    static const char paragraphs[] =
        "// one\n//\n\t//\r\n// two\n// zh: 一\n//zh:二\n// zh\n// zh:\n"
        "// file: a.cu\n// zh: 孤\n// answer x: y\n// answer\n// zh: 三\n";
    en = twins_in(paragraphs, LIB_EN), zh = twins_in(paragraphs, LIB_ZH);
    CHECK_STR(en, "// one\n//\n\t//\r\n// two\n// zh\n// zh:\n// file: a.cu\n"
                  "// answer x: y\n// answer\n");
    CHECK_STR(zh, "// 一\n// 二\n// zh\n// zh:\n// file: a.cu\n// 孤\n// answer x: y\n// 三\n");
    CHECK_INT(twins_orphan(paragraphs), 10);
    free(en);
    free(zh);
    en = twins_in("", LIB_EN);
    CHECK_STR(en, "");
    free(en);
}

static size_t split(const char *text, lib_part parts[LIB_PARTS], lib_message *m) {
    *m = (lib_message){0};
    return lib_parts_split(text, strlen(text), parts, m);
}

/* One text for several files. */
static void parts(void) {
    lib_part p[LIB_PARTS];
    lib_message m;
    CHECK(split("// a trap\n\n// file: main.cu\nint a;\n\n// file: k.h\r\nint b;", p, &m) == 2);
    CHECK_STR(p[0].name, "main.cu");
    CHECK(p[0].n == 8 && !memcmp(p[0].text, "int a;\n\n", 8));
    CHECK_STR(p[1].name, "k.h");
    CHECK(p[1].n == 6 && !memcmp(p[1].text, "int b;", 6));
    const char *const both[] = {"k.h", "main.cu"}, *const other[] = {"k.h", "main.cu", "x.cu"};
    CHECK(lib_parts_are(p, 2, both, 2, &m));
    CHECK(!lib_parts_are(p, 2, other, 3, &m));
    CHECK_CONTAINS(said(&m), "x.cu is missing");
    CHECK_CONTAINS(said_zh(&m), "x.cu");
    CHECK(!lib_parts_are(p, 2, both, 1, &m));
    CHECK_CONTAINS(said(&m), "main.cu is no file of this lab");
    CHECK(split("// file: empty.cu\n", p, &m) == 1 && p[0].n == 0);
    /* Hostile: a file that would be another, a path, no mark, text before it, too many, a long
     * name. */
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"// file: a.cu\n// file: a.cu\n", "twice"},
        {"// file: ../a.cu\n", "no name"},
        {"// file: /etc/passwd\n", "no name"},
        {"// file: -o.cu\n", "no name"},
        {"// file: A.cu\n", "no name"},
        {"// file: a.c\n", "no name"},
        {"int a;\n", "before each file"},
        {"int a;\n// file: a.cu\n", "before each file"},
        {"", "found no file"},
        {"// file: 1.h\n// file: 2.h\n// file: 3.h\n// file: 4.h\n// file: 5.h\n"
         "// file: 6.h\n// file: 7.h\n// file: 8.h\n// file: 9.h\n",
         "more than 8"},
        {"// file: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.cu\n",
         "no name"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(split(bad[i].text, p, &m) == 0);
        CHECK_CONTAINS(said(&m), bad[i].part);
        CHECK(m.id);
    }
    /* Not terminated: only n bytes are read. */
    CHECK(lib_parts_split("// file: a.cu\nxyz", 15, p, &m) == 1 && p[0].n == 1);
    lib_buffer b = {0};
    lib_parts_add(&b, "a.cu", "x", 1);
    lib_parts_add(&b, "b.h", "", 0);
    CHECK_STR(b.s, "// file: a.cu\nx\n// file: b.h\n");
    lib_buffer_free(&b);
}

/* A scratch folder whose maker died goes, one that is held stays; what lies beside them is somebody
 * else's. */
static void scratches(const char *parent) {
    lib_message msg;
    lib_scratch left = {0}, held = {0}, next = {0};
    char *other = lib_path_join(parent, "somebody's"), *mine = lib_path_join(other, "file");
    CHECK(lib_make_folders(other, &msg) && lib_write_file(mine, "x", 1, &msg));
    CHECK(lib_scratch_make(&left, parent, &msg) && lib_scratch_make(&held, parent, &msg));
    if (!held.path) return;
    CHECK(lib_is_folder(left.path) && lib_is_folder(held.path));
    /* What this process starts must not hold it longer than this process. */
    CHECK_INT(fcntl(held.lock, F_GETFD), FD_CLOEXEC);
    char *want = lib_path_join(parent, "scratch-XXXXXX");
    CHECK_INT(strlen(held.path), strlen(want));
    CHECK_INT(strncmp(held.path, want, strlen(want) - 6), 0);
    free(want);
    close(left.lock); /* as the kernel does when a process is killed */
    CHECK(lib_scratch_make(&next, parent, &msg));
    CHECK(!lib_is_folder(left.path));
    CHECK(lib_is_folder(held.path));
    CHECK(lib_is_file(mine));
    free(left.path);
    char *path = lib_strdup(held.path);
    int lock = held.lock;
    lib_scratch_remove(&held);
    CHECK(!lib_is_folder(path) && !held.path && held.lock == -1 && fcntl(lock, F_GETFD) < 0);
    lib_scratch_remove(&held); /* nothing to do */
    free(path);
    lib_scratch_remove(&next);
    /* A folder's place that a file has. */
    CHECK(!lib_scratch_make(&next, mine, &msg) && !next.path && next.lock == -1);
    free(other), free(mine);
}

/* Room is never less than what is asked for, what lay there stays, and an array too large for
 * memory leaves all as it was. */
static void growing(void) {
    uint32_t *at = NULL, *own = NULL;
    size_t room = 0, most = SIZE_MAX / 4;
    for (size_t n = 0; n < 100; n++) {
        bool grown = lib_grow(&at, &room, n, sizeof *at, 3) && lib_grow_one(&own, n, sizeof *own);
        CHECK(grown && room > n);
        if (!grown || !at || !own) return;
        at[n] = own[n] = (uint32_t)n;
    }
    if (!at || !own) return;
    CHECK(room == 192 && at[0] == 0 && at[99] == 99 && own[0] == 0 && own[64] == 64 &&
          own[99] == 99);
    uint32_t *before = at;
    CHECK(!lib_grow(&at, &most, most, sizeof *at, 1) && at == before && most == SIZE_MAX / 4 &&
          at[99] == 99);
    CHECK(!lib_grow_one(&at, (size_t)1 << 62, sizeof *at) && at == before);
    free(at);
    free(own);
}

/* As one says counts: in English one thing is no plural, in Chinese large numbers go by 万 and 亿. */
static void counts(void) {
    static const struct {
        double n;
        const char *said;
    } cases[] = {{0, "0 "},         {9999, "9999 "},       {10000, "1 万"}, {123456, "12.35 万"},
                 {3.2e6, "320 万"}, {99994999, "9999 万"}, {1e8, "1 亿"},   {1.25e8, "1.25 亿"},
                 {2e12, "20000 亿"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char buf[32];
        CHECK_STR(lib_wan(buf, cases[i].n), cases[i].said);
    }
    char text[40];
    SAY(text, "%d warp%s, %d warp%s", 1, LIB_S(1), 0, LIB_S(0));
    CHECK_STR(text, "1 warp, 0 warps");
}

/* Children end by themselves, late, or with Ctrl-C; one that ignores SIGTERM ends after the
 * grace. */
static void children(void) {
    static const struct {
        bool sleeps, deaf, cancelled;
        double limit;
        int code, signal;
    } rows[] = {{.code = 7},
                {.code = 3, .limit = 60},
                {.sleeps = true, .limit = 0.1, .signal = SIGTERM},
                {.sleeps = true, .cancelled = true, .signal = SIGTERM},
                {.sleeps = true, .deaf = true, .cancelled = true, .signal = SIGKILL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int ready[2], flag = rows[i].cancelled;
        char byte;
        CHECK(!pipe(ready));
        pid_t pid = fork();
        if (!pid) {
            setpgid(0, 0);
            if (rows[i].deaf) signal(SIGTERM, SIG_IGN);
            if (write(ready[1], "r", 1) != 1) _exit(99);
            if (rows[i].sleeps) sleep(60);
            _exit(rows[i].code);
        }
        CHECK(read(ready[0], &byte, 1) == 1);
        close(ready[0]), close(ready[1]);
        double begin = lib_now();
        int status = lib_child_wait(pid, i % 2, rows[i].sleeps ? &flag : NULL,
                                    rows[i].limit > 0 ? begin + rows[i].limit : 0);
        double took = lib_now() - begin;
        printf("# %zu: %.2f s\n", i, took);
        if (rows[i].sleeps) CHECK(WIFSIGNALED(status) && WTERMSIG(status) == rows[i].signal);
        else CHECK(WIFEXITED(status) && WEXITSTATUS(status) == rows[i].code);
        CHECK(took < 30 && (!rows[i].deaf || took >= LIB_GRACE));
        CHECK(waitpid(pid, NULL, WNOHANG) < 0);
    }
    CHECK_INT(lib_child_wait(getpid(), false, NULL, 0), -1);
}

int main(void) {
    children();
    counts();
    growing();
    twins();
    cores();
    parts();
    char state[] = "/tmp/warplab-base.XXXXXX";
    if (!mkdtemp(state)) return 1;
    setenv("XDG_STATE_HOME", state, 1);
    messages();
    buffers();
    failures(state);
    scratches(state);
    lib_remove_tree(state);
    static const char *const good[] = {"a.cu", "a.cuh", "a.h", "a-b_2.cuh"},
                             *const bad[] = {"a",      ".cu",     "a.c",   "A.cu",
                                             "a.cuh2", "../a.cu", "a b.h", ""};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) CHECK(lib_part_name_ok(good[k]));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) CHECK(!lib_part_name_ok(bad[k]));
    void *least = lib_malloc(0); /* there is always something to free */
    CHECK(least != NULL);
    free(least);
    return check_done();
}
