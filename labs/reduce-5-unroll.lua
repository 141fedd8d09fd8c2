-- The fifth step of the reduction: a block size that the compiler knows.
return lab {
  id = "reduce-5-unroll",
  title = { en = "Reduction 5: unrolled for good", zh = "归约第五步：完全展开" },
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
    ["in"] = integers(-100, 100, "n"),
    out = output("ceil_div(n, 512)"),
  },
  cases = { { n = 512 }, { n = 1 }, { n = 701 }, { n = 1 << 19, timed = true } },
  hidden = { count = 3, n = { 2, 30000 } },
  goals = {
    correct { points = 5 },
    at_most("jumps", 0.82 * baseline) {
      points = 3,
      en = "The rounds still run as a loop: compare and branch, for every warp. Does the compiler know the block size?",
      zh = "各轮仍在按循环执行：每个 warp 都要比较、跳转。编译器知道块的大小吗？",
    },
    at_most("inst_int", 0.85 * baseline) {
      points = 2,
      en = "Instructions of the loops are left: `profile` with lines shows where. Does the compiler know the block size, and are the warp's steps unrolled?",
      zh = "还有循环的指令没消掉：用按行的 `profile` 看看在哪里。编译器知道块的大小吗？warp 内的各步展开了吗？",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        One FLOP, or one integer addition, per four bytes read: a reduction should be limited by memory. When the walk-through stood here, a G80 reached 17 GB/s of
        its 86.4: memory was not the limit. What does the multiprocessor do all the time? Compare, branch, shift, compute an address, and now and then add.

        The block size never changes once the kernel is launched. If the *compiler* knew it, every loop could be written out, every test
        on it decided, before the program runs.
      ]],
      zh = [[
        每读四个字节只做一次加法：归约理应受限于内存。可当年教程走到这一步时，G80 的 86.4 GB/s 只用到了 17，瓶颈不在内存。那么多处理器一直在忙什么？比较、跳转、移位、算地址，偶尔加一次。

        核函数一旦启动，块的大小就不会变。如果*编译器*事先知道它，循环就能全部写开，对它的判断在程序运行之前就有了结果。
      ]],
    },
    ask {
      alone = true,
      en = "`template <unsigned BLOCK> __global__ void block_sums(...)` contains `if (BLOCK >= 512) { ... }`. What is left of it in `block_sums<256>`?",
      zh = "`template <unsigned BLOCK> __global__ void block_sums(...)` 里有 `if (BLOCK >= 512) { ... }`。在 `block_sums<256>` 里，这段还剩下什么？",
      choices = {
        { en = "Nothing at all", zh = "什么都不剩", right = true },
        { en = "A test that fails, once per launch", zh = "每次启动做一次结果为假的判断" },
        { en = "The additions, predicated off", zh = "被谓词关掉的加法" },
      },
      because = { en = "256 >= 512 is false at compile time: the compiler drops test and body.", zh = "256 >= 512 在编译时就是假：判断和它里面的语句都被删掉。" },
    },
    ask {
      en = "The host may want any power of two from {lo} to {hi} as the block size. How many instances of the kernel must it be able to launch?",
      zh = "主机可能要用从 {lo} 到 {hi} 的任何一个 2 的幂作为块大小。它要能启动核函数的多少个实例？",
      draw = { lo = { from = { 32, 64, 128 } }, hi = { from = { 256, 512, 1024 } } },
      answer = function(d)
        local count = 1
        while d.lo << count <= d.hi do count = count + 1 end
        return count
      end,
      replies = {
        { function(d) return math.floor(math.log(d.hi / d.lo, 2) + 0.5) end, en = "Count both ends.", zh = "两端都要算上。" },
      },
      because = { en = "One for each size; a `switch` on the host picks it. Code size in exchange for speed.", zh = "每种大小一个，主机上用一个 `switch` 来选：以代码体积换速度。" },
    },
    ask {
      en = "A block of {b} threads sums twice as many elements: first each thread adds two, then come the rounds of the tree down to s = 64, then six steps of the last warp. How many *warp* instructions are the additions themselves? (A warp counts once, however many of its lanes add.)",
      zh = "{b} 个线程的块对两倍于此的元素求和：先是每个线程加两个，然后是树的各轮，到 s = 64 为止，最后是末尾那个线程束（warp）的六步。其中真正的加法有多少条 *warp* 指令？（一个 warp 不论有几个 lane 在加，都只算一条。）",
      draw = { b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return d.b // 16 + 4 end,
      replies = {
        { function(d) return 2 * d.b - 1 end, en = "Those are additions of single lanes. A warp instruction adds up to 32 of them.", zh = "这是各个 lane 的加法数。一条 warp 指令最多做 32 个。" },
      },
      because = {
        en = "{b} / 32 warps, then half as many in each round, down to 2 warps in the round with s = 64; then one warp six times. With 256 threads: 8 + 4 + 2 + 6.",
        zh = "先是 {b} / 32 个 warp，之后每轮减半，到 s = 64 那一轮剩 2 个；最后一个 warp 做六次。256 个线程时是 8 + 4 + 2 + 6。",
      },
    },
    predict {
      en = "And how many warp instructions does the baseline execute for one block of 256 threads, all told? Look at the file: think of what surrounds each addition, for every warp. (Half as many or half again as many counts as right.)",
      zh = "那么基线处理一个 256 线程的块，总共执行多少条 warp 指令？看看文件，想一想每个 warp 在每次加法前后还要做些什么。（误差在一半以内都算对。）",
      counter = "warp_inst",
      of = "baseline",
      case = { n = 512 },
      tolerance = 0.5,
      because = {
        en = "About one in twenty-five is an addition. The rest loads, stores, tests, shifts, branches and waits.",
        zh = "大约每二十五条里才有一条是加法，其余的都是读、写、判断、移位、跳转和等待。",
      },
    },
    exercise {
      en = "Make the block size a template parameter and write the rounds out. `#pragma unroll` will do for the warp's steps.",
      zh = "把块的大小变成模板参数，并把各轮写开。warp 内的各步用 `#pragma unroll` 就可以。",
    },
    show { en = "Where your instructions go, and how many lanes they serve:", zh = "你的指令花在哪里、各有多少 lane 在工作：", picture = "divergence", of = "mine" },
    compare {
      en = "The loads and the additions are the same.",
      zh = "读取和加法都没有变。",
      counters = { "warp_inst", "inst_int", "branches", "shared_ld_requests", "barriers" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "jumps", en = "What does the compiler have to know to write the loop out?", zh = "要把循环写开，编译器必须知道什么？" },
    { goal = "jumps", en = "`template <unsigned BLOCK>`; one line per round: `if (BLOCK >= 256) { if (tid < 128) sum[tid] += sum[tid + 128]; __syncthreads(); }`.",
      zh = "`template <unsigned BLOCK>`；每轮一行：`if (BLOCK >= 256) { if (tid < 128) sum[tid] += sum[tid + 128]; __syncthreads(); }`。" },
    { goal = "inst_int", en = "Keep each thread's sum in a register through all rounds (`sum[tid] = mine += sum[tid + 128]`), hand it to the warp's function, and launch `block_sums<256><<<blocks, 256>>>(in, out, n)`.",
      zh = "让每个线程的和一直留在寄存器里（`sum[tid] = mine += sum[tid + 128]`），再传给 warp 的函数，并用 `block_sums<256><<<blocks, 256>>>(in, out, n)` 启动。" },
  },

  after = {
    en = [[
      Instruction overhead is the least visible of all limits: nothing is wrong with the memory, nothing with the warps, there are just too many
      instructions per useful one. On an H200 full unrolling brings 12.6 us to 12.2 for 4 million ints (measured, cold L2): its issue slots were hardly the limit any more. Which limit you are on,
      `profile` says: look at the limiter, and on `device sim:g80` look again.
    ]],
    zh = [[
      指令开销是最不显眼的瓶颈：内存没问题，warp 也没问题，只是每条有用的指令要搭上太多条别的指令。在 H200 上，完全展开只让四百万个 int 从 12.6 微秒变成 12.2 微秒（实测，L2 冷态）：
      指令发射已经不太是它的瓶颈了。你处在哪种情形，`profile` 里的瓶颈（limiter）一项会告诉你；再到 `device sim:g80` 上看一次。
    ]],
  },
  more = {
    en = "A `const unsigned BLOCK = 256;` at the top of the file is known to the compiler as well: try it in place of the template and compare `profile`. When does one need the template all the same?",
    zh = "在文件开头写 `const unsigned BLOCK = 256;`，编译器同样知道块的大小：用它代替模板试试，比较 `profile`。那什么时候仍然需要模板？",
  },
}
