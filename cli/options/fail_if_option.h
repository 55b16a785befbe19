// --fail-if: conditions on a result that end a command with an exit code of their own.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/shell/environment.h"
#include "core/plan/evaluate/assertion.h"

namespace stallcast {

using FailIfTexts = std::vector<std::string>;

void add_fail_if_option(CLI::App& command, FailIfTexts& texts);
void add_fail_if_option(CLI::App& command, FailIfTexts& texts, const std::string& help);

// The conditions; with an error there are none and findings are printed. `shape` has every key that the result may
// have; null where only the result can say.
std::optional<std::vector<Assertion>> read_fail_if(const FailIfTexts& texts, const nlohmann::ordered_json& shape,
                                                   const Environment& environment);

// Looks at a result that has been written, and says on standard error which conditions hold: kExitFine when none does.
// A number that is not known is no number that is good enough: its condition counts as true. kExitTargetsNotMet when
// one holds, kExitBadInput when a path is none of the result's, kExitWorldTrouble when the command was interrupted: no
// part of a run is judged. `name` says whose result it is, where there are
// several. `checked`: the paths are known to be good (read_fail_if() with a shape); a key that is missing is then not
// known.
struct FailIfSubject {
  std::string_view name = {};
  bool checked = true;
};
int fail_if_code(const std::vector<Assertion>& conditions, const nlohmann::ordered_json& document,
                 const FailIfSubject& subject, const Environment& environment);

}  // namespace stallcast
