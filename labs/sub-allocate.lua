return lab {
  id = "sub-allocate", title = { en = "x", zh = "变量" }, chapter = 8, minutes = 25, needs = { "spill" },
  entry = "void tidy_up(const float *in, float *out, int rows, int cols)",
  args = { ["in"] = normal(0.5, 1, "rows * cols"), out = output("rows * cols", { ops = "cols + 32" }) },
  cases = { { rows = 32, cols = 128 }, { rows = 1, cols = 1 }, { rows = 37, cols = 101 }, { rows = 256, cols = 1001, timed = true } },
  hidden = { count = 3, rows = { 1, 60 }, cols = { 1, 300 } },
  goals = {
    correct { points = 4 },
    counter("gld_requests", "<=", 0.55) { points = 2, relative = true },
    counter("mallocs", "<=", 1) { points = 2 },
    counter("frees", ">=", 1) { points = 2 },
  },
  steps = { say { en = "x", zh = "变" }, exercise { en = "x", zh = "变" } },
  hints = { { en = "x", zh = "变" }, { en = "x", zh = "变" }, { en = "x", zh = "变" } },
  after = { en = "x", zh = "变" }, more = { en = "x", zh = "变" },
}
