-- Chapter 2: the open end.
return lab {
  id = "matmul-open",
  title = { en = "Matrix product: as fast as you can", zh = "矩阵乘法：越快越好" },
  chapter = 2,
  minutes = 40,
  needs = { "matmul-coarse" },
  source = "slides IV; book 5.5, 6.3; guide 5.3.2",
  teaches = {
    ["register-tiles"] = "say ask",
    ["vector-loads"] = "predict hints",
    ["double-buffering"] = "hints exercise",
    ["fp32-peak"] = "goals show",
    cublas = "after",
  },
  entry = "void matmul_open(const float *a, const float *b, float *c, int n)",
  args = {
    a = uniform(-1, 1, "n*n"),
    b = uniform(-1, 1, "n*n"),
    c = output("n*n", { ops = "2*n" }),
  },
  cases = { { n = 1 }, { n = 64 }, { n = 100 }, { n = 257 }, { n = 768, timed = true } },
  hidden = { count = 2, n = { 2, 300 } },
  forbid = { "cublas", "cutlass", "wmma" },
  goals = {
    correct { points = 3 },
    at_most("shared_loads", 0.2 * baseline) {
      points = 4,
      en = "The baseline reads two words of shared memory per multiply-add. A thread with 4 x 4 outputs in registers needs 8 words for 16 multiply-adds, and two 16-byte loads bring them.",
      zh = "基线每做一次乘加要从共享内存读两个字。如果一个线程在寄存器里保存 4 x 4 个输出，8 个字就够做 16 次乘加，而且只需两次 16 字节的读取。",
    },
    tiers("fp32") {
      bronze = 0.15,
      silver = 0.2,
      gold = 0.25,
      points = 1,
      en = "The limit of a matrix product is the device's peak rate of multiply-adds. Which other instructions does the multiprocessor issue?",
      zh = "矩阵乘法的上限是设备的乘加峰值。除了乘加，多处理器还发射了哪些指令？",
    },
    speedup(1.5) {
      points = 2,
      none = 1,
      en = "Where does the time go? `profile` names the limiter, and `show` draws the roofline.",
      zh = "时间花在哪里？`profile` 会指出瓶颈，`show` 会画出屋顶线。",
    },
  },
  steps = {
    say {
      en = [[
The tiled product spends its time on moving words from shared memory to registers: two loads for each multiply-add. Shared memory gives a
multiprocessor 32 words per cycle, but its cores want 256 operands.

The solution is to tile once more, one level up: each thread keeps a square of *outputs* in its registers. A column of 8 elements of A and a row of 8
elements of B are 16 words, enough for 64 multiply-adds.]],
      zh = [[
分块乘法的时间花在从共享内存向寄存器搬运数据上：每次乘加要读两次。共享内存每个周期只能给一个多处理器 32 个字，而多处理器的运算核心需要 256 个操作数。

办法是在寄存器这一级再分块一次：每个线程在寄存器里保存一个小方阵的*输出*。A 的一列 8 个元素和 B 的一行 8 个元素，共 16 个字，就够做 64 次乘加。]],
    },
    ask {
      alone = true,
      en = "A thread that holds {r} x {r} outputs in registers reads 2 * {r} words from shared memory per step of k. How many multiply-adds does it do per word?",
      zh = "一个线程在寄存器里保存 {r} x {r} 个输出，k 每前进一步，从共享内存读 2 * {r} 个字。平均每读一个字做多少次乘加？",
      draw = { r = { from = { 2, 4, 6, 8 } } },
      answer = function(d) return d.r / 2 end,
      because = { en = "{r} * {r} multiply-adds for 2 * {r} words. If {r} is a multiple of 4, 16-byte loads also cut the load instructions to a quarter.",
                  zh = "{r} * {r} 次乘加用 2 * {r} 个字。如果 {r} 是 4 的倍数，改用 16 字节的读取，读取指令还能再减到四分之一。" },
    },
    ask {
      alone = true,
      en = "8 x 8 sums already take 64 registers of a thread. A kernel needs {r} registers per thread and has blocks of 256 threads. A multiprocessor has 65,536 registers. How many blocks do the registers allow?",
      zh = "仅 8 x 8 个和，每个线程就要 64 个寄存器。某个核函数每个线程用 {r} 个寄存器，每块 256 个线程，而一个多处理器有 65,536 个寄存器。只看寄存器，一个多处理器能容纳多少个线程块？",
      draw = { r = { from = { 64, 80, 96, 128, 168, 240 } } },
      answer = function(d) return 65536 // (d.r * 256) end,
      because = {
        en = "65536 / ({r} * 256), rounded down. With 128 registers it is 2: 16 warps of 64. The occupancy is low, and yet the kernel is fast: the 64 independent sums of a thread hide the latency that more warps would hide in other kernels.",
        zh = "65536 / ({r} * 256) 向下取整。128 个寄存器时是 2：最多 64 个线程束（warp）中只有 16 个。占用率很低，核函数却很快：别的核函数靠更多的 warp 掩盖延迟，这里靠每个线程 64 个互不依赖的和。",
      },
    },
    ask {
      en = "*Double buffering* keeps two copies of the tiles. While the block multiplies one copy, the elements of the next step are on their way; then the block stores them into the other copy. One barrier per step is now enough. Why?",
      zh = "*双缓冲*：tile 存两份。线程块用一份做乘法时，下一步的元素已经在途，随后写进另一份。这样每步只要一次屏障就够了。为什么？",
      choices = {
        { en = "The loads take so long that all threads have finished by then", zh = "读取要很久，那时所有线程都已经做完了", because = { en = "Nothing guarantees that. It would be a race.", zh = "这一点没有任何保证，会造成数据竞争。" } },
        { en = "The copy that a step overwrites was last read in the step before, and a barrier lies in between", zh = "一步里要覆盖的那份，在上一步已经读完，中间隔着一次屏障", right = true },
        { en = "Each thread reads only what it stored itself", zh = "每个线程只读自己存的元素", because = { en = "A thread reads a column and a row that all threads of the block have loaded.", zh = "线程读的一列和一行，是块内所有线程一起装入的。" } },
      },
    },
    predict {
      en = "A 768 x 768 matrix has only 144 tiles of 64 x 64, hardly more than one for each of 132 multiprocessors. So the model answer takes tiles of 32 x 32 here, with 4 x 4 outputs per thread. The baseline makes two shared loads per warp and step. With 16-byte loads (2 loads for 16 multiply-adds), how many of its 2 * 768^3 / 32 = 28,311,552 requests are left?",
      zh = "768 x 768 的矩阵只有 144 个 64 x 64 的 tile，132 个多处理器平均每个只分到一个多一点。所以参考答案在这里用 32 x 32 的 tile，每个线程算 4 x 4 个输出。基线每个 warp 每步做两次共享内存读取，共 2 * 768^3 / 32 = 28,311,552 个请求。改用 16 字节读取（16 次乘加只需 2 次读取）后，还剩多少个请求？",
      counter = "shared_ld_requests",
      of = "answer",
      tolerance = 0.05,
      because = { en = "768^3 / 32 multiply-adds of whole warps; 16 of them take 2 loads: 768^3 / 32 / 16 * 2 = 1,769,472. Squares of 8 x 8 would halve that once more, and yet take longer on an H200 at this size: there are few blocks, and most of the multiprocessor's schedulers have one warp or none.", zh = "共 768^3 / 32 次 warp 乘加，每 16 次只需 2 次读取：768^3 / 32 / 16 * 2 = 1,769,472。换成 8 x 8 个输出还能再减半，但在 H200 上、这个尺寸下反而更慢：线程块太少，多处理器的大多数调度器只有一个 warp，甚至没有。" },
    },
    exercise {
      en = "Make the product fast: first with register tiles, then with 16-byte loads, then with double buffering. Do not use a library: Warplab refuses a program that names `cublas`, `cutlass` or `wmma`.",
      zh = "让矩阵乘法尽可能快：先做寄存器分块，再用 16 字节的读取，最后做双缓冲。请不要用现成的库：程序里出现 `cublas`、`cutlass` 或 `wmma`，Warplab 会拒绝。",
    },
    show {
      picture = "roofline",
      en = "Your kernel in the roofline of the device.",
      zh = "你的核函数在设备屋顶线图中的位置。",
    },
    compare {
      en = "Your kernel beside the model answer.",
      zh = "你的核函数与参考答案的对比。",
      beside = "answer",
      counters = { "shared_ld_requests", "shared_ld_conflicts", "gld_requests", "thread_inst", "registers", "occupancy_pct" },
    },
  },
  hints = {
    { goal = "shared_loads", en = "Let a thread compute a small square of outputs instead of one. Which words does it read from shared memory per step of k, and how often does it use each?",
      zh = "让一个线程算一个小方阵的输出，而不是一个元素。k 每前进一步，这个线程要从共享内存读哪些字？每个字用几次？" },
    { goal = "shared_loads", en = "Use `float sum[4][4]`, and unroll the loops fully so that it stays in registers. Store the tile of A transposed, so that the 4 elements of a column are one float4.",
      zh = "用 `float sum[4][4]`，循环完全展开，让这个数组留在寄存器里；A 的 tile 转置存放，这样一列 4 个元素就是一个 float4。" },
    { en = "Each block of 64 threads computes 32 x 32 outputs, in steps of 16 along k, with two copies of the tiles. In each step: load the next step's elements into registers, multiply, store into the other copy, one barrier. `answer` shows the code once you have passed.",
      zh = "每块 64 个线程算 32 x 32 个输出，沿 k 每步 16，tile 存两份。每一步：把下一步的元素读到寄存器，做乘法，写到另一份，一次屏障。通过之后可以用 `answer` 查看完整代码。" },
  },
  after = {
    en = [[
With register tiles, vector loads and double buffering, a plain CUDA kernel reaches 85% of cuBLAS's single-precision speed on an H200 (43.6 of 51.4
TFLOP/s at 4096, measured, cold). At 2048 it takes 403 us; the kernel of `matmul-tiled` takes 1849. The remaining gap lies in the order of the
instructions, which CUDA C++ hardly lets you control.]],
    zh = [[
用上寄存器分块、向量化读取和双缓冲，一个普通的 CUDA 核函数在 H200 上能达到 cuBLAS 单精度速度的 85%（n = 4096 时，51.4 TFLOP/s 中的 43.6，
冷缓存实测）。n = 2048 时用 403 微秒，而 `matmul-tiled` 的核函数用 1849 微秒。剩下的差距在于指令的排列顺序，用 CUDA C++ 很难控制。]],
  },
  more = {
    en = "The model answer has three sizes of tile. Make it use 64 x 64 or 128 x 128 for the n = 768 of this lab, and look at `profile`. How many blocks are left for how many multiprocessors? Why is the tile with the most reuse slower here?",
    zh = "参考答案里有三种大小的 tile。在本实验的 n = 768 上，让参考答案改用 64 x 64 或 128 x 128 的那种，看看 `profile`。还剩多少个线程块，分给多少个多处理器？为什么复用最多的 tile 在这里反而更慢？",
  },
}
