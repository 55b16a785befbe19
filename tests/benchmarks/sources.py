"""Where a row's figure comes from: a benchmark of our own, a program of another engine, or a command as a person runs it.

Each has missing(context), "" or why it cannot be measured, and measure(context), the best of some Measurements.
"""

import json
import shlex
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LONGEST_S = 900  # of one program
ENOUGH_S = 5  # what takes longer is measured once


@dataclass(frozen=True)
class Measurement:
    items: float
    wall_s: float
    check: float

    @property
    def rate(self):
        return self.items / self.wall_s


@dataclass(frozen=True)
class Context:
    build: Path  # a build folder
    work: Path  # an empty folder for files
    quick: bool = False
    around: str = ""  # a command that each program is run by, such as "taskset -c 1"

    def output_of(self, command):
        done = subprocess.run([*shlex.split(self.around), *map(str, command)], cwd=ROOT, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LONGEST_S, check=False)
        if done.returncode != 0:
            said = " | ".join(done.stderr.strip().splitlines()[-2:])
            raise RuntimeError(f"{Path(command[0]).name} ended with {done.returncode}: {said}")
        return done.stdout

    def program(self, name):
        return self.build / "tests" / "benchmarks" / name


def best(measurements):
    """What else runs on the machine only ever slows a measurement (McCalpin's STREAM reports the best for that reason)."""
    return max(measurements, key=lambda m: m.rate)


def repeated(measure, context):
    """The best of three, or of as many as begin within some seconds."""
    measured, started = [measure()], time.perf_counter()
    while not context.quick and len(measured) < 3 and measured[0].wall_s + time.perf_counter() - started < ENOUGH_S:
        measured.append(measure())
    return best(measured)


@dataclass(frozen=True)
class Benchmark:
    """A benchmark of a Google Benchmark program, and the counter that is checked."""

    program: str
    name: str
    counter: str
    streams: tuple = ()  # files of recorded event streams that the program reads

    def missing(self, context):
        return "" if context.program(self.program).exists() else f"{self.program} is not built"

    def measure(self, context):
        out = context.output_of([context.program(self.program), *(context.work / stream for stream in self.streams), "--benchmark_format=json",
                                 f"--benchmark_filter=^{self.name}$",
                                 f"--benchmark_min_time={0.01 if context.quick else 0.2}",
                                 f"--benchmark_repetitions={1 if context.quick else 5}"])
        runs = [run for run in json.loads(out)["benchmarks"] if run["run_type"] == "iteration"]
        return best([self.read(run) for run in runs])

    def read(self, run):
        unit_s = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[run["time_unit"]]
        # Google Benchmark counts by processor time, everything here by the clock on the wall.
        items = run["items_per_second"] * run["cpu_time"] * unit_s * run["iterations"]
        return Measurement(items, run["real_time"] * unit_s * run["iterations"], run[self.counter])


@dataclass(frozen=True)
class Peer:
    """A model in another engine, which prints one JSON line (peers/peer_report.h)."""

    program: str
    arguments: tuple
    quick: tuple = ()  # arguments of a short run

    def command(self, context):
        if self.program.endswith(".py"):
            # The system's own interpreter: that is the one its python3-simpy3 belongs to.
            return ["/usr/bin/python3", HERE / "peers" / self.program]
        return [context.build / "peers" / self.program]

    def missing(self, context):
        if self.program.endswith(".py"):
            found = subprocess.run(["/usr/bin/python3", "-c", "import simpy"], capture_output=True, check=False)
            return "" if found.returncode == 0 else "SimPy is not installed"
        return "" if self.command(context)[0].exists() else f"{self.program} is not built: its engine is not installed"

    def measure(self, context):
        arguments = self.quick if context.quick and self.quick else self.arguments

        def once():
            line = json.loads(context.output_of([*self.command(context), *arguments]).strip().splitlines()[-1])
            return Measurement(line["items"], line["wall_s"], line["check"])

        return repeated(once, context)


@dataclass(frozen=True)
class Command:
    """A command of stallcast, from its start to its end."""

    arguments: tuple  # OUT: a folder that is not there yet
    read: object  # of what it prints and of that folder: the number of items, and the check

    def missing(self, context):
        return "" if (context.build / "cli" / "stallcast").exists() else "stallcast is not built"

    def measure(self, context):
        return repeated(lambda: self.once(context), context)

    def once(self, context):
        with tempfile.TemporaryDirectory(dir=context.work) as folder:
            out = Path(folder) / "out"
            command = [context.build / "cli" / "stallcast", *(out if a == "OUT" else a for a in self.arguments)]
            started = time.perf_counter()
            printed = context.output_of(command)
            wall_s = time.perf_counter() - started
            items, check = self.read(printed, out)
            return Measurement(items, wall_s, check)
