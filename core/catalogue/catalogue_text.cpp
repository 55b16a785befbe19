#include "core/catalogue/catalogue_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/catalogue/capacity_rule.h"
#include "core/catalogue/match_record.h"
#include "core/catalogue/tier_example.h"
#include "core/catalogue/unit_price.h"
#include "core/units/binary_multiples.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

std::string provider_of(const Catalogue& catalogue, const Record& record) {
  if (record.kind == "tier") return catalogue.tiers.at(record.name).provider;
  if (record.kind == "instance") return catalogue.instances.at(record.name).provider;
  return "";
}

// "2.5 TB/s", "100 MiB/s": in three digits.
std::string rate_text(double bytes_per_s, bool binary) {
  const double giga = binary ? kGiB : 1e9, kilo = binary ? 1024.0 : 1e3;
  const char* const unit = binary ? "iB/s" : "B/s";
  const double value = bytes_per_s / giga;
  if (value >= 1000.0) return fmt::format("{:.3g} T{}", value / kilo, unit);
  return value >= 1.0 ? fmt::format("{:.3g} G{}", value, unit) : fmt::format("{:.3g} M{}", value * kilo, unit);
}

// "12 TiB or more, 13.8 GiB/s, $0.14/GiB-month": the smallest size, what it reads, and the price.
std::string sells(const TierRecord& tier) {
  std::vector<std::string> parts;
  TierSize size;
  if (tier.capacity_min) size.capacity = tier.capacity_min->value;
  if (tier.servers_default) size.servers = tier.servers_default->value;
  if (tier.servers_default == std::nullopt && tier.servers_min) size.servers = tier.servers_min->value;
  if (tier.capacity_min) {
    parts.push_back(format_quantity(Dimension::kBytes, size.capacity.base()) + " or more");
  }
  const TierRates rates = rates_at(tier, size);
  const bool sized = tier.capacity_min || !tier.laws.read_bandwidth.per_tib;
  if (rates.read_bandwidth && sized && rates.read_bandwidth->value.base() > 0.0) {
    // In the unit that the record is written in.
    const double value = rates.read_bandwidth->value.base();
    const bool binary = std::any_of(tier.rows.begin(), tier.rows.end(), [](const FactRow& row) {
      return row.name.find("bandwidth") != std::string::npos && row.text.find("iB/s") != std::string::npos;
    });
    parts.push_back(rate_text(value, binary));
  }
  const auto price = tier.prices.find("capacity");
  const auto unit = price == tier.prices.end() ? std::nullopt : unit_price(price->second);
  if (unit && unit->usd > 0.0) parts.push_back(fmt::format("${:.3g}/GiB-month", unit->usd * kGiB * kPriceMonthHours));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Lines under one another: `label` once, then `text`.
class Lines {
 public:
  explicit Lines(std::size_t width) : width_(width) {}
  void head(const std::string& label, const std::string& text) {
    text_ += fmt::format("\n{:<{}}  {}\n", label, width_, text);
  }
  void more(const std::string& text) {
    if (!text.empty()) text_ += fmt::format("{:<{}}  {}\n", "", width_, text);
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t width_;
  std::string text_;
};

// "0.5 GB/s, guide; 0.6 GB/s, blog: copied" in one line each.
void show_row(const FactRow& row, const Record& record, Lines& lines) {
  lines.head(row.name, row.text);
  const std::string kind = row.evidence.kind.empty() ? "kind not stated" : row.evidence.kind;
  lines.more(kind + ": " + (row.evidence.source.empty() ? "no source" : row.evidence.source));
  lines.more(row.evidence.note);
  if (row.evidence.core_speed > 0.0)
    lines.more(fmt::format("of a core that does {:.3g} of a Zen 4 core's work", row.evidence.core_speed));
  for (const OtherValue& other : row.others) {
    lines.more(fmt::format("also: {}, {}{}", other.text, other.source, other.note.empty() ? "" : "; " + other.note));
  }
  if (!row.evidence.reason.empty()) lines.more("chosen because " + row.evidence.reason);
  if (row.file != record.file) lines.more("from " + row.file);
}

void show_examples(const TierRecord& tier, Lines& lines) {
  for (const TierExample& example : tier.examples) {
    std::vector<std::string> printed;
    for (const PrintedNumber& number : example.printed) {
      printed.push_back(fmt::format("{} {}", number.name, number.text));
    }
    lines.head("example", fmt::format("{}", fmt::join(printed, ", ")));
    lines.more("for " + bought_text(example));
    lines.more("vendor: " + example.source);
    lines.more(example.note);
  }
}

}  // namespace

std::vector<CatalogueRow> list_records(const Catalogue& catalogue, const std::string& kind,
                                       const std::string& provider) {
  std::vector<CatalogueRow> rows;
  for (const Record* record : catalogue.records()) {
    CatalogueRow row = {record->kind,  record->name,   provider_of(catalogue, *record), record->status, "",
                        record->title, record->overlay};
    if (!kind.empty() && row.kind != kind) continue;
    if (!provider.empty() && row.provider != provider) continue;
    if (row.kind == "tier") row.sells = sells(catalogue.tiers.at(row.name));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string rows_text(const std::vector<CatalogueRow>& rows) {
  const auto cells = [](const CatalogueRow& row) {
    return std::array<std::string, 6>{row.kind,     row.name,
                                      row.provider, row.status,
                                      row.sells,    row.title + (row.overlay.empty() ? "" : " (" + row.overlay + ")")};
  };
  std::vector<std::array<std::string, 6>> table = {{"KIND", "NAME", "PROVIDER", "STATUS", "SMALLEST SIZE", "TITLE"}};
  for (const CatalogueRow& row : rows) table.push_back(cells(row));
  std::array<std::size_t, 6> widths{};
  std::array<bool, 6> filled{};
  for (std::size_t line = 0; line < table.size(); ++line) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths.at(i) = std::max(widths.at(i), table[line].at(i).size());
      if (line > 0 && !table[line].at(i).empty()) filled.at(i) = true;
    }
  }
  std::string text;
  for (const auto& line : table) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (!filled.at(i)) continue;
      text += i + 1 == widths.size() ? line.at(i) : fmt::format("{:<{}}  ", line.at(i), widths.at(i));
    }
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json rows_json(const std::vector<CatalogueRow>& rows) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
  };
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const CatalogueRow& row : rows) {
    out.push_back({{"kind", row.kind},
                   {"name", row.name},
                   {"provider", or_null(row.provider)},
                   {"status", row.status},
                   {"sells", or_null(row.sells)},
                   {"title", row.title},
                   {"overlay", or_null(row.overlay)}});
  }
  return out;
}

Loaded<std::string> show_record(const Catalogue& catalogue, const std::string& name) {
  // "KIND/NAME" looks among the records of that kind alone.
  const std::size_t slash = name.find('/');
  const std::string kind = slash == std::string::npos ? "" : name.substr(0, slash);
  const std::vector<std::string>& kinds = record_kinds();
  const bool of_kind = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  std::vector<const Record*> among;
  for (const Record* record : catalogue.records())
    if (!of_kind || record->kind == kind) among.push_back(record);
  Loaded<std::string> result;
  const Record* found = matched_record(of_kind ? name.substr(slash + 1) : name, of_kind ? kind : "record", among, "",
                                       "", result.findings);
  if (found == nullptr) return result;
  const Record& record = *found;
  std::string text = fmt::format("{}: {} ({}{}{})\n", record.label(), record.title, record.status,
                                 record.status_note.empty() ? "" : ": ", record.status_note);
  const std::string provider = provider_of(catalogue, record);
  if (!provider.empty()) text += "provider  " + provider + "\n";
  if (!record.region.empty()) text += "region    " + record.region + "\n";
  if (!record.aliases.empty()) text += fmt::format("aliases   {}\n", fmt::join(record.aliases, ", "));
  if (!record.usual_for.empty()) text += fmt::format("usual for {}\n", fmt::join(record.usual_for, ", "));
  std::size_t width = 0;
  for (const FactRow& row : record.rows) width = std::max(width, row.name.size());
  Lines lines(width);
  for (const FactRow& row : record.rows) show_row(row, record, lines);
  if (record.kind == "tier") show_examples(catalogue.tiers.at(record.name), lines);
  text += lines.text() + fmt::format("\n{}\n", record.file);
  if (!record.extends.empty()) text += fmt::format("extends {}/{}\n", record.kind, record.extends);
  result.value = std::move(text);
  return result;
}

}  // namespace stallcast
