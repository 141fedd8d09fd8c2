-- The fifth step of the ladder: a block size that the compiler knows.
return lab {
  id = "reduce-5-unroll",
  title = { en = "Reduction 5: unrolled for good", zh = "归约第五步：完全展开" },
  chapter = 4,
  minutes = 20,
  needs = { "reduce-4-warp" },
  source = "walk-through; guide 5.4",
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
    counter("branches", "<=", 0.82) {
      points = 3,
      relative = true,
      en = "The rounds still run as a loop: compare and branch, for every warp. Does the compiler know the block size?",
      zh = "各轮仍在按循环执行：每个 warp 都要比较、跳转。编译器知道块的大小吗？",
    },
    counter("inst_int", "<=", 0.85) {
      points = 2,
      relative = true,
      en = "Instructions of the loops are left: `profile` with lines shows where. Does the compiler know the block size, and are the warp's steps unrolled?",
      zh = "还有循环的指令没消掉：用按行的 `profile` 看看在哪里。编译器知道块的大小吗？warp 内的各步展开了吗？",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        One FLOP, or one integer addition, per four bytes read: a reduction should be limited by memory. At 31 GB/s out of 86, as on the
        G80, it is not. What does the multiprocessor do all the time? Compare, branch, shift, compute an address, and now and then add.

        The block size never changes once the kernel is launched. If the *compiler* knew it, every loop could be written out, every test
        on it decided, before the program runs.
      ]],
      zh = [[
        每读四个字节只做一次加法：归约理应受限于内存。可当年在 G80 上，86 GB/s 只用到了 31，显然不是内存的问题。那么多处理器一直在忙什么？比较、跳转、移位、算地址，偶尔加一次。

        核函数一旦启动，块的大小就不会变。如果*编译器*事先知道它，循环就能全部写开，对它的判断在程序运行之前就有了结果。
      ]],
    },
    ask {
      en = "`template <unsigned BLOCK> __global__ void block_sums(...)` contains `if (BLOCK >= 512) { ... }`. What is left of it in `block_sums<256>`?",
      zh = "`template <unsigned BLOCK> __global__ void block_sums(...)` 里有 `if (BLOCK >= 512) { ... }`。在 `block_sums<256>` 里，这段还剩下什么？",
      choices = {
        { en = "A test that fails", zh = "一次结果为假的判断" },
        { en = "Nothing at all", zh = "什么都不剩", right = true },
        { en = "The additions, predicated off", zh = "被谓词关掉的加法" },
      },
      because = { en = "256 >= 512 is false at compile time: the compiler drops test and body.", zh = "256 >= 512 在编译时就是假：判断和它里面的语句都被删掉。" },
    },
    ask {
      en = "The host may want any of the block sizes 64, 128, 256, 512, 1024. How many instances of the kernel does it need to be able to launch?",
      zh = "主机可能要用 64、128、256、512、1024 中的任何一种块大小。它需要核函数的多少个实例？",
      answer = 5,
      because = { en = "A `switch` on the host picks one of five: code size in exchange for speed.", zh = "主机上用一个 `switch` 在五个实例中选择：以代码体积换速度。" },
    },
    predict {
      en = "How many warp instructions does the baseline take for one block of 512 elements? Reckon for each of the eight warps 25 instructions to load, check and store, and 15 for each of two rounds; then 60 for the six steps of the last warp. (Within a third counts as right.)",
      zh = "基线处理一个 512 元素的块要执行多少条 warp 指令？八个 warp，每个读入、判断、写出约 25 条，两轮各约 15 条；最后一个 warp 的六步再加 60 条。（误差在三分之一以内就算对。）",
      counter = "warp_inst",
      of = "baseline",
      case = { n = 512 },
      tolerance = 0.34,
      because = {
        en = "Eight warps each load, store, test and wait; only some dozens of these instructions are additions.",
        zh = "八个 warp 各自读入、写出、判断、等待；其中真正的加法只有几十条。",
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
      with = "baseline",
    },
  },

  hints = {
    { en = "What does the compiler have to know to write the loop out?", zh = "要把循环写开，编译器必须知道什么？" },
    { en = "`template <unsigned BLOCK>`; one line per round: `if (BLOCK >= 256) { if (tid < 128) sum[tid] += sum[tid + 128]; __syncthreads(); }`.",
      zh = "`template <unsigned BLOCK>`；每轮一行：`if (BLOCK >= 256) { if (tid < 128) sum[tid] += sum[tid + 128]; __syncthreads(); }`。" },
    { en = "Keep each thread's sum in a register through all rounds (`sum[tid] = mine += sum[tid + 128]`), hand it to the warp's function, and launch `block_sums<256><<<blocks, 256>>>(in, out, n)`.",
      zh = "让每个线程的和一直留在寄存器里（`sum[tid] = mine += sum[tid + 128]`），再传给 warp 的函数，并用 `block_sums<256><<<blocks, 256>>>(in, out, n)` 启动。" },
  },

  after = {
    en = [[
      Instruction overhead is the least visible of all limits: nothing is wrong with the memory, nothing with the warps, there are just too many
      instructions per useful one. On an H200 full unrolling brings 12.2 us to 11.9: its issue slots were no longer the limit. On the G80 it was
      0.54 to 0.38 ms. `profile` says which of the two you are on: look at the limiter.
    ]],
    zh = [[
      指令开销是最不显眼的瓶颈：内存没问题，warp 也没问题，只是每条有用的指令要陪上太多条别的指令。在 H200 上完全展开只让 12.2 us 变成 11.9 us：指令发射已不是它的瓶颈；
      而在 G80 上是从 0.54 ms 到 0.38 ms。`profile` 里的瓶颈（limiter）一项会告诉你属于哪种情形。
    ]],
  },
  more = {
    en = "A `const unsigned BLOCK = 256;` at the top of the file is known to the compiler as well. Why did the walk-through use a template all the same?",
    zh = "在文件开头写 `const unsigned BLOCK = 256;`，编译器同样知道块的大小。那为什么还要用模板？",
  },
}
