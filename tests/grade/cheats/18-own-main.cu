// lab: vector-add
// expect: fail
// Brings a main of its own.
int main() { return 0; }
void vector_add(const float *, const float *, float *, int) {}
