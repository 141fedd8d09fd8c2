#!/usr/bin/env python3
"""The pseudo-locale: en.po with every text a third longer and in brackets, arguments as they are.
What a screen shows without brackets is not in the catalogue; what breaks is too narrow for a
language with longer words.

    pseudo.py [EN.po] >pseudo.po; WARPLAB_WORDS=pseudo.po warplab ..."""
import re
import sys

PLACE = re.compile(r"(\{\{|\{[^{}]*\}|`[^`]*`)")
ACCENTS = str.maketrans("aeiouAEIOU", "\u00e0\u00e9\u00ee\u00f5\u00fc\u00c0\u00c9\u00ce\u00d5\u00dc")


def pseudo(text):
    """Of a text as it stands between the quotes of a PO file. A word in backquotes is typed, and stays."""
    end = "\\n" if text.endswith("\\n") else ""
    text = text.removesuffix("\\n")
    parts = [p if i % 2 else re.sub(r"(\\.)|([^\\]+)", lambda m: m.group(1) or m.group(2).translate(ACCENTS), p) for i, p in enumerate(PLACE.split(text))]
    plain = sum(len(p) for i, p in enumerate(PLACE.split(text)) if i % 2 == 0)
    return "\u27e6" + "".join(parts) + "~" * ((plain + 2) // 3) + "\u27e7" + end


def outside(text):
    """The words of three letters and more that no brackets hold. A column that cuts a row leaves its opening bracket: what follows is the row's."""
    while True:
        rest = re.sub("\u27e6[^\u27e6\u27e7]*\u27e7", " ", text)
        if rest == text:
            break
        text = rest
    text = re.sub(r"\u27e6[^\n]*?\.\.", " ", text)
    return re.findall(r"[A-Za-z][A-Za-z]{2,}", text)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "runner/base/words/en.po"
    header, kind, strings = True, None, []

    def flush():
        if kind is None:
            return
        text = "".join(strings)
        if kind.startswith("msgstr") and not header:
            text = pseudo(text)
        print(f'{kind} "{text}"')

    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        m = re.match(r'(msgid|msgid_plural|msgstr(?:\[\d\])?) "(.*)"$', line)
        if m:
            flush()
            kind, strings = m.group(1), [m.group(2)]
            if kind == "msgid":
                header = m.group(2) == ""
        elif line.startswith('"'):
            strings.append(line[1:-1])
        else:
            flush()
            kind = None
            print(line)
    flush()


if __name__ == "__main__":
    main()
