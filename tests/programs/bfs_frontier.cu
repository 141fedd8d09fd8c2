// Breadth-first search: a queue for each level, filled by atomics, a claim of each node by compare and swap.
#include "programs.cuh"
__global__ void level(const int *row, const int *col, const int *from, int count, int *to, int *to_count, int *depth, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int u = from[i];
    for (int e = row[u]; e < row[u + 1]; e++)
        if (atomicCAS(&depth[col[e]], -1, d) == -1) to[atomicAdd(to_count, 1)] = col[e];
}
int main() {
    const int n = 4000;
    std::vector<std::vector<int>> next(n);
    for (int i = 0; i < 3 * n; i++) {
        int a = rnd() % n, b = rnd() % 4 ? (a + rnd() % 9) % n : rnd() % n;
        next[a].push_back(b), next[b].push_back(a);
    }
    std::vector<int> row(1), col, want(n, -1), queue{0}, minus(n, -1);
    for (auto &l : next) col.insert(col.end(), l.begin(), l.end()), row.push_back((int)col.size());
    want[0] = 0;
    for (size_t i = 0; i < queue.size(); i++)
        for (int v : next[queue[i]])
            if (want[v] < 0) want[v] = want[queue[i]] + 1, queue.push_back(v);
    minus[0] = 0;
    int *dr = device(row), *dc = device(col), *depth = device(minus), *q[2] = {zeros<int>(n), zeros<int>(n)}, *size = device<int>(1), count = 1;
    for (int d = 1; count; d++) {
        CK(cudaMemset(size, 0, 4));
        level<<<blocks(count, 64), 64>>>(dr, dc, q[~d & 1], count, q[d & 1], size, depth, d);
        count = host(size, 1)[0];
    }
    equal("depths", host(depth, n), want);
    return verdict();
}
