/* Entry points made from tables: one for each CALL row of calls.def, and one for each row of
 * unsupported.def, which reports that it is missing. */
#include "runner/device/cudart/client.h"
#include "words/cudart.h"

#include <string.h>

/* ---- calls.def: declarations, scalars in, spans in, NULL checks, scalars out, argument names */
#define DECL(kind, type, name)  DECL_##kind(type, name)
#define DECL_VAL(type, name)    type name
#define DECL_STREAM(type, name) type name
#define DECL_NONE(type, name)   void
#define DECL_OUT(type, name)    type *name
#define DECL_OPT(type, name)    type *name
#define DECL_IN(type, name)     const type *name
#define DECL_FILL(type, name)   type *name
#define DECL_STR(type, name)    const char *name

#define SET(kind, type, name)  SET_##kind(type, name)
#define SET_VAL(type, name)    in->name = WL_U64(name);
#define SET_STREAM(type, name) in->name = WL_U64(name);
#define SET_NONE(type, name)
#define SET_OUT(type, name)
#define SET_OPT(type, name)
#define SET_IN(type, name)
#define SET_FILL(type, name)
#define SET_STR(type, name)

#define SPAN(kind, type, name) SPAN_##kind(type, name)
#define SPAN_VAL(type, name)
#define SPAN_STREAM(type, name)
#define SPAN_NONE(type, name)
#define SPAN_OUT(type, name)
#define SPAN_OPT(type, name)
#define SPAN_IN(type, name) wl_span(&c, name, sizeof *name);
#define SPAN_FILL(type, name)
#define SPAN_STR(type, name) wl_span(&c, name, strlen(name));

#define NEED(kind, type, name) NEED_##kind(type, name)
#define NEED_VAL(type, name)
#define NEED_STREAM(type, name)
#define NEED_NONE(type, name)
#define NEED_OUT(type, name) ok = ok && name;
#define NEED_OPT(type, name)
#define NEED_IN(type, name)   ok = ok && name;
#define NEED_FILL(type, name) ok = ok && name;
#define NEED_STR(type, name)  ok = ok && name;

#define GET(kind, type, name) GET_##kind(type, name)
#define GET_VAL(type, name)
#define GET_STREAM(type, name)
#define GET_NONE(type, name)
#define GET_OUT(type, name) *name = (type)out->name;
#define GET_OPT(type, name)                                                                        \
    if (name) *name = (type)out->name;
#define GET_IN(type, name)
#define GET_FILL(type, name)                                                                       \
    if (c.spans && c.span_bytes[0] == sizeof *name) memcpy(name, c.span[0], sizeof *name);
#define GET_STR(type, name)

#define PASS(kind, type, name) , name

#define STUB(name, flags, ...)                                                                     \
    bool ok = true;                                                                                \
    WIRE_EACH(NEED, __VA_ARGS__)                                                                   \
    if (!ok) return wl_result(cudaErrorInvalidValue);                                              \
    wl_call c;                                                                                     \
    struct wire_in_##name *in = WL_BEGIN(&c, name, flags);                                         \
    WIRE_EACH(SET, __VA_ARGS__)(void) in;                                                          \
    WIRE_EACH(SPAN, __VA_ARGS__)                                                                   \
    cudaError_t e = wl_send(&c);                                                                   \
    if (!e) {                                                                                      \
        const struct wire_out_##name *out = WL_OUT(&c, name);                                      \
        WIRE_EACH(GET, __VA_ARGS__)(void) out;                                                     \
    }                                                                                              \
    wl_end(&c);                                                                                    \
    return wl_result(e);

#define CALL(name, mode, doc, ...)                                                                 \
    WL_EXPORT cudaError_t name(WIRE_LIST(DECL, __VA_ARGS__));                                      \
    cudaError_t name(WIRE_LIST(DECL, __VA_ARGS__)) {                                               \
        STUB(name, 0, __VA_ARGS__)                                                                 \
    }
#define CALL_S(name, mode, doc, ...)                                                               \
    CALL(name, mode, doc, __VA_ARGS__)                                                             \
    WL_EXPORT cudaError_t name##_ptsz(WIRE_LIST(DECL, __VA_ARGS__));                               \
    cudaError_t name##_ptsz(WIRE_LIST(DECL, __VA_ARGS__)) {                                        \
        STUB(name, WIRE_F_PER_THREAD, __VA_ARGS__)                                                 \
    }
#define MSG(name, mode, doc, ...)
#include "runner/device/cudart/calls.def"

/* ---- unsupported.def */
void wl_unsupported(bool *once, const char *name);
void wl_unsupported(bool *once, const char *name) {
    bool first = !*once;
    w_cudart_call_not_supported(once, name);
    if (first && !wl_connect()) {
        wl_call c;
        WL_BEGIN(&c, Unsupported, 0);
        wl_span(&c, name, strlen(name));
        wl_send(&c);
        wl_end(&c);
    }
    wl_self()->last = cudaErrorNotSupported;
}

#define UNSUPPORTED(name)                                                                          \
    WL_EXPORT cudaError_t name(void);                                                              \
    cudaError_t name(void) {                                                                       \
        static bool once;                                                                          \
        wl_unsupported(&once, #name);                                                              \
        return cudaErrorNotSupported;                                                              \
    }
#include "runner/device/cudart/unsupported.def"
