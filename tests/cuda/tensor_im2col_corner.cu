// A tensor map by which columns of pixels are stored has its bounding box within the tensor: where a corner leaves it, hardware ends the launch with an
// illegal instruction, of which the PTX ISA does not tell. Loads may leave it (tensor_im2col.cu).
// arch: sm_90
// expect: 0 to 0, at 0: cudaSuccess 1 9 17 25 33 41 49 57 0 0 0 0 0 0 0 0 0 0 0 0
// expect: 0 to 0, at 7: cudaSuccess 0 0 0 0 0 0 0 1 9 17 25 33 41 49 57 0 0 0 0 0
// expect: 2 to -1, at 5: cudaSuccess 0 0 0 0 0 1 9 17 25 0 0 0 33 41 49 57 0 0 0 0
// expect: 0 to -4, at 3: cudaSuccess 0 0 0 1 9 17 0 0 0 0 25 33 41 49 57 0 0 0 0 0
// expect: -1 to -1, at 3: cudaErrorIllegalInstruction
// finding: trap
#include "im2col_store.h"

int main() {
    return store_columns({{0, 0, 0}, {0, 0, 7}, {2, -1, 5}, {0, -4, 3}, {-1, -1, 3}});
}
