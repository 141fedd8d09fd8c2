-- Chapter 8: constant memory, a broadcast and nothing else.
return lab {
  id = "constant-memory",
  title = { en = "Constant memory: one word for all", zh = "常量内存：大家读同一个字" },
  chapter = 8,
  minutes = 25,
  needs = { "qualifiers", "coalescing" },
  source = "guide 5.3.2; slides II.1, II.2",
  teaches = {
    ["constant-space"] = "say",
    ["constant-serialises"] = "say show ask predict goals traps",
    ["constant-miss"] = "say after",
    ["constant-cache-g80"] = "say compare",
    ["constant-h200"] = "after",
    ["constant-64k"] = "say ask",
    ["constant-folded"] = "after more",
    symbols = "say exercise traps",
  },

  entry = "void smooth(const float *in, const float *taps, const float *gain, float *out, int rows, int cols, int m)",
  args = {
    ["in"] = uniform(-1, 1, "rows * cols"),
    taps = uniform(-1, 1, "m"),
    gain = uniform(0.5, 2, "cols"),
    out = output("rows * cols", { ops = "2 * m + 1" }),
  },
  cases = {
    { rows = 4, cols = 128, m = 16 },
    { rows = 1, cols = 1, m = 1 },
    { rows = 3, cols = 1003, m = 7 },
    { rows = 128, cols = 2048, m = 16, timed = true },
  },
  hidden = { count = 3, rows = { 1, 5 }, cols = { 1, 1500 }, m = { 1, 64 } },
  goals = {
    correct { points = 3 },
    at_most("const_serialised", 0) {
      points = 2,
      en = "Lanes of one warp still read different constants, which are served one after another. Which table is indexed by threadIdx.x?",
      zh = "同一个 warp 的 lane 还在读不同的常量，只能一个接一个地取。哪张表的下标里有 threadIdx.x？",
    },
    at_least("const_per_load", 0.25) {
      points = 2,
      en = "The table that all lanes read alike, once per turn of the loop, should be read from constant memory.",
      zh = "循环的每一步里，所有 lane 都读同一个元素的那张表，应当从常量内存读取。",
    },
    at_most("global_loads", 0.7 * baseline) {
      points = 2,
      en = "Too many loads are left: each turn of the loop should load one sample, and no tap.",
      zh = "全局读取还是太多：循环的每一步应当只读一个样本，不再读抽头。",
    },
    at_most("misdirected_copies", 0) {
      points = 1,
      en = "Both tables lie in device memory: a copy from there has to say cudaMemcpyDeviceToDevice. Left out, it says host to device.",
      zh = "两张表都在设备内存里：从那里拷贝要写明 cudaMemcpyDeviceToDevice。不写就等于说从主机到设备。",
    },
  },

  steps = {
    say {
      en = [[
        Constant memory is a region of device memory that kernels can read and not write: 64 KB for a program, declared `__constant__`. Each multiprocessor keeps a
        *constant cache* in front of it; a G80's had 8 KB. The host fills it before the launch, by name:

            __constant__ float tap[64];
            cudaMemcpyToSymbol(tap, values, bytes);
            cudaMemcpyToSymbol(tap, values, bytes, 0,
                               cudaMemcpyDeviceToDevice);

        The second form is for values that lie in device memory already. Where a pointer leads the runtime finds out by itself, so the first form copies them too; but its documentation calls
        a copy undefined whose direction is not that of its pointers.
      ]],
      zh = [[
        常量内存是设备内存里的一个区域，核函数只能读、不能写；一个程序共有 64 KB，用 `__constant__` 声明。每个多处理器在它前面有一个*常量缓存*，G80 的是 8 KB。
        主机在启动之前按名字给它赋值：

            __constant__ float tap[64];
            cudaMemcpyToSymbol(tap, values, bytes);
            cudaMemcpyToSymbol(tap, values, bytes, 0,
                               cudaMemcpyDeviceToDevice);

        第二种写法用于数据本来就在设备内存里的情况。指针指向哪里，运行时自己查得到，所以第一种写法也能拷成；但文档说，方向与指针不符的拷贝，结果未定义。
      ]],
    },
    say {
      en = [[
        Its rule is the opposite of coalescing. The constant cache gives out *one word at a time*, to every lane that wants it: a broadcast. A request whose lanes want
        different words is split into as many requests as there are different addresses, and its throughput is divided by that number. Neighbouring words are no help. Each of
        the parts is then served at the speed of the constant cache if the word is there, and at that of device memory if it is not.
      ]],
      zh = [[
        它的规则与合并访问正好相反。常量缓存*一次只给出一个字*，所有要这个字的 lane 同时得到它：这叫广播。如果一个请求的各 lane 要的字不同，就按不同的地址拆成同样多个请求，吞吐量也就除以这个数。
        地址相邻也无济于事。拆开后的每一份，若在常量缓存里命中，就按缓存的速度供应；若没有命中，就按设备内存的速度供应。
      ]],
    },
    show {
      en = "Lane l reads `table[l / 8]`, four different words. Which lanes are served in which pass:",
      zh = "lane l 读 `table[l / 8]`，一共四个不同的字。每一遍供应的是哪些 lane：",
      picture = "rounds",
      lanes = 32,
      rounds = 4,
      model = function(thread, round) return thread // 8 == round end,
    },
    ask {
      alone = true,
      en = "Lane l of a full warp reads the constant `table[l / {g}]` (whole numbers). Into how many requests is it split?",
      zh = "一个满员的线程束（warp）里，lane l 读常量 `table[l / {g}]`（整数除法）。它会被拆成几个请求？",
      draw = { g = { from = { 2, 4, 16, 32 } } },
      answer = function(d) return 32 / d.g end,
      replies = { { function(d) return d.g end, en = "So many lanes share a word. How many different words are there?", zh = "这是共用一个字的 lane 数。一共有几个不同的字？" } },
      because = {
        en = "One for each different word: 32 / {g}. The counter `const_serialised` counts those beyond the first.",
        zh = "每个不同的字一个：32 / {g}。计数器 `const_serialised` 数的是除第一个以外的那些。",
      },
    },
    ask {
      alone = true,
      en = "Which of these belongs in constant memory?",
      zh = "下面哪一个适合放进常量内存？",
      choices = {
        {
          en = "A table of 256 sines, read at an index that comes from each thread's data",
          zh = "一张 256 项的正弦表，下标来自各线程自己的数据",
          because = { en = "Lanes want different words: up to 32 passes for one request.", zh = "各 lane 要的字不同：一个请求最多要拆成 32 遍。" },
        },
        {
          en = "One weight for each column, read at column = threadIdx.x",
          zh = "每一列的权重，按 列号 = threadIdx.x 读取",
          because = { en = "Side by side is just what global memory likes: 4 sectors. Constant memory would take 32 passes.", zh = "并排读取正是全局内存喜欢的：4 个扇区。放在常量内存里却要 32 遍。" },
        },
        {
          en = "The 5 x 5 weights of a blur, which all threads walk through in the same order",
          zh = "模糊滤波的 5 x 5 个权重，所有线程按同样的次序依次读取",
          right = true,
        },
        {
          en = "A lookup table of 1 MB that is never written",
          zh = "一张 1 MB、从不改写的查找表",
          because = { en = "There are 64 KB in all. Never being written is required, but it is not enough.", zh = "总共只有 64 KB。从不改写是必要条件，但还不够。" },
        },
      },
    },
    predict {
      en = [[
        The skeleton multiplies each sample by a gain of its column, and has the *gains* in constant memory: `gains[c]`, with c = blockIdx.x * 128 + threadIdx.x. It runs on one row of 128 samples.
        How many passes beyond the first do its constant loads take in all?
      ]],
      zh = [[
        骨架代码给每个样本乘上所在列的增益，并且把*增益*放进了常量内存：读 `gains[c]`，c = blockIdx.x * 128 + threadIdx.x。用它处理一行 128 个样本。它的常量读取除第一遍以外，一共还要多少遍？
      ]],
      counter = "const_serialised",
      of = "skeleton",
      case = { rows = 1, cols = 128, m = 1 },
      tolerance = 0,
      because = {
        en = "4 warps, one load each, 32 different words: 4 * 31 = 124. From global memory the same four loads take 4 sectors each.",
        zh = "4 个 warp，各读一次，每次 32 个不同的字：4 * 31 = 124。若从全局内存读，这四次读取每次只要 4 个扇区。",
      },
    },
    exercise {
      en = [[
        A filter slides over each row: every output is the sum of m samples, each times a *tap*, and times the *gain* of its column. Two small tables, and the wrong one is
        constant. Put each where it belongs.
      ]],
      zh = [[
        一个滤波器沿着每一行滑动：每个输出是 m 个样本各乘一个*抽头*（tap）之和，再乘以所在列的*增益*（gain）。两张小表，放进常量内存的却是不该放的那张。请各归其位。
      ]],
    },
    show { en = "What is left to global memory:", zh = "还留给全局内存的：", picture = "sectors", of = "mine" },
    compare {
      en = "Beside the baseline, which has both tables in global memory:",
      zh = "与两张表都放在全局内存的基线对比：",
      counters = { "const_requests", "const_serialised", "gld_requests", "gld_sectors", "device_us" },
      beside = "baseline",
    },
    compare {
      en = "The same two on a G80, which has no cache for global memory:",
      zh = "同样两个程序放到 G80 上，它的全局内存没有缓存：",
      counters = { "const_requests", "gld_requests", "gld_sectors", "device_us" },
      beside = "baseline",
      on = "sim:g80",
    },
    ask {
      en = "Measured on an H200, the model answer takes 6.7 us for a call, and the baseline, with both tables in global memory, 4.5. When does constant memory pay on such a device?",
      zh = "在 H200 上实测，参考答案每次调用用 6.7 微秒，两张表都放在全局内存的基线用 4.5 微秒。在这样的设备上，常量内存什么时候划算？",
      choices = {
        {
          en = "Whenever all lanes read the same word",
          zh = "只要所有 lane 读同一个字就划算",
          because = {
            en = "That is what it takes not to lose. But a load whose lanes all want one word is a single sector, which a cache holds today: half of the load requests are gone, and no time.",
            zh = "这只保证不吃亏。所有 lane 要同一个字的全局读取只用一个扇区，如今又有缓存接着：读取请求少了一半，时间却没有减少。",
          },
        },
        {
          en = "When the table is filled anew before each launch",
          zh = "每次启动之前都重新填表的时候",
          because = {
            en = "The copy to the symbol is part of each call then, as it is here: it costs more than the loads that it saves.",
            zh = "那样每次调用都要往符号里拷贝一次，这里正是如此：拷贝的开销比省下的读取还大。",
          },
        },
        {
          en = "When it is filled once for many launches, and the compiler knows the index, as in an unrolled loop",
          zh = "填一次供许多次启动使用，而且编译器知道下标（例如循环已展开）的时候",
          right = true,
          because = {
            en = "The multiplication takes the constant as its operand then, and no load is left. On a device without a cache for global memory, such as the G80 above, it pays without that.",
            zh = "这时乘法直接把常量当作操作数，一条读取指令也不剩。像上面的 G80 那样，全局内存没有缓存的设备，不展开也划算。",
          },
        },
        {
          en = "When the table is so large that it would fill the L1",
          zh = "表大到会占满 L1 的时候",
          because = {
            en = "There are 64 KB in all, and the constant cache is smaller still: what misses it is served at the speed of device memory.",
            zh = "常量内存总共只有 64 KB，常量缓存还要小得多：没有命中的，只能按设备内存的速度供应。",
          },
        },
      },
    },
  },

  hints = {
    {
      en = "Stop the loop at one turn. Which index is the same for lanes 0 and 1: that of the tap, or that of the gain?",
      zh = "让循环停在某一步。对 lane 0 和 lane 1 来说，哪个下标是相同的：抽头的，还是增益的？",
    },
    {
      en = "Declare a `__constant__` array of MOST taps and copy m of them to it; hand `gain` to the kernel as a plain pointer.",
      zh = "声明一个有 MOST 个元素的 `__constant__` 抽头数组，往里拷 m 个；`gain` 则作为普通指针传给核函数。",
    },
    {
      en = [[
            __constant__ float tap[MOST];
            ...
            cudaMemcpyToSymbol(tap, taps, m * sizeof(float), 0,
                               cudaMemcpyDeviceToDevice);

        The kernel reads `tap[k]` and `gain[c]`. Copy m taps, not MOST: there are no more.
      ]],
      zh = [[
            __constant__ float tap[MOST];
            ……
            cudaMemcpyToSymbol(tap, taps, m * sizeof(float), 0,
                               cudaMemcpyDeviceToDevice);

        核函数里读 `tap[k]` 和 `gain[c]`。拷 m 个抽头，不是 MOST 个：后面没有了。
      ]],
    },
  },

  after = {
    en = [[
      No goal asked for speed, and with reason. A load from global memory whose lanes all want one word is a single sector, and today a cache holds it: constant memory saves half of the load requests here and no
      time, and the copy to the symbol costs some: a program fills its constants once and uses them for many launches. On the simulated G80, where every load goes out to memory, they halve the time. What constant memory must never do is serialise.
      256 constant loads in each of 8,448 warps, measured on an H200:

          different words in a warp         us
           2                                36
           8                               135
          32                               532
          32, spread over 16 KB          2,053     (the cache misses)

      One word for all, at an index that the loop counts up, took 101 us, more than two words: such loads go another way through the machine, with a small cache of its own.
      Constants cost nothing where the index is a number known to the compiler: the multiplication can take its operand straight from constant memory, and there is no load left.
    ]],
    zh = [[
      没有一项目标要求速度，这是有原因的。所有 lane 要同一个字的全局读取只用一个扇区，而且如今有缓存接着：常量内存在这里省掉了一半的读取请求，却没有省下时间，往符号里拷贝反而要花一点：通常是把常量填好一次，供许多次启动使用。
      在模拟的 G80 上，每次读取都要走到显存，它能省下一半时间。它最怕的是串行化。下面是 H200 上的实测：8,448 个 warp，各做 256 次常量读取：

          一个 warp 里不同的字            微秒
           2                                36
           8                               135
          32                               532
          32，分散在 16 KB 里            2,053     （缓存未命中）

      如果大家读同一个字，而下标由循环递增，用了 101 微秒，比两个不同的字还慢：这种读取走的是另一条路，那里只有一个很小的缓存。
      要是下标是编译器已知的数，常量就不花钱：乘法可以直接从常量内存取操作数，连读取指令都没有了。
    ]],
  },
  more = {
    en = [[
      Write the kernel as a template over m and unroll its loop, for m = 16: every `tap[k]` has a known address then. `const_requests` counts the same loads, because the PTX has them; `cuobjdump -sass`
      shows that the machine code does not.
    ]],
    zh = [[
      把核函数写成以 m 为参数的模板，对 m = 16 展开循环：这样每个 `tap[k]` 的地址都是已知的。`const_requests` 数出来不变，因为 PTX 里有这些读取；`cuobjdump -sass` 却显示机器码里已经没有了。
    ]],
  },
}
