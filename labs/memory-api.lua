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
    at_least("flop_sp", 0.75 * baseline) { points = 2, en = "The device should do the work.", zh = "这件事应当由设备来做。" },
    at_least("releases", 1) { points = 2, en = "What was allocated must be freed.", zh = "分配了的内存必须释放。" },
    at_most("h2d_copies", 1) { points = 1, en = "One copy in is enough.", zh = "拷入一次就够了。" },
    at_least("link_bytes", 0.75 * baseline) { points = 1, en = "The data go to the device, and the results come back from it.", zh = "数据应当送到设备，结果应当从设备取回。" },
  },

  steps = {
    say {
      en = [[
        The host's memory and the device's are two. A pointer from `malloc` means nothing to a kernel, and a pointer from `cudaMalloc` means nothing to the host: using it there is a crash, not a slow
        access. (Some recent systems let a kernel reach `malloc`'s memory all the same, slowly; do not rely on it.) Data crosses by `cudaMemcpy(to, from, bytes, direction)`:

            cudaMemcpyHostToDevice      cudaMemcpyDeviceToHost
            cudaMemcpyDeviceToDevice    cudaMemcpyHostToHost
      ]],
      zh = [[
        主机内存和设备内存是两回事。`malloc` 得到的指针对核函数毫无意义，`cudaMalloc` 得到的指针对主机也毫无意义：在那里使用它会崩溃，而不是变慢。（有些较新的系统也能让核函数访问 `malloc` 的内存，只是很慢；不要依赖这一点。）数据用 `cudaMemcpy(目标, 来源, 字节数, 方向)` 在两者之间拷贝：

            cudaMemcpyHostToDevice      cudaMemcpyDeviceToHost
            cudaMemcpyDeviceToDevice    cudaMemcpyHostToHost
      ]],
    },
    ask {
      alone = true,
      en = "`float *v; cudaMalloc(&v, {b});` For how many floats is there room?",
      zh = "`float *v; cudaMalloc(&v, {b});` 能放多少个 float？",
      draw = { b = { 40, 4000, multiple = 4 } },
      answer = function(d) return d.b / 4 end,
      replies = { { function(d) return d.b end, en = "That is the number of bytes. How many has a float?", zh = "这是字节数。一个 float 有几个字节？" } },
      because = { en = "The size is in bytes, as for malloc.", zh = "大小以字节为单位，和 malloc 一样。" },
    },
    ask {
      en = "`out` comes from malloc, `v` from cudaMalloc, and v holds the results. Which call brings them to the host?",
      zh = "`out` 来自 malloc，`v` 来自 cudaMalloc，结果在 v 里。哪个调用能把结果取回主机？",
      choices = {
        { "cudaMemcpy(v, out, bytes, cudaMemcpyDeviceToHost)", because = { en = "The destination comes first, as in memcpy.", zh = "目标写在前面，和 memcpy 一样。" } },
        { "cudaMemcpy(out, v, bytes, cudaMemcpyHostToDevice)", because = { en = "The direction contradicts the pointers: an error at best, nothing defined at worst.", zh = "方向与指针矛盾：好则返回错误，坏则行为未定义。" } },
        { "memcpy(out, v, bytes)", because = { en = "The host would read device memory: a crash.", zh = "这是主机去读设备内存：会崩溃。" } },
        { "cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost)", right = true },
      },
    },
    ask {
      alone = true,
      en = "`__constant__ float table[64];` How does the host fill it?",
      zh = "`__constant__ float table[64];` 主机怎样给它赋值？",
      choices = {
        { en = "table[0] = 1; on the host", zh = "在主机上写 table[0] = 1;", because = { en = "On the host the name stands for a shadow variable, not for the device's.", zh = "在主机上，这个名字代表的是影子变量，不是设备上的那个。" } },
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
      replies = { { function(d) return d.r * d.w end, en = "That would be so without padding: rows begin a pitch apart.", zh = "没有填充时才是这样：各行的起点相隔的是间距（pitch）。" } },
      because = { en = "Row times pitch, not row times width: `cudaMemcpy2D` takes both.", zh = "行号乘以间距，而不是乘以宽度：`cudaMemcpy2D` 两个都要。" },
    },
    predict {
      en = "How many bytes does the model answer copy to the device for n = 2^18 floats?",
      zh = "n = 2^18 个 float 时，参考答案向设备拷贝多少字节？",
      counter = "h2d_bytes",
      of = "answer",
      tolerance = 0,
      because = { en = "2^18 * 4, and the same number back. The copy back needs no cudaDeviceSynchronize before it: a `cudaMemcpy` waits for the kernels that were launched before it.", zh = "2^18 * 4，拷回来也是这么多。拷回之前不必调用 cudaDeviceSynchronize：`cudaMemcpy` 会等之前启动的核函数执行完。" },
    },
    exercise { en = "Allocate, copy in, launch, copy out, free. First run it as it is, and read what the device says to a host pointer.", zh = "分配、拷入、启动、拷出、释放。先按原样运行一次，看看设备对主机指针怎么说。" },
    show { en = "Your kernel's accesses:", zh = "你的核函数的访问：", picture = "sectors", of = "mine" },
    compare {
      en = "What moved.",
      zh = "搬运了什么。",
      counters = { "h2d_bytes", "d2h_bytes", "mallocs", "frees", "launches", "elapsed_us" },
      beside = "answer",
    },
  },

  hints = {
    { en = "Which of the two memories does a kernel see? Where is the data?", zh = "核函数看得见哪种内存？数据现在在哪里？" },
    { en = "cudaMalloc(&v, bytes), cudaMemcpy to the device, the launch, cudaMemcpy back, cudaFree(v).", zh = "cudaMalloc(&v, bytes)，cudaMemcpy 到设备，启动，cudaMemcpy 拷回，cudaFree(v)。" },
    { en = "`cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);` before and `cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);` after the launch. The second one waits for the kernel.", zh = "启动之前 `cudaMemcpy(v, in, bytes, cudaMemcpyHostToDevice);`，之后 `cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);`。后者会等核函数结束。" },
  },

  after = {
    en = "The copies take longer than the kernel, by far: look at elapsed_us. On an H200, 64 MB to the device take 8.9 ms from ordinary memory and 1.2 from page-locked memory (measured); a kernel that goes through them once, at the speed of a copy on the device (4,262 GB/s; the slides' 40 GB/s are of 2007), some 0.03. Data should stay on the device as long as there is work for it.",
    zh = "拷贝比核函数慢得多：看看 elapsed_us。在 H200 上，把 64 MB 拷到设备，从普通内存要 8.9 毫秒，从锁页内存要 1.2 毫秒（实测）；而核函数以设备内拷贝的速度（4,262 GB/s；CUDA 课程的幻灯片里的 40 GB/s 是 2007 年的）把它们过一遍只要 0.03 毫秒左右。只要还有工作要做，数据就应当留在设备上。",
  },
  more = { en = "Leave out the cudaFree and look at the report. Then name the wrong direction for a copy, and print the error that it returns.", zh = "去掉 cudaFree，看看报告。然后给一次拷贝写上相反的方向，打印它返回的错误。" },
}
