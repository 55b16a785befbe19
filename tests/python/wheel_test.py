"""`pip install .` without network: a wheel from the build folder at hand, installed into an empty virtual environment,
where the README's three lines run."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(os.environ["STALLCAST_SOURCE"])
BUILD = pathlib.Path(os.environ["STALLCAST_BUILD"])
sys.path.insert(0, str(SOURCE / "python/backend"))
import stallcast_backend  # noqa: E402


def bare_environment():
    """Without what this test itself was given, and with no network for pip."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


class Wheel(unittest.TestCase):
    def install_tree(self, tree):
        """What the backend's build gives, from the build folder that is there already: a build of its own takes as long
        as that of everything."""
        subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", tree, "--strip"], check=True,
                       capture_output=True)  # fmt: skip
        for found in list(tree.rglob("stallcast")):
            if (found / "__init__.py").exists() and found.parent != tree:
                shutil.move(str(found), tree / "stallcast")
        shutil.rmtree(tree / "lib", ignore_errors=True)
        for data in ("models", "scenarios"):
            shutil.copytree(SOURCE / data, tree / "stallcast" / data, dirs_exist_ok=True)

    def test_readme_lines_run_in_an_empty_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            tree = work / "tree"
            self.install_tree(tree)
            tag = stallcast_backend._tag()
            stallcast_backend._write_metadata(tree / f"stallcast-{stallcast_backend._version()}.dist-info", tag)
            wheel = work / f"stallcast-{stallcast_backend._version()}-{tag}.whl"
            stallcast_backend._zip(tree, wheel)
            names = zipfile.ZipFile(wheel).namelist()
            for wanted in ("stallcast/py.typed", "stallcast/_groups.pyi", "stallcast/models/workloads/resnet50.json",
                           "stallcast/torch.py", "stallcast/_recorder.py"):
                self.assertIn(wanted, names)
            subprocess.run([sys.executable, "-m", "venv", work / "env"], check=True)
            python = work / "env/bin/python"
            subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True, env=bare_environment())
            lines = re.search(r"```python\n(import stallcast\n.*?)```", (SOURCE / "README.md").read_text(), re.S).group(1)
            self.assertEqual(len(lines.splitlines()), 3)
            done = subprocess.run([python, "-c", lines], cwd=work, env=bare_environment(), capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.strip())

    def test_the_backend_is_what_pip_asks_for(self):
        self.assertEqual(stallcast_backend.get_requires_for_build_wheel(), [])
        with tempfile.TemporaryDirectory() as folder:
            # Metadata come without a build; pip would build the wheel for them, and once more for itself.
            info = pathlib.Path(folder) / stallcast_backend.prepare_metadata_for_build_wheel(folder)
            self.assertEqual((info / "METADATA").read_text(), stallcast_backend._metadata())
        with tempfile.TemporaryDirectory() as folder:
            name = stallcast_backend.build_sdist(folder)
            import tarfile
            names = tarfile.open(pathlib.Path(folder) / name).getnames()
            root = name[: -len(".tar.gz")]
            for wanted in ("PKG-INFO", "pyproject.toml", "CMakeLists.txt", "python/stallcast/__init__.py"):
                self.assertIn(f"{root}/{wanted}", names)


if __name__ == "__main__":
    unittest.main()
