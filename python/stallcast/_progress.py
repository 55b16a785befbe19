"""Progress of long calls: a bar of tqdm where that is installed, or a function of yours."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator, Optional, Union

Progress = Callable[[str, int, int, Optional[float]], Any]
ProgressLike = Union[None, bool, Progress]


@contextlib.contextmanager
def shown(progress: ProgressLike) -> Iterator[Optional[Progress]]:
    """What the core is to call with (what, done, wanted, gpu_utilization); wanted is 0 while nobody knows."""
    if not progress:
        yield None
    elif progress is not True:
        yield progress
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            with _line() as line:
                yield line
        else:
            with _Bar(tqdm) as bar:
                yield bar


class _Bar:
    """A bar of tqdm for each thing that is counted, one after the other."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._what = ""

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, what: str, done: int, wanted: int, utilization: Optional[float]) -> None:
        if self._bar is None or what != self._what or done < self._bar.n:
            if self._bar is not None:
                self._bar.close()
            self._bar, self._what = self._tqdm(total=wanted or None, desc=what, leave=False), what
        self._bar.total = wanted or None
        if utilization is not None:
            self._bar.set_postfix_str(f"GPU utilization {100 * utilization:.1f} %", refresh=False)
        self._bar.update(done - self._bar.n)


@contextlib.contextmanager
def _line() -> Iterator[Progress]:
    def show(what: str, done: int, wanted: int, utilization: Optional[float]) -> None:
        of = f" of {wanted}" if wanted else ""
        busy = f", GPU utilization {100 * utilization:.1f} %" if utilization is not None else ""
        print(f"\r\033[K{done}{of} {what}{busy}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
