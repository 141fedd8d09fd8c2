return lab {
  id = "throughput",
  title = { en = "x", zh = "常数" },
  chapter = 7, minutes = 20, needs = { "divergence" },
  entry = "void throughput(const float *start, const float *step, int *out, int steps, int n)",
  args = { start = uniform(-1000, 1000, "n"), step = uniform(-4, 4, "n"), out = output("n") },
  cases = { { n = 4096, steps = 4 }, { n = 1, steps = 1 }, { n = 1003, steps = 17 }, { n = 1 << 18, steps = 128, timed = true } },
  hidden = { count = 3, n = { 2, 20000 }, steps = { 0, 100 } },
  goals = { correct { points = 4 }, counter("inst_convert", "<=", 0.1) { points = 2, relative = true }, speedup(1.3) { points = 2 } },
  steps = { exercise { en = "x", zh = "常数" } },
  hints = { { en = "x", zh = "常" }, { en = "x", zh = "常" }, { en = "x", zh = "常" } },
  after = { en = "x", zh = "常" }, more = { en = "x", zh = "常" },
}
