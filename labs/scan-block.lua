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
      en = "Two barriers are enough: the lanes of a warp need none among themselves.",
      zh = "两次屏障就够了：同一个 warp 的 lane 之间不需要屏障。",
    },
    at_most("shared_loads", 0.3 * baseline) {
      points = 3,
      en = "Only one number per warp has to go through shared memory.",
      zh = "每个 warp 只有一个数需要经过共享内存。",
    },
    at_most("launches", 1) {
      points = 1,
      en = "The end of a launch is a barrier, too: do it in one.",
      zh = "一次启动的结束也是一道屏障：请在一次启动里完成。",
    },
  },
  forbid = { "cub", "thrust" },

  steps = {
    say {
      en = [[
        A *prefix sum*, or scan, replaces every element by the sum of all up to it: 3 1 4 1 5 becomes 3 4 8 9 14. It looks sequential and is not. Sorting, compaction, and
        memory allocation in parallel are all built on it.
      ]],
      zh = [[
        *前缀和*（scan）把每个元素换成从头到它为止的和：3 1 4 1 5 变成 3 4 8 9 14。看起来只能顺序做，其实不然。并行排序、压缩、内存分配都建立在它之上。
      ]],
    },
    show {
      en = "The baseline: in round r every element adds the one 2^(r-1) to its left. Working threads of 64:",
      zh = "基线：第 r 轮里每个元素加上它左边第 2^(r-1) 个元素。64 个线程中干活的：",
      picture = "rounds",
      lanes = 64,
      rounds = 6,
      model = function(thread, round) return thread >= 1 << round end,
    },
    ask {
      en = "A sequential scan of {n} elements makes {n} - 1 additions. How many does this one make? (In round r, {n} - 2^(r-1).)",
      zh = "对 {n} 个元素顺序做前缀和要 {n} - 1 次加法。这种做法要多少次？（第 r 轮是 {n} - 2^(r-1) 次。）",
      draw = { n = { from = { 8, 16, 32, 64 } } },
      answer = function(d)
        local sum, s = 0, 1
        while s < d.n do sum, s = sum + d.n - s, s * 2 end
        return sum
      end,
      because = {
        en = "n log2(n) - (n - 1): *work-inefficient*, but with few rounds. A tree that sweeps up and then down needs only 2 (n - 1) additions, in twice as many rounds.",
        zh = "n log2(n) - (n - 1)：*工作量不是最优*，但轮数少。树形做法先上扫、再下扫，只要 2 (n - 1) 次加法，轮数加倍。",
      },
    },
    ask {
      en = "In one round of the upward sweep thread t reads word {s} * t + {s} / 2 - 1 of shared memory and adds it to word {s} * t + {s} - 1. How many passes does a full warp's read take?",
      zh = "上扫的某一轮里，线程 t 读共享内存的第 {s} * t + {s} / 2 - 1 个字，加到第 {s} * t + {s} - 1 个字上。一个满员的线程束（warp）这次读取要几遍？",
      draw = { s = { from = { 2, 4, 8, 16, 32 } } },
      answer = function(d) return d.s end,
      because = { en = "The lanes are {s} words apart: {s} of them meet in each bank. A padded index, `i + i / 32`, parts them.", zh = "相邻 lane 相隔 {s} 个字：每个存储体里撞上 {s} 个。用填充过的下标 `i + i / 32` 可以错开。" },
    },
    ask {
      alone = true,
      en = "Which of the two is better within a *warp*, where 32 lanes execute each step anyway?",
      zh = "在一个 *warp* 内，反正每一步都由 32 个 lane 一起执行，哪种更好？",
      choices = {
        { en = "The tree: it makes fewer additions.", zh = "树形做法：加法少。", because = { en = "A masked-off lane costs as much as a working one.", zh = "被屏蔽的 lane 和干活的 lane 花的时间一样。" } },
        { en = "The one with fewer rounds: idle lanes save nothing.", zh = "轮数少的：让 lane 闲着并不省什么。", right = true },
        { en = "Neither: a warp cannot scan without shared memory.", zh = "都不行：不用共享内存，warp 内做不了前缀和。", because = { en = "Lanes can pass registers to each other by shuffles.", zh = "各 lane 可以用洗牌互传寄存器。" } },
      },
    },
    predict {
      en = "The baseline passes 18 barriers in each of 16 warps. How many (per warp, summed) will the model answer count for one block of 512 elements?",
      zh = "基线有 16 个 warp，每个过 18 次屏障。对一个 512 元素的块，参考答案（按 warp 累计）有多少次？",
      counter = "barriers",
      of = "answer",
      case = { n = 512 },
      tolerance = 0.01,
      because = { en = "2 * 16.", zh = "2 * 16。" },
    },
    exercise {
      en = "Three levels: within the warps, over the warps' totals, and back to the elements.",
      zh = "分三层：各 warp 内部，各 warp 的总和之间，再回到元素。",
    },
    show { en = "Your shared memory, line by line:", zh = "逐行看你的共享内存：", picture = "banks", of = "mine" },
    compare {
      en = "Registers in place of shared memory and barriers.",
      zh = "寄存器取代了共享内存和屏障。",
      counters = { "barriers", "shared_ld_requests", "shared_st_requests", "shuffles", "warp_inst" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "What does the second warp need to know of the first? One number.", zh = "第二个 warp 需要知道第一个 warp 的什么？只要一个数。" },
    { en = "Within a warp: for s = 1, 2, 4, 8, 16 take `__shfl_up_sync(0xffffffff, v, s)` and add it if lane >= s. Lane 31 then holds the warp's total.",
      zh = "在 warp 内：s 依次取 1、2、4、8、16，取 `__shfl_up_sync(0xffffffff, v, s)`，当 lane >= s 时加上。这时 lane 31 就是整个 warp 的总和。" },
    { en = "Store the totals, barrier, let warp 0 scan them the same way (with all 32 lanes, zeros past the 16th), store, barrier, and add `total[warp - 1]` in every warp but the first.",
      zh = "存下各 warp 的总和，屏障，由 0 号 warp 用同样的方法做前缀和（32 个 lane 全部参加，第 16 个之后取 0），存回，屏障，除第一个 warp 外都加上 `total[warp - 1]`。" },
  },

  after = {
    en = [[
      The warp-wide scan makes 129 additions where 31 would do, in 5 rounds, and is the fastest there is: work-efficiency counts only where idle lanes could do something else. Across many blocks
      it counts again, because there the additions are memory traffic. On an H200 this lab's case took 4.2 us before and 3.2 after (measured, cold L2).
    ]],
    zh = [[
      warp 级前缀和分 5 轮做了 129 次加法，其实 31 次就够，但步数最少的做法最快：只有当闲着的 lane 能去做别的事时，工作量最优才有意义。跨越许多块时它又重要起来，因为那里的加法就是内存流量。
      在 H200 上，本实验的用例原来用 4.2 微秒，现在 3.2 微秒（实测，L2 冷态）。
    ]],
  },
  more = {
    en = "Make it the sum of everything *before* each element (`check` will then call it wrong by just that element). And think further: to scan a million elements, blocks scan their pieces and leave their totals, a second launch scans the totals, a third adds them. How many bytes move? Can you do with two launches?",
    zh = "改成求每个元素*之前*所有元素的和（这时 `check` 会说错，差的正好是该元素自己）。再往前想一步：对一百万个元素做前缀和，各块处理自己那段并留下总和，第二次启动对总和做前缀和，第三次再加回去。一共搬运多少字节？两次启动能做到吗？",
  },
}
