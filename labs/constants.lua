-- Chapter 7: the type of a literal, and what one forgotten letter costs.
return lab {
  id = "constants",
  title = { en = "One letter: 3.14 and 3.14f", zh = "一个字母：3.14 与 3.14f" },
  chapter = 7,
  minutes = 20,
  needs = { "occupancy" },
  source = "guide 5.4, 5.2.3",
  teaches = {
    ["f-suffix"] = "say ask exercise",
    ["double-cost"] = "after",
    ["prefer-single"] = "say goals",
    ["sin-or-sinf"] = "ask",
    ["char-short"] = "ask",
    ["double-registers"] = "ask",
    ["conversion-cycles"] = "ask goals",
    ["double-half-speed"] = "say compare",
  },

  entry = "void constants(const short *in, float *out, int steps, int n)",
  args = {
    ["in"] = integers(-32768, 32767, "n"),
    -- atol: near a zero of the sine the error of its argument counts, and where n is 1 no larger
    -- output is there to measure it by
    out = output("n", { ops = "2 * steps + 8", atol = 1e-6 }),
  },
  cases = {
    { n = 256, steps = 3 },
    { n = 1, steps = 0 },
    { n = 1003, steps = 20 },
    { n = 1 << 18, steps = 64, timed = true },
  },
  hidden = { count = 3, n = { 2, 5000 }, steps = { 0, 40 } },
  goals = {
    correct { points = 2 },
    at_least("inst_float", 0.12 * baseline) {
      points = 3,
      en = "Let the kernel compute each result. A table of results is not what this lab is about.",
      zh = "每个结果都要由核函数算出。本实验要练的不是查表。",
    },
    at_most("inst_double", 0) {
      points = 3,
      en = [[
        The kernel still executes double-precision instructions. Check each number with a decimal
        point: does it end in f? Then check the argument of the sine: is it a float?
      ]],
      zh = [[
        核函数仍在执行双精度指令。请检查每个带小数点的数：末尾有没有 f？再检查正弦的自变量：是不是
        float？
      ]],
    },
    at_most("inst_convert", 0.15 * baseline) {
      points = 1,
      en = "The loop still converts between float and double in every iteration.",
      zh = "每次循环仍在 float 和 double 之间转换。",
    },
    speedup(1.8) { points = 1 },
  },

  steps = {
    say {
      en = [[
        The kernel of this lab is a small audio effect. It turns 16-bit samples into floats, lets
        each value decay over several steps, and takes the sine of the result. All its variables are
        floats or integers. Yet it computes in double precision, which is slow. You will find out
        why, and change that.

        The reason is one missing letter. In C++, `3.14` is a *double*, and `3.14f` is a float. If
        you multiply a float by a double, C++ converts the float and computes in double precision.
        The result becomes a float again only when you store it in a float:

            v = v * 0.98;      convert v, multiply doubles, convert back
            v = v * 0.98f;     multiply floats

        On a CPU, you would hardly notice the difference. A GPU has fewer units for doubles than for
        floats. Per cycle, a multiprocessor of an H200 does 128 operations in single precision or 64
        in double precision. On a T4, these figures are 64 and 2. Use floats wherever a float is
        exact enough.
      ]],
      zh = [[
        本实验的核函数是一个小小的音频效果：把 16 位采样转换成 float，让每个值衰减若干步，
        最后取正弦。里面的变量不是 float 就是整数，核函数却在用双精度计算，因而很慢。你要找出原因，
        并改正过来。

        原因只是少了一个字母。在 C++ 里，`3.14` 是 *double*，`3.14f` 才是 float。float 乘以 double
        时，C++ 先把 float 转换成 double，再用双精度相乘；结果存入 float 变量时，才转换回 float：

            v = v * 0.98;      转换 v，双精度乘，再转换回来
            v = v * 0.98f;     单精度乘

        在 CPU 上，你几乎察觉不到差别。GPU 的双精度单元比单精度单元少：H200 的一个多处理器每周期能做
        128 次单精度运算，双精度只有 64 次；T4 则是 64 次和 2 次。只要 float 的精度够用，就用
        float。
      ]],
    },
    ask {
      alone = true,
      en = "v is a float. Which expression is computed in single precision from start to end?",
      zh = "v 是 float。下面哪个表达式自始至终都用单精度计算？",
      choices = {
        {
          en = "`v * 0.5`",
          zh = "`v * 0.5`",
          because = {
            en = [[
              0.5 is a double, although a float could hold it exactly. Only the type of the number
              counts, not its value.
            ]],
            zh = "0.5 是 double，虽然 float 也能精确表示这个值。用哪种精度由类型决定，与数值无关。",
          },
        },
        {
          en = "`1.0f + v / 3.0`",
          zh = "`1.0f + v / 3.0`",
          because = {
            en = [[
              3.0 is a double, so C++ divides in double precision. The quotient is a double, so the
              addition is done in double precision, too.
            ]],
            zh = "3.0 是 double，所以除法用双精度。商是 double，所以加法也用双精度。",
          },
        },
        {
          en = "`v * 2 + 0.5f`",
          zh = "`v * 2 + 0.5f`",
          right = true,
          because = {
            en = [[
              If you combine an int with a float, C++ converts the int to float. The compiler does
              this for the literal 2, so the device has nothing to convert.
            ]],
            zh = [[
              int 与 float 一起运算时，int 转换成 float。字面量 2 由编译器事先转换好，
              设备不用再转换。
            ]],
          },
        },
        {
          en = "`(float)(v * 0.1)`",
          zh = "`(float)(v * 0.1)`",
          because = {
            en = [[
              The cast applies to the product, and the product has already been computed in double
              precision.
            ]],
            zh = "强制转换作用于乘积，而乘积已经用双精度算好了。",
          },
        },
      },
    },
    ask {
      en = [[
        v is a float, and a loop executes `v = v * 0.98 + 0.01;`. How many *conversion* instructions
        does a thread execute in {t} iterations?
      ]],
      zh = [[
        v 是 float，循环体是 `v = v * 0.98 + 0.01;`。循环 {t} 次，一个线程为这条语句执行多少条*转
        换*指令？
      ]],
      draw = { t = { 10, 90, multiple = 10 } },
      answer = function(d) return 2 * d.t end,
      replies = {
        {
          function(d) return d.t end,
          en = [[
            Each iteration has two conversions: v becomes a double, and the sum becomes a float.
          ]],
          zh = "每次循环有两次转换：v 转换成 double，求得的和再转换回 float。",
        },
        {
          function(d) return 3 * d.t end,
          en = "The two constants are doubles already. Only v and the sum are converted.",
          zh = "两个常数本来就是 double，要转换的只有 v 和求得的和。",
        },
      },
      because = {
        en = [[
          Each iteration converts v to double and the sum to float. The multiply-add in between is
          one instruction. Conversions to or from a type of 8 bytes are slow: a multiprocessor does
          only 16 of them per cycle. So on an H200, the conversions take more time than the
          double-precision arithmetic.
        ]],
        zh = [[
          每次循环把 v 转换成 double，再把求得的和转换成 float，中间的乘加是一条指令。只要一边是 8
          字节的类型，转换就很慢：一个多处理器每周期只能做 16 次。所以在 H200 上，转换比双精度运算更
          费时间。
        ]],
      },
    },
    ask {
      alone = true,
      en = "v is a float. Which of these computes the *sine* in double precision?",
      zh = "v 是 float。下面哪个用双精度计算*正弦*？",
      choices = {
        {
          en = "`sin(v * 2.0)`",
          zh = "`sin(v * 2.0)`",
          right = true,
          because = {
            en = [[
              The argument is a double, so C++ calls the sine for doubles. This sine takes about
              twenty double-precision instructions, and more for very large arguments.
            ]],
            zh = [[
              自变量是 double，所以 C++ 调用双精度的正弦。这个正弦约有二十条双精度指令，
              自变量很大时还要更多。
            ]],
          },
        },
        {
          en = "`sinf(v * 2.0)`",
          zh = "`sinf(v * 2.0)`",
          because = {
            en = [[
              The product is a double, but `sinf` takes a float. So the product is converted to
              float before the call.
            ]],
            zh = "乘积是 double，但 `sinf` 的参数是 float，所以调用之前乘积已转换成 float。",
          },
        },
        {
          en = "`sin(v * 2.0f)`",
          zh = "`sin(v * 2.0f)`",
          because = {
            en = [[
              In C++, `sin` of a float is the sine for floats. In C, it is the sine for doubles. If
              you write `sinf`, your readers need not know this rule.
            ]],
            zh = [[
              在 C++ 里，自变量是 float 时，`sin` 就是单精度的正弦；在 C 语言里，`sin`
              总是双精度的。写成 `sinf`，读代码的人就不必知道这条规则。
            ]],
          },
        },
      },
    },
    ask {
      en = [[
        A register holds 32 bits. A thread keeps {d} doubles, {f} floats and {c} chars, each in a
        variable of its own. How many registers does the thread need at least?
      ]],
      zh = [[
        一个寄存器有 32 位。一个线程要保留 {d} 个 double、{f} 个 float 和 {c} 个 char，
        每个值各用一个变量。这个线程至少需要多少个寄存器？
      ]],
      draw = { d = { 3, 12 }, f = { 4, 20 }, c = { 1, 5 } },
      answer = function(d) return 2 * d.d + d.f + d.c end,
      replies = {
        {
          function(d) return d.d + d.f + d.c end,
          en = "A double has 64 bits, so it takes two registers.",
          zh = "一个 double 有 64 位，要占两个寄存器。",
        },
        {
          function(d) return 2 * d.d + d.f + d.c / 4 end,
          en = [[
            The compiler does not pack several chars into one register. Each variable takes a
            register.
          ]],
          zh = "编译器不会把几个 char 拼进一个寄存器，每个变量都要占一个。",
        },
      },
      because = {
        en = "A double takes two registers. Every other variable takes at least one, even a char.",
        zh = "一个 double 占两个寄存器。其他变量至少各占一个，char 也不例外。",
      },
    },
    ask {
      alone = true,
      en = "`short a, b, c; ... c = a + b;` What does a thread compute?",
      zh = "`short a, b, c; …… c = a + b;` 线程实际上怎么算？",
      choices = {
        {
          en = "a 16-bit sum, twice as fast as a 32-bit one",
          zh = "16 位加法，速度是 32 位的两倍",
          because = {
            en = "A lane's integer unit adds 32 bits at a time, and C++ adds shorts as ints.",
            zh = "每个 lane 的整数单元一次就加 32 位，而且 C++ 规定 short 相加要用 int。",
          },
        },
        {
          en = "a sum of ints, which is then cut to 16 bits",
          zh = "先做 int 加法，再取低 16 位",
          right = true,
          because = {
            en = [[
              C++ converts char and short operands to int before it computes. These conversions are
              extra instructions, unless the compiler can prove that they change nothing. So keep
              short and char for data in memory, and compute with int.
            ]],
            zh = [[
              C++ 在计算之前把 char 和 short 转换成 int。这些转换是额外的指令，
              除非编译器能证明转换不影响结果。所以 short 和 char 只用于内存里的数据，计算请用 int。
            ]],
          },
        },
        {
          en = "a sum of floats",
          zh = "float 加法",
          because = {
            en = "None of the three variables is a floating-point number.",
            zh = "这三个变量都不是浮点数。",
          },
        },
      },
    },
    predict {
      en = [[
        Now look at the skeleton: none of its variables is a double. The skeleton runs with n =
        262,144 elements and 64 iterations. How many double-precision instructions do its lanes
        execute in all? Your answer may be off by 30%. Hint: first count the instructions of the
        loop.
      ]],
      zh = [[
        请看骨架代码：没有一个变量是 double。用 n = 262,144 个元素、循环 64 次来运行，所有 lane
        一共执行多少条双精度指令？误差在 30% 以内就算对。提示：先算循环里有多少条。
      ]],
      counter = "inst_fp64",
      of = "skeleton",
      tolerance = 0.3,
      replies = {
        {
          262144,
          en = [[
            This is one instruction per element. The loop makes 64 iterations for each element.
          ]],
          zh = "这相当于每个元素一条。每个元素要循环 64 次。",
        },
      },
      because = {
        en = [[
          The loop executes one double-precision multiply-add per element and iteration: 16.8
          million. The division by 32768.0 and the sine add 18 or 19 instructions per element, which
          makes about 5 million more.
        ]],
        zh = [[
          每个元素每循环一次，就执行一条双精度乘加，共 1678 万条。除以 32768.0 以及双精度正弦，
          又使每个元素多出 18 到 19 条，约 500 万条。
        ]],
      },
    },
    show {
      en = [[
        The skeleton's counters. Look at the double-precision instructions and at the conversions:
        each iteration has one double-precision instruction and two conversions.
      ]],
      zh = "骨架代码的计数器。请看双精度指令和转换指令：每次循环有一条双精度指令、两条转换指令。",
      picture = "counters",
      counters = { "inst_fp64", "inst_convert", "inst_fp32", "registers", "device_us" },
      of = "skeleton",
    },
    exercise {
      en = [[
        Remove all double-precision arithmetic from the kernel. Your results may differ from those
        of the baseline only by the rounding of floats.
      ]],
      zh = "请去掉核函数里所有的双精度运算。结果与基线只允许有 float 舍入造成的差别。",
    },
    compare {
      en = "Your version beside the baseline, which computes with doubles:",
      zh = "你的版本与基线的对比，基线用双精度计算：",
      counters = {
        "inst_fp64",
        "inst_convert",
        "inst_fp32",
        "warp_inst",
        "registers",
        "device_us",
      },
      beside = "baseline",
    },
    compare {
      en = [[
        The model answer beside the baseline on a T4. For every 64 single-precision units, a T4 has
        only 2 double-precision units:
      ]],
      zh = "在 T4 上，参考答案与基线的对比。T4 每 64 个单精度单元只配 2 个双精度单元：",
      counters = { "inst_fp64", "device_us" },
      of = "answer",
      beside = "baseline",
      on = "sim:t4",
    },
  },

  hints = {
    {
      en = "Which numbers in the kernel have a decimal point? What type does each of them have?",
      zh = "核函数里哪些数带小数点？各是什么类型？",
    },
    {
      en = [[
        `32768.0`, `0.98`, `0.01` and `3.141592653589793` are doubles. C++ chooses the sine that
        fits the type of the argument.
      ]],
      zh = [[
        `32768.0`、`0.98`、`0.01` 和 `3.141592653589793` 都是 double。C++ 按自变量的类型选用正弦函
        数。
      ]],
    },
    {
      goal = "inst_double",
      en = "Write `in[i] / 32768.0f`, `v * 0.98f + 0.01f` and `sinf(v * 3.141592653589793f)`.",
      zh = "写成 `in[i] / 32768.0f`、`v * 0.98f + 0.01f` 和 `sinf(v * 3.141592653589793f)`。",
    },
  },

  after = {
    en = [[
      We measured a loop of 512 multiply-adds on an H200. The loop takes 287 us with `0.98` and 25
      us with `0.98f`. So the missing letter makes the loop take about 12 times as long. Most of the
      extra time goes into the two conversions, since a multiprocessor does only 16 of them per
      cycle. On a T4, the double-precision arithmetic is slow, too.

      How do you find such places in a large program? Look at `inst_fp64` line by line, or let the
      assembler warn you: `nvcc -Xptxas -warn-double-usage`. In machine code, look for `F2F` (a
      conversion) and for `DFMA`, `DMUL` and `DADD`.
    ]],
    zh = [[
      我们在 H200 上测量了一个循环，共 512 次乘加：写 `0.98` 用 287 微秒，写 `0.98f` 用 25 微秒。少
      写一个字母，用时约是原来的 12 倍。多出的时间大部分花在两次转换上，因为一个多处理器每周期只能做
      16 次转换。在 T4 上，双精度运算本身也很慢。

      怎样在大程序里找出这种地方？可以逐行看 `inst_fp64`，也可以让汇编器发出警告：
      `nvcc -Xptxas -warn-double-usage`。在机器码里，请找 `F2F`（转换）以及 `DFMA`、`DMUL`、`DADD`。
    ]],
  },
  more = {
    en = [[
      Put back one of the four doubles at a time. How much time does each cost on `device sim:h200`,
      and how much on `device sim:t4`? Then declare `const float RATE = 0.98;` and use RATE in the
      loop. Does the kernel become slower? Is RATE a double?
    ]],
    zh = [[
      每次只恢复四个 double 中的一个。在 `device sim:h200` 和 `device sim:t4` 上各会慢多少？再声明
      `const float RATE = 0.98;`，在循环里使用 RATE：核函数会变慢吗？RATE 是 double 吗？
    ]],
  },
}
