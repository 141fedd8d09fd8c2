-- The third step of the reduction: no thread that only loads.
return lab {
  id = "reduce-3-idle",
  title = { en = "Reduction 3: add while loading", zh = "归约第三步：读入时就相加" },
  chapter = 4,
  minutes = 15,
  needs = { "reduce-2-banks" },
  source = "walk-through",
  teaches = {
    ["first-add-shared"] = "ask",
    ["half-idle"] = "say show",
  },

  entry = "void reduce(const int *in, int *out, int n)",
  args = {
    ["in"] = integers(-30000, 30000, "n"),
    out = output("ceil_div(n, 512)"),
  },
  cases = { { n = 512 }, { n = 1 }, { n = 700 }, { n = 1 << 19, timed = true } },
  hidden = { count = 3, n = { 2, 30000 } },
  goals = {
    correct { points = 1 },
    at_most("grid_threads", 0.66 * baseline) {
      points = 2,
      en = [[
        There are still as many threads as elements. Half as many are enough, if each of them adds
        two elements.
      ]],
      zh = "线程数还是与元素数一样多。每个线程加两个元素，用一半的线程就够了。",
    },
    at_most("block_barriers", 0.6 * baseline) {
      points = 2,
      en = [[
        Too many warps pass barriers. In each block, eight warps can load everything that sixteen
        warps load now.
      ]],
      zh = "经过屏障的 warp 太多。现在每个块用 16 个 warp 读入数据，其实 8 个就够了。",
    },
    at_most("warp_inst", 0.7 * baseline) {
      points = 1,
      en = "Do the first addition in a register, before you store anything to shared memory.",
      zh = "第一次加法应当在寄存器里完成，然后才写共享内存。",
    },
    at_least("active_lanes_avg", 16) {
      points = 2,
      en = [[
        Most lanes have nothing to do: few threads add many elements, one after another. Share the
        elements of a sum among the threads of its block, and add them as a tree.
      ]],
      zh = [[
        大多数 lane 无事可做：少数几个线程逐个加很多元素。
        同一个和里的元素，应当由块里的各个线程分担，按树形相加。
      ]],
    },
    at_most("launches", 1) {
      points = 1,
      en = [[
        Use only one launch. The end of a launch is a barrier, too, so splitting the work into
        several launches does not count.
      ]],
      zh = "请只用一次启动。一次启动的结束也是屏障，所以拆成多次启动不算达到目标。",
    },
    at_most("atomics", 1 << 14) {
      points = 1,
      en = [[
        Add the elements in pairs, not by atomics: atomics on one word are done one after another.
        One atomic for each warp is allowed.
      ]],
      zh = [[
        元素应当成对相加，不要用原子操作：同一个字上的原子操作只能一个接一个地做。
        每个 warp 允许做一次。
      ]],
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        As in the labs before, each block computes a sum: here, 512 threads sum 512 ints. Each
        thread loads one int. Only 256 threads add in round 1, and each later round halves this
        number. So half of the threads never add. The device has to launch these threads and keep
        registers for them, although each of them only loads one word. You will compute the same sum
        with half as many threads.
      ]],
      zh = [[
        和前两个实验一样，每个块求一个和。这里一个块用 512 个线程求 512 个 int 的和。
        每个线程读入一个 int。第一轮有 256 个线程做加法，以后每轮减半，所以有一半的线程从不做加法。
        设备照样要启动不做加法的线程，为这些线程保留寄存器，而它们各自只读入一个字。
        你要用一半的线程算出同样的和。
      ]],
    },
    show {
      en = "The threads that add in each round, for a block of 64 threads:",
      zh = "以 64 个线程的块为例，每一轮里做加法的线程是：",
      picture = "rounds",
      lanes = 64,
      rounds = 6,
      model = function(thread, round) return thread < 64 >> (round + 1) end,
    },
    ask {
      en = [[
        A block of {b} threads reduces {b} elements. Count each thread in each round of the tree as
        one *thread-round*. In what percentage of all thread-rounds does the thread *not* add?
      ]],
      zh = [[
        一个 {b} 线程的块归约 {b} 个元素。每个线程每经过树的一轮，算一个“线程轮”，
        不论在这一轮里做不做加法。全部线程轮中，*没有*做加法的占百分之几？
      ]],
      draw = { b = { from = { 64, 256, 1024 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.b do rounds = rounds + 1 end
        return 100 * (1 - (d.b - 1) / (d.b * rounds))
      end,
      tolerance = 0.02,
      unit = "%",
      replies = {
        {
          50,
          en = [[
            This is true only of the first round. In the second round, three quarters of the threads
            do not add, and so on.
          ]],
          zh = "只有第一轮是这样。第二轮有四分之三的线程不做加法，依此类推。",
        },
      },
      because = {
        en = [[
          The tree does {b} - 1 additions, each in one thread-round. There are {b} * log2({b})
          thread-rounds in all. Half of the threads never add: each of them only loads one word.
        ]],
        zh = [[
          整棵树做 {b} - 1 次加法，每次加法占一个线程轮，而线程轮一共有 {b} * log2({b}) 个。
          一半的线程从不做加法，每个只读入一个字。
        ]],
      },
    },
    ask {
      en = [[
        If {t} threads sum {e} elements, each thread can add its own elements while it loads them.
        How many rounds does the tree need after that?
      ]],
      zh = [[
        如果用 {t} 个线程对 {e} 个元素求和，每个线程可以在读入时就把自己的几个元素相加。这之后，
        树还要几轮？
      ]],
      draw = { t = { from = { 64, 128, 256 } }, e = { from = { 512, 1024, 2048 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.t do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        {
          function(d) return math.floor(math.log(d.e, 2) + 0.5) end,
          en = [[
            The tree would need this many rounds if each element had a thread of its own. After the
            load, only {t} partial sums are left.
          ]],
          zh = "如果每个元素各有一个线程，树才要这么多轮。读入之后，只剩 {t} 个部分和。",
        },
        {
          function(d) return math.floor(math.log(d.e // d.t, 2) + 0.5) end,
          en = "This is the number of rounds that you save.",
          zh = "这是省下的轮数。",
        },
      },
      because = {
        en = [[
          Whatever the number of elements, {t} partial sums are left, so the tree needs log2({t})
          rounds. The partial sums take {t} words of shared memory.

          (The walk-through that this lab follows says that this step doubles the shared memory of a
          block. That is not so. In the walk-through, a block
          has as many threads as before and sums twice as many elements. Here, a block sums as many
          elements as before with half the threads. But a block always needs one word of shared
          memory per thread. So the shared memory of a block stays
          the same in the walk-through, and is halved here.)
        ]],
        zh = [[
          不管有多少个元素，都剩 {t} 个部分和，所以树要 log2({t}) 轮。
          这些部分和占 {t} 个字的共享内存。

          （分步教程说，这一步使每块的共享内存加倍。教程里，块的线程数不变，元素数加倍；本实验里，块
          的元素数不变，线程数减半。但每个线程总是用一个字的共享内存，所以每块的共享内存在教程里不
          变，在本实验里减半。）
        ]],
      },
    },
    ask {
      en = [[
        A block has 256 threads and 512 elements, and each thread loads two elements. Which two
        should thread t load?
      ]],
      zh = "一个块有 256 个线程、512 个元素，每个线程读两个元素。线程 t 读的应当是哪两个？",
      choices = {
        {
          en = "2 * t and 2 * t + 1",
          zh = "第 2 * t 和第 2 * t + 1 个",
          because = {
            en = [[
              Then each of the two loads reads only every other word. A request takes eight sectors
              instead of four.
            ]],
            zh = "那样，两次读取都是每隔一个字读一个，一个请求要八个扇区，而不是四个。",
          },
        },
        {
          en = "t and t + 256",
          zh = "第 t 和第 t + 256 个",
          right = true,
          because = {
            en = "Both loads are coalesced, because neighbouring threads read neighbouring words.",
            zh = "相邻的线程读相邻的字，所以两次读取都是合并的。",
          },
        },
        {
          en = "t and t + 1",
          zh = "第 t 和第 t + 1 个",
          because = {
            en = [[
              Then most of the first 257 elements are added twice, and all other elements are left
              out.
            ]],
            zh = "那样，前 257 个元素大多加了两次，其余的元素一次也没有加。",
          },
        },
      },
    },
    predict {
      en = [[
        Each warp passes one barrier after the load and one in each round. The baseline has 1024
        blocks of 16 warps, and each warp passes 10 barriers. The device counts a barrier once for
        each warp that passes it. How many barriers does the device count for the model answer at n
        = 2^19?
      ]],
      zh = [[
        每个线程束（warp）在读入之后过一次屏障，每一轮再过一次。基线有 1024 个块，每块 16 个 warp，
        每个 warp 过 10 次屏障。一个屏障有几个 warp 经过，设备就计几次。运行参考答案（n = 2^19）时，
        设备会数到多少次屏障？
      ]],
      counter = "barriers",
      of = "answer",
      tolerance = 0.05,
      replies = {
        {
          81920,
          en = [[
            You counted half as many warps. But the tree also has one round fewer, so each warp
            passes 9 barriers.
          ]],
          zh = "你把 warp 数减半了，但轮数也少了一轮，所以每个 warp 只过 9 次屏障。",
        },
        {
          147456,
          en = [[
            You counted one round fewer. But there are also half as many warps, so each block has 8.
          ]],
          zh = "你把轮数减了一轮，但 warp 数也减半了，每块只有 8 个。",
        },
      },
      because = {
        en = "1024 blocks * 8 warps * 9 barriers = 73,728. The baseline has 163,840.",
        zh = "1024 块 * 8 个 warp * 9 次屏障 = 73,728，而基线是 163,840。",
      },
    },
    exercise {
      en = [[
        Let 256 threads sum 512 elements. Each thread adds its two elements while it loads them.
      ]],
      zh = "用 256 个线程求 512 个元素的和：每个线程在读入时就把自己的两个元素相加。",
    },
    show {
      en = "Your kernel, line by line: how many lanes are active in each line?",
      zh = "逐行看你的核函数：每一行有多少个活跃 lane？",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = "Your kernel computes the same sums with half as many warps.",
      zh = "你的核函数用一半的 warp 算出了同样的和。",
      counters = { "warp_inst", "barriers", "shared_st_requests", "gld_sectors", "active_lanes_avg" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        If one thread loads two elements, it can add them in a register, without shared memory.
      ]],
      zh = "如果一个线程读入两个元素，就可以在寄存器里把它们相加，用不着共享内存。",
    },
    {
      en = [[
        Thread t of block b loads the elements 512 * b + t and 512 * b + t + 256. Each of the two
        elements may lie beyond n, so check both.
      ]],
      zh = [[
        第 b 块的线程 t 读第 512 * b + t 和第 512 * b + t + 256 个元素。这两个元素都可能超出 n，
        所以都要检查。
      ]],
    },
    {
      en = [[
        Launch blocks of BLOCK threads. In the kernel, write

            unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
            int mine = i < n ? in[i] : 0;
            if (i + blockDim.x < n) mine += in[i + blockDim.x];
            sum[tid] = mine;
      ]],
      zh = [[
        启动时每块 BLOCK 个线程。在核函数里写

            unsigned i = blockIdx.x * (2 * blockDim.x) + tid;
            int mine = i < n ? in[i] : 0;
            if (i + blockDim.x < n) mine += in[i + blockDim.x];
            sum[tid] = mine;
      ]],
    },
  },

  after = {
    en = [[
      Half as many warps do the same work. Each thread also has two loads under way at the same time
      instead of one. On an H200, the sum of 4 million ints takes 14.7 us instead of 23.4 us
      (measured, cold L2).

      On a G80, this version reached 17 GB/s. That is a fifth of the 86.4 GB/s that the memory of a
      G80 delivers, so memory was not what limited the kernel there. Most of the time went to the
      instructions of the loop. The next two labs remove many of these instructions.
    ]],
    zh = [[
      现在只用一半的 warp，就完成了同样的工作。每个线程同时有两次读取在途，原来只有一次。
      在 H200 上，400 万个 int 的求和从 23.4 微秒降到 14.7 微秒（实测，L2 冷态）。

      在 G80 上，这个版本达到 17 GB/s，只有内存带宽 86.4 GB/s 的五分之一。可见在 G80 上，
      瓶颈不是内存，大部分时间花在循环的指令上。接下来的两个实验会去掉其中的许多指令。
    ]],
  },
  more = {
    en = [[
      Go one step further: use 128 threads, and let each thread add four elements while it loads
      them. (Thread t takes t, t + 128, t + 256 and t + 384.) How do `warp_inst`, `barriers` and the
      time change?
    ]],
    zh = [[
      再进一步：改用 128 个线程，每个线程在读入时把四个元素相加（线程 t 取第 t、t + 128、t + 256、t
      + 384 个）。`warp_inst`、`barriers` 和时间各会怎样变化？
    ]],
  },
}
