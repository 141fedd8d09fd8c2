# Warplab. `make lab` opens the lab, `make test` proves it; `make help` lists the rest.
#
#   make lab                         installs what is missing, builds, and opens the lab (without a terminal: plays one)
#   make test [FAST=1] [ONLY=unit]   the same set-up, then the tests: ONLY=unit, ptx, cuda, repl, grade, profile, fuzz or install takes one kind;
#                                    FULL=1 also plays chapters 2 to 4 through at the prompt, in both languages;
#                                    SANITIZE=address,undefined or SANITIZE=thread builds and runs them so
#   make build                       everything, into build/ (V=1 shows the commands)
#   make check                       format, warnings as errors, clang-tidy, cppcheck, luacheck, the layers
#   make format                      clang-format over every file
#   make compile-commands            compile_commands.json, for clangd and the like
#   make mutants [N=60]              changes one operator at N random places and says which changes the fast tests let live
#   make curriculum                  docs/curriculum.md, from the lessons and gradings of the model answers
#   make bench                       performance figures, never part of the tests
#   make install [PREFIX=/usr/local] [DESTDIR=]    programs, labs, manual pages, completion; make uninstall takes all of it away
#   make portable                    build/portable: a folder that runs on a machine with no packages but libc
#   make model [ONLY=lab] [FULL=1]   modelled time and counters beside measured ones, and the tables of docs/model-tables.md
#   make twins [N=200]               machine code against PTX, over all programs, answers and N generated kernels
#   make bench-gpu                   on a GPU: every lab's answer, and the open ones against the libraries; writes docs/results-h200.md
#   make setup                       only the set-up
#   make fetch                       brings into .fetch/ what make lab and make test need, so that both work later without a network
#   make tarball                     build/warplab-VERSION-linux-PROCESSOR.tar.xz: the portable folder, to be unpacked anywhere
#   make source-tarball              build/warplab-VERSION.tar.xz: the sources, with .fetch/ where there is one
#   make deb                         build/warplab_VERSION_PROCESSOR.deb

SANITIZE ?=
comma := ,
# The one place that says it: what `warplab --version` and reports tell, and what CHANGELOG.md's
# first section is about.
VERSION := $(strip $(file <VERSION))
# CROSS=aarch64-linux-gnu: with Debian's cross-compiler and what setup/cross.sh brought, into a
# folder of its own.
CROSS ?=
B := build$(if $(CROSS),-$(CROSS))$(if $(SANITIZE),-$(subst $(comma),-,$(SANITIZE)))
# A compiler cache where there is one; CC=clang and the like overrule it.
ifeq ($(origin CC),default)
CC := $(if $(shell command -v ccache 2>/dev/null),ccache )$(if $(CROSS),$(CROSS)-)gcc
endif
CSTD := -std=gnu17
# -MD names the system's headers, too: what ccache needs to do without the preprocessor
# (CCACHE_DEPEND, which .ci/run sets).
DEPENDS := $(if $(CCACHE_DEPEND),-MD,-MMD)
WARN := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes -Werror
# -g1 keeps functions and lines for stacks, and saves a fifth of the compiler's time on the
# handlers; OPT='-O2 -g' has variables too. COLD rooms, where nothing takes long, get -Og, in half
# the time. There GCC warns of overlaps and truncations that do not exist; `make check` compiles
# these files with -O2 for the warnings, unless OPT_COLD is empty, as .ci/run has it: then all rooms
# were built so.
ifeq ($(origin OPT)$(SANITIZE),undefined)
OPT_COLD ?= -Og -Wno-restrict -Wno-format-truncation
OPT_TEST := -O0
endif
OPT ?= -O2 -g1
# Under a sanitizer GCC inlines differently and finds truncations and clobbered variables that are
# none; the thread sanitizer does not model fences, and says so.
SAN := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -Wno-format-truncation -Wno-format-overflow -Wno-clobbered -Wno-nonnull$(if $(findstring thread,$(SANITIZE)), -Wno-tsan))
# -ffp-contract=off: the simulated device rounds where PTX rounds and nowhere else.
LUA := $(firstword $(foreach n,lua5.4 lua-5.4 lua54 lua,$(shell pkg-config --exists '$(n) >= 5.4 $(n) < 5.5' 2>/dev/null && echo $(n))))
LUA_CFLAGS := $(if $(CROSS),,$(if $(LUA),$(shell pkg-config --cflags $(LUA)),-I/usr/include/lua5.4))
LUA_LIBS := $(if $(LUA),$(shell pkg-config --libs $(LUA)),-llua5.4)
CFLAGS_ALL := $(CSTD) $(WARN) $(OPT) $(SAN) -ffp-contract=off -fno-strict-aliasing -pthread -D_GNU_SOURCE $(DEPENDS) -MP -I. -I$(B) $(LUA_CFLAGS) $(CFLAGS)
# What base and the device are linked with, and the rest. `make build` writes both lists into $(B),
# for tests that link a program of their own.
DEVICE_LIBS := -lelf -lunistring -lnettle -lzstd -llz4 -lstdc++
LIBS := $(LUA_LIBS) -lreadline -lsqlite3 -ljansson -larchive -lseccomp $(DEVICE_LIBS)
LIBC := -lm -ldl -lpthread
LDFLAGS_ALL := $(SAN) $(LDFLAGS)
# Everything static but libc and what is opened at run time. Debian has no static libacl; what
# libarchive needs of it is never linked, since submissions are only read.
# What follows the lists' own: what those need.
static = -Wl,-Bstatic $(1) -ltinfo -lxml2 -licuuc -licudata -lstdc++ -lz -lbz2 -llzma -lcrypto -Wl,-Bdynamic -static-libgcc
STATIC_LIBS := $(call static,$(patsubst -llua%,-llua5.4,$(LIBS)))
# Libraries that setup/unpack.sh brought for somebody who may not install any.
UNPACKED := $(patsubst %/usr/include,%,$(wildcard .toolchain/$(or $(CROSS),root)/usr/include))
ifneq ($(UNPACKED),)
TRIPLE := $(or $(CROSS),$(shell gcc -print-multiarch 2>/dev/null))
CFLAGS_ALL += $(addprefix -isystem $(UNPACKED)/usr/include,/lua5.4 /$(TRIPLE) /)
LINK_FOLDERS := -L$(UNPACKED)/usr/lib/$(TRIPLE) -L$(UNPACKED)/lib/$(TRIPLE)
LDFLAGS_ALL += $(LINK_FOLDERS)
LIBS := $(STATIC_LIBS)
DEVICE_LIBS := $(call static,$(DEVICE_LIBS))
endif

# The host's instruction sets that the simulated device is compiled for (runner/device/sim/isa.h).
# `make lab` builds only the one that its machine runs; sets that are in the build folder already
# stay.
X86 := $(filter x86_64,$(firstword $(subst -, ,$(or $(CROSS),$(shell uname -m)))))
ISAS_ALL := base $(if $(X86),avx2 avx512)
ISAS ?= $(ISAS_ALL)
ISAS_HERE := $(filter $(ISAS) $(file <$(B)/isas),$(ISAS_ALL))
ISAS_LEFT_OUT := $(filter-out $(ISAS_HERE),base avx2 avx512)

# Every .c of a folder and of the rooms inside it.
src = $(sort $(wildcard $(1)/*.c $(1)/*/*.c))
obj = $(foreach d,$(1),$(patsubst %.c,$(B)/obj/%.o,$(call src,$(d))))

# The catalogues of what is said to people (runner/base/words), English first: made into tables and
# into a header a room.
WORDS := runner/base/words/en.po $(filter-out %/en.po,$(wildcard runner/base/words/*.po))
WORDS_C := $(patsubst runner/base/words/%.po,$(B)/words/%.c,$(WORDS)) $(B)/words/rows.c
WORDS_MAKE := $(addprefix runner/base/,words/make/make.c words/po.c words/row.c words/check.c buffer.c)

# One library a floor; the order of linking is the order of dependence: runner -> grader -> device
# -> base.
ROOMS := cli book repl debugger listing practice term course pack prove lesson build sandbox grade profile
LAYERS := runner grader device base
BASE := $(call obj,runner/base) $(WORDS_C:$(B)/words/%.c=$(B)/obj/words/%.o)
DEVICE := $(filter-out $(foreach i,$(ISAS_LEFT_OUT),%_$(i).o),$(call obj,runner/device/sim runner/device/server))
GRADER := $(call obj,grader)
COLD := $(addprefix runner/,$(ROOMS)) $(addprefix grader/,intake course report)
RUNNER_LIB := $(call obj,$(addprefix runner/,$(ROOMS)))
CUDART := $(patsubst %.c,$(B)/pic/%.o,$(call src,runner/device/cudart))
GPU := $(call obj,runner/device/gpu)
INIT := $(patsubst %.c,$(B)/pic/%.o,$(call src,runner/init))
LAYER_LIBS := $(LAYERS:%=$(B)/lib%.a)

Q := $(if $(V),,@)
say = @printf '  %-5s %s\n' $(1) $(2)
# As many jobs as cores, unless make was told; one more where a job waits for the network.
CORES := $(shell nproc 2>/dev/null || echo 2)
J := $(if $(filter -j%,$(MAKEFLAGS)),,-j$(CORES))
J_AND_ONE := $(if $(J),-j$(shell expr $(CORES) + 1))

.PHONY: all build lab setup packages toolkit test check bench model clean help format curriculum
all: build
help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

# The longest compilations first: no core waits for one of them at the end.
build: $(filter $(B)/obj/runner/device/sim/exec/exec_% $(B)/obj/runner/device/sim/access/access_%,$(DEVICE))
build: $(B)/warplab $(B)/warplab-gpu $(B)/warplab-init $(B)/libcudart.so.13 $(B)/libcuda.so.1
	@echo '$(LINK_FOLDERS) $(LIBS) $(LIBC)' >$(B)/libs; echo '$(LINK_FOLDERS) $(DEVICE_LIBS) $(LIBC)' >$(B)/device-libs

$(B)/libbase.a: $(BASE)
$(B)/libdevice.a: $(DEVICE)
$(B)/libgrader.a: $(GRADER)
$(B)/librunner.a: $(RUNNER_LIB)
$(B)/lib%.a:
	@mkdir -p $(@D); rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

$(B)/warplab: $(B)/obj/runner/main.o $(LAYER_LIBS)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LIBS) $(LIBC)

# The process that holds a GPU: nothing but libc, and the driver at run time.
$(B)/warplab-gpu: $(GPU)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ -ldl

# The process above a program in the sandbox: nothing but libc, no sanitizer.
$(B)/warplab-init: $(INIT)
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $^
	@chmod a+rx $@ # the sandbox's user runs it

PREFIX ?= /usr/local
.PHONY: install uninstall
install: build
	@B=$(B) PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' setup/put.sh install
uninstall:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' setup/put.sh uninstall

# For machines with no packages and no root: needs nothing but libc, and brings a bubblewrap.
PORTABLE := $(B)/portable
.PHONY: portable
portable:
	@setup/install.sh --static
	@$(MAKE) --no-print-directory $(J) build $(PORTABLE)/warplab
	@rm -rf $(PORTABLE)/labs $(PORTABLE)/kernels $(PORTABLE)/answers && mkdir -p $(PORTABLE)/runner/device/cudart $(PORTABLE)/setup
	@cp -r $(B)/warplab-gpu $(B)/warplab-init $(B)/libcudart.so.13 $(B)/libcuda.so.1 labs kernels answers $(PORTABLE)/
	@cp runner/device/cudart/*.h runner/device/cudart/*.def runner/device/cudart/glue.c $(PORTABLE)/runner/device/cudart/ # a lab's main() is compiled against them
	@setup/bwrap.sh $(PORTABLE)/bwrap || echo 'warplab: the folder has no bubblewrap; where there is none it grades only with --no-sandbox' >&2
	@cp -r setup/nvcc.sh setup/toolchain.txt VERSION LICENSE $(PORTABLE)/setup/
	@setup/notices.sh $(PORTABLE)/LIBRARIES $(filter -l%,$(STATIC_LIBS))
	@tests/portable.sh $(PORTABLE)
$(PORTABLE)/warplab: $(B)/obj/runner/main.o $(LAYER_LIBS)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(STATIC_LIBS) $(LIBC)

.PHONY: fetch tarball source-tarball deb
fetch:
	@setup/fetch.sh
tarball: portable
	@setup/pack.sh tarball $(PORTABLE) $(B)
source-tarball:
	@mkdir -p $(B)
	@setup/pack.sh source . $(B)
deb: build
	@B=$(B) setup/pack.sh deb . $(B)

# What a student's program loads: nothing but libc, no sanitizer (the program is not ours to
# instrument).
$(B)/pic/%.o: %.c | $(B)/words/made
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CSTD) $(WARN) -O2 -g1 -fno-optimize-sibling-calls -fPIC -fvisibility=hidden -pthread -D_GNU_SOURCE $(DEPENDS) -MP -I. -I$(B) -c $< -o $@
$(B)/libcudart.so.13: $(CUDART) runner/device/cudart/libcudart.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=runner/device/cudart/libcudart.map -o $@ $(CUDART) -lpthread
# Nothing but the name: the driver API is in libcudart.so.13 (runner/device/cudart/driver/driver.h).
$(B)/libcuda.so.1: $(B)/libcudart.so.13
	$(call say,LD,$@)
	$(Q)$(CC) -shared -nostdlib -Wl,-z,noexecstack -Wl,-soname,libcuda.so.1 -Wl,--no-as-needed -Wl,-rpath,'$$ORIGIN' -o $@ $<
	@chmod a+rx $@ # the sandbox's user reads it

# What a header says may change; that it is there comes first.
$(B)/words-make: $(WORDS_MAKE) $(wildcard $(WORDS_MAKE:.c=.h))
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)gcc $(CSTD) -O1 -D_GNU_SOURCE -I. -o $@ $(WORDS_MAKE)
$(B)/words/made: $(B)/words-make $(WORDS)
	@mkdir -p $(@D)
	$(call say,WORDS,$(@D))
	$(Q)$(B)/words-make $(@D) $(WORDS) && touch $@
$(B)/words/%.h: $(B)/words/made ;
$(WORDS_C): $(B)/words/made ;
$(WORDS_C:$(B)/words/%.c=$(B)/obj/words/%.o): $(B)/obj/words/%.o: $(B)/words/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) -O0 -c $< -o $@

$(B)/obj/%.o: %.c | $(B)/words/made
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) $(if $(filter $(COLD),$(*D)),$(OPT_COLD)) $(CFLAGS_$(subst /,_,$*)) -c $< -o $@

CFLAGS_runner_base_paths := -DWARPLAB_VERSION='"$(VERSION)"'
$(B)/obj/runner/base/paths.o: VERSION

# The simulated device's handlers and memory paths, for each instruction set of the host
# (runner/device/sim/isa.h). No handler looks at errno or traps. Functions begin with a line of the
# host's, so that what is linked before them does not decide how fast they are.
BY_LINES := -falign-functions=64
HANDLER_CFLAGS := $(if $(SANITIZE),-O1,-O3) -fno-math-errno -fno-trapping-math $(BY_LINES)
ACCESS_CFLAGS := $(if $(SANITIZE),,-O3) $(BY_LINES)
CFLAGS_runner_device_sim_special_round := $(BY_LINES)
# The compiler would make vectors of the hash of registers, whose products take thrice the time.
CFLAGS_runner_device_sim_run_stuck := -fno-tree-vectorize -fno-tree-slp-vectorize
ifneq ($(X86),)
ISA_avx2 := -march=x86-64-v3
ISA_avx512 := -march=x86-64-v4 -mprefer-vector-width=512
endif
define isa_flags
CFLAGS_runner_device_sim_exec_exec_$(1) := $$(HANDLER_CFLAGS) $$(ISA_$(1))
CFLAGS_runner_device_sim_special_texture_$(1) := $$(HANDLER_CFLAGS) $$(ISA_$(1))
CFLAGS_runner_device_sim_matrix_tensor_$(1) := $$(ACCESS_CFLAGS) $$(ISA_$(1))
CFLAGS_runner_device_sim_access_access_$(1) := $$(ACCESS_CFLAGS) $$(ISA_$(1))
endef
$(foreach isa,base avx2 avx512,$(eval $(call isa_flags,$(isa))))
# The files that choose among the sets are compiled anew when the build gets another one.
CHOOSERS := isa exec/exec access/access_site special/texture matrix/tensor
$(foreach c,$(CHOOSERS),$(eval CFLAGS_runner_device_sim_$(subst /,_,$(c)) := $(ISAS_LEFT_OUT:%=-DSIM_WITHOUT_%)))
$(CHOOSERS:%=$(B)/obj/runner/device/sim/%.o): $(B)/isas
ifneq ($(file <$(B)/isas),$(ISAS_HERE))
.PHONY: $(B)/isas
endif
$(B)/isas:
	@mkdir -p $(@D); echo $(ISAS_HERE) >$@

# It carries these inside (.incbin).
$(B)/obj/runner/device/sim/native/native.o: $(wildcard runner/device/sim/lane/*) runner/device/sim/native/native_lanes.inc

# Unit tests: one program a file, linked with every layer. Their messages may be cut short.
UNIT := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/*.c))
.PRECIOUS: $(B)/tests/obj/%.o
$(B)/tests/obj/%.o: tests/unit/%.c | $(B)/words/made
	@mkdir -p $(@D); rm -f $(B)/tests/$* # an old one must not stand in for one that no longer compiles
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) $(OPT_TEST) -Wno-format-truncation -Itests -c $< -o $@
# gold links a test in a third of ld's time, and there are 170.
GOLD := $(if $(CROSS)$(SANITIZE),,$(if $(shell command -v ld.gold 2>/dev/null),-fuse-ld=gold))
$(B)/tests/%: $(B)/tests/obj/%.o $(LAYER_LIBS) | $(B)/warplab-init
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) $(GOLD) -o $@ $< $(LAYER_LIBS) $(LIBS) $(LIBC)
# A driver for machines without a GPU, which the GPU helper opens in tests.
$(B)/tests/libcuda_stub.so: tests/unit/stub/libcuda_stub.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CSTD) -O1 -w -fPIC -shared -D_GNU_SOURCE -o $@ $<
$(B)/tests/test_gpu: $(B)/tests/libcuda_stub.so $(B)/warplab-gpu
# The device alone, with programs of several units and threads behind its socket (tests/cuda).
$(B)/cuda-host: tests/cuda/host.c $(B)/libdevice.a $(B)/libbase.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(B)/libdevice.a $(B)/libbase.a $(DEVICE_LIBS) $(LIBC)
.PHONY: unit
unit: $(UNIT) $(B)/cuda-host

setup:
	@setup/install.sh

# The toolkit is brought while the rest is compiled: that needs only the packages.
packages:
	@setup/install.sh --packages
toolkit:
	@setup/install.sh

lab: packages
	@$(MAKE) --no-print-directory $(J_AND_ONE) ISAS="$$(setup/isa.sh)" toolkit build
	@if [ -t 0 ]; then exec $(B)/warplab; else B=$(B) setup/demo.sh; fi

test: packages
	@$(MAKE) --no-print-directory $(J_AND_ONE) toolkit build
	-@$(MAKE) --no-print-directory $(J) -k unit # one that does not compile is one failure
	@B=$(B) FAST=$(FAST) FULL=$(FULL) ONLY=$(ONLY) SANITIZE=$(SANITIZE) tests/run

check:
	@setup/install.sh --check
	@$(MAKE) --no-print-directory $(J) build unit
	@$(if $(OPT_COLD),$(MAKE) --no-print-directory $(J) B=$(B)/warnings OPT_COLD= $(B)/warnings/librunner.a $(B)/warnings/libgrader.a)
	@B=$(B) tests/lint/check.sh

bench: setup
	@$(MAKE) --no-print-directory $(J) build
	@B=$(B) tests/bench/run

model: setup
	@$(MAKE) --no-print-directory $(J) build
	@B=$(B) ONLY=$(ONLY) FULL=$(FULL) tests/truth/run

# Machine code against PTX, over all programs, answers and N generated kernels (N=200).
.PHONY: twins
twins: setup
	@$(MAKE) --no-print-directory $(J) build $(B)/tests/test_twins
	@B=$(B) tests/twins.py --generated $(or $(N),200)

# On a machine with a GPU; writes docs/results-h200.md.
.PHONY: bench-gpu
bench-gpu: setup
	@$(MAKE) --no-print-directory $(J) build
	@tests/bench/gpu/run.py --warplab $(B)/warplab

# docs/curriculum.md: grades every model answer on three devices. A test holds all but those figures
# to the lessons.
curriculum: build
	@$(B)/warplab curriculum >docs/curriculum.md.new && mv docs/curriculum.md.new docs/curriculum.md || { rm -f docs/curriculum.md.new; exit 1; }

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

# One row a source file, with the flags that it is compiled with.
define nl


endef
row = {"directory": "$(CURDIR)", "file": "$(1)", "arguments": [$(foreach f,$(2),"$(subst ",\",$(subst ',,$(f)))",)"-c", "$(1)"]},
.PHONY: compile-commands mutants
compile-commands:
	$(file >compile_commands.json,[$(foreach f,runner/main.c $(call src,runner/base) $(call src,runner/device/sim) $(call src,runner/device/server) $(call src,grader) $(foreach r,$(ROOMS),$(call src,runner/$(r))) $(call src,runner/device/gpu) $(wildcard tests/unit/*.c),$(nl)$(call row,$(f),gcc $(filter-out -MD -MMD -MP,$(CFLAGS_ALL)) -Itests $(CFLAGS_$(subst /,_,$(f:.c=)))))$(nl)$(foreach f,$(call src,runner/device/cudart),$(call row,$(f),gcc $(CSTD) $(WARN) -fPIC -pthread -D_GNU_SOURCE -I. -I$(B))$(nl)){"directory": "$(CURDIR)", "file": "runner/device/sim/sim.h", "arguments": ["gcc", "$(CSTD)", "-I.", "-I$(B)", "runner/device/sim/sim.h"]}])
	@python3 -m json.tool compile_commands.json >/dev/null && echo "compile_commands.json: $$(grep -c directory compile_commands.json) files"

mutants: setup
	@B=$(B) tests/mutants/run $(N)

clean:
	rm -rf build build-*

-include $(shell find $(B) -path $(B)/mutants -prune -o -name '*.d' -print 2>/dev/null)
