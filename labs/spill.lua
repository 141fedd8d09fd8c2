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
  args = { ["in"] = uniform(-1, 1, "rows * cols"), out = output("rows * cols", { ops = 1, atol = 0 }) },
  cases = { { rows = 16, cols = 128 }, { rows = 1, cols = 1 }, { rows = 37, cols = 130 }, { rows = 64, cols = 8192, timed = true } },
  hidden = { count = 3, rows = { 1, 50 }, cols = { 1, 300 } },
  goals = {
    correct { points = 4 },
    at_most("local_ld_requests", 0) {
      points = 3,
      en = [[
        The ring is still in local memory, because some index into it is a variable. Did the
        compiler fully unroll the inner loop?
      ]],
      zh = "环形缓冲区还在局部内存里，因为访问缓冲区的某个下标仍是变量。内层循环完全展开了吗？",
    },
    at_most("spill_bytes", 0) {
      points = 1,
      en = [[
        The kernel needs more registers than it may use, so the compiler keeps some values in
        local memory. What limits the number of registers?
      ]],
      zh = "寄存器不够用，编译器把一些值放进了局部内存。是什么限制了核函数的寄存器数？",
    },
    at_most("all_load_bytes", 0.7 * baseline) {
      points = 2,
      en = [[
        Read each element only once. Keep earlier values in registers, so that the thread need
        not read them again from global, local or shared memory.
      ]],
      zh = [[
        每个元素只应读一次。之前的值要留在寄存器里，这样线程就不必再读这些值：既不从全局内存读，也不
        从局部内存或共享内存读。
      ]],
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel subtracts from each element of a matrix the element eight rows above it:
        `out[r][c] = in[r][c] - in[r - 8][c]`. The result shows how much each column changes over
        eight rows. Each thread walks down one column and remembers the last eight values in a small
        array. You will find out where this array really is. Then you move it into registers.

        A thread's own variables are in registers if possible. Three kinds of values cannot be
        in registers: arrays indexed by a number that is not known at compile time (registers
        have no index), structs and arrays that are too large, and values for which no registers
        are left. The last case is called a *spill*.

        These values go to *local memory*. Only the name is local: local memory lies in device
        memory, and accesses to it go through the caches.
      ]],
      zh = [[
        本实验的核函数用矩阵的每个元素减去同一列里上方第八行的元素：
        `out[r][c] = in[r][c] - in[r - 8][c]`。结果表示每一列相隔八行的变化。每个线程沿一列往下走，
        用一个小数组记住最近的八个值。你会学到：这个数组其实在哪里。然后你要把数组搬进寄存器。

        线程自己的变量尽可能放在寄存器里。有三种值放不进去：第一种是下标在编译时未知的数组（寄存器没
        有下标）；第二种是太大的结构体和数组；第三种是寄存器用完之后放不下的值，
        这种情况叫*寄存器溢出*（spill）。

        这些值放在*局部内存*（local memory）里。局部内存只是名字叫局部，其实在设备内存里，
        要经过缓存访问。
      ]],
    },
    ask {
      alone = true,
      en = "Which of these arrays can live in registers?",
      zh = "下面哪个数组可以放在寄存器里？",
      choices = {
        {
          en = "`float v[8]` in a loop `for (k = 0; k < 8; k++)` that is fully unrolled",
          zh = "`float v[8]`，用在完全展开的循环 `for (k = 0; k < 8; k++)` 里",
          right = true,
          because = {
            en = [[
              In the unrolled code, every index is a number that the compiler knows. So each element
              can have a register of its own.
            ]],
            zh = "展开之后，每个下标都是编译器已知的数，所以每个元素可以各占一个寄存器。",
          },
        },
        {
          en = "`float v[8]`, read as `v[i]`, where i comes from memory",
          zh = "`float v[8]`，用 `v[i]` 读取，i 来自内存",
          because = {
            en = [[
              The compiler does not know i, and an instruction cannot choose a register by an index.
            ]],
            zh = "编译器不知道 i 是多少，而指令不能按下标选择寄存器。",
          },
        },
        {
          en = "`float v[1000]`, with constant indices",
          zh = "`float v[1000]`，下标都是常数",
          because = {
            en = "A thread can have at most 255 registers.",
            zh = "一个线程最多只有 255 个寄存器。",
          },
        },
      },
    },
    ask {
      en = [[
        In local memory, each lane of a warp has its own words. Word k of lane 0, word k of lane 1
        and so on lie side by side: the 32 words are a row of 128 bytes. Lane `L` reads word
        `L % {m}` of its own words. How many sectors does the request of the warp touch?
      ]],
      zh = [[
        一个线程束（warp）的每个 lane 在局部内存里有自己的字。32 个 lane 的第 k 个字并排存放，
        组成连续 128 字节的一行。lane `L` 读自己的第 `L % {m}` 个字。
        这个 warp 的请求触及多少个扇区？
      ]],
      draw = { m = { from = { 1, 2, 4, 8, 16 } } },
      answer = function(d) return math.min(32, 4 * d.m) end,
      replies = {
        {
          function(d) return d.m end,
          en = [[
            This is the number of rows that the request touches. How many sectors of each row does
            it touch?
          ]],
          zh = "这是请求触及的行数。每一行又触及几个扇区？",
        },
      },
      because = {
        en = [[
          The request touches {m} rows of 128 bytes, and in each row, one lane in {m} reads a word.
          If {m} is 8 or less, the request touches all 4 sectors of each row. Otherwise, each lane
          touches a sector of its own. So the answer is min(32, 4 * {m}).

          If all lanes use the same index, they read one row, which is 4 sectors. So the access is
          fully coalesced, however large the index is. The more the indices differ, the more rows
          the request touches. At most, it touches one sector for each lane.
        ]],
        zh = [[
          请求触及 {m} 行，每行 128 字节。在每一行里，每 {m} 个 lane 中有一个 lane 读一个字。
          如果 {m} 不超过 8，每行的 4 个扇区就都要触及；否则每个 lane 各触及一个扇区。
          所以答案是 min(32, 4 * {m})。

          如果所有 lane 的下标相同，读的就是同一行，即 4 个扇区：完全合并，与下标大小无关。
          下标越不一致，触及的行越多，最多每个 lane 各触及一个扇区。
        ]],
      },
    },
    predict {
      en = [[
        The baseline keeps each column's last eight values in an array of 8 elements, `past[r % 8]`.
        Such an array is called a *ring*, because the index starts again at 0 after 7. For each row,
        a thread reads the ring once.

        With rows = 64 and cols = 8192, there are 256 warps, and each processes 64 rows. How many
        local load requests do these warps make? (A load that a warp executes is one request.)
      ]],
      zh = [[
        基线把每一列最近的八个值存放在 8 个元素的数组 `past[r % 8]` 里。下标到 7 之后又从 0 开始，
        所以这样的数组叫*环形缓冲区*。线程每处理一行，读一次环形缓冲区。

        rows = 64、cols = 8192 时有 256 个 warp，各处理 64 行。（一个 warp 执行一次读取指令，
        算一个请求。）这些 warp 一共有多少个局部内存读请求？
      ]],
      counter = "local_ld_requests",
      of = "baseline",
      tolerance = 0.05,
      because = {
        en = [[
          Each warp makes one request per row: 256 * 64 = 16,384. It also makes one store request
          per row, and a few more at the start, to set the ring to zero.
        ]],
        zh = [[
          每个 warp 每行一个请求：256 * 64 = 16,384。写请求也是每行一个，另外还有开头给环形缓冲区清
          零的几个。
        ]],
      },
    },
    show {
      en = "The requests of the baseline, line by line:",
      zh = "逐行看基线的请求：",
      picture = "sectors",
      of = "baseline",
    },
    exercise { en = "Move the ring into registers.", zh = "把环形缓冲区搬进寄存器。" },
    show {
      en = "The resources that your kernel takes:",
      zh = "你的核函数占用的资源：",
      picture = "occupancy",
      of = "mine",
    },
    compare {
      en = "Your kernel uses more registers than the baseline, and it accesses memory less often.",
      zh = "你的核函数比基线多用了寄存器，访问内存的次数变少了。",
      counters = { "local_ld_requests", "local_st_requests", "local_bytes", "registers", "gld_requests", "warp_inst" },
      beside = "baseline",
    },
    ask {
      en = [[
        On an H200, the kernel takes 27.9 us with the ring in local memory, and 27.7 us with the
        ring in registers. So here the change gains almost nothing. When does it pay to keep an
        array in registers?
      ]],
      zh = [[
        在 H200 上，环形缓冲区放在局部内存里时核函数用 27.9 微秒，放在寄存器里时用 27.7 微秒，
        这里几乎没有收益。把数组放进寄存器什么时候划算？
      ]],
      choices = {
        {
          en = "When the kernel waits for its accesses to local memory",
          zh = "当核函数等待的正是局部内存的访问时",
          right = true,
          because = {
            en = [[
              This kernel waits for global memory in both versions. (`show stalls` names the lines
              that wait.) But a loop may have all of its other data in registers or in the L1 cache.
              Then each access to local memory adds to the time of the loop.
            ]],
            zh = [[
              这个核函数的两种写法都在等全局内存。（`show stalls` 会指出哪些行在等待。）但如果一个循
              环的其他数据都在寄存器或 L1 缓存里，每次访问局部内存都会增加这个循环的用时。
            ]],
          },
        },
        {
          en = "Always, because a register is available at once",
          zh = "总是划算，因为寄存器里的值立刻可用",
          because = {
            en = [[
              A multiprocessor has a limited number of registers. If each thread takes more of them,
              fewer warps may fit.
            ]],
            zh = "一个多处理器的寄存器数是有限的。每个线程多占一些，能驻留的 warp 就可能变少。",
          },
        },
        {
          en = "Never, because the L1 cache holds the data of local memory",
          zh = "永远不划算，因为 L1 会缓存局部内存",
          because = {
            en = [[
              Even a load from L1 costs an extra instruction and (on an H200) 43 cycles, so it can
              pay to avoid this load.
            ]],
            zh = [[
              即使从 L1 读，也要多一条指令，在 H200 上还要 43 个周期，所以省去这次读取可能划算。
            ]],
          },
        },
      },
    },
  },

  hints = {
    {
      en = [[
        The compiler does not know the value of `r % 8`. But you do: which values does `r % 8` take,
        one after another?
      ]],
      zh = "编译器不知道 `r % 8` 的值，但你知道：这个值依次是哪些数？",
    },
    {
      en = [[
        Use two loops. The outer loop takes eight rows at a time. The inner loop runs over k = 0 ...
        7 and is fully unrolled. The index into the ring is then k.
      ]],
      zh = "用两层循环。外层每次处理八行；内层 k = 0……7，完全展开。这样环形缓冲区的下标就是 k。",
    },
    {
      en = [[
        `for (int r0 = 0; r0 < rows; r0 += 8) { #pragma unroll ... for (int k = 0; k < 8; k++) if (r0 + k < rows) { ... past[k] ... } }`
      ]],
      zh = [[
        写成
        `for (int r0 = 0; r0 < rows; r0 += 8) { #pragma unroll … for (int k = 0; k < 8; k++) if (r0 + k < rows) { … past[k] … } }`。
      ]],
    },
  },

  after = {
    en = [[
      For each kernel, `nvcc -Xptxas -v` prints the number of registers, the stack frame and the
      spills. (The stack frame is the local memory of a thread, in bytes.) Warplab's counters
      `registers`, `local_bytes` and `spill_bytes` are these three numbers.

      Local memory costs little if its data stay in the caches. An H200 takes 27.9 us with the ring
      in local memory and 27.7 us with the ring in registers (measured with cold caches). The kernel
      waits for global memory in both versions. A spill may even pay if it raises the occupancy.
      Measure this in each case.
    ]],
    zh = [[
      `nvcc -Xptxas -v` 会打印每个核函数的寄存器数、栈帧大小（每个线程的局部内存字节数）和溢出；
      Warplab 的计数器 `registers`、`local_bytes` 和 `spill_bytes` 就是这三个数。

      局部内存的数据留在缓存里时，代价很小。在 H200 上，环形缓冲区放在局部内存里用 27.9 微秒，
      放在寄存器里用 27.7 微秒（冷缓存实测），因为核函数的两种写法都在等全局内存。
      如果溢出能提高占用率，甚至可能划算。是否划算，每次都要测量。
    ]],
  },
  more = {
    en = [[
      Limit the registers with `__maxnreg__(R)` before the kernel's name. What is the smallest R
      with which the kernel does not spill?
    ]],
    zh = "在核函数名前写 `__maxnreg__(R)`，限制寄存器数。R 最小是多少，这个核函数才不会溢出？",
  },
}
