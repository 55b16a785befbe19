#include "core/plan/sweep/sweep_identity.h"

#include <fmt/format.h>

#include <string_view>

#include "core/result/program_version.h"
#include "core/units/content_hash.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr std::size_t kLongestList = 300;  // characters of a variable's text that findings can show

std::string variable_text(const Variable& variable) {
  if (variable.size_factor > 0.0)
    return fmt::format("{}=valid:x{}", variable.pointer, format_number(variable.size_factor));
  if (variable.every_valid_size) return variable.pointer + "=valid";
  if (variable.values.empty())
    return fmt::format("{}={}..{}", variable.pointer, format_number(variable.low), format_number(variable.high));
  std::string text = fmt::format("{}={}", variable.pointer, fmt::join(variable.values, ","));
  if (text.size() <= kLongestList) return text;
  const std::string hash = content_hash(text);
  // Cut between values: inside one it could be in the middle of a character.
  const std::size_t shown = text.rfind(',', kLongestList);
  return fmt::format("{},... {} values, {}",
                     text.substr(0, shown == std::string::npos ? variable.pointer.size() + 1 : shown),
                     variable.values.size(), hash);
}

std::string scenario_hash(const ScenarioFile& base) {
  Scenario same = base.scenario;
  same.name.clear();
  same.description.clear();
  same.run.seed = 0;
  same.run.precision = RunSpec{}.precision;
  std::string text = scenario_to_json(same).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  // What is given is not filled in by the catalogue, though it may have the same value as what is not given.
  for (const std::string& pointer : base.given_anywhere())
    if (pointer != "/name" && pointer != "/description" && pointer != "/run/seed" && pointer != "/run/precision")
      text += "\n" + pointer;
  return content_hash(text);
}

}  // namespace

std::string_view design_name(Design design) {
  switch (design) {
    case Design::kLatinHypercube:
      return "latin";
    case Design::kSobol:
      return "sobol";
    case Design::kFull:
      break;
  }
  return "full";
}

SweepIdentity sweep_identity(const ScenarioFile& base, const std::vector<Variable>& variables, const DesignSpec& design,
                             const Space& space, const Catalogue& catalogue) {
  SweepIdentity identity;
  identity.program_version = program_version();
  identity.scenario_hash = scenario_hash(base);
  identity.catalogue_hash = catalogue.identity.hash;
  for (const Variable& variable : variables) identity.variables.push_back(variable_text(variable));
  identity.fields = space.pointers();
  identity.design = design_name(design.kind);
  identity.design_seed = design.kind == Design::kLatinHypercube ? design.seed : 0;
  identity.points = space.size();
  identity.seed = static_cast<std::uint64_t>(base.scenario.run.seed);
  identity.precision = base.scenario.run.precision;
  return identity;
}

nlohmann::ordered_json to_json(const SweepIdentity& identity) {
  return {{"program_version", identity.program_version},
          {"scenario_hash", identity.scenario_hash},
          {"catalogue_hash", identity.catalogue_hash},
          {"vary", identity.variables},
          {"fields", identity.fields},
          {"design", identity.design},
          {"design_seed", identity.design_seed},
          {"points", identity.points},
          {"seed", identity.seed},
          {"precision", identity.precision}};
}

Findings identity_differences(const nlohmann::ordered_json& found, const nlohmann::ordered_json& wanted,
                              const std::string& file, const std::string& whose, const std::string& fix) {
  Findings findings;
  for (const auto& [key, value] : wanted.items()) {
    if (found.contains(key) && found.at(key) == value) continue;
    Finding finding;
    finding.code = "other_sweep";
    finding.file = file;
    finding.pointer = "/" + key;
    finding.got = found.contains(key) ? found.at(key).dump() : "nothing";
    finding.allowed = fmt::format("{}, as in {}", value.dump(), whose);
    finding.fix = fix;
    finding.why = "its points are of another sweep; nothing was changed in it";
    findings.add(std::move(finding));
  }
  return findings;
}

}  // namespace stallcast
