// lab: vector-add
// expect: fail correct
// Leaves with success before it has done anything.
#include <cstdlib>
void vector_add(const float *, const float *, float *, int) { exit(0); }
