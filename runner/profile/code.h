/* A kernel's instructions for the table and the page: counts summed over launches, and the code in
 * the program's file (runner/listing). */
#ifndef WARPLAB_PROFILE_CODE_H
#define WARPLAB_PROFILE_CODE_H

#include "runner/listing/listing.h"
#include "runner/profile/report.h"

/* Adds a launch's counts; does nothing if they were not asked for. */
void profile_code_add(profile_kernel *k, const dev_record *l);
void profile_code_free(profile_kernel *k);
/* Returns what the kernel's lines became; NULL if that is unknown (reported once on stderr if it
 * was asked for). Free with listing_free(). */
listing *profile_listing(profile_report *r, const profile_kernel *k);
/* For --ptx and --sass: prints the code of each kernel, in the table's order. */
void profile_print_code(FILE *to, profile_report *r);

#endif
