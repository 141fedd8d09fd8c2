/* The seccomp filter: system calls that neither a compiler nor a submission needs. See
 * seccomp.h. */
#include "runner/sandbox/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

/* Calls that neither a compiler nor a student's program needs: each is a way to attack the kernel
 * or other processes. */
static const char *const denied[] = {"ptrace",
                                     "process_vm_readv",
                                     "process_vm_writev",
                                     "process_madvise",
                                     "kcmp",
                                     "pidfd_getfd",
                                     "kexec_load",
                                     "kexec_file_load",
                                     "init_module",
                                     "finit_module",
                                     "delete_module",
                                     "mount",
                                     "umount2",
                                     "pivot_root",
                                     "chroot",
                                     "move_mount",
                                     "open_tree",
                                     "fsopen",
                                     "fsconfig",
                                     "fsmount",
                                     "fspick",
                                     "mount_setattr",
                                     "unshare",
                                     "setns",
                                     "bpf",
                                     "perf_event_open",
                                     "userfaultfd",
                                     "io_uring_setup",
                                     "io_uring_enter",
                                     "io_uring_register",
                                     "open_by_handle_at",
                                     "name_to_handle_at",
                                     "swapon",
                                     "swapoff",
                                     "reboot",
                                     "syslog",
                                     "acct",
                                     "quotactl",
                                     "quotactl_fd",
                                     "add_key",
                                     "keyctl",
                                     "request_key",
                                     "settimeofday",
                                     "clock_settime",
                                     "adjtimex",
                                     "clock_adjtime",
                                     "sethostname",
                                     "setdomainname",
                                     "iopl",
                                     "ioperm",
                                     "modify_ldt",
                                     "lookup_dcookie",
                                     "vhangup",
                                     "nfsservctl",
                                     "fanotify_init",
                                     "msgget",
                                     "semget",
                                     "shmget",
                                     "mq_open",
                                     "vmsplice"};
/* A submission communicates through the descriptor that it was given and starts no process. */
static const char *const denied_run[] = {
    "fork", "vfork", "socket", "bind", "listen", "connect", "accept", "accept4", "setrlimit",
    "memfd_create", "memfd_secret",
    /* two gradings could communicate by what they see of the machine's own files: locks, watches,
     * pages in memory */
    "flock", "inotify_init", "inotify_init1", "inotify_add_watch", "mincore", "execveat"};
/* Commands of fcntl() with the same effect. */
static const int denied_fcntl[] = {F_GETLK,      F_SETLK,    F_SETLKW,   F_OFD_GETLK, F_OFD_SETLK,
                                   F_OFD_SETLKW, F_SETLEASE, F_GETLEASE, F_NOTIFY};

static bool deny(scmp_filter_ctx f, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);
        /* libseccomp is older than this call; the kernel may have it, but that is accepted */
        if (number == __NR_SCMP_ERROR) continue;
        int rc = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), number, 0);
        if (rc && rc != -EACCES && rc != -EDOM) return false;
    }
    return true;
}

int sandbox_filter(bool may_fork) {
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    if (!f) return -1;
    int fd = -1;
    bool ok = deny(f, denied, sizeof denied / sizeof *denied);
    if (!may_fork) ok = ok && deny(f, denied_run, sizeof denied_run / sizeof *denied_run);
    for (size_t i = 0; !may_fork && ok && i < sizeof denied_fcntl / sizeof *denied_fcntl; i++)
        ok = !seccomp_rule_add(
            f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(fcntl), 1,
            SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, (scmp_datum_t)denied_fcntl[i]));
    /* clone3's flags are in memory, which a filter cannot read: libc falls back to clone. */
    ok = ok && !seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    const uint64_t spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                            CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    for (uint64_t bit = 1; bit && ok; bit <<= 1) {
        if (spaces & bit)
            ok = !seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                   SCMP_A0(SCMP_CMP_MASKED_EQ, bit, bit));
    }
    if (!may_fork)
        ok = ok && !seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                     SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    /* Typing into a terminal, in case one is reachable. */
    ok = ok && !seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                                 SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, TIOCSTI));
    ok = ok && !seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                                 SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, TIOCLINUX));
    if (ok) {
        fd = memfd_create("warplab-seccomp", MFD_CLOEXEC);
        if (fd >= 0 && (seccomp_export_bpf(f, fd) || lseek(fd, 0, SEEK_SET))) {
            close(fd);
            fd = -1;
        }
    }
    seccomp_release(f);
    return fd;
}
