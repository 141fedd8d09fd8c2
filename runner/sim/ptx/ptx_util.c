/* Names, sizes and table rows of PTX: everything that is looked up by an enum. The tables are the
 * .def files. */
#include "runner/sim/ptx/ptx.h"

unsigned ptx_type_size(ptx_type t) {
    static const uint8_t size[PTX_TYPE_COUNT] = {
#define X(e, text, bytes) [PTX_##e] = bytes,
        PTX_TYPE_MAP(X)
#undef X
    };
    return (unsigned)t < PTX_TYPE_COUNT ? size[t] : 0;
}

const char *ptx_type_text(ptx_type t) {
    static const char *const name[PTX_TYPE_COUNT] = {[PTX_NONE] = "",
#define X(e, text, bytes) [PTX_##e] = text,
                                                     PTX_TYPE_MAP(X)
#undef X
    };
    return (unsigned)t < PTX_TYPE_COUNT ? name[t] : "";
}

const char *ptx_class_name(ptx_class k) {
    static const char *const name[PTX_CLASS_COUNT] = {
#define X(n, doc) [PTX_CLASS_##n] = #n,
        PTX_CLASS_MAP(X)
#undef X
    };
    return (unsigned)k < PTX_CLASS_COUNT ? name[k] : "";
}

const ptx_op_info *ptx_op_get(unsigned op) {
    static const ptx_op_info info[PTX_OP_COUNT] = {
        [PTX_OP_none] = {"", ""},
#define OP(name, mnemonic, decoder, ends, doc) [PTX_OP_##name] = {mnemonic, doc},
#define FORM(klass, types, mods, operands)
#include "runner/sim/ptx/ops.def"
#undef OP
#undef FORM
    };
    return &info[op < PTX_OP_COUNT ? op : 0];
}

const ptx_sreg_info *ptx_sreg_get(unsigned sreg) {
    static const ptx_sreg_info info[PTX_SREG_COUNT] = {
        [PTX_SREG_NONE] = {"", PTX_NONE},
#define SREG(name, text, type) [PTX_SREG_##name] = {text, PTX_##type},
#include "runner/sim/ptx/sregs.def"
#undef SREG
    };
    return &info[sreg < PTX_SREG_COUNT ? sreg : 0];
}
