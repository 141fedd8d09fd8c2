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
      line = line .. (pct > 0 and string.format("%5.0f%%", pct) or "     -")
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
      en = "`show occupancy` names the resource that runs out first. What does a block take of it, what does a thread, and which of the two does the kernel need?",
      zh = "`show occupancy` 会指出最先用完的资源。其中一个块要占多少，一个线程要占多少，哪些是核函数真正需要的？",
    },
    at_most("global_load_sectors", 1.35 * baseline) {
      points = 2,
      en = "The tolls are looked up at random places: that is what shared memory is for. Keep the table on the chip, and let more threads share it.",
      zh = "查价钱时访问的位置是随机的，这正是共享内存的用处。把表留在片上，让更多线程共用它。",
    },
    speedup(2.5) {
      points = 2,
      none = 1,
      en = "Too few warps are resident, or each still does needless work in shared memory.",
      zh = "驻留的 warp 太少，或者每个线程还在共享内存里做不必要的事。",
    },
  },

  steps = {
    say {
      en = [[
        A multiprocessor hides waiting by switching to another warp. How many warps it can hold depends on four resources, and the first to run out
        decides: *block slots*, *thread slots*, *registers* and *shared memory*. Resident warps against the possible maximum is called *occupancy*.

        These resources are divided when blocks arrive, by what each block needs: a few large blocks or many small ones. A *fixed* division would give each place for a block the same share, needed or not.
      ]],
      zh = [[
        多处理器靠切换到别的线程束（warp）来掩盖等待。它能容纳多少个 warp 取决于四种资源，最先用完的那种说了算：*线程块槽*、*线程槽*、*寄存器*和*共享内存*。
        驻留的 warp 数与上限之比叫做*占用率*（occupancy）。

        这些资源是在块到来时按需*动态*划分的：可以是几个大块，也可以是许多小块。如果*固定*划分，每个位置无论需不需要，得到的都是同样的一份。
      ]],
    },
    ask {
      en = "Suppose a multiprocessor divided its 1536 thread slots once and for all into 8 equal parts, one for each block. Blocks of {b} threads run. Which share of the thread slots stays empty? (in %)",
      zh = "假设一个多处理器把 1536 个线程槽固定分成 8 等份，每个块一份。现在运行的块有 {b} 个线程，有百分之几的线程槽空着？",
      draw = { b = { from = { 64, 96, 128, 160 } } },
      answer = function(d) return 100 * (192 - d.b) / 192 end,
      tolerance = 0.02,
      unit = "%",
      because = {
        en = "192 slots for each block, of which {b} are used; and a block of 256 threads could not run at all. That is why the division is dynamic.",
        zh = "每个块 192 个槽，只用 {b} 个；而 256 线程的块根本放不下。所以才要动态划分。",
      },
    },
    ask {
      en = "Divided as needed: 1536 thread slots and 8 block slots, plenty of everything else. With blocks of {b} threads, how many *threads* are resident?",
      zh = "按需划分：1536 个线程槽、8 个线程块槽，其他资源充足。用 {b} 线程的块，有多少个*线程*驻留？",
      draw = { b = { from = { 64, 128, 256, 512, 1024 } } },
      answer = function(d) return math.min(8, 1536 // d.b) * d.b end,
      replies = { { function(d) return math.min(8, 1536 // d.b) end, en = "Those are the blocks. How many threads have they?", zh = "这是块数。它们一共有多少个线程？" } },
      because = {
        en = "The lesser of 8 blocks and 1536 / {b}, rounded down. 512 and 256 fill it, with 3 and 6 blocks; 128 would need 12 blocks and gets 8, which is 1024 threads; of 1024 only one fits.",
        zh = "取 8 块与 1536 / {b}（向下取整）中较小的。512 和 256 能装满，分别是 3 块和 6 块；128 需要 12 块，却只有 8 块，即 1024 个线程；1024 只放得下一块。",
      },
    },
    ask {
      en = "16,384 registers, blocks of 256 threads. At 10 registers per thread 6 blocks fit. How many fit at {r}?",
      zh = "16,384 个寄存器，每块 256 个线程。每个线程 10 个寄存器时能放 6 块。每个线程 {r} 个时能放几块？",
      draw = { r = { from = { 11, 12, 13, 16, 17 } } },
      answer = function(d) return 16384 // (256 * d.r) end,
      because = {
        en = "16384 / (256 * {r}), rounded down. Two more variables, 12 registers in place of 10, and a whole block goes: one sixth of the parallelism. Such a step is called a *cliff*.",
        zh = "16384 / (256 * {r})，向下取整。多两个变量，寄存器从 10 个变成 12 个，就少了整整一块：丢掉六分之一的并行度。这叫*性能悬崖*。",
      },
    },
    ask {
      alone = true,
      en = "Today's multiprocessors have 65,536 registers, a quarter for each of the 4 schedulers, and hand them out to a warp in units of 256: 8 for each thread. A kernel takes {r} registers per thread. How many warps do the registers allow?",
      zh = "现在的多处理器有 65,536 个寄存器，4 个调度器各管四分之一，以 256 个为单位分给 warp，即每个线程 8 个一档。核函数每个线程用 {r} 个寄存器，寄存器允许多少个 warp？",
      draw = { r = { from = { 33, 40, 41, 57, 64, 65, 97 } } },
      answer = function(d) return 4 * (16384 // (ceil_div(d.r, 8) * 256)) end,
      because = {
        en = "Round {r} up to a multiple of 8, times 32; 16,384 divided by that, rounded down; times 4. With 64 registers that is 32 warps, two blocks of 512 threads; with 65, which count as 72, it is 28 warps, and one block.",
        zh = "把 {r} 向上取成 8 的倍数，乘以 32；用 16,384 除以它，向下取整；再乘以 4。64 个寄存器时是 32 个 warp，即两个 512 线程的块；65 个按 72 算，是 28 个 warp，只剩一块。",
      },
    },
    say {
      en = [[
The same for every block size and register count, on a multiprocessor with 64 warps and 32 block slots (this is what the vendor's *occupancy calculator* draws):

]] .. calculator("registers") .. [[


A `-` does not launch at all. To keep a kernel from stepping over an edge, tell the compiler: `__launch_bounds__(512, 2)` before its name bounds the registers so that two blocks of 512 threads
fit; `nvcc -maxrregcount=64` does so for a whole file. What no longer fits in registers is spilled to memory.
      ]],
      zh = [[
把各种块大小和寄存器数都算一遍，多处理器有 64 个 warp 的位置和 32 个线程块槽（厂商的*占用率计算器*画的就是这个）：

]] .. calculator("   寄存器") .. [[


`-` 表示根本无法启动。要防止核函数跌下这道性能悬崖，可以告诉编译器：在核函数名前写 `__launch_bounds__(512, 2)`，寄存器就会受到限制，使两个 512 线程的块放得下；
`nvcc -maxrregcount=64` 则对整个文件生效。寄存器放不下的内容会溢出到内存。
      ]],
    },
    show { en = "Now the kernel of this lab. The baseline: blocks of 64 threads, 24 KB of tolls for each block and 64 bytes for each thread.", zh = "现在看本实验的核函数。基线：每块 64 个线程，每块 24 KB 费用表，外加每个线程 64 字节。", picture = "occupancy", of = "baseline" },
    predict {
      en = "With blocks of 256 threads and nothing else changed: what will the occupancy be? An H200's multiprocessor has 228 KB of shared memory for its blocks, and each takes 1 KB more than it asks for; it holds 2048 threads. A T4's has 64 KB and holds 1024. (in %)",
      zh = "只把块改成 256 个线程，其他不变：占用率会是多少？H200 的一个多处理器有 228 KB 共享内存可分给块，每个块除自己申请的外还要占 1 KB；它容纳 2048 个线程。T4 的有 64 KB，容纳 1024 个线程。（单位是 %）",
      counter = "occupancy_pct",
      of = "kernels/occupancy-256.cu",
      tolerance = 0.05,
      because = {
        en = "24 KB + 256 * 64 bytes = 40 KB. On an H200 five such blocks fit (five times 41 KB): 1280 of 2048 threads, 62.5%. On a T4 one: 25%. With 512 threads it would be 56 KB, and more than 48 KB cannot be declared.",
        zh = "24 KB + 256 * 64 字节 = 40 KB。H200 能放五块（五个 41 KB）：2048 个线程槽用了 1280 个，62.5%。T4 只能放一块：25%。若每块 512 个线程，则要 56 KB，而静态声明不能超过 48 KB。",
      },
    },
    ask {
      alone = true,
      en = "How much is enough? Memory answers after {l} ns and brings one multiprocessor {b} bytes per ns. A warp has one load of 128 bytes under way. At which occupancy is the memory busy all the time, so that more warps gain nothing? (in %, 64 warps are 100)",
      zh = "多少才够？内存 {l} ns 后有回应，每 ns 给一个多处理器送来 {b} 字节。每个 warp 有一次 128 字节的读取在途。占用率达到百分之几时，内存就一直在忙，再多 warp 也没有用？（64 个 warp 是 100%）",
      draw = { l = { 200, 400, multiple = 50 }, b = { from = { 8, 12, 16 } } },
      answer = function(d) return 100 * d.l * d.b / 128 / 64 end,
      tolerance = 0.02,
      unit = "%",
      because = { en = "{l} * {b} bytes must be under way, 128 for each warp. It is Little's law again. With several loads under way per thread, so much less.", zh = "要有 {l} * {b} 字节在途，每个 warp 提供 128 字节：又是 Little 定律。如果每个线程有几次读取在途，需要的占用率就低得多。" },
    },
    exercise {
      en = "Let as many warps be resident as the device allows, with the tolls still in shared memory. When one limit is out of the way, look for the next. Then try your file on `device sim:t4`: does your block size fill that one, too?",
      zh = "让驻留的 warp 达到设备允许的最多，费用表仍留在共享内存里。去掉一个限制，再找下一个。然后在 `device sim:t4` 上试试：你选的块大小也能把它装满吗？",
    },
    show { en = "Yours:", zh = "你的：", picture = "occupancy", of = "mine" },
    compare {
      en = "The same steps through the same map, with more warps to hide the waiting.",
      zh = "同样的地图，同样的步数，有更多 warp 掩盖等待。",
      counters = { "occupancy_pct", "achieved_occupancy_pct", "shared_bytes", "registers", "threads_per_block", "gld_sectors", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "occupancy_pct", en = "For the occupancy: 24 KB are paid once for a block, 64 bytes once for each thread. Compute what 128, 256 and 512 threads cost, and what is left of the cost if a thread's state were somewhere else.",
      zh = "针对占用率：每块付一次 24 KB，每个线程付一次 64 字节。算一算 128、256、512 个线程各要多少；再算一算，如果线程的状态放在别处，还剩多少。" },
    { en = "No other thread ever reads a thread's `row` and `spent`. Variables of its own live in registers. Then the table is all that a block needs, and the more threads share one, the fewer tables there are.",
      zh = "没有别的线程会读某个线程的 `row` 和 `spent`。线程自己的变量放在寄存器里。这样块只需要那张表，共用一张表的线程越多，表就越少。" },
    { en = "`int row = 0, spent = 0;` inside the loop, no `struct traveller`, and `const int BLOCK = 512;`: 25 KB for 16 warps, four times on an H200, twice (24 KB each) on a T4.",
      zh = "在循环里写 `int row = 0, spent = 0;`，去掉 `struct traveller`，并令 `const int BLOCK = 512;`：16 个 warp 用 25 KB，H200 放四块，T4 放两块（每块 24 KB）。" },
  },

  after = {
    en = [[
      The limit moved: shared memory for each thread, then shared memory for each block, then the thread slots, where it should be. On the way one resource was traded for another: registers that were free for shared memory that was not. A cache
      line for each thread is sound advice on a CPU, where cores write to the same line; here it cost three quarters of the warps.

      `cudaOccupancyMaxActiveBlocksPerMultiprocessor` computed this for the launch. It tells blocks; the rest is two divisions:

          cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &blocks, kernel, threads, sharedBytes);
          int warps = blocks * threads / prop.warpSize;
          int most = prop.maxThreadsPerMultiProcessor / prop.warpSize;
          double percent = 100.0 * warps / most;

      `cudaOccupancyMaxPotentialBlockSize` suggests a block size, and `cudaOccupancyMaxPotentialBlockSizeVariableSMem` does so where the shared memory depends on the block size: it takes a function from threads to bytes. The header `cuda_occupancy.h` does the sums from numbers alone, without a device. But occupancy is a means, not an end: it has to be high *enough*. Once memory or the shared
      banks are busy all the time, more warps gain nothing: look at the limiter. On an H200 a copy kernel in blocks of 64 threads takes 853, 354 and 180 us with 47, 16 and 1 KB of shared memory a block, which allow
      12.5%, 41% and 100% (measured, cold L2): the first step gains more than the second. `ilp` and `matmul-open` go another way.
    ]],
    zh = [[
      限制一处处地移动：先是每个线程占的共享内存，再是每个块占的共享内存，最后到了该到的地方：线程槽。途中用一种资源换了另一种：用空闲的寄存器，换下了紧缺的共享内存。让每个线程独占一个缓存行，在 CPU 上是好建议，因为那里几个核会写
      同一行；在这里却丢掉了四分之三的 warp。

      `cudaOccupancyMaxActiveBlocksPerMultiprocessor` 在启动时算的就是这个。它给出的是块数，再除两次就是占用率：

          cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &blocks, kernel, threads, sharedBytes);
          int warps = blocks * threads / prop.warpSize;
          int most = prop.maxThreadsPerMultiProcessor / prop.warpSize;
          double percent = 100.0 * warps / most;

      `cudaOccupancyMaxPotentialBlockSize` 会建议块的大小；如果共享内存随块大小而变，就用 `cudaOccupancyMaxPotentialBlockSizeVariableSMem`，给它一个由线程数算字节数的函数。头文件 `cuda_occupancy.h` 只凭数字就能算，不需要设备。但占用率是手段，不是目的，只要*够用*就行。一旦内存或共享内存的存储体一直在忙，再多 warp 也没有用：看看瓶颈（limiter）。
      在 H200 上，一个拷贝核函数用 64 线程的块，每块占 47、16、1 KB 共享内存时，占用率为 12.5%、41%、100%，用时 853、354、180 微秒（实测，L2 冷态）：前一步的收益比后一步大。`ilp` 和 `matmul-open` 走的是另一条路。
    ]],
  },
  more = {
    en = "With the state in registers, set BLOCK to 64, 128, 256, 512 and 1024 and write down occupancy_pct and device_us from `profile`, on `sim:h200` and on `sim:t4`. From where on does the time no longer follow? What does the limiter say there?",
    zh = "把状态放进寄存器之后，依次令 BLOCK 为 64、128、256、512、1024，在 `sim:h200` 和 `sim:t4` 上用 `profile` 记下 occupancy_pct 和 device_us。从哪里开始，时间不再跟着变？那时的瓶颈（limiter）是什么？",
  },
}
