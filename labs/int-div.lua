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
  hidden = { count = 3, rows = { 1, 90 }, cols = { 1, 150 }, t = { from = { 4, 8, 16, 32 } } },
  goals = {
    correct { points = 4 },
    at_most("moved_bytes", 4096) {
      points = 2,
      en = [[
        Let the kernel find the place of each pixel and move it. With copies, no kernel computes an
        index, and a table of places is a table of quotients.
      ]],
      zh = [[
        每个像素的位置要由核函数算出，像素也要由核函数搬动。用拷贝来搬，就不用算下标了；
        用一张位置表，则是把商事先算好放进表里。
      ]],
    },
    -- Shifts and masks only: 0.34 of the baseline's. One division, or its quotient by a reciprocal
    -- that Newton's method computes: more than 0.46. The exact 1/t of a power of two from the bits
    -- of its float: 0.39, which is right, too.
    at_most("arithmetic_machine", 0.45 * baseline) {
      points = 2,
      en = [[
        The kernel still divides, or the code that replaces the divisions takes about as many
        instructions. Which divisors are powers of two? And which quotients can you take from the
        coordinates of the block or the thread?
      ]],
      zh = [[
        核函数里还有除法，或者代替除法的代码所用的指令与除法差不多一样多。哪些除数是 2 的幂？
        哪些商可以直接取自线程块或线程的坐标？
      ]],
    },
    at_most("divisions", 0.05 * baseline) {
      points = 2,
      en = [[
        The kernel still divides. Doing so for several pixels at once makes the divisions fewer, but
        each thread waits for them as before.
      ]],
      zh = [[
        核函数里还有除法。几个像素共用一次除法，次数虽然少了，但每个线程仍然要等待除法。
      ]],
    },
  },

  steps = {
    say {
      en = [[
        The kernel of this lab cuts an image into square tiles and stores one tile after another. A
        later kernel can then load a tile from consecutive addresses. Each thread computes the row
        and the column of its pixel from a flat index. That takes divisions, and you will replace
        them.

        No NVIDIA GPU has an instruction for integer division. The compiler turns `a / b` and
        `a % b` into a sequence of up to about 20 instructions. These compute a floating-point
        reciprocal and then correct the last bits. In index calculations, divisions are frequent:
        `/` and `%` turn a flat index into a row and a column.

        Measured on an H200, with 128 operations in each of 270,336 threads, loop included:

            v / d, d known at run time      18 us
            v / 10                         8.4 us
            v >> 4                         4.7 us
            64-bit v / d                   147 us

        A shift is one instruction. For a 64-bit quotient, the compiler calls a subroutine. So do
        not use `long long` or `size_t` for an index if an int is large enough.
      ]],
      zh = [[
        本实验的核函数把图像切成方形的 tile，逐个存放，这样后面的核函数就能从连续的地址读入一个
        tile。每个线程由一维下标算出像素所在的行和列，为此要做除法。你要把这些除法换掉。

        NVIDIA 的 GPU 都没有整数除法指令。编译器把 `a / b` 和 `a % b` 变成最多约 20 条指令：
        先用浮点求倒数，再修正最后几位。下标计算里经常有除法：把一维下标变成行和列，就要用 `/` 和
        `%`。

        在 H200 上实测，270,336 个线程各做 128 次运算，包括循环本身：

            v / d，d 在运行时才知道         18 微秒
            v / 10                         8.4 微秒
            v >> 4                         4.7 微秒
            64 位的 v / d                  147 微秒

        移位是一条指令，64 位的商要调用子程序。所以 int 够用时，不要用 `long long` 或 `size_t`
        作下标。
      ]],
    },
    ask {
      alone = true,
      en = "x is an unsigned int, and n = 32. Which expression equals `x % n`?",
      zh = "x 是 unsigned int，n = 32。下面哪个等于 `x % n`？",
      choices = {
        {
          en = "`x & n`",
          zh = "`x & n`",
          because = {
            en = "This keeps only one bit of x, so the result is 0 or 32.",
            zh = "这只保留 x 的一位，结果是 0 或 32。",
          },
        },
        {
          en = "`x >> 5`",
          zh = "`x >> 5`",
          because = { en = "This is the quotient `x / n`.", zh = "这是商，即 `x / n`。" },
        },
        {
          en = "`x & (n - 1)`",
          zh = "`x & (n - 1)`",
          right = true,
          because = {
            en = [[
              In binary, n - 1 = 31 is `11111`. So `x & 31` keeps the lowest five bits of x. These are
              the bits that `x >> 5` drops, so they are the remainder.
            ]],
            zh = [[
              n - 1 是 31，二进制是 `11111`，所以 `x & 31` 保留 x 的最低五位。
              `x >> 5` 丢掉的正是这五位，也就是余数。
            ]],
          },
        },
      },
    },
    ask {
      alone = true,
      en = "A signed int i is -{m}. In C++, `i / 4` rounds towards zero. What is `i >> 2`?",
      zh = "有符号的 int i 是 -{m}。C++ 的 `i / 4` 向零取整。那么 `i >> 2` 是多少？",
      draw = { m = { from = { 5, 6, 7, 9, 10, 11, 13 } } },
      answer = function(d) return -((d.m + 3) // 4) end,
      replies = {
        {
          function(d) return -(d.m // 4) end,
          en = "This is `i / 4`. A shift rounds down instead.",
          zh = "这是 `i / 4`，而移位是向下取整。",
        },
        {
          function(d) return (d.m + 3) // 4 end,
          en = "The result is negative, as i is.",
          zh = "i 是负数，结果也是负数。",
        },
      },
      because = {
        en = [[
          A shift rounds down. For a negative i, that is away from zero. So if i is signed, the
          compiler turns `i / 4` into a shift and extra instructions, which correct the rounding.
          Make an index unsigned. Or, if you know that the index is not negative, write the shift
          yourself.
        ]],
        zh = [[
          移位向下取整，对负数来说，就是朝远离零的方向取整。所以 i 有符号时，编译器除了移位，还要加
          几条指令来修正取整。下标请用无符号数；如果确知下标非负，也可以自己写移位。
        ]],
      },
    },
    ask {
      alone = true,
      en = "i is unsigned. Which division does the compiler turn into a shift?",
      zh = "i 是无符号数。编译器会把下面哪个除法变成移位？",
      choices = {
        {
          en = "`i / n`, where every launch passes n = 16",
          zh = "`i / n`，每次启动传进来的 n 都是 16",
          because = {
            en = "The compiler works before any launch, so it does not know n.",
            zh = "编译在启动之前，编译器不知道 n。",
          },
        },
        {
          en = "`i / 16`",
          zh = "`i / 16`",
          right = true,
          because = {
            en = [[
              16 is a *literal*, so the compiler knows that the divisor is a power of two. (It also
              knows a constant expression or a template argument.) If the compiler knows the
              divisor, other divisions become cheaper, too: `i / 10` becomes a product and a shift.
              So a divisor that you know at compile time should be a constant.
            ]],
            zh = [[
              16 是*字面量*，所以编译器知道除数是 2 的幂。（除数是常量表达式或模板实参时，编译器也知
              道它的值。）知道了除数，其他除法也会变快：`i / 10` 变成一次乘法加移位。所以，编译时就
              知道的除数应当写成常量。
            ]],
          },
        },
        {
          en = "`i / blockDim.x` in blocks of 128",
          zh = "每块 128 个线程时的 `i / blockDim.x`",
          because = {
            en = "The launch determines blockDim.x, so its value is known only at run time.",
            zh = "blockDim.x 由启动决定，运行时才有值。",
          },
        },
      },
    },
    ask {
      en = [[
        An image is stored tile by tile. Each tile is 8 x 8, and a row of tiles has {a} tiles.
        Inside a tile, the elements are stored row by row. To which *column of the image* (counted
        from 0) does the element with flat index {i} belong?
      ]],
      zh = [[
        图像按 tile 依次存放。tile 为 8 x 8，一行 tile 共 {a} 个，每个 tile 内部按行存放。一维下标为
        {i} 的元素属于*图像的哪一列*（从 0 数起）？
      ]],
      draw = { a = { from = { 3, 5, 7 } }, i = { 100, 900 } },
      answer = function(d) return d.i // 64 % d.a * 8 + d.i % 8 end,
      replies = {
        {
          function(d) return d.i // 64 % d.a end,
          en = "This is the column of the *tile*, counted in tiles. Each tile is 8 columns wide.",
          zh = "这是 *tile* 所在的列，以 tile 为单位。一个 tile 宽 8 列。",
        },
        {
          function(d) return d.i % (8 * d.a) end,
          en = [[
            This would be the column if the whole image were stored row by row. Here, the 64
            elements of a tile come before the next tile.
          ]],
          zh = "整幅图像按行存放时才是这样。这里是一个 tile 的 64 个元素存完，再存下一个 tile。",
        },
      },
      because = {
        en = [[
          A tile has 64 elements, so {i} / 64, rounded down, is the number of the tile. The
          remainder of this number by {a} is the tile's column, and 8 times that is the first image
          column of the tile. Add the column inside the tile, which is the remainder of {i} by 8.
          This calculation is called *index decoding*. The kernel of this lab decodes both the row
          and the column.
        ]],
        zh = [[
          一个 tile 有 64 个元素，所以 {i} / 64 向下取整就是 tile 的编号。编号对 {a} 取余，
          得到 tile 所在的列；
          再乘以 8，得到 tile 的第一列在图像中的列号。最后加上 tile 内的列号，即 {i} 对 8 取余。
          这种计算叫*下标解码*，本实验的核函数要这样算出行和列。
        ]],
      },
    },
    ask {
      en = "t is a power of two. Which expression equals log2(t)?",
      zh = "t 是 2 的幂。下面哪个等于 log2(t)？",
      choices = {
        {
          en = "`__popc(t - 1)`",
          zh = "`__popc(t - 1)`",
          right = true,
          because = {
            en = [[
              In binary, t - 1 has log2(t) ones, and `__popc` counts them in one instruction.
              `__brev`, which reverses the bits, is one instruction, too. Their 64-bit forms
              `__popcll` and `__brevll` take several.
            ]],
            zh = [[
              t - 1 的二进制有 log2(t) 个 1，`__popc` 用一条指令数出 1 的个数。`__brev` 颠倒各位的顺
              序，也是一条指令。64 位的 `__popcll` 和 `__brevll` 要用几条。
            ]],
          },
        },
        {
          en = "`__brev(t)`",
          zh = "`__brev(t)`",
          because = {
            en = "This reverses the 32 bits of t. The result is again a power of two.",
            zh = "这把 t 的 32 位颠倒过来，得到的还是 2 的幂。",
          },
        },
        {
          en = "`__popcll(t)`",
          zh = "`__popcll(t)`",
          because = {
            en = "A power of two has only one bit that is 1, so the result is 1.",
            zh = "2 的幂只有一个 1，所以结果是 1。",
          },
        },
      },
    },
    predict {
      en = [[
        For each element, the source of the skeleton has three `/` and three `%`. The image is 32 x
        64. Summed over all lanes, how many divisions and remainders does the skeleton really
        execute? (The compiler can compute a remainder from the quotient.)
      ]],
      zh = [[
        骨架的源代码对每个元素用了三个 `/` 和三个 `%`。对 32 x 64 的图像，实际一共执行多少次除法和取
        余（按 lane 计）？（编译器可以由商算出余数。）
      ]],
      counter = "inst_div",
      of = "skeleton",
      case = { rows = 32, cols = 64, t = 8 },
      tolerance = 0,
      replies = {
        {
          12288,
          en = "A `/` and a `%` with the same operands need only one division.",
          zh = "操作数相同的一对 `/` 和 `%` 只需要一次除法。",
        },
        {
          192,
          en = [[
            This is the number of warp instructions. The counter counts lanes, and there are 2048 of
            them.
          ]],
          zh = "这是按线程束（warp）计的次数。计数器按 lane 计，一共有 2048 个 lane。",
        },
      },
      because = {
        en = [[
          2048 * 3 = 6144. Each `/` has the same operands as one `%`. So the compiler divides once
          for both, and computes the remainder as a - a / b * b.
        ]],
        zh = [[
          2048 * 3 = 6144。每个 `/` 都有一个操作数相同的 `%`，所以编译器为这一对只除一次，
          余数用 a - a / b * b 求出。
        ]],
      },
    },
    show {
      en = "The counters of the skeleton in the timed case:",
      zh = "骨架代码在计时用例里的计数器：",
      picture = "counters",
      counters = { "inst_div", "inst_int", "warp_inst", "device_us" },
      of = "skeleton",
    },
    exercise {
      en = [[
        Remove the divisions. Where the divisor is t or t * t, use shifts and masks. Use a
        two-dimensional grid to avoid the other divisions.
      ]],
      zh = "请去掉除法。除数是 t 或 t * t 时，用移位和掩码；其余的除法，用二维网格来避免。",
    },
    compare {
      en = [[
        Your source has more operations than the baseline, but the device executes fewer
        instructions:
      ]],
      zh = "与基线相比，你的源代码里运算更多，设备执行的指令却更少：",
      counters = { "inst_div", "inst_int", "warp_inst", "gld_sectors_per_request", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "arithmetic_machine",
      en = [[
        The host can compute log2(t) once and pass it to the kernel. Which of the three `/` and
        three `%` become shifts, and which become masks?
      ]],
      zh = [[
        主机可以先算出 log2(t)，再传给核函数。三个 `/` 和三个 `%` 里，哪些变成移位，哪些变成掩码？
      ]],
    },
    {
      en = [[
        Let `blockIdx.y` be the row of tiles, and let the x direction of the grid cover only one row
        of tiles, which has `across * t * t` elements. Then the column of the tile is
        `i >> 2 * bits`, and no division is left.
      ]],
      zh = [[
        让 `blockIdx.y` 表示第几行 tile，x 方向只覆盖一行 tile，共 `across * t * t` 个元素。这样
        tile 的列号就是 `i >> 2 * bits`，不再需要除法。
      ]],
    },
    {
      en = [[
        Write
        `inside = i & (t * t - 1); row = (blockIdx.y << bits) + (inside >> bits); col = (i >> 2 * bits << bits) + (inside & (t - 1));`
        The index into `out` is i plus `blockIdx.y * across << 2 * bits`.
      ]],
      zh = [[
        写
        `inside = i & (t * t - 1); row = (blockIdx.y << bits) + (inside >> bits); col = (i >> 2 * bits << bits) + (inside & (t - 1));`。`out`
        的下标是 i 加上 `blockIdx.y * across << 2 * bits`。
      ]],
    },
  },

  after = {
    en = [[
      What you know in advance can replace a division. If the divisor is a power of two, use shifts
      and masks. If it is a constant, write it as a literal. Take an index from the coordinates of
      block and thread, which cost nothing. In a kernel that waits for memory, a few divisions take
      no extra time. In a kernel that mostly computes, or that decodes five dimensions, divisions
      cost time.

      On a G80, even a product was expensive. The slides of a CUDA course count 4 cycles per warp
      for an addition and 16 for a 32-bit multiplication. (The slides call division and modulo
      "particularly costly".) So CUDA offered `__mul24` and `__umul24`, which were fast on a G80.

      Today's devices multiply 32 bits directly, and a 24-bit product takes extra instructions. In a
      loop, `s += v * d` is one instruction per iteration, a multiply-add. `s += __mul24(v, d)` is
      three, because both factors are first cut to 24 bits. Do not use these two functions any more.
    ]],
    zh = [[
      事先知道的信息可以代替除法：除数是 2 的幂，用移位和掩码；除数是常数，写成字面量；
      下标直接取自线程和线程块的坐标，没有代价。如果核函数主要在等内存，几次除法不多花时间；
      如果核函数主要在计算，或者要解码五维下标，除法就会拖慢它。

      在 G80 上，连乘法的开销也很大。据一门 CUDA 课程的讲义幻灯片，一个 warp 的加法要 4 个周期，32
      位乘法要 16 个周期（除法和取模则“代价尤其高”）。于是 CUDA 提供了 `__mul24` 和 `__umul24`，这两
      个函数在 G80 上很快。

      现在的设备直接做 32 位乘法，24 位乘法反而要更多指令。在循环里，`s += v * d`
      每次循环是一条乘加指令；`s += __mul24(v, d)` 是三条，因为两个因子要先截到 24 位。
      不要再用这两个函数。
    ]],
  },
  more = {
    en = [[
      Give each block the shape of a tile: `dim3 block(t, t)`. Then you need no shifts either. But
      compare the times for t = 4 and for t = 8: what is the drawback of a block of 16 or 64
      threads? (See `occupancy`.)
    ]],
    zh = [[
      让线程块的形状与 tile 相同：`dim3 block(t, t)`，这样连移位都不需要。再看看 t = 4 和 t =
      8 时的用时：16 或 64 个线程的块有什么缺点？（参见 `occupancy`。）
    ]],
  },
}
