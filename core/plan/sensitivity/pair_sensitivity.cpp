#include "core/plan/sensitivity/pair_sensitivity.h"

#include <algorithm>
#include <optional>

namespace stallcast {
namespace {

// The inputs that move one of the two, and their positions among all.
struct Side {
  std::vector<UncertainInput> inputs;
  std::vector<std::size_t> positions;

  std::vector<double> factors_of(const std::vector<double>& all) const {
    std::vector<double> out;
    for (const std::size_t position : positions) out.push_back(all[position]);
    return out;
  }
};

const UncertainInput* find_input(const std::vector<UncertainInput>& inputs, const std::string& pointer) {
  const auto found =
      std::find_if(inputs.begin(), inputs.end(), [&](const UncertainInput& one) { return one.pointer == pointer; });
  return found == inputs.end() ? nullptr : &*found;
}

class Pair {
 public:
  Pair(const std::vector<ResolvedScenario>& scenarios, const InputsOfEach& inputs, std::size_t best, std::size_t other)
      : both_{scenarios[best], scenarios[other]}, best_(best), other_(other) {
    for (const UncertainInput& input : inputs[best]) add(input, inputs[other], 0);
    for (const UncertainInput& input : inputs[other]) add(input, inputs[best], 1);
  }

  PairSensitivity analyse(const SensitivityOptions& options) {
    SensitivityOptions flat = options;
    const std::uint64_t seed = options.run.seed.value_or(static_cast<std::uint64_t>(both_[0].scenario.run.seed));
    flat.run.seed = seed;
    if (flat.samples == 0) flat.samples = default_samples(std::max(sides_[0].inputs.size(), sides_[1].inputs.size()));
    // Figures of the one, of the other, and of their difference.
    for (int part = 1; part < 3; ++part)
      flat.figures.insert(flat.figures.end(), options.figures.begin(), options.figures.end());
    PairedEvaluations best = pairs_for_draws(both_[0], flat.run), other = pairs_for_draws(both_[1], flat.run);
    const Sensitivity found = stallcast::analyse(
        inputs_,
        [&](const std::vector<double>& factors) {
          std::vector<double> out =
              figures_with(best, sides_[0].inputs, sides_[0].factors_of(factors), options.figures);
          const std::vector<double> b =
              figures_with(other, sides_[1].inputs, sides_[1].factors_of(factors), options.figures);
          out.insert(out.end(), b.begin(), b.end());
          for (std::size_t f = 0; f < b.size(); ++f) out.push_back(b[f] - out[f]);
          return out;
        },
        flat);
    const std::size_t figures = options.figures.size();
    PairSensitivity out{best_,
                        other_,
                        owners_,
                        part_of(found, 0, figures, sides_[0].positions),
                        part_of(found, figures, figures, sides_[1].positions),
                        part_of(found, 2 * figures, figures, all_positions())};
    out.of_best.runs = best.runs();
    out.of_other.runs = other.runs();
    out.difference.runs = best.runs() + other.runs();
    return out;
  }

 private:
  // `side`: 0 = the best, 1 = the other; `there`: inputs of the scenario that `input` is not of.
  void add(const UncertainInput& input, const std::vector<UncertainInput>& there, std::size_t side) {
    const UncertainInput* same = find_input(there, input.pointer);
    const bool shared = is_shared_fact(both_, input.pointer) && (same == nullptr || *same == input);
    if (shared && side == 1 && same != nullptr) return;  // is there already
    const std::size_t position = inputs_.size();
    inputs_.push_back(input);
    owners_.push_back({input.pointer, shared ? std::nullopt : std::optional(side == 0 ? best_ : other_)});
    for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
      if (!shared && s != side) continue;
      sides_[s].inputs.push_back(input);
      sides_[s].positions.push_back(position);
    }
  }

  std::vector<std::size_t> all_positions() const {
    std::vector<std::size_t> out(inputs_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
    return out;
  }

  // `count` figures from `from` on, and of the inputs those at `positions`.
  Sensitivity part_of(const Sensitivity& all, std::size_t from, std::size_t count,
                      const std::vector<std::size_t>& positions) const {
    const auto cut = [&](const std::vector<double>& values) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(std::min(from, values.size()));
      return std::vector<double>(begin, values.empty() ? values.end() : begin + static_cast<std::ptrdiff_t>(count));
    };
    Sensitivity out;
    out.samples = all.samples;
    out.complete = all.complete;
    out.as_given = cut(all.as_given);
    for (const std::size_t position : positions) out.inputs.push_back(inputs_[position]);
    for (const TornadoBar& bar : all.tornado) {
      const auto at = std::find(positions.begin(), positions.end(), bar.position);
      if (at == positions.end()) continue;
      const std::optional<std::size_t>& owner = owners_[bar.position].owner;
      const ResolvedScenario& of = both_[owner && *owner == other_ ? 1 : 0];
      out.tornado.push_back({bar.input, input_value(of, bar.input.pointer), cut(bar.at_low), cut(bar.at_high),
                             static_cast<std::size_t>(at - positions.begin())});
    }
    sort_widest_first(out.tornado);
    for (std::size_t f = from; f < std::min(from + count, all.indices.size()); ++f) {
      out.indices.emplace_back();
      if (!all.indices[f]) continue;
      out.indices.back().emplace();
      for (const std::size_t position : positions) out.indices.back()->push_back((*all.indices[f])[position]);
    }
    return out;
  }

  std::vector<ResolvedScenario> both_;
  std::size_t best_, other_;
  std::vector<UncertainInput> inputs_;
  std::vector<SharedInput> owners_;
  Side sides_[2];
};

}  // namespace

PairSensitivity analyse_pair(const std::vector<ResolvedScenario>& scenarios, const InputsOfEach& inputs,
                             std::size_t best, std::size_t other, const SensitivityOptions& options) {
  return Pair(scenarios, inputs, best, other).analyse(options);
}

}  // namespace stallcast
