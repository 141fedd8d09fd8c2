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
      en = "More than one lane per warp still adds. Which lane is the leader, and what does it add?",
      zh = "一个 warp 里仍有不止一个 lane 在加。哪个是领头 lane？领头 lane 应当加多少？",
    },
    at_most("shared_atomics", 33000) {
      points = 3,
      en = "The atomics only moved to shared memory. The lanes of a warp can count their hits without any atomic.",
      zh = "原子操作只是移到了共享内存。一个 warp 的 lane 不用原子操作就能数出命中数。",
    },
  },
  forbid = { "cub", "thrust", "cooperative_groups" },

  steps = {
    say {
      en = [[
        Filters, queues and allocators count with atomics: every thread whose element qualifies, a *hit*, does `atomicAdd(&found, 1)`. The 32 lanes of a warp reach this
        instruction together, and all that hit want the same word.
      ]],
      zh = [[
        过滤、队列、内存分配都用原子操作来计数：元素符合条件（*命中*）的线程各做一次 `atomicAdd(&found, 1)`。一个线程束（warp）的 32 个 lane 一起执行到这条指令，命中的 lane 要的都是同一个字。
      ]],
    },
    ask {
      alone = true,
      en = "`__ballot_sync(0xffffffff, hit)` gives every lane the same word, with one bit per lane. The lanes {a}, {b} and {c} hit. What is the word in decimal?",
      zh = "`__ballot_sync(0xffffffff, hit)` 让每个 lane 得到同一个字，其中每个 lane 占一位。lane {a}、{b}、{c} 命中时，这个字的十进制值是多少？",
      draw = { a = { 0, 2 }, b = { 3, 5 }, c = { 6, 8 } },
      answer = function(d) return (1 << d.a) + (1 << d.b) + (1 << d.c) end,
      replies = { { function(d) return d.a + d.b + d.c end, en = "Lane k sets bit k, and bit k has the value 2^k.", zh = "lane k 对应第 k 位，而第 k 位的值是 2^k。" } },
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
      because = { en = "`__popc` gives the number of 1 bits: here, the number of lanes that hit.", zh = "`__popc` 给出二进制中 1 的个数：在这里就是命中的 lane 数。" },
    },
    ask {
      en = "A lane that hit needs its *own place*, for example in a list of results. It takes the leader's old value plus ...",
      zh = "命中的 lane 要一个*自己的位置*，例如在结果列表里。这时应当取领头 lane 得到的旧值，再加上……",
      choices = {
        { en = "its lane number", zh = "自己的 lane 编号", because = { en = "The places of lanes that did not hit would stay empty.", zh = "没有命中的 lane 的位置会空着。" } },
        { en = "the number of all hits", zh = "全部命中数", because = { en = "Then all lanes would get the same place, one past the last.", zh = "那样所有 lane 会得到同一个位置，而且在最后一个位置之后。" } },
        { en = "the number of hits in the lanes below it: `__popc(hits & ((1u << lane) - 1))`", zh = "比自己编号小的 lane 中的命中数：`__popc(hits & ((1u << lane) - 1))`", right = true },
      },
      because = { en = "So the places are 0, 1, 2 ... without gaps. The lanes get the leader's old value with `__shfl_sync`.", zh = "这样位置就是连续的 0、1、2……各 lane 用 `__shfl_sync` 取得领头 lane 的旧值。" },
    },
    predict {
      en = "70% of the elements are hits. At n = 2^20, how many atomics of *lanes* will the device count if each warp does one atomic?",
      zh = "有 70% 的元素命中。n = 2^20 时，若每个 warp 做一次原子操作，设备会数到多少次 *lane* 的原子操作？",
      counter = "atom_global_lanes",
      of = "answer",
      tolerance = 0.02,
      because = { en = "One per warp, since almost every warp has a hit: 32,768.", zh = "每个 warp 一次，因为几乎每个 warp 都有命中：32,768。" },
    },
    exercise {
      en = "Vote, count, and let one lane add. Every lane of the warp must take part in the vote, including lanes beyond n.",
      zh = "先投票，再计数，然后由一个 lane 来加。warp 的每个 lane 都必须参加投票，包括超出 n 的 lane。",
    },
    show { en = "Your kernel, line by line:", zh = "逐行看你的核函数：", picture = "divergence", of = "mine" },
    compare {
      en = "The count is the same, with fewer atomics.",
      zh = "计数结果相同，原子操作少了。",
      counters = { "atom_global_requests", "atom_global_lanes", "atom_global_serialised", "shuffles", "warp_inst" },
      beside = "baseline",
    },
    ask {
      en = "On an H200 the baseline takes 27.9 us and the model answer 27.8 us. When does it pay to aggregate in your own code?",
      zh = "在 H200 上，基线用 27.9 微秒，参考答案用 27.8 微秒。在自己的代码里聚合，什么时候划算？",
      choices = {
        { en = "When each lane that hits uses the value that the atomic returns", zh = "当每个命中的 lane 都要用原子操作返回的值时", right = true, because = { en = "If the old value is not used, the compiler or L2 combines the additions for you. But each lane needs a different place in a list: there you need your own ballot.", zh = "如果不用旧值，编译器或 L2 会自动合并这些加法。但列表里的位置每个 lane 各不相同，就需要自己用 ballot。" } },
        { en = "When few lanes hit", zh = "当命中的 lane 很少时", because = { en = "Then there are few atomics to combine.", zh = "那样没有多少原子操作可以合并。" } },
        { en = "In every kernel that has atomics", zh = "只要核函数里有原子操作", because = { en = "This kernel has atomics, and it does not pay here, as measured. And atomics on different addresses cannot be combined.", zh = "实测表明，这个核函数有原子操作，聚合却不划算。而且地址不同的原子操作无法合并。" } },
      },
    },
  },

  hints = {
    { en = "A warp needs to add only one number: how many of its 32 lanes hit?", zh = "一个 warp 只需加一个数：32 个 lane 中有几个命中？" },
    { en = "No early return: compute `bool hit = i < n && in[i] < limit;` in every lane, then ballot, then `__popc`.", zh = "不要提前返回：每个 lane 都计算 `bool hit = i < n && in[i] < limit;`，然后投票，再 `__popc`。" },
    { en = "`unsigned hits = __ballot_sync(0xffffffff, hit); if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, __popc(hits));`", zh = "写成 `unsigned hits = __ballot_sync(0xffffffff, hit); if (threadIdx.x % 32 == 0 && hits) atomicAdd(found, __popc(hits));`" },
  },

  after = {
    en = [[
      If all lanes add the same value to the same address and ignore the old value, newer compilers aggregate by themselves, and L2 combines the additions of one
      warp. So on an H200 both versions take about 28 us (measured, cold L2).

      You must aggregate yourself if each lane needs its own place, or if the compiler cannot see which lanes use the same address. One atomic per warp is the
      building block of *stream compaction*, which writes the elements that qualify one after another.
    ]],
    zh = [[
      如果各 lane 往同一地址加同一个值，又不用旧值，较新的编译器会自动聚合，L2 也会合并来自同一个 warp 的加法。所以在 H200 上，两个版本都用约 28 微秒（实测，L2 冷态）。

      如果每个 lane 都要自己的位置，或者编译器看不出哪些 lane 用同一个地址，就要自己聚合。每个 warp 一次原子操作是*流压缩*（stream compaction）的基本构件：流压缩把符合条件的元素依次写到一起。
    ]],
  },
  more = {
    en = "Write the hits into a `__device__ int list[1 << 20]`, in any order, still with one atomic per warp (now you need its old value). How many more shuffles, stores and microseconds does this take? Then group lanes by value with `__match_any_sync` and count several classes at once.",
    zh = "把命中的元素写进 `__device__ int list[1 << 20]`（顺序不限），每个 warp 仍只做一次原子操作（这时要用到原子操作返回的旧值）。shuffle、写操作和时间各增加多少？再用 `__match_any_sync` 按值给 lane 分组，一次统计几个类别。",
  },
}
