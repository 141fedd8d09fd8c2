-- The pack: what it is called, and in which order its labs come.
return pack {
  name = "mine",
  title = { en = "TODO: the pack's title", zh = "TODO：实验包的标题" },
  version = "0.1",
  needs = { warplab = "0.2.0" },
  order = { "first" },
  -- weights = { ["first"] = 10 },                       points in the course's book
  -- deadlines = { ["first"] = "2026-10-01 23:59" },
}
