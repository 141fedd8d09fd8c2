// kind: cheat
// expect: fail counter launches
// A program that does nothing, successfully.
// file: main.cu
// answer limiter: l2
// answer line: 9
int main() { return 0; }
// file: kernel.cu
// file: kernel.h
