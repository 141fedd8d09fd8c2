-- The sixth step of the reduction: many elements per thread.
return lab {
  id = "reduce-6-cascade",
  title = { en = "Reduction 6: more work per thread", zh = "归约第六步：每个线程多做一些" },
  chapter = 4,
  minutes = 25,
  needs = { "reduce-5-unroll" },
  source = "walk-through; book 5.5",
  teaches = {
    brent = "ask",
    ["grid-stride-sum"] = "ask exercise",
    ["flop-per-byte-sum"] = "show",
    ["grid-stride"] = "ask",
    ["sum-sizes"] = "after",
  },

  entry = "void reduce(const int *in, int *total, int n)",
  args = {
    ["in"] = integers(-10000, 10000, "n"),
    total = output("1"),
  },
  cases = { { n = 1 }, { n = 512 }, { n = 100001 }, { n = 1 << 22, timed = true } },
  hidden = { count = 3, n = { 2, 200000 } },
  goals = {
    correct { points = 4 },
    at_most("warp_inst", 0.6 * baseline) {
      points = 3,
      en = [[
        Most of the work is still in the trees. Let each thread add more elements before the tree of
        its block begins.
      ]],
      zh = "大部分工作仍花在树上。在块的树开始之前，让每个线程多加一些元素。",
    },
    at_most("global_load_sectors", 1.3 * baseline) {
      points = 3,
      en = [[
        The loads are no longer coalesced. In each step of the loop, neighbouring threads should
        read neighbouring elements.
      ]],
      zh = "读取不再合并了。在循环的每一步里，相邻的线程应当读相邻的元素。",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        From this lab on, `reduce` computes a single number: the sum of all elements. Each block
        adds its sum to the total with an *atomic*. An atomic reads a word, adds to it and writes it
        back, and no other thread can use the word in between.

        The baseline gives each thread only two elements. So 4 million (2^22) elements need 8192
        blocks, and each block has a tree of eight rounds in which fewer and fewer threads add.
        Adding a number in a register costs one instruction. Adding it in a tree also costs a load,
        a store, a barrier and a test. You will let each thread add many elements before the tree
        begins.
      ]],
      zh = [[
        从这个实验起，`reduce` 只算一个数：全部元素的总和。每个块用一次*原子操作*把本块的部分和加到
        总和上。原子操作读出一个字、加上一个数、写回，其间其他线程不能使用这个字。

        基线只给每个线程两个元素，所以 400 万（2^22）个元素要 8192 个块。每个块都有一棵八轮的树，
        做加法的线程一轮比一轮少。在寄存器里加一个数只要一条指令；在树里加一个数，还要读一次、
        写一次、过一次屏障、做一次判断。你要让每个线程在树开始之前先加许多元素。
      ]],
    },
    ask {
      en = [[
        A tree over n = {n} elements with one thread per element takes log2(n) rounds. The tree
        occupies n threads all that time. Now use only n / log2(n) threads, and let each thread
        first add log2(n) elements. The time is still proportional to log2(n). The *cost* is the
        number of threads times the time. By which factor does the cost fall? (Leave constant
        factors out.)
      ]],
      zh = [[
        对 n = {n} 个元素求和，每个元素用一个线程，树要 log2(n) 轮，其间始终占用 n 个线程。
        现在只用 n / log2(n) 个线程，每个线程先加 log2(n) 个元素，时间仍与 log2(n) 成正比。
        *成本*是线程数乘以时间。不计常数因子，原来的成本是现在的多少倍？
      ]],
      draw = { n = { from = { 1024, 4096, 65536, 1048576 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.n do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        {
          function(d) return d.n / math.log(d.n, 2) end,
          en = "This is the number of threads that are left. Divide n by this number.",
          zh = "这是剩下的线程数。倍数是 n 除以这个数。",
        },
      },
      because = {
        en = [[
          The cost falls from n * log2(n) to n, up to a constant factor. This is Brent's theorem. It
          explains why each thread should first do some work alone.
        ]],
        zh = [[
          不计常数因子，成本从 n * log2(n) 降到 n。这就是 Brent 定理，
          这个定理说明了为什么值得让每个线程先顺序做一段工作。
        ]],
      },
    },
    ask {
      en = "Thread t should add 16 elements. Which 16?",
      zh = "线程 t 要加 16 个元素。应当是哪 16 个？",
      choices = {
        {
          en = "16 * t, 16 * t + 1, ... 16 * t + 15",
          zh = "第 16 * t、16 * t + 1……16 * t + 15 个",
          because = {
            en = [[
              Then, in each step, neighbouring lanes of a warp read addresses that are 64 bytes
              apart. A request needs a sector for every lane.
            ]],
            zh = [[
              那样，在每一步里，一个线程束（warp）的相邻 lane 读的地址相隔 64 字节，
              每个 lane 都要一个扇区。
            ]],
          },
        },
        {
          en = "t, t + (number of threads), t + 2 * (number of threads), ...",
          zh = "第 t、t + 线程总数、t + 2 * 线程总数……个",
          right = true,
          because = {
            en = [[
              In each step, neighbouring threads read neighbouring elements. A loop like this is
              called a *grid-stride loop*.
            ]],
            zh = "每一步里，相邻的线程读相邻的元素。这样的循环叫*网格跨步循环*。",
          },
        },
        {
          en = "Any 16, as long as each element is added once",
          zh = "哪 16 个都行，只要每个元素恰好加一次",
          because = {
            en = "The sum would be right, but the loads might not be coalesced.",
            zh = "求得的和是对的，但读取不一定合并。",
          },
        },
      },
    },
    predict {
      en = [[
        The baseline makes one atomic per block, 8192 in total. Another version launches only 8
        blocks per multiprocessor. How many global atomic requests does this version make on this
        device? (`device` shows the number of multiprocessors: an H200 has 132, a T4 has 40.)
      ]],
      zh = [[
        基线每个块做一次原子操作，共 8192 次。另一个版本给每个多处理器只启动 8 个块。
        这个版本在当前设备上会有多少次全局原子请求？（用 `device` 查看多处理器的个数：
        H200 有 132 个，T4 有 40 个。）
      ]],
      counter = "atom_global_requests",
      of = "answer",
      tolerance = 0.02,
      replies = {
        {
          8192,
          en = [[
            This is the number of blocks of the baseline. How many blocks does the other version
            have?
          ]],
          zh = "这是基线的块数。另一个版本有多少个块？",
        },
      },
      because = {
        en = "Each block makes one atomic, whatever the number of elements.",
        zh = "每个块做一次原子操作，与元素个数无关。",
      },
    },
    exercise {
      en = [[
        Let each thread add many elements in a grid-stride loop. Launch only as many blocks as the
        device needs to stay busy.
      ]],
      zh = "用网格跨步循环让每个线程加许多元素。启动的块数只要能让设备保持忙碌就行。",
    },
    show {
      en = "The global loads of your kernel: does a request still take four sectors?",
      zh = "你的核函数的全局读取：仍是每个请求四个扇区吗？",
      picture = "sectors",
      of = "mine",
    },
    show {
      en = [[
        The *roofline* of a device says how many floating-point operations per second a kernel can
        reach at most. This limit depends on the operations that the kernel does per byte. Your
        kernel adds ints, so the roofline has no point for it. A sum of floats does one operation
        for every four bytes. The point of such a sum lies far to the left, where memory sets the
        limit.
      ]],
      zh = [[
        设备的*屋顶线图*表示核函数每秒最多能做多少次浮点运算，
        这个上限取决于核函数每字节做多少次运算。你的核函数做的是 int 加法，
        所以图上没有表示这个核函数的点。float 的求和每四个字节做一次运算，它的点在很靠左的位置，
        那里的上限由内存决定。
      ]],
      picture = "roofline",
      of = "mine",
    },
    compare {
      en = "Your kernel reads the same bytes as the baseline, with a fraction of the instructions.",
      zh = "与基线相比，读取的字节数相同，指令只有几分之一。",
      counters = { "warp_inst", "gld_sectors", "barriers", "atom_global_requests", "blocks" },
      beside = "baseline",
    },
    ask {
      en = [[
        On an H200, a kernel with two elements per thread takes 12.2 us for 4 million (2^22) ints.
        A kernel with more work per thread takes 10.9 us. For 64 million (2^26) ints, the first
        kernel takes 122 us, and the second one takes 85 us. When does more work per thread pay? (A
        thread is *resident* while its block runs on a multiprocessor.)
      ]],
      zh = [[
        在 H200 上求 400 万（2^22）个 int 的和，每个线程只加两个元素的核函数用 12.2 微秒，
        每个线程多加一些的核函数用 10.9 微秒。求 6400 万（2^26）个 int 的和，
        前一个核函数用 122 微秒，后一个用 85 微秒。什么时候值得让每个线程多做一些？
        （块在多处理器上运行时，块里的线程叫作*驻留*的线程。）
      ]],
      choices = {
        {
          en = "When there are many more elements than resident threads",
          zh = "当元素比驻留的线程多得多时",
          right = true,
          because = {
            en = [[
              With two elements per thread, such an input needs many blocks, and each block has its
              own tree and barriers. With few elements, there are few trees to save.
            ]],
            zh = [[
              每个线程只加两个元素时，这样的输入要用许多块，每个块都有自己的树和屏障。元素少时，
              能省下的树也少。
            ]],
          },
        },
        {
          en = "When there are fewer elements than resident threads",
          zh = "当元素比驻留的线程少时",
          because = {
            en = "Then a thread that does more work leaves another thread without any.",
            zh = "那样，一个线程多做了，别的线程就没有工作。",
          },
        },
        {
          en = "Always, and by the same factor",
          zh = "总是划算，而且加速比不变",
          because = {
            en = [[
              The factor depends on the size: for 4 million ints, the first kernel takes 1.12 times
              as long as the second one, and for 64 million ints 1.44 times as long.
            ]],
            zh = [[
              加速比与规模有关：400 万个 int 时，前一个核函数的用时是后一个的 1.12 倍；
              6400 万个时是 1.44 倍。
            ]],
          },
        },
      },
    },
  },

  hints = {
    {
      goal = "warp_inst",
      en = [[
        How many blocks can the device run at the same time? Every further block only adds one more
        tree.
      ]],
      zh = "设备能同时运行多少个块？块数超过这个数之后，每多一个块，只是多做一遍树形归约。",
    },
    {
      en = [[
        This loop covers any n with any number of blocks:

            for (unsigned i = blockIdx.x * BLOCK + tid; i < n;
                 i += BLOCK * gridDim.x)
                mine += in[i];
      ]],
      zh = [[
        无论 n 和块数是多少，这个循环都能处理全部元素：

            for (unsigned i = blockIdx.x * BLOCK + tid; i < n;
                 i += BLOCK * gridDim.x)
                mine += in[i];
      ]],
    },
    {
      goal = "warp_inst",
      en = [[
        `cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0)` gives the number of
        multiprocessors. For each multiprocessor, launch eight blocks of 256 threads (2048 threads).
        But never launch more blocks than n needs.
      ]],
      zh = [[
        用 `cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0)` 得到多处理器的个
        数。每个多处理器启动八个 256 线程的块（共 2048 个线程），但块数不要超过 n 所需要的。
      ]],
    },
  },

  after = {
    en = [[
      Most additions now happen in registers, and no thread waits there for another one. The tree
      only combines the sums of the threads.

      On an H200, the sixth step sums 64 million (2^26) ints in 85 us, which is 3.2 TB/s. The first
      step reached 0.42 TB/s. (This was measured with a cold L2: at the start, none of the ints are
      in this cache.)

      The kernels of that measurement store one sum for each block. The programs of this lab also
      set the total to 0 and add to it with atomics. For 4 million ints, the H200 takes 12.9 us
      with the baseline, and 12.3 us with the model answer.

      Eight blocks of 256 threads fill a multiprocessor of an H200. But each thread has only one
      4-byte load under way at a time, and that does not keep the memory busy. `reduce-open`
      continues from there.
    ]],
    zh = [[
      现在，大部分加法在寄存器里完成，线程之间不用互相等待。树只负责合并各线程的部分和。

      在 H200 上，第六步求 6400 万（2^26）个 int 的和用 85 微秒，相当于 3.2 TB/s，
      而第一步只有 0.42 TB/s。（L2 冷态下的实测，即开始时，输入的数都不在 L2 缓存里。）

      这组测量里的核函数只写出每个块的部分和。本实验的程序还要把总和清零，
      再用原子操作把各块的部分和加上去：对 400 万个 int，基线用 12.9 微秒，参考答案用 12.3 微秒。

      八个 256 线程的块就占满了 H200 的一个多处理器。但每个线程一次只发出一个 4 字节的读取，
      不足以让内存保持忙碌。`reduce-open` 会继续解决这个问题。
    ]],
  },
  more = {
    en = [[
      Try 1, 2, 4, 8 and 16 blocks per multiprocessor, and plot the time that `profile` reports
      against the number of blocks. With few blocks, your kernel is slower than the baseline,
      although it executes far fewer instructions. Why? From how many blocks per multiprocessor on
      does the time stay the same?
    ]],
    zh = [[
      试试每个多处理器 1、2、4、8、16 个块，画出 `profile` 报告的用时随块数的变化。块太少时，
      你的核函数虽然指令少得多，却比基线还慢。为什么？从每个多处理器多少个块起，时间不再变化？
    ]],
  },
}
