"""Prints one table of the peers' JSON lines and of Google Benchmark's JSON. Arguments: the two files."""

import json
import sys

CHECKS = ("mean_sojourn", "simulated_s")  # counters of stallcast's benchmark that the peers print too


def read_rows(lines_path, benchmark_path):
    with open(lines_path) as lines:
        rows = [json.loads(line) for line in lines if line.startswith("{")]
    with open(benchmark_path) as text:
        own = text.read()
    for entry in json.loads(own)["benchmarks"] if own.strip() else []:
        if "items_per_second" in entry:
            checks = [f"{name} {entry[name]:.4g}" for name in CHECKS if name in entry]
            rows.append({"engine": "stallcast", "model": entry["name"],
                         "item": "events" if "MM1" in entry["name"] else "samples",
                         "items_per_s": entry["items_per_second"], "check": ", ".join(checks)})
    return rows


def main():
    rows = [("engine", "model", "per wall second", "simulated")]
    for row in read_rows(sys.argv[1], sys.argv[2]):
        rows.append((row["engine"], row["model"], f"{row['items_per_s']:,.0f} {row['item']}", row["check"]))
    rows.insert(1, ("---",) * 4)
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")


main()
