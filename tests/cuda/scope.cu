// What find_scope.cu does rightly: nothing is found.
// arch: sm_90
// std: c++17
// sim only
// expect: done
#define RIGHT
#include "find_scope.cu"
