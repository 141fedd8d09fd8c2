-- Chapter 1: allocation and copies.
return lab {
  id = "memory-api",
  title = { en = "Two memories", zh = "两种内存" },
  chapter = 1,
  minutes = 20,
  needs = { "vector-add" },
  source = "slides III; guide 5.3.2",
  teaches = {
    ["device-copy-rate"] = "after",
    ["copy-kinds"] = "say ask exercise",
    pitch = "ask",
    symbols = "ask",
    ["two-memories"] = "say exercise",
  },

  entry = "void memory_api(const float *in, float *out, int n)",
  args = { ["in"] = host(uniform(-1, 1, "n")), out = host(output("n", { ops = 1 })) },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 1 << 18, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 3 },
    at_least("flop_sp", 0.75 * baseline) { points = 0.5, en = "Let the device do the computation, not the host.", zh = "计算应当由设备完成，而不是由主机完成。" },
    at_most("host_words", 2600) { points = 2, en = "Copy the input as it is: the host should not compute with it first.", zh = "输入应当原样拷到设备，主机不要先对输入做计算。" },
    at_least("released_pct", 100) { points = 2, en = "Free every allocation with `cudaFree`. Let the kernel work in the memory that you allocated: a `__device__` variable is never freed.", zh = "每次分配的内存都要用 `cudaFree` 释放。核函数要用你分配的内存：程序的全局变量（`__device__`）不会被释放。" },
    at_most("h2d_copies", 1) { points = 0.5, en = "Copy the input to the device only once.", zh = "输入只需要向设备拷贝一次。" },
    at_least("copied_bytes", 0.75 * baseline) { points = 2, en = "Copy the whole input to the device and all results back to the host.", zh = "应当把全部输入拷到设备，再把全部结果拷回主机。" },
  },

  steps = {
    say {
      en = [[
        In this lab a kernel adds 1 to every element of an array: `out[i] = in[i] + 1`. Both arrays are in the host's memory, where the kernel cannot
        reach them. You will learn how to allocate device memory, how to copy data to and from the device, and how much time the copies take.

        The host and the device have separate memories. `malloc` allocates host memory, and a kernel that reads or writes host memory fails.
        `cudaMalloc` allocates device memory, and a host program that reads or writes device memory crashes. (Some recent systems let a kernel reach
        the memory of `malloc`, but slowly. Do not rely on that.)

        `cudaMemcpy(to, from, bytes, direction)` copies data. The direction is one of four:

            cudaMemcpyHostToDevice      cudaMemcpyDeviceToHost
            cudaMemcpyDeviceToDevice    cudaMemcpyHostToHost
      ]],
      zh = [[
        本实验的核函数给数组的每个元素加 1：`out[i] = in[i] + 1`。两个数组都在主机内存里，核函数访问不到。你会学到怎样分配设备内存，
        怎样在主机和设备之间拷贝数据，以及拷贝要花多少时间。

        主机和设备各有各的内存。`malloc` 分配主机内存，核函数访问主机内存会出错。`cudaMalloc` 分配设备内存，主机代码访问设备内存会使程序崩溃。
        （有些较新的系统允许核函数访问 `malloc` 分配的内存，但很慢，不要依赖这一点。）

        `cudaMemcpy(目标, 来源, 字节数, 方向)` 拷贝数据，方向有四种：

            cudaMemcpyHostToDevice      cudaMemcpyDeviceToHost
            cudaMemcpyDeviceToDevice    cudaMemcpyHostToHost
      ]],
    },
    ask {
      alone = true,
      en = "`float *v; cudaMalloc(&v, {b});` How many floats fit into the memory at `v`?",
      zh = "`float *v; cudaMalloc(&v, {b});` `v` 指向的内存能放多少个 float？",
      draw = { b = { 40, 4000, multiple = 4 } },
      answer = function(d) return d.b / 4 end,
      replies = { { function(d) return d.b end, en = "You gave the number of bytes. How many bytes does a float have?", zh = "你给出的是字节数。一个 float 占几个字节？" } },
      because = { en = "`cudaMalloc` takes the size in bytes, as `malloc` does. A float has 4 bytes, so divide {b} by 4.", zh = "传给 `cudaMalloc` 的大小以字节为单位，和 `malloc` 一样。一个 float 占 4 个字节，所以用 {b} 除以 4。" },
    },
    ask {
      en = "`out` comes from `malloc` and `v` from `cudaMalloc`. The kernel has written its results to the memory at `v`. Which call brings the results to the host?",
      zh = "`out` 来自 `malloc`，`v` 来自 `cudaMalloc`。核函数已经把结果写到 `v` 指向的内存里。哪个调用能把结果取回主机？",
      choices = {
        { "cudaMemcpy(v, out, bytes, cudaMemcpyDeviceToHost)", because = { en = "This call copies from `out` to `v`. The destination comes first, as in `memcpy`.", zh = "这个调用从 `out` 拷到 `v`。目标写在前面，和 `memcpy` 一样。" } },
        { "cudaMemcpy(out, v, bytes, cudaMemcpyHostToDevice)", because = { en = "The data should go from the device to the host, but the direction says host to device. The call returns an error at best; at worst the behaviour is undefined.", zh = "数据应当从设备拷到主机，方向写的却是从主机到设备。最好的情况是返回错误，最坏的情况是行为未定义。" } },
        { "memcpy(out, v, bytes)", because = { en = "The host would read device memory, and the program would crash.", zh = "这样主机会直接读设备内存，程序会崩溃。" } },
        { "cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost)", right = true },
      },
      because = { en = "The destination comes first, then the source. The data go from the device to the host.", zh = "目标写在前面，来源写在后面，数据从设备拷到主机。" },
    },
    ask {
      alone = true,
      en = "`__constant__ float table[64];` defines an array in device memory. How does the host fill the array?",
      zh = "`__constant__ float table[64];` 定义了一个设备内存里的数组。主机怎样给这个数组赋值？",
      choices = {
        { en = "table[0] = 1; on the host", zh = "在主机上写 table[0] = 1;", because = { en = "The compiler also makes a variable `table` in host memory, and host code changes only that one. The array on the device does not change.", zh = "编译器在主机内存里另造了一个同名的变量，主机代码里的 `table` 指的是它。设备上的数组不会改变。" } },
        { "cudaMemcpy(&table, values, sizeof table, cudaMemcpyHostToDevice)", because = { en = "In host code, `&table` is the address of another variable, which the compiler makes in host memory. It is not the address of the array on the device.", zh = "编译器在主机内存里另造了一个同名的变量，主机代码里的 `&table` 是它的地址，不是设备上那个数组的地址。" } },
        { "cudaMemcpyToSymbol(table, values, sizeof table)", right = true },
      },
      because = { en = "`cudaMemcpyToSymbol` takes the name of the array, finds its address on the device, and copies the values there.", zh = "`cudaMemcpyToSymbol` 接受数组的名字，找到这个数组在设备上的地址，再把数据拷过去。" },
    },
    ask {
      alone = true,
      en = "`cudaMallocPitch` allocates memory for a picture. It may add unused bytes (padding) to each row, so that every row starts at a multiple of, for example, 512 bytes. The *pitch* is the number of bytes from the start of one row to the start of the next. A picture has rows of {w} bytes and a pitch of {p} bytes. At which byte does row {r} begin? (Rows and bytes count from 0.)",
      zh = "`cudaMallocPitch` 为图像分配内存时，可能在每行末尾加上不用的字节（填充），让每一行都从某个数（例如 512 字节）的倍数处开始。相邻两行起点之间的字节数叫*间距*（pitch）。某图像每行 {w} 字节，间距是 {p} 字节。第 {r} 行从第几个字节开始？（行和字节都从 0 数起。）",
      draw = { w = { 300, 500 }, p = { from = { 512, 1024 } }, r = { 2, 20 } },
      answer = function(d) return d.r * d.p end,
      replies = { { function(d) return d.r * d.w end, en = "This would be right without padding. With padding, each row starts {p} bytes after the start of the previous row.", zh = "没有填充时这样算才对。有填充时，每一行的起点比上一行的起点靠后 {p} 个字节。" } },
      because = { en = "{r} * {p}: multiply the number of the row by the pitch, not by the width. `cudaMemcpy2D` copies such pictures; you give it both the pitch and the width.", zh = "{r} * {p}：行号乘以间距，而不是乘以宽度。拷贝这样的图像用 `cudaMemcpy2D`，间距和宽度都要作为参数给出。" },
    },
    predict {
      en = "The model answer runs with n = 2^18 floats. How many bytes does the model answer copy to the device?",
      zh = "n = 2^18 个 float 时，参考答案向设备拷贝多少字节？",
      counter = "h2d_bytes",
      of = "answer",
      tolerance = 0,
      because = { en = "2^18 * 4 bytes. The copy back to the host has the same size. You need no `cudaDeviceSynchronize` before the copy back: `cudaMemcpy` waits for the kernels that were launched before it.", zh = "2^18 * 4 字节，拷回主机的也是这么多。拷回之前不必调用 `cudaDeviceSynchronize`：`cudaMemcpy` 会等之前启动的核函数执行完。" },
    },
    exercise { en = "Write the five steps: allocate device memory, copy the input to the device, launch the kernel, copy the results back, free the memory. But first run the skeleton without changes. The skeleton gives the kernel a host pointer: read what the device reports.", zh = "写出五个步骤：分配设备内存，把输入拷到设备，启动核函数，把结果拷回主机，释放内存。动手之前先原样运行一次骨架代码：骨架把主机指针交给了核函数，看看设备会报告什么。" },
    show { en = "Your kernel's memory accesses:", zh = "你的核函数的内存访问：", picture = "sectors", of = "mine" },
    compare {
      en = "Your program beside the model answer: how many bytes it copied, and how many calls it made.",
      zh = "你的程序与参考答案的对比：拷贝了多少字节，各种调用有多少次。",
      counters = { "h2d_bytes", "d2h_bytes", "mallocs", "frees", "launches", "elapsed_us" },
      beside = "answer",
    },
  },

  hints = {
    { en = "Which of the two memories can a kernel use? In which memory is the input?", zh = "核函数能访问哪种内存？输入数据在哪种内存里？" },
    { en = "The order is: `cudaMalloc(&v, bytes)`, `cudaMemcpy` to the device, the launch, `cudaMemcpy` back to the host, `cudaFree(v)`.", zh = "顺序是：`cudaMalloc(&v, bytes)`，用 `cudaMemcpy` 拷到设备，启动核函数，用 `cudaMemcpy` 拷回主机，`cudaFree(v)`。" },
    { en = "Before the launch: `cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);` After the launch: `cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);` The second copy waits for the kernel.", zh = "启动之前：`cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);` 启动之后：`cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);` 第二次拷贝会等核函数执行完。" },
  },

  after = {
    en = [[
      In the comparison, `elapsed_us` is the time from the first operation of your program to the end of the last one. The copies take most of this
      time, not the kernel. On an H200, a copy of 64 MB to the device takes 8.9 ms from ordinary host memory and 1.2 ms from
      *page-locked* host memory (measured). The operating system may move ordinary memory to another place. Page-locked memory stays where it is, so the
      device can fetch the data itself.

      Device memory is much faster. A copy within the memory of an H200 reads and writes 4,262 GB/s in all. (A device of 2007 reached 40 GB/s.) At
      4,262 GB/s, a kernel reads and writes the 64 MB in about 0.03 ms. So keep data on the device as long as kernels still use them.
    ]],
    zh = [[
      对比表里的 `elapsed_us` 是从程序的第一个操作开始到最后一个操作结束的用时，大部分花在拷贝上，而不是核函数上。
      在 H200 上，把 64 MB 从普通的主机内存拷到设备要 8.9 毫秒，从*锁页*的主机内存拷要 1.2 毫秒（都是实测）。
      普通内存可能被操作系统移到别处，锁页内存固定在原处，所以设备可以自己来取数据。

      设备内存快得多。在 H200 内部拷贝，读写合计达到 4,262 GB/s（2007 年的一个设备是 40 GB/s）。按 4,262 GB/s 计算，
      核函数把 64 MB 读写一遍只要 0.03 毫秒左右。所以只要后面的核函数还要用，数据就应当留在设备上。
    ]],
  },
  more = { en = "Leave out `cudaFree` and look at the report. Then put `cudaFree` back, give one copy the wrong direction, and print the error that this copy returns.", zh = "去掉 `cudaFree`，看看报告。然后恢复 `cudaFree`，把一次拷贝的方向写反，打印这次拷贝返回的错误。" },
}
