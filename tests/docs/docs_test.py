"""Runs every command of README.md and docs/*.md, and follows every link in them. How a page says what a command prints
is told in pages.py.

    STALLCAST_PROGRAM=build/release/cli/stallcast python3 tests/docs/docs_test.py -v
    STALLCAST_PROGRAM=... python3 tests/docs/docs_test.py --refresh [PAGE...]    writes what is printed now into the
                                                                                 pages; look at git diff
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from matching import first_difference, refreshed
from pages import GivenFile, Page

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ["STALLCAST_PROGRAM"]).resolve()
LONGEST_S = 900  # of one command, on a busy machine
# What a page may run. Anything else has to be marked as not run.
HARMLESS = {"stallcast", "python3", "head", "cut"}
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
MENTION = re.compile(r"`(stallcast(?: [^`]*)?)`")


def page_paths():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


class Folder:
    """Where the commands of one page run."""

    def __init__(self, path):
        self.path = path
        (path / "bin").mkdir()
        (path / "bin" / "stallcast").symlink_to(PROGRAM)
        self.work = path / "work"
        self.work.mkdir()
        shutil.copytree(ROOT / "scenarios", self.work / "scenarios")
        for name in ("models", "tests"):
            (self.work / name).symlink_to(ROOT / name)
        unwanted = {"STALLCAST_CATALOGUE", "COLUMNS"}
        self.environment = {k: v for k, v in os.environ.items() if k not in unwanted}
        self.environment |= {"PATH": f"{path / 'bin'}:{os.environ['PATH']}", "HOME": str(path), "LC_ALL": "C.UTF-8"}

    def write(self, given):
        target = self.work / given.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(given.text, encoding="utf-8")

    def run(self, command):
        """Status, and the lines it printed."""
        done = subprocess.run(["bash", "-c", command], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LONGEST_S, check=False)
        lines = [line.rstrip() for line in done.stdout.decode("utf-8").split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        return done.returncode, lines


class Outcome:
    """What running a page gave."""

    def __init__(self, page):
        self.page, self.ran, self.not_run, self.problems, self.slowest, self.new = page, 0, [], [], (0.0, ""), []


def run_page(path):
    page = Page.read(path)
    out = Outcome(page)
    with tempfile.TemporaryDirectory(prefix="stallcast-docs-") as temporary:
        folder = Folder(Path(temporary))
        for block, part in page.parts():
            if isinstance(part, GivenFile):
                folder.write(part)
            elif part.not_run:
                out.not_run.append(f"{path.name}:{part.line + 1}: {part.text} ({part.not_run})")
            else:
                run_command(folder, out, block, part)
    return out


def run_command(folder, out, block, command):
    where = f"{out.page.path.name}:{command.line + 1}: {command.text}"
    if command.text.split()[0] not in HARMLESS:
        out.problems.append(f"{where}\n  is none of {', '.join(sorted(HARMLESS))}; mark it <!-- not run: REASON -->")
        return
    started = time.monotonic()
    status, printed = folder.run(command.text)
    out.ran += 1
    out.slowest = max(out.slowest, (time.monotonic() - started, command.text))
    expected = command.expected(out.page.lines, block.indent)
    while expected and not expected[-1]:
        expected.pop()
    if status != command.status:
        out.problems.append(f"{where}\n  ends with {status}, not {command.status}: {' | '.join(printed[-3:])}")
        return
    difference = first_difference(expected, printed)
    if difference:
        out.problems.append(f"{where}\n  {difference}")
        new = [(" " * block.indent + line).rstrip() for line in refreshed(expected, printed)]
        out.new.append((command.first, command.first + len(expected), new))


class Documentation(unittest.TestCase):
    def test_commands_print_what_the_pages_say(self):
        started = time.monotonic()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            outcomes = list(pool.map(run_page, page_paths()))
        for line in (line for outcome in outcomes for line in outcome.not_run):
            print(f"not run: {line}")
        slowest = max(outcome.slowest for outcome in outcomes)
        print(f"{sum(outcome.ran for outcome in outcomes)} commands in {time.monotonic() - started:.0f} s; "
              f"the longest took {slowest[0]:.1f} s: {slowest[1]}")
        problems = [problem for outcome in outcomes for problem in outcome.problems]
        self.assertFalse(problems, "\n" + "\n".join(problems) + "\nIf the program is right: docs_test.py --refresh")

    def test_links_lead_somewhere(self):
        broken = []
        for path in page_paths():
            for number, line in Page.read(path).prose():
                for target in LINK.findall(line):
                    if not re.match(r"[a-z]+:", target) and not leads_somewhere(path, target):
                        broken.append(f"{path.name}:{number + 1}: {target}")
        self.assertFalse(broken, "\n" + "\n".join(broken))

    def test_drawings_are_what_their_script_draws(self):
        with tempfile.TemporaryDirectory() as temporary:
            subprocess.run([sys.executable, ROOT / "scripts" / "draw_mechanisms.py", temporary], check=True)
            drawn = {path.name: path.read_bytes() for path in Path(temporary).glob("*.svg")}
        kept = {path.name: path.read_bytes() for path in (ROOT / "docs" / "mechanisms").glob("*.svg")}
        self.assertTrue(drawn == kept, "scripts/draw_mechanisms.py draws them anew")

    def test_fields_are_those_of_the_schema(self):
        kept = (ROOT / "docs" / "fields.md").read_text(encoding="utf-8")
        self.assertTrue(kept == fields_page(), "docs/fields.md: docs_test.py --refresh")

    def test_every_page_is_in_the_contents(self):
        contents = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
        missing = [p.name for p in page_paths()[1:] if p.name != "README.md" and f"]({p.name})" not in contents]
        self.assertFalse(missing)

    def test_commands_named_in_sentences_exist(self):
        known, unknown = Known(), []
        for path in page_paths():
            for number, line in Page.read(path).prose():
                for mention in MENTION.findall(line):
                    wrong = known.wrong_in(mention)
                    if wrong:
                        unknown.append(f"{path.name}:{number + 1}: {mention}: {wrong}")
        self.assertFalse(unknown, "\n" + "\n".join(unknown))

    def test_every_figure_of_a_result_is_defined(self):
        text = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
        defined = set(re.findall(r"^\| `([^`]+)`", text, re.MULTILINE))
        names = {name for scenario in RESULTS for name in figure_names(result_of(scenario))}
        # What a job, and a storage, has beside others is defined where a single one has it.
        missing = [n for n in names if not {n, n.removeprefix("jobs[]."), n.removeprefix("storage.")} & defined]
        self.assertFalse(sorted(missing), "docs/figures.md has no row for these")


def leads_somewhere(page, target):
    name, _, fragment = target.partition("#")
    path = (page.parent / name).resolve() if name else page
    if not path.exists():
        return False
    return not fragment or path.suffix != ".md" or fragment in Page.read(path).anchors()


def fields_page():
    schema = subprocess.run([PROGRAM, "schema"], capture_output=True, check=True).stdout
    script = ROOT / "scripts" / "write_field_reference.py"
    return subprocess.run([sys.executable, script], input=schema, capture_output=True, check=True).stdout.decode("utf-8")


class Known:
    """Subcommands and their options, as --help tells them."""

    def __init__(self):
        self.help = {}

    def of(self, words):
        if words not in self.help:
            done = subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=False)
            self.help[words] = done.stdout
        return self.help[words]

    def wrong_in(self, mention):
        words = mention.split()[1:]
        command = ()
        if words[:1] == ["help"]:
            del words[0]
        while words and re.match(r"[a-z]+$", words[0]) and self.is_subcommand(command, words[0]):
            command += (words.pop(0),)
        if not command and words and re.match(r"[a-z]+$", words[0]):
            return f"no subcommand {words[0]}"
        options = [re.split(r"[=\]]", word.lstrip("["))[0] for word in words if word.lstrip("[").startswith("--")]
        absent = [option for option in options if not re.search(rf"{re.escape(option)}\b", self.of(command))]
        return f"no option {absent[0]}" if absent else ""

    def is_subcommand(self, command, word):
        # Commands stand below their groups, names alone in the first column.
        return re.search(rf"^  {word}\b(?!=)", self.of(command), re.MULTILINE) is not None


# Together they have every part that a result can have.
RESULTS = ["21_uncertain_inputs", "strategies/3_local_nvme_copy", "weeks/llama3_405b", "weeks/spot_training",
           "weeks/serving_alone", "weeks/training_beside_serving"]
# Explained in words, or in other pages.
NOT_FIGURES = {"scenario", "provenance", "catalogue", "calendar"}


def result_of(scenario):
    done = subprocess.run([PROGRAM, "simulate", ROOT / "scenarios" / f"{scenario}.json", "--format", "json"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def figure_names(value, name=""):
    """Paths of the figures of a result; what is per cause, per kind of interruption or an estimate counts as one."""
    if isinstance(value, dict) and not {"mean", "ci95_low"} <= value.keys():
        for key, inner in value.items():
            if key in NOT_FIGURES or (name, key) == ("jobs[]", "alone"):
                continue
            part = "CAUSE" if name.endswith(("lost_time_fraction", "lost_gpu_s", "cost.by_cause")) else key
            part = {"run_timeline.interruptions": "KIND", "run_timeline.wall_time": "PART",
                    "regimes[].served_fraction": "LEVEL"}.get(name, part)
            yield from figure_names(inner, f"{name}.{part}" if name else part)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from figure_names(value[0], f"{name}[]")
    else:
        yield name


def refresh(names):
    (ROOT / "docs" / "fields.md").write_text(fields_page(), encoding="utf-8")
    paths = [path for path in page_paths() if not names or path.name in names]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(run_page, paths))
    for outcome in outcomes:
        for first, end, new in reversed(outcome.new):
            outcome.page.lines[first:end] = new
        outcome.page.path.write_text("\n".join(outcome.page.lines), encoding="utf-8")
        for problem in outcome.problems:
            print(problem)


if __name__ == "__main__":
    if "--refresh" in sys.argv:
        refresh([word for word in sys.argv[1:] if word != "--refresh"])
    else:
        unittest.main()
