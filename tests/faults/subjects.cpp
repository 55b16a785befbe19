#include "tests/faults/subjects.h"

#include <fstream>
#include <stdexcept>

#include "core/probe/result/probe_json.h"
#include "tests/cli/made_up_probe.h"

namespace stallcast::faults {
namespace {

// 20 steps, simulated whole.
constexpr const char* kJob = R"({
  "name": "small job",
  "workload": {"batch_size": 4, "step_time": "10 ms"},
  "dataset": {"sample_size": "100 kB", "samples": 80},
  "loader": {"num_workers": 1},
  "storage": {"latency": "2 ms", "stream_bandwidth": "1 GB/s"},
  "run": {"whole_run": true}
})";

constexpr const char* kWorkload = R"(model: {name: unet3d}
framework: pytorch
workflow: {generate_data: False, train: True, checkpoint: False}
dataset: {data_folder: data/unet3d/, format: npz, num_files_train: 168, num_samples_per_file: 1, record_length_bytes: 146600628}
reader: {data_loader: pytorch, batch_size: 7, read_threads: 4, file_shuffle: seed, sample_shuffle: seed}
train: {epochs: 5, computation_time: 0.323}
)";

constexpr const char* kPrices =
    R"({"prices": {"us-central1": {"on_demand": {"a3-highgpu-8g": 80.25, "a2-highgpu-8g": 30.5}}}})";

const std::vector<std::string> kVary = {"--vary", "loader.num_workers=1,2"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string first_lines(const std::filesystem::path& path, int count) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; count > 0 && std::getline(file, line); --count) text += line + "\n";
  return text;
}

std::vector<Subject> make_subjects() {
  const std::vector<std::string> json = {"--format", "json"};
  std::vector<Subject> all;
  all.push_back({"simulate", {"simulate", "job.json", "--format", "json", "-o", "out.json", "--trace", "trace.json"}});
  all.push_back({"journal",
                 {"simulate", "job.json", "--set", "failures.mtti=1 h", "--replications", "3", "--journal", "journal",
                  "--format", "json", "-o", "out.json"}});
  all.push_back(
      {"focus", {"simulate", "job.json", "-o", "out.txt", "--focus", "focus.csv", "--focus-start", "2026-12-01"}});
  all.push_back({"explain", with({"explain", "job.json", "-o", "out.json"}, json)});
  all.push_back({"compare", with({"compare", "job.json", "job.json", "-o", "out.json"}, json)});
  all.push_back({"sensitivity", with({"sensitivity", "job.json", "-o", "out.json"}, json)});
  all.push_back({"sweep", with({"sweep", "job.json", "--threads", "1", "-o", "sweep"}, kVary)});
  all.push_back({"shard", with({"sweep", "job.json", "--threads", "1", "-o", "sweep", "--shard", "2/2"}, kVary)});
  all.push_back({"merge",
                 {"merge", "sweep"},
                 {},
                 {with({"sweep", "job.json", "-o", "sweep", "--shard", "1/2"}, kVary),
                  with({"sweep", "job.json", "-o", "sweep", "--shard", "2/2"}, kVary)}});
  all.push_back(
      {"slurm", with({"sweep", "job.json", "-o", "sweep", "--emit", "slurm", "--job-file", "job.sh"}, kVary)});
  all.push_back({"size", with(with({"size", "job.json", "--min-utilization", "0.1", "-o", "out.json"}, kVary), json)});
  all.push_back({"emit", {"emit", "job.json", "-o", "emitted"}});
  all.push_back({"report_html", with({"report", "job.json", "-o", "report.html"}, kVary)});
  all.push_back({"report_md", with({"report", "job.json", "-o", "report.md"}, kVary)});
  all.push_back({"report_json", with({"report", "job.json", "-o", "report.json"}, kVary)});
  all.push_back({"validate", with({"validate", "measured.jsonl", "-o", "out.json"}, json)});
  all.push_back({"dlio", {"import", "dlio", "workload.yaml", "-o", "out.json"}});
  all.push_back(
      {"calibrate", {"calibrate", "job.json", "--probe", "probe.json", "-o", "out.json", "--tier", "tier.json"}});
  all.push_back({"prices", {"catalogue", "import", "prices.json", "-o", "overlay", "--today", "2026-11-21"}});
  all.push_back({"probe", {"probe", "data", "--time", "200 ms", "--bytes", "4 MiB", "-o", "out.json"}});
  all.back().repeatable = false;
  return all;
}

}  // namespace

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = make_subjects();
  return all;
}

const Subject& subject(const std::string& name) {
  for (const Subject& one : subjects())
    if (one.name == name) return one;
  throw std::runtime_error("no subject " + name);
}

void write_inputs(const std::filesystem::path& folder) {
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("job.json", kJob);
  write("workload.yaml", kWorkload);
  write("prices.json", kPrices);
  write("probe.json", probe_to_json(made_up_probe(), "0").dump(2));
  const std::filesystem::path measured = STALLCAST_SOURCE_DIR "/tests/validation/dataloader/measured_public.jsonl";
  write("measured.jsonl", first_lines(measured, 2));
  std::filesystem::create_directories(folder / "data");
  for (const char* name : {"data/a", "data/b"}) write(name, std::string(std::size_t{1} << 19, 'x'));
}

}  // namespace stallcast::faults
