/* The runners of commands that the simulated device is given, with and without a sandbox: input,
 * folder, output, limits, cancelling; nothing is left. */
#include "tests/check.h"
#include "tests/said.h"
#include "runner/base/clock.h"
#include "runner/device/server/device.h"
#include "runner/grade/command.h"
#include "runner/sandbox/sandbox.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char printed[64];
static sim_run_command *runner;
static bool sandboxed(void) {
    return runner == grading_command;
}

static sim_command_end run(const char *const *argv, sim_command c, lib_message *msg) {
    c.argv = argv;
    c.output = printed;
    c.output_max = sizeof printed - 1;
    if (!c.seconds) c.seconds = 60;
    return runner(NULL, &c, msg);
}
#define RUN(msg, command, ...) run((const char *const[]){__VA_ARGS__, NULL}, command, msg)

static bool look(void *user, const char *folder) {
    snprintf(user, 4096, "%s", folder);
    char path[4200];
    snprintf(path, sizeof path, "%s/a/made", folder);
    return access(path, R_OK) == 0;
}

static unsigned entries(const char *path) {
    unsigned n = 0;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static void test_input_and_output(void) {
    lib_message msg;
    CHECK_INT(RUN(&msg, ((sim_command){.input = "twice\n", .input_len = 6}), "cat", "/dev/fd/0",
                  "/dev/fd/0"),
              SIM_COMMAND_DONE); /* it can be opened anew, from its start */
    CHECK_STR(printed, "twice\ntwice\n");
    CHECK_INT(RUN(&msg, (sim_command){0}, "cat"), SIM_COMMAND_DONE); /* no input: empty */
    CHECK_STR(printed, "");
    CHECK_INT(RUN(&msg, (sim_command){0}, "sh", "-c", "echo out; echo err >&2; exit 3"),
              SIM_COMMAND_FAILED);
    CHECK_STR(printed, "out\nerr\n");
    CHECK_INT(RUN(&msg, (sim_command){0}, "sh", "-c", "yes | head -c 1000000"), SIM_COMMAND_DONE);
    CHECK_INT(strlen(printed), sizeof printed - 1); /* the rest is dropped */
}

static void test_folder(void) {
    char tmp[] = "/tmp/warplab-test-XXXXXX", seen[4096] = "";
    lib_message msg;
    CHECK(mkdtemp(tmp) != NULL);
    setenv("TMPDIR", tmp, 1);
    const sim_command_file files[] = {{"a/in", "hello", 5}};
    sim_command c = {.files = files, .file_count = 1, .made = look, .user = seen};
    CHECK_INT(RUN(&msg, c, "sh", "-c", "cat a/in; cp a/in a/made; echo $TMPDIR"), SIM_COMMAND_DONE);
    CHECK_INT(strncmp(seen, tmp, strlen(tmp)), 0);
    CHECK_CONTAINS(printed, "hello");
    if (!sandboxed()) CHECK_CONTAINS(printed, seen); /* its temporary files lie there too */
    CHECK_INT(entries(tmp), 0);
    if (!sandboxed()) { /* its folder takes the name's place; names that begin alike stay */
        setenv("TMPDIRS", "a", 1), setenv("TMPDI", "b", 1), setenv("TMPDIr", "c", 1);
        CHECK_INT(RUN(&msg, c, "sh", "-c",
                      "cp a/in a/made; tr '\\0' '\\n' </proc/$$/environ | grep -i ^TMPDI | "
                      "sed 's/=.*//' | LC_ALL=C sort | tr '\\n' ,"),
                  SIM_COMMAND_DONE);
        CHECK_STR(printed, "TMPDI,TMPDIR,TMPDIRS,TMPDIr,");
        unsetenv("TMPDIRS"), unsetenv("TMPDI"), unsetenv("TMPDIr");
    }
    CHECK_INT(RUN(&msg, c, "true"), SIM_COMMAND_FAILED); /* nothing was made */
    CHECK_INT(entries(tmp), 0);
    unsetenv("TMPDIR");
    CHECK_INT(rmdir(tmp), 0);
}

static void test_limits(void) {
    lib_message msg;
    double start = lib_now();
    CHECK_INT(RUN(&msg, (sim_command){.seconds = 1}, "sh", "-c", "sleep 600 & sleep 600"),
              SIM_COMMAND_LATE);
    CHECK_INT(RUN(&msg, (sim_command){.seconds = 1}, "sh", "-c", "exec >&- 2>&-; sleep 600"),
              SIM_COMMAND_LATE); /* also when it has closed what is waited for */
    const volatile int now = 1;
    CHECK_INT(RUN(&msg, (sim_command){.cancel = &now}, "sleep", "600"), SIM_COMMAND_STOPPED);
    CHECK(lib_now() - start < 300);
    /* a tool that wants more address space than it has fails by itself */
    CHECK_INT(RUN(&msg, (sim_command){.memory_bytes = 64 << 20}, "sh", "-c",
                  "sleep 0.2; exec head -c 200000000 /dev/zero | tail -c 199999999 >/dev/null"),
              SIM_COMMAND_FAILED);
}

/* In the sandbox 64 words at most, the name among them. */
static void test_words(void) {
    lib_message msg = {0};
    const char *argv[66] = {"true"};
    for (int n = 62; n < 66; n++) {
        for (int k = 1; k < 66; k++) argv[k] = k < n ? "x" : NULL;
        sim_command_end want = n <= 64 || !sandboxed() ? SIM_COMMAND_DONE : SIM_COMMAND_BROKEN;
        CHECK_INT(run(argv, (sim_command){0}, &msg), want);
        if (want == SIM_COMMAND_BROKEN) CHECK_CONTAINS(said(&msg), "too many arguments");
    }
}

static void test_missing(void) {
    lib_message msg;
    snprintf(printed, sizeof printed, "of the command before");
    CHECK_INT(RUN(&msg, (sim_command){0}, "/nonexistent/tool"), SIM_COMMAND_MISSING);
    CHECK_STR(printed, "");
    CHECK_INT(RUN(&msg, (sim_command){0}, "no-such-tool-of-warplab"), SIM_COMMAND_MISSING);
    char text[] = "/tmp/warplab-test-XXXXXX"; /* may be executed, but is no program */
    int fd = mkstemp(text);
    CHECK(fd >= 0 && write(fd, "\177ELF", 4) == 4 && !fchmod(fd, 0700));
    close(fd);
    sim_command_end end = RUN(&msg, (sim_command){0}, text);
    /* In the sandbox the file is not there at all, and warplab-init says so. */
    CHECK_INT(end, SIM_COMMAND_BROKEN);
    CHECK_CONTAINS(said(&msg), sandboxed() ? "warplab-init" : text);
    unlink(text);
}

/* What a hole in a tool would show: the machine's files, its network, what is left running. */
static void test_closed(void) {
    lib_message msg;
    char folder[] = "/tmp/warplab-test-XXXXXX", script[400];
    CHECK(mkdtemp(folder) != NULL);
    CHECK_INT(RUN(&msg, (sim_command){0}, "cat", "/etc/passwd"), SIM_COMMAND_FAILED);
    CHECK_INT(RUN(&msg, (sim_command){0}, "ls", folder), SIM_COMMAND_FAILED);
    CHECK_INT(RUN(&msg, (sim_command){0}, "sh", "-c", "id -u"), SIM_COMMAND_DONE);
    CHECK_STR(printed, "65534\n");
    snprintf(script, sizeof script, "(setsid sh -c 'sleep 0.3; touch %s/left' &); exit 0", folder);
    CHECK_INT(RUN(&msg, (sim_command){0}, "sh", "-c", script), SIM_COMMAND_DONE);
    usleep(600000);
    CHECK_INT(rmdir(folder), 0);
}

/* What was made is there, and the folder is as it was made: not for everyone to write in. */
static bool has_code(void *user, const char *folder) {
    char path[4200];
    struct stat st;
    (void)user;
    CHECK(!stat(folder, &st) && !(st.st_mode & S_IWOTH));
    snprintf(path, sizeof path, "%s/code.so", folder);
    return access(path, R_OK) == 0;
}

/* As hot kernels are compiled: a tool of several processes that writes into its folder. */
static void test_compiler(void) {
    lib_message msg;
    const sim_command_file files[] = {
        {"code.c", "#include \"inc/one.h\"\nint f(void) { return ONE; }\n", 49},
        {"inc/one.h", "#define ONE 1\n", 14}};
    sim_command c = {
        .files = files, .file_count = 2, .memory_bytes = (uint64_t)8 << 30, .made = has_code};
    CHECK_INT(RUN(&msg, c, "cc", "-O3", "-march=native", "-fPIC", "-shared", "-nostdlib", "-I.",
                  "-o", "code.so", "code.c"),
              SIM_COMMAND_DONE);
    CHECK_STR(printed, "");
}

/* The command prints the time: the same twice means that it did not run again. */
static const char *said_to(const char *input) {
    static char text[2][sizeof printed];
    static int k;
    lib_message msg;
    CHECK_INT(RUN(&msg, ((sim_command){.input = input, .input_len = strlen(input)}), "sh", "-c",
                  "cat; date +%s.%N"),
              SIM_COMMAND_DONE);
    return strcpy(text[k ^= 1], printed);
}

static void test_kept(const char *cache) {
    char spoil[400], first[sizeof printed];
    strcpy(first, said_to("one "));
    CHECK(!strncmp(first, "one 1", 5)); /* seconds since 1970 */
    CHECK_STR(said_to("one "), first);
    CHECK(!strncmp(said_to("two "), "two 1", 5));
    CHECK_STR(said_to("one "), first);
    /* Half of it, as after a power cut; then nothing of it. */
    snprintf(spoil, sizeof spoil, "for f in %s/warplab/said/*/*; do truncate -s 70 $f; done",
             cache);
    CHECK_INT(system(spoil), 0);
    CHECK(strcmp(said_to("one "), first) != 0);
    strcpy(first, printed);
    CHECK_STR(said_to("one "), first);
    snprintf(spoil, sizeof spoil, "for f in %s/warplab/said/*/*; do : >$f; done", cache);
    CHECK_INT(system(spoil), 0);
    CHECK(strcmp(said_to("one "), first) != 0);
    /* What ended badly is not kept. */
    lib_message msg;
    sim_command c = {.input = "x", .input_len = 1};
    char count[400];
    snprintf(count, sizeof count, "test $(find %s/warplab/said -type f | wc -l) = 2", cache);
    CHECK_INT(RUN(&msg, c, "sh", "-c", "exit 3"), SIM_COMMAND_FAILED);
    CHECK_INT(system(count), 0);
}

static void test_all(sim_run_command *with) {
    runner = with;
    test_input_and_output();
    test_folder();
    test_limits();
    test_words();
    test_missing();
    test_compiler();
    if (sandboxed()) test_closed();
}

int main(void) {
    char cache[] = "/tmp/warplab-test-XXXXXX", clean[64];
    if (!mkdtemp(cache) || setenv("XDG_CACHE_HOME", cache, 1)) return 1;
    test_all(dev_run_command);
    if (sandbox_get()->works) {
        runner = grading_command;
        test_kept(cache);
        test_all(grading_command);
    } else {
        printf("skip commands in the sandbox: ");
        lib_words_print(stdout, LIB_EN, lib_message_words(&sandbox_get()->why_not));
        puts("");
    }
    snprintf(clean, sizeof clean, "rm -rf %s", cache);
    return system(clean) ? 1 : check_done();
}
