/* profile --trace F.json: a run's log --> a file of Trace Events (trace_event.c says which). */
#ifndef WARPLAB_PROFILE_TRACE_EVENT_H
#define WARPLAB_PROFILE_TRACE_EVENT_H

#include "runner/profile/report.h"

/* While the program's client is there. False and *msg. */
bool profile_write_trace(const profile_report *r, const char *path, lib_message *msg);

#endif
