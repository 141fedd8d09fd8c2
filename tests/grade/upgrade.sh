#!/bin/bash
# The folder of a grading by each version that was opens in this one: grades, exports and pages come
# of the records as they are, and nothing is graded again. A folder, a record or a gradebook of a
# newer version is refused and stays the same bytes.
. "$(dirname "$0")/../lib.sh"
bytes() { (cd "$1" && find . -type f -exec sha256sum {} + | sort); }

for archive in "$root"/tests/grade/upgrades/grading-*.tar.gz; do
    version=$(basename "$archive" .tar.gz)
    version=${version#grading-}
    rm -rf "${T:?}/$version" && mkdir "$T/$version"
    tar -xzf "$archive" -C "$T/$version"
    O=$T/$version/out
    records=$(cd "$O/records" && sha256sum ./* | sort)
    run $W grade status "$O"
    status_is 0 "$version: status"
    run $W gradebook list "$O/gradebook.sqlite"
    status_is 0 "$version: its own gradebook is read"
    has "ada" "$version: its own gradebook is read"
    run $W gradebook export "$O/gradebook.sqlite" --csv -
    has '"hello","bob","graded","fail",0,10' "$version: its own gradebook is exported"
    run $W gradebook export "$O" --csv -
    status_is 0 "$version: export"
    has '"hello","ada","graded","pass",10,10' "$version: who passed, passed"
    has '"hello","bob","graded","fail",0,10' "$version: who failed, failed"
    run $W grade explain "$O" bob
    status_is 0 "$version: explain"
    run $W gradebook rebuild "$O"
    status_is 0 "$version: the pages are made again"
    [ -s "$O/reports/index.html" ] && ok "$version: the pages are there" || not_ok "$version: the pages are there"
    is "$(cd "$O/records" && sha256sum ./* | sort)" "$records" "$version: the records are what they were"
done

# A newer version's.
newer() { # WHAT: a fresh copy in $O, in which python has changed what it is given on standard input
    rm -rf "$T/newer" && mkdir "$T/newer" && tar -xzf "$root/tests/grade/upgrades/grading-0.1.0.tar.gz" -C "$T/newer"
    O=$T/newer/out
    (cd "$O" && python3 -)
    before=$(bytes "$O")
}
refused() { # WHAT COMMAND...
    local what=$1
    shift
    run "$@"
    status_is 3 "$what: exit status"
    has "newer Warplab" "$what: says why"
    is "$(bytes "$O")" "$before" "$what: nothing is touched"
}
newer <<'EOP'
import json
m = json.load(open("manifest.json")); m["version"] = 2; m["submissions"] = "in another way"
json.dump(m, open("manifest.json", "w"))
EOP
mkdir -p "$T/in/ada" && cp "$root/answers/hello.cu" "$T/in/ada/"
refused "a newer list, status" $W grade status "$O"
refused "a newer list, export" $W gradebook export "$O" --csv -
refused "a newer list, rebuild" $W gradebook rebuild "$O"
refused "a newer list, regrade" $W grade regrade "$O"
refused "a newer list, grade" $W grade --batch "$T/in" --out "$O" --secret 7
newer <<'EOP'
import sqlite3
d = sqlite3.connect("gradebook.sqlite"); d.execute("PRAGMA user_version = 2"); d.commit()
EOP
refused "a newer gradebook, rebuild" $W gradebook rebuild "$O"
refused "a newer gradebook, read" $W gradebook list "$O/gradebook.sqlite"
# An older gradebook is made anew, and kept beside.
newer <<'EOP'
import sqlite3
d = sqlite3.connect("gradebook.sqlite"); d.execute("PRAGMA user_version = 0"); d.commit()
EOP
cp "$O/gradebook.sqlite" "$T/old.sqlite"
run $W gradebook rebuild "$O"
status_is 0 "an older gradebook is made anew"
cmp -s "$O/gradebook.sqlite.form0" "$T/old.sqlite" && ok "an older gradebook is kept" || not_ok "an older gradebook is kept"
finish
