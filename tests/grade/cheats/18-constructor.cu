// lab: vector-add
// expect: fail
// A constructor answers in place of main and leaves.
#include <cstdio>
#include <unistd.h>
__attribute__((constructor)) static void first() {
    puts("{\"verdict\":\"pass\"}");
    fflush(stdout);
    _exit(0);
}
void vector_add(const float *, const float *, float *, int) {}
