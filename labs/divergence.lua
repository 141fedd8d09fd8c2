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
        A block's threads are divided into warps of 32 in order: threads 0 to 31, 32 to 63, and so on. In a block of two or three dimensions, x varies
        fastest, then y, then z. A block of 4 x 8 x 2 threads has two warps, one for each z:

            warp 0   (0,0,0) (1,0,0) (2,0,0) (3,0,0) (0,1,0) ... (3,7,0)
            warp 1   (0,0,1) (1,0,1) (2,0,1) (3,0,1) (0,1,1) ... (3,7,1)

        A warp executes one instruction at a time, for all of its lanes. If the condition of a branch is true for some lanes and false for others, the warp
        *diverges*: it executes *both* sides, one after the other, with the other side's lanes switched off. A loop can diverge
        too: the warp repeats it until its busiest lane is done, and the other lanes wait.
      ]],
      zh = [[
        一个块的线程按编号每 32 个组成一个线程束（warp）：线程 0 到 31、32 到 63，依此类推。在多维的块里，x 变化最快，其次是 y，最后是 z。4 x 8 x 2 个线程的块有
        两个 warp，每个 z 值对应一个：

            warp 0   (0,0,0) (1,0,0) (2,0,0) (3,0,0) (0,1,0) ... (3,7,0)
            warp 1   (0,0,1) (1,0,1) (2,0,1) (3,0,1) (0,1,1) ... (3,7,1)

        一个 warp 每次为所有 lane 执行同一条指令。如果分支条件对一些 lane 为真、对另一些为假，warp 就会*发散*（divergence，也叫线程束分化）：分支的*两边都要执行*，
        一边执行完再执行另一边，不走这一边的 lane 暂时停用。循环也会发散：各 lane 的循环次数不同时，warp 要循环到次数最多的 lane 完成为止，其余 lane 只能等待。
      ]],
    },
    ask {
      alone = true,
      en = "A block has dim3({x}, {y}, {z}) threads. In which warp (counted from 0) is the thread with threadIdx = ({a}, {b}, {c})?",
      zh = "一个块有 dim3({x}, {y}, {z}) 个线程。threadIdx = ({a}, {b}, {c}) 的线程在第几个 warp（从 0 数起）？",
      draw = { x = { from = { 4, 8 } }, y = { from = { 4, 8 } }, z = { from = { 4, 6, 8 } }, a = { 0, 3 }, b = { 0, 3 }, c = { 1, 3 } },
      answer = function(d) return ((d.c * d.y + d.b) * d.x + d.a) // 32 end,
      replies = {
        { function(d) return (d.c * d.y + d.b) * d.x + d.a end, en = "This is the thread's number in its block. Each warp has 32 threads.", zh = "这是线程在块内的编号。每 32 个线程是一个 warp。" },
        { function(d) return ((d.c * d.y + d.b) * d.x + d.a) // 32 + 1 end, en = "Warps are counted from 0 as well.", zh = "warp 也从 0 数起。" },
      },
      because = { en = "Its number is ({c} * {y} + {b}) * {x} + {a}, and each warp holds 32 threads.", zh = "线程的编号是 ({c} * {y} + {b}) * {x} + {a}，每 32 个线程组成一个 warp。" },
    },
    ask {
      en = "Sharing one instruction stream forces a warp to execute both sides of a branch. Why do GPUs let 32 lanes share one anyway?",
      zh = "32 个 lane 共用一条指令流，分支的两边就都要执行。GPU 为什么仍然这样设计？",
      choices = {
        { en = "The unit that fetches and decodes instructions is large and uses a lot of power. When 32 lanes share one, area and power are left for arithmetic.", zh = "取指和译码的控制部件又大又耗电：让 32 个 lane 共用一个，芯片的面积和功耗就能留给运算。", right = true,
          because = { en = "This is *SIMD*: one control unit and 32 arithmetic units, each with its own registers.", zh = "这就是 *SIMD*：一个控制单元控制 32 个执行单元，每个执行单元有自己的寄存器。" } },
        { en = "A single lane could not access memory.", zh = "单独一个 lane 无法访问内存。", because = { en = "It can: a load works with the other 31 lanes switched off.", zh = "可以：即使另外 31 个 lane 都停用，读取照样进行。" } },
        { en = "So that results do not depend on the order of the threads.", zh = "为了让结果与线程的先后无关。", because = { en = "Results can depend on it: warps run in any order, and lanes need not stay in step.", zh = "没有这种保证：各 warp 的执行顺序不定，同一 warp 的 lane 也不一定同步前进。" } },
      },
    },
    ask {
      alone = true,
      en = "Which of these conditions never makes a warp of a one-dimensional block diverge?",
      zh = "在一维的块里，下面哪个条件绝不会让 warp 发散？",
      choices = {
        { en = "`threadIdx.x > 2`", zh = "`threadIdx.x > 2`", because = { en = "Threads 0, 1 and 2 take one side, the other 29 threads of their warp take the other.", zh = "线程 0、1、2 走一边，同一个 warp 的另外 29 个走另一边。" } },
        { en = "`threadIdx.x % 2 == 0`", zh = "`threadIdx.x % 2 == 0`", because = { en = "It splits every warp in half.", zh = "每个 warp 都有一半 lane 走这边、一半走那边。" } },
        { en = "`threadIdx.x / 32 > 2`", zh = "`threadIdx.x / 32 > 2`", right = true, because = { en = "All 32 threads of a warp have the same quotient, so they agree.", zh = "同一个 warp 的 32 个线程商都相同，所以条件的结果也相同。" } },
      },
    },
    ask {
      en = [[
        The boundary check of an image kernel makes warps diverge too, but only a few. Take an image of 76 x 62 in blocks of 16 x 16. Each block has 8 warps of
        two rows:

            12 blocks inside         96 warps, none diverges
             3 at the right edge     24 warps, all diverge
             4 at the bottom         32 warps, none (their last rows lie outside)
             1 in the corner          8 warps, 7 diverge

        31 of 160 warps diverge, a fifth. Now the image is {w} x {h}. What percentage of its warps diverges? (The number of rows is even, so only warps at the
        right edge diverge.)
      ]],
      zh = [[
        图像的边界检查也会让 warp 发散，但发散的 warp 很少。以 76 x 62 的图像和 16 x 16 的块为例，每块有 8 个 warp，每个 warp 占两行：

            内部 12 块     96 个 warp，都不发散
            右边缘 3 块    24 个 warp，全部发散
            下边缘 4 块    32 个 warp，都不发散（最后两行全在图外）
            右下角 1 块     8 个 warp，7 个发散

        160 个 warp 中有 31 个发散，约五分之一。现在图像是 {w} x {h}，发散的 warp 占百分之几？（行数是偶数，所以只有右边缘的 warp 发散。）
      ]],
      draw = { w = { from = { 200, 1000, 1912, 3000 } }, h = { from = { 150, 750, 1080 } } },
      answer = function(d) return 100 * (d.h // 2) / (ceil_div(d.w, 16) * ceil_div(d.h, 16) * 8) end,
      tolerance = 0.03,
      unit = "%",
      replies = {
        { function(d) return 100 * d.h / (ceil_div(d.w, 16) * ceil_div(d.h, 16) * 8) end, en = "A warp covers two rows of a block, so {h} / 2 warps of the blocks at the right edge lie inside the image. All of them diverge.", zh = "一个 warp 占块的两行，所以最右一列的块里有 {h} / 2 个 warp 在图内，都发散。" },
        { function(d) return d.h // 2 end, en = "This is the number of warps that diverge. The question asks for their share of all warps.", zh = "这是发散的 warp 数。题目问的是占全部 warp 的百分比。" },
      },
      because = {
        en = "{h} / 2 warps at the right edge diverge; the image has 8 warps per block. The wider the image, the smaller the share: below 8% for 200 x 150, below 2% from a thousand columns on.",
        zh = "右边缘有 {h} / 2 个 warp 发散，而每块有 8 个 warp。图像越宽，发散的 warp 所占比例越小：200 x 150 不到 8%，上千列时不到 2%。",
      },
    },
    show {
      en = "In the next kernel divergence does matter. This is the baseline, line by line: only 16 lanes are active in each loop.",
      zh = "下面这个核函数里，发散的影响就大了。逐行看基线：两个循环都只有 16 个活跃 lane。",
      picture = "divergence",
      of = "baseline",
    },
    predict {
      en = "How many lanes are active on average over all instructions of the baseline? Nearly all instructions lie in the two loops.",
      zh = "对基线的所有指令取平均，有多少个活跃 lane？几乎所有指令都在那两个循环里。",
      counter = "active_lanes_avg",
      of = "baseline",
      tolerance = 0.15,
      replies = {
        { 32, en = "In each loop only the lanes of one kind are active: half of a warp.", zh = "每个循环里只有处理一种元素的 lane 活跃，即 warp 的一半。" },
      },
      because = { en = "16 lanes are active in the loops and 32 outside: on average a little over 16.", zh = "循环里有 16 个活跃 lane，循环外有 32 个：平均略高于 16。" },
    },
    show {
      en = "How much time would be saved if every warp were full? See the row `divergence`, and the lines that lose the time:",
      zh = "若每个 warp 都没有空闲的 lane，能省多少时间？看“分支发散”那一行，以及开销出自哪些代码行：",
      picture = "whatif",
      of = "baseline",
    },
    say {
      en = [[
        Each element decides which path it needs, and the elements cannot be moved. But thread 5 need not work on element 5. A thread may choose *which* element it
        takes, so that a warp holds only elements of one path.
      ]],
      zh = [[
        走哪一条路，取决于元素，而元素不能移动。但线程 5 不必处理第 5 个元素。线程可以选择处理*哪个*元素，让同一个 warp 只含走同一条路的元素。
      ]],
    },
    exercise {
      en = [[
        Assign the elements to threads so that each warp takes only one path. Every result keeps its place in `out`.

        To watch the lanes split and reconverge, start `debug`: it stops at the branch. Then type `next` and `warps` in turn; `reverse-next` steps back.
      ]],
      zh = [[
        重新把元素分配给线程，使每个 warp 只走一条路。结果在 `out` 中的位置不变。

        想看 lane 怎样分开又重新汇合，请用 `debug`：它会停在分支处，然后交替输入 `next` 和 `warps`；`reverse-next` 退回一步。
      ]],
    },
    show { en = "Your kernel, line by line:", zh = "逐行看你的核函数：", picture = "divergence", of = "mine" },
    compare {
      en = "The lanes execute as many instructions as before, in half as many warp instructions. How many more sectors does it cost?",
      zh = "lane 指令数相同，warp 指令数减半。代价是多读了多少扇区？",
      counters = { "divergent_branches", "warp_inst", "thread_inst", "active_lanes_avg", "gld_sectors_per_request" },
      beside = "baseline",
    },
  },

  debug = {
    at = { "if (i % 2", "if (odd", "for (int k" },
    en = "At this branch the lanes split; up to here all 32 are at the same place. Type `next`, then `warps`: which lanes run, and where do the others wait?",
    zh = "lane 在这个分支处分开；在此之前，32 个 lane 都在同一处。先输入 `next`，再输入 `warps`：哪些 lane 在执行，其余的在哪里等待？",
  },
  hints = {
    { en = "This helps both counters: a block of 256 threads has 128 elements with an even index and 128 with an odd one, enough for four full warps of each.", zh = "要改进这两个计数器，请想想：256 个线程的块有 128 个下标为偶数的元素和 128 个下标为奇数的元素，各够四个 warp。" },
    { en = "Threads 0 to 127 take the elements 0, 2, 4 ... of the block, threads 128 to 255 the elements 1, 3, 5 ...", zh = "线程 0 到 127 处理块内第 0、2、4……个元素，线程 128 到 255 处理第 1、3、5……个。" },
    { en = "`int odd = t / 128, i = blockIdx.x * 256 + 2 * (t % 128) + odd;`, and the branch tests `odd`.", zh = "`int odd = t / 128, i = blockIdx.x * 256 + 2 * (t % 128) + odd;`，分支判断 `odd`。" },
  },

  after = {
    en = [[
      On an H200 a kernel like this takes 45 us if the paths alternate from lane to lane, and 25 us if they alternate from warp to warp (measured, cold L2).
      Nearly half of the time went to lanes that were switched off. The price is that lanes now read every other element: eight sectors instead of four. That
      hardly matters next to 64 steps of arithmetic per element.

      If a side of a branch is only a few instructions long, the compiler does not branch: it *predicates* them. The warp executes the instructions once, and
      a flag in each lane decides whether they take effect there. Where the flag is false, nothing is read and nothing is written (`unroll-predicate` shows
      it). A simple boundary check therefore costs almost nothing.
    ]],
    zh = [[
      在 H200 上，这样的核函数若两条路逐 lane 交替，要 45 微秒；若逐 warp 交替，只要 25 微秒（实测，L2 冷态）：原来将近一半的时间浪费在停用的 lane 上。代价是各 lane 现在每隔一个元素读一个，
      四个扇区变成八个。每个元素有 64 步运算，这点代价几乎可以忽略。

      如果分支的一边只有几条指令，编译器就不生成分支，而用*谓词执行*（predication）：整个 warp 把这些指令执行一次，每个 lane 用一个标志决定指令对自己是否生效；标志为假的 lane 什么也不读、什么也不写（见 `unroll-predicate`）。所以简单的边界检查几乎不花时间。
    ]],
  },
  more = {
    en = "Write `steps = 1;` as the first line of the kernel, once with the old indexing and once with yours. (The results are then wrong, but the counters are valid.) Look at `profile`: is regrouping still worth it? Look at `divergent_branches_machine` too: it leaves out the branches that the assembler would predicate.",
    zh = "在核函数的第一行写上 `steps = 1;`，用原来的下标和你的下标各试一次。（这时结果是错的，但计数器仍然有效。）看看 `profile`：重新分组还值得吗？再看 `divergent_branches_machine`：它不计汇编器会改成谓词执行的分支。",
  },
}
