return lab {
  id = "partition", title = { en = "x", zh = "测" }, chapter = 9, minutes = 25, needs = { "memory-api" },
  entry = "void partition(const float *gain, const float *in, float *weight, float *out, int rows, int len, int rounds)",
  args = { gain = host(uniform(0.5, 1.5, "rows")), ["in"] = uniform(-1, 1, "rows * len"), weight = output("rows", { ops = 64 }), out = output("rows * len", { ops = "4 * rounds + 64" }) },
  cases = { { rows = 8, len = 64, rounds = 4 }, { rows = 1, len = 1, rounds = 1 }, { rows = 5, len = 101, rounds = 3 }, { rows = 1024, len = 128, rounds = 12, timed = true } },
  hidden = { count = 3, rows = { 1, 40 }, len = { 1, 300 }, rounds = { 1, 9 } },
  host_time = true,
  goals = { correct { points = 4 }, counter("launches", "<=", 1) {points=2 }, counter("gst_sectors", "<=", 0.3) {points=2, relative = true }, speedup(3) { points = 2 } },
  steps = { exercise { en = "x", zh = "测" } }, hints = { { en = "x", zh = "测" }, { en = "x", zh = "测" }, { en = "x", zh = "测" } },
  after = { en = "x", zh = "测" }, more = { en = "x", zh = "测" },
}
