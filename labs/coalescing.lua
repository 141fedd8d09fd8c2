-- Lanes of a warp side by side in memory: sectors, requests, and the walk that suits a CPU but not a warp.
local function sectors(stride) return math.min(32, 4 * stride) end

return lab {
  id = "coalescing",
  title = { en = "Coalescing: lanes side by side", zh = "合并访问：让 lane 肩并肩" },
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
      en = "Loads still touch too many sectors in all. At one turn of the loop, which address does lane 0 load from, and which lane 1?",
      zh = "读取触及的扇区总数还是太多。在循环的同一步里，lane 0 从哪个地址读取？lane 1 呢？",
    },
    at_most("global_store_sectors", 0.2 * baseline) {
      points = 2,
      en = "Stores still touch too many sectors in all. Lanes should stand side by side when they write, too.",
      zh = "写入触及的扇区总数还是太多。写的时候，相邻的 lane 也要写相邻的地址。",
    },
    speedup(1.5) { points = 2 },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        When a warp executes a load, its 32 lanes hand in 32 addresses at once: one *request*. Memory does not answer in floats. It moves
        *sectors* of 32 bytes (four of them make a cache line of 128), and a request takes as many of them as its lanes touch. A sector that one lane needs 4 bytes of is moved whole.

        So the question is never how far *one thread* walks, but how far apart *the lanes of one warp* stand at the same moment.
      ]],
      zh = [[
        线程束（warp）执行一条读取指令时，32 个 lane 同时交出 32 个地址，合起来叫一个*请求*（request）。显存并不按 float 应答，它以 32 字节的*扇区*（sector，
        四个扇区组成一条 128 字节的缓存行）为单位搬运；各 lane 碰到多少个扇区，这个请求就要搬多少个。哪怕一个 lane 只要其中 4 个字节，整个扇区也得搬过来。

        所以要问的从来不是*一个线程*走了多远，而是在同一时刻，*同一个 warp 的各个 lane* 彼此隔了多远。
      ]],
    },
    show {
      en = "Lane l reads float number l: the lanes stand side by side. 128 bytes are asked for, 128 bytes are moved.",
      zh = "lane l 读第 l 个 float：lane 肩并肩。要了 128 字节，搬了 128 字节。",
      picture = "lanes",
      model = function(lane) return 4 * lane end,
    },
    show {
      en = "Lane l reads float number 4 * l. Same number of floats, four times the sectors.",
      zh = "lane l 读第 4 * l 个 float。要的 float 一样多，扇区却是四倍。",
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
        en = "The lanes span 32 * stride * 4 bytes, a sector is 32 bytes, and no request touches more than 32 sectors: min(32, 4 * stride).",
        zh = "所有 lane 横跨 32 * 步长 * 4 字节，一个扇区 32 字节，而一个请求最多碰到 32 个扇区：即 min(32, 4 * 步长)。",
      },
    },
    ask {
      en = "And what share of the bytes that are moved is used, in per cent, when the lanes stand {s} floats apart?",
      zh = "当 lane 之间相隔 {s} 个 float 时，搬来的字节有百分之几真正被用到？",
      draw = { s = { from = { 2, 4, 8, 16 } } },
      answer = function(d) return 100 * 128 / (32 * sectors(d.s)) end,
      tolerance = 0.02,
      unit = "%",
      because = {
        en = "128 bytes are used; 32 bytes times the number of sectors are moved. From a stride of 8 floats on it is 1/8: 4 bytes of each 32.",
        zh = "用到的是 128 字节，搬运的是 32 字节乘以扇区数。步长到 8 个 float 以后就固定为 1/8：每 32 字节只用 4 字节。",
      },
    },
    ask {
      alone = true,
      en = "Only every {s}-th lane takes part: `if (l % {s} == 0) v = x[l];` How many sectors does this request take? (l is the lane, x is aligned.)",
      zh = "只有编号为 {s} 的倍数的 lane 参与：`if (l % {s} == 0) v = x[l];`。这个请求要用到多少个扇区？（l 是 lane 的编号，x 是对齐的。）",
      draw = { s = { from = { 4, 8, 16, 32 } } },
      answer = function(d) return 32 / math.max(8, d.s) end,
      because = {
        en = "A sector of 8 floats is moved when any lane wants any of it. Lanes that stand by cost nothing, and save nothing as long as a neighbour wants the sector. Nor does the order matter today: lane l reading float 31 - l takes the same four sectors. On a G80 of 2006 it did: 3 million floats took 356 us in order, 357 with some lanes standing by, and 3494 permuted.",
        zh = "一个扇区有 8 个 float，只要有一个 lane 要其中任何一个，就得搬来。不参加的 lane 不增加代价，但只要旁边的 lane 还要这个扇区，也省不下什么。如今顺序也无所谓：lane l 读第 31 - l 个 float，还是那四个扇区。在 2006 年的 G80 上就不一样了：三百万个 float，按顺序读要 356 微秒，有些 lane 不参加要 357 微秒，打乱顺序则要 3494 微秒。",
      },
    },
    ask {
      alone = true,
      en = "A matrix is stored row by row, 1024 floats to a row. In a loop over k, which of these reads is fully coalesced, so that no byte is moved in vain? (t is threadIdx.x)",
      zh = "矩阵按行存储，每行 1024 个 float。在对 k 的循环里，下面哪种读法是完全合并的，不浪费一个字节？（t 是 threadIdx.x）",
      choices = {
        {
          en = "`m[t * 1024 + k]`: each thread walks along its own row",
          zh = "`m[t * 1024 + k]`：每个线程沿自己那一行读",
          because = {
            en = "One thread's reads are neighbours, but it makes them one after the other. At the same k, lanes stand 4096 bytes apart.",
            zh = "同一个线程前后两次读的确实相邻，但那是先后发生的。在同一个 k 上，各 lane 彼此相隔 4096 字节。",
          },
        },
        {
          en = "`m[k * 1024 + 2 * t]`: each thread walks down every other column",
          zh = "`m[k * 1024 + 2 * t]`：每个线程隔一列往下读",
          because = {
            en = "At the same k the lanes stand 8 bytes apart: 8 sectors, half of each for nothing.",
            zh = "在同一个 k 上，各 lane 相隔 8 字节：8 个扇区，每个都有一半白搬。",
          },
        },
        {
          en = "`m[k * 1024 + t]`: each thread walks down its own column",
          zh = "`m[k * 1024 + t]`：每个线程沿自己那一列往下读",
          right = true,
          because = {
            en = "At the same k the lanes read 32 neighbours of one row: 4 sectors. This is the opposite of what suits a CPU.",
            zh = "在同一个 k 上，各 lane 读的是同一行里相邻的 32 个元素：4 个扇区。这与 CPU 喜欢的走法正好相反。",
          },
        },
      },
    },
    predict {
      en = [[
        The skeleton scales a vector. A thread takes 32 neighbouring elements, one at each turn of its loop, as a CPU thread would. How many
        sectors does one load request take?
      ]],
      zh = [[
        骨架代码把一个向量乘以常数。每个线程像 CPU 线程那样拿 32 个相邻的元素，循环每步处理一个。一个读取请求要用到多少个扇区？
      ]],
      counter = "gld_sectors_per_request",
      of = "skeleton",
      tolerance = 0,
      unit = "sectors/request",
      because = {
        en = "Lanes stand 32 floats, 128 bytes, apart: no two of them share a sector.",
        zh = "各 lane 相隔 32 个 float，也就是 128 字节：没有哪两个 lane 落在同一个扇区里。",
      },
    },
    show {
      en = "The same, measured line by line: a bar is one request, a cell one sector.",
      zh = "逐行测量的结果如下：一条是一个请求，一格是一个扇区。",
      picture = "sectors",
      of = "skeleton",
    },
    exercise {
      en = [[
        Give every thread other elements: the same number, but such that neighbouring lanes touch neighbouring floats at each turn. Keep it
        right for every n.
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
      en = "Beside the walk in chunks:",
      zh = "与分段走法的对比：",
      counters = { "gld_sectors_per_request", "gst_sectors_per_request", "gld_sectors", "gst_sectors", "l2_sectors", "dram_read" },
      beside = "baseline",
    },
    compare {
      en = "The model answer beside the baseline on a G80 of 2006 (time modelled). It coalesced half a warp at a time: 16 lanes, the k-th of them at the k-th word of an aligned segment of 64 bytes (128 for float2, 256 for float4). Otherwise each lane's word became a transaction of its own, and no cache kept the rest of it:",
      zh = "在 2006 年的 G80 上把参考答案与基线对比（时间为模型值）。它每次合并半个 warp：16 个 lane，第 k 个必须读对齐段里的第 k 个字，段长 64 字节（float2 为 128 字节，float4 为 256 字节）。否则每个 lane 的字都单独传输一次，而且没有缓存留住其余部分：",
      of = "answer",
      beside = "baseline",
      on = "sim:g80",
      counters = { "device_us", "gld_sectors", "gst_sectors" },
    },
  },

  hints = {
    {
      en = "Write down which elements lanes 0, 1 and 2 touch at the first turn (k = 0). How many bytes lie between them?",
      zh = "写下循环第一步（k = 0）时 lane 0、1、2 各碰到哪个元素。它们之间隔了多少字节？",
    },
    {
      en = [[
        At the first turn thread t should take element t. Where does it go next, so that no element is taken twice and the lanes are side by
        side again? One whole grid further.
      ]],
      zh = "第一步里，线程 t 应当处理第 t 个元素。下一步它该去哪里，才能既不重复，又让各 lane 仍然肩并肩？往前跨过整个网格。",
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
      Nothing was saved in arithmetic, and every thread still makes 32 loads. What changed is who stands beside whom at the same
      moment: 4 sectors per request are the least that 32 four-byte lanes can take, and every byte moved is used. With chunks each sector
      was asked for by eight requests; for loads a cache that holds it long enough hides that; stores go on to the L2 every time. Measured on an
      H200, cold: 44 us in chunks, 17 side by side.
    ]],
    zh = [[
      算术一点没少，每个线程照样做 32 次读取；变的只是同一时刻相邻 lane 的地址是否相邻。32 个 4 字节的 lane 至少要 4 个扇区，现在正好做到，搬来的每个字节都用上了。
      分段走时，每个扇区要被八个请求各请求一次：读取时，缓存留得足够久就能掩盖这个浪费；写入则每次都要一直写到 L2。在 H200 上实测（冷缓存）：分段走 44 微秒，
      肩并肩 17 微秒。
    ]],
  },
  more = {
    en = [[
      Read `float4` instead of `float`, four neighbours in one instruction: sectors per request rise to 16, and yet nothing is wasted. Why
      is that no contradiction? (Compare `gld_efficiency_pct`.)
    ]],
    zh = [[
      把 `float` 换成 `float4`，一条指令读四个相邻元素：每个请求的扇区数会升到 16，却没有浪费。为什么这并不矛盾？（看看 `gld_efficiency_pct`。）
    ]],
  },
}
