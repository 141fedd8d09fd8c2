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
  -- A grid has at most 65,535 blocks down, and each takes 8 rows.
  hidden = { count = 3, rows = { 1, 300, most = 65535 * 8 }, cols = { 1, 1200, most = 1 << 20 } },
  goals = {
    correct { points = 4 },
    at_most("allocations", 1) {
      points = 2,
      en = "Make only one allocation, and place all three arrays in it.",
      zh = "只分配一次，三个数组都放在这次分配里。",
    },
    at_least("released_pct", 100) {
      points = 2,
      en = [[
        Free what you allocated, and put all three arrays into this memory. An array that is
        a `__device__` variable is never freed, and its size is fixed.
      ]],
      zh = [[
        分配的内存必须释放，而且三个数组都要放在这块内存里。
        如果把数组定义成程序的全局变量（`__device__`），数组就不会被释放，大小也固定不变。
      ]],
    },
    at_most("global_loads", 0.55 * baseline) {
      points = 2,
      en = [[
        `window` should get four samples with one load of 16 bytes. For this, every row of `tidy`
        must begin at a multiple of 16 bytes.
      ]],
      zh = [[
        `window` 应当用一次 16 字节的读取得到四个样本，为此 `tidy` 的每一行都要从 16 字节的倍数开
        始。
      ]],
    },
  },

  steps = {
    say {
      en = [[
        This lab cleans up measurements. Its kernels drop bad rows and shift the remaining rows
        to mean 0. Then, for each row, they add up the 16 rows that begin with this row (a
        window). They keep their intermediate results in three arrays. The skeleton places all
        three in one allocation, but then some accesses are misaligned. You will find the right
        place for each array.

        The device moves memory in pieces of 32, 64 or 128 bytes. Each piece is *naturally aligned*:
        it begins at a multiple of its own size. One access of a thread has 1, 2, 4, 8 or 16 bytes
        (32 on the newest devices), and its address must be a multiple of this size, too.

        Usually you need not think about alignment. `cudaMalloc` returns addresses that are aligned
        to at least 256 bytes. The built-in vector types of 2 or 4 components are aligned to their
        own size, up to 16 bytes. You can align a struct with `__align__(8)` or `__align__(16)`.

        But an allocation costs time. In a test on an H200, 50 kernels took 5.0 ms if the
        program allocated and freed 4 MB around each of them. With one allocation for all, they
        took 0.33 ms. Therefore many programs make one large allocation and place several arrays
        in it. Such a program must align each array *itself*.
      ]],
      zh = [[
        本实验整理测量数据：核函数去掉不能用的行，把其余各行平移到均值 0，再对每一行，把从这一行起的连续 16 行加起来。中间结果要用三个数组。骨架代码把三个数组放在一次分配里，但这样有些访问没有对齐。你要为每个数组
        找到正确的位置。

        设备以 32、64 或 128 字节为一块来搬运内存，每一块都从自身大小的整数倍处开始，这叫*自然对
        齐*。一个线程一次访问 1、2、4、8 或 16 字节（最新的设备上还可以是 32 字节），地址也必须是这
        个大小的整数倍。

        平时不必考虑对齐。`cudaMalloc` 返回的地址至少按 256 字节对齐。内置向量类型中，
        2 个或 4 个分量的按自身大小对齐，最多 16 字节。结构体可以用 `__align__(8)` 或
        `__align__(16)` 指定对齐。

        但是分配内存要花时间。在 H200 上做过一个测试：50 个核函数依次运行，如果每个核函数运
        行前都分配 4 MB、运行后再释放，要 5.0 毫秒；如果一共只分配一次，要 0.33 毫秒。所以许多程序只分配一大块，
        在里面安排几个数组。这样的程序要*自己*负责每个数组的对齐。
      ]],
    },
    ask {
      alone = true,
      en = [[
        An allocation begins with {n} flags of one byte each. An array of doubles comes after them.
        What is the smallest byte number at which the array of doubles may begin? (Bytes count from
        0.)
      ]],
      zh = [[
        一次分配里先放 {n} 个标志，每个 1 字节，后面放一个 double 数组。
        这个 double 数组最早可以从第几个字节开始？（字节从 0 数起。）
      ]],
      draw = { n = { 101, 999 } },
      answer = function(d) return round_up(d.n, 8) end,
      because = {
        en = [[
          A double has 8 bytes, so round {n} up to a multiple of 8. In integer arithmetic, write
          `(n + 7) / 8 * 8`. A multiple of 256 would work, too, but it is not the smallest.
        ]],
        zh = [[
          一个 double 占 8 字节，所以把 {n} 向上取整到 8 的倍数，用整数运算写成 `(n + 7) / 8 * 8`。
          取整到 256 的倍数也能用，但不是最早的位置。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        A kernel reads a `float4` at byte 6,308 of an allocation. This is not a multiple of 16: 6308
        = 16 * 394 + 4. What happens on a GPU of today?
      ]],
      zh = [[
        核函数从一次分配的第 6,308 个字节处读一个 `float4`。这不是 16 的倍数：6308 = 16 * 394 + 4。
        在今天的 GPU 上会怎样？
      ]],
      choices = {
        {
          en = "The read returns the float4 at byte 6,304, four bytes off",
          zh = "读到的是第 6,304 个字节处的 float4，错开了四个字节",
          because = {
            en = [[
              The CUDA guide says that such a read gives wrong results, off by a few words. This was
              true on old devices. Devices of today report an error.
            ]],
            zh = [[
              《CUDA 编程指南》说，这样读到的结果不对，会差几个字。从前的设备确实如此，
              今天的设备会报错。
            ]],
          },
        },
        {
          en = "The read returns the right float4, but takes longer: the hardware reads twice",
          zh = "结果正确，只是慢一些：硬件会读两次",
          because = {
            en = "A CPU reads twice in such a case, but a GPU does not.",
            zh = "CPU 遇到这种情况会读两次，GPU 不会。",
          },
        },
        {
          en = "The kernel ends with the error \"misaligned address\"",
          zh = "核函数以错误 misaligned address 终止",
          right = true,
        },
      },
    },
    say {
      en = [[
        In a two-dimensional array, the same question comes up for each row: where does the row
        begin? Thread (tx, ty) reads the element at

            base + width * ty + tx

        The CUDA guide gives a rule: an access is fully coalesced only if the width of the *block*
        and the width of the *array* are both multiples of the warp size. If the block has such a
        width, each warp stays in one row. If the array has such a width, every row begins where a
        piece of memory begins.

        If the data has another width, allocate longer rows and leave their ends unused. This is
        *padding*. The *pitch* is the allocated width of a row.
      ]],
      zh = [[
        二维数组的每一行都有同样的问题：这一行从哪里开始？线程 (tx, ty) 读的元素在

            base + width * ty + tx

        《CUDA 编程指南》给出一条规则：只有当*线程块*的宽度和*数组*的宽度都是线程束（warp）
        大小的整数倍时，访问才能完全合并。线程块的宽度合适，每个 warp 就落在同一行里。
        数组的宽度合适，每一行就从一块内存的起点开始。

        如果数据的宽度不合适，就把每行分配得长一些，末尾不用的部分叫*填充*。
        分配的行宽叫*间距*（pitch）。
      ]],
    },
    show {
      en = [[
        The rows of an array have 1001 floats, so row 1 begins at byte 4004. This is how a warp
        reads the first 32 elements of row 1:
      ]],
      zh = [[
        一个数组每行 1001 个 float，所以第 1 行（行号从 0 数起）从第 4004 个字节开始。一个 warp 读第 1 行的前 32 个元素：
      ]],
      picture = "lanes",
      model = function(lane) return 4004 + 4 * lane end,
    },
    predict {
      en = [[
        Blocks of 32 x 8 threads copy 64 rows of 1001 floats. The rows have no padding. 1001 * 4 =
        125 * 32 + 4, so row r begins r * 4 bytes after a multiple of 32. How many sectors does a
        load request take on average?
      ]],
      zh = [[
        用 32 x 8 个线程的块拷贝 64 行，每行 1001 个 float，行与行之间没有填充。
        因为 1001 * 4 = 125 * 32 + 4，第 r 行的起点比 32 的某个倍数多 r * 4 字节。
        一个读请求平均要用到多少个扇区？
      ]],
      counter = "gld_sectors_per_request",
      of = "kernels/sub-allocate-rows.cu",
      case = { rows = 64, cols = 1001 },
      tolerance = 0.08,
      unit = "sectors/request",
      because = {
        en = [[
          Most requests take five sectors. There are two exceptions: every eighth row begins at a
          multiple of 32, and at the end of a row only 9 lanes load. With padding, a request takes
          four sectors, except at the end of a row. And with padding, no two warps need the same
          sector.
        ]],
        zh = [[
          大多数请求要五个扇区。有两种例外：每八行有一行从 32 的倍数开始；行尾只有 9 个 lane 在读。
          加了填充以后，除行尾外，每个请求都是四个扇区，而且不会有两个 warp 要同一个扇区。
        ]],
      },
    },
    ask {
      en = [[
        The rows of an array have {w} floats. They are padded so that each row begins at a
        multiple of 128 bytes. What is the smallest possible pitch, in floats?
      ]],
      zh = [[
        一个数组每行 {w} 个 float，加填充使每行都从 128 字节的倍数开始。间距至少是多少个 float？
      ]],
      draw = { w = { 100, 3000 } },
      answer = function(d) return round_up(d.w, 32) end,
      because = {
        en = "128 bytes are 32 floats, so round {w} up to a multiple of 32.",
        zh = "128 字节是 32 个 float，所以把 {w} 向上取整到 32 的倍数。",
      },
    },
    exercise {
      en = [[
        The skeleton puts its three arrays into one allocation, without any gaps. The flags come
        first, then the means, then the rows of `tidy`. The kernel `window` reads these rows four
        samples at a time. Run the skeleton and read the report. Then choose the places of the
        arrays and of the rows. Every access must be aligned, for any number of rows and columns.
      ]],
      zh = [[
        骨架代码把三个数组放进了一次分配，一个紧挨着一个：先是标志，再是均值，最后是 `tidy` 的各行，
        核函数 `window` 每次从这些行里读四个样本。先运行骨架代码，看看报告。
        然后重新安排各个数组和各行的位置：无论行数、列数是多少，每次访问都要对齐。
      ]],
    },
    show {
      en = "The sectors that each line of your program reads and writes:",
      zh = "你的程序每一行代码读写了多少个扇区：",
      picture = "sectors",
      of = "mine",
    },
    compare {
      en = [[
        Your program beside the baseline. (The baseline makes three allocations, and its rows have
        no padding.)
      ]],
      zh = "你的程序与基线的对比（基线分配三次，各行不加填充）：",
      counters = {
        "mallocs", "malloc_bytes", "gld_requests", "gld_sectors", "gst_sectors", "elapsed_us",
      },
      beside = "baseline",
    },
    ask {
      en = [[
        On an H200, the device is busy for 15.1 us with the model answer and for 15.2 us with the
        baseline. Where does it pay to make one allocation instead of several?
      ]],
      zh = [[
        在 H200 上，参考答案让设备忙 15.1 微秒，基线让设备忙 15.2 微秒。用一次分配代替几次，
        好处在哪里？
      ]],
      choices = {
        {
          en = "On the host: each allocation is a call",
          zh = "在主机上：每次分配都是一次调用",
          right = true,
          because = {
            en = [[
              `cudaMalloc` and `cudaFree` take time on the host, and `cudaFree` also waits for the
              device. The counter `elapsed_us` contains this time. The busy time of the device does
              not contain it.
            ]],
            zh = [[
              `cudaMalloc` 和 `cudaFree` 要花主机的时间，`cudaFree` 还要等待设备。
              这段时间算在计数器 `elapsed_us` 里，不算在设备忙碌的时间里。
            ]],
          },
        },
        {
          en = "In the kernel: memory from one allocation is faster",
          zh = "在核函数里：同一次分配的内存更快",
          because = {
            en = [[
              A kernel gets only addresses. How fast it reads the rows depends on their alignment,
              not on the number of allocations.
            ]],
            zh = "核函数只看到地址。读各行有多快，取决于各行是否对齐，与分配的次数无关。",
          },
        },
        {
          en = "In the memory: one allocation takes fewer bytes",
          zh = "在内存里：一次分配占的字节更少",
          because = {
            en = "Inside the single allocation, you must round up the size of each part, too.",
            zh = "在这一次分配的内部，各个部分的大小同样要向上取整。",
          },
        },
      },
    },
  },

  hints = {
    {
      goal = "correct",
      en = [[
        The report names the line and the byte. Which array is accessed there? Which array comes
        before it in the allocation?
      ]],
      zh = [[
        报告指出了行号和字节。那一行访问的是哪个数组？在这次分配里，排在这个数组前面的是哪个数组？
      ]],
    },
    {
      en = [[
        Round up three numbers: the end of the flags to a multiple of 8 (or 256) bytes, the end of
        the means to a multiple of 16 (or 256) bytes, and the pitch to a multiple of 4 (or 32)
        floats. The allocation must be large enough for everything.
      ]],
      zh = [[
        三个数要向上取整：标志的末尾取到 8（或 256）字节的倍数，均值的末尾取到 16（或 256）字节的倍
        数，间距取到 4（或 32）个 float 的倍数。分配的字节数要放得下全部内容。
      ]],
    },
    {
      en = [[
            int pitch = (cols + 31) / 32 * 32;
            size_t mean_at = (rows + 255) / 256 * 256;
            size_t mean_bytes = rows * sizeof(double);
            size_t tidy_at = mean_at + (mean_bytes + 255) / 256 * 256;

        The line with `cudaMalloc` can stay as it is. It allocates
        `tidy_at + sizeof(float) * rows * pitch` bytes.
      ]],
      zh = [[
            int pitch = (cols + 31) / 32 * 32;
            size_t mean_at = (rows + 255) / 256 * 256;
            size_t mean_bytes = rows * sizeof(double);
            size_t tidy_at = mean_at + (mean_bytes + 255) / 256 * 256;

        `cudaMalloc` 那一行不用改，分配的字节数仍是 `tidy_at + sizeof(float) * rows * pitch`。
      ]],
    },
  },

  after = {
    en = [[
      For rows of 1001 floats, the padding costs 23 floats per row. In return, `window` can use
      loads of 16 bytes in every row. It then makes only a quarter of the requests. The last load of
      a row also reads some of the padding, and the kernel does not use these values.

      The kernel still stores its results one float at a time, because the rows of `out` have no
      padding. Each lane computes four columns, so neighbouring lanes write floats that are four
      apart. Look at `gst_sectors`. The layout of the data decides how a kernel can access the data.

      `cudaMallocPitch` allocates padded rows and returns a pitch that suits the device.
      `cudaMemcpy2D` copies between arrays of different pitch. On devices of today, even a block
      that is 8 threads wide uses whole sectors, if the rows begin at multiples of 32 bytes. A pitch
      that is a multiple of the warp size is right for all devices.
    ]],
    zh = [[
      每行 1001 个 float 时，填充只多占 23 个 float，换来的是 `window` 在每一行都能用 16 字节的读
      取，请求数降到四分之一。每行的最后一次读取会读到填充部分，核函数不使用这些值。

      核函数写结果时仍是一次写一个 float，因为 `out` 的行没有填充。每个 lane 算四列，所以相邻 lane
      写的元素相隔四个。看看 `gst_sectors`。可见，数据的布局决定核函数能怎样访问数据。

      `cudaMallocPitch` 分配带填充的行，并返回适合设备的间距；`cudaMemcpy2D` 在间距不同的数组之间拷
      贝。在今天的设备上，只要每行从 32 字节的倍数开始，宽 8 个线程的块也能用满扇区。
      间距取 warp 大小的倍数，对所有设备都合适。
    ]],
  },
  more = {
    en = [[
      Change the order of the arrays: first the rows, then the means, then the flags. How many times
      must you still round up?

      Then allocate with `cudaMallocAsync` instead. Its pool keeps freed memory for later
      allocations. Compare `elapsed_us`.
    ]],
    zh = [[
      调换各个数组的次序：先放各行，再放均值，最后放标志。还需要取整几次？

      然后改用 `cudaMallocAsync` 分配。这个函数从内存池分配，内存池把释放的内存留给以后的分配。比较
      `elapsed_us`。
    ]],
  },
}
