// lab: vector-add
// expect: compile
// Includes itself without end.
#include __FILE__
void vector_add(const float *, const float *, float *, int) {}
