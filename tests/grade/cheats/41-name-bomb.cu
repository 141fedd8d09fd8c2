// lab: vector-add
// expect: fail correct
// expect: finding oob
// A kernel whose name means a gigabyte of characters, and which does wrong, so that reports want to say its name.
extern "C" __global__ void _Z1kPFviiEPFvS0_S0_EPFvS2_S2_EPFvS4_S4_EPFvS6_S6_EPFvS8_S8_EPFvSA_SA_EPFvSC_SC_EPFvSE_SE_EPFvSG_SG_EPFvSI_SI_EPFvSK_SK_EPFvSM_SM_EPFvSO_SO_EPFvSQ_SQ_EPFvSS_SS_EPFvSU_SU_EPFvSW_SW_EPFvSY_SY_EPFvS10_S10_EPFvS12_S12_EPFvS14_S14_EPFvS16_S16_EPFvS18_S18_EPFvS1A_S1A_EPFvS1C_S1C_EPFvS1E_S1E_E(float *c) { c[-1 - (int)threadIdx.x] = 1; }
void vector_add(const float *, const float *, float *c, int) { _Z1kPFviiEPFvS0_S0_EPFvS2_S2_EPFvS4_S4_EPFvS6_S6_EPFvS8_S8_EPFvSA_SA_EPFvSC_SC_EPFvSE_SE_EPFvSG_SG_EPFvSI_SI_EPFvSK_SK_EPFvSM_SM_EPFvSO_SO_EPFvSQ_SQ_EPFvSS_SS_EPFvSU_SU_EPFvSW_SW_EPFvSY_SY_EPFvS10_S10_EPFvS12_S12_EPFvS14_S14_EPFvS16_S16_EPFvS18_S18_EPFvS1A_S1A_EPFvS1C_S1C_EPFvS1E_S1E_E<<<1, 32>>>(c); }
