-- Chapter 5: an optimisation that costs more than it saves.
return lab {
  id = "tiling-trap",
  title = { en = "A tile too many", zh = "多余的 tile" },
  chapter = 5,
  minutes = 15,
  needs = { "occupancy", "matmul-tiled" },
  source = "book 5.4, 6.5",
  teaches = {
    ["resource-trading"] = "say ask compare",
    ["shared-limit"] = "ask show",
  },

  entry = "void tiling_trap(const float *x, float *y, int n)",
  args = { x = uniform(-1, 1, "n"), y = output("n", { ops = 2 }) },
  cases = { { n = 256 }, { n = 1 }, { n = 10241 }, { n = 1 << 19, timed = true } },
  hidden = { count = 3, n = { 2, 50000 } },
  goals = {
    correct { points = 4 },
    at_least("occupancy_pct", 70) { points = 2, en = "A block takes too much of one resource, so only a few blocks fit. Which resource is it?", zh = "每个块占用某种资源太多，所以只放得下几个块。是哪种资源？" },
    at_most("shared_loads", 0.1 * baseline) {
      points = 2,
      en = "Elements still go through shared memory, although no other thread needs them.",
      zh = "元素还在经过共享内存，但没有别的线程需要这些元素。",
    },
    speedup(1.1) {
      points = 2,
      none = 1,
      en = "Few warps are resident, and they wait at barriers, too. What would a kernel without the tile look like?",
      zh = "驻留的 warp 很少，而且还要在屏障处等待。去掉 tile 之后，核函数应当怎样写？",
    },
  },

  steps = {
    say {
      en = [[
        Every optimisation has a price. Tiling takes shared memory and saves loads from global memory. The baseline takes 40 KB of shared memory per
        block. What does it save?
      ]],
      zh = [[
        优化都有代价：分块（tiling）占用共享内存，换来更少的全局内存读取。基线每块占用 40 KB 共享内存，换来了什么？
      ]],
    },
    ask {
      en = "How many times does the kernel use each element that it has brought into the tile?",
      zh = "核函数把每个元素搬进 tile 之后，用了几次？",
      answer = 1,
      because = { en = "Once. There is nothing to reuse, so there is nothing to save.", zh = "一次。没有复用，也就没有节省。" },
    },
    ask {
      alone = true,
      en = "A multiprocessor has {k} KB of shared memory. How many blocks of 40 KB fit?",
      zh = "一个多处理器有 {k} KB 共享内存。能放下几个占 40 KB 的块？",
      draw = { k = { from = { 64, 100, 164, 228 } } },
      answer = function(d) return d.k // 40 end,
      because = { en = "{k} / 40, rounded down. A block has 64 threads, that is 2 warps. Twice that many warps are all there is to hide the waiting.", zh = "{k} / 40 向下取整。每块 64 个线程，即 2 个线程束（warp）：所有等待都要由“块数乘以 2”个 warp 来掩盖。" },
    },
    ask {
      alone = true,
      en = "For which of these would a tile in shared memory pay?",
      zh = "下面哪一种，用共享内存里的 tile 会划算？",
      choices = {
        { en = "`y[i] = x[i] * x[i]`", zh = "`y[i] = x[i] * x[i]`", because = { en = "The element is used twice, but by one thread, which has it in a register.", zh = "元素用了两次，但都由同一个线程使用，已经在寄存器里。" } },
        { en = "`y[c * n + r] = x[r * n + c]`", zh = "`y[c * n + r] = x[r * n + c]`", right = true, because = { en = "Nothing is reused, but rows become columns: without a tile, either the load or the store is strided.", zh = "虽然没有复用，但行变成了列：没有 tile，读和写总有一边是跨步的。" } },
        { en = "`y[n - 1 - i] = x[i]`", zh = "`y[n - 1 - i] = x[i]`", because = { en = "A warp still stores 32 neighbouring words, only in descending order: four sectors if n is a multiple of 8, else five.", zh = "一个 warp 写的仍是相邻的 32 个字，只是顺序相反：n 是 8 的倍数时还是四个扇区，否则是五个。" } },
      },
    },
    show { en = "The baseline:", zh = "基线：", picture = "occupancy", of = "baseline" },
    predict {
      en = "Without the tile, what will the occupancy be with blocks of 256 threads? (in %)",
      zh = "去掉 tile 之后，256 线程的块占用率是百分之几？",
      counter = "occupancy_pct",
      of = "answer",
      tolerance = 0.02,
      because = { en = "100%: only the thread slots limit it.", zh = "100%：只受线程槽限制。" },
    },
    exercise { en = "Remove what does not pay.", zh = "把不划算的部分去掉。" },
    show { en = "Your kernel:", zh = "你的核函数：", picture = "occupancy", of = "mine" },
    compare {
      en = "The loads from global memory are the same. What did the tile gain?",
      zh = "全局内存的读取完全一样。tile 换来了什么？",
      counters = { "gld_sectors", "shared_ld_requests", "barriers", "occupancy_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "Which thread reads an element from the tile? Which thread stored it there?", zh = "从 tile 里读一个元素的是哪个线程？把这个元素写进 tile 的又是哪个线程？" },
    { en = "A value that only one thread needs belongs in a register.", zh = "只有一个线程需要的值，应当放在寄存器里。" },
    { en = "`if (i < n) y[i] = 2 * x[i] + 1;`, one thread per element, no shared memory.", zh = "`if (i < n) y[i] = 2 * x[i] + 1;`，每个线程一个元素，不用共享内存。" },
  },

  after = {
    en = "Tiling helps if other threads *reuse* the elements, or if the elements must be *rearranged* (transposition, 12-byte structs). Otherwise it only takes room from the warps that hide latency. If occupancy limits a kernel, more shared memory makes it slower. An H200 took 14.0 us for the baseline and 5.9 us without the tile (measured, cold).",
    zh = "只有其他线程会*复用*元素，或者元素需要*重新排列*（转置、12 字节结构体）时，分块才有用。否则 tile 只会占用空间，使能够掩盖延迟的 warp 变少。如果核函数受限于占用率，用更多共享内存只会更慢。在 H200 上，基线用 14.0 微秒，去掉 tile 后用 5.9 微秒（冷缓存实测）。",
  },
  more = {
    en = "Keep the tile, but make it 4 KB per block (`TILE = 1024`). How much of the loss remains, and what causes it now?",
    zh = "保留 tile，但每个块只用 4 KB（`TILE = 1024`）。损失还剩多少？现在的原因是什么？",
  },
}
