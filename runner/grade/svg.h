/* A picture of the terminal as SVG, in a page that needs nothing else.
 *
 *   what text_out wrote, in colour (pictures.h) --svg_page--> page: the cells of bars as boxes, the rest as text, each in
 *   its place; and the same as plain text, for who reads with a screen reader */
#ifndef WARPLAB_GRADE_SVG_H
#define WARPLAB_GRADE_SVG_H

#include "runner/base/lang.h"

enum { SVG_BYTES = 1 << 20 }; /* of a picture; what is longer is cut at a line */

/* Both malloc'ed. */
char *svg_picture(const char *shown, const char *title);
char *svg_page(const char *shown, const char *title, lib_lang lang);

#endif
