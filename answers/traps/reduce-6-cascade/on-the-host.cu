// kind: cheat
// expect: fail
// Cheats: copies the numbers to the host and adds them up there.
#include <vector>
void reduce(const int *in, int *total, int n) {
    std::vector<int> x(n);
    cudaMemcpy(x.data(), in, n * sizeof(int), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int v : x) sum += v;
    cudaMemcpy(total, &sum, sizeof(int), cudaMemcpyHostToDevice);
}
