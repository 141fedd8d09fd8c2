/* See i18n.h. */
#include "runner/term/i18n.h"

#include <stdlib.h>
#include <string.h>

static const char *const texts[MSG_COUNT][LIB_LANGS] = {
#define MSG(id, en, zh) [MSG_##id] = {en, zh},
#include "runner/term/messages.def"
#undef MSG
};

const char *i18n(lib_lang lang, i18n_id id) {
    return texts[id][lang];
}

const char *i18n_name(lib_lang lang) {
    return lang == LIB_ZH ? "zh" : "en";
}

bool i18n_parse(const char *name, lib_lang *lang) {
    if (!strncmp(name, "zh", 2) || !strcmp(name, "中文")) *lang = LIB_ZH;
    else if (!strncmp(name, "en", 2) || !strcmp(name, "english")) *lang = LIB_EN;
    else return false;
    return true;
}

lib_lang i18n_default(void) {
    static const char *const names[] = {"WARPLAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *v = getenv(names[i]);
        if (v && *v) return !strncmp(v, "zh", 2) ? LIB_ZH : LIB_EN;
    }
    return LIB_EN;
}

static const struct {
    const char *name, *zh;
} counter_texts[] = {
    {"warp_inst", "warp 执行的 PTX 指令数"},
    {"thread_inst", "lane 执行的 PTX 指令数"},
    {"gld_requests", "全局加载请求：warp 的每条加载指令一次"},
    {"gld_sectors", "全局加载触及的 32 字节扇区"},
    {"gst_requests", "全局存储请求"},
    {"gst_sectors", "全局存储触及的 32 字节扇区"},
    {"gld_bytes", "lane 要求加载的字节"},
    {"gst_bytes", "lane 要求存储的字节"},
    {"local_ld_requests", "局部内存加载请求（寄存器溢出、动态下标的私有数组）"},
    {"local_ld_sectors", "局部内存加载触及的扇区"},
    {"local_st_requests", "局部内存存储请求"},
    {"local_st_sectors", "局部内存存储触及的扇区"},
    {"shared_ld_requests", "warp 的共享内存加载指令"},
    {"shared_st_requests", "warp 的共享内存存储指令"},
    {"shared_ld_wavefronts", "共享加载访问存储体的轮次"},
    {"shared_st_wavefronts", "共享存储访问存储体的轮次"},
    {"shared_ld_conflicts", "共享加载因存储体冲突多出的轮次"},
    {"shared_st_conflicts", "共享存储因存储体冲突多出的轮次"},
    {"const_requests", "warp 按地址读常量内存的指令"},
    {"const_serialised", "各 lane 读不同的字时常量加载多出的轮次"},
    {"tex_requests", "纹理与表面请求"},
    {"tex_sectors", "纹理与表面请求触及的扇区"},
    {"branches", "warp 执行的条件分支"},
    {"divergent_branches", "warp 的 lane 分走两边的分支"},
    {"divergent_branches_machine", "同上，但不计汇编器会改成谓词执行的短分支"},
    {"atom_global_requests", "warp 的全局原子操作"},
    {"atom_global_lanes", "lane 的全局原子操作"},
    {"atom_global_serialised", "全局原子操作的轮次：同一请求中撞在同一地址上的最多 lane 数之和"},
    {"atom_shared_requests", "warp 的共享内存原子操作"},
    {"atom_shared_lanes", "lane 的共享内存原子操作"},
    {"atom_shared_serialised", "共享原子操作的轮次：同一请求中撞在同一地址上的最多 lane 数之和"},
    {"barriers", "warp 执行的块内屏障"},
    {"shuffles", "warp 的洗牌、表决、匹配与归约指令"},
    {"inst_int", "lane 的整数与逻辑指令"},
    {"inst_fp16", "lane 的半精度指令"},
    {"inst_fp32", "lane 的单精度指令"},
    {"inst_fp64", "lane 的双精度指令"},
    {"inst_sfu", "lane 的特殊函数指令"},
    {"inst_convert", "lane 的类型转换指令"},
    {"flop_sp", "单精度浮点运算（乘加算两次）"},
    {"flop_dp", "双精度浮点运算（乘加算两次）"},
    {"l1_sectors", "在 L1 中查找的扇区"},
    {"l1_hits", "在 L1 中命中的扇区（缓存模型）"},
    {"l2_sectors", "在 L2 中查找的扇区（缓存模型）"},
    {"l2_hits", "在 L2 中命中的扇区（缓存模型）"},
    {"dram_read", "从显存读的字节（缓存模型）"},
    {"dram_write", "写到显存的字节（缓存模型）"},
    {"gld_sectors_per_request", "每个加载请求的扇区：4 字节的 lane 以 4 为最佳，32 最差"},
    {"gst_sectors_per_request", "每个存储请求的扇区：4 字节的 lane 以 4 为最佳，32 最差"},
    {"gld_efficiency_pct", "全局加载：要用的字节占搬运字节的比例"},
    {"gst_efficiency_pct", "全局存储：要写的字节占搬运字节的比例"},
    {"shared_ld_conflicts_per_request", "每次共享加载多出的轮次"},
    {"shared_st_conflicts_per_request", "每次共享存储多出的轮次"},
    {"active_lanes_avg", "每条 warp 指令平均有多少 lane 在工作，最多 32"},
    {"lane_efficiency_pct", "工作的 lane 占 32 的比例"},
    {"divergent_branch_pct", "拆开 warp 的分支所占比例"},
    {"l1_hit_pct", "L1 命中率（缓存模型）"},
    {"l2_hit_pct", "L2 命中率（缓存模型）"},
    {"flop_per_dram_byte", "运算强度：每字节显存流量的浮点运算"},
    {"flop_per_global_byte", "每字节全局内存请求的浮点运算"},
    {"registers", "每个线程的寄存器"},
    {"spill_bytes", "汇编器报告的每线程寄存器溢出字节"},
    {"local_bytes", "每个线程的局部内存"},
    {"shared_bytes", "每个块的共享内存，静态加动态"},
    {"threads_per_block", "每个块的线程数"},
    {"blocks", "网格中的块数"},
    {"occupancy_pct", "占用率：按资源可驻留的 warp 占上限的比例"},
    {"achieved_occupancy_pct", "运行期间平均驻留的 warp 所占比例"},
    {"launches", "核函数启动次数"},
    {"h2d_copies", "主机到设备的拷贝次数"},
    {"h2d_bytes", "从主机拷到设备的字节"},
    {"d2h_copies", "设备到主机的拷贝次数"},
    {"d2h_bytes", "从设备拷回主机的字节"},
    {"d2d_bytes", "设备内拷贝的字节"},
    {"mallocs", "分配设备内存的次数"},
    {"malloc_bytes", "分配的设备内存字节"},
    {"frees", "释放设备内存的次数"},
    {"syncs", "主机等待设备的次数"},
    {"device_us", "核函数或拷贝在运行的时间（微秒）"},
    {"elapsed_us", "从这次调用的第一个操作到最后一个结束的时间，含主机间隙（微秒）"},
};

const char *i18n_counter(lib_lang lang, const char *name) {
    for (size_t i = 0; lang == LIB_ZH && i < sizeof counter_texts / sizeof counter_texts[0]; i++)
        if (!strcmp(counter_texts[i].name, name)) return counter_texts[i].zh;
    for (size_t i = 0; i < sim_counter_count(); i++)
        if (!strcmp(sim_counter_at(i)->name, name)) return sim_counter_at(i)->doc;
    for (size_t i = 0; i < grade_metric_count(); i++)
        if (!strcmp(grade_metric_at(i)->name, name)) return grade_metric_at(i)->doc;
    return "";
}
