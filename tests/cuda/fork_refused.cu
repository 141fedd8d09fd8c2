// A child after fork cannot use CUDA; the parent goes on.
// expect: child cudaErrorInitializationError
// expect: parent cudaSuccess
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>
int main() {
    CK(cudaFree(0));
    fflush(stdout);
    pid_t p = fork();
    if (!p) {
        int *d;
        printf("child %s\n", cudaGetErrorName(cudaMalloc(&d, 4)));
        fflush(stdout);
        _exit(0);
    }
    waitpid(p, NULL, 0);
    printf("parent %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
