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
    correct { points = 6 },
    at_most("global_store_bytes", 2.6 * baseline) {
      points = 1,
      en = "Several of your threads compute the same pixel. Let every thread compute pixels of its own.",
      zh = "有几个线程在算同一个像素。每个线程应当算各自的像素。",
    },
    at_least("threads_per_block", 64) { points = 3, en = "A multiprocessor holds a limited number of blocks. With blocks this small, many of its places for threads stay empty. If a block has fewer than 32 threads, some lanes of its warp do nothing, too.", zh = "一个多处理器能容纳的块数有限，块这么小，多处理器里能放线程的位置就有许多空着。如果一个块不足 32 个线程，warp 里还会有不工作的 lane。" },
  },

  steps = {
    say {
      en = [[
        This lab's kernel turns a colour picture into a grey one: each thread computes one pixel. You will find out how blocks cover a picture of any
        size, which threads of a block form a warp, and how many warps diverge at the edges of the picture.

        A picture has two directions, so we use blocks and grids with two directions: `dim3 block(16, 16)`. The device still gives each thread of a
        block a single number, row by row from 0 on: thread (x, y) of a 16 x 16 block has the number y * 16 + x. Threads 0 to 31 form the first warp,
        threads 32 to 63 the second, and so on. In a 16 x 16 block, a warp is therefore two rows of threads.
      ]],
      zh = [[
        本实验的核函数把彩色图像变成灰度图像，每个线程计算一个像素。你会学到：怎样用块覆盖任意大小的图像，块里的哪些线程组成一个线程束（warp），
        图像边缘有多少个 warp 会发散。

        图像有两个方向，所以块和网格也用两个方向：`dim3 block(16, 16)`。块里的每个线程仍然只有一个编号，从 0 开始，一行接一行地数：在 16 x 16 的块里，
        线程 (x, y) 的编号是 y * 16 + x。线程 0 到 31 组成第一个 warp，线程 32 到 63 组成第二个，依此类推。所以 16 x 16 的块里，每两行线程是一个 warp。
      ]],
    },
    ask {
      en = "A block has {w} x {h} threads: `dim3 block({w}, {h})`. Which warp of the block holds the thread with x = {x}, y = {y}? (Warps count from 0.)",
      zh = "一个块有 {w} x {h} 个线程：`dim3 block({w}, {h})`。x = {x}、y = {y} 的线程属于块里的第几个 warp？（warp 从 0 数起。）",
      draw = { w = { from = { 8, 16, 32, 64 } }, h = { from = { 8, 16 } }, x = { 0, 7 }, y = { 1, 7 } },
      answer = function(d) return (d.y * d.w + d.x) // 32 end,
      because = {
        en = "The thread has the number {y} * {w} + {x} in its block. Divide this number by 32 and round down.",
        zh = "这个线程在块内的编号是 {y} * {w} + {x}，除以 32，再向下取整。",
      },
    },
    ask {
      alone = true,
      en = "How many blocks of 16 x 16 threads cover a picture of {w} x {h} pixels?",
      zh = "用 16 x 16 个线程的块覆盖一幅 {w} x {h} 像素的图像，需要多少个块？",
      draw = { w = { 50, 300 }, h = { 50, 300 } },
      answer = function(d) return ceil_div(d.w, 16) * ceil_div(d.h, 16) end,
      replies = { { function(d) return d.w // 16 * (d.h // 16) end, en = "You rounded down. Then the last pixels at the right edge and at the bottom edge have no block.", zh = "这是向下取整。这样右边缘和底边最后的一些像素没有块处理。" } },
      because = { en = "Divide the width by 16 and round up. Do the same with the height. Then multiply the two numbers.", zh = "宽度除以 16，向上取整；高度也这样算；再把两个数相乘。" },
    },
    ask {
      en = "At `if (x < width && y < height)`, a warp *diverges* if some of its lanes are inside the picture and others are outside. In 16 x 16 blocks, a warp is two rows of threads. The picture has {w} x {h} pixels. How many warps diverge? (Look at the rightmost blocks first. Then look at the bottom edge: does it lie between two warps, or between the two rows of a warp?)",
      zh = "执行 `if (x < width && y < height)` 时，如果一个 warp 里有的 lane 在图内、有的在图外，这个 warp 就*发散*。块是 16 x 16，每个 warp 是块里的两行线程。图像是 {w} x {h} 像素。一共有多少个 warp 发散？（先看最右一列的块。再看底边：底边在两个 warp 之间，还是在同一个 warp 的两行之间？）",
      draw = { w = { from = { 60, 76, 90, 140 } }, h = { 40, 150 } },
      answer = function(d) return ceil_div(d.h, 2) + d.h % 2 * (d.w // 16) end,
      because = {
        en = "In the rightmost blocks, every warp with at least one row in the picture diverges: {h} / 2 warps, rounded up. If the height is odd, the bottom edge also splits one warp in each of the other blocks of the bottom row. If the height is even, it splits none. A textbook has a picture of 76 x 62 pixels: it takes 20 blocks with 160 warps, and 31 of these warps diverge.",
        zh = "在最右一列的块里，warp 只要有一行在图内就发散，共 {h} / 2 个，向上取整。高度为奇数时，最下一行的块里除了最右一块，每块还有一个 warp 被底边从中间穿过，这些 warp 也发散。高度为偶数时，底边不穿过任何 warp。教科书里 76 x 62 的图像用 20 个块，共 160 个 warp，其中 31 个发散。",
      },
    },
    predict {
      en = "A textbook says that a 200 x 150 picture takes 1040 warps and that 80 of them diverge. Count yourself how many warps diverge: the blocks are 16 x 16, and 8 of the 16 columns of the rightmost blocks are inside the picture. How many *divergent branches* will the device count for the model answer?",
      zh = "有本教科书说，200 x 150 的图像要用 1040 个 warp，其中 80 个发散。请你自己数一数发散的 warp：块是 16 x 16，在最右一列的块里，16 列中有 8 列在图内。运行参考答案时，设备会数到多少次*发散分支*？",
      counter = "divergent_branches",
      of = "answer",
      case = { width = 200, height = 150 },
      tolerance = 0.01,
      because = { en = "75: the picture has 150 rows, that is 75 pairs of rows, and for each pair one warp of a rightmost block diverges. The rightmost blocks have five more warps, for rows 150 to 159. All lanes of these five warps are outside the picture, so the five warps do not diverge. The textbook counted them, too.", zh = "75 次：图像有 150 行，即 75 对，每一对行在最右一列的块里对应一个发散的 warp。这一列的块还有五个 warp，对应第 150 到 159 行。这五个 warp 的所有 lane 都在图外，所以没有发散；教科书把这五个也算进去了。" },
    },
    exercise { en = "The skeleton launches only one block. Launch a grid that covers a picture of any size.", zh = "骨架代码只启动一个块。请启动一个能覆盖任意大小图像的网格。" },
    show { en = "Your kernel, line by line: how many of the 32 lanes of a warp were active on average.", zh = "逐行看你的核函数：一个 warp 的 32 个 lane 里平均有多少个在工作。", picture = "divergence", of = "mine" },
    show { en = "Your memory accesses. A pixel has three bytes, so neighbouring lanes load bytes that are 3 bytes apart. Memory moves *sectors* of 32 bytes; chapter 3 explains sectors.", zh = "你的内存访问。每个像素占三个字节，所以相邻的 lane 读的两个字节相隔 3。内存以 32 字节的*扇区*（sector）为单位搬运，第 3 章会详细讲扇区。", picture = "sectors", of = "mine" },
  },

  hints = {
    { goal = "correct", en = "How many blocks cover the width of the picture? How many blocks cover its height?", zh = "图像的宽度需要多少个块？高度需要多少个块？" },
    { goal = "correct", en = "`dim3 grid((width + 15) / 16, ...)` covers the width. The kernel already has a boundary check.", zh = "`dim3 grid((width + 15) / 16, …)` 覆盖了宽度。核函数里已经有边界检查。" },
    { en = "`to_gray<<<dim3((width + 15) / 16, (height + 15) / 16), block>>>(rgb, gray, width, height);`", zh = "启动写成 `to_gray<<<dim3((width + 15) / 16, (height + 15) / 16), block>>>(rgb, gray, width, height);`" },
  },

  after = {
    en = "The larger the picture, the smaller the share of warps that diverge. Only warps at the right edge diverge, and, if the height is odd, warps at the bottom edge. If a book and a counter disagree, believe the counter, but find out why they disagree.",
    zh = "图像越大，发散的 warp 占的比例越小。发散的只有右边缘的 warp；高度为奇数时，还有底边的 warp。教科书和计数器不一致时，应当相信计数器，但要弄清楚为什么不一致。",
  },
  more = { en = "Try blocks of 32 x 8 and of 64 x 4 threads. How many warps diverge with each block size? How does the number of sectors per request change?", zh = "试试 32 x 8 和 64 x 4 个线程的块。这两种块各有多少个 warp 发散？每个请求的扇区数怎样变化？" },
}
