#!/bin/bash
# slow: make test FAST=1 leaves it out
# A kernel that gives an ordinary user no user namespaces: doctor says what that means, what others
# wrote is not graded, one's own code runs. The limit is set to none in a namespace of the test's
# own; the machine's stays as it is.
# timeout: 200
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
[ "$(id -u)" = 0 ] || { skip "user namespaces turned off (becomes another user: needs root)"; finish; }
for p in setpriv unshare python3; do command -v $p >/dev/null || { skip "user namespaces turned off (there is no $p)"; finish; }; done

limit_before=$(cat /proc/sys/user/max_user_namespaces)
# What an ordinary user may read: programs and labs at a place of their own.
mkdir -p "$T/home" "$T/tmp"
LIMIT=120 run make -s B="$B" SANITIZE="${SANITIZE-}" install PREFIX="$T/usr"
status_is 0 "installed for everybody"
warplab=$T/usr/bin/warplab
. tests/nvcc.sh
chmod 711 "$T"
chmod -R a+rX "$T/usr"
chown -R 1000:1000 "$T/home" "$T/tmp"
# In a user namespace in which 0 to 65536 are themselves: user 1000 without a privilege. LIMIT: how
# many more namespaces it may make.
cat >"$T/enter.py" <<'EOP'
import ctypes, os, sys
limit, command = sys.argv[1], sys.argv[2:]
ready, go = os.pipe(), os.pipe()
pid = os.fork()
if pid == 0:
    if ctypes.CDLL(None, use_errno=True).unshare(0x10000000): os._exit(98)
    os.write(ready[1], b"x")
    os.read(go[0], 1)
    if limit != "any": open("/proc/sys/user/max_user_namespaces", "w").write(limit)
    os.setgroups([]), os.setgid(1000), os.setuid(1000)
    os.execvp("setpriv", ["setpriv", "--no-new-privs", "--inh-caps=-all", *command])
os.read(ready[0], 1)
for kind in "uid", "gid": open(f"/proc/{pid}/{kind}_map", "w").write("0 0 65537")
os.write(go[1], b"x")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
EOP
as_user() { # LIMIT COMMAND...: its output in $out, its status in $status
    local limit=$1
    shift
    run env -i PATH=/usr/bin:/bin HOME="$T/home" TMPDIR="$T/tmp" LANG=C.UTF-8 WARPLAB_NVCC="$nvcc" NO_COLOR=1 python3 "$T/enter.py" "$limit" "$@"
}
unshare --user true 2>/dev/null || { skip "user namespaces turned off (this machine has none to begin with)"; finish; }
as_user any unshare --user true
if [ "$status" != 0 ]; then skip "user namespaces turned off (an ordinary user has none here: $(cut_text))"; finish; fi
as_user 0 unshare --user true
[ "$status" != 0 ] && ok "with the limit at none there is none" || not_ok "with the limit at none there is none"
case $out in *"No space left"*) ok "by the kernel's own word" ;; *) not_ok "by the kernel's own word ($(cut_text))" ;; esac

as_user any "$warplab" doctor --no-probe
case $out in *"FAULT sandbox"*) skip "user namespaces turned off (there is no sandbox to begin with: $(grep -a sandbox <<<"$out" | head -n 1))"; finish ;; esac
as_user 0 "$warplab" doctor --no-probe
has "bubblewrap cannot make its namespaces here" "doctor says that there is no sandbox"
has "user.max_user_namespaces" "doctor says what to turn on"
has "\`grade\` takes only --no-sandbox" "doctor says what that means"
as_user 0 env LANG=zh_CN.UTF-8 "$warplab" doctor --no-probe --lang zh
has "无法建立命名空间" "doctor says so in Chinese"

answers=$T/usr/share/warplab/answers
[ -n "$nvcc" ] || { skip "grading without user namespaces (there is no nvcc)"; finish; }
as_user 0 "$warplab" grade hello "$answers/hello.cu" --device sim:h200
status_is 3 "what others wrote is not graded"
has "no-sandbox" "and it says by which option it would be"
mkdir -p "$T/home/in/ann"
cp "$answers/hello.cu" "$T/home/in/ann/"
chown -R 1000:1000 "$T/home/in"
as_user 0 "$warplab" grade --batch "$T/home/in" --out "$T/home/out" --device sim:h200
[ "$status" != 0 ] && ok "nor a folder of it" || not_ok "nor a folder of it (exit status 0: $(cut_text))"
is "$(find "$T/home/out/records" -type f 2>/dev/null | wc -l)" 0 "no record says otherwise"
cp tests/cuda/vector_add.cu tests/cuda/common.h "$T/home/"
as_user 0 "$warplab" profile "$T/home/vector_add.cu" --device sim:h200
status_is 0 "one's own program is profiled"
as_user 0 "$warplab" grade hello "$answers/hello.cu" --device sim:h200 --no-sandbox
status_is 0 "with --no-sandbox, the answer passes"
as_user 0 "$warplab" grade hello "$T/usr/share/warplab/labs/hello.cu" --device sim:h200 --no-sandbox
status_is 1 "with --no-sandbox, the skeleton fails"
is "$(cat /proc/sys/user/max_user_namespaces)" "$limit_before" "the machine's own limit is as it was"
finish
