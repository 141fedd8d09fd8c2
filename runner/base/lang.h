/* The two languages that a person reads. Every text for people stands as text[LIB_EN],
 * text[LIB_ZH]. */
#ifndef WARPLAB_BASE_LANG_H
#define WARPLAB_BASE_LANG_H

enum { LIB_LANGS = 2 };
typedef enum { LIB_EN, LIB_ZH } lib_lang;

#endif
