// lab: warp-aggregate
// expect: fail
// Groups of threads that are forbidden, compiled elsewhere under another name: the file brings them as numbers, and the runtime loads them.
static const unsigned long long FAT[]={0x100001ba55ed50,0x208,0x6001010001,0x1a8,0x40000001a6,0x5a00090000,0x0,0x8011,0x0,0x397,0x1000000048,0x6c69706d6f632d2d,0x2020796c6e6f2d65,0x0,0xe5029760fd2fb528,0x893023405436000c,0x8166ed29296001e8,0x8470ffb3fdb87f4f,0xfaaa43a19043a981,0x8c88a9286e7b2e33,0x2d0036003600357d,0xfafa3bc3cb742051,0xd48edfe7322059d4,0x6e42c81b396f492b,0x31acad685900b969,0x9f2bed9180a2b3be,0x64134b457159d7fa,0xbfa11e0a073884ab,0x4c7e229900e4ea8e,0x2b274718f6ad8c73,0x1162063f33271556,0x5acd5545acb76aab,0xa9594755416e18f3,0x63700f0333ab23f7,0x111f3e094235058b,0x4f8f9a66fcdb15bf,0xd2a0e7e61c42ffd7,0x5e9b5fd010684068,0xaf4e3e5473f01554,0x557f8c7acb10fcb4,0x2fcb03ccb2448827,0x4cacaefcc0dcc00,0xfcfba68b4b318fcc,0x6934a6d13a1cc2d8,0xa9fa509ddf99e945,0x21247ec10296513a,0xd1c6304b599e75d0,0xa84a018b9c1dc249,0x51691a0266656501,0xe34a91028006d52a,0x90c954a3ca01101,0x49adbfeb39a66a05,0x27dfc01239b27510,0xfe49119c1c6a265b,0x198de501544012a6,0x15f32692bc8d81b2,0xcdab50b18d9f79e9,0x108481b9f52ad22e,0x510a84e2919a7018,0xb258c769b024c83,0x6c1dbe6e57b8840c,0x852e98e0ff031e28,0xe30733cadbf85136,0x6beb432ddc9cea42,0x7665100bf37f52dd,0xcc0c6416e6f2c017,0x1c8269e793aa};
void warp_aggregate(const int *in, int limit, int *found, int n) {
    static cudaLibrary_t lib; static cudaKernel_t k;
    if (!lib) { cudaLibraryLoadData(&lib, FAT, 0, 0, 0, 0, 0, 0); cudaLibraryGetKernel(&k, lib, "tally"); }
    cudaMemsetAsync(found, 0, sizeof(int));
    void *a[] = {&in, &limit, &found, &n};
    cudaLaunchKernel((const void *)k, dim3((n + 255) / 256), dim3(256), a, 0, 0);
}
