/* Grades a folder of submissions and never loses one.
 *
 *   DIR or archives --ingest--> OUT/submissions/HASH.cu (immutable) + OUT/manifest.json
 *        --one worker process each--> OUT/records/KEY.json (temporary file, fsync, rename, fsync)
 *        --rebuilt at any time--> OUT/reports/, gradebook
 *
 * KEY is a hash of student, submission, lab, grader version, toolchain, device and seed policy. A
 * key that has a record is skipped. Therefore a batch that was killed at any moment continues when
 * it is started again. */
#ifndef WARPLAB_GRADER_COURSE_H
#define WARPLAB_GRADER_COURSE_H

#include "runner/base/message.h"
#include "grader/result.h"
#include "grader/intake/intake.h"

/* Raise it whenever the same submission may be judged differently: old records become invalid. */
#define GRADE_VERSION "2"

/* What a run is about to do: numbers of submissions. */
typedef struct {
    size_t done;    /* have a final record */
    size_t changed; /* have a record made under other conditions: graded anew */
    size_t again;   /* could not be graded before: tried again */
    size_t fresh;   /* never graded */
    char why[1600]; /* what has changed, in lines, in the batch's language; or "" */
} grade_batch_plan;

typedef struct grade_batch grade_batch;
struct grade_batch {
    /* a folder of STUDENT/LAB.cu (or STUDENT/LAB/FILE), a folder of archives, or one archive (zip,
     * tar, tar.gz, ...) */
    const char *in;
    const char *out; /* created if it does not exist */
    /* How submissions are taken in (grader/intake/intake.h): importer, the lab of all files,
     * roster, commit or time of repositories, prefix of logins. NULL: unused. */
    const char *from, *only_lab, *roster, *at, *prefix;
    /* Each text is kept in OUT under the file name given here. NULL: use the one kept there. */
    const char *rules;      /* course.json: the rules of course.lua as JSON */
    const char *pack_rules; /* pack-rules.json: a pack's rules for its labs, in the same form */
    const char *settings;   /* settings.json: settings of the caller */
    unsigned jobs;          /* worker processes; 0: one per core */
    lib_lang lang;
    const char *device;    /* "sim:h200" */
    const char *toolchain; /* nvcc's version line and the flags: part of the key */
    uint64_t seed, secret; /* as grade_options */
    /* with secret 0: draw a secret once and keep it in OUT/secret for all later runs of OUT */
    bool own_secret;
    double worker_limit_s; /* wall-clock limit of one worker, with the build; 0: 300 */
    uint64_t source_limit; /* bytes of one submission; 0: 1 MiB */
    uint64_t total_limit;  /* bytes of all submissions; 0: 4 GiB */
    uint64_t count_limit;  /* files; 0: 100,000 */
    /* grade only entries with index % shards == shard (Slurm); shards 0 or 1: all */
    unsigned shard, shards;
    bool ingest;    /* false: use OUT/manifest.json as it is (a Slurm task) */
    bool again;     /* with ingest false: compute the keys again, from today's labs and tools */
    bool plan_only; /* report the plan and stop */
    /* Grade only what has an outdated record, and nothing that was never graded. */
    bool changed_only;
    bool reports;     /* write OUT/reports at the end */
    bool ingest_only; /* stop after taking in */
    bool gather_only; /* grade nothing: count the existing records and write reports */
    const volatile int *cancel;

    /* Returns the version of a lab (a hash of its lesson, baseline and headers), or NULL if there
     * is no such lab. Called in the parent. */
    const char *(*lab_version)(void *user, const char *lab);
    /* Returns whether a submission of this lab is a folder of files, STUDENT/LAB/FILE. NULL: no lab
     * is. */
    bool (*lab_folder)(void *user, const char *lab);
    /* Returns whether the lab is a quiz, for which no file is graded. NULL: no lab is. */
    bool (*lab_quiz)(void *user, const char *lab);
    /* Returns the code that everyone was given for a lab (skeleton, baseline); it is kept as
     * OUT/given/LAB.cu. What submissions share with it does not make them similar. malloc'ed. NULL:
     * nothing was given. */
    char *(*lab_given)(void *user, const char *lab);
    /* Grades one file, in its own worker process. Fills *r, on which grade_result_init was not
     * called; or returns -1 and sets *msg if the lab cannot be loaded. `b` contains the seed and
     * the secret to use. `work` is an empty folder that is removed afterwards. r->lab must stay
     * valid until the process ends. */
    int (*grade)(void *user, const grade_batch *b, const char *lab, const char *source,
                 const char *work, grade_result *r, lib_message *msg);
    /* Called before anything is graded, with the plan and the reasons why earlier records no longer
     * count (labs, tools, device, seeds that changed), one per line. May be NULL. */
    void (*plan)(void *user, const grade_batch_plan *p);
    /* Called in the parent after each new record: `done` of the `total` submissions that this run
     * grades; `why` is the record's reason. A submission that could not be graded is reported
     * twice, but counted only after its second try. May be NULL. */
    void (*progress)(void *user, size_t done, size_t total, const char *student, const char *lab,
                     const char *state, double score, double max_score, const char *why);
    void *user;
};

typedef struct {
    size_t total, skipped; /* skipped: had a final record before this run */
    size_t graded, ungradable, infra_error, ambiguous, suspect;
    size_t refused; /* files that are not submissions; OUT/manifest.json has the reasons */
    /* Students' work that could not be assigned, with the first few reasons; OUT/manifest.json has
     * all. */
    size_t left;
    lib_message first_left[3];
    char importer[32]; /* the layout of the input; "": unknown */
    lib_word_id layout;
    bool roster;                /* a roster was given now or is kept in OUT */
    size_t off_roster, without; /* students not on the roster; people on it without submission */
    size_t uncounted;           /* attempts that do not count and are not graded */
} grade_batch_summary;

/* Returns true if OUT has no grading yet, or one whose format this program knows. Otherwise returns
 * false and sets *msg: a newer Warplab made the folder, and it must not be changed. */
bool grade_batch_known(const char *out, lib_message *msg);
/* Returns 0 if all entries have a final record; 1 if some are infra_error or ambiguous (run again);
 * -1 and *msg if the batch could not be run at all. */
int grade_batch_run(const grade_batch *b, grade_batch_summary *s, lib_message *msg);

/* ---- misspelt names in the rules ---- */
/* Returns whether each lab named in the rules (JSON text) is one of `labs`. Otherwise *msg names
 * the unknown lab and the lab that was probably meant. Ignores rules that cannot be read:
 * policy_read() reports those. */
bool course_labs_known(const char *rules, const char *const *labs, size_t n, lib_message *msg);
/* Returns a line for each student who has an extension but is neither on OUT's roster nor among the
 * submissions. rules NULL: the rules kept in OUT. malloc'ed, "" if all are known; NULL: no
 * memory. */
char *course_strangers(const char *out, const char *rules, lib_lang lang);

/* ---- what a grading has come to ---- */
/* A word for a record's state ("infra_error"). An unknown state is returned unchanged. */
const char *course_state_word(const char *state, lib_lang lang);
/* One line for each lab, and what is left over. malloc'ed; NULL and *msg on an error. */
char *course_status(const char *out, lib_lang lang, lib_message *msg);
/* Explains a student's grade: attempts, deadline, lateness, goals and points. lab NULL: all labs.
 * malloc'ed; NULL and *msg on an error. */
char *course_explain(const char *out, const char *student, const char *lab, lib_lang lang,
                     lib_message *msg);

/* ---- Slurm ---- */
typedef struct {
    /* argv of one task, without the shard, NULL-ended: {"warplab", "grade", ...} */
    const char *const *command;
    const char *partition; /* NULL: the default */
    const char *time;      /* "02:00:00" or NULL */
    unsigned tasks;        /* array size */
    unsigned at_once;      /* 0: no limit */
    const char *sbatch;    /* NULL: "sbatch" on PATH */
} grade_slurm;
/* Takes the submissions in, writes OUT/slurm/job.sh, submits it, waits (sbatch --wait), and then
 * gathers records and reports. One task runs COMMAND --shard I/N. grade_slurm_script() returns the
 * text of job.sh. Returns as grade_batch_run() does. */
int grade_slurm_run(const grade_batch *b, const grade_slurm *s, grade_batch_summary *sum,
                    lib_message *msg);
char *grade_slurm_script(const char *out, const grade_slurm *s);

/* ---- reports about OUT (rebuilt from the records) ---- */
/* Writes OUT/reports: index.html, the reports of each submission (grader/report.h), and one CSV for
 * each system. */
int grade_batch_reports(const char *out, lib_lang lang, lib_message *msg);
typedef struct {
    /* A CSV that the course's system exported: the export keeps its rows and columns. NULL: one row
     * per student. */
    const char *roster;
    const char *lab; /* only this lab; NULL: all */
    /* Out: the number of students who are not clearly on the roster, and the first messages about
     * them. */
    size_t noted;
    lib_message first[3];
    /* Out: other remarks, such as a lab without a column in the roster, or points that differ. */
    size_t warned;
    lib_message warning[4];
} grade_csv;

/* Exports of grades, one ROW of id and name for each system. `gradebook export OUT --NAME F` writes
 * it, and the catalogue's row help.gradebook.NAME describes it. csv_NAME in export_NAME.c defines
 * it (export.h). A batch keeps OUT/reports/NAME.csv. Usage, help, completion and manual page follow
 * from the row. */
#define GRADE_EXPORTS(ROW)                                                                         \
    ROW(CANVAS, canvas)                                                                            \
    ROW(MOODLE, moodle)                                                                            \
    ROW(BRIGHTSPACE, brightspace)
typedef enum {
#define ROW(id, ...) GRADE_EXPORT_##id,
    GRADE_EXPORTS(ROW)
#undef ROW
        GRADE_EXPORT_FORMATS
} grade_export_format;
const char *grade_export_name(unsigned f); /* "canvas"; f < GRADE_EXPORT_FORMATS */
/* Returns the CSV, malloc'ed; or NULL and *msg if it cannot be made or the roster names nobody. how
 * may be NULL. Points are scaled to the roster's full marks (Points Possible, Maximum Grade),
 * otherwise to those of the course's rules. */
char *grade_export(const char *out, grade_export_format f, grade_csv *how, lib_message *msg);
/* Adds a byte-order mark if the text is not all ASCII. Takes ownership of text. */
char *grade_csv_marked(char *text);
/* Makes the page about the whole course. malloc'ed; NULL and *msg on an error. */
char *grade_html_course(const char *out, lib_lang lang, lib_message *msg);

/* ---- the gradebook: a SQLite file rebuilt from the records of a batch. It is never the only place
 * that has a grade. ----
 *
 *   OUT/records/KEY.json --+
 *   OUT/manifest.json -----+--gradebook_rebuild()--> OUT/gradebook.sqlite
 *                              --list, export, compare--> text */
/* Writes a new OUT/gradebook.sqlite and renames it into place. Returns 0, or -1 and *msg. */
int gradebook_rebuild(const char *out, lib_message *msg);
/* Each of these returns a malloc'ed text, or NULL and *msg. `path` is a gradebook.sqlite or the
 * folder of a batch; the gradebook of a folder is rebuilt first. */
/* As a table; lab NULL: all labs. */
char *gradebook_list(const char *path, const char *lab, lib_lang lang, lib_message *msg);
typedef enum { GRADEBOOK_CSV, GRADEBOOK_JSON } gradebook_format;
char *gradebook_export(const char *path, gradebook_format f, lib_message *msg); /* all rows */
/* Lists each submission whose state, verdict or score differs between two gradings, and counts them
 * in the last line and in *differ. */
char *gradebook_compare(const char *a, const char *b, lib_lang lang, size_t *differ,
                        lib_message *msg);

#endif
