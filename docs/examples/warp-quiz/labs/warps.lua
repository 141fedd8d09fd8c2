-- A quiz: its questions are the whole of it, and some of them are measured.
local x2 = { x = uniform(-1, 1, "2 * n"), y = output("n", { ops = 1 }) }
return lab {
  id = "warps",
  title = { en = "Warps and sectors", zh = "线程束与扇区" },
  chapter = 4,
  minutes = 10,
  goals = { answers { points = 6, need = 0.75 } },
  draws = { size = { n = { 100, 900 }, b = { from = { 64, 128, 256 } } } },

  steps = {
    say {
      en = "Four questions. The first try counts, and you pass with three of them.",
      zh = "一共四题，只计第一次作答，答对三题即通过。",
    },
    ask {
      en = "{n} threads in blocks of {b}: how many warps are launched?",
      zh = "{n} 个线程，每块 {b} 个：一共启动多少个 warp？",
      draw = "size",
      answer = function(d) return ceil_div(d.n, d.b) * d.b / 32 end,
      replies = {
        { function(d) return ceil_div(d.n, 32) end, en = "Blocks are launched whole: the last one has all of its warps.", zh = "线程块是整块启动的：最后一块的 warp 也全部启动。" },
      },
      because = { en = "Blocks first, rounded up, then {b} / 32 warps for each.", zh = "先算块数（向上取整），每块再有 {b} / 32 个 warp。" },
    },
    ask {
      en = "Again {n} threads in blocks of {b}: is every lane of the last block at work?",
      zh = "还是 {n} 个线程、每块 {b} 个：最后一块的每条 lane 都有活干吗？",
      draw = same,
      choices = {
        { en = "only if {b} divides {n}", zh = "只有 {n} 是 {b} 的倍数时才是", right = true, because = { en = "Otherwise the boundary check sends some of them home.", zh = "否则边界检查会让其中一些 lane 直接结束。" } },
        { en = "always", zh = "总是", because = { en = "Then n would always be a multiple of the block's size.", zh = "那样 n 就得总是块大小的倍数。" } },
        { en = "never", zh = "从不", because = { en = "Multiples of {b} have no idle lanes.", zh = "{b} 的倍数就没有空闲的 lane。" } },
      },
    },
    predict {
      en = "Lane i loads the float x[2 * i]. How many sectors of 32 bytes does one request of a warp touch?",
      zh = "第 i 条 lane 读取 float 元素 x[2 * i]。一个 warp 的一次请求触及多少个 32 字节的扇区？",
      of = "kernels/stride.cu",
      entry = "void stride(const float *x, float *y, int n)",
      args = x2,
      case = { n = 1 << 14 },
      counter = "gld_sectors_per_request",
      tolerance = 0.02,
      because = { en = "32 lanes over 64 floats: 256 bytes, 8 sectors, half of which nobody asked for.", zh = "32 条 lane 跨越 64 个 float：256 字节，8 个扇区，其中一半没有人要。" },
    },
    ask {
      en = "What do the threads of one warp share, that those of two warps of a block do not?",
      zh = "同一个 warp 里的线程共用、而同一个块的两个 warp 之间并不共用的是什么？",
      accept = { "instruction", "the instruction", "instruction issue", "issue", "指令", "指令发射", "同一条指令" },
      replies = { { "shared memory", "共享内存", en = "That belongs to the whole block.", zh = "那是整个块共用的。" } },
      because = { en = "An instruction is issued to a warp at once.", zh = "一条指令是对整个 warp 一起发射的。" },
    },
  },

  after = {
    en = "A warp is what the device schedules: instructions, requests and sectors are counted for it, not for its threads.",
    zh = "设备调度的单位是 warp：指令、请求和扇区都按 warp 计，而不是按线程计。",
  },
  more = {
    en = "Change `x[2 * i]` into `x[i]` in kernels/stride.cu, and take the quiz again: which answer changes?",
    zh = "把 kernels/stride.cu 里的 `x[2 * i]` 改成 `x[i]`，再做一次测验：哪一题的答案会变？",
  },
}
