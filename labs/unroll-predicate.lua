-- Chapter 7: what the compiler does with loops, branches and pointers, and what it has to be told for that.
return lab {
  id = "unroll-predicate",
  title = { en = "Tell the compiler what you know", zh = "把你知道的告诉编译器" },
  chapter = 7,
  minutes = 30,
  needs = { "divergence", "reduce-5-unroll" },
  source = "guide 5.4",
  teaches = {
    ["fewer-instructions"] = "say goals after",
    ["compiler-unrolls"] = "say ask",
    ["pragma-unroll"] = "say exercise",
    ["predicate-or-branch"] = "say ask goals",
    ["false-predicate"] = "ask",
    ["restrict-promise"] = "say ask goals",
    ["both-sides-serialised"] = "predict show",
  },

  entry = "void unroll_predicate(const float *in, const float *curve, float *out, int n)",
  args = {
    ["in"] = uniform(0, 1, "n"),
    curve = uniform(-1, 1, "16"),
    out = output("n", { ops = 16 }),
  },
  cases = { { n = 4096 }, { n = 1 }, { n = 5003 }, { n = 1 << 20, timed = true } },
  hidden = { count = 3, n = { 2, 20000 } },
  goals = {
    correct { points = 4 },
    at_most("global_loads", 0.35 * baseline) {
      points = 2,
      en = "The kernel still loads the coefficients for each element. Could a store to out change them? And does the kernel always read them, or only on one side of a branch?",
      zh = "核函数仍为每个元素重新读系数。写 out 会改变系数吗？系数是总要读，还是只在分支的某一边才读？",
    },
    at_most("jumps", 0.35 * baseline) {
      points = 2,
      en = "The compiler still does not know the length of some loops: each of their iterations ends in a branch.",
      zh = "仍有编译器不知道长度的循环：每次循环都以一个分支结束。",
    },
    at_most("divergent_jumps_machine", 0.05 * baseline) {
      points = 2,
      en = "Warps still diverge at a branch that is too long to be predicated. What differs between its sides: the operations, or only the numbers?",
      zh = "warp 仍在某个分支处发散，这个分支太长，不能改成谓词执行。两边不同的是运算，还是仅仅是数？",
    },
  },

  steps = {
    say {
      en = [[
        If instructions are the limiter of a kernel, fewer instructions make it faster. The compiler can remove three kinds of instructions, if it knows
        enough:

        - *Loops.* Each iteration counts, compares and jumps. If the compiler knows the length of a loop, it can *unroll* it: write the iterations out one
          after another. `#pragma unroll` asks for this, `#pragma unroll 4` asks for four iterations at a time, and `#pragma unroll 1` forbids it.
        - *Short branches.* The compiler *predicates* them. The warp executes the instructions of both sides without a jump, and each instruction has a predicate: a flag in
          each lane. Then there is no branch at which a warp could diverge.
        - *Repeated loads.* A loaded value stays in a register, unless a store may have changed it in memory.
      ]],
      zh = [[
        如果核函数的瓶颈是指令发射，那么指令越少，用时越短。只要知道得够多，编译器就能去掉三类指令：

        - *循环。*每次循环都要计数、比较、跳转。如果编译器知道循环的长度，就能*展开*循环：把各次循环依次写出来。`#pragma unroll` 要求展开，`#pragma unroll 4` 要求每四次循环展开成一次，`#pragma unroll 1` 禁止展开。
        - *短分支。*编译器改用*谓词执行*：线程束（warp）不跳转，执行两边的全部指令，每条指令带一个谓词，即每个 lane 各自的一个标志。这样就没有会让 warp 发散的分支。
        - *重复的读取。*读入的值会留在寄存器里，除非其间的某次写入可能改变了内存里的这个值。
      ]],
    },
    ask {
      alone = true,
      en = "A loop's body has {b} instructions, and 3 more count, compare and jump. What share of the instructions does unrolling by {u} save? (in %)",
      zh = "循环体有 {b} 条指令，另有 3 条用来计数、比较和跳转。按因子 {u} 展开循环，能省下百分之几的指令？",
      draw = { b = { from = { 2, 5, 9, 17 } }, u = { from = { 4, 8 } } },
      answer = function(d) return 100 * (3 - 3 / d.u) / (d.b + 3) end,
      tolerance = 0.03,
      unit = "%",
      replies = {
        { function(d) return 300 / (d.b + 3) end, en = "This is the whole overhead. One part in {u} of it stays.", zh = "这是全部的循环开销。展开后还剩下其中的 {u} 分之一。" },
        { function(d) return 100 * (1 - 1 / d.u) end, en = "This is the share of the overhead that is saved. The question asks for the share of all instructions, including the body.", zh = "这是省下的部分在循环开销中的比例。题目问的是在全部指令（包括循环体）中的比例。" },
      },
      because = {
        en = "An iteration takes {b} + 3 instructions before and {b} + 3 / {u} after. Loops with a short body gain most.",
        zh = "每次循环在展开前是 {b} + 3 条指令，展开后是 {b} + 3 / {u} 条。循环体越短，收益越大。",
      },
    },
    ask {
      alone = true,
      en = "Which loop can the compiler unroll completely?",
      zh = "编译器能把哪个循环完全展开？",
      choices = {
        {
          en = "`for (k = 0; k < terms; k++)`, where every launch passes terms = 8",
          zh = "`for (k = 0; k < terms; k++)`，每次启动传进来的 terms 都是 8",
          because = {
            en = "The compiler sees a parameter, not the launches. At best it unrolls four iterations at a time and adds a second loop for the rest.",
            zh = "编译器看到的只是一个参数，看不到各次启动。编译器最多把每四次循环展开成一次，再用另一个循环处理剩下的。",
          },
        },
        {
          en = "`for (k = 0; k < 8; k++)`",
          zh = "`for (k = 0; k < 8; k++)`",
          right = true,
          because = {
            en = "The length is a constant; a template argument would do as well. Then indices into small arrays are also constants, so the arrays can be kept in registers.",
            zh = "长度是常数；模板实参也可以。这时小数组的下标也是常数，数组就能放进寄存器。",
          },
        },
        {
          en = "`while (error > limit)`, which happens to take 8 iterations",
          zh = "`while (error > limit)`，碰巧总是循环 8 次",
          because = { en = "The number of iterations is known only after the loop has run.", zh = "循环多少次，执行完才知道。" },
        },
      },
    },
    ask {
      alone = true,
      en = "`if (i < n) out[i] = 2 * in[i];` is predicated. What does a lane with i >= n do?",
      zh = "`if (i < n) out[i] = 2 * in[i];` 改成了谓词执行。i >= n 的 lane 做什么？",
      choices = {
        {
          en = "It reads in[i] and multiplies, but does not store.",
          zh = "读 in[i]，做乘法，但不写入。",
          because = {
            en = "That would be an out-of-bounds read. If the predicate is false, the lane reads no operand.",
            zh = "那样就会越界读取。谓词为假时，lane 不读操作数。",
          },
        },
        {
          en = "Nothing, so the warp finishes sooner.",
          zh = "什么也不做，warp 因此更早结束。",
          because = {
            en = "The lane does nothing, but the warp still issues these instructions: it does not skip them.",
            zh = "这个 lane 确实什么也不做，但 warp 仍要发射这些指令，不会跳过。",
          },
        },
        {
          en = "The warp issues the instructions, but this lane reads nothing, computes no address and writes nothing.",
          zh = "warp 照样发射这些指令，但这个 lane 不读操作数，不计算地址，也不写结果。",
          right = true,
          because = {
            en = "All instructions are issued, and an instruction has no effect in a lane whose predicate is false. So a check against n is safe and costs almost nothing.",
            zh = "所有指令都会发射，但在谓词为假的 lane 上没有效果。所以与 n 的比较既安全，又几乎不花时间。",
          },
        },
      },
    },
    ask {
      en = "One side of a branch has {a} instructions, the other {b}. The branch is predicated, and *all* lanes of a warp take the first side. How many instructions does the warp issue?",
      zh = "分支的一边有 {a} 条指令，另一边 {b} 条。分支改成了谓词执行，而一个 warp 的 lane *全都*走第一边。这个 warp 要发射多少条指令？",
      draw = { a = { 3, 9 }, b = { 10, 40 } },
      answer = function(d) return d.a + d.b end,
      replies = {
        { function(d) return d.a end, en = "This would be right for a real branch. With predication, the warp issues the instructions of both sides.", zh = "真正的分支才是这样。用谓词执行时，两边的指令都要发射。" },
      },
      because = {
        en = "{a} + {b}, always. With a real branch it is {a} and the jump; only warps that diverge execute both sides. So a branch is better for long sides, and the assembler predicates only a few instructions. It is best if both kinds of elements need the same instructions.",
        zh = "总是 {a} + {b}。若用真正的分支，只要 {a} 条外加跳转，只有发散的 warp 才执行两边。所以两边较长时，分支更好；汇编器也只把几条指令以内的分支改成谓词执行。最好的办法是让两种元素执行相同的指令。",
      },
    },
    ask {
      en = "A kernel reads `curve[0]`, stores to `out[i]`, and uses `curve[0]` again. curve is a `const float *`. Why is `curve[0]` loaded twice?",
      zh = "核函数读了 `curve[0]`，写了 `out[i]`，接着又要用 `curve[0]`。curve 是 `const float *`。为什么 `curve[0]` 要读两次？",
      choices = {
        {
          en = "out might point to curve[0]: the store may have changed it",
          zh = "out 可能指向 curve[0]：那次写入也许改变了它",
          right = true,
          because = {
            en = "`const` says only that the kernel does not write through *this* pointer. With `__restrict__` on the pointers you promise that no other pointer reads what one of them writes. If you break the promise, the results are undefined. With both, loads may also use the read-only path.",
            zh = "`const` 只说明不通过*这个*指针写入。给指针加上 `__restrict__`，就是你承诺：一个指针写的内容，其他指针都不会读。违背承诺，结果就没有定义。两者一起用，还能让读取走只读通路。",
          },
        },
        {
          en = "const values may not be kept in registers",
          zh = "const 的值不允许留在寄存器里",
          because = { en = "They may, as long as no store can have changed them.", zh = "允许，只要没有写入可能改变它。" },
        },
        {
          en = "a store empties the registers",
          zh = "写操作会清空寄存器",
          because = { en = "A thread's registers belong to the thread, and a store does not change them.", zh = "寄存器归线程自己所有，写操作不会改变其内容。" },
        },
      },
    },
    predict {
      en = [[
        In the skeleton each thread handles 8 elements. For each element it evaluates a polynomial of 8 terms: one polynomial for elements below 0.5, another
        for the rest. The elements lie between 0 and 1. How many global load requests does the skeleton make for n = 2048, that is, one block of 8 warps?
      ]],
      zh = [[
        骨架代码里，每个线程处理 8 个元素，为每个元素算一个 8 项的多项式：小于 0.5 的元素用一个多项式，其余的用另一个。元素的值在 0 到 1 之间。n = 2048（一个块，8 个 warp）时，骨架代码有多少个全局读取请求？
      ]],
      counter = "gld_requests",
      of = "skeleton",
      case = { n = 2048 },
      tolerance = 0.03,
      replies = {
        { 64, en = "This is the number of loads of elements. Each term also loads a coefficient.", zh = "这是读元素的次数。每一项还要读一个系数。" },
        { 576, en = "If the lanes of a warp disagree, the warp evaluates both polynomials.", zh = "一个 warp 的各 lane 结果不一致时，warp 要计算两个多项式。" },
      },
      because = {
        en = "Almost every warp has lanes on both sides and executes both. That makes 17 requests per element, for the element and 2 * 8 coefficients. 8 warps * 8 elements * 17 = 1088.",
        zh = "几乎每个 warp 的 lane 都分在两边，所以两边都要执行。每个元素有 17 个请求：1 个元素加 2 * 8 个系数。8 个 warp * 8 个元素 * 17 = 1088。",
      },
    },
    show {
      en = "The skeleton, line by line: both loops run, each with only some of the lanes.",
      zh = "逐行看骨架代码：两个循环都在执行，各有一部分活跃 lane。",
      picture = "divergence",
      of = "skeleton",
    },
    exercise {
      en = "Unroll the loops, select numbers instead of paths, and promise with `__restrict__`. The counters show which of the three is still missing.",
      zh = "展开循环，用选数代替分支，用 `__restrict__` 作出承诺。计数器会告诉你三项里还缺哪一项。",
    },
    show {
      en = "Your kernel, line by line:",
      zh = "逐行看你的核函数：",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = "Your version beside the baseline: the gain from telling the compiler three things.",
      zh = "你的版本与基线的对比：告诉编译器三件事的收益。",
      counters = { "gld_requests", "branches", "divergent_branches", "divergent_branches_machine", "warp_inst", "registers", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "The comment above the kernel names three points. Do them one after another, and `run` after each: which counter changes?",
      zh = "核函数上方的注释列出了三点。请逐个完成，每完成一点就 `run` 一次：哪个计数器变了？",
    },
    {
      en = "Use a constant instead of the parameter. Write `const float *__restrict__` and `float *__restrict__`. Keep only one loop, in which `v < KNEE ? ... : ...` selects the *coefficient*. Read both coefficients before you select.",
      zh = "用常数代替参数；写 `const float *__restrict__` 和 `float *__restrict__`；只留一个循环，在里面用 `v < KNEE ? … : …` 选择*系数*。先读两个系数，再选择。",
    },
    {
      en = "`for (int k = 0; k < TERMS; k++) { float low = curve[k], high = curve[TERMS + k]; y = y * v + (v < KNEE ? low : high); }`, with `#pragma unroll` before both loops.",
      zh = "写 `for (int k = 0; k < TERMS; k++) { float low = curve[k], high = curve[TERMS + k]; y = y * v + (v < KNEE ? low : high); }`，两个循环前都加 `#pragma unroll`。",
    },
  },

  after = {
    en = [[
      The unrolled loops have no branches. The promise lets the 16 coefficients stay in registers for all 8 elements. Selecting a number takes one
      instruction, where selecting a path took two loops. Why must you read both coefficients first? `v < KNEE ? curve[k] : curve[TERMS + k]` reads an address
      that depends on v, so the compiler cannot move this load out of the loop over the elements.

      The price is larger code, and more registers if the kernel has none to spare (the comparison shows that this one had). The time falls less than the
      number of instructions, because this kernel also waits for memory. Use these techniques if instructions are the limiter and the loop is short. Unrolling
      a long loop only makes the code larger.
    ]],
    zh = [[
      展开之后，循环里没有分支；有了承诺，16 个系数在处理全部 8 个元素时一直留在寄存器里；选一个数只要一条指令，原来选一条路要两个循环。为什么要先读两个系数？`v < KNEE ? curve[k] : curve[TERMS + k]`
      读的地址取决于 v，编译器不能把这样的读取移到元素循环之外。

      代价是代码变长；寄存器紧张时，还要多占寄存器（对比显示，这个核函数的寄存器够用）。用时的降幅比指令数小，因为这个核函数也在等内存。指令是瓶颈、循环又短时，才适合用这些办法；展开很长的循环，只会让代码变长。
    ]],
  },
  more = {
    en = "Leave `__restrict__` out and load the 16 coefficients into an array `float c[16]` before the first store: is the effect the same? Then try `#pragma unroll 2` and `#pragma unroll 4` on the inner loop and look at `branches` and `registers`.",
    zh = "去掉 `__restrict__`，改为在第一次写之前把 16 个系数读进数组 `float c[16]`：效果一样吗？再给内层循环试试 `#pragma unroll 2` 和 `#pragma unroll 4`，看看 `branches` 和 `registers`。",
  },
}
