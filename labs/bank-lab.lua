return lab {
  id = "bank-lab", title = { en = "x", zh = "变量" }, chapter = 8, minutes = 25, needs = { "spill" },
  entry = "void smooth_rows(const float *x, float *y, float a, int rows, int width)",
  args = { x = uniform(-1, 1, "rows * width"), y = output("rows * width", { ops = "3 * width" }), a = scalar("0.25") },
  cases = { { rows = 64, width = 32 }, { rows = 1, width = 1 }, { rows = 77, width = 33 }, { rows = 100, width = 40 }, { rows = 8192, width = 32, timed = true } },
  hidden = { count = 3, rows = { 1, 200 }, width = { 1, 150 } },
  goals = {
    correct { points = 4 },
    counter("shared_ld_conflicts", "<=", 0) { points = 2 },
    counter("shared_st_conflicts", "<=", 0) { points = 2 },
    counter("gld_sectors", "<=", 1.4) { points = 2, relative = true },
  },
  steps = { say { en = "x", zh = "变" }, exercise { en = "x", zh = "变" } },
  hints = { { en = "x", zh = "变" }, { en = "x", zh = "变" }, { en = "x", zh = "变" } },
  after = { en = "x", zh = "变" }, more = { en = "x", zh = "变" },
}
