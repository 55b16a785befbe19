#include "core/catalogue/tier_example.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/catalogue/capacity_rule.h"
#include "core/catalogue/unit_price.h"
#include "core/units/binary_multiples.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

constexpr double kWeekSeconds = 7.0 * 86400.0;

// What a vendor may print for a purchase.
struct PrintedKey {
  const char* name;
  Dimension dimension;
};
constexpr std::array<PrintedKey, 7> kPrinted = {{{"read_bandwidth", Dimension::kByteRate},
                                                 {"write_bandwidth", Dimension::kByteRate},
                                                 {"read_iops", Dimension::kRate},
                                                 {"write_iops", Dimension::kRate},
                                                 {"metadata_rate", Dimension::kRate},
                                                 {"week_without_loss", Dimension::kFraction},
                                                 {"price", Dimension::kUsd}}};

const std::vector<std::string>& example_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> all = {
        "capacity", "servers", "provisioned_bandwidth", "provisioned_iops", "hours", "gib", "requests", "price_of",
        "source",   "note"};
    for (const PrintedKey& key : kPrinted) all.emplace_back(key.name);
    return all;
  }();
  return keys;
}

// "115 GiB/s" as the texts before, of and after its number; "$168" likewise.
struct NumberParts {
  std::string before, number, after;
};
std::optional<NumberParts> parts_of(std::string_view text) {
  const auto is_part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  const auto* first = std::find_if(text.begin(), text.end(), is_part);
  const auto* last = std::find_if_not(first, text.end(), is_part);
  if (first == last) return std::nullopt;
  return NumberParts{{text.begin(), first}, {first, last}, {last, text.end()}};
}

// `value` in the unit that `like` is printed in: "125 GiB/s" for "115 GiB/s".
std::string in_unit_of(const PrintedNumber& like, double value) {
  if (like.dimension == Dimension::kUsd) return fmt::format("${:.6g}", value);
  const auto parts = parts_of(like.text);
  const auto unit = parts ? parse_quantity(like.dimension, "1" + parts->after).base : std::nullopt;
  if (!unit) return format_quantity(like.dimension, value);
  return fmt::format("{:.6g}{}", value / *unit, parts->after);
}

template <class Rate>
std::optional<double> base_of(const MaybeRate<Rate>& rate) {
  return rate ? std::optional<double>(rate->value.base()) : std::nullopt;
}

std::optional<double> rate_named(const TierRates& rates, const std::string& name) {
  if (name == "read_bandwidth") return base_of(rates.read_bandwidth);
  if (name == "write_bandwidth") return base_of(rates.write_bandwidth);
  if (name == "read_iops") return base_of(rates.read_iops);
  if (name == "write_iops") return base_of(rates.write_iops);
  if (name == "metadata_rate") return base_of(rates.metadata_rate);
  if (name == "week_without_loss" && rates.mttdl) return std::exp(-kWeekSeconds / rates.mttdl->value.base());
  return std::nullopt;
}

// Whether the example's capacity is a size that is sold, as far as it is printed: "63.9 TiB" may be any within 0.05
// TiB. A price alone may be for any size.
bool can_be_bought(const TierRecord& tier, const TierExample& example) {
  const bool prints_rate = std::any_of(example.printed.begin(), example.printed.end(),
                                       [](const PrintedNumber& number) { return number.name != "price"; });
  if (example.capacity_text.empty() || !prints_rate || !is_provisioned(tier)) return true;
  const std::vector<Bytes> sizes = nearest_capacities(tier, example.size.capacity);
  return std::any_of(sizes.begin(), sizes.end(), [&](Bytes size) {
    return std::abs((size - example.size.capacity).base()) <=
           example.capacity_half_digit.base() * (1.0 + kRelativeSlack);
  });
}

// The tier's price called `name` per base unit, 0 with its name in `missing` when it has none that counts `basis`.
double usd_per(const TierRecord& tier, const std::string& name, PriceBasis basis, std::string& missing) {
  const auto price = tier.prices.find(name);
  const auto unit = price == tier.prices.end() ? std::nullopt : unit_price(price->second);
  if (unit && unit->basis == basis) return unit->usd;
  if (missing.empty()) missing = name;
  return 0.0;
}

}  // namespace

std::string bought_text(const TierExample& example) {
  std::vector<std::string> parts;
  const auto add = [&parts](bool has, std::string text) {
    if (has) parts.push_back(std::move(text));
  };
  const TierSize& size = example.size;
  add(!example.capacity_text.empty(), example.capacity_text);
  add(size.servers > 0, fmt::format("{} servers", size.servers));
  add(size.provisioned_bandwidth.base() > 0.0,
      "provisioned " + format_quantity(Dimension::kByteRate, size.provisioned_bandwidth.base()));
  add(size.provisioned_iops.base() > 0.0,
      "provisioned " + format_quantity(Dimension::kRate, size.provisioned_iops.base(), "IOPS"));
  add(example.gib > 0.0, format_number(example.gib) + " GiB");
  add(example.requests > 0.0, format_number(example.requests) + " requests");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::optional<double> half_last_digit(Dimension dimension, std::string_view text) {
  const auto parts = parts_of(text);
  if (!parts) return std::nullopt;
  const std::size_t point = parts->number.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : parts->number.size() - point - 1;
  // One digit more, which is a 5, and zeros before it.
  const std::string half = "0." + std::string(decimals, '0') + "5";
  return parse_quantity(dimension, parts->before + half + parts->after).base;
}

std::vector<TierExample> read_examples(RecordReader& in) {
  std::vector<TierExample> examples;
  for (const RecordReader::Entry& entry : in.entries("examples", example_keys())) {
    TierExample example;
    example.pointer = entry.pointer;
    example.source = in.source_of(entry);
    example.note = in.text_of(entry, "note");
    example.price_of = in.text_of(entry, "price_of");
    const auto number = [&](const char* key, Dimension dimension, double otherwise) {
      return in.quantity_of(entry, key, dimension).value_or(otherwise);
    };
    if (const auto capacity = in.quantity_of(entry, "capacity", Dimension::kBytes)) {
      example.size.capacity = bytes(*capacity);
      example.capacity_text = in.text_of(entry, "capacity");
      example.capacity_half_digit = bytes(half_last_digit(Dimension::kBytes, example.capacity_text).value_or(0.0));
    }
    example.size.servers = static_cast<std::int64_t>(std::min(number("servers", Dimension::kCount, 0.0), 1e9));
    example.size.provisioned_bandwidth = bytes_per_second(number("provisioned_bandwidth", Dimension::kByteRate, 0.0));
    example.size.provisioned_iops = per_second(number("provisioned_iops", Dimension::kRate, 0.0));
    example.hours = number("hours", Dimension::kNone, kPriceMonthHours);
    example.gib = number("gib", Dimension::kNone, 0.0);
    example.requests = number("requests", Dimension::kCount, 0.0);
    for (const PrintedKey& key : kPrinted) {
      if (!entry.object.contains(key.name)) continue;
      const auto value = in.quantity_of(entry, key.name, key.dimension);
      if (!value) continue;
      const std::string text = in.text_of(entry, key.name);
      if (const auto half = half_last_digit(key.dimension, text))
        example.printed.push_back({key.name, text, key.dimension, *value, *half});
    }
    const bool prints = std::any_of(kPrinted.begin(), kPrinted.end(),
                                    [&](const PrintedKey& key) { return entry.object.contains(key.name); });
    if (!prints) {
      in.error("missing_key", entry.pointer, "nothing printed",
               "read_bandwidth, write_bandwidth, read_iops, write_iops, metadata_rate, week_without_loss or price", "",
               "an example says what the vendor prints");
    }
    if ((example.gib > 0.0 || example.requests > 0.0) && example.price_of.empty()) {
      in.error("missing_key", entry.pointer + "/price_of", "nothing", "the name of the price per GiB or per request");
    }
    examples.push_back(std::move(example));
  }
  return examples;
}

ExamplePrice price_of_example(const TierRecord& tier, const TierExample& example) {
  ExamplePrice out;
  const auto usd = [&](const std::string& name, PriceBasis basis) { return usd_per(tier, name, basis, out.missing); };
  if (!example.price_of.empty()) {
    out.usd = example.requests > 0.0 ? usd(example.price_of, PriceBasis::kRequest) * example.requests
                                     : usd(example.price_of, PriceBasis::kBytesMoved) * example.gib * kGiB;
    return out;
  }
  const TierSize& size = example.size;
  double per_hour = 0.0;
  if (!example.capacity_text.empty()) per_hour += usd("capacity", PriceBasis::kBytesStored) * size.capacity.base();
  const double bandwidth =
      size.provisioned_bandwidth.base() - provisioned_bandwidth_range(tier, size.capacity).included.base();
  if (bandwidth > 0.0) per_hour += usd("provisioned_bandwidth", PriceBasis::kByteRate) * bandwidth;
  const double iops = size.provisioned_iops.base() - provisioned_iops_range(tier, size.capacity).included.base();
  if (iops > 0.0) per_hour += usd("provisioned_iops", PriceBasis::kIops) * iops;
  if (tier.prices.contains("servers")) {
    per_hour += usd("servers", PriceBasis::kServer) * static_cast<double>(size.servers);
  }
  if (tier.prices.contains("instance")) per_hour += usd("instance", PriceBasis::kTime);
  out.usd = per_hour * example.hours;
  return out;
}

std::size_t judge_examples(const TierRecord& tier, Findings& findings) {
  std::size_t judged = 0;
  for (const TierExample& example : tier.examples) {
    const std::string bought = bought_text(example);
    if (!can_be_bought(tier, example)) {
      findings.add({Severity::kError, "example_not_sold", tier.file, example.pointer + "/capacity",
                    fmt::format("\"{}\"", example.capacity_text),
                    "a size by capacity_min, capacity_max and capacity_step", "",
                    fmt::format("the vendor sells it: {}", example.source)});
    }
    const TierRates rates = rates_at(tier, example.size);
    for (const PrintedNumber& printed : example.printed) {
      ++judged;
      std::optional<double> computed = rate_named(rates, printed.name);
      std::string missing = "no law for it";
      if (printed.name == "price") {
        const ExamplePrice price = price_of_example(tier, example);
        if (price.missing.empty()) computed = price.usd;
        missing = fmt::format("no price \"{}\" that fits", price.missing);
      }
      const double slack = printed.half_digit + kRelativeSlack * std::abs(printed.value);
      if (computed && std::abs(*computed - printed.value) <= slack) continue;
      findings.add(
          {Severity::kError, "law_contradicts_example", tier.file, fmt::format("{}/{}", example.pointer, printed.name),
           fmt::format("{} computed, {} printed", computed ? in_unit_of(printed, *computed) : missing, printed.text),
           fmt::format("{} to {}", in_unit_of(printed, printed.value - printed.half_digit),
                       in_unit_of(printed, printed.value + printed.half_digit)),
           "", fmt::format("{}{}{}", bought, bought.empty() ? "" : "; ", example.source)});
    }
  }
  return judged;
}

}  // namespace stallcast
