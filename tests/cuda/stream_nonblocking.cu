// A non-blocking stream does not wait for the default stream: the host function in the default stream is let go by one in the other.
// expect: other
// expect: default
#include "common.h"
#include <atomic>
static std::atomic<int> go;
static void CUDART_CB wait(void *) {
    while (!go) {}
    printf("default\n");
}
static void CUDART_CB open(void *) {
    printf("other\n");
    go = 1;
}
int main() {
    cudaStream_t s;
    CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CK(cudaLaunchHostFunc(s, open, NULL));
    CK(cudaLaunchHostFunc(0, wait, NULL));
    CK(cudaDeviceSynchronize());
}
