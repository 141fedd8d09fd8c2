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
      en = "Lanes still share a bank when they read. How many words lie between lane 0's word and lane 1's?",
      zh = "读的时候仍有存储体冲突。lane 0 和 lane 1 读的字相隔多少个字？",
    },
    at_most("shared_store_conflicts", 0) {
      points = 2,
      en = "Lanes still share a bank when they write.",
      zh = "写的时候仍有存储体冲突。",
    },
    at_most("global_load_sectors", 1.4 * baseline) {
      points = 1,
      en = "Global memory is no longer read along the rows. Keep the tile in shared memory.",
      zh = "读全局内存时已经不是沿着行了。请保留共享内存里的 tile。",
    },
    at_most("global_store_sectors", 1.4 * baseline) {
      points = 1,
      en = "Global memory is no longer written along the rows. Keep the tile in shared memory.",
      zh = "写全局内存时已经不是沿着行了。请保留共享内存里的 tile。",
    },
  },

  steps = {
    say {
      en = [[
        Shared memory is divided into 32 *banks*, each 4 bytes wide. Consecutive words lie in consecutive banks. All banks work at the same time,
        so n addresses in n different banks are served at once, with n times the bandwidth of one bank. (A G80 had 16 banks and served half a warp
        at a time.)

        If two lanes want *different* words of *one* bank, the hardware splits the request into parts that have no conflict. If n lanes want n
        different words of one bank, the request is an *n-way conflict*: it takes n passes, and the throughput falls to one nth.

        Old slides say that without conflicts shared memory is as fast as a register. A multiprocessor of an H200 does up to 128
        multiply-adds in a cycle, but gets at most 32 words from shared memory: it keeps up only if each word is used several times. And each word
        takes 29 cycles to arrive. Other warps have to fill that time.
      ]],
      zh = [[
        共享内存分成 32 个*存储体*（bank），每个宽 4 字节，相邻的字在相邻的存储体里。所有存储体同时工作：n 个地址落在 n 个不同的存储体里，就能一次全部取出，
        带宽是单个存储体的 n 倍。（G80 有 16 个存储体，每次服务半个线程束（warp）。）

        如果两个 lane 要的是*同一个*存储体里*不同*的字，硬件就把这个请求拆成几份，使每一份里都没有冲突。n 个 lane 要同一个存储体里的 n 个不同的字，叫 *n 路冲突*：要走 n 遍，
        吞吐量降为 n 分之一。

        早期 CUDA 课程的幻灯片说，没有冲突时共享内存和寄存器一样快。其实，H200 的一个多处理器每周期能做 128 次乘加，共享内存每周期最多给出 32 个字：
        只有每个字读来之后用上好几次，吞吐量才跟得上。而且读一个字要等 29 个周期，这段时间要靠其他 warp 的工作来填满。
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
      zh = "一个满的 warp 里，lane l 读第 {s} * l 个字。要走几遍？",
      draw = { s = { from = { 2, 6, 12, 24, 33, 40, 64 } } },
      answer = function(d) return gcd(d.s, 32) end,
      because = {
        en = "The greatest common divisor of {s} and 32: this many lanes share each bank that is used. Odd strides have no common divisor with 32 but 1, so they take one pass.",
        zh = "遍数是 {s} 与 32 的最大公约数：每个用到的存储体里，正好有这么多个 lane 要不同的字。奇数步长与 32 互质，所以只要一遍。",
      },
    },
    ask {
      alone = true,
      en = "Each choice says which words the lanes of a warp read in one access. Which access takes more than one pass?",
      zh = "下面每一项是一个 warp 的一次访问，写明各 lane 读哪个字。哪一次要走不止一遍？",
      choices = {
        {
          en = "All lanes read word 40",
          zh = "所有 lane 都读第 40 个字",
          because = { en = "All lanes want one word: a broadcast, one pass.", zh = "所有 lane 要同一个字：广播，一遍就够。" },
        },
        {
          en = "Lane l reads word 31 - l",
          zh = "lane l 读第 31 - l 个字",
          because = { en = "32 words in 32 banks: one pass. The order does not matter.", zh = "32 个字落在 32 个存储体里：一遍。次序无关紧要。" },
        },
        {
          en = "Lane l reads word l / 4: 0 0 0 0 1 1 1 1 2 ...",
          zh = "lane l 读第 l / 4 个字：0 0 0 0 1 1 1 1 2 ……",
          because = { en = "8 words in 8 banks, each for four lanes. One pass can hold several broadcasts.", zh = "8 个字落在 8 个存储体里，每个字给四个 lane。一遍里可以同时做几组广播。" },
        },
        {
          en = "Even lanes read word 0, odd lanes read word 32",
          zh = "偶数 lane 读第 0 个字，奇数 lane 读第 32 个字",
          right = true,
          because = { en = "Both words lie in bank 0: two passes. The number of different words in one bank counts, not the number of lanes that want them.", zh = "两个字都在 0 号存储体里：要走两遍。决定遍数的是同一个存储体里有几个不同的字，而不是有多少个 lane 要这些字。" },
        },
      },
    },
    say {
      en = [[
        If each lane loads 8 or 16 bytes, the warp wants 64 or 128 words, and one pass brings at most 32. So the hardware serves the request in
        parts: two half-warps for 8 bytes, four quarter-warps for 16. The same rule holds within each part.

        Each pass is called a *wavefront*. Only the wavefronts beyond those that the width needs count as conflicts.
      ]],
      zh = [[
        如果每个 lane 读 8 或 16 字节，整个 warp 要的就是 64 或 128 个字，而一遍最多给出 32 个。所以硬件分批处理：8 字节时每批半个 warp，
        共两批；16 字节时每批四分之一个 warp，共四批。每一批都遵守同样的规则。

        每一遍叫做一个 *wavefront*。宽度本身需要的遍数不算冲突，只有多出来的才算。
      ]],
    },
    predict {
      en = "Each lane of one warp loads a `float4`, `s[31 - lane]`. How many wavefronts does this one request take?",
      zh = "一个 warp 的每个 lane 读一个 `float4`：`s[31 - lane]`。这个请求要走多少遍（wavefront）？",
      counter = "shared_ld_wavefronts",
      of = "kernels/bank-lab-wide.cu",
      case = { rows = 4, width = 32 },
      tolerance = 0,
      because = {
        en = "512 bytes at 128 a pass take 4 passes, without a conflict. With 4-byte loads the same 128 words take four requests of one pass each.",
        zh = "一共 512 字节，每遍 128 字节，要 4 遍，没有冲突。同样的 128 个字如果用 4 字节读取，就是四个请求，各走一遍。",
      },
    },
    say {
      en = [[
        Now the kernel of this lab. It smooths each row, and each step needs the result of the step before, so one lane has to do a whole row. If
        the lanes read their rows in global memory, their addresses would be a row apart.

        Therefore a block loads 32 rows into shared memory as a tile, coalesced. There lane l walks along row l. Then the block stores the
        results, coalesced again. At step k lane l reads and writes word l * width + k.
      ]],
      zh = [[
        再来看本实验的核函数。它沿着每一行做平滑，每一步都要用上一步的结果，所以一行只能交给一个 lane。如果各 lane 直接在全局内存里沿行读写，相邻 lane 的地址就相隔一整行。

        因此，线程块先把 32 行作为一个 tile 读入共享内存，这次读取是合并的；然后 lane l 在共享内存里沿着第 l 行处理；最后线程块把结果写回，也是合并的。
        第 k 步里，lane l 读写第 l * width + k 个字。
      ]],
    },
    predict {
      en = "The baseline smooths 32 rows of {w} words, one tile. Only the walk along the rows can conflict: {w} steps, each with one load by one warp. How many load conflicts (passes beyond the first) are there in all?",
      zh = "基线平滑 32 行，每行 {w} 个字，正好是一个 tile。只有沿行处理时才可能冲突：一共 {w} 步，每步有一个 warp 读一次。读取冲突（第一遍以外的遍数）一共有多少？",
      draw = { w = { from = { 8, 24, 32, 33, 40 } } },
      counter = "shared_ld_conflicts",
      of = "baseline",
      case = function(d) return { rows = 32, width = d.w } end,
      tolerance = 0,
      because = {
        en = "The stride is {w}, so each load takes gcd({w}, 32) passes. All of them but the first are conflicts, and there are {w} loads.",
        zh = "步长是 {w}，每次读取要走 gcd({w}, 32) 遍，除第一遍以外都是冲突。这样的读取一共 {w} 次。",
      },
    },
    ask {
      en = "A colleague pads every row by one word, for any width: row r begins at word r * (width + 1). For which of these widths does the walk take the most passes?",
      zh = "一位同事不管宽度是多少，都给每行填充一个字：第 r 行从第 r * (width + 1) 个字开始。下面哪种宽度下，沿行处理要走的遍数最多？",
      choices = {
        { en = "30", zh = "30", because = { en = "The rows begin 31 words apart: an odd number, one pass.", zh = "相邻两行的起点相距 31 个字：奇数，一遍。" } },
        { en = "31", zh = "31", right = true, because = { en = "The rows begin 32 words apart, all in bank 0: 32 passes. Without the padding there was no conflict.", zh = "相邻两行的起点相距 32 个字，所有行都从 0 号存储体开始：32 遍。不填充反而没有冲突。" } },
        { en = "32", zh = "32", because = { en = "The rows begin 33 words apart: one pass. The padding was made for this width.", zh = "相邻两行的起点相距 33 个字：一遍。填充一个字，本来就是为这种宽度设计的。" } },
        { en = "33", zh = "33", because = { en = "The rows begin 34 words apart: two passes. Without the padding it was one, but another width is worse.", zh = "相邻两行的起点相距 34 个字：两遍，不填充时只要一遍。变差了，但还不是最差的。" } },
      },
    },
    exercise {
      en = "Lay out the tile so that the walk has no conflict for *any* width, neither in loads nor in stores. Read and write global memory as before.",
      zh = "请重新安排 tile 的布局，使沿行处理时，*任何宽度*下的读和写都没有冲突。全局内存的读写方式保持不变。",
    },
    show { en = "Your shared memory, line by line:", zh = "逐行看你的共享内存访问：", picture = "banks", of = "mine" },
    compare {
      en = "The same number of requests, fewer passes:",
      zh = "请求数不变，遍数减少：",
      counters = { "shared_ld_requests", "shared_ld_wavefronts", "shared_ld_conflicts", "shared_st_conflicts", "gld_sectors", "device_us" },
      beside = "baseline",
    },
    compare {
      en = "The same on a G80. Its 16 banks serve half a warp, so each request takes at least two passes. An odd stride suits 16 banks as well as 32.",
      zh = "同样的程序放到 G80 上。它的 16 个存储体每次服务半个 warp，所以每个请求至少走两遍。奇数步长对 16 个存储体同样没有冲突。",
      counters = { "shared_ld_requests", "shared_ld_wavefronts", "shared_ld_conflicts", "shared_st_conflicts" },
      beside = "baseline",
      on = "sim:g80",
    },
  },

  hints = {
    {
      en = "The distance between two rows of the tile may differ from the width of the data. Which distances are free of conflicts?",
      zh = "tile 里相邻两行的距离可以不等于数据的宽度。哪些距离没有冲突？",
    },
    {
      en = "Choose an odd `pitch` that is at least width. Element i of the tile is column i % width of row i / width: it goes to word i / width * pitch + i % width. The block also needs more bytes.",
      zh = "取一个不小于 width 的奇数作为 `pitch`。tile 的第 i 个元素在第 i / width 行、第 i % width 列，应放在第 i / width * pitch + i % width 个字。块需要的共享内存也要相应增加。",
    },
    {
      en = "`int pitch = width | 1;` sets the last bit: 32 becomes 33, 33 stays. Use it in all four places that name `tile`. On the host the bytes become `ROWS * (width | 1) * sizeof(float)`.",
      zh = "`int pitch = width | 1;` 把最低位置 1：32 变成 33，33 不变。用到 `tile` 的四处都要改；主机端的字节数写成 `ROWS * (width | 1) * sizeof(float)`。",
    },
  },

  after = {
    en = [[
      This is what conflicts cost on an H200 (measured). Each of 32,768 warps makes 256 loads, and lane l reads word l * stride (+ k):

          stride        1       2       8      32      33
          passes        1       2       8      32       1
          us           51      71     269   1,064      50

      From two passes on, the passes decide the time: 33 us each. With one pass other instructions are the limit, so the second pass adds only
      20 us, not 33.

      Wide accesses help a little: in each cycle a multiprocessor got 24.5 words by 4-byte loads and 30 by 16-byte loads, of 32 possible. Wide
      accesses need fewer instructions.
    ]],
    zh = [[
      存储体冲突的代价，在 H200 上实测如下。32,768 个 warp 各读 256 次，lane l 读第 l * 步长（+ k）个字：

          步长          1       2       8      32      33
          遍数          1       2       8      32       1
          微秒         51      71     269   1,064      50

      从两遍起，用时由遍数决定，每遍 33 微秒。只有一遍时，瓶颈是其他指令，所以从 1 遍增到 2 遍只多 20 微秒，不是 33 微秒。

      向量化访问略有帮助：每个多处理器每周期最多给出 32 个字，4 字节读取实际得到 24.5 个，16 字节读取得到 30 个，因为需要的指令更少。
    ]],
  },
  more = {
    en = [[
      Give each thread a histogram of 32 bins in shared memory. Write it once as `bins[thread][bin]` and once as `bins[bin][thread]`. In which
      layout do the conflicts depend on the data, and which layout never conflicts?

      Then add up the histograms, one thread for each bin. Find a starting point for each thread so that the walk has no conflicts.
    ]],
    zh = [[
      在共享内存里给每个线程各放一份 32 个桶（bin）的直方图：先写成 `bins[thread][bin]`，再写成 `bins[bin][thread]`。哪种布局的冲突取决于数据？
      哪种布局不论什么数据都没有冲突？

      然后把各份直方图累加起来，每个线程负责一个桶。给每个线程选一个起点，使累加的过程没有冲突。
    ]],
  },
}
