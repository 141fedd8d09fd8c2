/* Breaks each limit of the sandbox on purpose, to see whether it holds.
 *
 *   sandbox_probe()        runs `warplab --probe NAME` in the sandbox for each row of limits.def
 *                          and judges the result
 *   sandbox_probe_child()  the attempt; prints "held" or "broken", and its findings as a message's
 *                          bytes
 *
 * A limit that ends the process (memory, CPU, elapsed time) holds if the process ended in the way
 * of that limit. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/message.h"
#include "runner/sandbox/sandbox.h"
#include "runner/sandbox/spawn.h"
#include "words/sandbox.h"

enum { PROBE_THREADS = 16 };
/* A sanitizer's shadow memory takes more address space than any limit allows. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#define PROBE_MEMORY ((uint64_t)512 << 20)
#define PROBE_DISK   ((uint64_t)8 << 20)
#define PROBE_FILE   ((uint64_t)1 << 20)
#define PROBE_OUTPUT 65536

#define HELD   "held "
#define BROKEN "broken "

/* Printed before the bytes of the message. */
static int probe_tell(const char *outcome, lib_words detail) {
    lib_message m;
    char bytes[LIB_MESSAGE_BYTES];
    lib_message_set(&m, detail);
    fputs(outcome, stdout);
    size_t n = lib_message_write(&m, bytes, sizeof bytes);
    fwrite(bytes, 1, n, stdout);
    return strcmp(outcome, HELD) != 0;
}
static int held(lib_words detail) {
    return probe_tell(HELD, detail);
}
static int broken(lib_words detail) {
    return probe_tell(BROKEN, detail);
}

/* ---- the attempts ---- */

static int try_network(void) {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0) return held(w_sandbox_probe_no_socket());
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    /* TEST-NET-1, RFC 5737: an address without a host */
    inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);
    int flags = fcntl(s, F_GETFL);
    fcntl(s, F_SETFL, flags | O_NONBLOCK);
    if (!connect(s, (struct sockaddr *)&to, sizeof to) || errno == EINPROGRESS)
        return broken(w_sandbox_probe_packet_left());
    return held(errno == ENETUNREACH ? w_sandbox_probe_no_network() : w_sandbox_probe_error(errno));
}

static int try_files(void) {
    static const char *const targets[] = {"/warplab-probe",         "/usr/warplab-probe",
                                          "/usr/bin/warplab-probe", "/etc/warplab-probe",
                                          "/dev/warplab-probe",     "/var/tmp/warplab-probe"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        int fd = open(targets[i], O_WRONLY | O_CREAT, 0600);
        if (fd >= 0) {
            unlink(targets[i]);
            return broken(w_sandbox_probe_got_through(targets[i]));
        }
    }
    if (!access("/etc/passwd", R_OK)) return broken(w_sandbox_probe_passwd());
    return held(w_sandbox_probe_read_only());
}

static int try_home(void) {
    static const char *const targets[] = {"/home", "/root", "/mnt", "/media", "/srv", "/run/user"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        DIR *d = opendir(targets[i]);
        if (d) {
            closedir(d);
            return broken(w_sandbox_probe_got_through(targets[i]));
        }
    }
    return held(w_sandbox_probe_no_home());
}

static int try_processes(void) {
    DIR *d = opendir("/proc");
    int seen = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        seen += e->d_name[0] >= '1' && e->d_name[0] <= '9';
    if (d) closedir(d);
    if (seen > 4) return broken(w_sandbox_probe_processes_visible());
    return getppid() > 2 ? broken(w_sandbox_probe_parent_signalled())
                         : held(w_sandbox_probe_itself_visible());
}

/* Attacks on process 1 that would work if it were as open as most processes are. */
static int try_init(void) {
    static const char *const readable[] = {"/proc/1/mem",   "/proc/1/environ", "/proc/1/maps",
                                           "/proc/1/auxv",  "/proc/1/pagemap", "/proc/1/fd",
                                           "/proc/1/root/", "/proc/1/syscall"};
    if (getpid() == 1) return broken(w_sandbox_probe_is_process_1());
    int fd = open("/proc/1/mem", O_RDWR);
    if (fd >= 0) {
        close(fd);
        return broken(w_sandbox_probe_memory_written());
    }
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
        fd = open(readable[i], O_RDONLY);
        if (fd >= 0) {
            close(fd);
            return broken(w_sandbox_probe_got_through(readable[i]));
        }
    }
    struct iovec here = {&fd, sizeof fd};
    if (syscall(SYS_process_vm_readv, 1, &here, 1, &here, 1, 0) >= 0 || errno != EPERM)
        return broken(w_sandbox_probe_readv());
    if (!ptrace(PTRACE_SEIZE, 1, NULL, NULL)) return broken(w_sandbox_probe_traced());
    return held(w_sandbox_probe_shows_nothing());
}

static int try_fork(void) {
    int made = 0;
    for (; made < 4; made++) {
        pid_t p = fork();
        if (p < 0) break;
        if (!p) {
            pause();
            _exit(0);
        }
    }
    return made ? broken(w_sandbox_probe_process_started()) : held(w_sandbox_probe_error(errno));
}

static void *idle(void *unused) {
    (void)unused;
    pause();
    return NULL;
}

static int try_threads(void) {
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 65536);
    for (int i = 0; i < 4 * PROBE_THREADS; i++) {
        pthread_t t;
        if (pthread_create(&t, &a, idle, NULL)) return held(w_sandbox_probe_no_more_than(i + 1));
    }
    return broken(w_sandbox_probe_threads_started());
}

static int try_memory(void) {
    for (uint64_t got = 0; got < 2 * PROBE_MEMORY; got += 1 << 20) {
        void *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) return held(w_sandbox_probe_refused_at_limit());
        memset(p, 1, 1 << 20);
    }
    return broken(w_sandbox_probe_twice_taken());
}

/* Pages that neither the address space nor the sum of private memory shows. */
static int try_shared(void) {
    for (uint64_t got = 0; got < 4 * PROBE_MEMORY; got += 1 << 20) {
        void *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) return broken(w_sandbox_probe_address_space());
        memset(p, 1, 1 << 20);
    }
    return broken(w_sandbox_probe_four_times_taken());
}

static int try_disk(void) {
    static char block[65536];
    int fd = open("/tmp/fill", O_WRONLY | O_CREAT, 0600);
    if (fd < 0) return held(w_sandbox_probe_not_writable());
    for (uint64_t n = 0; n < 4 * PROBE_DISK; n += sizeof block) {
        if (write(fd, block, sizeof block) < 0) return held(w_sandbox_probe_error(errno));
    }
    return broken(w_sandbox_probe_four_times_written());
}

static int try_file_size(void) {
    static char block[65536];
    signal(SIGXFSZ, SIG_IGN);
    int fd = open("/tmp/large", O_WRONLY | O_CREAT, 0600);
    if (fd < 0) return held(w_sandbox_probe_not_writable());
    for (uint64_t n = 0; n < 4 * PROBE_FILE; n += sizeof block) {
        if (write(fd, block, sizeof block) < 0)
            return errno == EFBIG ? held(w_sandbox_probe_error(errno))
                                  : broken(w_sandbox_probe_error(errno));
    }
    return broken(w_sandbox_probe_four_times_written());
}

static int try_core(void) {
    struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY};
    if (!setrlimit(RLIMIT_CORE, &l)) return broken(w_sandbox_probe_limit_raised());
    return getrlimit(RLIMIT_CORE, &l) || l.rlim_cur ? broken(w_sandbox_probe_none_in_force())
                                                    : held(w_sandbox_probe_none_written());
}

/* Returns the value of a line of /proc/self/status ("CapEff:\t0000..."), or -1. */
static long long own_status(const char *name) {
    FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    long long value = -1;
    while (f && fgets(line, sizeof line, f)) {
        if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
            value = strtoll(line + strlen(name) + 1, NULL, 16);
    }
    if (f) fclose(f);
    return value;
}

static int try_privileges(void) {
    if (!getuid() || !geteuid() || !setuid(0)) return broken(w_sandbox_probe_root());
    if (own_status("CapEff") || own_status("CapPrm")) return broken(w_sandbox_probe_capabilities());
    if (own_status("NoNewPrivs") != 1) return broken(w_sandbox_probe_set_uid());
    return held(w_sandbox_probe_no_capability());
}

static int try_output(void) {
    static char block[4096];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 4 * PROBE_OUTPUT / (int)sizeof block; i++) {
        if (fwrite(block, 1, sizeof block, stdout) != sizeof block) return held((lib_words){0});
    }
    return 0; /* the other side checks what it kept */
}

static int try_cpu(void) {
    for (volatile unsigned i = 0;; i = i + 1) {
    }
    return 0;
}

static int try_wall(void) {
    for (;;) pause();
    return 0;
}

static int try_ptrace(void) {
    if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL)) return broken(w_sandbox_probe_ptrace());
    if (!mount("none", "/tmp", "tmpfs", 0, NULL)) return broken(w_sandbox_probe_mount());
    if (syscall(SYS_bpf, 0, NULL, 0) >= 0 || errno != EPERM) return broken(w_sandbox_probe_bpf());
    return held(w_sandbox_probe_filter());
}

static int try_userns(void) {
    if (!unshare(CLONE_NEWUSER)) return broken(w_sandbox_probe_unshare());
    if (syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, 0) >= 0)
        return broken(w_sandbox_probe_clone());
    return held(w_sandbox_probe_error(errno));
}

static int try_session(void) {
    char c = 'x';
    int fd = open("/dev/tty", O_RDWR);
    if (fd >= 0 && !ioctl(fd, TIOCSTI, &c)) return broken(w_sandbox_probe_typed());
    if (!ioctl(0, TIOCSTI, &c)) return broken(w_sandbox_probe_typed());
    return held(fd < 0 ? w_sandbox_probe_no_terminal() : w_sandbox_probe_refused());
}

static int try_environment(void) {
    return getenv("WARPLAB_PROBE_SECRET") ? broken(w_sandbox_probe_variable())
                                          : held(w_sandbox_probe_cleared());
}

/* Tries to leave a yes or no in a file that all gradings see. */
static int try_talk(void) {
    int fd = open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return held(w_sandbox_probe_no_file());
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    static unsigned char here[1];
    void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    if (!flock(fd, LOCK_SH)) return broken(w_sandbox_probe_got_through("flock()"));
    if (!fcntl(fd, F_SETLK, &whole)) return broken(w_sandbox_probe_got_through("fcntl(F_SETLK)"));
    if (!fcntl(fd, F_GETLK, &whole)) return broken(w_sandbox_probe_got_through("fcntl(F_GETLK)"));
    if (!fcntl(fd, F_OFD_SETLK, &whole))
        return broken(w_sandbox_probe_got_through("fcntl(F_OFD_SETLK)"));
    if (!fcntl(fd, F_SETLEASE, F_RDLCK))
        return broken(w_sandbox_probe_got_through("fcntl(F_SETLEASE)"));
    if (inotify_init1(IN_CLOEXEC) >= 0) return broken(w_sandbox_probe_got_through("inotify"));
    if (page != MAP_FAILED && !mincore(page, 4096, here))
        return broken(w_sandbox_probe_got_through("mincore()"));
    if (syscall(SYS_execveat, fd, "", NULL, NULL, AT_EMPTY_PATH) >= 0 || errno != EPERM)
        return broken(w_sandbox_probe_got_through("execveat()"));
    return held(w_sandbox_probe_error(EPERM));
}

static int (*const rows[])(void) = {
#define ROW(id, function) [SANDBOX_LIMIT_##id] = function
    ROW(NETWORK, try_network),
    ROW(FILES, try_files),
    ROW(HOME, try_home),
    ROW(PROCESSES, try_processes),
    ROW(INIT, try_init),
    ROW(SHARED, try_shared),
    ROW(FORK, try_fork),
    ROW(THREADS, try_threads),
    ROW(MEMORY, try_memory),
    ROW(DISK, try_disk),
    ROW(FILE_SIZE, try_file_size),
    ROW(CORE, try_core),
    ROW(OUTPUT, try_output),
    ROW(CPU, try_cpu),
    ROW(WALL, try_wall),
    ROW(PTRACE, try_ptrace),
    ROW(PRIVILEGES, try_privileges),
    ROW(USERNS, try_userns),
    ROW(SESSION, try_session),
    ROW(ENVIRONMENT, try_environment),
    ROW(TALK, try_talk),
};
_Static_assert(sizeof rows / sizeof *rows == SANDBOX_LIMIT_COUNT, "an attempt for every limit");

static const char *const names[] = {
#define LIMIT(id, name, why) name,
#include "runner/sandbox/limits.def"
#undef LIMIT
};

int sandbox_probe_child(const char *name) {
    for (int i = 0; i < SANDBOX_LIMIT_COUNT; i++) {
        if (!strcmp(names[i], name)) {
            int status = rows[i]();
            fflush(stdout);
            _exit(status); /* threads may still be idle */
        }
    }
    return 2;
}

/* ---- judging ---- */

static bool judge(sandbox_limit l, const sandbox_exit *e, lib_message *detail) {
    lib_message how, what;
    sandbox_exit_message(e, &how);
    *detail = how;
    if (l == SANDBOX_LIMIT_OUTPUT) {
        lib_message_set(detail,
                        w_sandbox_probe_bytes_kept((long long)e->output_len, 4 * PROBE_OUTPUT));
        return e->output_cut && e->output_len < 2 * PROBE_OUTPUT;
    }
    if (l == SANDBOX_LIMIT_WALL) return e->end == SANDBOX_END_TIMEOUT;
    if (l == SANDBOX_LIMIT_CPU)
        return e->end == SANDBOX_END_SIGNAL && (e->code == SIGXCPU || e->code == SIGKILL);
    /* from the cgroup, or from warplab-init */
    if ((l == SANDBOX_LIMIT_MEMORY || l == SANDBOX_LIMIT_SHARED) && e->end == SANDBOX_END_SIGNAL &&
        e->code == SIGKILL)
        return true;
    if (!strncmp(e->output, HELD, strlen(HELD)))
        return lib_message_read(detail, e->output + strlen(HELD), e->output_len - strlen(HELD)) &&
               e->end == SANDBOX_END_EXIT && e->code == 0;
    if (!strncmp(e->output, BROKEN, strlen(BROKEN))) {
        lib_message_read(&what, e->output + strlen(BROKEN), e->output_len - strlen(BROKEN));
        lib_message_set(detail, w_sandbox_probe_broken(&how, &what));
    } else {
        char *first = sandbox_first_line(e->output);
        lib_message_set(detail, w_sandbox_probe_else(&how, first));
        free(first);
    }
    return false;
}

void sandbox_probe(void (*fn)(void *user, const char *name, lib_word_id what, bool held,
                              const lib_message *detail),
                   void *user) {
    static const lib_word_id what[] = {
#define LIMIT(id, name, why) W_SANDBOX_LIMIT_##id,
#include "runner/sandbox/limits.def"
#undef LIMIT
    };
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    setenv("WARPLAB_PROBE_SECRET", "1", 1);
    for (int i = 0; i < SANDBOX_LIMIT_COUNT; i++) {
        const char *const argv[] = {"/probe", "--probe", names[i], NULL};
        const sandbox_bind bind = {.from = exe, .to = "/probe"};
        sandbox_spawn s;
        sandbox_spawn_init(&s);
        s.argv = argv;
        s.binds = &bind;
        s.bind_count = 1;
        /* On a slow or loaded machine it may take a while to use up memory, or a second of CPU
         * time. An attempt that its own time limit ends says nothing about the probed limit. */
        bool long_one =
            i == SANDBOX_LIMIT_CPU || i == SANDBOX_LIMIT_MEMORY || i == SANDBOX_LIMIT_SHARED;
        s.cpu_s = i == SANDBOX_LIMIT_CPU ? 1 : 60;
        s.wall_s = i == SANDBOX_LIMIT_WALL ? 0.5 : long_one ? 60 : 10;
        if (SANITIZED && (i == SANDBOX_LIMIT_MEMORY || i == SANDBOX_LIMIT_SHARED)) continue;
        s.memory = SANITIZED ? 0 : PROBE_MEMORY;
        if (i == SANDBOX_LIMIT_SHARED) { /* an address space as large as a submission's */
            s.resident = PROBE_MEMORY;
            s.memory *= 32;
        }
        s.tmp_bytes = PROBE_DISK;
        s.file_bytes = i == SANDBOX_LIMIT_FILE_SIZE ? PROBE_FILE : 4 * PROBE_DISK;
        s.processes = PROBE_THREADS;
        s.output_bytes = i == SANDBOX_LIMIT_OUTPUT ? PROBE_OUTPUT : 4096;
        s.cancel = lib_cancel();
        sandbox_exit e;
        lib_message detail;
        bool ok = false;
        if (!sandbox_run(&s, &e, &detail)) {
            ok = judge((sandbox_limit)i, &e, &detail);
            sandbox_exit_free(&e);
        }
        fn(user, names[i], what[i], ok, &detail);
        if (lib_cancel_flag) break;
    }
    unsetenv("WARPLAB_PROBE_SECRET");
}
