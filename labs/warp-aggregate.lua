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
    ["in"] = integers(0, 99, "n", -(1 << 31), (1 << 31) - 1),
    limit = scalar("limit"),
    found = output("1"),
  },
  cases = {
    { n = 256, limit = 70 },
    { n = 1, limit = 100 },
    { n = 1003, limit = 20 },
    { n = 1 << 20, limit = 70, timed = true },
  },
  hidden = { count = 3, n = { 2, 20000 }, limit = { 1, 99 } },
  goals = {
    correct { points = 3 },
    at_most("global_atomics", 0.08 * baseline) {
      points = 1,
      en = "The warps still do too many atomics. One atomic for each warp is enough.",
      zh = "原子操作仍然太多。每个 warp 做一次就够了。",
    },
    at_most("lanes_per_atomic", 1.5) {
      points = 2,
      en = [[
        In your kernel, more than one lane of a warp still does an atomic. Let a single lane of each
        warp, the *leader*, add for all 32 lanes.
      ]],
      zh = [[
        一个 warp 里仍有不止一个 lane 做原子操作。应当只由一个*领头 lane* 替整个 warp 的 32
        个 lane 一起加。
      ]],
    },
    at_least("shuffles_per_atomic", 0.7) {
      points = 2,
      en = [[
        The lanes of a warp still do their own atomics, perhaps in turns. Before each atomic, let
        the lanes learn from each other how much the leader has to add for all of them.
      ]],
      zh = [[
        一个 warp 的各个 lane 仍在各做各的原子操作，也许是轮流做。每次原子操作之前，应当先让各个 lane
        互相得知领头 lane 要替大家加多少。
      ]],
    },
    at_least("shuffles", 200) {
      points = 1,
      en = [[
        Let the lanes of a warp learn from each other how many of them have a hit: by a vote, such
        as `__ballot_sync()`, or by a shuffle or a reduction of the warp.
      ]],
      zh = [[
        让一个 warp 的 lane 互相得知共有几个命中：用投票（例如 `__ballot_sync()`），或者用 warp 内的
        shuffle 或归约。
      ]],
    },
    at_most("shared_updates", 33000) {
      points = 1,
      en = [[
        Your kernel only moved the counting to shared memory: it uses atomics there, or arrivals
        at an mbarrier. The lanes of a warp can count their hits without shared memory.
      ]],
      zh = [[
        你只是把计数移到了共享内存里（用共享内存的原子操作，或者用 mbarrier 的到达）。一个 warp 的
        lane 不用共享内存，也能数出有几个命中。
      ]],
    },
  },
  forbid = { "cub", "thrust", "cooperative_groups" },

  steps = {
    say {
      en = [[
        This lab's kernel counts how many elements of an array are below a limit. Such an element is
        a *hit*. Filters, queues and memory allocators count in the same way.

        In the skeleton, each thread that has a hit does `atomicAdd(found, 1)`. The 32 lanes of a
        warp reach this instruction together, and all lanes with a hit want the same word. You will
        let each warp count its hits first and then do one atomic for all of them.
      ]],
      zh = [[
        本实验的核函数统计数组里小于某个上限的元素个数，这样的元素叫*命中*。过滤、
        队列和内存分配都这样计数。

        骨架代码里，每个命中的线程各做一次 `atomicAdd(found, 1)`。一个线程束（warp）
        的 32 个 lane 一起执行到这条指令，命中的 lane 要的都是同一个字。
        你要让每个 warp 先数出自己有几个命中，再用一次原子操作全部加上。
      ]],
    },
    ask {
      alone = true,
      en = [[
        With `__ballot_sync(0xffffffff, hit)`, the lanes of a warp *vote*: each lane says whether
        its `hit` is true, and all lanes get the same word as the result. This word has one bit for
        each lane. Bit k is 1 if lane k has a hit. Only the lanes {a}, {b} and {c} have a hit. What
        is the word in decimal?
      ]],
      zh = [[
        `__ballot_sync(0xffffffff, hit)` 是一次*投票*：每个 lane 报告自己的 `hit` 是否为真，
        所有 lane 都得到同一个字，也就是投票的结果。每个 lane 在这个字里占一位：lane k 命中时，
        第 k 位是 1。只有 lane {a}、{b}、{c} 命中时，这个字的十进制值是多少？
      ]],
      draw = { a = { 0, 2 }, b = { 3, 5 }, c = { 6, 8 } },
      answer = function(d) return (1 << d.a) + (1 << d.b) + (1 << d.c) end,
      replies = {
        {
          function(d) return d.a + d.b + d.c end,
          en = "Lane k sets bit k, and bit k has the value 2^k.",
          zh = "lane k 对应第 k 位，而第 k 位的值是 2^k。",
        },
      },
      because = {
        en = "The bits {a}, {b} and {c} are 1, so the word is 2^{a} + 2^{b} + 2^{c}.",
        zh = "第 {a}、{b}、{c} 位是 1，所以这个字是 2^{a} + 2^{b} + 2^{c}。",
      },
    },
    ask {
      alone = true,
      en = "The function `__popc` counts the 1 bits of a word. What is `__popc({w})`?",
      zh = "函数 `__popc` 数出一个字里有几位是 1。`__popc({w})` 是多少？",
      draw = { w = { 1, 255 } },
      answer = function(d)
        local bits, w = 0, d.w
        while w > 0 do bits, w = bits + w % 2, w // 2 end
        return bits
      end,
      because = {
        en = [[
          Write {w} in binary and count the ones. If the word is the result of a vote, `__popc`
          gives the number of lanes that hit.
        ]],
        zh = "把 {w} 写成二进制，数一数有几个 1。对投票得到的字来说，`__popc` 就是命中的 lane 数。",
      },
    },
    ask {
      en = [[
        Now the hits go into a list, and each lane that hit needs its *own place* there. One lane of
        the warp, the *leader*, adds the number of hits to a counter with an atomic, which returns
        the counter's old value. `hits` is the result of the vote. The place of a lane that hit is
        the old value plus ...
      ]],
      zh = [[
        现在要把命中的元素写进一个列表，每个命中的 lane 都要有*自己的位置*。
        warp 里的一个 lane（*领头 lane*）用一次原子操作把命中数加到一个计数器上，
        并得到计数器的旧值。`hits` 是投票的结果。命中的 lane 的位置，等于这个旧值加上……
      ]],
      choices = {
        {
          en = "its lane number",
          zh = "自己的 lane 编号",
          because = {
            en = "The list would have a gap at the place of each lane that did not hit.",
            zh = "那样，没有命中的 lane 也占一个位置，列表里就会有空位。",
          },
        },
        {
          en = "the number of all hits in the warp",
          zh = "整个 warp 的命中数",
          because = {
            en = [[
              All lanes would get the same place, and this place lies behind the places of this
              warp.
            ]],
            zh = "那样所有 lane 会得到同一个位置，而且这个位置在本 warp 的那些位置之后。",
          },
        },
        {
          en = [[
            the number of hits in the lanes with smaller numbers:
            `__popc(hits & ((1u << lane) - 1))`
          ]],
          zh = "编号比自己小的 lane 中的命中数：`__popc(hits & ((1u << lane) - 1))`",
          right = true,
        },
      },
      because = {
        en = [[
          The first lane that hit adds 0, the second adds 1, and so on, so the places have no gaps.
          The lanes read the old value from the leader with `__shfl_sync`.
        ]],
        zh = [[
          第一个命中的 lane 加 0，第二个加 1，依此类推，所以位置是连续的。
          各 lane 用 `__shfl_sync` 从领头 lane 读取旧值。
        ]],
      },
    },
    predict {
      en = [[
        70% of the elements are hits, and n = 2^20. The model answer does at most one atomic per
        warp, and only if the warp has a hit. The counter `atom_global_lanes` counts each lane that
        does a global atomic. What does the counter show?
      ]],
      zh = [[
        有 70% 的元素命中，n = 2^20。参考答案里，每个 warp 最多做一次原子操作，没有命中就不做。
        计数器 `atom_global_lanes` 统计做全局原子操作的 lane 数。这个计数器是多少？
      ]],
      counter = "atom_global_lanes",
      of = "answer",
      tolerance = 0.02,
      because = {
        en = "Almost every warp has a hit and does one atomic. 2^20 / 32 warps do 32,768 atomics.",
        zh = "几乎每个 warp 都有命中，各做一次原子操作。共有 2^20 / 32 个 warp，所以是 32,768 次。",
      },
    },
    exercise {
      en = [[
        Let the lanes of a warp vote, count the hits, and let one lane add the number. All 32 lanes
        of the warp must take part in the vote, even the lanes whose `i` is n or more.
      ]],
      zh = [[
        让 warp 的各 lane 投票，数出命中数，再由一个 lane 加上这个数。32 个 lane 都必须参加投票，
        包括 `i` 大于或等于 n 的 lane。
      ]],
    },
    show {
      en = "Your kernel, line by line:",
      zh = "逐行看你的核函数：",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = "Both kernels find the same count. Yours does fewer atomics.",
      zh = "两个核函数得到的计数相同，你的核函数做的原子操作更少。",
      counters = {
        "atom_global_requests", "atom_global_lanes", "atom_global_serialised", "shuffles",
        "warp_inst",
      },
      beside = "baseline",
    },
    ask {
      en = [[
        On an H200, the baseline (one atomic per hit) takes 27.9 us, and the model answer takes 27.8
        us. When does it pay to aggregate the atomics of a warp in your own code?
      ]],
      zh = [[
        在 H200 上，基线（每个命中一次原子操作）要 27.9 微秒，参考答案要 27.8 微秒。
        什么时候值得在自己的代码里聚合一个 warp 的原子操作？
      ]],
      choices = {
        {
          en = "When each lane that hits needs the value that the atomic returns",
          zh = "当每个命中的 lane 都要用原子操作返回的值时",
          right = true,
          because = {
            en = [[
              In this kernel, no lane uses the returned value, so the compiler or L2 combines the
              additions by itself. In a list, each lane needs a different place, so your own code
              must vote and count.
            ]],
            zh = [[
              本实验的核函数不用返回值，所以编译器或 L2 会自动合并这些加法。如果要写列表，
              每个 lane 的位置各不相同，就要在自己的代码里投票和计数。
            ]],
          },
        },
        {
          en = "When few lanes hit",
          zh = "当命中的 lane 很少时",
          because = {
            en = "Then there are only a few atomics, so there is little to combine.",
            zh = "那样原子操作本来就少，没有多少可以合并。",
          },
        },
        {
          en = "In every kernel that has atomics",
          zh = "只要核函数里有原子操作",
          because = {
            en = [[
              The two times show that this kernel gains nothing. And atomics on different addresses
              cannot be combined.
            ]],
            zh = "上面两个时间说明，这个核函数里聚合没有收益。而且地址不同的原子操作无法合并。",
          },
        },
      },
    },
  },

  hints = {
    {
      en = "A warp needs to add only one number: how many of its 32 lanes hit.",
      zh = "一个 warp 只需要加一个数：32 个 lane 中有几个命中。",
    },
    {
      en = [[
        Do not return early. Let every lane compute `bool hit = i < n && in[i] < limit;`. Then vote
        with `__ballot_sync`, and count the bits with `__popc`.
      ]],
      zh = [[
        不要提前返回。每个 lane 都计算 `bool hit = i < n && in[i] < limit;`，
        然后用 `__ballot_sync` 投票，再用 `__popc` 数出有几位是 1。
      ]],
    },
    {
      en = [[
        After computing `hit`:

            unsigned hits = __ballot_sync(0xffffffff, hit);
            if (threadIdx.x % 32 == 0 && hits)
                atomicAdd(found, __popc(hits));
      ]],
      zh = [[
        算出 `hit` 之后这样写：

            unsigned hits = __ballot_sync(0xffffffff, hit);
            if (threadIdx.x % 32 == 0 && hits)
                atomicAdd(found, __popc(hits));
      ]],
    },
  },

  after = {
    en = [[
      On an H200, both versions take about 28 us. (This was measured with a cold L2: at the
      start, none of the ints are in this cache.) All lanes add the same value to the same
      address, and no lane uses the old value. Newer compilers aggregate such atomics by
      themselves, and L2 combines the additions of one warp.

      You must aggregate in your own code if each lane needs its own place, or if the compiler
      cannot know which lanes use the same address. *Stream compaction* takes all elements that meet
      a condition, and writes them into a list without gaps. It is built on one atomic per warp.
    ]],
    zh = [[
      在 H200 上，两个版本都要约 28 微秒。（L2 冷态下的实测，即开始时，输入的数都不在 L2 缓存里。）
      这里各 lane 往同一地址加同一个值，又不用旧值：较新的编译器会自动聚合这样的原子操作，
      L2 也会合并来自同一个 warp 的加法。

      如果每个 lane 都要自己的位置，或者编译器无法知道哪些 lane 用同一个地址，就要在自己的代码里聚
      合。*流压缩*（stream compaction）把所有符合条件的元素依次写进一个列表，流压缩的基础就是每个
      warp 一次原子操作。
    ]],
  },
  more = {
    en = [[
      Write the hits into a list, in any order: `__device__ int list[1 << 20]`. Use the old value
      that the atomic returns, and still do only one atomic per warp. How many more shuffles, stores
      and microseconds does this take?

      Then count several classes of elements at once. `__match_any_sync` tells a lane which lanes
      have the same value.
    ]],
    zh = [[
      把命中的元素写进一个列表，顺序不限：`__device__ int list[1 << 20]`。
      这时要用原子操作返回的旧值，但每个 warp 仍只做一次原子操作。shuffle、写入和时间各增加多少？

      再试试一次统计几类元素：用 `__match_any_sync`，一个 lane 可以知道哪些 lane 的值与自己相同。
    ]],
  },
}
