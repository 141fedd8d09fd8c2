// Textures and surfaces through objects.
__global__ void tex(cudaTextureObject_t t, float *o, float4 *o4, uchar4 *c4) {
    o[0] = tex1D<float>(t, 1.5f); o[1] = tex1Dfetch<float>(t, 3); o[2] = tex2D<float>(t, 1.f, 2.f); o[3] = tex3D<float>(t, 1.f, 2.f, 3.f); o4[0] = tex2D<float4>(t, 3.f, 4.f); c4[0] = tex2D<uchar4>(t, 1.f, 1.f);
    o[4] = tex1DLayered<float>(t, 1.f, 2); o[5] = tex2DLayered<float>(t, 1.f, 2.f, 3); o[6] = texCubemap<float>(t, 1.f, 2.f, 3.f); o[7] = tex2DLod<float>(t, 1.f, 2.f, 0.5f); o4[1] = tex2Dgather<float4>(t, 1.f, 2.f, 1); o[8] = tex2DGrad<float>(t, 1.f, 2.f, make_float2(1, 2), make_float2(3, 4)); o[9] = texCubemapLayered<float>(t, 1.f, 2.f, 3.f, 4); o[10] = tex1D<int>(t, 2.f);
}
__global__ void surf(cudaSurfaceObject_t s, float *o, uchar4 *c) {
    surf2Dwrite(o[0], s, 4, 5); surf2Dread(&o[1], s, 8, 6); surf1Dwrite(make_float4(1, 2, 3, 4), s, 16); surf3Dwrite((unsigned char)3, s, 1, 2, 3); surf2DLayeredwrite(make_float4(o[0], 1, 2, 3), s, 4, 5, 6); surf2Dread(c, s, 4, 7, cudaBoundaryModeClamp); surf2Dwrite(*c, s, 4, 8, cudaBoundaryModeZero); surf1Dread(&o[2], s, 4); surf3Dread(&o[3], s, 4, 5, 6);
}
