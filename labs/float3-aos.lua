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
      en = "Read the block's points as plain floats, one after another: thread k reads floats k, k + 256 and k + 512.",
      zh = "把整个块的点当作普通的 float 依次读入：线程 k 读第 k、k + 256、k + 512 个 float。",
    },
    at_most("global_store_sectors", 0.45 * baseline) {
      points = 3,
      en = "The stores have to be coalesced, too.",
      zh = "写入同样要合并。",
    },
  },

  steps = {
    say {
      en = [[
        Points with three coordinates are often stored as an *array of structs*: x y z x y z ... A `float3` has 12 bytes. Only accesses of 1, 2, 4, 8
        and 16 bytes are single instructions, so a thread reads its point in three accesses of 4 bytes. In each of them, neighbouring lanes of a warp
        are 12 bytes apart.
      ]],
      zh = [[
        三维的点常以*结构体数组*（array of structs，AoS）的方式存放：x y z x y z……`float3` 是 12 字节。只有 1、2、4、8、16 字节的访问才是一条指令，
        所以一个线程要分三次读一个点，每次 4 字节。每一次读取中，一个线程束（warp）里相邻的 lane 都相隔 12 字节。
      ]],
    },
    show {
      en = "One of the three accesses: 32 lanes, 12 bytes apart.",
      zh = "三次访问中的一次：32 个 lane，间隔 12 字节。",
      picture = "lanes",
      model = function(lane) return lane * 12 end,
    },
    ask {
      en = "A struct has {f} floats. The 32 lanes of a warp read one struct each, in {f} accesses of 4 bytes. How many sectors (of 32 bytes) do the {f} requests touch in total?",
      zh = "一个结构体有 {f} 个 float。一个 warp 的 32 个 lane 各读一个结构体，分 {f} 次、每次 4 字节。这 {f} 个请求一共触及多少个 32 字节的扇区？",
      draw = { f = { from = { 3, 5, 6, 7, 25 } } },
      answer = function(d) return d.f * math.min(32, 4 * d.f) end,
      replies = { { function(d) return 4 * d.f end, en = "That many sectors hold the data, but each of the {f} requests spans all 32 structs.", zh = "数据本身占这么多扇区，但 {f} 个请求中的每一个都横跨全部 32 个结构体。" } },
      because = {
        en = "The lanes of one request span 32 * {f} * 4 bytes. They touch 4 * {f} sectors, but never more than 32. All {f} requests do this, although the data fit into 4 * {f} sectors. For points of 3 floats that is 36 sectors instead of 12.",
        zh = "一个请求的各 lane 横跨 32 * {f} * 4 字节，触及 4 * {f} 个扇区，但最多 32 个；{f} 个请求都是如此。而这些数据 4 * {f} 个扇区就装得下。点有 3 个 float 时，本来 12 个扇区就够，却触及了 36 个。",
      },
    },
    ask {
      en = "Can one instruction perhaps read a `float3` after all? The baseline runs with n = {n}, one point per thread. How many load *requests* (one per warp instruction) does the device count?",
      zh = "`float3` 会不会一条指令就能读取？用 n = {n} 运行基线：每个线程一个点，32 个线程一个 warp。设备会数到多少个读取*请求*（每条 warp 指令算一个）？",
      draw = { n = { from = { 64, 128, 256, 512, 1024 } } },
      answer = measured { of = "baseline", case = function(d) return { n = d.n } end, counter = "gld_requests" },
      because = {
        en = "{n} / 32 * 3: three for each warp. Accesses of 4, 8 and 16 bytes take one instruction, an access of 12 bytes does not.",
        zh = "{n} / 32 * 3：每个 warp 三个。4、8、16 字节的访问各用一条指令，12 字节的访问却不行。",
      },
    },
    ask {
      en = "The solution: the block copies its points into shared memory with unit stride, and each thread takes its own point from there. Shared memory has 32 banks, and word i lies in bank i % 32. In one *pass* each bank serves one word, so different words of one bank take several passes. If thread t reads word {f} * t, how many passes does a warp need?",
      zh = "办法是：整个块先以单位步长把这些点拷入共享内存，每个线程再从那里读自己的点。共享内存分成 32 个存储体，第 i 个字在存储体 i % 32 里。每*遍*，每个存储体只能给出一个字：同一个存储体里有几个不同的字，就要走几遍。线程 t 读第 {f} * t 个字时，一个 warp 需要几遍？",
      draw = { f = { from = { 3, 4, 6, 8, 12, 25 } } },
      answer = function(d) return gcd(d.f, 32) end,
      because = {
        en = "As many as the greatest common divisor of {f} and 32. 3 is odd, so the 32 words lie in 32 different banks: one pass.",
        zh = "遍数等于 {f} 与 32 的最大公约数。3 是奇数，32 个字落在 32 个不同的存储体里，只要一遍。",
      },
    },
    predict {
      en = "How many sectors do the model answer's loads touch per request?",
      zh = "参考答案的读取，每个请求触及多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "answer",
      tolerance = 0.02,
      because = { en = "4, because the stride is one float.", zh = "4 个，因为步长是一个 float。" },
    },
    ask {
      en = "The requests touch a third of the sectors. But an H200 has an L1 that keeps a sector until the warp's next accesses want the rest of it. When does this detour through shared memory pay on such a device?",
      zh = "扇区数降到三分之一。但 H200 有 L1，读来的扇区会留在那里，供同一个 warp 后面的访问使用。在这样的设备上，什么时候绕道共享内存才划算？",
      choices = {
        { en = "With few points that fit into the cache", zh = "点很少、缓存放得下的时候", because = { en = "Then the cache helps the simple version most.", zh = "这时缓存对简单做法的帮助最大。" } },
        { en = "With many operations per point", zh = "每个点的运算很多的时候", because = { en = "Then the arithmetic takes the time, not the memory.", zh = "这时时间花在运算上，而不是访存上。" } },
        { en = "Never", zh = "永远不划算" },
        { en = "With long structs: many accesses of 32 sectors each, for loads and for stores", zh = "结构体很长的时候：读和写都要很多次访问，每次 32 个扇区", right = true },
      },
      because = {
        en = "Three accesses of 12 sectors are soon done. With 25 or 32 floats per struct, every access touches 32 sectors, and the structs of all warps have to stay in L1 in the meantime. Stores are not gathered in L1 at all. The last table measures this.",
        zh = "三次访问、每次 12 个扇区，很快就能完成。结构体有 25 或 32 个 float 时，每次访问都触及 32 个扇区，这期间所有 warp 的结构体都要留在 L1 里；写入则根本不会在 L1 里合并。最后一张表就是测量结果。",
      },
    },
    exercise {
      en = "Stage the points through shared memory, for the loads and for the stores.",
      zh = "让点经过共享内存，读取和写入都要这样做。",
    },
    show { en = "Your accesses, line by line:", zh = "逐行看你的访问：", picture = "sectors", of = "mine" },
    compare {
      en = "A third of the sectors.",
      zh = "扇区数只有三分之一。",
      counters = { "gld_sectors", "gst_sectors", "gld_efficiency_pct", "l1_hit_pct", "dram_read", "dram_write" },
      beside = "baseline",
    },
    compare {
      en = "On a G80 of 2006, staging pays (model answer beside baseline, time modelled):",
      zh = "在 2006 年的 G80 上，经过共享内存更快（参考答案与基线对比，时间为模型值）：",
      of = "answer",
      beside = "baseline",
      on = "sim:g80",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
    compare {
      en = "On an H200, staging is slower:",
      zh = "在 H200 上，经过共享内存反而更慢：",
      of = "answer",
      beside = "baseline",
      on = "sim:h200",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
    compare {
      en = "The same floats as structs of 25, on an H200: staged (first column) beside a version in which each thread accesses its own struct directly. Now staging pays.",
      zh = "同样的 float，换成每个结构体 25 个，仍在 H200 上：经过共享内存（第一列），与每个线程直接读写自己的结构体对比。这时经过共享内存就划算了。",
      of = "kernels/float3-aos-long-staged.cu",
      beside = "kernels/float3-aos-long.cu",
      on = "sim:h200",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
  },

  hints = {
    { en = "A block of 256 threads has 768 consecutive floats. Treat them as plain floats at first, not as points.", zh = "256 个线程的块有 768 个连续的 float。先把它们当作普通的 float，而不是点。" },
    { en = "Copy s[k] = in[first + k] for k = threadIdx.x, + 256, + 512; barrier; change s[3t], s[3t + 1], s[3t + 2]; barrier; copy back.",
      zh = "对 k = threadIdx.x、+ 256、+ 512，拷贝 s[k] = in[first + k]；屏障；修改 s[3t]、s[3t + 1]、s[3t + 2]；屏障；再拷回去。" },
    { en = "`int first = blockIdx.x * 768, count = min(768, 3 * n - first); for (int k = threadIdx.x; k < count; k += 256) s[k] = in[first + k];` No thread may return before the last barrier.",
      zh = "`int first = blockIdx.x * 768, count = min(768, 3 * n - first); for (int k = threadIdx.x; k < count; k += 256) s[k] = in[first + k];`。最后一次屏障之前，任何线程都不能返回。" },
  },

  after = {
    en = [[
      The technique comes from early GPUs. A G80 read 3 million floats, added to them and wrote them back in 356 us if the accesses coalesced, and in
      3494 us if they did not: each lane's access became a separate transaction. Points of 12 bytes never coalesced.

      An H200 takes 53 us for 2^23 points in the simple version and 57 us staged (measured, cold). Staging is *slower* there, because the second and
      third access find their sectors in L1. The counter counts these sectors although they do not come from memory.

      Long structs are different. In the baseline of `coalescing`, each thread reads 128 bytes of its own. On the same H200 this takes 2.6 times as
      long as coalesced accesses (44 us against 17 us, measured, cold). Look again at the last three tables: they compare
      G80 and H200, points and long structs.

      An optimisation pays for a certain device and a certain layout: measure before you keep it. A *struct of arrays* helps on every device: x, y and
      z each have their own array. A kernel that needs only x then reads only a third of the data.
    ]],
    zh = [[
      这种做法来自早期的 GPU。G80 把三百万个 float 读入、相加、写回，访问合并时用 356 微秒，不合并时用 3494 微秒，
      因为每个 lane 的访问都要单独传输一次；12 字节的点永远不能合并。

      H200 处理 2^23 个点，简单做法用 53 微秒，经过共享内存用 57 微秒（冷缓存实测）：反而*更慢*，因为第二、三次访问都在 L1 里命中。计数器仍会计入这些扇区，
      但它们没有经过显存。

      结构体很长时，情况不同。`coalescing` 的基线让每个线程读自己的 128 字节，在同一块 H200 上，用时是合并访问的 2.6 倍（44 微秒对 17 微秒，冷缓存实测）。
      再看一遍最后三张表：对比的是 G80 与 H200、点与长结构体。

      一项优化只对某种设备、某种布局有效：先测量，再决定是否保留。*数组结构体*（struct of arrays，SoA）在任何设备上都有效：x、y、z 各放一个数组。这样，
      只需要 x 的核函数就只读三分之一的数据。
    ]],
  },
  more = {
    en = "Here every coordinate is shifted by the same d, so 3 * n threads can shift 3 * n floats without any shared memory. Try it. Why does this no longer work if you scale each point to length 1?",
    zh = "这里每个坐标都加同一个 d，所以可以用 3 * n 个线程处理 3 * n 个 float，完全不用共享内存：试一试。如果要把每个点缩放到长度 1，这种做法为什么就不行了？",
  },
}
