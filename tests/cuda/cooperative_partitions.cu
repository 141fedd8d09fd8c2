// Groups of threads that depend on data: those that came to a place, those with the same label, two halves by a condition, tiles of a coalesced group; sums and scans over each.
// The host computes all of it from the members of each group, in the order of their lanes.
// std: c++17
// arch: sm_80
// fast
// expect: coalesced: 0 wrong
// expect: labelled: 0 wrong
// expect: halves: 0 wrong
// expect: tiles: 0 wrong
#include "common.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <vector>
namespace cg = cooperative_groups;
__host__ __device__ unsigned number(unsigned thread, unsigned k) {
    unsigned x = thread * 2654435761u + k * 40503u + 17;
    x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
    return x;
}
struct seen {
    unsigned rank, size, sum, least, scan, before, last; // of the thread in its group: what reduce, inclusive_scan, exclusive_scan, shfl give
};
template <class G> __device__ seen look(const G &g, unsigned v) {
    seen s = {(unsigned)g.thread_rank(), (unsigned)g.num_threads()};
    s.sum = cg::reduce(g, v, cg::plus<unsigned>());
    s.least = cg::reduce(g, v, cg::less<unsigned>());
    s.scan = cg::inclusive_scan(g, v, cg::plus<unsigned>());
    s.before = cg::exclusive_scan(g, v, cg::bit_xor<unsigned>());
    s.last = g.shfl(v, g.num_threads() - 1);
    return s;
}
__global__ void groups(seen *o) {
    unsigned t = threadIdx.x, n = blockDim.x;
    if (number(t, 1) % 3 == 0) return;
    cg::coalesced_group g = cg::coalesced_threads();
    o[t] = look(g, number(t, 2));
    o[n + t] = look(cg::labeled_partition(g, (int)(number(t, 3) % 5)), number(t, 2));
    o[2 * n + t] = look(cg::binary_partition(g, (number(t, 4) & 1) != 0), number(t, 2));
    o[3 * n + t] = look(cg::tiled_partition(g, 4), number(t, 2));
}
int main() {
    const unsigned n = 256;
    const char *name[] = {"coalesced", "labelled", "halves", "tiles"};
    seen *d;
    CK(cudaMalloc(&d, 4 * n * sizeof *d));
    CK(cudaMemset(d, 0, 4 * n * sizeof *d));
    groups<<<1, n>>>(d);
    std::vector<seen> got(4 * n);
    CK(cudaMemcpy(got.data(), d, 4 * n * sizeof *d, cudaMemcpyDeviceToHost));
    for (int kind = 0; kind < 4; kind++) {
        int wrong = 0;
        for (unsigned t = 0; t < n; t++) {
            if (number(t, 1) % 3 == 0) continue;
            std::vector<unsigned> here, mine; // threads of the warp that are there; of those, the group's
            unsigned at = 0;
            for (unsigned l = t / 32 * 32; l < t / 32 * 32 + 32; l++)
                if (number(l, 1) % 3) at = l == t ? here.size() : at, here.push_back(l);
            for (unsigned k = 0; k < here.size(); k++) {
                unsigned l = here[k];
                bool with = kind == 0   ? true
                            : kind == 1 ? number(l, 3) % 5 == number(t, 3) % 5
                            : kind == 2 ? (number(l, 4) & 1) == (number(t, 4) & 1)
                                        : k / 4 == at / 4;
                if (with) mine.push_back(l);
            }
            seen want = {0, (unsigned)mine.size(), 0, ~0u, 0, 0, number(mine.back(), 2)};
            for (unsigned k = 0; k < mine.size(); k++) {
                unsigned v = number(mine[k], 2);
                want.sum += v, want.least = v < want.least ? v : want.least;
                if (mine[k] == t) want.rank = k;
                if (mine[k] <= t) want.scan += v;
                if (mine[k] < t) want.before ^= v;
            }
            wrong += memcmp(&want, &got[kind * n + t], sizeof want) != 0;
        }
        printf("%s: %d wrong\n", name[kind], wrong);
    }
    CK(cudaFree(d));
}
