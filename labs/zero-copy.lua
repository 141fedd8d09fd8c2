return lab {
  id = "zero-copy", title = { en = "x", zh = "测" }, chapter = 9, minutes = 25, needs = { "memory-api" },
  entry = "void zero_copy(const float *in, float *out, int n)",
  args = { ["in"] = host(uniform(-1, 1, "4 * n"), { pinned = true }), out = host(output("n", { ops = 8, pinned = true })) },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 1 << 17, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  host_time = true,
  goals = { correct { points = 6 }, counter("h2d_bytes", "<=", 0) { points = 1 }, counter("mallocs", "<=", 0) { points = 1 }, counter("gld_requests", "<=", 0.4) { points = 1, relative = true}, speedup(1.2) { points = 1 } },
  steps = { exercise { en = "x", zh = "测" } }, hints = { { en = "x", zh = "测" }, { en = "x", zh = "测" }, { en = "x", zh = "测" } },
  after = { en = "x", zh = "测" }, more = { en = "x", zh = "测" },
}
