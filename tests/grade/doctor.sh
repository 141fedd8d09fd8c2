#!/bin/bash
# slow
# `doctor` on machines that lack something: what does not work, what to do about it, and what works
# all the same. Each machine is made by a wrapper: a user namespace that allows no other, an empty
# cgroup folder, a driver without what later ones have.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
doctor() { run "$@" "$W" doctor --no-probe; }
# row STATE NAME TEXT WHAT: a line of the table, and exactly in that state
row() {
    if printf '%s\n' "$out" | grep -E "^$1 +$2 " | grep -qF -- "$3"; then ok "$4"; else not_ok "$4 (no \"$1 $2 ... $3\" in: $(printf '%s\n' "$out" | grep -F " $2 "))"; fi
}

# ---- everything ----
run "$W" doctor --json
is "$(json "$T/out" 'sorted({r["state"] for r in j} - {"ok", "note", "fail"}), len(j) > 20')" "([], True)" "--json: every row has a state"
is "$(json "$T/out" '[r["name"] for r in j if r["state"] == "fail" and "NOT in force" in r["text"]]')" "[]" "every limit of the sandbox holds"
limits=$(grep -c '^LIMIT(' runner/sandbox/limits.def)
is "$(json "$T/out" 'len([r for r in j if "a submission cannot" in r["text"]])')" "$limits" "each limit has been broken on purpose"

# ---- in Chinese ----
run "$W" doctor --lang zh
is "$(grep -cvE '^(正常|注意|故障)  [^ ]|^$|^[0-9]+ 处故障，|^一切正常。' "$T/out")" 0 "every line in Chinese is a row or the end"
is "$(sed '/^$/,$d' "$T/out" | cut -d' ' -f3- | grep -vP '\p{Han}|^(nvcc|ptxas|nvdisasm|gpu:|cgroup)' | head -3)" "" "every row's name or text is Chinese"
is "$(grep -oE '（[^）]*[a-z]{2,} [a-z]{2,}[^）]*）' "$T/out" | grep -v 'WARPLAB\|systemd scope' | head -3)" "" "no bracket holds English words"
is "$(grep -oE '提交的程序(不能|可以)' "$T/out" | grep -c .)" "$limits" "each limit is told in Chinese"
named() { grep -xF -A1 "msgid \"cli.doctor-name.${1// /-}\"" runner/base/words/en.po | grep -qxF "msgstr \"$1\""; }
is "$(sed -nE 's/^LIMIT\(\w+, "([^"]*)".*/\1/p' runner/sandbox/limits.def | while read -r name; do named "$name" || echo "$name"; done)" "" "each limit's name is a row of the catalogue"
is "$(sed -nE '/^(正常|注意|故障)  /p' "$T/out" | LC_ALL=C.UTF-8 python3 -c 'import sys, unicodedata as u
print(sorted({sum(1 + (u.east_asian_width(c) in "WF") for c in l[:i]) for l in sys.stdin for i in [len(l[:4]) + next((k for k in range(2, 30) if l[4 + k - 1 : 4 + k] == " " and l[4 + k] != " "), 0)]}))')" "[23]" "the texts begin in one column"
run "$W" doctor --lang fr
status_is 2 "--lang fr"
doctor env WARPLAB_NO_SANDBOX=1 LANG=zh_CN.UTF-8
has "没有安装 bubblewrap；请安装" "by locale: what to install"

# ---- no bubblewrap ----
doctor env WARPLAB_NO_SANDBOX=1
status_is 1 "no bubblewrap: a fault"
row FAIL sandbox "apt-get install bubblewrap" "no bubblewrap: what to install"
row FAIL sandbox "--no-sandbox" "no bubblewrap: what grade does then"
run env WARPLAB_NO_SANDBOX=1 "$W" grade vector-add answers/vector-add.cu --device sim:h200
status_is 3 "no bubblewrap: untrusted work is refused"

# ---- the limit of processes ----
limited() { run prlimit --nproc="$1" "$W" doctor --no-probe; }
limited 3
row note processes "too few to grade; raise the limit" "doctor looks at the limit of processes"
limited 20000
row ok processes "this account may have 20000 at once (ulimit -u), has " "and says how many there are"

# ---- what could not be graded ----
doctor env XDG_STATE_HOME="$T/fresh"
lacks "could not grade" "nothing has failed yet: nothing is said"
run env XDG_STATE_HOME="$T/fresh" WARPLAB_NO_SANDBOX=1 "$W" grade vector-add answers/vector-add.cu --device sim:h200
status_is 3 "a grading that cannot be done"
doctor env XDG_STATE_HOME="$T/fresh"
row note "could not grade" "vector-add sim:h200: there is no sandbox" "its reason is in the log that doctor shows"
row note failures "1 in $T/fresh/warplab/failures.log" "and where the log is"

# ---- no user namespaces: in one that allows no further ones ----
none() { unshare --user --map-root-user sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh "$@"; }
if none true 2>/dev/null; then
    export -f none
    doctor bash -c 'none "$@"' bash
    status_is 1 "no user namespaces: a fault"
    row FAIL sandbox "kernel.unprivileged_userns_clone=1" "no user namespaces: what to set"
    row FAIL sandbox "in a container" "no user namespaces: what to do in a container"
    run bash -c 'none "$@"' bash "$W" grade vector-add answers/vector-add.cu --device sim:h200
    status_is 3 "no user namespaces: untrusted work is refused"
    has "no sandbox" "no user namespaces: and why"
else
    skip "a machine without user namespaces (this one has none to take them away in)"
fi

# ---- no cgroups ----
doctor env WARPLAB_NO_CGROUP=1
row note cgroup "up to 100 times a second" "no cgroup: how memory is limited then"
row note cgroup "Delegate=yes" "no cgroup: what to do"
row "ok" sandbox "bubblewrap" "no cgroup: the sandbox works all the same"
if [ "$(id -u)" = 0 ] && unshare -m mount -t tmpfs none /sys/fs/cgroup 2>/dev/null; then
    doctor unshare -m sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"' sh
    row note cgroup "up to 100 times a second" "an empty /sys/fs/cgroup: the same"
else
    skip "a machine with an empty /sys/fs/cgroup (needs root and mounts)"
fi
run env WARPLAB_NO_CGROUP=1 "$W" doctor
lacks "NOT in force" "no cgroup: every limit holds"
row ok "shared memory" "the memory limit" "no cgroup: that of memory, whatever pages are taken"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    user="$T/user"
    mkdir -p "$user" && chown 65533 "$user" && chmod 711 "$T"
    run setpriv --reuid 65533 --regid 65533 --clear-groups env HOME="$user" XDG_CACHE_HOME="$user" XDG_DATA_HOME="$user" XDG_STATE_HOME="$user" TMPDIR="$user" "$W" doctor
    row note cgroup "up to 100 times a second" "an ordinary user: how memory is limited"
    row ok "shared memory" "the memory limit" "an ordinary user: memory is limited all the same"
    row ok "process 1" "shows nothing" "an ordinary user: process 1 is closed"
    lacks "NOT in force" "an ordinary user: every limit holds"
    chmod 700 "$T"
else
    skip "doctor as an ordinary user (needs root to become one)"
fi
if [ -z "${FAST-}" ]; then
    run env WARPLAB_NO_CGROUP=1 "$W" grade vector-add tests/grade/cheats/17-memory.cu --device sim:h200 --time-limit 10 --json "$T/memory.json"
    status_is 1 "no cgroup: a submission that takes all memory still fails"
else
    skip "no cgroup: a submission that takes all memory (FAST)"
fi

# ---- no nvcc ----
doctor env WARPLAB_NVCC=/no/such/nvcc
status_is 1 "no nvcc: a fault"
row FAIL nvcc "make -C $root setup" "no nvcc: what brings one"
row FAIL nvcc "WARPLAB_NVCC" "no nvcc: or how to name one"
run env WARPLAB_NVCC=/no/such/nvcc "$W" grade vector-add answers/vector-add.cu --device sim:h200
status_is 3 "no nvcc: could not grade, which is no zero"

# ---- a driver that is too old, or answers nonsense ----
cat >"$T/old.c" <<'C'
int cuInit(unsigned flags) { return flags ? 1 : 0; }
int cuDriverGetVersion(int *v) { return *v = 9020, 0; }
C
cat >"$T/broken.c" <<'C'
#include <stdlib.h>
int cuInit(unsigned flags) { (void)flags; abort(); }
C
for f in old broken; do gcc -shared -fPIC -o "$T/$f.so" "$T/$f.c" || not_ok "a driver of our own compiles"; done
doctor env WARPLAB_LIBCUDA="$T/old.so"
status_is 0 "an old driver: the simulated device needs none"
row note gpu:0 "too old" "an old driver: said so"
row note gpu:0 "or later" "an old driver: which one is needed"
doctor env WARPLAB_LIBCUDA="$T/broken.so"
status_is 0 "a driver that is no driver: doctor goes on"
row note gpu:0 "" "a driver that is no driver: no GPU to use"
doctor env WARPLAB_LIBCUDA=/no/such/libcuda.so
row note gpu:0 "/no/such/libcuda.so" "no driver library: named"

# ---- a folder that cannot be written, no programs at all ----
printf x >"$T/file"
doctor env XDG_CACHE_HOME="$T/file"
status_is 1 "a cache that cannot be made: a fault"
row FAIL cache "$T/file" "a cache that cannot be made: named"
finish
