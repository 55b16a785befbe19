"""What the package uses of scripts/stallcast_recorder.py, which lies beside it under this name."""

from typing import Any, Optional

def usable_cores() -> float: ...

class Recorder:
    path: str
    def __init__(
        self,
        path: str,
        name: Optional[str] = None,
        repeat: int = 0,
        flush_s: float = 10.0,
        overhead: Any = None,
    ) -> None: ...
    def watch(self, loader: Any, measure: bool = False) -> Any: ...
    def measure_loader(self, loader: Any = None, seconds: float = 8.0) -> Any: ...
    def close(self) -> None: ...
