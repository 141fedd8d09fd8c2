-- The fifth step of the reduction: a block size that the compiler knows.
return lab {
  id = "reduce-5-unroll",
  title = { en = "Reduction 5: all loops unrolled", zh = "归约第五步：完全展开" },
  chapter = 4,
  minutes = 20,
  needs = { "reduce-4-warp" },
  source = "walk-through; guide 5.4.2",
  teaches = {
    ["template-size"] = "ask exercise",
    ["instruction-overhead"] = "say goals after",
  },

  entry = "void reduce(const int *in, int *out, int n)",
  args = {
    ["in"] = integers(-30000, 30000, "n"),
    out = output("ceil_div(n, 512)"),
  },
  cases = { { n = 512 }, { n = 1 }, { n = 701 }, { n = 1 << 19, timed = true } },
  hidden = { count = 3, n = { 2, 30000 } },
  goals = {
    correct { points = 4 },
    at_most("jumps", 0.82 * baseline) {
      points = 3,
      per = "thread",
      en = [[
        The rounds are still a loop, in which every warp compares and branches. Does the compiler
        know the block size?
      ]],
      zh = "各轮仍是一个循环，每个 warp 都要比较、跳转。编译器知道块的大小吗？",
    },
    at_most("inst_int", 0.85 * baseline) {
      points = 1,
      en = [[
        The loops still execute too many instructions. `show divergence` shows them line by line.
        Does the compiler know the block size? Are the steps of warp 0 unrolled?
      ]],
      zh = [[
        循环里的指令还是太多，用 `show divergence` 可以逐行查看。编译器知道块的大小吗？
        0 号 warp 的各步展开了吗？
      ]],
    },
    at_most("inst_float", 0) {
      points = 1,
      en = "The sums are integers. Add and count with integers, not with floats.",
      zh = "求得的和都是整数。相加、计数都应当用整数，不要用浮点数。",
    },
    at_most("atomics", 1 << 14) {
      points = 1,
      en = [[
        Add the elements in pairs, not by atomics: atomics on one word are done one after another.
        One atomic for each warp is allowed.
      ]],
      zh = [[
        元素应当成对相加，不要用原子操作：同一个字上的原子操作只能一个接一个地做。
        每个 warp 允许做一次。
      ]],
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        As in `reduce-4-warp`, each block sums 512 ints, and the result is right. But only a few of
        the kernel's instructions add. You will remove many of the other instructions.

        A reduction does only one addition for every four bytes it reads, so memory should be
        its *limiter*, that is, what it mainly waits for. But on a G80, whose memory gives 86.4
        GB/s, the kernel of `reduce-3-idle` reached only 17 GB/s, so something else was the
        limiter. The multiprocessors mostly compare, branch, shift and compute addresses, and they
        add only now and then.

        The block size is fixed when the kernel is launched. If the *compiler* knew the block size,
        it could unroll every loop. Before the program runs, the compiler could also evaluate every
        condition that depends only on the block size.
      ]],
      zh = [[
        和 `reduce-4-warp` 一样，每个块求 512 个 int 的和，结果是正确的。但核函数的指令里，
        真正做加法的很少。你要去掉许多其他指令。

        归约每读四个字节只做一次加法，瓶颈理应是内存。但 G80 的内存带宽是 86.4 GB/s，
        `reduce-3-idle` 的核函数在 G80 上只用到 17 GB/s，可见瓶颈不是内存。
        多处理器大部分时间都在比较、跳转、移位、计算地址，偶尔才做一次加法。

        核函数启动时，块的大小就固定了。如果*编译器*知道块的大小，就能展开所有循环，
        还能在程序运行之前算出所有只与块大小有关的条件。
      ]],
    },
    ask {
      alone = true,
      en = [[
        `template <unsigned BLOCK> __global__ void block_sums(...)` contains
        `if (BLOCK >= 512) { ... }`. What is left of this `if` in `block_sums<256>`?
      ]],
      zh = [[
        `template <unsigned BLOCK> __global__ void block_sums(...)` 里有
        `if (BLOCK >= 512) { ... }`。在 `block_sums<256>` 里，这个 `if` 还剩下什么？
      ]],
      choices = {
        { en = "Nothing at all", zh = "什么都不剩", right = true },
        { en = "A test that is false, once per launch", zh = "每次启动做一次结果为假的判断" },
        {
          en = "The additions, executed without effect because their condition is false",
          zh = "加法指令：照常执行，但因为条件不成立而不生效",
        },
      },
      because = {
        en = "The compiler knows that 256 >= 512 is false, so the compiler drops test and body.",
        zh = "编译器知道 256 >= 512 为假，所以把整个 `if`（判断和花括号里的语句）都删掉。",
      },
    },
    ask {
      en = [[
        The host may choose any power of two from {lo} to {hi} as the block size. For each size, the
        program needs one *instance* of the template, that is, one compiled kernel. How many
        instances is that?
      ]],
      zh = [[
        主机可能选用从 {lo} 到 {hi} 的任何一个 2 的幂作为块大小。每种大小都要有模板的一个*实例*，
        即一个编译好的核函数。一共要多少个实例？
      ]],
      draw = { lo = { from = { 32, 64, 128 } }, hi = { from = { 256, 512, 1024 } } },
      answer = function(d)
        local count = 1
        while d.lo << count <= d.hi do count = count + 1 end
        return count
      end,
      replies = {
        {
          function(d) return math.floor(math.log(d.hi / d.lo, 2) + 0.5) end,
          en = "Count both {lo} and {hi}.",
          zh = "{lo} 和 {hi} 都要算上。",
        },
      },
      because = {
        en = [[
          One for each size. On the host, a `switch` selects the instance. The price is a larger
          program.
        ]],
        zh = "每种大小一个实例，由主机上的 `switch` 来选。代价是程序变大。",
      },
    },
    ask {
      en = [[
        A block of {b} threads sums 2 * {b} elements. First each thread adds two elements. Then come
        the rounds of the tree: s, the distance between the two ints of an addition, halves from
        round to round until s = 64. At the end come the six steps of warp 0.

        How many *warp* instructions do the additions themselves take? (An addition by a warp counts
        once, however many lanes are active.)
      ]],
      zh = [[
        一个块用 {b} 个线程对 2 * {b} 个元素求和。先由每个线程加两个元素，然后是树的各轮：
        相加的两个数的距离 s 每轮减半，直到 s = 64。最后是 0 号线程束（warp）的六步。

        其中的加法一共要多少条 *warp* 指令？（一个 warp 的一次加法，不论有几个活跃 lane，
        都只算一条。）
      ]],
      draw = { b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return d.b // 16 + 4 end,
      replies = {
        {
          function(d) return 2 * d.b - 1 end,
          en = [[
            This is the number of additions that the sum needs. One warp instruction does up to 32
            of them.
          ]],
          zh = "这是求和需要的加法次数。一条 warp 指令最多做其中的 32 次。",
        },
      },
      because = {
        en = [[
          First {b} / 32 warps add. In each round, half as many warps add as before, down to 2 warps
          in the round with s = 64. At the end, one warp adds six times. For 256 threads: 8 + 4 + 2
          + 6.
        ]],
        zh = [[
          先由 {b} / 32 个 warp 做加法。之后每一轮做加法的 warp 减半，到 s = 64 那一轮剩 2 个。
          最后由一个 warp 加六次。256 个线程时是 8 + 4 + 2 + 6。
        ]],
      },
    },
    predict {
      en = [[
        Now count all instructions: how many warp instructions does the baseline execute for one
        block of 256 threads? Look at your file. What does every warp execute around each addition?
        (An answer within 50% counts as right.)
      ]],
      zh = [[
        现在数全部指令：基线处理一个 256 线程的块，总共执行多少条 warp 指令？请看你的文件，
        想一想每个 warp 在每次加法前后还要执行什么。（误差在 50% 以内都算对。）
      ]],
      counter = "warp_inst",
      of = "baseline",
      case = { n = 512 },
      tolerance = 0.5,
      because = {
        en = [[
          About one in twenty-five is an addition of the sum. The others are loads, stores, tests,
          shifts, branches and barriers.
        ]],
        zh = "大约每 25 条里只有一条是求和的加法，其余的是读、写、判断、移位、跳转和屏障。",
      },
    },
    exercise {
      en = [[
        Make the block size a template parameter, and write out the rounds of the tree one by one.
        For the steps of warp 0, `#pragma unroll` is enough.
      ]],
      zh = [[
        把块的大小变成模板参数，并把树的各轮逐一写出来。0 号 warp 的各步用 `#pragma unroll` 就可以。
      ]],
    },
    show {
      en = "Your kernel, line by line: the number of instructions and the number of active lanes.",
      zh = "逐行看你的核函数：每一行执行了多少指令，有多少个活跃 lane。",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = "Your kernel does the same loads and the same additions, with fewer other instructions.",
      zh = "你的核函数做同样的读取、同样的加法，其他指令少了。",
      counters = { "warp_inst", "inst_int", "branches", "shared_ld_requests", "barriers" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "jumps",
      en = "What does the compiler have to know before it can unroll the loop?",
      zh = "要展开循环，编译器必须先知道什么？",
    },
    {
      goal = "jumps",
      en = [[
        Write `template <unsigned BLOCK>` in front of the kernel, and then a few lines for each
        round:

            if (BLOCK >= 256) {
                if (tid < 128) sum[tid] += sum[tid + 128];
                __syncthreads();
            }
      ]],
      zh = [[
        在核函数前面写 `template <unsigned BLOCK>`，然后逐轮写出：

            if (BLOCK >= 256) {
                if (tid < 128) sum[tid] += sum[tid + 128];
                __syncthreads();
            }
      ]],
    },
    {
      goal = "inst_int",
      en = [[
        In all rounds, keep each thread's partial sum in a register:
        `sum[tid] = mine += sum[tid + 128]`. Pass this register to the function that does the last
        six steps. Launch with `block_sums<256><<<blocks, 256>>>(in, out, n)`.
      ]],
      zh = [[
        让每个线程的部分和在各轮里一直留在寄存器里：`sum[tid] = mine += sum[tid + 128]`。
        把这个寄存器传给处理最后六步的函数。启动时写
        `block_sums<256><<<blocks, 256>>>(in, out, n)`。
      ]],
    },
  },

  after = {
    en = [[
      Too many instructions are a limiter that is hard to see: the memory accesses are good and the
      warps are full, but each useful instruction needs many others.

      On an H200, unrolling all loops reduces the time for 4 million (2^22) ints only from 12.6 us
      to 12.2 us: there, the instructions hardly limited the kernel. (This was measured with a *cold
      L2*: at the start, none of the ints are in the L2, the cache of the whole device.)

      `profile` names the limiter of your kernel. Look at it here, and again on `device sim:g80`.
    ]],
    zh = [[
      指令太多，是一种不容易看出来的瓶颈：内存访问没有问题，warp 也是满的，
      只是每条有用的指令都要附带许多其他指令。

      在 H200 上，展开所有循环只让 400 万（2^22）个 int 的求和从 12.6 微秒降到 12.2 微秒，
      可见指令在那里基本上已经不是瓶颈。（实测，*L2 冷态*：开始时，
      输入的数都不在整个设备的 L2 缓存里。）

      `profile` 会指出你的核函数的瓶颈。请在这里看一次，再到 `device sim:g80` 上看一次。
    ]],
  },
  more = {
    en = [[
      If the file begins with `const unsigned BLOCK = 256;`, the compiler knows the block size, too.
      Try this instead of the template and compare `profile`. When do you still need the template?
    ]],
    zh = [[
      如果在文件开头写 `const unsigned BLOCK = 256;`，编译器同样知道块的大小。
      用这个常量代替模板试试，比较 `profile`。什么时候仍然需要模板？
    ]],
  },
}
