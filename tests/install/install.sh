#!/bin/bash
# slow: make test FAST=1 leaves it out
# make install and uninstall: everything lies where it belongs, works there and wherever the whole
# is moved to, and goes without a trace; what is not ours stays. An upgrade leaves nothing of the
# version before.
# timeout: 200
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
make_() { run make -s B="$B" SANITIZE="${SANITIZE-}" "$@"; }

# Staged, as packages do it: nothing is written outside DESTDIR.
make_ install PREFIX=/usr DESTDIR="$T/stage"
status_is 0 "make install with DESTDIR"
S=$T/stage/usr
for file in bin/warplab lib/warplab/warplab lib/warplab/warplab-init lib/warplab/libcudart.so.13 share/warplab/labs/vector-add.lua share/warplab/kernels/vector-add.cu \
    share/man/man1/warplab.1 share/man/man5/warplab-lesson.5 share/bash-completion/completions/warplab share/zsh/site-functions/_warplab share/doc/warplab/student.md; do
    [ -e "$S/$file" ] || not_ok "installed: $file"
done
is "$(cd "$T/stage" && find . -not -type d | sed 's/^\.//' | sort | grep -v MANIFEST)" "$(sort "$S/share/warplab/MANIFEST")" "the manifest is what lies there"
is "$(readlink "$S/bin/warplab")" "../lib/warplab/warplab" "bin/warplab is a link that can be moved"
is "$(find "$T/stage" -perm /022 -not -type l | head -3)" "" "nobody else may write to any of it"
is "$(find "$T/stage" -not -perm -444 | head -3)" "" "everybody may read all of it"
is "$("$S/bin/warplab" --version)" "warplab $(cat VERSION)" "it starts"

# Moved as a whole, a blank in its path: it finds its labs, and grades.
mkdir -p "$T/some where"
mv "$S" "$T/some where/else"
I="$T/some where/else"
run "$I/bin/warplab" list
has "vector-add" "moved: it finds its labs"
run env WARPLAB_NO_SYSTEM_CUDA=1 "$I/bin/warplab" doctor --no-probe
has "$I/share/warplab, " "moved: doctor says where they are"
if [ ! -d "$I/share/warplab/.toolchain" ]; then
    has "$XDG_DATA_HOME/warplab/toolchain" "without an nvcc: where one is looked for"
    has "$I/share/warplab/setup/nvcc.sh" "without an nvcc: what brings one"
fi
. tests/nvcc.sh
if [ -n "$nvcc" ]; then
    export WARPLAB_NVCC=$nvcc
    LIMIT=120 run "$I/bin/warplab" grade hello "$I/share/warplab/answers/hello.cu" --device sim:h200
    status_is 0 "moved: it grades, the answer passes"
    LIMIT=120 run "$I/bin/warplab" grade hello "$I/share/warplab/labs/hello.cu" --device sim:h200
    status_is 1 "moved: and the skeleton fails"
else skip "grading where it was moved to (there is no nvcc)"; fi
mkdir -p "$T/ro"
if [ "$(id -u)" != 0 ]; then
    chmod a-w "$I/share/warplab/labs"
    run "$I/bin/warplab" new my-lab
    status_is 3 "new: an installed Warplab is not the place"
    has "WARPLAB_ROOT" "new: what to do instead"
    chmod u+w "$I/share/warplab/labs"
fi

# In place, twice, over an older version with a file that this one has not.
P=$T/home/local
make_ install PREFIX="$P"
status_is 0 "make install below a home"
has "installed" "it says so"
mkdir -p "$P/share/man/man1"
echo theirs >"$P/share/man/man1/theirs.1"
echo old >"$P/share/warplab/labs/gone.lua"
echo "$P/share/warplab/labs/gone.lua" >>"$P/share/warplab/MANIFEST"
echo mine >"$P/share/warplab/labs/mine.lua"
make_ install PREFIX="$P"
status_is 0 "an upgrade"
[ ! -e "$P/share/warplab/labs/gone.lua" ] && ok "upgrade: what the older version had is gone" || not_ok "upgrade: what the older version had is gone"
run "$P/bin/warplab" man check
has "warplab\\-check" "upgrade: it works"
make_ uninstall PREFIX="$P"
status_is 0 "make uninstall"
is "$(cd "$P" && find . -not -type d | sort | tr '\n' ' ')" "./share/man/man1/theirs.1 ./share/warplab/labs/mine.lua " "uninstall leaves what is not ours, and nothing else"
make_ uninstall PREFIX="$P"
[ "$status" != 0 ] && has "there is no Warplab at" "uninstall where there is none" || not_ok "uninstall where there is none"
make_ install PREFIX=usr
[ "$status" != 0 ] && has "expected an absolute path" "a PREFIX that is none" || not_ok "a PREFIX that is none"

# A manifest that somebody tampered with removes nothing else.
make_ install PREFIX="$P"
echo keep >"$T/keep"
echo "$P/../../keep" >>"$P/share/warplab/MANIFEST"
make_ uninstall PREFIX="$P"
[ "$status" != 0 ] && [ -e "$T/keep" ] && ok "a manifest with .. is refused" || not_ok "a manifest with .. is refused"
finish
