return lab {
  id = "sync-cost",
  title = { en = "x", zh = "常数" },
  chapter = 7, minutes = 20, needs = { "divergence" },
  entry = "void sync_cost(const int *in, int *out, int n)",
  args = { ["in"] = integers(-1000,1000, "n"), out = output("n") },
  cases = { { n = 4096 }, { n = 1 }, { n = 1003 }, { n = 1 << 20, timed = true } },
  hidden = { count = 3, n = { 2, 20000 } },
  goals = { correct { points = 4 }, counter("barriers", "<=", 0.4) { points = 2, relative = true }, speedup(1.3) { points = 2 } },
  steps = { exercise { en = "x", zh = "常数" } },
  hints = { { en = "x", zh = "常" }, { en = "x", zh = "常" }, { en = "x", zh = "常" } },
  after = { en = "x", zh = "常" }, more = { en = "x", zh = "常" },
}
