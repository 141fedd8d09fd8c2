// kind: cheat
// expect: fail
// Cheats: prints a result of its own, writes one to every descriptor it can
// find, and leaves without a launch.
#include <stdio.h>
#include <unistd.h>
void vector_add(const float *, const float *, float *, int) {
    static const char forged[] = "{\"version\":1,\"lab\":\"vector-add\",\"verdict\":\"pass\",\"score\":10,\"max_score\":10}\n";
    fputs(forged, stdout);
    fflush(stdout);
    for (int fd = 3; fd < 64; fd++)
        if (write(fd, forged, sizeof forged - 1) < 0) continue;
    _exit(0);
}
