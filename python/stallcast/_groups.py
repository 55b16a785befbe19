"""The groups of a scenario's fields as classes, made from the core's own field table.

`_groups.pyi`, which the build writes from the same table, is what editors and type checkers read.
"""

from __future__ import annotations

import inspect
import json
from typing import Any, Dict, Iterator, List, Optional, Type

from . import _core

FIELDS: List[Dict[str, Any]] = _core.fields()
TOP: List[Dict[str, Any]] = [field for field in FIELDS if not field["group"]]
GROUP_FIELDS: Dict[str, List[Dict[str, Any]]] = {}
for _field in FIELDS:
    if _field["group"]:
        GROUP_FIELDS.setdefault(_field["group"], []).append(_field)


def field_text(field: Dict[str, Any]) -> str:
    """What a field means, as documentation: help, what is allowed, the default."""
    text = str(field["help"])
    if field["allowed"]:
        text += f" Allowed: {field['allowed']}."
    return f"{text} Default: {field['default']}."


def to_json(value: Any) -> str:
    """JSON of plain Python values, of groups of scenarios, and of numpy's numbers and arrays."""

    def plain(one: Any) -> Any:
        if isinstance(one, Group):
            return one.to_dict()
        for name in ("tolist", "__fspath__"):  # numpy; paths
            if hasattr(one, name):
                return getattr(one, name)()
        raise TypeError(f"a {type(one).__name__} is no value of a scenario; give texts with units, numbers, lists")

    return json.dumps(value, default=plain)


def _property(field: Dict[str, Any]) -> property:
    pointer, group, name = field["pointer"], field["group"], field["name"]

    def get(self: Any) -> Any:
        return json.loads(self._job.value(pointer))

    def put(self: Any, value: Any) -> None:
        self._job.set_document(to_json({group: {name: value}} if group else {name: value}))

    return property(get, put, doc=field_text(field))


class Group:
    """One group of a scenario's fields: `scenario.loader`. Reading a field gives its value, or its default."""

    __slots__ = ("_job",)
    _name = ""

    def __init__(self, job: Any) -> None:
        object.__setattr__(self, "_job", job)

    def __setattr__(self, name: str, value: Any) -> None:
        known = getattr(type(self), name, None)
        if isinstance(known, property):
            object.__setattr__(self, name, value)
        else:  # the core says which name is near
            self._job.set_document(to_json({self._name: {name: value}}))

    def __iter__(self) -> Iterator[str]:
        return (field["name"] for field in GROUP_FIELDS[self._name])

    def update(self, **values: Any) -> None:
        """Sets several fields; none where anything is wrong."""
        self._job.set_document(to_json({self._name: values}))

    def to_dict(self) -> Dict[str, Any]:
        """What was given of this group."""
        given: Dict[str, Any] = json.loads(self._job.given()).get(self._name, {})
        return given

    def __repr__(self) -> str:
        return f"<{self._name} of a scenario: {self.to_dict()}>"


def _group_class(name: str) -> Type[Group]:
    members: Dict[str, Any] = {"__slots__": (), "_name": name, "__doc__": f"The fields {name}.* of a scenario."}
    members.update({field["name"]: _property(field) for field in GROUP_FIELDS[name]})
    return type(name.title().replace("_", ""), (Group,), members)


GROUPS: Dict[str, Type[Group]] = {name: _group_class(name) for name in GROUP_FIELDS}


def _group_property(name: str) -> property:
    def get(self: Any) -> Group:
        return GROUPS[name](self._job)

    def put(self: Any, value: Any) -> None:
        self._job.replace_group(name, to_json({name: value}))

    return property(get, put, doc=f"The fields {name}.*: {', '.join(f['name'] for f in GROUP_FIELDS[name])}.")


class ScenarioFields:
    """What a scenario has of fields; `stallcast.Scenario` is what to use."""

    _job: Any

    def _make(self, given: Optional[Dict[str, Any]]) -> None:
        raise NotImplementedError


for _field in TOP:
    setattr(ScenarioFields, _field["name"], _property(_field))
for _name in GROUPS:
    setattr(ScenarioFields, _name, _group_property(_name))

SIGNATURE = inspect.Signature(
    [inspect.Parameter("fields", inspect.Parameter.POSITIONAL_ONLY, default=None)]
    + [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
        for name in [*(field["name"] for field in TOP), *GROUPS]
    ]
)
