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
      en = "The ring is still in local memory: some index into it is a variable. Is the inner loop unrolled completely?",
      zh = "环形缓冲区还在局部内存里：它的某个下标还是变量。内层循环完全展开了吗？",
    },
    at_most("spill_bytes", 0) {
      points = 1,
      en = "The assembler has run out of registers and keeps values in local memory after all. What bounds the registers of the kernel?",
      zh = "寄存器不够用，汇编器还是把一些值放进了局部内存。是什么限制了核函数的寄存器数？",
    },
    at_most("global_loads", 1.35 * baseline) {
      points = 2,
      en = "Each element should be read from global memory once: the past belongs in registers, not in a second read.",
      zh = "每个元素只应从全局内存读一次：过去的值要放在寄存器里，而不是再读一遍。",
    },
  },

  steps = {
    say {
      en = [[
        A thread's own variables live in registers, if they can. Three kinds cannot: arrays indexed by a number that is not known at compile time (registers have no
        index), structs and arrays that are too large, and whatever is left when the registers run out, called a *spill*. They go to *local memory*, which is local only
        in name: it lies in device memory, behind the caches.
      ]],
      zh = [[
        线程自己的变量尽可能放在寄存器里。有三种放不下：用编译时未知的数做下标的数组（寄存器没有下标）；太大的结构体和数组；以及寄存器用完后剩下的，叫做*溢出*（spill）。
        它们会被放到*局部内存*（local memory），名叫局部，其实在设备内存里，隔着缓存。
      ]],
    },
    ask {
      alone = true,
      en = "Which of these arrays can live in registers?",
      zh = "下面哪个数组可以放在寄存器里？",
      choices = {
        { en = "`float v[8]` in a loop `for (k = 0; k < 8; k++)` that is fully unrolled", zh = "`float v[8]`，用在完全展开的循环 `for (k = 0; k < 8; k++)` 里", right = true, because = { en = "Unrolled, every index is a number that the compiler knows.", zh = "展开之后，每个下标都是编译器已知的数。" } },
        { en = "`float v[8]`, read as `v[i]` where i comes from memory", zh = "`float v[8]`，用 `v[i]` 读取，i 来自内存", because = { en = "Registers have no index.", zh = "寄存器没有下标。" } },
        { en = "`float v[1000]`, with constant indices", zh = "`float v[1000]`，下标都是常数", because = { en = "A thread has at most 255 registers.", zh = "一个线程最多 255 个寄存器。" } },
      },
    },
    ask {
      en = "Local memory is laid out so that word k of all 32 lanes lies side by side, 128 bytes in a row. Lane l of a warp reads its own word l % {m}. How many sectors does the request touch?",
      zh = "局部内存的布局是：32 个 lane 的第 k 个字并排存放，占连续 128 字节。一个线程束（warp）的 lane l 读自己的第 l % {m} 个字。这个请求碰到多少个扇区？",
      draw = { m = { from = { 1, 2, 4, 8, 16 } } },
      answer = function(d) return math.min(32, 4 * d.m) end,
      replies = { { function(d) return d.m end, en = "So many rows of 128 bytes. How many sectors of each are touched?", zh = "这是涉及的行数（每行 128 字节）。每行碰到几个扇区？" } },
      because = {
        en = "{m} rows of 128 bytes, and in each of them the words of every {m}th lane. All lanes on the same index: 4 sectors, coalesced, however large the index. The more the indices differ, the more rows: up to a sector for every lane.",
        zh = "涉及 {m} 行，每行 128 字节，每行里每隔 {m} 个 lane 取一个字。所有 lane 下标相同时是 4 个扇区，完全合并，与下标大小无关；下标越不一致，涉及的行越多，最多每个 lane 一个扇区。",
      },
    },
    predict {
      en = "The baseline reads its ring once per row. With rows = 64 and cols = 8192 there are 256 warps of 64 rows each. How many local load requests do they make?",
      zh = "基线每行读一次环形缓冲区。rows = 64、cols = 8192 时有 256 个 warp，各处理 64 行。局部内存的读请求有多少个？",
      counter = "local_ld_requests",
      of = "baseline",
      tolerance = 0.05,
      because = { en = "One per row and warp: 256 * 64 = 16,384, and as many stores, besides those that clear the ring at the start.", zh = "每个 warp 每行一次：256 * 64 = 16,384；写请求也是这么多，另外还有开头给缓冲区清零的那些。" },
    },
    show { en = "The baseline, line by line:", zh = "逐行看基线：", picture = "sectors", of = "baseline" },
    exercise { en = "Bring the ring into registers.", zh = "把环形缓冲区搬进寄存器。" },
    show { en = "Your resources:", zh = "你的资源占用：", picture = "occupancy", of = "mine" },
    compare {
      en = "Registers for memory traffic.",
      zh = "用寄存器换掉内存流量。",
      counters = { "local_ld_requests", "local_st_requests", "local_bytes", "registers", "gld_requests", "warp_inst" },
      beside = "baseline",
    },
    ask {
      en = "On an H200 the ring takes 27.7 us in local memory and 27.5 in registers. When does it pay to keep an array in registers?",
      zh = "在 H200 上，环形缓冲区放在局部内存里用 27.7 微秒，放在寄存器里用 27.5 微秒。把数组放进寄存器什么时候划算？",
      choices = {
        { en = "When the accesses to local memory are what the kernel waits for", zh = "当核函数等的正是局部内存的访问时", right = true, because = { en = "This kernel waits for device memory either way. `show stalls` names the lines that wait; in a loop that finds its other data in registers or L1, each access to local memory shows.", zh = "这个核函数反正都在等设备内存。`show stalls` 会指出在等的是哪些行；如果一个循环的其他数据都在寄存器或 L1 里，每次局部内存访问就都显得出来。" } },
        { en = "Always: a register answers at once", zh = "总是划算：寄存器立刻就有结果", because = { en = "Registers are scarce: more of them in a thread may leave room for fewer warps.", zh = "寄存器有限：每个线程多占一些，驻留的 warp 就可能变少。" } },
        { en = "Never: L1 holds local memory", zh = "永远不划算：L1 里有局部内存的内容", because = { en = "A load from L1 takes 43 cycles, and an instruction besides.", zh = "从 L1 读要 43 个周期，还多一条指令。" } },
      },
    },
  },

  hints = {
    { en = "`r % 8` is not known at compile time. But in which order does it take its values?", zh = "`r % 8` 在编译时不知道。但它取值的顺序是怎样的？" },
    { en = "Two loops: one over groups of eight rows, one over k = 0 ... 7 within the group, fully unrolled. Then the index is k.", zh = "两层循环：外层每次八行，内层 k = 0……7，完全展开。这样下标就是 k。" },
    { en = "`for (int r0 = 0; r0 < rows; r0 += 8) { #pragma unroll ... for (int k = 0; k < 8; k++) if (r0 + k < rows) { ... past[k] ... } }`", zh = "写成 `for (int r0 = 0; r0 < rows; r0 += 8) { #pragma unroll … for (int k = 0; k < 8; k++) if (r0 + k < rows) { … past[k] … } }`" },
  },

  after = {
    en = "`nvcc -Xptxas -v` prints registers, stack frame and spills of each kernel; `profile` shows them as registers, local_bytes and spill_bytes. What stays in the caches is no disaster: an H200 takes 27.7 us with the ring in local memory and 27.5 with it in registers (measured, cold L2), because this kernel waits for device memory either way. A spill may even pay if it buys occupancy: measure.",
    zh = "`nvcc -Xptxas -v` 会打印每个核函数的寄存器、栈帧和溢出；`profile` 里对应 registers、local_bytes 和 spill_bytes。留在缓存里就不算灾难：在 H200 上，环形缓冲区放在局部内存里用 27.7 微秒，放在寄存器里用 27.5 微秒（实测，L2 冷态），因为这个核函数反正都在等设备内存。如果溢出换来了占用率，甚至可能划算：请测量。",
  },
  more = {
    en = "Bound the registers with `__launch_bounds__(128, 16)`: how few registers can the kernel do with before it spills?",
    zh = "用 `__launch_bounds__(128, 16)` 限制寄存器：这个核函数用到多少寄存器以下就会溢出？",
  },
}
