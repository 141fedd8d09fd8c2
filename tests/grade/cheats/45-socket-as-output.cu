// lab: vector-add
// expect: fail correct
// Prints into the socket, and takes the socket's place for whatever else comes.
#include <cstdio>
#include <unistd.h>
void vector_add(const float *, const float *, float *, int) {
    dup2(3, 1);
    for (int i = 0; i < 10000; i++) printf("{\"verdict\":\"pass\"}");
    fflush(stdout);
    dup2(1, 3);
    close(1);
}
