-- Lanes of a warp side by side in memory: sectors, requests, and the walk that suits a CPU but not a warp.
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
    y = output("n", { ops = 1 }),
    a = scalar("3"),
  },
  cases = { { n = 5000 }, { n = 1 }, { n = 17 }, { n = 1 << 21, timed = true } },
  hidden = { count = 3, n = { 2, 60000 } },
  goals = {
    correct { points = 3 },
    at_most("global_load_sectors", 0.2 * baseline) {
      points = 3,
      en = "The loads still touch too many sectors. In the same step of the loop, which addresses do lanes 0 and 1 load?",
      zh = "读取触及的扇区还是太多。在循环的同一步里，lane 0 读哪个地址？lane 1 读哪个地址？",
    },
    at_most("global_store_sectors", 0.2 * baseline) {
      points = 2,
      en = "The stores still touch too many sectors. Neighbouring lanes should also write neighbouring addresses.",
      zh = "写入触及的扇区还是太多。写的时候，相邻的 lane 也要写相邻的地址。",
    },
    speedup(1.5) { points = 2 },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        When a warp executes a load, its 32 lanes give 32 addresses at once: one *request*. Memory does not move single floats. It moves *sectors* of
        32 bytes (four of them make a cache line of 128), and a request moves every sector that its lanes touch. Even if a lane needs only 4 bytes of
        a sector, the whole sector is moved.

        So it does not matter how far apart the accesses of *one thread* are. It matters how far apart *the lanes of one warp* are at the same moment.
      ]],
      zh = [[
        线程束（warp）执行一条读取指令时，32 个 lane 同时给出 32 个地址，合起来叫一个*请求*（request）。显存不能只搬运单个 float，
        而是以 32 字节的*扇区*（sector）为单位搬运；四个扇区组成一条 128 字节的缓存行。各 lane 触及多少个扇区，这个请求就要搬多少个。
        即使一个 lane 只要其中 4 个字节，整个扇区也要搬运。

        所以，*一个线程*先后访问的地址相隔多远并不重要，重要的是在同一时刻，*同一个 warp 的各个 lane* 相隔多远。
      ]],
    },
    show {
      en = "Lane l reads float l: neighbouring lanes read neighbouring floats. The lanes need 128 bytes, and memory moves 128 bytes.",
      zh = "lane l 读第 l 个 float：相邻的 lane 读相邻的 float。需要 128 字节，搬运 128 字节。",
      picture = "lanes",
      model = function(lane) return 4 * lane end,
    },
    show {
      en = "Lane l reads float 4 * l. The lanes read as many floats as before, but touch four times as many sectors.",
      zh = "lane l 读第 4 * l 个 float。读的 float 一样多，扇区数却是四倍。",
      picture = "lanes",
      model = function(lane) return 16 * lane end,
    },
    ask {
      alone = true,
      en = "Lane l reads float number {s} * l from an aligned array. How many sectors does the request take?",
      zh = "lane l 从对齐的数组里读第 {s} * l 个 float。这个请求要用到多少个扇区？",
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
        en = "The lanes span 32 * stride * 4 bytes, a sector has 32 bytes, and a request of 32 lanes touches at most 32 sectors: min(32, 4 * stride).",
        zh = "所有 lane 横跨 32 * 步长 * 4 字节，一个扇区 32 字节，32 个 lane 的请求最多触及 32 个扇区：即 min(32, 4 * 步长)。",
      },
    },
    ask {
      en = "What share of the moved bytes is used, in per cent, when neighbouring lanes stand {s} floats apart?",
      zh = "当相邻的 lane 相隔 {s} 个 float 时，搬来的字节有百分之几真正用到？",
      draw = { s = { from = { 2, 4, 8, 16 } } },
      answer = function(d) return 100 * 128 / (32 * sectors(d.s)) end,
      tolerance = 0.02,
      unit = "%",
      because = {
        en = "The lanes use 128 bytes; memory moves 32 bytes times the number of sectors. With a stride of 8 floats or more, the share is 1/8: 4 bytes of each 32.",
        zh = "用到的是 128 字节，搬运的是 32 字节乘以扇区数。步长从 8 个 float 起，比例固定为 1/8：每 32 字节只用 4 字节。",
      },
    },
    ask {
      alone = true,
      en = "Only every {s}-th lane takes part: `if (l % {s} == 0) v = x[l];` How many sectors does this request take? (l is the lane, x is aligned.)",
      zh = "只有编号为 {s} 的倍数的 lane 参与：`if (l % {s} == 0) v = x[l];`。这个请求要用到多少个扇区？（l 是 lane 的编号，x 是对齐的。）",
      draw = { s = { from = { 4, 8, 16, 32 } } },
      answer = function(d) return 32 / math.max(8, d.s) end,
      because = {
        en = [[
          Memory moves a sector of 8 floats if any lane needs any of them. Inactive lanes cost nothing, but they save nothing either if another lane
          needs the same sector.

          The order of the lanes does not matter either: if lane l reads float 31 - l, the request takes the same four sectors. On a G80 of 2006
          the order did matter. Reading 3 million floats, adding to them and writing them back took 356 us in order, 357 us with some lanes inactive,
          and 3494 us in permuted order.
        ]],
        zh = [[
          一个扇区有 8 个 float，只要有一个 lane 需要其中任何一个，就要搬运整个扇区。不参与的 lane 不增加代价，但只要别的 lane 还需要同一个扇区，
          也节省不了什么。

          如今顺序也没有影响：lane l 读第 31 - l 个 float，触及的还是那四个扇区。在 2006 年的 G80 上，顺序有影响：把三百万个 float 读入、相加、写回，
          按顺序要 356 微秒，有些 lane 不参与时要 357 微秒，打乱顺序则要 3494 微秒。
        ]],
      },
    },
    ask {
      alone = true,
      en = "A matrix is stored row by row, 1024 floats per row. In a loop over k, which of these reads is fully coalesced, so that every moved byte is used? (t is threadIdx.x)",
      zh = "矩阵按行存储，每行 1024 个 float。在对 k 的循环里，下面哪种读法是完全合并的，搬来的字节全部用到？（t 是 threadIdx.x）",
      choices = {
        {
          en = "`m[t * 1024 + k]`: each thread walks along its own row",
          zh = "`m[t * 1024 + k]`：每个线程沿自己那一行读",
          because = {
            en = "The reads of one thread are neighbours, but it makes them one after the other. At the same k, neighbouring lanes are 4096 bytes apart.",
            zh = "同一个线程前后两次读取的地址确实相邻，但它们先后发生。在同一个 k 上，相邻的 lane 相隔 4096 字节。",
          },
        },
        {
          en = "`m[k * 1024 + 2 * t]`: each thread walks down a column of its own, and every other column is skipped",
          zh = "`m[k * 1024 + 2 * t]`：每个线程沿自己的一列往下读，相邻线程的列中间隔着一列",
          because = {
            en = "At the same k, neighbouring lanes are 8 bytes apart: 8 sectors, and half of each is wasted.",
            zh = "在同一个 k 上，相邻的 lane 相隔 8 字节：8 个扇区，每个都有一半没有用到。",
          },
        },
        {
          en = "`m[k * 1024 + t]`: each thread walks down its own column",
          zh = "`m[k * 1024 + t]`：每个线程沿自己那一列往下读",
          right = true,
          because = {
            en = "At the same k, the lanes read 32 neighbouring elements of one row: 4 sectors. A CPU would prefer the opposite order.",
            zh = "在同一个 k 上，各 lane 读的是同一行里相邻的 32 个元素：4 个扇区。这与适合 CPU 的顺序正好相反。",
          },
        },
      },
    },
    predict {
      en = [[
        The skeleton scales a vector. Each thread takes 32 neighbouring elements, one in each step of its loop, as a CPU thread would. How many
        sectors does one load request take?
      ]],
      zh = [[
        骨架代码把一个向量乘以常数。每个线程像 CPU 线程那样处理 32 个相邻的元素，循环每步处理一个。一个读取请求要用到多少个扇区？
      ]],
      counter = "gld_sectors_per_request",
      of = "skeleton",
      tolerance = 0,
      unit = "sectors/request",
      because = {
        en = "Neighbouring lanes are 32 floats apart, that is 128 bytes: no two lanes share a sector.",
        zh = "相邻的 lane 相隔 32 个 float，也就是 128 字节：没有两个 lane 落在同一个扇区里。",
      },
    },
    show {
      en = "The same, measured line by line: a bar is one request, and a cell is one sector.",
      zh = "逐行测量的结果如下：一条是一个请求，一格是一个扇区。",
      picture = "sectors",
      of = "skeleton",
    },
    exercise {
      en = [[
        Give each thread as many elements as before, but different ones: in each step of the loop, neighbouring lanes should access neighbouring
        floats. The result must be right for every n.
      ]],
      zh = [[
        换一种分法：每个线程处理的元素个数不变，但在循环的每一步里，相邻的 lane 要访问相邻的 float。结果对任意 n 都要正确。
      ]],
    },
    show {
      en = "Your kernel:",
      zh = "你的核函数：",
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
      en = "The model answer beside the baseline on a G80 of 2006 (time modelled). It coalesced half a warp at a time: of 16 lanes, the k-th had to access the k-th word of an aligned segment of 64 bytes (128 for float2, 256 for float4). Otherwise each lane's word became a separate transaction, and no cache kept the rest of the segment:",
      zh = "在 2006 年的 G80 上把参考答案与基线对比（时间为模型值）。G80 每次合并半个 warp：16 个 lane 中的第 k 个必须访问一个对齐段里的第 k 个字，段长 64 字节（float2 为 128 字节，float4 为 256 字节）。否则每个 lane 的字都要单独传输一次，而且没有缓存留住段的其余部分：",
      of = "answer",
      beside = "baseline",
      on = "sim:g80",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
  },

  hints = {
    {
      en = "Write down which elements lanes 0, 1 and 2 access in the first step (k = 0). How many bytes lie between them?",
      zh = "写下循环第一步（k = 0）时 lane 0、1、2 各访问哪个元素。这些元素之间相隔多少字节？",
    },
    {
      en = [[
        In the first step, thread t should take element t. Which element should it take next, so that no element is taken twice and neighbouring lanes
        are neighbours again? The one that lies a whole grid further.
      ]],
      zh = "第一步里，线程 t 应当处理第 t 个元素。下一步该处理哪个元素，才能既不重复，又让相邻的 lane 仍然访问相邻的元素？往后移动的距离等于整个网格的线程数。",
    },
    {
      en = [[
        A *grid-stride loop*: with `int threads = gridDim.x * blockDim.x;` the index is `thread`, then `thread + threads`, then
        `thread + 2 * threads` ... as long as it is below n.
      ]],
      zh = "用*网格跨步循环*：设 `int threads = gridDim.x * blockDim.x;`，下标依次是 `thread`、`thread + threads`、`thread + 2 * threads`……只要还小于 n。",
    },
  },

  after = {
    en = [[
      The arithmetic is the same, and each thread still makes 32 loads. You changed which addresses the lanes access at the same moment: 32 lanes of 4
      bytes need at least 4 sectors per request, and now every moved byte is used.

      In the baseline, eight requests ask for each sector. For loads, a cache that keeps the sector long enough hides this; stores go to the L2 every
      time. Measured on an H200, cold: 44 us for the baseline, 17 us for neighbouring lanes on neighbouring floats.
    ]],
    zh = [[
      运算没有减少，每个线程仍然做 32 次读取；变的只是同一时刻相邻 lane 的地址是否相邻。32 个 lane 各读 4 字节，至少要 4 个扇区，现在正好做到，
      搬来的每个字节都用到。

      在基线里，每个扇区要由八个请求各请求一次：读取时，如果缓存把扇区留得足够久，就能掩盖这个浪费；写入则每次都要写到 L2。在 H200 上（冷缓存实测），
      基线用 44 微秒，相邻的 lane 访问相邻的 float 时用 17 微秒。
    ]],
  },
  more = {
    en = [[
      Read `float4` instead of `float`: one instruction loads four neighbouring floats. The sectors per request rise to 16, and yet nothing is wasted.
      Why is that no contradiction? (Compare `gld_efficiency_pct`.)
    ]],
    zh = [[
      把 `float` 换成 `float4`，一条指令读四个相邻元素：每个请求的扇区数会升到 16，却没有浪费。为什么这并不矛盾？（看看 `gld_efficiency_pct`。）
    ]],
  },
}
