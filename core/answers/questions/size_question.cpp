#include "core/answers/questions/size_question.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <limits>
#include <utility>

#include "core/answers/questions/quantity_option.h"

namespace stallcast {
namespace {

// "5000" is in dollars too.
std::string as_dollars(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 ? "$" + text : text;
}

void add_quota(const std::string& text, SizeRequest& request, Findings& findings) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  const bool capacity = name == "capacity";
  if (value.empty() || (!capacity && name != "gpus" && name != "nodes")) {
    const std::string nearest = nearest_word(name, {"gpus", "nodes", "capacity"});
    findings.add({Severity::kError, "not_a_quota", "--quota", "", text, "gpus=N, nodes=N or capacity=BYTES",
                  nearest.empty() || value.empty() ? "" : fmt::format("did you mean {}={}?", nearest, value), ""});
    return;
  }
  const auto read = quantity_option("--quota", capacity ? Dimension::kBytes : Dimension::kCount, value,
                                    {1.0, kPositive.high, "1 or more"}, findings);
  const Figure figure = capacity ? Figure::kCapacity : name == "gpus" ? Figure::kGpus : Figure::kNodes;
  if (read) request.targets.push_back({figure, *read});
}

}  // namespace

void read_targets(const TargetTexts& texts, SizeRequest& request, Findings& findings) {
  const auto read = [&](const char* option, const std::string& text, Dimension dimension, Figure figure,
                        const OptionRange& range) {
    if (text.empty()) return;
    if (const auto value = quantity_option(option, dimension, text, range, findings))
      request.targets.push_back({figure, *value});
  };
  read("--min-utilization", texts.min_utilization, Dimension::kFraction, Figure::kUtilization,
       {1e-300, 1.0, "more than 0, up to 1"});
  read("--deadline", texts.deadline, Dimension::kTime, Figure::kTime, kPositive);
  read("--budget", as_dollars(texts.budget), Dimension::kUsd, Figure::kTotal, kPositive);
}

SizeRequest read_size_request(const SizeTexts& texts, Findings& findings) {
  SizeRequest request;
  read_targets(texts.targets, request, findings);
  if (!texts.max_memory.empty())
    if (const auto most = quantity_option("--max-memory", Dimension::kBytes, texts.max_memory, kPositive, findings))
      request.targets.push_back({Figure::kMemory, *most});
  for (const std::string& quota : texts.quotas) add_quota(quota, request, findings);
  const auto number = [&](const char* option, const std::string& text, double& value, const OptionRange& range) {
    if (text.empty()) return;
    if (const auto read = quantity_option(option, Dimension::kFraction, text, range, findings)) value = *read;
  };
  number("--confidence", texts.confidence, request.confidence, {0.5, 0.999999, "0.5 to less than 1"});
  number("--tolerance", texts.tolerance, request.tolerance, {0.0, 0.2, "0 to 0.2"});
  constexpr std::array<std::pair<const char*, Figure>, 4> kObjectives = {{{"total", Figure::kTotal},
                                                                          {"gpu-hour", Figure::kGpuHour},
                                                                          {"time", Figure::kTime},
                                                                          {"utilization", Figure::kUtilization}}};
  for (const auto& [word, figure] : kObjectives)
    if (texts.objective == word) request.objective = figure;
  for (const FrontScope scope : {FrontScope::kNone, FrontScope::kSimulated, FrontScope::kLimited, FrontScope::kFull})
    if (texts.front == front_scope_name(scope)) request.front = scope;
  request.top = texts.top;
  request.exhaustive = texts.exhaustive;
  if (texts.any_number) request.most_points = std::numeric_limits<std::int64_t>::max();
  return request;
}

const std::vector<std::string>& size_objectives() {
  static const std::vector<std::string> kWords = {"auto", "total", "gpu-hour", "time", "utilization"};
  return kWords;
}

const std::vector<std::string>& front_scopes() {
  static const std::vector<std::string> kWords = {"none", "simulated", "limited", "full"};
  return kWords;
}

Loaded<std::vector<Variable>> read_variables(const std::vector<std::string>& texts, const ScenarioFile& base) {
  return texts.empty() ? planned_variables(base) : parse_variables(texts, base);
}

}  // namespace stallcast
