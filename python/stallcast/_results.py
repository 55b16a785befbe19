"""Results as plain objects: numbers by name, dicts, JSON, tables, charts."""

from __future__ import annotations

import csv
import html
import io
import json
import keyword
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Dict, Iterator, List, Mapping, Optional, Tuple

from ._catalogue import PathText
from ._errors import Finding, _finding

KEYWORD_SUFFIX = "_"


class Members(Mapping[str, Any]):
    """A JSON object whose members are attributes too: `members["mean"]` and `members.mean`."""

    __slots__ = ("_members",)
    _members: Any

    def __init__(self, members: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_members", members)

    def _data(self) -> Mapping[str, Any]:
        members: Mapping[str, Any] = self._members
        return members

    if not TYPE_CHECKING:  # stubs name the members, so that a checker finds a wrong name

        def __getattr__(self, name: str) -> Any:
            return self._member(name)

    def _member(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        members = self._data()
        for key in (name, name[: -len(KEYWORD_SUFFIX)] if name.endswith(KEYWORD_SUFFIX) else name):
            if key in members:
                return _wrapped(members[key])
        raise AttributeError(f"no {name!r} here; there is {', '.join(members)}")

    def __getitem__(self, key: str) -> Any:
        return _wrapped(self._data()[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._data())

    def __len__(self) -> int:
        return len(self._data())

    def __dir__(self) -> List[str]:
        names = [key + KEYWORD_SUFFIX if keyword.iskeyword(key) else key for key in self._data()]
        return [*super().__dir__(), *(name for name in names if name.isidentifier())]

    def to_dict(self) -> Dict[str, Any]:
        """The same as a dict of dicts, lists and numbers."""
        return dict(self._data())

    def __repr__(self) -> str:
        return f"Record({dict(self._data())})"


class Record(Members):
    """The same where no stub names the members."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        return self._member(name)


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [_wrapped(one) for one in value]
    return value


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_dataframe needs pandas; to_dict and to_csv work without it") from error
    return pandas


class Chart:
    """One chart of a result. Notebooks draw it; `svg`, `csv` and `vega` are the same for other tools."""

    def __init__(self, chart: Any) -> None:
        self._core = chart

    @property
    def id(self) -> str:
        """A word for file names."""
        return str(self._core.id)

    @property
    def title(self) -> str:
        """What the chart shows."""
        return str(self._core.title)

    @property
    def alt(self) -> str:
        """The same for who cannot see it, with the numbers that matter."""
        return str(self._core.alt)

    def svg(self) -> str:
        """A picture that needs nothing else, on light ground and on dark."""
        return str(self._core.svg())

    def csv(self) -> str:
        """The numbers that are drawn."""
        return str(self._core.csv())

    def vega(self) -> Dict[str, Any]:
        """A Vega-Lite specification, for Altair and other tools."""
        specification: Dict[str, Any] = json.loads(self._core.vega())
        return specification

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<stallcast.Chart {self.title!r}>"


class Result(Members):
    """What a command found out. Its JSON is that of the command line, byte for byte.

    Members of the JSON object are attributes: `result.gpu_utilization.mean`.
    """

    __slots__ = ("_answer", "_json", "warnings")
    _kept: ClassVar[Tuple[str, ...]] = ()  # of what the answer has beside JSON, CSV and text, what a pickle takes along
    _answer: Any
    _json: Optional[str]
    warnings: List[Finding]  # what is doubtful about the input

    def __init__(self, answer: Any) -> None:
        object.__setattr__(self, "_answer", answer)
        object.__setattr__(self, "_json", None)
        object.__setattr__(self, "_members", None)
        object.__setattr__(self, "warnings", [_finding(one) for one in answer.warnings])

    def _data(self) -> Mapping[str, Any]:  # read when somebody first looks
        if self._members is None:
            object.__setattr__(self, "_members", json.loads(self.to_json()))
        return super()._data()

    def to_json(self) -> str:
        """What the command prints with --format json, byte for byte."""
        if self._json is None:
            object.__setattr__(self, "_json", str(self._answer.json()))
        return str(self._json)

    def to_dict(self) -> Dict[str, Any]:
        """The JSON object as a dict."""
        members: Dict[str, Any] = json.loads(self.to_json())
        return members

    def _rows(self) -> Optional[List[Dict[str, Any]]]:
        """The rows of the table, where the command itself prints none."""
        return None

    def to_csv(self) -> str:
        """What the command prints with --format csv; where it prints none, the table of `to_dataframe`."""
        rows = self._rows()
        return str(self._answer.csv()) if rows is None else _csv(rows)

    def to_dataframe(self) -> Any:
        """The same table as a pandas DataFrame."""
        rows = self._rows()
        return _pandas().read_csv(io.StringIO(self.to_csv())) if rows is None else _pandas().json_normalize(rows)

    def save(self, path: PathText) -> Path:
        """Writes the JSON to a file; returns its path."""
        return _written(path, self.to_json())

    @property
    def charts(self) -> List[Chart]:
        """The charts that a report draws of this result."""
        return [Chart(chart) for chart in self._answer.charts()]

    def __str__(self) -> str:
        return str(self._answer.text())

    def __repr__(self) -> str:
        return f"<stallcast.{type(self).__name__}>\n{self}"

    def _repr_html_(self) -> str:
        charts = "".join(f'<div style="margin:8px 0">{chart.svg()}</div>' for chart in self.charts)
        return f'<pre style="line-height:1.3">{html.escape(str(self))}</pre>{charts}'

    def __reduce__(self) -> Any:  # what comes back has the numbers and the text, and no charts
        kept = {name: str(self._answer.special(name)) for name in self._kept}
        return _KeptAnswer.result, (type(self), self.to_json(), str(self._answer.csv()), str(self), kept)


def _flat(row: Mapping[str, Any], before: str = "") -> Dict[str, Any]:
    """Members of members by their path, "a.b", as pandas names them."""
    out: Dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict) and value:
            out.update(_flat(value, f"{before}{name}."))
        else:
            out[before + name] = json.dumps(value) if isinstance(value, (list, dict)) else value
    return out


def _csv(rows: List[Dict[str, Any]]) -> str:
    flat = [_flat(row) for row in rows]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in flat for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return out.getvalue()


class _KeptAnswer:
    """What is left of a result that was pickled."""

    def __init__(self, text_json: str, text_csv: str, text: str, kept: Mapping[str, str]) -> None:
        self._texts = (text_json, text_csv, text)
        self._kept = kept
        self.warnings: List[Mapping[str, Any]] = []
        self.core_s = 0.0

    def json(self) -> str:
        return self._texts[0]

    def csv(self) -> str:
        return self._texts[1]

    def text(self) -> str:
        return self._texts[2]

    def charts(self) -> List[Any]:
        return []

    def special(self, name: str) -> str:
        return self._kept.get(name, "")

    @staticmethod
    def result(kind: Any, text_json: str, text_csv: str, text: str, kept: Mapping[str, str]) -> Any:
        return kind(_KeptAnswer(text_json, text_csv, text, kept))


def _written(path: PathText, text: str) -> Path:
    """Complete or not at all."""
    out = Path(path)
    handle, part = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(part, 0o666 & ~umask)
        os.replace(part, out)
    except BaseException:
        os.unlink(part)
        raise
    return out
