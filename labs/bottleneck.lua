-- Chapter 10: what limits a kernel, told by its counters.
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
      en = "Each request still asks for many sectors of which it uses little. Which numbers do neighbouring lanes read?",
      zh = "每个请求仍然要很多扇区，却只用其中一点。相邻的 lane 读的是哪些数？",
    },
    speedup(1.5) { points = 1 },
    limiter("a", 24, "How many bytes does it move in that time? Compare with the 4.8 TB/s of the memory.", "这段时间里它搬了多少字节？与内存的 4.8 TB/s 比一比。"),
    limiter("b", 16, "Four instructions a cycle and multiprocessor are the most: divide.", "每个多处理器每周期最多发射四条指令：除一下看看。"),
    limiter("c", 12, "It moves little, computes little, and is slow. What is it waiting for, and how many warps wait at once?", "它搬得少、算得也少，却很慢。它在等什么？同时有多少个 warp 在等？"),
    limiter("d", 15, "One of its counters is far above that of the others.", "它有一个计数器远高于其他几个核函数。"),
    answer("mine") {
      points = 1,
      is = "limiter",
      en = "`profile` names the limiter of your kernel now: mending one moves the bottleneck on.",
      zh = "`profile` 会说出你的核函数现在受什么限制：改好一个，瓶颈就移到下一个。",
    },
  },

  steps = {
    say {
      en = [[
        "My kernel is slow. Which of all these tricks shall I try?" Let us answer that for four kernels you have not seen the source of. Something limits each:

            dram     bytes to and from device memory
            l2, l1   sectors asked of the caches
            shared   passes through shared memory
            issue    instructions
            latency  waiting, with too few warps to fill the wait
            launch   the start itself

        A trick helps only against its limiter. The textbook's checklist has six:

            remedy            relieves            spends              lab
            occupancy         latency             registers, shared   occupancy
            coalescing        dram, l2, l1        shared, barriers    coalescing
            less divergence   issue               index arithmetic    divergence
            tiling            dram, l2            shared, barriers    matmul-tiled
            privatisation     atomics in a place  shared, a merge     histogram
            coarsening        repeated work       blocks, registers   granularity

        Behind them stand four aims: keep all parts busy, move few bytes and move them well, execute few and cheap instructions, allocate rarely. So do not guess, measure: what is used near to its limit? The rest is free.
      ]],
      zh = [[
        “我的核函数很慢，这么多技巧，该试哪一个？”我们拿四个看不到源代码的核函数来回答。每个都受某样东西限制：

            dram     进出设备内存的字节
            l2、l1   向缓存请求的扇区
            shared   共享内存要走的遍数
            issue    指令的发射
            latency  在等，而 warp 太少，填不满等待
            launch   启动本身

        一个技巧只对它所针对的限制有用。教科书的清单有六项：

            办法        缓解什么          花掉什么            实验
            占用率      延迟              寄存器、共享内存    occupancy
            合并访问    dram、l2、l1      共享内存、屏障      coalescing
            减少发散    发射              下标运算            divergence
            分块        dram、l2          共享内存、屏障      matmul-tiled
            私有化      挤在一处的原子    共享内存、合并一次  histogram
            粗化        重复的工作        块数、寄存器        granularity

        归纳起来是四个目标：让所有部件都忙起来；字节搬得少、搬得好；指令少而便宜；少分配内存。所以不要猜，要测：哪样东西用到了接近极限？其余的都是白送的。
      ]],
    },
    mystery("a", 24, "Kernel *a*, over 16 Mi floats:", "核函数 *a*，处理 16 Mi 个 float："),
    mystery("b", 16, "Kernel *b*, over 65,536 floats:", "核函数 *b*，处理 65,536 个 float："),
    mystery("c", 12, "Kernel *c*, over 4096 floats:", "核函数 *c*，处理 4096 个 float："),
    mystery("d", 15, "Kernel *d*, over 32,768 floats:", "核函数 *d*，处理 32,768 个 float："),
    predict {
      en = "Kernel *a* reads {m} Mi floats and writes as many. If memory alone limits it, at 4.8 TB/s, how many microseconds does it take at least? (1 Mi is 2^20.)",
      zh = "核函数 *a* 读 {m} Mi 个 float，再写同样多。如果只受内存限制，按 4.8 TB/s，至少要几微秒？（1 Mi 即 2^20。）",
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
        en = "8 bytes for each of {m} Mi elements over 4.8e12 a second. It comes near, so nothing but fewer bytes would make it faster.",
        zh = "{m} Mi 个元素，每个 8 字节，除以每秒 4.8e12。实测很接近，所以除了少搬字节，没有别的办法能让它更快。",
      },
    },
    ask {
      en = "What if: a device with the same memory and twice as many instructions per cycle. Which of the four gets about twice as fast?",
      zh = "假设有一种设备，内存不变，每周期能执行的指令翻倍。四个里哪一个大约快一倍？",
      order = "fixed",
      choices = {
        { "a", because = { en = "Its instructions wait for memory already.", zh = "它的指令本来就在等内存。" } },
        { "b", right = true, because = { en = "It moves 8 bytes for 800 multiply-adds, and all warps have something to issue all the time.", zh = "它每搬 8 字节做 800 次乘加，而且每个线程束（warp）随时都有指令可发。" } },
        { "c", because = { en = "Each of its loads waits for the one before; issuing the next addition sooner changes little.", zh = "它的每次读取都要等前一次，后面的加法早点发射也差不了多少。" } },
        { "d", because = { en = "Each of its shared reads takes 32 passes, and those stay.", zh = "它每次读共享内存都要走 32 遍，这一点不变。" } },
      },
    },
    ask {
      en = "What if: kernel *c* gets {k} times as many warps, each with the same work of its own. How much longer does it take, as long as latency limits it? (1: as long as before.)",
      zh = "假设核函数 *c* 的 warp 增加到 {k} 倍，每个 warp 各做同样多的工作。只要仍受延迟限制，用时是原来的几倍？（1 表示一样长。）",
      draw = { k = { from = { 2, 3, 4 } } },
      answer = 1,
      because = { en = "Waiting together costs no more than waiting alone. So the remedy for latency is more of the work at once: more warps, or more independent loads in each (Little's law).", zh = "一起等并不比单独等更久。所以对付延迟的办法是同时做更多的事：更多 warp，或每个 warp 里更多互不依赖的读取（Little 定律）。" },
    },
    ask {
      en = "A kernel is limited by its occupancy, which shared memory limits. A friend suggests larger tiles, for they save loads. What will come of it?",
      zh = "一个核函数受限于占用率，而占用率受限于共享内存。朋友建议把 tile 改大，好少读一些。结果会怎样？",
      choices = {
        { en = "It gets slower: tiles take more of what is short", zh = "更慢：tile 占的正是短缺的资源", right = true, because = { en = "Every trick spends one resource to save another. Tiling spends shared memory.", zh = "每个技巧都是拿一种资源换另一种，分块用掉的是共享内存。" } },
        { en = "It gets faster, since it loads less", zh = "更快，因为读得少了", because = { en = "Loads were not the limit; fewer warps hide less of what is left.", zh = "读取并不是瓶颈；warp 少了，剩下的延迟更难掩盖。" } },
        { en = "Nothing changes", zh = "没有变化", because = { en = "Fewer blocks are resident then.", zh = "那样驻留的块会变少。" } },
      },
    },
    show {
      en = "Now the kernel that you will mend. Line by line, as it is:",
      zh = "下面是要你来改的核函数。先逐行看它现在的样子：",
      picture = "sectors",
      of = "skeleton",
    },
    show {
      en = "A limiter names what is busy, not what it would be worth to mend it. For that the recorded run is replayed, each time without one cost. Which lines pay for the largest?",
      zh = "limiter 说的是什么在忙，不是改好它值多少。要知道后者，就把记录下来的运行重放，每次去掉一项开销。最大的一项开销出自哪些行？",
      picture = "whatif",
      of = "skeleton",
    },
    exercise {
      en = [[
        Write down the limiters of *a* to *d*. Then mend the file's kernel, which adds up rows of 64 numbers: it moves each byte once and is still three times as slow as memory allows. Take away what
        limits it, and nothing else; then name what limits it now.
      ]],
      zh = [[
        写下 *a* 到 *d* 各受什么限制。然后改文件里的核函数，它对每行 64 个数求和：每个字节只搬一次，却比内存允许的慢三倍。只去掉限制它的东西，别的不动；再写出它现在受什么限制。
      ]],
    },
    show {
      en = "Where your kernel stands under the roofs of this device:",
      zh = "你的核函数在这种设备的屋顶下处于什么位置：",
      picture = "roofline",
    },
    compare {
      en = "Beside the baseline. The bytes of device memory are the same; what went away is what the cache was asked for:",
      zh = "与基线对比。设备内存的字节没变，少掉的是向缓存请求的扇区：",
      counters = { "gld_requests", "gld_sectors", "dram_read", "warp_inst", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Divide each kernel's counters by its time, and compare with what the device can do: bytes with 4.8 TB/s, instructions with 4 a cycle on each of 132 multiprocessors at 1.98 GHz. None is near? Then it waits.",
      zh = "用每个核函数的计数除以时间，再与设备的能力比：字节对 4.8 TB/s；指令对 132 个多处理器、1.98 GHz、每周期 4 条。都差得远？那它就是在等。",
    },
    {
      goal = "global_load_sectors",
      en = "In the file a thread has a row: neighbouring lanes read 256 bytes apart, 32 sectors a request. Let the lanes of a warp share a row, and add up by shuffles.",
      zh = "文件里一个线程管一行：相邻 lane 读的地址相隔 256 字节，一个请求 32 个扇区。让一个 warp 的 lane 合读一行，再用洗牌求和。",
    },
    {
      en = "16 lanes a row, a `float4` each: `((const float4 *)(a + (size_t)r * 64))[lane]`, then `__shfl_down_sync(0xffffffff, sum, d, 16)` for d = 8, 4, 2, 1. The limiters: a moves 17 MB in 4 us; b issues; c waits; d has conflicts; and yours is a's now.",
      zh = "每行 16 个 lane，各读一个 `float4`：`((const float4 *)(a + (size_t)r * 64))[lane]`，再对 d = 8、4、2、1 做 `__shfl_down_sync(0xffffffff, sum, d, 16)`。至于限制：a 在 4 微秒里搬了 17 MB；b 在发射；c 在等；d 有冲突；你的现在与 a 相同。",
    },
  },

  after = {
    en = [[
      The bottleneck moved: away from the requests to the L1. Your answer `mine` says where it is now. With `dram`, the kernel is as fast as memory allows, since each byte has to come once: higher occupancy or fewer
      instructions gain nothing. With `launch`, starting the blocks takes longest: give each block more rows. With `latency`, too few bytes are under way: let each lane load 16 at once.

      Kernel *a* was done from the start. *b* needs a better formula or fewer digits, *c* more warps or independent chains, *d* a padded tile. Each remedy spends something: look afterwards whether what it
      spends has become the limiter. And measure again on the next device: other limits, other bottleneck.
    ]],
    zh = [[
      瓶颈移动了：不再是对 L1 的请求。移到了哪里，你在 `mine` 里已经回答了。如果是 `dram`，已达到内存决定的上限，因为每个字节总得来一次：再提高占用率、再减少指令都没有用。如果是 `launch`，启动线程块用时最长：让每个块多算几行。
      如果是 `latency`，在途的字节太少：让每个 lane 一次读 16 字节。

      核函数 *a* 从一开始就到头了。*b* 要更好的公式或更低的精度，*c* 要更多 warp 或互不依赖的链，*d* 要给 tile 加填充。每个办法都要花掉一点什么：改完要看一看，花掉的东西是否成了新的瓶颈。换一种设备还要重新测：极限不同，瓶颈就不同。
    ]],
  },
  more = {
    en = "Read kernels/bottleneck-c.cu and kernels/bottleneck-d.cu, copy one into a file of your own with a `main`, and mend it; `warplab profile FILE.cu` names its limiter before and after.",
    zh = "读一读 kernels/bottleneck-c.cu 和 kernels/bottleneck-d.cu，挑一个抄进自己的文件，加上 `main`，把它改好；`warplab profile FILE.cu` 会说出改前改后的限制。",
  },
}
