// lab: vector-add
// expect: fail correct
// expect: says used more than 4 GiB of host memory
// Takes all the memory there is.
#include <cstdlib>
#include <cstring>
void vector_add(const float *, const float *, float *, int) {
    for (;;) {
        void *p = malloc(64 << 20);
        if (!p) abort();
        memset(p, 1, 64 << 20);
    }
}
