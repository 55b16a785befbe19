"""One scenario gives the same JSON from Python and from the command line, byte for byte; the time it took (wall_s)
apart, which is another every time."""

import csv
import io
import datetime
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import warnings

SOURCE = pathlib.Path(os.environ["STALLCAST_SOURCE"])
os.environ["STALLCAST_MODELS"] = str(SOURCE / "models")  # the same records, under the same name
import stallcast  # noqa: E402

PROGRAM = os.environ["STALLCAST_PROGRAM"]
SCENARIOS = sorted((SOURCE / "scenarios").rglob("*.json"))
TRAINING = [path for path in SCENARIOS if '"concurrent_jobs"' not in path.read_text() and '"serving"' not in path.read_text()]
BY_NAME = {path.stem: path for path in SCENARIOS}


def said(*words, codes=(0,)):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True)
    if done.returncode not in codes:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stderr.decode()}")
    return done.stdout.decode()


def timeless(text):
    rows = list(csv.reader(io.StringIO(text))) if text[:1] not in "{[" else []
    if rows:
        kept = [at for at, name in enumerate(rows[0]) if name.split(".")[-1] != "wall_s"]
        return "\n".join(",".join(row[at] for at in kept) for row in rows)
    return re.sub(r'"wall_s": ?[-0-9.e+]+', '"wall_s": 0', text)


class SameAsCommandLine(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("ignore", stallcast.ScenarioWarning)

    def same(self, python, program):
        self.assertGreater(len(program), 100)
        if timeless(python) != timeless(program):
            self.assertEqual(timeless(python).splitlines(), timeless(program).splitlines())
        self.assertEqual(timeless(python), timeless(program))

    def test_simulate_of_every_scenario(self):
        self.assertGreater(len(SCENARIOS), 40)
        for path in SCENARIOS:
            with self.subTest(path.stem):
                result = stallcast.simulate(path, inputs="point")
                self.same(result.to_json(), said("simulate", path, "--format", "json", "--inputs", "point"))
                self.same(result.to_csv(), said("simulate", path, "--format", "csv", "--inputs", "point"))
                self.assertEqual(str(result).splitlines()[0],
                                 said("simulate", path, "--inputs", "point", "--ascii").splitlines()[0])

    def test_simulate_with_what_nobody_gave(self):
        for path in TRAINING[:8]:
            with self.subTest(path.stem):
                self.same(stallcast.simulate(path).to_json(), said("simulate", path, "--format", "json"))

    def test_a_scenario_built_in_python_is_the_file_that_it_saves(self):
        for path in TRAINING:
            with self.subTest(path.stem), tempfile.TemporaryDirectory() as folder:
                built = stallcast.Scenario(stallcast.Scenario.load(path).to_dict())
                saved = built.save(pathlib.Path(folder) / "job.json")
                self.same(stallcast.simulate(built, inputs="point").to_json(),
                          said("simulate", saved, "--format", "json", "--inputs", "point"))

    def test_options(self):
        path = BY_NAME["03_resnet50_parallelstore"]
        result = stallcast.simulate(path, set=["loader.num_workers=2", "loader.prefetch_factor=3"], seed=5, precision=0.01)
        self.same(result.to_json(), said("simulate", path, "--set", "loader.num_workers=2", "--set",
                                         "loader.prefetch_factor=3", "--seed", 5, "--precision", 0.01, "--format", "json"))

    def test_attributes_are_overrides(self):
        path = BY_NAME["03_resnet50_parallelstore"]
        job = stallcast.Scenario.load(path)
        job.loader.num_workers = 2
        self.same(stallcast.simulate(job, inputs="point").to_json(),
                  said("simulate", path, "--set", "loader.num_workers=2", "--format", "json", "--inputs", "point"))

    def test_explain(self):
        for path in TRAINING[:5]:
            with self.subTest(path.stem):
                self.same(stallcast.explain(path, inputs="point", precision=0.02).to_json(),
                          said("explain", path, "--format", "json", "--inputs", "point", "--precision", 0.02))

    def test_compare(self):
        one, other = BY_NAME["01_headline_parallelstore"], BY_NAME["02_headline_gcs"]
        result = stallcast.compare(one, other, pairs=2, precision=0.02)
        words = ["compare", one, other, "--pairs", 2, "--precision", 0.02]
        self.same(result.to_json(), said(*words, "--format", "json"))
        self.same(result.to_csv(), said(*words, "--format", "csv"))

    def test_size(self):
        path = BY_NAME["01_headline_parallelstore"]
        result = stallcast.size(path, vary="loader.num_workers=2,4,8", min_utilization=0.3, precision=0.02, top=2)
        words = ["size", path, "--vary", "loader.num_workers=2,4,8", "--min-utilization", 0.3, "--precision", 0.02, "--top", 2]
        self.same(result.to_json(), said(*words, "--format", "json", codes=(0, 4)))

    def test_sensitivity(self):
        path = BY_NAME["02_headline_gcs"]
        result = stallcast.sensitivity(path, inputs="storage.stream_bandwidth=x0.8..x1.2", samples=2, precision=0.05)
        words = ["sensitivity", path, "--input", "storage.stream_bandwidth=x0.8..x1.2", "--samples", 2, "--precision", 0.05]
        self.same(result.to_json(), said(*words, "--format", "json"))
        self.same(result.to_csv(), said(*words, "--format", "csv"))

    def test_sweep(self):
        path = BY_NAME["02_headline_gcs"]
        vary = ["loader.num_workers=2,4,8", "loader.prefetch_factor=2,4"]
        table = stallcast.sweep(path, vary=vary, precision=0.02)
        with tempfile.TemporaryDirectory() as folder:
            said("sweep", path, "--vary", vary[0], "--vary", vary[1], "--precision", 0.02, "-o", folder, "--yes")
            self.same(table.to_json_lines(), (pathlib.Path(folder) / "results.jsonl").read_text())
            self.same(table.to_csv(), (pathlib.Path(folder) / "results.csv").read_text())
            # The same space again, kept: nothing is computed, and the results are the same.
            again = stallcast.sweep(path, vary=vary, precision=0.02, directory=folder)
            self.assertEqual(again.to_json_lines(), table.to_json_lines())

    def test_diagnose(self):
        path = BY_NAME["two_workers"]
        result = stallcast.diagnose(path, observed={"it_per_s": 3})
        self.same(result.to_json(), said("diagnose", path, "--observed", "it_per_s=3", "--format", "json"))

    def test_calibrate(self):
        path = BY_NAME["14_described_by_hand"]
        records = sorted((SOURCE / "tests/validation/fio").glob("*.json"))[:12]
        self.assertGreater(len(records), 6)
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.json"
            measured = [word for record in records for word in ("--measured", record)]
            report = said("calibrate", path, *measured, "-o", out, "--format", "json")
            result = stallcast.calibrate(path, *records)
            self.same(result.to_json(), report)
            self.assertEqual(result.scenario.to_dict(), stallcast.Scenario.load(out).to_dict())

    def test_catalogue(self):
        records = stallcast.catalogue()
        self.assertEqual(records.list(), json.loads(said("catalogue", "list", "--format", "json")))
        self.assertEqual(records.show("parallelstore"), said("catalogue", "show", "parallelstore"))
        today = datetime.date(2026, 11, 21).isoformat()
        self.assertEqual(records.check(today), json.loads(said("catalogue", "check", "--today", today, "--format", "json")))

    def test_report(self):
        one, other = BY_NAME["01_headline_parallelstore"], BY_NAME["02_headline_gcs"]
        result = stallcast.report(one, other, precision=0.04)
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "report.json"
            said("report", one, other, "--precision", 0.04, "-o", out, codes=(0, 4))
            command = r'"command": "stallcast report [^"]*"'  # names the file that it was written to
            self.same(re.sub(command, "", result.to_json()), re.sub(command, "", out.read_text()))
        self.assertIn("<html", result.to_html())

    def test_messages(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "wrong.json"
            path.write_text('{"cluster": {"instance": "a3-highgpu-8", "nodes": 0}, "loader": {"num_worker": 8}}')
            done = subprocess.run([PROGRAM, "simulate", str(path)], capture_output=True, text=True)
            with self.assertRaises(stallcast.InputError) as caught:
                stallcast.simulate(path)
        self.assertEqual(str(caught.exception) + "\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
