-- Chapter 7: division and remainder of integers, and how to do without.
return lab {
  id = "int-div",
  title = { en = "Indices without division", zh = "不用除法算下标" },
  chapter = 7,
  minutes = 25,
  needs = { "image-gray", "constants" },
  source = "guide 5.4; slides, cost of operations; H200",
  teaches = {
    ["int-div-cost"] = "say ask goals",
    ["int-div-time"] = "say",
    ["shift-and-mask"] = "ask exercise goals",
    ["literal-divisor"] = "ask",
    ["bit-intrinsics"] = "ask",
    mul24 = "after",
    ["index-decoding"] = "ask exercise",
  },

  entry = "void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t)",
  args = {
    ["in"] = integers(0, 255, "rows * cols"),
    out = output("ceil_div(rows, t) * ceil_div(cols, t) * t * t"),
  },
  cases = {
    { rows = 32, cols = 64, t = 8 },
    { rows = 1, cols = 1, t = 4 },
    { rows = 37, cols = 101, t = 16 },
    { rows = 50, cols = 90, t = 32 },
    { rows = 9, cols = 162, t = 4 },
    { rows = 1024, cols = 1020, t = 8, timed = true },
  },
  hidden = { count = 3, rows = { 1, 90 }, cols = { 1, 150 }, t = { 16, 16 } },
  goals = {
    correct { points = 4 },
    at_most("divisions", 0.1 * baseline) {
      points = 4,
      en = "Divisions are left. Which divisor is a power of two? And which quotient could a block's or a thread's own coordinates tell?",
      zh = "还有除法。哪些除数是 2 的幂？哪些商可以由线程块或线程自己的坐标直接给出？",
    },
    at_most("warp_inst", 1.5 * baseline) {
      points = 2,
      en = "The divisions are gone, but what came in their place takes more instructions.",
      zh = "除法没有了，但换上来的写法用的指令更多。",
    },
  },

  steps = {
    say {
      en = [[
        No NVIDIA GPU has an instruction for integer division. `a / b` and `a % b` become a sequence of up to some 20 instructions: a reciprocal in floating point, and steps that mend its last
        bits. Indices are full of them: a flat index becomes row and column by `/` and `%`.

        Measured on an H200, 128 times for each of 270,336 threads, loop included:

            v / d, d known at run time      18 us
            v / 10                         8.4 us
            v >> 4                         4.7 us
            64-bit v / d                   147 us

        A shift is one instruction. The 64-bit quotient is a subroutine: do not index with `long long` or `size_t` where an int will do.
      ]],
      zh = [[
        NVIDIA 的 GPU 都没有整数除法指令。`a / b` 和 `a % b` 会变成最多约 20 条的指令序列：先用浮点求倒数，再一步步修正最后几位。而下标计算里到处都是除法：把一维下标变成行和列就要用 `/` 和 `%`。

        在 H200 上实测，270,336 个线程各做 128 次，包括循环本身：

            v / d，d 在运行时才知道         18 微秒
            v / 10                         8.4 微秒
            v >> 4                         4.7 微秒
            64 位的 v / d                  147 微秒

        移位只是一条指令。64 位的商则是一个子程序：int 够用的地方，不要拿 `long long` 或 `size_t` 做下标。
      ]],
    },
    ask {
      alone = true,
      en = "x is an unsigned int and n = 32. What is the same as `x % n`?",
      zh = "x 是 unsigned int，n = 32。下面哪个等于 `x % n`？",
      choices = {
        { en = "`x & n`", zh = "`x & n`", because = { en = "That looks at a single bit: it is 0 or 32.", zh = "这只看一位：结果不是 0 就是 32。" } },
        { en = "`x >> 5`", zh = "`x >> 5`", because = { en = "That is the quotient, `x / n`.", zh = "这是商，即 `x / n`。" } },
        { en = "`x & (n - 1)`", zh = "`x & (n - 1)`", right = true, because = { en = "n - 1 is 31, five ones: the bits that the shift by log2(n) = 5 drops.", zh = "n - 1 是 31，五个 1：正是右移 log2(n) = 5 位时丢掉的那些位。" } },
      },
    },
    ask {
      alone = true,
      en = "A signed int i is -{m}. In C++ `i / 4` rounds towards zero. What is `i >> 2`?",
      zh = "有符号的 int i 是 -{m}。C++ 的 `i / 4` 向零取整。那么 `i >> 2` 是多少？",
      draw = { m = { from = { 5, 6, 7, 9, 10, 11, 13 } } },
      answer = function(d) return -((d.m + 3) // 4) end,
      replies = {
        { function(d) return -(d.m // 4) end, en = "This is `i / 4`. A shift rounds down.", zh = "这是 `i / 4`。移位是向下取整。" },
        { function(d) return (d.m + 3) // 4 end, en = "Mind the sign.", zh = "注意符号。" },
      },
      because = {
        en = "A shift rounds down, away from zero. So for a signed i the compiler adds steps that mend this, even where it may shift. Make indices unsigned, or shift them yourself where you know that they are not negative.",
        zh = "移位向下取整，对负数就是远离零。所以 i 有符号时，即使编译器可以用移位，也得加几步来修正。下标请用无符号数，或者在确知非负时自己写移位。",
      },
    },
    ask {
      alone = true,
      en = "Which of these divisions does the compiler turn into a shift by itself? (i is unsigned.)",
      zh = "下面哪个除法会由编译器自己变成移位？（i 是无符号数。）",
      choices = {
        {
          en = "`i / n`, where every launch passes n = 16",
          zh = "`i / n`，每次启动传进来的 n 都是 16",
          because = { en = "The kernel is compiled before anybody passes anything.", zh = "核函数编译的时候，还没有谁传过参数。" },
        },
        {
          en = "`i / 16`",
          zh = "`i / 16`",
          right = true,
          because = {
            en = "The divisor has to be a *literal* (or a constant expression, or a template's argument). Then other divisors become cheaper, too: `i / 10` is a product and a shift. So a divisor that is known early should be a constant.",
            zh = "除数必须是*字面量*（或常量表达式、模板实参）。这样一来，其他除数也会变便宜：`i / 10` 变成一次乘法加移位。所以，编译时就知道的除数应当写成常量。",
          },
        },
        {
          en = "`i / blockDim.x` in blocks of 128",
          zh = "每块 128 个线程时的 `i / blockDim.x`",
          because = { en = "blockDim.x is a variable of the launch, as n is.", zh = "blockDim.x 和 n 一样，是启动时才定的变量。" },
        },
      },
    },
    ask {
      en = "Tiles of 8 x 8, {a} of them across. The tiles lie in memory one after the other, each row by row. In which *column of the picture* does the element with flat index {i} belong?",
      zh = "tile 为 8 x 8，每行 {a} 个 tile。各 tile 在内存里依次存放，每个 tile 内部按行存放。一维下标为 {i} 的元素属于*图像的哪一列*（从 0 数起）？",
      draw = { a = { from = { 3, 5, 7 } }, i = { 100, 900 } },
      answer = function(d) return d.i // 64 % d.a * 8 + d.i % 8 end,
      replies = {
        { function(d) return d.i // 64 % d.a end, en = "This is the column of the *tile*. A tile is 8 wide.", zh = "这是 *tile* 所在的列。一个 tile 宽 8。" },
        { function(d) return d.i % (8 * d.a) end, en = "So it would be if the picture lay row by row. Here a tile comes as a whole.", zh = "图像按行存放才是这样。这里是一个 tile 存完再存下一个。" },
      },
      because = {
        en = "Tile number {i} / 64, its column % {a}, times 8; within the tile, {i} % 8. Such *index decoding* is what the lab's kernel does, for rows and columns.",
        zh = "tile 的编号是 {i} / 64，对 {a} 取余得到它在第几列，再乘以 8；tile 内部是 {i} % 8。这就是*下标解码*，本实验的核函数对行和列都要这样做。",
      },
    },
    ask {
      en = "t is a power of two. Which of these is log2(t)?",
      zh = "t 是 2 的幂。下面哪个等于 log2(t)？",
      choices = {
        {
          en = "`__popc(t - 1)`",
          zh = "`__popc(t - 1)`",
          right = true,
          because = {
            en = "t - 1 has log2(t) ones, and `__popc` counts them in one instruction. `__brev` (reverses the bits) is one, too; `__popcll` and `__brevll`, for 64 bits, are several.",
            zh = "t - 1 的二进制有 log2(t) 个 1，`__popc` 用一条指令数出来。`__brev`（颠倒各位的次序）也是一条指令；64 位的 `__popcll` 和 `__brevll` 则要几条。",
          },
        },
        { en = "`__brev(t)`", zh = "`__brev(t)`", because = { en = "That is the bits in reverse order: again a power of two.", zh = "这是把各位的次序颠倒，得到的还是 2 的幂。" } },
        { en = "`__popcll(t)`", zh = "`__popcll(t)`", because = { en = "A power of two has a single one. And the 64-bit form is made of several instructions.", zh = "2 的幂只有一个 1。而且 64 位的版本由几条指令组成。" } },
      },
    },
    predict {
      en = "The skeleton writes three `/` and three `%` for each element. How many divisions and remainders does it really execute for a picture of 32 x 64, counted per lane? (A remainder can be had from a quotient.)",
      zh = "骨架代码对每个元素都用了三个 `/` 和三个 `%`。对 32 x 64 的图像，实际一共执行多少次除法和取余（按 lane 计）？（有了商，余数就好办了。）",
      counter = "inst_div",
      of = "skeleton",
      case = { rows = 32, cols = 64, t = 8 },
      tolerance = 0,
      replies = {
        { 12288, en = "Each `/` and `%` of the same operands need one division.", zh = "操作数相同的一对 `/` 和 `%` 只需要一次除法。" },
        { 192, en = "Those are warp instructions. The counter counts lanes: 2048 of them.", zh = "这是线程束（warp）指令数。计数器按 lane 计，一共 2048 个。" },
      },
      because = {
        en = "2048 * 3 = 6144: each pair has the same operands, so that the compiler divides once and takes a - a / b * b.",
        zh = "2048 * 3 = 6144：每一对的操作数相同，编译器只除一次，余数用 a - a / b * b 求出。",
      },
    },
    show {
      en = "In the timed case:",
      zh = "在计时用例里：",
      picture = "counters",
      counters = { "inst_div", "inst_int", "warp_inst", "device_us" },
      of = "skeleton",
    },
    exercise {
      en = "Do without division: shift and mask where t is the divisor, and let the grid have two dimensions.",
      zh = "去掉除法：除数是 t 时用移位和掩码，并把网格改成二维。",
    },
    compare {
      en = "More instructions in your source, fewer in the machine:",
      zh = "源代码里的运算多了，机器执行的却少了：",
      counters = { "inst_div", "inst_int", "warp_inst", "gld_sectors_per_request", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "divisions",
      en = "The host can work out log2(t) once and pass it. Which of the six become a shift, and which a mask?",
      zh = "主机可以先算出 log2(t) 再传进去。六个运算里，哪些变成移位，哪些变成掩码？",
    },
    {
      en = "Let `blockIdx.y` be the row of tiles, and let x run over one row of tiles only: across * t * t elements. Then the tile's column is `i >> 2 * bits`, and there is nothing left to divide.",
      zh = "让 `blockIdx.y` 表示第几行 tile，x 方向只走一行 tile：across * t * t 个元素。这样 tile 的列号就是 `i >> 2 * bits`，再也用不着除法。",
    },
    {
      en = "`inside = i & (t * t - 1); row = (blockIdx.y << bits) + (inside >> bits); col = (i >> 2 * bits << bits) + (inside & (t - 1));` The place in out is i plus `blockIdx.y * across << 2 * bits`.",
      zh = "写 `inside = i & (t * t - 1); row = (blockIdx.y << bits) + (inside >> bits); col = (i >> 2 * bits << bits) + (inside & (t - 1));`。在 out 里的位置是 i 加上 `blockIdx.y * across << 2 * bits`。",
    },
  },

  after = {
    en = [[
      Replace a division by what you know: a power of two by shift and mask, a constant by a literal, an index by the coordinates that the launch hands out for nothing. A kernel
      that waits for memory hides a few divisions; one that computes, or that decodes five dimensions, does not.

      On a G80 even a product was dear: the slides count 4 cycles a warp for an addition and 16 for a 32-bit multiplication, and division and modulo as "particularly costly". Hence `__mul24` and `__umul24`, which
      were quick there. They are relics: today's hardware multiplies 32 bits at once and has to *build* the 24-bit product. In a loop, `s += v * d` is one
      instruction a turn, a multiply-add; `s += __mul24(v, d)` is three, since both factors are first cut to 24 bits. Never use them.
    ]],
    zh = [[
      能用已知信息的地方，就不要做除法：除以 2 的幂用移位和掩码，除数是常数就写成字面量，下标则直接取自线程和线程块的坐标。核函数如果主要在等内存，几次除法还掩盖得住；如果忙于计算，或者要解码五维下标，就掩盖不住了。

      在 G80 上，连乘法都很贵：据 CUDA 课程的幻灯片，一个 warp 的加法要 4 个周期，32 位乘法要 16 个，除法和取模“代价尤其高”。于是有了 `__mul24` 和 `__umul24`，它们在那里很快。如今它们只是历史遗留：现在的硬件一次就能乘 32 位，而 24 位的积
      反而要*拼*出来。在循环里，`s += v * d` 每步是一条乘加指令；`s += __mul24(v, d)` 是三条，因为两个因子要先截到 24 位。不要再用它们。
    ]],
  },
  more = {
    en = "Give a block the shape of a tile: `dim3 block(t, t)`. Then not even shifts are left. But look at the time for t = 4, and for t = 8: what does a block of 16 or 64 threads cost? (See `occupancy`.)",
    zh = "让线程块就是 tile 的形状：`dim3 block(t, t)`，这样连移位都不需要了。但看看 t = 4 和 t = 8 时的用时：16 或 64 个线程的块会吃什么亏？（参见 `occupancy`。）",
  },
}
