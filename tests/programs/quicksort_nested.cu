// Quicksort whose kernels launch themselves on both halves, in streams of the device; short pieces are sorted by one thread.
// flags: -rdc=true
#include "programs.cuh"
const int SHORT = 32, DEEPEST = 16;
__device__ void insertion(unsigned *a, int n) {
    for (int i = 1; i < n; i++) {
        unsigned x = a[i];
        int j = i;
        for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}
__global__ void sort(unsigned *a, int n, int depth) {
    if (n <= SHORT || depth == DEEPEST) {
        insertion(a, n);
        return;
    }
    unsigned pivot = a[n / 2];
    int left = 0, right = n - 1;
    while (left <= right) {
        while (a[left] < pivot) left++;
        while (a[right] > pivot) right--;
        if (left > right) break;
        unsigned x = a[left];
        a[left++] = a[right], a[right--] = x;
    }
    cudaStream_t s;
    if (right > 0) {
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        sort<<<1, 1, 0, s>>>(a, right + 1, depth + 1);
        cudaStreamDestroy(s);
    }
    if (left < n - 1) {
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        sort<<<1, 1, 0, s>>>(a + left, n - left, depth + 1);
        cudaStreamDestroy(s);
    }
}
int main() {
    const int n = 4000;
    std::vector<unsigned> a(n);
    for (auto &x : a) x = rnd() % 3000;
    unsigned *d = device(a);
    sort<<<1, 1>>>(d, n, 0);
    std::sort(a.begin(), a.end());
    equal("sorted", host(d, n), a);
    return verdict();
}
