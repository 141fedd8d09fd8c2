#!/bin/bash
# slow
# timeout: 400
# A course from Canvas, an assignment's zip after another into one folder: the roster is kept, what
# was left over is told until it is placed, and what a course's rules, its roster and its columns
# have that does not fit together is said.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
LIMIT=200
if ! command -v zip >/dev/null; then
    skip "a course from Canvas's zips (zip is not installed)"
    finish
fi
sandbox=
run "$W" doctor --no-probe
printf "%s\n" "$out" | grep -q "^ok *sandbox" || sandbox=--no-sandbox
cat >"$T/canvas.csv" <<'CSV'
Student,ID,SIS User ID,SIS Login ID,Section,Lab 1: vectors (9001),Lab 2: coalescing (9002)
    Points Possible,,,,,20,30
"Lovelace, Ada",101,S0101,ada,CS,,
"Ruiz, Bob",102,S0102,bob,CS,,
"Chen, Wei",103,S0103,chen,CS,,
"Fox, Fred",106,S0106,fred,CS,,
"Hill, Hugo",108,S0108,hugo,CS,,
"Student, Test",999,,tst,CS,,
CSV
cat >"$T/course.lua" <<'LUA'
return course {
  timezone = "+08:00",
  deadline = "2026-11-20 23:59",
  late = { cut = 0.1, per = "1 day", most = 0.5 },
  labs = { ["vector-add"] = { points = 20, column = "Lab 1: vectors" }, coalescing = { points = 30, column = "Lab 2: coalescing" } },
  extensions = { chen = { coalescing = "48 h" } },
}
LUA
mkdir "$T/1" "$T/2" "$T/dl"
put() { cp "answers/$3.cu" "$T/$1/$2_$3.cu" && echo "// $2" >>"$T/$1/$2_$3.cu"; }
put 1 lovelaceada_101_5001 vector-add
put 1 ruizbob_LATE_102_5002 vector-add
echo "what I did" >"$T/1/foxfred_106_5006_notes.txt"
put 2 lovelaceada_101_6001 coalescing
put 2 chenwei_LATE_103_6003 coalescing
(cd "$T/1" && zip -qr "$T/dl/lab1.zip" .)
(cd "$T/2" && zip -qr "$T/dl/lab2.zip" .)
grade=("$W" grade --device sim:h200 --out "$T/g" -j2)
[ -n "$sandbox" ] && grade+=("$sandbox")
students() { python3 -c 'import json, sys
print(sorted({e["student"] for e in json.load(open(sys.argv[1] + "/manifest.json"))["submissions"]}))' "$1"; }

# ---- one zip after another ----
run "${grade[@]}" --batch "$T/dl/lab1.zip" --roster "$T/canvas.csv" --course "$T/course.lua"
status_is 3 "somebody of whom nothing was taken"
run "${grade[@]}" --batch "$T/dl/lab2.zip"
status_is 3 "the next assignment: what was left over before still has to be looked at"
has "nothing of 106 was taken" "and is said"
has "the roster: " "the roster that was kept is used"
is "$(students "$T/g")" "['ada', 'bob', 'chen']" "its names are the students'"
run "$W" grade status "$T/g"
has "foxfred_106_5006_notes.txt: nothing of 106 was taken" "status tells it too"
run "${grade[@]}" --batch "$T/dl/lab2.zip"
has "nothing of 106 was taken" "and after a third run"
run "$W" grade explain "$T/g" fred
status_is 0 "explain knows of whom nothing was taken"
has "fred (Fox, Fred): nothing of theirs was taken; left over:" "by the roster's name"
has "foxfred_106_5006_notes.txt: nothing of 106 was taken" "and what was left over"
run "$W" grade explain "$T/g" hugo --lang zh
has "hugo（Hill, Hugo）：没有收到任何作业；此人在名册上，什么也没有交" "who handed nothing in, in Chinese"
run "$W" grade explain "$T/g" nobody
status_is 3 "and whom nobody knows"
run "$W" grade status "$T/g"
out=$(printf "%s\n" "$out" | tr "\n" "|")
has "of the roster, nothing of 2 was taken:|  fred (Fox, Fred)|  hugo (Hill, Hugo)" "status lists them, without Canvas's test student"
# Fred hands in; Canvas gives a zip of another name
put 1 foxfred_106_5016 vector-add
rm "$T/1/foxfred_106_5006_notes.txt"
(cd "$T/1" && zip -qr "$T/dl/lab1-2.zip" .)
run "${grade[@]}" --batch "$T/dl/lab1-2.zip"
status_is 0 "once something of theirs is taken for that lab, nothing is left over"
lacks "nothing of 106" "and nothing is said"
grep -q left_from "$T/g/manifest.json" && not_ok "nor kept in the list" || ok "nor kept in the list"

# ---- a roster that comes later ----
run "$W" grade --batch "$T/dl/lab2.zip" --out "$T/later" --device sim:h200 -j2 $sandbox
is "$(students "$T/later")" "['101', '103']" "without a roster students are Canvas's numbers"
run "$W" grade --batch "$T/dl/lab2.zip" --out "$T/later" --device sim:h200 -j2 --roster "$T/canvas.csv" $sandbox
is "$(students "$T/later")" "['ada', 'chen']" "a roster that comes later names them, and nobody is there twice"

# ---- a file handed in for a quiz ----
quiz=$(grep -lE 'answers *[{(]' labs/*.lua | head -n 1)
quiz=$(basename "$quiz" .lua)
mkdir -p "$T/q/ada" "$T/q/bob" && echo "// my answers" >"$T/q/bob/$quiz.cu" && cp answers/vector-add.cu "$T/q/ada/"
run "$W" grade --batch "$T/q" --out "$T/qg" --device sim:h200 -j2 $sandbox
status_is 0 "a file handed in for a quiz is settled"
has "1 graded, 1 not gradable" "as one that cannot be graded"
lacks "start it again" "and nobody is told to try again"
run "$W" grade explain "$T/qg" bob
has "$quiz is a quiz, done at the prompt: there is no file to grade" "explain says why"
run "$W" grade status "$T/qg" --lang zh
has "$quiz：1 份，1 不能评分" "status agrees"
run "$W" grade regrade "$T/qg" --changed --dry-run $sandbox
has "0 to grade" "regrade agrees: nothing is to be done"
has "2 are done" "for it is done"
run "$W" grade regrade "$T/qg" --changed $sandbox
has "1 graded, 1 not gradable, 0 to be reviewed, 0 ambiguous, 0 could not be graded; 2 were done before" "and so says the run"
# ---- progress of a second run ----
cp answers/vector-add.cu "$T/q/bob/" && echo "// bob" >>"$T/q/bob/vector-add.cu"
run "$W" grade --batch "$T/q" --out "$T/qg" --device sim:h200 -j2 $sandbox
has "[1/1] bob vector-add: graded" "a second run counts what it grades"

# ---- a folder of zips ----
mkdir "$T/zips" && cp "$T/dl/lab1.zip" "$T/dl/lab2.zip" "$T/zips/" && cp "$T/canvas.csv" "$T/zips/"
run "$W" grade --batch "$T/zips" --out "$T/zg" --device sim:h200 -j2 --roster "$T/canvas.csv" $sandbox
status_is 3 "a folder of two zips, with one left over"
has "a Canvas bulk download" "is Canvas's"
has "4 submissions: 4 graded" "and all of both are taken"
has "lab1.zip/foxfred_106_5006_notes.txt: nothing of 106 was taken" "what is left over is in its zip"
is "$(students "$T/zg")" "['ada', 'bob', 'chen']" "by whom Canvas names"
grep -q '"late": true' "$T/zg/manifest.json" && ok "LATE is seen" || not_ok "LATE is seen"
# students' own archives, one of whom names a file as Canvas would
mkdir -p "$T/own/x" "$T/own/y" "$T/arch" && cp answers/vector-add.cu "$T/own/x/ruizbob_102_5002_vector-add.cu" && cp answers/vector-add.cu "$T/own/y/vector-add.cu"
(cd "$T/own/x" && zip -qr "$T/arch/mallory.zip" .) && (cd "$T/own/y" && zip -qr "$T/arch/alice.zip" .)
run "$W" grade --batch "$T/arch" --out "$T/ag" --device sim:h200 -j2 $sandbox
is "$(students "$T/ag")" "['alice']" "a student's archive with such a name in it is nobody else's"

# ---- LATE, with an extension and without ----
run "$W" grade explain "$T/g" chen
has "marked late by the system; nothing is taken off, because there is an extension and by how much it is late is not known" "LATE with an extension: what holds is said"
run "$W" grade explain "$T/g" bob
has "late (the system says so, and not by how much), 10% off" "LATE without"

# ---- misspelt names in course.lua ----
sed 's/chen = { coalescing/chenn = { coalescing/' "$T/course.lua" >"$T/typo.lua"
run "$W" grade regrade "$T/g" --changed --dry-run --course "$T/typo.lua" $sandbox
status_is 0 "an extension of nobody is a warning: they may hand in later"
has 'course.lua: extensions["chenn"]: no student of this name is on the roster or has handed in anything; did you mean chen?' "said by a dry run"
sed 's/chen = { coalescing/gil = { coalescing/' "$T/course.lua" >"$T/later.lua"
run "$W" grade regrade "$T/g" --changed --course "$T/later.lua" $sandbox --lang zh
has 'course.lua：extensions["gil"]：名册和已收的提交里都没有这个人' "by a run, in Chinese"
run "$W" grade status "$T/g"
has 'extensions["gil"]: no student of this name' "and by status"
run "$W" grade regrade "$T/g" --changed --course "$T/course.lua" $sandbox
lacks "no student of this name" "rules without one: nothing is said"
for typo in 's/, coalescing = { points/, coalesing = { points/' 's/chen = { coalescing/chen = { coalesing/'; do
    sed "$typo" "$T/course.lua" >"$T/typo.lua"
    before=$(sha256sum "$T/g/course.json")
    run "$W" grade regrade "$T/g" --changed --course "$T/typo.lua" $sandbox
    status_is 2 "a lab that there is not"
    has "there is no lab coalesing; did you mean coalescing?" "is an error"
    is "$(sha256sum "$T/g/course.json")" "$before" "and the rules stay as they were"
done

# ---- the book and the rules say different things ----
run "$W" gradebook export "$T/g" --canvas "$T/grades.csv" --roster "$T/canvas.csv"
status_is 0 "the book is filled"
is "$out" "" "and nothing is to be said"
sed 's/Lab 1: vectors/Lab 1 vectors/; s/points = 30/points = 40/' "$T/course.lua" >"$T/course2.lua"
cp -r "$T/g" "$T/g2"
run "$W" grade regrade "$T/g2" --changed --dry-run --course "$T/course2.lua" $sandbox
has "the course's rules: 2 grades change: ada coalescing 30 -> 40, chen coalescing 30 -> 40" "a dry run says which grades other rules change"
run "$W" grade regrade "$T/g2" --changed --dry-run --course "$T/course.lua" $sandbox
lacks "rules" "the same rules change none"
run "$W" grade regrade "$T/g2" --changed --course "$T/course2.lua" $sandbox
run "$W" gradebook export "$T/g2" --canvas "$T/grades.csv" --roster "$T/canvas.csv"
status_is 0 "a column that the roster lacks, points that differ: filled all the same"
has "course.lua calls vector-add \"Lab 1 vectors\", and $T/canvas.csv has no such column" "the column is said"
has "There are Lab 1: vectors (9001), Lab 2: coalescing (9002); did you mean \"Lab 1: vectors\"?" "with those that there are"
has "coalescing: course.lua says 40 points, the roster's Points Possible 30: full marks are written as 30" "so are the points"
run "$W" gradebook export "$T/g2" --canvas "$T/grades.csv" --roster "$T/canvas.csv" --lang zh
has "是否想写“Lab 1: vectors”？" "the column in Chinese"
has "满分按 30 分填写" "the points in Chinese"

# ---- what the compiler has against it ----
mkdir -p "$T/bad/gus" && sed 's/float \*a/float *aa/' answers/vector-add.cu >"$T/bad/gus/vector-add.cu"
run "$W" grade --batch "$T/bad" --out "$T/badg" --device sim:h200 $sandbox
run "$W" grade explain "$T/badg" gus
has "error: identifier \"a\" is undefined" "explain says the compiler's first message"
finish
