#!/bin/sh
# What is missing, for somebody who may not install packages: Debian's own are fetched by apt-get
# and unpacked into .toolchain/root. The Makefile looks there, and links their libraries statically,
# so that what was built needs the folder no more.
#
#   setup/unpack.sh NVCC PACKAGE...     NVCC: not empty when an nvcc has to be brought, too
set -eu
umask 022
cd "$(dirname "$0")/.."
# EN ZH: in the language that the environment tells, as warplab itself goes by.
say() {
    case ${WARPLAB_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}} in zh*) shift ;; esac
    printf '%s\n' "$1" >&2
}
nvcc=$1
shift

# These do not work from another place than their own; what can be done without is left out.
packages='' ask=''
for package; do
    case $package in
    gcc | g++ | make | python3 | python3-venv | util-linux) ask="$ask $package" ;;
    pkg-config) ;;
    *) packages="$packages $package" ;;
    esac
done
if [ -n "$ask" ]; then
    say "warplab: these packages are missing, and this account may not install any:$ask" "warplab：缺少这些软件包，而这个账号无权安装：$ask"
    say "Ask an administrator for:  apt-get install$ask" "请管理员运行：  apt-get install$ask"
    [ -z "$packages" ] || say "(The rest is brought without one:$packages)" "（其余的不需要管理员，会自动取来：$packages）"
    exit 1
fi

if [ -n "$packages" ]; then
    # Libraries are linked statically, with all that they need themselves.
    case $packages in
    *-dev*) packages="$packages$(sed -n '/^\[static\]/,/^\[check\]/p' setup/packages.txt | sed -nE 's/^[^#[][^|]*\| ([^ ]+) .*/ \1/p' | while read -r name; do printf ' %s' "$name"; done)" ;;
    esac
    say "warplab: this account may not install packages; unpacking into .toolchain/root:$packages" "warplab：这个账号无权安装软件包；解包到 .toolchain/root：$packages"
    . setup/apt.sh
    work=$PWD/.toolchain/apt
    rm -rf "$work" .toolchain/root.new
    mkdir -p "$work/debs"
    # With what each needs that is not there either. The machine's own lists first; where it has
    # none, lists of our own.
    # shellcheck disable=SC2086 # words, on purpose
    if apt_fetched "$work"; then
        list=$(apt_ "$work" "$work/parts" -s --no-install-recommends install $packages 2>"$work/log" | sed -n 's/^Inst \([^ ]*\).*/\1/p')
        mkdir -p "$work/debs"
        [ -n "$list" ] && (cd "$work/debs" && apt_ "$work" "$work/parts" download $list >"$work/log" 2>&1) ||
            { say "warplab: .fetch/debs does not hold$packages: $(tail -n 1 "$work/log")" "warplab：.fetch/debs 里没有$packages：$(tail -n 1 "$work/log")"; exit 1; }
    else
        list=$(apt-get -s -q --no-install-recommends install $packages 2>/dev/null | sed -n 's/^Inst \([^ ]*\).*/\1/p')
        if [ -n "$list" ] && (cd "$work/debs" && apt-get -q download $list >"$work/log" 2>&1); then
            :
        else
            apt_sources deb "$work/parts"
            apt_ "$work" "$work/parts" update >"$work/log" 2>&1 || { say "warplab: apt-get could not fetch the lists of packages: $(tail -n 1 "$work/log")" "warplab：apt-get 没能取得软件包列表：$(tail -n 1 "$work/log")"; exit 1; }
            list=$(apt_ "$work" "$work/parts" -s --no-install-recommends install $packages 2>"$work/log" | sed -n 's/^Inst \([^ ]*\).*/\1/p')
            [ -n "$list" ] || { say "warplab: apt-get does not know of$packages: $(tail -n 1 "$work/log")" "warplab：apt-get 找不到$packages：$(tail -n 1 "$work/log")"; exit 1; }
            (cd "$work/debs" && apt_ "$work" "$work/parts" download $list >"$work/log" 2>&1) ||
                { say "warplab: apt-get could not fetch$packages: $(tail -n 1 "$work/log")" "warplab：apt-get 没能取得$packages：$(tail -n 1 "$work/log")"; exit 1; }
        fi
    fi
    for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" .toolchain/root.new; done
    # What an earlier run brought stays.
    mkdir -p .toolchain/root
    cp -a .toolchain/root.new/. .toolchain/root/
    rm -rf .toolchain/root.new "$work"
    if [ -x .toolchain/root/usr/bin/bwrap ] && ! command -v bwrap >/dev/null; then
        .toolchain/root/usr/bin/bwrap --version >/dev/null 2>&1 && cp .toolchain/root/usr/bin/bwrap .toolchain/bwrap ||
            setup/bwrap.sh .toolchain/bwrap || say "warplab: there is no bubblewrap; what others wrote cannot be graded here until there is one" "warplab：没有 bubblewrap；装上之前，不能在这里给别人写的程序评分"
    fi
fi
[ -z "$nvcc" ] || exec setup/nvcc.sh .toolchain
