#!/usr/bin/env python3
"""Holds the tree to tests/unit/rooms.txt: who includes whom and by which door, who calls whom (nm
over the object files), which files call or include in a circle, and how many files a room holds.

Prints "ok" and "not ok" lines as tests/run counts them, and every circle that is left as "# circle
...". tests/unit/layers.sh runs it. usage: rooms.py [TABLE [ROOT [BUILD]]]"""
import fnmatch
import os
import re
import subprocess
import sys

TABLE = sys.argv[1] if len(sys.argv) > 1 else "tests/unit/rooms.txt"
ROOT = sys.argv[2] if len(sys.argv) > 2 else "."
BUILD = sys.argv[3] if len(sys.argv) > 3 else os.environ.get("B", "build")
MOST_FILES = 25
LAYERS = ["runner/base", "runner/device/sim", "runner/device/server", "runner/device/gpu", "grader", "runner"]
failed = False


def check(what, bad):
    global failed
    if bad:
        failed = True
        shown = " | ".join(sorted(bad)[:5]) + (f" | and {len(bad) - 5} more" if len(bad) > 5 else "")
        print(f"not ok {what} ({shown})")
    else:
        print(f"ok {what}")


def read_table():
    rooms, circles, bad = {}, [], []
    for number, line in enumerate(open(TABLE), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        head, colon, rest = line.partition(":")
        words = head.split()
        if colon and words and words[0] == "circle" and len(words) > 2 and rest.strip():
            circles.append(frozenset(words[1:]))
            continue
        if not colon or len(words) != 1 or "|" not in rest:
            bad.append(f"{TABLE}:{number}: expected ROOM: ROOMS | DOORS, found {line}")
            continue
        may, doors = rest.split("|", 1)
        rooms[head] = (may.split(), doors.split())
    return rooms, circles, bad


def sources():
    for top in ("runner", "grader"):
        for folder, _, names in os.walk(top):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def", ".inc")):
                    yield f"{folder}/{name}"


def row_of(room, rooms):
    """The table's row for a room: its own, else that of the nearest ROOM/* above it."""
    if room in rooms:
        return room
    while "/" in room:
        room = room.rpartition("/")[0]
        if room + "/*" in rooms:
            return room + "/*"
    return None


def may_use(room, target, rooms):
    row = row_of(room, rooms)
    return room == target or row and any(target == r.removesuffix("/.") or target.startswith(r + "/") and r not in ("grader", "runner") for r in rooms[row][0])


def may_call(room, target, rooms):
    """As may_use; the doors of grader/ declare what all of the grader's rooms define."""
    row = row_of(room, rooms)
    return may_use(room, target, rooms) or row and "grader" in rooms[row][0] and target.startswith("grader/")


def is_door(path, rooms):
    room, name = path.rsplit("/", 1)
    row = row_of(room, rooms)
    return row and any(fnmatch.fnmatch(name, d) for d in rooms[row][1])


def include_graph(files):
    known, graph = set(files), {}
    for path in files:
        targets = set()
        for name in re.findall(r'^ *# *include +"([^"]+)"', open(path, encoding="utf-8").read(), re.M):
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            target = beside if beside in known else name
            if target in known:
                targets.add(target)
        graph[path] = {t: "includes" for t in targets}
    return graph


def symbol_graph():
    """Which .c file needs a symbol of which other one: {file: {file: symbol}}."""
    objects = {}
    for folder, _, names in os.walk(f"{BUILD}/obj"):
        for name in names:
            source = os.path.relpath(os.path.join(folder, name), f"{BUILD}/obj")[:-2] + ".c"
            if name.endswith(".o") and os.path.exists(source):
                objects[os.path.join(folder, name)] = source
    needs, owner, first = {source: set() for source in objects.values()}, {}, {}
    for line in subprocess.run(["nm", "-g", "-A", *objects], capture_output=True, text=True).stdout.splitlines():
        path, _, rest = line.partition(":")
        source, words = objects[path], rest.split()
        if len(words) == 2 and words[0] == "U":
            needs[source].add(words[1])
        elif len(words) == 3 and words[1] in "TDBRVW":
            owner.setdefault((layer_of(source), words[2]), source)
            if layer_of(source) != "runner/device/gpu":
                first.setdefault(words[2], source)
    graph = {}
    for source, symbols in needs.items():
        graph[source] = {}
        for symbol in sorted(symbols):
            # Two programs (the GPU helper is one) may each have a function of one name: the nearest layer's is meant.
            target = owner.get((layer_of(source), symbol)) or (first.get(symbol) if layer_of(source) != "runner/device/gpu" else None)
            if target and target != source:
                graph[source].setdefault(target, symbol)
    return graph


def layer_of(path):
    return next((layer for layer in LAYERS if path.startswith(layer + "/")), "runner")


def circles_of(graph):
    """Strongly connected components of more than one file (Tarjan, without recursion)."""
    index, low, stack, on, found, count = {}, {}, [], set(), [], 0
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = count
        count += 1
        stack.append(start)
        on.add(start)
        while work:
            node, edges = work[-1]
            for target in edges:
                if target not in graph:
                    continue
                if target not in index:
                    index[target] = low[target] = count
                    count += 1
                    stack.append(target)
                    on.add(target)
                    work.append((target, iter(sorted(graph[target]))))
                    break
                if target in on:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while True:
                        part.append(stack.pop())
                        on.discard(part[-1])
                        if part[-1] == node:
                            break
                    if len(part) > 1:
                        found.append(frozenset(part))
    return found


def check_circles(kind, graph, allowed):
    bad, seen = {layer: [] for layer in LAYERS}, set()
    for part in circles_of(graph):
        names = " ".join(sorted(part))
        layer = layer_of(min(part) + "/")
        edge = next(f"{a} -> {b} ({graph[a][b]})" for a in sorted(part) for b in sorted(graph[a]) if b in part)
        print(f"# circle of {kind}: {len(part)} files: {names}")
        seen.add(part)
        if part not in allowed:
            bad[layer].append(f"{names}; one step is {edge}")
    for layer in LAYERS:
        check(f"no circle of {kind} in {layer}", bad[layer])
    return seen


os.chdir(ROOT)
rooms, allowed, bad = read_table()
check("the table of rooms can be read", bad)
files = list(sources())
check("every room has a line in the table", {os.path.dirname(f) for f in files if not row_of(os.path.dirname(f), rooms)})
check("every room of the table is there", [r for r in rooms if not os.path.isdir(r.removesuffix("/*"))])
check("every door of the table is there", [f"{r}: {d}" for r, (_, doors) in rooms.items() if not r.endswith("/*") for d in doors
                                           if not any(os.path.dirname(f) == r and fnmatch.fnmatch(os.path.basename(f), d) for f in files)])

includes = include_graph(files)
order, doors = {}, {}
for source, targets in includes.items():
    room = os.path.dirname(source)
    for target in targets:
        other = os.path.dirname(target)
        if room == other:
            continue
        if not may_use(room, other, rooms):
            order.setdefault(room, []).append(f"{source} includes {target}")
        elif not is_door(target, rooms):
            doors.setdefault(other, []).append(f"{source} includes {target}")
for room in sorted({os.path.dirname(f) for f in files}):
    check(f"{room} includes only the rooms it may", order.get(room, []))
    check(f"{room} is entered by its doors", doors.get(room, []))
    count = sum(os.path.dirname(f) == room for f in files)
    check(f"{room} holds at most {MOST_FILES} files", [f"it holds {count}"] if count > MOST_FILES else [])
guards = {}
for path in files:
    for guard in re.findall(r"^#ifndef (WARPLAB_\w+_H)$", open(path, encoding="utf-8").read(), re.M)[:1]:
        guards.setdefault(guard, []).append(path)
check("no two headers have one guard", [f"{g}: {' '.join(f)}" for g, f in guards.items() if len(f) > 1])
seen = check_circles("includes", includes, allowed)


def rooms_graph(graph):
    """The same between rooms: {room: {room: "file -> file"}}."""
    out = {}
    for source, targets in graph.items():
        mine = out.setdefault(os.path.dirname(source), {})
        for target in targets:
            if os.path.dirname(target) != os.path.dirname(source):
                mine.setdefault(os.path.dirname(target), f"{source} -> {target}")
    return out


seen |= check_circles("includes between rooms", rooms_graph(includes), allowed)

if os.path.isdir(f"{BUILD}/obj"):
    symbols = symbol_graph()
    calls = {}
    for source, targets in symbols.items():
        for target, symbol in targets.items():
            if not may_call(os.path.dirname(source), os.path.dirname(target), rooms):
                calls.setdefault(os.path.dirname(source), []).append(f"{source} needs {symbol} of {target}")
    for room in sorted({os.path.dirname(f) for f in symbols}):
        check(f"{room} calls only the rooms it may", calls.get(room, []))
    seen |= check_circles("symbols", symbols, allowed)
    seen |= check_circles("symbols between rooms", rooms_graph(symbols), allowed)
    check("every circle that the table allows is still there", [" ".join(sorted(c)) for c in allowed if c not in seen])
else:
    print("skip circles of symbols (nothing is built)")
sys.exit(failed)
