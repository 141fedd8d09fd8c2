#!/bin/bash
# docs/curriculum.md says what the lessons say: labs, goals and where each fact is taught are made
# again and compared; of the measured part, that every lab and every counter goal is there. Every
# fact has a lesson.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
page=docs/curriculum.md

run "$W" curriculum --no-runs
status_is 0 "every fact is taught, every lab says what it teaches"
sed '/<!-- measured -->/,/<!-- end of measured -->/d' $page >"$T/page"
if diff "$T/out" "$T/page" >"$T/diff"; then ok "$page is current"; else not_ok "$page is current (run make curriculum: $(head -c 300 "$T/diff" | tr '\n' '|'))"; fi

sed -n '/<!-- measured -->/,/<!-- end of measured -->/p' $page >"$T/measured"
missing=
for lesson in labs/*.lua; do
    id=$(basename "$lesson" .lua)
    grep -q "^  cases = " "$lesson" || continue # a quiz has no program to measure
    rows=$(sed -n "/^| \`$id\` |/,/| speedup |/p" "$T/measured")
    [ -n "$rows" ] || missing="$missing $id"
    for counter in $(sed -n 's/^ *\(counter\|at_most\|at_least\|fraction\|tiers\)("\([a-z0-9_]*\)".*/\2/p' "$lesson"); do
        case $rows in *"| $counter |"*) ;; *) missing="$missing $id:$counter" ;; esac
    done
done
is "$missing" "" "the measured part has every lab and every counter goal"

# Not only does it agree: a fact that nobody teaches, and a key that is no fact, are found.
mkdir -p "$T/root"
cp -r labs "$T/root/"
for d in kernels answers setup build; do ln -s "$root/$d" "$T/root/$d"; done
echo 'nobodys-fact | nowhere | no lesson has it' >>"$T/root/labs/facts.txt"
WARPLAB_ROOT=$T/root run "$W" curriculum --no-runs
status_is 1 "a fact that nobody teaches is an error"
has "nobodys-fact" "which names it"
sed -i 's/^asynchronous |/asynchronus |/' "$T/root/labs/facts.txt"
WARPLAB_ROOT=$T/root run "$W" curriculum --no-runs
has "labs/hello.lua" "a lesson that teaches what is no fact does not load"
finish
