// What people published of runs of theirs: inputs as far as they stated them, and an outcome that is known.
//
// A file is one JSON object: "case" (its name), "source" ("title", "url", "read": the day), "stated" and "not_stated"
// (lists of sentences), "basis" ("stated": nothing but stated inputs and the catalogue; "calibrated": one unknown was
// set from another figure of the same source), "scenario" (as a scenario file) or "not_expressible" (why there can be
// none), and "outcomes": [{"figure", "known", "known_low", "known_high", "note"}].
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/diagnostics/finding.h"

namespace stallcast {

struct KnownOutcome {
  std::string figure;                        // its path in the JSON result: "regimes[1].samples_per_s"
  double known = 0.0;                        // in the base units of the figure
  double known_low = 0.0, known_high = 0.0;  // both `known` where the source gives one number
  std::string note;
};

struct PublishedCase {
  std::string name, title, url, read;
  std::vector<std::string> stated, not_stated;
  bool calibrated = false;
  std::string not_expressible;      // why there is no scenario, "" where there is one
  nlohmann::ordered_json scenario;  // null where there is none
  std::vector<KnownOutcome> outcomes;
};

// **Errors** WorldError when it cannot be read; findings for what is wrong in it, all at once.
Loaded<PublishedCase> load_published_case(const std::filesystem::path& path);

// Every *.json of a directory, by name.
Loaded<std::vector<PublishedCase>> load_published_cases(const std::filesystem::path& directory);

}  // namespace stallcast
