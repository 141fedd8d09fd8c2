// lab: vector-add
// expect: fail correct
// Closes every descriptor, the runner's too, and waits.
#include <unistd.h>
void vector_add(const float *, const float *, float *, int) {
    for (int fd = 0; fd < 1024; fd++) close(fd);
    sleep(1);
    _exit(0);
}
