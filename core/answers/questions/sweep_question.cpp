#include "core/answers/questions/sweep_question.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/answers/questions/size_question.h"
#include "core/plan/sweep/sweep_identity.h"
#include "core/report/text/sweep_text.h"
#include "core/report/words/text_layout.h"

namespace stallcast {
namespace {

constexpr std::array kDesigns = {Design::kFull, Design::kLatinHypercube, Design::kSobol};

Finding option_finding(std::string option, std::string code, std::string got, std::string allowed) {
  Finding finding;
  finding.file = std::move(option);
  finding.code = std::move(code);
  finding.got = std::move(got);
  finding.allowed = std::move(allowed);
  return finding;
}

Loaded<DesignSpec> read_design(const SweepTexts& texts) {
  Loaded<DesignSpec> loaded;
  DesignSpec design;
  for (const Design one : kDesigns)
    if (texts.design == design_name(one)) design.kind = one;
  const bool is_full = design.kind == Design::kFull;
  if (!is_full && texts.points == 0)
    loaded.findings.add(
        option_finding("--design", "missing_points", texts.design, "with --points N, the number of points to sample"));
  if (is_full && texts.points != 0)
    loaded.findings.add(option_finding("--points", "unused_option", std::to_string(texts.points),
                                       "with --design latin or sobol; a full design has every combination"));
  design.points = texts.points;
  design.seed = texts.design_seed;
  loaded.value = design;
  return loaded;
}

}  // namespace

const std::vector<std::string>& sweep_designs() {
  static const std::vector<std::string> kWords = [] {
    std::vector<std::string> words;
    for (const Design one : kDesigns) words.emplace_back(design_name(one));
    return words;
  }();
  return kWords;
}

Loaded<SweepQuestion> read_sweep_question(const SweepTexts& texts, const ScenarioFile& base,
                                          const Catalogue& catalogue) {
  Loaded<SweepQuestion> loaded;
  Loaded<std::vector<Variable>> variables = read_variables(texts.vary, base);
  const Loaded<DesignSpec> design = read_design(texts);
  loaded.findings.append(variables.findings);
  loaded.findings.append(design.findings);
  if (!variables.value || !design.ok()) return loaded;
  Loaded<Space> space = make_space(base, *variables.value, *design.value, catalogue);
  loaded.findings.append(space.findings);
  if (space.ok()) loaded.value = {std::move(*variables.value), *design.value, std::move(*space.value)};
  return loaded;
}

Finding too_much_to_sweep(const SweepEstimate& estimate) {
  Finding finding;
  finding.code = "too_much";
  finding.file = "sweep";
  finding.got = estimate_text(estimate);
  finding.allowed = fmt::format("up to {} points and {} without being asked", SweepEstimate::kAskedPoints,
                                duration_text(SweepEstimate::kAskedSeconds));
  finding.fix = "vary fewer values, sample with --design sobol --points N, do a part with --shard I/N, or give --yes";
  return finding;
}

}  // namespace stallcast
