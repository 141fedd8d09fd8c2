/* profile --trace F.json: writes a run's log as a file of Trace Events (trace_event.c says
 * which). */
#ifndef WARPLAB_PROFILE_TRACE_EVENT_H
#define WARPLAB_PROFILE_TRACE_EVENT_H

#include "runner/profile/report.h"

/* Writes the file. The program's client must still exist. Returns false and sets *msg on an
 * error. */
bool profile_write_trace(const profile_report *r, const char *path, lib_message *msg);

#endif
