-- A pack of one lab: what the host does between launches.
return pack {
  name = "host-habits",
  title = { en = "Habits of the host", zh = "主机端的好习惯" },
  version = "1.0",
  needs = { warplab = "0.2" },
  order = { "one-trip" },
  weights = { ["one-trip"] = 20 },
  deadlines = { ["one-trip"] = "2027-03-31 23:59" },
  answers = "passed",
}
