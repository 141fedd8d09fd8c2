-- The fourth step of the reduction: the last warp works alone, correctly.
return lab {
  id = "reduce-4-warp",
  title = { en = "Reduction 4: the last warp", zh = "归约第四步：最后一个 warp" },
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
      en = "Wrong sums inside one warp: without a `__syncwarp()` the compiler may load a word before another lane has stored it. A race: what one lane writes and another reads needs a `__syncwarp()` between; what two warps share needs `__syncthreads()`.",
      zh = "如果和在一个 warp 内部就错了：没有 `__syncwarp()` 时，编译器可以在别的 lane 写回之前就把字读走。如果报告了数据竞争：一个 lane 写、另一个 lane 读，中间要有 `__syncwarp()`；两个 warp 之间则要 `__syncthreads()`。",
    },
    at_most("block_barriers", 0.45 * baseline) {
      points = 5,
      en = "Block barriers are needed only while more than one warp works: after the load, and after the rounds of 128 and 64.",
      zh = "只有当不止一个 warp 在干活时才需要块级屏障：读入之后，以及 128 和 64 这两轮之后。",
    },
    at_most("launches", 1) {
      points = 1,
      en = "The end of a launch is a barrier, too: do it in one.",
      zh = "一次启动的结束也是一道屏障：请在一次启动里完成。",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        After two rounds of a 256-thread block, 64 elements are left, and the 32 threads that add them are all in warp 0. The other seven warps
        still run the loop: test, skip, wait at the barrier, six times over.

        So stop the loop early and let warp 0 finish alone. But *alone* does not mean *in step*. Since Volta the lanes of a warp are
        scheduled independently: nothing promises that lane 16 has written before lane 0 reads. `__syncwarp()` is the barrier of one warp: lanes wait for each
        other there, and what they wrote before it is seen by the others after it. It costs next to nothing.
      ]],
      zh = [[
        256 线程的块走完两轮后，还剩 64 个元素，而负责相加的 32 个线程都在 0 号线程束（warp）里。另外七个 warp 还在跟着循环：判断、跳过、在屏障处等待，再来六遍。

        那就提前结束循环，让 0 号 warp 独自完成。但*独自*不等于*步调一致*。从 Volta 起，warp 里的 lane 是独立调度的：谁也不保证 lane 0 读的时候，lane 16 已经写好了。
        `__syncwarp()` 是一个 warp 内的屏障：各 lane 在这里互相等待，在它之前写下的内容，在它之后别的 lane 都能看到。它几乎不花时间。
      ]],
    },
    ask {
      en = "A block of {b} threads runs the loop to its end. In the rounds with s = 32, 16, 8, 4, 2, 1 one warp at most has work. How many times do warps *without* work pass a barrier in these rounds, all told?",
      zh = "一个 {b} 线程的块把循环走到底。s = 32、16、8、4、2、1 这几轮最多只有一个 warp 有活。在这几轮里，*没活*的 warp 一共经过多少次屏障？",
      draw = { b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return 6 * (d.b // 32 - 1) end,
      replies = {
        { function(d) return 6 * d.b // 32 end, en = "One of the warps has work.", zh = "其中有一个 warp 是有事做的。" },
        { function(d) return d.b // 32 - 1 end, en = "That is once. There are six such rounds.", zh = "这是一轮的次数。这样的轮有六个。" },
      },
      because = { en = "{b} / 32 warps, less the one that works, six times.", zh = "{b} / 32 个 warp，去掉干活的那个，乘以六轮。" },
    },
    ask {
      en = "The version in many books is `volatile int *s; s[t] += s[t + 16]; s[t] += s[t + 8]; ...` without any barrier. Why is it wrong on today's devices?",
      zh = "许多教科书上的写法是 `volatile int *s; s[t] += s[t + 16]; s[t] += s[t + 8]; ……`，中间没有任何同步。为什么在今天的设备上是错的？",
      choices = {
        { en = "A lane may read s[t + 8] before the lane that owns it has written it: volatile says what the compiler must do, not when other lanes do it.",
          zh = "一个 lane 读 s[t + 8] 时，负责它的 lane 可能还没写：volatile 约束的是编译器，并不约束其他 lane 的先后。", right = true },
        { en = "`volatile` sends every access to global memory.", zh = "`volatile` 会让每次访问都走全局内存。", because = { en = "It stays in shared memory. That would be slow besides, not wrong.", zh = "仍在共享内存里。再说那也只是慢，不是错。" } },
        { en = "Lanes 16 to 31 should not take part in the second step.", zh = "第二步不该让 lane 16 到 31 参加。", because = { en = "They add numbers that nobody reads any more: useless, and harmless.", zh = "它们加的数不会再有人读：没有用，也没有害处。" } },
      },
      because = {
        en = "It is a race. It often gives the right sum, and that is the worst about it. The simulated device reports it even when every sum is right.",
        zh = "这是数据竞争。它常常给出正确的和，这才是最糟糕的地方。即使每个和都对，模拟设备也会报告它。",
      },
    },
    ask {
      en = "For one step of the warp, which of these is right by what the language promises, on any device to come?",
      zh = "对 warp 内的一步，下面哪种写法是语言本身保证正确的，在今后的任何设备上都成立？",
      choices = {
        { en = "`s[t] += s[t + d]; __syncwarp();`", zh = "`s[t] += s[t + d]; __syncwarp();`",
          because = {
            en = "Nearly. Within the statement lane 0 reads s[16] while lane 16 writes it, and nothing orders the two. Lanes that come out of a `__syncwarp()` run together on every device so far, and read before any of them writes; so the simulated device lets this pass. The language does not promise it.",
            zh = "差一点。在这一条语句里，lane 0 读 s[16]，lane 16 写 s[16]，两者之间没有任何先后保证。迄今所有设备上，刚过 `__syncwarp()` 的各 lane 都一起执行，全部读完才写，所以模拟设备也放行；但语言并不保证这一点。",
          } },
        { en = "`s[t] += s[t + d]; __syncthreads();` in warp 0 alone", zh = "只在 0 号 warp 里写 `s[t] += s[t + d]; __syncthreads();`",
          because = { en = "A block barrier that only a part of the block reaches is an error.", zh = "块级屏障只有一部分线程到达，本身就是错误。" } },
        { en = "`v += s[t + d]; __syncwarp(); s[t] = v; __syncwarp();` with v in a register", zh = "`v += s[t + d]; __syncwarp(); s[t] = v; __syncwarp();`，v 在寄存器里", right = true,
          because = { en = "The first barrier parts the reads from the writes, the second the writes from the next reads.", zh = "第一个屏障把读和写分开，第二个把写和下一步的读分开。" } },
      },
    },
    ask {
      en = "The loop ends after the round with s = 64. Which of these barriers can *not* become a `__syncwarp()`?",
      zh = "循环在 s = 64 那一轮之后结束。下面哪个屏障*不能*换成 `__syncwarp()`？",
      choices = {
        { en = "the one between the steps with d = 16 and d = 8", zh = "d = 16 与 d = 8 两步之间的那个", because = { en = "All that is read there was written by lanes of the same warp.", zh = "那里读的都是同一个 warp 的 lane 写的。" } },
        { en = "the one between the round with s = 64 and the step with d = 32", zh = "s = 64 那一轮与 d = 32 那一步之间的那个", right = true,
          because = { en = "In that round warp 1 wrote sum[32] to sum[63], and warp 0 reads them next. `__syncwarp()` orders the lanes of one warp, never two warps.", zh = "那一轮里 sum[32] 到 sum[63] 是 1 号 warp 写的，接下来由 0 号 warp 读。`__syncwarp()` 只管同一个 warp 的 lane，管不到两个 warp 之间。" } },
        { en = "the one before the step with d = 1", zh = "d = 1 那一步之前的那个", because = { en = "Two words are left, and both were written by warp 0.", zh = "只剩两个字，都是 0 号 warp 写的。" } },
      },
      because = { en = "And it is for lanes that get there: in a branch that some lanes do not take, name those that do in its mask, `__syncwarp(mask)`.", zh = "另外，它只对执行到那里的 lane 有效：如果处在只有部分 lane 会进的分支里，要用掩码指明是哪些：`__syncwarp(mask)`。" },
    },
    predict {
      en = "The baseline's warps pass 9 barriers each. How many block barriers (per warp, summed) are left for one block of 512 elements, that is eight warps, if warp 0 finishes alone?",
      zh = "基线的每个 warp 过 9 次屏障。对一个 512 元素的块（八个 warp），改由 0 号 warp 独自收尾之后，块级屏障（按 warp 累计）还剩多少次？",
      counter = "barriers",
      of = "answer",
      case = { n = 512 },
      tolerance = 0.01,
      replies = {
        { 3, en = "Each of the eight warps is counted at each barrier.", zh = "每个屏障都按八个 warp 各计一次。" },
        { 72, en = "That is the baseline. The last rounds belong to warp 0 alone.", zh = "这是基线的次数。最后几轮只有 warp 0 在做。" },
      },
      because = { en = "After the load, after 128, after 64: 3 barriers * 8 warps = 24.", zh = "读入之后、128 之后、64 之后：3 次屏障 * 8 个 warp = 24。" },
    },
    show {
      en = "The baseline, line by line: how many lanes are active where the sum is made?",
      zh = "逐行看基线：求和那一行有多少 lane 在工作？",
      picture = "divergence",
      of = "baseline",
    },
    exercise {
      en = "Let the loop run only while s > 32, and let the first warp finish with warp barriers: one between the reads and the writes of a step, one between its writes and the next reads.",
      zh = "循环只在 s > 32 时继续，余下的由第一个 warp 用 warp 级同步完成：每一步的读与写之间一个屏障，这一步的写与下一步的读之间一个屏障。",
    },
    compare {
      en = "Fewer barriers, fewer instructions.",
      zh = "屏障少了，指令也少了。",
      counters = { "barriers", "warp_inst", "shared_ld_requests", "divergent_branches", "active_lanes_avg" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "block_barriers", en = "From which s on are all working threads in one warp?", zh = "从哪个 s 开始，干活的线程都在同一个 warp 里？" },
    { en = "While s > 32 nothing changes. Then `if (tid < 32)`: each lane keeps its sum in a register `mine`, reads its neighbour's word, waits, stores, waits, for s = 32, 16, 8, 4, 2, 1.",
      zh = "s > 32 时照旧。之后 `if (tid < 32)`：每个 lane 把自己的和放在寄存器 `mine` 里，s 依次取 32、16、8、4、2、1：读对方的字、等待、写回、等待。" },
    { en = "`int mine = sum[tid]; for (unsigned s = 32; s > 0; s /= 2) { mine += sum[tid + s]; __syncwarp(); sum[tid] = mine; __syncwarp(); }`",
      zh = "写成 `int mine = sum[tid]; for (unsigned s = 32; s > 0; s /= 2) { mine += sum[tid + s]; __syncwarp(); sum[tid] = mine; __syncwarp(); }`" },
  },

  after = {
    en = [[
      All 32 lanes take part in every step, although only s of them matter: for a warp it makes no difference, and there is no test. The lanes
      past s add numbers that nobody reads any more.

      On an H200 it brings 14.7 us down to 12.6 (measured, cold L2). A walk-through from before 2017 shows this step without `__syncwarp()`: on those devices a
      warp did run in step. Code outlives devices; write what the language promises.
    ]],
    zh = [[
      每一步都让 32 个 lane 全部参加，尽管只有 s 个有意义：对一个 warp 来说没有差别，还省掉了判断。s 之后的 lane 加的数不会再有人读。

      在 H200 上，14.7 微秒降到 12.6 微秒（实测，L2 冷态）。2017 年以前的教程在这一步没有 `__syncwarp()`：那时的设备确实让整个 warp 步调一致。代码比设备活得久，请按语言保证的规则来写。
    ]],
  },
  more = {
    en = [[
      Break it in two ways, with `check` after each. Two different faults:

      - Take both `__syncwarp()` out. The sums are wrong and no race is reported: the compiler, which sees one thread, has loaded all words before it stores any, so no lane reads what another has written.
      - Now make the parameter `volatile int *sum` as well. The sums are right, and a race is reported: which line, which two threads? The compiler keeps the order of one lane's accesses; the order between lanes is luck.
    ]],
    zh = [[
      用两种方式弄坏它，每次都 `check` 一下。这是两种不同的错误：

      - 去掉两个 `__syncwarp()`。和是错的，却没有报告数据竞争：编译器眼里只有一个线程，它把所有的字先读完才开始写，于是没有哪个 lane 读到别的 lane 写的内容。
      - 再把参数改成 `volatile int *sum`。和对了，却报告了数据竞争：是哪一行、哪两个线程？编译器保住了一个 lane 自己的先后；lane 之间的先后全凭运气。
    ]],
  },
}
