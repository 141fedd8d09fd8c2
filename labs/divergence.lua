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
  hidden = { count = 3, n = { 2, 5000 }, steps = { 1, 100 } },
  goals = {
    correct { points = 4 },
    at_most("divergent_jumps", 0.1 * baseline) {
      points = 3,
      en = "Some warps still contain elements of both kinds. Which threads form a warp?",
      zh = "有的 warp 里还同时有两种元素。哪些线程组成一个 warp？",
    },
    at_most("warp_inst", 0.75 * baseline) {
      points = 3,
      en = [[
        Every warp still executes the instructions of both paths, even if your code has no branch.
      ]],
      zh = "每个 warp 仍然要把两条路的指令都执行一遍。即使代码里没有写分支，也是这样。",
    },
  },

  steps = {
    say {
      en = [[
        In this lab's kernel, each thread takes one element and changes its value `steps` times.
        Elements with an even index use one formula, and elements with an odd index use another.
        Many programs treat two kinds of elements differently in this way. You will find out what
        such a branch costs, and you will arrange the threads so that it costs less.

        The device divides the threads of a block into warps of 32: threads 0 to 31, 32 to 63, and
        so on. In a block of two or three dimensions, the threads are numbered like this: x varies
        fastest, then y, then z. So a block of 4 x 8 x 2 threads has two warps, one for each z:

            warp 0   (0,0,0) (1,0,0) (2,0,0) (3,0,0) (0,1,0) ... (3,7,0)
            warp 1   (0,0,1) (1,0,1) (2,0,1) (3,0,1) (0,1,1) ... (3,7,1)

        A warp executes one instruction at a time, for all its *lanes*: its 32 places, one for each
        thread. If a branch sends some lanes to one side and some to the other, the warp *diverges*:
        it executes *both* sides, one after the other. While it executes one side, the lanes of the
        other side are switched off.

        A loop can diverge, too. The warp repeats the loop until all its lanes are done. Lanes that
        finish earlier wait.
      ]],
      zh = [[
        本实验的核函数里，每个线程取一个元素，把元素的值更新 `steps` 次：
        下标为偶数的元素用一个公式，下标为奇数的元素用另一个公式。许多程序都像这样，
        对两种元素做不同的计算。你会看到这样的分支要花多少时间，然后重新安排线程，让分支少花时间。

        设备把一个块的线程按编号分成若干个线程束（warp），每 32 个线程一个 warp：
        线程 0 到 31、32 到 63，依此类推。如果块是二维或三维的，线程编号的次序是：x 变化最快，
        其次是 y，最后是 z。所以 4 x 8 x 2 个线程的块有两个 warp，每个 z 值对应一个：

            warp 0   (0,0,0) (1,0,0) (2,0,0) (3,0,0) (0,1,0) ... (3,7,0)
            warp 1   (0,0,1) (1,0,1) (2,0,1) (3,0,1) (0,1,1) ... (3,7,1)

        warp 的 32 个位置叫 *lane*，每个线程占一个。warp 一次执行一条指令，所有 lane 一起执行。遇到
        分支时，如果有的 lane 走这一边，有的 lane 走另一边，warp 就会*发散*（divergence，也叫线程束
        分化）：*两边都要执行*，执行完一边再执行另一边。执行一边时，走另一边的 lane 停用。

        循环也会发散。warp 要一直循环到最后一个 lane 做完为止，先做完的 lane 只能等待。
      ]],
    },
    ask {
      alone = true,
      en = [[
        A block has dim3({x}, {y}, {z}) threads. Which warp contains the thread with threadIdx =
        ({a}, {b}, {c})? (The first warp is warp 0.)
      ]],
      zh = [[
        一个块有 dim3({x}, {y}, {z}) 个线程。threadIdx = ({a}, {b}, {c}) 的线程属于哪个 warp？
        （warp 的编号从 0 开始。）
      ]],
      draw = { x = { from = { 4, 8 } }, y = { from = { 4, 8 } }, z = { from = { 4, 6, 8 } }, a = { 0, 3 }, b = { 0, 3 }, c = { 1, 3 } },
      answer = function(d) return ((d.c * d.y + d.b) * d.x + d.a) // 32 end,
      replies = {
        {
          function(d) return (d.c * d.y + d.b) * d.x + d.a end,
          en = "This is the number of the thread in its block. Each warp has 32 threads.",
          zh = "这是线程在块内的编号。每个 warp 有 32 个线程。",
        },
        {
          function(d) return ((d.c * d.y + d.b) * d.x + d.a) // 32 + 1 end,
          en = "The first warp of the block is warp 0, not warp 1.",
          zh = "块的第一个 warp 编号是 0，不是 1。",
        },
      },
      because = {
        en = [[
          The number of the thread in its block is ({c} * {y} + {b}) * {x} + {a}. Divide this number
          by 32 and round down to get the number of the warp.
        ]],
        zh = [[
          线程在块内的编号是 ({c} * {y} + {b}) * {x} + {a}。用这个编号除以 32，向下取整，
          就得到 warp 的编号。
        ]],
      },
    },
    ask {
      en = [[
        The 32 lanes of a warp share one instruction stream, so a warp that diverges has to execute
        both sides. Why do GPUs let 32 lanes share one stream anyway?
      ]],
      zh = [[
        一个 warp 的 32 个 lane 共用一条指令流，所以 warp 发散时，两边都要执行。
        GPU 为什么仍然让 32 个 lane 共用一条指令流？
      ]],
      choices = {
        {
          en = [[
            The unit that fetches and decodes instructions is large and uses a lot of power. If 32
            lanes share one such unit, more area and power are left for arithmetic.
          ]],
          zh = [[
            取指和译码的部件又大又耗电。让 32 个 lane 共用一个这样的部件，
            芯片就有更多的面积和功耗可以用于运算。
          ]],
          right = true,
          because = {
            en = [[
              This design is called *SIMD* (single instruction, multiple data). One control unit
              drives 32 arithmetic units, and each lane has its own registers.
            ]],
            zh = [[
              这种设计叫 *SIMD*（单指令多数据）：一个控制部件控制 32 个运算单元，
              每个 lane 有自己的寄存器。
            ]],
          },
        },
        {
          en = "A single lane could not access memory.",
          zh = "单独一个 lane 无法访问内存。",
          because = {
            en = "It can. A load also works while the other 31 lanes are switched off.",
            zh = "可以。另外 31 个 lane 都停用时，一个 lane 照样能读内存。",
          },
        },
        {
          en = "This way, the results do not depend on the order of the threads.",
          zh = "这样，结果就与线程的先后无关。",
          because = {
            en = [[
              Results can still depend on the order, because the warps run in any order.
            ]],
            zh = [[
              结果仍然可能与先后有关，因为各个 warp 的执行顺序不定。
            ]],
          },
        },
      },
    },
    ask {
      alone = true,
      en = "Which of these conditions never makes a warp of a one-dimensional block diverge?",
      zh = "在一维的块里，下面哪个条件绝不会让 warp 发散？",
      choices = {
        {
          en = "`threadIdx.x > 2`",
          zh = "`threadIdx.x > 2`",
          because = {
            en = [[
              Threads 0, 1 and 2 take one side. The other 29 threads of their warp take the other
              side.
            ]],
            zh = "线程 0、1、2 走一边，同一个 warp 的另外 29 个线程走另一边。",
          },
        },
        {
          en = "`threadIdx.x % 2 == 0`",
          zh = "`threadIdx.x % 2 == 0`",
          because = {
            en = "In every warp, half of the lanes take one side and half take the other.",
            zh = "每个 warp 都有一半的 lane 走一边，另一半走另一边。",
          },
        },
        {
          en = "`threadIdx.x / 32 > 2`",
          zh = "`threadIdx.x / 32 > 2`",
          right = true,
          because = {
            en = "All 32 threads of a warp get the same quotient, so they all take the same side.",
            zh = "同一个 warp 的 32 个线程得到同样的商，所以都走同一边。",
          },
        },
      },
    },
    ask {
      en = [[
        The boundary check of an image kernel makes warps diverge, too. The larger the image, the
        smaller the share of the warps that diverge. First take a small image of 76 x 62 pixels, and
        blocks of 16 x 16 threads. A block has 8 warps, and each warp covers two rows of its block:

            blocks                  warps   diverging warps
            12 inside                  96                 0
             3 at the right edge       24                24
             4 at the bottom edge      32                 0
             1 in the corner            8                 7

        At the bottom edge, the two rows of a warp are either both inside the image or both outside.
        In all, 31 of 160 warps diverge, about a fifth.

        Now the image is {w} x {h} pixels. What percentage of all warps diverges? (The number of
        rows is even, so only warps at the right edge diverge.)
      ]],
      zh = [[
        图像核函数的边界检查也会让 warp 发散。图像越大，发散的 warp 所占比例越小。先看一幅小图像：76
        x 62 像素，每块 16 x 16 个线程。每块有 8 个 warp，每个 warp 占块的两行。

            块               warp 数   发散的 warp 数
            内部 12 块            96                0
            右边缘 3 块           24               24
            下边缘 4 块           32                0
            右下角 1 块            8                7

        在下边缘，一个 warp 的两行要么都在图像内，要么都在图像外。160 个 warp 中一共有 31 个发散，
        约五分之一。

        现在图像是 {w} x {h} 像素，发散的 warp 占全部 warp 的百分之几？（行数是偶数，
        所以只有右边缘的 warp 会发散。）
      ]],
      draw = { w = { from = { 200, 1000, 1912, 3000 } }, h = { from = { 150, 750, 1080 } } },
      answer = function(d) return 100 * (d.h // 2) / (ceil_div(d.w, 16) * ceil_div(d.h, 16) * 8) end,
      tolerance = 0.03,
      unit = "%",
      replies = {
        {
          function(d) return 100 * d.h / (ceil_div(d.w, 16) * ceil_div(d.h, 16) * 8) end,
          en = [[
            A warp covers two rows. So the blocks at the right edge have {h} / 2 warps inside the
            image, and all of these warps diverge.
          ]],
          zh = "一个 warp 占两行，所以右边缘的块有 {h} / 2 个 warp 在图像内，这些 warp 都会发散。",
        },
        {
          function(d) return d.h // 2 end,
          en = "This is the number of warps that diverge. What percentage of all warps is that?",
          zh = "这是发散的 warp 数。题目问的是占全部 warp 的百分之几。",
        },
      },
      because = {
        en = [[
          {h} / 2 warps at the right edge diverge, and every block has 8 warps. The wider the image,
          the smaller the share: it is below 8% for 200 x 150 pixels, and below 2% from 1000 columns
          on.
        ]],
        zh = [[
          右边缘有 {h} / 2 个 warp 发散，每个块有 8 个 warp。图像越宽，
          发散的 warp 所占比例越小：200 x 150 像素时不到 8%，列数达到 1000 以后不到 2%。
        ]],
      },
    },
    show {
      en = [[
        Divergence matters more in this lab's kernel than in a boundary check. The picture shows the
        baseline line by line: in each of the two loops, only 16 lanes of a warp are active.
      ]],
      zh = [[
        边界检查受发散的影响很小，本实验的核函数受到的影响更大。下面逐行看基线：在两个循环里，
        每个 warp 都只有 16 个活跃 lane。
      ]],
      picture = "divergence",
      of = "baseline",
    },
    predict {
      en = [[
        How many lanes are active on average over all instructions of the baseline? Nearly all of
        these instructions belong to the two loops.
      ]],
      zh = "基线的每条指令平均有多少个活跃 lane？几乎所有指令都在那两个循环里。",
      counter = "active_lanes_avg",
      of = "baseline",
      tolerance = 0.15,
      replies = {
        {
          32,
          en = [[
            Each loop works on elements of one kind, so only half of the lanes are active in the
            loop.
          ]],
          zh = "每个循环只处理一种元素，所以循环里只有一半的 lane 活跃。",
        },
      },
      because = {
        en = [[
          In the loops 16 lanes are active, and outside the loops all 32. The average is a little
          over 16.
        ]],
        zh = "循环里有 16 个 lane 活跃，循环外 32 个 lane 都活跃，平均略高于 16。",
      },
    },
    show {
      en = [[
        How much time would the baseline save if all lanes were always active? See the row
        `divergence`, and the lines of code that lose this time:
      ]],
      zh = [[
        假如基线的所有 lane 始终活跃，能省多少时间？请看“分支发散”那一行，
        以及省下的时间原来花在哪些代码行上：
      ]],
      picture = "whatif",
      of = "baseline",
    },
    say {
      en = [[
        The index of an element decides which path the element needs, and the elements must stay
        where they are. But thread 5 need not work on element 5. You may choose *which* element each
        thread takes, so that all elements of a warp need the same path.
      ]],
      zh = [[
        元素走哪一条路，由元素的下标决定，而元素不能移动。但线程 5 不必处理第 5 个元素。
        你可以选择每个线程处理*哪个*元素，让同一个 warp 的所有元素都走同一条路。
      ]],
    },
    exercise {
      en = [[
        Choose the element of each thread so that every warp takes only one path. Each result keeps
        its place in `out`.

        To watch the lanes split and meet again, start `debug`. The program stops at the branch.
        Then type `next` and `warps` in turn. `reverse-next` goes back one step.
      ]],
      zh = [[
        请重新选择每个线程处理的元素，使每个 warp 只走一条路。每个结果在 `out` 中的位置不变。

        想看 lane 怎样分开、又怎样汇合，请输入 `debug`。程序会停在分支处。
        这时请你交替输入 `next` 和 `warps`。`reverse-next` 退回一步。
      ]],
    },
    show {
      en = "Your kernel, line by line:",
      zh = "逐行看你的核函数：",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = [[
        The warps execute only half as many instructions as before (`warp_inst`), because all 32
        lanes now take part in each instruction. Counted for each lane (`thread_inst`), the work is
        the same. How many more sectors than before does each read request need?
      ]],
      zh = [[
        各 warp 执行的指令少了一半（`warp_inst`），因为现在每条指令都有 32 个 lane 参加。
        按 lane 计数（`thread_inst`），工作量没有变。每个读取请求比原来多要几个扇区？
      ]],
      counters = { "divergent_branches", "warp_inst", "thread_inst", "active_lanes_avg", "gld_sectors_per_request" },
      beside = "baseline",
    },
  },

  debug = {
    at = { "if (i % 2", "if (odd", "for (int k" },
    en = [[
      At this branch the lanes split. Until here, all 32 lanes are at the same place. Type `next`,
      then `warps`: which lanes run, and where do the other lanes wait?
    ]],
    zh = [[
      lane 在这个分支处分开。在此之前，32 个 lane 都在同一处。先输入 `next`，再输入 `warps`：
      哪些 lane 在执行，其余的 lane 在哪里等待？
    ]],
  },
  hints = {
    {
      en = [[
        One change is enough for both goals. A block of 256 threads has 128 elements with an even
        index and 128 elements with an odd index. Each kind fills four warps.
      ]],
      zh = [[
        同一处改动就能达到两个目标。256 个线程的块有 128 个下标为偶数的元素、128 个下标为奇数的元
        素，每种元素恰好够四个 warp。
      ]],
    },
    {
      en = [[
        Let threads 0 to 127 take the elements 0, 2, 4 ... of the block. Let threads 128 to 255 take
        the elements 1, 3, 5 ...
      ]],
      zh = "让线程 0 到 127 处理块内第 0、2、4……个元素，让线程 128 到 255 处理第 1、3、5……个元素。",
    },
    {
      en = [[
        With `t = threadIdx.x`, write

            int odd = t / 128;
            int i = blockIdx.x * 256 + 2 * (t % 128) + odd;

        and let the branch test `odd`.
      ]],
      zh = [[
        令 `t = threadIdx.x`，写

            int odd = t / 128;
            int i = blockIdx.x * 256 + 2 * (t % 128) + odd;

        并让分支判断 `odd`。
      ]],
    },
  },

  after = {
    en = [[
      On an H200, a kernel like this takes 45 us if neighbouring lanes take different paths. It
      takes 25 us if only neighbouring warps do. (Both were measured with a *cold L2*: at the start,
      none of the data was in the L2 cache.) So nearly half of the time was lost while lanes were
      switched off.

      Your version has a price: the lanes of a warp now read every other element, so a request needs
      eight sectors instead of four. With 64 steps of arithmetic per element, this hardly matters.

      If a side of a branch has only a few instructions, the compiler makes no branch. It
      *predicates* the instructions: the whole warp executes them once, and a flag in each lane
      decides whether they take effect in that lane. In a lane whose flag is false, nothing is read
      and nothing is written (see `unroll-predicate`). So a simple boundary check costs almost
      nothing.
    ]],
    zh = [[
      在 H200 上，相邻的 lane 走不同的路时，这样的核函数用 45 微秒；只是相邻的 warp 走不同的路时，
      用 25 微秒（实测，*L2 冷态*，即开始时数据都不在 L2 缓存里）。
      可见原来有将近一半的时间浪费在停用的 lane 上。

      你的版本也有代价：一个 warp 的 lane 现在每隔一个元素读一个，每个请求要八个扇区，原来只要四个。
      每个元素要做 64 步运算，所以这点代价几乎没有影响。

      如果分支的一边只有几条指令，编译器就不生成分支，而用*谓词执行*（predication）：
      整个 warp 把这些指令执行一次，每个 lane 有一个标志，决定指令对这个 lane 是否生效。
      标志为假的 lane 什么也不读，什么也不写（见 `unroll-predicate`）。
      所以简单的边界检查几乎不花时间。
    ]],
  },
  more = {
    en = [[
      Write `steps = 1;` as the first line of the kernel, once with the old index and once with
      yours. (The results are then wrong, but the counters are valid.) Look at `profile`: does your
      version still pay? Look at `divergent_branches_machine`, too: this counter leaves out the
      branches that become predicated instructions in the machine code.
    ]],
    zh = [[
      在核函数的第一行写上 `steps = 1;`，用原来的下标和你的下标各试一次。（这时结果是错的，
      但计数器仍然有效。）看看 `profile`：你的版本还划算吗？再看 `divergent_branches_machine`：
      有的分支在机器码里变成了谓词执行，这个计数器不计这样的分支。
    ]],
  },
}
