// Your answers: put each behind its colon, in place of TODO.
//
// answer accesses: TODO
// answer hot-line: TODO
// answer bug: TODO
// answer requests: TODO
// answer limiter: TODO
// answer group: TODO
