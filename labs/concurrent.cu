// concurrent: simulates `jobs` pendulums, each with a state of `cells` floats.
// Every pendulum makes `steps` steps in order. The pendulums are independent.
// zh: concurrent：模拟 jobs 组单摆，每组的状态是 cells 个 float。
// zh: 每组依次走 steps 步，各组互不依赖。

// One step of one pendulum: few threads, and each computes for a long time.
// Do not change this kernel.
// zh: 一组单摆走一步：线程不多，但每个线程都算很久。这个核函数不用改。
__global__ void step(float *x, int cells, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++)
        v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
    x[i] = v;
}

// x is device memory. The state of pendulum j begins at x[j * cells].
// zh: x 是设备内存，第 j 组单摆的状态从 x[j * cells] 开始。
void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    int blocks = (cells + 127) / 128;
    // TODO: which of these launches must wait for another one? And how many
    // launch calls does the host need?
    // zh: TODO：这些启动里，哪些必须等待另一个？主机要做多少次启动调用？
    for (int j = 0; j < jobs; j++)
        for (int s = 0; s < steps; s++)
            step<<<blocks, 128>>>(x + (size_t)j * cells, cells, rounds);
}
