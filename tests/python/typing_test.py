"""The package, its stubs and the notebooks satisfy mypy --strict; a wrong name or type does not."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["STALLCAST_SOURCE"])
PACKAGE = pathlib.Path(importlib.util.find_spec("stallcast").origin).parent


def mypy(*paths):
    # What is missing on a machine (pandas, tqdm, a framework) is no mistake of ours.
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--follow-imports=silent",
         "--cache-dir", CACHE.name, *map(str, paths)],
        capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})  # fmt: skip


CACHE = tempfile.TemporaryDirectory()


class Typing(unittest.TestCase):
    def test_package_and_stubs(self):
        files = [p for p in sorted(PACKAGE.glob("*.py*")) if p.suffix in (".py", ".pyi") and p.name != "_recorder.py"]
        files = [p for p in files if not (p.suffix == ".py" and p.with_suffix(".pyi").exists())]
        self.assertIn("_groups.pyi", [p.name for p in files])
        done = mypy(*files)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_notebooks(self):
        books = sorted((SOURCE / "python/notebooks").glob("*.py"))
        if importlib.util.find_spec("torch") is None:
            # Without torch's types mypy cannot say what a subclass of its Dataset is.
            books = [book for book in books if "torch" not in book.read_text()]
        self.assertTrue(books)
        done = mypy(*books)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def errors_of(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "snippet.py"
            path.write_text("import stallcast\njob = stallcast.Scenario()\n" + text + "\n")
            return [line for line in mypy(path).stdout.splitlines() if "error" in line]

    def test_what_is_right_and_what_is_wrong(self):
        right = [
            "job.loader.num_workers = 8",
            "job.workload.step_time = '200 ms'",
            "job.loader.update(num_workers=8)",
            "x: float = stallcast.simulate(job).gpu_utilization.mean",
            "stallcast.simulate({'loader': {'num_workers': 1}}, set='loader.num_workers=2', progress=True)",
        ]
        wrong = [
            "job.loader.num_worker = 8",
            "job.loader.num_workers = 'eight'",
            "job.loader.update(num_worker=8)",
            "job.dataset.layout = 'folder'",
            "x: str = stallcast.simulate(job).gpu_utilization.mean",
            "stallcast.simulate(job).gpu_utilisation",
            "stallcast.simulate(job, seeds=3)",
        ]
        for text in right:
            self.assertEqual(self.errors_of(text), [], text)
        for text in wrong:
            self.assertNotEqual(self.errors_of(text), [], text)


if __name__ == "__main__":
    if subprocess.run([sys.executable, "-c", "import mypy"], capture_output=True).returncode != 0:
        print("skipped: no mypy (on Debian: apt-get install python3-mypy)")
        sys.exit(77)
    unittest.main()
