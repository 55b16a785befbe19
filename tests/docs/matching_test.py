"""What agrees with a page and what does not, and what a refresh writes."""

import unittest

from matching import first_difference, refreshed
from pages import Page, anchor, blocks_of, commands_of

PRINTED = ["head", "one 1.5 s", "two", "three 3", "end"]


class Matching(unittest.TestCase):
    def agrees(self, *expected):
        return first_difference(list(expected), PRINTED) is None

    def test_dots_stand_for_lines_and_for_characters(self):
        self.assertTrue(self.agrees("head", "one ... s", "...", "end"))
        self.assertTrue(self.agrees("...", "two", "three 3", "..."))
        self.assertTrue(self.agrees(*PRINTED))
        self.assertTrue(self.agrees())

    def test_what_is_not_printed_differs(self):
        self.assertFalse(self.agrees("head", "...", "four", "..."))
        self.assertFalse(self.agrees("head", "one 1.6 s", "..."))
        self.assertFalse(self.agrees("...", "three 3", "two", "..."))  # in another order
        self.assertFalse(self.agrees("head", "two", "..."))  # without dots for what is between
        self.assertFalse(self.agrees("one ...", "..."))  # not at the start
        self.assertFalse(self.agrees("...", "three 3"))  # not at the end
        self.assertFalse(self.agrees("head"))  # more is printed

    def test_words_after_dots_may_be_on_another_line(self):
        page = ["Searched     40 points in ...: 3 of", "             them simulated.", "Cost         2"]
        for printed, agrees in [
                (["Searched     40 points in 8 s: 3 of", "             them simulated.", "Cost         2"], True),
                (["Searched     40 points in 1.5 min: 3", "             of them simulated.", "Cost         2"], True),
                (["Searched     40 points in 1.5 min: 3", "             of them", "             simulated.",
                  "Cost         2"], True),
                (["Searched     40 points in 8 s: 3 of them simulated.", "Cost         2"], True),
                (["Searched     40 points in 1.5 min: 4", "             of them simulated.", "Cost         2"], False),
                (["Searched     40 points in 8 s: 3 of", "             them simulated.", "Cost         3"], False),
                (["Searched     41 points in 8 s: 3 of", "             them simulated.", "Cost         2"], False),
                (["Searched     40 points in 8 s: 3 of", "them simulated.", "Cost         2"], False)]:
            self.assertEqual(first_difference(page, printed) is None, agrees, printed)
            self.assertEqual(first_difference(["...", *page], ["head", *printed]) is None, agrees, printed)
            self.assertEqual(first_difference(["head", *page, "..."], ["head", *printed, "end"]) is None, agrees)
        self.assertIsNotNone(first_difference(["Searched     40 points", "             in all"],
                                              ["Searched     40", "             points in all"]))  # without dots

    def test_a_refresh_changes_what_differs_and_agrees_afterwards(self):
        expected = ["head", "one ... s", "...", "three 2", "..."]
        self.assertEqual(refreshed(expected, PRINTED), ["head", "one ... s", "...", "three 3", "..."])
        self.assertEqual(refreshed(["???"], PRINTED), PRINTED)
        self.assertEqual(refreshed(["...", "three 2"], PRINTED), ["...", "three 3", "..."])

    def test_blocks_have_their_notes_and_commands(self):
        lines = ["<!-- exit: 4 -->", "```console", "$ stallcast a \\", "    b", "out", "$ stallcast c", "```", "text",
                 "<!-- not run: far -->", "", "    $ stallcast d", "    out"]
        blocks = list(blocks_of(lines))
        commands = [command for block in blocks for command in commands_of(lines, block)]
        self.assertEqual([(c.text, c.status, c.not_run) for c in commands],
                         [("stallcast a b", 4, ""), ("stallcast c", 4, ""), ("stallcast d", 0, "far")])
        self.assertEqual(commands[0].expected(lines, 0), ["out"])
        self.assertEqual(Page(None, lines, blocks).prose()[-1], (9, ""))

    def test_anchors_are_those_of_code_hosts(self):
        self.assertEqual(anchor("Weeks: checkpoints and failures"), "weeks-checkpoints-and-failures")
        self.assertEqual(anchor("The search of `size`"), "the-search-of-size")


if __name__ == "__main__":
    unittest.main()
