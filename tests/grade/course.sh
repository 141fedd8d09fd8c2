#!/bin/bash
# slow
# timeout: 400
# A course by docs/grader.md alone: Moodle's zip and worksheet in, the worksheet with its Grade out;
# what is said on the way, and what is left over.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
LIMIT=200
if ! command -v zip >/dev/null; then
    skip "a course from Moodle's zip (zip is not installed)"
    finish
fi
sandbox=
run "$W" doctor --no-probe
printf "%s\n" "$out" | grep -q "^ok *sandbox" || sandbox=--no-sandbox

# ---- what Moodle hands over ----
hand_in() { mkdir -p "$T/z/$1_assignsubmission_file" && cat >"$T/z/$1_assignsubmission_file/$2"; }
hand_in "Jane Doe_4321" vector-add.cu <answers/vector-add.cu
hand_in "Pat O'Brien_4323" "Vector_Add (1).cu" <labs/vector-add.cu
(cat answers/vector-add.cu && echo "// late") | hand_in "李 雷_4322" vector-add.cu
echo hello | hand_in "Bo Smith_4324" notes.txt
(cd "$T/z" && zip -qr "$T/moodle.zip" .)
cat >"$T/worksheet.csv" <<'CSV'
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (submission)"
"Participant 4321","Jane Doe",jane@uni.example,Submitted,,100.00,"Thursday, 1 October 2026, 11:58 PM"
"Participant 4322","李 雷",lilei@uni.example,Submitted,,100.00,"Friday, 2 October 2026, 12:40 AM"
"Participant 4323","Pat O'Brien",pat@uni.example,Submitted,,100.00,"Thursday, 1 October 2026, 9:00 AM"
"Participant 4324","Bo Smith",bo@uni.example,Submitted,,100.00,"Thursday, 1 October 2026, 9:30 AM"
CSV
cat >"$T/course.lua" <<'LUA'
return course {
  timezone = "+08:00",
  late = { grace = "15 min", cut = 0.1, per = "1 day", most = 0.5 },
  labs = { ["vector-add"] = { deadline = "2026-10-01 23:59" } },
}
LUA
# shellcheck disable=SC2206 # no option, or one
batch=("$W" grade --batch "$T/moodle.zip" --out "$T/graded" -j2 --lab vector-add --roster "$T/worksheet.csv" --course "$T/course.lua" --device sim:h200 $sandbox)

# ---- graded ----
run "${batch[@]}"
status_is 3 "a student with nothing that can be graded makes the exit status 3"
has "a Moodle download" "the layout is said"
has "3 to grade: 3 new" "what is about to happen is said"
has "nothing of 4324 was taken" "who is left over is said"
has "0 of its students handed in nothing" "whose work is left over handed something in"
run "${batch[@]}"
has "3 were done before" "once more without a secret: the kept one"
run "${batch[@]}" --secret 5
has "graded with another secret" "another secret is refused"
run "$W" grade status "$T/graded"
has "vector-add: 3, 3 graded, 1 late" "status"
run "$W" grade explain "$T/graded" lilei@uni.example
has "late by 41 min, 10% off" "explain: by the roster's name, with the worksheet's time"
has "10 of 10 earned, 9 counted" "explain: what was earned and what counts"
run "$W" grade explain "$T/graded" 4322 vector-add --lang zh
has "迟交 41 分钟，扣 10%" "explain: by Moodle's number, in Chinese"
run "$W" grade regrade "$T/graded" --changed --dry-run
has "0 to grade" "regrade: nothing has changed"
sed -i 's/cut = 0.1/cut = 0.2/' "$T/course.lua"
all_of() { (cd "$1" && find . -type f -exec sha256sum {} + | sort && find . -printf '%p %T@\n' | sort); }
before=$(all_of "$T/graded")
run "$W" grade regrade "$T/graded" --changed --dry-run --course "$T/course.lua" $sandbox
status_is 0 "a dry run with other rules"
is "$(all_of "$T/graded" | sha256sum)" "$(printf "%s\n" "$before" | sha256sum)" "changes nothing on the disk"
run "$W" grade explain "$T/graded" lilei@uni.example
has "late by 41 min, 10% off" "nor what a grade is"
run "$W" grade regrade "$T/graded" --course "$T/course.lua" $sandbox
has "3 were done before" "other rules change no record"

# ---- and back ----
run "$W" gradebook export "$T/graded" --moodle "$T/grades.csv" --roster "$T/worksheet.csv"
status_is 0 "the worksheet is filled"
is "$(python3 -c 'import csv, sys; print([r["Grade"] for r in csv.DictReader(open(sys.argv[1], encoding="utf-8-sig"))])' "$T/grades.csv" | cut -d, -f1,2,4)" "['100', '80', '']" \
    "its own Grade, out of its Maximum Grade, late ones less; nothing for whom nothing was graded"
run "$W" gradebook export "$T/graded" --canvas "$T/c.csv" --moodle "$T/m.csv" --roster "$T/worksheet.csv"
status_is 3 "a roster of another system is refused"
[ ! -e "$T/c.csv" ] && [ ! -e "$T/m.csv" ] && ok "before anything is written" || not_ok "before anything is written"
head -n 2 "$T/worksheet.csv" >"$T/short.csv"
run "$W" gradebook export "$T/graded" --moodle "$T/grades.csv" --roster "$T/short.csv"
status_is 3 "students whom the roster does not name make the exit status 3"
has "the roster does not name lilei@uni.example" "and are said"

# ---- OUT on a disk that is read-only: what is there is read ----
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    cat >"$T/ro.sh" <<EOF
mount --bind "$T/graded" "$T/graded" && mount -o remount,ro,bind "$T/graded" || exit 77
touch "$T/graded/x" 2>/dev/null && exit 78
for command in "gradebook list $T/graded" "gradebook export $T/graded --csv -" "gradebook export $T/graded --moodle - --roster $T/worksheet.csv" \
    "gradebook compare $T/graded $T/graded" "grade status $T/graded" "grade explain $T/graded 4322" "grade regrade $T/graded --dry-run $sandbox"; do
    "$W" \$command || { echo "\$command: \$?"; exit 1; }
done
EOF
    run unshare -m bash "$T/ro.sh"
    if [ "$status" != 77 ]; then
        status_is 0 "list, export, compare, status, explain and a dry run of a folder that is read-only"
        has "3 the same, 0 differ" "compared"
    fi
fi

# ---- a participant whom the roster does not name is said by name, wherever a number would stand ----
rm -rf "$T/z" && hand_in "Zoe Out_9999" vector-add.cu <answers/vector-add.cu
hand_in "Jane Doe_4321" vector-add.cu < <(cat answers/vector-add.cu && echo "// hers")
run "$W" grade --batch "$T/z" --out "$T/off" --lab vector-add --roster "$T/worksheet.csv" --device sim:h200 $sandbox
status_is 3 "a participant off the roster"
has "] 9999 (Zoe Out) vector-add: graded" "progress says who"
has "does not name Zoe Out; graded as 9999" "and what they are graded as"
run "$W" gradebook list "$T/off"
has "$(printf '%-22s %-22s %-18s ' vector-add 9999 'Zoe Out')" "the gradebook's list says who, too"
has "$(printf '%-22s %-22s %-18s ' lab student name)" "under its heads"
run "$W" gradebook list "$T/off" --lang zh
has "学生                   姓名               评判" "and in Chinese"
mkdir -p "$T/long/kim" && { cat answers/vector-add.cu; head -c 1100000 /dev/zero | tr '\0' '\n'; } >"$T/long/kim/vector-add.cu"
mkdir -p "$T/long/lee" && echo "no program" >"$T/long/lee/readme.txt"
mkdir -p "$T/long/mia" && cp answers/vector-add.cu "$T/long/mia/vector-add.cu" && echo "// none" >"$T/long/mia/a: b.cu"
# chinese FILE PATTERN: how many of its lines are like it, and how many of those have no Chinese
chinese() { grep -E "$2" "$1" | python3 -c 'import re, sys; l = list(sys.stdin); print(len(l), sum(not re.search("[\u3400-\u9fff]", s) for s in l))'; }
run "$W" grade --batch "$T/long" --out "$T/late" --roster "$T/worksheet.csv" --device sim:h200 --lang zh $sandbox
has "] kim vector-add：不能评分" "progress in Chinese"
has "] mia vector-add：已评分 10/10" "progress in Chinese, of what is graded"
is "$(chinese "$T/err" '^\[[0-9]')" "2 0" "every line of progress is Chinese"
is "$(chinese "$T/out" '^  [^.]')" "3 0" "and those of what was left over"
has "kim/vector-add.cu：名册 $T/worksheet.csv 上没有 kim；按 kim 评分" "whom the roster does not name"
has "mia/a: b.cu：没有与 a: b.cu 同名的实验" "a name that holds a colon"
run "$W" grade status "$T/late" --lang zh
has "lee：lee 交来的文件都没有收下：没有一个属于任何实验" "what was left over, also when it is asked for later"
is "$(chinese "$T/out" '^  [^@]*$')" "4 0" "every line of it is Chinese"
run "$W" grade explain "$T/late" kim --lang zh
has "kim，vector-add：不能评分" "the verdict in Chinese"
has "无法评分：文件超过 1,048,576 字节，即一份提交的上限" "and why it cannot be graded"
run "$W" gradebook list "$T/late" --lang zh
has "不能评分" "the gradebook's verdict in Chinese"
has "无法评分：文件超过 1,048,576 字节，即一份提交的上限" "and its reason"
page=$(grep -l 1,048,576 "$T/late"/reports/*.html | head -n 1)
grep -q "无法评分：文件超过 1,048,576 字节，即一份提交的上限" "${page:-/dev/null}" && ok "the student's page in Chinese" || not_ok "the student's page in Chinese"
grep -q "lee：lee 交来的文件都没有收下" "$T/late/reports/index.html" && grep -q "lee/readme.txt：不是 .cu 文件" "$T/late/reports/index.html" &&
    ok "the course's page in Chinese" || not_ok "the course's page in Chinese"
# A reason of another version, which no row says, stays as it is.
sed -i 's/"lee\/readme.txt: not a .cu file"\(,\?\)$/"lee\/readme.txt: of another version"\1/; s/"lee: nothing of lee[^"]*"\(,\?\)$/"lee: in words of another version"\1/' "$T/late/manifest.json"
run "$W" grade status "$T/late" --lang zh
status_is 0 "a list with reasons of another version is read"
has "lee: in words of another version" "and they stay as they are"
has "mia/a: b.cu：没有与" "the others are Chinese"
cat >"$T/own.cu" <<'CU'
__global__ void add(const float *x, const float *y, float *out, int count) {
    const int stride = gridDim.x * blockDim.x;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += stride) {
        float sum = x[k];
        sum += y[k];
        out[k] = sum;
    }
}
void vector_add(const float *a, const float *b, float *c, int n) {
    int blocks = (n + 255) / 256;
    if (blocks > 1024) blocks = 1024;
    if (blocks < 1) blocks = 1;
    add<<<blocks, 256>>>(a, b, c, n);
}
CU
hand_in "Zoe Out_9999" vector-add.cu <"$T/own.cu"
sed 's/stride/step/g; s/sum/s/g' "$T/own.cu" | hand_in "Jane Doe_4321" vector-add.cu
run "$W" grade --batch "$T/z" --out "$T/off" --device sim:h200 $sandbox
is "$(sed -n '/Similar submissions/,$p' "$T/off/reports/index.html" | grep -c '>9999 (Zoe Out)<')" 2 "the pairs that are alike say who, in picture and table"

# ---- names that would do something to a terminal come out clean, wherever they are printed ----
esc=$(printf 'x\033[31m\007\302\233''2J\342\200\256y')
clean() { # NAME: no control character but newline and tab, no direction, no line that the name would forge
    python3 -c 'import re, sys; t = open(sys.argv[1], "rb").read() + open(sys.argv[2], "rb").read(); t = t.decode()
sys.exit(bool(re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", t) or re.search("^forged", t, re.M)))' "$T/out" "$T/err" &&
        ok "clean: $1" || not_ok "clean: $1 ($(cat -v "$T/out" "$T/err" | head -c 300))"
}
mkdir -p "$T/host/ann" "$T/host/bob" "$T/host/cy"
cp answers/vector-add.cu "$T/host/ann"
echo no >"$T/host/bob/$esc"$'\nforged'".cu" && echo no >"$T/host/$esc.cu"
echo '#error' "$esc" >"$T/host/cy/vector-add.cu"
printf 'student,name\nann,"Ann %s\nforged"\nzoe,"%s\nforged"\n' "$esc" "$esc" >"$T/host.csv"
run "$W" grade --batch "$T/host" --out "$T/host-out" --roster "$T/host.csv" --device sim:h200 $sandbox
status_is 3 "hostile names"
has "vector-add: graded 10/10" "do not stand in the way"
clean "a batch"
for command in "grade status" "grade explain" "gradebook list" "gradebook compare"; do
    last=; case $command in *explain) last=ann ;; *compare) last=$T/host-out ;; esac
    # shellcheck disable=SC2086 # two words, and one or none
    run "$W" $command "$T/host-out" $last
    clean "$command"
done
run "$W" grade explain "$T/host-out" cy
clean "a compiler's message"
run "$W" grade vector-add "$T/host/cy/vector-add.cu" --device sim:h200 $sandbox
status_is 1 "a compiler's message on a terminal"
clean "the grading of one file"
run "$W" grade vector-add "$T/host/$esc" --device sim:h200
clean "a file that is not there"
(cd "$T" && "$W" new --pack hp >/dev/null)
sed -i "s/title = .*/title = { en = \"T$esc\\\\nforged\", zh = \"甲\" },/" "$T/hp/pack.lua"
run "$W" pack list
has "hp 0.1" "the pack is listed"
clean "pack list"
sed -i "s/\"0.1\"/\"$esc\"/" "$T/hp/pack.lua"
run "$W" pack list
clean "a pack with a version that is none"
run "$W" pack remove hp

# ---- nothing that is known, and mistakes ----
mkdir "$T/odd" && echo x >"$T/odd/a.txt"
run "$W" grade --batch "$T/odd" --out "$T/odd-out" --device sim:h200 $sandbox
status_is 3 "an unknown layout: exit status 3"
has "was not recognised. Known layouts: gradescope" "an unknown layout: the known ones are named"
run "$W" grade --batch "$T/odd" --out "$T/odd-out" --from blackboard --device sim:h200 $sandbox
status_is 2 "an importer that is none"
echo 'return course { deadline = "soon" }' >"$T/bad.lua"
run "$W" grade --batch "$T/moodle.zip" --out "$T/bad" --course "$T/bad.lua" --device sim:h200 $sandbox
has 'course.lua: deadline: expected a moment such as "2026-10-01 23:59", found "soon"' "a wrong rule is named"
printf 'return course {\n  deadline = os.time(),\n}\n' >"$T/bad.lua"
run "$W" grade --batch "$T/moodle.zip" --out "$T/bad" --course "$T/bad.lua" --device sim:h200 $sandbox
status_is 2 "a course's file has no os"
has "bad.lua:2:" "and the line is named"

# ---- documents that documents name are there ----
missing=
for f in docs/*.md README.md; do
    for g in $(grep -oE '(docs/)?[a-z0-9-]+\.md' "$f" | sort -u); do
        [ -e "$g" ] || [ -e "docs/$g" ] || missing="$missing $f:$g"
    done
done
is "$missing" "" "every document that a document names is there"
finish
