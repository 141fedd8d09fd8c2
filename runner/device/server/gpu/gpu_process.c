/* Starts, asks and kills the GPU helper. The driver's context is in the helper, because only the
 * end of its process ends an endless kernel. */
#include "runner/device/server/gpu/gpu_process.h"
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "words/server.h"

extern char **environ;

static char *process_find(lib_message *msg) {
    const char *given = getenv("WARPLAB_GPU_HELPER");
    if (given && *given) return lib_strdup(given);
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);
    if (n > 0) {
        path[n] = 0;
        for (int i = 0; i < 2; i++) { /* test programs are one folder deeper */
            char *slash = strrchr(path, '/');
            if (!slash) break;
            strcpy(slash, "/warplab-gpu");
            if (!access(path, X_OK)) return lib_strdup(path);
            *slash = 0;
        }
    }
    lib_message_set(msg, w_server_no_helper());
    return NULL;
}

bool gpu_process_init(gpu_process *p, const volatile int *cancel, lib_message *msg) {
    *p = (gpu_process){.fd = -1, .window_fd = -1, .cancel = cancel};
    if (!(p->path = process_find(msg))) return false;
    int fd = memfd_create("warplab-gpu", MFD_CLOEXEC);
    /* above the numbers that the helper uses */
    if (fd >= 0) p->window_fd = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    if (fd >= 0) close(fd);
    if (p->window_fd >= 0 && !ftruncate(p->window_fd, (off_t)GPU_WINDOW_BYTES)) {
        void *at =
            mmap(NULL, GPU_WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, p->window_fd, 0);
        if (at != MAP_FAILED) p->window = at;
    }
    if (p->window) return true;
    lib_message_set(msg, w_server_no_helper_memory(errno));
    gpu_process_free(p);
    return false;
}

/* Starts the helper with `in` as 3 and `window` as 4 (-1: none), or `out` as its standard
 * output. */
static int process_start(const char *path, const char *what, int in, int window, int out,
                         pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t none, all;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attr);
    if (in >= 0) posix_spawn_file_actions_adddup2(&actions, in, GPU_FD);
    if (window >= 0) posix_spawn_file_actions_adddup2(&actions, window, GPU_WINDOW_FD);
    if (out >= 0) posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (out >= 0) posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    char *const argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t)what, NULL};
    int e = posix_spawn(pid, path, &actions, &attr, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attr);
    return e;
}

static bool process_pair(int type, int pair[2], lib_message *msg) {
    int raw[2];
    pair[0] = pair[1] = -1;
    bool made = !socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, raw);
    for (int i = 0; made && i < 2; i++) pair[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, 10);
    bool ok = made && pair[0] >= 0 && pair[1] >= 0;
    if (!ok) lib_message_set(msg, w_server_no_helper_socket(errno));
    for (int i = 0; i < 2; i++) {
        if (made) close(raw[i]);
        if (!ok && pair[i] >= 0) close(pair[i]);
    }
    return ok;
}

bool gpu_process_start(gpu_process *p, lib_message *msg) {
    int pair[2];
    pid_t pid;
    if (!process_pair(SOCK_SEQPACKET, pair, msg)) return false;
    int e = process_start(p->path, "serve", pair[1], p->window_fd, -1, &pid);
    close(pair[1]);
    if (e) {
        close(pair[0]);
        lib_message_set(msg, w_server_cannot_start_helper(p->path, e));
        return false;
    }
    p->pid = pid, p->fd = pair[0];
    return true;
}

void gpu_process_kill(gpu_process *p) {
    if (p->pid > 0) {
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (p->fd >= 0) close(p->fd);
    p->pid = 0, p->fd = -1;
}

void gpu_process_free(gpu_process *p) {
    gpu_process_kill(p);
    if (p->window) munmap(p->window, GPU_WINDOW_BYTES);
    if (p->window_fd >= 0) close(p->window_fd);
    free(p->path);
    *p = (gpu_process){.fd = -1, .window_fd = -1};
}

static bool process_send(gpu_process *p, const gpu_request *q, int fd) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec io = {(void *)(uintptr_t)q, sizeof *q};
    struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = control.bytes, m.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    ssize_t n;
    do n = sendmsg(p->fd, &m, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *q;
}

gpu_asked gpu_process_ask(gpu_process *p, gpu_request *q, int fd, double limit,
                          const volatile int *stop, gpu_reply *r) {
    double until = lib_now() + limit;
    q->version = GPU_VERSION;
    memset(r, 0, sizeof *r);
    if (p->pid <= 0) return GPU_DIED;
    if (!process_send(p, q, fd)) goto died;
    for (;;) {
        struct pollfd f = {p->fd, POLLIN, 0};
        int ready = poll(&f, 1, 20);
        if (ready > 0) {
            ssize_t n = recv(p->fd, r, sizeof *r, 0);
            if (n < 0 && errno == EINTR) continue;
            if (n != (ssize_t)sizeof *r) goto died;
            r->text[sizeof r->text - 1] = 0;
            return GPU_ASKED;
        }
        if (lib_raised(stop) || lib_raised(p->cancel) || lib_now() > until) {
            gpu_process_kill(p);
            return GPU_STOPPED;
        }
    }
died:
    gpu_process_kill(p);
    memset(r, 0, sizeof *r);
    return GPU_DIED;
}

char *gpu_process_list(lib_message *msg) {
    char *path = process_find(msg), *text = NULL;
    int pair[2];
    pid_t pid;
    size_t n = 0;
    if (!path) return NULL;
    if (!process_pair(SOCK_STREAM, pair, msg)) {
        free(path);
        return NULL;
    }
    int e = process_start(path, "list", -1, -1, pair[1], &pid), status = 0;
    close(pair[1]);
    free(path);
    enum { MOST = 8192 };
    if (!e && (text = calloc(1, MOST))) {
        double until = lib_now() + 20;
        while (n < MOST - 1 && lib_now() < until) {
            struct pollfd f = {pair[0], POLLIN, 0};
            if (poll(&f, 1, 50) <= 0) continue;
            ssize_t k = recv(pair[0], text + n, MOST - 1 - n, 0);
            if (k <= 0) break;
            n += (size_t)k;
        }
    }
    close(pair[0]);
    if (!e) {
        kill(pid, SIGKILL); /* it is done, or it hangs */
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    if (text && n && text[0] >= '0' && text[0] <= '9') return text;
    if (text) text[strcspn(text, "\n")] = 0;
    lib_message_set(msg, text && *text ? w_server_gpu_said(text) : w_server_gpu_silent());
    free(text);
    return NULL;
}
