"""Scenarios: what a job is, from a dict, a JSON file or keyword arguments."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Union

from . import _core
from ._catalogue import Catalogue, PathText, catalogue as default_catalogue
from ._groups import FIELDS, GROUPS, SIGNATURE, TOP, ScenarioFields, field_text, to_json


class Scenario(ScenarioFields):
    """What a training job is: machines, workload, data, loader, storage. Every field is optional.

    Given as a dict that looks like a scenario file, as keyword arguments, or both; what nobody gives comes from the
    records of the catalogue that the scenario names, else it is a default. A wrong name or value raises InputError
    with all that is wrong, and nothing is changed.

    >>> import stallcast
    >>> job = stallcast.Scenario(cluster={"instance": "a3-highgpu-8g", "nodes": 2}, workload={"name": "unet3d"})
    >>> job.loader.num_workers = 8
    >>> job.set("storage.tier=parallelstore", "storage.capacity=20 TiB").storage.capacity
    '20 TiB'
    >>> job.to_dict()["loader"]
    {'num_workers': 8}
    """

    def __init__(self, fields: Optional[Mapping[str, Any]] = None, /, **groups: Any) -> None:
        given: Dict[str, Any] = dict(fields or {})
        for name, value in groups.items():
            if value is None:
                continue
            known = given.get(name)
            if isinstance(known, Mapping) and isinstance(value, Mapping):
                given[name] = {**known, **value}
            else:
                given[name] = value
        self._job = _core.Job.parse(to_json(given), "Scenario", default_catalogue()._core)

    @classmethod
    def load(cls, path: PathText) -> "Scenario":
        """Reads a scenario file. Jobs that it names in run.concurrent_jobs are read from its folder when it is used.

        >>> import stallcast
        >>> stallcast.Scenario.load(stallcast.example("03_resnet50_parallelstore")).workload.name
        'resnet50'
        """
        out = cls.__new__(cls)
        out._job = _core.Job.load(os.fspath(path), default_catalogue()._core)
        return out

    def set(self, *assignments: str) -> "Scenario":
        """Sets fields as --set does: "loader.num_workers=16", "workload.step_time.mean=200 ms". Returns itself."""
        for assignment in assignments:
            self._job.set_text(assignment)
        return self

    def copy(self) -> "Scenario":
        """Another scenario with the same values.

        >>> import stallcast
        >>> one = stallcast.Scenario(loader={"num_workers": 4})
        >>> two = one.copy().set("loader.num_workers=8")
        >>> one.loader.num_workers, two.loader.num_workers
        (4, 8)
        """
        out = type(self).__new__(type(self))
        out._job = self._job.copy()
        return out

    def to_dict(self) -> Dict[str, Any]:
        """What was given, as a scenario file has it."""
        given: Dict[str, Any] = json.loads(self._job.given())
        return given

    def resolved(self, catalogue: Optional[Catalogue] = None) -> Dict[str, Any]:
        """Every field, with what the catalogue and the defaults fill in."""
        every: Dict[str, Any] = json.loads(self._job.resolved((catalogue or default_catalogue())._core))
        return every

    def to_json(self) -> str:
        """A scenario file of what was given."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def save(self, path: PathText) -> Path:
        """Writes that file; returns its path."""
        out = Path(path)
        out.write_text(self.to_json(), encoding="utf-8")
        return out

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_job" or isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        else:  # the core says which name is near
            self._job.set_document(to_json({name: value}))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def __copy__(self) -> "Scenario":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Scenario":
        return self.copy()

    def __reduce__(self) -> Any:
        return _unpickled, (self.to_json(), self._job.file)

    def __repr__(self) -> str:
        return f"Scenario({copy.copy(self.to_dict())})"


def _unpickled(text: str, file: str) -> Scenario:
    out = Scenario.__new__(Scenario)
    out._job = _core.Job.parse(text, file, default_catalogue()._core)
    return out


Scenario.__init__.__doc__ = "Fields, by group:\n\n" + "\n".join(
    [f"{field['name']}: {field_text(field)}" for field in TOP]
    + [f"{name}: {', '.join(f['name'] for f in FIELDS if f['group'] == name)}" for name in GROUPS]
)
Scenario.__signature__ = SIGNATURE  # type: ignore[attr-defined]

ScenarioLike = Union[Scenario, Mapping[str, Any], str, "os.PathLike[str]"]


def as_scenario(given: ScenarioLike) -> Scenario:
    """A scenario as it is, a dict as one, anything else as the path of a file."""
    if isinstance(given, Scenario):
        return given
    if isinstance(given, Mapping):
        return Scenario(given)
    return Scenario.load(given)


def example(name: str) -> Path:
    """The path of a scenario that comes along, by its name without the number or with it.

    >>> import stallcast
    >>> stallcast.example("headline_gcs").name
    '02_headline_gcs.json'
    """
    known: Dict[str, Path] = {}
    for path in sorted((Path(default_catalogue().directory).parent / "scenarios").rglob("*.json")):
        known.setdefault(path.stem, path)
        known.setdefault(path.stem.lstrip("0123456789_"), path)
    if name in known:
        return known[name]
    raise ValueError(f"no example {name!r}; there are {', '.join(sorted(path.stem for path in set(known.values())))}")
