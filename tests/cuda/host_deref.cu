// A device pointer used on the host: the program dies, and the finding says where.
// sim only
// status: 139
// stderr: finding: host-deref: host code wrote device memory
// stderr: byte 8 of an allocation of 400 bytes
// finding: host-deref
#include "common.h"
int main() {
    int *d;
    CK(cudaMalloc(&d, 400));
    d[2] = 1;
}
