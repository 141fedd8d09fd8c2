/* What an instruction does with one lane's values. In: values of the types u8 to f64. Out: the
 * value that PTX specifies for the instruction.
 *
 * int.def, fp.def and cvt.def have one row for each form of an instruction. Its expression calls
 * the functions of int.h, fp.h and cvt.h. Two rooms make code from the rows: exec makes handlers
 * over 32 lanes; native makes one function a row, compiled with hot kernels on the user's machine.
 * Therefore the library contains all files of this folder, and they include only each other and the
 * compiler's own headers. */
#ifndef WARPLAB_SIM_LANE_H
#define WARPLAB_SIM_LANE_H

#include "runner/device/sim/lane/approx.h"
#include "runner/device/sim/lane/cvt.h"
#include "runner/device/sim/lane/fp.h"
#include "runner/device/sim/lane/half.h"
#include "runner/device/sim/lane/int.h"
#include "runner/device/sim/lane/types.h"

#endif
