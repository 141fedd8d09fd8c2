-- Chapter 9: few copies, large ones, from page-locked memory, and none that is not needed.
return lab {
  id = "transfers",
  title = { en = "Across the link", zh = "主机与设备之间的传输" },
  chapter = 9,
  minutes = 30,
  needs = { "memory-api" },
  source = "guide 5.3.1; slides III.4, III.5, V.4",
  teaches = {
    ["minimise-transfers"] = "say ask",
    ["link-slides"] = "say",
    ["link-h200"] = "say",
    ["batch-transfers"] = "say ask exercise",
    ["batch-h200"] = "ask",
    ["pinned-host"] = "say exercise goals",
    ["pinned-h200"] = "say",
    ["stay-on-device"] = "say ask exercise",
    intermediates = "say goals",
    ["program-cycle"] = "say",
  },

  host_time = true,
  host = "anything",
  entry = "void transfers(const float *log, const int *order, float *out, int rows, int cols)",
  args = {
    log = host(normal(0.5, 1, "rows * cols")),
    order = host(integers(0, "rows - 1", "rows")),
    out = host(output("rows * cols", { ops = "cols + 64", pinned = true })),
  },
  cases = {
    { rows = 16, cols = 100 },
    { rows = 1, cols = 1 },
    { rows = 37, cols = 65 },
    { rows = 256, cols = 1024, timed = true },
  },
  hidden = { count = 3, rows = { 1, 60 }, cols = { 1, 300 } },
  goals = {
    correct { points = 3 },
    at_most("h2d_copies", 1) {
      points = 1,
      en = "First gather the readings in the host's memory, then send them by one copy. Data that comes back only to be sent again can stay on the device.",
      zh = "先在主机内存里把读数收集好，再一次送过去。拷回来又要送过去的数据，留在设备上就行。",
    },
    at_most("d2h_copies", 1) {
      points = 1,
      en = "Only the result has to come back. Step 3 is also possible on the device: how many threads does it take?",
      zh = "只有结果需要拷回来。第 3 步在设备上也能做：它需要几个线程？",
    },
    at_most("pageable_bytes", 0) {
      points = 1,
      en = "The device itself fetches data only from page-locked memory (cudaMallocHost). From other memory the driver first copies everything into a buffer.",
      zh = "只有锁页内存（cudaMallocHost），设备才能自己读取。其他内存都要由驱动先复制一次。",
    },
    at_least("d2h_bytes", 0.7 * baseline) {
      points = 1,
      en = "Compute the samples on the device and fetch them from there.",
      zh = "样本应当在设备上算好，再从设备取回。",
    },
    speedup(6) {
      points = 2,
      en = "What does the call wait for? `compare` shows the number of copies and their bytes.",
      zh = "这次调用在等什么？`compare` 会列出拷贝的次数和字节数。",
    },
    at_least("flop_sp", 0.75 * baseline) {
      points = 1,
      en = "The device should do the arithmetic: a kernel has to compute the results.",
      zh = "运算应当由设备来做：结果必须由核函数算出。",
    },
  },

  steps = {
    say {
      en = [[
        A program that uses a device runs in a cycle: host code, data to the device, a kernel, results back, host code. With several kernels, the
        part from the data to the results is repeated.

        Each transfer crosses a *link*, and the link is the narrowest path of all. When the slides of a CUDA course were written, PCIe x16 had
        4 GB/s at its peak (1 to 2 in practice), and the memory of the card 80. On an H200 the link reaches 55 GB/s each way, and the memory
        4,262 GB/s in a copy: the ratio has become worse.

        So the first rule of memory throughput is a rule for the host: *move as little as possible across the link*. Three habits follow.
      ]],
      zh = [[
        使用设备的程序按这样的周期运行：主机代码，数据送到设备，核函数，结果送回主机，主机代码。有几个核函数，中间这一段就重复几遍。

        每次传输都要经过*链路*，而链路是最窄的一段。CUDA 课程的幻灯片成文时，PCIe x16 的峰值是 4 GB/s（实际 1 到 2），显存是 80 GB/s。在 H200 上，
        链路每个方向能到 55 GB/s，显存在设备内拷贝时能到 4,262 GB/s：差距反而更大了。

        所以提高内存吞吐量的第一条规则与主机有关：*主机与设备之间传输的数据越少越好*。由此得出三个习惯。
      ]],
    },
    ask {
      alone = true,
      en = "{mb} MB are to be processed by a kernel that reads and writes each byte once, so it moves twice as many bytes, at 4,262 GB/s. The trip there and back crosses the link at 55 GB/s each way. The trip takes how many times as long as the kernel?",
      zh = "有 {mb} MB 数据要由一个核函数处理，每个字节读一次、写一次，即以 4,262 GB/s 传输两倍的字节。这些数据往返一趟链路，每个方向 55 GB/s。往返的时间是核函数的多少倍？",
      draw = { mb = { 64, 512 } },
      answer = 4262 / 55,
      tolerance = 0.03,
      unit = "x",
      replies = {
        { function() return 4262 / 110 end, en = "The kernel also moves the bytes twice: once in and once out.", zh = "核函数也传输了两遍：读一遍，写一遍。" },
        { function() return 2 * 4262 / 55 end, en = "The kernel also moves twice as many bytes.", zh = "核函数传输的字节也是两倍。" },
      },
      because = {
        en = "The bytes cancel: 2 / 55 against 2 / 4262 is 77 times for any size. A kernel that does little with its data is not worth the trip.",
        zh = "字节数约掉了：2 / 55 比 2 / 4262，无论多大都是 77 倍。如果核函数对数据只做很少的运算，就不值得为它往返一趟。",
      },
    },
    say {
      en = [[
        *One large copy in place of many small ones.* Each copy has a fixed cost. On an H200's host it is some 8 microseconds, as much as half a
        megabyte at full speed. Gather scattered data in the host's memory first.

        *From page-locked memory.* The device fetches data by itself (DMA), and for that the pages must not move. Ordinary memory is *pageable*:
        the driver first has to copy everything into its own buffer. Memory from `cudaMallocHost` is *page-locked* or *pinned*.

        Measured on an H200 with 64 MB: to the device 8,884 microseconds from pageable and 1,220 from pinned memory; back, 4,815 and 1,222. Pinned
        memory is expensive to allocate, and the rest of the system cannot use it. So allocate it once, keep it, and take no more than you need.

        *Stay on the device.* Create, use and free intermediate arrays there; the host need not see them. This is true even for steps that suit a
        device badly: a slow kernel on the spot may well be faster than two trips.
      ]],
      zh = [[
        *一次大拷贝代替许多小拷贝。* 每次拷贝都有固定开销，在 H200 的主机上大约 8 微秒，足以全速传输半兆字节。数据如果零散，就先在主机内存里收集好。

        *用锁页内存。* 设备自己读取数据（DMA），读取时内存页不能移动。普通内存是*可分页*（pageable）的，
        驱动只好先把数据复制到自己的缓冲区。`cudaMallocHost` 分配的是*锁页*（page-locked，也叫 pinned）内存。

        在 H200 上实测 64 MB：送往设备，可分页内存 8,884 微秒，锁页内存 1,220 微秒；取回主机，4,815 和 1,222 微秒。不过锁页内存分配起来很慢，
        而且占用之后系统的其他部分就不能用了：分配一次，一直保留，够用就好。

        *留在设备上。* 中间数组在设备上创建、使用、释放，不必经过主机。即使某一步并不适合设备，也是如此：就地用一个慢的核函数，往往还是比往返两趟快。
      ]],
    },
    ask {
      en = "4 MB went to an H200 as {k} copies of equal size from pinned memory, each after the one before. A copy costs 8.2 us, plus its bytes at 55 GB/s. How many microseconds did all copies take?",
      zh = "从锁页内存把 4 MB（4,194,304 字节）送到 H200，分成 {k} 次同样大小的拷贝，一次接一次。每次拷贝有 8.2 微秒的开销，再按 55 GB/s 加上字节的时间。总共要多少微秒？",
      draw = { k = { from = { 256, 512, 1024 } } },
      answer = function(d) return d.k * 8.2 + 4194304 / 55e3 end,
      tolerance = 0.05,
      unit = "us",
      replies = {
        { function() return 4194304 / 55e3 end, en = "That is the time of the bytes. Each of the {k} copies also costs 8.2 us.", zh = "这是传输字节的时间。{k} 次拷贝，每次还有 8.2 微秒的开销。" },
      },
      because = {
        en = "{k} times 8.2, and 76 us for the bytes, which are the smaller part. Measured there: 1,024 copies of 4 KB took 8,453 us, 96 times as long as one copy of 4 MB (88 us).",
        zh = "{k} 乘以 8.2，再加上字节本身的 76 微秒，而字节只是较小的一部分。实测：1,024 次 4 KB 的拷贝用了 8,453 微秒，一次 4 MB 的拷贝 88 微秒，相差 96 倍。",
      },
    },
    ask {
      en = "Read the top of `transfers.cu` first. Step 3 of the exercise is a chain: each level needs the one before. On the device only one thread can do it, perhaps at a hundredth of a CPU's speed. The 256 means are on the device, and the levels are needed there. Where should the step run?",
      zh = "先读 `transfers.cu` 的开头。练习的第 3 步是一条链：每个 level 都要用到前一个。在设备上只能用一个线程做，速度也许只有 CPU 的百分之一。256 个均值在设备上，level 也要在设备上用。这一步应当放在哪里？",
      choices = {
        {
          en = "On the host: serial work belongs there",
          zh = "主机上：串行的工作归主机",
          because = { en = "True if the data are there already. Here it would add two copies and a wait for everything before them.", zh = "如果数据本来就在主机上，确实如此。可这里要多付两次拷贝，还要等待前面的工作全部做完。" },
        },
        { en = "On the device, by a kernel of one thread: 256 steps are cheaper than two trips across the link", zh = "设备上，用只有一个线程的核函数：256 步比传输两次便宜", right = true },
        {
          en = "On both, and the faster result is used",
          zh = "两边都做，谁快用谁的结果",
          because = { en = "To know which was faster, the data would still have to cross the link.", zh = "要知道谁快，数据照样得经过链路。" },
        },
      },
    },
    predict {
      en = "The skeleton runs with rows = 256. How many copies does it make to the device?",
      zh = "骨架代码以 rows = 256 运行。它向设备拷贝多少次？",
      counter = "h2d_copies",
      of = "skeleton",
      tolerance = 0,
      replies = {
        { 256, en = "One copy for each row, and one more: see what else is copied to the device.", zh = "每行一次拷贝，另外还有一次：看看还有什么拷贝到设备上。" },
      },
      because = { en = "One for each reading, and one for the levels.", zh = "每次读数一次，level 再加一次。" },
    },
    exercise {
      en = "Reduce this to one copy there and one back, through page-locked memory. The function is called with several sizes, in any order. Keep the memory between the calls. No goal requires keeping it, since one call has to allocate, but `mallocs` and `elapsed_us` show what it saves.",
      zh = "把它改成去一次、回一次，经由锁页内存。函数会以几种大小被调用，次序不定。请在多次调用之间保留这块内存。没有目标要求这样做，因为总有一次调用要分配，但从 `mallocs` 和 `elapsed_us` 看得出省下了多少。",
    },
    show {
      en = "Your call compared with the baseline's:",
      zh = "你的调用和基线对比：",
      picture = "counters",
      counters = { "h2d_copies", "d2h_copies", "link_bytes", "pageable_bytes", "launches", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = "The same call on the device's timeline, with a row for each engine and each stream:",
      zh = "同一次调用在设备上的时间线，每个引擎、每个流各占一行：",
      picture = "timeline",
      of = "mine",
    },
    compare {
      en = "The time on the device, and the time with all that the host waited for:",
      zh = "只算设备的时间，以及把主机的等待都算上的时间：",
      counters = { "device_us", "elapsed_us", "mallocs", "syncs" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Count the copies in the skeleton. Which of them carry data that the other side computed just before?",
      zh = "数一数骨架代码里的拷贝。哪些拷贝送过去的，正是对方刚刚算出来的数据？",
    },
    {
      en = "Gather: on the host, `memcpy` the readings in order into one buffer, and send the buffer. For step 3 write a kernel with a loop and launch it `<<<1, 1>>>`. Allocate the buffer by `cudaMallocHost`.",
      zh = "收集：在主机上用 `memcpy` 把各次读数按次序复制到一个缓冲区，然后整个送过去。第 3 步写一个带循环的核函数，用 `<<<1, 1>>>` 启动。缓冲区用 `cudaMallocHost` 分配。",
    },
    {
      en = [[
            static float *packed;
            static size_t room;
            if (rows * row > room) {
                cudaFreeHost(packed);
                cudaMallocHost(&packed, rows * row);
                room = rows * row;
            }

        Then loop with `memcpy` into `packed`, and call `cudaMemcpy(x, packed, rows * row, cudaMemcpyHostToDevice)`. At the end make one copy to
        `out`, which is page-locked already.
      ]],
      zh = [[
            static float *packed;
            static size_t room;
            if (rows * row > room) {
                cudaFreeHost(packed);
                cudaMallocHost(&packed, rows * row);
                room = rows * row;
            }

        然后循环 `memcpy` 到 `packed`，再 `cudaMemcpy(x, packed, rows * row, cudaMemcpyHostToDevice)`。最后同样用一次拷贝送到 `out`，它本来就是锁页内存。
      ]],
    },
  },

  after = {
    en = [[
      You changed no kernel and added one that is as slow as a kernel can be. All the gain came from the transfers.

      Step 3 on its own gains little here: 256 steps of one thread take about as long as two small copies. It gains clearly once the host has
      other work to do instead of waiting. Most of what is left in `elapsed_us` is `cudaMalloc` and `cudaFree`, the subject of `churn`.

      If you need copies, they can at least overlap with other work: see `streams`. If the data are touched only once, you may need no copy at
      all: see `zero-copy`.
    ]],
    zh = [[
      原来的核函数一点没动，新添的那个还慢得不能再慢，省下来的全是传输的时间。

      单看第 3 步，这里几乎没有差别：一个线程算 256 步，与两次小拷贝的用时差不多。等到主机另有工作要做、不必干等时，优势就明显了。
      现在 `elapsed_us` 里剩下的大部分是 `cudaMalloc` 和 `cudaFree`，那是 `churn` 要讲的。

      如果拷贝免不了，至少可以让它和别的工作重叠，见 `streams`。如果数据只访问一次，也许连拷贝都不用，见 `zero-copy`。
    ]],
  },
  more = {
    en = "Gather into memory from `malloc` and look at `elapsed_us` again. Then let the CPU do step 3 as before. What do those two small copies cost, apart from their bytes?",
    zh = "改用 `malloc` 的内存来收集，再看看 `elapsed_us`。然后让 CPU 照旧做第 3 步，看看那两次小拷贝的代价：贵的不是字节。",
  },
}
