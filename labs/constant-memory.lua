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
  hidden = { count = 3, rows = { 1, 5 }, cols = { 1, 1500, most = 4096 }, m = { 1, 64 } },
  goals = {
    correct { points = 3 },
    -- 131,072 passes are needed: one for each tap of each warp.
    at_most("const_passes", 200000) {
      points = 2,
      en = [[
        Lanes of one warp still read different constants, and the device serves these one after
        another. Which table does the kernel read at an index that contains `threadIdx.x`?
      ]],
      zh = [[
        同一个 warp 的 lane 还在读不同的常量，这些读取只能逐个进行。核函数读哪张表时，
        下标里有 `threadIdx.x`？
      ]],
    },
    at_least("const_per_load", 0.25) {
      points = 2,
      en = [[
        In each step of the loop, all lanes read the same element of one table. Read that table from
        constant memory.
      ]],
      zh = "循环的每一步里，所有 lane 都读某一张表的同一个元素。请从常量内存读这张表。",
    },
    at_most("global_loads", 0.7 * baseline) {
      points = 2,
      en = [[
        There are still too many global loads. In each step of the loop, load one sample from global
        memory, and no tap.
      ]],
      zh = "全局读取还是太多。循环的每一步只应当从全局内存读一个样本，不读抽头。",
    },
    at_most("misdirected_copies", 0) {
      points = 1,
      en = [[
        Both tables are in device memory. So `cudaMemcpyToSymbol` needs the direction
        `cudaMemcpyDeviceToDevice`. The default is from host to device.
      ]],
      zh = [[
        两张表都在设备内存里，所以调用 `cudaMemcpyToSymbol` 时要写明方向
        `cudaMemcpyDeviceToDevice`。不写时，默认的方向是从主机到设备。
      ]],
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel is a filter for signals, such as sound or the rows of an image. Each
        output is a sum of neighbouring samples, and each sample is multiplied by a number from
        a small table. The kernel also uses a second small table.

        *Constant memory* suits one of the two tables, but the skeleton puts the other one into
        constant memory. You will find out which table belongs in constant memory, and when constant
        memory pays.

        Constant memory is a part of device memory that kernels can read but not write. A program
        has 64 KB of constant memory. It declares arrays there with `__constant__`. Each
        multiprocessor reads them through a *constant cache*. (On a G80, this cache had 8 KB.)
        Before the launch, the host copies values into such an array, and gives the array's name as
        the destination:

            __constant__ float tap[64];
            cudaMemcpyToSymbol(tap, values, bytes);
            cudaMemcpyToSymbol(tap, values, bytes, 0,
                               cudaMemcpyDeviceToDevice);

        If the values are already in device memory, write the second form. The first form happens to
        copy them, too, because the runtime checks where a pointer leads. But the documentation says
        that the result is undefined if the direction does not fit the pointers.
      ]],
      zh = [[
        本实验的核函数是一个滤波器，用来处理声音、图像之类的信号：每个输出是若干相邻样本的加权和，
        权重来自一张小表。此外还有另一张小表。

        两张表中，只有一张适合放进*常量内存*，而骨架代码放进去的是另一张。
        你会弄清楚哪张表该放进常量内存，以及在什么情况下值得用常量内存。

        常量内存是设备内存的一部分，核函数只能读，不能写。一个程序共有 64 KB，用 `__constant__` 声
        明。每个多处理器通过*常量缓存*读取常量内存（G80 的常量缓存是 8 KB）。启动之前，主机把数据拷
        贝到常量数组里，拷贝的目标直接写数组的名字：

            __constant__ float tap[64];
            cudaMemcpyToSymbol(tap, values, bytes);
            cudaMemcpyToSymbol(tap, values, bytes, 0,
                               cudaMemcpyDeviceToDevice);

        如果数据已经在设备内存里，就用第二种写法。第一种写法其实也能拷贝成功，
        因为运行时会查出指针指向哪里。但文档说，如果方向与指针不符，结果未定义。
      ]],
    },
    say {
      en = [[
        The rule of the constant cache is the opposite of coalescing. The cache gives out *one word
        at a time*, and all lanes that want this word get it together: a broadcast. If the lanes
        want different words, the cache serves the request in several *passes*, one for each
        different word. The throughput is divided by the number of these words. Neighbouring words
        do not help.

        If the word of a pass is in the constant cache, the pass is fast. If not, the pass takes as
        long as a read of device memory.
      ]],
      zh = [[
        常量缓存的规则与合并访问正好相反。缓存*一次只给出一个字*，所有要这个字的 lane 同时得到，这叫
        广播。如果各个 lane 要 k 个不同的字，请求就要走 k *遍*，一遍给出一个字，吞吐量降为 k 分之
        一。即使这些字相邻，也要走 k 遍。

        如果某一遍要的字在常量缓存里，这一遍就以缓存的速度完成；如果不在，这一遍就以设备内存的速度完
        成。
      ]],
    },
    show {
      en = [[
        Lane l reads `table[l / 8]`. These are four different words, so the read takes four passes.
        The picture shows which lanes each pass serves:
      ]],
      zh = "lane l 读 `table[l / 8]`，一共四个不同的字，所以要走四遍。下图是每一遍服务的 lane：",
      picture = "rounds",
      lanes = 32,
      rounds = 4,
      model = function(thread, round) return thread // 8 == round end,
    },
    ask {
      alone = true,
      en = [[
        In a full warp, lane l reads the constant `table[l / {g}]`. (The division rounds down.) How
        many passes does this read take?
      ]],
      zh = [[
        一个满的线程束（warp）里，lane l 读常量 `table[l / {g}]`（向下取整）。这次读取要走几遍？
      ]],
      draw = { g = { from = { 2, 4, 16, 32 } } },
      answer = function(d) return 32 / d.g end,
      replies = {
        {
          function(d) return d.g end,
          en = "This is the number of lanes that share a word. How many different words are there?",
          zh = "这是共用一个字的 lane 数。一共有几个不同的字？",
        },
      },
      because = {
        en = [[
          The lanes want 32 / {g} different words, and each of them needs one pass. The counter
          `const_serialised` counts the passes beyond the first.
        ]],
        zh = [[
          各个 lane 一共要 32 / {g} 个不同的字，每个字走一遍。
          计数器 `const_serialised` 统计的是第一遍之后多走的遍数。
        ]],
      },
    },
    ask {
      alone = true,
      en = "Which of these tables belongs in constant memory?",
      zh = "下面哪一张表适合放进常量内存？",
      choices = {
        {
          en = "A table of 256 sines, read at an index that each thread computes from its data",
          zh = "一张 256 项的正弦表，各线程根据自己的数据算出下标",
          because = {
            en = "The lanes want up to 32 different words, so one request can take 32 passes.",
            zh = "各个 lane 可能要 32 个不同的字，一个请求最多要走 32 遍。",
          },
        },
        {
          en = "One weight for each column, where the column is threadIdx.x",
          zh = "每列一个权重，列号等于 threadIdx.x",
          because = {
            en = [[
              The lanes want 32 neighbouring words. Global memory gives them in 4 sectors, but
              constant memory takes 32 passes.
            ]],
            zh = [[
              各个 lane 要 32 个相邻的字。从全局内存读只要 4 个扇区，从常量内存读却要走 32 遍。
            ]],
          },
        },
        {
          en = "The 5 x 5 weights of a blur, which all threads read in the same order",
          zh = "模糊滤波的 5 x 5 个权重，所有线程按同样的次序读取",
          right = true,
        },
        {
          en = "A lookup table of 1 MB that is never written",
          zh = "一张 1 MB、从不改写的查找表",
          because = {
            en = [[
              Constant memory has only 64 KB. And it is not enough that a table is never written.
              All lanes should also read the same word of the table at the same time.
            ]],
            zh = "常量内存只有 64 KB。而且光是不改写还不够，还要所有 lane 同时读同一个字。",
          },
        },
      },
    },
    predict {
      en = [[
        The skeleton multiplies each sum by the *gain* of its column, and it keeps the gains in
        constant memory. Each thread reads `gains[c]`, with c = blockIdx.x * 128 + threadIdx.x. The
        skeleton runs on one row of 128 samples. How many extra passes (beyond the first of each
        load) do the constant loads take in all?
      ]],
      zh = [[
        骨架代码把每个加权和乘以所在列的*增益*（gain），增益放在常量内存里。每个线程读 `gains[c]`，c
        = blockIdx.x * 128 + threadIdx.x。用骨架代码处理一行 128 个样本。每次常量读取的第一遍不算，
        一共要多走多少遍？
      ]],
      counter = "const_serialised",
      of = "skeleton",
      case = { rows = 1, cols = 128, m = 1 },
      tolerance = 0,
      because = {
        en = [[
          Each of the 4 warps makes one load of 32 different words: 4 * 31 = 124. From global
          memory, each of these four loads would take 4 sectors.
        ]],
        zh = [[
          4 个 warp 各读一次，每次要 32 个不同的字：4 * 31 = 124。如果从全局内存读，
          这四次读取每次只要 4 个扇区。
        ]],
      },
    },
    exercise {
      en = [[
        The filter slides along each row. For each output, the kernel multiplies m neighbouring
        samples by the m *taps* of the filter and adds up the products. It multiplies the sum by the
        *gain* of the output's column. So there are two small tables, `taps` and `gain`. The
        skeleton keeps the wrong one in constant memory. Put each table where it belongs.
      ]],
      zh = [[
        滤波器沿着每一行滑动。计算每个输出时，核函数把 m 个相邻的样本分别乘以滤波器的 m
        个*抽头*（tap），求和之后再乘以所在列的*增益*。所以有两张小表：`taps` 和 `gain`。
        骨架代码放进常量内存的，是不该放的那张。请把两张表各放到合适的地方。
      ]],
    },
    show {
      en = "The sectors of your accesses to global memory, line by line:",
      zh = "你的各行代码访问全局内存时用到的扇区：",
      picture = "sectors",
      of = "mine",
    },
    compare {
      en = "Your kernel beside the baseline. (The baseline keeps both tables in global memory.)",
      zh = "你的核函数与基线的对比（基线的两张表都在全局内存里）：",
      counters = {
        "const_requests", "const_serialised", "gld_requests", "gld_sectors", "device_us",
      },
      beside = "baseline",
    },
    compare {
      en = "The same comparison on a G80, which has no cache for global memory:",
      zh = "在 G80 上作同样的对比（G80 的全局内存没有缓存）：",
      counters = { "const_requests", "gld_requests", "gld_sectors", "device_us" },
      beside = "baseline",
      on = "sim:g80",
    },
    ask {
      en = [[
        On an H200, a call of the model answer takes 6.7 us. A call of the baseline, which keeps
        both tables in global memory, takes 4.5 us. (Both times are measured.) When does constant
        memory pay on such a device?
      ]],
      zh = [[
        在 H200 上实测，参考答案的一次调用要 6.7 微秒，两张表都在全局内存里的基线只要 4.5 微秒。
        在这样的设备上，常量内存什么时候划算？
      ]],
      choices = {
        {
          en = "Whenever all lanes read the same word",
          zh = "只要所有 lane 读同一个字就划算",
          because = {
            en = [[
              A constant request takes only one pass in this case. But a global load of one word by
              all lanes is cheap, too: it takes a single sector, and this sector is cached. In this
              lab, constant memory saves half of the load requests, but no time.
            ]],
            zh = [[
              这样，常量读取确实只走一遍。但是，所有 lane 读同一个字的全局读取同样便宜：
              只用一个扇区，而且这个扇区就在缓存里。本实验里，常量内存省下一半的读取请求，
              却没有省下时间。
            ]],
          },
        },
        {
          en = "When the program fills the table again before each launch",
          zh = "程序每次启动之前都重新填表的时候",
          because = {
            en = [[
              Each call then also copies the table to constant memory, as the model answer does. The
              copy costs more than the loads that it saves.
            ]],
            zh = [[
              那样每次调用都要把表拷贝到常量内存，参考答案正是如此。拷贝的开销比省下的读取还大。
            ]],
          },
        },
        {
          en = [[
            When the program fills the table once for many launches, and the compiler knows the
            index, as in an unrolled loop
          ]],
          zh = "程序填一次表供许多次启动使用，而且编译器知道下标（例如循环已展开）的时候",
          right = true,
          because = {
            en = [[
              The multiplication then takes the constant as its operand, and no load is left. On a
              device without a cache for global memory, such as the G80, constant memory pays in
              other cases, too.
            ]],
            zh = [[
              这时乘法直接以常量为操作数，一条读取指令也不剩。如果设备的全局内存没有缓存（例如
              G80），在其他情况下用常量内存也划算。
            ]],
          },
        },
        {
          en = "When the table is so large that it would fill the L1",
          zh = "表大到会占满 L1 的时候",
          because = {
            en = [[
              A table in constant memory has at most 64 KB, and the constant cache is even smaller
              than L1. Words that are not in the constant cache come from device memory.
            ]],
            zh = [[
              常量内存里的表最多 64 KB，而常量缓存比 L1 还小。不在常量缓存里的字，只能从设备内存读
              取。
            ]],
          },
        },
      },
    },
  },

  hints = {
    {
      en = [[
        Look at one step of the loop. Which of the two indices is the same for lane 0 and lane 1:
        the index of the tap, or the index of the gain?
      ]],
      zh = "只看循环的一步。抽头的下标和增益的下标，哪一个对 lane 0 和 lane 1 是相同的？",
    },
    {
      en = [[
        Declare a `__constant__` array of MOST taps, and copy the m taps into it. Pass `gain` to the
        kernel as a pointer to global memory.
      ]],
      zh = [[
        声明一个有 MOST 个抽头的 `__constant__` 数组，把 m 个抽头拷进去；
        `gain` 则作为指向全局内存的指针传给核函数。
      ]],
    },
    {
      en = [[
            __constant__ float tap[MOST];
            ...
            cudaMemcpyToSymbol(tap, taps, m * sizeof(float), 0,
                               cudaMemcpyDeviceToDevice);

        In the kernel, read `tap[k]` and `gain[c]`. Copy m taps, not MOST, because the array `taps`
        has only m elements.
      ]],
      zh = [[
            __constant__ float tap[MOST];
            ……
            cudaMemcpyToSymbol(tap, taps, m * sizeof(float), 0,
                               cudaMemcpyDeviceToDevice);

        在核函数里读 `tap[k]` 和 `gain[c]`。要拷 m 个抽头，而不是 MOST 个，
        因为数组 `taps` 只有 m 个元素。
      ]],
    },
  },

  after = {
    en = [[
      This lab has no goal for speed, because on an H200 constant memory saves no time here.
      Constant memory does save half of the load requests, but these requests are cheap: if all
      lanes load one word from global memory, the request takes a single sector, and this sector
      is in the cache. And the copy to constant memory costs time. A real program should fill
      its constants once and use them for many launches.

      On the simulated G80, no cache serves loads from global memory, so constant memory halves the
      time.

      If the lanes of a warp want different words, constant memory is slow. These times were
      measured on an H200, with 256 constant loads in each of 8,448 warps:

          different words in a warp         us
           2                                36
           8                               135
          32                               532
          32, spread over 16 KB          2,053     (the cache misses)

      In all these loads, the number of the lane is part of the index. In another test, the index
      was the variable of a loop, so it was the same for all lanes. The reads of `tap[k]` in this
      lab are of this kind, too. The same number of loads then took 101 us, longer than with two
      different words. Loads with one index for all lanes go through another cache, which is very
      small.

      If the compiler knows the index as a number, a constant costs nothing. The multiplication
      takes its operand straight from constant memory, and no load is left.
    ]],
    zh = [[
      本实验没有速度目标，因为在 H200 上，这里用常量内存省不下时间。读取请求虽然少了一半，
      但省下的请求本来就便宜：所有 lane 要同一个字时，从全局内存读只用一个扇区，
      而且这个扇区在缓存里。拷贝到常量内存反而还要花时间。实际的程序应当把常量填好一次，
      供许多次启动使用。

      在模拟的 G80 上，每次读取都要访问设备内存，常量内存能让时间减半。

      如果一个 warp 的 lane 要不同的字，常量内存就很慢。在 H200 上实测，
      8,448 个 warp 各做 256 次常量读取：

          一个 warp 里不同的字            微秒
           2                                36
           8                               135
          32                               532
          32，分散在 16 KB 里            2,053     （缓存未命中）

      上表的读取，下标里都含有 lane 的编号。另一次测量里，所有 lane 都用同一个下标，即循环变量，与本
      实验的 `tap[k]` 一样。同样多的读取用了 101 微秒，比两个不同的字还慢，因为这种读取经过另一个很
      小的缓存。

      如果编译器知道下标的值，读常量就没有开销：乘法直接从常量内存取操作数，一条读取指令也不剩。
    ]],
  },
  more = {
    en = [[
      Make the kernel a template with m as its parameter, and unroll the loop for m = 16. Then each
      `tap[k]` has a known address. `const_requests` does not change, because the loads are still in
      the PTX. Look at the machine code with `cuobjdump -sass`: none of the loads is left there.
    ]],
    zh = [[
      把核函数写成以 m 为参数的模板，并对 m = 16 展开循环。这样每个 `tap[k]` 的地址都是已知的。
      `const_requests` 不变，因为 PTX 里仍有这些读取。再用 `cuobjdump -sass` 看机器码：
      里面已经没有这些读取了。
    ]],
  },
}
