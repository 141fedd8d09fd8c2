#!/usr/bin/env python3
"""Words that reach a student stand in both languages: no message is filled with the same English text twice, none has Chinese without a Chinese
character, and rooms that speak to students fill no message in English only. What is for whoever writes lessons or runs a course is told in
English (`lib_message_put` says so in front of it); ENGLISH names those files with their readers."""
import os
import re
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
STUDENT = ("grader/judge/", "grader/run/", "grader/lab/", "grader/report/", "runner/grade/", "runner/lesson/", "runner/practice/", "runner/repl/", "runner/build/", "runner/sandbox/", "runner/term/")
ENGLISH = {
    "grader/judge/labcheck.c": "authors of lessons: `warplab check`",
    "grader/lab/expr.c": "authors of lessons: an expression of theirs",
    "runner/lesson/facts.c": "authors of lessons: labs/facts.txt",
    "runner/prove/prove.c": "authors of lessons: the claims of `warplab check`",
    "runner/build/glue.c": "authors of lessons: an entry's declaration",
    "runner/build/steps.c": "nobody: plain nvcc runs instead",
}
STRING = r'"(?:[^"\\]|\\.)*"'
LITERAL = rf"{STRING}(?:\s*(?:{STRING}|PRI\w+))*"
failed = False


def check(what, bad):
    global failed
    failed |= bool(bad)
    print(f"not ok {what} ({' | '.join(bad[:5])}{f' | and {len(bad) - 5} more' if len(bad) > 5 else ''})" if bad else f"ok {what}")


def text_of(literal):
    return "".join(s[1:-1] for s in re.findall(STRING, literal))


def words(text):
    """English words that stay when conversions, code in backticks and punctuation are taken out."""
    text = re.sub(r"\\.", " ", text)
    text = re.sub(r"%[-+ 0#]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j)?[a-zA-Z%]", " ", text)
    text = re.sub(r"`[^`]*`|[\w./-]*[./_][\w./-]*", " ", text)
    return re.findall(r"[A-Za-z]{2,}", text)


def chinese(text):
    return re.search(r"[\u3400-\u9fff]", text)


files = [f for f in subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "runner", "grader"], capture_output=True, text=True, check=True).stdout.split()
         if f.endswith((".c", ".h", ".inc", ".def")) and os.path.exists(f)]
twice, no_chinese, english, missing, calls = [], [], [], [], 0
for path in files:
    source = open(path, encoding="utf-8").read()
    code = re.sub(rf"({STRING})|/\*.*?\*/|//[^\n]*", lambda m: m.group(1) or re.sub(r"[^\n]", " ", m.group()), source, flags=re.S)

    def at(m):
        return f"{path}:{code[:m.start()].count(chr(10)) + 1}"

    for m in re.finditer(rf"({LITERAL})\s*,\s*({LITERAL})", code):
        first, second = text_of(m.group(1)), text_of(m.group(2))
        if first == second and len(words(first)) >= 3:
            twice.append(at(m))
    for m in re.finditer(rf"\blib_message_set2\(\s*[^,]+,\s*({LITERAL})\s*,\s*({LITERAL})", code):
        calls += 1
        if words(text_of(m.group(1))) and not chinese(text_of(m.group(2))):
            no_chinese.append(at(m))
    if not path.startswith(STUDENT) or path in ENGLISH:
        continue
    for m in re.finditer(rf"\blib_message_set\(\s*[^,]+,\s*({LITERAL})", code):
        if words(text_of(m.group(1))):
            english.append(at(m))
    # A message's English by hand: its Chinese must be filled beside it.
    for m in re.finditer(r"\b(?:snprintf|lib_say)\(\s*(?:msg->|msg\.|m->)text\b", code):
        if not re.search(r"(?:->|\.)zh\b", code[m.end():m.end() + 400]):
            missing.append(at(m))
check("no text stands for both languages", twice)
check("every Chinese text of a message is Chinese", no_chinese)
check("the messages were found", [] if calls > 100 else [f"{calls} calls of lib_message_set2"])
check("rooms that speak to students fill no message in English only", english)
check("nobody writes a message's English and leaves its Chinese as it was", missing)
check("the files that may speak English are there, and do", [f for f in ENGLISH if f not in files])
sys.exit(failed)
