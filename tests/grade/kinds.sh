#!/bin/bash
# slow
# timeout: 300
# `warplab new --kind`: each start is a lab that `check` proves once its TODOs are written,
# skeleton, answer and traps included.
. "$(dirname "$0")/../lib.sh"
export WARPLAB_DEVICE=sim:h200
cd "$T" || exit 1
LIMIT=250
run "$W" new --pack mine --kind quiz
status_is 0 "a pack whose first lab is a quiz"
is "$(cd mine && find . -type f | sort | tr '\n' ' ')" "./.lua/lesson.lua ./.luarc.json ./labs/first.lua ./pack.lua " "a quiz is a lesson alone, beside what an editor reads"
run "$W" new mine/parts --kind files
status_is 0 "a lab of several files"
run "$W" new mine/whole --kind program
status_is 0 "a lab with a main"
run "$W" new mine/plain
status_is 0 "an exercise, when nothing is said"
run "$W" new mine/odd --kind quizz
status_is 2 "a kind that is none"
has "--kind takes exercise, quiz, files or program, found quizz" "is named"
is "$(grep -rlE '@[A-Z]+@' mine)" "" "no mark of the template is left"
is "$(grep -h '^// file:' mine/labs/parts.cu | tr '\n' ' ')" "// file: parts.cu // file: parts.h " "several files: two"
grep -q '^int main' mine/labs/whole.cu && grep -q 'program = true' mine/labs/whole.lua && ok "a program: its main" || not_ok "a program: its main"
is "$(grep -c 'files = \|program = ' mine/labs/plain.lua)" 0 "an exercise: neither"
for lab in first parts whole; do
    run "$W" check mine/$lab --texts
    has "TODO" "$lab: its TODOs are told"
    sed -i 's/TODO: //; s/TODO：//; s/TODO/DONE/' "mine/labs/$lab.lua"
    run "$W" check mine/$lab --device sim:h200
    status_is 0 "$lab: written, it is proved"
done
finish
