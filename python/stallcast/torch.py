"""For who trains with PyTorch: arguments of a DataLoader from some seconds on a dataset, and records of real runs.

    from stallcast.torch import suggest, record

    found = suggest(dataset, step_time=0.2, batch_size=64)
    loader = DataLoader(dataset, batch_size=64, **found.arguments)
    for batch in record(loader, "run.jsonl"):
        ...

`stallcast.calibrate` and `stallcast validate` read what `record` writes.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import statistics
import tempfile
import time
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional, Tuple, TypeVar

import torch
import torch.utils.data

from . import _recorder
from ._catalogue import PathText
from ._commands import calibrate, simulate, sweep
from ._errors import ScenarioWarning
from ._scenario import Scenario

Batch = TypeVar("Batch")
Setting = Tuple[int, int]  # workers, batches ahead of each
Trials = Tuple[Optional[float], ...]

__all__ = ["LightningCallback", "Recording", "Suggestion", "TrainerCallback", "record", "suggest"]

# Two settings that differ by less are the same: the fewer workers are then better, for each takes memory and start-up.
SAME = 0.02
LEAST_NOISE = 0.005  # of a trial; a few trials that agree by luck speak for less noise than there is
# As far as a prediction of another setting from one record may be off (docs/accuracy.md, tests/recorder): settings that
# are predicted within it of the best are tried out. A setting whose best trial is further than that below the leader's
# middle one is not tried again: the time goes to those that are still in question.
MODEL_ERROR = 0.1
MOST_TRIED = 5
MOST_OVERTIME = 2.0  # times the time that was asked for: batches that take a second each need that
ROUNDS = 3  # of trials, at least: of two, nobody can say which is the odd one out
ENOUGH = 2  # trials of a setting before it drops out, or is chosen: one may have met a slow moment of the machine
# Workers where nobody says how many: batches that are waited for need many more than there are cores. What lies ready
# in all of them takes at most this share of the memory that is free.
MOST_WORKERS, SHARE_OF_MEMORY = 64, 0.25


class Recording(Generic[Batch]):
    """A data loader whose loop is recorded. Iterate over it as over the loader itself."""

    def __init__(self, loader: Any, recorder: Any) -> None:
        self._loader = loader
        self.recorder = recorder  # its step(), copy(), checkpoint(), barrier() mark what is no compute

    @property
    def path(self) -> Path:
        """The file that is written."""
        return Path(self.recorder.path)

    def close(self) -> None:
        """Writes the rest. At the end of the program that happens by itself."""
        self.recorder.close()

    def __enter__(self) -> "Recording[Batch]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Batch]:
        return iter(self._loader)

    def __len__(self) -> int:
        return len(self._loader)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__dict__["_loader"], name)


def record(
    loader: "torch.utils.data.DataLoader[Batch]",
    path: "str | os.PathLike[str]" = "stallcast_run.jsonl",
    *,
    measure: bool = False,
    name: Optional[str] = None,
    repeat: int = 0,
    flush_s: float = 10.0,
) -> "Recording[Batch]":
    """Records what a training loop and its loader do: `for batch in record(loader): ...`.

    The loop body counts as the compute time of a step. measure: spend about eight seconds, beforehand, on what the
    loader costs by itself. Several ranks write a file each.

    >>> import os, tempfile, torch
    >>> from stallcast.torch import record
    >>> loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(64, 3)), batch_size=8)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with record(loader, os.path.join(folder, "run.jsonl")) as recording:
    ...         steps = sum(1 for batch in recording)
    ...     steps, os.path.getsize(recording.path) > 0
    (8, True)
    """
    recorder = _recorder.Recorder(os.fspath(path), name=name, repeat=repeat, flush_s=flush_s)
    return Recording(recorder.watch(loader, measure=measure), recorder)


@dataclass(frozen=True)
class Tried:
    """One setting of the loader, as predicted and, where it was tried out, as measured."""

    num_workers: int
    prefetch_factor: int
    predicted_samples_per_s: float
    trials: Trials = ()  # samples per second in each round of trials; None in one that left this setting out
    measured_samples_per_s: Optional[float] = None  # in a round of middling speed (see _levels)

    @property
    def setting(self) -> Setting:
        """Workers, and batches ahead of each."""
        return self.num_workers, self.prefetch_factor

    @property
    def best_known(self) -> float:
        """Measured, or else predicted."""
        return self.predicted_samples_per_s if self.measured_samples_per_s is None else self.measured_samples_per_s


@dataclass(frozen=True)
class Suggestion:
    """Arguments of a DataLoader, why these, and what they are worth."""

    arguments: Dict[str, Any]
    samples_per_s: float
    before_samples_per_s: float
    most_samples_per_s: float  # that the step time allows
    reason: str
    tried: List[Tried]  # every setting that was looked at
    scenario: Scenario = field(repr=False)  # measured, with these arguments in it

    @property
    def gain(self) -> float:
        """Samples per second over those before, less one: 0.4 is 40 % more."""
        return self.samples_per_s / self.before_samples_per_s - 1.0

    def __str__(self) -> str:
        words = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"DataLoader(..., {words})\n{self.reason}"


def suggest(
    dataset: Any,
    *,
    step_time: float,
    batch_size: Optional[int] = None,
    seconds: float = 30.0,
    most_workers: Optional[int] = None,
    collate_fn: Optional[Callable[[List[Any]], Any]] = None,
    progress: Optional[Callable[[str], Any]] = None,
) -> Suggestion:
    """Measures a dataset for some seconds, predicts other settings of its loader, tries out those that come near the
    best, and says which to take.

    dataset: a dataset, or a DataLoader whose settings are then those that the gain is over; else PyTorch's defaults.
    step_time: seconds that the GPU takes for a batch, with data at hand; 0 where the loader is all that counts.
    seconds: of which half goes to trials. Where a batch takes long these take longer, at most three times that half.
    most_workers: of those looked at; 64 where nobody says, or fewer where memory has no room for their batches.
    progress: is told in words what is being done.

    >>> import torch
    >>> from stallcast.torch import suggest
    >>> data = torch.utils.data.TensorDataset(torch.zeros(4096, 8))
    >>> found = suggest(data, step_time=0.02, batch_size=16, seconds=4)
    >>> sorted(found.arguments)
    ['num_workers', 'persistent_workers', 'pin_memory', 'prefetch_factor']
    """
    if not step_time >= 0.0:
        raise ValueError(f"step_time is {step_time}; it is in seconds, 0 or more")
    if not seconds > 0.0:
        raise ValueError(f"seconds is {seconds}; it is more than 0")
    tell = progress or (lambda text: None)
    bench = _Bench(dataset, batch_size, collate_fn, step_time)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScenarioWarning)  # the scenario is ours, not the caller's
        tell(f"measuring the dataset for {0.5 * seconds:.0f} s")
        scenario = bench.measured_scenario(0.5 * seconds, _recorder.usable_cores())
        tell("predicting other settings")
        predicted = _predicted(scenario, _worker_counts(bench.most_workers() if most_workers is None else most_workers))
    tell("trying out the best of them")
    trials = _tried_out(predicted, bench.before, bench.rate, 0.5 * seconds)
    tried = _with_trials(predicted, trials)
    best = _fewest_of_the_best(tried)
    before = _levels(trials)[bench.before]
    most = bench.batch_size / step_time if step_time > 0.0 else float("inf")
    reason = _reason(best, tried, bench.before, before, most)
    return Suggestion(bench.arguments(best), best.best_known, before, most, reason, tried, _with_loader(scenario, best))


def _worker_counts(most: int) -> List[int]:
    """0 to 4 one by one, then steps of about a quarter."""
    counts = list(range(0, min(most, 4) + 1))
    while counts[-1] < most:
        counts.append(min(most, max(counts[-1] + 1, round(counts[-1] * 1.25))))
    return counts


def _without_workers(scenario: Scenario) -> Scenario:
    """Nothing is prefetched then, and the simulator, as PyTorch, refuses to be told how much."""
    given = scenario.to_dict()
    loader = {name: value for name, value in given.get("loader", {}).items() if name != "prefetch_factor"}
    return Scenario({**given, "loader": {**loader, "num_workers": 0, "persistent_workers": False}})


def _predicted(scenario: Scenario, workers: List[int]) -> List[Tried]:
    inline = simulate(_without_workers(scenario), precision=0.01, inputs="point").samples_per_s
    found = [Tried(0, 2, inline)]
    several = ",".join(str(count) for count in workers if count > 0)
    if several:
        vary = [f"loader.num_workers={several}", "loader.prefetch_factor=2,4"]
        for point in sweep(scenario, vary=vary, precision=0.01).to_dict():
            count, prefetch = int(point["/loader/num_workers"]), int(point["/loader/prefetch_factor"])
            if point["status"] == "ok":
                found.append(Tried(count, prefetch, float(point["samples_per_s"])))
    return found


def _with_loader(scenario: Scenario, one: Tried) -> Scenario:
    if one.num_workers == 0:
        return _without_workers(scenario)
    scenario.loader.update(num_workers=one.num_workers, prefetch_factor=one.prefetch_factor, persistent_workers=True)
    return scenario


def _worth_trying(predicted: List[Tried]) -> List[Setting]:
    """Those that may be the best as far as predictions can tell: the fewest workers that come near it, the fewest that
    are predicted to reach it, and from there on about twice as many each. More batches ahead only where they are
    predicted to make a difference."""
    two_ahead = {one.num_workers: one.predicted_samples_per_s for one in predicted if one.prefetch_factor == 2}
    most = max(one.predicted_samples_per_s for one in predicted)

    def within(share: float) -> List[Tried]:
        return [one for one in predicted
                if one.predicted_samples_per_s >= (1.0 - share) * most
                and (one.prefetch_factor == 2
                     or one.predicted_samples_per_s > (1.0 + SAME) * two_ahead.get(one.num_workers, 0.0))]  # fmt: skip

    near = sorted(within(MODEL_ERROR), key=lambda one: (one.prefetch_factor, one.num_workers))
    out = [near[0].setting, min(one.setting for one in within(SAME))]
    for one in near:
        if one.num_workers >= 2 * out[-1][0] or one.prefetch_factor != out[-1][1]:
            out.append(one.setting)
    return list(dict.fromkeys(out))[:MOST_TRIED]


def _tried_out(
    predicted: List[Tried],
    before: Setting,
    rate: Callable[[Setting, float], float],
    seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> Dict[Setting, Trials]:
    """Samples per second of each trial. In rounds, so that a slow moment of the machine does not meet one setting
    alone; after each those that are far behind drop out, and the leader's neighbours come in: where the prediction is
    wrong, the trials lead away from it. What nobody takes for the best is tried once, for the gain."""
    known = sorted({one.setting for one in predicted})
    left = list(dict.fromkeys([*_worth_trying(predicted), before]))
    share = seconds / (ROUNDS * len(left))
    trials: Dict[Setting, Trials] = {}
    began, rounds = clock(), 0
    while True:
        round_began = clock()
        found = {one: rate(one, share) for one in (left if rounds % 2 == 0 else left[::-1])}
        for one in [*trials, *(new for new in left if new not in trials)]:
            trials[one] = (*trials.get(one, (None,) * rounds), found.get(one))
        rounds += 1
        now = clock()
        level, speed = _levels(trials), _speeds(trials)
        leader = max(level, key=lambda one: level[one])
        enough = (1.0 - MODEL_ERROR) * level[leader]
        near = {one for one in trials if max(_at_middling_speed(trials[one], speed)) >= enough}
        seldom = {one for one in trials if _count(trials[one]) < ENOUGH and (one in near or one != before)}
        new = [one for one in _neighbours(leader, known) if one not in trials]
        passed, took = now - began, (now - round_began) / len(left)
        left = [one for one in trials if one in near or one in seldom] + new
        if passed > MOST_OVERTIME * seconds:
            return trials
        if not seldom and rounds >= ENOUGH and left == [leader]:
            return trials
        if not seldom and not new and rounds >= ROUNDS and passed + took * len(left) > seconds:
            return trials


def _count(trials: Trials) -> int:
    return sum(rate is not None for rate in trials)


def _at_middling_speed(trials: Trials, speed: List[float]) -> List[float]:
    return [rate / speed[k] for k, rate in enumerate(trials) if rate is not None]


def _speeds(trials: Dict[Setting, Trials]) -> List[float]:
    """Of the machine in each round, 1 in the middle one: what all trials of a round have in common, for a slow moment
    meets them all. Tukey's median polish: by turns the level of each setting, and the speed of each round."""
    speed = [1.0] * max(len(found) for found in trials.values())
    for _ in range(10):
        level = {one: statistics.median(_at_middling_speed(found, speed)) for one, found in trials.items()}
        ratios: List[List[float]] = [[] for _ in speed]
        for one, found in trials.items():
            for k, rate in enumerate(found):
                if rate is not None:
                    ratios[k].append(rate / level[one])
        speed = [statistics.median(ratio) for ratio in ratios]
        middle = statistics.median(speed)
        speed = [one / middle for one in speed]
    return speed


def _levels(trials: Dict[Setting, Trials]) -> Dict[Setting, float]:
    """Samples per second of each setting in a round of middling speed."""
    speed = _speeds(trials)
    return {one: statistics.median(_at_middling_speed(found, speed)) for one, found in trials.items()}


def _with_trials(predicted: List[Tried], trials: Dict[Setting, Trials]) -> List[Tried]:
    level = _levels(trials)
    return [replace(one, trials=trials[one.setting], measured_samples_per_s=level[one.setting])
            if one.setting in trials else one for one in predicted]  # fmt: skip


def _neighbours(setting: Setting, known: List[Setting]) -> List[Setting]:
    """Of a setting: the next fewer and the next more workers, with as many batches ahead."""
    workers, prefetch = setting
    alike = [one for one in known if one[1] == prefetch or one[0] == 0]
    fewer = [one for one in alike if one[0] < workers]
    more = [one for one in alike if one[0] > workers]
    return fewer[-1:] + more[:1]


def _fewest_of_the_best(tried: List[Tried]) -> Tried:
    """Among those that were tried: the fewest workers that are as good as the best."""
    likely = _likely({one.setting: one.trials for one in tried if one.trials},
                     {one.setting: one.predicted_samples_per_s for one in tried})  # fmt: skip
    most = max(likely.values())
    return min((one for one in tried if likely.get(one.setting, 0.0) >= (1.0 - SAME) * most),
               key=lambda one: one.setting)  # fmt: skip


def _likely(trials: Dict[Setting, Trials], predicted: Dict[Setting, float]) -> Dict[Setting, float]:
    """Samples per second of each setting, from trials and prediction, each by how far it may be off.

    **Model** log(likely) = (log(tried) / e^2 + log(c predicted) / m^2) / (1 / e^2 + 1 / m^2), with e the standard error
    of the level of a setting and m = MODEL_ERROR; c scales all predictions alike, to what was tried. Where the machine
    is quiet the trials decide; where it is not, the luck of a trial does not count for more than what is known of the
    loader.
    """
    level, noise = _levels(trials), _noise(trials)
    scale = statistics.median(level[one] / predicted[one] for one in trials)
    out = {}
    for one, found in trials.items():
        of_trials, of_prediction = _count(found) / noise**2, 1.0 / MODEL_ERROR**2
        logs = of_trials * math.log(level[one]) + of_prediction * math.log(scale * predicted[one])
        out[one] = math.exp(logs / (of_trials + of_prediction))
    return out


def _noise(trials: Dict[Setting, Trials]) -> float:
    """Of one trial, as a share of its rate: what level and speed leave unexplained; with nothing to tell it from, as
    much as a prediction's."""
    level, speed = _levels(trials), _speeds(trials)
    left = [math.log(rate / level[one]) for one, found in trials.items() for rate in _at_middling_speed(found, speed)]
    free = len(left) - len(level) - (len(speed) - 1)
    return max(LEAST_NOISE, math.sqrt(sum(one**2 for one in left) / free)) if free > 0 else MODEL_ERROR


def _reason(best: Tried, tried: List[Tried], before: Setting, earlier: float, most: float) -> str:
    rate = best.best_known
    text = f"{best.num_workers} workers, {best.prefetch_factor} batches ahead each: {rate:.0f} samples/s as measured"
    if most < float("inf"):
        text += f", {100 * min(1.0, rate / most):.0f} % of the {most:.0f} that the step time allows"
    text += f"; {before[0]} workers gave {earlier:.0f}."
    if rate >= 0.98 * most:
        text += " Fewer workers would keep the GPU waiting."
    elif best.num_workers == 0:
        text += " Handing samples between processes would take longer than loading them."
    elif best.num_workers == max(one.num_workers for one in tried):
        text += " More workers than these were not looked at."
    else:
        text += " More workers do not help: the processor cores or the storage are at their limit."
    return text


@contextlib.contextmanager
def _more_workers_than_cores() -> Iterator[None]:
    """They are tried on purpose; PyTorch warns of them when a loader is made, and once more when it starts them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="This DataLoader will create")
        yield


def _bytes_of(batch: Any) -> int:
    """Of all tensors in it."""
    if isinstance(batch, torch.Tensor):
        return int(batch.element_size() * batch.nelement())
    if isinstance(batch, Mapping):
        return sum(_bytes_of(one) for one in batch.values())
    if isinstance(batch, (list, tuple)):
        return sum(_bytes_of(one) for one in batch)
    return 0


def _free_bytes() -> int:
    """Of memory, what this machine can give; as much as there is where it does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return next(1024 * int(line.split()[1]) for line in file if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


class _Bench:
    """One dataset, measured with different loaders."""

    def __init__(self, dataset: Any, batch_size: Optional[int], collate_fn: Any, step_time: float) -> None:
        self.before = (0, 2)
        if isinstance(dataset, torch.utils.data.DataLoader):
            loader = dataset
            batch_size = batch_size or loader.batch_size
            collate_fn = collate_fn or loader.collate_fn
            self.before = (loader.num_workers, getattr(loader, "prefetch_factor", None) or 2)
            dataset = loader.dataset
        self.dataset = dataset
        self.batch_size = int(batch_size or 1)
        self.step_time = step_time
        self._collate = collate_fn
        self._iterable = isinstance(dataset, torch.utils.data.IterableDataset)
        self._pin = torch.cuda.is_available()
        self._batch_bytes = 0  # of the largest that was seen

    def arguments(self, one: Tried) -> Dict[str, Any]:
        return {
            "num_workers": one.num_workers,
            "prefetch_factor": one.prefetch_factor if one.num_workers > 0 else self._no_prefetch(),
            "persistent_workers": one.num_workers > 0,
            "pin_memory": self._pin,
        }

    @staticmethod
    def _no_prefetch() -> Optional[int]:
        """What a DataLoader without workers takes: 2 before torch 2.0, None since."""
        return 2 if int(torch.__version__.split(".")[0]) < 2 else None

    def loader(self, workers: int, prefetch: int, batches: Optional[int] = None) -> Any:
        more: Dict[str, Any] = {"prefetch_factor": prefetch} if workers > 0 else {}
        if not self._iterable:
            more["sampler"] = torch.utils.data.RandomSampler(
                self.dataset, replacement=True, num_samples=(batches or 10**7) * self.batch_size
            )
        with _more_workers_than_cores():
            return torch.utils.data.DataLoader(
                self.dataset, batch_size=self.batch_size, num_workers=workers, collate_fn=self._collate,
                pin_memory=self._pin, **more,
            )  # fmt: skip

    def measured_scenario(self, seconds: float, cores: float) -> Scenario:
        """Half of the time for what the loader costs by itself, half for real samples."""
        workers = max(1, min(2, int(cores)))
        with tempfile.TemporaryDirectory(prefix="stallcast-suggest-") as folder:
            path = os.path.join(folder, "run.jsonl")
            recorder = _recorder.Recorder(path, flush_s=3600.0)
            loader = self.loader(workers, 2)
            recorder.measure_loader(loader, seconds=0.5 * seconds)
            self._run(recorder.watch(loader), 0.5 * seconds)
            recorder.close()
            base = Scenario(cluster={"nodes": 1, "gpus_per_node": 1, "cores_per_node": cores})
            scenario = calibrate(base, path).scenario
        # Steady training of any length is asked about, not the few steps that were recorded.
        scenario.set(f"workload.step_time={max(self.step_time, 1e-6)} s", "run.whole_run=false", "run.steps_per_epoch=0")
        return scenario

    def most_workers(self) -> int:
        """As many as memory has room for: each has two batches ready, in shared memory."""
        free = min(_free_bytes(), shutil.disk_usage("/dev/shm").free if os.path.isdir("/dev/shm") else _free_bytes())
        return max(2, min(MOST_WORKERS, int(SHARE_OF_MEMORY * free / max(1, 2 * self._batch_bytes))))

    def _run(self, loader: Any, seconds: float) -> None:
        """Batches for about `seconds`, at least three."""
        began, batches = time.perf_counter(), 0
        for batch in loader:
            batches += 1
            self._batch_bytes = max(self._batch_bytes, _bytes_of(batch))
            if batches >= 3 and time.perf_counter() - began > seconds:
                break

    def rate(self, setting: Setting, seconds: float) -> float:
        """Steady samples per second for `seconds`. Workers that began together deliver together: what comes first from
        each tells nothing of their rate, and less than a batch of each would tell too much."""
        workers = setting[0]
        with _more_workers_than_cores():
            iterator = iter(self.loader(*setting))
        count, skipped, began = 0, workers + 1, 0.0
        for batch in iterator:
            del batch
            count += 1
            if count == skipped:
                began = time.perf_counter()
            elif count > skipped and count - skipped >= max(4, workers) and time.perf_counter() - began > seconds:
                break
            if count >= skipped and self.step_time > 0.0:
                time.sleep(self.step_time)
        passed = time.perf_counter() - began
        del iterator
        if count <= skipped:
            raise ValueError(f"the dataset has {count} batches of {self.batch_size}; at least {skipped + 1} are needed")
        return (count - skipped) * self.batch_size / passed


class _PlainLoop:
    """A loader whose own loop is asked for by name, since `iter` of it gives the recorded one."""

    def __init__(self, kind: type, loader: Any) -> None:
        self._kind, self._loader = kind, loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_loader"], name)

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Any:
        return self._kind.__iter__(self._loader)  # type: ignore[attr-defined]


def _record_in_place(loader: Any, recorder: Any) -> None:
    """Every later loop over the loader is recorded: for frameworks, which hold on to the loader that they made."""
    kind = type(loader)
    watched = recorder.watch(loader)
    watched._loader = _PlainLoop(kind, loader)
    made = type(kind.__name__, (kind,), {"__iter__": lambda self: iter(watched)})
    object.__dict__["__class__"].__set__(loader, made)  # Accelerate's loaders have a __class__ that cannot be set


class _FrameworkRun:
    """What a callback writes of a framework's training: a line for each step, and a record of its loader and loop."""

    def __init__(self, path: Optional[PathText], record: Optional[PathText]) -> None:
        self.log = _StepLog(path) if path is not None else None
        self.record = Path(record) if record is not None else None
        self._recorder: Any = None

    def start(self, loader: Any) -> bool:
        """Training is about to ask the loader for batches: whether they are recorded from here on. Another loader than
        one of PyTorch is only logged, and no trouble of the recorder stops a training."""
        if self.record is None or self._recorder is not None or not isinstance(loader, torch.utils.data.DataLoader):
            return False
        try:
            self._recorder = _recorder.Recorder(os.fspath(self.record))
            _record_in_place(loader, self._recorder)
        except Exception as problem:
            warnings.warn(f"this loader is not recorded: {problem!r}", RuntimeWarning, stacklevel=3)
            return False
        return True

    def begin(self) -> None:
        if self.log is not None:
            self.log.begin()

    def end(self) -> None:
        if self.log is not None:
            _wait_for_gpu()
            self.log.end()

    def pause(self) -> None:
        if self.log is not None:
            self.log.pause()

    def close(self) -> None:
        if self.log is not None:
            self.log.close()
        if self._recorder is not None:
            self._recorder.close()


class _StepLog:
    """Steps of a framework's training loop, written as what `stallcast.diagnose` reads: one line a step."""

    def __init__(self, path: PathText) -> None:
        self.path = Path(path)
        self._file: Any = None
        self._ended: Optional[float] = None
        self._began: Optional[float] = None

    def begin(self) -> None:
        self._began = time.perf_counter()

    def end(self) -> None:
        now = time.perf_counter()
        if self._began is not None and self._ended is not None:
            if self._file is None:
                self._file = open(self.path, "w", encoding="utf-8", buffering=1)
            self._file.write(f"time: {now - self._ended:.6f} data: {self._began - self._ended:.6f}\n")
        self._ended = now

    def pause(self) -> None:
        """What comes between two steps now is no data loading: validation, a checkpoint."""
        self._ended = None

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _base(*names: Tuple[str, str]) -> type:
    """The first class of these (module, name) that is installed and loads."""
    import importlib

    for module, name in names:
        try:
            found: type = getattr(importlib.import_module(module), name)
            return found
        except Exception:  # not installed, or broken: then the methods alone do
            continue
    return object


def _lightning_class() -> type:
    base = _base(("lightning.pytorch", "Callback"), ("pytorch_lightning", "Callback"))

    class LightningCallback(base):  # type: ignore[misc, valid-type]
        """Records training with Lightning: `Trainer(callbacks=[LightningCallback("steps.log", record="run.jsonl")])`.

        path: a line for each step, which `stallcast.diagnose(scenario, logs="steps.log")` reads; None for none.
        record: what `stallcast.calibrate(scenario, "run.jsonl")` and `stallcast validate` read; None for none. Lightning
        starts the first epoch's loader before any callback; it is started again, with another shuffle.
        """

        def __init__(
            self, path: Optional[PathText] = "stallcast_steps.log", record: Optional[PathText] = "stallcast_run.jsonl"
        ) -> None:
            super().__init__()
            self.run = _FrameworkRun(path, record)

        def on_train_start(self, trainer: Any, pl_module: Any) -> None:
            if self.run.start(getattr(trainer, "train_dataloader", None)):
                _begin_first_epoch_again(trainer)

        def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
            self.run.begin()

        def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
            self.run.end()

        def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
            self.run.pause()

        def on_save_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: Any) -> None:
            self.run.pause()

        def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            self.run.pause()

        def on_train_end(self, trainer: Any, pl_module: Any) -> None:
            self.run.close()

    return LightningCallback


def _begin_first_epoch_again(trainer: Any) -> None:
    """Lightning has an iterator over the loader before any callback is asked: a new one, so that the first epoch, which
    may be the only one, is recorded. The random numbers of the training stay as they are."""
    loop = getattr(trainer, "fit_loop", None)
    fetcher = getattr(loop, "_data_fetcher", None)
    if fetcher is None or getattr(fetcher, "iterator", None) is None or getattr(loop, "restarting", False):
        return
    with torch.random.fork_rng(devices=[]):
        iter(fetcher)


def _trainer_class() -> type:
    base = _base(("transformers", "TrainerCallback"))

    class TrainerCallback(base):  # type: ignore[misc, valid-type]
        """Records training with Hugging Face's Trainer:
        `Trainer(..., callbacks=[TrainerCallback("steps.log", record="run.jsonl")])`.

        path: a line for each step, which `stallcast.diagnose(scenario, logs="steps.log")` reads; None for none.
        record: what `stallcast.calibrate(scenario, "run.jsonl")` and `stallcast validate` read; None for none.
        """

        def __init__(
            self, path: Optional[PathText] = "stallcast_steps.log", record: Optional[PathText] = "stallcast_run.jsonl"
        ) -> None:
            self.run = _FrameworkRun(path, record)

        def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.run.start(more.get("train_dataloader"))

        def on_step_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.run.begin()

        def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.run.end()

        def on_evaluate(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.run.pause()

        def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.run.pause()

        def on_epoch_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.run.pause()

        def on_train_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.run.close()

    return TrainerCallback


def _wait_for_gpu() -> None:
    """Kernels run on after the call that started them: a step ends when the GPU has done it."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def __getattr__(name: str) -> Any:
    """The callbacks are made when somebody asks for them: importing their frameworks takes seconds."""
    makers = {"LightningCallback": _lightning_class, "TrainerCallback": _trainer_class}
    if name not in makers:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = makers[name]()
    globals()[name] = made
    return made
