// concurrent: `jobs` pendulums of `cells` cells each. Every pendulum makes
// `steps` steps, one after another; the pendulums do not depend on each other.
// zh: concurrent：共 jobs 组摆，每组 cells 个。每组要依次走 steps 步；
// zh: 各组之间互不相干。

// One step of one pendulum: a long computation for few threads. Nothing is to
// be done here.
// zh: 一组摆走一步：线程不多，计算很长。这里不用改。
__global__ void step(float *x, int cells, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++)
        v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
    x[i] = v;
}

// x is device memory: job j has x[j * cells] to x[j * cells + cells - 1].
// zh: x 是设备内存：第 j 组是 x[j * cells] 到 x[j * cells + cells - 1]。
void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    int blocks = (cells + 127) / 128;
    // TODO: which of these launches have to wait for which? And how often must
    // the host call?
    // zh: TODO：这些启动里，哪个必须等哪个？主机又非得调用这么多次吗？
    for (int j = 0; j < jobs; j++)
        for (int s = 0; s < steps; s++)
            step<<<blocks, 128>>>(x + (size_t)j * cells, cells, rounds);
}
