"""The commands as functions. Each takes scenarios as Scenario, dict or path, and gives a Result."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import _core
from ._catalogue import Catalogue, PathText, catalogue as default_catalogue
from ._errors import _warn
from ._figures import ComparisonFigures, RunFigures
from ._progress import ProgressLike, shown
from ._results import Record, Result, _pandas, _written
from ._scenario import Scenario, ScenarioLike, as_scenario

Text = Union[str, int, float]
Texts = Union[str, Sequence[str]]


class SimulateResult(RunFigures, Result):
    """How busy the GPUs are, where their time goes, what the run costs."""

    __slots__ = ()


class ExplainResult(SimulateResult):
    """The same, with `explanation` and `advice`: what holds the job back, and what each change would buy."""

    __slots__ = ()


class CompareResult(ComparisonFigures, Result):
    """Scenarios beside each other: what differs, what comes of it, and whether that is luck."""

    __slots__ = ()


class SizeResult(Result, Record):
    """The cheapest configuration that keeps the targets, the next ones, and the trade-offs."""

    __slots__ = ()

    def scenario(self, base: ScenarioLike) -> Scenario:
        """`base` with the settings of the best configuration. ValueError where none keeps the targets."""
        if not self["best"]:
            raise ValueError("no configuration keeps the targets; `relaxations` says which to relax")
        settings = self.to_dict()["best"][0]["settings"]
        return as_scenario(base).copy().set(*(f"{path}={value}" for path, value in settings.items()))


class SensitivityResult(Result, Record):
    """What the result depends on, and at which values the advice changes."""

    __slots__ = ()


class CalibrateResult(Result, Record):
    """Measured values beside those that were assumed; the table has a row for each value that was measured."""

    __slots__ = ()
    _kept = ("scenario",)

    @property
    def scenario(self) -> Scenario:
        """The scenario with the measured values in it."""
        return Scenario(json.loads(self._answer.special("scenario")))

    def _rows(self) -> List[Dict[str, Any]]:
        rows: List[Dict[str, Any]] = self.to_dict()["changes"]
        return rows


class DiagnoseResult(SimulateResult):
    """What explains the figures of a running job: `fit`, and the explanation of the job as it then is. The table has a
    row for each input that was fitted."""

    __slots__ = ()
    _kept = ("scenario",)

    @property
    def fitted_scenario(self) -> Scenario:
        """The scenario with the fitted values, and what is left of their ranges."""
        return Scenario(json.loads(self._answer.special("scenario")))

    def _rows(self) -> List[Dict[str, Any]]:
        rows: List[Dict[str, Any]] = self.to_dict()["fit"]["inputs"]
        return rows


class ReportResult(Result, Record):
    """What to do and all that speaks for it: `to_html` and `to_markdown` are for people, the JSON for programs. The
    table has a row for each option."""

    __slots__ = ()
    _kept = ("html",)

    def to_html(self) -> str:
        """One page that needs nothing else."""
        return str(self._answer.special("html"))

    def to_markdown(self) -> str:
        """The text of it, without charts."""
        return str(self)

    def _rows(self) -> List[Dict[str, Any]]:
        rows: List[Dict[str, Any]] = self.to_dict()["options"]
        return rows

    def save(self, path: PathText) -> Path:
        """Writes HTML, Markdown or JSON, as the name of the file ends."""
        makers = {".html": self.to_html, ".htm": self.to_html, ".md": self.to_markdown, ".json": self.to_json}
        ending = Path(path).suffix.lower()
        if ending not in makers:
            raise ValueError(f"{path}: a report is .html, .md or .json; PDF is written by `stallcast report`")
        return _written(path, makers[ending]())

    def _repr_html_(self) -> str:
        page = self.to_html().replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0" sandbox="allow-scripts"></iframe>'


class SweepResult(Sequence[Record]):
    """Every point of a sweep, in order: what varies by its pointer ("/loader/num_workers"), and its figures; `status`
    is "ok", or "invalid" where such a configuration cannot be, and `error` says why.

    `to_json_lines` and `to_csv` are the files results.jsonl and results.csv that the command line writes.
    """

    def __init__(self, json_lines: str, csv: str) -> None:
        self._json_lines = json_lines
        self._csv = csv
        self._lines = json_lines.splitlines()

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [Record(json.loads(line)) for line in self._lines[index]]
        return Record(json.loads(self._lines[index]))

    def __iter__(self) -> Iterator[Record]:
        return (Record(json.loads(line)) for line in self._lines)

    def to_dict(self) -> List[Dict[str, Any]]:
        """A dict for each point."""
        return [json.loads(line) for line in self._lines]

    def to_json_lines(self) -> str:
        """A line for each point."""
        return self._json_lines

    def to_csv(self) -> str:
        """A header and a row for each point."""
        return self._csv

    def to_dataframe(self) -> Any:
        """The same table as a pandas DataFrame."""
        import io

        return _pandas().read_csv(io.StringIO(self._csv))

    def __repr__(self) -> str:
        return f"<stallcast.SweepResult of {len(self)} points>"

    def _repr_html_(self) -> str:
        try:
            return str(self.to_dataframe()._repr_html_())
        except ImportError:
            return f"<pre>{self!r}</pre>"


def _texts(texts: Texts) -> List[str]:
    return [texts] if isinstance(texts, str) else [str(text) for text in texts]


# What the core reads as people write it, with units; and what it takes several of.
_QUANTITIES = frozenset(("seed", "precision", "min_utilization", "deadline", "budget", "confidence", "max_memory",
                         "tolerance", "time_limit"))  # fmt: skip
_SEVERAL = frozenset(("set", "vary", "figures"))
_WORDS: Dict[str, Sequence[str]] = {
    "inputs": ("ranges", "point"), "objective": _core.size_objectives, "front": _core.front_scopes,
    "design": _core.sweep_designs,
}  # fmt: skip


def _option(name: str, value: Any) -> Any:
    if name in _SEVERAL:
        return _texts(value)
    if name in _QUANTITIES:
        return str(value)
    if name in _WORDS and not isinstance(value, list) and value not in _WORDS[name]:
        raise ValueError(f"{name} is {value!r}; it may be {', '.join(_WORDS[name])}")
    return value


Answered = TypeVar("Answered")


def _asked(
    command: Any,
    result: Callable[[Any], Answered],
    about: Union[ScenarioLike, Tuple[ScenarioLike, ...]],
    catalogue: Optional[Catalogue],
    progress: ProgressLike,
    **options: Any,
) -> Answered:
    """What a command of the core answers about a scenario or several, as a result; options that are None are left out.
    Its warnings are told to whoever called the function that calls this."""
    given = {name: _option(name, value) for name, value in options.items() if value is not None}
    jobs = [as_scenario(one)._job for one in about] if isinstance(about, tuple) else as_scenario(about)._job
    with shown(progress) as tell:
        answer = command(jobs, (catalogue or default_catalogue())._core, given, tell)
    _warn(answer.warnings, stacklevel=4)
    return result(answer)


def _paths(paths: Union[PathText, Sequence[PathText]]) -> List[str]:
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return [os.fspath(one) for one in several]


def simulate(
    scenario: ScenarioLike,
    *,
    set: Texts = (),
    seed: Optional[int] = None,
    precision: Optional[Text] = None,
    replications: Optional[int] = None,
    exact: bool = False,
    inputs: str = "ranges",
    trace: Optional[PathText] = None,
    catalogue: Optional[Catalogue] = None,
    progress: ProgressLike = None,
) -> SimulateResult:
    """Simulates one training job, one that loads a model, or several on one storage.

    set: "loader.num_workers=16", one or several, for this call only.
    inputs: "ranges" draws what nobody gave, which says how far the answer may be off; "point" takes a third of the time.
    trace: a file for a timeline that Perfetto opens.
    progress: True for a bar of tqdm, or a function of (what, done, wanted, gpu_utilization).

    >>> import stallcast
    >>> result = stallcast.simulate(stallcast.example("headline_gcs"), set="loader.num_workers=8", inputs="point")
    >>> result.bottleneck, 0 < result.gpu_utilization.mean < 1
    ('tier_bandwidth', True)
    """
    return _asked(_core.simulate, SimulateResult, scenario, catalogue, progress, set=set, seed=seed,
                  precision=precision, replications=replications, exact=exact, inputs=inputs,
                  trace=None if trace is None else os.fspath(trace))  # fmt: skip


def explain(
    scenario: ScenarioLike,
    *,
    set: Texts = (),
    seed: Optional[int] = None,
    precision: Optional[Text] = None,
    replications: Optional[int] = None,
    exact: bool = False,
    inputs: str = "ranges",
    catalogue: Optional[Catalogue] = None,
    progress: ProgressLike = None,
) -> ExplainResult:
    """Says what holds a training job back, and what each change by itself would buy.

    >>> import stallcast
    >>> result = stallcast.explain(stallcast.example("headline_gcs"), precision=0.02, inputs="point")
    >>> result.explanation.counterfactuals[0].gpu_utilization.mean > result.gpu_utilization.mean
    True
    """
    return _asked(_core.explain, ExplainResult, scenario, catalogue, progress, set=set, seed=seed, precision=precision,
                  replications=replications, exact=exact, inputs=inputs)  # fmt: skip


def size(
    scenario: ScenarioLike,
    *,
    vary: Texts = (),
    min_utilization: Optional[Text] = None,
    deadline: Optional[Text] = None,
    budget: Optional[Text] = None,
    quotas: Optional[Mapping[str, Text]] = None,
    confidence: Optional[Text] = None,
    max_memory: Optional[Text] = None,
    objective: str = "auto",
    tolerance: Optional[Text] = None,
    front: str = "limited",
    top: int = 1,
    exhaustive: bool = False,
    time_limit: Optional[Text] = None,
    set: Texts = (),
    seed: Optional[int] = None,
    precision: Optional[Text] = None,
    inputs: str = "ranges",
    catalogue: Optional[Catalogue] = None,
    progress: ProgressLike = None,
) -> SizeResult:
    """Finds the cheapest configuration that keeps the targets. `best` is empty where none does.

    vary: "loader.num_workers=2..16", "storage.capacity=valid"; the scenario's plan.vary when not given.
    deadline, budget, max_memory, time_limit: texts with units, "72h", "$5000", "64 GiB".

    >>> import stallcast
    >>> job = stallcast.Scenario.load(stallcast.example("headline_gcs")).set("run.precision=0.02")
    >>> answer = stallcast.size(job, vary="loader.num_workers=2,4,8", min_utilization=0.05, inputs="point", front="none")
    >>> answer.scenario(job).loader.num_workers in (2, 4, 8)
    True
    """
    return _asked(
        _core.size, SizeResult, scenario, catalogue, progress, set=set, seed=seed, precision=precision, inputs=inputs,
        vary=vary, min_utilization=min_utilization, deadline=deadline, budget=budget,
        quotas=[f"{name}={most}" for name, most in (quotas or {}).items()], confidence=confidence,
        max_memory=max_memory, objective=objective, tolerance=tolerance, front=front, top=int(top),
        exhaustive=exhaustive, time_limit=time_limit,
    )  # fmt: skip


def compare(
    *scenarios: ScenarioLike,
    pairs: Optional[int] = None,
    replications: Optional[int] = None,
    set: Texts = (),
    seed: Optional[int] = None,
    precision: Optional[Text] = None,
    inputs: str = "ranges",
    catalogue: Optional[Catalogue] = None,
    progress: ProgressLike = None,
) -> CompareResult:
    """Puts scenarios beside the first: inputs that differ, figures with paired differences, time and money.

    >>> import stallcast
    >>> few = stallcast.Scenario.load(stallcast.example("headline_gcs")).set("run.precision=0.02")
    >>> many = few.copy().set("loader.num_workers=16")
    >>> stallcast.compare(few, many, pairs=2, inputs="point").advice.best
    'B'
    """
    if len(scenarios) < 2:
        raise ValueError(f"compare takes two scenarios or more, not {len(scenarios)}")
    return _asked(_core.compare, CompareResult, scenarios, catalogue, progress, set=set, seed=seed, precision=precision,
                  pairs=pairs, replications=replications, inputs=inputs)  # fmt: skip


def sweep(
    scenario: ScenarioLike,
    *,
    vary: Texts = (),
    design: str = "full",
    points: int = 0,
    design_seed: int = 1,
    directory: Optional[PathText] = None,
    threads: int = 0,
    set: Texts = (),
    seed: Optional[int] = None,
    precision: Optional[Text] = None,
    catalogue: Optional[Catalogue] = None,
    progress: ProgressLike = None,
) -> SweepResult:
    """Simulates and prices every point of a space of configurations, on all cores.

    directory: where finished points are kept, so that the same call, interrupted, goes on where it was; without it
    they are kept until the call ends. `stallcast sweep -o` of the same space goes on there, too.

    >>> import stallcast
    >>> job = stallcast.Scenario.load(stallcast.example("headline_gcs")).set("run.precision=0.02")
    >>> table = stallcast.sweep(job, vary="loader.num_workers=2,4,8")
    >>> [point["/loader/num_workers"] for point in table], all(point.status == "ok" for point in table)
    ([2, 4, 8], True)
    """
    with contextlib.ExitStack() as until_read:
        if directory is None:
            directory = until_read.enter_context(tempfile.TemporaryDirectory(prefix="stallcast-sweep-"))
        _asked(_core.sweep, lambda answer: None, scenario, catalogue, progress, set=set, seed=seed,
               precision=precision, vary=vary, design=design, points=int(points), design_seed=int(design_seed),
               threads=int(threads), directory=os.fspath(directory))  # fmt: skip
        written = [(Path(directory) / name).read_text(encoding="utf-8") for name in ("results.jsonl", "results.csv")]
    return SweepResult(*written)



def sensitivity(
    *scenarios: ScenarioLike,
    figures: Texts = (),
    inputs: Texts = (),
    samples: Optional[int] = None,
    by: Optional[str] = None,
    until: Optional[str] = None,
    within: float = 10.0,
    set: Texts = (),
    seed: Optional[int] = None,
    precision: Optional[Text] = None,
    catalogue: Optional[Catalogue] = None,
    progress: ProgressLike = None,
) -> SensitivityResult:
    """Says which uncertain inputs a result depends on, and at which values the advice changes.

    inputs: 90 % intervals, "storage.latency=1 ms..4 ms" or "workload.step_time=x0.9..x1.2".
    until: of one scenario, where this becomes true or false: "gpu_utilization<0.9".

    >>> import stallcast
    >>> job = stallcast.Scenario.load(stallcast.example("headline_gcs")).set("run.precision=0.05")
    >>> study = stallcast.sensitivity(job, inputs="storage.stream_bandwidth=x0.8..x1.2", samples=2)
    >>> study.tornado[0].input
    '/storage/stream_bandwidth'
    """
    if not scenarios:
        raise ValueError("sensitivity takes one scenario or more")
    return _asked(_core.sensitivity, SensitivityResult, scenarios, catalogue, progress, set=set, seed=seed,
                  precision=precision, figures=figures, inputs=_texts(inputs), samples=samples, by=by, until=until,
                  within=float(within))  # fmt: skip


def calibrate(
    scenario: ScenarioLike,
    *measured: PathText,
    probes: Union[PathText, Sequence[PathText]] = (),
    catalogue: Optional[Catalogue] = None,
    progress: ProgressLike = None,
) -> CalibrateResult:
    """Puts measured values into a scenario, with their intervals. `result.scenario` is the calibrated one.

    measured: files of fio, elbencho, gdsio, DLIO, the PyTorch profiler, DCGM, or of `stallcast.torch.record`.
    probes: files that `stallcast probe` wrote.

    >>> import stallcast
    >>> try:
    ...     stallcast.calibrate(stallcast.Scenario(workload={"name": "resnet50"}))
    ... except stallcast.InputError as error:
    ...     print(error.findings[0].code)
    nothing_measured
    """
    return _asked(_core.calibrate, CalibrateResult, scenario, catalogue, progress, measured=_paths(measured),
                  probes=_paths(probes))  # fmt: skip


def diagnose(
    scenario: ScenarioLike,
    *,
    observed: Union[Texts, Mapping[str, Text]] = (),
    logs: Union[PathText, Sequence[PathText]] = (),
    set: Texts = (),
    seed: Optional[int] = None,
    catalogue: Optional[Catalogue] = None,
    progress: ProgressLike = None,
) -> DiagnoseResult:
    """Finds the inputs that explain what a running job shows, and what holds it back.

    observed: {"it_per_s": 3, "data_time": "217 ms"}, or texts as on the command line.
    logs: files with lines of the job's logger.

    >>> import stallcast
    >>> try:
    ...     stallcast.diagnose(stallcast.example("two_workers"), observed={"it_per_second": 3})
    ... except stallcast.InputError as error:
    ...     print(error.findings[0].code)
    unknown_outcome
    """
    seen = [f"{name}={value}" for name, value in observed.items()] if isinstance(observed, Mapping) else _texts(observed)
    return _asked(_core.diagnose, DiagnoseResult, scenario, catalogue, progress, set=set, seed=seed, observed=seen,
                  logs=_paths(logs))  # fmt: skip


def report(
    *scenarios: ScenarioLike,
    vary: Texts = (),
    min_utilization: Optional[Text] = None,
    deadline: Optional[Text] = None,
    budget: Optional[Text] = None,
    set: Texts = (),
    seed: Optional[int] = None,
    precision: Optional[Text] = None,
    catalogue: Optional[Catalogue] = None,
    progress: ProgressLike = None,
) -> ReportResult:
    """What to do and everything that speaks for it: of several scenarios, or of one with a question (vary).

    >>> import stallcast
    >>> review = stallcast.report(stallcast.example("headline_gcs"), precision=0.05)
    >>> "<svg" in review.to_html()
    True
    """
    if not scenarios:
        raise ValueError("report takes one scenario or more")
    return _asked(_core.report, ReportResult, scenarios, catalogue, progress, set=set, seed=seed,
                  precision=precision, vary=vary, min_utilization=min_utilization, deadline=deadline, budget=budget)  # fmt: skip
