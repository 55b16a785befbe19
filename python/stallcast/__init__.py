"""Cost and capacity planning for GPU training: how busy the GPUs will be, what holds them back, what it costs.

>>> import stallcast
>>> job = stallcast.Scenario.load(stallcast.example("headline_gcs"))
>>> stallcast.simulate(job, inputs="point").gpu_utilization.mean < 0.5
True
"""

from ._core import version as __version__
from ._catalogue import Catalogue, catalogue
from ._commands import (
    CalibrateResult,
    CompareResult,
    DiagnoseResult,
    ExplainResult,
    ReportResult,
    SensitivityResult,
    SimulateResult,
    SizeResult,
    SweepResult,
    calibrate,
    compare,
    diagnose,
    explain,
    report,
    sensitivity,
    simulate,
    size,
    sweep,
)
from ._errors import BugError, Finding, InputError, ScenarioWarning, StallcastError, WorldError
from ._results import Chart, Record, Result
from ._scenario import Scenario, example

__all__ = [
    "BugError", "CalibrateResult", "Catalogue", "Chart", "CompareResult", "DiagnoseResult", "ExplainResult", "Finding",
    "InputError", "Record", "ReportResult", "Result", "Scenario", "ScenarioWarning", "SensitivityResult",
    "SimulateResult", "SizeResult", "StallcastError", "SweepResult", "WorldError", "__version__", "calibrate",
    "catalogue", "compare", "diagnose", "example", "explain", "report", "sensitivity", "simulate", "size", "sweep",
]  # fmt: skip
