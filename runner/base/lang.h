/* The languages of texts for people: one catalogue each (runner/base/words/), English first. */
#ifndef WARPLAB_BASE_LANG_H
#define WARPLAB_BASE_LANG_H

#include "words/langs.h"

#endif
