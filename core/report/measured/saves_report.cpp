#include "core/report/measured/saves_report.h"

#include <fmt/format.h>

#include "core/result/program_version.h"

namespace stallcast {

using nlohmann::ordered_json;

std::string render_saves_text(const SaveValidation& v) {
  std::string out = fmt::format("{:<52} {:>9} {:>9} {:>7}\n", "case", "predicted", "measured", "error");
  for (const PredictedTime& t : v.times) {
    const std::string name = fmt::format("{} #{}{}", t.id, t.repeat, t.group.ends_with(" load") ? " load" : "");
    out += fmt::format("{:<52} {:>7.3f} s", name, t.predicted.base());
    out += t.measured ? fmt::format(" {:>7.3f} s {:>+6.1f}%\n", t.measured->base(), 100.0 * t.error())
                      : std::string("         -       -\n");
  }
  out += fmt::format("\n{:<24} {:>5}  {:>7} {:>7} {:>7} {:>7}   {}\n", "relative error", "times", "bias", "median",
                     "P90", "worst", "within 30 %");
  for (const SaveScore& s : v.scores) {
    out += fmt::format("{:<24} {:>5}  {:>+6.1f}% {:>6.1f}% {:>6.1f}% {:>6.1f}%   {:>9.0f} %\n", s.group, s.count,
                       100.0 * s.bias, 100.0 * s.median, 100.0 * s.p90, 100.0 * s.worst, 100.0 * s.within_30_percent);
  }
  return out;
}

ordered_json saves_json(const SaveValidation& v) {
  ordered_json cases = ordered_json::array(), summary = ordered_json::object();
  for (const PredictedTime& t : v.times) {
    cases.push_back({{"id", t.id},
                     {"repeat", t.repeat},
                     {"group", t.group},
                     {"predicted_s", t.predicted.base()},
                     {"measured_s", t.measured ? ordered_json(t.measured->base()) : ordered_json()}});
  }
  for (const SaveScore& s : v.scores) {
    summary[s.group] = {{"count", s.count}, {"bias", s.bias},   {"median", s.median},
                        {"p90", s.p90},     {"worst", s.worst}, {"within_30_percent", s.within_30_percent}};
  }
  return {{"format_version", 1},
          {"program_version", program_version()},
          {"cases", std::move(cases)},
          {"summary", std::move(summary)}};
}

}  // namespace stallcast
