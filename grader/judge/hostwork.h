/* Whether a call's work was the device's: what every call is held to, and what part the lab allows
 * its host. In: the device's account of the call (dev_flow). Out: the case's failure. */
#ifndef WARPLAB_GRADER_HOSTWORK_H
#define WARPLAB_GRADER_HOSTWORK_H

#include "grader/judge/buffers.h"
#include "grader/judge/player.h"

/* After every call of the submission, when the baseline has been called once on this case: is the
 * record of it complete, did it launch, and do the outputs come from the device? False: the case
 * has failed. */
bool hostwork_check(const player *mine, const player *base, const grade_buffers *b,
                    grade_case_result *c);
/* May the host have the part in the work that the flow tells of? Else the launches have to prove
 * that it had none. */
bool hostwork_allowed(grade_host_work may, const dev_flow *f);
/* May a kernel have been answered while it ran, in a lab whose data come from ordinary memory of
 * the host? Then the proof is one on the call's own data (player_prove_same): other inputs would not
 * reach its kernels. */
bool hostwork_same_data(const grade_lab *lab, const dev_flow *f);
/* They did not; `replayed`: how the outputs of their replay compare, where there was one. */
void hostwork_fail(const dev_flow *f, const grade_buffers *b, const grade_case_result *replayed,
                   grade_case_result *c);

/* Adds why it could not be found out, where the call itself is the reason. */
void hostwork_why(const dev_client *c, grade_case_result *k);

#endif
