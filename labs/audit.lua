-- Chapter 10, a quiz: is each access of a kernel coalesced?
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
        All questions are about this kernel. Its blocks have 256 threads. `a` to `e` are arrays of floats in global memory; the strides `s` and `t` are at least 2.

            01  __shared__ float a_s[256], bc_s[4 * 256];
            02  int i = blockIdx.x * blockDim.x + threadIdx.x;
            03  a_s[threadIdx.x] = a[i];
            04  for (int j = 0; j < 4; j++)
            05      bc_s[j * 256 + threadIdx.x] =
            06          b[j * blockDim.x * gridDim.x + i] + c[i * s + j];
            07  __syncthreads();
            08  d[i + 8] = a_s[threadIdx.x];
            09  e[i * t] = bc_s[threadIdx.x * 4];

        Ask two things about each access. First: is it to *global memory* at all? Shared memory has bank conflicts, but nothing to coalesce. Second, if it is:
        how far is the address of lane k + 1 from that of lane k, with everything else equal?
      ]],
      zh = [[
        下面的问题都针对这个核函数。每块 256 个线程；`a` 到 `e` 都是全局内存里的 float 数组，步长 `s` 和 `t` 都不小于 2。

            01  __shared__ float a_s[256], bc_s[4 * 256];
            02  int i = blockIdx.x * blockDim.x + threadIdx.x;
            03  a_s[threadIdx.x] = a[i];
            04  for (int j = 0; j < 4; j++)
            05      bc_s[j * 256 + threadIdx.x] =
            06          b[j * blockDim.x * gridDim.x + i] + c[i * s + j];
            07  __syncthreads();
            08  d[i + 8] = a_s[threadIdx.x];
            09  e[i * t] = bc_s[threadIdx.x * 4];

        对每个访问都问两件事。第一，访问的是不是*全局内存*？共享内存只有存储体冲突，谈不上合并。第二，如果是全局内存，其他都不变时，lane k + 1 的地址与 lane k 的地址相距多远？
      ]],
    },
    access("a. `a[i]`", "03", coalesced, "i grows by 1 from lane to lane, so the lanes read neighbouring floats in global memory: four sectors for a warp.", "i 从一个 lane 到下一个 lane 加 1，读的是全局内存里相邻的 float：32 个 lane 只要 4 个扇区。"),
    access("b. `a_s[threadIdx.x]`", "03", neither, "a_s is in shared memory.", "a_s 在共享内存里。"),
    access("c. `b[j * blockDim.x * gridDim.x + i]`", "06", coalesced, "At any one time j, blockDim and gridDim are the same for all lanes. Only i differs: it grows by 1 from lane to lane.", "同一时刻，j、blockDim 和 gridDim 对所有 lane 都一样；只有 i 不同，从一个 lane 到下一个 lane 加 1。"),
    access("d. `c[i * s + j]`", "06", uncoalesced, "Lane k + 1 reads {s} floats beyond lane k. Later turns of the loop over j read floats in between, but each turn is an access of its own, and with s above 4 some are never read.", "lane k + 1 读的位置比 lane k 远 {s} 个 float。中间的 float，有的要到 j 的后几步才读，那是另外几次访问；s 大于 4 时，有的根本不读。"),
    access("e. `bc_s[j * 256 + threadIdx.x]`", "05", neither, "bc_s is in shared memory.", "bc_s 在共享内存里。"),
    access("f. `a_s[threadIdx.x]`", "08", neither, "a_s is in shared memory; that holds for reads and for writes.", "a_s 在共享内存里，读和写都一样。"),
    access("g. `d[i + 8]`", "08", coalesced, "The 8 moves all lanes by the same 32 bytes. That is exactly one sector, so the warp still touches four.", "8 使所有 lane 一起移动 32 字节，正好是一个扇区，所以 warp 触及的仍是 4 个扇区。"),
    access("h. `bc_s[threadIdx.x * 4]`", "09", neither, "bc_s is in shared memory. A stride of 4 causes bank conflicts there (4 wavefronts), but coalescing is about global memory.", "bc_s 在共享内存里。步长 4 会引起存储体冲突（4 遍），但合并只针对全局内存。"),
    access("i. `e[i * t]`", "09", uncoalesced, "Lane k + 1 writes {t} floats beyond lane k. A sector holds 8 floats, so no two lanes share one.", "lane k + 1 写的位置比 lane k 远 {t} 个 float。一个扇区只有 8 个 float，所以没有两个 lane 共用同一个扇区。"),
    predict {
      en = "Now measure it. A kernel reads only `c[i * {s}]`, with full warps. How many sectors does one request touch on average?",
      zh = "来测一测：一个核函数只读 `c[i * {s}]`，线程束（warp）都是满的。一个读请求平均触及几个扇区？",
      draw = { s = { from = { 2, 4, 8, 16 } } },
      of = "kernels/audit.cu",
      entry = "void load_c(const float *c, float *d, int s, int n)",
      args = { c = uniform(-1, 1, "n * s"), d = output("n") },
      case = function(d) return { n = 4096, s = d.s } end,
      counter = "gld_sectors_per_request",
      tolerance = 0.01,
      replies = {
        { function(d) return 4 * d.s end, en = "A warp has only 32 lanes, so a request touches at most 32 sectors.", zh = "一个 warp 只有 32 个 lane，所以一个请求最多触及 32 个扇区。" },
      },
      because = { en = "The lanes are {s} * 4 bytes apart and a sector has 32 bytes: 4 * {s} sectors, but never more than 32, one for each lane.", zh = "相邻 lane 相距 {s} * 4 字节，一个扇区 32 字节，所以是 4 * {s} 个扇区；但最多 32 个，即每个 lane 一个。" },
    },
    predict {
      en = "Now `e[i * {t}]`: how many sectors does one store request touch?",
      zh = "再看 `e[i * {t}]`：一个写请求触及几个扇区？",
      draw = { t = { from = { 2, 4, 8, 12 } } },
      of = "kernels/audit.cu",
      entry = "void store_e(const float *a, float *e, int t, int n)",
      args = { a = uniform(-1, 1, "n"), e = inout(zeros("n * t")) },
      case = function(d) return { n = 4096, t = d.t } end,
      counter = "gst_sectors_per_request",
      tolerance = 0.01,
      because = { en = "4 * {t}, at most 32. From a stride of 8 on, each lane has a sector to itself and uses 4 of its 32 bytes.", zh = "4 * {t} 个，最多 32 个。步长达到 8 以后，每个 lane 独占一个扇区，32 字节只用 4 字节。" },
    },
    show {
      en = "The whole kernel line by line, with s = 4 and t = 8. One line reads both b and c: it shows the mean of their 4 and 16 sectors. Shared memory does not appear.",
      zh = "逐行看整个核函数，s = 4，t = 8。有一行同时读 b 和 c，显示的是 4 个和 16 个扇区的平均值。图里不含共享内存。",
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
    en = "Look at the factor of threadIdx.x in the index. With 1 the access is coalesced, with 0 it is a broadcast, and anything larger is a stride. Constants and loop counters only move all lanes together.",
    zh = "看下标里 threadIdx.x 的系数：是 1 就是合并的，是 0 就是广播，更大就是带步长的访问。常数和循环变量只是让所有 lane 一起移动。",
  },
  more = {
    en = "Store `c` in another order, so that `c[i * s + j]` becomes `c[j * n + i]`. What does that change for the code that writes c?",
    zh = "换一种次序存放 `c`，让 `c[i * s + j]` 变成 `c[j * n + i]`。写 c 的代码会受什么影响？",
  },
}
