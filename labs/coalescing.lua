-- Lanes of a warp side by side in memory: sectors, requests, and the walk that suits a CPU but not
-- a warp.
local function sectors(stride) return math.min(32, 4 * stride) end

return lab {
  id = "coalescing",
  title = { en = "Coalescing: lanes side by side", zh = "合并访问：相邻 lane 读相邻地址" },
  chapter = 3,
  minutes = 20,
  needs = { "vector-add" },
  source = "book 5.1, 6.1; guide 5.3.2; slides V.1",
  teaches = {
    sectors = "say show",
    ["sectors-per-request"] = "ask predict",
    ["row-column-walk"] = "ask",
    ["idle-lanes"] = "ask",
    ["half-warp"] = "compare",
    ["grid-stride"] = "hints",
    ["row-major"] = "ask",
  },

  entry = "void scale(const float *x, float *y, float a, int n)",
  args = {
    x = uniform(-4, 4, "n"),
    y = output("n", { ops = 1, atol = 0 }),
    a = scalar("a"),
  },
  cases = {
    { n = 5000, a = 3 },
    { n = 1, a = 2 },
    { n = 17, a = 0.5 },
    { n = 1 << 21, a = 3, timed = true },
  },
  hidden = { count = 3, n = { 2, 60000 }, a = { from = { -7.3, 0.3, 150 } } },
  goals = {
    correct { points = 3 },
    at_most("global_load_sectors", 0.2 * baseline) {
      points = 3,
      en = [[
        The loads still touch too many sectors. In the same step of the loop, from which addresses
        do lanes 0 and 1 load?
      ]],
      zh = "读取触及的扇区还是太多。在循环的同一步里，lane 0 读哪个地址？lane 1 读哪个地址？",
    },
    at_most("global_store_sectors", 0.2 * baseline) {
      points = 2,
      en = [[
        The stores still touch too many sectors. Neighbouring lanes should also write to
        neighbouring addresses.
      ]],
      zh = "写入触及的扇区还是太多。写入的时候，相邻的 lane 也要写相邻的地址。",
    },
    speedup(1.5) { points = 2 },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        This lab's kernel multiplies a vector by a number: `y[i] = a * x[i]`. There is little to
        compute, so the kernel spends nearly all of its time on loads and stores. You will find out
        which addresses the lanes of a warp should access together. Then you change the kernel
        accordingly.

        A warp executes a load for all of its lanes together: the 32 lanes give 32 addresses.
        Together they are one *request*. *Global memory*, the large memory of the device, does not
        move single floats. It moves *sectors* of 32 bytes; four of them make a cache line of 128
        bytes. A request *touches* a sector if a lane needs at least one byte of the sector. Memory
        then moves the whole sector.

        So *one thread* may access addresses that are far apart, one after another. But the
        addresses that *the lanes of one warp* access at the same moment should lie close together.
      ]],
      zh = [[
        本实验的核函数把一个向量乘以常数：`y[i] = a * x[i]`。这里的计算很少，
        时间几乎都花在读取和写入上。你会学到：一个线程束（warp）的各个 lane 应当同时访问哪些地址。
        然后你要按这个道理修改核函数。

        warp 执行一条读取指令时，32 个 lane 同时给出 32 个地址，合起来叫一个*请求*（request）。
        *全局内存*是设备的大容量内存，它不能只搬运一个 float，每次至少搬运一个 32 字节的
        *扇区*（sector）；四个扇区组成一条 128 字节的缓存行。只要有一个 lane 需要扇区里的字节，
        请求就*触及*这个扇区，内存就要搬运整个扇区。

        所以，*一个线程*先后访问的地址可以相隔很远；但在同一时刻，*同一个 warp 的各个 lane* 访问的地
        址应当靠在一起。
      ]],
    },
    show {
      en = [[
        Lane l loads float l, so neighbouring lanes load neighbouring floats. The lanes need 128
        bytes, and memory moves 128 bytes.
      ]],
      zh = [[
        lane l 读第 l 个 float，所以相邻的 lane 读相邻的 float。各 lane 一共需要 128 字节，
        内存也正好搬运 128 字节。
      ]],
      picture = "lanes",
      model = function(lane) return 4 * lane end,
    },
    show {
      en = [[
        Lane l loads float 4 * l. The lanes load 32 floats as before, but they touch four times as
        many sectors.
      ]],
      zh = "lane l 读第 4 * l 个 float。读的 float 还是 32 个，触及的扇区却是原来的四倍。",
      picture = "lanes",
      model = function(lane) return 16 * lane end,
    },
    ask {
      alone = true,
      en = [[
        An array of floats begins at a multiple of 32 bytes. Lane l of a warp reads float number {s}
        * l from this array. How many sectors does the request touch?
      ]],
      zh = [[
        一个数组从 32 字节的倍数处开始。一个 warp 的 lane l 从这个数组里读第 {s} * l 个 float。
        这个请求触及多少个扇区？
      ]],
      draw = { s = { from = { 2, 3, 5, 6, 8, 16, 33 } } },
      answer = function(d)
        local seen, count = {}, 0
        for lane = 0, 31 do
          local sector = d.s * 4 * lane // 32
          if not seen[sector] then seen[sector] = true count = count + 1 end
        end
        return count
      end,
      because = {
        en = [[
          Each lane takes {s} * 4 bytes: its float and the gap behind this float. The 32 lanes take
          32 * {s} * 4 bytes, or 4 * {s} sectors. But 32 lanes cannot touch more than 32 sectors. So
          the answer is min(32, 4 * {s}).
        ]],
        zh = [[
          每个 lane 的 float 连同后面的空隙占 {s} * 4 字节，32 个 lane 共占 32 * {s} * 4 字节，
          也就是 4 * {s} 个扇区。但 32 个 lane 最多触及 32 个扇区，所以答案是 min(32, 4 * {s})。
        ]],
      },
    },
    ask {
      en = [[
        Neighbouring lanes load floats that lie {s} floats apart. What share of the bytes that
        memory moves does the warp use, in per cent?
      ]],
      zh = "相邻 lane 读的位置相隔 {s} 个 float 时，搬来的字节有百分之几用上了？",
      draw = { s = { from = { 2, 4, 8, 16 } } },
      answer = function(d) return 100 * 128 / (32 * sectors(d.s)) end,
      tolerance = 0.02,
      unit = "%",
      because = {
        en = [[
          The lanes use 32 * 4 = 128 bytes. Memory moves 32 bytes for each sector that the lanes
          touch. If the floats lie 8 or more floats apart, each lane touches a sector of its own and
          uses 4 of the sector's 32 bytes. That is 12.5%.
        ]],
        zh = [[
          各 lane 一共用到 32 * 4 = 128 字节，而每触及一个扇区就要搬运 32 字节。相隔 8 个或更
          多 float 时，每个 lane 各触及一个扇区，只用其中 32 字节里的 4 字节，即 12.5%。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        Only every {s}-th lane loads a float: `if (l % {s} == 0) v = x[l];`. Here l is the number of
        the lane. The array x begins at a multiple of 32 bytes. How many sectors does this request
        touch?
      ]],
      zh = [[
        只有编号为 {s} 的倍数的 lane 读取：`if (l % {s} == 0) v = x[l];`。这里 l 是 lane 的编号，
        x 从 32 字节的倍数处开始。这个请求触及多少个扇区？
      ]],
      draw = { s = { from = { 4, 8, 16, 32 } } },
      answer = function(d) return 32 / math.max(8, d.s) end,
      because = {
        en = [[
          A sector holds 8 floats. Memory moves the sector if at least one lane needs one of these
          floats. If every 4th or every 8th lane loads, each of the 4 sectors is still needed. If
          every 16th lane loads, 2 sectors are needed, and if only lane 0 loads, 1.

          The order of the lanes does not matter. If all 32 lanes load, and lane l loads float 31 -
          l, the request touches four sectors, just as if lane l loads float l.

          On a G80, a GPU of 2006, the order did matter. There, a test kernel loaded 3 million
          floats, added a number to each and stored the results. This took 356 us with the lanes in
          order, 357 us with some lanes inactive, and 3494 us with the lanes in permuted order.
        ]],
        zh = [[
          一个扇区有 8 个 float。只要有一个 lane 需要其中一个 float，就要搬运整个扇区。每 4 个或
          每 8 个 lane 里有一个读取时，4 个扇区仍然都需要；每 16 个里有一个读取时，需要 2 个；只
          有 lane 0 读取时，需要 1 个。

          lane 的顺序没有影响：32 个 lane 都读取时，无论 lane l 读第 31 - l 个 float 还是第 l 个，
          请求都触及四个扇区。

          在 2006 年的 G80 上，顺序有影响。有人用一个核函数做过测试：读入三百万个 float，
          各加上一个数，再写回。按顺序访问要 356 微秒，有些 lane 不参与时要 357 微秒，
          各 lane 的顺序打乱后要 3494 微秒。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        A matrix is stored row by row, with 1024 floats per row. The threads of a warp execute the
        same loop over k, and t is threadIdx.x. A read is fully *coalesced* if the warp uses every
        byte that memory moves for this read. In the loop, which of these reads is fully coalesced?
      ]],
      zh = [[
        一个矩阵按行存储，每行 1024 个 float。一个 warp 的线程执行同一个对 k 的循环，
        t 是 threadIdx.x。如果一次读取搬来的字节全部用上，这次读取就是完全*合并*（coalesced）的。在
        循环里，下面哪种读法是完全合并的？
      ]],
      choices = {
        {
          en = "`m[t * 1024 + k]`: each thread walks along its own row",
          zh = "`m[t * 1024 + k]`：每个线程沿自己那一行读",
          because = {
            en = [[
              Each thread reads neighbouring floats, but it reads them one after another. In the
              same step of the loop, neighbouring lanes read floats that are 4096 bytes apart.
            ]],
            zh = [[
              每个线程读的 float 确实相邻，但它们是先后读取的。在循环的同一步里，相邻的 lane 读的地
              址相隔 4096 字节。
            ]],
          },
        },
        {
          en = [[
            `m[k * 1024 + 2 * t]`: each thread walks down one column, and the warp skips every
            second column
          ]],
          zh = "`m[k * 1024 + 2 * t]`：每个线程沿一列往下读，整个 warp 每隔一列读一列",
          because = {
            en = [[
              In the same step of the loop, neighbouring lanes read floats that are 8 bytes apart.
              The request touches 8 sectors, and the warp uses half of each sector.
            ]],
            zh = [[
              在循环的同一步里，相邻的 lane 读的地址相隔 8 字节。请求触及 8 个扇区，每个扇区只用上一
              半。
            ]],
          },
        },
        {
          en = "`m[k * 1024 + t]`: each thread walks down its own column",
          zh = "`m[k * 1024 + t]`：每个线程沿自己那一列往下读",
          right = true,
          because = {
            en = [[
              In the same step of the loop, the lanes read 32 neighbouring floats of one row, which
              lie in 4 sectors. (A single CPU thread is faster in the other direction, along a row.)
            ]],
            zh = [[
              在循环的同一步里，各 lane 读同一行里相邻的 32 个 float，正好是 4 个扇区。
              （单个 CPU 线程正好相反，沿着一行读更快。）
            ]],
          },
        },
      },
    },
    predict {
      en = [[
        The skeleton divides the vector as a CPU program would: each thread takes 32 neighbouring
        elements, one in each step of its loop. How many sectors does one load request touch?
      ]],
      zh = [[
        骨架代码像 CPU 程序那样划分向量：每个线程负责 32 个相邻的元素，循环的每一步处理一个。
        一个读取请求触及多少个扇区？
      ]],
      counter = "gld_sectors_per_request",
      of = "skeleton",
      tolerance = 0,
      unit = "sectors/request",
      because = {
        en = [[
          In each step, neighbouring lanes load floats that are 32 floats apart, that is 128 bytes.
          So each lane touches a sector of its own.
        ]],
        zh = [[
          在每一步里，相邻的 lane 读的位置相隔 32 个 float，也就是 128 字节。
          所以每个 lane 各触及一个扇区。
        ]],
      },
    },
    show {
      en = [[
        This picture shows the requests that each line of the skeleton makes, as measured. Each bar
        is one request, and each cell of the bar is one sector.
      ]],
      zh = "下图是骨架代码每一行的请求，由实测得出。一条是一个请求，一格是一个扇区。",
      picture = "sectors",
      of = "skeleton",
    },
    exercise {
      en = [[
        Let each thread process as many elements as before, but different ones. In each step of the
        loop, neighbouring lanes should access neighbouring floats. The result must be right for
        every n.
      ]],
      zh = [[
        每个线程处理的元素个数不变，但要换成别的元素：在循环的每一步里，相邻的 lane 应当访问相邻的
        float。对任意的 n，结果都要正确。
      ]],
    },
    show {
      en = "The requests of your kernel, line by line:",
      zh = "逐行看你的核函数的请求：",
      picture = "sectors",
      of = "mine",
    },
    compare {
      en = "Your kernel beside the baseline:",
      zh = "你的核函数与基线的对比：",
      counters = { "gld_sectors_per_request", "gst_sectors_per_request", "gld_sectors", "gst_sectors", "l2_sectors", "dram_read" },
      beside = "baseline",
    },
    compare {
      en = [[
        This table shows the model answer and the baseline on a G80 of 2006. (The times are
        modelled.)

        A G80 coalesced half a warp at a time. The k-th of these 16 lanes had to access the k-th
        word of a segment of 64 bytes that began at a multiple of 64. (A segment had 128 bytes for
        float2, and 256 for float4.) Otherwise each lane's word was transferred separately, and no
        cache kept the other words of the segment.
      ]],
      zh = [[
        这张表是参考答案与基线在 2006 年的 G80 上的对比（时间为模型值）。

        G80 每次合并半个 warp（16 个 lane）的访问：其中第 k 个 lane 必须访问一段内存里的第 k 个字，
        这段内存长 64 字节，并且从 64 的倍数处开始（float2 是 128 字节，float4 是 256 字节）。
        否则每个 lane 的字都要单独传输，而且没有缓存能留住这段内存里其余的数据。
      ]],
      of = "answer",
      beside = "baseline",
      on = "sim:g80",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
  },

  hints = {
    {
      en = [[
        Take the first step of the loop, k = 0. Which elements do lanes 0, 1 and 2 access? How many
        bytes are these elements apart?
      ]],
      zh = "看循环的第一步，k = 0。lane 0、1、2 各访问哪个元素？这些元素的地址相隔多少字节？",
    },
    {
      en = [[
        In the first step, let thread t take element t: then neighbouring lanes have neighbouring
        elements. In the next step, each thread should move on by the same distance, and no element
        may be taken twice. How large is this distance? It is the number of threads in the grid.
      ]],
      zh = [[
        第一步让线程 t 处理第 t 个元素，相邻的 lane 就访问相邻的元素。下一步，
        所有线程都往后移动同样的距离，而且任何元素都不能重复处理。这个距离是多少？
        就是整个网格的线程数。
      ]],
    },
    {
      en = [[
        Write a *grid-stride loop*. Let `thread` be the number of the thread in the grid, and
        `int threads = gridDim.x * blockDim.x;`. The thread takes the elements `thread`,
        `thread + threads`, `thread + 2 * threads` and so on, as long as the index is below n.
      ]],
      zh = [[
        写成*网格跨步循环*。设 `thread` 是线程在网格里的编号，
        `int threads = gridDim.x * blockDim.x;`。这个线程处理的下标依次是 `thread`、
        `thread + threads`、`thread + 2 * threads`……只要下标小于 n 就继续。
      ]],
    },
  },

  after = {
    en = [[
      Your kernel computes as much as the baseline, and each thread still makes 32 loads. Only one
      thing is different: which addresses the lanes of a warp access at the same moment. If 32 lanes
      load 4 bytes each, a request needs at least 4 sectors. Your kernel needs only these 4, and it
      uses every byte that memory moves.

      A sector holds eight floats. In the baseline, eight requests ask for the same sector, one for
      each float. For loads, a cache can answer the last seven requests if it keeps the sector long
      enough. But each of the stores goes to the L2, the cache that all multiprocessors share.

      An H200 took 44 us for the baseline and 17 us when neighbouring lanes accessed neighbouring
      floats. (This was measured with cold caches: at the start, the data were not in a cache.)
    ]],
    zh = [[
      你的核函数和基线的计算量相同，每个线程仍然读取 32 次。变的只有一点：同一时刻，
      一个 warp 的各个 lane 访问哪些地址。32 个 lane 各读 4 字节，一个请求至少要 4 个扇区；
      现在正好是 4 个，搬来的字节全部用上。

      一个扇区有八个 float。在基线里，每个扇区要由八个请求各请求一次，每次一个 float。对于读取，只要
      缓存把扇区留得足够久，后七次就可以从缓存得到数据；写入则每次都要送到 L2（所有多处理器共用的缓
      存）。

      在 H200 上，基线用 44 微秒，相邻的 lane 访问相邻的 float 时用 17 微秒。（用冷缓存测得，即开始
      时数据不在缓存里。）
    ]],
  },
  more = {
    en = [[
      Load a `float4` instead of a `float`: one instruction then loads four neighbouring floats.
      Each request touches 16 sectors instead of 4, and yet the warp uses every byte that memory
      moves. Why? (Compare `gld_efficiency_pct`.)
    ]],
    zh = [[
      把 `float` 换成 `float4`，一条指令就读四个相邻的 float。这时每个请求触及 16 个扇区，而不
      是 4 个，搬来的字节却全部用上。为什么？（看看 `gld_efficiency_pct`。）
    ]],
  },
}
