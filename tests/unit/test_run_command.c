/* dev_run_command() alone: what a tool is found by, what its folder holds and who sweeps it, what
 * it inherits, how much of its output is kept, each way it ends. Expected: sim_command's contract
 * (sim.h), environ(7), the shell's own words. What holds in the sandbox too is in
 * test_command.c. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/device/server/device.h"
#include "tests/check.h"
#include "tests/said.h"

enum { PATH_BYTES = 4096 }; /* of a path and its NUL (limits.h's PATH_MAX) */

static char folder[] = "/tmp/warplab-test-run.XXXXXX";
static char printed[64];
static lib_message msg;

static sim_command_end run(const char *const *argv, sim_command c) {
    c.argv = argv;
    if (!c.output) c.output = printed, c.output_max = sizeof printed - 1;
    if (!c.seconds) c.seconds = 60;
    tell(&msg, "of the one before", NULL);
    return dev_run_command(NULL, &c, &msg);
}
#define SH(command, script) run((const char *const[]){"/bin/sh", "-c", script, NULL}, command)
/* It ends well, prints this and says nothing else. */
#define PRINTS(command, script, want)                                                              \
    do {                                                                                           \
        CHECK_INT(SH(command, script), SIM_COMMAND_DONE);                                          \
        CHECK_STR(printed, want);                                                                  \
        CHECK_STR(said(&msg), "");                                                                 \
    } while (0)
static const sim_command plain;

static const char *in_folder(const char *name) {
    static char path[4][PATH_BYTES];
    static unsigned k;
    char *to = path[k++ % 4];
    snprintf(to, PATH_BYTES, "%s/%s", folder, name);
    return to;
}
static void put_tool(const char *name, mode_t mode) {
    char text[100];
    snprintf(text, sizeof text, "#!/bin/sh\necho %s\n", name);
    CHECK(lib_write_file(in_folder(name), text, strlen(text), NULL));
    CHECK_INT(chmod(in_folder(name), mode), 0);
}

/* As given where there is a slash; else on PATH, then in CUDA_HOME, CUDA_PATH. */
static void lookup(void) {
    static const char *const folders[] = {"a", "b", "home", "home/bin", "path", "path/bin"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        CHECK_INT(mkdir(in_folder(folders[i]), 0755), 0);
    put_tool("a/first", 0755), put_tool("b/first", 0755), put_tool("b/second", 0755);
    put_tool("a/second", 0644); /* no program */
    put_tool("home/bin/second", 0755), put_tool("home/bin/third", 0755);
    put_tool("path/bin/third", 0755), put_tool("path/bin/fourth", 0755);
    static const struct {
        const char *path, *home, *cuda; /* below the folder but for "" and "/..."; NULL: unset */
        const char *tool, *found;       /* NULL: missing */
    } rows[] = {
        {"a:b", NULL, NULL, "first", "a/first"},
        {"b:a", NULL, NULL, "first", "b/first"},
        {"a:b", NULL, NULL, "second", "b/second"},
        {"a", NULL, NULL, "second", NULL},
        {"::b:", NULL, NULL, "second", "b/second"}, /* an empty one is no folder */
        {"a::", NULL, NULL, "second", NULL},
        {"a", "home", "path", "second", "home/bin/second"},
        {"a", "home", "path", "third", "home/bin/third"},
        {"a", "home", "path", "fourth", "path/bin/fourth"},
        {"b", "home", "path", "second", "b/second"},
        {NULL, "home", NULL, "second", "home/bin/second"},
        {"a", "", "", "sh", NULL}, /* not /bin/sh */
        {"", "home", "", "third", "home/bin/third"},
        {"a", NULL, NULL, "b/second", "b/second"}, /* with its slash, from here */
        {"a:b", NULL, NULL, "a/second", NULL},
        {"a:b", NULL, NULL, "./first", NULL},
    };
    char here[PATH_BYTES];
    CHECK(getcwd(here, sizeof here) && !chdir(folder));
    char *old = strdup(getenv("PATH"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[400] = "", want[40] = "";
        for (const char *s = rows[i].path; s && *s;) {
            size_t n = strcspn(s, ":"), at = strlen(path);
            snprintf(path + at, sizeof path - at, "%s%s%.*s%s", n ? folder : "", n ? "/" : "",
                     (int)n, s, s[n] ? ":" : "");
            s += n + (s[n] == ':');
        }
        setenv("PATH", path, 1);
        if (!rows[i].path) unsetenv("PATH");
        const char *of[] = {rows[i].home, rows[i].cuda};
        for (int k = 0; k < 2; k++) {
            const char *name = k ? "CUDA_PATH" : "CUDA_HOME";
            if (of[k]) setenv(name, *of[k] ? in_folder(of[k]) : "", 1);
            else unsetenv(name);
        }
        snprintf(printed, sizeof printed, "of the one before");
        CHECK_INT(run((const char *const[]){rows[i].tool, NULL}, plain),
                  rows[i].found ? SIM_COMMAND_DONE : SIM_COMMAND_MISSING);
        if (rows[i].found) snprintf(want, sizeof want, "%s\n", rows[i].found);
        CHECK_STR(printed, want);
        CHECK_STR(said(&msg), "");
    }
    unsetenv("CUDA_HOME"), unsetenv("CUDA_PATH");
    /* As long as a path may be, and one more, which is not cut to /bin/sh. */
    for (int more = 0; more < 2; more++) {
        static char name[PATH_BYTES + 1], paths[PATH_BYTES + 1];
        const char *file = more ? "/bin/shx" : "/bin/sh", *dir = "/bin";
        size_t n = PATH_BYTES - 1 - strlen("/bin/sh");
        memset(name, '/', n), strcpy(name + n, file);
        memset(paths, '/', n), strcpy(paths + n, dir);
        sim_command_end want = more ? SIM_COMMAND_MISSING : SIM_COMMAND_DONE;
        CHECK_INT(run((const char *const[]){name, "-c", "true", NULL}, plain), want);
        setenv("PATH", paths, 1);
        CHECK_INT(run((const char *const[]){more ? "shx" : "sh", "-c", ":", NULL}, plain), want);
        paths[n] = 0; /* CUDA_HOME's own bin */
        setenv("CUDA_HOME", paths, 1), setenv("PATH", folder, 1);
        CHECK_INT(run((const char *const[]){more ? "shx" : "sh", "-c", ":", NULL}, plain), want);
        unsetenv("CUDA_HOME");
    }
    setenv("PATH", old, 1);
    free(old);
    CHECK_INT(chdir(here), 0);
}

/* Its input is read from the start, by all who open it; nothing else of this process is open
 * there. */
static void inherited(void) {
    PRINTS(((sim_command){.input = "twice\n", .input_len = 4}), "cat /dev/fd/0 /dev/fd/0 -",
           "twictwictwic");
    PRINTS(plain, "cat; echo end", "end\n"); /* none is an empty one */
    PRINTS(((sim_command){.input = "", .input_len = 0}), "cat; echo end", "end\n");
    int more[] = {open("/dev/null", O_RDONLY), fcntl(0, F_DUPFD, 40)};
    PRINTS(plain, "ls /proc/self/fd | tr '\\n' ' '", "0 1 2 3 "); /* 3: ls reads the folder */
    for (int k = 0; k < 2; k++) close(more[k]);
    /* A group of its own, which is what is killed. */
    PRINTS(plain, "read -r pid name state parent group rest </proc/$$/stat; echo $(($group - $$))",
           "0\n");
    /* Where this process has none of the three itself, they are put on their numbers all the
     * same. */
    for (int closed = 1; closed <= 3; closed++) {
        int kept[3];
        fflush(stdout);
        for (int k = 0; k < closed; k++) kept[k] = fcntl(k, F_DUPFD_CLOEXEC, 50), close(k);
        sim_command_end none = SH(plain, "cat; echo out; echo err >&2");
        char text[sizeof printed];
        snprintf(text, sizeof text, "%s", printed);
        sim_command_end some =
            SH(((sim_command){.input = "in\n", .input_len = 3}), "cat; echo out; echo err >&2");
        for (int k = 0; k < closed; k++) {
            CHECK_INT(fcntl(k, F_GETFD), -1); /* they are given back */
            if (kept[k] >= 0) dup2(kept[k], k), close(kept[k]);
        }
        CHECK_INT(none, SIM_COMMAND_DONE);
        CHECK_STR(text, "out\nerr\n");
        CHECK_INT(some, SIM_COMMAND_DONE);
        CHECK_STR(printed, "in\nout\nerr\n");
    }
}

/* So much of its output as there is room for, and a NUL; the rest is read and dropped. */
static void output(void) {
    enum { ROOM = 10 };
    static const struct {
        unsigned bytes, room;
    } rows[] = {{0, ROOM}, {9, ROOM}, {10, ROOM}, {11, ROOM}, {300000, ROOM}, {3, 1}, {3, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[100], got[ROOM + 2];
        memset(got, '#', sizeof got);
        snprintf(script, sizeof script, "head -c %u /dev/zero | tr '\\0' x", rows[i].bytes);
        sim_command c = {.output = got, .output_max = rows[i].room};
        CHECK_INT(SH(c, script), SIM_COMMAND_DONE);
        size_t kept = rows[i].bytes < rows[i].room ? rows[i].bytes : rows[i].room;
        CHECK_INT(strspn(got, "x"), kept);
        CHECK_INT(got[kept], 0);
        CHECK_INT(got[rows[i].room + 1], '#');
    }
    /* In pieces, one behind the other. */
    PRINTS(plain, "printf ab; sleep 0.05; printf cd >&2; sleep 0.05; printf ef", "abcdef");
    const sim_command deaf = {.argv = (const char *const[]){"/bin/sh", "-c", "echo x", NULL},
                              .seconds = 60};
    CHECK_INT(dev_run_command(NULL, &deaf, &msg), SIM_COMMAND_DONE);
}

static char seen[PATH_BYTES];
static unsigned looks;
static bool look(void *user, const char *where) {
    snprintf(seen, sizeof seen, "%s", where);
    looks++;
    return *(bool *)user;
}

/* Each way to end; only what ended well is looked at. */
static void ends(void) {
    bool good = true, bad = false;
    static const struct {
        const char *script;
        sim_command_end end;
    } rows[] = {{"exit 0", SIM_COMMAND_DONE},
                {"exit 1", SIM_COMMAND_FAILED},
                {"exit 128", SIM_COMMAND_FAILED},
                {"kill -KILL $$", SIM_COMMAND_FAILED},
                {"exec >&- 2>&-; sleep 0.1; exit 0", SIM_COMMAND_DONE},
                {"exec >&- 2>&-; sleep 0.1; exit 2", SIM_COMMAND_FAILED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool done = rows[i].end == SIM_COMMAND_DONE;
        looks = 0;
        CHECK_INT(SH(((sim_command){.made = look, .user = &good}), rows[i].script), rows[i].end);
        CHECK_INT(looks, done);
        CHECK_INT(SH(((sim_command){.made = look, .user = &bad}), rows[i].script),
                  SIM_COMMAND_FAILED);
        CHECK_INT(looks, 2 * done);
        CHECK_STR(said(&msg), "");
    }
    CHECK_STR(seen, ""); /* there was no folder */
    char want[200];
    CHECK(lib_write_file(in_folder("text"), "\177ELF", 4, NULL) && !chmod(in_folder("text"), 0755));
    CHECK_INT(run((const char *const[]){in_folder("text"), NULL}, plain), SIM_COMMAND_BROKEN);
    snprintf(want, sizeof want, "could not run %s: Exec format error", in_folder("text"));
    CHECK_STR(said(&msg), want);
    snprintf(want, sizeof want, "无法运行 %s：", in_folder("text"));
    CHECK_INT(strncmp(said_zh(&msg), want, strlen(want)), 0);
}

static volatile int stop;
/* From beside: a signal would end the wait for output, too. */
static void *stop_soon(void *unused) {
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    stop = 1;
    return unused;
}

/* Whether nobody else holds the pipe open for writing any more, soon. */
static bool left_alone(int fd, const char *fifo) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    close(open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)); /* somebody did once */
    return poll(&p, 1, 5000) == 1 && p.revents & POLLHUP;
}

/* Its limits are on it, soft and hard; when they or the caller end it, what it started ends too. */
static void limits(void) {
    /* They are set just behind its start. */
    static const char wait[] =
        "until test $(ulimit -St) != unlimited; do sleep 0.01; done; sleep 0.05;"
        "echo $(ulimit -St) $(ulimit -Ht) $(ulimit -Sv) $(ulimit -Hv)";
    PRINTS(((sim_command){.seconds = 77}), wait, "77 77 unlimited unlimited\n");
    /* ulimit counts KB */
    PRINTS(((sim_command){.seconds = 78, .memory_bytes = (uint64_t)3 << 30}), wait,
           "78 78 3145728 3145728\n");
    char script[300];
    const char *fifo = in_folder("fifo");
    CHECK_INT(mkfifo(fifo, 0600), 0);
    static const struct {
        const char *before;
        unsigned seconds;
        bool stopped;
        sim_command_end end;
    } rows[] = {{"", 1, false, SIM_COMMAND_LATE},
                {"exec >&- 2>&-;", 1, false, SIM_COMMAND_LATE}, /* nobody holds the output */
                {"", 30, true, SIM_COMMAND_STOPPED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        snprintf(script, sizeof script, "printf said; %s sleep 300 >%s & %s sleep 300 >>%s",
                 rows[i].before, fifo, rows[i].before, fifo);
        stop = 0, looks = 0;
        pthread_t beside;
        if (rows[i].stopped) CHECK_INT(pthread_create(&beside, NULL, stop_soon, NULL), 0);
        double begin = lib_now();
        CHECK_INT(
            SH(((sim_command){.seconds = rows[i].seconds, .cancel = &stop, .made = look}), script),
            rows[i].end);
        double took = lib_now() - begin;
        if (rows[i].stopped) pthread_join(beside, NULL);
        CHECK(took >= (rows[i].stopped ? 0.25 : 0.99) && took < 15);
        /* nothing, where the machine was too busy to begin it in time */
        CHECK(!*printed || !strcmp(printed, "said"));
        CHECK_STR(said(&msg), "");
        CHECK_INT(looks, 0);
        CHECK(left_alone(fd, fifo));
        close(fd);
    }
}

/* Its files, its place, and its temporary ones. */
static void files(const char *tmp) {
    bool good = true;
    setenv("TMPDIR", tmp, 1);
    const sim_command_file two[] = {{"a/b/in", "x\0y", 3}, {"top", "", 0}},
                           twice[] = {{"in", "x", 1}, {"in", "y", 1}};
    sim_command c = {.files = two, .file_count = 2, .made = look, .user = &good};
    PRINTS(c,
           "stat -c %a . a/b/in top | "
           "tr '\\n' ' '; tr '\\0' 0 <a/b/in; cat top",
           "700 600 600 x0y");
    char want[PATH_BYTES + 40];
    snprintf(want, sizeof want, "%s/warplab-command-", tmp);
    CHECK_INT(strncmp(seen, want, strlen(want)), 0);
    CHECK_INT(strlen(seen), strlen(want) + strlen("XXXXXX"));
    static char where[200];
    c.output = where, c.output_max = sizeof where - 1;
    CHECK_INT(SH(c, "echo $TMPDIR; pwd"), SIM_COMMAND_DONE);
    snprintf(want, sizeof want, "%s\n%s\n", seen, seen);
    CHECK_STR(where, want);
    /* All other variables are this process's, and all of them are. */
    setenv("TMPDIRS", "a", 1), setenv("TMPDI", "b", 1), setenv("XTMPDIR", "c", 1);
    PRINTS(((sim_command){.files = two}),
           "echo $TMPDIRS $TMPDI $XTMPDIR; tr '\\0' '\\n' "
           "</proc/$$/environ | grep -c ^TMPDIR=; ls -A",
           "a b c\n1\n");
    unsetenv("TMPDIRS"), unsetenv("TMPDI"), unsetenv("XTMPDIR");
    c = (sim_command){.output = where, .output_max = sizeof where - 1};
    CHECK_INT(SH(c, "echo $TMPDIR"), SIM_COMMAND_DONE); /* no folder: it has none of its own */
    snprintf(want, sizeof want, "%s\n", tmp);
    CHECK_STR(where, want);
    /* A file of one's own is not written to. */
    CHECK_INT(SH(((sim_command){.files = twice, .file_count = 2}), ":"), SIM_COMMAND_BROKEN);
    CHECK_STR(said(&msg), "could not start /bin/sh: File exists");
    CHECK_INT(strncmp(said_zh(&msg), "无法启动 /bin/sh：", strlen("无法启动 /bin/sh：")), 0);
    setenv("TMPDIR", in_folder("none"), 1);
    CHECK_INT(SH(((sim_command){.files = two}), ":"), SIM_COMMAND_BROKEN);
    CHECK_STR(said(&msg), "could not start /bin/sh: No such file or directory");
    /* The folder's own path is "/warplab-command-XXXXXX" longer. */
    for (int more = 0; more < 2; more++) {
        static char deep[PATH_BYTES];
        size_t n = PATH_BYTES - 1 - strlen("/warplab-command-XXXXXX") + more, at = strlen(tmp);
        memset(deep, '/', n), memcpy(deep, tmp, at), deep[n] = 0;
        setenv("TMPDIR", deep, 1);
        CHECK_INT(SH(((sim_command){.files = two, .made = look, .user = &good}), ":"),
                  more ? SIM_COMMAND_BROKEN : SIM_COMMAND_DONE);
        if (!more) CHECK_INT(strlen(seen), PATH_BYTES - 1);
    }
    static const char *const others[] = {"relative", "", NULL};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i]) setenv("TMPDIR", others[i], 1);
        else unsetenv("TMPDIR");
        CHECK_INT(SH(((sim_command){.files = two, .made = look, .user = &good}), ":"),
                  SIM_COMMAND_DONE);
        CHECK_INT(strncmp(seen, "/tmp/warplab-command-", 21), 0);
        CHECK_INT(strlen(seen), 21 + 6);
    }
}

/* What lay there for an hour is swept, be it ours, a folder, and named so. */
static void sweep(const char *tmp) {
    static const struct {
        const char *name;
        bool file, stays;
        int age_s;
    } rows[] = {
        {"warplab-command-old", false, false, 3600},  {"warplab-command-", false, false, 100000},
        {"warplab-command-young", false, true, 3500}, {"warplab-command-file", true, true, 100000},
        {"warplab-commandX", false, true, 100000},    {"warplab", false, true, 100000}};
    enum { ROWS = sizeof rows / sizeof *rows };
    char path[ROWS][200], link[200], others[200];
    bool root = !geteuid();
    snprintf(link, sizeof link, "%s/warplab-command-link", tmp);
    snprintf(others, sizeof others, "%s/warplab-command-others", tmp);
    for (size_t i = 0; i < ROWS; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", tmp, rows[i].name);
        CHECK_INT(rows[i].file ? mknod(path[i], S_IFREG | 0600, 0) : mkdir(path[i], 0700), 0);
    }
    CHECK_INT(symlink(path[5], link), 0); /* to a folder */
    CHECK_INT(mkdir(others, 0700), 0);
    if (root) CHECK_INT(chown(others, 65534, 65534), 0);
    time_t now = time(NULL);
    for (size_t i = 0; i < ROWS; i++) {
        const struct timespec at[2] = {{.tv_sec = now}, {.tv_sec = now - rows[i].age_s}};
        CHECK_INT(utimensat(AT_FDCWD, path[i], at, 0), 0);
    }
    const struct timespec past[2] = {{.tv_sec = now}, {.tv_sec = now - 100000}};
    CHECK_INT(utimensat(AT_FDCWD, link, past, AT_SYMLINK_NOFOLLOW), 0);
    CHECK_INT(utimensat(AT_FDCWD, others, past, 0), 0);
    setenv("TMPDIR", tmp, 1);
    const sim_command_file none = {0};
    CHECK_INT(SH(((sim_command){.files = &none}), ":"), SIM_COMMAND_DONE);
    struct stat st;
    for (size_t i = 0; i < ROWS; i++) CHECK_INT(!lstat(path[i], &st), rows[i].stays);
    CHECK_INT(lstat(link, &st), 0);
    CHECK_INT(!lstat(others, &st), root);
    unsetenv("TMPDIR");
}

static unsigned entries(const char *path) {
    unsigned n = 0;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

int main(void) {
    if (!CHECK(mkdtemp(folder) != NULL)) return check_done();
    char tmp[100], swept[100];
    snprintf(tmp, sizeof tmp, "%s/tmp", folder);
    snprintf(swept, sizeof swept, "%s/swept", folder);
    CHECK(!mkdir(tmp, 0700) && !mkdir(swept, 0700));
    unsigned open_before = entries("/proc/self/fd");
    lookup();
    inherited();
    output();
    ends();
    limits();
    files(tmp);
    CHECK_INT(entries(tmp), 0); /* nothing is left of any: no folder, no descriptor, no child */
    sweep(swept);
    CHECK_INT(entries("/proc/self/fd"), open_before);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    lib_remove_tree(folder);
    return check_done();
}
