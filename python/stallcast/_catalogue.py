"""The records that scenarios may name: machines, storage tiers, workloads, loaders."""

from __future__ import annotations

import datetime
import json
import os
import threading
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _core
from ._errors import Finding, _finding

PathText = Union[str, "os.PathLike[str]"]


def _records() -> str:
    """Where the shipped records are: $STALLCAST_MODELS, those inside this package, or "" for the system's."""
    if os.environ.get("STALLCAST_MODELS"):
        return ""
    inside = Path(__file__).parent / "models"
    return str(inside) if inside.is_dir() else ""


class Catalogue:
    """The shipped records with overlays of your own over them; the last overlay wins.

    `catalogue()` gives the one that every call uses that names none.

    >>> import stallcast
    >>> records = stallcast.Catalogue()
    >>> "parallelstore" in records.names("tier")
    True
    >>> print(records.show("parallelstore").splitlines()[0])
    tier/parallelstore: Google Cloud Parallelstore (legacy: by invitation only; Google points new users to Managed Lustre)
    """

    def __init__(self, overlays: Sequence[PathText] = (), *, directory: Optional[PathText] = None) -> None:
        where = _records() if directory is None else os.fspath(directory)
        self._core = _core.Catalogue.load(where, [os.fspath(overlay) for overlay in overlays])

    @property
    def directory(self) -> str:
        """Where the shipped records are."""
        return self._core.directory

    @property
    def overlays(self) -> List[str]:
        """The folders over it; the last wins."""
        return self._core.overlays

    @property
    def hash(self) -> str:
        """Of the names and bytes of all files: equal hashes, equal records."""
        return self._core.hash

    @property
    def warnings(self) -> List[Finding]:
        """What is doubtful about the records that were read."""
        return [_finding(one) for one in self._core.warnings]

    def list(self, kind: str = "", provider: str = "") -> List[Dict[str, Any]]:
        """What `stallcast catalogue list` shows: kind, name, provider, what it sells, title."""
        if kind and kind not in _core.record_kinds():
            raise ValueError(f"no kind {kind!r}; kinds are {', '.join(_core.record_kinds())}")
        rows: List[Dict[str, Any]] = json.loads(self._core.list(kind, provider))
        return rows

    def names(self, kind: str = "") -> List[str]:
        """The names of all records, or of those of one kind."""
        return [str(row["name"]) for row in self.list(kind)]

    def show(self, name: str) -> str:
        """One record as text, every number with its source; "tier/NAME" where two kinds share a name."""
        return self._core.show(name)

    def check(self, today: Optional[str] = None) -> Dict[str, Any]:
        """Numbers without a source, old sources, slips of units: what `stallcast catalogue check` finds."""
        date = datetime.date.fromisoformat(today) if today else datetime.date.today()
        found: Dict[str, Any] = json.loads(self._core.check(date.isoformat()))
        return found

    def to_dataframe(self, kind: str = "", provider: str = "") -> Any:
        """`list` as a pandas DataFrame."""
        from ._results import _pandas

        return _pandas().DataFrame(self.list(kind, provider))

    def __repr__(self) -> str:
        over = f" under {', '.join(self.overlays)}" if self.overlays else ""
        return f"<stallcast.Catalogue of {len(self.list())} records{over}>"


_default: Optional[Catalogue] = None
_default_of: Optional[tuple[Optional[str], Optional[str]]] = None
_default_lock = threading.Lock()


def catalogue(reload: bool = False) -> Catalogue:
    """The shipped records under the overlays of $STALLCAST_CATALOGUE, read once.

    Read again when one of the two environment variables has changed, or with `reload`: files that change while
    Python runs are not looked at again by themselves.

    >>> import stallcast
    >>> stallcast.catalogue() is stallcast.catalogue()
    True
    """
    global _default, _default_of
    now = (os.environ.get("STALLCAST_MODELS"), os.environ.get("STALLCAST_CATALOGUE"))
    with _default_lock:
        if _default is None or _default_of != now or reload:
            _default, _default_of = Catalogue(), now
        return _default
