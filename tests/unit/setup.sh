#!/bin/bash
# The set-up: does nothing where nothing is missing, names the packages where it may not install,
# brings nvcc into .toolchain (with pip played by a stand-in), and leaves nothing half-made when
# that fails.
. "$(dirname "$0")/../lib.sh"

# A copy of the project's set-up, and a PATH of our own in which programs can be missing.
mkdir -p "$T/p" "$T/bin"
cp -r "$root/setup" "$T/p/"
for p in sh bash env id dirname cat mkdir rm mv cp chmod ls sed grep gcc g++ make pkg-config bwrap prlimit true uname tail head find mktemp; do
    ln -sf "$(command -v $p)" "$T/bin/$p"
done
printf '#!/bin/sh\nexit 1\n' >"$T/bin/sudo"
chmod +x "$T/bin/sudo"
ln -sf sudo "$T/bin/nvdisasm" # it is there, nobody runs it
# pip, played: "install" makes an nvcc that answers, or fails when $T/pip-fails is there.
cat >"$T/bin/python3" <<EOF
#!/bin/sh
case "\$*" in
*install*)
    echo "\$*" >>"$T/pip-log"
    for a; do [ "\$last" = --target ] && to=\$a; last=\$a; done
    mkdir -p "\$to/nvidia/cu13/bin"
    [ -e "$T/pip-fails" ] && exit 1
    printf '#!/bin/sh\necho nvcc\n' >"\$to/nvidia/cu13/bin/nvcc"
    chmod +x "\$to/nvidia/cu13/bin/nvcc" ;;
esac
exit 0
EOF
chmod +x "$T/bin/python3"
# As someone who is not root; where we are not root already there is nothing to do.
user=
if [ "$(id -u)" = 0 ]; then
    chmod -R a+rwX "$T"
    user="setpriv --reuid 65534 --regid 65534 --clear-groups"
fi
setup() { run $user env -i PATH="$T/bin" HOME="$T" "$@" "$T/p/setup/install.sh"; }

setup WARPLAB_NVCC=/bin/true
status_is 0 "nothing missing: done"
is "$out" "" "nothing missing: nothing said"
[ ! -e "$T/p/.toolchain" ] && ok "nothing missing: nothing made" || not_ok "nothing missing: nothing made"

# A C library that nvcc does not run on: refused before anything is installed. The compiler is
# played: it knows no __GLIBC__.
printf '#!/bin/sh\ncat >/dev/null\necho __GLIBC__\n' >"$T/bin/musl-gcc"
chmod +x "$T/bin/musl-gcc"
setup WARPLAB_NVCC=/bin/true CC="musl-gcc -static"
status_is 1 "a C library that is not glibc: stops"
has "nvcc runs only on glibc" "not glibc: why"
[ ! -e "$T/p/.toolchain" ] && ok "not glibc: nothing made" || not_ok "not glibc: nothing made"

# A compiler has to be there: that is asked for, the libraries are not.
rm "$T/bin/bwrap" "$T/bin/make"
setup WARPLAB_NVCC=/bin/true
status_is 1 "a package missing, and no rights: stops"
has "there is no apt-get here: make bubblewrap" "no apt-get: the packages are named"
printf '#!/bin/sh\nexit 0\n' >"$T/bin/apt-get"
chmod +x "$T/bin/apt-get"
setup WARPLAB_NVCC=/bin/true
status_is 1 "a compiler's tools missing, and no rights: stops"
has "apt-get install make" "what to ask an administrator for"
has "(The rest is brought without one: bubblewrap)" "what needs no administrator"
setup WARPLAB_NVCC=/bin/true WARPLAB_LANG=zh
has "请管理员运行：  apt-get install make" "in Chinese, by WARPLAB_LANG"
has "（其余的不需要管理员，会自动取来： bubblewrap）" "what needs no administrator, in Chinese"
is "$(printf '%s\n' "$out" | grep -cvP '\p{Han}')" 0 "every line is Chinese"

# What plays a lab without a terminal looks for the sandbox whatever the language is. warplab is
# played: it fails once, then passes.
mkdir -p "$T/b"
cat >"$T/b/warplab" <<'SH'
#!/bin/sh
case $1:${WARPLAB_LANG:-$LANG} in
doctor:zh*) echo "正常  沙箱               bubblewrap" ;;
doctor:*) echo "ok    sandbox          bubblewrap" ;;
*) echo "$*" >>"${0%/*}/asked"; [ "$(wc -l <"${0%/*}/asked")" != 1 ] ;;
esac
SH
chmod +x "$T/b/warplab"
run env B="$T/b" LANG=zh_CN.UTF-8 "$root/setup/demo.sh"
status_is 0 "the lab that plays itself: fails, then passes"
has "骨架代码没有通过，参考答案通过了" "in Chinese, by locale"
is "$(grep -c no-sandbox "$T/b/asked")" 0 "in Chinese too, in the sandbox"
lacks "libjansson" "what is there is not asked for"
lacks "slurm" "Slurm is no part of it"
run $user env -i PATH="$T/bin" HOME="$T" "$T/p/setup/install.sh" --slurm
has "apt-get install slurmctld slurmd slurm-client munge" "--slurm asks for Slurm alone"
run $user env -i PATH="$T/bin" HOME="$T" "$T/p/setup/install.sh" --slum
status_is 2 "an option that is none"
ln -sf "$(command -v make)" "$T/bin/make"

# Without rights a package is fetched and unpacked: apt-get, played, has one with a bwrap in it.
if command -v dpkg-deb >/dev/null; then
    mkdir -p "$T/deb/DEBIAN" "$T/deb/usr/bin"
    printf 'Package: bubblewrap\nVersion: 1\nArchitecture: all\nMaintainer: nobody <n@example.org>\nDescription: played\n' >"$T/deb/DEBIAN/control"
    printf '#!/bin/sh\necho bubblewrap 1\n' >"$T/deb/usr/bin/bwrap"
    chmod 755 "$T/deb/usr/bin/bwrap"
    dpkg-deb -b "$T/deb" "$T/bubblewrap_1_all.deb" >/dev/null
    for p in dpkg-deb tar xz zstd gzip; do ln -sf "$(command -v $p || echo /bin/true)" "$T/bin/$p"; done
    cat >"$T/bin/apt-get" <<EOF
#!/bin/sh
[ -e "$T/apt-fails" ] && { echo "E: no network" >&2; exit 100; }
case " \$* " in
*" -s "*) echo "Inst bubblewrap (1 Debian [all])" ;;
*" download "*) cp "$T/bubblewrap_1_all.deb" . ;;
esac
EOF
    chmod -R a+rX "$T"
    touch "$T/apt-fails"
    setup WARPLAB_NVCC=/bin/true
    status_is 1 "no rights and no network: stops"
    has "could not fetch" "no rights and no network: says so"
    [ ! -e "$T/p/.toolchain/root" ] && ok "a failed fetch leaves nothing" || not_ok "a failed fetch leaves nothing"
    rm "$T/apt-fails"
    setup WARPLAB_NVCC=/bin/true
    status_is 0 "no rights: what is missing is unpacked"
    is "$("$T/p/.toolchain/bwrap" --version)" "bubblewrap 1" "a bwrap lies where warplab looks"
    setup WARPLAB_NVCC=/bin/true
    is "$status $out" "0 " "it is not unpacked twice"
    rm -rf "$T/p/.toolchain"
else skip "unpacking packages without root (there is no dpkg-deb)"; fi
rm -f "$T/bin/apt-get"
ln -sf "$(command -v bwrap || echo /bin/true)" "$T/bin/bwrap"

# The table: six columns everywhere, and every name one that a package may have.
is "$(grep -vE '^(#|\[|$)' "$root/setup/packages.txt" | grep -vcE '^[^|]+( \| ([a-z0-9][a-z0-9.+_-]*|-)){5} \| [^|]+$')" 0 "packages.txt: each line has its columns"

touch "$T/pip-fails"
setup WARPLAB_NO_SYSTEM_CUDA=1
status_is 1 "no nvcc and no wheels: stops"
has "could not bring nvcc by pip" "no nvcc and no wheels: says so, and what to do"
[ ! -e "$T/p/.toolchain/nvidia" ] && [ ! -e "$T/p/.toolchain/new" ] && ok "a failed download leaves nothing" || not_ok "a failed download leaves nothing"
rm "$T/pip-fails"
setup WARPLAB_NO_SYSTEM_CUDA=1
status_is 0 "no nvcc: it is brought"
[ -x "$T/p/.toolchain/nvidia/cu13/bin/nvcc" ] && ok "nvcc lies in .toolchain" || not_ok "nvcc lies in .toolchain"
grep -q -- '--require-hashes' "$T/pip-log" && ok "wheels are checked by hash" || not_ok "wheels are checked by hash"
n=$(wc -l <"$T/pip-log")
setup WARPLAB_NO_SYSTEM_CUDA=1
is "$(wc -l <"$T/pip-log")" "$n" "it is not brought twice"

# Each wheel is pinned to a version and a hash.
is "$(grep -v '^#' "$root/setup/toolchain.txt" | grep -vcE '^[a-z0-9-]+==[0-9.]+( --hash=sha256:[0-9a-f]{64}){2}$')" 0 "every wheel has a version and a hash for each processor"
# docs/install.md has the same table.
missing=$("$root/setup/packages-table.sh" | grep -vxFf "$root/docs/install.md")
is "$missing" "" "docs/install.md has the table of packages"
finish
