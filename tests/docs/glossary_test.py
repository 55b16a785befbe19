"""No retired word of docs/glossary.md stands in what people read: outputs, help, reports, documentation.

    STALLCAST_PROGRAM=build/release/cli/stallcast python3 tests/docs/glossary_test.py -v
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ["STALLCAST_PROGRAM"]).resolve()
GLOSSARY = ROOT / "docs" / "glossary.md"
SCENARIOS = ROOT / "scenarios"
# One scenario each for what a text can say: stalls, no length, weeks with interruptions, concurrent jobs, serving.
OUTPUTS = [
    ("simulate", "02_headline_gcs.json"),
    ("simulate", "21_uncertain_inputs.json", "--inputs", "point"),
    ("simulate", "strategies/1_naive_s3.json", "--inputs", "point"),
    ("simulate", "weeks/llama3_405b.json", "--inputs", "point"),
    ("simulate", "weeks/training_beside_serving.json"),
    ("simulate", "weeks/serving_alone.json"),
    ("explain", "05_resnet50_jpeg.json", "--inputs", "point"),
    ("size", "22_a3_storage_choice.json", "--inputs", "point"),
    ("size", "22_a3_storage_choice.json", "--inputs", "point", "--min-utilization", "0.9999"),
    ("compare", "01_headline_parallelstore.json", "02_headline_gcs.json"),
    ("sensitivity", "21_uncertain_inputs.json"),
    ("report", "03_resnet50_parallelstore.json", "--format", "md", "-o", "-"),
]


def retired():
    """Patterns of the table of retired words, with what to write instead."""
    _, _, table = GLOSSARY.read_text(encoding="utf-8").partition("## Retired words")
    rows = re.findall(r"^\| `(.+)` \| (.+) \|$", table, re.MULTILINE)
    return [(re.compile(rf"\b(?:{pattern})\b".replace(r"\|", "|"), re.IGNORECASE), instead) for pattern, instead in rows]


def prose(text):
    """Without what is an identifier: code in backticks, paths, options, fields and JSON keys, addresses."""
    text = re.sub(r"`[^`\n]*`", " ", text)
    text = re.sub(r"\]\([^)\s]*\)", "] ", text)
    text = re.sub(r"https?://\S+", " ", text)
    return re.sub(r"\S*[a-z0-9][_/.][a-z0-9]\S*", " ", text)


def found_in(where, text):
    text = re.sub(r"\s+", " ", prose(text))
    out = []
    for pattern, instead in retired():
        for match in pattern.finditer(text):
            out.append(f"{where}: \"{text[max(0, match.start() - 40):match.end() + 30]}\": write {instead}")
    return out


def run(words, folder=None):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, cwd=folder, stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


class Words(unittest.TestCase):
    def test_the_table_finds_what_it_retires(self):
        self.assertGreater(len(retired()), 15)
        self.assertTrue(found_in("here", "Calendar, mean of 100 drawn"))
        self.assertTrue(found_in("here", "a later batch is\n   ready, the next is not"))
        self.assertTrue(found_in("here", "the cheapest that keeps the target"))
        self.assertFalse(found_in("here", "`run_timeline.ettr` and core/timeline/run_timeline.h of training that was kept"))

    def test_help(self):
        commands = [()] + [(name,) for name in re.findall(r"^  ([a-z][a-z-]*)  +[A-Z]", run(["--help"]), re.MULTILINE)]
        self.assertGreater(len(commands), 15)
        problems = [p for command in commands for p in found_in(" ".join(command), run([*command, "--help"]))]
        problems += found_in("alone", run([]))
        problems += found_in("schema", run(["schema"]).replace('"', " "))
        self.assertFalse(problems, "\n" + "\n".join(problems))

    def test_pages(self):
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), SCENARIOS / "README.md"]
        problems = []
        for page in pages:
            text = page.read_text(encoding="utf-8")
            if page == GLOSSARY:
                text = text.partition("## Retired words")[0]
            problems += found_in(page.name, text)
        self.assertFalse(problems, "\n" + "\n".join(problems))


class Outputs(unittest.TestCase):
    def test_outputs(self):
        def output(words):
            with tempfile.TemporaryDirectory() as folder:
                paths = [str(SCENARIOS / word) if word.endswith(".json") else word for word in words]
                return found_in(" ".join(words[:2]), run(paths, folder))

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            problems = [problem for out in pool.map(output, OUTPUTS) for problem in out]
        self.assertFalse(problems, "\n" + "\n".join(problems))


if __name__ == "__main__":
    unittest.main()
