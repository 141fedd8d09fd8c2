/* Arrays that grow, under the name that the server's files know: runner/base/buffer.h says how. */
#ifndef WARPLAB_DEVICE_GROW_H
#define WARPLAB_DEVICE_GROW_H

#include "runner/base/buffer.h"

#define dev_grow lib_grow

#endif
