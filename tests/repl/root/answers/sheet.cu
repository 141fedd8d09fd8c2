// answer accesses: c, x, u
// answer hot-line: line 9
// answer bug: 5
// answer requests: 1,024
// answer limiter: latency
// answer group: Warp
