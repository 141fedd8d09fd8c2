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
    dt = scalar("0.5"),
  },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 1 << 18, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 4 },
    at_most("global_loads", 0.35 * baseline) {
      points = 3,
      en = "A particle should take one load instruction. What does the compiler know about the address of a `struct { float x, y, vx, vy; }`?",
      zh = "读一个粒子应当只用一条指令。对 `struct { float x, y, vx, vy; }` 的地址，编译器知道些什么？",
    },
    at_most("global_stores", 0.35 * baseline) {
      points = 3,
      en = "A particle should take one store instruction.",
      zh = "写一个粒子应当只用一条指令。",
    },
  },

  steps = {
    say {
      en = [[
        A thread can load or store 1, 2, 4, 8 or 16 bytes with one instruction, and only at an address that is a multiple of that size. At any other
        address the kernel faults with "misaligned address", and every later CUDA call fails. (Some texts say that the kernel reads wrong
        data. It does not.)

        The compiler uses a *vector access* of 8 or 16 bytes for a struct only if it knows the alignment. A struct of four floats is only known to be
        aligned to 4 bytes.
      ]],
      zh = [[
        一个线程用一条指令可以读写 1、2、4、8 或 16 字节，而且地址必须是这个大小的整数倍。否则核函数会因“misaligned address”（地址未对齐）的故障而终止，
        此后的每个 CUDA 调用都会失败。（有的资料说会读到错误的数据，其实不会。）

        对于结构体，编译器只有确知对齐方式时，才使用 8 或 16 字节的*向量化访问*。对四个 float 的结构体，编译器只知道它按 4 字节对齐。
      ]],
    },
    ask {
      alone = true,
      en = "`const float *x` comes from cudaMalloc. What does a kernel do at `float4 v = *(const float4 *)(x + 1);`?",
      zh = "`const float *x` 来自 cudaMalloc。核函数执行 `float4 v = *(const float4 *)(x + 1);` 会怎样？",
      choices = {
        { en = "It reads x[1] to x[4], in two accesses", zh = "分两次访问，读到 x[1] 到 x[4]" },
        { en = "It reads x[0] to x[3]: the hardware rounds the address down", zh = "读到 x[0] 到 x[3]：硬件把地址向下取整" },
        { en = "It reads x[1] to x[4], only more slowly", zh = "读到 x[1] 到 x[4]，只是慢一些" },
        { en = "It ends with an error", zh = "出错终止", right = true },
      },
      because = {
        en = "The address x is a multiple of 256, so x + 1 lies 4 bytes after a multiple of 16. A float4 needs a multiple of 16. The compiler trusts the cast, but the hardware checks the address.",
        zh = "地址 x 是 256 的倍数，所以 x + 1 比 16 的倍数多 4 字节，而 float4 要求 16 的倍数。编译器相信类型转换，硬件却会检查地址。",
      },
    },
    ask {
      alone = true,
      en = "A `struct` of {f} floats is marked `__align__(16)`. What is its size in bytes?",
      zh = "一个有 {f} 个 float 的 `struct` 加上 `__align__(16)`，它的大小是多少字节？",
      draw = { f = { from = { 3, 4, 5, 6, 7, 9 } } },
      answer = function(d) return 16 * ceil_div(d.f, 4) end,
      replies = { { function(d) return 4 * d.f end, en = "That is the size of the floats. The next struct in an array has to be aligned to 16, too.", zh = "这是各个 float 的大小。数组里的下一个结构体也要按 16 字节对齐。" } },
      because = {
        en = "{f} * 4 bytes, padded to a multiple of 16, so that the next struct in an array is aligned, too. With three floats, you pay a quarter of the memory for a single access per struct.",
        zh = "{f} * 4 字节，填充到 16 的倍数，使数组里的下一个结构体也对齐。三个 float 时，一条指令访问一个结构体的代价是四分之一的内存。",
      },
    },
    ask {
      alone = true,
      en = "A warp reads 32 floats that start {o} bytes into a 128-byte line. How many sectors (32 bytes each) does it touch?",
      zh = "一个线程束（warp）读 32 个连续的 float，起点在一条 128 字节缓存行内偏移 {o} 字节处。这次读取触及多少个 32 字节的扇区？",
      draw = { o = { from = { 4, 20, 32, 64, 96, 124 } } },
      answer = function(d) return d.o % 32 == 0 and 4 or 5 end,
      because = {
        en = "128 bytes take 4 sectors if they start at a multiple of 32, else 5. On an H200 the extra sector costs 4% (216 us against 208 us for 2^26 floats, cold): the neighbouring warp needs this sector as well and finds it in the cache.",
        zh = "起点是 32 的倍数时，128 字节占 4 个扇区，否则占 5 个。在 H200 上，多出的扇区只慢 4%（2^26 个 float，冷缓存实测 216 微秒对 208 微秒）：相邻的 warp 也需要这个扇区，会在缓存里命中。",
      },
    },
    ask {
      alone = true,
      en = "Rows of a picture are {w} floats wide. On this device `cudaMallocPitch` starts each row at a multiple of 512 bytes. How many bytes does a row take?",
      zh = "图像每行 {w} 个 float。在这个设备上，`cudaMallocPitch` 让每行都从 512 字节的倍数处开始。一行占多少字节？",
      draw = { w = { 100, 1000 } },
      answer = function(d) return ceil_div(d.w * 4, 512) * 512 end,
      replies = { { function(d) return d.w * 4 end, en = "That is a row without padding.", zh = "这是没有填充的一行。" } },
      because = { en = "{w} * 4 bytes, rounded up to a multiple of 512: the *pitch*.", zh = "{w} * 4 字节向上取整到 512 的倍数：这就是*间距*（pitch）。" },
    },
    predict {
      en = "The baseline loads a particle in four accesses. In each of them, neighbouring lanes are 16 bytes apart. How many sectors per request?",
      zh = "基线分四次读一个粒子，每次相邻的 lane 相隔 16 字节。每个请求多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "baseline",
      tolerance = 0.02,
      because = { en = "32 lanes * 16 bytes = 512 bytes = 16 sectors, and each of the four requests touches all of them. One 16-byte access touches the same 16 sectors once.", zh = "32 个 lane * 16 字节 = 512 字节 = 16 个扇区，四个请求每个都触及这些扇区。改用 16 字节的访问，同样的 16 个扇区只需一个请求。" },
    },
    show { en = "The baseline, line by line:", zh = "逐行看基线：", picture = "sectors", of = "baseline" },
    exercise {
      en = "Make the compiler use one 16-byte load and one 16-byte store per particle.",
      zh = "让编译器对每个粒子只用一次 16 字节的读和一次 16 字节的写。",
    },
    show { en = "Yours, line by line:", zh = "逐行看你的版本：", picture = "sectors", of = "mine" },
    compare {
      en = "Fewer requests, and each sector is requested only once.",
      zh = "请求更少，每个扇区只请求一次。",
      counters = { "gld_requests", "gld_sectors", "gld_efficiency_pct", "gst_requests", "warp_inst" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "The compiler needs to know an alignment that only you can promise.", zh = "编译器需要知道对齐方式，而只有你能作出这个承诺。" },
    { en = "Put `__align__(16)` into the declaration of the struct, or read a `float4`, which always has this alignment.", zh = "在结构体声明里加 `__align__(16)`；或者直接读 `float4`，这个类型总是按 16 字节对齐。" },
    { en = "`struct __align__(16) particle { float x, y, vx, vy; };` The promise holds: memory from cudaMalloc is aligned to 256 bytes, and a particle has 16 bytes.",
      zh = "`struct __align__(16) particle { float x, y, vx, vy; };`。这个承诺成立：cudaMalloc 给出的内存按 256 字节对齐，而一个粒子是 16 字节。" },
  },

  after = {
    en = [[
      One word in a declaration cuts the requests to a quarter. At the size of this lab an H200 gains nothing: 4.9 us before and after (measured,
      cold), because the memory is hardly busy and L1 keeps the sectors from one access to the next.

      If memory is the limit, fewer requests help: with `float4`, a vector addition of 2^26 elements takes 188 us instead of 243 us, for the same
      number of bytes. On a G80 the four accesses of a particle would not coalesce at all.
    ]],
    zh = [[
      声明里加一个词，请求数就降到四分之一。在 H200 上，按本实验的规模没有收益：前后都是 4.9 微秒（冷缓存实测），因为内存并不忙，
      四次访问之间 L1 又留住了扇区。

      内存是瓶颈时，减少请求才有收益：2^26 个元素的向量相加，改用 `float4` 后字节数不变，用时从 243 微秒降到 188 微秒。而在 G80 上，
      读一个粒子的四次访问根本不能合并。
    ]],
  },
  more = {
    en = "Pass `in + 1` instead of `in` to your kernel and read the report. Then think about a file format with records of 17 bytes: how would you read them?",
    zh = "把 `in + 1` 而不是 `in` 传给你的核函数，读一读报告。再想一想：如果一种文件格式的每条记录是 17 字节，该怎样读取？",
  },
}
