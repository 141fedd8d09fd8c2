-- Chapter 4: branches and warps.
return lab {
  id = "divergence",
  title = { en = "One warp, one way", zh = "一个 warp，一条路" },
  chapter = 4,
  minutes = 30,
  needs = { "vector-add", "image-gray" },
  source = "book 5.3; guide 5.4.2; slides II.3",
  teaches = {
    ["both-sides"] = "say show",
    ["warp-of-32"] = "say ask",
    ["warps-2d-3d"] = "say ask",
    ["warp-condition"] = "ask",
    ["simd-cost"] = "say ask",
    ["divergent-regions"] = "say ask",
    predication = "after",
    ["loop-divergence"] = "say",
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
    at_most("divergent_jumps", 0.1 * baseline) {
      points = 3,
      en = "Some warps still hold elements of both kinds. Which threads form a warp?",
      zh = "还有 warp 同时含有两种元素。哪些线程组成一个 warp？",
    },
    at_most("warp_inst", 0.75 * baseline) {
      points = 3,
      en = "Every warp still executes both paths, with or without a branch.",
      zh = "不管有没有分支，每个 warp 都还在执行两条路。",
    },
  },

  steps = {
    say {
      en = [[
        The threads of a block are cut into warps of 32, in order: threads 0 to 31, 32 to 63, and so on. In a block of several dimensions the order is
        that of memory: x runs fastest, then y, then z. A block of 4 x 8 x 2 threads makes two warps, one for each z:

            warp 0   (0,0,0) (1,0,0) (2,0,0) (3,0,0) (0,1,0) ... (3,7,0)
            warp 1   (0,0,1) (1,0,1) (2,0,1) (3,0,1) (0,1,1) ... (3,7,1)

        A warp executes one instruction at a time, for all of its lanes. If the condition of a branch is true for some lanes and false for others, the warp
        *diverges*: it executes *both* sides, one after the other, with the other side's lanes switched off. A loop diverges in the same
        way: the warp makes as many turns as its busiest lane needs, and the others stand by.
      ]],
      zh = [[
        一个块的线程按顺序切成 32 个一组的线程束（warp）：线程 0 到 31、32 到 63，依此类推。多维的块按内存的顺序排：x 变化最快，然后是 y，再是 z。4 x 8 x 2 个线程的块分成
        两个 warp，每个 z 一个：

            warp 0   (0,0,0) (1,0,0) (2,0,0) (3,0,0) (0,1,0) ... (3,7,0)
            warp 1   (0,0,1) (1,0,1) (2,0,1) (3,0,1) (0,1,1) ... (3,7,1)

        一个 warp 每次为所有 lane 执行同一条指令。如果分支条件对一些 lane 为真、对另一些为假，warp 就会*发散*（divergence，也叫线程束分化）：*两边都执行*，先后进行，
        执行一边时把另一边的 lane 关掉。循环也会发散：各 lane 的次数不同时，整个 warp 要转到次数最多的那个 lane 做完为止，其余的陪着等。
      ]],
    },
    ask {
      alone = true,
      en = "A block has dim3({x}, {y}, {z}) threads. In which warp (counted from 0) is the thread with threadIdx = ({a}, {b}, {c})?",
      zh = "一个块有 dim3({x}, {y}, {z}) 个线程。threadIdx = ({a}, {b}, {c}) 的线程在第几个 warp（从 0 数起）？",
      draw = { x = { from = { 4, 8 } }, y = { from = { 4, 8 } }, z = { from = { 4, 6, 8 } }, a = { 0, 3 }, b = { 0, 3 }, c = { 1, 3 } },
      answer = function(d) return ((d.c * d.y + d.b) * d.x + d.a) // 32 end,
      replies = {
        { function(d) return (d.c * d.y + d.b) * d.x + d.a end, en = "This is the thread's number in its block. 32 threads are one warp.", zh = "这是线程在块内的编号。每 32 个线程是一个 warp。" },
        { function(d) return ((d.c * d.y + d.b) * d.x + d.a) // 32 + 1 end, en = "Warps are counted from 0, too.", zh = "warp 也从 0 数起。" },
      },
      because = { en = "Its number is ({c} * {y} + {b}) * {x} + {a}, and 32 of them make a warp.", zh = "它的编号是 ({c} * {y} + {b}) * {x} + {a}，每 32 个组成一个 warp。" },
    },
    ask {
      en = "Why do GPUs let 32 lanes share one instruction stream at all, when that makes them execute both sides of a branch?",
      zh = "既然共用一条指令流会让分支的两边都要执行，GPU 为什么还要让 32 个 lane 共用它？",
      choices = {
        { en = "The unit that fetches and decodes instructions is large and takes power: shared by 32 lanes, it leaves the chip's area and power to arithmetic.", zh = "取指和译码的控制部件又大又耗电：让 32 个 lane 共用一个，芯片的面积和功耗就能留给运算。", right = true,
          because = { en = "*SIMD*: one control unit, 32 units that compute, each with registers of its own.", zh = "这就是 *SIMD*：一个控制单元，32 个执行单元，各有各的寄存器。" } },
        { en = "A lane by itself could not reach the memory.", zh = "单独一个 lane 无法访问内存。", because = { en = "It can: with 31 lanes switched off, a load still works.", zh = "可以：即使另外 31 个 lane 都关掉，读取照样进行。" } },
        { en = "So that results do not depend on the order of the threads.", zh = "为了让结果与线程的先后无关。", because = { en = "Nothing of the kind is promised: warps run in any order, and lanes need not keep in step.", zh = "并没有这种保证：各 warp 的执行次序任意，lane 之间也不一定步调一致。" } },
      },
    },
    ask {
      alone = true,
      en = "Which of these conditions never splits a warp of a one-dimensional block?",
      zh = "在一维的块里，下面哪个条件绝不会让 warp 发散？",
      choices = {
        { en = "`threadIdx.x > 2`", zh = "`threadIdx.x > 2`", because = { en = "Threads 0, 1 and 2 go one way, the other 29 of their warp another.", zh = "线程 0、1、2 走一边，同一个 warp 的另外 29 个走另一边。" } },
        { en = "`threadIdx.x % 2 == 0`", zh = "`threadIdx.x % 2 == 0`", because = { en = "It splits every warp in halves.", zh = "每个 warp 都被对半拆开。" } },
        { en = "`threadIdx.x / 32 > 2`", zh = "`threadIdx.x / 32 > 2`", right = true, because = { en = "It is the same for all threads with the same quotient: for a whole warp.", zh = "商相同的线程结果相同，而它们正好是一个 warp。" } },
      },
    },
    ask {
      en = [[
        The check at the edge of a picture splits warps, too, but few. A picture of 76 x 62 in blocks of 16 x 16, each a pile of 8 warps of two rows:

            12 blocks inside         96 warps, none splits
             3 at the right edge     24 warps, all split
             4 at the bottom         32 warps, none (their last rows lie outside)
             1 in the corner          8 warps, 7 split

        31 of 160, a fifth. Now the picture is {w} x {h}. What share of its warps splits? (in %; the rows are even, so only warps at the right edge split)
      ]],
      zh = [[
        图像边缘的检查也会让 warp 发散，但为数不多。76 x 62 的图像用 16 x 16 的块，每块由上到下是 8 个两行的 warp：

            内部 12 块     96 个 warp，都不发散
            右边缘 3 块    24 个 warp，全部发散
            下边缘 4 块    32 个 warp，都不发散（最后两行整个在图外）
            右下角 1 块     8 个 warp，7 个发散

        160 个中有 31 个，约五分之一。现在图像是 {w} x {h}，发散的 warp 占百分之几？（行数是偶数，所以只有右边缘的 warp 发散）
      ]],
      draw = { w = { from = { 200, 1000, 1912, 3000 } }, h = { from = { 150, 750, 1080 } } },
      answer = function(d) return 100 * (d.h // 2) / (ceil_div(d.w, 16) * ceil_div(d.h, 16) * 8) end,
      tolerance = 0.03,
      unit = "%",
      replies = {
        { function(d) return 100 * d.h / (ceil_div(d.w, 16) * ceil_div(d.h, 16) * 8) end, en = "A warp holds two rows of a block: the right edge has {h} / 2 of them.", zh = "一个 warp 有块的两行：右边缘的 warp 是 {h} / 2 个。" },
        { function(d) return d.h // 2 end, en = "That many warps split. The question is for their share of all warps.", zh = "这是发散的 warp 数。题目问的是它占所有 warp 的百分比。" },
      },
      because = {
        en = "{h} / 2 warps at the right edge, of 8 for every block. The wider the picture, the less it matters: below 8% for 200 x 150, below 2% from a thousand columns on.",
        zh = "右边缘有 {h} / 2 个 warp，总数是每块 8 个。图像越宽影响越小：200 x 150 不到 8%，上千列时不到 2%。",
      },
    },
    show {
      en = "Here is a kernel where it does matter. The baseline, line by line: both loops run with 16 lanes.",
      zh = "下面这个核函数就不同了。逐行看基线：两个循环都只有 16 个 lane 在工作。",
      picture = "divergence",
      of = "baseline",
    },
    predict {
      en = "How many lanes are active on average over all instructions of the baseline? Nearly all of them lie in the two loops.",
      zh = "基线的所有指令平均有多少个 lane 在工作？几乎所有指令都在那两个循环里。",
      counter = "active_lanes_avg",
      of = "baseline",
      tolerance = 0.15,
      replies = {
        { 32, en = "Each loop runs with the lanes of one kind only: half of a warp.", zh = "每个循环里只有一种元素的 lane 在工作：warp 的一半。" },
      },
      because = { en = "16 in the loops, 32 outside: a little over 16.", zh = "循环里 16，循环外 32：略高于 16。" },
    },
    show {
      en = "What would it be worth if idle lanes were packed into full warps? The row `divergence` says, and which lines pay for it:",
      zh = "假如把空转的 lane 凑成满的 warp，能省多少？看“分支发散”那一行，以及是哪些行在付这笔账：",
      picture = "whatif",
      of = "baseline",
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
      en = [[
        Deal the elements out so that each warp takes one path only. All results stay where they are.

        To watch the lanes part and meet again: `debug` opens at the branch; then `next` and `warps` by turns; `reverse-next` goes back.
      ]],
      zh = [[
        重新分配元素，使每个 warp 只走一条路。所有结果的位置不变。

        想看 lane 怎样分开又会合：`debug` 会停在分支处，然后交替用 `next` 和 `warps`；`reverse-next` 可以往回走。
      ]],
    },
    show { en = "Your kernel, line by line:", zh = "逐行看你的核函数：", picture = "divergence", of = "mine" },
    compare {
      en = "The same lane-instructions in half the warp instructions. What did it cost in sectors?",
      zh = "lane 指令数相同，warp 指令数减半。扇区上付出了什么代价？",
      counters = { "divergent_branches", "warp_inst", "thread_inst", "active_lanes_avg", "gld_sectors_per_request" },
      beside = "baseline",
    },
  },

  debug = {
    at = { "if (i % 2", "if (odd", "for (int k" },
    en = "The branch at which lanes part: up to here all 32 are at one place. `next`, then `warps`: which lanes run, and where do the others wait?",
    zh = "lane 就在这个分支分开：到这里为止，32 个 lane 还在同一处。先 `next`，再 `warps`：哪些 lane 在执行，其余的停在哪里等？",
  },
  hints = {
    { en = "For both counters: a block of 256 threads has 128 even elements and 128 odd ones: four warps for each.", zh = "两个计数器都靠这一点：256 个线程的块有 128 个偶数元素和 128 个奇数元素，各用四个 warp。" },
    { en = "Threads 0 to 127 take the elements 0, 2, 4 ... of the block, threads 128 to 255 the elements 1, 3, 5 ...", zh = "线程 0 到 127 处理块内第 0、2、4……个元素，线程 128 到 255 处理第 1、3、5……个。" },
    { en = "`int odd = t / 128, i = blockIdx.x * 256 + 2 * (t % 128) + odd;`, and the branch asks for `odd`.", zh = "`int odd = t / 128, i = blockIdx.x * 256 + 2 * (t % 128) + odd;`，分支判断 `odd`。" },
  },

  after = {
    en = [[
      On an H200 a kernel like this takes 45 us when lanes alternate and 25 when warps do (measured, cold L2): nearly half of the time was spent on lanes that were switched off. The price: lanes now
      read every other element, eight sectors for four. With 64 steps of arithmetic per element that hardly counts.

      Short branches are no branches: where a side is a few instructions long, the compiler *predicates* them. The instructions pass through the warp once, and a flag in each lane decides whether the
      instruction acts there: where it is false, nothing is read and nothing is written (`unroll-predicate` shows it). That is why a simple boundary check costs next to nothing.
    ]],
    zh = [[
      在 H200 上，这样的核函数按 lane 交替时用 45 微秒，按 warp 交替时用 25 微秒（实测，L2 冷态）：将近一半的时间花在了被关掉的 lane 上。代价是各 lane 现在隔一个读一个，
      原来四个扇区变成八个。每个元素有 64 步运算，这点代价几乎可以忽略。

      很短的分支其实不是分支：当一边只有几条指令时，编译器会改用*谓词执行*（predication）：指令在整个 warp 里只过一遍，每个 lane 有一个标志决定指令对它起不起作用：标志为假时什么也不读，什么也不写（见 `unroll-predicate`）。所以简单的边界检查几乎不花时间。
    ]],
  },
  more = {
    en = "Write `steps = 1;` as the first line of the kernel, once with the old indexing and once with yours (the results are wrong then, the counters are not), and look at `profile`: is regrouping still worth it? Look at `divergent_branches_machine`, too, which leaves out what the assembler would predicate.",
    zh = "在核函数的第一行写上 `steps = 1;`，按原来的下标和你的下标各试一次（这时结果是错的，计数器仍然有效），看看 `profile`：重新分组还值得吗？也看看 `divergent_branches_machine`，它不计汇编器会改成谓词执行的那些分支。",
  },
}
