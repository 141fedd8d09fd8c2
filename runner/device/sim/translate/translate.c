/* Turns a function of machine code into a kernel of PTX: its registers, labels, and one instruction
 * after another. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "runner/device/sim/translate/internal.h"
#include "runner/base/message.h"
#include "words/translate.h"
#include "words/base.h"

/* ---- declarations ---- */

static void declare(translator *t, char name, const char *type, unsigned count) {
    if (count) tr_line(t, ".reg .%s %%%c<%u>;", type, name, count);
}

static unsigned registers(const uint64_t set[4]) {
    for (unsigned k = 255; k; k--)
        if (sass_in(set, k - 1)) return k;
    return 0;
}

/* Returns whether an instruction of the class has the modifier. */
static bool some_have(const sass_func *f, sass_class klass, const char *word) {
    for (uint32_t n = 0; n < f->insn_count; n++)
        if (sass_row_of((sass_op)f->insns[n].op)->klass == klass && sass_has(&f->insns[n], word))
            return true;
    return false;
}

static void begin(translator *t) {
    const sass_func *f = t->f;
    const sim_translate_about *a = t->about;
    sass_regs all = {0};
    for (uint32_t n = 0; n < f->insn_count; n++) {
        sass_defs(&f->insns[n], &all);
        sass_uses(&f->insns[n], &all);
        if (f->insns[n].op == SASS_OP_BREAK) {
            sass_regs left = {0};
            sass_uses(&f->insns[n], &left);
            sass_defs(&f->insns[n], &left);
            t->broken |= left.b;
        }
    }
    tr_line(t, ".version 9.0");
    tr_line(t, t->m->arch < 90 ? ".target sm_%u" : ".target sm_%ua", t->m->arch);
    tr_line(t, ".address_size 64");
    for (unsigned k = 2; k < SIM_TRANSLATE_BANKS; k++)
        if (a->bank_bytes[k])
            tr_line(t, ".visible .const .align 16 .b8 $bank%u[%u];", k, a->bank_bytes[k]);
    t->skip = tr_param_skip(t);
    t->waits = some_have(f, SASS_ATOMIC, "ARRIVE");
    if (a->param_bytes)
        tr_line(t, ".visible .entry %s(.param .align 8 .b8 p[%u]) {", f->name,
                ((a->param_bytes + 7) & ~7u) + t->skip);
    else tr_line(t, ".visible .entry %s() {", f->name);
    if (a->shared_bytes) tr_line(t, ".shared .align 16 .b8 tile[%u];", a->shared_bytes);
    if (a->local_bytes) tr_line(t, ".local .align 16 .b8 depot[%u];", a->local_bytes);
    declare(t, 'r', "b32", registers(all.r));
    declare(t, 'u', "b32", registers(all.ur));
    declare(t, 'p', "pred", 7);
    declare(t, 'h', "pred", 7);
    declare(t, 'b', "b32", 16);
    tr_line(t, ".reg .b32 %%a<6>, %%k<2>, %%t<10>, %%sink, %%sink<4>, %%zero, %%left, %%rpc<2>;");
    tr_line(t, ".reg .b64 %%w<6>, %%m<2>, %%n<2>, %%x<4>, %%xd, %%y<16>;");
    tr_line(t, ".reg .b16 %%e<4>;");
    if (some_have(f, SASS_ATOMIC, "128") || some_have(f, SASS_LOAD, "128"))
        tr_line(t, ".reg .b128 %%o<3>;");
    tr_line(t, ".reg .pred %%c<3>, %%q<4>, %%g, %%nop, %%yes, %%no;");
    tr_line(t, "mov.u32 %%zero, 0;");
    tr_line(t, "setp.eq.u32 %%yes, %%zero, 0;");
    tr_line(t, "setp.ne.u32 %%no, %%zero, 0;");
}

/* ---- instructions ---- */

/* Writes the instruction's "@%p0 ". If the instruction also writes that predicate, its old value is
 * kept while the text runs. */
static void guard(translator *t, bool not ) {
    const sass_insn *i = tr_insn(t);
    sass_regs set = {0};
    sass_defs(i, &set);
    uint8_t writes = i->guard_uniform ? set.up : set.p;
    char name[8];
    t->guard[0] = 0;
    if (i->guard == SASS_PT && !i->guard_not) return;
    snprintf(name, sizeof name, "%%%c%u", i->guard_uniform ? 'h' : 'p', i->guard & 7u);
    if (i->guard == SASS_PT) snprintf(name, sizeof name, "%%yes");
    if (i->guard != SASS_PT && writes >> i->guard & 1) {
        tr_line(t, "mov.pred %%g, %s;", name);
        snprintf(name, sizeof name, "%%g");
    }
    snprintf(t->guard, sizeof t->guard, "@%s%s ", i->guard_not != not ? "!" : "", name);
}

static bool is_call(const sass_insn *i) {
    return sass_row_of((sass_op)i->op)->klass == SASS_CALL;
}

static bool is_entry(const translator *t, const sass_label *l) {
    return &t->m->funcs[l->func] == t->f && *l->name == '$' && l->at < t->f->insn_count;
}

/* CALL.REL R: calls one of the functions after the kernel, by its address in the section. CALL.ABS
 * R: calls one of the system's. */
static void call_by_address(translator *t) {
    const sass_insn *i = tr_insn(t);
    const sass_opnd *to = &i->opnd[0];
    bool near = i->opnd_count == 2 && i->opnd[1].kind == SASS_OPND_LABEL && !i->opnd[1].target;
    if (to->kind != SASS_OPND_REG || to->reg >= SASS_NONE || !sass_has(i, "NOINC") ||
        (sass_has(i, "REL") && !near)) {
        tr_refuse(t, W_TRANSLATE_CALL_FORM);
        return;
    }
    guard(t, true);
    if (*t->guard) tr_line(t, "%sbra R%u;", t->guard, t->at);
    if (sass_has(i, "ABS")) {
        tr_line(t, "mov.b64 %%n0, {%%r%u,%%r%u};", to->reg, to->reg + 1);
        tr_line(t, "setp.ne.u64 %%q0, %%n0, 0x%llx;", (unsigned long long)SIM_TRANSLATE_PRINTF);
        tr_line(t, "@%%q0 trap;");
    } else {
        for (uint32_t k = 0; k < t->m->label_count; k++) {
            const sass_label *l = &t->m->labels[k];
            if (!is_entry(t, l)) continue;
            tr_line(t, "setp.eq.u32 %%q0, %%r%u, 0x%x;", to->reg, t->f->insns[l->at].address);
            tr_line(t, "@%%q0 bra L%u;", l->at);
        }
        tr_line(t, "trap;");
    }
    if (*t->guard) tr_line(t, "R%u:", t->at);
}

/* RPCMOV: the two halves of Rpc are registers like others. */
static void move_rpc(translator *t) {
    const sass_insn *i = tr_insn(t);
    bool out = i->opnd_count == 2 && i->opnd[1].kind == SASS_OPND_WORD;
    const sass_opnd *rpc = &i->opnd[out], *other = &i->opnd[!out];
    char name[TR_NAME];
    if (i->opnd_count != 2 || !rpc->text || strcmp(rpc->text, "Rpc") ||
        other->kind != SASS_OPND_REG) {
        tr_refuse(t, W_TRANSLATE_KIND_OF_OPERAND);
        return;
    }
    guard(t, false);
    tr_register(name, other, 0);
    unsigned half = !strcmp(rpc->sel, ".HI");
    if (out) tr_line(t, "%smov.b32 %s, %%rpc%u;", t->guard, name, half);
    else tr_line(t, "%smov.b32 %%rpc%u, %s;", t->guard, half, name);
}

/* LEPC: the address of an instruction, its own or the label's. */
static void own_address(translator *t) {
    const sass_insn *i = tr_insn(t);
    const sass_opnd *to = i->opnd_count > 1 ? &i->opnd[1] : NULL;
    uint32_t address = i->address;
    guard(t, false);
    tr_prepare(t, TR_BITS);
    if (to && (to->kind != SASS_OPND_LABEL || to->target >= t->f->insn_count))
        tr_refuse(t, W_TRANSLATE_CALL_FORM);
    else if (to) address = t->f->insns[to->target].address;
    tr_line(t, "mov.u64 %%n0, %u;", address);
    tr_line(t, "%smov.b64 %s, %%n0;", t->guard, t->o.dest_list);
}

/* Returns after the call whose address is in the register: one of those in this function. */
static void give_back(translator *t) {
    const sass_insn *i = tr_insn(t);
    const sass_opnd *to = &i->opnd[0];
    if (i->opnd_count != 2 || to->kind != SASS_OPND_REG || !sass_has(i, "REL") ||
        to->reg == SASS_RZ || i->opnd[1].kind != SASS_OPND_LABEL || i->opnd[1].target) {
        tr_refuse(t, W_TRANSLATE_KIND_OF_RETURN);
        return;
    }
    guard(t, true);
    if (*t->guard) tr_line(t, "%sbra R%u;", t->guard, t->at);
    for (uint32_t n = 0; n + 1 < t->f->insn_count; n++)
        if (is_call(&t->f->insns[n])) {
            tr_line(t, "setp.eq.u32 %%q0, %%r%u, 0x%x;", to->reg, t->f->insns[n + 1].address);
            tr_line(t, "@%%q0 bra L%u;", n + 1);
        }
    tr_line(t, "trap;");
    if (*t->guard) tr_line(t, "R%u:", t->at);
}

/* Puts the guard, as a predicate of every lane, into %q0. */
static void guard_as_predicate(translator *t) {
    guard(t, false);
    tr_line(t, "mov.pred %%q0, %%no;");
    tr_line(t, "%smov.pred %%q0, %%yes;", t->guard);
}

/* R2UR: the value of the first lane whose guard holds, for all lanes. The predicate of a lane with
 * another value says so. */
static void to_uniform(translator *t) {
    const sass_insn *i = tr_insn(t);
    guard_as_predicate(t);
    tr_prepare(t, TR_BITS);
    if (*i->mods && strcmp(i->mods, ".OR")) tr_refuse(t, W_TRANSLATE_R2UR_FORM);
    tr_line(t, "activemask.b32 %%t0;");
    tr_line(t, "vote.sync.ballot.b32 %%t1, %%q0, %%t0;");
    tr_line(t, "setp.ne.u32 %%q1, %%t1, 0;");
    tr_line(t, "brev.b32 %%t1, %%t1;");
    tr_line(t, "clz.b32 %%t1, %%t1;");
    tr_line(t, "mov.b32 %%t3, %s;", t->o.source[0]);
    tr_line(t, "shfl.sync.idx.b32 %%t2, %%t3, %%t1, 31, %%t0;");
    tr_line(t, "@%%q1 mov.b32 %s, %%t2;", t->o.dest);
    if (!t->o.sets) return;
    tr_line(t, "setp.ne.u32 %%q1, %%t2, %%t3;");
    if (*i->mods) tr_line(t, "or.pred %%q1, %%q1, %s;", t->o.set[0]);
    tr_line(t, "@%%q0 mov.pred %s, %%q1;", t->o.set[0]);
}

/* ELECT: the first lane whose guard holds and that wants it. The lanes stay together, which they
 * would not around an elect.sync with a guard. */
static void elect(translator *t) {
    guard_as_predicate(t);
    tr_prepare(t, TR_BITS);
    tr_line(t, "activemask.b32 %%t0;");
    if (t->o.tests) tr_line(t, "and.pred %%q0, %%q0, %s;", t->o.test[0]);
    tr_line(t, "vote.sync.ballot.b32 %%t1, %%q0, %%t0;");
    tr_line(t, "neg.s32 %%t2, %%t1;");
    tr_line(t, "and.b32 %%t1, %%t1, %%t2;");
    tr_line(t, "mov.u32 %%t2, %%lanemask_eq;");
    tr_line(t, "and.b32 %%t2, %%t2, %%t1;");
    tr_line(t, "setp.ne.u32 %%q1, %%t2, 0;");
    tr_line(t, "bfind.u32 %%t1, %%t1;");
    tr_line(t, "%smov.b32 %s, %%t1;", t->guard, t->o.dest);
    if (t->o.sets) tr_line(t, "%smov.pred %s, %%q1;", t->guard, t->o.set[0]);
}

/* BRA.ANY, BRA.ALL: all lanes branch if the guard holds for one, or for each. */
static bool branches_together(const sass_insn *i) {
    return i->op == SASS_OP_BRA && i->opnd_count == 1 && (sass_has(i, "ANY") || sass_has(i, "ALL"));
}

static void branch_together(translator *t) {
    guard_as_predicate(t);
    tr_prepare(t, TR_BITS);
    tr_line(t, "activemask.b32 %%t0;");
    tr_line(t, "vote.sync.%s.pred %%q0, %%q0, %%t0;", sass_has(tr_insn(t), "ANY") ? "any" : "all");
    tr_line(t, "@%%q0 bra %s;", t->o.label);
}

/* A branch that has a condition besides its guard: BRA P1, .., BRA.U UP0, .. Also branches that ask
 * whether the lanes are diverged (DIV) or converged (CONV) without naming them: all 32 are
 * meant. */
static bool branches_if(const sass_insn *i) {
    unsigned kind = i->opnd_count ? i->opnd[0].kind : SASS_OPND_WORD;
    if (i->op != SASS_OP_BRA) return false;
    if (i->opnd_count == 1) return !strcmp(i->mods, ".DIV") || !strcmp(i->mods, ".CONV");
    return i->opnd_count == 2 && (!*i->mods || !strcmp(i->mods, ".U")) &&
           (kind == SASS_OPND_PRED || kind == SASS_OPND_UPRED);
}

static void branch_if(translator *t) {
    const sass_insn *i = tr_insn(t);
    const char *test = "%q0";
    guard(t, false);
    tr_prepare(t, TR_BITS);
    tr_line(t, "mov.pred %%g, %%no;");
    if (i->opnd_count == 2) {
        test = t->o.test[0];
    } else {
        tr_line(t, "activemask.b32 %%t0;");
        tr_line(t, "setp.%s.u32 %%q0, %%t0, 0xffffffff;", sass_has(i, "DIV") ? "ne" : "eq");
    }
    tr_line(t, "%smov.pred %%g, %s;", t->guard, test);
    tr_line(t, "@%%g bra %s;", t->o.label);
}

/* BRA.DIV with a guard: all lanes branch unless the lanes whose guard holds are just those named.
 * ptxas guards it where lanes may have different masks (R2UR, MATCH). Without a guard, lanes wait
 * for the others that are named (rows.def). */
static bool branches_unless_all(const sass_insn *i) {
    return i->op == SASS_OP_BRA && i->opnd_count == 2 && sass_has(i, "DIV") &&
           (i->guard != SASS_PT || i->guard_not);
}

static void branch_unless_all(translator *t) {
    guard_as_predicate(t);
    tr_prepare(t, TR_BITS);
    tr_line(t, "activemask.b32 %%t0;");
    tr_line(t, "vote.sync.ballot.b32 %%t1, %%q0, %%t0;");
    tr_line(t, "setp.ne.u32 %%q0, %%t1, %s;", t->o.source[0]);
    tr_line(t, "@%%q0 bra %s;", t->o.label);
}

/* WARPSYNC.COLLECTIVE, .EXCLUSIVE: the lanes of a mask wait for each other and go on without the
 * others, which have their turn when these wait (BSYNC). */
static bool parts_by_mask(const sass_insn *i) {
    return i->op == SASS_OP_WARPSYNC && !sass_has(i, "ALL") &&
           (sass_has(i, "COLLECTIVE") || sass_has(i, "EXCLUSIVE"));
}

static void part_by_mask(translator *t) {
    guard(t, true);
    if (*t->guard) tr_line(t, "%sbra R%u;", t->guard, t->at);
    tr_line(t, "R%u_:", t->at);
    tr_prepare(t, TR_BITS);
    tr_line(t, "bar.warp.sync %s;", t->o.source[0]);
    tr_line(t, "activemask.b32 %%t0;");
    tr_line(t, "mov.b32 %%t3, %s;", t->o.source[0]);
    tr_line(t, "brev.b32 %%t1, %%t0;");
    tr_line(t, "clz.b32 %%t1, %%t1;");
    tr_line(t, "shfl.sync.idx.b32 %%t2, %%t3, %%t1, 31, %%t0;");
    tr_line(t, "setp.ne.u32 %%q0, %%t2, %%t3;");
    tr_line(t, "@%%q0 bra R%u_;", t->at);
    if (*t->guard) tr_line(t, "R%u:", t->at);
}

/* EXIT with a predicate besides its guard. */
static void exit_if(translator *t) {
    guard(t, false);
    tr_prepare(t, TR_BITS);
    tr_line(t, "mov.pred %%g, %%no;");
    tr_line(t, "%smov.pred %%g, %s;", t->guard, t->o.test[0]);
    tr_line(t, "@%%g exit;");
}

/* A branch by a table: the register holds the distance from the end of the branch and its literal
 * (the target's address in the section, as ptxas writes it) to the target. */
static void branch_by_table(translator *t) {
    const sass_insn *i = tr_insn(t);
    const sass_opnd *by = &i->opnd[0];
    bool plain = i->guard == SASS_PT && !i->guard_not && i->opnd_count == 2 &&
                 by->kind == SASS_OPND_REG && by->reg < SASS_NONE &&
                 i->opnd[1].kind == SASS_OPND_INT && i->target_count;
    if (!plain) {
        tr_refuse(t, W_TRANSLATE_KIND_OF_BRANCH);
        return;
    }
    uint32_t behind = i->address + 16 + (uint32_t)i->opnd[1].imm;
    tr_line(t, "mov.u32 %%t0, %u;", i->target_count);
    for (uint32_t k = 0; k < i->target_count; k++) {
        tr_line(t, "setp.eq.u32 %%q0, %%r%u, 0x%x;", by->reg,
                t->f->insns[i->targets[k]].address - behind);
        tr_line(t, "selp.b32 %%t0, %u, %%t0, %%q0;", k);
    }
    tr_line(t, "setp.eq.u32 %%q0, %%t0, %u;", i->target_count);
    tr_line(t, "@%%q0 trap;");
    tr_line(t, "T%u: .branchtargets", t->at);
    for (uint32_t k = 0; k < i->target_count; k++)
        tr_line(t, "L%u%s", i->targets[k], k + 1 < i->target_count ? "," : ";");
    tr_line(t, "brx.idx %%t0, T%u;", t->at);
}

static bool leaves_alone(const translator *t) {
    const sass_insn *i = tr_insn(t);
    sass_regs used = {0};
    sass_uses(i, &used);
    return i->op == SASS_OP_BSYNC && (used.b & t->broken);
}

/* Without asynchronous copies, DEPBAR counts results that have not arrived yet; where it names a
 * set of scoreboards it always does. */
static bool waits_for_scoreboard(const translator *t) {
    return tr_insn(t)->op == SASS_OP_DEPBAR &&
           (t->m->arch < sass_row_of(SASS_OP_LDGSTS)->since || !sass_has(tr_insn(t), "LE"));
}

static void instruction(translator *t, bool labelled) {
    const sass_insn *i = tr_insn(t);
    if (labelled) tr_line(t, "L%u:", t->at);
    if (leaves_alone(t) || waits_for_scoreboard(t)) {
        tr_nothing(t);
        return;
    }
    if (sass_row_of((sass_op)i->op)->klass == SASS_RETURN) {
        give_back(t);
        return;
    }
    if (i->op == SASS_OP_BRX) {
        branch_by_table(t);
        return;
    }
    if (is_call(i) && i->opnd[0].kind != SASS_OPND_LABEL) {
        call_by_address(t);
        return;
    }
    if (i->op == SASS_OP_LEPC) {
        own_address(t);
        return;
    }
    if (i->op == SASS_OP_RPCMOV) {
        move_rpc(t);
        return;
    }
    if (i->op == SASS_OP_R2UR) {
        to_uniform(t);
        return;
    }
    if (i->op == SASS_OP_ELECT) {
        elect(t);
        return;
    }
    if (branches_together(i)) {
        branch_together(t);
        return;
    }
    if (i->op == SASS_OP_EXIT && i->opnd_count == 1 && !*i->mods) {
        exit_if(t);
        return;
    }
    if (branches_if(i)) {
        branch_if(t);
        return;
    }
    if (branches_unless_all(i)) {
        branch_unless_all(t);
        return;
    }
    if (parts_by_mask(i)) {
        part_by_mask(t);
        return;
    }
    guard(t, false);
    if (tr_is_bulk(i)) {
        tr_bulk(t);
        return;
    }
    switch (sass_row_of((sass_op)i->op)->klass) {
    case SASS_TEXTURE: tr_texture(t); break;
    case SASS_MATRIX: tr_matrix(t); break;
    default: tr_expand(t);
    }
}

/* Finds the instructions that are targets. Returns NULL if memory is out. */
static uint8_t *find_labels(const translator *t) {
    const sass_func *f = t->f;
    uint8_t *at = calloc(f->insn_count + 1, 1);
    for (uint32_t n = 0; at && n < f->insn_count; n++) {
        const sass_insn *i = &f->insns[n];
        const sass_opnd *to = sass_target(i);
        for (unsigned k = 0; k < i->opnd_count; k++)
            if (i->opnd[k].kind == SASS_OPND_LABEL && i->opnd[k].target < f->insn_count)
                at[i->opnd[k].target] = 1;
        if (to && to->target < f->insn_count) at[to->target] = 1;
        for (uint32_t k = 0; k < i->target_count; k++) at[i->targets[k]] = 1;
        if (is_call(i)) at[n + 1] = 1;
    }
    for (uint32_t k = 0; at && k < t->m->label_count; k++)
        if (is_entry(t, &t->m->labels[k])) at[t->m->labels[k].at] = 1;
    return at;
}

/* Returns whether PTX accepts the name (PTX ISA 4.4). Other names of sections must not get into the
 * text. */
static bool is_identifier(const char *name) {
    const char *first = name + (*name == '_' || *name == '$');
    if (!*first || (first == name && !isalpha((unsigned char)*name))) return false;
    for (const char *c = first; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '$') return false;
    return true;
}

bool sim_translate(const sass_module *m, const sass_func *f, const sim_translate_about *about,
                   sim_translation *out, lib_message *msg) {
    if (!is_identifier(f->name) || !m->arch) {
        *out = (sim_translation){0};
        lib_message_set(msg, m->arch ? w_translate_name_is_none() : w_translate_no_target());
        return false;
    }
    translator t = {.m = m, .f = f, .about = about, .msg = msg};
    uint8_t *labels = find_labels(&t);
    *out = (sim_translation){0};
    t.at = f->insn_count;
    if (labels) begin(&t);
    for (t.at = 0; labels && t.at < f->insn_count && !t.failed; t.at++)
        instruction(&t, labels[t.at]);
    tr_line(&t, "exit;");
    tr_line(&t, "}");
    free(labels);
    if (!t.failed && (!labels || t.out.failed))
        lib_message_set(msg, w_base_out_of_memory()), t.failed = true;
    out->len = t.out.n;
    out->text = lib_buffer_take(&t.out);
    out->insn_of = t.insn_of;
    out->line_count = t.lines;
    out->param_skip = t.skip;
    out->param_bytes = ((about->param_bytes + 7) & ~7u) + t.skip;
    if (!t.failed) return true;
    sim_translation_free(out);
    return false;
}

void sim_translation_free(sim_translation *t) {
    free(t->text);
    free(t->insn_of);
    *t = (sim_translation){0};
}
