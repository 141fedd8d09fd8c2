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
    -- atol: near a zero of the sine the error of its argument counts, and where n is 1 no larger output is there to measure it by
    out = output("n", { ops = "2 * steps + 8", atol = 1e-5 }),
  },
  cases = {
    { n = 256, steps = 3 },
    { n = 1, steps = 0 },
    { n = 1003, steps = 20 },
    { n = 1 << 18, steps = 64, timed = true },
  },
  hidden = { count = 3, n = { 2, 5000 }, steps = { 0, 40 } },
  goals = {
    correct { points = 4 },
    at_most("inst_double", 0) {
      points = 3,
      en = "The kernel still executes double-precision instructions. Look at each number with a decimal point: does it end in f? And is the argument of the sine a float?",
      zh = "核函数仍在执行双精度指令。逐个检查带小数点的数：末尾有 f 吗？正弦的自变量是 float 吗？",
    },
    at_most("inst_convert", 0.15 * baseline) {
      points = 2,
      en = "The loop still converts between float and double in every iteration.",
      zh = "每次循环仍在 float 与 double 之间来回转换。",
    },
    speedup(1.8) { points = 1 },
  },

  steps = {
    say {
      en = [[
        In C++ `3.14` is a *double*, and `3.14f` is a float. The double is rarely intended: one letter is missing. But C++ computes a float times
        a double in double precision, and converts the result back to float only when it is stored:

            v = v * 0.98;      convert v, multiply doubles, convert back
            v = v * 0.98f;     multiply floats

        On a CPU you would hardly notice. A GPU has fewer units for doubles. Per cycle, a multiprocessor of an H200 does 128 operations in single precision and 64 in double
        precision; a multiprocessor of a T4 does 64 and 2. If a float is exact enough, use floats throughout.
      ]],
      zh = [[
        在 C++ 里，`3.14` 是 *double*，`3.14f` 才是 float。用 double 往往不是有意的，只是少写了一个字母。但 C++ 规定，float 乘以 double 要用双精度计算，
        存回变量时才转换成 float：

            v = v * 0.98;      转换 v，双精度乘，再转换回来
            v = v * 0.98f;     单精度乘

        在 CPU 上，你几乎察觉不到差别。GPU 的双精度单元却少得多：H200 的一个多处理器每周期做 128 次单精度运算、64 次双精度运算，T4 则是 64 次和 2 次。
        只要 float 的精度够用，就一直用 float。
      ]],
    },
    ask {
      alone = true,
      en = "v is a float. Which of these is computed in single precision from start to end?",
      zh = "v 是 float。下面哪个表达式自始至终都用单精度计算？",
      choices = {
        {
          en = "`v * 0.5`",
          zh = "`v * 0.5`",
          because = {
            en = "0.5 is a double, although a float could hold it exactly. The type decides, not the value.",
            zh = "0.5 是 double，尽管用 float 也能精确表示。起作用的是类型，不是数值。",
          },
        },
        {
          en = "`1.0f + v / 3.0`",
          zh = "`1.0f + v / 3.0`",
          because = {
            en = "3.0 is a double, so the division is done in doubles. Its result is a double, so the addition becomes double too.",
            zh = "3.0 是 double，所以除法是双精度的；结果是 double，于是加法也变成双精度。",
          },
        },
        {
          en = "`v * 2 + 0.5f`",
          zh = "`v * 2 + 0.5f`",
          right = true,
          because = {
            en = "An int that is combined with a float becomes a float, and the compiler converts a literal at compile time.",
            zh = "int 与 float 一起运算时转换成 float；若是字面量，编译器在编译时就转换好了。",
          },
        },
        {
          en = "`(float)(v * 0.1)`",
          zh = "`(float)(v * 0.1)`",
          because = {
            en = "The cast comes too late: it only converts the double product back.",
            zh = "强制转换来得太晚：它只是把已经算好的双精度乘积转换回来。",
          },
        },
      },
    },
    ask {
      en = "v is a float, and a loop executes `v = v * 0.98 + 0.01;`. How many *conversion* instructions does a thread execute in {t} iterations?",
      zh = "v 是 float，执行 `v = v * 0.98 + 0.01;`。循环 {t} 次，一个线程为这条语句执行多少条*转换*指令？",
      draw = { t = { 10, 90, multiple = 10 } },
      answer = function(d) return 2 * d.t end,
      replies = {
        { function(d) return d.t end, en = "There are two in each iteration: v becomes a double, and the sum becomes a float again.", zh = "每次循环两条：v 先转换成 double，结果再转换回 float。" },
        { function(d) return 3 * d.t end, en = "The constants are doubles already: only v and the result are converted.", zh = "常量本来就是 double，只有 v 和结果要转换。" },
      },
      because = {
        en = "Two per iteration: float to double, and double to float. The multiply-add between them is one instruction. A multiprocessor does only 16 conversions to or from 8-byte types per cycle. So on an H200 the conversions cost more than the double arithmetic.",
        zh = "每次循环两条：float 转 double，double 再转 float，中间的乘加只有一条指令。与 8 字节类型之间的转换，每个多处理器每周期只能做 16 次，所以在 H200 上，转换的开销比双精度运算本身还大。",
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
            en = "The argument is a double, so C++ chooses the double sine. It adds about twenty double-precision instructions, even without its slow path.",
            zh = "自变量是 double，所以 C++ 选用双精度的正弦：即使不走慢速路径，也多出约二十条双精度指令。",
          },
        },
        {
          en = "`sinf(v * 2.0)`",
          zh = "`sinf(v * 2.0)`",
          because = {
            en = "The product is a double, but `sinf` takes a float. So the product is converted first, and the sine is computed in single precision.",
            zh = "乘积是 double，但 `sinf` 的参数是 float：乘积先转换成 float，正弦本身用单精度计算。",
          },
        },
        {
          en = "`sin(v * 2.0f)`",
          zh = "`sin(v * 2.0f)`",
          because = {
            en = "In C++ `sin` of a float is computed in single precision (in C it is not). Write `sinf`, and the reader need not know this rule.",
            zh = "在 C++ 里，自变量是 float 时 `sin` 就是单精度的版本（C 语言里却不是）。写成 `sinf`，读者就不必知道这条规则。",
          },
        },
      },
    },
    ask {
      en = "The register file consists of 32-bit registers. A thread keeps {d} doubles, {f} floats and {c} chars, each in its own variable. How many registers does it need at least?",
      zh = "寄存器文件由 32 位寄存器组成。一个线程要保留 {d} 个 double、{f} 个 float 和 {c} 个 char，各占一个变量。这个线程至少需要多少个寄存器？",
      draw = { d = { 3, 12 }, f = { 4, 20 }, c = { 1, 5 } },
      answer = function(d) return 2 * d.d + d.f + d.c end,
      replies = {
        { function(d) return d.d + d.f + d.c end, en = "A double takes two registers.", zh = "一个 double 占两个寄存器。" },
        { function(d) return 2 * d.d + d.f + d.c / 4 end, en = "Chars in separate variables are not packed: each takes a register.", zh = "不同变量里的 char 不会拼到一起：每个占一个寄存器。" },
      },
      because = {
        en = "A double takes two registers. Any other variable takes at least one, even a char.",
        zh = "一个 double 占两个寄存器；其他变量至少占一个，char 也不例外。",
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
            en = "There is no such gain: a lane's integer unit is 32 bits wide, and C++ requires int arithmetic here.",
            zh = "没有这种好处：每个 lane 的整数单元是 32 位的，而且 C++ 规定这里用 int 计算。",
          },
        },
        {
          en = "a sum of ints, which is then cut to 16 bits",
          zh = "先做 int 加法，再取低 16 位",
          right = true,
          because = {
            en = "char and short operands are converted to int, and the result is cut back. These conversions are extra instructions, unless the compiler can prove them unnecessary. Use short and char for data in memory, and compute with int.",
            zh = "char 和 short 的操作数先转换成 int，结果再截断。除非编译器能证明不需要，这些转换都是额外的指令。short 和 char 用于内存里的数据，计算用 int。",
          },
        },
        {
          en = "a sum of floats",
          zh = "float 加法",
          because = {
            en = "None of these variables is a floating-point number.",
            zh = "这些变量都不是浮点数。",
          },
        },
      },
    },
    predict {
      en = [[
        Now look at the skeleton: no variable in it is a double. For n = 262,144 elements and 64 iterations, how many double-precision instructions (counted
        per lane) does it execute? An estimate within 30% counts as right. Hint: how many does the loop execute?
      ]],
      zh = [[
        骨架代码里没有一个变量是 double。n = 262,144 个元素、循环 64 次，骨架代码一共执行多少条双精度指令（按 lane 计）？误差在 30% 以内就算对。提示：先算循环执行多少条。
      ]],
      counter = "inst_fp64",
      of = "skeleton",
      tolerance = 0.3,
      replies = {
        { 262144, en = "This is one for each element. The loop makes 64 iterations.", zh = "这是每个元素一条。循环要执行 64 次。" },
      },
      because = {
        en = "One multiply-add per element and iteration gives 16.8 million. The scaling and the double sine add 18 or 19 for each element.",
        zh = "每个元素每次循环一条乘加，共 1678 万条。开头的缩放和双精度正弦使每个元素再多 18 到 19 条。",
      },
    },
    show {
      en = "Look at the double-precision instructions and at the conversions, two per iteration.",
      zh = "请看双精度指令和转换指令：转换指令每次循环有两条。",
      picture = "counters",
      counters = { "inst_fp64", "inst_convert", "inst_fp32", "registers", "device_us" },
      of = "skeleton",
    },
    exercise {
      en = "Remove all double arithmetic. The results may differ from the baseline's only by float rounding.",
      zh = "去掉所有双精度运算。结果与基线的差别只能来自 float 的舍入。",
    },
    compare {
      en = "Your version beside the baseline with doubles:",
      zh = "你的版本与双精度基线的对比：",
      counters = { "inst_fp64", "inst_convert", "inst_fp32", "warp_inst", "registers", "device_us" },
      beside = "baseline",
    },
    compare {
      en = "The model answer beside the baseline on a T4, which has 2 double units for every 64 single ones:",
      zh = "参考答案与基线在 T4 上的对比。T4 每 64 个单精度单元只配 2 个双精度单元：",
      counters = { "inst_fp64", "device_us" },
      of = "answer",
      beside = "baseline",
      on = "sim:t4",
    },
  },

  hints = {
    {
      en = "Which numbers in the kernel have a decimal point? What is the type of each?",
      zh = "核函数里哪些数带小数点？它们各是什么类型？",
    },
    {
      en = "`32768.0`, `0.98`, `0.01` and `3.141592653589793` are doubles. The type of the argument decides which sine is called.",
      zh = "`32768.0`、`0.98`、`0.01` 和 `3.141592653589793` 都是 double。调用哪个正弦，由自变量的类型决定。",
    },
    {
      goal = "inst_double",
      en = "`in[i] / 32768.0f`, `v * 0.98f + 0.01f`, `sinf(v * 3.141592653589793f)`.",
      zh = "改成 `in[i] / 32768.0f`、`v * 0.98f + 0.01f`、`sinf(v * 3.141592653589793f)`。",
    },
  },

  after = {
    en = [[
      Measured on an H200, a loop of 512 multiply-adds like this one takes 287 us with `0.98` and 25 us with `0.98f`: about 12 times as long. Only a small part of that time
      is the double arithmetic. Most of it is the two conversions: a multiprocessor does only 16 of them per cycle. On a T4 the double arithmetic is slow too.

      To find such places in a large program, look at `inst_fp64` line by line, or let the assembler warn you: `nvcc -Xptxas -warn-double-usage`. In machine
      code, look for `F2F` (the conversions), `DFMA`, `DMUL` and `DADD`.
    ]],
    zh = [[
      在 H200 上实测：像这样循环 512 次的乘加，写 `0.98` 用 287 微秒，写 `0.98f` 用 25 微秒，前者约是后者的 12 倍。其中双精度运算只占一小部分，大部分时间花在两次转换上：每个多处理器每周期只能做 16 次。在 T4 上，双精度运算本身也慢。

      要在大程序里找出这种地方，可以逐行看 `inst_fp64`，或者让汇编器发出警告：`nvcc -Xptxas -warn-double-usage`。在机器码里，对应的指令是 `F2F`（转换）、`DFMA`、`DMUL` 和 `DADD`。
    ]],
  },
  more = {
    en = "Put back one of the four doubles at a time. How much does each cost on `device sim:h200`, and on `device sim:t4`? And what does `const float RATE = 0.98;` cost? Is it a double?",
    zh = "每次只把四个 double 中的一个放回去：在 `device sim:h200` 和 `device sim:t4` 上，各会慢多少？再想想，`const float RATE = 0.98;` 会不会变慢？RATE 是 double 吗？",
  },
}
