// kind: cheat
// expect: fail
// Cheats: lets the host write the numbers and copies them over.
#include <vector>
void hello(int *id, int n) {
    std::vector<int> v(n);
    for (int i = 0; i < n; i++) v[i] = i;
    cudaMemcpy(id, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);
}
