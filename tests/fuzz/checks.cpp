#include "tests/fuzz/checks.h"

#include <unistd.h>

#include <fstream>
#include <vector>

#include "core/diagnostics/json_input.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/resolve/resolve.h"
#include "tests/fuzz/readers.h"

namespace stallcast::fuzz {
namespace {

namespace fs = std::filesystem;

struct Scratch {
  fs::path folder = fs::temp_directory_path() / ("stallcast_fuzz_" + std::to_string(::getpid()));
  Scratch() { fs::create_directories(folder); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

const fs::path& scratch() {
  static const Scratch kScratch;
  return kScratch.folder;
}

const fs::path kModels = fs::path(STALLCAST_SOURCE_DIR) / "models";

// Control characters but the newlines of a finding's own layout, and those of ISO 8859 (U+0080 to U+009F), which
// terminals obey as well.
bool is_showable(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7F) return false;
    const unsigned char next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) return false;
  }
  return true;
}

// A field in which they differ, or "".
std::string difference(const Scenario& a, const Scenario& b) {
  for (const Field& field : field_table())
    if (!(field.get(a) == field.get(b))) return field.pointer;
  return "";
}

}  // namespace

void require(bool holds, const std::string& what) {
  if (!holds) throw Broken(what);
}

void check_findings(const Findings& findings) {
  for (const Finding& finding : findings.list()) {
    const std::string text = render_finding(finding);
    require(!finding.code.empty(), "a finding without a code: " + text);
    require(is_showable(text), "a finding that writes to the terminal: " + text);
    require(text.size() < 65536, "a finding that nobody reads to its end: " + text);
  }
}

fs::path empty_folder() {
  const fs::path folder = scratch() / "folder";
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

fs::path file_of(std::string_view content, const std::string& name) {
  const fs::path path = scratch() / name;
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  return path;
}

std::vector<std::string_view> parts_of(std::string_view content) {
  constexpr std::string_view kCut = "\n%%\n";
  std::vector<std::string_view> parts;
  for (std::size_t cut = content.find(kCut); cut != std::string_view::npos; cut = content.find(kCut)) {
    parts.push_back(content.substr(0, cut + 1));
    content.remove_prefix(cut + kCut.size());
  }
  parts.push_back(content);
  return parts;
}

const Catalogue& shipped_catalogue() {
  static const Catalogue kCatalogue = load_catalogue(kModels).value.value();
  return kCatalogue;
}

const fs::path& small_models() {
  static const fs::path kFolder = [] {
    const fs::path folder = scratch() / "models";
    for (const char* record :
         {"gpus/a10g.json", "gpus/h100-80gb-sxm.json", "cpus/amd_epyc_rome.json", "cpus/intel_sapphire_rapids.json",
          "instances/g5.xlarge.json", "instances/a3-highgpu-8g.json", "tiers/parallelstore.json",
          "tiers/gcs_standard.json", "tiers/local_nvme.json", "loaders/pytorch.json", "workloads/unet3d.json",
          "collectives/step_barrier.json"}) {
      fs::create_directories((folder / record).parent_path());
      fs::copy_file(kModels / record, folder / record);
    }
    // A workload's step times may be of GPUs that are not among the few.
    Loaded<nlohmann::ordered_json> workload = read_json_file(folder / "workloads" / "unet3d.json");
    nlohmann::ordered_json& facts = workload.value->at("facts");
    for (const char* per_gpu : {"step_time", "samples_per_s"}) {
      if (!facts.contains(per_gpu)) continue;
      nlohmann::ordered_json few = nlohmann::ordered_json::object();
      for (const auto& [gpu, time] : facts.at(per_gpu).items())
        if (gpu == "a10g" || gpu == "h100-80gb-sxm") few[gpu] = time;
      facts[per_gpu] = few;
    }
    std::ofstream(folder / "workloads" / "unet3d.json") << workload.value->dump();
    return folder;
  }();
  return kFolder;
}

const nlohmann::ordered_json& small_job() {
  static const nlohmann::ordered_json kJob = nlohmann::ordered_json::parse(R"({
    "workload": {"batch_size": 4, "step_time": "10 ms"},
    "dataset": {"sample_size": "100 kB", "samples": 80},
    "loader": {"num_workers": 2},
    "cluster": {"nodes": 1, "cores_per_node": 8},
    "storage": {"latency": "2 ms", "stream_bandwidth": "1 GB/s", "read_bandwidth": "50 MB/s"},
    "run": {"whole_run": true}
  })");
  return kJob;
}

const ResolvedScenario& small_job_resolved() {
  static const ResolvedScenario kResolved =
      resolve(parse_scenario(small_job(), "job.json").value.value(), shipped_catalogue()).value.value();
  return kResolved;
}

void check_scenario_file(const ScenarioFile& file) {
  const nlohmann::ordered_json written = scenario_to_json(file.scenario);
  const Loaded<ScenarioFile> again = parse_scenario(written, file.file);
  for (const Finding& finding : again.findings.list())
    throw Broken("written, but not read: " + render_finding(finding));
  require(difference(again.value->scenario, file.scenario).empty(),
          "reads back as another scenario: " + difference(again.value->scenario, file.scenario));

  const Loaded<ResolvedScenario> resolved = resolve(file, shipped_catalogue());
  check_loaded(resolved);
  if (!resolved.ok()) return;
  const Loaded<ScenarioFile> same = parse_scenario(scenario_to_json(resolved.value->scenario), file.file);
  for (const Finding& finding : same.findings.list()) throw Broken("resolved out of range: " + render_finding(finding));
  require(difference(same.value->scenario, resolved.value->scenario).empty(),
          "resolved to what reads back as another: " + difference(same.value->scenario, resolved.value->scenario));
}

}  // namespace stallcast::fuzz
