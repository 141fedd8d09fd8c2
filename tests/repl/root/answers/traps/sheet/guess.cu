// expect: fail answer accesses
// expect: met answer group
// expect: missed answer bug
// kind: wrong
// answer accesses: c c c
// answer hot-line: 5
// answer bug: 4
// answer requests: 32
// answer limiter: shared
// answer group: 线程束
