#!/bin/bash
# aarch64 with a kernel of its own: Debian's, in a machine of qemu's, with Debian's programs for
# aarch64, Warplab as `make install` puts it, and NVIDIA's compiler for aarch64. What qemu-user
# (aarch64.sh) cannot show: the sandbox (seccomp, cgroups, bubblewrap) holds for an account without
# root, nvcc compiles there, the skeleton fails and the answer passes with the record of x86-64; the
# unit tests pass that ask for a kernel, a compiler, or memory that qemu-user has not.
#
#   UNITS="test_race ..."       these unit tests in place of those; UNITS=none: none
#   SCRIPTS="grade/cli.sh ..."  these others of tests/ in place of those; SCRIPTS=none: none
#
# Needs FULL=1, Debian's g++-aarch64-linux-gnu, qemu-user-static, qemu-system-arm and cpio, and 8 GB
# of memory. Packages for aarch64 are downloaded once.
# timeout: 7200
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
[ -n "${FULL-}" ] || { skip "aarch64 with its own kernel (an hour of processor time: FULL=1)"; finish; }
for p in aarch64-linux-gnu-g++ qemu-aarch64-static qemu-system-aarch64 cpio dpkg-deb; do command -v $p >/dev/null || { skip "aarch64 with its own kernel (there is no $p)"; finish; }; done
[ "$(id -u)" = 0 ] || { skip "aarch64 with its own kernel (makes a root for it: needs root)"; finish; }
awk '/^MemAvailable/ && $2 < 8e6 { exit 1 }' /proc/meminfo || { skip "aarch64 with its own kernel (less than 8 GB of memory)"; finish; }
A=build-aarch64-linux-gnu kept=$B/roots/aarch64
units=${UNITS:-test_sandbox test_grade_batch test_batch_rules test_batch_run test_device_budget test_memory test_gpu test_device test_device_hostile test_device_stop test_device_timeline test_managed test_race test_texture_isa test_command test_native test_rewrite}
[ "$units" != none ] || units=
scripts=${SCRIPTS:-grade/certificate.sh} # profile/debug.sh takes longer than ten minutes there
[ "$scripts" != none ] || scripts=

FULL=1 PART=labs STEP=make LIMIT=1800 run tests/install/aarch64.sh
status_is 0 "it builds"
# shellcheck disable=SC2046 # words
LIMIT=1800 run make -s -j"$(nproc)" CROSS=aarch64-linux-gnu B=$A build $A/cuda-host $(for name in $units; do echo "$A/tests/$name"; done)
status_is 0 "and so do its unit tests"

# What Debian has for that processor.
programs="busybox-static coreutils bash dash util-linux mount findutils grep sed tar gzip diffutils procps libc-bin bubblewrap gcc g++ python3 sqlite3 zip"
if [ ! -s "$kept/vmlinuz" ] || [ "$(cat "$kept/programs" 2>/dev/null)" != "$programs" ]; then
    . setup/apt.sh
    apt=$T/apt
    rm -rf "$kept/debs"
    mkdir -p "$apt" "$kept/debs"
    : >"$apt/status"
    apt_sources deb "$apt/parts"
    for_() { apt_ "$apt" "$apt/parts" -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::status="$apt/status" "$@"; }
    newest() { for_ -s --no-install-recommends install linux-image-cloud-arm64 | sed -n 's/^Inst \(linux-image-[0-9][^ ]*\).*/\1/p'; }
    (
        set -e
        for_ update
        cd "$kept/debs"
        # Of what these ask for, not what only configures packages.
        # shellcheck disable=SC2046 # words
        for_ download "$(newest)" $(for_ -s --no-install-recommends install $programs |
            sed -n 's/^Inst \([^ ]*\).*/\1/p' | grep -vE '^(perl|libperl|libfile|libtext|libnumber|usrmerge|debconf|dpkg|libgdbm|libdb5)')
        dpkg-deb --fsys-tarfile linux-image-*.deb | tar -xOf - --wildcards './boot/vmlinuz-*' >../vmlinuz.new
        rm linux-image-*.deb
        mv ../vmlinuz.new ../vmlinuz
        echo "$programs" >../programs
    ) >"$T/log" 2>&1
    [ -s "$kept/programs" ] && ok "Debian's kernel and programs for aarch64" || { not_ok "Debian's kernel and programs for aarch64 ($(tail -n 2 "$T/log" | tr '\n' ' '))"; finish; }
fi

# The machine's root, as the archive that its kernel unpacks into memory.
R=$T/root here=/warplab
mkdir -p "$R/usr/bin" "$R/usr/sbin" "$R/usr/lib" "$R/proc" "$R/sys" "$R/dev" "$R/tmp" "$R/new" "$R/root" "$R/home/ada" "$R/usr/local/cuda" "$R$here/build/tests"
for d in bin sbin lib; do ln -s usr/$d "$R/$d"; done
for f in "$kept"/debs/*.deb; do
    dpkg-deb --fsys-tarfile "$f" | tar -C "$R" --keep-directory-symlink --exclude=./usr/share/man --exclude=./usr/share/locale --exclude=./usr/share/info --exclude='./usr/share/doc/*' -xf -
done
ln -sf busybox "$R/usr/bin/awk"
ln -sf gcc "$R/usr/bin/cc" # as Debian would when it configures them
chown 1000:1000 "$R/home/ada"
printf '%s\n' root:x:0:0::/root:/bin/bash ada:x:1000:1000::/home/ada:/bin/bash nobody:x:65534:65534::/:/bin/false >"$R/etc/passwd"
printf '%s\n' root:x:0: ada:x:1000: nogroup:x:65534: >"$R/etc/group"
RUN="qemu-aarch64-static -L /usr/aarch64-linux-gnu" DESTDIR=$R LIMIT=600 run make -s CROSS=aarch64-linux-gnu B=$A PREFIX=/usr install
status_is 0 "make install, of what was built for another processor"
cp -a .toolchain/nvidia-aarch64/nvidia/cu13/. "$R/usr/local/cuda/"
# The unit tests find the project around them.
git ls-files -z | tar --null -T - -cf - | tar -C "$R$here" -xf -
for f in warplab warplab-init warplab-gpu cuda-host libcudart.so.13 libcuda.so.1 $(for name in $units; do echo "tests/$name"; done); do aarch64-linux-gnu-strip -g -o "$R$here/build/$f" "$A/$f"; done
[ ! -e "$A/tests/libcuda_stub.so" ] || cp "$A/tests/libcuda_stub.so" "$R$here/build/tests/"
# bwrap exchanges roots, which the first one that a kernel has cannot be: a second name of it is.
cat >"$R/init" <<'EOG'
#!/bin/busybox sh
/bin/busybox mount --bind / /new
cd /new
/bin/busybox mount --move . /
exec /bin/busybox chroot . /bin/bash /inside >/dev/null 2>&1
EOG
chmod 755 "$R/init"
cat >"$R/inside" <<EOG
export PATH=/usr/local/cuda/bin:/usr/sbin:/usr/bin HOME=/root LANG=C.UTF-8 TERM=dumb
mount -t devtmpfs dev /dev
exec >/dev/ttyAMA0 2>&1
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t cgroup2 cgroup /sys/fs/cgroup
mkdir -p /dev/shm /dev/pts
mount -t tmpfs shm /dev/shm -o mode=1777
mount -t devpts pts /dev/pts
mount -t tmpfs tmp /tmp -o mode=1777
ln -s /proc/self/fd /dev/fd
units="$units"
scripts="$scripts"
EOG
cat >>"$R/inside" <<'EOG'
ada="setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs env HOME=/home/ada"
# told NAME COMMAND...: what it says, and its exit status, on the console
told() {
    local name=$1 status
    shift
    "$@" >/tmp/said 2>&1 </dev/null
    status=$?
    sed "s/^/[$name] /" /tmp/said
    echo "[$name] exit $status"
}
checks() { # NAME COMMAND...
    local name=$1 status late
    shift
    B=build LIMIT=1200 timeout 3000 "$@" >/tmp/said 2>&1 </dev/null
    status=$?
    # What asks for seconds, of the processor or on the clock, an emulated machine does not give.
    local seconds='cpu_now() - from < WHOLE\|took < BOUND'
    grep -a '^not ok' /tmp/said >/tmp/bad
    late=$(grep -c "$seconds" /tmp/bad)
    [ "$late" = 0 ] || [ "$status" != 1 ] || [ "$late" != "$(wc -l </tmp/bad)" ] || status=0
    grep -a '^skip ' /tmp/said | head -n 1 | sed "s/^/[$name] /"
    grep -v "$seconds" /tmp/bad | head -n 3 | cut -c1-300 | sed "s/^/[$name] /"
    echo "[$name] exit $status, $(grep -ac '^ok ' /tmp/said) checks$([ "$late" = 0 ] || echo ", $late more ask for seconds")"
}
told kernel uname -srm
told nvcc nvcc --version
cd /home/ada
told doctor $ada warplab doctor
told answer $ada warplab grade hello /usr/share/warplab/answers/hello.cu --device sim:h200 --seed 4 --time-limit 600 --quiet --json /tmp/record.json
told skeleton $ada warplab grade hello /usr/share/warplab/labs/hello.cu --device sim:h200 --seed 4 --time-limit 600 --quiet
told record cat /tmp/record.json
cd /warplab
case " $units " in *" test_sandbox "*) checks "test_sandbox by ada" $ada build/tests/test_sandbox ;; esac
for name in $units; do checks "$name" "build/tests/$name"; done
for name in $scripts; do checks "$name" "tests/$name"; done
echo "[end] exit 0"
/bin/busybox poweroff -f
EOG
(cd "$R" && find . -print0 | cpio --null -o -H newc --quiet >"$T/root.cpio") && rm -rf "$R"
begin=$(date +%s)
timeout 6000 qemu-system-aarch64 -M virt -cpu neoverse-n1 -smp 2 -m 6G -accel tcg,thread=multi -kernel "$kept/vmlinuz" -initrd "$T/root.cpio" -append "console=ttyAMA0 rdinit=/init quiet panic=-1" \
    -nographic -no-reboot -nic none </dev/null 2>&1 | sed -u "s/\\r//g" | grep -a --line-buffered '^\[[a-z]' >"$T/console"
echo "# the machine ran for $(($(date +%s) - begin)) s"
[ -z "${KEEP-}" ] || cp "$T/console" "$KEEP"
said() { awk -v name="[$1] " 'index($0, name) == 1 { print substr($0, length(name) + 1) }' "$T/console"; }
echo "# $(said kernel | head -n 1)"
out=$(said doctor)
lacks "NOT in force" "doctor, without root: every limit holds"
has "exit 0" "doctor has nothing to mend"
is "$(said skeleton | tail -n 1)" "exit 1" "the skeleton fails"
is "$(said answer | tail -n 1)" "exit 0" "the answer passes, compiled there, in the sandbox"
# Without root there is no cgroup, and a record says so.
WARPLAB_NO_CGROUP=1 "$W" grade hello answers/hello.cu --device sim:h200 --seed 4 --time-limit 600 --quiet --json "$T/here.json" >/dev/null 2>&1
said record | sed '$d' >"$T/there.json"
[ -s "$T/here.json" ] && cmp -s "$T/here.json" "$T/there.json" && ok "the record of x86-64, byte by byte" || not_ok "the record of x86-64 ($(diff "$T/here.json" "$T/there.json" | head -n 4 | cut -c1-160 | tr '\n' '|'))"
for name in $units $scripts; do
    for by in "" " by ada"; do
        [ -z "$by" ] || [ "$name" = test_sandbox ] || continue
        case $(said "$name$by" | tail -n 1) in
        "exit 0, 0 checks") [ -z "$(said "$name$by" | grep '^skip ')" ] || { skip "$name ($(said "$name$by" | sed -n 's/^skip //p'))"; continue; }
            not_ok "$name$by (it checked nothing)"
            ;;
        "exit 0, "*) ok "$name$by: $(said "$name$by" | sed -n 's/^exit 0, //p')" ;;
        *) not_ok "$name$by ($(said "$name$by" | tr '\n' '|' | cut -c1-300))" ;;
        esac
    done
done
finish
