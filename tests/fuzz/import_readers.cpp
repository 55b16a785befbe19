// Other tools' workload files and the price files of clouds.
#include <nlohmann/json.hpp>

#include "core/import/csv_table.h"
#include "core/import/dlio.h"
#include "core/import/json_stream.h"
#include "core/import/price_import.h"
#include "core/import/yaml_tree.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/readers.h"

namespace stallcast::fuzz {
namespace {

// The scenario that an import makes is one that can be read.
void read_dlio_workload(std::string_view content) {
  DlioOptions described;
  described.nodes = 2;
  DlioOptions named;
  named.instance = "a3-highgpu-8g";
  named.tier = "parallelstore";
  for (const DlioOptions& options : {described, named}) {
    const Loaded<nlohmann::ordered_json> scenario =
        import_dlio_text(std::string(content), "workload.yaml", options, shipped_catalogue());
    check_loaded(scenario);
    if (!scenario.ok()) continue;
    const Loaded<ScenarioFile> file = parse_scenario(*scenario.value, "scenario.json");
    for (const Finding& finding : file.findings.list())
      throw Broken("imported, but not read: " + render_finding(finding));
    check_scenario_file(*file.value);
  }
}

void read_yaml(std::string_view content) { check_loaded(parse_yaml(std::string(content), "file.yaml")); }

// What an import writes over the catalogue is an overlay that can be read.
void read_prices(std::string_view content) {
  const std::filesystem::path overlay = empty_folder();
  static const Catalogue kSmall = load_catalogue(small_models()).value.value();
  const Loaded<PriceImport> prices = import_prices({file_of(content, "prices")}, {}, kSmall, overlay, "2026-11-22");
  check_loaded(prices);
  if (!prices.ok()) return;
  (void)import_text(*prices.value, "2026-11-22");
  if (prices.value->files.empty()) return;
  write_overlay(*prices.value);
  const Loaded<Catalogue> after = load_catalogue(small_models(), {overlay});
  for (const Finding& finding : after.findings.list())
    if (finding.severity == Severity::kError) throw Broken("imported, but not read: " + render_finding(finding));
}

void read_csv_table(std::string_view content) { check_loaded(read_csv(file_of(content, "table.csv"))); }

void read_json_stream(std::string_view content) {
  const auto ignore = [](const JsonPath&, const nlohmann::ordered_json&) {};
  check_findings(stream_json(file_of(content, "stream"), {{"a"}, {"a", "*"}, {"*", "b", "c"}}, ignore));
}

}  // namespace

std::vector<Reader> import_readers() {
  return {{"dlio_workload", read_dlio_workload},
          {"yaml", read_yaml},
          {"prices", read_prices},
          {"csv", read_csv_table},
          {"json_stream", read_json_stream}};
}

}  // namespace stallcast::fuzz
