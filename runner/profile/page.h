/* profile --html F.html: a run as a page that needs no network, no script and no other file. */
#ifndef WARPLAB_PROFILE_PAGE_H
#define WARPLAB_PROFILE_PAGE_H

#include "runner/profile/report.h"

/* Writes the page. The program's client must still exist. Returns false and sets *msg on an
 * error. */
bool profile_write_page(profile_report *r, const char *path, lib_message *msg);

#endif
