// kind: slow
// expect: fail counter active_lanes_avg
// expect: met correct
// One single thread writes everything.
__global__ void who(int *id, int n) {
    for (int i = 0; i < n; i++) id[i] = i;
}
void hello(int *id, int n) { who<<<1, 1>>>(id, n); }
