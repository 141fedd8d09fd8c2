-- Chapter 5: what limits resident blocks.

-- The occupancy, in per cent, of blocks of `threads` threads with `registers` registers each on a multiprocessor with 64 warps, 32 block slots and
-- 65,536 registers: a quarter of them for each scheduler, handed out to warps in units of 256.
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
    toll = integers(1, 100, "6144"),
    out = output("n"),
  },
  cases = {
    { n = 256, rows = 8, purse = 150 },
    { n = 1, rows = 1, purse = 1 },
    { n = 1003, rows = 24, purse = 1000 },
    { n = 1 << 18, rows = 24, purse = 1000, timed = true },
  },
  hidden = { count = 3, n = { 2, 5000 }, rows = { 1, 30 }, purse = { 1, 1500 } },
  goals = {
    correct { points = 4 },
    at_least("occupancy_pct", 75) {
      points = 2,
      en = "`show occupancy` names the resource that runs out first. How much of it does a block take, and how much does a thread take? Which of the two does the kernel really need?",
      zh = "`show occupancy` 会指出最先用完的资源。这种资源一个块占多少，一个线程占多少？哪些是核函数真正需要的？",
    },
    at_most("global_load_sectors", 1.35 * baseline) {
      points = 2,
      en = "The kernel reads the tolls at random places. Shared memory is good at this: keep the table there, and let more threads share it.",
      zh = "核函数查费用表时，访问的位置是随机的，共享内存正适合这样的访问。把费用表留在共享内存里，让更多线程共用。",
    },
    speedup(2.5) {
      points = 2,
      none = 1,
      en = "Too few warps are resident, or each thread still does needless work in shared memory.",
      zh = "驻留的 warp 太少，或者每个线程还在共享内存里做不必要的事。",
    },
  },

  steps = {
    say {
      en = [[
        While one warp waits, a multiprocessor switches to another warp. Four resources limit how many warps it can hold: *block slots*, *thread
        slots*, *registers* and *shared memory*. The first to run out decides. The number of resident warps divided by the maximum is called
        *occupancy*.

        The multiprocessor divides these resources when blocks arrive, by what each block needs: there may be a few large blocks or many small ones. A
        *fixed* division would give each block the same share, needed or not.
      ]],
      zh = [[
        一个线程束（warp）等待时，多处理器会切换到别的 warp，从而掩盖等待。多处理器能容纳多少个 warp，取决于四种资源：*线程块槽*、*线程槽*、*寄存器*
        和*共享内存*，由最先用完的那一种决定。驻留的 warp 数与上限之比叫做*占用率*（occupancy）。

        多处理器在块到来时按需*动态*划分这些资源：可以容纳几个大块，也可以容纳许多小块。如果*固定*划分，每个块无论需要多少，得到的份额都一样。
      ]],
    },
    ask {
      en = "Suppose a multiprocessor always divided its 1536 thread slots into 8 equal parts, one for each block. Blocks of {b} threads run. What share of the thread slots stays empty? (in %)",
      zh = "假设一个多处理器把 1536 个线程槽固定分成 8 等份，每个块一份。现在运行的块有 {b} 个线程，有百分之几的线程槽空着？",
      draw = { b = { from = { 64, 96, 128, 160 } } },
      answer = function(d) return 100 * (192 - d.b) / 192 end,
      tolerance = 0.02,
      unit = "%",
      because = {
        en = "Each block has 192 slots and uses {b}. A block of 256 threads could not run at all. So the division is dynamic.",
        zh = "每个块有 192 个槽，只用 {b} 个；而 256 线程的块根本放不下。所以要动态划分。",
      },
    },
    ask {
      en = "Divided as needed: a multiprocessor has 1536 thread slots, 8 block slots, and enough of everything else. With blocks of {b} threads, how many *threads* are resident?",
      zh = "按需划分：1536 个线程槽、8 个线程块槽，其他资源充足。用 {b} 线程的块，有多少个*线程*驻留？",
      draw = { b = { from = { 64, 128, 256, 512, 1024 } } },
      answer = function(d) return math.min(8, 1536 // d.b) * d.b end,
      replies = { { function(d) return math.min(8, 1536 // d.b) end, en = "That is the number of blocks. How many threads do they have together?", zh = "这是块数。它们一共有多少个线程？" } },
      because = {
        en = "The number of blocks is the smaller of 8 and 1536 / {b}, rounded down. Blocks of 512 and 256 threads fill the multiprocessor, with 3 and 6 blocks respectively. Blocks of 128 would need 12 slots and get 8: 1024 threads. Only one block of 1024 fits.",
        zh = "块数取 8 与 1536 / {b}（向下取整）中较小的。512 和 256 线程的块能装满，分别是 3 块和 6 块；128 线程的块需要 12 个槽，却只有 8 个，即 1024 个线程；1024 线程的块只放得下一块。",
      },
    },
    ask {
      en = "A multiprocessor has 16,384 registers, and each block has 256 threads. With 10 registers per thread, 6 blocks fit. How many fit with {r}?",
      zh = "一个多处理器有 16,384 个寄存器，每块 256 个线程。每个线程 10 个寄存器时能放 6 块。每个线程 {r} 个时能放几块？",
      draw = { r = { from = { 11, 12, 13, 16, 17 } } },
      answer = function(d) return 16384 // (256 * d.r) end,
      because = {
        en = "16384 / (256 * {r}), rounded down. Two more variables make 12 registers instead of 10, and one block fewer fits: you lose one sixth of the parallelism. Such a step is called a *performance cliff*.",
        zh = "16384 / (256 * {r})，向下取整。多两个变量，寄存器从 10 个变成 12 个，就少放一块：失去六分之一的并行度。这叫*性能悬崖*。",
      },
    },
    ask {
      alone = true,
      en = "Today's multiprocessors have 65,536 registers, a quarter for each of the 4 schedulers. A warp gets registers in units of 256, that is 8 for each thread. A kernel takes {r} registers per thread. How many warps do the registers allow?",
      zh = "现在的多处理器有 65,536 个寄存器，4 个调度器各有四分之一。寄存器以 256 个为单位分给 warp，即每个线程以 8 个为单位。核函数每个线程用 {r} 个寄存器，寄存器允许多少个 warp？",
      draw = { r = { from = { 33, 40, 41, 57, 64, 65, 97 } } },
      answer = function(d) return 4 * (16384 // (ceil_div(d.r, 8) * 256)) end,
      because = {
        en = "Round {r} up to a multiple of 8 and multiply by 32. Divide 16,384 by that and round down. Multiply by 4. With 64 registers that is 32 warps: two blocks of 512 threads. 65 registers count as 72, which allows 28 warps: one such block.",
        zh = "把 {r} 向上取成 8 的倍数，乘以 32；用 16,384 除以它，向下取整；再乘以 4。64 个寄存器时是 32 个 warp，即两个 512 线程的块；65 个按 72 个算，是 28 个 warp，只放得下一块。",
      },
    },
    say {
      en = [[
This table has the occupancy for every block size and register count, on a multiprocessor with 64 warps and 32 block slots. The vendor's *occupancy
calculator* draws the same:

]] .. calculator("registers") .. [[


`-` means that the kernel cannot be launched. To keep a kernel from such a cliff, tell the compiler: `__launch_bounds__(512, 2)` before the kernel's
name bounds the registers so that two blocks of 512 threads fit. `nvcc -maxrregcount=64` bounds them for a whole file. The compiler spills to memory
what no longer fits in registers.
      ]],
      zh = [[
下表列出各种块大小和寄存器数的占用率，多处理器能容纳 64 个 warp，有 32 个线程块槽（厂商的*占用率计算器*画的也是这张表）：

]] .. calculator("   寄存器") .. [[


`-` 表示根本无法启动。要避免性能悬崖，可以告诉编译器：在核函数名前写 `__launch_bounds__(512, 2)`，编译器就会限制寄存器数，
使两个 512 线程的块放得下；`nvcc -maxrregcount=64` 则对整个文件生效。寄存器放不下的内容会溢出到内存。
      ]],
    },
    show { en = "Now the kernel of this lab. Each column's traveller walks down a map and pays a toll for each kind of ground; the output is how many rows the purse lasts. The baseline has blocks of 64 threads. Each block takes 24 KB of shared memory for the tolls, and 64 bytes for each thread.", zh = "现在看本实验的核函数。每一列有一个旅行者沿地图往下走，每走一行按地面的种类付费；输出是钱用完之前走了多少行。基线每块 64 个线程，每块的费用表占 24 KB 共享内存，每个线程再占 64 字节。", picture = "occupancy", of = "baseline" },
    predict {
      en = "With blocks of 256 threads and nothing else changed, what will the occupancy be? On an H200, a multiprocessor holds 2048 threads and has 228 KB of shared memory; each block takes 1 KB more than it asks for. On a T4, it holds 1024 threads and has 64 KB. (in %)",
      zh = "只把块改成 256 个线程，其他不变：占用率会是多少？H200 的一个多处理器能容纳 2048 个线程，有 228 KB 共享内存可分给块，每个块除了自己申请的，还要多占 1 KB。T4 的一个多处理器能容纳 1024 个线程，有 64 KB。（单位是 %）",
      counter = "occupancy_pct",
      of = "kernels/occupancy-256.cu",
      tolerance = 0.05,
      because = {
        en = "24 KB + 256 * 64 bytes = 40 KB. On an H200 five such blocks fit (5 * 41 KB): 1280 of 2048 threads, 62.5%. On a T4 one block fits: 25%. With 512 threads a block would need 56 KB, and you cannot declare more than 48 KB.",
        zh = "24 KB + 256 * 64 字节 = 40 KB。H200 能放五块（5 * 41 KB）：2048 个线程槽用了 1280 个，62.5%。T4 只能放一块：25%。如果每块 512 个线程，就要 56 KB，而静态声明不能超过 48 KB。",
      },
    },
    ask {
      alone = true,
      en = "How much occupancy is enough? Memory answers after {l} ns and brings one multiprocessor {b} bytes per ns. Each warp has one load of 128 bytes under way. At which occupancy is the memory busy all the time, so that more warps gain nothing? (in %, 64 warps are 100)",
      zh = "占用率多高才够？内存 {l} ns 后返回数据，每 ns 给一个多处理器送来 {b} 字节。每个 warp 有一次 128 字节的读取在途。占用率达到百分之几时，内存就一直在忙，增加 warp 也没有收益？（64 个 warp 是 100%）",
      draw = { l = { 200, 400, multiple = 50 }, b = { from = { 8, 12, 16 } } },
      answer = function(d) return 100 * d.l * d.b / 128 / 64 end,
      tolerance = 0.02,
      unit = "%",
      because = { en = "{l} * {b} bytes must be under way, and each warp has 128: Little's law again. With several loads under way per thread, a lower occupancy is enough.", zh = "要有 {l} * {b} 字节在途，每个 warp 提供 128 字节：这又是 Little 定律。如果每个线程有几次读取在途，需要的占用率就低得多。" },
    },
    exercise {
      en = "Make as many warps resident as the device allows, with the tolls still in shared memory. When you have removed one limit, look for the next. Then try your file on `device sim:t4`: does your block size fill that device, too?",
      zh = "让驻留的 warp 达到设备允许的上限，费用表仍留在共享内存里。去掉一个限制，再找下一个。然后在 `device sim:t4` 上试试：你选的块大小也能装满 T4 吗？",
    },
    show { en = "Your kernel:", zh = "你的核函数：", picture = "occupancy", of = "mine" },
    compare {
      en = "The same work as the baseline, with more warps to hide the waiting.",
      zh = "工作与基线相同，但有更多 warp 掩盖等待。",
      counters = { "occupancy_pct", "achieved_occupancy_pct", "shared_bytes", "registers", "threads_per_block", "gld_sectors", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "occupancy_pct", en = "A block takes 24 KB once, and 64 bytes for each thread. Compute what blocks of 128, 256 and 512 threads take. Then compute what is left if a thread keeps its state somewhere else.",
      zh = "每块占 24 KB，每个线程再占 64 字节。算一算 128、256、512 个线程的块各要多少；再算一算，如果线程的状态放在别处，还要多少。" },
    { en = "No other thread ever reads a thread's `row` and `spent`. A thread's local variables live in registers. Then a block needs only the table, and the more threads share a table, the fewer tables there are.",
      zh = "一个线程的 `row` 和 `spent`，别的线程从不读取。线程自己的变量可以放在寄存器里。这样一个块只需要费用表，共用一张表的线程越多，表就越少。" },
    { en = "`int row = 0, spent = 0;` inside the loop, no `struct traveller`, and `const int BLOCK = 512;`: 16 warps take 25 KB. Four such blocks fit on a multiprocessor of an H200, two (24 KB each) on that of a T4.",
      zh = "在循环里写 `int row = 0, spent = 0;`，去掉 `struct traveller`，并令 `const int BLOCK = 512;`：16 个 warp 占 25 KB；一个多处理器在 H200 上能放四块，在 T4 上能放两块（每块 24 KB）。" },
  },

  after = {
    en = [[
      The limit moved: first it was the shared memory of each thread, then the shared memory of each block, and now the thread slots, as it should be.
      You used registers, which were free, instead of shared memory, which was scarce. A cache line for each thread is good advice on a CPU, where
      cores would write to the same line. Here it cost three quarters of the warps.

      `cudaOccupancyMaxActiveBlocksPerMultiprocessor` computes this for a launch. It returns blocks; three divisions give the occupancy:

          cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &blocks, kernel, threads, sharedBytes);
          int warps = blocks * threads / prop.warpSize;
          int most = prop.maxThreadsPerMultiProcessor / prop.warpSize;
          double percent = 100.0 * warps / most;

      `cudaOccupancyMaxPotentialBlockSize` suggests a block size. If the shared memory depends on the block size, use
      `cudaOccupancyMaxPotentialBlockSizeVariableSMem`: it takes a function from threads to bytes. The header `cuda_occupancy.h` computes the same
      from numbers, without a device.

      But occupancy is a means, not an end: it only has to be high *enough*. Once memory or the shared banks are busy all the time, more warps gain
      nothing: look at the limiter.

      On an H200, a copy kernel with blocks of 64 threads takes 853, 354 and 180 us with 47, 16 and 1 KB of shared memory per block, which allow an
      occupancy of 12.5%, 41% and 100% (measured, cold): the first step gains more than the second. `ilp` and `matmul-open` show another way.
    ]],
    zh = [[
      限制因素变了几次：先是每个线程占的共享内存，再是每个块占的共享内存，最后是线程槽，这才是应有的限制。你用空闲的寄存器代替了紧缺的共享内存。
      让每个线程独占一个缓存行，在 CPU 上是好建议，因为几个核可能会写同一行；在这里却失去了四分之三的 warp。

      `cudaOccupancyMaxActiveBlocksPerMultiprocessor` 为一次启动计算这个结果。它返回块数，再做三次除法就得到占用率：

          cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &blocks, kernel, threads, sharedBytes);
          int warps = blocks * threads / prop.warpSize;
          int most = prop.maxThreadsPerMultiProcessor / prop.warpSize;
          double percent = 100.0 * warps / most;

      `cudaOccupancyMaxPotentialBlockSize` 会建议块的大小；如果共享内存随块大小而变，就用 `cudaOccupancyMaxPotentialBlockSizeVariableSMem`，
      给它一个由线程数算字节数的函数。头文件 `cuda_occupancy.h` 根据数字就能计算，不需要设备。

      但占用率是手段，不是目的，*够用*就行。一旦内存或共享内存的存储体一直在忙，增加 warp 就没有收益：看看瓶颈（limiter）。

      在 H200 上，一个拷贝核函数用 64 线程的块，每块占 47、16、1 KB 共享内存时，占用率为 12.5%、41%、100%，用时 853、354、180 微秒（冷缓存实测）：
      前一步的收益比后一步大。`ilp` 和 `matmul-open` 用的是另一种方法。
    ]],
  },
  more = {
    en = "With the state in registers, set BLOCK to 64, 128, 256, 512 and 1024 and write down occupancy_pct and device_us from `profile`, on `sim:h200` and on `sim:t4`. At which block size does the time stop following the occupancy? What is the limiter there?",
    zh = "把状态放进寄存器之后，依次令 BLOCK 为 64、128、256、512、1024，在 `sim:h200` 和 `sim:t4` 上用 `profile` 记下 occupancy_pct 和 device_us。从哪个块大小开始，时间不再随占用率变化？这时的瓶颈（limiter）是什么？",
  },
}
