-- Chapter 4: branches and warps.
return lab {
  id = "divergence",
  title = { en = "One warp, one way", zh = "一个 warp，一条路" },
  chapter = 4,
  minutes = 25,
  needs = { "vector-add" },
  source = "book 5.3; guide 5.4; slides II.3",
  teaches = {
    ["both-sides"] = "say show",
    ["warp-of-32"] = "say ask",
    ["warps-2d-3d"] = "say ask",
    ["warp-condition"] = "ask",
    predication = "after",
  },

  entry = "void divergence(const float *in, float *out, int steps, int n)",
  args = {
    ["in"] = uniform(-1, 1, "n"),
    out = output("n", { ops = "2 * steps" }),
  },
  cases = {
    { n = 256, steps = 3 },
    { n = 1, steps = 1 },
    { n = 1003, steps = 20 },
    { n = 1 << 19, steps = 64, timed = true },
  },
  hidden = { count = 3, n = { 2, 5000 }, steps = { 1, 40 } },
  goals = {
    correct { points = 4 },
    counter("divergent_branches", "<=", 0.1) {
      points = 3,
      relative = true,
      en = "Some warps still hold elements of both kinds. Which threads form a warp?",
      zh = "还有 warp 同时含有两种元素。哪些线程组成一个 warp？",
    },
    counter("warp_inst", "<=", 0.75) {
      points = 3,
      relative = true,
      en = "Every warp still executes both paths, with or without a branch.",
      zh = "不管有没有分支，每个 warp 都还在执行两条路。",
    },
  },

  steps = {
    say {
      en = [[
        The threads of a block are cut into warps of 32, in order: threads 0 to 31, 32 to 63, and so on. In a block of several dimensions the order is
        that of memory: x runs fastest, then y, then z. A warp executes one instruction at a time. If its lanes disagree at a branch, it executes *both* sides,
        one after the other, with the other side's lanes switched off.
      ]],
      zh = [[
        一个块的线程按顺序切成 32 个一组的 warp：线程 0 到 31、32 到 63，依此类推。多维的块按内存的顺序排：x 变化最快，然后是 y，再是 z。一个 warp 每次执行一条指令。
        如果各 lane 在分支处意见不一，warp 就*两边都执行*，一边执行时把另一边的 lane 关掉，先后进行。
      ]],
    },
    ask {
      en = "A block has dim3({x}, {y}) threads. In which warp (counted from 0) is thread (x = 1, y = {t})?",
      zh = "一个块有 dim3({x}, {y}) 个线程。线程 (x = 1, y = {t}) 在第几个 warp（从 0 数起）？",
      draw = { x = { from = { 8, 16, 24 } }, y = { from = { 16 } }, t = { 1, 15 } },
      answer = function(d) return (d.t * d.x + 1) // 32 end,
      because = { en = "Its number is y * {x} + x, and 32 of them make a warp.", zh = "它的编号是 y * {x} + x，每 32 个组成一个 warp。" },
    },
    ask {
      en = "Which of these conditions never splits a warp of a one-dimensional block?",
      zh = "在一维的块里，下面哪个条件绝不会拆开 warp？",
      choices = {
        { en = "`threadIdx.x > 2`", zh = "`threadIdx.x > 2`" },
        { en = "`threadIdx.x / 32 > 2`", zh = "`threadIdx.x / 32 > 2`", right = true, because = { en = "It is the same for all threads with the same quotient: for a whole warp.", zh = "商相同的线程结果相同，而它们正好是一个 warp。" } },
        { en = "`threadIdx.x % 2 == 0`", zh = "`threadIdx.x % 2 == 0`" },
      },
    },
    show {
      en = "The baseline, line by line: both loops run with 16 lanes.",
      zh = "逐行看基线：两个循环都只有 16 个 lane 在工作。",
      picture = "divergence",
      of = "baseline",
    },
    predict {
      en = "How many lanes are active on average over all instructions of the baseline? Nearly all of them lie in the two loops.",
      zh = "基线的所有指令平均有多少个 lane 在工作？几乎所有指令都在那两个循环里。",
      counter = "active_lanes_avg",
      of = "baseline",
      tolerance = 0.15,
      because = { en = "16 in the loops, 32 outside: a little over 16.", zh = "循环里 16，循环外 32：略高于 16。" },
    },
    say {
      en = [[
        The paths belong to the elements, and the elements cannot be moved. But nothing says that thread 5 has to work on element 5. A thread may choose *which* element it takes, so
        that those on one path come to lie in one warp.
      ]],
      zh = [[
        走哪条路由元素决定，而元素不能挪动。但没有谁规定线程 5 必须处理第 5 个元素。线程可以选择处理*哪个*元素，让走同一条路的元素集中到同一个 warp 里。
      ]],
    },
    exercise {
      en = "Deal the elements out so that each warp takes one path only. All results stay where they are.",
      zh = "重新分配元素，使每个 warp 只走一条路。所有结果的位置不变。",
    },
    show { en = "Your kernel, line by line:", zh = "逐行看你的核函数：", picture = "divergence", of = "mine" },
    compare {
      en = "The same lane-instructions in half the warp instructions. What did it cost in sectors?",
      zh = "lane 指令数相同，warp 指令数减半。扇区上付出了什么代价？",
      counters = { "divergent_branches", "warp_inst", "thread_inst", "active_lanes_avg", "gld_sectors_per_request" },
      with = "baseline",
    },
  },

  hints = {
    { en = "A block of 256 threads has 128 even elements and 128 odd ones: four warps for each.", zh = "256 个线程的块有 128 个偶数元素和 128 个奇数元素：各用四个 warp。" },
    { en = "Threads 0 to 127 take the elements 0, 2, 4 ... of the block, threads 128 to 255 the elements 1, 3, 5 ...", zh = "线程 0 到 127 处理块内第 0、2、4……个元素，线程 128 到 255 处理第 1、3、5……个。" },
    { en = "`int odd = t / 128, i = blockIdx.x * 256 + 2 * (t % 128) + odd;`, and the branch asks for `odd`.", zh = "`int odd = t / 128, i = blockIdx.x * 256 + 2 * (t % 128) + odd;`，分支判断 `odd`。" },
  },

  after = {
    en = [[
      On an H200 a kernel like this takes 48 us when lanes alternate and 27 when warps do (measured): nearly half of the time was spent on lanes that were switched off. The price: lanes now read
      every other element, eight sectors for four. With 64 steps of arithmetic per element that hardly counts.

      Short branches are no branches: where a side is a few instructions long, the compiler *predicates* them. Every lane goes through them and a flag decides whether the result is
      kept. That is why a simple boundary check costs next to nothing.
    ]],
    zh = [[
      在 H200 上，这样的核函数按 lane 交替时用 48 us，按 warp 交替时用 27 us（实测）：将近一半的时间花在了被关掉的 lane 上。代价是各 lane 现在隔一个读一个，原来四个扇区变成八个。
      每个元素有 64 步运算，这点代价几乎可以忽略。

      很短的分支其实不是分支：当一边只有几条指令时，编译器会使用*谓词*（predication）：每个 lane 都走一遍，由一个标志决定结果算不算数。所以简单的边界检查几乎不花时间。
    ]],
  },
  more = {
    en = "Would regrouping still be worth it if steps were 1? Count instructions and sectors. And look at `divergent_branches_machine`, which leaves out what the assembler would predicate.",
    zh = "如果 steps 只有 1，重新分组还值得吗？数一数指令和扇区。再看看 `divergent_branches_machine`，它不计汇编器会改成谓词的那些分支。",
  },
}
