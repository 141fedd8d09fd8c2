-- Chapter 9: managed memory, more of it than the device has.
return lab {
  id = "managed",
  title = { en = "Memory that moves by itself", zh = "会自己搬家的内存：托管内存" },
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
      en = "Each pass over all of x brings everything in and evicts it again. Do all passes over a piece that fits, while it is there.",
      zh = "每遍都走完整个 x，就要把所有数据搬进来，又全部逐出。先取装得下的一段，趁它在的时候把所有遍都做完。",
    },
    at_most("page_faults", 0.2 * baseline) {
      points = 2,
      en = "The device finds out page by page that it lacks them. You know beforehand: cudaMemPrefetchAsync.",
      zh = "设备要一页一页地发现自己缺数据，而你事先就知道：用 cudaMemPrefetchAsync。",
    },
    at_most("link_bytes", 0.45 * baseline) {
      points = 1,
      en = "Pages that stay on the host do not migrate, but then every pass reads and writes them across the link.",
      zh = "页留在主机上固然不用迁移，但每一遍都要隔着链路读写一次。",
    },
    at_least("global_load_bytes", 0.75 * baseline) {
      points = 1,
      en = "The passes are to be made by the device.",
      zh = "各遍计算应当由设备来做。",
    },
    at_most("elapsed_us", 0.5 * baseline) { points = 1 },
    at_least("flop_sp", 0.75 * baseline) {
      points = 1,
      en = "The device should do the arithmetic: a kernel has to compute what comes out.",
      zh = "运算应当由设备来做：结果必须由核函数算出。",
    },
  },

  steps = {
    say {
      en = [[
        `cudaMallocManaged` gives memory that host and device use by the same pointer. Its *pages* live on one side at a time: whoever touches a page that is not there takes a *page fault*, stops, and the page migrates. Nothing is made resident before it is touched or asked for, which spares the system and leaves room for
        other programs; with `cudaMalloc` all of it is resident at once.

        A fault moves 64 KB at least. Where more than half of a stretch is there already, the driver fetches the rest of it along, up to 2 MB at once; so a walk through 2 MB faults six times, not 32 times, at some 40 microseconds each.

        And there may be more of it than the device has memory: *oversubscription*. The stretch of 2 MB to which pages came longest ago is then evicted to the host. A program that `cudaMalloc` would refuse runs. (The device of this lab is a simulated one with 4 MB, so that you can see it.)

        How fast, is another matter. Measured on an H200 with 64 MB that a kernel reads and writes once, in microseconds:

            resident already             59      host touches them again   13,058
            prefetched               1,393      prefetched back           3,655
            copied by hand           1,274      8 rounds of 1 MB to and fro
            by page faults           9,142                              10,120
      ]],
      zh = [[
        `cudaMallocManaged` 分配的内存，主机和设备用同一个指针访问。它的*页*在任一时刻只驻留在一侧：谁碰到不在自己这边的页，就发生*缺页*（page fault），停下来，等这一页迁移过来。在被访问或预取之前，什么都不会强制驻留，系统的压力小，也给别的程序留下了余地；`cudaMalloc` 则是一次全部驻留。

        一次缺页至少搬 64 KB。一段里若已有一半以上在设备上，驱动会把其余的一并取来，一次最多 2 MB；所以顺着走完 2 MB 只缺页 6 次，而不是 32 次，每次约 40 微秒。

        它还可以比设备内存更大，这叫*超额订阅*（oversubscription）。这时，最早搬来的那段 2 MB 会被逐出到主机。`cudaMalloc` 会拒绝的程序，这样也能运行。（本实验的设备是模拟的，只有 4 MB 内存，好让你看得到这一切。）

        快不快，则是另一回事。在 H200 上实测，64 MB，核函数读写一遍，单位微秒：

            本来就驻留                   59      主机再逐页访问        13,058
            先预取                   1,393      预取回主机             3,655
            手工拷贝                 1,274      1 MB 来回 8 轮        10,120
            靠缺页                   9,142
      ]],
    },
    ask {
      en = "By those figures: how many times as long as a prefetch does it take to get 64 MB to the device by page faults, the kernel included?",
      zh = "按这些数字，靠缺页把 64 MB 弄到设备上（连核函数一起），是预取的多少倍时间？",
      answer = 9142 / 1393,
      tolerance = 0.03,
      unit = "x",
      replies = {
        { 7.175824175824176, en = "That is beside the copy by hand. The prefetch took 1,393.", zh = "这是与手工拷贝相比。预取用了 1,393。" },
        { 154.94915254237287, en = "That is beside memory that is resident already.", zh = "这是与本来就驻留的内存相比。" },
      },
      because = {
        en = "9,142 / 1,393, some 6.6. The same bytes cross the same link, but the device asks for them bit by bit and waits each time.",
        zh = "9,142 / 1,393，约 6.6。过链路的字节一样多，只是设备要一点一点地要，每次都得等。",
      },
    },
    say {
      en = [[
        So tell the driver what you know.

            cudaMemPrefetchAsync(p, bytes, where, 0, stream);
            cudaMemAdvise(p, bytes, advice, where);

        The prefetch takes its turn in the stream; `stream` may be left out. `where` is a `cudaMemLocation` and the 0 are flags: so it is since CUDA 13. In CUDA 12 `where` was the number of a device and the stream came fourth, so this
        line does not compile there.

        `cudaMemAdviseSetReadMostly`: both sides may hold a copy, as long as nobody writes. `SetPreferredLocation`: pages would rather live there. `SetAccessedBy`: this device keeps a mapping and reads across the link without migrating (64 MB read so on an H200: 1,336 microseconds, what zero-copy takes). With the right
        advice managed memory keeps most of what `cudaMalloc` gives, if not all.
      ]],
      zh = [[
        所以，要把你知道的告诉驱动。

            cudaMemPrefetchAsync(p, bytes, where, 0, stream);
            cudaMemAdvise(p, bytes, advice, where);

        预取按流的次序执行；`stream` 可以不写。`where` 是 `cudaMemLocation`，0 是标志：从 CUDA 13 起是这样。在 CUDA 12 里，`where` 是设备编号，第四个参数是流，所以这一行在那里编译不过。

        `cudaMemAdviseSetReadMostly`：只要没人写，两边可以各有一份副本。`SetPreferredLocation`：这些页最好住在那里。`SetAccessedBy`：让该设备保持映射，隔着链路读而不迁移（在 H200 上这样读 64 MB 要 1,336 微秒，和零拷贝一样）。建议给得对，托管内存就能保住 `cudaMalloc` 的大部分性能，甚至全部。
      ]],
    },
    ask {
      alone = true,
      en = "A table of 16 KB is filled by the host once; from then on the kernels read it, and so does the host between them. Which advice suits?",
      zh = "一张 16 KB 的表由主机填好，之后只读：核函数要读，主机在各个核函数之间也要读。给哪种建议合适？",
      choices = {
        { "cudaMemAdviseSetReadMostly", right = true },
        {
          en = "`cudaMemAdviseSetPreferredLocation`, the host",
          zh = "`cudaMemAdviseSetPreferredLocation`，设为主机",
          because = { en = "Then the kernels read it across the link, or it migrates all the same.", zh = "那样核函数要隔着链路读，或者照样迁移。" },
        },
        {
          en = "None: it is small",
          zh = "不用给：它很小",
          because = { en = "It moves to and fro all the same, a fault each time: 8 rounds of 1 MB took 10,120 us.", zh = "再小也要来回搬，每次一个缺页：1 MB 来回 8 轮就要 10,120 微秒。" },
        },
      },
      because = { en = "Both sides then hold a copy, and no read makes a page move.", zh = "这样两边各有一份，谁读都不会让页搬家。" },
    },
    ask {
      alone = true,
      en = "{d} MB of device memory; a program allocates {m} MB with `cudaMallocManaged` and has touched nothing yet. How many MB of the device does it occupy?",
      zh = "设备内存有 {d} MB。程序用 `cudaMallocManaged` 分配了 {m} MB，还没有碰过。它占用了多少 MB 设备内存？",
      draw = { d = { from = { 16, 24, 40 } }, m = { 48, 96 } },
      answer = 0,
      replies = {
        { function(d) return d.m end, en = "Nothing was touched or prefetched yet.", zh = "还没有访问过，也没有预取过。" },
        { function(d) return d.d end, en = "Nothing was touched or prefetched yet.", zh = "还没有访问过，也没有预取过。" },
      },
      because = { en = "None. Managed memory becomes resident where it is touched or prefetched, and {m} MB are no more than addresses until then.", zh = "零。托管内存在哪里被访问或预取，才在哪里驻留；在那之前，{m} MB 只是一段地址。" },
    },
    ask {
      alone = true,
      en = "Several passes over x: one after another over the whole of it, or all passes over one piece before the next. On which device does the second order save transfers?",
      zh = "要对 x 做好几遍：可以每遍都走完整个 x，也可以在一段上做完所有遍，再做下一段。在什么样的设备上，后一种次序能少搬数据？",
      choices = {
        {
          en = "On any device",
          zh = "任何设备",
          because = { en = "Where x fits, it stays on the device after the first pass, whichever the order.", zh = "只要 x 装得下，第一遍之后它就留在设备上，什么次序都一样。" },
        },
        { en = "On one whose memory is smaller than x", zh = "内存比 x 小的设备", right = true },
        {
          en = "On one with a slow link",
          zh = "链路慢的设备",
          because = { en = "That makes every transfer dearer, but not one more or fewer.", zh = "那样每次搬运都更费时间，但次数不多也不少。" },
        },
      },
      because = {
        en = "Only there does each pass push out what the next one needs first. An H200, which holds the 6 MB of this lab with ease, takes 926 us for whole passes and 1,640 in pieces that are fetched and sent back (measured).",
        zh = "只有在那里，每一遍才会把下一遍最先要用的挤出去。H200 的内存装这个实验的 6 MB 绰绰有余：整遍整遍地做用 926 微秒，分段预取、再取回反而要 1,640 微秒（实测）。",
      },
    },
    predict {
      en = "The device of this lab has 4 MB of memory. The model answer takes 6 MB through it in pieces, each of them once there and once back. How many bytes migrate, roughly (the table and the host's own touches aside)?",
      zh = "这个实验的设备只有 4 MB 内存。参考答案让 6 MB 数据分段通过，每段去一次、回一次。大约迁移了多少字节（不计那张表和主机自己的访问）？",
      counter = "migrated_bytes",
      of = "answer",
      tolerance = 0.05,
      unit = "bytes",
      replies = {
        { 6291456, en = "Each piece goes there *and* back.", zh = "每段要去一次，*还*要回一次。" },
        { 50331648, en = "That is the skeleton, with its four passes.", zh = "这是骨架代码的量，它走四遍。" },
      },
      because = { en = "2 * 6 MB, 12,582,912. The skeleton moves as much in every pass.", zh = "2 * 6 MB，即 12,582,912。骨架代码每一遍都要搬这么多。" },
    },
    exercise {
      en = "Make it fit: all passes over one piece before the next one, each piece fetched before it is needed. Keep the data managed.",
      zh = "让它装得下：一段做完所有遍，再做下一段；每一段都在用到之前取来。数据仍然放在托管内存里。",
    },
    show {
      en = "What moved:",
      zh = "搬动了什么：",
      picture = "counters",
      counters = { "page_faults", "migrated_bytes", "link_bytes", "launches", "device_us", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = "The same on the device's clock, engine by engine and stream by stream:",
      zh = "再按设备的时钟，逐个引擎、逐个流地看：",
      picture = "timeline",
      of = "mine",
    },
  },

  hints = {
    { en = "In pass 1 the end of x pushes its beginning out. What does pass 2 need first?", zh = "第 1 遍里，x 的末尾把开头挤了出去。第 2 遍最先要用的是什么？" },
    { en = "Swap the loops: outside over pieces of 1 MB, inside over the passes. Before the inner loop prefetch the piece to the device, behind it back to the host.", zh = "交换两层循环：外层是 1 MB 的段，内层是各遍。内层循环之前把这一段预取到设备，之后预取回主机。" },
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
      ]],
    },
  },

  after = {
    en = [[
      Managed memory lets a program run that would not fit, and takes the bookkeeping off you; it does not make the link wider. What you won came from the order of the loops, and would be won with `cudaMalloc` and copies, too. It is won only where the data do not fit: an H200, which holds all of this lab's, takes 926 us for the baseline and 1,640 for the model answer
      (measured). The prefetches tell the driver what copies would have said.

      Put the pieces into two streams, and the next one comes in while this one is computed: that is `streams` once more.
    ]],
    zh = [[
      托管内存让装不下的程序也能运行，还替你省去了记账，但它不会让链路变宽。这里赢来的时间出自循环的次序，用 `cudaMalloc` 加拷贝也一样能赢。而且只有数据装不下时才赢：H200 装得下本实验的全部数据，基线用 926 微秒，参考答案用 1,640 微秒（实测）。预取告诉驱动的，正是拷贝本来要说的话。

      把各段放进两个流，这一段计算的时候下一段就进来了：这又回到了 `streams`。
    ]],
  },
  more = {
    en = "Leave the loops as they were and only prefetch before each pass: what does it save, and what not? Then make the pieces 8 MB, more than the device has.",
    zh = "循环照旧，只在每一遍之前预取：省了什么，没省什么？然后把每段改成 8 MB，比设备内存还大，看看会怎样。",
  },
}
