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
      en = "Double-precision instructions are left. Look at each number with a point in it: has it an f? And is the argument of the sine a float?",
      zh = "还有双精度指令。逐个检查带小数点的数：后面有 f 吗？正弦的自变量是 float 吗？",
    },
    at_most("inst_convert", 0.15 * baseline) {
      points = 2,
      en = "The loop still converts to and fro at every turn.",
      zh = "每次循环还在来回转换类型。",
    },
    speedup(1.8) { points = 1 },
  },

  steps = {
    say {
      en = [[
        In C++ `3.14` is a *double*, and `3.14f` is a float. Nobody wants the double: it came in because a letter is missing. But the language is strict. A float times
        a double is computed in double precision, and becomes a float again only when it is stored:

            v = v * 0.98;      convert v, multiply doubles, convert back
            v = v * 0.98f;     multiply floats

        On a CPU hardly anyone would notice. A GPU has fewer units for doubles: an H200's multiprocessor does 128 single-precision operations a cycle and 64 in double
        precision, a T4's 64 and 2. Where a float is exact enough, stay with floats.
      ]],
      zh = [[
        在 C++ 里，`3.14` 是 *double*，`3.14f` 才是 float。没有人想要这个 double，它只是因为少写了一个字母才混进来的。可是语言的规则不讲情面：float 乘以 double 要用双精度计算，
        存回去的时候才变回 float：

            v = v * 0.98;      转换 v，双精度乘，再转换回来
            v = v * 0.98f;     单精度乘

        在 CPU 上几乎没人会察觉，GPU 的双精度单元却少得多：H200 的一个多处理器每周期做 128 次单精度运算、64 次双精度运算，T4 则是 64 次和 2 次。
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
            en = "0.5 is a double, even though it is exact as a float: the type counts, not the value.",
            zh = "0.5 是 double。虽然它用 float 也能精确表示，但看的是类型，不是数值。",
          },
        },
        {
          en = "`1.0f + v / 3.0`",
          zh = "`1.0f + v / 3.0`",
          because = {
            en = "3.0 is a double, so the division is one of doubles, and its result draws the addition along.",
            zh = "3.0 是 double，所以除法是双精度的，它的结果又把加法也带成了双精度。",
          },
        },
        {
          en = "`v * 2 + 0.5f`",
          zh = "`v * 2 + 0.5f`",
          right = true,
          because = {
            en = "An int that meets a float becomes a float, and for a literal the compiler does that itself.",
            zh = "int 遇到 float 就变成 float；若是字面量，编译器在编译时就转换好了。",
          },
        },
        {
          en = "`(float)(v * 0.1)`",
          zh = "`(float)(v * 0.1)`",
          because = {
            en = "The cast comes too late: it converts the double product back.",
            zh = "强制转换来得太晚：它只是把已经算好的双精度乘积转换回来。",
          },
        },
      },
    },
    ask {
      en = "`v = v * 0.98 + 0.01;` with a float v: how many *conversion* instructions does a thread execute for it in {t} turns of a loop?",
      zh = "v 是 float，执行 `v = v * 0.98 + 0.01;`。循环 {t} 次，一个线程为它执行多少条*转换*指令？",
      draw = { t = { 10, 90, multiple = 10 } },
      answer = function(d) return 2 * d.t end,
      replies = {
        { function(d) return d.t end, en = "Two in each turn: v becomes a double, and the sum a float again.", zh = "每步两次：v 先变成 double，结果再变回 float。" },
        { function(d) return 3 * d.t end, en = "The constants are doubles already: only v and the result are converted.", zh = "常量本来就是 double，只有 v 和结果要转换。" },
      },
      because = {
        en = "Two a turn: float to double, and double to float. The multiply-add in between is one instruction. Conversions to and from 8-byte types run at 16 a cycle and multiprocessor, so that they cost more than the double arithmetic of an H200 itself.",
        zh = "每次循环两条：float 转 double，double 再转 float，中间的乘加只有一条指令。与 8 字节类型之间的转换，每个多处理器每周期只能做 16 次，所以在 H200 上转换比双精度运算本身还贵。",
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
            en = "The argument is a double, so the double sine is chosen: some twenty double-precision instructions more, even where its slow path is never taken.",
            zh = "自变量是 double，于是选中双精度的正弦：就算从不走慢速路径，也要多出二十来条双精度指令。",
          },
        },
        {
          en = "`sinf(v * 2.0)`",
          zh = "`sinf(v * 2.0)`",
          because = {
            en = "The product is a double, but `sinf` takes a float: it is converted first, and the sine is single. The doubles are in the product only.",
            zh = "乘积是 double，但 `sinf` 的参数是 float：先转换，正弦本身是单精度的。双精度只出现在乘法里。",
          },
        },
        {
          en = "`sin(v * 2.0f)`",
          zh = "`sin(v * 2.0f)`",
          because = {
            en = "In C++ `sin` of a float is the float's sine (in C it would not be). Write `sinf`, and nobody has to know that.",
            zh = "在 C++ 里，自变量是 float 时 `sin` 就是单精度的版本（C 语言里却不是）。写成 `sinf`，就用不着记这条规则。",
          },
        },
      },
    },
    ask {
      en = "The register file consists of 32-bit registers. A thread keeps {d} doubles, {f} floats and {c} chars, each in a variable of its own. How many registers is that at least?",
      zh = "寄存器文件由 32 位寄存器组成。一个线程要保留 {d} 个 double、{f} 个 float 和 {c} 个 char，各占一个变量。至少需要多少个寄存器？",
      draw = { d = { 3, 12 }, f = { 4, 20 }, c = { 1, 5 } },
      answer = function(d) return 2 * d.d + d.f + d.c end,
      replies = {
        { function(d) return d.d + d.f + d.c end, en = "A double takes two registers.", zh = "一个 double 占两个寄存器。" },
        { function(d) return 2 * d.d + d.f + d.c / 4 end, en = "Chars in variables of their own are not packed: each takes a register.", zh = "各在一个变量里的 char 不会拼在一起：每个占一个寄存器。" },
      },
      because = {
        en = "A double takes two registers, and any other variable at least one, be it as small as a char.",
        zh = "一个 double 占两个寄存器；其他变量至少占一个，哪怕小到只是 char。",
      },
    },
    ask {
      alone = true,
      en = "`short a, b, c; ... c = a + b;` What does a thread compute?",
      zh = "`short a, b, c; …… c = a + b;` 线程实际上怎么算？",
      choices = {
        {
          en = "a sum of 16 bits, twice as fast as one of 32",
          zh = "16 位加法，比 32 位快一倍",
          because = {
            en = "There is no such gain: a lane's integer unit is 32 bits wide, and C++ asks for int anyway.",
            zh = "没有这种好处：每个 lane 的整数单元是 32 位的，而且 C++ 本来就规定用 int 计算。",
          },
        },
        {
          en = "a sum of ints, and then what is left of it in 16 bits",
          zh = "先做 int 加法，再截取其中的 16 位",
          right = true,
          because = {
            en = "Operands of char and short are converted to int, and the result is cut back: instructions that nobody wrote, unless the compiler can prove them needless. Keep short and char for what lies in memory, and compute with int.",
            zh = "char 和 short 的操作数要先转换成 int，结果再截断回去：这些指令谁也没写过，除非编译器能证明用不着，否则都得执行。short 和 char 留给内存里的数据，计算用 int。",
          },
        },
        {
          en = "a sum of floats",
          zh = "float 加法",
          because = {
            en = "Nothing here is a floating-point number.",
            zh = "这里没有浮点数。",
          },
        },
      },
    },
    predict {
      en = [[
        Now the skeleton: no variable in it is a double. For n = 262,144 elements and 64 turns, how many double-precision instructions (counted per lane) does it execute?
        An estimate within 30% will do: what does the loop alone come to?
      ]],
      zh = [[
        再看骨架代码：里面没有一个变量是 double。n = 262,144 个元素、循环 64 次，它一共执行多少条双精度指令（按 lane 计）？误差在 30% 以内就算对：单是循环就有多少条？
      ]],
      counter = "inst_fp64",
      of = "skeleton",
      tolerance = 0.3,
      replies = {
        { 262144, en = "That is one for each element. The loop makes 64 turns.", zh = "这是每个元素一条。循环要转 64 次。" },
      },
      because = {
        en = "One multiply-add per element and turn are 16.8 million. The scaling and the double sine add 18 or 19 for each element.",
        zh = "每个元素每次循环一条乘加，共 1678 万条。开头的缩放和双精度正弦再给每个元素加上 18 到 19 条。",
      },
    },
    show {
      en = "Besides the doubles, see the conversions: two a turn.",
      zh = "除了双精度指令，再看转换指令：每次循环两条。",
      picture = "counters",
      counters = { "inst_fp64", "inst_convert", "inst_fp32", "registers", "device_us" },
      of = "skeleton",
    },
    exercise {
      en = "Take the doubles out. The results may differ by what rounding in floats costs, and no more.",
      zh = "把双精度去掉。结果可以有 float 舍入带来的误差，但仅限于此。",
    },
    compare {
      en = "Beside the doubles:",
      zh = "与双精度版本对比：",
      counters = { "inst_fp64", "inst_convert", "inst_fp32", "warp_inst", "registers", "device_us" },
      beside = "baseline",
    },
    compare {
      en = "The same two programs on a T4, which has 2 double units where it has 64 single ones:",
      zh = "同样两个程序在 T4 上。那里每 64 个单精度单元只配 2 个双精度单元：",
      counters = { "inst_fp64", "device_us" },
      of = "answer",
      beside = "baseline",
      on = "sim:t4",
    },
  },

  hints = {
    {
      en = "Which numbers in the kernel have a decimal point? What type has each?",
      zh = "核函数里哪些数带小数点？它们各是什么类型？",
    },
    {
      en = "`32768.0`, `0.98`, `0.01` and `3.141592653589793` are doubles. And which sine is called depends on the type of its argument.",
      zh = "`32768.0`、`0.98`、`0.01` 和 `3.141592653589793` 都是 double。而调用哪个正弦，取决于自变量的类型。",
    },
    {
      goal = "inst_double",
      en = "`in[i] / 32768.0f`, `v * 0.98f + 0.01f`, `sinf(v * 3.141592653589793f)`.",
      zh = "改成 `in[i] / 32768.0f`、`v * 0.98f + 0.01f`、`sinf(v * 3.141592653589793f)`。",
    },
  },

  after = {
    en = [[
      Measured on an H200, a loop of 512 multiply-adds like this one takes 287 us with `0.98` and 25 us with `0.98f`: 12 times as long. Only a small part of that
      is the double arithmetic; most is the two conversions around it, at 16 a cycle and multiprocessor. A T4 pays for the arithmetic, too.

      To find such places in a large program, look at `inst_fp64` line by line, or ask the assembler to warn: `nvcc -Xptxas -warn-double-usage`. In the machine code they are `F2F` (the conversions), `DFMA`,
      `DMUL` and `DADD`.
    ]],
    zh = [[
      在 H200 上实测：像这样循环 512 次的乘加，写 `0.98` 用 287 微秒，写 `0.98f` 用 25 微秒，前者是后者的 12 倍。其中双精度运算只占一小部分，大部分时间花在它前后的两次转换上：每个多处理器每周期只能做 16 次。换成 T4，运算本身也慢。

      要在大程序里找出这种地方，可以逐行看 `inst_fp64`，或者让汇编器发出警告：`nvcc -Xptxas -warn-double-usage`。在机器码里，它们是 `F2F`（转换）、`DFMA`、`DMUL` 和 `DADD`。
    ]],
  },
  more = {
    en = "Put back one of the four doubles at a time. Which one costs how much, on `device sim:h200` and on `device sim:t4`? And what does `const float RATE = 0.98;` cost: is that a double?",
    zh = "每次只把四个 double 中的一个放回去：在 `device sim:h200` 和 `device sim:t4` 上，各会慢多少？再想想，`const float RATE = 0.98;` 会不会变慢：它是 double 吗？",
  },
}
