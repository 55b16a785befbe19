#include "core/units/unit_table.h"

#include <fmt/format.h>

#include <utility>

namespace stallcast {
namespace {

constexpr std::array<std::string_view, 22> kCounted = {
    "1",     "samples", "sample",  "images", "records", "files", "opens",  "requests", "req",    "operations", "ops",
    "steps", "tokens",  "batches", "rows",   "objects", "reads", "writes", "items",    "inputs", "sequences",  ""};

std::vector<UnitSpelling> make_units() {
  std::vector<UnitSpelling> units;
  const auto add = [&units](std::string text, Dimension dimension, int exponent, double factor = 1.0) {
    units.push_back({std::move(text), dimension, exponent, factor});
  };
  add("ns", Dimension::kTime, -9);
  add("us", Dimension::kTime, -6);
  add("\u00b5s", Dimension::kTime, -6);  // micro sign
  add("\u03bcs", Dimension::kTime, -6);  // Greek mu
  add("ms", Dimension::kTime, -3);
  add("s", Dimension::kTime, 0);
  add("min", Dimension::kTime, 0, 60);
  add("h", Dimension::kTime, 0, 3600);
  add("d", Dimension::kTime, 0, 86400);
  // Words and spellings that can mean one thing only; texts are written with the ones above.
  for (const std::string_view word : {"msec", "millisecond", "milliseconds"})
    add(std::string(word), Dimension::kTime, -3);
  for (const std::string_view word : {"sec", "secs", "second", "seconds"}) add(std::string(word), Dimension::kTime, 0);
  for (const std::string_view word : {"mins", "minute", "minutes"}) add(std::string(word), Dimension::kTime, 0, 60);
  for (const std::string_view word : {"hr", "hrs", "hour", "hours"}) add(std::string(word), Dimension::kTime, 0, 3600);
  for (const std::string_view word : {"day", "days"}) add(std::string(word), Dimension::kTime, 0, 86400);
  for (const std::string_view word : {"week", "weeks"}) add(std::string(word), Dimension::kTime, 0, 604800);
  for (const auto& [prefix, exponent] : kDecimalPrefixes) {
    add(fmt::format("{}B", prefix), Dimension::kBytes, exponent);
    add(fmt::format("{}B/s", prefix), Dimension::kByteRate, exponent);
    add(fmt::format("{}B/sec", prefix), Dimension::kByteRate, exponent);
    add(fmt::format("{}bps", prefix), Dimension::kByteRate, exponent, 0.125);
    add(fmt::format("{}b/s", prefix), Dimension::kByteRate, exponent, 0.125);
    for (const std::string_view word : {"FLOP", "FLOPs"})
      add(fmt::format("{}{}", prefix, word), Dimension::kFlops, exponent);
    for (const std::string_view word : {"FLOP/s", "FLOPS", "FLOPs/s"}) {
      add(fmt::format("{}{}", prefix, word), Dimension::kFlopRate, exponent);
    }
  }
  add("KB", Dimension::kBytes, 3);  // KiB is the other one
  add("KB/s", Dimension::kByteRate, 3);
  for (const std::string_view word : {"byte", "bytes"}) add(std::string(word), Dimension::kBytes, 0);
  double binary = 1.0;
  for (const std::string_view prefix : kBinaryPrefixes) {
    binary *= 1024.0;
    add(fmt::format("{}B", prefix), Dimension::kBytes, 0, binary);
    add(fmt::format("{}B/s", prefix), Dimension::kByteRate, 0, binary);
    add(fmt::format("{}B/sec", prefix), Dimension::kByteRate, 0, binary);
  }
  for (const auto& [prefix, exponent] :
       std::array<DecimalPrefix, 5>{{{"", 0}, {"k", 3}, {"k ", 3}, {"M", 6}, {"M ", 6}}}) {
    add(fmt::format("{}IOPS", prefix), Dimension::kRate, exponent);
    for (const std::string_view counted : kCounted) {
      if (counted == "1" && !prefix.empty()) continue;
      add(fmt::format("{}{}/s", prefix, counted), Dimension::kRate, exponent);
    }
  }
  add("USD", Dimension::kUsd, 0);
  add("$", Dimension::kUsd, 0);
  add("USD/h", Dimension::kUsdPerHour, 0);
  add("$/h", Dimension::kUsdPerHour, 0);
  add("USD/hour", Dimension::kUsdPerHour, 0);
  add("$/hour", Dimension::kUsdPerHour, 0);
  add("$/hr", Dimension::kUsdPerHour, 0);
  add("%", Dimension::kFraction, -2);
  add("percent", Dimension::kFraction, -2);
  add("", Dimension::kFraction, 0);
  add("", Dimension::kNone, 0);
  add("", Dimension::kCount, 0);
  for (const auto& [prefix, exponent] : std::array<DecimalPrefix, 9>{{{"k", 3},
                                                                      {"M", 6},
                                                                      {"G", 9},
                                                                      {"K", 3},
                                                                      {"B", 9},
                                                                      {"T", 12},
                                                                      {"thousand", 3},
                                                                      {"million", 6},
                                                                      {"billion", 9}}}) {
    add(std::string(prefix), Dimension::kCount, exponent);
  }
  return units;
}

}  // namespace

const std::vector<UnitSpelling>& unit_spellings() {
  static const std::vector<UnitSpelling> units = make_units();
  return units;
}

const UnitSpelling* find_unit(Dimension dimension, std::string_view text) {
  for (const UnitSpelling& unit : unit_spellings()) {
    if (unit.dimension == dimension && unit.text == text) return &unit;
  }
  return nullptr;
}

const UnitSpelling* find_unit_anywhere(std::string_view text) {
  for (const UnitSpelling& unit : unit_spellings()) {
    if (unit.text == text) return &unit;
  }
  return nullptr;
}

}  // namespace stallcast
