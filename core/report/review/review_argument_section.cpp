#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "core/plan/explain/curve_values.h"
#include "core/report/review/review_parts_document.h"
#include "core/report/words/set_options.h"
#include "core/scenario/fields/field_title.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/units/quantity_text.h"
#include "core/units/rounded.h"

namespace stallcast {
namespace {

// A source without its address, which the section of its record has: "TITLE, read 2026-11".
std::string without_address(const std::string& source) {
  const std::size_t begin = source.find("https://");
  if (begin == std::string::npos) return source;
  const std::size_t end = source.find(", ", begin);
  return source.substr(0, begin) + (end == std::string::npos ? "" : source.substr(end + 2));
}

// A fraction of more digits than anybody measures, "484.7945205479452 us", in four: the scenario that comes with the
// report has them all.
std::string short_numbers(const std::string& text) {
  constexpr std::size_t kMostDigits = 6;
  constexpr std::string_view kDigits = "0123456789";
  std::string shorter;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t whole = std::min(text.find_first_not_of(kDigits, at), text.size());
    if (whole == at) {
      shorter += text[at++];
      continue;
    }
    std::size_t end = whole;
    if (whole < text.size() && text[whole] == '.')
      end = std::min(text.find_first_not_of(kDigits, whole + 1), text.size());
    double number = 0.0;
    const bool is_long = end > whole && end - at - 1 > kMostDigits;
    if (is_long && std::from_chars(text.data() + at, text.data() + end, number).ec == std::errc{}) {
      shorter += format_number(rounded(number, 4));
    } else {
      shorter += text.substr(at, end - at);
    }
    at = end;
  }
  return shorter;
}

// Text as it is, anything else as JSON; of a list its members, of a list of lists "2.5 ms: 653.3 us, 5 ms: 803.3 us".
std::string json_words(const nlohmann::ordered_json& json, const char* between = ", ") {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array()) return json.dump();
  std::string text;
  for (const auto& member : json) text += (text.empty() ? "" : between) + json_words(member, ": ");
  return text;
}

// A value as people read it: of a distribution "gamma, mean 147 MB, shape 8.96".
std::string value_words(const std::string& value) {
  const auto json = nlohmann::ordered_json::parse(value, nullptr, false);
  if (json.is_array()) return short_numbers(json_words(json));
  if (!json.is_object()) return short_numbers(value);
  std::string text = json.value("kind", std::string());
  for (const auto& [key, member] : json.items()) {
    if (key == "kind") continue;
    text += (text.empty() ? "" : ", ") + key + " " + json_words(member);
  }
  return short_numbers(text);
}

// Where a value comes from, with a link to its record.
Text origin_words(const Provenance& from) {
  switch (from.origin) {
    case Origin::kCatalogue: {
      Words record = plain(from.record);
      record.link = "#" + source_id(from.record);
      Text text = {std::move(record)};
      if (!from.source.empty()) text.push_back(muted(": " + without_address(from.source)));
      if (!from.note.empty()) text.push_back(muted("; " + from.note));
      return text;
    }
    case Origin::kFile:
      return {plain("given in the scenario")};
    case Origin::kOverride:
      return {plain("set for this option")};
    case Origin::kDefault:
      break;
  }
  return {muted("default")};
}

std::string kind_of(const Provenance& from) {
  if (from.origin == Origin::kCatalogue) return from.kind.empty() ? "not said" : from.kind;
  return from.origin == Origin::kDefault ? "default" : "given";
}

Text moves_words(const ReviewPage& page, std::size_t row) {
  const Assumption& one = page.review.assumptions[row];
  if (!one.bar) return {muted("\u2013")};
  const std::string at = fmt::format("/assumptions/{}/moves/gpu_utilization/", row);
  return {number(page.data, at + "low", Dimension::kFraction), plain(" to "),
          number(page.data, at + "high", Dimension::kFraction)};
}

enum class Inputs { kDeciding, kSourced, kDefaults };
constexpr std::size_t kMostDeciding = 10;

std::string inputs_caption(const ReviewPage& page, Inputs which) {
  const std::string first = page.review.options.front().label;
  switch (which) {
    case Inputs::kDeciding:
      return "The values of option " + first +
             " that GPU utilization depends on most. All others, with their sources, are "
             "in the appendix.";
    case Inputs::kSourced:
      return "Every value of option " + first + " that has a source, the most influential first.";
    case Inputs::kDefaults:
      break;
  }
  return "Defaults: the values used where the scenario gives none.";
}

// Values of the option recommended: those that decide, without where they are from; all that have a source; defaults.
DocumentTable inputs_table(const ReviewPage& page, Inputs which) {
  DocumentTable table;
  table.id = which == Inputs::kDefaults   ? "defaults-table"
             : which == Inputs::kDeciding ? "deciding-table"
                                          : "assumptions-table";
  table.caption = inputs_caption(page, which);
  table.columns = {{"Input", false}, {"Value", true}};
  if (which != Inputs::kDefaults) {
    for (const char* heading : {"Kind", "GPU utilization over its interval", "From"})
      table.columns.push_back({heading});
    table.columns[3].numeric = true;
  }
  for (std::size_t i = 0; i < page.review.assumptions.size(); ++i) {
    const Assumption& one = page.review.assumptions[i];
    if ((one.from.origin == Origin::kDefault && !one.bar) != (which == Inputs::kDefaults)) continue;
    if (which == Inputs::kDeciding && (!one.bar || table.rows.size() == kMostDeciding)) continue;
    Words value = one.value.empty() ? muted("\u2013") : plain(value_words(one.value));
    if (number_of_text(one.pointer, one.value)) {
      value = number(page.data, fmt::format("/assumptions/{}/number", i), Dimension::kNone);
      value.text = short_numbers(one.value);
    }
    std::vector<Text>& row = table.rows.emplace_back();
    const std::string title = field_title(one.pointer), name = dotted_name(one.pointer);
    row = {title == name ? Text{code(name)} : Text{plain(title + " "), code(name)}, {value}};
    if (which == Inputs::kDefaults) continue;
    Text from = origin_words(one.from);
    if (which == Inputs::kDeciding) from.resize(1);
    row.insert(row.end(), {{plain(kind_of(one.from))}, moves_words(page, i), std::move(from)});
  }
  return table;
}

BulletList bullets(const std::vector<std::string>& texts, const std::string& otherwise) {
  BulletList list;
  for (const std::string& text : texts) list.items.push_back({plain(text)});
  if (list.items.empty()) list.items.push_back({plain(otherwise)});
  return list;
}

Section validation_part(const ReviewPage& page) {
  Section part{"validation", "Accuracy of past predictions", {}, {}};
  DocumentTable table;
  table.id = "validation-table";
  table.caption = "Absolute errors against measurements, as of " + page.review.accuracy.measured +
                  ". The appendix says how to compute them again.";
  table.columns = {{"Predicted", false}, {"Median", true}, {"P90", true}, {"Worst", true}, {"Unit", false}};
  for (std::size_t i = 0; i < page.review.accuracy.figures.size(); ++i) {
    const AccuracyFigure& one = page.review.accuracy.figures[i];
    const std::string at = fmt::format("/validation/figures/{}/", i);
    const auto cell = [&](const char* key, bool known) -> Text {
      return known ? Text{number(page.data, at + key, Dimension::kNone)} : Text{muted("\u2013")};
    };
    table.rows.push_back({{plain(one.what)},
                          cell("median", one.median.has_value()),
                          cell("p90", one.p90.has_value()),
                          cell("worst", one.worst.has_value()),
                          {plain(one.unit)}});
  }
  part.blocks.emplace_back(std::move(table));
  Text inputs = {
      plain("Of the catalogue values that option " + page.review.options.front().label + " rests on, "),
      number(page.data, "/validation/inputs/measured", Dimension::kCount),
      plain(" are measured, "),
      number(page.data, "/validation/inputs/vendor", Dimension::kCount),
      plain(" stated by a vendor and "),
      number(page.data, "/validation/inputs/assumed", Dimension::kCount),
      plain(" assumed. None counts as measured here unless it was measured on a system of its kind; a probe of the "
            "storage itself and stallcast calibrate put the values of this very system in their place.")};
  part.blocks.emplace_back(Paragraph{std::move(inputs)});
  return part;
}

Section alternatives_part(const Review& review) {
  Section part{"alternatives", "Alternatives and why not", {}, {}};
  BulletList list;
  for (std::size_t i = 1; i < review.options.size(); ++i) {
    const ReviewOption& option = review.options[i];
    list.items.push_back({strong(option.label), plain(" " + option.name + ": " + option.verdict + ".")});
  }
  if (list.items.empty()) list.items.push_back({plain("None was looked at.")});
  part.blocks.emplace_back(std::move(list));
  return part;
}

Section next_part(const ReviewPage& page) {
  Section part{"next-measurement", "The most useful next measurement", {}, {}};
  const auto& next = page.review.next_measurement;
  if (!next) {
    part.blocks.emplace_back(paragraph("No input that could be measured moves GPU utilization by a tenth of a point."));
    return part;
  }
  const std::string at = fmt::format("/sensitivity/tornado/{}/", next->bar);
  Text text = {strong(field_title(next->pointer)),
               plain(": over its interval GPU utilization goes from "),
               number(page.data, at + "at_low/gpu_utilization", Dimension::kFraction),
               plain(" to "),
               number(page.data, at + "at_high/gpu_utilization", Dimension::kFraction),
               plain(", more than for any other input that can be measured. " + next->how)};
  part.blocks.emplace_back(Paragraph{std::move(text)});
  return part;
}

}  // namespace

Section argument_section(const ReviewPage& page) {
  const Review& review = page.review;
  Section section{"argument", "Argument", {}, {}};
  Section assumptions{"assumptions", "Assumptions", {}, {}};
  assumptions.blocks.emplace_back(inputs_table(page, Inputs::kDeciding));
  Section unknowns{"unknowns", "UNKNOWN", {}, {}};
  unknowns.blocks.emplace_back(bullets(review.unknowns, "Nothing that a figure of this report needs is unknown."));
  Section changes{"would-change", "What would change the advice", {}, {}};
  changes.blocks.emplace_back(
      bullets(review.would_change, "None of the inputs of the break-even table does, as far as they were turned."));
  section.parts = {std::move(assumptions),    std::move(unknowns), validation_part(page),
                   alternatives_part(review), std::move(changes),  next_part(page)};
  return section;
}

Section action_section(const ReviewPage& page) {
  const Review& review = page.review;
  const ReviewOption& chosen = review.options.front();
  Section section{"action", "Action", {}, {}};
  Section settings{"settings", "What to set", {}, {}};
  if (chosen.point.empty()) {
    settings.blocks.emplace_back(paragraph("The scenario as it is."));
  } else {
    std::string lines;
    for (const std::string& one : set_options(chosen.point)) lines += (lines.empty() ? "" : " \\\n") + one;
    settings.blocks.emplace_back(CodeBlock{"", "sh", lines + "\n", false});
  }
  if (!review.files.empty()) {
    Text names = {plain("Files to use are in the appendix: ")};
    for (std::size_t i = 0; i < review.files.size(); ++i) {
      if (i > 0) names.push_back(plain(", "));
      names.push_back(code(review.files[i].name));
    }
    names.push_back(plain("."));
    settings.blocks.emplace_back(Paragraph{std::move(names)});
  }
  Section claims{"claims", "Measurements that would disprove the prediction", {}, {}};
  DocumentTable table;
  table.id = "claims-table";
  table.caption =
      "A prediction is disproved when the 95 % interval of repeated measurements lies entirely outside the predicted "
      "one.";
  table.columns = {{"Claim", false}, {"Predicted", true}, {"Measured by", false}};
  for (std::size_t i = 0; i < review.claims.size(); ++i) {
    const Claim& claim = review.claims[i];
    table.rows.push_back({{plain(claim.name)},
                          estimate_words(page.data, fmt::format("/claims/{}/predicted", i), claim.dimension),
                          {plain(claim.measured_by)}});
  }
  claims.blocks.emplace_back(std::move(table));
  Section risks{"risks", "Checklist", {}, {}};
  BulletList list = bullets(review.risks, "Nothing to check was found.");
  list.to_tick = true;
  risks.blocks.emplace_back(std::move(list));
  section.parts = {std::move(settings), std::move(claims), std::move(risks)};
  return section;
}

namespace {

// A source as the catalogue writes it, its address as a link.
Text source_words(const std::string& source) {
  const std::size_t begin = source.find("https://");
  if (begin == std::string::npos) return {plain(source)};
  const std::size_t end = std::min(source.find(", ", begin), source.size());
  Words link = plain(source.substr(begin, end - begin));
  link.link = link.text;
  return {plain(source.substr(0, begin)), std::move(link), plain(source.substr(end))};
}

// A section for each record that a value of the chosen option comes from.
std::vector<Section> source_parts(const Review& review) {
  std::map<std::string, std::set<std::string>> sources;
  for (const Assumption& one : review.assumptions)
    if (one.from.origin == Origin::kCatalogue) sources[one.from.record].insert(one.from.source);
  std::map<std::string, Section> parts;  // by id: two records whose names differ in signs alone share one
  for (const auto& [record, texts] : sources) {
    const std::string id = source_id(record);
    Section& part = parts.try_emplace(id, Section{id, record, {}, {}}).first->second;
    BulletList list;
    for (const std::string& text : texts)
      list.items.push_back(text.empty() ? Text{muted("no source stated")} : source_words(text));
    part.blocks.emplace_back(std::move(list));
  }
  std::vector<Section> out;
  for (auto& [id, part] : parts) out.push_back(std::move(part));
  return out;
}

}  // namespace

Section reproduction_section(const ReviewPage& page) {
  const ReproductionFacts& facts = page.review.reproduction;
  Section section{"reproduction", "Reproduction", {}, {}};
  DocumentTable table;
  table.id = "reproduction-table";
  table.caption = "The same program, catalogue, scenario and seed give the same report.";
  table.columns = {{"What", false}, {"Value", false}};
  const auto add = [&](const char* what, std::string value) {
    table.rows.push_back({{plain(what)}, {code(std::move(value))}});
  };
  add("stallcast", facts.program_version);
  table.rows.push_back({{plain("Seed")}, {number(page.data, "/reproduction/seed", Dimension::kCount)}});
  add("Scenario, resolved (hash)", facts.scenario_hash);
  add("Catalogue (hash)", facts.catalogue.hash);
  for (const std::string& overlay : facts.catalogue.overlays) add("Overlay", overlay);
  section.blocks.emplace_back(std::move(table));
  if (!facts.command.empty()) section.blocks.emplace_back(CodeBlock{"", "sh", facts.command + "\n", false});
  section.blocks.emplace_back(paragraph(
      "The resolved scenario, with every default written out, is attached as scenario.resolved.json; "
      "stallcast simulate reads it. The appendix, which is on the page and not in print, has every input with "
      "its source, the files to use, and the catalogue records."));
  return section;
}

namespace {

Section accuracy_commands(const ReviewPage& page) {
  Section part{"accuracy-commands", "Accuracy, computed again", {}, {}};
  DocumentTable table;
  table.id = "accuracy-commands-table";
  table.caption = "What each figure of accuracy is of, and the command that computes it.";
  table.columns = {{"Predicted", false}, {"Note", false}, {"Again with", false}};
  for (const AccuracyFigure& one : page.review.accuracy.figures)
    table.rows.push_back(
        {{plain(one.what)}, {plain(one.note)}, one.command.empty() ? Text{muted("\u2013")} : Text{code(one.command)}});
  part.blocks.emplace_back(std::move(table));
  return part;
}

}  // namespace

Section appendix_section(const ReviewPage& page) {
  Section section{"appendix", "Appendix", {}, {}, true};
  Section assumptions{"all-assumptions", "Every input with a source", {}, {}};
  assumptions.blocks.emplace_back(inputs_table(page, Inputs::kSourced));
  Section defaults{"defaults", "Defaults", {}, {}};
  defaults.blocks.emplace_back(inputs_table(page, Inputs::kDefaults));
  section.parts = {std::move(assumptions), std::move(defaults), accuracy_commands(page)};
  if (!page.review.files.empty()) {
    Section files{"files-to-use", "Files to use", {}, {}};
    for (const EmittedFile& file : page.review.files)
      files.blocks.emplace_back(CodeBlock{file.name, "", file.text, true});
    section.parts.push_back(std::move(files));
  }
  section.parts.push_back(Section{"sources", "Catalogue records used", {}, source_parts(page.review)});
  return section;
}

}  // namespace stallcast
