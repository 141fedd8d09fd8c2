/* Arrays, mipmapped arrays, textures and surfaces of the driver API. It checks itself, here and
 * natively. */
#include <cuda.h>
#include <stdio.h>
#include <string.h>

static int checks, bad;
static void is(int line, const char *what, double got, double want) {
    checks++;
    if (got == want) return;
    bad++;
    printf("line %d: %s is %g, want %g\n", line, what, got, want);
}
#define IS(got, want) is(__LINE__, #got, (double)(got), (double)(want))
#define OK(call)      IS(call, CUDA_SUCCESS)

/* look(float *out, texture t, float x, float y, float level); put(surface s, int x, int y, float v) */
static const char ptx[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry look(.param .u64 out, .param .u64 t, .param .f32 x, .param .f32 y, .param "
    ".f32 "
    "l)\n{\n.reg .f32 %f<8>;\n.reg .b64 %d<3>;\n"
    "ld.param.u64 %d1, [out];\nld.param.u64 %d2, [t];\nld.param.f32 %f1, [x];\n"
    "ld.param.f32 %f2, [y];\nld.param.f32 %f3, [l];\n"
    "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d2, {%f1, %f2}], %f3;\n"
    "st.global.v4.f32 [%d1], {%f4, %f5, %f6, %f7};\nret;\n}\n"
    ".visible .entry put(.param .u64 s, .param .u32 x, .param .u32 y, .param .f32 v)\n{\n"
    ".reg .b32 %r<4>;\n.reg .b64 %d<2>;\n"
    "ld.param.u64 %d1, [s];\nld.param.u32 %r1, [x];\nld.param.u32 %r2, [y];\n"
    "ld.param.b32 %r3, [v];\nshl.b32 %r1, %r1, 2;\n"
    "sust.b.2d.b32.trap [%d1, {%r1, %r2}], {%r3};\nret;\n}\n";

static CUfunction look, put;
static CUdeviceptr out;
static float v[4];

static void read_at(CUtexObject t, float x, float y, float level) {
    void *args[] = {&out, &t, &x, &y, &level};
    OK(cuLaunchKernel(look, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    OK(cuMemcpyDtoH(v, out, sizeof v));
}
static CUtexObject texture(const CUDA_RESOURCE_DESC *r, unsigned flags) {
    CUDA_TEXTURE_DESC t;
    CUtexObject made = 0;
    memset(&t, 0, sizeof t);
    t.addressMode[0] = t.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    t.flags = flags;
    t.maxMipmapLevelClamp = 9;
    OK(cuTexObjectCreate(&made, r, &t, NULL));
    return made;
}
static void fill(CUarray a, const void *from, size_t pitch, size_t w, size_t h) {
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = from, c.srcPitch = pitch;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = a;
    c.WidthInBytes = w, c.Height = h;
    OK(cuMemcpy2D(&c));
}

/* Bytes as numbers of 0 to 1, or as they are; copied in and out. */
static void arrays(void) {
    CUDA_ARRAY_DESCRIPTOR d = {4, 2, CU_AD_FORMAT_UNSIGNED_INT8, 2}, same;
    unsigned char from[2][8] = {{0, 51, 102, 153, 204, 255, 1, 2}, {3, 4, 5, 6, 7, 8, 9, 10}},
                  to[2][8];
    CUarray a;
    memset(to, 0, sizeof to);
    OK(cuArrayCreate(&a, &d));
    OK(cuArrayGetDescriptor(&same, a));
    IS(same.Width == 4 && same.Height == 2 && same.NumChannels == 2, 1);
    IS(same.Format, CU_AD_FORMAT_UNSIGNED_INT8);
    fill(a, from, 8, 8, 2);
    CUDA_RESOURCE_DESC r;
    memset(&r, 0, sizeof r);
    r.resType = CU_RESOURCE_TYPE_ARRAY, r.res.array.hArray = a;
    CUtexObject t = texture(&r, 0);
    read_at(t, 1.5f, 0.5f, 0);
    IS(v[0] == 102 / 255.f && v[1] == 153 / 255.f, 1);
    read_at(t, 2.5f, 0.5f, 0);
    IS(v[1], 1);
    OK(cuTexObjectDestroy(t));
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = a, c.srcXInBytes = 2, c.srcY = 1;
    c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = to, c.dstPitch = 8;
    c.WidthInBytes = 4, c.Height = 1;
    OK(cuMemcpy2D(&c));
    IS(to[0][0] == 5 && to[0][3] == 8 && to[0][4] == 0, 1);
    OK(cuArrayDestroy(a));
    d.NumChannels = 3;
    IS(cuArrayCreate(&a, &d) != CUDA_SUCCESS, 1);
}

static void mipmaps(void) {
    CUDA_ARRAY3D_DESCRIPTOR d, l;
    CUmipmappedArray m;
    CUarray level;
    float f[4][4];
    memset(&d, 0, sizeof d);
    d.Width = d.Height = 4, d.Format = CU_AD_FORMAT_FLOAT, d.NumChannels = 1;
    d.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    OK(cuMipmappedArrayCreate(&m, &d, 3));
    for (unsigned k = 0; k < 3; k++) {
        for (int i = 0; i < 16; i++) f[i / 4][i % 4] = 10.f * (float)(k + 1);
        OK(cuMipmappedArrayGetLevel(&level, m, k));
        OK(cuArray3DGetDescriptor(&l, level));
        IS(l.Width, 4 >> k);
        IS(l.Height, 4 >> k);
        fill(level, f, 16, 16 >> k, 4 >> k);
    }
    CUDA_RESOURCE_DESC r;
    memset(&r, 0, sizeof r);
    r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, r.res.mipmap.hMipmappedArray = m;
    CUtexObject t = texture(&r, CU_TRSF_NORMALIZED_COORDINATES);
    for (int k = 0; k < 4; k++) {
        read_at(t, 0.5f, 0.5f, (float)k);
        IS(v[0], k < 3 ? 10 * (k + 1) : 30);
    }
    CUsurfObject s;
    memset(&r, 0, sizeof r);
    OK(cuMipmappedArrayGetLevel(&level, m, 1));
    r.resType = CU_RESOURCE_TYPE_ARRAY, r.res.array.hArray = level;
    OK(cuSurfObjectCreate(&s, &r));
    int x = 1, y = 0;
    float seven = 7;
    OK(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&s, &x, &y, &seven}, NULL));
    read_at(t, 0.75f, 0.25f, 1);
    IS(v[0], 7);
    read_at(t, 0.25f, 0.25f, 1);
    IS(v[0], 20);
    OK(cuSurfObjectDestroy(s));
    OK(cuTexObjectDestroy(t));
    OK(cuMipmappedArrayDestroy(m));
}

/* Rows of ordinary memory. */
static void pitched(void) {
    CUdeviceptr p;
    size_t pitch;
    OK(cuMemAllocPitch(&p, &pitch, 32, 2, 4));
    OK(cuMemsetD2D32(p, pitch, 0x3f800000, 8, 1));
    OK(cuMemsetD2D32(p + pitch, pitch, 0x40000000, 8, 1));
    CUDA_RESOURCE_DESC r;
    memset(&r, 0, sizeof r);
    r.resType = CU_RESOURCE_TYPE_PITCH2D;
    r.res.pitch2D.devPtr = p, r.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    r.res.pitch2D.numChannels = 1, r.res.pitch2D.width = 8, r.res.pitch2D.height = 2;
    r.res.pitch2D.pitchInBytes = pitch;
    CUtexObject t = texture(&r, 0);
    read_at(t, 3.5f, 0.5f, 0);
    IS(v[0], 1);
    read_at(t, 3.5f, 1.5f, 0);
    IS(v[0], 2);
    OK(cuTexObjectDestroy(t));
    OK(cuMemFree(p));
}

int main(void) {
    CUdevice dev;
    CUcontext c;
    CUmodule m;
    OK(cuInit(0));
    OK(cuDeviceGet(&dev, 0));
    OK(cuDevicePrimaryCtxRetain(&c, dev));
    OK(cuCtxSetCurrent(c));
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&look, m, "look"));
    OK(cuModuleGetFunction(&put, m, "put"));
    OK(cuMemAlloc(&out, sizeof v));
    arrays();
    mipmaps();
    pitched();
    OK(cuMemFree(out));
    OK(cuModuleUnload(m));
    OK(cuDevicePrimaryCtxRelease(dev));
    printf("%d checks, %d wrong\n", checks, bad);
    return bad != 0;
}
