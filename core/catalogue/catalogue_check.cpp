#include "core/catalogue/catalogue_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>

#include "core/catalogue/dates.h"
#include "core/catalogue/plausibility.h"
#include "core/catalogue/tier_example.h"
#include "core/catalogue/unit_price.h"
#include "core/diagnostics/invariant.h"
#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

using std::chrono::sys_days;

// Every source that numbers of `record` are from, with the file it is used in.
void judge_sources(const Record& record, sys_days today, const std::string& today_text, Findings& findings) {
  struct Use {
    std::string file;
    std::size_t numbers = 0;
  };
  std::map<std::string, Use> uses;
  for (const FactRow& row : record.rows) {
    if (row.source_key.empty()) continue;  // told when it was read
    Use& use = uses[row.source_key];
    use.file = row.file;
    ++use.numbers;
  }
  for (const auto& [key, use] : uses) {
    const auto source = record.sources.find(key);
    if (source == record.sources.end()) continue;  // told when it was read
    const std::string& read = source->second.read;
    const std::string pointer = fmt::format("/sources/{}/read", pointer_token(key));
    const auto warn = [&, &use = use](const char* code, std::string got, std::string allowed, const char* fix) {
      findings.add({Severity::kWarning, code, use.file, pointer, std::move(got), std::move(allowed), fix,
                    fmt::format("{} number{} from it", use.numbers, use.numbers == 1 ? " is" : "s are")});
    };
    const auto range = date_range(read);
    if (!range) {
      warn("not_a_date", fmt::format("\"{}\"", read), "a date like 2026-11 or 2026-11-21", "");
    } else if (range->first > today) {
      warn("date_in_future", read, fmt::format("{} or before", today_text), "correct the date");
    } else if (today - range->last > std::chrono::days(kStaleDays)) {
      warn("stale_source", fmt::format("read {}, {} days before {}", read, (today - range->last).count(), today_text),
           fmt::format("at most {} days", kStaleDays), "read the source again and correct its date");
    }
  }
}

void judge_prices(const Record& record, Findings& findings) {
  const std::vector<PriceKey>& keys = price_keys(record.kind);
  std::vector<std::string> known;
  for (const PriceKey& key : keys) known.push_back(key.name);
  const auto row_of = [&](const std::string& name) -> const FactRow* {
    const auto found = std::find_if(record.rows.begin(), record.rows.end(),
                                    [&](const FactRow& row) { return row.name == "price/" + name; });
    return found == record.rows.end() ? nullptr : &*found;
  };
  for (const auto& [name, price] : record.prices) {
    const FactRow* row = row_of(name);
    if (row == nullptr || std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest_word(name, known);
    findings.add({Severity::kWarning, "unknown_price", row->file, row->pointer, fmt::format("\"{}\"", name),
                  fmt::format("{}", fmt::join(known, ", ")),
                  near.empty() ? "" : fmt::format("did you mean \"{}\"?", near), "no cost is computed from it"});
  }
  // What one commits to longer, or may lose, costs less.
  const std::array<std::pair<const char*, const char*>, 4> at_most = {{{"spot", "on_demand"},
                                                                       {"reserved_1y", "on_demand"},
                                                                       {"reserved_3y", "on_demand"},
                                                                       {"reserved_3y", "reserved_1y"}}};
  for (const auto& [low, high] : at_most) {
    const FactRow* a = row_of(low);
    const FactRow* b = row_of(high);
    if (a == nullptr || b == nullptr || !a->value || !b->value || *a->value <= *b->value) continue;
    findings.add({Severity::kWarning, "dearer_than_on_demand", a->file, a->pointer, a->text,
                  fmt::format("{} or less", b->text), "", fmt::format("{} costs that", high)});
  }
}

// How many findings are errors, and how many warnings.
std::pair<std::size_t, std::size_t> severities(const Findings& findings) {
  const auto errors = static_cast<std::size_t>(
      std::count_if(findings.list().begin(), findings.list().end(),
                    [](const Finding& finding) { return finding.severity == Severity::kError; }));
  return {errors, findings.list().size() - errors};
}

}  // namespace

CatalogueCheck check_catalogue(const Catalogue& catalogue, const std::string& today) {
  invariant(is_date(today), "check_catalogue: today is a day of the calendar");
  const sys_days now = date_range(today)->first;
  CatalogueCheck check;
  for (const Record* record : catalogue.records()) {
    ++check.records;
    check.numbers += record->rows.size();
    judge_sources(*record, now, today, check.findings);
    judge_prices(*record, check.findings);
    find_implausible(*record, check.findings);
  }
  for (const auto& [name, tier] : catalogue.tiers) check.examples += judge_examples(tier, check.findings);
  return check;
}

std::string check_text(const CatalogueCheck& check) {
  const auto [errors, warnings] = severities(check.findings);
  const auto counted = [](std::size_t n, const char* noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
  };
  return fmt::format("{}, {}, {} of vendors' examples: {}, {}", counted(check.records, "record"),
                     counted(check.numbers, "number"), check.examples, counted(errors, "error"),
                     counted(warnings, "warning"));
}

nlohmann::ordered_json check_json(const CatalogueCheck& check) {
  const auto [errors, warnings] = severities(check.findings);
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Finding& f : check.findings.list()) {
    findings.push_back({{"severity", f.severity == Severity::kError ? "error" : "warning"},
                        {"code", f.code},
                        {"file", f.file},
                        {"pointer", f.pointer},
                        {"got", f.got},
                        {"allowed", f.allowed},
                        {"fix", f.fix},
                        {"why", f.why}});
  }
  return {{"records", check.records}, {"numbers", check.numbers}, {"examples", check.examples},
          {"errors", errors},         {"warnings", warnings},     {"findings", std::move(findings)}};
}

}  // namespace stallcast
