"""What Python adds to the core's own work: less than a millisecond a call, and a twentieth of a large sweep. It measures
times, so it is run by hand:

    PYTHONPATH=build/release/python STALLCAST_PROGRAM=build/release/cli/stallcast python3 tests/python/cost_of_a_call.py
"""

import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
import unittest

import stallcast
from stallcast import _core

PROGRAM = os.environ["STALLCAST_PROGRAM"]
TINY = {"cluster": {"gpus_per_node": 1, "cores_per_node": 8}, "workload": {"batch_size": 8, "step_time": "10 ms"},
        "dataset": {"sample_size": "10 kB"}, "run": {"precision": 0.2}}  # fmt: skip
PARTS = 10
POINTS = int(os.environ.get("STALLCAST_SWEEP_POINTS", "1000"))


class CostOfACall(unittest.TestCase):
    def test_overhead_of_simulate(self):
        job = stallcast.Scenario(TINY)
        stallcast.simulate(job, inputs="point")
        added, whole = [], []
        for _ in range(300):
            began = time.perf_counter()
            result = stallcast.simulate(job, inputs="point")
            took = time.perf_counter() - began
            added.append(took - result._answer.core_s)
            whole.append(took)
        print(f"a call takes {1e3 * statistics.median(whole):.3f} ms, of which Python adds "
              f"{1e3 * statistics.median(added):.3f} ms; 99 % below {1e3 * sorted(added)[int(0.99 * len(added))]:.3f} ms")
        self.assertLess(statistics.median(added), 1e-3)

    def test_overhead_of_making_and_changing_a_scenario(self):
        began = time.perf_counter()
        for i in range(300):
            stallcast.Scenario(TINY).loader.num_workers = i % 16
        each = (time.perf_counter() - began) / 300
        print(f"making a scenario and changing it takes {1e3 * each:.3f} ms")
        self.assertLess(each, 1e-3)

    def test_a_large_sweep_takes_as_long_as_on_the_command_line(self):
        # Two GPUs: what Python adds to a point weighs more where points are quick. Runs of about one length, however many.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "job.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**TINY, "cluster": {"gpus_per_node": 2, "cores_per_node": 16}}, file)
        each = POINTS // PARTS

        def program(vary):
            with tempfile.TemporaryDirectory() as results:
                subprocess.run([PROGRAM, "sweep", path, *(word for one in vary for word in ("--vary", one)),
                                "--precision", "0.05", "-o", results, "--yes"],
                               check=True, capture_output=True)  # fmt: skip

        def python(vary):
            self.assertEqual(len(stallcast.sweep(path, vary=vary, precision=0.05)), each)

        # In parts and in turns, so that a slow minute of the machine meets both.
        took = {python: [0.0, 0.0], program: [0.0, 0.0]}
        for part in range(PARTS):
            step_times = ",".join(f"{100 + part * each // 100 + i}ms" for i in range(each // 100))
            vary = ["loader.num_workers=1..10", "loader.prefetch_factor=2..11", f"workload.step_time={step_times}"]
            for one in (program, python) if part % 2 else (python, program):
                began, cores = time.perf_counter(), cores_s()
                one(vary)
                took[one][0] += time.perf_counter() - began
                took[one][1] += cores_s() - cores
        for what, at in (("elapsed", 0), ("on the cores", 1)):
            ours, theirs = took[python][at], took[program][at]
            print(f"{POINTS} points, {what}: Python {ours:.2f} s, command line {theirs:.2f} s, "
                  f"{100 * ours / theirs - 100:+.1f} %")
            # A thousand points take seconds, where single seconds of the machine differ; what counts is ten thousand.
            self.assertLess(ours / theirs, 1.05 if POINTS >= 10000 else 1.25)


def cores_s():
    """Time on the cores of this process and of children that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


if __name__ == "__main__":
    unittest.main()
