/* Runs a CUDA program on a device, and says on stderr what the device found: the smallest host of
 * the device server.
 *
 *   host [-d DEVICE] [-t SECONDS] [-l LIBRARY] [-q] [-v] [-c] PROGRAM [ARG...]
 *
 * -q leaves findings out, -v tells what was done when and what each launch counted, -c turns on the
 * checks that are off unless asked for. Exit status: the program's, 128 + its signal, or 125 when it
 * could not be run. */
#include "runner/base/message.h"
#include "runner/device/server/device.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/said.h"

char *__cxa_demangle(const char *name, char *buffer, size_t *n, int *status); /* libstdc++ */
static char *demangle(const char *s) {
    int status;
    char *d = __cxa_demangle(s, NULL, NULL, &status);
    return d ? d : strdup(s);
}

/* Those that counted anything, and the time to its last digit. */
static void print_counters(const sim_result *r) {
    fprintf(stderr, "    time_us %.17g", r->time_us);
    for (size_t i = 0; i < sim_counter_count(); i++) {
        const sim_counter_info *c = sim_counter_at(i);
        double value;
        if (sim_counter_get(&r->counters, c->name, &value) && value)
            fprintf(stderr, " %s %.17g", c->name, value);
    }
    fputc('\n', stderr);
}

int main(int argc, char **argv) {
    dev_options o;
    lib_message msg;
    double timeout = 60;
    const char *library = NULL;
    int opt, quiet = 0, verbose = 0;
    dev_options_default(&o);
    o.demangle = demangle;
    while ((opt = getopt(argc, argv, "+d:t:l:qvc")) != -1) {
        if (opt == 'd') o.device = optarg;
        if (opt == 't') timeout = atof(optarg);
        if (opt == 'l') library = optarg;
        if (opt == 'q') quiet = 1;
        if (opt == 'v') verbose = 1;
        if (opt == 'c') o.sim.check_race_global = true;
        if (opt == '?') return 125;
    }
    if (optind >= argc) {
        fprintf(stderr, "usage: host [-d DEVICE] [-t SECONDS] [-l LIBRARY FOLDER] [-q] [-v] [-c] "
                        "PROGRAM [ARG...]\n");
        return 125;
    }
    dev_session *s = dev_session_new(&o, &msg);
    if (!s) {
        fprintf(stderr, "host: %s\n", said(&msg));
        return 125;
    }
    int pair[2], status = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        perror("host: socketpair");
        return 125;
    }
    pid_t pid = fork();
    if (pid < 0) {
        perror("host: fork");
        return 125;
    }
    if (!pid) {
        char number[16];
        int fd = dup(pair[1]); /* without close-on-exec */
        snprintf(number, sizeof number, "%d", fd);
        setenv("WARPLAB_FD", number, 1);
        if (library) setenv("LD_LIBRARY_PATH", library, 1);
        execv(argv[optind], argv + optind);
        fprintf(stderr, "host: %s: %s\n", argv[optind], strerror(errno));
        _exit(125);
    }
    close(pair[1]);
    dev_client *c = dev_client_new(s, pair[0], &msg);
    if (c) dev_client_program(c, argv[optind]);
    dev_event e = c ? dev_client_run(c, timeout, &msg) : DEV_PROTOCOL;
    if (e == DEV_READY) dev_client_finish(c), e = dev_client_run(c, timeout, &msg);
    if (e == DEV_TIMEOUT) fprintf(stderr, "host: ended after %g s\n", timeout);
    if (e == DEV_PROTOCOL) fprintf(stderr, "host: %s\n", said(&msg));
    if (e != DEV_CLOSED) kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    if (c && verbose) {
        const dev_record *r;
        size_t n = dev_client_log(c, &r);
        static const char *const ops[] = {"launch", "h2d",  "d2h",  "d2d",  "memset",
                                          "malloc", "free", "sync", "host", "graph"};
        for (size_t i = 0; i < n; i++) {
            fprintf(stderr, "%10.2f %10.2f stream %u %-6s %s %llu\n", r[i].start_us, r[i].end_us,
                    r[i].stream, ops[r[i].op], r[i].kernel, (unsigned long long)r[i].bytes);
            if (r[i].op == DEV_OP_LAUNCH && r[i].result) print_counters(r[i].result);
        }
        fprintf(stderr, "busy %.2f us, elapsed %.2f us\n", dev_client_busy_us(c),
                dev_client_elapsed_us(c));
    }
    if (c && !quiet) {
        const sim_finding *f;
        const lib_message *const *lines;
        char line[1024];
        size_t n = dev_client_findings(c, &f);
        for (size_t i = 0; i < n; i++)
            fprintf(stderr, "finding: %s: %s (%llu)\n", sim_finding_name(f[i].kind),
                    lib_message_text(line, sizeof line, LIB_EN, &f[i].said),
                    (unsigned long long)f[i].count);
        n = dev_client_unsupported(c, &lines);
        for (size_t i = 0; i < n; i++)
            fprintf(stderr, "unsupported: %s\n",
                    lib_message_text(line, sizeof line, LIB_EN, lines[i]));
    }
    dev_client_free(c);
    dev_session_free(s);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
