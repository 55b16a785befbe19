"""The suite, short: every row is measured or left out for a reason, every check holds, and the JSON and tables have them.

    STALLCAST_BUILD=build/release python3 tests/benchmarks/suite_test.py
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import rows
from tables import short, tables

SUITE = Path(__file__).with_name("suite.py")


def run_suite(*arguments):
    """Exit status, JSON and what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "benchmark.json"
        done = subprocess.run([sys.executable, SUITE, "--build", os.environ["STALLCAST_BUILD"], "-o", out, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(done.stderr)
        return done.returncode, json.loads(out.read_text(encoding="utf-8")), done.stdout


class Suite(unittest.TestCase):
    def test_a_short_run_has_every_row_and_right_numbers(self):
        status, result, printed = run_suite("--quick")
        self.assertEqual(status, 0)
        keys = [(row["model"], row["engine"]) for row in result["rows"] + result["left_out"]]
        self.assertCountEqual(keys, [(row.model, row.engine) for row in rows.all_rows()])
        self.assertFalse([row for row in result["left_out"] if row["failed"]])
        for row in result["rows"]:
            self.assertTrue(row["check"]["low"] <= row["check"]["value"] <= row["check"]["high"], row)
            self.assertAlmostEqual(row["rate"] * row["wall_s"] / row["items"], 1.0, 3, row)
        own = {row["model"]: row for row in result["rows"] if row["engine"] == "stallcast"}
        self.assertGreaterEqual(own.keys(), {"M/M/1", "loader, 512 ranks", "headline scenario, 32 GPUs"})
        self.assertIn(short(own["M/M/1"]["rate"]), printed)
        self.assertTrue(result["machine"]["compiler"])

    def test_rows_can_be_chosen(self):
        status, result, _ = run_suite("--quick", "--only", "^M/M/1, stallcast$")
        self.assertEqual((status, [row["engine"] for row in result["rows"]]), (0, ["stallcast"]))
        self.assertEqual({row["reason"] for row in result["left_out"]}, {"not asked for"})

    def test_what_cannot_be_run_is_said_at_once(self):
        for wrong, said in ((("--only", "("), "no regular expression"), (("--only", "no such row"), "matches none of"),
                            (("-o", "/no/such/folder/file.json"), "there is no folder /no/such/folder")):
            done = subprocess.run([sys.executable, SUITE, "--build", os.environ["STALLCAST_BUILD"], *wrong],
                                  stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr.splitlines()[-1])


class Tables(unittest.TestCase):
    def test_a_line_per_model_and_a_column_per_engine(self):
        def row(model, engine, rate):
            return {"model": model, "engine": engine, "unit": "events", "rate": rate}

        self.assertEqual(tables([row("a", "SimPy", 512.0), row("a", "stallcast", 41.36e6), row("b", "stallcast", 1e9)]),
                         "| per second of wall time |        | stallcast | SimPy |\n"
                         "| ----------------------- | ------ | --------- | ----- |\n"
                         "| a                       | events | 41.4 M    | 512   |\n"
                         "| b                       | events | 1 G       |       |")


class Checks(unittest.TestCase):
    def test_wrong_numbers_are_told_from_right_ones(self):
        check = rows.sojourn(1_000_000)  # 4 of 0.0274 from 4
        self.assertEqual([check.holds(value) for value in (3.88, 3.90, 4.10, 4.12)], [False, True, True, False])
        # 64 ranks x 31 steps x 32 samples x 150 kB / 2 GB/s = 4.76 s, whatever a step takes
        for step_ms in (5, 50):
            self.assertEqual([rows.simulated(64, 31, step_ms).holds(value) for value in (4.7, 4.8, 5.2, 5.3)],
                             [False, True, True, False])
        # One rank: 2,000 steps of 50 ms, or of the 6.3 ms that eight workers take for a batch, after a first one.
        for step_ms, values in ((50, (98, 100.05, 111)), (5, (10.0, 12.65, 14.0))):
            self.assertEqual([rows.simulated(1, 2000, step_ms).holds(value) for value in values], [False, True, False])


if __name__ == "__main__":
    unittest.main()
