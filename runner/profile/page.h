/* profile --html F.html: a run as a page that needs nothing else: no network, no script. */
#ifndef WARPLAB_PROFILE_PAGE_H
#define WARPLAB_PROFILE_PAGE_H

#include "runner/profile/report.h"

/* While the program's client is there. False and *msg. */
bool profile_write_page(profile_report *r, const char *path, lib_message *msg);

#endif
