// Facts of a record as typed values.
#include <fmt/format.h>

#include <algorithm>

#include "core/catalogue/records/overlay.h"
#include "core/catalogue/records/record_json.h"
#include "core/catalogue/records/record_reader.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

const Json* RecordReader::find_fact(const std::string& path) {
  asked_.insert(path);
  const auto facts = document_.find("facts");
  if (facts == document_.end()) return nullptr;
  const Json* node = &*facts;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    if (!node->is_object()) return nullptr;
    const auto found = node->find(path.substr(start, end - start));
    if (found == node->end()) return nullptr;
    node = &*found;
    start = end + 1;
  }
  return is_fact(*node) ? node : nullptr;
}

std::optional<double> RecordReader::parse(const Json& value, Dimension dimension, const std::string& pointer) {
  const bool plain =
      dimension == Dimension::kNone || dimension == Dimension::kCount || dimension == Dimension::kFraction;
  std::string text;
  if (value.is_string()) {
    text = value.get<std::string>();
  } else if (plain && value.is_number()) {
    text = value.dump();
  } else {
    error(value.is_number() ? "missing_unit" : "wrong_type", pointer, shown_json(value),
          std::string(allowed_text(dimension)), fmt::format("write for example \"{}\"", example_text(dimension)));
    return std::nullopt;
  }
  const QuantityReading reading = parse_quantity(dimension, text);
  if (reading.base) return reading.base;
  error(reading.error_code, pointer, shown_json(value), reading.allowed, reading.fix, reading.why);
  return std::nullopt;
}

MaybeFact<double> RecordReader::scalar(const std::string& path, Dimension dimension) {
  const Json* fact = find_fact(path);
  if (fact == nullptr) return std::nullopt;
  const std::string pointer = "/facts/" + path;
  const auto value = parse((*fact)["value"], dimension, pointer + "/value");
  if (!value) return std::nullopt;
  Evidence evidence = evidence_of(*fact, pointer);
  read_interval(*fact, dimension, *value, pointer, evidence);
  note_value(path, dimension, *value, evidence);
  return Fact<double>{*value, std::move(evidence)};
}

// "low" and "high" of a fact, the ends of its 90 % interval.
void RecordReader::read_interval(const Json& fact, Dimension dimension, double value, const std::string& pointer,
                                 Evidence& evidence) {
  const auto end = [&](const char* key, bool below, double& factor) {
    if (!fact.contains(key)) return;
    const auto bound = parse(fact[key], dimension, pointer + "/" + key);
    if (!bound) return;
    if (value > 0.0 && *bound > 0.0 && (below ? *bound <= value : *bound >= value)) {
      factor = *bound / value;
    } else {
      error("out_of_range", pointer + "/" + key, shown_json(fact[key]),
            fmt::format("{} {}", below ? "above 0, at most" : "at least", shown_json(fact["value"])), "",
            "low and high are the 90 % interval of the value");
    }
  };
  end("low", true, evidence.low_factor);
  end("high", false, evidence.high_factor);
}

void RecordReader::note_value(const std::string& path, Dimension dimension, double value, const Evidence& evidence) {
  const auto row = std::find_if(record_.rows.begin(), record_.rows.end(),
                                [&](const FactRow& r) { return !r.is_price && r.name == path; });
  if (row == record_.rows.end()) return;
  row->dimension = dimension;
  row->value = value;
  row->evidence = evidence;
}

MaybeFact<std::int64_t> RecordReader::count(const std::string& path) {
  const auto number = scalar(path, Dimension::kCount);
  if (!number) return std::nullopt;
  if (number->value > 9e15) {
    error("out_of_range", "/facts/" + path + "/value", fmt::format("{}", number->value), "a count up to 9e15");
    return std::nullopt;
  }
  return Fact<std::int64_t>{static_cast<std::int64_t>(number->value), number->evidence};
}

MaybeFact<WorkerCost> RecordReader::worker_cost(const std::string& path) {
  const Json* fact = find_fact(path);
  if (fact == nullptr) return std::nullopt;
  const std::string pointer = "/facts/" + path + "/value";
  const Json& value = (*fact)["value"];
  if (!value.is_object() || !value.contains("base") || !value.contains("per_worker") || value.size() != 2) {
    error("wrong_type", pointer, shown_json(value), R"({"base": "8 ms", "per_worker": "11 ms"})");
    return std::nullopt;
  }
  // A straight line fitted to measurements may start below 0.
  const Json& base = value["base"];
  const bool negative = base.is_string() && base.get<std::string>().starts_with("-");
  const auto start =
      parse(negative ? Json(base.get<std::string>().substr(1)) : base, Dimension::kTime, pointer + "/base");
  const auto slope = parse(value["per_worker"], Dimension::kTime, pointer + "/per_worker");
  if (!start || !slope) return std::nullopt;
  return Fact<WorkerCost>{{seconds(negative ? -*start : *start), seconds(*slope)},
                          evidence_of(*fact, "/facts/" + path)};
}

MaybeFact<std::vector<GapTime>> RecordReader::curve(const std::string& path) {
  const Json* fact = find_fact(path);
  if (fact == nullptr) return std::nullopt;
  const std::string pointer = "/facts/" + path + "/value";
  const Json& value = (*fact)["value"];
  if (!value.is_array() || value.empty()) {
    error("wrong_type", pointer, shown_json(value), R"([["10 ms", "1 ms"], ...])");
    return std::nullopt;
  }
  std::vector<GapTime> points;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string here = fmt::format("{}/{}", pointer, i);
    if (!value[i].is_array() || value[i].size() != 2) {
      error("wrong_type", here, shown_json(value[i]), R"(["10 ms", "1 ms"])");
      return std::nullopt;
    }
    const auto gap = parse(value[i][0], Dimension::kTime, here + "/0");
    const auto time = parse(value[i][1], Dimension::kTime, here + "/1");
    if (!gap || !time) return std::nullopt;
    if (!points.empty() && *gap <= points.back().gap.base()) {
      error("not_ascending", here + "/0", shown_json(value[i][0]), "a longer gap than the one before");
      return std::nullopt;
    }
    points.push_back({seconds(*gap), seconds(*time)});
  }
  return Fact<std::vector<GapTime>>{std::move(points), evidence_of(*fact, "/facts/" + path)};
}

std::vector<std::string> RecordReader::members(const std::string& path) {
  std::vector<std::string> names;
  const auto facts = document_.find("facts");
  if (facts == document_.end() || !facts->is_object()) return names;
  const auto group = facts->find(path);
  if (group == facts->end() || !group->is_object() || is_fact(*group)) return names;
  for (const auto& [key, node] : group->items()) {
    if (is_fact(node) && key.find('/') == std::string::npos) names.push_back(key);
  }
  return names;
}

std::vector<std::string> RecordReader::groups(const std::string& path) {
  std::vector<std::string> names;
  const auto facts = document_.find("facts");
  if (facts == document_.end() || !facts->is_object()) return names;
  const auto group = facts->find(path);
  if (group == facts->end() || !group->is_object()) return names;
  for (const auto& [key, node] : group->items()) {
    if (node.is_object() && !is_fact(node) && key.find('/') == std::string::npos) names.push_back(key);
  }
  return names;
}

void RecordReader::missing(const std::string& path) {
  if (find_fact(path) != nullptr) return;  // it is there and was reported as unreadable
  error("missing_number", "/facts/" + path, "nothing", "a fact: {\"value\": ..., \"source\": ..., \"kind\": ...}");
}

}  // namespace stallcast
