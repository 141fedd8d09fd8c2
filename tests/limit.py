#!/usr/bin/env python3
"""tests/limit.py SECONDS COMMAND...: runs a test that may compute for SECONDS, it and all that it
starts together.

A limit on the clock fails honest tests on a busy machine. Processor time does not grow with the
load; a test that only waits is ended after ten times its limit on the clock. Exit status: the
command's, or 124 when a limit was met (said on stderr). Everything that the command left running is
killed. The last line says what it all computed."""
import ctypes, os, resource, signal, sys, time

PR_SET_CHILD_SUBREAPER = 36
TICK = os.sysconf("SC_CLK_TCK")
LOOK = 1.0  # seconds between two looks at what it has computed


def tree():
    """pid -> (parent, seconds of it and of its reaped children) of every process."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as f:
                rest = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(name)] = (int(rest[1]), sum(map(int, rest[11:15])) / TICK)
    return found


def descendants(found):
    mine, more = {os.getpid()}, True
    while more:
        more = {pid for pid, (parent, _) in found.items() if parent in mine} - mine
        mine |= more
    return mine - {os.getpid()}


def kill_all():
    for _ in range(20):
        left = descendants(tree())
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.02)


def main():
    limit, command = float(sys.argv[1]), sys.argv[2:]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        try:
            os.execvp(command[0], command)
        except OSError as e:
            print(f"tests/limit.py: {command[0]}: {e.strerror}", file=sys.stderr)
            os._exit(127)
    for s in (signal.SIGINT, signal.SIGTERM):
        signal.signal(s, lambda n, _: (kill_all(), os._exit(128 + n)))
    begin, status = time.monotonic(), None
    look = begin + LOOK
    while status is None:
        pid, ended = os.waitpid(-1, os.WNOHANG)
        left = look - time.monotonic()
        if pid == child:
            status = os.waitstatus_to_exitcode(ended)
        elif pid == 0 and left > 0:
            signal.sigtimedwait({signal.SIGCHLD}, left)  # the end of the test is seen at once
        elif pid == 0:
            found = tree()
            used = sum(found[p][1] for p in descendants(found) if p in found)
            gone = resource.getrusage(resource.RUSAGE_CHILDREN)
            used += gone.ru_utime + gone.ru_stime
            clock = time.monotonic() - begin
            if used > limit or clock > 10 * limit:
                print(f"tests/limit.py: ended after {used:.0f} s of processor time and {clock:.0f} s on the clock; "
                      f"it may compute for {limit:.0f} s", file=sys.stderr)
                status = 124
            look = time.monotonic() + LOOK
    kill_all()
    gone = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"# {gone.ru_utime + gone.ru_stime:.1f} s of processor time", flush=True)
    sys.exit(status if status >= 0 else 128 - status)


main()
