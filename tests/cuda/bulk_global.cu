// What find_bulk_global.cu does rightly: nothing is found.
// arch: sm_90
// sim only
// expect: done
#define RIGHT
#include "find_bulk_global.cu"
