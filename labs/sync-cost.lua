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
      en = "Too many block barriers are left. In which rounds does a warp need numbers of another warp? And could a round do with one barrier instead of two?",
      zh = "块级屏障还是太多。哪些轮次里，一个 warp 才需要别的 warp 的数？一轮能不能只用一个屏障？",
    },
    at_most("stall_barrier_pct", 0.6 * baseline) {
      points = 1,
      en = "Warps still spend too much of their time waiting for the rest of the block.",
      zh = "warp 把太多时间花在了等块内其他 warp 上。",
    },
    at_most("launches", 1) {
      points = 2,
      en = "The end of a launch is a barrier, too, and the dearest of all.",
      zh = "一次启动的结束也是屏障，而且是最贵的一种。",
    },
  },
  forbid = { "cooperative_groups" },

  steps = {
    say {
      en = [[
        `__syncthreads()` holds every warp of the block until the last one has arrived. That costs twice. First, the barrier itself takes time: a multiprocessor counts in only
        so many threads a cycle:

            compute capability      threads per cycle at barriers
            3.x                     128
            5.x, 6.1, 6.2            64
            6.0                      32
            7.x, 8.x                 16

        (On an H200 we measured 13.) Second, and worse, warps that wait do not work. If all of them wait for a single one, the multiprocessor stands idle, unless it holds *another block*: warps of different
        blocks do not wait for each other.
      ]],
      zh = [[
        `__syncthreads()` 让块里的每个线程束（warp）都停下，直到最后一个到达。代价有两份。第一，屏障本身要时间：一个多处理器每周期最多登记这么多到达屏障的线程：

            计算能力                每周期通过屏障的线程数
            3.x                     128
            5.x、6.1、6.2            64
            6.0                      32
            7.x、8.x                 16

        （我们在 H200 上测得 13。）第二份更重：等待的 warp 不干活。如果大家都在等某一个，多处理器就空转了，除非它还驻留着*别的块*：不同块的 warp 之间不必互相等待。
      ]],
    },
    ask {
      en = "A device counts in {r} threads per cycle. How many cycles does one barrier of a block of {b} threads take at least?",
      zh = "某设备每周期能登记 {r} 个到达屏障的线程。一个 {b} 线程的块做一次屏障，至少要多少个周期？",
      draw = { r = { from = { 16, 32, 64 } }, b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return d.b / d.r end,
      replies = {
        { function(d) return d.b / 32 end, en = "Those are its warps. The device counts {r} threads in a cycle.", zh = "这是 warp 数。设备每周期登记 {r} 个线程。" },
      },
      because = {
        en = "{b} / {r}. On an H200, alone on its multiprocessor, a block's barrier takes 14 cycles with one warp, 28 with 8 warps and 76 with 32.",
        zh = "{b} / {r}。在 H200 上，多处理器上只有一个块时，一次屏障在块里只有 1 个 warp 时用 14 个周期，8 个 warp 时 28 个，32 个 warp 时 76 个。",
      },
    },
    ask {
      en = "A kernel exchanges numbers through shared memory again and again, with barriers. A multiprocessor can hold 1024 of its threads. Which is likely to be faster?",
      zh = "某核函数反复通过共享内存交换数据，每次都要屏障。一个多处理器能容纳它的 1024 个线程。哪种做法可能更快？",
      choices = {
        {
          en = "one block of 1024: fewer blocks, fewer barriers",
          zh = "一个 1024 线程的块：块少，屏障也少",
          because = {
            en = "There are as many barriers for each warp, and at each of them the whole multiprocessor waits for its slowest warp.",
            zh = "每个 warp 要过的屏障一样多，而且每一次整个多处理器都要等最慢的 warp。",
          },
        },
        {
          en = "four blocks of 256: while one waits, the others work",
          zh = "四个 256 线程的块：一个在等，其他的照样干活",
          right = true,
          because = {
            en = "Several resident blocks fill each other's waiting. By the clock of `sim:h200`, 512 exchanges take 53 us with one block of 1024 threads on each multiprocessor and 35 us with four blocks of 256; with a load from global memory between the barriers, the four blocks take half of the one's time.",
            zh = "几个驻留的块可以互相填补等待时间。按 `sim:h200` 的时钟，做 512 次交换：每个多处理器一个 1024 线程的块用 53 微秒，四个 256 线程的块用 35 微秒；两次屏障之间若还要读一次全局内存，四个块只用一个块的一半时间。",
          },
        },
        {
          en = "the same: the threads are as many",
          zh = "一样快：线程数相同",
          because = {
            en = "The number is the same, but not who waits for whom.",
            zh = "线程数相同，但谁等谁不同。",
          },
        },
      },
    },
    ask {
      en = "Measured on an H200, 512 times each in 8 blocks of 256 threads on every multiprocessor: nothing 6 us, `__syncwarp` 10, `__syncthreads` 37, `__threadfence_block` 68, `__threadfence` 180. What does a *fence* do in that time?",
      zh = "在 H200 上实测，每个多处理器 8 个 256 线程的块，各做 512 次：什么都不做 6 微秒，`__syncwarp` 10 微秒，`__syncthreads` 37 微秒，`__threadfence_block` 68 微秒，`__threadfence` 180 微秒。*栅栏*（fence）花这些时间做什么？",
      choices = {
        {
          en = "It waits for all other threads, like a barrier.",
          zh = "像屏障一样，等其他所有线程。",
          because = {
            en = "It waits for nobody. After a fence another thread may be anywhere.",
            zh = "它谁也不等。过了栅栏，别的线程在哪里都有可能。",
          },
        },
        {
          en = "It waits until the thread's own earlier writes are visible to the others.",
          zh = "等自己先前的写入对别人可见。",
          right = true,
          because = {
            en = "It orders one thread's accesses. It says nothing about where others are, and so cannot take a barrier's place; a barrier, however, does the block's fence as well. Do not add fences to be safe.",
            zh = "它只规定一个线程自己访存的先后，不管别人走到哪里，所以代替不了屏障；而屏障已经包含了块内栅栏的作用。不要为了保险到处加栅栏。",
          },
        },
        {
          en = "It empties the caches.",
          zh = "清空缓存。",
          because = { en = "What is in a cache stays there.", zh = "缓存里的东西还在。" },
        },
      },
    },
    ask {
      en = "A block of {s} threads does a butterfly: in the round with distance d = 1, 2, 4 ... {s} / 2 thread t reads the number of thread t ^ d. In how many rounds does it need numbers of *another warp*?",
      zh = "一个 {s} 线程的块做蝶形变换：距离 d = 1、2、4……{s} / 2 的各轮里，线程 t 读线程 t ^ d 的数。有多少轮需要*别的 warp* 的数？",
      draw = { s = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return math.floor(math.log(d.s, 2) + 0.5) - 5 end,
      replies = {
        { function(d) return math.floor(math.log(d.s, 2) + 0.5) end, en = "These are all rounds. For d up to 16 both threads are in one warp.", zh = "这是全部轮数。d 不超过 16 时，两个线程在同一个 warp 里。" },
        { 5, en = "In these five the other thread is in the *same* warp.", zh = "这五轮里，对方就在*同一个* warp 里。" },
      },
      because = {
        en = "t ^ d lies in the same warp for d = 1 to 16: five rounds that no other warp has to hear of. A shuffle, or `__syncwarp()` where numbers go through shared memory, is enough for them.",
        zh = "d 为 1 到 16 时，t ^ d 就在同一个 warp 里：这五轮与其他 warp 无关。用洗牌就够了；若经过共享内存，用 `__syncwarp()` 即可。",
      },
    },
    ask {
      en = "In a round all threads read `s[t ^ d]`, and then write `s[t]`. There is a barrier in between. What happens without it?",
      zh = "一轮里，所有线程先读 `s[t ^ d]`，再写 `s[t]`，中间有一个屏障。去掉它会怎样？",
      choices = {
        {
          en = "A fast thread writes s[t] before a slow one has read the old value there.",
          zh = "快的线程先写了 s[t]，慢的线程还没读那里的旧值。",
          right = true,
          because = {
            en = "A race. But the barrier is needed only because both use the *same* array. With two arrays in turn, a round writes where nobody reads any more, and one barrier a round is enough: the one between writing and reading.",
            zh = "这就是竞争。但之所以需要这个屏障，只因为读写的是*同一个*数组。若轮流使用两个数组，写的地方已经没有人要读，每轮只要一个屏障：写与读之间的那个。",
          },
        },
        {
          en = "Nothing: a warp's lanes run in step.",
          zh = "没事：一个 warp 的 lane 步调一致。",
          because = { en = "A block has several warps, and they do not. Nor need lanes since Volta.", zh = "一个块有好几个 warp，它们之间并不同步；而且从 Volta 起，lane 之间也不保证步调一致。" },
        },
        {
          en = "The block hangs.",
          zh = "整个块卡死。",
          because = { en = "A block hangs at a barrier that some threads never reach, not at one that is missing.", zh = "卡死是因为有线程永远到不了某个屏障，而不是因为少了屏障。" },
        },
      },
    },
    predict {
      en = "The skeleton has a barrier before its rounds and two in each of the eight. The counter counts every warp at every barrier. What does it say for n = 256, one block?",
      zh = "骨架代码在各轮之前有一个屏障，八轮里各有两个。计数器对每个屏障按 warp 计数。n = 256（一个块）时读数是多少？",
      counter = "barriers",
      of = "skeleton",
      case = { n = 256 },
      tolerance = 0,
      replies = {
        { 17, en = "Each of the eight warps is counted.", zh = "八个 warp 各计一次。" },
        { 128, en = "There is one before the rounds, too.", zh = "各轮之前还有一个。" },
      },
      because = { en = "17 barriers, 8 warps: 136.", zh = "17 个屏障，8 个 warp：136。" },
    },
    show {
      en = "The skeleton in the timed case:",
      zh = "骨架代码在计时用例里：",
      picture = "counters",
      counters = { "barriers", "stall_barrier_pct", "shared_ld_requests", "shared_st_requests", "shuffles", "warp_inst", "device_us" },
      of = "skeleton",
    },
    exercise {
      en = "Take out every barrier that is not needed, and no other. The device tells you of a race when you went too far.",
      zh = "去掉所有多余的屏障，但只去掉多余的。去掉太多时，设备会报告竞争。",
    },
    compare {
      en = "Fewer meetings:",
      zh = "互相等待的次数少了：",
      counters = { "barriers", "stall_barrier_pct", "shared_ld_requests", "shared_st_requests", "shuffles", "warp_inst", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "block_barriers",
      en = "Split the loop over d in two: up to 16, and from 32 on. What does each of them need?",
      zh = "把对 d 的循环拆成两段：16 以内，和 32 以上。各自需要什么？",
    },
    {
      goal = "block_barriers",
      en = "Up to 16: `__shfl_xor_sync(0xffffffff, mine, d)`, without shared memory and without any barrier. From 32 on: `__shared__ int s[2][SIZE]`, the rounds taking turns between the two.",
      zh = "16 以内：`__shfl_xor_sync(0xffffffff, mine, d)`，不用共享内存，也不用任何屏障。32 以上：`__shared__ int s[2][SIZE]`，各轮轮流使用这两个数组。",
    },
    {
      en = "`for (int d = 32, to = 0; d < SIZE; d *= 2, to = 1 - to) { s[to][t] = mine; __syncthreads(); int other = s[to][t ^ d]; ... }`: three barriers.",
      zh = "写 `for (int d = 32, to = 0; d < SIZE; d *= 2, to = 1 - to) { s[to][t] = mine; __syncthreads(); int other = s[to][t ^ d]; … }`：只剩三个屏障。",
    },
  },

  after = {
    en = [[
      Three barriers are left of 17. What made the others needless were two questions, good for any barrier: *who* has to wait for whom (the block, a warp, nobody), and *for what* (that something is written, or that
      something old has been read; the second goes away with a second buffer).

      Whoever leaves a needed barrier out may still get the right result on most runs of a real GPU, on this one, today. That is why the device here looks for the race itself and not for wrong numbers.
    ]],
    zh = [[
      17 个屏障只剩下三个。其余的为什么多余？靠的是两个问题，对任何屏障都适用：*谁*要等谁（整个块、一个 warp，还是谁也不用等），*等什么*（等新的写好，还是等旧的读完；后一种用第二个缓冲区就能免去）。

      如果少了一个必要的屏障，在真实的 GPU 上多数时候照样能得到正确结果：在这块卡上，在今天。所以这里的设备查的是竞争本身，而不是等着看错误的数。
    ]],
  },
  more = {
    en = "Let each thread hold 8 of the 256 numbers, in registers: three of the eight rounds then need no other thread at all, and the other five a shuffle. A block is one warp. How many barriers are left, and what became of occupancy?",
    zh = "让每个线程在寄存器里保存 256 个数中的 8 个：八轮中有三轮完全不需要别的线程，其余五轮用洗牌。这时一个块就是一个 warp。还剩几个屏障？占用率又怎样了？",
  },
}
