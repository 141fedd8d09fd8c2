#!/bin/bash
# slow
# `warplab debug` from scripts: breakpoints, watchpoints, steps both ways, variables, who wrote
# what; a program, a lab, both languages. What is expected follows from the programs' sources.
# 500000 = 1953 * 256 + 32, so thread 500000 is thread 32 of block 1953.
. "$(dirname "$0")/../lib.sh"
wrong=$root/tests/profile/debug/wrong.cu

# script LINE...: a session with these commands
script() { # FILE OPTION... -- LINE...
    local args=()
    while [ "$1" != -- ]; do args+=("$1"); shift; done
    shift
    printf '%s\n' "$@" >"$T/commands"
    timeout -k 5 60 "$W" debug --device sim:h200 "${args[@]}" <"$T/commands" >"$T/out" 2>&1
    status=$?
    out=$(cat "$T/out")
}

# ---- who writes c[960]? In a run over a million elements, in under ten seconds, and back from there ----
script "$wrong" -- quit # compiled
TIMEFORMAT="%U %S"
{ time script "$wrong" -- "watch c[960] if i != 960" run "print i" "print s" "reverse-next" "print c[960]" "reverse-step" end "array c 959..961" "print c[960]" reverse-continue where quit; } 2>"$T/took"
computed=$(tail -n 1 "$T/took")
is "$(python3 -c "print(sum(map(float, '$computed'.split())) < 10)")" True "the writer is found with less than 10 s of computing ($computed)"
status_is 0 "a session"
has "add, block (1953,0,0), thread (32,0,0): warp 1, lane 0" "the writer"
has ">   16          c[960] = s;" "its line"
has "i = 500000" "its variable"
has "s = 1000000" "what it is about to write"
has "       960         1000000  block (1953,0,0) thread (32,0,0) line 16" "the last writer of an element"
has "       959            1918  block (3,0,0) thread (191,0,0) line 14" "and of its neighbour"
has "c[960] = 1000000" "the value at the end"
has ">   15      if (i == 500000)" "a step back"
has "c[960] = 1920" "with the element as it was before"
has ">   14      c[i] = s;" "and another"
is "$(grep -c 'about to be written: watchpoint 1' "$T/out")" 2 "found forwards and backwards"
has ">#0  add  wrong.cu:16" "where"

# ---- breakpoints, steps, calls, lanes ----
script "$wrong" -- "b 13 if i == 777" points run step where "print x" up "print i" finish next "lanes i" warps "focus lane 3" "print threadIdx.x" "p nothing" "p 1 +" "delete 1" points "info break" c c quit
status_is 0 "steps"
has "breakpoint 1: 13 if i == 777" "a breakpoint is told"
has "add, block (3,0,0), thread (9,0,0): warp 0, lane 9" "its thread: 777 = 3 * 256 + 9"
has ">#0  sum  wrong.cu:6" "step goes into a function"
has " #1  add  wrong.cu:13" "and its caller is told"
has "x = 777" "a parameter of the function"
has "i = 777" "a variable of the caller"
has "   8       776      777      778" "a row of lanes"
has ">   0  ################################  runs         add:14" "warps"
has "threadIdx.x = 3" "another lane"
has "there is no variable nothing here" "an unknown name"
has "a value is expected" "half an expression"
has "No breakpoints" "deleted"
is "$(grep -c "No breakpoints" "$T/out")" 2 "asked as gdb has it, too"
has "c[960] = 1e+06" "the program goes on to its end"

# ---- machine code: the block runs again over the memory that it found, and changes nothing ----
stepped=$root/tests/profile/debug/stepped.cu
at="blockIdx.x == 1 && threadIdx.x == 7"
script --optimised "$stepped" -- "break 19 if $at" run machine start "stepi 3" back end registers "lanes R0 d" stepi "reverse-continue 13" sass "reverse-continue 19" "continue 0xzz" "registers R300" "focus lane 3" frobnicate source machine source "delete 1" end continue quit
status_is 0 "machine code"
is "$(grep -c "^The block runs again, as machine code" "$T/out")" 2 "it can be looked at again"
has "instruction 4 of " "three instructions on"
has "instruction 3 of " "and one back"
has "  0x0000 LDC R1, c[0x0][0x28]" "the first instruction of every kernel of sm_90: its stack pointer"
has "EXIT" "the last one"
has " 1870 " "the sum in a register: 1000 + 870, over memory as the block found it"
lacks " 2740 " "which its own PTX has not changed before"
has "The thread executes no such instruction after this one." "an end is told"
has ">   13          s += t[(threadIdx.x + k) % 64];" "to a line"
has "   ptx " "the PTX of its lines"
has "The thread does not come to 19 from here." "a line that is not before this"
has "continue takes a source line" "no address"
has "The kernel has no machine register R300." "no register"
has "warp 0, lane 3" "another lane"
has "frobnicate is no command" "no command"
has "c[71] = 1871" "the program's own result"
script --optimised "$stepped" more -- run machine end source quit
has "out of bounds" "a fault of its machine code ends the block, and is told"
script "$stepped" -- "break 13 if i == 71" "break more" run machine "delete 1" continue continue machine end "registers R" quit
has "No machine code here: " "a call in code of nvcc -G, in a line"
has "warplab debug --optimised" "and what to do"
has "more, block (0,0,0), thread (0,0,0): warp 0, lane 0" "the kernel that calls nothing"
is "$(grep -c "^instruction [0-9,]* of" "$T/out")" 2 "its code of nvcc -G is executed"
has " EXIT" "to its end"
script --device sim:g80 --optimised "$stepped" -- "break 13" run machine quit
has "stall count" "g80 has that of sm_75, by which it is timed"
run "$W" debug --device sim:h200 --optimised /bin/true
status_is 2 "--optimised is for what is compiled here"

# ---- what cannot be ----
run "$W" debug
status_is 2 "no operand"
run "$W" debug "$T/nothing.cu"
status_is 2 "no such file"
has "cannot read" "and it says so"
run "$W" debug --device gpu:0 "$wrong"
status_is 2 "a GPU cannot be stopped"
run "$W" debug /bin/true
status_is 1 "no CUDA program"
has "is no CUDA program" "and it says so"
printf '__global__ void k() { oops }\nint main() { k<<<1, 1>>>(); }\n' >"$T/bad.cu"
run "$W" debug "$T/bad.cu"
status_is 1 "what does not compile"
has "does not compile" "and it says so"
script "$wrong" -- step frobnicate "break" "cond 9 x" "delete 7" quit
has "Nothing runs now" "a step before run"
has "frobnicate is no command" "an unknown command"
has "a place or expression of 1 to 255 characters is expected" "a breakpoint nowhere"

# ---- a lab: stops at the first finding, in Chinese ----
script --lang zh --case 2 bug-hunt "$root/labs/bug-hunt.cu" -- run "print i" c quit
has "越界读" "the finding in Chinese"
has ">   27      scaled[i] = 3 * a[i];" "stops at its line"
has "i = 1003" "the thread that goes out of bounds is the n-th"

# ---- a lab opens at its lesson's place: at the first finding; at the branch, in the lesson's words; where the text is gone, at the start ----
script --lang en bug-hunt "$root/labs/bug-hunt.cu" -- "print i" quit
has "thread 235 of block 3 of scale reads 4 bytes out of bounds" "bug-hunt opens at the first finding"
has ">   27      scaled[i] = 3 * a[i];" "at its line, with nothing asked"
has "i = 1003" "in its thread"
# findings are places in time as breakpoints are: one comes to them again, from before and from the end
script --lang en bug-hunt "$root/labs/bug-hunt.cu" -- reverse-next "print &a[i] - a" continue end reverse-continue "print i" reverse-continue start continue "lanes &a[i]" "lanes 1.0f / (i + 1)" "page $T/page.html" quit
is "$(grep -c 'the next instruction does this' "$T/out")" 4 "the finding stops from wherever one comes"
has "where this line begins" "a step back within a line says so"
has "&a[i] - a = 1003" "the address that is out of bounds"
has "nothing stopped before: this is the launch's start" "nothing before it"
has "this is the launch's start" "start"
has "   4     0x300000001190    0x300000001194    0x300000001198    0x30000000119c" "a row of addresses has room"
has "   0  0.001007 0.001006" "and a row of floats: 1 / 993"
grep -q 'scaled\[i\] = 3 \* a\[i\]' "$T/page.html" && grep -q '<svg' "$T/page.html" && ok "a page of what is seen" || not_ok "a page of what is seen"
script --lang en bug-hunt "$root/labs/bug-hunt.cu" -- "page /nowhere/at/all.html" quit
has "/nowhere/at/all.html" "a page that cannot be written"
sed 's/i > n/i >= n/' "$root/labs/bug-hunt.cu" >"$T/race.cu"
script --lang en --case 4 bug-hunt "$T/race.cu" -- run continue continue continue quit
has "thread 33 of block 0 of count reads byte 0 of positives" "a race stops at the second access"
has "which thread 31 writes at race.cu:48" "and tells the other side"
script --lang en bug-hunt "$root/answers/bug-hunt.cu" -- quit
has "The outputs are right." "with all mended it runs to its end"
script --lang en divergence "$root/labs/divergence.cu" -- next warps quit
has "At this branch the lanes split" "divergence says what is to be seen"
has "      if (i % 2 == 0) {" "at the branch"
has ">   0  #.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.  runs" "where they part"
script --lang zh divergence "$root/answers/divergence.cu" -- quit
has "lane 在这个分支处分开" "in Chinese"
has "if (odd == 0)" "and at another form of the branch"
sed 's/if (i % 2 == 0)/if (!(i \& 1))/; s/for (int k/for (int z/; s/k < steps; k++/z < steps; z++/' "$root/labs/divergence.cu" >"$T/other.cu"
script --lang en divergence "$T/other.cu" -- quit
has "the launch begins" "a file without any of the texts opens at the launch"
printf '%s\n' "start bug-hunt" debug "print i" quit quit >"$T/commands"
timeout -k 5 60 "$W" <"$T/commands" >"$T/out" 2>&1
out=$(cat "$T/out")
has "i = 1003" "debug at the lab's prompt opens there too"

# ---- in an open lab: lanes part and meet, and the prompt of the lab is there again ----
printf '%s\n' "start divergence" "debug 1" "break iterate" run next next next next warps "focus lane 1" next warps "print i" quit lang quit quit >"$T/commands"
timeout -k 5 60 "$W" <"$T/commands" >"$T/out" 2>&1
out=$(cat "$T/out")
has "0  .#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#  ready" "the odd lanes wait"
has ">   0  #.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.  runs" "while the even ones run"
has ">   0  ################################  runs" "and they meet again"
has "i = 1" "lane 1 works on element 1"
timeout -k 5 60 "$W" <"$T/commands" >"$T/out" 2>&1
out=$(cat "$T/out")
has "i = 1" "and in the next session, where another module lay at its address before"
has "The language is English" "quit leads back to the lab"
finish
