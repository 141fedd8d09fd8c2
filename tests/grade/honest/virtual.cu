// errors: objects with virtual functions, made on the device
struct Shape {
    float side;
    __device__ Shape(float s) : side(s) {}
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    __device__ Square(float s) : Shape(s) {}
    __device__ float area() const override { return side * side; }
};
struct Disc : Shape {
    __device__ Disc(float s) : Shape(s) {}
    __device__ float area() const override { return 3 * side * side; }
};

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Square s(in[i]);
    Disc d(in[i]);
    const Shape *shape = n > 0 ? (const Shape *)&s : (const Shape *)&d;
    out[i] = shape->area();
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
