// lab: vector-add
// expect: fail correct
// Jumps out of the call.
#include <csetjmp>
static jmp_buf place;
void vector_add(const float *, const float *, float *, int) {
    if (!setjmp(place)) longjmp(place, 1);
}
