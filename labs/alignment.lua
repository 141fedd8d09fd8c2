-- Chapter 3: alignment and wide accesses.
return lab {
  id = "alignment",
  title = { en = "Aligned and wide", zh = "对齐与宽访问" },
  chapter = 3,
  minutes = 20,
  needs = { "coalescing" },
  source = "guide 5.3.2",
  teaches = {
    ["access-sizes"] = "say",
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
    counter("gld_requests", "<=", 0.35) {
      points = 3,
      relative = true,
      en = "A particle should be one load. What does the compiler know about the address of a `struct { float x, y, vx, vy; }`?",
      zh = "读一个粒子应当只用一条指令。对 `struct { float x, y, vx, vy; }` 的地址，编译器知道些什么？",
    },
    counter("gst_requests", "<=", 0.35) {
      points = 3,
      relative = true,
      en = "A particle should be one store.",
      zh = "写一个粒子应当只用一条指令。",
    },
  },

  steps = {
    say {
      en = [[
        A thread can load or store 1, 2, 4, 8 or 16 bytes with one instruction, and only from an address that is a multiple of that size. (An
        address that is not is an error, not a delay.) For a struct the compiler may use a wide access only if it *knows* the alignment.
        A struct of four floats is known to be aligned to 4 bytes, no more.
      ]],
      zh = [[
        一个线程用一条指令可以读写 1、2、4、8 或 16 字节，而且地址必须是这个大小的整数倍。（否则是错误，不是变慢。）对于结构体，编译器只有*确知*其对齐方式时才能用宽访问。
        四个 float 的结构体，编译器只知道它按 4 字节对齐。
      ]],
    },
    ask {
      en = "`struct { float x, y, z; }` marked `__align__(16)`: what is its size in bytes?",
      zh = "`struct { float x, y, z; }` 加上 `__align__(16)`，它的大小是多少字节？",
      answer = 16,
      because = {
        en = "Padded, so that the next one in an array is aligned too: a quarter of the memory is the price of single accesses.",
        zh = "会被填充，好让数组里的下一个也对齐：用四分之一的内存换来单条指令的访问。",
      },
    },
    ask {
      en = "A warp reads 32 floats that start {o} bytes into a 128-byte line. How many sectors (32 bytes each) does it touch?",
      zh = "一个 warp 读 32 个连续的 float，起点在一条 128 字节缓存行内偏移 {o} 字节处。它碰到多少个 32 字节的扇区？",
      draw = { o = { 4, 124, multiple = 4 } },
      answer = function(d) return d.o % 32 == 0 and 4 or 5 end,
      because = {
        en = "128 bytes fit into 4 sectors if they start at a multiple of 32, else into 5. On an H200 the extra sector costs 4% (208 against 216 us): the neighbouring warp wants it anyway, and finds it in the cache.",
        zh = "起点是 32 的倍数时 128 字节占 4 个扇区，否则占 5 个。在 H200 上，多出的扇区只慢 4%（208 us 对 216 us）：旁边的 warp 反正也要它，能在缓存里找到。",
      },
    },
    ask {
      en = "Rows of a picture are {w} floats wide. `cudaMallocPitch` starts each row at a multiple of 512 bytes. How many bytes does a row take then?",
      zh = "图像每行 {w} 个 float。`cudaMallocPitch` 让每行都从 512 字节的倍数处开始。这时一行占多少字节？",
      draw = { w = { 100, 1000 } },
      answer = function(d) return ceil_div(d.w * 4, 512) * 512 end,
      because = { en = "{w} * 4 bytes, rounded up to a multiple of 512: the *pitch*.", zh = "{w} * 4 字节向上取整到 512 的倍数：这就是*间距*（pitch）。" },
    },
    predict {
      en = "The baseline loads a particle in four accesses, each with its lanes 16 bytes apart. How many sectors per request?",
      zh = "基线分四次读一个粒子，每次各 lane 相隔 16 字节。每个请求多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "baseline",
      tolerance = 0.02,
      because = { en = "32 lanes * 16 bytes = 512 bytes = 16 sectors, four times over. One 16-byte access touches the same 16 sectors once.", zh = "32 个 lane * 16 字节 = 512 字节 = 16 个扇区，而且要走四遍。一次 16 字节的访问只碰这 16 个扇区一遍。" },
    },
    show { en = "The baseline, line by line:", zh = "逐行看基线：", picture = "sectors", of = "baseline" },
    exercise {
      en = "Make the compiler use one 16-byte load and one 16-byte store per particle.",
      zh = "让编译器对每个粒子只用一次 16 字节的读和一次 16 字节的写。",
    },
    show { en = "Yours, line by line:", zh = "逐行看你的版本：", picture = "sectors", of = "mine" },
    compare {
      en = "Fewer requests, and each sector only once.",
      zh = "请求更少，每个扇区只碰一次。",
      counters = { "gld_requests", "gld_sectors", "gld_efficiency_pct", "gst_requests", "warp_inst" },
      with = "baseline",
    },
  },

  hints = {
    { en = "The compiler needs a promise that it cannot make itself.", zh = "编译器需要一个承诺，而它自己作不了主。" },
    { en = "`__align__(16)` in the struct's declaration; or read a `float4`, which is aligned like that by nature.", zh = "在结构体声明里加 `__align__(16)`；或者直接读 `float4`，它天生就是这样对齐的。" },
    { en = "`struct __align__(16) particle { float x, y, vx, vy; };` The promise holds: memory from cudaMalloc is aligned to 256 bytes, and particles are 16 bytes long.",
      zh = "`struct __align__(16) particle { float x, y, vx, vy; };`。这个承诺成立：cudaMalloc 给出的内存按 256 字节对齐，而粒子长 16 字节。" },
  },

  after = {
    en = [[
      One word in a declaration, a quarter of the requests. Wide accesses also save instructions: on an H200, `float4` brings a vector addition from 243 us to 188, at
      the same number of bytes.
    ]],
    zh = [[
      声明里的一个词，请求数就降到四分之一。宽访问还节省指令：在 H200 上，向量相加改用 `float4` 后，字节数不变，用时从 243 us 降到 188 us。
    ]],
  },
  more = {
    en = "Pass `in + 1` instead of `in` to your kernel and read the report. Then think of a file format whose records are 17 bytes long.",
    zh = "把 `in + 1` 而不是 `in` 传给你的核函数，读一读报告。再想一想每条记录 17 字节的文件格式该怎么办。",
  },
}
