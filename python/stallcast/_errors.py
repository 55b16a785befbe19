"""What goes wrong, as exceptions that carry it as data."""

from __future__ import annotations

import warnings as _warnings
from dataclasses import dataclass
from typing import Any, Iterable, List, Mapping


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with an input, or doubtful: where, what was read, what is allowed, what to write."""

    severity: str
    code: str
    file: str
    pointer: str
    got: str
    allowed: str
    fix: str
    why: str
    text: str

    def __str__(self) -> str:
        return self.text


class StallcastError(Exception):
    """All exceptions of this package."""


class InputError(StallcastError, ValueError):
    """An input is wrong. The message is what the command line prints; `findings` has the same as data.

    >>> import stallcast
    >>> try:
    ...     stallcast.Scenario(loader={"num_worker": 8})
    ... except stallcast.InputError as error:
    ...     print(error.findings[0].code, error.findings[0].pointer)
    unknown_key /loader/num_worker
    """

    findings: List[Finding]

    def __init__(self, findings: Iterable[Mapping[str, Any]]) -> None:
        self.findings = [_finding(one) for one in findings]
        super().__init__("\n".join(finding.text for finding in self.findings))

    def __reduce__(self) -> Any:  # so that it comes back from worker processes
        return type(self), ([vars(finding) for finding in self.findings],)


class WorldError(StallcastError, OSError):
    """A file, a folder or a device does not do what it should."""


class BugError(StallcastError, RuntimeError):
    """A mistake of stallcast itself, which no input should be able to cause. Please report it."""


class ScenarioWarning(UserWarning):
    """Something in a scenario is doubtful. `Result.warnings` has the same as data."""


def _finding(one: Mapping[str, Any]) -> Finding:
    return Finding(**{name: str(value) for name, value in one.items()})


def _warn(findings: Iterable[Mapping[str, Any]], stacklevel: int = 3) -> List[Finding]:
    """Hands warnings to Python's own machinery, on behalf of whoever called the function that calls this."""
    found = [_finding(one) for one in findings]
    for finding in found:
        _warnings.warn(finding.text, ScenarioWarning, stacklevel=stacklevel)
    return found
