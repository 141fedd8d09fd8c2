#!/usr/bin/env python3
# slow
# timeout: 200
"""Questions outside their lessons, on a terminal of 80x24 and in both languages: `quiz` of a
chapter, `place`, `review` of what was missed and of what is due, predictions that are scored; the
open lab stands as it stood afterwards.

Answers are those of play.py, worked out of the question on the screen; where none is known the
question is left open."""
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import time

import late
import play
import terminal
from terminal import Session, columns, say

WORDS = {
    "en": dict(early="left after 1 of 10", head="\\d+ due again", left=r"Still due: %d\.", right=r"Right\.", wrong=r"Not quite\.", score=r"(\d+) of (\d+) right", look="Worth another look: ", none="nothing to review yet", next3="due in 3 days", tomorrow="due tomorrow",
               due="1 question is due again", before="missed before", at=r"(\d+) of (\d+); chapter (\d+)", start=r"Start with chapter (\d+).*start ([a-z0-9-]+)", all="every chapter", begin="Begin at the beginning",
               nochapter="no such chapter", hints="no hints", keys="Enter or n leaves", off=r"Off by a factor of \d.*too high", guesses="Predictions: 1 made, 0 on the mark", nothing="Nothing was answered", nonotes="There are no notes", kept="Kept at vector-add, step 4", mark=r"\(bookmark\)", yours="Your note: ", numbered="numbered 1 to", gone="Taken away", uncertified="no lab was passed yet", certified="Your certificate: "),
    "zh": dict(early="答了 1 题（共 10 题）后离开", head="有 \\d+ 题到期", left="还有 %d 题到期。", right="正确。", wrong="不太对。", score=r"答对 (\d+) 题，共 (\d+) 题", look="值得再看看：", none="还没有可复习的问题", next3="在 3 天后到期", tomorrow="明天到期", due="有 1 题该复习了",
               before="刚才答错的题", at=r"第 (\d+) 题，共 (\d+) 题；第 (\d+) 章", start=r"建议从第 (\d+) 章.*start ([a-z0-9-]+)", all="各章你都掌握了", begin="从头开始最合适", nochapter="没有这一章", hints="没有提示",
               keys="回车或 n 跳过", off=r"相差 \d.* 倍：偏高", guesses="预测 1 次，0 次准确", nothing="一题都没有答", nonotes="还没有笔记", kept="已记在 vector-add 第 4 步", mark="（书签）", yours="你的笔记：", numbered="笔记编号为 1 到", gone="已删除", uncertified="还没有通过任何实验", certified="你的证书："),
}
ASK = r"(?:(?:answer|回答|prediction|预测)[^\n>]{0,40} >|warplab >|[a-z0-9-]+ \d+/\d+ >)"


class Practice:
    def __init__(self, lang):
        self.lang, self.w, self.home = lang, WORDS[lang], tempfile.mkdtemp(prefix="warplab-practice-")
        self.t = Session(self.home, lang)
        self.known = [q for lab in play.LABS.values() for q in lab] + [q for labs in late.LATE.values() for lab in labs.values() for q in lab]
        self.t.expect("warplab >")

    def check(self, pattern, what, got):
        say(bool(re.search(self.w.get(pattern, pattern), got, re.S)), "%s: %s" % (self.lang, what), repr(got[-500:]))

    def do(self, line):
        return self.t.do(line, ASK, 120)

    def flat(self, text):
        return re.sub(r"\s+", "" if self.lang == "zh" else " ", text)

    def solve(self, text):
        flat = self.flat(text)
        for q in self.known:
            m = re.search(q.pattern[self.lang], flat, re.S)
            if not m:
                continue
            if isinstance(q.answer, tuple):
                want = q.answer[self.lang == "zh"]
                for letter, choice in re.findall(r"^  ([a-i])  (.*(?:\n     .*)*)", text, re.M):
                    if re.match(want, self.flat(choice).replace("`", "")):
                        return letter
                continue
            return play.number(q.answer(**{k: float(v) for k, v in m.groupdict().items()}) if callable(q.answer) else q.answer)
        return None

    def asks(self, text):
        return bool(re.search(r"(?:answer|回答|prediction|预测)[^\n>]{0,40} >$", text))

    def round(self, text, upto=99):
        """Answers right up to that chapter, leaves open what is not known here; the text behind the last question."""
        count = 0
        while self.asks(text) and count < 40:
            at = re.search(self.w["at"], text)
            chapter = int(at.group(3)) if at else 99
            answer = self.solve(text) if chapter <= upto else None
            text = self.do(answer if answer is not None else "n")
            if answer is not None:
                self.check("right", "chapter %d: %s is right" % (chapter, answer), text)
            count += 1
        self.count = count
        return text

    def database(self, sql, *args):
        path = self.home + "/data/warplab/progress.db"
        db = sqlite3.connect(path)
        rows = db.execute(sql, args).fetchall()
        db.commit()
        db.close()
        return rows

    def quiz(self):
        self.check("nochapter", "quiz of no chapter", self.do("quiz 77"))
        text = self.do("quiz 1")
        self.check("hints", "quiz: no hints", self.do("h"))
        self.check("keys", "quiz: the keys", self.do("?"))
        text = self.round(self.do("lang " + self.lang) if not self.asks(text) else text)
        self.check("score", "quiz: a score", text)
        right, of = [int(x) for x in re.search(self.w["score"], text).groups()]
        say(right == of >= 5, "%s: quiz: all that were answered are right" % self.lang, "%d of %d" % (right, of))
        say("warplab >" in text, "%s: quiz: no lab was opened by it" % self.lang)
        rows = self.database("SELECT count(*), min(due - seen), max(lapses) FROM card")
        say(rows[0] == (of, 3 * 86400, 0), "%s: quiz: what is right comes back in three days" % self.lang, repr(rows))

    def review(self):
        self.check("next3", "review: nothing is due", self.do("review"))
        self.database("UPDATE card SET due = strftime('%s','now') - 60 WHERE key = (SELECT key FROM card WHERE lab = 'hello' OR lab = 'vector-add' LIMIT 1)")
        self.check("due", "home: one is due", self.do("home"))
        text = self.do("review")
        before = re.findall(r"\d+", text)
        answer = "z" if not re.search(r"^  a  ", text, re.M) else None
        wrong = "123456789" if answer else next(c for c in "abc" if c != self.solve(text))
        text = self.do(wrong)
        self.check("wrong", "review: a wrong answer", text)
        self.check("before", "review: comes back at once", text)
        if answer:
            say(re.findall(r"\d+", text.split(self.w["before"])[-1]) != before, "%s: review: with fresh numbers" % self.lang)
        answer = self.solve(text.split(self.w["before"])[-1])
        text = self.do(answer or "n")
        self.check("right", "review: the second time right", text)
        self.check("look", "review: names the lab", text)
        self.check("tomorrow", "review: and tomorrow again", self.do("review"))
        rows = self.database("SELECT lapses, due - seen FROM card WHERE lapses > 0")
        say(rows == [(1, 86400)], "%s: review: one lapse, one day" % self.lang, repr(rows))
        # None answered: all are still due, as `home` counts them.
        due = self.database("UPDATE card SET due = strftime('%s','now') - 60 RETURNING 1")
        say(str(len(due)) in self.do("home"), "%s: home: %d are due" % (self.lang, len(due)))
        self.check("head", "review: %d are due" % len(due), self.do("review"))
        text = self.do("q")
        say(re.search(self.w["left"] % len(due), text), "%s: review: %d are due still" % (self.lang, len(due)), repr(text[-200:]))
        self.database("UPDATE card SET due = strftime('%s','now') + 80000")
        # A question that its lesson lost is passed over, and is not due for ever.
        self.database("INSERT INTO card VALUES('hello', '0123456789abcdef', 1, 0, 1, 2)")
        self.check("tomorrow", "review: a question that is gone", self.do("review"))

    def place(self):
        self.check("nothing", "place: left at once", (self.do("place"), self.do("q"))[1])
        self.do("place"), self.do("n")
        self.check("early", "place: left after one question it says nothing of where to start", self.do("q"))
        text = self.round(self.do("place"), 0)
        say(self.count == 10, "%s: place: ten questions" % self.lang, str(self.count))
        self.check("begin", "place: who knows nothing begins at the beginning", text)
        self.check("start", "place: and where", text)
        say(re.search(self.w["start"], text, re.S).group(2) == "hello", "%s: place: hello" % self.lang)
        # Who knows chapters 1 to 3 (as far as play.py knows their questions) starts about there.
        text = self.round(self.do("place"), 3)
        m = re.search(self.w["start"], text, re.S)
        say(m and int(m.group(1)) == 4, "%s: place: who knows three chapters starts at the fourth" % self.lang, repr(text[-300:]))

    def set_aside(self):
        """In the middle of a lab: the lab, its step and its file stand as they stood."""
        self.do("start vector-add")
        self.do("read 6")
        text = self.do("99")
        self.check("off", "a prediction is told how far off it is", text)
        self.check("guesses", "progress: predictions", self.do("progress"))
        self.do("quiz 1")
        text = self.do("start hello")  # a command ends the quiz and is obeyed
        say(text.rstrip().endswith("hello 1/8 >") or "hello 1/" in text, "%s: a command ends the quiz and is obeyed" % self.lang, repr(text[-200:]))
        self.do("start vector-add")
        self.do("read 6")
        self.do("")
        self.do("quiz 3")
        text = self.do("q")
        say(text.rstrip().endswith("vector-add 6/10 >"), "%s: q ends the quiz, and the lab is where it was" % self.lang, repr(text[-200:]))
        rows = self.database("SELECT right_answers, wrong_answers FROM lab WHERE lab = 'vector-add'")
        say(rows == [(0, 1)], "%s: a quiz counts in no lab" % self.lang, repr(rows))

    def notes(self):
        self.check("nonotes", "note: none yet", self.do("note"))
        self.do("start vector-add")
        self.do("read 4")
        self.check("kept", "note: kept at the step", self.do("note *why* 21 idle lanes? 为什么 % d"))
        self.do("read 10")
        self.do("mark")
        got = self.do("notes")
        self.check(r"1  vector-add 4 .*21 idle lanes\? 为什么 % d.*2  vector-add 10 .*" + self.w["mark"], "note: listed", got)
        self.do("start hello")
        got = self.do("note 1")
        self.check("yours", "note: goes there, and shows it", got)
        say(got.rstrip().endswith("vector-add 4/10 >"), "%s: note: at the step" % self.lang, repr(got[-100:]))
        self.check("numbered", "note: a number that is none", self.do("note 9"))
        self.do("note drop 1")
        self.do("read 10")
        self.check("gone", "mark: a second one takes it away", self.do("mark"))
        self.check("nonotes", "note: all are gone", self.do("note"))
        self.check("numbered", "note: nothing to drop", self.do("note drop 1"))

    def certificate(self):
        self.check("uncertified", "certificate: of nothing", self.do("certificate"))
        self.database("UPDATE lab SET passed = 1, best_score = 10, max_score = 10 WHERE lab = 'vector-add'")
        got = self.flat(self.do("certificate Ada Lovelace"))
        self.check("certified", "certificate: written", got)
        for name, begin in (("html", b"<!DOCTYPE html"), ("pdf", b"%PDF-")):
            path = self.home + "/work/certificate." + name
            data = open(path, "rb").read() if os.path.exists(path) else b""
            say(data.lower().startswith(begin.lower()), "%s: certificate.%s" % (self.lang, name), repr(data[:60]))
            say(re.sub(r"\s", "", path) in re.sub(r"\s", "", got), "%s: certificate.%s: where" % (self.lang, name), repr(got[-300:]))
        say(b"Ada Lovelace" in open(self.home + "/work/certificate.html", "rb").read(), self.lang + ": certificate: the name")

    def run(self):
        self.check("none", "review: nothing yet", self.do("review"))
        self.quiz()
        self.review()
        self.place()
        self.set_aside()
        self.notes()
        self.certificate()
        status = self.t.close()
        say(status == 0, self.lang + ": exit status 0")
        wide = [l for l in self.t.seen.split("\n") if columns(l) > 80 and "\r" not in l and " >" not in l and self.home not in l]
        say(not wide, self.lang + ": nothing is wider than 80 columns", repr(wide[:2]))
        shutil.rmtree(self.home)


for language in sys.argv[1:] or ("en", "zh"):
    Practice(language).run()
sys.exit(terminal.failures > 0)
