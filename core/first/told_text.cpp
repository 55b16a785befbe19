#include "core/first/told_text.h"

#include <cctype>
#include <charconv>
#include <limits>
#include <tuple>

#include "core/units/plain_text.h"

namespace stallcast {
namespace {

bool is_numeral(char c) { return c >= '0' && c <= '9'; }
bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

double on_demand_price(const InstanceRecord& machine) {
  const auto price = machine.prices.find("on_demand");
  double usd = std::numeric_limits<double>::infinity();
  if (price != machine.prices.end()) {
    const std::string& text = price->second.amount;
    std::from_chars(text.data(), text.data() + text.size(), usd);
  }
  return usd;
}

}  // namespace

std::optional<GpuCount> read_gpu_count(const std::string& text, const Catalogue& catalogue) {
  const std::string given(trimmed(text));
  if (given.empty()) return std::nullopt;
  if (record_of(given, catalogue.gpus) != nullptr) return GpuCount{0, given};
  GpuCount out;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), out.count);
  if (error == std::errc::result_out_of_range || out.count < 0) return std::nullopt;
  if (error != std::errc()) return GpuCount{0, given};
  if (out.count == 0) return std::nullopt;
  std::string rest(trimmed(std::string_view(end, static_cast<std::size_t>(given.data() + given.size() - end))));
  for (const std::string_view times : {"x", "X", "*", "×"}) {
    if (!rest.starts_with(times)) continue;
    rest = std::string(trimmed(std::string_view(rest).substr(times.size())));
    break;
  }
  const std::string word = lowered(rest);
  if (word == "gpu" || word == "gpus") rest.clear();
  out.gpu = rest;
  return out;
}

std::optional<double> parameters_in_name(const std::string& name) {
  for (std::size_t start = 0; start < name.size(); ++start) {
    const bool begins =
        is_numeral(name[start]) && (start == 0 || (!is_letter_or_digit(name[start - 1]) && name[start - 1] != '.'));
    if (!begins) continue;
    double number = 0.0;
    const auto [end, error] = std::from_chars(name.data() + start, name.data() + name.size(), number);
    auto after = static_cast<std::size_t>(end - name.data());
    if (error != std::errc() || number <= 0.0) continue;
    while (after < name.size() && name[after] == ' ') ++after;
    if (after >= name.size() || (after + 1 < name.size() && is_letter_or_digit(name[after + 1]))) continue;
    const char unit = name[after];
    if (unit == 'b' || unit == 'B') return number * 1e9;
    if (unit == 'm' || unit == 'M') return number * 1e6;
    if (unit == 't' || unit == 'T') return number * 1e12;
  }
  return std::nullopt;
}

bool means_own_machine(const std::string& text) {
  const std::string letters = plain_letters(text);
  for (const std::string_view word : {"own", "none", "onprem", "onpremises", "workstation", "myown", "no"})
    if (letters == word) return true;
  return false;
}

const InstanceRecord* usual_instance(const Catalogue& catalogue, const std::string& provider, const std::string& gpu,
                                     std::int64_t gpus) {
  const InstanceRecord* best = nullptr;
  const auto rank = [&](const InstanceRecord& machine) {
    const bool fits = machine.gpus.value <= gpus && gpus % machine.gpus.value == 0;
    // Of those that the job fills, the largest; else the smallest there is.
    return std::tuple(!fits, fits ? -machine.gpus.value : machine.gpus.value, on_demand_price(machine));
  };
  for (const auto& [name, machine] : catalogue.instances) {
    if (machine.provider != provider || machine.gpu != gpu || machine.status == "legacy") continue;
    if (best == nullptr || rank(machine) < rank(*best)) best = &machine;
  }
  return best;
}

}  // namespace stallcast
