// lab: vector-add
// options: --time-limit 3
// expect: fail correct
// Stops itself, so that nobody computes and nothing ends.
#include <csignal>
void vector_add(const float *, const float *, float *, int) { raise(SIGSTOP); }
