-- Chapter 8: banks of shared memory, predicted and then measured.
local function gcd(a, b) return b == 0 and a or gcd(b, a % b) end

return lab {
  id = "bank-lab",
  title = { en = "Banks: predict, then measure", zh = "存储体：先预测，再测量" },
  chapter = 8,
  minutes = 30,
  needs = { "dynamic-shared", "transpose", "reduce-2-banks" },
  source = "guide 5.3.2; slides II.2, V.2",
  teaches = {
    ["banks-parallel"] = "say",
    ["n-way"] = "say ask predict",
    ["bank-broadcast"] = "ask",
    ["bank-no-conflict"] = "say after",
    ["conflict-cost"] = "after",
    ["wide-shared"] = "say predict after",
    ["stride-conflicts"] = "show ask predict",
    ["banks-16-32"] = "say compare",
    ["padding-swizzle"] = "ask exercise traps",
    ["shared-uses"] = "say goals",
  },

  entry = "void smooth_rows(const float *x, float *y, float a, int rows, int width)",
  args = {
    x = uniform(-1, 1, "rows * width"),
    y = output("rows * width", { ops = "3 * width" }),
    a = scalar("0.25"),
  },
  cases = {
    { rows = 32, width = 32 },
    { rows = 1, width = 1 },
    { rows = 77, width = 33 },
    { rows = 100, width = 40 },
    { rows = 8192, width = 32, timed = true },
  },
  hidden = { count = 3, rows = { 1, 200 }, width = { 1, 150 } },
  goals = {
    correct { points = 4 },
    at_most("shared_load_conflicts", 0) {
      points = 2,
      en = "Lanes still meet in a bank when they read. How many words lie between lane 0's word and lane 1's?",
      zh = "读的时候还有 lane 挤在同一个存储体里。lane 0 和 lane 1 的字之间隔了多少个字？",
    },
    at_most("shared_store_conflicts", 0) {
      points = 2,
      en = "Lanes still meet in a bank when they write.",
      zh = "写的时候还有 lane 挤在同一个存储体里。",
    },
    at_most("global_load_sectors", 1.4 * baseline) {
      points = 1,
      en = "Global memory is no longer read along the rows. Keep the detour through shared memory.",
      zh = "全局内存不再是沿着行读了。请保留绕道共享内存的做法。",
    },
    at_most("global_store_sectors", 1.4 * baseline) {
      points = 1,
      en = "Global memory is no longer written along the rows. Keep the detour through shared memory.",
      zh = "全局内存不再是沿着行写了。请保留绕道共享内存的做法。",
    },
  },

  steps = {
    say {
      en = [[
        Shared memory is divided into *banks* that work at the same time: n addresses in n different banks are served at once, with n times the bandwidth of one. There are 32, each 4 bytes
        wide, and consecutive words lie in consecutive banks (a G80 had 16, and served half a warp at a time). If two lanes want *different* words of *one* bank, the hardware splits the request into as many parts without
        conflict as it takes. With n of them it is an *n-way conflict*: n passes, an n-th of the throughput.

        Old slides say that without conflicts shared memory is as fast as a register. It can feed the arithmetic as fast, but a word takes 29 cycles to arrive on an H200; other warps have to fill that time.
      ]],
      zh = [[
        共享内存分成若干*存储体*（bank），它们同时工作：n 个地址落在 n 个不同的存储体里，就能一起供应，带宽是单个存储体的 n 倍。存储体一共 32 个，每个宽 4 字节，相邻的字在相邻的存储体里（G80 有 16 个，每次服务半个线程束（warp））。
        如果两个 lane 要的是*同一个*存储体里*不同*的字，硬件就把请求拆成几份，每一份里没有冲突。要拆成 n 份，就叫 *n 路冲突*：走 n 遍，吞吐量降为 n 分之一。

        较早的 CUDA 课程的幻灯片说，没有冲突时共享内存和寄存器一样快。论供数的速度，确实跟得上运算；但在 H200 上，一个字要 29 个周期才到，这段时间得靠别的 warp 来填。
      ]],
    },
    show {
      en = "Lane l reads word 8 * l:",
      zh = "lane l 读第 8 * l 个字：",
      picture = "bankmap",
      model = function(lane) return 4 * 8 * lane end,
    },
    show {
      en = "Lane l reads word 9 * l:",
      zh = "lane l 读第 9 * l 个字：",
      picture = "bankmap",
      model = function(lane) return 4 * 9 * lane end,
    },
    ask {
      alone = true,
      en = "Lane l of a full warp reads word {s} * l. How many passes does it take?",
      zh = "一个满员的 warp 里，lane l 读第 {s} * l 个字。要走几遍？",
      draw = { s = { from = { 2, 6, 12, 24, 33, 40, 64 } } },
      answer = function(d) return gcd(d.s, 32) end,
      because = {
        en = "The greatest common divisor of {s} and 32: so many lanes meet in each bank that is used at all. Odd strides have none in common with 32.",
        zh = "{s} 与 32 的最大公约数：凡是用到的存储体，每个里都挤着这么多个 lane。奇数步长与 32 互质。",
      },
    },
    ask {
      alone = true,
      en = "In four accesses the lanes of a warp read the words below. Which access takes more than one pass?",
      zh = "下面四次访问里，一个 warp 的各 lane 读的字如下。哪一次要走不止一遍？",
      choices = {
        {
          en = "All lanes read word 40",
          zh = "所有 lane 都读第 40 个字",
          because = { en = "One word, for everybody: a broadcast, one pass.", zh = "大家要的是同一个字：广播，一遍就够。" },
        },
        {
          en = "Lane l reads word 31 - l",
          zh = "lane l 读第 31 - l 个字",
          because = { en = "32 words in 32 banks. The order does not matter.", zh = "32 个字在 32 个存储体里。次序无关紧要。" },
        },
        {
          en = "Lane l reads word l / 4: 0 0 0 0 1 1 1 1 2 ...",
          zh = "lane l 读第 l / 4 个字：0 0 0 0 1 1 1 1 2 ……",
          because = { en = "8 words in 8 banks, each handed to four lanes: several broadcasts fit into one pass.", zh = "8 个字在 8 个存储体里，每个字发给四个 lane：几组广播可以放在同一遍里。" },
        },
        {
          en = "Even lanes read word 0, odd lanes read word 32",
          zh = "偶数 lane 读第 0 个字，奇数 lane 读第 32 个字",
          right = true,
          because = { en = "Two words, but both in bank 0: two passes. What counts is different words in one bank, not how many lanes want them.", zh = "虽然只有两个字，却都在 0 号存储体里：要两遍。关键是同一个存储体里有几个不同的字，而不是有多少 lane 要它。" },
        },
      },
    },
    say {
      en = [[
        An access of 8 or 16 bytes for each lane asks for 64 or 128 words, and 32 is the most that one pass brings. So it is served in parts: two half-warps for 8 bytes, four quarters of a warp for 16. Within each part the
        rule is the same. Every pass is a *wavefront*; only those beyond what the width needs anyway are conflicts.
      ]],
      zh = [[
        如果每个 lane 一次访问 8 或 16 字节，整个 warp 要的就是 64 或 128 个字，而一遍最多给出 32 个。于是分批供应：8 字节时每批半个 warp，共两批；16 字节时每批四分之一个 warp，共四批。
        每一批里规则照旧。每一遍都是一个 *wavefront*；只有超出宽度所需的那几遍才算冲突。
      ]],
    },
    predict {
      en = "One warp loads a `float4` for each lane, `s[31 - lane]`. How many wavefronts does this one request take?",
      zh = "一个 warp 的每个 lane 读一个 `float4`：`s[31 - lane]`。这一个请求要走多少遍（wavefront）？",
      counter = "shared_ld_wavefronts",
      of = "kernels/bank-lab-wide.cu",
      case = { rows = 4, width = 32 },
      tolerance = 0,
      because = {
        en = "512 bytes at 128 a pass: 4, and no conflict. The same 128 words by 4-byte loads are four requests of one pass each.",
        zh = "512 字节，每遍 128 字节：4 遍，没有冲突。同样的 128 个字，用 4 字节读取就是四个请求，各走一遍。",
      },
    },
    say {
      en = [[
        Now the kernel of this lab. Smoothing runs along a row, each step needs the one before, so a row belongs to one lane. But lanes that walk along rows of global memory are a row apart. So a block brings a tile of 32 rows into shared
        memory, coalesced; there lane l walks along row l; and the results go back, coalesced again. At step k lane l reads and writes word l * width + k.
      ]],
      zh = [[
        再来看本实验的核函数。平滑沿着一行进行，每一步都要用上一步的结果，所以一行只能交给一个 lane。可是各 lane 若在全局内存里各自沿一行读写，彼此就隔着一整行。因此一个块先把 32 行作为一个 tile 合并地搬进共享内存；
        在那里由 lane l 沿着第 l 行往前处理；最后再把结果合并地写回去。第 k 步里，lane l 读写的是第 l * width + k 个字。
      ]],
    },
    predict {
      en = "The baseline smooths 32 rows of {w} words, one tile. Only the walk can conflict: {w} steps, at each one load by one warp. How many load conflicts (passes beyond the first) are there in all?",
      zh = "基线平滑 32 行，每行 {w} 个字，正好一个 tile。只有沿行平滑的部分可能冲突：{w} 步，每步由一个 warp 读一次。读取冲突（第一遍以外的遍数）一共有多少？",
      draw = { w = { from = { 8, 24, 32, 33, 40 } } },
      counter = "shared_ld_conflicts",
      of = "baseline",
      case = function(d) return { rows = 32, width = d.w } end,
      tolerance = 0,
      because = {
        en = "The stride is {w}: each load takes gcd({w}, 32) passes, one less of them are conflicts, and there are {w} loads.",
        zh = "步长是 {w}：每次读取要走 gcd({w}, 32) 遍，减去一就是冲突数，而这样的读取有 {w} 次。",
      },
    },
    ask {
      en = "A colleague pads every row by one word, whatever its width: row r begins at word r * (width + 1). At which of these widths does the walk suffer the most passes?",
      zh = "有同事不管宽度是多少，一律给每行加一个字的填充：第 r 行从第 r * (width + 1) 个字开始。下面哪个宽度下，沿行平滑时的遍数最多？",
      choices = {
        { en = "30", zh = "30", because = { en = "31 apart: odd, one pass.", zh = "相隔 31：奇数，一遍。" } },
        { en = "31", zh = "31", right = true, because = { en = "32 apart: all rows begin in bank 0, and 32 passes. Without the padding there was no conflict at all.", zh = "相隔 32：所有的行都从 0 号存储体开始，要 32 遍。不加填充反而完全没有冲突。" } },
        { en = "32", zh = "32", because = { en = "33 apart: this is what the padding was made for, one pass.", zh = "相隔 33：填充正是为它准备的，一遍。" } },
        { en = "33", zh = "33", because = { en = "34 apart: two passes, where 33 apart took one. Bad, but not the worst.", zh = "相隔 34：两遍，而相隔 33 只要一遍。变差了，但还不是最差。" } },
      },
    },
    exercise {
      en = "Lay the tile out so that the walk has no conflict, for *any* width: neither in loads nor in stores. Global memory is to be read and written as before.",
      zh = "重新安排 tile 的布局，使沿行平滑时*无论宽度是多少*都没有冲突，读和写都是。全局内存的读写方式保持不变。",
    },
    show { en = "Your shared memory, line by line:", zh = "逐行看你的共享内存访问：", picture = "banks", of = "mine" },
    compare {
      en = "As many requests, fewer passes:",
      zh = "请求一样多，遍数少了：",
      counters = { "shared_ld_requests", "shared_ld_wavefronts", "shared_ld_conflicts", "shared_st_conflicts", "gld_sectors", "device_us" },
      beside = "baseline",
    },
    compare {
      en = "The same on a G80, whose 16 banks serve half a warp: two passes for each request at least. An odd distance suits 16 banks as well as 32.",
      zh = "同样的程序放到 G80 上：16 个存储体每次服务半个 warp，所以每个请求至少两遍。奇数间隔对 16 个存储体和 32 个一样合适。",
      counters = { "shared_ld_requests", "shared_ld_wavefronts", "shared_ld_conflicts", "shared_st_conflicts" },
      beside = "baseline",
      on = "sim:g80",
    },
  },

  hints = {
    {
      en = "The distance between two rows of the tile need not be the width of the data. Which distances are free of conflicts?",
      zh = "tile 里两行之间的距离不必等于数据的宽度。哪些距离没有冲突？",
    },
    {
      en = "Choose an odd `pitch`, at least as large as width. Element i of the tile is column i % width of row i / width: it goes to word i / width * pitch + i % width. The block needs more bytes, too.",
      zh = "取一个不小于 width 的奇数作为 `pitch`。tile 的第 i 个元素在第 i / width 行、第 i % width 列，应放在第 i / width * pitch + i % width 个字。块需要的字节数也随之增加。",
    },
    {
      en = "`int pitch = width | 1;` sets the last bit: 32 becomes 33, 33 stays. Use it in all four places that name `tile`, and on the host: `ROWS * (width | 1) * sizeof(float)`.",
      zh = "`int pitch = width | 1;` 把最低位置 1：32 变成 33，33 不变。凡是用到 `tile` 的四处都要改，主机端写 `ROWS * (width | 1) * sizeof(float)`。",
    },
  },

  after = {
    en = [[
      What conflicts cost, measured on an H200: 256 loads in each of 32,768 warps, lane l at word l * stride (+ k).

          stride        1       2       8      32      33
          passes        1       2       8      32       1
          us           51      71     269   1,064      50

      From two passes on the time is that of the passes, 33 us each; below that, other instructions are the limit, and the first conflict is half hidden. Wide accesses help a little: 4-byte loads brought 24.5 words a cycle and
      multiprocessor, 16-byte loads 30 of the possible 32, because fewer instructions are issued.
    ]],
    zh = [[
      冲突的代价，H200 上的实测：32,768 个 warp，各读 256 次，lane l 读第 l * 步长（+ k）个字。

          步长          1       2       8      32      33
          遍数          1       2       8      32       1
          微秒         51      71     269   1,064      50

      从两遍起，时间就由遍数决定，每遍 33 微秒；再往下，瓶颈是别的指令，第一次冲突有一半被掩盖了。向量化访问略有帮助：每个多处理器每周期，4 字节读取给出 24.5 个字，16 字节读取给出 30 个（上限是 32），因为发射的指令少。
    ]],
  },
  more = {
    en = [[
      Give each thread a histogram of its own in shared memory, 32 bins long: once as `bins[thread][bin]`, once as `bins[bin][thread]`. Which of them has conflicts that depend on the data, and which has none, whatever the data? Then add
      up the bins, one thread for each bin, and find a starting point for each that keeps the walk free of conflicts.
    ]],
    zh = [[
      给每个线程在共享内存里各放一份 32 个桶（bin）的直方图：一次写成 `bins[thread][bin]`，一次写成 `bins[bin][thread]`。哪一种的冲突取决于数据，哪一种不论什么数据都没有冲突？
      然后把各份累加起来，每个线程负责一个桶，给每个线程找一个起点，使沿途没有冲突。
    ]],
  },
}
