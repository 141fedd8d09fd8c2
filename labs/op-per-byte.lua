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
        *Arithmetic intensity* is the number of operations that a kernel does for each byte it asks of global memory. You need not measure it. Count operations and bytes for one turn of the
        innermost loop, or for one tile, and divide. A multiply-add counts as two operations. A float has 4 bytes. Count each read that the code does, whether or not a cache serves it later.

        Only what grows with the size matters: where a thread reads 2n numbers and writes one, leave the store out.
      ]],
      zh = [[
        *算术强度*是核函数每向全局内存请求一个字节所做的运算次数。它不用测量：对最内层循环的一步，或者对一个 tile，数出运算次数和字节数，再相除。一次乘加算两次运算，一个 float 是 4 字节。
        代码里读几次就算几次，不管缓存后来是否命中。

        只有随规模增长的部分才要计入：一个线程读 2n 个数、写 1 个数时，写可以不计。
      ]],
    },
    ask {
      alone = true,
      en = "For each element a kernel reads {r} floats, writes one, and does {f} operations. What is its arithmetic intensity in operations per byte?",
      zh = "某个核函数每处理一个元素读 {r} 个 float，写 1 个，做 {f} 次运算。它的算术强度是每字节多少次运算？",
      draw = { r = { 2, 5 }, f = { 3, 11 } },
      answer = function(d) return d.f / (4 * (d.r + 1)) end,
      tolerance = 0.02,
      replies = {
        { function(d) return d.f / (d.r + 1) end, en = "That is per float. How many bytes does a float have?", zh = "这是每个 float 的运算次数。一个 float 有几个字节？" },
        { function(d) return d.f / (4 * d.r) end, en = "Here there are only a few accesses, so the store counts.", zh = "这里访问次数少，那一次写不能忽略。" },
        { function(d) return 4 * (d.r + 1) / d.f end, en = "That is bytes per operation.", zh = "这是每次运算多少字节，反过来了。" },
      },
      because = { en = "{f} operations for {r} + 1 floats of 4 bytes: {f} / (4 * ({r} + 1)).", zh = "{r} + 1 个 float，每个 4 字节，做 {f} 次运算：{f} / (4 * ({r} + 1))。" },
    },
    ask {
      en = "A kernel adds up {n} numbers of {s} bytes each. How many operations per byte?",
      zh = "把 {n} 个数加起来，每个 {s} 字节。每字节多少次运算？",
      draw = { n = { 10000, 90000 }, s = { from = { 2, 4, 8 } } },
      answer = function(d) return 1 / d.s end,
      tolerance = 0.02,
      replies = {
        { function(d) return 2 / d.s end, en = "There is one addition for each number, and no multiplication.", zh = "每个数只做一次加法，没有乘法。" },
        { 1, en = "That is per number, not per byte.", zh = "这是每个数的运算次数，不是每字节的。" },
      },
      because = { en = "One addition for {s} bytes, however many numbers there are. So judge a sum by its bandwidth, never by FLOP/s.", zh = "每 {s} 字节一次加法，与有多少个数无关。所以评判求和要看带宽，而不是 FLOP/s。" },
    },
    ask {
      alone = true,
      en = "In each turn of the simple product of two matrices of {s}-byte numbers, a thread reads one element of A and one of B, multiplies and adds. How many operations per byte?",
      zh = "最简单的矩阵乘法，每个元素 {s} 字节：循环的每一步，线程读 A、B 的各一个元素，相乘再累加。每字节多少次运算？",
      draw = { s = { from = { 2, 4, 8 } } },
      answer = function(d) return 1 / d.s end,
      tolerance = 0.02,
      replies = {
        { function(d) return 1 / (2 * d.s) end, en = "Multiplication and addition are two operations.", zh = "乘和加是两次运算。" },
        { function(d) return 2 / d.s end, en = "The thread reads two numbers, one of A and one of B.", zh = "要读两个数：A 的一个，B 的一个。" },
      },
      because = { en = "2 / (2 * {s}). With floats it is 0.25.", zh = "2 / (2 * {s})。用 float 时是 0.25。" },
    },
    predict {
      en = "Now run such a kernel with floats and n = {n}. The one store per element is counted, too. How many operations per byte are measured?",
      zh = "现在运行这样一个核函数，float，n = {n}；每个元素的那一次写也计入。测得每字节多少次运算？",
      draw = { n = { from = { 64, 96, 128 } } },
      of = "kernels/products.cu",
      entry = "void plain" .. signature,
      args = product_args,
      case = function(d) return { n = d.n } end,
      counter = "flop_per_global_byte",
      tolerance = 0.03,
      because = { en = "2n / (8n + 4) with n = {n}. The store changes the result by about 1% or less, so you may leave it out.", zh = "2n / (8n + 4)，n = {n}。那一次写对结果的影响约为 1% 或更少，可以不计。" },
    },
    ask {
      en = "With shared-memory tiles of {t} x {t} floats, a block loads one tile of A and one of B in each phase. Then each of its threads does {t} multiply-adds. How many operations per byte?",
      zh = "改用 {t} x {t} 的 float tile 和共享内存：每个阶段，线程块读入 A、B 的各一个 tile，然后每个线程做 {t} 次乘加。每字节多少次运算？",
      draw = { t = { from = { 8, 16, 24, 32 } } },
      answer = function(d) return d.t / 4 end,
      tolerance = 0.01,
      replies = {
        { function(d) return d.t end, en = "That is for each float loaded.", zh = "这是每读入一个 float 的运算次数。" },
        { function(d) return d.t / 8 end, en = "A multiply-add is two operations.", zh = "一次乘加是两次运算。" },
        { function(d) return d.t / 2 end, en = "The block loads two tiles.", zh = "读入的是两个 tile。" },
        { 0.25, en = "That is the value without tiles. How often is an element used once it is in a tile?", zh = "这是没有 tile 时的值。元素进了 tile 以后用几次？" },
      },
      because = {
        en = "2 * {t}^3 operations for 2 * {t}^2 floats of 4 bytes: {t} / 4. Each element is loaded once and used {t} times, so a tile of width t gives exactly t times 0.25. Width 32 gives 8.",
        zh = "2 * {t}^3 次运算，2 * {t}^2 个 4 字节的 float：{t} / 4。每个元素读入一次、用 {t} 次，所以宽 t 的 tile 恰好是 0.25 的 t 倍；宽 32 时是 8。",
      },
    },
    predict {
      en = "Now run the kernel with 32 x 32 tiles and n = {n}. The store matters again: for each element of C there are 2 * {n} operations, {n} / 32 phases with two loads each, and one store. How many operations per byte are measured?",
      zh = "再运行 32 x 32 tile 的核函数，n = {n}。这回写不能忽略：C 的每个元素有 2 * {n} 次运算、{n} / 32 个阶段（每阶段读入两个数）和一次写。测得每字节多少次运算？",
      draw = { n = { from = { 64, 96, 128 } } },
      of = "kernels/products.cu",
      entry = "void tiled" .. signature,
      args = product_args,
      case = function(d) return { n = d.n } end,
      counter = "flop_per_global_byte",
      tolerance = 0.03,
      replies = {
        { 8, en = "That is without the store, and right for a large n. Here you have to add the 4 bytes of the store.", zh = "这是不计写的结果，n 很大时才对。这里要加上写的 4 字节。" },
      },
      because = { en = "2 * {n} / (4 * (2 * {n} / 32 + 1)). The larger n is, the closer the value comes to 8.", zh = "2 * {n} / (4 * (2 * {n} / 32 + 1))。n 越大越接近 8。" },
    },
    ask {
      en = "The tiles are {t} x {t} again, but each thread computes {c} elements of a row of C. A block loads a tile of A once for {c} tiles of B. How many operations per byte?",
      zh = "还是 {t} x {t} 的 tile，但每个线程算 C 的一行里的 {c} 个元素：A 的一个 tile 读入一次，供 B 的 {c} 个 tile 使用。每字节多少次运算？",
      draw = { t = { from = { 16, 32 } }, c = { from = { 2, 3, 4, 6 } } },
      answer = function(d) return d.t * d.c / (2 * (d.c + 1)) end,
      tolerance = 0.01,
      replies = {
        { function(d) return d.t / 4 * d.c end, en = "That would be right if the block also loaded B only once.", zh = "B 的 tile 也只读入一次时才是这样。" },
        { function(d) return d.t / 4 end, en = "That is the value for one element per thread.", zh = "这是每个线程算一个元素时的值。" },
      },
      because = {
        en = "{c} * 2 * {t}^3 operations for (1 + {c}) * {t}^2 floats. Four columns with 32 x 32 tiles: 262,144 / 20,480 = 12.8, 60% more than 8.",
        zh = "{c} * 2 * {t}^3 次运算，(1 + {c}) * {t}^2 个 float。32 x 32 的 tile、四列：262,144 / 20,480 = 12.8，比 8 多 60%。",
      },
    },
    ask {
      en = "Keep the tiles and let each thread compute more and more columns. What happens to the operations per byte?",
      zh = "tile 不变，让每个线程算的列越来越多，每字节的运算次数会怎样？",
      choices = {
        { en = "They come close to twice the value of one column, and no further.", zh = "趋近只算一列时的两倍，不会更多。", right = true, because = { en = "c columns give 2c / (c + 1) times the value of one. The loads of A become negligible, those of B remain.", zh = "c 列是一列的 2c / (c + 1) 倍。A 的读取摊薄到可以忽略，B 的读取一次也没少。" } },
        { en = "They grow in proportion to the columns.", zh = "与列数成正比地增长。", because = { en = "Each further column needs its own tile of B.", zh = "每多一列，就要多读入一个 B 的 tile。" } },
        { en = "They stay as with one column.", zh = "和只算一列时一样。", because = { en = "All columns share the tile of A, so each operation needs fewer loads.", zh = "A 的 tile 由所有列共用，所以平均到每次运算，读入的数少了。" } },
        { en = "They grow to as many operations as the shared memory has bytes.", zh = "一直增长到等于共享内存的字节数。", because = { en = "The size of the shared memory limits the tile, not this ratio.", zh = "共享内存的大小限制 tile，与这个比值没有直接关系。" } },
      },
    },
    ask {
      en = "Now reuse both matrices. A block computes {m} x {n} elements of C, from a strip of A {m} high and a strip of B {n} wide. In each step of k it loads {m} + {n} floats. How many operations per byte?",
      zh = "那就让 A 和 B 都得到复用。线程块计算 C 的 {m} x {n} 个元素，用 A 的一条（高 {m}）和 B 的一条（宽 {n}）。k 每走一步，读入 {m} + {n} 个 float。每字节多少次运算？",
      draw = { m = { from = { 32, 64, 128 } }, n = { from = { 48, 96, 192 } } },
      answer = function(d) return d.m * d.n / (2 * (d.m + d.n)) end,
      tolerance = 0.01,
      replies = {
        { function(d) return d.m * d.n / (4 * (d.m + d.n)) end, en = "A multiply-add is two operations.", zh = "一次乘加是两次运算。" },
        { function(d) return 2 * d.m * d.n / (d.m + d.n) end, en = "That is for each float.", zh = "这是每个 float 的运算次数。" },
      },
      because = {
        en = "2 * {m} * {n} / (4 * ({m} + {n})). This rule covers all cases: 1 x 1 gives 0.25, 32 x 32 gives 8, 32 x 128 gives 12.8. It is area over perimeter: large and square is best.",
        zh = "2 * {m} * {n} / (4 * ({m} + {n}))。这一条规则适用于所有情形：1 x 1 得 0.25，32 x 32 得 8，32 x 128 得 12.8。这相当于面积除以周长：又大又方最好。",
      },
    },
    ask {
      en = "Which of these raises the arithmetic intensity of the tiled matrix product?",
      zh = "下面哪一种做法能提高分块矩阵乘法的算术强度？",
      choices = {
        { en = "a larger tile of C per block", zh = "让每个线程块负责 C 的更大一块", right = true, because = { en = "Each loaded number is used more often.", zh = "读入的每个数用的次数更多。" } },
        { en = "loads of 16 bytes (`float4`)", zh = "一次读 16 字节（`float4`）", because = { en = "That saves instructions, but the bytes stay the same.", zh = "指令少了，字节没少。" } },
        { en = "a larger grid", zh = "更大的网格", because = { en = "More blocks do the same thing, so the ratio does not change.", zh = "更多线程块做同样的事，比值不变。" } },
        { en = "unrolling the inner loop", zh = "展开内层循环", because = { en = "That saves loop instructions. Operations on floats and bytes stay the same.", zh = "省的是循环指令，浮点运算和字节都没有变。" } },
      },
    },
    show {
      en = "The product with four columns per thread, n = 256. Note that the picture divides by the bytes of *device memory*. Both A and B fit in the L2, so each of their bytes is fetched once, and the dot stands far to the right of 12.8. It stays far below the roofline, since 16 blocks cannot fill the device.",
      zh = "每个线程算四列的矩阵乘法，n = 256。注意图里除以的是*显存*的字节：这里 A 和 B 都装得进 L2，每个字节只从显存取一次，所以点远在 12.8 的右边。它又远低于屋顶线，因为 16 个线程块填不满设备。",
      picture = "roofline",
      of = "kernels/products.cu",
      entry = "void coarse" .. signature,
      args = product_args,
      case = { n = 256 },
    },
  },
  after = {
    en = "The ratio depends on the algorithm and on the data you keep on the chip. No compiler flag changes it. The next lab, `roofline-by-hand`, shows how fast a device can be at a given ratio.",
    zh = "这个比值由算法和你留在芯片上的数据决定，编译选项改变不了它。下一个实验 `roofline-by-hand` 讲设备在给定的比值下最多能有多快。",
  },
  more = {
    en = "Count for your own product of `matmul-open`: the bytes and the operations of one step of k. What would tiles of half precision change?",
    zh = "数一数你自己在 `matmul-open` 里写的矩阵乘法：k 每走一步读入多少字节，做多少次运算？tile 换成半精度会有什么变化？",
  },
}
