-- Chapter 8: several arrays in one allocation, and rows that begin where they should.
local function round_up(n, to) return ceil_div(n, to) * to end

return lab {
  id = "sub-allocate",
  title = { en = "Several arrays in one allocation", zh = "一次分配，存放几个数组" },
  chapter = 8,
  minutes = 25,
  needs = { "alignment", "memory-api" },
  source = "guide 5.3.2",
  teaches = {
    ["natural-alignment"] = "say show",
    ["allocation-256"] = "say",
    ["vector-alignment"] = "say",
    ["sub-allocation"] = "say ask exercise",
    ["misaligned-fault"] = "ask traps",
    ["width-of-warps"] = "say predict",
    ["padded-rows"] = "say ask exercise after",
    ["allocation-cost"] = "say goals",
    ["access-sizes"] = "say",
    ["align-attribute"] = "say",
    ["offset-access"] = "show predict",
    ["vector-loads"] = "goals after",
    pitch = "after",
  },

  entry = "void tidy_up(const float *in, float *out, int rows, int cols)",
  args = {
    ["in"] = normal(0.5, 1, "rows * cols"),
    out = output("rows * cols", { ops = "cols + 32" }),
  },
  cases = {
    { rows = 32, cols = 128 },
    { rows = 1, cols = 1 },
    { rows = 37, cols = 101 },
    { rows = 256, cols = 1001, timed = true },
  },
  hidden = { count = 3, rows = { 1, 60 }, cols = { 1, 300 } },
  goals = {
    correct { points = 4 },
    at_most("allocations", 1) {
      points = 2,
      en = "One allocation is enough: the arrays are parts of it.",
      zh = "分配一次就够：几个数组都是它的一部分。",
    },
    at_least("releases", 1) { points = 1, en = "Free what you allocated.", zh = "分配的内存必须释放。" },
    at_most("global_loads", 0.55 * baseline) {
      points = 3,
      en = "`window` should load four samples by one 16-byte load. Then every row has to begin at a multiple of 16 bytes.",
      zh = "`window` 应当用一次 16 字节的读取得到四个样本，为此每一行都要从 16 字节的倍数开始。",
    },
  },

  steps = {
    say {
      en = [[
        Device memory moves in pieces of 32, 64 or 128 bytes. A piece begins at a multiple of its own size: it is *naturally aligned*. A thread
        accesses 1, 2, 4, 8 or 16 bytes, and the address must be a multiple of that size.

        Usually alignment takes care of itself. Every address that `cudaMalloc` returns is aligned to at least 256 bytes, and the built-in vector
        types of 2 or 4 components are aligned to their own size (at most 16 bytes). You can align a struct by `__align__(8)` or `__align__(16)`.

        But an allocation costs time. On an H200, 50 kernels took 5.0 ms with 4 MB allocated and freed around each, and 0.33 ms with one
        allocation for all. So programs allocate one large block and place their arrays in it. Then *they* have to align each part.
      ]],
      zh = [[
        设备内存以 32、64 或 128 字节为一块来传输，每一块从自身大小的整数倍处开始：这叫*自然对齐*。一个线程一次访问 1、2、4、8 或 16 字节，地址必须是这个大小的整数倍。

        平时不必操心对齐：`cudaMalloc` 返回的地址至少按 256 字节对齐，内置向量类型中，2 个或 4 个分量的按自身大小对齐（最多 16 字节），结构体可以用 `__align__(8)` 或 `__align__(16)` 指定。

        但是分配内存要花时间。在 H200 上，50 个核函数每个前后都分配、释放 4 MB，用了 5.0 毫秒；一共只分配一次，用了 0.33 毫秒。所以程序往往只分配一大块，自己在里面安排各个数组。这时，
        每个数组的对齐就要由*程序自己*负责。
      ]],
    },
    ask {
      alone = true,
      en = "One allocation holds {n} flags of one byte each, and after them an array of doubles. What is the first byte at which the array of doubles may begin?",
      zh = "一次分配里先放 {n} 个标志，每个 1 字节，后面放一个 double 数组。这个 double 数组最早可以从第几个字节（从 0 数）开始？",
      draw = { n = { 101, 999 } },
      answer = function(d) return round_up(d.n, 8) end,
      because = {
        en = "{n}, rounded up to a multiple of 8: `(n + 7) / 8 * 8` in whole numbers. Rounding to 256, as cudaMalloc does, also works, but gives a later byte.",
        zh = "{n} 向上取整到 8 的倍数，用整数运算写就是 `(n + 7) / 8 * 8`。像 cudaMalloc 那样取整到 256 也可以，但不是最早的位置。",
      },
    },
    ask {
      alone = true,
      en = "A kernel reads a `float4` at byte 6,308 of an allocation. 6308 = 16 * 394 + 4. What happens on today's GPUs?",
      zh = "核函数从一次分配的第 6,308 个字节处读一个 `float4`。6308 = 16 * 394 + 4。在今天的 GPU 上会怎样？",
      choices = {
        {
          en = "The read returns the float4 at 6,304, four bytes off",
          zh = "读到的是 6,304 处的 float4，错开了四个字节",
          because = { en = "The guide says so (wrong results, off by a few words), and that was true once. Today's devices report an error instead.", zh = "《CUDA 编程指南》是这样说的（结果不对，差几个字），从前也确实如此。今天的设备会报错。" },
        },
        {
          en = "It returns the right float4, only slower: the hardware reads twice",
          zh = "结果正确，只是慢一些：硬件会读两次",
          because = { en = "A CPU does that. A GPU does not.", zh = "CPU 会这样做，GPU 不会。" },
        },
        { en = "The kernel ends with the error \"misaligned address\"", zh = "核函数以错误 misaligned address 终止", right = true },
      },
    },
    say {
      en = [[
        In a two-dimensional array the same question arises for every row. Thread (tx, ty) reads the element at

            base + width * ty + tx

        The guide gives a rule: accesses coalesce fully only if the width of the *block* and the width of the *array* are both multiples of the
        warp size. The first condition keeps a warp in one row. The second lets every row begin where a piece of memory begins.

        If the data have another width, allocate wider rows and leave the rest unused. This is *padding*. The allocated width of a row is the
        *pitch*.
      ]],
      zh = [[
        二维数组的每一行都有同样的问题。线程 (tx, ty) 读的元素在

            base + width * ty + tx

        《CUDA 编程指南》给出一条规则：只有当*线程块*的宽度和*数组*的宽度都是线程束（warp）大小的整数倍时，访问才能完全合并。前一个条件使一个 warp 落在同一行里，
        后一个条件使每一行都从一个传输单位的边界开始。

        如果数据的宽度不合适，就把每行分配得宽一些，多出来的部分不用：这叫*填充*。分配时一行的宽度叫*间距*（pitch）。
      ]],
    },
    show {
      en = "An array is 1001 floats wide, so row 1 begins at byte 4004. A warp reads its first 32 elements:",
      zh = "一个数组每行 1001 个 float，第 1 行从第 4004 个字节开始。一个 warp 读这一行的前 32 个元素：",
      picture = "lanes",
      model = function(lane) return 4004 + 4 * lane end,
    },
    predict {
      en = [[
        Blocks of 32 x 8 threads copy 64 rows of 1001 floats. The rows follow each other without padding, so row r begins r * 4 bytes past a
        multiple of 32 (1001 * 4 = 125 * 32 + 4). How many sectors does a load request take on average?
      ]],
      zh = [[
        用 32 x 8 个线程的块拷贝 64 行，每行 1001 个 float，行与行之间没有填充。
        所以第 r 行的起点比 32 的某个倍数多 r * 4 字节（1001 * 4 = 125 * 32 + 4）。一个读请求平均要用到多少个扇区？
      ]],
      counter = "gld_sectors_per_request",
      of = "kernels/sub-allocate-rows.cu",
      case = { rows = 64, cols = 1001 },
      tolerance = 0.08,
      unit = "sectors/request",
      because = {
        en = "Five, with two exceptions: every eighth row begins at a multiple of 32, and at the end of a row only 9 lanes load. With padding it is four, except at the end of a row, and no sector is fetched for two warps.",
        zh = "一般是五个，有两种例外：每八行有一行恰好从 32 的倍数开始；行尾只有 9 个 lane 在读。加了填充以后，除行尾外都是四个，而且同一个扇区不会为两个 warp 各取一次。",
      },
    },
    ask {
      en = "Rows of {w} floats are padded so that each begins at a multiple of 128 bytes. How many floats is the pitch?",
      zh = "每行 {w} 个 float，加填充使每行都从 128 字节的倍数开始。间距是多少个 float？",
      draw = { w = { 100, 3000 } },
      answer = function(d) return round_up(d.w, 32) end,
      because = {
        en = "128 bytes are 32 floats: {w}, rounded up to a multiple of 32.",
        zh = "128 字节是 32 个 float：{w} 向上取整到 32 的倍数。",
      },
    },
    exercise {
      en = [[
        The skeleton has its three arrays in one allocation, one right after the other: flags, means, and the rows that `window` reads four
        samples at a time. Run it and read the report. Then place the arrays and the rows so that every access is aligned, for any number of rows
        and columns.
      ]],
      zh = [[
        骨架代码已经把三个数组放进了一次分配，一个紧挨着一个：标志、均值，还有 `window` 每次读四个样本的那些行。先运行一次，看看报告。然后重新安排各个数组和各行的位置，做到无论行数、列数是多少，
        每次访问都对齐。
      ]],
    },
    show { en = "Your accesses, line by line:", zh = "逐行看你的访问：", picture = "sectors", of = "mine" },
    compare {
      en = "Compared with three allocations and rows without padding:",
      zh = "与三次分配、行不加填充的版本对比：",
      counters = { "mallocs", "malloc_bytes", "gld_requests", "gld_sectors", "gst_sectors", "elapsed_us" },
      beside = "baseline",
    },
    ask {
      en = "On an H200 the device is busy for 15.1 us with the model answer, and for 15.2 us with the baseline. Where does one allocation in place of several pay?",
      zh = "在 H200 上，参考答案让设备忙 15.1 微秒，基线是 15.2 微秒。用一次分配代替几次，好处在哪里？",
      choices = {
        { en = "On the host: each allocation is a call", zh = "在主机上：每次分配都是一次调用", right = true, because = { en = "`cudaMalloc` and `cudaFree` keep the host busy, and `cudaFree` also waits for the device. `elapsed_us` shows this time; the device's time does not.", zh = "`cudaMalloc` 和 `cudaFree` 占用主机，`cudaFree` 还要等待设备。这段时间算在 `elapsed_us` 里，不算在设备时间里。" } },
        { en = "In the kernel: memory from one allocation is faster", zh = "在核函数里：同一次分配的内存更快", because = { en = "A kernel sees only addresses. There the alignment of the rows counts.", zh = "核函数只看到地址，对它来说重要的是各行是否对齐。" } },
        { en = "In the memory: one allocation takes fewer bytes", zh = "在内存里：一次分配占的字节更少", because = { en = "Inside the one allocation the parts are rounded up too.", zh = "在一次分配的内部，各段同样要向上取整。" } },
      },
    },
  },

  hints = {
    {
      goal = "correct",
      en = "The report names the line and the byte. Which array is it, and what comes before it in the allocation?",
      zh = "报告指出了行号和字节。那是哪个数组？在这次分配里，它前面是什么？",
    },
    {
      en = "Round up the end of the flags to a multiple of 8 (or 256), the end of the means to a multiple of 16 (or 256), and the pitch to a multiple of 4 floats (or 32). The allocation has to be large enough for all of it.",
      zh = "向上取整：标志的末尾取到 8（或 256）的倍数，均值的末尾取到 16（或 256）的倍数，间距取到 4（或 32）个 float 的倍数。分配的字节数也要够放下全部内容。",
    },
    {
      en = [[
            int pitch = (cols + 31) / 32 * 32;
            size_t mean_at = (rows + 255) / 256 * 256;
            size_t mean_bytes = rows * sizeof(double);
            size_t tidy_at = mean_at + (mean_bytes + 255) / 256 * 256;

        The allocation is `tidy_at + sizeof(float) * rows * pitch` bytes, as before.
      ]],
      zh = [[
            int pitch = (cols + 31) / 32 * 32;
            size_t mean_at = (rows + 255) / 256 * 256;
            size_t mean_bytes = rows * sizeof(double);
            size_t tidy_at = mean_at + (mean_bytes + 255) / 256 * 256;

        分配的字节数仍是 `tidy_at + sizeof(float) * rows * pitch`。
      ]],
    },
  },

  after = {
    en = [[
      The padding costs 23 floats for each row of 1001. In return every row allows 16-byte loads: a quarter of the requests. The last load of a
      row also reads some of the padding, and the kernel ignores these values.

      The results are still stored one float at a time, with neighbouring lanes four floats apart, because the rows of `out` have no padding.
      Look at `gst_sectors`. The layout of the data decides how a kernel can access it.

      `cudaMallocPitch` allocates padded rows and returns the pitch that suits the device. `cudaMemcpy2D` copies between different pitches. On
      today's devices even a block 8 floats wide uses full sectors, if the rows begin at multiples of 32 bytes. Rounding to the width of a warp
      is safe on all devices.
    ]],
    zh = [[
      每行 1001 个 float 只多花 23 个作填充，换来的是每一行都能用 16 字节的读取：请求数降到四分之一。每行最后一次读取会读到填充部分，核函数不使用这些值。

      结果却仍是一次写一个 float，相邻 lane 相隔四个，因为 `out` 的行没有填充：看看 `gst_sectors`。核函数能怎样访问，取决于数据的布局。

      `cudaMallocPitch` 会分配带填充的行，并返回适合设备的间距；`cudaMemcpy2D` 负责在不同间距之间拷贝。在今天的设备上，
      只要每行从 32 字节的倍数开始，8 个 float 宽的块也能用满扇区；而按 warp 的宽度取整，对所有设备都稳妥。
    ]],
  },
  more = {
    en = [[
      Change the order of the arrays: rows first, then means, then flags. How much rounding is left? Then allocate with `cudaMallocAsync`
      instead; its pool keeps the memory that was freed. Compare `elapsed_us`.
    ]],
    zh = [[
      调换各个数组的次序：先放行，再放均值，最后放标志。还需要多少取整？然后改用 `cudaMallocAsync` 分配，它的内存池会留住释放的内存：比较 `elapsed_us`。
    ]],
  },
}
