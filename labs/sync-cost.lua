-- Chapter 7: what barriers and fences cost, and which are not needed.
return lab {
  id = "sync-cost",
  title = { en = "Barriers that nobody needs", zh = "多余的屏障" },
  chapter = 7,
  minutes = 30,
  needs = { "reduce-7-shuffle" },
  source = "guide 5.4.3, 5.2.3; H200",
  teaches = {
    ["barrier-throughput"] = "say ask",
    ["barrier-idle"] = "say ask",
    ["barrier-time"] = "say ask",
    ["fence-waits"] = "ask",
    ["fewer-barriers"] = "exercise goals",
  },

  entry = "void sync_cost(const int *in, int *out, int n)",
  args = { ["in"] = integers(-30000, 30000, "n"), out = output("n") },
  cases = { { n = 4096 }, { n = 1 }, { n = 1003 }, { n = 1 << 20, timed = true } },
  hidden = { count = 3, n = { 2, 20000 } },
  goals = {
    correct { points = 3 },
    at_most("block_barriers", 0.4 * baseline) {
      points = 3,
      per = "thread",
      en = [[
        Too many block barriers are left. In which rounds does a warp need numbers of another warp?
        And how could a round use one barrier instead of two?
      ]],
      zh = "块级屏障还是太多。在哪几轮里，一个 warp 需要其他 warp 的数？一轮能不能只用一个屏障？",
    },
    at_most("stall_barrier_pct", 0.6 * baseline) {
      points = 1,
      en = "Warps still spend too much of their time waiting for other warps of the block.",
      zh = "warp 等待块内其他 warp 的时间仍然太多。",
    },
    at_most("launches", 1) {
      points = 3,
      en = [[
        Use a single launch. The end of a launch is a barrier, too, and the most expensive one.
      ]],
      zh = "只启动一次。启动的结束也是屏障，而且是开销最大的一种。",
    },
  },
  forbid = { "cooperative_groups" },

  steps = {
    say {
      en = [[
        The kernel of this lab computes a *butterfly* (the Walsh-Hadamard transform) of every 256
        numbers. This transform is used in signal processing. The butterfly takes eight rounds with
        the distances d = 1, 2, 4 ... 128. In each round, thread t computes the sum or the
        difference of its own number and that of thread t ^ d.

        Between the rounds, the threads wait for each other at barriers. You will find out what a
        barrier costs, and remove the barriers that are not needed.

        `__syncthreads()` holds every warp of the block until the last one has arrived. That costs
        time in two ways. First, the multiprocessor has to register the arriving threads. Per cycle,
        it registers at most this many:

            compute capability      threads per cycle at barriers
            3.x                     128
            5.x, 6.1, 6.2            64
            6.0                      32
            7.x, 8.x                 16

        (On an H200, we measured 13.) Second, waiting warps do not work, which is usually worse. If
        all warps wait for one, the multiprocessor is idle. It has something to do only if it also
        holds *another block*: warps of different blocks do not wait for each other.
      ]],
      zh = [[
        本实验的核函数对每 256 个数做一次*蝶形变换*（Walsh-Hadamard 变换），信号处理中常用。
        变换共八轮，距离 d = 1、2、4……128。每一轮里，线程 t 把自己的数与线程 t ^ d 的数相加或相减。
        各轮之间，线程在屏障处互相等待。你会弄清屏障的代价，并去掉多余的屏障。

        `__syncthreads()` 让块里的每个线程束（warp）都停下，直到最后一个 warp 到达。代价有两方面。
        第一，多处理器要登记到达的线程，每周期最多登记这么多：

            计算能力                每周期通过屏障的线程数
            3.x                     128
            5.x、6.1、6.2            64
            6.0                      32
            7.x、8.x                 16

        （我们在 H200 上测得 13。）第二，等待的 warp 不工作，这通常损失更大。如果所有 warp
        都在等某一个 warp，多处理器就空闲；只有还驻留着*别的块*时，才有事可做，因为不同块的 warp
        不必互相等待。
      ]],
    },
    ask {
      en = [[
        A multiprocessor registers {r} arriving threads per cycle. How many cycles does one barrier
        of a block of {b} threads take at least?
      ]],
      zh = [[
        某设备的多处理器每周期能登记 {r} 个到达屏障的线程。一个 {b} 线程的块通过一次屏障，
        至少要多少个周期？
      ]],
      draw = { r = { from = { 16, 32, 64 } }, b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return d.b / d.r end,
      replies = {
        {
          function(d) return d.b / 32 end,
          en = "This is the number of warps. The multiprocessor registers {r} threads per cycle.",
          zh = "这是 warp 数。多处理器每周期登记 {r} 个线程。",
        },
      },
      because = {
        en = [[
          All {b} threads must be registered: {b} / {r} cycles. We measured an H200 with a single
          block on a multiprocessor. A barrier took 14 cycles if the block had 1 warp, 28 if it had
          8 warps, and 76 if it had 32.
        ]],
        zh = [[
          {b} 个线程都要登记：{b} / {r} 个周期。我们在 H200 上测量了多处理器上只有一个块的情形：块有
          1 个 warp 时，一次屏障用 14 个周期，8 个 warp 时用 28 个，32 个 warp 时用 76 个。
        ]],
      },
    },
    ask {
      en = [[
        A kernel exchanges numbers through shared memory many times, with a barrier each time. A
        multiprocessor can hold 1024 threads of this kernel. Which blocks are likely to be faster?
      ]],
      zh = [[
        某核函数反复通过共享内存交换数据，每次都要屏障。一个多处理器能容纳这个核函数的 1024 个线程。
        哪种块可能更快？
      ]],
      choices = {
        {
          en = "one block of 1024: fewer blocks, fewer barriers",
          zh = "一个 1024 线程的块：块少，屏障也少",
          because = {
            en = [[
              Each warp passes as many barriers as in a small block. At each of them, the whole
              multiprocessor waits for the slowest warp.
            ]],
            zh = "每个 warp 经过的屏障与小块里一样多，而每次屏障，整个多处理器都要等最慢的 warp。",
          },
        },
        {
          en = "four blocks of 256: while one waits, the others work",
          zh = "四个 256 线程的块：一个块等待时，其他块继续工作",
          right = true,
          because = {
            en = [[
              On `sim:h200`, 512 exchanges take 53 us with one block of 1024 threads per
              multiprocessor, and 35 us with four blocks of 256. If there is also a load from global
              memory between the barriers, four blocks take half as long as one.
            ]],
            zh = [[
              在 `sim:h200` 上做 512 次交换，每个多处理器一个 1024 线程的块用 53 微秒，四个
              256 线程的块用 35 微秒。如果两次屏障之间还要读一次全局内存，四个块的用时是一个块的一
              半。
            ]],
          },
        },
        {
          en = "equally fast: the number of threads is the same",
          zh = "一样快：线程数相同",
          because = {
            en = "The smaller the blocks are, the fewer warps wait for each other at a barrier.",
            zh = "块越小，在一个屏障处互相等待的 warp 就越少。",
          },
        },
      },
    },
    ask {
      en = [[
        We measured a loop of 512 iterations on an H200 with 8 blocks of 256 threads on every
        multiprocessor. It takes 6 us if it is empty, 10 us with `__syncwarp`, 37 us with
        `__syncthreads`, 68 us with `__threadfence_block` and 180 us with `__threadfence`. The last
        two are *memory fences*. What does a *fence* do in that time?
      ]],
      zh = [[
        我们在 H200 上测量了一个循环 512 次的循环，每个多处理器有 8 个 256 线程的块。空循环用 6 微
        秒，循环里放 `__syncwarp` 用 10 微秒，`__syncthreads` 用 37 微秒，`__threadfence_block` 用
        68 微秒，`__threadfence` 用 180 微秒。最后两个叫*内存栅栏*（fence）。内存栅栏花这些时间做什
        么？
      ]],
      choices = {
        {
          en = "It waits for all other threads, like a barrier.",
          zh = "像屏障一样，等待其他所有线程。",
          because = {
            en = [[
              A fence does not wait for other threads. They may be anywhere in the program.
            ]],
            zh = "线程通过内存栅栏时，不管其他线程执行到了哪里。",
          },
        },
        {
          en = "It waits until the thread's own earlier writes are visible to other threads.",
          zh = "等本线程先前的写入对其他线程可见。",
          right = true,
          because = {
            en = [[
              A fence orders the memory accesses of one thread. It says nothing about where other
              threads are, so it cannot replace a barrier. A barrier makes earlier writes visible to
              its block, and does so without a fence instruction. So do not add fences just to be
              safe.
            ]],
            zh = [[
              内存栅栏规定一个线程自己的访存顺序，与其他线程执行到哪里无关，所以不能代替屏障。
              而屏障本身就使先前的写入对整个块可见，并不另外执行栅栏指令。
              所以不要为了保险再加内存栅栏。
            ]],
          },
        },
        {
          en = "It empties the caches.",
          zh = "清空缓存。",
          because = { en = "What is in the caches stays there.", zh = "缓存里的内容仍然保留。" },
        },
      },
    },
    ask {
      en = [[
        A block of {s} threads does a butterfly. In the rounds with distance d = 1, 2, 4 ... {s} /
        2, thread t reads the number of thread t ^ d. In how many rounds does a thread need a number
        of *another warp*?
      ]],
      zh = [[
        一个 {s} 线程的块做蝶形变换：距离 d = 1、2、4……{s} / 2 的各轮里，线程 t 读线程 t ^ d 的数。
        有多少轮需要*其他 warp* 的数？
      ]],
      draw = { s = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return math.floor(math.log(d.s, 2) + 0.5) - 5 end,
      replies = {
        {
          function(d) return math.floor(math.log(d.s, 2) + 0.5) end,
          en = [[
            This is the number of all rounds. For d up to 16, both threads are in the same warp.
          ]],
          zh = "这是全部的轮数。d 不超过 16 时，两个线程在同一个 warp 里。",
        },
        {
          5,
          en = [[
            This is the number of rounds with d up to 16, in which the other thread is in the *same*
            warp.
          ]],
          zh = "这是 d 不超过 16 的轮数。在这几轮里，对方线程在*同一个* warp 里。",
        },
      },
      because = {
        en = [[
          For d = 1, 2, 4, 8 and 16, thread t ^ d is in the same warp as thread t. These five rounds
          need no other warp. A shuffle is enough, or `__syncwarp()` if the numbers pass through
          shared memory.
        ]],
        zh = [[
          d 为 1、2、4、8、16 时，线程 t ^ d 与线程 t 在同一个 warp 里，这五轮不需要其他 warp。用
          shuffle 就够了；若经过共享内存，用 `__syncwarp()` 即可。
        ]],
      },
    },
    ask {
      en = [[
        In a round, all threads read `s[t ^ d]` and then write `s[t]`. There is a barrier in
        between. What happens if you remove this barrier?
      ]],
      zh = "一轮里，所有线程先读 `s[t ^ d]`，再写 `s[t]`，中间有一个屏障。去掉这个屏障会怎样？",
      choices = {
        {
          en = "A fast thread writes `s[t]` before a slow thread has read the old value there.",
          zh = "快的线程先写了 `s[t]`，慢的线程还没读那里的旧值。",
          right = true,
          because = {
            en = [[
              This is a race. But this barrier is needed only because all rounds use the *same*
              array. If the rounds alternate between two arrays, a round writes where no thread
              reads any more. Then each round needs only the barrier between writing and reading.
            ]],
            zh = [[
              这就是数据竞争。但之所以需要这个屏障，只因为各轮用的是*同一个*数组。若各轮交替使用两个
              数组，那么一轮开始写某个数组时，已经没有线程还要读这个数组里的旧值。这时每轮只需要写与读之间的那个屏障。
            ]],
          },
        },
        {
          en = "Nothing: a warp's lanes run in step.",
          zh = "没有影响：一个 warp 的 lane 步调一致。",
          because = {
            en = [[
              The block has several warps, and one warp can be far ahead of another. Since Volta,
              even the lanes of one warp need not run in step.
            ]],
            zh = [[
              块里有几个 warp，一个 warp 可能比另一个快很多。从 Volta 起，连一个 warp 的各 lane
              也不保证步调一致。
            ]],
          },
        },
        {
          en = "The block hangs.",
          zh = "整个块卡死。",
          because = {
            en = [[
              A block can hang if some of its threads never reach a barrier. Here, no thread waits
              at all.
            ]],
            zh = "有的线程始终到不了屏障时，块才会卡死。这里没有线程在等待。",
          },
        },
      },
    },
    predict {
      en = [[
        The skeleton has one barrier before the first round, and two in each of the eight rounds.
        The counter goes up by one each time a warp passes a barrier. What does the counter show for
        n = 256, that is, one block?
      ]],
      zh = [[
        骨架代码在第一轮之前有一个屏障，八轮里每轮又有两个。每个 warp 经过一次屏障，计数器就加一。
        n = 256（一个块）时，计数器的读数是多少？
      ]],
      counter = "barriers",
      of = "skeleton",
      case = { n = 256 },
      tolerance = 0,
      replies = {
        {
          17,
          en = [[
            This is the number of barriers. At each barrier, each of the eight warps is counted.
          ]],
          zh = "这是屏障的个数。每个屏障处，八个 warp 各计一次。",
        },
        {
          128,
          en = "You left out the barrier before the first round.",
          zh = "你漏掉了第一轮之前的那个屏障。",
        },
      },
      because = { en = "17 barriers * 8 warps = 136.", zh = "17 个屏障 * 8 个 warp = 136。" },
    },
    show {
      en = "The counters of the skeleton in the timed case:",
      zh = "骨架代码在计时用例里的计数器：",
      picture = "counters",
      counters = {
        "barriers",
        "stall_barrier_pct",
        "shared_ld_requests",
        "shared_st_requests",
        "shuffles",
        "warp_inst",
        "device_us",
      },
      of = "skeleton",
    },
    exercise {
      en = [[
        Remove every barrier that is not needed, and keep the others. If you remove too many, the
        device reports a race.
      ]],
      zh = "请去掉所有多余的屏障，留下必要的。如果去掉太多，设备会报告数据竞争。",
    },
    compare {
      en = "Your version beside the baseline. It has fewer barriers, and its warps wait less.",
      zh = "你的版本与基线的对比：屏障少了，warp 的等待也少了。",
      counters = {
        "barriers",
        "stall_barrier_pct",
        "shared_ld_requests",
        "shared_st_requests",
        "shuffles",
        "warp_inst",
        "device_us",
      },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "block_barriers",
      en = [[
        Split the loop over d in two: one loop for d up to 16, and one for d from 32 on. How do the
        threads exchange their numbers in each loop?
      ]],
      zh = [[
        把对 d 的循环拆成两段：一段 d 不超过 16，一段 d 从 32 起。在这两段里，线程各怎样交换数据？
      ]],
    },
    {
      goal = "block_barriers",
      en = [[
        For d up to 16, use `__shfl_xor_sync(0xffffffff, mine, d)`, without shared memory or
        barriers. For d from 32 on, declare `__shared__ int s[2][SIZE]`, and let the rounds
        alternate between the two arrays.
      ]],
      zh = [[
        d 不超过 16 时，用 `__shfl_xor_sync(0xffffffff, mine, d)`，不用共享内存，也不用屏障。d 从
        32 起，声明 `__shared__ int s[2][SIZE]`，让各轮交替使用这两个数组。
      ]],
    },
    {
      en = [[
        Write `for (int d = 32, to = 0; d < SIZE; d *= 2, to = 1 - to) { s[to][t] = mine;
        __syncthreads(); int other = s[to][t ^ d]; ... }`. Three barriers are left.
      ]],
      zh = [[
        写 `for (int d = 32, to = 0; d < SIZE; d *= 2, to = 1 - to) { s[to][t] = mine;
        __syncthreads(); int other = s[to][t ^ d]; … }`，只剩三个屏障。
      ]],
    },
  },

  after = {
    en = [[
      Three of 17 barriers are left. You can ask two questions about any barrier. *Which threads*
      have to wait: the block, a warp, or none? *What* are they waiting for: new data that is being
      written, or old data that is still being read? A second buffer makes the second kind of
      barrier unnecessary.

      Suppose a needed barrier is missing. On a real GPU, most runs may still give the right result,
      until the device, the compiler or the timing changes. So the simulated device
      does not wait until a result is wrong: it looks for the race itself.
    ]],
    zh = [[
      17 个屏障只剩下三个。对任何屏障都可以问两个问题。*哪些线程*要等待：整个块、一个 warp，
      还是都不用等？*等什么*：等新数据写好，还是等旧数据读完？有了第二个缓冲区，
      就不再需要后一种屏障。

      假设少了一个必要的屏障。在真实的 GPU 上，多数时候结果仍然正确，直到设备、
      编译器或时序变了才出错。所以模拟设备不靠错误的结果来判断，而是直接检查数据竞争。
    ]],
  },
  more = {
    en = [[
      Let each thread hold 8 of the 256 numbers in registers. A block is then one warp. Three of the
      eight rounds then need no other thread, and the other five need a shuffle. How many barriers
      are left, and how does the occupancy change?
    ]],
    zh = [[
      让每个线程在寄存器里保存 256 个数中的 8 个，这时一个块就是一个 warp。八轮中有三轮在线程内部完
      成，其余五轮用 shuffle。还剩几个屏障？占用率怎样变化？
    ]],
  },
}
