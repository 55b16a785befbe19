// A scenario from a few answers: what was told, and what every scenario needs beside it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/first/commented_file.h"
#include "core/first/questions.h"

namespace stallcast {

struct FirstScenario {
  std::vector<CommentedValue> values;  // in the order in which they were settled
  std::string name;

  nlohmann::ordered_json document() const;  // as parse_scenario() reads it
  std::string text() const;                 // commented_file() with its heading
};

// What `told` describes. `known` are values that are known by other ways (a file of another tool, a measurement); an
// answer goes before them.
// **Model** Without `instance`, the machine of the storage's cloud with this GPU, or else a machine of one's own. A
//   model that is no record and whose name states P parameters takes 6 P operations a token (Kaplan et al. 2020,
//   arXiv 2001.08361, section 2.1), at 40 % of the GPU's peak. Provisioned storage gets the smallest size that is sold
//   and holds the dataset.
// **Errors** findings whose file is the option ("--gpus"): answers that nobody can read, names that stand for nothing,
// what is missing and cannot be assumed.
Loaded<FirstScenario> first_scenario(const Told& told, const std::vector<CommentedValue>& known,
                                     const Catalogue& catalogue);

// What is wrong with the answer `key` of `told`, whatever else is missing.
Findings wrong_answer(const std::string& key, const Told& told, const std::vector<CommentedValue>& known,
                      const Catalogue& catalogue);

}  // namespace stallcast
