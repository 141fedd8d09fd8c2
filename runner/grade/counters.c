/* The meaning of a counter in both languages. */
#include <string.h>
#include "runner/grade/pictures.h"

static const struct {
    const char *name, *zh;
} meanings[] = {
#define MEANING(name, zh) {#name, zh},
#include "runner/grade/counters_zh.def"
#undef MEANING
};

const char *show_meaning(lib_lang lang, const char *name) {
    for (size_t i = 0; lang == LIB_ZH && i < sizeof meanings / sizeof *meanings; i++)
        if (!strcmp(meanings[i].name, name)) return meanings[i].zh;
    for (size_t i = 0; i < sim_counter_count(); i++)
        if (!strcmp(sim_counter_at(i)->name, name)) return sim_counter_at(i)->doc;
    for (size_t i = 0; i < grade_metric_count(); i++)
        if (!strcmp(grade_metric_at(i)->name, name)) return grade_metric_at(i)->doc;
    return "";
}
