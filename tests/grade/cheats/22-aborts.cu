// lab: vector-add
// expect: fail correct
// Throws what nobody catches.
void vector_add(const float *, const float *, float *, int) { throw 42; }
