-- Chapter 7: what precision costs, and how much of it an answer needs.
return lab {
  id = "fast-math",
  title = { en = "Quick, and exact enough", zh = "够快，也够准" },
  chapter = 7,
  minutes = 35,
  needs = { "constants", "spill" },
  source = "guide 5.4; H200",
  teaches = {
    ["trade-precision"] = "say goals",
    ["sin-two-paths"] = "say ask",
    ["sin-slow-local"] = "say predict goals",
    ["sin-slow-ten"] = "after",
    ["sin-fast-error"] = "say ask",
    fdividef = "say",
    rsqrtf = "ask exercise",
    ["sqrt-by-reciprocals"] = "say",
    ["math-flags"] = "say ask",
  },

  entry = "void fast_math(const float *near, const float *far, const float *power, float *out, int terms, int n)",
  args = {
    near = uniform(-3, 1, "n"),
    far = uniform(150000, 600000, "n"),
    power = uniform(1, 4, "n"),
    out = output("n", { rtol = 0, atol = 2e-4 }),
  },
  cases = {
    { n = 256, terms = 2 },
    { n = 1, terms = 1 },
    { n = 1003, terms = 3 },
    { n = 1 << 17, terms = 16, timed = true },
  },
  hidden = { count = 3, n = { 2, 5000 }, terms = { 1, 18 } },
  goals = {
    correct { points = 4 },
    at_most("local_st_requests", 0) {
      points = 2,
      en = [[
        A sine still takes its slow path, which keeps a long product in local memory. Reduce the
        argument before you call the sine.
      ]],
      zh = [[
        仍有正弦走慢速路径，这条路径要把一个很长的乘积放进局部内存。请在调用正弦之前先做参数规约。
      ]],
    },
    at_most("warp_inst", 0.13 * baseline) {
      points = 2,
      en = [[
        You already reduce the argument, but the precise sine reduces it a second time. Which sine
        does no argument reduction?
      ]],
      zh = "你已经做了参数规约，精确的正弦却还要再做一次。哪个正弦函数不做参数规约？",
    },
    speedup(2) {
      points = 2,
      en = "Which of the remaining functions still takes many instructions?",
      zh = "剩下的函数里，哪一个仍然要用很多条指令？",
    },
  },

  steps = {
    say {
      en = [[
        The kernel of this lab adds up waves for many listeners, as an acoustic simulation does.
        Each wave is the sine of a phase, divided by the square root of a power. The result may be
        off by 2e-4. You will replace the functions of the kernel by quicker ones that are still
        exact enough.

        A GPU computes a few functions in hardware, mainly reciprocal, reciprocal square root, 2^x,
        log2 x, sine and cosine. Each is one instruction of the *special-function unit*. If the
        argument is small, more than 20 bits of the result are right.

        All other functions take several instructions. The *precise* forms of division, root, sine
        and exponential also take several. Precise and quick forms have different names in your
        source:

            precise            quick              H200: precise, quick
            sinf(x)            __sinf(x)          38 us      10 us
            a / b              __fdividef(a, b)   23 us      12 us
            1.0f / sqrtf(x)    rsqrtf(x)          -          12 us
            expf(x)            __expf(x)          14 us      11 us

        (Measured on an H200, with 128 calls in each of 270,336 threads.) Use the quick form if it
        is exact enough for your result.
      ]],
      zh = [[
        本实验的核函数为许多听者叠加声波，声学模拟就要这样算。每个波是相位的正弦除以功率的平方根，
        结果允许有 2e-4 的误差。你要把核函数里的函数换成更快、但仍然够准的版本。

        GPU 能用硬件直接计算的函数不多，主要是倒数、平方根的倒数、2^x、log2 x、正弦和余弦，
        每个都是*特殊函数单元*的一条指令。自变量较小时，结果有二十多个二进制位是准确的。
        其他函数都要用好几条指令。除法、开方、正弦和指数函数的*精确*版本也是如此。在源代码里，
        精确版本和快速版本的名字不同：

            精确               快速               H200 上：精确、快速
            sinf(x)            __sinf(x)          38 微秒   10 微秒
            a / b              __fdividef(a, b)   23 微秒   12 微秒
            1.0f / sqrtf(x)    rsqrtf(x)          —         12 微秒
            expf(x)            __expf(x)          14 微秒   11 微秒

        （在 H200 上实测：270,336 个线程各调用 128 次。）只要快速版本的精度够用，就用快速版本。
      ]],
    },
    say {
      en = [[
        Before it computes a sine, `sinf` subtracts multiples of 2 pi from the argument. This step
        is called *argument reduction*, and `sinf` has two paths for it. Below 105,615 a few
        multiply-adds are enough: this is the *fast path*. (The limit of 105,615 is for floats. For
        doubles, it is 2,147,483,648.)

        Above the limit, `sinf` takes a *slow path*. It multiplies the argument by about 200 bits of
        2 / pi, and keeps the long product in local memory, 28 bytes per thread. The sine for
        doubles needs 44 bytes. (Both figures are those of current compilers.) `cosf`, `tanf` and
        `sincosf` have the same two paths.

        `__sinf` does no argument reduction. It multiplies the argument by 1 / (2 pi), which is
        rounded to a float. So the error of `__sinf` grows with the argument. Measured on an H200,
        the largest error near x is

            x         1        100       1,000     10,000    100,000   1,000,000
            error     2e-7     1.5e-5    1.3e-4    1.1e-3    1.6e-2    0.14
      ]],
      zh = [[
        计算正弦之前，`sinf` 先从自变量中减去 2π 的整数倍，这一步叫*参数规约*。参数规约有两条路径：
        自变量小于 105,615 时走*快速路径*，几条乘加就够了。（105,615 是 float 的阈值，双精度的阈值是
        2,147,483,648。）

        超过这个阈值，`sinf` 就走*慢速路径*：把自变量与 2/π 的大约 200 个二进制位相乘，
        得到的长乘积放在局部内存里，每个线程 28 字节，双精度 44 字节。（这两个数以目前的编译器为
        准。）`cosf`、`tanf`、`sincosf` 也有这两条路径。

        `__sinf` 不做参数规约，只把自变量乘以 1/(2π)，而这个系数已舍入成 float。所以自变量越大，
        `__sinf` 的误差越大。在 H200 上实测，x 附近的最大误差是

            x         1        100       1,000     10,000    100,000   1,000,000
            误差      2e-7     1.5e-5    1.3e-4    1.1e-3    1.6e-2    0.14
      ]],
    },
    ask {
      en = [[
        A program computes a tone of {f} Hz as `sinf(6.2831853f * {f} * t)`. t is the time in
        seconds and begins at 0. For how many seconds does `sinf` stay on its fast path?
      ]],
      zh = [[
        程序用 `sinf(6.2831853f * {f} * t)` 计算 {f} Hz 的音。t 是以秒计的时间，从 0 开始。在前多少
        秒里，`sinf` 走快速路径？
      ]],
      draw = { f = { from = { 100, 440, 1000 } } },
      answer = function(d) return 105615 / (2 * math.pi * d.f) end,
      tolerance = 0.02,
      unit = "s",
      replies = {
        {
          function(d) return 105615 / d.f end,
          en = [[
            Each oscillation adds 2 pi to the argument, not 1. There are {f} oscillations per
            second.
          ]],
          zh = "每振动一次，自变量增加 2π，而不是 1。每秒振动 {f} 次。",
        },
      },
      because = {
        en = [[
          The argument reaches 105,615 after 105615 / (2 pi * {f}) seconds. From then on, the same
          line of code takes several times as long, and the source does not show why. If a phase
          keeps growing, subtract 2 pi now and then, so that the phase stays between -pi and pi.
        ]],
        zh = [[
          经过 105615 / (2 pi * {f}) 秒，自变量达到 105,615。从此同一行代码的用时是原来的几倍，而从
          源代码看不出原因。如果相位会不断增大，就应当不时减去 2π，使相位保持在 -π 到 π 之间。
        ]],
      },
    },
    ask {
      en = [[
        Your result may be off by 1e-3. You call `__sinf` without argument reduction. Up to about
        which argument will the result be exact enough?
      ]],
      zh = "结果允许有 1e-3 的误差。直接调用 `__sinf`，不做参数规约，自变量大约可以到多大？",
      choices = {
        {
          en = "10: above 2 pi, `__sinf` is wrong",
          zh = "10：超过 2π，`__sinf` 就不对",
          because = {
            en = "The table shows an error of only 1.5e-5 at 100.",
            zh = "从表中看到，自变量为 100 时误差只有 1.5e-5。",
          },
        },
        {
          en = "100,000, like the fast path of `sinf`",
          zh = "100,000，和 `sinf` 的快速路径一样",
          because = {
            en = [[
              The table shows an error of 1.6e-2 there. The fast path of `sinf` is more exact
              because it subtracts the multiple of 2 pi in several parts, each with a constant of
              its own. `__sinf` has only one constant.
            ]],
            zh = [[
              从表中看到，那里的误差是 1.6e-2。`sinf` 的快速路径更准，因为它把 2π 的整数倍分成几份，
              每份各用一个常数，依次减去；而 `__sinf` 只有一个常数。
            ]],
          },
        },
        {
          en = "a few thousand",
          zh = "几千",
          right = true,
          because = {
            en = [[
              The error is 1.3e-4 at 1,000 and 1.1e-3 at 10,000. In both cases, the error is about
              1e-7 of the argument.
            ]],
            zh = [[
              自变量为 1,000 时误差是 1.3e-4，为 10,000 时是 1.1e-3。误差大约是自变量的一千万分之
              一。
            ]],
          },
        },
      },
    },
    ask {
      en = [[
        So you reduce the argument yourself: k = rint(x / (2 pi)), then r = x - k * 6.2831853f. As a
        float, this constant is 1.75e-7 larger than 2 pi. How far off is r, for k = {k}?
      ]],
      zh = [[
        所以要自己做参数规约：k = rint(x / (2 pi))，r = x - k * 6.2831853f。这个常数存成 float 后，比
        2π 大 1.75e-7。k = {k} 时，r 差多少？
      ]],
      draw = { k = { 20000, 90000, multiple = 10000 } },
      answer = function(d) return d.k * 1.75e-7 end,
      tolerance = 0.05,
      replies = {
        {
          1.75e-07,
          en = "This is the error of one constant. You subtract the constant {k} times.",
          zh = "这是一个常数的误差，而这个常数要减 {k} 次。",
        },
      },
      because = {
        en = [[
          The error is {k} * 1.75e-7, far too much. The remedy is to split the constant into two
          parts. The first part, 6.28125, has only eight bits, so `fmaf(-k, 6.28125f, x)` is exact.
          Then subtract k times the second part, 1.9353072e-3. The error of this part is a
          ten-thousandth of the error above.
        ]],
        zh = [[
          误差是 {k} * 1.75e-7，太大了。办法是把常数拆成两段。第一段 6.28125 只有八个二进制位，所以
          `fmaf(-k, 6.28125f, x)` 没有误差。然后再减去 k 乘以第二段 1.9353072e-3，
          第二段的误差只有上述误差的万分之一。
        ]],
      },
    },
    say {
      en = [[
        Two other precise functions do more work than their names suggest:

        - `a / b` must be right to the last bit for every a and b. Besides the reciprocal, that
          takes about ten instructions. `__fdividef(a, b)` takes only the reciprocal and a product.
        - `sqrtf(x)` uses the *reciprocal* square root, which the hardware computes. The product x
          * rsqrtf(x) would be NaN for 0 and for infinity. So `sqrtf` either takes the reciprocal of
          the reciprocal root, or adds steps for these two cases. If you only need the reciprocal
          root, you can save all this work.

        Flags of nvcc choose quick forms for a whole file. `-prec-div=false` is for division and
        `-prec-sqrt=false` for the root. `-ftz=true` treats *denormal* numbers, which are very close
        to zero, as zero. That saves steps, too. `-use_fast_math` turns on all three. It also turns
        each `sinf` into `__sinf`, even for large arguments.
      ]],
      zh = [[
        还有两个精确函数，实际的工作比看上去多：

        - `a / b` 对任何 a 和 b 都要准确到最后一位：除了求倒数，还要十来条指令。`__fdividef(a, b)`
          只求一次倒数，再乘一次。
        - `sqrtf(x)` 要用硬件计算的平方根*倒数*。x 为 0 或无穷大时，乘积 x * rsqrtf(x) 是 NaN。
          所以 `sqrtf` 要么对平方根的倒数再求一次倒数，要么为这两种情形另加几步。
          如果你要的正是平方根的倒数，这些工作都是多余的。

        nvcc 的编译选项可以让整个文件使用快速版本：`-prec-div=false` 用于除法，`-prec-sqrt=false`
        用于开方，`-ftz=true` 把非规格化数（非常接近零的数）当作零，也能省几步。`-use_fast_math`
        打开这三个选项，还把每个 `sinf` 换成 `__sinf`，自变量很大时也一样。
      ]],
    },
    ask {
      alone = true,
      en = "You compile without any flags. What does nvcc make of `1.0f / sqrtf(x)`?",
      zh = "不加任何编译选项时，nvcc 怎样编译 `1.0f / sqrtf(x)`？",
      choices = {
        {
          en = "a precise square root and a precise reciprocal",
          zh = "一次精确的开方，加一次精确的求倒数",
          right = true,
          because = {
            en = [[
              Both steps must be rounded as IEEE 754 requires. To let nvcc use the reciprocal root
              instead, you must give both `-prec-div=false` and `-prec-sqrt=false`. So write
              `rsqrtf(x)` if you want the reciprocal root.
            ]],
            zh = [[
              两步的结果都必须按 IEEE 754 舍入。只有同时给出 `-prec-div=false` 和
              `-prec-sqrt=false`，nvcc 才可以改用硬件的平方根倒数指令。所以要用这条指令，请直接写
              `rsqrtf(x)`。
            ]],
          },
        },
        {
          en = "`rsqrtf(x)`: the compiler recognises the expression",
          zh = "`rsqrtf(x)`：编译器认得这个表达式",
          because = {
            en = [[
              The compiler must not replace the expression, since the last bits of the result would
              differ.
            ]],
            zh = "编译器不可以这样替换，因为结果的最后几位会不同。",
          },
        },
        {
          en = "`__fdividef(1.0f, sqrtf(x))`",
          zh = "`__fdividef(1.0f, sqrtf(x))`",
          because = {
            en = "The compiler chooses the quick division only if a flag permits it.",
            zh = "只有编译选项允许时，编译器才会选用快速除法。",
          },
        },
      },
    },
    predict {
      en = [[
        For each term, the baseline computes the sine of one near phase and of one far phase. All
        far phases are above 150,000. On the slow path, a sine fills its 28 bytes of local memory
        one word (4 bytes) at a time. How many local *store* requests does the baseline make with n
        = 256 (8 warps) and terms = 2?
      ]],
      zh = [[
        对每一项，基线算一个近处相位和一个远处相位的正弦，远处的相位都大于 150,000。走慢速路径时，
        正弦填满 28 字节的局部内存，每次写一个字（4 字节）。n = 256（8 个线程束（warp））、terms =
        2 时，基线有多少个局部内存*写*请求？
      ]],
      counter = "local_st_requests",
      of = "baseline",
      case = { n = 256, terms = 2 },
      tolerance = 0,
      replies = {
        {
          56,
          en = "You counted 8 warps of 7 words each. There are also two terms.",
          zh = "你算的是 8 个 warp 各写 7 个字。还有两项，要再乘以 2。",
        },
        {
          448,
          en = "A request stores a word of 4 bytes for each lane, not one byte.",
          zh = "一个请求为每个 lane 写一个 4 字节的字，而不是一个字节。",
        },
      },
      because = {
        en = [[
          28 bytes are 7 words. Each warp stores 7 words for each far phase: 8 * 2 * 7 = 112. The
          near phases take the fast path, which stores nothing.
        ]],
        zh = [[
          28 字节是 7 个字。每个 warp 为每个远处的相位写 7 个字：8 * 2 * 7 = 112。
          近处的相位走快速路径，不写局部内存。
        ]],
      },
    },
    show {
      en = "The counters of the baseline in the timed case:",
      zh = "基线在计时用例里的计数器：",
      picture = "counters",
      counters = {
        "local_st_requests",
        "local_ld_requests",
        "local_bytes",
        "warp_inst",
        "inst_sfu",
        "device_us",
      },
      of = "baseline",
    },
    exercise {
      en = [[
        Bring the far phases into the range from -pi to pi. Then use a quick function wherever the
        error stays below 2e-4.
      ]],
      zh = "先把远处的相位规约到 -π 与 π 之间，然后只要误差不超过 2e-4，就改用快速函数。",
    },
    compare {
      en = "The instructions of your version beside those of the baseline:",
      zh = "你的版本与基线的指令数对比：",
      counters = {
        "local_st_requests",
        "warp_inst",
        "inst_fp32",
        "inst_sfu",
        "registers",
        "device_us",
      },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "local_st_requests",
      en = "How many multiples of 2 pi are there in 600,000? Do they change the value of the sine?",
      zh = "600,000 里有多少个 2π？减去这些 2π，正弦的值会变吗？",
    },
    {
      en = [[
        `float turns = rintf(x * 0.15915494f);` counts the multiples of 2 pi in x. Subtract them in
        two steps, each with `fmaf`. The first step uses `6.28125f`. Then x lies between -pi and pi,
        where `__sinf` is exact to 1e-6. Use `rsqrtf` in place of root and division.
      ]],
      zh = [[
        `float turns = rintf(x * 0.15915494f);` 数出 x 里有多少个 2π。分两步减去这些 2π，每步用
        `fmaf`，第一步用 `6.28125f`。这时 x 在 -π 到 π 之间，`__sinf` 在这个范围内准确到 1e-6。开方
        和除法用 `rsqrtf` 代替。
      ]],
    },
    {
      en = [[
        Write `x = fmaf(-turns, 6.28125f, x);` and `x = fmaf(-turns, 1.9353072e-3f, x);`, then
        `__sinf(x)`. For root and division, write `sum += wave * rsqrtf(power[i] + k);`
        Here k is the counter of the loop.
      ]],
      zh = [[
        写 `x = fmaf(-turns, 6.28125f, x);` 和 `x = fmaf(-turns, 1.9353072e-3f, x);`，
        然后调用 `__sinf(x)`。开方和除法写成 `sum += wave * rsqrtf(power[i] + k);`，
        这里的 k 是循环变量。
      ]],
    },
  },

  after = {
    en = [[
      We measured 128 sines per thread on an H200. With small arguments, `sinf` takes 38 us. With
      arguments above 105,615, it takes 309 us, which is 8 times as long: the slow path computes
      more and uses local memory. `__sinf` takes 10 us.

      Your own reduction takes only four instructions. It can be so short because you know more than
      `sinf` does: how large the arguments are, and how exact the result must be.

      The general rule is: trade precision for speed *if the result stays exact enough*, and measure
      the error. In this lab, an error of 2e-4 was permitted, and your error is only a few per cent
      of that.
    ]],
    zh = [[
      我们在 H200 上测量了每个线程算 128 次正弦的用时。自变量较小时，`sinf` 用 38 微秒；自变量都超过
      105,615 时用 309 微秒，是前者的 8 倍，因为慢速路径的计算多，还要用局部内存。`__sinf` 用 10 微
      秒。你自己的参数规约只要四条指令。之所以能这样短，是因为你知道得比 `sinf` 多：自变量有多大，结
      果要准到什么程度。

      一般的原则是：*在结果仍然够准的前提下*，用精度换速度，并且测量误差。本实验允许 2e-4 的误差，你
      的误差只有其中的百分之几。
    ]],
  },
  more = {
    en = [[
      Reduce the argument in doubles: `x - 6.283185307179586 * rint(x / 6.283185307179586)` is
      correct, too. How much time does that cost on `device sim:h200`, and how much on
      `device sim:t4`? If you may choose the unit of the phases, divide each phase by 2 pi before
      you store it. Then `x - rintf(x)` is the whole reduction, and you call `sinpif(2 * x)`.
    ]],
    zh = [[
      试试用双精度做参数规约：`x - 6.283185307179586 * rint(x / 6.283185307179586)`，结果也对。在
      `device sim:h200` 上会慢多少？在 `device sim:t4` 上呢？如果相位的单位由你来定，就把相位除以 2π
      之后再存放。这时参数规约只是 `x - rintf(x)`，再调用 `sinpif(2 * x)`。
    ]],
  },
}
