-- Chapter 6: one atomic per warp.
return lab {
  id = "warp-aggregate",
  title = { en = "One atomic per warp", zh = "每个 warp 一次原子操作" },
  chapter = 6,
  minutes = 20,
  needs = { "reduce-7-shuffle" },
  source = "book 6.4",
  teaches = {
    ["ballot-popc-leader"] = "ask exercise",
  },

  entry = "void warp_aggregate(const int *in, int limit, int *found, int n)",
  args = {
    ["in"] = integers(0, 99, "n"),
    limit = scalar("70"),
    found = output("1"),
  },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 1 << 20, timed = true } },
  hidden = { count = 3, n = { 2, 20000 } },
  goals = {
    correct { points = 4 },
    at_most("global_atomics", 0.08 * baseline) {
      points = 3,
      en = "More than one lane per warp still adds. Who is the leader, and what does it add?",
      zh = "一个 warp 里仍有不止一个 lane 在加。谁是领头的？它该加多少？",
    },
    at_most("shared_atomics", 33000) {
      points = 3,
      en = "The crowd only moved to shared memory. The lanes of a warp can agree on their sum without any atomic.",
      zh = "争抢只是挪到了共享内存。一个 warp 的 lane 不用原子操作就能得出总数。",
    },
  },
  forbid = { "cub", "thrust", "cooperative_groups" },

  steps = {
    say {
      en = [[
        Filters, queues and allocators all count with atomics: `atomicAdd(&found, 1)` by every thread whose element qualifies: a *hit*. The 32 lanes of a warp meet at that
        instruction together, and all of them want the same word.
      ]],
      zh = [[
        过滤、队列、内存分配都用原子操作来计数：元素符合条件（*命中*）的线程各做一次 `atomicAdd(&found, 1)`。一个线程束（warp）的 32 个 lane 一起来到这条指令，要的都是同一个字。
      ]],
    },
    ask {
      alone = true,
      en = "`__ballot_sync(0xffffffff, hit)` gives every lane a word with one bit per lane. The lanes {a}, {b} and {c} hit. What is the word, in decimal?",
      zh = "`__ballot_sync(0xffffffff, hit)` 让每个 lane 得到一个字，每个 lane 占一位。lane {a}、{b}、{c} 命中时，这个字的十进制值是多少？",
      draw = { a = { 0, 2 }, b = { 3, 5 }, c = { 6, 8 } },
      answer = function(d) return (1 << d.a) + (1 << d.b) + (1 << d.c) end,
      replies = { { function(d) return d.a + d.b + d.c end, en = "Lane k is bit k, and bit k is worth 2^k.", zh = "lane k 对应第 k 位，而第 k 位的值是 2^k。" } },
      because = { en = "2^{a} + 2^{b} + 2^{c}.", zh = "2^{a} + 2^{b} + 2^{c}。" },
    },
    ask {
      alone = true,
      en = "What is `__popc` of the word {w}?",
      zh = "字 {w} 的 `__popc` 是多少？",
      draw = { w = { 1, 255 } },
      answer = function(d)
        local bits, w = 0, d.w
        while w > 0 do bits, w = bits + w % 2, w // 2 end
        return bits
      end,
      because = { en = "The number of 1 bits: here, of lanes that hit.", zh = "二进制中 1 的个数：在这里就是命中的 lane 数。" },
    },
    ask {
      en = "A lane that hit and needs a *place of its own* (say, in a list of results) takes the leader's old value plus ...",
      zh = "命中的 lane 如果要一个*自己的位置*（比如在结果列表里），应当取领头 lane 得到的旧值，再加上……",
      choices = {
        { en = "its lane number", zh = "自己的 lane 编号", because = { en = "The places of lanes that did not hit would stay empty.", zh = "没有命中的 lane 的位置会空着。" } },
        { en = "the number of all hits", zh = "全部命中数", because = { en = "Then all of them would get the same place, behind the last.", zh = "那样大家会得到同一个位置，而且越过了末尾。" } },
        { en = "the number of hits in the lanes below it: `__popc(hits & ((1u << lane) - 1))`", zh = "比自己编号小的 lane 中的命中数：`__popc(hits & ((1u << lane) - 1))`", right = true },
      },
      because = { en = "So the places are 0, 1, 2 ... without gaps. The leader passes its value on by `__shfl_sync`.", zh = "这样位置就是连续的 0、1、2……领头 lane 用 `__shfl_sync` 把旧值传给大家。" },
    },
    predict {
      en = "70% of the elements hit. At n = 2^20, how many atomic *lanes* does a version with one atomic per warp count?",
      zh = "有 70% 的元素命中。n = 2^20 时，每个 warp 一次原子操作的版本会数到多少个原子 *lane*？",
      counter = "atom_global_lanes",
      of = "answer",
      tolerance = 0.02,
      because = { en = "One per warp, since hardly any warp has no hit at all: 32,768.", zh = "每个 warp 一个，因为几乎没有一次都不命中的 warp：32,768。" },
    },
    exercise {
      en = "Vote, count, and let one lane add. Every lane of the warp must take part in the vote, also those beyond n.",
      zh = "投票、计数，让一个 lane 去加。warp 的每个 lane 都必须参加投票，超出 n 的也一样。",
    },
    show { en = "Your kernel, line by line:", zh = "逐行看你的核函数：", picture = "divergence", of = "mine" },
    compare {
      en = "The same count.",
      zh = "计数结果相同。",
      counters = { "atom_global_requests", "atom_global_lanes", "atom_global_serialised", "shuffles", "warp_inst" },
      beside = "baseline",
    },
    ask {
      en = "On an H200 the baseline takes 27.9 us and the model answer 27.8. When does aggregating by hand pay?",
      zh = "在 H200 上，基线用 27.9 微秒，参考答案用 27.8 微秒。自己动手聚合什么时候划算？",
      choices = {
        { en = "When each lane that hits uses the value that the atomic returns", zh = "当每个命中的 lane 都要用原子操作返回的值时", right = true, because = { en = "A sum whose old value nobody reads is added up by the compiler and by the L2. A place in a list is another one for each lane: there your own ballot is needed.", zh = "没有人用旧值的求和，编译器和 L2 会替你合起来加。列表里的位置则是每个 lane 各不相同：那就需要自己用 ballot。" } },
        { en = "When few lanes hit", zh = "当命中的 lane 很少时", because = { en = "Then there is little to add up.", zh = "那样没有多少可以合并的。" } },
        { en = "Whenever a kernel has atomics", zh = "只要核函数里有原子操作", because = { en = "Not here, as measured. And lanes with different addresses have nothing to add up.", zh = "实测表明这里就不划算。而且各 lane 地址不同时，没有什么可以合并。" } },
      },
    },
  },

  hints = {
    { en = "32 lanes, one number: how many of them hit?", zh = "32 个 lane，一个数：其中有几个命中？" },
    { en = "No early return: compute `bool hit = i < n && in[i] < limit;` in every lane, then ballot, then `__popc`.", zh = "不要提前返回：每个 lane 都计算 `bool hit = i < n && in[i] < limit;`，然后投票，再 `__popc`。" },
    { en = "`unsigned hits = __ballot_sync(0xffffffff, hit); if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, __popc(hits));`", zh = "写成 `unsigned hits = __ballot_sync(0xffffffff, hit); if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, __popc(hits));`" },
  },

  after = {
    en = [[
      For a plain `atomicAdd` of the same value to the same address the compiler of newer toolkits does this by itself, and the hardware's L2 adds up what arrives
      from one warp: on an H200 the baseline takes 27.9 us and the model answer 27.8 (measured, cold L2). Nobody will do it for you once each lane needs its place, or when the addresses differ in a way the compiler can't
      see. There it is the building block of stream compaction.
    ]],
    zh = [[
      对于往同一地址加同一个值的 `atomicAdd`，较新的编译器会自动这样做，硬件的 L2 也会把来自同一个 warp 的请求合起来加：在 H200 上，基线用 27.9 微秒，参考答案用 27.8 微秒（实测，L2 冷态）。
      但如果每个 lane 都要自己的位置，或者地址的规律编译器看不出来，就得自己来了。在那里，它是流压缩（stream compaction）的基本构件。
    ]],
  },
  more = {
    en = "Write the elements that hit into a `__device__ int list[1 << 20]`, in any order, still with one atomic per warp (now its old value is needed). What does it cost in shuffles, stores and time? Then group lanes by value with `__match_any_sync` and count several classes at once.",
    zh = "把命中的元素写进 `__device__ int list[1 << 20]`（顺序不限），每个 warp 仍只做一次原子操作（这回要用到它返回的旧值）。洗牌、写操作和时间各增加多少？再用 `__match_any_sync` 按值给 lane 分组，一次统计好几类。",
  },
}
