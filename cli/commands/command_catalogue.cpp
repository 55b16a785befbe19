// stallcast catalogue list | show NAME | check | import: the records that scenarios may name.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "cli/options/catalogue_options.h"
#include "cli/shell/command.h"
#include "cli/shell/output.h"
#include "core/catalogue/catalogue_check.h"
#include "core/catalogue/catalogue_text.h"
#include "core/catalogue/dates.h"
#include "core/import/price_import.h"

namespace stallcast {
namespace {

const std::vector<std::string> kProviders = {"gcp", "aws", "azure", "self", "any"};

struct CatalogueCommand {
  CatalogueOptions catalogue;
  std::string word;  // KIND or NAME
  std::string provider;
  std::string format = "table";
  std::string today;
  std::vector<std::string> feeds;
  std::string region;
  std::string overlay;  // directory to write
};

// Prints what is wrong with the records; the rest of them can still be looked at.
std::optional<Catalogue> open_catalogue(const CatalogueCommand& given, const Environment& environment) {
  Loaded<Catalogue> loaded = load_catalogue(given.catalogue);
  print_findings(loaded.findings, environment.err);
  return std::move(loaded.value);
}

int list_command(const CatalogueCommand& given, const Environment& environment) {
  const std::vector<std::string>& kinds = record_kinds();
  if (!given.word.empty() && std::find(kinds.begin(), kinds.end(), given.word) == kinds.end()) {
    const std::string nearest = nearest_word(given.word, kinds);
    environment.err << fmt::format("stallcast catalogue list: no kind '{}'; {}\n", given.word,
                                   nearest.empty() ? fmt::format("kinds are {}", fmt::join(kinds, ", "))
                                                   : fmt::format("did you mean '{}'?", nearest));
    return kExitBadInput;
  }
  const std::optional<Catalogue> catalogue = open_catalogue(given, environment);
  if (!catalogue) return kExitBadInput;
  const std::vector<CatalogueRow> rows = list_records(*catalogue, given.word, given.provider);
  deliver(given.format == "json" ? rows_json(rows).dump(2) + "\n" : rows_text(rows), "", environment);
  return kExitFine;
}

int show_command(const CatalogueCommand& given, const Environment& environment) {
  const std::optional<Catalogue> catalogue = open_catalogue(given, environment);
  if (!catalogue) return kExitBadInput;
  const Loaded<std::string> record = show_record(*catalogue, given.word);
  print_findings(record.findings, environment.err);
  if (!record.ok()) return kExitBadInput;
  deliver(*record.value, "", environment);
  return kExitFine;
}

std::string date_of_today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

// The date given, or that of the clock; a finding is printed when it is none.
std::optional<std::string> today_of(const CatalogueCommand& given, const Environment& environment) {
  std::string today = given.today.empty() ? date_of_today() : given.today;
  if (is_date(today)) return today;
  environment.err << render_finding({Severity::kError, "not_a_date", "--today", "", fmt::format("\"{}\"", today),
                                     "a date like 2026-11-21", "", ""})
                  << "\n";
  return std::nullopt;
}

int check_command(const CatalogueCommand& given, const Environment& environment) {
  const std::optional<std::string> today = today_of(given, environment);
  if (!today) return kExitBadInput;
  const Loaded<Catalogue> loaded = load_catalogue(given.catalogue);
  CatalogueCheck check;
  if (loaded.value) check = check_catalogue(*loaded.value, *today);
  Findings findings = loaded.findings;
  findings.append(check.findings);
  check.findings = std::move(findings);
  if (given.format == "table") print_findings(check.findings, environment.err);
  deliver(given.format == "json" ? check_json(check).dump(2) + "\n" : check_text(check) + "\n", "", environment);
  return check.findings.has_errors() ? kExitBadInput : kExitFine;
}

// An import that was ended may have left folders without any.
bool has_records(const std::filesystem::path& overlay) {
  std::error_code ignored;
  return std::any_of(std::filesystem::recursive_directory_iterator(overlay, ignored),
                     std::filesystem::recursive_directory_iterator(),
                     [](const auto& entry) { return entry.path().extension() == ".json"; });
}

int import_command(const CatalogueCommand& given, const Environment& environment) {
  const std::optional<std::string> today = today_of(given, environment);
  if (!today) return kExitBadInput;
  // Compared with what the user sees now, the overlay that is about to be changed included.
  CatalogueOptions seen = given.catalogue;
  if (has_records(given.overlay)) seen.overlays.push_back(given.overlay);
  const Loaded<Catalogue> catalogue = load_catalogue(seen);
  if (!catalogue.ok()) {
    print_findings(catalogue.findings, environment.err);
    return kExitBadInput;
  }
  const std::vector<std::filesystem::path> feeds(given.feeds.begin(), given.feeds.end());
  const Loaded<PriceImport> prices =
      import_prices(feeds, {given.provider, given.region}, *catalogue.value, given.overlay, *today);
  print_findings(prices.findings, environment.err);
  if (!prices.ok()) return kExitBadInput;
  write_overlay(*prices.value);
  deliver(import_text(*prices.value, *today), "", environment);
  return kExitFine;
}

using CommandFunction = int (*)(const CatalogueCommand&, const Environment&);

}  // namespace

void add_catalogue_command(CLI::App& app, CommandContext& context) {
  CLI::App* catalogue =
      app.add_subcommand("catalogue", "Look at the machines, tiers and workloads that scenarios may name");
  catalogue->require_subcommand(1);

  const auto add = [&](const char* name, const char* help, CommandFunction run) {
    CLI::App* command = catalogue->add_subcommand(name, help);
    const auto given = std::make_shared<CatalogueCommand>();
    add_catalogue_option(*command, given->catalogue);
    command->callback([&context, given, run] {
      context.action = [&context, given, run] { return run(*given, context.environment); };
    });
    return std::pair(command, given);
  };
  const auto add_format = [](CLI::App* command, std::string& format) {
    command->add_option("--format", format, "table or json")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
  };

  const auto [list, list_given] = add("list", "List every record, or those of one kind", list_command);
  list->add_option("KIND", list_given->word,
                   "gpu, instance, tier, workload, loader, format, checkpointer or collective");
  list->add_option("--provider", list_given->provider, "Only records of one provider")
      ->type_name("PROVIDER")
      ->check(CLI::IsMember(kProviders));
  add_format(list, list_given->format);

  const auto [show, show_given] = add("show", "Show one record, every number with its source", show_command);
  show->add_option("NAME", show_given->word, "Record, or KIND/NAME where two kinds share a name")->required();

  const auto [check, check_given] =
      add("check", "Find numbers without a source, old sources, slips of units, and laws that vendors contradict",
          check_command);
  check->add_option("--today", check_given->today, "Date to reckon the age of sources from, as in 2026-11-21")
      ->type_name("DATE");
  add_format(check, check_given->format);

  const auto [import, import_given] =
      add("import", "Take prices from files of clouds into an overlay, and say what changed", import_command);
  import
      ->add_option("FILE", import_given->feeds,
                   "SkyPilot's vms.csv, AWS offer files or GetProducts answers, Google Cloud SKUs, Karpenter's prices")
      ->required();
  import->add_option("-o,--output", import_given->overlay, "Directory of the overlay to write")
      ->type_name("DIR")
      ->required();
  import->add_option("--provider", import_given->provider, "Refuse files of another provider")
      ->type_name("PROVIDER")
      ->check(CLI::IsMember({"aws", "gcp", "azure"}));
  import->add_option("--region", import_given->region, "Take the prices of this region, not of each record's own")
      ->type_name("REGION");
  import->add_option("--today", import_given->today, "Date to write as that of reading, as in 2026-11-21")
      ->type_name("DATE");
}

}  // namespace stallcast
