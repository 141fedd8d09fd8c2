return lab {
  id = "concurrent", title = { en = "x", zh = "测" }, chapter = 9, minutes = 25, needs = { "memory-api" },
  entry = "void concurrent(float *x, int jobs, int cells, int steps, int rounds)",
  args = { x = inout(uniform(-1, 1, "jobs * cells"), { ops = "64" }) },
  cases = { { jobs = 3, cells = 256, steps = 2, rounds = 50 }, { jobs = 1, cells = 1, steps = 1, rounds = 1 }, { jobs = 9, cells = 100, steps = 3, rounds = 40 }, { jobs = 8, cells = 256, steps = 12, rounds = 1500, timed = true } },
  hidden = { count = 3, jobs = { 1, 20 }, cells = { 1, 600 }, steps = { 1, 6 }, rounds = { 1, 100 } },
  host_time = true,
  goals = { correct { points = 6 }, speedup(4) { points = 4 } },
  steps = { exercise { en = "x", zh = "测" } }, hints = { { en = "x", zh = "测" }, { en = "x", zh = "测" }, { en = "x", zh = "测" } },
  after = { en = "x", zh = "测" }, more = { en = "x", zh = "测" },
}
