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
    at_least("occupancy_pct", 70) {
      points = 2,
      en = [[
        A block takes too much of one resource, so only a few blocks fit. Which resource is it?
      ]],
      zh = "每个块占用某种资源太多，所以只放得下几个块。是哪种资源？",
    },
    at_most("all_load_bytes", 0.66 * baseline) {
      points = 2,
      en = [[
        Elements still go through shared memory, or through another memory, although only one thread
        needs each of them.
      ]],
      zh = "元素还在经过共享内存或其他内存，但每个元素只有一个线程需要。",
    },
    speedup(1.1) {
      points = 2,
      none = 1,
      en = [[
        Only a few warps are resident, and they also wait at barriers. What would a kernel without
        the tile look like?
      ]],
      zh = "驻留的 warp 很少，而且还要在屏障处等待。去掉 tile 之后，核函数应当怎样写？",
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel computes `y[i] = 2 * x[i] + 1`. The baseline first loads the elements into
        a tile in shared memory, as the fast matrix products do. You will find out what this tile
        costs and what it saves. Then you remove what does not pay.

        Every optimisation has a price. Tiling takes shared memory, and it saves loads from global
        memory. A block of the baseline takes 40 KB of shared memory. What does the baseline save in
        return?
      ]],
      zh = [[
        本实验的核函数计算 `y[i] = 2 * x[i] + 1`。基线像快速的矩阵乘法那样，
        先把元素读入共享内存里的 tile。你会学到：这个 tile 的代价是什么，又节省了什么。
        然后你要去掉不划算的部分。

        优化都有代价。分块（tiling）占用共享内存，换来更少的全局内存读取。基线的每个块占用 40 KB 共
        享内存，换来了什么？
      ]],
    },
    ask {
      en = "How many times does the kernel use each element that it has brought into the tile?",
      zh = "核函数把每个元素搬进 tile 之后，用了几次？",
      answer = 1,
      because = {
        en = [[
          The kernel uses each element once. There is nothing to reuse, so there is nothing to save.
        ]],
        zh = "每个元素只用一次。没有复用，也就没有节省。",
      },
    },
    ask {
      alone = true,
      en = "A multiprocessor has {k} KB of shared memory. How many blocks of 40 KB fit?",
      zh = "一个多处理器有 {k} KB 共享内存。能放下几个占 40 KB 的块？",
      draw = { k = { from = { 64, 100, 164, 228 } } },
      answer = function(d) return d.k // 40 end,
      because = {
        en = [[
          The number of blocks is {k} / 40, rounded down. Each block has 64 threads, which are 2
          warps. So the multiprocessor has only twice as many warps as blocks, and these few warps
          must hide all latency.
        ]],
        zh = [[
          块数是 {k} / 40，向下取整。每块有 64 个线程，即 2 个线程束（warp）。
          所以 warp 数只有块数的两倍，全部延迟都要靠这几个 warp 来掩盖。
        ]],
      },
    },
    ask {
      alone = true,
      en = "For which of these kernels would a tile in shared memory pay?",
      zh = "下面哪一个核函数，用共享内存里的 tile 会划算？",
      choices = {
        {
          en = "`y[i] = x[i] * x[i]`",
          zh = "`y[i] = x[i] * x[i]`",
          because = {
            en = "The element is used twice, but by the same thread, which has it in a register.",
            zh = "元素用了两次，但两次都由同一个线程使用，而这个线程已经把元素放在寄存器里。",
          },
        },
        {
          en = "`y[c * n + r] = x[r * n + c]`",
          zh = "`y[c * n + r] = x[r * n + c]`",
          right = true,
          because = {
            en = [[
              No element is reused, but rows become columns. Without a tile, either the loads or the
              stores of neighbouring lanes are a whole row apart.
            ]],
            zh = [[
              虽然没有复用，但行变成了列。没有 tile 时，读取和写入中总有一种不能合并：
              相邻 lane 的地址相隔一整行。
            ]],
          },
        },
        {
          en = "`y[n - 1 - i] = x[i]`",
          zh = "`y[n - 1 - i] = x[i]`",
          because = {
            en = [[
              A warp still stores 32 neighbouring words, but in descending order. The request
              touches four sectors if n is a multiple of 8, and five otherwise.
            ]],
            zh = [[
              一个 warp 写的仍是相邻的 32 个字，只是顺序相反：n 是 8 的倍数时还是四个扇区，
              否则是五个。
            ]],
          },
        },
      },
    },
    show {
      en = "The resources that the baseline takes:",
      zh = "基线占用的资源：",
      picture = "occupancy",
      of = "baseline",
    },
    predict {
      en = "Without the tile, what will the occupancy be with blocks of 256 threads? (in %)",
      zh = "去掉 tile 之后，块有 256 个线程时，占用率是百分之几？",
      counter = "occupancy_pct",
      of = "answer",
      tolerance = 0.02,
      because = {
        en = "The occupancy will be 100%, because only the thread slots limit it.",
        zh = "100%，因为只受线程槽的限制。",
      },
    },
    exercise { en = "Remove what does not pay.", zh = "把不划算的部分去掉。" },
    show {
      en = "The resources that your kernel takes:",
      zh = "你的核函数占用的资源：",
      picture = "occupancy",
      of = "mine",
    },
    compare {
      en = [[
        Your kernel and the baseline make the same loads from global memory. So what did the tile
        gain?
      ]],
      zh = "你的核函数和基线的全局内存读取完全一样。那么 tile 换来了什么？",
      counters = { "gld_sectors", "shared_ld_requests", "barriers", "occupancy_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Which thread reads an element from the tile? Which thread stored this element there?",
      zh = "从 tile 里读一个元素的是哪个线程？把这个元素写进 tile 的又是哪个线程？",
    },
    {
      en = "Keep a value in a register if only one thread needs it.",
      zh = "只有一个线程需要的值，应当放在寄存器里。",
    },
    {
      en = "Use one thread per element and no shared memory: `if (i < n) y[i] = 2 * x[i] + 1;`",
      zh = "每个线程处理一个元素，不用共享内存：`if (i < n) y[i] = 2 * x[i] + 1;`",
    },
  },

  after = {
    en = [[
      A tile helps in two cases. Either other threads *reuse* its elements, or the elements must be
      *rearranged*, as for a transposition or for the 12-byte structs of `float3-aos`. In all other
      cases, the tile only takes shared memory, and so fewer warps are resident to hide latency.

      If occupancy limits a kernel, using more shared memory makes the kernel slower. An H200 took
      14.0 us for the baseline and 5.9 us without the tile (measured with cold caches).
    ]],
    zh = [[
      tile 只在两种情况下有用：别的线程会*复用*里面的元素，或者元素需要*重新排列*（例如转置，
      或者 `float3-aos` 里 12 字节的结构体）。在其他情况下，tile 只是占用共享内存，使驻留的 warp
      变少，也就更难掩盖延迟。

      如果核函数受限于占用率，多用共享内存只会更慢。在 H200 上，基线用 14.0 微秒，
      去掉 tile 后用 5.9 微秒（冷缓存实测）。
    ]],
  },
  more = {
    en = [[
      Keep the tile, but make it only 4 KB per block (`TILE = 1024`). How much of the loss remains,
      and what causes it now?
    ]],
    zh = [[
      保留 tile，但每个块只用 4 KB（`TILE = 1024`）。与没有 tile 时相比，还慢多少？现在慢的原因是什
      么？
    ]],
  },
}
