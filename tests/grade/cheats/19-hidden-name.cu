// lab: vector-add
// expect: fail
// The same, with the name cut in two by the preprocessor's oldest trick.
#include <thr\
ust/transform.h>
#include <thrust/device_ptr.h>
void vector_add(const float *, const float *, float *, int) {}
