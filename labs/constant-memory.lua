return lab {
  id = "constant-memory", title = { en = "x", zh = "变量" }, chapter = 8, minutes = 25, needs = { "spill" },
  entry = "void smooth(const float *in, const float *taps, const float *gain, float *out, int rows, int cols, int m)",
  args = { ["in"] = uniform(-1, 1, "rows * cols"), taps = uniform(-1, 1, "m"), gain = uniform(0.5, 2, "cols"), out = output("rows * cols", { ops = "2 * m + 1" }) },
  cases = { { rows = 4, cols = 128, m = 16 }, { rows = 1, cols = 1, m = 1 }, { rows = 3, cols = 1003, m = 7 }, { rows = 128, cols = 2048, m = 16, timed = true } },
  hidden = { count = 3, rows = { 1, 5 }, cols = { 1, 1500 }, m = { 1, 64 } },
  goals = {
    correct { points = 4 },
    counter("const_serialised", "<=", 0) { points = 2 },
    counter("const_requests", ">=", 10000) { points = 2 },
    counter("gld_requests", "<=", 0.7) { points = 2, relative = true },
  },
  steps = { say { en = "x", zh = "变" }, exercise { en = "x", zh = "变" } },
  hints = { { en = "x", zh = "变" }, { en = "x", zh = "变" }, { en = "x", zh = "变" } },
  after = { en = "x", zh = "变" }, more = { en = "x", zh = "变" },
}
