// Breadth-first search that the device keeps going: each level's kernel is followed, in the tail stream, by one that looks whether there is a next level
// and launches it, with as many blocks as it needs.
// flags: -rdc=true
#include "programs.cuh"
struct graph {
    const int *first, *edge;
    int *distance, *frontier[2], *count; // count: of each frontier
};
__global__ void advance(graph g, int level);
__global__ void expand(graph g, int level, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = g.frontier[level & 1][i];
    for (int e = g.first[v]; e < g.first[v + 1]; e++)
        if (atomicCAS(&g.distance[g.edge[e]], -1, level + 1) == -1) g.frontier[~level & 1][atomicAdd(&g.count[~level & 1], 1)] = g.edge[e];
}
__global__ void advance(graph g, int level) {
    int n = g.count[level & 1];
    if (!n) return;
    g.count[~level & 1] = 0;
    expand<<<(n + 63) / 64, 64>>>(g, level, n);
    advance<<<1, 1, 0, cudaStreamTailLaunch>>>(g, level + 1);
}
int main() {
    const int n = 3000;
    std::vector<int> first{0}, edge, want(n, -1), queue{0};
    for (int v = 0; v < n; v++) { // a ring with chords
        edge.push_back((v + 1) % n), edge.push_back((v + n - 1) % n);
        if (v % 7 == 0) edge.push_back((int)(rnd() % n));
        first.push_back((int)edge.size());
    }
    want[0] = 0;
    for (size_t i = 0; i < queue.size(); i++)
        for (int e = first[queue[i]]; e < first[queue[i] + 1]; e++)
            if (want[edge[e]] < 0) want[edge[e]] = want[queue[i]] + 1, queue.push_back(edge[e]);
    std::vector<int> distance(n, -1);
    distance[0] = 0;
    graph g = {device(first), device(edge), device(distance), {zeros<int>(n), device<int>(n)}, device(std::vector<int>{1, 0})};
    advance<<<1, 1>>>(g, 0);
    equal("distances", host(g.distance, n), want);
    return verdict();
}
