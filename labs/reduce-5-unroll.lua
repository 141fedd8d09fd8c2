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
      en = "The rounds still run as a loop, in which every warp compares and branches. Does the compiler know the block size?",
      zh = "各轮仍是一个循环：每个 warp 都要比较、跳转。编译器知道块的大小吗？",
    },
    at_most("inst_int", 0.85 * baseline) {
      points = 2,
      en = "The loops still execute too many instructions: `show divergence` shows them line by line. Does the compiler know the block size, and are the warp's steps unrolled?",
      zh = "循环的指令还是太多：`show divergence` 逐行显示执行了多少指令。编译器知道块的大小吗？warp 内的各步展开了吗？",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        A reduction does one addition per four bytes read, so memory should be its limiter. But after the third step of the walk-through a G80 reached only 17 of its
        86.4 GB/s: memory was not the limiter. What keeps the multiprocessors busy? They compare, branch, shift, compute addresses, and only now and then add.

        The block size is fixed once the kernel is launched. If the *compiler* knew it, the compiler could unroll every loop and decide every test of
        the block size before the program runs.
      ]],
      zh = [[
        归约每读四个字节只做一次加法，瓶颈理应是内存。但分步教程做完第三步时，G80 的 86.4 GB/s 只用到了 17 GB/s：瓶颈不是内存。那么，各个多处理器在忙什么？比较、跳转、移位、计算地址，偶尔才做一次加法。

        核函数一旦启动，块的大小就固定了。如果*编译器*知道块的大小，就能在程序运行之前展开所有循环，并算出对块大小的所有判断。
      ]],
    },
    ask {
      alone = true,
      en = "`template <unsigned BLOCK> __global__ void block_sums(...)` contains `if (BLOCK >= 512) { ... }`. What is left of this `if` in `block_sums<256>`?",
      zh = "`template <unsigned BLOCK> __global__ void block_sums(...)` 里有 `if (BLOCK >= 512) { ... }`。在 `block_sums<256>` 里，这段还剩下什么？",
      choices = {
        { en = "Nothing at all", zh = "什么都不剩", right = true },
        { en = "A test that is false, once per launch", zh = "每次启动做一次结果为假的判断" },
        { en = "The additions, switched off by a predicate", zh = "加法指令，但谓词使其不生效" },
      },
      because = { en = "256 >= 512 is known to be false at compile time, so the compiler drops test and body.", zh = "256 >= 512 在编译时就已知为假，所以编译器把判断和其中的语句都删掉。" },
    },
    ask {
      en = "The host may choose any power of two from {lo} to {hi} as the block size. How many instances of the kernel does the program need?",
      zh = "主机可能选用从 {lo} 到 {hi} 的任何一个 2 的幂作为块大小。程序需要核函数的多少个实例？",
      draw = { lo = { from = { 32, 64, 128 } }, hi = { from = { 256, 512, 1024 } } },
      answer = function(d)
        local count = 1
        while d.lo << count <= d.hi do count = count + 1 end
        return count
      end,
      replies = {
        { function(d) return math.floor(math.log(d.hi / d.lo, 2) + 0.5) end, en = "Count both {lo} and {hi}.", zh = "{lo} 和 {hi} 都要算上。" },
      },
      because = { en = "One for each size; a `switch` on the host picks the instance. The price of speed is more code.", zh = "每种大小一个实例，由主机上的 `switch` 来选。代价是代码变多。" },
    },
    ask {
      en = "A block of {b} threads sums twice as many elements. First each thread adds two, then come the rounds of the tree down to s = 64, then six steps of warp 0. How many *warp* instructions are the additions themselves? (An addition of a warp counts once, however many lanes are active.)",
      zh = "{b} 个线程的块对两倍数目的元素求和：先由每个线程加两个元素，然后是树的各轮，到 s = 64 为止，最后是 0 号线程束（warp）的六步。其中真正的加法有多少条 *warp* 指令？（一个 warp 的一次加法，不论有几个活跃 lane，都只算一条。）",
      draw = { b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return d.b // 16 + 4 end,
      replies = {
        { function(d) return 2 * d.b - 1 end, en = "This is the number of additions of single lanes. A warp instruction does up to 32 of them.", zh = "这是各个 lane 的加法总数。一条 warp 指令最多做 32 次加法。" },
      },
      because = {
        en = "First {b} / 32 warps add, then half as many in each round, down to 2 warps in the round with s = 64; then one warp adds six times. With 256 threads: 8 + 4 + 2 + 6.",
        zh = "先由 {b} / 32 个 warp 相加，之后每轮减半，到 s = 64 那一轮剩 2 个 warp；最后由一个 warp 加六次。256 个线程时是 8 + 4 + 2 + 6。",
      },
    },
    predict {
      en = "And how many warp instructions does the baseline execute in total for one block of 256 threads? Look at the file: what does every warp execute around each addition? (An answer within 50% counts as right.)",
      zh = "那么基线处理一个 256 线程的块，总共执行多少条 warp 指令？请看文件，想一想每个 warp 在每次加法前后还要执行什么。（误差在 50% 以内都算对。）",
      counter = "warp_inst",
      of = "baseline",
      case = { n = 512 },
      tolerance = 0.5,
      because = {
        en = "About one in twenty-five is an addition of the sum. The others are loads, stores, tests, shifts, branches and barriers.",
        zh = "大约每 25 条里只有一条是求和的加法，其余的是读、写、判断、移位、跳转和屏障。",
      },
    },
    exercise {
      en = "Make the block size a template parameter and write each round out in the source. `#pragma unroll` is enough for the steps of warp 0.",
      zh = "把块的大小变成模板参数，并在源码里逐轮写出。0 号 warp 的各步用 `#pragma unroll` 就可以。",
    },
    show { en = "The instructions of your kernel, line by line, with the active lanes:", zh = "逐行看你的核函数执行了多少指令、各有多少个活跃 lane：", picture = "divergence", of = "mine" },
    compare {
      en = "The loads and the additions of the sum are the same.",
      zh = "读取和求和的加法都没有变。",
      counters = { "warp_inst", "inst_int", "branches", "shared_ld_requests", "barriers" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "jumps", en = "What does the compiler have to know to unroll the loop?", zh = "要展开循环，编译器必须知道什么？" },
    { goal = "jumps", en = "Use `template <unsigned BLOCK>` and one line per round: `if (BLOCK >= 256) { if (tid < 128) sum[tid] += sum[tid + 128]; __syncthreads(); }`.",
      zh = "用 `template <unsigned BLOCK>`，每轮写一行：`if (BLOCK >= 256) { if (tid < 128) sum[tid] += sum[tid + 128]; __syncthreads(); }`。" },
    { goal = "inst_int", en = "Keep each thread's sum in a register through all rounds (`sum[tid] = mine += sum[tid + 128]`), pass it to the function that does the last six steps, and launch `block_sums<256><<<blocks, 256>>>(in, out, n)`.",
      zh = "让每个线程的和一直留在寄存器里（`sum[tid] = mine += sum[tid + 128]`），再传给处理最后六步的函数，并用 `block_sums<256><<<blocks, 256>>>(in, out, n)` 启动。" },
  },

  after = {
    en = [[
      Instruction overhead is the least visible limiter: memory and warps are as they should be, but each useful instruction needs too many others. On an H200
      full unrolling reduces the time for 4 million ints only from 12.6 us to 12.2 us (measured, cold L2): there, issue slots were hardly the limiter any
      more.

      `profile` names the limiter of your kernel. Look at it here, and again on `device sim:g80`.
    ]],
    zh = [[
      指令开销是最不显眼的瓶颈：内存访问没有问题，warp 也没有问题，只是每条有用的指令都要附带太多其他指令。在 H200 上，完全展开只让 400 万个 int 的求和从 12.6 微秒降到 12.2 微秒（实测，L2 冷态）：
      那里的瓶颈已经基本不是指令发射。

      `profile` 会指出你的核函数的瓶颈（limiter）。请在这里看一次，再到 `device sim:g80` 上看一次。
    ]],
  },
  more = {
    en = "The compiler also knows the value of `const unsigned BLOCK = 256;` at the top of the file. Try it instead of the template and compare `profile`. When do you still need the template?",
    zh = "在文件开头写 `const unsigned BLOCK = 256;`，编译器同样知道块的大小：用这个常量代替模板试试，比较 `profile`。什么时候仍然需要模板？",
  },
}
