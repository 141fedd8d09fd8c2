-- A quiz: no exercise, no file; it measures a kernel of its own.
local scatter = {
  of = "kernels/stride.cu", entry = "void scatter(const float *in, float *out, int n)",
  case = { n = 32768 },
}
return lab {
  id = "little-quiz", title = { en = "A little quiz", zh = "小测验" }, chapter = 1, minutes = 5,
  goals = { answers { points = 6, need = 0.7 } },
  draws = { size = { n = { 200, 250 } } },
  steps = {
    say { en = "Three questions about warps.", zh = "关于线程束的三个问题。" },
    ask {
      en = "How many lanes has a warp?", zh = "一个线程束有多少条 lane？",
      answer = 32,
      replies = { { 16, en = "That is half of one.", zh = "那是半个线程束。" } },
      because = { en = "Thirty-two, on every device.", zh = "所有设备都是三十二条。" },
    },
    ask {
      en = "How many store requests does the kernel make?", zh = "这个核函数发出多少个写请求？",
      answer = measured {
        of = scatter.of, entry = scatter.entry, case = scatter.case,
        args = { ["in"] = uniform(-1, 1, "n"), out = output("n", { ops = 1 }) },
        counter = "gst_requests",
      },
    },
    predict {
      en = "How many sectors does one of its stores touch?", zh = "它的一个写请求触及多少个扇区？",
      of = scatter.of, entry = scatter.entry, case = scatter.case,
      args = { ["in"] = uniform(-1, 1, "n"), out = output("n", { ops = 1 }) },
      counter = "gst_sectors_per_request",
    },
    ask {
      en = "How many blocks of 32 for n = {n}?", zh = "n = {n} 时需要多少个 32 线程的块？", draw = "size",
      answer = function(d) return ceil_div(d.n, 32) end,
      replies = { { function(d) return d.n // 32 end, en = "You forgot the ragged block of n = {n}.", zh = "漏了 n = {n} 的尾块。" } },
    },
    ask {
      en = "With n = {n} again: is the last block full?", zh = "还是 n = {n}：最后一个块满吗？", draw = same,
      choices = {
        { en = "yes", zh = "满", because = { en = "Only for multiples of 32.", zh = "只有 32 的倍数才满。" } },
        { en = "not always", zh = "不一定", right = true, because = { en = "Divide and see.", zh = "除一下就知道。" } },
      },
    },
  },
  after = { en = "Neighbouring lanes, neighbouring words.", zh = "相邻的 lane 访问相邻的字。" },
  more = { en = "Try the other order.", zh = "试试另一种顺序。" },
}
