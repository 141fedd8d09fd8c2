// lab: vector-add
// expect: fail correct
// Every way to start a process, each child to live on and write into the socket when its parent is gone.
#include <csignal>
#include <cstdlib>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>
static void child(long pid) {
    if (pid) return;
    setsid();
    signal(SIGTERM, SIG_IGN);
    for (;;) {
        sleep(1);
        if (write(3, "\0\0\0\0", 4) < 0) _exit(0);
    }
}
void vector_add(const float *, const float *, float *, int) {
    char *argv[] = {(char *)"/usr/bin/sleep", (char *)"100", nullptr};
    pid_t pid;
    child(fork());
    child(syscall(SYS_fork));
    child(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    child(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
    child(syscall(SYS_clone3, nullptr, 0));
    posix_spawn(&pid, argv[0], nullptr, nullptr, argv, nullptr);
    if (system("sleep 100 &") < 0) return;
    long old = -1;
#if defined __x86_64__ && !defined __CUDA_ARCH__
    asm volatile("int $0x80" : "=a"(old) : "a"(2) : "memory"); // fork of the 32-bit table
#endif
    child(old);
}
