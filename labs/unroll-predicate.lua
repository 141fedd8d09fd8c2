-- Chapter 7: what the compiler does with loops, branches and pointers, and what it has to be told
-- for that.
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
    at_most("all_load_bytes", 0.6 * baseline) {
      points = 2,
      en = [[
        For each element, the kernel still loads the coefficients from global memory or from some
        other memory. Could a store to `out` change them? And does the kernel always read them, or
        only on one side of a branch?
      ]],
      zh = [[
        核函数仍为每个元素重新读系数，从全局内存读，或者从其他内存读。写 `out` 会改变系数吗？
        系数是总要读，还是只在分支的某一边才读？
      ]],
    },
    at_most("jumps", 0.35 * baseline) {
      points = 2,
      en = [[
        There is still a loop whose length the compiler does not know. Each iteration of such a loop
        ends in a branch.
      ]],
      zh = "编译器仍不知道某个循环的长度。这样的循环每执行一次，都要经过末尾的一个分支。",
    },
    at_most("divergent_jumps_machine", 0.05 * baseline) {
      points = 2,
      en = [[
        Warps still diverge at a branch that is too long to be predicated. What differs between its
        two sides: the operations, or only the numbers?
      ]],
      zh = [[
        warp 仍在一个分支处发散，这个分支太长，不能改成谓词执行。两边不同的是运算，还是只有数不同？
      ]],
    },
  },

  steps = {
    say {
      en = [[
        The kernel of this lab applies a tone curve to an image: each pixel value is replaced by the
        value of a polynomial. There is one polynomial for dark pixels and another for bright ones.
        The compiler could make this kernel faster, but it lacks three facts. You will tell it these
        facts.

        If a kernel spends most of its time on issuing instructions, fewer instructions make it
        faster. The compiler can save three kinds of instructions, if it knows enough:

        - *Loops.* Each iteration counts, compares and jumps. If the compiler knows the length of
          a loop, it can *unroll* it: the iterations then stand one after another, without jumps.
          `#pragma unroll` asks for this. `#pragma unroll 4` asks for groups of four iterations, and
          `#pragma unroll 1` forbids unrolling.
        - *Short branches.* The compiler *predicates* them. A *predicate* is a flag in each lane.
          The warp executes the instructions of both sides, and each instruction has an effect only
          in lanes whose predicate is true. Then there is no branch at which a warp could diverge.
        - *Repeated loads.* The compiler keeps a loaded value in a register. But if a store may
          have changed the value in memory, the kernel must load the value again.
      ]],
      zh = [[
        本实验的核函数给图像套用一条色调曲线：每个像素值换成多项式的值，暗的像素用一个多项式，
        亮的用另一个。编译器本来能让这个核函数更快，只是不知道三件事。你要把这三件事告诉编译器。

        如果核函数的时间主要花在发射指令上，那么指令越少，用时越短。只要知道得够多，
        编译器就能省去三类指令：

        - *循环。*每次循环都要计数、比较、跳转。如果编译器知道循环的长度，就能*展开*循环：
          把各次循环依次写出来，不再跳转。`#pragma unroll` 要求展开，`#pragma unroll 4`
          要求每四次循环展开成一组，`#pragma unroll 1` 禁止展开。
        - *短分支。*编译器改用*谓词执行*。谓词是每个 lane 各有一个的标志。线程束（warp）
          执行两边的全部指令，每条指令只在谓词为真的 lane 上生效。这样就没有会让 warp 发散的分支。
        - *重复的读取。*编译器把读入的值留在寄存器里。但如果某次写入可能改变了内存里的这个值，
          核函数就必须重新读取。
      ]],
    },
    ask {
      alone = true,
      en = [[
        A loop's body has {b} instructions, and 3 more instructions count, compare and jump. What
        share of the instructions does unrolling by {u} save? (in %)
      ]],
      zh = [[
        循环体有 {b} 条指令，另有 3 条用来计数、比较和跳转。按因子 {u} 展开循环，
        能省下百分之几的指令？
      ]],
      draw = { b = { from = { 2, 5, 9, 17 } }, u = { from = { 4, 8 } } },
      answer = function(d) return 100 * (3 - 3 / d.u) / (d.b + 3) end,
      tolerance = 0.03,
      unit = "%",
      replies = {
        {
          function(d) return 300 / (d.b + 3) end,
          en = [[
            This would be right if unrolling saved all 3 instructions. But after unrolling, each
            group of {u} iterations still executes them once.
          ]],
          zh = "这是那 3 条指令全部省掉时的比例。展开之后，每 {u} 次循环仍要执行它们一次。",
        },
        {
          function(d) return 100 * (1 - 1 / d.u) end,
          en = [[
            This is the share of the 3 instructions that is saved. The question asks for the share
            of all instructions, including the body.
          ]],
          zh = "这是省下的部分在那 3 条指令中的比例。题目问的是在全部指令（包括循环体）中的比例。",
        },
      },
      because = {
        en = [[
          An iteration takes {b} + 3 instructions before unrolling, and {b} + 3 / {u} after it. The
          shorter the body, the larger the gain.
        ]],
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
            en = [[
              When the compiler works, `terms` has no value yet. The compiler can only unroll groups
              of four iterations and add a second loop for the rest.
            ]],
            zh = [[
              编译的时候，`terms` 还没有值。编译器最多把每四次循环展开成一组，再用另一个循环处理剩下
              的。
            ]],
          },
        },
        {
          en = "`for (k = 0; k < 8; k++)`",
          zh = "`for (k = 0; k < 8; k++)`",
          right = true,
          because = {
            en = [[
              The length is a constant. (A template argument would do as well.) After unrolling, k
              is a constant in each copy of the body. So a small array that is indexed by k can stay
              in registers.
            ]],
            zh = [[
              长度是常数。（模板实参也可以。）展开之后，循环体的每一份里 k 都是常数，所以用 k
              作下标的小数组可以放进寄存器。
            ]],
          },
        },
        {
          en = "`while (error > limit)`, which happens to take 8 iterations",
          zh = "`while (error > limit)`，碰巧总是循环 8 次",
          because = {
            en = "The number of iterations is known only after the loop has run.",
            zh = "循环多少次，执行完才知道。",
          },
        },
      },
    },
    ask {
      alone = true,
      en = "`if (i < n) out[i] = 2 * in[i];` is predicated. What does a lane with i >= n do?",
      zh = "`if (i < n) out[i] = 2 * in[i];` 改成了谓词执行。i >= n 的 lane 做什么？",
      choices = {
        {
          en = "It reads `in[i]` and multiplies, but does not store.",
          zh = "读 `in[i]`，做乘法，但不写入。",
          because = {
            en = [[
              The load has a predicate, too. Otherwise, this lane would read beyond the end of `in`.
            ]],
            zh = "读取指令同样带谓词，否则这个 lane 就会读到 `in` 的末尾之后。",
          },
        },
        {
          en = "Nothing, so the warp finishes sooner.",
          zh = "什么也不做，warp 因此更早结束。",
          because = {
            en = [[
              The lane does nothing, but its warp still issues all the instructions, so no time is
              saved.
            ]],
            zh = "这个 lane 确实什么也不做，但它的 warp 仍要发射全部指令，省不下时间。",
          },
        },
        {
          en = [[
            The warp issues the instructions, but this lane reads nothing, computes no address and
            writes nothing.
          ]],
          zh = "warp 照样发射这些指令，但这个 lane 不读操作数，不计算地址，也不写结果。",
          right = true,
          because = {
            en = [[
              An instruction has no effect in a lane whose predicate is false. So the check against
              n is safe, and it costs almost nothing.
            ]],
            zh = "在谓词为假的 lane 上，指令没有任何效果。所以与 n 的比较既安全，又几乎不花时间。",
          },
        },
      },
    },
    ask {
      en = [[
        One side of a branch has {a} instructions, the other {b}. The branch is predicated, and
        *all* lanes of a warp take the first side. How many instructions does the warp issue?
      ]],
      zh = [[
        分支的一边有 {a} 条指令，另一边 {b} 条。分支改成了谓词执行，而一个 warp 的 lane
        *全都*走第一边。这个 warp 要发射多少条指令？
      ]],
      draw = { a = { 3, 9 }, b = { 10, 40 } },
      answer = function(d) return d.a + d.b end,
      replies = {
        {
          function(d) return d.a end,
          en = [[
            This would be right for a branch that is not predicated. With predication, the warp
            issues the instructions of both sides.
          ]],
          zh = "没有改成谓词执行的分支才是这样。用谓词执行时，两边的指令都要发射。",
        },
      },
      because = {
        en = [[
          With predication, the warp always issues {a} + {b}. With a jump, it would issue only {a}
          and the jump. A warp would execute both sides only if its lanes diverged. So a jump is
          better for long sides, and the compiler predicates only short ones. Best of all, let both
          sides execute the same instructions on different numbers. Then no branch is needed.
        ]],
        zh = [[
          用谓词执行时，这个 warp 总要发射 {a} + {b} 条。若用跳转，这个 warp 只要发射 {a} 条，外加一
          条跳转；只有发散的 warp 才执行两边。所以两边较长时，用跳转更好，编译器也只把很短的分支改成
          谓词执行。最好的办法是让两边执行相同的指令，只是数不同。这样就不需要分支。
        ]],
      },
    },
    ask {
      en = [[
        A kernel reads `curve[0]`, stores to `out[i]`, and uses `curve[0]` again. `curve` is a
        `const float *`. Why is `curve[0]` loaded twice?
      ]],
      zh = [[
        核函数读了 `curve[0]`，写了 `out[i]`，接着又要用 `curve[0]`。`curve` 是 `const float *`。为
        什么 `curve[0]` 要读两次？
      ]],
      choices = {
        {
          en = "`out` might point to `curve[0]`: the store may have changed it",
          zh = "`out` 可能指向 `curve[0]`：那次写入也许改变了 `curve[0]` 的值",
          right = true,
          because = {
            en = [[
              `const` says only that the kernel does not write through *this* pointer. If you put
              `__restrict__` on the pointers, you promise that no other pointer reads what one of
              them writes. If you break this promise, the results are undefined. With `const` and
              `__restrict__` together, loads may also take the *read-only path* through the cache.
              This path is only for data that nobody writes while the kernel runs.
            ]],
            zh = [[
              `const` 只说明核函数不通过*这个*指针写入。给指针加上 `__restrict__`，就是你承诺：一个
              指针写的内容，其他指针都不会读。违背承诺，结果就没有定义。`const` 和 `__restrict__` 一
              起用，读取还可以走缓存的*只读通路*。这条通路只用于核函数运行期间无人写入的数据。
            ]],
          },
        },
        {
          en = "the compiler is not allowed to keep const values in registers",
          zh = "const 的值不允许留在寄存器里",
          because = {
            en = [[
              The compiler may keep any value in a register, as long as no store can have changed
              it.
            ]],
            zh = "只要确定任何写入都不会改变某个值，编译器就可以把这个值留在寄存器里。",
          },
        },
        {
          en = "a store empties the registers",
          zh = "写操作会清空寄存器",
          because = {
            en = "A store to memory does not change the registers of a thread.",
            zh = "向内存写入不会改变线程的寄存器。",
          },
        },
      },
    },
    predict {
      en = [[
        In the skeleton, each thread handles 8 elements. For each element, it evaluates a polynomial
        of 8 terms: one polynomial for elements below 0.5, and another for the rest. The elements
        lie between 0 and 1. How many global load requests does the skeleton make for n = 2048, that
        is, one block of 8 warps?
      ]],
      zh = [[
        骨架代码里，每个线程处理 8 个元素，为每个元素算一个 8 项的多项式：小于
        0.5 的元素用一个多项式，其余的用另一个。元素的值在 0 到 1 之间。n = 2048（一个块，8 个
        warp）时，骨架代码有多少个全局读取请求？
      ]],
      counter = "gld_requests",
      of = "skeleton",
      case = { n = 2048 },
      tolerance = 0.03,
      replies = {
        {
          64,
          en = [[
            This is the number of requests for elements. Each term of a polynomial also loads a
            coefficient.
          ]],
          zh = "这是读元素的请求数。多项式的每一项还要读一个系数。",
        },
        {
          576,
          en = [[
            If some elements of a warp are below 0.5 and others are not, the warp evaluates both
            polynomials.
          ]],
          zh = "如果一个 warp 里有的元素小于 0.5，有的不小于，这个 warp 就要计算两个多项式。",
        },
      },
      because = {
        en = [[
          Almost every warp has lanes on both sides of the branch, and executes both sides. So for
          each element, it makes 17 requests: one for the element, and 2 * 8 for coefficients. 8
          warps * 8 elements * 17 = 1088.
        ]],
        zh = [[
          几乎每个 warp 在分支的两边都有 lane，两边都要执行。所以每个元素有 17 个请求：1 个读元素，
          2 * 8 个读系数。8 个 warp * 8 个元素 * 17 = 1088。
        ]],
      },
    },
    show {
      en = [[
        The skeleton, line by line. Both inner loops run, each with only some of the lanes active.
      ]],
      zh = "逐行看骨架代码。两个内层循环都要执行，每个循环里都只有一部分 lane 活跃。",
      picture = "divergence",
      of = "skeleton",
    },
    exercise {
      en = [[
        Unroll the loops. Let each lane select numbers instead of taking a branch. Make the promise
        with `__restrict__`. The counters show which of the three is still missing.
      ]],
      zh = [[
        请展开循环；让每个 lane 选数，而不走分支；用 `__restrict__` 作出承诺。
        从计数器可以看出这三项里还缺哪一项。
      ]],
    },
    show {
      en = "Your kernel, line by line:",
      zh = "逐行看你的核函数：",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = [[
        Your version beside the baseline. You told the compiler three facts, and this is the gain:
      ]],
      zh = "你的版本与基线的对比。你告诉了编译器三件事，收益如下：",
      counters = {
        "gld_requests",
        "branches",
        "divergent_branches",
        "divergent_branches_machine",
        "warp_inst",
        "registers",
        "device_us",
      },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        The comment above the kernel lists three points. Do them one after another, and `run` after
        each. Which counter changes?
      ]],
      zh = "核函数上方的注释列出了三点。请逐个完成，每完成一点就 `run` 一次：哪个计数器变了？",
    },
    {
      en = [[
        Replace the parameter `terms` by a constant. Write `const float *__restrict__` and
        `float *__restrict__`. Keep only one inner loop, and let `v < KNEE ? ... : ...` select the
        *coefficient* in it. Read both coefficients before you select.
      ]],
      zh = [[
        用常数代替参数 `terms`。写 `const float *__restrict__` 和 `float *__restrict__`。只留一个内
        层循环，在里面用 `v < KNEE ? … : …` 选择*系数*。先读两个系数，再选择。
      ]],
    },
    {
      en = [[
        Write `for (int k = 0; k < TERMS; k++) { float low = curve[k], high = curve[TERMS + k]; y =
        y * v + (v < KNEE ? low : high); }`, and put `#pragma unroll` before both loops.
      ]],
      zh = [[
        写 `for (int k = 0; k < TERMS; k++) { float low = curve[k], high = curve[TERMS + k]; y = y *
        v + (v < KNEE ? low : high); }`，并在两个循环前都加 `#pragma unroll`。
      ]],
    },
  },

  after = {
    en = [[
      The unrolled loops have no branches. Your promise lets the 16 coefficients stay in registers
      for all 8 elements. Your kernel selects a number, which takes one instruction. The baseline
      selects a path, and it needs a loop for each of the two paths.

      Why must you read both coefficients first? `v < KNEE ? curve[k] : curve[TERMS + k]` reads an
      address that depends on v, and v is different for each element. So the compiler cannot move
      this load out of the loop over the elements.

      The price is larger code. Some kernels also need more registers, but this one does not, as the
      comparison shows. The time falls less than the number of instructions, because this kernel
      also waits for memory. Use these three techniques if a kernel is limited by instructions and
      its loops are short. If you unroll a long loop, the code only gets larger.
    ]],
    zh = [[
      展开之后，循环里没有分支。有了你的承诺，16 个系数在处理全部 8 个元素时一直留在寄存器里。
      你的核函数只选一个数，只要一条指令；基线选一条路径，两条路径各要一个循环。

      为什么要先读两个系数？`v < KNEE ? curve[k] : curve[TERMS + k]` 读的地址取决于 v，而每个元素的
      v 不同。所以编译器不能把这个读取移到元素循环之外。

      代价是代码变长。有些核函数还要多占寄存器，但这个核函数没有，从对比可以看出来。
      用时的降幅比指令数小，因为这个核函数也在等内存。瓶颈是指令、循环又短时，才适合用这三种办法。
      展开很长的循环，只会让代码变长。
    ]],
  },
  more = {
    en = [[
      Leave `__restrict__` out, and load the 16 coefficients into an array `float c[16]` before the
      first store. Is the effect the same? Then try `#pragma unroll 2` and `#pragma unroll 4` on the
      inner loop, and look at `branches` and `registers`.
    ]],
    zh = [[
      去掉 `__restrict__`，改为在第一次写入之前把 16 个系数读进数组 `float c[16]`：效果一样吗？
      再给内层循环试试 `#pragma unroll 2` 和 `#pragma unroll 4`，看看 `branches` 和 `registers`。
    ]],
  },
}
