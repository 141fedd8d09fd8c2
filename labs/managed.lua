-- Chapter 9: managed memory, more of it than the device has.
return lab {
  id = "managed",
  title = { en = "Memory that moves by itself", zh = "自动迁移的内存：托管内存" },
  chapter = 9,
  minutes = 35,
  needs = { "transfers", "churn" },
  source = "guide 5.5",
  teaches = {
    ["managed-oversubscribe"] = "say exercise",
    ["managed-resident"] = "say ask",
    ["managed-advice"] = "say ask",
    ["managed-h200"] = "say ask",
    ["fall-back"] = "say",
  },

  host_time = true,
  host = "anything",
  device_memory = 4 << 20,
  entry = "void managed(const float *in, const float *table, float *out, int n, int passes)",
  args = {
    ["in"] = host(uniform(-1, 1, "n")),
    table = host(uniform(-1, 1, 4096)),
    out = host(output("n", { ops = "4 * passes" })),
  },
  cases = {
    { n = 1024, passes = 2 },
    { n = 1, passes = 1 },
    { n = 300001, passes = 3 },
    { n = 3 << 19, passes = 4, timed = true },
  },
  hidden = { count = 3, n = { 1, 400000 }, passes = { 1, 4 } },
  goals = {
    correct { points = 2 },
    at_most("migrated_bytes", 0.45 * baseline) {
      points = 2,
      en = "Each pass over all of x brings everything in and evicts it again. Take a piece that fits, and do all passes over it while it is on the device.",
      zh = "每一遍都走完整个 x，就要把所有数据迁移进来，又全部逐出。请取一段装得下的数据，趁它在设备上的时候做完所有遍。",
    },
    at_most("page_faults", 0.2 * baseline) {
      points = 2,
      en = "The device finds missing pages one by one. You know beforehand which it needs: use cudaMemPrefetchAsync.",
      zh = "设备要一页一页地发现缺少的数据，而你事先就知道需要哪些：用 cudaMemPrefetchAsync。",
    },
    at_most("link_bytes", 0.45 * baseline) {
      points = 1,
      en = "Pages that stay on the host do not migrate, but then every pass reads and writes them across the link.",
      zh = "页留在主机上就不用迁移，但每一遍都要通过链路读写这些页。",
    },
    at_least("global_load_bytes", 0.75 * baseline) {
      points = 1,
      en = "The device should make the passes.",
      zh = "各遍计算应当由设备来做。",
    },
    at_most("elapsed_us", 0.5 * baseline) { points = 1 },
    at_least("flop_sp", 0.75 * baseline) {
      points = 1,
      en = "The device should do the arithmetic: a kernel has to compute the results.",
      zh = "运算应当由设备来做：结果必须由核函数算出。",
    },
  },

  steps = {
    say {
      en = [[
        Host and device use memory from `cudaMallocManaged` by the same pointer. Its *pages* live on one side at a time. A thread that touches a
        page of the other side takes a *page fault*: it stops, and the page migrates.

        A page takes up memory on the device only once it is touched there or asked for: from then on it is *resident*. That spares the system and
        leaves room for other programs. With `cudaMalloc` all pages are resident at once.

        A fault moves at least 64 KB. If more than half of an aligned region is on the device already, the driver also fetches the rest of it, up to 2
        MB at once. So a kernel that reads through 2 MB faults 6 times, not 32 times, at some 40 microseconds each.

        Managed memory can be larger than the device's memory. This is *oversubscription*. When memory is full, the 2 MB region that received pages
        longest ago is evicted to the host. So a program runs that `cudaMalloc` would refuse. (The device of this lab is simulated and has only 4 MB,
        so that you can see this.)

        How fast is it? Measured on an H200, for 64 MB that a kernel reads and writes once, in microseconds:

            resident already             59      host touches them again   13,058
            prefetched               1,393      prefetched back           3,655
            copied by hand           1,274      8 rounds of 1 MB to and fro
            by page faults           9,142                              10,120
      ]],
      zh = [[
        `cudaMallocManaged` 分配的内存，主机和设备用同一个指针访问。一*页*在任一时刻只驻留在一侧。线程访问了不在自己这一侧的页，就发生*缺页*（page fault）：线程停下来，
        等这一页迁移过来。

        页在被访问或预取时才驻留，所以系统的压力小，也给其他程序留下余地；`cudaMalloc` 则是一次全部驻留。

        一次缺页至少迁移 64 KB。如果一段对齐的区域已有一半以上在设备上，驱动会把其余部分也一并取来，一次最多 2 MB。所以顺序读完 2 MB 只缺页 6 次，而不是 32 次，每次约 40 微秒。

        托管内存可以比设备内存更大，这叫*超额订阅*（oversubscription）。设备内存满了，最早迁移来的那段 2 MB 会被逐出到主机。`cudaMalloc` 会拒绝的程序，
        这样也能运行。（本实验的设备是模拟的，只有 4 MB 内存，让你看得到这些现象。）

        速度如何？在 H200 上实测，一个核函数把 64 MB 读写一遍，单位微秒：

            本来就驻留                   59      主机再逐页访问        13,058
            先预取                   1,393      预取回主机             3,655
            手工拷贝                 1,274      1 MB 来回 8 轮        10,120
            靠缺页                   9,142
      ]],
    },
    ask {
      en = "By those figures, how many times as long as a prefetch does it take to get 64 MB to the device by page faults, the kernel included?",
      zh = "按这些数字，靠缺页把 64 MB 迁移到设备上（包括核函数），用时是预取的多少倍？",
      answer = 9142 / 1393,
      tolerance = 0.03,
      unit = "x",
      replies = {
        { 7.175824175824176, en = "That compares with the copy by hand. The prefetch took 1,393.", zh = "这是与手工拷贝相比。预取用了 1,393。" },
        { 154.94915254237287, en = "That compares with memory that is resident already.", zh = "这是与本来就驻留的内存相比。" },
      },
      because = {
        en = "9,142 / 1,393, about 6.6. The same bytes cross the same link, but the device asks for them in small parts and waits each time.",
        zh = "9,142 / 1,393，约 6.6。经过链路的字节一样多，只是设备每次只要一小部分，每次都得等。",
      },
    },
    say {
      en = [[
        So tell the driver what you know.

            cudaMemPrefetchAsync(p, bytes, where, 0, stream);
            cudaMemAdvise(p, bytes, advice, where);

        The prefetch runs in the order of the stream; you may leave `stream` out. `where` is a `cudaMemLocation`, and the 0 stands for flags. This
        is CUDA 13. In CUDA 12 `where` was the number of a device and the stream came fourth, so this line does not compile there.

        `cudaMemAdviseSetReadMostly`: both sides may hold a copy, as long as neither writes. `SetPreferredLocation`: the pages should stay in one
        place. `SetAccessedBy`: this device keeps a mapping and reads across the link without migration. (On an H200 it read 64 MB this way in
        1,336 microseconds, the same as zero-copy.)

        With the right advice managed memory keeps most of the speed of `cudaMalloc`, or all of it.
      ]],
      zh = [[
        所以，要把你知道的告诉驱动。

            cudaMemPrefetchAsync(p, bytes, where, 0, stream);
            cudaMemAdvise(p, bytes, advice, where);

        预取按流的次序执行；`stream` 可以不写。`where` 是 `cudaMemLocation`，0 是标志：从 CUDA 13 起是这样。在 CUDA 12 里，`where` 是设备编号，
        第四个参数是流，所以这一行在那里编译不过。

        `cudaMemAdviseSetReadMostly`：只要双方都不写，两侧可以各有一份副本。`SetPreferredLocation`：
        这些页最好驻留在指定的一侧。`SetAccessedBy`：让该设备保持映射，通过链路读取而不迁移。（在 H200 上这样读 64 MB 要 1,336 微秒，和零拷贝一样。）

        建议给得合适，托管内存就能保持 `cudaMalloc` 的大部分性能，甚至全部。
      ]],
    },
    ask {
      alone = true,
      en = "The host fills a table of 16 KB once. From then on the kernels read it, and the host reads it between the kernels. Which advice suits?",
      zh = "一张 16 KB 的表由主机填好，之后只读：核函数要读，主机在各个核函数之间也要读。给哪种建议合适？",
      choices = {
        { "cudaMemAdviseSetReadMostly", right = true },
        {
          en = "`cudaMemAdviseSetPreferredLocation`, the host",
          zh = "`cudaMemAdviseSetPreferredLocation`，设为主机",
          because = { en = "Then the kernels read it across the link, or it migrates anyway.", zh = "那样核函数要通过链路读取，或者照样迁移。" },
        },
        {
          en = "None: it is small",
          zh = "不用给：它很小",
          because = { en = "It still moves to and fro, with a fault each time: 8 rounds of 1 MB took 10,120 us.", zh = "再小也要来回迁移，每次一个缺页：1 MB 来回 8 轮就要 10,120 微秒。" },
        },
      },
      because = { en = "Both sides then hold a copy, and no read makes a page migrate.", zh = "这样两侧各有一份副本，读取不会引起迁移。" },
    },
    ask {
      alone = true,
      en = "A device has {d} MB of memory. A program allocates {m} MB with `cudaMallocManaged` and has touched nothing yet. How many MB of the device's memory does it occupy?",
      zh = "设备内存有 {d} MB。程序用 `cudaMallocManaged` 分配了 {m} MB，还没有碰过。它占用了多少 MB 设备内存？",
      draw = { d = { from = { 16, 24, 40 } }, m = { 48, 96 } },
      answer = 0,
      replies = {
        { function(d) return d.m end, en = "The program has touched and prefetched nothing yet.", zh = "还没有访问过，也没有预取过。" },
        { function(d) return d.d end, en = "The program has touched and prefetched nothing yet.", zh = "还没有访问过，也没有预取过。" },
      },
      because = { en = "None. Managed memory becomes resident where it is touched or prefetched. Until then {m} MB are only addresses.", zh = "零。托管内存在哪里被访问或预取，就在哪里驻留；在那之前，{m} MB 只是一段地址。" },
    },
    ask {
      alone = true,
      en = "A program makes several passes over x. It can make each pass over all of x, or all passes over one piece before the next piece. On which device does the second order save transfers?",
      zh = "要对 x 做好几遍：可以每遍都走完整个 x，也可以在一段上做完所有遍，再做下一段。在什么样的设备上，后一种次序能少搬数据？",
      choices = {
        {
          en = "On any device",
          zh = "任何设备",
          because = { en = "If x fits, it stays on the device after the first pass, in either order.", zh = "只要 x 装得下，第一遍之后它就留在设备上，两种次序都一样。" },
        },
        { en = "On one whose memory is smaller than x", zh = "内存比 x 小的设备", right = true },
        {
          en = "On one with a slow link",
          zh = "链路慢的设备",
          because = { en = "Then each transfer takes longer, but their number is the same.", zh = "那样每次传输都更费时间，但次数不变。" },
        },
      },
      because = {
        en = "Only there does each pass evict what the next one needs first. An H200 holds the 6 MB of this lab easily. It takes 926 us for whole passes, and 1,640 us in pieces that are prefetched and sent back (measured).",
        zh = "只有在这种设备上，每一遍才会把下一遍最先要用的数据逐出。H200 的内存装本实验的 6 MB 绰绰有余：每遍走完整个 x 用 926 微秒，分段预取、再取回反而要 1,640 微秒（实测）。",
      },
    },
    predict {
      en = "The device of this lab has 4 MB of memory. The model answer takes 6 MB through it in pieces; each piece goes to the device once and back once. About how many bytes migrate? (Leave out the table and the host's own accesses.)",
      zh = "这个实验的设备只有 4 MB 内存。参考答案让 6 MB 数据分段通过，每段去一次、回一次。大约迁移了多少字节（不计那张表和主机自己的访问）？",
      counter = "migrated_bytes",
      of = "answer",
      tolerance = 0.05,
      unit = "bytes",
      replies = {
        { 6291456, en = "Each piece goes there *and* back.", zh = "每段要去一次，*还*要回一次。" },
        { 50331648, en = "That is the skeleton, with its four passes.", zh = "这是骨架代码的数，它走四遍。" },
      },
      because = { en = "2 * 6 MB, 12,582,912. The skeleton moves this much in every pass.", zh = "2 * 6 MB，即 12,582,912。骨架代码每一遍都要迁移这么多。" },
    },
    exercise {
      en = "Make it fit: do all passes over one piece before the next one, and fetch each piece before it is needed. Keep the data in managed memory.",
      zh = "让数据装得下：一段做完所有遍，再做下一段；每一段都在用到之前取来。数据仍然放在托管内存里。",
    },
    show {
      en = "What moved:",
      zh = "迁移了什么：",
      picture = "counters",
      counters = { "page_faults", "migrated_bytes", "link_bytes", "launches", "device_us", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = "The same call on the device's timeline, with a row for each engine and each stream:",
      zh = "同一次调用在设备上的时间线，每个引擎、每个流各占一行：",
      picture = "timeline",
      of = "mine",
    },
  },

  hints = {
    { en = "In pass 1 the end of x evicts its beginning. What does pass 2 need first?", zh = "第 1 遍里，读到 x 的末尾时，开头已被逐出。第 2 遍最先要用的是什么？" },
    { en = "Swap the loops: pieces of 1 MB in the outer loop, passes in the inner one. Before the inner loop prefetch the piece to the device, and after it back to the host.", zh = "交换两层循环：外层是 1 MB 的段，内层是各遍。内层循环之前把这一段预取到设备，之后预取回主机。" },
    {
      en = [[
            cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
            for (int at = 0; at < n; at += PIECE) {
                int m = n - at < PIECE ? n - at : PIECE;
                cudaMemPrefetchAsync(x + at, 4 * m, device, 0);
                for (int p = 0; p < passes; p++)
                    pass<<<(m + 255) / 256, 256>>>(x + at, t, at, m);
                ... and back, to {cudaMemLocationTypeHost, 0} ...
            }

        Each piece goes to the device before its passes, and back after them.
      ]],
      zh = [[
            cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
            for (int at = 0; at < n; at += PIECE) {
                int m = n - at < PIECE ? n - at : PIECE;
                cudaMemPrefetchAsync(x + at, 4 * m, device, 0);
                for (int p = 0; p < passes; p++)
                    pass<<<(m + 255) / 256, 256>>>(x + at, t, at, m);
                …… 再预取回 {cudaMemLocationTypeHost, 0} ……
            }

        每一段在做各遍之前送到设备，做完之后取回。
      ]],
    },
  },

  after = {
    en = [[
      Managed memory lets a program run whose data would not fit, and spares you the bookkeeping. It does not make the link wider. Your gain
      came from the order of the loops; `cudaMalloc` and copies would gain the same. The prefetches tell the driver what copies would say.

      The order helps only if the data do not fit. An H200 holds all the data of this lab: it takes 926 us for the baseline and 1,640 us for the
      model answer (measured).

      If you put the pieces into two streams, the next piece comes in while this one is computed, as in `streams`.
    ]],
    zh = [[
      托管内存让装不下的程序也能运行，还省去了你管理数据位置的麻烦，但它不会让链路变宽。这里省下的时间来自循环的次序，用 `cudaMalloc` 加拷贝也能同样省下。预取所告诉驱动的，
      正是拷贝会说明的内容。

      只有数据装不下时，这种次序才有收益。H200 装得下本实验的全部数据：基线用 926 微秒，参考答案用 1,640 微秒（实测）。

      如果把各段放进两个流，计算这一段的同时就能取来下一段，和 `streams` 里一样。
    ]],
  },
  more = {
    en = "Leave the loops as they were and only prefetch before each pass. What does this save, and what not? Then take all of x as one piece: 6 MB, more than the device has.",
    zh = "保持原来的循环，只在每一遍之前预取：省了什么，没省什么？然后把整个 x 当作一段（6 MB，比设备内存还大），看看会怎样。",
  },
}
