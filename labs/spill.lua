-- Chapter 5: registers and local memory.
return lab {
  id = "spill",
  title = { en = "Arrays that are not registers", zh = "不在寄存器里的数组" },
  chapter = 5,
  minutes = 25,
  needs = { "occupancy" },
  source = "book 5.4; guide 5.3.2",
  teaches = {
    ["dynamic-indexing"] = "say ask",
    ["local-memory"] = "say",
    ["ptxas-v"] = "after",
    ["local-layout"] = "ask",
  },

  entry = "void spill(const float *in, float *out, int rows, int cols)",
  args = { ["in"] = uniform(-1, 1, "rows * cols"), out = output("rows * cols", { ops = 1 }) },
  cases = { { rows = 16, cols = 128 }, { rows = 1, cols = 1 }, { rows = 37, cols = 130 }, { rows = 64, cols = 8192, timed = true } },
  hidden = { count = 3, rows = { 1, 50 }, cols = { 1, 300 } },
  goals = {
    correct { points = 4 },
    at_most("local_ld_requests", 0) {
      points = 3,
      en = "The ring is still in local memory, because some index into it is a variable. Is the inner loop fully unrolled?",
      zh = "环形缓冲区还在局部内存里，因为某个下标仍是变量。内层循环完全展开了吗？",
    },
    at_most("spill_bytes", 0) {
      points = 1,
      en = "The assembler ran out of registers and keeps some values in local memory. What bounds the registers of the kernel?",
      zh = "寄存器不够用，汇编器把一些值放进了局部内存。是什么限制了核函数的寄存器数？",
    },
    at_most("global_loads", 1.35 * baseline) {
      points = 2,
      en = "Read each element from global memory once. Keep earlier values in registers instead of reading them again.",
      zh = "每个元素只应从全局内存读一次：之前的值要放在寄存器里，而不是再读一遍。",
    },
  },

  steps = {
    say {
      en = [[
        A thread's own variables live in registers if possible. Three kinds cannot: arrays indexed by a number that is not known at compile time
        (registers have no index), structs and arrays that are too large, and values that are left when the registers run out, called a *spill*.

        These values go to *local memory*. It is local only in name: it lies in device memory, behind the caches.
      ]],
      zh = [[
        线程自己的变量尽可能放在寄存器里。有三种变量放不进寄存器：下标在编译时未知的数组（寄存器没有下标）；太大的结构体和数组；寄存器用完后剩下的值，
        这叫*寄存器溢出*（spill）。

        这些变量放到*局部内存*（local memory）。局部内存只是名字叫局部，其实在设备内存里，经过缓存访问。
      ]],
    },
    ask {
      alone = true,
      en = "Which of these arrays can live in registers?",
      zh = "下面哪个数组可以放在寄存器里？",
      choices = {
        { en = "`float v[8]` in a loop `for (k = 0; k < 8; k++)` that is fully unrolled", zh = "`float v[8]`，用在完全展开的循环 `for (k = 0; k < 8; k++)` 里", right = true, because = { en = "Once the loop is unrolled, every index is a number that the compiler knows.", zh = "展开之后，每个下标都是编译器已知的数。" } },
        { en = "`float v[8]`, read as `v[i]` where i comes from memory", zh = "`float v[8]`，用 `v[i]` 读取，i 来自内存", because = { en = "Registers have no index.", zh = "寄存器没有下标。" } },
        { en = "`float v[1000]`, with constant indices", zh = "`float v[1000]`，下标都是常数", because = { en = "A thread has at most 255 registers.", zh = "一个线程最多 255 个寄存器。" } },
      },
    },
    ask {
      en = "In local memory, word k of all 32 lanes lies side by side: a row of 128 bytes. Lane l of a warp reads its own word l % {m}. How many sectors does the request touch?",
      zh = "局部内存的布局是：32 个 lane 的第 k 个字并排存放，组成连续 128 字节的一行。一个线程束（warp）的 lane l 读自己的第 l % {m} 个字。这个请求触及多少个扇区？",
      draw = { m = { from = { 1, 2, 4, 8, 16 } } },
      answer = function(d) return math.min(32, 4 * d.m) end,
      replies = { { function(d) return d.m end, en = "That is the number of rows of 128 bytes. How many sectors of each row does the request touch?", zh = "这是涉及的行数（每行 128 字节）。每行触及几个扇区？" } },
      because = {
        en = "The request touches {m} rows of 128 bytes, and in each row the words of one lane in {m}. If all lanes use the same index, it is 4 sectors: fully coalesced, no matter how large the index is. The more the indices differ, the more rows are touched: up to one sector per lane.",
        zh = "请求涉及 {m} 行，每行 128 字节，在每行里，每 {m} 个 lane 中有一个 lane 读一个字。所有 lane 下标相同时是 4 个扇区，完全合并，与下标大小无关；下标越不一致，涉及的行越多，最多每个 lane 一个扇区。",
      },
    },
    predict {
      en = "Each output is an element minus the element eight rows above it. The baseline keeps each column's last eight values in an array used as a *ring*, and reads the ring once per row. With rows = 64 and cols = 8192 there are 256 warps of 64 rows each. How many local load requests do they make?",
      zh = "每个输出是一个元素减去它上方第八行的元素。基线把每一列最近的八个值存放在一个数组里，当作*环形缓冲区*，每行读一次。rows = 64、cols = 8192 时有 256 个 warp，各处理 64 行。局部内存的读请求有多少个？",
      counter = "local_ld_requests",
      of = "baseline",
      tolerance = 0.05,
      because = { en = "One per row and warp: 256 * 64 = 16,384. There are as many stores, plus those that clear the ring at the start.", zh = "每个 warp 每行一次：256 * 64 = 16,384；写请求也是这么多，另外还有开头给缓冲区清零的那些。" },
    },
    show { en = "The baseline, line by line:", zh = "逐行看基线：", picture = "sectors", of = "baseline" },
    exercise { en = "Move the ring into registers.", zh = "把环形缓冲区搬进寄存器。" },
    show { en = "The resources of your kernel:", zh = "你的核函数的资源占用：", picture = "occupancy", of = "mine" },
    compare {
      en = "More registers, less memory traffic.",
      zh = "寄存器多了，内存访问少了。",
      counters = { "local_ld_requests", "local_st_requests", "local_bytes", "registers", "gld_requests", "warp_inst" },
      beside = "baseline",
    },
    ask {
      en = "On an H200 the kernel takes 27.7 us with the ring in local memory and 27.5 us with the ring in registers. When does it pay to keep an array in registers?",
      zh = "在 H200 上，环形缓冲区放在局部内存里时核函数用 27.7 微秒，放在寄存器里时用 27.5 微秒。把数组放进寄存器什么时候划算？",
      choices = {
        { en = "When the kernel waits for its accesses to local memory", zh = "当核函数等的正是局部内存的访问时", right = true, because = { en = "This kernel waits for device memory in both versions. `show stalls` names the lines that wait. If a loop has all other data in registers or L1, each access to local memory costs visible time.", zh = "这个核函数在两种情况下都在等设备内存。`show stalls` 会指出哪些行在等待。如果一个循环的其他数据都在寄存器或 L1 里，每次局部内存访问都会明显增加用时。" } },
        { en = "Always, since a register is available at once", zh = "总是划算，因为寄存器里的值立刻可用", because = { en = "Registers are limited: if each thread takes more, fewer warps may fit.", zh = "寄存器有限：每个线程多占一些，能驻留的 warp 就可能变少。" } },
        { en = "Never, since L1 caches local memory", zh = "永远不划算，因为 L1 会缓存局部内存", because = { en = "A load from L1 costs an extra instruction and 43 cycles, so avoiding it can pay.", zh = "从 L1 读要多一条指令，还要 43 个周期，所以避开它可能划算。" } },
      },
    },
  },

  hints = {
    { en = "`r % 8` is not known at compile time. But in which order do its values come?", zh = "`r % 8` 在编译时未知。但 `r % 8` 的值按什么顺序出现？" },
    { en = "Use two loops: an outer one over groups of eight rows, and an inner one over k = 0 ... 7, fully unrolled. Then the index is k.", zh = "用两层循环：外层每次处理八行，内层 k = 0……7，完全展开。这样下标就是 k。" },
    { en = "`for (int r0 = 0; r0 < rows; r0 += 8) { #pragma unroll ... for (int k = 0; k < 8; k++) if (r0 + k < rows) { ... past[k] ... } }`", zh = "写成 `for (int r0 = 0; r0 < rows; r0 += 8) { #pragma unroll … for (int k = 0; k < 8; k++) if (r0 + k < rows) { … past[k] … } }`" },
  },

  after = {
    en = [[
      `nvcc -Xptxas -v` prints the registers, stack frame and spills of each kernel; `profile` shows them as registers, local_bytes and spill_bytes.

      Local memory that stays in the caches costs little: an H200 takes 27.7 us with the ring in local memory and 27.5 us with the ring in registers
      (measured, cold), because this kernel waits for device memory in both versions. A spill may even pay if it raises the occupancy: measure.
    ]],
    zh = [[
      `nvcc -Xptxas -v` 会打印每个核函数的寄存器、栈帧和溢出；`profile` 里对应 registers、local_bytes 和 spill_bytes。

      局部内存的数据留在缓存里时，代价很小：在 H200 上，环形缓冲区放在局部内存里用 27.7 微秒，放在寄存器里用 27.5 微秒（冷缓存实测），
      因为这个核函数在两种情况下都在等设备内存。如果溢出能提高占用率，甚至可能划算：请测量。
    ]],
  },
  more = {
    en = "Bound the registers with `__launch_bounds__(128, 16)`. How few registers can the kernel use before it spills?",
    zh = "用 `__launch_bounds__(128, 16)` 限制寄存器数：这个核函数最少用多少个寄存器才不会溢出？",
  },
}
