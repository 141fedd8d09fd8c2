return lab {
  id = "texture", title = { en = "x", zh = "变量" }, chapter = 8, minutes = 25, needs = { "spill" },
  entry = "void rotate(const unsigned char *in, float *out, float c, float s, int width, int height)",
  args = { ["in"] = integers(0, 255, "width * height"), out = output("width * height", { atol = 0.01, rtol = 0 }), c = scalar("0.8"), s = scalar("0.6") },
  cases = { { width = 64, height = 64 }, { width = 1, height = 1 }, { width = 100, height = 37 }, { width = 512, height = 512, timed = true } },
  hidden = { count = 3, width = { 1, 150 }, height = { 1, 150 } },
  goals = {
    correct { points = 4 },
    counter("gld_requests", "<=", 0.05) { points = 2, relative = true },
    counter("tex_requests", ">=", 1) { points = 2 },
  },
  steps = { say { en = "x", zh = "变" }, exercise { en = "x", zh = "变" } },
  hints = { { en = "x", zh = "变" }, { en = "x", zh = "变" }, { en = "x", zh = "变" } },
  after = { en = "x", zh = "变" }, more = { en = "x", zh = "变" },
}
