// lab: vector-add
// expect: fail
// Brings a glue of its own that says there is nothing to call.
#include <stdint.h>
extern "C" int __warplab_next(uint64_t *, unsigned) { return 0; }
void vector_add(const float *, const float *, float *, int) {}
