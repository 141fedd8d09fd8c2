-- Chapter 1: two dimensions.
return lab {
  id = "image-gray",
  title = { en = "A picture in blocks", zh = "分块处理图像" },
  chapter = 1,
  minutes = 20,
  needs = { "vector-add" },
  source = "slides III; book 5.3",
  teaches = {
    linearisation = "say ask",
    ["image-76x62"] = "ask",
    ["image-200x150"] = "predict",
  },

  entry = "void image_gray(const unsigned char *rgb, unsigned char *gray, int width, int height)",
  args = { rgb = integers(0, 255, "3 * width * height"), gray = output("width * height") },
  cases = {
    { width = 16, height = 16 },
    { width = 1, height = 1 },
    { width = 76, height = 62 },
    { width = 200, height = 150 },
    { width = 512, height = 384, timed = true },
  },
  hidden = { count = 3, width = { 2, 120 }, height = { 2, 120 } },
  goals = {
    correct { points = 7 },
    at_least("threads_per_block", 64) { points = 3, en = "A multiprocessor holds a limited number of blocks, and blocks this small leave it half empty. Below 32 threads, lanes of a warp stay empty, too.", zh = "一个多处理器能容纳的块数有限，块这么小就装不满；每块不足 32 个线程时，warp 里还会有空着的 lane。" },
  },

  steps = {
    say {
      en = [[
        A picture has two directions, and blocks and grids may have two as well: `dim3 block(16, 16)`. The hardware still numbers the threads of a
        block in one row, x first: thread (x, y) of a 16 x 16 block has the number y * 16 + x. Every 32 consecutive threads form a warp. Here a warp
        is two rows of the block.
      ]],
      zh = [[
        图像有两个方向，块和网格也可以有两个方向：`dim3 block(16, 16)`。硬件仍然把块里的线程排成一列编号，x 优先：16 x 16 的块里，
        线程 (x, y) 的编号是 y * 16 + x。编号相邻的每 32 个线程组成一个线程束（warp），这里正好是块里的两行。
      ]],
    },
    ask {
      en = "A block has {w} x {h} threads: `dim3 block({w}, {h})`. In which of its warps (counted from 0) is the thread with x = {x}, y = {y}?",
      zh = "一个块有 {w} x {h} 个线程：`dim3 block({w}, {h})`。x = {x}、y = {y} 的线程在块里的第几个 warp（从 0 数起）？",
      draw = { w = { from = { 8, 16, 32, 64 } }, h = { from = { 8, 16 } }, x = { 0, 7 }, y = { 1, 7 } },
      answer = function(d) return (d.y * d.w + d.x) // 32 end,
      because = {
        en = "Its number in the block is {y} * {w} + {x}; divide by 32 and round down.",
        zh = "它在块内的编号是 {y} * {w} + {x}，除以 32 向下取整。",
      },
    },
    ask {
      alone = true,
      en = "A picture of {w} x {h} pixels, blocks of 16 x 16 threads: how many blocks does it take?",
      zh = "一幅 {w} x {h} 像素的图像，每块 16 x 16：需要多少块？",
      draw = { w = { 50, 300 }, h = { 50, 300 } },
      answer = function(d) return ceil_div(d.w, 16) * ceil_div(d.h, 16) end,
      replies = { { function(d) return d.w // 16 * (d.h // 16) end, en = "You rounded down: the pixels at the right and bottom edge have no block.", zh = "这是向下取整：右边缘和下边缘的像素没有块负责。" } },
      because = { en = "Round up in each direction, then multiply.", zh = "两个方向分别向上取整，再相乘。" },
    },
    ask {
      en = "A warp *diverges* at `if (x < width && y < height)` when some of its lanes are inside the picture and others are not. Blocks have 16 x 16 threads, so a warp is two rows of a block. Take a picture of {w} x {h} pixels. How many warps diverge? (Look at the rightmost column of blocks first. Then: does the bottom edge fall between two warps, or within one?)",
      zh = "执行 `if (x < width && y < height)` 时，如果一个 warp 的 lane 有的在图内、有的在图外，这个 warp 就*发散*。块是 16 x 16，一个 warp 是块里的两行；图像是 {w} x {h} 像素。一共有多少个 warp 发散？（先看最右一列的块；再看底边落在两个 warp 之间，还是一个 warp 之内？）",
      draw = { w = { from = { 60, 76, 90, 140 } }, h = { 40, 150 } },
      answer = function(d) return ceil_div(d.h, 2) + d.h % 2 * (d.w // 16) end,
      because = {
        en = "On the right, every pair of rows that reaches into the picture diverges: {h} / 2, rounded up. An even number of rows adds nothing at the bottom; if it is odd, the last pair is split in all other columns of blocks as well. The textbook's 76 x 62 picture takes 20 blocks or 160 warps, and 31 of them diverge.",
        zh = "最右一列的块里，每一对至少有一行在图内的行都发散，共 {h} / 2 对（向上取整）。底边上，行数为偶数时不再增加；为奇数时，其余各列块的最后一对行也发散。教科书里 76 x 62 的图像用 20 个块、160 个 warp，其中 31 个发散。",
      },
    },
    predict {
      en = "A textbook says that 80 of the 1040 warps of a 200 x 150 picture diverge. Count them yourself: 8 of the 16 columns of the rightmost blocks are inside. How many *divergent branches* will the model answer show?",
      zh = "有本教科书说，200 x 150 的图像共 1040 个 warp，其中 80 个发散。请自己数一数：最右一列的块，16 列中有 8 列在图内。参考答案会显示多少次*发散分支*？",
      counter = "divergent_branches",
      of = "answer",
      case = { width = 200, height = 150 },
      tolerance = 0.01,
      because = { en = "150 rows are 75 pairs, so 75 warps. The five warps of that column below the picture (rows 150 to 159) are idle as a whole, not split. The book counted them, too.", zh = "150 行是 75 对，即 75 个 warp。这一列中底边以下（第 150 到 159 行）的五个 warp 整个都不工作，并没有发散；教科书把这五个也算进去了。" },
    },
    exercise { en = "Make the kernel work for pictures of any size.", zh = "请让核函数能处理任意大小的图像。" },
    show { en = "Lanes at work, line by line:", zh = "逐行看有多少 lane 在工作：", picture = "divergence", of = "mine" },
    show { en = "A pixel has three bytes, so neighbouring lanes load bytes at a distance of 3. Memory moves *sectors* of 32 bytes; chapter 3 explains them.", zh = "每个像素三个字节，所以相邻的 lane 读的是相隔 3 的单个字节。内存以 32 字节的*扇区*（sector）为单位搬运，第 3 章会详细讲。", picture = "sectors", of = "mine" },
  },

  hints = {
    { goal = "correct", en = "How many blocks lie side by side? How many lie one below the other?", zh = "左右并排多少个块？上下又是多少个？" },
    { goal = "correct", en = "`dim3 grid((width + 15) / 16, ...)`. The kernel already checks the boundary.", zh = "`dim3 grid((width + 15) / 16, …)`。核函数里已经有边界检查。" },
    { en = "`to_gray<<<dim3((width + 15) / 16, (height + 15) / 16), block>>>(rgb, gray, width, height);`", zh = "启动写成 `to_gray<<<dim3((width + 15) / 16, (height + 15) / 16), block>>>(rgb, gray, width, height);`" },
  },

  after = {
    en = "The larger the picture, the smaller the share of warps that diverge: they lie only at the right edge, and at the bottom edge if the number of rows is odd. If a book and a counter disagree, believe the counter, but find out why.",
    zh = "图像越大，发散的 warp 所占比例越小：它们只出现在右边缘，行数为奇数时也出现在底边。教科书和计数器不一致时，相信计数器，但要弄清楚为什么。",
  },
  more = { en = "Try blocks of 32 x 8 and 64 x 4. How many warps diverge now? How do the sectors per request change?", zh = "试试 32 x 8 和 64 x 4 的块。现在有多少个 warp 发散？每个请求的扇区数怎么变？" },
}
