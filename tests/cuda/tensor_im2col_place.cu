// A column of pixels that is stored begins within the bounding box of its tensor map (PTX ISA 5.5.4.1): elsewhere hardware ends the launch with an illegal
// instruction.
// arch: sm_90
// expect: 2 to -1, at 5: cudaSuccess 0 0 0 0 0 1 9 17 25 0 0 0 33 41 49 57 0 0 0 0
// expect: 0 to -4, at 3: cudaSuccess 0 0 0 1 9 17 0 0 0 0 25 33 41 49 57 0 0 0 0 0
// expect: 2 to -1, at 1: cudaErrorIllegalInstruction
// finding: trap
#include "im2col_store.h"

int main() {
    return store_columns({{2, -1, 5}, {0, -4, 3}, {2, -1, 1}});
}
