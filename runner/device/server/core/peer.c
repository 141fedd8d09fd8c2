/* Which devices of a session reach each other: two simulated ones of the same kind, if that kind
 * has a link (runner/device/targets). */
#include "runner/device/server/core/server.h"
#include "runner/device/sim/profile.h"

bool dev_linked(const dev_session *s, unsigned a, unsigned b) {
    const dev_device *x = &s->device[a], *y = &s->device[b];
    return a != b && x->backend == y->backend && x->backend->peer && x->profile == y->profile &&
           x->profile->peer_gbs > 0;
}
