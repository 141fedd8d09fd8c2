-- Chapter 10, a quiz: a device's ceilings from its data sheet, before any measurement.
local args = {
  x = uniform(-0.5, 0.5, "n"),
  y = output("n", { ops = "2 * terms" }),
}
local entry = "void polynomial(const float *x, float *y, int terms, int n)"

return lab {
  id = "roofline-by-hand",
  title = { en = "The roofline by hand", zh = "手算屋顶线" },
  chapter = 10,
  minutes = 25,
  needs = { "op-per-byte" },
  source = "walk-through; slides IV; book exercise 4",
  teaches = {
    ["g80-bandwidth"] = "ask",
    ["g80-peak"] = "ask",
    ["g80-ceiling"] = "ask",
    ["tiles-16-to-1"] = "ask",
    ["tiles-16-blocks"] = "ask",
    ["metric"] = "say ask",
  },
  goals = { answers { points = 6, need = 0.75 } },
  draws = {
    card = { b = { 80, 400 }, p = { 1000, 9000, multiple = 100 } },
    product = { t = { from = { 8, 16, 32 } }, n = { from = { 512, 1024, 2048 } } },
  },

  steps = {
    say {
      en = [[
        Before you measure a kernel, work out how fast it could be. Two ceilings are enough to begin with:

            speed <= peak                          (operations per second)
            speed <= bandwidth * intensity         (bytes/s * operations/byte)

        The lower one is the *roofline*. The two meet at the *ridge*. Left of it the memory decides, and you judge the speed in GB/s. Right of it the arithmetic decides, and you judge the speed in GFLOP/s.

            GFLOP/s |           ____________  peak
                    |         /
                    |       /  bandwidth * intensity
                    |     /
                    +--------------------------
                              ridge      op/B
      ]],
      zh = [[
        测量核函数之前，先算一算它最快能有多快。开始时有两个上限就够了：

            速度 <= 峰值                （每秒运算次数）
            速度 <= 带宽 * 算术强度     （字节/秒 * 运算次数/字节）

        较低的那个就是*屋顶线*。两者的交点叫*脊点*：在脊点左边由内存决定速度，用 GB/s 来评判；在右边由算力决定速度，用 GFLOP/s 来评判。

            GFLOP/s |           ____________  峰值
                    |         /
                    |       /  带宽 * 算术强度
                    |     /
                    +--------------------------
                              脊点       op/B
      ]],
    },
    ask {
      alone = true,
      en = "A card's memory bus is {w} bits wide and runs at {c} MHz, with two transfers per cycle (DDR). What is its bandwidth in GB/s?",
      zh = "某显卡的显存位宽 {w} 位，频率 {c} MHz，每周期传两次（DDR）。带宽是多少 GB/s？",
      draw = { w = { from = { 256, 320, 448, 512 } }, c = { 800, 1300, multiple = 50 } },
      answer = function(d) return d.w / 8 * 2 * d.c / 1000 end,
      tolerance = 0.01,
      replies = {
        { function(d) return d.w / 8 * d.c / 1000 end, en = "DDR makes two transfers per cycle.", zh = "DDR 每周期传两次。" },
        { function(d) return d.w * 2 * d.c / 1000 end, en = "Those are bits. A byte has eight of them.", zh = "这是位数，8 位才是 1 字节。" },
        { function(d) return d.w / 8 * 2 * d.c end, en = "That is MB/s.", zh = "这是 MB/s。" },
      },
      because = { en = "{w} / 8 bytes * 2 * {c} MHz. The textbooks' G80 has 384 bits and 900 MHz, so 384 * 1.8 GHz / 8 = 86.4 GB/s.", zh = "{w} / 8 字节 * 2 * {c} MHz。教科书里的 G80：384 位，900 MHz，即 384 * 1.8 GHz / 8 = 86.4 GB/s。" },
    },
    ask {
      alone = true,
      en = "A device has {m} multiprocessors with {l} float units each, at {c} GHz. Each unit begins one multiply-add per cycle. What is its peak in GFLOP/s?",
      zh = "某设备有 {m} 个多处理器，每个有 {l} 个 float 运算单元，频率 {c} GHz。每个单元每周期开始一次乘加。峰值是多少 GFLOP/s？",
      draw = { m = { 10, 40 }, l = { from = { 8, 32, 64 } }, c = { from = { 1.2, 1.4, 1.5, 1.8 } } },
      answer = function(d) return d.m * d.l * 2 * d.c end,
      tolerance = 0.01,
      replies = {
        { function(d) return d.m * d.l * d.c end, en = "A multiply-add is two operations.", zh = "一次乘加是两次浮点运算。" },
      },
      because = {
        en = "{m} * {l} * 2 * {c}. A G80 has 16 * 8 * 2 * 1.35 = 345.6 (the slides of a CUDA course print 346.5, with the 5 and the 6 swapped). An H200 has 132 * 128 * 2 * 1.98 = 66,900.",
        zh = "{m} * {l} * 2 * {c}。G80：16 * 8 * 2 * 1.35 = 345.6（CUDA 课程的讲义幻灯片写的是 346.5，5 和 6 颠倒了）。H200：132 * 128 * 2 * 1.98 = 66,900。",
      },
    },
    ask {
      en = "The next questions are all about a card with {b} GB/s and a peak of {p} GFLOP/s. How many floats can it read per second, in billions?",
      zh = "下面几题都是同一块显卡：带宽 {b} GB/s，峰值 {p} GFLOP/s。它每秒最多读多少个 float（以十亿计）？",
      draw = "card",
      answer = function(d) return d.b / 4 end,
      tolerance = 0.01,
      replies = { { function(d) return d.b / 8 end, en = "A float has 4 bytes. A double has 8.", zh = "float 是 4 字节，8 字节的是 double。" } },
      because = { en = "{b} / 4. A G80 reads 21.6 billion.", zh = "{b} / 4。G80 是 216 亿个，即 21.6。" },
    },
    ask {
      en = "The simple matrix product does 0.25 operations per byte. What is its ceiling on this card ({b} GB/s, {p} GFLOP/s) in GFLOP/s?",
      zh = "最简单的矩阵乘法每字节 0.25 次运算。在这块显卡上（{b} GB/s，{p} GFLOP/s）它的上限是多少 GFLOP/s？",
      draw = "card",
      answer = function(d) return d.b / 4 end,
      tolerance = 0.01,
      replies = {
        { function(d) return d.p end, en = "That is the peak. Which of the two ceilings is lower?", zh = "这是峰值。两个上限里哪个更低？" },
        { function(d) return d.b * 4 end, en = "Operations per second = bytes per second * operations per byte.", zh = "每秒运算次数 = 每秒字节数 * 每字节运算次数。" },
        { function(d) return d.p / 4 end, en = "The intensity multiplies the bandwidth, not the peak.", zh = "算术强度乘的是带宽，不是峰值。" },
      },
      because = { en = "{b} * 0.25. Each float read brings one operation, so there are as many operations as floats. A G80: 21.6 GFLOP/s.", zh = "{b} * 0.25：每读一个 float 做一次运算，所以运算次数就等于 float 的个数。G80 是 21.6 GFLOP/s。" },
    },
    ask {
      en = "What percentage of this card's peak is that ({b} GB/s, {p} GFLOP/s, 0.25 op/B)?",
      zh = "这是该显卡峰值的百分之几（{b} GB/s，{p} GFLOP/s，0.25 op/B）？",
      draw = "card",
      answer = function(d) return 25 * d.b / d.p end,
      tolerance = 0.03,
      unit = "%",
      because = { en = "{b} * 0.25 / {p}. On a G80 it is 6%: 21.6 of 345.6. The other 94% wait for data.", zh = "{b} * 0.25 / {p}。G80 上是 6%：345.6 里的 21.6。其余 94% 的算力都在等数据。" },
    },
    ask {
      en = "Where is this card's ridge ({b} GB/s, {p} GFLOP/s) in operations per byte?",
      zh = "这块显卡（{b} GB/s，{p} GFLOP/s）的脊点在每字节多少次运算？",
      draw = "card",
      answer = function(d) return d.p / d.b end,
      tolerance = 0.02,
      replies = {
        { function(d) return d.b / d.p end, en = "That is bytes per operation.", zh = "这是每次运算多少字节。" },
        { function(d) return 4 * d.p / d.b end, en = "That is per float, not per byte.", zh = "这是每个 float 的，不是每字节的。" },
      },
      because = { en = "The ridge is where bandwidth * intensity = peak: {p} / {b}. A G80 has 4. An H200 has 66,900 / 4,814 = 13.9: from one device to the other, arithmetic grew more than memory bandwidth.", zh = "在脊点上，带宽 * 算术强度 = 峰值，所以是 {p} / {b}。G80 是 4，H200 是 66,900 / 4,814 = 13.9：从前者到后者，算力比内存带宽涨得多。" },
    },
    ask {
      en = "A product with tiles of width t does t / 4 operations per byte. How wide must the tiles be at least, so that the memory of this card ({b} GB/s, {p} GFLOP/s) does not limit it? (a whole number)",
      zh = "tile 宽 t 时，矩阵乘法每字节 t / 4 次运算。要让这块显卡（{b} GB/s，{p} GFLOP/s）的内存不再是瓶颈，tile 至少要多宽？（取整数）",
      draw = "card",
      answer = function(d) return math.ceil(4 * d.p / d.b) end,
      replies = {
        { function(d) return math.ceil(d.p / d.b) end, en = "That is the ridge in operations per byte. A tile of width t does t / 4 of them.", zh = "这是脊点，单位是每字节运算次数。宽 t 的 tile 每字节做 t / 4 次。" },
        { function(d) return 4 * d.p // d.b end, en = "That is slightly too narrow unless the division is exact. Round up.", zh = "除不尽时，这就窄了一点，要向上取整。" },
      },
      because = {
        en = "t / 4 >= {p} / {b}. A G80 needs only 16. An H200 needs 56: with one element per thread that is more than the 1024 threads of a block. So on an H200 each thread computes several elements.",
        zh = "t / 4 >= {p} / {b}。G80 只要 16，H200 要 56：如果每个线程只算一个元素，就超过一个块的 1024 个线程。所以在 H200 上要让每个线程算好几个元素。",
      },
    },
    ask {
      en = "Now take a product of {n} x {n} matrices with tiles of {t} x {t}. How many floats does a block load in each phase, for both tiles together?",
      zh = "再看 {n} x {n} 的矩阵乘法，tile 为 {t} x {t}。每个阶段，一个线程块为两个 tile 一共读入多少个 float？",
      draw = "product",
      answer = function(d) return 2 * d.t * d.t end,
      replies = { { function(d) return d.t * d.t end, en = "That is one tile.", zh = "这是一个 tile 的 float 数。" } },
      because = { en = "2 * {t}^2. With width 16 that is 512.", zh = "2 * {t}^2。宽 16 时是 512。" },
    },
    ask {
      en = "How many operations does the block do in that phase ({n} x {n} matrices, {t} x {t} tiles)?",
      zh = "这个阶段里，该线程块做多少次运算（{n} x {n} 的矩阵，{t} x {t} 的 tile）？",
      draw = "product",
      answer = function(d) return 2 * d.t ^ 3 end,
      replies = {
        { function(d) return d.t ^ 3 end, en = "A multiply-add is two operations.", zh = "一次乘加是两次运算。" },
        { function(d) return 2 * d.t * d.t end, en = "That is for one step of k. A phase has {t}.", zh = "这只是 k 走一步时的运算次数。一个阶段有 {t} 步。" },
      },
      because = { en = "{t}^2 threads * 2 * {t}. With width 16 that is 8192: 16 operations for each float loaded, 4 per byte. 86.4 GB/s * 4 = 345.6, exactly a G80's peak. So memory no longer limits it.", zh = "{t}^2 个线程 * 2 * {t}。宽 16 时是 8192，即每读入一个 float 做 16 次运算，每字节 4 次。86.4 GB/s * 4 = 345.6，正好是 G80 的峰值，所以内存不再是瓶颈。" },
    },
    ask {
      en = "How many blocks does that launch have ({n} x {n} matrices, {t} x {t} tiles, one thread per element)?",
      zh = "这次启动有多少个线程块（{n} x {n} 的矩阵，{t} x {t} 的 tile，每个线程算一个元素）？",
      draw = "product",
      answer = function(d) return (d.n // d.t) ^ 2 end,
      replies = { { function(d) return d.n // d.t end, en = "That is the number of blocks in each direction.", zh = "这只是一个方向上的块数。" } },
      because = { en = "({n} / {t})^2 blocks of {t} * {t} threads. A product of 1024 x 1024 with 16-wide tiles has 4096 blocks of 256 threads, enough of both.", zh = "({n} / {t})^2 个块，每块 {t} * {t} 个线程。1024 的矩阵、16 宽的 tile：4096 个块，每块 256 个线程，两者都足够多。" },
    },
    ask {
      alone = true,
      en = "A kernel is far to the left of the ridge and reaches 90% of the bandwidth's ceiling. What can make it much faster?",
      zh = "某个核函数在脊点左边很远，已达到带宽上限的 90%。怎样才能让它快很多？",
      choices = {
        { en = "fewer bytes for the same result", zh = "用更少的字节得到同样的结果", right = true, because = { en = "That moves it to the right, where the ceiling is higher: tiling, fusing two kernels, smaller types.", zh = "这样点会右移，那里的上限更高：分块、合并两个核函数、用更小的类型。" } },
        { en = "fewer operations for the same result", zh = "用更少的运算得到同样的结果", because = { en = "The bytes take as long as before, and the arithmetic was waiting anyway.", zh = "传输字节的时间一点没少，而运算本来就在等。" } },
        { en = "more resident warps", zh = "更多驻留的线程束（warp）", because = { en = "They bring it closer to the ceiling, but only a tenth is left there.", zh = "这只能让它更接近上限，而那里只剩一成了。" } },
        { en = "`__sinf` and other fast functions", zh = "`__sinf` 之类的快速函数", because = { en = "They raise the ceiling of the arithmetic, and this kernel is far below it.", zh = "这提高的是算力的上限，而这个核函数离它还很远。" } },
      },
    },
    ask {
      alone = true,
      en = "Which figure tells how good a kernel is that adds up a large array?",
      zh = "评判一个对大数组求和的核函数，应该看哪个指标？",
      choices = {
        { en = "GB/s, against the bandwidth", zh = "GB/s，与带宽比", right = true, because = { en = "It does one operation for 4 bytes. That is left of every device's ridge.", zh = "每 4 字节做一次运算，在任何设备上都在脊点左边。" } },
        { en = "GFLOP/s, against the peak", zh = "GFLOP/s，与峰值比", because = { en = "This figure looks bad even for a perfect kernel.", zh = "就算核函数已经完美，这个数也很难看。" } },
        { en = "its occupancy", zh = "占用率", because = { en = "Occupancy is a means, not a result.", zh = "占用率是手段，不是结果。" } },
        { en = "the instructions per cycle", zh = "每周期指令数", because = { en = "More instructions for the same sum would improve this figure.", zh = "求同样的和，指令越多，这个数反而越好看。" } },
      },
    },
    predict {
      en = "A kernel reads a float, evaluates a polynomial of {k} terms with one multiply-add each, and writes the result. How many operations per byte are measured?",
      zh = "某个核函数读一个 float，计算 {k} 项的多项式（每项一次乘加），写出结果。测得每字节多少次运算？",
      draw = { k = { 4, 60, multiple = 4 } },
      of = "kernels/polynomial.cu",
      entry = entry,
      args = args,
      case = function(d) return { n = 65536, terms = d.k } end,
      counter = "flop_per_global_byte",
      tolerance = 0.03,
      replies = {
        { function(d) return d.k / 2 end, en = "The kernel reads a float and writes a float: 8 bytes.", zh = "核函数读一个 float，又写一个 float：8 字节。" },
        { function(d) return d.k / 8 end, en = "A multiply-add is two operations.", zh = "一次乘加是两次运算。" },
      },
      because = { en = "2 * {k} / 8. Up to about 55 terms this stays left of an H200's ridge, so by these two ceilings more terms take no extra time there.", zh = "2 * {k} / 8。大约 55 项以内都在 H200 脊点的左边：按这两个上限，多算几项不多花时间。" },
    },
    predict {
      en = "How many microseconds does this kernel take on a T4 for 4,194,304 points and 8 terms? Work it out from the T4's 320 GB/s; a kernel reaches at most 75% of that.",
      zh = "4,194,304 个点、8 项，这个核函数在 T4 上要多少微秒？T4 的带宽是 320 GB/s，核函数最多能达到其中的 75%，由此估算。",
      of = "kernels/polynomial.cu",
      entry = entry,
      args = args,
      case = { n = 4194304, terms = 8 },
      on = "sim:t4",
      counter = "device_us",
      tolerance = 0.2,
      unit = "us",
      because = { en = "4,194,304 * 8 bytes / 320 GB/s is 105 us, and at 75% it is 140 us: within a tenth of the measured time. Estimate before you measure. If the two are far apart, something else is wrong.", zh = "4,194,304 * 8 字节 / 320 GB/s 是 105 微秒，按 75% 算是 140 微秒，与实测相差不到一成。先估算，再测量：如果相差很大，就说明还有别的问题。" },
    },
    show {
      en = "That kernel under the roofline of a T4. Its dot is slightly right of 2: when the kernel ends, the last results are still in the L2 and have not been written to memory.",
      zh = "这个核函数在 T4 的屋顶线图上。测得的点在 2 的右边一点：核函数结束时，最后一部分结果还留在 L2 里，没有写回显存。",
      picture = "roofline",
      of = "kernels/polynomial.cu",
      entry = entry,
      args = args,
      case = { n = 4194304, terms = 8 },
      on = "sim:t4",
    },
    show {
      en = "With 400 terms the kernel is right of the ridge:",
      zh = "换成 400 项，点就到了脊点右边：",
      picture = "roofline",
      of = "kernels/polynomial.cu",
      entry = entry,
      args = args,
      case = { n = 1048576, terms = 400 },
      on = "sim:t4",
    },
  },
  after = {
    en = "Two figures of a data sheet and a count of operations and bytes tell you what a remedy can gain before you write it. They are only ceilings: latency, too few blocks and conflicts keep a kernel below them. The counters show which of these it is.",
    zh = "有了数据手册上的两个数，再数一数代码里的运算和字节，动手之前就能知道一种改法最多能快多少。它们只是上限：延迟、线程块太少、各种冲突都会让核函数达不到上限，是哪一种，要看计数器。",
  },
  more = {
    en = "Draw both ceilings of a T4 (320 GB/s, 40 multiprocessors with 64 float units at 1.59 GHz). How wide must tiles be to reach its ridge?",
    zh = "画出 T4 的两个上限（320 GB/s，40 个多处理器，每个 64 个 float 单元，1.59 GHz）。要达到它的脊点，tile 至少要多宽？",
  },
}
