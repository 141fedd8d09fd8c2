# shellcheck shell=bash
# For the tests that start from an empty root: made by mmdebstrap, entered by unshare and pivot_root
# (in a chroot the kernel refuses user namespaces, which the sandbox is made of). Read by a shell,
# after lib.sh.
#
#   roots_ready                     what it takes is here, and FULL=1: else a line "skip" and false
#   roots_make NAME PACKAGE...      an empty root with these packages, in $R; kept as a tar in $B/roots for the next time
#   roots_project USER              the project's files that git knows, at the same place in $R, owned by USER
#   roots_run USER NET COMMAND      in $R as USER; NET: "on", or "off" (a network namespace with nothing in it); PLAIN=1: by a plain chroot all the same
R=$T/root
# What this machine compiled before is read there too, where it has a ccache: same folder, same
# compiler, same text.
CCACHE_OF_TESTER=${CCACHE_OF_TESTER-$(getent passwd "$(id -u)" | cut -d: -f6)/.cache/ccache}
roots_ready() {
    if [ -z "${FULL-}" ]; then skip "$1 (starts from an empty root: FULL=1)"; return 1; fi
    if [ "$(id -u)" != 0 ]; then skip "$1 (makes a root with mmdebstrap: needs root)"; return 1; fi
    for p in mmdebstrap pivot_root setpriv unshare; do
        command -v $p >/dev/null || { skip "$1 (there is no $p)"; return 1; }
    done
}
roots_make() {
    local kept f
    kept=$B/roots/$1-$(dpkg --print-architecture).tar
    shift
    mkdir -p "$B/roots" "$R"
    if [ ! -s "$kept" ]; then
        mmdebstrap --quiet --format=tar --variant=apt --include="$(echo mount "$@" | tr ' ' ,)" bookworm "$kept.new" >"$T/mmdebstrap.log" 2>&1 && mv "$kept.new" "$kept" || {
            not_ok "an empty root ($(tail -n 2 "$T/mmdebstrap.log" | tr '\n' ' '))"
            return 1
        }
    fi
    tar -C "$R" -xf "$kept" --exclude='./dev/*'
    cp /etc/resolv.conf "$R/etc/resolv.conf" 2>/dev/null
    # A machine behind a proxy of its own reaches the network as this one does.
    cp -r /etc/apt/apt.conf.d/. "$R/etc/apt/apt.conf.d/" 2>/dev/null
    [ ! -d /usr/local/share/ca-certificates ] || cp -r /etc/ssl/certs "$R/etc/ssl/" 2>/dev/null
    for f in /etc/pip.conf "${HOME_OF_TESTER:-/root}/.config/pip/pip.conf"; do [ ! -f "$f" ] || cp "$f" "$R/etc/pip.conf"; done
    # The certificate that pip is told of: kept aside, for installing ca-certificates writes the
    # folder anew.
    f=$(sed -n 's/^cert *= *//p' "$R/etc/pip.conf" 2>/dev/null)
    [ ! -f "$f" ] || { cp -L "$f" "$R/etc/pip-cert.pem" && sed -i 's|^cert *=.*|cert = /etc/pip-cert.pem|' "$R/etc/pip.conf"; }
    echo 'ada:x:1000:1000::/home/ada:/bin/bash' >>"$R/etc/passwd"
    echo 'ada:x:1000:' >>"$R/etc/group"
    mkdir -p "$R/home/ada" "$R/ccache" "$R/old"
    chown 1000:1000 "$R/home/ada"
}
roots_project() {
    mkdir -p "$R$root"
    (cd "$root" && git ls-files -z | tar --null -T - -cf -) | tar -C "$R$root" -xf -
    [ "$1" = root ] || chown -R 1000:1000 "$R$root"
}
roots_run() {
    local user=$1 net=$2 id=0 name=root
    shift 2
    [ "$user" = root ] || id=1000 name=ada
    cat >"$R/enter" <<EOP
set -e
mount --bind "$R" "$R"
cd "$R"
mkdir -p dev/shm dev/pts
mount -t tmpfs dev dev -o mode=755
mkdir dev/shm dev/pts
for d in null zero full random urandom tty; do touch dev/\$d; mount --bind /dev/\$d dev/\$d; done
ln -s /proc/self/fd dev/fd
mount -t devpts devpts dev/pts -o newinstance,ptmxmode=0666
ln -s pts/ptmx dev/ptmx
mount -t tmpfs shm dev/shm -o mode=1777
mount --bind /proc proc
mount -t sysfs sys sys 2>/dev/null || mount --rbind /sys sys
[ ! -d "${CCACHE_OF_TESTER-}" ] || mount --bind "${CCACHE_OF_TESTER-}" ccache
[ -z "${PLAIN-}" ] || exec chroot . bash /inside "\$1"
pivot_root . old
umount -l /old
exec bash /inside "\$1"
EOP
    cat >"$R/inside" <<EOP
cd "$root" 2>/dev/null || cd /
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=\$([ $id = 0 ] && echo /root || echo /home/ada) LANG=C.UTF-8 TERM=dumb CCACHE_DIR=/ccache CCACHE_READONLY=1 CCACHE_TEMPDIR=/tmp \
    http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" no_proxy="${no_proxy-}" \
    $([ "$id" = 0 ] || echo setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs) bash -c "\$1"
EOP
    unshare --mount --pid --fork --kill-child --propagation private $([ "$net" = off ] && echo --net) \
        bash -c 'mount -t proc proc /proc; exec bash "$1" "$2"' _ "$R/enter" "$*" >"$T/out" 2>"$T/err" </dev/null
    status=$?
    out=$(cat "$T/out" "$T/err")
}
# The end of each: what a student wants.
roots_proof() { # USER NET NAME
    roots_run "$1" "$2" 'build/warplab grade hello labs/hello.cu --device sim:h200'
    status_is 1 "$3: the skeleton fails"
    roots_run "$1" "$2" 'build/warplab grade hello answers/hello.cu --device sim:h200'
    status_is 0 "$3: the answer passes, in the sandbox"
}
