#include "core/plan/evaluate/scaled_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <variant>

#include "core/cost/money/exact_number.h"
#include "core/diagnostics/invariant.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

constexpr std::array<std::string_view, 23> kMainInputs = {
    "/cost/node_price",
    kStoragePrices,
    "/storage/read_bandwidth",
    "/storage/client_read_bandwidth",
    "/storage/stream_bandwidth",
    "/storage/latency",
    "/storage/read_iops",
    "/storage/metadata_rate",
    "/dataset/decode_time",
    "/dataset/sample_size",
    "/dataset/samples",
    "/workload/step_time",
    "/workload/samples_per_s_per_gpu",
    "/workload/flops_per_sample",
    "/loader/num_workers",
    "/cluster/nodes",
    "/cluster/cores_per_node",
    "/cluster/nic_bandwidth",
    "/staging/bandwidth",
    "/checkpoint/size",
    "/checkpoint/size_per_writer",
    "/failures/mtti",
    "/failures/per_1000_node_days",
};

void scale_prices(TierRecord& tier, double factor) {
  const ExactNumber times = ExactNumber::as_written(factor);
  for (auto& [key, price] : tier.prices) {
    const std::optional<ExactNumber> amount = ExactNumber::parse(price.amount);
    if (amount) price.amount = (*amount * times).decimal();
  }
}

bool has_storage_prices(const ResolvedScenario& resolved) {
  return resolved.records.storage.has_value() && !resolved.records.storage->prices.empty();
}

struct ValueReader {
  std::optional<double> operator()(double value) const { return value; }
  std::optional<double> operator()(std::int64_t value) const { return static_cast<double>(value); }
  std::optional<double> operator()(const Distribution& distribution) const { return mean_of(distribution); }
  template <class Other>
  std::optional<double> operator()(const Other&) const {
    return std::nullopt;
  }
};

bool is_of_storage(std::string_view pointer) {
  return pointer.starts_with("/storage/") || pointer.starts_with("/origin/");
}

// Of a step time that is given in one way, the others do nothing.
bool is_used(const Scenario& scenario, std::string_view pointer) {
  const StepTimeForm form = scenario.workload.step_time_form;
  if (pointer == "/workload/step_time") return form == StepTimeForm::kTime;
  if (pointer == "/workload/samples_per_s_per_gpu") return form == StepTimeForm::kSamplesPerSecond;
  if (pointer == "/workload/flops_per_sample") return form == StepTimeForm::kFlops;
  return true;
}

}  // namespace

ResolvedScenario with_factor(const ResolvedScenario& resolved, std::string_view pointer, double factor) {
  invariant(factor > 0.0, "with_factor: not a factor");
  ResolvedScenario out = resolved;
  if (pointer != kStoragePrices) {
    out.scenario = scaled(out.scenario, pointer, factor);
  } else if (out.records.storage) {
    scale_prices(*out.records.storage, factor);
  }
  return out;
}

bool can_be_scaled(std::string_view pointer) { return pointer == kStoragePrices || can_be_uncertain(pointer); }

std::optional<double> input_value(const ResolvedScenario& resolved, std::string_view pointer) {
  if (pointer == kStoragePrices) return has_storage_prices(resolved) ? std::optional(1.0) : std::nullopt;
  const Field* field = find_field(pointer);
  if (field == nullptr) return std::nullopt;
  const std::optional<double> value = std::visit(ValueReader(), field->get(resolved.scenario));
  return value && *value != 0.0 ? value : std::nullopt;
}

std::string input_value_text(std::string_view pointer, double value) {
  if (pointer == kStoragePrices) return value == 1.0 ? "list" : fmt::format("{:.3g} x list", value);
  const Field* field = find_field(pointer);
  invariant(field != nullptr, "input_value_text: no such field");
  if (field->kind == FieldKind::kInteger) return format_number(value);
  if (field->dimension == Dimension::kFraction) return fmt::format("{:.3g} %", 100.0 * value);
  return format_quantity(field->dimension, rounded(value), field->counted);
}

std::string input_unit(std::string_view pointer) {
  const Field* field = find_field(pointer);
  if (field == nullptr) return "";
  switch (field->dimension) {
    case Dimension::kTime:
      return "s";
    case Dimension::kBytes:
      return "bytes";
    case Dimension::kByteRate:
      return "bytes_per_s";
    case Dimension::kRate:
      return "per_s";
    case Dimension::kFlops:
      return "flops";
    case Dimension::kFlopRate:
      return "flops_per_s";
    case Dimension::kUsd:
      return "usd";
    case Dimension::kUsdPerHour:
      return "usd_per_hour";
    case Dimension::kFraction:
      return "fraction";
    case Dimension::kNone:
    case Dimension::kCount:
      break;
  }
  return "";
}

bool is_shared_fact(const std::vector<ResolvedScenario>& scenarios, std::string_view pointer) {
  const ResolvedScenario& first = scenarios.front();
  return std::all_of(scenarios.begin(), scenarios.end(), [&](const ResolvedScenario& other) {
    const bool same_tier = other.scenario.storage.tier == first.scenario.storage.tier;
    return (same_tier || !is_of_storage(pointer)) && input_value(other, pointer) == input_value(first, pointer);
  });
}

std::vector<SharedInput> main_inputs(const std::vector<ResolvedScenario>& scenarios,
                                     const std::vector<std::string>& more) {
  std::vector<std::string> pointers(kMainInputs.begin(), kMainInputs.end());
  pointers.insert(pointers.end(), more.begin(), more.end());
  std::set<std::string> seen;
  std::vector<SharedInput> out;
  for (const std::string& pointer : pointers) {
    if (!seen.insert(pointer).second || !can_be_scaled(pointer)) continue;
    if (is_shared_fact(scenarios, pointer)) {
      if (input_value(scenarios.front(), pointer) && is_used(scenarios.front().scenario, pointer))
        out.push_back({pointer, std::nullopt});
      continue;
    }
    for (std::size_t i = 0; i < scenarios.size(); ++i)
      if (input_value(scenarios[i], pointer) && is_used(scenarios[i].scenario, pointer)) out.push_back({pointer, i});
  }
  return out;
}

}  // namespace stallcast
