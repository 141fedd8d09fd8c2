#!/bin/bash
# `make check`: everything a reviewer would otherwise have to look for. Each line says what was
# looked at; the exit status says whether all is well.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
failures=0
step() { # NAME COMMAND...
    local name=$1 out
    shift
    if out=$("$@" 2>&1); then printf 'ok    %s\n' "$name"; else
        printf 'FAIL  %s\n' "$name"
        printf '%s\n' "$out" | head -n "${LINES_SHOWN:-60}" | sed 's/^/      /'
        failures=$((failures + 1))
    fi
}
ours() { git ls-files "$@"; }
jobs=$(nproc)
exec 3>&1 # what a step says though all is well

format() { ours '*.c' '*.h' | xargs -P "$jobs" -n 60 clang-format --dry-run -Werror; }
# One file at a time, the last changed first; what is compiled for an instruction set of its own is
# read so too. CHECK_SECONDS ends it early: the files that it did not come to are named, and are
# those that nobody touched for longest.
tidy() {
    local left
    left=$(mktemp) || return 1
    export end=$(($(date +%s) + ${CHECK_SECONDS:-1000000})) left
    git log --format= --name-only -- 'runner/*.c' 'grader/*.c' 'tests/*.c' | awk 'NF && !seen[$0]++' | grep -v '^tests/fuzz/' | while read -r f; do [ -e "$f" ] && echo "$f"; done |
        xargs -P "$jobs" -n 1 sh -c '
        [ "$(date +%s)" -lt "$end" ] || { echo "$1" >>"$left"; exit 0; }
        case $(uname -m):$1 in
        x86_64:*_avx2.c) set -- "$1" --extra-arg=-march=x86-64-v3 ;;
        x86_64:*_avx512.c) set -- "$1" --extra-arg=-march=x86-64-v4 ;;
        esac
        exec clang-tidy --quiet --warnings-as-errors="*" "$@" --' clang-tidy 2>/dev/null
    local status=$? count
    count=$(wc -l <"$left")
    [ "$count" = 0 ] || echo "clang-tidy: time over, $count files not read" >&3
    rm -f "$left"
    return $status
}
# A file for each instruction set includes the same text as its *_base.c, and cppcheck knows none of
# their flags.
cpp() {
    ours 'runner/*.c' 'grader/*.c' ':!*_avx2.c' ':!*_avx512.c' | xargs -P "$jobs" -n 25 cppcheck -q --std=c11 --enable=warning,portability,performance --inline-suppr --error-exitcode=1 \
        --suppressions-list=tests/lint/cppcheck.txt -I. -I"$B" -D_GNU_SOURCE -D__x86_64__
}
lua() { ours '*.lua' | xargs luacheck -q --config .luacheckrc; }
shells() { ours '*.sh' tests/run .ci/run | xargs -n 1 sh -c 'case $(head -n 1 "$0") in *bash*) bash -n "$0" ;; *) sh -n "$0" ;; esac'; }
# Every generated file has a line "made by: COMMAND" in its first five: the command's output must be
# what lies there.
fresh() {
    local bad=0 file command
    while read -r file; do
        command=$(head -n 5 "$file" | sed -n 's/.*made by: \(.*\)$/\1/p' | sed 's/ *\*\/$//; s/ *-->$//')
        bash -c "$command" | cmp -s - "$file" || { echo "$file is not what \"$command\" makes"; bad=1; }
    done < <(git grep -lE 'made by: ' -- docs ':!docs/*.sh' runner grader 2>/dev/null)
    return $bad
}
whitespace() { ! git grep -nIE '[[:blank:]]+$' -- '*.c' '*.h' '*.def' '*.sh' '*.lua' '*.cu' '*.md' Makefile; }

step "the layers" tests/unit/layers.sh
step "format (clang-format)" format
words() { ours "*.md" | xargs tests/lint/words.py; }
# tests/cuda and its like are programs whose lines the tests count.
widths() {
    ours 'runner/*.c' 'runner/*.h' 'runner/*.inc' 'runner/*.def' 'runner/*.po' 'grader/*.c' 'grader/*.h' 'grader/*.def' 'labs/*.lua' '*.sh' Makefile \
        tests/run .ci/run 'tests/unit/*.c' 'tests/*.h' 'tests/bench/*.c' 'tests/fuzz/*.c' 'tests/truth/*.c' 'tests/*.py' ':!tests/cuda/*.h' | xargs tests/lint/widths.py
}
step "white space at line ends" whitespace
step "widths of comments" widths
step "words and widths of pages (docs/WRITING.md)" words
step "rows of tests/mutants/equal.txt whose line is gone" tests/lint/equal.py
step "shell scripts parse" shells
step "lessons (luacheck)" lua
step "generated files are fresh" fresh
step "cppcheck" cpp
step "clang-tidy" tidy
[ $failures = 0 ] || { echo "$failures of the checks failed"; exit 1; }
