#!/bin/bash
# commands.def, options.def and the code say the same: each option that a command takes is in its
# usage and has a row that says what it does, and the other way round; manual pages and completion,
# made of these rows, are whole.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# What the code takes, from its tables of options: FILE FUNCTION NAME.
python3 - >"$T/taken" <<'EOP'
import re, glob
for path in sorted(glob.glob("runner/cli/cmd_*.c")) + ["runner/book/book.c", "runner/main.c"]:
    text = open(path).read()
    macros = {m[1]: m[2] for m in re.finditer(r"^#define (\w+)\(\w+\)((?:.*\\\n)*.*)$", text, re.M)}
    for m in re.finditer(r"^(?:static )?int (\w+)\([^)]*\) \{\n(.*?)^\}", text, re.S | re.M):
        if "cli_options(" not in m[2]:
            continue
        body = m[2] + "".join(t for name, t in macros.items() if name + "(" in m[2])
        names = re.findall(r'\.name = "([^"]+)"', body)
        if ".name = grade_report_at(" in body:
            names += re.findall(r'\bROW\(\w+,\s*\w+,\s*"([^"]+)"', open("grader/report.h").read())
        if ".name = grade_export_name(" in body:
            names += re.findall(r'\bROW\([A-Z]+,\s*(\w+)\)', open("grader/course/course.h").read())
        for name in names:
            print(m[1], name)
EOP
# Which command a function belongs to; the shard of a Slurm task is for ourselves.
sed -i -E 's/^repl /warplab /; s/^record_say |^cmd_grade(_batch|_again|_exam)? /grade /; s/^cmd_//; /shard$/d' "$T/taken"
# Every command takes --lang, for what it says when something goes wrong (cli_options).
for c in $($W --help | sed -nE 's/^  warplab ([a-z]+)( .*)?$/\1/p' | sort -u); do echo "$c lang"; done >>"$T/taken"
sort -u -o "$T/taken" "$T/taken"
[ "$(wc -l <"$T/taken")" -gt 50 ] && ok "options are read from the code" || not_ok "options are read from the code ($(wc -l <"$T/taken"))"

# What is said: --help's list of each command, which has an option only where usage names it and a
# row says what it is.
for c in $($W --help | sed -n 's/^  warplab \([a-z]*\) .*/\1/p;s/^  warplab \([a-z]*\)$/\1/p' | sort -u); do
    $W "$c" --help | sed -nE 's/^  --([a-z-]+).*/'"$c"' \1/p'
    $W "$c" --help | grep -oE '\[?--[a-z]+[a-z-]*' | tr -d '[' | sed "s/^--/$c /" >>"$T/named"
done | sort -u >"$T/said"
$W man | sed -n 's/^\.B \\-\\-\([^ ]*\).*/warplab \1/p' | tr -d '\\' >>"$T/said"
sort -u -o "$T/said" "$T/said"
is "$(comm -23 "$T/taken" "$T/said" | tr '\n' ';')" "" "each option that is taken is in usage and options.def"
is "$(comm -13 "$T/taken" "$T/said" | grep -v '^man out\|^completion' | tr '\n' ';')" "" "each option that is said is taken"
sort -u -o "$T/named" "$T/named"
is "$(comm -23 <(grep -v ' help$' "$T/named") "$T/said" | tr '\n' ';')" "" "each option of a usage has a row of options.def"

is "$(sed -nE 's/^OPTION\("([^"]*)", "([^"]*)".*/\1 \2/p' runner/cli/options.def | sort | uniq -d)" "" "no option has two rows"
# The formats have rows of their own, and the guide of graders names each of their options, in both
# languages.
formats=$(tr '\n' ' ' <grader/report.h | grep -oE 'ROW\([A-Z_]+, *\w+, *"[a-z-]+"' | sed -E 's/.*"(.*)"/\1/'
    tr '\n' ' ' <grader/course/course.h | grep -oE 'ROW\([A-Z]+, *[a-z]+\)' | sed -E 's/.*, *([a-z]+)\)/\1/')
[ "$(wc -w <<<"$formats")" -ge 10 ] && ok "formats are read from their tables" || not_ok "formats are read from their tables ($formats)"
is "$(for f in $formats; do grep -qE -- "--$f\b" docs/grader.md && grep -qE -- "--$f\b" docs/zh/grader.md || echo "$f"; done)" "" "the guide names each format"

# A language that is not one of the two is refused by every command, in the same words; `--lang zh`
# is obeyed where nothing else says a language.
for c in $($W --help | sed -nE 's/^  warplab ([a-z]+)( .*)?$/\1/p' | sort -u); do
    said=$(env -u WARPLAB_LANG LC_ALL=C $W "$c" --lang fr 2>&1)
    [ $? = 2 ] && [[ $said =~ ^"warplab: $c: --lang takes en"(" or zh"|", zh or both")", found fr"$ ]] || echo "$c: $said"
    said=$(env -u WARPLAB_LANG LC_ALL=C $W "$c" --lang zh --no-such-option 2>&1)
    [ $? = 2 ] && [[ $said == *没有选项* ]] || echo "$c: $said"
done >"$T/refused"
is "$(head -3 "$T/refused")" "" "--lang fr is refused by each command, --lang zh is obeyed"

# Each command and option has its row of the catalogue, and none is left over.
is "$(diff <({ echo warplab; sed -nE 's/^COMMAND\("([^"]*)".*/\1/p' runner/cli/commands.def; sed -nE 's/^OPTION\("([^"]*)", "([^"]*)".*/\1.\2/p' runner/cli/options.def | sed 's/^\*/any/'
    tr '\n' ' ' <grader/report.h | grep -oE 'ROW\([A-Z_]+, *\w+, *"[a-z-]+"' | sed -E 's/.*"(.*)"/grade.\1/'; tr '\n' ' ' <grader/course/course.h | grep -oE 'ROW\([A-Z]+, *[a-z]+\)' | sed -E 's/.*, *([a-z]+)\)/gradebook.\1/'; } | sort) \
    <(sed -n 's/^msgid "help\.\(.*\)"/\1/p' runner/base/words/en.po | sort) | tr '\n' ';')" "" "each command and option is a row of the catalogue"
is "$(LANG=zh_CN.UTF-8 $W --help | grep -A1 '^  warplab' | grep '^      [^ ]' | grep -cvP '\p{Han}')" 0 "--help by locale: every command in Chinese"
is "$(for c in $($W --help | sed -n 's/^  warplab \([a-z]*\) .*/\1/p' | sort -u); do WARPLAB_LANG=zh $W "$c" --help | sed '1,/^$/d' | grep . | grep -vP '\p{Han}'; done)" "" "--help of each command: every line in Chinese"
is "$({ WARPLAB_LANG=zh $W --help; for c in $($W --help | sed -n 's/^  warplab \([a-z]*\) .*/\1/p' | sort -u); do WARPLAB_LANG=zh $W "$c" --help; done; } | grep -oE '(^|[ [|])(FILE|LAB|DIR|OUT|WORD|TICKET|PACK|STUDENT|NAME|KIND|PAGE|STEP|TAG|FOLDER|SYSTEM|EXAM|F|D|S|T|P)([] |.,]|$)' | sort -u | tr '\n' ' ')" "" "no placeholder of Chinese help is English"
run env LANG=zh_CN.UTF-8 $W grade --tiem-limit
status_is 2 "an unknown option, in Chinese"
has "没有选项 --tiem-limit；是不是想写 --time-limit" "an unknown option, in Chinese"
for o in --tiem --lang --no-colour=x; do
    for l in en zh; do
        WARPLAB_LANG=$l run $W $o
        is "$(head -1 "$T/err" | grep -o warplab | wc -l)" 1 "$o, $l: the line names warplab once"
    done
done
run env LANG=zh_CN.UTF-8 $W graed
has "没有命令 graed，是不是想写 grade？" "an unknown command, in Chinese"

# Each row of options.def is used by some command.
while IFS='|' read -r command name; do
    if [ "$command" = '*' ]; then grep -q " $name$" "$T/said"; else grep -qx "$command $name" "$T/said"; fi || not_ok "options.def: $command $name is nobody's"
done < <(sed -nE 's/^OPTION\("([^"]*)", "([^"]*)".*/\1|\2/p' runner/cli/options.def)

# Manual pages: all of them, and no complaint from man's own formatter.
run $W man --out "$T/man"
status_is 0 "manual pages are written"
[ -s "$T/man/man1/warplab.1" ] && [ -s "$T/man/man1/warplab-grade.1" ] && [ -s "$T/man/man5/warplab-lesson.5" ] && ok "program, command and lesson have a page" ||
    not_ok "program, command and lesson have a page ($(find "$T/man" -type f | tr '\n' ' '))"
if command -v groff >/dev/null; then
    is "$(cat "$T"/man/man*/* | LC_ALL=C.UTF-8 groff -man -Tutf8 -ww -Z 2>&1 >/dev/null | head -5)" "" "groff has nothing to say against them"
else skip "manual pages through groff (there is none)"; fi
lesson=$($W man lesson)
missing=
for word in $(sed -n '/^const lesson_constructor lesson_c/,/^};/p' runner/lesson/lua_lesson.c | sed -nE 's/^    \{"([a-z_]+)", FORM.*/\1/p'); do
    case $lesson in *".B $word"*) ;; *) missing="$missing $word" ;; esac
done
is "$missing" "" "warplab-lesson names each word of the language"
run $W man nonsense
status_is 2 "a page that is not there"
run $W man grade extra
status_is 2 "two pages"
run $W man --out /proc/nowhere
status_is 3 "pages that cannot be written"

# Completion, by the shells themselves.
run $W completion tcsh
status_is 2 "completion for a shell that is not known"
is "$($W completion labs | grep -cx vector-add)" 1 "completion labs"
is "$($W completion devices | grep -cx sim:h200)" 1 "completion devices"
$W completion bash >"$T/bash"
complete_bash() { # LINE: what is offered, sorted
    PATH="$(dirname "$W"):$PATH" bash --norc -c '. "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _warplab; printf "%s\n" "${COMPREPLY[@]}" | sort | tr "\n" " "' _ "$T/bash" "$1"
}
is "$(complete_bash 'warplab gradeb')" "gradebook " "bash: a command"
is "$(complete_bash 'warplab gradebook e')" "export " "bash: a word of it"
is "$(complete_bash 'warplab grade vector-a')" "vector-add " "bash: a lab"
is "$(complete_bash 'warplab grade --time')" "--time-limit " "bash: an option"
is "$(complete_bash 'warplab grade --lang ')" "en zh " "bash: its value"
is "$(complete_bash 'warplab grade --device sim:h2')" "h200 " "bash: a device, of which bash has taken a part already"
is "$(complete_bash 'warplab debug vector-a')" "vector-add " "bash: a lab, where a file may stand too"
is "$(complete_bash 'warplab --lab hell')" "hello " "bash: a lab to open"
case $(cd "$root" && complete_bash 'warplab grade vector-add VERS') in VERSION*) ok "bash: a file" ;; *) not_ok "bash: a file" ;; esac
if command -v zsh >/dev/null; then
    $W completion zsh >"$T/_warplab"
    run zsh -n "$T/_warplab"
    is "$status $out" "0 " "zsh reads its completion"
    run zsh -f -c "fpath=($T \$fpath); autoload -Uz compinit; compinit -D -u -d $T/dump; echo \$_comps[warplab]"
    is "$out" "_warplab" "zsh finds it by its first line"
else skip "completion in zsh (there is none)"; fi
if command -v fish >/dev/null; then
    $W completion fish >"$T/warplab.fish"
    complete_fish() { PATH="$(dirname "$W"):$PATH" fish --no-config -c "source $T/warplab.fish; complete -C '$1'" | cut -f1 | sort | tr '\n' ' '; }
    is "$(complete_fish 'warplab gradeb')" "gradebook " "fish: a command"
    is "$(complete_fish 'warplab debug vector-a')" "vector-add " "fish: a lab, where a file may stand too"
    is "$(complete_fish 'warplab grade --lang ')" "en zh " "fish: a value"
    is "$(complete_fish 'warplab grade --device sim:h20')" "sim:h200 " "fish: a device"
else skip "completion in fish (there is none)"; fi
finish
