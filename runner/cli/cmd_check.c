/* `warplab check`: proves lessons; with --watch again after each save.
 *
 *   LAB, PACK or nothing --ids--> lab_prove()
 *   a save in labs/, kernels/, answers/ --inotify--> again */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/say.h"
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/build/build.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/pack.h"
#include "runner/prove/prove.h"
#include "runner/cli/cli.h"
#include "words/cli.h"

enum { CHECK_LABS = 512, CHECK_DEVICES = 16, SETTLE_MS = 60 };

typedef struct {
    const char *ids[CHECK_LABS];
    unsigned count;
} check_list;

/* Adds a lab, or all labs of a pack. Returns false after a message; *status is then its exit
 * status. */
static bool check_add(check_list *c, const char *typed, int *status) {
    lib_message msg = {0};
    char *folder = pack_folder(lib_lab_id_valid(typed) ? typed : "-");
    bool is_pack = lib_is_folder(folder);
    lab_pack *p = is_pack ? pack_read(folder, &msg) : NULL;
    char *id = is_pack ? NULL : cli_lab(typed, &msg);
    if (is_pack && !p) { /* names the pack.lua; of a linked pack the file that its author edits */
        char *place = realpath(folder, NULL);
        lib_message why = msg;
        lib_message_set(&msg, w_cli_check_in_pack(place ? place : folder, &why));
        free(place);
    }
    free(folder);
    for (size_t i = 0; p && i < p->lab_count && c->count < CHECK_LABS; i++)
        c->ids[c->count++] = lib_format("%s/%s", p->name, p->labs[i].id);
    if (id && c->count < CHECK_LABS) c->ids[c->count++] = id; /* never freed */
    bool ok = p || id;
    free(p);
    if (!ok) *status = cli_say(CLI_USAGE, &msg);
    return ok;
}

/* ---- --watch ---- */

static void watch_folder(int fd, const char *home, const char *name) {
    char *path = lib_path_join(home, name);
    (void)inotify_add_watch(fd, path, IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE);
    free(path);
}

static int watch_open(const char *root, const check_list *c) {
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    for (unsigned i = 0; fd >= 0 && i < c->count; i++) {
        const char *slash = strchr(c->ids[i], '/'), *name = slash ? slash + 1 : c->ids[i];
        char *pack = lib_format("%.*s", slash ? (int)(slash - c->ids[i]) : 0, c->ids[i]),
             *home = slash ? pack_folder(pack) : lib_strdup(root),
             *traps = lib_format("answers/traps/%s", name);
        watch_folder(fd, home, "labs");
        watch_folder(fd, home, "kernels");
        watch_folder(fd, home, "answers");
        watch_folder(fd, home, traps);
        free(traps);
        free(home);
        free(pack);
    }
    return fd;
}

/* Returns true once something was saved; false if the command was stopped. */
static bool watch_wait(int fd) {
    bool saved = false;
    while (!lib_cancel_flag) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int n = poll(&p, 1, saved ? SETTLE_MS : -1);
        if (n == 0) return true;
        if (n < 0 && errno != EINTR) return false;
        char buf[4096];
        while (n > 0 && read(fd, buf, sizeof buf) > 0) saved = true;
    }
    return false;
}

static void watch_head(void) {
    char at[16] = "";
    time_t now = time(NULL);
    struct tm tm;
    if (localtime_r(&now, &tm)) strftime(at, sizeof at, "%H:%M:%S", &tm);
    lib_print(stdout, "\n== %s\n", at);
    fflush(stdout);
}

/* Checks texts immediately, whatever else is asked for: that is what an author waits for. */
static int check_watch(prove_options *o, const char *root, const check_list *c) {
    int fd = watch_open(root, c);
    if (fd < 0) return cli_fail(CLI_ERROR, w_cli_check_watch(errno));
    do {
        watch_head();
        prove_options texts = *o;
        texts.texts = true;
        int bad = lab_prove(&texts);
        if (!bad && !o->texts && !lib_cancel_flag) lab_prove(o);
        fflush(stdout); /* also into a pipe, because the round is complete */
        o->again = false;
    } while (watch_wait(fd));
    close(fd);
    return CLI_PASSED;
}

/* ---- the command ---- */

typedef struct {
    const char *device, *jobs;
    bool watch;
} check_args;

/* Splits "sim:h200,sim:t4". Returns -1, or the exit status of a message. */
static int check_devices(char *list, const char **devices, unsigned *count) {
    char *save = NULL;
    for (char *d = list ? strtok_r(list, ",", &save) : NULL; d && *count < CHECK_DEVICES;
         d = strtok_r(NULL, ",", &save)) {
        if (!build_arch(d)) return cli_fail(CLI_USAGE, w_cli_check_unknown_device(d));
        devices[(*count)++] = d;
    }
    return -1;
}

static int check_run(const check_args *a, const prove_options *asked, int n, char **labs) {
    prove_options o = *asked;
    lib_message msg = {0};
    check_list c = {.count = 0};
    const char *devices[CHECK_DEVICES];
    int status = -1;
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) return cli_say(CLI_ERROR, &msg);
    for (int i = 0; i < n; i++)
        if (!check_add(&c, labs[i], &status)) return status;
    if (a->watch && !c.count) return cli_fail(CLI_USAGE, w_cli_check_watch_what());
    char *list = a->device ? lib_strdup(a->device) : NULL;
    status = check_devices(list, devices, &o.device_count);
    o.root = p->root;
    o.labs = c.ids;
    o.lab_count = c.count;
    o.devices = devices;
    if (status < 0 && a->watch) status = check_watch(&o, p->root, &c);
    if (status < 0) {
        int failures = lab_prove(&o);
        status = lib_cancel_flag ? CLI_ERROR : failures ? CLI_FAILED : CLI_PASSED;
    }
    free(list);
    return status;
}

int cmd_check(int argc, char **argv) {
    check_args a = {0};
    prove_options o = {0};
    const cli_option options[] = {
        {.name = "device", .value = &a.device},  {.name = "lang", .lang = &o.lang},
        {.name = "jobs", .value = &a.jobs},      {.name = "texts", .flag = &o.texts},
        {.name = "watch", .flag = &a.watch},     {.name = "again", .flag = &o.again},
        {.name = "verbose", .flag = &o.verbose}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (a.jobs) {
        char *end;
        unsigned long n = strtoul(a.jobs, &end, 10);
        if (*end || n < 1 || n > 64) return cli_fail(CLI_USAGE, w_cli_check_jobs(a.jobs));
        o.jobs = (unsigned)n;
    }
    return check_run(&a, &o, argc - 1, argv + 1);
}
