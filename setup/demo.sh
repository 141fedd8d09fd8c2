#!/bin/sh
# What `make lab` does where there is no terminal: plays one lab, from the skeleton (which fails) to
# the model answer (which passes).
cd "$(dirname "$0")/.." || exit 1
W=${B:-build}/warplab
LAB=${1:-vector-add}
T=$(mktemp -d "${TMPDIR:-/tmp}/warplab-demo.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM
# EN ZH: in the language that the environment tells, as warplab itself goes by.
say() {
    case ${WARPLAB_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}} in zh*) shift ;; esac
    printf '%s\n' "$1"
}

say "No terminal here, so this plays the lab $LAB by itself. In a terminal, make lab opens it for you." "这里没有终端，所以由程序自己演示实验 $LAB。在终端里，make lab 会为你打开它。"
cp "labs/$LAB.cu" "$T/$LAB.cu" || exit 1
# On a machine without a sandbox our own files may be graded all the same.
safe=
WARPLAB_LANG=en "$W" doctor --no-probe 2>/dev/null | grep -q '^ok *sandbox' || safe=--no-sandbox

echo
say "1. The skeleton, as a student finds it:" "1. 学生拿到的骨架代码："
"$W" grade "$LAB" "$T/$LAB.cu" $safe
status=$?
if [ $status != 1 ]; then
    say "warplab: the skeleton should have failed (exit status 1), found $status" "warplab：骨架代码本应不通过（退出状态 1），结果却是 $status" >&2
    exit 1
fi

echo
say "2. The model answer in its place:" "2. 换成参考答案："
diff "$T/$LAB.cu" "answers/$LAB.cu" | grep '^[<>]' | grep -vE '^. *(//|$)' | sed 's/^</   -/; s/^>/   +/'
cp "answers/$LAB.cu" "$T/$LAB.cu"
"$W" grade "$LAB" "$T/$LAB.cu" $safe
status=$?
if [ $status != 0 ]; then
    say "warplab: the model answer should have passed (exit status 0), found $status" "warplab：参考答案本应通过（退出状态 0），结果却是 $status" >&2
    exit 1
fi
echo
say "The skeleton failed and the answer passed, as they should. Next: $W in a terminal, or docs/student.md" "骨架代码没有通过，参考答案通过了，正该如此。接下来：在终端里运行 $W，或者阅读 docs/zh/student.md"
