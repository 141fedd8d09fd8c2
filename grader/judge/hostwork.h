/* Checks whether the device did a call's work: the rules for every call, and the part that a lab
 * allows its host. In: what the device recorded about the call (dev_flow). Out: the failure of the
 * case. */
#ifndef WARPLAB_GRADER_HOSTWORK_H
#define WARPLAB_GRADER_HOSTWORK_H

#include "grader/judge/buffers.h"
#include "grader/judge/player.h"

/* Call it after each call of the submission, once the baseline has been called on this case. Checks
 * that the record of the call is complete, that it launched, and that the outputs come from the
 * device. Returns false if the case has failed. */
bool hostwork_check(const player *mine, const player *base, const grade_buffers *b,
                    grade_case_result *c);
/* Returns whether the host may have the part in the work that the flow shows. If not, the launches
 * must prove that the host did none of the work (run_host_proven()). */
bool hostwork_allowed(grade_host_work may, const dev_flow *f);
/* Returns whether a kernel may have got an answer from the host while it ran, in a lab whose data
 * are in ordinary host memory. Then the proof must use the call's own data (player_prove_same),
 * because other inputs would not reach its kernels. */
bool hostwork_same_data(const grade_lab *lab, const dev_flow *f);
/* Fails the case after the proof failed. `replayed` compares the outputs of the replay; NULL: there
 * was none. */
void hostwork_fail(const dev_flow *f, const grade_buffers *b, const grade_case_result *replayed,
                   grade_case_result *c);

/* Adds the reason why there could be no proof, if the call itself is the reason. */
void hostwork_why(const dev_client *c, grade_case_result *k);

#endif
