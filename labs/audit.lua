-- Chapter 10, a quiz: of each access of a kernel, whether it is coalesced.
local coalesced = { en = "coalesced", zh = "合并的" }
local uncoalesced = { en = "uncoalesced", zh = "未合并的" }
local neither = { en = "not applicable", zh = "不适用" }

-- A question about one access; `right` is one of the three above, `because` says why.
local function access(text, line, right, en, zh)
  local choices = {}
  for k, answer in ipairs({ coalesced, uncoalesced, neither }) do
    choices[k] = { en = answer.en, zh = answer.zh, right = answer == right, because = { en = en, zh = zh } }
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
        The kernel of the questions. Launched with blocks of 256 threads; `a` to `e` are arrays of floats in global memory, `s` and `t` are strides of 2 or more.

            01  __shared__ float a_s[256], bc_s[4 * 256];
            02  int i = blockIdx.x * blockDim.x + threadIdx.x;
            03  a_s[threadIdx.x] = a[i];
            04  for (int j = 0; j < 4; j++)
            05      bc_s[j * 256 + threadIdx.x] =
            06          b[j * blockDim.x * gridDim.x + i] + c[i * s + j];
            07  __syncthreads();
            08  d[i + 8] = a_s[threadIdx.x];
            09  e[i * t] = bc_s[threadIdx.x * 4];

        Ask two things of each access: is it to *global memory* at all? Shared memory has bank conflicts, but nothing to coalesce. And if it is: how far is the address of lane k + 1 from that of
        lane k, with everything else equal?
      ]],
      zh = [[
        下面的问题都针对这个核函数。每块 256 个线程；`a` 到 `e` 都是全局内存里的 float 数组，`s` 和 `t` 是不小于 2 的跨度。

            01  __shared__ float a_s[256], bc_s[4 * 256];
            02  int i = blockIdx.x * blockDim.x + threadIdx.x;
            03  a_s[threadIdx.x] = a[i];
            04  for (int j = 0; j < 4; j++)
            05      bc_s[j * 256 + threadIdx.x] =
            06          b[j * blockDim.x * gridDim.x + i] + c[i * s + j];
            07  __syncthreads();
            08  d[i + 8] = a_s[threadIdx.x];
            09  e[i * t] = bc_s[threadIdx.x * 4];

        对每个访问问两件事：它访问的到底是不是*全局内存*？共享内存只有 存储体冲突，谈不上合并。如果是，那么其他都不变时，lane k + 1 的地址与 lane k 的相距多远？
      ]],
    },
    access("a. `a[i]`", "03", coalesced, "i grows by 1 from lane to lane: neighbouring floats of the global memory, four sectors for a warp.", "i 逐 lane 加 1：全局内存里相邻的 float，一个 warp 四个扇区。"),
    access("b. `a_s[threadIdx.x]`", "03", neither, "a_s is in shared memory.", "a_s 在共享内存里。"),
    access("c. `b[j * blockDim.x * gridDim.x + i]`", "06", coalesced, "j, blockDim and gridDim are the same for all lanes at a time; i grows by 1.", "同一时刻 j、blockDim、gridDim 对所有 lane 都一样，只有 i 逐个加 1。"),
    access("d. `c[i * s + j]`", "06", uncoalesced, "Lane k + 1 is {s} floats further on than lane k. That j walks through the gap later is another access each time.", "lane k + 1 比 lane k 远 {s} 个 float。j 以后会走过中间的空隙，但那是另外几次访问。"),
    access("e. `bc_s[j * 256 + threadIdx.x]`", "05", neither, "bc_s is in shared memory.", "bc_s 在共享内存里。"),
    access("f. `a_s[threadIdx.x]`", "08", neither, "a_s is in shared memory, read or written.", "a_s 在共享内存里，读写都一样。"),
    access("g. `d[i + 8]`", "08", coalesced, "The 8 moves all lanes alike, by 32 bytes: a whole sector, so not even one more is touched.", "8 使所有 lane 一起移动 32 字节，正好一个扇区，连多碰一个扇区都没有。"),
    access("h. `bc_s[threadIdx.x * 4]`", "09", neither, "bc_s is in shared memory. A stride of 4 means bank conflicts there (4 wavefronts), but that is another matter.", "bc_s 在共享内存里。跨度 4 会引起 存储体冲突（4 遍），但那是另一回事。"),
    access("i. `e[i * t]`", "09", uncoalesced, "Lane k + 1 is {t} floats further on than lane k: no two lanes share a sector of 8 floats.", "lane k + 1 比 lane k 远 {t} 个 float：一个扇区 8 个 float，没有两个 lane 同在一个扇区。"),
    predict {
      en = "Now measured: `c[i * {s}]` alone, with whole warps. How many sectors does one request touch, on average?",
      zh = "来测一测：单独的 `c[i * {s}]`，线程束（warp）都是满的。平均一个读请求碰到几个扇区？",
      draw = { s = { from = { 2, 4, 8, 16 } } },
      of = "kernels/audit.cu",
      entry = "void load_c(const float *c, float *d, int s, int n)",
      args = { c = uniform(-1, 1, "n * s"), d = output("n") },
      case = function(d) return { n = 4096, s = d.s } end,
      counter = "gld_sectors_per_request",
      tolerance = 0.01,
      replies = {
        { function(d) return 4 * d.s end, en = "There are only 32 lanes: no more than 32 sectors.", zh = "只有 32 个 lane，最多 32 个扇区。" },
      },
      because = { en = "32 lanes, {s} * 4 bytes apart, on sectors of 32 bytes: 4 * {s}, but never more than 32, one per lane.", zh = "32 个 lane，相距 {s} * 4 字节，每个扇区 32 字节：4 * {s} 个，但最多 32 个，每个 lane 一个。" },
    },
    predict {
      en = "And `e[i * {t}]`: how many sectors does one store request touch?",
      zh = "再看 `e[i * {t}]`：一个写请求碰到几个扇区？",
      draw = { t = { from = { 2, 4, 8, 12 } } },
      of = "kernels/audit.cu",
      entry = "void store_e(const float *a, float *e, int t, int n)",
      args = { a = uniform(-1, 1, "n"), e = inout(zeros("n * t")) },
      case = function(d) return { n = 4096, t = d.t } end,
      counter = "gst_sectors_per_request",
      tolerance = 0.01,
      because = { en = "4 * {t}, at most 32. From a stride of 8 on each lane has a sector to itself, and 4 of its 32 bytes are used.", zh = "4 * {t}，最多 32。跨度到 8 以后，每个 lane 独占一个扇区，32 字节只用 4 字节。" },
    },
    show {
      en = "The whole kernel with s = 4 and t = 8, line by line. The line with both b and c shows the mean of 4 and 16 sectors; shared memory does not appear.",
      zh = "整个核函数，s = 4，t = 8，逐行来看。同时读 b 和 c 的那一行是 4 和 16 个扇区的平均；共享内存不在图里。",
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
    en = "Look for the coefficient of threadIdx.x in the index: 1 is coalesced, 0 is a broadcast, more is a stride. Constants and loop counters only move all lanes together.",
    zh = "看下标里 threadIdx.x 的系数：1 是合并的，0 是广播，更大就是跨步。常数和循环变量只是让所有 lane 一起移动。",
  },
  more = {
    en = "Put `c` into an order in which `c[j * n + i]` takes the place of `c[i * s + j]`. What does that do to whoever writes c?",
    zh = "换一种方式存放 `c`，让 `c[i * s + j]` 变成 `c[j * n + i]`。写 c 的那一方会受什么影响？",
  },
}
