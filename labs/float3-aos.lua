-- Chapter 3: structures of 12 bytes.
return lab {
  id = "float3-aos",
  title = { en = "Twelve-byte points", zh = "十二字节的点" },
  chapter = 3,
  minutes = 25,
  needs = { "coalescing" },
  source = "guide 5.3.2",
  teaches = {
    float3 = "say ask",
    ["g80-coalescing"] = "compare after",
    ["aos-soa"] = "exercise after",
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
    counter("gld_sectors", "<=", 0.45) {
      points = 3,
      relative = true,
      en = "Read the block's points as plain floats, one after another: thread k the k-th, the (k + 256)-th, the (k + 512)-th.",
      zh = "把整个块的点当作普通的 float 依次读入：线程 k 读第 k、k + 256、k + 512 个。",
    },
    counter("gst_sectors", "<=", 0.45) {
      points = 3,
      relative = true,
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
        三维的点常以*结构体数组*（array of structs）的方式存放：x y z x y z……`float3` 是 12 字节。只有 1、2、4、8、16 字节的访问才是一条指令，所以一个线程要分三次、每次 4 字节读一个点，
        而每一次里，一个 warp 的各个 lane 都相隔 12 字节。
      ]],
    },
    show {
      en = "One of the three accesses: 32 lanes, 12 bytes apart.",
      zh = "三次访问中的一次：32 个 lane，间隔 12 字节。",
      picture = "lanes",
      model = function(lane) return lane * 12 end,
    },
    ask {
      en = "32 lanes read 4 bytes each, at a distance of 12 bytes. How many sectors (of 32 bytes) does the request touch?",
      zh = "32 个 lane 各读 4 字节，间隔 12 字节。这个请求碰到多少个 32 字节的扇区？",
      answer = 12,
      because = {
        en = "They span 32 * 12 = 384 bytes: 12 sectors, each of them touched again by the other two accesses. 36 sectors for what fits into 12.",
        zh = "一共跨 32 * 12 = 384 字节：12 个扇区，另外两次访问还要再碰一遍。本来 12 个扇区装得下的数据，动用了 36 个。",
      },
    },
    ask {
      en = "Is a `float3` perhaps read by one instruction all the same? The baseline runs with n = 256: 8 warps, a point per thread. How many load *requests* (one per warp instruction) does the device count?",
      zh = "`float3` 会不会其实一条指令就能读？用 n = 256 运行基线：8 个 warp，每个线程一个点。设备会数到多少个读取*请求*（每条 warp 指令算一个）？",
      answer = measured { of = "baseline", case = { n = 256 }, counter = "gld_requests" },
      because = {
        en = "24: three for each warp. Of 4, 8, 12 and 16 bytes only 12 is no single access.",
        zh = "24 个：每个 warp 三个。4、8、12、16 字节里，只有 12 字节不能一次访问。",
      },
    },
    ask {
      en = "After staging, thread t works on words 3t, 3t + 1 and 3t + 2 of shared memory. How many passes does a warp need to read `s[3 * t]`?",
      zh = "搬进共享内存后，线程 t 处理第 3t、3t + 1、3t + 2 个字。一个 warp 读 `s[3 * t]` 要几遍？",
      answer = 1,
      because = { en = "3 is odd, so the 32 words lie in 32 different banks.", zh = "3 是奇数，所以 32 个字落在 32 个不同的存储体里。" },
    },
    predict {
      en = "How many sectors do the model answer's loads touch per request?",
      zh = "参考答案的读取，每个请求碰到多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "answer",
      tolerance = 0.02,
      because = { en = "Unit stride: 4.", zh = "单位步长：4 个。" },
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
      with = "baseline",
    },
    compare {
      en = "What it is worth on a G80 of 2006 (model answer beside baseline, time modelled):",
      zh = "它在 2006 年的 G80 上值多少（参考答案与基线对比，时间为模型值）：",
      of = "answer",
      with = "baseline",
      on = "sim:g80",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
    compare {
      en = "And on an H200:",
      zh = "在 H200 上：",
      of = "answer",
      with = "baseline",
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
      This is a piece of history worth knowing. A G80 took 3494 us to copy 3 million floats where lanes did not coalesce and 356 us where they did; points like
      these took 3302 us, and 359 once they were staged: nearly tenfold, because each lane's access became a transaction of its own. An H200 measures 53 us against 57: staging is *slower* there, because the second and third
      access find their sectors in L1. The sectors are counted all the same; they just do not go to memory.

      The last two tables measure both. An optimisation belongs to a device: measure before you keep it. What helps on both is a
      *struct of arrays*: x, y and z each in an array of its own.
    ]],
    zh = [[
      这是一段值得了解的历史。G80 拷贝三百万个 float，访问不合并时用了 3494 us，合并时只要 356 us；像这样的点用了 3302 us，改为搬进共享内存后是 359 us：差了将近十倍，因为每个 lane 的访问都成了单独的一次传输。
      而在 H200 上实测是 53 us 对 57 us：搬进共享内存反而*更慢*，因为第二、三次访问都能在 L1 里找到自己的扇区。扇区数照样计入，只是没有传到内存去。

      最后两张表对两者都做了测量。优化总是针对某种设备的：先测量再保留。两边都管用的是*数组的结构体*（struct of arrays）：x、y、z 各放一个数组。
    ]],
  },
  more = {
    en = "Pad the points to 16 bytes, with `float4`. How many sectors per request, and how many bytes from memory? When is that a good trade?",
    zh = "用 `float4` 把点填充到 16 字节。每个请求多少个扇区？从内存读多少字节？什么时候值得这样做？",
  },
}
