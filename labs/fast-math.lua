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
  hidden = { count = 3, n = { 2, 5000 }, terms = { 1, 6 } },
  goals = {
    correct { points = 4 },
    at_most("local_st_requests", 0) {
      points = 2,
      en = "A sine still takes its slow path, which keeps a long product in local memory. Reduce the argument before the call.",
      zh = "还有正弦在走慢速路径，慢速路径要把一个很长的乘积放进局部内存。请在调用之前先做参数规约。",
    },
    at_most("warp_inst", 0.13 * baseline) {
      points = 2,
      en = "Your argument is already reduced, but the precise sine reduces it again. Which function does not?",
      zh = "自变量已经规约过了，精确的正弦却还要再做一次参数规约。哪个函数没有这一步？",
    },
    speedup(2) {
      points = 2,
      en = "Which of the remaining functions takes many instructions?",
      zh = "剩下的函数里，哪一个要用许多条指令？",
    },
  },

  steps = {
    say {
      en = [[
        A GPU computes a few functions in hardware: reciprocal, reciprocal square root, 2^x, log2 x, sine and cosine. Each is one instruction of the
        special-function unit. For small arguments the result is right to more than 20 bits. All other functions are built from such instructions, and so are
        the *precise* forms: `a / b`, `sqrtf`, `sinf`, `expf`. The name in your source chooses the form:

            precise            quick              H200: quick, precise
            sinf(x)            __sinf(x)          10 us      38 us
            a / b              __fdividef(a, b)   12 us      23 us
            1.0f / sqrtf(x)    rsqrtf(x)          12 us
            expf(x)            __expf(x)          11 us      14 us

        (Measured on an H200: 128 calls in each of 270,336 threads.) If the quick form is exact enough for your result, use it.
      ]],
      zh = [[
        GPU 用硬件直接计算的函数只有几个：倒数、平方根的倒数、2^x、log2 x、正弦和余弦。每个都是特殊函数单元的一条指令，自变量较小时，结果有二十多位（二进制）准确。其他函数都由这样的指令组成，
        *精确*版本的 `a / b`、`sqrtf`、`sinf`、`expf` 也是如此。用哪个版本，由源代码里的名字决定：

            精确               快速               H200 上：快速、精确
            sinf(x)            __sinf(x)          10 微秒   38 微秒
            a / b              __fdividef(a, b)   12 微秒   23 微秒
            1.0f / sqrtf(x)    rsqrtf(x)          12 微秒
            expf(x)            __expf(x)          11 微秒   14 微秒

        （在 H200 上实测：270,336 个线程各调用 128 次。）如果快速版本对你的结果已经够准，就用快速版本。
      ]],
    },
    say {
      en = [[
        The sine needs one more step than the other functions: multiples of 2 pi are first subtracted from the argument (*argument reduction*). `sinf` has two
        paths for this step. Below 105,615 a few multiply-adds are enough (below 2,147,483,648 for doubles).

        Above that, `sinf` takes a *slow path*: it
        multiplies by about 200 bits of 2 / pi and keeps the long product in local memory, 28 bytes per thread and 44 for doubles (with current compilers).
        `cosf`, `tanf` and `sincosf` have the same two paths.

        `__sinf` has no such step. It multiplies by 1 / (2 pi), rounded to a float, so its error grows with the argument. Measured on an H200, the largest
        error near x is

            x         1        100       1,000     10,000    100,000   1,000,000
            error     2e-7     1.5e-5    1.3e-4    1.1e-3    1.6e-2    0.14
      ]],
      zh = [[
        正弦比其他函数多一步：先从自变量中减去 2π 的整数倍（*参数规约*）。`sinf` 的这一步有两条路径。自变量小于 105,615 时，几条乘加就够了（双精度的阈值是 2,147,483,648）。

        更大时走*慢速路径*：用 2 / pi 的大约 200 位
        分段相乘，得到的长乘积放在局部内存里，每个线程 28 字节，双精度 44 字节（以目前的编译器为准）。`cosf`、`tanf`、`sincosf` 同样有这两条路径。

        `__sinf` 没有这一步，只乘上舍入成 float 的 1 / (2 pi)，所以误差随自变量增大。在 H200 上实测，x 附近的最大误差是

            x         1        100       1,000     10,000    100,000   1,000,000
            误差      2e-7     1.5e-5    1.3e-4    1.1e-3    1.6e-2    0.14
      ]],
    },
    ask {
      en = "A tone of {f} Hz is computed as `sinf(6.2831853f * {f} * t)`, where t is the time in seconds. For how many seconds does `sinf` stay on its fast path?",
      zh = "用 `sinf(6.2831853f * {f} * t)` 计算 {f} Hz 的音，t 以秒计。`sinf` 走快速路径能维持多少秒？",
      draw = { f = { from = { 100, 440, 1000 } } },
      answer = function(d) return 105615 / (2 * math.pi * d.f) end,
      tolerance = 0.02,
      unit = "s",
      replies = {
        { function(d) return 105615 / d.f end, en = "Each oscillation adds 2 pi to the argument, and there are {f} oscillations per second.", zh = "每振动一次，自变量增加 2π，每秒振动 {f} 次。" },
      },
      because = {
        en = "105615 / (2 pi * {f}). After that the same line of code is several times as slow, and the source does not show why. If a phase grows without limit, keep it between -pi and pi.",
        zh = "105615 / (2 pi * {f})。此后同一行代码的用时是原来的几倍，而从源代码看不出原因。不断增大的相位应当始终保持在 -π 到 π 之间。",
      },
    },
    ask {
      en = "The result may be off by 1e-3. Up to about which argument will `__sinf` without argument reduction do?",
      zh = "结果允许有 1e-3 的误差。不做参数规约，只用 `__sinf`，自变量大约可以到多大？",
      choices = {
        {
          en = "10: above 2 pi it is wrong",
          zh = "10：超过 2π 就是错的",
          because = { en = "Look at the table: at 100 the error is only 1.5e-5.", zh = "看看表：到 100 时误差也只有 1.5e-5。" },
        },
        {
          en = "100,000, like the fast path of `sinf`",
          zh = "100,000，和 `sinf` 的快速路径一样",
          because = { en = "There the error is 1.6e-2. The fast path of `sinf` subtracts multiples of 2 pi with several constants; `__sinf` uses only one.", zh = "那里的误差是 1.6e-2。`sinf` 的快速路径用几个常数来减去 2π 的整数倍，`__sinf` 只用一个常数。" },
        },
        {
          en = "a few thousand",
          zh = "几千",
          right = true,
          because = { en = "1.3e-4 at 1,000 and 1.1e-3 at 10,000: the error is about 1e-7 of the argument.", zh = "1,000 处是 1.3e-4，10,000 处是 1.1e-3：误差大约是自变量的一千万分之一。" },
        },
      },
    },
    ask {
      en = "So you reduce the argument yourself: k = rint(x / 2 pi), r = x - k * 6.2831853f. But as a float this constant is too large by 1.75e-7. How far off is r, for k = {k}?",
      zh = "所以要自己做参数规约：k = rint(x / 2 pi)，r = x - k * 6.2831853f。但这个常数存成 float 后偏大 1.75e-7。k = {k} 时，r 差多少？",
      draw = { k = { 20000, 90000, multiple = 10000 } },
      answer = function(d) return d.k * 1.75e-7 end,
      tolerance = 0.05,
      replies = {
        { 1.75e-07, en = "This is the error of one constant. It is subtracted {k} times.", zh = "这是一个常数的误差。这个常数要减 {k} 次。" },
      },
      because = {
        en = "{k} * 1.75e-7, which is far too much. The remedy is a constant in two parts. 6.28125 has only eight bits, so `fmaf(-k, 6.28125f, x)` is exact. Then subtract k times the rest, 1.9353072e-3. The error of this part is a ten-thousandth of the error above.",
        zh = "{k} * 1.75e-7，误差太大。办法是把常数拆成两段。6.28125 只有八位（二进制），所以 `fmaf(-k, 6.28125f, x)` 没有误差；再减去 k 乘以其余的 1.9353072e-3，这一段的误差只有上述误差的万分之一。",
      },
    },
    say {
      en = [[
        Two other precise functions take more work than you see:

        - `a / b` must be right to the last bit for every a and b. That takes about ten instructions and a reciprocal. `__fdividef(a, b)` is only the
        reciprocal and a product.
        - `sqrtf(x)` is made from the *reciprocal* root, which the hardware has. x * rsqrtf(x) would be NaN for 0 and for infinity, so `sqrtf` takes the
          reciprocal of the reciprocal root, or extra steps for these cases. If you want the reciprocal root itself, all of that is unnecessary.

        Flags of nvcc choose quick forms for a whole file: `-prec-div=false`, `-prec-sqrt=false`, and `-ftz=true`, which treats denormal numbers as zero and
        saves the steps for them. `-use_fast_math` turns on all three, and makes `sinf` mean `__sinf`, even for large arguments.
      ]],
      zh = [[
        还有两个精确函数，实际的工作比看上去多：

        - `a / b` 对任何 a 和 b 都要准确到最后一位：除了求倒数，还要十来条指令。`__fdividef(a, b)` 只是求倒数再乘一次。
        - `sqrtf(x)` 用硬件提供的平方根*倒数*来算。x 为 0 或无穷大时，x * rsqrtf(x) 会得到 NaN，所以 `sqrtf` 要对平方根的倒数再求一次倒数，或者另加几步来处理这些情形。如果你要的正是平方根的倒数，这些都是多余的。

        nvcc 的编译选项可以让整个文件使用快速版本：`-prec-div=false`、`-prec-sqrt=false`，以及 `-ftz=true`（把非规格化数当作零，省掉处理非规格化数的步骤）。`-use_fast_math` 打开这三个选项，
        并且让 `sinf` 变成 `__sinf`，自变量很大时也一样。
      ]],
    },
    ask {
      alone = true,
      en = "Without any flags, what does nvcc make of `1.0f / sqrtf(x)`?",
      zh = "不加任何选项时，nvcc 怎样编译 `1.0f / sqrtf(x)`？",
      choices = {
        {
          en = "a precise square root and a precise reciprocal",
          zh = "一次精确的开方，加一次精确的求倒数",
          right = true,
          because = {
            en = "Both results must be rounded as IEEE 754 requires. Only with both `-prec-div=false` and `-prec-sqrt=false` may nvcc use the reciprocal root instead. So write `rsqrtf(x)` if you want it.",
            zh = "两步的结果都必须按 IEEE 754 舍入。只有同时给出 `-prec-div=false` 和 `-prec-sqrt=false`，nvcc 才可以改用平方根的倒数。所以需要时请直接写 `rsqrtf(x)`。",
          },
        },
        {
          en = "`rsqrtf(x)`: the compiler recognises the expression",
          zh = "`rsqrtf(x)`：编译器认得这个表达式",
          because = {
            en = "The compiler may not replace it: the result would differ in the last bits.",
            zh = "规则不允许编译器这样替换：结果的最后几位会不同。",
          },
        },
        {
          en = "`__fdividef(1.0f, sqrtf(x))`",
          zh = "`__fdividef(1.0f, sqrtf(x))`",
          because = {
            en = "Without a flag the compiler never chooses the quick division.",
            zh = "不加编译选项，编译器不会选用快速除法。",
          },
        },
      },
    },
    predict {
      en = "On its slow path a sine fills its 28 bytes of local memory word by word. How many local *store* requests does the baseline make with n = 256 (8 warps) and terms = 2?",
      zh = "走慢速路径时，正弦逐字填满 28 字节的局部内存。基线在 n = 256（8 个线程束（warp））、terms = 2 时，有多少个局部内存*写*请求？",
      counter = "local_st_requests",
      of = "baseline",
      case = { n = 256, terms = 2 },
      tolerance = 0,
      replies = {
        { 56, en = "28 bytes are 7 words, but there are 8 warps *and* two terms.", zh = "28 字节是 7 个字，但有 8 个 warp，*还有*两项。" },
        { 448, en = "A request stores a word of 4 bytes for each lane, not a byte.", zh = "一次请求给每个 lane 存一个 4 字节的字，而不是一个字节。" },
      },
      because = {
        en = "Each warp stores 7 words for each far wave: 8 * 2 * 7 = 112. The near waves stay on the fast path and store nothing.",
        zh = "每个 warp 为每个远处的波写 7 个字：8 * 2 * 7 = 112。近处的波走快速路径，一个字也不写。",
      },
    },
    show {
      en = "The baseline in the timed case:",
      zh = "基线在计时用例里：",
      picture = "counters",
      counters = { "local_st_requests", "local_ld_requests", "local_bytes", "warp_inst", "inst_sfu", "device_us" },
      of = "baseline",
    },
    exercise {
      en = "Reduce the far phases to between -pi and pi. Then use quick functions wherever the permitted error of 2e-4 allows it.",
      zh = "先把远处的相位规约到 -π 与 π 之间，然后在允许误差 2e-4 的范围内尽量用快速函数。",
    },
    compare {
      en = "Instructions of your version and of the baseline:",
      zh = "你的版本与基线的指令数：",
      counters = { "local_st_requests", "warp_inst", "inst_fp32", "inst_sfu", "registers", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "local_st_requests",
      en = "How many multiples of 2 pi are there in 600,000, and do they affect the value of the sine?",
      zh = "600,000 里有多少个 2π？这些 2π 影响正弦的值吗？",
    },
    {
      en = "`float k = rintf(x * 0.15915494f);` counts the multiples of 2 pi. Subtract them in two steps, each with `fmaf`, with `6.28125f` first. The rest is between -pi and pi, where `__sinf` is exact to 1e-6. And `rsqrtf` replaces root and division.",
      zh = "`float k = rintf(x * 0.15915494f);` 数出有多少个 2π。分两步减去，每步用 `fmaf`，先用 `6.28125f`。余下的在 -π 到 π 之间，`__sinf` 在那里准确到 1e-6。另外用 `rsqrtf` 代替开方和除法。",
    },
    {
      en = "`x = fmaf(-k, 6.28125f, x); x = fmaf(-k, 1.9353072e-3f, x);`, then `__sinf(x)`; and `sum += wave * rsqrtf(power[i] + k);`",
      zh = "写 `x = fmaf(-k, 6.28125f, x); x = fmaf(-k, 1.9353072e-3f, x);`，然后 `__sinf(x)`；以及 `sum += wave * rsqrtf(power[i] + k);`",
    },
  },

  after = {
    en = [[
      Measured on an H200, 128 sines per thread take 38 us if all arguments are small, 309 us if all are above 105,615, and 10 us with `__sinf`. The slow path
      takes 8 times as long because of its long calculation and its local memory. Your reduction takes four instructions. It can be short because you know
      more than `sinf`: how large the arguments are, and how exact the result must be.

      This is the general rule: trade precision for speed *if the result stays exact enough*, and check it by measurement. The permitted error was 2e-4, and
      you used a few per cent of it.
    ]],
    zh = [[
      在 H200 上实测：每个线程算 128 次正弦，自变量较小时用 38 微秒，全都超过 105,615 时用 309 微秒，换成 `__sinf` 用 10 微秒。慢速路径的用时是快速路径的 8 倍，因为计算冗长，还要用局部内存。你的参数规约只要四条指令。
      这样短是因为你知道得比 `sinf` 多：自变量会有多大，结果要准到什么程度。

      一般的原则是：*在结果仍然够准的前提下*用精度换速度，并用测量来检验。允许的误差是 2e-4，你只用了其中的百分之几。
    ]],
  },
  more = {
    en = "Reduce in doubles: `x - 6.283185307179586 * rint(x / 6.283185307179586)` is correct too. What does it cost on `device sim:h200`, and on `device sim:t4`? If you may choose the unit, keep phases in units of 2 pi: then `x - rintf(x)` is the whole reduction, and you call `sinpif(2 * x)`.",
    zh = "改用双精度做参数规约：`x - 6.283185307179586 * rint(x / 6.283185307179586)`，结果也对。在 `device sim:h200` 上会慢多少？在 `device sim:t4` 上呢？如果单位由你来定，就让相位以 2π 为单位：这时参数规约只是 `x - rintf(x)`，再调用 `sinpif(2 * x)`。",
  },
}
