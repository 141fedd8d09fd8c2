/* Pictures in the terminal. Some draw the counters of a run, others a model, which is a function of
 * the lesson. They are plain ASCII, so that they survive any terminal, log and screen reader.
 * Colour only repeats what the characters say.
 *
 * A line that stands for a source line shows the text of this line, cut to the rest of the
 * width. */
#ifndef WARPLAB_GRADE_PICTURES_H
#define WARPLAB_GRADE_PICTURES_H

#include "grader/lab.h"
#include "grader/result.h"
#include "runner/term/text.h"

typedef struct {
    text_out *out;
    lib_lang lang;
    const char *source; /* the text of the file to which lines belong, or NULL */
    /* Its name without folders, as in sim_line.file. NULL: all lines belong to it. */
    const char *file;
} show_place;

/* Measured pictures, of the timed case. See lab_picture (lesson/lab.h) for what each one shows. */
void show_sectors(const show_place *p, const grade_result *r);
void show_banks(const show_place *p, const grade_result *r);
void show_divergence(const show_place *p, const grade_result *r);
void show_occupancy(const show_place *p, const grade_result *r);
void show_roofline(const show_place *p, const grade_result *r);
/* What the run would take without each of its costs, and the lines that would save most. */
void show_what_if(const show_place *p, const grade_result *r);
/* What warps waited for: in the whole run, and at the lines where they waited longest. */
void show_stalls(const show_place *p, const grade_result *r);

/* Copies, and each stream's kernels, over time. */
void show_timeline(const show_place *p, const grade_result *r);
/* Occupancy for block sizes and register counts on a device, around one launch. */
void show_calculator(const show_place *p, const char *device, unsigned block, unsigned registers,
                     uint64_t shared);

typedef struct {
    const char *name; /* of the counter */
    double mine, beside;
    bool has_mine, has_beside;
} show_row;
/* heads: titles of the columns; heads[1] NULL: one column. docs: adds a line about each counter. */
void show_counters(const show_place *p, const show_row *rows, size_t n, const char *const heads[2],
                   bool docs);

/* address: in bytes; negative for a lane that takes no part. */
void show_lanes(const show_place *p, const double *address, unsigned lanes);
void show_bankmap(const show_place *p, const double *address, unsigned lanes);
/* works[round * lanes + thread] */
void show_rounds(const show_place *p, const bool *works, unsigned lanes, unsigned rounds);

/* 1234567 -> "1,234,567"; 3.14159 -> "3.142"; for tables. */
const char *show_number(char buf[32], double v);

#endif
