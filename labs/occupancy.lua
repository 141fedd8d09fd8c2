-- Chapter 5: what limits resident blocks.

-- The occupancy, in per cent, of blocks of `threads` threads with `registers` registers each on a
-- multiprocessor with 64 warps, 32 block slots and 65,536 registers: a quarter of them for each
-- scheduler, handed out to warps in units of 256.
local function occupancy_of(threads, registers)
  local warps, fit = threads // 32, 4 * (16384 // (ceil_div(registers, 8) * 256))
  return 100 * math.min(64 // warps, 32, fit // warps) * warps / 64
end

-- The calculator as a table: block sizes across, registers down.
local function calculator(head)
  local sizes, lines = { 64, 128, 256, 384, 512, 768, 1024 }, {}
  local line = string.format("    %9s", head)
  for _, size in ipairs(sizes) do line = line .. string.format("%6d", size) end
  lines[1] = line
  for _, registers in ipairs { 32, 33, 40, 48, 56, 64, 65, 96, 128 } do
    line = string.format("    %9d", registers)
    for _, size in ipairs(sizes) do
      local pct = occupancy_of(size, registers)
      line = line .. (pct > 0 and string.format("%5d%%", math.floor(pct + 0.5)) or "     -")
    end
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n")
end

return lab {
  id = "occupancy",
  title = { en = "Filling the multiprocessor", zh = "把多处理器装满" },
  chapter = 5,
  minutes = 45,
  needs = { "divergence", "dram-parallel" },
  source = "book 5.4; guide 5.2.3",
  teaches = {
    ["occupancy-limits"] = "say show",
    ["dynamic-partition"] = "say ask",
    ["slots-1536"] = "ask",
    ["slots-8-blocks"] = "ask",
    ["register-cliff"] = "ask",
    ["registers-64-65"] = "ask say",
    ["register-rounding"] = "ask",
    ["occupancy-calculator"] = "say",
    ["potential-block-size"] = "after",
    ["occupancy-api"] = "skeleton after",
    ["launch-bounds"] = "say",
    ["occupancy-enough"] = "ask after",
    ["occupancy-header"] = "after",
  },

  entry = "void occupancy(const short *map, const int *toll, int *out, int purse, int rows, int n)",
  args = {
    map = integers(0, 6143, "rows * n"),
    toll = integers(1, 100000, "6144"),
    out = output("n"),
  },
  cases = {
    { n = 256, rows = 8, purse = 150000 },
    { n = 1, rows = 1, purse = 1000 },
    { n = 1003, rows = 24, purse = 1000000 },
    { n = 1 << 18, rows = 24, purse = 1000000, timed = true },
  },
  hidden = { count = 3, n = { 2, 5000 }, rows = { 1, 30 }, purse = { 1000, 1500000 } },
  goals = {
    correct { points = 4 },
    at_least("achieved_occupancy_pct", 75) {
      points = 2,
      en = [[
        `show occupancy` names the resource that runs out first. How much of this resource does a
        block take, and how much does each thread take? Which of these two parts does the kernel
        really need? Also launch enough blocks: warps that fit but do not exist cannot run.
      ]],
      zh = [[
        `show occupancy` 会指出最先用完的资源。每个块占用多少这种资源，每个线程又占用多少？这两部分
        里，核函数真正需要哪一部分？另外，启动的块要足够多：装得下却没有启动的 warp 不会运行。
      ]],
    },
    at_most("global_load_sectors", 1.35 * baseline) {
      points = 2,
      en = [[
        The kernel reads the tolls at random places. Shared memory suits such reads, so keep the
        table in shared memory. Let more threads share one table.
      ]],
      zh = [[
        核函数查费用表的位置是随机的，共享内存正适合这样的访问，所以费用表要留在共享内存里。
        让更多线程共用一张表。
      ]],
    },
    speedup(2.5) {
      points = 2,
      none = 1,
      en = "Too few warps are resident, or each thread still accesses shared memory without need.",
      zh = "驻留的 warp 太少，或者线程还在对共享内存做不必要的访问。",
    },
  },

  steps = {
    say {
      en = [[
        In this lab's kernel, a traveller walks down each column of a map and pays a toll for each
        step. The kernel computes for how many rows the money lasts. Each step must wait for the
        previous step, as in many searches and simulations. You will find out how many warps a
        multiprocessor can hold, and why more warps help. Then you make room for more warps.

        While one warp waits, a multiprocessor switches to another warp. A warp that has a place on
        the multiprocessor is *resident*. Four resources limit the number of resident warps: *block
        slots* (places for blocks), *thread slots* (places for threads), *registers* and *shared
        memory*. The resource that runs out first decides.

        The *occupancy* is the number of warps of a kernel that fit on a multiprocessor at the
        same time, divided by the largest number of warps that a multiprocessor can hold.

        When a block arrives, the multiprocessor gives the block as much of each resource as the
        block needs. So there may be a few large blocks or many small ones. If each resource
        were cut into *fixed* equal parts instead, each block would get one part, whatever the
        block needed.
      ]],
      zh = [[
        在本实验的核函数里，地图的每一列有一个旅行者往下走，每走一步付一次费用。核函数计算旅行者带的
        钱够走多少行。与许多搜索和模拟程序一样，每一步都要等上一步完成。你会学到：一个多处理器能容纳
        多少个线程束（warp），为什么增加 warp 会有帮助。然后你要腾出地方，放下更多 warp。

        一个 warp 等待时，多处理器会切换到另一个 warp。在多处理器上占有位置的 warp 叫*驻留*的 warp。
        四种资源限制驻留 warp 的个数：*线程块槽*（放块的位置）、*线程槽*（放线程的位
        置）、*寄存器*和*共享内存*。最先用完的那一种决定个数。

        *占用率*（occupancy）是两个数之比：多处理器能同时容纳某个核函数的多少个 warp，除以多处理器最
        多能容纳多少个 warp。

        多处理器按每个块的需要分配资源，所以可以容纳几个大块，也可以容纳许多小块。假如改为把每种资
        源*固定*分成相等的几份，每个块无论需要多少，都得到一份。
      ]],
    },
    ask {
      en = [[
        Suppose that a multiprocessor always divided its 1536 thread slots into 8 equal parts, one
        for each block. Blocks of {b} threads run. What share of the thread slots stays empty? (in
        %)
      ]],
      zh = [[
        假设一个多处理器把 1536 个线程槽固定分成 8 等份，每个块一份。现在运行的块有 {b} 个线程，
        有百分之几的线程槽空着？
      ]],
      draw = { b = { from = { 64, 96, 128, 160 } } },
      answer = function(d) return 100 * (192 - d.b) / 192 end,
      tolerance = 0.02,
      unit = "%",
      because = {
        en = [[
          Each block has 192 slots and uses only {b} of them. A block of 256 threads could not
          run at all. Therefore multiprocessors divide their slots as needed.
        ]],
        zh = [[
          每个块有 192 个槽，只用 {b} 个；而 256 个线程的块根本放不下。所以多处理器按需划分线程槽。
        ]],
      },
    },
    ask {
      en = [[
        Now the thread slots are divided as needed. A multiprocessor has 1536 thread slots, 8 block
        slots, and enough of everything else. With blocks of {b} threads, how many *threads* are
        resident?
      ]],
      zh = [[
        现在线程槽按需划分。一个多处理器有 1536 个线程槽、8 个线程块槽，其他资源充足。
        每块 {b} 个线程时，有多少个*线程*驻留？
      ]],
      draw = { b = { from = { 64, 128, 256, 512, 1024 } } },
      answer = function(d) return math.min(8, 1536 // d.b) * d.b end,
      replies = {
        {
          function(d) return math.min(8, 1536 // d.b) end,
          en = "This is the number of blocks. How many threads do these blocks have together?",
          zh = "这是块数。这些块一共有多少个线程？",
        },
      },
      because = {
        en = [[
          The number of blocks is 8, or 1536 / {b} rounded down, whichever is smaller. The
          multiprocessor is full with 3 blocks of 512 threads or 6 blocks of 256. With blocks of
          128, the thread slots would allow 12 blocks. But there are only 8 block slots, so 1024
          threads are resident. With blocks of 1024, only one block fits.
        ]],
        zh = [[
          块数是 8 与 1536 / {b}（向下取整）中较小的一个。512 个线程的块放 3 个就装满，
          256 个线程的块放 6 个就装满。128 个线程的块，线程槽够放 12 个，但线程块槽只有 8 个，
          所以驻留 1024 个线程。如果块有 1024 个线程，就只放得下一个。
        ]],
      },
    },
    ask {
      en = [[
        A multiprocessor has 16,384 registers, and each block has 256 threads. With 10 registers per
        thread, 6 blocks fit. How many blocks fit with {r} registers per thread?
      ]],
      zh = [[
        一个多处理器有 16,384 个寄存器，每块 256 个线程。每个线程 10 个寄存器时能放 6 块。
        每个线程 {r} 个时能放几块？
      ]],
      draw = { r = { from = { 11, 12, 13, 16, 17 } } },
      answer = function(d) return 16384 // (256 * d.r) end,
      because = {
        en = [[
          A block takes 256 * {r} registers. Divide 16,384 by this number and round down. If two
          more variables raise the registers per thread from 10 to 12, only 5 blocks fit instead
          of 6. So you lose one sixth of the parallelism. Such a step is called a *performance
          cliff*.
        ]],
        zh = [[
          一个块占 256 * {r} 个寄存器，用 16,384 除以这个数，向下取整。如果多用两个变量，
          寄存器从 10 个变成 12 个，能放的块就从 6 个变成 5 个，失去六分之一的并行度。
          这样的突变叫*性能悬崖*。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        Today's multiprocessors have 65,536 registers and 4 *schedulers*. A scheduler starts the
        instructions of its own warps, and has a quarter of the registers for these warps. A
        warp gets its registers in units of 256, which is 8 registers for each thread. A kernel
        takes {r} registers per thread. How many warps do the registers allow?
      ]],
      zh = [[
        现在的多处理器有 65,536 个寄存器和 4 个*调度器*。每个调度器管理一部分 warp，
        启动这些 warp 的指令，并有四分之一的寄存器供这些 warp 使用。
        一个 warp 的寄存器以 256 个为单位分配，即每个线程以 8 个为单位。
        核函数每个线程用 {r} 个寄存器。寄存器够多少个 warp 用？
      ]],
      draw = { r = { from = { 33, 40, 41, 57, 64, 65, 97 } } },
      answer = function(d) return 4 * (16384 // (ceil_div(d.r, 8) * 256)) end,
      because = {
        en = [[
          Round {r} up to a multiple of 8. A warp takes 32 times this number of registers.
          Divide the 16,384 registers of a scheduler by this number, and round down. This is the
          number of warps of one scheduler, so multiply by 4.

          With 64 registers per thread the result is 32 warps, which are two blocks of 512 threads.
          65 registers count as 72. Then the result is 28 warps, and only one block of 512 threads
          fits.
        ]],
        zh = [[
          把 {r} 向上取成 8 的倍数，乘以 32，就是一个 warp 占的寄存器数。用一个调度器的 16,384 个寄
          存器除以这个数，向下取整，得到一个调度器的 warp 数，再乘以 4。

          每个线程用 64 个寄存器时，能放 32 个 warp，即两个 512 线程的块。用 65 个寄存器时要按 72 个
          算，只能放 28 个 warp，512 线程的块只放得下一个。
        ]],
      },
    },
    say {
      en = [[
This table shows the occupancy for each block size (across) and each number of registers per thread
(down). The multiprocessor can hold 64 warps and 32 blocks. The vendor's *occupancy calculator*
shows the same numbers:

]] .. calculator("registers") .. [[


At `-`, the kernel cannot be launched. If one register too many costs you a block, tell the compiler
to use fewer registers. Write `__launch_bounds__(512, 2)` before the kernel's name, and the compiler
limits the registers so that two blocks of 512 threads fit. `nvcc -maxrregcount=64` sets a limit for
a whole file. The compiler then keeps some values in memory instead of registers.
      ]],
      zh = [[
下表列出各种块大小（横向）和每线程寄存器数（纵向）的占用率。多处理器能容纳 64 个 warp，
有 32 个线程块槽。厂商的*占用率计算器*给出的数字也是这样：

]] .. calculator("   寄存器") .. [[


`-` 表示核函数无法启动。有时每个线程只多用了一个寄存器，多处理器
就少放一个块。这时你可以让编译器少用几个寄存器：在核函数名前写 `__launch_bounds__(512, 2)`，编译器就会限制寄存器数，使两个 512 线程的块放得下；
`nvcc -maxrregcount=64` 则限制整个文件。寄存器放不下的值，编译器会放到内存里。
      ]],
    },
    show {
      en = [[
        Back to the kernel of this lab. The baseline has blocks of 64 threads. Each block keeps
        the table of tolls in shared memory; the table takes 24 KB. Each thread also keeps its
        state in shared memory; a state takes 64 bytes. The picture shows how many blocks fit:
      ]],
      zh = [[
        再看本实验的核函数。基线的块有 64 个线程。每个块的费用表放在共享内存里，占 24 KB；
        每个线程的状态也放在共享内存里，各占 64 字节。下图说明能放下几个块：
      ]],
      picture = "occupancy",
      of = "baseline",
    },
    predict {
      en = [[
        With blocks of 256 threads and nothing else changed, what will the occupancy be? (in %)

        A multiprocessor of an H200 can hold 2048 threads and has 228 KB of shared memory. On an
        H200, each block takes 1 KB more than it asks for. A multiprocessor of a T4 can hold
        1024 threads and has 64 KB of shared memory.
      ]],
      zh = [[
        只把块改成 256 个线程，其他不变，占用率会是多少？（单位是 %）

        H200 的一个多处理器能容纳 2048 个线程，有 228 KB 共享内存，每个块要比自己申请的多占 1 KB。
        T4 的一个多处理器能容纳 1024 个线程，有 64 KB 共享内存。
      ]],
      counter = "occupancy_pct",
      of = "kernels/occupancy-256.cu",
      tolerance = 0.05,
      because = {
        en = [[
          A block takes 24 KB + 256 * 64 bytes = 40 KB. On an H200, five such blocks fit (5 * 41
          KB). They have 1280 of 2048 threads, which is 62.5%. On a T4, one block fits, which is
          25%.

          Blocks of 512 threads are not possible in this way: they would need 56 KB, and a kernel
          cannot declare more than 48 KB.
        ]],
        zh = [[
          一个块占 24 KB + 256 * 64 字节 = 40 KB。H200 能放五个这样的块（5 * 41 KB），
          2048 个线程槽用了 1280 个，即 62.5%。T4 只能放一个，即 25%。

          照这样，块不能有 512 个线程：这样的块要 56 KB，而核函数里静态声明的共享内存不能超过 48
          KB。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        How much occupancy is enough? Memory answers after {l} ns and brings one multiprocessor {b}
        bytes per ns. Each warp has one load of 128 bytes under way. What is the lowest occupancy at
        which the memory is busy all the time, so that more warps gain nothing? (in %; 64 warps are
        100%)
      ]],
      zh = [[
        占用率多高才够？内存 {l} ns 后返回数据，每 ns 给一个多处理器送来 {b} 字节。
        每个 warp 有一次 128 字节的读取在途。占用率达到百分之几时，内存就一直在忙，
        增加 warp 也没有收益？（64 个 warp 是 100%）
      ]],
      draw = { l = { 200, 400, multiple = 50 }, b = { from = { 8, 12, 16 } } },
      answer = function(d) return 100 * d.l * d.b / 128 / 64 end,
      tolerance = 0.02,
      unit = "%",
      because = {
        en = [[
          By Little's law, bytes under way = latency x bandwidth. So {l} * {b} bytes must be
          under way. Each warp has 128 bytes under way. If each thread has several loads under
          way, a lower occupancy is enough.
        ]],
        zh = [[
          根据 Little 定律，在途字节数 = 延迟 x 带宽，所以要有 {l} * {b} 字节在途，
          每个 warp 提供 128 字节。如果每个线程有几次读取在途，较低的占用率就够了。
        ]],
      },
    },
    exercise {
      en = [[
        Make as many warps resident as the device allows, and leave the tolls in shared memory. When
        you have removed one limit, look for the next. The goal asks for `achieved_occupancy_pct`:
        how many warps were resident on average while the kernel ran, in per cent. Then type
        `device sim:t4` and test your file there: does your block size fill that device, too?
      ]],
      zh = [[
        让驻留的 warp 达到设备允许的上限，费用表仍留在共享内存里。去掉一个限制之后，再找下一个。
        目标看的是实际占用率（`achieved_occupancy_pct`）：核函数运行期间平均驻留的 warp，
        占上限的百分之几。然后用 `device sim:t4` 换成 T4 试试：你选的块大小也能装满 T4 吗？
      ]],
    },
    show {
      en = "The resources that your kernel takes:",
      zh = "你的核函数占用的资源：",
      picture = "occupancy",
      of = "mine",
    },
    compare {
      en = [[
        Your kernel does the same work as the baseline, but more of its warps are resident. While
        one warp waits, another can run.
      ]],
      zh = [[
        你的核函数和基线做同样的工作，但驻留的 warp 更多。一个 warp 等待时，别的 warp 可以运行。
      ]],
      counters = { "occupancy_pct", "achieved_occupancy_pct", "shared_bytes", "registers", "threads_per_block", "gld_sectors", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "achieved_occupancy_pct",
      en = [[
        A block takes 24 KB once, and 64 bytes for each thread. How much do blocks of 128, 256 and
        512 threads take? How much do they take if each thread keeps its state somewhere else?
      ]],
      zh = [[
        每个块占 24 KB，每个线程再占 64 字节。128、256、512 个线程的块各占多少？
        如果线程的状态放在别处，又各占多少？
      ]],
    },
    {
      en = [[
        A thread's `row` and `spent` are read by no other thread. So they can be local variables
        of the thread, which live in registers. Then a block needs only the table. The more
        threads share a table, the fewer tables there are.
      ]],
      zh = [[
        一个线程的 `row` 和 `spent`，别的线程从不读取，所以可以用线程的局部变量，
        局部变量在寄存器里。这样一个块只需要费用表。共用一张表的线程越多，表就越少。
      ]],
    },
    {
      en = [[
        Write `int row = 0, spent = 0;` inside the loop, and remove `struct traveller`. With
        `const int BLOCK = 512;`, 16 warps share one table, and a block takes 25 KB on an H200. Nine
        blocks of 25 KB would fit there, but four already fill the 2048 thread slots. On a T4, a
        block takes 24 KB, and two blocks fill the 1024 thread slots.
      ]],
      zh = [[
        在循环里写 `int row = 0, spent = 0;`，去掉 `struct traveller`。令 `const int BLOCK = 512;`，
        16 个 warp 就共用一张表。一个块在 H200 上占 25 KB：共享内存放得下九个，
        但四个就占满 2048 个线程槽。在 T4 上占 24 KB，两个就占满 1024 个线程槽。
      ]],
    },
  },

  after = {
    en = [[
      Shared memory limited the occupancy in two ways. Every block takes 24 KB for its table, so
      small blocks fill shared memory with tables. Every thread takes 64 bytes for its state, so
      large blocks fill it with states. Now the thread slots are the limit, as they should be.
      Registers were free and shared memory was scarce, so you moved the state to registers.

      On a CPU, each thread's state should have a cache line of its own, because otherwise several
      cores write to the same line. The baseline follows this rule for CPUs: each state takes 64
      bytes, although it needs only 8 bytes. On an H200, this costs a fifth of the warps, even with
      the best block size (320). With 512 threads, a block takes more shared memory than the 48 KB
      allowed.

      `cudaOccupancyMaxActiveBlocksPerMultiprocessor` computes how many blocks of a kernel fit on a
      multiprocessor. From the number of blocks, three divisions give the occupancy:

          cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &blocks, kernel, threads, sharedBytes);
          int warps = blocks * threads / prop.warpSize;
          int most = prop.maxThreadsPerMultiProcessor / prop.warpSize;
          double percent = 100.0 * warps / most;

      `cudaOccupancyMaxPotentialBlockSize` suggests a block size. If the shared memory of a
      block depends on the number of its threads, use
      `cudaOccupancyMaxPotentialBlockSizeVariableSMem`. You give it a function that computes the
      bytes from the number of threads.

      The header `cuda_occupancy.h` computes the same numbers without a device: you give it the
      numbers that describe the device.

      But the occupancy only has to be high *enough*. Once the memory or the banks of shared memory
      are busy all the time, more warps gain nothing. The limiter (the resource that a kernel mainly
      waits for) tells you when this point is reached.

      A copy kernel with blocks of 64 threads ran three times on an H200 (measured with cold
      caches). Each block took 47, 16 and then 1 KB of shared memory, so the occupancy was
      12.5%, 41% and then 100%. The kernel took 853, 354 and then 180 us. So going from 12.5% to
      41% gained more than going from 41% to 100%. `ilp` and `matmul-open` show how a kernel can
      be fast with few warps.
    ]],
    zh = [[
      共享内存从两方面限制了占用率。每个块的费用表占 24 KB，所以块很小时，许多张表占满了共享内存。每
      个线程的状态占 64 字节，所以块很大时，状态占满了共享内存。现在的限制是线程槽，这正是应有的结
      果。寄存器有空闲，共享内存却很紧缺，所以你把线程的状态移到了寄存器里。

      在 CPU 上，每个线程的状态应当独占一个缓存行，否则几个核会写同一行。这里每个状态原来占 64 字
      节，就是照搬了这个建议，其实每个状态 8 字节就够。在 H200 上，哪怕选最好的块大小（320 个线
      程），也会因此失去五分之一的 warp。如果块有 512 个线程，占用的共享内存就超过了 48 KB 的上限。

      `cudaOccupancyMaxActiveBlocksPerMultiprocessor` 计算一个多处理器能放某个核函数的几个块。
      有了块数，再做三次除法就得到占用率：

          cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &blocks, kernel, threads, sharedBytes);
          int warps = blocks * threads / prop.warpSize;
          int most = prop.maxThreadsPerMultiProcessor / prop.warpSize;
          double percent = 100.0 * warps / most;

      `cudaOccupancyMaxPotentialBlockSize` 会建议块的大小。如果块占的共享内存随块的大小而变，就用
      `cudaOccupancyMaxPotentialBlockSizeVariableSMem`。它的一个参数是你写的函数，由线程数算出字节
      数。

      头文件 `cuda_occupancy.h` 里的函数不需要设备：你给出描述设备的数字，这些函数就能做同样的计算。

      但占用率只要*够用*就行。一旦内存或共享内存的存储体一直在忙，增加 warp 就没有收益。看核函数的瓶
      颈（limiter，即核函数主要在等什么），就知道占用率够不够用。

      一个拷贝核函数用 64 个线程的块，在 H200 上运行了三次（冷缓存实测）。每块占的共享内存依次是
      47、16、1 KB，占用率依次是 12.5%、41%、100%，用时依次是 853、354、180 微秒。可见，从 12.5% 到
      41% 的收益比从 41% 到 100% 的大。`ilp` 和 `matmul-open` 会说明：warp 很少时，核函数也可以很
      快。
    ]],
  },
  more = {
    en = [[
      With the state in registers, set BLOCK to 64, 128, 256, 512 and 1024, on `sim:h200` and on
      `sim:t4`. Each time, write down `occupancy_pct`, `achieved_occupancy_pct` and `device_us` from
      `profile`. At which block size does the time stop following the occupancy? What is the limiter
      there?
    ]],
    zh = [[
      把状态放进寄存器之后，依次令 BLOCK 为 64、128、256、512、1024，
      在 `sim:h200` 和 `sim:t4` 上用 `profile` 记下 `occupancy_pct`、
      `achieved_occupancy_pct` 和 `device_us`。从哪个块大小开始，时间不再随占用率变化？
      这时的瓶颈（limiter）是什么？
    ]],
  },
}
