/* What the input buffers hold: a pure function of lab, argument, seed and label. */
#ifndef WARPLAB_GRADER_INPUTS_H
#define WARPLAB_GRADER_INPUTS_H

#include "grader/grade.h"

/* Fills `count` elements of argument `arg`; `label` names seed, case and set of inputs ("case 3/set
 * 1"). */
bool grade_fill(const grade_lab *lab, size_t arg, const grade_param *params, size_t n_params,
                uint64_t count, uint64_t seed, const char *label, void *out, lib_message *msg);
double grade_half_to_double(uint16_t h);
uint16_t grade_double_to_half(double v);
/* Element i of a buffer, for comparison and messages. */
double grade_element(grade_type t, const void *data, uint64_t i);

#endif
