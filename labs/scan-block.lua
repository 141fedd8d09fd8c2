-- Chapter 6: prefix sums within a block.
return lab {
  id = "scan-block",
  title = { en = "Prefix sums in a block", zh = "块内前缀和" },
  chapter = 6,
  minutes = 30,
  needs = { "reduce-7-shuffle", "reduce-2-banks" },
  source = "practice",
  teaches = {
    ["work-efficiency"] = "ask after",
    ["scan-conflicts"] = "ask",
    ["scan-shuffle"] = "exercise hints",
  },

  entry = "void scan_block(const int *in, int *out, int n)",
  args = {
    ["in"] = integers(-50, 50, "n"),
    out = output("n"),
  },
  cases = { { n = 512 }, { n = 1 }, { n = 1003 }, { n = 1 << 18, timed = true } },
  hidden = { count = 3, n = { 2, 20000 } },
  goals = {
    correct { points = 3 },
    at_most("block_barriers", 0.2 * baseline) {
      points = 3,
      en = "Two barriers are enough: the lanes of one warp need none between them.",
      zh = "两次屏障就够了：同一个 warp 的 lane 之间不需要屏障。",
    },
    at_most("shared_loads", 0.3 * baseline) {
      points = 3,
      en = "Only one number per warp has to pass through shared memory.",
      zh = "每个 warp 只有一个数需要经过共享内存。",
    },
    at_most("launches", 1) {
      points = 1,
      en = "The end of a launch is a barrier too. Use only one launch.",
      zh = "启动的结束也是屏障。请只用一次启动。",
    },
  },
  forbid = { "cub", "thrust" },

  steps = {
    say {
      en = [[
        A *prefix sum*, or scan, replaces every element by the sum of all elements up to and including it: 3 1 4 1 5 becomes 3 4 8 9 14. A scan looks
        sequential, but it can be done in parallel. Parallel sorting, compaction and memory allocation are all built on it.
      ]],
      zh = [[
        *前缀和*（scan）把每个元素换成从第一个元素到该元素（包括它自己）的和：3 1 4 1 5 变成 3 4 8 9 14。前缀和看起来只能顺序计算，其实可以并行。并行的排序、压缩和内存分配都以前缀和为基础。
      ]],
    },
    show {
      en = "The baseline: in round r every element adds the element 2^(r-1) places to its left. The active threads of 64:",
      zh = "基线：第 r 轮里，每个元素加上左边第 2^(r-1) 个元素。64 个线程中，工作的线程是：",
      picture = "rounds",
      lanes = 64,
      rounds = 6,
      model = function(thread, round) return thread >= 1 << round end,
    },
    ask {
      en = "A sequential scan of {n} elements does {n} - 1 additions. How many does the baseline's method do? (Round r does {n} - 2^(r-1) additions.)",
      zh = "对 {n} 个元素顺序做前缀和要 {n} - 1 次加法。基线的做法要多少次？（第 r 轮做 {n} - 2^(r-1) 次加法。）",
      draw = { n = { from = { 8, 16, 32, 64 } } },
      answer = function(d)
        local sum, s = 0, 1
        while s < d.n do sum, s = sum + d.n - s, s * 2 end
        return sum
      end,
      because = {
        en = "n log2(n) - (n - 1) additions: the method is *work-inefficient*, but has few rounds. A tree that sweeps up and then down needs only 2 (n - 1) additions, but twice as many rounds.",
        zh = "n log2(n) - (n - 1) 次：这种做法*工作量不是最优*，但轮数少。树形做法先上扫、再下扫，只要 2 (n - 1) 次加法，但轮数加倍。",
      },
    },
    ask {
      en = "In one round of the upward sweep, thread t reads word {s} * t + {s} / 2 - 1 of shared memory and adds it to word {s} * t + {s} - 1. All 32 lanes of a warp are active. How many passes does this read take?",
      zh = "上扫的某一轮里，线程 t 读共享内存的第 {s} * t + {s} / 2 - 1 个字，加到第 {s} * t + {s} - 1 个字上。一个线程束（warp）的 32 个 lane 都活跃。这次读取要几遍？",
      draw = { s = { from = { 2, 4, 8, 16, 32 } } },
      answer = function(d) return d.s end,
      because = { en = "Neighbouring lanes are {s} words apart, so {s} lanes want different words of the same bank. A padded index, `i + i / 32`, avoids these conflicts.", zh = "相邻 lane 相隔 {s} 个字，所以有 {s} 个 lane 要同一个存储体的不同字。用加了填充的下标 `i + i / 32` 可以避免这些冲突。" },
    },
    ask {
      alone = true,
      en = "Within a *warp*, 32 lanes execute each step in any case. Which of the two methods is better there?",
      zh = "在一个 *warp* 内，每一步总是由 32 个 lane 一起执行。那么两种做法哪种更好？",
      choices = {
        { en = "The tree: it does fewer additions.", zh = "树形做法：加法少。", because = { en = "A masked-off lane takes as much time as an active one.", zh = "被屏蔽的 lane 和活跃的 lane 花的时间一样。" } },
        { en = "The one with fewer rounds: idle lanes save no time.", zh = "轮数少的那种：lane 空闲并不省时间。", right = true },
        { en = "Neither: a warp cannot scan without shared memory.", zh = "两种都不行：warp 不用共享内存就不能做前缀和。", because = { en = "It can: lanes read each other's registers with shuffles.", zh = "可以不用共享内存：各 lane 能用 shuffle 读取彼此的寄存器。" } },
      },
    },
    predict {
      en = "In the baseline each of 16 warps passes 18 barriers. The device counts each warp at each barrier. How many barriers does it count in the model answer for one block of 512 elements?",
      zh = "基线有 16 个 warp，每个过 18 次屏障。对一个 512 元素的块，参考答案的屏障（按 warp 累计）有多少次？",
      counter = "barriers",
      of = "answer",
      case = { n = 512 },
      tolerance = 0.01,
      because = { en = "2 barriers * 16 warps.", zh = "2 次屏障 * 16 个 warp。" },
    },
    exercise {
      en = "Work in three stages: scan within each warp, scan the warps' totals, then add these to the elements.",
      zh = "分三步：各 warp 内部做前缀和，对各 warp 的总和做前缀和，再加回到各元素上。",
    },
    show { en = "Your shared memory, line by line:", zh = "逐行看你的共享内存：", picture = "banks", of = "mine" },
    compare {
      en = "Registers replace shared memory and barriers.",
      zh = "寄存器取代了共享内存和屏障。",
      counters = { "barriers", "shared_ld_requests", "shared_st_requests", "shuffles", "warp_inst" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "What does the second warp need to know about the first? One number.", zh = "第二个 warp 需要知道第一个 warp 的什么？只需一个数。" },
    { en = "Within a warp: for s = 1, 2, 4, 8, 16 get `__shfl_up_sync(0xffffffff, v, s)` in every lane, and add it to v if lane >= s. Lane 31 then holds the warp's total.",
      zh = "在 warp 内：s 依次取 1、2、4、8、16，每个 lane 都取 `__shfl_up_sync(0xffffffff, v, s)`，当 lane >= s 时加到 v 上。最后 lane 31 中就是整个 warp 的总和。" },
    { en = "Store the totals; barrier; warp 0 scans them in the same way (with all 32 lanes; lanes from 16 on take 0) and stores the results; barrier; every warp except the first adds `total[warp - 1]`.",
      zh = "写出各 warp 的总和；屏障；由 0 号 warp 用同样的方法做前缀和（32 个 lane 全部参加，16 号起的 lane 取 0）并写回；屏障；除第一个 warp 外，各 warp 都加上 `total[warp - 1]`。" },
  },

  after = {
    en = [[
      The scan within a warp does 129 additions in 5 rounds, where 31 additions would be enough. It is still the fastest, because it has the fewest rounds:
      fewer additions help only if idle lanes could do other work. Across many blocks they help again, because there each addition means memory traffic.

      On an H200 this lab's case takes 4.2 us with the baseline and 3.2 us with the model answer (measured, cold L2).
    ]],
    zh = [[
      warp 级前缀和用 5 轮做了 129 次加法，其实 31 次就够。但轮数最少的做法最快：只有空闲的 lane 能去做其他工作时，减少加法才有用。跨越许多块时，减少加法又变得有用，因为那里的每次加法都意味着内存流量。

      在 H200 上，本实验的用例，基线用 4.2 微秒，参考答案用 3.2 微秒（实测，L2 冷态）。
    ]],
  },
  more = {
    en = "Compute the sum of all elements *before* each element. (`check` will report it as wrong: each result is off by its own element.) Then think about a million elements: blocks scan their pieces and store their totals, a second launch scans the totals, and a third launch adds them. How many bytes are moved? Are two launches enough?",
    zh = "改成求每个元素*之前*所有元素的和。（这时 `check` 会报告错误：每个结果都正好差该元素自己。）再想一想 100 万个元素：各块对自己的一段做前缀和并写出总和，第二次启动对总和做前缀和，第三次启动再加回去。一共搬运多少字节？两次启动够吗？",
  },
}
