-- The second step of the reduction: the same sum without bank conflicts.
return lab {
  id = "reduce-2-banks",
  title = { en = "Reduction 2: no more bank conflicts", zh = "归约第二步：消除存储体冲突" },
  chapter = 4,
  minutes = 25,
  needs = { "reduce-1-divergent" },
  source = "walk-through; guide 5.3.2; slides II.2",
  teaches = {
    ["stride-conflicts"] = "ask predict",
    ["banks-16-32"] = "ask",
    ["conflict-pairs"] = "ask",
    ["banks-not-coalescing"] = "after",
  },

  entry = "void reduce(const int *in, int *out, int n)",
  args = {
    ["in"] = integers(-30000, 30000, "n"),
    out = output("ceil_div(n, 256)"),
  },
  cases = { { n = 256 }, { n = 1 }, { n = 1000 }, { n = 1 << 19, timed = true } },
  hidden = { count = 3, n = { 2, 30000 } },
  goals = {
    correct { points = 3 },
    at_most("shared_load_passes", 0.4 * baseline) {
      points = 2,
      per = "thread",
      en = [[
        Reading takes too many passes over the banks. In some round, the lanes of a warp still read
        different words of the same bank, or they do not read together in one instruction.
        `show banks` names the line.
      ]],
      zh = [[
        从共享内存读取时走的遍数太多。某一轮里，一个 warp 的几个 lane 仍在读同一个存储体的不同字，
        或者各个 lane 不是用同一条指令一起读，而是轮流读。用 `show banks` 看看是哪一行。
      ]],
    },
    at_most("shared_store_passes", 0.5 * baseline) {
      points = 2,
      per = "thread",
      en = [[
        Writing takes too many passes over the banks. In some round, the lanes of a warp still write
        different words of the same bank, or they do not write together in one instruction.
      ]],
      zh = [[
        向共享内存写入时走的遍数太多。某一轮里，一个 warp 的几个 lane 仍在写同一个存储体的不同字，
        或者各个 lane 不是用同一条指令一起写，而是轮流写。
      ]],
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
    at_most("global_load_sectors", 1.5 * baseline) {
      points = 1,
      en = [[
        Your kernel reads global memory too often: once for each element is enough. Keep the partial
        sums of the tree in shared memory.
      ]],
      zh = [[
        你的核函数读全局内存的次数太多：每个元素读一次就够了。归约过程中的部分和应当放在共享内存里。
      ]],
    },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        As in `reduce-1-divergent`, each block sums 256 ints, and the first threads of the block do
        the additions. But the accesses of these threads to shared memory take longer than
        necessary. You will count how much longer. Then you will choose other pairs of elements.

        Shared memory is divided into 32 *banks*. A word has 4 bytes, and word w lies in bank w %
        32. In one *pass*, a bank delivers only one word. If the lanes of a warp want different
        words of one bank, each of these words takes a pass. The kernel adds pairs of elements. In
        round r, the left elements of the pairs are the words 0, 2^r, 2 * 2^r, 3 * 2^r ... of the
        array.
      ]],
      zh = [[
        和 `reduce-1-divergent` 一样，每个块求 256 个 int 的和，由块里最前面的线程做加法。
        但这些线程访问共享内存时，多花了不必要的时间。你会先算出多花了多少时间，
        再换一种方式给元素配对。

        共享内存分成 32 个*存储体*（bank）。一个字是 4 字节，第 w 个字在存储体 w % 32 里。
        一个存储体每*遍*只能提供一个字。一个线程束（warp）的几个 lane 要同一个存储体的不同字时，
        有几个不同的字，就要走几遍。核函数把元素成对相加。第 r 轮里，每一对靠左的元素，
        下标依次是 0、2^r、2 * 2^r、3 * 2^r……
      ]],
    },
    ask {
      alone = true,
      en = [[
        Lane t of a warp reads word t * {s}. All 32 lanes are active. How many passes does this read
        take?
      ]],
      zh = "一个 warp 的 lane t 读第 t * {s} 个字，32 个 lane 都活跃。这次读取要走几遍？",
      draw = { s = { from = { 2, 3, 4, 6, 8, 12, 16, 24, 33, 40 } } },
      answer = function(d)
        local passes = 1
        while passes < 32 and d.s % (2 * passes) == 0 do passes = 2 * passes end
        return passes
      end,
      replies = {
        {
          function(d) return d.s end,
          en = [[
            Only the factors of 2 in {s} bring lanes to the same bank, because the number of banks
            is 32.
          ]],
          zh = "存储体有 32 个，所以只有 {s} 中的因子 2 会使几个 lane 落在同一个存储体。",
        },
        {
          32,
          en = [[
            All 32 lanes use the same bank only if neighbouring lanes read words that are a multiple
            of 32 apart. {s} is not a multiple of 32.
          ]],
          zh = [[
            只有相邻 lane 读的字相隔 32 的倍数时，32 个 lane 才全部落在同一个存储体。{s} 不是 32 的
            倍数。
          ]],
        },
      },
      because = {
        en = [[
          The greatest common divisor of {s} and 32 is the number of lanes that use the same bank.
          Each of these lanes wants a different word, so this is also the number of passes. The
          number of *conflicts* is one less.
        ]],
        zh = [[
          {s} 与 32 的最大公约数，就是落在同一个存储体的 lane 数。这些 lane 要的字各不相同，
          所以这也是遍数。*冲突*数等于遍数减一。
        ]],
      },
    },
    ask {
      en = [[
        These labs follow a well-known walk-through of the reduction. The walk-through says: if s =
        2, threads 0 and 2 use the same bank. This may be wrong. In the skeleton, thread t reads
        word 2 * s * t. With 32 banks and s = {s}, which is the first thread after thread 0 that
        uses the same bank as thread 0?
      ]],
      zh = [[
        这一系列实验依照一份有名的归约分步教程。教程说，s = 2 时线程 0 与线程 2 访问同一个存储体，这
        个说法不一定对。骨架代码里，线程 t 读第 2 * s * t 个字。共有 32 个存储体，s = {s} 时，线程 0
        之后第一个与线程 0 访问同一个存储体的是哪个线程？
      ]],
      draw = { s = { from = { 1, 2, 4, 8 } } },
      answer = function(d) return 16 // d.s end,
      replies = {
        {
          function(d) return 32 // d.s end,
          en = "Thread t reads word 2 * {s} * t. You left out the factor 2.",
          zh = "线程 t 读的是第 2 * {s} * t 个字。你漏掉了因子 2。",
        },
        {
          2,
          en = [[
            Threads 0 and 2 read the words 0 and 4 * {s}. Divide both numbers by 32. Are the
            remainders equal?
          ]],
          zh = "线程 0 和 2 读第 0 个和第 4 * {s} 个字。这两个数除以 32，余数相同吗？",
        },
      },
      because = {
        en = [[
          2 * {s} * t must be a multiple of 32. (For s = 2, the first such thread is thread 8. On a
          G80, which has only 16 banks, it is thread 4. So the walk-through is wrong for both
          devices.)
        ]],
        zh = [[
          2 * {s} * t 必须是 32 的倍数。（s = 2 时，第一个这样的线程是线程 8；G80 只有 16 个存储体，
          是线程 4。所以对这两种设备，教程的说法都不对。）
        ]],
      },
    },
    show {
      en = [[
        Round 3: neighbouring lanes read words that are 8 apart, so all 32 lanes use only four
        banks.
      ]],
      zh = "第三轮：相邻的 lane 读的字相隔 8 个，所以 32 个 lane 只用到四个存储体。",
      picture = "bankmap",
      model = function(lane) return lane * 8 * 4 end,
    },
    predict {
      en = [[
        One block of 256 threads runs the skeleton. In round r, the first 256 / 2^r threads work.
        Each warp of these threads reads twice: first `sum[left]`, then `sum[left + s]`. In both
        reads, the words of neighbouring lanes are 2^r apart.

        Make a table of the eight rounds with three columns: active lanes in a warp, warps, and
        passes of one read. How many load *conflicts* does the device count? (Conflicts are passes
        minus one, summed over all reads.)
      ]],
      zh = [[
        让一个 256 线程的块运行骨架代码。第 r 轮由最前面的 256 / 2^r 个线程工作。
        这些线程所在的每个 warp 读两次：先读 `sum[left]`，再读 `sum[left + s]`。两次读取中，
        相邻 lane 的字都相隔 2^r。

        请把八轮列成一张表，共三列：每个 warp 的活跃 lane 数、warp 数、一次读取的遍数。
        设备会数到多少次读取*冲突*（每次读取的遍数减一，全部相加）？
      ]],
      counter = "shared_ld_conflicts",
      of = "skeleton",
      case = { n = 256 },
      tolerance = 0.1,
      replies = {
        {
          35,
          en = [[
            You counted one read per warp in each round. A warp reads twice: `sum[left]` and
            `sum[left + s]`.
          ]],
          zh = [[
            你是按每个 warp 每轮读一次算的。其实每个 warp 每轮读两次：`sum[left]` 和
            `sum[left + s]`。
          ]],
        },
        {
          94,
          en = "This is the number of passes. The first pass of each read is not a conflict.",
          zh = "这是遍数。每次读取的第一遍不算冲突。",
        },
      },
      because = {
        en = [[
          In rounds 1 to 3 the working warps are full, and a read has 1, 3 and 7 conflicts. In the
          other rounds, 16, 8, 4, 2, 1 lanes use 2, 1, 1, 1, 1 banks, which makes 7, 7, 3, 1, 0
          conflicts. The eight rounds have 8, 4, 2, 2, 2, 2, 2, 2 reads. Together: 8 + 12 + 14 + 14
          + 14 + 6 + 2 = 70.
        ]],
        zh = [[
          前三轮里，工作的 warp 是满的，每次读取有 1、3、7 次冲突。
          之后各轮里，16、8、4、2、1 个 lane 用到 2、1、1、1、1 个存储体，冲突是 7、7、3、1、0 次。
          八轮的读取次数是 8、4、2、2、2、2、2、2。合计 8 + 12 + 14 + 14 + 14 + 6 + 2 = 70。
        ]],
      },
    },
    ask {
      en = [[
        The distance between the words of neighbouring lanes is called the *stride*. Old devices
        such as the G80 have 16 banks and serve 16 lanes at a time. Which stride is free of
        conflicts on both old and new devices?
      ]],
      zh = [[
        相邻 lane 的字之间的距离叫*步长*。G80 这样的老设备有 16 个存储体，每次服务 16 个 lane。哪种
        步长在新老设备上都没有冲突？
      ]],
      choices = {
        { en = "any odd one, such as 1 or 33", zh = "任何奇数，例如 1 或 33", right = true },
        {
          en = "2, because half of 32 is 16",
          zh = "2，因为 32 的一半是 16",
          because = {
            en = [[
              With stride 2, the lanes use only every other bank. That takes two passes on both
              kinds of device.
            ]],
            zh = "步长为 2 时，这些 lane 只用到一半的存储体，在新老设备上都要走两遍。",
          },
        },
        {
          en = "16, because old devices have 16 banks and 32 is a multiple of 16",
          zh = "16，因为老设备有 16 个存储体，而 32 又是 16 的倍数",
          because = {
            en = [[
              With stride 16, all lanes use one bank on an old device, and only two banks on a new
              one.
            ]],
            zh = [[
              步长为 16 时，在老设备上，所有 lane 都落在一个存储体；在新设备上，也只用到两个存储体。
            ]],
          },
        },
      },
      because = {
        en = [[
          If the stride and the number of banks have no common factor, the lanes use every bank
          once. The number of banks is a power of two, so any odd stride will do.
        ]],
        zh = [[
          步长与存储体个数没有公因子时，每个存储体恰好用到一次。存储体个数是 2 的幂，
          所以任何奇数步长都可以。
        ]],
      },
    },
    exercise {
      en = [[
        Choose other pairs, so that the active lanes of a warp always access neighbouring words. Any
        pairs are allowed, as long as every element is added exactly once.
      ]],
      zh = [[
        换一种配对方式，让一个 warp 的活跃 lane 总是访问相邻的字。怎样配对由你决定，
        只要每个元素恰好加一次。
      ]],
    },
    show {
      en = "The shared-memory accesses of your kernel, line by line:",
      zh = "逐行看你的核函数怎样访问共享内存：",
      picture = "banks",
      of = "mine",
    },
    compare {
      en = "Your kernel makes as many requests as the baseline, but they take fewer passes.",
      zh = "你的核函数与基线的请求数相同，走的遍数比基线少。",
      counters = { "shared_ld_requests", "shared_ld_wavefronts", "shared_ld_conflicts", "shared_st_conflicts", "divergent_branches" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        The order of the additions does not matter. Into which two halves can you split the array,
        so that each half consists of neighbouring words?
      ]],
      zh = "加法的顺序不影响结果。把数组分成哪两半，才能让每一半都是相邻的字？",
    },
    {
      en = [[
        Add the second half of the array to the first half. In the first round, thread t adds
        element t + 128 to element t. In the next rounds, it adds element t + 64, then t + 32 ...
      ]],
      zh = [[
        把后一半加到前一半上。第一轮里，线程 t 把第 t + 128 个元素加到第 t 个元素上；
        之后各轮加第 t + 64 个、第 t + 32 个……
      ]],
    },
    {
      en = [[
        Let the distance s shrink from round to round:

            for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
                if (tid < s) ...
      ]],
      zh = [[
        让距离 s 一轮比一轮小：

            for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
                if (tid < s) ...
      ]],
    },
  },

  after = {
    en = [[
      Your method is called *sequential addressing*. Thread t always reads word t and word t + s, so
      neighbouring lanes use neighbouring banks. On an H200, the sum of 4 million ints takes 23.4 us
      instead of 28.9 us (measured, cold L2).

      Some authors call such an access "coalesced". But coalescing concerns global memory and its
      sectors. In shared memory, the words of one access may lie anywhere and in any order, as long
      as each bank has to deliver at most one word. Many lanes may read the *same* word, because the
      bank delivers it to all of them in one pass (a *broadcast*).

      Other authors say that the access pattern does not matter in on-chip memory. This lab shows
      that it does.
    ]],
    zh = [[
      你用的方法叫*顺序寻址*：线程 t 总是读第 t 个字和第 t + s 个字，
      所以相邻的 lane 用相邻的存储体。在 H200 上，400 万个 int 的求和从 28.9 微秒降到 23.4 微秒（实
      测，L2 冷态）。

      有的作者把这种访问叫作“合并访问”，但“合并”是针对全局内存和扇区说的。在共享内存里，
      一次访问的各个字可以在任何位置、按任何顺序，只要每个存储体最多提供一个字。
      许多 lane 也可以读*同一个*字：存储体用一遍就把这个字送给所有这些 lane，这叫*广播*。

      还有的作者说，片上内存用什么方式访问都一样。这个实验说明并非如此。
    ]],
  },
  more = {
    en = [[
      Keep the old pairs, but pad the array: store element i in `sum[i + i / 32]`. Do the conflicts
      disappear, too? What does the padding cost?
    ]],
    zh = [[
      保留原来的配对，但给数组加填充：把第 i 个元素放在 `sum[i + i / 32]`。冲突也会消失吗？
      代价是什么？
    ]],
  },
}
