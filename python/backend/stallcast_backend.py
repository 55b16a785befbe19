"""Builds a wheel of the Python package with CMake, from a source tree and what the system has, without network.

The hooks of PEP 517. Settings: `pip install . -C cmake=-DNAME=VALUE` gives options to CMake, and `-C jobs=N` says how
many compilers run at once. $STALLCAST_PYTHON_BUILD names a build folder to keep, so that a second time is quick.
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EPOCH = (1980, 1, 1, 0, 0, 0)  # of every file in a wheel, so that the same build gives the same bytes


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without it pip asks for a whole wheel to read its metadata, and then builds it a second time."""
    folder = pathlib.Path(metadata_directory) / f"stallcast-{_version()}.dist-info"
    _write_metadata(folder, _tag())
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory(prefix="stallcast-wheel-") as scratch:
        tree = pathlib.Path(scratch) / "tree"
        _build(tree, pathlib.Path(os.environ.get("STALLCAST_PYTHON_BUILD") or pathlib.Path(scratch) / "build"),
               config_settings or {})  # fmt: skip
        tag = _tag()
        _write_metadata(tree / f"stallcast-{_version()}.dist-info", tag)
        name = f"stallcast-{_version()}-{tag}.whl"
        _zip(tree, pathlib.Path(wheel_directory) / name)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files that git has, or all of the tree where it is no repository."""
    base = f"stallcast-{_version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode == 0:
        files = [name for name in os.fsdecode(listed.stdout).split("\0") if name]
    else:
        files = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file() and "build" not in path.parts]
    with tempfile.TemporaryDirectory(prefix="stallcast-sdist-") as scratch:
        info = pathlib.Path(scratch) / "PKG-INFO"
        info.write_text(_metadata(), encoding="utf-8")
        with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
            for name in sorted(files):
                if (ROOT / name).exists():
                    archive.add(ROOT / name, f"{base}/{name}", recursive=False)
            archive.add(info, f"{base}/PKG-INFO")
    return f"{base}.tar.gz"


def _build(tree, build, settings):
    given = settings.get("cmake", [])
    # The build that people run, as the README has it.
    _run("cmake", "--preset", "release", "-S", ROOT, "-B", build, "-DSTALLCAST_TESTS=OFF", "-DSTALLCAST_BENCHMARKS=OFF",
         "-DSTALLCAST_PYTHON=ON", "-DSTALLCAST_PYTHON_DIR=.", "-DSTALLCAST_PYTHON_DATA=ON",
         f"-DPython_EXECUTABLE={sys.executable}", *([given] if isinstance(given, str) else given))  # fmt: skip
    _run("cmake", "--build", build, "--target", "stallcast_python_package", "--parallel",
         settings.get("jobs") or os.cpu_count() or 1)  # fmt: skip
    _run("cmake", "--install", build, "--component", "python", "--prefix", tree, "--strip")


def _run(*command):
    words = [str(word) for word in command]
    try:
        subprocess.run(words, check=True, cwd=ROOT)
    except FileNotFoundError:
        raise SystemExit(f"stallcast: {words[0]} is not installed; scripts/setup.sh lists what building takes") from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"stallcast: {' '.join(words[:3])} ... ended with {error.returncode}; see above") from None


def _version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(stallcast VERSION ([0-9.]+)", text).group(1)


def _tag():
    """This Python and this system: the module holds code for both."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _metadata():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return "\n".join([
        "Metadata-Version: 2.1", "Name: stallcast", f"Version: {_version()}",
        "Summary: Cost and capacity planning for GPU training", "License: Apache-2.0", "Requires-Python: >=3.9",
        "Provides-Extra: tables", "Requires-Dist: pandas; extra == 'tables'",
        "Provides-Extra: progress", "Requires-Dist: tqdm; extra == 'progress'",
        "Provides-Extra: torch", "Requires-Dist: torch>=1.13; extra == 'torch'",
        "Description-Content-Type: text/markdown", "", readme])  # fmt: skip


def _write_metadata(folder, tag):
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata(), encoding="utf-8")
    (folder / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: stallcast {_version()}\nRoot-Is-Purelib: false\nTag: {tag}\n", encoding="utf-8")
    for name in ("LICENSE", "packaging/third_party_notices.txt"):
        shutil.copy(ROOT / name, folder)


def _zip(tree, path):
    """The files of `tree`, each with its hash in RECORD, as the wheel format asks."""
    record = f"{next(tree.glob('*.dist-info')).name}/RECORD"
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(p for p in tree.rglob("*") if p.is_file()):
            name = file.relative_to(tree).as_posix()
            data = file.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}")
            _add(archive, name, data)
        _add(archive, record, ("\n".join([*lines, f"{record},,"]) + "\n").encode())


def _add(archive, name, data):
    info = zipfile.ZipInfo(name, EPOCH)
    info.external_attr = 0o644 << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)
