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
      en = "Each instruction still works on one half. The intrinsics whose names end in 2 work on two.",
      zh = "每条指令还只处理一个半精度数。名字以 2 结尾的内部函数才一次处理两个。",
    },
    at_most("global_loads", 0.66 * baseline) {
      points = 2,
      en = "The arithmetic is packed, the loads are not: read both halves of a pair with one load of 4 bytes.",
      zh = "运算成对了，读取还没有：用一次 4 字节的读取读进一对数。",
    },
    at_most("inst_convert", 0.75 * baseline) {
      points = 1,
      en = "Something is converted for every pair. The arithmetic can stay in half precision.",
      zh = "每一对数都在做类型转换。运算可以一直留在半精度里。",
    },
  },

  steps = {
    say {
      en = [[
        A `half` is a floating-point number of 16 bits: half the memory of a float, half the traffic. A register has 32 bits, and so a single half in it leaves one half of the register, and of
        the unit that computes, unused. `half2` is two of them side by side, and there is an instruction for both:

            c = __hfma(a, b, c);        one multiply-add
            c = __hfma2(a, b, c);       two, in one instruction

        Likewise `__hadd2`, `__hsub2`, `__hmul2`. `__halves2half2(lo, hi)` makes a pair of two halves, `__half2half2(x)` twice the same, `__low2half` and `__high2half` take it apart. For
        the other 16-bit format, `__nv_bfloat16`, the pair is called `__nv_bfloat162` and is made by `__halves2bfloat162`.
      ]],
      zh = [[
        `half` 是 16 位的浮点数：占的内存是 float 的一半，访存量也是一半。寄存器是 32 位的，只放一个 half，就有半个寄存器、半个运算单元闲着。`half2` 把两个 half 并排放在一起，并且有指令同时处理两个：

            c = __hfma(a, b, c);        一次乘加
            c = __hfma2(a, b, c);       一条指令两次乘加

        同样还有 `__hadd2`、`__hsub2`、`__hmul2`。`__halves2half2(lo, hi)` 把两个 half 拼成一对，`__half2half2(x)` 把同一个数放两份，`__low2half` 和 `__high2half` 再把它拆开。
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
        { function(d) return d.x < 2048 and d.x or d.x + 1 end, en = "Halves have 11 significant bits: up to 2048 every whole number is there, and beyond every second one.", zh = "half 有 11 位有效数字：到 2048 为止每个整数都有，再往上就隔一个才有。" },
      },
      because = {
        en = "From 2048 on neighbouring halves are 2 and more apart: a half that counts stops there. For bfloat16, with 8 bits, it is 256. Long sums belong into a float. (A half ends at 65,504; a bfloat16 has a float's range.)",
        zh = "从 2048 起，相邻的 half 相差 2 以上：用 half 计数，数到这里就不动了。bfloat16 只有 8 位，到 256 就停。长的求和应当用 float。（half 最大到 65,504；bfloat16 的范围与 float 相同。）",
      },
    },
    ask {
      alone = true,
      en = "x is a `half *` from cudaMalloc. For which k may `*(half2 *)(x + k)` be read?",
      zh = "x 是 cudaMalloc 得到的 `half *`。k 取哪些值时可以读 `*(half2 *)(x + k)`？",
      choices = {
        { en = "any k", zh = "任意 k", because = { en = "With an odd k the 4 bytes start at an address that is no multiple of 4: the access faults.", zh = "k 为奇数时，这 4 字节的起始地址不是 4 的倍数：访问会出错。" } },
        { en = "multiples of 32", zh = "32 的倍数", because = { en = "That would be good for whole sectors, but only 4 bytes are asked for.", zh = "那样对整扇区有利，但这里只要求 4 字节对齐。" } },
        { en = "even k", zh = "偶数 k", right = true, because = { en = "A half2 has 4 bytes and must lie at a multiple of 4.", zh = "half2 是 4 字节，地址必须是 4 的倍数。" } },
      },
    },
    ask {
      en = "y[i] = a * x[i] + y[i] in halves, 16 million elements. On an H200: floats take 57 us, halves one at a time 47, half2 28. Why do single halves gain so little, though they move half the bytes?",
      zh = "用半精度做 y[i] = a * x[i] + y[i]，一千六百万个元素。在 H200 上：float 用 57 微秒，逐个 half 用 47 微秒，half2 用 28 微秒。逐个处理 half 时字节数已经减半，为什么只快了一点？",
      choices = {
        {
          en = "Because halves are converted to floats before each operation.",
          zh = "因为每次运算前都要把 half 转换成 float。",
          because = { en = "The hardware computes in half precision: no conversion is needed.", zh = "硬件直接用半精度计算，不需要转换。" },
        },
        {
          en = "There are as many threads, loads and stores as with floats, and each moves half as much.",
          zh = "线程数、读写次数和 float 时一样多，只是每次搬得少一半。",
          right = true,
          because = {
            en = "A warp's request is 64 bytes in place of 128: bytes under way are too few to keep the memory busy (see `dram-parallel`), and the instructions stay the same. In pairs, it is half of everything.",
            zh = "一个线程束（warp）的请求从 128 字节变成 64 字节：在途的字节太少，喂不饱显存（见 `dram-parallel`），指令也一条没少。成对处理，一切才都减半。",
          },
        },
        {
          en = "Two-byte accesses are not coalesced.",
          zh = "2 字节的访问不能合并。",
          because = { en = "They are: 32 lanes side by side take two sectors.", zh = "能合并：并排的 32 个 lane 只用两个扇区。" },
        },
      },
    },
    ask {
      en = "A careful colleague loads halves, computes a * x + y in floats, and stores a half. How many conversions is that for each element?",
      zh = "一位谨慎的同事读入 half，用 float 计算 a * x + y，再存成 half。每个元素要做多少次转换？",
      answer = 3,
      replies = {
        { 2, en = "x *and* y to floats, and the result back.", zh = "x *和* y 都要转成 float，结果还要转回来。" },
        { 4, en = "a is converted once, before the loop.", zh = "a 只在循环之前转换一次。" },
      },
      because = {
        en = "x and y to float, the result to half. For long chains of operations this is right, and more accurate; for one multiply-add there are more conversions than arithmetic.",
        zh = "x 和 y 转成 float，结果再转成 half。运算链很长时这样做是对的，也更准确；但只有一次乘加时，转换比运算还多。",
      },
    },
    ask {
      en = "Each lane of a warp holds two partial sums as halves. How many shuffles does it take until lane 0 has both totals, if the pair is shuffled as a half2?",
      zh = "一个 warp 的每个 lane 都有两个半精度的部分和。如果把这一对当作 half2 一起洗牌，要多少次洗牌才能让 lane 0 得到两个总和？",
      answer = 5,
      replies = {
        { 10, en = "A pair is one word of 32 bits: it is shuffled as one.", zh = "一对正好是一个 32 位的字：一次就洗过去了。" },
        { 31, en = "Each shuffle halves the lanes that are left.", zh = "每次洗牌使剩下的 lane 减半。" },
      },
      because = {
        en = "log2(32) = 5, each followed by `__hadd2`. One by one it would be 10: not only arithmetic gains from pairs.",
        zh = "log2(32) = 5，每次之后做 `__hadd2`。若分开洗牌则要 10 次：成对的好处不限于算术。",
      },
    },
    predict {
      en = "The baseline executes 16 half-precision instructions for each of 262,144 numbers: 4.2 million. How many does the answer with pairs execute?",
      zh = "基线对 262,144 个数各执行 16 条半精度指令，共 419 万条。成对处理的参考答案执行多少条？",
      counter = "inst_fp16",
      of = "answer",
      tolerance = 0.02,
      replies = {
        { 4194304, en = "An instruction on a pair does two of them.", zh = "对一对数的一条指令顶两条。" },
      },
      because = { en = "Half as many threads, with as many instructions each: 2.1 million.", zh = "线程数减半，每个线程的指令数不变：210 万条。" },
    },
    show {
      en = "The skeleton, line by line: two sectors a request, where a warp could have four.",
      zh = "逐行看骨架代码：每个请求只有两个扇区，而一个 warp 本可以要四个。",
      picture = "sectors",
      of = "skeleton",
    },
    exercise {
      en = "Give each thread a pair, from load to store. Keep it right for every n, odd ones, too.",
      zh = "让每个线程处理一对数，从读取到写入都成对。对任意 n 都要正确，奇数也不例外。",
    },
    show {
      en = "Yours:",
      zh = "你的：",
      picture = "sectors",
      of = "mine",
    },
    compare {
      en = "Half of everything:",
      zh = "一切减半：",
      counters = { "inst_fp16", "inst_convert", "gld_requests", "gst_requests", "gld_sectors", "warp_inst", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Thread i takes the numbers 2 * i and 2 * i + 1. How many threads are that for n = 1003?",
      zh = "线程 i 处理第 2 * i 和 2 * i + 1 个数。n = 1003 时需要多少个线程？",
    },
    {
      en = "Read `((const half2 *)x)[i]`, compute with `__hfma2` and a `half2` constant from `__float2half2_rn`, store a half2. Where 2 * i + 1 is n, there is only one number to read, and one to store.",
      zh = "读 `((const half2 *)x)[i]`，用 `__hfma2` 和 `__float2half2_rn` 得到的 `half2` 常数计算，再写一个 half2。当 2 * i + 1 等于 n 时，只能读一个数，也只能写一个。",
    },
    {
      en = "`bool pair = 2 * i + 1 < n; half2 v = pair ? ((const half2 *)x)[i] : __half2half2(x[2 * i]);` and at the end `if (pair) ((half2 *)out)[i] = v; else out[2 * i] = __low2half(v);`",
      zh = "写 `bool pair = 2 * i + 1 < n; half2 v = pair ? ((const half2 *)x)[i] : __half2half2(x[2 * i]);`，最后 `if (pair) ((half2 *)out)[i] = v; else out[2 * i] = __low2half(v);`",
    },
  },

  after = {
    en = [[
      Do halves also compute faster? Measured on an H200, chains of 2048 multiply-adds without any memory: floats 19 us, single halves 36 us, half2 19 us for 1024 instructions, which are as many operations.
      So a single half is *slower* than a float there, and a pair is level with two floats. What 16 bits really save is bytes, and registers.

      This shows where bytes take the time: 28 us in place of 47 for 16 million elements. At the size of this lab an H200 takes 3.2 us with pairs and 3.4 with single halves (measured): most of that is the launch.

      And what do they cost? Each rounding is 8192 times as coarse as a float's. The lab compares halves with halves; beside floats, your results would be off by up to 0.016.
    ]],
    zh = [[
      半精度算得也更快吗？在 H200 上实测，2048 步的乘加链，完全不访存：float 用 19 微秒，逐个 half 用 36 微秒；half2 只要 1024 条指令就做完同样多的运算，用 19 微秒。所以在那里，单个 half 比 float *慢*，
      成对的 half 与两个 float 打平。16 位真正省下的是字节和寄存器。

      时间花在搬字节上的时候，这才看得出来：一千六百万个元素从 47 微秒降到 28 微秒。按本实验的规模，H200 成对处理用 3.2 微秒，逐个处理用 3.4 微秒（实测）：大部分是启动的时间。

      代价又是什么？每次舍入要比 float 粗 8192 倍。本实验是拿半精度与半精度比；若与 float 相比，你的结果最多会差 0.016。
    ]],
  },
  more = {
    en = "Read eight halves at once: a `uint4` holds four half2. Then change the format to `__nv_bfloat16` (`cuda_bf16.h`), converting on load and store: does it still pass, with 3 bits less?",
    zh = "试试一次读八个 half：一个 `uint4` 里有四个 half2。再把格式换成 `__nv_bfloat16`（`cuda_bf16.h`），在读写时转换：少了 3 位，还能通过吗？",
  },
}
