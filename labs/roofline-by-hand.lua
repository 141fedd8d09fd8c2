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
        How fast could a kernel be at best? In this quiz, you work that out from the device's data
        sheet and from the arithmetic intensity of the kernel, before anything is measured. Two
        ceilings are enough to begin with:

            speed <= peak                          (operations per second)
            speed <= bandwidth * intensity         (bytes/s * operations/byte)

        The lower one is the *roofline*. In the chart below, the two ceilings meet at the *ridge*.
        Left of the ridge, memory decides the speed, and you judge a kernel by its GB/s. Right of
        the ridge, arithmetic decides the speed, and you judge a kernel by its GFLOP/s. (A GFLOP is
        a billion operations, and op/B means operations per byte.)

            GFLOP/s |           ____________  peak
                    |         /
                    |       /  bandwidth * intensity
                    |     /
                    +--------------------------
                              ridge      op/B
      ]],
      zh = [[
        一个核函数最快能有多快？在这个测验里，你根据设备的数据手册和核函数的算术强度来计算，
        不需要先测量。开始时有两个上限就够了：

            速度 <= 峰值                （每秒运算次数）
            速度 <= 带宽 * 算术强度     （字节/秒 * 运算次数/字节）

        两者中较低的就是*屋顶线*。在下图里，两个上限相交于*脊点*。在脊点左边，速度由内存决定，用
        GB/s 评判核函数；在脊点右边，速度由算力决定，用 GFLOP/s 评判核函数。（GFLOP 是十亿次运算，
        op/B 是每字节的运算次数。）

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
      en = [[
        A card's memory bus is {w} bits wide and runs at {c} MHz, with two transfers per cycle
        (DDR). What is its bandwidth in GB/s?
      ]],
      zh = "某显卡的显存位宽 {w} 位，频率 {c} MHz，每周期传输两次（DDR）。带宽是多少 GB/s？",
      draw = { w = { from = { 256, 320, 448, 512 } }, c = { 800, 1300, multiple = 50 } },
      answer = function(d) return d.w / 8 * 2 * d.c / 1000 end,
      tolerance = 0.01,
      replies = {
        {
          function(d) return d.w / 8 * d.c / 1000 end,
          en = "DDR makes two transfers per cycle, not one.",
          zh = "DDR 每周期传输两次，不是一次。",
        },
        {
          function(d) return d.w * 2 * d.c / 1000 end,
          en = "You counted bits. A byte has eight bits.",
          zh = "你算的是位数，8 位才是 1 字节。",
        },
        {
          function(d) return d.w / 8 * 2 * d.c end,
          en = "This is the bandwidth in MB/s.",
          zh = "这是以 MB/s 计的带宽。",
        },
      },
      because = {
        en = [[
          {w} / 8 bytes * 2 * {c} MHz. The G80 of the textbooks has 384 bits and 900 MHz: 384 * 1.8
          GHz / 8 = 86.4 GB/s.
        ]],
        zh = [[
          {w} / 8 字节 * 2 * {c} MHz。教科书里的 G80 是 384 位、900 MHz，即 384 * 1.8 GHz / 8 =
          86.4 GB/s。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        A device has {m} multiprocessors with {l} float units each, at {c} GHz. Each unit begins one
        multiply-add per cycle. What is the peak of the device in GFLOP/s?
      ]],
      zh = [[
        某设备有 {m} 个多处理器，每个有 {l} 个 float 运算单元，频率 {c} GHz。
        每个单元每周期开始一次乘加。设备的峰值是多少 GFLOP/s？
      ]],
      draw = { m = { 10, 40 }, l = { from = { 8, 32, 64 } }, c = { from = { 1.2, 1.4, 1.5, 1.8 } } },
      answer = function(d) return d.m * d.l * 2 * d.c end,
      tolerance = 0.01,
      replies = {
        {
          function(d) return d.m * d.l * d.c end,
          en = "A multiply-add counts as two operations.",
          zh = "一次乘加算两次浮点运算。",
        },
      },
      because = {
        en = [[
          {m} * {l} * 2 * {c}. A G80 has 16 * 8 * 2 * 1.35 = 345.6. (The slides of a CUDA course
          print 346.5: the 5 and the 6 are swapped.) An H200 has 132 * 128 * 2 * 1.98 = 66,900.
        ]],
        zh = [[
          {m} * {l} * 2 * {c}。G80 是 16 * 8 * 2 * 1.35 = 345.6。（CUDA 课程的讲义幻灯片写的是
          346.5，5 和 6 颠倒了。）H200 是 132 * 128 * 2 * 1.98 = 66,900。
        ]],
      },
    },
    ask {
      en = [[
        The next questions are about a card with {b} GB/s and a peak of {p} GFLOP/s. How many floats
        can it read per second, in billions?
      ]],
      zh = [[
        下面几题都是同一块显卡：带宽 {b} GB/s，峰值 {p} GFLOP/s。它每秒最多读多少个
        float（以十亿计）？
      ]],
      draw = "card",
      answer = function(d) return d.b / 4 end,
      tolerance = 0.01,
      replies = {
        {
          function(d) return d.b / 8 end,
          en = "You divided by 8, the bytes of a double. A float has 4.",
          zh = "你除以了 8，那是 double 的字节数。float 是 4 字节。",
        },
      },
      because = {
        en = "A float has 4 bytes: {b} / 4, in billions. A G80 reads 21.6 billion.",
        zh = "一个 float 是 4 字节：{b} / 4。G80 每秒读 216 亿个，即 21.6。",
      },
    },
    ask {
      en = [[
        The simple matrix product does 0.25 operations per byte. What is its ceiling on this card
        ({b} GB/s, {p} GFLOP/s) in GFLOP/s?
      ]],
      zh = [[
        最简单的矩阵乘法每字节做 0.25 次运算。在这块显卡上（{b} GB/s，{p} GFLOP/s），它的上限是多少
        GFLOP/s？
      ]],
      draw = "card",
      answer = function(d) return d.b / 4 end,
      tolerance = 0.01,
      replies = {
        {
          function(d) return d.p end,
          en = "This is the peak. Work out the other ceiling, too. Which one is lower?",
          zh = "这是峰值。再算一算另一个上限，哪个更低？",
        },
        {
          function(d) return d.b * 4 end,
          en = "Multiply bytes per second by operations per byte.",
          zh = "应当用每秒字节数乘以每字节运算次数。",
        },
        {
          function(d) return d.p / 4 end,
          en = "You multiplied the peak by the intensity. Multiply the bandwidth by the intensity.",
          zh = "算术强度应当乘以带宽，不是乘以峰值。",
        },
      },
      because = {
        en = [[
          {b} * 0.25, since this is lower than the peak. The product does one operation for each
          float that it reads. So the ceiling equals the number of floats per second. For a G80, it
          is 21.6 GFLOP/s.
        ]],
        zh = [[
          {b} * 0.25，这比峰值低。每读一个 float 做一次运算，所以上限就等于每秒读的 float 数。G80 是
          21.6 GFLOP/s。
        ]],
      },
    },
    ask {
      en = [[
        The simple matrix product (0.25 op/B) has a ceiling on this card ({b} GB/s, {p} GFLOP/s).
        What percentage of the card's peak is this ceiling?
      ]],
      zh = [[
        最简单的矩阵乘法（0.25 op/B）在这块显卡上（{b} GB/s，{p} GFLOP/s）的上限，是显卡峰值的百分之
        几？
      ]],
      draw = "card",
      answer = function(d) return 25 * d.b / d.p end,
      tolerance = 0.03,
      unit = "%",
      replies = {
        {
          function(d) return 100 * d.b / d.p end,
          en = "This is for 1 operation per byte. The product does 0.25.",
          zh = "这是每字节 1 次运算时的比例。这个乘积每字节只做 0.25 次。",
        },
        {
          function(d) return 400 * d.b / d.p end,
          en = "Multiply the bandwidth by operations per byte. You divided by them.",
          zh = "带宽要乘以每字节的运算数，你却是除的。",
        },
        {
          function(d) return d.b / 4 end,
          en = "This is the ceiling in GFLOP/s. What share of {p} is it?",
          zh = "这是以 GFLOP/s 表示的上限。它占 {p} 的百分之几？",
        },
      },
      because = {
        en = [[
          The ceiling is {b} * 0.25. Divide it by {p}. On a G80, it is 6%: 21.6 of 345.6 GFLOP/s.
          During the other 94% of the time, the arithmetic units wait for data.
        ]],
        zh = [[
          上限是 {b} * 0.25，再除以 {p}。G80 上是 6%：345.6 GFLOP/s 中的 21.6。其余 94% 的时间里，
          运算单元都在等数据。
        ]],
      },
    },
    ask {
      en = "Where is this card's ridge ({b} GB/s, {p} GFLOP/s) in operations per byte?",
      zh = "这块显卡（{b} GB/s，{p} GFLOP/s）的脊点在每字节多少次运算？",
      draw = "card",
      answer = function(d) return d.p / d.b end,
      tolerance = 0.02,
      replies = {
        {
          function(d) return d.b / d.p end,
          en = "This is the number of bytes per operation. Divide the other way round.",
          zh = "这是每次运算的字节数，除法做反了。",
        },
        {
          function(d) return 4 * d.p / d.b end,
          en = "This is the number of operations per float, not per byte.",
          zh = "这是每个 float 的运算次数，不是每字节的。",
        },
      },
      because = {
        en = [[
          At the ridge, bandwidth * intensity = peak, so the intensity is {p} / {b}. For a G80, it
          is 4. For an H200, it is 66,900 / 4,814 = 13.9. From the G80 to the H200, the peak has
          grown more than the bandwidth.
        ]],
        zh = [[
          在脊点上，带宽 * 算术强度 = 峰值，所以算术强度是 {p} / {b}。G80 是 4，H200 是 66,900 /
          4,814 = 13.9：从 G80 到 H200，算力比内存带宽涨得多。
        ]],
      },
    },
    ask {
      en = [[
        A product with tiles of width t does t / 4 operations per byte. How wide must the tiles be
        at least, so that the memory of this card ({b} GB/s, {p} GFLOP/s) does not limit the
        product? (a whole number)
      ]],
      zh = [[
        tile 宽 t 时，矩阵乘法每字节做 t / 4 次运算。要让这块显卡（{b} GB/s，{p} GFLOP/s）
        的内存不再是瓶颈，tile 至少要多宽？（取整数）
      ]],
      draw = "card",
      answer = function(d) return math.ceil(4 * d.p / d.b) end,
      replies = {
        {
          function(d) return math.ceil(d.p / d.b) end,
          en = [[
            This is the ridge in operations per byte. A tile of width t does t / 4 operations per
            byte.
          ]],
          zh = "这是脊点处每字节的运算次数。宽 t 的 tile 每字节做 t / 4 次。",
        },
        {
          function(d) return 4 * d.p // d.b end,
          en = "You rounded down. That is slightly too narrow, so round up.",
          zh = "你向下取整，结果窄了一点，应当向上取整。",
        },
      },
      because = {
        en = [[
          The product must reach the ridge: t / 4 >= {p} / {b}. A G80 needs a width of only 16, and
          an H200 needs 56. A tile of 56 x 56 has 3136 elements, but a block has at most 1024
          threads. So on an H200, each thread computes several elements.
        ]],
        zh = [[
          矩阵乘法要达到脊点：t / 4 >= {p} / {b}。G80 只要宽 16，H200 要宽 56。56 x 56 的 tile 有
          3136 个元素，而一个块最多 1024 个线程，所以在 H200 上，每个线程要算好几个元素。
        ]],
      },
    },
    ask {
      en = [[
        Now take a product of {n} x {n} matrices with tiles of {t} x {t}. How many floats does a
        block load in each phase, for both tiles together?
      ]],
      zh = [[
        再看 {n} x {n} 的矩阵乘法，tile 为 {t} x {t}。每个阶段，一个线程块为两个 tile 一共读入多少个
        float？
      ]],
      draw = "product",
      answer = function(d) return 2 * d.t * d.t end,
      replies = {
        {
          function(d) return d.t * d.t end,
          en = "This is the number of floats in one tile.",
          zh = "这是一个 tile 的 float 数。",
        },
      },
      because = {
        en = [[
          Each of the two tiles has {t}^2 floats, together 2 * {t}^2. With width 16, the block loads
          512.
        ]],
        zh = "两个 tile 各有 {t}^2 个 float，一共 2 * {t}^2。宽 16 时是 512。",
      },
    },
    ask {
      en = [[
        How many operations does one block of this product do in one phase ({n} x {n} matrices, {t}
        x {t} tiles)?
      ]],
      zh = [[
        在这个矩阵乘法的一个阶段里，一个线程块做多少次运算（{n} x {n} 的矩阵，{t} x {t} 的 tile）？
      ]],
      draw = "product",
      answer = function(d) return 2 * d.t ^ 3 end,
      replies = {
        {
          function(d) return d.t ^ 3 end,
          en = "Each multiply-add is two operations.",
          zh = "每次乘加是两次运算。",
        },
        {
          function(d) return 2 * d.t * d.t end,
          en = "This is the number for one step of k. A phase has {t} steps.",
          zh = "这只是 k 走一步时的运算次数。一个阶段有 {t} 步。",
        },
      },
      because = {
        en = [[
          {t}^2 threads do {t} multiply-adds each: {t}^2 * 2 * {t}. With width 16, the block does
          8192 operations. That is 16 for each float that it loads, or 4 per byte. On a G80, 86.4
          GB/s * 4 = 345.6 GFLOP/s, exactly the peak. So memory no longer limits the product.
        ]],
        zh = [[
          {t}^2 个线程各做 {t} 次乘加：{t}^2 * 2 * {t}。宽 16 时是 8192 次，即每读入一个 float 做
          16 次，每字节 4 次。在 G80 上，86.4 GB/s * 4 = 345.6 GFLOP/s，正好是峰值，
          所以内存不再是瓶颈。
        ]],
      },
    },
    ask {
      en = [[
        How many blocks does the launch of this product have ({n} x {n} matrices, {t} x {t} tiles,
        one thread per element)?
      ]],
      zh = [[
        计算这个乘积要启动多少个线程块（{n} x {n} 的矩阵，{t} x {t} 的 tile，
        每个线程算一个元素）？
      ]],
      draw = "product",
      answer = function(d) return (d.n // d.t) ^ 2 end,
      replies = {
        {
          function(d) return d.n // d.t end,
          en = "This is the number of blocks in one direction. There are two directions.",
          zh = "这是一个方向上的块数，而方向有两个。",
        },
      },
      because = {
        en = [[
          ({n} / {t})^2 blocks of {t} * {t} threads. A product of 1024 x 1024 matrices with 16-wide
          tiles has 4096 blocks of 256 threads. That is plenty of blocks, and plenty of threads in
          each.
        ]],
        zh = [[
          ({n} / {t})^2 个块，每块 {t} * {t} 个线程。1024 x 1024 的矩阵、宽 16 的 tile，有 4096 个
          块，每块 256 个线程，块数和线程数都足够多。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        A kernel is far to the left of the ridge. It reaches 90% of the ceiling that the bandwidth
        sets. What can make it much faster?
      ]],
      zh = "某个核函数在脊点左边很远，已达到带宽所定上限的 90%。怎样才能让它快很多？",
      choices = {
        {
          en = "fewer bytes for the same result",
          zh = "用更少的字节得到同样的结果",
          right = true,
          because = {
            en = [[
              Fewer bytes mean a higher intensity, and so a higher ceiling. Tiles, one kernel in
              place of two, and smaller types all save bytes.
            ]],
            zh = [[
              字节少了，算术强度就高，上限也就高。分块、把两个核函数合并成一个、用更小的类型，
              都能减少字节。
            ]],
          },
        },
        {
          en = "fewer operations for the same result",
          zh = "用更少的运算得到同样的结果",
          because = {
            en = [[
              Moving the bytes takes as long as before, and the arithmetic units already wait for
              them.
            ]],
            zh = "搬运字节的时间不变，而运算单元本来就在等这些字节。",
          },
        },
        {
          en = "more resident warps",
          zh = "更多驻留的线程束（warp）",
          because = {
            en = [[
              More warps can bring the kernel closer to its ceiling, but only 10% is left there.
            ]],
            zh = "warp 多了，核函数能更接近上限，但离上限只剩 10% 了。",
          },
        },
        {
          en = "`__sinf` and other fast functions",
          zh = "`__sinf` 之类的快速函数",
          because = {
            en = "Fast functions save arithmetic, and arithmetic does not limit this kernel.",
            zh = "快速函数省的是运算，而运算不是这个核函数的瓶颈。",
          },
        },
      },
    },
    ask {
      alone = true,
      en = "A kernel adds up a large array. Which figure tells how good the kernel is?",
      zh = "评判一个对大数组求和的核函数，应该看哪个指标？",
      choices = {
        {
          en = "GB/s, against the bandwidth",
          zh = "GB/s，与带宽比",
          right = true,
          because = {
            en = [[
              The kernel does one operation for 4 bytes. That is left of the ridge on every device.
            ]],
            zh = "每 4 字节做一次运算，在任何设备上都在脊点左边。",
          },
        },
        {
          en = "GFLOP/s, against the peak",
          zh = "GFLOP/s，与峰值比",
          because = {
            en = "Even a perfect sum reaches only a small part of the peak.",
            zh = "即使核函数已经完美，也只能达到峰值的一小部分。",
          },
        },
        {
          en = "its occupancy",
          zh = "占用率",
          because = {
            en = "High occupancy can help a kernel, but the kernel may be slow all the same.",
            zh = "占用率高有助于提速，但占用率高的核函数仍然可能很慢。",
          },
        },
        {
          en = "the instructions per cycle",
          zh = "每周期指令数",
          because = {
            en = "Superfluous instructions would improve this figure, but not the kernel.",
            zh = "加进多余的指令，这个数会变大，核函数却不会变快。",
          },
        },
      },
    },
    predict {
      en = [[
        A kernel reads a float, evaluates a polynomial of {k} terms, and writes the result as a
        float. Each term takes one multiply-add. How many operations per byte does Warplab measure?
      ]],
      zh = [[
        某个核函数读一个 float，计算 {k} 项的多项式（每项一次乘加），再写出一个 float。Warplab 测得
        每字节多少次运算？
      ]],
      draw = { k = { 4, 60, multiple = 4 } },
      of = "kernels/polynomial.cu",
      entry = entry,
      args = args,
      case = function(d) return { n = 65536, terms = d.k } end,
      counter = "flop_per_global_byte",
      tolerance = 0.03,
      replies = {
        {
          function(d) return d.k / 2 end,
          en = "You counted 4 bytes. The kernel reads 4 bytes and writes 4 bytes.",
          zh = "你只算了 4 字节。核函数读 4 字节，还要写 4 字节。",
        },
        {
          function(d) return d.k / 8 end,
          en = "You counted each multiply-add once. It is two operations.",
          zh = "你把每次乘加只算了一次，应当算两次运算。",
        },
      },
      because = {
        en = [[
          2 * {k} operations for 8 bytes: 2 * {k} / 8. Up to about 55 terms, the kernel is left of
          the ridge of an H200. So according to the two ceilings, more terms take no extra time up
          to this number.
        ]],
        zh = [[
          2 * {k} 次运算，8 字节：2 * {k} / 8。大约 55 项以内，核函数都在 H200 的脊点左边。所以按这
          两个上限，在 55 项以内多算几项，不多花时间。
        ]],
      },
    },
    predict {
      en = [[
        How many microseconds does this kernel take on a T4 for 4,194,304 floats and 8 terms? A T4
        has 320 GB/s, and a kernel reaches at most 75% of that.
      ]],
      zh = [[
        这个核函数在 T4 上处理 4,194,304 个 float，多项式有 8 项，要多少微秒？T4 的带宽是 320 GB/s，
        核函数最多能达到其中的 75%。
      ]],
      of = "kernels/polynomial.cu",
      entry = entry,
      args = args,
      case = { n = 4194304, terms = 8 },
      on = "sim:t4",
      counter = "device_us",
      tolerance = 0.2,
      unit = "us",
      replies = {
        {
          105,
          en = "This is the time at the full 320 GB/s. A kernel reaches at most 75% of that.",
          zh = "这是达到全部 320 GB/s 时的时间。核函数最多只达到其中的 75%。",
        },
        {
          70,
          en = "This is the time of the reads alone. The kernel writes as many bytes.",
          zh = "这只是读的时间。核函数还写同样多的字节。",
        },
        {
          0.14,
          en = "These are milliseconds. A millisecond is 1000 us.",
          zh = "这是毫秒数。1 毫秒是 1000 微秒。",
        },
      },
      because = {
        en = [[
          4,194,304 * 8 bytes / 320 GB/s is 105 us. At 75% of the bandwidth, it is 140 us. The
          measured time differs from this by less than a tenth. Estimate before you measure. If
          estimate and measurement differ much, there is a cause that you did not think of.
        ]],
        zh = [[
          4,194,304 * 8 字节 / 320 GB/s 是 105 微秒，按 75% 的带宽算是 140 微秒，与实测相差不到一
          成。先估算，再测量：如果两者相差很大，就说明还有你没想到的原因。
        ]],
      },
    },
    show {
      en = [[
        The roofline chart of a T4 shows this kernel as a dot. You would expect the dot at 2 op/B,
        but it is slightly further right. When the kernel ends, the last results are still in the
        L2, so these bytes have not been written to device memory.
      ]],
      zh = [[
        这个核函数在 T4 的屋顶线图上。点本应在 2 op/B，实际却在右边一点：核函数结束时，
        最后一部分结果还留在 L2 里，没有写回显存。
      ]],
      picture = "roofline",
      of = "kernels/polynomial.cu",
      entry = entry,
      args = args,
      case = { n = 4194304, terms = 8 },
      on = "sim:t4",
    },
    show {
      en = "With 400 terms, the kernel is right of the ridge:",
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
    en = [[
      Two figures of a data sheet, and a count of operations and bytes, are enough for a roofline.
      The roofline tells you how much a change can gain at most, before you write the change. But a
      roofline is only a ceiling. Latency, too few blocks or conflicts can keep a kernel below the
      ceiling. The counters show which of them it is.
    ]],
    zh = [[
      只要数据手册上的两个数，再数一数代码里的运算和字节，动手之前就能知道一种改法最多能快多少。
      但这些只是上限：延迟、线程块太少、各种冲突，都会让核函数达不到上限。究竟是哪一种，要看计数器。
    ]],
  },
  more = {
    en = [[
      Draw both ceilings of a T4. It has 320 GB/s and 40 multiprocessors, each with 64 float units
      at 1.59 GHz. How wide must tiles be to reach its ridge?
    ]],
    zh = [[
      画出 T4 的两个上限。T4 的带宽是 320 GB/s，有 40 个多处理器，每个有 64 个 float 单元，频率
      1.59 GHz。要达到 T4 的脊点，tile 至少要多宽？
    ]],
  },
}
