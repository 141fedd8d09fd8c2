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
      en = [[
        Gather the readings in host memory first, and then send them in one copy. Data that come
        back to the host only to be sent again can stay on the device.
      ]],
      zh = [[
        先在主机内存里把读数收集好，再用一次拷贝送过去。如果数据拷回主机只是为了再送过去，
        就应当留在设备上。
      ]],
    },
    at_most("d2h_copies", 1) {
      points = 0.5,
      en = [[
        Only the results have to come back. Step 3 can run on the device, too. How many threads does
        it need?
      ]],
      zh = "只有结果需要拷回来。第 3 步也可以在设备上做，这一步需要几个线程？",
    },
    at_most("pageable_bytes", 0) {
      points = 1,
      en = [[
        The device can fetch data by itself only from page-locked memory (`cudaMallocHost`). From
        other memory, the driver first copies everything to a buffer.
      ]],
      zh = [[
        只有锁页内存（`cudaMallocHost`），设备才能自己来取数据。其他内存里的数据，
        驱动要先复制到一个缓冲区。
      ]],
    },
    at_least("d2h_bytes", 0.7 * baseline) {
      points = 0.5,
      en = "Compute the samples on the device, and copy them to the host from there.",
      zh = "样本应当在设备上算好，再从设备拷回主机。",
    },
    at_most("host_words", 0.2 * baseline) {
      points = 2,
      en = [[
        Compute the levels and the samples in kernels. The host only gathers the readings and sends
        them.
      ]],
      zh = "level 和样本都要由核函数来算。主机只负责收集读数，再送到设备。",
    },
    speedup(6) {
      points = 2,
      none = 1,
      en = [[
        What does your call wait for? `compare` shows how many copies you make and how many bytes
        they have.
      ]],
      zh = "你的调用在等什么？`compare` 会列出拷贝的次数和字节数。",
    },
  },

  steps = {
    say {
      en = [[
        In this lab a program corrects readings of sensors. Each reading is a row of samples. The
        program computes one level for each reading and subtracts the level from all samples of the
        reading. Two short kernels do most of the work. But the skeleton spends its time on copies
        between host and device. You will make fewer copies, and faster ones.

        A program that uses a device runs in a cycle: host code, a copy to the device, a kernel, a
        copy back, host code. A program with several kernels repeats the three steps in the middle.

        Every copy crosses the *link* between host and device, and the link is slow. On an H200 it
        reaches 55 GB/s each way. A copy within the device's memory reaches 4,262 GB/s. In the
        slides of an old CUDA course, the link (PCIe x16) reaches 4 GB/s at its peak and 1 to 2 in
        practice. The memory of the card reaches 80 GB/s there. So the link was far slower than the
        memory, and it still is.

        The first rule of memory throughput is therefore a rule for the host: *move as little as
        possible across the link*. Three habits keep the copies few and fast.
      ]],
      zh = [[
        本实验的程序整理传感器读数。每次读数是一行样本。程序给每次读数算出一个基准值 level，再从
        这次读数的每个样本里减去基准值。大部分工作由两个很短的核函数完成，但骨架代码的时间花在主机与
        设备之间的拷贝上。你要减少拷贝的次数，并让拷贝更快。

        使用设备的程序按周期运行：主机代码，拷到设备，核函数，拷回主机，主机代码。如果有几个核函数，
        中间的三步就重复几遍。

        每次拷贝都要经过主机与设备之间的*链路*，而链路很慢。在 H200 上，链路每个方向能到 55 GB/s，设
        备内存内部的拷贝能到 4,262 GB/s。在一门旧的 CUDA 课程的幻灯片里，链路（PCIe x16）的峰值是 4
        GB/s，实际 1 到 2，显存是 80 GB/s。可见链路当时就慢得多，今天仍然如此。

        因此，提高内存吞吐量的第一条规则与主机有关：*主机与设备之间传输的数据越少越好*。下面三个习惯
        能让拷贝更少、更快。
      ]],
    },
    ask {
      alone = true,
      en = [[
        A kernel processes {mb} MB. It reads and writes each byte once, so it moves twice as many
        bytes, at 4,262 GB/s. Before the kernel the data cross the link, and after it the results
        cross the link back, at 55 GB/s each way. Divide the time of the trip there and back by the
        time of the kernel. What is the result?
      ]],
      zh = [[
        一个核函数要处理 {mb} MB 数据，每个字节读一次、写一次，也就是以 4,262 GB/s 传输两倍的字节。
        核函数运行之前，数据要经过链路送来；运行之后，结果要经过链路送回，每个方向 55 GB/s。一来一回
        的时间是核函数用时的多少倍？
      ]],
      draw = { mb = { 64, 512 } },
      answer = 4262 / 55,
      tolerance = 0.03,
      unit = "x",
      replies = {
        {
          function() return 4262 / 110 end,
          en = "You counted only one way. The results also go back.",
          zh = "这只算了一个方向，结果还要送回去。",
        },
        {
          function() return 2 * 4262 / 55 end,
          en = [[
            You counted the bytes of the kernel only once. It reads each byte and writes each byte.
          ]],
          zh = "核函数的字节只算了一遍。每个字节要读一次，还要写一次。",
        },
      },
      because = {
        en = [[
          The number of bytes cancels: 2 / 55 is 77 times as much as 2 / 4262, for any size. If a
          kernel does little with its data, the trip is not worth its time.
        ]],
        zh = [[
          字节数约掉了：无论数据多大，2 / 55 都是 2 / 4262 的 77 倍。如果核函数对数据只做很少的运
          算，就不值得让数据往返一趟。
        ]],
      },
    },
    say {
      en = [[
        *Make one large copy instead of many small ones.* Each copy has a fixed cost. On the host of
        an H200 this is some 8 microseconds. In this time, the link could carry half a megabyte. If
        the data are scattered in host memory, gather them there first.

        *Copy from page-locked memory.* During a copy, the device fetches the data by itself (direct
        memory access, DMA), so the pages must stay where they are. The pages of ordinary memory may
        move: such memory is *pageable*. So the driver first has to copy pageable data into its own
        buffer. Memory from `cudaMallocHost` is *page-locked*, or *pinned*: its pages do not move.

        On an H200, a copy of 64 MB to the device took 8,884 microseconds from pageable memory and
        1,220 from pinned memory. A copy back took 4,815 microseconds to pageable memory and 1,222
        to pinned memory. But pinned memory is slow to allocate, and the rest of the system cannot
        use it. So allocate it once, keep it, and take no more than you need.

        *Leave data on the device.* If the host does not need an intermediate array, create, use and
        free the array on the device. This is true even for steps that suit the device badly: a slow
        kernel on the device may be faster than two copies across the link.
      ]],
      zh = [[
        *用一次大的拷贝代替许多小的拷贝。* 每次拷贝都有固定开销。在 H200 的主机上，这项开销约 8 微
        秒，这段时间里链路可以传输半兆字节。如果数据在主机内存里很零散，就先在主机上收集好。

        *从锁页内存拷贝。* 设备自己来取数据（直接内存访问，DMA），在这期间内存页必须留在原处。普通内
        存是*可分页*（pageable）的，操作系统可能移动普通内存的页，所以驱动要先把数据复制到自己的缓冲
        区。`cudaMallocHost` 分配的是*锁页*（page-locked，也叫 pinned）内存，锁页内存的页固定在原
        处。

        在 H200 上，把 64 MB 拷到设备，从可分页内存要 8,884 微秒，从锁页内存要 1,220 微秒；拷回主
        机，到可分页内存要 4,815 微秒，到锁页内存要 1,222 微秒。不过分配锁页内存很慢，而且系统的其他
        部分不能使用这些内存。所以请只分配一次，一直保留，够用就好。

        *把数据留在设备上。* 主机不需要的中间数组，就在设备上创建、使用、释放。即使某一步不适合在设
        备上做，也是如此：在设备上用一个慢的核函数，也可能比经过链路拷贝两次更快。
      ]],
    },
    ask {
      en = [[
        A program copied 4 MB from pinned memory to an H200, in {k} copies of equal size, one after
        another. A copy costs 8.2 us, plus the time to move its bytes at 55 GB/s. How many
        microseconds did all copies take?
      ]],
      zh = [[
        一个程序从锁页内存把 4 MB（4,194,304 字节）拷到 H200，分成 {k} 次同样大小的拷贝，一次接一
        次。每次拷贝有 8.2 微秒的固定开销，再加上以 55 GB/s 传输数据的时间。所有拷贝一共要多少微秒？
      ]],
      draw = { k = { from = { 256, 512, 1024 } } },
      answer = function(d) return d.k * 8.2 + 4194304 / 55e3 end,
      tolerance = 0.05,
      unit = "us",
      replies = {
        {
          function() return 4194304 / 55e3 end,
          en = [[
            This is only the time to move the bytes. The fixed cost is missing: 8.2 us for each of
            the {k} copies.
          ]],
          zh = "这只是传输数据的时间，还没有算固定开销：{k} 次拷贝，每次 8.2 微秒。",
        },
      },
      because = {
        en = [[
          The {k} copies cost 8.2 us each, and moving all the bytes costs only 76 us. Measured on an
          H200: 1,024 copies of 4 KB took 8,453 us, 96 times as long as one copy of 4 MB (88 us).
        ]],
        zh = [[
          {k} 次拷贝，每次 8.2 微秒，而传输全部数据只要 76 微秒。在 H200 上实测：1,024 次 4 KB 的拷
          贝用了 8,453 微秒，一次 4 MB 的拷贝用了 88 微秒，前者是后者的 96 倍。
        ]],
      },
    },
    ask {
      en = [[
        Read the top of `transfers.cu` first. Step 3 of the exercise is a chain: each level is
        computed from the level before it. So only one thread of the device can compute the levels,
        perhaps at a hundredth of a CPU's speed. The levels are computed from the 256 means, which
        are on the device. Step 4 needs the levels on the device. Where should step 3 run?
      ]],
      zh = [[
        先读 `transfers.cu` 的开头。练习的第 3 步是一条链：每个 level 都要用到前一个。
        所以在设备上只能用一个线程来算，速度也许只有 CPU 的百分之一。level 由 256 个均值算出，
        均值在设备上；第 4 步也在设备上使用 level。第 3 步应当在哪里做？
      ]],
      choices = {
        {
          en = "On the host: serial work belongs there",
          zh = "主机上：串行的工作归主机",
          because = {
            en = [[
              This is right if the data are on the host. Here, the means would have to come to the
              host and the levels would have to go back. The host would also have to wait for the
              kernel.
            ]],
            zh = [[
              如果数据在主机上，确实如此。可这里均值要先拷到主机，level 再拷回去，
              主机还要等核函数做完。
            ]],
          },
        },
        {
          en = [[
            On the device, in a kernel of one thread: 256 steps take about as long as two small
            copies, and the host need not wait
          ]],
          zh = "设备上，用只有一个线程的核函数：256 步与两次小的拷贝用时差不多，主机也不用等待",
          right = true,
        },
        {
          en = "On both, and the program uses the result that is ready first",
          zh = "两边都做，谁先做完就用谁的结果",
          because = {
            en = [[
              The host can compute nothing before the means have crossed the link, so these copies
              would still be made.
            ]],
            zh = "均值经过链路之后，主机才能开始算，所以这些拷贝一次也没有省。",
          },
        },
      },
    },
    predict {
      en = "The skeleton runs with rows = 256. How many copies to the device does it make?",
      zh = "骨架代码以 rows = 256 运行。骨架代码向设备拷贝多少次？",
      counter = "h2d_copies",
      of = "skeleton",
      tolerance = 0,
      replies = {
        {
          256,
          en = "This is one copy for each reading. What else does the skeleton copy to the device?",
          zh = "这是每次读数拷贝一次。骨架代码还把什么拷到设备上？",
        },
      },
      because = {
        en = "One copy for each reading, and one copy for the levels.",
        zh = "每次读数拷贝一次，level 再拷贝一次。",
      },
    },
    exercise {
      en = [[
        Reduce the copies to one copy to the device and one copy back, both with page-locked memory.
        Your function is called with several sizes, in any order. Keep the page-locked memory from
        one call to the next. No goal checks this, because at least one call has to allocate the
        memory. But `mallocs` and `elapsed_us` show how much you save.
      ]],
      zh = [[
        把拷贝减少到去一次、回一次，两次都用锁页内存。Warplab 会以几种大小调用你的函数，次序不定。请
        在两次调用之间保留锁页内存。评分的目标不检查这一点，因为至少有一次调用要分配这块内存。但
        `mallocs` 和 `elapsed_us` 会显示省下了多少。
      ]],
    },
    show {
      en = "The counters of your call beside those of the baseline:",
      zh = "你的调用与基线的计数器对比：",
      picture = "counters",
      counters = { "h2d_copies", "d2h_copies", "link_bytes", "pageable_bytes", "launches", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = [[
        Your call as a timeline. Each stream (a queue of work for the device) has a row, and so has
        each engine. (The engines are the parts of the device that copy data, and the part that runs
        kernels.)
      ]],
      zh = [[
        你的调用的时间线。每个流（stream，设备的工作队列）占一行，每个引擎也占一行。引擎是设备里负责
        拷贝的部件和执行核函数的部件。
      ]],
      picture = "timeline",
      of = "mine",
    },
    compare {
      en = [[
        `device_us` is the time in which a copy or a kernel ran. `elapsed_us` is the time from the
        first operation of the call to the end of the last one:
      ]],
      zh = [[
        `device_us` 是有拷贝或核函数在运行的时间。`elapsed_us` 是从这次调用的第一个操作开始到最后一
        个操作结束的时间：
      ]],
      counters = { "device_us", "elapsed_us", "mallocs", "syncs" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        Look at all copies in the skeleton. Which copies would you not need if one more step ran on
        the device?
      ]],
      zh = "看看骨架代码里的所有拷贝。如果再有一步在设备上做，哪些拷贝就不需要了？",
    },
    {
      en = [[
        To gather the readings on the host, copy them with `memcpy` into one buffer, in the right
        order. Then send this buffer. For step 3 write a kernel with a loop and launch it with
        `<<<1, 1>>>`. Allocate the buffer with `cudaMallocHost`.
      ]],
      zh = [[
        收集读数：在主机上用 `memcpy` 按正确的次序把读数复制到一个缓冲区，再把这个缓冲区送过去。
        第 3 步写成一个带循环的核函数，用 `<<<1, 1>>>` 启动。缓冲区用 `cudaMallocHost` 分配。
      ]],
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

        Then copy each reading into `packed` with `memcpy`, and call
        `cudaMemcpy(x, packed, rows * row, cudaMemcpyHostToDevice)`. At the end copy all results to
        `out` at once: `out` is page-locked already.
      ]],
      zh = [[
            static float *packed;
            static size_t room;
            if (rows * row > room) {
                cudaFreeHost(packed);
                cudaMallocHost(&packed, rows * row);
                room = rows * row;
            }

        然后用 `memcpy` 把每次读数复制到 `packed`，再调
        用 `cudaMemcpy(x, packed, rows * row, cudaMemcpyHostToDevice)`。最后把所有结果一次拷
        到 `out`，`out` 已经是锁页内存。
      ]],
    },
  },

  after = {
    en = [[
      You changed no kernel, and the kernel that you added is as slow as a kernel can be. You saved
      time only on copies.

      Step 3 on the device saves little in this lab: 256 steps in one thread take about as long as
      two small copies. It saves more if the host has other work to do, because the host no longer
      has to wait. Most of the remaining `elapsed_us` is time in `cudaMalloc` and `cudaFree`, the
      subject of the lab `churn`.

      If you cannot avoid a copy, let other work overlap with it: see `streams`. If a kernel uses
      its data only once, you may need no copy at all: see `zero-copy`.
    ]],
    zh = [[
      原来的核函数一个也没改，新加的那个慢得不能再慢。省下的全是拷贝的时间。

      单看第 3 步，在这个实验里省不了多少：一个线程算 256 步，与两次小的拷贝用时差不多。
      如果主机另有工作要做，省下的就多了，因为主机不用再等。剩下的 `elapsed_us` 大部分
      是 `cudaMalloc` 和 `cudaFree` 的时间，实验 `churn` 讲的就是这个。

      如果拷贝免不了，可以让拷贝与别的工作重叠，见 `streams`。如果核函数只用一次数据，也许根本不需要
      拷贝，见 `zero-copy`。
    ]],
  },
  more = {
    en = [[
      Gather the readings in memory from `malloc` and look at `elapsed_us` again. Then let the host
      do step 3 as before. How much do the two small copies cost, apart from the time to move their
      bytes?
    ]],
    zh = [[
      改用 `malloc` 的内存来收集读数，再看看 `elapsed_us`。然后让主机照旧做第 3 步。那两次小的拷贝，
      除了传输数据的时间，还要花多少时间？
    ]],
  },
}
