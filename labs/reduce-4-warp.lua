-- The fourth step of the ladder: the last warp works alone, correctly.
return lab {
  id = "reduce-4-warp",
  title = { en = "Reduction 4: the last warp", zh = "归约第四步：最后一个 warp" },
  chapter = 4,
  minutes = 25,
  needs = { "reduce-3-idle" },
  source = "walk-through",
  teaches = {
    ["warp-race"] = "ask exercise more",
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
      points = 5,
      en = "If a race is reported: between the read of one lane and the write of another there must be a barrier, also inside a warp.",
      zh = "如果报告了数据竞争：一个 lane 的读与另一个 lane 的写之间必须有同步，在同一个 warp 里也不例外。",
    },
    counter("barriers", "<=", 0.45) {
      points = 5,
      relative = true,
      en = "Block barriers are needed only while more than one warp works: after the load, and after the rounds of 128 and 64.",
      zh = "只有当不止一个 warp 在干活时才需要块级屏障：读入之后，以及 128 和 64 这两轮之后。",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        After two rounds of a 256-thread block, 64 elements are left, and the 32 threads that add them are all in warp 0. The other seven warps
        still run the loop: test, skip, wait at the barrier, six times over.

        So stop the loop early and let warp 0 finish alone. But *alone* does not mean *in step*. Since Volta the lanes of a warp are
        scheduled independently: nothing promises that lane 16 has written before lane 0 reads.
      ]],
      zh = [[
        256 线程的块走完两轮后，还剩 64 个元素，而负责相加的 32 个线程都在 0 号 warp 里。另外七个 warp 还在跟着循环：判断、跳过、在屏障处等待，再来六遍。

        那就提前结束循环，让 0 号 warp 独自完成。但*独自*不等于*步调一致*。从 Volta 起，warp 里的 lane 是独立调度的：谁也不保证 lane 0 读的时候，lane 16 已经写好了。
      ]],
    },
    ask {
      en = "The version in many books is `volatile int *s; s[t] += s[t + 16]; s[t] += s[t + 8]; ...` without any barrier. Why is it wrong on today's devices?",
      zh = "许多书上的写法是 `volatile int *s; s[t] += s[t + 16]; s[t] += s[t + 8]; ……`，中间没有任何同步。为什么在今天的设备上是错的？",
      choices = {
        { en = "`volatile` makes it slow.", zh = "`volatile` 会让它变慢。", because = { en = "That would be slow, not wrong.", zh = "那只是慢，不是错。" } },
        { en = "A lane may read s[t + 8] before the lane that owns it has written it: volatile says what the compiler must do, not when other lanes do it.",
          zh = "一个 lane 读 s[t + 8] 时，负责它的 lane 可能还没写：volatile 约束的是编译器，并不约束其他 lane 的先后。", right = true },
        { en = "Shared memory has too many banks.", zh = "共享内存的存储体太多了。" },
      },
      because = {
        en = "It is a race. It often gives the right sum, and that is the worst about it. The simulated device reports it either way.",
        zh = "这是数据竞争。它常常给出正确的和，这才是最糟糕的地方。无论结果对不对，模拟设备都会报告它。",
      },
    },
    ask {
      en = "Which of these orders `s[t] += s[t + d]` correctly for one step of the warp?",
      zh = "对 warp 内的一步 `s[t] += s[t + d]`，下面哪种写法的先后顺序是正确的？",
      choices = {
        { en = "`s[t] += s[t + d];` then __syncwarp()", zh = "`s[t] += s[t + d];` 然后 __syncwarp()",
          because = {
            en = "Within the statement lane 0 reads s[16] and lane 16 writes it, and nothing orders the two. Lanes that happen to run together read first; the device lets that pass, but the language does not promise it.",
            zh = "在这一条语句里，lane 0 读 s[16]，lane 16 写 s[16]，两者之间没有任何先后保证。各 lane 碰巧一起执行时会先读后写，设备不会报错，但语言并不保证这一点。",
          } },
        { en = "read into a register; __syncwarp(); store; __syncwarp()", zh = "先读到寄存器；__syncwarp()；写回；__syncwarp()", right = true },
        { en = "__syncthreads() by warp 0 alone", zh = "只由 0 号 warp 执行 __syncthreads()",
          because = { en = "A block barrier that only a part of the block reaches is an error.", zh = "块级屏障只有一部分线程到达，本身就是错误。" } },
      },
    },
    predict {
      en = "The baseline's warps pass 9 barriers each. How many block barriers (per warp, summed) will the model answer count for one block of 512 elements? Eight warps.",
      zh = "基线的每个 warp 过 9 次屏障。对一个 512 元素的块，参考答案的块级屏障（按 warp 累计）会有多少次？共八个 warp。",
      counter = "barriers",
      of = "answer",
      case = { n = 512 },
      tolerance = 0.01,
      because = { en = "After the load, after 128, after 64: 3 barriers * 8 warps = 24.", zh = "读入之后、128 之后、64 之后：3 次屏障 * 8 个 warp = 24。" },
    },
    show {
      en = "The baseline, line by line: how many lanes are active where the sum is made?",
      zh = "逐行看基线：求和那一行有多少 lane 在工作？",
      picture = "divergence",
      of = "baseline",
    },
    exercise {
      en = "Let the loop run only while s > 32, and let the first warp finish with warp barriers. No race, on any device.",
      zh = "循环只在 s > 32 时继续，余下的由第一个 warp 用 warp 级同步完成。在任何设备上都不能有数据竞争。",
    },
    compare {
      en = "Fewer barriers, fewer instructions.",
      zh = "屏障少了，指令也少了。",
      counters = { "barriers", "warp_inst", "shared_ld_requests", "divergent_branches", "active_lanes_avg" },
      with = "baseline",
    },
  },

  hints = {
    { en = "From which s on are all working threads in one warp?", zh = "从哪个 s 开始，干活的线程都在同一个 warp 里？" },
    { en = "While s > 32 nothing changes. Then `if (tid < 32)`: each lane keeps its sum in a register `mine`, reads its neighbour's word, waits, stores, waits, for s = 32, 16, 8, 4, 2, 1.",
      zh = "s > 32 时照旧。之后 `if (tid < 32)`：每个 lane 把自己的和放在寄存器 `mine` 里，s 依次取 32、16、8、4、2、1：读对方的字、等待、写回、等待。" },
    { en = "`int mine = sum[tid]; for (unsigned s = 32; s > 0; s /= 2) { mine += sum[tid + s]; __syncwarp(); sum[tid] = mine; __syncwarp(); }`",
      zh = "写成 `int mine = sum[tid]; for (unsigned s = 32; s > 0; s /= 2) { mine += sum[tid + s]; __syncwarp(); sum[tid] = mine; __syncwarp(); }`" },
  },

  after = {
    en = [[
      All 32 lanes take part in every step, although only s of them matter: for a warp it makes no difference, and there is no test. The lanes
      past s add numbers that nobody reads any more.

      On an H200 it brings 14.8 us down to 12.2. A walk-through from before 2017 shows this step without `__syncwarp()`: on those devices a
      warp did run in step. Code outlives devices; write what the language promises.
    ]],
    zh = [[
      每一步都让 32 个 lane 全部参加，尽管只有 s 个有意义：对一个 warp 来说没有差别，还省掉了判断。s 之后的 lane 加的数不会再有人读。

      在 H200 上，14.8 us 降到 12.2 us。2017 年以前的教程在这一步没有 `__syncwarp()`：那时的设备确实让整个 warp 步调一致。代码比设备活得久，请按语言保证的规则来写。
    ]],
  },
  more = {
    en = "Take the `__syncwarp()` out, run `check`, and read the report: which two lines, which two threads? Then use `volatile`, and read it again.",
    zh = "去掉 `__syncwarp()` 再运行 `check`，读一读报告：是哪两行、哪两个线程？然后加上 `volatile`，再看一次。",
  },
}
