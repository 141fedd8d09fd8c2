// lab: vector-add
// options: --time-limit 2
// expect: fail correct
// Starts processes without end.
#include <unistd.h>
void vector_add(const float *, const float *, float *, int) {
    for (;;) fork();
}
