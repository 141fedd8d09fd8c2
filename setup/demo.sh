#!/bin/sh
# What `make lab` does where there is no terminal: plays one lab, from the skeleton (which fails) to the model answer (which passes).
cd "$(dirname "$0")/.." || exit 1
W=${B:-build}/warplab
LAB=${1:-vector-add}
T=$(mktemp -d "${TMPDIR:-/tmp}/warplab-demo.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM

echo "No terminal here, so this plays the lab $LAB by itself. In a terminal, make lab opens it for you."
cp "labs/$LAB.cu" "$T/$LAB.cu" || exit 1
# On a machine without a sandbox our own files may be graded all the same.
safe=
"$W" doctor --no-probe 2>/dev/null | grep -q '^ok *sandbox' || safe=--no-sandbox

echo
echo "1. The skeleton, as a student finds it:"
"$W" grade "$LAB" "$T/$LAB.cu" $safe
status=$?
if [ $status != 1 ]; then
    echo "warplab: the skeleton should have failed (exit status 1), found $status" >&2
    exit 1
fi

echo
echo "2. The model answer in its place:"
diff "$T/$LAB.cu" "answers/$LAB.cu" | grep '^[<>]' | grep -vE '^. *(//|$)' | sed 's/^</   -/; s/^>/   +/'
cp "answers/$LAB.cu" "$T/$LAB.cu"
"$W" grade "$LAB" "$T/$LAB.cu" $safe
status=$?
if [ $status != 0 ]; then
    echo "warplab: the model answer should have passed (exit status 0), found $status" >&2
    exit 1
fi
echo
echo "The skeleton failed and the answer passed, as they should. Next: $W in a terminal, or docs/student.md"
