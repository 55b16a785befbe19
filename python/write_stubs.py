#!/usr/bin/env python3
"""Writes _groups.pyi and _figures.pyi into the folder of the package, from the core's field table and the shape of a
result. The build runs it:

    write_stubs.py FOLDER_OF_THE_PACKAGE
"""

import importlib.machinery
import importlib.util
import json
import keyword
import pathlib
import sys

GROUPS_HEAD = '''"""Written by python/write_stubs.py from the table of fields. Changes are lost."""

import inspect
from typing import Any, Dict, Iterator, List, Literal, Type, TypedDict, Union

FIELDS: List[Dict[str, Any]]
TOP: List[Dict[str, Any]]
GROUP_FIELDS: Dict[str, List[Dict[str, Any]]]
GROUPS: Dict[str, Type[Group]]
SIGNATURE: inspect.Signature

def field_text(field: Dict[str, Any]) -> str: ...
def to_json(value: Any) -> str: ...

Quantity = str
Fraction = Union[float, str]
Distribution = Union[str, Dict[str, Any]]

class Group:
    def __init__(self, job: Any) -> None: ...
    def __iter__(self) -> Iterator[str]: ...
    def to_dict(self) -> Dict[str, Any]: ...
'''

FIGURES_HEAD = '''"""Written by python/write_stubs.py from the shape of a result. Changes are lost."""

from typing import Any, List, Optional

from ._results import Members, Record

class ComparisonFigures:
    complete: bool
    scenarios: List[Record]
    inputs: List[Record]
    figures: List[Record]
    advice: Record
'''


def load_core(package):
    """The compiled module by itself: the package cannot be imported before its stubs are there."""
    suffix = next(s for s in importlib.machinery.EXTENSION_SUFFIXES if (package / f"_core{s}").exists())
    spec = importlib.util.spec_from_file_location("_core", package / f"_core{suffix}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def type_of(field):
    kinds = {"text": "str", "integer": "int", "boolean": "bool", "quantity": "Quantity",
             "distribution": "Distribution", "curve": "List[Any]", "linear_cost": "Dict[str, Any]",
             "text_list": "List[str]"}  # fmt: skip
    if field["kind"] == "enum":
        return "Literal[" + ", ".join(json.dumps(word) for word in field["words"]) + "]"
    if field["kind"] == "number":
        return "Fraction" if field["is_fraction"] else "float"
    return kinds[field["kind"]]


def text_of(field):
    allowed = f" Allowed: {field['allowed']}." if field["allowed"] else ""
    text = f"{field['help']}{allowed} Default: {field['default']}."
    return text.replace("\\", "\\\\").replace('"""', "'''")


def class_name(group):
    return group.title().replace("_", "")


def properties(fields):
    for field in fields:
        kind = type_of(field)
        yield f"    @property\n    def {field['name']}(self) -> {kind}:\n        \"\"\"{text_of(field)} \"\"\"\n"
        yield f"    @{field['name']}.setter\n    def {field['name']}(self, value: {kind}) -> None: ...\n"


def write_groups(fields):
    groups = {}
    for field in fields:
        groups.setdefault(field["group"], []).append(field)
    top = groups.pop("", [])
    parts = [GROUPS_HEAD]
    for group, members in groups.items():
        name = class_name(group)
        parts.append(f"\nclass {name}Fields(TypedDict, total=False):\n")
        parts += [f"    {field['name']}: {type_of(field)}\n" for field in members]
        parts.append(f"\nclass {name}(Group):\n    \"\"\"The fields {group}.* of a scenario.\"\"\"\n\n")
        parts += properties(members)
        parts.append("    def update(\n        self,\n        *,\n")
        parts += [f"        {field['name']}: {type_of(field)} = ...,\n" for field in members]
        parts.append("    ) -> None: ...\n")
    parts.append("\nclass ScenarioFields:\n    _job: Any\n")
    parts += properties(top)
    for group in groups:
        name = class_name(group)
        parts.append(f"    @property\n    def {group}(self) -> {name}: ...\n")
        # mypy before 1.16 knows no setter of another type than the getter: a dict is given to update(), or to Scenario().
        parts.append(f"    @{group}.setter\n    def {group}(self, value: {name}) -> None: ...\n")
    return "".join(parts)


def identifier(key):
    return key + "_" if keyword.iskeyword(key) else key


def type_of_value(value, name, classes, empty):
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        kind = "float"
    elif isinstance(value, str):
        kind = "str"
    elif isinstance(value, list):
        return "List[Any]"
    elif isinstance(value, dict):
        write_class(value, name, classes, empty if isinstance(empty, dict) else None)
        kind = name
    else:
        return "Optional[float]"
    return kind if empty is not None or not isinstance(value, dict) else f"Optional[{name}]"


def write_class(members, name, classes, empty):
    """`empty` is the same of a run without anything special: what is null there may be null."""
    lines = []
    for key, value in members.items():
        if not key.isidentifier():
            continue
        bare = value if empty is None else empty.get(key)
        inner = name + class_name(key)
        lines.append(f"    {identifier(key)}: {type_of_value(value, inner, classes, bare)}\n")
    classes.append(f"\nclass {name}(Members):\n" + ("".join(lines) or "    ...\n"))


def write_figures(shape, empty):
    for untyped in ("scenario", "provenance", "assumptions", "catalogue"):
        shape.pop(untyped, None)
    classes = []
    write_class(shape, "RunFigures", classes, empty)
    more = "    assumptions: List[Record]\n" + "".join(
        f"    {name}: Record\n" for name in ("advice", "catalogue", "explanation", "fit", "provenance", "scenario"))  # fmt: skip
    return FIGURES_HEAD + "".join(classes).replace("class RunFigures(Members):\n", "class RunFigures:\n" + more)


def main():
    package = pathlib.Path(sys.argv[1])
    core = load_core(package)
    (package / "_groups.pyi").write_text(write_groups(core.fields()), encoding="utf-8")
    figures = write_figures(json.loads(core.result_shape()), json.loads(core.empty_result_shape()))
    (package / "_figures.pyi").write_text(figures, encoding="utf-8")


if __name__ == "__main__":
    main()
