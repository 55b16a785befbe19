"""Every public function has an example in its documentation, and the examples do what they say."""

import doctest
import inspect
import unittest

import stallcast
from stallcast import _catalogue, _commands, _errors, _scenario

MODULES = [stallcast, _catalogue, _commands, _errors, _scenario]
try:
    import stallcast.torch
    MODULES.append(stallcast.torch)
except ImportError:
    print("no torch: the examples of stallcast.torch are left out")


class Doctests(unittest.TestCase):
    def test_every_public_function_has_one(self):
        for name in stallcast.__all__:
            thing = getattr(stallcast, name)
            if inspect.isfunction(thing):
                self.assertIn(">>>", thing.__doc__ or "", name)

    def test_they_run(self):
        examples = 0
        for module in MODULES:
            result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
            self.assertEqual(result.failed, 0, module.__name__)
            examples += result.attempted
        self.assertGreater(examples, 25)


if __name__ == "__main__":
    unittest.main()
