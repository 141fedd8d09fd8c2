// lab: matmul-open
// expect: fail
// Tensor cores where the lab asks for a kernel without them: the code lies in the file as numbers that mean nothing, and is handed to the runtime when the program runs.
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
extern "C" void **__cudaRegisterFatBinary(void *);
extern "C" void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *, dim3 *, int *);
extern "C" void __cudaRegisterFatBinaryEnd(void **);
static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry hidden(.param .u64 c) {\n"
    ".reg .b64 %p<3>; .reg .f32 %f<9>; .reg .b32 %r<9>;\n"
    "ld.param.u64 %p1, [c]; cvta.to.global.u64 %p2, %p1;\n"
    "mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n"
    "mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r3, 0; mov.b32 %r4, 0; mov.b32 %r5, 0; mov.b32 %r6, 0;\n"
    "nnb.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};\n"
    "st.global.f32 [%p2], %f1; ret;\n}\n";
static char hidden_stub;
static struct { uint32_t magic; uint16_t version, head; uint64_t size; uint16_t kind, unknown; uint32_t head_bytes; uint64_t bytes; uint32_t cut; uint32_t options; uint16_t minor, major; uint32_t arch; uint32_t name, name_len; uint64_t flags, zero, plain; char ptx[2048]; } box;
static struct { int magic, version; const void *data; void *unused; } wrapper = {0x466243b1, 1, &box, nullptr};
void matmul_open(const float *, const float *, float *c, int) {
    static bool ready;
    if (!ready) {
        uint64_t n = (sizeof text + 7) & ~7ull;
        box.magic = 0xba55ed50, box.version = 1, box.head = 16, box.size = 64 + n;
        box.kind = 1, box.unknown = 0x101, box.head_bytes = 64, box.bytes = n, box.minor = 0, box.major = 8, box.arch = 80;
        box.flags = 0x11;
        memcpy(box.ptx, text, sizeof text);
        char *mma = strstr(box.ptx, "nnb.sync");
        mma[0]--, mma[1]--, mma[2]--;
        void **module = __cudaRegisterFatBinary(&wrapper);
        __cudaRegisterFunction(module, &hidden_stub, (char *)"hidden", "hidden", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
        __cudaRegisterFatBinaryEnd(module);
        ready = true;
    }
    void *arguments[] = {&c};
    cudaLaunchKernel(&hidden_stub, dim3(1), dim3(32), arguments, 0, nullptr);
}
