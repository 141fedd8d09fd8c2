#!/bin/bash
# What the prompt says when something fails, in the language of the session: a lesson that cannot be
# read, a function of a lesson that has no number, files that cannot be read or written. No kernel
# runs. The labs are tests/repl/root's own.
. "$(dirname "$0")/../lib.sh"
cp -r "$root/tests/repl/root" "$T/root"
ln -s "$root/runner" "$T/root/runner" # the glue's header
labs=$T/root/labs
sed 's/"little-quiz"/"bytes"/' "$labs/little-quiz.lua" >"$labs/bytes.lua"
printf -- '-- caf\351\n' >>"$labs/bytes.lua"
bad=$(wc -l <"$labs/bytes.lua")
# The picture's first lane and a reply are 0/0.
sed 's/"little-quiz"/"undefined"/; s/replies = { { 16,/replies = { { function() return 0 \/ 0 end,/
     s|^  steps = {|&\n    show { en = "Lanes:", zh = "通道：", picture = "lanes", lanes = 4, model = function(i) return 0 / 0 end },|' \
    "$labs/little-quiz.lua" >"$labs/undefined.lua"
export WARPLAB_ROOT="$T/root" WARPLAB_DEVICE=sim:h200

# both LINES ENGLISH CHINESE NAME: what a session says to these lines, its lines joined, and never
# the other language's text
both() {
    out=$(printf "$1" | timeout 60 $W --lang en 2>&1 | tr '\n' ' '); has "$2" "$4"; lacks "$3" "$4: in English only"
    out=$(printf "$1" | timeout 60 $W --lang zh 2>&1 | tr -d '\n'); has "$3" "$4, in Chinese"; lacks "$2" "$4: in Chinese only"
}

both 'start bytes\n' "bytes.lua:$bad: a byte that is not UTF-8" "bytes.lua:$bad：有不属于 UTF-8 的字节" "a lesson that cannot be read"
both 'start undefined\nread 1\n' "the lesson's function gave a number that is not finite" "讲义里的函数算出的数不是有限数" "a picture without a number"
both 'start undefined\nread 3\n7\n' "the lesson's function gave a number that is not finite" "讲义里的函数算出的数不是有限数" "a reply without a number"
WARPLAB_WORK=/dev/null/work both 'start sheet\nedit\n' "Your file could not be made: cannot make the folder /dev/null" "无法生成你的文件：无法创建文件夹 /dev/null" "no folder for the work"
both 'transcript /dev/null/x\n' "Cannot write /dev/null/x: Not a directory" "无法写入 /dev/null/x：路径中有一段不是文件夹" "no transcript"

file=$T/work/sheet.cu
printf 'start sheet\n' | timeout 60 $W >/dev/null 2>&1
head -c 2000000 /dev/zero | tr '\0' ' ' >"$file"
both 'start sheet\ndiff\n' "sheet.cu is 2.0 MB long; at most 1.0 MB is read" "sheet.cu 有 2.0 MB；最多读取 1.0 MB" "a file that is too long to compare"
mv "$labs/sheet.cu" "$T/sheet.cu"
both 'start sheet\nreset\n' "Nothing was changed: cannot read $labs/sheet.cu: No such file or directory" "没有做任何改动：无法读取 $labs/sheet.cu：没有这个文件或文件夹" "a skeleton that is gone"
is "$(wc -c <"$file")" 2000000 "and the student's file is as it was"

WARPLAB_ROOT=$T/none both '' "set it to Warplab's folder or unset it" "其中没有 labs/ 和 kernels/" "no labs at all"

# ---- builds ----
echo 'int main(void) { return 0; }' >"$T/x.cu"
for lang in en zh; do
    run env WARPLAB_NVCC="$T/none" $W profile --lang $lang "$T/x.cu"
    status_is 3 "$lang: profile without a compiler"
    case $lang in
    en) has "WARPLAB_NVCC is $T/none, which is no program" "it says so" && lacks "它不是程序" "in English only" ;;
    zh) has "：WARPLAB_NVCC 是 $T/none，它不是程序" "it says so in Chinese" && lacks "which is no program" "in Chinese only" ;;
    esac
done
finish
