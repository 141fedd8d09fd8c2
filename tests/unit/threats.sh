#!/bin/bash
# docs/threats.md: every test that it names is there, every row of a table names one, and
# SECURITY.md leads to it.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
page=docs/threats.md
named=$(grep -oE '`tests/[A-Za-z0-9_./-]+`' "$page" | tr -d '`' | sort -u)
missing=
for f in $named; do [ -e "$f" ] || missing="$missing $f"; done
is "$missing" "" "every test that $page names exists"
rows=$(grep -E '^\| ' "$page" | grep -cv '^| what .* | because | tested in |$')
if [ "$rows" -ge 25 ]; then ok "there are rows ($rows)"; else not_ok "there are rows ($rows)"; fi
is "$(grep -E '^\| ' "$page" | grep -v '| because | tested in |$' | grep -vc '`tests/[^`]*`')" 0 "every promise names a test"
has_link=$(grep -c 'docs/threats.md' SECURITY.md)
is "$((has_link > 0))" 1 "SECURITY.md points to it"
# The corpus: what is said to be an attack states a verdict that is none of the honest.
is "$(for f in $named; do case $f in *cheats/*.honest.cu) ;; *cheats/*.cu) grep -q '^// expect: pass' "$f" && echo "$f" ;; esac; done)" "" "no attack that it names is expected to pass"
finish
