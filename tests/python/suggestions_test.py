"""What stallcast.torch.suggest decides from trials: replayed where tests/python/suggest_on_datasets.py has left its
measurements (tests/validation/suggest/measured.json), and on rates made up for one behaviour each."""

import json
import os
import pathlib
import statistics
import sys
import unittest

try:
    import torch  # noqa: F401
except ImportError:
    print("skipped: no torch for this Python (on Debian: apt-get install python3-torch)")
    sys.exit(77)

from stallcast import torch as suggesting
from stallcast.torch import Tried

SOURCE = pathlib.Path(os.environ["STALLCAST_SOURCE"])
MEASURED = SOURCE / "tests/validation/suggest/measured.json"
DATASETS = json.loads(MEASURED.read_text(encoding="utf-8"))["datasets"] if MEASURED.exists() else []
REACHED = 0.95


def setting(one):
    return one["num_workers"], one["prefetch_factor"]


def levels(found):
    """As the harness has them: the median over the rounds, each relative to the middle of its settings."""
    rates = {setting(one): one["samples_per_s"] for one in found}
    rounds = [statistics.median(found) for found in zip(*rates.values())]
    return {one: statistics.median(rounds) * statistics.median(rate / of for rate, of in zip(found, rounds))
            for one, found in rates.items()}  # fmt: skip


def predicted(dataset):
    return [Tried(*setting(one), one["predicted_samples_per_s"]) for one in dataset["looked_at"]]


def chosen(predictions, trials):
    return suggesting._fewest_of_the_best(suggesting._with_trials(predictions, trials)).setting


def rate_with(dataset, workers):
    """As measured; between two numbers of workers that were measured, on the line between them."""
    all_levels = {**levels(dataset["measured"]), **levels(dataset["finals"])}  # those near the best in more rounds
    rates = {one[0]: rate for one, rate in all_levels.items() if one[1] == 2}
    fewer = max(count for count in rates if count <= workers)
    more = min((count for count in rates if count >= workers), default=fewer)
    share = (workers - fewer) / (more - fewer) if more > fewer else 0.0
    return rates[fewer] + share * (rates[more] - rates[fewer])


class Clock:
    """Goes on by as much as each trial is given."""

    def __init__(self, rate):
        self.rate, self.now = rate, 0.0

    def trial(self, asked, seconds):
        self.now += seconds
        return self.rate(asked)

    def tried_out(self, predictions, seconds=15.0):
        return suggesting._tried_out(predictions, (0, 2), self.trial, seconds, lambda: self.now)


@unittest.skipIf(not DATASETS, "nothing measured is kept; tests/python/suggest_on_datasets.py -o measures")
class SuggestionsOnDatasets(unittest.TestCase):
    def test_what_was_chosen_reached_95_percent_of_the_best_in_eleven_of_twelve(self):
        self.assertEqual(len(DATASETS), 12)
        for one in DATASETS:
            found = levels(one["finals"])
            self.assertAlmostEqual(one["reached"], found[setting(one["chosen"])] / max(found.values()), places=3)
        self.assertGreaterEqual(sum(one["reached"] >= REACHED for one in DATASETS), 11)

    def test_the_same_trials_lead_to_the_same_choice(self):
        for one in DATASETS:
            trials = {setting(tried): tuple(tried["tried_samples_per_s"]) for tried in one["looked_at"]
                      if tried["tried_samples_per_s"]}  # fmt: skip
            self.assertEqual(chosen(predicted(one), trials), setting(one["chosen"]), one["dataset"])

    def test_trials_that_give_what_was_measured_lead_to_the_best(self):
        reached = {}
        for one in DATASETS:
            workers = chosen(predicted(one), Clock(lambda asked: rate_with(one, asked[0])).tried_out(predicted(one)))[0]
            most = max(rate_with(one, count) for count in range(33))
            reached[one["dataset"]] = rate_with(one, workers) / most
        self.assertGreaterEqual(sum(share >= REACHED for share in reached.values()), 11, reached)


class Suggestions(unittest.TestCase):
    def test_a_wrong_prediction_is_left_behind(self):
        # Predicted: one worker is enough. Measured: each adds a hundred, up to five: one neighbour after the other.
        predictions = [Tried(count, 2, 500.0 if count == 1 else 400.0) for count in range(9)]
        trials = Clock(lambda asked: 100.0 * (1 + min(asked[0], 5))).tried_out(predictions)
        self.assertEqual(chosen(predictions, trials), (5, 2))

    def test_a_slow_moment_drops_no_setting(self):
        # Two workers are the best; their first trial meets a slow moment of the machine.
        rates = {0: 50.0, 1: 80.0, 2: 100.0, 3: 90.0, 4: 90.0}
        slow = [(2, 2)]
        clock = Clock(lambda asked: 10.0 if asked in slow and slow.remove(asked) is None else rates[asked[0]])
        predictions = [Tried(count, 2, rates[count]) for count in range(5)]
        trials = clock.tried_out(predictions)
        self.assertEqual(slow, [])
        self.assertEqual(chosen(predictions, trials), (2, 2))

    def test_a_slow_round_speaks_for_nobody(self):
        # By hand: the second round is half as fast. The third has only the two best, and is as fast as the first; the
        # rates of 2 and 4 workers are 100 and 110 in a round of middling speed, however few of theirs are slow.
        trials = {(1, 2): (50.0, 25.0, None), (2, 2): (100.0, 50.0, 100.0), (4, 2): (110.0, 55.0, 110.0)}
        self.assertEqual(suggesting._speeds(trials), [1.0, 0.5, 1.0])
        self.assertEqual(suggesting._levels(trials), {(1, 2): 50.0, (2, 2): 100.0, (4, 2): 110.0})


    def test_trials_that_agree_decide_and_luck_does_not(self):
        # Predicted: two workers reach all there is.
        predictions = [Tried(0, 2, 40.0), Tried(1, 2, 55.0), Tried(2, 2, 100.0), Tried(4, 2, 100.0)]
        quiet = {(2, 2): (100.0, 100.5, 99.5), (4, 2): (110.0, 110.5, 109.5), (1, 2): (60.0, 60.0, 60.0)}
        self.assertEqual(chosen(predictions, quiet), (4, 2))
        # The same middle rates, and trials that differ by a half: 10 % more is luck then.
        noisy = {(2, 2): (100.0, 140.0, 70.0), (4, 2): (110.0, 70.0, 150.0), (1, 2): (60.0, 40.0, 80.0)}
        self.assertEqual(chosen(predictions, noisy), (2, 2))


if __name__ == "__main__":
    unittest.main()
