#!/usr/bin/env python3
"""Records what a PyTorch training loop and its data loader do, for `stallcast validate` and `stallcast calibrate`.

In a training script:

    import stallcast_recorder
    recorder = stallcast_recorder.Recorder("run.jsonl")
    loader = recorder.watch(loader, measure=True)   # measure: some seconds on the loader's own cost, beforehand
    for batch in loader:                            # as before
        ...

The loop body counts as the compute time of a step, on the GPU's own clock (CUDA events) where CUDA is in use. What is
no compute is marked, each mark optional:

    with recorder.copy(nbytes): ...                 # host to device
    with recorder.checkpoint(path_or_nbytes): ...   # training stands still
    recorder.watch_saves()                          # torch.save and the distributed checkpoint, without marks
    with recorder.barrier(): ...                    # waiting for other ranks
    with recorder.step(): ...                       # then only what is inside such a block counts as compute

In Dataset.__getitem__ (or the iterator of an IterableDataset), in worker processes too, forked or spawned:

    with stallcast_recorder.read() as part:         # also recorder.read()
        data = file.read()
        part.bytes = len(data)
    with stallcast_recorder.decode():
        ...

Without these marks a sample is still split: time on a core is decoding, time neither on a core nor waiting for one is
reading (Linux; elsewhere waiting for a core counts as reading). Sizes on storage are then not known.

The file always holds whole lines, one JSON record per run (schema 1 of tests/validation/dataloader): it is replaced
every `flush_s` seconds, so a killed training loses at most that much. A disk that is full stops no training: it is told
on standard error, and writing is tried again. With several ranks every rank writes its own
file (run.rank0.jsonl, ...); `merge` makes one record of them. Memory is bounded: sums and histograms, no lists.

Recording costs, on the processor it was written on: 20 us for a sample that is timed and 0.5 us for one that is not,
where only so many are timed that it takes about 0.5 % of their time (1 % of samples of 0.1 ms); 25 us for a step.

Not seen: time that threads of a worker other than the one in __getitem__ spend on a core; all-reduce inside backward()
counts as compute; datapipes (IterDataPipe, MapDataPipe) are not looked into; of shards only their samples are known.

    stallcast_recorder.py merge -o run.jsonl run.rank*.jsonl
    stallcast_recorder.py measure-loader --batch-size 32 --shape 3x224x224 --workers 4 -o loader.json

Needs Python 3.8 and, except for `merge`, torch 1.13 or later.
"""

import argparse
import atexit
import functools
import glob
import json
import math
import mmap
import multiprocessing
import os
import platform
import random
import statistics
import sys
import tempfile
import threading
import time
import uuid

try:
    import torch
    import torch.utils.data
except ImportError:  # merge works without
    torch = None

SCHEMA = 1
VERSION = 1

# ---------------------------------------------------------------------------------------------------------------------
# Clocks: how long, how much of it on a core, how much of it waiting for one.

_here = threading.local()  # of this thread: .clock, .sample


class _Clock:
    """Wall time, CPU time and run-queue delay of one thread; the delay is 0 where the kernel does not tell it."""

    def __init__(self):
        self.pid = os.getpid()
        try:
            self._schedstat = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        except OSError:
            self._schedstat = None

    @property
    def knows_delay(self):
        return self._schedstat is not None

    def now(self):
        """(wall, cpu, delay) in seconds."""
        delay = 0.0
        if self._schedstat is not None:
            delay = int(os.pread(self._schedstat, 64, 0).split()[1]) * 1e-9
        return time.perf_counter(), time.thread_time(), delay

    def __del__(self):
        if self._schedstat is not None:
            os.close(self._schedstat)


def _clock():
    """This thread's clock. A forked process must not read its parent's."""
    clock = getattr(_here, "clock", None)
    if clock is None or clock.pid != os.getpid():
        clock = _here.clock = _Clock()
    return clock


def _split(start, end):
    """(wall, cpu, wait) between two readings: wait is neither on a core nor queued for one."""
    wall, cpu, delay = (b - a for a, b in zip(start, end))
    return wall, cpu, max(0.0, wall - cpu - delay)


# ---------------------------------------------------------------------------------------------------------------------
# Statistics in bounded memory.

BINS_PER_OCTAVE = 8
BINS = 31 * BINS_PER_OCTAVE  # 1 us to 2147 s, 9 % wide
QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
SHAPE_POINTS = 20  # equally likely quantiles that describe a distribution


def _bin(value):
    return min(BINS - 1, max(0, int(BINS_PER_OCTAVE * math.log2(value * 1e6)))) if value > 1e-6 else 0


def _bin_value(index):
    return 1e-6 * 2.0 ** ((index + 0.5) / BINS_PER_OCTAVE) if index else 0.0


def _quantile(bins, probability):
    left = probability * sum(bins)
    for index, count in enumerate(bins):
        left -= count
        if left <= 0 and count:
            return _bin_value(index)
    return 0.0


def _mean_sd(n, total, squares):
    if not n:
        return 0.0, 0.0
    mean = total / n
    return mean, math.sqrt(max(0.0, squares / n - mean * mean))


def _shape(bins, mean):
    """Equally likely quantiles of a histogram, scaled to the exact mean."""
    points = [_quantile(bins, (i + 0.5) / SHAPE_POINTS) for i in range(SHAPE_POINTS)]
    of_points = sum(points) / SHAPE_POINTS
    return [p * mean / of_points for p in points] if of_points > 0 else [mean] * SHAPE_POINTS


class _Statistic:
    """Count, sum, spread and quantiles (within 5 %) of values of at least 0."""

    def __init__(self):
        self.n, self.total, self.squares, self.largest = 0, 0.0, 0.0, 0.0
        self.bins = [0] * BINS

    def add(self, value):
        value = max(0.0, value)
        self.n += 1
        self.total += value
        self.squares += value * value
        self.largest = max(self.largest, value)
        self.bins[_bin(value)] += 1

    @property
    def mean(self):
        return self.total / self.n if self.n else 0.0

    @property
    def sd(self):
        return _mean_sd(self.n, self.total, self.squares)[1]

    def summary(self):
        if not self.n:
            return None
        q = {str(p): min(self.largest, _quantile(self.bins, p)) for p in QUANTILES}
        q["1.0"] = self.largest
        return {"n": self.n, "total": self.total, "mean": self.mean, "sd": self.sd, "q": q}


# ---------------------------------------------------------------------------------------------------------------------
# Samples: timed inside the worker processes, added up in memory that they share with the training process.

_KINDS = ("sample_wall", "sample_cpu", "sample_wait", "read_wall", "read_cpu", "read_wait", "decode_wall", "decode_cpu",
          "bytes")
_AT = {kind: 1 + 3 * i for i, kind in enumerate(_KINDS)}  # n, sum, sum of squares
_WAIT_BINS = 1 + 3 * len(_KINDS)
_CPU_BINS = _WAIT_BINS + BINS
_SLOT = _CPU_BINS + BINS  # doubles of one process; the first counts samples
_COST_SHARE = 0.005  # of the time of samples that recording them may take
_READINGS = 6  # of the clocks per sample: its ends and those of read() and decode()


class _Part:
    """One read() or decode() block of a sample. `bytes` may be set inside: what was read from storage."""

    __slots__ = ("bytes", "_sample", "_kind", "_start")

    def __init__(self, sample, kind, nbytes):
        self.bytes, self._sample, self._kind = nbytes, sample, kind

    def __enter__(self):
        self._start = _clock().now()
        return self

    def __exit__(self, *_):
        spent = _split(self._start, _clock().now())
        before = self._sample.parts.get(self._kind, (0.0, 0.0, 0.0))
        self._sample.parts[self._kind] = tuple(a + b for a, b in zip(before, spent))
        self._sample.bytes += self.bytes


class _NoPart:
    """Outside a recorded sample the same blocks do nothing."""

    bytes = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class _Sample:
    __slots__ = ("start", "parts", "bytes")

    def __init__(self, start):
        self.start, self.parts, self.bytes = start, {}, 0


def read(nbytes=0):
    """Marks the reading of a sample, inside Dataset.__getitem__. nbytes: from storage, if known before."""
    sample = getattr(_here, "sample", None)
    return _NoPart() if sample is None else _Part(sample, "read", nbytes)


def decode():
    """Marks the decoding of a sample, inside Dataset.__getitem__."""
    sample = getattr(_here, "sample", None)
    return _NoPart() if sample is None else _Part(sample, "decode", 0)


class _SampleMeter:
    """Times samples in whichever process makes them; one slot of shared sums per process of the loader.

    The memory is a file that spawned workers open by its path and forked ones inherit. Where samples are so short that
    timing each would take more than _COST_SHARE of their time, a random part of them is timed.
    """

    def __init__(self, slots):
        self._slots = slots
        handle, self._path = tempfile.mkstemp(prefix="stallcast_recorder_")
        os.ftruncate(handle, slots * _SLOT * 8)
        os.close(handle)
        self._owner = os.getpid()
        self._forget()

    def _forget(self):
        self._pid, self._sums, self._one_in, self._draw = None, None, 1.0, random.Random(1)

    def __getstate__(self):
        return {"_slots": self._slots, "_path": self._path, "_owner": self._owner}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._forget()

    def _map(self):
        with open(self._path, "r+b") as file:
            return memoryview(mmap.mmap(file.fileno(), self._slots * _SLOT * 8)).cast("d")

    def _settle(self):
        """Once per process: its slot, and what a reading of its clocks costs."""
        self._forget()
        info = torch.utils.data.get_worker_info()
        slot = 0 if info is None else 1 + info.id % (self._slots - 1)
        self._sums = self._map()[slot * _SLOT:(slot + 1) * _SLOT]
        self._pid = os.getpid()
        self._spent = self._timed = 0
        self._cost = reading_cost_s() * _READINGS

    def begin(self, samples=1):
        if self._pid != os.getpid():
            self._settle()
        self._sums[0] += samples
        if self._one_in <= 1.0 or self._draw.random() * self._one_in < 1.0:
            _here.sample = _Sample(_clock().now())

    def end(self, samples=1):
        sample = getattr(_here, "sample", None)
        if sample is None:
            return
        _here.sample = None
        wall, cpu, wait = (spent / samples for spent in _split(sample.start, _clock().now()))
        self._add("sample_wall", wall, samples)
        self._add("sample_cpu", cpu, samples)
        self._add("sample_wait", wait, samples)
        self._sums[_WAIT_BINS + _bin(wait)] += samples
        self._sums[_CPU_BINS + _bin(cpu)] += samples
        for kind, spent in sample.parts.items():
            self._add(kind + "_wall", spent[0] / samples, samples)
            self._add(kind + "_cpu", spent[1] / samples, samples)
            if kind == "read":
                self._add("read_wait", spent[2] / samples, samples)
        if sample.bytes:
            self._add("bytes", sample.bytes / samples, samples)
        self._timed += 1
        self._spent += (cpu + wait) * samples
        if self._timed >= 64:  # how many of the next samples can be afforded
            self._one_in = max(1.0, self._cost / (_COST_SHARE * self._spent / self._timed))
            self._spent = self._timed = 0

    def drop(self, samples=1):
        """What was not made: an exception, the end of an iterable."""
        self._sums[0] -= samples
        _here.sample = None

    def _add(self, kind, value, samples):
        at, sums = _AT[kind], self._sums
        sums[at] += samples
        sums[at + 1] += value * samples
        sums[at + 2] += value * value * samples

    def totals(self):
        """The sums of all processes."""
        everything = self._map()
        return [math.fsum(everything[i::_SLOT]) for i in range(_SLOT)]

    def close(self):
        if os.getpid() == self._owner and os.path.exists(self._path):
            os.unlink(self._path)


class _MapDataset:
    """A map-style dataset whose samples are timed; everything else is the dataset's own."""

    def __init__(self, dataset, meter):
        self.__dict__.update(_dataset=dataset, _meter=meter)

    def __getitem__(self, index):
        self._meter.begin()
        try:
            sample = self._dataset[index]
        except BaseException:
            self._meter.drop()
            raise
        self._meter.end()
        return sample

    def __len__(self):
        return len(self._dataset)

    def __getattr__(self, name):
        if name.startswith("__") and name != "__getitems__":
            raise AttributeError(name)
        if name == "__getitems__":  # a whole batch at once counts as as many samples alike
            getattr(self._dataset, name)
            return self._many
        return getattr(self._dataset, name)

    def _many(self, indices):
        self._meter.begin(len(indices))
        try:
            samples = self._dataset.__getitems__(indices)
        except BaseException:
            self._meter.drop(len(indices))
            raise
        self._meter.end(len(indices))
        return samples

    def __setattr__(self, name, value):
        setattr(self._dataset, name, value)

    def __getstate__(self):
        return dict(self.__dict__)

    def __setstate__(self, state):
        self.__dict__.update(state)


class _IterableDataset(_MapDataset):
    """The same for an iterable-style dataset."""

    def __iter__(self):
        samples = iter(self._dataset)
        while True:
            self._meter.begin()
            try:
                sample = next(samples)
            except BaseException as problem:
                self._meter.drop()
                if isinstance(problem, StopIteration):
                    return
                raise
            self._meter.end()
            yield sample


def reading_cost_s(times=50):
    """What one reading of the clocks takes, in seconds: median of `times`."""
    clock, out = _clock(), []
    for _ in range(times):
        start = time.perf_counter()
        clock.now()
        out.append(time.perf_counter() - start)
    return statistics.median(out)


# ---------------------------------------------------------------------------------------------------------------------
# Steps: marks on the host, and on the GPU where it is in use.


class _Mark:
    """A point in time: the training thread's clocks, and an event on the current CUDA stream if CUDA is in use."""

    __slots__ = ("host", "event")

    def __init__(self):
        self.host = _clock().now()
        self.event = None
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            self.event = torch.cuda.Event(enable_timing=True)
            self.event.record()

    def passed(self):
        return self.event is None or self.event.query()


def _between(a, b):
    """Seconds from one mark to the next, by the GPU's clock where both have it."""
    if a.event is not None and b.event is not None:
        return a.event.elapsed_time(b.event) / 1000.0
    return b.host[0] - a.host[0]


class _Block:
    """`with recorder.copy():` and the like: a part of a step."""

    def __init__(self, recorder, kind, size=0):
        self._recorder, self._kind, self._size = recorder, kind, size

    def __enter__(self):
        self._start = _Mark()
        return self

    def __exit__(self, *_):
        size = self._size
        if not isinstance(size, (int, float)):
            size = os.path.getsize(size) if os.path.exists(size) else 0
        self._recorder._part(self._kind, self._start, _Mark(), size)


def _size_on_disk(path):
    """Bytes of a file, or of the files of a directory; 0 where there is nothing."""
    if os.path.isdir(path):
        return sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file())
    return os.path.getsize(path) if os.path.exists(path) else 0


class _SaveHooks:
    """Functions of PyTorch that save and load, timed until remove()."""

    def __init__(self, recorder):
        self._recorder, self._thread, self._inside = recorder, threading.get_ident(), False
        self.loads = _Statistic()
        self._replaced = []
        self._replace(torch, "save", self._saving(lambda args: args[1] if len(args) > 1 else None, "f"))
        self._replace(torch, "load", self._loading)
        checkpoint = sys.modules.get("torch.distributed.checkpoint")
        for name in ("save", "save_state_dict", "async_save"):
            if checkpoint is not None and hasattr(checkpoint, name):
                self._replace(checkpoint, name, self._saving(lambda args: None, "checkpoint_id"))

    def _replace(self, module, name, wrap):
        plain = getattr(module, name)
        setattr(module, name, functools.wraps(plain)(wrap(plain)))
        self._replaced.append((module, name, plain))

    def remove(self):
        for module, name, plain in self._replaced:
            setattr(module, name, plain)
        self._replaced = []

    def _counts(self):
        ours = os.getpid() == self._recorder._pid and threading.get_ident() == self._thread
        return ours and not self._inside

    def _saving(self, place_of, keyword):
        def wrap(plain):
            def save(*args, **kwargs):
                if not self._counts():
                    return plain(*args, **kwargs)
                place = kwargs.get(keyword, place_of(args))
                tell = getattr(place, "tell", None)
                before = tell() if tell else 0
                start, self._inside = _Mark(), True
                try:
                    return plain(*args, **kwargs)
                finally:
                    self._inside = False
                    size = 0
                    if tell:
                        size = tell() - before
                    elif isinstance(place, (str, bytes, os.PathLike)):
                        size = _size_on_disk(place)
                    self._recorder._part("checkpoint", start, _Mark(), size)
            return save
        return wrap

    def _loading(self, plain):
        def load(*args, **kwargs):
            if not self._counts():
                return plain(*args, **kwargs)
            start, self._inside = time.perf_counter(), True
            try:
                return plain(*args, **kwargs)
            finally:
                self._inside = False
                self.loads.add(time.perf_counter() - start)
        return load


class _Step:
    """One step between its marks; the event of the last one may not have passed yet."""

    __slots__ = ("before", "start", "end", "parts", "samples", "first")


class _Loop:
    """Adds up steps as defined for the outputs of a record: see tests/validation/dataloader/README.md."""

    def __init__(self, skip):
        self.skip = skip  # steps until utilization counts as steady
        self.steps = self.samples = 0
        self.compute, self.cpu, self.away = _Statistic(), _Statistic(), _Statistic()
        self.data_wait, self.data_wait_later, self.step_wall = _Statistic(), _Statistic(), _Statistic()
        self.parts = {kind: _Statistic() for kind in ("copy", "checkpoint", "barrier", "other")}
        self.part_bytes = {"copy": 0, "checkpoint": 0}
        self.on_gpu = False
        self.wall = self.steady_wall = self.steady_compute = self.all_compute = 0.0
        self.first_batch, self.iter_call, self.last_next = [], [], []

    def epoch_end(self, seconds):
        """The next() that ended an epoch."""
        self.last_next.append(seconds)
        self._boundary = seconds

    def add(self, step):
        body = _between(step.start, step.end)
        spent = {kind: 0.0 for kind in self.parts}
        marked, inside = 0.0, [0.0, 0.0, 0.0]
        only_marked = any(kind == "step" for kind, *_ in step.parts)
        for kind, a, b, size in step.parts:
            seconds = _between(a, b)
            host = _split(a.host, b.host)
            if kind == "step":
                marked += seconds
            else:
                spent[kind] += seconds
                if kind in self.part_bytes:
                    self.part_bytes[kind] += size
            if (kind == "step") == only_marked:
                inside = [x + y for x, y in zip(inside, host)]
        others = sum(spent.values())
        compute = marked if only_marked else max(0.0, body - others)
        spent["other"] = max(0.0, body - marked - others) if only_marked else 0.0
        wall = _between(step.before, step.end)
        wait = _between(step.before, step.start)
        boundary = self.__dict__.pop("_boundary", 0.0)

        self.steps += 1
        self.samples += step.samples
        self.wall += wall + boundary
        self.all_compute += compute
        self.step_wall.add(wall)
        self.data_wait.add(wait)
        if not step.first:
            self.data_wait_later.add(wait)
        for kind in self.parts:
            if spent[kind] > 0:
                self.parts[kind].add(spent[kind])
        if self.steps > self.skip:
            self.steady_wall += wall + boundary
            self.steady_compute += compute
        if self.steps == 1:  # of a run: with what is done once
            return
        self.compute.add(compute)
        self.on_gpu = step.end.event is not None
        if not self.on_gpu:  # a step on the host: what of it takes a core
            whole = _split(step.start.host, step.end.host)
            host = inside if only_marked else [max(0.0, x - y) for x, y in zip(whole, inside)]
            self.cpu.add(host[1])
            self.away.add(host[2])


# ---------------------------------------------------------------------------------------------------------------------
# The recorder.


class _InWorker:
    """What is left of a recorder in a spawned worker process."""

    read, decode = staticmethod(read), staticmethod(decode)


class _WatchedLoader:
    """The loader, with its loop timed."""

    def __init__(self, recorder, loader):
        self._recorder, self._loader = recorder, loader

    def __len__(self):
        return len(self._loader)

    def __getattr__(self, name):
        return getattr(self.__dict__["_loader"], name)

    def __iter__(self):
        recorder = self._recorder
        before = start = _Mark()
        iterator = iter(self._loader)
        recorder._epoch_begins(start)
        first = True
        while True:
            asked = time.perf_counter()
            try:
                batch = next(iterator)
            except StopIteration:
                recorder._epoch_ends(time.perf_counter() - asked)
                return
            step = recorder._step_begins(before, batch, first, start)
            yield batch
            del batch  # as in a plain loop, it is the caller's alone
            before = recorder._step_ends(step)
            first = False


class Recorder:
    """Records one training loop into a file.

    path       JSON lines; records of earlier runs in it are kept
    name       of the setting; repeats of one setting share it (default: the loader's settings as words)
    repeat     number of this repeat
    flush_s    seconds between writes
    overhead   file written by `measure-loader`, or its contents, instead of measure=True
    """

    read, decode = staticmethod(read), staticmethod(decode)

    def __init__(self, path, name=None, repeat=0, flush_s=10.0, overhead=None):
        if torch is None:
            raise ImportError("stallcast_recorder needs torch")
        self.rank = int(os.environ.get("RANK", "0"))
        self.ranks = int(os.environ.get("WORLD_SIZE", "1"))
        self.path = _rank_path(os.fspath(path), self.rank) if self.ranks > 1 else os.fspath(path)
        self._name, self._repeat, self._flush_s = name, repeat, flush_s
        self._overhead = overhead
        self._trouble = None  # of the last write
        self._saves = None
        if isinstance(overhead, (str, os.PathLike)):
            with open(overhead) as file:
                self._overhead = json.load(file)
        self._run = uuid.uuid4().hex
        self._pid = os.getpid()
        self._loader = self._meter = self._loop = None
        self._pending, self._parts = [], []
        self._epochs = 0
        self._barrier_s = None
        self._cost_s = reading_cost_s()
        self._written = time.perf_counter()
        self._closed = False
        atexit.register(self.close)

    def __reduce__(self):
        return _InWorker, ()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def watch(self, loader, measure=False):
        """The loader to iterate over instead. One per recorder.

        measure: spend about ten seconds now on what the loader costs by itself (see measure_loader).
        """
        if self._loader is not None:
            raise ValueError("a Recorder watches one loader; make another Recorder for another loader")
        if measure:
            self.measure_loader(loader)
        self._loader = loader
        self._settings = _settings_of(loader)
        workers = self._settings["num_workers"]
        self._loop = _Loop(max(1, workers * self._settings["prefetch_factor"]))
        self._watch_samples(loader, workers)
        return _WatchedLoader(self, loader)

    def _watch_samples(self, loader, workers):
        dataset = getattr(loader, "dataset", None)
        pipes = tuple(getattr(torch.utils.data, n) for n in ("IterDataPipe", "MapDataPipe")
                      if hasattr(torch.utils.data, n))
        if dataset is None or isinstance(dataset, pipes):
            return
        self._meter = _SampleMeter(workers + 2)
        iterable = isinstance(dataset, torch.utils.data.IterableDataset)
        while "base_dataloader" in vars(loader):  # Accelerate's loaders hold the one of PyTorch
            loader = vars(loader)["base_dataloader"]
        # DataLoader refuses a new dataset after its construction, since samplers hold on to the old one. This one is
        # the old one, timed.
        loader.__dict__["dataset"] = (_IterableDataset if iterable else _MapDataset)(dataset, self._meter)

    def measure_loader(self, loader=None, seconds=8.0):
        """Measures the loader's own cost with samples that cost nothing, in about `seconds`: see measure_overhead."""
        loader = loader if loader is not None else self._loader
        dataset = loader.dataset
        sample = next(iter(dataset)) if isinstance(dataset, torch.utils.data.IterableDataset) else dataset[0]
        settings = _settings_of(loader)
        self._overhead = measure_overhead(sample, settings["batch_size"], settings["num_workers"],
                                          loader.multiprocessing_context, loader.collate_fn, seconds,
                                          pin_memory=loader.pin_memory)
        return self._overhead

    def measure_barrier(self, times=200):
        """Measures a barrier at which all ranks arrive together. To be called by every rank."""
        import torch.distributed as distributed
        for _ in range(20):
            distributed.barrier()
        start = time.perf_counter()
        for _ in range(times):
            distributed.barrier()
        self._barrier_s = (time.perf_counter() - start) / times

    def step(self):
        """Compute, if only part of the loop body is."""
        return _Block(self, "step")

    def copy(self, nbytes=0):
        """Host to device."""
        return _Block(self, "copy", nbytes)

    def checkpoint(self, size):
        """A checkpoint that training waits for; `size` in bytes, or the path of the file that is written."""
        return _Block(self, "checkpoint", size)

    def watch_saves(self):
        """From here on torch.save and torch.distributed.checkpoint (save, save_state_dict, async_save) mark themselves:
        what the training thread spends in one of them inside a step is its checkpoint. An asynchronous save counts with
        what it stops training for. Saves of other threads, and those inside of another, are not counted. torch.load is
        timed too (diagnostics.load_s)."""
        if self._saves is None:
            self._saves = _SaveHooks(self)

    def barrier(self):
        """Waiting for the other ranks."""
        return _Block(self, "barrier")

    # The loop, as _WatchedLoader sees it.

    def _epoch_begins(self, start):
        self._epochs += 1
        self._loop.iter_call.append(time.perf_counter() - start.host[0])
        del self._loop.iter_call[:-1000]

    def _epoch_ends(self, seconds):
        self._resolve(everything=True)
        self._loop.epoch_end(seconds)
        del self._loop.last_next[:-1000]
        self._try_to_write()

    def _step_begins(self, before, batch, first, epoch_start):
        step = _Step()
        if self._loop.steps == 0 and not self._pending:
            self._payload = _bytes_of(batch)
        step.samples = _length_of(batch, self._settings["batch_size"])
        step.before, step.first, step.start = before, first, _Mark()
        if first:
            self._loop.first_batch.append(step.start.host[0] - epoch_start.host[0])
            del self._loop.first_batch[:-1000]
        self._parts = []
        return step

    def _part(self, kind, start, end, size):
        self._parts.append((kind, start, end, size))

    def _step_ends(self, step):
        step.end, step.parts = _Mark(), self._parts
        self._parts = []  # what is marked between two steps is of none
        self._pending.append(step)
        self._resolve()
        if step.end.host[0] - self._written > self._flush_s or self._loop.steps == 2:
            self._try_to_write()
        return step.end

    def _resolve(self, everything=False):
        """Adds up the steps whose events have passed; never waits for the GPU unless asked for everything."""
        if everything and self._pending and self._pending[-1].end.event is not None:
            self._pending[-1].end.event.synchronize()
        while self._pending and (everything or self._pending[0].end.passed()):
            self._loop.add(self._pending.pop(0))

    # The record.

    def record(self):
        """The record of the run so far, or None before the second step has ended."""
        loop = self._loop
        if loop is None or not loop.compute.n:
            return None
        config = self._config()
        return _tidy({
            "schema": SCHEMA, "id": config["id"], "mechanism": "recorded", "repeat": self._repeat,
            "recorder": {"version": VERSION, "run": self._run, "rank": self.rank, "complete": self._closed,
                         "torch": torch.__version__, "python": platform.python_version()},
            "config": config, "inputs": self._inputs(), "outputs": self._outputs(),
            "diagnostics": self._diagnostics()})

    def _config(self):
        loop, config = self._loop, dict(self._settings)
        step, sigma = loop.compute.mean, loop.compute.sd
        if not loop.on_gpu:  # on the host: what takes a core is in inputs.step.cpu_s
            step, sigma = loop.away.mean, loop.away.sd
        epochs = max(1, self._epochs)
        per_epoch = max(1, round(loop.steps / epochs))
        shards = max(1, config["num_workers"])
        iterable = config["style"] == "iterable"
        checkpoint = loop.parts["checkpoint"]
        size = loop.part_bytes["checkpoint"] / checkpoint.n if checkpoint.n else 0
        config.update({
            "id": self._name or "w%(num_workers)d p%(prefetch_factor)d b%(batch_size)d" % config,
            "mechanism": "recorded",
            "step_s": step, "step_sigma": _lognormal_sigma(step, sigma),
            "epochs": epochs, "steps_per_epoch": per_epoch,
            "payload_bytes": round(self._payload / config["batch_size"]),
            "read": {"mode": "recorded" if self._meter else "none", "latency": {"kind": "none"}, "bytes": 0,
                     "bytes_sigma": 0.0, "stream_Bps": None, "shared_Bps": None, "chunk_s": 0.0},
            "decode": {"kind": "recorded" if self._meter else "none", "cpu_s": 0.0, "sigma": 0.0},
            "shards": {"count": shards if iterable else 0,
                       "samples": per_epoch * config["batch_size"] // shards if iterable else 0, "open_s": 0.0},
            "ranks": self.ranks, "nodes": max(1, self.ranks // int(os.environ.get("LOCAL_WORLD_SIZE", self.ranks))),
            "barrier": "none",
            "checkpoint": {"mode": "sync" if checkpoint.n else "none",
                           "every": max(1, round(loop.steps / checkpoint.n)) if checkpoint.n else 0,
                           "bytes": size, "Bps": size / checkpoint.mean if checkpoint.n and size else 0.0,
                           "pause_s": checkpoint.mean, "shared_device": False, "snapshot_s": 0.0, "who": "rank0"}})
        return config

    def _inputs(self):
        loop = self._loop
        measured = self._overhead or {}
        copies, nbytes = loop.parts["copy"], loop.part_bytes["copy"]
        return dict({
            "cores": usable_cores(),
            "step": {"mean_s": loop.compute.mean, "sd_s": loop.compute.sd, "cpu_s": loop.cpu.mean,
                     "overshoot_s": 0.0, "reps": loop.compute.n},
            "copy": {"mean_s": copies.mean, "bytes": nbytes / copies.n} if copies.n and nbytes else None,
            "overhead_per_batch": measured.get("overhead_per_batch"),
            "worker_start": measured.get("worker_start"),
            "barrier_s": self._barrier_s if self.ranks > 1 else 0.0}, **_sample_inputs(self._meter))

    def _outputs(self):
        loop = self._loop
        steady = loop.steps > loop.skip + 1 and loop.steady_wall > 0
        out = {
            "steps": loop.steps, "samples": loop.samples * self.ranks, "wall_s": loop.wall,
            "au": loop.all_compute / loop.wall if loop.wall > 0 else 0.0,
            "au_steady": loop.steady_compute / loop.steady_wall if steady else None,
            "samples_per_s": loop.samples * self.ranks / loop.wall if loop.wall > 0 else 0.0,
            "time_to_first_batch_s": loop.first_batch[0], "first_batch_s": loop.first_batch,
            "iter_call_s": loop.iter_call, "last_next_s": loop.last_next,
            "compute_s": loop.compute.summary(), "data_wait_s": loop.data_wait.summary(),
            "data_wait_later_s": loop.data_wait_later.summary(), "step_wall_s": loop.step_wall.summary()}
        for kind, statistic in loop.parts.items():
            out["barrier_wait_s" if kind == "barrier" else kind + "_s"] = statistic.summary()
        return out

    def _diagnostics(self):
        out = {"clock": "cuda events" if self._loop.on_gpu else "host", "reading_cost_s": self._cost_s,
               "run_delay_known": _clock().knows_delay}
        if self._saves is not None:
            out["load_s"] = self._saves.loads.summary()
        if self._meter is None:
            return out
        sums = self._meter.totals()
        out["samples_made"], out["samples_timed"] = sums[0], sums[_AT["sample_wall"]]
        for kind in _KINDS[:-1]:
            n, total, squares = sums[_AT[kind]:_AT[kind] + 3]
            if n:
                mean, sd = _mean_sd(n, total, squares)
                out[kind + "_s"] = {"mean": mean, "sd": sd}
        if sums[_AT["sample_wall"] + 1] > 0:
            out["recording_fraction"] = (_READINGS * self._cost_s * out["samples_timed"] / max(1.0, out["samples_made"])
                                         / out["sample_wall_s"]["mean"])
        return out

    def write(self):
        """Writes the record so far. The file holds whole lines at every moment."""
        self._written = time.perf_counter()
        record = self.record() if os.getpid() == self._pid else None
        if record is None:
            return
        lines = [line for line in _lines_of(self.path) if (line.get("recorder") or {}).get("run") != self._run]
        _replace(self.path, lines + [record])

    def _try_to_write(self):
        """A disk that is full is no reason to stop a training: it is told, and tried again at the next write."""
        try:
            self.write()
            self._trouble = None
        except OSError as problem:
            if str(problem) != self._trouble or self._closed:
                print("stallcast_recorder: %s cannot be written: %s" % (self.path, problem.strerror), file=sys.stderr)
            self._trouble = str(problem)

    def close(self):
        """Waits for the GPU, writes the record and stops recording."""
        if self._closed or os.getpid() != self._pid:
            return
        if self._saves is not None:
            self._saves.remove()
        self._resolve(everything=True)
        self._closed = True
        self._try_to_write()
        if self._meter is not None:
            self._meter.close()
        atexit.unregister(self.close)


def _rank_path(path, rank):
    stem, suffix = os.path.splitext(path)
    return "%s.rank%d%s" % (stem, rank, suffix or ".jsonl")


def _lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def _replace(path, records):
    text = "".join(json.dumps(record) + "\n" for record in records)
    new = "%s.new%d" % (path, os.getpid())
    try:
        with open(new, "w") as file:
            file.write(text)
        os.replace(new, path)
    except BaseException:
        if os.path.exists(new):
            os.unlink(new)
        raise


def _tidy(value):
    """Nine significant digits; what is not finite becomes null."""
    if isinstance(value, float):
        return float("%.9g" % value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: _tidy(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_tidy(v) for v in value]
    return value


def _lognormal_sigma(mean, sd):
    return math.sqrt(math.log1p((sd / mean) ** 2)) if mean > 0 else 0.0


def usable_cores():
    """Cores that this process may use: its affinity, or the quota of its control group if that is less."""
    cores = float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    try:
        with open("/sys/fs/cgroup/cpu.max") as file:
            quota, period = file.read().split()
        if quota != "max":
            cores = min(cores, float(quota) / float(period))
    except (OSError, ValueError):
        pass
    return cores


def _settings_of(loader):
    workers = getattr(loader, "num_workers", 0)
    batch = getattr(loader, "batch_size", None) or getattr(getattr(loader, "batch_sampler", None), "batch_size", None)
    context = getattr(loader, "multiprocessing_context", None)
    dataset = getattr(loader, "dataset", None)
    iterable = isinstance(dataset, torch.utils.data.IterableDataset)
    return {"style": "iterable" if iterable else "map", "batch_size": int(batch or 1), "num_workers": workers,
            "prefetch_factor": getattr(loader, "prefetch_factor", None) or 2,
            "persistent_workers": bool(getattr(loader, "persistent_workers", False)),
            "in_order": bool(getattr(loader, "in_order", True)),
            "pin_memory": bool(getattr(loader, "pin_memory", False)) and torch.cuda.is_available(),
            "mp_context": _start_method(context),
            "dataset_samples": 0 if iterable or not hasattr(dataset, "__len__") else len(dataset)}


def _start_method(context):
    """Of a loader's context, or the default, which asking must not settle: the first of all methods."""
    if context is not None:
        return context.get_start_method()
    return multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]


def _tensors_of(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for v in value.values():
            yield from _tensors_of(v)
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from _tensors_of(v)


def _bytes_of(value):
    return sum(t.numel() * t.element_size() for t in _tensors_of(value))


def _length_of(batch, otherwise):
    first = next(_tensors_of(batch), None)
    return int(first.shape[0]) if first is not None and first.dim() > 0 else otherwise


def _sample_inputs(meter):
    """inputs.read and inputs.decode: waiting and CPU time of a sample, inside the run."""
    if meter is None:
        return {"read": None, "decode": None}
    sums = meter.totals()

    def of(kind):
        n, total, squares = sums[_AT[kind]:_AT[kind] + 3]
        return (int(n),) + _mean_sd(n, total, squares)
    n, wait, wait_sd = of("sample_wait")
    if not n:
        return {"read": None, "decode": None}
    sized, size, size_sd = of("bytes")
    _, cpu, cpu_sd = of("sample_cpu")
    waits = sums[_WAIT_BINS:_WAIT_BINS + BINS]
    if not _clock().knows_delay and of("read_wait")[0]:
        # Waiting for a core cannot be told from other waiting: that of read() holds least of it.
        _, wait, wait_sd = of("read_wait")
    return {"read": {"mean_s": wait, "sd_s": wait_sd, "n": n, "quantiles_s": _shape(waits, wait),
                     "bytes_mean": size if sized else None, "bytes_sd": size_sd if sized else None},
            "decode": {"alone_cpu_s": cpu, "sd_s": cpu_sd, "before_after": [],
                       "quantiles_s": _shape(sums[_CPU_BINS:_CPU_BINS + BINS], cpu)}}


# ---------------------------------------------------------------------------------------------------------------------
# What the loader costs by itself.

GAPS_S = (0.0025, 0.005, 0.01, 0.02, 0.04, 0.08)


class _EmptyDataset:
    """Samples that cost nothing: one and the same object. Notes the CPU time of its process at every batch."""

    def __init__(self, sample, batch, batches):
        self.sample, self.batch, self.batches = sample, batch, batches
        self.cpu = torch.zeros(batches, dtype=torch.float64).share_memory_()

    def __len__(self):
        return self.batch * self.batches

    def __getitem__(self, index):
        if index % self.batch == 0:
            self.cpu[index // self.batch] = time.process_time()
        return self.sample


class _NoteReady:
    """worker_init_fn that notes when a worker is ready."""

    def __init__(self, workers):
        self.at = torch.zeros(workers, dtype=torch.float64).share_memory_()

    def __call__(self, worker):
        self.at[worker] = time.perf_counter()


class _LoaderBench:
    """Empty loaders of one batch shape."""

    def __init__(self, sample, batch, context, collate, pin_memory):
        self.sample, self.batch, self.context, self.collate = sample, batch, context, collate
        self.pin_memory = pin_memory

    def loader(self, workers, batches, **more):
        dataset = _EmptyDataset(self.sample, self.batch, batches)
        if workers:
            more.setdefault("multiprocessing_context", self.context)
        return torch.utils.data.DataLoader(dataset, batch_size=self.batch, num_workers=workers, collate_fn=self.collate,
                                           pin_memory=self.pin_memory, **more)

    def inline_s(self, seconds):
        """num_workers = 0: wall seconds per batch."""
        times, end = [], time.perf_counter() + seconds
        before = time.perf_counter()
        for _ in self.loader(0, 3000):
            now = time.perf_counter()
            times.append(now - before)
            if now > end and len(times) > 5:
                break
            before = time.perf_counter()
        return statistics.mean(times[1:])

    def pipe(self, batches):
        """One worker, a consumer that always asks: wall, and CPU of both processes, per batch."""
        skip = 5
        loader = self.loader(1, batches)
        iterator = iter(loader)
        for _ in range(skip):
            batch = next(iterator)
        wall, cpu = time.perf_counter(), time.process_time()
        for batch in iterator:  # noqa: B007  the batch is held as a training loop holds it
            pass
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        del batch
        of_worker = loader.dataset.cpu
        n = batches - skip
        return wall / n, cpu / n, float(of_worker[batches - 1] - of_worker[skip]) / (n - 1)

    def ready_s(self, gap, reps):
        """One worker, its batch ready: duration of next() after the consumer was away for `gap`."""
        iterator = iter(self.loader(1, reps + 2))
        times = []
        for _ in range(reps + 2):
            time.sleep(gap)
            start = time.perf_counter()
            batch = next(iterator)
            times.append(time.perf_counter() - start)
        del batch
        return statistics.mean(times[2:])

    def start(self, workers):
        """Start, first batch and end of an epoch of `workers` workers, then iter() again of workers that stay."""
        ready = _NoteReady(workers)
        start = time.perf_counter()
        iterator = iter(self.loader(workers, 2 * workers, worker_init_fn=ready))
        called = time.perf_counter()
        next(iterator)
        first = time.perf_counter()
        for _ in range(2 * workers - 1):
            next(iterator)
        last = time.perf_counter()
        next(iterator, None)
        ended = time.perf_counter()
        staying = self.loader(workers, 2 * workers, persistent_workers=True)
        for _ in staying:
            pass
        again = time.perf_counter()
        iterator = iter(staying)
        reset = time.perf_counter() - again
        for _ in iterator:
            pass
        return {"iter_s": called - start, "ready_max_s": float(ready.at.max()) - start, "first_s": first - start,
                "shutdown_s": ended - last, "reset_s": reset}


def _line(points):
    """base + per_worker * n by least squares through (n, seconds)."""
    n = float(len(points))
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points))
    return {"base_s": mean_y - slope * mean_x, "per_worker_s": slope}


def measure_overhead(sample, batch_size, workers=2, context=None, collate=None, seconds=8.0, pin_memory=False):
    """What a loader of this batch shape costs with nothing to read and nothing to decode, on the machine as it is now.

    overhead_per_batch  collate_nw0_s, pipe_1w_s, main_cpu_s, worker_cpu_s, next_ready_s, next_ready_by_gap_s: medians
                        of three
    worker_start        lines in the number of workers, through 1 and max(2, min(workers, 8)) of them

    As defined for the inputs of a record. **Takes** about `seconds`, and the starts of processes.
    """
    bench = _LoaderBench(sample, batch_size, context, collate, pin_memory)
    rounds, share = 3, seconds / 24.0
    inline = statistics.median(bench.inline_s(share) for _ in range(rounds))
    batches = int(min(3000, max(25, share / max(inline, 2e-4))))
    pipe, main, worker = (statistics.median(x) for x in zip(*(bench.pipe(batches) for _ in range(rounds))))
    by_gap = {}
    gap = 0.01 + 2.5 * pipe
    for away in [g for g in GAPS_S if g > 1.5 * pipe] or [round(gap, 3)]:
        reps = int(min(60, max(6, 0.75 * share / away)))
        by_gap[str(away)] = statistics.median(bench.ready_s(away, reps) for _ in range(rounds))
    start = None
    if workers:
        bench = _LoaderBench(torch.zeros(1), 1, context, None, False)
        points = {n: [bench.start(n) for _ in range(rounds)] for n in (1, max(2, min(workers, 8)))}
        start = {key: _line([(n, statistics.median(run[key] for run in runs)) for n, runs in points.items()])
                 for key in ("iter_s", "ready_max_s", "first_s", "shutdown_s", "reset_s")}
    return {"overhead_per_batch": {"collate_nw0_s": inline, "pipe_1w_s": pipe, "main_cpu_s": main,
                                   "worker_cpu_s": worker,
                                   "next_ready_s": by_gap[min(by_gap, key=lambda g: abs(float(g) - gap))],
                                   "next_ready_by_gap_s": by_gap, "batches": batches},
            "worker_start": start}


# ---------------------------------------------------------------------------------------------------------------------
# Several ranks.


def _pooled(parts, mean="mean_s", sd="sd_s", count="n"):
    """Mean and standard deviation over all ranks' values."""
    weights = [p.get(count) or 1 for p in parts]
    total = float(sum(weights))
    m = sum(w * p[mean] for w, p in zip(weights, parts)) / total
    square = sum(w * (p[sd] ** 2 + p[mean] ** 2) for w, p in zip(weights, parts)) / total
    return {mean: m, sd: math.sqrt(max(0.0, square - m * m)), count: sum(weights)}


def merge_ranks(records):
    """One record of the ranks of one run. Rates add up, times are means over ranks, the slowest sets the wall clock."""
    records = sorted(records, key=lambda r: r["recorder"]["rank"])
    out = json.loads(json.dumps(records[0]))
    n = len(records)

    def mean(get):
        return sum(get(r) for r in records) / n
    for key in ("step_s", "step_sigma"):
        out["config"][key] = mean(lambda r: r["config"][key])
    for key in ("mean_s", "sd_s", "cpu_s"):
        out["inputs"]["step"][key] = mean(lambda r: r["inputs"]["step"][key])
    reads = [r["inputs"]["read"] for r in records]
    if all(reads):
        out["inputs"]["read"].update(_pooled(reads))
        decodes = [dict(r["inputs"]["decode"], n=r["inputs"]["read"]["n"]) for r in records]
        out["inputs"]["decode"].update({k: v for k, v in _pooled(decodes, mean="alone_cpu_s").items() if k != "n"})
        for part in ("read", "decode"):
            shapes = [r["inputs"][part]["quantiles_s"] for r in records]
            out["inputs"][part]["quantiles_s"] = [sum(q) / n for q in zip(*shapes)]
    outputs, wall = out["outputs"], max(r["outputs"]["wall_s"] for r in records)
    compute = mean(lambda r: r["outputs"]["au"] * r["outputs"]["wall_s"])
    outputs["wall_s"], outputs["au"] = wall, compute / wall
    known = all(r["outputs"]["au_steady"] is not None for r in records)
    outputs["au_steady"] = mean(lambda r: r["outputs"]["au_steady"]) if known else None
    outputs["samples"] = sum(r["outputs"]["samples"] // r["config"]["ranks"] for r in records)
    outputs["samples_per_s"] = outputs["samples"] / wall
    out["recorder"]["complete"] = all(r["recorder"]["complete"] for r in records)
    out["recorder"]["merged_ranks"] = n
    return _tidy(out)


def merge_files(paths):
    """One record per run out of the files of its ranks; the n-th record of every file belongs to the n-th run.

    Raises ValueError when a rank is missing or the files hold different numbers of runs.
    """
    files = [_lines_of(path) for path in paths]
    runs = {len(lines) for lines in files}
    if len(runs) != 1 or not files[0]:
        raise ValueError("the files hold %s records; every rank's file must hold as many"
                         % ", ".join(str(len(lines)) for lines in files))
    out = []
    for records in zip(*files):
        ranks = sorted(r["recorder"]["rank"] for r in records)
        wanted = records[0]["config"]["ranks"]
        if ranks != list(range(wanted)):
            raise ValueError("ranks %s are given; the run had 0 to %d" % (ranks, wanted - 1))
        out.append(merge_ranks(records))
    return out


# ---------------------------------------------------------------------------------------------------------------------
# The command line.


def _merge_command(args):
    paths = [p for pattern in args.files for p in (sorted(glob.glob(pattern)) or [pattern])]
    _replace(args.output, merge_files(paths))


def _measure_command(args):
    if torch is None:
        raise ValueError("torch cannot be imported by %s" % sys.executable)
    shape = [int(n) for n in args.shape.split("x")]
    sample = (torch.zeros(shape, dtype=getattr(torch, args.dtype)), 0)
    context = multiprocessing.get_context(args.start_method) if args.start_method else None
    measured = _tidy(measure_overhead(sample, args.batch_size, args.workers, context, None, args.seconds))
    if args.output == "-":
        print(json.dumps(measured, indent=1))
    else:
        _replace(args.output, [measured])


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Recordings of training loops for stallcast.")
    commands = parser.add_subparsers(dest="command", required=True)
    merge = commands.add_parser("merge", help="one record out of the files of all ranks")
    merge.add_argument("files", nargs="+")
    merge.add_argument("-o", "--output", required=True)
    merge.set_defaults(run=_merge_command)
    measure = commands.add_parser("measure-loader", help="what the loader costs by itself, for Recorder(overhead=FILE)")
    measure.add_argument("--batch-size", type=int, required=True)
    measure.add_argument("--shape", default="3x224x224", help="of a sample's tensor; a label is added to it")
    measure.add_argument("--dtype", default="float32", choices=["float32", "float16", "bfloat16", "uint8", "int64"])
    measure.add_argument("--workers", type=int, default=2)
    measure.add_argument("--start-method", choices=["fork", "spawn", "forkserver"])
    measure.add_argument("--seconds", type=float, default=8.0)
    measure.add_argument("-o", "--output", default="-")
    measure.set_defaults(run=_measure_command)
    args = parser.parse_args(arguments)
    try:
        args.run(args)
    except (OSError, ValueError, KeyError) as problem:
        print("stallcast_recorder: %s" % problem, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
