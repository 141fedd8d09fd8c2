/* Draws a picture of the terminal as SVG, in a page that needs no other file.
 *
 *   what text_out wrote, in colour (pictures.h) --svg_page--> page
 *
 * Cells of bars become boxes; the rest is text, each piece in its place. The page also contains the
 * picture as plain text for screen readers. */
#ifndef WARPLAB_GRADE_SVG_H
#define WARPLAB_GRADE_SVG_H

#include "runner/base/lang.h"

enum { SVG_BYTES = 1 << 20 }; /* limit of a picture; a longer one is cut at a line */

/* Both return malloc'ed text. shown: the picture as text_out wrote it. */
char *svg_picture(const char *shown, const char *title);
char *svg_page(const char *shown, const char *title, lib_lang lang);

#endif
