#!/bin/bash
# profile tells page-locked memory that the host changes while a copy is under way with the copy's
# line, in both languages; the program that waits is told nothing.
. "$(dirname "$0")/../lib.sh"

cat >"$T/held.cu" <<'CU'
#include <cstdio>
int main(int argc, char **) {
    int *h, *d, bytes = 4000;
    cudaMallocHost(&h, bytes), cudaMalloc(&d, bytes);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 1000; i++) h[i] = i + k;
        cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice);
        if (argc == 1) cudaStreamSynchronize(0);
    }
    cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost);
    if (argc == 1) cudaDeviceSynchronize();
    h[999] = -1;
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFreeHost(h), cudaFree(d);
}
CU
run "$W" profile --device sim:h200 "$T/held.cu" early
has "held.cu:7: the host changes page-locked memory while an asynchronous copy from it is under way (byte 0 of its 4,000); wait for the copy first" "the source of a copy, with the copy's line"
has "held.cu:10: the host changes page-locked memory while an asynchronous copy to it is under way (byte 3,996 of its 4,000)" "its destination"
run "$W" profile --lang zh --device sim:h200 "$T/held.cu" early
has "held.cu 第 7 行：异步拷贝还在进行时，主机改动了作为拷贝来源的锁页内存（4,000 字节中的第 0 字节）" "in Chinese, too"
# Of more than 64 MiB pieces are compared: the last bytes of the last row are among them, whatever
# the rows are.
cat >"$T/rows.cu" <<'CU'
#include <cstdlib>
int main(int, char **argv) {
    size_t width = atoi(argv[1]), rows = atoi(argv[2]), pitch = width + 4096;
    char *h, *d;
    cudaMallocHost(&h, rows * pitch), cudaMalloc(&d, rows * width), cudaMemset(d, 0, rows * width);
    cudaMemcpy2DAsync(h, pitch, d, width, width, rows, cudaMemcpyDeviceToHost);
    h[(rows - 1) * pitch + width - 1] = 1;
    cudaDeviceSynchronize(), cudaFreeHost(h), cudaFree(d);
}
CU
for shape in "4096 17000" "40000000 2" "1000 70001" "70000000 1"; do
    # shellcheck disable=SC2086 # two numbers
    run "$W" profile --device sim:h200 "$T/rows.cu" $shape
    has "rows.cu:6: the host changes page-locked memory while an asynchronous copy to it is under way" "the last byte of rows of $shape"
done
run "$W" profile --device sim:h200 "$T/held.cu"
lacks "page-locked memory while" "a program that waits: nothing is told"
finish
