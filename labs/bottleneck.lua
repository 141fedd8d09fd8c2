-- Chapter 10: the counters of a kernel tell what limits it.
local entry = "void mystery(const float *x, float *y, int n)"

-- The counters of one mystery kernel on an H200.
local function mystery(name, bits, en, zh)
  return show {
    en = en,
    zh = zh,
    picture = "counters",
    counters = { "device_us", "dram_read", "gld_sectors_per_request", "shared_ld_conflicts", "warp_inst", "achieved_occupancy_pct" },
    of = "kernels/bottleneck-" .. name .. ".cu",
    entry = entry,
    args = { x = uniform(-1, 1, "n"), y = output("n", { ops = 1000 }) },
    case = { n = 1 << bits },
    on = "sim:h200",
  }
end

-- The answer: its limiter, measured.
local function limiter(name, bits, en, zh)
  return answer(name) {
    points = 1,
    is = "limiter",
    of = "kernels/bottleneck-" .. name .. ".cu",
    entry = entry,
    args = { x = uniform(-1, 1, "n"), y = output("n", { ops = 1000 }) },
    case = { n = 1 << bits },
    on = "sim:h200",
    en = en,
    zh = zh,
  }
end

return lab {
  id = "bottleneck",
  title = { en = "Know your bottleneck", zh = "找到瓶颈" },
  chapter = 10,
  minutes = 35,
  needs = { "roofline-by-hand", "throughput" },
  source = "book 6.4, 6.5; guide 5.1; practice",
  teaches = {
    ["checklist"] = "say ask",
    ["resource-trade"] = "ask after",
    ["measure-not-guess"] = "say goals after",
    ["limiter-by-counters"] = "say show predict goals",
    ["what-if"] = "ask show predict",
    ["four-strategies"] = "say",
  },

  entry = "void bottleneck(const float *a, float *out, int rows)",
  args = { a = uniform(-1, 1, "rows * 64"), out = output("rows", { ops = 64, atol = 2e-5 }) },
  cases = {
    { rows = 1003 },
    { rows = 1 },
    { rows = 16 },
    { rows = 1 << 16, timed = true },
  },
  hidden = { count = 3, rows = { 2, 5000 } },
  goals = {
    correct { points = 2 },
    at_most("global_load_sectors", 0.25 * baseline) {
      points = 2,
      en = "Each request still asks for many sectors and uses little of each. Which numbers do neighbouring lanes read?",
      zh = "每个请求仍然要很多扇区，而每个扇区只用到一小部分。相邻的 lane 读的是哪些数？",
    },
    speedup(1.5) { points = 1 },
    limiter("a", 24, "How many bytes does kernel *a* move in that time? Compare the rate with the memory's 4.8 TB/s.", "核函数 *a* 在这段时间里搬了多少字节？把每秒字节数与内存的 4.8 TB/s 比一比。"),
    limiter("b", 16, "A multiprocessor issues at most four instructions a cycle. Divide to see how close kernel *b* comes.", "每个多处理器每周期最多发射 4 条指令。除一下，看核函数 *b* 离上限有多远。"),
    limiter("c", 12, "Kernel *c* moves little, computes little, and is slow. What does it wait for, and how many warps wait at once?", "核函数 *c* 搬的字节少，算得也少，却很慢。它在等什么？同时有多少个 warp 在等？"),
    limiter("d", 15, "One counter of kernel *d* is far higher than those of the other kernels.", "核函数 *d* 有一个计数器远高于其他几个核函数。"),
    answer("mine") {
      points = 1,
      is = "limiter",
      en = "`profile` names the limiter of your kernel now. Once you fix one limiter, the next one takes its place.",
      zh = "`profile` 会说出你的核函数现在的瓶颈。解决了一个瓶颈，就会轮到下一个。",
    },
  },

  steps = {
    say {
      en = [[
        "My kernel is slow. Which of all these tricks shall I try?" Let us answer that for four kernels without reading their source. Each spends most of its time on one thing, its *limiter*:

            dram     bytes to and from device memory
            l2, l1   sectors asked of the caches
            shared   passes through shared memory
            issue    instructions
            latency  waiting, with too few warps to fill the wait
            launch   the launch itself

        A remedy helps only if it relieves the limiter. The textbook's checklist has six remedies:

            remedy            relieves            spends              lab
            occupancy         latency             registers, shared   occupancy
            coalescing        dram, l2, l1        shared, barriers    coalescing
            less divergence   issue               index arithmetic    divergence
            tiling            dram, l2            shared, barriers    matmul-tiled
            privatisation     atomics at one word shared, a merge     histogram
            coarsening        repeated work       blocks, registers   granularity

        They serve four aims: keep all parts busy, move few bytes and move them well, execute few and cheap instructions, and allocate rarely. So do not guess. Measure which part works close to its limit; the others do not hold the kernel back.
      ]],
      zh = [[
        “我的核函数很慢，这么多技巧，该试哪一个？”我们不看源代码，就为四个核函数回答这个问题。每个核函数的时间主要花在一件事上，这就是它的*瓶颈*：

            dram     进出设备内存的字节
            l2、l1   向缓存请求的扇区
            shared   共享内存要走的遍数
            issue    指令的发射
            latency  等待，而 warp 太少，填不满等待
            launch   启动本身

        一个办法只有针对瓶颈才有用。教科书的清单有六种办法：

            办法        缓解什么          花掉什么            实验
            占用率      延迟              寄存器、共享内存    occupancy
            合并访问    dram、l2、l1      共享内存、屏障      coalescing
            减少发散    发射              下标运算            divergence
            分块        dram、l2          共享内存、屏障      matmul-tiled
            私有化      原子操作的争用    共享内存、合并一次  histogram
            粗化        重复的工作        块数、寄存器        granularity

        归纳起来是四个目标：让所有部件都忙起来；少搬字节，搬时合并；指令少而便宜；少分配内存。所以不要猜，要测：哪个部件已接近极限？其余的部件并不拖慢核函数。
      ]],
    },
    mystery("a", 24, "Kernel *a*, over 16 Mi floats:", "核函数 *a*，处理 16 Mi 个 float："),
    mystery("b", 16, "Kernel *b*, over 65,536 floats:", "核函数 *b*，处理 65,536 个 float："),
    mystery("c", 12, "Kernel *c*, over 4096 floats:", "核函数 *c*，处理 4096 个 float："),
    mystery("d", 15, "Kernel *d*, over 32,768 floats:", "核函数 *d*，处理 32,768 个 float："),
    predict {
      en = "Kernel *a* reads {m} Mi floats and writes {m} Mi floats. If only memory limits it, at 4.8 TB/s, how many microseconds does it take at least? (1 Mi is 2^20.)",
      zh = "核函数 *a* 读 {m} Mi 个 float，再写 {m} Mi 个。如果只受内存限制，带宽是 4.8 TB/s，至少要几微秒？（1 Mi 即 2^20。）",
      draw = { m = { from = { 4, 6 } } },
      counter = "device_us",
      of = "kernels/bottleneck-a.cu",
      entry = entry,
      args = { x = uniform(-1, 1, "n"), y = output("n", { ops = 1 }) },
      case = function(d) return { n = d.m << 20 } end,
      on = "sim:h200",
      tolerance = 0.35,
      unit = "us",
      because = {
        en = "{m} Mi elements move 8 bytes each, at 4.8e12 bytes a second. The measured time comes near to that, so nothing but fewer bytes would make it faster.",
        zh = "{m} Mi 个元素，每个搬 8 字节，除以每秒 4.8e12 字节。实测与此很接近，所以只有少搬字节才能让它更快。",
      },
    },
    ask {
      en = "What if a device had the same memory and issued twice as many instructions per cycle? Which of the four kernels would become about twice as fast?",
      zh = "假设有一种设备，内存不变，每周期能执行的指令翻倍。四个核函数里哪一个会加速到原来的约 2 倍？",
      order = "fixed",
      choices = {
        { "a", because = { en = "Its instructions already wait for memory.", zh = "它的指令本来就在等内存。" } },
        { "b", right = true, because = { en = "It does 800 multiply-adds for every 8 bytes it moves, and its warps always have something to issue.", zh = "它每搬 8 字节做 800 次乘加，而且每个线程束（warp）随时都有指令可发。" } },
        { "c", because = { en = "Each load waits for the one before it. Issuing the addition in between sooner changes little.", zh = "它的每次读取都要等前一次读取，中间的加法早点发射也差不了多少。" } },
        { "d", because = { en = "Each of its reads of shared memory takes 32 passes, and still would.", zh = "它每次读共享内存都要走 32 遍，在那种设备上也一样。" } },
      },
    },
    ask {
      en = "What if kernel *c* gets {k} times as many warps, and each does as much work as before? As long as latency limits it, how many times as long does it take? (1 means: as long as before.)",
      zh = "假设核函数 *c* 的 warp 增加到 {k} 倍，每个 warp 的工作与原来一样多。只要瓶颈仍是延迟，用时是原来的几倍？（1 表示一样长。）",
      draw = { k = { from = { 2, 3, 4 } } },
      answer = 1,
      because = { en = "The warps wait at the same time, so waiting takes no longer. The remedy for latency is therefore more work at once: more warps, or more independent loads in each (Little's law).", zh = "所有 warp 同时在等，等待的时间并不变长。所以对付延迟的办法是同时做更多的事：更多 warp，或者每个 warp 里更多互不依赖的读取（Little 定律）。" },
    },
    ask {
      en = "Low occupancy limits a kernel, and shared memory limits its occupancy. A friend suggests larger tiles, because they save loads. What happens?",
      zh = "占用率太低拖慢了一个核函数，而占用率又受共享内存限制。朋友建议把 tile 改大，这样能少读一些。结果会怎样？",
      choices = {
        { en = "It gets slower: larger tiles need more of what is short", zh = "更慢：更大的 tile 占用更多短缺的资源", right = true, because = { en = "Every trick spends one resource to save another. Tiling spends shared memory.", zh = "每个技巧都是用一种资源换另一种。分块用掉的是共享内存。" } },
        { en = "It gets faster, since it loads less", zh = "更快，因为读得少了", because = { en = "Loads were not the limiter, and fewer warps hide less of the latency that remains.", zh = "读取并不是瓶颈；warp 少了，剩下的延迟更难掩盖。" } },
        { en = "Nothing changes", zh = "没有变化", because = { en = "With larger tiles fewer blocks are resident.", zh = "tile 变大，驻留的块就变少。" } },
      },
    },
    show {
      en = "This is the kernel that you will fix, line by line, before any change:",
      zh = "下面是要由你修改的核函数，先逐行看它现在的样子：",
      picture = "sectors",
      of = "skeleton",
    },
    show {
      en = "The limiter says what the device is busy with. It does not say how much time a remedy would save. For that, Warplab replays the recorded run, each time without one cost. Which lines cause the largest cost?",
      zh = "瓶颈只说明设备忙在哪里，不说明解决它能省多少时间。为此，Warplab 重放记录下来的运行，每次去掉一项开销。最大的一项开销出自哪些行？",
      picture = "whatif",
      of = "skeleton",
    },
    exercise {
      en = [[
        Write the limiters of *a* to *d* behind `// answer a:` to `// answer d:` at the top of the file. Then fix the file's kernel, which adds up rows of 64 numbers: it moves each byte once, yet takes three times as long as the memory would need.
        Remove what limits it, and change nothing else. Then write what limits it now behind `// answer mine:`.
      ]],
      zh = [[
        先把 *a* 到 *d* 各自的瓶颈写在文件开头的 `// answer a:` 到 `// answer d:` 后面。然后修改文件里的核函数。它对每行 64 个数求和，每个字节只搬一次，用时却是内存所需时间的三倍。只去掉它的瓶颈，别的不动。最后把改好之后的瓶颈写在 `// answer mine:` 后面。
      ]],
    },
    show {
      en = "Your kernel under the roofline of this device:",
      zh = "你的核函数在这个设备的屋顶线图上的位置：",
      picture = "roofline",
    },
    compare {
      en = "Beside the baseline. Both move the same bytes of device memory; yours asks the cache for fewer sectors:",
      zh = "与基线对比。设备内存的字节数没变，向缓存请求的扇区少了：",
      counters = { "gld_requests", "gld_sectors", "dram_read", "warp_inst", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Divide each kernel's counters by its time and compare with what the device can do: 4.8 TB/s, and 4 instructions a cycle on each of 132 multiprocessors at 1.98 GHz. If neither is near its limit, the kernel waits.",
      zh = "用每个核函数的计数除以时间，再与设备的能力比较：内存 4.8 TB/s；132 个多处理器，频率 1.98 GHz，各每周期 4 条指令。如果两者都离极限很远，核函数就是在等待。",
    },
    {
      goal = "global_load_sectors",
      en = "In the file one thread adds up one row, so neighbouring lanes read 256 bytes apart: 32 sectors a request. Let several lanes of a warp share a row, and add up with shuffles.",
      zh = "文件里一个线程管一行，相邻 lane 读的地址相隔 256 字节，一个请求要 32 个扇区。让同一个 warp 的几个 lane 合读一行，再用 shuffle 求和。",
    },
    {
      en = "Use 16 lanes a row with a `float4` each: `((const float4 *)(a + (size_t)r * 64))[lane]`, then `__shfl_down_sync(0xffffffff, sum, d, 16)` for d = 8, 4, 2, 1. The limiters: *a* moves 134 MB in 31 us, *b* issues, *c* waits, *d* has conflicts; yours now has the limiter of *a*.",
      zh = "每行用 16 个 lane，各读一个 `float4`：`((const float4 *)(a + (size_t)r * 64))[lane]`，再对 d = 8、4、2、1 做 `__shfl_down_sync(0xffffffff, sum, d, 16)`。至于瓶颈：*a* 在 31 微秒里搬了 134 MB；*b* 忙于发射指令；*c* 在等待；*d* 有冲突；你的核函数现在与 *a* 相同。",
    },
  },

  after = {
    en = [[
      The bottleneck moved: requests to the L1 are no longer the limiter. The limiter is now the one that you wrote behind `// answer mine:`. If it is `dram`, the kernel is as fast as memory allows, since each byte has to be read once: higher occupancy or
      fewer instructions gain nothing. If it is `launch`, starting the blocks takes longest: give each block more rows. If it is `latency`, too few bytes are in flight: let each lane load 16 bytes at once.

      Kernel *a* cannot get faster unless it moves fewer bytes. *b* needs a better formula or a lower precision, *c* more warps or independent chains, *d* a padded tile. Each remedy spends a resource: check
      afterwards whether that resource has become the limiter. Measure again on the next device: its limits differ, and so may the bottleneck.
    ]],
    zh = [[
      瓶颈变了：不再是对 L1 的请求。现在是什么，你已经写在 `// answer mine:` 后面了。如果是 `dram`，核函数已达到内存决定的上限，因为每个字节至少要读一次：再提高占用率、再减少指令都没有用。如果是 `launch`，启动线程块用时最长：让每个块多算几行。
      如果是 `latency`，在途的字节太少：让每个 lane 一次读 16 字节。

      核函数 *a* 除非少搬字节，否则不可能更快。*b* 要更好的公式或更低的精度，*c* 要更多 warp 或互不依赖的链，*d* 要给 tile 加填充。每个办法都要用掉某种资源：改完要检查，这种资源是否成了新的瓶颈。换一种设备还要重新测：极限不同，瓶颈也可能不同。
    ]],
  },
  more = {
    en = "Read kernels/bottleneck-c.cu and kernels/bottleneck-d.cu. Copy one into a file of your own with a `main`, and fix it. `warplab profile FILE.cu` names its limiter before and after.",
    zh = "读一读 kernels/bottleneck-c.cu 和 kernels/bottleneck-d.cu，挑一个抄进自己的文件，加上 `main`，把它改好。`warplab profile FILE.cu` 会说出修改前后的瓶颈。",
  },
}
