-- Chapter 10, a quiz: a device's ceilings from its data sheet, before anything is measured.
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

        The lower one is the roof. Left of the *ridge*, where both meet, the memory decides and the speed is judged in GB/s; right of it the arithmetic decides, and it is judged in GFLOP/s.

            GFLOP/s |           ____________  peak
                    |         /
                    |       /  bandwidth * intensity
                    |     /
                    +--------------------------
                              ridge      op/B
      ]],
      zh = [[
        测量核函数之前，先算一算它最快能多快。开始时有两个上限就够了：

            速度 <= 峰值                （每秒运算次数）
            速度 <= 带宽 * 算术强度     （字节/秒 * 运算次数/字节）

        较低的那个就是屋顶。两者相交处叫*脊点*：在它左边由内存决定，看 GB/s；在它右边由算力决定，看 GFLOP/s。

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
      en = "A card's memory bus is {w} bits wide and runs at {c} MHz, with two transfers per cycle (DDR). What is its bandwidth, in GB/s?",
      zh = "某显卡的显存位宽 {w} 位，频率 {c} MHz，每周期传两次（DDR）。带宽是多少 GB/s？",
      draw = { w = { from = { 256, 320, 448, 512 } }, c = { 800, 1300, multiple = 50 } },
      answer = function(d) return d.w / 8 * 2 * d.c / 1000 end,
      tolerance = 0.01,
      replies = {
        { function(d) return d.w / 8 * d.c / 1000 end, en = "DDR: two transfers per cycle.", zh = "DDR 每周期传两次。" },
        { function(d) return d.w * 2 * d.c / 1000 end, en = "Those are bits. Eight make a byte.", zh = "这是位数，8 位才是一个字节。" },
        { function(d) return d.w / 8 * 2 * d.c end, en = "That is MB/s.", zh = "这是 MB/s。" },
      },
      because = { en = "{w} / 8 bytes * 2 * {c} MHz. The G80 of the textbooks: 384 bits, 900 MHz, so 384 * 1.8 GHz / 8 = 86.4 GB/s.", zh = "{w} / 8 字节 * 2 * {c} MHz。教科书里的 G80：384 位，900 MHz，即 384 * 1.8 GHz / 8 = 86.4 GB/s。" },
    },
    ask {
      alone = true,
      en = "A device has {m} multiprocessors with {l} float units each, at {c} GHz. Each unit begins one multiply-add per cycle. What is its peak, in GFLOP/s?",
      zh = "某设备有 {m} 个多处理器，每个有 {l} 个 float 运算单元，频率 {c} GHz。每个单元每周期开始一次乘加。峰值是多少 GFLOP/s？",
      draw = { m = { 10, 40 }, l = { from = { 8, 32, 64 } }, c = { from = { 1.2, 1.4, 1.5, 1.8 } } },
      answer = function(d) return d.m * d.l * 2 * d.c end,
      tolerance = 0.01,
      replies = {
        { function(d) return d.m * d.l * d.c end, en = "A multiply-add is two operations.", zh = "一次乘加是两次浮点运算。" },
      },
      because = {
        en = "{m} * {l} * 2 * {c}. A G80: 16 * 8 * 2 * 1.35 = 345.6 (the slides have 346.5, with two digits swapped). An H200: 132 * 128 * 2 * 1.98 = 66,900.",
        zh = "{m} * {l} * 2 * {c}。G80：16 * 8 * 2 * 1.35 = 345.6（CUDA 课程的幻灯片写的是 346.5，两个数字颠倒了）。H200：132 * 128 * 2 * 1.98 = 66,900。",
      },
    },
    ask {
      en = "From now on: a card with {b} GB/s and a peak of {p} GFLOP/s. How many floats can it read per second, in billions?",
      zh = "下面都是同一块显卡：带宽 {b} GB/s，峰值 {p} GFLOP/s。它每秒最多读多少个 float，以十亿计？",
      draw = "card",
      answer = function(d) return d.b / 4 end,
      tolerance = 0.01,
      replies = { { function(d) return d.b / 8 end, en = "A float has 4 bytes; 8 would be a double.", zh = "float 是 4 字节，8 字节的是 double。" } },
      because = { en = "{b} / 4. A G80: 21.6 billion.", zh = "{b} / 4。G80 是 21.6。" },
    },
    ask {
      en = "The simple matrix product does 0.25 operations per byte. What is its ceiling on this card ({b} GB/s, {p} GFLOP/s), in GFLOP/s?",
      zh = "最简单的矩阵乘法每字节 0.25 次运算。在这块显卡上（{b} GB/s，{p} GFLOP/s）它的上限是多少 GFLOP/s？",
      draw = "card",
      answer = function(d) return d.b / 4 end,
      tolerance = 0.01,
      replies = {
        { function(d) return d.p end, en = "That is the peak. Which of the two ceilings is lower?", zh = "这是峰值。两个上限里哪个更低？" },
        { function(d) return d.b * 4 end, en = "Operations per second = bytes per second * operations per byte.", zh = "每秒运算次数 = 每秒字节数 * 每字节运算次数。" },
        { function(d) return d.p / 4 end, en = "The intensity multiplies the bandwidth, not the peak.", zh = "算术强度乘的是带宽，不是峰值。" },
      },
      because = { en = "{b} * 0.25: as many operations as floats, since each float read brings one. A G80: 21.6 GFLOP/s.", zh = "{b} * 0.25：每读一个 float 做一次运算，所以运算次数就等于 float 的个数。G80 是 21.6 GFLOP/s。" },
    },
    ask {
      en = "What percentage of this card's peak is that ({b} GB/s, {p} GFLOP/s, 0.25 op/B)?",
      zh = "这是该显卡峰值的百分之几（{b} GB/s，{p} GFLOP/s，0.25 op/B）？",
      draw = "card",
      answer = function(d) return 25 * d.b / d.p end,
      tolerance = 0.03,
      unit = "%",
      because = { en = "{b} * 0.25 / {p}. On a G80 6%: 21.6 of 345.6. The other 94% wait for data.", zh = "{b} * 0.25 / {p}。G80 上是 6%：345.6 里的 21.6。其余 94% 的算力都在等数据。" },
    },
    ask {
      en = "Where is this card's ridge ({b} GB/s, {p} GFLOP/s), in operations per byte?",
      zh = "这块显卡（{b} GB/s，{p} GFLOP/s）的脊点在每字节多少次运算？",
      draw = "card",
      answer = function(d) return d.p / d.b end,
      tolerance = 0.02,
      replies = {
        { function(d) return d.b / d.p end, en = "That is bytes per operation.", zh = "这是每次运算多少字节。" },
        { function(d) return 4 * d.p / d.b end, en = "That is per float.", zh = "这是每个 float 的。" },
      },
      because = { en = "Where bandwidth * intensity = peak: {p} / {b}. A G80: 4. An H200: 66,900 / 4,814 = 13.9. Arithmetic grew faster than memory did.", zh = "带宽 * 算术强度 = 峰值，即 {p} / {b}。G80 是 4，H200 是 66,900 / 4,814 = 13.9。算力比内存涨得快。" },
    },
    ask {
      en = "A product with tiles of width t does t / 4 operations per byte. How wide must the tiles at least be for the memory of this card ({b} GB/s, {p} GFLOP/s) to be no limit? (a whole number)",
      zh = "tile 宽 t 时，矩阵乘法每字节 t / 4 次运算。要让这块显卡（{b} GB/s，{p} GFLOP/s）的内存不再是瓶颈，tile 至少要多宽？（取整数）",
      draw = "card",
      answer = function(d) return math.ceil(4 * d.p / d.b) end,
      replies = {
        { function(d) return math.ceil(d.p / d.b) end, en = "That is the ridge in operations per byte. A tile of width t has t / 4 of them.", zh = "这是脊点，单位是每字节运算次数。宽 t 的 tile 是 t / 4。" },
        { function(d) return 4 * d.p // d.b end, en = "Slightly too narrow, unless it divides evenly: round up.", zh = "除不尽时就窄了一点，要向上取整。" },
      },
      because = {
        en = "t / 4 >= {p} / {b}. For a G80 16 suffice, for an H200 it takes 56, more than the 1024 threads of a block allow with one element per thread. So each computes several there.",
        zh = "t / 4 >= {p} / {b}。G80 只要 16，H200 要 56；每个线程只算一个元素的话，一个块的 1024 个线程不够用，所以在 H200 上要让每个线程算好几个。",
      },
    },
    ask {
      en = "Now a product of {n} x {n} matrices with tiles of {t} x {t}. How many floats does a block load in each phase, for both tiles together?",
      zh = "再看 {n} x {n} 的矩阵乘法，tile 为 {t} x {t}。每个阶段，一个线程块为两个 tile 一共装入多少个 float？",
      draw = "product",
      answer = function(d) return 2 * d.t * d.t end,
      replies = { { function(d) return d.t * d.t end, en = "That is one tile.", zh = "这是一个 tile 的。" } },
      because = { en = "2 * {t}^2. For 16: 512.", zh = "2 * {t}^2。16 宽时是 512。" },
    },
    ask {
      en = "And how many operations does the block do in that phase ({n} x {n} matrices, {t} x {t} tiles)?",
      zh = "这个阶段里，该线程块做多少次运算（{n} x {n} 的矩阵，{t} x {t} 的 tile）？",
      draw = "product",
      answer = function(d) return 2 * d.t ^ 3 end,
      replies = {
        { function(d) return d.t ^ 3 end, en = "A multiply-add is two operations.", zh = "一次乘加是两次运算。" },
        { function(d) return 2 * d.t * d.t end, en = "That is for one step of k. A phase has {t}.", zh = "这只是 k 走一步的。一个阶段有 {t} 步。" },
      },
      because = { en = "{t}^2 threads * 2 * {t}. For 16: 8192, and so 16 operations for each float loaded, 4 per byte. 86.4 GB/s * 4 = 345.6: exactly a G80's peak. So the memory is its bottleneck no longer.", zh = "{t}^2 个线程 * 2 * {t}。16 宽时是 8192，即每装入一个 float 做 16 次运算，每字节 4 次。86.4 GB/s * 4 = 345.6，正好是 G80 的峰值：全局内存不再是它的瓶颈。" },
    },
    ask {
      en = "How many blocks does that launch have ({n} x {n} matrices, {t} x {t} tiles, a thread per element)?",
      zh = "这次启动有多少个线程块（{n} x {n} 的矩阵，{t} x {t} 的 tile，每个线程算一个元素）？",
      draw = "product",
      answer = function(d) return (d.n // d.t) ^ 2 end,
      replies = { { function(d) return d.n // d.t end, en = "That many in each direction.", zh = "这只是一个方向上的。" } },
      because = { en = "({n} / {t})^2, of {t} * {t} threads each. 1024 with 16-wide tiles: 4096 blocks of 256 threads, enough of both.", zh = "({n} / {t})^2，每块 {t} * {t} 个线程。1024 的矩阵、16 宽的 tile：4096 个块，每块 256 个线程，两者都够多。" },
    },
    ask {
      alone = true,
      en = "A kernel stands far to the left of the ridge and reaches 90% of the sloping roof. What can make it much faster?",
      zh = "某个核函数在脊点左边很远，速度已达到斜屋顶的 90%。怎样才能让它快很多？",
      choices = {
        { en = "fewer bytes for the same result", zh = "用更少的字节得到同样的结果", right = true, because = { en = "It moves right, under a higher roof: tiling, fusing two kernels, smaller types.", zh = "这样点往右移，屋顶更高：分块、合并两个核函数、用更小的类型。" } },
        { en = "fewer operations for the same result", zh = "用更少的运算得到同样的结果", because = { en = "The bytes take as long as before; the arithmetic was waiting anyway.", zh = "字节的传输一点没少；运算本来就在等。" } },
        { en = "more resident warps", zh = "更多驻留的线程束（warp）", because = { en = "They bring it nearer to the roof. Only a tenth is left there.", zh = "这只能让它更贴近屋顶，而那里只剩一成了。" } },
        { en = "`__sinf` and other fast functions", zh = "`__sinf` 之类的快速函数", because = { en = "They raise the ceiling of the arithmetic, which it does not touch.", zh = "这抬高的是算力上限，而这个核函数离那个上限还很远。" } },
      },
    },
    ask {
      alone = true,
      en = "By which figure does one judge a kernel that adds up a large array?",
      zh = "评判一个对大数组求和的核函数，应该看哪个指标？",
      choices = {
        { en = "GB/s, against the bandwidth", zh = "GB/s，与带宽比", right = true, because = { en = "One operation for 4 bytes is left of every device's ridge.", zh = "每 4 字节一次运算，在任何设备上都在脊点左边。" } },
        { en = "GFLOP/s, against the peak", zh = "GFLOP/s，与峰值比", because = { en = "It will look bad even if it is perfect.", zh = "就算做到完美，这个数也很难看。" } },
        { en = "its occupancy", zh = "占用率", because = { en = "That is a means, no result.", zh = "占用率是手段，不是结果。" } },
        { en = "the instructions per cycle", zh = "每周期指令数", because = { en = "More instructions for the same sum make this figure better.", zh = "同样求和，指令越多这个数反而越好看。" } },
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
        { function(d) return d.k / 2 end, en = "It reads and writes: 8 bytes.", zh = "又读又写：8 字节。" },
        { function(d) return d.k / 8 end, en = "A multiply-add is two operations.", zh = "一次乘加是两次运算。" },
      },
      because = { en = "2 * {k} / 8. Up to about 55 terms it stays left of the ridge of an H200: by these ceilings further terms take no time there.", zh = "2 * {k} / 8。大约 55 项以内都在 H200 脊点的左边：按这两个上限，多算几项不多花时间。" },
    },
    predict {
      en = "How many microseconds does it take a T4 for 4,194,304 points and 8 terms? Work it out from its 320 GB/s, of which a kernel reaches 75% at best.",
      zh = "4,194,304 个点、8 项，T4 上要多少微秒？它的带宽是 320 GB/s，核函数最多能达到其中的 75%，由此估算。",
      of = "kernels/polynomial.cu",
      entry = entry,
      args = args,
      case = { n = 4194304, terms = 8 },
      on = "sim:t4",
      counter = "device_us",
      tolerance = 0.2,
      unit = "us",
      because = { en = "4,194,304 * 8 bytes / 320 GB/s is 105 us, and 140 at 75%: within a tenth of what is measured. Estimate first: a measurement far from it then tells you that something else is wrong.", zh = "4,194,304 * 8 字节 / 320 GB/s 是 105 微秒，按 75% 算是 140，与实测相差不到一成。先估算，再测量：相差很大就说明还有别的问题。" },
    },
    show {
      en = "That kernel under the roofs of a T4. It stands a little to the right of 2: the last results are still in the L2 when it ends.",
      zh = "这个核函数在 T4 的屋顶下。测得的点在 2 的右边一点：结束时，最后的一些结果还留在 L2 里，没有写回显存。",
      picture = "roofline",
      of = "kernels/polynomial.cu",
      entry = entry,
      args = args,
      case = { n = 4194304, terms = 8 },
      on = "sim:t4",
    },
    show {
      en = "And with 400 terms, right of the ridge:",
      zh = "换成 400 项，到了脊点右边：",
      picture = "roofline",
      of = "kernels/polynomial.cu",
      entry = entry,
      args = args,
      case = { n = 1048576, terms = 400 },
      on = "sim:t4",
    },
  },
  after = {
    en = "Two numbers of a data sheet and a count in the margin of the code tell what a remedy can bring, before it is written. They are ceilings: latency, too few blocks and conflicts keep a kernel below them, and that is what the counters are for.",
    zh = "有了数据手册上的两个数，再对着代码数一数运算和字节，动手之前就能知道一种改法最多能快多少。它们只是上限：延迟、线程块太少、各种冲突都会让核函数达不到，那就要看计数器了。",
  },
  more = {
    en = "Draw both roofs of a T4 (320 GB/s, 40 multiprocessors with 64 float units at 1.59 GHz) and find the width of tiles that its ridge asks for.",
    zh = "画出 T4 的两个屋顶（320 GB/s，40 个多处理器，每个 64 个 float 单元，1.59 GHz），算出它的脊点要求 tile 多宽。",
  },
}
