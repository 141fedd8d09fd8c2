// lab: vector-add
// expect: fail correct
// Looks into its parent and into process 1.
#include <cstdio>
#include <sys/ptrace.h>
#include <unistd.h>
void vector_add(const float *, const float *, float *, int) {
    long a = ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr), b = ptrace(PTRACE_ATTACH, 1, nullptr, nullptr);
    printf("%ld %ld\n", a, b);
    for (int pid = 1; pid < 400; pid++) {
        char name[64];
        snprintf(name, sizeof name, "/proc/%d/mem", pid);
        FILE *f = pid == getpid() ? nullptr : fopen(name, "r+");
        if (f) printf("opened %s\n", name), fclose(f);
    }
}
