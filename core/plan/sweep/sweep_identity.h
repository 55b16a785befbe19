// What the points of a sweep depend on: equal identities, equal points.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/diagnostics/finding.h"
#include "core/plan/space/space.h"
#include "core/plan/space/variable.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast {

struct SweepIdentity {
  std::string program_version;
  std::string scenario_hash;           // of what the file and --set give, name, description, seed and precision apart
  std::string catalogue_hash;          // CatalogueIdentity::hash
  std::vector<std::string> variables;  // "/loader/num_workers=4,8"; a long list is cut, with a hash of the whole
  std::vector<std::string> fields;     // pointers of all that varies, in the order of the space
  std::string design;                  // "full", "latin", "sobol"
  std::uint64_t design_seed = 0;       // 0 where the design has none
  std::int64_t points = 0;
  std::uint64_t seed = 0;
  double precision = 0.0;

  bool operator==(const SweepIdentity&) const = default;
};

// **Model** hashes are name-based UUIDs (SHA-1)
SweepIdentity sweep_identity(const ScenarioFile& base, const std::vector<Variable>& variables, const DesignSpec& design,
                             const Space& space, const Catalogue& catalogue);

// "full", "latin", "sobol".
std::string_view design_name(Design design);

// Members in the order of the struct, as the first line of a file of points has them.
nlohmann::ordered_json to_json(const SweepIdentity& identity);

// One finding "other_sweep" for every member in which `found`, the first line of `file`, differs from `wanted`, which
// is that of `whose` ("this sweep", or another file).
Findings identity_differences(const nlohmann::ordered_json& found, const nlohmann::ordered_json& wanted,
                              const std::string& file, const std::string& whose, const std::string& fix);

}  // namespace stallcast
