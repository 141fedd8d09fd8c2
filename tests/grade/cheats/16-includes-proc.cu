// lab: vector-add
// expect: compile
// What the compiler's process knows, in the messages that a student reads.
#include "/proc/self/environ"
#include "/proc/self/cmdline"
#include "/proc/1/environ"
#include "/proc/self/mountinfo"
void vector_add(const float *, const float *, float *, int) {}
