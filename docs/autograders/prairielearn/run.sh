#!/bin/bash
# PrairieLearn's entrypoint: the student's files are in /grade/student, what is graded goes to
# /grade/results/results.json. Where no grade can be made the
# file says so (gradable: false), which is no zero. NO_SANDBOX=1 in the question's environment where
# its containers allow no user namespaces.
G=${GRADE:-/grade}
W=${WARPLAB:-warplab}
results=$G/results/results.json
mkdir -p "$G/results"
say() { printf '{"gradable": false, "format_errors": ["%s"]}\n' "$1" >"$results"; }
if [ ! -f "$G/student/$LAB.cu" ]; then
    say "Expected a file $LAB.cu."
    exit 0
fi
say "The grader was stopped before it came to an end."
"$W" grade "$LAB" "$G/student/$LAB.cu" --device "${DEVICE:-sim:h200}" --secret "${SECRET:-1}" ${NO_SANDBOX:+--no-sandbox} --prairielearn "$results" || true
