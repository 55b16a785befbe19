#!/usr/bin/env python3
"""Predicts every run of measured.jsonl from one of them, as a user would: calibrate, then other numbers of workers.

    predict.py [--program build/release/cli/stallcast] [--from-workers 4]

Prints what was measured and what is said of it. Its only other inputs are the name of the GPU and the steps that a run
happened to have.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(HERE.parents[2] / "build" / "release" / "cli" / "stallcast"))
    parser.add_argument("--from-workers", type=int, default=4)
    given = parser.parse_args()
    runs = [json.loads(line) for line in (HERE / "measured.jsonl").read_text().splitlines()]
    runs = [run for run in runs if run["id"].startswith("resnet50 ")]
    one = next(run for run in runs if run["config"]["num_workers"] == given.from_workers)
    with tempfile.TemporaryDirectory() as folder:
        job, record, calibrated = (pathlib.Path(folder) / name for name in ("job.json", "run.jsonl", "calibrated.json"))
        job.write_text('{"format_version": 2, "cluster": {"gpu": "h100-80gb-sxm"}}')
        record.write_text(json.dumps(one) + "\n")
        subprocess.run([given.program, "calibrate", job, "--record", record, "-o", calibrated], check=True,
                       capture_output=True)  # fmt: skip
        print("workers   GPU busy, whole run     once started            samples/s")
        for run in runs:
            workers, seen = run["config"]["num_workers"], run["outputs"]
            said = json.loads(subprocess.run(
                [given.program, "simulate", calibrated, "--set", f"loader.num_workers={workers}", "--set",
                 f"run.steps_per_epoch={seen['steps']}", "--set", "run.epochs=1", "--format", "json"],
                check=True, capture_output=True, text=True).stdout)  # fmt: skip
            whole, steady = said["gpu_utilization"]["mean"], said["gpu_utilization_steady"]["mean"]
            print(f"{workers:7} {100 * seen['au']:8.1f} said {100 * whole:5.1f} % {100 * seen['au_steady']:8.1f} said "
                  f"{100 * steady:5.1f} % {seen['samples_per_s']:8.0f} said {said['samples_per_s']:5.0f}")  # fmt: skip


if __name__ == "__main__":
    main()
