"""Under the address sanitizer: a thousand random scenarios created, changed, simulated and dropped leave nothing behind
that nobody points to. Python itself leaves some at its end; what counts is memory that this package's module asked for.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent


def leaks_of(*command):
    """Of a run of Python: the reported leaks that were allocated by way of the module."""
    with tempfile.TemporaryDirectory() as folder:
        # Every object by itself, so that none hides in a pool of Python's; a report is no failure by itself.
        env = {**os.environ, "PYTHONMALLOC": "malloc",
               "ASAN_OPTIONS": f"detect_leaks=1:exitcode=0:log_path={folder}/report:fast_unwind_on_malloc=0"}  # fmt: skip
        done = subprocess.run([sys.executable, *command], env=env, capture_output=True, text=True)
        reports = "".join(path.read_text(errors="replace") for path in pathlib.Path(folder).glob("report*"))
    found = [part for part in reports.split("\n\n") if " leak of " in part and "_core.cpython" in part]
    return done, reports, found


class Leaks(unittest.TestCase):
    def test_a_thousand_random_scenarios_leak_nothing(self):
        done, reports, found = leaks_of(HERE / "robustness_test.py", "Robustness.test_random_scenarios")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("OK", done.stderr)
        self.assertNotIn("ERROR: AddressSanitizer", reports)
        print(f"{reports.count(' leak of ')} leaks of Python and what it loads, {len(found)} of the module")
        self.assertEqual(found, [])

    def test_a_leak_would_be_seen(self):
        _, reports, _ = leaks_of("-c", "import ctypes, stallcast; ctypes.CDLL(None).malloc(12345)")
        self.assertIn(" leak of 12345 byte", reports)


if __name__ == "__main__":
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):
        print("skipped: the module was not built with the address sanitizer")
        sys.exit(77)
    unittest.main()
