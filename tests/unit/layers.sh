#!/bin/bash
# The four floors: base <- device (targets <- sim <- server; cudart and gpu each alone) <- grader <-
# the rest of runner. Read from the #include lines and from the symbols of the libraries, so that a
# cycle cannot creep in.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
failures=0
check() { # NAME BAD-LINES
    if [ -z "$2" ]; then echo "ok $1"; else
        echo "not ok $1 ($(echo "$2" | head -5 | tr '\n' '|'))"
        failures=1
    fi
}

# layer_of PATH: $layer, the one that a file belongs to. (A variable: a subshell for each of some
# thousands of lines takes seconds.)
layer_of() {
    case $1 in
    runner/base/*) layer=base ;;
    runner/device/targets/*) layer=targets ;;
    runner/device/sim/*) layer=sim ;;
    runner/device/server/*) layer=server ;;
    runner/device/cudart/*) layer=cudart ;;
    runner/device/gpu/*) layer=gpu ;;
    grader/*) layer=grader ;;
    runner/*) layer=runner ;;
    *) layer=other ;;
    esac
}
# What a layer may include, itself aside. The device server shares the client's protocol and nothing
# else of it.
declare -A allowed=([base]= [cudart]= [targets]= [sim]="base targets" [gpu]=base [server]="base sim cudart gpu" [grader]="base sim server" [runner]="base sim server grader")

shared_protocol='runner/device/cudart/(protocol|api)\.h|runner/device/cudart/[a-z]+\.def|runner/device/gpu/gpu\.h|runner/device/gpu/[a-z]+\.def'
declare -A bad
while IFS=: read -r file line; do
    name=${line#*\"}
    name=${name%%\"*}
    # As the compiler looks: beside the file, then from the root.
    target=${file%/*}/$name
    [[ $name != *..* ]] || target=$(realpath -m --relative-to=. "$target")
    [ -e "$target" ] || target=$name
    [ -e "$target" ] || continue
    layer_of "$file" && from=$layer
    layer_of "$target" && to=$layer
    [ "$from" = "$to" ] && continue
    case " ${allowed[$from]} " in
    *" $to "*)
        if [[ $to != cudart && $to != gpu ]] || [[ $target =~ ^($shared_protocol)$ ]]; then continue; fi
        ;;
    esac
    bad[$from]+="$file includes $target"$'\n'
done < <(grep -rnHE '^ *# *include +"' --include='*.c' --include='*.h' --include='*.def' runner grader | sed -E 's/^([^:]*):[0-9]+:/\1:/')
for layer in base targets sim server cudart gpu grader runner; do
    check "$layer includes only what it may" "${bad[$layer]}"
done

check "the simulated device knows no Lua, no sockets, no SQLite, no JSON" \
    "$(grep -rnE '#include <(lua|lauxlib|lualib|sys/socket|netinet|sqlite3|jansson|readline)' runner/device/sim)"
check "the simulated device starts no process" "$(grep -rnE '#include <(spawn|sys/wait)|\b(fork|v?fork|exec[lv]p?e?|kill) *\(' runner/device/sim)"
check "the grader knows no Lua and no REPL" "$(grep -rnE '#include <(lua|lauxlib|lualib|readline)' grader)"
check "the client library includes only libc and its own folder" \
    "$(grep -rhoE '#include <[^>]+>' runner/device/cudart | grep -vE '<(std|string|errno|fcntl|unistd|signal|pthread|sched|time|limits|threads|dlfcn|execinfo|link|elf|ucontext|inttypes|sys/|linux/)' | sort -u)"
# A fact about devices is a field (runner/device/targets/fields.def). A compute capability may be
# told to a program, and code may be chosen by it.
compared='([<>]=?|[!=]=)'
check "no compute capability is compared with a number" "$(grep -rnE "cc_(major|minor)[^;\"]*[^-]$compared *[0-9A-Z_]+\b|[0-9A-Z_]+ *$compared *[A-Za-z_>.-]*cc_(major|minor)|switch *\(.*cc_" \
    --include='*.c' --include='*.h' --include='*.inc' --include='*.def' runner grader | grep -v '^runner/device/targets/')"
# A kind may be named where a goal is made; what it is like is asked of grader/goal/goal.h.
check "no kind of goal is tested outside its file" \
    "$(grep -rnE '\bGRADE_GOAL_[A-Z]+|(strcmp|report_text)\([^;]*"(correct|speedup|fraction|tiers|answers?)"' --include='*.[ch]' runner grader |
        grep -vE '^grader/(goal/|grade\.h)|\.kind = GRADE_GOAL_[A-Z]+|\bGRADE_GOAL_KINDS\b')"
check "no shell is started" "$(grep -rnwE '(system|popen) *\(' --include='*.c' runner grader)"

# The same by symbols: what a library leaves undefined must not be defined by a higher one.
defined() { nm -g --defined-only "$1" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u; }
undefined() { nm -gu "$1" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u; }
needs() { # LOWER HIGHER
    [ -e "$B/lib$1.a" ] && [ -e "$B/lib$2.a" ] || return
    check "lib$1.a needs nothing of lib$2.a" "$(comm -12 <(comm -23 <(undefined "$B/lib$1.a") <(defined "$B/lib$1.a")) <(defined "$B/lib$2.a"))"
}
for layer in device grader runner; do needs base $layer; done
needs device grader
needs device runner
needs grader runner
if [ -e "$B/libcudart.so.13" ]; then
    check "libcudart.so.13 needs nothing but libc" "$(readelf -d "$B/libcudart.so.13" | grep NEEDED | grep -vE '\[(libc|libpthread|libdl|ld-linux-x86-64)\.so')"
fi

# Inside the layers: room by room, and no circle (tests/unit/rooms.txt is the table).
python3 tests/unit/rooms.py tests/unit/rooms.txt . "$B" || failures=1
exit $failures
