-- TODO: what this lab teaches, in one line.
return lab {
  id = "@ID@",
  title = { en = "TODO: Scaling a vector", zh = "TODO：向量缩放" },
  chapter = 1,
  minutes = 10,

  -- @KIND@
  entry = "void @FUNCTION@(const float *x, float *y, float factor, int n)",
  args = {
    x = uniform(-1, 1, "n"),
    y = output("n", { ops = 1 }),
    factor = scalar("factor"),
  },
  cases = {
    { n = 1003, factor = 3 },
    { n = 1, factor = 5 },
    { n = 1000003, factor = 3, timed = true },
  },
  hidden = { count = 2, n = { 2, 20000 }, factor = { 2, 9 } },
  goals = {
    correct { points = 6 },
    at_least("active_lanes_avg", 24) {
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
      en = "TODO: start from a question that the measurement will answer.",
      zh = "TODO：从一个要靠测量来回答的问题讲起。",
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
      case = { n = 1003, factor = 3 },
      tolerance = 0,
      because = { en = "Only the warp at the end of the vector is split.", zh = "只有横跨向量末尾的那个 warp 会被拆开。" },
    },
    ask {
      en = "TODO: a question whose numbers are drawn afresh. With {b} threads to a block and {n} elements, how many threads have none?",
      zh = "TODO：一个数字每次重新抽取的问题。{n} 个元素、每块 {b} 个线程时，有多少个线程分不到元素？",
      draw = { n = { 1000, 20000 }, b = { from = { 64, 128, 256 } } },
      answer = function(d) return ceil_div(d.n, d.b) * d.b - d.n end,
      because = { en = "TODO: why.", zh = "TODO：为什么。" },
    },
    exercise {
      en = "TODO: say what the skeleton does wrong, and what to make of it.",
      zh = "TODO：说明骨架代码错在哪里，要把它改成什么样。",
    },
    show { en = "TODO: what to look at in the student's own run.", zh = "TODO：在学生自己的运行里要看什么。", picture = "divergence", of = "mine" },
    compare {
      en = "TODO: which counters tell what changed.",
      zh = "TODO：哪些计数器说明了变化。",
      counters = { "active_lanes_avg", "warp_inst" },
    },
  },

  hints = {
    { en = "TODO: a nudge.", zh = "TODO：轻轻一推。" },
    { en = "TODO: the technique.", zh = "TODO：用什么技术。" },
    { en = "TODO: nearly the answer.", zh = "TODO：几乎就是答案。" },
  },
  after = { en = "TODO: why it works.", zh = "TODO：为什么这样做有效。" },
  more = { en = "TODO: what to try next.", zh = "TODO：接下来可以试试什么。" },
}
