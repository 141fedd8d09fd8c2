// What the matrix-product labs share. Matrices are n x n, stored row by row: element (row, col) of m is m[row * n + col].
#pragma once

// The number of blocks of `size` threads (or elements) that cover n.
static inline int blocks_for(int n, int size) {
    return (n + size - 1) / size;
}
