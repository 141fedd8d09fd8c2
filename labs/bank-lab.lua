-- Chapter 8: banks of shared memory, predicted and then measured.
local function gcd(a, b) return b == 0 and a or gcd(b, a % b) end

return lab {
  id = "bank-lab",
  title = { en = "Banks: predict, then measure", zh = "存储体：先预测，再测量" },
  chapter = 8,
  minutes = 30,
  needs = { "dynamic-shared", "transpose", "reduce-2-banks" },
  source = "guide 5.3.2; slides II.2, V.2",
  teaches = {
    ["banks-parallel"] = "say",
    ["n-way"] = "say ask predict",
    ["bank-broadcast"] = "ask",
    ["bank-no-conflict"] = "say after",
    ["conflict-cost"] = "after",
    ["wide-shared"] = "say predict after",
    ["stride-conflicts"] = "show ask predict",
    ["banks-16-32"] = "say compare",
    ["padding-swizzle"] = "ask exercise traps",
    ["shared-uses"] = "say goals",
  },

  entry = "void smooth_rows(const float *x, float *y, float a, int rows, int width)",
  args = {
    x = uniform(-1, 1, "rows * width"),
    y = output("rows * width", { ops = "3 * width * max(1, a_16 * a_16 / 256)", row = "width" }),
    a = scalar("a_16 * 0.0625"),
  },
  cases = {
    { rows = 32, width = 32, a_16 = 4 },
    { rows = 1, width = 1, a_16 = 4 },
    { rows = 77, width = 33, a_16 = 1 },
    { rows = 100, width = 40, a_16 = 9 },
    { rows = 8192, width = 32, a_16 = 4, timed = true },
  },
  hidden = { count = 3, rows = { 1, 200 }, width = { 1, 300 }, a_16 = { from = { -27, 0.7, 4800 } } },
  goals = {
    correct { points = 4 },
    -- One pass for each request is 0.061 of the baseline's; conflicts of two lanes make 0.091.
    at_most("shared_load_passes", 0.08 * baseline) {
      points = 2,
      en = [[
        Reading the tile takes too many passes over the banks. Some lanes of a warp still want
        different words of one bank, or they read one after another. How many words apart are the
        words of lane 0 and lane 1?
      ]],
      zh = [[
        读 tile 时，在存储体上走的遍数太多：一个 warp 里仍有几个 lane 要同一个存储体里不同的字，或者
        各个 lane 一个接一个地读。lane 0 和 lane 1 读的字相隔多少个字？
      ]],
    },
    at_most("shared_store_passes", 0.08 * baseline) {
      points = 2,
      en = [[
        Writing the tile takes too many passes over the banks. Some lanes of a warp still write
        different words of one bank, or they write one after another.
      ]],
      zh = [[
        写 tile 时，在存储体上走的遍数太多：一个 warp 里仍有几个 lane 写同一个存储体里不同的字，或者
        各个 lane 一个接一个地写。
      ]],
    },
    at_most("global_load_sectors", 1.4 * baseline) {
      points = 1,
      en = [[
        Neighbouring lanes no longer read neighbouring floats of `x`. Keep the tile in shared
        memory, and load it along the rows.
      ]],
      zh = "相邻的 lane 不再读 `x` 里相邻的元素。请保留共享内存里的 tile，并沿着行读入 tile。",
    },
    at_most("global_store_sectors", 1.4 * baseline) {
      points = 1,
      en = [[
        Neighbouring lanes no longer write neighbouring floats of `y`. Keep the tile in shared
        memory, and store it along the rows.
      ]],
      zh = "相邻的 lane 不再写 `y` 里相邻的元素。请保留共享内存里的 tile，并沿着行写出 tile。",
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel smooths noisy measurements, which are stored as the rows of a table. The
        kernel has bank conflicts in shared memory. You will predict how many conflicts there are,
        measure them, and then remove them for rows of any width.

        Shared memory is divided into 32 *banks*, each 4 bytes wide. Neighbouring words lie in
        neighbouring banks. All banks work at the same time. So n addresses in n different banks
        are served at once, and n banks have n times the bandwidth of one bank. (A G80 had 16
        banks and served half a warp at a time.)

        If two lanes want *different* words of *one* bank, the hardware splits the request into
        parts that have no conflict. If n lanes want n different words of one bank, this is an
        *n-way conflict*. The request takes n passes, and the throughput falls to one nth.

        Slides of early CUDA courses say that shared memory without conflicts is as fast as a
        register. This is not so. In one cycle, a multiprocessor of an H200 does up to 128
        multiply-adds, but shared memory gives it at most 32 words. So shared memory keeps up with
        the multiply-adds only if each word is used several times. Also, a word arrives 29 cycles
        after the request. Other warps must work in the meantime.
      ]],
      zh = [[
        一张表的每一行是一组带噪声的测量数据，本实验的核函数把每一行平滑。
        这个核函数在共享内存里有存储体冲突。你要先预测有多少次冲突，再测量，
        然后针对任意宽度的行消除冲突。

        共享内存分成 32 个*存储体*（bank），每个宽 4 字节，相邻的字在相邻的存储体里。
        所有存储体同时工作：n 个地址落在 n 个不同的存储体里，就能一次全部取出，
        带宽是单个存储体的 n 倍。（G80 有 16 个存储体，每次服务半个线程束（warp）。）

        如果两个 lane 要*同一个*存储体里*不同*的字，硬件就把请求拆成几份，每一份里都没有冲突。
        n 个 lane 要同一个存储体里 n 个不同的字，叫作 *n 路冲突*。这个请求要走 n 遍，
        吞吐量降为 n 分之一。

        早期 CUDA 课程的幻灯片说，没有冲突时，共享内存和寄存器一样快。其实不然。
        H200 的一个多处理器每周期最多做 128 次乘加，而共享内存每周期最多给出 32 个字，
        所以每个字读来之后要用好几次，共享内存才跟得上乘加。另外，发出请求后要等 29 个周期，
        字才到达，这段时间里要由其他 warp 来工作。
      ]],
    },
    show {
      en = "Lane l reads word 8 * l. The picture shows which lanes use which bank:",
      zh = "lane l 读第 8 * l 个字。图中是各个 lane 用到的存储体：",
      picture = "bankmap",
      model = function(lane) return 4 * 8 * lane end,
    },
    show {
      en = "Now lane l reads word 9 * l:",
      zh = "现在 lane l 读第 9 * l 个字：",
      picture = "bankmap",
      model = function(lane) return 4 * 9 * lane end,
    },
    ask {
      alone = true,
      en = "In a full warp, lane l reads word {s} * l. How many passes does this read take?",
      zh = "一个满的 warp 里，lane l 读第 {s} * l 个字。这次读取要走几遍？",
      draw = { s = { from = { 2, 6, 12, 24, 33, 40, 64 } } },
      answer = function(d) return gcd(d.s, 32) end,
      because = {
        en = [[
          The number of passes is the greatest common divisor of {s} and 32. In each bank that is
          used, this many lanes want different words. An odd stride has no common divisor with 32
          except 1, so it takes one pass.
        ]],
        zh = [[
          遍数是 {s} 与 32 的最大公约数：每个用到的存储体里，正好有这么多个 lane 要不同的字。
          奇数步长与 32 的最大公约数是 1，所以只要一遍。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        Each choice is one access of a warp, and says which words the lanes read. Which access takes
        more than one pass?
      ]],
      zh = "下面每一项是一个 warp 的一次访问，写明各个 lane 读哪个字。哪一次要走不止一遍？",
      choices = {
        {
          en = "All lanes read word 40",
          zh = "所有 lane 都读第 40 个字",
          because = {
            en = [[
              All lanes want the same word. The bank sends it to all of them in one pass: this is a
              *broadcast*.
            ]],
            zh = "所有 lane 要同一个字。存储体在一遍里把这个字给所有的 lane，这叫*广播*。",
          },
        },
        {
          en = "Lane l reads word 31 - l",
          zh = "lane l 读第 31 - l 个字",
          because = {
            en = [[
              The 32 words are in 32 different banks, so one pass is enough. The order of the lanes
              does not matter.
            ]],
            zh = "32 个字在 32 个不同的存储体里，一遍就够。lane 的次序没有影响。",
          },
        },
        {
          en = "Lane l reads word l / 4: 0 0 0 0 1 1 1 1 2 ...",
          zh = "lane l 读第 l / 4 个字：0 0 0 0 1 1 1 1 2 ……",
          because = {
            en = [[
              The lanes want 8 words in 8 different banks. Four lanes share each word. One pass can
              hold several broadcasts.
            ]],
            zh = [[
              各个 lane 要的是 8 个字，在 8 个不同的存储体里，每四个 lane 要同一个字。
              一遍里可以同时做几组广播。
            ]],
          },
        },
        {
          en = "Even lanes read word 0, odd lanes read word 32",
          zh = "偶数 lane 读第 0 个字，奇数 lane 读第 32 个字",
          right = true,
          because = {
            en = [[
              Words 0 and 32 are both in bank 0, so the access takes two passes. The number of
              passes is the number of *different words* in one bank. How many lanes want each word
              does not matter.
            ]],
            zh = [[
              第 0 个字和第 32 个字都在 0 号存储体里，所以要走两遍。
              决定遍数的是同一个存储体里有几个*不同的字*，与要每个字的 lane 数无关。
            ]],
          },
        },
      },
    },
    say {
      en = [[
        A lane can also load 8 or 16 bytes at once. Then the warp wants 64 or 128 words, but one
        pass brings at most 32. So the hardware serves the request in parts: two half-warps for 8
        bytes, four quarter-warps for 16 bytes. The same rules apply within each part.

        The profiler calls each pass a *wavefront*. A request of 16 bytes per lane needs four
        wavefronts even without a conflict. Only the wavefronts after the fourth count as conflicts.
      ]],
      zh = [[
        一个 lane 也可以一次读 8 或 16 字节。这时整个 warp 要 64 或 128 个字，而一遍最多给出 32 个。
        所以硬件分批处理：8 字节时分两批，每批半个 warp；16 字节时分四批，每批四分之一个 warp。
        每一批都遵守同样的规则。

        性能分析工具把每一遍叫作一个 *wavefront*。每个 lane 读 16 字节的请求，即使没有冲突，也要四
        遍；只有第五遍起才算冲突。
      ]],
    },
    predict {
      en = [[
        One warp makes a single request: each lane loads the float4 `s[31 - lane]`. How many
        wavefronts does this request take?
      ]],
      zh = [[
        一个 warp 只发出一个请求：每个 lane 读一个 `float4`，即 `s[31 - lane]`。
        这个请求要走多少遍（wavefront）？
      ]],
      counter = "shared_ld_wavefronts",
      of = "kernels/bank-lab-wide.cu",
      case = { rows = 4, width = 32, a_16 = 4 },
      tolerance = 0,
      because = {
        en = [[
          The request needs 512 bytes, and each pass brings 128. So it takes 4 passes, without a
          conflict. With loads of 4 bytes, the same 128 words take four requests of one pass each.
        ]],
        zh = [[
          这个请求要 512 字节，每遍给出 128 字节，所以要 4 遍，没有冲突。
          同样的 128 个字如果用 4 字节读取，就是四个请求，各走一遍。
        ]],
      },
    },
    say {
      en = [[
        Now look at this lab's kernel. It smooths each row from left to right. Each new element
        is computed from the old element and from the new element to its left. Each step needs
        the result of the previous step, so one lane must process the whole row. If the lanes
        worked directly in global memory, the addresses of neighbouring lanes would be a whole
        row apart.

        So the kernel uses a tile of 32 rows in shared memory. The block loads the tile along the
        rows, which is coalesced. Then lane l walks along row l of the tile. At the end, the block
        stores the tile, again along the rows. In step k of the walk, lane l reads and writes word l
        * width + k.
      ]],
      zh = [[
        现在来看本实验的核函数。核函数从左到右平滑每一行。每个新元素由原来的元素和左边那个新元素算
        出。后一步要用前一步的结果，所以一整行只能由一个 lane 处理。如果各个 lane 直接在全局内存里处
        理，相邻 lane 的地址就相隔一整行。

        所以核函数在共享内存里放一个 32 行的 tile。线程块先沿着行读入 tile，这样读取是合并的；
        然后由 lane l 处理 tile 的第 l 行；最后线程块再沿着行写出 tile。处理到第 k 步时，
        lane l 读写第 l * width + k 个字。
      ]],
    },
    predict {
      en = [[
        The baseline (the skeleton's kernel) smooths 32 rows of {w} words, which are one tile.
        Loading and storing the tile has no conflicts. The walk has {w} steps, and in each step one
        warp reads once. How many load conflicts (passes beyond the first of each read) are there in
        all?
      ]],
      zh = [[
        基线（骨架代码的核函数）平滑 32 行，每行 {w} 个字，正好是一个 tile。读入和写出 tile 时没有冲
        突。各行同时处理，一共 {w} 步，每步有一个 warp 读一次。读取冲突（每次读取除第一遍之外的遍
        数）一共有多少？
      ]],
      draw = { w = { from = { 8, 24, 32, 33, 40 } } },
      counter = "shared_ld_conflicts",
      of = "baseline",
      case = function(d) return { rows = 32, width = d.w, a_16 = 4 } end,
      tolerance = 0,
      because = {
        en = [[
          The words of neighbouring lanes are {w} words apart, so each read takes gcd({w}, 32)
          passes. All passes except the first are conflicts. There are {w} such reads.
        ]],
        zh = [[
          相邻 lane 相隔 {w} 个字，每次读取要走 gcd({w}, 32) 遍，除第一遍以外都是冲突。
          这样的读取一共 {w} 次。
        ]],
      },
    },
    ask {
      en = [[
        A colleague adds one unused word to every row of the tile, whatever the width is. So row r
        begins at word r * (width + 1). For which of these widths does the walk take the most
        passes?
      ]],
      zh = [[
        一位同事不管宽度是多少，都给 tile 的每行填充一个字，于是第 r 行从第 r * (width + 1) 个字开
        始。下面哪种宽度下，处理各行要走的遍数最多？
      ]],
      choices = {
        {
          en = "30",
          zh = "30",
          because = {
            en = [[
              The rows begin 31 words apart. This is an odd number, so each read takes one pass.
            ]],
            zh = "相邻两行的起点相隔 31 个字，是奇数，所以每次读取只要一遍。",
          },
        },
        {
          en = "31",
          zh = "31",
          right = true,
          because = {
            en = [[
              The rows begin 32 words apart. In each step, all lanes use the same bank, so a read
              takes 32 passes. Without the padding, there was no conflict.
            ]],
            zh = [[
              相邻两行的起点相隔 32 个字。每一步里所有 lane 都落在同一个存储体里，一次读取要 32 遍。
              不填充反而没有冲突。
            ]],
          },
        },
        {
          en = "32",
          zh = "32",
          because = {
            en = [[
              The rows begin 33 words apart, so each read takes one pass. Padding by one word was
              invented for this width.
            ]],
            zh = [[
              相邻两行的起点相隔 33 个字，每次读取只要一遍。填充一个字，本来就是为这种宽度设计的。
            ]],
          },
        },
        {
          en = "33",
          zh = "33",
          because = {
            en = [[
              The rows begin 34 words apart, so each read takes two passes. Without the padding,
              each read took one pass. So the padding makes this width slower, but not the slowest
              of the four.
            ]],
            zh = [[
              相邻两行的起点相隔 34 个字，每次读取要两遍，而不填充时只要一遍。虽然变差了，
              但还不是四种里最差的。
            ]],
          },
        },
      },
    },
    exercise {
      en = [[
        Change the layout of the tile. For *any* width, the walk must read and write without
        conflicts. Read and write global memory as before.
      ]],
      zh = [[
        改变 tile 的布局，使处理各行时的读和写在*任何宽度*下都没有冲突。全局内存的读写方式保持不变。
      ]],
    },
    show {
      en = "The shared memory accesses of your kernel, line by line:",
      zh = "逐行看你的核函数怎样访问共享内存：",
      picture = "banks",
      of = "mine",
    },
    compare {
      en = "Your kernel makes as many requests as the baseline, but they take fewer passes:",
      zh = "你的核函数发出的请求与基线一样多，遍数更少：",
      counters = {
        "shared_ld_requests", "shared_ld_wavefronts", "shared_ld_conflicts", "shared_st_conflicts",
        "gld_sectors", "device_us",
      },
      beside = "baseline",
    },
    compare {
      en = [[
        This is the same comparison on a G80. The 16 banks of a G80 serve half a warp at a time,
        so each request takes at least two passes. These two passes do not count as conflicts.
        An odd stride also has no conflicts with 16 banks.
      ]],
      zh = [[
        在 G80 上作同样的对比。G80 的 16 个存储体每次服务半个 warp，所以每个请求至少走两遍，这两遍不
        算冲突。对 16 个存储体来说，奇数步长同样没有冲突。
      ]],
      counters = {
        "shared_ld_requests", "shared_ld_wavefronts", "shared_ld_conflicts", "shared_st_conflicts",
      },
      beside = "baseline",
      on = "sim:g80",
    },
  },

  hints = {
    {
      en = [[
        Two rows of the tile may begin further apart than the width of the data. With which
        distances between the rows are there no conflicts?
      ]],
      zh = "tile 里相邻两行起点的距离可以大于数据的宽度。距离是多少时没有冲突？",
    },
    {
      en = [[
        Choose an odd number that is at least `width` as the distance between the rows, and call it
        `pitch`. Element i of the data is in row `i / width` and column `i % width`. Put this
        element into word `i / width * pitch + i % width` of the tile. The block then needs more
        bytes of shared memory.
      ]],
      zh = [[
        取一个不小于 `width` 的奇数作为相邻两行的距离，记作 `pitch`。数据的第 i 个元素在第
        `i / width` 行、第 `i % width` 列，应放在 tile 的第 `i / width * pitch + i % width` 个字。这
        样，一个块需要的共享内存也多了。
      ]],
    },
    {
      en = [[
        `int pitch = width | 1;` sets the last bit of `width`: 32 becomes 33, and 33 stays 33.
        Change all four places that use `tile`. On the host, the number of bytes becomes
        `ROWS * (width | 1) * sizeof(float)`.
      ]],
      zh = [[
        `int pitch = width | 1;` 把 `width` 的最低位置 1：32 变成 33，33 不变。用到 `tile` 的四处都
        要改。主机端的字节数改成 `ROWS * (width | 1) * sizeof(float)`。
      ]],
    },
  },

  after = {
    en = [[
      This is the cost of conflicts on an H200 (measured). Each of 32,768 warps makes 256 loads. In
      load k, lane l reads word l * stride + k:

          stride        1       2       8      32      33
          passes        1       2       8      32       1
          us           51      71     269   1,064      50

      With two or more passes, the passes decide the time: each pass costs 33 us. With one pass,
      other instructions are the limit. So the second pass adds only 20 us, not 33.

      Wide loads help a little. In each cycle, shared memory could give a multiprocessor 32 words.
      We measured two other kernels, too. They run 2048 threads on each multiprocessor, and each
      thread makes 1024 loads. With loads of 4 bytes, a multiprocessor gets 24.5 words per cycle.
      With loads of 16 bytes, it gets 30, because these loads need fewer instructions for the same
      number of words.
    ]],
    zh = [[
      存储体冲突在 H200 上的代价（实测）如下。32,768 个 warp 各读 256 次，第 k 次读取时，
      lane l 读第 l * 步长 + k 个字：

          步长          1       2       8      32      33
          遍数          1       2       8      32       1
          微秒         51      71     269   1,064      50

      从两遍起，用时由遍数决定，每遍 33 微秒。只有一遍时，瓶颈是其他指令，所以第二遍只多用 20 微秒，
      而不是 33 微秒。

      向量化读取略有帮助。共享内存每周期最多给一个多处理器 32 个字。我们还测量了另外两个核函数：在每
      个核函数里，同一个多处理器上有 2048 个线程，每个线程读 1024 次。每次读 4 字节的核函数每周期得
      到 24.5 个字，每次读 16 字节的得到 30 个字，因为读同样多的字，需要的指令更少。
    ]],
  },
  more = {
    en = [[
      Give each thread its own histogram of 32 bins in shared memory. Store it as
      `bins[thread][bin]` first, then as `bins[bin][thread]`. In one of the two layouts, the
      conflicts depend on the data. In the other one, there are never any conflicts. Which is which?

      Then let one thread for each bin add up the counts of this bin in all histograms. Let no two
      threads of a warp begin with the same histogram, so that these reads have no conflicts.
    ]],
    zh = [[
      在共享内存里给每个线程放一份 32 个桶（bin）的直方图：先写成 `bins[thread][bin]`，
      再写成 `bins[bin][thread]`。其中一种布局的冲突取决于数据，另一种布局永远没有冲突。各是哪一种？

      然后把各份直方图累加起来，每个线程负责一个桶。让同一个 warp 的各个线程从不同的直方图开始读，使
      这些读取没有冲突。
    ]],
  },
}
