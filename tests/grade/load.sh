#!/bin/bash
# slow
# timeout: 1500
# Compile bombs and honest work in a batch, once on the machine as it is and once beside busy loops,
# four for each core: which limit a compiler meets first, of computing, of waiting or of memory, is
# the machine's affair; the records have to be the same bytes. And what has met a limit is not tried
# again.
#
#   KINDS="kernels good" tests/grade/load.sh
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
[ -n "${FULL-}${KINDS-}" ] || { skip "a batch beside busy loops, the same bytes (ten minutes with nothing else running: FULL=1)"; finish; }
LIMIT=1200
bomb() { # KIND: the source on standard output
    case $1 in
    templates) cat <<'CUDA' ;;
template <int N, int M> struct wide { static const int value = wide<N - 1, 2 * M>::value + wide<N - 1, 2 * M + 1>::value; };
template <int M> struct wide<0, M> { static const int value = M; };
int v = wide<30, 1>::value;
void vector_add(const float *, const float *, float *, int) {}
CUDA
    kernels)
        python3 - <<'PY'
for i in range(15000):
    print(f"__global__ void k{i}(float*a,int n){{a[n]+={i};}}") # a megabyte at most is read
print("void vector_add(const float *a, const float *b, float *c, int n) {}")
PY
        ;;
    good) cat answers/vector-add.cu ;;
    slow) cat labs/vector-add.cu ;;
    esac
}
for kind in ${KINDS:-templates kernels good slow}; do
    mkdir -p "$T/in/$kind"
    bomb "$kind" >"$T/in/$kind/vector-add.cu"
done
batch() { # OUT: into $T/OUT, with a cache of its own
    XDG_CACHE_HOME=$T/cache-$1 run "$W" grade --batch "$T/in" --out "$T/$1" --jobs 2 --device sim:h200 --seed 11 --quiet
    status_is 0 "$1: the batch comes to its end"
}
verdicts() { # OUT: student and verdict of each
    "$W" gradebook export "$T/$1" --json "$T/book.json" >/dev/null
    json "$T/book.json" '" ".join(sorted("%s:%s" % (r["student"], r["verdict"]) for r in j))'
}

batch quiet
spinners=()
for _ in $(seq 1 $((4 * $(nproc)))); do
    while :; do :; done &
    spinners+=($!)
done
trap 'kill "${spinners[@]}" 2>/dev/null; rm -rf "$T"' EXIT
batch loaded
kill "${spinners[@]}"
wait "${spinners[@]}" 2>/dev/null
if diff -r "$T/quiet/records" "$T/loaded/records" >"$T/diff"; then ok "the records under load are the quiet ones, byte for byte"; else
    not_ok "the records under load are the quiet ones, byte for byte ($(head -c 600 "$T/diff" | tr '\n' '|'))"
fi
want=
for kind in good kernels slow templates; do
    [ ! -e "$T/in/$kind" ] || case $kind in good) want="$want $kind:pass" ;; *) want="$want $kind:fail" ;; esac
done
is "$(verdicts quiet)" "${want# }" "bombs fail, the answer passes"
is "$(verdicts loaded)" "${want# }" "and so under load"
bombs=$(find "$T/in" -mindepth 1 -maxdepth 1 '(' -name templates -o -name kernels ')' | wc -l)
is "$(grep -rl 'of computing or the [0-9.]* GB of memory that it may take' "$T/quiet/records" | wc -l)" "$bombs" "one message, whichever limit it was"

# ---- one try ----
if [ -e "$T/in/kernels" ]; then
    TIMEFORMAT=%U
    used=$({ time XDG_CACHE_HOME=$T/cache-one timeout "$LIMIT" "$W" grade vector-add "$T/in/kernels/vector-add.cu" --device sim:h200 >"$T/out" 2>&1 </dev/null; } 2>&1)
    has_limit=$(sed -n 's/.*more than the \([0-9]*\) s of computing.*/\1/p' "$T/out" | head -1)
    [ -n "$has_limit" ] && [ "${used%.*}" -lt $((has_limit * 3 / 2 + 10)) ] && ok "a compiler that met a limit is not tried again ($used s of $has_limit)" ||
        not_ok "a compiler that met a limit is not tried again ($used s, limit $has_limit: $(head -c 300 "$T/out"))"
fi
finish
