return lab {
  id = "half2",
  title = { en = "x", zh = "常数" },
  chapter = 7, minutes = 20, needs = { "divergence" },
  entry = "void half2_pairs(const half *x, const half *y, half *out, int steps, int n)",
  args = { x = uniform(-1, 1, "n"), y = uniform(-1, 1, "n"), out = output("n", { ops = "steps" }) },
  cases = { { n = 4096, steps = 3 }, { n = 1, steps = 1 }, { n = 1003, steps = 5 }, { n = 1 << 20, steps = 16, timed = true } },
  hidden = { count = 3, n = { 2, 20000 }, steps = { 0, 10 } },
  goals = { correct { points = 4 }, counter("inst_fp16", "<=", 0.66) { points = 2, relative = true }, counter("gld_requests", "<=", 0.66) { points = 2, relative = true }, counter("inst_convert", "<=", 1.5) { points = 2, relative = true }, speedup(1.3) { points = 2 } },
  steps = { exercise { en = "x", zh = "常数" } },
  hints = { { en = "x", zh = "常" }, { en = "x", zh = "常" }, { en = "x", zh = "常" } },
  after = { en = "x", zh = "常" }, more = { en = "x", zh = "常" },
}
