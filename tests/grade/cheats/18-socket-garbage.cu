// lab: vector-add
// expect: fail correct
// Speaks to the runner over its socket, in words of its own.
#include <cstring>
#include <unistd.h>
void vector_add(const float *, const float *, float *, int) {
    char junk[4096];
    memset(junk, 0xff, sizeof junk);
    for (int fd = 3; fd < 64; fd++)
        for (int i = 0; i < 16; i++)
            if (write(fd, junk, sizeof junk) < 0) break;
}
