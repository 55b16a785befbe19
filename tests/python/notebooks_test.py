"""The notebooks run from start to end, and what they say holds: their own assertions."""

import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import unittest

NOTEBOOKS = sorted((pathlib.Path(os.environ["STALLCAST_SOURCE"]) / "python/notebooks").glob("*.py"))


class Notebooks(unittest.TestCase):
    def test_there_are_three_in_percent_format(self):
        self.assertEqual(len(NOTEBOOKS), 3)
        for path in NOTEBOOKS:
            cells = path.read_text().split("\n# %%")
            self.assertGreater(len(cells), 5, path.name)
            self.assertTrue(cells[1].startswith(" [markdown]"), path.name)

    def test_they_run(self):
        for path in NOTEBOOKS:
            with self.subTest(path.name), tempfile.TemporaryDirectory() as folder:
                if "import torch" in path.read_text():
                    if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode != 0:
                        print(f"{path.name}: left out, no torch")
                        continue
                here = os.getcwd()
                os.chdir(folder)
                try:
                    runpy.run_path(str(path), run_name="__main__")
                finally:
                    os.chdir(here)


if __name__ == "__main__":
    unittest.main()
