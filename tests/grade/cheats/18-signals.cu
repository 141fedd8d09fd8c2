// lab: vector-add
// expect: fail correct
// Sends SIGKILL to its parent, to its group and to everybody.
#include <csignal>
#include <unistd.h>
void vector_add(const float *, const float *, float *, int) {
    kill(getppid(), SIGKILL);
    kill(1, SIGKILL);
    kill(0, SIGTERM);
    kill(-1, SIGKILL);
}
