// What a command sees of the world: where its result and its messages go, and when to stop.
#pragma once

#include <iosfwd>
#include <stop_token>

#include "core/report/words/text_layout.h"

namespace stallcast {

// Exit codes that scripts depend on.
enum ExitCode : int {
  kExitFine = 0,
  kExitOurBug = 1,
  kExitBadInput = 2,
  kExitWorldTrouble = 3,
  kExitTargetsNotMet = 4,
};

struct Environment {
  std::ostream& out;             // the result and nothing else
  std::ostream& err;             // findings and progress
  bool err_is_terminal = false;  // progress is shown
  std::istream* in = nullptr;    // answers of a person, where there is one
  TextStyle style = {};          // of text on `out`
  std::stop_token stop = {};     // when requested, commands end early with what they have
};

}  // namespace stallcast
