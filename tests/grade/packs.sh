#!/bin/bash
# slow: make test FAST=1 leaves it out
# timeout: 200
# Packs: made, linked, installed from folders and repositories, renewed, removed; their labs listed,
# started and graded; what no pack may do.
. "$(dirname "$0")/../lib.sh"
export WARPLAB_DEVICE=sim:h200 GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
packs=$XDG_DATA_HOME/warplab/packs
cd "$T" || exit 1
LIMIT=100

# ---- made, and linked ----
run "$W" pack list
has "no packs are installed" "an empty list says how to add one"
run "$W" new --pack my-course
status_is 0 "new --pack makes a pack"
is "$(readlink "$packs/my-course")" "$T/my-course" "and links it"
run "$W" new my-course/second
status_is 0 "new PACK/LAB adds a lab"
has 'pack.lua: "second" is now the last in `order`' "and puts it into the order that nobody has changed"
is "$(grep '^  order' my-course/pack.lua)" '  order = { "first", "second" },' "behind the others"
cp my-course/pack.lua pack.keep
for order in '{ "second", "first" }, -- mine' '{ "second", "fir" .. "st" },'; do
    sed -i "s/^  order.*/  order = $order/" my-course/pack.lua
    cp my-course/pack.lua pack.was
    run "$W" new my-course/third --kind quiz
    has 'pack.lua: `order` does not name "third": add it there' "an order that an author has written is left alone, and what to add is said"
    cmp -s pack.was my-course/pack.lua && ok "to the byte" || not_ok "to the byte"
    rm my-course/labs/third.lua
done
sed -i '/^  order/d' my-course/pack.lua
run "$W" new my-course/third --kind quiz --lang zh
lacks "order" "without an order there is nothing to add"
rm my-course/labs/third.lua
cp pack.keep my-course/pack.lua
run "$W" new --pack named own-lab --kind quiz
status_is 0 "new --pack PACK LAB"
is "$(ls named/labs) $(grep -c '"own-lab"' named/pack.lua)" "own-lab.lua 3" "its first lab has that name"
run "$W" pack remove named
run "$W" new --pack named2 Bad_Lab
status_is 2 "a first lab's name that is none"
[ -e named2 ] && not_ok "makes no folder" || ok "makes no folder"
run "$W" list my-course
has "/second" "list: the labs of a pack"
run "$W" new --pack Bad_Name
status_is 2 "a pack's name that is none"
run "$W" new other/lab
has "is no pack of yours" "a lab for a pack that is not there"
run "$W" new --pack my-course
status_is 2 "a folder that is there is not touched"

run "$W" pack add my-course
status_is 1 "a linked pack of that name is in the way"
has "takes the link away and leaves its folder alone" "and it is said that only the link goes"
run "$W" pack add my-course --lang zh
has "它的文件夹不受影响" "in Chinese too"

# ---- its labs ----
run "$W" grade my-course/second my-course/answers/second.cu --json g.json
status_is 0 "a lab of a pack grades its answer"
is "$(json g.json 'j["lab"]')" my-course/second "under its whole name"
run "$W" grade second my-course/labs/second.cu
status_is 1 "the short name will do, and the skeleton fails"
out=$(printf 'start second\nread 7\n' | timeout 60 "$W" --lang zh 2>&1)
has "$WARPLAB_WORK/my-course/second.cu" "started at the prompt: the file is in a folder of the pack's name"
[ -f "$WARPLAB_WORK/my-course/second.cu" ] && ok "which is there" || not_ok "which is there"

# What comes next is the pack's own; behind the last of it nothing of Warplab's is put.
cp my-course/answers/second.cu "$WARPLAB_WORK/my-course/second.cu"
out=$(printf 'start my-course/second\nread 7\ncheck\n' | timeout 60 "$W" --lang en 2>&1)
has "Next: my-course/first" "passed: the pack's other lab is next"
cp my-course/answers/first.cu "$WARPLAB_WORK/my-course/first.cu"
out=$(printf 'start my-course/first\nread 7\ncheck\nread 9\nnext\n' | timeout 60 "$W" --lang en 2>&1)
lacks "Next: " "passed: behind a pack's last lab there is no next one"
is "$(grep -c "the last lab of my-course: all of it is passed" <<<"$out")" 2 "but that the pack is done, after the pass and by next"
out=$(printf 'read 9\nnext\n' | timeout 60 "$W" --lang zh 2>&1)
has "my-course 的实验已全部通过" "in Chinese too"
lacks "hello" "and a later session offers none either"

# A header of the pack's goes before Warplab's of the same name; Warplab's others stay.
mkdir -p hp/labs hp/kernels hp/answers
cp my-course/labs/second.* hp/labs/; cp my-course/kernels/second.cu hp/kernels/; cp my-course/answers/second.cu hp/answers/
sed -i '1i #include "matmul.h"' hp/answers/second.cu
echo '#error "the header of the pack"' >hp/kernels/matmul.h
echo 'return pack { name = "hp", title = { en = "H", zh = "头" }, version = "1" }' >hp/pack.lua
run "$W" pack add hp
status_is 0 "a folder is copied"
run "$W" grade hp/second hp/answers/second.cu
has "the header of the pack" "a pack's header is found before Warplab's"
run "$W" grade second hp/answers/second.cu
status_is 2 "two packs with a lab of that name"
has "hp/second, my-course/second" "say which of them"

# ---- batch: submissions are called by the short name ----
mkdir -p in/ann in/bob
cp my-course/answers/second.cu in/ann/second.cu
cp my-course/labs/second.cu in/bob/second.cu
sed -i 's|  -- deadlines.*|  deadlines = { second = "2199-01-01 00:00" }, weights = { second = 50 },|' my-course/pack.lua
run "$W" grade --batch in --out graded --pack my-course --lang en
status_is 0 "a batch for a pack"
is "$(json graded/pack-rules.json 'j["labs"]["second"]["points"]')" 50.0 "the pack's weights and deadlines are kept"
run "$W" gradebook export graded --moodle -
has "ann,50" "full marks are worth the weight of the pack"
run "$W" grade --batch in --out graded2 --pack nosuch
status_is 2 "a batch for a pack that is not there"

# What a run does not give stays as OUT keeps it: the pack's deadlines do not take the place of
# course.lua. Ann is twelve hours late.
rm -rf late && mkdir -p late/ann/2199-01-01T10-00 && cp my-course/answers/second.cu late/ann/2199-01-01T10-00/second.cu
# Her moment is in the course's zone, two hours behind UTC; the pack's is UTC.
echo 'return course { timezone = "-02:00", late = { cut = 0.1 }, extensions = { bob = "1 h" } }' >course.lua
points() { "$W" gradebook export "$1" --json - | python3 -c 'import json, sys; print([r["score"] for r in json.load(sys.stdin)])'; }
run "$W" grade --batch late --out kept --pack my-course --course course.lua --lang en
is "$(points kept)" "[9]" "course.lua's penalty on the pack's deadline"
run "$W" grade regrade kept --changed
is "$(points kept)" "[9]" "graded again without either: as it was"
run "$W" grade --batch late --out kept
is "$(points kept)" "[9]" "taken in again without either"
run "$W" grade --batch late --out kept --pack my-course
is "$(points kept)" "[9]" "with the pack alone"
echo 'return course { late = { cut = 0.2 } }' >course.lua
run "$W" grade regrade kept --changed --course course.lua
is "$(points kept)" "[8]" "with other rules alone: the pack's deadline stays"
run "$W" grade regrade kept --device sim:a100 --course /dev/null
status_is 2 "rules that cannot be read"
is "$(json kept/settings.json 'j["device"]')" sim:h200 "a run that is refused leaves the other options as they were"
echo 'return course { deadline = "soon" }' >bad.lua
run "$W" grade regrade kept --device sim:a100 --course bad.lua
is "$status $(json kept/settings.json 'j["device"]')" "3 sim:h200" "so does one whose rules are wrong"

# ---- a repository ----
(cd my-course && git init -q && echo x >.gitignore && ln -s /etc/passwd notes.txt && git add -A && git commit -qm one && git tag v1) >/dev/null
run "$W" pack remove my-course
status_is 0 "removing a linked pack"
[ -f my-course/pack.lua ] && ok "leaves its folder alone" || not_ok "leaves its folder alone"
run "$W" pack add "file://$T/my-course" --at v1
status_is 0 "added from a repository at a tag"
has "left out, because packs do not contain such files: 1 file, such as notes.txt" "and what no pack is made of is left out"
[ -e "$packs/my-course/notes.txt" ] && not_ok "a link did not come along" || ok "a link did not come along"
run "$W" pack add my-course
status_is 1 "a name that is taken"
has "pack update my-course" "says how to renew it"
run "$W" pack update
has "nothing has changed" "update: nothing new"
(cd my-course && sed -i 's/"0.1"/"0.2"/' pack.lua && git commit -qam two && git tag -f v1) >/dev/null
run "$W" pack update my-course
has "0.2, was 0.1" "update: from one version to the next"
(cd my-course && echo 'return lab {' >labs/second.lua && git commit -qam bad && git tag -f v1) >/dev/null
run "$W" pack update my-course
status_is 1 "a lesson that does not load is not installed"
run "$W" grade my-course/second hp/kernels/second.cu
status_is 0 "the version before stays"
run "$W" pack list --json
is "$(json "$T/out" '[(p["name"], p["version"]) for p in j]')" "[('hp', '1'), ('my-course', '0.2')]" "list --json"
is "$(ls -A "$packs/.tmp")" "" "nothing is left behind"

# ---- hostile ones ----
hostile() { # NAME pack.lua WANT
    rm -rf h && mkdir -p h/labs && cp hp/labs/second.* h/labs/ && printf '%s\n' "$2" >h/pack.lua
    run "$W" pack add h
    status_is 1 "refused: $1"
    has "$3" "$1: says why"
}
head='title = { en = "A", zh = "甲" }, version = "1"'
hostile "a name with a path" "return pack { name = \"../../x\", $head }" "pack.name: expected"
hostile "the name of a lab of Warplab's" "return pack { name = \"vector-add\", $head }" "choose another name"
hostile "an order of labs that are not there" "return pack { name = \"h\", $head, order = { \"nix\" } }" "there is no labs/nix.lua"
hostile "a deadline that is none" "return pack { name = \"h\", $head, deadlines = { second = \"soon\" } }" "expected a moment"
hostile "a later Warplab" "return pack { name = \"h\", $head, needs = { warplab = \"99.1\" } }" "needs warplab 99.1"
hostile "a misspelt field" "return pack { name = \"h\", $head, wieghts = {} }" "did you mean \`weights\`"
hostile "an endless loop" "while true do end" "endless loop"
hostile "no Chinese title" 'return pack { name = "h", title = { en = "A" }, version = "1" }' "the Chinese text (zh) is missing"
echo "return pack { name = \"h\", $head }" >h/pack.lua
rm h/labs/second.lua; ln -s "$T/hp/labs/second.lua" h/labs/second.lua
run "$W" pack add h
has "has no labs" "a lesson that is a link is left out"
head -c 2000000 /dev/zero >h/labs/big.cu
run "$W" pack add h
has "at most 1,024 KB" "a file that is too large"
run "$W" pack add 'ext::sh -c touch% pwned'
[ -e pwned ] && not_ok "an address that starts a program" || ok "an address that starts a program"
run "$W" pack add -- --upload-pack=touch
status_is 1 "an address that looks like an option"
run "$W" pack remove ../../work
status_is 1 "remove takes names, not paths"
run "$W" pack update hp
has "nothing has changed" "a folder's pack is renewed from the folder"
run "$W" pack remove hp my-course
is "$(ls "$packs")" "" "removed: nothing is left"
finish
