-- TODO: what this quiz asks about, in one line.
return lab {
  id = "@ID@",
  title = { en = "TODO: Warps of a block", zh = "TODO：线程块里的线程束" },
  chapter = 1,
  minutes = 10,
  goals = { answers { points = 3, need = 0.6 } },

  steps = {
    say {
      en = "TODO: what the questions are about. The first try counts.",
      zh = "TODO：这些题考什么。只计第一次作答。",
    },
    ask {
      en = "{n} threads in blocks of {b}: how many warps are launched?",
      zh = "{n} 个线程，每块 {b} 个：一共启动多少个 warp？",
      draw = { n = { 100, 900 }, b = { from = { 64, 128, 256 } } },
      answer = function(d) return ceil_div(d.n, d.b) * d.b / 32 end,
      because = { en = "Blocks first, rounded up, then {b} / 32 warps for each.", zh = "先算块数（向上取整），每块再有 {b} / 32 个 warp。" },
    },
    ask {
      en = "TODO: a question with choices. Which threads are in one warp?",
      zh = "TODO：一道选择题。哪些线程在同一个 warp 里？",
      choices = {
        { en = "32 with neighbouring indices", zh = "下标相邻的 32 个", right = true, because = { en = "TODO: why.", zh = "TODO：为什么。" } },
        { en = "all of a block", zh = "一个块的全部", because = { en = "A block is made of warps.", zh = "块由多个 warp 组成。" } },
        { en = "any 32 of the grid", zh = "网格中任意 32 个", because = { en = "A warp is of one block.", zh = "一个 warp 只属于一个块。" } },
      },
    },
    ask {
      en = "TODO: a question that a word answers. What is one of a warp's 32 places called?",
      zh = "TODO：一道填词题。warp 的 32 个位置，每一个叫什么？",
      accept = { "lane", "a lane", "通道" },
      because = { en = "TODO: why.", zh = "TODO：为什么。" },
    },
  },

  after = { en = "TODO: what to remember.", zh = "TODO：要记住什么。" },
  more = { en = "TODO: what to read or try next.", zh = "TODO：接下来可以读什么、试什么。" },
}
