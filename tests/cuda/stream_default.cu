// The default stream waits for blocking streams, and they for it; host functions show the order.
// expect: a b c
#include "common.h"
static char order[16];
static void CUDART_CB put(void *c) { strncat(order, (const char *)c, 2); }
int main() {
    cudaStream_t s, t;
    CK(cudaStreamCreate(&s)), CK(cudaStreamCreate(&t));
    CK(cudaLaunchHostFunc(s, put, (void *)"a "));
    CK(cudaLaunchHostFunc(0, put, (void *)"b "));
    CK(cudaLaunchHostFunc(t, put, (void *)"c "));
    CK(cudaDeviceSynchronize());
    order[strlen(order) - 1] = 0;
    printf("%s\n", order);
}
