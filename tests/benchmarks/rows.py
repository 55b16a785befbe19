"""What is measured: one row per model and engine, and the number that the model must get right.

A rate is items per second of wall time. The engine "bound" is what the machine allows when nothing else is done.
"""

import csv
import json
from dataclasses import dataclass
from math import sqrt

from sources import Benchmark, Command, Peer

ENGINE = "stallcast_engine_benchmark"
QUEUES = ("stallcast", "4-ary heap", "binary heap", "pairing heap", "calendar queue")
STREAMS = {"mm1": "M/M/1", "loader_1": "loader, 1 rank", "loader_64": "loader, 64 ranks",
           "loader_512": "loader, 512 ranks", "headline": "headline scenario"}
HEADLINE = "scenarios/01_headline_parallelstore.json"
FOUR_ERRORS = 4.0  # a right model is further off in one of 16,000 runs


@dataclass(frozen=True)
class Check:
    name: str
    low: float
    high: float

    def holds(self, value):
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Row:
    model: str
    engine: str
    unit: str
    source: object  # Benchmark, Peer or Command
    check: Check
    slow: bool = False  # left out by --quick


def exactly(name, value):
    return Check(name, value, value)


def near(name, value, error):
    return Check(name, value - error, value + error)


def bound(model, unit, name, check, slow=False):
    return Row(model, "bound", unit, Benchmark(ENGINE, name, check.name), check, slow)


def own(model, unit, name, check, slow=False):
    return Row(model, "stallcast", unit, Benchmark(ENGINE, name, check.name), check, slow)


# ------------------------------------------------------------------------------------------------------ the machine


def memory():
    yield bound("memory, copy", "bytes", "BM_Copy", exactly("last", 1.0))
    yield bound("memory, triad", "bytes", "BM_Triad", exactly("last", 7.0))
    yield bound("memory, dependent reads in 24 MB", "reads", "BM_DependentReads/24000000", exactly("ring_share", 1.0))


# ------------------------------------------------------- M/M/1: arrival rate 0.75, service rate 1; two holds a customer


def sojourn(customers):
    # The variance of a mean of n waits is rho (2 + 5 rho - 4 rho^2 + rho^3) / (1 - rho)^4 / n (Whitt, Management Science
    # 35(11), 1989): 753 / n here.
    return near("mean_sojourn", 1.0 / (1.0 - 0.75), FOUR_ERRORS * sqrt(753.0 / customers))


def mm1():
    yield bound("M/M/1", "events", "BM_ExponentialDraw", near("mean", 1.0, 0.02))
    yield own("M/M/1", "events", "BM_MM1", sojourn(1_000_000))
    for engine, program, customers in (("SimGrid", "mm1_simgrid", 1_000_000), ("SystemC", "mm1_systemc", 1_000_000),
                                       ("ns-3", "mm1_ns3", 1_000_000), ("SimPy", "mm1_simpy.py", 200_000)):
        yield Row("M/M/1", engine, "events", Peer(program, (customers,), quick=(100_000,)), sojourn(100_000))


# ------------------------------------------------- hold model: n waits pending; the bare queue, then processes that wait


def holds(events):
    # Each process is a Poisson process of rate 1: the number of events has its mean as its variance.
    return near("holds_per_process_s", 1.0, FOUR_ERRORS / sqrt(events))


def hold():
    for pending in (10**2, 10**3, 10**4, 10**5, 10**6):
        model, slow = f"hold, bare queue, {pending:,} pending", pending > 10**4
        yield bound(model, "holds", f"BM_HeapHold/{pending}", exactly("too_early", 0.0), slow)
        yield own(model, "holds", f"BM_EventQueueHold/{pending}", exactly("too_early", 0.0), slow)
    for pending in (10**2, 10**4, 10**6):
        model, slow = f"hold, {pending:,} processes", pending > 10**4
        yield bound(model, "holds", f"BM_HeapHold/{pending}", exactly("too_early", 0.0), slow)
        yield own(model, "holds", f"BM_Hold/{pending}", holds(100_000), slow)
        for engine, program, count, most in (("SimGrid", "hold_simgrid", 1_000_000, 10**4),
                                             ("SystemC", "hold_systemc", 2_000_000, 10**4),
                                             ("ns-3", "hold_ns3", 1_000_000, 10**6),
                                             ("SimPy", "hold_simpy.py", 300_000, 10**4)):
            if pending <= most:
                yield Row(model, engine, "holds", Peer(program, (pending, count), quick=(pending, 100_000)),
                          holds(100_000), slow)


# ------------------------------------------------------------------------------------ the loader, at sample fidelity


def simulated(ranks, steps, step_ms):
    # After a first batch of 32 x (0.5 + 0.075 + 1) ms = 50.4 ms, steps as long as the trainer computes or its eight
    # workers take for a batch; or the disk's 2 GB/s over 150 kB a sample, whatever is longer. What is in neither takes
    # less than a tenth.
    steps_s, disk_s = 0.05 + steps * max(1e-3 * step_ms, 50.4e-3 / 8), ranks * steps * 32 * 150e3 / 2e9
    least = max(steps_s, disk_s)
    return Check("simulated_s", 0.99 * least, 1.1 * least)


def loader():
    for which, benchmark, step_ms in (("", "BM_Loader", 50), (", workers busy", "BM_LoaderWorkersBusy", 5)):
        for ranks in (1, 8, 64, 512):
            model = f"loader, {ranks} rank{'s' if ranks > 1 else ''}{which}"
            steps = max(20, 2000 // ranks)
            check = simulated(ranks, steps, step_ms)
            yield own(model, "samples", f"{benchmark}/{ranks}", check)
            if ranks <= 64:
                yield Row(model, "SimGrid", "samples", Peer("loader_simgrid", (ranks, steps, step_ms)), check,
                          slow=ranks > 8 or step_ms < 50)


# ---------------------------------------------- bandwidth: flows in classes behind one tier, each class with its own link


def flows():
    for which, binds in (("the tier binds", 0), ("links bind", 1), ("a cap binds at times", 2)):
        # A cap that hovers around the fair share keeps the mean rate below it.
        yield own(f"100,000 flows, 1,000 classes, {which}", "flows", f"BM_Flows/100000/1000/{binds}",
                  Check("rate_per_flow", 0.8 if binds == 2 else 0.98, 1.02), slow=binds > 0)
    ended = 100
    yield Row("100,000 flows, 1,000 classes, the tier binds", "SimGrid", "flows",
              Peer("flows_simgrid", (100_000, 1_000, ended)), near("rate_per_flow", 1.0, FOUR_ERRORS / sqrt(ended)),
              slow=True)


# -------------------------------------------------------------------------- commands as a person runs them, start to end


def commands():
    def command(model, unit, arguments, read, check, slow=False):
        return Row(model, "stallcast", unit, Command(arguments, read), check, slow)

    def headline(printed, _):
        out = json.loads(printed)
        return out["events"], out["gpu_utilization"]["mean"]

    def weeks(printed, _):
        out = json.loads(printed)
        return out["run_timeline"]["replications"], out["goodput_fraction"]

    def sweep(_, out):
        with open(out / "results.csv", encoding="utf-8") as file:
            points = list(csv.DictReader(file))
        return len(points), sum(point["status"] == "ok" for point in points)

    def size(printed, _):
        out = json.loads(printed)
        return out["search"]["points"], out["gap_fraction"]

    as_json = ("--format", "json")
    # 78.6 % with an interval of half a point.
    yield command("headline scenario, 32 GPUs", "events", ("simulate", HEADLINE, *as_json), headline,
                  near("gpu_utilization", 0.786, 0.01))
    # 92.3 % of the time trains (scenarios/weeks/README.md).
    yield command("54 days of 16,384 GPUs", "runs", ("simulate", "scenarios/weeks/llama3_405b.json", *as_json),
                  weeks, near("goodput", 0.923, 0.005))
    yield command("sweep of the headline scenario", "points",
                  ("sweep", HEADLINE, "--vary", "loader.num_workers=1..16", "--vary", "loader.prefetch_factor=2,4",
                   "-o", "OUT"), sweep, exactly("points", 32), slow=True)
    yield command("size of scenario 22", "configurations",
                  ("size", "scenarios/22_a3_storage_choice.json", *as_json), size, Check("gap", 0.0, 0.01), slow=True)


# ---------------------------------------------------------------------------------- queues on recorded streams of events


def streams():
    for stream, model in STREAMS.items():
        for queue in QUEUES:
            source = Benchmark("stallcast_queue_benchmark", f"{stream}/{queue}", "wrong_orders", (f"{stream}.events",))
            yield Row(f"event stream of {model}", queue, "events", source, exactly("wrong_orders", 0.0), slow=True)


def all_rows():
    for group in (memory, mm1, hold, loader, flows, commands, streams):
        yield from group()
