-- Chapter 3: structures of 12 bytes.
local function gcd(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

return lab {
  id = "float3-aos",
  title = { en = "Twelve-byte points", zh = "十二字节的点" },
  chapter = 3,
  minutes = 25,
  needs = { "coalescing", "matmul-tiled" },
  source = "slides V.1; guide 5.3.2",
  teaches = {
    float3 = "say ask",
    ["g80-coalescing"] = "compare after",
    ["aos-soa"] = "exercise after",
    ["wide-structs"] = "ask compare after",
  },

  entry = "void shift(const float *in, float *out, float d, int n)",
  args = {
    ["in"] = uniform(-10, 10, "3 * n"),
    out = output("3 * n", { ops = 1 }),
    d = scalar("3"),
  },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 1 << 18, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 4 },
    at_most("global_load_sectors", 0.45 * baseline) {
      points = 3,
      en = "Read the block's points as plain floats, one after another: thread k the k-th, the (k + 256)-th, the (k + 512)-th.",
      zh = "把整个块的点当作普通的 float 依次读入：线程 k 读第 k、k + 256、k + 512 个。",
    },
    at_most("global_store_sectors", 0.45 * baseline) {
      points = 3,
      en = "The way out has to be coalesced as well.",
      zh = "写出去时同样要合并。",
    },
  },

  steps = {
    say {
      en = [[
        Points with three coordinates are often stored as an *array of structs*: x y z x y z ... A `float3` is 12 bytes. Only accesses of 1, 2, 4, 8 and
        16 bytes are single instructions, so a thread reads its point in three accesses of 4 bytes, and in each of them the lanes of a warp are 12
        bytes apart.
      ]],
      zh = [[
        三维的点常以*结构体数组*（array of structs，AoS）的方式存放：x y z x y z……`float3` 是 12 字节。只有 1、2、4、8、16 字节的访问才是一条指令，所以一个线程要分三次、每次 4 字节读一个点，
        而每一次里，一个线程束（warp）的各个 lane 都相隔 12 字节。
      ]],
    },
    show {
      en = "One of the three accesses: 32 lanes, 12 bytes apart.",
      zh = "三次访问中的一次：32 个 lane，间隔 12 字节。",
      picture = "lanes",
      model = function(lane) return lane * 12 end,
    },
    ask {
      en = "A struct has {f} floats. The 32 lanes of a warp read one struct each, in {f} accesses of 4 bytes. How many sectors (of 32 bytes) do the {f} requests touch, all together?",
      zh = "一个结构体有 {f} 个 float。一个 warp 的 32 个 lane 各读一个结构体，分 {f} 次、每次 4 字节。这 {f} 个请求一共碰到多少个 32 字节的扇区？",
      draw = { f = { from = { 3, 5, 6, 7, 25 } } },
      answer = function(d) return d.f * math.min(32, 4 * d.f) end,
      replies = { { function(d) return 4 * d.f end, en = "So many sectors hold the data, but each of the {f} requests touches the span of all 32 structs.", zh = "数据本身占这么多扇区，但 {f} 个请求每个都要横跨全部 32 个结构体。" } },
      because = {
        en = "The lanes of one request span 32 * {f} * 4 bytes, and touch 4 * {f} sectors or, at most, 32; {f} requests do so one after another. The data would fit into 4 * {f}. For points of 3 floats that is 36 in place of 12.",
        zh = "一个请求的各 lane 横跨 32 * {f} * 4 字节，碰到 4 * {f} 个扇区，最多 32 个；{f} 个请求一个接一个都是如此。而这些数据 4 * {f} 个扇区就装得下。3 个 float 的点就是用 36 个代替 12 个。",
      },
    },
    ask {
      en = "Is a `float3` perhaps read by one instruction all the same? The baseline runs with n = {n}, a point per thread, in warps of 32. How many load *requests* (one per warp instruction) does the device count?",
      zh = "`float3` 会不会其实一条指令就能读？用 n = {n} 运行基线：每个线程一个点，32 个线程一个 warp。设备会数到多少个读取*请求*（每条 warp 指令算一个）？",
      draw = { n = { from = { 64, 128, 256, 512, 1024 } } },
      answer = measured { of = "baseline", case = function(d) return { n = d.n } end, counter = "gld_requests" },
      because = {
        en = "{n} / 32 * 3: three for each warp. Of 4, 8, 12 and 16 bytes only 12 is no single access.",
        zh = "{n} / 32 * 3：每个 warp 三个。4、8、12、16 字节里，只有 12 字节不能一次访问。",
      },
    },
    ask {
      en = "The way out: the block copies its points into shared memory with unit stride, and each thread takes its own from there. Shared memory has 32 banks, word i lies in bank i % 32, and lanes that want different words of one bank take as many *passes*. If thread t reads word {f} * t, how many passes does a warp need?",
      zh = "办法是：整个块先以单位步长把这些点搬进共享内存，每个线程再从那里取自己的点。共享内存有 32 个存储体，第 i 个字在存储体 i % 32 里；几个 lane 要同一个存储体里不同的字，就要走同样多*遍*。线程 t 读第 {f} * t 个字时，一个 warp 需要几遍？",
      draw = { f = { from = { 3, 4, 6, 8, 12, 25 } } },
      answer = function(d) return gcd(d.f, 32) end,
      because = {
        en = "The greatest common divisor of {f} and 32. With 3, an odd number, the 32 words lie in 32 different banks: one pass.",
        zh = "等于 {f} 与 32 的最大公约数。3 是奇数，32 个字落在 32 个不同的存储体里：只要一遍。",
      },
    },
    predict {
      en = "How many sectors do the model answer's loads touch per request?",
      zh = "参考答案的读取，每个请求碰到多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "answer",
      tolerance = 0.02,
      because = { en = "Unit stride: 4.", zh = "单位步长：4 个。" },
    },
    ask {
      en = "The sectors are a third, but an H200 has an L1 that keeps a sector until the warp's next accesses want the rest of it. Where will this detour through shared memory pay on such a device?",
      zh = "扇区少到三分之一，但 H200 有 L1，扇区取来之后会留着，等同一个 warp 后面的访问来取其余部分。在这样的设备上，什么时候绕道共享内存才划算？",
      choices = {
        { en = "With few points, as long as they fit into the cache", zh = "点很少、缓存放得下的时候", because = { en = "Then the cache helps the simple way most.", zh = "那时缓存对简单做法的帮助最大。" } },
        { en = "With much arithmetic per point", zh = "每个点的运算很多的时候", because = { en = "Then arithmetic is what takes the time.", zh = "那时时间都花在运算上。" } },
        { en = "Nowhere", zh = "永远不划算" },
        { en = "With long structs: many accesses of 32 sectors each, for loads and for stores", zh = "结构体很长的时候：读和写都要很多次访问，每次 32 个扇区", right = true },
      },
      because = {
        en = "Three accesses of 12 sectors are soon over. With 25 or 32 floats to a struct every access takes 32 sectors, the structs of all warps have to stay in L1 meanwhile, and stores are not gathered in L1 at all. The last table measures it.",
        zh = "三次访问、每次 12 个扇区，很快就过去了。结构体有 25 或 32 个 float 时，每次访问都要 32 个扇区，这期间所有 warp 的结构体都得留在 L1 里，而写入根本不会在 L1 里攒齐。最后一张表会测给你看。",
      },
    },
    exercise {
      en = "Stage the points through shared memory, both ways.",
      zh = "让点经过共享内存，进出都要。",
    },
    show { en = "Your accesses, line by line:", zh = "逐行看你的访问：", picture = "sectors", of = "mine" },
    compare {
      en = "A third of the sectors.",
      zh = "扇区数只有三分之一。",
      counters = { "gld_sectors", "gst_sectors", "gld_efficiency_pct", "l1_hit_pct", "dram_read", "dram_write" },
      beside = "baseline",
    },
    compare {
      en = "How much faster it is on a G80 of 2006 (model answer beside baseline, time modelled):",
      zh = "在 2006 年的 G80 上能快多少（参考答案与基线对比，时间为模型值）：",
      of = "answer",
      beside = "baseline",
      on = "sim:g80",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
    compare {
      en = "And on an H200, where it is slower:",
      zh = "在 H200 上反而更慢：",
      of = "answer",
      beside = "baseline",
      on = "sim:h200",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
    compare {
      en = "The same floats as structs of 25, on an H200: staged (first column) beside a thread that walks through its own struct. Now it pays.",
      zh = "同样的 float，换成每个结构体 25 个，仍在 H200 上：经过共享内存（第一列），对比每个线程直接读写自己的结构体。这回划算了。",
      of = "kernels/float3-aos-long-staged.cu",
      beside = "kernels/float3-aos-long.cu",
      on = "sim:h200",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
  },

  hints = {
    { en = "A block of 256 threads owns 768 consecutive floats. Forget for a moment that they are points.", zh = "256 个线程的块拥有 768 个连续的 float。先忘掉它们是点。" },
    { en = "Copy s[k] = in[first + k] for k = threadIdx.x, + 256, + 512; barrier; change s[3t], s[3t + 1], s[3t + 2]; barrier; copy back.",
      zh = "对 k = threadIdx.x、+ 256、+ 512，拷贝 s[k] = in[first + k]；屏障；修改 s[3t]、s[3t + 1]、s[3t + 2]；屏障；再拷回去。" },
    { en = "`int first = blockIdx.x * 768, count = min(768, 3 * n - first); for (int k = threadIdx.x; k < count; k += 256) s[k] = in[first + k];` No thread may leave before the last barrier.",
      zh = "`int first = blockIdx.x * 768, count = min(768, 3 * n - first); for (int k = threadIdx.x; k < count; k += 256) s[k] = in[first + k];`。最后一次屏障之前，任何线程都不能离开。" },
  },

  after = {
    en = [[
      This is a piece of history worth knowing. A G80 took 356 us to read 3 million floats, add and write them back where lanes coalesced, and 3494 us where they did not: each lane's access became a
      transaction of its own, and points of 12 bytes never coalesced. An H200 takes 53 us for 2^23 points the simple way, and 57 staged (measured, cold): staging is *slower* there, because
      the second and third access find their sectors in L1. The sectors are counted all the same; they just do not go to memory.

      With long structs it is another matter. A thread that walks through 128 bytes of its own, as in the baseline of `coalescing`, takes 2.6 times as long as lanes side by side on that
      same H200 (44 us against 17, measured, cold). Read on: the last tables are of G80 and H200, points and long structs.

      An optimisation belongs to a device and to a layout: measure before you keep it. What helps on every device is a *struct of arrays*: x, y and z each in an array of its own. And a kernel that
      needs x alone then reads a third.
    ]],
    zh = [[
      这是一段值得了解的历史。G80 把三百万个 float 读入、相加、写回，访问合并时要 356 微秒，不合并时要 3494 微秒：每个 lane 的访问都成了单独的一次传输，而 12 字节的点永远不能合并。H200 处理 2^23 个点，直接做用 53 微秒，经过共享内存用 57 微秒（冷缓存实测）：反而*更慢*，因为第二、三次访问都能在 L1 里找到自己的扇区。扇区数照样计入，只是没有传到内存去。

      结构体很长时又是另一回事。像 `coalescing` 的基线那样，每个线程走完自己的 128 字节，在同一块 H200 上用时是肩并肩的 2.6 倍（44 微秒对 17 微秒，冷缓存实测）。
      继续往下读：最后几张表分别是 G80 与 H200、点与长结构体。

      优化总是针对某种设备、某种布局的：先测量再保留。在哪种设备上都管用的是*数组结构体*（struct of arrays，SoA）：x、y、z 各放一个数组。这样，只需要 x 的核函数就只读三分之一。
    ]],
  },
  more = {
    en = "Every coordinate gets the same d here, so 3 * n threads could shift 3 * n floats without any shared memory: try it. Why is that way barred as soon as each point is to be scaled to length 1?",
    zh = "这里每个坐标都加同一个 d，所以用 3 * n 个线程处理 3 * n 个 float，完全不用共享内存也行：试一试。如果要把每个点缩放到长度 1，这条路为什么就走不通了？",
  },
}
