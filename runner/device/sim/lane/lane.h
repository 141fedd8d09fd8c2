/* What an instruction does with one lane's values. In: values of the types u8 to f64. Out: the
 * value that PTX says the instruction gives.
 *
 * int.def, fp.def and cvt.def have a row a form of an instruction, whose expression calls the
 * functions of int.h, fp.h and cvt.h. Two readers make code of the rows: exec, handlers over 32
 * lanes; native, one function a row, compiled with hot kernels where the lab runs. For that the
 * library carries all files of this folder inside, so they include nothing but each other and the
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
