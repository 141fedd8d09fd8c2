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
    at_least("migrated_bytes", 0.1 * baseline) {
      points = 2,
      en = [[
        Keep the data in managed memory: its pages should come to the device by themselves or by a
        prefetch, not by copies.
      ]],
      zh = "数据应当放在托管内存里：页由驱动迁移或者由预取送到设备，而不是用拷贝。",
    },
    at_most("migrated_bytes", 0.45 * baseline) {
      points = 2,
      en = [[
        Each pass over all of x brings every page to the device and evicts it again. Take a piece of
        x that fits, and make all passes over this piece while it is on the device.
      ]],
      zh = [[
        每一遍都走完整个 x，驱动就会把每一页都迁移到设备上，又逐出每一页。应当取一段装得下的数据，趁
        这一段在设备上时做完所有遍。
      ]],
    },
    at_most("page_faults", 0.2 * baseline) {
      points = 2,
      en = [[
        The device notices only page by page what is missing. You know in advance which pages the
        device needs: call `cudaMemPrefetchAsync`.
      ]],
      zh = [[
        设备要逐页访问，才发现缺少哪些页。你事先就知道需要哪些页：请调用 `cudaMemPrefetchAsync`。
      ]],
    },
    at_most("link_bytes", 0.45 * baseline) {
      points = 0.5,
      en = [[
        Pages that stay on the host do not migrate, but then every pass reads and writes them across
        the link.
      ]],
      zh = "页留在主机上就不会迁移，但每一遍都要经过链路来读写这些页。",
    },
    at_most("elapsed_us", 0.5 * baseline) { points = 0.5 },
    at_least("flop_sp", 0.75 * baseline) {
      points = 1,
      en = "Make the passes in a kernel, not on the host.",
      zh = "各遍计算要由核函数来做，不要由主机来做。",
    },
  },

  steps = {
    say {
      en = [[
        In this lab, a kernel makes several passes over an array x: each pass changes every element.
        The lab's device is simulated and has only 4 MB of memory, and x has up to 6 MB. With
        *managed memory* such a program can still run, but slowly. You will find out which data move
        between host and device, and make the program move less.

        `cudaMallocManaged` allocates managed memory. Host and device use the same pointer to it.

        Managed memory consists of *pages*. Normally, each page is either on the host or on the
        device. If a thread of a kernel accesses a page that is on the host, a *page fault* occurs:
        the thread stops until the page has migrated to the device. The same happens on the host if
        the host accesses a page that is on the device.

        A page that is in device memory is *resident* there. Memory from `cudaMalloc` is resident as
        soon as it is allocated. A managed page becomes resident only when the device accesses it,
        or when the program asks for it in advance (a *prefetch*). Until then, other programs can
        use this device memory.

        A fault brings 64 KB to the device: the aligned 64 KB that contain the address of the
        access. The address also lies in larger aligned regions: of 128 KB, of 256 KB and so on,
        up to 2 MB. If more than half of such a region is now on the device, the driver also
        brings the rest of the region.

        So a kernel that reads 2 MB in order causes 6 faults, not 32. After the first fault, 64 KB
        are on the device, and after the next ones 128, 256 and 512 KB, 1 MB and 2 MB. Each fault
        takes some 40 microseconds.

        A program can have more managed memory than the device has memory. This is called
        *oversubscription*. When the device's memory is full, the driver evicts a region of 2 MB to
        the host: the region that has received no page for the longest time. So a program can run
        even if it needs more memory than `cudaMalloc` can give.

        How fast is this? These times were measured on an H200, in microseconds:

            a kernel reads and writes 64 MB, and the 64 MB
                are on the device already                    59
                are copied there with cudaMemcpy          1,274
                are prefetched                            1,393
                migrate by page faults                    9,142
            the 64 MB go back to the host
                by a prefetch                             3,655
                by page faults of the host               13,058
            a kernel and the host use 1 MB in turn,
                8 times                                  10,120
      ]],
      zh = [[
        在这个实验里，核函数对数组 x 做好几遍计算，每一遍都修改所有元素。本实验的设备是模拟的，
        只有 4 MB 内存，而 x 最多有 6 MB。用*托管内存*，这样的程序也能运行，只是很慢。
        你要弄清哪些数据在主机和设备之间迁移，并减少迁移。

        托管内存由 `cudaMallocManaged` 分配，主机和设备用同一个指针访问。托管内存分成*页*。通常，
        每一页要么在主机上，要么在设备上。核函数的线程访问主机上的页时，发生*缺页*（page fault）：
        线程停下来，等这一页迁移到设备上。主机访问设备上的页时也一样。

        页在设备内存里，就叫*驻留*在设备上。`cudaMalloc` 分配的内存一分配就驻留。托管内存的一页，只
        有设备访问这一页，或者程序提前要求（*预取*）时才驻留。在这之前，别的程序可以使用这部分设备内
        存。

        一次缺页把所访问地址所在的 64 KB 迁移到设备上。这个地址还属于更大的对齐区域：128 KB、256
        KB，直到 2 MB。如果这时某个区域在设备上的部分已经超过一半，驱动就把其余部分也一起取来。

        所以，顺序读完 2 MB 的核函数只缺页 6 次，而不是 32 次：第一次之后，有 64 KB 在设备上，
        以后依次是 128、256、512 KB、1 MB、2 MB。每次缺页约 40 微秒。

        程序的托管内存可以比设备内存更大，这叫*超额订阅*（oversubscription）。设备内存满了，
        驱动就把一段 2 MB 的区域逐出到主机：哪段区域最早迁移来，就逐出哪段。所以，
        需要的内存即使超过 `cudaMalloc` 能给的，程序也能运行。

        这样有多快？在 H200 上实测，单位微秒：

            一个核函数把 64 MB 读写一遍，这 64 MB
                已经在设备上                         59
                先用 cudaMemcpy 拷过去            1,274
                先预取                            1,393
                靠缺页迁移                        9,142
            64 MB 回到主机
                用预取                            3,655
                靠主机缺页                       13,058
            核函数和主机轮流使用 1 MB，8 轮      10,120
      ]],
    },
    ask {
      en = [[
        The 64 MB can come to the device by page faults or by a prefetch. By the figures above, how
        many times as long do page faults take? (Both times include the kernel.)
      ]],
      zh = "按上面的数字，靠缺页把 64 MB 迁移到设备上，用时是预取的多少倍？两种用时都包括核函数。",
      answer = 9142 / 1393,
      tolerance = 0.03,
      unit = "x",
      replies = {
        {
          7.175824175824176,
          en = "This compares page faults with `cudaMemcpy`. The prefetch took 1,393 us.",
          zh = "这是缺页与 `cudaMemcpy` 相比。预取用了 1,393 微秒。",
        },
        {
          154.94915254237287,
          en = "This compares page faults with data that were on the device already.",
          zh = "这是缺页与数据已经在设备上的情形相比。",
        },
      },
      because = {
        en = [[
          9,142 / 1,393 is about 6.6. The same bytes cross the same link. But with page faults the
          device asks for a small part at a time, and waits for each part.
        ]],
        zh = [[
          9,142 / 1,393 约为 6.6。经过同一条链路的字节一样多，但靠缺页时，设备每次只请求一小部分，
          而且每次都要等。
        ]],
      },
    },
    say {
      en = [[
        Therefore tell the driver in advance what your program needs:

            cudaMemPrefetchAsync(p, bytes, where, 0, stream);
            cudaMemAdvise(p, bytes, advice, where);

        `cudaMemPrefetchAsync` moves pages to `where`, which is a `cudaMemLocation`: a device or
        the host. The 0 stands for flags. The prefetch is part of the stream's work; without
        `stream` it goes to the default stream. The calls above are written for CUDA 13. They do
        not compile with CUDA 12, where `where` is the number of a device and the stream comes
        fourth.

        `cudaMemAdvise` tells the driver how a range of pages will be used:

        - `cudaMemAdviseSetReadMostly`: host and device may each hold a copy of a page, as long
          as both only read it.
        - `cudaMemAdviseSetPreferredLocation`: the pages should stay at `where`.
        - `cudaMemAdviseSetAccessedBy`: the device `where` should read the pages across the link,
        without migration. (On an H200, a kernel read 64 MB in this way in 1,336 microseconds.)

        With the right advice, managed memory is nearly as fast as memory from `cudaMalloc`, or just
        as fast.
      ]],
      zh = [[
        所以，要把程序的需要提前告诉驱动：

            cudaMemPrefetchAsync(p, bytes, where, 0, stream);
            cudaMemAdvise(p, bytes, advice, where);

        `cudaMemPrefetchAsync` 把页迁移到 `where`。`where` 是一个 `cudaMemLocation`，
        表示某个设备或主机；0 是标志。预取是流里的一项工作，不写 `stream` 就进入默认流。
        以上是 CUDA 13 的写法。在 CUDA 12 里，`where` 是设备的编号，流是第四个参数，
        所以上面的写法在那里编译不过。

        `cudaMemAdvise` 告诉驱动，一段页将会怎样使用：

        - `cudaMemAdviseSetReadMostly`：只要主机和设备都不写，两边可以各有一份副本。
        - `cudaMemAdviseSetPreferredLocation`：这些页应当留在 `where`。
        - `cudaMemAdviseSetAccessedBy`：设备 `where` 应当经过链路读取这些页，不用迁移。
        （在 H200 上，核函数这样读 64 MB 要 1,336 微秒。）

        建议给得合适，托管内存的速度就能接近 `cudaMalloc` 分配的内存，甚至一样快。
      ]],
    },
    ask {
      alone = true,
      en = [[
        The host fills a table of 16 KB once. After that nothing changes the table: the kernels read
        it, and between the kernels the host reads it. Which advice suits the table?
      ]],
      zh = [[
        主机把一张 16 KB 的表填好一次，之后没有谁再修改这张表：核函数要读，主机在各个核函数之间也要
        读。给哪种建议合适？
      ]],
      choices = {
        { "cudaMemAdviseSetReadMostly", right = true },
        {
          en = "`cudaMemAdviseSetPreferredLocation`, with the host as the location",
          zh = "`cudaMemAdviseSetPreferredLocation`，位置设为主机",
          because = {
            en = [[
              Then each kernel reads the table across the link, or the table migrates in spite of
              the advice.
            ]],
            zh = "这样每个核函数都要经过链路读表，或者表还是会迁移。",
          },
        },
        {
          en = "None: the table is small",
          zh = "不用给：表很小",
          because = {
            en = [[
              Even a small table migrates each time the other side reads it, and each migration
              begins with a page fault. Moving 1 MB to and fro 8 times took 10,120 us.
            ]],
            zh = [[
              表再小，每次换成另一侧来读，也都要迁移，而且每次都缺页。1 MB 来回 8 次用了 10,120 微
              秒。
            ]],
          },
        },
      },
      because = {
        en = "Host and device then have a copy each, and no page has to migrate for a read.",
        zh = "这样主机和设备各有一份副本，读取时不需要迁移。",
      },
    },
    ask {
      alone = true,
      en = [[
        A device has {d} MB of memory. A program allocates {m} MB with `cudaMallocManaged` and has
        not accessed any of it yet. How many MB of device memory does this managed memory occupy?
      ]],
      zh = [[
        设备内存有 {d} MB。程序用 `cudaMallocManaged` 分配了 {m} MB，还没有访问过。
        这些托管内存占用了多少 MB 设备内存？
      ]],
      draw = { d = { from = { 16, 24, 40 } }, m = { 48, 96 } },
      answer = 0,
      replies = {
        {
          function(d) return d.m end,
          en = [[
            This is the amount that the program allocated. How much of it did the device access?
          ]],
          zh = "这是程序分配的大小。其中有多少是设备访问过的？",
        },
        {
          function(d) return d.d end,
          en = "This is all of the device's memory. Which of the managed pages are resident?",
          zh = "这是设备的全部内存。托管内存里有哪些页已经驻留？",
        },
      },
      because = {
        en = [[
          None. A managed page occupies device memory only after the device has accessed it, or
          after a prefetch. Until then the {m} MB are only addresses.
        ]],
        zh = [[
          零。托管内存的页，要等设备访问过或者预取过，才占用设备内存。在那之前，{m} MB 只是一段地
          址。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        A program makes several passes over x. There are two possible orders: each pass goes over
        all of x, or all passes go over one piece of x before the next piece. On which device does
        the second order save transfers?
      ]],
      zh = [[
        程序要对 x 做好几遍计算。次序有两种：每一遍都走完整个 x，或者在一段上做完所有遍，
        再做下一段。在什么样的设备上，后一种次序能减少传输？
      ]],
      choices = {
        {
          en = "On any device",
          zh = "任何设备",
          because = {
            en = [[
              If x fits, all of it is on the device after the first pass, in either order. Later
              passes then move nothing.
            ]],
            zh = [[
              如果 x 装得下，第一遍之后整个 x 都在设备上，两种次序都一样，后面各遍不再需要传输。
            ]],
          },
        },
        {
          en = "On a device whose memory is smaller than x",
          zh = "内存比 x 小的设备",
          right = true,
        },
        {
          en = "On a device with a slow link",
          zh = "链路慢的设备",
          because = {
            en = [[
              A slow link makes each transfer longer, but it does not change the number of
              transfers.
            ]],
            zh = "链路慢，每次传输的时间更长，但传输的次数不变。",
          },
        },
      },
      because = {
        en = [[
          If the device's memory is smaller than x, each pass over all of x evicts the pages that
          the next pass needs first. If the device can hold x, the second order only costs time. An
          H200 can hold the 6 MB of this lab. Passes over all of x take 926 us there, and pieces
          that are prefetched and sent back take 1,640 us (measured).
        ]],
        zh = [[
          如果设备内存比 x 小，每一遍走完整个 x，都会逐出下一遍最先要用的页。如果设备装得下 x，后一
          种次序反而更慢。H200 装得下本实验的 6 MB。实测：每一遍走完整个 x，一共要 926 微秒；一段一
          段地做，把各段预取到设备再取回，要 1,640 微秒。
        ]],
      },
    },
    predict {
      en = [[
        The device of this lab has 4 MB of memory. The model answer processes 6 MB in pieces: each
        piece goes to the device once, and back to the host once. About how many bytes migrate?
        (Leave out the table, and the pages that the host's own accesses move.)
      ]],
      zh = [[
        这个实验的设备只有 4 MB 内存。参考答案分段处理 6 MB 数据，每一段去设备一次，回主机一次。
        大约迁移了多少字节？（不计那张表，也不计主机自己的访问所迁移的页。）
      ]],
      counter = "migrated_bytes",
      of = "answer",
      tolerance = 0.05,
      unit = "bytes",
      replies = {
        {
          6291456,
          en = "These are the bytes that go to the device. Each piece also goes back.",
          zh = "这只是去设备的字节。每一段还要回主机。",
        },
        {
          50331648,
          en = "The skeleton moves this much, in four passes.",
          zh = "这是骨架代码做四遍所迁移的字节。",
        },
      },
      because = {
        en = [[
          2 * 6 MB = 12,582,912 bytes. The skeleton moves this many bytes in every pass.
        ]],
        zh = "2 * 6 MB，即 12,582,912 字节。骨架代码每一遍都要迁移这么多。",
      },
    },
    exercise {
      en = [[
        Divide x into pieces that fit on the device. Make all passes over one piece before you begin
        the next piece, and bring each piece to the device before it is needed. Keep the data in
        managed memory.
      ]],
      zh = [[
        把 x 分成设备装得下的段。在一段上做完所有遍，再做下一段，并且在用到每一段之前，把这一段取到
        设备上。数据仍然放在托管内存里。
      ]],
    },
    show {
      en = "The counters of your call beside those of the baseline:",
      zh = "你的调用与基线的计数器对比：",
      picture = "counters",
      counters = { "page_faults", "migrated_bytes", "link_bytes", "launches", "device_us", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = [[
        Your call as a timeline. Each stream has a row, and so has each engine. (The engines are the
        parts of the device that copy data, and the part that runs kernels.)
      ]],
      zh = [[
        你的调用的时间线。每个流占一行，每个引擎也占一行。引擎是设备里负责拷贝的部件和执行核函数的部
        件。
      ]],
      picture = "timeline",
      of = "mine",
    },
  },

  hints = {
    {
      en = [[
        When pass 1 reaches the end of x, the beginning of x has been evicted. Which part of x does
        pass 2 need first?
      ]],
      zh = "第 1 遍走到 x 的末尾时，x 的开头已被逐出。第 2 遍最先要用 x 的哪一部分？",
    },
    {
      en = [[
        Swap the loops: the outer loop goes over pieces of 1 MB, and the inner loop over the passes.
        Before the inner loop, prefetch the piece to the device. After the inner loop, prefetch the
        piece back to the host.
      ]],
      zh = [[
        交换两层循环：外层循环走各段，每段 1 MB；内层循环走各遍。内层循环之前，把这一段预取到设备；
        内层循环之后，把这一段预取回主机。
      ]],
    },
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

        Each piece goes to the device before its passes, and back to the host after them.
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

        每一段先送到设备，做完各遍之后再回主机。
      ]],
    },
  },

  after = {
    en = [[
      With managed memory, a program can run even if its data do not fit on the device. You do not
      have to keep track of which page is where. But managed memory does not make the link faster.
      You gained time because you changed the order of the loops and prefetched. You would gain the
      same with
      `cudaMalloc` and copies.

      The new order helps only if the data do not fit. An H200 holds all the data of this lab: the
      baseline takes 926 us there, and the model answer 1,640 us (measured).

      You can also put the pieces into two streams. Then the next piece migrates while the device
      works on the current piece. The lab `streams` does this with copies.
    ]],
    zh = [[
      有了托管内存，数据装不下的程序也能运行，你也不用管理哪一页在哪里。但托管内存不会让链路变快。省
      下时间是因为你改变了循环的次序，并且做了预取。用 `cudaMalloc` 加拷贝也能省下同样多的时间。

      只有数据装不下时，新的次序才有用。H200 装得下本实验的全部数据：基线用 926 微秒，
      参考答案用 1,640 微秒（实测）。

      还可以把各段放进两个流：设备处理这一段时，下一段同时在迁移。实验 `streams` 用拷贝做的就是这件
      事。
    ]],
  },
  more = {
    en = [[
      Go back to the loops of the skeleton, with one change: prefetch x before each pass. Which
      counters improve, and which do not? Then take your own solution again, and make all of x a
      single piece: its 6 MB are more than the device's memory. Which counters get worse?
    ]],
    zh = [[
      恢复骨架代码的循环，然后只改一处：在每一遍之前预取 x。哪些计数器变好了，哪些没有？再回到你自
      己的解法，只用一段，也就是整个 x：共 6 MB，比设备内存还大。哪些计数器变差了？
    ]],
  },
}
