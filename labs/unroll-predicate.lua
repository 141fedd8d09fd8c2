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
      en = "The coefficients are still loaded for each element. May a store to out change them? And are they read in any case, or only on one side?",
      zh = "每个元素还在重新读系数。写 out 会改变它们吗？它们是无论如何都要读，还是只在某一边才读？",
    },
    at_most("jumps", 0.35 * baseline) {
      points = 2,
      en = "Loops are left whose length the compiler does not know: each turn ends in a branch.",
      zh = "还有编译器不知道长度的循环：每一步都以一次分支结束。",
    },
    at_most("divergent_jumps_machine", 0.05 * baseline) {
      points = 2,
      en = "Warps still split at a branch too long to be predicated. What differs between its sides: the work, or only the numbers?",
      zh = "warp 还在某个分支处发散，那里太长，无法改成谓词执行。两边不同的是工作本身，还是仅仅是数？",
    },
  },

  steps = {
    say {
      en = [[
        The fewer instructions, the sooner a kernel is done, if instructions are what it waits for. Three kinds can go without any loss, and the compiler takes them out by itself, if it knows
        enough:

        - *Loops.* Each turn counts, compares and jumps. A loop whose length is known when the kernel is compiled is *unrolled*: written out turn by turn. `#pragma unroll` asks for it,
          `#pragma unroll 4` asks for four turns at a time, `#pragma unroll 1` forbids it.
        - *Short branches.* They are *predicated*: instead of jumping, the warp goes through the instructions of both sides, each marked with a predicate, a flag that every lane
          has of its own. Then there is nothing at which a warp could split.
        - *Loads of the same thing.* A value once loaded stays in a register, unless somebody may have changed it meanwhile.
      ]],
      zh = [[
        如果核函数等的就是指令，那么指令越少，结束得越早。有三类指令可以白白省掉。只要编译器知道得够多，它自己就会去做：

        - *循环。*每一步都要计数、比较、跳转。编译核函数时就知道长度的循环会被*展开*：一步一步直接写出来。`#pragma unroll` 要求展开，`#pragma unroll 4` 要求每次展开四步，`#pragma unroll 1` 禁止展开。
        - *短分支。*它们会改成*谓词执行*：线程束（warp）不跳转，而是把两边的指令都走一遍，每条指令带一个谓词，也就是每个 lane 各自的一个标志。这样就没有什么能让 warp 发散了。
        - *重复的读取。*读进来的值会留在寄存器里，除非这期间可能有人改过它。
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
        { function(d) return 300 / (d.b + 3) end, en = "That is all of the overhead. One part in {u} of it stays.", zh = "这是全部的循环开销。其中还剩下 {u} 分之一。" },
        { function(d) return 100 * (1 - 1 / d.u) end, en = "That is the share of the overhead. The body stays.", zh = "这是在循环开销中的比例。循环体的指令一条不少。" },
      },
      because = {
        en = "Before: {b} + 3 a turn. After: {b} + 3 / {u}. It is short bodies that gain.",
        zh = "展开前每步 {b} + 3 条，展开后 {b} + 3 / {u} 条。循环体越短，得益越大。",
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
            en = "The compiler sees an argument, not the launches. At best it takes four turns at a time, with a second loop for what is left over.",
            zh = "编译器看到的只是一个参数，看不到那些启动。它最多每次展开四步，再用另一个循环处理剩下的。",
          },
        },
        {
          en = "`for (k = 0; k < 8; k++)`",
          zh = "`for (k = 0; k < 8; k++)`",
          right = true,
          because = {
            en = "The length is a constant; a template's argument would do as well. Then indices into small arrays are constants, too, and the arrays can live in registers.",
            zh = "长度是常数；模板实参也一样。这时小数组的下标也成了常数，数组就能放进寄存器。",
          },
        },
        {
          en = "`while (error > limit)`, which happens to take 8 turns",
          zh = "`while (error > limit)`，碰巧总是 8 步",
          because = { en = "How often it runs is known only when it has run.", zh = "要跑几步，跑完才知道。" },
        },
      },
    },
    ask {
      alone = true,
      en = "`if (i < n) out[i] = 2 * in[i];` is predicated. What does a lane with i >= n do?",
      zh = "`if (i < n) out[i] = 2 * in[i];` 改成了谓词执行。i >= n 的 lane 做什么？",
      choices = {
        {
          en = "It reads in[i], multiplies, and leaves only the store out.",
          zh = "读 in[i]，做乘法，只是不写。",
          because = {
            en = "That would be a read out of bounds. With a false predicate no operand is read.",
            zh = "那就越界读了。谓词为假时，连操作数都不读。",
          },
        },
        {
          en = "Nothing, and the warp is done sooner.",
          zh = "什么也不做，warp 因此更早结束。",
          because = {
            en = "Nothing it does, but the warp issues these instructions all the same: they are not skipped.",
            zh = "它确实什么也不做，但 warp 照样要发射这些指令，并没有跳过。",
          },
        },
        {
          en = "The instructions pass, but for this lane nothing is read, no address is computed, nothing is written.",
          zh = "指令照样经过，但对这个 lane 来说，不读操作数，不计算地址，也不写结果。",
          right = true,
          because = {
            en = "All instructions are issued, and those with a false predicate have no effect. That is why a check against n is both safe and nearly free.",
            zh = "所有指令都会发射，谓词为假的没有任何效果。所以与 n 的比较既安全，又几乎不花时间。",
          },
        },
      },
    },
    ask {
      en = "One side of a branch has {a} instructions, the other {b}. How many does a warp whose lanes *all* take the first side issue if the branch is predicated?",
      zh = "分支的一边有 {a} 条指令，另一边 {b} 条。如果改成谓词执行，而一个 warp 的 lane *全都*走第一边，它要发射多少条？",
      draw = { a = { 3, 9 }, b = { 10, 40 } },
      answer = function(d) return d.a + d.b end,
      replies = {
        { function(d) return d.a end, en = "That is a branch. Predicated, the instructions of both sides pass.", zh = "那是真正的分支。用谓词执行时，两边的指令都要经过。" },
      },
      because = {
        en = "{a} + {b}, always. With a real branch it would be {a} and the jump; only warps that split pay for both. So long sides are better left as a branch, and the assembler predicates only a few instructions. Best of all is to have but one side.",
        zh = "总是 {a} + {b}。若用真正的分支，只要 {a} 条外加跳转，只有发散的 warp 才两边都付。所以较长的分支不如保留，汇编器也只把几条指令以内的改成谓词执行。最好的办法是根本只有一边。",
      },
    },
    ask {
      en = "A kernel reads `curve[0]`, stores to `out[i]`, and needs `curve[0]` again. curve is a `const float *`. Why is it loaded twice?",
      zh = "核函数读了 `curve[0]`，写了 `out[i]`，接着又要用 `curve[0]`。curve 是 `const float *`。为什么要读两次？",
      choices = {
        {
          en = "out might point at curve[0]: the store may have changed it",
          zh = "out 可能指向 curve[0]：那次写入也许改变了它",
          right = true,
          because = {
            en = "`const` says only that *this* pointer will not write. `__restrict__` on the pointers is the promise that what one of them writes none of the others reads. Break it, and results are undefined. Together they also let loads take the read-only path.",
            zh = "`const` 只说*这个*指针不会写。给指针加上 `__restrict__` 才是承诺：一个指针写的东西，其他指针都不会读。违背承诺，结果就没有定义。两者一起用，还能让读取走只读通路。",
          },
        },
        {
          en = "const values may not be kept in registers",
          zh = "const 的值不允许留在寄存器里",
          because = { en = "They may, as long as nobody can have changed them.", zh = "允许，只要不可能有人改过它。" },
        },
        {
          en = "a store empties the registers",
          zh = "写操作会清空寄存器",
          because = { en = "A thread's registers are its own, and keep what they hold.", zh = "寄存器归线程自己所有，内容不会丢。" },
        },
      },
    },
    predict {
      en = [[
        The skeleton evaluates a polynomial of 8 terms for each of 8 elements a thread, one polynomial below 0.5 and another above; its inputs lie between 0 and 1. For n = 2048 (one block
        of 8 warps), how many global load requests does it make?
      ]],
      zh = [[
        骨架代码让每个线程为 8 个元素各算一个 8 项的多项式，小于 0.5 的用一个，其余用另一个；输入在 0 到 1 之间。n = 2048（一个块，8 个 warp）时，它有多少个全局读取请求？
      ]],
      counter = "gld_requests",
      of = "skeleton",
      case = { n = 2048 },
      tolerance = 0.03,
      replies = {
        { 64, en = "Those are the loads of x. Each term loads a coefficient, too.", zh = "这是读 x 的次数。每一项还要读一个系数。" },
        { 576, en = "Both polynomials are evaluated where lanes disagree.", zh = "各 lane 结果不一致时，两个多项式都要计算。" },
      },
      because = {
        en = "Nearly every warp has lanes on both sides, and executes both: 1 element and 2 * 8 coefficients make 17 requests, for 8 warps and 8 elements: 1088.",
        zh = "几乎每个 warp 都有 lane 分在两边，于是两边都要执行：1 个元素加 2 * 8 个系数，共 17 个请求；8 个 warp，每个 8 个元素：1088。",
      },
    },
    show {
      en = "Line by line: both loops run, each with a part of the lanes.",
      zh = "逐行来看：两个循环都在执行，各有一部分 lane。",
      picture = "divergence",
      of = "skeleton",
    },
    exercise {
      en = "Unroll, select, and promise. The counters say which of the three is still missing.",
      zh = "展开、选择、承诺。计数器会告诉你三样里还缺哪一样。",
    },
    show {
      en = "Your kernel, line by line:",
      zh = "逐行看你的核函数：",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = "What three hints to the compiler are worth:",
      zh = "给编译器的三点提示能快多少：",
      counters = { "gld_requests", "branches", "divergent_branches", "divergent_branches_machine", "warp_inst", "registers", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Take the three points above the kernel one after the other, and `run` after each: which counter moves?",
      zh = "把核函数上方的三点逐个做，每做一点就 `run` 一次：哪个计数器动了？",
    },
    {
      en = "A constant in place of the argument; `const float *__restrict__` and `float *__restrict__`; and one loop, in which the *coefficient* is chosen by `v < KNEE ? ... : ...`. Read both coefficients before you choose.",
      zh = "用常数代替参数；写 `const float *__restrict__` 和 `float *__restrict__`；只留一个循环，在里面用 `v < KNEE ? … : …` 选择*系数*。先把两个系数都读出来，再选。",
    },
    {
      en = "`for (int k = 0; k < TERMS; k++) { float low = curve[k], high = curve[TERMS + k]; y = y * v + (v < KNEE ? low : high); }`, with `#pragma unroll` before both loops.",
      zh = "写 `for (int k = 0; k < TERMS; k++) { float low = curve[k], high = curve[TERMS + k]; y = y * v + (v < KNEE ? low : high); }`，两个循环前都加 `#pragma unroll`。",
    },
  },

  after = {
    en = [[
      Written out, the loops have no more branches; the promise lets 16 coefficients stay in registers for all 8 elements; and choosing a number takes one instruction where choosing a path
      took two loops. Why must both coefficients be read first? `v < KNEE ? curve[k] : curve[TERMS + k]` reads an address that depends on v: that load cannot be moved out of the loop over the elements.

      The price is more registers where the compiler has none to spare (see the comparison: here it had) and larger code. And the time falls less than the instructions: this kernel also waits for memory. Do such things where instructions are the limit, and where a
      loop is short; unrolling a long one only makes the code large.
    ]],
    zh = [[
      展开之后，循环里不再有分支；有了承诺，16 个系数可以为全部 8 个元素一直留在寄存器里；选一个数只要一条指令，而选一条路原来要两个循环。为什么两个系数都要先读出来？`v < KNEE ? curve[k] : curve[TERMS + k]`
      读的地址取决于 v，这样的读取没法移到元素循环之外。

      代价是代码变长，寄存器紧张时还要多占寄存器（看看对比：这里本来就够用）。用时下降得没有指令那么多，因为这个核函数也在等内存。这些办法要用在指令是瓶颈、循环又短的地方；把很长的循环展开，只会让代码膨胀。
    ]],
  },
  more = {
    en = "Leave `__restrict__` out and load the 16 coefficients into an array `float c[16]` before the first store: does that do the same? Then try `#pragma unroll 2` and `4` on the inner loop and watch `branches` and `registers`.",
    zh = "去掉 `__restrict__`，改为在第一次写之前把 16 个系数读进数组 `float c[16]`：效果一样吗？再给内层循环试试 `#pragma unroll 2` 和 `4`，留意 `branches` 和 `registers`。",
  },
}
