// lab: vector-add
// expect: fail correct
// Starts itself again with a library in front.
#include <cstdlib>
#include <unistd.h>
void vector_add(const float *, const float *, float *, int) {
    setenv("LD_PRELOAD", "/tmp/evil.so", 1);
    char path[] = "/proc/self/exe", *argv[] = {path, nullptr};
    execv(path, argv);
}
