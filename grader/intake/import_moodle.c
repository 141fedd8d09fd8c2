/* Moodle, "Download all submissions":
 *
 *   Jane Doe_4321_assignsubmission_file/vector-add.cu      in folders, the default
 *   Jane Doe_4321_assignsubmission_file_/vector-add.cu     in folders, by older versions
 *   Jane Doe_4321_assignsubmission_file_vector-add.cu      without folders
 *   4321/vector-add.cu                                     not Moodle's: no name of the plug-in
 *
 * (mod/assign/classes/downloader.php of moodle/moodle: get_student_prefix,
 * load_submissionplugin_filelist). Moodle replaces underscores in a name by blanks, so the first
 * underscore ends the name. 4321 is the participant's number; the grading worksheet has it as
 * "Participant 4321". Online text and comments are in _assignsubmission_onlinetext and similar
 * folders. */
#include <string.h>
#include "grader/intake/import.h"

bool moodle_find(const layout *l, const char *path, unsigned k, found *f) {
    static const char plugin[] = "assignsubmission_", file[] = "assignsubmission_file";
    char top[INTAKE_NAME];
    (void)l;
    unsigned depth = layout_component(path, 0, top);
    const char *p = strchr(top, '_'), *rest = p ? layout_digits(p + 1, '_') : NULL;
    if (k || !rest || strncmp(rest, plugin, strlen(plugin)) != 0) return false;
    *f = (found){0};
    layout_put(f->student, p + 1, (size_t)(rest - 1 - (p + 1)));
    layout_put(f->name, top, (size_t)(p - top));
    /* online text or a comment, not a file of a lab */
    if (strncmp(rest, file, strlen(file)) != 0) return true;
    rest += strlen(file);
    const char *inside = layout_file(path);
    if (depth == 1 && *rest == '_') inside = rest + 1;
    layout_put(f->file, inside, strlen(inside));
    return true;
}

bool moodle_is(layout *l) {
    return layout_mostly(l, moodle_find);
}
