// lab: vector-add
// expect: fail correct
// Searches its own address space, through /proc/self/maps and mem, for the expected values.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
void vector_add(const float *, const float *, float *c, int n) {
    FILE *maps = fopen("/proc/self/maps", "r"), *mem = fopen("/proc/self/mem", "r");
    static char line[512], block[1 << 16];
    while (maps && mem && fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx r", &from, &to) != 2 || to - from < n * sizeof(float) || strstr(line, ".so")) continue;
        fseek(mem, (long)from, SEEK_SET);
        if (fread(block, 1, sizeof block, mem) == sizeof block && n * sizeof(float) <= sizeof block) cudaMemcpy(c, block, n * sizeof(float), cudaMemcpyHostToDevice);
    }
}
