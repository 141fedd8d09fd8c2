---@meta
-- The words of lessons, for editors; `warplab man lesson` is the manual. Lessons do not read this.

--- The lab; what the file returns.
--- Fields: id title chapter needs minutes source teaches entry args cases hidden goals steps hints after more forbid time_limit host_time device_memory warm draws host files program debug.
---@param fields table
---@return table
function lab(fields) end

--- A course's rules, in course.lua: attempts, deadlines, penalties.
---@param fields table
---@return table
function course(fields) end

--- An exam: its minutes, its labs, and where its questions are drawn from.
---@param fields table
---@return table
function exam(fields) end

--- A pack of labs, in pack.lua.
--- Fields: name title version needs order weights deadlines answers language.
---@param fields table
---@return table
function pack(fields) end

--- A text.
--- Fields: en zh draw.
---@param fields table
---@return table
function say(fields) end

--- A question: choices, a number, or a text with its accepted forms.
--- Fields: en zh draw choices accept answer tolerance unit because replies order alone.
---@param fields table
---@return table
function ask(fields) end

--- A counter that the student foretells before it is measured.
--- Fields: of case on entry args baseline en zh draw counter tolerance unit because replies.
---@param fields table
---@return table
function predict(fields) end

--- A picture of what was measured.
--- Fields: of case on entry args baseline en zh draw picture counters beside model lanes rounds registers shared block.
---@param fields table
---@return table
function show(fields) end

--- The file to be edited and graded; the lab's goals are said by it.
--- Fields: en zh.
---@param fields table
---@return table
function exercise(fields) end

--- Counters of two programs side by side.
--- Fields: of case on entry args baseline en zh draw counters beside.
---@param fields table
---@return table
function compare(fields) end

--- An answer of ask: the counter that a run has, measured when it is asked.
--- Fields: of case on entry args baseline counter.
---@param fields table
---@return table
function measured(fields) end

--- Real numbers in [lo, hi).
---@param lo any
---@param hi any
---@param count any
---@return table
function uniform(lo, hi, count) end

--- Whole numbers from lo to hi, both included.
---@param lo any
---@param hi any
---@param count any
---@return table
function integers(lo, hi, count) end

--- Normally distributed numbers of mean lo and deviation hi.
---@param lo any
---@param hi any
---@param count any
---@return table
function normal(lo, hi, count) end

--- 0, 1, 2 ..., or from lo in steps of hi.
---@param count any
---@param lo? any
---@param hi? any
---@return table
function iota(count, lo, hi) end

--- Zeros.
---@param count any
---@return table
function zeros(count) end

--- The same number everywhere.
---@param lo any
---@param count any
---@return table
function constant(lo, count) end

--- Whole numbers, few of which are very frequent.
---@param lo any
---@param hi any
---@param count any
---@return table
function skewed(lo, hi, count) end

--- Ascending numbers.
---@param lo any
---@param hi any
---@param count any
---@return table
function sorted(lo, hi, count) end

--- Row pointers of a sparse matrix with lo to hi entries a row.
---@param lo any
---@param hi any
---@param count any
---@return table
function csr_rows(lo, hi, count) end

--- Column indices of a sparse matrix.
---@param lo any
---@param hi any
---@param count any
---@return table
function csr_cols(lo, hi, count) end

--- A scalar that is not simply the case's parameter of its name.
---@param value any
---@return table
function scalar(value) end

--- Written by the entry: poisoned before, compared after. Its fields are those of options.
--- Fields: ops rtol atol pinned.
---@param count any
---@param options? any
---@return table
function output(count, options) end

--- Read and written.
--- Fields: ops rtol atol pinned.
---@param gen any
---@param options? any
---@return table
function inout(gen, options) end

--- A host buffer instead of device memory.
--- Fields: ops rtol atol pinned.
---@param gen any
---@param options? any
---@return table
function host(gen, options) end

--- Every case agrees, without a memory error and without a race.
--- Fields: points en zh.
---@param fields table
---@return table
function correct(fields) end

--- The counter over the timed call compares so.
--- Fields: name relation threshold relative points per kernel beside en zh.
---@param name any
---@param relation any
---@param threshold any
---@return fun(fields: table): table
function counter(name, relation, threshold) end

--- The counter is at most that; 0.2 * baseline: of the baseline's.
--- Fields: name threshold points per kernel en zh.
---@param name any
---@param threshold any
---@return fun(fields: table): table
function at_most(name, threshold) end

--- The counter is at least that.
--- Fields: name threshold points per kernel en zh.
---@param name any
---@param threshold any
---@return fun(fields: table): table
function at_least(name, threshold) end

--- That many times as fast as the baseline on the same device.
--- Fields: name threshold points full none en zh.
---@param threshold any
---@return fun(fields: table): table
function speedup(threshold) end

--- That part of the measured copy bandwidth or of the FP32 peak.
--- Fields: name threshold points full none en zh.
---@param name any
---@param threshold any
---@return fun(fields: table): table
function fraction(name, threshold) end

--- Shares of the copy bandwidth or of the FP32 peak: bronze passes and earns half of the points, silver three quarters, gold all.
--- Fields: name bronze silver gold points en zh.
---@param name any
---@return fun(fields: table): table
function tiers(name) end

--- The only goal of a quiz: the share of its questions answered right.
--- Fields: points need en zh.
---@param fields table
---@return table
function answers(fields) end

--- What the submission says in a line `// answer NAME: VALUE`.
--- Fields: name points is counter finding accesses tolerance accept of case on entry args baseline en zh.
---@param name any
---@return fun(fields: table): table
function answer(name) end

--- a divided by b, rounded up.
---@param a number
---@param b number
---@return number
function ceil_div(a, b) end
