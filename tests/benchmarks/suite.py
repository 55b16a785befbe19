"""Measures stallcast, other engines on the same models, and what the machine allows; scripts/benchmark builds it all first.

One JSON object goes to a file, tables in Markdown to standard output. Ends with 1 when a program fails or a model gets its check wrong.
"""

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import rows
from sources import ROOT, Context
from tables import tables


def first_line(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0] if done.stdout else ""


def machine(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE)[1]
    model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return {"cpu": model[1] if model else platform.processor(), "cores": os.cpu_count(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "system": platform.platform(),
            "compiler": first_line(compiler, "--version")}


def name_of(row):
    return f"{row.model}, {row.engine}"


def why_not(row, context, only):
    if not only.search(name_of(row)):
        return "not asked for"
    return "slow" if context.quick and row.slow else row.source.missing(context)


def measure(row, context):
    measured = row.source.measure(context)
    check = {"name": row.check.name, "value": measured.check, "low": row.check.low, "high": row.check.high,
             "holds": row.check.holds(measured.check)}
    return {"model": row.model, "engine": row.engine, "unit": row.unit, "items": round(measured.items),
            "wall_s": measured.wall_s, "rate": measured.rate, "check": check}


def record_streams(context):
    recorder = context.program("stallcast_record_streams")
    if recorder.exists() and not context.quick:
        context.output_of([recorder, context.work, ROOT / rows.HEADLINE])


def run(context, only):
    """Rows, and what was left out for which reason."""
    record_streams(context)
    measured, left_out = [], []
    for row in rows.all_rows():
        reason, failed = why_not(row, context, only), False
        if not reason:
            print(f"measuring {name_of(row)}", file=sys.stderr, flush=True)
            try:
                measured.append(measure(row, context))
                continue
            except (RuntimeError, OSError, LookupError, ValueError, subprocess.TimeoutExpired) as error:
                reason, failed = repr(error), True  # the other rows are still worth having
        left_out.append({"model": row.model, "engine": row.engine, "reason": reason, "failed": failed})
    return measured, left_out


def write(path, text):
    """All of it or nothing."""
    with tempfile.NamedTemporaryFile("w", dir=path.resolve().parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def pattern(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from error


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/benchmark", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="each row once and short, slow rows left out")
    parser.add_argument("--only", type=pattern, default="", metavar="REGEX", help='rows whose "MODEL, ENGINE" matches')
    parser.add_argument("-o", dest="out", type=Path, default=ROOT / "build" / "benchmark.json", metavar="FILE",
                        help="JSON with everything measured; build/benchmark.json when not given")
    parser.add_argument("--around", default="", metavar="COMMAND", help='runs each program, as in "taskset -c 1"')
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    names = [name_of(row) for row in rows.all_rows()]
    if not any(options.only.search(name) for name in names):
        parser.error(f"--only {options.only.pattern!r} matches none of {len(names)} rows, as {names[0]!r} is one")
    if not options.out.resolve().parent.is_dir():
        parser.error(f"-o {options.out}: there is no folder {options.out.resolve().parent}")
    return options


def main():
    options = parse(sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="stallcast-benchmark-") as work:
        context = Context(options.build.resolve(), Path(work), options.quick, options.around)
        measured, left_out = run(context, options.only)
    result = {"format_version": 1, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "git_revision": first_line("git", "describe", "--always", "--dirty"), "quick": options.quick,
              "machine": machine(context.build), "rows": measured, "left_out": left_out}
    write(options.out, json.dumps(result, indent=1) + "\n")
    print(tables(measured))
    print(f"All of it, with checks and what was left out: {options.out}", file=sys.stderr)
    wrong = [row for row in measured if not row["check"]["holds"]] + [row for row in left_out if row["failed"]]
    for row in wrong:
        print(f"wrong: {row['model']}, {row['engine']}: {row.get('check') or row['reason']}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
