/* The layouts, the most telling first. A new one is a row here and a file with its find(). */
#include <string.h>
#include "runner/base/buffer.h"
#include "grader/intake/import.h"

const importer importers[] = {
    {"gradescope",
     {"a Gradescope export", "Gradescope 导出的提交"},
     "submission_metadata.yml",
     "submission_metadata.yml",
     gradescope_is,
     gradescope_find},
    {"canvas",
     {"a Canvas bulk download", "Canvas 批量下载的提交"},
     "instructure/canvas-lms lib/content_zipper.rb",
     NULL,
     canvas_is,
     canvas_find},
    {"moodle",
     {"a Moodle download", "Moodle 下载的提交"},
     "moodle/moodle mod/assign/classes/downloader.php",
     NULL,
     moodle_is,
     moodle_find},
    {"prairielearn",
     {"PrairieLearn's files", "PrairieLearn 的提交文件"},
     "PrairieLearn/PrairieLearn instructorAssessmentDownloads.tsx",
     NULL,
     prairielearn_is,
     prairielearn_find},
    {"classroom",
     {"GitHub Classroom clones", "GitHub Classroom 的仓库"},
     "github/gh-classroom student-repos.go",
     NULL,
     classroom_is,
     classroom_find},
    {"git",
     {"git repositories, a folder a student", "git 仓库，每个学生一个文件夹"},
     "git",
     NULL,
     git_is,
     plain_find},
    {"plain",
     {"STUDENT/LAB.cu or an archive a student", "“学生/实验.cu”，或每个学生一个压缩包"},
     "a course's own",
     NULL,
     plain_is,
     plain_find},
};
const size_t importer_count = sizeof importers / sizeof *importers;

bool intake_importer_known(const char *name) {
    for (size_t i = 0; i < importer_count; i++)
        if (!strcmp(importers[i].name, name)) return true;
    return false;
}

char *intake_importers(lib_lang lang) {
    lib_buffer b = {0};
    for (size_t i = 0; i < importer_count; i++)
        lib_buffer_printf(&b, lang == LIB_ZH ? "%s%s（%s）" : "%s%s (%s)",
                          !i               ? ""
                          : lang == LIB_ZH ? "、"
                                           : ", ",
                          importers[i].name, importers[i].what[lang == LIB_ZH]);
    return lib_buffer_take(&b);
}
