#!/bin/bash
# One version: the file VERSION. `warplab --version`, reports and the first section of CHANGELOG.md
# say it, and nothing else spells it out.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
version=$(cat VERSION)
if [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]; then ok "VERSION is MAJOR.MINOR.PATCH"; else not_ok "VERSION is MAJOR.MINOR.PATCH (it holds $version)"; fi
run "$W" --version
is "$out" "warplab $version" "warplab --version says it"
status_is 0 "warplab --version succeeds"
first=$(grep -m 1 '^## ' CHANGELOG.md)
is "${first% (unreleased)}" "## $version" "CHANGELOG.md begins with it"
run "$W" grade hello answers/hello.cu --device sim:h200 --no-sandbox --json "$T/report.json"
is "$(json "$T/report.json" 'j["warplab"]')" "$version" "a report says it"
others=$(git grep -nwF "$version" -- '*.c' '*.h' '*.def' '*.sh' '*.py' Makefile | grep -vF 'runner/base/paths.h:')
is "$others" "" "no source spells it out"
finish
