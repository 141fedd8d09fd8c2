/* The languages that a person reads: a catalogue each (runner/base/words/), English first. */
#ifndef WARPLAB_BASE_LANG_H
#define WARPLAB_BASE_LANG_H

#include "words/langs.h"

#endif
