"""What the tests of this folder that are written in Python share: where the program is, and a line
for each thing that must hold."""
import os
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[2]
B = pathlib.Path(os.environ.get("B", root / "build")).resolve()
W = str(B / "warplab")
failures = 0


class Rejected(Exception):
    """A course's system refuses the file."""


def check(good, what, why="", most=500):
    """A line of the result; `why` is said of what does not hold, its first `most` characters."""
    global failures
    failures += not good
    print(f"{'ok' if good else 'not ok'} {what}" + ("" if good else f" ({str(why)[:most]})").replace("\n", "|"), flush=True)


def end():
    sys.exit(failures != 0)
