-- A whole program of several files, for files.sh.
return lab {
  id = "smooth",
  title = { en = "A whole program", zh = "完整的程序" },
  chapter = 1,
  minutes = 10,
  files = { "main.cu", "smooth.cu", "smooth.h" },
  program = true,
  entry = "void smooth(const float *x, int n, double scale, float *y, int *count)",
  args = { x = uniform(-1, 1, "n"), y = output("n", { ops = 4 }), count = output(1), scale = scalar("n / 2") },
  cases = { { n = 1003 }, { n = 1 }, { n = 20000, timed = true } },
  goals = {
    correct { points = 1 },
    counter("launches", ">=", 1) { points = 1 },
    counter("gld_requests", "<=", 0.7) { points = 4, kernel = "twice", beside = "once" },
    answer("line") { points = 1, is = "line", counter = "gld_requests" },
  },
  hints = { { en = "a", zh = "甲" }, { en = "b", zh = "乙" }, { en = "c", zh = "丙" } },
  after = { en = "Done.", zh = "完成。" },
  more = { en = "More.", zh = "更多。" },
  steps = {
    ask { en = "One?", zh = "一？", answer = 1 },
    ask { en = "Two?", zh = "二？", answer = 2 },
    predict { en = "How many launches?", zh = "启动几次？", of = "answer", counter = "launches" },
    exercise { en = "Write it.", zh = "写出来。" },
    show { en = "Sectors:", zh = "扇区：", picture = "sectors" },
  },
}
