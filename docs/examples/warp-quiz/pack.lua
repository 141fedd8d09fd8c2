-- A pack of one quiz: no files of the student's, scored at the prompt.
return pack {
  name = "warp-quiz",
  title = { en = "Ten minutes about warps", zh = "线程束十分钟小测" },
  version = "1.0",
  needs = { warplab = "0.2" },
  order = { "warps" },
  weights = { warps = 5 },
}
