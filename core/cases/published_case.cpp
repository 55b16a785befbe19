#include "core/cases/published_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

using nlohmann::ordered_json;

class CaseReader {
 public:
  CaseReader(const ordered_json& json, std::string file) : json_(json), file_(std::move(file)) {}

  Loaded<PublishedCase> read() {
    if (!json_.is_object()) {
      refuse("wrong_type", "", json_.type_name(), "an object with \"case\", \"source\", \"scenario\" and \"outcomes\"");
      return {std::nullopt, std::move(findings_)};
    }
    constexpr std::array<std::string_view, 8> kKeys{"case",  "source",   "stated",          "not_stated",
                                                    "basis", "scenario", "not_expressible", "outcomes"};
    for (const auto& [key, value] : json_.items()) {
      if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
        refuse("unknown_key", "/" + pointer_token(key), key, fmt::format("{}", fmt::join(kKeys, ", ")));
    }
    PublishedCase out;
    out.name = text(json_, "case", "");
    if (const ordered_json* source = member(json_, "source", "")) {
      out.title = text(*source, "title", "/source");
      out.url = text(*source, "url", "/source");
      out.read = text(*source, "read", "/source");
    }
    out.stated = sentences("stated");
    out.not_stated = sentences("not_stated");
    const std::string basis = text(json_, "basis", "");
    if (basis != "stated" && basis != "calibrated") refuse("unknown_word", "/basis", basis, "stated, calibrated");
    out.calibrated = basis == "calibrated";
    if (json_.contains("scenario") == json_.contains("not_expressible"))
      refuse("one_of_two", "", "both or none", "either \"scenario\" or \"not_expressible\"");
    if (json_.contains("scenario")) out.scenario = json_["scenario"];
    if (json_.contains("not_expressible")) out.not_expressible = text(json_, "not_expressible", "");
    read_outcomes(out);
    if (findings_.has_errors()) return {std::nullopt, std::move(findings_)};
    return {std::move(out), std::move(findings_)};
  }

 private:
  void refuse(std::string code, std::string pointer, std::string got, std::string allowed) {
    findings_.add(
        {Severity::kError, std::move(code), file_, std::move(pointer), std::move(got), std::move(allowed), "", ""});
  }

  const ordered_json* member(const ordered_json& in, const std::string& key, const std::string& pointer) {
    if (in.is_object() && in.contains(key)) return &in[key];
    refuse("missing_key", pointer + "/" + key, "nothing", "a value");
    return nullptr;
  }

  std::string text(const ordered_json& in, const std::string& key, const std::string& pointer) {
    const ordered_json* value = member(in, key, pointer);
    if (value == nullptr) return "";
    if (value->is_string()) return value->get<std::string>();
    refuse("wrong_type", pointer + "/" + key, value->dump(), "a text");
    return "";
  }

  std::vector<std::string> sentences(const std::string& key) {
    std::vector<std::string> out;
    const ordered_json* list = member(json_, key, "");
    if (list == nullptr) return out;
    const bool texts = list->is_array() &&
                       std::all_of(list->begin(), list->end(), [](const ordered_json& one) { return one.is_string(); });
    if (!texts) {
      refuse("wrong_type", "/" + key, list->type_name(), "a list of texts");
      return out;
    }
    return list->get<std::vector<std::string>>();
  }

  std::optional<double> number(const ordered_json& in, const std::string& key, const std::string& pointer) {
    if (!in.contains(key) || in[key].is_null()) return std::nullopt;
    if (in[key].is_number() && in[key].get<double>() > 0.0) return in[key].get<double>();
    refuse("out_of_range", pointer + "/" + key, in[key].dump(), "a number above 0, in base units");
    return std::nullopt;
  }

  void read_outcomes(PublishedCase& out) {
    const ordered_json* list = member(json_, "outcomes", "");
    if (list == nullptr) return;
    if (!list->is_array() || list->empty()) {
      refuse("wrong_type", "/outcomes", list->type_name(), "a list of at least one outcome");
      return;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const ordered_json& one = (*list)[i];
      const std::string pointer = fmt::format("/outcomes/{}", i);
      KnownOutcome outcome;
      outcome.note = text(one, "note", pointer);
      if (json_.contains("scenario")) {
        outcome.figure = text(one, "figure", pointer);
        const std::optional<double> known = number(one, "known", pointer);
        if (!known) refuse("missing_key", pointer + "/known", "nothing", "a number above 0, in base units");
        outcome.known = known.value_or(1.0);
        outcome.known_low = number(one, "known_low", pointer).value_or(outcome.known);
        outcome.known_high = number(one, "known_high", pointer).value_or(outcome.known);
      }
      out.outcomes.push_back(std::move(outcome));
    }
  }

  const ordered_json& json_;
  std::string file_;
  Findings findings_;
};

}  // namespace

Loaded<PublishedCase> load_published_case(const std::filesystem::path& path) {
  Loaded<ordered_json> json = read_json_file(path);
  if (!json.ok()) return {std::nullopt, std::move(json.findings)};
  return CaseReader(*json.value, path.string()).read();
}

Loaded<std::vector<PublishedCase>> load_published_cases(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> paths;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(directory, problem))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  if (problem) throw WorldError(fmt::format("{}: {}", directory.string(), problem.message()));
  std::sort(paths.begin(), paths.end());
  Loaded<std::vector<PublishedCase>> out;
  out.value.emplace();
  for (const auto& path : paths) {
    Loaded<PublishedCase> one = load_published_case(path);
    out.findings.append(one.findings);
    if (one.value) out.value->push_back(std::move(*one.value));
  }
  if (paths.empty())
    out.findings.add(
        {Severity::kError, "no_cases", directory.string(), "", "no file", "files *.json, one for each case", "", ""});
  return out;
}

}  // namespace stallcast
