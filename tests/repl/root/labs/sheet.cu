// Your answers: put each behind its colon, in place of TODO.
// zh: 你的答案：写在冒号后面，代替 TODO。
//
// answer accesses: TODO
// answer hot-line: TODO
// answer bug: TODO
// answer requests: TODO
// answer limiter: TODO
// answer group: TODO
