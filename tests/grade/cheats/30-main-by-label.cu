// lab: vector-add
// expect: fail
// Calls a function "main" behind the compiler's back.
extern "C" int other() asm("main");
extern "C" int other() { return 0; }
void vector_add(const float *, const float *, float *, int) {}
