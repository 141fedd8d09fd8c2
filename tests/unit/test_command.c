/* The runner of commands that the simulated device is given: input, folder, output, limits, cancelling; nothing is left. */
#include "tests/check.h"
#include "runner/base/clock.h"
#include "runner/device/device.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char printed[64];

static sim_command_end run(const char *const *argv, sim_command c, lib_message *msg) {
    c.argv = argv;
    c.output = printed;
    c.output_max = sizeof printed - 1;
    if (!c.seconds) c.seconds = 60;
    return dev_run_command(NULL, &c, msg);
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
    CHECK_CONTAINS(printed, seen); /* its temporary files lie there too */
    CHECK_INT(entries(tmp), 0);
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

static void test_missing(void) {
    lib_message msg;
    CHECK_INT(RUN(&msg, (sim_command){0}, "/nonexistent/tool"), SIM_COMMAND_MISSING);
    CHECK_INT(RUN(&msg, (sim_command){0}, "no-such-tool-of-warplab"), SIM_COMMAND_MISSING);
    char text[] = "/tmp/warplab-test-XXXXXX"; /* may be executed, but is no program */
    int fd = mkstemp(text);
    CHECK(fd >= 0 && write(fd, "\177ELF", 4) == 4 && !fchmod(fd, 0700));
    close(fd);
    CHECK_INT(RUN(&msg, (sim_command){0}, text), SIM_COMMAND_BROKEN);
    CHECK_CONTAINS(msg.text, text);
    unlink(text);
}

int main(void) {
    test_input_and_output();
    test_folder();
    test_limits();
    test_missing();
    return check_done();
}
