#!/bin/bash
# slow
# timeout: 400
# A lab of several files whose main() is the student's: proved, graded from a folder, refused where
# the files are not the lab's, taken in by a batch as a folder and from archives, and at the prompt
# a folder of files.
. "$(dirname "$0")/../lib.sh"
cp -r "$root/tests/grade/files" "$T/root"
ln -s "$root/runner" "$T/root/runner" # the glue's header
export WARPLAB_ROOT="$T/root" WARPLAB_DEVICE=sim:h200
LIMIT=200

# unpack TEXT FOLDER: the files of a joined text
unpack() { mkdir -p "$2" && awk -v to="$2" '/^\/\/ file: /{f = to "/" $3; next} f{print > f}' "$1"; }

run $W check --device sim:h200 --verbose
status_is 0 "check proves it"
has "trap unsafe.cu is racy or out of bounds" "with every kind of trap"

# ---- a folder ----
unpack "$T/root/answers/smooth.cu" "$T/good"
run $W grade smooth "$T/good"
status_is 0 "a folder is graded"
has "gld_requests of twice is 625 requests; the goal is <= 875 (0.7 times that of once)" "two kernels of its own are compared"
cp "$T/good/smooth.cu" "$T/good/smooth.cu~" # what an editor leaves
run $W grade smooth "$T/good"
status_is 0 "an editor's old copies do not count"

cp -r "$T/good" "$T/more" && echo 'int extra;' >"$T/more/extra.cu"
run $W grade smooth "$T/more"
status_is 1 "one file too many"
has "extra.cu is no file of this lab, which is made of main.cu, smooth.cu, smooth.h" "is named"
cp -r "$T/good" "$T/less" && rm "$T/less/smooth.h"
run $W grade --lang zh smooth "$T/less"
status_is 1 "one file too few"
has "smooth.h" "is named"
cp -r "$T/good" "$T/link" && rm "$T/link/smooth.h" && ln -s /etc/passwd "$T/link/smooth.h"
run $W grade smooth "$T/link"
has "smooth.h: it is not a regular file" "a link is not followed"
lacks "root:" "nor shown"
cp -r "$T/good" "$T/inside" && printf '// file: smooth.cu\n' >>"$T/inside/main.cu"
run $W grade smooth "$T/inside"
status_is 1 "a file that says it is another"
has "smooth.cu is there twice" "is refused"
cp -r "$T/good" "$T/wrong" && sed -i 's/y\[i\] = x\[i\] \* scale + 1/y[i] = x[i] * scal + 1/' "$T/wrong/smooth.cu"
run $W grade smooth "$T/wrong"
status_is 1 "a compile error"
has 'smooth.cu(12): error: identifier "scal" is undefined' "has its own file's name and line"
cp -r "$T/good" "$T/library" && sed -i '2i #include <thrust/sort.h>' "$T/library/smooth.cu"
run $W grade smooth "$T/library"
has "smooth.cu:2: this lab does not allow" "a forbidden name has its own file's line"
mkdir "$T/none"
run $W grade smooth "$T/none"
has "found no .cu, .cuh or .h file in it" "an empty folder"
for i in 1 2 3 4 5 6 7; do cp "$T/good/smooth.h" "$T/more/h$i.h"; done
run $W grade smooth "$T/more"
has "at most 8" "too many files"

# ---- a course ----
mkdir -p "$T/in/ann" "$T/in/bob" "$T/pack/cid/smooth" "$T/pack/dan/smooth" "$T/pack/eve/smooth"
cp -r "$T/good" "$T/in/ann/smooth"
cp "$T/root/answers/smooth.cu" "$T/in/bob/smooth.cu" # joined: that is taken too
cp "$T/good"/* "$T/pack/cid/smooth" && cp "$T/wrong"/* "$T/pack/dan/smooth"
cp "$T/good"/* "$T/pack/eve/smooth" && echo x >"$T/pack/eve/smooth/UPPER.cu"
rm "$T/pack/eve/smooth/smooth.cu~"
(cd "$T/pack" && tar czf "$T/course.tar.gz" cid dan eve)
(cd "$T/pack/cid" && tar cf "$T/in/fay.tar" smooth)
run $W grade --batch "$T/in" --out "$T/out-folder" --seed 1 --quiet
manifest() { python3 -c 'import json,sys
m = json.load(open(sys.argv[1] + "/manifest.json")); print(sorted((e["student"], e["lab"]) for e in m["submissions"]), len(m["refused"]))' "$1" 2>&1; }
has "graded" "a batch takes folders in"
is "$(manifest "$T/out-folder")" "[('ann', 'smooth'), ('bob', 'smooth'), ('fay', 'smooth')] 2" "a folder, a joined file, a student's archive; the editor's copies are refused"
run $W grade --batch "$T/course.tar.gz" --out "$T/out-archive" --seed 1 --quiet
is "$(manifest "$T/out-archive" | cut -d] -f1)" "[('cid', 'smooth'), ('dan', 'smooth'), ('eve', 'smooth')" "an archive of a course: its folder is the student, not the lab"
cat "$T"/out-archive/manifest.json | grep -q 'UPPER.cu' && ok "a name that is not plain is refused" || not_ok "a name that is not plain is refused"

# ---- at the prompt ----
at_prompt() { out=$(printf "$2" | WARPLAB_WORK="$T/work-$1" timeout 100 $W --lang "$1" 2>&1 | tr -s "\n " " "); }
at_prompt en 'start smooth\nread 4\ndiff\nanswer\ny\n'
has "Your files were made from the skeleton, in $T/work-en/smooth" "a folder is made"
has "main.cu, smooth.cu, smooth.h" "the exercise names the files"
is "$(ls "$T/work-en/smooth" | tr '\n' ' ')" "main.cu smooth.cu smooth.h " "they are there"
grep -q 'zh:' "$T/work-en/smooth/smooth.cu" && not_ok "in one language" || ok "in one language"
has "No difference to the skeleton" "diff: nothing was changed"
sed -i 's|^int main|// mine\nint main|' "$T/work-en/smooth/main.cu"
at_prompt en 'start smooth\ndiff\nreset\ndiff\n'
has "+ // mine" "diff shows the change"
has "main.cu" "under its file"
is "$(ls -d "$T/work-en"/smooth*)" "$T/work-en/smooth
$T/work-en/smooth.~1~" "reset keeps the old folder"
cp "$T/good"/*.cu "$T/good"/*.h "$T/work-en/smooth"
at_prompt en 'start smooth\ncheck\nread 5\n'
has "Passed: 7 of 7 points" "check passes"
has "smooth.cu" "the picture names the file of its lines"
has "if (i < n) y[i.." "and shows them"
at_prompt zh 'start smooth\nread 4\nedit nothing\n'
out=${out// /} # the line is folded where the path is long
has "你的文件，都在$T/work-zh/smooth：main.cu、smooth.cu、smooth.h" "the same in Chinese"
grep -q '待办' "$T/work-zh/smooth/smooth.cu" && ok "with Chinese comments" || not_ok "with Chinese comments"
finish
