-- What this lab teaches, in one line.
return lab {
  id = "@ID@",
  title = { en = "Scaling a vector", zh = "向量缩放" },
  chapter = 1,
  minutes = 10,

  entry = "void @FUNCTION@(const float *x, float *y, float factor, int n)",
  args = {
    x = uniform(-1, 1, "n"),
    y = output("n", { ops = 1 }),
    factor = scalar("3"),
  },
  cases = { { n = 1003 }, { n = 1 }, { n = 1000003, timed = true } },
  hidden = { count = 2, n = { 2, 20000 } },
  goals = {
    correct { points = 6 },
    counter("active_lanes_avg", ">=", 24) {
      points = 2,
      en = "Most lanes of a warp should have an element.",
      zh = "一个 warp 里的大多数 lane 都应当有元素可算。",
    },
    speedup(0.5) {
      points = 2,
      en = "One thread per element in many blocks keeps every multiprocessor busy.",
      zh = "让每个线程处理一个元素、启动足够多的块，才能让所有多处理器都忙起来。",
    },
  },

  steps = {
    say {
      en = "Start from a question that the measurement will answer.",
      zh = "从一个要靠测量来回答的问题讲起。",
    },
    ask {
      en = "How many blocks of {b} threads cover {n} elements?",
      zh = "{n} 个元素需要多少个 {b} 线程的块？",
      draw = { n = { 1000, 20000 }, b = { from = { 64, 128, 256 } } },
      answer = function(d) return ceil_div(d.n, d.b) end,
      because = { en = "Divide and round up.", zh = "相除后向上取整。" },
    },
    predict {
      en = "The complete kernel runs with n = 1003. At how many branches do the lanes of a warp disagree?",
      zh = "用完整的核函数运行 n = 1003，有多少次分支会出现 lane 意见不一致？",
      counter = "divergent_branches",
      of = "baseline",
      case = { n = 1003 },
      tolerance = 0,
      because = { en = "Only the warp at the end of the vector is split.", zh = "只有横跨向量末尾的那个 warp 会被拆开。" },
    },
    exercise {
      en = "Say what the skeleton does wrong, and what to make of it.",
      zh = "说明骨架代码错在哪里，要把它改成什么样。",
    },
  },

  hints = {
    { en = "A nudge.", zh = "轻轻一推。" },
    { en = "The technique.", zh = "用什么技术。" },
    { en = "Nearly the answer.", zh = "几乎就是答案。" },
  },
  after = { en = "Why it works.", zh = "为什么这样做有效。" },
  more = { en = "What to try next.", zh = "接下来可以试试什么。" },
}
