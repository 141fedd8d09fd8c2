-- A sheet of answers: one file with `// answer NAME: VALUE`, judged against what the device counts.
local scatter = "void scatter(const float *in, float *out, int n)"
local function args() return { ["in"] = uniform(-1, 1, "n"), out = output("n", { ops = 1 }) } end
return lab {
  id = "sheet", title = { en = "Audit a kernel", zh = "审查核函数" }, chapter = 1, minutes = 5,
  goals = {
    answer("accesses") {
      points = 4, is = "letters", accesses = { { "in[i]", load = true }, "box[threadIdx.x] = v", "out[i % 1024" },
      of = "kernels/stride.cu", entry = scatter, args = args(), case = { n = 32768 },
      en = "Write down the addresses of lanes 0 and 1.", zh = "把 0 号和 1 号 lane 的地址写下来。",
    },
    answer("hot-line") {
      points = 2, is = "line", counter = "gst_sectors",
      of = "kernels/stride.cu", entry = scatter, args = args(), case = { n = 32768 },
    },
    answer("bug") {
      points = 2, is = "line", finding = "oob",
      of = "kernels/late.cu", entry = "void twice(const float *in, float *out, int n)",
      args = args(), case = { n = 1000 }, baseline = "kernels/twice.cu",
    },
    answer("requests") {
      points = 1, is = "number", counter = "gst_requests",
      of = "kernels/stride.cu", entry = scatter, args = args(), case = { n = 32768 },
    },
    answer("limiter") {
      points = 1, is = "limiter", on = "sim:h200",
      of = "kernels/stride.cu", entry = scatter, args = args(), case = { n = 32768 },
    },
    answer("group") { points = 2, is = "text", accept = { "warp", "线程束" } },
  },
  steps = {
    ask { en = "How many banks are there?", zh = "有多少个存储体？", answer = 32 },
    ask { en = "How many bytes has a sector?", zh = "一个扇区有多少字节？", answer = 32 },
    exercise { en = "Fill in the file.", zh = "把文件填好。" },
  },
  hints = {
    { en = "Read the index.", zh = "看下标。" },
    { en = "Lane by lane.", zh = "逐条 lane 看。" },
    { en = "32 words apart is 32 sectors.", zh = "相隔 32 个字就是 32 个扇区。" },
  },
  after = { en = "The counters say so.", zh = "计数器就是这么说的。" },
  more = { en = "Transpose it.", zh = "把它转置。" },
}
