/* Grading a folder of submissions, and never losing one.
 *
 *   DIR or archives --ingest--> OUT/submissions/HASH.cu (immutable) + OUT/manifest.json
 *        --a worker process each--> OUT/records/KEY.json (temporary file, fsync, rename, fsync of the folder)
 *        --rebuilt at will--> OUT/reports/, gradebook
 *
 * KEY is a hash of student, submission, lab, grader version, toolchain, device and seed policy: a
 * key that is done is skipped, so a batch that was killed at any moment is carried on by starting
 * it again. */
#ifndef WARPLAB_GRADER_COURSE_H
#define WARPLAB_GRADER_COURSE_H

#include "runner/base/message.h"
#include "grader/result.h"
#include "grader/intake/intake.h"

#define GRADE_VERSION                                                                              \
    "2" /* raise it when the same submission may be judged differently: every record is then graded anew */

/* What a run is about to do. */
typedef struct {
    size_t done;    /* have their record */
    size_t changed; /* have one that was made under other conditions: graded anew */
    size_t again;   /* could not be graded before: tried again */
    size_t fresh;   /* never graded */
    char why[1600]; /* what changed: lines of text, in the batch's language; "" */
} grade_batch_plan;

typedef struct grade_batch grade_batch;
struct grade_batch {
    /* a folder of STUDENT/LAB.cu (or STUDENT/LAB/FILE), of archives, or one archive (zip, tar, tar.gz, ...) */
    const char *in;
    const char *out; /* made if it is not there */
    /* How it is taken in (grader/intake/intake.h): an importer's name, the lab of all of it, a
     * roster, the commit or moment of repositories, what stands before a login. NULL: none. */
    const char *from, *only_lab, *roster, *at, *prefix;
    /* Each kept in OUT under the name that stands here; NULL: as it is kept there. */
    const char *rules;      /* course.json: the rules of course.lua as JSON */
    const char *pack_rules; /* pack-rules.json: what a pack says of its labs, in the same form */
    const char *settings;   /* settings.json: the caller's own */
    unsigned jobs;          /* worker processes; 0: one a core */
    lib_lang lang;
    const char *device;    /* "sim:h200" */
    const char *toolchain; /* nvcc's version line and the flags: part of the key */
    uint64_t seed, secret; /* as grade_options */
    /* secret 0: draw one, once, and keep it in OUT/secret; every later run of OUT uses it */
    bool own_secret;
    double worker_limit_s; /* wall clock of one worker, build included; 0: 300 */
    uint64_t source_limit; /* bytes of one submission; 0: 1 MiB */
    uint64_t total_limit;  /* bytes of all submissions; 0: 4 GiB */
    uint64_t count_limit;  /* files; 0: 100000 */
    /* grade only entries with index % shards == shard (Slurm); shards 0 or 1: all */
    unsigned shard, shards;
    bool ingest;    /* false: use OUT/manifest.json as it is (a Slurm task) */
    bool again;     /* with ingest false: the keys are made anew, as the labs and tools now are */
    bool plan_only; /* tell the plan and stop */
    /* Only what has a record that no longer counts: nothing that was never graded. */
    bool changed_only;
    bool reports;     /* write OUT/reports at the end */
    bool ingest_only; /* take in and stop */
    bool gather_only; /* grade nothing: count the records that are there, and the reports */
    const volatile int *cancel;

    /* The version of a lab (a hash of its lesson, baseline and headers), or NULL for a lab there is
     * none of. Called in the parent. */
    const char *(*lab_version)(void *user, const char *lab);
    /* Is a submission of this lab a folder of several files, STUDENT/LAB/FILE? May be NULL: none is. */
    bool (*lab_folder)(void *user, const char *lab);
    /* Is it a quiz, for which no file is graded? May be NULL: none is. */
    bool (*lab_quiz)(void *user, const char *lab);
    /* What everyone was given for a lab (its skeleton, its baseline), kept as OUT/given/LAB.cu: what
     * submissions have of it does not make them alike. malloc'ed. May be NULL. */
    char *(*lab_given)(void *user, const char *lab);
    /* Grades one file, in a worker process of its own: fills *r (grade_result_init was not called)
     * or returns -1 and *msg when the lab cannot be loaded. `b` has the seed and secret to grade
     * with; `work` is an empty folder that is removed afterwards. r->lab must stay alive until the
     * process ends. */
    int (*grade)(void *user, const grade_batch *b, const char *lab, const char *source,
                 const char *work, grade_result *r, lib_message *msg);
    /* Before anything is graded: what will be, and why what was graded before no longer counts
     * (labs, tools, device, seeds that changed), a line each. May be NULL. */
    void (*plan)(void *user, const grade_batch_plan *p);
    /* Progress, in the parent: each record as it is there, `done` of `total` that this run grades; `why` as
     * the record has it. What could not be graded is told twice, and counted when it was tried again. May
     * be NULL. */
    void (*progress)(void *user, size_t done, size_t total, const char *student, const char *lab,
                     const char *state, double score, double max_score, const char *why);
    void *user;
};

typedef struct {
    size_t total, skipped; /* skipped: done before this run */
    size_t graded, ungradable, infra_error, ambiguous, suspect;
    size_t refused; /* files of the input that are no submissions; OUT/manifest.json says why */
    /* Somebody's work that could not be placed, with the first of them; likewise listed there. */
    size_t left;
    lib_message first_left[3];
    char importer[32]; /* which layout the input had; "": none known */
    lib_word_id layout;
    bool roster;                /* there is one, given now or kept in OUT */
    size_t off_roster, without; /* students not on the roster, people on it without a submission */
    size_t uncounted;           /* attempts that do not count and are not graded */
} grade_batch_summary;

/* Is the folder of a grading none, or of a form that this program knows? False and *msg: a newer Warplab's, to
 * be left as it is. */
bool grade_batch_known(const char *out, lib_message *msg);
/* 0 when every entry has a record that is final, 1 when some are infra_error or ambiguous (start it
 * again), -1 and *msg when the batch could not be run at all. */
int grade_batch_run(const grade_batch *b, grade_batch_summary *s, lib_message *msg);

/* ---- misspelt names in the rules ---- */
/* Is each lab that the rules (JSON text) name one of these? False and *msg: which is none, and what was meant.
 * Rules that cannot be read are another's to tell. */
bool course_labs_known(const char *rules, const char *const *labs, size_t n, lib_message *msg);
/* A line for each student who has an extension and is neither on OUT's roster nor among the submissions; rules
 * NULL: those that OUT keeps. malloc'ed, "" when all are known; NULL: no memory. */
char *course_strangers(const char *out, const char *rules, lib_lang lang);

/* ---- a grading looked at ---- */
/* A record's state ("infra_error") as a person is told it; one that is not known stays as it is. */
const char *course_state_word(const char *state, lib_lang lang);
/* What it has come to, a line a lab; what is left over. malloc'ed; NULL and *msg. */
char *course_status(const char *out, lib_lang lang, lib_message *msg);
/* Why a student's grade is what it is: attempts, deadline, what lateness costs, goals and points. lab
 * NULL: every lab. */
char *course_explain(const char *out, const char *student, const char *lab, lib_lang lang,
                     lib_message *msg);

/* ---- Slurm ---- */
typedef struct {
    /* argv of one task up to the shard, NULL-ended: {"warplab", "grade", ...} */
    const char *const *command;
    const char *partition; /* NULL: the default */
    const char *time;      /* "02:00:00" or NULL */
    unsigned tasks;        /* array size */
    unsigned at_once;      /* 0: no limit */
    const char *sbatch;    /* NULL: "sbatch" on PATH */
} grade_slurm;
/* Ingests, writes OUT/slurm/job.sh, submits it and waits (sbatch --wait), then gathers the same records and
 * reports. A task runs COMMAND --shard I/N. `text` of the script is what grade_slurm_script
 * gives. */
int grade_slurm_run(const grade_batch *b, const grade_slurm *s, grade_batch_summary *sum,
                    lib_message *msg);
char *grade_slurm_script(const char *out, const grade_slurm *s);

/* ---- reports over OUT (rebuilt from the records) ---- */
/* OUT/reports: index.html, what each submission's reports are (grader/report.h), and a CSV a system. */
int grade_batch_reports(const char *out, lib_lang lang, lib_message *msg);
typedef struct {
    /* A CSV of the course's own export, whose rows and columns are kept. NULL: a row a student. */
    const char *roster;
    const char *lab; /* this one alone; NULL: all */
    /* Told: students whom the roster does not name, or not clearly, with the first of them. */
    size_t noted;
    lib_message first[3];
    /* Told too, and no mistake of a student's: a lab's column that the roster lacks, points that differ. */
    size_t warned;
    lib_message warning[4];
} grade_csv;

/* Grades for a course's system: one ROW of id and name each. `gradebook export OUT --NAME F` writes it, which
 * the row help.gradebook.NAME of the catalogue says in words. csv_NAME in export_NAME.c says how (export.h); a
 * batch keeps OUT/reports/NAME.csv. Usage, help, completion and manual page follow from the row. */
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
/* malloc'ed; NULL and *msg: it cannot be made, or the roster names nobody. how may be NULL. Points
 * are what full marks are worth there: as the roster says (Points Possible, Maximum Grade), else by
 * the course's rules. */
char *grade_export(const char *out, grade_export_format f, grade_csv *how, lib_message *msg);
/* With a byte-order mark where a letter is not English; takes the text over. */
char *grade_csv_marked(char *text);
char *grade_html_course(const char *out, lib_lang lang, lib_message *msg);

/* ---- the gradebook: a SQLite file rebuilt from a batch's records, never the only place where a
 * grade is ----
 *
 *   OUT/records/KEY.json --+
 *   OUT/manifest.json -----+--gradebook_rebuild()--> OUT/gradebook.sqlite --list, export, compare--> text */
/* Writes OUT/gradebook.sqlite afresh (a new file, renamed into place). 0, or -1 and *msg. */
int gradebook_rebuild(const char *out, lib_message *msg);
/* Each returns a malloc'ed text, or NULL and *msg. `path` is a gradebook.sqlite, or a batch's
 * folder, which is rebuilt first. */
/* a table; lab NULL: all */
char *gradebook_list(const char *path, const char *lab, lib_lang lang, lib_message *msg);
typedef enum { GRADEBOOK_CSV, GRADEBOOK_JSON } gradebook_format;
char *gradebook_export(const char *path, gradebook_format f, lib_message *msg);
/* Every submission whose state, verdict or score differs between two gradings, and a line that
 * counts them. *differ: how many. */
char *gradebook_compare(const char *a, const char *b, lib_lang lang, size_t *differ,
                        lib_message *msg);

#endif
