#!/bin/bash
# Catalogues (runner/base/words): msgfmt reads them, the build refuses broken ones and says where, a
# new sentence and a new row change only what they must, the pseudo-locale loads; and no letter
# beyond ASCII stands in code of the rooms below, which are converted: what people read is in the
# catalogues. Nothing is excepted. The signs that runner/term reads and wraps (Chinese numerals,
# quotation marks) are code points there: they are the same whatever one reads.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
words=runner/base/words
told() { is "$3" "$2" "$1"; } # WHAT WANT GOT

converted="runner/build runner/cli runner/sandbox runner/profile runner/debugger runner/base runner/base/words runner/base/words/make grader/json grader/intake runner/course runner/pack runner/book runner/practice grader/goal grader/judge grader/report grader/run grader/lab runner/repl runner/listing runner/grade runner/lesson runner/prove runner/term $(find runner/device -type d)"
for room in $converted; do
    told "no letter beyond ASCII in the code of $room" "" "$(LC_ALL=C grep -nP '[^\x00-\x7F]' "$room"/*.[ch] "$room"/*.def 2>/dev/null | cut -c 1-100 | head -5)"
done

if command -v msgfmt >/dev/null; then
    for po in $words/*.po; do
        told "msgfmt reads $po" "" "$(msgfmt -c -o /dev/null "$po" 2>&1 | grep -v "header field\|^ *$")"
    done
fi

# What the build says of a broken catalogue.
make_words() { "$B/words-make" "$T/out" "$@" 2>&1; }
mkdir -p "$T/out" "$T/x"
header='msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'
refused() { # WHAT ENGLISH OTHER EXPECTED
    printf "$header$2" >"$T/x/en.po"
    printf "$header$3" >"$T/x/de.po"
    told "$1" "$T/x/$4" "$(make_words "$T/x/en.po" "$T/x/de.po")"
}
row='msgid "a.b"\nmsgstr "%s"\n'
refused "an argument that English does not have" "${row/\%s/\{x\}}" "${row/\%s/\{y\}}" 'de.po:4: a.b: a place names an argument that English does not have'
refused "an argument that is missing" "${row/\%s/\{x\}}" "${row/\%s/no}" 'de.po:4: a.b: an argument of English is missing ("#. may leave out: NAME" allows it)'
refused "an argument of another type" "${row/\%s/\{x\}}" "${row/\%s/\{x:d\}}" 'de.po:4: a.b: an argument has another type than in English'
refused "a row that English does not have" "${row/\%s/x}" 'msgid "a.c"\nmsgstr "x"\n' 'de.po:4: a.c: English has no such row'
refused "a form that is not known" "${row/\%s/\{x:q\}}" '' 'en.po:4: a.b: behind the name of an argument stands no form that is known'
refused "an id that is none" 'msgid "ab"\nmsgstr "x"\n' '' 'en.po:4: ab: an id is ROOM.WHAT-IT-SAYS, in small letters'
refused "two ids of one name in C" 'msgid "a.b-c"\nmsgstr "x"\n\nmsgid "a.b.c"\nmsgstr "y"\n' '' 'en.po:7: a.b.c: two ids are one name in C: rename one'
refused "@ of no row" "${row/\%s/\{n:@count.none\}}" '' 'en.po:4: a.b: @ names no row with one whole number'
refused "a plural without a number" 'msgid "a.b"\nmsgid_plural "a.b"\nmsgstr[0] "x"\nmsgstr[1] "{x}"\n' '' 'en.po:4: a.b: a plural has no whole number that decides it'
refused "a plural's form without an argument of another" 'msgid "a.b"\nmsgid_plural "a.b"\nmsgstr[0] "{n:d} {us:g}"\nmsgstr[1] "{n:d}"\n' '' 'en.po:4: a.b: a form leaves out an argument of another'
refused "what the client library cannot say" 'msgid "cudart.b"\nmsgstr "{n:d}"\n' '' 'en.po:4: cudart.b: the client library says texts and {n:u} only'
refused "a file that is no PO" 'msgid "a.b"\nmsgstr x\n' '' 'en.po:5: a string has to begin with a quotation mark'
refused "a translation that is not there yet is only told" "${row/\%s/x}" '' 'de.po:1: rows that are not translated: 1, the first of them a.b'

# Only what changes is written.
printf "$header${row/\%s/x}"'\nmsgid "c.d"\nmsgstr "y"\n' >"$T/x/en.po"
make_words "$T/x/en.po" >/dev/null
touch -d '2001-01-01' "$T"/out/*
newer() { find "$T/out" -type f -newermt 2002-01-01 -printf '%f\n' | sort | tr '\n' ' '; touch -d '2001-01-01' "$T"/out/*; }
make_words "$T/x/en.po" >/dev/null
told "the same catalogue writes nothing" "" "$(newer)"
sed -i 's/"y"/"z"/' "$T/x/en.po"
make_words "$T/x/en.po" >/dev/null
told "a sentence changes one table" "en.c " "$(newer)"
printf '\nmsgid "c.e"\nmsgstr "{n:d}"\n' >>"$T/x/en.po"
make_words "$T/x/en.po" >/dev/null
told "a row changes its room and the tables" "c.h en.c rows.c " "$(newer)"

# A translator's file; the pseudo-locale.
tests/unit/words/pseudo.py >"$T/pseudo.po"
told "the pseudo-locale is a catalogue" "" "$(msgfmt -c -o /dev/null "$T/pseudo.po" 2>&1 | grep -v "header field\|^ *$")"
told "and is shown" "yes" "$(WARPLAB_LANG=en WARPLAB_WORDS=$T/pseudo.po "$B/warplab" list 2>&1 | grep -q '⟦' && echo yes)"
WARPLAB_WORDS=$T/none.po "$B/warplab" --version >"$T/out.txt" 2>&1
told "a file that is not there" "cannot read $T/none.po: No such file or directory" "$(WARPLAB_LANG=en WARPLAB_WORDS=$T/none.po "$B/warplab" --version 2>&1 | sed 's/^warplab: //' | head -1)"
finish
