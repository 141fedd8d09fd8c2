/* The meaning of a counter, a ratio or a figure of a call in both languages. */
#include <string.h>
#include "grader/figure.h"

static const struct {
    const char *name, *zh;
} meanings[] = {
#define MEANING(name, zh) {#name, zh},
#include "grader/report/counters_zh.def"
#undef MEANING
};

const char *grade_meaning(const char *name, lib_lang lang) {
    for (size_t i = 0; lang == LIB_ZH && i < sizeof meanings / sizeof *meanings; i++)
        if (!strcmp(meanings[i].name, name)) return meanings[i].zh;
    for (size_t i = 0; i < sim_counter_count(); i++)
        if (!strcmp(sim_counter_at(i)->name, name)) return sim_counter_at(i)->doc;
    for (size_t i = 0; i < grade_metric_count(); i++)
        if (!strcmp(grade_metric_at(i)->name, name)) return grade_metric_at(i)->doc;
    return "";
}
