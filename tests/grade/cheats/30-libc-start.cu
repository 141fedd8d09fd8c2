// lab: vector-add
// expect: fail
// Brings the function that starts main, and does not.
#include <unistd.h>
extern "C" int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(), void (*)(), void (*)(), void *) { _exit(0); }
void vector_add(const float *, const float *, float *, int) {}
