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
import os
import statistics
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, Generic, Iterator, List, Optional, Tuple, TypeVar

import torch
import torch.utils.data

from . import _recorder
from ._commands import calibrate, simulate, sweep
from ._scenario import Scenario

Batch = TypeVar("Batch")

__all__ = ["LightningCallback", "Recording", "Suggestion", "TrainerCallback", "record", "suggest"]

# Two settings that differ by less are the same: the fewer workers are then better, for each takes memory and start-up.
# Where two rounds of trials differ by more, so do settings that are the same; beyond MOST_NOISE that counts no more.
SAME, MOST_NOISE = 0.02, 0.05
# As far as a prediction of another setting from one record may be off (docs/accuracy.md, tests/recorder): settings that
# are predicted within it of the best are tried out.
MODEL_ERROR = 0.1
MOST_TRIED = 6


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
    measured_samples_per_s: Optional[float] = None

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
    cores = _recorder.usable_cores()
    tell(f"measuring the dataset for {0.5 * seconds:.0f} s")
    scenario = bench.measured_scenario(0.5 * seconds, cores)
    tell("predicting other settings")
    workers = _worker_counts(most_workers if most_workers is not None else max(2, min(64, round(4 * cores))))
    predicted = _predicted(scenario, workers)
    before = bench.before
    chosen_ones = _worth_trying(predicted)
    tell(f"trying out {len(chosen_ones)} settings")
    asked = [(one.num_workers, one.prefetch_factor) for one in chosen_ones]
    measured = bench.tried_out([*asked, before], 0.5 * seconds)
    tried = [
        Tried(one.num_workers, one.prefetch_factor, one.predicted_samples_per_s,
              measured.get((one.num_workers, one.prefetch_factor)))
        for one in predicted
    ]  # fmt: skip
    best = _fewest_of_the_best([one for one in tried if one.measured_samples_per_s is not None], bench.noise)
    arguments = bench.arguments(best)
    if best.num_workers > 0:
        scenario.loader.update(num_workers=best.num_workers, prefetch_factor=best.prefetch_factor, persistent_workers=True)
    else:
        scenario = _without_workers(scenario)
    most = bench.batch_size / step_time if step_time > 0.0 else float("inf")
    return Suggestion(arguments, best.best_known, measured[before], most, _reason(best, before, measured, most),
                      tried, scenario)  # fmt: skip


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


def _worth_trying(predicted: List[Tried]) -> List[Tried]:
    """Those that may be the best as far as predictions can tell: the fewest workers first, then spread over the rest."""
    most = max(one.predicted_samples_per_s for one in predicted)
    near = [one for one in predicted if one.predicted_samples_per_s >= (1.0 - MODEL_ERROR) * most]
    near.sort(key=lambda one: (one.prefetch_factor, one.num_workers))
    if len(near) <= MOST_TRIED:
        return near
    step = (len(near) - 1) / (MOST_TRIED - 1)
    return [near[round(i * step)] for i in range(MOST_TRIED)]


def _fewest_of_the_best(tried: List[Tried], noise: float) -> Tried:
    most = max(one.best_known for one in tried)
    same = min(max(SAME, noise), MOST_NOISE)
    good = [one for one in tried if one.best_known >= (1.0 - same) * most]
    return min(good, key=lambda one: (one.num_workers, one.prefetch_factor))


def _reason(best: Tried, before: Tuple[int, int], measured: Dict[Tuple[int, int], float], most: float) -> str:
    rate = best.best_known
    text = f"{best.num_workers} workers, {best.prefetch_factor} batches ahead each: {rate:.0f} samples/s as measured"
    if most < float("inf"):
        text += f", {100 * min(1.0, rate / most):.0f} % of the {most:.0f} that the step time allows"
    earlier = measured[before]
    text += f"; {before[0]} workers gave {earlier:.0f}."
    if rate < 0.98 * most:
        text += " More workers do not help: the processor cores or the storage are at their limit."
    else:
        text += " Fewer workers would keep the GPU waiting."
    return text


@contextlib.contextmanager
def _more_workers_than_cores() -> Iterator[None]:
    """They are tried on purpose; PyTorch warns of them when a loader is made, and once more when it starts them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="This DataLoader will create")
        yield


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
        self.noise = 0.0  # of the rates that tried_out() gave, as a share

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

    def _run(self, loader: Any, seconds: float) -> None:
        """Batches for about `seconds`, at least three."""
        began, batches = time.perf_counter(), 0
        for _ in loader:
            batches += 1
            if batches >= 3 and time.perf_counter() - began > seconds:
                break

    def tried_out(self, settings: List[Tuple[int, int]], seconds: float) -> Dict[Tuple[int, int], float]:
        """Samples per second of each, in two rounds so that a slow moment of the machine does not meet one alone."""
        different = list(dict.fromkeys(settings))
        rounds = 2
        share = seconds / (rounds * len(different))
        rates: Dict[Tuple[int, int], List[float]] = {one: [] for one in different}
        for _ in range(rounds):
            for one in different:
                rates[one].append(self._rate(*one, share))
        means = {one: statistics.mean(found) for one, found in rates.items()}
        # Of a mean of two: half of their difference, as a share, in the middle over all settings.
        self.noise = statistics.median((max(found) - min(found)) / (2.0 * means[one]) for one, found in rates.items())
        return means

    def _rate(self, workers: int, prefetch: int, seconds: float) -> float:
        """Steady samples per second: once every worker has delivered, for `seconds`, at least four batches."""
        skipped = max(1, workers)
        with _more_workers_than_cores():
            iterator = iter(self.loader(workers, prefetch))
        count, began = 0, 0.0
        for batch in iterator:
            del batch
            if count == skipped:
                began = time.perf_counter()
            if count >= skipped + 4 and time.perf_counter() - began > seconds:
                break
            count += 1
            if self.step_time > 0.0:
                time.sleep(self.step_time)
        passed = time.perf_counter() - began
        del iterator
        if count <= skipped:
            raise ValueError(f"the dataset has {count} batches of {self.batch_size}; at least {skipped + 1} are needed")
        return (count - skipped) * self.batch_size / passed


class _StepLog:
    """Steps of a framework's training loop, written as what `stallcast.diagnose` reads: one line a step."""

    def __init__(self, path: "str | os.PathLike[str]") -> None:
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
        """Writes a line for each training step of Lightning: `Trainer(callbacks=[LightningCallback("steps.log")])`.

        `stallcast.diagnose(scenario, logs="steps.log")` then says what holds the job back.
        """

        def __init__(self, path: "str | os.PathLike[str]" = "stallcast_steps.log") -> None:
            super().__init__()
            self.log = _StepLog(path)

        def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
            self.log.begin()

        def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
            _wait_for_gpu()
            self.log.end()

        def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
            self.log.pause()

        def on_save_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: Any) -> None:
            self.log.pause()

        def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            self.log.pause()

        def on_train_end(self, trainer: Any, pl_module: Any) -> None:
            self.log.close()

    return LightningCallback


def _trainer_class() -> type:
    base = _base(("transformers", "TrainerCallback"))

    class TrainerCallback(base):  # type: ignore[misc, valid-type]
        """Writes a line for each step of Hugging Face's Trainer: `Trainer(..., callbacks=[TrainerCallback("steps.log")])`.

        `stallcast.diagnose(scenario, logs="steps.log")` then says what holds the job back.
        """

        def __init__(self, path: "str | os.PathLike[str]" = "stallcast_steps.log") -> None:
            self.log = _StepLog(path)

        def on_step_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.log.begin()

        def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            _wait_for_gpu()
            self.log.end()

        def on_evaluate(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.log.pause()

        def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.log.pause()

        def on_epoch_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.log.pause()

        def on_train_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self.log.close()

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
