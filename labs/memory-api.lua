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
    correct { points = 4 },
    at_least("flop_sp", 0.75 * baseline) { points = 2, en = "The computation should run on the device.", zh = "计算应当在设备上进行。" },
    at_least("releases", 1) { points = 2, en = "Free every allocation.", zh = "分配的内存必须释放。" },
    at_most("h2d_copies", 1) { points = 1, en = "One copy in is enough.", zh = "拷入一次就够了。" },
    at_least("link_bytes", 0.75 * baseline) { points = 1, en = "The data must go to the device, and the results must come back from it.", zh = "数据应当送到设备，结果应当从设备取回。" },
  },

  steps = {
    say {
      en = [[
        The host and the device have separate memories. A kernel cannot use a pointer from `malloc`, and the host cannot use a pointer from
        `cudaMalloc`: the program crashes, it does not just get slower. (Some recent systems let a kernel reach `malloc`'s memory, slowly; do not rely
        on it.) You move data between the two with `cudaMemcpy(to, from, bytes, direction)`:

            cudaMemcpyHostToDevice      cudaMemcpyDeviceToHost
            cudaMemcpyDeviceToDevice    cudaMemcpyHostToHost
      ]],
      zh = [[
        主机和设备各有各的内存。核函数不能用 `malloc` 得到的指针，主机也不能用 `cudaMalloc` 得到的指针：用了不是变慢，而是程序崩溃。
        （有些较新的系统允许核函数访问 `malloc` 的内存，但很慢；不要依赖这一点。）数据用 `cudaMemcpy(目标, 来源, 字节数, 方向)` 在两者之间拷贝：

            cudaMemcpyHostToDevice      cudaMemcpyDeviceToHost
            cudaMemcpyDeviceToDevice    cudaMemcpyHostToHost
      ]],
    },
    ask {
      alone = true,
      en = "`float *v; cudaMalloc(&v, {b});` How many floats fit?",
      zh = "`float *v; cudaMalloc(&v, {b});` 能放多少个 float？",
      draw = { b = { 40, 4000, multiple = 4 } },
      answer = function(d) return d.b / 4 end,
      replies = { { function(d) return d.b end, en = "That is the number of bytes. How many bytes does a float have?", zh = "这是字节数。一个 float 有几个字节？" } },
      because = { en = "The size is given in bytes, as for malloc.", zh = "大小以字节为单位，和 malloc 一样。" },
    },
    ask {
      en = "`out` comes from malloc and `v` from cudaMalloc. `v` holds the results. Which call brings them to the host?",
      zh = "`out` 来自 malloc，`v` 来自 cudaMalloc，结果在 v 里。哪个调用能把结果取回主机？",
      choices = {
        { "cudaMemcpy(v, out, bytes, cudaMemcpyDeviceToHost)", because = { en = "The destination comes first, as in memcpy.", zh = "目标写在前面，和 memcpy 一样。" } },
        { "cudaMemcpy(out, v, bytes, cudaMemcpyHostToDevice)", because = { en = "The direction contradicts the pointers: you get an error at best, undefined behaviour at worst.", zh = "方向与指针矛盾：最好的情况是返回错误，最坏的情况是行为未定义。" } },
        { "memcpy(out, v, bytes)", because = { en = "The host would read device memory and crash.", zh = "主机不能读设备内存：程序会崩溃。" } },
        { "cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost)", right = true },
      },
    },
    ask {
      alone = true,
      en = "`__constant__ float table[64];` How does the host fill it?",
      zh = "`__constant__ float table[64];` 主机怎样给它赋值？",
      choices = {
        { en = "table[0] = 1; on the host", zh = "在主机上写 table[0] = 1;", because = { en = "On the host, the name stands for a shadow variable, not for the variable on the device.", zh = "在主机上，这个名字代表的是影子变量，不是设备上的那个。" } },
        { "cudaMemcpy(&table, values, sizeof table, cudaMemcpyHostToDevice)", because = { en = "&table is the address of the host's shadow variable.", zh = "&table 是主机上影子变量的地址。" } },
        { "cudaMemcpyToSymbol(table, values, sizeof table)", right = true },
      },
    },
    ask {
      alone = true,
      en = "A picture has rows of {w} bytes, and `cudaMallocPitch` returns a pitch of {p} bytes. At which byte does row {r} begin? (Rows count from 0.)",
      zh = "图像每行 {w} 字节，`cudaMallocPitch` 给出的间距（pitch）是 {p} 字节。第 {r} 行（从 0 数）的起始字节偏移是多少？",
      draw = { w = { 300, 500 }, p = { from = { 512, 1024 } }, r = { 2, 20 } },
      answer = function(d) return d.r * d.p end,
      replies = { { function(d) return d.r * d.w end, en = "That would be right without padding. Rows begin one pitch apart.", zh = "没有填充时才是这样。相邻两行的起点相隔一个间距（pitch）。" } },
      because = { en = "Row times pitch, not row times width. `cudaMemcpy2D` takes both the pitch and the width.", zh = "行号乘以间距，而不是乘以宽度。`cudaMemcpy2D` 需要间距和宽度两个参数。" },
    },
    predict {
      en = "How many bytes does the model answer copy to the device for n = 2^18 floats?",
      zh = "n = 2^18 个 float 时，参考答案向设备拷贝多少字节？",
      counter = "h2d_bytes",
      of = "answer",
      tolerance = 0,
      because = { en = "2^18 * 4 bytes, and as many back. The copy back needs no cudaDeviceSynchronize: a `cudaMemcpy` waits for the kernels that were launched before it.", zh = "2^18 * 4 字节，拷回来也是这么多。拷回之前不必调用 cudaDeviceSynchronize：`cudaMemcpy` 会等之前启动的核函数执行完。" },
    },
    exercise { en = "Allocate, copy in, launch, copy out, free. First run the skeleton as it is, and read what the device reports about the host pointer.", zh = "分配、拷入、启动、拷出、释放。先原样运行一次骨架代码，看看设备对主机指针会报告什么。" },
    show { en = "Your kernel's memory accesses:", zh = "你的核函数的内存访问：", picture = "sectors", of = "mine" },
    compare {
      en = "What was copied, and how often.",
      zh = "拷贝了多少数据，调用了多少次。",
      counters = { "h2d_bytes", "d2h_bytes", "mallocs", "frees", "launches", "elapsed_us" },
      beside = "answer",
    },
  },

  hints = {
    { en = "Which of the two memories can a kernel use? Where is the data?", zh = "核函数能访问哪种内存？数据现在在哪里？" },
    { en = "In this order: cudaMalloc(&v, bytes), cudaMemcpy to the device, the launch, cudaMemcpy back, cudaFree(v).", zh = "依次是：cudaMalloc(&v, bytes)，cudaMemcpy 到设备，启动，cudaMemcpy 拷回，cudaFree(v)。" },
    { en = "`cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);` before and `cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);` after the launch. The second one waits for the kernel.", zh = "启动之前 `cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);`，之后 `cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);`。后者会等核函数结束。" },
  },

  after = {
    en = [[
      The copies take far longer than the kernel: look at elapsed_us. On an H200, copying 64 MB to the device takes 8.9 ms from ordinary memory and
      1.2 ms from page-locked memory (measured).

      A kernel that reads and writes them once takes some 0.03 ms, at the speed of a copy on the device: 4,262 GB/s. (The 40 GB/s of the lecture
      slides are from 2007.) Keep data on the device as long as there is work for it.
    ]],
    zh = [[
      拷贝的用时远多于核函数：看看 elapsed_us。在 H200 上，把 64 MB 拷到设备，从普通内存要 8.9 毫秒，从锁页内存要 1.2 毫秒（实测）。

      核函数把这些数据读写一遍，按设备内拷贝的速度 4,262 GB/s 计算，只要 0.03 毫秒左右。（讲义幻灯片里的 40 GB/s 是 2007 年的数字。）只要还有工作要做，
      数据就应当留在设备上。
    ]],
  },
  more = { en = "Leave out the cudaFree and look at the report. Then give a copy the wrong direction, and print the error that it returns.", zh = "去掉 cudaFree，看看报告。然后给一次拷贝写上相反的方向，打印它返回的错误。" },
}
