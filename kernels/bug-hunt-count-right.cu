// The right count, one number at a time: the count with the race is compared with it.
__global__ void count(const int *a, int *positives, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] > 0;
    positives[0] = sum;
}

void bug_hunt_count(const int *a, int *positives, int n) { count<<<1, 1>>>(a, positives, n); }
