-- Chapter 10, a quiz: is each access of a kernel coalesced?
local coalesced = { en = "coalesced", zh = "合并的" }
local uncoalesced = { en = "uncoalesced", zh = "未合并的" }
local neither = { en = "not applicable", zh = "不适用" }

-- A question about one access; `right` is one of the three above, `because` says why.
local function access(text, line, right, en, zh)
  local choices = {}
  for k, answer in ipairs({ coalesced, uncoalesced, neither }) do
    choices[k] = {
      en = answer.en,
      zh = answer.zh,
      right = answer == right,
      because = { en = en, zh = zh },
    }
  end
  return ask {
    en = text .. " in line " .. line .. ", with s = {s} and t = {t}: is the access coalesced?",
    zh = text .. "（第 " .. line .. " 行），s = {s}，t = {t}：这个访问是合并的吗？",
    draw = "strides",
    order = "fixed",
    choices = choices,
  }
end

return lab {
  id = "audit",
  title = { en = "An audit of accesses", zh = "访问审计" },
  chapter = 10,
  minutes = 15,
  needs = { "coalescing" },
  source = "book exercise 3",
  teaches = {
    ["audit-consecutive"] = "say ask",
    ["audit-shared"] = "say ask",
    ["audit-strided"] = "ask predict",
  },
  goals = { answers { points = 6, need = 0.75 } },
  draws = { strides = { s = { from = { 2, 3, 4, 5, 6 } }, t = { from = { 8, 10, 12, 16 } } } },

  steps = {
    say {
      en = [[
        In this lab you look at each memory access of a kernel and decide whether it is coalesced.
        An access is *coalesced* if neighbouring lanes access neighbouring words of global memory:
        this takes the fewest sectors. The kernel below has blocks of 256 threads and serves only as
        an example. `a` to `e` are arrays of floats in global memory. The strides `s` and `t` are at
        least 2.

            01  __shared__ float a_s[256], bc_s[4 * 256];
            02  int i = blockIdx.x * blockDim.x + threadIdx.x;
            03  a_s[threadIdx.x] = a[i];
            04  for (int j = 0; j < 4; j++)
            05      bc_s[j * 256 + threadIdx.x] =
            06          b[j * blockDim.x * gridDim.x + i] + c[i * s + j];
            07  __syncthreads();
            08  d[i + 8] = a_s[threadIdx.x];
            09  e[i * t] = bc_s[threadIdx.x * 4];

        Ask two questions about each access. First, *is this access to global memory?* An access to
        shared memory can have bank conflicts, but it is neither coalesced nor uncoalesced. For such
        an access, the answer is "not applicable".

        Second, if the access is to global memory: how far apart are the addresses of lane k and
        lane k + 1? Compare the two lanes at the same moment, so that the loop counter has the same
        value in both.
      ]],
      zh = [[
        在这个实验里，你要逐个检查核函数的内存访问，判断它是不是合并的。一个线程束（warp）里相邻的
        lane 访问全局内存里相邻的字，就是*合并的*访问，需要的扇区最少。下面的核函数只是一个例子，
        每块 256 个线程。`a` 到 `e` 都是全局内存里的 float 数组，步长 `s` 和 `t` 都不小于 2。

            01  __shared__ float a_s[256], bc_s[4 * 256];
            02  int i = blockIdx.x * blockDim.x + threadIdx.x;
            03  a_s[threadIdx.x] = a[i];
            04  for (int j = 0; j < 4; j++)
            05      bc_s[j * 256 + threadIdx.x] =
            06          b[j * blockDim.x * gridDim.x + i] + c[i * s + j];
            07  __syncthreads();
            08  d[i + 8] = a_s[threadIdx.x];
            09  e[i * t] = bc_s[threadIdx.x * 4];

        对每个访问都问两个问题。第一，*访问的是不是全局内存？* 访问共享内存可能有存储体冲突，
        但谈不上合并不合并，答案就是“不适用”。

        第二，如果访问的是全局内存，lane k 和 lane k + 1 的地址相距多远？比较的是两个 lane 在同一时
        刻的地址，所以循环变量的值相同。
      ]],
    },
    access("a. `a[i]`", "03", coalesced,
      [[
        i grows by 1 from lane to lane. So the lanes read neighbouring floats in global memory, and
        a warp needs only four sectors.
      ]],
      [[
        从一个 lane 到下一个 lane，i 加 1。所以读的是全局内存里相邻的 float，一个 warp 只要 4 个扇区。
      ]]),
    access("b. `a_s[threadIdx.x]`", "03", neither,
      "a_s is in shared memory.",
      "a_s 在共享内存里。"),
    access("c. `b[j * blockDim.x * gridDim.x + i]`", "06", coalesced,
      [[
        At any one moment, j, blockDim and gridDim are the same in all lanes. Only i differs, and it
        grows by 1 from lane to lane.
      ]],
      [[
        同一时刻，j、blockDim 和 gridDim 在所有 lane 里都一样。只有 i 不同：从一个 lane 到下一
        个 lane，i 加 1。
      ]]),
    access("d. `c[i * s + j]`", "06", uncoalesced,
      [[
        The float that lane k + 1 reads lies {s} places after that of lane k. Later iterations of
        the loop over j read floats between these two, but each iteration is a separate access. If s
        is above 4, some floats are never read.
      ]],
      [[
        lane k + 1 读的位置比 lane k 远 {s} 个 float。两者之间的 float 要到 j 循环的后几步才读，
        而每一步都是另一次访问。s 大于 4 时，有的 float 根本不读。
      ]]),
    access("e. `bc_s[j * 256 + threadIdx.x]`", "05", neither,
      [[
        bc_s is in shared memory. Its neighbouring words are in different banks, but coalescing is
        about global memory.
      ]],
      "bc_s 在共享内存里。相邻的字在不同的存储体里，但合并只针对全局内存。"),
    access("f. `a_s[threadIdx.x]`", "08", neither,
      "a_s is in shared memory. It does not matter that line 03 writes it and line 08 reads it.",
      "a_s 在共享内存里。第 03 行是写，第 08 行是读，结论都一样。"),
    access("g. `d[i + 8]`", "08", coalesced,
      [[
        The 8 moves the addresses of all lanes by 32 bytes. This is exactly one sector, so a warp
        still needs only four sectors.
      ]],
      "8 使所有 lane 的地址都移动 32 字节，正好是一个扇区。所以一个 warp 仍然只要 4 个扇区。"),
    access("h. `bc_s[threadIdx.x * 4]`", "09", neither,
      [[
        bc_s is in shared memory. A stride of 4 causes bank conflicts there (4 passes), but
        coalescing is about global memory.
      ]],
      "bc_s 在共享内存里。步长 4 会引起存储体冲突（4 遍），但合并只针对全局内存。"),
    access("i. `e[i * t]`", "09", uncoalesced,
      [[
        The float that lane k + 1 writes lies {t} places after that of lane k. A sector holds 8
        floats, so no two lanes write to the same sector.
      ]],
      [[
        lane k + 1 写的位置比 lane k 远 {t} 个 float。一个扇区只有 8 个 float，
        所以没有两个 lane 写同一个扇区。
      ]]),
    predict {
      en = [[
        A kernel reads only `c[i * {s}]`, and all its warps are full. Each time a warp executes a
        read instruction, it makes one read request. How many sectors does a request touch on
        average?
      ]],
      zh = [[
        一个核函数的读取只有 `c[i * {s}]` 一处，各个 warp 都是满的。warp 执行一次读取指令，
        就发出一个读请求。一个读请求平均触及几个扇区？
      ]],
      draw = { s = { from = { 2, 4, 8, 16 } } },
      of = "kernels/audit.cu",
      entry = "void load_c(const float *c, float *d, int s, int n)",
      args = { c = uniform(-1, 1, "n * s"), d = output("n") },
      case = function(d) return { n = 4096, s = d.s } end,
      counter = "gld_sectors_per_request",
      tolerance = 0.01,
      replies = {
        {
          function(d) return 4 * d.s end,
          en = [[
            A warp has only 32 lanes, and each lane reads from one sector. How many sectors can a
            request touch at most?
          ]],
          zh = "一个 warp 只有 32 个 lane，每个 lane 只读一个扇区。一个请求最多能触及几个扇区？",
        },
      },
      because = {
        en = [[
          Neighbouring lanes are {s} * 4 bytes apart, and a sector has 32 bytes. So a request
          touches 4 * {s} sectors, but never more than 32, one for each lane.
        ]],
        zh = [[
          相邻的 lane 相距 {s} * 4 字节，一个扇区有 32 字节，所以一个请求触及 4 * {s} 个扇区。
          但最多 32 个，即每个 lane 一个。
        ]],
      },
    },
    predict {
      en = [[
        Another kernel writes only `e[i * {t}]`. How many sectors does one write request touch?
      ]],
      zh = "另一个核函数的写入只有 `e[i * {t}]` 一处。一个写请求触及几个扇区？",
      draw = { t = { from = { 2, 4, 8, 12 } } },
      of = "kernels/audit.cu",
      entry = "void store_e(const float *a, float *e, int t, int n)",
      args = { a = uniform(-1, 1, "n"), e = inout(zeros("n * t")) },
      case = function(d) return { n = 4096, t = d.t } end,
      counter = "gst_sectors_per_request",
      tolerance = 0.01,
      replies = {
        {
          4,
          en = [[
            4 sectors are enough only if neighbouring lanes write neighbouring words. Here their
            words are {t} words apart.
          ]],
          zh = "只有相邻的 lane 写相邻的字时，4 个扇区才够。这里它们的字相隔 {t} 个字。",
        },
        {
          32,
          en = [[
            This would be right if each lane had a sector of its own. A sector holds 8 words, so at
            a stride of {t} several lanes share one.
          ]],
          zh = [[
            每个 lane 各占一个扇区时才是这样。一个扇区有 8 个字，步长为 {t} 时，
            几个 lane 共用一个扇区。
          ]],
        },
        {
          function(d) return 4 * d.t end,
          en = [[
            A warp has 32 lanes, and each of them writes one word. Can it touch more sectors than
            that?
          ]],
          zh = "一个 warp 有 32 个 lane，每个 lane 写一个字。涉及的扇区会比这还多吗？",
        },
      },
      because = {
        en = [[
          4 * {t} sectors, at most 32. If the stride is 8 or more, each lane has its own sector and
          uses only 4 of its 32 bytes.
        ]],
        zh = [[
          4 * {t} 个扇区，最多 32 个。步长不小于 8 时，每个 lane 独占一个扇区，32 字节里只用
          到 4 个。
        ]],
      },
    },
    show {
      en = [[
        The whole kernel, line by line, with s = 4 and t = 8. One line reads both `b` and `c`.
        Reading `b` takes 4 sectors and reading `c` takes 16, and the picture shows the mean of both
        for this line. Accesses to shared memory are not shown.
      ]],
      zh = [[
        逐行看整个核函数，s = 4，t = 8。有一行同时读 `b` 和 `c`：读 `b` 要 4 个扇区，读 `c` 要 16
        个，这一行显示的是两者的平均值。对共享内存的访问没有列出。
      ]],
      picture = "sectors",
      of = "kernels/audit.cu",
      entry = "void audit(const float *a, const float *b, const float *c, float *d, float *e, int s, int t, int n)",
      args = {
        a = uniform(-1, 1, "n"), b = uniform(-1, 1, "4 * n"), c = uniform(-1, 1, "n * s + 4"),
        d = inout(zeros("n + 8")), e = inout(zeros("n * t")),
      },
      case = { n = 4096, s = 4, t = 8 },
    },
  },
  after = {
    en = [[
      Look at the factor of `threadIdx.x` in the index. If the factor is 1, the access is coalesced.
      If it is 0, all lanes access the same word, which is called a broadcast. If it is larger than
      1, the access has a stride. Constants and loop counters only move all lanes together.
    ]],
    zh = [[
      看下标里 `threadIdx.x` 的系数。系数是 1，访问就是合并的；系数是 0，所有 lane 访问同一个字，这
      叫广播；系数大于 1，访问就有步长。常数和循环变量只是让所有 lane 一起移动。
    ]],
  },
  more = {
    en = [[
      Store `c` in another order, so that `c[i * s + j]` becomes `c[j * n + i]`. What does this
      change for the code that writes `c`?
    ]],
    zh = [[
      换一种次序存放 `c`，让 `c[i * s + j]` 变成 `c[j * n + i]`。写 `c` 的那段代码会受什么影响？
    ]],
  },
}
