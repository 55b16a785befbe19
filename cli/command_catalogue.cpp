// stallcast catalogue list | show NAME: the records that scenarios may name.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/output.h"
#include "core/catalogue/catalogue.h"

namespace stallcast {
namespace {

// Prints what is wrong with the records; the rest of them can still be looked at.
std::optional<Catalogue> open_catalogue(const Environment& environment) {
  Loaded<Catalogue> loaded = load_catalogue(find_models_directory());
  print_findings(loaded.findings, environment.err);
  return std::move(loaded.value);
}

int list_command(const std::string& kind, const Environment& environment) {
  const std::optional<Catalogue> catalogue = open_catalogue(environment);
  if (!catalogue) return kExitBadInput;
  const std::vector<CatalogueRow> rows = catalogue->list();
  std::set<std::string> kinds;
  std::size_t kind_width = 0;
  std::size_t name_width = 0;
  for (const CatalogueRow& row : rows) {
    kinds.insert(row.kind);
    kind_width = std::max(kind_width, row.kind.size());
    name_width = std::max(name_width, row.name.size());
  }
  if (!kind.empty() && kinds.count(kind) == 0) {
    const std::string nearest = nearest_word(kind, {kinds.begin(), kinds.end()});
    environment.err << fmt::format("stallcast catalogue list: no kind '{}'; {}\n", kind,
                                   nearest.empty() ? fmt::format("kinds are {}", fmt::join(kinds, ", "))
                                                   : fmt::format("did you mean '{}'?", nearest));
    return kExitBadInput;
  }
  std::string text;
  for (const CatalogueRow& row : rows) {
    if (!kind.empty() && row.kind != kind) continue;
    text += fmt::format("{:<{}}  {:<{}}  {}{}\n", row.kind, kind_width, row.name, name_width, row.title,
                        row.status == "current" ? "" : " (" + row.status + ")");
  }
  deliver(text, "", environment);
  return kExitFine;
}

int show_command(const std::string& name, const Environment& environment) {
  const std::optional<Catalogue> catalogue = open_catalogue(environment);
  if (!catalogue) return kExitBadInput;
  const Loaded<std::string> record = catalogue->show_record(name);
  print_findings(record.findings, environment.err);
  if (!record.ok()) return kExitBadInput;
  deliver(record.value->ends_with('\n') ? *record.value : *record.value + "\n", "", environment);
  return kExitFine;
}

}  // namespace

void add_catalogue_command(CLI::App& app, CommandContext& context) {
  CLI::App* catalogue =
      app.add_subcommand("catalogue", "Look at the machines, tiers and workloads that scenarios may name");
  catalogue->require_subcommand(1);
  const auto word = std::make_shared<std::string>();

  CLI::App* list = catalogue->add_subcommand("list", "List every record, or those of one kind");
  list->add_option("KIND", *word, "gpu, instance, tier, workload, loader or collective");
  list->callback(
      [&context, word] { context.action = [&context, word] { return list_command(*word, context.environment); }; });

  CLI::App* show = catalogue->add_subcommand("show", "Show one record, every number with its source");
  show->add_option("NAME", *word, "Record, or KIND/NAME where two kinds share a name")->required();
  show->callback(
      [&context, word] { context.action = [&context, word] { return show_command(*word, context.environment); }; });
}

}  // namespace stallcast
