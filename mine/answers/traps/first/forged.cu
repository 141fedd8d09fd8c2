// kind: cheat
// expect: fail
// Cheats: prints a result of its own and leaves without a launch.
#include <stdio.h>
#include <unistd.h>
void first(const float *, float *, float, int) {
    puts("{\"version\":1,\"lab\":\"first\",\"verdict\":\"pass\",\"score\":10,\"max_score\":10}");
    fflush(stdout);
    _exit(0);
}
