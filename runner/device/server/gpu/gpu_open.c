/* The properties and costs of a GPU, as a profile based on the most similar one. */
#include "runner/device/server/gpu/gpu_device.h"
#include "runner/base/cancel.h"
#include "words/server.h"
#include "words/base.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Returns the most similar profile: with the same name, otherwise the same compute capability,
 * otherwise the newest one that is not newer. */
const sim_profile *dev_gpu_nearest(const char *name, int cc) {
    const sim_profile *best = NULL;
    int best_cc = -1;
    for (size_t i = 0; i < sim_profile_count(); i++) {
        const sim_profile *p = sim_profile_at(i);
        int have = (int)(p->cc_major * 10 + p->cc_minor);
        if (!strcmp(p->marketing, name)) return p;
        if (have <= cc && have > best_cc) best = p, best_cc = have;
    }
    return best ? best : sim_profile_at(0);
}

static void open_attributes(gpu_device *g) {
    const int32_t *a = g->machine.attribute;
    sim_profile *p = &g->profile;
    *p = *g->nearest;
    snprintf(g->marketing, sizeof g->marketing, "%s", g->machine.name);
    p->marketing = g->marketing;
    const struct {
        unsigned *to;
        int number;
    } counts[] = {{&p->cc_major, GPU_ATTR_ComputeCapabilityMajor},
                  {&p->cc_minor, GPU_ATTR_ComputeCapabilityMinor},
                  {&p->sms, GPU_ATTR_MultiProcessorCount},
                  {&p->max_threads_sm, GPU_ATTR_MaxThreadsPerMultiProcessor},
                  {&p->max_blocks_sm, GPU_ATTR_MaxBlocksPerMultiprocessor},
                  {&p->max_threads_block, GPU_ATTR_MaxThreadsPerBlock},
                  {&p->registers_sm, GPU_ATTR_MaxRegistersPerMultiprocessor},
                  {&p->bus_bits, GPU_ATTR_GlobalMemoryBusWidth}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (a[counts[i].number] > 0) *counts[i].to = (unsigned)a[counts[i].number];
    const struct {
        uint64_t *to;
        int number;
    } sizes[] = {{&p->l2_bytes, GPU_ATTR_L2CacheSize},
                 {&p->shared_sm, GPU_ATTR_MaxSharedMemoryPerMultiprocessor},
                 {&p->shared_block, GPU_ATTR_MaxSharedMemoryPerBlock},
                 {&p->shared_block_optin, GPU_ATTR_MaxSharedMemoryPerBlockOptin},
                 {&p->shared_reserved, GPU_ATTR_ReservedSharedMemoryPerBlock}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (a[sizes[i].number] > 0) *sizes[i].to = (uint64_t)a[sizes[i].number];
    if (a[GPU_ATTR_ClockRate] > 0) p->clock_ghz = a[GPU_ATTR_ClockRate] / 1e6;
    if (a[GPU_ATTR_MemoryClockRate] > 0) p->memory_clock_ghz = a[GPU_ATTR_MemoryClockRate] / 1e6;
    p->memory_bytes = g->machine.memory_bytes;
}

static void open_cost(gpu_device *g) {
    sim_profile *p = &g->profile;
    const gpu_measured *m = &g->cost;
    /* The bandwidth is the measured one, not that of the data sheet. */
    p->dram_gbs = m->copy_gbs, p->dram_efficiency = 1;
    p->launch_gap_us = m->event_gap_us;
    p->kernel_us = m->empty_kernel_us - m->event_gap_us;
    p->launch_us = m->launch_us;
    p->memcpy_us = m->memcpy_us;
    p->h2d_pinned_gbs = m->h2d_gbs, p->d2h_pinned_gbs = m->d2h_gbs;
}

static bool open_sane(const gpu_measured *m) {
    const double all[] = {m->copy_gbs, m->event_gap_us, m->empty_kernel_us, m->launch_us,
                          m->h2d_gbs,  m->d2h_gbs,      m->memcpy_us};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!isfinite(all[i]) || all[i] <= 0 || all[i] > 1e6) return false;
    return m->empty_kernel_us >= m->event_gap_us;
}

/* Measured once for a GPU and a driver, and saved; WARPLAB_GPU_MEASURE=1 measures again. */
static bool open_measure(gpu_device *g, const char *cache, lib_message *msg) {
    char path[1024] = "";
    const char *again = getenv("WARPLAB_GPU_MEASURE");
    if (cache)
        snprintf(path, sizeof path, "%s/gpu-%s-%s", cache, g->machine.uuid, g->machine.driver);
    for (char *c = strrchr(path, '/'); c && *++c;)
        if (*c == ' ') *c = '_';
    gpu_measured *m = &g->cost;
    FILE *f = path[0] && !(again && *again == '1') ? fopen(path, "re") : NULL;
    if (f) {
        bool read =
            fscanf(f,
                   "copy_gbs %lf event_gap_us %lf empty_kernel_us %lf launch_us %lf h2d_gbs %lf "
                   "d2h_gbs %lf memcpy_us %lf",
                   &m->copy_gbs, &m->event_gap_us, &m->empty_kernel_us, &m->launch_us, &m->h2d_gbs,
                   &m->d2h_gbs, &m->memcpy_us) == 7;
        fclose(f);
        if (read && open_sane(m)) return true;
    }
    gpu_reply r;
    sim_status s = ASK(g, &r, Measure);
    *m = r.out.Measure.cost;
    if (s || !open_sane(m)) {
        lib_message why;
        dev_gpu_said(&why, s ? r.text : "the times make no sense");
        lib_message_set(msg, w_server_gpu_not_measured(g->index, &why));
        return false;
    }
    char draft[1100];
    snprintf(draft, sizeof draft, "%s.%d", path, (int)getpid());
    if (path[0]) mkdir(cache, 0777);
    f = path[0] ? fopen(draft, "we") : NULL;
    if (!f) return true; /* measured again next time */
    fprintf(f,
            "copy_gbs %.6g\nevent_gap_us %.6g\nempty_kernel_us %.6g\nlaunch_us %.6g\nh2d_gbs "
            "%.6g\nd2h_gbs "
            "%.6g\nmemcpy_us %.6g\n",
            m->copy_gbs, m->event_gap_us, m->empty_kernel_us, m->launch_us, m->h2d_gbs, m->d2h_gbs,
            m->memcpy_us);
    if (fclose(f) || rename(draft, path)) unlink(draft);
    return true;
}

/* Only one session of this user uses the GPU at a time: two would disturb each other's times. */
static bool open_turn(gpu_device *g, const dev_options *o, lib_message *msg) {
    char path[1024];
    if (!o->gpu_cache) return true;
    mkdir(o->gpu_cache, 0777);
    snprintf(path, sizeof path, "%s/gpu-%u.lock", o->gpu_cache, g->index);
    g->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (g->lock >= 0 && flock(g->lock, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR) break; /* a file system without locks */
        if (lib_raised(o->cancel)) {
            lib_message_set(msg, w_server_gpu_cancelled(g->index));
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return true;
}

void *dev_gpu_open(unsigned index, unsigned slot, const dev_options *o, const sim_profile **profile,
                   lib_message *msg) {
    gpu_device *g = calloc(1, sizeof *g);
    if (!g) {
        lib_message_set(msg, w_base_out_of_memory());
        return NULL;
    }
    g->index = index, g->slot = slot, g->demangle = o->demangle, g->lock = -1;
    if (!gpu_process_init(&g->process, o->cancel, msg)) {
        free(g);
        return NULL;
    }
    if (!open_turn(g, o, msg) || !dev_gpu_start(g, msg)) goto fail;
    g->nearest = dev_gpu_nearest(g->machine.name,
                                 g->machine.attribute[GPU_ATTR_ComputeCapabilityMajor] * 10 +
                                     g->machine.attribute[GPU_ATTR_ComputeCapabilityMinor]);
    open_attributes(g);
    if (!open_measure(g, o->gpu_cache, msg)) goto fail;
    open_cost(g);
    *profile = &g->profile;
    return g;
fail:
    gpu_process_free(&g->process);
    if (g->lock >= 0) close(g->lock);
    free(g);
    return NULL;
}

void dev_gpu_state_get(void *hw, dev_gpu_state *s) {
    gpu_device *g = hw;
    gpu_reply r;
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", g->machine.name);
    snprintf(s->uuid, sizeof s->uuid, "%s", g->machine.uuid);
    snprintf(s->driver, sizeof s->driver, "%s", g->machine.driver);
    snprintf(s->nearest, sizeof s->nearest, "sim:%s", g->nearest->name);
    s->copy_gbs = g->cost.copy_gbs, s->launch_us = g->cost.launch_us;
    s->empty_kernel_us = g->cost.empty_kernel_us, s->event_gap_us = g->cost.event_gap_us;
    if (g->open && !ASK(g, &r, Clocks) && r.out.Clocks.known) {
        s->clocks_known = true;
        s->sm_mhz = (unsigned)r.out.Clocks.sm_mhz;
        s->memory_mhz = (unsigned)r.out.Clocks.memory_mhz;
        s->throttle = r.out.Clocks.throttle;
        s->power_w = (double)r.out.Clocks.power_mw / 1000;
        s->temperature_c = (unsigned)r.out.Clocks.temperature_c;
    }
}
