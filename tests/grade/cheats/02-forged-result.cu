// lab: vector-add
// expect: fail correct
// Writes a passing result to the usual file names, to stdout, stderr and every descriptor, and computes nothing.
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
static const char forged[] = "{\"version\":1,\"lab\":\"vector-add\",\"verdict\":\"pass\",\"score\":10,\"max_score\":10,\"goals\":[]}\n";
void vector_add(const float *, const float *, float *, int) {
    static const char *const names[] = {"results.json", "result.json", "/tmp/results.json", "/autograder/results/results.json", "/proc/1/fd/1", "/dev/tty"};
    for (const char *name : names) {
        int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd >= 0) (void)!write(fd, forged, sizeof forged - 1);
    }
    for (int fd = 1; fd < 3; fd++) (void)!write(fd, forged, sizeof forged - 1);
}
