"""Markdown of what was measured: a line per model, a column per engine."""

QUEUE_ENGINES = ("4-ary heap", "binary heap", "pairing heap", "calendar queue")
ENGINES = ("bound", "stallcast", "SimGrid", "SystemC", "ns-3", "SimPy")


def short(rate):
    """Three digits: 41.4 M, 58.1 k, 25.6 G."""
    for factor, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if rate >= factor:
            return f"{float(f'{rate / factor:.3g}'):g}{letter}"
    return f"{float(f'{rate:.3g}'):g}"


def table(rows, engines):
    rates = {}
    for row in rows:
        rates.setdefault((row["model"], row["unit"]), {})[row["engine"]] = short(row["rate"])
    engines = [engine for engine in engines if any(engine in found for found in rates.values())]
    lines = [["per second of wall time", "", *engines]]
    lines += [[model, unit, *(found.get(engine, "") for engine in engines)] for (model, unit), found in rates.items()]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines)


def tables(rows):
    """Models, then queues on recorded streams."""
    streams = {row["model"] for row in rows if row["engine"] in QUEUE_ENGINES}
    models = [row for row in rows if row["model"] not in streams]
    queues = [row for row in rows if row["model"] in streams]
    return "\n\n".join(table(part, engines) for part, engines in
                       ((models, ENGINES), (queues, ("stallcast", *QUEUE_ENGINES))) if part)
