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
      en = "The kernel still divides. Which divisors are powers of two? And which quotients could you take from the coordinates of the block or the thread?",
      zh = "核函数仍有除法。哪些除数是 2 的幂？哪些商可以由线程块或线程的坐标直接给出？",
    },
    at_most("warp_inst", 1.5 * baseline) {
      points = 2,
      en = "The divisions are gone, but the code that replaced them takes more instructions.",
      zh = "除法没有了，但代替除法的写法用的指令更多。",
    },
  },

  steps = {
    say {
      en = [[
        No NVIDIA GPU has an instruction for integer division. `a / b` and `a % b` become a sequence of up to about 20 instructions: a floating-point
        reciprocal, and steps that correct its last bits. Index calculations often divide: `/` and `%` turn a flat index into row and column.

        Measured on an H200, 128 operations in each of 270,336 threads, loop included:

            v / d, d known at run time      18 us
            v / 10                         8.4 us
            v >> 4                         4.7 us
            64-bit v / d                   147 us

        A shift is one instruction. The 64-bit quotient is a subroutine, so do not use `long long` or `size_t` as an index if an int is enough.
      ]],
      zh = [[
        NVIDIA 的 GPU 都没有整数除法指令。`a / b` 和 `a % b` 会变成最多约 20 条的指令序列：先用浮点求倒数，再修正最后几位。下标计算常常要做除法：把一维下标变成行和列，就要用 `/` 和 `%`。

        在 H200 上实测，270,336 个线程各做 128 次运算，包括循环本身：

            v / d，d 在运行时才知道         18 微秒
            v / 10                         8.4 微秒
            v >> 4                         4.7 微秒
            64 位的 v / d                  147 微秒

        移位是一条指令。64 位的商是一个子程序，所以 int 够用时，不要用 `long long` 或 `size_t` 作下标。
      ]],
    },
    ask {
      alone = true,
      en = "x is an unsigned int and n = 32. What is the same as `x % n`?",
      zh = "x 是 unsigned int，n = 32。下面哪个等于 `x % n`？",
      choices = {
        { en = "`x & n`", zh = "`x & n`", because = { en = "That keeps a single bit: the result is 0 or 32.", zh = "这只保留一位：结果是 0 或 32。" } },
        { en = "`x >> 5`", zh = "`x >> 5`", because = { en = "That is the quotient, `x / n`.", zh = "这是商，即 `x / n`。" } },
        { en = "`x & (n - 1)`", zh = "`x & (n - 1)`", right = true, because = { en = "n - 1 is 31, which has five 1 bits: they keep the five bits that the shift by log2(n) = 5 drops.", zh = "n - 1 是 31，有五个 1：保留的正是右移 log2(n) = 5 位时丢掉的五位。" } },
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
        { function(d) return (d.m + 3) // 4 end, en = "The result is negative.", zh = "结果是负数。" },
      },
      because = {
        en = "A shift rounds down, away from zero. So for a signed i the compiler adds steps that correct the rounding, even if it uses a shift. Make indices unsigned, or write the shift yourself if you know that they are not negative.",
        zh = "移位向下取整，对负数就是远离零。所以 i 有符号时，编译器即使用移位，也要加几步来修正取整。下标请用无符号数，或者在确知非负时自己写移位。",
      },
    },
    ask {
      alone = true,
      en = "Which of these divisions does the compiler turn into a shift? (i is unsigned.)",
      zh = "编译器会把下面哪个除法变成移位？（i 是无符号数。）",
      choices = {
        {
          en = "`i / n`, where every launch passes n = 16",
          zh = "`i / n`，每次启动传进来的 n 都是 16",
          because = { en = "The compiler does not know n: the kernel is compiled before it is launched.", zh = "编译器不知道 n：核函数在启动之前就编译好了。" },
        },
        {
          en = "`i / 16`",
          zh = "`i / 16`",
          right = true,
          because = {
            en = "The divisor has to be a *literal*, a constant expression or a template argument. Then other divisors become cheaper too: `i / 10` is a product and a shift. So a divisor that you know at compile time should be a constant.",
            zh = "除数必须是*字面量*、常量表达式或模板实参。这时其他除数的开销也变小：`i / 10` 变成一次乘法加移位。所以，编译时就知道的除数应当写成常量。",
          },
        },
        {
          en = "`i / blockDim.x` in blocks of 128",
          zh = "每块 128 个线程时的 `i / blockDim.x`",
          because = { en = "blockDim.x is known only at the launch, like n.", zh = "blockDim.x 和 n 一样，启动时才知道。" },
        },
      },
    },
    ask {
      en = "An image is stored as tiles of 8 x 8, {a} of them across. The tiles lie in memory one after another, and each tile is stored row by row. To which *column of the image* (counted from 0) does the element with flat index {i} belong?",
      zh = "图像按 tile 存放，tile 为 8 x 8，每行 {a} 个 tile。各 tile 在内存里依次存放，每个 tile 内部按行存放。一维下标为 {i} 的元素属于*图像的哪一列*（从 0 数起）？",
      draw = { a = { from = { 3, 5, 7 } }, i = { 100, 900 } },
      answer = function(d) return d.i // 64 % d.a * 8 + d.i % 8 end,
      replies = {
        { function(d) return d.i // 64 % d.a end, en = "This is the column of the *tile*. A tile is 8 wide.", zh = "这是 *tile* 所在的列。一个 tile 宽 8。" },
        { function(d) return d.i % (8 * d.a) end, en = "This would be right if the image were stored row by row. Here each tile is stored as a whole.", zh = "图像按行存放时才是这样。这里是存完一个 tile 再存下一个。" },
      },
      because = {
        en = "The tile's number is {i} / 64. The remainder of that by {a} is the tile's column, and 8 times as much is its first column in the image. Add the column within the tile: the remainder of {i} by 8. This is *index decoding*: the lab's kernel does it for rows and columns.",
        zh = "tile 的编号是 {i} / 64，对 {a} 取余得到 tile 所在的列，乘以 8 得到 tile 的第一列在图像中的列号，再加上 tile 内的列号，即 {i} 对 8 取余。这就是*下标解码*，本实验的核函数对行和列都要这样做。",
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
            en = "t - 1 has log2(t) ones, and `__popc` counts them in one instruction. `__brev`, which reverses the bits, is one instruction too; the 64-bit `__popcll` and `__brevll` take several.",
            zh = "t - 1 的二进制有 log2(t) 个 1，`__popc` 用一条指令数出来。`__brev` 颠倒各位的顺序，也是一条指令；64 位的 `__popcll` 和 `__brevll` 则要几条。",
          },
        },
        { en = "`__brev(t)`", zh = "`__brev(t)`", because = { en = "That gives the bits in reverse order, which is again a power of two.", zh = "这是把各位的顺序颠倒，得到的还是 2 的幂。" } },
        { en = "`__popcll(t)`", zh = "`__popcll(t)`", because = { en = "A power of two has a single 1 bit, so the result is 1.", zh = "2 的幂只有一个 1，所以结果是 1。" } },
      },
    },
    predict {
      en = "The source of the skeleton has three `/` and three `%` for each element. How many divisions and remainders does it really execute for an image of 32 x 64, counted per lane? (A remainder can be computed from the quotient.)",
      zh = "骨架的源代码对每个元素用了三个 `/` 和三个 `%`。对 32 x 64 的图像，实际一共执行多少次除法和取余（按 lane 计）？（余数可以由商算出。）",
      counter = "inst_div",
      of = "skeleton",
      case = { rows = 32, cols = 64, t = 8 },
      tolerance = 0,
      replies = {
        { 12288, en = "A `/` and a `%` of the same operands need only one division.", zh = "操作数相同的一对 `/` 和 `%` 只需要一次除法。" },
        { 192, en = "This is the number of warp instructions. The counter counts lanes, and there are 2048.", zh = "这是线程束（warp）的指令数。计数器按 lane 计，一共有 2048 个 lane。" },
      },
      because = {
        en = "2048 * 3 = 6144. Each pair has the same operands, so the compiler divides once and computes the remainder as a - a / b * b.",
        zh = "2048 * 3 = 6144。每一对的操作数相同，所以编译器只除一次，余数用 a - a / b * b 求出。",
      },
    },
    show {
      en = "The skeleton in the timed case:",
      zh = "骨架代码在计时用例里：",
      picture = "counters",
      counters = { "inst_div", "inst_int", "warp_inst", "device_us" },
      of = "skeleton",
    },
    exercise {
      en = "Remove the divisions: use shifts and masks where t is the divisor, and a two-dimensional grid.",
      zh = "去掉除法：除数是 t 时用移位和掩码，并把网格改成二维。",
    },
    compare {
      en = "Your source has more operations, but the device executes fewer instructions:",
      zh = "源代码里的运算多了，设备执行的指令却少了：",
      counters = { "inst_div", "inst_int", "warp_inst", "gld_sectors_per_request", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "divisions",
      en = "The host can compute log2(t) once and pass it. Which of the six operations become shifts, and which become masks?",
      zh = "主机可以先算出 log2(t) 再传进去。六个运算里，哪些变成移位，哪些变成掩码？",
    },
    {
      en = "Let `blockIdx.y` be the row of tiles, and let x cover only one row of tiles: across * t * t elements. Then the tile's column is `i >> 2 * bits`, and no division is left.",
      zh = "让 `blockIdx.y` 表示第几行 tile，x 方向只覆盖一行 tile：across * t * t 个元素。这样 tile 的列号就是 `i >> 2 * bits`，不再需要除法。",
    },
    {
      en = "`inside = i & (t * t - 1); row = (blockIdx.y << bits) + (inside >> bits); col = (i >> 2 * bits << bits) + (inside & (t - 1));` The index into out is i plus `blockIdx.y * across << 2 * bits`.",
      zh = "写 `inside = i & (t * t - 1); row = (blockIdx.y << bits) + (inside >> bits); col = (i >> 2 * bits << bits) + (inside & (t - 1));`。out 的下标是 i 加上 `blockIdx.y * across << 2 * bits`。",
    },
  },

  after = {
    en = [[
      Use what you know to avoid a division. For a power of two, shift and mask. For a constant, write a literal. For an index, use the coordinates of block
      and thread, which cost nothing. A kernel that waits for memory hides a few divisions. A kernel that mostly computes, or that decodes five dimensions,
      does not.

      On a G80 even a product was expensive. The slides count 4 cycles per warp for an addition and 16 for a 32-bit multiplication, and call division and
      modulo "particularly costly". So there were `__mul24` and `__umul24`, which were fast on a G80.

      Today's hardware multiplies 32 bits directly, and a 24-bit product takes extra instructions. In a loop, `s += v * d` is one instruction per
      iteration, a multiply-add; `s += __mul24(v, d)` is three, because both factors are first cut to 24 bits. Do not use these functions any more.
    ]],
    zh = [[
      用已知的信息避免除法：除数是 2 的幂，用移位和掩码；除数是常数，写成字面量；下标直接取自线程和线程块的坐标，没有代价。主要在等内存的核函数可以掩盖几次除法；主要在计算的，或者要解码五维下标的核函数，就掩盖不住。

      在 G80 上，连乘法的开销也很大：据讲义幻灯片，一个 warp 的加法要 4 个周期，32 位乘法要 16 个周期，除法和取模“代价尤其高”。于是有了 `__mul24` 和 `__umul24`，这两个函数在 G80 上很快。

      现在的硬件直接做 32 位乘法，24 位乘法反而要更多指令。在循环里，`s += v * d` 每次循环是一条乘加指令；`s += __mul24(v, d)` 是三条，因为两个因子要先截到 24 位。不要再用这两个函数。
    ]],
  },
  more = {
    en = "Give a block the shape of a tile: `dim3 block(t, t)`. Then you need no shifts either. But look at the time for t = 4 and for t = 8: what is the drawback of a block of 16 or 64 threads? (See `occupancy`.)",
    zh = "让线程块的形状与 tile 相同：`dim3 block(t, t)`，这样连移位都不需要。但看看 t = 4 和 t = 8 时的用时：16 或 64 个线程的块有什么缺点？（参见 `occupancy`。）",
  },
}
