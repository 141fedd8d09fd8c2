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
  args = { ["in"] = integers(-1000, 1000, "n"), out = output("n") },
  cases = { { n = 4096 }, { n = 1 }, { n = 1003 }, { n = 1 << 20, timed = true } },
  hidden = { count = 3, n = { 2, 20000 } },
  goals = {
    correct { points = 4 },
    at_most("block_barriers", 0.4 * baseline) {
      points = 3,
      en = "Too many block barriers are left. In which rounds does a warp need numbers of another warp? And could a round use one barrier instead of two?",
      zh = "块级屏障还是太多。哪几轮里，一个 warp 才需要其他 warp 的数？一轮能不能只用一个屏障？",
    },
    at_most("stall_barrier_pct", 0.6 * baseline) {
      points = 1,
      en = "Warps still spend too much of their time waiting for the rest of the block.",
      zh = "warp 等待块内其他 warp 的时间仍然太多。",
    },
    at_most("launches", 1) {
      points = 2,
      en = "The end of a launch is a barrier too, and the most expensive one.",
      zh = "启动的结束也是屏障，而且是开销最大的一种。",
    },
  },
  forbid = { "cooperative_groups" },

  steps = {
    say {
      en = [[
        `__syncthreads()` holds every warp of the block until the last one has arrived. That costs time in two ways. First, the barrier itself takes time. A
        multiprocessor registers at most this many arriving threads per cycle:

            compute capability      threads per cycle at barriers
            3.x                     128
            5.x, 6.1, 6.2            64
            6.0                      32
            7.x, 8.x                 16

        (On an H200 we measured 13.) Second, and worse, warps that wait do not work. If all of them wait for one warp, the multiprocessor is idle, unless it
        also holds *another block*: warps of different blocks do not wait for each other.
      ]],
      zh = [[
        `__syncthreads()` 让块里的每个线程束（warp）都停下，直到最后一个 warp 到达。代价有两方面。第一，屏障本身要时间。一个多处理器每周期最多登记这么多到达屏障的线程：

            计算能力                每周期通过屏障的线程数
            3.x                     128
            5.x、6.1、6.2            64
            6.0                      32
            7.x、8.x                 16

        （我们在 H200 上测得 13。）第二方面代价更大：等待的 warp 不工作。如果所有 warp 都在等某一个 warp，多处理器就空闲，除非还驻留着*别的块*：不同块的 warp 不必互相等待。
      ]],
    },
    ask {
      en = "A multiprocessor registers {r} arriving threads per cycle. How many cycles does one barrier of a block of {b} threads take at least?",
      zh = "某设备的多处理器每周期能登记 {r} 个到达屏障的线程。一个 {b} 线程的块做一次屏障，至少要多少个周期？",
      draw = { r = { from = { 16, 32, 64 } }, b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return d.b / d.r end,
      replies = {
        { function(d) return d.b / 32 end, en = "This is the number of warps. The multiprocessor registers {r} threads per cycle.", zh = "这是 warp 数。多处理器每周期登记 {r} 个线程。" },
      },
      because = {
        en = "{b} / {r}. On an H200, if a block is alone on its multiprocessor, a barrier takes 14 cycles with 1 warp in the block, 28 with 8 warps and 76 with 32.",
        zh = "{b} / {r}。在 H200 上，若多处理器上只有一个块，一次屏障的用时是：块有 1 个 warp 时 14 个周期，8 个 warp 时 28 个周期，32 个 warp 时 76 个周期。",
      },
    },
    ask {
      en = "A kernel exchanges numbers through shared memory many times, with barriers. A multiprocessor can hold 1024 of its threads. Which is likely to be faster?",
      zh = "某核函数反复通过共享内存交换数据，每次都要屏障。一个多处理器能容纳它的 1024 个线程。下面哪种可能更快？",
      choices = {
        {
          en = "one block of 1024: fewer blocks, fewer barriers",
          zh = "一个 1024 线程的块：块少，屏障也少",
          because = {
            en = "Each warp still passes as many barriers, and at each of them the whole multiprocessor waits for the slowest warp.",
            zh = "每个 warp 要过的屏障一样多，而且每次屏障整个多处理器都要等最慢的 warp。",
          },
        },
        {
          en = "four blocks of 256: while one waits, the others work",
          zh = "四个 256 线程的块：一个块等待时，其他块继续工作",
          right = true,
          because = {
            en = "While one block waits, another works. On `sim:h200`, 512 exchanges take 53 us with one block of 1024 threads per multiprocessor, and 35 us with four blocks of 256. If there is also a load from global memory between the barriers, four blocks take half as long as one.",
            zh = "一个块等待时，另一个块在工作。在 `sim:h200` 上做 512 次交换，每个多处理器一个 1024 线程的块用 53 微秒，四个 256 线程的块用 35 微秒。如果两次屏障之间还要读一次全局内存，四个块的用时是一个块的一半。",
          },
        },
        {
          en = "equally fast: the number of threads is the same",
          zh = "一样快：线程数相同",
          because = {
            en = "The number of threads is the same, but in smaller blocks fewer warps wait for each other.",
            zh = "线程数相同，但块较小时，互相等待的 warp 较少。",
          },
        },
      },
    },
    ask {
      en = "On an H200, with 8 blocks of 256 threads on every multiprocessor, a loop of 512 iterations takes 6 us if it is empty, 10 us with `__syncwarp`, 37 us with `__syncthreads`, 68 us with `__threadfence_block` and 180 us with `__threadfence` (measured). What does a *fence* do in that time?",
      zh = "在 H200 上实测，每个多处理器有 8 个 256 线程的块，循环 512 次：空循环用 6 微秒，加上 `__syncwarp` 用 10 微秒，`__syncthreads` 用 37 微秒，`__threadfence_block` 用 68 微秒，`__threadfence` 用 180 微秒。*内存栅栏*（fence）花这些时间做什么？",
      choices = {
        {
          en = "It waits for all other threads, like a barrier.",
          zh = "像屏障一样，等待其他所有线程。",
          because = {
            en = "A fence waits for no other thread. After a fence, other threads may be anywhere in the program.",
            zh = "内存栅栏不等待任何其他线程。过了内存栅栏，其他线程可能执行到程序的任何地方。",
          },
        },
        {
          en = "It waits until the thread's own earlier writes are visible to other threads.",
          zh = "等自己先前的写入对其他线程可见。",
          right = true,
          because = {
            en = "A fence orders the accesses of one thread. It says nothing about where other threads are, so it cannot replace a barrier. A barrier, however, includes a fence for the block. So do not add fences just to be safe.",
            zh = "内存栅栏只规定一个线程自己访存的先后，与其他线程执行到哪里无关，所以不能代替屏障；而屏障已经包含块内的内存栅栏。不要为了保险而到处加内存栅栏。",
          },
        },
        {
          en = "It empties the caches.",
          zh = "清空缓存。",
          because = { en = "The contents of the caches stay there.", zh = "缓存里的内容仍然保留。" },
        },
      },
    },
    ask {
      en = "A block of {s} threads does a butterfly: in the rounds with distance d = 1, 2, 4 ... {s} / 2, thread t reads the number of thread t ^ d. In how many rounds does a thread need a number of *another warp*?",
      zh = "一个 {s} 线程的块做蝶形变换：距离 d = 1、2、4……{s} / 2 的各轮里，线程 t 读线程 t ^ d 的数。有多少轮需要*其他 warp* 的数？",
      draw = { s = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return math.floor(math.log(d.s, 2) + 0.5) - 5 end,
      replies = {
        { function(d) return math.floor(math.log(d.s, 2) + 0.5) end, en = "This is the number of all rounds. For d up to 16, both threads are in the same warp.", zh = "这是全部的轮数。d 不超过 16 时，两个线程在同一个 warp 里。" },
        { 5, en = "In these five rounds the other thread is in the *same* warp.", zh = "这五轮里，对方线程在*同一个* warp 里。" },
      },
      because = {
        en = "For d = 1 to 16, t ^ d is in the same warp, so these five rounds do not involve other warps. They need only a shuffle, or `__syncwarp()` if the numbers pass through shared memory.",
        zh = "d 为 1 到 16 时，t ^ d 在同一个 warp 里，所以这五轮与其他 warp 无关。用 shuffle 就够了；若经过共享内存，用 `__syncwarp()` 即可。",
      },
    },
    ask {
      en = "In a round all threads read `s[t ^ d]` and then write `s[t]`. There is a barrier in between. What happens without this barrier?",
      zh = "一轮里，所有线程先读 `s[t ^ d]`，再写 `s[t]`，中间有一个屏障。去掉这个屏障会怎样？",
      choices = {
        {
          en = "A fast thread writes s[t] before a slow thread has read the old value there.",
          zh = "快的线程先写了 s[t]，慢的线程还没读那里的旧值。",
          right = true,
          because = {
            en = "This is a race. But you need this barrier only because all rounds use the *same* array. If the rounds alternate between two arrays, a round writes where no thread reads any more. Then one barrier per round is enough: the one between writing and reading.",
            zh = "这就是数据竞争。但之所以需要这个屏障，只因为各轮用的是*同一个*数组。若各轮交替使用两个数组，写入的位置已经没有线程要读，每轮只要一个屏障：写与读之间的那个。",
          },
        },
        {
          en = "Nothing: a warp's lanes run in step.",
          zh = "没有影响：一个 warp 的 lane 步调一致。",
          because = { en = "A block has several warps, and these do not run in step. Since Volta, even the lanes of a warp need not.", zh = "一个块有几个 warp，各 warp 之间步调不一致；从 Volta 起，一个 warp 的 lane 之间也不保证步调一致。" },
        },
        {
          en = "The block hangs.",
          zh = "整个块卡死。",
          because = { en = "A block hangs if some threads never reach a barrier, not if a barrier is missing.", zh = "有线程永远到不了某个屏障时，块才会卡死；少了屏障不会。" },
        },
      },
    },
    predict {
      en = "The skeleton has one barrier before its rounds and two in each of the eight rounds. The counter counts every warp at every barrier. What does it show for n = 256, that is, one block?",
      zh = "骨架代码在各轮之前有一个屏障，八轮里各有两个。计数器对每个 warp 的每次屏障各计一次。n = 256（一个块）时读数是多少？",
      counter = "barriers",
      of = "skeleton",
      case = { n = 256 },
      tolerance = 0,
      replies = {
        { 17, en = "The counter counts each of the eight warps.", zh = "每个屏障都按八个 warp 各计一次。" },
        { 128, en = "There is also one barrier before the rounds.", zh = "各轮之前还有一个屏障。" },
      },
      because = { en = "17 barriers * 8 warps = 136.", zh = "17 个屏障 * 8 个 warp = 136。" },
    },
    show {
      en = "The skeleton in the timed case:",
      zh = "骨架代码在计时用例里：",
      picture = "counters",
      counters = { "barriers", "stall_barrier_pct", "shared_ld_requests", "shared_st_requests", "shuffles", "warp_inst", "device_us" },
      of = "skeleton",
    },
    exercise {
      en = "Remove every barrier that is not needed, and no others. If you remove too many, the device reports a race.",
      zh = "去掉所有多余的屏障，但只去掉多余的。去掉太多时，设备会报告数据竞争。",
    },
    compare {
      en = "Your version beside the baseline: fewer barriers.",
      zh = "你的版本与基线的对比：屏障少了。",
      counters = { "barriers", "stall_barrier_pct", "shared_ld_requests", "shared_st_requests", "shuffles", "warp_inst", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "block_barriers",
      en = "Split the loop over d in two: d up to 16, and d from 32 on. What does each loop need?",
      zh = "把对 d 的循环拆成两段：d 不超过 16，和 d 从 32 起。两段各需要什么？",
    },
    {
      goal = "block_barriers",
      en = "For d up to 16: `__shfl_xor_sync(0xffffffff, mine, d)`, without shared memory or barriers. For d from 32 on: `__shared__ int s[2][SIZE]`, where the rounds alternate between the two arrays.",
      zh = "d 不超过 16 时：`__shfl_xor_sync(0xffffffff, mine, d)`，不用共享内存，也不用屏障。d 从 32 起：`__shared__ int s[2][SIZE]`，各轮交替使用这两个数组。",
    },
    {
      en = "`for (int d = 32, to = 0; d < SIZE; d *= 2, to = 1 - to) { s[to][t] = mine; __syncthreads(); int other = s[to][t ^ d]; ... }`: three barriers.",
      zh = "写 `for (int d = 32, to = 0; d < SIZE; d *= 2, to = 1 - to) { s[to][t] = mine; __syncthreads(); int other = s[to][t ^ d]; … }`：只剩三个屏障。",
    },
  },

  after = {
    en = [[
      Three of 17 barriers are left. Ask two questions about any barrier. *Which threads* have to wait: the block, a warp, or none? And *for what* do they
      wait: until new data is written, or until old data has been read? A second buffer removes the second kind.

      If a needed barrier is missing, most runs on a real GPU may still give the right result, until the device, the compiler or the timing changes. So the
      simulated device looks for the race itself, not for wrong numbers.
    ]],
    zh = [[
      17 个屏障只剩下三个。对任何屏障都可以问两个问题：*哪些线程*要等待，是整个块、一个 warp，还是都不用等？*等什么*，是等新数据写好，还是等旧数据读完？后一种用第二个缓冲区就能免去。

      如果少了一个必要的屏障，在真实的 GPU 上，多数时候仍能得到正确结果，直到设备、编译器或时序变了。所以模拟设备检查的是数据竞争本身，而不是错误的数。
    ]],
  },
  more = {
    en = "Let each thread hold 8 of the 256 numbers in registers. Then three of the eight rounds need no other thread, the other five need a shuffle, and a block is one warp. How many barriers are left, and how does occupancy change?",
    zh = "让每个线程在寄存器里保存 256 个数中的 8 个：八轮中有三轮不需要其他线程，其余五轮用 shuffle。这时一个块就是一个 warp。还剩几个屏障？占用率怎样变化？",
  },
}
