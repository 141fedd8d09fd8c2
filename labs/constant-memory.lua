-- Chapter 8: constant memory, a broadcast and nothing else.
return lab {
  id = "constant-memory",
  title = { en = "Constant memory: one word for all", zh = "常量内存：所有 lane 读同一个字" },
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
      en = "Lanes of one warp still read different constants, and these are served one after another. Which table is indexed by threadIdx.x?",
      zh = "同一个 warp 的 lane 还在读不同的常量，这些读取只能逐个进行。哪张表的下标里有 threadIdx.x？",
    },
    at_least("const_per_load", 0.25) {
      points = 2,
      en = "In each turn of the loop all lanes read the same element of one table. Read that table from constant memory.",
      zh = "循环的每一步里，有一张表是所有 lane 都读同一个元素。请从常量内存读这张表。",
    },
    at_most("global_loads", 0.7 * baseline) {
      points = 2,
      en = "Too many global loads are left: each turn of the loop should load one sample, and no tap.",
      zh = "全局读取还是太多：循环的每一步应当只从全局内存读一个样本，不读抽头。",
    },
    at_most("misdirected_copies", 0) {
      points = 1,
      en = "Both tables lie in device memory, so the copy has to say cudaMemcpyDeviceToDevice. The default is host to device.",
      zh = "两张表都在设备内存里，所以拷贝时要写明 cudaMemcpyDeviceToDevice。不写的话，默认是从主机到设备。",
    },
  },

  steps = {
    say {
      en = [[
        Constant memory is a region of device memory that kernels can read but not write. A program has 64 KB of it, declared `__constant__`. Each
        multiprocessor reads it through a *constant cache*; a G80's had 8 KB. The host fills constant memory by name before the launch:

            __constant__ float tap[64];
            cudaMemcpyToSymbol(tap, values, bytes);
            cudaMemcpyToSymbol(tap, values, bytes, 0,
                               cudaMemcpyDeviceToDevice);

        Use the second form if the values lie in device memory already. The first form copies them too, because the runtime finds out where a
        pointer leads. But its documentation says that a copy is undefined if its direction does not fit its pointers.
      ]],
      zh = [[
        常量内存是设备内存里的一个区域，核函数只能读、不能写；一个程序共有 64 KB，用 `__constant__` 声明。每个多处理器通过*常量缓存*读取常量内存，G80 的常量缓存是 8 KB。
        主机在启动之前按名字给常量赋值：

            __constant__ float tap[64];
            cudaMemcpyToSymbol(tap, values, bytes);
            cudaMemcpyToSymbol(tap, values, bytes, 0,
                               cudaMemcpyDeviceToDevice);

        如果数据本来就在设备内存里，就用第二种写法。第一种写法其实也能拷贝成功，因为运行时会查出指针指向哪里；但文档说，方向与指针不符的拷贝，结果未定义。
      ]],
    },
    say {
      en = [[
        The rule is the opposite of coalescing. The constant cache gives out *one word at a time*, to every lane that wants it: a broadcast. If
        the lanes want different words, the request is split into one request for each different address, and the throughput is divided by their
        number. Neighbouring words are no help.

        Each part is served at the speed of the constant cache if the word is there, and at the speed of device memory if it is not.
      ]],
      zh = [[
        常量内存的规则与合并访问正好相反。常量缓存*一次只给出一个字*，所有要这个字的 lane 同时得到它：这叫广播。如果一个请求里各 lane 要的字不同，有几个不同的地址，请求就拆成几个，
        吞吐量也就除以几。地址相邻也无济于事。

        拆开后的每个请求，若在常量缓存里命中，就以缓存的速度完成；若没有命中，就以设备内存的速度完成。
      ]],
    },
    show {
      en = "Lane l reads `table[l / 8]`: four different words. The picture shows which lanes each pass serves:",
      zh = "lane l 读 `table[l / 8]`，一共四个不同的字。下图是每一遍服务的 lane：",
      picture = "rounds",
      lanes = 32,
      rounds = 4,
      model = function(thread, round) return thread // 8 == round end,
    },
    ask {
      alone = true,
      en = "Lane l of a full warp reads the constant `table[l / {g}]` (whole numbers). Into how many requests is it split?",
      zh = "一个满的线程束（warp）里，lane l 读常量 `table[l / {g}]`（整数除法）。这次读取会被拆成几个请求？",
      draw = { g = { from = { 2, 4, 16, 32 } } },
      answer = function(d) return 32 / d.g end,
      replies = { { function(d) return d.g end, en = "This many lanes share a word. How many different words are there?", zh = "这是共用一个字的 lane 数。一共有几个不同的字？" } },
      because = {
        en = "One request for each different word: 32 / {g}. The counter `const_serialised` counts the requests beyond the first.",
        zh = "每个不同的字一个请求：32 / {g}。计数器 `const_serialised` 数的是除第一个以外的请求。",
      },
    },
    ask {
      alone = true,
      en = "Which of these belongs in constant memory?",
      zh = "下面哪一个适合放进常量内存？",
      choices = {
        {
          en = "A table of 256 sines, at an index that comes from each thread's data",
          zh = "一张 256 项的正弦表，下标来自各线程自己的数据",
          because = { en = "The lanes want different words: up to 32 passes for one request.", zh = "各 lane 要的字不同：一个请求最多要走 32 遍。" },
        },
        {
          en = "One weight for each column, where the column is threadIdx.x",
          zh = "每一列的权重，列号 = threadIdx.x",
          because = { en = "The lanes read side by side, so global memory needs only 4 sectors. Constant memory would take 32 passes.", zh = "各 lane 读相邻的字，从全局内存读只要 4 个扇区。放在常量内存里却要走 32 遍。" },
        },
        {
          en = "The 5 x 5 weights of a blur, which all threads read in the same order",
          zh = "模糊滤波的 5 x 5 个权重，所有线程按同样的次序读取",
          right = true,
        },
        {
          en = "A lookup table of 1 MB that is never written",
          zh = "一张 1 MB、从不改写的查找表",
          because = { en = "Constant memory has 64 KB in all. A table has to be read-only, but that is not enough.", zh = "常量内存总共只有 64 KB。核函数运行期间不改写，只是条件之一，光有它还不够。" },
        },
      },
    },
    predict {
      en = [[
        The skeleton multiplies each sample by the gain of its column and keeps the *gains* in constant memory. It reads `gains[c]`, with c =
        blockIdx.x * 128 + threadIdx.x. It runs on one row of 128 samples. Not counting the first pass of each load, how many passes do its constant loads take in all?
      ]],
      zh = [[
        骨架代码给每个样本乘上所在列的增益，并且把*增益*放进了常量内存：它读 `gains[c]`，c = blockIdx.x * 128 + threadIdx.x。用它处理一行 128 个样本。
        每次读取的第一遍不算，一共还要多走多少遍？
      ]],
      counter = "const_serialised",
      of = "skeleton",
      case = { rows = 1, cols = 128, m = 1 },
      tolerance = 0,
      because = {
        en = "4 warps make one load each, of 32 different words: 4 * 31 = 124. From global memory the same four loads take 4 sectors each.",
        zh = "4 个 warp 各读一次，每次有 32 个不同的字：4 * 31 = 124。若从全局内存读，这四次读取每次只要 4 个扇区。",
      },
    },
    exercise {
      en = [[
        A filter slides over each row. Every output is a sum of m samples, each multiplied by a *tap*; the sum is multiplied by the *gain* of its
        column. There are two small tables, and the wrong one is in constant memory. Put each table where it belongs.
      ]],
      zh = [[
        一个滤波器沿着每一行滑动：m 个样本各乘一个*抽头*（tap），求和之后再乘所在列的*增益*（gain），就是一个输出。两张小表里，放进常量内存的恰恰是不该放的那张。请把两张表各放到合适的地方。
      ]],
    },
    show { en = "The accesses that still go to global memory:", zh = "仍在访问全局内存的各行：", picture = "sectors", of = "mine" },
    compare {
      en = "Compared with the baseline, which has both tables in global memory:",
      zh = "与基线对比，基线的两张表都在全局内存里：",
      counters = { "const_requests", "const_serialised", "gld_requests", "gld_sectors", "device_us" },
      beside = "baseline",
    },
    compare {
      en = "The same comparison on a G80, which has no cache for global memory:",
      zh = "在 G80 上作同样的对比，G80 的全局内存没有缓存：",
      counters = { "const_requests", "gld_requests", "gld_sectors", "device_us" },
      beside = "baseline",
      on = "sim:g80",
    },
    ask {
      en = "On an H200 a call of the model answer takes 6.7 us (measured). The baseline, with both tables in global memory, takes 4.5 us. When does constant memory pay on such a device?",
      zh = "在 H200 上实测，参考答案每次调用用 6.7 微秒；两张表都放在全局内存的基线用 4.5 微秒。在这样的设备上，常量内存什么时候划算？",
      choices = {
        {
          en = "Whenever all lanes read the same word",
          zh = "只要所有 lane 读同一个字就划算",
          because = {
            en = "Then no request is split. But a global load whose lanes all want one word takes a single sector, and today that sector is cached. This lab saves half of the load requests, and no time.",
            zh = "这只能保证请求不被拆开。所有 lane 要同一个字的全局读取只用一个扇区，如今这个扇区又有缓存。本实验的读取请求少了一半，时间却没有减少。",
          },
        },
        {
          en = "When the table is filled again before each launch",
          zh = "每次启动之前都重新填表的时候",
          because = {
            en = "Then each call also copies to the symbol, as in this lab. The copy costs more than the loads that it saves.",
            zh = "那样每次调用都要向符号拷贝一次，本实验正是如此：拷贝的开销比省下的读取还大。",
          },
        },
        {
          en = "When it is filled once for many launches, and the compiler knows the index, as in an unrolled loop",
          zh = "填一次供许多次启动使用，而且编译器知道下标（例如循环已展开）的时候",
          right = true,
          because = {
            en = "Then the multiplication takes the constant as its operand, and no load is left. On a device without a cache for global memory, such as the G80 above, constant memory pays even without that.",
            zh = "这时乘法直接以常量为操作数，一条读取指令也不剩。如果设备的全局内存没有缓存（例如上面的 G80），即使不展开循环，用常量内存也划算。",
          },
        },
        {
          en = "When the table is so large that it would fill the L1",
          zh = "表大到会占满 L1 的时候",
          because = {
            en = "Constant memory has 64 KB in all, and the constant cache is much smaller. Words that miss it are served at the speed of device memory.",
            zh = "常量内存总共只有 64 KB，常量缓存还要小得多：没有命中的字，只能以设备内存的速度读取。",
          },
        },
      },
    },
  },

  hints = {
    {
      en = "Look at one turn of the loop. Which index is the same for lanes 0 and 1: the index of the tap, or the index of the gain?",
      zh = "只看循环的某一步。对 lane 0 和 lane 1 来说，哪个下标是相同的：抽头的，还是增益的？",
    },
    {
      en = "Declare a `__constant__` array of MOST taps and copy m taps to it. Pass `gain` to the kernel as a plain pointer.",
      zh = "声明一个有 MOST 个元素的 `__constant__` 抽头数组，拷入 m 个抽头；`gain` 则作为普通指针传给核函数。",
    },
    {
      en = [[
            __constant__ float tap[MOST];
            ...
            cudaMemcpyToSymbol(tap, taps, m * sizeof(float), 0,
                               cudaMemcpyDeviceToDevice);

        The kernel reads `tap[k]` and `gain[c]`. Copy m taps, not MOST: the array `taps` has only m.
      ]],
      zh = [[
            __constant__ float tap[MOST];
            ……
            cudaMemcpyToSymbol(tap, taps, m * sizeof(float), 0,
                               cudaMemcpyDeviceToDevice);

        核函数里读 `tap[k]` 和 `gain[c]`。要拷 m 个抽头，不是 MOST 个：`taps` 里只有 m 个。
      ]],
    },
  },

  after = {
    en = [[
      No goal asked for speed, and there is a reason. On an H200 constant memory saves half of the load requests here, but no time: one word for
      all lanes is a single sector, which a cache holds. The copy to the symbol even costs time. A program should fill its constants once and
      use them for many launches.

      On the simulated G80 every load goes out to memory, and there constant memory halves the time.

      Different words in one warp are served one by one, and that costs far more. 256 constant loads in each of 8,448 warps, measured on an
      H200:

          different words in a warp         us
           2                                36
           8                               135
          32                               532
          32, spread over 16 KB          2,053     (the cache misses)

      One word for all lanes, at an index that the loop counts up, took 101 us, longer than two words: such loads take another path through the
      machine, with a small cache of its own.

      If the compiler knows the index as a number, constants cost nothing. The multiplication takes its operand straight from constant memory,
      and no load is left.
    ]],
    zh = [[
      没有一项目标要求速度，这是有原因的。在 H200 上，常量内存在这里省掉了一半的读取请求，却没有省下时间：所有 lane 要同一个字，只用一个扇区，而且这个扇区有缓存。向符号拷贝反而还要花时间。
      实际的程序应当把常量填好一次，供许多次启动使用。

      在模拟的 G80 上，每次读取都要访问显存，常量内存能省下一半时间。

      一个 warp 里如果有不同的字，就要逐个读取，代价大得多。在 H200 上实测，8,448 个 warp 各做 256 次常量读取：

          一个 warp 里不同的字            微秒
           2                                36
           8                               135
          32                               532
          32，分散在 16 KB 里            2,053     （缓存未命中）

      如果所有 lane 读同一个字，而下标由循环递增，则用了 101 微秒，比两个不同的字还慢：这种读取走另一条通路，那里只有一个很小的缓存。

      如果编译器知道下标的值，读常量就没有开销：乘法直接从常量内存取操作数，不需要读取指令。
    ]],
  },
  more = {
    en = [[
      Write the kernel as a template over m and unroll its loop for m = 16, so that every `tap[k]` has a known address. `const_requests` still
      counts the same loads, because they are in the PTX. `cuobjdump -sass` shows that the machine code has none of them.
    ]],
    zh = [[
      把核函数写成以 m 为参数的模板，对 m = 16 展开循环，这样每个 `tap[k]` 的地址都是已知的。`const_requests` 的值不变，因为 PTX 里仍有这些读取；
      而 `cuobjdump -sass` 显示，机器码里已经没有这些读取了。
    ]],
  },
}
