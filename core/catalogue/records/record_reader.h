// Reads the JSON of one record: facts with their evidence, and findings for everything that is wrong with them.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/catalogue/records/records.h"
#include "core/diagnostics/finding.h"
#include "core/units/quantity_text.h"

namespace stallcast {

template <class T>
struct DimensionOf;
template <>
struct DimensionOf<Seconds> {
  static constexpr Dimension value = Dimension::kTime;
};
template <>
struct DimensionOf<Bytes> {
  static constexpr Dimension value = Dimension::kBytes;
};
template <>
struct DimensionOf<BytesPerSecond> {
  static constexpr Dimension value = Dimension::kByteRate;
};
template <>
struct DimensionOf<PerSecond> {
  static constexpr Dimension value = Dimension::kRate;
};
template <>
struct DimensionOf<Flops> {
  static constexpr Dimension value = Dimension::kFlops;
};
template <>
struct DimensionOf<FlopsPerSecond> {
  static constexpr Dimension value = Dimension::kFlopRate;
};

// Asks for one member after the other; finish() then reports what was there but not asked for.
class RecordReader {
 public:
  // Reads what all records have: kind, name, title, status, sources, prices. Record::file is set already.
  RecordReader(const nlohmann::ordered_json& document, Record& record, Findings& findings);

  std::string word(const std::string& key, const std::vector<std::string>& allowed);  // one of a list
  std::string word_or(const std::string& key, const std::vector<std::string>& allowed, const std::string& otherwise);
  std::string text(const std::string& key);
  std::string text_or(const std::string& key, const std::string& otherwise);
  std::vector<std::string> names(const std::string& key);  // a list of names; none when absent
  bool flag(const std::string& key, bool default_value);

  // Facts by path under /facts: "capacity_min", "fork/start_call". Empty when absent.
  template <class Q>
  MaybeFact<Q> quantity(const std::string& path) {
    const auto number = scalar(path, DimensionOf<Q>::value);
    if (!number) return std::nullopt;
    return Fact<Q>{Q::from_base(number->value), number->evidence};
  }
  MaybeFact<double> number(const std::string& path) { return scalar(path, Dimension::kNone); }
  MaybeFact<std::int64_t> count(const std::string& path);
  MaybeFact<WorkerCost> worker_cost(const std::string& path);
  MaybeFact<std::vector<GapTime>> curve(const std::string& path);
  std::vector<std::string> members(const std::string& path);  // names of facts in a group
  std::vector<std::string> groups(const std::string& path);   // names of groups in a group

  // The objects of a list at the top level, like "examples". A member that is not `allowed` is a finding.
  struct Entry {
    const nlohmann::ordered_json& object;
    std::string pointer;
  };
  std::vector<Entry> entries(const std::string& key, const std::vector<std::string>& allowed);
  // Members of an entry. Empty when absent, or unreadable with a finding.
  std::optional<double> quantity_of(const Entry& entry, const std::string& key, Dimension dimension);
  std::string text_of(const Entry& entry, const std::string& key);
  std::string source_of(const Entry& entry);  // Source::text(); having none is a finding

  // A fact that has to be there: its value, or a default and the finding "missing_number".
  template <class T>
  Fact<T> required(const std::string& path, const MaybeFact<T>& fact) {
    if (fact) return *fact;
    missing(path);
    return {};
  }

  void finish();

  void error(const std::string& code, const std::string& pointer, const std::string& got, const std::string& allowed,
             const std::string& fix = "", const std::string& why = "");

 private:
  MaybeFact<double> scalar(const std::string& path, Dimension dimension);
  const nlohmann::ordered_json* find_fact(const std::string& path);
  Evidence evidence_of(const nlohmann::ordered_json& fact, const std::string& pointer);
  std::vector<OtherValue> others_of(const nlohmann::ordered_json& fact, const std::string& pointer);
  std::string source_text(const std::string& key, const std::string& pointer);
  std::optional<double> parse(const nlohmann::ordered_json& value, Dimension dimension, const std::string& pointer);
  void read_sources();
  void read_prices();
  void collect_rows(const nlohmann::ordered_json& group, const std::string& pointer, const std::string& name);
  void missing(const std::string& path);
  void note_value(const std::string& path, Dimension dimension, double value, const Evidence& evidence);
  void read_interval(const nlohmann::ordered_json& fact, Dimension dimension, double value, const std::string& pointer,
                     Evidence& evidence);

  const nlohmann::ordered_json& document_;
  Record& record_;
  Findings& findings_;
  std::set<std::string> asked_;       // fact paths
  std::set<std::string> asked_keys_;  // top level
  std::set<std::string> judged_;      // pointers whose evidence has been looked at
};

}  // namespace stallcast
