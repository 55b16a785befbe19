"""The recorder in real training runs: what it records, in which processes, and what is left when they are killed."""

import io
import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import torch
import torch.utils.data

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, "..", "..", "scripts")
TRAIN = os.path.join(HERE, "train.py")
sys.path[:0] = [SCRIPTS, HERE]
import stallcast_recorder  # noqa: E402
from stallcast_recorder import Recorder  # noqa: E402


def records_of(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def burn(cpu_s):
    end = time.thread_time() + cpu_s
    while time.thread_time() < end:
        pass


class Timed(torch.utils.data.Dataset):
    """Samples that wait 4 ms and compute 2 ms, or longer where the machine is busy: each holds the CPU time it took."""

    WAIT, CPU = 0.004, 0.002

    def __init__(self, samples=64, marked=True, broken=-1):
        self.samples, self.marked, self.broken = samples, marked, broken

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        if index == self.broken:
            raise ValueError("a broken sample")
        start = time.thread_time()
        sample = torch.zeros(10)
        if self.marked:
            with stallcast_recorder.read(1000):
                time.sleep(self.WAIT)
            with stallcast_recorder.decode():
                burn(self.CPU)
        else:
            time.sleep(self.WAIT)
            burn(self.CPU)
        return sample.fill_(time.thread_time() - start), index


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        first, by = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(first, 64, by):
            yield Timed()[index]


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "run.jsonl")

    def record(self, dataset, body=lambda recorder: None, epochs=1, **settings):
        loader = torch.utils.data.DataLoader(dataset, **dict({"batch_size": 8}, **settings))
        with Recorder(self.path) as recorder:
            watched = recorder.watch(loader)
            took = []
            for _ in range(epochs):
                for samples, _ in watched:
                    took += samples[:, 0].tolist()
                    body(recorder)
        self.sample_cpu_s = sum(took) / max(len(took), 1)
        return records_of(self.path)[-1]

    def train(self, *args):
        return [sys.executable, TRAIN, "--data", os.path.join(self.folder, "data"), "--out", self.path, *args]


class Samples(WithFolder):
    """A sleep is over after its time at the earliest, and burning stops after its CPU time at the earliest: both are
    lower bounds. To what a sample says it took, a call and some readings of the clocks are added (0.2 ms were seen with
    14 busy processes on two cores); a wait for a core would add the time slices of others, 3 ms and more each."""

    def check(self, record, marked=True):
        inputs, diagnostics = record["inputs"], record["diagnostics"]
        self.assertEqual(diagnostics["samples_made"], 64)
        self.assertGreaterEqual(inputs["decode"]["alone_cpu_s"], Timed.CPU)
        self.assertAlmostEqual(inputs["decode"]["alone_cpu_s"], self.sample_cpu_s, delta=0.0005)
        self.assertGreaterEqual(inputs["read"]["mean_s"], Timed.WAIT * 0.95)  # wall and delay are read one by one
        self.assertEqual(inputs["read"]["bytes_mean"], 1000 if marked else None)
        if marked:
            self.assertGreaterEqual(diagnostics["read_wall_s"]["mean"], Timed.WAIT)
            self.assertGreaterEqual(diagnostics["decode_cpu_s"]["mean"], Timed.CPU)
            self.assertLess(diagnostics["read_cpu_s"]["mean"], 0.001)
        mean = sum(inputs["read"]["quantiles_s"]) / len(inputs["read"]["quantiles_s"])
        self.assertAlmostEqual(mean, inputs["read"]["mean_s"], delta=1e-6)

    def test_in_the_training_process(self):
        self.check(self.record(Timed(), num_workers=0))

    def test_in_forked_workers(self):
        self.check(self.record(Timed(), num_workers=2, multiprocessing_context="fork"))

    def test_in_spawned_workers(self):
        self.check(self.record(Timed(), num_workers=2, multiprocessing_context="spawn"))

    def test_of_an_iterable(self):
        record = self.record(Stream(), num_workers=2)
        self.check(record)
        self.assertEqual(record["config"]["style"], "iterable")
        self.assertEqual(record["config"]["shards"], {"count": 2, "samples": 32, "open_s": 0.0})

    def test_without_marks(self):
        self.check(self.record(Timed(marked=False), num_workers=1), marked=False)

    def test_waiting_for_a_core_is_not_reading(self):
        """Four workers that compute and four processes that only compute, on however few cores."""
        spin = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
        try:
            record = self.record(Timed(), num_workers=4)
        finally:
            for process in spin:
                process.kill()
                process.wait()
        self.check(record)
        self.assertLess(record["inputs"]["read"]["mean_s"], 2 * Timed.WAIT)

    def test_an_exception_passes_and_is_no_sample(self):
        with self.assertRaisesRegex(ValueError, "a broken sample"):
            self.record(Timed(broken=20), num_workers=0)
        self.assertEqual(records_of(self.path)[-1]["diagnostics"]["samples_made"], 20)

    def test_marks_outside_a_recording_do_nothing(self):
        self.assertEqual(len(Timed()[3]), 2)

    def test_a_batch_read_at_once_is_still_read_at_once(self):
        class Batches(Timed):
            def __getitems__(self, indices):
                with stallcast_recorder.read(1000 * len(indices)):
                    time.sleep(self.WAIT * len(indices))
                burn(self.CPU * len(indices))
                return [(torch.zeros(10), i) for i in indices]
        meter = stallcast_recorder._SampleMeter(2)
        self.addCleanup(meter.close)
        wrapped = stallcast_recorder._MapDataset(Batches(), meter)
        self.assertEqual(len(wrapped.__getitems__([1, 2, 3, 4])), 4)
        sums = meter.totals()
        n, wait, _ = sums[stallcast_recorder._AT["sample_wait"]:][:3]
        self.assertEqual((sums[0], n), (4, 4))
        self.assertGreaterEqual(wait, 4 * Timed.WAIT * 0.95)
        self.assertEqual(sums[stallcast_recorder._AT["bytes"]:][:3], [4, 4000, 4 * 1000 ** 2])

    def test_the_default_start_method_stays_open(self):
        code = ("import sys, multiprocessing; sys.path.insert(0, %r); import stallcast_recorder as r, torch; "
                "r._settings_of(torch.utils.data.DataLoader([1])); multiprocessing.set_start_method('spawn')" % SCRIPTS)
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_the_dataset_keeps_its_own_methods(self):
        wrapped = stallcast_recorder._MapDataset(Timed(7), mock.Mock())
        wrapped.samples = 9
        self.assertEqual((len(wrapped), wrapped.samples, hasattr(wrapped, "__getitems__")), (9, 9, False))


class Steps(WithFolder):
    def test_a_loop_adds_up(self):
        """Wall time is the compute, the waits for data and what is marked otherwise, to the rounding of the sums."""
        def body(recorder):
            time.sleep(0.01)
            with recorder.checkpoint(10 ** 6):
                time.sleep(0.002)
            with recorder.copy(4096):
                time.sleep(0.001)
        record = self.record(Timed(), body, num_workers=1)
        out, inputs = record["outputs"], record["inputs"]
        self.assertEqual((out["steps"], out["samples"]), (8, 64))
        parts = sum(out[key]["total"] for key in ("data_wait_s", "checkpoint_s", "copy_s"))
        self.assertAlmostEqual(out["au"] * out["wall_s"] + parts, out["wall_s"], delta=8 * 0.0005)
        self.assertGreaterEqual(out["compute_s"]["mean"], 0.01)
        self.assertGreaterEqual(record["config"]["step_s"], 0.0099)
        self.assertEqual(inputs["copy"]["bytes"], 4096)
        self.assertEqual(record["config"]["checkpoint"]["every"], 1)
        self.assertEqual(record["config"]["checkpoint"]["bytes"], 10 ** 6)
        self.assertAlmostEqual(out["samples_per_s"], 64 / out["wall_s"], places=3)

    def test_saves_mark_themselves(self):
        """Four bytes an element; the save of another thread and the one after the loop are nobody's step."""
        tensor, path = torch.zeros(250_000), os.path.join(self.folder, "state.pt")
        plain = torch.save

        def body(recorder):
            recorder.watch_saves()
            torch.save(tensor, path)
            other = threading.Thread(target=torch.save, args=(tensor, path + ".other"))
            other.start()
            other.join()
            torch.load(path)
        record = self.record(Timed(), body)
        checkpoint = record["config"]["checkpoint"]
        self.assertIs(torch.save, plain)
        self.assertEqual((checkpoint["mode"], checkpoint["every"]), ("sync", 1))
        self.assertEqual(checkpoint["bytes"], os.path.getsize(path))
        self.assertGreater(checkpoint["bytes"], 10 ** 6)
        self.assertGreater(checkpoint["pause_s"], 0.0)
        self.assertEqual(record["outputs"]["checkpoint_s"]["n"], 8)
        self.assertEqual(record["diagnostics"]["load_s"]["n"], 8)

    def test_only_what_is_marked_as_step_computes(self):
        def body(recorder):
            time.sleep(0.02)
            with recorder.step():
                time.sleep(0.005)
        out = self.record(Timed(), body, num_workers=0)["outputs"]
        self.assertLess(out["compute_s"]["q"]["0.5"], 0.02)
        self.assertGreaterEqual(out["other_s"]["mean"], 0.02)

    def test_a_step_on_the_host_is_split_into_core_and_rest(self):
        def body(recorder):
            time.sleep(0.006)
            burn(0.003)
        record = self.record(Timed(), body, num_workers=0)
        self.assertGreaterEqual(record["inputs"]["step"]["cpu_s"], 0.003)
        self.assertLess(record["inputs"]["step"]["cpu_s"], 0.0045)
        self.assertGreaterEqual(record["config"]["step_s"], 0.0055)

    def test_records_of_earlier_runs_stay(self):
        first = self.record(Timed(), num_workers=0)
        second = self.record(Timed(), num_workers=0)
        self.assertNotEqual(first["recorder"]["run"], second["recorder"]["run"])
        self.assertEqual(len(records_of(self.path)), 2)

    def test_a_recorder_watches_one_loader(self):
        loader = torch.utils.data.DataLoader(Timed())
        recorder = Recorder(self.path)
        recorder.watch(loader)
        with self.assertRaises(ValueError):
            recorder.watch(loader)
        recorder.close()

    def test_long_runs_need_no_more_memory(self):
        loop = stallcast_recorder._Loop(2)
        clock = stallcast_recorder._clock()
        mark = mock.Mock(host=clock.now(), event=None)
        step = mock.Mock(before=mark, start=mark, end=mark, parts=[], samples=1, first=True)

        def size():
            return sum(len(v) for v in vars(loop).values() if isinstance(v, list))
        for _ in range(5):
            loop.add(step)
        before = size()
        for _ in range(5000):
            loop.add(step)
        self.assertEqual((size(), len(loop.step_wall.bins)), (before, stallcast_recorder.BINS))


class Gpu:
    """A GPU that works off what it is given in order, and CUDA events on it: time.perf_counter() is its clock."""

    free_at = idle = 0.0

    @classmethod
    def launch(cls, seconds):
        cls.idle += max(0.0, time.perf_counter() - cls.free_at)
        cls.free_at = max(cls.free_at, time.perf_counter()) + seconds

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            self.at = max(Gpu.free_at, time.perf_counter())

        def query(self):
            return time.perf_counter() >= self.at

        def synchronize(self):
            time.sleep(max(0.0, self.at - time.perf_counter()))

        def elapsed_time(self, later):
            return 1000.0 * (later.at - self.at)


class AsynchronousWork(WithFolder):
    def test_is_timed_on_the_gpu(self):
        """Launching 20 ms of work takes no time on the host, which goes on to load the next batch. Thirty steps keep
        the GPU busy for 0.6 s; it waits for data for as long as it was idle when something was launched. A clock of the
        host would see steps of nothing and wait for every batch as long as loading takes."""
        with mock.patch.multiple(torch.cuda, is_available=lambda: True, is_initialized=lambda: True, Event=Gpu.Event):
            Gpu.free_at, Gpu.idle = time.perf_counter(), 0.0
            record = self.record(Timed(60), lambda recorder: Gpu.launch(0.02), num_workers=0, batch_size=2)
        out = record["outputs"]
        self.assertEqual(record["diagnostics"]["clock"], "cuda events")
        self.assertEqual(record["inputs"]["step"]["cpu_s"], 0.0)
        self.assertAlmostEqual(out["au"] * out["wall_s"], 0.6, delta=0.1)
        self.assertAlmostEqual(out["data_wait_s"]["total"], Gpu.idle, delta=0.1)
        self.assertAlmostEqual(out["wall_s"], 0.6 + Gpu.idle, delta=0.1)


class Killed(WithFolder):
    def start(self, flush):
        process = subprocess.Popen(self.train("--steps", "100000", "--flush", str(flush)), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        end = time.monotonic() + 120
        while time.monotonic() < end:  # until something beyond the first step is there
            if os.path.exists(self.path) and records_of(self.path)[-1]["outputs"]["steps"] > 20:
                return process
            time.sleep(0.02)
        self.fail("nothing was recorded in two minutes")

    def test_by_kill_leaves_whole_lines(self):
        process = self.start(flush=0.2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        record, = records_of(self.path)
        self.assertGreater(record["outputs"]["steps"], 20)
        self.assertFalse(record["recorder"]["complete"])

    def test_by_an_interrupt_keeps_every_step(self):
        """Ctrl-C between two writes: the last step before it is in the record, long before the next write is due."""
        process = self.start(flush=0.5)
        seen = records_of(self.path)[-1]["outputs"]["steps"]
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.wait(60)
        record, = records_of(self.path)
        self.assertTrue(record["recorder"]["complete"])
        self.assertGreater(record["outputs"]["steps"], seen)


class FullDisks(WithFolder):
    """Writes beyond so many bytes of a file fail (RLIMIT_FSIZE; Python ignores the signal)."""

    def files(self):
        return sorted(os.listdir(os.path.dirname(self.path)))

    def limit(self, size):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        return before

    def test_stop_no_training_and_lose_no_record(self):
        earlier = self.record(Timed(), num_workers=0)
        files, said = self.files(), io.StringIO()

        def body(recorder):  # from the first step on
            self.before = self.limit(100) if not hasattr(self, "before") else self.before
        with mock.patch("sys.stderr", said):
            try:
                self.record(Timed(), body, num_workers=0)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, self.before)
        self.assertEqual(records_of(self.path)[0], earlier)
        self.assertEqual(self.files(), files)
        self.assertIn("stallcast_recorder: %s cannot be written: File too large" % self.path, said.getvalue())

    def test_folders_that_go_away_stop_no_training(self):
        said = io.StringIO()

        def body(recorder):
            shutil.rmtree(os.path.dirname(self.path), ignore_errors=True)
        with mock.patch("sys.stderr", said):
            loader = torch.utils.data.DataLoader(Timed(), num_workers=0)
            recorder = Recorder(self.path)
            for _ in recorder.watch(loader):
                body(recorder)
            recorder.close()
        self.assertIn("cannot be written: No such file or directory", said.getvalue())
        os.makedirs(os.path.dirname(self.path))


class Ranks(WithFolder):
    def test_merge(self):
        """Two ranks; rates add up, the slower one sets the wall clock."""
        for rank in range(2):
            with mock.patch.dict(os.environ, RANK=str(rank), WORLD_SIZE="2", LOCAL_WORLD_SIZE="2"):
                loader = torch.utils.data.DataLoader(Timed(), batch_size=8)
                with Recorder(self.path) as recorder:
                    for _ in recorder.watch(loader):
                        time.sleep(0.01 * (1 + rank))
        files = [os.path.join(self.folder, "run.rank%d.jsonl" % rank) for rank in range(2)]
        self.assertEqual(stallcast_recorder.main(["merge", "-o", self.path, *files]), 0)
        merged, = records_of(self.path)
        ranks = [records_of(f)[0] for f in files]
        walls = [r["outputs"]["wall_s"] for r in ranks]
        self.assertEqual(merged["config"]["ranks"], 2)
        self.assertEqual(merged["outputs"]["samples"], 128)
        self.assertEqual(merged["outputs"]["wall_s"], max(walls))
        self.assertAlmostEqual(merged["outputs"]["samples_per_s"], 128 / max(walls), places=4)
        self.assertAlmostEqual(merged["config"]["step_s"], sum(r["config"]["step_s"] for r in ranks) / 2, places=8)

    def test_a_missing_rank_is_told(self):
        with mock.patch.dict(os.environ, RANK="1", WORLD_SIZE="2"):
            self.record_one()
        with contextlib.redirect_stderr(io.StringIO()) as said:
            code = stallcast_recorder.main(["merge", "-o", self.path, os.path.join(self.folder, "run.rank1.jsonl")])
        self.assertEqual(code, 2)
        self.assertIn("ranks [1] are given; the run had 0 to 1", said.getvalue())

    def record_one(self):
        with Recorder(self.path) as recorder:
            for _ in recorder.watch(torch.utils.data.DataLoader(Timed(16), batch_size=8)):
                pass


class Cost(WithFolder):
    """CPU time of this thread, which other programs do not add to: the least of eleven passes, with and without. The
    bounds are some ten times what an idle machine needs, which is printed; caches shared with others cost that."""

    @staticmethod
    def least(samples, passes=11):
        out = []
        for _ in range(passes):
            start = time.thread_time()
            for i in range(len(samples)):
                samples[i]
            out.append((time.thread_time() - start) / len(samples))
        return min(out)

    def test_of_a_sample(self):
        class Marked(torch.utils.data.Dataset):
            turns = 0

            def __len__(self):
                return 200

            def __getitem__(self, index):
                with stallcast_recorder.read(5):
                    pass
                with stallcast_recorder.decode():
                    return sum(range(self.turns))
        meter = stallcast_recorder._SampleMeter(2)
        self.addCleanup(meter.close)
        samples = Marked()
        watched = stallcast_recorder._MapDataset(samples, meter)
        watched[0]
        plain, meter._timed = self.least(samples), -10 ** 9  # no adapting
        meter._one_in = 1e12
        untimed = self.least(watched) - plain
        meter._one_in = 1.0
        timed = self.least(watched) - plain
        print("a sample costs %.1f us where it is timed, else %.1f us" % (1e6 * timed, 1e6 * untimed))
        self.assertLess(untimed, 5e-6)
        self.assertLess(timed, 200e-6)

        # Samples of some 0.1 ms: fewer are timed, so that their cost stays a small share of the whole.
        samples.turns, meter._timed, meter._spent = 20000, 0, 0.0
        self.least(watched, 1)
        before = meter.totals()
        self.least(watched, 20)
        made, timed_ones = (b - a for a, b in zip(before[:2], meter.totals()[:2]))
        work = self.least(samples)
        print("samples of %.0f us: %.1f %% of them are timed" % (1e6 * work, 100.0 * timed_ones / made))
        self.assertLess(timed_ones / made * timed, 0.02 * work)

    def test_of_a_step(self):
        loader = torch.utils.data.DataLoader(list(range(200)), batch_size=1)

        def per_step(batches):
            start = time.thread_time()
            for _ in batches:
                pass
            return (time.thread_time() - start) / 200
        plain = min(per_step(loader) for _ in range(5))
        with Recorder(self.path, flush_s=1000) as recorder:
            watched = recorder.watch(loader)
            recorded = min(per_step(watched) for _ in range(5))
        print("a step: recording adds %.0f us" % (1e6 * (recorded - plain)))
        self.assertLess(recorded - plain, 0.0005)


class LoaderBench(WithFolder):
    def test_batches_that_take_longer_than_every_gap(self):
        def slow(samples):
            time.sleep(0.06)
            return torch.stack(samples)
        cost = stallcast_recorder.measure_overhead(torch.zeros(4), 4, 0, None, slow, 1.0)["overhead_per_batch"]
        self.assertGreater(cost["pipe_1w_s"], max(stallcast_recorder.GAPS_S) / 1.5)
        gap, ready_s = list(cost["next_ready_by_gap_s"].items())[0]
        self.assertGreater(float(gap), 2.0 * cost["pipe_1w_s"])
        self.assertEqual(cost["next_ready_s"], ready_s)
        self.assertLess(ready_s, cost["pipe_1w_s"])  # a batch that is there

    def test_measures_everything_that_a_prediction_needs(self):
        path = os.path.join(self.folder, "loader.json")
        self.assertEqual(stallcast_recorder.main(["measure-loader", "--batch-size", "4", "--shape", "3x16x16",
                                                  "--seconds", "1", "-o", path]), 0)
        measured, = records_of(path)
        cost = measured["overhead_per_batch"]
        for key in ("collate_nw0_s", "pipe_1w_s", "main_cpu_s", "worker_cpu_s", "next_ready_s"):
            self.assertGreater(cost[key], 0.0, key)
        # The pipe holds what the worker does and more; collation alone is less.
        self.assertGreater(cost["pipe_1w_s"], cost["collate_nw0_s"])
        self.assertEqual(sorted(measured["worker_start"]),
                         ["first_s", "iter_s", "ready_max_s", "reset_s", "shutdown_s"])
        with Recorder(self.path, overhead=path) as recorder:
            for _ in recorder.watch(torch.utils.data.DataLoader(Timed(8), batch_size=4, num_workers=1)):
                pass
        self.assertEqual(records_of(self.path)[0]["inputs"]["overhead_per_batch"], cost)


class Validates(WithFolder):
    """`stallcast validate` reads what was recorded."""

    def validate(self):
        program = os.environ.get("STALLCAST_PROGRAM")
        if not program:
            self.skipTest("STALLCAST_PROGRAM is not set")
        return subprocess.run([program, "validate", self.path, "--format", "json"], capture_output=True, text=True)

    def test_with_the_loader_measured(self):
        subprocess.run(self.train("--steps", "30", "--measure"), check=True, stdout=subprocess.DEVNULL)
        done = self.validate()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        case, = json.loads(done.stdout)["cases"]
        self.assertGreater(case["predicted"]["samples_per_s"], 0.0)
        self.assertAlmostEqual(case["measured"]["au"], records_of(self.path)[0]["outputs"]["au"], places=6)

    def test_without_it_the_catalogue_stands_in_and_this_is_told(self):
        subprocess.run(self.train("--steps", "30", "--unmarked"), check=True, stdout=subprocess.DEVNULL)
        done = self.validate()
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning[assumed_value] at line 1", done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["cases"]), 1)


if __name__ == "__main__":
    unittest.main()
