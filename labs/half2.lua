-- Chapter 7: half precision, two at a time.
return lab {
  id = "half2",
  title = { en = "Two halves in one register", zh = "一个寄存器装两个半精度数" },
  chapter = 7,
  minutes = 25,
  needs = { "constants", "alignment" },
  source = "guide 5.4; H200",
  teaches = {
    ["half2-two-at-once"] = "say predict goals",
    ["half2-shuffles"] = "ask",
    ["halves2half2"] = "say",
    ["half-conversions"] = "ask goals",
    ["half-time"] = "ask after",
    ["half-accuracy"] = "ask",
  },

  entry = "void decay_halves(const half *x, const half *y, half *out, int steps, int n)",
  args = {
    x = uniform(-1, 1, "n"),
    y = uniform(-1, 1, "n"),
    out = output("n", { ops = "steps" }),
  },
  cases = {
    { n = 4096, steps = 3 },
    { n = 1, steps = 1 },
    { n = 1003, steps = 5 },
    { n = 1 << 18, steps = 16, timed = true },
  },
  hidden = { count = 3, n = { 2, 20000 }, steps = { 0, 10 } },
  goals = {
    correct { points = 4 },
    at_most("inst_fp16", 0.66 * baseline) {
      points = 3,
      en = "Each instruction still works on only one half. The intrinsics whose names end in 2 work on two halves.",
      zh = "每条指令仍只处理一个半精度数。名字以 2 结尾的内部函数一次处理两个。",
    },
    at_most("global_loads", 0.66 * baseline) {
      points = 2,
      en = "The arithmetic works on pairs, but the loads do not: read both halves of a pair with one 4-byte load.",
      zh = "运算已经成对，读取还没有：用一次 4 字节的读取读入一对数。",
    },
    at_most("inst_convert", 0.75 * baseline) {
      points = 1,
      en = "The kernel still converts types for every pair. The arithmetic can stay in half precision.",
      zh = "核函数仍对每一对数做类型转换。运算可以一直用半精度。",
    },
  },

  steps = {
    say {
      en = [[
        A `half` is a floating-point number of 16 bits. It takes half the memory of a float and half the memory traffic. A register has 32 bits, so a single
        half leaves half of the register, and of the arithmetic unit, unused. A `half2` is two halves side by side, and one instruction works on both:

            c = __hfma(a, b, c);        one multiply-add
            c = __hfma2(a, b, c);       two, in one instruction

        `__hadd2`, `__hsub2` and `__hmul2` work in the same way. `__halves2half2(lo, hi)` makes a pair of two halves, `__half2half2(x)` a pair that holds x
        twice; `__low2half` and `__high2half` take a pair apart. In the other 16-bit format, `__nv_bfloat16`, the pair is called `__nv_bfloat162` and is made
        by `__halves2bfloat162`.
      ]],
      zh = [[
        `half` 是 16 位的浮点数：占用的内存是 float 的一半，访存量也是一半。寄存器是 32 位的，只放一个 half，就有半个寄存器和半个运算单元没有用上。`half2` 把两个 half 并排放在一起，一条指令同时处理两个：

            c = __hfma(a, b, c);        一次乘加
            c = __hfma2(a, b, c);       一条指令两次乘加

        同类的还有 `__hadd2`、`__hsub2`、`__hmul2`。`__halves2half2(lo, hi)` 把两个 half 拼成一对，`__half2half2(x)` 用同一个 half 拼成一对，`__low2half` 和 `__high2half` 从一对中取出一个。
        另一种 16 位格式 `__nv_bfloat16` 的成对类型叫 `__nv_bfloat162`，用 `__halves2bfloat162` 拼成。
      ]],
    },
    ask {
      alone = true,
      en = "A half has 11 significant bits. x is the half {x}. What is x + 1 in half precision?",
      zh = "half 有 11 位有效数字（二进制）。x 是半精度的 {x}。在半精度里 x + 1 等于多少？",
      draw = { x = { from = { 1024, 2048, 4096, 8192 } } },
      answer = function(d) return d.x < 2048 and d.x + 1 or d.x end,
      replies = {
        { function(d) return d.x < 2048 and d.x or d.x + 1 end, en = "With 11 significant bits, a half can hold every whole number up to 2048. Above that, it can hold only every second one.", zh = "half 有 11 位有效数字：到 2048 为止，每个整数都能表示；再往上，每两个整数只能表示一个。" },
      },
      because = {
        en = "From 2048 on, neighbouring halves are at least 2 apart, so a counter in a half stops at 2048. A bfloat16 has 8 bits, so a counter in it stops at 256. Use a float for long sums. (The largest half is 65,504; a bfloat16 has the range of a float.)",
        zh = "从 2048 起，相邻的 half 至少相差 2，所以用 half 计数，到 2048 就不再增加。bfloat16 只有 8 位，到 256 就不再增加。项数多的求和应当用 float。（half 的最大值是 65,504；bfloat16 的范围与 float 相同。）",
      },
    },
    ask {
      alone = true,
      en = "x is a `half *` from cudaMalloc. For which k may `*(half2 *)(x + k)` be read?",
      zh = "x 是 cudaMalloc 得到的 `half *`。k 取哪些值时可以读 `*(half2 *)(x + k)`？",
      choices = {
        { en = "any k", zh = "任意 k", because = { en = "If k is odd, the 4 bytes start at an address that is not a multiple of 4, and the access faults.", zh = "k 为奇数时，这 4 字节的起始地址不是 4 的倍数，访问会出错。" } },
        { en = "multiples of 32", zh = "32 的倍数", because = { en = "That is more than needed: the access has to be aligned only to its own 4 bytes.", zh = "不需要这么多：这次访问只需按 4 字节对齐。" } },
        { en = "even k", zh = "偶数 k", right = true, because = { en = "A half2 has 4 bytes, and its address must be a multiple of 4.", zh = "half2 有 4 字节，地址必须是 4 的倍数。" } },
      },
    },
    ask {
      en = "A kernel computes y[i] = a * x[i] + y[i] for 16 million elements. On an H200 it takes 57 us with floats, 47 us with single halves and 28 us with half2. Single halves move half as many bytes as floats. Why do single halves gain so little?",
      zh = "核函数对 1600 万个元素计算 y[i] = a * x[i] + y[i]。在 H200 上，用 float 要 57 微秒，逐个处理 half 要 47 微秒，用 half2 要 28 微秒。逐个处理 half 时，字节数已经减半，为什么只快了一点？",
      choices = {
        {
          en = "Each operation first converts the halves to floats.",
          zh = "每次运算之前都要把 half 转换成 float。",
          because = { en = "The hardware computes in half precision: no conversion is needed.", zh = "硬件直接用半精度计算，不需要转换。" },
        },
        {
          en = "There are as many threads, loads and stores as with floats, and each load or store moves half as much.",
          zh = "线程数、读写次数和 float 时一样多，只是每次搬得少一半。",
          right = true,
          because = {
            en = "A warp's request has 64 bytes instead of 128, so the bytes under way are too few to keep the memory busy (see `dram-parallel`), and there are as many instructions as before. With pairs, there are half as many threads, requests and instructions.",
            zh = "一个线程束（warp）的请求从 128 字节变成 64 字节，在途的字节太少，不足以让内存保持忙碌（见 `dram-parallel`），指令数也没有减少。成对处理时，线程、请求和指令都减半。",
          },
        },
        {
          en = "Two-byte accesses are not coalesced.",
          zh = "2 字节的访问不能合并。",
          because = { en = "They are: 32 neighbouring lanes take two sectors.", zh = "能合并：32 个相邻的 lane 只用两个扇区。" },
        },
      },
    },
    ask {
      en = "A careful colleague loads x and y as halves, computes a * x + y in floats, and stores a half. How many conversions is that for each element?",
      zh = "一位谨慎的同事读入 half 类型的 x 和 y，用 float 计算 a * x + y，再存成 half。每个元素要做多少次转换？",
      answer = 3,
      replies = {
        { 2, en = "x *and* y are converted to floats, and the result is converted back.", zh = "x *和* y 都要转成 float，结果还要转回来。" },
        { 4, en = "a is the same for all elements, so it is converted only once.", zh = "a 对所有元素都相同，只需转换一次。" },
      },
      because = {
        en = "x and y are converted to float, and the result to half. For a long chain of operations this is right, and more accurate. For one multiply-add there are more conversions than operations.",
        zh = "x 和 y 转换成 float，结果再转换成 half。连续的运算很多时，这样做是对的，也更准确；但只有一次乘加时，转换比运算还多。",
      },
    },
    ask {
      en = "Each lane of a warp holds two partial sums as halves, and shuffles them together as a half2. How many shuffles does it take until lane 0 has both totals?",
      zh = "一个 warp 的每个 lane 都有两个半精度的部分和，并把这一对作为一个 half2 用 shuffle 传递。要多少次 shuffle，lane 0 才能得到两个总和？",
      answer = 5,
      replies = {
        { 10, en = "A pair is one 32-bit word, so one shuffle moves both halves.", zh = "一对正好是一个 32 位的字，一次 shuffle 就能传递两个。" },
        { 31, en = "Each shuffle halves the number of sums that are left.", zh = "每次 shuffle 使剩下的和减半。" },
      },
      because = {
        en = "log2(32) = 5 shuffles, each followed by `__hadd2`. Shuffling the halves separately would take 10. So pairs save more than arithmetic.",
        zh = "log2(32) = 5 次 shuffle，每次之后做 `__hadd2`。若两个 half 分开传递，则要 10 次。可见成对处理节省的不只是算术运算。",
      },
    },
    predict {
      en = "The baseline executes 16 half-precision instructions for each of 262,144 numbers: 4.2 million. How many does the answer with pairs execute?",
      zh = "基线对 262,144 个数各执行 16 条半精度指令，共 419 万条。成对处理的参考答案执行多少条？",
      counter = "inst_fp16",
      of = "answer",
      tolerance = 0.02,
      replies = {
        { 4194304, en = "An instruction on a pair does the work of two.", zh = "处理一对数的一条指令完成两条指令的工作。" },
      },
      because = { en = "There are half as many threads, and each executes as many instructions as before: 2.1 million.", zh = "线程数减半，每个线程的指令数不变：210 万条。" },
    },
    show {
      en = "The skeleton, line by line: each request takes two sectors, where it could take four.",
      zh = "逐行看骨架代码：每个请求只有两个扇区，本来可以有四个。",
      picture = "sectors",
      of = "skeleton",
    },
    exercise {
      en = "Let each thread load, compute and store a pair. The result must be right for every n, odd ones too.",
      zh = "让每个线程成对地读取、计算和写入。对任意 n 都要正确，奇数也不例外。",
    },
    show {
      en = "Your kernel, line by line:",
      zh = "逐行看你的核函数：",
      picture = "sectors",
      of = "mine",
    },
    compare {
      en = "Your version beside the baseline: most counters are halved.",
      zh = "你的版本与基线的对比：多数计数器减半。",
      counters = { "inst_fp16", "inst_convert", "gld_requests", "gst_requests", "gld_sectors", "warp_inst", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Thread i takes the numbers 2 * i and 2 * i + 1. How many threads does n = 1003 need?",
      zh = "线程 i 处理第 2 * i 和 2 * i + 1 个数。n = 1003 时需要多少个线程？",
    },
    {
      en = "Read `((const half2 *)x)[i]`, compute with `__hfma2` and a `half2` constant from `__float2half2_rn`, and store a half2. If 2 * i + 1 equals n, there is only one number to read and to store.",
      zh = "读 `((const half2 *)x)[i]`，用 `__hfma2` 和 `__float2half2_rn` 得到的 `half2` 常数计算，再写一个 half2。当 2 * i + 1 等于 n 时，只能读一个数、写一个数。",
    },
    {
      en = "`bool pair = 2 * i + 1 < n; half2 v = pair ? ((const half2 *)x)[i] : __half2half2(x[2 * i]);` and at the end `if (pair) ((half2 *)out)[i] = v; else out[2 * i] = __low2half(v);`",
      zh = "写 `bool pair = 2 * i + 1 < n; half2 v = pair ? ((const half2 *)x)[i] : __half2half2(x[2 * i]);`，最后 `if (pair) ((half2 *)out)[i] = v; else out[2 * i] = __low2half(v);`",
    },
  },

  after = {
    en = [[
      Is arithmetic in halves faster too? Measured on an H200, chains of 2048 multiply-adds without memory accesses take 19 us with floats and 36 us with
      single halves. With half2 the same operations take 1024 instructions and 19 us. So a single half is *slower* than a float there, and a pair is as fast
      as two floats. What 16 bits save is bytes and registers.

      So pairs pay if moving bytes takes most of the time: for 16 million elements, 28 us instead of 47 us. At the size of this lab an H200 takes 3.2 us with
      pairs and 3.4 us with single halves (measured): most of that is the launch.

      The price is accuracy. The rounding of a half is 8192 times as coarse as that of a float. This lab compares your results with results in halves;
      compared with floats, they would be off by up to 0.016.
    ]],
    zh = [[
      半精度的运算也更快吗？在 H200 上实测 2048 步的乘加链，完全不访问内存：float 用 19 微秒，逐个 half 用 36 微秒；half2 用 1024 条指令完成同样多的运算，用 19 微秒。所以在 H200 上，单个 half 比 float *慢*，
      一对 half 与两个 float 一样快。16 位真正省下的是字节和寄存器。

      所以，时间大多花在搬运字节上时，成对处理才有收益：1600 万个元素从 47 微秒降到 28 微秒。按本实验的规模，H200 成对处理用 3.2 微秒，逐个处理用 3.4 微秒（实测）：大部分是启动的时间。

      代价是精度。half 的舍入误差是 float 的 8192 倍。本实验把你的结果与半精度的结果比较；若与 float 的结果比较，最多会差 0.016。
    ]],
  },
  more = {
    en = "Read eight halves with one load: a `uint4` holds four half2. Then change the format to `__nv_bfloat16` (`cuda_bf16.h`), converting on load and store: does the kernel still pass with 3 bits less?",
    zh = "试试一次读八个 half：一个 `uint4` 里有四个 half2。再把格式换成 `__nv_bfloat16`（`cuda_bf16.h`），在读写时转换：少了 3 位，核函数还能通过吗？",
  },
}
