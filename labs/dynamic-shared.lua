return lab {
  id = "dynamic-shared", title = { en = "x", zh = "变量" }, chapter = 8, minutes = 25, needs = { "spill" },
  entry = "void layer_norm(const float *in, float *out, int rows, int cols)",
  args = { ["in"] = uniform(-2, 3, "rows * cols"), out = output("rows * cols", { ops = "cols + 8" }) },
  cases = { { rows = 2, cols = 256 }, { rows = 1, cols = 1 }, { rows = 5, cols = 333 }, { rows = 2, cols = 14001 }, { rows = 256, cols = 1000, timed = true } },
  hidden = { count = 3, rows = { 1, 8 }, cols = { 1, 15000 } },
  goals = {
    correct { points = 4 },
    counter("gld_requests", "<=", 0.45) { points = 2, relative = true },
    counter("shared_bytes", "<=", 6000) { points = 2 },
    counter("occupancy_pct", ">=", 70) { points = 2 },
  },
  steps = { say { en = "x", zh = "变" }, exercise { en = "x", zh = "变" } },
  hints = { { en = "x", zh = "变" }, { en = "x", zh = "变" }, { en = "x", zh = "变" } },
  after = { en = "x", zh = "变" }, more = { en = "x", zh = "变" },
}
