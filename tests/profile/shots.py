#!/usr/bin/env python3
# timeout: 600
"""The page of `profile --html` in a headless Chromium: a transposition and a reduction, each alone
and beside another run (`--against`), at three widths, light and dark, in both languages. Held of
each: the page is no wider than the window and no picture is cut, no text of a picture is too small,
runs out of it or over another, nothing of the other language is shown, and what is written stands
out from its background (a contrast of 4.5, as the WCAG ask).

    FULL=1 SHOTS=FOLDER tests/profile/shots.py      and a picture of each in FOLDER

Needs FULL=1, chromium, and packages of PyPI."""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile

import browser
from packages import root

warplab = os.path.join(root, os.environ.get("B", "build"), "warplab")
PROGRAMS = {
    "transpose": ("""__global__ void transpose(const float *in, float *out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
""", """__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32, y = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = in[(y + j) * n + x + threadIdx.x];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8) out[(x + j) * n + y + threadIdx.x] = tile[threadIdx.x][j];
}
""", "transpose<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, out, n)", "transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n)"),
    "reduction": ("""__global__ void reduction(const float *in, float *out, int n) {
    __shared__ float sum[256];
    int t = threadIdx.x;
    sum[t] = in[blockIdx.x * 256 + t];
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        if (t % (2 * d) == 0) sum[t] += sum[t + d];
    }
    if (t == 0) atomicAdd(out, sum[0]);
}
""", """__global__ void reduction(const float *in, float *out, int n) {
    float v = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n * n; i += gridDim.x * 256) v += in[i];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
""", "reduction<<<n * n / 256, 256>>>(in, out, n)", "reduction<<<1056, 256>>>(in, out, n)"),
}
MAIN = """int main() {
    int n = 1024;
    float *in, *out, *host = new float[n * n]();
    cudaMalloc(&in, n * n * 4), cudaMalloc(&out, n * n * 4);
    cudaMemcpy(in, host, n * n * 4, cudaMemcpyHostToDevice), cudaMemset(out, 0, n * n * 4);
    %s;
    cudaMemcpy(host, out, n * n * 4, cudaMemcpyDeviceToHost);
    cudaFree(in), cudaFree(out);
}
"""
LOOK = """(() => {
    const bad = [], seen = e => e.getClientRects().length && getComputedStyle(e).visibility != 'hidden';
    const wide = document.documentElement.scrollWidth - innerWidth;
    if (wide > 0) bad.push('the page is ' + wide + ' wider than the window');
    for (const e of document.querySelectorAll('h1, h2, h3, p, td, th, nav, .card')) {
        const b = e.getBoundingClientRect();
        if (seen(e) && !e.closest('.scroll') && (b.right > innerWidth + 1 || b.left < -1)) bad.push('out of the window: ' + e.textContent.slice(0, 50));
    }
    for (const svg of document.querySelectorAll('svg')) {
        const box = svg.getBoundingClientRect();
        if (box.right > innerWidth + 1) bad.push('a picture is cut: ' + box.right);
        const texts = [...svg.querySelectorAll('text')].filter(seen);
        for (const [i, t] of texts.entries()) {
            const b = t.getBoundingClientRect();
            if (b.width && b.height < 9) bad.push('letters of ' + b.height.toFixed(1) + ' pixels: ' + t.textContent);
            if (b.width && (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1)) bad.push('out of its picture: ' + t.textContent);
            for (const o of texts.slice(i + 1)) {
                const c = o.getBoundingClientRect();
                if (b.width && c.width && b.left < c.right - 1 && c.left < b.right - 1 && b.top < c.bottom - 3 && c.top < b.bottom - 3) bad.push('over each other: ' + t.textContent + ' | ' + o.textContent);
            }
        }
    }
    const number = c => (c.match(/[\\d.]+/g) || []).map(Number);
    const light = ([r, g, b]) => { const f = v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
    const below = e => { let c = [0, 0, 0, 0], up = []; for (; e; e = e.parentElement) { const n = number(getComputedStyle(e).backgroundColor); if (n.length == 3) n.push(1); up.push(n); if (n[3] == 1) break; }
        c = up.pop(); while (up.length) { const n = up.pop(); c = c.map((v, i) => i < 3 ? v * (1 - n[3]) + n[i] * n[3] : 1); } return c; };
    for (const e of document.querySelectorAll('p, td, th, h1, h2, h3, label, span, text, b, summary')) {
        const own = [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim());
        if (!own || !seen(e)) continue;
        const s = getComputedStyle(e), a = light(number(e.tagName == 'text' || e.closest('svg') ? s.fill : s.color)), b = light(below(e.closest('svg') || e));
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < 4.5) bad.push('contrast ' + contrast.toFixed(1) + ': ' + e.textContent.slice(0, 40));
    }
    const other = document.querySelector('#zh').checked ? '.en' : '.zh';
    for (const e of document.querySelectorAll('main ' + other)) if (seen(e)) bad.push('the other language: ' + e.textContent.slice(0, 40));
    return JSON.stringify([...new Set(bad)].slice(0, 8));
})()"""
failures = 0


def check(good, name, why=""):
    global failures
    failures += not good
    print(("ok " if good else "not ok ") + name + ("" if good else f" ({str(why)[:800]})"), flush=True)
    return good


def made(folder, environment):
    """The pages, by name."""
    pages = {}
    for name, (before, after, call, better) in PROGRAMS.items():
        for kind, source, launch in (("", before, call), ("-against", after, better)):
            program, page, told = (os.path.join(folder, name + end) for end in (f"{kind}.cu", f"{kind}.html", f"{kind}.json"))
            with open(program, "w") as f:
                f.write("#include <cstdio>\n" + source + MAIN % launch)
            against = ["--against", os.path.join(folder, name + ".json")] if kind else []
            command = [warplab, "profile", "--device", "sim:h200", "--json", told, "--html", page, *against, program]
            done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if check(done.returncode == 0, f"{name}{kind}: a page", done.stderr):
                pages[name + kind] = page
    return pages


def look(page, name, path, shots):
    for width in (1280, 600, 480):
        for scheme in ("light", "dark"):
            for lang in ("en", "zh"):
                page.do("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
                page.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                page.do("Page.navigate", url="file://" + path)
                for _ in range(100):
                    if page.js("document.readyState == 'complete' && Boolean(document.querySelector('#zh'))"):
                        break
                page.js(f"document.querySelector('label[for={lang}]').click()")
                said = page.js(LOOK)
                check(said == "[]", f"{name}, {width} wide, {scheme}, {lang}", said)
                if shots:
                    height = int(page.js("document.documentElement.scrollHeight"))
                    page.do("Emulation.setDeviceMetricsOverride", width=width, height=min(height, 6000), deviceScaleFactor=1, mobile=width < 600)
                    with open(os.path.join(shots, f"{name}-{width}-{scheme}-{lang}.png"), "wb") as f:
                        f.write(base64.b64decode(page.do("Page.captureScreenshot")["data"]))


def main():
    if not os.environ.get("FULL"):
        print("skip the page in a browser (Chromium and 50 MB of packages: FULL=1)")
        return 0
    if not shutil.which("chromium"):
        print("skip the page in a browser (there is no chromium)")
        return 0
    websocket, why = browser.websocket_package()
    if not websocket:
        print(f"skip the page in a browser (websocket-client could not be installed: {why})")
        return 0
    shots = os.environ.get("SHOTS")
    if shots:
        os.makedirs(shots, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = dict(os.environ, HOME=folder, XDG_CACHE_HOME=os.environ.get("WARPLAB_TEST_CACHE", os.path.join(folder, "cache")))
        pages = made(folder, environment)
        with browser.chromium(websocket, folder) as page:
            for name, path in pages.items():
                look(page, name, path, shots)
    return failures != 0


sys.exit(main())
