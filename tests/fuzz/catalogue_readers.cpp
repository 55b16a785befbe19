// What stands in a catalogue: records, alone and over others, rules, and how accurate predictions were.
#include <fstream>

#include "core/catalogue/catalogue_text.h"
#include "core/plan/evaluate/accuracy.h"
#include "core/plan/rules/rules.h"
#include "core/scenario/resolve/resolve.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/readers.h"

namespace stallcast::fuzz {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

// A job on each tier and each instance that the overlay gives.
void resolve_with(const Catalogue& catalogue) {
  for (const auto& [name, tier] : catalogue.tiers) {
    if (tier.overlay.empty()) continue;
    nlohmann::ordered_json job = small_job();
    for (const char* capacity : {"", "12 TiB"}) {
      job["storage"] = {{"tier", name}};
      if (*capacity != '\0') job["storage"]["capacity"] = capacity;
      check_loaded(resolve(parse_scenario(job, "job.json").value.value(), catalogue));
    }
  }
  for (const auto& [name, instance] : catalogue.instances) {
    if (instance.overlay.empty()) continue;
    const nlohmann::ordered_json job = {{"cluster", {{"instance", name}, {"nodes", 2}}},
                                        {"workload", {{"name", "unet3d"}}},
                                        {"storage", {{"tier", "parallelstore"}, {"capacity", "12 TiB"}}}};
    check_loaded(resolve(parse_scenario(job, "job.json").value.value(), catalogue));
  }
}

// Records of an overlay, each a part: r0.json, r1.json, ...
void read_record(std::string_view content) {
  const fs::path folder = empty_folder();
  const std::vector<std::string_view> parts = parts_of(content);
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 5); ++i)
    write(folder / ("r" + std::to_string(i) + ".json"), parts[i]);
  const Loaded<Catalogue> catalogue = load_catalogue(small_models(), {folder});
  check_loaded(catalogue);
  if (!catalogue.value) return;
  rows_json(list_records(*catalogue.value));
  (void)rows_text(list_records(*catalogue.value));
  for (const Record* record : catalogue.value->records())
    if (!record->overlay.empty()) check_loaded(show_record(*catalogue.value, record->kind + "/" + record->name));
  if (catalogue.ok()) resolve_with(*catalogue.value);
}

void read_rule(std::string_view content) {
  const fs::path folder = empty_folder();
  write(folder / "rules" / "rule.json", content);
  check_loaded(load_rules(folder));
}

void read_accuracy(std::string_view content) {
  const fs::path folder = empty_folder();
  write(folder / "validation" / "accuracy.json", content);
  check_loaded(load_accuracy(folder));
}

}  // namespace

std::vector<Reader> catalogue_readers() {
  return {{"record", read_record}, {"rule", read_rule}, {"accuracy", read_accuracy}};
}

}  // namespace stallcast::fuzz
