-- Chapter 10, a quiz: arithmetic intensity by hand, then measured.
local product_args = {
  a = uniform(-1, 1, "n * n"),
  b = uniform(-1, 1, "n * n"),
  c = output("n * n", { ops = "2 * n" }),
}
local signature = "(const float *a, const float *b, float *c, int n)"

return lab {
  id = "op-per-byte",
  title = { en = "Operations per byte", zh = "每字节多少次运算" },
  chapter = 10,
  minutes = 20,
  needs = { "matmul-coarse" },
  source = "book exercise 4; walk-through",
  teaches = {
    ["op-per-byte-naive"] = "ask predict",
    ["op-per-byte-tiled"] = "ask predict",
    ["op-per-byte-coarse"] = "ask",
    ["op-per-byte-loads"] = "say predict",
    ["op-per-byte-tile"] = "ask",
    ["op-per-byte-limit"] = "ask",
    ["flop-per-byte-sum"] = "ask",
  },
  goals = { answers { points = 6, need = 0.75 } },

  steps = {
    say {
      en = [[
        The *arithmetic intensity* of a kernel is the number of operations that it does for each
        byte that it reads or writes in global memory. This number tells you whether memory or
        arithmetic will limit the kernel. In this quiz, you work out the arithmetic intensity of
        several matrix products by hand. For some of them, Warplab then measures the intensity.

        Count the operations and the bytes of one iteration of the innermost loop, or of one tile.
        Then divide. A multiply-add counts as two operations. A float has 4 bytes. Count each read
        that the code does, even if a cache serves it.

        Count only what grows with the size of the matrices. For example, if a thread reads 2n
        numbers and writes one, leave the store out.
      ]],
      zh = [[
        核函数的*算术强度*，是每读写全局内存一个字节所做的运算次数。由算术强度可以知道，
        限制核函数的是内存还是算力。在这个测验里，你要手算几种矩阵乘法的算术强度，其中几题由 Warplab
        实测来核对。

        数出最内层循环执行一次（或者处理一个 tile）的运算次数和字节数，再相除。一次乘加算两次运算，
        一个 float 是 4 字节。代码读几次就算几次，由缓存提供的也算。

        只有随矩阵大小增长的部分才要计入。例如一个线程读 2n 个数、写 1 个数时，写入可以不计。
      ]],
    },
    ask {
      alone = true,
      en = [[
        For each element, a kernel reads {r} floats, writes one, and does {f} operations. What is
        its arithmetic intensity in operations per byte?
      ]],
      zh = [[
        某个核函数每处理一个元素，读 {r} 个 float，写 1 个，做 {f} 次运算。它的算术强度是每字节多少
        次运算？
      ]],
      draw = { r = { 2, 5 }, f = { 3, 11 } },
      answer = function(d) return d.f / (4 * (d.r + 1)) end,
      tolerance = 0.02,
      replies = {
        {
          function(d) return d.f / (d.r + 1) end,
          en = "This is the number of operations per float. A float has 4 bytes.",
          zh = "这是每个 float 的运算次数，而一个 float 是 4 字节。",
        },
        {
          function(d) return d.f / (4 * d.r) end,
          en = "You left out the store. Here it is one of only a few accesses, so it counts.",
          zh = "你没有计入写入。这里访问次数少，那一次写入不能忽略。",
        },
        {
          function(d) return 4 * (d.r + 1) / d.f end,
          en = "This is the number of bytes per operation. Divide the other way round.",
          zh = "这是每次运算的字节数，除法做反了。",
        },
      },
      because = {
        en = "The kernel does {f} operations for {r} + 1 floats of 4 bytes: {f} / (4 * ({r} + 1)).",
        zh = "{r} + 1 个 float，每个 4 字节，做 {f} 次运算：{f} / (4 * ({r} + 1))。",
      },
    },
    ask {
      en = [[
        A kernel adds up {n} numbers of {s} bytes each. How many operations per byte does the kernel
        do?
      ]],
      zh = "某个核函数把 {n} 个数加起来，每个 {s} 字节。每字节多少次运算？",
      draw = { n = { 10000, 90000 }, s = { from = { 2, 4, 8 } } },
      answer = function(d) return 1 / d.s end,
      tolerance = 0.02,
      replies = {
        {
          function(d) return 2 / d.s end,
          en = "A sum has one addition for each number, and no multiplication.",
          zh = "求和时每个数只做一次加法，没有乘法。",
        },
        {
          1,
          en = "This is the number of operations for each number, not for each byte.",
          zh = "这是每个数的运算次数，不是每字节的。",
        },
      },
      because = {
        en = [[
          The kernel does one addition for {s} bytes, no matter how many numbers there are. So judge
          a sum by its bandwidth, not by its FLOP/s.
        ]],
        zh = [[
          每 {s} 字节做一次加法，与有多少个数无关。所以评判做求和的核函数，要看带宽，不看 FLOP/s。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        Take the simple product of two matrices of {s}-byte numbers. In each iteration, a thread
        reads one element of A and one of B, multiplies them, and adds the product to its sum. How
        many operations per byte does the kernel do?
      ]],
      zh = [[
        最简单的矩阵乘法，每个元素 {s} 字节：每次循环里，线程读 A、B 的各一个元素，相乘，再累加。
        每字节多少次运算？
      ]],
      draw = { s = { from = { 2, 4, 8 } } },
      answer = function(d) return 1 / d.s end,
      tolerance = 0.02,
      replies = {
        {
          function(d) return 1 / (2 * d.s) end,
          en = "The multiplication and the addition are two operations.",
          zh = "乘法和加法是两次运算。",
        },
        {
          function(d) return 2 / d.s end,
          en = "The thread reads two numbers, one of A and one of B.",
          zh = "要读两个数：A 的一个，B 的一个。",
        },
      },
      because = {
        en = "2 operations for 2 * {s} bytes: 2 / (2 * {s}). For floats, this is 0.25.",
        zh = "2 次运算，2 * {s} 字节：2 / (2 * {s})。用 float 时是 0.25。",
      },
    },
    predict {
      en = [[
        Now Warplab runs such a kernel with floats and n = {n}. Warplab also counts the one store
        for each element of C. How many operations per byte does Warplab measure?
      ]],
      zh = [[
        现在 Warplab 用 float 和 n = {n} 运行这样一个核函数。C 的每个元素要写一次，写入也计算在内。
        Warplab 测得每字节多少次运算？
      ]],
      draw = { n = { from = { 64, 96, 128 } } },
      of = "kernels/products.cu",
      entry = "void plain" .. signature,
      args = product_args,
      case = function(d) return { n = d.n } end,
      counter = "flop_per_global_byte",
      tolerance = 0.03,
      replies = {
        {
          0.5,
          en = "In each iteration the kernel loads two floats, which are 8 bytes.",
          zh = "每次循环，核函数读两个 float，共 8 字节。",
        },
        {
          0.125,
          en = "In each iteration the kernel multiplies and adds: these are two operations.",
          zh = "每次循环，核函数做一次乘法和一次加法，是两次运算。",
        },
        {
          1,
          en = "You counted the numbers, not their bytes. A float has 4 bytes.",
          zh = "你算的是数的个数，不是字节数。一个 float 有 4 字节。",
        },
        {
          4,
          en = "These are bytes per operation. The question asks for operations per byte.",
          zh = "这是每次运算的字节数。问的是每字节的运算数。",
        },
      },
      because = {
        en = [[
          For each element of C, the kernel does 2n operations and moves 8n + 4 bytes: 2n / (8n + 4)
          with n = {n}. The store changes the result by only about 1% or less, so you may leave it
          out.
        ]],
        zh = [[
          C 的每个元素有 2n 次运算、8n + 4 字节：2n / (8n + 4)，n = {n}。写入对结果的影响只有约 1%
          或更少，可以不计。
        ]],
      },
    },
    ask {
      en = [[
        The next kernel uses shared-memory tiles of {t} x {t} floats. In each phase, a block loads
        one tile of A and one of B. Then each of its {t} x {t} threads does {t} multiply-adds. How
        many operations per byte does the kernel do?
      ]],
      zh = [[
        下一个核函数改用 {t} x {t} 的 float tile 和共享内存：每个阶段，线程块读入 A、B 的各一个
        tile，然后 {t} x {t} 个线程各做 {t} 次乘加。每字节多少次运算？
      ]],
      draw = { t = { from = { 8, 16, 24, 32 } } },
      answer = function(d) return d.t / 4 end,
      tolerance = 0.01,
      replies = {
        {
          function(d) return d.t end,
          en = "This is the number of operations for each float that is loaded.",
          zh = "这是每读入一个 float 的运算次数。",
        },
        {
          function(d) return d.t / 8 end,
          en = "You counted each multiply-add as one operation.",
          zh = "一次乘加是两次运算，你只算了一次。",
        },
        {
          function(d) return d.t / 2 end,
          en = "The block loads two tiles in each phase.",
          zh = "每个阶段读入的是两个 tile。",
        },
        {
          0.25,
          en = [[
            This is the value without tiles. Here, each element in a tile is used more than once.
          ]],
          zh = "这是没有 tile 时的值。有了 tile，读入的每个元素要用好几次。",
        },
      },
      because = {
        en = [[
          The block does 2 * {t}^3 operations for 2 * {t}^2 floats of 4 bytes: {t} / 4. It loads
          each element once and uses it {t} times. So a tile of width t gives t times 0.25. Width 32
          gives 8.
        ]],
        zh = [[
          2 * {t}^3 次运算，2 * {t}^2 个 4 字节的 float：{t} / 4。每个元素读入一次，使用 {t} 次，
          所以宽 t 的 tile 是 0.25 的 t 倍。宽 32 时是 8。
        ]],
      },
    },
    predict {
      en = [[
        Now Warplab runs the kernel with 32 x 32 tiles and n = {n}. Do not leave out the store this
        time. For each element of C, there are 2 * {n} operations, {n} / 32 phases with two loads
        each, and one store. How many operations per byte does Warplab measure?
      ]],
      zh = [[
        再运行 32 x 32 tile 的核函数，n = {n}。这一次，写入不能忽略：C 的每个元素有 2 * {n} 次运算、
        {n} / 32 个阶段（每阶段读入两个数）和一次写入。Warplab 测得每字节多少次运算？
      ]],
      draw = { n = { from = { 64, 96, 128 } } },
      of = "kernels/products.cu",
      entry = "void tiled" .. signature,
      args = product_args,
      case = function(d) return { n = d.n } end,
      counter = "flop_per_global_byte",
      tolerance = 0.03,
      replies = {
        {
          8,
          en = [[
            This is the value without the store. Add the 4 bytes of the store for each element of C.
          ]],
          zh = "这是不计写入的结果。C 的每个元素还要加上写入的 4 字节。",
        },
      },
      because = {
        en = "2 * {n} / (4 * (2 * {n} / 32 + 1)). The larger n is, the closer the value is to 8.",
        zh = "2 * {n} / (4 * (2 * {n} / 32 + 1))。n 越大，这个值越接近 8。",
      },
    },
    ask {
      en = [[
        The tiles are {t} x {t} again, but each thread computes {c} elements of a row of C. So in
        each phase, a block loads one tile of A and {c} tiles of B. How many operations per byte
        does the kernel do?
      ]],
      zh = [[
        还是 {t} x {t} 的 tile，但每个线程算 C 的一行里的 {c} 个元素。所以每个阶段，线程块读入 A
        的一个 tile 和 B 的 {c} 个 tile。每字节多少次运算？
      ]],
      draw = { t = { from = { 16, 32 } }, c = { from = { 2, 3, 4, 6 } } },
      answer = function(d) return d.t * d.c / (2 * (d.c + 1)) end,
      tolerance = 0.01,
      replies = {
        {
          function(d) return d.t / 4 * d.c end,
          en = "This would be right if the block loaded only one tile of B. It loads {c}.",
          zh = "B 的 tile 也只读入一个时才是这样，而这里要读 {c} 个。",
        },
        {
          function(d) return d.t / 4 end,
          en = "This is the value for one element per thread.",
          zh = "这是每个线程算一个元素时的值。",
        },
      },
      because = {
        en = [[
          The block does {c} * 2 * {t}^3 operations for (1 + {c}) * {t}^2 floats of 4 bytes. For
          four elements and 32 x 32 tiles, these are 262,144 operations for 20,480 bytes, or 12.8
          per byte. That is 60% more than the 8 of one element per thread.
        ]],
        zh = [[
          {c} * 2 * {t}^3 次运算，(1 + {c}) * {t}^2 个 4 字节的 float。若是四个元素、32 x 32 的
          tile，就是 262,144 次运算、20,480 字节，即每字节 12.8 次，比每个线程算一个元素时的 8 次多
          60%。
        ]],
      },
    },
    ask {
      en = [[
        Keep the size of the tiles, and let each thread compute more and more columns. What happens
        to the number of operations per byte?
      ]],
      zh = "tile 的大小不变，让每个线程算的列越来越多，每字节的运算次数会怎样？",
      choices = {
        {
          en = "It approaches twice the value of one column, but never exceeds that.",
          zh = "趋近只算一列时的两倍，不会更多。",
          right = true,
          because = {
            en = [[
              c columns give 2c / (c + 1) times the value of one. With more columns, each tile of A
              serves more operations, but each tile of B serves as many as before.
            ]],
            zh = [[
              算 c 列时，这个值是算一列时的 2c / (c + 1) 倍。列越多，用到 A 的一个 tile 的运算就越
              多；用到 B 的一个 tile 的运算却还是那么多。
            ]],
          },
        },
        {
          en = "It grows in proportion to the columns.",
          zh = "与列数成正比地增长。",
          because = {
            en = "Each further column needs a tile of B of its own.",
            zh = "每多一列，就要多读入一个 B 的 tile。",
          },
        },
        {
          en = "It stays as with one column.",
          zh = "和只算一列时一样。",
          because = {
            en = [[
              All columns share the tile of A, so the block needs fewer loads for each operation.
            ]],
            zh = "A 的 tile 由所有列共用，所以平均到每次运算，读入的数少了。",
          },
        },
        {
          en = "It grows to as many operations as the shared memory has bytes.",
          zh = "一直增长到等于共享内存的字节数。",
          because = {
            en = "The size of the shared memory limits how many tiles fit, not this ratio.",
            zh = "共享内存的大小限制能放多少个 tile，与这个比值没有直接关系。",
          },
        },
      },
    },
    ask {
      en = [[
        Now reuse both matrices. A block computes {m} x {n} elements of C. For that, it needs {m}
        rows of A and {n} columns of B. In each step of k, it loads one number from each of these
        rows and columns, {m} + {n} floats in all. How many operations per byte does the kernel do?
      ]],
      zh = [[
        现在让 A 和 B 都得到复用。线程块计算 C 的 {m} x {n} 个元素，为此需要 A 的 {m} 行和 B 的 {n}
        列。k 每走一步，从这些行、这些列里各读入一个数，一共 {m} + {n} 个 float。每字节多少次运算？
      ]],
      draw = { m = { from = { 32, 64, 128 } }, n = { from = { 48, 96, 192 } } },
      answer = function(d) return d.m * d.n / (2 * (d.m + d.n)) end,
      tolerance = 0.01,
      replies = {
        {
          function(d) return d.m * d.n / (4 * (d.m + d.n)) end,
          en = "A multiply-add counts as two operations, not one.",
          zh = "一次乘加要算两次运算，不是一次。",
        },
        {
          function(d) return 2 * d.m * d.n / (d.m + d.n) end,
          en = "This is the number of operations per float. Divide it by 4.",
          zh = "这是每个 float 的运算次数，还要除以 4。",
        },
      },
      because = {
        en = [[
          Each step does one multiply-add per element of C: 2 * {m} * {n} / (4 * ({m} + {n})). This
          rule covers all the cases above: 1 x 1 gives 0.25, 32 x 32 gives 8, and 32 x 128 gives
          12.8. The rule compares the area of the block's part of C with its perimeter. So a large
          square part is best.
        ]],
        zh = [[
          每走一步，C 的每个元素做一次乘加：2 * {m} * {n} / (4 * ({m} + {n}))。这一条规则适用于上面
          所有情形：1 x 1 得 0.25，32 x 32 得 8，32 x 128 得 12.8。这相当于块所算的那部分 C 的面积除
          以周长，所以这一部分又大又方最好。
        ]],
      },
    },
    ask {
      en = "Which change raises the arithmetic intensity of the tiled matrix product?",
      zh = "下面哪一种做法能提高分块矩阵乘法的算术强度？",
      choices = {
        {
          en = "a larger tile of C per block",
          zh = "让每个线程块负责 C 的更大一块",
          right = true,
          because = {
            en = "Then the block uses each number that it loads more often.",
            zh = "这样，读入的每个数用的次数更多。",
          },
        },
        {
          en = "loads of 16 bytes (`float4`)",
          zh = "一次读 16 字节（`float4`）",
          because = {
            en = "Such loads save instructions, but they load the same bytes.",
            zh = "这样指令少了，字节数不变。",
          },
        },
        {
          en = "a larger grid",
          zh = "更大的网格",
          because = {
            en = "Each block still does the same operations with the same bytes.",
            zh = "每个线程块的运算和字节数都不变。",
          },
        },
        {
          en = "unrolling the inner loop",
          zh = "展开内层循环",
          because = {
            en = [[
              Unrolling saves the instructions of the loop. The operations on floats stay the same,
              and so do the bytes.
            ]],
            zh = "展开省的是循环指令，浮点运算和字节都没有变。",
          },
        },
      },
    },
    show {
      en = [[
        The chart shows the product with four columns per thread, n = 256, as a dot. The line shows
        the highest speed that the device allows. The horizontal axis shows operations per byte that
        moves to or from *device memory*.

        Both A and B fit in the L2, so each byte comes from device memory only once. That is why the
        dot is far to the right of 12.8. The dot is also far below the line, because the 16 blocks
        do not fill the device.
      ]],
      zh = [[
        每个线程算四列的矩阵乘法，n = 256，在设备的屋顶线图上是一个点。图中的线是设备允许的最高速
        度，横轴是每字节*显存*流量的运算次数。A 和 B 都装得进 L2，每个字节只从显存取一次，所以点远在
        12.8 的右边。点又远低于那条线，因为 16 个线程块填不满设备。
      ]],
      picture = "roofline",
      of = "kernels/products.cu",
      entry = "void coarse" .. signature,
      args = product_args,
      case = { n = 256 },
    },
  },
  after = {
    en = [[
      The arithmetic intensity depends on the algorithm, and on the data that you keep on the chip.
      No compiler flag changes it. The next lab, `roofline-by-hand`, shows how fast a device can be
      at a given intensity.
    ]],
    zh = [[
      算术强度由算法和你留在芯片上的数据决定，编译选项改变不了它。下一个实验 `roofline-by-hand` 讲：
      给定算术强度，设备最多能有多快。
    ]],
  },
  more = {
    en = [[
      Take your own product of `matmul-open`, and count the bytes and the operations of one step of
      k. How would tiles of half precision change these two numbers?
    ]],
    zh = [[
      看看你自己在 `matmul-open` 里写的矩阵乘法：k 每走一步，读入多少字节，做多少次运算？tile
      换成半精度会有什么变化？
    ]],
  },
}
