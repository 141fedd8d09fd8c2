// __managed__ variables: one variable for host and kernels, with its initial value on both sides.
// flags: tests/cuda/units/managed_second.cu
// gpu limit: __managed__ variables need memory that the driver gives no other process
// fast
// expect: initial 5 9 0 2
// expect: scalar 6 12 13
// expect: array 0 510 255 32640
// expect: struct 4 2.5 x 1
// expect: two kernels 256 256
// expect: symbols 77 77 1024 1 1
// expect: attributes 3 0 1 1
// expect: pointer 1 1 1000
// expect: template 3
// expect: free cudaErrorInvalidValue cudaErrorInvalidValue
// expect: other unit 40 42 9
// expect: memset 0 0
#include "common.h"
struct pair {
    int n;
    double d;
    char text[2];
};
__device__ __managed__ int x = 5;
__managed__ float table[256];
__managed__ pair p = {3, 2.5, "w"};
static __managed__ int hidden = 9;
__managed__ int host_only = 0; // no kernel names it
template <class T> __managed__ T twice = T(2);
__managed__ int sums[2];
__device__ int plain = 1;

__global__ void step(int by) { x += by; }
__global__ void fill() { table[threadIdx.x] = 2.0f * threadIdx.x; }
__global__ void halve() { table[threadIdx.x] /= 2; }
__global__ void change() { p.n += 1, p.text[0] = 'x', plain += 1, hidden *= 1; }
__global__ void count(int which) { atomicAdd(&sums[which], 1); }
__global__ void through(int *to, int **at, int value) { *to = value, *at = &x; }
__global__ void more() { twice<int> += 1; }

int second_get();                  // the second unit's own variable, of the same name
void second_step(int by);

int main() {
    printf("initial %d %d %d %d\n", x, hidden, host_only, twice<int>);

    // In turn: kernel, host, kernel.
    step<<<1, 1>>>(1);
    CK(cudaDeviceSynchronize());
    printf("scalar %d", x);
    x *= 2;
    printf(" %d", x);
    step<<<1, 1>>>(1);
    CK(cudaDeviceSynchronize());
    printf(" %d\n", x);

    fill<<<1, 256>>>();
    CK(cudaDeviceSynchronize());
    float first = table[0], last = table[255], sum = 0;
    halve<<<1, 256>>>();
    CK(cudaDeviceSynchronize());
    for (float v : table) sum += v;
    printf("array %g %g %g %g\n", first, last, table[255], sum);

    change<<<1, 1>>>();
    CK(cudaDeviceSynchronize());
    printf("struct %d %g %s %d\n", p.n, p.d, p.text, p.text[1] == 0);

    count<<<2, 128>>>(0);
    count<<<4, 64>>>(1);
    CK(cudaDeviceSynchronize());
    printf("two kernels %d %d\n", sums[0], sums[1]);

    int v = 77, back = 0;
    size_t bytes;
    void *address;
    CK(cudaMemcpyToSymbol(x, &v, sizeof v));
    int now = x;
    CK(cudaMemcpyFromSymbol(&back, x, sizeof back));
    CK(cudaGetSymbolSize(&bytes, table));
    CK(cudaGetSymbolAddress(&address, table));
    CK(cudaMemcpyFromSymbol(&first, table, sizeof first, 5 * sizeof first));
    printf("symbols %d %d %zu %d %d\n", now, back, bytes, address == table, first == table[5]);

    cudaPointerAttributes a;
    CK(cudaPointerGetAttributes(&a, &table[3]));
    printf("attributes %d %d %d %d\n", a.type, a.device, a.devicePointer == &table[3], a.hostPointer == &table[3]);

    // Its address is the same on both sides, and may be a kernel's argument.
    int **at;
    CK(cudaMallocManaged(&at, sizeof *at));
    through<<<1, 1>>>(&x, at, 1000);
    CK(cudaDeviceSynchronize());
    printf("pointer %d %d %d\n", *at == &x, **at == x, x);
    CK(cudaFree(at));

    more<<<1, 1>>>();
    CK(cudaDeviceSynchronize());
    printf("template %d\n", twice<int>);

    printf("free %s", cudaGetErrorName(cudaFree(&x)));
    printf(" %s\n", cudaGetErrorName(cudaFree(table)));

    int before = second_get();
    second_step(2);
    printf("other unit %d %d %d\n", before, second_get(), hidden);

    CK(cudaMemset(table, 0, sizeof table));
    CK(cudaDeviceSynchronize());
    printf("memset %g %g\n", table[0], table[255]);
}
