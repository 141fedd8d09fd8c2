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
      en = "Some sine still takes its slow path, which keeps a long product in local memory. Reduce the argument before the call.",
      zh = "还有正弦在走慢速路径，它要把一个很长的乘积放进局部内存。请在调用之前先缩减自变量。",
    },
    at_most("warp_inst", 0.13 * baseline) {
      points = 2,
      en = "Once the argument is within a turn, the precise sine reduces it a second time. Which function does without?",
      zh = "自变量已经在一圈以内了，精确的正弦却还要再缩减一遍。哪个函数没有这一步？",
    },
    speedup(2) {
      points = 2,
      en = "Which of the functions that are left is built from many instructions?",
      zh = "剩下的函数里，哪一个是由许多条指令拼成的？",
    },
  },

  steps = {
    say {
      en = [[
        A GPU computes a few functions in hardware: reciprocal, reciprocal square root, 2^x, log2 x, sine and cosine. Each is one instruction for the special-function unit, and good to 20-odd bits
        where the argument is small. Everything else is built from such instructions, and so are the *precise* forms of the same functions: `a / b`, `sqrtf`, `sinf`, `expf`. You choose
        by name:

            precise            quick              H200: quick, precise
            sinf(x)            __sinf(x)          10 us      38 us
            a / b              __fdividef(a, b)   12 us      23 us
            1.0f / sqrtf(x)    rsqrtf(x)          12 us
            expf(x)            __expf(x)          11 us      14 us

        (Measured on an H200: 128 calls for each of 270,336 threads.) If the quick one is exact enough for what you need, precision buys you nothing.
      ]],
      zh = [[
        GPU 用硬件直接计算的函数只有几个：倒数、平方根的倒数、2^x、log2 x、正弦和余弦。每个都是特殊函数单元的一条指令，自变量较小时有二十多位准确。其他函数都由这样的指令拼成，
        同名函数的*精确*版本也是：`a / b`、`sqrtf`、`sinf`、`expf`。用哪个，看你写什么名字：

            精确               快速               H200 上：快速、精确
            sinf(x)            __sinf(x)          10 微秒   38 微秒
            a / b              __fdividef(a, b)   12 微秒   23 微秒
            1.0f / sqrtf(x)    rsqrtf(x)          12 微秒
            expf(x)            __expf(x)          11 微秒   14 微秒

        （在 H200 上实测：270,336 个线程各调用 128 次。）如果快速版本已经够准，再精确也没有好处。
      ]],
    },
    say {
      en = [[
        The sine needs one step more than the others: its argument must first lose its whole turns. `sinf` has two paths for that. Below 105,615 a few multiply-adds
        do it (below 2,147,483,648 for doubles). Beyond, it takes a *slow path* that multiplies with some 200 bits of 2 / pi, in pieces, and keeps them in local memory: 28 bytes a thread, 44 for
        doubles (as things are; a new compiler may change that). `cosf`, `tanf` and `sincosf` have the same two paths.

        `__sinf` has no such step. It multiplies by 1 / (2 pi), rounded to a float, and so its error grows with the argument. Measured on an H200, the largest
        error near x is

            x         1        100       1,000     10,000    100,000   1,000,000
            error     2e-7     1.5e-5    1.3e-4    1.1e-3    1.6e-2    0.14
      ]],
      zh = [[
        正弦比其他函数多一道工序：先得把自变量里的整圈去掉。`sinf` 为此准备了两条路径。自变量小于 105,615 时，几条乘加就够了（双精度的阈值是 2,147,483,648）。再大就走*慢速路径*：用 2 / pi 的大约 200 位
        分段相乘，中间结果放在局部内存里，每个线程 28 字节，双精度 44 字节（目前如此，换个编译器可能会变）。`cosf`、`tanf`、`sincosf` 同样有这两条路径。

        `__sinf` 没有这道工序，只乘上一个舍入成 float 的 1 / (2 pi)，所以误差随自变量增大。在 H200 上实测，x 附近的最大误差是

            x         1        100       1,000     10,000    100,000   1,000,000
            误差      2e-7     1.5e-5    1.3e-4    1.1e-3    1.6e-2    0.14
      ]],
    },
    ask {
      en = "A tone of {f} Hz is computed as `sinf(6.2831853f * {f} * t)` for t in seconds. For how many seconds does `sinf` stay on its fast path?",
      zh = "用 `sinf(6.2831853f * {f} * t)` 计算 {f} Hz 的音，t 以秒计。`sinf` 能在快速路径上停留多少秒？",
      draw = { f = { from = { 100, 440, 1000 } } },
      answer = function(d) return 105615 / (2 * math.pi * d.f) end,
      tolerance = 0.02,
      unit = "s",
      replies = {
        { function(d) return 105615 / d.f end, en = "The argument grows by 2 pi for each turn, {f} turns a second.", zh = "每转一圈自变量增加 2π，每秒 {f} 圈。" },
      },
      because = {
        en = "105615 / (2 pi * {f}). After that the same line of code is several times slower, for no reason that the code shows. Phases that grow for ever should be kept within a turn.",
        zh = "105615 / (2 pi * {f})。过了这个时刻，同一行代码会慢上几倍，而从代码上根本看不出原因。不断增大的相位应当始终保持在一圈以内。",
      },
    },
    ask {
      en = "The answer may be off by 1e-3. Up to about which argument will `__sinf` alone do?",
      zh = "结果允许有 1e-3 的误差。只用 `__sinf` 的话，自变量大约可以到多大？",
      choices = {
        {
          en = "10: beyond one turn it is wrong",
          zh = "10：超过一圈就是错的",
          because = { en = "Look at the table: at 100 the error is only 1.5e-5.", zh = "看看表：到 100 时误差也只有 1.5e-5。" },
        },
        {
          en = "100,000, as `sinf`'s fast path",
          zh = "100,000，和 `sinf` 的快速路径一样",
          because = { en = "There the error is 1.6e-2. `sinf`'s fast path takes the turns off with several constants, `__sinf` with one.", zh = "那里的误差是 1.6e-2。`sinf` 的快速路径用几个常数减去 2π 的整数倍，`__sinf` 只用一个。" },
        },
        {
          en = "some thousands",
          zh = "几千",
          right = true,
          because = { en = "1.3e-4 at 1,000 and 1.1e-3 at 10,000: the error is about 1e-7 of the argument.", zh = "1,000 处是 1.3e-4，10,000 处是 1.1e-3：误差大约是自变量的一千万分之一。" },
        },
      },
    },
    ask {
      en = "So the turns must come off first: k = rint(x / 2 pi), r = x - k * 6.2831853f. But as a float that constant is too large by 1.75e-7. How far off is r, for k = {k}?",
      zh = "所以要先减去 2π 的整数倍（参数规约）：k = rint(x / 2 pi)，r = x - k * 6.2831853f。可是这个常数存成 float 后偏大 1.75e-7。k = {k} 时，r 差多少？",
      draw = { k = { 20000, 90000, multiple = 10000 } },
      answer = function(d) return d.k * 1.75e-7 end,
      tolerance = 0.05,
      replies = {
        { 1.75e-07, en = "This is the error of one turn. {k} of them are subtracted.", zh = "这是一圈的误差。一共减去 {k} 圈。" },
      },
      because = {
        en = "k * 1.75e-7: far too much. The way out is a constant in two parts. 6.28125 has eight bits, so that `fmaf(-k, 6.28125f, x)` is exact; then take off k times the rest, 1.9353072e-3, whose own error is a ten-thousandth of that.",
        zh = "k * 1.75e-7，误差太大了。办法是把常数拆成两段。6.28125 只有八位，`fmaf(-k, 6.28125f, x)` 没有误差；再减去 k 乘以剩下的 1.9353072e-3，而它自身的误差只有前者的万分之一。",
      },
    },
    say {
      en = [[
        Two more precise functions that hide work:

        - `a / b` must be right to the last bit for every a and b: some ten instructions around a reciprocal. `__fdividef(a, b)` is the reciprocal and a product.
        - `sqrtf(x)` is made from the *reciprocal* root, which the hardware has. x * rsqrtf(x) would be NaN for 0 and for infinity; so it takes the reciprocal of the reciprocal root, or steps that mend
          these cases. If you want the reciprocal root itself, all of that is in vain.

        Flags of nvcc do such things for a whole file: `-prec-div=false`, `-prec-sqrt=false`, and `-ftz=true`, which takes denormal numbers for zero and saves the steps that rescue them. `-use_fast_math`
        turns on all of them and makes `sinf` mean `__sinf`, for large arguments, too.
      ]],
      zh = [[
        还有两个精确函数里藏着不少工作：

        - `a / b` 对任何 a 和 b 都要准确到最后一位：在求倒数前后要加十来条指令。`__fdividef(a, b)` 只是求倒数再乘一下。
        - `sqrtf(x)` 是用硬件提供的平方根*倒数*拼出来的。x 为 0 或无穷大时，x * rsqrtf(x) 会得到 NaN；所以它要对平方根的倒数再求一次倒数，或者另加几步来处理这些情形。如果你要的正是平方根的倒数，这些全都白做了。

        nvcc 的编译选项可以对整个文件这样做：`-prec-div=false`、`-prec-sqrt=false`，还有 `-ftz=true`，它把非规格化数当作零，省掉照顾它们的步骤。`-use_fast_math` 把这些全部打开，
        而且让 `sinf` 变成 `__sinf`，自变量很大时也一样。
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
            en = "Each must be rounded as IEEE 754 says. Only if both `-prec-div=false` and `-prec-sqrt=false` are given may it use the reciprocal root instead. So write `rsqrtf(x)` where that is what you want.",
            zh = "两步都必须按 IEEE 754 舍入。只有同时给出 `-prec-div=false` 和 `-prec-sqrt=false`，它才可以改用平方根的倒数。所以需要时请直接写 `rsqrtf(x)`。",
          },
        },
        {
          en = "`rsqrtf(x)`: any compiler sees that",
          zh = "`rsqrtf(x)`：编译器当然看得出来",
          because = {
            en = "It sees it, but may not: the result would differ in the last bits.",
            zh = "它看得出来，但规则不允许：结果的最后几位会不同。",
          },
        },
        {
          en = "`__fdividef(1.0f, sqrtf(x))`",
          zh = "`__fdividef(1.0f, sqrtf(x))`",
          because = {
            en = "The quick division is never chosen for you without a flag.",
            zh = "没有编译选项，编译器不会替你选用快速除法。",
          },
        },
      },
    },
    predict {
      en = "On its slow path a sine fills its 28 bytes of local memory word by word. The baseline with n = 256 (8 warps) and terms = 2: how many local *store* requests?",
      zh = "走慢速路径时，正弦会逐字填满那 28 字节的局部内存。基线在 n = 256（8 个线程束（warp））、terms = 2 时，有多少个局部内存*写*请求？",
      counter = "local_st_requests",
      of = "baseline",
      case = { n = 256, terms = 2 },
      tolerance = 0,
      replies = {
        { 56, en = "28 bytes are 7 words; there are 8 warps *and* two terms.", zh = "28 字节是 7 个字；有 8 个 warp，*还有*两项。" },
        { 448, en = "A request stores a word of 4 bytes for each lane, not a byte.", zh = "一次请求给每个 lane 存一个 4 字节的字，而不是一个字节。" },
      },
      because = {
        en = "7 words for each far wave: 8 * 2 * 7 = 112. The near ones stay on the fast path and store nothing.",
        zh = "每个远处的波 7 个字：8 * 2 * 7 = 112。近处的波走快速路径，一个也不写。",
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
      en = "Take the turns off the far phases, then use quick functions wherever 2e-4 allows it.",
      zh = "先去掉远处相位里的整圈，然后在 2e-4 允许的范围内尽量用快速函数。",
    },
    compare {
      en = "Where the instructions went:",
      zh = "指令都省在哪里：",
      counters = { "local_st_requests", "warp_inst", "inst_fp32", "inst_sfu", "registers", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "local_st_requests",
      en = "How many turns are there in 600,000 radians, and what does the sine do with them?",
      zh = "600,000 弧度里有多少整圈？对正弦的值来说，它们有影响吗？",
    },
    {
      en = "`float k = rintf(x * 0.15915494f);` counts the turns. Take them off in two steps, `6.28125f` first, each with `fmaf`. What is left is between -pi and pi, where `__sinf` is good to 1e-6. And `rsqrtf` replaces root and division.",
      zh = "`float k = rintf(x * 0.15915494f);` 数出整圈数。分两步去掉它们，先减 `6.28125f`，每步用 `fmaf`。剩下的在 -pi 到 pi 之间，`__sinf` 在那里准确到 1e-6。另外用 `rsqrtf` 代替开方和除法。",
    },
    {
      en = "`x = fmaf(-k, 6.28125f, x); x = fmaf(-k, 1.9353072e-3f, x);`, then `__sinf(x)`; and `sum += wave * rsqrtf(power[i] + k);`",
      zh = "写 `x = fmaf(-k, 6.28125f, x); x = fmaf(-k, 1.9353072e-3f, x);`，然后 `__sinf(x)`；以及 `sum += wave * rsqrtf(power[i] + k);`",
    },
  },

  after = {
    en = [[
      Measured on an H200, 128 sines a thread take 38 us when their arguments are small, 309 us when all are beyond 105,615, and 10 us with `__sinf`. The slow path is nearly ten times slower, for long calculations and
      for its local memory; yours costs three instructions. It may be short because you know more than `sinf` does: how large the arguments get, and how exact the answer must be.

      That is the rule for all of this: precision for speed, *where the result does not suffer*, and checked by measurement: you had 2e-4 to spend, and spent a few hundredths of that.
    ]],
    zh = [[
      在 H200 上实测：每个线程算 128 次正弦，自变量较小时用 38 微秒，全都超过 105,615 时用 309 微秒，换成 `__sinf` 用 10 微秒。慢速路径慢了将近十倍，一是因为计算冗长，二是因为要用局部内存；你的缩减只要三条指令。
      它能这么短，是因为你知道得比 `sinf` 多：自变量会有多大，结果要准到什么程度。

      这就是通用的原则：*在不影响结果的前提下*用精度换速度，并且用测量来检验：允许的误差是 2e-4，你只用掉了其中的百分之几。
    ]],
  },
  more = {
    en = "Reduce in doubles: `x - 6.283185307179586 * rint(x / 6.283185307179586)`. It is correct, too. What does it cost on `device sim:h200`, and what on `device sim:t4`? And if you may choose the unit: keep phases in *turns*, where `x - rintf(x)` is the whole reduction, and call `sinpif(2 * x)`.",
    zh = "改用双精度缩减：`x - 6.283185307179586 * rint(x / 6.283185307179586)`，结果也对。它在 `device sim:h200` 上会慢多少，在 `device sim:t4` 上呢？如果单位由你来定：让相位以*圈*为单位，缩减就只是 `x - rintf(x)`，再调用 `sinpif(2 * x)`。",
  },
}
