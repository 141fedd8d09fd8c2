-- The fourth step of the reduction: the last warp works alone, correctly.
return lab {
  id = "reduce-4-warp",
  title = { en = "Reduction 4: the last warp", zh = "归约第四步：0 号 warp 收尾" },
  chapter = 4,
  minutes = 30,
  needs = { "reduce-3-idle" },
  source = "walk-through",
  teaches = {
    ["warp-race"] = "say ask exercise traps more",
    ["syncwarp-limits"] = "ask",
  },

  entry = "void reduce(const int *in, int *out, int n)",
  args = {
    ["in"] = integers(-100, 100, "n"),
    out = output("ceil_div(n, 512)"),
  },
  cases = { { n = 512 }, { n = 1 }, { n = 701 }, { n = 1 << 19, timed = true } },
  hidden = { count = 3, n = { 2, 30000 } },
  goals = {
    correct {
      points = 4,
      en = "If a warp's own sums are wrong: without a `__syncwarp()` the compiler may load a word before another lane has stored it. If a race is reported: between one lane's write and another lane's read you need `__syncwarp()`, or `__syncthreads()` if the lanes are in different warps.",
      zh = "如果单个 warp 内的和已经不对，原因是：没有 `__syncwarp()` 时，编译器可以在别的 lane 写入之前就读这个字。如果报告了数据竞争：一个 lane 写、另一个 lane 读，中间要有 `__syncwarp()`；两个 lane 若在不同的 warp 里，则要 `__syncthreads()`。",
    },
    at_most("block_barriers", 0.45 * baseline) {
      points = 5,
      en = "Block barriers are needed only while more than one warp works: after the load, and after the rounds with s = 128 and s = 64.",
      zh = "只有不止一个 warp 在工作时，才需要块级屏障：读入之后，以及 s = 128 和 s = 64 这两轮之后。",
    },
    at_most("launches", 1) {
      points = 1,
      en = "Splitting the work into launches only replaces barriers by the ends of launches, and does not count. Use only one launch.",
      zh = "拆成多次启动，是用启动的结束代替屏障，不算。请只用一次启动。",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        After two rounds of a 256-thread block, 64 elements are left, and the 32 threads that add them are all in warp 0. The other seven warps
        still run the loop: they test, skip the addition and wait at the barrier, six more times.

        So stop the loop early and let warp 0 finish alone. But *alone* does not mean *in step*. Since Volta, the lanes of a warp are
        scheduled independently: lane 0 may read before lane 16 has written. `__syncwarp()` is the barrier of one warp: its lanes wait for each
        other there, and after it each lane sees what the others wrote before it. A `__syncwarp()` costs almost nothing.
      ]],
      zh = [[
        256 线程的块走完两轮后，还剩 64 个元素，负责相加的 32 个线程都在 0 号线程束（warp）里。另外七个 warp 仍在执行循环：判断、跳过加法、在屏障处等待，还要再来六次。

        所以可以提前结束循环，让 0 号 warp 独自完成。但*独自*不等于*步调一致*。从 Volta 起，warp 里的 lane 是独立调度的：lane 0 读的时候，lane 16 可能还没有写。
        `__syncwarp()` 是一个 warp 内的屏障：各 lane 在这里互相等待；屏障之前写入的内容，屏障之后其他 lane 都能看到。`__syncwarp()` 几乎不花时间。
      ]],
    },
    ask {
      en = "A block of {b} threads runs the loop to its end. In the rounds with s = 32, 16, 8, 4, 2, 1 only one warp has work. Count each warp *without* work at each barrier of these rounds. What is the total?",
      zh = "一个 {b} 线程的块把循环走到底。s = 32、16、8、4、2、1 这几轮只有一个 warp 有工作。在这几轮里，*没有工作*的 warp 一共经过多少次屏障？（每个 warp 的每次屏障各计一次。）",
      draw = { b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return 6 * (d.b // 32 - 1) end,
      replies = {
        { function(d) return 6 * d.b // 32 end, en = "One of these warps does have work.", zh = "其中有一个 warp 有工作。" },
        { function(d) return d.b // 32 - 1 end, en = "This is the number for one round. There are six such rounds.", zh = "这是一轮的次数。这样的轮共有六轮。" },
      },
      because = { en = "{b} / 32 warps, minus the one that works, times six rounds.", zh = "{b} / 32 个 warp，减去有工作的那一个，再乘以六轮。" },
    },
    ask {
      en = "For the steps of warp 0, many books write `volatile int *s; s[t] += s[t + 16]; s[t] += s[t + 8]; ...`, without any barrier. Why is it wrong on today's devices?",
      zh = "0 号 warp 的这几步，许多书上写成 `volatile int *s; s[t] += s[t + 16]; s[t] += s[t + 8]; ……`，中间没有任何屏障。这种写法为什么在今天的设备上是错的？",
      choices = {
        { en = "A lane may read s[t + 8] before lane t + 8 has written it: `volatile` binds the compiler, but not the order between lanes.",
          zh = "一个 lane 读 s[t + 8] 时，lane t + 8 可能还没有写：`volatile` 约束编译器，并不约束 lane 之间的先后。", right = true },
        { en = "`volatile` sends every access to global memory.", zh = "`volatile` 会让每次访问都走全局内存。", because = { en = "The accesses stay in shared memory. And an access to global memory would be slow, but not wrong.", zh = "访问仍在共享内存里。况且访问全局内存只是慢，并不会出错。" } },
        { en = "Lanes 16 to 31 must not take part in the second step.", zh = "第二步不该让 lane 16 到 31 参加。", because = { en = "Their sums are no longer needed: the additions are useless but harmless.", zh = "这些 lane 得到的和不再需要：加法虽无用，但也无害。" } },
      },
      because = {
        en = "It is a race. It often gives the right sum, so you may not notice it. The simulated device reports the race even if every sum is right.",
        zh = "这是数据竞争。有竞争的程序往往也给出正确的和，所以很难发现。即使每个和都对，模拟设备也会报告数据竞争。",
      },
    },
    ask {
      en = "For one step of the warp, which of these is guaranteed by the language, and so right on all future devices?",
      zh = "对 warp 内的一步，下面哪种写法由语言本身保证正确，因而在今后的任何设备上都成立？",
      choices = {
        { en = "`s[t] += s[t + d]; __syncwarp();`", zh = "`s[t] += s[t + d]; __syncwarp();`",
          because = {
            en = "Nearly. Within this statement lane 0 reads s[16] and lane 16 writes it, in no defined order. On every device so far, lanes that leave a `__syncwarp()` run together, so all of them read before any writes. The simulated device therefore accepts this version, but the language does not guarantee it.",
            zh = "差一点。在这一条语句里，lane 0 读 s[16]，lane 16 写 s[16]，先后没有规定。在迄今的所有设备上，刚过 `__syncwarp()` 的各 lane 一起执行，全部读完才写，所以模拟设备接受这种写法；但语言并不保证这一点。",
          } },
        { en = "`s[t] += s[t + d]; __syncthreads();` only in warp 0", zh = "只在 0 号 warp 里写 `s[t] += s[t + d]; __syncthreads();`",
          because = { en = "It is an error if only a part of the block reaches a block barrier.", zh = "如果块里只有一部分线程到达块级屏障，程序就是错误的。" } },
        { en = "`v += s[t + d]; __syncwarp(); s[t] = v; __syncwarp();` with v in a register", zh = "`v += s[t + d]; __syncwarp(); s[t] = v; __syncwarp();`，v 在寄存器里", right = true,
          because = { en = "The first barrier separates the reads from the writes, the second separates the writes from the next reads.", zh = "第一个屏障把读和写分开，第二个把写和下一步的读分开。" } },
      },
    },
    ask {
      en = "The loop ends after the round with s = 64. Which of these barriers can *not* become a `__syncwarp()`?",
      zh = "循环在 s = 64 那一轮之后结束。下面哪个屏障*不能*换成 `__syncwarp()`？",
      choices = {
        { en = "the one between the steps with d = 16 and d = 8", zh = "d = 16 与 d = 8 两步之间的那个", because = { en = "Lanes of the same warp wrote everything that is read there.", zh = "那里读的内容都是同一个 warp 的 lane 写的。" } },
        { en = "the one between the round with s = 64 and the step with d = 32", zh = "s = 64 那一轮与 d = 32 那一步之间的那个", right = true,
          because = { en = "In that round warp 1 writes sum[32] to sum[63], and in the next step warp 0 reads them. `__syncwarp()` orders the lanes of one warp, never two warps.", zh = "那一轮里，1 号 warp 写 sum[32] 到 sum[63]，下一步由 0 号 warp 来读。`__syncwarp()` 只能同步同一个 warp 的 lane，不能同步两个 warp。" } },
        { en = "the one before the step with d = 1", zh = "d = 1 那一步之前的那个", because = { en = "Two words are left, and warp 0 wrote both.", zh = "只剩两个字，都由 0 号 warp 写入。" } },
      },
      because = { en = "Also, `__syncwarp()` expects all lanes of the warp. In a branch that only some lanes take, name these lanes in the mask: `__syncwarp(mask)`.", zh = "另外，`__syncwarp()` 要求 warp 的所有 lane 都到达。在只有部分 lane 进入的分支里，要用掩码指明是哪些 lane：`__syncwarp(mask)`。" },
    },
    predict {
      en = "In the baseline each warp passes 9 barriers. One block sums 512 elements with eight warps. How many block barriers are left if warp 0 finishes alone? (Each warp is counted at each barrier.)",
      zh = "基线的每个 warp 过 9 次屏障。一个块用八个 warp 对 512 个元素求和。改由 0 号 warp 独自完成最后几轮之后，块级屏障（按 warp 累计）还剩多少次？",
      counter = "barriers",
      of = "answer",
      case = { n = 512 },
      tolerance = 0.01,
      replies = {
        { 3, en = "Each of the eight warps is counted at each barrier.", zh = "每个屏障都按八个 warp 各计一次。" },
        { 72, en = "This is the baseline's number. Now only warp 0 runs the last rounds.", zh = "这是基线的次数。现在最后几轮只由 0 号 warp 执行。" },
      },
      because = { en = "After the load, after s = 128 and after s = 64: 3 barriers * 8 warps = 24.", zh = "读入之后、s = 128 之后、s = 64 之后：3 次屏障 * 8 个 warp = 24。" },
    },
    show {
      en = "The baseline, line by line: how many lanes are active in the line that adds?",
      zh = "逐行看基线：求和那一行有多少个活跃 lane？",
      picture = "divergence",
      of = "baseline",
    },
    exercise {
      en = "Let the loop run only while s > 32, and let warp 0 do the other steps with warp barriers: one barrier between the reads and the writes of a step, and one between these writes and the next reads.",
      zh = "让循环只在 s > 32 时继续，余下的各步由 0 号 warp 用 warp 级屏障完成：每一步的读与写之间一个屏障，这一步的写与下一步的读之间一个屏障。",
    },
    compare {
      en = "Fewer barriers, fewer instructions.",
      zh = "屏障少了，指令也少了。",
      counters = { "barriers", "warp_inst", "shared_ld_requests", "divergent_branches", "active_lanes_avg" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "block_barriers", en = "For which values of s are all working threads in one warp?", zh = "从哪个 s 开始，工作的线程都在同一个 warp 里？" },
    { en = "While s > 32 nothing changes. Then `if (tid < 32)`: each lane keeps its sum in a register `mine`. For s = 32, 16, 8, 4, 2, 1 it reads the word s above its own, waits, stores and waits.",
      zh = "s > 32 时不变。之后 `if (tid < 32)`：每个 lane 把自己的和放在寄存器 `mine` 里；s 依次取 32、16、8、4、2、1，每一步读下标大 s 的那个字、等待、写回、等待。" },
    { en = "`int mine = sum[tid]; for (unsigned s = 32; s > 0; s /= 2) { mine += sum[tid + s]; __syncwarp(); sum[tid] = mine; __syncwarp(); }`",
      zh = "写成 `int mine = sum[tid]; for (unsigned s = 32; s > 0; s /= 2) { mine += sum[tid + s]; __syncwarp(); sum[tid] = mine; __syncwarp(); }`" },
  },

  after = {
    en = [[
      All 32 lanes take part in every step, although only the results of the first s lanes matter. A warp takes the same time for 1 lane as for 32, and
      this way needs no test. The sums of the other lanes are never used.

      On an H200 the time falls from 14.7 us to 12.6 us (measured, cold L2). The walk-through, from before 2017, shows this step without `__syncwarp()`: on
      the devices of that time a warp did run in step. Code outlives devices, so rely only on what the language guarantees.
    ]],
    zh = [[
      每一步都有 32 个 lane 参加，尽管只有前 s 个 lane 的结果有用。对一个 warp 来说，1 个 lane 和 32 个 lane 用时相同，这样还省掉了判断。其余 lane 的和不会再被用到。

      在 H200 上，用时从 14.7 微秒降到 12.6 微秒（实测，L2 冷态）。分步教程写于 2017 年以前，这一步没有 `__syncwarp()`：当时的设备上，整个 warp 确实步调一致。代码的寿命比设备长，请只依赖语言保证的规则。
    ]],
  },
  more = {
    en = [[
      Break your kernel in two ways, and run `check` after each. They are two different faults:

      - Remove both `__syncwarp()`. The sums are wrong, but no race is reported. The compiler considers a single thread and loads all words before it stores
      any, so each lane adds old words. This is still a race, but all loads come before all stores, and so the simulated device does not report it.
      - Then also make the parameter `volatile int *sum`. The sums are right, but a race is reported: in which line, and between which two threads? The
      compiler now keeps the order of one lane's accesses, but the order between lanes is left to chance.
    ]],
    zh = [[
      用两种方式改坏你的核函数，每次都运行 `check`。这是两种不同的错误：

      - 去掉两个 `__syncwarp()`。和是错的，却没有报告数据竞争：编译器只考虑单个线程，先读完所有的字才开始写，各 lane 加的都是旧值。这仍是竞争，但全部读都在写之前，模拟设备不报告。
      - 再把参数改成 `volatile int *sum`。和是对的，却报告了数据竞争：在哪一行、哪两个线程之间？编译器现在保持单个 lane 内的访问顺序，但 lane 之间的顺序仍是偶然的。
    ]],
  },
}
