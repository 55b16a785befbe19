#include "tests/hunt/shrink.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace stallcast::hunt {
namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

class Shrinker {
 public:
  Shrinker(Json job, const std::function<bool(const Json&)>& still_fails, const ShrinkLimits& limits)
      : job_(std::move(job)), still_fails_(still_fails), limits_(limits) {}

  Json run() {
    bool again = true;
    while (again && !spent()) {
      again = false;
      for (const Pointer& group : members(Pointer(), false)) again = without(group) || again;
      for (const Pointer& field : fields()) again = without(field) || again;
      for (const Pointer& field : fields()) again = simpler(field) || again;
    }
    return std::move(job_);
  }

 private:
  bool spent() const {
    return trials_ >= limits_.most_trials ||
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() > limits_.most_s;
  }

  // Takes the change over when the job still fails.
  bool accept(Json candidate) {
    if (spent() || candidate == job_) return false;
    ++trials_;
    if (!still_fails_(candidate)) return false;
    job_ = std::move(candidate);
    return true;
  }

  std::vector<Pointer> members(const Pointer& of, bool plain) const {
    std::vector<Pointer> out;
    if (!job_.contains(of) || !job_.at(of).is_object()) return out;
    for (const auto& [key, value] : job_.at(of).items()) {
      if (of.empty() && key == "format_version") continue;
      if (of == Pointer("/run") && key == "uncertain") continue;  // "[]": nothing that a fault could hang on
      if (plain || value.is_object() || of.empty()) out.push_back(of / key);
    }
    return out;
  }

  std::vector<Pointer> fields() const {
    std::vector<Pointer> out;
    for (const Pointer& group : members(Pointer(), true))
      for (const Pointer& field : members(group, true)) out.push_back(field);
    return out;
  }

  bool without(const Pointer& what) {
    if (!job_.contains(what)) return false;
    Json candidate = job_;
    candidate.at(what.parent_pointer()).erase(what.back());
    if (what == Pointer("/run")) candidate["run"]["uncertain"] = Json::array();
    return accept(std::move(candidate));
  }

  bool with(const Pointer& what, Json value) {
    Json candidate = job_;
    candidate.at(what) = std::move(value);
    return accept(std::move(candidate));
  }

  bool simpler(const Pointer& field) {
    if (!job_.contains(field)) return false;
    const Json value = job_.at(field);
    if (value.is_object() && value.contains("mean")) return with(field, value.at("mean"));  // a constant instead
    if (value.is_boolean()) return value.get<bool>() && with(field, false);
    if (!value.is_number_integer()) return false;
    const auto number = value.get<std::int64_t>();
    bool any = false;
    for (const std::int64_t simple : {std::int64_t{1}, number / 4, number / 2, rounded(number)}) {
      if (simple < 1 || simple >= number || !job_.contains(field)) continue;
      if (with(field, simple)) return true;
    }
    return any;
  }

  // 123456 becomes 120000.
  static std::int64_t rounded(std::int64_t number) {
    std::int64_t unit = 1;
    while (number / unit >= 100) unit *= 10;
    return number / unit * unit;
  }

  Json job_;
  const std::function<bool(const Json&)>& still_fails_;
  ShrinkLimits limits_;
  int trials_ = 0;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

nlohmann::ordered_json shrink_job(const nlohmann::ordered_json& job,
                                  const std::function<bool(const nlohmann::ordered_json&)>& still_fails,
                                  const ShrinkLimits& limits) {
  return Shrinker(job, still_fails, limits).run();
}

}  // namespace stallcast::hunt
