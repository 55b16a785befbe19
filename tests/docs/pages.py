"""Pages of documentation as the test reads them: their commands, files, links and headings.

A command stands in a block fenced as ```console (README.md: indented by four spaces) in a line that starts with "$ ".
The lines below it are what it prints, standard output and standard error together:

    no line        the output is not looked at
    ...            alone in a line: any lines, or none
    50 ...         within a line: any characters
    \\              at the end of a command: it goes on in the next line

A comment before a block says what is special about it:

    <!-- not run: REASON -->     listed and left out: needs a network, another program, root, or measures the machine
    <!-- exit: 4 -->             every command of the block ends with this status, not with 0
    <!-- file: my/job.json -->   a block of any kind that is no command: a file, written before the commands that follow

Commands of a page run one after the other in one empty folder, which has `scenarios/`, `models/` and `tests/`.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

COMMENT = re.compile(r"<!--\s*(not run|exit|file):\s*(.*?)\s*-->\s*$")
FENCE = re.compile(r"^```(\w*)\s*$")


@dataclass
class Command:
    text: str  # for a shell
    line: int  # of the page, from 0
    first: int  # first line of its output, and the one after the last
    end: int
    status: int = 0
    not_run: str = ""  # the reason

    def expected(self, lines, indent):
        return [line[indent:].rstrip() for line in lines[self.first : self.end]]


@dataclass
class GivenFile:
    name: str
    text: str


@dataclass
class Block:
    language: str
    first: int  # lines within, and the one after the last
    end: int
    indent: int = 0
    notes: dict = field(default_factory=dict)


@dataclass
class Page:
    path: Path
    lines: list
    blocks: list

    @staticmethod
    def read(path):
        lines = path.read_text(encoding="utf-8").split("\n")
        return Page(path, lines, list(blocks_of(lines)))

    def parts(self):
        """Files and commands in order, each with its block."""
        for block in self.blocks:
            if "file" in block.notes:
                text = "\n".join(line[block.indent :] for line in self.lines[block.first : block.end]) + "\n"
                yield block, GivenFile(block.notes["file"], text)
            elif block.language in ("console", "indented"):
                for command in commands_of(self.lines, block):
                    yield block, command

    def prose(self):
        """Text without blocks, line by line."""
        inside = {i for block in self.blocks for i in range(block.first - 1, block.end + 1) if block.language != "indented"}
        inside |= {i for block in self.blocks for i in range(block.first, block.end)}
        return [(i, line) for i, line in enumerate(self.lines) if i not in inside]

    def anchors(self):
        return {anchor(line.lstrip("#").strip()) for _, line in self.prose() if line.startswith("#")}


def blocks_of(lines):
    notes, i = {}, 0
    while i < len(lines):
        line = lines[i]
        fence = FENCE.match(line)
        if fence:
            end = next(j for j in range(i + 1, len(lines)) if lines[j].strip() == "```")
            yield Block(fence[1], i + 1, end, 0, notes)
            notes, i = {}, end + 1
        elif line.startswith("    $ ") and not lines[i - 1].strip():
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            yield Block("indented", i, end, 4, notes)
            notes, i = {}, end
        else:
            note = COMMENT.match(line)
            if note:
                notes[note[1]] = note[2]
            elif line.strip():
                notes = {}
            i += 1


def commands_of(lines, block):
    i = block.first
    while i < block.end:
        line = lines[i][block.indent :]
        assert line.startswith("$ "), f"line {i + 1}: a block of commands starts with '$ '"
        start, text = i, line[2:]
        while text.endswith("\\"):
            i += 1
            text = text[:-1] + lines[i].strip()
        i += 1
        first = i
        while i < block.end and not lines[i][block.indent :].startswith("$ "):
            i += 1
        yield Command(text, start, first, i, int(block.notes.get("exit", 0)), block.notes.get("not run", ""))


def anchor(heading):
    """As code hosts make it from a heading."""
    text = re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
