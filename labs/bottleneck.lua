-- Chapter 10: the counters of a kernel tell what limits it.
local entry = "void mystery(const float *x, float *y, int n)"

-- The counters of one mystery kernel on an H200.
local function mystery(name, bits, en, zh)
  return show {
    en = en,
    zh = zh,
    picture = "counters",
    counters = {
      "device_us",
      "dram_read",
      "gld_sectors_per_request",
      "shared_ld_conflicts",
      "warp_inst",
      "achieved_occupancy_pct",
    },
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
    at_most("global_load_sectors", 0.18 * baseline) {
      points = 2,
      en = [[
        Each request still asks for many sectors and uses only a small part of each. Which numbers
        do neighbouring lanes read?
      ]],
      zh = "每个请求仍然要很多扇区，而每个扇区只用到一小部分。相邻的 lane 读的是哪些数？",
    },
    speedup(1.5) { points = 1 },
    limiter("a", 24,
      [[
        How many bytes does kernel *a* move per second? Divide its bytes by its time, and compare
        the result with the 4.8 TB/s of the memory.
      ]],
      "核函数 *a* 每秒搬多少字节？用字节数除以用时，再与内存的 4.8 TB/s 比较。"),
    limiter("b", 16,
      [[
        Each of the 132 multiprocessors issues at most four instructions per cycle, at 1.98 GHz. How
        close does kernel *b* come to this limit? Divide its instructions by its time.
      ]],
      [[
        132 个多处理器的频率都是 1.98 GHz，每个多处理器每周期最多发射 4 条指令。核函数 *b* 离这个上
        限多远？用指令数除以用时。
      ]]),
    limiter("c", 12,
      [[
        Kernel *c* moves few bytes and executes few instructions, but it is slow. What does it wait
        for, and how many warps wait at the same time?
      ]],
      "核函数 *c* 搬的字节少，执行的指令也少，却很慢。它在等什么？同时有多少个 warp 在等？"),
    limiter("d", 15,
      "One counter of kernel *d* is far higher than in the other three kernels. Which one?",
      "核函数 *d* 有一个计数器远高于另外三个核函数。是哪一个？"),
    answer("mine") {
      points = 1,
      is = "limiter",
      en = [[
        `profile` names the limiter of your kernel now. Once you have removed one limiter, another
        one takes its place.
      ]],
      zh = "`profile` 会说出你的核函数现在的瓶颈。解决了一个瓶颈，就会轮到另一个。",
    },
  },

  steps = {
    say {
      en = [[
        "My kernel is slow. Which of all these techniques shall I try?" In this lab, you answer that
        question for four kernels without reading their source. Then you fix a fifth kernel, which
        adds up rows of numbers.

        Each kernel spends most of its time on one thing. This is its *limiter*:

            dram     bytes to and from device memory
            l2, l1   sectors asked of the caches
            shared   passes through shared memory
            issue    instructions
            latency  waiting, with too few warps to fill the wait
            launch   the launch itself

        A remedy helps only if it relieves the limiter. Each remedy also spends another resource. A
        textbook's checklist has six remedies. The second column names the limiter that a remedy
        relieves, or the cause that it removes:

            remedy            relieves            spends              lab
            occupancy         latency             registers, shared   occupancy
            coalescing        dram, l2, l1        shared, barriers    coalescing
            less divergence   issue               index arithmetic    divergence
            tiling            dram, l2            shared, barriers    matmul-tiled
            privatisation     atomics at one word shared, a merge     histogram
            coarsening        repeated work       blocks, registers   granularity

        These remedies and others have four aims: keep all parts of the device busy, move few bytes
        with coalesced accesses, execute few and cheap instructions, and allocate rarely.

        Do not guess which remedy you need. Measure which part of the device works close to its
        limit. The other parts do not hold the kernel back. If no part is close to its limit, the
        limiter is `latency` or `launch`.
      ]],
      zh = [[
        “我的核函数很慢，这么多技巧，该试哪一个？”在本实验里，你不看源代码，就要为四个核函数回答这个
        问题。然后修改第五个核函数，它对每行数求和。

        每个核函数的时间主要花在一件事上，这就是它的*瓶颈*：

            dram     进出设备内存的字节
            l2、l1   向缓存请求的扇区
            shared   共享内存要走的遍数
            issue    指令的发射
            latency  等待，而 warp 太少，填不满等待
            launch   启动本身

        一个办法只有针对瓶颈才有用，而且每个办法都要用掉别的资源。教科书的清单有六种办法。
        第二列是这个办法缓解的瓶颈，或者消除的起因：

            办法        缓解什么          花掉什么            实验
            占用率      延迟              寄存器、共享内存    occupancy
            合并访问    dram、l2、l1      共享内存、屏障      coalescing
            减少发散    发射              下标运算            divergence
            分块        dram、l2          共享内存、屏障      matmul-tiled
            私有化      原子操作的争用    共享内存、合并一次  histogram
            粗化        重复的工作        块数、寄存器        granularity

        这些办法和其他办法，目标有四个：让设备的所有部件都忙起来；少搬字节，访问要合并；指令少，
        每条开销小；少分配内存。

        不要猜该用哪种办法，要测量：设备的哪个部件已接近极限？其余的部件并不拖慢核函数。
        如果没有部件接近极限，瓶颈就是 `latency` 或 `launch`。
      ]],
    },
    mystery("a", 24,
      "Kernel *a*, with 16 Mi floats (1 Mi is 2^20):",
      "核函数 *a*，处理 16 Mi 个 float（1 Mi 即 2^20）："),
    mystery("b", 16, "Kernel *b*, with 65,536 floats:", "核函数 *b*，处理 65,536 个 float："),
    mystery("c", 12, "Kernel *c*, with 4096 floats:", "核函数 *c*，处理 4096 个 float："),
    mystery("d", 15, "Kernel *d*, with 32,768 floats:", "核函数 *d*，处理 32,768 个 float："),
    predict {
      en = [[
        Kernel *a* reads {m} Mi floats and writes {m} Mi floats. Suppose that only memory limits
        this kernel, at 4.8 TB/s. How many microseconds does the kernel take at least? (1 Mi is
        2^20.)
      ]],
      zh = [[
        核函数 *a* 读 {m} Mi 个 float，再写 {m} Mi 个。假设它只受内存限制，带宽是 4.8 TB/s，
        至少要几微秒？（1 Mi 即 2^20。）
      ]],
      draw = { m = { from = { 4, 6 } } },
      counter = "device_us",
      of = "kernels/bottleneck-a.cu",
      entry = entry,
      args = { x = uniform(-1, 1, "n"), y = output("n", { ops = 1 }) },
      case = function(d) return { n = d.m << 20 } end,
      on = "sim:h200",
      tolerance = 0.35,
      unit = "us",
      replies = {
        {
          function(d) return d.m * 2 ^ 20 * 4 / 4.8e6 end,
          en = "This is the time of the reads alone. The kernel writes as many bytes.",
          zh = "这只是读的时间。核函数还写同样多的字节。",
        },
        {
          function(d) return d.m * 2 ^ 20 * 2 / 4.8e6 end,
          en = "You counted the numbers, not their bytes. A float has 4 bytes.",
          zh = "你算的是数的个数，不是字节数。一个 float 有 4 字节。",
        },
        {
          function(d) return d.m * 2 ^ 20 * 8 / 4.8e9 end,
          en = "These are milliseconds. A millisecond is 1000 us.",
          zh = "这是毫秒数。1 毫秒是 1000 微秒。",
        },
      },
      because = {
        en = [[
          The kernel moves 8 bytes for each of {m} Mi elements, at 4.8e12 bytes per second. The
          measured time is close to that. So the kernel can get faster only if it moves fewer bytes.
        ]],
        zh = [[
          {m} Mi 个元素，每个搬 8 字节，除以每秒 4.8e12 字节。实测与此很接近，
          所以只有少搬字节才能让它更快。
        ]],
      },
    },
    ask {
      en = [[
        Imagine a device that has the same memory but issues twice as many instructions per cycle.
        Which of the four kernels would become about twice as fast?
      ]],
      zh = [[
        假设有一种设备，内存不变，每周期能发射的指令翻倍。四个核函数里哪一个会加速到原来的约 2 倍？
      ]],
      order = "fixed",
      choices = {
        {
          "a",
          because = {
            en = "The limiter of *a* is memory: its instructions already wait for data.",
            zh = "*a* 的瓶颈是内存，它的指令本来就在等数据。",
          },
        },
        {
          "b",
          right = true,
          because = {
            en = [[
              *b* does 800 multiply-adds for every 8 bytes that it moves. Its warps always have an
              instruction to issue.
            ]],
            zh = "*b* 每搬 8 字节做 800 次乘加，它的线程束（warp）随时都有指令可发射。",
          },
        },
        {
          "c",
          because = {
            en = [[
              In *c*, each load needs the result of the load before it. The time goes into these
              waits, not into the instructions in between.
            ]],
            zh = "*c* 的每次读取都要用前一次读取的结果，时间花在等待上，而不是中间的指令上。",
          },
        },
        {
          "d",
          because = {
            en = [[
              Each read of shared memory takes 32 passes in *d*, and it would take as many on the
              new device.
            ]],
            zh = "*d* 每次读共享内存都要走 32 遍，在那种设备上也一样。",
          },
        },
      },
    },
    ask {
      en = [[
        Suppose that kernel *c* gets {k} times as many warps, and each warp does as much work as
        before. The limiter is still latency. How many times as long does the kernel take? (1 means:
        as long as before.)
      ]],
      zh = [[
        假设核函数 *c* 的 warp 增加到 {k} 倍，每个 warp 的工作与原来一样多，瓶颈仍是延迟。
        用时是原来的几倍？（1 表示一样长。）
      ]],
      draw = { k = { from = { 2, 3, 4 } } },
      answer = 1,
      replies = {
        {
          function(d) return d.k end,
          en = [[
            This would be right if a unit of the device were busy all the time. But the limiter is
            latency: the units are idle while the warps wait.
          ]],
          zh = [[
            设备的某个单元一直在忙时才是这样。但瓶颈是延迟：各个 warp 等待的时候，这些单元都闲着。
          ]],
        },
        {
          function(d) return 1 / d.k end,
          en = [[
            The kernel does {k} times as much work, so it does not become faster. Only the work per
            microsecond grows.
          ]],
          zh = "核函数做的工作是原来的 {k} 倍，所以不会变快，变大的只是每微秒完成的工作量。",
        },
      },
      because = {
        en = [[
          All warps wait at the same time, so more warps do not make the wait longer. The remedy for
          latency is more work at the same time: more warps, or more independent loads in each warp
          (Little's law).
        ]],
        zh = [[
          所有 warp 同时在等，warp 多了，等待的时间并不变长。所以对付延迟的办法是同时做更多的事：
          更多 warp，或者每个 warp 里更多互不依赖的读取（Little 定律）。
        ]],
      },
    },
    ask {
      en = [[
        A kernel is slow because its occupancy is low, and its occupancy is low because each block
        uses much shared memory. A friend suggests larger tiles, because they save loads. What
        happens?
      ]],
      zh = [[
        一个核函数因为占用率低而慢，占用率低是因为每个块用了很多共享内存。朋友建议把 tile 改大，
        这样能少读一些。结果会怎样？
      ]],
      choices = {
        {
          en = "It gets slower: larger tiles need more of the scarce resource",
          zh = "更慢：更大的 tile 占用更多短缺的资源",
          right = true,
          because = {
            en = [[
              Every trick spends one resource to save another. Tiling spends shared memory. Fewer
              blocks then fit, so occupancy falls further.
            ]],
            zh = [[
              每个技巧都是用一种资源换另一种。分块用掉的是共享内存，能驻留的块更少，占用率就更低。
            ]],
          },
        },
        {
          en = "It gets faster, since it loads less",
          zh = "更快，因为读得少了",
          because = {
            en = [[
              Loads are not the limiter. And with fewer resident warps, the kernel hides less of its
              latency.
            ]],
            zh = "读取的数量不是瓶颈，而驻留的 warp 少了，延迟更难掩盖。",
          },
        },
        {
          en = "Nothing changes",
          zh = "没有变化",
          because = {
            en = "Larger tiles need more shared memory per block, so fewer blocks are resident.",
            zh = "tile 变大，每块要的共享内存变多，驻留的块就变少。",
          },
        },
      },
    },
    show {
      en = "This is the kernel that you will fix, line by line, before any change:",
      zh = "下面是要由你修改的核函数，先逐行看它现在的样子：",
      picture = "sectors",
      of = "skeleton",
    },
    show {
      en = [[
        The limiter tells you what the device is busy with, but not how much time a remedy would
        save. To find that out, Warplab replays the recorded run several times, each time without
        one cost. Which row of the table shows the largest cost?
      ]],
      zh = [[
        瓶颈只说明设备忙在哪里，不说明解决这个瓶颈能省多少时间。为此，Warplab 把记录下来的运行重放几
        次，每次去掉一项开销。下表里哪一行的开销最大？
      ]],
      picture = "whatif",
      of = "skeleton",
    },
    exercise {
      en = [[
        First write the limiters of *a* to *d* behind `// answer a:` to `// answer d:` at the top of
        the file.

        Then fix the kernel of the file, which adds up rows of 64 numbers. It moves each byte only
        once, but takes three times as long as memory would need for these bytes. Remove the limiter
        of this kernel, and change nothing else. At the end, write the limiter of your fixed kernel
        behind `// answer mine:`.
      ]],
      zh = [[
        先把 *a* 到 *d* 各自的瓶颈写在文件开头的 `// answer a:` 到 `// answer d:` 后面。
        然后修改文件里的核函数：它对每行 64 个数求和，每个字节只搬一次，用时却是内存所需时间的三倍。
        请只去掉它的瓶颈，别的不动。最后把改好的核函数的瓶颈写在 `// answer mine:` 后面。
      ]],
    },
    show {
      en = "Your kernel on the roofline chart of this device:",
      zh = "你的核函数在这个设备的屋顶线图上的位置：",
      picture = "roofline",
    },
    compare {
      en = [[
        Your version beside the baseline. Both read the same bytes from device memory, but yours
        asks the cache for fewer sectors:
      ]],
      zh = "你的版本与基线的对比。两者从设备内存读的字节数相同，你的版本向缓存请求的扇区更少：",
      counters = { "gld_requests", "gld_sectors", "dram_read", "warp_inst", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        Divide the counters of each kernel by its time. Compare the result with what an H200 can do:
        4.8 TB/s, and 4 instructions per cycle on each of 132 multiprocessors at 1.98 GHz. If
        neither the memory nor the issue is near its limit, look for conflicts and for low
        occupancy.
      ]],
      zh = [[
        用每个核函数的计数除以用时，再与 H200 的能力比较：内存 4.8 TB/s；132 个多处理器的频率是 1.98
        GHz，每个多处理器每周期 4 条指令。如果两者都离极限很远，就看看有没有冲突，占用率是不是很低。
      ]],
    },
    {
      goal = "global_load_sectors",
      en = [[
        In the file, one thread adds up one row. So neighbouring lanes read addresses that are 256
        bytes apart, and a request needs 32 sectors. Let several lanes of a warp share a row, and
        add up their sums with shuffles.
      ]],
      zh = [[
        在文件里，一个线程对一行求和，所以相邻 lane 读的地址相隔 256 字节，一个请求要 32 个扇区。
        让同一个 warp 的几个 lane 合读一行，再用 shuffle 求和。
      ]],
    },
    {
      en = [[
        Use 16 lanes for a row, and let each read a `float4`:
        `((const float4 *)(a + (size_t)r * 64))[lane]`. Then call
        `__shfl_down_sync(0xffffffff, sum, d, 16)` for d = 8, 4, 2, 1. As for the limiters, *a*
        moves 134 MB in 31 us, *b* is busy issuing instructions, *c* waits, and *d* has bank
        conflicts. Your kernel now has the limiter of *a*.
      ]],
      zh = [[
        每行用 16 个 lane，各读一个 `float4`：`((const float4 *)(a + (size_t)r * 64))[lane]`，再对 d
        = 8、4、2、1 调用 `__shfl_down_sync(0xffffffff, sum, d, 16)`。至于瓶颈：*a* 在 31 微秒里搬了
        134 MB；*b* 忙于发射指令；*c* 在等待；*d* 有存储体冲突；你的核函数现在的瓶颈与 *a* 相同。
      ]],
    },
  },

  after = {
    en = [[
      The limiter of your kernel was `l1`: it asked the L1 for too many sectors. Now the limiter is
      the one that you wrote behind `// answer mine:`.

      If this limiter is `dram`, your kernel is as fast as memory allows, since each byte has to be
      read once. Higher occupancy or fewer instructions would gain nothing. If the limiter is
      `launch`, starting the blocks takes longest: give each block more rows. If the limiter is
      `latency`, too few bytes are under way: let each lane load 16 bytes at once.

      And the other four kernels? *a* can get faster only if it moves fewer bytes. *b* needs a
      better formula or a lower precision. *c* needs more warps or independent chains of loads. *d*
      needs padding in its tile.

      Each remedy spends a resource. Afterwards, check whether that resource has become the limiter.
      On another device, measure again: the same kernel may have another limiter there.
    ]],
    zh = [[
      你的核函数原来的瓶颈是 `l1`：向 L1 请求的扇区太多。现在的瓶颈就是你写在 `// answer mine:`
      后面的那个。

      如果是 `dram`，核函数已达到内存决定的上限，因为每个字节至少要读一次：再提高占用率、
      再减少指令都没有用。如果是 `launch`，启动线程块用时最长：让每个块多算几行。如果是 `latency`，
      在途的字节太少：让每个 lane 一次读 16 字节。

      另外四个核函数呢？*a* 只有少搬字节才会更快。*b* 要更好的公式或更低的精度，*c* 要更多 warp
      或互不依赖的读取链，*d* 要给 tile 加填充。

      每个办法都要用掉某种资源。改完要检查，这种资源是否成了新的瓶颈。换一种设备要重新测量：
      极限不同，瓶颈也可能不同。
    ]],
  },
  more = {
    en = [[
      Read kernels/bottleneck-c.cu and kernels/bottleneck-d.cu. Copy one of them into a file of your
      own, add a `main`, and fix the kernel. `warplab profile FILE.cu` names the limiter before and
      after your change.
    ]],
    zh = [[
      读一读 kernels/bottleneck-c.cu 和 kernels/bottleneck-d.cu，挑一个抄进自己的文件，加上 `main`，
      把它改好。`warplab profile FILE.cu` 会说出修改前后的瓶颈。
    ]],
  },
}
