#!/usr/bin/env python3
# slow: make test FAST=1 leaves it out
# `warplab dap` with a client that others wrote: PyPI's dap-python (each answer and event is checked against its models of the protocol). A whole
# session: breakpoints with a condition, stack, scopes, variables, evaluate, steps both ways, a data breakpoint, findings as exceptions, an end; and
# requests that cannot be answered. What is expected follows from tests/profile/debug/wrong.cu. The client is installed once, into .toolchain/dap.
import json
import os
import select
import subprocess
import sys
import tempfile
import time

import packages
from packages import root

build = os.path.join(root, os.environ.get("B", "build"))
wrong = os.path.join(root, "tests/profile/debug/wrong.cu")
failures = 0


def check(good, name, why=""):
    global failures
    failures += not good
    print(("ok " if good else "not ok ") + name + ("" if good else f" ({why})"), flush=True)
    return good


def client_library():
    """The client's package, or why there is none."""
    python, why = packages.python_with("dap", "dap", "dap-python==0.5.0")
    if not python:
        return None, why
    found = subprocess.run([python, "-c", "import dap, os; print(os.path.dirname(os.path.dirname(dap.__file__)))"], check=True, capture_output=True, text=True, timeout=60)
    return found.stdout.strip(), ""


class Session:
    def __init__(self, client, environment):
        self.process = subprocess.Popen([os.path.join(build, "warplab"), "dap", "--lang", "en"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.client = client
        self.events = []

    def flush(self):
        self.process.stdin.write(self.client.send())
        self.process.stdin.flush()

    def receive(self, wanted, seconds=60):
        """Messages until wanted(message); the others are kept as events."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for k, message in enumerate(self.events):
                if wanted(message):
                    return self.events.pop(k)
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                break
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                break
            self.events += list(self.client.receive(data))
        return None

    def ask(self, kind):
        self.flush()
        return self.receive(lambda m: type(m).__name__ in (kind, "ErrorResponse"))

    def stop(self):
        self.flush()
        return self.receive(lambda m: type(m).__name__ == "StoppedEvent")

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=30)


def start(dap, environment, program, line=None, condition=None, lab=None):
    """A session whose program waits at its first stop."""
    client = dap.Client(adapter_id="warplab", lines_start_at1=True, columns_start_at1=True, path_format="path")
    s = Session(client, environment)
    can = s.ask("Initialized")
    check(can is not None and can.supportsStepBack and can.supportsDataBreakpoints, "initialize tells what can be done", can)
    target = {k: v for k, v in (("program", program), ("lab", lab)) if v}
    client.send_request("launch", {**target, "device": "sim:h200", "stopAtEnd": not lab})
    if line:
        client.set_breakpoints({"path": program}, [{"line": line, "condition": condition}])
    client.set_exception_breakpoints(["findings"], None, None)
    client.configuration_done()
    return s


def variables(s, reference):
    s.client.variables(reference)
    answer = s.ask("VariablesResponse")
    return {v.name: v for v in answer.variables} if answer else {}


def top(s, thread):
    s.client.stack_trace(thread)
    answer = s.ask("StackTraceResponse")
    return answer.stackFrames if answer else []


def a_session(dap, environment):
    s = start(dap, environment, wrong, 13, "i == 777")
    c = s.client
    stop = s.stop()
    if not check(stop is not None and stop.reason == "breakpoint", "stops at the breakpoint", stop):
        return
    thread = stop.threadId
    frames = top(s, thread)
    check(frames[0].line == 13 and frames[0].name == "add" and os.path.samefile(frames[0].source.path, wrong), "in add, line 13", frames)
    c.threads()
    names = [t.name for t in s.ask("ThreadsResponse").threads]
    check("warp 0, block (3,0,0)" in names and "lane 9 of warp 0: thread (9,0,0)" in names, "warps and lanes are threads", names)
    c.scopes(frames[0].id)
    scopes = {x.name: x.variablesReference for x in s.ask("ScopesResponse").scopes}
    local = variables(s, scopes["Locals"])
    check(local["i"].value == "777" and local["n"].value == str(1 << 20), "variables", local)
    check(variables(s, scopes["Thread"])["threadIdx.x"].value == "9", "threadIdx")
    check("%r1" in variables(s, scopes["Registers"]), "registers")
    c.evaluate("a[i] + b[i + 1] * 2", frames[0].id)
    check(s.ask("EvaluateResponse").result == str(777 + 2 * 778), "evaluate")
    c.evaluate("nobody + 1", frames[0].id)
    check("no variable nobody" in s.ask("EvaluateResponse").message, "what cannot be evaluated is said")
    c.step_in(thread)
    frames = s.stop() and top(s, thread)
    check(frames[0].name == "sum" and frames[1].line == 13, "steps into sum", frames)
    c.step_out(thread)
    s.stop()
    c.next(thread)
    frames = s.stop() and top(s, thread)
    check(frames[0].line == 14, "next", frames)
    c.step_back(thread)
    frames = s.stop() and top(s, thread)
    check(frames[0].line == 13, "stepBack", frames)
    # who writes c[960]?
    c.data_breakpoint_info("c[960]")
    info = s.ask("DataBreakpointInfoResponse")
    check(info.dataId == "c[960]", "an element can be watched", info)
    c.set_breakpoints({"path": wrong}, [])
    c.set_data_breakpoints([{"dataId": info.dataId, "condition": "i != 960"}])
    c.continue_(thread)
    stop = s.stop()
    frames = top(s, stop.threadId)
    check(stop.reason == "data breakpoint" and frames[0].line == 16, "stops at the writer", (stop, frames))
    c.evaluate("i", frames[0].id)
    check(s.ask("EvaluateResponse").result == "500000", "which is thread 500000")
    c.continue_(stop.threadId)
    stop = s.stop()
    check(stop.description == "the launch has ended", "the launch's end", stop)
    c.reverse_continue(stop.threadId)
    stop = s.stop()
    frames = top(s, stop.threadId)
    check(stop.reason == "data breakpoint" and frames[0].line == 16, "back to the writer from there", (stop, frames))
    c.set_data_breakpoints([])
    c.continue_(stop.threadId)
    s.stop()
    c.continue_(1)
    s.flush()
    printed = s.receive(lambda m: type(m).__name__ == "OutputEvent" and m.category == "stdout")
    check(printed is not None and "c[960] = 1e+06" in printed.output, "what the program prints", printed)
    check(s.receive(lambda m: type(m).__name__ == "TerminatedEvent") is not None, "terminated")
    c.disconnect()
    s.ask("Disconnected")
    check(s.close() == 0, "and the adapter ends")


def a_finding(dap, environment, folder):
    program = os.path.join(folder, "bounds.cu")
    with open(program, "w") as f:
        f.write("__global__ void k(float *a, int n) {\n    int i = threadIdx.x;\n    if (i <= n)\n        a[i] = i;\n}\n"
                "int main() {\n    float *a;\n    cudaMalloc(&a, 10 * sizeof(float));\n    k<<<1, 32>>>(a, 10);\n    cudaDeviceSynchronize();\n}\n")
    s = start(dap, environment, program)
    stop = s.stop()
    frames = top(s, stop.threadId) if stop else []
    check(stop is not None and stop.reason == "exception" and "out of bounds" in (stop.text or ""), "a finding is an exception", stop)
    check(bool(frames) and frames[0].line == 4, "at its line", frames)
    s.client.exception_info(stop.threadId)
    check(s.ask("ExceptionInfoResponse").exceptionID == "oob", "with its kind")
    s.client.evaluate("i", frames[0].id)
    check(s.ask("EvaluateResponse").result == "10", "in the thread that does it")
    s.client.disconnect()
    s.ask("Disconnected")
    check(s.close() == 0, "disconnect while it is stopped")


def a_lab(dap, environment):
    """A lab by its name opens at its lesson's place: a finding, or a line."""
    s = start(dap, environment, None, lab="bug-hunt")
    s.flush()
    words = s.receive(lambda m: type(m).__name__ == "OutputEvent" and m.category == "console")
    check(words is not None and "the first report" in words.output, "the lesson's words", words)
    stop = s.stop()
    frames = top(s, stop.threadId) if stop else []
    check(stop is not None and stop.reason == "exception" and frames[0].line == 27, "bug-hunt opens at its first finding", (stop, frames))
    check(bool(frames) and os.path.samefile(frames[0].source.path, os.path.join(root, "labs/bug-hunt.cu")), "in the file that an editor can show", frames)
    check(s.close() == 0, "the session ends")
    s = start(dap, environment, os.path.join(root, "answers/divergence.cu"), lab="divergence")
    stop = s.stop()
    frames = top(s, stop.threadId) if stop else []
    with open(os.path.join(root, "answers/divergence.cu")) as f:
        branch = next(i for i, line in enumerate(f, 1) if "if (odd" in line)
    check(stop is not None and stop.reason == "breakpoint" and frames[0].line == branch, "divergence at the branch of the file that is given", (stop, frames))
    check(s.close() == 0, "this one too")


def an_endless_kernel(dap, environment, folder):
    program = os.path.join(folder, "endless.cu")
    with open(program, "w") as f:
        f.write("__global__ void k(int *a) {\n    while (true)\n        a[0] = a[0] + 1;\n}\n"
                "int main() {\n    int *a;\n    cudaMalloc(&a, 4);\n    cudaMemset(a, 0, 4);\n    k<<<1, 1>>>(a);\n    cudaDeviceSynchronize();\n}\n")
    s = start(dap, environment, program)
    s.ask("ConfigurationDone")
    time.sleep(0.5)
    s.client.pause(1)
    s.flush()
    stop = s.stop()
    check(stop is not None and stop.reason == "pause", "pause stops an endless kernel", stop)
    check(top(s, stop.threadId)[0].line in (2, 3), "in its loop")
    check(s.close() == 0, "a client that goes ends the session")


def nonsense(dap, environment):
    client = dap.Client(adapter_id="warplab")
    s = Session(client, environment)
    s.ask("Initialized")
    for arguments, want in (({}, 'needs "program"'), ({"lab": "no-such-lab"}, "no-such-lab"), ({"program": "/nowhere.cu"}, "cannot read"), ({"program": wrong, "device": "gpu:0"}, "simulated")):
        client.send_request("launch", arguments)
        answer = s.ask("LaunchDone")
        check(want in (getattr(answer, "message", "") or ""), f"launch with {json.dumps(arguments)[:30]} is refused", answer)
    client.next(1)
    check("nothing is stopped" in s.ask("NextResponse").message, "a step before anything runs is refused")
    client.modules()
    check("not supported" in s.ask("ModulesResponse").message, "an unknown request is refused")
    s.process.stdin.write(b"Content-Length: 7\r\n\r\n{broken")
    s.process.stdin.flush()
    check(s.close() == 0, "what is no message ends the session")


def mend(dap):
    """Three slips of dap-python 0.5.0: it looks for an acknowledgement's own fields in its body, where the protocol has none; takes the ids of
    breakpoints, which are numbers, for strings; and writes exceptionId with another letter."""
    kinds = {k.__doc__.split("'")[1]: k for k in vars(dap.responses).values() if isinstance(k, type) and issubclass(k, dap.base.Response) and "'" in (k.__doc__ or "")}
    usual = dap.handler.Handler.handle_response

    def handle(self, response):
        if response.success and response.command == "exceptionInfo":
            response.body["exceptionID"] = response.body.pop("exceptionId")
        if not response.success or response.command not in kinds:
            return usual(self, response)
        request = self.client._pending_requests.pop(response.request_seq)
        assert request.command == response.command
        return kinds[response.command].model_validate(response.model_dump())

    usual_event = dap.handler.Handler.handle_event

    def handle_event(self, event):
        ids = event.body.get("hitBreakpointIds", []) if event.event == "stopped" else []
        assert all(isinstance(i, int) for i in ids)
        if ids:
            event.body["hitBreakpointIds"] = [str(i) for i in ids]
        return usual_event(self, event)

    dap.handler.Handler.handle_response = handle
    dap.handler.Handler.handle_event = handle_event


def main():
    library, why = client_library()
    if not library:
        print(f"skip the Debug Adapter Protocol (dap-python could not be installed: {why})")
        return 0
    sys.path.insert(0, library)
    import dap
    import dap.base
    import dap.handler
    import dap.responses

    mend(dap)
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, HOME=folder, XDG_DATA_HOME=folder, XDG_STATE_HOME=folder, WARPLAB_WORK=folder, LANG="C.UTF-8")
        environment["XDG_CACHE_HOME"] = os.environ.get("WARPLAB_TEST_CACHE", os.path.join(folder, "cache"))
        a_session(dap, environment)
        a_finding(dap, environment, folder)
        a_lab(dap, environment)
        an_endless_kernel(dap, environment, folder)
        nonsense(dap, environment)
    return failures != 0


sys.exit(main())
