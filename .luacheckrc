-- The globals that a lesson has: runner/lesson/lua_lesson.c makes them.
std = "lua54"
max_line_length = false
read_globals = {
  "lab", "say", "ask", "predict", "show", "exercise", "compare", "measured",
  "uniform", "integers", "normal", "iota", "zeros", "constant", "skewed", "sorted", "csr_rows", "csr_cols", "scalar", "output", "inout", "host",
  "correct", "counter", "speedup", "fraction", "tiers", "slowest", "answer", "answers", "at_most", "at_least", "baseline", "same",
  "ceil_div", "pack", "course",
}
