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
    correct { points = 3 },
    at_most("arithmetic", 0.7 * baseline) {
      points = 2,
      en = [[
        Each instruction still works on one half at a time. The functions whose names end in 2, such
        as `__hfma2`, work on two halves.
      ]],
      zh = "每条指令仍然只处理一个半精度数。名字以 2 结尾的函数（例如 `__hfma2`）一次处理两个。",
    },
    -- A step is one multiply-add for each element, with pairs or without.
    at_least("flop_hp", 0.9 * baseline) {
      points = 2,
      en = [[
        The kernel leaves out steps, or computes them in another type. Do all `steps` steps in half
        precision, one after another.
      ]],
      zh = "核函数省去了一些步，或者用别的类型计算。全部 `steps` 步都应当用半精度，一步接一步地做。",
    },
    at_most("global_loads", 0.66 * baseline) {
      points = 2,
      en = [[
        The arithmetic works on pairs, but the loads do not. Read both halves of a pair with one
        4-byte load.
      ]],
      zh = "运算已经成对，读取还没有成对。请用一次 4 字节的读取读入一对数。",
    },
    at_most("inst_convert", 0.75 * baseline) {
      points = 1,
      en = "The kernel still converts types for every pair. Keep the arithmetic in half precision.",
      zh = "核函数仍然对每一对数做类型转换。请让运算一直用半精度。",
    },
  },

  steps = {
    say {
      en = [[
        The kernel of this lab computes in *half precision*, the 16-bit format of many neural
        networks. For each of n numbers, it executes out = 0.9375 * out + y several times. You will
        let each thread work on two numbers at a time, and find out when that saves time.

        A `half` has 16 bits, so it needs half the memory of a float. A register has 32 bits. If a
        register holds a single `half`, 16 bits of the register are unused, and the arithmetic unit
        does only half the work that it could do. A `half2` is a pair of halves in one register, and
        one instruction works on both:

            c = __hfma(a, b, c);        one multiply-add
            c = __hfma2(a, b, c);       two, in one instruction

        `__hadd2`, `__hsub2` and `__hmul2` work in the same way. `__halves2half2(lo, hi)` makes a
        pair from two halves. `__half2half2(x)` makes a pair that holds x twice. `__low2half` and
        `__high2half` each take one half out of a pair.

        There is a second 16-bit format, `__nv_bfloat16`. Its pair is called `__nv_bfloat162`, and
        `__halves2bfloat162` makes such a pair.
      ]],
      zh = [[
        本实验的核函数用*半精度*计算，许多神经网络用的就是这种 16 位格式。核函数对 n 个数各做若干次
        out = 0.9375 * out + y。你要让每个线程一次处理两个数，并弄清什么时候这样做能省时间。

        `half` 有 16 位，占用的内存是 float 的一半。寄存器有 32 位，如果只放一个 `half`，
        就有半个寄存器和半个运算单元没有用上。`half2` 是放在同一个寄存器里的一对 half，
        一条指令同时处理两个：

            c = __hfma(a, b, c);        一次乘加
            c = __hfma2(a, b, c);       一条指令两次乘加

        `__hadd2`、`__hsub2`、`__hmul2` 也是这样。`__halves2half2(lo, hi)` 把两个 half 拼成一对，
        `__half2half2(x)` 得到两个都是 x 的一对，`__low2half` 和 `__high2half` 各从一对中取出一个。

        还有一种 16 位格式 `__nv_bfloat16`，成对的类型叫 `__nv_bfloat162`，用 `__halves2bfloat162`
        拼成。
      ]],
    },
    ask {
      alone = true,
      en = "A half has 11 significant bits. x is the half {x}. What is x + 1 in half precision?",
      zh = "half 有 11 个有效的二进制位。x 是半精度的 {x}。在半精度里 x + 1 等于多少？",
      draw = { x = { from = { 1024, 2048, 4096, 8192 } } },
      answer = function(d) return d.x < 2048 and d.x + 1 or d.x end,
      replies = {
        {
          function(d) return d.x < 2048 and d.x or d.x + 1 end,
          en = [[
            With 11 significant bits, a half can hold every whole number up to 2048. Between 2048
            and 4096, it can hold only every second one.
          ]],
          zh = [[
            half 有 11 个有效位：到 2048 为止，每个整数都能表示；从 2048 到 4096，
            每两个整数只能表示一个。
          ]],
        },
      },
      because = {
        en = [[
          From 2048 on, neighbouring halves are at least 2 apart. So a counter in a half stops at
          2048. A bfloat16 has only 8 significant bits, so a counter in a bfloat16 stops at 256. Use
          a float for long sums. (The largest half is 65,504. A bfloat16 has the range of a float.)
        ]],
        zh = [[
          从 2048 起，相邻的 half 至少相差 2，所以用 half 计数，到 2048 就不再增加。bfloat16 只有
          8 个有效位，到 256 就不再增加。项数多的求和应当用 float。（half 的最大值是 65,504；
          bfloat16 的范围与 float 相同。）
        ]],
      },
    },
    ask {
      alone = true,
      en = "x is a `half *` from cudaMalloc. For which k may a thread read `*(half2 *)(x + k)`?",
      zh = "x 是 cudaMalloc 得到的 `half *`。k 取哪些值时，线程可以读 `*(half2 *)(x + k)`？",
      choices = {
        {
          en = "any k",
          zh = "任意 k",
          because = {
            en = [[
              If k is odd, the address x + k is not a multiple of 4 bytes, and the access fails.
            ]],
            zh = "k 为奇数时，x + k 的地址不是 4 字节的倍数，访问会出错。",
          },
        },
        {
          en = "multiples of 32",
          zh = "32 的倍数",
          because = {
            en = [[
              32 halves are 64 bytes. The access must be aligned only to its own size of 4 bytes.
            ]],
            zh = "32 个 half 是 64 字节，而这次访问只需按自己的宽度（4 字节）对齐。",
          },
        },
        {
          en = "even k",
          zh = "偶数 k",
          right = true,
          because = {
            en = [[
              A half2 has 4 bytes, so its address must be a multiple of 4. A half has 2 bytes, so k
              must be even.
            ]],
            zh = "half2 有 4 字节，地址必须是 4 的倍数。一个 half 是 2 字节，所以 k 必须是偶数。",
          },
        },
      },
    },
    ask {
      en = [[
        A kernel computes y[i] = a * x[i] + y[i] for 16 million elements. On an H200, it takes 57 us
        with floats, 47 us with single halves, and 28 us with half2. Halves need only half the bytes
        of floats. Why do single halves gain so little?
      ]],
      zh = [[
        某核函数对 1600 万个元素计算 y[i] = a * x[i] + y[i]。在 H200 上，用 float 要 57 微秒，
        逐个处理 half 要 47 微秒，用 half2 要 28 微秒。half 的字节数只有 float 的一半。逐个处理 half
        时，为什么只快了一点？
      ]],
      choices = {
        {
          en = "Each operation first converts the halves to floats.",
          zh = "每次运算之前都要把 half 转换成 float。",
          because = {
            en = "The hardware has instructions for half precision, so nothing is converted.",
            zh = "硬件有半精度指令，不需要转换。",
          },
        },
        {
          en = [[
            There are as many threads, loads and stores as with floats, and each load or store moves
            half as much.
          ]],
          zh = "线程数、读写次数和 float 时一样多，只是每次搬的字节少一半。",
          right = true,
          because = {
            en = [[
              A warp's request now has 64 bytes instead of 128. So the bytes under way are too few
              to keep the memory busy (see `dram-parallel`), and the number of instructions is the
              same as before. With half2, the kernel needs only half as many threads, requests and
              instructions.
            ]],
            zh = [[
              每个请求从 128 字节变成 64 字节。在途的字节太少，不足以让内存保持忙碌（见
              `dram-parallel`），指令数也没有减少。用 half2 时，线程、请求和指令都减半。
            ]],
          },
        },
        {
          en = "Two-byte accesses are not coalesced.",
          zh = "2 字节的访问不能合并。",
          because = {
            en = "Accesses of 2 bytes are coalesced: 32 neighbouring lanes need only two sectors.",
            zh = "2 字节的访问同样能合并：32 个相邻的 lane 只需要两个扇区。",
          },
        },
      },
    },
    ask {
      en = [[
        For better accuracy, a colleague loads x and y as halves, computes a * x + y in floats, and
        stores a half. a is a float already. How many conversions does the kernel execute for each
        element?
      ]],
      zh = [[
        为了更准，一位同事读入 half 类型的 x 和 y，用 float 计算 a * x + y，再存成 half。a 本来就是
        float。每个元素要做多少次转换？
      ]],
      answer = 3,
      replies = {
        {
          2,
          en = "Both x *and* y become floats, and the result becomes a half again.",
          zh = "x *和* y 都要转换成 float，结果还要转换回 half。",
        },
        {
          4,
          en = "a is a float, so only x, y and the result are converted.",
          zh = "a 是 float，要转换的只有 x、y 和结果。",
        },
      },
      because = {
        en = [[
          x and y become floats, and the result becomes a half. If each element needs a long
          calculation, this is a good way, since floats are more accurate. For only one multiply-add
          per element, the kernel would execute more conversions than operations.
        ]],
        zh = [[
          x 和 y 转换成 float，结果转换成 half。如果每个元素要连续做很多运算，这个办法很好，因为
          float 更准。如果只做一次乘加，转换就比运算还多。
        ]],
      },
    },
    ask {
      en = [[
        Each lane of a warp holds two partial sums in a half2. The warp adds them up over its lanes
        with shuffles of half2. How many shuffles does it take until lane 0 has both totals?
      ]],
      zh = [[
        一个线程束（warp）的每个 lane 都有一个 half2，里面是两个部分和。这个 warp 用 shuffle 传递
        half2，把各 lane 的部分和加起来。要多少次 shuffle，lane 0 才能得到两个总和？
      ]],
      answer = 5,
      replies = {
        {
          10,
          en = "A half2 is one 32-bit word, so one shuffle moves both halves.",
          zh = "half2 是一个 32 位的字，一次 shuffle 就能传递两个 half。",
        },
        {
          31,
          en = [[
            You counted one shuffle per lane. After each shuffle, only half as many partial sums are
            left.
          ]],
          zh = "你算成了每个 lane 一次。每次 shuffle 之后，剩下的部分和的个数减半。",
        },
      },
      because = {
        en = [[
          It takes log2(32) = 5 shuffles, each followed by `__hadd2`. If you shuffled the two halves
          separately, it would take 10. So half2 saves not only arithmetic but also shuffles.
        ]],
        zh = [[
          要 log2(32) = 5 次 shuffle，每次之后做一次 `__hadd2`。若两个 half 分开传递，就要 10 次。
          可见 half2 节省的不只是算术运算。
        ]],
      },
    },
    predict {
      en = [[
        The baseline executes 16 half-precision instructions for each of 262,144 numbers: 4.2
        million. The model answer works on pairs. How many does it execute?
      ]],
      zh = [[
        基线对 262,144 个数各执行 16 条半精度指令，一共 419 万条。成对处理的参考答案执行多少条？
      ]],
      counter = "inst_fp16",
      of = "answer",
      tolerance = 0.02,
      replies = {
        {
          4194304,
          en = "One instruction on a pair does the work of two instructions on single halves.",
          zh = "处理一对数的一条指令，相当于原来的两条。",
        },
      },
      because = {
        en = [[
          There are half as many threads, and each still executes 16 such instructions: 2.1 million.
        ]],
        zh = "线程数减半，每个线程仍执行 16 条：一共 210 万条。",
      },
    },
    show {
      en = [[
        The skeleton, line by line. Each load request fetches two sectors. With half2, it would
        fetch four.
      ]],
      zh = "逐行看骨架代码。每个读取请求只取两个扇区，改用 half2 后可以取四个。",
      picture = "sectors",
      of = "skeleton",
    },
    exercise {
      en = [[
        Let each thread load, compute and store a pair. Your kernel must be right for every n, even
        if n is odd.
      ]],
      zh = "请让每个线程成对地读取、计算和写入。对任意的 n 都要正确，n 为奇数时也不例外。",
    },
    show {
      en = "Your kernel, line by line:",
      zh = "逐行看你的核函数：",
      picture = "sectors",
      of = "mine",
    },
    compare {
      en = "Your version beside the baseline. Most counters fall to half.",
      zh = "你的版本与基线的对比：多数计数器的值减半。",
      counters = {
        "inst_fp16",
        "inst_convert",
        "gld_requests",
        "gst_requests",
        "gld_sectors",
        "warp_inst",
        "device_us",
      },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        Let thread i work on the numbers 2 * i and 2 * i + 1. How many threads do you need for n =
        1003?
      ]],
      zh = "让线程 i 处理第 2 * i 和第 2 * i + 1 个数。n = 1003 时需要多少个线程？",
    },
    {
      en = [[
        Read `((const half2 *)x)[i]`. Compute with `__hfma2`, and make the `half2` constant with
        `__float2half2_rn`. Store a half2. If 2 * i + 1 equals n, the thread has only one number to
        read and to store.
      ]],
      zh = [[
        读 `((const half2 *)x)[i]`，用 `__hfma2` 计算，`half2` 常数用 `__float2half2_rn` 得到，
        最后写一个 half2。当 2 * i + 1 等于 n 时，这个线程只有一个数要读、要写。
      ]],
    },
    {
      en = [[
        Read with
        `bool pair = 2 * i + 1 < n; half2 v = pair ? ((const half2 *)x)[i] : __half2half2(x[2 * i]);` and store with `if (pair) ((half2 *)out)[i] = v; else out[2 * i] = __low2half(v);`
      ]],
      zh = [[
        读取写成
        `bool pair = 2 * i + 1 < n; half2 v = pair ? ((const half2 *)x)[i] : __half2half2(x[2 * i]);`，写入写成 `if (pair) ((half2 *)out)[i] = v; else out[2 * i] = __low2half(v);`
      ]],
    },
  },

  after = {
    en = [[
      Is arithmetic with halves faster than with floats? We measured chains of 2048 multiply-adds
      without memory accesses on an H200. They take 19 us with floats and 36 us with single halves.
      With half2, 1024 instructions do the same work in 19 us.

      So a single half is *slower* than a float on an H200, and a pair takes as long as two floats.
      The gain of 16-bit numbers is that they need fewer bytes and fewer registers.

      So pairs pay if a kernel spends most of its time on moving bytes: for 16 million elements,
      they take 28 us instead of 47 us. At the size of this lab, an H200 takes 3.2 us with pairs and
      3.4 us with single halves (measured). In both cases, most of the time is that of the launch.

      The price is accuracy. A half rounds 8192 times as coarsely as a float. This lab compares your
      results with results in halves. Compared with results in floats, your results would be off by
      up to 0.016.
    ]],
    zh = [[
      半精度的运算比 float 快吗？我们在 H200 上测量了 2048 步的乘加链，完全不访问内存：用 float 要
      19 微秒，逐个处理 half 要 36 微秒；half2 用 1024 条指令完成同样多的运算，要 19 微秒。所以在
      H200 上，单个 half 比 float *慢*，一对 half 与两个 float 一样快。16 位数的好处在于占用的字节和
      寄存器都少。

      所以，时间主要花在搬运字节上的核函数，适合成对处理：1600 万个元素从 47 微秒降到 28 微秒。
      按本实验的规模，H200 成对处理用 3.2 微秒，逐个处理用 3.4 微秒（实测），
      其中大部分是启动的时间。

      代价是精度。half 的舍入误差是 float 的 8192 倍。本实验把你的结果与半精度的结果比较；若与 float
      的结果比较，最多会差 0.016。
    ]],
  },
  more = {
    en = [[
      Read eight halves with one load: a `uint4` holds four half2. Then change the format to
      `__nv_bfloat16` (`cuda_bf16.h`): convert when you load, and convert back when you store. This
      format has 3 significant bits fewer than a half. Does the kernel still pass?
    ]],
    zh = [[
      试试一次读八个 half：一个 `uint4` 里有四个 half2。再把格式换成 `__nv_bfloat16`
      （`cuda_bf16.h`）：读入时转换，写出时再转换回来。这种格式比 half 少 3 个有效位，核函数还能通
      过吗？
    ]],
  },
}
