"""What a page says a command prints, beside what it prints."""

import difflib
import re

ANY = "..."


def line_pattern(expected):
    return re.compile(".*".join(re.escape(part) for part in expected.split(ANY)))


def same_line(expected, printed):
    return line_pattern(expected).fullmatch(printed) is not None


def segments_of(expected):
    """Runs of lines between lines that stand for anything."""
    out = [[]]
    for line in expected:
        if line.strip() == ANY:
            out.append([])
        else:
            out[-1].append(line)
    return out


def first_difference(expected, printed):
    """None where they agree; else the first line of a run that is not found, in words."""
    if not expected:
        return None
    runs, at = segments_of(expected), 0
    for k, run in enumerate(runs):
        ends_here = k > 0 and k == len(runs) - 1 and run
        starts = [0] if k == 0 else range(at, len(printed) + 1)
        ends = (end_of(run, printed, start) for start in starts)
        end = next((end for end in ends if end is not None and (end == len(printed) or not ends_here)), None)
        if end is None:
            where = 0 if k == 0 else len(printed) - len(run) if ends_here else best_start(run, printed, at)
            return describe(run, printed, where)
        at = end
    if len(runs) == 1 and at != len(printed):
        return f"prints more: {printed[at]!r}"
    return None


def end_of(run, printed, start):
    """Where the lines of `run` end in what is printed from `start` on; None where they are not those."""
    at = start
    for sentence in sentences_of(run):
        # What dots stand for may be longer than it was when the page was written, and the words after it further on.
        counts = [len(sentence)] if ANY not in sentence[0] else [len(sentence), len(sentence) + 1, len(sentence) - 1]
        count = next((n for n in counts if n > 0 and is_same(sentence, printed[at : at + n], n)), None)
        if count is None:
            return None
        at += count
    return at


def is_same(sentence, printed, count):
    if len(printed) < count or not all(map(goes_on, printed[1:])):
        return False
    return same_line(" ".join([sentence[0], *map(str.strip, sentence[1:])]),
                     " ".join([printed[0], *map(str.strip, printed[1:])]))


def goes_on(line):
    """Whether a line continues the sentence of the one before, below its text and not below its label."""
    return re.match(" {12,}[^ ]", line) is not None


def sentences_of(run):
    """Each line by itself; one with dots inside together with the lines that it goes on in."""
    out = []
    for line in run:
        if out and ANY in out[-1][0] and goes_on(line):
            out[-1].append(line)
        else:
            out.append([line])
    return out


def describe(run, printed, start):
    for k, line in enumerate(run):
        got = printed[start + k] if 0 <= start + k < len(printed) else None
        if got is None or not same_line(line, got):
            return f"the page has {line!r}, the program {'nothing' if got is None else repr(got)}"
    return f"{run[0]!r} is not at the end"


def likeness(a, b):
    """0 to 1; figures count less than words, since they are what changes."""
    return difflib.SequenceMatcher(None, re.sub(r"\d", "0", a), re.sub(r"\d", "0", b), autojunk=False).ratio()


def best_start(run, printed, at):
    starts = range(at, max(at, len(printed) - len(run)) + 1)
    return max(starts, key=lambda s: sum(map(likeness, run, printed[s : s + len(run)])))


def refreshed(expected, printed):
    """`expected` with what the program now prints: each run of lines moves to where the output is most like it, and
    dots stand for what comes after the last."""
    if not expected or first_difference(expected, printed) is None:
        return expected
    runs, at, out = segments_of(expected), 0, []
    if len(runs) == 1:
        return merged(expected, printed)
    for k, run in enumerate(runs):
        if k > 0:
            out.append(ANY)
        if not run:
            continue
        start = 0 if k == 0 else best_start(run, printed, at)
        new = printed[start : start + len(run)]
        out += [old if same_line(old, now) else without_time(now) for old, now in zip(run, new)]
        at = start + len(new)
    if runs[-1] and at < len(printed):
        out.append(ANY)
    return out


def merged(expected, printed):
    """The whole output, with the dots that a line had where it still fits."""
    kept = {now: old for now in printed for old in expected if ANY in old and same_line(old, now)}
    return [kept.get(now, without_time(now)) for now in printed]


def without_time(line):
    """How long it took to compute is another time each time."""
    return re.sub(r"simulated in [\d.]+ \w+\.?$", "simulated in " + ANY, line)
