/* The default command runner of the simulated device: runs a command as a process group of its own,
 * without a shell, on this machine.
 *
 *   sim_command --look up, folder, input--> posix_spawn --output, until it ends or must--> status
 *
 * The input is an anonymous file that the child inherits, so a PTX text is never written to disk
 * and two inputs never mix. The child has no other open files. If it outlasts its time, it is
 * killed together with its children. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/clock.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/device/server/device.h"
#include "words/server.h"

extern char **environ;

enum {
    LOOK_MS = 20,      /* between checks of the cancel flag */
    STALE_S = 3600,    /* a folder of this age was left by a process that was killed */
    FIRST_FREE_FD = 16 /* above the numbers that the child's descriptors get */
};
#define FOLDER_PREFIX "warplab-command-"

typedef struct {
    const sim_command *c;
    lib_message *msg;
    char path[4096], folder[4096]; /* folder: "": none */
    int in, out[2];                /* the input; the pipe of the output. -1: not open */
    pid_t pid;
} tool_command;

/* ---- the tool ---- */

/* Finds a path to run: as given, on PATH, or in the usual folders of the CUDA toolkit. */
static bool command_tool(const char *name, char *buf, size_t n) {
    if (strchr(name, '/')) return snprintf(buf, n, "%s", name) < (int)n && access(buf, X_OK) == 0;
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t len = strcspn(path, ":");
        if (len && snprintf(buf, n, "%.*s/%s", (int)len, path, name) < (int)n &&
            access(buf, X_OK) == 0)
            return true;
        path += len + (path[len] == ':');
    }
    const char *roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    for (unsigned i = 0; i < sizeof roots / sizeof *roots; i++)
        if (roots[i] && *roots[i] && snprintf(buf, n, "%s/bin/%s", roots[i], name) < (int)n &&
            access(buf, X_OK) == 0)
            return true;
    return false;
}

/* ---- the folder ---- */

/* Removes what killed processes left in `tmp`. */
static void sweep_folders(const char *tmp) {
    DIR *d = opendir(tmp);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        char path[4096 + sizeof e->d_name];
        if (strncmp(e->d_name, FOLDER_PREFIX, sizeof FOLDER_PREFIX - 1) ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode) ||
            st.st_uid != geteuid() || st.st_mtime > time(NULL) - STALE_S)
            continue;
        snprintf(path, sizeof path, "%s/%s", tmp, e->d_name);
        lib_remove_tree(path);
    }
    if (d) closedir(d);
}

static bool put_file(const char *folder, const sim_command_file *file) {
    char path[4200];
    if (snprintf(path, sizeof path, "%s/%s", folder, file->name) >= (int)sizeof path) return false;
    char *slash = strrchr(path, '/');
    *slash = 0;
    if (!lib_make_folders(path, NULL)) return false;
    *slash = '/';
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool good = lib_write_all(fd, file->bytes, file->len);
    return !close(fd) && good;
}

static bool make_folder(tool_command *x) {
    const char *tmp = getenv("TMPDIR");
    if (!tmp || *tmp != '/') tmp = "/tmp";
    sweep_folders(tmp);
    if (snprintf(x->folder, sizeof x->folder, "%s/" FOLDER_PREFIX "XXXXXX", tmp) >=
            (int)sizeof x->folder ||
        !mkdtemp(x->folder)) {
        x->folder[0] = 0;
        return false;
    }
    for (size_t k = 0; k < x->c->file_count; k++)
        if (!put_file(x->folder, &x->c->files[k])) return false;
    return true;
}

/* ---- the process ---- */

static bool open_input(tool_command *x) {
    if (!x->c->input) {
        x->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return x->in >= 0;
    }
    x->in = memfd_create("input", MFD_CLOEXEC);
    return x->in >= 0 && lib_write_all(x->in, x->c->input, x->c->input_len) &&
           lseek(x->in, 0, SEEK_SET) == 0;
}

/* Returns this process's environment, with the command's folder for temporary files; NULL: memory
 * is out. The caller frees it, but not its strings. */
static char **environment(char *tmpdir) {
    size_t n = 0, m = 0;
    while (environ[n]) n++;
    char **e = malloc((n + 2) * sizeof *e);
    for (size_t i = 0; e && i < n; i++)
        if (strncmp(environ[i], "TMPDIR=", 7)) e[m++] = environ[i];
    if (e) e[m++] = tmpdir, e[m] = NULL;
    return e;
}

/* Returns 0, or an errno. */
static int spawn(tool_command *x) {
    char tmpdir[sizeof x->folder + 8];
    posix_spawn_file_actions_t to;
    posix_spawnattr_t how;
    snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", x->folder);
    char **env = *x->folder ? environment(tmpdir) : environ;
    /* The descriptors may already have the numbers to which they will be duplicated. Moving them up
     * first makes the duplications safe in any order. */
    int in = fcntl(x->in, F_DUPFD_CLOEXEC, FIRST_FREE_FD),
        out = fcntl(x->out[1], F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    int err = !env ? ENOMEM : in < 0 || out < 0 ? EMFILE : 0;
    posix_spawn_file_actions_init(&to);
    posix_spawnattr_init(&how);
    if (!err) {
        posix_spawn_file_actions_adddup2(&to, in, 0);
        posix_spawn_file_actions_adddup2(&to, out, 1);
        posix_spawn_file_actions_adddup2(&to, out, 2);
        posix_spawn_file_actions_addclosefrom_np(&to, 3);
        if (*x->folder) posix_spawn_file_actions_addchdir_np(&to, x->folder);
        /* so that it is killed together with its children, and does not get Ctrl-C */
        posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
        err = posix_spawn(&x->pid, x->path, &to, &how, (char **)(uintptr_t)x->c->argv, env);
    }
    posix_spawn_file_actions_destroy(&to);
    posix_spawnattr_destroy(&how);
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    if (*x->folder) free(env);
    if (err) return err;
    rlim_t seconds = x->c->seconds, bytes = x->c->memory_bytes;
    prlimit(x->pid, RLIMIT_CPU, &(struct rlimit){seconds, seconds}, NULL);
    if (bytes) prlimit(x->pid, RLIMIT_AS, &(struct rlimit){bytes, bytes}, NULL);
    return 0;
}

/* Reads the output until no process holds the pipe; the rest is dropped when the buffer is full.
 * SIM_COMMAND_DONE: it has ended, or is about to. */
static sim_command_end command_output(const tool_command *x, double end) {
    const sim_command *c = x->c;
    size_t have = 0, room = c->output ? c->output_max : 0;
    sim_command_end how = SIM_COMMAND_DONE;
    char drop[4096];
    for (;;) {
        double left = end - lib_now();
        if (lib_raised(c->cancel)) how = SIM_COMMAND_STOPPED;
        else if (left <= 0) how = SIM_COMMAND_LATE;
        if (how != SIM_COMMAND_DONE) break;
        struct pollfd p = {.fd = x->out[0], .events = POLLIN};
        int ms = (int)(left * 1000) + 1;
        int ready = poll(&p, 1, c->cancel && ms > LOOK_MS ? LOOK_MS : ms);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        bool keep = have < room;
        ssize_t r = keep ? read(x->out[0], c->output + have, room - have)
                         : read(x->out[0], drop, sizeof drop);
        if (r < 0 && errno == EINTR) continue;
        if (r <= 0) break;
        if (keep) have += (size_t)r;
    }
    if (c->output) c->output[have] = 0;
    return how;
}

static sim_command_end wait_for(const tool_command *x) {
    double end = lib_now() + x->c->seconds;
    sim_command_end how = command_output(x, end);
    int status = 0;
    pid_t ended = 0;
    while (how == SIM_COMMAND_DONE && !ended) { /* it may close its output and continue */
        ended = waitpid(x->pid, &status, WNOHANG);
        if (ended < 0 && errno == EINTR) ended = 0;
        if (!ended && lib_now() > end) how = SIM_COMMAND_LATE;
        if (!ended) nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    if (how != SIM_COMMAND_DONE) {
        kill(-x->pid, SIGKILL);
        while (waitpid(x->pid, &status, 0) < 0 && errno == EINTR) {
        }
        return how;
    }
    return ended == x->pid && WIFEXITED(status) && !WEXITSTATUS(status) ? SIM_COMMAND_DONE
                                                                        : SIM_COMMAND_FAILED;
}

static sim_command_end command_run(tool_command *x) {
    if ((x->c->files && !make_folder(x)) || !open_input(x) || pipe2(x->out, O_CLOEXEC)) {
        lib_message_set(x->msg, w_server_could_not_start(x->path, errno));
        return SIM_COMMAND_BROKEN;
    }
    int err = spawn(x);
    if (err) {
        lib_message_set(x->msg, w_server_could_not_run(x->path, err));
        return SIM_COMMAND_BROKEN;
    }
    close(x->out[1]);
    x->out[1] = -1;
    sim_command_end how = wait_for(x);
    if (how == SIM_COMMAND_DONE && x->c->made && !x->c->made(x->c->user, x->folder))
        how = SIM_COMMAND_FAILED;
    return how;
}

sim_command_end dev_run_command(void *user, const sim_command *c, lib_message *msg) {
    (void)user;
    tool_command x = {.c = c, .msg = msg, .in = -1, .out = {-1, -1}};
    if (msg) *msg = (lib_message){0};
    if (c->output) c->output[0] = 0;
    if (!command_tool(c->argv[0], x.path, sizeof x.path)) return SIM_COMMAND_MISSING;
    sim_command_end how = command_run(&x);
    if (x.in >= 0) close(x.in);
    for (int k = 0; k < 2; k++)
        if (x.out[k] >= 0) close(x.out[k]);
    if (*x.folder) lib_remove_tree(x.folder);
    return how;
}
