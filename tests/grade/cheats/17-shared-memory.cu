// lab: vector-add
// expect: fail correct
// expect: says used more than 4 GiB of host memory
// Takes all memory in pages that it could share, which no limit of a process counts as its data.
#include <cstring>
#include <sys/mman.h>
void vector_add(const float *, const float *, float *, int) {
    for (;;) {
        void *p = mmap(nullptr, 64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) return;
        memset(p, 1, 64 << 20);
    }
}
