"""Ctrl-C at any moment ends the call with KeyboardInterrupt and leaves the interpreter usable; other threads run while
the core works."""

import os
import random
import signal
import threading
import time
import unittest

import stallcast
from stallcast import _core

QUICK = {"cluster": {"gpus_per_node": 1, "cores_per_node": 8}, "workload": {"batch_size": 32, "step_time": "100 ms"},
         "dataset": {"sample_size": "100 kB", "decode_time": {"kind": "lognormal", "mean": "10 ms", "sigma": 0.5}},
         "storage": {"read_bandwidth": "1 GB/s", "latency": "1 ms"}}  # fmt: skip
LONG = {**QUICK, "dataset": {**QUICK["dataset"], "samples": 100_000_000}, "run": {"whole_run": True}}  # half a minute


def interrupt_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


class Interrupts(unittest.TestCase):
    def still_works(self):
        self.assertGreater(stallcast.simulate(QUICK, precision=0.05, inputs="point").gpu_utilization.mean, 0)

    def test_every_command_ends_soon(self):
        calls = {
            "simulate": lambda: stallcast.simulate(LONG),
            "explain": lambda: stallcast.explain(LONG),
            "compare": lambda: stallcast.compare(LONG, LONG),
            "size": lambda: stallcast.size(LONG, vary="loader.num_workers=1..8", min_utilization=0.5),
            "sweep": lambda: stallcast.sweep(LONG, vary="loader.num_workers=1..8"),
            "sensitivity": lambda: stallcast.sensitivity(LONG, inputs="storage.latency=x0.5..x2"),
        }
        for name, call in calls.items():
            with self.subTest(name):
                timer, began = interrupt_after(0.3), time.monotonic()
                with self.assertRaises(KeyboardInterrupt):
                    call()
                timer.join()
                self.assertLess(time.monotonic() - began, 30)
        self.still_works()

    def test_at_any_moment(self):
        chance = random.Random(1)
        for _ in range(20):
            timer = interrupt_after(chance.uniform(0.0, 0.2))
            with self.assertRaises(KeyboardInterrupt):
                stallcast.simulate(LONG)
                timer.join()
                time.sleep(1)  # where the call was over before
            timer.join()
        self.still_works()

    def test_a_sweep_that_was_interrupted_goes_on(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            asked = {"vary": "loader.num_workers=1..200", "precision": 0.01, "directory": folder}
            seen = []

            def stop_soon(what, done, wanted, _):
                seen.append(done)
                if done >= 3:
                    raise KeyboardInterrupt

            try:
                stallcast.sweep(QUICK, **asked, progress=stop_soon)
            except KeyboardInterrupt:
                pass
            table = stallcast.sweep(QUICK, **asked)
            self.assertEqual(len(table), 200)
            del asked["directory"]
            self.assertEqual(table.to_json_lines(), stallcast.sweep(QUICK, **asked).to_json_lines())

    def test_other_threads_run_meanwhile(self):
        ticks, over = [], threading.Event()

        def tick():
            while not over.wait(0.001):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        began = time.monotonic()
        stallcast.simulate({**LONG, "dataset": {**LONG["dataset"], "samples": 2_000_000}}, inputs="point")
        ended = time.monotonic()
        over.set()
        thread.join()
        self.assertGreater(ended - began, 0.02)
        inside = [tick for tick in ticks if began < tick < ended]
        # With the lock held all along there would be none. A busy machine gives a thread far less than its share.
        self.assertGreater(len(inside), 1)

    def test_threads_simulate_side_by_side(self):
        alone = stallcast.simulate(QUICK, inputs="point").to_dict()
        found = [None] * 8

        def work(i):
            found[i] = stallcast.simulate(QUICK, inputs="point").to_dict()

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(found))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one in found:
            self.assertEqual({**one, "wall_s": 0}, {**alone, "wall_s": 0})

    def test_a_fork_can_simulate(self):
        self.still_works()
        child = os.fork()
        if child == 0:
            try:
                stallcast.simulate(QUICK, precision=0.05, inputs="point")
                os._exit(0)
            except BaseException:
                os._exit(1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertTrue(_core.version)


if __name__ == "__main__":
    unittest.main()
