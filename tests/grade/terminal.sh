#!/bin/bash
# slow
# timeout: 300
# What a person outside wrote never reaches the terminal as it is: names in archives, of files and
# folders, of students, packs and their versions, a compiler's messages, rows of doctor. Each name
# here holds an escape sequence, a bell, a carriage return, U+009B (an escape sequence in one
# character) and U+202E (what follows is shown backwards); each command is handed them, and must
# print none.
. "$(dirname "$0")/../lib.sh"
export WARPLAB_DEVICE=sim:h200 GIT_CONFIG_GLOBAL=/dev/null
cd "$T" || exit 1
LIMIT=100
bad=$(printf 'x\033[31m\007\r\302\233J\342\200\256y')
clean() { # NAME: nothing of it in what the last command printed
    python3 - "$T/out" "$T/err" <<'PY' && ok "$1" || not_ok "$1 ($(cut_text | tr -d '\000-\037'))"
import sys, unicodedata
text = b"".join(open(p, "rb").read() for p in sys.argv[1:]).decode("utf-8").replace("\r\n", "\n")
sys.exit(any((unicodedata.category(c) == "Cc" and c not in "\n\t") or c in "\u2028\u2029" or 0x202a <= ord(c) <= 0x202e or
             0x2066 <= ord(c) <= 0x2069 for c in text))
PY
}
shown() { # NAME: the command spoke of it at all, by what stands for its bytes
    case $out in *x?*y*) ok "$1" ;; *) not_ok "$1 ($(cut_text))" ;; esac
}

# ---- one file ----
mkdir "$bad"
echo '#error no' >"$bad/vector-add.cu"
printf '#line 1 "%s"\n#error no\n' "$bad" >lines.cu
echo 'void vector_add(const float *a, const float *b, float *c, int n) { not_here(); }' >"$bad.cu"
run "$W" grade vector-add "$bad.cu"
clean "grade FILE"
run "$W" grade vector-add "$bad/none.cu"
clean "grade of a file that is not there"
shown "and it is named"
run "$W" grade vector-add lines.cu
clean "grade of a file whose compiler's messages name another"
run "$W" grade "$bad" lines.cu
clean "grade of a lab that there is not"
run "$W" profile "$bad.cu"
clean "profile FILE"
run "$W" profile "./$bad"
clean "profile of what is no program"
run "$W" check "$bad"
clean "check LAB"
run "$W" list "$bad"
clean "list"
WARPLAB_DEVICE=$bad run "$W" devices
clean "devices"
run "$W" new "$bad"
clean "new LAB"
run "$W" "$bad"
clean "a command that there is not"
run "$W" grade --"$bad"
clean "an option that there is not"
XDG_CACHE_HOME=$T/$bad-cache run "$W" doctor
clean "doctor, whose rows name folders"

# ---- a batch: folders, archives, a roster, a course ----
mkdir -p "in/$bad" "in/plain"
cp lines.cu "in/plain/vector-add.cu"
cp "$bad.cu" "in/$bad/vector-add.cu"
touch "in/$bad/$bad.txt" "in/$bad"
python3 - "in/odd" "$bad" <<'PY'
import os, sys, zipfile
os.makedirs(sys.argv[1])
with zipfile.ZipFile(sys.argv[1] + "/work.zip", "w") as z:
    z.writestr(sys.argv[2] + "/vector-add.cu", "void vector_add() {}")
    z.writestr("../" + sys.argv[2], "outside")
    z.writestr(sys.argv[2] + ".cu", "x")
PY
printf 'student,name\n%s,%s\nplain,Plain\n' "$bad" "$bad" >roster.csv
run "$W" grade --batch in --lab vector-add --out graded --jobs 2 --roster roster.csv
clean "grade --batch"
status_is 3 "which comes to its end, and says what is left over"
shown "and speaks of what was handed in"
run "$W" grade --batch "$bad-none" --out graded2
clean "a batch of what is not there"
run "$W" grade status graded
clean "grade status"
status_is 0 "which is there"
run "$W" gradebook list graded
clean "gradebook list"
has plain "and lists who there is"
run "$W" gradebook compare graded graded
clean "gradebook compare"
run "$W" gradebook export graded --csv -
clean "gradebook export --csv -"
lua='x\27[31m\a\r\u{9b}J\u{202e}y' # the same, as Lua writes it
printf '%s\n' "return course { timezone = \"+08:00\", labs = { [\"$lua\"] = { deadline = \"$lua\" } } }" >course.lua
run "$W" grade --batch in --course course.lua --out graded3
clean "a course's rows"
shown "and the row is named"

# ---- packs ----
mkdir -p pack/labs
run "$W" new --pack p
sed -i "s/version = .*/version = \"$(printf '%s' "$lua" | sed 's/\\/\\\\/g')\",/" p/pack.lua
grep -q version p/pack.lua || sed -i "s/return pack {/&\n  version = \"$(printf '%s' "$lua" | sed 's/\\/\\\\/g')\",/" p/pack.lua
run "$W" pack add p --link
clean "pack add"
run "$W" pack list
clean "pack list"
run "$W" pack update
clean "pack update"
run "$W" list
clean "list, with a pack"
run "$W" pack remove "$bad"
clean "pack remove"
finish
