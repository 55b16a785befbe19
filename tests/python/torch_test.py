"""stallcast.torch on a small real dataset: records that calibrate reads, suggestions that hold, callbacks."""

import json
import os
import pathlib
import sys
import tempfile
import time
import unittest

try:
    import torch
    from torch.utils.data import DataLoader, Dataset
except ImportError:
    print("skipped: no torch for this Python (on Debian: apt-get install python3-torch)")
    sys.exit(77)

import stallcast
import stallcast.torch


class Waiting(Dataset):
    """A sample is 5 ms of waiting, as for storage: workers add up, however many cores there are."""

    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        time.sleep(0.005)
        return torch.zeros(16)


class Adapter:
    """As Accelerate's DataLoaderShard: no DataLoader, but says that it is one, and iterates one batch ahead."""

    def __init__(self, loader):
        self.base_dataloader = loader

    def __getattr__(self, name):
        if name == "base_dataloader":
            raise AttributeError
        return getattr(self.base_dataloader, name)

    @property
    def __class__(self):
        return self.base_dataloader.__class__

    def __len__(self):
        return len(self.base_dataloader)

    def __iter__(self):
        batches = iter(self.base_dataloader)
        ahead = next(batches)
        for batch in batches:
            yield ahead
            ahead = batch
        yield ahead


class Fetcher:
    """As Lightning's: has an iterator over the loader before training starts."""

    def __init__(self, loader):
        self.loader = loader
        iter(self)

    def __iter__(self):
        self.iterator = iter(self.loader)
        return self

    def __next__(self):
        return next(self.iterator)


class Torch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_record_calibrates_a_scenario(self):
        path = self.folder / "run.jsonl"
        with stallcast.torch.record(DataLoader(Waiting(), batch_size=8, num_workers=2), path) as recording:
            for step, _ in enumerate(recording):
                time.sleep(0.01)
                if step == 30:
                    break
        result = stallcast.calibrate(stallcast.Scenario(cluster={"nodes": 1, "gpus_per_node": 1, "cores_per_node": 8}), path)
        self.assertEqual(result.scenario.workload.batch_size, 8)
        # Two workers with 8 samples of 5 ms a batch: 2 * 8 / 40 ms = 400 samples/s.
        rate = stallcast.simulate(result.scenario, inputs="point").samples_per_s
        self.assertGreater(rate, 400 * 0.75)
        self.assertLess(rate, 400 * 1.1)

    def test_suggestion_takes_as_many_workers_as_waiting_needs(self):
        # A step of 10 ms takes 8 samples of 5 ms each: 40 / 10 = 4 workers at the least.
        found = stallcast.torch.suggest(Waiting(), step_time=0.01, batch_size=8, seconds=12, most_workers=12)
        self.assertGreaterEqual(found.arguments["num_workers"], 4)
        self.assertGreater(found.samples_per_s, 0.7 * 800)
        self.assertGreater(found.gain, 1.0)  # without workers, a batch takes 40 ms and then 10
        self.assertIn("workers", found.reason)
        loader = DataLoader(Waiting(), batch_size=8, **found.arguments)
        self.assertEqual(len(next(iter(loader))), 8)

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(ValueError, "step_time"):
            stallcast.torch.suggest(Waiting(), step_time=-1)
        with self.assertRaisesRegex(ValueError, "seconds"):
            stallcast.torch.suggest(Waiting(), step_time=0, seconds=0)

    def run_steps(self, callback, begin, end):
        for _ in range(10):
            time.sleep(0.02)
            begin(callback)
            time.sleep(0.03)
            end(callback)

    def test_callbacks_write_what_diagnose_reads(self):
        lightning = stallcast.torch.LightningCallback(self.folder / "lightning.log", record=None)
        self.run_steps(lightning, lambda c: c.on_train_batch_start(None, None, None, 0),
                       lambda c: c.on_train_batch_end(None, None, None, None, 0))
        lightning.on_train_end(None, None)
        trainer = stallcast.torch.TrainerCallback(self.folder / "trainer.log", record=None)
        self.run_steps(trainer, lambda c: c.on_step_begin(None, None, None), lambda c: c.on_step_end(None, None, None))
        trainer.on_train_end(None, None, None)
        for callback in (lightning, trainer):
            lines = callback.run.log.path.read_text().splitlines()
            self.assertEqual(len(lines), 9)  # from the end of the first step on
            for line in lines:
                _, whole, _, data = line.split()
                self.assertGreaterEqual(float(whole), 0.05)
                self.assertGreaterEqual(float(data), 0.02)
                self.assertLess(float(data), float(whole))
        job = {"cluster": {"gpus_per_node": 1, "cores_per_node": 8}, "workload": {"batch_size": 8},
               "dataset": {"sample_size": "10 kB"}, "loader": {"num_workers": 1}, "run": {"precision": 0.05}}  # fmt: skip
        found = stallcast.diagnose(job, logs=self.folder / "trainer.log")
        self.assertEqual({one.quantity for one in found.fit.outcomes}, {"step_time", "data_time"})

    def test_callbacks_write_what_calibrate_reads(self):
        class Framework:
            train_dataloader = None

        job = stallcast.Scenario(cluster={"nodes": 1, "gpus_per_node": 1, "cores_per_node": 8})
        for name in ("lightning", "trainer"):
            loader, path = DataLoader(Waiting(), batch_size=8, num_workers=1), self.folder / f"{name}.jsonl"
            if name == "lightning":
                callback = stallcast.torch.LightningCallback(None, record=path)
                Framework.train_dataloader = loader
                callback.on_train_start(Framework, None)
            else:
                callback = stallcast.torch.TrainerCallback(None, record=path)
                callback.on_train_begin(None, None, None, train_dataloader=loader)
            self.assertIsInstance(loader, DataLoader)
            for step, _ in enumerate(loader):  # the framework's own loop over the loader that it has
                time.sleep(0.01)
                if step == 20:
                    break
            callback.run.close()
            scenario = stallcast.calibrate(job, path).scenario
            self.assertEqual((scenario.workload.batch_size, scenario.loader.num_workers), (8, 1))

    def recorded(self, path):
        """Steps of a record, and the mean time of a sample where samples were timed."""
        record = json.loads(path.read_text())
        return record["outputs"]["steps"], record["diagnostics"].get("sample_wall_s", {}).get("mean")

    def test_a_loader_of_accelerate(self):
        path = self.folder / "accelerate.jsonl"
        loader = Adapter(DataLoader(Waiting(), batch_size=8, num_workers=1))
        with self.assertRaises(AttributeError):
            loader.__class__ = type(loader)
        callback = stallcast.torch.TrainerCallback(None, record=path)
        callback.on_train_begin(None, None, None, train_dataloader=loader)
        for step, _ in enumerate(loader):
            if step == 10:
                break
        callback.run.close()
        steps, sample_s = self.recorded(path)
        self.assertGreaterEqual(steps, 10)
        self.assertGreaterEqual(sample_s, 0.005)

    def test_the_first_epoch_of_lightning(self):
        class FitLoop:
            restarting = False

        class Framework:
            fit_loop = FitLoop()

        path = self.folder / "first_epoch.jsonl"
        loader = DataLoader(Waiting(), batch_size=8, num_workers=1, shuffle=True)
        Framework.train_dataloader = loader
        Framework.fit_loop._data_fetcher = fetcher = Fetcher(loader)
        callback = stallcast.torch.LightningCallback(None, record=path)
        random_numbers = torch.get_rng_state()
        callback.on_train_start(Framework, None)
        self.assertTrue(torch.equal(random_numbers, torch.get_rng_state()))
        for _ in range(11):  # the loop does not ask for an iterator of its own in its first epoch
            next(fetcher)
        callback.run.close()
        steps, sample_s = self.recorded(path)
        self.assertEqual(steps, 10)
        self.assertGreaterEqual(sample_s, 0.005)

    def test_a_loader_that_cannot_be_recorded_stops_no_training(self):
        loader = DataLoader(Waiting(), batch_size=8)
        callback = stallcast.torch.TrainerCallback(None, record=self.folder / "none" / "run.jsonl")
        broken = stallcast.torch._recorder.Recorder.watch
        stallcast.torch._recorder.Recorder.watch = lambda *_: 1 / 0
        self.addCleanup(setattr, stallcast.torch._recorder.Recorder, "watch", broken)
        with self.assertWarnsRegex(RuntimeWarning, "not recorded: ZeroDivisionError"):
            callback.on_train_begin(None, None, None, train_dataloader=loader)
        self.assertEqual(len(next(iter(loader))), 8)

    def test_names(self):
        self.assertIn("suggest", dir(stallcast.torch))
        with self.assertRaises(AttributeError):
            stallcast.torch.no_such_name
        self.assertTrue(os.path.exists(stallcast.torch._recorder.__file__))


if __name__ == "__main__":
    unittest.main()
