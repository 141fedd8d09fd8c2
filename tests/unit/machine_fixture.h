/* The recorded machine code of tests/unit/sass/twins, as a module's cubin: headers alone, put
 * together here. */
#ifndef WARPLAB_MACHINE_FIXTURE_H
#define WARPLAB_MACHINE_FIXTURE_H

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CUBIN = 1 << 14 };

/* A section of code and, where there is some, of shared memory, for each kernel; the constants. */
static const struct {
    const char *name;
    unsigned shared;
} machine_kernels[] = {{"add", 0},    {"saxpy", 0},    {"transpose", 1088}, {"reduce", 128},
                       {"divmod", 0}, {"quotient", 0}, {"histogram", 256},  {"votes", 0},
                       {"filter", 0}, {"classify", 0}, {"contend", 16}};
enum { KERNELS = sizeof machine_kernels / sizeof *machine_kernels };

static inline size_t machine_cubin(uint8_t *to) {
    Elf64_Shdr s[2 * KERNELS + 5] = {{0}};
    char names[1024] = "";
    size_t count = 1, named = 1, len = sizeof(Elf64_Ehdr);
    static const float taps[8] = {0.5f, -1.25f, 3.0f, 1e-3f, 7.5f, -2.0f, 0.25f, 11.0f};
    memset(to, 0, CUBIN);
    for (unsigned k = 0; k < KERNELS; k++)
        for (unsigned shared = 0; shared < 2; shared++) {
            if (shared && !machine_kernels[k].shared) continue;
            s[count] = (Elf64_Shdr){.sh_name = (Elf64_Word)named,
                                    .sh_type = SHT_NOBITS,
                                    .sh_offset = len,
                                    .sh_size = shared ? 1024 + machine_kernels[k].shared : 16};
            named += (size_t)snprintf(names + named, sizeof names - named, "%s%s",
                                      shared ? ".nv.shared." : ".text.", machine_kernels[k].name) +
                     1;
            count++;
        }
    size_t constants = count;
    s[count++] = (Elf64_Shdr){.sh_name = (Elf64_Word)named,
                              .sh_type = SHT_PROGBITS,
                              .sh_offset = len,
                              .sh_size = sizeof taps};
    memcpy(to + len, taps, sizeof taps);
    len += sizeof taps;
    named += (size_t)snprintf(names + named, sizeof names - named, ".nv.constant3") + 1;
    const Elf64_Sym symbols[2] = {{0},
                                  {.st_name = (Elf64_Word)named,
                                   .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT),
                                   .st_shndx = (uint16_t)constants,
                                   .st_size = sizeof taps}};
    named += (size_t)snprintf(names + named, sizeof names - named, "taps") + 1;
    s[count++] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                              .sh_offset = len,
                              .sh_size = sizeof symbols,
                              .sh_entsize = sizeof *symbols,
                              .sh_link = (Elf64_Word)count};
    memcpy(to + len, symbols, sizeof symbols);
    len += sizeof symbols;
    s[count++] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = len, .sh_size = named};
    memcpy(to + len, names, named);
    len = (len + named + 7) / 8 * 8;
    Elf64_Ehdr head = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_version = EV_CURRENT,
        .e_machine = 190,
        .e_shentsize = sizeof *s,
        .e_shnum = (uint16_t)count,
        .e_shstrndx = (uint16_t)(count - 1),
        .e_shoff = len,
        .e_flags = 90};
    head.e_ident[EI_ABIVERSION] = 7;
    memcpy(to, &head, sizeof head);
    memcpy(to + len, s, count * sizeof *s);
    return len + count * sizeof *s;
}

#endif
