// lab: vector-add
// expect: compile
// Includes the baseline by the path it has in the project.
#include "kernels/vector-add.cu"
