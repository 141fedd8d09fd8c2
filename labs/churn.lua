-- Chapter 9: allocation out of the loop.
return lab {
  id = "churn",
  title = { en = "Allocate once", zh = "只分配一次" },
  chapter = 9,
  minutes = 20,
  needs = { "memory-api", "timing" },
  source = "guide 5.5",
  teaches = {
    ["churn-slows"] = "say",
    ["allocate-early"] = "say exercise",
    ["right-size"] = "ask",
    ["fall-back"] = "say ask",
    ["allocation-cost"] = "say",
    ["pool-h200"] = "say ask",
    ["pool-allocation"] = "say more",
  },

  host_time = true,
  entry = "void churn(const float *in, float *out, int n, int steps)",
  args = {
    ["in"] = uniform(-1, 1, "n"),
    out = output("n", { ops = "8 * steps" }),
  },
  cases = {
    { n = 512, steps = 8 },
    { n = 1, steps = 1 },
    { n = 1003, steps = 9 },
    { n = 1 << 16, steps = 24, timed = true },
  },
  hidden = { count = 3, n = { 1, 80000, most = 1 << 24 }, steps = { 8, 20 } },
  goals = {
    correct { points = 4 },
    at_most("allocations", 1) {
      points = 3,
      en = [[
        The scratch array has the same size in every round. One allocation is enough for all rounds.
      ]],
      zh = "每一轮的临时数组都一样大。分配一次，就够所有轮次用了。",
    },
    at_most("kept_bytes", 0) {
      points = 1,
      en = "Free the scratch array after the last round.",
      zh = "最后一轮之后，要释放临时数组。",
    },
    speedup(5) {
      points = 2,
      en = [[
        `elapsed_us` is the time of the whole call, and `device_us` is the time in which the device
        works. In the rest of the time the device waits for the host, mostly for `cudaMalloc` and
        `cudaFree`.
      ]],
      zh = [[
        `elapsed_us` 是整个调用的时间，`device_us` 是设备工作的时间。其余时间里，设备都在等主机，
        而主机大半在执行 `cudaMalloc` 和 `cudaFree`。
      ]],
    },
  },

  steps = {
    say {
      en = [[
        In this lab you smooth an array of n floats `steps` times. In each round, every element
        becomes the mean of itself and its two neighbours. Each round first copies the array to a
        scratch array and then reads the scratch array. Otherwise, a thread would overwrite elements
        that other threads still need.

        The skeleton allocates and frees the scratch array in every round. You will see how much
        time these calls take, and save most of it.

        On the host, `malloc` takes nanoseconds. `cudaMalloc` takes much longer: it calls the driver
        and the operating system, and they map memory pages on the device. `cudaFree` removes these
        mappings. `cudaFree` also *waits until the device has finished all its work*.

        On an H200, a program ran 50 short kernels. It allocated 4 MB before each kernel and
        freed them after the kernel. This took 5,017 microseconds. With one allocation for all
        kernels, the program took 328 microseconds.

        A program that allocates and frees all the time can get even slower. The memory goes back to
        the operating system each time, and the calls take longer and longer at first. After a
        while their time stays the same.

        So allocate early, and only as much as the problem needs. Free the memory when you no longer
        need it. Do not allocate or free memory where speed matters.
      ]],
      zh = [[
        本实验把一个有 n 个 float 的数组平滑 `steps` 轮。每一轮里，每个元素都换成自己与左右两个相邻
        元素的均值。每一轮先把数组拷到一个临时数组里，这样线程就不会改写别的线程还要读的元素。

        骨架代码每一轮都分配、释放一次临时数组。你会看到这些调用要花多少时间，并省下其中的大部分。

        主机上的 `malloc` 用时以纳秒计。`cudaMalloc` 慢得多，因为 `cudaMalloc` 要调用驱动和操作系
        统，在设备上映射内存页。`cudaFree` 撤销这些映射，而且还要*等设备完成所有工作*。

        在 H200 上，一个程序运行 50 个短核函数。每个核函数之前分配 4 MB，之后释放，
        一共花了 5,017 微秒；所有核函数合用一次分配，只花 328 微秒。

        如果程序不停地分配和释放，还可能更慢：内存每次都还给操作系统，这些调用越来越慢，慢到一定程度
        才稳定下来。

        所以要尽早分配，需要多少就分配多少，不再需要时释放。在要求速度的那段程序里，不要分配，
        也不要释放。
      ]],
    },
    predict {
      en = [[
        Read `churn.cu` first. The skeleton runs with steps = 24. How many allocations does it make?
      ]],
      zh = "先读 `churn.cu`。骨架代码以 steps = 24 运行，一共分配多少次？",
      counter = "mallocs",
      of = "skeleton",
      tolerance = 0,
      replies = {
        {
          25,
          en = [[
            How many rounds are there? Each round allocates once, and the rest of the function
            allocates nothing.
          ]],
          zh = "一共有多少轮？每轮分配一次，函数的其他地方没有分配。",
        },
        {
          48,
          en = "You counted the calls of `cudaFree`, too. Count only the allocations.",
          zh = "这把 `cudaFree` 也算进去了。只数分配的次数。",
        },
      },
      because = {
        en = "Each round allocates one scratch array. All these arrays have the same size.",
        zh = "每一轮分配一个临时数组。这些数组全都一样大。",
      },
    },
    ask {
      en = [[
        When a program starts, it allocates all free memory of the device. Later it takes all its
        arrays from this memory, without any further allocation. What is wrong with that?
      ]],
      zh = [[
        一个程序一启动，就把设备上所有空闲内存都分配下来，以后的数组都从这块内存里取，不再分配。
        这样做有什么不好？
      ]],
      choices = {
        {
          en = "Nothing: a single allocation is the smallest number possible",
          zh = "没什么不好：只分配一次，次数最少",
          because = {
            en = "The program saves calls. But it may not be the only program on this GPU.",
            zh = "调用次数确实少了。可是这块 GPU 上可能还有别的程序。",
          },
        },
        {
          en = [[
            All this memory is occupied at once: other programs on the same GPU may get none and be
            unable to run
          ]],
          zh = "这些内存立刻全被占用：同一块 GPU 上的其他程序可能分配不到内存，根本无法运行",
          right = true,
        },
        {
          en = "The more memory is allocated, the slower kernels get",
          zh = "分配的内存越多，核函数就越慢",
          because = {
            en = "Memory that a kernel does not access has no effect on its speed.",
            zh = "核函数不访问的内存，不影响核函数的速度。",
          },
        },
      },
      because = {
        en = [[
          `cudaMalloc`, `cudaMallocHost` and the driver's `cuMemCreate` all occupy memory from the
          moment of the call, even if the program never uses it. `cudaMallocHost` allocates
          page-locked memory, which the operating system cannot move. If a program takes too much
          of it, the whole machine runs short of memory.
        ]],
        zh = [[
          `cudaMalloc`、`cudaMallocHost` 和驱动接口里的 `cuMemCreate` 都是一调用就占用内存，程序用不
          用都一样。`cudaMallocHost` 分配的是锁页内存，操作系统不能移动锁页内存的页；如果占用太多，
          整台机器的内存都会不够用。
        ]],
      },
    },
    say {
      en = [[
        Sometimes a program learns a size only in the middle of its work. Then take the memory from
        a *pool*: device memory that the driver keeps for later allocations. `cudaMallocAsync` takes
        memory from the pool, and `cudaFreeAsync` gives it back.

        Both calls go into a *stream*, which is a queue of work for the device, and the host does
        not wait. By default, the pool gives unused memory back to the system when a program waits
        for the device.

        On an H200, a program allocated 64 MB and freed them again, twenty times. With `cudaMalloc`
        and `cudaFree` this took 3,554 microseconds. From a pool it took 244 microseconds. You can
        set a *release threshold*, and the pool then keeps unused memory. With such a threshold it
        took 24 microseconds.

        If there is not enough device memory, `cudaMalloc` returns `cudaErrorMemoryAllocation`. A
        good program does not end there: it calls `cudaMallocHost` or `cudaMallocManaged` instead.

        `cudaMallocHost` returns host memory, which a kernel reads across the link between host and
        device. `cudaMallocManaged` returns memory whose pages move between host and device. Both
        are slower than device memory, but the program runs.
      ]],
      zh = [[
        有时程序运行到中途才知道要多少内存。这时应当从*内存池*里取：内存池是驱动留着、
        供以后分配的设备内存。`cudaMallocAsync` 从池里取内存，`cudaFreeAsync` 把内存还给池。

        这两个调用都进入一个*流*（设备的工作队列），主机不用等待。默认情况下，每当程序等待设备时，
        池会把没有用到的内存还给系统。

        在 H200 上，一个程序把 64 MB 分配、释放 20 次：用 `cudaMalloc` 和 `cudaFree` 要 3,554 微秒，
        用内存池要 244 微秒。还可以设置*释放阈值*，让池留住没有用到的内存，这时只要 24 微秒。

        如果设备内存不够，`cudaMalloc` 返回 `cudaErrorMemoryAllocation`。好的程序不会就此结束，
        而是改用 `cudaMallocHost` 或 `cudaMallocManaged`。

        `cudaMallocHost` 返回主机内存，核函数经过主机与设备之间的链路读取这块内存。
        `cudaMallocManaged` 返回托管内存，托管内存的页可以在主机和设备之间迁移。两者都比设备内存慢，
        但程序能运行。
      ]],
    },
    ask {
      en = [[
        The 64 MB come from the pool that keeps its memory. How many microseconds do one
        `cudaMallocAsync` and one `cudaFreeAsync` take together, by the figures above?
      ]],
      zh = [[
        从留住内存的池里取 64 MB。按上面的数字，一次 `cudaMallocAsync` 加一次 `cudaFreeAsync` 要多少
        微秒？
      ]],
      answer = 24 / 20,
      tolerance = 0.1,
      unit = "us",
      replies = {
        {
          24,
          en = "This is the time of all twenty pairs of calls. Divide it by their number.",
          zh = "这是二十对调用的总时间，题目问的是一对。",
        },
      },
      because = {
        en = [[
          24 / 20 is about 1.2 microseconds, less than a launch takes. A pair of `cudaMalloc` and
          `cudaFree` takes 178 microseconds.
        ]],
        zh = [[
          24 / 20 约为 1.2 微秒，比一次启动还短。而一对 `cudaMalloc` 和 `cudaFree` 要 178 微秒。
        ]],
      },
    },
    exercise {
      en = [[
        Move everything that does not need to be repeated out of the loop. The result has to be
        right for every n. Your function is called several times, also with a larger n than before:
        memory that you keep from an earlier call may be too small.
      ]],
      zh = [[
        把不必每轮重复的语句都移到循环外面。任意 n 的结果都要正确。Warplab 会多次调用你的函数，后面
        的 n 可能比前面的大：如果留着上一次的内存，这块内存可能不够大。
      ]],
    },
    show {
      en = "The counters of your call beside those of the baseline:",
      zh = "你的调用与基线的计数器对比：",
      picture = "counters",
      counters = { "mallocs", "pool_allocs", "frees", "malloc_bytes", "device_us", "elapsed_us" },
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
    ask {
      en = [[
        A program needs a scratch array of {mb} MB, but only 80 MB of the device's memory are free.
        The program calls `cudaMalloc`. If this call fails, the program calls `cudaMallocHost`.
        Which memory will the kernel read from?
      ]],
      zh = [[
        程序需要 {mb} MB 的临时数组，但设备内存只有 80 MB 空闲。程序先调用 `cudaMalloc`，如果失败，
        就调用 `cudaMallocHost`。核函数会从哪种内存读？
      ]],
      draw = { mb = { 100, 300 } },
      choices = {
        {
          en = "Device memory for the first 80 MB, and host memory for the rest",
          zh = "前 80 MB 从设备内存读，其余从主机内存读",
          because = {
            en = [[
              One call returns only one kind of memory, or it fails. Only managed memory can be
              spread over both.
            ]],
            zh = "一次调用只返回一种内存，否则就失败。只有托管内存可以分在两边。",
          },
        },
        {
          en = [[
            Host memory: whenever the kernel reads the array, all of it crosses the link. This is
            slow, but it works
          ]],
          zh = "主机内存：核函数每读一遍，整个数组都要经过链路。这样很慢，但能运行",
          right = true,
        },
        {
          en = "Device memory: the driver makes room by moving the memory of other programs away",
          zh = "设备内存：驱动会把别的程序的内存移走，腾出空间",
          because = {
            en = "Memory from `cudaMalloc` stays where it is until its program frees it.",
            zh = "`cudaMalloc` 分配的内存，在所属的程序释放之前一直留在原处。",
          },
        },
      },
    },
  },

  hints = {
    {
      en = "Which lines of the loop do exactly the same in every round?",
      zh = "循环里哪几行每一轮做的都完全一样？",
    },
    {
      en = [[
        The scratch array has n floats in every round. Its old contents do not matter, because
        `copy` overwrites all of them.
      ]],
      zh = "每一轮的临时数组都是 n 个 float。数组里原来的内容无关紧要，因为 `copy` 会全部覆盖。",
    },
    {
      en = "Put `cudaMalloc` before the `for`, and `cudaFree` after the closing brace of the loop.",
      zh = "把 `cudaMalloc` 放到 `for` 之前，把 `cudaFree` 放到循环的右花括号之后。",
    },
  },

  after = {
    en = [[
      In the skeleton, the host waited in `cudaFree` until the device had finished all its work.
      Only then did the host launch the next kernel, and until that launch the device was idle. In
      your version, the host launches the next kernel while the device still works.

      A library function that is called again and again cannot move an allocation out of its
      caller's loop. It can keep its memory from one call to the next, and allocate more only when a
      call needs more. It can also use a pool.
    ]],
    zh = [[
      在骨架代码里，主机在 `cudaFree` 里等设备做完所有工作，之后才启动下一个核函数。在这次启动之前，
      设备没有工作可做。改过之后，主机不用等：设备还在工作，下一个核函数就已经启动了。

      如果程序反复调用一个库函数，这个函数没法把分配移到程序的循环外面。这样的函数可以在两次调用之间
      保留内存，不够大时才重新分配；也可以使用内存池。
    ]],
  },
  more = {
    en = [[
      Put the allocation back into the loop, but with `cudaMallocAsync(&scratch, bytes, 0)` and
      `cudaFreeAsync(scratch, 0)`. Compare `elapsed_us`. Then remove `copy` from the loop: use two
      arrays, and let them change places after each round.
    ]],
    zh = [[
      把分配放回循环里，但改
      用 `cudaMallocAsync(&scratch, bytes, 0)` 和 `cudaFreeAsync(scratch, 0)`，比较 `elapsed_us`。
      然后从循环里去掉 `copy`：用两个数组，每一轮之后互换。
    ]],
  },
}
