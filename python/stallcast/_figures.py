"""Marks which results have which figures. `_figures.pyi`, which the build writes from the shape of a result, names
them for editors and type checkers; while Python runs they are the members of the JSON object itself."""


class RunFigures:
    """The figures of a run: gpu_utilization, samples_per_s, cost, lost_time_fraction, and all that docs/figures.md has."""

    __slots__ = ()


class ComparisonFigures:
    """The figures of a comparison: scenarios, inputs, figures, advice."""

    __slots__ = ()
