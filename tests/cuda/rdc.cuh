// What the two units of rdc.cu share.
#pragma once
template <class T> __device__ __noinline__ T larger(T a, T b) { return a > b ? a : b; } // in both units, once in the program
extern __device__ int shared_value;
extern __constant__ int table[4];
extern __device__ int twice(int);
extern __device__ int (*chosen)(int);
void run_second(int *);
