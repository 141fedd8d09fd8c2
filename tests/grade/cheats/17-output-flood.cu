// lab: vector-add
// options: --time-limit 2
// expect: fail correct
// Prints without end.
#include <cstdio>
void vector_add(const float *, const float *, float *, int) {
    for (;;) puts("all work and no play makes a dull kernel");
}
