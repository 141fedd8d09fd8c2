#!/bin/bash
# slow: make test FAST=1 leaves it out
# timeout: 200
# An exam: tickets made with the course's key, sat at the prompt, graded from the record. And what
# somebody may try: another ticket, a changed record, a second sitting, the clock.
. "$(dirname "$0")/../lib.sh"
LIMIT=120
export WARPLAB_DEVICE=sim:h200
cd "$T" || exit 1

# at_prompt LANG LINES: what a script of lines at the prompt says
at_prompt() { out=$(printf "$2" | timeout 100 $W --lang "$1" 2>&1); status=$?; }

cat >exam.lua <<'EOL'
return exam {
  id = "midterm", title = { en = "Midterm", zh = "期中考试" }, minutes = 30,
  questions = { { chapter = 1, count = 2 }, { lab = "vector-add", step = 2, points = 3 }, { lab = "hello", step = 7 } },
  labs = { { lab = "vector-add", points = 20 } },
}
EOL
run $W exam key key
status_is 0 "a key is made"
is "$(stat -c %a key)" 600 "that its owner alone can read"
run $W exam key key
status_is 3 "a key is never written over"
run $W exam make exam.lua --key key --out tickets alice bob
status_is 0 "tickets are made"
is "$(json tickets/alice.ticket.json 'j["seed"]')" "$(json tickets/alice.ticket.json 'j["seed"]')" "with a seed"
[ "$(json tickets/alice.ticket.json 'j["seed"]')" != "$(json tickets/bob.ticket.json 'j["seed"]')" ] && ok "of each student's own" || not_ok "of each student's own"
lacks "$(cat key)" "the key is not in what is printed"
grep -q "$(cat key)" tickets/*.json && not_ok "nor in a ticket" || ok "nor in a ticket"
bad() { sed "$1" exam.lua >bad.lua; run $W exam make bad.lua --key key --out tickets x; status_is 3 "refused: $3"; has "$2" "and says why: $3"; }
bad 's/minutes = 30/minutes = 0/' "1 to 1440" "minutes"
bad 's/count = 2/count = 50/' "50 are asked for" "more questions than there are"
bad 's/"vector-add", points/"no-such", points/' "no-such" "a lab that is not there"
bad 's/questions/qestions/' "no such field" "a field that is none"
bad 's/id = "midterm"/id = "..\/x"/' "id: expected a name" "a name that is a path"
run $W exam make exam.lua --key key --out tickets ../eve
status_is 3 "a student's name is no path"
echo short >little
run $W exam make exam.lua --key little x
has "at least 16 bytes" "a key that is too short"

# ---- sat ----
# vector-add, step 2: ceil(n / b) is worked out of the question on the screen, as are the others
# where they can be.
at_prompt en 'exam tickets/alice.ticket.json\nn\n'
has "Midterm" "the title"
has "4 questions, 1 lab, 30 minutes" "what it is"
lacks "question 1 of 4" "nothing is shown before it is begun"
[ -e "$WARPLAB_WORK/exam-midterm-alice.json" ] && not_ok "no record yet" || ok "no record yet"
at_prompt en 'exam tickets/alice.ticket.json\ny\nhint\nanswer\nn\nn\nn\nn\nq\n'
has "does not work during an exam" "no hints, no answers"
has "30 min left" "the clock"
q1=$(sed -n '/question 1 of 4/,/question 2 of 4/p' <<<"$out" | tr '\n' ' ')
n=$(sed -E 's/.*n = ([0-9]+) .*/\1/' <<<"$q1") b=$(sed -E 's/.*block has ([0-9]+) .*/\1/' <<<"$q1")
has "The clock keeps running" "paused"
[ -s "$WARPLAB_WORK/exam-midterm/vector-add.cu" ] && ok "the lab's file is there" || not_ok "the lab's file is there"
at_prompt en "exam tickets/alice.ticket.json\n$(((n + b - 1) / b))\nn\nn\n\nq\n"
has "The exam continues" "gone on with"
has "n = $n elements" "the same numbers as before"
lacks "Right." "no verdict is told"
has "Kept." "an answer is kept"
at_prompt en "exam tickets/alice.ticket.json\nn\nn\nn\nq\n"
lacks "n = $n elements" "an answered question is not asked again"
has "1 of 4 questions answered" "it counts them"
cp "$root/answers/vector-add.cu" "$WARPLAB_WORK/exam-midterm/vector-add.cu"
cp -r "$XDG_DATA_HOME" before-the-end
at_prompt zh "exam tickets/alice.ticket.json\n\n\n\ndone\ny\n"
has "请上交这个文件" "handed in"
R=$WARPLAB_WORK/exam-midterm-alice.json
cp "$R" alice.json
at_prompt en "exam tickets/alice.ticket.json\ny\n"
status_is 1 "opened again after the end: refused"
has "it can be taken only once" "and why"
lacks "question 1" "and nothing is shown"

# ---- graded ----
run $W grade exam --key key alice.json --json result.json
status_is 0 "graded"
has "midterm alice: 23 of 26 points (1 right, 0 wrong, 3 open, 0 too late)" "three points of the question, twenty of the lab"
is "$(json result.json 'j[0]["state"], j[0]["points"], j[0]["labs"][0]["verdict"]')" "('good', 23.0, 'pass')" "the JSON"
run $W grade exam --key key alice.json --lang zh
has "23 / 26 分" "in Chinese"

# ---- what somebody may try ----
change() { python3 - "$1" "$2" <<'EOP'
import json, sys
j = json.load(open("alice.json")); exec(sys.argv[1]); json.dump(j, open(sys.argv[2], "w"))
EOP
}
refused() { # FILE WHY NAME
    run $W grade exam --key key "$1" --json r.json
    status_is 3 "$3: refused"
    has "$2" "$3: why"
    is "$(json r.json 'j[0]["points"]')" None "$3: no points"
}
change 'j["answers"][0]["answer"] = "7"' forged.json
refused forged.json "changed after it was signed" "another answer"
change 'j["files"]["vector-add"]["at_ms"] = 1' forged.json
refused forged.json "changed after it was signed" "another time"
change 'j["ticket"]["student"] = "bob"' forged.json
refused forged.json "not made with this key" "another student"
change 'j["ticket"]["exam"]["minutes"] = 90' forged.json
refused forged.json "not made with this key" "more minutes"
"$W" exam key other >/dev/null && "$W" exam make exam.lua --key other --out own alice >/dev/null
at_prompt en "exam own/alice.ticket.json\ny\nn\nn\nn\nn\ndone\ny\n"
refused "$R" "not made with this key" "a ticket of one's own"
# Whoever takes the ticket's key out of the program signs what they like, but not what cannot be.
sign() { python3 - "$1" "$2" "${3:-alice}" <<'EOP'
import hashlib, hmac, json, sys
j = json.load(open("alice.json")); j.pop("mac"); exec(sys.argv[1])
key = json.load(open("tickets/%s.ticket.json" % sys.argv[3]))["sign"]
text = json.dumps(j, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
j["mac"] = hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()
json.dump(j, open(sys.argv[2], "w"))
EOP
}
sign 'pass' same.json
run $W grade exam --key key same.json
status_is 0 "the signature is what the guide says: HMAC-SHA256 over the sorted JSON"
sign 'j["answers"][0]["at_ms"] = 1900000' late.json
run $W grade exam --key key late.json --json r.json
has "20 of 26 points (0 right, 0 wrong, 3 open, 1 too late)" "an answer after the clock does not count"
sign 'j["files"]["vector-add"]["at_ms"] = 1900000' late.json
run $W grade exam --key key late.json
has "3 of 26 points" "nor a file"
sign 'j["started"] = 1000000000' late.json
refused late.json "times are impossible" "begun before the ticket was made"
sign 'j["answers"].append(dict(j["answers"][0], key="0" * 16))' late.json
refused late.json "differ from those in the lessons" "an answer to no question"
sign 'pass' bobs.json bob
refused bobs.json "changed after it was signed" "signed with another student's key"
sign 'j["session"] = "f" * 32' second.json
run $W grade exam --key key alice.json second.json --json r.json
status_is 3 "sat twice: refused"
has "sat more than once" "and why"
is "$(json r.json '[x["state"] for x in j], [x["points"] for x in j]')" "(['twice', 'twice'], [None, None])" "neither counts"
echo '{}' >none.json
run $W grade exam --key key none.json alice.json
status_is 3 "what is no record is told"
has "23 of 26" "and the others are graded all the same"

# A record that was taken away: the exam is not begun anew.
at_prompt en "exam tickets/bob.ticket.json\ny\n"
rm "$XDG_DATA_HOME"/warplab/exams/midterm-*.json
at_prompt en "exam tickets/bob.ticket.json\ny\n"
has "its record is not there any more" "a record that was removed"

# The clock is over while the exam is paused: what was saved in time is handed in, and nothing more
# is taken.
rm -r "$XDG_DATA_HOME" && cp -r before-the-end "$XDG_DATA_HOME"
python3 - "$XDG_DATA_HOME" tickets/alice.ticket.json <<'EOP'
import glob, hashlib, hmac, json, sys
path = glob.glob(sys.argv[1] + "/warplab/exams/midterm-*.json")[0]
j = json.load(open(path))
j["started"] -= 1801
j["boot_ms"] -= 1801000
json.dump(j, open(path, "w"))
EOP
at_prompt en "exam tickets/alice.ticket.json\n5\n5\n5\n"
has "The time is over." "the clock is over"
has "Hand this file in" "it is handed in by itself"
lacks "question 1 of 4" "and nothing is asked"
is "$(json "$R" 'len(j["answers"]), j["ended"]')" "(1, True)" "what was answered before is in it"
at_prompt en "exam nothing-there\n"
status_is 1 "no such file"
at_prompt en "exam $root/labs/hello.lua\n"
has "is no exam-ticket" "a file that is no ticket"

# Open from, open until.
sed 's/minutes = 30/minutes = 30, timezone = "UTC", opens = "2099-01-01 09:00"/' exam.lua >early.lua
"$W" exam make early.lua --key key --out early alice >/dev/null
at_prompt en "exam early/alice.ticket.json\ny\n"
has "not open yet: it begins at 2099-01-01 09:00" "too early"
sed 's/minutes = 30/minutes = 30, timezone = "UTC", closes = "2001-01-01 09:00"/' exam.lua >past.lua
"$W" exam make past.lua --key key --out past alice >/dev/null
at_prompt zh "exam past/alice.ticket.json\ny\n"
has "最迟要在" "too late"
finish
