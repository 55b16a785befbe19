#!/usr/bin/env python3
"""Draws the figures of docs/how_it_works.md: scripts/draw_mechanisms.py [FOLDER], docs/mechanisms when not given.

Small SVG that reads on light and on dark ground. What can be computed from a rule is: batches by the rule of the loader,
rates by progressive filling, hit ratios by their formula.
"""

import math
import sys
from pathlib import Path

STYLE = """<style>
text { font: 12px sans-serif; fill: #1f2328 } .small { font-size: 10px } .mid { text-anchor: middle } .end { text-anchor: end }
.line { stroke: #59636e; fill: none } .dash { stroke: #59636e; stroke-dasharray: 4 3; fill: none }
.a { fill: #2da44e } .b { fill: #bf8700 } .c { fill: #0969da } .d { fill: #cf222e } .e { fill: #8c959f } .on { fill: #ffffff }
.la { stroke: #2da44e; fill: none; stroke-width: 2 } .lc { stroke: #0969da; fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .line, .dash { stroke: #9198a1 } .on { fill: #ffffff }
.b { fill: #9e6a03 } .c { fill: #1f6feb } .a { fill: #238636 } .d { fill: #da3633 } .e { fill: #656c76 } }
</style>"""


class Drawing:
    """Shapes in order. Coordinates in pixels from the upper left corner."""

    def __init__(self, width, height, title):
        self.head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                     f'height="{height}" role="img"><title>{title}</title>\n{STYLE}\n')
        self.shapes = []

    def text(self, x, y, words, kind=""):
        self.shapes.append(f'<text x="{x:g}" y="{y:g}" class="{kind}">{words}</text>')

    def bar(self, x, y, width, height, kind, words=""):
        self.shapes.append(f'<rect x="{x:g}" y="{y:g}" width="{max(width - 1, 0.5):g}" height="{height:g}" class="{kind}"/>')
        if words:
            self.text(x + width / 2, y + height / 2 + 4, words, "small mid on")

    def line(self, points, kind="line"):
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.shapes.append(f'<polyline points="{path}" class="{kind}"/>')

    def arrow(self, x, y, x2):
        self.line([(x, y), (x2, y)])
        self.line([(x2 - 5, y - 3), (x2, y), (x2 - 5, y + 3)])

    def key(self, x, y, entries):
        for kind, words in entries:
            self.bar(x, y, 12, 12, kind)
            self.text(x + 16, y + 10, words)
            x += 30 + 6.6 * len(words)

    def write(self, path):
        path.write_text(self.head + "\n".join(self.shapes) + "\n</svg>\n", encoding="utf-8")


def step_and_barrier():
    out = Drawing(640, 190, "Four ranks, two steps: each waits for its batch, computes, and waits for the slowest")
    waits = [[20, 60, 10, 30], [15, 20, 95, 10]]
    start = 70
    for step, row in enumerate(waits):
        end = start + max(row) + 8 + 110
        for rank, wait in enumerate(row):
            y = 20 + 30 * rank
            out.bar(start, y, wait, 20, "b")
            out.bar(start + wait, y, 8, 20, "c")
            out.bar(start + wait + 8, y, 110, 20, "a", "compute")
            out.bar(start + wait + 118, y, end - start - wait - 118, 20, "e")
        out.bar(end, 20, 22, 110, "d")
        out.text((start + end) / 2, 14, f"step {step + 1}", "mid")
        start = end + 22
    for rank in range(4):
        out.text(10, 34 + 30 * rank, f"rank {rank}")
    out.arrow(70, 142, 600)
    out.text(604, 146, "time")
    out.key(70, 164, [("b", "next(): waits for data"), ("c", "copy"), ("a", "compute"), ("e", "waits for others"),
                      ("d", "all-reduce")])
    return out


def loader_schedule(fetch, workers, prefetch, step):
    """When batches are loaded, by whom, and taken: index i to worker i mod workers, one more for each one taken."""
    free, sent, done, taken, now = [0.0] * workers, {}, {}, [], 0.0
    for batch in range(min(workers * prefetch, len(fetch))):
        sent[batch] = 0.0
    for batch in range(len(fetch)):
        worker = batch % workers
        start = max(free[worker], sent[batch])
        free[worker] = start + fetch[batch]
        done[batch] = (worker, start, free[worker])
        # The batch before the last of this worker's may not be taken yet; batches are taken in order.
        ready = max(now, free[worker])
        taken.append((now, ready))
        if batch + workers * prefetch < len(fetch):
            sent[batch + workers * prefetch] = ready
        now = ready + step
    return done, taken


def loader():
    fetch = [60, 70, 60, 150, 60, 60, 70, 60]
    done, taken = loader_schedule(fetch, workers=3, prefetch=2, step=45)
    out = Drawing(640, 210, "Three workers load batches, the trainer takes them in order; a slow batch holds up later ones")
    left = 80
    for batch, (worker, start, end) in done.items():
        out.bar(left + start, 20 + 30 * worker, end - start, 20, "d" if fetch[batch] > 100 else "c", str(batch))
    for batch, (asked, ready) in enumerate(taken):
        out.bar(left + asked, 125, ready - asked, 20, "b")
        out.bar(left + ready, 125, 45, 20, "a", str(batch))
    for worker in range(3):
        out.text(10, 34 + 30 * worker, f"worker {worker}")
    out.text(10, 139, "trainer")
    slow_end = done[3][2]
    out.line([(left + slow_end, 14), (left + slow_end, 150)], "dash")
    out.text(left + slow_end + 4, 116, "batches 4 and 5 were ready, 3 was not", "small")
    out.arrow(left, 160, 600)
    out.text(604, 164, "time")
    out.key(left, 184, [("c", "loads a batch"), ("d", "a slow one"), ("b", "waits in next()"), ("a", "computes with it")])
    return out


def read():
    out = Drawing(640, 170, "A read: admission by the request rate, latency to the first byte, then bytes at the rate of "
                            "the narrowest cap")
    parts = [(60, "e", "admitted"), (130, "b", "first byte"), (300, "c", "bytes, at the rate that the narrowest leaves"),
             (70, "a", "decode")]
    x = 60
    for width, kind, words in parts:
        out.bar(x, 20, width, 26, kind, words)
        x += width
    for at, words in ((90, "read_iops,"), (185, "latency, a draw"), (595, "a core")):
        out.text(at, 64, words, "small mid")
    out.text(90, 77, "metadata_rate", "small mid")
    caps = [("stream or its stripes", 16), ("client", 34), ("network card", 44), ("tier", 60)]
    for i, (words, height) in enumerate(caps):
        out.bar(130 + 122 * i, 124 - height / 2, 112, height, "c", words)
    out.text(10, 128, "caps on the way")
    return out


def progressive_filling(capacity, caps):
    """Max-min fair rates of one flow per cap, through one link."""
    rates, left, waiting = [0.0] * len(caps), capacity, sorted(range(len(caps)), key=lambda i: caps[i])
    while waiting:
        i = waiting[0]
        rates[i] = min(caps[i], left / len(waiting))
        left -= rates[i]
        waiting.pop(0)
    return rates


def sharing():
    out = Drawing(640, 190, "Max-min fair rates of four nodes behind one tier, with two and with four of them reading")
    groups = [("two nodes read: each at its own cap", 10, [3, 5]), ("four nodes read: the small one keeps its cap, the rest "
              "share evenly", 10, [1.5, 5, 5, 3])]
    y = 24
    for title, capacity, caps in groups:
        out.text(60, y - 6, title)
        x = 60
        for cap, rate in zip(caps, progressive_filling(capacity, caps)):
            out.bar(x, y, 50 * rate, 26, "a" if rate == cap else "c", f"{rate:.2f} of {cap:g}")
            x += 50 * rate
        out.line([(560, y - 4), (560, y + 34)], "dash")
        out.line([(60, y + 30), (560, y + 30)])
        y += 66
    out.text(566, 42, "tier: 10 GB/s", "small")
    out.key(60, 160, [("a", "bound by its own cap"), ("c", "bound by what the tier leaves")])
    return out


def caches():
    out = Drawing(640, 250, "Hit ratio of an LRU cache under a fresh shuffle every epoch, and of a cache that keeps a fixed "
                            "part")
    left, top, width, height = 70, 16, 380, 190

    def place(c, h):
        return left + width * c, top + height * (1 - h)

    out.line([place(0, 1), place(0, 0), place(1, 0)])
    for tick in (0, 0.25, 0.5, 0.75, 1):
        out.text(*[place(tick, 0)[0], top + height + 16], f"{100 * tick:.0f} %", "small mid")
        out.text(left - 6, place(0, tick)[1] + 4, f"{100 * tick:.0f} %", "small end")
    grid = [i / 100 for i in range(101)]
    out.line([place(c, c) for c in grid], "lc")
    out.line([place(c, c + (1 - c) * math.log(1 - c) if c < 1 else 1.0) for c in grid], "la")
    out.text(*place(0.47, 0.55), "keeps a fixed part: c", "end")
    out.text(*place(0.62, 0.18), "LRU: c + (1 - c) ln(1 - c)")
    out.text(left + width / 2, top + height + 34, "part c of the dataset that fits", "mid")
    out.text(470, 30, "reads answered by the cache", "small")
    return out


def timeline():
    out = Drawing(640, 150, "Hours of a run: training, checkpoints, a failure, lost steps, detection, restart, restore")
    parts = [("a", 70, ""), ("c", 6, ""), ("a", 70, ""), ("c", 6, ""), ("d", 40, "lost"), ("b", 26, ""), ("b", 34, ""),
             ("e", 40, ""), ("c", 18, ""), ("a", 70, ""), ("c", 6, ""), ("a", 70, ""), ("c", 6, ""), ("a", 50, "")]
    x, marks = 50, []
    for kind, width, words in parts:
        marks.append(x)
        out.bar(x, 40, width, 26, kind, words)
        x += width
    out.text(marks[5], 32, "failure", "mid")
    out.line([(marks[5], 36), (marks[5], 72)])
    for i, words, row in ((5, "detection", 0), (6, "replacement", 1), (7, "restart", 0), (8, "restore", 1)):
        width = parts[i][1]
        out.text(marks[i] + width / 2, 84 + 13 * row, words, "small mid")
    out.text(marks[1] + 3, 32, "checkpoint", "small mid")
    out.arrow(50, 110, 600)
    out.text(604, 114, "hours")
    out.key(50, 128, [("a", "training, kept"), ("c", "checkpoint, restore"), ("d", "training, done again"),
                      ("b", "nobody trains")])
    return out


def common_luck():
    out = Drawing(640, 190, "Two scenarios with the same luck: values spread, their differences do not")
    luck = [0.0, 2.1, -1.6, 0.9, -2.4, 1.5, -0.6, 2.8]
    for i, z in enumerate(luck):
        x = 90 + 42 * i
        a, b = 50 - 9 * z, 120 - 9 * z - (2 if i % 3 else -2)
        out.line([(x, a), (x, b)], "dash")
        out.bar(x - 4, a - 4, 9, 8, "c")
        out.bar(x - 4, b - 4, 9, 8, "a")
        out.text(x, 172, f"{i + 1}", "small mid")
    out.text(10, 54, "A")
    out.text(10, 124, "B")
    out.text(10, 172, "seed")
    out.text(440, 54, "values differ from seed to seed,", "small")
    out.text(440, 70, "differences hardly do:", "small")
    out.text(440, 86, "their interval is narrow", "small")
    return out


def search():
    out = Drawing(640, 210, "Boxes of configurations: dropped by their roofline, dropped because they cannot be better, or "
                            "simulated")
    rows, columns = ["2 workers", "4", "8", "16"], 10
    kinds = ["dddddeeeee", "ddddceeeee", "dddcaeeeee", "dddaaeeeee"]
    for r, row in enumerate(kinds):
        out.text(10, 40 + 30 * r, rows[r])
        for c in range(columns):
            out.bar(90 + 40 * c, 24 + 30 * r, 38, 26, row[c], "answer" if (r, c) == (3, 4) else "")
    out.text(90, 160, "less capacity, cheaper")
    out.arrow(240, 156, 430)
    out.text(440, 160, "more capacity, dearer")
    out.key(90, 180, [("d", "roofline too low"), ("e", "dearer at best"), ("c", "no better than with more workers")])
    out.key(520, 60, [("a", "simulated")])
    return out


FIGURES = {"step": step_and_barrier, "loader": loader, "read": read, "sharing": sharing, "caches": caches,
           "run_timeline": timeline, "luck": common_luck, "search": search}

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "docs" / "mechanisms"
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in FIGURES.items():
        draw().write(folder / f"{name}.svg")
