-- Chapter 9: few copies, large ones, from page-locked memory, and none that is not needed.
return lab {
  id = "transfers",
  title = { en = "Across the link", zh = "过桥费：主机与设备之间的传输" },
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
      en = "Gather the readings in the host's memory first, then send them by one copy. What comes back only to be sent again need not travel at all.",
      zh = "先在主机内存里把读数收集好，再一次送过去。拷回来又要送过去的东西，根本不必走这一趟。",
    },
    at_most("d2h_copies", 1) {
      points = 1,
      en = "Only the result has to come back. Step 3 is possible on the device too: how many threads does it take?",
      zh = "只有结果需要拷回来。第 3 步在设备上也能做：它需要几个线程？",
    },
    at_most("pageable_bytes", 0) {
      points = 1,
      en = "Page-locked memory (cudaMallocHost) is what the device fetches by itself. From any other the driver copies everything once more.",
      zh = "只有锁页内存（cudaMallocHost）设备才能自己来取。别的内存都要由驱动先复制一次。",
    },
    at_least("d2h_bytes", 0.7 * baseline) {
      points = 1,
      en = "The samples are to be made on the device and fetched from there.",
      zh = "样本应当在设备上算好，再从设备取回。",
    },
    speedup(6) {
      points = 2,
      en = "Where does the call wait? `compare` shows the number of copies and their bytes.",
      zh = "这次调用把时间花在等什么上？`compare` 会列出拷贝的次数和字节数。",
    },
    at_least("flop_sp", 0.75 * baseline) {
      points = 1,
      en = "The device should do the arithmetic: a kernel has to compute what comes out.",
      zh = "运算应当由设备来做：结果必须由核函数算出。",
    },
  },

  steps = {
    say {
      en = [[
        A program with a device runs in a cycle: host code, data to the device, a kernel, results back, host code. Where there are several kernels, the middle part is repeated. Each crossing goes over a *link*, and the link is the narrowest way of all:
        when the slides were written PCIe x16 had 4 GB/s at its peak (1 to 2 in practice) and the memory of the card 80. On an H200 the link reaches 55 GB/s each way, and its memory 4,262 GB/s in a copy: the ratio has become worse.

        So the first rule of memory throughput is about the host: *move as little as possible across the link*. From it follow three habits.
      ]],
      zh = [[
        使用设备的程序按这样的周期运行：主机代码，数据送到设备，核函数，结果送回主机，主机代码。有几个核函数，中间这一段就重复几遍。每次过桥走的都是同一条*链路*，而它是最窄的一段路：CUDA 课程的幻灯片成文时，PCIe x16 的峰值是 4 GB/s（实际 1 到 2），
        显卡上的显存有 80 GB/s。在 H200 上，链路每个方向能到 55 GB/s，设备内部拷贝时显存是 4,262 GB/s：差距反而更大了。

        所以提高内存吞吐量的第一条规则就落在主机这一侧：*主机与设备之间传输的数据越少越好*。由此得出三个习惯。
      ]],
    },
    ask {
      alone = true,
      en = "{mb} MB are to be processed by a kernel that reads and writes each byte once. How many times as long as the kernel, which moves twice as many bytes at 4,262 GB/s, does the trip there and back (55 GB/s each way) take?",
      zh = "有 {mb} MB 数据要由一个核函数处理，每个字节读一次、写一次。往返一趟链路（每个方向 55 GB/s）所用的时间，是核函数（以 4,262 GB/s 搬运两倍的字节）的多少倍？",
      draw = { mb = { 64, 512 } },
      answer = 4262 / 55,
      tolerance = 0.03,
      unit = "x",
      replies = {
        { function() return 4262 / 110 end, en = "The kernel moves the bytes twice, too: once in and once out.", zh = "核函数也把字节搬了两遍：读一遍，写一遍。" },
        { function() return 2 * 4262 / 55 end, en = "The kernel moves twice as many bytes as well.", zh = "核函数搬的字节也是两倍。" },
      },
      because = {
        en = "The bytes cancel: 2 / 55 against 2 / 4262, so 77 times, whatever the size. A kernel that does little with its data is not worth the trip.",
        zh = "字节数约掉了：2 / 55 比 2 / 4262，无论多大都是 77 倍。只对数据做一点点事的核函数，不值得为它跑这一趟。",
      },
    },
    say {
      en = [[
        *One large copy in place of many small ones.* Each copy has a cost of its own, some 8 microseconds on an H200's host, as much as half a megabyte at full speed. Data that lies scattered is gathered in the host's memory first.

        *From page-locked memory.* The device fetches data by itself (DMA), and for that the pages must not move. From ordinary, *pageable* memory the driver has to copy everything into a buffer of its own first. Memory from `cudaMallocHost` is *page-locked* or
        *pinned*. Measured on an H200 with 64 MB: to the device 8,884 microseconds from pageable and 1,220 from pinned memory; back, 4,815 and 1,222. To allocate it is expensive, and it is taken away from everybody else: allocate it once, keep it, and no more than you need.

        *Stay on the device.* Intermediate arrays are made, used and freed there; the host never sees them. That includes steps that suit a device badly: a slow kernel on the spot may well be faster than two trips.
      ]],
      zh = [[
        *一次大拷贝代替许多小拷贝。* 每次拷贝都有固定开销，在 H200 的主机上大约 8 微秒，够全速传半兆字节。数据要是零散，就先在主机内存里收集好。

        *用锁页内存。* 数据是设备自己来取的（DMA），取的时候内存页不能挪动。普通内存是*可分页*（pageable）的，驱动只好先把数据抄进自己的缓冲区。`cudaMallocHost` 分配的是*锁页*（page-locked，也叫 pinned）内存。在 H200 上实测 64 MB：
        送往设备，可分页内存 8,884 微秒，锁页内存 1,220 微秒；取回主机，4,815 和 1,222 微秒。不过分配锁页内存很贵，而且占了就不归别人用：分配一次，一直留着，够用就好。

        *留在设备上。* 中间数组在设备上创建、使用、释放，主机根本不用看见。即便某一步并不适合设备，也是如此：就地用一个慢的核函数，往往还是比来回两趟快。
      ]],
    },
    ask {
      en = "4 MB went to an H200 as {k} copies of equal size, each waiting for the one before, from pinned memory. A copy costs 8.2 us and 55 GB/s. How long did it take, in microseconds?",
      zh = "从锁页内存把 4 MB（4,194,304 字节）送到 H200，分成 {k} 次同样大小的拷贝，一次接一次。每次拷贝的开销是 8.2 微秒，速度 55 GB/s。总共要多少微秒？",
      draw = { k = { from = { 256, 512, 1024 } } },
      answer = function(d) return d.k * 8.2 + 4194304 / 55e3 end,
      tolerance = 0.05,
      unit = "us",
      replies = {
        { function() return 4194304 / 55e3 end, en = "That is the time of the bytes. Each of the {k} copies costs 8.2 us besides.", zh = "这是搬字节的时间。{k} 次拷贝每次还要 8.2 微秒。" },
      },
      because = {
        en = "{k} times 8.2, and 76 us for the bytes, which are the smaller part. Measured there: 1,024 copies of 4 KB took 8,453 us, one of 4 MB 88 us: 96 times less.",
        zh = "{k} 乘以 8.2，再加上字节本身的 76 微秒，而这反倒是小头。实测：1,024 次 4 KB 的拷贝用了 8,453 微秒，一次 4 MB 的拷贝 88 微秒，差 96 倍。",
      },
    },
    ask {
      en = "Step 3 of the exercise is a chain: each level needs the one before. On the device only one thread can do it, at perhaps a hundredth of a CPU's speed. Where should it run, if 256 means lie on the device and the levels are needed there?",
      zh = "练习的第 3 步是一条链：每个 level 都要用到前一个。在设备上只能用一个线程做，速度也许只有 CPU 的百分之一。256 个均值在设备上，level 也要在设备上用，这一步应当放在哪里？",
      choices = {
        {
          en = "On the host: serial work belongs there",
          zh = "主机上：串行的工作归主机",
          because = { en = "True for work whose data are there already. Here two copies and a wait for everything before them come on top.", zh = "如果数据本来就在主机上，是这样。可这里要多付两次拷贝，还要等前面的工作全部做完。" },
        },
        { en = "On the device, by a kernel of one thread: 256 steps are cheaper than two crossings", zh = "设备上，用只有一个线程的核函数：256 步比过两次桥便宜", right = true },
        {
          en = "On both, and the faster one's result is used",
          zh = "两边都做，谁快用谁的结果",
          because = { en = "To know which was faster, the data had to cross all the same.", zh = "要知道谁快，数据照样得过桥。" },
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
        { 256, en = "One copy for each row, and one more: look at what else is copied before the loop.", zh = "每行一次拷贝，另外还有一次：看看还拷贝了什么。" },
      },
      because = { en = "One for each reading, and one for the levels.", zh = "每次读数一次，level 再加一次。" },
    },
    exercise {
      en = "Bring it down to one copy there and one back, through page-locked memory. The function is called with several sizes, the largest last. Keep the memory between the calls: no goal asks for it, since some call has to allocate, but `mallocs` and `elapsed_us` show what it saves.",
      zh = "把它改成去一次、回一次，经由锁页内存。函数会以几种大小被调用，最大的在最后。请在多次调用之间留用这块内存：没有目标要求这样做，因为总有一次调用要分配，但从 `mallocs` 和 `elapsed_us` 看得出省下了多少。",
    },
    show {
      en = "What your call did, beside the skeleton's habits:",
      zh = "你的调用做了什么，和骨架代码的做法对比：",
      picture = "counters",
      counters = { "h2d_copies", "d2h_copies", "link_bytes", "pageable_bytes", "launches", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = "The same on the device's clock, engine by engine and stream by stream:",
      zh = "再按设备的时钟，逐个引擎、逐个流地看：",
      picture = "timeline",
      of = "mine",
    },
    compare {
      en = "The time on the device alone, and with all that the host waited for:",
      zh = "只算设备的时间，以及把主机的等待都算上的时间：",
      counters = { "device_us", "elapsed_us", "mallocs", "syncs" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Count the copies in the skeleton. Which of them carry data that the other side made only a moment ago?",
      zh = "数一数骨架代码里的拷贝。哪些送过去的数据，就是对面刚刚才算出来的？",
    },
    {
      en = "Gather: `memcpy` each reading on the host into one buffer, in order, and send that. For step 3 write a kernel with a loop and launch it `<<<1, 1>>>`. The buffer comes from `cudaMallocHost`.",
      zh = "收集：在主机上用 `memcpy` 把每次读数按次序抄进一个缓冲区，然后整个送过去。第 3 步写一个带循环的核函数，用 `<<<1, 1>>>` 启动。缓冲区用 `cudaMallocHost` 分配。",
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

        then the loop of `memcpy` into `packed`, and `cudaMemcpy(x, packed, rows * row, cudaMemcpyHostToDevice)`. At the end the same in one copy to `out`, which is page-locked already.
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
      Nothing about the kernels changed, and one was added that is as slow as a kernel can be. All that was won was won on the way. Step 3 by itself is nearly a draw here, 256 steps of one thread against two small copies; it wins clearly once the host, too, has something better to do than to wait. What is left in `elapsed_us` is mostly `cudaMalloc` and `cudaFree`: that is the matter of `churn`.

      Where copies have to be, they can at least happen while something else does: `streams`. And where data are touched only once, there may be no copy at all: `zero-copy`.
    ]],
    zh = [[
      原来的核函数一点没动，新添的那个还慢得不能再慢，省下来的时间全在路上。单看第 3 步，这里几乎打平：一个线程算 256 步，与两次小拷贝相比；等到主机不想干等、另有正事要做时，优势就明显了。现在 `elapsed_us` 里剩下的大头是 `cudaMalloc` 和 `cudaFree`，那是 `churn` 要讲的。

      拷贝如果免不了，至少可以让它和别的事同时进行，见 `streams`。数据如果只碰一次，也许连拷贝都不用，见 `zero-copy`。
    ]],
  },
  more = {
    en = "Gather into memory from `malloc` and look at `elapsed_us` again. Then let the CPU do step 3 as before and see what those two small copies cost: it is not their bytes.",
    zh = "改用 `malloc` 的内存来收集，再看看 `elapsed_us`。然后让 CPU 照旧做第 3 步，看看那两次小拷贝的代价：贵的不是字节。",
  },
}
