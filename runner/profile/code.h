/* A kernel's instructions for the table and the page: counts kept over launches, put beside the code
 * in the program's file (runner/listing). */
#ifndef WARPLAB_PROFILE_CODE_H
#define WARPLAB_PROFILE_CODE_H

#include "runner/listing/listing.h"
#include "runner/profile/report.h"

/* Adds what a launch counted; nothing where it was not asked for. */
void profile_code_add(profile_kernel *k, const dev_record *l);
void profile_code_free(profile_kernel *k);
/* What the kernel's lines became; NULL where that is not known (said once on stderr where it was asked
 * for). Free with listing_free(). */
listing *profile_listing(profile_report *r, const profile_kernel *k);
/* --ptx, --sass: of each kernel in the table's order. */
void profile_print_code(FILE *to, profile_report *r);

#endif
