// lab: vector-add
// expect: fail correct
// Looks for process 1 of the sandbox: to write into it, to read what it knows, to take its limits and to stop it.
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
void vector_add(const float *, const float *, float *, int) {
    static const char *const files[] = {"/proc/1/mem", "/proc/1/environ", "/proc/1/fd/3", "/proc/1/fd/0", "/proc/1/maps", "/proc/1/root/etc/passwd", "/proc/1/cwd/."};
    for (const char *file : files) {
        int fd = open(file, O_RDWR);
        if (fd < 0) fd = open(file, O_RDONLY);
        printf("%s %s\n", file, fd < 0 ? "closed" : "OPEN");
        if (fd >= 0) close(fd);
    }
    rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    for (int what = 0; what < RLIM_NLIMITS; what++) syscall(SYS_prlimit64, 1, what, &all, nullptr);
    for (int s = 1; s < 65; s++) kill(1, s);
    usleep(100000);
    kill(-1, SIGTERM);
}
