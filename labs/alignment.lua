-- Chapter 3: alignment and vector accesses.
return lab {
  id = "alignment",
  title = { en = "Aligned and wide", zh = "对齐与向量化访问" },
  chapter = 3,
  minutes = 20,
  needs = { "coalescing" },
  source = "guide 5.3.2",
  teaches = {
    ["access-sizes"] = "say",
    ["misaligned-fault"] = "say ask more",
    ["align-attribute"] = "ask exercise",
    ["offset-access"] = "ask",
    pitch = "ask",
    ["vector-loads"] = "exercise after",
  },

  entry = "void advance(const float *in, float *out, float dt, int n)",
  args = {
    ["in"] = uniform(-10, 10, "4 * n"),
    out = output("4 * n", { ops = 2 }),
    dt = scalar("dt"),
  },
  cases = {
    { n = 256, dt = 0.5 },
    { n = 1, dt = 0.25 },
    { n = 1003, dt = 2 },
    { n = 1 << 18, dt = 0.5, timed = true },
  },
  hidden = { count = 3, n = { 2, 5000 }, dt = { from = { -2.7, 0.1, 300 } } },
  goals = {
    correct { points = 4 },
    at_most("global_loads", 0.35 * baseline) {
      points = 3,
      en = [[
        The kernel should load a particle with one instruction. What does the compiler know about
        the address of a `struct { float x, y, vx, vy; }`?
      ]],
      zh = [[
        读一个粒子应当只用一条指令。对 `struct { float x, y, vx, vy; }` 的地址，编译器知道些什么？
      ]],
    },
    at_most("global_stores", 0.35 * baseline) {
      points = 3,
      en = "The kernel should store a particle with one instruction.",
      zh = "写一个粒子应当只用一条指令。",
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel moves n particles. A particle is a struct of four floats: its position (x,
        y) and its velocity (vx, vy). In each time step dt, the kernel adds vx * dt to x and vy * dt
        to y. You will find out when a thread can load a whole struct with one instruction. Then you
        make the kernel do so.

        A thread can load or store 1, 2, 4, 8 or 16 bytes with one instruction. The address must be
        *aligned*: it must be a multiple of the size of the access. At any other address the kernel
        faults with "misaligned address", and every later CUDA call fails. (Some texts say that the
        kernel reads wrong data. It does not.)

        A load or store of 8 or 16 bytes is called a *vector access*. The compiler uses a vector
        access for a struct only if it knows that the address is aligned to 8 or 16 bytes. For a
        struct of four floats, the compiler knows only that the address is a multiple of 4.
      ]],
      zh = [[
        本实验的核函数移动 n 个粒子。一个粒子是四个 float 的结构体：位置 (x, y) 和速度 (vx, vy)。
        每过一个时间步 dt，x 加上 vx * dt，y 加上 vy * dt。你会学到：线程在什么条件下能用一条指令读
        入整个结构体。然后你要让核函数做到这一点。

        线程用一条指令可以读写 1、2、4、8 或 16 字节，但地址必须*对齐*：必须是读写的字节数的整数倍。
        地址没有对齐时，核函数会因“misaligned address”（地址未对齐）的故障而终止，
        此后的每个 CUDA 调用都会失败。（有的资料说核函数会读到错误的数据，其实不会。）

        一次读写 8 或 16 字节叫*向量化访问*。对于结构体，编译器只有知道地址按 8 或 16 字节对齐时，
        才会使用向量化访问。而对于四个 float 的结构体，编译器只知道地址是 4 的倍数。
      ]],
    },
    ask {
      alone = true,
      en = [[
        `const float *x` comes from `cudaMalloc`. What does a kernel do at
        `float4 v = *(const float4 *)(x + 1);`?
      ]],
      zh = [[
        `const float *x` 来自 `cudaMalloc`。核函数执行 `float4 v = *(const float4 *)(x + 1);` 会怎
        样？
      ]],
      choices = {
        { en = "It reads x[1] to x[4] in two accesses", zh = "分两次访问，读到 x[1] 到 x[4]" },
        {
          en = "It reads x[0] to x[3], because the hardware rounds the address down",
          zh = "读到 x[0] 到 x[3]，因为硬件把地址向下取整",
        },
        { en = "It reads x[1] to x[4], but more slowly", zh = "读到 x[1] 到 x[4]，只是慢一些" },
        { en = "It ends with an error", zh = "出错终止", right = true },
      },
      because = {
        en = [[
          Because `x` comes from `cudaMalloc`, the address in `x` is a multiple of 256. The address
          `x + 1` is 4 bytes further on, so it is not a multiple of 16. But the address of a
          `float4` must be a multiple of 16. The compiler believes the cast, but the hardware checks
          the address.
        ]],
        zh = [[
          `cudaMalloc` 给出的地址是 256 的倍数，所以 `x` 里的地址是 256 的倍数。地址 `x + 1` 再往
          后 4 字节，不是 16 的倍数。而 `float4` 的地址必须是 16 的倍数。编译器相信类型转换，硬件却
          会检查地址。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        A `struct` of {f} floats is marked `__align__(16)`: it always begins at a multiple of 16
        bytes. What is the size of the struct in bytes?
      ]],
      zh = [[
        一个有 {f} 个 float 的 `struct` 加上了 `__align__(16)`，它总是从 16 字节的倍数处开始。这个结
        构体的大小是多少字节？
      ]],
      draw = { f = { from = { 3, 4, 5, 6, 7, 9 } } },
      answer = function(d) return 16 * ceil_div(d.f, 4) end,
      replies = {
        {
          function(d) return 4 * d.f end,
          en = [[
            This is the size of the floats only. But in an array, the next struct must begin at a
            multiple of 16, too.
          ]],
          zh = "这只是各个 float 的大小。数组里的下一个结构体也要从 16 字节的倍数处开始。",
        },
      },
      because = {
        en = [[
          The floats have {f} * 4 bytes. The compiler pads the struct to a multiple of 16 bytes, so
          that the next struct in an array is aligned, too. A thread then needs only one access for
          a struct of three floats, but a quarter of the memory is padding: 4 of 16 bytes.
        ]],
        zh = [[
          各个 float 共 {f} * 4 字节。编译器把结构体填充到 16 字节的倍数，这样数组里的下一个结构体也
          是对齐的。如果结构体有三个 float，线程一次就能读写一个结构体，但四分之一的内存是填充：
          16 字节中有 4 字节。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        The 32 lanes of a warp read 32 neighbouring floats. The first float lies {o} bytes behind
        the start of a cache line of 128 bytes. How many sectors of 32 bytes does this request
        touch?
      ]],
      zh = [[
        一个线程束（warp）的 32 个 lane 读 32 个相邻的 float，第一个 float 在一条 128 字节缓存行的起
        点之后 {o} 字节处。这个请求触及多少个 32 字节的扇区？
      ]],
      draw = { o = { from = { 4, 20, 32, 64, 96, 124 } } },
      answer = function(d) return d.o % 32 == 0 and 4 or 5 end,
      because = {
        en = [[
          A cache line starts at a multiple of 32 bytes. The 128 bytes lie in 4 sectors if {o} is a
          multiple of 32, and in 5 otherwise. On an H200, the extra sector makes a kernel 4% slower:
          reading 2^26 floats takes 216 us instead of 208 us (measured with cold caches). The cost
          is small because a neighbouring warp needs this sector, too, and finds it in the cache.
        ]],
        zh = [[
          缓存行从 32 字节的倍数处开始。{o} 是 32 的倍数时，这 128 字节占 4 个扇区，否则占 5 个。
          在 H200 上，多读一个扇区只让核函数慢 4%：读 2^26 个 float 的用时从 208 微秒变成 216 微秒
          （冷缓存实测）。代价很小，是因为相邻的 warp 也需要这个扇区，会在缓存里找到。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        The rows of a picture are {w} floats wide. `cudaMallocPitch` allocates memory for a picture
        and aligns its rows: on an H200, each row starts at a multiple of 512 bytes. How many bytes
        does a row take, with its padding?
      ]],
      zh = [[
        图像每行 {w} 个 float。`cudaMallocPitch` 为图像分配内存，并让各行对齐：在 H200 上，
        每行都从 512 字节的倍数处开始。连同填充，一行占多少字节？
      ]],
      draw = { w = { 100, 1000 } },
      answer = function(d) return ceil_div(d.w * 4, 512) * 512 end,
      replies = {
        {
          function(d) return d.w * 4 end,
          en = "This is the size of a row without padding.",
          zh = "这是没有填充的一行的大小。",
        },
      },
      because = {
        en = [[
          The pixels of a row take {w} * 4 bytes. Rounded up to a multiple of 512, this is the
          *pitch*: the number of bytes from the start of one row to the start of the next.
        ]],
        zh = [[
          一行的像素占 {w} * 4 字节，向上取整到 512 的倍数，就是*间距*（pitch）：
          从一行的起点到下一行的起点的字节数。
        ]],
      },
    },
    predict {
      en = [[
        The baseline loads a particle in four accesses, one for each float. In each access, the
        addresses of neighbouring lanes are 16 bytes apart. How many sectors does one load request
        touch?
      ]],
      zh = [[
        基线分四次读一个粒子，每次读一个 float。每次读取时，相邻 lane 的地址相隔 16 字节。
        一个读取请求触及多少个扇区？
      ]],
      counter = "gld_sectors_per_request",
      of = "baseline",
      tolerance = 0.02,
      because = {
        en = [[
          32 lanes * 16 bytes = 512 bytes = 16 sectors. Each of the four requests touches all 16
          sectors. If each lane loads 16 bytes at once, a single request is enough, and it touches
          the 16 sectors only once.
        ]],
        zh = [[
          32 个 lane * 16 字节 = 512 字节 = 16 个扇区。四个请求中的每一个都触及全部 16 个扇区。如果
          每个 lane 一次读 16 字节，一个请求就够了，这 16 个扇区也只触及一次。
        ]],
      },
    },
    show {
      en = "The requests of the baseline, line by line:",
      zh = "逐行看基线的请求：",
      picture = "sectors",
      of = "baseline",
    },
    exercise {
      en = "Make the compiler use one 16-byte load and one 16-byte store per particle.",
      zh = "让编译器对每个粒子只用一条 16 字节的读取指令和一条 16 字节的写入指令。",
    },
    show {
      en = "The requests of your kernel, line by line:",
      zh = "逐行看你的核函数的请求：",
      picture = "sectors",
      of = "mine",
    },
    compare {
      en = [[
        Your kernel makes fewer requests than the baseline, and it requests each sector only once.
      ]],
      zh = "你的核函数的请求比基线少，每个扇区只请求一次。",
      counters = { "gld_requests", "gld_sectors", "gld_efficiency_pct", "gst_requests", "warp_inst" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        The compiler uses a 16-byte access only if it knows the alignment. You know the alignment of
        the particles, and the compiler does not. How can you tell the compiler?
      ]],
      zh = [[
        编译器只有知道对齐方式，才会使用 16 字节的访问。粒子怎样对齐，你知道，编译器不知道。
        怎样告诉编译器？
      ]],
    },
    {
      en = [[
        Put `__align__(16)` into the declaration of the struct. Or use the type `float4`, which is
        always aligned to 16 bytes.
      ]],
      zh = "在结构体的声明里加上 `__align__(16)`；或者改用 `float4`，这个类型总是按 16 字节对齐。",
    },
    {
      en = [[
        `struct __align__(16) particle { float x, y, vx, vy; };` With `__align__(16)`, you promise
        this alignment to the compiler. The promise is true: memory from `cudaMalloc` starts at a
        multiple of 256 bytes, and each particle has 16 bytes.
      ]],
      zh = [[
        `struct __align__(16) particle { float x, y, vx, vy; };`。`__align__(16)` 是你对编译器作出的
        承诺。这个承诺是成立的：`cudaMalloc` 给出的内存从 256 字节的倍数处开始，而每个粒子是 16 字
        节。
      ]],
    },
  },

  after = {
    en = [[
      One word in a declaration reduces the requests to a quarter. But at the size of this lab, the
      kernel does not become faster on an H200: it takes 4.9 us with and without this word (measured
      with cold caches). There are two reasons. The memory is not busy. And even without the word,
      the L1, the cache of a multiprocessor, keeps the sectors of a particle until the last of the
      four accesses.

      Wide accesses help if a kernel mainly waits for memory. An H200 adds two vectors of 2^26
      elements in 243 us with `float`, and in 188 us with `float4`. Both kernels move the same
      number of bytes. But with `float4`, each thread asks for 16 bytes at a time instead of 4, so
      the memory works on more bytes at the same time. On a G80, a GPU of 2006, the four accesses of
      a particle would not coalesce at all.
    ]],
    zh = [[
      声明里加一个词，请求数就降到四分之一。但按本实验的规模，核函数在 H200 上没有变快：加不加这个词
      都是 4.9 微秒（冷缓存实测）。原因有两个。第一，内存并不忙。第二，即使不加这个词，在四次访问之
      间，L1（多处理器自己的缓存）也一直留着粒子所在的扇区。

      核函数主要在等内存时，更宽的访问才有收益。在 H200 上把两个 2^26 个元素的向量相加，
      用 `float` 要 243 微秒，用 `float4` 只要 188 微秒。两者搬运的字节数相同，但用 `float4` 时每个
      线程一次要 16 字节，而不是 4 字节，内存就能同时处理更多字节。而在 2006 年的 G80 上，读一个粒子
      的四次访问根本不能合并。
    ]],
  },
  more = {
    en = [[
      Pass `in + 1` instead of `in` to your kernel, and read Warplab's report. Then think about a
      file format whose records have 17 bytes each: how would you read such records?
    ]],
    zh = [[
      把 `in + 1` 而不是 `in` 传给你的核函数，看看 Warplab 的报告。再想一想：
      如果一种文件格式的每条记录是 17 字节，该怎样读取这些记录？
    ]],
  },
}
